//! Changing an item through the layout: whatever index keys depend on what changes are rewritten with it.

use std::collections::{BTreeMap, BTreeSet};

use super::builder::too_large;
use super::far_off::far_off_ttl;
use super::{Attributes, Item, ItemProblem, Relative, attributes_of};
use crate::key::KeyError;
use crate::layout::Layout;
use crate::limits::MAX_ITEM_BYTES;
use crate::model::{AttributePath, Entity, Keep, KeySource, Storage, Table, ValueProblem, check_stored};
use crate::value::{AttributeValue, Number, Step};

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
    /// Two changes of one place, or of two of which one is inside the other.
    #[error("`{0}` and `{1}` cannot be changed together: they are the same, or one is inside the other")]
    Together(AttributePath, AttributePath),
    /// What is to be added to, appended to or deleted from is something else.
    #[error("`{0}` holds a value of another type")]
    OtherType(AttributePath),
    /// A sum that DynamoDB cannot hold.
    #[error("the sum at `{0}` would have more than 38 digits")]
    Sum(AttributePath),
    /// An element would be set behind the end of its list.
    #[error("`{path}` is behind the end of its list, which has {length} elements: append to the list instead")]
    PastTheEnd {
        /// The element.
        path: AttributePath,
        /// How many elements the list has.
        length: usize,
    },
    /// It can be done only to an item that was read.
    #[error("{what} can be done only to an item that was read")]
    NeedsRead {
        /// What is to be done.
        what: String,
    },
    /// An element of a list would be taken away by its position.
    #[error("`{0}` is an element of a list: set the whole list without it, because the others would move")]
    Element(AttributePath),
    /// A required attribute would be taken away.
    #[error("`{0}` is required, and cannot be removed")]
    Required(AttributePath),
    /// The value is not what the definition says.
    #[error(transparent)]
    Value(#[from] ValueProblem),
    /// The item would be over 400 KB.
    #[error(transparent)]
    TooLarge(ItemProblem),
    /// The update's statement would be larger than a region takes that counts it.
    #[error(
        "the update would write {0} bytes with its clauses, and in this region DynamoDB takes at most {MAX_ITEM_BYTES} of \
         one statement"
    )]
    Statement(u64),
    /// A rewritten index key cannot be made.
    #[error(transparent)]
    Key(#[from] KeyError),
    /// An index key depends on a value that nobody knows.
    #[error("{index} depends on `{path}`, which is not known without reading the item")]
    Unknown {
        /// The index.
        index: String,
        /// The attribute.
        path: AttributePath,
    },
}

/// Changes values of an item that was read: `None` takes a value away.
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
    let mut roots = BTreeSet::new();
    // A change inside of another one comes after it, and is made to what that one leaves.
    for (path, value) in changes {
        check_change(path, value.as_ref(), entity, table)?;
        if is_key_only(path, entity) {
            continue;
        }
        match value {
            Some(value) => {
                // A map that is missing on the way is set as a whole, because DynamoDB makes none by itself.
                let root = part_to_set(path, &after).ok_or_else(|| leads_nowhere(path, &after))?;
                path.set(&mut after, value.clone());
                roots.insert(root);
            }
            // The elements behind it would move, and with them what other changes and guards mean.
            None if path.is_element() => return Err(UpdateError::Element(path.clone())),
            None if path.get(&after).is_some() => {
                path.remove(&mut after);
                roots.insert(path.clone());
            }
            None => {}
        }
    }
    let (mut set, mut remove) = (BTreeMap::new(), BTreeSet::new());
    for root in outermost(roots.iter()) {
        match root.get(&after) {
            Some(value) => drop(set.insert(root.clone(), value.clone())),
            None if root.get(&before.0).is_some() => drop(remove.insert(root.clone())),
            None => {}
        }
    }
    let inputs = rewrite_index_keys(before, &mut after, entity, table, changes, &mut set, &mut remove)?;
    let after = Item(after);
    match too_large(&after, table) {
        Some(problem) => Err(UpdateError::TooLarge(problem)),
        None => Ok(ItemUpdate { set, remove, inputs, after }),
    }
}

/// What the version of an entity's item becomes with these changes; `None` where it has none, where it is changed by
/// hand, or where nothing changes that anybody keeps a latest copy of.
pub fn next_version(
    layout: &Layout,
    entity: &Entity,
    before: &Attributes,
    changes: &BTreeMap<AttributePath, Option<AttributeValue>>,
) -> Option<(AttributePath, Number)> {
    let version = entity.version.as_ref().filter(|path| !changes.contains_key(path))?;
    let differs = |path: &&AttributePath| changes.get(*path).is_some_and(|value| path.get(before) != value.as_ref());
    let changed: Vec<&AttributePath> = changes.keys().filter(differs).collect();
    let is_copied =
        copied_attributes(layout, &entity.name).any(|copied| changed.iter().any(|path| path.overlaps(copied)));
    let now = match version.get(before) {
        Some(AttributeValue::N(number)) => number.successor(),
        _ => Number::from(1),
    };
    is_copied.then(|| (version.clone(), now))
}

