//! An attribute's value, wherever the item keeps it: under its own name, or inside a key.

use super::{Attributes, Item};
use crate::model::{AttributePath, AttributeType, Entity, KeySource, Table};
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
        table.key_attributes().into_iter().find_map(|key| {
            let value = read_back(item, entity, key).into_iter().find(|(found, _)| found == path)?.1;
            Some(Held { value, stored_in: StoredIn::Key(key.to_owned()) })
        })
    }
}

/// An entity's attributes as they stand in an item: without what the definition makes, and with what is
/// stored only in the keys.
pub fn attributes_of(item: &Item, entity: &Entity, table: &Table) -> Attributes {
    let mut attributes = item.0.clone();
    let is_declared = |name: &str| entity.attribute(name).is_some();
    attributes.retain(|name, _| is_declared(name) || !is_made(name, table));
    for key in table.key_attributes() {
        for (path, value) in read_back(item, entity, key) {
            if path.get(&attributes).is_none() {
                path.set(&mut attributes, value);
            }
        }
    }
    attributes
}

fn is_made(name: &str, table: &Table) -> bool {
    table.key_attributes().contains(&name) || table.type_attribute.as_deref() == Some(name)
}

/// What one key attribute says of the attributes that made it; nothing when its template cannot have made it.
pub(super) fn read_back(item: &Item, entity: &Entity, key: &str) -> Vec<(AttributePath, AttributeValue)> {
    let Some(KeySource::Template(template)) = entity.keys.get(key) else { return Vec::new() };
    let read = item.get(key).and_then(AttributeValue::as_str).and_then(|text| template.read_back(text));
    read.into_iter()
        .flatten()
        .filter_map(|(path, text)| {
            let kind = entity.resolve(&path.to_string())?.kind;
            Some((path, typed(kind, text)?))
        })
        .collect()
}

fn typed(kind: &AttributeType, text: String) -> Option<AttributeValue> {
    match kind {
        AttributeType::Number | AttributeType::Epoch => text.parse().ok().map(AttributeValue::N),
        AttributeType::Boolean => text.parse().ok().map(AttributeValue::Bool),
        _ => Some(AttributeValue::S(text)),
    }
}
