//! Plain JSON, in and out, with every number exactly as it was written.
//!
//! `serde_json::Value` would read a long number as a float. Reading through raw values keeps its digits.

use serde::de;
use serde::ser::{self, SerializeMap, SerializeSeq};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;

use super::fields::read_fields;
use super::{AttributeValue, Number};

/// How deep arrays and objects may nest: as deep as serde_json goes. DynamoDB takes 32 levels, and its own JSON writes
/// two for each of them; more leaves that error to the type check.
const MAX_DEPTH: usize = 127;

/// Reads plain JSON as the attribute value it looks like: objects are maps, arrays lists, numbers exact.
///
/// Which arrays are sets and which strings are binary only the definition knows; see `Entity::build`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlainJson(pub AttributeValue);

impl<'de> Deserialize<'de> for PlainJson {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = <&RawValue>::deserialize(deserializer)?;
        read(raw.get(), 0).map(PlainJson).map_err(de::Error::custom)
    }
}

fn read(json: &str, depth: usize) -> Result<AttributeValue, serde_json::Error> {
    if depth > MAX_DEPTH {
        return Err(de::Error::custom(format!("it is nested deeper than {MAX_DEPTH} levels")));
    }
    Ok(match json.as_bytes().first() {
        Some(b'{') => {
            let fields: Vec<(String, &RawValue)> = read_fields(&mut serde_json::Deserializer::from_str(json))?;
            let read_field = |(name, raw): (String, &RawValue)| Ok((name, read(raw.get(), depth + 1)?));
            AttributeValue::M(fields.into_iter().map(read_field).collect::<Result<_, serde_json::Error>>()?)
        }
        Some(b'[') => {
            let elements: Vec<&RawValue> = serde_json::from_str(json)?;
            AttributeValue::L(elements.into_iter().map(|raw| read(raw.get(), depth + 1)).collect::<Result<_, _>>()?)
        }
        Some(b'"') => AttributeValue::S(serde_json::from_str(json)?),
        Some(b't' | b'f') => AttributeValue::Bool(serde_json::from_str(json)?),
        Some(b'n') => AttributeValue::Null,
        _ => AttributeValue::N(json.parse::<Number>().map_err(de::Error::custom)?),
    })
}

impl Serialize for PlainJson {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Plain(&self.0).serialize(serializer)
    }
}

/// The value as one line of plain JSON: sets are arrays, binary is base64, numbers keep every digit.
pub fn to_plain_json(value: &AttributeValue) -> String {
    serde_json::to_string(&Plain(value)).expect("attribute values always serialise: their map keys are strings")
}

struct Plain<'a>(&'a AttributeValue);

impl Serialize for Plain<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        fn sequence<S: Serializer, T: Serialize>(
            serializer: S,
            items: impl ExactSizeIterator<Item = T>,
        ) -> Result<S::Ok, S::Error> {
            let mut sequence = serializer.serialize_seq(Some(items.len()))?;
            items.into_iter().try_for_each(|item| sequence.serialize_element(&item))?;
            sequence.end()
        }
        match self.0 {
            AttributeValue::S(text) => serializer.serialize_str(text),
            AttributeValue::N(number) => Literal(number).serialize(serializer),
            AttributeValue::B(bytes) => bytes.serialize(serializer),
            AttributeValue::Bool(value) => serializer.serialize_bool(*value),
            AttributeValue::Null => serializer.serialize_unit(),
            AttributeValue::L(elements) => sequence(serializer, elements.iter().map(Plain)),
            AttributeValue::M(fields) => {
                let mut map = serializer.serialize_map(Some(fields.len()))?;
                fields.iter().try_for_each(|(name, value)| map.serialize_entry(name, &Plain(value)))?;
                map.end()
            }
            AttributeValue::StringSet(members) => sequence(serializer, members.iter()),
            AttributeValue::NumberSet(members) => sequence(serializer, members.iter().map(Literal)),
            AttributeValue::BinarySet(members) => sequence(serializer, members.iter()),
        }
    }
}

/// A number as a JSON number, through a raw value so that no digit is lost.
struct Literal<'a>(&'a Number);

impl Serialize for Literal<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        RawValue::from_string(self.0.to_string()).map_err(ser::Error::custom)?.serialize(serializer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reading_and_writing_keeps_every_digit_and_every_null() {
        let json =
            r#"{"a":[1,2.5,null,{"b":{"c":null}}],"big":12345678901234567890123456789012345678,"empty":"","t":true}"#;
        let PlainJson(value) = serde_json::from_str(json).unwrap();
        assert_eq!(to_plain_json(&value), json);
    }

    #[test]
    fn a_field_that_stands_twice_is_refused() {
        let error = serde_json::from_str::<PlainJson>(r#"{"x":{"a":1,"a":2}}"#).unwrap_err();
        assert!(error.to_string().contains("`a` stands twice"), "{error}");
    }

    #[test]
    fn a_number_that_dynamodb_cannot_keep_is_refused() {
        let error = serde_json::from_str::<PlainJson>(r#"{"a":1e400}"#).unwrap_err();
        assert!(error.to_string().contains("outside DynamoDB's range"), "{error}");
    }

    #[test]
    fn nesting_without_end_is_an_error_not_a_crash() {
        let json = "[".repeat(10_000) + &"]".repeat(10_000);
        assert!(serde_json::from_str::<PlainJson>(&json).is_err());
    }
}
