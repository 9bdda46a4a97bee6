//! What has to be read to find every copy of one source.

use super::Request;
use crate::item::{Attributes, Held, Item};
use crate::key::KeyError;
use crate::layout::{Layout, Route};
use crate::model::{AttributePath, Entity, IndexProjection, Keep, KeySchema, KeySource, Reference, SecondaryIndex};
use crate::value::AttributeValue;

/// Something to read, and whose copies it holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RouteRead {
    /// What is read.
    pub step: ReadStep,
    /// The entities and references whose items it finds.
    pub serves: Vec<(String, String)>,
}

/// Something to read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReadStep {
    /// A partition of the table, or of an index.
    Partition {
        /// The index; `None` for the table.
        index: Option<String>,
        /// The partition key.
        key: Item,
    },
    /// One item.
    Item(Item),
    /// The whole table.
    Scan,
    /// The items of a link entity, and then the items that they lead to.
    Link {
        /// What is read to find the link entity's items.
        through: Vec<ReadStep>,
        /// The link entity.
        entity: String,
        /// Its reference to the source.
        from: String,
        /// Its reference to the item.
        to: String,
    },
}

impl ReadStep {
    /// The index that it reads.
    pub fn index(&self) -> Option<&str> {
        match self {
            ReadStep::Partition { index, .. } => index.as_deref(),
            ReadStep::Item(_) | ReadStep::Scan | ReadStep::Link { .. } => None,
        }
    }

    /// Whether it is read strongly.
    pub fn is_strong(&self) -> bool {
        self.index().is_none()
    }

    /// Whether what it reads are whole items.
    pub fn reads_whole_items(&self, layout: &Layout) -> bool {
        self.read_index(layout).is_none_or(|index| index.projection == IndexProjection::All)
    }

    /// Whether what it reads would show this attribute.
    pub(super) fn carries(&self, layout: &Layout, attribute: &str) -> bool {
        self.read_index(layout).is_none_or(|index| layout.table().index_carries(index, attribute))
    }

    fn read_index<'a>(&self, layout: &'a Layout) -> Option<&'a SecondaryIndex> {
        layout.table().index(self.index()?)
    }

    /// Whether it finds an item by the item's own keys, as far as another step shows them: `None` where that one shows
    /// too little to tell. Where a link leads, no item tells.
    pub(super) fn finds(&self, layout: &Layout, item: &Item, shown_by: Option<&ReadStep>) -> Option<bool> {
        let ReadStep::Partition { index, key } = self else {
            return Some(match self {
                ReadStep::Item(key) => item.key(&layout.table().key) == *key,
                ReadStep::Scan => true,
                _ => false,
            });
        };
        // An item that lacks any key attribute of an index is not in it.
        for name in layout.key_schema(index.as_deref()).names() {
            match (item.get(name), key.get(name)) {
                (Some(held), Some(wanted)) if held != wanted => return Some(false),
                (Some(_), _) => {}
                (None, _) if shown_by.is_some_and(|step| !step.carries(layout, name)) => return None,
                (None, _) => return Some(false),
            }
        }
        Some(true)
    }

    /// Whether two links may lead to one item: those whose own key says more than what they link.
    pub fn may_lead_twice(&self, layout: &Layout) -> bool {
        let ReadStep::Link { entity, from, to, .. } = self else { return false };
        let Some(link) = layout.entity(entity) else { return false };
        let ends: Vec<&Reference> = link.references.iter().filter(|one| one.name == *from || one.name == *to).collect();
        let is_said = |path: &AttributePath| ends.iter().any(|end| end.by.iter().any(|key| key.target == *path));
        !link.identity(layout.table()).iter().all(is_said)
    }

    /// The partition or the item that it reads; nothing where it reads wherever items may be.
    fn key(&self) -> Option<&Item> {
        match self {
            ReadStep::Partition { key, .. } | ReadStep::Item(key) => Some(key),
            ReadStep::Scan | ReadStep::Link { .. } => None,
        }
    }
}

