//! What DynamoDB takes in one request, told before it is sent.
//!
//! Sources: *TransactWriteItems* in the API reference; what an update's statement may weigh is not documented, and was
//! measured on AWS by others, region by region.

mod statement;
mod transaction;

pub use statement::{StatementSize, UpdateRule};
pub use transaction::{Action, TransactionRefused, check_transaction};
