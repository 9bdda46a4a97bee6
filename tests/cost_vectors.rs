//! The size and capacity vectors of `cost_vectors.json`: each has its source, and what it rests on.

#![expect(clippy::unwrap_used, reason = "a test's panic is its report")]

use std::collections::BTreeMap;

use serde_json::Value;
use singletable::capacity::{Consistency, ReadCapacity, ReadUnits, WriteCapacity, WriteUnits};
use singletable::cost::{PriceTable, Usd};
use singletable::item::disputed_numbers;
use singletable::model::{
    IndexProjection, IndexScope, KeyAttribute, KeySchema, KeyType, SecondaryIndex, Table, TableClass, TableSettings,
};
use singletable::{AttributeValue, Item, ItemSize, item_size};

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
    let cases = vectors["write_capacity"].as_array().unwrap();
    for case in cases {
        let name = case["name"].as_str().unwrap();
        let table = table(&vectors["schemas"][case["schema"].as_str().unwrap()]);
        let operation = &case["operation"];
        let api = operation["api"].as_str().unwrap();
        let of = |action: &Value| -> WriteCapacity {
            let (before, after) = (item(&action["before"]), item(&action["after"]));
            let write = WriteCapacity::of_write(&table, before.as_ref(), after.as_ref());
            match api {
                _ if operation["outcome"] == "ConditionalCheckFailed" => {
                    WriteCapacity::of_refused_write(before.as_ref(), after.as_ref())
                }
                "TransactWriteItems" if operation["action"] == "ConditionCheck" => {
                    WriteCapacity::of_condition_check(before.as_ref())
                }
                "TransactWriteItems" => write.in_transaction(),
                "PutItem" | "UpdateItem" | "DeleteItem" | "BatchWriteItem" | "ExecuteStatement" => write,
                other => panic!("{name}: {other}"),
            }
        };
        let mut capacity = WriteCapacity::default();
        match (api, case["actions"].as_array()) {
            // What expires takes nothing.
            ("TTL expiry", _) => {}
            ("UpdateTable", _) => {
                let index = table.index(operation["create_gsi"].as_str().unwrap()).unwrap();
                for stored in case["stored_items"].as_array().unwrap() {
                    capacity += &WriteCapacity::of_backfill(&table, index, &item(stored).unwrap());
                }
            }
            (_, Some(actions)) => actions.iter().for_each(|action| capacity += &of(action)),
            (_, None) => capacity += &of(case),
        }
        let expected = &case["expected"];
        assert_eq!(capacity.table.0, expected["table"].as_u64().unwrap(), "{name}: table");
        assert_eq!(capacity.indexes, indexes(expected), "{name}: indexes");
        assert_eq!(capacity.total().0, expected["total"].as_u64().unwrap(), "{name}: total");
    }
    assert!(cases.len() >= 42);
}

#[test]
fn reads_take_what_the_vectors_say() {
    let vectors = vectors();
    let cases = vectors["read_capacity"].as_array().unwrap();
    for case in cases {
        let name = case["name"].as_str().unwrap();
        let operation = &case["operation"];
        let sizes = |list: &Value| -> Vec<ItemSize> {
            list.as_array().unwrap().iter().map(|bytes| ItemSize::from_bytes(bytes.as_u64().unwrap())).collect()
        };
        let consistency = match operation["ConsistentRead"].as_bool() {
            _ if operation["api"] == "TransactGetItems" => Consistency::Transactional,
            Some(true) => Consistency::Strong,
            _ => Consistency::Eventual,
        };
        let looked_at = sizes(&case["evaluated_item_bytes"]);
        let index = operation["IndexName"].as_str().or(operation["index"].as_str());
        let reads_keys = operation["api"].as_str().unwrap().contains("GetItem");
        let mut capacity = match (reads_keys, looked_at.is_empty()) {
            (true, true) => ReadCapacity::of_items([ItemSize::default()], consistency),
            (true, false) => ReadCapacity::of_items(looked_at, consistency),
            (false, _) => ReadCapacity::of_page(index, looked_at.into_iter().sum(), consistency),
        };
        if let Some(fetched) = operation.get("fetches_base_item_bytes") {
            capacity = capacity.with_fetches(sizes(fetched), consistency);
        }
        let expected = &case["expected"];
        let units = |value: &Value| -> ReadUnits { serde_json::from_str(&value.to_string()).unwrap() };
        assert_eq!(capacity.table, units(&expected["table"]), "{name}: table");
        assert_eq!(capacity.indexes, indexes(expected), "{name}: indexes");
        assert_eq!(capacity.total(), units(&expected["total"]), "{name}: total");
    }
    assert!(cases.len() >= 18);
}

