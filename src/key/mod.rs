//! Key templates: how a key attribute is made from attributes, and how the attributes are read back from it.

mod error;
mod parse;
mod template;

pub use error::KeyError;
pub(crate) use parse::{ParsedSegment, parse};
pub use template::{Filter, KeyTemplate, Placeholder, Segment, check_length};

/// The longest a partition key may be, in bytes. Source: *Quotas in Amazon DynamoDB*.
pub const MAX_PARTITION_KEY_BYTES: usize = 2048;
/// The longest a sort key may be, in bytes. Source: *Quotas in Amazon DynamoDB*.
pub const MAX_SORT_KEY_BYTES: usize = 1024;
