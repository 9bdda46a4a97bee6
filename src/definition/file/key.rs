//! Key attributes, as the table and its indexes name them.

use schemars::JsonSchema;

/// An attribute of a key. A string, unless a type is given: `{ name = "score", type = "number" }`.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct TypedKeyAttribute {
    /// The attribute's name, 1 to 255 bytes.
    #[schemars(length(min = 1, max = 255))]
    name: String,
    /// The attribute's type; `string`, where it is not said.
    #[schemars(rename = "type")]
    kind: Option<KeyType>,
}

#[derive(JsonSchema)]
#[schemars(inline, rename_all = "kebab-case")]
enum KeyType {
    /// Text, sorted by its UTF-8 bytes.
    String,
    /// A number, sorted by its value.
    Number,
    /// Bytes, sorted as unsigned ones.
    Binary,
}

#[derive(JsonSchema)]
#[schemars(inline, untagged)]
pub(super) enum KeyAttribute {
    /// The name of a string attribute.
    Name(#[schemars(length(min = 1, max = 255))] String),
    Typed(TypedKeyAttribute),
}

/// One part of the table's key, which is one attribute.
#[derive(JsonSchema)]
#[schemars(inline, untagged)]
pub(super) enum TableKeyPart {
    /// The name of a string attribute, such as `"PK"`.
    Name(#[schemars(length(min = 1, max = 255))] String),
    Typed(TypedKeyAttribute),
    /// A list of one attribute.
    List(#[schemars(length(min = 1, max = 1))] Vec<KeyAttribute>),
}

/// One part of an index's key.
#[derive(JsonSchema)]
#[schemars(inline, untagged)]
pub(super) enum IndexKeyPart {
    /// The name of a string attribute, such as `"GSI1PK"`.
    Name(#[schemars(length(min = 1, max = 255))] String),
    Typed(TypedKeyAttribute),
    /// Up to four attributes, which together are this part of the key of a global index.
    List(#[schemars(length(min = 1, max = 4))] Vec<KeyAttribute>),
}
