//! Changes one item through the layout, with every index key that depends on what changes.

use std::collections::BTreeMap;

use super::{Store, StoreError, Write, WriteError};
use crate::capacity::{ReadUnits, WriteCapacity};
use crate::expression::Condition;
use crate::fanout::{Guard, GuardedUpdate};
use crate::item::{
    Item, Relative, UpdateError, after_relative, attributes_of, copied_attributes, elements_still, next_version,
    unread_update, update,
};
use crate::layout::Layout;
use crate::model::{AttributePath, Entity, KeySource, Table};
use crate::value::{AttributeValue, Number};

/// A change of one item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ItemChange {
    /// The item's primary key.
    pub key: Item,
    /// What is set; `None` takes a value away.
    pub changes: BTreeMap<AttributePath, Option<AttributeValue>>,
    /// What is changed going by what the item holds.
    pub relative: BTreeMap<AttributePath, Relative>,
    /// What the item is said to hold, or not to hold. The write is made only while that is true.
    pub told: BTreeMap<AttributePath, Option<AttributeValue>>,
    /// Whether the item is read first. Otherwise an index key that depends on something that is not known is an error.
    pub read: bool,
}

/// What became of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ItemChanged {
    /// The write that was made.
    pub update: GuardedUpdate,
    /// What it was to take, where the item was read.
    pub forecast: Option<WriteCapacity>,
    /// What writing took.
    pub write_units: WriteCapacity,
    /// What reading took.
    pub read_units: ReadUnits,
}

impl ItemChanged {
    /// Whether the item held all of it already.
    pub fn wrote_nothing(&self) -> bool {
        self.update.changes_nothing()
    }
}

/// Why an item was not changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ChangeError {
    /// It is not there, and an update never creates one.
    #[error("it is not there, and an update creates nothing")]
    Gone,
    /// The item with that key is of another entity.
    #[error("the item with that key is of {0}")]
    OtherEntity(String),
    /// It does not hold what was said, or what was read a moment before.
    #[error("{} {conditions}", if *.was_read { "it changed since it was read, and it is no longer true that" } else { "it is not true that" })]
    Differs {
        /// Whether the item had been read before.
        was_read: bool,
        /// What is not true of it.
        conditions: String,
    },
    /// It cannot be changed so.
    #[error(transparent)]
    Update(#[from] Box<UpdateError>),
    /// A request failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<UpdateError> for ChangeError {
    fn from(error: UpdateError) -> Self {
        ChangeError::Update(Box::new(error))
    }
}

/// A change that is ready to be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PreparedChange {
    /// The write.
    pub update: GuardedUpdate,
    /// What it will take, where the item was read.
    pub forecast: Option<WriteCapacity>,
    /// What reading took.
    pub read_units: ReadUnits,
}

/// Changes an item.
///
/// # Errors
/// The item is not there, does not hold what was said or read, cannot be changed so, or a request failed.
pub async fn change_item<S: Store>(
    store: &S,
    layout: &Layout,
    entity: &Entity,
    change: &ItemChange,
) -> Result<ItemChanged, ChangeError> {
    prepare_change(store, layout, entity, change).await?.make(store).await
}

/// Reads what a change needs, and writes nothing.
///
/// # Errors
/// The item is not there, does not hold what was said, cannot be changed so, or a request failed.
pub async fn prepare_change<S: Store>(
    store: &S,
    layout: &Layout,
    entity: &Entity,
    change: &ItemChange,
) -> Result<PreparedChange, ChangeError> {
    for path in change.relative.keys() {
        let others = change.changes.keys().chain(change.relative.keys().filter(|other| *other != path));
        if let Some(other) = others.into_iter().find(|other| other.overlaps(path)) {
            return Err(UpdateError::Together(other.clone(), path.clone()).into());
        }
    }
    let mut read_units = ReadUnits::default();
    let (update, forecast) = if change.read {
        let fetched = store.fetch(std::slice::from_ref(&change.key)).await?;
        read_units += fetched.consumed;
        let before = fetched.items.into_iter().next().ok_or(ChangeError::Gone)?;
        let (update, forecast) = of_read_item(layout, entity, change, &before)?;
        (update, Some(forecast))
    } else {
        (of_unread_item(layout, entity, change)?, None)
    };
    Ok(PreparedChange { update, forecast, read_units })
}

