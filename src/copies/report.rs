//! What the copies of one reference come to.

use std::collections::BTreeMap;

use serde::Serialize;

use super::estimate::{Group, ReferenceSums, source_read};
use super::verdict::{Advice, Owned, Verdict};
use crate::capacity::{ReadUnits, WriteCapacity, WriteUnits};
use crate::cost::{Price, Usd};
use crate::item::ItemSize;
use crate::layout::Layout;
use crate::model::{Entity, Keep, Rate, Reference, Via};

/// What the copies of one reference cost and save.
#[derive(Debug, Clone)]
pub struct CopiesReport<'a> {
    /// The entity whose items carry the copies.
    pub entity: &'a Entity,
    /// The reference.
    pub reference: &'a Reference,
    /// How many items carry copies of one source.
    pub items: PerSource,
    /// What it takes when one source changes.
    pub one_change: PerSource,
    /// What it takes when every source changes once.
    pub every_change: WriteCapacity,
    /// How many sources have 1 copy, 2 to 3, 4 to 7, and so on.
    pub histogram: Vec<u64>,
    /// How often a source changes, of the attributes that are copied, where the definition says so.
    pub changes: Option<Rate>,
    /// How often the items are read, where the definition says so.
    pub reads: Option<Rate>,
    /// What reading the source besides would take, for all items once.
    pub source_reads: ReadUnits,
    /// The largest source together with all of its targets, in bytes.
    pub largest_whole: ItemSize,
    pub(super) owned: Owned,
    /// Whether something else asks for the items: an index that they are in, another reference, a link.
    pub(super) is_needed_alone: bool,
}

/// Of the sources that have any copies: how many there are, and how the figure is distributed over them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct PerSource {
    /// The sources.
    pub sources: u64,
    /// Over all sources.
    pub total: u64,
    /// Half of the sources have no more.
    pub median: u64,
    /// 99 of 100 have no more.
    pub p99: u64,
    /// The most that one has.
    pub largest: u64,
}

impl PerSource {
    fn of(mut figures: Vec<u64>) -> Self {
        figures.sort_unstable();
        let quantile = |percent: usize| {
            let rank = (figures.len() * percent).div_ceil(100).max(1);
            figures.get(rank - 1).copied().unwrap_or_default()
        };
        PerSource {
            sources: figures.len() as u64,
            total: figures.iter().sum(),
            median: quantile(50),
            p99: quantile(99),
            largest: quantile(100),
        }
    }
}

impl<'a> CopiesReport<'a> {
    pub(super) fn of(layout: &'a Layout, sums: &ReferenceSums<'a>, sources: &BTreeMap<u64, ItemSize>) -> Self {
        let figures = |of: fn(&Group) -> u64| PerSource::of(sums.groups.values().map(of).collect());
        let reads = sums
            .groups
            .iter()
            .map(|(source, group)| ReadUnits::from_halves(source_read(sources.get(source)).halves() * group.items));
        let whole = |(source, group): (&u64, &Group)| sources.get(source).map_or(0, |size| size.bytes()) + group.bytes;
        let mut histogram = Vec::new();
        for group in sums.groups.values() {
            let bucket = group.items.max(1).ilog2() as usize;
            histogram.resize(histogram.len().max(bucket + 1), 0);
            histogram[bucket] += 1;
        }
        let source = layout.entity(&sums.reference.entity);
        let changes = sums.reference.copies.iter().filter_map(|rule| source?.changes_of(&rule.source));
        CopiesReport {
            entity: sums.entity,
            reference: sums.reference,
            items: figures(|group| group.items),
            one_change: figures(|group| group.write_units),
            every_change: sums.write.clone(),
            histogram,
            // The attribute that changes most often decides; the others are written along with it.
            changes: changes.max_by_key(|rate| rate.monthly(1_000_000)),
            reads: sums.entity.reads,
            source_reads: reads.sum(),
            largest_whole: ItemSize::from_bytes(sums.groups.iter().map(whole).max().unwrap_or_default()),
            owned: sums.owned,
            is_needed_alone: is_needed_alone(layout, sums.entity),
        }
    }

    /// What keeping the copies right takes in a month.
    pub fn monthly_writes(&self) -> Option<WriteUnits> {
        match self.reference.keep {
            Some(Keep::Latest) => Some(WriteUnits(self.changes?.monthly(self.every_change.total().0))),
            _ => Some(WriteUnits(0)),
        }
    }

    /// What reading the sources besides would take in a month, and the copies save: the reads are spread evenly over
    /// the items.
    pub fn monthly_reads_saved(&self) -> Option<ReadUnits> {
        let halves = self.reads?.monthly(self.source_reads.halves());
        Some(ReadUnits::from_halves(halves.checked_div(self.items.total).unwrap_or_default()))
    }

    /// How often an item has to be read between two changes of its source for the copy to be worth its writes; `None`
    /// where nothing is ever written.
    pub fn reads_to_be_worth_it(&self, price: &Price) -> Option<u64> {
        let write = price.of(self.every_change.total(), ReadUnits::default());
        let read = price.of(WriteUnits(0), self.source_reads);
        (write > Usd::default()).then(|| write.in_times_of(read))
    }

    /// Copy, reference or embed, and why.
    pub fn advice(&self, price: &Price) -> Advice {
        Verdict::of(self, price)
    }
}

/// Whether items are looked for other than with their source: through an index, by another reference, or as links.
fn is_needed_alone(layout: &Layout, entity: &Entity) -> bool {
    let table = layout.table();
    let is_in_an_index = entity.keys.keys().any(|key| !table.key.contains(key))
        || table.indexes.iter().any(|index| index.key.names().all(|name| entity.attribute(name).is_some()));
    let references = layout.entities().iter().flat_map(|other| &other.references);
    let is_link = references.clone().any(|one| matches!(&one.via, Some(Via::Link(link)) if *link == entity.name));
    let is_source = references.clone().any(|one| one.entity == entity.name);
    is_in_an_index || is_link || is_source || entity.references.len() > 1
}
