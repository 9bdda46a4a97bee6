//! What is written as JSON, and what is kept as it is.

use serde::{Deserialize, Serialize};
use singletable::item::{Input, attributes_of};
use singletable::value::to_plain_json;
use singletable::{AttributeValue, ItemBuilder};

use crate::engine::Table;
use crate::{Changes, build, changes, first, layout, one};

#[tokio::test]
async fn what_is_empty_keeps_its_type() {
    let json = r#"{"PK":{"S":"ONE#1"},"SK":{"S":"META"},"data":{"M":{}},"l":{"L":[]},"nested":{"M":{"l":{"L":[{"M":{}},{"L":[]}]},"t":{"S":""}}},"nothing":{"NULL":true}}"#;
    let definition =
        one(r#"GSI1PK = "ALL", GSI1SK = "{id}""#, "tags = { type = \"string-set\", optional = true, max_items = 9 }");
    let table = Table::new(&definition, &[json]).await;
    let read = table.read("ONE#1 META").await.unwrap();
    assert_eq!(serde_json::to_string(&read).unwrap(), json);
    let plain = r#"{"id":"1","l":[],"m":{},"nested":[{},[],{"l":[]}]}"#;
    let item = build(&table.layout, plain).unwrap();
    assert_eq!(
        (item.get("l"), item.get("m")),
        (Some(&AttributeValue::L(vec![])), Some(&AttributeValue::M(Default::default())))
    );
    // Nothing empty is a set: DynamoDB has no empty one.
    for wrong in [r#"{"id":"1","tags":[]}"#, r#"{"id":"1","tags":{}}"#] {
        assert!(build(&table.layout, wrong).unwrap_err().to_string().contains("`tags`"), "{wrong}");
    }
    for kind in ["SS", "NS", "BS"] {
        let error = Input::parse(&format!(r#"{{"a":{{"L":[{{"{kind}":[]}}]}}}}"#)).unwrap_err().to_string();
        assert!(error.contains("`a[0]` is an empty set"), "{error}");
    }
}

#[tokio::test]
async fn what_a_change_does_not_touch_stays_as_it_is() {
    let definition = r#"
        [table]
        name = "blog"
        partition_key = "PK"
        [entities.Author]
        keys = { PK = "A#{id}" }
        attributes = { id = "string", name = "string" }
        [entities.Post]
        keys = { PK = "P#{id}" }
        attributes = { id = "string", authorId = "string", authorName = "string", note = { type = "string", optional = true } }
        [entities.Post.references.author]
        entity = "Author"
        by = { id = "authorId" }
        keep = "latest"
        copies = { authorName = "name" }
        via = "scan"
    "#;
    let rest = r#""big":{"N":"12345678901234567890"},"bin":{"B":"aGVsbG8="},"bins":{"BS":["AQI="]},"e":{"M":{}},"f":{"N":"0.1"},"nil":{"NULL":true},"nums":{"NS":["1","12345678901234567890123456789012345678"]},"tags":{"SS":["a","b"]}"#;
    let post =
        format!(r#"{{"PK":{{"S":"P#1"}},"authorId":{{"S":"1"}},"authorName":{{"S":"Ann"}},{rest},"id":{{"S":"1"}}}}"#);
    let sorted = |json: &str| serde_json::to_string(&serde_json::from_str::<singletable::Item>(json).unwrap()).unwrap();
    let table = Table::new(definition, &[r#"{"type":"Author","id":"1","name":"Ann"}"#, &post]).await;
    let plan = table.plan("Author", "1", ("name", "Bea"), &[]).await;
    let written = &plan.changes[0].writes[0].update;
    assert_eq!((written.set.len(), written.remove.len()), (1, 0), "the item is not written anew");
    assert!(table.apply(&plan).await.verified);
    let renamed = post.replace("Ann", "Bea");
    assert_eq!(serde_json::to_string(&table.read("P#1").await.unwrap()).unwrap(), sorted(&renamed));
    for read in [false, true] {
        let note = changes(&[("note", if read { "\"y\"" } else { "\"x\"" })]);
        let changed = table.change("Post", "P#1", note, Changes::new(), read).await.unwrap();
        assert_eq!(changed.update.set.len(), 1);
    }
    let noted = renamed.replacen('{', r#"{"note":{"S":"y"},"#, 1);
    assert_eq!(serde_json::to_string(&table.read("P#1").await.unwrap()).unwrap(), sorted(&noted));
}

#[test]
fn dates_are_written_alike_at_every_depth() {
    let layout = layout(&one(
        r#"GSI1PK = "ALL", GSI1SK = "{at}""#,
        r#"
        at = "timestamp"
        history = { type = "list", max_items = 9, of = { type = "map", attributes = { status = "string", time = "timestamp", by = { type = "map", optional = true, attributes = { at = "timestamp" } } } } }
        days = { type = "map", max_items = 9, of = "timestamp" }
    "#,
    ));
    #[derive(Serialize)]
    struct Given<'a> {
        id: &'a str,
        at: &'a str,
        history: Vec<std::collections::BTreeMap<&'a str, &'a str>>,
        days: std::collections::BTreeMap<&'a str, &'a str>,
    }
    for given in ["2021-09-18T09:18:08.256Z", "2021-09-18T11:18:08.256+02:00"] {
        let json = format!(
            r#"{{"id":"1","at":"{given}","history":[{{"status":"shipped","time":"{given}","by":{{"at":"{given}"}}}}],"days":{{"first":"{given}"}}}}"#
        );
        let item = build(&layout, &json).unwrap();
        let stored = r#"{"S":"2021-09-18T09:18:08.256Z"}"#;
        let dates = |item: &singletable::Item| serde_json::to_string(item).unwrap().matches(stored).count();
        assert_eq!(dates(&item), 5, "four, and the index key");
        let struck = Given {
            id: "1",
            at: given,
            history: vec![[("status", "s"), ("time", given)].into()],
            days: [("first", given)].into(),
        };
        assert_eq!(dates(&ItemBuilder::new(&layout, first(&layout)).serde(&struck).unwrap().build().unwrap()), 4);
    }
    for wrong in ["{}", "null", "1631956688"] {
        let json = format!(
            r#"{{"id":"1","at":"2021-09-18T09:18:08.256Z","history":[{{"status":"s","time":{wrong}}}],"days":{{}}}}"#
        );
        let error = build(&layout, &json).unwrap_err().to_string();
        assert!(error.contains("`history[0].time`"), "{error}");
    }
}

#[test]
fn plain_json_inside_dynamodb_json_is_refused_where_it_stands() {
    for (inner, place) in [
        (r#"{"M":{"is_enabled":true,"version":"v1"}}"#, "`car.is_enabled` is true"),
        (r#"{"M":{"version":"v1"}}"#, r#"`car.version` is "v1""#),
        (r#"{"M":{"speed":{"max":{"N":"1"},"min":{"N":"0"}}}}"#, "`car.speed` is "),
        (r#"{"M":{"speed":{"max":{"N":"1"}}}}"#, "`car.speed` has the type `max`"),
        (r#"{"L":[{"S":"a"},"b"]}"#, r#"`car[1]` is "b""#),
        (r#"{"L":[{"M":{"x":{"L":[null]}}}]}"#, "`car[0].x[0]` is null"),
        (r#"{"M":{"n":{"N":12}}}"#, "`car.n` holds a number"),
        (r#"{"M":{"b":{"BOOL":"true"}}}"#, "`car.b` holds a string"),
        (r#"{"M":[1]}"#, "`car` holds a list"),
        (r#"{"SS":["a",1]}"#, "`car` is a set"),
    ] {
        for json in [
            format!(r#"{{"id":{{"S":"1"}},"car":{inner}}}"#),
            format!(r#"{{"Item":{{"id":{{"S":"1"}},"car":{inner}}}}}"#),
        ] {
            let error = Input::parse(&json).unwrap_err().to_string();
            assert!(error.contains(place), "{json}: {error}");
        }
    }
    // One whole attribute without its type: it is plain JSON then, and the declared type says what is wrong.
    let layout = layout(&one(r#"GSI1PK = "ALL", GSI1SK = "{id}""#, "n = \"number\""));
    let Ok(Input::Attributes(mixed)) = Input::parse(r#"{"id":"1","n":{"N":"1"}}"#) else { panic!("plain") };
    let error = ItemBuilder::new(&layout, first(&layout)).attributes(mixed).build().unwrap_err();
    assert!(error.to_string().contains("`n` must be a number, and is a map"), "{error}");
    // The deepest item that DynamoDB takes can be written in its own JSON.
    let deep = format!(r#"{{"Item":{{"a":{}{{"S":"x"}}{}}}}}"#, r#"{"M":{"b":"#.repeat(31), "}}".repeat(31));
    assert!(matches!(Input::parse(&deep), Ok(Input::Item(_))));
}

#[test]
fn an_enum_of_tag_and_content_is_written_and_read_through_serde() {
    #[derive(Serialize, Deserialize, PartialEq, Debug)]
    #[serde(tag = "kind", content = "content")]
    enum Adjacent {
        Video { url: String, duration: u64 },
        None,
    }
    #[derive(Serialize, Deserialize, PartialEq, Debug)]
    enum Outside {
        Video { url: String, duration: u64 },
        Colour(u8, u8),
        Text(String),
        None,
    }
    #[derive(Serialize, Deserialize, PartialEq, Debug)]
    struct Page {
        id: String,
        background: (Adjacent, Vec<Outside>),
    }
    let video = || Adjacent::Video { url: "u".to_owned(), duration: 7960 };
    let all = vec![
        Outside::Video { url: "v".to_owned(), duration: 1 },
        Outside::Colour(1, 2),
        Outside::Text("t".to_owned()),
        Outside::None,
    ];
    let layout = layout(&one(r#"GSI1PK = "ALL", GSI1SK = "{id}""#, "background = \"any\""));
    let page = Page { id: "1".to_owned(), background: (video(), all) };
    let item = ItemBuilder::new(&layout, first(&layout)).serde(&page).unwrap().build().unwrap();
    let own = AttributeValue::M(attributes_of(&item, first(&layout), layout.table()));
    assert_eq!(serde_json::from_str::<Page>(&to_plain_json(&own)).unwrap(), page);
    // Written by another tool as a list of the tag and the content.
    let list = r#"{"L":[{"S":"Video"},{"M":{"url":{"S":"u"},"duration":{"N":"7960"}}}]}"#;
    let list: AttributeValue = serde_json::from_str(list).unwrap();
    assert_eq!(serde_json::from_str::<Adjacent>(&to_plain_json(&list)).unwrap(), video());
    let wrong = serde_json::from_str::<Adjacent>(r#"["Audio",{}]"#).unwrap_err().to_string();
    assert!(wrong.contains("Audio"), "{wrong}");
}
