//! Goes through the items, and adds up by source.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use super::other_value::other_value;
use super::report::CopiesReport;
use super::verdict::Owned;
use crate::capacity::{Consistency, ReadUnits, WriteCapacity};
use crate::item::{Item, ItemSize, attributes_of, item_size, update};
use crate::layout::Layout;
use crate::model::{AttributePath, Entity, Keep, Reference};
use crate::value::{AttributeValue, Attributes, to_plain_json};

/// What the copies of a definition cost and save. Items are added in any order, each once; of each source only sums are
/// kept.
#[derive(Debug)]
pub struct CopiesEstimate<'a> {
    layout: &'a Layout,
    references: Vec<ReferenceSums<'a>>,
    /// How large each source is, by the digest of its entity and key.
    sources: BTreeMap<u64, ItemSize>,
}

/// What the targets of one reference add up to.
#[derive(Debug)]
pub(super) struct ReferenceSums<'a> {
    pub(super) entity: &'a Entity,
    pub(super) reference: &'a Reference,
    /// By the digest of the source.
    pub(super) groups: BTreeMap<u64, Group>,
    /// What it takes when every source changes once.
    pub(super) write: WriteCapacity,
    /// Whether each target stands in its source's partition.
    pub(super) owned: Owned,
}

/// The targets of one source.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Group {
    pub(super) items: u64,
    pub(super) write_units: u64,
    pub(super) bytes: u64,
}

impl<'a> CopiesEstimate<'a> {
    /// Of no items yet.
    pub fn new(layout: &'a Layout) -> Self {
        let of = |entity: &'a Entity| {
            let copying = entity.references.iter().filter(|reference| !reference.copies.is_empty());
            copying.map(move |reference| ReferenceSums {
                entity,
                reference,
                groups: BTreeMap::new(),
                write: WriteCapacity::default(),
                owned: Owned::default(),
            })
        };
        CopiesEstimate { layout, references: layout.entities().iter().flat_map(of).collect(), sources: BTreeMap::new() }
    }

    /// Adds an item; one of no known entity is passed over.
    pub fn add(&mut self, item: &Item) {
        let (layout, table) = (self.layout, self.layout.table());
        let Ok(entity) = layout.recognise(item) else { return };
        let attributes = attributes_of(item, entity, table);
        let is_source = |sums: &ReferenceSums<'_>| sums.reference.entity == entity.name;
        if self.references.iter().any(is_source)
            && let Some(source) = digest(layout, entity, &attributes)
        {
            self.sources.insert(source, item_size(item));
        }
        for sums in self.references.iter_mut().filter(|sums| sums.entity.name == entity.name) {
            let mut by_source: BTreeMap<u64, BTreeMap<AttributePath, Option<AttributeValue>>> = BTreeMap::new();
            for place in sums.reference.places(&attributes) {
                let Some((source, key)) = source_of(layout, sums.reference, place.as_ref(), &attributes) else {
                    continue;
                };
                sums.owned.add(item.get(table.partition_key()) == key.get(table.partition_key()));
                let changed = by_source.entry(source).or_default();
                for rule in &sums.reference.copies {
                    let target = place.as_ref().map_or(rule.target.clone(), |place| place.join(&rule.target));
                    if let Some(value) = target.get(&attributes) {
                        changed.insert(target, Some(other_value(value)));
                    }
                }
            }
            for (source, changed) in by_source.into_iter().filter(|(_, changed)| !changed.is_empty()) {
                let write = match sums.reference.keep {
                    Some(Keep::Latest) => refreshed(layout, entity, item, &changed),
                    _ => WriteCapacity::default(),
                };
                let group = sums.groups.entry(source).or_default();
                group.items += 1;
                group.write_units += write.total().0;
                group.bytes += item_size(item).bytes();
                sums.write += &write;
            }
        }
    }

    /// What all of it comes to, a report for each reference that has copies.
    pub fn reports(&self) -> Vec<CopiesReport<'a>> {
        self.references.iter().map(|sums| CopiesReport::of(self.layout, sums, &self.sources)).collect()
    }
}

/// What one update takes that brings an item's copies up to date.
fn refreshed(
    layout: &Layout,
    entity: &Entity,
    item: &Item,
    changed: &BTreeMap<AttributePath, Option<AttributeValue>>,
) -> WriteCapacity {
    let after = match update(item, entity, layout.table(), changed) {
        Ok(updated) => updated.after,
        // The value may not be one that the definition allows; its size is all that counts.
        Err(_) => {
            let mut after = item.clone();
            for (path, value) in changed {
                if let Some(value) = value {
                    path.set(&mut after.0, value.clone());
                }
            }
            after
        }
    };
    WriteCapacity::of_write(layout.table(), Some(item), Some(&after))
}

/// The source's digest and key, where the item names all of it.
fn source_of(
    layout: &Layout,
    reference: &Reference,
    place: Option<&AttributePath>,
    target: &Attributes,
) -> Option<(u64, Attributes)> {
    let source = layout.entity(&reference.entity)?;
    let mut named = Attributes::new();
    for key in &reference.by {
        key.source.set(&mut named, key.target_at(place).get(target)?.clone());
    }
    Some((digest(layout, source, &named)?, source.primary_key(layout.table(), &named).ok()?))
}

fn digest(layout: &Layout, entity: &Entity, attributes: &Attributes) -> Option<u64> {
    let key = entity.primary_key(layout.table(), attributes).ok()?;
    let mut hasher = DefaultHasher::new();
    (entity.name.as_str(), to_plain_json(&AttributeValue::M(key))).hash(&mut hasher);
    Some(hasher.finish())
}

/// What a read of a source takes; one that was not among the items counts as the smallest.
pub(super) fn source_read(size: Option<&ItemSize>) -> ReadUnits {
    ReadUnits::for_size(size.copied().unwrap_or_default(), Consistency::Eventual)
}
