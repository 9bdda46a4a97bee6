//! Which entity an item is of.

use super::Item;
use crate::layout::Layout;
use crate::model::Entity;

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
            let is_its = |entity: &&Entity| value.as_str() == Some(entity.type_value.as_str());
            let by_name = self.entities().iter().find(is_its);
            return by_name.ok_or_else(|| Unrecognised::UnknownType {
                attribute: attribute.clone(),
                found: crate::value::to_plain_json(value),
            });
        }
        let mut candidates = self.entities().iter().filter(|entity| entity.could_have(self.table(), &item.0));
        match (candidates.next(), candidates.next()) {
            (None, _) => Err(Unrecognised::NoEntity),
            (Some(entity), None) => Ok(entity),
            (Some(one), Some(other)) => {
                let rest = candidates.map(|entity| format!(" or {}", entity.name)).collect::<String>();
                Err(Unrecognised::Several(format!("{} or {}{rest}", one.name, other.name)))
            }
        }
    }
}
