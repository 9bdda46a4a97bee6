//! `estimate`

mod copies;
mod items;
mod migration;
mod query;

pub(super) use copies::run as copies;
pub(super) use migration::run as migration;
pub(super) use query::run as query;
