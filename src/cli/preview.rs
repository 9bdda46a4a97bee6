//! What is shown of a plan: all but its changes, and the first of those.

use std::collections::BTreeMap;

use crate::cost::Tariff;
use crate::fanout::{Change, Plan, PlanFileError, PlanHeader, PlanSink, Totals};

/// How many changes of each entity can be shown; the rest is counted, and stands in the plan file.
const KEPT: usize = 20;
/// How far a plan file is read for them: an entity whose changes all come later is only counted.
const READ_AHEAD: usize = 10_000;

/// A plan as far as it is shown.
#[derive(Debug)]
pub(super) struct Preview {
    pub(super) header: PlanHeader,
    pub(super) totals: Totals,
    /// The first changes of each entity.
    pub(super) first: First,
    /// How the table is billed.
    pub(super) tariff: Tariff,
    /// What is not in the figures, a sentence each.
    pub(super) left_out: Vec<String>,
}

/// The first changes of each entity.
pub(super) type First = BTreeMap<String, Vec<Change>>;

fn keep(first: &mut First, change: Change) {
    let kept = first.entry(change.entity.clone()).or_default();
    if kept.len() < KEPT {
        kept.push(change);
    }
}

impl Preview {
    /// What is shown of a plan.
    pub(super) fn of(plan: &impl Plan) -> Result<Preview, PlanFileError> {
        let mut first = First::new();
        let has_enough = |first: &First| {
            plan.totals().changes_of.keys().all(|one| first.get(one).is_some_and(|of| of.len() == KEPT))
        };
        for change in plan.changes()?.take(READ_AHEAD) {
            keep(&mut first, change?);
            if has_enough(&first) {
                break;
            }
        }
        Ok(Preview {
            header: plan.header().clone(),
            totals: plan.totals().clone(),
            first,
            tariff: Tariff::Unbilled,
            left_out: Vec::new(),
        })
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
    first: First,
}

impl PlanSink for PreviewSink {
    type Made = Preview;

    fn begin(&mut self, header: PlanHeader) -> Result<(), PlanFileError> {
        self.header = Some(header);
        Ok(())
    }

    fn add(&mut self, change: Change) -> Result<(), PlanFileError> {
        keep(&mut self.first, change);
        Ok(())
    }

    fn finish(self, totals: Totals) -> Result<Preview, PlanFileError> {
        let header = self.header.ok_or(PlanFileError::NotAPlan)?;
        Ok(Preview { header, totals, first: self.first, tariff: Tariff::Unbilled, left_out: Vec::new() })
    }
}
