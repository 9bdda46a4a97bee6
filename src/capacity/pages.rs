//! A query or a scan of more than one page.

use super::{Consistency, ReadCapacity, ReadUnits};
use crate::item::ItemSize;
use crate::limits::MAX_PAGE_BYTES;

/// What a query or a scan goes through, page by page. Each page is rounded by itself.
///
/// Where exactly a page ends near 1 MB is not documented: there may be one page more or less than it says.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Pages {
    full: Vec<ItemSize>,
    last: u64,
    items: u64,
}

impl Pages {
    /// Adds the next item or index entry.
    pub fn add(&mut self, size: ItemSize) {
        if self.last + size.bytes() > MAX_PAGE_BYTES && self.last > 0 {
            self.full.push(ItemSize::from_bytes(self.last));
            self.last = 0;
        }
        self.last += size.bytes();
        self.items += 1;
    }

    /// How many items or entries there are.
    pub fn items(&self) -> u64 {
        self.items
    }

    /// The size of each page; there is one at least.
    pub fn sizes(&self) -> impl Iterator<Item = ItemSize> {
        self.full.iter().copied().chain([ItemSize::from_bytes(self.last)])
    }

    /// What all pages weigh.
    pub fn total(&self) -> ItemSize {
        self.sizes().sum()
    }

    /// What reading all of it takes, from an index or from the table.
    pub fn read(&self, index: Option<&str>, consistency: Consistency) -> ReadCapacity {
        let mut all = ReadCapacity::default();
        self.sizes().for_each(|size| all += &ReadCapacity::of_page(index, size, consistency));
        all
    }

    /// What the dearest page takes.
    pub fn largest_page(&self, consistency: Consistency) -> ReadUnits {
        self.sizes().map(|size| ReadUnits::for_size(size, consistency)).max().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_page_is_rounded_by_itself_and_there_is_always_one() {
        let of = |sizes: &[u64]| {
            let mut pages = Pages::default();
            sizes.iter().for_each(|bytes| pages.add(ItemSize::from_bytes(*bytes)));
            let halves = |consistency| pages.read(None, consistency).total().halves();
            (pages.sizes().count(), halves(Consistency::Eventual), halves(Consistency::Strong))
        };
        assert_eq!(of(&[]), (1, 1, 2));
        assert_eq!(of(&[4096]), (1, 1, 2));
        assert_eq!(of(&[4096, 1]), (1, 2, 4));
        assert_eq!(of(&[400_000; 3]), (2, 196 + 98, 2 * (196 + 98)));
        assert_eq!(of(&[1_048_576, 1]), (2, 257, 514));
    }
}
