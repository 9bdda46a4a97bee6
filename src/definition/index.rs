//! `[indexes.NAME]`

use super::section::{Problems, Section, Value};
use super::table::{check_name, read_key};
use crate::diagnostic::Diagnostic;
use crate::limits::{MAX_INDEXES, MAX_PROJECTED};
use crate::model::{IndexProjection, KeySchema, SecondaryIndex, Table};

/// Reads every index.
pub(super) fn read_all(section: Section<'_>, table: &Table, problems: &mut Problems) -> Vec<SecondaryIndex> {
    let mut indexes = Vec::new();
    let mut projected = 0;
    for (name, value) in section.entries() {
        check_name("index", name, problems);
        let Some(section) = value.section(format!("[indexes.{}]", name.text), problems) else { continue };
        let Some(index) = read(name.text, section, table, problems) else { continue };
        if indexes.len() == MAX_INDEXES {
            problems.push(Diagnostic::error(
                "index.too-many",
                name.span,
                format!("a table has at most {MAX_INDEXES} global secondary indexes, and `{}` is one more", name.text),
            ));
        }
        if let IndexProjection::Include(names) = &index.projection {
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

fn read(name: &str, mut section: Section<'_>, table: &Table, problems: &mut Problems) -> Option<SecondaryIndex> {
    let key = read_key(&mut section, problems);
    let projection = section.require("projection", "projection = \"all\"", problems);
    section.finish(problems);
    let key = key?;
    let projection = read_projection(&projection?, &key, table, problems)?;
    Some(SecondaryIndex { name: name.to_owned(), key, projection })
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
    let mut names: Vec<String> = Vec::new();
    for name in value.strings(problems)? {
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
