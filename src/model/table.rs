//! The table and its indexes.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::value::AttributeValue;

/// One DynamoDB table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Table {
    /// Its name.
    pub name: String,
    /// Its key.
    pub key: KeySchema,
    /// The attribute that holds the entity's name in every item, where the definition has one.
    pub type_attribute: Option<String>,
    /// The attribute that holds the time at which an item expires, in seconds since 1970.
    pub ttl_attribute: Option<String>,
    /// What the table has besides its keys and indexes.
    pub settings: TableSettings,
    /// Its secondary indexes, in the order of the definition.
    pub indexes: Vec<SecondaryIndex>,
}

/// What a table has besides its keys and indexes.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct TableSettings {
    /// How its throughput is paid.
    pub billing: Billing,
    /// What its stream passes on of every write.
    pub streams: Option<StreamView>,
    /// Whether it can be restored to any second of the last 35 days.
    pub point_in_time_recovery: bool,
    /// Whether it cannot be deleted before this is switched off.
    pub deletion_protection: bool,
    /// How storage and requests are priced.
    pub class: TableClass,
    /// Its tags.
    pub tags: BTreeMap<String, String>,
    /// The AWS accounts that may be written to; any where none is named.
    pub accounts: Vec<String>,
    /// The AWS regions that may be written to; any where none is named.
    pub regions: Vec<String>,
    /// What becomes of attributes that the definition does not name.
    pub unknown_attributes: UnknownAttributes,
    /// The size in bytes from which on an item deserves a warning.
    pub warn_item_bytes: Option<u64>,
}

impl Table {
    /// The index of that name.
    pub fn index(&self, name: &str) -> Option<&SecondaryIndex> {
        self.indexes.iter().find(|index| index.name == name)
    }

    /// Whether the entries of one of its indexes carry the attribute.
    pub fn index_carries(&self, index: &SecondaryIndex, attribute: &str) -> bool {
        index.key.contains(attribute)
            || self.key.contains(attribute)
            || match &index.projection {
                IndexProjection::All => true,
                IndexProjection::KeysOnly => false,
                IndexProjection::Include(names) => names.iter().any(|name| name == attribute),
            }
    }

    /// The name of its partition key.
    pub fn partition_key(&self) -> &str {
        // A definition is read only when its table has one.
        self.key.partition.first().map_or("", |key| key.name.as_str())
    }

    /// The name of every key attribute of the table and its indexes, each once, in order.
    pub fn key_attributes(&self) -> Vec<&str> {
        self.keys().map(|key| key.name.as_str()).collect()
    }

    /// Every key attribute of the table and its indexes, each once, in order.
    pub fn keys(&self) -> impl Iterator<Item = &KeyAttribute> {
        let mut seen: Vec<&str> = Vec::new();
        self.key.attributes().chain(self.indexes.iter().flat_map(|index| index.key.attributes())).filter(move |key| {
            let is_new = !seen.contains(&key.name.as_str());
            if is_new {
                seen.push(&key.name);
            }
            is_new
        })
    }

    /// The key attribute of that name.
    pub fn key_attribute(&self, name: &str) -> Option<&KeyAttribute> {
        self.key
            .attributes()
            .chain(self.indexes.iter().flat_map(|index| index.key.attributes()))
            .find(|key| key.name == name)
    }
}

/// The attributes of a key: one or, in a global index, up to four of each part.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct KeySchema {
    /// The partition key.
    pub partition: Vec<KeyAttribute>,
    /// The sort key; empty where there is none.
    pub sort: Vec<KeyAttribute>,
}

/// An attribute that is part of a key.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct KeyAttribute {
    /// Its name.
    pub name: String,
    /// Its type.
    #[serde(rename = "type")]
    pub kind: KeyType,
}

/// The three types that a key can have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum KeyType {
    /// Text, which sorts by its UTF-8 bytes.
    String,
    /// A number, which sorts by its value.
    Number,
    /// Bytes, which sort as unsigned ones.
    Binary,
}

impl KeyType {
    /// Whether a value is of this type.
    pub fn takes(self, value: &AttributeValue) -> bool {
        matches!(
            (self, value),
            (KeyType::String, AttributeValue::S(_))
                | (KeyType::Number, AttributeValue::N(_))
                | (KeyType::Binary, AttributeValue::B(_))
        )
    }

    /// The word for it in a definition.
    pub fn name(self) -> &'static str {
        match self {
            KeyType::String => "string",
            KeyType::Number => "number",
            KeyType::Binary => "binary",
        }
    }
}

impl KeySchema {
    /// Its attributes: the partition key's, then the sort key's.
    pub fn attributes(&self) -> impl Iterator<Item = &KeyAttribute> {
        self.partition.iter().chain(&self.sort)
    }

    /// The names of its attributes.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.attributes().map(|key| key.name.as_str())
    }

    /// Whether the attribute is part of it.
    pub fn contains(&self, name: &str) -> bool {
        self.names().any(|key| key == name)
    }
}

/// A secondary index.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SecondaryIndex {
    /// Its name.
    pub name: String,
    /// Whether it is global or local.
    pub scope: IndexScope,
    /// The names of its key attributes.
    pub key: KeySchema,
    /// What it carries of each item, besides its own key and the table's.
    pub projection: IndexProjection,
}

/// Whether an index spans the table or each of its partitions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum IndexScope {
    /// It has a partition key of its own.
    Global,
    /// It has the table's partition key, and another sort key; it can be read strongly.
    Local,
}

/// What an index carries of each item.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum IndexProjection {
    /// Everything.
    All,
    /// The keys only.
    KeysOnly,
    /// The keys and these attributes.
    Include(Vec<String>),
}

/// How throughput is paid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Billing {
    /// By the request.
    #[default]
    OnDemand,
    /// By the hour: so many units a second, for the table and for each index alike.
    Provisioned {
        /// Read capacity units.
        read: u64,
        /// Write capacity units.
        write: u64,
    },
}

/// What a stream passes on of every write.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum StreamView {
    /// The key.
    KeysOnly,
    /// The item as it is now.
    NewImage,
    /// The item as it was.
    OldImage,
    /// Both.
    NewAndOldImages,
}

/// How storage and requests are priced.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TableClass {
    /// Cheaper requests.
    #[default]
    Standard,
    /// Cheaper storage.
    StandardInfrequentAccess,
}

/// What becomes of attributes that the definition does not name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum UnknownAttributes {
    /// They are kept as they are.
    #[default]
    Keep,
    /// An item that has one is not built.
    Refuse,
}
