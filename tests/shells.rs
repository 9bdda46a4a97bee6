//! Completions and manual pages, held against the programs that read them.

#![expect(clippy::unwrap_used, reason = "a test's panic is its report")]

use std::io::Write;
use std::path::Path;
use std::process::{Command, Output};

fn singletable(arguments: &[&str]) -> Output {
    let output = Command::new(env!("CARGO_BIN_EXE_singletable")).args(arguments).output().unwrap();
    assert!(output.status.success(), "{arguments:?}: {output:?}");
    output
}

/// Runs a reader over a file; says loudly where there is no such program.
fn read_by(program: &str, arguments: &[&str], file: &Path) {
    let what = match Command::new(program).args(arguments).arg(file).output() {
        Ok(output) => {
            let complaints = String::from_utf8_lossy(&output.stderr);
            return assert!(output.status.success() && complaints.is_empty(), "{program}: {complaints}");
        }
        Err(error) => error,
    };
    say_loudly(&format!("NOT TESTED: {} with {program}: {what}", file.display()));
}

/// Says something even where the test passes: the handle is not captured, as the macro would be.
fn say_loudly(text: &str) {
    let mut stderr = std::io::stderr();
    writeln!(stderr, "{text}").unwrap();
}

#[test]
fn each_shell_parses_its_completions() {
    let folder = tempfile::tempdir().unwrap();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = singletable(&["completions", shell]).stdout;
        let text = String::from_utf8(script).unwrap();
        for word in ["fan-out", "completions", "detailed-exit-code"] {
            assert!(text.contains(word), "{shell} does not complete {word}");
        }
        let file = folder.path().join(shell);
        std::fs::write(&file, text).unwrap();
        match shell {
            "bash" | "zsh" | "fish" => read_by(shell, &["-n"], &file),
            "elvish" => read_by(shell, &["-compileonly"], &file),
            _ => {}
        }
    }
}

#[test]
fn a_shell_completes_a_command() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("completions");
    std::fs::write(&file, singletable(&["completions", "bash"]).stdout).unwrap();
    let ask = "source \"$1\"; COMP_WORDS=(singletable fan-out pl); COMP_CWORD=2; \
               _singletable singletable pl fan-out; echo \"${COMPREPLY[*]}\"";
    match Command::new("bash").args(["-c", ask, "bash"]).arg(&file).output() {
        Ok(output) => assert_eq!(String::from_utf8_lossy(&output.stdout).trim(), "plan", "{output:?}"),
        Err(error) => say_loudly(&format!("NOT TESTED: completing in bash: {error}")),
    }
}

#[test]
fn the_manual_has_a_page_for_each_command() {
    let folder = tempfile::tempdir().unwrap();
    let main = singletable(&["man"]).stdout;
    singletable(&["man", folder.path().to_str().unwrap()]);
    assert!(std::fs::read(folder.path().join("singletable.1")).unwrap() == main, "one main page, wherever it goes");
    for page in ["singletable-size.1", "singletable-fan-out-plan.1"] {
        let page = folder.path().join(page);
        assert!(page.is_file(), "{}", page.display());
        read_by("groff", &["-man", "-Tutf8", "-ww", "-z"], &page);
    }
}
