//! Tables and their indexes.

use singletable::client::{Created, Query, Store, TableExtras, Write, create_table};
use singletable::layout::CreateTable;
use singletable::{Item, Layout};

use crate::engine::Table;
use crate::{build, codes, first, layout, plain};

/// A table with these indexes: their keys, and all of them used by one entity.
fn with_indexes(indexes: &[(&str, &str)], attributes: &str) -> String {
    let mut definition = "[table]\nname = \"one\"\npartition_key = \"PK\"\nsort_key = \"SK\"\n".to_owned();
    for (name, keys) in indexes {
        definition += &format!("[indexes.{name}]\n{keys}\nprojection = \"all\"\n");
    }
    definition
        + &format!(
            "[entities.One]\nkeys = {{ PK = \"ONE#{{id}}\", SK = \"META\" }}\n[entities.One.attributes]\nid = \"string\"\n{attributes}\n"
        )
}

const ABC: &str = "a = \"string\"\nb = \"string\"\nc = \"number\"\nname = \"string\"";

#[tokio::test]
async fn a_table_with_other_indexes_is_described_and_never_altered() {
    let one = [("GSI1", "partition_key = \"a\"")];
    let three =
        [one[0], ("GSI2", "partition_key = \"b\""), ("GSI3", "partition_key = { name = \"c\", type = \"number\" }")];
    let table = Table::new(&with_indexes(&one, ABC), &[]).await;
    let grown = layout(&with_indexes(&three, ABC)).with_table_name(&table.layout.table().name);
    let created = create_table(&table.client, &CreateTable::of(&grown), TableExtras::default()).await.unwrap();
    let Created::Differs(differences) = created else { panic!("{created:?}") };
    let what: Vec<&str> = differences.iter().map(|one| one.what.as_str()).collect();
    assert!(what.contains(&"index GSI2") && what.contains(&"index GSI3"), "{what:?}");
    let own = create_table(&table.client, &CreateTable::of(&table.layout), TableExtras::default()).await.unwrap();
    assert!(matches!(own, Created::AlreadyThere(_)), "nothing was touched: {own:?}");
    // A new table has all of its indexes from the start.
    let new = Table::new(&with_indexes(&three, ABC), &[]).await;
    assert_eq!(CreateTable::of(&new.layout).global_secondary_indexes.len(), 3);
}

#[tokio::test]
async fn key_attributes_alone_are_defined_each_once() {
    let defined = |layout: &Layout| -> Vec<String> {
        let of = CreateTable::of(layout).attribute_definitions;
        of.into_iter().map(|one| format!("{} {}", one.attribute_name, one.attribute_type)).collect()
    };
    for (indexes, expected) in [
        (vec![], vec!["PK S", "SK S"]),
        (vec![("GSI1", "partition_key = \"a\"")], vec!["PK S", "SK S", "a S"]),
        (
            vec![
                ("GSI1", "partition_key = \"a\"\nsort_key = \"b\""),
                ("GSI2", "partition_key = \"b\"\nsort_key = \"PK\""),
            ],
            vec!["PK S", "SK S", "a S", "b S"],
        ),
        (
            vec![
                ("Local", "kind = \"local\"\nsort_key = \"a\""),
                ("Several", "partition_key = [\"b\", { name = \"c\", type = \"number\" }]"),
            ],
            vec!["PK S", "SK S", "a S", "b S", "c N"],
        ),
    ] {
        let definition = with_indexes(&indexes, ABC);
        assert_eq!(defined(&layout(&definition)), expected);
        Table::new(&definition, &[]).await;
    }
}

#[tokio::test]
async fn an_index_may_do_without_a_sort_key() {
    let email = "email = { type = \"string\", optional = true }";
    let table = Table::new(&with_indexes(&[("ByEmail", "partition_key = \"email\"")], email), &[]).await;
    let request = CreateTable::of(&table.layout);
    assert_eq!(request.global_secondary_indexes[0].key_schema.len(), 1);
    for (id, rest) in [("1", r#","email":"a@b.c""#), ("2", ""), ("3", r#","email":null"#)] {
        let item = build(&table.layout, &format!(r#"{{"id":"{id}"{rest}}}"#)).unwrap();
        table.store.write(Write::Put { item: &item, conditions: &[] }).await.unwrap();
    }
    let partition = Item(plain(r#"{"email":"a@b.c"}"#));
    let query = Query::partition(Some("ByEmail".to_owned()), partition);
    let found = table.store.query(&query).await.unwrap().items;
    assert_eq!(found.iter().map(|item| item.get("id").unwrap().as_str().unwrap()).collect::<Vec<_>>(), ["1"]);
    assert_eq!(first(&table.layout).name, "One");
}

#[test]
fn an_index_that_no_entity_is_in_is_warned_of() {
    let unused = |definition: &str| codes(definition).iter().filter(|code| **code == "index.unused").count();
    let [used, other] = [("GSI-1", "partition_key = \"a\""), ("GSI-X", "partition_key = \"xpk\"\nsort_key = \"xsk\"")];
    assert_eq!(unused(&with_indexes(&[used], ABC)), 0);
    assert_eq!(unused(&with_indexes(&[used, other], ABC)), 1);
    assert_eq!(unused(&with_indexes(&[("Local", "kind = \"local\"\nsort_key = \"nobody\"")], ABC)), 1);
    // It is a warning: the table is made all the same.
    assert!(Layout::compile(&with_indexes(&[used, other], ABC)).layout.is_some());
    let templated = with_indexes(&[other], ABC).replace("SK = \"META\"", "SK = \"META\", xpk = \"X\", xsk = \"{a}\"");
    assert_eq!(unused(&templated), 0);
}
