//! What an item says of another entity's item, and which of its values it copies.

use serde::Serialize;

use super::AttributePath;
use crate::diagnostic::Span;

/// An entity's items each refer to one item of another entity, and carry copies of its values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reference {
    /// Its name, unique in its entity.
    pub name: String,
    /// The source: the entity that is referred to.
    pub entity: String,
    /// For each attribute of the source's primary key, where this item holds its value.
    pub by: Vec<ReferenceKey>,
    /// What becomes of the copies when the source changes; `None` for a reference without copies.
    pub keep: Option<Keep>,
    /// The copies.
    pub copies: Vec<CopyRule>,
    /// Who answers for bringing the copies up to date.
    pub owner: Option<String>,
    /// Where it stands in the definition.
    pub span: Span,
}

/// One attribute of the source's primary key, and where the target holds its value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ReferenceKey {
    /// The source's attribute.
    pub source: AttributePath,
    /// The target's attribute.
    pub target: AttributePath,
}

/// What becomes of copies when the source changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Keep {
    /// They are brought up to date.
    Latest,
    /// They stay as they were taken.
    Snapshot,
}

/// One copied value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CopyRule {
    /// Where the target carries it.
    pub target: AttributePath,
    /// Where the source has it.
    pub source: AttributePath,
    /// Where it stands in the definition.
    #[serde(skip)]
    pub span: Span,
}
