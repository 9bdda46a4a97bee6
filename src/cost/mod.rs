//! From units to money.
//!
//! A dollar is shown only from a dated price, or from one's own. Sources: *Amazon DynamoDB pricing for on-demand
//! capacity*, and the price list's usage types; each row of the table says where it was read.

mod price_list;
mod price_table;
mod tariff;
mod usd;

pub use price_table::{Price, PriceTable, PriceTableError};
pub use tariff::{Charge, Discount, Provisioned, Tariff};
pub use usd::{Usd, UsdError};
