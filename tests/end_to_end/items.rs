//! What goes in comes out: every type, every digit, and nothing over the limit.

use std::process::Command;

use serde_json::Value;
use singletable::capacity::WriteCapacity;
use singletable::client::{Store, Write, WriteError};
use singletable::expression::Condition;
use singletable::item::attributes_of;
use singletable::model::AttributePath;
use singletable::value::PlainJson;
use singletable::{AttributeValue, ItemBuilder};

use crate::blog::generate;
use crate::engine::{Ability, Engine};

const THINGS: &str = r#"
    [table]
    name = "things"
    partition_key = "PK"
    [indexes.ByKind]
    partition_key = "kind"
    projection = ["n"]
    [entities.Thing]
    keys = { PK = "THING#{id}" }
    [entities.Thing.attributes]
    id = "string"
    kind = { type = "string", optional = true }
    n = "number"
    b = "binary"
    ss = { type = "string-set", max_items = 9 }
    ns = { type = "number-set", max_items = 9 }
    bs = { type = "binary-set", max_items = 9 }
    at = "timestamp"
    since = "epoch"
    flag = "boolean"
    nothing = "null"
    any = "any"
    list = { type = "list", max_items = 9 }
    map = { type = "map", attributes = { inner = "string" } }
"#;

const THING: &str = r#"{
    "id": "1", "n": -0.0000000000000000000000000000000000000012345, "b": "AP8=", "ss": ["b", "a", "é"],
    "ns": [1.50, -2, 12345678901234567890123456789012345678], "bs": ["AA==", "/w=="],
    "at": "2026-12-01T09:30:00.000Z", "since": 1796117400, "flag": false, "nothing": null,
    "any": {"deep": [null, [], {}, {"x": null}], "e": ""}, "list": ["", 1, true, null], "map": {"inner": "", "extra": 1},
    "undeclared": 99999999999999999999999999999999999999
}"#;

#[tokio::test]
async fn every_type_and_every_digit_comes_back() {
    for engine in Engine::all().await {
        let table = engine.table(THINGS).await;
        let entity = table.layout.entity("Thing").unwrap();
        let PlainJson(AttributeValue::M(given)) = serde_json::from_str(THING).unwrap() else { panic!("an object") };
        let item = ItemBuilder::new(&table.layout, entity).attributes(given).build().unwrap();
        table.put(vec![item.clone()]).await;
        let back = table.read("THING#1").await.unwrap();
        assert_eq!(back, item, "{}", engine.name);
        let json = |item| {
            serde_json::to_string(&PlainJson(AttributeValue::M(attributes_of(item, entity, table.layout.table()))))
        };
        assert!(json(&back).unwrap().contains("12345678901234567890123456789012345678"));
    }
}

#[tokio::test]
async fn a_put_takes_what_was_forecast() {
    for engine in Engine::all().await {
        let table = engine.table(THINGS).await;
        let entity = table.layout.entity("Thing").unwrap();
        let PlainJson(AttributeValue::M(given)) = serde_json::from_str(THING).unwrap() else { panic!("an object") };
        let of = |kind: Option<&str>, body: usize| {
            let builder =
                ItemBuilder::new(&table.layout, entity).attributes(given.clone()).attribute("body", "x".repeat(body));
            kind.into_iter().fold(builder, |builder, kind| builder.attribute("kind", kind)).build().unwrap()
        };
        // Joins the index, grows in place, moves, shrinks, leaves it, and is written once more as it is.
        let steps =
            [of(None, 10), of(Some("a"), 10), of(Some("a"), 5000), of(Some("b"), 2000), of(None, 3000), of(None, 3000)];
        let mut before = None;
        for (at, after) in steps.into_iter().enumerate() {
            let forecast = WriteCapacity::of_write(table.layout.table(), before.as_ref(), Some(&after));
            let consumed = table.store.write(Write::Put { item: &after, conditions: &[] }).await.unwrap().consumed;
            match engine.can(Ability::IndexCapacity) {
                true => assert_eq!(consumed, forecast, "{} step {at}", engine.name),
                false => assert_eq!(consumed.table, forecast.table, "{} step {at}", engine.name),
            }
            before = Some(after);
        }
    }
}

#[tokio::test]
async fn an_item_that_exists_is_not_put_again_unless_asked() {
    for engine in Engine::all().await {
        let table = engine.table(include_str!("../../tables/blog.toml")).await;
        let first = table.item(r#"{"entity":"Author","id":"1","name":"Ann"}"#);
        let second = table.item(r#"{"entity":"Author","id":"1","name":"Bea"}"#);
        let absent = Condition::Absent(AttributePath::top_level("PK"));
        table.store.write(Write::Put { item: &first, conditions: std::slice::from_ref(&absent) }).await.unwrap();
        let refused = table
            .store
            .write(Write::Put { item: &second, conditions: std::slice::from_ref(&absent) })
            .await
            .unwrap_err();
        assert!(matches!(refused, WriteError::Refused { item: Some(item), .. } if item == first), "{}", engine.name);
        table.store.write(Write::Put { item: &second, conditions: &[] }).await.unwrap();
        assert_eq!(table.value("USER#1 PROFILE", "name").await, "\"Bea\"");
    }
}

/// The limit, to the byte, for nine shapes of item that an independent model of sizes made.
#[tokio::test]
async fn items_at_the_limit_pass_and_one_byte_more_is_refused_before_any_request() {
    let Some(data) = generate("gen_limit_items.py", &[]) else { return };
    let manifest: Value =
        serde_json::from_str(&std::fs::read_to_string(data.path().join("manifest.json")).unwrap()).unwrap();
    let engine = Engine::embedded().await;
    let table = engine.table(include_str!("../../tables/blog.toml")).await;
    let blog = concat!(env!("CARGO_MANIFEST_DIR"), "/tables/blog.toml");
    let mut refused = 0;
    for case in manifest.as_array().unwrap() {
        let file = data.path().join(case["file"].as_str().unwrap());
        match case["put_accepts"].as_bool().unwrap() {
            true => {
                let item = table.item(&std::fs::read_to_string(&file).unwrap());
                table.layout.check_stored(&item).unwrap();
                table.store.write(Write::Put { item: &item, conditions: &[] }).await.unwrap();
            }
            false => {
                // The command, against an endpoint that nobody answers at: a refusal must come before any request.
                let run = Command::new(env!("CARGO_BIN_EXE_singletable"))
                    .args(["-d", blog, "put", "Post", "--endpoint-url", "http://127.0.0.1:9", "--file"])
                    .arg(&file)
                    .env("NO_COLOR", "1")
                    .output();
                let output = run.unwrap();
                let stderr = String::from_utf8(output.stderr).unwrap();
                assert_eq!(output.status.code(), Some(1), "{stderr}");
                let names_the_limit = stderr.contains("409601 bytes") && stderr.contains("at most 409600 bytes");
                let heaviest = match case["shape"].as_str().unwrap() {
                    "ascii" | "emoji4" => "`body` ",
                    "cjk3" => "`本文` ",
                    "binary" => "`blob` ",
                    "numbers" => "`vals` ",
                    "comments" => "`comments` ",
                    "stringset" => "`followers` ",
                    "nested" => "`m.l1.l2` ",
                    _ => "heaviest: `nnn",
                };
                assert!(names_the_limit && stderr.contains(heaviest), "{}: {stderr}", case["file"]);
                refused += 1;
            }
        }
    }
    assert_eq!(refused, 9);
}
