//! Changing an item that was not read: from its key, from what changes, and from what somebody says it holds.

use std::collections::{BTreeMap, BTreeSet};

use super::update::{after_relative, check_change, is_key_only, outermost};
use super::{Attributes, Item, Relative, UpdateError, attributes_of};
use crate::expression::Condition;
use crate::model::{
    AttributePath, AttributeType, Entity, KeyAttribute, KeySource, SecondaryIndex, Table, check_stored,
};
use crate::value::AttributeValue;

/// An update of an item that nobody has read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnreadUpdate {
    /// What is set, index keys included.
    pub set: BTreeMap<AttributePath, AttributeValue>,
    /// What is removed.
    pub remove: BTreeSet<AttributePath>,
    /// What is changed going by what is there.
    pub relative: Vec<(AttributePath, Relative)>,
    /// What must be true of the item: what was said of it, that the maps and elements are there in which something is
    /// set, and that there is room for what is added.
    pub holds: Vec<Condition>,
}

type Values = BTreeMap<AttributePath, Option<AttributeValue>>;

/// Changes values of an item by its primary key alone: `None` takes a value away, and what is `relative` goes by what
/// is there. `told` are values that the item is said to hold, or not to hold; a guard holds them to it.
///
/// Every index key that depends on what changes is made from the new values, and removed where the item leaves the
/// index.
///
/// # Errors
/// The change would alter the primary key, or an index key depends on a value that is not known.
pub fn unread_update(
    key: &Item,
    entity: &Entity,
    table: &Table,
    changes: &Values,
    relative: &BTreeMap<AttributePath, Relative>,
    told: &Values,
) -> Result<UnreadUpdate, UpdateError> {
    let mut known = Known { attributes: attributes_of(key, entity, table), learned: BTreeSet::new() };
    for (path, value) in told.iter().chain(changes) {
        known.learn(path, value.as_ref());
    }
    let mut update =
        UnreadUpdate { set: BTreeMap::new(), remove: BTreeSet::new(), relative: Vec::new(), holds: Vec::new() };
    for (path, value) in told {
        update.holds.push(match value {
            Some(value) => Condition::Equals(path.clone(), value.clone()),
            None => Condition::Absent(path.clone()),
        });
    }
    for (path, value) in changes {
        check_change(path, value.as_ref(), entity, table)?;
        if value.is_none() && path.is_element() {
            return Err(UpdateError::Element(path.clone()));
        }
    }
    // What is changed inside of another change is part of what that one sets.
    for path in outermost(changes.keys().filter(|path| !is_key_only(path, entity))) {
        let inside = || changes.iter().filter(|(other, _)| *other != path && other.overlaps(path));
        if let Some((lost, _)) =
            inside().find(|(other, value)| value.is_some() && other.get(&known.attributes).is_none())
        {
            return Err(UpdateError::NotAMap(lost.clone()));
        }
        let value = match inside().next() {
            Some(_) => path.get(&known.attributes),
            None => changes.get(path).and_then(Option::as_ref),
        };
        match value {
            Some(value) => {
                // DynamoDB would append what is set behind the end of a list.
                if let Some(there) = if path.is_element() { Some(path.clone()) } else { path.parent() } {
                    update.holds.push(Condition::Exists(there));
                }
                update.set.insert(path.clone(), value.clone());
            }
            None => drop(update.remove.insert(path.clone())),
        }
    }
    for (path, change) in relative {
        check_change(path, None, entity, table)?;
        update.holds.extend(room_for(path, change, entity, told)?);
        if told.contains_key(path) {
            let after = after_relative(path, change, &known.attributes, entity)?;
            known.learn(path, after.as_ref());
        }
        update.relative.push((path.clone(), change.clone()));
    }
    let changed = || changes.keys().chain(relative.keys());
    let mut made = Attributes::new();
    let mut left: BTreeSet<&str> = BTreeSet::new();
    for index in touched(entity, table, changed) {
        let names = index
            .key
            .names()
            .filter(|name| !table.key.contains(name) && matches!(entity.keys.get(*name), Some(KeySource::Made(_))));
        match known.keys_of(index, entity, table)? {
            Some(keys) => made.extend(keys),
            None => left.extend(names),
        }
    }
    for name in left.into_iter().filter(|name| !made.contains_key(*name)) {
        update.remove.insert(AttributePath::top_level(name));
    }
    for (name, value) in made {
        update.set.insert(AttributePath::top_level(name), value);
    }
    Ok(update)
}

