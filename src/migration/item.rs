//! What becomes of one item.

use std::collections::BTreeSet;

use super::Migration;
use super::sources::{SourceValues, new_copies};
use crate::item::{Item, attributes_of, too_large};
use crate::model::{AttributePath, Entity, Storage, check_stored, check_value};
use crate::value::{AttributeValue, Attributes};

/// What becomes of one item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ItemMigration {
    /// Its entity; `None` where the definitions do not know it.
    pub entity: Option<String>,
    /// The item afterwards.
    pub after: Item,
    /// What has to be done with it.
    pub becomes: Becomes,
    /// The required attributes that nobody can tell: the item is larger by them in the end.
    pub unknown: Vec<String>,
    /// In what else it is not what the new definition says: it holds values that are refused today.
    pub refused: Vec<String>,
}

/// What has to be done with an item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Becomes {
    /// Nothing.
    Same,
    /// It is updated: these of its attributes change.
    Updated(BTreeSet<String>),
    /// It is put under its new primary key, and deleted under its old one.
    Moved,
    /// Its entity is gone, or was never known: it stays as it is.
    Left,
    /// It cannot follow the new definition, because of this.
    Stuck(String),
}

impl Migration<'_> {
    /// What becomes of an item of the old definition. `sources` holds what newly taken copies are copied from.
    pub fn of_item(&self, item: &Item, sources: &SourceValues) -> ItemMigration {
        let old = self.old.recognise(item).ok();
        let new = old.and_then(|old| self.becomes(old, item));
        let left = |entity: Option<String>, becomes| ItemMigration {
            entity,
            after: item.clone(),
            becomes,
            unknown: Vec::new(),
            refused: Vec::new(),
        };
        let (Some(old), Some(new)) = (old, new) else {
            return left(old.map(|old| old.name.clone()), Becomes::Left);
        };
        let mut moving = Moving { stored: item.0.clone(), all: attributes_of(item, old, self.old.table()) };
        moving.follow(old, new);
        moving.fill(new);
        for copies in new_copies(self, new) {
            for place in copies.reference.places(&moving.all) {
                let Some(source) = sources.of(self, copies.reference, place.as_ref(), &moving.all) else { continue };
                for rule in &copies.rules {
                    let target = place.as_ref().map_or(rule.target.clone(), |place| place.join(&rule.target));
                    if let Some(value) = rule.of(rule.source.get(source))
                        && target.get(&moving.all).is_none()
                    {
                        moving.set(&target, value);
                    }
                }
            }
        }
        let required = new.attributes.iter().filter(|attribute| !attribute.optional);
        let unknown = required.filter(|attribute| attribute.place().get(&moving.all).is_none());
        let unknown = unknown.map(|attribute| attribute.name.clone()).collect();
        let after = match self.keyed(old, new, moving) {
            Ok(after) => after,
            Err(reason) => return left(Some(old.name.clone()), Becomes::Stuck(reason)),
        };
        if let Some(problem) = too_large(&after, self.new.table()) {
            return left(Some(old.name.clone()), Becomes::Stuck(problem.to_string()));
        }
        let becomes = if after.key(&self.new.table().key) != item.key(&self.old.table().key) {
            Becomes::Moved
        } else {
            let names = item.0.keys().chain(after.0.keys());
            let changed: BTreeSet<String> = names.filter(|name| item.get(name) != after.get(name)).cloned().collect();
            if changed.is_empty() { Becomes::Same } else { Becomes::Updated(changed) }
        };
        let refused = refused(new, &after);
        ItemMigration { entity: Some(new.name.clone()), after, becomes, unknown, refused }
    }

    /// The entity that an item is of in the new definition: the one of the same name, or else the one that its items
    /// would be taken for, under another name.
    fn becomes(&self, old: &Entity, item: &Item) -> Option<&Entity> {
        let same_type = || self.new.entities().iter().find(|entity| entity.type_value == old.type_value);
        let renamed = || same_type().or_else(|| self.new.recognise(item).ok());
        // A name that is taken by another entity of the old definition is that one's.
        let is_new = |entity: &&Entity| self.old.entity(&entity.name).is_none();
        self.new.entity(&old.name).or_else(|| renamed().filter(is_new))
    }

    /// The item with the keys that the new definition makes in place of those that the old one made.
    fn keyed(&self, old: &Entity, new: &Entity, moving: Moving) -> Result<Item, String> {
        let Moving { mut stored, all } = moving;
        let made = |entity: &Entity, name: &str| entity.keys.contains_key(name) && entity.stored_under(name).is_none();
        for key in self.old.table().keys().filter(|key| made(old, &key.name)) {
            if new.stored_under(&key.name).is_none() {
                stored.remove(&key.name);
            }
        }
        if let Some(name) = &self.old.table().type_attribute {
            stored.remove(name);
        }
        if let Some(name) = &self.new.table().type_attribute {
            stored.insert(name.clone(), AttributeValue::S(new.type_value.clone()));
        }
        let table = self.new.table();
        stored.extend(new.primary_key(table, &all).map_err(|error| error.to_string())?);
        stored.extend(new.index_keys(table, &all).map_err(|error| error.to_string())?);
        Ok(Item(stored))
    }
}

