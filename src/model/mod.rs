//! What a definition means: checked, immutable, and free of how it was written.

mod accept;
mod attribute;
mod entity;
mod item_keys;
mod key_source;
mod rate;
mod reference;
mod table;
mod typed_path;
mod value_problem;

pub use crate::value::AttributePath;
pub(crate) use accept::broken_rule;
pub use accept::{accept_all, check_names_and_nesting, check_stored, check_value, parse_text};
pub(crate) use attribute::named;
pub use attribute::{
    Attribute, AttributeType, EnumValue, Fill, Precision, Resolved, SetMember, Storage, StringRules, resolve,
};
pub use entity::Entity;
pub use key_source::{KeyChoice, KeySource, ReadBack, When, WhenIs};
pub use rate::Rate;
pub use reference::{CopyRule, Holder, Keep, Reference, ReferenceKey, Via, Within};
pub use table::{
    Billing, IndexProjection, IndexScope, KeyAttribute, KeySchema, KeyType, SecondaryIndex, StreamView, Table,
    TableClass, TableSettings, UnknownAttributes,
};
pub use value_problem::ValueProblem;

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
