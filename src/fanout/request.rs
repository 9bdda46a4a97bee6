//! What somebody asks for: a source, its new values, and what they supersede.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::Class;
use crate::item::{Attributes, Item, ItemBuilder, ItemError, copied_attributes};
use crate::layout::Layout;
use crate::model::{AttributePath, Entity, Keep, Resolved, check_value, parse_text};
use crate::value::AttributeValue;

/// A fan-out as it is asked for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Request {
    /// The source's entity.
    pub entity: String,
    /// The source's primary key.
    pub key: Item,
    /// The source's new values.
    pub set: Vec<(AttributePath, AttributeValue)>,
    /// Older values that copies may still hold.
    pub was: Vec<(AttributePath, AttributeValue)>,
    /// Which copies are changed besides the stale ones.
    pub include: BTreeSet<Class>,
}

/// Why a request makes no sense for this definition.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RequestError {
    /// There is no such entity.
    #[error("there is no entity `{0}`; the entities are {1}")]
    UnknownEntity(String, String),
    /// The source's key cannot be made.
    #[error(transparent)]
    Key(#[from] ItemError),
    /// There is no such attribute.
    #[error("{0} has no attribute `{1}`")]
    UnknownAttribute(String, String),
    /// The value is not one of the attribute's type.
    #[error("`{0}`: {1}")]
    Value(String, String),
    /// Two values are given for one place.
    #[error("`{0}` and `{1}` are given together, and one is inside the other or the same")]
    Overlapping(AttributePath, AttributePath),
    /// The attribute is itself a copy.
    #[error("`{0}` is a copy of {1}'s, and is changed with it: set it there")]
    IsCopy(AttributePath, String),
    /// No copy is kept latest of any attribute in question.
    #[error("nothing copies {0} and keeps it latest; {1}")]
    NothingCopied(String, String),
}

impl Request {
    /// Reads a request as it is typed: `name=value` pairs, the values as text.
    ///
    /// # Errors
    /// Something in it does not fit the definition.
    pub fn parse(
        layout: &Layout,
        entity: &str,
        key: &[(String, String)],
        set: &[(String, String)],
        was: &[(String, String)],
        include: BTreeSet<Class>,
    ) -> Result<Self, RequestError> {
        let Some(source) = layout.entity(entity) else {
            let names: Vec<&str> = layout.entities().iter().map(|entity| entity.name.as_str()).collect();
            return Err(RequestError::UnknownEntity(entity.to_owned(), names.join(", ")));
        };
        let key = ItemBuilder::new(layout, source).attributes(parse_attributes(source, key)?).build_key()?;
        let (set, was) = (parse_values(source, set)?, parse_values(source, was)?);
        check_apart(&set)?;
        for (path, _) in &set {
            let own = source.references.iter().filter(|reference| reference.keep == Some(Keep::Latest));
            let of = own.into_iter().find(|one| one.copies.iter().any(|rule| one.in_item(&rule.target).overlaps(path)));
            if let Some(reference) = of {
                return Err(RequestError::IsCopy(path.clone(), reference.entity.clone()));
            }
        }
        Ok(Request { entity: entity.to_owned(), key, set, was, include })
    }

    /// Whether copies of this attribute of the source are looked at: with new or older values, only copies of
    /// those attributes; without, copies of every attribute.
    pub fn concerns(&self, source: &AttributePath) -> bool {
        let mut named = self.set.iter().chain(&self.was).map(|(path, _)| path).peekable();
        named.peek().is_none() || named.any(|path| path.overlaps(source))
    }

