//! A plan: everything that will be written, as data.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{Change, Counts, Estimate, PlanFileError, Request, SourceChange, Superseded};
use crate::item::Item;
use crate::model::AttributePath;
use crate::value::AttributeValue;

/// Everything that a fan-out will write, and what it takes. Its changes are read in order, as often as wanted, and
/// never need to be in memory together.
pub trait Plan {
    /// What it was made for.
    fn header(&self) -> &PlanHeader;

    /// The counts, the estimate, and what stands in the way.
    fn totals(&self) -> &Totals;

    /// The writes to the targets, in order.
    ///
    /// # Errors
    /// The plan's file cannot be read; a change that is no longer what was written comes as an error in its place.
    fn changes(&self) -> Result<impl Iterator<Item = Result<Change, PlanFileError>> + Send, PlanFileError>;

    /// Whether it can be applied.
    fn is_applicable(&self) -> bool {
        self.totals().blocked.is_empty()
    }

    /// Whether there is nothing to write.
    fn is_empty(&self) -> bool {
        self.totals().changes == 0 && self.header().source.change.is_none()
    }
}

/// Where a plan goes while it is made.
pub trait PlanSink {
    /// What has become of it in the end: mostly a [`Plan`].
    type Made;

    /// Takes what the plan is made for; it comes first, and once.
    ///
    /// # Errors
    /// It cannot be kept.
    fn begin(&mut self, header: PlanHeader) -> Result<(), PlanFileError>;

    /// Takes the next change.
    ///
    /// # Errors
    /// It cannot be kept.
    fn add(&mut self, change: Change) -> Result<(), PlanFileError>;

    /// Takes what all of it adds up to.
    ///
    /// # Errors
    /// It cannot be kept.
    fn finish(self, totals: Totals) -> Result<Self::Made, PlanFileError>;
}

/// What a plan was made for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlanHeader {
    /// The definition's fingerprint.
    pub definition: String,
    /// The table.
    pub table: TableIdentity,
    /// What was asked.
    pub request: Request,
    /// The source as it was read, and as it is to be.
    pub source: PlanSource,
    /// Which values of copies are stale.
    pub superseded: Superseded,
}

/// Tells one table from every other.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TableIdentity {
    /// Its name.
    pub name: String,
    /// Its ARN, where the engine has one.
    pub arn: Option<String>,
    /// Its id, which a table made anew under the same name does not share; where the engine has one.
    pub id: Option<String>,
    /// Where it is reached.
    pub endpoint: String,
}

/// The source of a plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlanSource {
    /// The attributes that are set or that copies are taken from, before and after.
    pub attributes: Vec<AttributeChange>,
    /// Its own update; `None` when it already holds what was asked.
    pub change: Option<SourceChange>,
}

/// A value of the source, before and after.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AttributeChange {
    /// Where it stands.
    pub path: AttributePath,
    /// What it was when the plan was made.
    pub was: Option<AttributeValue>,
    /// What it is to be.
    pub now: Option<AttributeValue>,
}

/// What a plan adds up to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Totals {
    /// How many writes to targets there are.
    pub changes: u64,
    /// How many of them are to items of each entity.
    pub changes_of: BTreeMap<String, u64>,
    /// The items.
    pub targets: Counts,
    /// The copied values.
    pub copies: Counts,
    /// The first of the items that are only counted.
    pub listed: Listed,
    /// What it takes.
    pub estimate: Estimate,
    /// What makes the plan impossible to apply, a sentence each: the first of each kind.
    pub blocked: Vec<String>,
    /// How many more there are.
    pub blocked_more: u64,
}

/// How many keys of each kind are listed.
const MAX_LISTED: usize = 20;

/// The primary keys of items that are counted and never changed: the first of each kind.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Listed {
    /// Items of no known entity.
    pub unrecognised: Vec<Item>,
    /// Items filed under a source that they do not refer to.
    pub misfiled: Vec<Item>,
    /// Items whose time to live is over.
    pub expired: Vec<Item>,
    /// How many more there are, of all kinds.
    pub more: u64,
}

impl Listed {
    /// Lists a key, or counts it where enough of its kind are listed.
    pub(super) fn add(&mut self, kind: fn(&mut Listed) -> &mut Vec<Item>, key: Item) {
        match kind(self) {
            full if full.len() >= MAX_LISTED => self.more += 1,
            keys => keys.push(key),
        }
    }
}
