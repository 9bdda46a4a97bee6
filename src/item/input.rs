//! The two kinds of JSON that people have, never mixed up.

use serde_json::error::Category;

use super::{Attributes, Item};
use crate::value::{AttributeValue, PlainJson};

/// What a JSON object turned out to be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Input {
    /// An entity's attributes: they are checked, and their keys made.
    Attributes(Attributes),
    /// An item as it stands in a table, in DynamoDB JSON: it is stored exactly as it is.
    Item(Item),
}

/// Why a text is neither.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InputError {
    /// It is not JSON.
    #[error("this is not JSON: {0}")]
    NotJson(String),
    /// It is JSON, but not an object.
    #[error("this is a JSON {0}, and an item is an object")]
    NotAnObject(&'static str),
    /// It is DynamoDB JSON, but not an item that DynamoDB takes.
    #[error("this is DynamoDB JSON, but no item: {0}")]
    NotAnItem(String),
}

const TYPES: [&str; 10] = ["S", "N", "B", "BOOL", "NULL", "L", "M", "SS", "NS", "BS"];

impl Input {
    /// Reads an object. It is DynamoDB JSON when every value is a one-key type object, as in `{"id": {"S": "12"}}`,
    /// or when it is `{"Item": ...}` around such an object, as in exports to S3; otherwise it is plain JSON.
    ///
    /// # Errors
    /// It is not JSON, not an object, or not an item.
    pub fn parse(json: &str) -> Result<Input, InputError> {
        let PlainJson(value) = serde_json::from_str(json).map_err(|error| match error.classify() {
            Category::Eof => InputError::NotJson("it ends in the middle".to_owned()),
            _ => InputError::NotJson(error.to_string()),
        })?;
        let AttributeValue::M(fields) = value else { return Err(InputError::NotAnObject(value.type_name())) };
        if let (1, Some(AttributeValue::M(inner))) = (fields.len(), fields.get("Item"))
            && is_dynamodb_json(inner)
        {
            #[derive(serde::Deserialize)]
            struct Exported {
                #[serde(rename = "Item")]
                item: Item,
            }
            return read_item(json).map(|exported: Exported| Input::Item(exported.item));
        }
        match is_dynamodb_json(&fields) {
            true => read_item(json).map(Input::Item),
            false => Ok(Input::Attributes(fields)),
        }
    }
}

fn read_item<'a, T: serde::Deserialize<'a>>(json: &'a str) -> Result<T, InputError> {
    serde_json::from_str(json).map_err(|error| InputError::NotAnItem(error.to_string()))
}

fn is_dynamodb_json(fields: &Attributes) -> bool {
    let is_typed = |value: &AttributeValue| match value {
        AttributeValue::M(inner) => inner.len() == 1 && inner.keys().all(|key| TYPES.contains(&key.as_str())),
        _ => false,
    };
    !fields.is_empty() && fields.values().all(is_typed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_two_kinds_are_told_apart() {
        for (json, is_item) in [
            (r#"{"id": "12"}"#, false),
            (r#"{"id": {"S": "12"}}"#, true),
            (r#"{"Item": {"id": {"S": "12"}}}"#, true),
            (r#"{"id": {"S": "12"}, "name": "Mara"}"#, false),
            (r#"{"sizes": {"S": 1, "M": 2}}"#, false),
            (r#"{"Item": "lamp"}"#, false),
            ("{}", false),
        ] {
            assert_eq!(matches!(Input::parse(json), Ok(Input::Item(_))), is_item, "{json}");
        }
    }

    #[test]
    fn what_is_neither_says_why() {
        for (json, part) in [
            ("{\"a\": ", "ends in the middle"),
            ("[1]", "JSON list"),
            (r#"{"a": {"N": "x"}}"#, "not a decimal number"),
            ("nonsense", "not JSON"),
        ] {
            let error = Input::parse(json).unwrap_err().to_string();
            assert!(error.contains(part), "{error}");
        }
    }
}
