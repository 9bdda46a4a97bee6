//! What can go wrong between here and a table.

use aws_sdk_dynamodb::error::{DisplayErrorContext, ProvideErrorMetadata, SdkError};

/// A request that failed for good.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// There is no such table.
    #[error("there is no table `{0}` at this endpoint")]
    TableMissing(String),
    /// Nothing answers.
    #[error("the endpoint does not answer: {0}")]
    Unreachable(String),
    /// There are no credentials, or they are refused.
    #[error("the credentials are missing or refused: {0}")]
    Credentials(String),
    /// The credentials do not allow it.
    #[error("access is denied: {0}")]
    AccessDenied(String),
    /// The table, an index or the account is throttled, and stayed so through all retries.
    #[error("requests are throttled: {0}")]
    Throttled(String),
    /// The endpoint does not know the operation.
    #[error("the endpoint does not support {0}")]
    Unsupported(String),
    /// DynamoDB refused the request.
    #[error("the request was refused ({code}): {message}")]
    Rejected {
        /// DynamoDB's code.
        code: String,
        /// Its message.
        message: String,
    },
    /// An answer could not be read.
    #[error("the answer cannot be read: {0}")]
    Answer(String),
}

impl StoreError {
    /// Whether the next request would fail in the same way, so that there is no use in going on.
    pub fn is_fatal(&self) -> bool {
        !matches!(self, StoreError::Throttled(_) | StoreError::Rejected { .. } | StoreError::Answer(_))
    }

    /// Reads an SDK error. `operation` is the API's name for the request.
    pub(super) fn from_sdk<E, R>(error: &SdkError<E, R>, operation: &str, table: &str) -> Self
    where
        E: ProvideErrorMetadata + std::error::Error + 'static,
        R: std::fmt::Debug + 'static,
    {
        match error {
            SdkError::ServiceError(service) => {
                let code = service.err().code().unwrap_or("no code");
                let message = service.err().message().unwrap_or("no message").to_owned();
                match code {
                    "ResourceNotFoundException" => StoreError::TableMissing(table.to_owned()),
                    "AccessDeniedException" => StoreError::AccessDenied(message),
                    "UnknownOperationException" => StoreError::Unsupported(operation.to_owned()),
                    "UnrecognizedClientException"
                    | "InvalidSignatureException"
                    | "IncompleteSignatureException"
                    | "ExpiredTokenException"
                    | "MissingAuthenticationTokenException"
                    | "InvalidClientTokenId" => StoreError::Credentials(message),
                    "ProvisionedThroughputExceededException" | "ThrottlingException" | "RequestLimitExceeded" => {
                        StoreError::Throttled(message)
                    }
                    _ => StoreError::Rejected { code: code.to_owned(), message },
                }
            }
            SdkError::ResponseError(_) => StoreError::Answer(innermost(error)),
            _ => {
                let context = DisplayErrorContext(error).to_string();
                let reason = innermost(error);
                let lacks_credentials =
                    ["CredentialsError", "no providers in chain", "IdentityResolver", "credentials"];
                match lacks_credentials.iter().any(|part| context.contains(part)) {
                    true => StoreError::Credentials(reason),
                    false => StoreError::Unreachable(reason),
                }
            }
        }
    }
}

/// The first cause, which is the one that says something.
fn innermost(error: &(dyn std::error::Error + 'static)) -> String {
    let mut error = error;
    while let Some(source) = error.source() {
        error = source;
    }
    // Some causes go on for lines about everything that was tried.
    let text = error.to_string();
    text.lines().next().unwrap_or_default().trim_end_matches(". Attempted:").to_owned()
}
