//! The request that creates the table, in the shape that every AWS tool takes.

use serde::Serialize;

use super::Layout;
use crate::model::{Billing, IndexProjection, KeySchema};

/// The input of `CreateTable`. As JSON it is what `aws dynamodb create-table --cli-input-json` takes.
///
/// TTL is no part of it: DynamoDB has a request of its own for that.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "PascalCase")]
pub struct CreateTable {
    /// The table's name.
    pub table_name: String,
    /// The type of every key attribute, and of nothing else.
    pub attribute_definitions: Vec<AttributeDefinition>,
    /// The table's key.
    pub key_schema: Vec<KeyElement>,
    /// Its indexes; DynamoDB refuses an empty list.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub global_secondary_indexes: Vec<GlobalIndex>,
    /// `PAY_PER_REQUEST` or `PROVISIONED`.
    pub billing_mode: &'static str,
    /// Its throughput, where it is provisioned.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provisioned_throughput: Option<Throughput>,
}

/// A key attribute and its type.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "PascalCase")]
pub struct AttributeDefinition {
    /// Its name.
    pub attribute_name: String,
    /// `S`: all keys are strings.
    pub attribute_type: &'static str,
}

/// One part of a key.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "PascalCase")]
pub struct KeyElement {
    /// The key attribute.
    pub attribute_name: String,
    /// `HASH` for the partition key, `RANGE` for the sort key: AWS's words on the wire.
    pub key_type: &'static str,
}

/// A global secondary index.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "PascalCase")]
pub struct GlobalIndex {
    /// Its name.
    pub index_name: String,
    /// Its key.
    pub key_schema: Vec<KeyElement>,
    /// What it carries.
    pub projection: Projection,
    /// Its throughput, where it is provisioned.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provisioned_throughput: Option<Throughput>,
}

/// What an index carries.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "PascalCase")]
pub struct Projection {
    /// `ALL`, `KEYS_ONLY` or `INCLUDE`.
    pub projection_type: &'static str,
    /// The attributes of `INCLUDE`, sorted.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub non_key_attributes: Vec<String>,
}

/// Provisioned units a second.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "PascalCase")]
pub struct Throughput {
    /// Read capacity units.
    pub read_capacity_units: u64,
    /// Write capacity units.
    pub write_capacity_units: u64,
}

impl CreateTable {
    /// The request that makes the table of a layout.
    pub fn of(layout: &Layout) -> Self {
        let table = layout.table();
        let (billing_mode, provisioned_throughput) = match table.billing {
            Billing::OnDemand => ("PAY_PER_REQUEST", None),
            Billing::Provisioned { read, write } => {
                ("PROVISIONED", Some(Throughput { read_capacity_units: read, write_capacity_units: write }))
            }
        };
        let mut attribute_definitions: Vec<AttributeDefinition> = table
            .key_attributes()
            .into_iter()
            .map(|name| AttributeDefinition { attribute_name: name.to_owned(), attribute_type: "S" })
            .collect();
        attribute_definitions.sort();
        let index = |index: &crate::model::SecondaryIndex| GlobalIndex {
            index_name: index.name.clone(),
            key_schema: key_elements(&index.key),
            projection: Projection::of(&index.projection),
            provisioned_throughput,
        };
        CreateTable {
            table_name: table.name.clone(),
            attribute_definitions,
            key_schema: key_elements(&table.key),
            global_secondary_indexes: table.indexes.iter().map(index).collect(),
            billing_mode,
            provisioned_throughput,
        }
    }
}

impl Projection {
    fn of(projection: &IndexProjection) -> Self {
        let (projection_type, mut non_key_attributes) = match projection {
            IndexProjection::All => ("ALL", Vec::new()),
            IndexProjection::KeysOnly => ("KEYS_ONLY", Vec::new()),
            IndexProjection::Include(names) => ("INCLUDE", names.clone()),
        };
        non_key_attributes.sort();
        Projection { projection_type, non_key_attributes }
    }
}

fn key_elements(key: &KeySchema) -> Vec<KeyElement> {
    let element = |(name, key_type): (&String, &'static str)| KeyElement { attribute_name: name.clone(), key_type };
    std::iter::once((&key.partition, "HASH")).chain(key.sort.iter().map(|sort| (sort, "RANGE"))).map(element).collect()
}
