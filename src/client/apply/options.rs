//! How a plan is run.

use std::time::Duration;

use tokio_util::sync::CancellationToken;

use crate::acceptance::UpdateRule;
use crate::capacity::WriteUnits;
use crate::client::CONCURRENCY;

/// How a plan is run.
#[derive(Debug, Clone)]
pub struct ApplyOptions {
    /// How many requests are under way at once.
    pub concurrency: usize,
    /// How long an index may lag: the wait before each look at the routes.
    pub settle: Duration,
    /// Seconds since 1970: items whose time to live is before it are expired.
    pub now: u64,
    /// What the table's region counts towards the size of an update.
    pub update_rule: UpdateRule,
    /// The most write units that all of it may take, table and indexes together; `None` for the worst case that the plan
    /// states. What later passes find is only changed within it.
    pub approved: Option<WriteUnits>,
    /// Stops the run cleanly: what is under way is finished, and nothing else is begun.
    pub stop: CancellationToken,
}

impl Default for ApplyOptions {
    fn default() -> Self {
        ApplyOptions {
            concurrency: CONCURRENCY,
            settle: Duration::from_secs(2),
            now: 0,
            update_rule: UpdateRule::FinishedItem,
            approved: None,
            stop: CancellationToken::new(),
        }
    }
}
