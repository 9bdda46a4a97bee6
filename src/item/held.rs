//! An attribute's value, wherever the item keeps it: under its own name, or inside a key.

use super::{Attributes, Item};
use crate::model::{AttributePath, Entity, Table, named};
use crate::value::AttributeValue;

/// A value, and where the item keeps it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Held {
    /// The value.
    pub value: AttributeValue,
    /// Where it is.
    pub stored_in: StoredIn,
}

/// Where an item keeps an attribute's value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StoredIn {
    /// Under its own name.
    Attribute,
    /// Only inside this key attribute, from which it was read back.
    Key(String),
}

impl Held {
    /// Finds an attribute's value in an item that any tool may have written.
    pub fn find(item: &Item, entity: &Entity, table: &Table, path: &AttributePath) -> Option<Held> {
        if let Some(value) = path.get(&item.0) {
            return Some(Held { value: value.clone(), stored_in: StoredIn::Attribute });
        }
        table.keys().find_map(|key| {
            let read = entity.read_back(&item.0, &key.name).unwrap_or_default();
            let value = read.into_iter().find(|(found, _)| found == path)?.1;
            Some(Held { value, stored_in: StoredIn::Key(key.name.clone()) })
        })
    }
}

/// An entity's attributes as they stand in an item: without what the definition makes, and with what is
/// stored only in the keys.
pub fn attributes_of(item: &Item, entity: &Entity, table: &Table) -> Attributes {
    let mut attributes = item.0.clone();
    attributes.retain(|name, _| entity.stored_under(name).is_some() || !is_made(name, table));
    for key in table.keys() {
        for (path, value) in entity.read_back(&item.0, &key.name).unwrap_or_default() {
            if path.get(&attributes).is_none() {
                path.set(&mut attributes, value);
            }
        }
    }
    attributes
}

/// An item's attributes as people give them: by their names, and enumerations by theirs.
pub fn named_attributes(item: &Item, entity: &Entity, table: &Table) -> Attributes {
    named(&entity.attributes, attributes_of(item, entity, table))
}

fn is_made(name: &str, table: &Table) -> bool {
    table.key_attribute(name).is_some() || table.type_attribute.as_deref() == Some(name)
}
