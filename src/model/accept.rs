//! Holds values against their declared types, and turns them into what the item stores.

use std::collections::BTreeSet;

use jiff::Timestamp;

use super::attribute::{EnumValue, Fill};
use super::{Attribute, AttributePath, AttributeType, Precision, SetMember, StringRules, ValueProblem};
use crate::limits::{MAX_NAME_BYTES, MAX_NESTING};
use crate::value::{AttributeValue, Attributes, Binary, Number, PlainJson};

/// In which form a value is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    /// As people give it. What it stands for is stored: an array becomes the set, base64 text the binary, a name of
    /// an enumeration its code; defaults are filled in, and what is null counts as absent.
    Named,
    /// As the item stores it: nothing is changed.
    Stored,
}

/// Checks attributes against their declarations, and turns them into what the item stores. What is not declared is
/// kept as it is.
pub fn accept_all(declared: &[Attribute], attributes: &mut Attributes) -> Vec<ValueProblem> {
    let mut problems = Vec::new();
    accept_fields(declared, attributes, Form::Named, None, &mut problems);
    problems.extend(check_names_and_nesting(attributes));
    problems
}

/// Checks one value against a type, and turns it into what the item stores; what is wrong is told of `path`.
pub fn check_value(kind: &AttributeType, value: &mut AttributeValue, path: &str) -> Vec<ValueProblem> {
    let mut problems = Vec::new();
    accept(kind, value, Form::Named, path, &mut problems);
    problems
}

/// Checks one value as an item stores it; what is wrong is told of `path`.
pub fn check_stored(kind: &AttributeType, value: &AttributeValue, path: &str) -> Vec<ValueProblem> {
    let mut problems = Vec::new();
    accept(kind, &mut value.clone(), Form::Stored, path, &mut problems);
    problems
}

/// What DynamoDB refuses of any item: names that are empty or too long, and values nested too deep.
pub fn check_names_and_nesting(attributes: &Attributes) -> Vec<ValueProblem> {
    let mut problems = Vec::new();
    for (name, value) in attributes {
        check_names(name, value, &mut problems);
        check_nesting(name, value, &mut problems);
    }
    problems
}

