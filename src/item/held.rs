//! An attribute's value, wherever the item keeps it: under its own name, or inside a key.

use super::{Attributes, Item};
use crate::model::{AttributePath, AttributeType, Entity, ReadBack, Table, check_stored, named};
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
            let read = read_back(item, entity, &key.name).unwrap_or_default();
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
        for (path, value) in read_back(item, entity, &key.name).unwrap_or_default() {
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

/// What one key attribute says of the attributes that made it; `None` when its template cannot have made it, going by
/// the types of its attributes too.
pub(crate) fn read_back(item: &Item, entity: &Entity, key: &str) -> Option<Vec<(AttributePath, AttributeValue)>> {
    let read = entity.keys.get(key)?.read_back(item.get(key)?)?;
    let typed = |(path, read): (AttributePath, ReadBack)| {
        let kind = entity.declared_at(&path)?.kind;
        let value = match read {
            ReadBack::Text(text) => typed(kind, text)?,
            ReadBack::Value(value) => value,
        };
        could_stand_in_a_key(kind, &value).then_some((path, value))
    };
    read.into_iter().map(typed).collect()
}

fn typed(kind: &AttributeType, text: String) -> Option<AttributeValue> {
    match kind {
        AttributeType::Number { .. } | AttributeType::Epoch => text.parse().ok().map(AttributeValue::N),
        AttributeType::Boolean => text.parse().ok().map(AttributeValue::Bool),
        _ => Some(AttributeValue::S(text)),
    }
}

/// Whether a value could be the one that a key was made from. A text that is only too long could: another tool may
/// know no bound.
pub(super) fn could_stand_in_a_key(kind: &AttributeType, value: &AttributeValue) -> bool {
    match kind {
        AttributeType::String(rules) => {
            let unbounded = crate::model::StringRules { max_bytes: None, ..rules.clone() };
            check_stored(&AttributeType::String(unbounded), value, "").is_empty()
        }
        kind => check_stored(kind, value, "").is_empty(),
    }
}
