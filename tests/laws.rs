//! Laws that hold for every definition that compiles and every item that is built.

#![expect(clippy::unwrap_used, reason = "a test's panic is its report")]

use std::collections::BTreeMap;

use proptest::prelude::*;
use singletable::item::{Attributes, attributes_of, unread_update, update};
use singletable::model::{AttributePath, Entity, KeySource};
use singletable::{AttributeValue, Item, ItemBuilder, Layout};

/// A template over the attributes a, b, c and n, whose literals are made of what stands in values too.
fn template() -> impl Strategy<Value = String> {
    let placeholder = prop::sample::select(vec!["{a}", "{b}", "{c}", "{n}", "{n:03}"]);
    let literal = "[#x0]{0,2}";
    (literal, prop::collection::vec((placeholder, "[#x0]{0,2}"), 1..3)).prop_map(|(start, parts)| {
        let parts: String = parts.into_iter().map(|(placeholder, literal)| format!("{placeholder}{literal}")).collect();
        format!("{start}{parts}")
    })
}

/// What narrows the attributes down.
fn rules() -> impl Strategy<Value = String> {
    prop::sample::select(vec![
        "",
        ", excludes = \"#\"",
        ", starts_with = \"x\"",
        ", length = 2",
        ", excludes = [\"x\", \"0\"]",
    ])
    .prop_map(str::to_owned)
}

fn entity(name: &str, keys: &str, rules: &[String]) -> String {
    let text = |attribute: &str, rule: &String| format!("{attribute} = {{ type = \"string\"{rule} }}\n");
    format!(
        "[entities.{name}]\nkeys = {{ {keys} }}\n[entities.{name}.attributes]\nn = \"number\"\n{}{}{}",
        text("a", &rules[0]),
        text("b", &rules[1]),
        text("c", &rules[2])
    )
}

fn attributes() -> impl Strategy<Value = Attributes> {
    ("[#x0]{1,3}", "[#x0]{1,3}", "[#x0]{1,3}", 0u64..1200).prop_map(|(a, b, c, n)| {
        let text = |name: &str, value: String| (name.to_owned(), AttributeValue::S(value));
        Attributes::from_iter([text("a", a), text("b", b), text("c", c), ("n".to_owned(), AttributeValue::N(n.into()))])
    })
}

