//! `estimate`

mod items;
mod migration;

pub(super) use migration::run as migration;
