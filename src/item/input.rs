//! The two kinds of JSON that people have, never mixed up.

use std::collections::BTreeSet;

use serde::Deserialize;
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
        // An item's types stand where its values do, so that one pass reads it. Whatever is none is looked at again, to
        // read it as what it is, or to tell what is wrong with it.
        if let Some(item) = Item::read(json) {
            return Ok(Input::Item(item));
        }
        let PlainJson(value) = serde_json::from_str(json).map_err(|error| match error.classify() {
            _ if json.trim().is_empty() => InputError::NotJson("it is empty".to_owned()),
            Category::Eof => InputError::NotJson("it ends in the middle".to_owned()),
            _ => InputError::NotJson(error.to_string()),
        })?;
        let AttributeValue::M(mut fields) = value else { return Err(InputError::NotAnObject(value.type_name())) };
        if let (1, Some(AttributeValue::M(inner))) = (fields.len(), fields.get_mut("Item"))
            && is_dynamodb_json(inner)
        {
            return read_item(std::mem::take(inner)).map(Input::Item);
        }
        match is_dynamodb_json(&fields) {
            true => read_item(fields).map(Input::Item),
            false => Ok(Input::Attributes(fields)),
        }
    }
}

impl Item {
    /// Reads an item, or an export's line with one; `None` where it is neither.
    fn read(json: &str) -> Option<Item> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Exported {
            #[serde(rename = "Item")]
            item: Item,
        }
        let item = serde_json::from_str(json).or_else(|_| serde_json::from_str(json).map(|Exported { item }| item));
        item.ok().filter(|item| !item.0.is_empty())
    }
}

fn read_item(fields: Attributes) -> Result<Item, InputError> {
    let read = |(name, value): (String, AttributeValue)| match typed(value) {
        Ok(value) => Ok((name, value)),
        Err(wrong) => Err(wrong.within(&name)),
    };
    let read: Result<Attributes, Wrong> = fields.into_iter().map(read).collect();
    read.map(Item).map_err(|Wrong { path, what }| InputError::NotAnItem(format!("`{path}` {what}")))
}

/// What is wrong with a value. Its path is put together on the way out, so that what is right needs none.
struct Wrong {
    path: String,
    what: String,
}

impl Wrong {
    fn new(what: impl Into<String>) -> Self {
        Wrong { path: String::new(), what: what.into() }
    }

    /// Of the element at a position, or of the field or attribute of that name.
    fn within(self, step: &str) -> Self {
        let dot = if self.path.is_empty() || self.path.starts_with('[') { "" } else { "." };
        Wrong { path: format!("{step}{dot}{}", self.path), ..self }
    }
}

/// Reads a value of DynamoDB JSON: an object of one field, which is its type's.
fn typed(value: AttributeValue) -> Result<AttributeValue, Wrong> {
    let (kind, inner) = match value {
        AttributeValue::M(fields) if fields.len() == 1 => fields.into_iter().next().expect("it has one field"),
        other => {
            let found = crate::value::to_plain_json(&other);
            let found = if found.len() > SHOWN_CHARACTERS { format!("a {}", other.type_name()) } else { found };
            return Err(Wrong::new(format!(
                "is {found} without its type, which is written around it, as in {{\"S\": \"text\"}}"
            )));
        }
    };
    let number = |text: String| text.parse::<Number>().map_err(|error| Wrong::new(format!("is no number: {error}")));
    let binary = |text: String| {
        Binary::from_base64(&text).ok_or_else(|| Wrong::new(format!("is {text:?}, which is not base64")))
    };
    Ok(match (kind.as_str(), inner) {
        ("S", AttributeValue::S(text)) => AttributeValue::S(text),
        ("N", AttributeValue::S(text)) => AttributeValue::N(number(text)?),
        ("B", AttributeValue::S(text)) => AttributeValue::B(binary(text)?),
        ("BOOL", AttributeValue::Bool(value)) => AttributeValue::Bool(value),
        ("NULL", AttributeValue::Bool(true)) => AttributeValue::Null,
        ("L", AttributeValue::L(elements)) => {
            let read = |(at, element): (usize, AttributeValue)| {
                typed(element).map_err(|wrong| wrong.within(&format!("[{at}]")))
            };
            AttributeValue::L(elements.into_iter().enumerate().map(read).collect::<Result<_, _>>()?)
        }
        ("M", AttributeValue::M(fields)) => {
            let read = |(name, field): (String, AttributeValue)| match typed(field) {
                Ok(field) => Ok((name, field)),
                Err(wrong) => Err(wrong.within(&name)),
            };
            AttributeValue::M(fields.into_iter().map(read).collect::<Result<_, Wrong>>()?)
        }
        ("SS", AttributeValue::L(members)) => AttributeValue::StringSet(set(members, Ok)?),
        ("NS", AttributeValue::L(members)) => AttributeValue::NumberSet(set(members, number)?),
        ("BS", AttributeValue::L(members)) => AttributeValue::BinarySet(set(members, binary)?),
        (kind, inner) => {
            return Err(Wrong::new(match TYPES.iter().find(|(name, _)| *name == kind) {
                Some((_, example)) => format!("holds a {}, and {kind} is written {example}", inner.type_name()),
                None => format!("has the type `{kind}`, which DynamoDB does not know"),
            }));
        }
    })
}

