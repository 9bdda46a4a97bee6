//! The port to DynamoDB.

use std::future::Future;

use super::StoreError;
use crate::capacity::{ReadUnits, WriteCapacity};
use crate::expression::Condition;
use crate::fanout::UpdateRequest;
use crate::item::Item;

/// The requests that this crate makes of one table.
///
/// Retrying what may pass is the implementation's business; an error that comes out is final.
pub trait Store: Send + Sync {
    /// Reads one page.
    fn query(&self, query: &Query) -> impl Future<Output = Result<Page, StoreError>> + Send;

    /// Reads items by their keys, strongly consistent; those that are not there are left out.
    fn fetch(&self, keys: &[Item]) -> impl Future<Output = Result<Fetched, StoreError>> + Send;

    /// Writes a whole item, where all conditions hold.
    fn put(&self, item: &Item, conditions: &[Condition]) -> impl Future<Output = Result<Written, WriteError>> + Send;

    /// Changes an item where its condition holds.
    fn update(&self, request: &UpdateRequest) -> impl Future<Output = Result<Written, WriteError>> + Send;
}

/// One page of a partition, or of the whole table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Query {
    /// The index; `None` for the table itself, which is read strongly.
    pub index: Option<String>,
    /// The partition key; `None` for every partition of the table: a scan.
    pub partition: Option<Item>,
    /// Where the page before ended.
    pub start: Option<Item>,
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
