//! The port to DynamoDB.
//!
//! # Its shape
//!
//! Three methods, and what they take is data: [`Query`] says what a page is read from, a list of keys which items, and
//! [`Write`] what is written under which conditions. Conditions and updates arrive as they are meant, not as
//! expressions; the store renders them in whatever words its requests have. So that what comes next is an addition:
//!
//! - Another way to read pages (a range of sort keys, a limit, a direction) is a field of
//!   [`Query`], which is made by its constructors and whose fields have defaults.
//! - Another write of one item (a delete; a check that writes nothing, as a transaction takes) is a variant of
//!   [`Write`], which is not exhaustive.
//! - Several writes in one request (a batch of statements, a transaction) are a method over a slice of [`Write`],
//!   with an answer for each, whose default answers [`StoreError::Unsupported`]: a store need not have it, and whoever
//!   asks for it learns so before anything is written.
//!
//! A store around another one, for a bound or for faults, therefore wraps three methods and nothing else.

use std::future::Future;

use super::StoreError;
use crate::capacity::{ReadUnits, WriteCapacity};
use crate::expression::Condition;
use crate::fanout::GuardedUpdate;
use crate::item::Item;

/// The requests that this crate makes of one table.
///
/// Retrying what may pass is the implementation's business; an error that comes out is final.
pub trait Store: Send + Sync {
    /// Reads one page.
    fn query(&self, query: &Query) -> impl Future<Output = Result<Page, StoreError>> + Send;

    /// Reads items by their keys, strongly consistent; those that are not there are left out. Up to
    /// [`MAX_BATCH_GET`](crate::limits::MAX_BATCH_GET) keys are one request.
    fn fetch(&self, keys: &[Item]) -> impl Future<Output = Result<Fetched, StoreError>> + Send;

    /// Writes one item, where all conditions hold.
    fn write(&self, write: Write<'_>) -> impl Future<Output = Result<Written, WriteError>> + Send;
}

/// One page of a partition, or of the whole table.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Query {
    /// The index; `None` for the table itself.
    pub index: Option<String>,
    /// The partition key; `None` for every partition: a scan.
    pub partition: Option<Item>,
    /// Where the page before ended.
    pub start: Option<Item>,
    /// Of a scan, the one of so many segments that is read; `None` for all.
    pub segment: Option<Segment>,
    /// Whether it sees every write that succeeded before, at twice the units; a global index never does.
    pub consistent: bool,
}

/// A part of a table, by its partition keys' hashes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Segment {
    /// Which one, counted from 0.
    pub number: u32,
    /// Of how many.
    pub of: u32,
}

impl Query {
    /// The first page of a partition of the table, or of an index.
    pub fn partition(index: Option<String>, key: Item) -> Self {
        Query { consistent: index.is_none(), index, partition: Some(key), start: None, segment: None }
    }

    /// The first page of the whole table.
    pub fn scan() -> Self {
        Query { index: None, partition: None, start: None, segment: None, consistent: true }
    }

    /// The same of one segment.
    #[must_use]
    pub fn segment(mut self, segment: Segment) -> Self {
        self.segment = Some(segment);
        self
    }

    /// The same at half the units, which may miss the latest writes.
    #[must_use]
    pub fn eventually(mut self) -> Self {
        self.consistent = false;
        self
    }

    /// The page that starts there.
    #[must_use]
    pub fn from(mut self, start: Option<Item>) -> Self {
        self.start = start;
        self
    }
}

/// One item's write, and the conditions that must hold for it to be made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Write<'a> {
    /// A whole item takes the place of whatever has its key.
    Put {
        /// The item.
        item: &'a Item,
        /// All of them must hold of what stands there.
        conditions: &'a [Condition],
    },
    /// Attributes of an item are set, removed and added to, while its guard holds.
    Update(&'a GuardedUpdate),
}

/// What a page holds.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Page {
    /// The items or index entries. A page may hold none and still not be the last.
    pub items: Vec<Item>,
    /// Where the next page starts; `None` after the last.
    pub next: Option<Item>,
    /// What reading it took.
    pub consumed: ReadUnits,
}

/// Items that were read by their keys.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Fetched {
    /// Those that are there, in no particular order.
    pub items: Vec<Item>,
    /// What reading them took.
    pub consumed: ReadUnits,
}

/// What a write took.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Written {
    /// On the table and its indexes, as far as the engine tells.
    pub consumed: WriteCapacity,
}

/// Why a write was not made.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WriteError {
    /// Its condition did not hold.
    #[error("its condition did not hold")]
    Refused {
        /// The item that stood there; `None` where there was none.
        item: Option<Item>,
        /// What it took to find that out, where the engine does not tell with the refusal.
        consumed: ReadUnits,
    },
    /// It failed, and may or may not have been made.
    #[error(transparent)]
    Failed(#[from] StoreError),
}
