//! The guarded writes that bring one item's copies up to date.

use serde::{Deserialize, Serialize};

use super::{Class, Outcome};
use crate::capacity::{WriteCapacity, WriteUnits};
use crate::expression::{Condition, Placeholders};
use crate::item::{Attributes, Item, Relative};
use crate::limits::{MAX_EXPRESSION_BYTES, MAX_OPERATORS};
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
    /// What is changed going by what is there.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub relative: Vec<(AttributePath, Relative)>,
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
    /// The elements of its lists that are written to still do.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub elements: Vec<Condition>,
    /// It still holds the values that the plan shows, or an older version.
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
    /// The item's primary key.
    pub key: Item,
    /// The writes, one after the other: one, unless its expressions would be larger than DynamoDB takes.
    pub writes: Vec<ChangeWrite>,
}

/// One write of a change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChangeWrite {
    /// The copies that it changes.
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
        let update = placeholders.update(&self.set, &self.remove, &self.relative);
        let condition = placeholders.condition(&self.guard.conditions());
        UpdateRequest { key: self.key.clone(), update, condition, placeholders }
    }

    /// Whether there is nothing to write.
    pub fn changes_nothing(&self) -> bool {
        self.set.is_empty() && self.remove.is_empty() && self.relative.is_empty()
    }

    /// Whether its expressions are small enough for DynamoDB.
    pub fn fits(&self) -> bool {
        let request = self.request();
        // An assignment, a comparison, a function and each word between two conditions count as one.
        let conditions = self.guard.conditions().len();
        let operators = self.set.len() + self.remove.len() + 2 * self.relative.len();
        request.update.len() <= MAX_EXPRESSION_BYTES
            && request.condition.len() <= MAX_EXPRESSION_BYTES
            && operators <= MAX_OPERATORS
            && 2 * conditions <= MAX_OPERATORS
    }
}

impl Guard {
    /// All of it, the item's existence first, nothing twice.
    pub fn conditions(&self) -> Vec<Condition> {
        let mut conditions = vec![Condition::Exists(AttributePath::top_level(&self.exists))];
        for condition in self.refers.iter().chain(&self.elements).chain(&self.holds).chain(&self.inputs) {
            // An attribute that refers to the source may also be what a key is made from.
            if !conditions.contains(condition) {
                conditions.push(condition.clone());
            }
        }
        conditions
    }
}

impl Change {
    /// The copies that it changes.
    pub fn copies(&self) -> impl Iterator<Item = &CopyChange> {
        self.writes.iter().flat_map(|write| &write.copies)
    }
}

impl ChangeWrite {
    /// Why its guard was refused, going by the item that stood there.
    pub fn classify_refusal(&self, item: Option<&Attributes>) -> Outcome {
        let Some(item) = item else { return Outcome::Gone };
        let guard = &self.update.guard;
        if !guard.refers.iter().all(|condition| condition.holds(item)) {
            return Outcome::Moved;
        }
        let is_current = |copy: &CopyChange| copy.attribute.get(item) == copy.now.as_ref();
        // The version that this write would have left, or a later one.
        let is_as_new = |condition: &Condition| match condition {
            Condition::OlderThan(..) => !condition.holds(item),
            _ => true,
        };
        let elements_are_the_same = guard.elements.iter().all(|condition| condition.holds(item));
        let is_done = self.copies.iter().all(is_current) && guard.holds.iter().all(is_as_new);
        if elements_are_the_same && is_done { Outcome::AlreadyCurrent } else { Outcome::Conflict }
    }
}
