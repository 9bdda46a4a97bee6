//! Every kind of copy and of route, with what it takes.

use singletable::acceptance::UpdateRule;
use singletable::client::PlanOptions;
use singletable::fanout::Plan as _;
use singletable::fanout::{Class, PlanInMemory};

use crate::engine::{Ability, Engine, Table};

/// Plans, runs, and holds what was forecast against what was consumed.
async fn fan_out(table: &Table<'_>, request: singletable::fanout::Request) -> singletable::fanout::PlanInMemory {
    let plan = table.plan(request).await;
    let report = table.apply(&plan).await;
    assert!(report.verified, "{}: {report:?}", table.engine.name);
    let mut forecast = plan.totals.estimate.source_write_units.clone();
    forecast += &plan.totals.estimate.write_units;
    match table.engine.can(Ability::IndexCapacity) {
        true => assert_eq!(report.consumed.write_units, forecast, "{}", table.engine.name),
        false => assert_eq!(report.consumed.write_units.table, forecast.table, "{}", table.engine.name),
    }
    plan
}

const SHOP: &str = r##"
    [table]
    name = "shop"
    partition_key = "PK"
    sort_key = "SK"
    type_attribute = "type"
    ttl_attribute = "ttl"
    [indexes.ByCustomer]
    partition_key = "CPK"
    sort_key = "CSK"
    projection = "all"
    [indexes.ByName]
    partition_key = "customerName"
    projection = "keys-only"
    [entities.Customer]
    keys = { PK = "C#{id}", SK = "C#" }
    attributes = { id = "string", name = "string", address = { type = "map", attributes = { city = "string", zip = { type = "string", optional = true } } } }
    [entities.Order]
    keys = { PK = "O#{id}", SK = "O#", CPK = "C#{customerId}", CSK = "{customerName|lower}#{placedAt}" }
    [entities.Order.attributes]
    id = "string"
    customerId = "string"
    customerName = "string"
    placedAt = "string"
    shipTo = { type = "map", optional = true, attributes = { city = "string" } }
    note = { type = "string", optional = true }
    [entities.Order.references.customer]
    entity = "Customer"
    by = { id = "customerId" }
    keep = "latest"
    copies = { customerName = "name", "shipTo.city" = "address.city" }
    [entities.Invoice]
    keys = { PK = "C#{customerId}", SK = "INVOICE#{number:06}" }
    attributes = { customerId = "string", number = "number", customer = "string" }
    [entities.Invoice.references.customer]
    entity = "Customer"
    by = { id = "customerId" }
    keep = "latest"
    copies = { customer = "name" }
    [entities.Greeting]
    keys = { PK = "GREETING", SK = "C#{customerId}" }
    attributes = { customerId = "string", to = "string" }
    [entities.Greeting.references.customer]
    entity = "Customer"
    by = { id = "customerId" }
    keep = "latest"
    copies = { to = "name" }
    [entities.Receipt]
    keys = { PK = "R#{id}", SK = "R#", CPK = "C#{customerId}", CSK = "R#{id}" }
    attributes = { id = "string", customerId = "string", name = "string" }
    [entities.Receipt.references.customer]
    entity = "Customer"
    by = { id = "customerId" }
    keep = "snapshot"
    copies = { name = "name" }
"##;

async fn shop(engine: &Engine) -> Table<'_> {
    let table = engine.table(SHOP).await;
    table
        .load(
            r#"
            {"type":"Customer","id":"7","name":"Ann","address":{"city":"Brno","zip":"60200"}}
            {"type":"Order","id":"1","customerId":"7","customerName":"Ann","placedAt":"2026-01","shipTo":{"city":"Brno"}}
            {"type":"Order","id":"2","customerId":"7","customerName":"Ann","placedAt":"2026-02"}
            {"type":"Invoice","customerId":"7","number":3,"customer":"Ann"}
            {"type":"Greeting","customerId":"7","to":"Ann"}
            {"type":"Receipt","id":"9","customerId":"7","name":"Ann"}
            "#,
        )
        .await;
    table
}

#[tokio::test]
async fn copies_are_found_by_table_index_and_key_and_snapshots_are_left() {
    for engine in Engine::all().await {
        let table = shop(&engine).await;
        let request = table.request("Customer", "id=7", &[("name", "Bea")], &[], &[]);
        let plan = fan_out(&table, request).await;
        assert_eq!(plan.totals.targets.found, 4, "{}", engine.name);
        assert_eq!(table.value("O#1 O#", "customerName").await, "\"Bea\"");
        assert_eq!(table.value("C#7 INVOICE#000003", "customer").await, "\"Bea\"");
        assert_eq!(table.value("GREETING C#7", "to").await, "\"Bea\"");
        assert_eq!(table.value("R#9 R#", "name").await, "\"Ann\"");
    }
}

