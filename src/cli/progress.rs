//! Progress on a terminal's stderr; nothing elsewhere.

use std::cell::Cell;

use indicatif::{ProgressBar, ProgressStyle};

use crate::capacity::ReadUnits;
use crate::client::Event;

/// A bar, or a counter where the end is not known. Hidden where stderr is not a terminal.
pub(super) struct Progress {
    bar: ProgressBar,
    /// What was read so far: pages and batches, and their units.
    read: Cell<(u64, ReadUnits)>,
}

impl Progress {
    /// Counts up without an end in sight.
    pub(super) fn counting(what: &'static str) -> Self {
        let bar = ProgressBar::no_length();
        bar.set_style(style("{spinner} {msg} {human_pos} {prefix}  {per_sec}"));
        bar.set_message(what);
        Progress { bar, read: Cell::default() }
    }

    /// Counts towards an end.
    pub(super) fn towards(total: u64, what: &'static str) -> Self {
        let bar = ProgressBar::new(total);
        bar.set_style(style("{msg} {wide_bar} {human_pos}/{human_len}  {per_sec}  {eta} left"));
        bar.set_message(what);
        Progress { bar, read: Cell::default() }
    }

    /// Takes an event.
    pub(super) fn tell(&self, event: Event) {
        match event {
            Event::Read { items, units } => {
                let (pages, so_far) = self.read.get();
                let (pages, so_far) = (pages + 1, so_far + units);
                self.read.set((pages, so_far));
                self.bar.set_prefix(format!("items in {pages} pages, {so_far} read units"));
                self.bar.inc(items);
            }
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
