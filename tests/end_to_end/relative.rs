//! Changes that go by what an item holds, and elements of lists, while others write as well.

use std::collections::BTreeMap;

use futures_util::future::join_all;
use singletable::client::{ChangeError, ItemChange, ItemChanged, change_item};
use singletable::item::{Relative, UpdateError};
use singletable::model::AttributePath;
use singletable::{AttributeValue, Number};

use crate::engine::{Engine, Table};
use crate::update::Raced;

const DEFINITION: &str = include_str!("../cmd/update-in-place.in/table.toml");
const TASK: &str = include_str!("../cmd/update-in-place.in/tasks.jsonl");

fn name(name: &str) -> AttributePath {
    AttributePath::top_level(name)
}

/// Sets a value, or makes something of one.
async fn change(
    table: &Table<'_>,
    set: &[(AttributePath, &str)],
    relative: &[(AttributePath, Relative)],
    read: bool,
) -> Result<ItemChanged, ChangeError> {
    let change = ItemChange {
        key: table.key("TASK#1"),
        changes: set.iter().map(|(path, text)| (path.clone(), Some((*text).into()))).collect(),
        relative: relative.iter().cloned().collect(),
        told: BTreeMap::new(),
        read,
    };
    change_item(&table.store, &table.layout, table.layout.entity("Task").unwrap(), &change).await
}

#[tokio::test]
async fn additions_that_race_all_count_and_none_is_refused() {
    for engine in Engine::all().await {
        let table = engine.table(DEFINITION).await;
        table.load(TASK.trim()).await;
        let add = |read| {
            let likes = (name("likes"), Relative::Add(Number::from(3)));
            let views = (name("stats").child("views"), Relative::Add("-0.5".parse().unwrap()));
            let table = &table;
            async move { change(table, &[], &[likes, views], read).await }
        };
        for changed in join_all([false, true, false, true, false, true].map(add)).await {
            changed.unwrap();
        }
        assert_eq!(table.value("TASK#1", "likes").await, "18", "{}", engine.name);
        assert_eq!(table.value("TASK#1", "stats.views").await, "0", "{}", engine.name);
    }
}

#[tokio::test]
async fn appends_that_race_never_make_a_list_longer_than_it_may_be() {
    for engine in Engine::all().await {
        for read in [false, true] {
            let table = engine.table(DEFINITION).await;
            table.load(TASK.trim()).await;
            let append = |at: u32| {
                let element = Relative::Append(vec![AttributeValue::from(format!("t{at}"))]);
                let table = &table;
                async move { change(table, &[], &[(name("tags"), element)], read).await }
            };
            let made = join_all([1, 2, 3, 4].map(append)).await;
            assert_eq!(made.iter().filter(|one| one.is_ok()).count(), 1, "{}: {made:?}", engine.name);
            let tags = table.value("TASK#1", "tags").await;
            assert_eq!(tags.matches(',').count(), 2, "three elements are the most: {tags}");
        }
    }
}

#[tokio::test]
async fn an_element_that_was_read_must_still_be_the_same() {
    for engine in Engine::all().await {
        let table = engine.table(DEFINITION).await;
        table.load(TASK.trim()).await;
        let tag = name("tags").element(1);
        let mood = name("watchers").element(1).child("mood");
        change(&table, &[(tag.clone(), "cyan"), (mood.clone(), "glad")], &[], true).await.unwrap();
        // Between reading and writing somebody else writes: the store stands in for the time that passes.
        let racing = async |other: &str| {
            let store = Raced { inner: &table.store, replacement: table.item(other) };
            let changes = BTreeMap::from([(tag.clone(), Some("pink".into())), (mood.clone(), Some("calm".into()))]);
            let (key, none) = (table.key("TASK#1"), BTreeMap::new());
            let change = ItemChange { key, changes, relative: BTreeMap::new(), told: none, read: true };
            change_item(&store, &table.layout, table.layout.entity("Task").unwrap(), &change).await
        };
        let shorter = r#"{"type":"Task","id":"1","board":"b","score":7,"tags":["cyan"],"labels":["x"],"stats":{"views":3},"watchers":[{"userId":"2","name":"Bo"},{"userId":"1","name":"Ann"}]}"#;
        let turned = r#"{"type":"Task","id":"1","board":"b","score":7,"tags":["red","cyan"],"labels":["x"],"stats":{"views":3},"watchers":[{"userId":"1","name":"Ann"},{"userId":"2","name":"Bo"}]}"#;
        for (other, why) in [(shorter, "tags has 2 elements"), (turned, r#"watchers[1].userId = "1""#)] {
            table.load(TASK.trim()).await;
            let refused = racing(other).await;
            let Err(ChangeError::Differs { was_read: true, conditions }) = &refused else { panic!("{refused:?}") };
            assert_eq!(conditions, why, "{}", engine.name);
        }
    }
}

#[tokio::test]
async fn members_come_and_go_and_a_set_that_may_be_empty_is_gone_then() {
    let definition = DEFINITION.replace("max_items = 5 }", "max_items = 5, optional = true }");
    for engine in Engine::all().await {
        let table = engine.table(&definition).await;
        table.load(TASK.trim()).await;
        let set = |members: &[&str]| AttributeValue::StringSet(members.iter().map(|one| (*one).to_owned()).collect());
        let change = async |relative| change(&table, &[], &[(name("labels"), relative)], false).await.unwrap();
        change(Relative::AddMembers(set(&["y", "z"]))).await;
        change(Relative::DeleteMembers(set(&["x", "other"]))).await;
        assert_eq!(table.value("TASK#1", "labels").await, r#"["y","z"]"#, "{}", engine.name);
        change(Relative::DeleteMembers(set(&["y", "z"]))).await;
        assert_eq!(table.value("TASK#1", "labels").await, "-", "{}", engine.name);
        change(Relative::AddMembers(set(&["new"]))).await;
        assert_eq!(table.value("TASK#1", "labels").await, r#"["new"]"#, "{}", engine.name);
    }
}

#[tokio::test]
async fn two_changes_of_one_place_are_refused_and_none_is_lost() {
    let engine = Engine::embedded().await;
    let table = engine.table(DEFINITION).await;
    table.load(TASK.trim()).await;
    let append = [(name("tags"), Relative::Append(vec!["x".into()]))];
    for read in [false, true] {
        let refused = change(&table, &[(name("tags").element(0), "y")], &append, read).await;
        let Err(ChangeError::Update(error)) = &refused else { panic!("{refused:?}") };
        assert!(matches!(**error, UpdateError::Together(..)), "{error}");
    }
}
