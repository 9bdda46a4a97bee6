//! What is left of a plan that was run before.

use serde::Serialize;

use super::{Account, Plan, PlanFileError, PlanSums};
use crate::capacity::WriteCapacity;

/// What is left of a plan.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Remaining {
    /// How many of its changes did not come out, or failed.
    pub changes: u64,
    /// What they take, and the source's own update where that is left, too.
    pub write_units: WriteCapacity,
    /// The most it can take: each write is also refused once.
    pub worst_case: WriteCapacity,
}

impl Remaining {
    /// Reads a plan in order, and adds up what its ledger does not know to be done.
    ///
    /// # Errors
    /// The plan cannot be read.
    pub fn of(plan: &impl Plan, account: &Account) -> Result<Self, PlanFileError> {
        let mut sums = PlanSums::default();
        for (change, position) in plan.changes()?.zip(0..) {
            let change = change?;
            if !account.is_settled(position) {
                sums.add(&change);
            }
        }
        let mut write_units = sums.write_units;
        let mut refused = sums.refused;
        if let Some(source) = plan.header().source.change.as_ref().filter(|_| !account.is_source_written()) {
            write_units += &source.cost;
            refused += source.refused;
        }
        let mut worst_case = write_units.clone();
        worst_case.table += refused;
        Ok(Remaining { changes: sums.changes, write_units, worst_case })
    }
}
