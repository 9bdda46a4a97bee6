//! What a definition means: checked, immutable, and free of how it was written.

mod attribute;
mod entity;
mod reference;
mod table;

pub use crate::value::AttributePath;
pub use attribute::{Attribute, AttributeType, Precision, Resolved, SetMember, resolve};
pub use entity::{Entity, KeySource};
pub use reference::{CopyRule, Keep, Reference, ReferenceKey};
pub use table::{Billing, IndexProjection, KeySchema, SecondaryIndex, Table};

/// A whole definition: one table and the entities in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Model {
    /// The table.
    pub table: Table,
    /// The entities, in the order of the definition.
    pub entities: Vec<Entity>,
}

impl Model {
    /// The entity of that name.
    pub fn entity(&self, name: &str) -> Option<&Entity> {
        self.entities.iter().find(|entity| entity.name == name)
    }
}
