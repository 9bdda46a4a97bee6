//! Changing one item through the layout: index keys, guards, and what is never done.

use std::collections::BTreeMap;

use singletable::client::{
    ChangeError, DynamoDb, Fetched, ItemChange, ItemChanged, Page, Query, Store, StoreError, Write, WriteError,
    Written, change_item,
};
use singletable::item::UpdateError;
use singletable::model::AttributePath;
use singletable::{AttributeValue, Item};

use crate::engine::{Ability, Engine, Table};

const TASKS: &str = r##"
    [table]
    name = "tasks"
    partition_key = "PK"
    type_attribute = "type"
    [indexes.Open]
    partition_key = "openIn"
    sort_key = "openAt"
    projection = "all"
    [entities.Person]
    keys = { PK = "P#{id}" }
    version = "rev"
    attributes = { id = "string", name = "string", rev = { type = "number", optional = true } }
    [entities.Task]
    keys = { PK = "T#{id}", openIn = { template = "OPEN#{queue}", when = { status = "open" } }, openAt = "{at}" }
    [entities.Task.attributes]
    id = "string"
    queue = "string"
    status = { type = "string", values = ["open", "done"] }
    at = "string"
    personId = { type = "string", optional = true }
    person = { type = "string", optional = true }
    note = { type = "map", optional = true, attributes = { text = { type = "string", optional = true } } }
    [entities.Task.references.person]
    entity = "Person"
    by = { id = "personId" }
    keep = "latest"
    copies = { person = "name" }
    via = "scan"
"##;

const TASK: &str = r#"{"type":"Task","id":"1","queue":"q","status":"open","at":"2026"}"#;

async fn tasks(engine: &Engine) -> Table<'_> {
    let table = engine.table(TASKS).await;
    table.load(TASK).await;
    table
}

/// Dotted names and their values; `-` stands for nothing.
fn values(pairs: &[(&str, &str)]) -> BTreeMap<AttributePath, Option<AttributeValue>> {
    let path = |name: &str| {
        let mut steps = name.split('.');
        let first = AttributePath::top_level(steps.next().unwrap());
        steps.fold(first, |path, step| path.child(step))
    };
    let value = |value: &str| (value != "-").then(|| AttributeValue::from(value));
    pairs.iter().map(|(name, text)| (path(name), value(text))).collect()
}

async fn change(
    table: &Table<'_>,
    store: &impl Store,
    key: &str,
    changes: &[(&str, &str)],
    told: &[(&str, &str)],
    read: bool,
) -> Result<ItemChanged, ChangeError> {
    let entity = if key.starts_with("P#") { "Person" } else { "Task" };
    let change = ItemChange {
        key: table.key(key),
        changes: values(changes),
        relative: BTreeMap::new(),
        told: values(told),
        read,
    };
    change_item(store, &table.layout, table.layout.entity(entity).unwrap(), &change).await
}

#[tokio::test]
async fn membership_of_an_index_is_decided_on_the_new_values_and_leaving_removes_its_keys() {
    for engine in Engine::all().await {
        let table = tasks(&engine).await;
        // The old value is what the guard holds to; the new one decides.
        change(&table, &table.store, "T#1", &[("status", "done")], &[("status", "open")], false).await.unwrap();
        assert_eq!(table.value("T#1", "openIn").await, "-", "{}", engine.name);
        assert_eq!(table.value("T#1", "openAt").await, "-", "{}", engine.name);

        let unknown = change(&table, &table.store, "T#1", &[("status", "open")], &[], false).await;
        let Err(ChangeError::Update(error)) = unknown else { panic!("{unknown:?}") };
        assert!(matches!(*error, UpdateError::Unknown { ref index, .. } if index == "Open"), "{error}");

        let changed = change(&table, &table.store, "T#1", &[("status", "open")], &[], true).await.unwrap();
        assert_eq!(table.value("T#1", "openIn").await, "\"OPEN#q\"", "{}", engine.name);
        assert_eq!(table.value("T#1", "openAt").await, "\"2026\"", "{}", engine.name);
        let forecast = changed.forecast.unwrap();
        match engine.can(Ability::IndexCapacity) {
            true => assert_eq!(changed.write_units, forecast, "{}", engine.name),
            false => assert_eq!(changed.write_units.table, forecast.table, "{}", engine.name),
        }
    }
}

