//! Bringing copies up to date: what to look at, what each copy's state means, and the guarded writes that follow.
//!
//! Nothing here talks to a table. [`Examiner`] tells where to look and what an item's copies are worth,
//! [`Planner`] turns that into changes, one after the other, a [`PlanSink`] makes a [`Plan`] of them, a [`Ledger`] takes
//! down what was done, and [`Report`] is what became of it. A plan is a stream: nothing here needs all of its changes at once, but for a small one that is
//! held [in memory](PlanInMemory).

mod blockers;
mod change;
mod class;
mod estimate;
mod examine;
mod intent;
mod ledger;
mod plan;
mod plan_file;
mod plan_in_memory;
mod planner;
mod remaining;
mod report;
mod request;
mod route_read;

pub use change::{Change, ChangeWrite, CopyChange, Guard, GuardedUpdate, SourceChange, UpdateRequest};
pub use class::{Class, Counts, Superseded};
pub use estimate::{Estimate, PlanSums, ReadEstimate};
pub use examine::{CopyState, Examined, Examiner, Finding, Linked, Rereads, Standing};
pub use intent::Intent;
pub use ledger::{Account, Ledger, LedgerError, LedgerReader, LedgerWriter, Record};
pub use plan::{AttributeChange, Listed, Plan, PlanHeader, PlanSink, PlanSource, TableIdentity, Totals};
pub use plan_file::{PlanFileError, PlanReader, PlanWriter};
pub use plan_in_memory::{MAX_BYTES_IN_MEMORY, MemorySink, PlanInMemory};
pub use planner::{PlanError, Planner};
pub use remaining::Remaining;
pub use report::{Consumed, Left, Outcome, Outcomes, Report};
pub use request::{Request, RequestError};
#[cfg(feature = "cli")]
pub(crate) use request::{parse_attributes, parse_item_values, parse_values};
pub use route_read::{ReadStep, RouteRead};
