//! The layout as data to show: the key chart.

use std::collections::BTreeMap;

use serde::Serialize;

use super::{Layout, Route};
use crate::model::{
    Attribute, AttributePath, Entity, Keep, KeySchema, KeySource, Reference, ReferenceKey, SecondaryIndex,
    TableSettings, When, WhenIs, Within,
};
use crate::value::{AttributeValue, to_plain_json};

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
    /// What the table has besides.
    pub settings: &'a TableSettings,
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
    /// What stands in the type attribute of its items.
    pub type_value: &'a str,
    /// The number that counts its changes.
    pub version: Option<&'a AttributePath>,
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
    /// The list whose elements refer, where it is not the item itself.
    pub within: Option<&'a Within>,
    /// Which attribute holds which of the source's.
    pub by: &'a [ReferenceKey],
    /// What becomes of the copies.
    pub keep: Option<Keep>,
    /// Who answers for them.
    pub owner: Option<&'a str>,
    /// How the items of one source are found, where they can be.
    pub route: Option<&'a Route>,
    /// The other ways that would find them, the better ones first.
    pub other_routes: &'a [Route],
    /// How many partitions that way has for one source: more than one where the key is sharded.
    pub partitions: usize,
    /// Where the items keep the version of the source that their copies are of.
    pub version_as: Option<&'a AttributePath>,
    /// The copies.
    pub copies: Vec<CopyChart>,
}

/// One copy in the chart.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CopyChart {
    /// Where the target carries it.
    pub target: String,
    /// Where the source has it, and what changes it on the way.
    pub source: String,
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
            settings: &table.settings,
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
            type_value: &entity.type_value,
            version: entity.version.as_ref(),
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
        for path in index.key.names().flat_map(|name| needed(entity, name)) {
            let optional = entity.declared_at(&path).is_some_and(|found| found.optional);
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
            within: reference.within.as_ref(),
            by: &reference.by,
            keep: reference.keep,
            owner: reference.owner.as_deref(),
            route: layout.route(&entity.name, &reference.name),
            other_routes: layout.other_routes(&entity.name, &reference.name),
            partitions: partitions(layout, entity, layout.route(&entity.name, &reference.name)),
            version_as: reference.version_as.as_ref(),
            copies: reference
                .copies
                .iter()
                .map(|rule| CopyChart { target: reference.shown(&rule.target), source: rule.shown_source() })
                .collect(),
        }
    }
}

/// The attributes without which a key is not made.
fn needed(entity: &Entity, key: &str) -> Vec<AttributePath> {
    match entity.keys.get(key) {
        Some(source @ KeySource::Made(_)) => {
            source.placeholders().filter(|one| !one.has_fallback()).map(|one| one.path.clone()).collect()
        }
        _ => entity.inputs(key),
    }
}

fn partitions(layout: &Layout, entity: &Entity, route: Option<&Route>) -> usize {
    let schema = match route {
        Some(Route::Table | Route::Index(_)) => layout.key_schema(route.and_then(Route::index)),
        _ => return 1,
    };
    let of_key = |name: &str| {
        let choices = entity.keys.get(name).map_or(&[][..], KeySource::choices);
        choices.iter().map(|choice| choice.template.shards()).sum::<usize>().max(1)
    };
    schema.partition.iter().map(|key| of_key(&key.name)).product()
}

/// Each key attribute with its template; a plain attribute stands as `{name}`.
fn templates<'a>(key: &'a KeySchema, entity: &'a Entity) -> BTreeMap<&'a str, String> {
    let template = |name: &'a str| {
        let text = match entity.keys.get(name)? {
            KeySource::Attribute { .. } => format!("{{{name}}}"),
            KeySource::Made(choices) => {
                let shown = choices.iter().map(|choice| match choice.when.as_slice() {
                    [] => choice.template.to_string(),
                    when => format!(
                        "{} when {}",
                        choice.template,
                        when.iter().map(shown_when).collect::<Vec<_>>().join(" and ")
                    ),
                });
                shown.collect::<Vec<_>>().join(", else ")
            }
        };
        Some((name, text))
    };
    key.names().filter_map(template).collect()
}

fn shown_when(when: &When) -> String {
    let text = |value: &AttributeValue| value.as_str().map_or_else(|| to_plain_json(value), str::to_owned);
    match &when.is {
        WhenIs::Present => format!("{} is present", when.path),
        WhenIs::OneOf(values) => {
            format!("{} is {}", when.path, values.iter().map(text).collect::<Vec<_>>().join(" or "))
        }
    }
}