    /// Refuses a request about attributes that nobody keeps latest copies of.
    ///
    /// # Errors
    /// [`RequestError::NothingCopied`].
    pub fn check_copied(&self, layout: &Layout) -> Result<(), RequestError> {
        let copied: BTreeSet<&AttributePath> = copied_attributes(layout, &self.entity).collect();
        if copied.iter().any(|path| self.concerns(path)) {
            return Ok(());
        }
        let names = |paths: Vec<&AttributePath>| {
            paths.iter().map(|path| format!("`{}.{path}`", self.entity)).collect::<Vec<_>>().join(", ")
        };
        let kept = match copied.is_empty() {
            true => format!("no attribute of {} is kept so", self.entity),
            false => format!("kept so are copies of {}", names(copied.iter().copied().collect())),
        };
        let asked: BTreeSet<&AttributePath> = self.set.iter().chain(&self.was).map(|(path, _)| path).collect();
        let asked = if asked.is_empty() { self.entity.clone() } else { names(asked.into_iter().collect()) };
        Err(RequestError::NothingCopied(asked, kept))
    }
}

/// Reads `name=value` pairs as attributes by name.
///
/// # Errors
/// An attribute that is not declared, or a value that is not one of its type.
pub(crate) fn parse_attributes(entity: &Entity, pairs: &[(String, String)]) -> Result<Attributes, RequestError> {
    let values = parse_pairs(entity, pairs, Entity::resolve)?;
    let named: Vec<_> = values.into_iter().map(|(found, value)| (found.named, value)).collect();
    check_apart(&named)?;
    let mut attributes = Attributes::new();
    for (path, value) in named {
        path.set(&mut attributes, value);
    }
    Ok(attributes)
}

/// Refuses two values for one place: which of them was meant, nobody can tell.
fn check_apart(values: &[(AttributePath, AttributeValue)]) -> Result<(), RequestError> {
    for (at, (path, _)) in values.iter().enumerate() {
        if let Some((other, _)) = values[..at].iter().find(|(other, _)| other.overlaps(path)) {
            return Err(RequestError::Overlapping(other.clone(), path.clone()));
        }
    }
    Ok(())
}

/// How a name leads to an attribute.
type Resolve = for<'e> fn(&'e Entity, &str) -> Option<Resolved<'e>>;

fn parse_pairs<'e>(
    entity: &'e Entity,
    pairs: &[(String, String)],
    resolve: Resolve,
) -> Result<Vec<(Resolved<'e>, AttributeValue)>, RequestError> {
    let parse = |(name, text): &(String, String)| {
        let found =
            resolve(entity, name).ok_or_else(|| RequestError::UnknownAttribute(entity.name.clone(), name.clone()))?;
        let value = parse_text(found.kind, text).map_err(|error| RequestError::Value(name.clone(), error))?;
        Ok((found, value))
    };
    pairs.iter().map(parse).collect()
}

/// Reads `name=value` pairs whose values must be what the definition allows, as an item stores them.
///
/// # Errors
/// An attribute that is not declared, a value that is not one of its type, or two values for one place.
pub(crate) fn parse_values(
    entity: &Entity,
    pairs: &[(String, String)],
) -> Result<Vec<(AttributePath, AttributeValue)>, RequestError> {
    check_values(pairs, parse_pairs(entity, pairs, Entity::resolve)?)
}

/// The same, with names that may lead into the lists of one item.
///
/// # Errors
/// As there.
#[cfg(feature = "cli")]
pub(crate) fn parse_item_values(
    entity: &Entity,
    pairs: &[(String, String)],
) -> Result<Vec<(AttributePath, AttributeValue)>, RequestError> {
    check_values(pairs, parse_pairs(entity, pairs, Entity::resolve_typed)?)
}

fn check_values(
    pairs: &[(String, String)],
    parsed: Vec<(Resolved<'_>, AttributeValue)>,
) -> Result<Vec<(AttributePath, AttributeValue)>, RequestError> {
    let mut values = Vec::new();
    for ((found, mut value), (name, _)) in parsed.into_iter().zip(pairs) {
        if found.is_constant {
            return Err(RequestError::Value(name.clone(), "it is a constant, and cannot be changed".to_owned()));
        }
        if let Some(problem) = check_value(found.kind, &mut value, name).first() {
            return Err(RequestError::Value(name.clone(), problem.to_string()));
        }
        values.push((found.path, value));
    }
    Ok(values)
}
