//! The two kinds of JSON that people have, never mixed up.

use std::collections::BTreeSet;

use serde_json::error::Category;

use super::{Attributes, Item};
use crate::value::{AttributeValue, Binary, Number, PlainJson};

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

/// The types' names, and how each is written.
const TYPES: [(&str, &str); 10] = [
    ("S", r#"{"S": "text"}"#),
    ("N", r#"{"N": "12"}"#),
    ("B", r#"{"B": "AP8="}"#),
    ("BOOL", r#"{"BOOL": true}"#),
    ("NULL", r#"{"NULL": true}"#),
    ("L", r#"{"L": [{"S": "text"}]}"#),
    ("M", r#"{"M": {"name": {"S": "text"}}}"#),
    ("SS", r#"{"SS": ["text"]}"#),
    ("NS", r#"{"NS": ["12"]}"#),
    ("BS", r#"{"BS": ["AP8="]}"#),
];

/// A longer value is told by its type alone.
const SHOWN_CHARACTERS: usize = 40;

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
            return read_item(inner).map(Input::Item);
        }
        match is_dynamodb_json(&fields) {
            true => read_item(&fields).map(Input::Item),
            false => Ok(Input::Attributes(fields)),
        }
    }
}

fn read_item(fields: &Attributes) -> Result<Item, InputError> {
    let read = |(name, value): (&String, &AttributeValue)| Ok((name.clone(), typed(value, name)?));
    fields.iter().map(read).collect::<Result<Attributes, InputError>>().map(Item)
}

/// Reads a value of DynamoDB JSON: an object of one field, which is its type's.
fn typed(value: &AttributeValue, path: &str) -> Result<AttributeValue, InputError> {
    let wrong = |what: String| Err(InputError::NotAnItem(format!("`{path}` {what}")));
    let only = match value {
        AttributeValue::M(fields) if fields.len() == 1 => fields.first_key_value(),
        _ => None,
    };
    let Some((kind, inner)) = only else {
        let found = crate::value::to_plain_json(value);
        let found = if found.len() > SHOWN_CHARACTERS { format!("a {}", value.type_name()) } else { found };
        return wrong(format!("is {found} without its type, which is written around it, as in {{\"S\": \"text\"}}"));
    };
    let number = |text: &str| {
        text.parse::<Number>().map_err(|error| InputError::NotAnItem(format!("`{path}` is no number: {error}")))
    };
    let binary = |text: &str| {
        let not_base64 = || InputError::NotAnItem(format!("`{path}` is {text:?}, which is not base64"));
        Binary::from_base64(text).ok_or_else(not_base64)
    };
    Ok(match (kind.as_str(), inner) {
        ("S", AttributeValue::S(text)) => AttributeValue::S(text.clone()),
        ("N", AttributeValue::S(text)) => AttributeValue::N(number(text)?),
        ("B", AttributeValue::S(text)) => AttributeValue::B(binary(text)?),
        ("BOOL", AttributeValue::Bool(value)) => AttributeValue::Bool(*value),
        ("NULL", AttributeValue::Bool(true)) => AttributeValue::Null,
        ("L", AttributeValue::L(elements)) => {
            let read = |(at, element): (usize, &AttributeValue)| typed(element, &format!("{path}[{at}]"));
            AttributeValue::L(elements.iter().enumerate().map(read).collect::<Result<_, _>>()?)
        }
        ("M", AttributeValue::M(fields)) => {
            let read = |(name, field): (&String, &AttributeValue)| {
                Ok((name.clone(), typed(field, &format!("{path}.{name}"))?))
            };
            AttributeValue::M(fields.iter().map(read).collect::<Result<_, InputError>>()?)
        }
        ("SS", AttributeValue::L(members)) => {
            AttributeValue::StringSet(set(members, path, |text| Ok(text.to_owned()))?)
        }
        ("NS", AttributeValue::L(members)) => AttributeValue::NumberSet(set(members, path, number)?),
        ("BS", AttributeValue::L(members)) => AttributeValue::BinarySet(set(members, path, binary)?),
        (kind, inner) => {
            return match TYPES.iter().find(|(name, _)| *name == kind) {
                Some((_, example)) => wrong(format!("holds a {}, and {kind} is written {example}", inner.type_name())),
                None => wrong(format!("has the type `{kind}`, which DynamoDB does not know")),
            };
        }
    })
}

/// Reads a set, refusing what DynamoDB refuses: an empty one, and a member that stands twice.
fn set<T: Ord>(
    members: &[AttributeValue],
    path: &str,
    read: impl Fn(&str) -> Result<T, InputError>,
) -> Result<BTreeSet<T>, InputError> {
    let wrong = |what: &str| InputError::NotAnItem(format!("`{path}` {what}"));
    let read = |member: &AttributeValue| match member {
        AttributeValue::S(text) => read(text),
        _ => Err(wrong("is a set, and each member of one is written as a text")),
    };
    let set = members.iter().map(read).collect::<Result<BTreeSet<T>, _>>()?;
    match set.len() {
        0 => Err(wrong("is an empty set, which DynamoDB cannot store: leave it out")),
        distinct if distinct != members.len() => Err(wrong("is a set, and has a member twice")),
        _ => Ok(set),
    }
}

fn is_dynamodb_json(fields: &Attributes) -> bool {
    let is_typed = |value: &AttributeValue| match value {
        AttributeValue::M(inner) => {
            inner.len() == 1 && inner.keys().all(|key| TYPES.iter().any(|(name, _)| name == key))
        }
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
            (r#"{"a": {"N": "x"}}"#, "`a` is no number: `x` is not a decimal number"),
            (r#"{"a": {"N": 12}}"#, r#"`a` holds a number, and N is written {"N": "12"}"#),
            (r#"{"a": {"L": [{"M": {"b": true}}]}}"#, "`a[0].b` is true without its type"),
            (r#"{"a": {"M": {"b": {"X": "1"}}}}"#, "`a.b` has the type `X`"),
            (r#"{"Item": {"a": {"SS": []}}}"#, "`a` is an empty set"),
            (r#"{"a": {"NS": ["1", "1.0"]}}"#, "`a` is a set, and has a member twice"),
            ("nonsense", "not JSON"),
        ] {
            let error = Input::parse(json).unwrap_err().to_string();
            assert!(error.contains(part), "{error}");
        }
    }
}
