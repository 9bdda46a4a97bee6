//! `keys = { PK = "POST#{id}", SK = "META" }`

use std::collections::BTreeMap;

use super::section::{Problems, Section, Value, list};
use super::template;
use crate::diagnostic::{Diagnostic, Span, did_you_mean};
use crate::model::{Entity, KeyAttribute, KeyChoice, KeySchema, KeySource, Storage, Table, When, WhenIs, check_value};

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
        let Some(key) = table.key_attribute(name.text) else {
            let meant = did_you_mean(name.text, table.key_attributes());
            problems.push(
                Diagnostic::error(
                    "entity.unknown-key-attribute",
                    name.span,
                    format!("`{}` is no key of the table, nor of an index", name.text),
                )
                .help(meant.unwrap_or_else(|| format!("the keys are {}", list(table.key_attributes())))),
            );
            continue;
        };
        if let Some(attribute) = entity.stored_under(name.text) {
            problems.push(
                Diagnostic::error(
                    "entity.key-and-attribute",
                    name.span,
                    format!(
                        "`{}` of {} has a template, and is the attribute `{}` as well",
                        name.text, entity.name, attribute.name
                    ),
                )
                .help("keep one: a key that is itself an attribute needs no template"),
            );
            broken.push(name.text);
            continue;
        }
        match read_choices(key, &value, entity, table, problems) {
            Some(choices) => drop(sources.insert(name.text.to_owned(), KeySource::Made(choices))),
            None => broken.push(name.text),
        }
    }
    let at = keys.as_ref().map_or(entity.span, |section| section.span);
    add_plain_attributes(&mut sources, at, entity, table, problems);
    check_primary_key(&sources, &broken, at, entity, table, problems);
    check_index_keys(&mut sources, &broken, at, entity, table, problems);
    if broken.is_empty() {
        check_key_only(&sources, entity, table, problems);
    }
    spare_index_keys(&mut sources, table);
    sources
}

/// What the primary key gives back need not come back from an index's key too.
fn spare_index_keys(sources: &mut BTreeMap<String, KeySource>, table: &Table) {
    let primary = table.key.names().filter_map(|name| sources.get(name)).flat_map(KeySource::placeholders);
    let given: Vec<_> = primary.filter(|one| one.filters.is_empty()).map(|one| one.path.clone()).collect();
    for (_, source) in sources.iter_mut().filter(|(name, _)| !table.key.contains(name)) {
        let KeySource::Made(choices) = source else { continue };
        for choice in choices {
            given.iter().for_each(|path| choice.template.need_not_give_back(path));
        }
    }
}

/// A template, a table with one and when it holds, or a list of such tables.
fn read_choices(
    key: &KeyAttribute,
    value: &Value<'_>,
    entity: &Entity,
    table: &Table,
    problems: &mut Problems,
) -> Option<Vec<KeyChoice>> {
    let Some(elements) = value.as_elements() else {
        return Some(vec![read_choice(key, value, entity, table, problems)?]);
    };
    if elements.is_empty() {
        return value.wrong("a template, or a list of at least one", problems);
    }
    let mut choices: Vec<KeyChoice> = Vec::new();
    for element in &elements {
        if choices.last().is_some_and(|earlier| earlier.when.is_empty()) {
            problems.push(
                Diagnostic::error(
                    "key.choice-unreachable",
                    element.span,
                    format!("this is never used: the choice before it makes `{}` in any case", key.name),
                )
                .help("give the earlier one a `when`, or take this one away"),
            );
        }
        choices.push(read_choice(key, element, entity, table, problems)?);
    }
    Some(choices)
}

fn read_choice(
    key: &KeyAttribute,
    value: &Value<'_>,
    entity: &Entity,
    table: &Table,
    problems: &mut Problems,
) -> Option<KeyChoice> {
    let is_primary = table.key.contains(&key.name);
    let sorts = |schema: &KeySchema| schema.sort.iter().any(|sort| sort.name == key.name);
    let is_sort = sorts(&table.key) || table.indexes.iter().any(|index| sorts(&index.key));
    if let Some(text) = value.as_string() {
        let template = template::read(key, text, entity, is_primary, is_sort, problems)?;
        return Some(KeyChoice { template, when: Vec::new() });
    }
    let Some(mut section) = value.as_section(format!("`{}` of {}", key.name, entity.name)) else {
        return value.wrong("a template, or a table with `template` and `when`", problems);
    };
    let text = section.require("template", "template = \"OPEN#{queue}\"", problems);
    let text = text.and_then(|value| value.string(problems));
    let when = section.get("when");
    section.finish(problems);
    if let (true, Some(when)) = (is_primary, &when) {
        problems.push(
            Diagnostic::error(
                "key.when-in-primary-key",
                when.span,
                format!("every item of {} needs its `{}`, whatever it holds", entity.name, key.name),
            )
            .help("take `when` away; only the keys of indexes can have one"),
        );
    }
    let when = when.map(|value| read_when(&value, entity, problems)).unwrap_or_default();
    let template = template::read(key, text?, entity, is_primary, is_sort, problems)?;
    Some(KeyChoice { template, when })
}

