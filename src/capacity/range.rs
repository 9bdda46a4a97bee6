//! The units of a write between what it takes at least and at most, since AWS does not document how all numbers are
//! stored.

use std::ops::AddAssign;

use super::WriteCapacity;
use crate::item::{Disputed, Item, ItemSize, attributes_size, disputed_in};
use crate::model::Table;
use crate::value::AttributeValue;

/// What a write takes at least and at most: the two are equal unless a number whose size is disputed could tip the
/// table or an index over a KB.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct WriteRange {
    /// With every disputed number as small as a published rule has it.
    pub least: WriteCapacity,
    /// With every disputed number as large as a published rule has it.
    pub most: WriteCapacity,
}

impl WriteRange {
    /// What a write takes that turns `before` into `after`.
    pub fn of_write(table: &Table, before: Option<&Item>, after: Option<&Item>) -> Self {
        let sized = |sizing| WriteCapacity::sized(table, before, after, sizing);
        WriteRange { least: sized(Sizing::Least), most: sized(Sizing::Most) }
    }

    /// Whether there is no doubt.
    pub fn is_exact(&self) -> bool {
        self.least == self.most
    }
}

impl AddAssign<&WriteRange> for WriteRange {
    fn add_assign(&mut self, other: &WriteRange) {
        self.least += &other.least;
        self.most += &other.most;
    }
}

/// Which of the published rules sizes a number where they differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sizing {
    /// The one that all evidence speaks for.
    Likely,
    /// The smaller.
    Least,
    /// The larger.
    Most,
}

impl Sizing {
    pub(super) fn of_item(self, item: &Item) -> ItemSize {
        self.of_attributes(item.0.iter().map(|(name, value)| (name.as_str(), value)))
    }

    pub(super) fn of_attributes<'a>(
        self,
        attributes: impl Iterator<Item = (&'a str, &'a AttributeValue)> + Clone,
    ) -> ItemSize {
        let size = attributes_size(attributes.clone());
        let disputed = || attributes.map(|(_, value)| disputed_in(value)).sum::<Disputed>();
        match self {
            Sizing::Likely => size,
            Sizing::Least => ItemSize::from_bytes(size.bytes() - disputed().smaller),
            Sizing::Most => ItemSize::from_bytes(size.bytes() + disputed().larger),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capacity::WriteUnits;
    use crate::model::{IndexProjection, IndexScope, KeyAttribute, KeySchema, KeyType, SecondaryIndex, TableSettings};

    /// A table whose index carries everything.
    fn table() -> Table {
        let key = |name: &str| KeySchema {
            partition: vec![KeyAttribute { name: name.to_owned(), kind: KeyType::String }],
            sort: Vec::new(),
        };
        let index = SecondaryIndex {
            name: "G".to_owned(),
            scope: IndexScope::Global,
            key: key("g"),
            projection: IndexProjection::All,
        };
        let settings = TableSettings::default();
        let (type_attribute, ttl_attribute) = (None, None);
        Table { name: "one".to_owned(), key: key("k"), type_attribute, ttl_attribute, settings, indexes: vec![index] }
    }

    /// An item of so many bytes with one number that costs 3 bytes, or 2 by the other rule.
    fn item(bytes: usize, number: &str) -> Item {
        let pad = "x".repeat(bytes - "k1g1pn".len() - 3);
        Item::from_iter([("k", "1".into()), ("g", "1".into()), ("p", pad.into()), ("n", number_of(number))])
    }

    fn number_of(text: &str) -> AttributeValue {
        AttributeValue::N(text.parse().unwrap())
    }

    #[test]
    fn a_disputed_number_makes_a_range_only_where_it_tips_a_kilobyte() {
        let units = |item: &Item| {
            let range = WriteRange::of_write(&table(), None, Some(item));
            (range.least.total(), range.most.total(), range.is_exact())
        };
        assert_eq!(units(&item(1024, "120")), (WriteUnits(2), WriteUnits(2), true));
        assert_eq!(units(&item(1025, "120")), (WriteUnits(2), WriteUnits(4), false));
        assert_eq!(units(&item(1025, "12.5")), (WriteUnits(4), WriteUnits(4), true));
    }

    #[test]
    fn the_longest_negative_may_be_a_byte_more() {
        let longest = "-1.2345678901234567890123456789012345678";
        let mut long = item(1024 - 18, longest);
        assert_eq!(crate::item_size(&long).bytes(), 1024);
        let range = WriteRange::of_write(&table(), None, Some(&long));
        assert_eq!((range.least.table, range.most.table), (WriteUnits(1), WriteUnits(2)));
        long.0.remove("g");
        assert!(WriteRange::of_write(&table(), None, Some(&long)).most.indexes.is_empty());
    }
}
