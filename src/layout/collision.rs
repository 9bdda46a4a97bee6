//! Whether items of two entities can have the same primary key, and whether a query for one's would return the other's.

use std::cell::OnceCell;
use std::collections::BTreeMap;

use super::language::Language;
use super::pairs::compatible;
use crate::diagnostic::Diagnostic;
use crate::key::Segment;
use crate::model::{Entity, KeyAttribute, KeySchema, KeySource, KeyType, Table};
use crate::value::AttributeValue;

type Attributes = BTreeMap<String, AttributeValue>;

/// Everything that is to be said of keys that two entities can share.
pub(super) fn check(entities: &[&Entity], table: &Table) -> Vec<Diagnostic> {
    let mut problems = collisions(entities, table);
    problems.extend(mix_ups(entities, table, &table.key, None));
    for index in &table.indexes {
        problems.extend(mix_ups(entities, table, &index.key, Some(&index.name)));
    }
    problems
}

fn collisions(entities: &[&Entity], table: &Table) -> Vec<Diagnostic> {
    let leads: Vec<(String, String)> = entities
        .iter()
        .map(|entity| (lead_of(entity, table.key.partition.first()), lead_of(entity, table.key.sort.first())))
        .collect();
    let leads: Vec<(&str, &str)> = leads.iter().map(|(a, b)| (a.as_str(), b.as_str())).collect();
    let languages: Vec<OnceCell<Language>> = entities.iter().map(|_| OnceCell::new()).collect();
    let language = |at: usize| languages[at].get_or_init(|| Language::of_keys(entities[at], table.key.attributes()));
    let collision = |(one, other): (usize, usize)| {
        let texts = language(one).common_text(language(other))?;
        let (one, other) = (entities[one], entities[other]);
        let key = common_key(one, other, texts, table)?;
        let shown: Vec<String> =
            key.iter().map(|(name, value)| format!("{name} = {}", crate::value::to_plain_json(value))).collect();
        Some(
            Diagnostic::error(
                "layout.collision",
                other.span,
                format!(
                    "{} and {} can have the same primary key, and one would overwrite the other",
                    one.name, other.name
                ),
            )
            .label(format!("both could make {}", shown.join(" and ")))
            .help(
                "give their keys different literals, or say what their attributes cannot hold with `excludes`, \
                 `starts_with` or `values`",
            )
            .about(format!("{}/{}", one.name, other.name)),
        )
    };
    compatible(&leads).into_iter().filter_map(collision).collect()
}

/// A primary key that items of both entities can have, tried on their own templates: these texts, or others near them.
fn common_key(one: &Entity, other: &Entity, texts: Vec<String>, table: &Table) -> Option<Attributes> {
    let typed = |(key, text): (&KeyAttribute, String)| {
        let value = match key.kind {
            KeyType::String => AttributeValue::S(text),
            KeyType::Number => AttributeValue::N(text.parse().ok()?),
            KeyType::Binary => AttributeValue::B(crate::value::Binary(text.into_bytes())),
        };
        Some((key.name.clone(), value))
    };
    let found = table.key.attributes().zip(texts).map(typed).collect::<Option<Attributes>>()?;
    let both_make = |key: &Attributes| one.could_have(table, key) && other.could_have(table, key);
    if both_make(&found) {
        return Some(found);
    }
    // An attribute that stands in both parts of a key must be the same in both: one part may give it to the other.
    let candidates = [one, other].into_iter().flat_map(|entity| {
        table.key.names().filter_map(|name| from_part(entity, table, &found, name)).collect::<Vec<_>>()
    });
    candidates.into_iter().find(both_make)
}

/// The key that an entity makes whose attributes are read from one part of a key, and from the other what is missing.
fn from_part(entity: &Entity, table: &Table, key: &Attributes, first: &str) -> Option<Attributes> {
    let mut attributes = Attributes::new();
    let rest = table.key.names().filter(|name| *name != first);
    for name in std::iter::once(first).chain(rest) {
        for (path, value) in entity.read_back(key, name)? {
            if path.get(&attributes).is_none() {
                path.set(&mut attributes, value);
            }
        }
    }
    entity.primary_key(table, &attributes).ok()
}

