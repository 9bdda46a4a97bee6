//! From attributes to an item that fits, before any request.

use serde::Serialize;

use super::{Attributes, Item, ItemError, ItemProblem, PathBytes, SizeNode, item_size, size_tree, typed};
use crate::key::{KeyError, check_length};
use crate::layout::Layout;
use crate::model::{AttributePath, AttributeType, Entity, KeySource, Table};
use crate::value::AttributeValue;

/// Builds one item of an entity: checks the attributes, makes the keys, adds the entity's name, and weighs the whole.
///
/// ```
/// # let definition = r#"
/// #     [table]
/// #     name = "blog"
/// #     partition_key = "PK"
/// #     type_attribute = "entity"
/// #     [entities.Author]
/// #     keys = { PK = "AUTHOR#{id}" }
/// #     attributes = { id = "string", name = "string" }
/// # "#;
/// # let layout = singletable::Layout::compile(definition).layout.unwrap();
/// use singletable::ItemBuilder;
/// let author = ItemBuilder::new(&layout, layout.entity("Author").unwrap())
///     .attribute("id", "12")
///     .attribute("name", "Mara Vance")
///     .build()?;
/// assert_eq!(author.get("PK").unwrap().as_str(), Some("AUTHOR#12"));
/// assert_eq!(author.get("entity").unwrap().as_str(), Some("Author"));
/// # Ok::<(), singletable::ItemError>(())
/// ```
#[derive(Debug, Clone)]
pub struct ItemBuilder<'a> {
    layout: &'a Layout,
    entity: &'a Entity,
    attributes: Attributes,
}

impl<'a> ItemBuilder<'a> {
    /// Starts an item of an entity of the layout.
    pub fn new(layout: &'a Layout, entity: &'a Entity) -> Self {
        ItemBuilder { layout, entity, attributes: Attributes::new() }
    }

    /// Sets one attribute.
    pub fn attribute(mut self, name: impl Into<String>, value: impl Into<AttributeValue>) -> Self {
        self.attributes.insert(name.into(), value.into());
        self
    }

    /// Sets many attributes.
    pub fn attributes(mut self, attributes: Attributes) -> Self {
        self.attributes.extend(attributes);
        self
    }

    /// Sets an attribute for each field of a serde value. A `None` of an optional attribute is left out.
    ///
    /// # Errors
    /// The value is not a struct or a map, or holds something that DynamoDB cannot store.
    pub fn serde<T: Serialize>(mut self, value: &T) -> Result<Self, serde_dynamo::Error> {
        let stored: serde_dynamo::Item = serde_dynamo::to_item(value)?;
        let stored = serde_json::to_value(&stored).map_err(serde::ser::Error::custom)?;
        let Item(mut attributes) = serde_json::from_value(stored).map_err(serde::ser::Error::custom)?;
        attributes.retain(|name, value| {
            let declared = self.entity.attribute(name);
            let means_absent = |attribute: &crate::model::Attribute| {
                attribute.optional && !matches!(attribute.kind, AttributeType::Null | AttributeType::Any)
            };
            *value != AttributeValue::Null || !declared.is_some_and(means_absent)
        });
        self.attributes.extend(attributes);
        Ok(self)
    }

    /// Makes the item.
    ///
    /// # Errors
    /// Everything that is wrong with the attributes, or that the item is over 409,600 bytes.
    pub fn build(self) -> Result<Item, ItemError> {
        let ItemBuilder { layout, entity, mut attributes } = self;
        let table = layout.table();
        let mut problems = Vec::new();
        typed::accept_all(&entity.attributes, &mut attributes, &mut problems);
        refuse_made(entity, table, &mut attributes, &mut problems);
        if problems.is_empty() {
            match keys(entity, table, &attributes) {
                Ok(keys) => attributes.extend(keys),
                Err(error) => problems.push(error.into()),
            }
        }
        if let Some(name) = &table.type_attribute {
            attributes.insert(name.clone(), AttributeValue::S(entity.name.clone()));
        }
        let item = Item(attributes);
        if problems.is_empty() {
            problems.extend(too_large(&item));
        }
        match problems.is_empty() {
            true => Ok(item),
            false => Err(ItemError { entity: entity.name.clone(), problems }),
        }
    }

    /// Makes only the primary key, from the attributes that it needs.
    ///
    /// # Errors
    /// What is missing or cannot stand in a key.
    pub fn build_key(self) -> Result<Item, ItemError> {
        let ItemBuilder { layout, entity, mut attributes } = self;
        let mut problems = Vec::new();
        let identity = entity.identity(layout.table());
        for path in &identity {
            let kind = entity.resolve(&path.to_string()).map(|found| found.kind);
            if let (Some(kind), [name]) = (kind, path.steps())
                && let Some(value) = attributes.get_mut(name)
            {
                typed::accept(kind, value, name, &mut problems);
            }
        }
        for name in attributes.keys() {
            if !identity.iter().any(|path| path.root() == name) {
                let names: Vec<String> = identity.iter().map(ToString::to_string).collect();
                problems.push(ItemProblem::NotKey { name: name.clone(), key: names.join(", ") });
            }
        }
        if problems.is_empty() {
            match primary_key(entity, layout.table(), &attributes) {
                Ok(key) => return Ok(Item(key)),
                Err(error) => problems.push(error.into()),
            }
        }
        Err(ItemError { entity: entity.name.clone(), problems })
    }
}

