//! Sizes: what counts, and when it is told.

use singletable::capacity::WriteCapacity;
use singletable::client::{DynamoDb, Fetched, Page, Query, Store, StoreError, Write, WriteError, Written};
use singletable::item::{Input, ItemProblem, UpdateError, update};
use singletable::{
    AttributeValue, Attributes, Binary, Item, ItemBuilder, ItemError, Layout, MAX_ITEM_BYTES, item_size,
};

use crate::engine::Table;
use crate::{changes, first, key, layout};

const ONE: &str = r#"
    [table]
    name = "one"
    partition_key = "PK"
    [entities.One]
    keys = { PK = "{id}" }
    attributes = { id = { type = "string", stored = "key" }, name = { type = "string", optional = true } }
"#;

/// An item of `PK`, 3 bytes, and these.
fn item(layout: &Layout, attributes: Vec<(String, AttributeValue)>) -> Result<Item, ItemError> {
    let builder = ItemBuilder::new(layout, first(layout)).attribute("id", "1");
    builder.attributes(attributes.into_iter().collect()).build()
}

fn number(text: &str) -> AttributeValue {
    AttributeValue::N(text.parse().unwrap())
}

#[test]
fn binary_weighs_its_bytes_and_not_its_text() {
    let layout = layout(ONE);
    let of = |count: usize| item(&layout, vec![("b".to_owned(), AttributeValue::B(Binary(vec![7; count])))]);
    assert_eq!(item_size(&of(300_000).unwrap()).bytes(), 3 + 1 + 300_000);
    assert!(of(409_596).is_ok() && of(409_597).is_err(), "the limit is in bytes too");
    let set = AttributeValue::BinarySet([vec![1; 10], vec![2; 20]].map(Binary).into());
    let list = AttributeValue::L(vec![AttributeValue::B(Binary(vec![1; 10]))]);
    let both = item(&layout, vec![("s".to_owned(), set), ("l".to_owned(), list)]).unwrap();
    assert_eq!(item_size(&both).bytes(), 3 + (1 + 30) + (1 + 3 + 1 + 10));
    // As text it would be longer: base64 in JSON is read before it is weighed.
    let text = Binary(vec![7; 300_000]).to_base64();
    let Ok(Input::Item(read)) = Input::parse(&format!(r#"{{"PK":{{"S":"1"}},"b":{{"B":"{text}"}}}}"#)) else {
        panic!()
    };
    assert_eq!((text.len(), item_size(&read).bytes()), (400_000, 300_004));
}

#[test]
fn names_and_values_are_summed_before_they_are_held_against_the_limit() {
    let layout = layout(ONE);
    let ten = |bytes: usize| {
        item(&layout, (0..10).map(|at| (format!("a{at}"), AttributeValue::S("x".repeat(bytes)))).collect())
    };
    assert!(ten(45_000).is_err());
    // 3 for the key, and a name of 2 bytes with each: 40,957 bytes are the most for each of ten.
    assert!(ten(40_957).is_ok() && ten(40_958).is_err());
    // Names alone can do it, and an umlaut has two bytes.
    let long_name = |bytes: usize| item(&layout, vec![("n".repeat(bytes), "x".repeat(350_000).into())]);
    assert!(long_name(59_597).is_ok() && long_name(59_598).is_err());
    let wide = |count: usize| item(&layout, vec![("b".to_owned(), "é".repeat(count).into())]);
    assert!(wide(204_798).is_ok() && wide(204_799).is_err());
    // One large value is no fault.
    assert!(item(&layout, vec![("b".to_owned(), "x".repeat(70_000).into())]).is_ok());
    let before = ten(40_957).unwrap();
    let longer = changes(&[("name", "\"x\"")]);
    let refused = update(&before, first(&layout), layout.table(), &longer);
    let fits = item_size(&before).bytes() + 5 <= MAX_ITEM_BYTES;
    assert_eq!(refused.is_ok(), fits, "an update is held to the same sum");
    assert!(matches!(
        update(&before, first(&layout), layout.table(), &changes(&[("name", "\"twenty bytes of text\"")])),
        Err(UpdateError::TooLarge(_))
    ));
}

/// Of a local index that carries everything, an item has room for half.
#[test]
fn an_item_shares_its_limit_with_its_entries_in_local_indexes() {
    let with = |projection: &str| {
        layout(&format!(
            "[table]\nname = \"one\"\npartition_key = \"PK\"\nsort_key = \"SK\"\n[indexes.ByRank]\nkind = \"local\"\n\
             sort_key = \"rank\"\nprojection = {projection}\n[entities.One]\nkeys = {{ PK = \"ONE#{{id}}\", SK = \"META\" }}\n\
             attributes = {{ id = \"string\", rank = {{ type = \"string\", optional = true }} }}\n"
        ))
    };
    let builds = |layout: &Layout, ranked: bool, bytes: usize| {
        let rank = ranked.then(|| ("rank".to_owned(), "7".into()));
        item(layout, rank.into_iter().chain([("b".to_owned(), "x".repeat(bytes).into())]).collect())
    };
    let (wide, narrow) = (with("\"all\""), with("\"keys-only\""));
    let half = MAX_ITEM_BYTES as usize / 2;
    assert!(builds(&wide, true, half - 100).is_ok());
    let refused = builds(&wide, true, half).unwrap_err().to_string();
    assert!(refused.contains("its entries in local indexes"), "{refused}");
    assert!(builds(&wide, false, half).is_ok(), "what is not in the index has the whole");
    assert!(builds(&narrow, true, half).is_ok());
}

#[test]
fn the_overhead_of_storage_counts_towards_no_limit_and_no_unit() {
    let layout = layout(ONE);
    let of = |bytes: usize| item(&layout, vec![("b".to_owned(), "x".repeat(bytes - 4).into())]);
    assert!(of(409_600).is_ok() && of(409_501).is_ok() && of(409_601).is_err());
    for (bytes, units) in [(924, 1), (925, 1), (1024, 1), (1025, 2), (2048, 2), (409_600, 400)] {
        let item = of(bytes).unwrap();
        assert_eq!(item_size(&item).bytes(), bytes as u64);
        assert_eq!(WriteCapacity::of_write(layout.table(), None, Some(&item)).total().0, units, "{bytes}");
    }
}

#[test]
fn a_number_weighs_by_its_digits_and_not_by_its_zeros() {
    let layout = layout(ONE);
    let many = item(&layout, (0..8000).map(|at| (format!("n{at:04}"), number("1E125"))).collect()).unwrap();
    assert_eq!(item_size(&many).bytes(), 3 + 8000 * (5 + 2));
    let bytes = |text: &str| {
        let item = item(&layout, vec![("n".to_owned(), number(text))]).unwrap();
        item_size(&item).bytes() - 4
    };
    assert_eq!([bytes("0"), bytes("0.000"), bytes("0e100")], [1, 1, 1]);
    assert_eq!([bytes("1e125"), bytes("1e-130"), bytes(&format!("1{}", "0".repeat(125)))], [2, 2, 2]);
    assert_eq!([bytes("-1e125"), bytes("12"), bytes("0012.00")], [3, 2, 2]);
    assert_eq!(bytes(&"9".repeat(38)), 20);
}

/// A store on which one item's updates are refused as too large, as DynamoDB does near its limit.
struct RefusesOne<'a> {
    inner: &'a DynamoDb,
    key: Item,
}

