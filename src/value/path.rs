//! Where a value stands inside an item.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::{AttributeValue, Attributes};

/// A path into nested maps and lists: `authorName`, `byline.name`, `coAuthors[1].name`. It starts with a name.
///
/// Each name stands as it does in the item, so a name that has a dot in it is one step.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct AttributePath(Vec<Step>);

/// One step of a path.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Step {
    /// To a field of a map, or to a top-level attribute.
    Name(String),
    /// To an element of a list, counted from 0.
    Element(usize),
}

impl Step {
    /// The name, where it leads to one.
    pub fn name(&self) -> Option<&str> {
        match self {
            Step::Name(name) => Some(name),
            Step::Element(_) => None,
        }
    }
}

impl AttributePath {
    /// The path of a top-level attribute.
    pub fn top_level(name: impl Into<String>) -> Self {
        AttributePath(vec![Step::Name(name.into())])
    }

    /// The path one name deeper.
    pub fn child(&self, name: impl Into<String>) -> Self {
        self.then(Step::Name(name.into()))
    }

    /// The path to an element of the list that stands here.
    pub fn element(&self, at: usize) -> Self {
        self.then(Step::Element(at))
    }

    /// The path that goes on from here as another does from its beginning.
    pub fn join(&self, rest: &AttributePath) -> Self {
        AttributePath(self.0.iter().chain(&rest.0).cloned().collect())
    }

    fn then(&self, step: Step) -> Self {
        let mut steps = self.0.clone();
        steps.push(step);
        AttributePath(steps)
    }

    /// The steps from the outside in; there is at least one.
    pub fn steps(&self) -> &[Step] {
        &self.0
    }

    /// The top-level attribute that it starts in.
    pub fn root(&self) -> &str {
        self.0[0].name().unwrap_or_default()
    }

    /// The name, where it is that of a top-level attribute.
    pub fn as_top_level(&self) -> Option<&str> {
        match self.0.as_slice() {
            [Step::Name(name)] => Some(name),
            _ => None,
        }
    }

    /// The path one step less deep, where there is one.
    pub fn parent(&self) -> Option<AttributePath> {
        let (_, parent) = self.0.split_last()?;
        (!parent.is_empty()).then(|| AttributePath(parent.to_vec()))
    }

    /// Whether it ends at an element of a list.
    pub fn is_element(&self) -> bool {
        matches!(self.0.last(), Some(Step::Element(_)))
    }

    /// Whether one of the two lies inside the other, or they are the same.
    pub fn overlaps(&self, other: &Self) -> bool {
        let shared = self.0.len().min(other.0.len());
        self.0[..shared] == other.0[..shared]
    }

    /// The value that stands there.
    pub fn get<'a>(&self, attributes: &'a Attributes) -> Option<&'a AttributeValue> {
        self.0[1..].iter().try_fold(attributes.get(self.root())?, |value, step| match (value, step) {
            (AttributeValue::M(fields), Step::Name(name)) => fields.get(name),
            (AttributeValue::L(elements), Step::Element(at)) => elements.get(*at),
            _ => None,
        })
    }

    /// The shortest part of the path at which nothing stands: `byline` where there is no byline, the
    /// whole path where its parent is there. `None` where something stands there, or where a step
    /// leads into a value that is not a map, or past the end of a list.
    pub fn first_missing(&self, attributes: &Attributes) -> Option<AttributePath> {
        for at in 1..=self.0.len() {
            let part = AttributePath(self.0[..at].to_vec());
            if part.get(attributes).is_some() {
                continue;
            }
            let parent_is_a_map = at == 1
                || matches!(AttributePath(self.0[..at - 1].to_vec()).get(attributes), Some(AttributeValue::M(_)));
            let is_a_name = self.0[at - 1].name().is_some();
            return (parent_is_a_map && is_a_name).then_some(part);
        }
        None
    }

    /// Puts a value there, making the maps on the way. It does nothing where a step leads into a value that is not
    /// a map, or past the end of a list.
    pub fn set(&self, attributes: &mut Attributes, value: AttributeValue) {
        fn descend(here: &mut AttributeValue, steps: &[Step], value: AttributeValue) {
            match (steps.split_first(), here) {
                (None, here) => *here = value,
                (Some((Step::Name(name), rest)), AttributeValue::M(fields)) => {
                    let next = fields.entry(name.clone()).or_insert_with(|| AttributeValue::M(Attributes::new()));
                    descend(next, rest, value);
                }
                (Some((Step::Element(at), rest)), AttributeValue::L(elements)) => {
                    if let Some(next) = elements.get_mut(*at) {
                        descend(next, rest, value);
                    }
                }
                _ => {}
            }
        }
        let root = attributes.entry(self.root().to_owned()).or_insert_with(|| AttributeValue::M(Attributes::new()));
        descend(root, &self.0[1..], value);
    }

    /// Takes away the value that stands there. An element of a list is left: the others would move.
    pub fn remove(&self, attributes: &mut Attributes) {
        fn descend(here: &mut AttributeValue, steps: &[Step]) {
            match (steps, here) {
                ([Step::Name(name)], AttributeValue::M(fields)) => drop(fields.remove(name)),
                ([Step::Name(name), rest @ ..], AttributeValue::M(fields)) => {
                    fields.get_mut(name).into_iter().for_each(|next| descend(next, rest));
                }
                ([Step::Element(at), rest @ ..], AttributeValue::L(elements)) if !rest.is_empty() => {
                    elements.get_mut(*at).into_iter().for_each(|next| descend(next, rest));
                }
                _ => {}
            }
        }
        match self.as_top_level() {
            Some(name) => drop(attributes.remove(name)),
            None => attributes.get_mut(self.root()).into_iter().for_each(|root| descend(root, &self.0[1..])),
        }
    }
}

impl fmt::Display for AttributePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, step) in self.0.iter().enumerate() {
            match step {
                Step::Name(name) if at == 0 => f.write_str(name)?,
                Step::Name(name) => write!(f, ".{name}")?,
                Step::Element(element) => write!(f, "[{element}]")?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn item() -> Attributes {
        let AttributeValue::M(item) =
            serde_json::from_str(r#"{"M":{"l":{"L":[{"M":{"id":{"S":"1"}}},{"S":"x"}]},"s":{"S":"t"}}}"#).unwrap()
        else {
            unreachable!("it is a map")
        };
        item
    }

    fn path(steps: &str) -> AttributePath {
        serde_json::from_str(steps).unwrap()
    }

    #[test]
    fn values_inside_lists_are_found_set_and_removed() {
        let (mut item, id) = (item(), path(r#"["l",0,"id"]"#));
        assert_eq!(id.to_string(), "l[0].id");
        id.set(&mut item, "2".into());
        assert_eq!(id.get(&item), Some(&"2".into()));
        id.remove(&mut item);
        assert_eq!(id.get(&item), None);
        assert_eq!(id.first_missing(&item), Some(id));
        path(r#"["l",1]"#).remove(&mut item);
        path(r#"["l",7,"id"]"#).set(&mut item, "3".into());
        assert_eq!(path(r#"["l",1]"#).get(&item), Some(&"x".into()));
    }

    #[test]
    fn what_is_missing_is_the_first_step_that_could_be_made() {
        let item = item();
        assert_eq!(path(r#"["a","b","c"]"#).first_missing(&item), Some(path(r#"["a"]"#)));
        assert_eq!(path(r#"["s","b"]"#).first_missing(&item), None);
        assert_eq!(path(r#"["l",5,"b"]"#).first_missing(&item), None);
    }
}
