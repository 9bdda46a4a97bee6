//! What became of a plan.

use serde::Serialize;

use super::money;
use super::plan::{PlanJson, units_table};
use super::style::{HEADING, NEW, OLD, paint};
use crate::cli::preview::Preview;
use crate::fanout::Report;

/// What people see of a report.
/// `again` says how the run is taken up when it did not get to its end.
pub(in crate::cli) fn text(plan: &Preview, report: &Report, again: &str) -> String {
    let outcomes = &report.outcomes;
    let counts = [
        (outcomes.applied, "applied"),
        (outcomes.already_current, "already current"),
        (outcomes.conflict, "in conflict"),
        (outcomes.gone, "gone"),
        (outcomes.moved, "moved to another source"),
        (outcomes.failed, "failed"),
        (outcomes.not_attempted, "not attempted"),
    ];
    let shown: Vec<String> =
        counts.iter().filter(|(count, _)| *count > 0).map(|(count, name)| format!("{count} {name}")).collect();
    let shown = if shown.is_empty() { "nothing to change".to_owned() } else { shown.join(", ") };
    let mut text = format!("{} {shown}\n", paint(HEADING, "outcome"));
    for problem in &report.problems {
        text.push_str(&format!("  {problem}\n"));
    }
    let estimate = &plan.totals.estimate;
    let mut forecast = estimate.source_write_units.clone();
    forecast += &estimate.write_units;
    text.push('\n');
    let rows = [("forecast", &forecast), ("consumed", &report.consumed.write_units)];
    text.push_str(&units_table("write units", &rows));
    text.push_str(&format!(
        "read units: about {} forecast, {} consumed\n",
        estimate.read_units.apply, report.consumed.read_units
    ));
    text.push_str(&money::consumed(
        &plan.tariff,
        (&forecast, estimate.read_units.apply),
        (&report.consumed.write_units, report.consumed.read_units),
    ));
    if report.consumed.refused_write_units.0 > 0 {
        text.push_str(&format!(
            "refused writes took up to {} write units more, which AWS does not report\n",
            report.consumed.refused_write_units
        ));
    }
    if report.consumed_at_least {
        text.push_str("a run was killed: what it had under way took units, too, that nobody knows of\n");
    }
    text.push('\n');
    text.push_str(&verdict(report, again));
    text
}

fn verdict(report: &Report, again: &str) -> String {
    if report.interrupted {
        return format!("{} {} changes are left; {again}\n", paint(OLD, "interrupted:"), report.outcomes.not_attempted);
    }
    let left = match (report.left.diverged, report.left.absent) {
        (0, 0) => String::new(),
        (diverged, 0) => format!("; left as they are: {diverged} diverged"),
        (0, absent) => format!("; left as they are: {absent} absent"),
        (diverged, absent) => format!("; left as they are: {diverged} diverged and {absent} absent"),
    };
    match report.verified {
        true => format!("{} no copy that was to be changed differs from its source{left}\n", paint(NEW, "verified:")),
        false if report.beyond_approval.is_some() => format!(
            "{} {} copies differ that the plan did not know of{left}; changing them takes {} write units, which is more \
             than was approved, and was not begun; {again}, with a --max-write-units that allows it\n",
            paint(OLD, "not verified:"),
            report.still_different,
            report.beyond_approval.unwrap_or_default(),
        ),
        false if report.still_different > 0 => {
            format!("{} {} copies still differ{left}; {again}\n", paint(OLD, "not verified:"), report.still_different)
        }
        false if report.source_moved => format!(
            "{} the source has changed meanwhile, and what it holds now is another run's business\n",
            paint(OLD, "not verified:")
        ),
        false => format!("{} the run did not get to its last look; {again}\n", paint(OLD, "not verified:")),
    }
}

/// What programs see of a report: the plan's object with what became of it.
#[derive(Serialize)]
pub(in crate::cli) struct ReportJson<'a> {
    #[serde(flatten)]
    plan: PlanJson<'a>,
    #[serde(flatten)]
    report: &'a Report,
}

impl<'a> ReportJson<'a> {
    pub(in crate::cli) fn of(plan: &'a Preview, report: &'a Report) -> Self {
        ReportJson { plan: PlanJson::of(plan), report }
    }
}
