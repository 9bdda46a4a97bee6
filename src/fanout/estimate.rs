//! What a plan takes, before it starts.

use serde::{Deserialize, Serialize};

use super::{Change, SourceChange};
use crate::capacity::{ReadUnits, WriteCapacity};

/// What a plan takes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Estimate {
    /// Whether the write units are certain, as long as nothing changes in between. They are not where a number
    /// whose size is disputed could tip an item over a KB: then they may be one lower or higher for such an item.
    pub exact: bool,
    /// The changes of the copies.
    pub write_units: WriteCapacity,
    /// The source's own update.
    pub source_write_units: WriteCapacity,
    /// The most it can take: every write is made, and each is also refused once more, because its answer was
    /// lost or the run was started again.
    pub worst_case: WriteCapacity,
    /// What reading takes.
    pub read_units: ReadEstimate,
}

/// What reading takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ReadEstimate {
    /// What making the plan took.
    pub planning: ReadUnits,
    /// What applying it will take: the source twice, the routes once more, and what is left over.
    pub apply: ReadUnits,
}

impl Estimate {
    /// Adds up a plan's writes.
    pub(super) fn of(changes: &[Change], source: Option<&SourceChange>, exact: bool, read_units: ReadEstimate) -> Self {
        let mut write_units = WriteCapacity::default();
        let mut worst_case = WriteCapacity::default();
        for change in changes {
            write_units += &change.cost();
            worst_case.table += change.refused();
        }
        worst_case += &write_units;
        let source_write_units = source.map(|source| source.cost.clone()).unwrap_or_default();
        worst_case += &source_write_units;
        worst_case.table += source.map(|source| source.refused).unwrap_or_default();
        Estimate { exact, write_units, source_write_units, worst_case, read_units }
    }
}
