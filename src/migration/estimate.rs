//! What a migration takes, added up item by item.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hash, Hasher};

use serde::Serialize;

use super::hot_keys::HotKeys;
use super::{Becomes, HotKey, Migration, SourceValues};
use crate::capacity::{Consistency, Pages, ReadUnits, WriteCapacity, entry_size};
use crate::item::{Item, item_size};
use crate::limits::STORAGE_OVERHEAD_BYTES;
use crate::model::Table;
use crate::value::to_plain_json;

/// How many kinds of refused values are told.
const MAX_REFUSED: usize = 20;

/// One thing that has to be done.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Step {
    /// An index is dropped.
    DropIndex(String),
    /// Items are put into another table.
    Copy(String),
    /// Items of an entity get another primary key: each is put again, and deleted.
    Move(String),
    /// Items of an entity are updated.
    Update {
        /// The entity.
        entity: String,
        /// Which of their attributes change.
        attributes: Vec<String>,
    },
    /// An index is made, and filled.
    CreateIndex(String),
}

/// What a step adds up to.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct StepSum {
    /// How many items it touches; for an index, how many are in it.
    pub items: u64,
    /// What it takes.
    pub write_units: WriteCapacity,
}

/// What a migration takes. Items are added in any order, each once; none is kept.
#[derive(Debug, Clone)]
pub struct MigrationEstimate<'a> {
    migration: &'a Migration<'a>,
    sources: SourceValues,
    items: u64,
    left: u64,
    steps: BTreeMap<Step, StepSum>,
    stuck: BTreeMap<String, u64>,
    unknown: BTreeMap<(String, String), u64>,
    refused: BTreeMap<(String, String), u64>,
    /// The digests of all primary keys afterwards, where items move.
    keys: Option<BTreeSet<u64>>,
    collisions: u64,
    hot_keys: HotKeys,
    scan: Pages,
    storage_before: u64,
    storage_after: u64,
}

impl<'a> MigrationEstimate<'a> {
    /// Of no items yet.
    pub fn new(migration: &'a Migration<'a>) -> Self {
        Self::with_sources(migration, SourceValues::default())
    }

    /// The same, where [`SourceValues::are_needed`].
    pub fn with_sources(migration: &'a Migration<'a>, sources: SourceValues) -> Self {
        let mut steps = BTreeMap::new();
        if migration.anew().is_none() {
            steps.extend(migration.dropped().iter().map(|one| (Step::DropIndex(one.name.clone()), StepSum::default())));
            steps.extend(
                migration.created().iter().map(|one| (Step::CreateIndex(one.name.clone()), StepSum::default())),
            );
        }
        MigrationEstimate {
            migration,
            sources,
            steps,
            items: 0,
            left: 0,
            stuck: BTreeMap::new(),
            unknown: BTreeMap::new(),
            refused: BTreeMap::new(),
            keys: migration.moves().then(BTreeSet::new),
            collisions: 0,
            hot_keys: HotKeys::default(),
            scan: Pages::default(),
            storage_before: 0,
            storage_after: 0,
        }
    }

