//! A kind of thing that the table holds.

use std::collections::BTreeMap;

use super::attribute::{Resolved, Storage, resolve};
use super::typed_path::resolve_typed;
use super::{Attribute, AttributePath, KeySource, Rate, Reference, Table};
use crate::diagnostic::Span;

/// A kind of thing that the table holds: what its items are made of, and how their keys are made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entity {
    /// Its name.
    pub name: String,
    /// What stands in the type attribute of its items: its name, unless the definition says otherwise.
    pub type_value: String,
    /// Its attributes, in the order of the definition.
    pub attributes: Vec<Attribute>,
    /// How each key attribute of the table, and of the indexes that its items can be in, is made.
    pub keys: BTreeMap<String, KeySource>,
    /// What its items refer to.
    pub references: Vec<Reference>,
    /// The number that every change of a copied attribute increases.
    pub version: Option<AttributePath>,
    /// How often its items are read, all of them together.
    pub reads: Option<Rate>,
    /// Where its name stands in the definition.
    pub span: Span,
}

impl Entity {
    /// How often the attribute of an item changes in which that place is, where the definition says so.
    pub fn changes_of(&self, place: &AttributePath) -> Option<Rate> {
        fn find(declared: &[Attribute], above: Option<&AttributePath>, place: &AttributePath) -> Option<Rate> {
            declared.iter().find_map(|attribute| {
                let own = above.map_or(attribute.place(), |above| above.join(&attribute.place()));
                if !own.overlaps(place) {
                    return None;
                }
                find(attribute.kind.fields(), Some(&own), place).or(attribute.changes)
            })
        }
        find(&self.attributes, None, place)
    }

    /// The declared attribute of that name.
    pub fn attribute(&self, name: &str) -> Option<&Attribute> {
        self.attributes.iter().find(|attribute| attribute.name == name)
    }

    /// The declared attribute that an item keeps under that top-level name.
    pub fn stored_under(&self, name: &str) -> Option<&Attribute> {
        self.attributes.iter().find(|attribute| match &attribute.stored {
            Storage::At(place) => place.root() == name,
            Storage::KeyOnly => false,
        })
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

    /// Whether its primary key can be made without this attribute of it, which its template says what to put for.
    pub fn has_fallback(&self, path: &AttributePath, table: &Table) -> bool {
        let mut uses = table.key.names().filter_map(|name| self.keys.get(name)).flat_map(KeySource::placeholders);
        let of_it: Vec<bool> = uses.by_ref().filter(|one| one.path == *path).map(|one| one.has_fallback()).collect();
        !of_it.is_empty() && of_it.into_iter().all(|has| has)
    }

    /// The attributes that a key attribute is made from, and those that decide whether it is made; none where the
    /// entity does not make it, or makes it constant.
    pub fn inputs(&self, key: &str) -> Vec<AttributePath> {
        match self.keys.get(key) {
            Some(KeySource::Made(choices)) => {
                let mut paths: Vec<AttributePath> = Vec::new();
                for choice in choices {
                    let when = choice.when.iter().map(|when| &when.path);
                    for path in choice.template.placeholders().map(|one| &one.path).chain(when) {
                        if !paths.contains(path) {
                            paths.push(path.clone());
                        }
                    }
                }
                paths
            }
            Some(KeySource::Attribute { .. }) => vec![AttributePath::top_level(key)],
            None => Vec::new(),
        }
    }

    /// Finds a dotted path among its attributes, by the names that the definition gives them.
    pub fn resolve(&self, text: &str) -> Option<Resolved<'_>> {
        resolve(&self.attributes, text)
    }

    /// Finds a path as people type it for one item: into lists too, `watchers[0].name`, and with a backslash before
    /// each dot or bracket that is part of a name.
    pub fn resolve_typed(&self, text: &str) -> Option<Resolved<'_>> {
        resolve_typed(&self.attributes, text)
    }

    /// What people call what stands at a place of its items.
    pub fn name_at(&self, place: &AttributePath) -> String {
        let is_it = |attribute: &&Attribute| attribute.place() == *place;
        self.attributes.iter().find(is_it).map_or_else(|| place.to_string(), |attribute| attribute.name.clone())
    }

    /// The declaration of what stands at a place of its items.
    pub fn declared_at(&self, place: &AttributePath) -> Option<Resolved<'_>> {
        super::attribute::declared_at(&self.attributes, place)
    }
}
