//! The real store.

use std::collections::HashMap;

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::operation::put_item::PutItemError;
use aws_sdk_dynamodb::operation::update_item::UpdateItemError;
use aws_sdk_dynamodb::types::{
    AttributeValue as SdkValue, KeysAndAttributes, ReturnConsumedCapacity, ReturnValuesOnConditionCheckFailure,
};

use super::convert::{item_from_sdk, item_to_sdk, read_units, to_sdk, write_capacity};
use super::{Fetched, Page, Query, Store, StoreError, Write, WriteError, Written};
use crate::capacity::ReadUnits;
use crate::expression::{Condition, Placeholders};
use crate::fanout::UpdateRequest;
use crate::item::Item;
use crate::limits::MAX_BATCH_GET;
use crate::model::KeySchema;

/// One table, through the AWS SDK.
#[derive(Debug, Clone)]
pub struct DynamoDb {
    client: Client,
    table: String,
    key: KeySchema,
}

impl DynamoDb {
    /// A table of a ready client.
    pub fn new(client: Client, table: impl Into<String>, key: KeySchema) -> Self {
        DynamoDb { client, table: table.into(), key }
    }

    /// The SDK's client.
    pub fn client(&self) -> &Client {
        &self.client
    }

    /// The table's name.
    pub fn table(&self) -> &str {
        &self.table
    }

    async fn scan(&self, query: &Query) -> Result<Page, StoreError> {
        let answer = self
            .client
            .scan()
            .table_name(&self.table)
            .set_index_name(query.index.clone())
            .consistent_read(query.consistent)
            .set_segment(query.segment.map(|segment| segment.number as i32))
            .set_total_segments(query.segment.map(|segment| segment.of as i32))
            .set_exclusive_start_key(query.start.as_ref().map(item_to_sdk))
            .return_consumed_capacity(ReturnConsumedCapacity::Indexes)
            .send()
            .await
            .map_err(|error| StoreError::from_sdk(&error, "Scan", &self.table))?;
        page(read_units(answer.consumed_capacity()), answer.last_evaluated_key, answer.items)
    }

    /// A refusal with the item that stood there. Where the engine did not tell it, it is read: either there is
    /// none, or the engine is one that never tells.
    async fn refused(&self, key: &Item, told: Option<HashMap<String, SdkValue>>) -> WriteError {
        match told.filter(|item| !item.is_empty()).map(item_from_sdk) {
            Some(Ok(item)) => WriteError::Refused { item: Some(item), consumed: ReadUnits::default() },
            Some(Err(error)) => error.into(),
            None => match self.fetch(std::slice::from_ref(key)).await {
                Ok(fetched) => {
                    WriteError::Refused { item: fetched.items.into_iter().next(), consumed: fetched.consumed }
                }
                Err(error) => error.into(),
            },
        }
    }
}

impl Store for DynamoDb {
    async fn query(&self, query: &Query) -> Result<Page, StoreError> {
        let Some(partition) = &query.partition else { return self.scan(query).await };
        let mut placeholders = Placeholders::default();
        let conditions: Vec<String> = partition
            .0
            .iter()
            .map(|(name, value)| format!("{} = {}", placeholders.name(name), placeholders.value(value)))
            .collect();
        let answer = self
            .client
            .query()
            .table_name(&self.table)
            .set_index_name(query.index.clone())
            .consistent_read(query.consistent)
            .key_condition_expression(conditions.join(" AND "))
            .set_expression_attribute_names(Some(placeholders.names.into_iter().collect()))
            .set_expression_attribute_values(Some(values_to_sdk(&placeholders.values)))
            .set_exclusive_start_key(query.start.as_ref().map(item_to_sdk))
            .return_consumed_capacity(ReturnConsumedCapacity::Indexes)
            .send()
            .await
            .map_err(|error| StoreError::from_sdk(&error, "Query", &self.table))?;
        page(read_units(answer.consumed_capacity()), answer.last_evaluated_key, answer.items)
    }

