//! Which actions make one transaction.

use std::collections::BTreeSet;

use crate::item::{Item, ItemSize};
use crate::limits::{MAX_TRANSACTION_ACTIONS, MAX_TRANSACTION_BYTES};
use crate::value::{AttributeValue, to_plain_json};

/// One action of a transaction: a put, an update, a delete or a check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Action {
    /// The table.
    pub table: String,
    /// The item's primary key.
    pub key: Item,
    /// The item's size: of the larger of its two images, which is what counts at the most.
    pub size: ItemSize,
}

/// Why actions make no transaction. None of them may be left out or put into another one: all or nothing is what a
/// transaction is for.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TransactionRefused {
    /// There are none.
    #[error("a transaction has at least one action")]
    Empty,
    /// There are too many.
    #[error(
        "{0} actions are more than the {MAX_TRANSACTION_ACTIONS} that one transaction takes: write them one by one, each \
         under its guard, or fewer at a time"
    )]
    TooMany(usize),
    /// Two of them are for one item.
    #[error("the item {0} of {1} stands in the transaction twice: put both changes into one action")]
    Twice(String, String),
    /// They are too large together.
    #[error(
        "the items of the transaction have {0} together, and one transaction takes {MAX_TRANSACTION_BYTES} bytes: write \
         them one by one, each under its guard, or fewer at a time"
    )]
    TooLarge(ItemSize),
}

/// Checks what one transaction would have to take.
///
/// ```
/// use singletable::acceptance::{Action, TransactionRefused, check_transaction};
/// use singletable::{Item, item_size};
/// let action = |id: u64| {
///     let key = Item::from_iter([("PK", format!("POST#{id}"))]);
///     Action { table: "blog".to_owned(), size: item_size(&key), key }
/// };
/// assert!(check_transaction(&(0..100).map(action).collect::<Vec<_>>()).is_ok());
/// let refused = check_transaction(&(0..101).map(action).collect::<Vec<_>>());
/// assert_eq!(refused, Err(TransactionRefused::TooMany(101)));
/// ```
///
/// # Errors
/// DynamoDB would refuse it.
pub fn check_transaction(actions: &[Action]) -> Result<(), TransactionRefused> {
    match actions.len() {
        0 => return Err(TransactionRefused::Empty),
        count if count > MAX_TRANSACTION_ACTIONS => return Err(TransactionRefused::TooMany(count)),
        _ => {}
    }
    let mut seen = BTreeSet::new();
    for action in actions {
        let key = to_plain_json(&AttributeValue::M(action.key.0.clone()));
        if !seen.insert((action.table.as_str(), key.clone())) {
            return Err(TransactionRefused::Twice(key, action.table.clone()));
        }
    }
    let size: ItemSize = actions.iter().map(|action| action.size).sum();
    match size.bytes() > MAX_TRANSACTION_BYTES {
        true => Err(TransactionRefused::TooLarge(size)),
        false => Ok(()),
    }
}
