//! What writes take.

use std::collections::BTreeMap;
use std::ops::AddAssign;

use serde::{Deserialize, Serialize, Serializer};

use super::WriteUnits;
use super::range::Sizing;
use crate::item::{Item, ItemSize, item_size};
use crate::model::{SecondaryIndex, Table};
use crate::value::AttributeValue;

/// What writes take, on the table and on each index that they touch.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
pub struct WriteCapacity {
    /// On the table.
    pub table: WriteUnits,
    /// On each index; one that nothing touches is left out.
    pub indexes: BTreeMap<String, WriteUnits>,
}

impl WriteCapacity {
    /// What one write takes that turns `before` into `after`; `None` where there is no item. The write is
    /// no part of a transaction, and may be one of a batch, or a statement's. It takes the same whether it replaces an
    /// item, changes a byte of it, or leaves it as it was.
    pub fn of_write(table: &Table, before: Option<&Item>, after: Option<&Item>) -> Self {
        Self::sized(table, before, after, Sizing::Likely)
    }

    /// The same, with one way to size the numbers whose size is disputed.
    pub(super) fn sized(table: &Table, before: Option<&Item>, after: Option<&Item>, sizing: Sizing) -> Self {
        let size = |item: Option<&Item>| item.map(|item| sizing.of_item(item)).unwrap_or_default();
        let on_index = |index: &SecondaryIndex| {
            let (before, after) = (Entry::of(table, index, before), Entry::of(table, index, after));
            Some((index.name.clone(), index_units(&before, &after, sizing)?))
        };
        WriteCapacity {
            table: WriteUnits::for_size(size(before).max(size(after))),
            indexes: table.indexes.iter().filter_map(on_index).collect(),
        }
    }

    /// The same write as an action of a transaction: twice on the table, since it is prepared and then committed, and
    /// once on each index. Measured on AWS by others; the guide names the two writes only.
    pub fn in_transaction(self) -> Self {
        WriteCapacity { table: WriteUnits(2 * self.table.0), ..self }
    }

    /// A transaction's check of an item that it does not write, in write units: as much as if it wrote it.
    pub fn of_condition_check(item: Option<&Item>) -> Self {
        Self::of_refused_write(item, None).in_transaction()
    }

    /// What filling a new index with one item takes: a write of its entry, and nothing where it is not in the index.
    /// Reading the table for it is free. Source: *Managing global secondary indexes* in the developer guide.
    pub fn of_backfill(table: &Table, index: &SecondaryIndex, item: &Item) -> Self {
        let entry = Entry::of(table, index, Some(item));
        let units = entry.map(|entry| (index.name.clone(), WriteUnits::for_size(entry.size(Sizing::Likely))));
        WriteCapacity { table: WriteUnits(0), indexes: units.into_iter().collect() }
    }

    /// What a write takes whose condition is refused: the larger of the item that stands there and the one
    /// that was meant, on the table alone. The guide names both sizes; this is the upper bound.
    pub fn of_refused_write(before: Option<&Item>, after: Option<&Item>) -> Self {
        let size = |item: Option<&Item>| item.map(item_size).unwrap_or_default();
        WriteCapacity { table: WriteUnits::for_size(size(before).max(size(after))), indexes: BTreeMap::new() }
    }

    /// Table and indexes together.
    pub fn total(&self) -> WriteUnits {
        self.table + self.indexes.values().copied().sum()
    }
}

impl AddAssign<&WriteCapacity> for WriteCapacity {
    fn add_assign(&mut self, other: &WriteCapacity) {
        self.table += other.table;
        for (index, units) in &other.indexes {
            *self.indexes.entry(index.clone()).or_default() += *units;
        }
    }
}

impl Serialize for WriteCapacity {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Shown<'a> {
            table: WriteUnits,
            indexes: &'a BTreeMap<String, WriteUnits>,
            total: WriteUnits,
        }
        Shown { table: self.table, indexes: &self.indexes, total: self.total() }.serialize(serializer)
    }
}

/// How large an item's entry in an index is; `None` where it is not in the index.
pub fn entry_size(table: &Table, index: &SecondaryIndex, item: &Item) -> Option<ItemSize> {
    Entry::of(table, index, Some(item)).map(|entry| entry.size(Sizing::Likely))
}

/// What an index holds of one item.
struct Entry<'a> {
    item: &'a Item,
    index: &'a SecondaryIndex,
    table: &'a Table,
}

impl<'a> Entry<'a> {
    /// The entry, where the item has all of the index's key attributes, each of its type: what is of another type cannot
    /// be written to an index, and an index that is filled passes it over.
    fn of(table: &'a Table, index: &'a SecondaryIndex, item: Option<&'a Item>) -> Option<Self> {
        let item = item.filter(|item| {
            index.key.attributes().all(|key| item.get(&key.name).is_some_and(|value| key.kind.takes(value)))
        })?;
        Some(Entry { item, index, table })
    }

    fn attributes(&self) -> impl Iterator<Item = (&str, &AttributeValue)> + Clone {
        self.item
            .0
            .iter()
            .filter(|(name, _)| self.table.index_carries(self.index, name))
            .map(|(name, value)| (name.as_str(), value))
    }

    fn size(&self, sizing: Sizing) -> ItemSize {
        sizing.of_attributes(self.attributes())
    }

    fn has_key_of(&self, other: &Entry<'_>) -> bool {
        self.index.key.names().all(|name| self.item.get(name) == other.item.get(name))
    }
}

/// What one write takes on one index: nothing where its entry stays as it is, two writes where it moves.
fn index_units(before: &Option<Entry<'_>>, after: &Option<Entry<'_>>, sizing: Sizing) -> Option<WriteUnits> {
    let units = |entry: &Entry<'_>| WriteUnits::for_size(entry.size(sizing));
    match (before, after) {
        (None, None) => None,
        (None, Some(only)) | (Some(only), None) => Some(units(only)),
        (Some(old), Some(new)) if !old.has_key_of(new) => Some(units(old) + units(new)),
        (Some(old), Some(new)) if old.attributes().eq(new.attributes()) => None,
        (Some(old), Some(new)) => Some(units(old).max(units(new))),
    }
}
