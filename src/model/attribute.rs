//! What an entity's attributes may hold.

use serde::Serialize;

use super::{AttributePath, KeyType, Rate};
use crate::value::{AttributeValue, Attributes, Number, Step};

/// A declared attribute, or a field of a map.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Attribute {
    /// Its name, as people give it.
    pub name: String,
    /// Where the item keeps it, or the map that it is a field of.
    pub stored: Storage,
    /// What it holds.
    #[serde(flatten)]
    pub kind: AttributeType,
    /// Whether an item that we build may lack it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub optional: bool,
    /// What it holds where nobody says so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fill: Option<Fill>,
    /// How often it changes in one item; no part of the layout.
    #[serde(skip)]
    pub changes: Option<Rate>,
}

/// Where an item keeps an attribute.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Storage {
    /// Here: under its own name, unless the definition says otherwise.
    At(AttributePath),
    /// Only inside a key, from which it is read back.
    KeyOnly,
}

/// What an attribute holds where nobody says so, as people would give it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Fill {
    /// This, where it is absent.
    Default(AttributeValue),
    /// This, always.
    Constant(AttributeValue),
}

impl Fill {
    /// The value.
    pub fn value(&self) -> &AttributeValue {
        match self {
            Fill::Default(value) | Fill::Constant(value) => value,
        }
    }
}

impl Attribute {
    /// Where its value stands below the place of the map that it is a field of; a value that only a key holds
    /// stands, for those who look for it, under its own name.
    pub fn place(&self) -> AttributePath {
        match &self.stored {
            Storage::At(place) => place.clone(),
            Storage::KeyOnly => AttributePath::top_level(&self.name),
        }
    }
}

/// The type of a value, with what bounds it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "type", rename_all = "kebab-case")]
pub enum AttributeType {
    /// Text.
    String(StringRules),
    /// A decimal number of up to 38 digits.
    Number {
        /// The only values it may have; empty when it may have any.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        values: Vec<EnumValue<Number>>,
    },
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
        /// What the values of free fields are, where that is declared.
        #[serde(skip_serializing_if = "Option::is_none")]
        of: Option<Box<AttributeType>>,
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

/// What a string may be.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct StringRules {
    /// The longest it may be, in UTF-8 bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_bytes: Option<u64>,
    /// The only values it may have; empty when it may have any.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub values: Vec<EnumValue<String>>,
    /// It begins with one of these, where there are any.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub starts_with: Vec<String>,
    /// None of these occurs in it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub excludes: Vec<String>,
    /// How many characters it has.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub length: Option<u64>,
}

/// One value of an enumeration.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct EnumValue<T> {
    /// What people call it.
    pub name: String,
    /// What the item holds.
    pub code: T,
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
            Self::String(_) => "string",
            Self::Number { .. } => "number",
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
        matches!(self, Self::String(_) | Self::Number { .. } | Self::Boolean | Self::Timestamp { .. } | Self::Epoch)
    }

    /// Whether its values can be a key of that type as they are.
    pub fn can_be_key(&self, key: KeyType) -> bool {
        match key {
            KeyType::String => matches!(self, Self::String(_) | Self::Timestamp { .. }),
            KeyType::Number => matches!(self, Self::Number { .. } | Self::Epoch),
            KeyType::Binary => matches!(self, Self::Binary { .. }),
        }
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

    /// How many characters its text has in a key, where that is fixed.
    pub fn fixed_characters(&self) -> Option<usize> {
        match self {
            Self::Timestamp { precision } => Some(precision.characters()),
            Self::String(rules) => rules.length.and_then(|length| usize::try_from(length).ok()),
            _ => None,
        }
    }

    /// Whether what a stored value of one stands for is what it stands for in the other: two enumerations with other
    /// codes, or the codes of one as the plain text of the other, are no copies of each other.
    pub fn means_the_same_as(&self, other: &Self) -> bool {
        fn agree<T: PartialEq + ToString>(ours: &[EnumValue<T>], theirs: &[EnumValue<T>]) -> bool {
            let is_coded = |values: &[EnumValue<T>]| values.iter().any(|one| one.name != one.code.to_string());
            match (ours.is_empty(), theirs.is_empty()) {
                (false, false) => theirs
                    .iter()
                    .all(|theirs| ours.iter().all(|ours| (ours.name == theirs.name) == (ours.code == theirs.code))),
                (true, _) => !is_coded(theirs),
                (_, true) => !is_coded(ours),
            }
        }
        match (self, other) {
            (Self::String(ours), Self::String(theirs)) => agree(&ours.values, &theirs.values),
            (Self::Number { values: ours }, Self::Number { values: theirs }) => agree(ours, theirs),
            _ => true,
        }
    }

    /// The declared fields, where it is a map that has some.
    pub fn fields(&self) -> &[Attribute] {
        match self {
            Self::Map { attributes, .. } => attributes,
            _ => &[],
        }
    }
}

