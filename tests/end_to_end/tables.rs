//! The worked examples in tables/, and the models of real users in models/: each compiles, is made, and takes its
//! sample items.

use std::path::{Path, PathBuf};

use singletable::Layout;
use singletable::diagnostic::Diagnostic;

use crate::engine::{Ability, Engine};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The definitions of tables/, which give no diagnostic at all.
fn examples() -> Vec<PathBuf> {
    let mut examples: Vec<_> =
        std::fs::read_dir(root().join("tables")).unwrap().map(|entry| entry.unwrap().path()).collect();
    examples.retain(|path| path.extension().is_some_and(|extension| extension == "toml"));
    examples.sort();
    examples
}

/// Makes a definition's table, loads its sample items, and tells each one's entity.
async fn take_samples(engine: &Engine, definition: &str, samples: &str, place: &str) {
    let compiled = Layout::compile(definition);
    let layout = compiled.layout.unwrap_or_else(|| panic!("{place}: {:#?}", compiled.diagnostics));
    let has_multi_attribute_index =
        layout.table().indexes.iter().any(|one| one.key.partition.len() > 1 || one.key.sort.len() > 1);
    if has_multi_attribute_index && !engine.can(Ability::MultiAttributeKeys) {
        return;
    }
    let table = engine.table(definition).await;
    table.load(samples).await;
    for line in samples.lines() {
        let item = table.item(line);
        table.layout.recognise(&item).unwrap_or_else(|error| panic!("{place}: {error}: {line}"));
    }
}

#[tokio::test]
async fn every_worked_example_is_sound_and_takes_its_sample_items() {
    let examples = examples();
    assert!(examples.len() >= 13);
    for engine in Engine::all().await {
        for path in &examples {
            let place = format!("{} {}", engine.name, path.display());
            let definition = std::fs::read_to_string(path).unwrap();
            assert_eq!(Layout::compile(&definition).diagnostics, [], "{place}");
            let samples = std::fs::read_to_string(path.with_extension("jsonl")).unwrap();
            take_samples(&engine, &definition, &samples, &place).await;
        }
    }
}

#[tokio::test]
async fn every_model_can_be_said_and_takes_its_sample_items() {
    // Each line of the README's table is a model: its name, and where its definition stands.
    let readme = std::fs::read_to_string(root().join("tests/models/README.md")).unwrap();
    let rows: Vec<(&str, &str)> = readme
        .lines()
        .filter_map(|line| line.strip_prefix("| ")?.split_once(" | "))
        .filter(|(name, _)| !name.starts_with("model") && !name.starts_with("--"))
        .map(|(name, rest)| (name, rest.split(['(', ')']).nth(1).unwrap()))
        .collect();
    assert_eq!(rows.len(), 23);
    for (name, place) in rows {
        let definition = std::fs::read_to_string(root().join("tests/models").join(place)).unwrap();
        if name == "terraform-generic-single-table" {
            let codes: Vec<&str> = Layout::compile(&definition).diagnostics.iter().map(|one| one.code).collect();
            assert_eq!(codes, ["entity.none"], "the module of a table without entities is refused");
            continue;
        }
        let problems = Layout::compile(&definition).diagnostics;
        let serious: Vec<&Diagnostic> = problems.iter().filter(|one| one.is_error()).collect();
        assert!(serious.is_empty(), "{name}: {serious:#?}");
    }
    for engine in Engine::all().await {
        let mut folders: Vec<_> =
            std::fs::read_dir(root().join("tests/models")).unwrap().map(|entry| entry.unwrap().path()).collect();
        folders.retain(|path| path.join("items.jsonl").exists());
        folders.sort();
        assert!(folders.len() >= 15);
        for folder in folders {
            let place = format!("{} {}", engine.name, folder.display());
            let [definition, samples] =
                ["table.toml", "items.jsonl"].map(|file| std::fs::read_to_string(folder.join(file)).unwrap());
            take_samples(&engine, &definition, &samples, &place).await;
        }
    }
}
