//! One guarded write.

use serde::{Deserialize, Serialize};

use super::{Class, Outcome};
use crate::capacity::{WriteCapacity, WriteUnits};
use crate::expression::{Condition, Placeholders};
use crate::item::{Attributes, Item};
use crate::model::AttributePath;
use crate::value::AttributeValue;

/// A write to one item, made only while its guard holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GuardedUpdate {
    /// The item's primary key.
    pub key: Item,
    /// What is set.
    pub set: Vec<(AttributePath, AttributeValue)>,
    /// What is removed.
    pub remove: Vec<AttributePath>,
    /// What must still be true.
    pub guard: Guard,
}

/// What must still be true of an item for a write to be made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Guard {
    /// The partition key's name: the item must exist, for an update would otherwise create it.
    pub exists: String,
    /// It still refers to the source.
    pub refers: Vec<Condition>,
    /// It still holds the values that the plan shows.
    pub holds: Vec<Condition>,
    /// The other attributes that its rewritten index keys are made from are as they were.
    pub inputs: Vec<Condition>,
}

/// An update as a request takes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UpdateRequest {
    /// The item's primary key.
    pub key: Item,
    /// The UpdateExpression.
    pub update: String,
    /// The ConditionExpression.
    pub condition: String,
    /// The names and values behind their placeholders.
    pub placeholders: Placeholders,
}

/// The source's own update.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceChange {
    /// The write.
    pub update: GuardedUpdate,
    /// What it takes.
    pub cost: WriteCapacity,
    /// What it takes when its guard is refused.
    pub refused: WriteUnits,
}

/// One item whose copies are brought up to date.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Change {
    /// The item's entity.
    pub entity: String,
    /// The copies that are changed.
    pub copies: Vec<CopyChange>,
    /// The write.
    pub update: GuardedUpdate,
    /// What it takes.
    pub cost: WriteCapacity,
    /// What it takes when its guard is refused.
    pub refused: WriteUnits,
}

/// One copied value that is changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CopyChange {
    /// The reference that it belongs to.
    pub reference: String,
    /// Where it stands.
    pub attribute: AttributePath,
    /// What it was worth.
    pub class: Class,
    /// What it held.
    pub was: Option<AttributeValue>,
    /// What it is to hold.
    pub now: Option<AttributeValue>,
}

impl GuardedUpdate {
    /// The request that makes it.
    pub fn request(&self) -> UpdateRequest {
        let mut placeholders = Placeholders::default();
        let update = placeholders.update(&self.set, &self.remove);
        let condition = placeholders.condition(&self.guard.conditions());
        UpdateRequest { key: self.key.clone(), update, condition, placeholders }
    }
}

impl Guard {
    /// All of it, the item's existence first, nothing twice.
    pub fn conditions(&self) -> Vec<Condition> {
        let mut conditions = vec![Condition::Exists(AttributePath::top_level(&self.exists))];
        for condition in self.refers.iter().chain(&self.holds).chain(&self.inputs) {
            // An attribute that refers to the source may also be what a key is made from.
            if !conditions.contains(condition) {
                conditions.push(condition.clone());
            }
        }
        conditions
    }
}

impl Change {
    /// Why its guard was refused, going by the item that stood there.
    pub fn classify_refusal(&self, item: Option<&Attributes>) -> Outcome {
        let Some(item) = item else { return Outcome::Gone };
        if !self.update.guard.refers.iter().all(|condition| condition.holds(item)) {
            return Outcome::Moved;
        }
        let is_current = |copy: &CopyChange| copy.attribute.get(item) == copy.now.as_ref();
        if self.copies.iter().all(is_current) { Outcome::AlreadyCurrent } else { Outcome::Conflict }
    }
}

/// That a value still stands where it was seen, or still does not. Where its map is missing too, the map must
/// still be missing: the update makes it, and would otherwise overwrite what somebody put there meanwhile.
pub(super) fn still(path: &AttributePath, before: &Item) -> Condition {
    match path.get(&before.0) {
        Some(value) => Condition::Equals(path.clone(), value.clone()),
        None => Condition::Absent(path.first_missing(&before.0).unwrap_or_else(|| path.clone())),
    }
}
