//! Draws a diagnostic as rustc does.

use std::path::Path;

use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};

use crate::diagnostic::{Diagnostic, Severity};

/// A diagnostic with the lines of the file that it is about.
pub(in crate::cli) fn draw(diagnostic: &Diagnostic, path: &Path, text: &str) -> String {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Note => Level::NOTE,
    };
    let end = diagnostic.span.end.min(text.len());
    let start = diagnostic.span.start.min(end);
    let mut annotation = AnnotationKind::Primary.span(start..end);
    if !diagnostic.label.is_empty() {
        annotation = annotation.label(&diagnostic.label);
    }
    let path = path.display().to_string();
    let snippet = Snippet::source(text).path(path).annotation(annotation);
    let mut group = level.primary_title(&diagnostic.message).id(diagnostic.code).element(snippet);
    if let Some(help) = &diagnostic.help {
        group = group.element(Level::HELP.message(help));
    }
    format!("{}\n", Renderer::styled().render(&[group]))
}
