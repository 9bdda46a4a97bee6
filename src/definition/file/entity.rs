//! `[entities.NAME]`

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde_json::Value;

use super::attribute::{Attribute, Rate};
use super::reference::Reference;

/// A kind of item: its attributes, how its keys are made from them, and which other entities it refers to.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct Entity {
    /// How each key attribute of the table and its indexes is made: `{ PK = "POST#{id}", SK = "META" }`. A key that is
    /// itself an attribute of the entity is left out here.
    keys: Option<BTreeMap<String, Key>>,
    /// The attributes, each with its type: `{ id = "string", name = { type = "string", max_bytes = 120 } }`.
    #[schemars(extend("propertyNames" = { "minLength": 1 }))]
    attributes: BTreeMap<String, Attribute>,
    /// The entities that this one refers to, each reference under a name of its own: `[entities.Post.references.author]`.
    references: Option<BTreeMap<String, Reference>>,
    /// What the table's type attribute holds in this entity's items, where that is not the entity's name.
    #[schemars(extend("examples" = ["author"]))]
    type_value: Option<String>,
    /// The number attribute that counts the changes of an item, such as `"rev"`.
    #[schemars(extend("examples" = ["rev"]))]
    version: Option<String>,
    /// How often its items are read, all of them together: `"50000 per day"`. `estimate copies` goes by it.
    reads: Option<Rate>,
}

#[derive(JsonSchema)]
#[schemars(untagged)]
enum Key {
    /// A template: text, and attributes in braces. `"POST#{id}"`; `"{author.id}"` is a field of a map, `"{seq:010}"` pads
    /// a number with zeros to ten digits. Filters follow a bar: `"{name|lower|take 3}"`, `"{id|shard 10}"`,
    /// `"{region|or NONE}"`. `{{` and `}}` are braces.
    Template(#[schemars(length(min = 1))] String),
    Choice(KeyChoice),
    /// Several templates for the key of an index. The first whose `when` holds makes the key; one without `when` is last.
    Choices(#[schemars(length(min = 1))] Vec<KeyChoiceOrTemplate>),
}

#[derive(JsonSchema)]
#[schemars(inline, untagged)]
enum KeyChoiceOrTemplate {
    Choice(KeyChoice),
    /// A template that makes the key in any case.
    Template(#[schemars(length(min = 1))] String),
}

/// A template for the key of an index, and when it makes that key.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct KeyChoice {
    /// The template, such as `"OPEN#{queue}"`.
    #[schemars(length(min = 1))]
    template: String,
    /// What the item's attributes must be for the template to make the key: `{ status = ["open", "waiting"] }`. All of
    /// them must hold. Otherwise the item is not in the index.
    when: Option<BTreeMap<String, Condition>>,
}

#[derive(JsonSchema)]
#[schemars(inline, untagged)]
enum Condition {
    Word(Present),
    /// The value that the attribute must have, or a list of values of which it must have one.
    Values(Value),
}

#[derive(JsonSchema)]
#[schemars(inline, rename_all = "kebab-case")]
enum Present {
    /// The attribute is there, whatever it holds.
    Present,
}