#[tokio::test]
async fn a_copy_in_an_index_key_rewrites_the_key_and_takes_two_writes_there() {
    for engine in Engine::all().await {
        let table = shop(&engine).await;
        let request = table.request("Customer", "id=7", &[("name", "Bea")], &[], &[]);
        let plan = fan_out(&table, request).await;
        let units = &plan.totals.estimate.write_units.indexes;
        // Two orders move in both indexes: their key is made from the name, or is the name.
        assert_eq!((units["ByCustomer"].0, units["ByName"].0), (4, 4));
        assert_eq!(table.value("O#1 O#", "CSK").await, "\"bea#2026-01\"");
    }
}

#[tokio::test]
async fn a_guard_holds_what_a_rewritten_key_is_made_from() {
    let engine = Engine::embedded().await;
    let table = shop(&engine).await;
    let plan = table.plan(table.request("Customer", "id=7", &[("name", "Bea")], &[], &[])).await;
    table
        .load(r#"{"type":"Order","id":"1","customerId":"7","customerName":"Ann","placedAt":"2027-12","shipTo":{"city":"Brno"}}"#)
        .await;
    let report = table.apply_as_planned(&plan).await;
    assert_eq!(report.outcomes.conflict, 1, "a key made from the old date would be wrong");
    assert_eq!(table.value("O#1 O#", "CSK").await, "\"ann#2027-12\"");
}

#[tokio::test]
async fn a_copy_inside_a_map_is_changed_in_place_and_a_missing_map_is_made() {
    for engine in Engine::all().await {
        let table = shop(&engine).await;
        let mut request = table.request("Customer", "id=7", &[], &[], &[Class::Absent]);
        request.set = table.request("Customer", "id=7", &[("address.city", "Olomouc")], &[], &[]).set;
        let plan = fan_out(&table, request).await;
        let copies = plan.totals.copies;
        assert_eq!((copies.stale, copies.absent, copies.found), (1, 1, 2), "only copies of the city are looked at");
        assert_eq!(table.value("O#1 O#", "shipTo.city").await, "\"Olomouc\"");
        assert_eq!(table.value("O#2 O#", "shipTo.city").await, "\"Olomouc\"");
        assert_eq!(table.value("C#7 C#", "address.zip").await, "\"60200\"");
    }
}

#[tokio::test]
async fn items_that_are_not_targets_are_counted_and_left() {
    for engine in Engine::all().await {
        let table = shop(&engine).await;
        table
            .load(
                r#"
                {"PK":{"S":"O#5"},"SK":{"S":"O#"},"type":{"S":"Order"},"id":{"S":"5"},"customerId":{"S":"8"},"customerName":{"S":"Ann"},"placedAt":{"S":"2026"},"CPK":{"S":"C#7"},"CSK":{"S":"x"}}
                {"PK":{"S":"Z#1"},"SK":{"S":"Z"},"type":{"S":"Zebra"},"CPK":{"S":"C#7"},"CSK":{"S":"y"}}
                {"PK":{"S":"O#6"},"SK":{"S":"O#"},"type":{"S":"Order"},"id":{"S":"6"},"customerId":{"S":"7"},"customerName":{"S":"Ann"},"placedAt":{"S":"2026"},"CPK":{"S":"C#7"},"CSK":{"S":"z"},"ttl":{"N":"5"}}
                "#,
            )
            .await;
        let request = table.request("Customer", "id=7", &[("name", "Bea")], &[], &[]);
        let targets = table.plan(request.clone()).await.totals.targets;
        assert_eq!(
            (targets.found, targets.misfiled, targets.unrecognised, targets.expired),
            (4, 1, 1, 1),
            "{}",
            engine.name
        );
        fan_out(&table, request).await;
        assert_eq!(table.value("O#5 O#", "customerName").await, "\"Ann\"");
        assert_eq!(table.value("O#6 O#", "customerName").await, "\"Ann\"");
    }
}

#[tokio::test]
async fn an_item_written_by_another_tool_is_told_by_its_keys_and_guarded_by_them() {
    for engine in Engine::all().await {
        let table = shop(&engine).await;
        // No type attribute and no customerId: both are only in the keys.
        table
            .load(r#"{"PK":{"S":"O#8"},"SK":{"S":"O#"},"id":{"S":"8"},"customerName":{"S":"Ann"},"placedAt":{"S":"2026"},"CPK":{"S":"C#7"},"CSK":{"S":"ann#2026"}}"#)
            .await;
        let request = table.request("Customer", "id=7", &[("name", "Bea")], &[], &[]);
        let plan = fan_out(&table, request).await;
        let change = plan.changes.iter().find(|change| change.key == table.key("O#8 O#")).unwrap();
        let update = &change.writes[0].update;
        assert!(update.request().condition.contains("#n"), "{:?}", update.guard);
        assert_eq!(update.guard.refers.len(), 1, "guarded by the index key");
        assert_eq!(table.value("O#8 O#", "customerName").await, "\"Bea\"");
    }
}

#[tokio::test]
async fn a_partition_of_many_pages_is_read_to_its_end() {
    for engine in Engine::all().await {
        let table = engine.table(SHOP).await;
        table.load(r#"{"type":"Customer","id":"7","name":"Ann","address":{"city":"Brno"}}"#).await;
        let note = "n".repeat(30_000);
        let lines: Vec<String> = (0..120)
            .map(|id| format!(r#"{{"type":"Order","id":"{id}","customerId":"7","customerName":"Ann","placedAt":"2026","note":"{note}"}}"#))
            .collect();
        table.load(&lines.join("\n")).await;
        let plan = fan_out(&table, table.request("Customer", "id=7", &[("name", "Bea")], &[], &[])).await;
        assert_eq!(plan.totals.targets.stale, 120, "{}", engine.name);
        assert_eq!(plan.totals.estimate.write_units.table.0, 120 * 30);
    }
}

#[tokio::test]
async fn a_change_that_takes_an_item_over_the_limit_is_named_and_stops_the_plan() {
    let engine = Engine::embedded().await;
    let table = engine.table(SHOP).await;
    table.load(r#"{"type":"Customer","id":"7","name":"Ann","address":{"city":"Brno"}}"#).await;
    let note = "n".repeat(409_400);
    table
        .load(&format!(
            r#"{{"type":"Order","id":"1","customerId":"7","customerName":"Ann","placedAt":"2026","note":"{note}"}}"#
        ))
        .await;
    let name = "B".repeat(500);
    let plan = table.plan(table.request("Customer", "id=7", &[("name", name.as_str())], &[], &[])).await;
    assert!(!plan.is_applicable());
    assert!(
        plan.totals.blocked[0].contains("409600 bytes") && plan.totals.blocked[0].contains("`note`"),
        "{:?}",
        plan.totals.blocked
    );
}

#[tokio::test]
async fn references_that_make_the_same_source_key_are_the_same() {
    let definition = r##"
        [table]
        name = "users"
        partition_key = "PK"
        type_attribute = "type"
        [indexes.ByUser]
        partition_key = "UPK"
        projection = "all"
        [entities.User]
        keys = { PK = "U#{id|lower}" }
        attributes = { id = "string", name = "string" }
        [entities.Note]
        keys = { PK = "N#{id}", UPK = "U#{userId|lower}" }
        attributes = { id = "string", userId = "string", userName = { type = "string", max_bytes = 5 } }
        [entities.Note.references.user]
        entity = "User"
        by = { id = "userId" }
        keep = "latest"
        copies = { userName = "name" }
    "##;
    for engine in Engine::all().await {
        let table = engine.table(definition).await;
        table
            .load(
                r#"
                {"type":"User","id":"Ann","name":"Ann"}
                {"type":"Note","id":"1","userId":"ann","userName":"Ann"}
                {"type":"Note","id":"2","userId":"ANN","userName":"Ann"}
                "#,
            )
            .await;
        let plan = fan_out(&table, table.request("User", "id=Ann", &[("name", "Bea")], &[], &[])).await;
        assert_eq!(plan.totals.targets.stale, 2, "{}", engine.name);
        assert_eq!(table.value("N#2", "userName").await, "\"Bea\"");
        assert_eq!(table.value("N#2", "userId").await, "\"ANN\"");

        // A value that the target's own declaration forbids is not written.
        let plan = table.plan(table.request("User", "id=Ann", &[("name", "Beatrice")], &[], &[])).await;
        assert!(plan.totals.blocked[0].contains("at most 5 bytes"), "{:?}", plan.totals.blocked);
    }
}

#[tokio::test]
async fn a_map_that_appeared_since_the_plan_is_not_overwritten() {
    for engine in Engine::all().await {
        let table = shop(&engine).await;
        let request = table.request("Customer", "id=7", &[("address.city", "Olomouc")], &[], &[Class::Absent]);
        let plan = table.plan(request).await;
        table
            .load(r#"{"type":"Order","id":"2","customerId":"7","customerName":"Ann","placedAt":"2026-02","shipTo":{"street":"Main","city":"Brno"}}"#)
            .await;
        let mut order = table.read("O#2 O#").await.unwrap();
        order.0.insert("shipTo".to_owned(), serde_json::from_str(r#"{"M":{"street":{"S":"Main"}}}"#).unwrap());
        table.put(vec![order]).await;
        let report = table.apply_as_planned(&plan).await;
        assert_eq!(report.outcomes.conflict, 1, "{}", engine.name);
        assert_eq!(table.value("O#2 O#", "shipTo.street").await, "\"Main\"");
    }
}

#[tokio::test]
async fn a_source_that_lost_another_copied_value_is_not_fanned_out() {
    for engine in Engine::all().await {
        let table = shop(&engine).await;
        let mut request = table.request("Customer", "id=7", &[("name", "Bea")], &[], &[]);
        request.was = table.request("Customer", "id=7", &[], &[("address.city", "Praha")], &[]).was;
        let plan = table.plan(request).await;
        // The city is not set by the plan, but copied: the copies would get the old one.
        table.load(r#"{"type":"Customer","id":"7","name":"Ann","address":{"city":"Zlin"}}"#).await;
        let options = crate::engine::options();
        let mut ledger = singletable::fanout::Account::default();
        let run = singletable::client::apply(&table.store, &table.layout, &plan, &mut ledger, &options, |_| {});
        let refused = run.await.unwrap_err();
        assert!(matches!(refused, singletable::client::ApplyError::SourceMoved), "{}: {refused}", engine.name);
        assert_eq!(table.value("C#7 C#", "name").await, "\"Ann\"", "nothing was written");
    }
}

#[tokio::test]
async fn an_index_key_that_changed_since_the_plan_is_not_rewritten_by_half() {
    for engine in Engine::all().await {
        let table = shop(&engine).await;
        let plan = table.plan(table.request("Customer", "id=7", &[("name", "Bea")], &[], &[])).await;
        let mut left = table.read("O#1 O#").await.unwrap();
        left.0.remove("CPK");
        left.0.remove("CSK");
        let mut pinned = table.read("O#2 O#").await.unwrap();
        pinned.0.insert("CSK".to_owned(), "pinned by hand".into());
        table.put(vec![left, pinned]).await;
        let report = table.apply_as_planned(&plan).await;
        assert_eq!(report.outcomes.conflict, 2, "{}", engine.name);
        assert_eq!(table.value("O#1 O#", "CSK").await, "-");
        assert_eq!(table.value("O#2 O#", "CSK").await, "\"pinned by hand\"");
    }
}

#[tokio::test]
async fn a_copy_that_is_an_index_key_must_be_one_that_dynamodb_takes() {
    let engine = Engine::embedded().await;
    let table = shop(&engine).await;
    for (name, part) in [("", "is empty"), (&"x".repeat(2049), "at most 2048 bytes")] {
        let plan = table.plan(table.request("Customer", "id=7", &[("name", name)], &[], &[])).await;
        assert!(plan.totals.blocked.iter().any(|reason| reason.contains(part)), "{:?}", plan.totals.blocked);
    }
}

/// In most regions an update is held to what its statement writes, too: a copy may fit into the finished item, and not
/// into the statement.
#[tokio::test]
async fn a_copy_that_no_statement_of_the_region_can_write_blocks_the_plan() {
    let definition = r#"
        [table]
        name = "one"
        partition_key = "k"
        [indexes.ByA]
        partition_key = "a"
        projection = "keys-only"
        [entities.Source]
        keys = { k = "s{i}" }
        attributes = { i = { type = "string", stored = "key" }, n = "string" }
        [entities.Target]
        keys = { k = "p{i}" }
        attributes = { i = { type = "string", stored = "key" }, a = "string", c = "string" }
        [entities.Target.references.source]
        entity = "Source"
        by = { i = "a" }
        keep = "latest"
        copies = { c = "n" }
    "#;
    let engine = Engine::embedded().await;
    let table = engine.table(definition).await;
    let long = "x".repeat(409_590);
    table.load(&format!(r#"{{"k":{{"S":"s1"}},"n":{{"S":"{long}"}}}}"#)).await;
    table.load(r#"{"k":{"S":"p1"},"a":{"S":"1"},"c":{"S":"old"}}"#).await;
    for (region, blocked) in [("eu-west-1", 0), ("eu-central-1", 1)] {
        let options = PlanOptions { update_rule: UpdateRule::of_region(region), ..PlanOptions::default() };
        let request = table.request("Source", "i=1", &[], &[], &[]);
        let identity = table.identity().await;
        let sink = PlanInMemory::sink();
        let plan = singletable::client::plan(&table.store, &table.layout, request, identity, &options, sink, |_| {});
        let totals = plan.await.unwrap().totals;
        assert_eq!(totals.blocked.len(), blocked, "{region}: {:?}", totals.blocked);
        assert!(
            totals.blocked.iter().all(|reason| reason.contains("409613 bytes with its clauses")),
            "{:?}",
            totals.blocked
        );
    }
}
