//! Why attributes do not make an item.

use std::fmt;

use super::ItemSize;
use crate::key::KeyError;
use crate::limits::{MAX_ITEM_BYTES, MAX_NAME_BYTES};
use crate::model::AttributePath;

/// Why attributes do not make an item of an entity: everything that is wrong, in one sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ItemError {
    /// The entity.
    pub entity: String,
    /// What is wrong; there is at least one.
    pub problems: Vec<ItemProblem>,
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
    /// A required attribute is not there.
    #[error("`{0}` is missing")]
    Missing(AttributePath),
    /// A value has another type than the definition says.
    #[error("`{path}` must be a {expected}, and is a {found}")]
    WrongType {
        /// Where.
        path: String,
        /// The declared type.
        expected: &'static str,
        /// The type that was found.
        found: &'static str,
    },
    /// A text is not what its type needs.
    #[error("`{path}` is {text:?}, and {wanted}")]
    WrongText {
        /// Where.
        path: String,
        /// The text.
        text: String,
        /// What was wanted, as the end of the sentence.
        wanted: String,
    },
    /// A value is longer than `max_bytes`.
    #[error("`{path}` has {bytes} bytes, and may have at most {limit} bytes")]
    TooLong {
        /// Where.
        path: String,
        /// Its length in bytes.
        bytes: usize,
        /// The bound.
        limit: u64,
    },
    /// There are more elements than `max_items`.
    #[error("`{path}` has {items} items, and may have at most {limit}")]
    TooMany {
        /// Where.
        path: String,
        /// How many there are.
        items: usize,
        /// The bound.
        limit: u64,
    },
    /// A set is empty, which DynamoDB refuses.
    #[error("`{0}` is an empty set, which DynamoDB cannot store: leave it out")]
    EmptySet(String),
    /// A set has a member twice.
    #[error("`{0}` is a set, and has a member twice")]
    MemberTwice(String),
    /// A value is nested deeper than DynamoDB takes.
    #[error("`{0}` is nested deeper than the 32 levels that DynamoDB takes")]
    TooDeep(String),
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
    /// A name is empty or too long.
    #[error("an attribute's name has {0} bytes, and must have 1 to {MAX_NAME_BYTES}")]
    Name(usize),
    /// A key cannot be made.
    #[error(transparent)]
    Key(#[from] KeyError),
    /// The item is over 400 KB.
    #[error("the item would be {size}, and DynamoDB takes at most {MAX_ITEM_BYTES} bytes; heaviest: {}", heaviest_text(.heaviest))]
    TooLarge {
        /// What the item would weigh.
        size: ItemSize,
        /// What weighs most.
        heaviest: Vec<PathBytes>,
    },
}

/// A path into an item and what stands there weighs.
#[derive(Debug, Clone, PartialEq, Eq)]
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
