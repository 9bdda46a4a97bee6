//! Expressions, guards, and what a refused one means.

use singletable::client::{ChangeError, DynamoDb, Store, StoreError, Write, WriteError};
use singletable::fanout::{Class, Outcome};

use crate::engine::{Table, client};
use crate::{Changes, changes, path};

const BLOG: &str = r#"
    [table]
    name = "blog"
    partition_key = "PK"
    type_attribute = "type"
    [entities.Author]
    keys = { PK = "A#{id}" }
    version = "rev"
    attributes = { id = "string", name = "string", bio = { type = "string", optional = true }, rev = { type = "number", optional = true } }
    [entities.Post]
    keys = { PK = "P#{id}" }
    [entities.Post.attributes]
    id = "string"
    authorId = "string"
    author = { type = "map", optional = true, attributes = { name = "string" } }
    address = { type = "map", optional = true, attributes = { street = { type = "string", optional = true }, unit = { type = "string", optional = true } } }
    [entities.Post.references.author]
    entity = "Author"
    by = { id = "authorId" }
    keep = "latest"
    copies = { "author.name" = "name" }
    via = "scan"
    [entities.Thread]
    keys = { PK = "T#{id}" }
    [entities.Thread.attributes]
    id = "string"
    comments = { type = "list", max_items = 1000, of = { type = "map", attributes = { authorId = "string", name = "string" } } }
    [entities.Thread.references.commenter]
    entity = "Author"
    within = "comments[]"
    by = { id = "authorId" }
    keep = "latest"
    copies = { name = "name" }
    via = "scan"
"#;

const AUTHOR: &str = r#"{"type":"Author","id":"1","name":"Ann","rev":2}"#;

