//! What the table's units cost, by the prices that were given or that are known.

use super::args::{Budget, Pricing};
use super::connection::Session;
use super::failure::Failure;
use crate::capacity::{ReadUnits, WriteCapacity};
use crate::client::ExistingTable;
use crate::cost::{Charge, Price, PriceTable, Tariff};

/// How a table is billed.
pub(super) fn tariff(pricing: &Pricing, session: &Session, table: &ExistingTable) -> Result<Tariff, Failure> {
    if let Some(provisioned) = &table.provisioned {
        return Ok(match session.region.is_some() {
            true => Tariff::Provisioned(provisioned.clone()),
            false => Tariff::Unbilled,
        });
    }
    let discount = pricing.discount.unwrap_or_default();
    if let (Some(write_million), Some(read_million)) = (pricing.price_write, pricing.price_read) {
        let region = session.region.clone().unwrap_or_default();
        let price =
            Price { region, table_class: table.table_class, write_million, read_million, as_of: None, source: None };
        let replicas = vec![price.clone(); table.replicas.len()];
        return Ok(Tariff::OnDemand { price, replicas, discount });
    }
    let prices = match &pricing.prices {
        Some(path) => {
            let failure =
                |error: &dyn std::fmt::Display| Failure::usage(format!("the prices in {}: {error}", path.display()));
            let text = std::fs::read_to_string(path).map_err(|error| failure(&error))?;
            PriceTable::parse(&text).map_err(|error| failure(&error))?
        }
        None => PriceTable::shipped(),
    };
    let Some(region) = &session.region else { return Ok(Tariff::Unbilled) };
    let find = |region: &String| prices.find(region, table.table_class).cloned().ok_or_else(|| region.clone());
    let replicas: Result<Vec<Price>, String> = table.replicas.iter().map(find).collect();
    Ok(match (find(region), replicas) {
        (Ok(price), Ok(replicas)) => Tariff::OnDemand { price, replicas, discount },
        (Err(region), _) | (_, Err(region)) => Tariff::Unpriced { region },
    })
}

impl Budget {
    /// Refuses a budget for what nobody can tell beforehand: a write takes as much as the larger of what it puts and
    /// what stood there.
    pub(super) fn check_replace(&self, replace: bool) -> Result<(), Failure> {
        match replace && (self.max_write_units.is_some() || self.max_cost.is_some()) {
            true => Err(Failure::usage(
                "--replace takes no --max-write-units and no --max-cost, because what is replaced is not known beforehand",
            )),
            false => Ok(()),
        }
    }

    /// Refuses what may take more than was allowed; `write` and `read` are the most that it can take.
    pub(super) fn check(&self, tariff: &Tariff, write: &WriteCapacity, read: ReadUnits) -> Result<(), Failure> {
        let units = write.total().0;
        if let Some(most) = self.max_write_units.filter(|most| units > *most) {
            return Err(Failure::new(format!(
                "it may take {units} write units, and --max-write-units allows {most}; nothing was written"
            )));
        }
        let Some(most) = self.max_cost else { return Ok(()) };
        match tariff.charge(write, read) {
            Charge::Usd(cost) if cost > most => {
                Err(Failure::new(format!("it may cost {cost}, and --max-cost allows {most}; nothing was written")))
            }
            Charge::Unknown => {
                Err(Failure::new("what it costs is not known, and --max-cost was given; nothing was written")
                    .help("pass --price-write and --price-read, or --prices"))
            }
            _ => Ok(()),
        }
    }
}
