//! What a plan takes, before it starts.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{Change, SourceChange, Totals};
use crate::capacity::{ReadUnits, WriteCapacity, WriteRange, WriteUnits};

/// What a plan takes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Estimate {
    /// Whether the write units are certain, as long as nothing changes in between. They are not where a number
    /// whose size is disputed could tip an item over a KB.
    pub exact: bool,
    /// The least that all writes together take.
    pub least: WriteUnits,
    /// The most that all writes together take, each made once.
    pub most: WriteUnits,
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

/// What the changes of a plan add up to, one after the other.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PlanSums {
    /// How many there are.
    pub changes: u64,
    /// How many there are of each entity.
    pub changes_of: BTreeMap<String, u64>,
    /// What they take.
    pub write_units: WriteCapacity,
    /// What they take when every guard is refused.
    pub refused: WriteUnits,
}

impl PlanSums {
    /// Adds a change.
    pub fn add(&mut self, change: &Change) {
        self.changes += 1;
        match self.changes_of.get_mut(&change.entity) {
            Some(count) => *count += 1,
            None => drop(self.changes_of.insert(change.entity.clone(), 1)),
        }
        for write in &change.writes {
            self.write_units += &write.cost;
            self.refused += write.refused;
        }
    }

    /// Whether a plan's totals say the same.
    pub fn agree_with(&self, totals: &Totals) -> bool {
        totals.changes == self.changes
            && totals.changes_of == self.changes_of
            && totals.estimate.write_units == self.write_units
    }
}

impl Estimate {
    /// Of a plan's writes.
    pub(super) fn of(
        sums: &PlanSums,
        source: Option<&SourceChange>,
        range: &WriteRange,
        read_units: ReadEstimate,
    ) -> Self {
        let mut worst_case = sums.write_units.clone();
        worst_case.table += sums.refused;
        let source_write_units = source.map(|source| source.cost.clone()).unwrap_or_default();
        worst_case += &source_write_units;
        worst_case.table += source.map(|source| source.refused).unwrap_or_default();
        // Doubt about a number is doubt about the worst case, too.
        let most = range.most.total();
        let together = sums.write_units.total() + source_write_units.total();
        worst_case.table += WriteUnits(most.0.saturating_sub(together.0));
        Estimate {
            exact: range.is_exact(),
            least: range.least.total(),
            most,
            write_units: sums.write_units.clone(),
            source_write_units,
            worst_case,
            read_units,
        }
    }
}
