//! How the items that refer to one source are found.

use std::fmt;

use serde::Serialize;

use crate::diagnostic::Diagnostic;
use crate::model::{AttributePath, Entity, KeySource, Reference, SecondaryIndex, Table};

/// How the items that refer to one source are found. Inferred in this order.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Route {
    /// They stand in one partition of the table, which the reference alone makes; it is read strongly.
    Table,
    /// They stand in one partition of an index, which the reference alone makes.
    Index(String),
    /// There is one, whose whole key is constant or made from the reference alone.
    Get,
}

impl Route {
    /// The index that it reads, where it reads one.
    pub fn index(&self) -> Option<&str> {
        match self {
            Route::Index(name) => Some(name),
            Route::Table | Route::Get => None,
        }
    }
}

impl fmt::Display for Route {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Route::Table => f.write_str("the table's own partition"),
            Route::Index(name) => f.write_str(name),
            Route::Get => f.write_str("its key"),
        }
    }
}

/// Finds the way to the copies of one source, or says why there is none.
pub(super) fn infer(entity: &Entity, reference: &Reference, table: &Table) -> Result<Route, Diagnostic> {
    let ours: Vec<&AttributePath> = reference.by.iter().map(|key| &key.target).collect();
    let made_by_reference = |key: &str| {
        let inputs = entity.inputs(key);
        entity.keys.contains_key(key) && inputs.iter().all(|path| ours.contains(&path))
    };
    let is_constant = |key: &str| entity.keys.contains_key(key) && entity.inputs(key).is_empty();

    if made_by_reference(&table.key.partition) && !is_constant(&table.key.partition) {
        return Ok(Route::Table);
    }
    let mut passed_over = Vec::new();
    for index in &table.indexes {
        let partition = &index.key.partition;
        if !made_by_reference(partition) || is_constant(partition) {
            continue;
        }
        match may_be_absent_from(index, entity, &ours) {
            None => return Ok(Route::Index(index.name.clone())),
            Some(path) => passed_over.push(format!("{} lacks items without `{path}`", index.name)),
        }
    }
    if table.key.names().all(made_by_reference) {
        return Ok(Route::Get);
    }

    let by: Vec<String> = ours.iter().map(|path| format!("`{path}`")).collect();
    let by = if by.is_empty() { "nothing".to_owned() } else { by.join(" and ") };
    let mut help = format!("add an index to {} whose partition key is made from {by} alone", entity.name);
    if !passed_over.is_empty() {
        help = format!("{}; make that attribute required, or {help}", passed_over.join("; "));
    }
    Err(Diagnostic::error(
        "copy.unreachable",
        reference.span,
        format!(
            "nothing finds the {} items of one {}, so their copies could not be kept latest",
            entity.name, reference.entity
        ),
    )
    .label(format!("the reference is made by {by}"))
    .help(help))
}

/// An attribute whose absence keeps an item out of the index, besides the reference itself: an item
/// that does not refer to a source has no copies of it to keep.
fn may_be_absent_from(index: &SecondaryIndex, entity: &Entity, ours: &[&AttributePath]) -> Option<AttributePath> {
    for key in index.key.names() {
        match entity.keys.get(key) {
            None => return Some(AttributePath::top_level(key)),
            Some(KeySource::Attribute { optional: true }) if !ours.contains(&&AttributePath::top_level(key)) => {
                return Some(AttributePath::top_level(key));
            }
            Some(KeySource::Attribute { .. }) => {}
            Some(KeySource::Template(template)) => {
                let optional = template.placeholders().map(|one| &one.path).find(|path| {
                    !ours.contains(path) && entity.resolve(&path.to_string()).is_none_or(|found| found.optional)
                });
                if let Some(path) = optional {
                    return Some(path.clone());
                }
            }
        }
    }
    None
}
