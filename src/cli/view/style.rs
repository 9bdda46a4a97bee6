//! The few styles that are used. Meaning never rests on them, and pipes and NO_COLOR take them away.

use anstyle::{AnsiColor, Style};

pub(in crate::cli) const ERROR: Style = AnsiColor::Red.on_default().bold();
pub(in crate::cli) const HELP: Style = AnsiColor::Cyan.on_default().bold();
pub(in crate::cli) const HEADING: Style = Style::new().bold();
pub(in crate::cli) const OLD: Style = AnsiColor::Red.on_default();
pub(in crate::cli) const NEW: Style = AnsiColor::Green.on_default();
pub(in crate::cli) const FAINT: Style = Style::new().dimmed();

/// Text in a style.
pub(in crate::cli) fn paint(style: Style, text: impl std::fmt::Display) -> String {
    format!("{style}{text}{style:#}")
}
