//! A key's template, held against the attributes that it names.

use super::error_count;
use super::section::{Problems, Text, list};
use crate::diagnostic::{Diagnostic, Span, did_you_mean};
use crate::key::{Filter, KeyTemplate, ParsedSegment, Placeholder, Segment, parse};
use crate::limits::{MAX_PARTITION_KEY_BYTES, MAX_SORT_KEY_BYTES};
use crate::model::{AttributeType, Entity, KeyAttribute, KeyType, Resolved, Storage};
use crate::value::Number;

/// How many partitions a template may spread one source's items over: each is read by itself.
const MAX_SHARDS: usize = 1000;

/// Reads the template of a key.
pub(super) fn read(
    key: &KeyAttribute,
    text: Text<'_>,
    entity: &Entity,
    is_primary: bool,
    is_sort: bool,
    problems: &mut Problems,
) -> Option<KeyTemplate> {
    let parsed = match parse(text.text) {
        Ok(parsed) => parsed,
        Err(error) => {
            let span = text.part(error.range);
            problems.push(
                Diagnostic::error(
                    error.code,
                    span,
                    format!("the template of `{}` is wrong: {}", key.name, error.message),
                )
                .help(error.help),
            );
            return None;
        }
    };
    if parsed.is_empty() {
        problems.push(
            Diagnostic::error("key-template.empty", text.span, format!("the template of `{}` is empty", key.name))
                .help("DynamoDB takes no empty key; write at least a literal"),
        );
        return None;
    }
    let errors = error_count(problems);
    let mut segments = Vec::new();
    let mut follows_a_bare_placeholder = false;
    let mut adjacent = Vec::new();
    for segment in parsed {
        let (name, range, pad, filters) = match segment {
            ParsedSegment::Literal(literal) => {
                follows_a_bare_placeholder = false;
                segments.push(Segment::Literal(literal));
                continue;
            }
            ParsedSegment::Placeholder { name, range, pad, filters } => (name, range, pad, filters),
        };
        let span = text.part(range);
        if follows_a_bare_placeholder {
            let message = format!("nothing in `{}` tells where the value before `{{{name}}}` ends", key.name);
            adjacent.push(
                Diagnostic::error("key-template.adjacent-placeholders", span, message)
                    .help("put a literal such as `#` between the two, or give the first a fixed `length`"),
            );
        }
        let found = resolve(&name, span, entity, problems);
        let placeholder = found.as_ref().map(|found| placeholder(found, pad, filters, entity, is_primary));
        follows_a_bare_placeholder = placeholder.as_ref().is_none_or(|one| one.fixed_characters().is_none());
        let (Some(found), Some(placeholder)) = (found, placeholder) else { continue };
        check_type(&name, &found, &placeholder, key, span, problems);
        if is_sort {
            warn_if_unpadded(&name, &found, &placeholder, key, entity, span, problems);
        }
        if is_primary && found.optional && !placeholder.has_fallback() {
            problems.push(
                Diagnostic::error(
                    "key-template.optional-in-primary-key",
                    span,
                    format!("`{name}` is optional, and every item of {} needs its `{}`", entity.name, key.name),
                )
                .help("take `optional` away, or say what stands for it with `|or TEXT`"),
            );
        }
        segments.push(Segment::Placeholder(placeholder));
    }
    let is_read_back = |segment: &Segment| matches!(segment, Segment::Placeholder(one) if one.must_read_back);
    if is_primary || segments.iter().any(is_read_back) {
        problems.extend(adjacent);
    } else {
        // Such a key tells nothing that the item does not hold besides: only the order of its entries may surprise.
        problems.extend(adjacent.into_iter().map(|one| one.about(format!("{}.{}", entity.name, key.name))));
    }
    check_key_type(key, &segments, entity, text, problems);
    check_length(key, &segments, is_sort, text, problems);
    let is_sound = error_count(problems) == errors;
    let template = KeyTemplate::new(text.text, segments);
    if template.shards() > MAX_SHARDS {
        problems.push(
            Diagnostic::error(
                "key-template.too-many-shards",
                text.span,
                format!(
                    "`{}` has {} shards, and finding the items of one source reads each",
                    key.name,
                    template.shards()
                ),
            )
            .help(format!("have at most {MAX_SHARDS} shards in one template")),
        );
        return None;
    }
    is_sound.then_some(template)
}

