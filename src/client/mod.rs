//! The way to a table: the only module that names the AWS SDK or tokio.
//!
//! [`Store`] is the port: the few requests that this crate makes. [`DynamoDb`] is the real one, around a
//! ready `aws_sdk_dynamodb::Client`; loading configuration is the caller's.

mod apply;
mod change_item;
mod convert;
mod dynamodb;
mod error;
mod event;
mod existing_table;
mod ledger_file;
mod load;
mod plan_file;
mod planning;
mod schema;
mod store;
mod survey;

pub use apply::{ApplyError, ApplyOptions, apply};
pub use change_item::{ChangeError, ItemChange, ItemChanged, PreparedChange, change_item, prepare_change};
pub use dynamodb::DynamoDb;
pub use error::StoreError;
pub use event::Event;
pub use existing_table::ExistingTable;
pub use ledger_file::LedgerFile;
pub use load::{LoadReport, load};
pub use plan_file::{FileSink, PlanFile};
pub use planning::{PlanOptions, PlanningError, plan};
pub use schema::{Created, Difference, ExtraOutcome, Extras, SchemaError, TableExtras, create_table};
pub use store::{Fetched, Page, Query, Segment, Store, Write, WriteError, Written};

/// How many requests a run has under way at once, where nobody says otherwise.
const CONCURRENCY: usize = 16;
