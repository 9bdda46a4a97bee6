//! Items that are stored exactly as they are given: in DynamoDB JSON, from a table or an export.

use super::builder::too_large;
use super::far_off::{far_off_epochs, far_off_ttl_of};
use super::{Attributes, Item, ItemError, ItemProblem, Unrecognised, attributes_of};
use crate::layout::Layout;
use crate::model::{
    AttributePath, Entity, Fill, KeyAttribute, KeySource, Table, ValueProblem, check_names_and_nesting, check_stored,
    check_value,
};
use crate::value::AttributeValue;

/// An item that the table takes as it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stored<'a> {
    /// Its entity.
    pub entity: &'a Entity,
    /// The required attributes that it lacks. It is taken all the same: it may well stand in the table already.
    pub lacks: Vec<AttributePath>,
    /// In what else it is not what the definition says, a few words each: types, bounds, index keys.
    pub differs: Vec<String>,
}

/// Why an item cannot be stored as it is.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StoredError {
    /// It is of no entity that the definition knows.
    #[error("the item is of no known entity: {0}")]
    Unrecognised(#[from] Unrecognised),
    /// DynamoDB would refuse it.
    #[error(transparent)]
    Item(#[from] ItemError),
}

impl Layout {
    /// Checks an item that is to be stored exactly as it is.
    ///
    /// # Errors
    /// It is of no known entity, or DynamoDB would refuse it: its keys are missing or too long, or it is too large.
    pub fn check_stored(&self, item: &Item) -> Result<Stored<'_>, StoredError> {
        let table = self.table();
        let mut problems = Vec::new();
        for key in table.keys() {
            match item.get(&key.name) {
                None if table.key.contains(&key.name) => problems.push(ValueProblem::Missing(key.name.clone()).into()),
                None => {}
                Some(value) => problems.extend(table.check_key(key, value).err().map(ItemProblem::from)),
            }
        }
        problems.extend(check_names_and_nesting(&item.0).into_iter().map(ItemProblem::from));
        problems.extend(too_large(item, table));
        problems.extend(far_off_ttl_of(item, table).map(ItemProblem::Value));
        if !problems.is_empty() {
            let entity = self.recognise(item).map_or("item", |entity| entity.name.as_str());
            return Err(ItemError { entity: entity.to_owned(), problems }.into());
        }
        let entity = self.recognise(item)?;
        let attributes = attributes_of(item, entity, table);
        let required = entity.attributes.iter().filter(|attribute| !attribute.optional);
        let lacks = required
            .filter(|attribute| attribute.place().get(&attributes).is_none())
            .map(|attribute| AttributePath::top_level(&attribute.name));
        Ok(Stored { entity, lacks: lacks.collect(), differs: differences(item, entity, table, &attributes) })
    }
}

/// In which parts of its primary key an item contradicts its own attributes: nobody who knows them finds it.
fn primary_key_differences(item: &Item, entity: &Entity, table: &Table, attributes: &Attributes) -> Vec<String> {
    let is_other = |key: &KeyAttribute| {
        let Some(source @ KeySource::Made(_)) = entity.keys.get(&key.name) else { return false };
        // What cannot be made is missing an attribute, which is told besides.
        source
            .make_every(key, attributes)
            .is_ok_and(|made| !made.is_empty() && item.get(&key.name).is_some_and(|held| !made.contains(held)))
    };
    let others = table.key.attributes().filter(|key| is_other(key));
    others.map(|key| format!("`{}` is not what its template makes, so no key finds it", key.name)).collect()
}

/// What in an item is not what building it would have made: it is kept, and worth a warning.
fn differences(item: &Item, entity: &Entity, table: &Table, attributes: &Attributes) -> Vec<String> {
    let mut differences = far_off_epochs(attributes, entity, table);
    differences.extend(primary_key_differences(item, entity, table, attributes));
    for attribute in &entity.attributes {
        let place = attribute.place();
        if let Some(value) = place.get(attributes) {
            let problems = check_stored(&attribute.kind, value, &place.to_string());
            differences.extend(problems.iter().map(ToString::to_string));
            let is_other = |constant: &AttributeValue| {
                let mut stored = constant.clone();
                check_value(&attribute.kind, &mut stored, "").is_empty() && stored != *value
            };
            if let Some(Fill::Constant(constant)) = &attribute.fill
                && is_other(constant)
            {
                differences.push(format!("`{place}` is not the constant that it always is"));
            }
        }
    }
    match entity.index_keys(table, attributes) {
        Err(error) => differences.push(error.to_string()),
        Ok(made) => {
            for key in table.keys().filter(|key| matches!(entity.keys.get(&key.name), Some(KeySource::Made(_)))) {
                if table.key.contains(&key.name) {
                    continue;
                }
                let name = &key.name;
                match (item.get(name), made.get(name)) {
                    (Some(held), Some(made)) if held != made => {
                        differences.push(format!("`{name}` is not what its template makes"))
                    }
                    (Some(_), None) => {
                        differences.push(format!("`{name}` is there, and the definition keeps it out of that index"))
                    }
                    (None, Some(_)) => differences.push(format!("`{name}` is missing, so it is not in that index")),
                    _ => {}
                }
            }
        }
    }
    differences
}
