//! The keys of an entity's items: made from attributes, and read back.
//!
//! Attributes are as an item stores them.

use super::check_stored;
use super::{
    AttributePath, AttributeType, Entity, KeyAttribute, KeySchema, KeySource, KeyType, ReadBack, StringRules, Table,
};
use crate::key::{KeyError, Placeholder, check_length};
use crate::value::{AttributeValue, Attributes};

impl Entity {
    /// The primary key that these attributes make.
    ///
    /// # Errors
    /// What is missing, or cannot stand in a key.
    pub fn primary_key(&self, table: &Table, attributes: &Attributes) -> Result<Attributes, KeyError> {
        let mut made = Attributes::new();
        for key in table.key.attributes() {
            let source = self.keys.get(&key.name);
            let Some(value) = source.map(|source| source.make(key, attributes)).transpose()?.flatten() else {
                let absent = |path: &AttributePath| path.get(attributes).is_none();
                let path = self.inputs(&key.name).into_iter().find(absent);
                let path = path.unwrap_or_else(|| AttributePath::top_level(&key.name));
                return Err(KeyError::Missing { key: key.name.clone(), path });
            };
            table.check_key(key, &value)?;
            made.insert(key.name.clone(), value);
        }
        Ok(made)
    }

    /// The templated keys of every index that an item with these attributes is in. It is in an index when all of its
    /// key can be made; of any other index it carries none, because half a key is never written.
    ///
    /// # Errors
    /// What cannot stand in a key.
    pub fn index_keys(&self, table: &Table, attributes: &Attributes) -> Result<Attributes, KeyError> {
        let mut made = Attributes::new();
        for index in &table.indexes {
            let mut keys = Attributes::new();
            let mut is_whole = true;
            for key in index.key.attributes() {
                let source = self.keys.get(&key.name);
                match source.map(|source| source.make(key, attributes)).transpose()?.flatten() {
                    Some(value) => {
                        table.check_key(key, &value)?;
                        if matches!(source, Some(KeySource::Made(_))) {
                            keys.insert(key.name.clone(), value);
                        }
                    }
                    None => is_whole = false,
                }
            }
            if is_whole {
                made.extend(keys.into_iter().filter(|(name, _)| !table.key.contains(name)));
            }
        }
        Ok(made)
    }

    /// What one key attribute of an item says of the attributes that made it; `None` when its template cannot have
    /// made it, going by the types of its attributes too.
    pub fn read_back(&self, item: &Attributes, key: &str) -> Option<Vec<(AttributePath, AttributeValue)>> {
        let read = self.keys.get(key)?.read_back(item.get(key)?)?;
        let typed = |(path, read): (AttributePath, ReadBack)| {
            let kind = self.declared_at(&path)?.kind;
            let value = match read {
                ReadBack::Text(text) => typed(kind, text)?,
                ReadBack::Value(value) => value,
            };
            could_stand_in_a_key(kind, &value).then_some((path, value))
        };
        read.into_iter().map(typed).collect()
    }

    /// Whether an item with this primary key could be one of the entity's: its templates make the key, from the same
    /// attributes throughout.
    pub fn could_have(&self, table: &Table, item: &Attributes) -> bool {
        let mut attributes = Attributes::new();
        for key in table.key.attributes() {
            let (Some(value), Some(source)) = (item.get(&key.name), self.keys.get(&key.name)) else { return false };
            let read = match source {
                KeySource::Made(_) => self.read_back(item, &key.name),
                KeySource::Attribute { .. } => {
                    let path = AttributePath::top_level(&key.name);
                    let fits = self.declared_at(&path).is_some_and(|found| could_stand_in_a_key(found.kind, value));
                    fits.then(|| vec![(path, value.clone())])
                }
            };
            let Some(read) = read else { return false };
            for (path, value) in read {
                if path.get(&attributes).is_some_and(|known| *known != value) {
                    return false;
                }
                path.set(&mut attributes, value);
            }
        }
        table.key.attributes().all(|key| {
            let source = self.keys.get(&key.name);
            // What a filter has changed cannot be told, unless another key gives the attribute back.
            let is_unknown = |one: &Placeholder| !one.filters.is_empty() && one.path.get(&attributes).is_none();
            let made = source.and_then(|source| source.make(key, &attributes).ok().flatten());
            source.is_some_and(|source| source.placeholders().any(is_unknown)) || made.as_ref() == item.get(&key.name)
        })
    }
}

impl Table {
    /// Refuses a value that DynamoDB would not take as this key.
    ///
    /// # Errors
    /// Another type, nothing, or more bytes than DynamoDB takes there.
    pub fn check_key(&self, key: &KeyAttribute, value: &AttributeValue) -> Result<(), KeyError> {
        // The stricter of the two limits, where an attribute is a partition key here and a sort key there.
        let sorts = |schema: &KeySchema| schema.sort.iter().any(|sort| sort.name == key.name);
        let is_partition = !sorts(&self.key) && !self.indexes.iter().any(|index| sorts(&index.key));
        match (key.kind, value) {
            (KeyType::String, AttributeValue::S(text)) => check_length(&key.name, text.len(), is_partition),
            (KeyType::Binary, AttributeValue::B(bytes)) => check_length(&key.name, bytes.0.len(), is_partition),
            (KeyType::Number, AttributeValue::N(_)) => Ok(()),
            (expected, found) => {
                Err(KeyError::WrongType { key: key.name.clone(), expected: expected.name(), found: found.type_name() })
            }
        }
    }
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
fn could_stand_in_a_key(kind: &AttributeType, value: &AttributeValue) -> bool {
    match kind {
        AttributeType::String(rules) => {
            let unbounded = StringRules { max_bytes: None, ..rules.clone() };
            check_stored(&AttributeType::String(unbounded), value, "").is_empty()
        }
        kind => check_stored(kind, value, "").is_empty(),
    }
}
