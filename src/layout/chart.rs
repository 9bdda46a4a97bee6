//! The layout as data to show: the key chart.

use std::collections::BTreeMap;

use serde::Serialize;

use super::{Layout, Route};
use crate::model::{
    Attribute, AttributePath, Billing, CopyRule, Entity, Keep, KeySchema, KeySource, Reference, ReferenceKey,
    SecondaryIndex,
};

/// What `singletable layout` shows: the table, its indexes, and each entity's keys, copies and routes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Chart<'a> {
    /// The table's name.
    pub table: &'a str,
    /// The table's key.
    pub key: &'a KeySchema,
    /// The attribute that holds the entity's name.
    pub type_attribute: Option<&'a str>,
    /// The attribute that holds the time of expiry.
    pub ttl_attribute: Option<&'a str>,
    /// How throughput is paid.
    pub billing: Billing,
    /// The indexes.
    pub indexes: &'a [SecondaryIndex],
    /// The entities.
    pub entities: Vec<EntityChart<'a>>,
}

/// One entity in the chart.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct EntityChart<'a> {
    /// The entity.
    pub name: &'a str,
    /// Its attributes.
    pub attributes: &'a [Attribute],
    /// How its primary key is made: key attribute to template.
    pub keys: BTreeMap<&'a str, String>,
    /// The indexes that its items can be in.
    pub indexes: Vec<IndexChart<'a>>,
    /// What its items refer to.
    pub references: Vec<ReferenceChart<'a>>,
}

/// One entity in one index.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct IndexChart<'a> {
    /// The index.
    pub name: &'a str,
    /// How the key is made there: key attribute to template.
    pub keys: BTreeMap<&'a str, String>,
    /// The attributes without which an item is not in the index; empty when every item is.
    pub sparse_without: Vec<AttributePath>,
}

/// One reference in the chart.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ReferenceChart<'a> {
    /// Its name.
    pub name: &'a str,
    /// The entity that it refers to.
    pub entity: &'a str,
    /// Which attribute holds which of the source's.
    pub by: &'a [ReferenceKey],
    /// What becomes of the copies.
    pub keep: Option<Keep>,
    /// Who answers for them.
    pub owner: Option<&'a str>,
    /// How the items of one source are found, where they can be.
    pub route: Option<&'a Route>,
    /// The copies.
    pub copies: &'a [CopyRule],
}

impl<'a> Chart<'a> {
    /// The chart of a layout.
    pub fn of(layout: &'a Layout) -> Self {
        let table = layout.table();
        Chart {
            table: &table.name,
            key: &table.key,
            type_attribute: table.type_attribute.as_deref(),
            ttl_attribute: table.ttl_attribute.as_deref(),
            billing: table.billing,
            indexes: &table.indexes,
            entities: layout.entities().iter().map(|entity| EntityChart::of(layout, entity)).collect(),
        }
    }
}

impl<'a> EntityChart<'a> {
    fn of(layout: &'a Layout, entity: &'a Entity) -> Self {
        let table = layout.table();
        EntityChart {
            name: &entity.name,
            attributes: &entity.attributes,
            keys: templates(&table.key, entity),
            indexes: table.indexes.iter().filter_map(|index| IndexChart::of(index, entity)).collect(),
            references: entity.references.iter().map(|one| ReferenceChart::of(layout, entity, one)).collect(),
        }
    }
}

impl<'a> IndexChart<'a> {
    fn of(index: &'a SecondaryIndex, entity: &'a Entity) -> Option<Self> {
        if !index.key.names().all(|name| entity.keys.contains_key(name)) {
            return None;
        }
        let mut sparse_without: Vec<AttributePath> = Vec::new();
        for path in index.key.names().flat_map(|name| entity.inputs(name)) {
            let optional = entity.resolve(&path.to_string()).is_some_and(|found| found.optional);
            if optional && !sparse_without.contains(&path) {
                sparse_without.push(path);
            }
        }
        Some(IndexChart { name: &index.name, keys: templates(&index.key, entity), sparse_without })
    }
}

impl<'a> ReferenceChart<'a> {
    fn of(layout: &'a Layout, entity: &'a Entity, reference: &'a Reference) -> Self {
        ReferenceChart {
            name: &reference.name,
            entity: &reference.entity,
            by: &reference.by,
            keep: reference.keep,
            owner: reference.owner.as_deref(),
            route: layout.route(&entity.name, &reference.name),
            copies: &reference.copies,
        }
    }
}

/// Each key attribute with its template; a plain attribute stands as `{name}`.
fn templates<'a>(key: &'a KeySchema, entity: &'a Entity) -> BTreeMap<&'a str, String> {
    let template = |name: &'a str| {
        let text = match entity.keys.get(name)? {
            KeySource::Template(template) => template.to_string(),
            KeySource::Attribute { .. } => format!("{{{name}}}"),
        };
        Some((name, text))
    };
    key.names().filter_map(template).collect()
}
