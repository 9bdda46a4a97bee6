//! Progress on a terminal's stderr; nothing elsewhere.

use indicatif::{ProgressBar, ProgressStyle};

use crate::client::Event;

/// A bar, or a counter where the end is not known. Hidden where stderr is not a terminal.
pub(super) struct Progress {
    bar: ProgressBar,
}

impl Progress {
    /// Counts up without an end in sight.
    pub(super) fn counting(what: &'static str) -> Self {
        let bar = ProgressBar::no_length();
        bar.set_style(style("{spinner} {msg} {human_pos}  {per_sec}"));
        bar.set_message(what);
        Progress { bar }
    }

    /// Counts towards an end.
    pub(super) fn towards(total: u64, what: &'static str) -> Self {
        let bar = ProgressBar::new(total);
        bar.set_style(style("{msg} {wide_bar} {human_pos}/{human_len}  {per_sec}  {eta} left"));
        bar.set_message(what);
        Progress { bar }
    }

    /// Takes an event.
    pub(super) fn tell(&self, event: Event) {
        match event {
            Event::Read { items, .. } => self.bar.inc(items),
            Event::Changed(_) | Event::Put => self.bar.inc(1),
            Event::SourceWritten => {}
            Event::Verifying => {
                self.bar.set_style(style("{spinner} {msg}"));
                self.bar.set_message("verifying");
            }
        }
    }

    /// Takes the bar away.
    pub(super) fn finish(self) {
        self.bar.finish_and_clear();
    }
}

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar())
}
