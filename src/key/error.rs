use crate::value::AttributePath;

/// Why attributes do not make a key.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum KeyError {
    /// An attribute that a primary key is made from is not there.
    #[error("{key} cannot be made: `{path}` is missing")]
    Missing {
        /// The key attribute.
        key: String,
        /// The attribute that it needs.
        path: AttributePath,
    },
    /// An attribute is empty, so the key would be a bare prefix, or empty itself.
    #[error("{key} cannot be made: `{path}` is empty")]
    Empty {
        /// The key attribute.
        key: String,
        /// The attribute that is empty.
        path: AttributePath,
    },
    /// Reading the key back would cut the value in the wrong place, so two items could share a key.
    #[error(
        "{key} would be ambiguous: `{path}` is {value:?}, and the template {template:?} goes on with {literal:?} after \
         it, so the key could be read back in two ways"
    )]
    Ambiguous {
        /// The key attribute.
        key: String,
        /// The attribute whose value does it.
        path: AttributePath,
        /// Its value.
        value: String,
        /// What follows its placeholder.
        literal: String,
        /// The whole template.
        template: String,
    },
    /// A number is wider than its padding.
    #[error("{key} cannot be made: `{path}` is {value}, which is wider than the {width} digits its template pads to")]
    TooWide {
        /// The key attribute.
        key: String,
        /// The attribute.
        path: AttributePath,
        /// Its value.
        value: String,
        /// The width of the padding.
        width: usize,
    },
    /// Only a whole number that is not negative can be padded so that it sorts.
    #[error("{key} cannot be made: `{path}` is {value}, and only a whole number of 0 or more can be zero-padded")]
    NotPaddable {
        /// The key attribute.
        key: String,
        /// The attribute.
        path: AttributePath,
        /// Its value.
        value: String,
    },
    /// A list, map, set, binary or null cannot stand in a key.
    #[error("{key} cannot be made: `{path}` is a {found}, which cannot stand in a key")]
    NotText {
        /// The key attribute.
        key: String,
        /// The attribute.
        path: AttributePath,
        /// Its type.
        found: &'static str,
    },
    /// An attribute that is itself a key has another type than the key.
    #[error("{key} is a {expected} key, and this is a {found}")]
    WrongType {
        /// The key attribute.
        key: String,
        /// The key's type.
        expected: &'static str,
        /// The value's type.
        found: &'static str,
    },
    /// The key is longer than DynamoDB takes.
    #[error("{key} would be {bytes} bytes long, and DynamoDB takes at most {limit} bytes there")]
    TooLong {
        /// The key attribute.
        key: String,
        /// How long it would be, in bytes.
        bytes: usize,
        /// How long it may be, in bytes.
        limit: usize,
    },
}