#[tokio::test]
async fn what_is_told_is_held_to_and_nothing_is_ever_created() {
    for engine in Engine::all().await {
        let table = tasks(&engine).await;
        let refused = change(&table, &table.store, "T#1", &[("queue", "r")], &[("status", "done")], false).await;
        assert!(matches!(refused, Err(ChangeError::Differs { was_read: false, .. })), "{refused:?}");
        assert_eq!(table.value("T#1", "queue").await, "\"q\"", "{}", engine.name);
        for read in [false, true] {
            let gone = change(&table, &table.store, "T#2", &[("person", "-")], &[], read).await;
            assert_eq!(gone, Err(ChangeError::Gone), "{}", engine.name);
            assert_eq!(table.read("T#2").await, None, "{}", engine.name);
        }
        let key = change(&table, &table.store, "T#1", &[("id", "2")], &[], true).await;
        let Err(ChangeError::Update(error)) = key else { panic!("{key:?}") };
        assert!(matches!(*error, UpdateError::PrimaryKey(_)));
    }
}

#[tokio::test]
async fn a_map_that_is_missing_is_made_only_where_the_item_was_read() {
    for engine in Engine::all().await {
        let table = tasks(&engine).await;
        let refused = change(&table, &table.store, "T#1", &[("note.text", "x")], &[], false).await;
        assert!(matches!(refused, Err(ChangeError::Differs { .. })), "{}: {refused:?}", engine.name);
        change(&table, &table.store, "T#1", &[("note.text", "x")], &[], true).await.unwrap();
        assert_eq!(table.value("T#1", "note").await, r#"{"text":"x"}"#, "{}", engine.name);
        change(&table, &table.store, "T#1", &[("note.text", "y")], &[], false).await.unwrap();
        assert_eq!(table.value("T#1", "note").await, r#"{"text":"y"}"#, "{}", engine.name);
    }
}

#[tokio::test]
async fn every_change_of_what_is_copied_increases_the_version_and_no_other_does() {
    for engine in Engine::all().await {
        let table = engine.table(TASKS).await;
        table.load(r#"{"type":"Person","id":"7","name":"Ann"}"#).await;
        for (read, expected) in [(false, "1"), (true, "2"), (false, "3")] {
            change(&table, &table.store, "P#7", &[("name", expected)], &[], read).await.unwrap();
            assert_eq!(table.value("P#7", "rev").await, expected, "{}", engine.name);
        }
        change(&table, &table.store, "P#7", &[("town", "Brno")], &[], true).await.unwrap();
        assert_eq!(table.value("P#7", "rev").await, "3", "{}", engine.name);
    }
}

/// A store in which somebody else replaces the item between every read and the write that follows.
pub(crate) struct Raced<'a> {
    pub(crate) inner: &'a DynamoDb,
    pub(crate) replacement: Item,
}

impl Store for Raced<'_> {
    async fn query(&self, query: &Query) -> Result<Page, StoreError> {
        self.inner.query(query).await
    }

    async fn fetch(&self, keys: &[Item]) -> Result<Fetched, StoreError> {
        let fetched = self.inner.fetch(keys).await;
        self.inner.write(Write::Put { item: &self.replacement, conditions: &[] }).await.unwrap();
        fetched
    }

    async fn write(&self, write: Write<'_>) -> Result<Written, WriteError> {
        self.inner.write(write).await
    }
}

#[tokio::test]
async fn an_index_key_is_never_made_from_what_changed_since_it_was_read() {
    for engine in Engine::all().await {
        for (replacement, changes) in [
            // The queue that the key is made from, and the map that would be made.
            (TASK.replace("\"q\"", "\"other\""), [("at", "2027")]),
            (TASK.replace("\"at\"", "\"note\":{\"text\":\"theirs\"},\"at\""), [("note.text", "ours")]),
        ] {
            let table = tasks(&engine).await;
            let store = Raced { inner: &table.store, replacement: table.item(&replacement) };
            let refused = change(&table, &store, "T#1", &changes, &[], true).await;
            assert!(
                matches!(refused, Err(ChangeError::Differs { was_read: true, .. })),
                "{}: {refused:?}",
                engine.name
            );
            assert_eq!(table.read("T#1").await, Some(table.item(&replacement)), "{}", engine.name);
        }
    }
}