    /// Adds an item.
    pub fn add(&mut self, item: &Item) {
        let migration = self.migration;
        let (old, new) = (migration.old.table(), migration.new.table());
        let becomes = migration.of_item(item, &self.sources);
        self.items += 1;
        self.scan.add(item_size(item));
        self.storage_before += stored(old, item);
        self.storage_after += stored(new, &becomes.after);
        let entity = becomes.entity.clone().unwrap_or_else(|| "items of no known entity".to_owned());
        for name in becomes.unknown {
            *self.unknown.entry((entity.clone(), name)).or_default() += 1;
        }
        for what in becomes.refused {
            // Each value may be told in other words; enough of them are enough.
            if self.refused.len() < MAX_REFUSED || self.refused.contains_key(&(entity.clone(), what.clone())) {
                *self.refused.entry((entity.clone(), what)).or_default() += 1;
            }
        }
        let stays_behind = migration.anew().is_some() && matches!(becomes.becomes, Becomes::Left | Becomes::Stuck(_));
        if let Some(keys) = self.keys.as_mut().filter(|_| !stays_behind)
            && !keys.insert(digest(&becomes.after.key(&new.key)))
        {
            self.collisions += 1;
        }
        match &becomes.becomes {
            Becomes::Left => self.left += 1,
            Becomes::Stuck(reason) => *self.stuck.entry(format!("{entity}: {reason}")).or_default() += 1,
            _ => {}
        }
        let after = &becomes.after;
        // What has no place in the new definition is put into no other table.
        if migration.anew().is_some() {
            if stays_behind {
                return;
            }
            let put = WriteCapacity::of_write(new, None, Some(after));
            self.hot_keys.add(new, after, &put);
            return self.step(Step::Copy(entity), &put);
        }
        let during = &migration.during;
        match becomes.becomes {
            Becomes::Moved => {
                let put = WriteCapacity::of_write(during, None, Some(after));
                let mut both = WriteCapacity::of_write(during, Some(item), None);
                self.hot_keys.add(during, item, &both);
                self.hot_keys.add(during, after, &put);
                both += &put;
                self.step(Step::Move(entity), &both);
            }
            Becomes::Updated(names) => {
                let update = WriteCapacity::of_write(during, Some(item), Some(after));
                self.hot_keys.add(during, after, &update);
                self.step(Step::Update { entity, attributes: names.into_iter().collect() }, &update);
            }
            Becomes::Same | Becomes::Left | Becomes::Stuck(_) => {}
        }
        for index in migration.created() {
            let filled = WriteCapacity::of_backfill(new, index, after);
            if !filled.indexes.is_empty() {
                self.hot_keys.add(new, after, &filled);
                self.step(Step::CreateIndex(index.name.clone()), &filled);
            }
        }
    }

    fn step(&mut self, step: Step, capacity: &WriteCapacity) {
        let sum = self.steps.entry(step).or_default();
        sum.items += 1;
        sum.write_units += capacity;
    }

    /// How many items were added.
    pub fn items(&self) -> u64 {
        self.items
    }

    /// How many of them are of an entity that the new definition does not know, and stay as they are.
    pub fn left(&self) -> u64 {
        self.left
    }

    /// What has to be done, in order.
    pub fn steps(&self) -> &BTreeMap<Step, StepSum> {
        &self.steps
    }

    /// Why items cannot follow, and how many: they stay as they are.
    pub fn stuck(&self) -> &BTreeMap<String, u64> {
        &self.stuck
    }

    /// The required attributes whose values nobody can tell, by entity and name, and how many items lack them.
    pub fn unknown(&self) -> &BTreeMap<(String, String), u64> {
        &self.unknown
    }

    /// The values that the new definition would refuse, by entity and what is wrong, and how many items hold them: the
    /// first kinds.
    pub fn refused(&self) -> &BTreeMap<(String, String), u64> {
        &self.refused
    }

    /// How many items would have the primary key of another one, and overwrite it.
    pub fn collisions(&self) -> u64 {
        self.collisions
    }

    /// What all writes take.
    pub fn write_units(&self) -> WriteCapacity {
        let mut total = WriteCapacity::default();
        self.steps.values().for_each(|sum| total += &sum.write_units);
        total
    }

    /// What finding the items takes: one scan, eventually consistent, where any item is written. Filling an index reads
    /// for free.
    pub fn read_units(&self) -> ReadUnits {
        let writes = |(step, sum): (&Step, &StepSum)| {
            !matches!(step, Step::DropIndex(_) | Step::CreateIndex(_)) && sum.items > 0
        };
        if self.steps.iter().any(writes) {
            self.scan.read(None, Consistency::Eventual).total()
        } else {
            ReadUnits::default()
        }
    }

    /// The partition key that takes the most.
    pub fn hottest(&self) -> Option<&HotKey> {
        self.hot_keys.hottest()
    }

    /// The bytes that storage is billed for, before and after: items and index entries, with 100 bytes for each.
    pub fn storage_bytes(&self) -> (u64, u64) {
        (self.storage_before, self.storage_after)
    }
}

fn digest(key: &Item) -> u64 {
    let mut hasher = DefaultHasher::new();
    for (name, value) in key.0.iter() {
        (name, to_plain_json(value)).hash(&mut hasher);
    }
    hasher.finish()
}

fn stored(table: &Table, item: &Item) -> u64 {
    let entries = table.indexes.iter().filter_map(|index| entry_size(table, index, item));
    entries.chain([item_size(item)]).map(|size| size.bytes() + STORAGE_OVERHEAD_BYTES).sum()
}