/// The values that the definition would not take.
fn refused(entity: &Entity, item: &Item) -> Vec<String> {
    let declared = entity.attributes.iter().filter_map(|one| Some((one, one.place().get(&item.0)?)));
    let problems = declared.flat_map(|(one, value)| check_stored(&one.kind, value, &one.place().to_string()));
    problems.map(|problem| problem.to_string()).collect()
}

/// An item on its way: what it stores, and that together with what only its keys hold.
struct Moving {
    stored: Attributes,
    all: Attributes,
}

impl Moving {
    fn set(&mut self, path: &AttributePath, value: AttributeValue) {
        path.set(&mut self.stored, value.clone());
        path.set(&mut self.all, value);
    }

    fn remove(&mut self, path: &AttributePath) {
        path.remove(&mut self.stored);
        path.remove(&mut self.all);
    }

    /// Attributes that are no longer declared go; those that are stored elsewhere move there.
    fn follow(&mut self, old: &Entity, new: &Entity) {
        for attribute in &old.attributes {
            let place = attribute.place();
            let Some(wanted) = new.attribute(&attribute.name) else {
                self.remove(&place);
                continue;
            };
            let Some(value) = place.get(&self.all).cloned() else { continue };
            match (&attribute.stored, &wanted.stored) {
                (was, is) if was == is => {}
                // The new keys hold it.
                (_, Storage::KeyOnly) => {
                    self.remove(&place);
                    wanted.place().set(&mut self.all, value);
                }
                _ => {
                    self.remove(&place);
                    self.set(&wanted.place(), value);
                }
            }
        }
    }

    /// What the definition says that an attribute holds where nobody says so.
    fn fill(&mut self, new: &Entity) {
        for attribute in &new.attributes {
            let place = attribute.place();
            if let Some(fill) = &attribute.fill
                && place.get(&self.all).is_none()
            {
                let mut value = fill.value().clone();
                // A value that the definition itself gives is one of its type.
                if check_value(&attribute.kind, &mut value, &attribute.name).is_empty() {
                    self.set(&place, value);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::Layout;

    #[test]
    fn an_item_that_would_outgrow_its_limit_stays_as_it_is() {
        let definition = |attribute: &str| {
            let text = format!(
                "[table]\nname = \"one\"\npartition_key = \"PK\"\n[entities.One]\nkeys = {{ PK = \"ONE#{{id}}\" }}\n\
                 attributes = {{ id = \"string\", v = {attribute} }}\n"
            );
            Layout::compile(&text).layout.unwrap()
        };
        let (old, new) = (definition("\"string\""), definition("{ type = \"string\", stored_as = \"longer\" }"));
        let migration = Migration::between(&old, &new);
        let becomes = |bytes: usize| {
            let rest = "PK".len() + "ONE#1".len() + "id".len() + "1".len() + "v".len();
            let item = Item::from_iter([("PK", "ONE#1"), ("id", "1"), ("v", &"x".repeat(bytes - rest))]);
            migration.of_item(&item, &SourceValues::default()).becomes
        };
        assert!(matches!(becomes(409_595), Becomes::Updated(_)));
        assert!(matches!(becomes(409_596), Becomes::Stuck(why) if why.contains("1 over")));
    }
}
