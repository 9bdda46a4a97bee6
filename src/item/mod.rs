//! Items: from attributes to what stands in the table, and back.

mod builder;
mod elements;
mod error;
mod far_off;
mod held;
mod input;
mod recognise;
mod relative;
mod size;
mod size_distribution;
mod stored;
mod unread_update;
mod update;

use serde::{Deserialize, Serialize};

pub(crate) use builder::too_large;
pub use builder::{ItemBuilder, heaviest};
pub use elements::elements_still;
pub use error::{ItemError, ItemProblem, PathBytes};
pub use far_off::far_off_epochs;
pub use held::{Held, StoredIn, attributes_of, named_attributes};
pub use input::{Input, InputError};
pub use recognise::Unrecognised;
pub use relative::Relative;
pub(crate) use size::{Disputed, attributes_size, disputed_in};
pub use size::{ItemSize, SizeNode, disputed_numbers, item_size, size_tree, size_warning};
pub use size_distribution::SizeDistribution;
pub use stored::{Stored, StoredError};
pub use unread_update::{UnreadUpdate, unread_update};
pub(crate) use update::copied_attributes;
pub use update::{ItemUpdate, UpdateError, after_relative, next_version, update};

use crate::model::KeySchema;
use crate::value::AttributeValue;
pub use crate::value::Attributes;

/// An item as it stands in a table. It serialises as DynamoDB JSON, its attributes in order.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Item(#[serde(with = "crate::value::fields")] pub Attributes);

impl Item {
    /// The attribute of that name.
    pub fn get(&self, name: &str) -> Option<&AttributeValue> {
        self.0.get(name)
    }

    /// The attributes that make a key; an item that lacks one gives what it has.
    pub fn key(&self, schema: &KeySchema) -> Item {
        let pick = |name: &str| Some((name.to_owned(), self.get(name)?.clone()));
        Item(schema.names().filter_map(pick).collect())
    }
}

impl<N: Into<String>, V: Into<AttributeValue>> FromIterator<(N, V)> for Item {
    fn from_iter<I: IntoIterator<Item = (N, V)>>(attributes: I) -> Self {
        Item(attributes.into_iter().map(|(name, value)| (name.into(), value.into())).collect())
    }
}

impl From<Attributes> for Item {
    fn from(attributes: Attributes) -> Self {
        Item(attributes)
    }
}
