//! The schema in the form that editors do most with.

use schemars::Schema;
use schemars::transform::transform_subschemas;
use serde_json::{Map, Value, json};

/// Takes null away: a key that may be left out is an `Option` here, and TOML has no null.
pub(super) fn without_null(schema: &mut Schema) {
    transform_subschemas(&mut without_null, schema);
    let Some(object) = schema.as_object_mut() else { return };
    if let Some(Value::Array(types)) = object.get_mut("type") {
        types.retain(|kind| kind != "null");
        if let [only] = types.as_slice() {
            let only = only.clone();
            object.insert("type".to_owned(), only);
        }
    }
    if let Some(Value::Array(choices)) = object.get_mut("anyOf") {
        choices.retain(|choice| *choice != json!({ "type": "null" }));
        if let [Value::Object(only)] = choices.as_slice() {
            let only = only.clone();
            object.remove("anyOf");
            add(object, only);
        }
    }
}

/// Adds what is not said already: a key's own description goes before that of its type.
fn add(object: &mut Map<String, Value>, more: Map<String, Value>) {
    for (key, value) in more {
        object.entry(key).or_insert(value);
    }
}

/// Makes one `enum` of a choice between words, because then a message lists them. What each word means stands where
/// Taplo looks for it.
pub(super) fn words_as_enum(schema: &mut Schema) {
    transform_subschemas(&mut words_as_enum, schema);
    let Some(object) = schema.as_object_mut() else { return };
    let Some(Value::Array(choices)) = object.get("oneOf") else { return };
    let words: Option<Vec<Value>> = choices.iter().map(|choice| choice.get("const").cloned()).collect();
    let meanings: Vec<Value> = choices.iter().map(|choice| choice["description"].clone()).collect();
    let Some(words) = words else { return };
    object.remove("oneOf");
    object.insert("type".to_owned(), json!("string"));
    object.insert("enum".to_owned(), Value::Array(words));
    object.insert("x-taplo".to_owned(), json!({ "docs": { "enumValues": meanings } }));
}

/// Takes away the line breaks of a comment that is wrapped here, since an editor wraps by itself.
pub(super) fn unwrapped_text(schema: &mut Schema) {
    transform_subschemas(&mut unwrapped_text, schema);
    if let Some(Value::String(text)) = schema.get_mut("description") {
        *text = text.replace('\n', " ");
    }
}
