//! Why a plan was not run, or not to its end.

use crate::client::StoreError;
use crate::fanout::{LedgerError, PlanError, PlanFileError, Report};

/// Why a plan was not run, or not to its end. This run wrote nothing, save where `Interrupted` has a report.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ApplyError {
    /// The plan says itself that it cannot be applied.
    #[error("the plan cannot be applied: {0}")]
    Blocked(String),
    /// The plan was made with another definition.
    #[error("the plan was made with another definition: make it again")]
    Definition,
    /// The plan's source is no longer there.
    #[error("the source is no longer there: this run wrote nothing")]
    NoSource,
    /// The source holds neither what it held when the plan was made nor what it is to hold.
    #[error("the source has changed since the plan was made: this run wrote nothing; make the plan again")]
    SourceMoved,
    /// The routes cannot be followed.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// The plan's file cannot be read any more.
    #[error("the plan cannot be read: {0}")]
    File(#[from] PlanFileError),
    /// Nothing can be noted.
    #[error("the ledger cannot be kept: {0}")]
    Ledger(#[from] LedgerError),
    /// A request failed before anything was written.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A request failed after something was written.
    #[error("{error}")]
    Interrupted {
        /// What failed.
        error: StoreError,
        /// What was done until then.
        report: Box<Report>,
    },
}