impl Precision {
    /// How many characters such a timestamp has.
    pub fn characters(self) -> usize {
        match self {
            Precision::Seconds => "2026-12-01T09:30:00Z".len(),
            Precision::Milliseconds => "2026-12-01T09:30:00.250Z".len(),
        }
    }
}

/// Where a dotted path leads among declared attributes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resolved<'a> {
    /// The path, in names as they stand in the item.
    pub path: AttributePath,
    /// The path, in the names that the definition gives.
    pub named: AttributePath,
    /// The type of what stands there.
    pub kind: &'a AttributeType,
    /// Whether anything on the way may be absent.
    pub optional: bool,
    /// Whether it always holds the same.
    pub is_constant: bool,
}

/// Finds `byline.name` among declared attributes. A name that itself has dots in it is preferred over a path.
pub fn resolve<'a>(attributes: &'a [Attribute], text: &str) -> Option<Resolved<'a>> {
    if let Some(found) = attributes.iter().find(|attribute| attribute.name == text) {
        let named = AttributePath::top_level(text);
        let is_constant = matches!(found.fill, Some(Fill::Constant(_)));
        return Some(Resolved { path: found.place(), named, kind: &found.kind, optional: found.optional, is_constant });
    }
    attributes.iter().find_map(|attribute| {
        let rest = text.strip_prefix(attribute.name.as_str())?.strip_prefix('.')?;
        let inner = match &attribute.kind {
            // Whatever comes behind the dot is the name of a free field.
            AttributeType::Map { attributes, of, .. } if attributes.is_empty() && !rest.is_empty() => Resolved {
                path: AttributePath::top_level(rest),
                named: AttributePath::top_level(rest),
                kind: of.as_deref().unwrap_or(&AttributeType::Any),
                optional: true,
                is_constant: false,
            },
            kind => resolve(kind.fields(), rest)?,
        };
        let named = AttributePath::top_level(&attribute.name).join(&inner.named);
        let (path, optional) = (attribute.place().join(&inner.path), inner.optional || attribute.optional);
        Some(Resolved { path, named, optional, ..inner })
    })
}

/// The declaration of what stands at a place of an item.
pub(super) fn declared_at<'a>(attributes: &'a [Attribute], place: &AttributePath) -> Option<Resolved<'a>> {
    fn descend<'a>(kind: &'a AttributeType, optional: bool, rest: &[Step]) -> Option<(&'a AttributeType, bool)> {
        match (rest, kind) {
            ([], kind) => Some((kind, optional)),
            ([Step::Element(_), rest @ ..], AttributeType::List { of: Some(of), .. }) => descend(of, optional, rest),
            ([Step::Name(_), after @ ..], AttributeType::Map { attributes, of, .. }) => {
                match (attributes.as_slice(), of) {
                    ([], Some(of)) => descend(of, true, after),
                    (fields, _) => find(fields, rest, optional),
                }
            }
            _ => None,
        }
    }
    fn find<'a>(attributes: &'a [Attribute], steps: &[Step], optional: bool) -> Option<(&'a AttributeType, bool)> {
        attributes.iter().find_map(|attribute| {
            let place = attribute.place();
            let rest = steps.strip_prefix(place.steps())?;
            descend(&attribute.kind, optional || attribute.optional, rest)
        })
    }
    let (kind, optional) = find(attributes, place.steps(), false)?;
    Some(Resolved { path: place.clone(), named: place.clone(), kind, optional, is_constant: false })
}

