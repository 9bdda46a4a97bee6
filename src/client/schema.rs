//! The table itself: made where it is missing, described where it differs, never altered.

use std::time::Duration;

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::error::BuildError;
use aws_sdk_dynamodb::types as sdk;

use super::StoreError;
use crate::layout::{CreateTable, KeyElement, Projection, Throughput};

/// How long a table may take to become active.
const PATIENCE: Duration = Duration::from_secs(600);

/// What a table is made with besides what `CreateTable` takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TableExtras<'a> {
    /// The attribute that its time to live goes by.
    pub ttl_attribute: Option<&'a str>,
    /// Whether it can be restored to any second of the last 35 days.
    pub point_in_time_recovery: bool,
}

impl<'a> TableExtras<'a> {
    /// Those of a layout.
    pub fn of(layout: &'a crate::layout::Layout) -> Self {
        TableExtras {
            ttl_attribute: layout.table().ttl_attribute.as_deref(),
            point_in_time_recovery: layout.table().settings.point_in_time_recovery,
        }
    }
}

/// What `create` came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Created {
    /// The table was made, and is active.
    Made(Extras),
    /// It was there already, and is what the definition says.
    AlreadyThere(Extras),
    /// It was there already, and differs. Nothing was touched.
    Differs(Vec<Difference>),
}

/// What became of what a table has besides what `CreateTable` takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Extras {
    /// Its time to live.
    pub ttl: ExtraOutcome,
    /// Its point-in-time recovery.
    pub point_in_time_recovery: ExtraOutcome,
}

/// What became of one thing that is switched on by a request of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExtraOutcome {
    /// The definition does not ask for it, or the table has it already.
    AsItWas,
    /// It was switched on.
    SwitchedOn,
    /// The endpoint does not know it.
    Unsupported,
}

/// One way in which a table differs from the definition.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Difference {
    /// What differs.
    pub what: String,
    /// What the definition says.
    pub definition: String,
    /// What the table has.
    pub table: String,
}

/// Why a table was not made.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SchemaError {
    /// A request failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// It did not become active.
    #[error("the table did not become active within {0} seconds")]
    NotActive(u64),
    /// The request could not be made.
    #[error("the request cannot be made: {0}")]
    Request(String),
}

impl From<BuildError> for SchemaError {
    fn from(error: BuildError) -> Self {
        SchemaError::Request(error.to_string())
    }
}

/// Makes the table where it is missing, waits until it is active, and switches on what it has besides.
///
/// # Errors
/// A request failed, or the table did not become active.
pub async fn create_table(
    client: &Client,
    wanted: &CreateTable,
    extras: TableExtras<'_>,
) -> Result<Created, SchemaError> {
    let is_there = match describe(client, &wanted.table_name).await {
        Ok(description) => {
            let mut differences = differences(wanted, &description);
            differences.extend(ttl_difference(client, wanted, extras.ttl_attribute).await?);
            if !differences.is_empty() {
                return Ok(Created::Differs(differences));
            }
            true
        }
        Err(StoreError::TableMissing(_)) => {
            request(client, wanted)?
                .send()
                .await
                .map_err(|error| StoreError::from_sdk(&error, "CreateTable", &wanted.table_name))?;
            false
        }
        Err(error) => return Err(error.into()),
    };
    wait_until_active(client, &wanted.table_name).await?;
    let extras = Extras {
        ttl: switch_ttl_on(client, &wanted.table_name, extras.ttl_attribute).await?,
        point_in_time_recovery: match extras.point_in_time_recovery {
            true => switch_recovery_on(client, &wanted.table_name).await?,
            false => ExtraOutcome::AsItWas,
        },
    };
    Ok(if is_there { Created::AlreadyThere(extras) } else { Created::Made(extras) })
}

pub(super) async fn describe(client: &Client, name: &str) -> Result<sdk::TableDescription, StoreError> {
    let answer = client
        .describe_table()
        .table_name(name)
        .send()
        .await
        .map_err(|error| StoreError::from_sdk(&error, "DescribeTable", name))?;
    answer.table.ok_or_else(|| StoreError::Answer("DescribeTable told nothing of the table".to_owned()))
}

async fn wait_until_active(client: &Client, name: &str) -> Result<(), SchemaError> {
    let started = tokio::time::Instant::now();
    let mut pause = Duration::from_millis(20);
    loop {
        let description = describe(client, name).await?;
        let indexes = description.global_secondary_indexes();
        let all_active =
            indexes.iter().all(|index| matches!(index.index_status(), None | Some(sdk::IndexStatus::Active)));
        if matches!(description.table_status(), None | Some(sdk::TableStatus::Active)) && all_active {
            return Ok(());
        }
        if started.elapsed() > PATIENCE {
            return Err(SchemaError::NotActive(PATIENCE.as_secs()));
        }
        tokio::time::sleep(pause).await;
        pause = (pause * 2).min(Duration::from_secs(5));
    }
}

