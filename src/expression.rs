//! Update and condition expressions, with every name and value behind a placeholder, so that no reserved
//! word, dot, dash or space in a name can break a request.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::item::{Attributes, Item, Relative};
use crate::model::AttributePath;
use crate::value::{AttributeValue, Number, Step, to_plain_json};

/// One thing that must be true of the item for a write to be made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Condition {
    /// Something stands at the path.
    Exists(AttributePath),
    /// Nothing stands at the path.
    Absent(AttributePath),
    /// This value stands at the path.
    Equals(AttributePath, AttributeValue),
    /// Nothing stands at the path, or this value.
    AbsentOrEquals(AttributePath, AttributeValue),
    /// Nothing stands at the path, or a lower number.
    OlderThan(AttributePath, Number),
    /// A list of so many elements stands at the path.
    Length(AttributePath, usize),
    /// Nothing stands at the path, or a list or set of at most so many.
    AtMost(AttributePath, usize),
}

impl Condition {
    /// That a value still stands where it was seen, or still does not. Where its map is missing too, the map must
    /// still be missing: the update makes it, and would otherwise overwrite what somebody put there meanwhile.
    pub fn still(path: &AttributePath, before: &Item) -> Condition {
        match path.get(&before.0) {
            Some(value) => Condition::Equals(path.clone(), value.clone()),
            None => Condition::Absent(path.first_missing(&before.0).unwrap_or_else(|| path.clone())),
        }
    }

    /// Whether it is true of an item.
    pub fn holds(&self, item: &Attributes) -> bool {
        match self {
            Condition::Exists(path) => path.get(item).is_some(),
            Condition::Absent(path) => path.get(item).is_none(),
            Condition::Equals(path, value) => path.get(item) == Some(value),
            Condition::AbsentOrEquals(path, value) => path.get(item).is_none_or(|held| held == value),
            Condition::OlderThan(path, number) => match path.get(item) {
                None => true,
                Some(AttributeValue::N(held)) => held < number,
                Some(_) => false,
            },
            Condition::Length(path, count) => path.get(item).and_then(size) == Some(*count),
            Condition::AtMost(path, count) => {
                path.get(item).is_none_or(|held| size(held).is_some_and(|size| size <= *count))
            }
        }
    }
}

impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Condition::Exists(path) => write!(f, "{path} is there"),
            Condition::Absent(path) => write!(f, "{path} is absent"),
            Condition::Equals(path, value) => write!(f, "{path} = {}", to_plain_json(value)),
            Condition::AbsentOrEquals(path, value) => write!(f, "{path} = {}", to_plain_json(value)),
            Condition::OlderThan(path, number) => write!(f, "{path} is below {number}"),
            Condition::Length(path, count) => write!(f, "{path} has {count} elements"),
            Condition::AtMost(path, count) => write!(f, "{path} has at most {count} elements"),
        }
    }
}

/// What DynamoDB's `size` tells of a list or a set.
fn size(value: &AttributeValue) -> Option<usize> {
    match value {
        AttributeValue::L(elements) => Some(elements.len()),
        AttributeValue::StringSet(members) => Some(members.len()),
        AttributeValue::NumberSet(members) => Some(members.len()),
        AttributeValue::BinarySet(members) => Some(members.len()),
        _ => None,
    }
}

/// Collects the placeholders of one request.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Placeholders {
    /// `#n0` and the name that it stands for.
    pub names: BTreeMap<String, String>,
    /// `:v0` and the value that it stands for.
    pub values: BTreeMap<String, AttributeValue>,
}

impl Placeholders {
    /// `SET ... REMOVE ... ADD ... DELETE ...`; empty when there is nothing to change.
    pub fn update(
        &mut self,
        set: &[(AttributePath, AttributeValue)],
        remove: &[AttributePath],
        relative: &[(AttributePath, Relative)],
    ) -> String {
        let mut sets: Vec<String> =
            set.iter().map(|(path, value)| format!("{} = {}", self.path(path), self.value(value))).collect();
        let removes: Vec<String> = remove.iter().map(|path| self.path(path)).collect();
        let (mut adds, mut deletes) = (Vec::new(), Vec::new());
        for (at, change) in relative {
            let path = self.path(at);
            match change {
                // ADD is for top-level attributes.
                Relative::Add(number) if at.as_top_level().is_some() => {
                    adds.push(format!("{path} {}", self.value(&AttributeValue::N(*number))));
                }
                Relative::Add(number) => {
                    let (zero, number) =
                        (self.value(&AttributeValue::N(Number::ZERO)), self.value(&AttributeValue::N(*number)));
                    sets.push(format!("{path} = if_not_exists({path}, {zero}) + {number}"));
                }
                Relative::Append(elements) => {
                    let (none, elements) =
                        (self.value(&AttributeValue::L(Vec::new())), self.value(&AttributeValue::L(elements.clone())));
                    sets.push(format!("{path} = list_append(if_not_exists({path}, {none}), {elements})"));
                }
                Relative::AddMembers(members) => adds.push(format!("{path} {}", self.value(members))),
                Relative::DeleteMembers(members) => deletes.push(format!("{path} {}", self.value(members))),
            }
        }
        let clause = |word: &str, parts: Vec<String>| match parts.is_empty() {
            true => None,
            false => Some(format!("{word} {}", parts.join(", "))),
        };
        [clause("SET", sets), clause("REMOVE", removes), clause("ADD", adds), clause("DELETE", deletes)]
            .into_iter()
            .flatten()
            .collect::<Vec<_>>()
            .join(" ")
    }

