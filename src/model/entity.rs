//! A kind of thing that the table holds.

use std::collections::BTreeMap;

use super::attribute::{Resolved, resolve};
use super::{Attribute, AttributePath, Reference, Table};
use crate::diagnostic::Span;
use crate::key::KeyTemplate;

/// A kind of thing that the table holds: what its items are made of, and how their keys are made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entity {
    /// Its name, which stands in the type attribute of its items.
    pub name: String,
    /// Its attributes, in the order of the definition.
    pub attributes: Vec<Attribute>,
    /// How each key attribute of the table, and of the indexes that its items can be in, is made.
    pub keys: BTreeMap<String, KeySource>,
    /// What its items refer to.
    pub references: Vec<Reference>,
    /// Where its name stands in the definition.
    pub span: Span,
}

impl Entity {
    /// The declared attribute of that name.
    pub fn attribute(&self, name: &str) -> Option<&Attribute> {
        self.attributes.iter().find(|attribute| attribute.name == name)
    }

    /// The attributes that its primary key is made from, each once: what a reference to it must hold.
    pub fn identity(&self, table: &Table) -> Vec<AttributePath> {
        let mut paths: Vec<AttributePath> = Vec::new();
        for path in table.key.names().flat_map(|name| self.inputs(name)) {
            if !paths.contains(&path) {
                paths.push(path);
            }
        }
        paths
    }

    /// The attributes that a key attribute is made from; none where the entity does not make it, or makes it constant.
    pub fn inputs(&self, key: &str) -> Vec<AttributePath> {
        match self.keys.get(key) {
            Some(KeySource::Template(template)) => template.placeholders().map(|one| one.path.clone()).collect(),
            Some(KeySource::Attribute { .. }) => vec![AttributePath::top_level(key)],
            None => Vec::new(),
        }
    }

    /// Finds a dotted path among its attributes.
    pub fn resolve(&self, text: &str) -> Option<Resolved<'_>> {
        resolve(&self.attributes, text)
    }
}

/// Where the value of a key attribute comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeySource {
    /// A template makes it.
    Template(KeyTemplate),
    /// It is itself a plain attribute of the entity.
    Attribute {
        /// Whether an item may lack it.
        optional: bool,
    },
}