/// What the definition makes by itself must not be given.
fn refuse_made(entity: &Entity, table: &Table, attributes: &mut Attributes, problems: &mut Vec<ItemProblem>) {
    for name in table.key_attributes() {
        if attributes.contains_key(name) && entity.attribute(name).is_none() {
            problems.push(ItemProblem::Made(name.to_owned()));
        }
    }
    if let Some(name) = &table.type_attribute
        && attributes.get(name).is_some_and(|value| value.as_str() != Some(&entity.name))
    {
        problems.push(ItemProblem::Made(name.clone()));
    }
}

/// All keys that the attributes make: the primary key, and those of every index that the item is in.
fn keys(entity: &Entity, table: &Table, attributes: &Attributes) -> Result<Attributes, KeyError> {
    let mut made = primary_key(entity, table, attributes)?;
    made.extend(index_keys(entity, table, attributes)?);
    for name in table.key_attributes() {
        if let Some(text) = attributes.get(name).and_then(AttributeValue::as_str) {
            check_length(name, text, is_partition(name, table))?;
        }
    }
    Ok(made)
}

/// The primary key that the attributes make.
pub(crate) fn primary_key(entity: &Entity, table: &Table, attributes: &Attributes) -> Result<Attributes, KeyError> {
    let mut made = Attributes::new();
    for name in table.key.names() {
        let value = match entity.keys.get(name) {
            Some(KeySource::Template(template)) => template.render(name, attributes, true)?,
            _ => attributes.get(name).and_then(AttributeValue::as_str).map(str::to_owned),
        };
        let Some(value) = value else {
            let absent = |path: &AttributePath| path.get(attributes).is_none();
            let path = entity.inputs(name).into_iter().find(absent).unwrap_or(AttributePath::top_level(name));
            return Err(KeyError::Missing { key: name.to_owned(), path });
        };
        check_length(name, &value, is_partition(name, table))?;
        made.insert(name.to_owned(), AttributeValue::S(value));
    }
    Ok(made)
}

/// The templated keys of every index that the item is in. It is in an index when all of its key can be
/// made; of any other index it carries none, because half a key is never written.
pub(super) fn index_keys(entity: &Entity, table: &Table, attributes: &Attributes) -> Result<Attributes, KeyError> {
    let mut made = Attributes::new();
    for index in &table.indexes {
        let mut keys = Attributes::new();
        let mut is_whole = true;
        for name in index.key.names() {
            match entity.keys.get(name) {
                Some(KeySource::Template(template)) => match template.render(name, attributes, false)? {
                    Some(value) => {
                        check_length(name, &value, is_partition(name, table))?;
                        keys.insert(name.to_owned(), AttributeValue::S(value));
                    }
                    None => is_whole = false,
                },
                Some(KeySource::Attribute { .. }) => is_whole &= attributes.contains_key(name),
                None => is_whole = false,
            }
        }
        if is_whole {
            made.extend(keys.into_iter().filter(|(name, _)| !table.key.contains(name)));
        }
    }
    Ok(made)
}

pub(super) fn is_partition(name: &str, table: &Table) -> bool {
    // The stricter of the two limits, where an attribute is a partition key here and a sort key there.
    let sorts = |sort: &Option<String>| sort.as_deref() == Some(name);
    !sorts(&table.key.sort) && !table.indexes.iter().any(|index| sorts(&index.key.sort))
}

/// Says so when an item is over the limit, and what in it weighs most.
pub(crate) fn too_large(item: &Item) -> Option<ItemProblem> {
    let size = item_size(item);
    (!size.fits()).then(|| ItemProblem::TooLarge { size, heaviest: heaviest(item) })
}

/// The heaviest parts of an item, as paths: each as deep as one part still makes up half of what is above it.
fn heaviest(item: &Item) -> Vec<PathBytes> {
    fn descend(path: String, node: &SizeNode) -> PathBytes {
        let dominant = node.parts.iter().max_by_key(|part| part.bytes).filter(|part| part.bytes * 2 > node.bytes);
        match dominant {
            Some(part) if part.name.starts_with('[') => descend(format!("{path}{}", part.name), part),
            Some(part) => descend(format!("{path}.{}", part.name), part),
            None => PathBytes { path, bytes: node.bytes },
        }
    }
    let mut tree = size_tree(item);
    tree.sort_by(|a, b| b.bytes.cmp(&a.bytes).then_with(|| a.name.cmp(&b.name)));
    tree.iter().take(3).map(|node| descend(node.name.clone(), node)).collect()
}
