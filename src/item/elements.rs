//! What has to stay as it is so that a position in a list still means the same element.

use super::Item;
use crate::expression::Condition;
use crate::model::{AttributePath, Entity, Holder};
use crate::value::{AttributeValue, Step};

/// For each element that a path leads through: where the element is a reference to a source, that it still refers to
/// it, and else that its list is as long as it was.
pub fn elements_still(path: &AttributePath, entity: &Entity, before: &Item) -> Vec<Condition> {
    let mut conditions = Vec::new();
    let mut list = AttributePath::top_level(path.root());
    for step in &path.steps()[1..] {
        let at = match step {
            Step::Name(name) => {
                list = list.child(name);
                continue;
            }
            Step::Element(at) => *at,
        };
        let references = entity.references.iter().filter_map(|one| Some((one, one.within.as_ref()?)));
        let keys = references.filter(|(_, within)| within.list == list).flat_map(|(reference, within)| {
            let element = within.element(at);
            let own = reference.by.iter().filter(|key| key.holder == Holder::Element);
            own.map(move |key| Condition::still(&key.target_at(Some(&element)), before))
        });
        let keys: Vec<Condition> = keys.filter(|condition| !matches!(condition, Condition::Absent(_))).collect();
        match (keys.is_empty(), list.get(&before.0)) {
            (true, Some(AttributeValue::L(elements))) => {
                conditions.push(Condition::Length(list.clone(), elements.len()));
            }
            _ => conditions.extend(keys),
        }
        list = list.element(at);
    }
    conditions
}
