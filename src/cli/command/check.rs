//! `check`

use serde::Serialize;

use crate::cli::args::{Common, Format};
use crate::cli::failure::Failure;
use crate::cli::{ExitStatus, definition_file, output, view};
use crate::diagnostic::{Diagnostic, Severity};

#[derive(Serialize)]
struct CheckJson<'a> {
    file: String,
    valid: bool,
    diagnostics: Vec<Located<'a>>,
}

/// A diagnostic with its place as people count: lines and columns from 1.
#[derive(Serialize)]
struct Located<'a> {
    line: usize,
    column: usize,
    #[serde(flatten)]
    diagnostic: &'a Diagnostic,
}

pub(super) fn run(common: &Common) -> Result<ExitStatus, Failure> {
    let file = definition_file::read(common)?;
    let diagnostics = &file.compiled.diagnostics;
    let is_valid = file.compiled.layout.is_some();
    match common.format {
        Format::Json => {
            let located = diagnostics.iter().map(|diagnostic| locate(&file.text, diagnostic));
            let file = file.path.display().to_string();
            output::json("check", &CheckJson { file, valid: is_valid, diagnostics: located.collect() })?;
        }
        Format::Text => {
            for diagnostic in diagnostics {
                output::say(&view::diagnostic::draw(diagnostic, &file.path, &file.text));
            }
            let count = |severity| diagnostics.iter().filter(|one| one.severity == severity).count();
            let (errors, warnings) = (count(Severity::Error), count(Severity::Warning));
            let path = file.path.display();
            let plural = |count: usize, word: &str| format!("{count} {word}{}", if count == 1 { "" } else { "s" });
            match (&file.compiled.layout, warnings) {
                (Some(layout), warnings) => {
                    let table = layout.table();
                    let warned =
                        if warnings == 0 { String::new() } else { format!(", {}", plural(warnings, "warning")) };
                    let entities = layout.entities().len();
                    let entities = if entities == 1 { "1 entity".to_owned() } else { format!("{entities} entities") };
                    let indexes = table.indexes.len();
                    let indexes = if indexes == 1 { "1 index".to_owned() } else { format!("{indexes} indexes") };
                    output::data(&format!("{path}: table {}, {entities}, {indexes}{warned}\n", table.name))?;
                }
                (None, 0) => output::say(&format!("{path}: {}", plural(errors, "error"))),
                (None, _) => {
                    output::say(&format!("{path}: {}, {}", plural(errors, "error"), plural(warnings, "warning")))
                }
            }
        }
    }
    if let (Format::Text, Some(worst)) = (common.format, diagnostics.iter().find(|one| one.severity != Severity::Note))
    {
        output::say(&format!("`singletable explain {}` tells more, and so for every code", worst.code));
    }
    Ok(if is_valid { ExitStatus::Done } else { ExitStatus::Definition })
}

fn locate<'a>(text: &str, diagnostic: &'a Diagnostic) -> Located<'a> {
    let before = text.get(..diagnostic.span.start).unwrap_or(text);
    let line_start = before.rfind('\n').map_or(0, |at| at + 1);
    Located { line: before.matches('\n').count() + 1, column: before[line_start..].chars().count() + 1, diagnostic }
}
