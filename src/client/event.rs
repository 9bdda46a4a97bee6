//! What happens during a run: the contract between whoever does the work and whoever shows it.

use crate::fanout::Outcome;

/// Something happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Event {
    /// A page was read, and so many items were looked at.
    Read {
        /// Items or index entries.
        items: u64,
    },
    /// The source holds its new values.
    SourceWritten,
    /// A change came out.
    Changed(Outcome),
    /// The last look begins.
    Verifying,
    /// An item was put, or refused.
    Put,
}
