//! The size and capacity vectors of `cost_vectors.json`: each has its source, and what it rests on.
//!
//! Sizes and single writes are tested. What the vectors hold besides, transactions and reads among it, the crate
//! does not do yet.

#![expect(clippy::unwrap_used, reason = "a test's panic is its report")]

use std::collections::BTreeMap;

use serde_json::Value;
use singletable::capacity::{WriteCapacity, WriteUnits};
use singletable::model::{
    IndexProjection, IndexScope, KeyAttribute, KeySchema, KeyType, SecondaryIndex, Table, TableSettings,
};
use singletable::{Item, item_size};

fn vectors() -> Value {
    serde_json::from_str(include_str!("cost_vectors.json")).unwrap()
}

fn item(value: &Value) -> Option<Item> {
    (!value.is_null()).then(|| serde_json::from_value(value.clone()).unwrap())
}

#[test]
fn items_weigh_what_the_vectors_say() {
    let vectors = vectors();
    let cases = vectors["item_size"].as_array().unwrap();
    for case in cases {
        let size = item_size(&item(&case["item"]).unwrap());
        assert_eq!(size.bytes(), case["expected_bytes"].as_u64().unwrap(), "{}", case["name"]);
    }
    assert!(cases.len() >= 47);
}

#[test]
fn writes_take_what_the_vectors_say() {
    let vectors = vectors();
    let mut tested = 0;
    for case in vectors["write_capacity"].as_array().unwrap() {
        let name = case["name"].as_str().unwrap();
        let schema = &vectors["schemas"][case["schema"].as_str().unwrap_or_default()];
        let api = case["operation"]["api"].as_str().unwrap_or_default();
        let is_single_write = ["PutItem", "UpdateItem", "DeleteItem"].contains(&api) && case.get("before").is_some();
        let is_refused = name.contains("failed condition");
        if !is_single_write || is_refused {
            continue;
        }
        let table = table(schema);
        let (before, after) = (item(&case["before"]), item(&case["after"]));
        let capacity = WriteCapacity::of_write(&table, before.as_ref(), after.as_ref());
        let expected = &case["expected"];
        let arms = |kind| -> BTreeMap<String, WriteUnits> { serde_json::from_value(expected[kind].clone()).unwrap() };
        let indexes: BTreeMap<String, WriteUnits> = arms("gsi").into_iter().chain(arms("lsi")).collect();
        assert_eq!(capacity.table.0, expected["table"].as_u64().unwrap(), "{name}: table");
        assert_eq!(capacity.indexes, indexes, "{name}: indexes");
        tested += 1;
    }
    assert!(tested >= 20, "only {tested} vectors were tested");
}

/// The table of a vector.
fn table(schema: &Value) -> Table {
    let key = |schema: &Value| {
        let of_type = |wanted: &str| -> Vec<KeyAttribute> {
            let elements = schema["KeySchema"].as_array().unwrap().iter();
            let name = |one: &Value| one["AttributeName"].as_str().unwrap().to_owned();
            let attribute = |one| KeyAttribute { name: name(one), kind: KeyType::String };
            elements.filter(|one| one["KeyType"] == wanted).map(attribute).collect()
        };
        KeySchema { partition: of_type("HASH"), sort: of_type("RANGE") }
    };
    let index = |index: &Value, scope: IndexScope| SecondaryIndex {
        name: index["IndexName"].as_str().unwrap().to_owned(),
        scope,
        key: key(index),
        projection: match index["Projection"]["ProjectionType"].as_str().unwrap() {
            "ALL" => IndexProjection::All,
            "KEYS_ONLY" => IndexProjection::KeysOnly,
            _ => IndexProjection::Include(
                serde_json::from_value(index["Projection"]["NonKeyAttributes"].clone()).unwrap(),
            ),
        },
    };
    let of = |kind, scope| schema[kind].as_array().into_iter().flatten().map(move |one| index(one, scope));
    Table {
        name: "vectors".to_owned(),
        key: key(schema),
        type_attribute: None,
        ttl_attribute: None,
        settings: TableSettings::default(),
        indexes: of("GlobalSecondaryIndexes", IndexScope::Global)
            .chain(of("LocalSecondaryIndexes", IndexScope::Local))
            .collect(),
    }
}
