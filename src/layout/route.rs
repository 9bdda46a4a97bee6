//! How the items that refer to one source are found.

use std::fmt;

use serde::Serialize;

use super::ways::Ways;
use crate::diagnostic::Diagnostic;
use crate::model::{Entity, Model, Reference, Via};

/// How the items that refer to one source are found. The first three are inferred, the others have to be written.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Route {
    /// There is one, whose whole key is constant or made from the reference alone.
    Get,
    /// They stand in a partition of the table, which the reference alone makes; it is read strongly.
    Table,
    /// They stand in a partition of an index, which the reference alone makes, or which is constant.
    Index(String),
    /// The items of another entity refer to the source, and give the key of the item.
    Link {
        /// The other entity.
        entity: String,
        /// Its reference to the source.
        from: String,
        /// Its reference to the item.
        to: String,
    },
    /// They may be anywhere: the whole table is read.
    Scan,
}

impl Route {
    /// The index that it reads, where it reads one.
    pub fn index(&self) -> Option<&str> {
        match self {
            Route::Index(name) => Some(name),
            Route::Table | Route::Get | Route::Link { .. } | Route::Scan => None,
        }
    }
}

impl fmt::Display for Route {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Route::Table => f.write_str("the table's own partition"),
            Route::Index(name) => f.write_str(name),
            Route::Get => f.write_str("its key"),
            Route::Link { entity, .. } => write!(f, "the {entity} items of the source"),
            Route::Scan => f.write_str("a scan of the whole table"),
        }
    }
}

/// The way to the copies of one source, as it is written or else inferred, or why there is none.
pub(super) fn find(entity: &Entity, reference: &Reference, model: &Model) -> Result<Route, Box<Diagnostic>> {
    let ways = Ways::of(entity, reference, model);
    let refuse = |message: String, help: &str| {
        Err(Box::new(Diagnostic::error("reference.invalid-via", reference.span, message).help(help)))
    };
    match &reference.via {
        None => ways.infer(),
        Some(Via::Scan) => Ok(Route::Scan),
        Some(Via::Table) if ways.may_read_partition(&model.table.key.partition) => Ok(Route::Table),
        Some(Via::Table) => refuse(
            format!("the partition key of {} is not made from the reference", entity.name),
            "name an index whose partition key is, or `scan`",
        ),
        Some(Via::Get) if ways.is_found_by_key() => Ok(Route::Get),
        Some(Via::Get) => refuse(
            format!("the primary key of {} is not made from the reference alone", entity.name),
            "name an index whose partition key is, or `scan`",
        ),
        Some(Via::Index(name)) => match model.table.index(name) {
            Some(index) if ways.may_read_partition(&index.key.partition) => Ok(Route::Index(name.clone())),
            _ => refuse(
                format!(
                    "the partition key of {} in {name} is neither made from the reference nor constant",
                    entity.name
                ),
                "name another index, or `scan`",
            ),
        },
        Some(Via::Link(name)) => link(name, entity, reference, model),
    }
}

/// The other ways to the copies of one source, which would do as well: the better ones first.
pub(super) fn others(entity: &Entity, reference: &Reference, model: &Model, chosen: &Route) -> Vec<Route> {
    let mut routes = Ways::of(entity, reference, model).inferable().0;
    routes.retain(|route| route != chosen);
    routes
}

/// The link entity refers to the source, and its other reference gives the target's whole primary key.
fn link(name: &str, entity: &Entity, reference: &Reference, model: &Model) -> Result<Route, Box<Diagnostic>> {
    let refuse = |message: String, help: String| {
        Err(Box::new(Diagnostic::error("reference.invalid-link", reference.span, message).help(help)))
    };
    let Some(link) = model.entity(name) else {
        return refuse(format!("there is no entity `{name}`"), "name the entity that links the two".to_owned());
    };
    let to_entity = |wanted: &str| link.references.iter().find(|one| one.entity == wanted && one.within.is_none());
    let (Some(from), Some(to)) = (to_entity(&reference.entity), to_entity(&entity.name)) else {
        let missing = if to_entity(&reference.entity).is_none() { &reference.entity } else { &entity.name };
        return refuse(
            format!("{name} has no reference to {missing}, so its items do not lead from one to the other"),
            format!("add `[entities.{name}.references.NAME]` with `entity = \"{missing}\"` and `by`"),
        );
    };
    let is_found = match &from.via {
        Some(Via::Link(_)) => false,
        _ => find(link, from, model).is_ok() || Ways::of(link, from, model).infer().is_ok(),
    };
    if !is_found {
        return refuse(
            format!("nothing finds the {name} items of one {}", reference.entity),
            format!("give {name} an index whose partition key is made from its reference `{}`", from.name),
        );
    }
    Ok(Route::Link { entity: name.to_owned(), from: from.name.clone(), to: to.name.clone() })
}

/// Says so where an index that is written as the way lacks some of the items.
pub(super) fn check_written(entity: &Entity, reference: &Reference, model: &Model) -> Option<Diagnostic> {
    let Some(Via::Index(name)) = &reference.via else { return None };
    let why = Ways::of(entity, reference, model).may_be_absent_from(model.table.index(name)?)?;
    Some(
        Diagnostic::warning(
            "copy.may-be-missed",
            reference.span,
            format!("{name} lacks {} items {why}, and copies on those are not found", entity.name),
        )
        .help("use an index that every item is in, or `via = \"scan\"`")
        .about(format!("{}.{}", entity.name, reference.name)),
    )
}
