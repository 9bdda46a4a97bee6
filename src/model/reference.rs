//! What an item says of another entity's item, and which of its values it copies.

use serde::Serialize;

use super::AttributePath;
use crate::diagnostic::Span;
use crate::key::Filter;
use crate::value::{AttributeValue, Attributes, Step};

/// An entity's items each refer to one item of another entity, and carry copies of its values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reference {
    /// Its name, unique in its entity.
    pub name: String,
    /// The source: the entity that is referred to.
    pub entity: String,
    /// Where in the item each element of a list is a reference of its own; then `by` and the copies are paths in
    /// there. `None` where the item itself refers.
    pub within: Option<Within>,
    /// For each attribute of the source's primary key, where this item holds its value.
    pub by: Vec<ReferenceKey>,
    /// What becomes of the copies when the source changes; `None` for a reference without copies.
    pub keep: Option<Keep>,
    /// The copies.
    pub copies: Vec<CopyRule>,
    /// Where the item keeps the source's version that its copies were taken at.
    pub version_as: Option<AttributePath>,
    /// How the items are found, where the definition says so itself.
    pub via: Option<Via>,
    /// Who answers for bringing the copies up to date.
    pub owner: Option<String>,
    /// Where it stands in the definition.
    pub span: Span,
}

/// A list whose elements each refer to a source.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Within {
    /// The list.
    pub list: AttributePath,
    /// Where in an element the reference stands, where it is not the element itself.
    pub below: Option<AttributePath>,
}

impl Within {
    /// Where the reference of the element at that position stands.
    pub fn element(&self, at: usize) -> AttributePath {
        let element = self.list.element(at);
        self.below.as_ref().map_or(element.clone(), |below| element.join(below))
    }
}

impl Reference {
    /// Where the references of an item stand: nowhere but in the item itself, or at each element of a list.
    pub fn places(&self, item: &Attributes) -> Vec<Option<AttributePath>> {
        let Some(within) = &self.within else { return vec![None] };
        let count = match within.list.get(item) {
            Some(AttributeValue::L(elements)) => elements.len(),
            _ => 0,
        };
        (0..count).map(|at| Some(within.element(at))).collect()
    }

    /// The top-level attribute in which a path of its own begins.
    pub fn root<'a>(&'a self, path: &'a AttributePath) -> &'a str {
        self.within.as_ref().map_or(path.root(), |within| within.list.root())
    }

    /// A path of its own as an item's: whichever element it stands in.
    pub fn in_item(&self, path: &AttributePath) -> AttributePath {
        match &self.within {
            None => path.clone(),
            Some(within) => {
                within.below.as_ref().map_or(within.list.join(path), |below| within.list.join(below).join(path))
            }
        }
    }

    /// The top-level attribute in which a part of it begins.
    pub fn root_of_key<'a>(&'a self, key: &'a ReferenceKey) -> &'a str {
        match key.holder {
            Holder::Item => key.target.root(),
            Holder::Element => self.root(&key.target),
        }
    }

    /// The parts of it that the item itself holds: those that can make keys.
    pub fn held_by_item(&self) -> impl Iterator<Item = &ReferenceKey> {
        self.by.iter().filter(|key| key.holder == Holder::Item)
    }

    /// A part of it as people name it: `coAuthors[].id`, and `tenantId` where the item holds it.
    pub fn shown_key(&self, key: &ReferenceKey) -> String {
        match key.holder {
            Holder::Item => key.target.to_string(),
            Holder::Element => self.shown(&key.target),
        }
    }

    /// A path of its own as people write it: `coAuthors[].name`.
    pub fn shown(&self, path: &AttributePath) -> String {
        match &self.within {
            None => path.to_string(),
            Some(within) => {
                let below = within.below.as_ref().map_or(String::new(), |below| format!(".{below}"));
                let dot = if matches!(path.steps()[0], Step::Name(_)) { "." } else { "" };
                format!("{}[]{below}{dot}{path}", within.list)
            }
        }
    }
}

/// How the items of one source are found, as a definition says it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Via {
    /// In a partition of the table.
    Table,
    /// In a partition of this index.
    Index(String),
    /// By their key.
    Get,
    /// Through the items of this entity, which refer both to the source and to the item.
    Link(String),
    /// By reading the whole table.
    Scan,
}

/// One attribute of the source's primary key, and where the target holds its value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ReferenceKey {
    /// The source's attribute.
    pub source: AttributePath,
    /// The target's attribute.
    pub target: AttributePath,
    /// Where that path begins.
    pub holder: Holder,
}

/// What a path of a reference leads into.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Holder {
    /// The item itself.
    Item,
    /// The list's element that refers.
    Element,
}

impl ReferenceKey {
    /// Where it stands in an item, for the reference that stands at `place`.
    pub fn target_at(&self, place: Option<&AttributePath>) -> AttributePath {
        match (self.holder, place) {
            (Holder::Element, Some(element)) => element.join(&self.target),
            _ => self.target.clone(),
        }
    }
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
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CopyRule {
    /// Where the target carries it.
    pub target: AttributePath,
    /// Where the source has it.
    pub source: AttributePath,
    /// What changes it on the way: `take N`, `lower`, `upper`.
    pub filters: Vec<Filter>,
    /// Where it stands in the definition.
    pub span: Span,
}

impl CopyRule {
    /// What the copy must hold, going by the source's value.
    pub fn of(&self, value: Option<&AttributeValue>) -> Option<AttributeValue> {
        match value {
            Some(AttributeValue::S(text)) => {
                let changed = self.filters.iter().try_fold(text.clone(), |text, filter| filter.apply(Some(text)));
                changed.map(AttributeValue::S)
            }
            other => other.cloned(),
        }
    }

    /// The source's path with what changes the value on the way, as a definition says it.
    pub fn shown_source(&self) -> String {
        let filters = self.filters.iter().map(|filter| format!("|{filter}"));
        std::iter::once(self.source.to_string()).chain(filters).collect()
    }
}
