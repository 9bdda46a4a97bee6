//! Key templates: how a key attribute is made from attributes, and how the attributes are read back from it.

mod error;
mod parse;
mod template;

pub use error::KeyError;
pub(crate) use parse::{ParsedSegment, parse, parse_filtered};
pub use template::{Filter, KeyTemplate, Placeholder, Segment, check_length};
