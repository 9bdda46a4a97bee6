//! The question before a run, answered at a terminal that util-linux's `script` makes.

#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "a test's panic is its report")]

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

const DEFINITION: &str = r#"
    [table]
    name = "blog"
    partition_key = "PK"
    sort_key = "SK"
    type_attribute = "entity"
    [entities.Author]
    keys = { PK = "USER#{id}", SK = "PROFILE" }
    attributes = { id = "string", name = "string" }
    [entities.Post]
    keys = { PK = "USER#{authorId}", SK = "POST#{id}" }
    attributes = { id = "string", authorId = "string", authorName = "string" }
    [entities.Post.references.author]
    entity = "Author"
    by = { id = "authorId" }
    keep = "latest"
    copies = { authorName = "name" }
"#;

fn singletable(folder: &Path, arguments: &[&str]) -> String {
    let command = Command::new(env!("CARGO_BIN_EXE_singletable"))
        .args(arguments)
        .args(["-d", "blog.toml", "--local=table"])
        .current_dir(folder)
        .output()
        .unwrap();
    assert!(command.status.success(), "{arguments:?}: {command:?}");
    String::from_utf8(command.stdout).unwrap()
}

/// What is on the screen, and how it ended; `None` where there is no such program.
fn answer(folder: &Path, answer: &str) -> Option<(String, bool)> {
    let apply = "fan-out apply Author id=1 --set name=Bea -d blog.toml --local=table";
    let line = format!("{} {apply}", env!("CARGO_BIN_EXE_singletable"));
    let mut terminal = Command::new("script")
        .args(["--quiet", "--return", "--command", &line, "/dev/null"])
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .ok()?;
    terminal.stdin.take().unwrap().write_all(format!("{answer}\n").as_bytes()).unwrap();
    let ended = terminal.wait_with_output().unwrap();
    Some((String::from_utf8_lossy(&ended.stdout).into_owned(), ended.status.success()))
}

#[test]
fn only_yes_writes_and_no_is_no_error() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    std::fs::write(folder.join("blog.toml"), DEFINITION).unwrap();
    singletable(folder, &["create"]);
    singletable(folder, &["put", "Author", "id=1", "name=Ann"]);
    singletable(folder, &["put", "Post", "id=7", "authorId=1", "authorName=Ann"]);
    let name = || singletable(folder, &["get", "Author", "id=1"]);
    for no in ["n", "", "yesterday"] {
        let Some((screen, succeeded)) = answer(folder, no) else {
            return writeln!(std::io::stderr(), "NOT TESTED: there is no `script` to make a terminal").unwrap();
        };
        assert!(succeeded, "{screen}");
        assert!(screen.contains("Set name to \"Bea\" and write 1 item, for at most"), "{screen}");
        assert!(screen.contains("nothing was written") && !screen.contains("error"), "{screen}");
        assert!(name().contains("Ann"));
    }
    let (screen, succeeded) = answer(folder, "y").unwrap();
    assert!(succeeded && screen.contains("1 applied"), "{screen}");
    assert!(screen.contains("\u{1b}["), "a terminal has colours: {screen}");
    assert!(name().contains("Bea"));
}
