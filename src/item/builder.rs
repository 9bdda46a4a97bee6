//! From attributes to an item that fits, before any request.

use serde::Serialize;

use super::far_off::far_off_ttl_of;
use super::{Attributes, Item, ItemError, ItemProblem, ItemSize, PathBytes, SizeNode, item_size, size_tree};
use crate::capacity::entry_size;
use crate::key::KeyError;
use crate::layout::Layout;
use crate::model::{
    AttributePath, AttributeType, Entity, IndexScope, Storage, Table, UnknownAttributes, accept_all, check_value,
};
use crate::value::{AttributeValue, NotStorable, to_attribute_value};

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
    /// The value is not a struct or a map, or holds something that DynamoDB cannot store: the error says where.
    pub fn serde<T: Serialize>(mut self, value: &T) -> Result<Self, NotStorable> {
        let mut attributes = match to_attribute_value(value)? {
            AttributeValue::M(fields) => fields,
            other => {
                let reason = format!("it is a {}, and an item is made of a struct or a map", other.type_name());
                return Err(NotStorable { path: String::new(), reason });
            }
        };
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
        let mut problems = refuse_made(entity, table, &attributes);
        problems.extend(refuse_unknown(entity, table, &attributes));
        problems.extend(accept_all(&entity.attributes, &mut attributes).into_iter().map(ItemProblem::Value));
        if problems.is_empty() {
            match keys(entity, table, &attributes) {
                Ok(keys) => {
                    for attribute in entity.attributes.iter().filter(|one| one.stored == Storage::KeyOnly) {
                        attributes.remove(&attribute.name);
                    }
                    attributes.extend(keys);
                }
                Err(error) => problems.push(error.into()),
            }
        }
        if let Some(name) = &table.type_attribute {
            attributes.insert(name.clone(), AttributeValue::S(entity.type_value.clone()));
        }
        let item = Item(attributes);
        if problems.is_empty() {
            problems.extend(too_large(&item, table));
            problems.extend(far_off_ttl_of(&item, table).map(ItemProblem::Value));
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
        let ItemBuilder { layout, entity, attributes: given } = self;
        let mut problems = Vec::new();
        let identity = entity.identity(layout.table());
        // The attributes may be given by name, whole, or as the maps that the key needs a part of.
        let mut attributes = Attributes::new();
        for (name, mut value) in given {
            let declared = entity.attribute(&name);
            let is_part = |place: &AttributePath| identity.iter().any(|path| path.overlaps(place));
            let Some(attribute) = declared.filter(|attribute| is_part(&attribute.place())) else {
                let names: Vec<String> = identity.iter().map(ToString::to_string).collect();
                problems.push(ItemProblem::NotKey { name, key: names.join(", ") });
                continue;
            };
            // Of a map, a key may need no more than a part.
            if attribute.kind.fields().is_empty() {
                problems.extend(check_value(&attribute.kind, &mut value, &name).into_iter().map(ItemProblem::Value));
            }
            attribute.place().set(&mut attributes, value);
        }
        if problems.is_empty() {
            match entity.primary_key(layout.table(), &attributes) {
                Ok(key) => return Ok(Item(key)),
                Err(error) => problems.push(error.into()),
            }
        }
        Err(ItemError { entity: entity.name.clone(), problems })
    }
}

/// What the definition makes by itself must not be given.
fn refuse_made(entity: &Entity, table: &Table, attributes: &Attributes) -> Vec<ItemProblem> {
    let mut problems = Vec::new();
    for name in table.key_attributes() {
        if attributes.contains_key(name) && entity.attribute(name).is_none() {
            problems.push(ItemProblem::Made(name.to_owned()));
        }
    }
    if let Some(name) = &table.type_attribute
        && let Some(value) = attributes.get(name)
        && !value.as_str().is_some_and(|text| text == entity.name || text == entity.type_value)
    {
        problems.push(ItemProblem::Made(name.clone()));
    }
    problems
}

/// What the definition does not name, where the table takes nothing else.
fn refuse_unknown(entity: &Entity, table: &Table, attributes: &Attributes) -> Vec<ItemProblem> {
    if table.settings.unknown_attributes == UnknownAttributes::Keep {
        return Vec::new();
    }
    let is_tables = |name: &str| {
        table.key_attribute(name).is_some()
            || [&table.type_attribute, &table.ttl_attribute].into_iter().flatten().any(|known| known == name)
    };
    let unknown = attributes.keys().filter(|name| entity.attribute(name).is_none() && !is_tables(name));
    unknown.map(|name| ItemProblem::Unknown(name.clone())).collect()
}

/// All keys that the attributes make: the primary key, and those of every index that the item is in.
fn keys(entity: &Entity, table: &Table, attributes: &Attributes) -> Result<Attributes, KeyError> {
    let mut made = entity.primary_key(table, attributes)?;
    made.extend(entity.index_keys(table, attributes)?);
    for key in table.keys() {
        if let Some(value) = attributes.get(&key.name).filter(|_| !made.contains_key(&key.name)) {
            table.check_key(key, value)?;
        }
    }
    Ok(made)
}

/// Says so when an item is over the limit, alone or with its entries in local indexes, and what in it weighs most.
pub(crate) fn too_large(item: &Item, table: &Table) -> Option<ItemProblem> {
    let size = item_size(item);
    if !size.fits() {
        return Some(ItemProblem::TooLarge { size, heaviest: heaviest(item) });
    }
    let local = table.indexes.iter().filter(|index| index.scope == IndexScope::Local);
    let entries: ItemSize = local.filter_map(|index| entry_size(table, index, item)).sum();
    let together = ItemSize::from_bytes(size.bytes() + entries.bytes());
    (!together.fits()).then(|| ItemProblem::TooLargeWithEntries { size, entries, heaviest: heaviest(item) })
}

/// The heaviest parts of an item, as paths: each as deep as one part still makes up half of what is above it.
pub fn heaviest(item: &Item) -> Vec<PathBytes> {
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
