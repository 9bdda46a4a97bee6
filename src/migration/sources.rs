//! What sources hold, for copies that a definition takes anew.

use std::collections::BTreeMap;

use super::Migration;
use crate::item::{Item, attributes_of};
use crate::layout::Layout;
use crate::model::{AttributePath, Entity, Reference};
use crate::value::{AttributeValue, Attributes, to_plain_json};

/// The values of sources that are newly copied, by the sources' keys. Only those values are kept.
#[derive(Debug, Clone, Default)]
pub struct SourceValues {
    held: BTreeMap<String, Attributes>,
}

/// Copies that the new definition takes and the old one did not: of one reference.
#[derive(Debug)]
pub(super) struct NewCopies<'a> {
    pub(super) reference: &'a Reference,
    /// Where in the target, below the reference, and where in the source.
    pub(super) rules: Vec<&'a crate::model::CopyRule>,
}

impl SourceValues {
    /// Whether the migration asks for any: then all items are to be gone through for them first.
    pub fn are_needed(migration: &Migration<'_>) -> bool {
        migration.new.entities().iter().any(|entity| !new_copies(migration, entity).is_empty())
    }

    /// Takes what an item holds that others will copy.
    pub fn add(&mut self, migration: &Migration<'_>, item: &Item) {
        let Ok(source) = migration.old.recognise(item) else { return };
        let all = migration.new.entities().iter().flat_map(|entity| new_copies(migration, entity));
        let wanted: Vec<AttributePath> = all
            .filter(|copies| copies.reference.entity == source.name)
            .flat_map(|copies| copies.rules.into_iter().map(|rule| rule.source.clone()))
            .collect();
        if wanted.is_empty() {
            return;
        }
        let attributes = attributes_of(item, source, migration.old.table());
        let mut held = Attributes::new();
        for path in wanted {
            if let Some(value) = path.get(&attributes) {
                path.set(&mut held, value.clone());
            }
        }
        if let Some(entity) = migration.new.entity(&source.name)
            && let Some(key) = key_text(migration.new, entity, &attributes)
        {
            self.held.insert(key, held);
        }
    }

    /// What the source of a reference holds, as far as it was taken.
    pub(super) fn of(
        &self,
        migration: &Migration<'_>,
        reference: &Reference,
        place: Option<&AttributePath>,
        target: &Attributes,
    ) -> Option<&Attributes> {
        let source = migration.new.entity(&reference.entity)?;
        let mut named = Attributes::new();
        for key in &reference.by {
            let value: &AttributeValue = key.target_at(place).get(target)?;
            key.source.set(&mut named, value.clone());
        }
        self.held.get(&key_text(migration.new, source, &named)?)
    }
}

fn key_text(layout: &Layout, entity: &Entity, attributes: &Attributes) -> Option<String> {
    let key = entity.primary_key(layout.table(), attributes).ok()?;
    Some(to_plain_json(&AttributeValue::M(key)))
}

/// The copies of an entity that the old definition did not take.
pub(super) fn new_copies<'a>(migration: &Migration<'a>, entity: &'a Entity) -> Vec<NewCopies<'a>> {
    let old = migration.old.entity(&entity.name);
    let was_there = |reference: &Reference, target: &AttributePath| {
        old.into_iter()
            .flat_map(|old| &old.references)
            .any(|other| other.within == reference.within && other.copies.iter().any(|rule| rule.target == *target))
    };
    let of = |reference: &'a Reference| NewCopies {
        reference,
        rules: reference.copies.iter().filter(|rule| !was_there(reference, &rule.target)).collect(),
    };
    entity.references.iter().map(of).filter(|copies| !copies.rules.is_empty()).collect()
}
