//! What an entity's attributes may hold.

use serde::Serialize;

use super::AttributePath;

/// A declared attribute, or a field of a map.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Attribute {
    /// Its name in the item.
    pub name: String,
    /// What it holds.
    #[serde(flatten)]
    pub kind: AttributeType,
    /// Whether an item that we build may lack it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub optional: bool,
}

/// The type of a value, with what bounds it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "type", rename_all = "kebab-case")]
pub enum AttributeType {
    /// Text.
    String {
        /// The longest it may be, in UTF-8 bytes.
        #[serde(skip_serializing_if = "Option::is_none")]
        max_bytes: Option<u64>,
        /// The only values it may have; empty when it may have any.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        values: Vec<String>,
    },
    /// A decimal number of up to 38 digits.
    Number,
    /// Bytes.
    Binary {
        /// The longest it may be, in bytes.
        #[serde(skip_serializing_if = "Option::is_none")]
        max_bytes: Option<u64>,
    },
    /// True or false.
    Boolean,
    /// Always null.
    Null,
    /// An RFC 3339 UTC string of fixed precision, so that it sorts.
    Timestamp {
        /// How many digits the seconds' fraction has.
        precision: Precision,
    },
    /// A number of seconds since 1970.
    Epoch,
    /// A list.
    List {
        /// What its elements are, where that is declared.
        #[serde(skip_serializing_if = "Option::is_none")]
        of: Option<Box<AttributeType>>,
        /// How many it may have.
        #[serde(skip_serializing_if = "Option::is_none")]
        max_items: Option<u64>,
    },
    /// A map with the fields declared; without any, its fields are free.
    Map {
        /// Its fields.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        attributes: Vec<Attribute>,
        /// How many fields a free map may have.
        #[serde(skip_serializing_if = "Option::is_none")]
        max_items: Option<u64>,
    },
    /// A set of strings, numbers or byte strings.
    Set {
        /// What its members are.
        of: SetMember,
        /// How many it may have.
        #[serde(skip_serializing_if = "Option::is_none")]
        max_items: Option<u64>,
    },
    /// Anything.
    Any,
}

/// What a set's members are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum SetMember {
    /// Strings.
    String,
    /// Numbers.
    Number,
    /// Byte strings.
    Binary,
}

/// How exact a timestamp is. It is fixed, because only strings of one length sort by time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Precision {
    /// `2026-12-01T09:30:00Z`
    Seconds,
    /// `2026-12-01T09:30:00.250Z`
    Milliseconds,
}

impl AttributeType {
    /// The word for it in a definition.
    pub fn name(&self) -> &'static str {
        match self {
            Self::String { .. } => "string",
            Self::Number => "number",
            Self::Binary { .. } => "binary",
            Self::Boolean => "boolean",
            Self::Null => "null",
            Self::Timestamp { .. } => "timestamp",
            Self::Epoch => "epoch",
            Self::List { .. } => "list",
            Self::Map { .. } => "map",
            Self::Set { of: SetMember::String, .. } => "string-set",
            Self::Set { of: SetMember::Number, .. } => "number-set",
            Self::Set { of: SetMember::Binary, .. } => "binary-set",
            Self::Any => "any",
        }
    }

    /// Whether a key template's placeholder can take it.
    pub fn fits_a_placeholder(&self) -> bool {
        matches!(self, Self::String { .. } | Self::Number | Self::Boolean | Self::Timestamp { .. } | Self::Epoch)
    }

    /// Whether values of the two types are stored as the same DynamoDB type, so that one can be a copy of the other.
    pub fn is_stored_like(&self, other: &Self) -> bool {
        fn storage(kind: &AttributeType) -> &'static str {
            match kind {
                AttributeType::Timestamp { .. } => "string",
                AttributeType::Epoch => "number",
                other => other.name(),
            }
        }
        matches!(self, Self::Any) || matches!(other, Self::Any) || storage(self) == storage(other)
    }

    /// The declared fields, where it is a map that has some.
    pub fn fields(&self) -> &[Attribute] {
        match self {
            Self::Map { attributes, .. } => attributes,
            _ => &[],
        }
    }
}

/// Where a dotted path leads among declared attributes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resolved<'a> {
    /// The path, in names as they stand in the item.
    pub path: AttributePath,
    /// The type of what stands there.
    pub kind: &'a AttributeType,
    /// Whether anything on the way may be absent.
    pub optional: bool,
}

/// Finds `byline.name` among declared attributes. A name that itself has dots in it is preferred over a path.
pub fn resolve<'a>(attributes: &'a [Attribute], text: &str) -> Option<Resolved<'a>> {
    fn descend<'a>(attributes: &'a [Attribute], text: &str, above: Option<&AttributePath>) -> Option<Resolved<'a>> {
        let here = |name: &str| match above {
            Some(path) => path.child(name),
            None => AttributePath::top_level(name),
        };
        if let Some(found) = attributes.iter().find(|attribute| attribute.name == text) {
            return Some(Resolved { path: here(text), kind: &found.kind, optional: found.optional });
        }
        attributes.iter().find_map(|attribute| {
            let rest = text.strip_prefix(attribute.name.as_str())?.strip_prefix('.')?;
            let inner = descend(attribute.kind.fields(), rest, Some(&here(&attribute.name)))?;
            Some(Resolved { optional: inner.optional || attribute.optional, ..inner })
        })
    }
    descend(attributes, text, None)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(name: &str) -> Attribute {
        Attribute {
            name: name.into(),
            kind: AttributeType::String { max_bytes: None, values: Vec::new() },
            optional: false,
        }
    }

    fn map(name: &str, attributes: Vec<Attribute>) -> Attribute {
        Attribute { name: name.into(), kind: AttributeType::Map { attributes, max_items: None }, optional: true }
    }

    #[test]
    fn a_path_is_found_through_maps_and_is_optional_when_any_step_is() {
        let attributes = [text("id"), map("byline", vec![text("name")])];
        let found = resolve(&attributes, "byline.name").unwrap();
        assert_eq!(found.path, AttributePath::top_level("byline").child("name"));
        assert!(found.optional);
        assert!(!resolve(&attributes, "id").unwrap().optional);
        assert_eq!(resolve(&attributes, "byline.nom"), None);
        assert_eq!(resolve(&attributes, "id.name"), None);
    }

    #[test]
    fn a_name_with_a_dot_is_one_step() {
        let attributes = [text("a.b"), map("a", vec![text("b")])];
        assert_eq!(resolve(&attributes, "a.b").unwrap().path, AttributePath::top_level("a.b"));
    }
}
