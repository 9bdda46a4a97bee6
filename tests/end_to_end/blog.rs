//! The generated blog: every author's copies are counted, priced and mended as `expected.json` says.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;
use singletable::Item;
use singletable::capacity::WriteCapacity;
use singletable::fanout::Plan as _;
use singletable::model::AttributePath;

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
    each_author(&["--authors", "20", "--posts", "300", "--max-body", "300"]).await;
}

/// The whole of it takes minutes: `cargo test --release --all-features --test end_to_end -- --ignored`.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "it takes minutes"]
async fn every_author_of_the_whole_generated_blog_is_counted_priced_and_mended() {
    each_author(&["--authors", "200", "--posts", "20000"]).await;
}

async fn each_author(arguments: &[&str]) {
    let Some(data) = generate("gen_authors_posts.py", arguments) else { return };
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
                // The last look reads entries that hold the new names, so pages may round the other way.
                let halves = |units: singletable::capacity::ReadUnits| units.halves();
                let forecast = halves(plan.totals.estimate.read_units.apply);
                assert!(
                    halves(report.consumed.read_units).abs_diff(forecast) <= 1 + forecast / 50,
                    "{place}: {report:?}"
                );
            }

            let again = table.plan(request).await;
            assert!(again.is_empty(), "{place}");
            assert_eq!(again.totals.targets.stale, 0, "{place}");
        }
    }
}

/// The same blog, with every copy that it holds declared: in a map, and in the elements of a list.
fn with_all_copies() -> String {
    let blog = include_str!("../blog/blog.toml");
    let (before, after) = blog.split_once("copies = { authorName = \"name\" }\n").unwrap();
    format!(
        "{before}copies = {{ authorName = \"name\", \"byline.name\" = \"name\" }}\n\
         [entities.Post.references.coAuthor]\nentity = \"Author\"\nwithin = \"coAuthors[]\"\nby = {{ authorId = \"id\" }}\n\
         keep = \"latest\"\ncopies = {{ name = \"name\" }}\nvia = \"scan\"\n{after}"
    )
}

/// Each place of an item where a copy of an author's name stands, going by the item alone.
fn copies_of(item: &Item, author: &str) -> Vec<AttributePath> {
    let top = AttributePath::top_level;
    let mut places = Vec::new();
    if item.get("authorId").and_then(|id| id.as_str()) == Some(author) && item.get("name").is_none() {
        places.push(top("authorName"));
        if item.get("postId").is_some() {
            places.push(top("byline").child("name"));
        }
    }
    let list = top("coAuthors");
    let elements = (0..5).map(|at| list.element(at));
    let is_hers = |element: &AttributePath| element.child("id").get(&item.0).and_then(|id| id.as_str()) == Some(author);
    places.extend(elements.filter(is_hers).map(|element| element.child("name")));
    places
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn copies_in_maps_and_lists_are_mended_beside_the_others_as_one_change_per_item() {
    let Some(data) = generate("gen_authors_posts.py", &["--authors", "12", "--posts", "200", "--max-body", "300"])
    else {
        return;
    };
    let lines = std::fs::read_to_string(data.path().join("items.jsonl")).unwrap();
    let expected: Value =
        serde_json::from_str(&std::fs::read_to_string(data.path().join("expected.json")).unwrap()).unwrap();
    let mut items: Vec<Item> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();

    for engine in Engine::all().await {
        let table = engine.table(&with_all_copies()).await;
        table.load(&lines).await;
        let mut in_lists = 0;
        for (id, author) in expected["authors"].as_object().unwrap() {
            let place = format!("{} {id}", engine.name);
            let (old, new) = (author["old"].as_str().unwrap(), author["new"].as_str().unwrap());
            // What should come of it, worked out from the items alone.
            let mut changed = 0;
            let mut units = WriteCapacity::default();
            let mut counts = [0; 4];
            for item in &mut items {
                let before = item.clone();
                for path in copies_of(&before, id) {
                    let held = path.get(&before.0).and_then(|value| value.as_str());
                    let class = match held {
                        Some(name) if name == new => 0,
                        Some(name) if name == old => 1,
                        Some(_) => 2,
                        None => 3,
                    };
                    counts[class] += 1;
                    if class == 1 {
                        in_lists += usize::from(path.root() == "coAuthors");
                        path.set(&mut item.0, new.into());
                    }
                }
                if *item != before {
                    changed += 1;
                    units += &WriteCapacity::of_write(table.layout.table(), Some(&before), Some(item));
                }
            }

            let request = table.request("Author", &format!("authorId={id}"), &[], &[("name", old)], &[]);
            let plan = table.plan(request.clone()).await;
            let copies = plan.totals.copies;
            assert_eq!([copies.current, copies.stale, copies.diverged, copies.absent], counts, "{place}");
            assert_eq!(plan.totals.changes, changed, "{place}: one change for each item");
            assert!(plan.changes.iter().all(|change| change.writes.len() == 1), "{place}");
            assert_eq!(plan.totals.estimate.write_units, units, "{place}");
            let report = table.apply(&plan).await;
            assert_eq!((report.outcomes.applied, report.verified), (changed, true), "{place}: {report:?}");
            match engine.can(Ability::IndexCapacity) {
                true => assert_eq!(report.consumed.write_units, units, "{place}"),
                false => assert_eq!(report.consumed.write_units.table, units.table, "{place}"),
            }
            assert!(table.plan(request).await.is_empty(), "{place}");
        }
        assert!(in_lists > 5, "the blog holds stale copies in lists");
        // The other engines start from the same items.
        items = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    }
}