/// The attributes that an entity's primary key is made from.
fn identity(layout: &Layout, entity: &Entity, attributes: &Attributes) -> Vec<Option<AttributeValue>> {
    entity.identity(layout.table()).iter().map(|path| path.get(attributes).cloned()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    #[test]
    fn different_items_never_have_the_same_primary_key(
        templates in prop::collection::vec(template(), 4),
        rules in prop::collection::vec(rules(), 6),
        items in prop::collection::vec((0usize..2, attributes()), 2..14),
    ) {
        let keys = |at: usize| format!("PK = \"{}\", SK = \"{}\"", templates[at], templates[at + 1]);
        let table = "[table]\nname = \"laws\"\npartition_key = \"PK\"\nsort_key = \"SK\"\n";
        let definition = [table.to_owned(), entity("One", &keys(0), &rules[..3]), entity("Other", &keys(2), &rules[3..])].concat();
        let Some(layout) = Layout::compile(&definition).layout else { return Ok(()) };
        for (which, given) in items {
            let (entity, other) = (&layout.entities()[which], &layout.entities()[1 - which]);
            let Ok(item) = ItemBuilder::new(&layout, entity).attributes(given.clone()).build() else { continue };
            let key = item.key(&layout.table().key);
            // What the other entity would have to hold to make the same key, if it can.
            let mut theirs = given.clone();
            theirs.extend(attributes_of(&key, other, layout.table()));
            if let Ok(twin) = ItemBuilder::new(&layout, other).attributes(theirs).build() {
                prop_assert_ne!(twin.key(&layout.table().key), key, "{}", definition);
            }
        }
    }

    #[test]
    fn what_only_the_key_holds_is_read_back_from_it(
        templates in prop::collection::vec(template(), 2),
        rules in prop::collection::vec(rules(), 3),
        given in attributes(),
    ) {
        let keys = format!("PK = \"{}\", SK = \"{}\"", templates[0], templates[1]);
        let definition = format!("[table]\nname = \"laws\"\npartition_key = \"PK\"\nsort_key = \"SK\"\n{}", entity("One", &keys, &rules));
        let Some(layout) = Layout::compile(&definition).layout else { return Ok(()) };
        let entity = &layout.entities()[0];
        if let Ok(item) = ItemBuilder::new(&layout, entity).attributes(given.clone()).build() {
            let key = item.key(&layout.table().key);
            let read = attributes_of(&key, entity, layout.table());
            prop_assert_eq!(identity(&layout, entity, &read), identity(&layout, entity, &given), "{}", definition);
            prop_assert_eq!(&layout.recognise(&item).unwrap().name, "One");
        }
    }
}

/// An entity whose index keys depend on its attributes in every way there is.
const TICKET: &str = r##"
    [table]
    name = "tickets"
    partition_key = "PK"
    [indexes.Open]
    partition_key = "openIn"
    sort_key = "openAt"
    projection = "all"
    [indexes.ByOwner]
    partition_key = "owner"
    sort_key = "openAt"
    projection = "all"
    [indexes.Shards]
    partition_key = "shard"
    sort_key = "rank"
    projection = "all"
    [entities.Ticket]
    [entities.Ticket.keys]
    PK = "T#{id}"
    openIn = [
        { template = "URGENT", when = { status = ["open", "waiting"], urgent = true } },
        { template = "Q#{queue}", when = { status = "open" } },
        { template = "W#{queue|or NONE}", when = { status = "waiting", owner = "present" } },
    ]
    openAt = "{at}#{id}"
    shard = "{queue|lower}#{id|shard 4}"
    rank = "{data.rank:04}#{title|take 2}"
    [entities.Ticket.attributes]
    id = "string"
    status = { type = "string", values = { open = "0", waiting = "1", done = "2" } }
    urgent = { type = "boolean", optional = true }
    queue = { type = "string", optional = true }
    owner = { type = "string", optional = true }
    at = { type = "string", optional = true, stored_as = "t" }
    title = { type = "string", optional = true, stored_as = "data.title" }
    data = { type = "map", optional = true, stored_as = "more", attributes = { rank = "number" } }
"##;

/// A value of each attribute of a ticket, or none.
fn ticket() -> impl Strategy<Value = Attributes> {
    let maybe = |values: &'static [&'static str]| prop::option::of(prop::sample::select(values.to_vec()));
    (
        prop::sample::select(vec!["open", "waiting", "done"]),
        prop::option::of(any::<bool>()),
        maybe(&["Q", "r"]),
        maybe(&["ann", "bo"]),
        maybe(&["2026", "2027"]),
        maybe(&["Abc", "x"]),
        prop::option::of(0u64..20),
    )
        .prop_map(|(status, urgent, queue, owner, at, title, rank)| {
            let mut ticket =
                Attributes::from_iter([("id".to_owned(), "7".into()), ("status".to_owned(), status.into())]);
            ticket.extend(urgent.map(|urgent| ("urgent".to_owned(), AttributeValue::Bool(urgent))));
            for (name, value) in [("queue", queue), ("owner", owner), ("at", at), ("title", title)] {
                ticket.extend(value.map(|value| (name.to_owned(), value.into())));
            }
            let data = |rank: u64| {
                AttributeValue::M(Attributes::from_iter([("rank".to_owned(), AttributeValue::N(rank.into()))]))
            };
            ticket.extend(rank.map(|rank| ("data".to_owned(), data(rank))));
            ticket
        })
}

/// The key attributes of an item.
fn keys(layout: &Layout, item: &Item) -> Attributes {
    let is_key = |name: &&String| layout.table().key_attribute(name).is_some();
    item.0.keys().filter(is_key).map(|name| (name.clone(), item.0[name].clone())).collect()
}

