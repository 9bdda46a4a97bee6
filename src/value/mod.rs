//! DynamoDB's values: what an attribute can hold, and how it is written in JSON.
//!
//! Everything here is ordered and canonical, so that two values are equal exactly when DynamoDB
//! would store the same thing, and so that nothing printed from them ever flickers.

mod attribute_value;
pub(crate) mod fields;
mod from_serde;
mod number;
mod path;
mod plain_json;

pub use attribute_value::{AttributeValue, Binary};
pub use fields::Attributes;
pub use from_serde::{NotStorable, to_attribute_value};
pub use number::{Number, NumberError};
pub use path::{AttributePath, Step};
pub use plain_json::{PlainJson, to_plain_json};
