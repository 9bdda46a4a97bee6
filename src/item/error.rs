//! Why attributes do not make an item.

use std::fmt;

use serde::Serialize;

use super::ItemSize;
use crate::key::KeyError;
use crate::limits::MAX_ITEM_BYTES;
use crate::model::ValueProblem;

/// Why attributes do not make an item of an entity: everything that is wrong, in one sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ItemError {
    /// The entity.
    pub entity: String,
    /// What is wrong; there is at least one.
    pub problems: Vec<ItemProblem>,
}

impl ItemError {
    /// The item's size and what weighs most in it, where nothing else is wrong than that it is too large.
    pub fn only_too_large(&self) -> Option<(ItemSize, &[PathBytes])> {
        match self.problems.as_slice() {
            [ItemProblem::TooLarge { size, heaviest }] => Some((*size, heaviest)),
            _ => None,
        }
    }
}

impl std::error::Error for ItemError {}

impl fmt::Display for ItemError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let problems: Vec<String> = self.problems.iter().map(ToString::to_string).collect();
        write!(f, "this is no {}: {}", self.entity, problems.join("; "))
    }
}

/// One thing that is wrong with an item.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ItemProblem {
    /// A value is not what the definition says.
    #[error(transparent)]
    Value(#[from] ValueProblem),
    /// The definition names no such attribute, and takes no others.
    #[error("`{0}` is not declared, and the table takes no unknown attributes")]
    Unknown(String),
    /// The attribute is the tool's to write.
    #[error("`{0}` is made by the definition: leave it out")]
    Made(String),
    /// An attribute that is no part of the primary key was given for one.
    #[error("`{name}` is no part of its key, which is made from {key}")]
    NotKey {
        /// The attribute.
        name: String,
        /// What the key is made from.
        key: String,
    },
    /// A key cannot be made.
    #[error(transparent)]
    Key(#[from] KeyError),
    /// The item is over 400 KB.
    #[error(
        "the item would be {size}, {} over: DynamoDB takes at most {MAX_ITEM_BYTES} bytes; heaviest: {}",
        .size.bytes().saturating_sub(MAX_ITEM_BYTES),
        heaviest_text(.heaviest)
    )]
    TooLarge {
        /// What the item would weigh.
        size: ItemSize,
        /// What weighs most.
        heaviest: Vec<PathBytes>,
    },
    /// The item is over 400 KB together with its entries in local indexes. Source: *Local secondary indexes, item
    /// collections* in the developer guide.
    #[error(
        "the item would be {size}, and its entries in local indexes {entries} more: DynamoDB takes at most \
         {MAX_ITEM_BYTES} bytes together; heaviest: {}",
        heaviest_text(.heaviest)
    )]
    TooLargeWithEntries {
        /// What the item itself would weigh.
        size: ItemSize,
        /// What its entries would weigh.
        entries: ItemSize,
        /// What weighs most.
        heaviest: Vec<PathBytes>,
    },
}

/// A path into an item, and what the part that stands there weighs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PathBytes {
    /// The path, with list positions: `comments[3].text`.
    pub path: String,
    /// Its weight in bytes.
    pub bytes: u64,
}

pub(crate) fn heaviest_text(heaviest: &[PathBytes]) -> String {
    let texts: Vec<String> = heaviest.iter().map(|one| format!("`{}` {} bytes", one.path, one.bytes)).collect();
    texts.join(", ")
}