impl Store for RefusesOne<'_> {
    async fn query(&self, query: &Query) -> Result<Page, StoreError> {
        self.inner.query(query).await
    }

    async fn fetch(&self, keys: &[Item]) -> Result<Fetched, StoreError> {
        self.inner.fetch(keys).await
    }

    async fn write(&self, write: Write<'_>) -> Result<Written, WriteError> {
        let message = "Item size to update has exceeded the maximum allowed size".to_owned();
        match matches!(write, Write::Update(update) if update.key == self.key) {
            true => Err(StoreError::Rejected { code: "ValidationException".to_owned(), message }.into()),
            false => self.inner.write(write).await,
        }
    }
}

#[tokio::test]
async fn an_update_that_the_service_refuses_for_its_size_fails_alone() {
    let definition = r#"
        [table]
        name = "blog"
        partition_key = "PK"
        [entities.Author]
        keys = { PK = "A#{id}" }
        attributes = { id = "string", name = "string" }
        [entities.Post]
        keys = { PK = "P#{id}" }
        attributes = { id = "string", authorId = "string", authorName = "string" }
        [entities.Post.references.author]
        entity = "Author"
        by = { id = "authorId" }
        keep = "latest"
        copies = { authorName = "name" }
        via = "scan"
    "#;
    let table = Table::new(definition, &[r#"{"type":"Author","id":"1","name":"Ann"}"#]).await;
    for id in 1..=5 {
        table.put(&format!(r#"{{"type":"Post","id":"{id}","authorId":"1","authorName":"Ann"}}"#)).await;
    }
    let plan = table.plan("Author", "1", ("name", "Bea"), &[]).await;
    let store = RefusesOne { inner: &table.store, key: table.key("P#3") };
    let report = table.apply_through(&store, &plan).await;
    assert_eq!((report.outcomes.applied, report.outcomes.failed, report.outcomes.not_attempted), (4, 1, 0));
    assert!(!report.verified && report.still_different == 1);
    let problem = report.problems.iter().find(|problem| problem.contains("P#3")).unwrap();
    assert!(problem.contains("Item size to update has exceeded"), "{problem}");
    // The next run takes what is left.
    let rest = table.plan("Author", "1", ("name", "Bea"), &[]).await;
    assert_eq!(rest.totals.targets.stale, 1);
    assert!(table.apply(&rest).await.verified);
}

#[test]
fn an_item_too_large_says_by_how_much_and_what_weighs_most_before_any_request() {
    let layout = layout(&ONE.replace("partition_key", "warn_item_bytes = 300000\n    partition_key"));
    assert_eq!(layout.table().settings.warn_item_bytes, Some(300_000));
    let comments = |count: usize| {
        let comment = AttributeValue::M(Attributes::from_iter([("text".to_owned(), "x".repeat(214).into())]));
        vec![
            ("body".to_owned(), "b".repeat(1000).into()),
            ("comments".to_owned(), AttributeValue::L(vec![comment; count])),
            ("tags".to_owned(), "t".repeat(10).into()),
        ]
    };
    let error = item(&layout, comments(2000)).unwrap_err();
    let [ItemProblem::TooLarge { size, heaviest }] = error.problems.as_slice() else { panic!("{error}") };
    assert_eq!((heaviest[0].path.as_str(), heaviest[1].path.as_str(), heaviest[1].bytes), ("comments", "body", 1004));
    let over = size.bytes() - MAX_ITEM_BYTES;
    let sentence = error.to_string();
    assert!(sentence.contains(&format!("{} bytes, {over} over", size.bytes())), "{sentence}");
    assert!(sentence.contains(&format!("`comments` {} bytes", heaviest[0].bytes)), "{sentence}");
    assert!(item(&layout, comments(1000)).is_ok());
    // The path goes down to the part that makes up most of it.
    let deep = AttributeValue::M(Attributes::from_iter([("text".to_owned(), "x".repeat(409_600).into())]));
    let deep = item(&layout, vec![("l".to_owned(), AttributeValue::L(vec![AttributeValue::Null, deep]))]).unwrap_err();
    assert!(deep.to_string().contains("`l[1].text` "), "{deep}");
    // An update that would take it there says the same.
    let before = item(&layout, comments(1800)).unwrap();
    let name = format!("{:?}", "n".repeat(30_000));
    let error = update(&before, first(&layout), layout.table(), &changes(&[("name", &name)])).unwrap_err();
    assert!(error.to_string().contains("heaviest: `comments`"), "{error}");
    assert_eq!(before.key(&layout.table().key), key(&layout, r#"{"id":"1"}"#));
}
