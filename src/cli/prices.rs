//! What the table's units cost, by the prices that were given or that are known.

use std::path::Path;

use super::args::{Budget, Pricing};
use super::connection::Session;
use super::failure::Failure;
use crate::capacity::{ReadUnits, WriteCapacity, WriteUnits};
use crate::client::ExistingTable;
use crate::cost::{Charge, Price, PriceTable, Provisioned, Tariff};
use crate::model::{Billing, IndexScope, Table, TableClass};

/// How an existing table is billed.
pub(super) fn tariff(pricing: &Pricing, session: &Session, table: &ExistingTable) -> Result<Tariff, Failure> {
    let billed = Billed {
        region: session.region.as_deref(),
        class: table.table_class,
        provisioned: table.provisioned.as_ref(),
        replicas: &table.replicas,
    };
    billed.tariff(pricing)
}

/// What is not in the figures of a table, a sentence each.
pub(super) fn left_out(table: &ExistingTable) -> Vec<String> {
    let mut left_out = Vec::new();
    if table.has_vector_indexes {
        left_out.push("vector indexes, which are metered by rules of their own: these units are not exact".to_owned());
    }
    if !table.replicas.is_empty() {
        left_out.push(format!(
            "the units of the replicas in {}, each of which takes every write once more",
            table.replicas.join(", ")
        ));
    }
    if table.has_stream {
        left_out.push("what reads the stream, which hears of every write".to_owned());
    }
    left_out
}

/// How the table of a definition would be billed in a region.
pub(super) fn tariff_of_definition(pricing: &Pricing, region: Option<&str>, table: &Table) -> Result<Tariff, Failure> {
    let provisioned = match table.settings.billing {
        Billing::OnDemand => None,
        Billing::Provisioned { write, .. } => {
            let global = table.indexes.iter().filter(|index| index.scope == IndexScope::Global);
            let indexes = global.map(|index| (index.name.clone(), WriteUnits(write))).collect();
            Some(Provisioned { table: WriteUnits(write), indexes })
        }
    };
    Billed { region, class: table.settings.class, provisioned: provisioned.as_ref(), replicas: &[] }.tariff(pricing)
}

/// What decides how a table is billed.
struct Billed<'a> {
    region: Option<&'a str>,
    class: TableClass,
    provisioned: Option<&'a Provisioned>,
    replicas: &'a [String],
}

impl Billed<'_> {
    fn tariff(&self, pricing: &Pricing) -> Result<Tariff, Failure> {
        if let Some(provisioned) = self.provisioned {
            return Ok(match self.region.is_some() {
                true => Tariff::Provisioned(provisioned.clone()),
                false => Tariff::Unbilled,
            });
        }
        let discount = pricing.discount.unwrap_or_default();
        if let (Some(write_million), Some(read_million)) = (pricing.price_write, pricing.price_read) {
            let region = self.region.unwrap_or_default().to_owned();
            let price =
                Price { region, table_class: self.class, write_million, read_million, as_of: None, source: None };
            let replicas = vec![price.clone(); self.replicas.len()];
            return Ok(Tariff::OnDemand { price, replicas, discount });
        }
        let prices = table(pricing.prices.as_deref())?;
        let Some(region) = self.region else { return Ok(Tariff::Unbilled) };
        let find = |region: &str| prices.find(region, self.class).cloned().ok_or_else(|| region.to_owned());
        let replicas: Result<Vec<Price>, String> = self.replicas.iter().map(|region| find(region)).collect();
        Ok(match (find(region), replicas) {
            (Ok(price), Ok(replicas)) => Tariff::OnDemand { price, replicas, discount },
            (Err(region), _) | (_, Err(region)) => Tariff::Unpriced { region },
        })
    }
}

/// The prices of a file, or those that this version came with.
pub(super) fn table(path: Option<&Path>) -> Result<PriceTable, Failure> {
    let Some(path) = path else { return Ok(PriceTable::shipped()) };
    let failure = |error: &dyn std::fmt::Display| Failure::usage(format!("the prices in {}: {error}", path.display()));
    let text = std::fs::read_to_string(path).map_err(|error| failure(&error))?;
    PriceTable::parse(&text).map_err(|error| failure(&error))
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

    /// Refuses a budget for the change of an item that was not read.
    pub(super) fn check_unread(&self) -> Result<(), Failure> {
        match self.max_write_units.is_some() || self.max_cost.is_some() {
            true => {
                Err(Failure::usage("what the change takes is not known without reading the item; nothing was written")
                    .help("pass --read"))
            }
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
            Charge::Unknown | Charge::Nothing => {
                Err(Failure::new("what it costs is not known, and --max-cost was given; nothing was written")
                    .help("pass --region, or --price-write and --price-read, or --prices"))
            }
            _ => Ok(()),
        }
    }
}
