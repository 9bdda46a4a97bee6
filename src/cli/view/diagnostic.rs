//! Draws a diagnostic as rustc does.

use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};

use crate::cli::definition_file::DefinitionFile;
use crate::diagnostic::{Diagnostic, Severity};

pub(in crate::cli) fn draw(diagnostic: &Diagnostic, file: &DefinitionFile) -> String {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Note => Level::NOTE,
    };
    let end = diagnostic.span.end.min(file.text.len());
    let start = diagnostic.span.start.min(end);
    let mut annotation = AnnotationKind::Primary.span(start..end);
    if !diagnostic.label.is_empty() {
        annotation = annotation.label(&diagnostic.label);
    }
    let path = file.path.display().to_string();
    let snippet = Snippet::source(&file.text).path(path).annotation(annotation);
    let mut group = level.primary_title(&diagnostic.message).id(diagnostic.code).element(snippet);
    if let Some(help) = &diagnostic.help {
        group = group.element(Level::HELP.message(help));
    }
    format!("{}\n", Renderer::styled().render(&[group]))
}
