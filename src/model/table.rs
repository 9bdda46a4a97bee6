//! The table and its indexes.

use serde::Serialize;

/// One DynamoDB table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Table {
    /// Its name.
    pub name: String,
    /// The names of its key attributes.
    pub key: KeySchema,
    /// The attribute that holds the entity's name in every item, where the definition has one.
    pub type_attribute: Option<String>,
    /// The attribute that holds the time at which an item expires, in seconds since 1970.
    pub ttl_attribute: Option<String>,
    /// How its throughput is paid.
    pub billing: Billing,
    /// Its secondary indexes, in the order of the definition.
    pub indexes: Vec<SecondaryIndex>,
}

impl Table {
    /// The index of that name.
    pub fn index(&self, name: &str) -> Option<&SecondaryIndex> {
        self.indexes.iter().find(|index| index.name == name)
    }

    /// The name of every key attribute of the table and its indexes, each once, in order.
    pub fn key_attributes(&self) -> Vec<&str> {
        let mut names: Vec<&str> = Vec::new();
        for name in self.key.names().chain(self.indexes.iter().flat_map(|index| index.key.names())) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        names
    }
}

/// The names of a partition key and, where there is one, a sort key. All keys are strings.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct KeySchema {
    /// The partition key.
    pub partition: String,
    /// The sort key.
    pub sort: Option<String>,
}

impl KeySchema {
    /// The partition key, then the sort key.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        std::iter::once(self.partition.as_str()).chain(self.sort.as_deref())
    }

    /// Whether the attribute is one of its keys.
    pub fn contains(&self, name: &str) -> bool {
        self.names().any(|key| key == name)
    }
}

/// A global secondary index.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SecondaryIndex {
    /// Its name.
    pub name: String,
    /// The names of its key attributes.
    pub key: KeySchema,
    /// What it carries of each item, besides its own key and the table's.
    pub projection: IndexProjection,
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
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Billing {
    /// By the request.
    OnDemand,
    /// By the hour: so many units a second, for the table and for each index alike.
    Provisioned {
        /// Read capacity units.
        read: u64,
        /// Write capacity units.
        write: u64,
    },
}
