//! Whether the largest item that an entity's declarations allow still fits, counting what is bounded.

use crate::diagnostic::Diagnostic;
use crate::key::{Filter, Placeholder, Segment};
use crate::limits::{MAX_ITEM_BYTES, MAX_NUMBER_BYTES};
use crate::model::{Attribute, AttributeType, Entity, SetMember, Storage, Table};

/// Says so when the bounded attributes alone can take an item over 400 KB.
pub(super) fn check(entity: &Entity, table: &Table) -> Option<Diagnostic> {
    let mut weights: Vec<(u64, &str)> = entity
        .attributes
        .iter()
        .filter(|attribute| attribute.stored != Storage::KeyOnly)
        .map(|attribute| (names_bytes(attribute).saturating_add(largest(&attribute.kind)), attribute.name.as_str()))
        .collect();
    let keys = sum(table.key_attributes().into_iter().map(|name| key_bytes(name, entity)));
    let marker = table.type_attribute.as_ref().map_or(0, |name| (name.len() + entity.type_value.len()) as u64);
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
        .help("lower `max_bytes` or `max_items`, or move what is large into items of its own")
        .about(&entity.name),
    )
}

/// The names on the way to where an attribute is stored, and the maps between them.
fn names_bytes(attribute: &Attribute) -> u64 {
    attribute.place().steps().iter().filter_map(|step| step.name()).map(|name| name.len() as u64 + 4).sum::<u64>() - 4
}

/// The most bytes that a templated key adds; a plain attribute has been counted already.
fn key_bytes(name: &str, entity: &Entity) -> u64 {
    let choices = entity.keys.get(name).map_or(&[][..], |source| source.choices());
    let placeholder_bytes = |placeholder: &Placeholder| {
        let value = entity.declared_at(&placeholder.path).map_or(0, |found| largest(found.kind));
        placeholder.filters.iter().fold(value, |bytes, filter| match filter {
            Filter::Take(count) => bytes.min((*count as u64).saturating_mul(4)),
            Filter::Shard(count) => (*count as u64).to_string().len() as u64,
            Filter::Or(text) => bytes.max(text.len() as u64),
            Filter::Lower | Filter::Upper => bytes,
        })
    };
    let segment = |segment: &Segment| match segment {
        Segment::Literal(text) => text.len() as u64,
        Segment::Placeholder(placeholder) => placeholder_bytes(placeholder),
    };
    let largest = choices.iter().map(|choice| sum(choice.template.segments().iter().map(segment))).max();
    largest.map_or(0, |bytes| bytes.saturating_add(name.len() as u64))
}

fn sum(bytes: impl Iterator<Item = u64>) -> u64 {
    bytes.fold(0, u64::saturating_add)
}

/// The most bytes that a value of the type takes; 0 for what has no bound.
fn largest(kind: &AttributeType) -> u64 {
    match kind {
        AttributeType::String(rules) if !rules.values.is_empty() => {
            rules.values.iter().map(|value| value.code.len() as u64).max().unwrap_or(0)
        }
        AttributeType::String(rules) => rules.max_bytes.or(rules.length).unwrap_or(0),
        AttributeType::Binary { max_bytes } => max_bytes.unwrap_or(0),
        AttributeType::Number { .. } | AttributeType::Epoch => MAX_NUMBER_BYTES,
        AttributeType::Boolean | AttributeType::Null => 1,
        AttributeType::Timestamp { precision } => precision.characters() as u64,
        AttributeType::List { of, max_items } => {
            let element = of.as_deref().map_or(0, largest);
            max_items.unwrap_or(0).saturating_mul(element.saturating_add(1)).saturating_add(3)
        }
        AttributeType::Map { attributes, of, max_items } => {
            let field = |field: &Attribute| largest(&field.kind).saturating_add(1 + names_bytes(field));
            // The name of a free field has a byte at least, and each field one more.
            let free = of.as_deref().map_or(0, largest).saturating_add(if of.is_some() { 2 } else { 1 });
            sum(attributes.iter().map(field))
                .saturating_add(max_items.unwrap_or(0).saturating_mul(free))
                .saturating_add(3)
        }
        AttributeType::Set { of: SetMember::Number, max_items } => {
            max_items.unwrap_or(0).saturating_mul(MAX_NUMBER_BYTES)
        }
        AttributeType::Set { .. } | AttributeType::Any => 0,
    }
}
