//! Which partition takes the most, since one partition takes only so much in a second.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use serde::Serialize;

use crate::capacity::{WriteCapacity, WriteUnits};
use crate::item::Item;
use crate::limits::MAX_PARTITION_WRITE_UNITS;
use crate::model::{KeySchema, Table};
use crate::value::to_plain_json;

/// The partition key that takes the most write units.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct HotKey {
    /// The index; `None` for the table.
    pub index: Option<String>,
    /// The partition key's values.
    pub key: String,
    /// What it takes.
    pub write_units: WriteUnits,
}

impl HotKey {
    /// How long it takes at least, however much the table has: a partition takes 1,000 write units a second.
    pub fn seconds(&self) -> u64 {
        self.write_units.0.div_ceil(MAX_PARTITION_WRITE_UNITS)
    }
}

/// What each partition key takes. It keeps a digest and a sum for each, and the text of the hottest alone.
#[derive(Debug, Clone, Default)]
pub(super) struct HotKeys {
    units: BTreeMap<(String, u64), u64>,
    hottest: Option<HotKey>,
}

impl HotKeys {
    /// Adds a write to an item, or to the item that is at the place of another.
    pub(super) fn add(&mut self, table: &Table, item: &Item, capacity: &WriteCapacity) {
        self.add_one(None, &table.key, item, capacity.table);
        for (name, units) in &capacity.indexes {
            if let Some(index) = table.index(name) {
                self.add_one(Some(name), &index.key, item, *units);
            }
        }
    }

    pub(super) fn hottest(&self) -> Option<&HotKey> {
        self.hottest.as_ref()
    }

    fn add_one(&mut self, index: Option<&String>, schema: &KeySchema, item: &Item, units: WriteUnits) {
        let values: Option<Vec<String>> =
            schema.partition.iter().map(|key| Some(to_plain_json(item.get(&key.name)?))).collect();
        let Some(values) = values.filter(|_| units.0 > 0) else { return };
        let key = values.join(" and ");
        let mut hasher = DefaultHasher::new();
        key.hash(&mut hasher);
        let sum = self.units.entry((index.cloned().unwrap_or_default(), hasher.finish())).or_default();
        *sum += units.0;
        if self.hottest.as_ref().is_none_or(|hottest| hottest.write_units.0 < *sum) {
            self.hottest = Some(HotKey { index: index.cloned(), key, write_units: WriteUnits(*sum) });
        }
    }
}
