//! What a query asks for, told by an entity and some of its attributes.

use super::Layout;
use crate::item::Item;
use crate::key::KeyError;
use crate::model::{Entity, KeyAttribute, KeySource};
use crate::value::{AttributeValue, Attributes};

/// A partition of the table or of an index, and what the sort key must be in there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyCondition {
    /// The index; `None` for the table.
    pub index: Option<String>,
    /// The partition key.
    pub partition: Item,
    /// Of each sort key attribute, from the left as far as that is known.
    pub sort: Vec<SortCondition>,
}

/// What one attribute of a sort key must be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SortCondition {
    /// This value.
    Equals(String, AttributeValue),
    /// A text that begins so.
    BeginsWith(String, String),
}

/// Why there is no such query.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum KeyConditionError {
    /// The table has no such index.
    #[error("there is no index `{0}`; {1}")]
    NoIndex(String, String),
    /// Items of the entity are never in the index.
    #[error("no {0} is ever in {1}")]
    NotIn(String, String),
    /// An attribute is missing from which the partition key is made.
    #[error("the partition key `{key}` is made from {needs}, and not all of that is given")]
    Incomplete {
        /// The partition key.
        key: String,
        /// What it is made from.
        needs: String,
    },
    /// A value cannot stand in the key.
    #[error(transparent)]
    Key(#[from] KeyError),
}

impl KeyCondition {
    /// The queries that find items of an entity with these attributes: one, or one for each shard.
    ///
    /// # Errors
    /// There is no such query; see [`KeyConditionError`].
    pub fn of(
        layout: &Layout,
        entity: &Entity,
        index: Option<&str>,
        attributes: &Attributes,
    ) -> Result<Vec<KeyCondition>, KeyConditionError> {
        let no_index = || {
            let names: Vec<&str> = layout.table().indexes.iter().map(|index| index.name.as_str()).collect();
            let names = if names.is_empty() {
                "the table has none".to_owned()
            } else {
                format!("there are {}", names.join(", "))
            };
            KeyConditionError::NoIndex(index.unwrap_or_default().to_owned(), names)
        };
        let schema = layout.key_of(index).ok_or_else(no_index)?;
        let mut partitions = vec![Item::default()];
        for key in &schema.partition {
            let source = entity.keys.get(&key.name);
            let source = source.ok_or_else(|| {
                KeyConditionError::NotIn(entity.name.clone(), index.unwrap_or("the table").to_owned())
            })?;
            let values = source.make_every(key, attributes)?;
            if values.is_empty() {
                let needs: Vec<String> = entity.inputs(&key.name).iter().map(|path| format!("`{path}`")).collect();
                return Err(KeyConditionError::Incomplete { key: key.name.clone(), needs: needs.join(", ") });
            }
            let with = |partition: &Item| -> Vec<Item> {
                let one = |value: &AttributeValue| {
                    let mut whole = partition.clone();
                    whole.0.insert(key.name.clone(), value.clone());
                    whole
                };
                values.iter().map(one).collect()
            };
            partitions = partitions.iter().flat_map(with).collect();
        }
        let mut sort = Vec::new();
        for key in &schema.sort {
            let Some(source) = entity.keys.get(&key.name) else { break };
            match condition(source, key, attributes)? {
                Some(equals @ SortCondition::Equals(..)) => sort.push(equals),
                other => {
                    sort.extend(other);
                    break;
                }
            }
        }
        let one = |partition| KeyCondition { index: index.map(str::to_owned), partition, sort: sort.clone() };
        Ok(partitions.into_iter().map(one).collect())
    }

    /// Whether an item or an index entry is among what the query goes through.
    pub fn holds(&self, item: &Item) -> bool {
        self.partition.0.iter().all(|(name, value)| item.get(name) == Some(value))
            && self.sort.iter().all(|condition| match condition {
                SortCondition::Equals(name, value) => item.get(name) == Some(value),
                SortCondition::BeginsWith(name, prefix) => {
                    item.get(name).and_then(AttributeValue::as_str).is_some_and(|text| text.starts_with(prefix))
                }
            })
    }
}

fn condition(
    source: &KeySource,
    key: &KeyAttribute,
    attributes: &Attributes,
) -> Result<Option<SortCondition>, KeyConditionError> {
    if let Some(value) = source.make(key, attributes)? {
        return Ok(Some(SortCondition::Equals(key.name.clone(), value)));
    }
    let prefix = match source.choices() {
        [only] => only.template.render_beginning(&key.name, attributes)?,
        _ => String::new(),
    };
    Ok((!prefix.is_empty()).then(|| SortCondition::BeginsWith(key.name.clone(), prefix)))
}

#[cfg(test)]
mod tests {
    use super::*;

    const DEFINITION: &str = r#"
        [table]
        name = "blog"
        partition_key = "PK"
        sort_key = "SK"
        [indexes.GSI1]
        partition_key = "GSI1PK"
        sort_key = "GSI1SK"
        projection = "all"
        [entities.Post]
        keys = { PK = "POST#{id|shard 2}", SK = "POST", GSI1PK = "USER#{author}", GSI1SK = "POST#{year}#{id}" }
        attributes = { id = "string", author = "string", year = "string" }
    "#;

    #[test]
    fn what_is_given_makes_the_partition_and_the_beginning_of_the_sort_key() {
        let layout = Layout::compile(DEFINITION).layout.unwrap();
        let post = layout.entity("Post").unwrap();
        let of = |index, given: &[(&str, &str)]| {
            let given = given.iter().map(|(name, value)| ((*name).to_owned(), (*value).into())).collect();
            KeyCondition::of(&layout, post, index, &given)
        };
        let [one] = &of(Some("GSI1"), &[("author", "12"), ("year", "2026")]).unwrap()[..] else { panic!("one query") };
        assert_eq!(one.partition, Item::from_iter([("GSI1PK", "USER#12")]));
        assert_eq!(one.sort, [SortCondition::BeginsWith("GSI1SK".to_owned(), "POST#2026#".to_owned())]);
        assert!(one.holds(&Item::from_iter([("GSI1PK", "USER#12"), ("GSI1SK", "POST#2026#7")])));
        assert!(!one.holds(&Item::from_iter([("GSI1PK", "USER#12"), ("GSI1SK", "POST#2025#7")])));
        assert!(!one.holds(&Item::from_iter([("GSI1PK", "USER#12")])));

        let shards = of(None, &[]).unwrap();
        assert_eq!(shards.len(), 2, "every shard is asked");
        assert_eq!(shards[0].sort, [SortCondition::Equals("SK".to_owned(), "POST".into())]);
        assert!(of(Some("GSI1"), &[]).unwrap_err().to_string().contains("`GSI1PK` is made from `author`"));
        assert!(of(Some("GSI7"), &[]).unwrap_err().to_string().contains("there are GSI1"));
    }
}
