//! Bringing copies up to date: what to look at, what each copy's state means, and the guarded writes that follow.
//!
//! Nothing here talks to a table. [`Examiner`] tells where to look and what an item's copies are worth,
//! [`Planner`] turns that into a [`Plan`], and [`Report`] is what became of it.

mod change;
mod class;
mod estimate;
mod examine;
mod intent;
mod plan;
mod plan_file;
mod planner;
mod report;
mod request;
mod route_read;

pub use change::{Change, CopyChange, Guard, GuardedUpdate, SourceChange, UpdateRequest};
pub use class::{Class, Counts, Superseded};
pub use estimate::{Estimate, ReadEstimate};
pub use examine::{CopyState, Examined, Examiner, Finding, Standing};
pub use intent::Intent;
pub use plan::{AttributeChange, Listed, Plan, PlanHeader, PlanSource, TableIdentity, Totals};
pub use plan_file::PlanFileError;
pub use planner::{PlanError, Planner};
pub use report::{Consumed, Left, Outcome, Outcomes, Report};
#[cfg(feature = "cli")]
pub(crate) use request::parse_attributes;
pub use request::{Request, RequestError};
pub use route_read::RouteRead;
