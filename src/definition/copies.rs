//! `copies = { authorName = "name", excerpt = "body|take 50" }`

use super::section::{Problems, Text, Value};
use super::sides::Sides;
use crate::diagnostic::Diagnostic;
use crate::key::{Filter, parse_filtered};
use crate::model::{AttributeType, CopyRule, Keep, Resolved, StringRules};

/// Reads the copies of a reference.
pub(super) fn read(value: &Value<'_>, sides: &Sides<'_>, keep: Option<Keep>, problems: &mut Problems) -> Vec<CopyRule> {
    let Some(section) = value.section(format!("`copies` of {}", sides.title), problems) else { return Vec::new() };
    let mut rules = Vec::new();
    for (name, value) in section.entries() {
        let ours = sides.ours(name, "copy.unknown-attribute", problems);
        let theirs = value.string(problems).and_then(|text| read_source(text, sides, problems));
        let (Some(ours), Some((theirs, filters))) = (ours, theirs) else { continue };
        if ours.is_constant {
            problems.push(
                Diagnostic::error(
                    "copy.wrong-type",
                    value.span,
                    format!("`{}` of {} is a constant, and cannot follow anything", ours.path, sides.target.name),
                )
                .help("take `constant` away"),
            );
        } else if !ours.kind.is_stored_like(theirs.kind) || !ours.kind.means_the_same_as(theirs.kind) {
            problems.push(
                Diagnostic::error("copy.wrong-type", value.span, sides.types(&ours, &theirs))
                    .help("a copy must have the type of what it copies, and the same codes for the same values"),
            );
        } else if keep == Some(Keep::Latest)
            && let Some(why) = may_not_fit(&ours, &theirs, &filters)
        {
            let copy = format!("`{}` of {}", ours.path, sides.target.name);
            problems.push(
                Diagnostic::warning(
                    "copy.may-not-fit",
                    value.span,
                    format!("{copy} may have to hold what it cannot: {why}"),
                )
                .help("declare both alike: a fan-out that meets such a value is blocked, or takes the copy away")
                .about(format!("{}.{}", sides.target.name, ours.path)),
            );
        }
        rules.push(CopyRule { target: ours.path, source: theirs.path, filters, span: name.span });
    }
    rules
}

/// The source's attribute, and what changes its value on the way.
fn read_source<'m>(text: Text<'_>, sides: &Sides<'m>, problems: &mut Problems) -> Option<(Resolved<'m>, Vec<Filter>)> {
    // A name that itself has a bar in it is preferred over a filter.
    let (name, filters) = match crate::model::resolve(&sides.source.attributes, text.text) {
        Some(_) => (text.text, Vec::new()),
        None => match parse_filtered(text.text) {
            Ok(parsed) => parsed,
            Err(error) => {
                problems.push(
                    Diagnostic::error("copy.invalid-filter", text.span, error.message)
                        .help("a copy can be changed by `take N`, `lower` and `upper`"),
                );
                return None;
            }
        },
    };
    let theirs = sides.theirs(Text { text: name, span: text.span }, "copy.unknown-attribute", problems)?;
    let is_text = matches!(theirs.kind, AttributeType::String(_) | AttributeType::Timestamp { .. });
    let wrong = filters.iter().find(|filter| matches!(filter, Filter::Shard(_) | Filter::Or(_)));
    let message = match wrong {
        Some(filter) => format!("`{filter}` is for keys, not for copies"),
        None if !filters.is_empty() && !is_text => {
            format!("`{name}` of {} is a {}, and only text can be changed", sides.source.name, theirs.kind.name())
        }
        None => return Some((theirs, filters)),
    };
    problems.push(
        Diagnostic::error("copy.invalid-filter", text.span, message)
            .help("a copy of a string can be changed by `take N`, `lower` and `upper`"),
    );
    None
}

/// Why a source's value may be one that its copy's own declaration refuses.
fn may_not_fit(ours: &Resolved<'_>, theirs: &Resolved<'_>, filters: &[Filter]) -> Option<String> {
    if theirs.optional && !ours.optional {
        return Some(format!("`{}` may be absent, and the copy is required", theirs.path));
    }
    let shortened = filters.iter().find_map(|filter| match filter {
        Filter::Take(count) => Some(*count as u64),
        _ => None,
    });
    match (ours.kind, theirs.kind) {
        (AttributeType::String(ours), AttributeType::String(theirs)) if filters.is_empty() => {
            string_may_not_fit(ours, theirs, None)
        }
        (AttributeType::String(ours), AttributeType::String(theirs)) => string_may_not_fit(ours, theirs, shortened),
        (AttributeType::Binary { max_bytes: Some(ours) }, AttributeType::Binary { max_bytes: theirs })
            if theirs.is_none_or(|theirs| theirs > *ours) =>
        {
            Some(format!("the copy has at most {ours} bytes, and its source may have more"))
        }
        (AttributeType::Timestamp { precision: ours }, AttributeType::Timestamp { precision: theirs })
            if ours != theirs =>
        {
            Some("the two timestamps have different precisions".to_owned())
        }
        _ => None,
    }
}

fn string_may_not_fit(ours: &StringRules, theirs: &StringRules, taken: Option<u64>) -> Option<String> {
    if !ours.values.is_empty() {
        let is_ours = |code: &String| ours.values.iter().any(|one| one.code == *code);
        let all_are = !theirs.values.is_empty() && theirs.values.iter().all(|one| is_ours(&one.code));
        return (!all_are && taken.is_none())
            .then(|| "the source may have a value that the copy does not list".to_owned());
    }
    // A character has at most 4 bytes in UTF-8.
    let largest = [
        theirs.max_bytes,
        theirs.length.map(|count| count.saturating_mul(4)),
        taken.map(|count| count.saturating_mul(4)),
    ];
    let listed = theirs.values.iter().map(|one| one.code.len() as u64).max();
    let largest = listed.or(largest.into_iter().flatten().min());
    let limit = ours.max_bytes.filter(|limit| largest.is_none_or(|largest| largest > *limit));
    limit.map(|limit| format!("the copy has at most {limit} bytes, and its source may have more"))
}
