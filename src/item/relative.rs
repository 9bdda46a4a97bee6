//! Changes that go by what an item holds, which DynamoDB makes without anybody reading it first.

use serde::{Deserialize, Serialize};

use super::UpdateError;
use crate::expression::Condition;
use crate::model::{AttributePath, AttributeType};
use crate::value::AttributeValue::{self, BinarySet, NumberSet, StringSet};
use crate::value::Number;

/// What is made of the value that stands at a place.
///
/// Source: *Update expressions* in the developer guide, for each of them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Relative {
    /// The number becomes so much more; one that is missing counts as 0.
    Add(Number),
    /// The list gets these elements at its end; one that is missing counts as empty.
    Append(Vec<AttributeValue>),
    /// The set gets these members, given as a set of its type; one that is missing counts as empty.
    AddMembers(AttributeValue),
    /// The set loses these members; with its last member it is gone.
    DeleteMembers(AttributeValue),
}

impl Relative {
    /// What stands there afterwards; `None` where nothing does.
    ///
    /// # Errors
    /// What stands there is of another type, or the number would have more digits than DynamoDB keeps.
    pub fn of(
        &self,
        path: &AttributePath,
        before: Option<&AttributeValue>,
    ) -> Result<Option<AttributeValue>, UpdateError> {
        let wrong = || UpdateError::OtherType(path.clone());
        Ok(match (self, before) {
            (Relative::Add(more), None) => Some(AttributeValue::N(*more)),
            (Relative::Add(more), Some(AttributeValue::N(held))) => match held.checked_add(more) {
                Some(sum) => Some(AttributeValue::N(sum)),
                None => return Err(UpdateError::Sum(path.clone())),
            },
            (Relative::Append(elements), None) => Some(AttributeValue::L(elements.clone())),
            (Relative::Append(elements), Some(AttributeValue::L(held))) => {
                Some(AttributeValue::L(held.iter().chain(elements).cloned().collect()))
            }
            (Relative::AddMembers(members), None) => Some(members.clone()),
            (Relative::DeleteMembers(_), None) => None,
            (Relative::AddMembers(members), Some(held)) => Some(match (held, members) {
                (StringSet(held), StringSet(more)) => StringSet(held | more),
                (NumberSet(held), NumberSet(more)) => NumberSet(held | more),
                (BinarySet(held), BinarySet(more)) => BinarySet(held | more),
                _ => return Err(wrong()),
            }),
            (Relative::DeleteMembers(members), Some(held)) => {
                let left = match (held, members) {
                    (StringSet(held), StringSet(less)) => StringSet(held - less),
                    (NumberSet(held), NumberSet(less)) => NumberSet(held - less),
                    (BinarySet(held), BinarySet(less)) => BinarySet(held - less),
                    _ => return Err(wrong()),
                };
                (count(&left) > 0).then_some(left)
            }
            (Relative::Add(_) | Relative::Append(_), Some(_)) => return Err(wrong()),
        })
    }

    /// That there is room for what is added, where the definition bounds it. Of a set that was not read, any member
    /// may be new.
    pub(crate) fn room(
        &self,
        path: &AttributePath,
        kind: &AttributeType,
        before: Option<&AttributeValue>,
    ) -> Option<Condition> {
        let growth = match (self, before) {
            (Relative::Append(elements), _) => elements.len(),
            (Relative::AddMembers(_), Some(held)) => {
                self.of(path, before).ok().flatten().map_or(0, |after| count(&after) - count(held))
            }
            (Relative::AddMembers(members), None) => count(members),
            (Relative::Add(_) | Relative::DeleteMembers(_), _) => return None,
        };
        let (AttributeType::List { max_items, .. } | AttributeType::Set { max_items, .. }) = kind else { return None };
        let most = usize::try_from((*max_items)?).unwrap_or(usize::MAX);
        Some(Condition::AtMost(path.clone(), most.saturating_sub(growth)))
    }
}

/// How many members a set has.
fn count(set: &AttributeValue) -> usize {
    match set {
        StringSet(members) => members.len(),
        NumberSet(members) => members.len(),
        BinarySet(members) => members.len(),
        _ => 0,
    }
}
