//! Where a value stands inside an item.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

use super::AttributeValue;

/// A path into nested maps: `authorName`, `byline.name`. It is never empty.
///
/// Each step is one name as it stands in the item, so a name that has a dot in it is one step.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct AttributePath(Vec<String>);

impl AttributePath {
    /// The path of a top-level attribute.
    pub fn top_level(name: impl Into<String>) -> Self {
        AttributePath(vec![name.into()])
    }

    /// The path one step deeper.
    pub fn child(&self, name: impl Into<String>) -> Self {
        let mut steps = self.0.clone();
        steps.push(name.into());
        AttributePath(steps)
    }

    /// The names from the outside in; there is at least one.
    pub fn steps(&self) -> &[String] {
        &self.0
    }

    /// The top-level attribute that it starts in.
    pub fn root(&self) -> &str {
        &self.0[0]
    }

    /// Whether one of the two lies inside the other, or they are the same.
    pub fn overlaps(&self, other: &Self) -> bool {
        let shared = self.0.len().min(other.0.len());
        self.0[..shared] == other.0[..shared]
    }

    /// The value that stands there, where every step leads into a map.
    pub fn get<'a>(&self, attributes: &'a BTreeMap<String, AttributeValue>) -> Option<&'a AttributeValue> {
        let mut value = attributes.get(self.root())?;
        for step in &self.0[1..] {
            match value {
                AttributeValue::M(fields) => value = fields.get(step)?,
                _ => return None,
            }
        }
        Some(value)
    }

    /// The shortest part of the path at which nothing stands: `byline` where there is no byline, the
    /// whole path where its parent is there. `None` where something stands there, or where a step
    /// leads into a value that is not a map.
    pub fn first_missing(&self, attributes: &BTreeMap<String, AttributeValue>) -> Option<AttributePath> {
        let mut fields = attributes;
        for (at, step) in self.0.iter().enumerate() {
            match fields.get(step) {
                None => return Some(AttributePath(self.0[..=at].to_vec())),
                Some(AttributeValue::M(inner)) => fields = inner,
                Some(_) => return None,
            }
        }
        None
    }

    /// Puts a value there, making the maps on the way. It does nothing where a step leads into a value that is not a map.
    pub fn set(&self, attributes: &mut BTreeMap<String, AttributeValue>, value: AttributeValue) {
        let mut fields = attributes;
        let (last, parents) = self.0.split_last().expect("a path has at least one step");
        for step in parents {
            match fields.entry(step.clone()).or_insert_with(|| AttributeValue::M(BTreeMap::new())) {
                AttributeValue::M(inner) => fields = inner,
                _ => return,
            }
        }
        fields.insert(last.clone(), value);
    }

    /// Takes away the value that stands there.
    pub fn remove(&self, attributes: &mut BTreeMap<String, AttributeValue>) {
        let mut fields = attributes;
        let (last, parents) = self.0.split_last().expect("a path has at least one step");
        for step in parents {
            match fields.get_mut(step) {
                Some(AttributeValue::M(inner)) => fields = inner,
                _ => return,
            }
        }
        fields.remove(last);
    }
}

impl fmt::Display for AttributePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.join("."))
    }
}
