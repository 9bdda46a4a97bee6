//! One change: a line where one value changes, else a line for each.

use std::collections::BTreeSet;

use super::super::item;
use super::super::style::{FAINT, paint};
use super::replacement::{Replacement, replacements};
use crate::expression::Condition;
use crate::fanout::{Change, ChangeWrite, Class, GuardedUpdate};
use crate::model::{AttributePath, KeySchema};

/// How many values of one item are shown.
const SHOWN_VALUES: usize = 10;

/// The lines that show a change.
pub(super) fn lines(change: &Change, key: &KeySchema, show_expressions: bool) -> Vec<String> {
    let shown = |copy: &crate::fanout::CopyChange| {
        replacements(&copy.attribute.to_string(), copy.was.as_ref(), copy.now.as_ref())
    };
    let mut values: Vec<Replacement> = change.copies().flat_map(shown).collect();
    values.extend(change.writes.iter().flat_map(besides));
    let more = values.len().saturating_sub(SHOWN_VALUES);
    values.truncate(SHOWN_VALUES);
    let key = item::key(&change.key, key);
    let classes: BTreeSet<Class> = change.copies().map(|copy| copy.class).collect();
    let classes: Vec<&str> = classes.into_iter().map(Class::name).collect();
    let classes = match classes.as_slice() {
        // That what is changed is stale goes without saying.
        [] | ["stale"] => String::new(),
        some => format!("  {}", paint(FAINT, some.join(", "))),
    };
    let mut lines = match values.as_slice() {
        [one] if one.fits() => vec![format!("{key}  {}{classes}", one.line())],
        values => {
            let values = values.iter().flat_map(Replacement::lines).map(|line| format!("  {line}"));
            std::iter::once(format!("{key}{classes}")).chain(values).collect()
        }
    };
    if more > 0 {
        lines.push(format!("  ... and {more} more values"));
    }
    if show_expressions {
        for write in &change.writes {
            lines.extend(expressions(&write.update).lines().map(str::to_owned));
        }
    }
    if change.writes.len() > 1 {
        let reason = "because one expression would be larger than DynamoDB takes";
        lines.push(format!("  {}", paint(FAINT, format!("in {} updates, {reason}", change.writes.len()))));
    }
    lines
}

/// Index keys and versions that are rewritten with the copies.
fn besides(write: &ChangeWrite) -> Vec<Replacement> {
    let is_copy = |path: &AttributePath| write.copies.iter().any(|copy| copy.attribute.overlaps(path));
    let before = |path: &AttributePath| {
        write.update.guard.inputs.iter().find_map(|condition| match condition {
            Condition::Equals(held, value) if held == path => Some(value),
            _ => None,
        })
    };
    let set = write.update.set.iter().map(|(path, value)| (path, Some(value)));
    let removed = write.update.remove.iter().map(|path| (path, None));
    let others = set.chain(removed).filter(|(path, _)| !is_copy(path));
    others.flat_map(|(path, now)| replacements(&path.to_string(), before(path), now)).collect()
}

/// The expressions of an update, and what stands for their placeholders.
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
