//! `[table]`

use std::collections::BTreeMap;
use std::num::NonZeroU64;

use schemars::JsonSchema;

use super::key::TableKeyPart;

/// The table: its name, its keys, and its settings.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct Table {
    /// The table's name: 3 to 255 letters, digits, `_`, `.` and `-`.
    #[schemars(regex(pattern = "^[A-Za-z0-9_.-]{3,255}$"))]
    name: String,
    /// The attribute that says in which partition an item lies: `"PK"`, or `{ name = "id", type = "number" }`.
    partition_key: TableKeyPart,
    /// The attribute by which the items of a partition are sorted: `"SK"`. Left out, the table has no sort key.
    sort_key: Option<TableKeyPart>,
    /// The attribute that holds the entity's name in every item. It is written by itself, so no entity declares it.
    /// Left out, an item's keys tell its entity.
    #[schemars(length(min = 1))]
    type_attribute: Option<String>,
    /// The attribute that says when DynamoDB deletes an item, in seconds since 1970: declare it as an `epoch`.
    #[schemars(length(min = 1))]
    ttl_attribute: Option<String>,
    /// How capacity is paid for: `"on-demand"`, which is also the default, or `{ read = 5, write = 5 }`.
    billing: Option<Billing>,
    /// What the table's stream carries of each change. Left out, the table has no stream.
    streams: Option<Streams>,
    /// Whether the table can be restored to any second of the last 35 days.
    point_in_time_recovery: Option<bool>,
    /// Whether DynamoDB refuses to delete the table.
    deletion_protection: Option<bool>,
    /// The table's class; `standard`, where it is not said.
    class: Option<TableClass>,
    /// The table's tags: `{ team = "identity" }`.
    tags: Option<BTreeMap<String, String>>,
    /// The AWS accounts that the table may be in, as strings of 12 digits. Given, nothing is written in any other.
    #[schemars(inner(regex(pattern = "^[0-9]{12}$")), extend("examples" = [["123456789012"]]))]
    accounts: Option<Vec<String>>,
    /// The AWS regions that the table may be in. Given, nothing is written in any other.
    #[schemars(inner(regex(pattern = "^[a-z]+(-[a-z]+)+-[0-9]+$")), extend("examples" = [["eu-west-1"]]))]
    regions: Option<Vec<String>>,
    /// What becomes of attributes that an item has and its entity does not declare; `keep`, where it is not said.
    unknown_attributes: Option<UnknownAttributes>,
    /// The size, in bytes, from which an item is warned of. DynamoDB takes at most 409600.
    warn_item_bytes: Option<NonZeroU64>,
    /// Diagnostics that are accepted, because the table is as it is: `[[table.allow]]`. Each becomes a note.
    allow: Option<Vec<Allow>>,
}

#[derive(JsonSchema)]
#[schemars(inline, untagged)]
enum Billing {
    Word(OnDemand),
    Provisioned(Provisioned),
}

#[derive(JsonSchema)]
#[schemars(inline, rename_all = "kebab-case")]
enum OnDemand {
    /// Each request is paid for.
    OnDemand,
}

/// Capacity that is set aside, and paid for by the hour.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Provisioned {
    /// Read units a second, 1 or more.
    read: NonZeroU64,
    /// Write units a second, 1 or more.
    write: NonZeroU64,
}

#[derive(JsonSchema)]
#[schemars(inline, rename_all = "kebab-case")]
enum Streams {
    /// The key of the item that changed.
    KeysOnly,
    /// The item after the change.
    NewImage,
    /// The item before the change.
    OldImage,
    /// The item before and after the change.
    NewAndOldImages,
}

#[derive(JsonSchema)]
#[schemars(inline, rename_all = "kebab-case")]
enum TableClass {
    /// The usual prices.
    Standard,
    /// Cheaper storage and dearer requests.
    StandardInfrequentAccess,
}

#[derive(JsonSchema)]
#[schemars(inline, rename_all = "kebab-case")]
enum UnknownAttributes {
    /// They are stored as they are.
    Keep,
    /// An item that has one is refused.
    Refuse,
}

/// A diagnostic that is accepted, and why.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Allow {
    /// The diagnostic's code, as `check` prints it.
    #[schemars(extend("examples" = ["layout.collision", "attribute.unbounded", "index.unused"]))]
    code: String,
    /// What it may be about: an index, `Entity.attribute`, or a pair of entities such as `User/Organization`. Left
    /// out, the code is accepted everywhere.
    #[schemars(rename = "where")]
    subject: Option<String>,
    /// The reason, for whoever reads the definition later.
    #[schemars(extend("examples" = ["the table is older than this file"]))]
    why: String,
}
