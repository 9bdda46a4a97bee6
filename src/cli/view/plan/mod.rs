//! A plan: each change, and what all of it takes.

mod change;
mod counts;
mod estimate;
mod groups;
mod json;
mod replacement;

use std::collections::BTreeSet;

pub(in crate::cli) use self::change::expressions;
pub(super) use self::estimate::{bars, units_table};
pub(in crate::cli) use self::json::PlanJson;
use self::replacement::{Replacement, replacements};
use super::item;
use super::style::{HEADING, OLD, paint};
use crate::cli::preview::Preview;
use crate::fanout::Superseded;
use crate::model::KeySchema;
use crate::value::to_plain_json;

/// How many of the values that count as stale are shown.
const SHOWN_SUPERSEDED: usize = 5;

/// What people see of a plan.
pub(in crate::cli) fn text(plan: &Preview, key: &KeySchema, show_expressions: bool, file: Option<&str>) -> String {
    let mut text = source(plan, key, show_expressions);
    text.push_str(&groups::groups(plan, key, show_expressions, file));
    text.push('\n');
    text.push_str(&counts::counts(plan, key));
    text.push('\n');
    text.push_str(&estimate::estimate(plan));
    for reason in &plan.totals.blocked {
        text.push_str(&format!("\n{} {reason}\n", paint(OLD, "cannot be applied:")));
    }
    if plan.totals.blocked_more > 0 {
        text.push_str(&format!("... and {} more like these\n", plan.totals.blocked_more));
    }
    text
}

fn source(plan: &Preview, key: &KeySchema, show_expressions: bool) -> String {
    let request = &plan.header.request;
    let mut text = format!("{} {}  {}\n", paint(HEADING, "source"), request.entity, item::key(&request.key, key));
    match &plan.header.source.change {
        Some(change) => {
            // What is set, and the version that counts it.
            for one in plan.header.source.attributes.iter().filter(|one| one.was != one.now) {
                let values = replacements(&one.path.to_string(), one.was.as_ref(), one.now.as_ref());
                values.iter().flat_map(Replacement::lines).for_each(|line| text.push_str(&format!("  {line}\n")));
            }
            if show_expressions {
                text.push_str(&change::expressions(&change.update));
            }
        }
        None => {
            for one in &plan.header.source.attributes {
                let now = one.now.as_ref().map_or("nothing".to_owned(), item::value);
                let held = if request.set.is_empty() { "holds" } else { "already holds" };
                text.push_str(&format!("  {} {held} {now}\n", one.path));
            }
        }
    }
    match &plan.header.superseded {
        Superseded::EveryDifferent => text.push_str("  every copy that differs counts as stale\n"),
        Superseded::Values(values) => {
            let values: BTreeSet<String> =
                values.iter().map(|(path, value)| format!("{path} = {}", item::value(value))).collect();
            for value in values.iter().take(SHOWN_SUPERSEDED) {
                text.push_str(&format!("  stale where {value}\n"));
            }
            if let Some(more) = values.len().checked_sub(SHOWN_SUPERSEDED).filter(|more| *more > 0) {
                text.push_str(&format!("  ... and {more} more values\n"));
            }
        }
    }
    text
}

/// A question before a plan is run.
pub(in crate::cli) fn question(plan: &Preview) -> String {
    let was = plan.header.source.attributes.iter().filter(|one| one.was != one.now);
    let names: Vec<String> = was
        .map(|one| format!("{} to {}", one.path, one.now.as_ref().map_or("nothing".into(), to_plain_json)))
        .collect();
    let worst = plan.totals.estimate.worst_case.total();
    let items = match plan.totals.changes {
        1 => "1 item".to_owned(),
        changes => format!("{changes} items"),
    };
    match names.as_slice() {
        [] => format!("Write {items}, for at most {worst} write units?"),
        names => format!("Set {} and write {items}, for at most {worst} write units?", names.join(", ")),
    }
}
