//! Whether a query for one entity's items, by what their sort keys begin with, would return another's too.

use std::cell::OnceCell;
use std::collections::BTreeMap;

use super::language::Language;
use super::leads::{lead_of, literal_lead};
use super::pairs::compatible;
use crate::diagnostic::Diagnostic;
use crate::model::{Entity, KeyAttribute, KeySchema, KeySource, KeyType, Table};

/// One warning for each pair of entities, which lists every place. Nothing is said of those that can even share a
/// whole primary key: that is an error by itself, and where it is allowed the two are meant to stand together.
pub(super) fn check(entities: &[&Entity], table: &Table, collisions: &[Diagnostic]) -> Vec<Diagnostic> {
    let mut places: BTreeMap<(usize, usize), Vec<MixUp<'_>>> = BTreeMap::new();
    let indexes = table.indexes.iter().map(|index| (Some(index.name.as_str()), &index.key));
    for (index, schema) in std::iter::once((None, &table.key)).chain(indexes) {
        in_one_place(entities, index, schema, &mut places);
    }
    let subject = |(one, other): &(usize, usize)| format!("{}/{}", entities[*one].name, entities[*other].name);
    let collide = |pair| collisions.iter().any(|one| one.subject == Some(subject(pair)));
    let apart = places.iter().filter(|(pair, _)| !collide(pair));
    apart.filter_map(|(pair, places)| warning(places, subject(pair), table)).collect()
}

/// A query that returns more than it is meant to.
struct MixUp<'a> {
    /// The index that is queried; `None` for the table.
    index: Option<&'a str>,
    sort: &'a KeyAttribute,
    asked: &'a Entity,
    found: &'a Entity,
    prefix: String,
    /// A sort key of the other entity that begins so.
    example: String,
}

/// What a query can mix up in the table or in one index, added to each pair's places.
fn in_one_place<'a>(
    entities: &[&'a Entity],
    index: Option<&'a str>,
    schema: &'a KeySchema,
    places: &mut BTreeMap<(usize, usize), Vec<MixUp<'a>>>,
) {
    let [sort] = schema.sort.as_slice() else { return };
    if sort.kind != KeyType::String {
        return;
    }
    let is_inside = |entity: &Entity| schema.names().all(|name| entity.keys.contains_key(name));
    let inside: Vec<(usize, &Entity)> =
        entities.iter().copied().enumerate().filter(|(_, entity)| is_inside(entity)).collect();
    let leads: Vec<(String, String)> = inside
        .iter()
        .map(|(_, entity)| (lead_of(entity, schema.partition.first()), lead_of(entity, Some(sort))))
        .collect();
    let leads: Vec<(&str, &str)> = leads.iter().map(|(a, b)| (a.as_str(), b.as_str())).collect();
    let languages: Vec<OnceCell<Language>> = inside.iter().map(|_| OnceCell::new()).collect();
    let partition = |at: usize| languages[at].get_or_init(|| Language::of_keys(inside[at].1, schema.partition.iter()));
    for (one, other) in compatible(&leads) {
        for (at, with) in [(one, other), (other, one)] {
            let (asked, found) = (inside[at].1, inside[with].1);
            let prefix = literal_lead(asked, sort);
            if prefix.is_empty() || is_constant(asked, sort) {
                continue;
            }
            let sort_key = Language::of_keys(found, std::iter::once(sort));
            let Some(example) = sort_key.common_text(&Language::beginning_with(&prefix)) else { continue };
            if partition(at).common_text(partition(with)).is_none() {
                continue;
            }
            let mix_up = MixUp { index, sort, asked, found, prefix, example: example.concat() };
            places.entry((inside[one].0, inside[other].0)).or_default().push(mix_up);
        }
    }
}

fn warning(places: &[MixUp<'_>], subject: String, table: &Table) -> Option<Diagnostic> {
    let first = places.first()?;
    let place = |one: &MixUp<'_>| one.index.map_or_else(|| "the table".to_owned(), |name| format!("index {name}"));
    let by = |one: &MixUp<'_>| format!("by `{}` beginning with {:?}", one.sort.name, one.prefix);
    let message = match places {
        [only] => {
            let (asked, found) = (&only.asked.name, &only.found.name);
            format!("a query of {} for {asked} items, {}, also returns {found} items", place(only), by(only))
        }
        _ => {
            // Two entities with the same prefix are asked for by the same query.
            let mut queries: Vec<String> = places.iter().map(|one| format!("of {} {}", place(one), by(one))).collect();
            queries.dedup();
            let (one, other) = (&first.asked.name, &first.found.name);
            format!("queries return both {one} and {other} items: {}", queries.join("; "))
        }
    };
    let told_apart = match &table.type_attribute {
        Some(name) => format!("filter by `{name}`, or make the literals of the two differ"),
        None => "make the literals of the two differ".to_owned(),
    };
    let label = match places {
        [_] => format!("such as {:?}", first.example),
        _ => format!("such as {} items with {:?}", first.found.name, first.example),
    };
    Some(
        Diagnostic::warning("layout.prefix-mix-up", first.asked.span, message)
            .label(label)
            .help(told_apart)
            .about(subject),
    )
}

fn is_constant(entity: &Entity, key: &KeyAttribute) -> bool {
    let choices = entity.keys.get(&key.name).map_or(&[][..], KeySource::choices);
    !choices.is_empty() && choices.iter().all(|choice| choice.template.is_constant())
}
