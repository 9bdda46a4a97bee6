//! The command line: a folder for each case, and Markdown that runs.
//!
//! - `tests/compile/NAME/table.toml`: what `check` and `layout` print of it stands beside it.
//! - `tests/plan/NAME/`: a definition, items, and a request; what `fan-out plan` prints stands beside them.
//! - `tests/migration/NAME/`: two definitions and items; what `estimate migration` prints stands beside them.
//! - `tests/cmd/*.md` and `README.md`: console blocks.
//!
//! Adding a folder or a file adds a test. `SNAPSHOTS=overwrite cargo test --all-features --test cases` writes
//! what is printed now, and `TRYCMD=overwrite` does so for the Markdown.

#![expect(clippy::unwrap_used, reason = "a test's panic is its report")]

use std::path::{Path, PathBuf};
use std::process::Command;

use snapbox::Assert;

fn cases(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(folder);
    let mut cases: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    cases.sort();
    assert!(!cases.is_empty());
    cases
}

/// What the program prints, in a case's folder: stdout, stderr, and how it ended.
fn run(case: &Path, arguments: &[&str]) -> (Option<i32>, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_singletable"))
        .args(arguments)
        .current_dir(case)
        .env("NO_COLOR", "1")
        .env_remove("SINGLETABLE_DEFINITION")
        .env_remove("SINGLETABLE_PRICES")
        .output()
        .unwrap();
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    let (stdout, stderr) = (text(&output.stdout), text(&output.stderr));
    let code = output.status.code();
    (code, format!("{stderr}{stdout}exit {}\n", code.map_or("by a signal".to_owned(), |code| code.to_string())))
}

fn holds(actual: String, file: PathBuf) {
    let expected = if file.exists() { snapbox::Data::read_from(&file, None) } else { snapbox::Data::new() };
    let expected = expected.raw();
    if std::env::var("SNAPSHOTS").is_ok_and(|what| what == "overwrite") {
        std::fs::write(&file, &actual).unwrap();
        return;
    }
    Assert::new().eq(snapbox::Data::text(actual), expected);
}

#[test]
fn definitions_are_checked_and_laid_out() {
    for case in cases("compile") {
        let (code, check) = run(&case, &["check", "-d", "table.toml"]);
        holds(check, case.join("check.txt"));
        if code == Some(0) {
            holds(run(&case, &["layout", "-d", "table.toml"]).1, case.join("layout.txt"));
        }
    }
}

#[test]
fn plans_show_every_change_and_what_it_takes() {
    for case in cases("plan") {
        let folder = tempfile::tempdir().unwrap();
        let local = format!("--local={}", folder.path().display());
        let setup = |arguments: &[&str]| {
            let (code, text) = run(&case, &[arguments, &[&local]].concat());
            assert_eq!(code, Some(0), "{}: {text}", case.display());
        };
        setup(&["create", "-d", "table.toml"]);
        setup(&["load", "-d", "table.toml", "items.jsonl"]);
        // One argument a line.
        let request = std::fs::read_to_string(case.join("request.txt")).unwrap();
        let mut arguments = vec!["fan-out", "plan", "-d", "table.toml", &local];
        arguments.extend(request.lines());
        holds(run(&case, &arguments).1, case.join("plan.txt"));
    }
}

#[test]
fn migrations_are_estimated_from_their_items() {
    for case in cases("migration") {
        let arguments = ["estimate", "migration", "old.toml", "new.toml", "--items", "items.jsonl"];
        holds(run(&case, &[&arguments[..], &["--region", "us-east-1"]].concat()).1, case.join("estimate.txt"));
    }
}

/// What `check` draws for the first example of each page of `explain` stands in `tests/explain`.
#[test]
fn every_page_shows_its_diagnostic() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/explain");
    for page in singletable::explain::PAGES {
        let sandbox = tempfile::tempdir().unwrap();
        std::fs::write(sandbox.path().join("table.toml"), page.examples()[0]).unwrap();
        let (_, check) = run(sandbox.path(), &["check", "-d", "table.toml"]);
        assert!(check.contains(&format!("[{}]", page.code)), "{}: {check}", page.code);
        holds(check, folder.join(format!("{}.txt", page.code)));
    }
}

#[test]
fn every_diagnostic_has_a_page_and_every_page_a_diagnostic() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let pages: std::collections::BTreeSet<&str> = singletable::explain::PAGES.iter().map(|page| page.code).collect();
    let groups: std::collections::BTreeSet<&str> = pages.iter().map(|code| code.split_once('.').unwrap().0).collect();
    let mut codes = std::collections::BTreeSet::new();
    for folder in ["definition", "layout", "key"] {
        let entries = std::fs::read_dir(source.join(folder)).unwrap().map(|entry| entry.unwrap().path());
        // What stands in a folder below gives no diagnostics.
        for file in entries.filter(|path| path.is_file()) {
            let text = std::fs::read_to_string(file).unwrap();
            // A code is a quoted pair of kebab-case words with a dot between them, the first of which names what it
            // is about.
            let is_word =
                |word: &str| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-');
            let is_code = |part: &&str| part.split_once('.').is_some_and(|(a, b)| groups.contains(a) && is_word(b));
            codes.extend(text.split('"').filter(is_code).map(str::to_owned));
        }
    }
    assert_eq!(codes.iter().map(String::as_str).collect::<Vec<_>>(), pages.into_iter().collect::<Vec<_>>());
}

/// Each file runs in a folder of its own that holds the worked examples, so that what it makes is gone afterwards.
#[test]
fn the_markdown_runs() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let sandbox = tempfile::tempdir().unwrap();
    let mut files = vec![root.join("README.md")];
    files.extend(cases("cmd").into_iter().filter(|path| path.extension().is_some_and(|extension| extension == "md")));
    let mut copies = Vec::new();
    for file in &files {
        let copy = sandbox.path().join(file.file_name().unwrap());
        std::fs::copy(file, &copy).unwrap();
        let folder = copy.with_extension("in");
        copy_files(&root.join("tables"), &folder.join("tables"));
        copy_files(&file.with_extension("in"), &folder);
        copies.push(copy);
    }
    let run = trycmd::TestCases::new();
    run.default_bin_name("singletable").env("NO_COLOR", "1").env("AWS_EC2_METADATA_DISABLED", "true");
    run.case(format!("{}/*.md", sandbox.path().display())).run();
    if std::env::var("TRYCMD").is_ok_and(|what| what == "overwrite") {
        for (file, copy) in files.iter().zip(copies) {
            std::fs::copy(copy, file).unwrap();
        }
    }
}

fn copy_files(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).into_iter().flatten() {
        let path = entry.unwrap().path();
        if path.is_file() {
            std::fs::copy(&path, to.join(path.file_name().unwrap())).unwrap();
        }
    }
}
