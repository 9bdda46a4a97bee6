//! A run that dies: the same command again finishes it.

use std::process::{Command, Stdio};
use std::time::Duration;

use crate::engine::{Engine, Table};

const POSTS: usize = 400;

async fn blog(engine: &Engine) -> Table<'_> {
    let table = engine.table(include_str!("../../tables/blog.toml")).await;
    let mut lines = r#"{"entity":"Author","id":"12","name":"Mara Vance"}"#.to_owned();
    for id in 1..=POSTS {
        lines += &format!(
            "\n{{\"entity\":\"Post\",\"id\":\"{id}\",\"authorId\":\"12\",\"authorName\":\"Mara Vance\",\"title\":\"t\",\"publishedAt\":\"2026-01-01T00:00:00.000Z\"}}"
        );
    }
    table.load(&lines).await;
    table
}

fn command(table: &Table<'_>, name: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_singletable"));
    let blog = concat!(env!("CARGO_MANIFEST_DIR"), "/tables/blog.toml");
    command
        .args([
            "-d",
            blog,
            "fan-out",
            "apply",
            "Author",
            "id=12",
            "--set",
            &format!("name={name}"),
            "--yes",
            "--format",
            "json",
        ])
        .args(["--endpoint-url", &table.engine.url, "--table-name", table.store.table()])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

/// Starts a run, and sends it a signal as soon as the source is written.
async fn signalled(table: &Table<'_>, name: &str, signal: &str) -> std::process::Output {
    let child = command(table, name).spawn().unwrap();
    let id = child.id().to_string();
    let wanted = format!("\"{name}\"");
    while table.value("USER#12 PROFILE", "name").await != wanted {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    assert!(Command::new("kill").args([signal, &id]).status().unwrap().success());
    tokio::task::spawn_blocking(|| child.wait_with_output().unwrap()).await.unwrap()
}

async fn stale(table: &Table<'_>, name: &str) -> u64 {
    table.plan(table.request("Author", "id=12", &[("name", name)], &[], &[])).await.totals.targets.stale
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_run_killed_after_the_source_was_written_is_finished_by_the_same_command() {
    let engine = Engine::embedded().await;
    let table = blog(&engine).await;
    let mut left_something = false;
    for round in 0..5 {
        let name = format!("Mara {round}");
        let killed = signalled(&table, &name, "-KILL").await;
        left_something |= killed.status.code().is_none() && stale(&table, &name).await > 0;

        let table_ref = &table;
        let mut again = command(table_ref, &name);
        let output = tokio::task::spawn_blocking(move || again.output().unwrap()).await.unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        assert_eq!(stale(&table, &name).await, 0);
    }
    assert!(left_something, "no kill came in the middle of a run");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_interrupted_run_stops_cleanly_says_what_is_left_and_exits_with_130() {
    let engine = Engine::embedded().await;
    let table = blog(&engine).await;
    for round in 0..5 {
        let name = format!("Mara {round}");
        let output = signalled(&table, &name, "-INT").await;
        // A run without a report died as from SIGKILL, which the test above is about: another round is asked.
        if output.stdout.is_empty() && output.status.code().is_none() {
            continue;
        }
        let report: serde_json::Value =
            serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {output:?}"));
        let left = report["outcomes"]["not_attempted"].as_u64().unwrap();
        if left == 0 {
            continue; // the run was faster than the signal
        }
        assert_eq!(output.status.code(), Some(130), "{report}");
        assert_eq!(report["verified"], false);
        assert_eq!(report["outcomes"]["applied"].as_u64().unwrap() + left, POSTS as u64, "nothing is lost count of");
        assert_eq!(stale(&table, &name).await, left);
        return;
    }
    panic!("no signal came in the middle of a run");
}
