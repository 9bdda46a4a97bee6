//! Faults about what writes take and cost.

use singletable::capacity::{ReadUnits, WriteCapacity, WriteUnits};
use singletable::cost::{Charge, Discount, Price, Tariff, Usd};
use singletable::fanout::Plan as _;
use singletable::layout::Layout;
use singletable::model::TableClass;
use singletable::{Item, item_size};

use crate::layout;

/// A table with indexes that carry everything.
fn with_indexes(count: usize) -> Layout {
    let indexes: String =
        (1..=count).map(|at| format!("[indexes.GSI{at}]\npartition_key = \"G{at}\"\nprojection = \"all\"\n")).collect();
    let keys: String = (1..=count).map(|at| format!(", G{at} = \"G{at}#{{g{at}}}\"")).collect();
    let attributes: String =
        (1..=count).map(|at| format!(", g{at} = {{ type = \"string\", optional = true }}")).collect();
    layout(&format!(
        "[table]\nname = \"one\"\npartition_key = \"PK\"\n{indexes}[entities.One]\nkeys = {{ PK = \"ONE#{{id}}\"{keys} }}\n\
         attributes = {{ id = \"string\"{attributes} }}\n"
    ))
}

/// An item of so many bytes that is in every index.
fn item(count: usize, moved: &str, bytes: usize) -> Item {
    let keys = (1..=count).map(|at| (format!("G{at}"), format!("{moved}{at}")));
    let named = |pad: &str| {
        Item::from_iter(
            [("PK".to_owned(), "ONE#1".to_owned()), ("pad".to_owned(), pad.to_owned())].into_iter().chain(keys.clone()),
        )
    };
    let rest = usize::try_from(item_size(&named("")).bytes()).unwrap();
    let item = named(&"x".repeat(bytes - rest));
    assert_eq!(item_size(&item).bytes(), bytes as u64);
    item
}

#[test]
fn each_index_that_an_item_joins_is_counted_whatever_an_engine_reports() {
    let layout = with_indexes(3);
    let put = WriteCapacity::of_write(layout.table(), None, Some(&item(3, "g", 200)));
    assert_eq!((put.total(), put.indexes.len()), (WriteUnits(4), 3));
    let partly = Item::from_iter([("PK", "ONE#1"), ("G2", "g")]);
    assert_eq!(WriteCapacity::of_write(layout.table(), None, Some(&partly)).total(), WriteUnits(2));
}

#[test]
fn a_key_that_moves_is_deleted_and_inserted_and_each_is_rounded_by_itself() {
    let layout = with_indexes(1);
    let moved = |before: usize, after: usize| {
        let (before, after) = (item(1, "a", before), item(1, "b", after));
        WriteCapacity::of_write(layout.table(), Some(&before), Some(&after)).indexes["GSI1"]
    };
    assert_eq!(moved(1517, 1517), WriteUnits(4));
    assert_eq!(moved(1024, 1025), WriteUnits(3));
    assert_eq!(moved(100, 100), WriteUnits(2));
}

#[test]
fn deleting_what_is_missing_takes_one_unit() {
    let layout = with_indexes(2);
    let deleted = WriteCapacity::of_write(layout.table(), None, None);
    assert_eq!((deleted.table, deleted.indexes.len()), (WriteUnits(1), 0));
    let there = WriteCapacity::of_write(layout.table(), Some(&item(2, "g", 1500)), None);
    assert_eq!((there.table, there.total()), (WriteUnits(2), WriteUnits(6)));
}

#[test]
fn a_write_takes_what_the_larger_image_takes() {
    let layout = with_indexes(1);
    for (before, after) in [(3023, 100), (100, 3023), (3023, 3023)] {
        let write = WriteCapacity::of_write(layout.table(), Some(&item(1, "g", before)), Some(&item(1, "g", after)));
        assert_eq!(write.table, WriteUnits(3), "{before} to {after}");
    }
}

#[test]
fn a_million_copies_have_a_price_before_they_are_written() {
    let usd = |text: &str| Usd::parse(text).unwrap();
    let price = Price {
        region: "anywhere".to_owned(),
        table_class: TableClass::Standard,
        write_million: usd("1.25"),
        read_million: usd("0.25"),
        as_of: None,
        source: None,
    };
    let on_demand = |discount: &str| Tariff::OnDemand {
        price: price.clone(),
        replicas: Vec::new(),
        discount: Discount::parse(discount).unwrap(),
    };
    let million =
        WriteCapacity { table: WriteUnits(1_000_000), indexes: [("G1".to_owned(), WriteUnits(1_000_000))].into() };
    assert_eq!(on_demand("0").charge(&million, ReadUnits::from_halves(1_000_000)), Charge::Usd(usd("2.625")));
    assert_eq!(on_demand("50").charge(&million, ReadUnits::default()), Charge::Usd(usd("1.25")));
}

#[tokio::test]
async fn a_refused_write_is_in_the_worst_case_by_the_larger_of_what_stands_and_what_was_meant() {
    let definition = r#"
        [table]
        name = "blog"
        partition_key = "PK"
        sort_key = "SK"
        [entities.Author]
        keys = { PK = "AUTHOR#{id}", SK = "AUTHOR" }
        attributes = { id = "string", name = "string" }
        [entities.Post]
        keys = { PK = "AUTHOR#{author}", SK = "POST#{id}" }
        attributes = { id = "string", author = "string", name = "string", body = "string" }
        [entities.Post.references.author]
        entity = "Author"
        by = { id = "author" }
        keep = "latest"
        copies = { name = "name" }
    "#;
    let table = crate::engine::Table::new(definition, &[]).await;
    table.put(r#"{"type":"Author","id":"1","name":"Ann"}"#).await;
    for id in 0..10 {
        // Six of ten are stale; the rest is current already, and is not written.
        let name = if id < 6 { "Ann" } else { "Bea" };
        let body = "x".repeat(1500);
        table.put(&format!(r#"{{"type":"Post","id":"{id}","author":"1","name":"{name}","body":"{body}"}}"#)).await;
    }
    let plan = table.plan("Author", "1", ("name", "Bea"), &[]).await;
    let estimate = &plan.totals().estimate;
    assert_eq!((plan.totals().changes, estimate.write_units.total()), (6, WriteUnits(12)));
    // Each write, the source's too, once more, refused.
    assert_eq!(estimate.worst_case.total(), WriteUnits(2 * (12 + 1)));
    let refused = WriteCapacity::of_refused_write(None, None);
    assert_eq!(refused.total(), WriteUnits(1), "where nothing stands, one unit");
}
