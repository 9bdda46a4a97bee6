//! Holds values against their declared types.

use std::collections::BTreeSet;

use jiff::Timestamp;

use super::{Attributes, ItemProblem};
use crate::limits::{MAX_NAME_BYTES, MAX_NESTING};
use crate::model::{Attribute, AttributePath, AttributeType, Precision, SetMember};
use crate::value::{AttributeValue, Binary, Number, PlainJson};

/// Checks attributes against their declarations, and gives each the type that was declared: an array
/// becomes the set, and base64 text the binary, that it stands for. What is not declared is kept as it is.
pub(super) fn accept_all(declared: &[Attribute], attributes: &mut Attributes, problems: &mut Vec<ItemProblem>) {
    accept_fields(declared, attributes, None, problems);
    problems.extend(check_names_and_nesting(attributes));
}

/// What DynamoDB refuses of any item: names that are empty or too long, and values nested too deep.
pub(super) fn check_names_and_nesting(attributes: &Attributes) -> Vec<ItemProblem> {
    let mut problems = Vec::new();
    for (name, value) in attributes {
        check_names(name, value, &mut problems);
        check_nesting(name, value, &mut problems);
    }
    problems
}

fn check_names(name: &str, value: &AttributeValue, problems: &mut Vec<ItemProblem>) {
    if !(1..=MAX_NAME_BYTES).contains(&name.len()) {
        problems.push(ItemProblem::Name(name.len()));
    }
    match value {
        AttributeValue::M(fields) => fields.iter().for_each(|(name, field)| check_names(name, field, problems)),
        AttributeValue::L(elements) => {
            // An element has no name of its own; its list's was checked already.
            elements.iter().for_each(|element| check_names("[]", element, problems));
        }
        _ => {}
    }
}

/// Checks one value against a type.
pub(super) fn accept(kind: &AttributeType, value: &mut AttributeValue, path: &str, problems: &mut Vec<ItemProblem>) {
    let found = value.type_name();
    let wrong_text = |text: &str, wanted: &str| ItemProblem::WrongText {
        path: path.to_owned(),
        text: text.to_owned(),
        wanted: wanted.to_owned(),
    };
    match (kind, &mut *value) {
        (AttributeType::String { max_bytes, values }, AttributeValue::S(text)) => {
            check_length(path, text.len(), *max_bytes, problems);
            if !values.is_empty() && !values.contains(text) {
                problems.push(wrong_text(text, &format!("it must be one of {}", values.join(", "))));
            }
        }
        (AttributeType::Number, AttributeValue::N(_))
        | (AttributeType::Boolean, AttributeValue::Bool(_))
        | (AttributeType::Null, AttributeValue::Null)
        | (AttributeType::Any, _) => {}
        (AttributeType::Binary { max_bytes }, AttributeValue::B(bytes)) => {
            check_length(path, bytes.0.len(), *max_bytes, problems);
        }
        (AttributeType::Binary { max_bytes }, AttributeValue::S(text)) => match Binary::from_base64(text) {
            Some(bytes) => {
                check_length(path, bytes.0.len(), *max_bytes, problems);
                *value = AttributeValue::B(bytes);
            }
            None => problems.push(wrong_text(text, "binary is written as base64")),
        },
        (AttributeType::Timestamp { precision }, AttributeValue::S(text)) => match canonical_time(text, *precision) {
            Some(canonical) if canonical == *text => {}
            Some(canonical) => {
                problems.push(wrong_text(text, &format!("a timestamp that sorts is written {canonical}")))
            }
            None => {
                let example = match precision {
                    Precision::Seconds => "2026-12-01T09:30:00Z",
                    Precision::Milliseconds => "2026-12-01T09:30:00.000Z",
                };
                problems.push(wrong_text(text, &format!("a timestamp is a day that exists, written as {example}")));
            }
        },
        (AttributeType::Epoch, AttributeValue::N(seconds)) => {
            if seconds.last_digit_exponent() < 0 {
                problems.push(wrong_text(&seconds.to_string(), "an epoch is a whole number of seconds"));
            }
        }
        (AttributeType::List { of, max_items }, AttributeValue::L(elements)) => {
            check_count(path, elements.len(), *max_items, problems);
            if let Some(of) = of {
                for (at, element) in elements.iter_mut().enumerate() {
                    accept(of, element, &format!("{path}[{at}]"), problems);
                }
            }
        }
        (AttributeType::Map { attributes, max_items }, AttributeValue::M(fields)) => {
            check_count(path, fields.len(), *max_items, problems);
            accept_fields(attributes, fields, Some(path), problems);
        }
        (AttributeType::Set { of, max_items }, _) => match to_set(*of, value, path, problems) {
            Some(members) => check_count(path, members, *max_items, problems),
            None => problems.push(ItemProblem::WrongType { path: path.to_owned(), expected: kind.name(), found }),
        },
        _ => problems.push(ItemProblem::WrongType { path: path.to_owned(), expected: kind.name(), found }),
    }
}

