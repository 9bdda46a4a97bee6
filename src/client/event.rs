//! What happens during a run: the contract between whoever does the work and whoever shows it.

use crate::capacity::ReadUnits;
use crate::fanout::Outcome;

/// Something happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Event {
    /// A page or a batch was read.
    Read {
        /// Items or index entries that a route led to.
        items: u64,
        /// What reading them took.
        units: ReadUnits,
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
