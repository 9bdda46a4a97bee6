//! What people see: data in, text out. Nothing here prints.

pub(super) mod columns;
pub(super) mod copies;
pub(super) mod diagnostic;
pub(super) mod item;
pub(super) mod layout;
pub(super) mod migration;
pub(super) mod migration_sample;
pub(super) mod money;
pub(super) mod plan;
pub(super) mod query;
pub(super) mod report;
pub(super) mod size;
pub(super) mod sizes;
pub(super) mod status;
pub(super) mod style;
pub(super) mod table;
