//! Why a command ended early: one sentence, what to do, and the exit code.

use super::ExitStatus;
use crate::client::StoreError;

/// A command that could not do what it was asked.
#[derive(Debug)]
pub(super) struct Failure {
    pub(super) status: ExitStatus,
    /// One sentence; empty where everything has been said already.
    pub(super) message: String,
    pub(super) help: Option<String>,
}

impl Failure {
    pub(super) fn new(message: impl Into<String>) -> Self {
        Failure { status: ExitStatus::Failed, message: message.into(), help: None }
    }

    pub(super) fn usage(message: impl Into<String>) -> Self {
        Failure { status: ExitStatus::Usage, ..Self::new(message) }
    }

    /// Everything has been said; only the exit code is left.
    pub(super) fn told(status: ExitStatus) -> Self {
        Failure { status, ..Self::new("") }
    }

    pub(super) fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        let failure = Failure::new(error.to_string());
        match error {
            StoreError::TableMissing(_) => failure.help("`singletable create` makes it"),
            StoreError::Unreachable(_) => failure.help("check the endpoint, the region and the network"),
            StoreError::Credentials(_) => {
                failure.help("set AWS_PROFILE or pass --profile, or use --local for the embedded engine")
            }
            _ => failure,
        }
    }
}
