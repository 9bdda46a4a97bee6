//! Runs a plan: the source first, then the changes, then the routes once more until nothing differs.
//!
//! A run reads the source before its first write and before each later look, and stops if it moved. Every outcome goes
//! into a [`Ledger`] before the next write begins, so that a run which was stopped in any way is taken up again by
//! running the same plan with the same ledger: what came out is not tried again.

use std::collections::BTreeMap;

mod changes;
mod error;
mod options;
mod passes;
mod source;

use self::changes::Work;
pub use self::error::ApplyError;
pub use self::options::ApplyOptions;
use super::{Event, Store, StoreError};
use crate::fanout::{Ledger, LedgerError, Plan, Record, Report};
use crate::layout::Layout;

/// How many problems a report spells out.
const SHOWN_PROBLEMS: usize = 10;

/// Runs a plan, or what its ledger says is left of it. A ledger that is gone with the process is
/// [`Account::default()`](crate::fanout::Account).
///
/// # Errors
/// The plan does not fit the table any more, or a request failed.
pub async fn apply<S: Store, L: Ledger>(
    store: &S,
    layout: &Layout,
    plan: &impl Plan,
    ledger: &mut L,
    options: &ApplyOptions,
    tell: impl FnMut(Event),
) -> Result<Report, ApplyError> {
    if let Some(reason) = plan.totals().blocked.first() {
        return Err(ApplyError::Blocked(reason.clone()));
    }
    if plan.header().definition != layout.fingerprint() {
        return Err(ApplyError::Definition);
    }
    // Opened before anything is written.
    let changes = plan.changes()?;
    let before = ledger.account().clone();
    let mut run = Run { store, layout, plan, ledger, options, tell, found: Found::default() };
    run.write_source().await?;
    let planned = changes
        .zip(0..)
        .filter(|(_, position)| !before.is_settled(*position))
        .map(|(change, position)| Ok(Work { change: change?, position: Some(position) }));
    run.write(planned).await;
    if !run.is_stopped() && run.outcomes().not_attempted == 0 {
        run.later_passes().await?;
    }
    run.end();
    Ok(run.report())
}

/// A run under way.
struct Run<'r, S, P, L, T> {
    store: &'r S,
    layout: &'r Layout,
    plan: &'r P,
    ledger: &'r mut L,
    options: &'r ApplyOptions,
    tell: T,
    found: Found,
}

/// What a run found out that is no outcome of a change.
#[derive(Debug, Default)]
struct Found {
    /// Of the last look.
    last: Report,
    /// The changes of the plan that were in conflict or failed, by their items' keys.
    unsettled: BTreeMap<String, u64>,
    /// Whether an error stopped it that the next request would share.
    is_halted: bool,
    /// Whether the ledger took all that was noted.
    ledger_failed: bool,
}

impl<S: Store, P: Plan, L: Ledger, T: FnMut(Event)> Run<'_, S, P, L, T> {
    /// Whether nothing more is to be begun.
    fn is_stopped(&self) -> bool {
        self.options.stop.is_cancelled() || self.found.is_halted
    }

    fn outcomes(&self) -> crate::fanout::Outcomes {
        self.ledger.account().outcomes(self.plan.totals().changes)
    }

    /// Notes something in the ledger; if that fails, the run stops before its next write.
    fn note(&mut self, record: &Record) {
        if self.found.ledger_failed {
            return;
        }
        if let Err(error) = self.ledger.note(record) {
            self.found.ledger_failed = true;
            self.found.is_halted = true;
            self.found.last.problems.insert(0, stopped_by_ledger(&error));
        }
    }

    /// Notes that the run came to its end by itself.
    fn end(&mut self) {
        let Report { verified, still_different, left, .. } = self.found.last;
        self.note(&Record::Ended { at: self.options.now, verified, still_different, left });
    }

    fn problem(&mut self, problem: String) {
        if self.found.last.problems.len() < SHOWN_PROBLEMS {
            self.found.last.problems.push(problem);
        }
    }

    /// A request failed that the run cannot do without.
    fn failed(&mut self, error: StoreError) -> ApplyError {
        self.end();
        ApplyError::Interrupted { error, report: Box::new(self.report()) }
    }

    fn report(&self) -> Report {
        let account = self.ledger.account();
        Report {
            outcomes: self.outcomes(),
            consumed: account.consumed().clone(),
            consumed_at_least: account.is_at_least(),
            interrupted: self.options.stop.is_cancelled() && !self.found.last.verified,
            ..self.found.last.clone()
        }
    }
}

fn stopped_by_ledger(error: &LedgerError) -> String {
    format!("the run stopped before its next write, because its ledger cannot be kept: {error}")
}
