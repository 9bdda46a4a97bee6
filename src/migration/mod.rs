//! What a change of the definition asks of a table that has items already, and what that takes.
//!
//! ```
//! # let old = "[table]\nname = \"blog\"\npartition_key = \"PK\"\n[entities.Post]\nkeys = { PK = \"POST#{id}\" }\nattributes = { id = \"string\", author = \"string\" }\n";
//! # let new = "[table]\nname = \"blog\"\npartition_key = \"PK\"\n[indexes.GSI1]\npartition_key = \"GSI1PK\"\nprojection = \"all\"\n[entities.Post]\nkeys = { PK = \"POST#{id}\", GSI1PK = \"USER#{author}\" }\nattributes = { id = \"string\", author = \"string\" }\n";
//! use singletable::migration::{Migration, MigrationEstimate};
//! use singletable::{Item, Layout};
//! let (old, new) = (Layout::compile(old).layout.unwrap(), Layout::compile(new).layout.unwrap());
//! let migration = Migration::between(&old, &new);
//! let mut estimate = MigrationEstimate::new(&migration);
//! estimate.add(&Item::from_iter([("PK", "POST#1"), ("author", "12"), ("id", "1"), ("type", "Post")]));
//! // The item gets its new key, and the new index is filled with it.
//! assert_eq!(estimate.write_units().table.0, 1);
//! assert_eq!(estimate.write_units().indexes["GSI1"].0, 1);
//! ```
//!
//! The order that is priced is the one that takes least: indexes that are no longer wanted go first, then items are
//! rewritten, and new indexes are made last, so that each is filled once.

mod estimate;
mod hot_keys;
mod item;
mod sample;
mod sources;

pub use estimate::{MigrationEstimate, Step, StepSum};
pub use hot_keys::HotKey;
pub use item::{Becomes, ItemMigration};
pub use sample::{SamplePlan, Sampled, SampledMigration};
pub use sources::SourceValues;

use crate::layout::Layout;
use crate::model::{Entity, IndexProjection, IndexScope, KeySource, SecondaryIndex, Table};

/// The change from one definition of a table to another.
#[derive(Debug, Clone)]
pub struct Migration<'a> {
    old: &'a Layout,
    new: &'a Layout,
    /// The new table with those indexes only that stay as they are: what items are rewritten in.
    during: Table,
    created: Vec<&'a SecondaryIndex>,
    dropped: Vec<&'a SecondaryIndex>,
    anew: Option<String>,
}

impl<'a> Migration<'a> {
    /// From the definition that the table has to the one that it is to have.
    pub fn between(old: &'a Layout, new: &'a Layout) -> Self {
        let anew = why_anew(old.table(), new.table());
        let stays = |index: &&SecondaryIndex| match (old.table().index(&index.name), new.table().index(&index.name)) {
            (Some(one), Some(other)) => is_same(one, other),
            _ => false,
        };
        let (kept, created): (Vec<_>, Vec<_>) = new.table().indexes.iter().partition(stays);
        let dropped = old.table().indexes.iter().filter(|index| !stays(index)).collect();
        let during = Table { indexes: kept.into_iter().cloned().collect(), ..new.table().clone() };
        Migration { old, new, during, created, dropped, anew }
    }

    /// The definition that the table has.
    pub fn old(&self) -> &'a Layout {
        self.old
    }

    /// Why the table cannot be changed, and another one has to be made and filled; `None` where it can.
    pub fn anew(&self) -> Option<&str> {
        self.anew.as_deref()
    }

    /// Whether items get other primary keys, so that two of them may meet under one.
    fn moves(&self) -> bool {
        let key = |layout: &Layout, entity: &Entity| -> Vec<Option<KeySource>> {
            layout.table().key.names().map(|name| entity.keys.get(name).cloned()).collect()
        };
        self.anew.is_some()
            || self.new.entities().iter().any(|entity| {
                self.old.entity(&entity.name).is_none_or(|old| key(self.old, old) != key(self.new, entity))
            })
    }

    /// What else of the table is changed, by requests that take no units.
    pub fn settings(&self) -> Vec<&'static str> {
        let (old, new) = (self.old.table(), self.new.table());
        let (was, is) = (&old.settings, &new.settings);
        [
            ("the TTL attribute", old.ttl_attribute != new.ttl_attribute),
            ("the billing mode", was.billing != is.billing),
            ("the table class", was.class != is.class),
            ("the stream", was.streams != is.streams),
            ("point-in-time recovery", was.point_in_time_recovery != is.point_in_time_recovery),
            ("deletion protection", was.deletion_protection != is.deletion_protection),
            ("the tags", was.tags != is.tags),
        ]
        .into_iter()
        .filter_map(|(what, differs)| differs.then_some(what))
        .collect()
    }

    /// The indexes that are made. One whose key or projection changes is dropped and made again.
    pub fn created(&self) -> &[&'a SecondaryIndex] {
        &self.created
    }

    /// The indexes that are dropped, which is free.
    pub fn dropped(&self) -> &[&'a SecondaryIndex] {
        &self.dropped
    }
}

/// Whether two indexes are one: in which order a projection names its attributes is nothing.
fn is_same(one: &SecondaryIndex, other: &SecondaryIndex) -> bool {
    let carries = |index: &SecondaryIndex| match &index.projection {
        IndexProjection::Include(names) => IndexProjection::Include({
            let mut names = names.clone();
            names.sort();
            names
        }),
        other => other.clone(),
    };
    one.scope == other.scope && one.key == other.key && carries(one) == carries(other)
}

/// Neither a table's name, nor its key, nor its local indexes can ever be changed.
fn why_anew(old: &Table, new: &Table) -> Option<String> {
    if old.key != new.key {
        return Some("a table's key cannot be changed".to_owned());
    }
    if old.name != new.name {
        return Some(format!("a table cannot be renamed, and {} is to be {}", old.name, new.name));
    }
    let local = |table: &Table| -> Vec<SecondaryIndex> {
        table.indexes.iter().filter(|index| index.scope == IndexScope::Local).cloned().collect()
    };
    let differs =
        |index: &SecondaryIndex, other: &Table| !other.index(&index.name).is_some_and(|other| is_same(index, other));
    let changed = local(old).into_iter().find(|index| differs(index, new));
    let changed = changed.or_else(|| local(new).into_iter().find(|index| differs(index, old)));
    changed.map(|index| format!("the local index {} can be made, changed and dropped only with the table", index.name))
}
