//! How large an item may be that an update makes.

use crate::item::{ItemSize, attributes_size};
use crate::limits::MAX_ITEM_BYTES;
use crate::value::{AttributePath, AttributeValue, Step};

/// Regions in which an UpdateItem is held to the finished item alone, as the guide says. Measured on AWS by others, last
/// in October 2026; in 22 other regions the statement counts, too.
const FINISHED_ITEM_ALONE: [&str; 10] = [
    "ap-south-2",
    "ap-southeast-6",
    "ap-southeast-7",
    "ca-central-1",
    "eu-central-2",
    "eu-south-1",
    "eu-south-2",
    "eu-west-1",
    "me-central-1",
    "us-east-2",
];

/// What counts towards the 400 KB of an UpdateItem.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UpdateRule {
    /// The finished item.
    FinishedItem,
    /// The larger of the finished item and what the statement writes with its clauses.
    Statement,
}

impl UpdateRule {
    /// The rule of a region; of one that nobody measured, the stricter.
    pub fn of_region(region: &str) -> Self {
        match FINISHED_ITEM_ALONE.contains(&region) {
            true => UpdateRule::FinishedItem,
            false => UpdateRule::Statement,
        }
    }

    /// Whether an update is taken that makes an item of that size. It changes nothing of what the update costs.
    pub fn takes(self, finished: ItemSize, statement: StatementSize) -> bool {
        let counted = match self {
            UpdateRule::FinishedItem => finished.bytes(),
            UpdateRule::Statement => finished.bytes().max(statement.bytes),
        };
        counted <= MAX_ITEM_BYTES
    }
}

/// What an update's statement weighs: what it writes, and so much for each clause.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StatementSize {
    bytes: u64,
}

impl StatementSize {
    const STATEMENT: u64 = 3;
    const VALUE: u64 = 19;
    const REMOVED: u64 = 1;

    /// Of an update that sets values and removes others.
    pub fn of(set: &[(AttributePath, AttributeValue)], remove: &[AttributePath]) -> Self {
        let written = set.iter().map(|(path, value)| {
            let own_name = path.steps().last().and_then(Step::name).unwrap_or_default();
            Self::VALUE + attributes_size([(own_name, value)].into_iter()).bytes()
        });
        let removed = remove.iter().map(|path| {
            let names = path.steps().iter().filter_map(Step::name);
            Self::REMOVED + names.map(|name| name.len() as u64).sum::<u64>()
        });
        StatementSize { bytes: Self::STATEMENT + written.sum::<u64>() + removed.sum::<u64>() }
    }

    /// In bytes.
    pub fn bytes(self) -> u64 {
        self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::item::{Item, item_size};

    /// An update that sets `b` in an item with a key of so many bytes, such that the finished item has so many.
    fn takes(rule: UpdateRule, key: usize, finished: usize) -> bool {
        let value: AttributeValue = "x".repeat(finished - "pk".len() - key - "b".len()).into();
        let item = Item::from_iter([("pk", "k".repeat(key).into()), ("b", value.clone())]);
        assert_eq!(item_size(&item).bytes(), finished as u64);
        rule.takes(item_size(&item), StatementSize::of(&[(AttributePath::top_level("b"), value)], &[]))
    }

    #[test]
    fn a_statement_counts_with_its_clauses_where_the_region_counts_it() {
        let (flat, counted) = (UpdateRule::of_region("eu-west-1"), UpdateRule::of_region("eu-central-1"));
        assert!(takes(counted, 1, 409_581) && !takes(counted, 1, 409_582));
        assert!(takes(counted, 100, 409_600) && !takes(counted, 100, 409_601));
        assert!(takes(flat, 1, 409_600) && !takes(flat, 1, 409_601));
        assert_eq!(UpdateRule::of_region("xx-new-1"), UpdateRule::Statement);
    }
}
