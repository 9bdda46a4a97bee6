//! Any serde value as the attribute value it looks like: every number exact, and a refusal says where.

use std::fmt;

use serde::ser::{self, Serialize, Serializer};

use super::number::SERDE_NAME;
use super::{AttributeValue, Attributes, Binary, NumberError};

/// Why DynamoDB cannot store a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotStorable {
    /// Where it stands, as in `comments[3].score`; empty for the value as a whole.
    pub path: String,
    /// What is wrong with it.
    pub reason: String,
}

impl std::error::Error for NotStorable {}

impl fmt::Display for NotStorable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.path.as_str() {
            "" => write!(f, "this cannot be stored: {}", self.reason),
            path => write!(f, "`{path}` cannot be stored: {}", self.reason),
        }
    }
}

impl ser::Error for NotStorable {
    fn custom<T: fmt::Display>(reason: T) -> Self {
        NotStorable { path: String::new(), reason: reason.to_string() }
    }
}

impl NotStorable {
    /// The same one step further out: the step is a name, or a position in brackets.
    fn below(self, step: &str) -> Self {
        let dot = if self.path.is_empty() || self.path.starts_with('[') { "" } else { "." };
        NotStorable { path: format!("{step}{dot}{}", self.path), reason: self.reason }
    }
}

/// Reads a serde value as the attribute value it looks like: structs are maps, sequences lists, `None` is null.
///
/// # Errors
/// A number that DynamoDB cannot keep exactly, or a map whose keys are no texts.
pub fn to_attribute_value<T: Serialize + ?Sized>(value: &T) -> Result<AttributeValue, NotStorable> {
    value.serialize(Values)
}

type Result<T, E = NotStorable> = std::result::Result<T, E>;

struct Values;

fn number(text: &str) -> Result<AttributeValue> {
    text.parse().map(AttributeValue::N).map_err(|error: NumberError| ser::Error::custom(error))
}

/// A float goes by its shortest decimal that reads back as the same float.
fn float(is_finite: bool, text: &str) -> Result<AttributeValue> {
    match is_finite {
        true => number(text),
        false => Err(ser::Error::custom(format!("it is {text}, and a number has digits"))),
    }
}

fn variant(name: &str, value: AttributeValue) -> AttributeValue {
    AttributeValue::M(Attributes::from_iter([(name.to_owned(), value)]))
}

macro_rules! integers {
    ($($method:ident: $integer:ty),*) => {
        $(fn $method(self, value: $integer) -> Result<AttributeValue> {
            number(&value.to_string())
        })*
    };
}

impl Serializer for Values {
    type Ok = AttributeValue;
    type Error = NotStorable;
    type SerializeSeq = Elements;
    type SerializeTuple = Elements;
    type SerializeTupleStruct = Elements;
    type SerializeTupleVariant = Elements;
    type SerializeMap = Fields;
    type SerializeStruct = Fields;
    type SerializeStructVariant = Fields;

    integers! {
        serialize_i8: i8, serialize_i16: i16, serialize_i32: i32, serialize_i64: i64, serialize_i128: i128,
        serialize_u8: u8, serialize_u16: u16, serialize_u32: u32, serialize_u64: u64, serialize_u128: u128
    }

    fn serialize_bool(self, value: bool) -> Result<AttributeValue> {
        Ok(AttributeValue::Bool(value))
    }

    fn serialize_f32(self, value: f32) -> Result<AttributeValue> {
        float(value.is_finite(), &value.to_string())
    }

    fn serialize_f64(self, value: f64) -> Result<AttributeValue> {
        float(value.is_finite(), &value.to_string())
    }

    fn serialize_char(self, value: char) -> Result<AttributeValue> {
        Ok(AttributeValue::S(value.to_string()))
    }

    fn serialize_str(self, value: &str) -> Result<AttributeValue> {
        Ok(AttributeValue::S(value.to_owned()))
    }

    fn serialize_bytes(self, value: &[u8]) -> Result<AttributeValue> {
        Ok(AttributeValue::B(Binary(value.to_vec())))
    }