impl RouteRead {
    /// What has to be read for the copies that a request is about: each partition once. Links come last, because what
    /// they lead to tells by itself on which of the others it stands, and not which links lead to it.
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
            for step in steps(layout, entity, reference, identity)? {
                let served = (entity.name.clone(), reference.name.clone());
                match reads.iter_mut().find(|read| read.step == step) {
                    Some(read) => read.serves.push(served),
                    None => reads.push(RouteRead { step, serves: vec![served] }),
                }
            }
        }
        // A scan sees every item, and strongly: nothing else has to be read.
        if let Some(scan) = reads.iter().position(|read| read.step == ReadStep::Scan) {
            let serves = reads.iter().flat_map(|read| read.serves.clone()).collect();
            return Ok(vec![RouteRead { step: reads.swap_remove(scan).step, serves }]);
        }
        reads.sort_by_key(|read| matches!(read.step, ReadStep::Link { .. }));
        Ok(reads)
    }

    /// Whether an item of an entity, going by its own attributes, belongs where this reads. A template that
    /// shortens its value files items of several sources in one partition.
    pub(super) fn is_where(&self, layout: &Layout, entity: &Entity, attributes: &Attributes) -> bool {
        let Some(wanted) = self.step.key() else { return true };
        let schema = layout.key_schema(self.step.index());
        schema.attributes().filter_map(|key| Some((key, wanted.get(&key.name)?))).all(|(key, wanted)| {
            let made = entity.keys.get(&key.name).map(|source| source.make_every(key, attributes));
            made.and_then(Result::ok).is_some_and(|made| made.contains(wanted))
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

/// What has to be read to find the items of one reference.
fn steps(
    layout: &Layout,
    entity: &Entity,
    reference: &Reference,
    identity: &[(AttributePath, AttributeValue)],
) -> Result<Vec<ReadStep>, KeyError> {
    let Some(route) = layout.route(&entity.name, &reference.name) else { return Ok(Vec::new()) };
    // What the items that refer to this source hold of it. What stands in lists makes no keys.
    let mut attributes = Attributes::new();
    for key in reference.held_by_item() {
        if let Some((_, value)) = identity.iter().find(|(path, _)| *path == key.source) {
            key.target.set(&mut attributes, value.clone());
        }
    }
    Ok(match route {
        Route::Scan => vec![ReadStep::Scan],
        Route::Table | Route::Index(_) => {
            let schema = layout.key_schema(route.index());
            let partition = KeySchema { partition: schema.partition.clone(), sort: Vec::new() };
            let index = route.index().map(str::to_owned);
            let keys = keys(entity, &partition, &attributes)?;
            keys.into_iter().map(|key| ReadStep::Partition { index: index.clone(), key }).collect()
        }
        Route::Get => keys(entity, layout.key_schema(None), &attributes)?.into_iter().map(ReadStep::Item).collect(),
        Route::Link { entity: link, from, to } => {
            let linking = layout.entity(link);
            let found = linking.and_then(|entity| entity.references.iter().find(|one| one.name == *from));
            let through = match linking.zip(found) {
                Some((entity, from)) => steps(layout, entity, from, identity)?,
                None => Vec::new(),
            };
            vec![ReadStep::Link { through, entity: link.clone(), from: from.clone(), to: to.clone() }]
        }
    })
}

/// Every key that these attributes can make: one for each template and shard.
fn keys(entity: &Entity, schema: &KeySchema, attributes: &Attributes) -> Result<Vec<Item>, KeyError> {
    let mut keys = vec![Item::default()];
    for key in schema.attributes() {
        let made =
            entity.keys.get(&key.name).map(|source: &KeySource| source.make_every(key, attributes)).transpose()?;
        let values = made.unwrap_or_default();
        if values.is_empty() {
            let path = entity.inputs(&key.name).into_iter().find(|path| path.get(attributes).is_none());
            let path = path.unwrap_or_else(|| AttributePath::top_level(&key.name));
            return Err(KeyError::Missing { key: key.name.clone(), path });
        }
        let with = |item: &Item, value: &AttributeValue| {
            let mut item = item.clone();
            item.0.insert(key.name.clone(), value.clone());
            item
        };
        keys = keys.iter().flat_map(|item| values.iter().map(move |value| with(item, value))).collect();
    }
    Ok(keys)
}