fn check_names(name: &str, value: &AttributeValue, problems: &mut Vec<ValueProblem>) {
    if !(1..=MAX_NAME_BYTES).contains(&name.len()) {
        problems.push(ValueProblem::Name(name.len()));
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

fn accept(kind: &AttributeType, value: &mut AttributeValue, form: Form, path: &str, problems: &mut Vec<ValueProblem>) {
    let found = value.type_name();
    let wrong_text = |text: &str, wanted: &str| ValueProblem::WrongText {
        path: path.to_owned(),
        text: text.to_owned(),
        wanted: wanted.to_owned(),
    };
    match (kind, &mut *value) {
        (AttributeType::String(rules), AttributeValue::S(text)) => accept_string(rules, text, form, path, problems),
        (AttributeType::Number { values }, AttributeValue::S(name)) if form == Form::Named && !values.is_empty() => {
            match values.iter().find(|one| one.name == *name) {
                Some(one) => *value = AttributeValue::N(one.code),
                None => problems.push(wrong_text(name, &one_of(values))),
            }
        }
        (AttributeType::Number { values }, AttributeValue::N(number)) => {
            let is_listed = |one: &EnumValue<Number>| match form {
                // A coded value goes by its name.
                Form::Named => one.code == *number && one.name == number.to_string(),
                Form::Stored => one.code == *number,
            };
            if !values.is_empty() && !values.iter().any(is_listed) {
                problems.push(wrong_text(&number.to_string(), &one_of(values)));
            }
        }
        (AttributeType::Boolean, AttributeValue::Bool(_))
        | (AttributeType::Null, AttributeValue::Null)
        | (AttributeType::Any, _) => {}
        (AttributeType::Binary { max_bytes }, AttributeValue::B(bytes)) => {
            check_length(path, bytes.0.len(), *max_bytes, problems);
        }
        (AttributeType::Binary { max_bytes }, AttributeValue::S(text)) if form == Form::Named => {
            match Binary::from_base64(text) {
                Some(bytes) => {
                    check_length(path, bytes.0.len(), *max_bytes, problems);
                    *value = AttributeValue::B(bytes);
                }
                None => problems.push(wrong_text(text, "binary is written as base64")),
            }
        }
        // What serde makes of a `Vec<u8>`.
        (AttributeType::Binary { max_bytes }, AttributeValue::L(elements)) if form == Form::Named => {
            match elements.iter().map(as_byte).collect::<Option<Vec<u8>>>() {
                Some(bytes) => {
                    check_length(path, bytes.len(), *max_bytes, problems);
                    *value = AttributeValue::B(Binary(bytes));
                }
                None => problems.push(ValueProblem::WrongType { path: path.to_owned(), expected: kind.name(), found }),
            }
        }
        (AttributeType::Timestamp { precision }, AttributeValue::S(text)) => match canonical_time(text, *precision) {
            Some(canonical) if canonical == *text => {}
            // Another zone, or fewer digits: the same moment, written so that it sorts.
            Some(canonical) if form == Form::Named && is_same_time(&canonical, text) => *text = canonical,
            Some(canonical) => {
                problems.push(wrong_text(text, &format!("a timestamp that sorts is written {canonical}")));
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
                    accept(of, element, form, &format!("{path}[{at}]"), problems);
                }
            }
        }
        (AttributeType::Map { attributes, of, max_items }, AttributeValue::M(fields)) => {
            if let (Some(of), []) = (of, attributes.as_slice()) {
                if form == Form::Named && !matches!(**of, AttributeType::Null | AttributeType::Any) {
                    fields.retain(|_, field| *field != AttributeValue::Null);
                }
                for (name, field) in fields.iter_mut() {
                    accept(of, field, form, &format!("{path}.{name}"), problems);
                }
            }
            check_count(path, fields.len(), *max_items, problems);
            accept_fields(attributes, fields, form, Some(path), problems);
        }
        (AttributeType::Set { of, max_items }, _) => match to_set(*of, value, form, path, problems) {
            Some(members) => check_count(path, members, *max_items, problems),
            None => problems.push(ValueProblem::WrongType { path: path.to_owned(), expected: kind.name(), found }),
        },
        _ => problems.push(ValueProblem::WrongType { path: path.to_owned(), expected: kind.name(), found }),
    }
}

fn accept_string(rules: &StringRules, text: &mut String, form: Form, path: &str, problems: &mut Vec<ValueProblem>) {
    if !rules.values.is_empty() {
        let known = rules.values.iter().find(|one| match form {
            Form::Named => one.name == *text,
            Form::Stored => one.code == *text,
        });
        match known {
            Some(one) => one.code.clone_into(text),
            None => {
                let (path, text, wanted) = (path.to_owned(), text.clone(), one_of(&rules.values));
                problems.push(ValueProblem::WrongText { path, text, wanted });
            }
        }
        return;
    }
    check_length(path, text.len(), rules.max_bytes, problems);
    if let Some(wanted) = broken_rule(rules, text) {
        problems.push(ValueProblem::WrongText { path: path.to_owned(), text: text.clone(), wanted });
    }
}

/// What a string must be and is not, as the end of a sentence.
pub(crate) fn broken_rule(rules: &StringRules, text: &str) -> Option<String> {
    if !rules.starts_with.is_empty() && !rules.starts_with.iter().any(|start| text.starts_with(start)) {
        let starts: Vec<String> = rules.starts_with.iter().map(|start| format!("{start:?}")).collect();
        return Some(format!("it must start with {}", starts.join(" or ")));
    }
    if let Some(found) = rules.excludes.iter().find(|excluded| text.contains(excluded.as_str())) {
        return Some(format!("{found:?} must not occur in it"));
    }
    let length = rules.length.filter(|length| text.chars().count() as u64 != *length)?;
    Some(format!("it must have {length} characters, not {}", text.chars().count()))
}

fn one_of<T>(values: &[EnumValue<T>]) -> String {
    let names: Vec<&str> = values.iter().map(|one| one.name.as_str()).collect();
    format!("it must be one of {}", names.join(", "))
}

fn as_byte(value: &AttributeValue) -> Option<u8> {
    match value {
        AttributeValue::N(number) => number.to_u64().and_then(|byte| u8::try_from(byte).ok()),
        _ => None,
    }
}

/// Reads a value as it is typed on a command line: text for what is stored as text, plain JSON for the rest.
///
/// # Errors
/// A sentence that says what it should have been.
pub fn parse_text(kind: &AttributeType, text: &str) -> Result<AttributeValue, String> {
    match kind {
        AttributeType::String(_) | AttributeType::Timestamp { .. } | AttributeType::Binary { .. } => {
            Ok(AttributeValue::S(text.to_owned()))
        }
        AttributeType::Number { values } if values.iter().any(|one| one.name == text) => {
            Ok(AttributeValue::S(text.to_owned()))
        }
        AttributeType::Number { .. } | AttributeType::Epoch => {
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
    form: Form,
    above: Option<&str>,
    problems: &mut Vec<ValueProblem>,
) {
    let path = |name: &str| above.map_or_else(|| name.to_owned(), |above| format!("{above}.{name}"));
    if form == Form::Stored {
        for attribute in declared {
            let path = path(&attribute.name);
            match attribute.place().get(fields) {
                Some(value) => accept(&attribute.kind, &mut value.clone(), form, &path, problems),
                None if attribute.optional => {}
                None => problems.push(ValueProblem::Missing(path)),
            }
        }
        return;
    }
    // First all declared values are taken out, then each is put where it is stored: places may be others' names.
    let mut taken: Vec<(AttributePath, AttributeValue)> = Vec::new();
    for attribute in declared {
        let path = path(&attribute.name);
        let given = fields.remove(&attribute.name).filter(|value| !means_absent(attribute, value));
        let is_given = given.is_some();
        let Some(mut value) = given.or_else(|| attribute.fill.as_ref().map(|fill| fill.value().clone())) else {
            if !attribute.optional {
                problems.push(ValueProblem::Missing(path));
            }
            continue;
        };
        accept(&attribute.kind, &mut value, form, &path, problems);
        if let (true, Some(Fill::Constant(constant))) = (is_given, &attribute.fill) {
            let mut constant = constant.clone();
            accept(&attribute.kind, &mut constant, form, &path, &mut Vec::new());
            if constant != value {
                let shown = |value: &AttributeValue| {
                    value.as_str().map_or_else(|| crate::value::to_plain_json(value), str::to_owned)
                };
                let (text, wanted) = (shown(&value), format!("it is always {}", shown(&constant)));
                problems.push(ValueProblem::WrongText { path, text, wanted });
                continue;
            }
        }
        taken.push((attribute.place(), value));
    }
    for (place, value) in taken {
        match place.first_missing(fields) {
            Some(_) => place.set(fields, value),
            None => problems.push(ValueProblem::PlaceTaken(path(&place.to_string()))),
        }
    }
}

/// A null says that an attribute is absent, where one that is null would make no sense.
fn means_absent(attribute: &Attribute, value: &AttributeValue) -> bool {
    let may_be_absent = attribute.optional || attribute.fill.is_some();
    *value == AttributeValue::Null
        && may_be_absent
        && !matches!(attribute.kind, AttributeType::Null | AttributeType::Any)
}

/// Turns a list into the set it stands for; how many members it has, or `None` for what cannot be one.
fn to_set(
    of: SetMember,
    value: &mut AttributeValue,
    form: Form,
    path: &str,
    problems: &mut Vec<ValueProblem>,
) -> Option<usize> {
    let elements = match (of, &mut *value) {
        (SetMember::String, AttributeValue::StringSet(members)) => return Some(members.len()),
        (SetMember::Number, AttributeValue::NumberSet(members)) => return Some(members.len()),
        (SetMember::Binary, AttributeValue::BinarySet(members)) => return Some(members.len()),
        (_, AttributeValue::L(elements)) if form == Form::Named => std::mem::take(elements),
        _ => return None,
    };
    let count = elements.len();
    if count == 0 {
        problems.push(ValueProblem::EmptySet(path.to_owned()));
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
            // What serde makes of a `Vec<u8>`.
            AttributeValue::L(bytes) => bytes.iter().map(as_byte).collect::<Option<Vec<u8>>>().map(Binary),
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
        problems.push(ValueProblem::MemberTwice(path.to_owned()));
    }
    *value = set;
    Some(count)
}

fn canonical_time(text: &str, precision: Precision) -> Option<String> {
    let time: Timestamp = text.parse().ok()?;
    let canonical = match precision {
        Precision::Seconds => format!("{time:.0}"),
        Precision::Milliseconds => format!("{time:.3}"),
    };
    // Years of more than four digits do not sort, and a leap second has no place of its own.
    let is_leap_second = text.get(17..19) == Some("60");
    (canonical.len() == precision.characters() && !is_leap_second).then_some(canonical)
}

fn is_same_time(one: &str, other: &str) -> bool {
    let read = |text: &str| text.parse::<Timestamp>().ok();
    read(one).is_some() && read(one) == read(other)
}

fn check_length(path: &str, bytes: usize, limit: Option<u64>, problems: &mut Vec<ValueProblem>) {
    if let Some(limit) = limit.filter(|limit| bytes as u64 > *limit) {
        problems.push(ValueProblem::TooLong { path: path.to_owned(), bytes, limit });
    }
}

fn check_count(path: &str, items: usize, limit: Option<u64>, problems: &mut Vec<ValueProblem>) {
    if let Some(limit) = limit.filter(|limit| items as u64 > *limit) {
        problems.push(ValueProblem::TooMany { path: path.to_owned(), items, limit });
    }
}

fn check_nesting(name: &str, value: &AttributeValue, problems: &mut Vec<ValueProblem>) {
    fn nesting(value: &AttributeValue) -> usize {
        match value {
            AttributeValue::L(elements) => 1 + elements.iter().map(nesting).max().unwrap_or(0),
            AttributeValue::M(fields) => 1 + fields.values().map(nesting).max().unwrap_or(0),
            _ => 0,
        }
    }
    if nesting(value) > MAX_NESTING {
        problems.push(ValueProblem::TooDeep(name.to_owned()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problems(kind: AttributeType, json: &str) -> Vec<String> {
        accepted(kind, json).1
    }

    fn accepted(kind: AttributeType, json: &str) -> (AttributeValue, Vec<String>) {
        let PlainJson(mut value) = serde_json::from_str(json).unwrap();
        let problems = check_value(&kind, &mut value, "a");
        (value, problems.iter().map(ToString::to_string).collect())
    }

    #[test]
    fn timestamps_are_stored_in_utc_and_of_one_precision() {
        let milliseconds = || AttributeType::Timestamp { precision: Precision::Milliseconds };
        for (given, stored) in [
            ("2026-12-01T09:30:00.250Z", "2026-12-01T09:30:00.250Z"),
            ("2026-12-01T09:30:00Z", "2026-12-01T09:30:00.000Z"),
            ("2014-02-11T10:00:00+02:00", "2014-02-11T08:00:00.000Z"),
        ] {
            let (value, problems) = accepted(milliseconds(), &format!("{given:?}"));
            assert_eq!((value.as_str(), problems.len()), (Some(stored), 0));
        }
        for (wrong, hint) in [
            (r#""2026-12-01T09:30:00.123456Z""#, "2026-12-01T09:30:00.123Z"),
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
            let problems = accept_all(&[], &mut Attributes::from_iter([("deep".to_owned(), value)]));
            assert_eq!(problems.is_empty(), accepted, "{levels}");
        }
    }
}
