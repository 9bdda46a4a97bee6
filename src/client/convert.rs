//! Our values to the SDK's, and back.

use std::collections::HashMap;

use aws_sdk_dynamodb::primitives::Blob;
use aws_sdk_dynamodb::types::{AttributeValue as SdkValue, ConsumedCapacity};

use super::StoreError;
use crate::capacity::{ReadUnits, WriteCapacity, WriteUnits};
use crate::item::Item;
use crate::value::{AttributeValue, Attributes, Binary};

pub(super) fn to_sdk(value: &AttributeValue) -> SdkValue {
    match value {
        AttributeValue::S(text) => SdkValue::S(text.clone()),
        AttributeValue::N(number) => SdkValue::N(number.to_string()),
        AttributeValue::B(bytes) => SdkValue::B(Blob::new(bytes.0.clone())),
        AttributeValue::Bool(value) => SdkValue::Bool(*value),
        AttributeValue::Null => SdkValue::Null(true),
        AttributeValue::L(elements) => SdkValue::L(elements.iter().map(to_sdk).collect()),
        AttributeValue::M(fields) => {
            SdkValue::M(fields.iter().map(|(name, value)| (name.clone(), to_sdk(value))).collect())
        }
        AttributeValue::StringSet(members) => SdkValue::Ss(members.iter().cloned().collect()),
        AttributeValue::NumberSet(members) => SdkValue::Ns(members.iter().map(ToString::to_string).collect()),
        AttributeValue::BinarySet(members) => {
            SdkValue::Bs(members.iter().map(|member| Blob::new(member.0.clone())).collect())
        }
    }
}

pub(super) fn item_to_sdk(item: &Item) -> HashMap<String, SdkValue> {
    item.0.iter().map(|(name, value)| (name.clone(), to_sdk(value))).collect()
}

pub(super) fn from_sdk(value: SdkValue) -> Result<AttributeValue, StoreError> {
    let number = |text: String| text.parse().map_err(|error| StoreError::Answer(format!("{error}")));
    Ok(match value {
        SdkValue::S(text) => AttributeValue::S(text),
        SdkValue::N(text) => AttributeValue::N(number(text)?),
        SdkValue::B(bytes) => AttributeValue::B(Binary(bytes.into_inner())),
        SdkValue::Bool(value) => AttributeValue::Bool(value),
        SdkValue::Null(_) => AttributeValue::Null,
        SdkValue::L(elements) => AttributeValue::L(elements.into_iter().map(from_sdk).collect::<Result<_, _>>()?),
        SdkValue::M(fields) => AttributeValue::M(fields_from_sdk(fields)?),
        SdkValue::Ss(members) => AttributeValue::StringSet(members.into_iter().collect()),
        SdkValue::Ns(members) => AttributeValue::NumberSet(members.into_iter().map(number).collect::<Result<_, _>>()?),
        SdkValue::Bs(members) => {
            AttributeValue::BinarySet(members.into_iter().map(|member| Binary(member.into_inner())).collect())
        }
        other => return Err(StoreError::Answer(format!("an attribute of an unknown type: {other:?}"))),
    })
}

pub(super) fn item_from_sdk(item: HashMap<String, SdkValue>) -> Result<Item, StoreError> {
    fields_from_sdk(item).map(Item)
}

fn fields_from_sdk(fields: HashMap<String, SdkValue>) -> Result<Attributes, StoreError> {
    fields.into_iter().map(|(name, value)| Ok((name, from_sdk(value)?))).collect()
}

/// What a write took, arm by arm. An engine that tells only a total is believed to mean the table.
pub(super) fn write_capacity(consumed: Option<&ConsumedCapacity>) -> WriteCapacity {
    let Some(consumed) = consumed else { return WriteCapacity::default() };
    let units = |units: Option<f64>| WriteUnits(halves(units) / 2);
    let table = consumed.table().map_or(consumed.capacity_units(), |table| table.capacity_units());
    let global = consumed.global_secondary_indexes().into_iter().flatten();
    let indexes = global.chain(consumed.local_secondary_indexes().into_iter().flatten());
    WriteCapacity {
        table: units(table),
        indexes: indexes.map(|(name, capacity)| (name.clone(), units(capacity.capacity_units()))).collect(),
    }
}

pub(super) fn read_units(consumed: Option<&ConsumedCapacity>) -> ReadUnits {
    ReadUnits::from_halves(halves(consumed.and_then(|consumed| consumed.capacity_units())))
}

/// The one place where units are a float: the API gives them so. They are whole halves.
fn halves(units: Option<f64>) -> u64 {
    (units.unwrap_or_default() * 2.0).round() as u64
}
