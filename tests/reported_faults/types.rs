//! Values: every type and every digit, in and out.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use singletable::client::{Store, Write};
use singletable::item::{Input, attributes_of};
use singletable::value::{NotStorable, to_attribute_value, to_plain_json};
use singletable::{AttributeValue, Binary, ItemBuilder, Layout, Number};

use crate::engine::Table;
use crate::{build, first, key, layout, one};

/// A definition of the attributes of one entity, which is in no index.
fn of(attributes: &str) -> Layout {
    layout(&one(r#"GSI1PK = "ALL", GSI1SK = "{id}""#, attributes))
}

fn number(text: &str) -> AttributeValue {
    AttributeValue::N(text.parse().unwrap())
}

/// A serde value as the attribute `n` of an item, or the sentence that refuses it.
fn through_serde<T: Serialize>(n: T) -> Result<AttributeValue, String> {
    #[derive(Serialize)]
    struct Given<T> {
        id: &'static str,
        n: T,
    }
    let layout = of("n = \"any\"");
    let builder = ItemBuilder::new(&layout, first(&layout)).serde(&Given { id: "1", n }).map_err(|e| e.to_string())?;
    Ok(builder.build().map_err(|error| error.to_string())?.0.remove("n").unwrap())
}

#[test]
fn integers_of_128_bits_keep_38_digits_and_more_are_refused_where_they_stand() {
    let largest = 99_999_999_999_999_999_999_999_999_999_999_999_999_u128;
    for kept in [0, 1, u128::from(u64::MAX) + 1, largest - 1, largest, largest + 1, 34 * 10_u128.pow(37)] {
        assert_eq!(through_serde(kept), Ok(number(&kept.to_string())), "{kept}");
    }
    for kept in [-1, i128::from(i64::MIN) - 1, -99_999_999_999_999_999_999_999_999_999_999_999_999_i128] {
        assert_eq!(through_serde(kept), Ok(number(&kept.to_string())), "{kept}");
    }
    for error in [through_serde(u128::MAX), through_serde(i128::MIN), through_serde(largest + 2)] {
        let error = error.unwrap_err();
        assert!(error.starts_with("`n` cannot be stored") && error.contains("39 significant digits"), "{error}");
    }
    let nested = through_serde(BTreeMap::from([("deep", vec![Some(1), None, Some(u128::MAX)])])).unwrap_err();
    assert!(nested.starts_with("`n.deep[2]` "), "{nested}");
    let own: Number = "0.00000000000000000000000000000000000012345678901234567890123456789012345678".parse().unwrap();
    assert_eq!(through_serde(own), Ok(AttributeValue::N(own)), "our own number is one");
}

#[tokio::test]
async fn every_digit_survives_every_way_in_and_out() {
    let table = Table::new(&one(r#"GSI1PK = "ALL", GSI1SK = "{id}""#, "n = \"number\""), &[]).await;
    for n in [
        "9007199254740993",
        "9007199254740995",
        "-12345678901234567890123456789012345678",
        "0.1234567890123456789012345678901234567",
        "18446744073709551617",
    ] {
        let item = build(&table.layout, &format!(r#"{{"id":"1","n":{n}}}"#)).unwrap();
        table.store.write(Write::Put { item: &item, conditions: &[] }).await.unwrap();
        let read = table.read("ONE#1 META").await.unwrap();
        assert_eq!(read.get("n"), Some(&number(n)));
        let exported = serde_json::to_string(&read).unwrap();
        assert!(exported.contains(&format!(r#""n":{{"N":"{n}"}}"#)), "{exported}");
        assert_eq!(Input::parse(&exported), Ok(Input::Item(read.clone())));
        let shown = to_plain_json(&AttributeValue::M(attributes_of(&read, first(&table.layout), table.layout.table())));
        assert!(shown.contains(&format!(r#""n":{n}"#)), "{shown}");
        assert_eq!(build(&table.layout, &shown).unwrap(), item);
    }
}

#[test]
fn only_significant_digits_count_towards_the_limit() {
    let nines = "9".repeat(38);
    for (text, digits) in [
        ("1234567895171680000000000000000000000000".to_owned(), 15),
        (format!("{nines}{}", "0".repeat(80)), 38),
        (format!("0.{}{nines}", "0".repeat(90)), 38),
        (format!("{}1{}", "0".repeat(60), "0".repeat(60)), 1),
        (format!("1.{}", "0".repeat(60)), 1),
    ] {
        let number: Number = text.parse().unwrap();
        assert_eq!(number.significant_digits(), digits, "{text}");
        assert_eq!(number.to_string().parse(), Ok(number));
        assert!(matches!(Input::parse(&format!(r#"{{"a":{{"N":"{text}"}}}}"#)), Ok(Input::Item(_))));
    }
    for text in [format!("{nines}1"), format!("1{}1", "0".repeat(37)), format!("0.{nines}1")] {
        assert!(text.parse::<Number>().unwrap_err().to_string().contains("39 significant digits"), "{text}");
    }
}

#[test]
fn numbers_have_one_normal_form_and_dynamodbs_limits() {
    for (given, normal) in [
        ("00042", "42"),
        ("-0", "0"),
        ("-0.000", "0"),
        ("1.5E2", "150"),
        ("1.0", "1"),
        ("+7", "7"),
        (".5", "0.5"),
        ("100e-2", "1"),
        ("-0.050", "-0.05"),
    ] {
        let Ok(Input::Item(item)) = Input::parse(&format!(r#"{{"a":{{"N":"{given}"}}}}"#)) else { panic!("{given}") };
        assert_eq!(serde_json::to_string(&item).unwrap(), format!(r#"{{"a":{{"N":"{normal}"}}}}"#));
    }
    for kept in ["1e-130", "-1e-130", "9.9999999999999999999999999999999999999e125"] {
        assert!(kept.parse::<Number>().is_ok(), "{kept}");
    }
    for refused in ["1e126", "-1e126", "1e-131", "10e125", "", "1,5", "0x1", "NaN", "Infinity", "1e", " 1"] {
        assert!(refused.parse::<Number>().is_err(), "{refused}");
        let error = Input::parse(&format!(r#"{{"a":{{"M":{{"b":{{"N":"{refused}"}}}}}}}}"#)).unwrap_err().to_string();
        assert!(error.contains("`a.b`"), "{error}");
    }
}

#[test]
fn a_float_that_is_no_number_is_refused_where_it_stands() {
    for (value, word) in [(f64::NAN, "NaN"), (f64::INFINITY, "inf"), (f64::NEG_INFINITY, "-inf")] {
        let error = through_serde(value).unwrap_err();
        assert_eq!(error, format!("`n` cannot be stored: it is {word}, and a number has digits"));
        let deep = through_serde(vec![BTreeMap::from([("score", (1, value))])]).unwrap_err();
        assert!(deep.starts_with("`n[0].score[1]` "), "{deep}");
    }
    assert!(through_serde(f32::NAN).is_err() && through_serde(Some(f32::INFINITY)).is_err());
    for zero in [through_serde(-0.0_f64), through_serde(-0.0_f32), through_serde(0)] {
        assert_eq!(zero, Ok(number("0")));
        assert_eq!(serde_json::to_string(&zero.unwrap()).unwrap(), r#"{"N":"0"}"#);
    }
    let whole = to_attribute_value(&f64::NAN).unwrap_err();
    assert_eq!(whole, NotStorable { path: String::new(), reason: "it is NaN, and a number has digits".to_owned() });
}

#[test]
fn a_float_is_stored_as_its_shortest_decimal_however_large() {
    for (value, stored) in [
        (1.23e40, "12300000000000000000000000000000000000000"),
        (-1e125, "-1e125"),
        (9_007_199_254_740_994.0, "9007199254740994"),
        (0.1, "0.1"),
        (0.1 + 0.2, "0.30000000000000004"),
        (1e-130, "1e-130"),
        (3.0, "3"),
    ] {
        assert_eq!(through_serde(value), Ok(number(stored)), "{value}");
    }
    assert_eq!(through_serde(0.1_f32), Ok(number("0.1")), "and no double's digits");
    for outside in [f64::MAX, 1e126, 1e-131, f64::MIN_POSITIVE] {
        let error = through_serde(outside).unwrap_err();
        assert!(error.contains("`n`") && error.contains("outside DynamoDB's range"), "{error}");
    }
}

#[tokio::test]
async fn bytes_are_binary_wherever_binary_is_declared() {
    #[derive(Serialize)]
    struct Given {
        id: Vec<u8>,
        list: Vec<Vec<u8>>,
        map: BTreeMap<String, Vec<u8>>,
        empty: Vec<u8>,
        plain: Vec<u8>,
    }
    let definition = r#"
        [table]
        name = "blobs"
        partition_key = { name = "id", type = "binary" }
        [entities.Blob.attributes]
        id = { type = "binary", max_bytes = 3 }
        list = { type = "list", of = "binary", max_items = 3 }
        map = { type = "map", attributes = { b = "binary" } }
        empty = "binary"
        plain = { type = "list", of = "number", max_items = 3 }
    "#;
    let table = Table::new(definition, &[]).await;
    let given = |id: &[u8]| Given {
        id: id.to_vec(),
        list: vec![vec![0], vec![255, 0]],
        map: BTreeMap::from([("b".to_owned(), vec![7])]),
        empty: Vec::new(),
        plain: vec![1, 2],
    };
    let build = |id: &[u8]| ItemBuilder::new(&table.layout, first(&table.layout)).serde(&given(id)).unwrap().build();
    let item = build(&[1, 2, 3]).unwrap();
    let json = r#"{"empty":{"B":""},"id":{"B":"AQID"},"list":{"L":[{"B":"AA=="},{"B":"/wA="}]},"map":{"M":{"b":{"B":"Bw=="}}},"plain":{"L":[{"N":"1"},{"N":"2"}]}}"#;
    assert_eq!(serde_json::to_string(&item).unwrap(), json);
    table.store.write(Write::Put { item: &item, conditions: &[] }).await.unwrap();
    let looked_for = key(&table.layout, r#"{"id":"AQID"}"#);
    assert_eq!(table.store.fetch(&[looked_for]).await.unwrap().items, [item]);
    assert!(build(&[1, 2, 3, 4]).is_err() && build(&[]).is_err(), "bounds and keys count its bytes");
    let list = r#"{"id":[1,256,3],"list":[],"map":{"b":""},"empty":"","plain":[]}"#;
    assert!(crate::build(&table.layout, list).unwrap_err().to_string().contains("`id` must be a binary"));
}

#[test]
fn binary_sets_keep_their_members() {
    let layout = of("bs = { type = \"binary-set\", max_items = 3 }");
    let json = r#"{"BS":["AQI=","AwQ="]}"#;
    let members = BTreeSet::from([Binary(vec![1, 2]), Binary(vec![3, 4])]);
    let set: AttributeValue = serde_json::from_str(json).unwrap();
    assert_eq!(set, AttributeValue::BinarySet(members));
    assert_eq!(serde_json::to_string(&set).unwrap(), json);
    assert_eq!(to_plain_json(&set), r#"["AQI=","AwQ="]"#);
    let from_text = build(&layout, r#"{"id":"1","bs":["AwQ=","AQI="]}"#).unwrap();
    assert_eq!(from_text.get("bs"), Some(&set));
    #[derive(Serialize)]
    struct Given {
        id: &'static str,
        bs: Vec<Vec<u8>>,
    }
    let from_serde = |bs| ItemBuilder::new(&layout, first(&layout)).serde(&Given { id: "1", bs }).unwrap().build();
    assert_eq!(from_serde(vec![vec![3, 4], vec![1, 2]]).unwrap().get("bs"), Some(&set));
    assert!(from_serde(vec![]).is_err() && from_serde(vec![vec![1], vec![1]]).is_err());
    for wrong in
        [r#"{"a":{"BS":[[1,2]]}}"#, r#"{"a":{"BS":["AQI=","AQI="]}}"#, r#"{"a":{"BS":["*"]}}"#, r#"{"a":{"BS":[]}}"#]
    {
        assert!(Input::parse(wrong).unwrap_err().to_string().contains("`a`"), "{wrong}");
    }
}

#[test]
fn a_null_is_treated_alike_at_every_depth() {
    let fields = r#"street = "string", unit = { type = "string", optional = true }"#;
    let definition = format!(
        r#"
        unit = {{ type = "string", optional = true }}
        addr = {{ type = "map", optional = true, attributes = {{ {fields}, more = {{ type = "map", optional = true, attributes = {{ {fields} }} }} }} }}
        list = {{ type = "list", optional = true, max_items = 3, of = {{ type = "map", attributes = {{ {fields} }} }} }}
        free = {{ type = "map", optional = true, max_items = 3, of = "string" }}
        kept = {{ type = "null", optional = true }}
        "#
    );
    let layout = of(&definition);
    let own = |json: &str| {
        let mut item = build(&layout, json).unwrap();
        item.0.retain(|name, _| !["PK", "SK", "GSI1PK", "GSI1SK"].contains(&name.as_str()));
        to_plain_json(&AttributeValue::M(item.0))
    };
    let address = |unit: &str| format!(r#"{{"street":"x"{unit}}}"#);
    let everywhere = |unit: &str, free: &str| {
        let (one, more) = (address(unit), address(unit));
        let addr = format!(r#"{{"more":{more},"street":"x"{unit}}}"#);
        format!(r#"{{"addr":{addr},"free":{{"a":"b"{free}}},"id":"1","kept":null,"list":[{one}]{unit}}}"#)
    };
    assert_eq!(own(&everywhere(r#","unit":null"#, r#","c":null"#)), everywhere("", ""));
    assert_eq!(own(&everywhere(r#","unit":"2""#, "")), everywhere(r#","unit":"2""#, ""));
    for required in [r#"{"id":"1","addr":{"street":null}}"#, r#"{"id":"1","list":[{"street":null}]}"#] {
        assert!(build(&layout, required).unwrap_err().to_string().contains("street"), "{required}");
    }
    // What nobody declared is kept as it is, at every depth too.
    let undeclared = r#"{"extra":{"deep":[null,{"n":null}],"n":null},"id":"1","n":null}"#;
    assert_eq!(own(undeclared), undeclared);
}
