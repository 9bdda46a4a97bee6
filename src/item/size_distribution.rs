//! How large many items are.

use std::collections::BTreeMap;

use super::ItemSize;
use crate::limits::MAX_ITEM_BYTES;

/// How the sizes of many items are distributed, exactly. It keeps a count for each size that occurs, so that millions
/// of items take no more memory than there are sizes.
///
/// ```
/// use singletable::item::{ItemSize, SizeDistribution};
/// let mut sizes = SizeDistribution::default();
/// (1..=200).for_each(|bytes| sizes.add(ItemSize::from_bytes(bytes)));
/// assert_eq!(sizes.quantile(50), Some(ItemSize::from_bytes(100)));
/// assert_eq!(sizes.quantile(99), Some(ItemSize::from_bytes(198)));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SizeDistribution {
    counts: BTreeMap<ItemSize, u64>,
}

impl SizeDistribution {
    /// Takes one item's size.
    pub fn add(&mut self, size: ItemSize) {
        *self.counts.entry(size).or_insert(0) += 1;
    }

    /// Takes all sizes of another.
    pub fn add_all(&mut self, other: &SizeDistribution) {
        other.counts.iter().for_each(|(size, count)| *self.counts.entry(*size).or_insert(0) += count);
    }

    /// How many items there are.
    pub fn items(&self) -> u64 {
        self.counts.values().sum()
    }

    /// What all of them weigh together.
    pub fn total(&self) -> ItemSize {
        self.counts.iter().map(|(size, count)| ItemSize::from_bytes(size.bytes() * count)).sum()
    }

    /// The smallest size that at least so many percent of the items do not exceed (the nearest rank); 50 is the
    /// median, 100 the largest. `None` where there are no items.
    pub fn quantile(&self, percent: u8) -> Option<ItemSize> {
        let rank = (self.items() * u64::from(percent.min(100))).div_ceil(100).max(1);
        let mut counted = 0;
        self.counts.iter().find_map(|(size, count)| {
            counted += count;
            (counted >= rank).then_some(*size)
        })
    }

    /// How many items are within 10 % of the 400 KB that DynamoDB takes, and not over it.
    pub fn near_limit(&self) -> u64 {
        let tenth = MAX_ITEM_BYTES / 10;
        let near = ItemSize::from_bytes(MAX_ITEM_BYTES - tenth)..=ItemSize::from_bytes(MAX_ITEM_BYTES);
        self.counts.range(near).map(|(_, count)| count).sum()
    }

    /// How many items are larger than DynamoDB takes.
    pub fn over_limit(&self) -> u64 {
        self.counts.range(ItemSize::from_bytes(MAX_ITEM_BYTES + 1)..).map(|(_, count)| count).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(sizes: &[u64]) -> SizeDistribution {
        let mut distribution = SizeDistribution::default();
        sizes.iter().for_each(|bytes| distribution.add(ItemSize::from_bytes(*bytes)));
        distribution
    }

    #[test]
    fn a_quantile_is_the_size_of_an_item() {
        let bytes = |sizes: &[u64], percent| of(sizes).quantile(percent).map(ItemSize::bytes);
        assert_eq!(bytes(&[], 50), None);
        assert_eq!(bytes(&[7], 50), Some(7));
        assert_eq!(bytes(&[1, 2, 3], 50), Some(2));
        assert_eq!(bytes(&[4, 1, 3, 2], 50), Some(2));
        assert_eq!(bytes(&[1, 1, 1, 9], 75), Some(1));
        assert_eq!(bytes(&[1, 1, 1, 9], 99), Some(9));
        assert_eq!(bytes(&[5, 3], 0), Some(3));
    }

    #[test]
    fn the_limit_belongs_to_what_is_near_it() {
        let sizes = of(&[368_639, 368_640, 409_600, 409_601]);
        assert_eq!((sizes.near_limit(), sizes.over_limit(), sizes.items()), (2, 1, 4));
        assert_eq!(sizes.total().bytes(), 368_639 + 368_640 + 409_600 + 409_601);
    }
}
