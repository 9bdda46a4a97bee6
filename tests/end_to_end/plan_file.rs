//! Plans in files: they come back as they were, are written whole or not at all, and what was edited is refused.

use singletable::client::{PlanFile, PlanOptions, plan};
use singletable::fanout::{Change, MAX_BYTES_IN_MEMORY, Plan, PlanFileError, PlanInMemory, PlanSink};

use crate::engine::{Engine, Table};

/// A customer and as many orders that copy her name.
async fn shop(engine: &Engine, orders: usize) -> Table<'_> {
    let table = engine
        .table(
            r#"
            [table]
            name = "shop"
            partition_key = "PK"
            sort_key = "SK"
            type_attribute = "entity"

            [entities.Customer]
            keys = { PK = "CUSTOMER#{id}", SK = "PROFILE" }
            attributes = { id = "string", name = "string" }

            [entities.Order]
            keys = { PK = "CUSTOMER#{customerId}", SK = "ORDER#{id}" }
            attributes = { id = "string", customerId = "string", customerName = "string" }

            [entities.Order.references.customer]
            entity = "Customer"
            by = { id = "customerId" }
            keep = "latest"
            copies = { customerName = "name" }
            "#,
        )
        .await;
    let orders = (0..orders)
        .map(|id| format!(r#"{{"entity":"Order","id":"{id:04}","customerId":"7","customerName":"Ada"}}"#))
        .collect::<Vec<_>>();
    table.load(r#"{"entity":"Customer","id":"7","name":"Ada"}"#).await;
    table.load(&orders.join("\n")).await;
    table
}

/// Plans into a file.
async fn plan_into(table: &Table<'_>, path: &std::path::Path) -> PlanFile {
    let request = table.request("Customer", "id=7", &[("name", "Bea")], &[], &[]);
    let (options, identity) = (PlanOptions { now: 1_000_000, ..Default::default() }, table.identity().await);
    let sink = PlanFile::create(path).unwrap();
    plan(&table.store, &table.layout, request, identity, &options, sink, |_| {}).await.unwrap()
}

fn changes(plan: &impl Plan) -> Vec<Change> {
    plan.changes().unwrap().collect::<Result<_, _>>().unwrap()
}

#[tokio::test]
async fn a_plan_in_a_file_is_the_plan_in_memory_and_runs_from_the_file() {
    let (engine, folder) = (Engine::embedded().await, tempfile::tempdir().unwrap());
    let table = shop(&engine, 300).await;
    let in_memory = table.plan(table.request("Customer", "id=7", &[("name", "Bea")], &[], &[])).await;
    let path = folder.path().join("rename.plan");
    let made = plan_into(&table, &path).await;
    let opened = PlanFile::open(&path).unwrap();
    for file in [&made, &opened] {
        assert_eq!((file.header(), file.totals()), (&in_memory.header, &in_memory.totals));
        // Two readers do not disturb one another.
        let mut first = file.changes().unwrap();
        first.next();
        assert_eq!(changes(file), in_memory.changes);
        assert_eq!(first.count(), 299);
    }
    assert_eq!(in_memory.totals.changes_of, [("Order".to_owned(), 300)].into());

    // What was checked is what is applied, whatever stands there now.
    std::fs::remove_file(&path).unwrap();
    let options = crate::engine::options();
    let report = singletable::client::apply(
        &table.store,
        &table.layout,
        &opened,
        &mut singletable::fanout::Account::default(),
        &options,
        |_| {},
    )
    .await
    .unwrap();
    assert_eq!((report.outcomes.applied, report.verified), (300, true), "{:?}", report.problems);
}

#[tokio::test]
async fn any_edit_of_a_plan_file_is_refused() {
    let (engine, folder) = (Engine::embedded().await, tempfile::tempdir().unwrap());
    let table = shop(&engine, 4).await;
    let path = folder.path().join("rename.plan");
    drop(plan_into(&table, &path).await);
    let text = std::fs::read_to_string(&path).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    let end = lines.len() - 1;
    let replaced = |from: &str, to: &str| {
        let edited = text.replace(from, to);
        assert_ne!(edited, text, "{from}");
        edited
    };
    let wrongs = [
        ("without its totals", lines[..end].join("\n") + "\n"),
        ("without a change", [&lines[..1], &lines[2..]].concat().join("\n") + "\n"),
        ("in another order", [&lines[..1], &lines[2..3], &lines[1..2], &lines[3..]].concat().join("\n") + "\n"),
        ("with another count", replaced("\"stale\":4", "\"stale\":5")),
        ("with another value", replaced("Bea", "Eve")),
        ("cut inside its last line", text[..text.len() - 9].to_owned()),
        ("cut inside a change", text[..text.len() / 2].to_owned()),
        ("with a second end", format!("{text}{}\n", lines[end])),
        ("empty", String::new()),
        ("no plan", "{}\n".to_owned()),
    ];
    for (what, wrong) in wrongs {
        std::fs::write(&path, wrong).unwrap();
        assert!(PlanFile::open(&path).is_err(), "{what}");
    }
    let format = &lines[0][1..lines[0].find(',').unwrap()];
    for older in [1, 2, 3, 99] {
        std::fs::write(&path, replaced(format, &format!("\"singletable_plan\":{older}"))).unwrap();
        let refused = PlanFile::open(&path).unwrap_err();
        assert!(matches!(refused, PlanFileError::Format { found } if found == older), "{refused}");
        assert!(refused.to_string().ends_with("make the plan again"), "{refused}");
    }
}

#[tokio::test]
async fn a_plan_that_is_never_finished_leaves_no_file_and_what_stood_there() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("rename.plan");
    std::fs::write(&path, "what stood there").unwrap();
    let sink = PlanFile::create(&path).unwrap();
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 2);
    drop(sink);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "what stood there");
    assert!(PlanFile::create(folder.path()).is_err(), "a folder is no place for a plan");
}

#[tokio::test]
async fn a_plan_in_memory_is_bounded() {
    let engine = Engine::embedded().await;
    let table = shop(&engine, 1).await;
    let plan = table.plan(table.request("Customer", "id=7", &[("name", "Bea")], &[], &[])).await;
    let mut sink = PlanInMemory::sink();
    sink.begin(plan.header.clone()).unwrap();
    let line = serde_json::to_vec(&plan.changes[0]).unwrap().len() as u64;
    for _ in 0..MAX_BYTES_IN_MEMORY / line {
        sink.add(plan.changes[0].clone()).unwrap();
    }
    let refused = sink.add(plan.changes[0].clone()).unwrap_err();
    assert!(matches!(refused, PlanFileError::TooLargeForMemory), "{refused}");
}
