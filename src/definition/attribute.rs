//! An attribute: `"string"`, or a table that says more.

use super::section::{Problems, Section, Text, Value};
use crate::diagnostic::{Diagnostic, Span, did_you_mean};
use crate::limits::{MAX_NAME_BYTES, MAX_NESTING};
use crate::model::{Attribute, AttributeType, Precision, SetMember};

const TYPES: [&str; 13] = [
    "string",
    "number",
    "binary",
    "boolean",
    "null",
    "list",
    "map",
    "string-set",
    "number-set",
    "binary-set",
    "any",
    "timestamp",
    "epoch",
];

/// Reads the attributes of an entity; with a path above, the fields of the map that stands there.
pub(super) fn read_all(
    section: &Section<'_>,
    above: Option<&str>,
    depth: usize,
    problems: &mut Problems,
) -> Vec<Attribute> {
    let read = |(name, value): (Text<'_>, Value<'_>)| {
        if name.text.is_empty() || name.text.len() > MAX_NAME_BYTES {
            problems.push(Diagnostic::error(
                "attribute.invalid-name",
                name.span,
                "an attribute's name has 1 to 65,535 bytes",
            ));
        }
        let path = above.map_or_else(|| name.text.to_owned(), |above| format!("{above}.{}", name.text));
        // An attribute whose type is wrong counts as a string, so that its mistake is told once and not at
        // every place that names it.
        let text = || (AttributeType::String { max_bytes: None, values: Vec::new() }, false);
        let (kind, optional) = read_type(&value, name.span, &path, depth, true, problems).unwrap_or_else(text);
        Attribute { name: name.text.to_owned(), kind, optional }
    };
    section.entries().into_iter().map(read).collect()
}

/// Reads a type: a word, or a table with `type` and its bounds. Only an attribute can be `optional`.
fn read_type(
    value: &Value<'_>,
    name: Span,
    path: &str,
    depth: usize,
    is_attribute: bool,
    problems: &mut Problems,
) -> Option<(AttributeType, bool)> {
    let place = &format!("attribute `{path}`");
    if depth > MAX_NESTING + 1 {
        problems.push(Diagnostic::error(
            "attribute.too-deep",
            name,
            format!("{place} is nested deeper than the {} levels that DynamoDB takes", MAX_NESTING + 1),
        ));
        return None;
    }
    if let Some(word) = value.as_string() {
        let kind = plain_type(word, problems)?;
        warn_if_unbounded(&kind, name, place, problems);
        return Some((kind, false));
    }
    let Some(mut section) = value.as_section(place) else {
        return value.wrong("a type such as `\"string\"`, or a table with `type`", problems);
    };
    let word = section.require("type", "type = \"string\"", problems).and_then(|value| value.string(problems));
    let optional = is_attribute && section.boolean("optional", problems);
    let kind = word.and_then(|word| plain_type(word, problems)).map(|mut kind| {
        read_bounds(&mut kind, &mut section, path, depth, problems);
        kind
    });
    if kind.is_some() {
        section.finish(problems);
    }
    let kind = kind?;
    warn_if_unbounded(&kind, name, place, problems);
    Some((kind, optional))
}

fn plain_type(word: Text<'_>, problems: &mut Problems) -> Option<AttributeType> {
    let set = |of| AttributeType::Set { of, max_items: None };
    Some(match word.text {
        "string" => AttributeType::String { max_bytes: None, values: Vec::new() },
        "number" => AttributeType::Number,
        "binary" => AttributeType::Binary { max_bytes: None },
        "boolean" => AttributeType::Boolean,
        "null" => AttributeType::Null,
        "list" => AttributeType::List { of: None, max_items: None },
        "map" => AttributeType::Map { attributes: Vec::new(), max_items: None },
        "string-set" => set(SetMember::String),
        "number-set" => set(SetMember::Number),
        "binary-set" => set(SetMember::Binary),
        "any" => AttributeType::Any,
        "timestamp" => AttributeType::Timestamp { precision: Precision::Milliseconds },
        "epoch" => AttributeType::Epoch,
        unknown => {
            let meant = did_you_mean(unknown, TYPES);
            problems.push(
                Diagnostic::error("attribute.unknown-type", word.span, format!("`{unknown}` is not an attribute type"))
                    .help(meant.unwrap_or_else(|| format!("the types are {}", super::section::list(TYPES)))),
            );
            return None;
        }
    })
}

/// Reads what the type at hand can be bounded by.
fn read_bounds(kind: &mut AttributeType, section: &mut Section<'_>, path: &str, depth: usize, problems: &mut Problems) {
    match kind {
        AttributeType::String { max_bytes, values } => {
            *max_bytes = section.count("max_bytes", problems);
            if let Some(written) = section.get("values") {
                *values = read_values(&written, problems);
            }
        }
        AttributeType::Binary { max_bytes } => *max_bytes = section.count("max_bytes", problems),
        AttributeType::Timestamp { precision } => {
            if let Some(word) = section.string("precision", problems) {
                match word.text {
                    "milliseconds" => *precision = Precision::Milliseconds,
                    "seconds" => *precision = Precision::Seconds,
                    other => problems.push(
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
            *max_items = section.count("max_items", problems);
            if let Some(element) = section.get("of") {
                let read = read_type(&element, element.span, &format!("{path}[]"), depth + 1, false, problems);
                *of = read.map(|(kind, _)| Box::new(kind));
            }
        }
        AttributeType::Map { attributes, max_items } => {
            let fields = section
                .get("attributes")
                .and_then(|value| value.section(format!("the attributes of `{path}`"), problems));
            match fields {
                Some(fields) => *attributes = read_all(&fields, Some(path), depth + 1, problems),
                None => *max_items = section.count("max_items", problems),
            }
        }
        AttributeType::Set { max_items, .. } => *max_items = section.count("max_items", problems),
        AttributeType::Number
        | AttributeType::Boolean
        | AttributeType::Null
        | AttributeType::Epoch
        | AttributeType::Any => {}
    }
}

fn read_values(written: &Value<'_>, problems: &mut Problems) -> Vec<String> {
    let texts = written.strings(problems).unwrap_or_default();
    let mut values: Vec<String> = Vec::new();
    for text in &texts {
        if values.iter().any(|known| known == text.text) {
            problems.push(Diagnostic::error(
                "attribute.value-twice",
                text.span,
                format!("`{}` stands twice in `values`", text.text),
            ));
        }
        values.push(text.text.to_owned());
    }
    if values.is_empty() {
        problems.push(
            Diagnostic::error("attribute.no-values", written.span, "`values` allows nothing")
                .help("list the values that the attribute may have, or leave `values` out"),
        );
    }
    values
}

fn warn_if_unbounded(kind: &AttributeType, span: Span, place: &str, problems: &mut Problems) {
    let unbounded = match kind {
        AttributeType::List { max_items, .. } | AttributeType::Set { max_items, .. } => max_items.is_none(),
        AttributeType::Map { attributes, max_items } => attributes.is_empty() && max_items.is_none(),
        _ => false,
    };
    if unbounded {
        problems.push(
            Diagnostic::warning(
                "attribute.unbounded",
                span,
                format!("{place} can grow until its item no longer fits into 400 KB"),
            )
            .label(format!("a {} without `max_items`", kind.name()))
            .help("say how many it may have: `max_items = 20`"),
        );
    }
}
