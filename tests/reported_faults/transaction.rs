//! Faults about what one transaction takes.

use singletable::acceptance::{Action, TransactionRefused, check_transaction};
use singletable::item::ItemSize;
use singletable::{Item, MAX_ITEM_BYTES};

fn action(id: usize, bytes: u64) -> Action {
    let key = Item::from_iter([("PK", format!("POST#{id}"))]);
    Action { table: "blog".to_owned(), key, size: ItemSize::from_bytes(bytes) }
}

fn actions(count: usize, bytes: u64) -> Vec<Action> {
    (0..count).map(|id| action(id, bytes)).collect()
}

#[test]
fn a_hundred_actions_are_one_transaction_and_more_are_refused_with_advice() {
    assert!(check_transaction(&actions(100, 100)).is_ok());
    let refused = check_transaction(&actions(101, 100)).unwrap_err();
    assert_eq!(refused, TransactionRefused::TooMany(101));
    assert!(refused.to_string().contains("write them one by one"), "{refused}");
}

#[test]
fn what_is_empty_or_names_an_item_twice_is_refused_before_the_call() {
    assert_eq!(check_transaction(&[]), Err(TransactionRefused::Empty));
    let twice = check_transaction(&[action(1, 10), action(2, 10), action(1, 20)]);
    assert!(matches!(twice, Err(TransactionRefused::Twice(key, _)) if key.contains("POST#1")));
    let elsewhere = Action { table: "other".to_owned(), ..action(1, 10) };
    assert!(check_transaction(&[action(1, 10), elsewhere]).is_ok(), "the same key of another table is another item");
}

#[test]
fn few_items_may_be_too_much_together() {
    assert!(check_transaction(&actions(10, 390 * 1024)).is_ok());
    let refused = check_transaction(&actions(11, 390 * 1024)).unwrap_err();
    assert!(matches!(refused, TransactionRefused::TooLarge(size) if size.bytes() == 11 * 390 * 1024), "{refused}");
    assert!(check_transaction(&actions(10, MAX_ITEM_BYTES)).is_ok());
}
