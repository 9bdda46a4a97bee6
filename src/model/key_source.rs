//! Where the value of a key attribute comes from.

use super::{AttributePath, KeyAttribute, KeyType};
use crate::key::{KeyError, KeyTemplate, Placeholder, Segment};
use crate::value::{AttributeValue, Attributes};

/// Where the value of a key attribute comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeySource {
    /// The first of these templates whose condition holds makes it; there is at least one.
    Made(Vec<KeyChoice>),
    /// It is itself a plain attribute of the entity.
    Attribute {
        /// Whether an item may lack it.
        optional: bool,
    },
}

/// A template, and when it makes the key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyChoice {
    /// The template.
    pub template: KeyTemplate,
    /// What must all be true of the item; nothing where it makes the key in any case.
    pub when: Vec<When>,
}

/// Something that must be true of an item for it to be in an index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct When {
    /// The attribute.
    pub path: AttributePath,
    /// What it must be.
    pub is: WhenIs,
}

/// What an attribute must be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WhenIs {
    /// There, whatever it holds.
    Present,
    /// One of these, as the item stores them.
    OneOf(Vec<AttributeValue>),
}

impl When {
    /// Whether it is true of an item with these attributes.
    pub fn holds(&self, attributes: &Attributes) -> bool {
        let value = self.path.get(attributes);
        match &self.is {
            WhenIs::Present => value.is_some(),
            WhenIs::OneOf(values) => value.is_some_and(|value| values.contains(value)),
        }
    }
}

impl KeyChoice {
    /// Whether it makes the key of an item with these attributes.
    pub fn holds(&self, attributes: &Attributes) -> bool {
        self.when.iter().all(|when| when.holds(attributes))
    }

    /// Makes the key, in the type that it has.
    fn render(&self, key: &KeyAttribute, attributes: &Attributes) -> Result<Option<AttributeValue>, KeyError> {
        match (key.kind, self.template.segments()) {
            (KeyType::String, _) => Ok(self.template.render(&key.name, attributes)?.map(AttributeValue::S)),
            (_, [Segment::Placeholder(placeholder)]) => Ok(placeholder.path.get(attributes).cloned()),
            // A constant number: nothing else passes the checks of a definition.
            _ => Ok(self
                .template
                .render(&key.name, attributes)?
                .and_then(|text| text.parse().ok())
                .map(AttributeValue::N)),
        }
    }
}

impl KeySource {
    /// The templates; none for a plain attribute.
    pub fn choices(&self) -> &[KeyChoice] {
        match self {
            KeySource::Made(choices) => choices,
            KeySource::Attribute { .. } => &[],
        }
    }

    /// The placeholders of all its templates.
    pub fn placeholders(&self) -> impl Iterator<Item = &Placeholder> {
        self.choices().iter().flat_map(|choice| choice.template.placeholders())
    }

    /// Makes the key of an item with these attributes, or takes it from them; `None` when it has none.
    ///
    /// # Errors
    /// A value that cannot stand in this key.
    pub fn make(&self, key: &KeyAttribute, attributes: &Attributes) -> Result<Option<AttributeValue>, KeyError> {
        match self {
            KeySource::Attribute { .. } => Ok(attributes.get(&key.name).cloned()),
            KeySource::Made(choices) => match choices.iter().find(|choice| choice.holds(attributes)) {
                Some(choice) => choice.render(key, attributes),
                None => Ok(None),
            },
        }
    }

    /// Every key that these attributes can make: one for each template and each shard.
    ///
    /// # Errors
    /// A value that cannot stand in this key.
    pub fn make_every(&self, key: &KeyAttribute, attributes: &Attributes) -> Result<Vec<AttributeValue>, KeyError> {
        let mut keys = Vec::new();
        match self {
            KeySource::Attribute { .. } => keys.extend(attributes.get(&key.name).cloned()),
            KeySource::Made(choices) => {
                for choice in choices {
                    match key.kind {
                        KeyType::String => {
                            let texts = choice.template.render_every_shard(&key.name, attributes)?;
                            keys.extend(texts.into_iter().map(AttributeValue::S));
                        }
                        KeyType::Number | KeyType::Binary => keys.extend(choice.render(key, attributes)?),
                    }
                }
            }
        }
        let mut distinct: Vec<AttributeValue> = Vec::new();
        for key in keys {
            if !distinct.contains(&key) {
                distinct.push(key);
            }
        }
        Ok(distinct)
    }

    /// The values of the placeholders that can be read back from a key, as texts or as they are; `None` when none of
    /// its templates can have made the key.
    pub fn read_back(&self, value: &AttributeValue) -> Option<Vec<(AttributePath, ReadBack)>> {
        self.choices().iter().find_map(|choice| match (value, choice.template.segments()) {
            (AttributeValue::S(text), _) => {
                let read = choice.template.read_back(text)?;
                Some(read.into_iter().map(|(path, text)| (path, ReadBack::Text(text))).collect())
            }
            (value, [Segment::Placeholder(placeholder)]) => {
                Some(vec![(placeholder.path.clone(), ReadBack::Value(value.clone()))])
            }
            (AttributeValue::N(number), [Segment::Literal(text)]) => (text.parse() == Ok(*number)).then(Vec::new),
            _ => None,
        })
    }
}

/// A value read back from a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReadBack {
    /// As it stood in a key that is a string.
    Text(String),
    /// The whole key, which is a number or bytes.
    Value(AttributeValue),
}
