//! What was found, and what is left as it is.

use super::super::columns::align;
use super::super::item;
use crate::cli::preview::Preview;
use crate::fanout::Counts;
use crate::item::Item;
use crate::model::KeySchema;

/// How many keys of items that are only counted are shown.
const SHOWN_KEYS: usize = 5;

pub(super) fn counts(plan: &Preview, key: &KeySchema) -> String {
    let totals = &plan.totals;
    let row = |name: &str, counts: &Counts| {
        let numbers = [counts.found, counts.stale, counts.diverged, counts.absent, counts.current];
        std::iter::once(name.to_owned()).chain(numbers.iter().map(u64::to_string)).collect::<Vec<_>>()
    };
    let heading = ["", "found", "stale", "diverged", "absent", "current"].map(str::to_owned).to_vec();
    let mut text = align(&[heading, row("items", &totals.targets), row("copies", &totals.copies)], true, "");
    let chosen: Vec<&str> = plan.header.request.include.iter().map(|class| class.name()).collect();
    let left = |count: u64, name| (count > 0 && !chosen.contains(&name)).then(|| format!("{count} {name}"));
    let left: Vec<String> = [left(totals.copies.diverged, "diverged"), left(totals.copies.absent, "absent")]
        .into_iter()
        .flatten()
        .collect();
    if !left.is_empty() {
        text.push_str(&format!(
            "left as they are: {} ({})\n",
            left.join(" and "),
            "`--include diverged,absent` changes them too"
        ));
    }
    let counted = &totals.targets;
    text.push_str(&listed(counted.unrecognised, "of no known entity", &totals.listed.unrecognised, key));
    text.push_str(&listed(
        counted.misfiled,
        "filed under this source, but referring to another",
        &totals.listed.misfiled,
        key,
    ));
    text.push_str(&listed(counted.expired, "expired", &totals.listed.expired, key));
    text
}

fn listed(count: u64, what: &str, keys: &[Item], schema: &KeySchema) -> String {
    if count == 0 {
        return String::new();
    }
    let shown: Vec<String> = keys.iter().take(SHOWN_KEYS).map(|key| item::key(key, schema)).collect();
    let more = if count > shown.len() as u64 { ", ..." } else { "" };
    format!("{count} {what}, never changed: {}{more}\n", shown.join(", "))
}
