//! What became of a plan.

use serde::Serialize;

use super::money;
use super::plan::{PlanJson, units_table};
use super::style::{HEADING, NEW, OLD, paint};
use crate::cli::preview::Preview;
use crate::fanout::Report;

/// What people see of a report.
pub(in crate::cli) fn text(plan: &Preview, report: &Report) -> String {
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
    if outcomes.already_current + outcomes.conflict + outcomes.moved > 0 {
        text.push_str("refused writes take units, too, which AWS does not report: they are not in what was consumed\n");
    }
    text.push('\n');
    text.push_str(&verdict(report));
    text
}

fn verdict(report: &Report) -> String {
    if report.interrupted {
        return format!(
            "{} {} changes are left; the same command again finishes it\n",
            paint(OLD, "interrupted:"),
            report.outcomes.not_attempted
        );
    }
    let left = match (report.left.diverged, report.left.absent) {
        (0, 0) => String::new(),
        (diverged, 0) => format!("; left as they are: {diverged} diverged"),
        (0, absent) => format!("; left as they are: {absent} absent"),
        (diverged, absent) => format!("; left as they are: {diverged} diverged and {absent} absent"),
    };
    match report.verified {
        true => format!("{} no copy that was to be changed differs from its source{left}\n", paint(NEW, "verified:")),
        false if report.still_different > 0 => format!(
            "{} {} copies still differ{left}; the same command again brings them up to date\n",
            paint(OLD, "not verified:"),
            report.still_different
        ),
        false => format!(
            "{} the run did not get to its last look, or the source has changed meanwhile; run the same command again\n",
            paint(OLD, "not verified:")
        ),
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