/// What must be true of an item nobody has read, so that what goes by what it holds leaves it as the definition says.
///
/// # Errors
/// That cannot be told without reading it.
fn room_for(
    path: &AttributePath,
    change: &Relative,
    entity: &Entity,
    told: &Values,
) -> Result<Vec<Condition>, UpdateError> {
    let name = entity.name_at(path);
    let declared = entity.declared_at(path);
    let kind = declared.as_ref().map_or(&AttributeType::Any, |found| found.kind);
    let needs_read = |what: String| UpdateError::NeedsRead { what };
    let mut holds: Vec<Condition> = path.parent().map(Condition::Exists).into_iter().collect();
    if is_key_only(path, entity) {
        return Err(needs_read(format!("changing `{name}`, which only a key holds,")));
    }
    let given = match change {
        Relative::Append(elements) => Some(AttributeValue::L(elements.clone())),
        Relative::AddMembers(members) | Relative::DeleteMembers(members) => {
            if path.as_top_level().is_none() {
                return Err(needs_read(format!("changing the set `{name}`, which is inside of a map,")));
            }
            Some(members.clone())
        }
        Relative::Add(_) if matches!(kind, AttributeType::Number { values } if !values.is_empty()) => {
            return Err(needs_read(format!("adding to `{name}`, which has only certain values,")));
        }
        Relative::Add(_) => None,
    };
    if let Some(problem) = given.and_then(|given| check_stored(kind, &given, &name).into_iter().next()) {
        return Err(problem.into());
    }
    let is_required = declared.as_ref().is_some_and(|found| !found.optional);
    if matches!(change, Relative::DeleteMembers(_)) && is_required && !told.contains_key(path) {
        return Err(needs_read(format!("deleting from `{name}`, which is required and must not become empty,")));
    }
    holds.extend(change.room(path, kind, None));
    Ok(holds)
}

/// The indexes whose keys depend on what changes, and those that share a key attribute with one of them.
fn touched<'a, 'c, C: Iterator<Item = &'c AttributePath>>(
    entity: &Entity,
    table: &'a Table,
    changed: impl Fn() -> C,
) -> Vec<&'a SecondaryIndex> {
    let depends = |key: &str| entity.inputs(key).iter().any(|input| changed().any(|changed| changed.overlaps(input)));
    let mut touched: Vec<&SecondaryIndex> =
        table.indexes.iter().filter(|index| index.key.names().any(depends)).collect();
    loop {
        let shares = |index: &&SecondaryIndex| {
            let is_made =
                |name: &&str| !table.key.contains(name) && matches!(entity.keys.get(*name), Some(KeySource::Made(_)));
            !touched.iter().any(|one| one.name == index.name)
                && index.key.names().filter(is_made).any(|name| touched.iter().any(|one| one.key.contains(name)))
        };
        let more: Vec<&SecondaryIndex> = table.indexes.iter().filter(shares).collect();
        if more.is_empty() {
            return touched;
        }
        touched.extend(more);
    }
}

/// What is known of an item.
struct Known {
    attributes: Attributes,
    /// Where it was told, or is set, what stands there as a whole, be it nothing.
    learned: BTreeSet<AttributePath>,
}

impl Known {
    fn learn(&mut self, path: &AttributePath, value: Option<&AttributeValue>) {
        match value {
            Some(value) => path.set(&mut self.attributes, value.clone()),
            None => path.remove(&mut self.attributes),
        }
        self.learned.insert(path.clone());
    }

    /// Whether it is known what stands there, be it nothing.
    fn knows(&self, path: &AttributePath) -> bool {
        path.get(&self.attributes).is_some()
            || self.learned.iter().any(|known| known.overlaps(path) && known.steps().len() <= path.steps().len())
    }

    /// The templated keys of an index; `None` where the item is certainly not in it.
    fn keys_of(
        &self,
        index: &SecondaryIndex,
        entity: &Entity,
        table: &Table,
    ) -> Result<Option<Attributes>, UpdateError> {
        let mut keys = Attributes::new();
        let mut unknown = None;
        for key in index.key.attributes() {
            match self.key(key, entity) {
                Ok(None) => return Ok(None),
                Ok(Some(value)) if table.key.contains(&key.name) => drop(value),
                Ok(Some(value)) => {
                    table.check_key(key, &value)?;
                    if matches!(entity.keys.get(&key.name), Some(KeySource::Made(_))) {
                        keys.insert(key.name.clone(), value);
                    }
                }
                Err(Doubt::Unknown(path)) => unknown = unknown.or(Some(path)),
                Err(Doubt::Refused(error)) => return Err(error.into()),
            }
        }
        match unknown {
            Some(path) => Err(UpdateError::Unknown { index: index.name.clone(), path }),
            None => Ok(Some(keys)),
        }
    }

    fn key(&self, key: &KeyAttribute, entity: &Entity) -> Result<Option<AttributeValue>, Doubt> {
        let must_know =
            |path: &AttributePath| if self.knows(path) { Ok(()) } else { Err(Doubt::Unknown(path.clone())) };
        let Some(source) = entity.keys.get(&key.name) else { return Ok(None) };
        if let KeySource::Attribute { .. } = source {
            must_know(&AttributePath::top_level(&key.name))?;
        }
        for choice in source.choices() {
            let mut holds = true;
            for when in &choice.when {
                // One condition that certainly fails decides, whatever the others say.
                if self.knows(&when.path) && !when.holds(&self.attributes) {
                    holds = false;
                    break;
                }
            }
            if !holds {
                continue;
            }
            for when in &choice.when {
                must_know(&when.path)?;
            }
            let certainly_absent = choice
                .template
                .placeholders()
                .any(|one| !one.has_fallback() && self.knows(&one.path) && one.path.get(&self.attributes).is_none());
            if !certainly_absent {
                choice.template.placeholders().try_for_each(|one| must_know(&one.path))?;
            }
            break;
        }
        source.make(key, &self.attributes).map_err(Doubt::Refused)
    }
}

/// Why a key cannot be told.
enum Doubt {
    Unknown(AttributePath),
    Refused(crate::key::KeyError),
}
