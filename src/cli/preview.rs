//! What is shown of a plan: all but its changes, and the first of those.

use crate::fanout::{Change, Plan, PlanFileError, PlanHeader, PlanSink, Totals};

/// How many changes are shown; the rest is counted, and stands in the plan file.
const SHOWN_CHANGES: usize = 10;

/// A plan as far as it is shown.
#[derive(Debug)]
pub(super) struct Preview {
    pub(super) header: PlanHeader,
    pub(super) totals: Totals,
    /// The first changes.
    pub(super) first: Vec<Change>,
}

impl Preview {
    /// What is shown of a plan.
    pub(super) fn of(plan: &impl Plan) -> Result<Preview, PlanFileError> {
        let first = plan.changes()?.take(SHOWN_CHANGES).collect::<Result<_, _>>()?;
        Ok(Preview { header: plan.header().clone(), totals: plan.totals().clone(), first })
    }

    /// Takes a plan that is only shown, and kept nowhere.
    pub(super) fn sink() -> PreviewSink {
        PreviewSink::default()
    }

    /// Whether it can be applied.
    pub(super) fn is_applicable(&self) -> bool {
        self.totals.blocked.is_empty()
    }

    /// Whether there is nothing to write.
    pub(super) fn is_empty(&self) -> bool {
        self.totals.changes == 0 && self.header.source.change.is_none()
    }
}

#[derive(Debug, Default)]
pub(super) struct PreviewSink {
    header: Option<PlanHeader>,
    first: Vec<Change>,
}

impl PlanSink for PreviewSink {
    type Made = Preview;

    fn begin(&mut self, header: PlanHeader) -> Result<(), PlanFileError> {
        self.header = Some(header);
        Ok(())
    }

    fn add(&mut self, change: Change) -> Result<(), PlanFileError> {
        if self.first.len() < SHOWN_CHANGES {
            self.first.push(change);
        }
        Ok(())
    }

    fn finish(self, totals: Totals) -> Result<Preview, PlanFileError> {
        let header = self.header.ok_or(PlanFileError::NotAPlan)?;
        Ok(Preview { header, totals, first: self.first })
    }
}
