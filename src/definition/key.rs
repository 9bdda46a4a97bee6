//! `keys = { PK = "POST#{id}", SK = "META" }`

use std::collections::BTreeMap;

use super::section::{Problems, Section, Text, list};
use crate::diagnostic::{Diagnostic, Span, did_you_mean};
use crate::key::{KeyTemplate, Placeholder, Segment};
use crate::key::{ParsedSegment, parse};
use crate::model::{AttributeType, Entity, KeySchema, KeySource, Table};

/// Reads how the keys of an entity's items are made.
pub(super) fn read(
    keys: Option<Section<'_>>,
    entity: &Entity,
    table: &Table,
    problems: &mut Problems,
) -> BTreeMap<String, KeySource> {
    let mut sources = BTreeMap::new();
    let mut broken: Vec<&str> = Vec::new();
    for (name, value) in keys.iter().flat_map(Section::entries) {
        let Some(text) = value.string(problems) else {
            broken.push(name.text);
            continue;
        };
        if !table.key_attributes().contains(&name.text) {
            let meant = did_you_mean(name.text, table.key_attributes());
            problems.push(
                Diagnostic::error(
                    "entity.unknown-key-attribute",
                    name.span,
                    format!("`{}` is no key of the table, nor of an index", name.text),
                )
                .help(meant.unwrap_or_else(|| format!("the keys are {}", list(table.key_attributes())))),
            );
        } else if entity.attribute(name.text).is_some() {
            problems.push(
                Diagnostic::error(
                    "entity.key-and-attribute",
                    name.span,
                    format!("`{}` of {} has a template, and is an attribute as well", name.text, entity.name),
                )
                .help("keep one: a key that is itself an attribute needs no template"),
            );
            broken.push(name.text);
        } else {
            match read_template(name.text, text, entity, table.key.contains(name.text), problems) {
                Some(template) => drop(sources.insert(name.text.to_owned(), KeySource::Template(template))),
                None => broken.push(name.text),
            }
        }
    }
    let at = keys.as_ref().map_or(entity.span, |section| section.span);
    add_plain_attributes(&mut sources, at, entity, table, problems);
    check_primary_key(&sources, &broken, at, entity, table, problems);
    check_index_keys(&mut sources, &broken, at, entity, table, problems);
    sources
}

fn read_template(
    key: &str,
    text: Text<'_>,
    entity: &Entity,
    is_primary: bool,
    problems: &mut Problems,
) -> Option<KeyTemplate> {
    let parsed = match parse(text.text) {
        Ok(parsed) => parsed,
        Err(error) => {
            let span = inside(text, error.range);
            problems.push(
                Diagnostic::error(error.code, span, format!("the template of `{key}` is wrong: {}", error.message))
                    .help(error.help),
            );
            return None;
        }
    };
    if parsed.is_empty() {
        problems.push(
            Diagnostic::error("key-template.empty", text.span, format!("the template of `{key}` is empty"))
                .help("DynamoDB takes no empty key; write at least a literal"),
        );
        return None;
    }
    let errors = problems.len();
    let mut segments = Vec::new();
    let mut follows_a_bare_placeholder = false;
    for segment in parsed {
        let (name, range, pad, filters) = match segment {
            ParsedSegment::Literal(literal) => {
                follows_a_bare_placeholder = false;
                segments.push(Segment::Literal(literal));
                continue;
            }
            ParsedSegment::Placeholder { name, range, pad, filters } => (name, range, pad, filters),
        };
        let span = inside(text, range);
        if follows_a_bare_placeholder {
            problems.push(
                Diagnostic::error(
                    "key-template.adjacent-placeholders",
                    span,
                    format!("nothing in `{key}` tells where the value before `{{{name}}}` ends"),
                )
                .help("put a literal such as `#` between the two"),
            );
        }
        follows_a_bare_placeholder = pad.is_none() || !filters.is_empty();
        let Some(found) = entity.resolve(&name) else {
            let names = entity.attributes.iter().map(|attribute| attribute.name.as_str());
            let meant = did_you_mean(&name, names.clone());
            problems.push(
                Diagnostic::error(
                    "key-template.unknown-attribute",
                    span,
                    format!("{} has no attribute `{name}`", entity.name),
                )
                .label("not declared")
                .help(meant.unwrap_or_else(|| format!("its attributes are {}", list(names)))),
            );
            continue;
        };
        let numeric = matches!(found.kind, AttributeType::Number | AttributeType::Epoch);
        if !found.kind.fits_a_placeholder() || (pad.is_some() && !numeric) {
            let why = if pad.is_some() { "cannot be zero-padded" } else { "cannot stand in a key" };
            problems.push(
                Diagnostic::error(
                    "key-template.wrong-type",
                    span,
                    format!("`{name}` is of type `{}`, which {why}", found.kind.name()),
                )
                .help("a key takes strings, numbers, booleans, timestamps and epochs; only numbers are padded"),
            );
        }
        if is_primary && found.optional {
            problems.push(
                Diagnostic::error(
                    "key-template.optional-in-primary-key",
                    span,
                    format!("`{name}` is optional, and every item of {} needs its `{key}`", entity.name),
                )
                .help("take `optional` away, or make the key from something else"),
            );
        }
        segments.push(Segment::Placeholder(Placeholder { path: found.path, pad, filters }));
    }
    (problems.len() == errors).then(|| KeyTemplate::new(text.text, segments))
}

