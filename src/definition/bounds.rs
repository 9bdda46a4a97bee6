//! What a type can be bounded by.

use super::attribute::AttributeReader;
use super::section::{Problems, Section, Text, Value};
use crate::diagnostic::Diagnostic;
use crate::model::{AttributeType, EnumValue, Precision, StringRules};
use crate::value::{AttributeValue, Number};

/// Reads what the type at hand can be bounded by.
pub(super) fn read<'t>(
    reader: &mut AttributeReader<'_, 't>,
    kind: &mut AttributeType,
    section: &mut Section<'t>,
    path: &str,
    depth: usize,
) {
    match kind {
        AttributeType::String(rules) => read_string(rules, section, reader.problems),
        AttributeType::Number { values } => {
            if let Some(written) = section.get("values") {
                *values = read_numbers(&written, reader.problems);
            }
        }
        AttributeType::Binary { max_bytes } => *max_bytes = section.count("max_bytes", reader.problems),
        AttributeType::Timestamp { precision } => {
            if let Some(word) = section.string("precision", reader.problems) {
                match word.text {
                    "milliseconds" => *precision = Precision::Milliseconds,
                    "seconds" => *precision = Precision::Seconds,
                    other => reader.problems.push(
                        Diagnostic::error(
                            "attribute.unknown-precision",
                            word.span,
                            format!("`{other}` is not a precision of timestamps"),
                        )
                        .help("it is `milliseconds` or `seconds`"),
                    ),
                }
            }
        }
        AttributeType::List { of, max_items } => {
            *max_items = section.count("max_items", reader.problems);
            if let Some(element) = section.get("of") {
                *of = reader.read_type(&element, element.span, &format!("{path}[]"), depth + 1).map(Box::new);
            }
        }
        AttributeType::Map { attributes, of, max_items } => {
            let fields = section
                .get("attributes")
                .and_then(|value| value.section(format!("the attributes of `{path}`"), reader.problems));
            match fields {
                Some(fields) => *attributes = reader.read_all(&fields, Some(path), depth + 1),
                None => {
                    *max_items = section.count("max_items", reader.problems);
                    if let Some(value) = section.get("of") {
                        *of = reader.read_type(&value, value.span, &format!("{path}.*"), depth + 1).map(Box::new);
                    }
                }
            }
        }
        AttributeType::Set { max_items, .. } => *max_items = section.count("max_items", reader.problems),
        AttributeType::Boolean | AttributeType::Null | AttributeType::Epoch | AttributeType::Any => {}
    }
}

fn read_string(rules: &mut StringRules, section: &mut Section<'_>, problems: &mut Problems) {
    let texts = |texts: Vec<Text<'_>>| texts.into_iter().map(|text| text.text.to_owned()).collect();
    rules.max_bytes = section.count("max_bytes", problems);
    rules.starts_with = texts(section.texts("starts_with", problems));
    for text in section.texts("excludes", problems) {
        match text.text {
            "" => problems.push(
                Diagnostic::error("attribute.impossible-value", text.span, "every text holds the empty one")
                    .help("exclude a text of at least one character"),
            ),
            other => rules.excludes.push(other.to_owned()),
        }
    }
    rules.length = section.count("length", problems);
    let Some(written) = section.get("values") else { return };
    let read =
        read_named(&written, problems, |value, problems| value.string(problems).map(|text| text.text.to_owned()));
    for (value, text) in &read {
        let too_long = rules.max_bytes.filter(|limit| value.code.len() as u64 > *limit);
        let why = too_long.map(|limit| format!("it may have at most {limit} bytes"));
        let Some(why) = why.or_else(|| crate::model::broken_rule(rules, &value.code)) else { continue };
        problems.push(
            Diagnostic::error(
                "attribute.impossible-value",
                text.span,
                format!("`{}` can never be the value: {why}", value.code),
            )
            .help("take the value out, or loosen what stands beside `values`"),
        );
    }
    rules.values = read.into_iter().map(|(value, _)| value).collect();
}

fn read_numbers(written: &Value<'_>, problems: &mut Problems) -> Vec<EnumValue<Number>> {
    let number = |value: &Value<'_>, problems: &mut Problems| match value.plain(problems)? {
        AttributeValue::N(number) => Some(number),
        _ => value.wrong("a number", problems),
    };
    read_named(written, problems, number).into_iter().map(|(value, _)| value).collect()
}

/// Reads `["open", "closed"]`, each value its own name, or `{ open = "0", closed = "1" }`.
fn read_named<'t, T: Clone + PartialEq + ToString>(
    written: &Value<'t>,
    problems: &mut Problems,
    code: impl Fn(&Value<'t>, &mut Problems) -> Option<T>,
) -> Vec<(EnumValue<T>, Value<'t>)> {
    let mut values: Vec<(EnumValue<T>, Value<'t>)> = Vec::new();
    let mut add = |value: EnumValue<T>, at: Value<'t>, problems: &mut Problems| {
        if values.iter().any(|(known, _)| known.name == value.name || known.code == value.code) {
            let message = format!("`{}` stands twice in `values`", value.code.to_string());
            problems.push(Diagnostic::error("attribute.value-twice", at.span, message));
        }
        values.push((value, at));
    };
    if let Some(elements) = written.as_elements() {
        for element in elements {
            if let Some(code) = code(&element, problems) {
                add(EnumValue { name: code.to_string(), code }, element, problems);
            }
        }
    } else if let Some(section) = written.as_section("`values`") {
        for (name, value) in section.entries() {
            if let Some(code) = code(&value, problems) {
                add(EnumValue { name: name.text.to_owned(), code }, value, problems);
            }
        }
    } else {
        written.wrong::<()>("a list of values, or a table that gives each name its code", problems);
        return Vec::new();
    }
    if values.is_empty() {
        problems.push(
            Diagnostic::error("attribute.no-values", written.span, "`values` allows nothing")
                .help("list the values that the attribute may have, or leave `values` out"),
        );
    }
    values
}
