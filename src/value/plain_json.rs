//! Plain JSON, in and out, with every number exactly as it was written.
//!
//! `serde_json::Value` would read a long number as a float. Reading through raw values keeps its digits.

use std::collections::BTreeMap;
use std::fmt;

use serde::de::{self, MapAccess, SeqAccess, Visitor};
use serde::ser::{self, SerializeMap, SerializeSeq};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;

use super::{AttributeValue, Number};

/// How deep arrays and objects may nest: as deep as serde_json goes in one pass. DynamoDB takes 32 levels, and its own
/// JSON writes two for each of them; more leaves that error to the type check.
const MAX_DEPTH: usize = 127;

/// Reads plain JSON as the attribute value it looks like: objects are maps, arrays lists, numbers exact.
///
/// Which arrays are sets and which strings are binary only the definition knows; see `Entity::build`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlainJson(pub AttributeValue);

impl<'de> Deserialize<'de> for PlainJson {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = <&RawValue>::deserialize(deserializer)?;
        // Where all numbers are whole and of 64 bits, and in DynamoDB JSON there are none, one pass is enough. Whatever it
        // stops at is read again level by level, which keeps all digits and tells what is wrong.
        match serde_json::from_str(raw.get()) {
            Ok(OnePass(value)) => Ok(PlainJson(value)),
            Err(_) => read(raw.get(), 0).map(PlainJson).map_err(de::Error::custom),
        }
    }
}

/// What can be read in one pass without the loss of a digit.
struct OnePass(AttributeValue);

impl<'de> Deserialize<'de> for OnePass {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct ValueVisitor;
        impl<'de> Visitor<'de> for ValueVisitor {
            type Value = OnePass;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a value without a fraction or an exponent")
            }
            fn visit_unit<E>(self) -> Result<OnePass, E> {
                Ok(OnePass(AttributeValue::Null))
            }
            fn visit_bool<E>(self, value: bool) -> Result<OnePass, E> {
                Ok(OnePass(AttributeValue::Bool(value)))
            }
            fn visit_u64<E>(self, value: u64) -> Result<OnePass, E> {
                Ok(OnePass(AttributeValue::N(value.into())))
            }
            fn visit_i64<E: de::Error>(self, value: i64) -> Result<OnePass, E> {
                value.to_string().parse().map(|number| OnePass(AttributeValue::N(number))).map_err(E::custom)
            }
            fn visit_str<E>(self, value: &str) -> Result<OnePass, E> {
                Ok(OnePass(AttributeValue::S(value.to_owned())))
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<OnePass, A::Error> {
                let mut list = Vec::new();
                while let Some(OnePass(element)) = elements.next_element()? {
                    list.push(element);
                }
                Ok(OnePass(AttributeValue::L(list)))
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<OnePass, A::Error> {
                let mut fields = BTreeMap::new();
                while let Some((name, OnePass(value))) = map.next_entry::<String, OnePass>()? {
                    if fields.insert(name, value).is_some() {
                        return Err(de::Error::custom("a field stands twice"));
                    }
                }
                Ok(OnePass(AttributeValue::M(fields)))
            }
        }
        deserializer.deserialize_any(ValueVisitor)
    }
}

fn read(json: &str, depth: usize) -> Result<AttributeValue, serde_json::Error> {
    if depth > MAX_DEPTH {
        return Err(de::Error::custom(format!("it is nested deeper than {MAX_DEPTH} levels")));
    }
    Ok(match json.as_bytes().first() {
        Some(b'{') => {
            let fields: Fields<'_> = serde_json::from_str(json)?;
            let read_field = |(name, raw): (String, &RawValue)| Ok((name, read(raw.get(), depth + 1)?));
            AttributeValue::M(fields.0.into_iter().map(read_field).collect::<Result<_, serde_json::Error>>()?)
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

/// An object's fields; one that stands twice is an error, not a silent loss.
struct Fields<'a>(BTreeMap<String, &'a RawValue>);

impl<'de> Deserialize<'de> for Fields<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct FieldsVisitor;
        impl<'de> Visitor<'de> for FieldsVisitor {
            type Value = Fields<'de>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut fields = BTreeMap::new();
                while let Some(name) = map.next_key::<String>()? {
                    let value: &RawValue = map.next_value()?;
                    if fields.contains_key(&name) {
                        return Err(de::Error::custom(format!("`{name}` stands twice in one object")));
                    }
                    fields.insert(name, value);
                }
                Ok(Fields(fields))
            }
        }
        deserializer.deserialize_map(FieldsVisitor)
    }
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
    fn one_pass_reads_what_level_by_level_reads_or_leaves_it() {
        let deep = |levels: usize| "[".repeat(levels) + &"]".repeat(levels);
        let texts =
            [r#"{"S":"a \"b\" \u00e9 ü","l":[true,null,{}],"n":[0,7,18446744073709551615]}"#, "-7", "[]", &deep(127)];
        for json in texts {
            let OnePass(value) = serde_json::from_str(json).unwrap();
            assert_eq!(value, read(json, 0).unwrap(), "{json}");
        }
        for json in ["1.50", "1e2", "-0", "18446744073709551616", r#"{"a":1,"a":2}"#, &deep(129)] {
            assert!(serde_json::from_str::<OnePass>(json).is_err(), "{json}");
        }
        for json in [deep(126), "-7".to_owned()] {
            assert!(serde_json::from_str::<PlainJson>(&json).is_ok(), "{json}");
        }
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
