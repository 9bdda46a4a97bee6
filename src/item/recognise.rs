//! Which entity an item is of.

use super::{Attributes, Item, held};
use crate::layout::Layout;
use crate::model::{Entity, KeySource};
use crate::value::AttributeValue;

/// Why an item is of no known entity.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Unrecognised {
    /// Its type attribute holds something else than an entity's name.
    #[error("its `{attribute}` is {found}, and no entity is called so")]
    UnknownType {
        /// The type attribute.
        attribute: String,
        /// What it holds.
        found: String,
    },
    /// No entity's key templates make its keys.
    #[error("no entity makes such keys")]
    NoEntity,
    /// Several entities' key templates make its keys.
    #[error("its keys could be those of {0}")]
    Several(String),
}

impl Layout {
    /// Tells the entity of an item that any tool may have written: by its type attribute, or else by which
    /// entity's key templates read its keys back. An index entry will do.
    ///
    /// # Errors
    /// It is of no entity that the definition knows, or could be of several.
    pub fn recognise(&self, item: &Item) -> Result<&Entity, Unrecognised> {
        if let Some((attribute, value)) =
            self.table().type_attribute.as_ref().and_then(|name| Some((name, item.get(name)?)))
        {
            let by_name = value.as_str().and_then(|name| self.entity(name));
            return by_name.ok_or_else(|| Unrecognised::UnknownType {
                attribute: attribute.clone(),
                found: crate::value::to_plain_json(value),
            });
        }
        let mut candidates = self.entities().iter().filter(|entity| self.makes_keys_of(entity, item));
        match (candidates.next(), candidates.next()) {
            (None, _) => Err(Unrecognised::NoEntity),
            (Some(entity), None) => Ok(entity),
            (Some(one), Some(other)) => {
                let rest = candidates.map(|entity| format!(" or {}", entity.name)).collect::<String>();
                Err(Unrecognised::Several(format!("{} or {}{rest}", one.name, other.name)))
            }
        }
    }

    /// Whether the entity's templates make the item's primary key, from the same attributes throughout.
    fn makes_keys_of(&self, entity: &Entity, item: &Item) -> bool {
        let mut attributes = Attributes::new();
        for key in self.table().key.names() {
            for (path, value) in held::read_back(item, entity, key) {
                if path.get(&attributes).is_some_and(|known| *known != value) {
                    return false;
                }
                path.set(&mut attributes, value);
            }
        }
        self.table().key.names().all(|key| {
            let text = item.get(key).and_then(AttributeValue::as_str);
            match entity.keys.get(key) {
                Some(KeySource::Attribute { .. }) => text.is_some(),
                Some(KeySource::Template(template)) if template.placeholders().all(|one| one.filters.is_empty()) => {
                    text.is_some() && template.render(key, &attributes, false).ok().flatten().as_deref() == text
                }
                Some(KeySource::Template(template)) => text.is_some_and(|text| template.read_back(text).is_some()),
                None => false,
            }
        })
    }
}
