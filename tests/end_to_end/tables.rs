//! The worked examples in tables/: each compiles without a warning, is made, and takes its sample items.

use std::path::Path;

use singletable::Layout;

use crate::engine::Engine;

#[tokio::test]
async fn every_worked_example_is_sound_and_takes_its_sample_items() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tables");
    let mut examples: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    examples.retain(|path| path.extension().is_some_and(|extension| extension == "toml"));
    examples.sort();
    assert!(examples.len() >= 4);
    for engine in Engine::all().await {
        for path in &examples {
            let place = format!("{} {}", engine.name, path.display());
            let definition = std::fs::read_to_string(path).unwrap();
            assert_eq!(Layout::compile(&definition).diagnostics, [], "{place}");
            let table = engine.table(&definition).await;
            let samples = std::fs::read_to_string(path.with_extension("jsonl")).unwrap();
            table.load(&samples).await;
            for line in samples.lines() {
                let item = table.item(line);
                table.layout.recognise(&item).unwrap_or_else(|error| panic!("{place}: {error}: {line}"));
            }
        }
    }
}