/// The attributes of an entity that somebody keeps latest copies of.
pub(crate) fn copied_attributes<'a>(layout: &'a Layout, source: &'a str) -> impl Iterator<Item = &'a AttributePath> {
    let references = layout.entities().iter().flat_map(|entity| &entity.references);
    references
        .filter(move |reference| reference.entity == source && reference.keep == Some(Keep::Latest))
        .flat_map(|reference| reference.copies.iter().map(|rule| &rule.source))
}

/// Refuses what no update may do.
pub(super) fn check_change(
    path: &AttributePath,
    value: Option<&AttributeValue>,
    entity: &Entity,
    table: &Table,
) -> Result<(), UpdateError> {
    if entity.identity(table).iter().any(|part| part.overlaps(path)) {
        return Err(UpdateError::PrimaryKey(path.clone()));
    }
    // A plain attribute that is an index key must be a value that DynamoDB takes as one.
    if let (Some(value), Some(key)) = (value, path.as_top_level().and_then(|name| table.key_attribute(name))) {
        table.check_key(key, value)?;
    }
    match path.as_top_level().and_then(|name| far_off_ttl(name, value, table)) {
        Some(problem) => Err(problem.into()),
        None => Ok(()),
    }
}

/// What an item holds at a place after a change that goes by what it holds; refused where the definition does not
/// allow it.
///
/// # Errors
/// What stands there is of another type, what would stand there is not allowed, or nothing would and it is required.
pub fn after_relative(
    path: &AttributePath,
    relative: &Relative,
    before: &Attributes,
    entity: &Entity,
) -> Result<Option<AttributeValue>, UpdateError> {
    let after = relative.of(path, path.get(before))?;
    let declared = entity.declared_at(path);
    match (&after, declared) {
        (Some(value), Some(found)) => match check_stored(found.kind, value, &entity.name_at(path)).into_iter().next() {
            Some(problem) => Err(problem.into()),
            None => Ok(after),
        },
        (None, Some(found)) if !found.optional && path.get(before).is_some() => {
            Err(UpdateError::Required(path.clone()))
        }
        _ => Ok(after),
    }
}

/// Whether only a key holds what stands at the path.
pub(super) fn is_key_only(path: &AttributePath, entity: &Entity) -> bool {
    let is_it = |name: &str| entity.attribute(name).is_some_and(|attribute| attribute.stored == Storage::KeyOnly);
    path.as_top_level().is_some_and(is_it)
}

/// Why nothing can be set there.
fn leads_nowhere(path: &AttributePath, attributes: &Attributes) -> UpdateError {
    let mut list = AttributePath::top_level(path.root());
    for step in &path.steps()[1..] {
        match (step, list.get(attributes)) {
            (Step::Element(at), Some(AttributeValue::L(elements))) if *at >= elements.len() => {
                return UpdateError::PastTheEnd { path: list.element(*at), length: elements.len() };
            }
            (Step::Element(at), _) => list = list.element(*at),
            (Step::Name(name), _) => list = list.child(name),
        }
    }
    UpdateError::NotAMap(path.clone())
}

/// The path, or the part of it down to which something is missing; `None` where it leads into something else than a map.
fn part_to_set(path: &AttributePath, attributes: &Attributes) -> Option<AttributePath> {
    match path.get(attributes) {
        Some(_) => Some(path.clone()),
        None => path.first_missing(attributes),
    }
}

/// The paths that lie inside no other: DynamoDB takes no update of two places of which one is in the other.
pub(super) fn outermost<'a>(paths: impl Iterator<Item = &'a AttributePath>) -> Vec<&'a AttributePath> {
    let mut outer: Vec<&AttributePath> = Vec::new();
    // In their order, what lies inside of a path comes after it.
    for path in paths {
        if !outer.iter().any(|one| one.overlaps(path)) {
            outer.push(path);
        }
    }
    outer
}

/// Makes anew every templated index key that an altered attribute is part of, and takes those away whose
/// index the item leaves. Gives back what else they are made from.
fn rewrite_index_keys(
    before: &Item,
    after: &mut Attributes,
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
    let wanted = entity.index_keys(table, &attributes)?;
    let mut inputs = BTreeSet::new();
    for name in touched.iter().flat_map(|index| index.key.names()) {
        if table.key.contains(name) || !matches!(entity.keys.get(name), Some(KeySource::Made(_))) {
            continue;
        }
        inputs.insert(AttributePath::top_level(name));
        inputs.extend(entity.inputs(name).into_iter().filter(|path| !is_changed(path) && !is_key_only(path, entity)));
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
