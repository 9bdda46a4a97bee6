//! What all texts of a key begin with.

use crate::key::Segment;
use crate::model::{AttributeType, Entity, KeyAttribute, KeyChoice, KeySource};

/// What all texts of a key begin with.
pub(super) fn lead_of(entity: &Entity, key: Option<&KeyAttribute>) -> String {
    let choices = key.and_then(|key| entity.keys.get(&key.name)).map_or(&[][..], KeySource::choices);
    let leads: Vec<String> = choices
        .iter()
        .map(|choice| match choice.template.segments().first() {
            Some(Segment::Literal(text)) => text.clone(),
            Some(Segment::Placeholder(one)) if one.filters.is_empty() && one.pad.is_none() => {
                entity.declared_at(&one.path).map_or(String::new(), |found| lead_of_type(found.kind))
            }
            _ => String::new(),
        })
        .collect();
    shared_beginning(&leads)
}

/// What all values of a type begin with.
fn lead_of_type(kind: &AttributeType) -> String {
    let AttributeType::String(rules) = kind else { return String::new() };
    let codes: Vec<String> = rules.values.iter().map(|one| one.code.clone()).collect();
    shared_beginning(if codes.is_empty() { &rules.starts_with } else { &codes })
}

fn shared_beginning(texts: &[String]) -> String {
    let Some((first, rest)) = texts.split_first() else { return String::new() };
    let shared = |a: &str, b: &str| {
        a.char_indices().zip(b.chars()).take_while(|((_, a), b)| a == b).map(|((at, a), _)| at + a.len_utf8()).last()
    };
    rest.iter().fold(first.clone(), |lead, other| lead[..shared(&lead, other).unwrap_or(0)].to_owned())
}

/// The literal that all templates of a key begin with: what a query goes by.
pub(super) fn literal_lead(entity: &Entity, key: &KeyAttribute) -> String {
    let choices = entity.keys.get(&key.name).map_or(&[][..], KeySource::choices);
    let literal = |choice: &KeyChoice| match choice.template.segments().first() {
        Some(Segment::Literal(text)) => text.clone(),
        _ => String::new(),
    };
    shared_beginning(&choices.iter().map(literal).collect::<Vec<_>>())
}
