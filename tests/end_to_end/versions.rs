//! Copies that know which version of their source they are of.

use singletable::fanout::Class;

use crate::engine::{Engine, Table};

const BLOG: &str = r##"
    [table]
    name = "blog"
    partition_key = "PK"
    sort_key = "SK"
    type_attribute = "type"
    [entities.Author]
    keys = { PK = "USER#{id}", SK = "PROFILE" }
    version = "rev"
    attributes = { id = "string", name = "string", town = { type = "string", optional = true }, rev = { type = "number", default = 1 } }
    [entities.Post]
    keys = { PK = "USER#{authorId}", SK = "POST#{id}" }
    [entities.Post.attributes]
    id = "string"
    authorId = "string"
    authorName = { type = "string", optional = true }
    authorTown = { type = "string", optional = true }
    authorRev = { type = "number", optional = true }
    [entities.Post.references.author]
    entity = "Author"
    by = { id = "authorId" }
    keep = "latest"
    copies = { authorName = "name", authorTown = "town" }
    version_as = "authorRev"
"##;

async fn blog(engine: &Engine) -> Table<'_> {
    let table = engine.table(BLOG).await;
    table
        .load(
            r#"
            {"type":"Author","id":"1","name":"New","town":"T","rev":4}
            {"type":"Post","id":"current","authorId":"1","authorName":"New","authorTown":"T","authorRev":4}
            {"type":"Post","id":"same-but-older","authorId":"1","authorName":"New","authorTown":"T","authorRev":3}
            {"type":"Post","id":"older","authorId":"1","authorName":"Old","authorTown":"T","authorRev":1}
            {"type":"Post","id":"without","authorId":"1","authorName":"Old","authorTown":"T"}
            {"type":"Post","id":"diverged","authorId":"1","authorName":"Other","authorTown":"T","authorRev":4}
            {"type":"Post","id":"newer","authorId":"1","authorName":"Newer","authorTown":"T","authorRev":9}
            "#,
        )
        .await;
    table
}

#[tokio::test]
async fn a_copy_is_current_only_where_value_and_version_agree() {
    for engine in Engine::all().await {
        let table = blog(&engine).await;
        let plan = table.plan(table.request("Author", "id=1", &[], &[], &[])).await;
        let targets = plan.totals.targets;
        assert_eq!((targets.current, targets.stale, targets.diverged), (1, 3, 2), "{}: {targets:?}", engine.name);
        let report = table.apply(&plan).await;
        assert!(report.verified, "{}: {report:?}", engine.name);
        for id in ["same-but-older", "older", "without"] {
            let post = format!("USER#1 POST#{id}");
            assert_eq!(table.value(&post, "authorName").await, "\"New\"", "{id}");
            assert_eq!(table.value(&post, "authorRev").await, "4", "{id}");
        }
        assert_eq!(table.value("USER#1 POST#newer", "authorName").await, "\"Newer\"");
    }
}

#[tokio::test]
async fn a_rename_increases_the_version_and_a_late_write_of_an_older_one_is_refused() {
    for engine in Engine::all().await {
        let table = blog(&engine).await;
        let first = table.plan(table.request("Author", "id=1", &[("name", "First")], &[], &[])).await;
        let set = &first.header.source.change.as_ref().unwrap().update.set;
        assert!(set.iter().any(|(path, value)| path.root() == "rev" && *value == singletable::Number::from(5).into()));
        // The second rename comes and goes before the first writes its copies.
        let report = table.apply(&first).await;
        assert!(report.verified, "{}: {report:?}", engine.name);
        let second = table.plan(table.request("Author", "id=1", &[("name", "Second")], &[], &[])).await;
        assert!(table.apply(&second).await.verified, "{}", engine.name);

        // A request of the first that was on its way all the time.
        use singletable::client::{Store, Write, WriteError};
        let late = &first.changes[0].writes[0];
        let refused = table.store.write(Write::Update(&late.update)).await;
        let Err(WriteError::Refused { item, .. }) = refused else { panic!("{}: {refused:?}", engine.name) };
        let outcome = late.classify_refusal(item.as_ref().map(|item| &item.0));
        assert_eq!(outcome, singletable::fanout::Outcome::Conflict, "{}", engine.name);
        assert_eq!(table.value("USER#1 POST#older", "authorName").await, "\"Second\"", "{}", engine.name);
        assert_eq!(table.value("USER#1 PROFILE", "rev").await, "6", "{}", engine.name);
    }
}

#[tokio::test]
async fn a_value_that_differs_under_the_same_version_is_mended_only_when_asked() {
    for engine in Engine::all().await {
        let table = blog(&engine).await;
        let request = table.request("Author", "id=1", &[], &[], &[Class::Diverged]);
        let plan = table.plan(request).await;
        let report = table.apply(&plan).await;
        assert_eq!((report.outcomes.applied, report.verified), (5, true), "{}: {report:?}", engine.name);
        assert_eq!(table.value("USER#1 POST#diverged", "authorName").await, "\"New\"", "{}", engine.name);
    }
}
