//! What reading and writing consumes, in capacity units.
//!
//! Sources: *Read and write operations* and *Global secondary indexes, throughput considerations* in the
//! developer guide. What the guide leaves open follows captures that others took on AWS.

use std::collections::BTreeMap;
use std::fmt;
use std::iter::Sum;
use std::ops::{Add, AddAssign};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::item::{Item, ItemSize, attributes_size, disputed_numbers, item_size};
use crate::model::{SecondaryIndex, Table};

/// Write capacity units, which are also write request units.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct WriteUnits(pub u64);

/// Read capacity units, counted in halves: an eventually consistent read of 4 KB takes half a unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct ReadUnits {
    halves: u64,
}

impl WriteUnits {
    /// What writing so many bytes takes: one unit for each started KB, and one at least.
    pub const fn for_size(size: ItemSize) -> Self {
        WriteUnits(if size.bytes() == 0 { 1 } else { size.bytes().div_ceil(1024) })
    }
}

impl ReadUnits {
    /// So many halves of a unit.
    pub const fn from_halves(halves: u64) -> Self {
        ReadUnits { halves }
    }

    /// In halves of a unit.
    pub const fn halves(self) -> u64 {
        self.halves
    }

    /// What a strongly consistent read of so many bytes takes: one unit for each started 4 KB, and one at least.
    pub const fn strong(size: ItemSize) -> Self {
        ReadUnits { halves: 2 * if size.bytes() == 0 { 1 } else { size.bytes().div_ceil(4096) } }
    }
}

impl fmt::Display for WriteUnits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Display for ReadUnits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = format!("{}{}", self.halves / 2, if self.halves % 2 == 1 { ".5" } else { "" });
        f.pad_integral(true, "", &text)
    }
}

impl Serialize for ReadUnits {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.halves % 2 {
            0 => serializer.serialize_u64(self.halves / 2),
            _ => serde_json::value::RawValue::from_string(self.to_string())
                .map_err(serde::ser::Error::custom)?
                .serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for ReadUnits {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = Box::<serde_json::value::RawValue>::deserialize(deserializer)?;
        let (whole, half) = match text.get().split_once('.') {
            None => (text.get(), 0),
            Some((whole, "0")) => (whole, 0),
            Some((whole, "5")) => (whole, 1),
            Some(_) => return Err(serde::de::Error::custom("read units count in halves")),
        };
        let whole: u64 = whole.parse().map_err(serde::de::Error::custom)?;
        Ok(ReadUnits { halves: whole.saturating_mul(2).saturating_add(half) })
    }
}

impl Add for WriteUnits {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        WriteUnits(self.0 + other.0)
    }
}

impl AddAssign for WriteUnits {
    fn add_assign(&mut self, other: Self) {
        self.0 += other.0;
    }
}

impl Sum for WriteUnits {
    fn sum<I: Iterator<Item = Self>>(units: I) -> Self {
        units.fold(WriteUnits(0), Add::add)
    }
}

impl Add for ReadUnits {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        ReadUnits { halves: self.halves + other.halves }
    }
}

impl AddAssign for ReadUnits {
    fn add_assign(&mut self, other: Self) {
        self.halves += other.halves;
    }
}

impl Sum for ReadUnits {
    fn sum<I: Iterator<Item = Self>>(units: I) -> Self {
        units.fold(ReadUnits::default(), Add::add)
    }
}

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
    /// no part of a transaction.
    pub fn of_write(table: &Table, before: Option<&Item>, after: Option<&Item>) -> Self {
        let size = |item: Option<&Item>| item.map(item_size).unwrap_or_default();
        let on_index = |index: &SecondaryIndex| {
            Some((index.name.clone(), index_units(&Entry::of(table, index, before), &Entry::of(table, index, after))?))
        };
        WriteCapacity {
            table: WriteUnits::for_size(size(before).max(size(after))),
            indexes: table.indexes.iter().filter_map(on_index).collect(),
        }
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

/// Whether the units of a write are certain: false where a number whose size is disputed could tip the
/// table or an index over a KB.
pub fn is_exact(table: &Table, before: Option<&Item>, after: Option<&Item>) -> bool {
    let certain = |size: ItemSize, doubt: u64| {
        let low = ItemSize::from_bytes(size.bytes().saturating_sub(doubt));
        let high = ItemSize::from_bytes(size.bytes() + doubt);
        WriteUnits::for_size(low) == WriteUnits::for_size(high)
    };
    [before, after].into_iter().flatten().all(|item| {
        let doubt = disputed_numbers(item);
        doubt == 0
            || (certain(item_size(item), doubt)
                && table
                    .indexes
                    .iter()
                    .filter_map(|index| Entry::of(table, index, Some(item)))
                    .all(|entry| certain(entry.size(), doubt)))
    })
}

/// What an index holds of one item.
struct Entry<'a> {
    item: &'a Item,
    index: &'a SecondaryIndex,
    table: &'a Table,
}

impl<'a> Entry<'a> {
    /// The entry, where the item has all of the index's key attributes.
    fn of(table: &'a Table, index: &'a SecondaryIndex, item: Option<&'a Item>) -> Option<Self> {
        let item = item.filter(|item| index.key.names().all(|name| item.get(name).is_some()))?;
        Some(Entry { item, index, table })
    }

    fn attributes(&self) -> impl Iterator<Item = (&str, &crate::value::AttributeValue)> {
        self.item
            .0
            .iter()
            .filter(|(name, _)| self.table.index_carries(self.index, name))
            .map(|(name, value)| (name.as_str(), value))
    }

    fn size(&self) -> ItemSize {
        attributes_size(self.attributes())
    }

    fn has_key_of(&self, other: &Entry<'_>) -> bool {
        self.index.key.names().all(|name| self.item.get(name) == other.item.get(name))
    }
}

/// What one write takes on one index: nothing where its entry stays as it is, two writes where it moves.
fn index_units(before: &Option<Entry<'_>>, after: &Option<Entry<'_>>) -> Option<WriteUnits> {
    let units = |entry: &Entry<'_>| WriteUnits::for_size(entry.size());
    match (before, after) {
        (None, None) => None,
        (None, Some(only)) | (Some(only), None) => Some(units(only)),
        (Some(old), Some(new)) if !old.has_key_of(new) => Some(units(old) + units(new)),
        (Some(old), Some(new)) if old.attributes().eq(new.attributes()) => None,
        (Some(old), Some(new)) => Some(units(old).max(units(new))),
    }
}
