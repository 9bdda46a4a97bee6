//! `[indexes.NAME]`

use schemars::JsonSchema;

use super::key::IndexKeyPart;

/// A secondary index. An item is in it when it has all attributes of the index's key.
#[derive(JsonSchema)]
#[schemars(
    deny_unknown_fields,
    extend(
        "if" = { "properties": { "kind": { "const": "local" } }, "required": ["kind"] },
        "then" = { "required": ["sort_key"] },
        "else" = { "required": ["partition_key"] },
    )
)]
pub(super) struct Index {
    /// Whether the index has partitions of its own; `global`, where it is not said.
    kind: Option<IndexKind>,
    /// The attribute that says in which partition of the index an item lies: `"GSI1PK"`. A global index may have a list
    /// of up to four; a local index has the table's, and leaves it out.
    partition_key: Option<IndexKeyPart>,
    /// The attribute by which the items of a partition are sorted: `"GSI1SK"`. A global index may have a list of up to
    /// four, or none; a local index has exactly one.
    sort_key: Option<IndexKeyPart>,
    /// What the index carries of each item, besides the keys of the table and its own.
    projection: Projection,
}

#[derive(JsonSchema)]
#[schemars(inline, rename_all = "kebab-case")]
enum IndexKind {
    /// An index with a partition key of its own, eventually consistent. It can be added to a table later.
    Global,
    /// An index that sorts the table's own partitions in another way. It is created with the table, or never.
    Local,
}

#[derive(JsonSchema)]
#[schemars(inline, untagged)]
enum Projection {
    Word(ProjectionWord),
    /// The names of the attributes that it carries; at most 100 over all indexes. Keys need not be named.
    Names(Vec<String>),
}

#[derive(JsonSchema)]
#[schemars(inline, rename_all = "kebab-case")]
enum ProjectionWord {
    /// The whole item.
    All,
    /// Nothing but the keys.
    KeysOnly,
}
