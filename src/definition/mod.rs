//! The definition file: TOML in, a [`Model`] out, with everything that is wrong told at once.
//!
//! Each file here reads one kind of section: it says what the section may hold, and checks it against
//! what it needs. The folder `file` says the same to editors. What only shows once all entities are known, such as how copies are found, is the
//! layout's to say.

mod allow;
mod attribute;
mod bounds;
mod copies;
mod copy_rules;
mod entity;
#[cfg(feature = "cli")]
#[expect(dead_code, reason = "a schema is made from these types, never a value")]
pub(crate) mod file;
mod index;
mod key;
mod key_type;
mod reference;
mod section;
mod sides;
mod table;
mod template;
mod types;

use std::collections::BTreeSet;

use toml::de::DeTable;

pub(crate) use self::allow::{Allow, apply as apply_allows};
use self::key_type::KeyTypes;
use self::section::{Problems, Section};
use self::types::Types;
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

/// Reads a definition file, and hands over what it came to, with what is allowed in it.
pub(crate) fn read<T>(text: &str, then: impl FnOnce(Reading, &[Allow<'_>]) -> T) -> T {
    let (document, syntax_errors) = DeTable::parse_recoverable(text);
    let mut allows = Vec::new();
    let reading = read_document(document.get_ref(), &syntax_errors, text, &mut allows);
    then(reading, &allows)
}

fn read_document<'t>(
    document: &'t DeTable<'t>,
    syntax_errors: &[toml::de::Error],
    text: &str,
    allows: &mut Vec<Allow<'t>>,
) -> Reading {
    let mut problems = Problems::new();
    if !syntax_errors.is_empty() {
        // One slip makes the parser stumble over all that follows it: of each stretch of lines, the first counts.
        let line_of = |at: usize| text.get(..at).map_or(0, |before| before.matches('\n').count());
        let mut last = None;
        for error in syntax_errors {
            let span = error.span().unwrap_or(0..0);
            let line = line_of(span.start);
            if last.is_none_or(|last| line > last + 1) {
                let message = format!("this is not TOML: {}", error.message().trim());
                problems.push(Diagnostic::error("toml.syntax", span, message));
            }
            last = Some(line);
        }
        return Reading { model: None, unsound: BTreeSet::new(), problems };
    }

    let start = crate::diagnostic::Span { start: 0, end: text.lines().next().unwrap_or_default().len() };
    let mut file = Section::new("the definition", document, start);
    let mut key_types = KeyTypes::default();
    let table = file
        .require("table", "[table]", &mut problems)
        .and_then(|value| value.section("[table]", &mut problems))
        .map(|section| table::read(section, &mut key_types, &mut problems));
    let types = file.get("types").and_then(|value| value.section("[types]", &mut problems));
    let mut types = Types::read_all(types, &mut problems);
    let indexes = file.get("indexes").and_then(|value| value.section("[indexes]", &mut problems));
    let entities = file
        .require("entities", "[entities.NAME]", &mut problems)
        .and_then(|value| value.section("[entities]", &mut problems));
    file.finish(&mut problems);

    let mut unsound = BTreeSet::new();
    let table = table.and_then(|mut written| {
        if let Some(indexes) = &indexes {
            written.table.indexes = index::read_all(indexes, &written.table, &mut key_types, &mut problems);
        }
        *allows = written.allows;
        written.has_key.then_some(written.table)
    });
    let model = table.zip(entities).map(|(mut table, entities)| {
        if entities.entries().is_empty() {
            problems.push(
                Diagnostic::error("entity.none", entities.span, "the definition has no entity")
                    .help("say what the table holds: `[entities.Author]` with its `keys` and `attributes`"),
            );
        }
        let mut declared = Vec::new();
        for (name, value) in entities.entries() {
            let errors = error_count(&problems);
            declared.extend(entity::read(name, &value, &mut types, &mut problems));
            if error_count(&problems) > errors {
                unsound.insert(name.text.to_owned());
            }
        }
        // Keys are read when every attribute is known, because one that is a key has a type in all of them.
        key_types.settle(&mut table, declared.iter().map(|one| &one.entity));
        let mut model = Model { table, entities: Vec::new() };
        let mut references = Vec::new();
        for mut one in declared {
            let errors = error_count(&problems);
            one.read_keys(&model.table, &mut problems);
            if error_count(&problems) > errors {
                unsound.insert(one.entity.name.clone());
            }
            model.entities.push(one.entity);
            references.push(one.references);
        }
        check_type_values(&model.entities, &mut problems);
        // References are read when every entity is known, because they name attributes of both sides.
        for (at, its_references) in references.into_iter().enumerate() {
            let errors = error_count(&problems);
            let read = its_references.map(|section| reference::read_all(section, at, &model, &unsound, &mut problems));
            model.entities[at].references = read.unwrap_or_default();
            if error_count(&problems) > errors {
                unsound.insert(model.entities[at].name.clone());
            }
        }
        if let Some(indexes) = indexes.filter(|_| unsound.is_empty() && !model.entities.is_empty()) {
            index::warn_if_unused(&indexes, &model, &mut problems);
            index::warn_of_places(&indexes, &model, &mut problems);
        }
        copy_rules::check(&model, &mut problems);
        model
    });
    Reading { model, unsound, problems }
}

/// Two entities with one marker could not be told apart by it.
fn check_type_values(entities: &[crate::model::Entity], problems: &mut Problems) {
    let mut known = std::collections::BTreeMap::new();
    for entity in entities {
        if let Some(other) = known.insert(&entity.type_value, entity) {
            problems.push(
                Diagnostic::error(
                    "entity.same-type-value",
                    entity.span,
                    format!(
                        "{} has the type value `{}`, which is that of {}",
                        entity.name, entity.type_value, other.name
                    ),
                )
                .help("give each entity a `type_value` of its own"),
            );
        }
    }
}

/// How many errors there are with which nothing further can be said; one that can be allowed leaves all that is needed.
fn error_count(problems: &Problems) -> usize {
    problems.iter().filter(|problem| problem.is_error() && problem.subject.is_none()).count()
}
