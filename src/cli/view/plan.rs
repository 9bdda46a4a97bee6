//! A plan: each change, and what all of it takes.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::columns::align;
use super::item;
use super::style::{FAINT, HEADING, NEW, OLD, paint};
use crate::capacity::WriteCapacity;
use crate::cli::preview::Preview;
use crate::expression::Condition;
use crate::fanout::{Change, Counts, Estimate, GuardedUpdate, Listed, Superseded};
use crate::item::Item;
use crate::model::{AttributePath, KeySchema};
use crate::value::{AttributeValue, PlainJson, to_plain_json};

/// How many copies of one item are shown.
const SHOWN_COPIES: usize = 10;
/// How many keys of items that are only counted are shown.
const SHOWN_KEYS: usize = 5;

/// What people see of a plan.
pub(in crate::cli) fn text(plan: &Preview, key: &KeySchema, show_expressions: bool, file: Option<&str>) -> String {
    let mut text = source(plan, key, show_expressions);
    for change in &plan.first {
        text.push('\n');
        text.push_str(&change_text(change, key, show_expressions));
    }
    let more = plan.totals.changes.saturating_sub(plan.first.len() as u64);
    if more > 0 {
        let place = file.map_or("`-o FILE` writes all of them".to_owned(), |file| format!("all of them are in {file}"));
        text.push_str(&format!("\n... and {more} more; {place}\n"));
    }
    text.push('\n');
    text.push_str(&counts(plan, key));
    text.push('\n');
    text.push_str(&estimate(plan));
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
                text.push_str(&replacement(&one.path.to_string(), one.was.as_ref(), one.now.as_ref()));
            }
            if show_expressions {
                text.push_str(&expressions(&change.update));
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
            for value in values {
                text.push_str(&format!("  stale where {value}\n"));
            }
        }
    }
    text
}

fn change_text(change: &Change, key: &KeySchema, show_expressions: bool) -> String {
    let classes: BTreeSet<&str> = change.copies().map(|copy| copy.class.name()).collect();
    let classes = classes.into_iter().collect::<Vec<_>>().join(", ");
    let mut text = format!("{}  {}  {}\n", change.entity, item::key(&change.key, key), paint(FAINT, classes));
    for copy in change.copies().take(SHOWN_COPIES) {
        text.push_str(&replacement(&copy.attribute.to_string(), copy.was.as_ref(), copy.now.as_ref()));
    }
    if let Some(more) = change.copies().count().checked_sub(SHOWN_COPIES).filter(|more| *more > 0) {
        text.push_str(&format!("  ... and {more} more copies\n"));
    }
    for write in &change.writes {
        // Index keys and versions that are rewritten with the copies.
        let is_copy = |path: &AttributePath| write.copies.iter().any(|copy| copy.attribute.overlaps(path));
        let guard = &write.update.guard;
        let before = |path: &AttributePath| {
            guard.inputs.iter().find_map(|condition| match condition {
                Condition::Equals(held, value) if held == path => Some(value),
                _ => None,
            })
        };
        for (path, value) in write.update.set.iter().filter(|(path, _)| !is_copy(path)) {
            text.push_str(&replacement(&path.to_string(), before(path), Some(value)));
        }
        for path in write.update.remove.iter().filter(|path| !is_copy(path)) {
            text.push_str(&replacement(&path.to_string(), before(path), None));
        }
        if show_expressions {
            text.push_str(&expressions(&write.update));
        }
    }
    if change.writes.len() > 1 {
        let reason = "because one expression would be larger than DynamoDB takes";
        text.push_str(&format!("  {}\n", paint(FAINT, format!("in {} updates, {reason}", change.writes.len()))));
    }
    text
}

/// What a value was and is to be; of two maps, only the fields that differ. One that is only written anew, because its
/// version is older, stands as it is.
fn replacement(name: &str, was: Option<&AttributeValue>, now: Option<&AttributeValue>) -> String {
    if let (Some(old), Some(new)) = (was, now)
        && old == new
    {
        return format!("  {}\n", paint(FAINT, format!("= {name} {}", item::value(new))));
    }
    if let (Some(AttributeValue::M(old)), Some(AttributeValue::M(new))) = (was, now) {
        let fields: BTreeSet<&String> = old.keys().chain(new.keys()).collect();
        let differing = fields.into_iter().filter(|field| old.get(*field) != new.get(*field));
        return differing
            .map(|field| replacement(&format!("{name}.{field}"), old.get(field), new.get(field)))
            .collect();
    }
    let line = |sign, style, value: &AttributeValue| {
        format!("  {}\n", paint(style, format!("{sign} {name} {}", item::value(value))))
    };
    let removed = was.map(|value| line('-', OLD, value)).unwrap_or_default();
    let added = now.map(|value| line('+', NEW, value)).unwrap_or_default();
    format!("{removed}{added}")
}

pub(in crate::cli) fn expressions(update: &GuardedUpdate) -> String {
    let request = update.request();
    let mut text = format!("    update     {}\n    condition  {}\n", request.update, request.condition);
    for (placeholder, name) in &request.placeholders.names {
        text.push_str(&format!("    {placeholder}  {name}\n"));
    }
    for (placeholder, value) in &request.placeholders.values {
        text.push_str(&format!("    {placeholder}  {}\n", item::value(value)));
    }
    text
}