#[test]
fn units_cost_what_the_vectors_say() {
    let vectors = vectors();
    let cases = vectors["dollars"].as_array().unwrap();
    for case in cases {
        let class = match case["table_class"].as_str().unwrap() {
            "IA" => TableClass::StandardInfrequentAccess,
            _ => TableClass::Standard,
        };
        let prices = PriceTable::shipped();
        let price = prices.find(case["region"].as_str().unwrap(), class).unwrap();
        let read = ReadUnits::from_halves(2 * case["read_units"].as_u64().unwrap());
        let cost = price.of(WriteUnits(case["write_units"].as_u64().unwrap()), read);
        assert_eq!(serde_json::to_value(cost).unwrap(), case["expected_usd"], "{}", case["name"]);
    }
    assert!(cases.len() >= 4);
}

#[test]
fn only_confirmed_prices_are_shipped_and_all_of_them() {
    let vectors = vectors();
    let shipped = PriceTable::shipped();
    for (region, row) in vectors["prices"]["regions"].as_object().unwrap() {
        for (class, write, read) in [
            (TableClass::Standard, &row["wru_m"], &row["rru_m"]),
            (TableClass::StandardInfrequentAccess, &row["ia_wru_m"], &row["ia_rru_m"]),
        ] {
            let found = shipped.find(region, class).map(|price| (price.write_million, price.read_million));
            let usd = |value: &Value| Usd::parse(&value.to_string()).unwrap();
            let wanted = (row["status"] == "confirmed" && !write.is_null()).then(|| (usd(write), usd(read)));
            assert_eq!(found, wanted, "{region}");
        }
    }
}

#[test]
fn a_disputed_number_is_sized_by_its_ruling_and_counted() {
    let vectors = vectors();
    for case in vectors["disputed_numbers"].as_array().unwrap() {
        let literal = case["literal"].as_str().unwrap();
        let one = Item::from_iter([("n", AttributeValue::N(literal.parse().unwrap()))]);
        let ruling = case["base100_pairs_capped_at_21"].as_u64().unwrap();
        assert_eq!(item_size(&one).bytes(), 1 + ruling, "{literal}");
        assert_eq!(disputed_numbers(&one), 1, "{literal}");
    }
}

/// The arms of an expectation; an index that is not touched is absent.
fn indexes<T: serde::de::DeserializeOwned>(expected: &Value) -> BTreeMap<String, T> {
    let arms = |kind: &str| -> BTreeMap<String, T> { serde_json::from_str(&expected[kind].to_string()).unwrap() };
    arms("gsi").into_iter().chain(arms("lsi")).collect()
}

/// The table of a vector.
fn table(schema: &Value) -> Table {
    let definitions = schema["AttributeDefinitions"].as_array().unwrap();
    let kind = |name: &str| match definitions.iter().find(|one| one["AttributeName"] == name).unwrap()["AttributeType"]
        .as_str()
    {
        Some("N") => KeyType::Number,
        Some("B") => KeyType::Binary,
        _ => KeyType::String,
    };
    let key = |schema: &Value| {
        let of_type = |wanted: &str| -> Vec<KeyAttribute> {
            let elements = schema["KeySchema"].as_array().unwrap().iter();
            let name = |one: &Value| one["AttributeName"].as_str().unwrap().to_owned();
            let attribute = |one| KeyAttribute { name: name(one), kind: kind(&name(one)) };
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
