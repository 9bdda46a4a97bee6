//! Whether items of two entities can have the same primary key, and whether a query for one's would return the other's.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};

use super::language::Language;
use super::pairs::compatible;
use crate::diagnostic::Diagnostic;
use crate::key::Segment;
use crate::model::{AttributeType, Entity, KeyAttribute, KeyChoice, KeySchema, KeySource, KeyType, Table};
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
        let label = match common_key(one, other, texts.clone(), table) {
            Some(key) => {
                let shown: Vec<String> = key
                    .iter()
                    .map(|(name, value)| format!("{name} = {}", crate::value::to_plain_json(value)))
                    .collect();
                format!("both could make {}", shown.join(" and "))
            }
            // Where the parts of a key hang together, or a filter hides a value, two that meet part by part may never
            // meet as wholes. Everywhere else they do, even where no example was found.
            None if hangs_together(one, table) || hangs_together(other, table) => return None,
            None => format!("both could make keys like {}", texts.join(" and ")),
        };
        Some(
            Diagnostic::error(
                "layout.collision",
                other.span,
                format!(
                    "{} and {} can have the same primary key, and one would overwrite the other",
                    one.name, other.name
                ),
            )
            .label(label)
            .help(
                "give their keys different literals, or say what their attributes cannot hold with `excludes`, \
                 `starts_with` or `values`",
            )
            .about(format!("{}/{}", one.name, other.name)),
        )
    };
    compatible(&leads).into_iter().filter_map(collision).collect()
}