/// The attribute that the table's time to live is switched on for; `Err(Unsupported)` where there is none.
async fn ttl_of(client: &Client, name: &str) -> Result<Option<String>, StoreError> {
    let answer = client
        .describe_time_to_live()
        .table_name(name)
        .send()
        .await
        .map_err(|error| StoreError::from_sdk(&error, "DescribeTimeToLive", name))?;
    let description = answer.time_to_live_description;
    let is_on = |one: &sdk::TimeToLiveDescription| {
        matches!(one.time_to_live_status(), Some(sdk::TimeToLiveStatus::Enabled | sdk::TimeToLiveStatus::Enabling))
    };
    Ok(description.filter(is_on).and_then(|one| one.attribute_name))
}

async fn ttl_difference(
    client: &Client,
    wanted: &CreateTable,
    attribute: Option<&str>,
) -> Result<Option<Difference>, StoreError> {
    let current = match ttl_of(client, &wanted.table_name).await {
        Ok(current) => current,
        Err(error) if is_unsupported(&error) => None,
        Err(error) => return Err(error),
    };
    // Switched off is no difference: `create` switches it on.
    let differs = current.as_deref().filter(|current| Some(*current) != attribute);
    Ok(differs.map(|current| Difference {
        what: "TTL attribute".to_owned(),
        definition: attribute.unwrap_or("none").to_owned(),
        table: current.to_owned(),
    }))
}

/// Reads first: on AWS a second call within the hour is an error.
async fn switch_ttl_on(client: &Client, name: &str, attribute: Option<&str>) -> Result<ExtraOutcome, StoreError> {
    let Some(attribute) = attribute else { return Ok(ExtraOutcome::AsItWas) };
    match ttl_of(client, name).await {
        Ok(Some(_)) => return Ok(ExtraOutcome::AsItWas),
        Ok(None) => {}
        Err(error) if is_unsupported(&error) => return Ok(ExtraOutcome::Unsupported),
        Err(error) => return Err(error),
    }
    let specification = sdk::TimeToLiveSpecification::builder().attribute_name(attribute).enabled(true).build();
    let specification = specification.map_err(|error| StoreError::Answer(error.to_string()))?;
    let sent = client.update_time_to_live().table_name(name).time_to_live_specification(specification).send().await;
    match sent.map_err(|error| StoreError::from_sdk(&error, "UpdateTimeToLive", name)) {
        Ok(_) => Ok(ExtraOutcome::SwitchedOn),
        Err(error) if is_unsupported(&error) => Ok(ExtraOutcome::Unsupported),
        Err(error) => Err(error),
    }
}

async fn switch_recovery_on(client: &Client, name: &str) -> Result<ExtraOutcome, StoreError> {
    let on = sdk::PointInTimeRecoverySpecification::builder().point_in_time_recovery_enabled(true).build();
    let on = on.map_err(|error| StoreError::Answer(error.to_string()))?;
    let sent =
        client.update_continuous_backups().table_name(name).point_in_time_recovery_specification(on).send().await;
    match sent.map_err(|error| StoreError::from_sdk(&error, "UpdateContinuousBackups", name)) {
        Ok(_) => Ok(ExtraOutcome::SwitchedOn),
        Err(error) if is_unsupported(&error) => Ok(ExtraOutcome::Unsupported),
        Err(error) => Err(error),
    }
}

fn is_unsupported(error: &StoreError) -> bool {
    matches!(error, StoreError::Unsupported(_))
}

