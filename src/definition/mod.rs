//! The definition file: TOML in, a [`Model`] out, with everything that is wrong told at once.
//!
//! Each file here reads one kind of section: it says what the section may hold, and checks it against
//! what it needs. What only shows once all entities are known, such as how copies are found, is the
//! layout's to say.

mod attribute;
mod copy_rules;
mod entity;
mod index;
mod key;
mod reference;
mod section;
mod table;

use std::collections::BTreeSet;

use toml::de::DeTable;

use self::section::{Problems, Section};
use crate::diagnostic::Diagnostic;
use crate::model::Model;

/// What could be understood of a definition.
#[derive(Debug)]
pub(crate) struct Reading {
    /// The model; `None` when the file is not TOML or its table cannot be made out.
    pub(crate) model: Option<Model>,
    /// The entities with errors of their own, about which nothing further should be said.
    pub(crate) unsound: BTreeSet<String>,
    /// What is wrong, and what is worth knowing.
    pub(crate) problems: Vec<Diagnostic>,
}

/// Reads a definition file.
pub(crate) fn read(text: &str) -> Reading {
    let mut problems = Problems::new();
    let (document, syntax_errors) = DeTable::parse_recoverable(text);
    if !syntax_errors.is_empty() {
        problems.extend(syntax_errors.iter().map(|error| {
            let span = error.span().unwrap_or(0..0);
            Diagnostic::error("toml.syntax", span, format!("this is not TOML: {}", error.message().trim()))
        }));
        return Reading { model: None, unsound: BTreeSet::new(), problems };
    }

    let start = crate::diagnostic::Span { start: 0, end: text.lines().next().unwrap_or_default().len() };
    let mut file = Section::new("the definition", document.get_ref(), start);
    let table = file
        .require("table", "[table]", &mut problems)
        .and_then(|value| value.section("[table]", &mut problems))
        .map(|section| table::read(section, &mut problems));
    let indexes = file.get("indexes").and_then(|value| value.section("[indexes]", &mut problems));
    let entities = file
        .require("entities", "[entities.NAME]", &mut problems)
        .and_then(|value| value.section("[entities]", &mut problems));
    file.finish(&mut problems);

    let mut unsound = BTreeSet::new();
    let table = table.map(|(mut table, has_key)| {
        if let Some(indexes) = indexes {
            table.indexes = index::read_all(indexes, &table, &mut problems);
        }
        (table, has_key)
    });
    let table = table.and_then(|(table, has_key)| has_key.then_some(table));
    let model = table.zip(entities).map(|(table, entities)| {
        if entities.entries().is_empty() {
            problems.push(
                Diagnostic::error("entity.none", entities.span, "the definition has no entity")
                    .help("say what the table holds: `[entities.Author]` with its `keys` and `attributes`"),
            );
        }
        let mut model = Model { table, entities: Vec::new() };
        let mut references = Vec::new();
        for (name, value) in entities.entries() {
            let errors = error_count(&problems);
            if let Some((entity, its_references)) = entity::read(name, &value, &model.table, &mut problems) {
                model.entities.push(entity);
                references.push(its_references);
            }
            if error_count(&problems) > errors {
                unsound.insert(name.text.to_owned());
            }
        }
        // References are read when every entity is known, because they name attributes of both sides.
        for (at, its_references) in references.into_iter().enumerate() {
            let errors = error_count(&problems);
            let read = its_references.map(|section| reference::read_all(section, at, &model, &unsound, &mut problems));
            model.entities[at].references = read.unwrap_or_default();
            if error_count(&problems) > errors {
                unsound.insert(model.entities[at].name.clone());
            }
        }
        copy_rules::check(&model, &mut problems);
        model
    });
    Reading { model, unsound, problems }
}

fn error_count(problems: &Problems) -> usize {
    problems.iter().filter(|problem| problem.is_error()).count()
}