fn post(id: u32, name: &str) -> String {
    format!(r#"{{"type":"Post","id":"{id}","authorId":"1","author":{{"name":"{name}"}}}}"#)
}

fn thread(comments: &str) -> String {
    format!(r#"{{"type":"Thread","id":"1","comments":[{comments}]}}"#)
}

#[tokio::test]
async fn no_name_stands_in_an_expression_itself() {
    let table = Table::new(BLOG, &[&post(1, "Ann")]).await;
    let odd =
        ["state", "name", "status", "ttl", "date", "size", "a-b", "a b", "a.b", "#x", ":y", "é", "0", "_", "a[0]"];
    let set: Changes = odd.map(|name| (path(&format!("[{name:?}]")), Some("x".into()))).into();
    let told: Changes = odd.map(|name| (path(&format!("[{name:?}]")), None)).into();
    let changed = table.change("Post", "P#1", set.clone(), told, false).await.unwrap();
    let request = changed.update.request();
    for expression in [&request.update, &request.condition] {
        let words = expression.split(|c: char| !(c.is_alphanumeric() || "#:_".contains(c)));
        let own = ["SET", "AND", "OR", "attribute_exists", "attribute_not_exists", ""];
        let foreign: Vec<&str> =
            words.filter(|word| !own.contains(word) && !word.starts_with("#n") && !word.starts_with(":v")).collect();
        assert_eq!(foreign, [""; 0], "{expression}");
    }
    let item = table.read("P#1").await.unwrap();
    assert!(odd.iter().all(|name| item.get(name) == Some(&"x".into())));
    let removed: Changes = set.into_keys().map(|path| (path, None)).collect();
    table.change("Post", "P#1", removed, Changes::new(), true).await.unwrap();
    assert!(odd.iter().all(|name| !item.0.is_empty() && *name != "PK"));
    assert!(table.read("P#1").await.unwrap().0.keys().all(|name| !odd.contains(&name.as_str())));
}

#[tokio::test]
async fn a_field_is_updated_whatever_its_name_is() {
    let odd = ["fd324157-7aaa-4ef4-baa5-47952b9e189b", "a.b", "set", "1", "x y"];
    let fields: Vec<String> = odd.iter().map(|name| format!(r#"{name:?}:{{"M":{{"abc":{{"S":"old"}}}}}}"#)).collect();
    let item = format!(r#"{{"PK":{{"S":"P#1"}},"type":{{"S":"Post"}},"xyz":{{"M":{{{}}}}}}}"#, fields.join(","));
    let table = Table::new(BLOG, &[&item]).await;
    for (at, name) in odd.into_iter().enumerate() {
        let place = path(&format!(r#"["xyz",{name:?},"abc"]"#));
        let changed = [(place.clone(), Some("new".into()))].into();
        let made = table.change("Post", "P#1", changed, Changes::new(), at % 2 == 0).await.unwrap();
        assert_eq!(made.update.request().update.matches(".#n").count(), 2, "a placeholder for each step");
        assert_eq!(place.get(&table.read("P#1").await.unwrap().0), Some(&"new".into()));
    }
}

#[tokio::test]
async fn a_member_of_a_missing_map_is_that_items_matter_and_the_run_goes_on() {
    let old = r#"{"PK":{"S":"P#2"},"type":{"S":"Post"},"id":{"S":"2"},"authorId":{"S":"1"}}"#;
    let table = Table::new(BLOG, &[AUTHOR, &post(1, "Ann"), old, &post(3, "Ann")]).await;
    let plan = table.plan("Author", "1", ("name", "Bea"), &[]).await;
    assert_eq!((plan.totals.targets.stale, plan.totals.targets.absent), (2, 1));
    let report = table.apply(&plan).await;
    assert_eq!((report.outcomes.applied, report.outcomes.failed, report.left.absent), (2, 0, 1));
    assert_eq!(table.value("P#2", "author").await, None);
    // Asked for, the map is made.
    let all = table.plan("Author", "1", ("name", "Bea"), &[Class::Absent]).await;
    assert!(table.apply(&all).await.verified);
    assert_eq!(table.value("P#2", "author").await.unwrap(), r#"{"M":{"name":{"S":"Bea"}}}"#);
    // An update of one item tells it apart from a failure, and makes the map where it has read the item.
    let street = || changes(&[("address.street", "\"x\"")]);
    let unread = table.change("Post", "P#2", street(), Changes::new(), false).await;
    assert!(
        matches!(&unread, Err(ChangeError::Differs { conditions, .. }) if conditions.contains("address")),
        "{unread:?}"
    );
    table.change("Post", "P#2", street(), Changes::new(), true).await.unwrap();
    assert_eq!(table.value("P#2", "address").await.unwrap(), r#"{"M":{"street":{"S":"x"}}}"#);
}

#[tokio::test]
async fn changes_of_which_one_is_inside_the_other_are_one_write() {
    for read in [false, true] {
        let table = Table::new(BLOG, &[&post(1, "Ann")]).await;
        let write = async |what: &[(&str, &str)]| {
            let changed = table.change("Post", "P#1", changes(what), Changes::new(), read).await.unwrap();
            changed.update.set.len() + changed.update.remove.len()
        };
        let address = async || table.value("P#1", "address").await;
        assert_eq!(write(&[("address", r#"{"street":"x","unit":"1"}"#)]).await, 1);
        assert_eq!(write(&[("address", r#"{"street":"y","unit":"2"}"#), ("address.unit", "")]).await, 1);
        assert_eq!(address().await.unwrap(), r#"{"M":{"street":{"S":"y"}}}"#);
        assert_eq!(write(&[("address", r#"{"street":"z"}"#), ("address.unit", "\"3\"")]).await, 1);
        assert_eq!(address().await.unwrap(), r#"{"M":{"street":{"S":"z"},"unit":{"S":"3"}}}"#);
        assert_eq!(write(&[("address", ""), ("address.unit", "\"4\"")]).await, 1);
        assert_eq!(address().await.unwrap(), r#"{"M":{"unit":{"S":"4"}}}"#);
        assert_eq!(write(&[("address", ""), ("address.unit", "")]).await, 1);
        assert_eq!(address().await, None);
        // A list, and an element of it.
        let list = |rest: &[(&str, &str)]| {
            let mut all = changes(rest);
            all.insert(path(r#"["l",0]"#), Some("A".into()));
            all
        };
        let both = list(&[("l", r#"["a","b","c"]"#)]);
        let changed = table.change("Post", "P#1", both, Changes::new(), read).await.unwrap();
        assert_eq!(changed.update.set.len(), 1);
        assert_eq!(table.value("P#1", "l").await.unwrap(), r#"{"L":[{"S":"A"},{"S":"b"},{"S":"c"}]}"#);
        let alone = [(path(r#"["l",1]"#), Some("B".into()))].into();
        table.change("Post", "P#1", alone, Changes::new(), read).await.unwrap();
        assert_eq!(table.value("P#1", "l").await.unwrap(), r#"{"L":[{"S":"A"},{"S":"B"},{"S":"c"}]}"#);
        // What cannot be meant is refused.
        for wrong in [list(&[("l", "\"text\"")]), list(&[("l", "[]")]), [(path(r#"["l",0]"#), None)].into()] {
            let refused = table.change("Post", "P#1", wrong, Changes::new(), read).await;
            assert!(matches!(refused, Err(ChangeError::Update(_))), "{refused:?}");
        }
    }
}

#[tokio::test]
async fn a_refused_guard_tells_done_changed_and_deleted_apart_by_the_item_that_it_brings() {
    let posts: Vec<String> = (1..=4).map(|id| post(id, "Ann")).collect();
    let table = Table::new(BLOG, &[AUTHOR, &posts[0], &posts[1], &posts[2], &posts[3]]).await;
    let plan = table.plan("Author", "1", ("name", "Bea"), &[]).await;
    table.put(&post(1, "Bea")).await;
    table.put(&post(2, "by hand")).await;
    table.delete("P#3").await;
    table.put(&post(4, "Ann").replace(r#""authorId":"1""#, r#""authorId":"2""#)).await;
    for (key, outcome) in
        [("P#1", Outcome::AlreadyCurrent), ("P#2", Outcome::Conflict), ("P#3", Outcome::Gone), ("P#4", Outcome::Moved)]
    {
        let change = plan.changes.iter().find(|change| change.key == table.key(key)).unwrap();
        let refused = table.store.write(Write::Update(&change.writes[0].update)).await.unwrap_err();
        let WriteError::Refused { item, consumed } = refused else { panic!("{refused}") };
        // Where there is no item, one read tells that from an engine that never brings it along.
        let expected = if outcome == Outcome::Gone { 2 } else { 0 };
        assert_eq!(consumed.halves(), expected, "{key}: the refusal itself brought the item");
        assert_eq!(change.writes[0].classify_refusal(item.as_ref().map(|item| &item.0)), outcome, "{key}");
    }
}

#[tokio::test]
async fn what_was_deleted_meanwhile_counts_as_gone_and_is_not_made_again() {
    let table = Table::new(BLOG, &[AUTHOR, &post(1, "Ann"), &post(2, "Ann")]).await;
    let plan = table.plan("Author", "1", ("name", "Bea"), &[]).await;
    table.delete("P#2").await;
    let outcomes = table.apply(&plan).await.outcomes;
    assert_eq!((outcomes.applied, outcomes.gone, outcomes.failed), (1, 1, 0));
    assert_eq!(table.read("P#2").await, None);
}

#[tokio::test]
async fn an_update_that_only_removes_creates_no_item() {
    let table = Table::new(BLOG, &[]).await;
    for what in [[("address", "")], [("address.unit", "")], [("address", "{}")]] {
        for read in [false, true] {
            let gone = table.change("Post", "P#1", changes(&what), Changes::new(), read).await;
            assert!(matches!(gone, Err(ChangeError::Gone)), "{what:?}: {gone:?}");
            assert_eq!(table.read("P#1").await, None);
        }
    }
}

#[tokio::test]
async fn an_item_with_too_many_copies_for_one_expression_takes_several_writes() {
    for count in [1, 60, 300, 1000] {
        let comments = vec![r#"{"authorId":"1","name":"Ann"}"#; count].join(",");
        let table = Table::new(BLOG, &[AUTHOR, &thread(&comments)]).await;
        let plan = table.plan("Author", "1", ("name", "Bea"), &[]).await;
        let writes = &plan.changes[0].writes;
        assert_eq!((plan.changes.len(), plan.changes[0].copies().count()), (1, count));
        assert_eq!(writes.len() == 1, count <= 60, "{count}: {} writes", writes.len());
        for write in writes {
            let request = write.update.request();
            assert!(request.update.len() <= 4096 && request.condition.len() <= 4096, "{count}");
        }
        let report = table.apply(&plan).await;
        assert!(report.verified && report.outcomes.applied == 1, "{report:?}");
        assert!(!table.value("T#1", "comments").await.unwrap().contains("Ann"));
    }
}

#[tokio::test]
async fn an_update_and_its_condition_share_placeholders_and_name_none_in_vain() {
    let table = Table::new(BLOG, &[AUTHOR, &post(1, "Ann"), &thread(r#"{"authorId":"1","name":"Ann"}"#)]).await;
    let plan = table.plan("Author", "1", ("name", "Bea"), &[]).await;
    let mut updates: Vec<_> =
        plan.changes.iter().flat_map(|change| &change.writes).map(|write| write.update.clone()).collect();
    updates.extend(plan.header.source.change.as_ref().map(|change| change.update.clone()));
    let told = changes(&[("address", ""), ("authorId", "\"1\"")]);
    let set = changes(&[("address", r#"{"unit":"1"}"#), ("extra", "")]);
    updates.push(table.change("Post", "P#1", set, told, false).await.unwrap().update);
    assert_eq!(updates.len(), 4);
    for request in updates.iter().map(singletable::fanout::GuardedUpdate::request) {
        let text = format!("{} {}", request.update, request.condition);
        let mut used: Vec<&str> = text
            .split(|c: char| !(c.is_alphanumeric() || "#:".contains(c)))
            .filter(|word| word.starts_with(['#', ':']))
            .collect();
        used.sort_unstable();
        used.dedup();
        let (names, values) = (request.placeholders.names.keys(), request.placeholders.values.keys());
        let mut sent: Vec<&str> = names.chain(values).map(String::as_str).collect();
        sent.sort_unstable();
        assert_eq!(used, sent, "{text}");
        assert!(!request.condition.is_empty());
    }
}

#[tokio::test]
async fn elements_are_changed_where_they_refer_and_guarded_against_a_shift() {
    let [own, other] = [r#"{"authorId":"1","name":"Ann"}"#, r#"{"authorId":"2","name":"Ann"}"#];
    let table = Table::new(BLOG, &[AUTHOR, &thread(&format!("{own},{other},{own}"))]).await;
    let plan = table.plan("Author", "1", ("name", "Bea"), &[]).await;
    let [write] = plan.changes[0].writes.as_slice() else { panic!("one write") };
    let places: Vec<String> = write.update.set.iter().map(|(path, _)| path.to_string()).collect();
    assert_eq!(places, ["comments[0].name", "comments[2].name"]);
    assert_eq!(write.update.guard.elements.len(), 2, "each element still refers to her");
    // The list shifts: the guard is refused, nobody's name is overwritten, and a later pass finds her again.
    table.put(&thread(&format!("{other},{own},{other}"))).await;
    let report = table.apply(&plan).await;
    assert!(report.problems[0].contains("no longer holds"), "{:?}", report.problems);
    assert_eq!((report.outcomes.conflict, report.outcomes.applied, report.verified), (0, 1, true));
    let names = table.value("T#1", "comments").await.unwrap();
    assert_eq!((names.matches(r#"{"S":"Ann"}"#).count(), names.matches(r#"{"S":"Bea"}"#).count()), (2, 1));
}

/// An endpoint that answers every request with one error.
async fn answering(code: &'static str) -> String {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    let listener = tokio::net::TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move {
        while let Ok((mut connection, _)) = listener.accept().await {
            let mut request = [0; 65_536];
            while connection.read(&mut request).await.is_ok_and(|read| read > 0) {
                let body = format!(r#"{{"__type":"com.amazonaws.dynamodb.v20120810#{code}","message":"told"}}"#);
                let head = "HTTP/1.1 400 Bad Request\r\ncontent-type: application/x-amz-json-1.0";
                let answer = format!("{head}\r\ncontent-length: {}\r\n\r\n{body}", body.len());
                connection.write_all(answer.as_bytes()).await.unwrap();
            }
        }
    });
    url
}

#[tokio::test]
async fn only_a_failed_condition_is_told_as_one() {
    let table = Table::new(BLOG, &[AUTHOR, &post(1, "Ann")]).await;
    let plan = table.plan("Author", "1", ("name", "Bea"), &[]).await;
    let request = &plan.changes[0].writes[0].update;
    let key = table.layout.table().key.clone();
    for code in [
        "TransactionConflictException",
        "ThrottlingException",
        "ProvisionedThroughputExceededException",
        "ValidationException",
        "ItemCollectionSizeLimitExceededException",
        "InternalServerError",
    ] {
        let store = DynamoDb::new(client(&answering(code).await), "blog", key.clone());
        let WriteError::Failed(error) = store.write(Write::Update(request)).await.unwrap_err() else {
            panic!("{code} is a refusal")
        };
        let is_throttling = code.starts_with("Thrott") || code.starts_with("Provisioned");
        assert_eq!(matches!(error, StoreError::Throttled(_)), is_throttling, "{code}: {error}");
        assert!(!error.is_fatal(), "{code}: the next item may well be written");
        assert!(is_throttling || error.to_string().contains(code), "the reason is kept: {error}");
    }
    table.put(&post(1, "by hand")).await;
    assert!(matches!(table.store.write(Write::Update(request)).await, Err(WriteError::Refused { item: Some(_), .. })));
}

#[tokio::test]
async fn a_version_goes_up_or_is_left_and_never_begins_anew() {
    let table = Table::new(BLOG, &[AUTHOR, r#"{"type":"Author","id":"2","name":"New"}"#]).await;
    let rev = async |key: &str| table.value(key, "rev").await;
    for (read, expected) in [(false, "3"), (true, "4")] {
        let name = changes(&[("name", if read { "\"B\"" } else { "\"A\"" })]);
        table.change("Author", "A#1", name, Changes::new(), read).await.unwrap();
        assert_eq!(rev("A#1").await.unwrap(), format!(r#"{{"N":"{expected}"}}"#));
        // Nobody copies the bio: its change is none of a version.
        table.change("Author", "A#1", changes(&[("bio", "\"b\"")]), Changes::new(), read).await.unwrap();
        assert_eq!(rev("A#1").await.unwrap(), format!(r#"{{"N":"{expected}"}}"#));
    }
    let plan = table.plan("Author", "1", ("name", "Bea"), &[]).await;
    assert!(table.apply(&plan).await.verified);
    assert_eq!(rev("A#1").await.unwrap(), r#"{"N":"5"}"#);
    // One that has no version yet begins with the first.
    table.change("Author", "A#2", changes(&[("name", "\"N\"")]), Changes::new(), false).await.unwrap();
    assert_eq!(rev("A#2").await.unwrap(), r#"{"N":"1"}"#);
}
