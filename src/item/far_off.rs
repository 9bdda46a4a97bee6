//! Times that are past the year 3000, as a time in milliseconds is where DynamoDB takes seconds.

use super::{Attributes, Item};
use crate::model::{AttributeType, Entity, Table, ValueProblem};
use crate::value::{AttributeValue, Number};

/// 3000-01-01T00:00:00Z, in seconds since 1970.
const YEAR_3000: u64 = 32_503_680_000;

fn is_far_off(value: Option<&AttributeValue>) -> bool {
    matches!(value, Some(AttributeValue::N(seconds)) if *seconds >= Number::from(YEAR_3000))
}

/// Why a time to live is refused: DynamoDB takes any number, and would never remove the item.
pub(super) fn far_off_ttl(name: &str, value: Option<&AttributeValue>, table: &Table) -> Option<ValueProblem> {
    (is_ttl(name, table) && is_far_off(value)).then(|| ValueProblem::FarOff(name.to_owned()))
}

/// The same of an item.
pub(super) fn far_off_ttl_of(item: &Item, table: &Table) -> Option<ValueProblem> {
    let name = table.ttl_attribute.as_ref()?;
    far_off_ttl(name, item.get(name), table)
}

fn is_ttl(name: &str, table: &Table) -> bool {
    table.ttl_attribute.as_deref() == Some(name)
}

/// What is worth a warning: other epochs of an item that are so far off.
pub fn far_off_epochs(attributes: &Attributes, entity: &Entity, table: &Table) -> Vec<String> {
    let epochs = entity.attributes.iter().filter(|one| matches!(one.kind, AttributeType::Epoch));
    epochs
        .map(|one| one.place())
        .filter(|place| !is_ttl(&place.to_string(), table) && is_far_off(place.get(attributes)))
        .map(|place| ValueProblem::FarOff(place.to_string()).to_string())
        .collect()
}
