//! One line of a ledger.

use serde::{Deserialize, Serialize};

use crate::capacity::{ReadUnits, WriteCapacity, WriteUnits};
use crate::fanout::{Change, Left, Outcome};

/// Something that a run did, or came to know.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Record {
    /// A run began, or was taken up again.
    Began {
        /// When, in seconds since 1970.
        at: u64,
        /// How many writes it may have under way: as many may be missing from the ledger if it is killed.
        concurrency: usize,
    },
    /// The source holds what the run is about.
    Source {
        /// What its own update took; nothing where it held all of it already.
        write_units: WriteCapacity,
        /// What reading it took.
        read_units: ReadUnits,
    },
    /// A change of the plan came out.
    Change {
        /// Its position in the plan, counted from 0: it stands in line `position + 2` of the file.
        position: u64,
        /// What became of it.
        outcome: Outcome,
        /// What its writes took.
        write_units: WriteCapacity,
        /// What they took whose guards were refused, at most.
        refused_units: WriteUnits,
        /// What it took to find out why a guard was refused.
        read_units: ReadUnits,
    },
    /// A change came out that is not in the plan: a later pass found it.
    Later {
        /// The change of the plan that it takes the place of: one to the same item, which was in conflict or failed.
        position: Option<u64>,
        /// The change.
        change: Box<Change>,
        /// What became of it.
        outcome: Outcome,
        /// What its writes took.
        write_units: WriteCapacity,
        /// What they took whose guards were refused, at most.
        refused_units: WriteUnits,
        /// What it took to find out why a guard was refused.
        read_units: ReadUnits,
    },
    /// The routes were read once more.
    Looked {
        /// What that took.
        read_units: ReadUnits,
    },
    /// The run came to an end by itself; a killed one has no such record.
    Ended {
        /// When, in seconds since 1970.
        at: u64,
        /// Whether no copy that was to be changed differed on the last look.
        verified: bool,
        /// How many still did.
        still_different: u64,
        /// What was left on purpose.
        left: Left,
    },
}