/// What a change from one ticket to the other is, as stored; only of the attributes that are picked.
fn difference(
    entity: &Entity,
    one: &Item,
    other: &Item,
    picked: &[bool],
) -> BTreeMap<AttributePath, Option<AttributeValue>> {
    let paths =
        ["status", "urgent", "queue", "owner", "at", "title", "data"].map(|name| entity.resolve(name).unwrap().path);
    let picked = paths.into_iter().zip(picked).filter(|(_, picked)| **picked).map(|(path, _)| path);
    picked
        .filter(|path| path.get(&one.0) != path.get(&other.0))
        .map(|path| (path.clone(), path.get(&other.0).cloned()))
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn an_update_makes_the_keys_that_building_the_item_anew_makes(
        before in ticket(), after in ticket(), picked in prop::collection::vec(any::<bool>(), 7),
    ) {
        let layout = Layout::compile(TICKET).layout.unwrap();
        let entity = layout.entity("Ticket").unwrap();
        let build = |attributes: Attributes| ItemBuilder::new(&layout, entity).attributes(attributes).build().unwrap();
        let (one, other) = (build(before.clone()), build(after.clone()));
        let changes = difference(entity, &one, &other, &picked);
        // What the item is to be, built anew from its attributes.
        let mut wanted = before;
        for (name, picked) in ["status", "urgent", "queue", "owner", "at", "title", "data"].iter().zip(&picked) {
            if *picked {
                wanted.remove(*name);
                wanted.extend(after.get(*name).map(|value| ((*name).to_owned(), value.clone())));
            }
        }
        let wanted = build(wanted);

        let updated = update(&one, entity, layout.table(), &changes).unwrap();
        prop_assert_eq!(keys(&layout, &updated.after), keys(&layout, &wanted));

        // The same without reading the item, where all of it is told.
        let told: BTreeMap<_, _> = ["status", "urgent", "queue", "owner", "at", "title", "data"]
            .map(|name| entity.resolve(name).unwrap().path)
            .into_iter()
            .map(|path| (path.clone(), path.get(&one.0).cloned()))
            .collect();
        let unread = unread_update(&one.key(&layout.table().key), entity, layout.table(), &changes, &BTreeMap::new(), &told).unwrap();
        let mut item = one.clone();
        unread.remove.iter().for_each(|path| path.remove(&mut item.0));
        unread.set.iter().for_each(|(path, value)| path.set(&mut item.0, value.clone()));
        prop_assert_eq!(keys(&layout, &item), keys(&layout, &wanted));
    }

    #[test]
    fn an_update_of_an_unread_item_is_right_or_says_what_it_needs(
        before in ticket(), after in ticket(), picked in prop::collection::vec(any::<bool>(), 7), told in prop::collection::vec(any::<bool>(), 7),
    ) {
        let layout = Layout::compile(TICKET).layout.unwrap();
        let entity = layout.entity("Ticket").unwrap();
        let build = |attributes: Attributes| ItemBuilder::new(&layout, entity).attributes(attributes).build().unwrap();
        let (one, other) = (build(before), build(after));
        let changes = difference(entity, &one, &other, &picked);
        let paths = ["status", "urgent", "queue", "owner", "at", "title", "data"].map(|name| entity.resolve(name).unwrap().path);
        let told = paths.into_iter().zip(&told).filter(|(_, told)| **told).map(|(path, _)| (path.clone(), path.get(&one.0).cloned()));
        let told: BTreeMap<_, _> = told.collect();
        if let Ok(unread) = unread_update(&one.key(&layout.table().key), entity, layout.table(), &changes, &BTreeMap::new(), &told) {
            let mut item = one.clone();
            unread.remove.iter().for_each(|path| path.remove(&mut item.0));
            unread.set.iter().for_each(|(path, value)| path.set(&mut item.0, value.clone()));
            let updated = update(&one, entity, layout.table(), &changes).unwrap();
            prop_assert_eq!(keys(&layout, &item), keys(&layout, &updated.after), "{:?} told {:?}", changes, told);
        }
    }
}

#[test]
fn the_laws_are_tried_on_definitions_that_compile() {
    // Should the generators ever make nothing but mistakes, the laws above would hold of nothing.
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let mut compiled = 0;
    for _ in 0..200 {
        let tree = prop::collection::vec(template(), 2).new_tree(&mut runner).unwrap();
        let templates = proptest::strategy::ValueTree::current(&tree);
        let keys = format!("PK = \"{}\", SK = \"{}\"", templates[0], templates[1]);
        let none = vec![String::new(), String::new(), String::new()];
        let definition = format!(
            "[table]\nname = \"laws\"\npartition_key = \"PK\"\nsort_key = \"SK\"\n{}",
            entity("One", &keys, &none)
        );
        compiled += usize::from(Layout::compile(&definition).layout.is_some());
    }
    assert!(compiled > 60, "{compiled} of 200");
    let layout = Layout::compile(TICKET).layout.unwrap();
    assert!(
        matches!(layout.entity("Ticket").unwrap().keys["openIn"], KeySource::Made(ref choices) if choices.len() == 3)
    );
}
