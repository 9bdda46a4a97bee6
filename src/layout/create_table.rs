//! The request that creates the table, in the shape that every AWS tool takes.

use serde::Serialize;

use super::Layout;
use crate::model::{
    Billing, IndexProjection, IndexScope, KeyAttribute, KeySchema, KeyType, SecondaryIndex, StreamView, TableClass,
};

/// The input of `CreateTable`. As JSON it is what `aws dynamodb create-table --cli-input-json` takes.
///
/// TTL and point-in-time recovery are no part of it: DynamoDB has requests of their own for those.
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
    /// Its local indexes; DynamoDB refuses an empty list.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub local_secondary_indexes: Vec<LocalIndex>,
    /// `PAY_PER_REQUEST` or `PROVISIONED`.
    pub billing_mode: &'static str,
    /// Its throughput, where it is provisioned.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provisioned_throughput: Option<Throughput>,
    /// Its stream, where it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stream_specification: Option<StreamSpecification>,
    /// `STANDARD_INFREQUENT_ACCESS`, where it is that.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub table_class: Option<&'static str>,
    /// True where deleting it must be refused.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub deletion_protection_enabled: bool,
    /// Its tags.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<Tag>,
}

/// A table's stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "PascalCase")]
pub struct StreamSpecification {
    /// Always true: a table without a stream has no specification.
    pub stream_enabled: bool,
    /// `KEYS_ONLY`, `NEW_IMAGE`, `OLD_IMAGE` or `NEW_AND_OLD_IMAGES`.
    pub stream_view_type: &'static str,
}

/// A table's tag.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "PascalCase")]
pub struct Tag {
    /// Its name.
    pub key: String,
    /// Its value.
    pub value: String,
}

/// A key attribute and its type.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "PascalCase")]
pub struct AttributeDefinition {
    /// Its name.
    pub attribute_name: String,
    /// `S`, `N` or `B`.
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

/// A local secondary index; its throughput is the table's.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "PascalCase")]
pub struct LocalIndex {
    /// Its name.
    pub index_name: String,
    /// Its key.
    pub key_schema: Vec<KeyElement>,
    /// What it carries.
    pub projection: Projection,
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
        let settings = &table.settings;
        let (billing_mode, provisioned_throughput) = match settings.billing {
            Billing::OnDemand => ("PAY_PER_REQUEST", None),
            Billing::Provisioned { read, write } => {
                ("PROVISIONED", Some(Throughput { read_capacity_units: read, write_capacity_units: write }))
            }
        };
        let mut attribute_definitions: Vec<AttributeDefinition> = table
            .keys()
            .map(|key| AttributeDefinition { attribute_name: key.name.clone(), attribute_type: scalar_type(key.kind) })
            .collect();
        attribute_definitions.sort();
        let of_scope = |scope| table.indexes.iter().filter(move |index| index.scope == scope);
        let global = |index: &SecondaryIndex| GlobalIndex {
            index_name: index.name.clone(),
            key_schema: key_elements(&index.key),
            projection: Projection::of(&index.projection),
            provisioned_throughput,
        };
        let local = |index: &SecondaryIndex| LocalIndex {
            index_name: index.name.clone(),
            key_schema: key_elements(&index.key),
            projection: Projection::of(&index.projection),
        };
        CreateTable {
            table_name: table.name.clone(),
            attribute_definitions,
            key_schema: key_elements(&table.key),
            global_secondary_indexes: of_scope(IndexScope::Global).map(global).collect(),
            local_secondary_indexes: of_scope(IndexScope::Local).map(local).collect(),
            billing_mode,
            provisioned_throughput,
            stream_specification: settings.streams.map(|view| StreamSpecification {
                stream_enabled: true,
                stream_view_type: match view {
                    StreamView::KeysOnly => "KEYS_ONLY",
                    StreamView::NewImage => "NEW_IMAGE",
                    StreamView::OldImage => "OLD_IMAGE",
                    StreamView::NewAndOldImages => "NEW_AND_OLD_IMAGES",
                },
            }),
            table_class: match settings.class {
                TableClass::Standard => None,
                TableClass::StandardInfrequentAccess => Some("STANDARD_INFREQUENT_ACCESS"),
            },
            deletion_protection_enabled: settings.deletion_protection,
            tags: settings.tags.iter().map(|(key, value)| Tag { key: key.clone(), value: value.clone() }).collect(),
        }
    }
}

fn scalar_type(kind: KeyType) -> &'static str {
    match kind {
        KeyType::String => "S",
        KeyType::Number => "N",
        KeyType::Binary => "B",
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
    let elements = |part: &[KeyAttribute], key_type| {
        part.iter().map(move |key| KeyElement { attribute_name: key.name.clone(), key_type }).collect::<Vec<_>>()
    };
    [elements(&key.partition, "HASH"), elements(&key.sort, "RANGE")].concat()
}
