//! Runs a plan with its ledger, until its end or Ctrl-C, and asks where more turns up than was approved.

use tokio_util::sync::CancellationToken;

use super::now;
use crate::capacity::WriteUnits;
use crate::cli::connection::Session;
use crate::cli::failure::Failure;
use crate::cli::progress::Progress;
use crate::cli::stop::stoppable;
use crate::cli::{ExitStatus, output};
use crate::client::{ApplyError, ApplyOptions, apply};
use crate::fanout::{Ledger, Plan, Report};
use crate::layout::Layout;

/// What somebody said yes to.
#[derive(Debug, Clone, Copy)]
pub(super) struct Approval {
    /// The most write units that the run may take; `None` for the worst case that its plan states.
    pub(super) write_units: Option<WriteUnits>,
    /// Whether more may be asked for.
    pub(super) may_ask: bool,
}

/// Runs a plan, or what its ledger says is left of it. `again` is the command that takes it up after it was stopped.
pub(super) async fn carry_out(
    session: &Session,
    layout: &Layout,
    plan: &impl Plan,
    ledger: &mut impl Ledger,
    mut approval: Approval,
    again: &str,
) -> Result<Report, Failure> {
    loop {
        let report = once(session, layout, plan, ledger, approval, again).await?;
        let Some(needed) = report.beyond_approval.filter(|_| approval.may_ask) else { return Ok(report) };
        let question = format!(
            "{} copies differ that the plan did not know of: change them, too, for at most {needed} write units more?",
            report.still_different
        );
        if !output::confirm(&question)? {
            return Ok(report);
        }
        let consumed = ledger.account().consumed();
        approval.write_units = Some(consumed.write_units.total() + consumed.refused_write_units + needed);
    }
}

async fn once(
    session: &Session,
    layout: &Layout,
    plan: &impl Plan,
    ledger: &mut impl Ledger,
    approval: Approval,
    again: &str,
) -> Result<Report, Failure> {
    let left = ledger.account().outcomes(plan.totals().changes);
    let progress = Progress::towards(left.not_attempted + left.failed, "writing");
    let stop = CancellationToken::new();
    let options = ApplyOptions {
        settle: session.settle,
        now: now(),
        update_rule: session.update_rule(),
        approved: approval.write_units,
        stop: stop.clone(),
        ..ApplyOptions::default()
    };
    let work = async { Ok(apply(&session.store, layout, plan, ledger, &options, |event| progress.tell(event)).await) };
    let applied = stoppable(&stop, again, work).await;
    progress.finish();
    match applied? {
        Ok(report) => Ok(report),
        Err(ApplyError::Interrupted { error, mut report }) => {
            report.problems.push(error.to_string());
            Ok(*report)
        }
        Err(ApplyError::Store(error)) => Err(error.into()),
        Err(other) => Err(Failure::new(other.to_string())),
    }
}

/// The exit code of a run.
pub(super) fn status(report: &Report) -> ExitStatus {
    match report {
        report if report.interrupted => ExitStatus::Interrupted,
        report if report.outcomes.failed > 0 => ExitStatus::Failed,
        report if report.outcomes.conflict > 0 => ExitStatus::Conflict,
        report if !report.verified => ExitStatus::Failed,
        _ => ExitStatus::Done,
    }
}
