//! Runs a plan: the source first, then the changes, then one more look.

use std::time::Duration;

use futures_util::StreamExt;
use futures_util::stream;
use tokio_util::sync::CancellationToken;

use super::survey::{Belief, Survey};
use super::{CONCURRENCY, Event, Store, StoreError, Write, WriteError};
use crate::capacity::{ReadUnits, WriteCapacity};
use crate::fanout::{
    Change, Class, Counts, Examiner, Left, Outcome, Plan, PlanError, PlanFileError, Report, SourceChange, Standing,
};
use crate::item::{Item, attributes_of};
use crate::layout::Layout;

/// How many problems a report spells out.
const SHOWN_PROBLEMS: usize = 10;
/// How often the last look is repeated while it finds something.
const LAST_LOOKS: usize = 3;

/// How a plan is run.
#[derive(Debug, Clone)]
pub struct ApplyOptions {
    /// How many requests are under way at once.
    pub concurrency: usize,
    /// How long an index may lag: the wait before the last look.
    pub settle: Duration,
    /// Seconds since 1970: items whose time to live is before it are expired.
    pub now: u64,
    /// Stops the run cleanly: what is under way is finished, and nothing else is begun.
    pub stop: CancellationToken,
}

impl Default for ApplyOptions {
    fn default() -> Self {
        ApplyOptions {
            concurrency: CONCURRENCY,
            settle: Duration::from_secs(2),
            now: 0,
            stop: CancellationToken::new(),
        }
    }
}

/// Why a plan was not run, or not to its end. Nothing of it was written, save where `Interrupted` has a report.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ApplyError {
    /// The plan says itself that it cannot be applied.
    #[error("the plan cannot be applied: {0}")]
    Blocked(String),
    /// The plan was made with another definition.
    #[error("the plan was made with another definition: make it again")]
    Definition,
    /// The plan's source is no longer there.
    #[error("the source is no longer there: nothing was written")]
    NoSource,
    /// The source holds neither what it held when the plan was made nor what it is to hold.
    #[error("the source has changed since the plan was made: nothing was written; make the plan again")]
    SourceMoved,
    /// The routes cannot be followed.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// The plan's file cannot be read any more.
    #[error("the plan cannot be read: {0}")]
    File(#[from] PlanFileError),
    /// A request failed before anything was written.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A request failed after something was written.
    #[error("{error}")]
    Interrupted {
        /// What failed.
        error: StoreError,
        /// What was done until then.
        report: Box<Report>,
    },
}

/// Runs a plan.
///
/// # Errors
/// The plan does not fit the table any more, or a request failed.
pub async fn apply<S: Store>(
    store: &S,
    layout: &Layout,
    plan: &impl Plan,
    options: &ApplyOptions,
    mut tell: impl FnMut(Event),
) -> Result<Report, ApplyError> {
    if let Some(reason) = plan.totals().blocked.first() {
        return Err(ApplyError::Blocked(reason.clone()));
    }
    if plan.header().definition != layout.fingerprint() {
        return Err(ApplyError::Definition);
    }
    // Opened before anything is written.
    let changes = plan.changes()?;
    let mut report = Report::default();
    write_source(store, layout, plan, &mut report, &mut tell).await?;
    write_changes(store, plan.totals().changes, changes, options, &mut report, &mut tell).await;
    if report.interrupted || report.outcomes.not_attempted > 0 {
        return Ok(report);
    }
    tell(Event::Verifying);
    match verify(store, layout, plan, options, &mut report, &mut tell).await {
        Ok(()) => Ok(report),
        Err(ApplyError::Store(error)) => Err(ApplyError::Interrupted { error, report: Box::new(report) }),
        Err(error) => Err(error),
    }
}

/// Reads the source again, and brings it to what the plan says, if it still is what the plan was made for.
async fn write_source<S: Store>(
    store: &S,
    layout: &Layout,
    plan: &impl Plan,
    report: &mut Report,
    tell: &mut impl FnMut(Event),
) -> Result<(), ApplyError> {
    let source = read_source(store, plan, report).await?.ok_or(ApplyError::NoSource)?;
    if holds_truth(&source, plan, layout) {
        tell(Event::SourceWritten);
        return Ok(());
    }
    let change = plan.header().source.change.as_ref().ok_or(ApplyError::SourceMoved)?;
    match store.write(Write::Update(&change.update)).await {
        Ok(written) => report.consumed.write_units += &written.consumed,
        // Another run of the same plan may have come first, or the answer to our own first try was lost.
        Err(WriteError::Refused { item, consumed }) => {
            report.consumed.read_units += consumed;
            if !item.is_some_and(|item| holds_truth(&item, plan, layout)) {
                return Err(ApplyError::SourceMoved);
            }
        }
        Err(WriteError::Failed(error)) => return Err(error.into()),
    }
    tell(Event::SourceWritten);
    Ok(())
}

async fn read_source<S: Store>(store: &S, plan: &impl Plan, report: &mut Report) -> Result<Option<Item>, StoreError> {
    let fetched = store.fetch(std::slice::from_ref(&plan.header().request.key)).await?;
    report.consumed.read_units += fetched.consumed;
    Ok(fetched.items.into_iter().next())
}

/// Whether the source holds every value that the plan sets or copies.
fn holds_truth(source: &Item, plan: &impl Plan, layout: &Layout) -> bool {
    let Some(entity) = layout.entity(&plan.header().request.entity) else { return false };
    let attributes = attributes_of(source, entity, layout.table());
    let sets = |change: &SourceChange| change.update.set.iter().all(|(path, value)| path.get(&source.0) == Some(value));
    plan.header().source.change.as_ref().is_none_or(sets)
        && plan.header().source.attributes.iter().all(|one| one.path.get(&attributes) == one.now.as_ref())
}