fn counts(plan: &Preview, key: &KeySchema) -> String {
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

/// What it takes: a row for the source, the copies, both, and the worst case; a column for the table and each index.
fn estimate(plan: &Preview) -> String {
    let estimate = &plan.totals.estimate;
    let mut together = estimate.source_write_units.clone();
    together += &estimate.write_units;
    let copies = match plan.totals.changes {
        1 => "1 change".to_owned(),
        changes => format!("{changes} changes"),
    };
    let rows = [
        ("source", &estimate.source_write_units),
        (copies.as_str(), &estimate.write_units),
        ("together", &together),
        ("at the worst", &estimate.worst_case),
    ];
    let mut text = units_table("write units", &rows);
    let doubt = if estimate.exact {
        "exact for the items as they were read; the worst counts each write once more, refused"
    } else {
        "an item is within a few bytes of a KB and holds numbers whose size AWS does not document: one unit more or \
         less for each such item"
    };
    text.push_str(&format!("{}\n", paint(FAINT, doubt)));
    let reads = &estimate.read_units;
    text.push_str(&format!(
        "read units: {} for this plan, about {} to apply and verify it\n",
        reads.planning, reads.apply
    ));
    text
}

/// Units of several things, with a column for the table and for each index.
pub(super) fn units_table(title: &str, rows: &[(&str, &WriteCapacity)]) -> String {
    let indexes: BTreeSet<&String> = rows.iter().flat_map(|(_, units)| units.indexes.keys()).collect();
    let heading = [title, "table"].into_iter().chain(indexes.iter().map(|name| name.as_str())).chain(["total"]);
    let mut lines = vec![heading.map(str::to_owned).collect::<Vec<_>>()];
    for (name, capacity) in rows {
        let on_index = |index: &&String| capacity.indexes.get(*index).map_or("-".to_owned(), ToString::to_string);
        let mut line = vec![(*name).to_owned(), capacity.table.to_string()];
        line.extend(indexes.iter().map(on_index));
        line.push(capacity.total().to_string());
        lines.push(line);
    }
    align(&lines, true, "")
}

/// What programs see of a plan.
#[derive(Serialize)]
pub(in crate::cli) struct PlanJson<'a> {
    table: &'a str,
    source: SourceJson<'a>,
    superseded: SupersededJson,
    changes: u64,
    targets: &'a Counts,
    copies: &'a Counts,
    listed: &'a Listed,
    estimate: &'a Estimate,
    applicable: bool,
    blocked: &'a [String],
    blocked_more: u64,
}

#[derive(Serialize)]
struct SourceJson<'a> {
    entity: &'a str,
    key: BTreeMap<&'a str, PlainJson>,
    attributes: BTreeMap<String, AttributeJson>,
}

#[derive(Serialize)]
struct AttributeJson {
    was: Option<PlainJson>,
    now: Option<PlainJson>,
}

/// `"every different"`, or the values by attribute.
#[derive(Serialize)]
#[serde(untagged)]
enum SupersededJson {
    EveryDifferent(&'static str),
    Values(BTreeMap<String, Vec<PlainJson>>),
}

impl<'a> PlanJson<'a> {
    pub(in crate::cli) fn of(plan: &'a Preview) -> Self {
        let header = &plan.header;
        let plain = |value: &Option<AttributeValue>| value.clone().map(PlainJson);
        let attribute = |one: &crate::fanout::AttributeChange| {
            // A source that is not changed itself was what `--was` says.
            let told = header.request.was.iter().find(|(path, _)| *path == one.path).map(|(_, value)| value.clone());
            let was = if header.source.change.is_some() { one.was.clone() } else { told };
            (one.path.to_string(), AttributeJson { was: was.map(PlainJson), now: plain(&one.now) })
        };
        let superseded = match &header.superseded {
            Superseded::EveryDifferent => SupersededJson::EveryDifferent("every different"),
            Superseded::Values(values) => {
                let mut by_attribute: BTreeMap<String, Vec<PlainJson>> = BTreeMap::new();
                for (path, value) in values {
                    let held = by_attribute.entry(path.to_string()).or_default();
                    if !held.iter().any(|one| one.0 == *value) {
                        held.push(PlainJson(value.clone()));
                    }
                }
                SupersededJson::Values(by_attribute)
            }
        };
        PlanJson {
            table: &header.table.name,
            source: SourceJson {
                entity: &header.request.entity,
                key: header
                    .request
                    .key
                    .0
                    .iter()
                    .map(|(name, value)| (name.as_str(), PlainJson(value.clone())))
                    .collect(),
                attributes: header.source.attributes.iter().map(attribute).collect(),
            },
            superseded,
            changes: plan.totals.changes,
            targets: &plan.totals.targets,
            copies: &plan.totals.copies,
            listed: &plan.totals.listed,
            estimate: &plan.totals.estimate,
            applicable: plan.is_applicable(),
            blocked: &plan.totals.blocked,
            blocked_more: plan.totals.blocked_more,
        }
    }
}

/// A question before a plan is run.
pub(in crate::cli) fn question(plan: &Preview) -> String {
    let was = plan.header.source.attributes.iter().filter(|one| one.was != one.now);
    let names: Vec<String> = was
        .map(|one| format!("{} to {}", one.path, one.now.as_ref().map_or("nothing".into(), to_plain_json)))
        .collect();
    let worst = plan.totals.estimate.worst_case.total();
    match names.as_slice() {
        [] => format!("Write {} items, for at most {worst} write units?", plan.totals.changes),
        names => format!(
            "Set {} and write {} items, for at most {worst} write units?",
            names.join(", "),
            plan.totals.changes
        ),
    }
}
