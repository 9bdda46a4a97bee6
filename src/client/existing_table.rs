//! A table as it is found.

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::types as sdk;

use super::StoreError;
use super::schema::{describe, is_on_demand, provisioned_units};
use crate::capacity::WriteUnits;
use crate::cost::Provisioned;
use crate::fanout::TableIdentity;
use crate::model::TableClass;

/// A table as it is found: which one it is, who else hears of its writes, and how it is billed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExistingTable {
    /// Tells it from every other.
    pub identity: TableIdentity,
    /// Whether a stream passes every write on.
    pub has_stream: bool,
    /// The regions that hold replicas.
    pub replicas: Vec<String>,
    /// How it is priced.
    pub table_class: TableClass,
    /// What is provisioned; `None` where it is billed by request.
    pub provisioned: Option<Provisioned>,
    /// Whether it has indexes whose units are metered by rules of their own.
    pub has_vector_indexes: bool,
}

impl ExistingTable {
    /// Asks which table a name stands for. `endpoint` says where it is reached.
    ///
    /// # Errors
    /// The table is missing, or the request failed.
    pub async fn ask(client: &Client, name: &str, endpoint: impl Into<String>) -> Result<Self, StoreError> {
        Ok(Self::of(describe(client, name).await?, name, endpoint.into()))
    }

    fn of(description: sdk::TableDescription, name: &str, endpoint: String) -> Self {
        let region = |replica: &sdk::ReplicaDescription| replica.region_name().map(str::to_owned);
        let class = description.table_class_summary().and_then(|summary| summary.table_class());
        ExistingTable {
            has_stream: description.stream_specification().is_some_and(|stream| stream.stream_enabled()),
            replicas: description.replicas().iter().filter_map(region).collect(),
            table_class: match class {
                Some(sdk::TableClass::StandardInfrequentAccess) => TableClass::StandardInfrequentAccess,
                _ => TableClass::Standard,
            },
            provisioned: (!is_on_demand(&description)).then(|| provisioned(&description)),
            has_vector_indexes: !description.vector_indexes().is_empty(),
            identity: TableIdentity {
                name: name.to_owned(),
                arn: description.table_arn.filter(|arn| !arn.is_empty()),
                id: description.table_id.filter(|id| !id.is_empty()),
                endpoint,
            },
        }
    }
}

fn provisioned(description: &sdk::TableDescription) -> Provisioned {
    let write = |throughput| WriteUnits(provisioned_units(throughput).1);
    let global = description.global_secondary_indexes().iter();
    Provisioned {
        table: write(description.provisioned_throughput()),
        indexes: global
            .filter_map(|index| Some((index.index_name()?.to_owned(), write(index.provisioned_throughput()))))
            .collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn throughput(write: i64) -> sdk::ProvisionedThroughputDescription {
        sdk::ProvisionedThroughputDescription::builder().read_capacity_units(write).write_capacity_units(write).build()
    }

    #[test]
    fn a_table_without_a_billing_mode_is_on_demand_where_nothing_is_provisioned() {
        let table = |write| sdk::TableDescription::builder().provisioned_throughput(throughput(write)).build();
        let found = |description| ExistingTable::of(description, "t", String::new()).provisioned;
        assert_eq!(found(table(0)), None);
        assert_eq!(found(table(5)).unwrap().table, WriteUnits(5));
        assert_eq!(found(sdk::TableDescription::builder().build()), None);
        let mode = |mode| sdk::BillingModeSummary::builder().billing_mode(mode).build();
        let with = |one| sdk::TableDescription::builder().billing_mode_summary(one).build();
        assert_eq!(found(with(mode(sdk::BillingMode::PayPerRequest))), None);
        assert_eq!(found(with(mode(sdk::BillingMode::Provisioned))).unwrap().table, WriteUnits(0));
    }

    #[test]
    fn each_global_index_has_units_of_its_own() {
        let index = |name: &str, write| {
            sdk::GlobalSecondaryIndexDescription::builder()
                .index_name(name)
                .provisioned_throughput(throughput(write))
                .build()
        };
        let table = sdk::TableDescription::builder()
            .provisioned_throughput(throughput(10))
            .global_secondary_indexes(index("G", 3))
            .build();
        let provisioned = ExistingTable::of(table, "t", String::new()).provisioned.unwrap();
        assert_eq!(provisioned.indexes["G"], WriteUnits(3));
    }
}
