//! The definition file as types, from which its JSON Schema is made: what an editor completes and checks while a
//! definition is written.
//!
//! The readers beside this folder decide what a definition may hold; these types follow them and read nothing. Their
//! comments are what an editor shows, so they speak to whoever writes a definition. A test compares the keys of
//! both, section by section.
//!
//! Small types are `inline`: Taplo, and with it Even Better TOML, overlooks what stands beside a `$ref`, and the
//! description of a key would stand there.

mod attribute;
mod entity;
mod for_editors;
mod index;
mod key;
mod reference;
mod table;

use std::collections::BTreeMap;

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema};

use self::attribute::Type;
use self::entity::Entity;
use self::index::Index;
use self::table::Table;
use super::attribute::TYPES;

/// The JSON Schema of the definition file, draft 2020-12.
pub(crate) fn schema() -> Schema {
    let settings = SchemaSettings::draft2020_12()
        .with_transform(for_editors::without_null)
        .with_transform(for_editors::words_as_enum)
        .with_transform(for_editors::unwrapped_text);
    settings.into_generator().into_root_schema_for::<Definition>()
}

/// One DynamoDB table: its keys and indexes, the entities whose items it holds, and the copies that they carry of one
/// another.
#[derive(JsonSchema)]
#[schemars(title = "singletable definition", deny_unknown_fields)]
struct Definition {
    /// The table: its name, its keys, and its settings.
    table: Table,
    /// The secondary indexes, each under its name: `[indexes.GSI1]`. At most 20 global and 5 local ones.
    #[schemars(extend("propertyNames" = { "pattern": "^[A-Za-z0-9_.-]{3,255}$" }))]
    indexes: Option<BTreeMap<String, Index>>,
    /// Shapes that have a name, such as `[types.Address]`. The name is then a type like the built-in ones:
    /// `address = "Address"`.
    #[schemars(extend("propertyNames" = { "not": { "enum": TYPES } }))]
    types: Option<BTreeMap<String, Type>>,
    /// What the items of the table are, each kind under its name: `[entities.Author]`.
    #[schemars(extend("minProperties" = 1, "propertyNames" = { "minLength": 1 }))]
    entities: BTreeMap<String, Entity>,
}
