//! Problems in a definition, as data. How they are drawn is the command line's business.

use std::fmt;
use std::ops::Range;

use serde::Serialize;

/// A range of bytes in the definition's text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize)]
pub struct Span {
    /// The first byte.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
}

impl From<Range<usize>> for Span {
    fn from(range: Range<usize>) -> Self {
        Span { start: range.start, end: range.end }
    }
}

/// How bad it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Severity {
    /// The definition cannot be used.
    Error,
    /// It can be used, and something in it deserves a look.
    Warning,
    /// Nothing is wrong; something was understood in a way worth knowing.
    Note,
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Note => "note",
        })
    }
}

/// One thing to say about a definition: what, where, and what to do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Diagnostic {
    /// A stable dotted name, such as `key-template.unknown-attribute`.
    pub code: &'static str,
    /// How bad it is.
    pub severity: Severity,
    /// One sentence, without a final period.
    pub message: String,
    /// The place it is about.
    pub span: Span,
    /// A few words that stand at the place.
    pub label: String,
    /// How to mend it.
    pub help: Option<String>,
    /// What it is about, as the `where` of `[[table.allow]]` names it; only where it can be allowed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subject: Option<String>,
}

impl Diagnostic {
    /// An error.
    pub fn error(code: &'static str, span: impl Into<Span>, message: impl Into<String>) -> Self {
        let (span, message) = (span.into(), message.into());
        Diagnostic { code, severity: Severity::Error, message, span, label: String::new(), help: None, subject: None }
    }

    /// A warning.
    pub fn warning(code: &'static str, span: impl Into<Span>, message: impl Into<String>) -> Self {
        Diagnostic { severity: Severity::Warning, ..Self::error(code, span, message) }
    }

    /// A note.
    pub fn note(code: &'static str, span: impl Into<Span>, message: impl Into<String>) -> Self {
        Diagnostic { severity: Severity::Note, ..Self::error(code, span, message) }
    }

    /// Says a few words at the place.
    pub fn label(mut self, label: impl Into<String>) -> Self {
        self.label = label.into();
        self
    }

    /// Says how to mend it.
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Says what it is about, and with that that `[[table.allow]]` may turn it into a note.
    pub fn about(mut self, subject: impl Into<String>) -> Self {
        self.subject = Some(subject.into());
        self
    }

    /// Whether the definition cannot be used because of it.
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}[{}]: {}", self.severity, self.code, self.message)
    }
}

/// The name among `names` that was probably meant, as the text of a help line.
pub(crate) fn did_you_mean<'a>(wrong: &str, names: impl IntoIterator<Item = &'a str>) -> Option<String> {
    names
        .into_iter()
        .map(|name| (strsim::damerau_levenshtein(&wrong.to_lowercase(), &name.to_lowercase()), name))
        .filter(|(distance, name)| *distance <= name.chars().count().max(3) / 3)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, name)| format!("did you mean `{name}`?"))
}