    async fn fetch(&self, keys: &[Item]) -> Result<Fetched, StoreError> {
        let mut fetched = Fetched::default();
        for keys in keys.chunks(MAX_BATCH_GET) {
            let mut pending: Vec<_> = keys.iter().map(item_to_sdk).collect();
            let mut pause = std::time::Duration::from_millis(50);
            while !pending.is_empty() {
                let asked = pending.len();
                let request = KeysAndAttributes::builder()
                    .set_keys(Some(std::mem::take(&mut pending)))
                    .consistent_read(true)
                    .build()
                    .map_err(|error| StoreError::Answer(error.to_string()))?;
                let answer = self
                    .client
                    .batch_get_item()
                    .request_items(&self.table, request)
                    .return_consumed_capacity(ReturnConsumedCapacity::Indexes)
                    .send()
                    .await
                    .map_err(|error| StoreError::from_sdk(&error, "BatchGetItem", &self.table))?;
                fetched.consumed += answer.consumed_capacity().iter().map(|one| read_units(Some(one))).sum();
                for item in answer.responses.into_iter().flatten().flat_map(|(_, items)| items) {
                    fetched.items.push(item_from_sdk(item)?);
                }
                pending = answer.unprocessed_keys.into_iter().flatten().flat_map(|(_, keys)| keys.keys).collect();
                // What is left over was throttled or did not fit into 16 MB; only the former makes no headway.
                if pending.len() == asked {
                    tokio::time::sleep(pause).await;
                    pause = (pause * 2).min(std::time::Duration::from_secs(5));
                }
            }
        }
        Ok(fetched)
    }

    async fn write(&self, write: Write<'_>) -> Result<Written, WriteError> {
        match write {
            Write::Put { item, conditions } => self.put(item, conditions).await,
            Write::Update(update) => self.update(&update.request()).await,
        }
    }
}

impl DynamoDb {
    async fn put(&self, item: &Item, conditions: &[Condition]) -> Result<Written, WriteError> {
        let mut placeholders = Placeholders::default();
        let condition = (!conditions.is_empty()).then(|| placeholders.condition(conditions));
        let some = |empty: bool| (!empty).then_some(());
        let sent = self
            .client
            .put_item()
            .table_name(&self.table)
            .set_item(Some(item_to_sdk(item)))
            .set_condition_expression(condition)
            .set_expression_attribute_values(
                some(placeholders.values.is_empty()).map(|()| values_to_sdk(&placeholders.values)),
            )
            .set_expression_attribute_names(
                some(placeholders.names.is_empty()).map(|()| placeholders.names.into_iter().collect()),
            )
            .return_consumed_capacity(ReturnConsumedCapacity::Indexes)
            .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld)
            .send()
            .await;
        match sent {
            Ok(answer) => Ok(Written { consumed: write_capacity(answer.consumed_capacity()) }),
            Err(error) => match error.as_service_error() {
                Some(PutItemError::ConditionalCheckFailedException(refusal)) => {
                    Err(self.refused(&item.key(&self.key), refusal.item.clone()).await)
                }
                _ => Err(StoreError::from_sdk(&error, "PutItem", &self.table).into()),
            },
        }
    }

    async fn update(&self, request: &UpdateRequest) -> Result<Written, WriteError> {
        let values = &request.placeholders.values;
        let sent = self
            .client
            .update_item()
            .table_name(&self.table)
            .set_key(Some(item_to_sdk(&request.key)))
            .update_expression(&request.update)
            .condition_expression(&request.condition)
            .set_expression_attribute_names(Some(request.placeholders.names.clone().into_iter().collect()))
            .set_expression_attribute_values((!values.is_empty()).then(|| values_to_sdk(values)))
            .return_consumed_capacity(ReturnConsumedCapacity::Indexes)
            .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld)
            .send()
            .await;
        match sent {
            Ok(answer) => Ok(Written { consumed: write_capacity(answer.consumed_capacity()) }),
            Err(error) => match error.as_service_error() {
                Some(UpdateItemError::ConditionalCheckFailedException(refusal)) => {
                    Err(self.refused(&request.key, refusal.item.clone()).await)
                }
                _ => Err(StoreError::from_sdk(&error, "UpdateItem", &self.table).into()),
            },
        }
    }
}

fn page(
    consumed: ReadUnits,
    next: Option<HashMap<String, SdkValue>>,
    items: Option<Vec<HashMap<String, SdkValue>>>,
) -> Result<Page, StoreError> {
    Ok(Page {
        consumed,
        next: next.filter(|key| !key.is_empty()).map(item_from_sdk).transpose()?,
        items: items.unwrap_or_default().into_iter().map(item_from_sdk).collect::<Result<_, _>>()?,
    })
}

fn values_to_sdk<'a>(
    values: impl IntoIterator<Item = (&'a String, &'a crate::value::AttributeValue)>,
) -> HashMap<String, SdkValue> {
    values.into_iter().map(|(placeholder, value)| (placeholder.clone(), to_sdk(value))).collect()
}
