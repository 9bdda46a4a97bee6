//! What `estimate migration` says of the generated blog is what an independent script adds up.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::blog::generate;

const DEFINITION: &str = include_str!("../blog/blog.toml");

fn estimate(folder: &Path, old: &str, new: &str) -> Value {
    std::fs::write(folder.join("old.toml"), old).unwrap();
    std::fs::write(folder.join("new.toml"), new).unwrap();
    let ran = Command::new(env!("CARGO_BIN_EXE_singletable"))
        .args(["estimate", "migration", "old.toml", "new.toml", "--items", "items.jsonl", "--format", "json"])
        .current_dir(folder)
        .output()
        .unwrap();
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    serde_json::from_slice(&ran.stdout).unwrap()
}

fn added_up(folder: &Path, arguments: &[&str]) -> u64 {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/datasets/backfill_units.py");
    let ran =
        Command::new("python3").arg("-B").arg(script).arg(folder.join("items.jsonl")).args(arguments).output().unwrap();
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    String::from_utf8(ran.stdout).unwrap().trim().parse().unwrap()
}

#[test]
fn a_new_index_and_a_wider_one_take_what_their_entries_add_up_to() {
    let Some(data) = generate("gen_authors_posts.py", &["--authors", "50", "--posts", "2000"]) else { return };
    let folder = data.path();
    let index = "[indexes.GSI2]\npartition_key = \"GSI2PK\"\nsort_key = \"GSI2SK\"\nprojection = \"keys-only\"\n";
    let keys = ", GSI2PK = \"STATUS#{status}\", GSI2SK = \"{createdAt}\"";
    let without = DEFINITION.replace(index, "").replace(keys, "");
    assert!(!without.contains("GSI2"), "the definition is still the one that this test knows");
    let added = estimate(folder, &without, DEFINITION);
    // Nothing is carried besides the keys, of which `PK` is one.
    let keys_only = added_up(folder, &["PK,SK,GSI2PK,GSI2SK", "PK"]);
    assert!(keys_only > 1000);
    assert_eq!(added["write_units"]["indexes"]["GSI2"], keys_only);
    assert_eq!(added["write_units"]["table"], 0, "the items have their keys already");
    assert_eq!(added["read_units"], 0, "filling an index reads for free");

    let narrow = "projection = [\"entity\", \"authorName\"]";
    let wide = DEFINITION.replace(narrow, "projection = \"all\"");
    assert_ne!(wide, DEFINITION);
    let widened = estimate(folder, DEFINITION, &wide);
    assert_eq!(widened["write_units"]["indexes"]["GSI1"], added_up(folder, &["PK,SK,GSI1PK,GSI1SK"]));
    assert_eq!(widened["write_units"]["total"], widened["write_units"]["indexes"]["GSI1"]);
}

#[test]
fn a_sample_tells_how_far_off_it_may_be_and_is_not_further() {
    let Some(data) = generate("gen_authors_posts.py", &["--authors", "30", "--posts", "1200", "--max-body", "1500"])
    else {
        return;
    };
    let folder = data.path();
    let wide = DEFINITION.replace("projection = [\"entity\", \"authorName\"]", "projection = \"all\"");
    let whole = estimate(folder, DEFINITION, &wide);
    let run = |arguments: &[&str]| {
        let ran = Command::new(env!("CARGO_BIN_EXE_singletable")).args(arguments).current_dir(folder).output().unwrap();
        assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
        ran.stdout
    };
    run(&["create", "-d", "old.toml", "--local=table"]);
    run(&["load", "-d", "old.toml", "items.jsonl", "--local=table"]);
    let migration = ["estimate", "migration", "old.toml", "new.toml", "--sample", "25", "--format", "json"];
    for place in [&["--items", "items.jsonl"][..], &["--local=table"]] {
        let sample: Value = serde_json::from_slice(&run(&[&migration[..], place].concat())).unwrap();
        let holds = |figure: &Value, truth: &Value| {
            let number = |name: &str| figure[name].as_u64().unwrap();
            let (about, within, truth) = (number("about"), number("within"), truth.as_u64().unwrap());
            assert!(about.abs_diff(truth) <= within, "{place:?}: {about} ± {within}, and it is {truth}");
            assert!(within > 0 && within < truth, "{place:?}: {about} ± {within} tells something");
        };
        holds(&sample["items"], &whole["items"]);
        holds(&sample["write_units"], &whole["write_units"]["total"]);
        holds(&sample["write_units_of"]["GSI1"], &whole["write_units"]["indexes"]["GSI1"]);
        holds(&sample["storage_bytes_after"], &whole["storage_bytes_after"]);
        let seen = sample["items_seen"].as_u64().unwrap();
        assert!(seen * 2 < whole["items"].as_u64().unwrap(), "{place:?}: {seen} are a part");
    }
}