fn resolve<'e>(name: &str, span: Span, entity: &'e Entity, problems: &mut Problems) -> Option<Resolved<'e>> {
    let found = entity.resolve(name);
    if found.is_none() {
        let names = entity.attributes.iter().map(|attribute| attribute.name.as_str());
        let meant = did_you_mean(name, names.clone());
        problems.push(
            Diagnostic::error(
                "key-template.unknown-attribute",
                span,
                format!("{} has no attribute `{name}`", entity.name),
            )
            .label("not declared")
            .help(meant.unwrap_or_else(|| format!("its attributes are {}", list(names)))),
        );
    }
    found
}

fn placeholder(
    found: &Resolved<'_>,
    pad: Option<usize>,
    filters: Vec<Filter>,
    entity: &Entity,
    is_primary: bool,
) -> Placeholder {
    let is_key_only =
        |attribute: &crate::model::Attribute| attribute.stored == Storage::KeyOnly && attribute.place() == found.path;
    Placeholder {
        path: found.path.clone(),
        pad,
        filters,
        characters: found.kind.fixed_characters(),
        must_read_back: is_primary || entity.attributes.iter().any(is_key_only),
    }
}

fn check_type(
    name: &str,
    found: &Resolved<'_>,
    placeholder: &Placeholder,
    key: &KeyAttribute,
    span: Span,
    problems: &mut Problems,
) {
    let is_numeric = matches!(found.kind, AttributeType::Number { .. } | AttributeType::Epoch);
    let why = match (placeholder.pad.is_some() && !is_numeric, key.kind) {
        (true, _) => "cannot be zero-padded",
        (false, KeyType::String) if !found.kind.fits_a_placeholder() => "cannot stand in a key",
        _ => return,
    };
    problems.push(
        Diagnostic::error(
            "key-template.wrong-type",
            span,
            format!("`{name}` is of type `{}`, which {why}", found.kind.name()),
        )
        .help("a key takes strings, numbers, booleans, timestamps and epochs; only numbers are padded"),
    );
}

/// Text sorts by its first character that differs: 900 after 2800.
fn warn_if_unpadded(
    name: &str,
    found: &Resolved<'_>,
    placeholder: &Placeholder,
    key: &KeyAttribute,
    entity: &Entity,
    span: Span,
    problems: &mut Problems,
) {
    let is_number = match found.kind {
        AttributeType::Number { values } => values.is_empty(),
        AttributeType::Epoch => true,
        _ => false,
    };
    if key.kind == KeyType::String && is_number && placeholder.pad.is_none() && placeholder.filters.is_empty() {
        problems.push(
            Diagnostic::warning(
                "key-template.unpadded-number",
                span,
                format!("`{}` is text and sorts as such, so that {name} 900 comes after 2800", key.name),
            )
            .help(format!("pad it to the width of the largest: `{{{name}:010}}`"))
            .about(format!("{}.{}", entity.name, key.name)),
        );
    }
}

/// The literals alone must leave room for a value.
fn check_length(key: &KeyAttribute, segments: &[Segment], is_sort: bool, text: Text<'_>, problems: &mut Problems) {
    let limit = if is_sort { MAX_SORT_KEY_BYTES } else { MAX_PARTITION_KEY_BYTES };
    let bytes: usize = segments
        .iter()
        .map(|segment| match segment {
            Segment::Literal(literal) => literal.len(),
            Segment::Placeholder(_) => 1,
        })
        .sum();
    if bytes > limit {
        problems.push(
            Diagnostic::error(
                "key-template.too-long",
                text.span,
                format!(
                    "`{}` would have at least {bytes} bytes, and DynamoDB takes at most {limit} bytes there",
                    key.name
                ),
            )
            .help("shorten its literals"),
        );
    }
}

/// A key that is a number or bytes is one whole value.
fn check_key_type(key: &KeyAttribute, segments: &[Segment], entity: &Entity, text: Text<'_>, problems: &mut Problems) {
    let is_bare = |one: &Placeholder| one.pad.is_none() && one.filters.is_empty();
    let is_right = match (key.kind, segments) {
        (KeyType::String, _) => true,
        (kind, [Segment::Placeholder(one)]) => {
            is_bare(one) && entity.declared_at(&one.path).is_none_or(|found| found.kind.can_be_key(kind))
        }
        (KeyType::Number, [Segment::Literal(literal)]) => literal.parse::<Number>().is_ok(),
        // A placeholder that could not be resolved has been told already.
        (_, []) => true,
        _ => false,
    };
    if !is_right {
        problems.push(
            Diagnostic::error(
                "key-template.not-of-key-type",
                text.span,
                format!("`{}` is a {}, and this template does not make one", key.name, key.kind.name()),
            )
            .help(format!(
                "use one bare placeholder of that type, such as `{{score}}`, or make `{}` a string",
                key.name
            )),
        );
    }
}