/// Checks one value against a type, and gives it that type; what is wrong is told of `path`.
pub fn check_value(kind: &AttributeType, value: &mut AttributeValue, path: &str) -> Vec<ItemProblem> {
    let mut problems = Vec::new();
    accept(kind, value, path, &mut problems);
    problems
}

/// Reads a value as it is typed on a command line: text for what is stored as text, plain JSON for the rest.
///
/// # Errors
/// A sentence that says what it should have been.
pub fn parse_text(kind: &AttributeType, text: &str) -> Result<AttributeValue, String> {
    match kind {
        AttributeType::String { .. } | AttributeType::Timestamp { .. } | AttributeType::Binary { .. } => {
            Ok(AttributeValue::S(text.to_owned()))
        }
        AttributeType::Number | AttributeType::Epoch => {
            text.parse::<Number>().map(AttributeValue::N).map_err(|error| error.to_string())
        }
        AttributeType::Any => {
            Ok(serde_json::from_str::<PlainJson>(text)
                .map_or_else(|_| AttributeValue::S(text.to_owned()), |json| json.0))
        }
        other => serde_json::from_str::<PlainJson>(text)
            .map(|json| json.0)
            .map_err(|error| format!("`{text}` is not a {} in JSON: {error}", other.name())),
    }
}

fn accept_fields(
    declared: &[Attribute],
    fields: &mut Attributes,
    above: Option<&str>,
    problems: &mut Vec<ItemProblem>,
) {
    for attribute in declared {
        let path = match above {
            Some(above) => format!("{above}.{}", attribute.name),
            None => attribute.name.clone(),
        };
        match fields.get_mut(&attribute.name) {
            Some(value) => accept(&attribute.kind, value, &path, problems),
            None if attribute.optional => {}
            None => problems.push(ItemProblem::Missing(AttributePath::top_level(path))),
        }
    }
}

/// Turns a list into the set it stands for; how many members it has, or `None` for what cannot be one.
fn to_set(of: SetMember, value: &mut AttributeValue, path: &str, problems: &mut Vec<ItemProblem>) -> Option<usize> {
    let elements = match (of, &mut *value) {
        (SetMember::String, AttributeValue::StringSet(members)) => return Some(members.len()),
        (SetMember::Number, AttributeValue::NumberSet(members)) => return Some(members.len()),
        (SetMember::Binary, AttributeValue::BinarySet(members)) => return Some(members.len()),
        (_, AttributeValue::L(elements)) => std::mem::take(elements),
        _ => return None,
    };
    let count = elements.len();
    if count == 0 {
        problems.push(ItemProblem::EmptySet(path.to_owned()));
    }
    fn members<T: Ord>(
        elements: Vec<AttributeValue>,
        member: impl Fn(AttributeValue) -> Option<T>,
    ) -> Option<BTreeSet<T>> {
        elements.into_iter().map(member).collect()
    }
    let set = match of {
        SetMember::String => AttributeValue::StringSet(members(elements, |element| match element {
            AttributeValue::S(text) => Some(text),
            _ => None,
        })?),
        SetMember::Number => AttributeValue::NumberSet(members(elements, |element| match element {
            AttributeValue::N(number) => Some(number),
            _ => None,
        })?),
        SetMember::Binary => AttributeValue::BinarySet(members(elements, |element| match element {
            AttributeValue::B(bytes) => Some(bytes),
            AttributeValue::S(text) => Binary::from_base64(&text),
            _ => None,
        })?),
    };
    let distinct = match &set {
        AttributeValue::StringSet(members) => members.len(),
        AttributeValue::NumberSet(members) => members.len(),
        AttributeValue::BinarySet(members) => members.len(),
        _ => count,
    };
    if distinct != count {
        problems.push(ItemProblem::MemberTwice(path.to_owned()));
    }
    *value = set;
    Some(count)
}

