//! Whether items of two entities can have the same primary key.

use std::cell::OnceCell;
use std::collections::BTreeSet;

use super::language::Language;
use super::leads::lead_of;
use super::pairs::compatible;
use crate::diagnostic::Diagnostic;
use crate::model::{Entity, KeyAttribute, KeyType, Table};
use crate::value::{AttributeValue, Attributes};

/// The pairs of entities that can have the same primary key.
pub(super) fn check(entities: &[&Entity], table: &Table) -> Vec<Diagnostic> {
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
