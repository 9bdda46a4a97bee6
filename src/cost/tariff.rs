//! How a table is billed, and what that makes of units.

use std::collections::BTreeMap;

use serde::Serialize;

use super::{Price, Usd};
use crate::capacity::{ReadUnits, WriteCapacity, WriteUnits};

/// How a table is billed, as far as that is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Tariff {
    /// For each request.
    OnDemand {
        /// The price of the table's own region.
        price: Price,
        /// The prices of the regions that hold replicas: each of them is charged for every write once more.
        replicas: Vec<Price>,
        /// What is taken off the list prices.
        discount: Discount,
    },
    /// By the hour, whatever is used of it: requests are never charged, but they take time.
    Provisioned(Provisioned),
    /// For each request, at a price that nobody said.
    Unpriced {
        /// The region whose price is missing.
        region: String,
    },
    /// By nobody: an engine on one's own machine.
    Unbilled,
}

/// How many write units a second are provisioned.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Provisioned {
    /// For the table and its local indexes.
    pub table: WriteUnits,
    /// For each global index.
    pub indexes: BTreeMap<String, WriteUnits>,
}

/// A percentage that is taken off, in hundredths of a percent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(transparent)]
pub struct Discount {
    hundredths: u64,
}

/// What a number of units comes to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Charge {
    /// So much money.
    Usd(Usd),
    /// No money, but so many seconds, if all that is provisioned were free for it.
    Seconds(u64),
    /// Nobody knows.
    Unknown,
    /// Nothing.
    Nothing,
}

impl Tariff {
    /// What writing and reading so much comes to.
    pub fn charge(&self, write: &WriteCapacity, read: ReadUnits) -> Charge {
        match self {
            Tariff::OnDemand { price, replicas, discount } => {
                let list = price.of(write.total(), read)
                    + replicas.iter().map(|price| price.of(write.total(), ReadUnits::default())).sum();
                Charge::Usd(discount.off(list))
            }
            Tariff::Provisioned(provisioned) => Charge::Seconds(provisioned.seconds(write)),
            Tariff::Unpriced { .. } => Charge::Unknown,
            Tariff::Unbilled => Charge::Nothing,
        }
    }
}

impl Provisioned {
    /// How long so many writes take at best: the slowest of the table and the global indexes tells. Local indexes are
    /// written with the table's units.
    pub fn seconds(&self, write: &WriteCapacity) -> u64 {
        let is_global = |name: &str| self.indexes.contains_key(name);
        let local: WriteUnits =
            write.indexes.iter().filter(|(name, _)| !is_global(name)).map(|(_, units)| *units).sum();
        let seconds = |units: WriteUnits, rate: WriteUnits| units.0.div_ceil(rate.0.max(1));
        let global = self.indexes.iter().filter_map(|(name, rate)| Some(seconds(*write.indexes.get(name)?, *rate)));
        global.fold(seconds(write.table + local, self.table), u64::max)
    }
}

impl Discount {
    /// Reads a percentage from 0 to 100, such as `12.5`.
    pub fn parse(text: &str) -> Option<Self> {
        let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
        let is_digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
        if !is_digits(whole) || !is_digits(fraction) || fraction.len() > 2 {
            return None;
        }
        let hundredths =
            whole.parse::<u64>().ok()?.checked_mul(100)? + format!("{fraction:0<2}").parse::<u64>().ok()?;
        (hundredths <= 10_000).then_some(Discount { hundredths })
    }

    /// Whether anything is taken off.
    pub fn is_none(self) -> bool {
        self.hundredths == 0
    }

    fn off(self, list: Usd) -> Usd {
        if self.is_none() { list } else { list.scaled(10_000 - self.hundredths, 10_000) }
    }
}

impl std::fmt::Display for Discount {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let fraction = format!("{:02}", self.hundredths % 100);
        match fraction.trim_end_matches('0') {
            "" => write!(f, "{} %", self.hundredths / 100),
            fraction => write!(f, "{}.{fraction} %", self.hundredths / 100),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cost::PriceTable;
    use crate::model::TableClass;

    fn write(table: u64, indexes: &[(&str, u64)]) -> WriteCapacity {
        let indexes = indexes.iter().map(|(name, units)| ((*name).to_owned(), WriteUnits(*units))).collect();
        WriteCapacity { table: WriteUnits(table), indexes }
    }

    #[test]
    fn a_replica_is_charged_for_writes_and_a_discount_comes_off_both() {
        let price = |region| PriceTable::shipped().find(region, TableClass::Standard).unwrap().clone();
        let on_demand = |discount| Tariff::OnDemand {
            price: price("us-east-1"),
            replicas: vec![price("eu-central-1")],
            discount: Discount::parse(discount).unwrap(),
        };
        let charge = |discount| {
            on_demand(discount).charge(&write(600_000, &[("G", 400_000)]), ReadUnits::from_halves(2_000_000))
        };
        assert_eq!(charge("0"), Charge::Usd(Usd::parse("1.5125").unwrap()));
        assert_eq!(charge("12.5"), Charge::Usd(Usd::parse("1.3234375").unwrap()));
        assert_eq!(charge("100"), Charge::Usd(Usd::default()));
    }

    #[test]
    fn provisioned_units_take_time_and_local_indexes_share_the_tables() {
        let provisioned =
            Provisioned { table: WriteUnits(10), indexes: BTreeMap::from([("G".to_owned(), WriteUnits(2))]) };
        assert_eq!(provisioned.seconds(&write(100, &[("L", 50)])), 15);
        assert_eq!(provisioned.seconds(&write(100, &[("L", 50), ("G", 31)])), 16);
        assert_eq!(provisioned.seconds(&write(0, &[])), 0);
    }

    #[test]
    fn a_discount_is_a_percentage() {
        for (text, shown) in [("0", "0 %"), ("12.5", "12.5 %"), ("7.05", "7.05 %"), ("100", "100 %")] {
            assert_eq!(Discount::parse(text).unwrap().to_string(), shown);
        }
        for text in ["", "101", "-5", "5%", "1.234", "1e1", "."] {
            assert_eq!(Discount::parse(text), None, "{text}");
        }
    }
}
