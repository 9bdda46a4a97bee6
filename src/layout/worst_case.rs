//! Whether the largest item that an entity's declarations allow still fits, counting what is bounded.

use crate::diagnostic::Diagnostic;
use crate::key::Segment;
use crate::limits::{MAX_ITEM_BYTES, MAX_NUMBER_BYTES};
use crate::model::{Attribute, AttributeType, Entity, KeySource, Precision, SetMember, Table};

/// Says so when the bounded attributes alone can take an item over 400 KB.
pub(super) fn check(entity: &Entity, table: &Table) -> Option<Diagnostic> {
    let mut weights: Vec<(u64, &str)> = entity
        .attributes
        .iter()
        .map(|attribute| {
            ((attribute.name.len() as u64).saturating_add(largest(&attribute.kind)), attribute.name.as_str())
        })
        .collect();
    let keys = sum(table.key_attributes().into_iter().map(|name| key_bytes(name, entity)));
    let marker = table.type_attribute.as_ref().map_or(0, |name| (name.len() + entity.name.len()) as u64);
    let total = sum([keys, marker].into_iter().chain(weights.iter().map(|(bytes, _)| *bytes)));
    if total <= MAX_ITEM_BYTES {
        return None;
    }
    weights.sort_by(|a, b| b.cmp(a));
    let heaviest: Vec<String> =
        weights.iter().take(3).map(|(bytes, name)| format!("`{name}` up to {bytes} bytes")).collect();
    Some(
        Diagnostic::error(
            "entity.too-large",
            entity.span,
            format!(
                "an item of {} may grow to {total} bytes, and DynamoDB takes at most {MAX_ITEM_BYTES} bytes",
                entity.name
            ),
        )
        .label(heaviest.join(", "))
        .help("lower `max_bytes` or `max_items`, or move what is large into items of its own"),
    )
}

/// The most bytes that a templated key adds; a plain attribute has been counted already.
fn key_bytes(name: &str, entity: &Entity) -> u64 {
    let Some(KeySource::Template(template)) = entity.keys.get(name) else { return 0 };
    let segment = |segment: &Segment| match segment {
        Segment::Literal(text) => text.len() as u64,
        Segment::Placeholder(placeholder) => {
            entity.resolve(&placeholder.path.to_string()).map_or(0, |found| largest(found.kind))
        }
    };
    sum(template.segments().iter().map(segment)).saturating_add(name.len() as u64)
}

fn sum(bytes: impl Iterator<Item = u64>) -> u64 {
    bytes.fold(0, u64::saturating_add)
}

/// The most bytes that a value of the type takes; 0 for what has no bound.
fn largest(kind: &AttributeType) -> u64 {
    match kind {
        AttributeType::String { values, .. } if !values.is_empty() => {
            values.iter().map(|value| value.len() as u64).max().unwrap_or(0)
        }
        AttributeType::String { max_bytes, .. } | AttributeType::Binary { max_bytes } => max_bytes.unwrap_or(0),
        AttributeType::Number | AttributeType::Epoch => MAX_NUMBER_BYTES,
        AttributeType::Boolean | AttributeType::Null => 1,
        AttributeType::Timestamp { precision: Precision::Seconds } => 20,
        AttributeType::Timestamp { precision: Precision::Milliseconds } => 24,
        AttributeType::List { of, max_items } => {
            let element = of.as_deref().map_or(0, largest);
            max_items.unwrap_or(0).saturating_mul(element.saturating_add(1)).saturating_add(3)
        }
        AttributeType::Map { attributes, max_items } => {
            let field = |field: &Attribute| largest(&field.kind).saturating_add(1 + field.name.len() as u64);
            sum(attributes.iter().map(field)).saturating_add(max_items.unwrap_or(0)).saturating_add(3)
        }
        AttributeType::Set { of: SetMember::Number, max_items } => {
            max_items.unwrap_or(0).saturating_mul(MAX_NUMBER_BYTES)
        }
        AttributeType::Set { .. } | AttributeType::Any => 0,
    }
}
