//! Attributes and their types.

use std::collections::BTreeMap;
use std::num::NonZeroU64;

use schemars::JsonSchema;
use serde_json::{Number, Value, json};

/// An attribute of an entity, or a field of a map: a type alone, or a table that says more.
#[derive(JsonSchema)]
#[schemars(untagged)]
pub(super) enum Attribute {
    BuiltIn(BuiltIn),
    /// A type of this definition's own, from `[types]`.
    Named(String),
    Table(Box<AttributeTable>),
}

/// An attribute, and what is known of its values: `{ type = "string", max_bytes = 120, optional = true }`.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields, extend("dependentSchemas" = types_of_bounds()))]
pub(super) struct AttributeTable {
    #[schemars(flatten)]
    bounds: TypeTable,
    /// Whether an item may lack the attribute. Without it, the attribute is required.
    optional: Option<bool>,
    /// The value of items that are made without one, such as `0`, `""` or `[]`.
    default: Option<Value>,
    /// The value that every item has, and nobody gives.
    constant: Option<Value>,
    /// The attribute's place in the item, where that is not its name: a name such as `"n"`, or a path into a map such as
    /// `"data.city"`. In a map, it is a place inside that map.
    #[schemars(length(min = 1))]
    stored_as: Option<String>,
    /// Where the attribute is kept, other than in an attribute of the item.
    stored: Option<Stored>,
    /// How often it changes in one item: `"2 per month"`. `estimate copies` goes by it.
    changes: Option<Rate>,
}

/// How often something happens.
#[derive(JsonSchema)]
#[schemars(transparent)]
pub(super) struct Rate(
    #[schemars(regex(pattern = r"^\s*[0-9]+\s+per\s+(second|minute|hour|day|week|month|year)\s*$"), extend("examples" = ["2 per month"]))]
    #[expect(dead_code, reason = "only its schema is wanted")]
    String,
);

#[derive(JsonSchema)]
#[schemars(inline, rename_all = "kebab-case")]
enum Stored {
    /// In a key only, from which it is read back. Every item must have that key, with the attribute unfiltered in it.
    Key,
}

/// A type: a word, or a table with `type` and what bounds it.
#[derive(JsonSchema)]
#[schemars(untagged)]
pub(super) enum Type {
    BuiltIn(BuiltIn),
    /// A type of this definition's own, from `[types]`.
    Named(String),
    Table(Box<TypeTable>),
}

/// A type, and what bounds its values: `{ type = "string", max_bytes = 120 }`.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields, extend("dependentSchemas" = types_of_bounds()))]
pub(super) struct TypeTable {
    /// The type: a built-in one, or the name of one from `[types]`.
    #[schemars(rename = "type")]
    kind: TypeName,
    /// The most bytes that a string (in UTF-8) or a binary has.
    max_bytes: Option<NonZeroU64>,
    /// The most elements that a list, a set or a map with free keys has. Without it, an item may outgrow 400 KB.
    max_items: Option<NonZeroU64>,
    /// The type of each element of a list, or of each value of a map with free keys: `"string"`, or a table.
    of: Option<Type>,
    /// The fields of a map, each with its type. A map without them has free keys.
    attributes: Option<BTreeMap<String, Attribute>>,
    /// The only values of a string or a number: a list, `["open", "closed"]`; or a table that gives each name the code
    /// that is stored for it, `{ open = "0", closed = "1" }`.
    values: Option<Values>,
    /// What a string begins with, or a list of which it begins with one: `"usr_"`.
    starts_with: Option<Texts>,
    /// A text that is nowhere in a string, or a list of such texts: `"#"`. It keeps keys unambiguous.
    excludes: Option<NonEmptyTexts>,
    /// How many characters a string has, exactly.
    length: Option<NonZeroU64>,
    /// How fine a timestamp is; `milliseconds`, where it is not said.
    precision: Option<Precision>,
}

#[derive(JsonSchema)]
#[schemars(inline, untagged)]
enum TypeName {
    BuiltIn(BuiltIn),
    /// A type of this definition's own, from `[types]`.
    Named(String),
}

/// A built-in type.
#[derive(JsonSchema)]
#[schemars(rename_all = "kebab-case")]
pub(super) enum BuiltIn {
    /// Text.
    String,
    /// A number of up to 38 digits, always exact.
    Number,
    /// Bytes, written in Base64.
    Binary,
    /// True or false.
    Boolean,
    /// Nothing but null.
    Null,
    /// A list; `of` types its elements.
    List,
    /// A map: `attributes` names its fields, or `of` types the values of free keys.
    Map,
    /// A set of strings, never empty.
    StringSet,
    /// A set of numbers, never empty.
    NumberSet,
    /// A set of binaries, never empty.
    BinarySet,
    /// A value of any type.
    Any,
    /// A time as RFC 3339 text in UTC, of a fixed width, so that it sorts: `2026-01-31T09:30:00.000Z`.
    Timestamp,
    /// A time as a whole number of seconds since 1970, as DynamoDB's TTL wants it.
    Epoch,
}

#[derive(JsonSchema)]
#[schemars(inline, rename_all = "kebab-case")]
enum Precision {
    /// `2026-01-31T09:30:00.000Z`
    Milliseconds,
    /// `2026-01-31T09:30:00Z`
    Seconds,
}

#[derive(JsonSchema)]
#[schemars(inline, untagged)]
enum Values {
    /// The values.
    List(#[schemars(length(min = 1))] Vec<Code>),
    /// Each name = the code that is stored for it. People give and see the names; items and keys hold the codes.
    Codes(#[schemars(extend("minProperties" = 1))] BTreeMap<String, Code>),
}

#[derive(JsonSchema)]
#[schemars(inline, untagged)]
enum Code {
    Text(String),
    Number(Number),
}

#[derive(JsonSchema)]
#[schemars(inline, untagged)]
enum Texts {
    One(String),
    Several(Vec<String>),
}

#[derive(JsonSchema)]
#[schemars(inline, untagged)]
enum NonEmptyTexts {
    One(#[schemars(length(min = 1))] String),
    Several(#[schemars(inner(length(min = 1)))] Vec<String>),
}

/// Which types each bound is of; a type from `[types]` brings its own and takes none.
fn types_of_bounds() -> Value {
    let of = |types: &[&str]| json!({ "properties": { "type": { "enum": types } } });
    let codes = |kind: &str| {
        let code = json!({ "type": kind });
        json!({ "properties": { "values": { "items": code, "additionalProperties": code } } })
    };
    json!({
        "max_bytes": of(&["string", "binary"]),
        "max_items": of(&["list", "map", "string-set", "number-set", "binary-set"]),
        "of": of(&["list", "map"]),
        // A map has either fields or free keys.
        "attributes": { "properties": { "type": { "const": "map" }, "of": false, "max_items": false } },
        "values": {
            "properties": { "type": { "enum": ["string", "number"] } },
            "if": { "properties": { "type": { "const": "number" } } },
            "then": codes("number"),
            "else": codes("string"),
        },
        "starts_with": of(&["string"]),
        "excludes": of(&["string"]),
        "length": of(&["string"]),
        "precision": of(&["timestamp"]),
    })
}
