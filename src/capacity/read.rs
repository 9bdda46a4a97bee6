//! What reads take.

use std::collections::BTreeMap;
use std::ops::AddAssign;

use serde::{Serialize, Serializer};

use super::{Consistency, ReadUnits};
use crate::item::ItemSize;

/// What reads take, on the table and on each index that they read.
///
/// A filter, a projection and a count save nothing: what counts is what is looked at.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ReadCapacity {
    /// On the table.
    pub table: ReadUnits,
    /// On each index; one that is not read is left out.
    pub indexes: BTreeMap<String, ReadUnits>,
}

impl ReadCapacity {
    /// Reading items by their keys, alone, in a batch or in a transaction: each is rounded by itself. One that is
    /// missing has no bytes, and takes what the smallest takes.
    pub fn of_items(sizes: impl IntoIterator<Item = ItemSize>, consistency: Consistency) -> Self {
        let table = sizes.into_iter().map(|size| ReadUnits::for_size(size, consistency)).sum();
        ReadCapacity { table, indexes: BTreeMap::new() }
    }

    /// One page of a query or a scan, of the table or of an index: what is looked at is added up, and rounded once. An
    /// empty page takes what the smallest takes.
    pub fn of_page(index: Option<&str>, looked_at: ItemSize, consistency: Consistency) -> Self {
        let units = ReadUnits::for_size(looked_at, consistency);
        match index {
            None => ReadCapacity { table: units, indexes: BTreeMap::new() },
            Some(index) => {
                ReadCapacity { table: ReadUnits::default(), indexes: BTreeMap::from([(index.to_owned(), units)]) }
            }
        }
    }

    /// The same page of a local index, when it is asked for attributes that the index does not carry: each item is
    /// fetched from the table, and rounded by itself. A global index cannot do so.
    /// Source: *Local secondary indexes, read capacity units* in the developer guide.
    pub fn with_fetches(mut self, sizes: impl IntoIterator<Item = ItemSize>, consistency: Consistency) -> Self {
        self.table += Self::of_items(sizes, consistency).table;
        self
    }

    /// Asking again for a transaction that was made already, with the token of the first: in read units, for each
    /// action, twice what the larger of its two images takes in started 4 KB.
    pub fn of_replayed_transaction(images: impl IntoIterator<Item = ItemSize>) -> Self {
        Self::of_items(images, Consistency::Transactional)
    }

    /// Table and indexes together.
    pub fn total(&self) -> ReadUnits {
        self.table + self.indexes.values().copied().sum()
    }
}

impl AddAssign<&ReadCapacity> for ReadCapacity {
    fn add_assign(&mut self, other: &ReadCapacity) {
        self.table += other.table;
        for (index, units) in &other.indexes {
            *self.indexes.entry(index.clone()).or_default() += *units;
        }
    }
}

impl Serialize for ReadCapacity {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Shown<'a> {
            table: ReadUnits,
            indexes: &'a BTreeMap<String, ReadUnits>,
            total: ReadUnits,
        }
        Shown { table: self.table, indexes: &self.indexes, total: self.total() }.serialize(serializer)
    }
}
