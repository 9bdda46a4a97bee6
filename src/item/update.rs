//! Changing an item through the layout: whatever index keys depend on what changes are rewritten with it.

use std::collections::{BTreeMap, BTreeSet};

use super::builder::{index_keys, is_partition, too_large};
use super::{Item, ItemProblem, attributes_of};
use crate::key::{KeyError, check_length};
use crate::model::{AttributePath, Entity, KeySource, Table};
use crate::value::AttributeValue;

/// An update as data, with the item that it makes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ItemUpdate {
    /// What is set, index keys included. No path lies inside another.
    pub set: BTreeMap<AttributePath, AttributeValue>,
    /// What is removed.
    pub remove: BTreeSet<AttributePath>,
    /// The keys of the indexes in which something is rewritten, and the attributes they are made from that do not
    /// change: what a guard must hold still, so that no half of a key is ever written.
    pub inputs: BTreeSet<AttributePath>,
    /// The item afterwards.
    pub after: Item,
}

/// Why an item cannot be changed so.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum UpdateError {
    /// The change would alter the primary key.
    #[error("`{0}` is part of the primary key, which no update can change")]
    PrimaryKey(AttributePath),
    /// A path leads into something that is not a map.
    #[error("`{0}` leads into a value that is not a map")]
    NotAMap(AttributePath),
    /// The item would be over 400 KB.
    #[error(transparent)]
    TooLarge(ItemProblem),
    /// A rewritten index key cannot be made.
    #[error(transparent)]
    Key(#[from] KeyError),
}

/// Changes values of an item: `None` takes a value away.
///
/// # Errors
/// The change would alter the primary key, cannot be made, or makes the item too large.
pub fn update(
    before: &Item,
    entity: &Entity,
    table: &Table,
    changes: &BTreeMap<AttributePath, Option<AttributeValue>>,
) -> Result<ItemUpdate, UpdateError> {
    let mut after = before.0.clone();
    let mut remove = BTreeSet::new();
    let mut roots = BTreeSet::new();
    for (path, value) in changes {
        if entity.identity(table).iter().any(|part| part.overlaps(path)) {
            return Err(UpdateError::PrimaryKey(path.clone()));
        }
        if let (Some(value), [name]) = (value, path.steps())
            && table.key_attributes().contains(&name.as_str())
        {
            check_key(name, value, table)?;
        }
        match value {
            Some(value) => {
                // A map that is missing on the way is set as a whole, because DynamoDB makes none by itself.
                let root = before_or_missing(path, before).ok_or_else(|| UpdateError::NotAMap(path.clone()))?;
                path.set(&mut after, value.clone());
                roots.insert(root);
            }
            None if path.get(&before.0).is_some() => {
                path.remove(&mut after);
                remove.insert(path.clone());
            }
            None => {}
        }
    }
    let mut set: BTreeMap<AttributePath, AttributeValue> =
        roots.into_iter().filter_map(|root| Some((root.clone(), root.get(&after)?.clone()))).collect();
    let inputs = rewrite_index_keys(before, &mut after, entity, table, changes, &mut set, &mut remove)?;
    let after = Item(after);
    match too_large(&after) {
        Some(problem) => Err(UpdateError::TooLarge(problem)),
        None => Ok(ItemUpdate { set, remove, inputs, after }),
    }
}

/// A plain attribute that is an index key must be a string that DynamoDB takes as one.
fn check_key(name: &str, value: &AttributeValue, table: &Table) -> Result<(), KeyError> {
    match value {
        AttributeValue::S(text) => check_length(name, text, is_partition(name, table)),
        other => {
            let (key, path) = (name.to_owned(), AttributePath::top_level(name));
            Err(KeyError::NotText { key, path, found: other.type_name() })
        }
    }
}

/// The path, or the part of it down to which something is missing; `None` where it leads into something else than a map.
fn before_or_missing(path: &AttributePath, before: &Item) -> Option<AttributePath> {
    match path.get(&before.0) {
        Some(_) => Some(path.clone()),
        None => path.first_missing(&before.0),
    }
}

/// Makes anew every templated index key that an altered attribute is part of, and takes those away whose
/// index the item leaves. Gives back what else they are made from.
fn rewrite_index_keys(
    before: &Item,
    after: &mut BTreeMap<String, AttributeValue>,
    entity: &Entity,
    table: &Table,
    changes: &BTreeMap<AttributePath, Option<AttributeValue>>,
    set: &mut BTreeMap<AttributePath, AttributeValue>,
    remove: &mut BTreeSet<AttributePath>,
) -> Result<BTreeSet<AttributePath>, KeyError> {
    let is_changed = |path: &AttributePath| changes.keys().any(|changed| changed.overlaps(path));
    let depends = |key: &str| entity.inputs(key).iter().any(is_changed);
    let touched: Vec<_> = table.indexes.iter().filter(|index| index.key.names().any(depends)).collect();
    if touched.is_empty() {
        return Ok(BTreeSet::new());
    }

    // The attributes as they will be: those that only a key holds are read back from the keys of before.
    let mut attributes = attributes_of(before, entity, table);
    for (path, value) in changes {
        match value {
            Some(value) => path.set(&mut attributes, value.clone()),
            None => path.remove(&mut attributes),
        }
    }
    let wanted = index_keys(entity, table, &attributes)?;
    let mut inputs = BTreeSet::new();
    for name in touched.iter().flat_map(|index| index.key.names()) {
        if table.key.contains(name) || !matches!(entity.keys.get(name), Some(KeySource::Template(_))) {
            continue;
        }
        inputs.insert(AttributePath::top_level(name));
        inputs.extend(entity.inputs(name).into_iter().filter(|path| !is_changed(path)));
        let path = AttributePath::top_level(name);
        match (wanted.get(name), before.get(name)) {
            (Some(new), old) if old != Some(new) => {
                after.insert(name.to_owned(), new.clone());
                set.insert(path, new.clone());
            }
            (None, Some(_)) => {
                after.remove(name);
                remove.insert(path);
            }
            _ => {}
        }
    }
    Ok(inputs)
}
