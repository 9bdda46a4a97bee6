//! How a command ends.

use std::process::ExitCode;

/// Every exit code, and what it means. They are part of the interface and never change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum ExitStatus {
    /// Done, or there was nothing to do.
    Done = 0,
    /// It failed, or some changes failed.
    Failed = 1,
    /// The command line is wrong.
    Usage = 2,
    /// The definition has errors.
    Definition = 3,
    /// There are changes; only with `--detailed-exit-code`.
    Changes = 4,
    /// It was applied, but at least one guard was refused as a conflict.
    Conflict = 5,
    /// It was interrupted; `fan-out resume` finishes it.
    Interrupted = 130,
}

impl From<ExitStatus> for ExitCode {
    fn from(status: ExitStatus) -> Self {
        ExitCode::from(status as u8)
    }
}
