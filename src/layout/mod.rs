//! The compile result: every entity's keys in the table and in each index, and the way to every copy.

mod chart;
mod collision;
mod create_table;
mod key_condition;
mod language;
mod leads;
mod matcher;
mod mix_up;
mod pairs;
mod route;
mod ways;
mod worst_case;

use std::collections::BTreeMap;

use sha2::{Digest, Sha256};

pub use chart::{Chart, EntityChart, IndexChart, ReferenceChart};
pub use create_table::{
    AttributeDefinition, CreateTable, GlobalIndex, KeyElement, LocalIndex, Projection, StreamSpecification, Tag,
    Throughput,
};
pub use key_condition::{KeyCondition, KeyConditionError, SortCondition};
pub use route::Route;

use crate::definition;
use crate::diagnostic::Diagnostic;
use crate::model::{Entity, Keep, KeySchema, Model, Reference, Table};

/// A definition compiled: the table, its entities, and how each copy is found.
///
/// ```
/// let definition = r#"
///     [table]
///     name = "blog"
///     partition_key = "PK"
///
///     [entities.Author]
///     keys = { PK = "AUTHOR#{id}" }
///     attributes = { id = "string", name = "string" }
/// "#;
/// let compiled = singletable::Layout::compile(definition);
/// let layout = compiled.layout.expect("the definition has no errors");
/// assert_eq!(layout.entity("Author").unwrap().attributes.len(), 2);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layout {
    model: Model,
    /// For each entity, for each of its references, how its items are found; only where that is possible.
    routes: BTreeMap<String, BTreeMap<String, Routes>>,
}

/// How the items that refer to one source are found.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Routes {
    chosen: Route,
    others: Vec<Route>,
}

/// What became of a definition.
#[derive(Debug, Clone)]
pub struct Compiled {
    /// The layout; `None` when anything is an error.
    pub layout: Option<Layout>,
    /// Everything there is to say, in the order of the file.
    pub diagnostics: Vec<Diagnostic>,
}

impl Layout {
    /// Compiles a definition file's text.
    pub fn compile(definition: &str) -> Compiled {
        definition::read(definition, |reading, allows| {
            let definition::Reading { model, unsound, mut problems } = reading;
            let layout = model.map(|model| {
                let sound = |entity: &&Entity| !unsound.contains(&entity.name);
                let entities: Vec<&Entity> = model.entities.iter().filter(sound).collect();
                let mut routes: BTreeMap<String, BTreeMap<String, Routes>> = BTreeMap::new();
                for entity in &entities {
                    problems.extend(worst_case::check(entity, &model.table));
                    for reference in &entity.references {
                        match route::find(entity, reference, &model) {
                            Ok(chosen) => {
                                problems.extend(route::check_written(entity, reference, &model));
                                let others = route::others(entity, reference, &model, &chosen);
                                let found = Routes { chosen, others };
                                routes.entry(entity.name.clone()).or_default().insert(reference.name.clone(), found);
                            }
                            Err(problem) if is_kept(reference) || reference.via.is_some() => problems.push(*problem),
                            Err(_) => {}
                        }
                    }
                }
                let collisions = collision::check(&entities, &model.table);
                problems.extend(mix_up::check(&entities, &model.table, &collisions));
                problems.extend(collisions);
                Layout { model, routes }
            });
            definition::apply_allows(allows, &mut problems);
            problems.sort_by_key(|problem| (problem.span, problem.severity));
            let usable = !problems.iter().any(Diagnostic::is_error);
            Compiled { layout: layout.filter(|_| usable), diagnostics: problems }
        })
    }

    /// The table.
    pub fn table(&self) -> &Table {
        &self.model.table
    }

    /// The same layout for a table of another name.
    pub fn with_table_name(mut self, name: impl Into<String>) -> Self {
        self.model.table.name = name.into();
        self
    }

    /// The entities, in the order of the definition.
    pub fn entities(&self) -> &[Entity] {
        &self.model.entities
    }

    /// The entity of that name.
    pub fn entity(&self, name: &str) -> Option<&Entity> {
        self.model.entity(name)
    }

    /// How the items that refer to one source are found.
    pub fn route(&self, entity: &str, reference: &str) -> Option<&Route> {
        Some(&self.routes.get(entity)?.get(reference)?.chosen)
    }

    /// The other ways to the items that refer to one source, which `via` may name: the better ones first.
    pub fn other_routes(&self, entity: &str, reference: &str) -> &[Route] {
        let found = self.routes.get(entity).and_then(|references| references.get(reference));
        found.map_or(&[], |found| &found.others)
    }

    /// The key schema of the table, or of an index; `None` where there is no such index.
    pub fn key_of(&self, index: Option<&str>) -> Option<&KeySchema> {
        match index {
            None => Some(&self.table().key),
            Some(name) => self.table().index(name).map(|index| &index.key),
        }
    }

    /// The key schema of an index, or of the table where there is no index of that name.
    pub(crate) fn key_schema(&self, index: Option<&str>) -> &KeySchema {
        index.and_then(|name| self.table().index(name)).map_or(&self.table().key, |index| &index.key)
    }

    /// A text that is the same for two definitions exactly when they mean the same layout.
    pub fn fingerprint(&self) -> String {
        let chart = serde_json::to_vec(&Chart::of(self)).expect("a chart is plain data with string keys");
        Sha256::digest(chart).iter().take(16).map(|byte| format!("{byte:02x}")).collect()
    }
}

fn is_kept(reference: &Reference) -> bool {
    reference.keep == Some(Keep::Latest) && !reference.copies.is_empty()
}
