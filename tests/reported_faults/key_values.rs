//! What stands in a key: separators, times, nulls, filters, lengths.

use std::collections::BTreeMap;

use singletable::client::{Query, Store};
use singletable::fanout::Request;
use singletable::item::{ItemProblem, UpdateError, unread_update, update};
use singletable::key::KeyError;
use singletable::{AttributeValue, Item, ItemBuilder};

use crate::engine::Table;
use crate::key_writes::unread;
use crate::{Changes, build, changes, codes, first, key, layout, one, path, plain, text};

#[test]
fn a_separator_inside_a_value_never_makes_two_items_share_a_key() {
    let table = "[table]\nname = \"repos\"\npartition_key = \"PK\"\n[entities.Repo]\nattributes = { a = \"string\", b = \"string\", c = \"string\" }\n";
    let mut texts = vec![String::new()];
    for _ in 0..3 {
        let longer: Vec<String> =
            texts.iter().flat_map(|text| ["x", "#"].map(|next| format!("{text}{next}"))).collect();
        texts.extend(longer);
    }
    for template in ["R#{a}#{b}", "{a}##{b}", "{a}#{b}#{c}", "{a}x{b}#", "{a}#x#{b}"] {
        let layout = layout(&format!("{table}keys = {{ PK = \"{template}\" }}"));
        let mut made: BTreeMap<String, String> = BTreeMap::new();
        let mut refused = 0;
        for (a, b) in texts.iter().flat_map(|a| texts.iter().map(move |b| (a, b))) {
            let given = format!(r#"{{"a":{a:?},"b":{b:?},"c":"x"}}"#);
            match build(&layout, &given) {
                Ok(item) => {
                    let of = given.replace(r#","c":"x""#, "");
                    let other = made.insert(text(&item, "PK").unwrap().to_owned(), of.clone());
                    assert!(other.is_none_or(|other| other == of), "{template}: {given}");
                }
                Err(_) => refused += 1,
            }
        }
        assert!(refused > 0 && made.len() > 5, "{template}: {refused} refused, {} made", made.len());
    }
    let layout = layout(&format!("{table}keys = {{ PK = \"REPO#{{a}}#{{b}}\" }}"));
    let error = build(&layout, r#"{"a":"a#b","b":"c","c":"x"}"#).unwrap_err();
    assert!(error.to_string().contains("`a` is \"a#b\""), "{error}");
    assert_eq!(text(&build(&layout, r#"{"a":"a","b":"b#c","c":"x"}"#).unwrap(), "PK"), Some("REPO#a#b#c"));
    assert!(codes(&format!("{table}keys = {{ PK = \"{{a}}{{b}}\" }}")).contains(&"key-template.adjacent-placeholders"));
}

#[test]
fn a_time_with_an_offset_is_one_moment_when_written_and_when_looked_for() {
    for (precision, written) in [("milliseconds", "2014-02-11T08:00:00.000Z"), ("seconds", "2014-02-11T08:00:00Z")] {
        let layout = layout(&format!(
            "[table]\nname = \"log\"\npartition_key = \"PK\"\nsort_key = \"SK\"\n[entities.Entry]\nkeys = {{ PK = \"LOG\", SK = \"AT#{{at}}\" }}\nattributes = {{ at = {{ type = \"timestamp\", precision = \"{precision}\" }} }}"
        ));
        let sort = |item: &Item| text(item, "SK").unwrap().to_owned();
        let looked_for = |at: &str| {
            let pairs = [("at".to_owned(), at.to_owned())];
            let typed = Request::parse(&layout, "Entry", &pairs, &[], &[], Default::default()).unwrap().key;
            assert_eq!(typed, key(&layout, &format!(r#"{{"at":{at:?}}}"#)), "typed or as JSON");
            sort(&typed)
        };
        for moment in ["2014-02-11T10:00:00+02:00", "2014-02-11T08:00:00Z", "2014-02-10T20:30:00-11:30"] {
            let item = build(&layout, &format!(r#"{{"at":{moment:?}}}"#)).unwrap();
            assert_eq!(sort(&item), format!("AT#{written}"));
            assert_eq!(sort(&item), looked_for(moment));
            let (from, to) = ("2014-02-11T09:59:00+02:00", "2014-02-11T10:01:00+02:00");
            assert!(looked_for(from) < sort(&item) && sort(&item) < looked_for(to));
        }
        for local in ["2014-02-11T10:00:00", "2014-02-11", "11.2.2014"] {
            assert!(build(&layout, &format!(r#"{{"at":{local:?}}}"#)).is_err(), "{local} is no moment");
        }
    }
}

#[test]
fn a_null_never_reaches_an_index_key() {
    #[derive(serde::Serialize)]
    struct Given {
        id: &'static str,
        #[serde(rename = "GSI1PK")]
        source: Option<String>,
        at: Option<String>,
    }
    let optional = r#"at = { type = "string", optional = true }"#;
    let plain_key =
        one(r#"GSI1SK = "{at}""#, &format!("GSI1PK = {{ type = \"string\", optional = true }}\n{optional}"));
    let made_key = one(r##"GSI1PK = "S#{at}", GSI1SK = "{at}""##, optional);
    for definition in [&plain_key, &made_key] {
        let layout = layout(definition);
        let is_plain = definition == &plain_key;
        let (given, source) = (if is_plain { r#","GSI1PK":null"# } else { "" }, None);
        let mut items = vec![build(&layout, &format!(r#"{{"id":"9","at":null{given}}}"#)).unwrap()];
        if is_plain {
            let given = Given { id: "9", source, at: None };
            items.push(ItemBuilder::new(&layout, first(&layout)).serde(&given).unwrap().build().unwrap());
        }
        for item in items {
            assert!(item.get("GSI1PK").is_none() && item.get("GSI1SK").is_none(), "{item:?}");
        }
        let name = if is_plain { "GSI1PK" } else { "at" };
        let before = build(&layout, r#"{"id":"9"}"#).unwrap();
        assert!(update(&before, first(&layout), layout.table(), &changes(&[(name, "null")])).is_err());
        assert!(unread(&layout, "9", &[(name, "null")], &[("at", "\"x\"")]).is_err());
        let stored = plain(r#"{"PK":"ONE#9","SK":"META","GSI1PK":null}"#);
        assert!(layout.check_stored(&Item(stored)).is_err(), "not in DynamoDB JSON either");
    }
    let required = layout(&one(r#"GSI1SK = "{id}""#, r#"GSI1PK = "string""#));
    assert!(build(&required, r#"{"id":"9","GSI1PK":null}"#).unwrap_err().to_string().contains("`GSI1PK`"));
}

#[tokio::test]
async fn texts_are_ordered_by_their_utf8_bytes() {
    let definition = "[table]\nname = \"one\"\npartition_key = \"PK\"\nsort_key = \"SK\"\n[entities.One]\nkeys = { PK = \"P\", SK = \"P#{id}\" }\nattributes = { id = \"string\" }\n";
    let ascending = ["Z", "a", "é", "\u{ff61}", "\u{10002}", "\u{1f600}"];
    let table = Table::new(definition, &[]).await;
    for id in ascending.iter().rev() {
        table.put(&format!(r#"{{"type":"One","id":"{id}"}}"#)).await;
    }
    let partition = Item::from_iter([("PK", "P")]);
    let page = table.store.query(&Query::partition(None, partition)).await.unwrap();
    let found: Vec<&str> = page.items.iter().map(|item| text(item, "id").unwrap()).collect();
    assert_eq!(found, ascending, "as the engine has it");
    let set = AttributeValue::StringSet(ascending.iter().map(|id| (*id).to_owned()).collect());
    let json: serde_json::Value = serde_json::from_str(&singletable::value::to_plain_json(&set)).unwrap();
    assert_eq!(json, serde_json::json!(ascending), "as we have it");
}

#[test]
fn a_renamed_attribute_is_written_under_its_stored_name_only() {
    let layout = layout(
        &one(
            r##"GSI1PK = "TEAM#{team}", GSI1SK = "{city}""##,
            r##"
        team = { type = "string", stored_as = "t" }
        city = { type = "string", stored_as = "d.c" }
        n = { type = "number", optional = true }
    "##,
        )
        .replace(r#"id = "string""#, r#"id = { type = "string", stored_as = "o" }"#),
    );
    let item = build(&layout, r#"{"id":"x","team":"a","city":"Brno"}"#).unwrap();
    assert_eq!(
        (text(&item, "PK"), text(&item, "GSI1PK"), text(&item, "GSI1SK")),
        (Some("ONE#x"), Some("TEAM#a"), Some("Brno"))
    );
    let names: Vec<&str> = item.0.keys().map(String::as_str).collect();
    assert_eq!(names, ["GSI1PK", "GSI1SK", "PK", "SK", "d", "o", "t"]);
    let place = |name: &str| first(&layout).resolve(name).unwrap().path;
    assert_eq!((place("id"), place("team"), place("city")), (path(r#"["o"]"#), path(r#"["t"]"#), path(r#"["d","c"]"#)));
    let counted = unread(&layout, "x", &[("n", "1")], &[]).unwrap();
    assert_eq!(counted.set.0.keys().collect::<Vec<_>>(), ["n"]);
    let moved = unread(&layout, "x", &[("t", "\"b\"")], &[("d.c", "\"Brno\"")]).unwrap();
    assert_eq!(
        (text(&moved.set, "t"), text(&moved.set, "GSI1PK"), moved.set.get("team")),
        (Some("b"), Some("TEAM#b"), None)
    );
}

#[test]
fn a_filter_is_applied_wherever_the_key_is_made() {
    let layout = layout(
        "[table]\nname = \"one\"\npartition_key = \"PK\"\n[indexes.ByShop]\npartition_key = \"IPK\"\nprojection = \"all\"\n[entities.One]\nkeys = { PK = \"BRANDWATCH#{brand|upper}\", IPK = \"{shop|lower|take 3}\" }\nattributes = { brand = \"string\", shop = { type = \"string\", optional = true } }",
    );
    for brand in ["Acme", "ACME", "acme"] {
        let given = format!(r#"{{"brand":{brand:?}}}"#);
        let item = build(&layout, &given).unwrap();
        assert_eq!((text(&item, "PK"), text(&item, "brand")), (Some("BRANDWATCH#ACME"), Some(brand)));
        assert_eq!(key(&layout, &given), item.key(&layout.table().key), "what is looked for is what was written");
        let moved = update(&item, first(&layout), layout.table(), &changes(&[("shop", "\"ÄBCD\"")])).unwrap();
        assert_eq!(text(&moved.after, "IPK"), Some("äbc"));
        let made = unread_update(
            &key(&layout, &given),
            first(&layout),
            layout.table(),
            &changes(&[("shop", "\"ÄBCD\"")]),
            &BTreeMap::new(),
            &Changes::new(),
        );
        assert_eq!(made.unwrap().set[&path(r#"["IPK"]"#)], "äbc".into());
    }
}

#[test]
fn a_key_is_measured_in_bytes_before_it_is_sent() {
    let layout = layout(&one(r#"GSI1PK = "{c}", GSI1SK = "{d}""#, "c = \"string\"\nd = \"string\""));
    let item = |id: &str, c: &str, d: &str| build(&layout, &format!(r#"{{"id":{id:?},"c":{c:?},"d":{d:?}}}"#));
    let refused = |result: Result<Item, singletable::ItemError>, name: &str, over: usize| {
        let problems = result.unwrap_err().problems;
        let [ItemProblem::Key(KeyError::TooLong { key, bytes, .. })] = problems.as_slice() else {
            panic!("{problems:?}")
        };
        assert_eq!((key.as_str(), *bytes), (name, over));
    };
    let (wide, x) = (|count: usize| "é".repeat(count), |count: usize| "x".repeat(count));
    assert!(item("1", &x(2048), &x(1024)).is_ok() && item("1", &wide(1024), &wide(512)).is_ok());
    refused(item("1", &x(2175), "d"), "GSI1PK", 2175);
    refused(item("1", &wide(1025), "d"), "GSI1PK", 2050);
    refused(item("1", "c", &x(1025)), "GSI1SK", 1025);
    refused(item("1", "c", &wide(513)), "GSI1SK", 1026);
    assert!(item(&x(2044), "c", "d").is_ok());
    refused(item(&x(2045), "c", "d"), "PK", 2049);
    let before = item("1", "c", "d").unwrap();
    for (name, count) in [("c", 2049), ("d", 1025)] {
        let long = changes(&[(name, &format!("{:?}", x(count)))]);
        let read = update(&before, first(&layout), layout.table(), &long);
        assert!(matches!(read, Err(UpdateError::Key(KeyError::TooLong { .. }))), "{read:?}");
        assert!(
            unread(&layout, "1", &[(name, &format!("{:?}", x(count)))], &[("c", "\"c\""), ("d", "\"d\"")]).is_err()
        );
    }
    let stored = Item::from_iter([("PK", "ONE#1".to_owned()), ("SK", "META".to_owned()), ("GSI1PK", x(2049))]);
    assert!(layout.check_stored(&stored).is_err(), "an item that is stored as it stands is held to it too");
}

#[test]
fn an_entity_without_a_part_of_the_primary_key_is_refused() {
    let table = |sort: &str, keys: &str| {
        format!(
            "[table]\nname = \"orders\"\npartition_key = \"PK\"\n{sort}\n[entities.Order]\nkeys = {{ {keys} }}\nattributes = {{ id = \"string\" }}"
        )
    };
    let sort = "sort_key = \"SK\"";
    assert!(codes(&table(sort, r##"PK = "ORDER#{id}""##)).contains(&"entity.missing-key"));
    assert!(codes(&table(sort, r##"SK = "ORDER#{id}""##)).contains(&"entity.missing-key"));
    assert_eq!(codes(&table(sort, r##"PK = "ORDER#{id}", SK = "META""##)), [""; 0]);
    assert_eq!(codes(&table("", r##"PK = "ORDER#{id}""##)), [""; 0]);
}