/// Reads a set, refusing what DynamoDB refuses: an empty one, and a member that stands twice.
fn set<T: Ord>(members: Vec<AttributeValue>, read: impl Fn(String) -> Result<T, Wrong>) -> Result<BTreeSet<T>, Wrong> {
    let count = members.len();
    let read = |member| match member {
        AttributeValue::S(text) => read(text),
        _ => Err(Wrong::new("is a set, and each member of one is written as a text")),
    };
    let set = members.into_iter().map(read).collect::<Result<BTreeSet<T>, _>>()?;
    match set.len() {
        0 => Err(Wrong::new("is an empty set, which DynamoDB cannot store: leave it out")),
        distinct if distinct != count => Err(Wrong::new("is a set, and has a member twice")),
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
    fn fields_in_any_order_make_one_item() {
        let item = |json| Input::parse(json).unwrap();
        let ordered = r#"{"a": {"M": {"x": {"N": "1"}, "y": {"M": {}}}}, "b": {"S": ""}}"#;
        let other = r#"{"b": {"S": ""}, "a": {"M": {"y": {"M": {}}, "x": {"N": "1.0"}}}}"#;
        assert_eq!(item(ordered), item(other));
        assert_eq!(item(&format!(r#"{{"Item": {other}}}"#)), item(ordered));
    }

    #[test]
    fn what_is_neither_says_why() {
        for (json, part) in [
            ("{\"a\": ", "ends in the middle"),
            (" \n", "it is empty"),
            ("[1]", "JSON list"),
            (r#"{"a": {"N": "x"}}"#, "`a` is no number: `x` is not a decimal number"),
            (r#"{"a": {"N": 12}}"#, r#"`a` holds a number, and N is written {"N": "12"}"#),
            (r#"{"a": {"L": [{"M": {"b": true}}]}}"#, "`a[0].b` is true without its type"),
            (r#"{"a": {"M": {"b": {"X": "1"}}}}"#, "`a.b` has the type `X`"),
            (r#"{"Item": {"a": {"SS": []}}}"#, "`a` is an empty set"),
            (r#"{"a": {"M": {"b": {"S": "1"}, "c": {"S": "1"}, "b": {"S": "2"}}}}"#, "`b` stands twice in one object"),
            (r#"{"a": {"S": "1"}, "a": {"S": "1"}}"#, "`a` stands twice in one object"),
            (r#"{"a": {"NS": ["1", "1.0"]}}"#, "`a` is a set, and has a member twice"),
            ("nonsense", "not JSON"),
        ] {
            let error = Input::parse(json).unwrap_err().to_string();
            assert!(error.contains(part), "{error}");
        }
    }
}