    /// All of the conditions, joined by `AND`.
    pub fn condition(&mut self, conditions: &[Condition]) -> String {
        let parts: Vec<String> = conditions
            .iter()
            .map(|condition| match condition {
                Condition::Exists(path) => format!("attribute_exists({})", self.path(path)),
                Condition::Absent(path) => format!("attribute_not_exists({})", self.path(path)),
                Condition::Equals(path, value) => format!("{} = {}", self.path(path), self.value(value)),
                Condition::AbsentOrEquals(path, value) => {
                    let (path, value) = (self.path(path), self.value(value));
                    format!("(attribute_not_exists({path}) OR {path} = {value})")
                }
                Condition::OlderThan(path, number) => {
                    let (path, number) = (self.path(path), self.value(&AttributeValue::N(*number)));
                    format!("(attribute_not_exists({path}) OR {path} < {number})")
                }
                Condition::Length(path, count) => {
                    format!("size({}) = {}", self.path(path), self.value(&AttributeValue::N((*count as u64).into())))
                }
                Condition::AtMost(path, count) => {
                    let (path, count) = (self.path(path), self.value(&AttributeValue::N((*count as u64).into())));
                    format!("(attribute_not_exists({path}) OR size({path}) <= {count})")
                }
            })
            .collect();
        parts.join(" AND ")
    }

    fn path(&mut self, path: &AttributePath) -> String {
        let mut text = String::new();
        for step in path.steps() {
            match step {
                Step::Name(name) if text.is_empty() => text = self.name(name),
                Step::Name(name) => text.push_str(&format!(".{}", self.name(name))),
                Step::Element(at) => text.push_str(&format!("[{at}]")),
            }
        }
        text
    }

    /// The placeholder of a name; a name that comes again gets the same one.
    pub fn name(&mut self, name: &str) -> String {
        if let Some((placeholder, _)) = self.names.iter().find(|(_, known)| *known == name) {
            return placeholder.clone();
        }
        let placeholder = format!("#n{}", self.names.len());
        self.names.insert(placeholder.clone(), name.to_owned());
        placeholder
    }

    /// The placeholder of a value; a value that comes again gets the same one.
    pub fn value(&mut self, value: &AttributeValue) -> String {
        if let Some((placeholder, _)) = self.values.iter().find(|(_, known)| *known == value) {
            return placeholder.clone();
        }
        let placeholder = format!(":v{}", self.values.len());
        self.values.insert(placeholder.clone(), value.clone());
        placeholder
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_values_stand_behind_placeholders_and_repeat_none() {
        let name = AttributePath::top_level("byline").child("na.me");
        let mut placeholders = Placeholders::default();
        let update = placeholders.update(&[(name.clone(), "new".into())], &[AttributePath::top_level("data")], &[]);
        let condition = placeholders
            .condition(&[Condition::Exists(AttributePath::top_level("PK")), Condition::Equals(name, "old".into())]);
        assert_eq!(update, "SET #n0.#n1 = :v0 REMOVE #n2");
        assert_eq!(condition, "attribute_exists(#n3) AND #n0.#n1 = :v1");
        assert_eq!(placeholders.names["#n1"], "na.me");
    }

    #[test]
    fn elements_stand_in_brackets_and_versions_may_be_absent_or_lower() {
        let element = AttributePath::top_level("coAuthors").element(1);
        let mut placeholders = Placeholders::default();
        let update = placeholders.update(
            &[(element.child("name"), "new".into())],
            &[],
            &[(AttributePath::top_level("rev"), Relative::Add(Number::from(1)))],
        );
        let older = Condition::OlderThan(element.child("rev"), Number::from(4));
        assert_eq!(update, "SET #n0[1].#n1 = :v0 ADD #n2 :v1");
        assert_eq!(
            placeholders.condition(std::slice::from_ref(&older)),
            "(attribute_not_exists(#n0[1].#n2) OR #n0[1].#n2 < :v2)"
        );
        let item = |json| serde_json::from_str::<Item>(json).unwrap().0;
        assert!(older.holds(&item(r#"{"coAuthors":{"L":[{"S":"x"},{"M":{"rev":{"N":"3"}}}]}}"#)));
        assert!(!older.holds(&item(r#"{"coAuthors":{"L":[{"S":"x"},{"M":{"rev":{"N":"4"}}}]}}"#)));
    }
}
