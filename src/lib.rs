//! x
#![allow(missing_docs)]
pub mod capacity;
mod definition;
pub mod diagnostic;
pub mod expression;
pub mod fanout;
pub mod item;
pub mod key;
pub mod layout;
pub mod model;
pub mod value;

pub use item::*;
pub use layout::Layout;
pub use value::*;
#[cfg(feature = "cli")]
pub mod cli;
#[cfg(feature = "client")]
pub mod client;
