//! What can be wrong with a value.

use crate::limits::MAX_NAME_BYTES;

/// One thing that is wrong with a value.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ValueProblem {
    /// A required attribute is not there.
    #[error("`{0}` is missing")]
    Missing(String),
    /// A value has another type than the definition says.
    #[error("`{path}` must be {} {expected}, and is a {found}", if expected.starts_with(['a', 'e']) { "an" } else { "a" })]
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
    /// A time is past the year 3000.
    #[error("`{0}` is past the year 3000, as a time in milliseconds would be; it is in seconds since 1970")]
    FarOff(String),
    /// A set is empty, which DynamoDB refuses.
    #[error("`{0}` is an empty set, which DynamoDB cannot store: leave it out")]
    EmptySet(String),
    /// A set has a member twice.
    #[error("`{0}` is a set, and has a member twice")]
    MemberTwice(String),
    /// A value is nested deeper than DynamoDB takes.
    #[error("`{0}` is nested deeper than the 32 levels that DynamoDB takes")]
    TooDeep(String),
    /// A name is empty or too long.
    #[error("an attribute's name has {0} bytes, and must have 1 to {MAX_NAME_BYTES}")]
    Name(usize),
    /// The place where an attribute is stored is taken by something that is not declared.
    #[error("`{0}` stands where the definition stores another attribute: leave it out")]
    PlaceTaken(String),
}
