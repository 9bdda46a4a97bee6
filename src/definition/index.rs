//! `[indexes.NAME]`

use super::key_type::KeyTypes;
use super::section::{Problems, Section, Text, Value};
use super::table::{SEVERAL, check_distinct, check_name, read_key, read_key_part};
use crate::diagnostic::Diagnostic;
use crate::limits::{MAX_INDEXES, MAX_LOCAL_INDEXES, MAX_PROJECTED, MAX_PROJECTED_BY_ONE, MAX_PROJECTED_NAME_BYTES};
use crate::model::{Entity, IndexProjection, IndexScope, KeyAttribute, KeySchema, Model, SecondaryIndex, Table};

const KINDS: [(&str, IndexScope); 2] = [("global", IndexScope::Global), ("local", IndexScope::Local)];

/// Reads every index.
pub(super) fn read_all(
    section: &Section<'_>,
    table: &Table,
    types: &mut KeyTypes,
    problems: &mut Problems,
) -> Vec<SecondaryIndex> {
    let mut indexes: Vec<SecondaryIndex> = Vec::new();
    let mut projected = 0;
    for (name, value) in section.entries() {
        check_name("index", name, problems);
        let Some(section) = value.section(format!("[indexes.{}]", name.text), problems) else { continue };
        let Some(index) = read(name, section, table, types, problems) else { continue };
        check_count(&indexes, &index, name, problems);
        if let IndexProjection::Include(names) = &index.projection {
            if names.len() > MAX_PROJECTED_BY_ONE {
                problems.push(
                    Diagnostic::error(
                        "index.too-many-projected",
                        value.span,
                        format!(
                            "{} names {} projected attributes, and an index takes at most {MAX_PROJECTED_BY_ONE}",
                            index.name,
                            names.len()
                        ),
                    )
                    .help("project `\"all\"` where an index carries most of an item"),
                );
            }
            projected += names.len();
            if projected > MAX_PROJECTED && projected - names.len() <= MAX_PROJECTED {
                problems.push(
                    Diagnostic::error(
                        "index.too-many-projected",
                        value.span,
                        format!("the indexes name more than {MAX_PROJECTED} projected attributes together"),
                    )
                    .help("project `\"all\"` where an index carries most of an item"),
                );
            }
        }
        indexes.push(index);
    }
    indexes
}

/// Warns of an index that no item is ever in.
pub(super) fn warn_if_unused(section: &Section<'_>, model: &Model, problems: &mut Problems) {
    for (name, _) in section.entries() {
        let Some(index) = model.table.index(name.text) else { continue };
        let is_in = |entity: &Entity| index.key.names().all(|key| entity.keys.contains_key(key));
        if !model.entities.iter().any(is_in) {
            problems.push(
                Diagnostic::warning(
                    "index.unused",
                    name.span,
                    format!("no entity makes the key of {}, so nothing is ever in it", index.name),
                )
                .help("make its key in an entity, or take the index away: it can be added later")
                .about(&index.name),
            );
        }
    }
}

/// Warns of a projection that names an attribute as people do, where the item calls it something else.
pub(super) fn warn_of_places(section: &Section<'_>, model: &Model, problems: &mut Problems) {
    for (name, _) in section.entries() {
        let Some(IndexProjection::Include(names)) = model.table.index(name.text).map(|index| &index.projection) else {
            continue;
        };
        for projected in names {
            let is_stored = model.entities.iter().any(|entity| entity.stored_under(projected).is_some());
            let elsewhere = model.entities.iter().find_map(|entity| entity.attribute(projected)).filter(|_| !is_stored);
            if let Some(attribute) = elsewhere {
                problems.push(
                    Diagnostic::warning(
                        "index.projected-elsewhere",
                        name.span,
                        format!("{} carries `{projected}`, and items store that as `{}`", name.text, attribute.place()),
                    )
                    .help(format!("project `{}`", attribute.place().root()))
                    .about(name.text),
                );
            }
        }
    }
}

fn check_count(earlier: &[SecondaryIndex], index: &SecondaryIndex, name: Text<'_>, problems: &mut Problems) {
    let same = earlier.iter().filter(|other| other.scope == index.scope).count();
    let (code, limit, what) = match index.scope {
        IndexScope::Global => ("index.too-many", MAX_INDEXES, "global"),
        IndexScope::Local => ("index.too-many-local", MAX_LOCAL_INDEXES, "local"),
    };
    if same == limit {
        problems.push(Diagnostic::error(
            code,
            name.span,
            format!("a table has at most {limit} {what} secondary indexes, and `{}` is one more", name.text),
        ));
    }
}