fn read_when(value: &Value<'_>, entity: &Entity, problems: &mut Problems) -> Vec<When> {
    let Some(section) = value.section("`when`", problems) else { return Vec::new() };
    let mut all = Vec::new();
    for (name, value) in section.entries() {
        let Some(found) = entity.resolve(name.text) else {
            let names = entity.attributes.iter().map(|attribute| attribute.name.as_str());
            let meant = did_you_mean(name.text, names.clone());
            problems.push(
                Diagnostic::error(
                    "key.when-unknown-attribute",
                    name.span,
                    format!("{} has no attribute `{}`", entity.name, name.text),
                )
                .help(meant.unwrap_or_else(|| format!("its attributes are {}", list(names)))),
            );
            continue;
        };
        if value.as_string().is_some_and(|text| text.text == "present") {
            all.push(When { path: found.path, is: WhenIs::Present });
            continue;
        }
        let mut values = Vec::new();
        for one in value.as_elements().unwrap_or_else(|| vec![value.clone()]) {
            let Some(mut wanted) = one.plain(problems) else { continue };
            match check_value(found.kind, &mut wanted, name.text).first() {
                None => values.push(wanted),
                Some(problem) => problems.push(
                    Diagnostic::error(
                        "key.when-wrong-value",
                        one.span,
                        format!("no item of {} can hold this: {problem}", entity.name),
                    )
                    .help("write a value that the attribute can have, a list of them, or `\"present\"`"),
                ),
            }
        }
        all.push(When { path: found.path, is: WhenIs::OneOf(values) });
    }
    all
}

/// Key attributes that the entity declares as plain attributes.
fn add_plain_attributes(
    sources: &mut BTreeMap<String, KeySource>,
    at: Span,
    entity: &Entity,
    table: &Table,
    problems: &mut Problems,
) {
    for key in table.keys() {
        let is_it = |place: &Storage| matches!(place, Storage::At(place) if place.as_top_level() == Some(&key.name));
        let Some(attribute) = entity.attributes.iter().find(|attribute| is_it(&attribute.stored)) else { continue };
        if sources.contains_key(&key.name) {
            continue;
        }
        if !attribute.kind.can_be_key(key.kind) {
            problems.push(
                Diagnostic::error(
                    "key.wrong-type",
                    at,
                    format!(
                        "`{}` of {} is a {}, and this key is a {}",
                        attribute.name,
                        entity.name,
                        attribute.kind.name(),
                        key.kind.name()
                    ),
                )
                .help(format!("declare it as a {}, or make the key with a template", key.kind.name())),
            );
        }
        if table.key.contains(&key.name) && attribute.optional {
            problems.push(
                Diagnostic::error(
                    "key.optional-in-primary-key",
                    at,
                    format!(
                        "`{}` of {} is optional, and every item needs its primary key",
                        attribute.name, entity.name
                    ),
                )
                .help("take `optional` away"),
            );
        }
        sources.insert(key.name.clone(), KeySource::Attribute { optional: attribute.optional });
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
        matches!(sources.get(name), Some(KeySource::Made(_))) && !table.key.contains(name)
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

/// An attribute that only a key holds must be there in every item, and come back from its key unchanged.
fn check_key_only(sources: &BTreeMap<String, KeySource>, entity: &Entity, table: &Table, problems: &mut Problems) {
    for attribute in entity.attributes.iter().filter(|attribute| attribute.stored == Storage::KeyOnly) {
        let comes_back = sources.iter().any(|(key, source)| {
            let of_it = |choice: &KeyChoice| {
                choice.when.is_empty()
                    && choice.template.placeholders().any(|one| one.path == attribute.place() && one.filters.is_empty())
            };
            let is_always_made = table.key.contains(key) || is_always_in_an_index(key, sources, entity, table);
            is_always_made && !source.choices().is_empty() && source.choices().iter().all(of_it)
        });
        if !comes_back || attribute.optional {
            let why = if attribute.optional { "it is optional" } else { "no key that every item has gives it back" };
            problems.push(
                Diagnostic::error(
                    "attribute.key-only",
                    entity.span,
                    format!(
                        "`{}` of {} would be lost: it is stored in a key only, and {why}",
                        attribute.name, entity.name
                    ),
                )
                .help("make it required and part of the primary key without a filter, or store it"),
            );
        }
    }
}

/// Whether every item of the entity is in an index that has this key.
fn is_always_in_an_index(key: &str, sources: &BTreeMap<String, KeySource>, entity: &Entity, table: &Table) -> bool {
    table.indexes.iter().filter(|index| index.key.contains(key)).any(|index| {
        index.key.names().all(|name| match sources.get(name) {
            Some(KeySource::Attribute { optional }) => !optional,
            Some(KeySource::Made(choices)) => choices.iter().all(|choice| {
                choice.when.is_empty()
                    && choice.template.placeholders().all(|one| {
                        one.has_fallback() || entity.declared_at(&one.path).is_some_and(|found| !found.optional)
                    })
            }),
            None => false,
        })
    })
}
