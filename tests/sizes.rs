//! `size` of many items, read as a stream: what is near the limit, over it, or no item at all.

#![expect(clippy::unwrap_used, reason = "a test's panic is its report")]

use std::fmt::Write as _;
use std::io::Write as _;
use std::process::Command;

const DEFINITION: &str = r#"
    [table]
    name = "notes"
    partition_key = "PK"
    type_attribute = "entity"
    [entities.Note]
    keys = { PK = "NOTE#{id}" }
    attributes = { id = "string", text = "string" }
"#;

/// What stands in a note besides its text: `PK`, `NOTE#1`, `entity`, `Note`, `id`, `1`, `text`.
const REST: usize = 2 + 6 + 6 + 4 + 2 + 1 + 4;

#[test]
fn items_at_the_limit_are_counted_and_those_over_it_named_in_both_kinds_of_json_and_in_an_export() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("notes.toml"), DEFINITION).unwrap();
    let mut plain = String::from("\n");
    let mut stored = String::from("\n");
    for bytes in [100, 368_639, 368_640, 409_600, 409_601, 100] {
        let text = "x".repeat(bytes - REST);
        writeln!(plain, r#"{{"entity": "Note", "id": "1", "text": "{text}"}}"#).unwrap();
        let key = r#""PK": {"S": "NOTE#1"}, "id": {"S": "1"}, "entity": {"S": "Note"}"#;
        writeln!(stored, r#"{{{key}, "text": {{"S": "{text}"}}}}"#).unwrap();
    }
    let exported = stored.lines().filter(|line| !line.is_empty()).map(|line| format!("{{\"Item\": {line}}}\n"));
    let exported = format!("\n{}", exported.collect::<String>());
    for (json, name) in [(plain, "plain.jsonl"), (stored, "stored.jsonl"), (exported, "exported.json.gz")] {
        let json = json + "{\"text\":\n";
        let bytes = if name.ends_with(".gz") { compressed(&json) } else { json.into_bytes() };
        std::fs::write(folder.path().join(name), bytes).unwrap();
        let ran = Command::new(env!("CARGO_BIN_EXE_singletable"))
            .args(["size", "-d", "notes.toml", name, "--format", "json"])
            .current_dir(folder.path())
            .output()
            .unwrap();
        assert_eq!(ran.status.code(), Some(1));
        let told = String::from_utf8(ran.stderr).unwrap();
        assert!(told.contains(&format!("{name}:8: this is not JSON")), "{told}");
        assert!(!told.contains(":6:"), "an item that is only too large is counted: {told}");
        let sizes: serde_json::Value = serde_json::from_slice(&ran.stdout).unwrap();
        let all = &sizes["all"];
        assert_eq!(
            [&all["items"], &all["median_bytes"], &all["largest_bytes"], &all["near_limit"], &all["over_limit"]],
            [6, 368_639, 409_601, 2, 1]
        );
        assert_eq!(sizes["wrong_lines"], 1);
        assert_eq!(sizes["largest"][0]["line"], 6);
        assert_eq!(sizes["largest"][0]["heaviest"][0]["path"], "text");
        // One unit for each started KB, of those that fit.
        assert_eq!(sizes["put_write_units"]["total"], 1 + 360 + 360 + 400 + 1);
    }
}

/// As an export does it, in two parts: gzip files may stand one after the other.
fn compressed(text: &str) -> Vec<u8> {
    let (one, other) = text.split_at(text.len() / 2);
    let part = |text: &str| {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(text.as_bytes()).unwrap();
        encoder.finish().unwrap()
    };
    [part(one), part(other)].concat()
}
