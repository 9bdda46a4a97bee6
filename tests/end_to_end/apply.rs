//! What happens between a plan and its run, and what a run makes of it.

use singletable::client::{ApplyError, apply};
use singletable::fanout::Class;
use singletable::fanout::Plan as _;

use crate::engine::{Engine, Table, options};

const BLOG: &str = include_str!("../../tables/blog.toml");

/// An author with six posts; the copies are as she is called now.
async fn blog(engine: &Engine) -> Table<'_> {
    let table = engine.table(BLOG).await;
    let mut lines = r#"{"entity":"Author","id":"12","name":"Mara Vance"}"#.to_owned();
    lines += "\n{\"entity\":\"Author\",\"id\":\"13\",\"name\":\"Odalys Thorne\"}";
    for id in 1..=6 {
        lines += &format!(
            "\n{{\"entity\":\"Post\",\"id\":\"{id}\",\"authorId\":\"12\",\"authorName\":\"Mara Vance\",\"title\":\"t\",\"publishedAt\":\"2026-01-0{id}T00:00:00.000Z\"}}"
        );
    }
    table.load(&lines).await;
    table
}

async fn rename(table: &Table<'_>, name: &str) -> singletable::fanout::PlanInMemory {
    table.plan(table.request("Author", "id=12", &[("name", name)], &[], &[])).await
}

/// Puts a post again with another author or name.
async fn rewrite(table: &Table<'_>, id: u32, author: &str, name: &str) {
    let line = format!(
        r#"{{"entity":"Post","id":"{id}","authorId":"{author}","authorName":"{name}","title":"t","publishedAt":"2026-01-0{id}T00:00:00.000Z"}}"#
    );
    table.load(&line).await;
}

async fn delete(table: &Table<'_>, key: &str) {
    let mut request = table.engine.client.delete_item().table_name(table.store.table());
    for (name, value) in table.key(key).0 {
        let text = value.as_str().unwrap().to_owned();
        request = request.key(name, aws_sdk_dynamodb::types::AttributeValue::S(text));
    }
    request.send().await.unwrap();
}

#[tokio::test]
async fn what_changed_since_the_plan_is_told_apart_and_never_overwritten() {
    for engine in Engine::all().await {
        let table = blog(&engine).await;
        let plan = rename(&table, "Mara V.").await;
        rewrite(&table, 1, "12", "edited by hand").await;
        delete(&table, "POST#2 META").await;
        rewrite(&table, 3, "13", "Mara Vance").await;
        rewrite(&table, 4, "12", "Mara V.").await;

        let report = table.apply(&plan).await;
        let outcomes = report.outcomes;
        assert_eq!(
            (
                outcomes.applied,
                outcomes.already_current,
                outcomes.conflict,
                outcomes.gone,
                outcomes.moved,
                outcomes.failed
            ),
            (2, 1, 1, 1, 1, 0),
            "{}",
            engine.name
        );
        assert_eq!(table.value("POST#1 META", "authorName").await, "\"edited by hand\"");
        assert_eq!(table.read("POST#2 META").await, None, "a deleted post is not made again");
        assert_eq!(table.value("POST#3 META", "authorName").await, "\"Mara Vance\"");
        assert_eq!(table.value("POST#5 META", "authorName").await, "\"Mara V.\"");
        assert_eq!(report.left.diverged, 1, "the edited copy is left, and told");
    }
}

#[tokio::test]
async fn running_a_plan_twice_changes_nothing_the_second_time() {
    for engine in Engine::all().await {
        let table = blog(&engine).await;
        let plan = rename(&table, "Mara V.").await;
        assert_eq!(table.apply(&plan).await.outcomes.applied, 6);
        let report = table.apply(&plan).await;
        assert_eq!((report.outcomes.already_current, report.outcomes.applied), (6, 0), "{}", engine.name);
        assert!(report.verified);
    }
}

#[tokio::test]
async fn the_same_request_finishes_what_an_earlier_run_left() {
    for engine in Engine::all().await {
        let table = blog(&engine).await;
        let mut plan = rename(&table, "Mara V.").await;
        plan.changes.truncate(2); // as if the run had died
        plan.totals.changes = 2;
        let report = table.apply_as_planned(&plan).await;
        assert!(!report.verified);
        assert_eq!(report.still_different, 4);

        let rest = rename(&table, "Mara V.").await;
        assert_eq!((rest.totals.targets.stale, rest.header.source.change.is_none()), (4, true));
        assert!(table.apply(&rest).await.verified);
        assert!(rename(&table, "Mara V.").await.is_empty());
    }
}

#[tokio::test]
async fn a_source_that_moved_on_stops_the_run_before_anything_is_written() {
    let engine = Engine::embedded().await;
    let table = blog(&engine).await;
    let plan = rename(&table, "Mara V.").await;
    table.load(r#"{"entity":"Author","id":"12","name":"Somebody Else"}"#).await;
    let refused =
        apply(&table.store, &table.layout, &plan, &mut singletable::fanout::Account::default(), &options(), |_| {})
            .await;
    assert!(matches!(refused.unwrap_err(), ApplyError::SourceMoved));
    assert_eq!(table.value("POST#1 META", "authorName").await, "\"Mara Vance\"");

    delete(&table, "USER#12 PROFILE").await;
    let refused =
        apply(&table.store, &table.layout, &plan, &mut singletable::fanout::Account::default(), &options(), |_| {})
            .await;
    assert!(matches!(refused.unwrap_err(), ApplyError::NoSource));
}

#[tokio::test]
async fn a_stopped_run_says_what_is_left() {
    let engine = Engine::embedded().await;
    let table = blog(&engine).await;
    let plan = rename(&table, "Mara V.").await;
    let options = singletable::client::ApplyOptions { concurrency: 1, ..options() };
    let stop = options.stop.clone();
    let mut written = 0;
    let tell = |event| {
        if matches!(event, singletable::client::Event::Changed(_)) {
            written += 1;
            if written == 2 {
                stop.cancel();
            }
        }
    };
    let report =
        apply(&table.store, &table.layout, &plan, &mut singletable::fanout::Account::default(), &options, tell)
            .await
            .unwrap();
    assert!(report.interrupted && !report.verified);
    assert_eq!(report.outcomes.applied + report.outcomes.not_attempted, 6);
    assert!(report.outcomes.not_attempted >= 3);
}

#[tokio::test]
async fn diverged_and_absent_copies_are_changed_only_when_asked() {
    for engine in Engine::all().await {
        let table = blog(&engine).await;
        rewrite(&table, 1, "12", "M. Vance").await;
        let mut bare = table.read("POST#2 META").await.unwrap();
        bare.0.remove("authorName");
        table.put(vec![bare]).await;

        let plan = rename(&table, "Mara V.").await;
        let targets = plan.totals.targets;
        assert_eq!((targets.stale, targets.diverged, targets.absent), (4, 1, 1), "{}", engine.name);
        let report = table.apply(&plan).await;
        assert_eq!((report.left.diverged, report.left.absent, report.verified), (1, 1, true));

        let request =
            table.request("Author", "id=12", &[], &[("name", "Mara Vance")], &[Class::Diverged, Class::Absent]);
        let report = table.apply(&table.plan(request).await).await;
        assert_eq!((report.outcomes.applied, report.left.diverged, report.left.absent), (2, 0, 0));
        assert_eq!(table.value("POST#2 META", "authorName").await, "\"Mara V.\"");
    }
}
