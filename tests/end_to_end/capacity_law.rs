//! Law: what a write is said to take is what the engine consumes, for any table, items and writes.

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use singletable::capacity::WriteRange;
use singletable::client::{Store, Write};
use singletable::fanout::{Guard, GuardedUpdate};
use singletable::model::AttributePath;
use singletable::{AttributeValue, Attributes, Item};

use crate::engine::Engine;

const NAMES: [&str; 5] = ["a", "b", "c", "d", "e"];

/// An index: local or global, its sort key, and what it carries.
#[derive(Debug, Clone)]
struct Index {
    local: bool,
    partition: usize,
    sort: Option<usize>,
    projection: Projection,
}

#[derive(Debug, Clone)]
enum Projection {
    All,
    KeysOnly,
    Names(Vec<usize>),
}

fn index() -> impl Strategy<Value = Index> {
    let projection = prop_oneof![
        Just(Projection::All),
        Just(Projection::KeysOnly),
        prop::collection::btree_set(0..NAMES.len(), 1..3)
            .prop_map(|names| Projection::Names(names.into_iter().collect())),
    ];
    (any::<bool>(), 0..2usize, prop::option::of(2..4usize), projection)
        .prop_map(|(local, partition, sort, projection)| Index { local, partition, sort, projection })
}

/// A value: a text around the sizes at which units change, or any other type.
fn value(is_key: bool) -> BoxedStrategy<AttributeValue> {
    let text = prop_oneof![Just(1usize), Just(40), 480..540usize, 990..1060usize, 2020..2080usize];
    let text =
        (text, any::<bool>()).prop_map(|(length, x)| AttributeValue::S(if x { "x" } else { "y" }.repeat(length)));
    if is_key {
        return (1..4u8).prop_map(|key| AttributeValue::S(format!("key{key}"))).boxed();
    }
    let number = (-9999i64..9999, 0..4usize)
        .prop_map(|(digits, places)| AttributeValue::N(format!("{digits}e-{places}").parse().unwrap()));
    let list = prop::collection::vec(Just(AttributeValue::Bool(true)), 0..40).prop_map(AttributeValue::L);
    let set = prop::collection::btree_set("[a-z]{1,9}", 1..5).prop_map(AttributeValue::StringSet);
    prop_oneof![4 => text, 1 => number, 1 => list, 1 => set, 1 => Just(AttributeValue::Null)].boxed()
}

/// `a` to `d` may be keys of indexes, and are short then; `e` never is.
fn attributes() -> impl Strategy<Value = Attributes> {
    let one = |name: &'static str| {
        prop::option::weighted(0.75, value(name != "e"))
            .prop_map(move |value| value.map(|value| (name.to_owned(), value)))
    };
    (NAMES.map(one), prop::option::of(value(false))).prop_map(|(named, more)| {
        let more = more.map(|value| ("more".to_owned(), value));
        named.into_iter().flatten().chain(more).collect()
    })
}

fn definition(indexes: &[Index]) -> String {
    let mut text = "[table]\nname = \"law\"\npartition_key = \"PK\"\nsort_key = \"SK\"\n".to_owned();
    for (at, index) in indexes.iter().enumerate() {
        let (partition, sort) = (NAMES[index.partition], index.sort.map(|sort| NAMES[sort]));
        text.push_str(&format!("[indexes.Index{at}]\n"));
        match (index.local, sort) {
            (true, sort) => text.push_str(&format!("kind = \"local\"\nsort_key = \"{}\"\n", sort.unwrap_or("b"))),
            (false, sort) => {
                text.push_str(&format!("partition_key = \"{partition}\"\n"));
                sort.iter().for_each(|sort| text.push_str(&format!("sort_key = \"{sort}\"\n")));
            }
        }
        let projection = match &index.projection {
            Projection::All => "\"all\"".to_owned(),
            Projection::KeysOnly => "\"keys-only\"".to_owned(),
            Projection::Names(names) => format!("{:?}", names.iter().map(|at| NAMES[*at]).collect::<Vec<_>>()),
        };
        text.push_str(&format!("projection = {projection}\n"));
    }
    let attributes = NAMES.map(|name| format!("{name} = {{ type = \"string\", optional = true }}")).join("\n");
    text.push_str(&format!(
        "[entities.One]\nkeys = {{ PK = \"ONE#{{id}}\", SK = \"ONE\" }}\n[entities.One.attributes]\nid = \"string\"\n{attributes}\n"
    ));
    text
}

fn item(attributes: &Attributes) -> Item {
    let mut item = Item::from_iter([("PK", "ONE#1"), ("SK", "ONE")]);
    item.0.extend(attributes.clone());
    item
}

/// The update that makes one item of another.
fn update(before: &Item, after: &Item) -> GuardedUpdate {
    let path = |name: &String| AttributePath::top_level(name);
    let is_key = |name: &String| name == "PK" || name == "SK";
    let set = after.0.iter().filter(|(name, value)| !is_key(name) && before.get(name) != Some(value));
    let removed = before.0.keys().filter(|name| after.get(name).is_none());
    let guard = Guard { exists: "PK".to_owned(), refers: vec![], elements: vec![], holds: vec![], inputs: vec![] };
    GuardedUpdate {
        key: Item::from_iter([("PK", "ONE#1"), ("SK", "ONE")]),
        set: set.map(|(name, value)| (path(name), value.clone())).collect(),
        remove: removed.map(path).collect(),
        relative: Vec::new(),
        guard,
    }
}

#[test]
fn what_a_write_is_said_to_take_is_what_it_takes() {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let engine = runtime.block_on(Engine::embedded());
    let mut runner = TestRunner::new(Config { cases: 96, failure_persistence: None, ..Config::default() });
    let strategy = (prop::collection::vec(index(), 0..4), prop::collection::vec(attributes(), 2..5));
    let ran = runner.run(&strategy, |(indexes, images)| {
        runtime.block_on(async {
            let table = engine.table(&definition(&indexes)).await;
            let mut before: Option<Item> = None;
            for (at, image) in images.iter().enumerate() {
                let after = item(image);
                let said = WriteRange::of_write(table.layout.table(), before.as_ref(), Some(&after));
                let written = match (&before, at % 2) {
                    (Some(before), 1) => table.store.write(Write::Update(&update(before, &after))).await,
                    _ => table.store.write(Write::Put { item: &after, conditions: &[] }).await,
                };
                let took = written.unwrap().consumed;
                let context = format!("{before:?} to {after:?}");
                if said.is_exact() {
                    prop_assert_eq!(&took, &said.most, "{}", context);
                }
                prop_assert!(said.least.total() <= took.total() && took.total() <= said.most.total(), "{}", context);
                before = Some(after);
            }
            Ok(())
        })
    });
    ran.unwrap_or_else(|failure| panic!("{failure}"));
}
