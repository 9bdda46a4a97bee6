//! The passes after the changes: the routes are read once more, and what differs still is changed, until nothing does.
//!
//! Copies that were written while the run was under way are found so, and those that an index had not shown yet. A pass
//! changes nothing but copies of the same source that hold the same superseded values, and no more of them than was
//! approved.

use super::changes::Work;
use super::{ApplyError, Run};
use crate::capacity::{ReadUnits, WriteUnits};
use crate::client::survey::{Belief, Survey};
use crate::client::{Event, Store};
use crate::fanout::{
    Change, Class, Counts, Examiner, Finding, Intent, Ledger, Plan, PlanError, Planner, Record, Standing,
};
use crate::item::Item;

/// How many passes in a row may find differences and mend none of them.
const PASSES_WITHOUT_HEADWAY: usize = 3;
/// How many changes of one pass are held; the next pass finds those beyond.
const HELD: usize = 1_000;

/// What one pass found.
#[derive(Default)]
struct Seen {
    copies: Counts,
    changes: Vec<Change>,
}

impl<S: Store, P: Plan, L: Ledger, T: FnMut(Event)> Run<'_, S, P, L, T> {
    /// Passes over the routes, differences confirmed by a strong read and mended, until one finds nothing.
    pub(super) async fn later_passes(&mut self) -> Result<(), ApplyError> {
        let mut without_headway = 0;
        while without_headway < PASSES_WITHOUT_HEADWAY && !self.is_stopped() {
            (self.tell)(Event::Verifying);
            tokio::time::sleep(self.options.settle).await;
            let (source, read_units) = match self.read_source().await {
                Ok(read) => read,
                Err(error) => return Err(self.failed(error)),
            };
            self.note(&Record::Looked { read_units });
            let Some(source) = source.filter(|source| self.holds_truth(source)) else {
                self.found.last.source_moved = true;
                return Ok(());
            };
            let Seen { copies, changes } = self.look(source).await?;
            self.judge(&copies);
            if self.found.last.still_different == 0 {
                self.found.last.verified = true;
                return Ok(());
            }
            if !self.is_approved(&changes) {
                return Ok(());
            }
            let works = changes.into_iter().map(|change| Ok(Work { change, position: None }));
            match self.write(works).await {
                0 => without_headway += 1,
                _ => without_headway = 0,
            }
        }
        Ok(())
    }

    /// Reads all routes, and plans what they show to be different.
    async fn look(&mut self, source: Item) -> Result<Seen, ApplyError> {
        let header = self.plan.header();
        let request = &header.request;
        let Some(examiner) = Examiner::new(self.layout, request, &header.superseded, &source, self.options.now) else {
            return Err(PlanError::NoEntity(request.entity.clone()).into());
        };
        let reads = examiner.reads()?;
        let intent = Intent::of_plan(header, source.clone());
        let mut planner = Planner::new(self.layout, &intent, self.options.update_rule);
        let mut seen = Seen::default();
        let find = |finding: Finding| {
            if let Standing::Target { copies, .. } = &finding.standing {
                copies.iter().for_each(|copy| seen.copies.add(copy.class));
            }
            if seen.changes.len() < HELD {
                seen.changes.extend(planner.add(finding));
            }
            Ok(())
        };
        let (belief, concurrency) = (Belief::StrongReadOnly, self.options.concurrency);
        let survey = Survey { layout: self.layout, examiner: &examiner, reads: &reads, belief, concurrency };
        let mut consumed = ReadUnits::default();
        let count = |event| {
            if let Event::Read { units, .. } = event {
                consumed += units;
            }
            (self.tell)(event);
        };
        let surveyed = survey.run(self.store, find, count).await;
        self.note(&Record::Looked { read_units: consumed });
        match surveyed {
            Ok(_) => Ok(seen),
            Err(error) => Err(self.failed(error)),
        }
    }

    /// How many copies that were to be changed still differ, and what was left on purpose.
    fn judge(&mut self, copies: &Counts) {
        let include = &self.plan.header().request.include;
        let split = |count: u64, class: Class| if include.contains(&class) { (count, 0) } else { (0, count) };
        let (diverged_still, diverged) = split(copies.diverged, Class::Diverged);
        let (absent_still, absent) = split(copies.absent, Class::Absent);
        self.found.last.still_different = copies.stale + diverged_still + absent_still;
        self.found.last.left = crate::fanout::Left { diverged, absent };
    }

    /// Whether these changes are within what was approved, each made once.
    fn is_approved(&mut self, changes: &[Change]) -> bool {
        let writes = changes.iter().flat_map(|change| &change.writes);
        let needed: WriteUnits = writes.map(|write| write.cost.total()).sum();
        let consumed = self.ledger.account().consumed();
        let so_far = consumed.write_units.total() + consumed.refused_write_units;
        let approved = self.options.approved.unwrap_or_else(|| self.plan.totals().estimate.worst_case.total());
        let is_approved = so_far + needed <= approved;
        if !is_approved {
            self.found.last.beyond_approval = Some(needed);
        }
        is_approved
    }
}