/// An item's attributes by the names that people give them, with enumerations by their names: the inverse of what
/// building an item does to them. What is not declared is left as it is.
pub(crate) fn named(declared: &[Attribute], mut stored: Attributes) -> Attributes {
    let mut names = Attributes::new();
    for attribute in declared {
        let place = attribute.place();
        let Some(value) = place.get(&stored).cloned() else { continue };
        place.remove(&mut stored);
        names.insert(attribute.name.clone(), named_value(&attribute.kind, value));
    }
    // A map that was there only to hold attributes under other names is no attribute of its own.
    let holds_others =
        |name: &str| declared.iter().any(|one| one.place().root() == name && one.place().steps().len() > 1);
    let is_empty = |value: &AttributeValue| matches!(value, AttributeValue::M(fields) if fields.is_empty());
    stored.retain(|name, value| !(holds_others(name) && is_empty(value)));
    for (name, value) in stored {
        names.entry(name).or_insert(value);
    }
    names
}

fn named_value(kind: &AttributeType, value: AttributeValue) -> AttributeValue {
    match (kind, value) {
        (AttributeType::String(rules), AttributeValue::S(code)) => {
            let name = rules.values.iter().find(|one| one.code == code).map(|one| one.name.clone());
            AttributeValue::S(name.unwrap_or(code))
        }
        (AttributeType::Number { values }, AttributeValue::N(code)) => {
            let name = values.iter().find(|one| one.code == code && one.name != code.to_string());
            name.map_or(AttributeValue::N(code), |one| AttributeValue::S(one.name.clone()))
        }
        (AttributeType::List { of: Some(of), .. }, AttributeValue::L(elements)) => {
            AttributeValue::L(elements.into_iter().map(|element| named_value(of, element)).collect())
        }
        (AttributeType::Map { of: Some(of), .. }, AttributeValue::M(fields)) => {
            AttributeValue::M(fields.into_iter().map(|(name, value)| (name, named_value(of, value))).collect())
        }
        (AttributeType::Map { attributes, .. }, AttributeValue::M(fields)) => {
            AttributeValue::M(named(attributes, fields))
        }
        (_, value) => value,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn attribute(name: &str, kind: AttributeType, optional: bool) -> Attribute {
        Attribute {
            name: name.into(),
            stored: Storage::At(AttributePath::top_level(name)),
            kind,
            optional,
            fill: None,
            changes: None,
        }
    }

    fn text(name: &str) -> Attribute {
        attribute(name, AttributeType::String(StringRules::default()), false)
    }

    fn map(name: &str, attributes: Vec<Attribute>) -> Attribute {
        attribute(name, AttributeType::Map { attributes, of: None, max_items: None }, true)
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

    #[test]
    fn an_attribute_that_is_stored_elsewhere_is_found_by_name_and_by_place() {
        let place = AttributePath::top_level("data").child("c");
        let city = Attribute { stored: Storage::At(place.clone()), ..text("city") };
        let attributes = [city];
        assert_eq!(resolve(&attributes, "city").unwrap().path, place);
        assert!(declared_at(&attributes, &place).is_some());
        let crate::item::Item(stored) =
            serde_json::from_str(r#"{"data":{"M":{"c":{"S":"Brno"}}},"x":{"S":"y"}}"#).unwrap();
        let named = named(&attributes, stored);
        assert_eq!(named.keys().collect::<Vec<_>>(), ["city", "x"]);
    }
}
