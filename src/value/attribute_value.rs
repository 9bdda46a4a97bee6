//! One attribute's value.

use std::collections::BTreeSet;
use std::fmt;

use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{Attributes, Number};

/// A value as DynamoDB stores it. It serialises as DynamoDB JSON: `{"S": "Mara"}`, `{"N": "12"}`.
///
/// Maps and sets are ordered, and numbers canonical, so `==` is equality of content.
///
/// ```
/// # use singletable::AttributeValue;
/// let one: AttributeValue = serde_json::from_str(r#"{"NS": ["1", "2.0"]}"#)?;
/// let other: AttributeValue = serde_json::from_str(r#"{"NS": ["2", "1.0"]}"#)?;
/// assert_eq!(one, other);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum AttributeValue {
    /// A string.
    S(String),
    /// A number.
    N(Number),
    /// Bytes.
    B(Binary),
    /// A boolean.
    #[serde(rename = "BOOL")]
    Bool(bool),
    /// The null value.
    #[serde(rename = "NULL", serialize_with = "write_null", deserialize_with = "read_null")]
    Null,
    /// A list.
    L(Vec<AttributeValue>),
    /// A map.
    #[serde(with = "super::fields")]
    M(Attributes),
    /// A set of strings.
    #[serde(rename = "SS", deserialize_with = "read_set")]
    StringSet(BTreeSet<String>),
    /// A set of numbers.
    #[serde(rename = "NS", deserialize_with = "read_set")]
    NumberSet(BTreeSet<Number>),
    /// A set of byte strings.
    #[serde(rename = "BS", deserialize_with = "read_set")]
    BinarySet(BTreeSet<Binary>),
}

impl AttributeValue {
    /// The word for its type in messages and in definitions: `string`, `number-set`.
    pub fn type_name(&self) -> &'static str {
        match self {
            Self::S(_) => "string",
            Self::N(_) => "number",
            Self::B(_) => "binary",
            Self::Bool(_) => "boolean",
            Self::Null => "null",
            Self::L(_) => "list",
            Self::M(_) => "map",
            Self::StringSet(_) => "string-set",
            Self::NumberSet(_) => "number-set",
            Self::BinarySet(_) => "binary-set",
        }
    }

    /// The text, where it is a string.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Self::S(text) => Some(text),
            _ => None,
        }
    }
}

impl From<&str> for AttributeValue {
    fn from(text: &str) -> Self {
        Self::S(text.to_owned())
    }
}

impl From<String> for AttributeValue {
    fn from(text: String) -> Self {
        Self::S(text)
    }
}

impl From<Number> for AttributeValue {
    fn from(number: Number) -> Self {
        Self::N(number)
    }
}

/// Bytes; base64 in JSON.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Binary(pub Vec<u8>);

impl Binary {
    /// Reads standard base64 with padding.
    pub fn from_base64(text: &str) -> Option<Self> {
        BASE64.decode(text).ok().map(Binary)
    }

    /// Standard base64 with padding, as DynamoDB JSON has it.
    pub fn to_base64(&self) -> String {
        BASE64.encode(&self.0)
    }
}

impl fmt::Debug for Binary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Binary({})", self.to_base64())
    }
}

impl Serialize for Binary {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.to_base64())
    }
}

impl<'de> Deserialize<'de> for Binary {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Binary::from_base64(&text).ok_or_else(|| serde::de::Error::custom(format!("`{text}` is not base64")))
    }
}

fn write_null<S: Serializer>(serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_bool(true)
}

fn read_null<'de, D: Deserializer<'de>>(deserializer: D) -> Result<(), D::Error> {
    match bool::deserialize(deserializer)? {
        true => Ok(()),
        false => Err(serde::de::Error::custom("a null is written {\"NULL\": true}")),
    }
}

/// Reads a set, refusing what DynamoDB refuses: an empty one, and a member that stands twice.
fn read_set<'de, D, T>(deserializer: D) -> Result<BTreeSet<T>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de> + Ord,
{
    let members = Vec::<T>::deserialize(deserializer)?;
    let written = members.len();
    let set: BTreeSet<T> = members.into_iter().collect();
    if set.is_empty() {
        return Err(serde::de::Error::custom("a set cannot be empty: leave the attribute out"));
    }
    if set.len() != written {
        return Err(serde::de::Error::custom("a set cannot hold the same member twice"));
    }
    Ok(set)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_type_survives_dynamodb_json() {
        let json = r#"{"M":{"a":{"S":""},"b":{"N":"12345678901234567890123456789012345678"},"c":{"B":"AP8="},"d":{"BOOL":false},"e":{"NULL":true},"f":{"L":[{"M":{}},{"L":[]}]},"g":{"SS":["a","b"]},"h":{"NS":["-1","2.5"]},"i":{"BS":["AA=="]}}}"#;
        let value: AttributeValue = serde_json::from_str(json).unwrap();
        assert_eq!(serde_json::to_string(&value).unwrap(), json);
    }

    /// An item of 400 KB may hold 100,000 of them.
    #[test]
    fn a_value_is_small() {
        assert_eq!(size_of::<AttributeValue>(), 32);
    }

    #[test]
    fn what_dynamodb_refuses_is_refused() {
        for (json, part) in [
            (r#"{"SS":[]}"#, "cannot be empty"),
            (r#"{"NS":["1","1.0"]}"#, "same member twice"),
            (r#"{"NULL":false}"#, "NULL"),
            (r#"{"N":"abc"}"#, "not a decimal number"),
            (r#"{"B":"*"}"#, "not base64"),
            (r#"{"X":"a"}"#, "unknown variant"),
        ] {
            let error = serde_json::from_str::<AttributeValue>(json).unwrap_err().to_string();
            assert!(error.contains(part), "{json}: {error}");
        }
    }
}