impl PreparedChange {
    /// Makes it, unless there is nothing to write.
    ///
    /// # Errors
    /// The item is not there, does not hold what was said or read, or the request failed.
    pub async fn make<S: Store>(self, store: &S) -> Result<ItemChanged, ChangeError> {
        let PreparedChange { update, forecast, read_units } = self;
        if update.changes_nothing() {
            return Ok(ItemChanged { update, forecast, write_units: WriteCapacity::default(), read_units });
        }
        match store.write(Write::Update(&update)).await {
            Ok(written) => Ok(ItemChanged { update, forecast, write_units: written.consumed, read_units }),
            Err(WriteError::Refused { item: None, .. }) => Err(ChangeError::Gone),
            Err(WriteError::Refused { item: Some(item), .. }) => {
                let conditions = failing(&update.guard.conditions(), &item);
                Err(ChangeError::Differs { was_read: forecast.is_some(), conditions })
            }
            Err(WriteError::Failed(error)) => Err(error.into()),
        }
    }
}

fn of_read_item(
    layout: &Layout,
    entity: &Entity,
    change: &ItemChange,
    before: &Item,
) -> Result<(GuardedUpdate, WriteCapacity), ChangeError> {
    if let Ok(found) = layout.recognise(before)
        && found.name != entity.name
    {
        return Err(ChangeError::OtherEntity(found.name.clone()));
    }
    let told: Vec<Condition> = told(change, layout, entity);
    if !told.iter().all(|condition| condition.holds(&before.0)) {
        return Err(ChangeError::Differs { was_read: false, conditions: failing(&told, before) });
    }
    // What it holds already needs no write, unless another change lies around it or in it.
    let differs = |(path, value): &(&AttributePath, &Option<AttributeValue>)| {
        path.get(&before.0) != value.as_ref()
            || change.changes.keys().any(|other| other != *path && other.overlaps(path))
    };
    let mut changes: BTreeMap<_, _> =
        change.changes.iter().filter(differs).map(|(path, value)| (path.clone(), value.clone())).collect();
    // Where what it becomes is known, index keys can be made from it, and a request that does nothing is spared.
    let attributes = attributes_of(before, entity, layout.table());
    for (path, relative) in &change.relative {
        let after = after_relative(path, relative, &attributes, entity)?;
        if after.as_ref() != path.get(&attributes) {
            changes.insert(path.clone(), after);
        }
    }
    let elements = changes.keys().flat_map(|path| elements_still(path, entity, before)).collect();
    let version = next_version(layout, entity, &before.0, &changes);
    let mut holds = told;
    if let Some((path, number)) = version {
        holds.push(Condition::still(&path, before));
        changes.insert(path, Some(AttributeValue::N(number)));
    }
    let mut updated = update(before, entity, layout.table(), &changes)?;
    let forecast = match changes.is_empty() {
        true => WriteCapacity::default(),
        false => WriteCapacity::of_write(layout.table(), Some(before), Some(&updated.after)),
    };
    let mut relative = Vec::new();
    for (path, one) in &change.relative {
        let is_set = updated.set.contains_key(path) || updated.remove.contains(path);
        let is_one_request = path.as_top_level().is_some() || matches!(one, Relative::Add(_) | Relative::Append(_));
        if is_set && is_one_request && !makes_index_key(path, entity, layout.table()) {
            // DynamoDB itself goes by what is there when it writes: nothing has to stay as it was read.
            updated.set.remove(path);
            updated.remove.remove(path);
            let kind = entity.declared_at(path).map(|found| found.kind);
            holds.extend(kind.and_then(|kind| one.room(path, kind, path.get(&before.0))));
            relative.push((path.clone(), one.clone()));
        } else if changes.contains_key(path) {
            holds.push(Condition::still(path, before));
        }
    }
    // A map that the update makes must still be missing: it would overwrite what somebody put there meanwhile.
    let makes_maps = updated.set.keys().filter(|path| !changes.contains_key(*path) && path.get(&before.0).is_none());
    holds.extend(
        makes_maps
            .filter(|path| path.as_top_level().is_none_or(|name| layout.table().key_attribute(name).is_none()))
            .map(|path| Condition::still(path, before)),
    );
    let update = GuardedUpdate {
        key: change.key.clone(),
        set: updated.set.into_iter().collect(),
        remove: updated.remove.into_iter().collect(),
        relative,
        guard: Guard {
            elements,
            ..guard(layout, holds, updated.inputs.iter().map(|path| Condition::still(path, before)).collect())
        },
    };
    Ok((update, forecast))
}

