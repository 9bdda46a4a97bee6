//! The generated blog: every author's copies are counted, priced and mended as `expected.json` says.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::engine::{Ability, Engine};

/// Runs a generator of tests/datasets; `None`, loudly, where there is no Python.
pub(crate) fn generate(script: &str, arguments: &[&str]) -> Option<tempfile::TempDir> {
    let folder = tempfile::tempdir().unwrap();
    let script: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/datasets").join(script);
    match Command::new("python3").arg("-B").arg(script).arg(folder.path()).args(arguments).output() {
        Ok(ran) => {
            assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
            Some(folder)
        }
        Err(error) => {
            crate::engine::say_loudly(&format!(
                "NOT TESTED: the generated data needs python3, which cannot be run: {error}"
            ));
            None
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_author_of_the_generated_blog_is_counted_priced_and_mended() {
    let Some(data) = generate("gen_authors_posts.py", &["--authors", "20", "--posts", "300", "--max-body", "300"])
    else {
        return;
    };
    let lines = std::fs::read_to_string(data.path().join("items.jsonl")).unwrap();
    let expected: Value =
        serde_json::from_str(&std::fs::read_to_string(data.path().join("expected.json")).unwrap()).unwrap();

    for engine in Engine::all().await {
        let table = engine.table(include_str!("../blog/blog.toml")).await;
        table.load(&lines).await;
        for (id, author) in expected["authors"].as_object().unwrap() {
            let place = format!("{} {id}", engine.name);
            let count = |name: &str| author[name].as_u64().unwrap();
            let old = author["old"].as_str().unwrap();
            let request = table.request("Author", &format!("authorId={id}"), &[], &[("name", old)], &[]);

            let plan = table.plan(request.clone()).await;
            let targets = plan.totals.targets;
            assert_eq!(targets.found, count("copies"), "{place}");
            assert_eq!(targets.stale, count("stale"), "{place}");
            assert_eq!(targets.current, count("current"), "{place}");
            assert_eq!(targets.absent, count("absent"), "{place}");
            assert_eq!(targets.diverged, count("other_value"), "{place}");
            let units = &plan.totals.estimate.write_units;
            assert_eq!(units.table.0, count("table_wcu"), "{place}");
            assert_eq!(units.indexes.get("GSI1").map_or(0, |units| units.0), count("gsi1_wcu"), "{place}");
            assert_eq!(units.indexes.get("GSI2"), None, "{place}");

            let report = table.apply(&plan).await;
            assert_eq!(report.outcomes.applied, count("stale"), "{place}: {report:?}");
            assert!(report.verified, "{place}");
            assert_eq!((report.left.diverged, report.left.absent), (count("other_value"), count("absent")), "{place}");
            match engine.can(Ability::IndexCapacity) {
                true => assert_eq!(report.consumed.write_units, *units, "{place}"),
                false => assert_eq!(report.consumed.write_units.table, units.table, "{place}"),
            }
            if engine.can(Ability::ReadCapacity) {
                // The last look reads entries that hold the new names, so a page may round the other way.
                let halves = |units: singletable::capacity::ReadUnits| units.halves();
                let forecast = halves(plan.totals.estimate.read_units.apply);
                assert!(halves(report.consumed.read_units).abs_diff(forecast) <= 1, "{place}: {report:?}");
            }

            let again = table.plan(request).await;
            assert!(again.is_empty(), "{place}");
            assert_eq!(again.totals.targets.stale, 0, "{place}");
        }
    }
}
