//! What DynamoDB takes, and no more. Source, where none is named: *Quotas in Amazon DynamoDB* in the developer guide.

/// The largest item, in bytes: 400 KB, attribute names included.
pub const MAX_ITEM_BYTES: u64 = 409_600;

/// The longest partition key, in bytes.
pub const MAX_PARTITION_KEY_BYTES: usize = 2048;

/// The longest sort key, in bytes.
pub const MAX_SORT_KEY_BYTES: usize = 1024;

/// The longest name of an attribute, in bytes.
pub const MAX_NAME_BYTES: usize = 65_535;

/// How many maps or lists may nest around a value. The guide says 32 levels; the value is the last of them.
pub const MAX_NESTING: usize = 31;

/// The most bytes that a number takes: it has 38 digits at most.
pub const MAX_NUMBER_BYTES: u64 = 21;

/// How many global secondary indexes a table may have, before asking AWS for more.
pub const MAX_INDEXES: usize = 20;

/// How many attributes the projections of all indexes may name together.
pub const MAX_PROJECTED: usize = 100;

/// How many attributes the projection of one index may name. Source: *Projection* in the API reference.
pub const MAX_PROJECTED_BY_ONE: usize = 20;

/// The longest name of a projected attribute, in bytes. Source: *Projection* in the API reference.
pub const MAX_PROJECTED_NAME_BYTES: usize = 255;

/// How many keys one BatchGetItem takes. Source: *BatchGetItem* in the API reference.
pub const MAX_BATCH_GET: usize = 100;

/// How many local secondary indexes a table may have.
pub const MAX_LOCAL_INDEXES: usize = 5;

/// How many attributes each part of a global index's key may have.
pub const MAX_KEY_ATTRIBUTES: usize = 4;

/// The longest expression, in bytes, before its placeholders are put in.
pub const MAX_EXPRESSION_BYTES: usize = 4096;

/// How many operators and functions an expression may have.
pub const MAX_OPERATORS: usize = 300;

/// How many write units one partition of a table or of an index takes in a second. Source: *Designing partition keys*
/// in the developer guide.
pub const MAX_PARTITION_WRITE_UNITS: u64 = 1000;

/// How many bytes a page of a query or a scan goes through at the most. Source: *Query* in the API reference.
pub const MAX_PAGE_BYTES: u64 = 1_048_576;

/// How many bytes storage is billed for besides each item, and besides each index entry. Source: *Capacity unit
/// calculations* in the developer guide.
pub const STORAGE_OVERHEAD_BYTES: u64 = 100;

/// How many actions one transaction takes. Source: *TransactWriteItems* in the API reference.
pub const MAX_TRANSACTION_ACTIONS: usize = 100;

/// How many bytes the items of one transaction have together at the most: 4 MB. Source: *TransactWriteItems* in the API
/// reference.
pub const MAX_TRANSACTION_BYTES: u64 = 4 * 1024 * 1024;