fn request(
    client: &Client,
    wanted: &CreateTable,
) -> Result<aws_sdk_dynamodb::operation::create_table::builders::CreateTableFluentBuilder, SchemaError> {
    let definitions = wanted.attribute_definitions.iter().map(|one| {
        sdk::AttributeDefinition::builder()
            .attribute_name(&one.attribute_name)
            .attribute_type(sdk::ScalarAttributeType::from(one.attribute_type))
            .build()
    });
    let indexes = wanted.global_secondary_indexes.iter().map(|index| {
        Ok(sdk::GlobalSecondaryIndex::builder()
            .index_name(&index.index_name)
            .set_key_schema(Some(key_schema(&index.key_schema)?))
            .projection(projection(&index.projection))
            .set_provisioned_throughput(throughput(index.provisioned_throughput)?)
            .build()?)
    });
    let indexes = indexes.collect::<Result<Vec<_>, SchemaError>>()?;
    let local = wanted.local_secondary_indexes.iter().map(|index| {
        Ok(sdk::LocalSecondaryIndex::builder()
            .index_name(&index.index_name)
            .set_key_schema(Some(key_schema(&index.key_schema)?))
            .projection(projection(&index.projection))
            .build()?)
    });
    let local = local.collect::<Result<Vec<_>, SchemaError>>()?;
    let tags = wanted.tags.iter().map(|tag| sdk::Tag::builder().key(&tag.key).value(&tag.value).build());
    let tags = tags.collect::<Result<Vec<_>, _>>()?;
    let stream = wanted.stream_specification.map(|stream| {
        sdk::StreamSpecification::builder()
            .stream_enabled(stream.stream_enabled)
            .stream_view_type(sdk::StreamViewType::from(stream.stream_view_type))
            .build()
    });
    Ok(client
        .create_table()
        .table_name(&wanted.table_name)
        .set_attribute_definitions(Some(definitions.collect::<Result<_, _>>()?))
        .set_key_schema(Some(key_schema(&wanted.key_schema)?))
        .set_global_secondary_indexes((!indexes.is_empty()).then_some(indexes))
        .set_local_secondary_indexes((!local.is_empty()).then_some(local))
        .set_stream_specification(stream.transpose()?)
        .set_table_class(wanted.table_class.map(sdk::TableClass::from))
        .set_deletion_protection_enabled(wanted.deletion_protection_enabled.then_some(true))
        .set_tags((!tags.is_empty()).then_some(tags))
        .billing_mode(sdk::BillingMode::from(wanted.billing_mode))
        .set_provisioned_throughput(throughput(wanted.provisioned_throughput)?))
}

fn projection(wanted: &Projection) -> sdk::Projection {
    let attributes = &wanted.non_key_attributes;
    sdk::Projection::builder()
        .projection_type(sdk::ProjectionType::from(wanted.projection_type))
        .set_non_key_attributes((!attributes.is_empty()).then(|| attributes.clone()))
        .build()
}

fn key_schema(elements: &[KeyElement]) -> Result<Vec<sdk::KeySchemaElement>, BuildError> {
    let element = |element: &KeyElement| {
        sdk::KeySchemaElement::builder()
            .attribute_name(&element.attribute_name)
            .key_type(sdk::KeyType::from(element.key_type))
            .build()
    };
    elements.iter().map(element).collect()
}

fn throughput(wanted: Option<Throughput>) -> Result<Option<sdk::ProvisionedThroughput>, SchemaError> {
    let units = |units: u64| i64::try_from(units).map_err(|error| SchemaError::Request(error.to_string()));
    wanted
        .map(|wanted| {
            Ok(sdk::ProvisionedThroughput::builder()
                .read_capacity_units(units(wanted.read_capacity_units)?)
                .write_capacity_units(units(wanted.write_capacity_units)?)
                .build()?)
        })
        .transpose()
}

/// Everything in which an existing table is not what the definition says.
fn differences(wanted: &CreateTable, table: &sdk::TableDescription) -> Vec<Difference> {
    let mut differences = Vec::new();
    let mut compare = |what: String, definition: String, table: String| {
        if definition != table {
            differences.push(Difference { what, definition, table });
        }
    };
    compare("key".to_owned(), show_key(&wanted.key_schema), show_sdk_key(table.key_schema()));
    for definition in &wanted.attribute_definitions {
        let name = &definition.attribute_name;
        let found = table.attribute_definitions().iter().find(|one| one.attribute_name() == name);
        let found = found.map_or("none".to_owned(), |one| one.attribute_type().as_str().to_owned());
        compare(format!("type of `{name}`"), definition.attribute_type.to_owned(), found);
    }
    for (name, definition, found) in indexes(wanted, table) {
        compare(name, definition, found);
    }
    let stream = table.stream_specification().filter(|stream| stream.stream_enabled());
    let found = stream.and_then(|stream| stream.stream_view_type()).map_or("none", |view| view.as_str());
    let definition = wanted.stream_specification.map_or("none", |stream| stream.stream_view_type);
    compare("stream".to_owned(), definition.to_owned(), found.to_owned());
    let class = table.table_class_summary().and_then(|summary| summary.table_class());
    let found = class.map_or("STANDARD", |class| class.as_str());
    compare("class".to_owned(), wanted.table_class.unwrap_or("STANDARD").to_owned(), found.to_owned());
    let on_off = |on: bool| if on { "on" } else { "off" }.to_owned();
    let found = table.deletion_protection_enabled().unwrap_or_default();
    compare("deletion protection".to_owned(), on_off(wanted.deletion_protection_enabled), on_off(found));
    let found = match is_on_demand(table) {
        true => "on-demand".to_owned(),
        false => {
            let (read, write) = provisioned_units(table.provisioned_throughput());
            format!("{read} read, {write} write units")
        }
    };
    let definition = wanted.provisioned_throughput.map_or("on-demand".to_owned(), |one| {
        format!("{} read, {} write units", one.read_capacity_units, one.write_capacity_units)
    });
    compare("billing".to_owned(), definition, found);
    differences
}

