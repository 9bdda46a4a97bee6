//! Copies in the elements of lists: each element is guarded by what it refers to.

use singletable::Item;

use crate::engine::{Engine, Table};

const MAGAZINE: &str = include_str!("../../tables/magazine.toml");

fn article(co_authors: &str) -> String {
    format!(
        r#"{{"entity":"Article","id":"a1","title":"t","body":"b","publishedAt":"2026-01-01T00:00:00Z","byline":{{"id":"w1","name":"Ann"}},"coAuthors":[{co_authors}]}}"#
    )
}

/// A writer, and an article with a list of co-authors.
async fn magazine<'e>(engine: &'e Engine, co_authors: &str) -> Table<'e> {
    let table = engine.table(MAGAZINE).await;
    table.load(r#"{"entity":"Writer","id":"w2","name":"Bea"}"#).await;
    table.load(&article(co_authors)).await;
    table
}

async fn co_authors(table: &Table<'_>) -> String {
    table.value("ARTICLE#a1 ARTICLE", "coAuthors").await
}

#[tokio::test]
async fn several_elements_of_one_item_are_one_update() {
    for engine in Engine::all().await {
        let own = r#"{"id":"w2","name":"Bea"}"#;
        let table = magazine(&engine, &format!(r#"{own},{{"id":"w3","name":"Bea"}},{own}"#)).await;
        let plan = table.plan(table.request("Writer", "id=w2", &[("name", "Cat")], &[], &[])).await;
        assert_eq!((plan.changes.len(), plan.changes[0].writes.len(), plan.totals.copies.stale), (1, 1, 2));
        let guard = &plan.changes[0].writes[0].update.guard;
        assert_eq!((guard.elements.len(), guard.holds.len()), (2, 2), "each element is guarded by its reference");
        assert!(table.apply(&plan).await.verified, "{}", engine.name);
        let expected = r#"[{"id":"w2","name":"Cat"},{"id":"w3","name":"Bea"},{"id":"w2","name":"Cat"}]"#;
        assert_eq!(co_authors(&table).await, expected, "{}", engine.name);
    }
}

#[tokio::test]
async fn an_element_that_moved_is_a_conflict_and_its_neighbour_is_left() {
    for engine in Engine::all().await {
        let table = magazine(&engine, r#"{"id":"w2","name":"Bea"},{"id":"w3","name":"Bea"}"#).await;
        let plan = table.plan(table.request("Writer", "id=w2", &[("name", "Cat")], &[], &[])).await;
        // Another writer now stands where she stood, with the same name, and even with the new one.
        for name in ["Bea", "Cat"] {
            let moved = format!(r#"{{"id":"w3","name":"{name}"}},{{"id":"w2","name":"Bea"}}"#);
            table.load(&article(&moved)).await;
            let report = table.apply_as_planned(&plan).await;
            assert_eq!((report.outcomes.conflict, report.outcomes.applied), (1, 0), "{}: {report:?}", engine.name);
            assert!(!report.verified, "{}", engine.name);
            assert_eq!(co_authors(&table).await, format!("[{}]", moved.replace(' ', "")), "{}", engine.name);
        }
        // The plan that is made next finds her where she is.
        let again = table.plan(table.request("Writer", "id=w2", &[], &[], &[])).await;
        assert!(table.apply(&again).await.verified, "{}", engine.name);
        let expected = r#"[{"id":"w3","name":"Cat"},{"id":"w2","name":"Cat"}]"#;
        assert_eq!(co_authors(&table).await, expected, "{}", engine.name);
    }
}

#[tokio::test]
async fn a_list_that_is_gone_or_shorter_is_a_conflict() {
    for engine in Engine::all().await {
        let table = magazine(&engine, r#"{"id":"w3","name":"x"},{"id":"w2","name":"Bea"}"#).await;
        let plan = table.plan(table.request("Writer", "id=w2", &[("name", "Cat")], &[], &[])).await;
        table.load(&article(r#"{"id":"w3","name":"x"}"#)).await;
        let report = table.apply(&plan).await;
        assert_eq!(report.outcomes.conflict, 1, "{}", engine.name);
        assert_eq!(co_authors(&table).await, r#"[{"id":"w3","name":"x"}]"#, "{}", engine.name);
    }
}

const CLUB: &str = r##"
    [table]
    name = "club"
    partition_key = "PK"
    type_attribute = "type"
    [entities.Member]
    keys = { PK = "MEMBER#{id}" }
    attributes = { id = "string", name = "string" }
    [entities.Club]
    keys = { PK = "CLUB#{id}" }
    [entities.Club.attributes]
    id = "string"
    visits = { type = "list", max_items = 400, of = { type = "map", attributes = { at = "number", who = { type = "map", attributes = { id = "string", name = "string" } } } } }
    [entities.Club.references.visitor]
    entity = "Member"
    within = "visits[].who"
    by = { id = "id" }
    keep = "latest"
    copies = { name = "name" }
    via = "scan"
"##;

#[tokio::test]
async fn an_item_whose_expression_would_be_too_large_is_changed_in_consecutive_updates_and_priced_so() {
    let embedded = Engine::embedded().await;
    let table = embedded.table(CLUB).await;
    let visit = |at: u32| {
        let (id, name) = if at % 3 == 2 { ("2", "Bo") } else { ("1", "Ann") };
        format!(r#"{{"at":{at},"who":{{"id":"{id}","name":"{name}"}}}}"#)
    };
    let visits: Vec<String> = (0..300).map(visit).collect();
    table.load(r#"{"type":"Member","id":"1","name":"Ann"}"#).await;
    table.load(&format!(r#"{{"type":"Club","id":"c","visits":[{}]}}"#, visits.join(","))).await;

    let plan = table.plan(table.request("Member", "id=1", &[("name", "Anna")], &[], &[])).await;
    assert_eq!((plan.totals.changes, plan.totals.copies.stale), (1, 200));
    let writes = &plan.changes[0].writes;
    assert!(writes.len() >= 3, "{}", writes.len());
    for write in writes {
        let request = write.update.request();
        assert!(request.update.len() <= 4096 && request.condition.len() <= 4096);
        assert!(write.update.set.len() <= 300 && 2 * write.update.guard.conditions().len() <= 300);
    }
    // Each of the updates writes the whole item.
    let item: Item = table.read("CLUB#c").await.unwrap();
    let kilobytes = singletable::item_size(&item).bytes().div_ceil(1024);
    assert!(plan.totals.estimate.write_units.table.0 >= kilobytes * writes.len() as u64);

    let report = table.apply(&plan).await;
    assert!(report.verified);
    let mut forecast = plan.totals.estimate.source_write_units.clone();
    forecast += &plan.totals.estimate.write_units;
    assert_eq!(report.consumed.write_units, forecast);
    let shown = table.value("CLUB#c", "visits").await;
    assert_eq!((shown.matches("Anna").count(), shown.matches("Bo").count()), (200, 100));

    // The same plan again: every update has been made already.
    let again = table.apply(&plan).await;
    assert_eq!((again.outcomes.already_current, again.verified), (1, true));
}

/// The tenant's id stands on the task, and tells with the id in each element who watches; so it makes the way as well.
const TENANTS: &str = r##"
    [table]
    name = "tenants"
    partition_key = "PK"
    sort_key = "SK"
    type_attribute = "type"
    [entities.User]
    keys = { PK = "ORG#{orgId}", SK = "USER#{id}" }
    attributes = { orgId = "string", id = "string", name = "string" }
    [entities.Task]
    keys = { PK = "ORG#{orgId}", SK = "TASK#{id}" }
    [entities.Task.attributes]
    orgId = { type = "string", stored = "key" }
    id = "string"
    watchers = { type = "list", max_items = 20, of = { type = "map", attributes = { userId = "string", name = "string" } } }
    [entities.Task.references.watcher]
    entity = "User"
    within = "watchers[]"
    by = { orgId = "/orgId", id = "userId" }
    keep = "latest"
    copies = { name = "name" }
"##;

#[tokio::test]
async fn a_reference_of_an_element_may_begin_at_the_item() {
    for engine in Engine::all().await {
        let table = engine.table(TENANTS).await;
        for org in ["a", "b"] {
            table.load(&format!(r#"{{"type":"User","orgId":"{org}","id":"1","name":"Ann"}}"#)).await;
            let watchers = r#"[{"userId":"2","name":"Bo"},{"userId":"1","name":"Ann"}]"#;
            table.load(&format!(r#"{{"type":"Task","orgId":"{org}","id":"t","watchers":{watchers}}}"#)).await;
        }
        let plan = table.plan(table.request("User", "orgId=a id=1", &[("name", "Anna")], &[], &[])).await;
        assert_eq!((plan.totals.changes, plan.totals.copies.stale), (1, 1), "{}", engine.name);
        assert!(table.apply(&plan).await.verified, "{}", engine.name);
        let renamed = r#"[{"name":"Bo","userId":"2"},{"name":"Anna","userId":"1"}]"#;
        assert_eq!(table.value("ORG#a TASK#t", "watchers").await, renamed, "{}", engine.name);
        let untouched = renamed.replace("Anna", "Ann");
        assert_eq!(table.value("ORG#b TASK#t", "watchers").await, untouched, "another tenant's: {}", engine.name);
    }
}
