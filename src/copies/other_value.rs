//! Another value of the same size, to see what a change of one takes.

use crate::value::AttributeValue;

/// A value that differs, and weighs the same or nearly so.
pub(super) fn other_value(value: &AttributeValue) -> AttributeValue {
    match value {
        AttributeValue::S(text) => {
            let letter = if text.bytes().all(|byte| byte == b'x') { "y" } else { "x" };
            AttributeValue::S(letter.repeat(text.len()))
        }
        AttributeValue::N(number) => AttributeValue::N(number.successor()),
        AttributeValue::Bool(value) => AttributeValue::Bool(!value),
        AttributeValue::B(bytes) => {
            AttributeValue::B(crate::value::Binary(bytes.0.iter().map(|byte| byte.wrapping_add(1)).collect()))
        }
        AttributeValue::L(elements) => AttributeValue::L(elements.iter().map(other_value).collect()),
        AttributeValue::M(fields) => {
            AttributeValue::M(fields.iter().map(|(name, field)| (name.clone(), other_value(field))).collect())
        }
        other => other.clone(),
    }
}