/// Queries for one entity's items, by what their sort keys begin with, that would return another's too.
fn mix_ups(entities: &[&Entity], table: &Table, schema: &KeySchema, index: Option<&str>) -> Vec<Diagnostic> {
    let [sort] = schema.sort.as_slice() else { return Vec::new() };
    if sort.kind != KeyType::String {
        return Vec::new();
    }
    let inside: Vec<&Entity> =
        entities.iter().copied().filter(|entity| schema.names().all(|name| entity.keys.contains_key(name))).collect();
    let leads: Vec<(String, String)> =
        inside.iter().map(|entity| (lead_of(entity, schema.partition.first()), lead_of(entity, Some(sort)))).collect();
    let leads: Vec<(&str, &str)> = leads.iter().map(|(a, b)| (a.as_str(), b.as_str())).collect();
    let languages: Vec<OnceCell<Language>> = inside.iter().map(|_| OnceCell::new()).collect();
    let partition = |at: usize| languages[at].get_or_init(|| Language::of_keys(inside[at], schema.partition.iter()));
    let mut problems = Vec::new();
    for (one, other) in compatible(&leads) {
        for (asked, found) in [(one, other), (other, one)] {
            let prefix = leads[asked].1;
            if prefix.is_empty() || is_constant(inside[asked], sort) {
                continue;
            }
            let sort_key = Language::of_keys(inside[found], std::iter::once(sort));
            let Some(example) = sort_key.common_text(&Language::beginning_with(prefix)) else { continue };
            if partition(asked).common_text(partition(found)).is_none() {
                continue;
            }
            problems.push(mix_up(inside[asked], inside[found], prefix, &example.concat(), sort, table, index));
        }
    }
    problems
}

fn mix_up(
    asked: &Entity,
    found: &Entity,
    prefix: &str,
    example: &str,
    sort: &KeyAttribute,
    table: &Table,
    index: Option<&str>,
) -> Diagnostic {
    let place = index.map_or_else(|| "the table".to_owned(), |name| format!("index {name}"));
    let told_apart = match &table.type_attribute {
        Some(name) => format!("filter by `{name}`, or make the literals of the two differ"),
        None => "make the literals of the two differ".to_owned(),
    };
    Diagnostic::warning(
        "layout.prefix-mix-up",
        asked.span,
        format!(
            "a query of {place} for {} items, by `{}` beginning with {prefix:?}, also returns {} items",
            asked.name, sort.name, found.name
        ),
    )
    .label(format!("such as {example:?}"))
    .help(told_apart)
    .about(format!("{}/{}", asked.name, found.name))
}

/// What all texts of a key begin with.
fn lead_of(entity: &Entity, key: Option<&KeyAttribute>) -> String {
    let choices = key.and_then(|key| entity.keys.get(&key.name)).map_or(&[][..], KeySource::choices);
    let leads: Vec<&str> = choices
        .iter()
        .map(|choice| match choice.template.segments().first() {
            Some(Segment::Literal(text)) => text.as_str(),
            _ => "",
        })
        .collect();
    let Some((first, rest)) = leads.split_first() else { return String::new() };
    let shared = |a: &str, b: &str| {
        a.char_indices().zip(b.chars()).take_while(|((_, a), b)| a == b).map(|((at, a), _)| at + a.len_utf8()).last()
    };
    rest.iter().fold((*first).to_owned(), |lead, other| lead[..shared(&lead, other).unwrap_or(0)].to_owned())
}

fn is_constant(entity: &Entity, key: &KeyAttribute) -> bool {
    let choices = entity.keys.get(&key.name).map_or(&[][..], KeySource::choices);
    !choices.is_empty() && choices.iter().all(|choice| choice.template.is_constant())
}