fn canonical_time(text: &str, precision: Precision) -> Option<String> {
    let time: Timestamp = text.parse().ok()?;
    Some(match precision {
        Precision::Seconds => format!("{time:.0}"),
        Precision::Milliseconds => format!("{time:.3}"),
    })
}

fn check_length(path: &str, bytes: usize, limit: Option<u64>, problems: &mut Vec<ItemProblem>) {
    if let Some(limit) = limit.filter(|limit| bytes as u64 > *limit) {
        problems.push(ItemProblem::TooLong { path: path.to_owned(), bytes, limit });
    }
}

fn check_count(path: &str, items: usize, limit: Option<u64>, problems: &mut Vec<ItemProblem>) {
    if let Some(limit) = limit.filter(|limit| items as u64 > *limit) {
        problems.push(ItemProblem::TooMany { path: path.to_owned(), items, limit });
    }
}

fn check_nesting(name: &str, value: &AttributeValue, problems: &mut Vec<ItemProblem>) {
    fn nesting(value: &AttributeValue) -> usize {
        match value {
            AttributeValue::L(elements) => 1 + elements.iter().map(nesting).max().unwrap_or(0),
            AttributeValue::M(fields) => 1 + fields.values().map(nesting).max().unwrap_or(0),
            _ => 0,
        }
    }
    if nesting(value) > MAX_NESTING {
        problems.push(ItemProblem::TooDeep(name.to_owned()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problems(kind: AttributeType, json: &str) -> Vec<String> {
        let PlainJson(mut value) = serde_json::from_str(json).unwrap();
        let mut problems = Vec::new();
        accept(&kind, &mut value, "a", &mut problems);
        problems.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn timestamps_are_of_one_precision_and_utc() {
        let milliseconds = || AttributeType::Timestamp { precision: Precision::Milliseconds };
        assert!(problems(milliseconds(), r#""2026-12-01T09:30:00.250Z""#).is_empty());
        for (wrong, hint) in [
            (r#""2026-12-01T09:30:00Z""#, "2026-12-01T09:30:00.000Z"),
            (r#""2026-12-01T10:30:00.000+01:00""#, "2026-12-01T09:30:00.000Z"),
            (r#""yesterday""#, "written as 2026-12-01T09:30:00.000Z"),
            (r#""2026-02-30T00:00:00.000Z""#, "a day that exists"),
        ] {
            let found = problems(milliseconds(), wrong);
            assert!(found.len() == 1 && found[0].contains(hint), "{found:?}");
        }
        let seconds = AttributeType::Timestamp { precision: Precision::Seconds };
        assert!(problems(seconds, r#""2026-12-01T09:30:00Z""#).is_empty());
    }

    #[test]
    fn arrays_become_sets_and_say_what_they_cannot_hold() {
        let set = |of| AttributeType::Set { of, max_items: Some(2) };
        assert!(problems(set(SetMember::String), r#"["b", "a"]"#).is_empty());
        assert!(problems(set(SetMember::Binary), r#"["AA=="]"#).is_empty());
        for (of, json, part) in [
            (SetMember::String, "[]", "empty set"),
            (SetMember::Number, "[1, 1.0]", "member twice"),
            (SetMember::Number, r#"["1"]"#, "must be a number-set"),
            (SetMember::String, r#"["a", "b", "c"]"#, "at most 2"),
        ] {
            let found = problems(set(of), json);
            assert!(found.len() == 1 && found[0].contains(part), "{found:?}");
        }
    }

    #[test]
    fn nesting_is_refused_one_level_beyond_what_dynamodb_takes() {
        for (levels, accepted) in [(31, true), (32, false)] {
            let json = format!("{}1{}", "[".repeat(levels), "]".repeat(levels));
            let PlainJson(value) = serde_json::from_str(&json).unwrap();
            let mut problems = Vec::new();
            accept_all(&[], &mut Attributes::from([("deep".to_owned(), value)]), &mut problems);
            assert_eq!(problems.is_empty(), accepted, "{levels}");
        }
    }
}