/// Whether one part of the primary key says something of the other, or a value is filtered on its way into it.
fn hangs_together(entity: &Entity, table: &Table) -> bool {
    let mut seen = BTreeSet::new();
    let mut inputs = table.key.names().flat_map(|name| entity.inputs(name));
    let is_shared = inputs.any(|path| !seen.insert(path));
    let mut sources = table.key.names().filter_map(|name| entity.keys.get(name));
    is_shared || sources.any(|source| source.placeholders().any(|one| !one.filters.is_empty()))
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
            let prefix = &literal_lead(inside[asked], sort);
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

/// The literal that all templates of a key begin with: what a query goes by.
fn literal_lead(entity: &Entity, key: &KeyAttribute) -> String {
    let choices = entity.keys.get(&key.name).map_or(&[][..], KeySource::choices);
    let literal = |choice: &KeyChoice| match choice.template.segments().first() {
        Some(Segment::Literal(text)) => text.clone(),
        _ => String::new(),
    };
    shared_beginning(&choices.iter().map(literal).collect::<Vec<_>>())
}

fn shared_beginning(texts: &[String]) -> String {
    let Some((first, rest)) = texts.split_first() else { return String::new() };
    let shared = |a: &str, b: &str| {
        a.char_indices().zip(b.chars()).take_while(|((_, a), b)| a == b).map(|((at, a), _)| at + a.len_utf8()).last()
    };
    rest.iter().fold(first.clone(), |lead, other| lead[..shared(&lead, other).unwrap_or(0)].to_owned())
}

fn is_constant(entity: &Entity, key: &KeyAttribute) -> bool {
    let choices = entity.keys.get(&key.name).map_or(&[][..], KeySource::choices);
    !choices.is_empty() && choices.iter().all(|choice| choice.template.is_constant())
}

#[cfg(test)]
mod tests {
    use crate::layout::Layout;

    /// Whether two entities collide, each written as its keys and its attributes.
    fn collide(one: (&str, &str), other: (&str, &str)) -> bool {
        let sort = if one.0.contains("SK") { "sort_key = \"SK\"\n" } else { "" };
        let entity = |name: &str, (keys, attributes): (&str, &str)| {
            format!("[entities.{name}]\nkeys = {{ {keys} }}\nattributes = {{ {attributes} }}\n")
        };
        let definition = format!(
            "[table]\nname = \"pair\"\npartition_key = \"PK\"\n{sort}{}{}",
            entity("One", one),
            entity("Other", other)
        );
        let compiled = Layout::compile(&definition);
        let errors: Vec<&str> = compiled.diagnostics.iter().filter(|one| one.is_error()).map(|one| one.code).collect();
        assert!(errors.iter().all(|code| *code == "layout.collision"), "{:#?}", compiled.diagnostics);
        !errors.is_empty()
    }

    #[test]
    fn keys_that_can_meet_are_found_whatever_narrows_them_down() {
        let every =
            "excludes = [\"x\", \"1\", \"y\", \"z\", \"a\", \"b\", \"c\", \"X\", \"Y\", \"Z\", \"0\", \"_\", \"~\"]";
        let except = format!("x = {{ type = \"string\", {every} }}");
        for (one, other) in [
            (
                ("PK = \"A#{x}\"", "x = { type = \"string\", length = 70 }"),
                ("PK = \"A#{y}\"", "y = { type = \"string\", length = 70 }"),
            ),
            (("PK = \"A#{x}\"", "x = { type = \"string\", length = 128 }"), ("PK = \"A#{y}\"", "y = \"string\"")),
            (
                ("PK = \"A#{x}\"", "x = \"timestamp\""),
                ("PK = \"A#{y}\"", "y = { type = \"string\", starts_with = \"2025-02\" }"),
            ),
            (("PK = \"A#{x|take 2}\"", "x = { type = \"string\", starts_with = \"abcd\" }"), ("PK = \"A#ab\"", "")),
            (("PK = \"A#{x|lower}\"", "x = { type = \"string\", excludes = \"a\" }"), ("PK = \"A#a\"", "")),
            (
                ("PK = \"A#{x|upper}\"", "x = { type = \"string\", length = 1 }"),
                ("PK = \"A#{y}\"", "y = { type = \"string\", length = 2 }"),
            ),
            (
                ("PK = \"A#{n:02}\"", "n = { type = \"number\", values = [1, 2] }"),
                ("PK = \"A#{m:02}\"", "m = { type = \"number\", values = [2, 3] }"),
            ),
            (("PK = \"A#{x}\"", &except), ("PK = \"A#{y}\"", "y = \"string\"")),
            (
                ("PK = \"A#{x|lower}\"", "x = { type = \"string\", excludes = [\"0\", \"1\", \"_\", \"~\"] }"),
                ("PK = \"A#{y|upper}\"", "y = \"string\""),
            ),
            (("PK = \"A#{n}\"", "n = \"number\""), ("PK = \"A#{y}\"", "y = \"string\"")),
            (
                ("PK = \"A#{x}\", SK = \"M\"", "x = \"string\""),
                ("PK = \"A#{y}#{z}\", SK = \"M\"", "y = \"string\", z = \"string\""),
            ),
            (
                ("PK = \"A#{x}\", SK = \"A#{x}\"", "x = \"string\""),
                ("PK = \"A#{p}\", SK = \"A#{q}\"", "p = \"string\", q = \"string\""),
            ),
        ] {
            assert!(collide(one, other), "{one:?} and {other:?}");
            assert!(collide(other, one), "{other:?} and {one:?}");
        }
    }

    #[test]
    fn keys_that_cannot_meet_are_left_alone() {
        for (one, other) in [
            (
                ("PK = \"A#{x}\"", "x = { type = \"string\", excludes = \"#\" }"),
                ("PK = \"A#{y}#{z}\"", "y = \"string\", z = \"string\""),
            ),
            (("PK = \"{n|take 1}\", SK = \"{n}\"", "n = \"string\""), ("PK = \"B\", SK = \"Axx\"", "")),
            (("PK = \"U#{n|lower}\", SK = \"{n}\"", "n = \"string\""), ("PK = \"U#a\", SK = \"B\"", "")),
            (
                ("PK = \"A#{x|take 10}\"", "x = \"timestamp\""),
                ("PK = \"A#{y}\"", "y = { type = \"string\", values = [\"hello\"] }"),
            ),
            (("PK = \"A#{n|take 3}\"", "n = \"number\""), ("PK = \"A#abc\"", "")),
            (
                ("PK = \"A#{n:02}\"", "n = { type = \"number\", values = [1] }"),
                ("PK = \"A#{m:02}\"", "m = { type = \"number\", values = [2] }"),
            ),
            (("PK = \"A#{x}\"", "x = \"timestamp\""), ("PK = \"A#{n}\"", "n = \"number\"")),
            (
                ("PK = \"A#{x}\"", "x = { type = \"string\", constant = \"1\" }"),
                ("PK = \"A#{y}\"", "y = { type = \"string\", constant = \"2\" }"),
            ),
            (
                ("PK = \"A#{x}\", SK = \"A#{x}\"", "x = { type = \"string\", excludes = \"#\" }"),
                ("PK = \"A#{y}\", SK = \"A#{y}#{z}\"", "y = { type = \"string\", excludes = \"#\" }, z = \"string\""),
            ),
        ] {
            assert!(!collide(one, other), "{one:?} and {other:?}");
        }
    }

    #[test]
    fn long_words_to_be_avoided_make_no_endless_search() {
        // What is too large to be drawn exactly is drawn coarser.
        let words: Vec<String> = (0..10).map(|at| format!("\"{}\"", format!("word{at}-").repeat(5))).collect();
        let attribute =
            |name: &str| format!("{name} = {{ type = \"string\", length = 100, excludes = [{}] }}", words.join(", "));
        assert!(collide(("PK = \"A#{x}\"", &attribute("x")), ("PK = \"A#{y}\"", &attribute("y"))));
    }
}
