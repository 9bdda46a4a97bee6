//! The library on real engines: the embedded one always, and those that `SINGLETABLE_TEST_ENDPOINTS` names.
//!
//! The variable holds `name=URL` pairs, separated by spaces; `.ci/engines` starts them and sets it. What an
//! engine cannot do, and which test therefore does not ask it, is told in [`engine::CANNOT`].

#![expect(clippy::unwrap_used, reason = "a test's panic is its report")]

mod apply;
mod blog;
mod capacity_law;
mod copies;
mod copies_cost;
mod create;
mod engine;
mod faults;
mod items;
mod kill;
mod lists;
mod migration;
mod plan_file;
mod query;
mod reading;
mod relative;
mod routes;
mod tables;
mod update;
mod versions;
