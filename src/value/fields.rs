//! Attributes by name, and a map's fields.

use std::fmt;
use std::marker::PhantomData;

use serde::de::{self, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serializer};

use super::AttributeValue;

/// Attributes by name, or a map's fields: in order of their names, each once. It is used as a `BTreeMap` is, and holds
/// an item of many small fields in half its memory.
pub type Attributes = litemap::LiteMap<String, AttributeValue>;

/// Writes attributes as an object.
pub(crate) fn serialize<S: Serializer>(attributes: &Attributes, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(attributes)
}

/// Reads attributes from an object.
pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Attributes, D::Error> {
    read_fields(deserializer).map(Attributes::from_sorted_store_unchecked)
}

/// Reads an object's fields, in order of their names. One that stands twice is an error, not a silent loss.
pub(super) fn read_fields<'de, D, T>(deserializer: D) -> Result<Vec<(String, T)>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    struct FieldsVisitor<T>(PhantomData<T>);
    impl<'de, T: Deserialize<'de>> Visitor<'de> for FieldsVisitor<T> {
        type Value = Vec<(String, T)>;
        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an object")
        }
        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
            let mut fields: Vec<(String, T)> = Vec::new();
            while let Some(field) = map.next_entry()? {
                fields.push(field);
            }
            // Sorted once, so that no order of many fields is slow.
            fields.sort_by(|(one, _), (other, _)| one.cmp(other));
            match fields.windows(2).find(|pair| pair[0].0 == pair[1].0) {
                Some(pair) => Err(de::Error::custom(format!("`{}` stands twice in one object", pair[0].0))),
                None => Ok(fields),
            }
        }
    }
    deserializer.deserialize_map(FieldsVisitor(PhantomData))
}
