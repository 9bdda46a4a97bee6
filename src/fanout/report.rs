//! What became of a plan.

use serde::{Deserialize, Serialize};

use crate::capacity::{ReadUnits, WriteCapacity, WriteUnits};

/// What became of one change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// It was written.
    Applied,
    /// The copies already held what the source holds.
    AlreadyCurrent,
    /// The guard was refused: the item no longer holds what the plan shows.
    Conflict,
    /// The item is no longer there.
    Gone,
    /// The item now refers to another source.
    Moved,
    /// The write failed, and may or may not have been made.
    Failed,
}

/// How many changes came out how.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Outcomes {
    /// They were written.
    pub applied: u64,
    /// They already were as they should be.
    pub already_current: u64,
    /// Their guard was refused.
    pub conflict: u64,
    /// Their item was deleted.
    pub gone: u64,
    /// Their item was given to another source.
    pub moved: u64,
    /// They failed.
    pub failed: u64,
    /// The run stopped before them.
    pub not_attempted: u64,
}

impl Outcomes {
    /// Counts one.
    pub fn add(&mut self, outcome: Outcome) {
        *match outcome {
            Outcome::Applied => &mut self.applied,
            Outcome::AlreadyCurrent => &mut self.already_current,
            Outcome::Conflict => &mut self.conflict,
            Outcome::Gone => &mut self.gone,
            Outcome::Moved => &mut self.moved,
            Outcome::Failed => &mut self.failed,
        } += 1;
    }

    /// How many changes were tried.
    pub fn attempted(&self) -> u64 {
        self.applied + self.already_current + self.conflict + self.gone + self.moved + self.failed
    }
}

/// What was consumed.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Consumed {
    /// Writes, the source's own among them, as the engine told. An engine tells nothing of a refused write.
    pub write_units: WriteCapacity,
    /// What writes took whose guard was refused, at most, on the table: reckoned, not told.
    pub refused_write_units: WriteUnits,
    /// Reads.
    pub read_units: ReadUnits,
}

/// Copies that differ and were left on purpose.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Left {
    /// They hold some other value.
    pub diverged: u64,
    /// They hold nothing.
    pub absent: u64,
}

/// What became of a plan.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Report {
    /// How the changes came out, those that later passes found among them.
    pub outcomes: Outcomes,
    /// What it took.
    pub consumed: Consumed,
    /// Whether it may have taken more: a run was killed, and what it had under way is not in its ledger.
    pub consumed_at_least: bool,
    /// What was left on purpose, on the last look.
    pub left: Left,
    /// How many copies of the classes that were to be changed still differ, on the last look.
    pub still_different: u64,
    /// Whether the source still holds what the run wrote or read, and no copy of the classes that were to be
    /// changed differed on the last look.
    pub verified: bool,
    /// Whether the source no longer holds what the run wrote or read.
    pub source_moved: bool,
    /// What the copies that still differ would take, where that is more than was approved.
    pub beyond_approval: Option<WriteUnits>,
    /// Whether the run was stopped before its end.
    pub interrupted: bool,
    /// What went wrong, a sentence each: the first few.
    pub problems: Vec<String>,
}
