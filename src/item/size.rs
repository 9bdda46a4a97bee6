//! How big an item is, to the byte.
//!
//! Source: *DynamoDB item sizes and formats* in the developer guide. What the guide leaves open about
//! numbers follows the base-100 rule, which agrees with every literal that was ever measured on AWS.

use std::fmt;
use std::iter::Sum;

use serde::Serialize;

use super::Item;
use crate::limits::{MAX_ITEM_BYTES, MAX_NUMBER_BYTES};
use crate::value::{AttributeValue, Number};

/// The size of an item or of a part of one, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize)]
#[serde(transparent)]
pub struct ItemSize(u64);

impl ItemSize {
    /// So many bytes.
    pub const fn from_bytes(bytes: u64) -> Self {
        ItemSize(bytes)
    }

    /// In bytes.
    pub const fn bytes(self) -> u64 {
        self.0
    }

    /// Whether DynamoDB takes an item of this size.
    pub const fn fits(self) -> bool {
        self.0 <= MAX_ITEM_BYTES
    }
}

impl fmt::Display for ItemSize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes", self.0)
    }
}

impl Sum for ItemSize {
    fn sum<I: Iterator<Item = Self>>(sizes: I) -> Self {
        ItemSize(sizes.map(|size| size.0).sum())
    }
}

/// Says so when an item is at least as large as the table's `warn_item_bytes`, and what in it weighs most.
pub fn size_warning(item: &Item, table: &crate::model::Table) -> Option<String> {
    let limit = table.settings.warn_item_bytes?;
    let size = item_size(item);
    (size.bytes() >= limit).then(|| {
        let heaviest = super::error::heaviest_text(&super::builder::heaviest(item));
        format!("the item has {size}, and {limit} bytes are worth a warning here; heaviest: {heaviest}")
    })
}

/// One attribute, element or field, with what it weighs: its name and its value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SizeNode {
    /// The attribute's or field's name; `[3]` for the fourth element of a list.
    pub name: String,
    /// What it adds to the item, in bytes.
    pub bytes: u64,
    /// Its parts, where it is a list or a map.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<SizeNode>,
}

/// The size of an item, in bytes.
///
/// ```
/// use singletable::{Item, item_size};
/// let item: Item = serde_json::from_str(r#"{"PK": {"S": "POST#1"}, "likes": {"N": "-42"}}"#)?;
/// assert_eq!(item_size(&item).bytes(), 2 + 6 + 5 + 3);
/// # Ok::<(), serde_json::Error>(())
/// ```
pub fn item_size(item: &Item) -> ItemSize {
    attributes_size(item.0.iter().map(|(name, value)| (name.as_str(), value)))
}

/// The size of an item that has these attributes.
pub(crate) fn attributes_size<'a>(attributes: impl Iterator<Item = (&'a str, &'a AttributeValue)>) -> ItemSize {
    ItemSize(attributes.map(|(name, value)| name.len() as u64 + value_bytes(value)).sum())
}

/// Every attribute of an item with what it weighs, down to the last element.
pub fn size_tree(item: &Item) -> Vec<SizeNode> {
    item.0.iter().map(|(name, value)| node(name.clone(), name.len() as u64, value)).collect()
}

/// How many numbers an item holds whose size the published rules dispute, by one byte each.
///
/// All rules agree with everything that was measured on AWS. They differ where the digits stand on one side
/// of the decimal point, their count is even, and the pairs do not line up with the point (`120`, `0.012`);
/// and on whether the longest negative numbers are cut to 21 bytes.
pub fn disputed_numbers(item: &Item) -> u64 {
    let disputed: Disputed = item.0.values().map(disputed_in).sum();
    disputed.smaller + disputed.larger
}

/// How many numbers may be a byte smaller than they are taken for, and how many a byte larger.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Disputed {
    pub(crate) smaller: u64,
    pub(crate) larger: u64,
}

impl Sum for Disputed {
    fn sum<I: Iterator<Item = Self>>(all: I) -> Self {
        all.fold(Disputed::default(), |sum, one| Disputed {
            smaller: sum.smaller + one.smaller,
            larger: sum.larger + one.larger,
        })
    }
}

