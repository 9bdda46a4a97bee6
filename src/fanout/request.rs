//! What somebody asks for: a source, its new values, and what they supersede.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::Class;
use crate::item::{Attributes, Item, ItemBuilder, ItemError, parse_text};
use crate::layout::Layout;
use crate::model::{AttributePath, Entity, Keep};
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
    /// No copy is kept latest of any attribute in question.
    #[error("nothing copies {0} and keeps it latest; kept latest are {1}")]
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
        let copied = copied_attributes(layout, &self.entity);
        if copied.iter().any(|path| self.concerns(path)) {
            return Ok(());
        }
        let names = |paths: Vec<&AttributePath>| match paths.is_empty() {
            true => "none".to_owned(),
            false => paths.iter().map(|path| format!("`{}.{path}`", self.entity)).collect::<Vec<_>>().join(", "),
        };
        let asked: BTreeSet<&AttributePath> = self.set.iter().chain(&self.was).map(|(path, _)| path).collect();
        let asked = if asked.is_empty() { self.entity.clone() } else { names(asked.into_iter().collect()) };
        Err(RequestError::NothingCopied(asked, names(copied.iter().collect())))
    }
}

/// The attributes of an entity that somebody keeps latest copies of.
fn copied_attributes(layout: &Layout, source: &str) -> BTreeSet<AttributePath> {
    let references = layout.entities().iter().flat_map(|entity| &entity.references);
    references
        .filter(|reference| reference.entity == source && reference.keep == Some(Keep::Latest))
        .flat_map(|reference| reference.copies.iter().map(|rule| rule.source.clone()))
        .collect()
}

/// Reads `name=value` pairs of top-level attributes.
///
/// # Errors
/// An attribute that is not declared, or a value that is not one of its type.
pub(crate) fn parse_attributes(entity: &Entity, pairs: &[(String, String)]) -> Result<Attributes, RequestError> {
    let mut attributes = Attributes::new();
    for (path, value) in parse_pairs(entity, pairs)? {
        path.set(&mut attributes, value);
    }
    Ok(attributes)
}

fn parse_pairs(
    entity: &Entity,
    pairs: &[(String, String)],
) -> Result<Vec<(AttributePath, AttributeValue)>, RequestError> {
    let parse = |(name, text): &(String, String)| {
        let found =
            entity.resolve(name).ok_or_else(|| RequestError::UnknownAttribute(entity.name.clone(), name.clone()))?;
        let value = parse_text(found.kind, text).map_err(|error| RequestError::Value(name.clone(), error))?;
        Ok((found.path, value))
    };
    pairs.iter().map(parse).collect()
}

/// Reads `name=value` pairs whose values must be what the definition allows.
fn parse_values(
    entity: &Entity,
    pairs: &[(String, String)],
) -> Result<Vec<(AttributePath, AttributeValue)>, RequestError> {
    let mut values = parse_pairs(entity, pairs)?;
    for (path, value) in &mut values {
        let Some(found) = entity.resolve(&path.to_string()) else { continue };
        let problems = crate::item::check_value(found.kind, value, &path.to_string());
        if let Some(problem) = problems.first() {
            return Err(RequestError::Value(path.to_string(), problem.to_string()));
        }
    }
    Ok(values)
}