/// Where a part of a template stands in the file; the whole template, where escapes make that uncertain.
fn inside(text: Text<'_>, range: std::ops::Range<usize>) -> Span {
    // The raw string is the text and its two quotes when nothing in it is escaped.
    if text.span.end - text.span.start == text.text.len() + 2 {
        Span { start: text.span.start + 1 + range.start, end: text.span.start + 1 + range.end }
    } else {
        text.span
    }
}

/// Key attributes that the entity declares as plain attributes.
fn add_plain_attributes(
    sources: &mut BTreeMap<String, KeySource>,
    at: Span,
    entity: &Entity,
    table: &Table,
    problems: &mut Problems,
) {
    for name in table.key_attributes() {
        let Some(attribute) = entity.attribute(name) else { continue };
        if sources.contains_key(name) {
            continue;
        }
        if !matches!(attribute.kind, AttributeType::String { .. } | AttributeType::Timestamp { .. }) {
            problems.push(
                Diagnostic::error(
                    "key.wrong-type",
                    at,
                    format!("`{name}` of {} is a {}, and this key is a string", entity.name, attribute.kind.name()),
                )
                .help("declare it as a string, or make the key with a template"),
            );
        }
        if table.key.contains(name) && attribute.optional {
            problems.push(
                Diagnostic::error(
                    "key.optional-in-primary-key",
                    at,
                    format!("`{name}` of {} is optional, and every item needs its primary key", entity.name),
                )
                .help("take `optional` away"),
            );
        }
        sources.insert(name.to_owned(), KeySource::Attribute { optional: attribute.optional });
    }
}

fn check_primary_key(
    sources: &BTreeMap<String, KeySource>,
    broken: &[&str],
    at: Span,
    entity: &Entity,
    table: &Table,
    problems: &mut Problems,
) {
    for name in table.key.names().filter(|name| !sources.contains_key(*name) && !broken.contains(name)) {
        problems.push(
            Diagnostic::error("entity.missing-key", at, format!("nothing makes the `{name}` of {}", entity.name)).help(
                format!("add a template to its `keys`, such as `{name} = \"{}#{{id}}\"`", entity.name.to_uppercase()),
            ),
        );
    }
}

/// An item is in an index when it has all of the index's key attributes, so half of a key is a mistake.
/// Plain attributes alone are none: they may be there for their own sake.
fn check_index_keys(
    sources: &mut BTreeMap<String, KeySource>,
    broken: &[&str],
    at: Span,
    entity: &Entity,
    table: &Table,
    problems: &mut Problems,
) {
    let has_template = |sources: &BTreeMap<String, KeySource>, name: &str| {
        matches!(sources.get(name), Some(KeySource::Template(_))) && !table.key.contains(name)
    };
    for index in &table.indexes {
        let made_elsewhere = |name: &str| {
            table
                .indexes
                .iter()
                .any(|other| other.name != index.name && other.key.contains(name) && is_whole(&other.key, sources))
        };
        let missing = index.key.names().find(|name| !sources.contains_key(*name) && !broken.contains(name));
        let made = index.key.names().find(|name| has_template(sources, name) && !made_elsewhere(name));
        if let (Some(missing), Some(made)) = (missing, made) {
            problems.push(
                Diagnostic::error(
                    "entity.half-index-key",
                    at,
                    format!(
                        "{} makes `{made}` but not `{missing}`, so its items would never be in {}",
                        entity.name, index.name
                    ),
                )
                .help(format!("make `{missing}` too, or leave `{made}` out")),
            );
        }
    }
}

fn is_whole(key: &KeySchema, sources: &BTreeMap<String, KeySource>) -> bool {
    key.names().all(|name| sources.contains_key(name))
}
