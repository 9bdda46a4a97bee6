//! A plan: everything that will be written, as data.

use serde::{Deserialize, Serialize};

use super::{Change, Counts, Estimate, Request, SourceChange, Superseded};
use crate::item::Item;
use crate::model::AttributePath;
use crate::value::AttributeValue;

/// Everything that a fan-out will write, and what it takes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// What it was made for.
    pub header: PlanHeader,
    /// The writes to the targets.
    pub changes: Vec<Change>,
    /// The counts, the estimate, and what stands in the way.
    pub totals: Totals,
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
    /// The items.
    pub targets: Counts,
    /// The copied values.
    pub copies: Counts,
    /// The items that are only counted.
    pub listed: Listed,
    /// What it takes.
    pub estimate: Estimate,
    /// What makes the plan impossible to apply, a sentence each.
    pub blocked: Vec<String>,
}

/// The primary keys of items that are counted and never changed.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Listed {
    /// Items of no known entity.
    pub unrecognised: Vec<Item>,
    /// Items filed under a source that they do not refer to.
    pub misfiled: Vec<Item>,
    /// Items whose time to live is over.
    pub expired: Vec<Item>,
}

impl Plan {
    /// Whether it can be applied.
    pub fn is_applicable(&self) -> bool {
        self.totals.blocked.is_empty()
    }

    /// Whether there is nothing to write.
    pub fn is_empty(&self) -> bool {
        self.changes.is_empty() && self.header.source.change.is_none()
    }
}
