//! Keys as creation and updates write them.

#![expect(clippy::result_large_err, reason = "the error of the function under test")]

use std::collections::BTreeMap;

use singletable::expression::Condition;
use singletable::item::{UpdateError, attributes_of, unread_update, update};
use singletable::{AttributeValue, Item, Layout};

use crate::{Changes, build, changes, codes, first, key, layout, one, path, plain, text};

/// What an update of an unread item sets, as plain texts.
pub(crate) fn unread(
    layout: &Layout,
    id: &str,
    what: &[(&str, &str)],
    told: &[(&str, &str)],
) -> Result<Update, UpdateError> {
    let key = key(layout, &format!(r#"{{"id":{id:?}}}"#));
    let made = unread_update(&key, first(layout), layout.table(), &changes(what), &BTreeMap::new(), &changes(told))?;
    let set = made.set.into_iter().map(|(path, value)| (path.to_string(), value));
    let remove = made.remove.iter().map(ToString::to_string).collect();
    Ok(Update { set: Item(set.collect()), remove, holds: made.holds })
}

pub(crate) struct Update {
    pub(crate) set: Item,
    pub(crate) remove: Vec<String>,
    holds: Vec<Condition>,
}

#[test]
fn an_item_is_created_with_the_index_keys_that_its_primary_key_alone_makes() {
    let definition = |index: &str| {
        one(index, "user = \"string\"\nname = \"string\"").replace(r#"SK = "META""#, r#"SK = "USER#{user}""#)
    };
    for index in [r#"GSI1PK = "USER#{user}", GSI1SK = "ONE#{id}""#, r#"GSI1PK = "USERS", GSI1SK = "{user}""#] {
        let layout = layout(&definition(index));
        let item = build(&layout, r#"{"id":"o1","user":"u1","name":"Ann"}"#).unwrap();
        let users = index.contains("USERS");
        assert_eq!(text(&item, "GSI1PK"), Some(if users { "USERS" } else { "USER#u1" }));
        assert_eq!(text(&item, "GSI1SK"), Some(if users { "u1" } else { "ONE#o1" }));
        // An update creates no item, and what the primary key makes never changes: there is nothing to write.
        let update = update(&item, first(&layout), layout.table(), &changes(&[("name", "\"Bea\"")])).unwrap();
        assert_eq!((update.set.len(), update.remove.len()), (1, 0));
        assert_eq!(text(&update.after, "GSI1PK"), text(&item, "GSI1PK"));
    }
}

#[test]
fn an_update_of_one_part_of_an_index_key_is_guarded_by_the_parts_that_it_was_told() {
    let layout = layout(&one(
        r#"GSI1PK = "STATUS#{status}", GSI1SK = "{at}#{rank}""#,
        "status = \"string\"\nat = \"string\"\nrank = \"string\"\nnote = { type = \"string\", optional = true }",
    ));
    let live = [("status", "\"live\"")];
    let told = [("at", "\"2024\""), ("rank", "\"7\"")];
    let update = unread(&layout, "p", &live, &told).unwrap();
    assert_eq!((text(&update.set, "GSI1PK"), text(&update.set, "GSI1SK")), (Some("STATUS#live"), Some("2024#7")));
    for (name, value) in told {
        let value: AttributeValue = value.trim_matches('"').into();
        assert!(update.holds.contains(&Condition::Equals(path(&format!("[{name:?}]")), value)));
    }
    // One part is not known: no half of a key, and no guess.
    let unknown = unread(&layout, "p", &live, &told[..1]).err();
    assert!(matches!(unknown, Some(UpdateError::Unknown { path: missing, .. }) if missing == path(r#"["rank"]"#)));
    // All parts are given anew, or none is concerned: nothing has to be told.
    let all = unread(&layout, "p", &[live[0], told[0], told[1]], &[]).unwrap();
    assert_eq!((text(&all.set, "GSI1SK"), all.holds.len()), (Some("2024#7"), 0));
    let none = unread(&layout, "p", &[("note", "\"x\"")], &[]).unwrap();
    assert_eq!((none.set.0.len(), none.remove.len()), (1, 0));
}

#[test]
fn an_update_writes_index_keys_byte_for_byte_as_creation_does() {
    let attributes = r#"
        g = { type = "string", optional = true }
        h = { type = "string", optional = true }
        n = { type = "number", optional = true }
    "#;
    for index in [
        r##"GSI1PK = "G#{g}", GSI1SK = "#post""##,
        r##"GSI1PK = "G#{g}#post", GSI1SK = "{n:05}#{h}#end""##,
        r##"GSI1PK = "{g|lower}#{h|or NONE}", GSI1SK = "ONE#{id}#""##,
        r##"GSI1PK = "{h|shard 4}", GSI1SK = "{g|take 2|upper}#{n:03}""##,
        r##"GSI1PK = { template = "G#{g}", when = { h = "present" } }, GSI1SK = "{id}""##,
    ] {
        let layout = layout(&one(index, attributes));
        let values = ["", r#","g":"Xyz""#, r#","h":"Äh""#, r#","g":"Q","n":7"#, r#","g":"Xyz","h":"b","n":7"#];
        let item = |rest: &str| build(&layout, &format!(r#"{{"id":"1"{rest}}}"#)).unwrap();
        let keys = |item: &Item| ["GSI1PK", "GSI1SK"].map(|name| text(item, name).map(str::to_owned));
        for (from, to) in values.iter().flat_map(|from| values.iter().map(move |to| (*from, *to))) {
            let (before, wanted) = (item(from), item(to));
            assert_eq!(wanted.get("GSI1PK").is_some(), wanted.get("GSI1SK").is_some(), "never half a key");
            let change: Changes =
                ["g", "h", "n"].map(|name| (path(&format!("[{name:?}]")), wanted.get(name).cloned())).into();
            let read = update(&before, first(&layout), layout.table(), &change).unwrap();
            assert_eq!(keys(&read.after), keys(&wanted), "{index}: {from} to {to}");
            // Without reading, going by what is told.
            let key = before.key(&layout.table().key);
            let made = unread_update(&key, first(&layout), layout.table(), &change, &BTreeMap::new(), &Changes::new())
                .unwrap();
            let mut after = before.clone();
            made.set.iter().for_each(|(path, value)| path.set(&mut after.0, value.clone()));
            made.remove.iter().for_each(|path| path.remove(&mut after.0));
            assert_eq!(keys(&after), keys(&wanted), "{index}: {from} to {to}, unread");
        }
    }
}

#[test]
fn keys_keep_the_case_and_the_spaces_of_their_values() {
    let table = "[table]\nname = \"one\"\npartition_key = \"PK\"\n[entities.One]\nattributes = { id = \"string\" }\n";
    let exact = layout(&format!("{table}keys = {{ PK = \"{{id}}\" }}"));
    let lower = layout(&format!("{table}keys = {{ PK = \"{{id|lower}}\" }}"));
    for id in ["Apple-and-Orange", " ÄB ", "x  y", "İ", "%2F", "a.b[0]", "\u{e9}", "e\u{301}"] {
        let given = format!(r#"{{"id":{id:?}}}"#).replace("\\u{301}", "\u{301}");
        let item = build(&exact, &given).unwrap();
        assert_eq!(text(&item, "PK"), Some(id));
        assert_eq!(key(&exact, &given), item.key(&exact.table().key));
        assert_eq!(attributes_of(&key(&exact, &given), first(&exact), exact.table()).get("id"), Some(&id.into()));
        assert_eq!(text(&build(&lower, &given).unwrap(), "PK"), Some(id.to_lowercase().as_str()));
    }
}

#[test]
fn numbers_in_text_that_sorts_are_padded_or_warned_of() {
    let warned = |index: &str| {
        let definition = one(index, "c = \"string\"\nrating = \"number\"\nsaving = \"number\"");
        codes(&definition).iter().filter(|code| **code == "key-template.unpadded-number").count()
    };
    assert_eq!(warned(r##"GSI1PK = "{c}", GSI1SK = "R#{rating}#{saving}""##), 2);
    assert_eq!(warned(r##"GSI1PK = "{c}", GSI1SK = "R#{rating:02}#{saving}""##), 1);
    assert_eq!(warned(r##"GSI1PK = "{c}#{rating}", GSI1SK = "R#{saving:08}""##), 0, "a partition key does not sort");

    let index = r##"GSI1PK = "{c}", GSI1SK = "R#{rating:02}#{saving:08}""##;
    let layout = layout(&one(index, "c = \"string\"\nrating = \"number\"\nsaving = \"number\""));
    let item = |saving: &str| build(&layout, &format!(r#"{{"id":"1","c":"a","rating":5,"saving":{saving}}}"#));
    let ascending = ["0", "9", "900", "2800", "1e4", "99999999"];
    let keys = ascending.map(|saving| item(saving).unwrap().get("GSI1SK").unwrap().as_str().unwrap().to_owned());
    assert!(keys.is_sorted() && keys.iter().all(|key| key.len() == keys[0].len()), "{keys:?}");
    for refused in ["100000000", "-1", "0.5", "1e20"] {
        let error = item(refused).unwrap_err();
        assert!(error.to_string().contains("`saving`"), "{error}");
    }
}

#[test]
fn no_text_of_a_template_ever_reaches_a_key() {
    let attributes = r#"
        first = { type = "string", optional = true }
        last = { type = "string", optional = true }
        note = { type = "string", optional = true }
    "#;
    let layout = layout(&one(r##"GSI1PK = "NAME", GSI1SK = "{first}#{last}""##, attributes));
    for given in [r#"{"id":"1"}"#, r#"{"id":"1","first":"A"}"#, r#"{"id":"1","last":"B","first":null}"#] {
        let item = build(&layout, given).unwrap();
        assert!(item.get("GSI1PK").is_none() && item.get("GSI1SK").is_none(), "{given}");
        let noted = update(&item, first(&layout), layout.table(), &changes(&[("note", "\"x\"")])).unwrap();
        assert_eq!(noted.set.len(), 1);
    }
    let noted = unread(&layout, "1", &[("note", "\"x\"")], &[]).unwrap();
    assert_eq!((noted.set.0.len(), noted.remove.len()), (1, 0), "an unrelated update leaves the key alone");
    // What looks like a placeholder in a value is its text, and is not looked up.
    let item = build(&layout, r#"{"id":"1","first":"{last}","last":"${id}"}"#).unwrap();
    assert_eq!(text(&item, "GSI1SK"), Some("{last}#${id}"));
    for (template, code) in [
        ("{nobody}", "key-template.unknown-attribute"),
        ("{first", "key-template.syntax"),
        ("${", "key-template.syntax"),
    ] {
        let index = format!(r##"GSI1PK = "NAME", GSI1SK = "{template}""##);
        assert!(codes(&one(&index, attributes)).contains(&code), "{template}");
    }
}

#[test]
fn the_constant_part_of_a_key_alone_puts_no_item_into_an_index() {
    let code = "code = { type = \"string\", optional = true }";
    for index in [
        r##"GSI1PK = "PROJ#{code}", GSI1SK = "PROJ#""##,
        r##"GSI1PK = "PROJ#", GSI1SK = "PROJ#{code}""##,
        r##"GSI1PK = "PROJ#{code}", GSI1SK = "{code}#""##,
    ] {
        let layout = layout(&one(index, code));
        let without = build(&layout, r#"{"id":"1"}"#).unwrap();
        assert!(without.get("GSI1PK").is_none() && without.get("GSI1SK").is_none());
        let with = build(&layout, r#"{"id":"1","code":"c"}"#).unwrap();
        assert!(with.get("GSI1PK").is_some() && with.get("GSI1SK").is_some());
        let left = update(&with, first(&layout), layout.table(), &changes(&[("code", "")])).unwrap();
        assert_eq!(left.after, without);
        assert_eq!(unread(&layout, "1", &[("code", "")], &[]).unwrap().remove, ["GSI1PK", "GSI1SK", "code"]);
        assert!(build(&layout, r#"{"id":"1","code":""}"#).is_err(), "an empty part makes no bare prefix either");
    }
}

#[test]
fn membership_is_judged_on_the_new_value_while_the_guard_holds_the_old_one() {
    let layout = layout(&one(
        r##"GSI1PK = { template = "OPEN", when = { state = ["OPEN", "WAITING"] } }, GSI1SK = "{id}""##,
        "state = \"string\"",
    ));
    for (new, is_in) in [("CLOSED", false), ("WAITING", true), ("OPEN", true)] {
        let new_value = format!("{new:?}");
        let made = unread(&layout, "1", &[("state", &new_value)], &[("state", "\"OPEN\"")]).unwrap();
        assert_eq!(text(&made.set, "GSI1PK"), is_in.then_some("OPEN"), "{new}");
        assert_eq!(made.remove, if is_in { vec![] } else { vec!["GSI1PK", "GSI1SK"] }, "{new}");
        assert_eq!(made.holds, [Condition::Equals(path(r#"["state"]"#), "OPEN".into())]);
        let before = build(&layout, r#"{"id":"1","state":"OPEN"}"#).unwrap();
        let read = update(&before, first(&layout), layout.table(), &changes(&[("state", &new_value)]));
        assert_eq!(read.unwrap().after, build(&layout, &format!(r#"{{"id":"1","state":{new_value}}}"#)).unwrap());
    }
}

#[test]
fn a_prefix_keeps_the_separator_that_it_ends_in() {
    let table = |turn: &str| {
        let entity = |name: &str, sort: &str| {
            format!(
                "[entities.{name}]\nkeys = {{ PK = \"G#{{id}}\", SK = \"{sort}\" }}\nattributes = {{ id = \"string\", n = \"string\" }}\n"
            )
        };
        let table = "[table]\nname = \"games\"\npartition_key = \"PK\"\nsort_key = \"SK\"\n";
        [table, &entity("Turn", turn), &entity("Gate", "turnstile"), &entity("All", "turns")].concat()
    };
    assert_eq!(codes(&table("turns/{n}")), [""; 0]);
    let layout = layout(&table("turns/{n}"));
    for (sort, entity) in [("turns/1", "Turn"), ("turnstile", "Gate"), ("turns", "All"), ("turns//", "Turn")] {
        let item = Item::from_iter([("PK", "G#1"), ("SK", sort)]);
        assert_eq!(layout.recognise(&item).unwrap().name, entity, "{sort}");
    }
    assert!(layout.recognise(&Item(plain(r#"{"PK":"G#1","SK":"turns/"}"#))).is_err(), "a bare prefix is nobody's");
    // Without the separator a query for turns would return the gate, and that is said.
    assert!(codes(&table("turns{n}")).contains(&"layout.collision"));
    let padded = table("turn{n:03}").replace("n = \"string\"", "n = \"number\"");
    assert!(codes(&padded).contains(&"layout.prefix-mix-up"));
}

#[test]
fn an_allowed_index_key_of_adjacent_placeholders_is_made_and_the_item_is_understood() {
    let definition = one(r#"GSI1PK = "ALL", GSI1SK = "account#{name}{code}""#, "name = \"string\"\ncode = \"string\"");
    assert_eq!(codes(&definition), ["key-template.adjacent-placeholders"]);
    let allow = "[[table.allow]]\ncode = \"key-template.adjacent-placeholders\"\nwhy = \"it is older\"\n\n[indexes.";
    let layout = layout(&definition.replacen("[indexes.", allow, 1));
    let item = build(&layout, r#"{"id":"1","name":"no","code":"ne"}"#).unwrap();
    assert_eq!(text(&item, "GSI1SK"), Some("account#none"));
    let attributes = attributes_of(&item, first(&layout), layout.table());
    assert_eq!(attributes.get("name"), Some(&"no".into()), "read from where it is stored, never from the key");
    let update = update(&item, first(&layout), layout.table(), &changes(&[("code", "\"rth\"")])).unwrap();
    assert_eq!(text(&update.after, "GSI1SK"), Some("account#north"));
}