/// Whether a table is billed by request. Some engines leave the billing mode out; then it is on-demand exactly when
/// nothing is provisioned.
pub(super) fn is_on_demand(table: &sdk::TableDescription) -> bool {
    match table.billing_mode_summary().and_then(|summary| summary.billing_mode()) {
        Some(mode) => *mode == sdk::BillingMode::PayPerRequest,
        None => provisioned_units(table.provisioned_throughput()) == (0, 0),
    }
}

/// Read and write units a second.
pub(super) fn provisioned_units(throughput: Option<&sdk::ProvisionedThroughputDescription>) -> (u64, u64) {
    let units = |units: Option<i64>| units.and_then(|units| u64::try_from(units).ok()).unwrap_or_default();
    throughput.map_or((0, 0), |one| (units(one.read_capacity_units()), units(one.write_capacity_units())))
}

/// Every index that the definition or the table has: its name, and what it is on each side.
fn indexes(wanted: &CreateTable, table: &sdk::TableDescription) -> Vec<(String, String, String)> {
    let shown = |key: String, projection: String| format!("{key}, {projection}");
    let global = wanted.global_secondary_indexes.iter().map(|one| {
        (format!("index {}", one.index_name), shown(show_key(&one.key_schema), show_projection(&one.projection)))
    });
    let local = wanted.local_secondary_indexes.iter().map(|one| {
        (format!("local index {}", one.index_name), shown(show_key(&one.key_schema), show_projection(&one.projection)))
    });
    let wanted: Vec<(String, String)> = global.chain(local).collect();
    let global = table.global_secondary_indexes().iter().map(|one| {
        let name = format!("index {}", one.index_name().unwrap_or_default());
        (name, shown(show_sdk_key(one.key_schema()), show_sdk_projection(one.projection())))
    });
    let local = table.local_secondary_indexes().iter().map(|one| {
        let name = format!("local index {}", one.index_name().unwrap_or_default());
        (name, shown(show_sdk_key(one.key_schema()), show_sdk_projection(one.projection())))
    });
    let found: Vec<(String, String)> = global.chain(local).collect();

    let of = |side: &[(String, String)], name: &str| {
        side.iter().find(|(other, _)| other == name).map_or("none".to_owned(), |(_, shown)| shown.clone())
    };
    let only_found = found.iter().filter(|(name, _)| !wanted.iter().any(|(other, _)| other == name));
    let names = wanted.iter().chain(only_found).map(|(name, _)| name);
    names.map(|name| (name.clone(), of(&wanted, name), of(&found, name))).collect()
}

fn show_key(elements: &[KeyElement]) -> String {
    elements.iter().map(|one| one.attribute_name.as_str()).collect::<Vec<_>>().join(" and ")
}

fn show_sdk_key(elements: &[sdk::KeySchemaElement]) -> String {
    let mut elements: Vec<_> = elements.iter().collect();
    // The order within each part matters; a stable sort keeps it.
    elements.sort_by_key(|one| *one.key_type() != sdk::KeyType::Hash);
    elements.iter().map(|one| one.attribute_name()).collect::<Vec<_>>().join(" and ")
}

fn show_projection(projection: &Projection) -> String {
    match projection.non_key_attributes.as_slice() {
        [] => projection.projection_type.to_owned(),
        names => format!("{} {}", projection.projection_type, names.join(", ")),
    }
}

fn show_sdk_projection(projection: Option<&sdk::Projection>) -> String {
    let Some(projection) = projection else { return "no projection".to_owned() };
    let kind = projection.projection_type().map_or("ALL", |kind| kind.as_str()).to_owned();
    let mut names: Vec<&str> = projection.non_key_attributes().iter().map(String::as_str).collect();
    names.sort_unstable();
    if names.is_empty() { kind } else { format!("{kind} {}", names.join(", ")) }
}
