//! What a run has done so far: one record for each outcome, and what all of them add up to.
//!
//! A run tells a [`Ledger`] each outcome as it comes to know it. [`LedgerWriter`] and [`LedgerReader`] make lines of
//! that and records of lines, for a file beside the plan; [`Account`] is what they add up to, and by itself the ledger
//! of a run that keeps nothing.

mod account;
mod lines;
mod positions;
mod record;

pub use account::Account;
pub use lines::{LedgerError, LedgerReader, LedgerWriter};
pub use record::Record;

/// Where a run notes what it did.
pub trait Ledger {
    /// What was noted so far, by this run and by those before it.
    fn account(&self) -> &Account;

    /// Notes one more thing. When it comes back, the record outlives this process.
    ///
    /// # Errors
    /// It cannot be kept. Nothing may be written to the table after that, for nobody would know.
    fn note(&mut self, record: &Record) -> Result<(), LedgerError>;
}
