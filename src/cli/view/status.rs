//! Runs that were begun: what is done, what is left, and what that takes.

use std::path::Path;

use serde::Serialize;

use super::columns::align;
use super::item;
use crate::capacity::WriteUnits;
use crate::fanout::{Account, Left, Outcomes, Plan, Remaining};

/// A run that was begun.
#[derive(Debug, Serialize)]
pub(in crate::cli) struct UnfinishedRun {
    plan: String,
    table: String,
    source: String,
    state: State,
    /// In seconds since 1970.
    began: Option<u64>,
    outcomes: Outcomes,
    still_different: u64,
    left_as_they_are: Left,
    consumed_write_units: WriteUnits,
    consumed_at_least: bool,
    left: Remaining,
}

/// How a run stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum State {
    /// A process has it.
    UnderWay,
    /// It came to no end.
    Killed,
    /// It stopped by itself before all was done.
    Stopped,
    /// All is done.
    Finished,
}

impl UnfinishedRun {
    pub(in crate::cli) fn of(
        path: &Path,
        plan: &impl Plan,
        account: &Account,
        left: Remaining,
        is_under_way: bool,
    ) -> Self {
        let header = plan.header();
        let state = match () {
            () if is_under_way => State::UnderWay,
            () if account.is_finished() => State::Finished,
            () if account.ended().is_some() => State::Stopped,
            () => State::Killed,
        };
        let (still_different, left_as_they_are) = account.last_look();
        let key: Vec<String> = header.request.key.0.iter().map(|(_, value)| item::value(value)).collect();
        UnfinishedRun {
            plan: path.display().to_string(),
            table: header.table.name.clone(),
            source: format!("{} {}", header.request.entity, key.join(" ")),
            state,
            began: account.began(),
            outcomes: account.outcomes(plan.totals().changes),
            still_different,
            left_as_they_are,
            consumed_write_units: account.consumed().write_units.total(),
            consumed_at_least: account.is_at_least(),
            left,
        }
    }

    fn state(&self) -> &'static str {
        match self.state {
            State::UnderWay => "under way",
            State::Killed => "killed",
            State::Stopped => "stopped",
            State::Finished => "finished",
        }
    }

    /// What is left, in words.
    fn left(&self) -> String {
        match (self.state, self.left.changes) {
            (State::Finished, _) => "nothing".to_owned(),
            (_, 0) if self.still_different > 0 => format!("{} copies differ", self.still_different),
            (_, 0) => "the last look".to_owned(),
            (_, 1) => "1 item".to_owned(),
            (_, changes) => format!("{changes} items"),
        }
    }
}

/// What programs see of it.
#[derive(Serialize)]
pub(in crate::cli) struct StatusJson<'a> {
    runs: &'a [UnfinishedRun],
}

pub(in crate::cli) fn json(runs: &[UnfinishedRun]) -> StatusJson<'_> {
    StatusJson { runs }
}

/// What people see of it.
pub(in crate::cli) fn text(runs: &[UnfinishedRun]) -> String {
    let heading = ["plan", "table", "source", "began", "state", "done", "left", "write units left"];
    let heading = heading.map(str::to_owned).to_vec();
    let row = |run: &UnfinishedRun| {
        vec![
            run.plan.clone(),
            run.table.clone(),
            run.source.clone(),
            run.began.map(time).unwrap_or_default(),
            run.state().to_owned(),
            (run.outcomes.attempted() - run.outcomes.failed).to_string(),
            run.left(),
            format!("{}, at most {}", run.left.write_units.total(), run.left.worst_case.total()),
        ]
    };
    let rows: Vec<Vec<String>> = std::iter::once(heading).chain(runs.iter().map(row)).collect();
    let mut text = align(&rows, false, "");
    if let Some(run) = runs.iter().find(|run| matches!(run.state, State::Killed | State::Stopped)) {
        text.push_str(&format!("`singletable fan-out resume {}` finishes the run\n", run.plan));
    }
    text
}

/// What a run did so far, and what is left of it.
pub(in crate::cli) fn remaining(plan: &impl Plan, account: &Account, left: &Remaining) -> String {
    let planned = plan.totals().changes;
    let outcomes = account.outcomes(planned);
    let so_far = account.consumed().write_units.total();
    let at_least = if account.is_at_least() { "at least " } else { "" };
    let mut text = format!(
        "{} of {planned} changes are done, and took {at_least}{so_far} write units\n",
        outcomes.attempted() - outcomes.failed
    );
    text.push_str(&match left.changes {
        0 => "left: the last look\n".to_owned(),
        changes => format!(
            "left: {changes} changes, {} write units, at most {}\n",
            left.write_units.total(),
            left.worst_case.total()
        ),
    });
    text
}

/// A time in seconds since 1970, as people read it.
fn time(seconds: u64) -> String {
    let time = i64::try_from(seconds).ok().and_then(|seconds| jiff::Timestamp::from_second(seconds).ok());
    time.map(|time| time.to_string()).unwrap_or_default()
}