fn node(name: String, overhead: u64, value: &AttributeValue) -> SizeNode {
    // An element of a list or map costs one byte more than a top-level attribute.
    let parts = match value {
        AttributeValue::L(elements) => {
            elements.iter().enumerate().map(|(at, element)| node(format!("[{at}]"), 1, element)).collect()
        }
        AttributeValue::M(fields) => {
            fields.iter().map(|(name, field)| node(name.clone(), 1 + name.len() as u64, field)).collect()
        }
        _ => Vec::new(),
    };
    SizeNode { name, bytes: overhead + value_bytes(value), parts }
}

fn value_bytes(value: &AttributeValue) -> u64 {
    match value {
        AttributeValue::S(text) => text.len() as u64,
        AttributeValue::N(number) => number_bytes(number),
        AttributeValue::B(bytes) => bytes.0.len() as u64,
        AttributeValue::Bool(_) | AttributeValue::Null => 1,
        AttributeValue::StringSet(members) => members.iter().map(|member| member.len() as u64).sum(),
        AttributeValue::NumberSet(members) => members.iter().map(number_bytes).sum(),
        AttributeValue::BinarySet(members) => members.iter().map(|member| member.0.len() as u64).sum(),
        AttributeValue::L(elements) => 3 + elements.iter().map(|element| 1 + value_bytes(element)).sum::<u64>(),
        AttributeValue::M(fields) => {
            3 + fields.iter().map(|(name, field)| 1 + name.len() as u64 + value_bytes(field)).sum::<u64>()
        }
    }
}

/// One byte, one for each base-100 digit aligned on the decimal point, and one for a minus; zero is one byte.
fn number_bytes(number: &Number) -> u64 {
    let digits = u64::from(number.significant_digits());
    if digits == 0 {
        return 1;
    }
    let first_pair_is_whole = number.scientific_exponent().rem_euclid(2) == 1;
    let pairs = if first_pair_is_whole { digits.div_ceil(2) } else { digits / 2 + 1 };
    (1 + pairs + u64::from(number.is_negative())).min(MAX_NUMBER_BYTES)
}

pub(crate) fn disputed_in(value: &AttributeValue) -> Disputed {
    fn number(number: &Number) -> Disputed {
        let straddles_the_point = number.scientific_exponent() >= 0 && number.last_digit_exponent() < 0;
        let even = |count: i64| count.rem_euclid(2) == 0;
        let digits = i64::from(number.significant_digits());
        let misaligned = digits > 0 && even(digits) && even(number.scientific_exponent().into());
        let longest = number.is_negative() && digits == 38 && even(number.scientific_exponent().into());
        Disputed { smaller: u64::from(misaligned && !straddles_the_point && !longest), larger: u64::from(longest) }
    }
    match value {
        AttributeValue::N(one) => number(one),
        AttributeValue::NumberSet(members) => members.iter().map(number).sum(),
        AttributeValue::L(elements) => elements.iter().map(disputed_in).sum(),
        AttributeValue::M(fields) => fields.values().map(disputed_in).sum(),
        _ => Disputed::default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(literal: &str) -> u64 {
        number_bytes(&literal.parse().unwrap())
    }

    #[test]
    fn numbers_weigh_what_was_measured_on_aws() {
        for (literal, bytes) in
            [("0", 1), ("1", 2), ("-42", 3), ("3.14159", 5), ("100", 2), ("1E125", 2), ("1.5", 3), ("-0.5", 3)]
        {
            assert_eq!(number(literal), bytes, "{literal}");
        }
    }

    #[test]
    fn the_disputed_numbers_are_counted_wherever_they_stand() {
        let item: Item = serde_json::from_str(
            r#"{"a":{"N":"120"},"b":{"L":[{"N":"0.012"},{"N":"12"}]},"c":{"NS":["250","1700000000000","7"]}}"#,
        )
        .unwrap();
        assert_eq!(disputed_numbers(&item), 4);
    }

    #[test]
    fn the_tree_adds_up_to_the_item() {
        let item: Item = serde_json::from_str(
            r#"{"é":{"S":"語"},"m":{"M":{"k":{"L":[{"NULL":true},{"BOOL":true}]}}},"b":{"B":"AP8="}}"#,
        )
        .unwrap();
        let tree = size_tree(&item);
        assert_eq!(tree.iter().map(|node| node.bytes).sum::<u64>(), item_size(&item).bytes());
        assert_eq!(item_size(&item).bytes(), 5 + (1 + 3 + 1 + 1 + 3 + 2 + 2) + 3);
    }
}