/// Writes the changes in the plan's order, several at once. One that cannot be read stops the run.
async fn write_changes<S: Store>(
    store: &S,
    total: u64,
    changes: impl Iterator<Item = Result<Change, PlanFileError>>,
    options: &ApplyOptions,
    report: &mut Report,
    tell: &mut impl FnMut(Event),
) {
    // A failure that the next request would share stops the run as Ctrl-C does.
    let halt = CancellationToken::new();
    let is_halted = || options.stop.is_cancelled() || halt.is_cancelled();
    let mut answers = stream::iter(changes.take_while(|_| !is_halted()))
        .map(|change| async move {
            let change = change?;
            let written = write_change(store, &change).await;
            Ok::<_, PlanFileError>((change, written))
        })
        .buffer_unordered(options.concurrency.max(1));
    while let Some(answer) = answers.next().await {
        let (change, written) = match answer {
            Ok(answer) => answer,
            Err(error) => {
                halt.cancel();
                report.problems.push(format!("the plan cannot be read on: {error}"));
                continue;
            }
        };
        report.consumed.write_units += &written.write_units;
        report.consumed.read_units += written.read_units;
        if let Some(error) = written.error {
            if error.is_fatal() {
                halt.cancel();
            }
            note(report, &change, &error.to_string());
        }
        if written.outcome == Outcome::Conflict {
            note(report, &change, "it no longer holds what the plan shows");
        }
        report.outcomes.add(written.outcome);
        tell(Event::Changed(written.outcome));
    }
    report.outcomes.not_attempted = total.saturating_sub(report.outcomes.attempted());
    report.interrupted = options.stop.is_cancelled();
}

/// What became of one change.
struct ChangeWritten {
    outcome: Outcome,
    write_units: WriteCapacity,
    read_units: ReadUnits,
    error: Option<StoreError>,
}

/// Makes the writes of one change, one after the other, until one is refused or fails.
async fn write_change<S: Store>(store: &S, change: &Change) -> ChangeWritten {
    let mut all = ChangeWritten {
        outcome: Outcome::AlreadyCurrent,
        write_units: WriteCapacity::default(),
        read_units: ReadUnits::default(),
        error: None,
    };
    for write in &change.writes {
        match store.write(Write::Update(&write.update)).await {
            Ok(written) => {
                all.write_units += &written.consumed;
                all.outcome = Outcome::Applied;
            }
            Err(WriteError::Refused { item, consumed }) => {
                all.read_units += consumed;
                match write.classify_refusal(item.as_ref().map(|item| &item.0)) {
                    // Our own earlier try made this one; the next may still be to do.
                    Outcome::AlreadyCurrent => {}
                    refused => {
                        all.outcome = refused;
                        return all;
                    }
                }
            }
            Err(WriteError::Failed(error)) => {
                all.outcome = Outcome::Failed;
                all.error = Some(error);
                return all;
            }
        }
    }
    all
}

fn note(report: &mut Report, change: &Change, problem: &str) {
    if report.problems.len() < SHOWN_PROBLEMS {
        let key = serde_json::to_string(&change.key).expect("a key always serialises");
        report.problems.push(format!("{} {key}: {problem}", change.entity));
    }
}

/// One more pass over the routes, differences confirmed by a strong read, and the source once more.
async fn verify<S: Store>(
    store: &S,
    layout: &Layout,
    plan: &impl Plan,
    options: &ApplyOptions,
    report: &mut Report,
    tell: &mut impl FnMut(Event),
) -> Result<(), ApplyError> {
    let request = &plan.header().request;
    for look in 1..=LAST_LOOKS {
        tokio::time::sleep(options.settle).await;
        let Some(source) = read_source(store, plan, report).await? else { return Ok(()) };
        let Some(examiner) = Examiner::new(layout, request, &plan.header().superseded, &source, options.now) else {
            return Err(PlanError::NoEntity(request.entity.clone()).into());
        };
        let mut copies = Counts::default();
        let count = |finding: crate::fanout::Finding| {
            if let Standing::Target { copies: states, .. } = finding.standing {
                states.iter().for_each(|copy| copies.add(copy.class));
            }
            Ok::<_, ApplyError>(())
        };
        let reads = examiner.reads()?;
        let (belief, concurrency) = (Belief::StrongReadOnly, options.concurrency);
        let survey = Survey { layout, examiner: &examiner, reads: &reads, belief, concurrency };
        let consumed = survey.run(store, count, &mut *tell).await?;
        report.consumed.read_units += consumed.routes + consumed.items;
        let (still_different, left) =
            judge(&copies, request.include.contains(&Class::Diverged), request.include.contains(&Class::Absent));
        (report.still_different, report.left) = (still_different, left);
        report.verified = still_different == 0 && holds_truth(&source, plan, layout);
        let may_settle = look < LAST_LOOKS && !options.settle.is_zero();
        if report.verified || !may_settle {
            break;
        }
    }
    Ok(())
}

/// How many copies that were to be changed still differ, and what was left on purpose.
fn judge(copies: &Counts, diverged_chosen: bool, absent_chosen: bool) -> (u64, Left) {
    let split = |count: u64, is_chosen: bool| if is_chosen { (count, 0) } else { (0, count) };
    let (diverged_still, diverged) = split(copies.diverged, diverged_chosen);
    let (absent_still, absent) = split(copies.absent, absent_chosen);
    (copies.stale + diverged_still + absent_still, Left { diverged, absent })
}