    fn serialize_none(self) -> Result<AttributeValue> {
        Ok(AttributeValue::Null)
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<AttributeValue> {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Result<AttributeValue> {
        Ok(AttributeValue::Null)
    }

    fn serialize_unit_struct(self, _: &'static str) -> Result<AttributeValue> {
        Ok(AttributeValue::Null)
    }

    fn serialize_unit_variant(self, _: &'static str, _: u32, name: &'static str) -> Result<AttributeValue> {
        Ok(AttributeValue::S(name.to_owned()))
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, name: &'static str, value: &T) -> Result<AttributeValue> {
        match (name, value.serialize(self)?) {
            // Our own number stands in JSON as a text, so that no reader makes a float of it.
            (SERDE_NAME, AttributeValue::S(text)) => number(&text),
            (_, value) => Ok(value),
        }
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        name: &'static str,
        value: &T,
    ) -> Result<AttributeValue> {
        Ok(variant(name, value.serialize(self).map_err(|error| error.below(name))?))
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<Elements> {
        Ok(Elements { variant: None, elements: Vec::new() })
    }

    fn serialize_tuple(self, _: usize) -> Result<Elements> {
        self.serialize_seq(None)
    }

    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Elements> {
        self.serialize_seq(None)
    }

    fn serialize_tuple_variant(self, _: &'static str, _: u32, name: &'static str, _: usize) -> Result<Elements> {
        Ok(Elements { variant: Some(name), elements: Vec::new() })
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Fields> {
        Ok(Fields { variant: None, fields: Attributes::new(), key: None })
    }

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Fields> {
        self.serialize_map(None)
    }

    fn serialize_struct_variant(self, _: &'static str, _: u32, name: &'static str, _: usize) -> Result<Fields> {
        Ok(Fields { variant: Some(name), fields: Attributes::new(), key: None })
    }
}

/// A list that is being read, and the variant that it is the content of.
struct Elements {
    variant: Option<&'static str>,
    elements: Vec<AttributeValue>,
}

impl Elements {
    fn add<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<()> {
        let at = self.elements.len();
        let inside = |error: NotStorable| {
            let error = error.below(&format!("[{at}]"));
            match self.variant {
                Some(name) => error.below(name),
                None => error,
            }
        };
        self.elements.push(value.serialize(Values).map_err(inside)?);
        Ok(())
    }

    fn finish(self) -> AttributeValue {
        let list = AttributeValue::L(self.elements);
        match self.variant {
            Some(name) => variant(name, list),
            None => list,
        }
    }
}

/// A map that is being read, and the variant that it is the content of.
struct Fields {
    variant: Option<&'static str>,
    fields: Attributes,
    key: Option<String>,
}

impl Fields {
    fn add<T: Serialize + ?Sized>(&mut self, name: String, value: &T) -> Result<()> {
        let inside = |error: NotStorable| {
            let error = error.below(&name);
            match self.variant {
                Some(variant) => error.below(variant),
                None => error,
            }
        };
        let value = value.serialize(Values).map_err(inside)?;
        self.fields.insert(name, value);
        Ok(())
    }

    fn finish(self) -> AttributeValue {
        let map = AttributeValue::M(self.fields);
        match self.variant {
            Some(name) => variant(name, map),
            None => map,
        }
    }
}

macro_rules! elements {
    ($($of:ident: $method:ident),*) => {
        $(impl ser::$of for Elements {
            type Ok = AttributeValue;
            type Error = NotStorable;

            fn $method<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<()> {
                self.add(value)
            }

            fn end(self) -> Result<AttributeValue> {
                Ok(self.finish())
            }
        })*
    };
}

elements! {
    SerializeSeq: serialize_element, SerializeTuple: serialize_element,
    SerializeTupleStruct: serialize_field, SerializeTupleVariant: serialize_field
}

macro_rules! fields {
    ($($of:ident),*) => {
        $(impl ser::$of for Fields {
            type Ok = AttributeValue;
            type Error = NotStorable;

            fn serialize_field<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T) -> Result<()> {
                self.add(name.to_owned(), value)
            }

            fn end(self) -> Result<AttributeValue> {
                Ok(self.finish())
            }
        })*
    };
}

fields! { SerializeStruct, SerializeStructVariant }

impl ser::SerializeMap for Fields {
    type Ok = AttributeValue;
    type Error = NotStorable;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<()> {
        // A number or a boolean stands for its text, as it does in JSON.
        self.key = Some(match key.serialize(Values)? {
            AttributeValue::S(text) => text,
            AttributeValue::N(number) => number.to_string(),
            AttributeValue::Bool(value) => value.to_string(),
            other => return Err(ser::Error::custom(format!("a map has a {} for a name", other.type_name()))),
        });
        Ok(())
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<()> {
        let name = self.key.take().ok_or_else(|| <NotStorable as ser::Error>::custom("a map's value has no name"))?;
        self.add(name, value)
    }

    fn end(self) -> Result<AttributeValue> {
        Ok(self.finish())
    }
}