fn of_unread_item(layout: &Layout, entity: &Entity, change: &ItemChange) -> Result<GuardedUpdate, ChangeError> {
    let updated = unread_update(&change.key, entity, layout.table(), &change.changes, &change.relative, &change.told)?;
    let changed = || change.changes.keys().chain(change.relative.keys());
    let is_copied = copied_attributes(layout, &entity.name).any(|copied| changed().any(|path| path.overlaps(copied)));
    let mut holds = told(change, layout, entity);
    holds.extend(updated.holds.into_iter().filter(|condition| !matches!(condition, Condition::Equals(..))));
    // Nobody knows the version that the item has; whatever it is, it grows.
    let version = entity.version.iter().filter(|path| is_copied && changed().all(|one| one != *path));
    let grows = version.map(|path| (path.clone(), Relative::Add(Number::from(1))));
    Ok(GuardedUpdate {
        key: change.key.clone(),
        set: updated.set.into_iter().collect(),
        remove: updated.remove.into_iter().collect(),
        relative: updated.relative.into_iter().chain(grows).collect(),
        guard: guard(layout, holds, Vec::new()),
    })
}

fn guard(layout: &Layout, holds: Vec<Condition>, inputs: Vec<Condition>) -> Guard {
    let exists = layout.table().partition_key().to_owned();
    Guard { exists, refers: Vec::new(), elements: Vec::new(), holds, inputs }
}

/// What must be true of the item: that it is of its entity, what was said of it, and that its version grows where what is
/// copied from it is changed by hand together with the version.
fn told(change: &ItemChange, layout: &Layout, entity: &Entity) -> Vec<Condition> {
    let marker = layout
        .table()
        .type_attribute
        .iter()
        .map(|name| Condition::AbsentOrEquals(AttributePath::top_level(name), entity.type_value.as_str().into()));
    let version = entity.version.iter().filter_map(|path| match change.changes.get(path) {
        Some(Some(AttributeValue::N(number))) => Some(Condition::OlderThan(path.clone(), *number)),
        _ => None,
    });
    let condition = |(path, value): (&AttributePath, &Option<AttributeValue>)| match value {
        Some(value) => Condition::Equals(path.clone(), value.clone()),
        None => Condition::Absent(path.clone()),
    };
    marker.chain(change.told.iter().map(condition)).chain(version).collect()
}

/// The conditions that an item does not fulfil, in words.
fn failing(conditions: &[Condition], item: &Item) -> String {
    let words: Vec<String> =
        conditions.iter().filter(|condition| !condition.holds(&item.0)).map(ToString::to_string).collect();
    words.join(", ")
}

/// Whether a key of an index is made from what stands at the path.
fn makes_index_key(path: &AttributePath, entity: &Entity, table: &Table) -> bool {
    let indexes = table.indexes.iter().flat_map(|index| index.key.names());
    let mut made = indexes.filter(|name| matches!(entity.keys.get(*name), Some(KeySource::Made(_))));
    made.any(|name| entity.inputs(name).iter().any(|input| input.overlaps(path)))
}
