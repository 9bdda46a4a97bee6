//! What units come to in money.

use serde::Serialize;

use crate::capacity::{ReadUnits, WriteCapacity};
use crate::cost::{Charge, Discount, Price, Tariff, Usd};

/// What people see of what so much costs: a line; nothing where nobody is billed. `worst` is the most that it can be.
pub(in crate::cli) fn line(tariff: &Tariff, likely: (&WriteCapacity, ReadUnits), worst: &WriteCapacity) -> String {
    let (write, read) = likely;
    match (tariff, tariff.charge(write, read), tariff.charge(worst, read)) {
        (Tariff::OnDemand { price, replicas, discount }, Charge::Usd(cost), Charge::Usd(most)) => {
            let at_most = if most > cost { format!(", at the worst {most}") } else { String::new() };
            format!("cost: {cost}{at_most}; {}\n", basis(price, replicas, *discount))
        }
        (Tariff::Provisioned(_), Charge::Seconds(seconds), _) => format!(
            "cost: requests are not charged, because the table is provisioned; its units allow it in {seconds} s, if \
             nobody else uses any\n"
        ),
        (Tariff::Unpriced { region }, ..) => format!(
            "cost: unknown; there is no confirmed price of {region}: pass --price-write and --price-read, or --prices\n"
        ),
        _ => String::new(),
    }
}

/// What is not in the figures.
pub(in crate::cli) fn left_out(what: &[String]) -> String {
    what.iter().map(|one| format!("not in these figures: {one}\n")).collect()
}

/// What was consumed, in money.
pub(in crate::cli) fn spent(tariff: &Tariff, write: &WriteCapacity, read: ReadUnits) -> String {
    match (tariff, tariff.charge(write, read)) {
        (Tariff::OnDemand { price, replicas, discount }, Charge::Usd(cost)) => {
            format!("cost: {cost}; {}\n", basis(price, replicas, *discount))
        }
        _ => String::new(),
    }
}

/// What was forecast and what was consumed, in money.
pub(in crate::cli) fn consumed(
    tariff: &Tariff,
    forecast: (&WriteCapacity, ReadUnits),
    consumed: (&WriteCapacity, ReadUnits),
) -> String {
    match (tariff.charge(forecast.0, forecast.1), tariff.charge(consumed.0, consumed.1)) {
        (Charge::Usd(forecast), Charge::Usd(consumed)) => format!("cost: {forecast} forecast, {consumed} consumed\n"),
        _ => String::new(),
    }
}

/// What the figure rests on.
fn basis(price: &Price, replicas: &[Price], discount: Discount) -> String {
    let mut text = match &price.as_of {
        Some(date) => format!("requests on demand in {}, list price of {date}", price.region),
        None => "requests on demand at the price that was given".to_owned(),
    };
    if !replicas.is_empty() {
        let regions: Vec<&str> = replicas.iter().map(|price| price.region.as_str()).collect();
        text.push_str(&format!(", with the replicas in {}", regions.join(", ")));
    }
    if !discount.is_none() {
        text.push_str(&format!(", {discount} off"));
    }
    text
}

/// What programs see of it.
#[derive(Serialize)]
#[serde(untagged)]
pub(in crate::cli) enum MoneyJson<'a> {
    OnDemand {
        usd: Usd,
        worst_usd: Usd,
        price: &'a Price,
        replicas: &'a [Price],
        discount_hundredths_of_percent: Discount,
    },
    Provisioned {
        seconds: u64,
    },
    Unpriced {
        unknown_price_of: &'a str,
    },
}

impl<'a> MoneyJson<'a> {
    pub(in crate::cli) fn of(
        tariff: &'a Tariff,
        likely: (&WriteCapacity, ReadUnits),
        worst: &WriteCapacity,
    ) -> Option<Self> {
        let (write, read) = likely;
        match (tariff, tariff.charge(write, read), tariff.charge(worst, read)) {
            (Tariff::OnDemand { price, replicas, discount }, Charge::Usd(usd), Charge::Usd(worst_usd)) => {
                let discount_hundredths_of_percent = *discount;
                Some(MoneyJson::OnDemand { usd, worst_usd, price, replicas, discount_hundredths_of_percent })
            }
            (_, Charge::Seconds(seconds), _) => Some(MoneyJson::Provisioned { seconds }),
            (Tariff::Unpriced { region }, ..) => Some(MoneyJson::Unpriced { unknown_price_of: region }),
            _ => None,
        }
    }
}