fn read(
    name: Text<'_>,
    mut section: Section<'_>,
    table: &Table,
    types: &mut KeyTypes,
    problems: &mut Problems,
) -> Option<SecondaryIndex> {
    let scope = section.choice("kind", &KINDS, problems).unwrap_or(IndexScope::Global);
    let key = match scope {
        IndexScope::Global => read_key(&mut section, SEVERAL, types, problems),
        IndexScope::Local => read_local_key(&mut section, name, table, types, problems),
    };
    let projection = section.require("projection", "projection = \"all\"", problems);
    section.finish(problems);
    let key = key?;
    // What is wrong with it is told once; the index is there all the same, and its keys are keys.
    let projection = projection.and_then(|projection| read_projection(&projection, &key, table, problems));
    let projection = projection.unwrap_or(IndexProjection::All);
    Some(SecondaryIndex { name: name.text.to_owned(), scope, key, projection })
}

/// A local index has the table's partition key, and a sort key of its own.
fn read_local_key(
    section: &mut Section<'_>,
    name: Text<'_>,
    table: &Table,
    types: &mut KeyTypes,
    problems: &mut Problems,
) -> Option<KeySchema> {
    let owner = section.name.clone();
    let partition =
        section.get("partition_key").map(|value| (value.span, read_key_part(&value, 1, &owner, types, problems)));
    let sort = section.get("sort_key").map(|value| read_key_part(&value, 1, &owner, types, problems));
    if let Some((span, Some(partition))) = partition
        && !partition.iter().map(|(_, key)| key).eq(&table.key.partition)
    {
        problems.push(
            Diagnostic::error(
                "index.local-partition-key",
                span,
                format!("a local index has the table's partition key, which is `{}`", table.partition_key()),
            )
            .help("leave `partition_key` out, or make the index global"),
        );
    }
    let message = match (&sort, table.key.sort.is_empty()) {
        (None, _) => "a local index needs a sort key of its own",
        (Some(_), true) => "only a table that has a sort key can have local indexes",
        (Some(_), false) => "",
    };
    if !message.is_empty() {
        problems.push(
            Diagnostic::error("index.local-needs-sort-key", name.span, message)
                .help("give it a `sort_key` on a table that has one, or make the index global"),
        );
        return None;
    }
    let sort = sort??;
    let partition: Vec<(Text<'_>, KeyAttribute)> =
        table.key.partition.iter().map(|key| (Text { text: &key.name, span: name.span }, key.clone())).collect();
    check_distinct(&section.name, partition.iter().chain(&sort), problems);
    Some(KeySchema { partition: table.key.partition.clone(), sort: sort.into_iter().map(|(_, key)| key).collect() })
}

fn read_projection(
    value: &Value<'_>,
    key: &KeySchema,
    table: &Table,
    problems: &mut Problems,
) -> Option<IndexProjection> {
    match value.as_string().map(|text| text.text) {
        Some("all") => return Some(IndexProjection::All),
        Some("keys-only") => return Some(IndexProjection::KeysOnly),
        Some(_) => return value.wrong("`\"all\"`, `\"keys-only\"` or a list of attribute names", problems),
        None => {}
    }
    let written = value.strings(problems)?;
    if written.is_empty() {
        return value.wrong("a list of at least one attribute name, or `\"keys-only\"`", problems);
    }
    let mut names: Vec<String> = Vec::new();
    for name in written {
        if !(1..=MAX_PROJECTED_NAME_BYTES).contains(&name.text.len()) {
            problems.push(
                Diagnostic::error(
                    "attribute.invalid-name",
                    name.span,
                    format!(
                        "a projected attribute's name has 1 to {MAX_PROJECTED_NAME_BYTES} bytes, and this has {}",
                        name.text.len()
                    ),
                )
                .help("name an attribute as it stands in the item"),
            );
            continue;
        }
        if key.contains(name.text) || table.key.contains(name.text) {
            problems.push(Diagnostic::note(
                "index.key-projected",
                name.span,
                format!("`{}` is a key, and every index carries it anyway", name.text),
            ));
        } else if names.iter().any(|known| known == name.text) {
            problems.push(Diagnostic::note(
                "index.projected-twice",
                name.span,
                format!("`{}` is projected twice", name.text),
            ));
        } else {
            names.push(name.text.to_owned());
        }
    }
    Some(if names.is_empty() { IndexProjection::KeysOnly } else { IndexProjection::Include(names) })
}
