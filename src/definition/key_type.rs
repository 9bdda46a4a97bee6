//! Which type each key attribute has: DynamoDB knows one for an attribute, in whichever keys it stands.

use std::collections::BTreeMap;

use super::section::{Problems, Text};
use crate::diagnostic::Diagnostic;
use crate::model::{Entity, KeyAttribute, KeyType, Storage, Table};

/// The types that are written beside the names of key attributes, and where.
#[derive(Default)]
pub(super) struct KeyTypes {
    written: BTreeMap<String, (KeyType, String)>,
}

impl KeyTypes {
    /// Takes in that a key of `owner` gives an attribute a type.
    pub(super) fn write(&mut self, name: Text<'_>, kind: KeyType, owner: &str, problems: &mut Problems) {
        let (other, elsewhere) = self.written.entry(name.text.to_owned()).or_insert_with(|| (kind, owner.to_owned()));
        if *other != kind {
            problems.push(
                Diagnostic::error(
                    "key.conflicting-types",
                    name.span,
                    format!(
                        "`{}` is a {} in {owner} and a {} in {elsewhere}, and an attribute has one type",
                        name.text,
                        kind.name(),
                        other.name()
                    ),
                )
                .help("write the same type wherever the attribute is part of a key, or only once"),
            );
        }
    }

    /// Gives every key attribute its type: the one that is written in any key, else the one that an entity declares
    /// the attribute with, else a string.
    pub(super) fn settle<'a>(&self, table: &mut Table, entities: impl Iterator<Item = &'a Entity> + Clone) {
        let indexes = table.indexes.iter_mut().map(|index| &mut index.key);
        for schema in std::iter::once(&mut table.key).chain(indexes) {
            for key in schema.partition.iter_mut().chain(&mut schema.sort) {
                let written = self.written.get(&key.name).map(|(kind, _)| *kind);
                let declared = || entities.clone().find_map(|entity| declared_type(entity, key));
                key.kind = written.or_else(declared).unwrap_or(KeyType::String);
            }
        }
    }
}

/// The type of the attribute that an entity stores under the key's name.
fn declared_type(entity: &Entity, key: &KeyAttribute) -> Option<KeyType> {
    let is_it = |place: &Storage| matches!(place, Storage::At(place) if place.as_top_level() == Some(&key.name));
    let attribute = entity.attributes.iter().find(|attribute| is_it(&attribute.stored))?;
    [KeyType::String, KeyType::Number, KeyType::Binary].into_iter().find(|kind| attribute.kind.can_be_key(*kind))
}
