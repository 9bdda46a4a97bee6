//! What has to be read to find every copy of one source.

use std::collections::BTreeMap;

use super::Request;
use crate::item::{Attributes, Held, Item};
use crate::key::KeyError;
use crate::layout::{Layout, Route};
use crate::model::{AttributePath, Entity, IndexProjection, Keep, KeySource, Reference};
use crate::value::AttributeValue;

/// One partition, or one item, to read, and whose copies it holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RouteRead {
    /// Where it is.
    pub route: Route,
    /// The partition key's attribute and value; for [`Route::Get`], the item's whole key.
    pub key: Item,
    /// The entities and references whose items it finds.
    pub serves: Vec<(String, String)>,
}

impl RouteRead {
    /// What has to be read for the copies that a request is about: each partition once.
    ///
    /// # Errors
    /// The source's key makes no partition key.
    pub(super) fn all(
        layout: &Layout,
        request: &Request,
        identity: &[(AttributePath, AttributeValue)],
    ) -> Result<Vec<RouteRead>, KeyError> {
        let mut reads: Vec<RouteRead> = Vec::new();
        for (entity, reference) in references_to(layout, request) {
            let Some(route) = layout.route(&entity.name, &reference.name) else { continue };
            let key = key_of(layout, entity, reference, route, identity)?;
            let served = (entity.name.clone(), reference.name.clone());
            match reads.iter_mut().find(|read| read.route == *route && read.key == key) {
                Some(read) => read.serves.push(served),
                None => reads.push(RouteRead { route: route.clone(), key, serves: vec![served] }),
            }
        }
        Ok(reads)
    }

    /// Whether what it reads are whole items.
    pub fn reads_whole_items(&self, layout: &Layout) -> bool {
        self.carries(layout, None)
    }

    /// Whether what it reads would show this attribute; with `None`, every attribute.
    pub(super) fn carries(&self, layout: &Layout, attribute: Option<&str>) -> bool {
        let Some(index) = self.route.index().and_then(|name| layout.table().index(name)) else { return true };
        match (&index.projection, attribute) {
            (IndexProjection::All, _) => true,
            (_, None) => false,
            (_, Some(name)) if index.key.contains(name) || layout.table().key.contains(name) => true,
            (IndexProjection::KeysOnly, _) => false,
            (IndexProjection::Include(names), Some(name)) => names.iter().any(|projected| projected == name),
        }
    }

    /// Whether an item of an entity, going by its own attributes, belongs where this reads. A template that
    /// shortens its value files items of several sources in one partition.
    pub(super) fn is_where(&self, layout: &Layout, entity: &Entity, attributes: &Attributes) -> bool {
        let schema = layout.key_schema(self.route.index());
        schema.names().filter_map(|name| Some((name, self.key.get(name)?))).all(|(name, wanted)| {
            match entity.keys.get(name) {
                Some(KeySource::Template(template)) => {
                    template.render(name, attributes, false).ok().flatten().as_deref() == wanted.as_str()
                }
                _ => attributes.get(name) == Some(wanted),
            }
        })
    }
}

/// The references whose latest copies a request is about, with their entities.
pub(super) fn references_to<'a>(
    layout: &'a Layout,
    request: &'a Request,
) -> impl Iterator<Item = (&'a Entity, &'a Reference)> {
    layout.entities().iter().flat_map(move |entity| {
        entity
            .references
            .iter()
            .filter(move |reference| {
                reference.entity == request.entity
                    && reference.keep == Some(Keep::Latest)
                    && reference.copies.iter().any(|rule| request.concerns(&rule.source))
            })
            .map(move |reference| (entity, reference))
    })
}

/// The values of the attributes that make the source's primary key.
pub(super) fn identity(layout: &Layout, source: &Entity, item: &Item) -> Vec<(AttributePath, AttributeValue)> {
    let held = |path: AttributePath| {
        let value = Held::find(item, source, layout.table(), &path)?.value;
        Some((path, value))
    };
    source.identity(layout.table()).into_iter().filter_map(held).collect()
}

fn key_of(
    layout: &Layout,
    entity: &Entity,
    reference: &Reference,
    route: &Route,
    identity: &[(AttributePath, AttributeValue)],
) -> Result<Item, KeyError> {
    let identity: BTreeMap<&AttributePath, &AttributeValue> =
        identity.iter().map(|(path, value)| (path, value)).collect();
    let mut attributes = Attributes::new();
    for key in &reference.by {
        if let Some(value) = identity.get(&key.source) {
            key.target.set(&mut attributes, (*value).clone());
        }
    }
    let schema = layout.key_schema(route.index());
    let names: Vec<&str> = match route {
        Route::Get => schema.names().collect(),
        Route::Table | Route::Index(_) => vec![schema.partition.as_str()],
    };
    let mut key = Attributes::new();
    for name in names {
        let value = match entity.keys.get(name) {
            Some(KeySource::Template(template)) => template.render(name, &attributes, false)?.map(AttributeValue::S),
            _ => attributes.get(name).cloned(),
        };
        let missing = || KeyError::Missing { key: name.to_owned(), path: AttributePath::top_level(name) };
        key.insert(name.to_owned(), value.ok_or_else(missing)?);
    }
    Ok(Item(key))
}
