//! Many entities in one DynamoDB table: layouts, items that fit, and copies kept right at a known cost.
//!
//! DynamoDB has no joins, so people copy values to where they are read: an author's name stands on each of
//! her posts. This crate lets you declare such a copy, tells what refreshing it takes, and does it without
//! overwriting anything it did not see.
//!
//! # The story
//!
//! A [definition](Layout::compile) says what the entities of a table are, how their keys are made, and which
//! attributes are copies. It compiles into a [`Layout`], or into [diagnostics](diagnostic) that say all that
//! is wrong with it at once. Through the layout, attributes become [items](ItemBuilder) that fit into
//! 400 KB, and [what a write takes](capacity) follows from the item before and the item after.
//! A [fan-out](fanout) reads every copy of one source, and makes a [`fanout::Plan`]: a guarded write for each
//! item, with its exact units. The [client] runs it, and looks once more.
//!
//! ```
//! use singletable::{ItemBuilder, Layout, capacity::WriteCapacity};
//!
//! let definition = r#"
//!     [table]
//!     name = "blog"
//!     partition_key = "PK"
//!     sort_key = "SK"
//!     type_attribute = "entity"
//!
//!     [entities.Author]
//!     keys = { PK = "USER#{id}", SK = "PROFILE" }
//!     attributes = { id = "string", name = { type = "string", max_bytes = 120 } }
//! "#;
//! let layout = Layout::compile(definition).layout.expect("the definition has no errors");
//! let author = layout.entity("Author").expect("it is defined");
//!
//! let item = ItemBuilder::new(&layout, author).attribute("id", "12").attribute("name", "Mara Vance").build()?;
//! assert_eq!(item.get("PK").unwrap().as_str(), Some("USER#12"));
//!
//! let put = WriteCapacity::of_write(layout.table(), None, Some(&item));
//! assert_eq!(put.total().0, 1);
//! # Ok::<(), singletable::ItemError>(())
//! ```
//!
//! # The map
//!
//! What depends on what goes one way, from the top to the bottom:
//!
//! | module | holds |
//! |---|---|
//! | [`value`] | attribute values, exact numbers, paths, plain JSON |
//! | [`limits`] | what DynamoDB takes, and no more |
//! | [`diagnostic`] | problems in a definition, as data |
//! | [`explain`] | what each problem means, an example, and the cure |
//! | [`key`] | key templates: parse, render, read back |
//! | [`model`] | table, entities, attributes, references: checked, immutable |
//! | `definition` | the file, read into a model, and its JSON Schema (feature `cli`) |
//! | [`layout`] | the compile result: keys, indexes, routes to copies |
//! | [`item`] | building, weighing, recognising and updating items |
//! | [`capacity`] | units of reads and writes |
//! | [`cost`] | from units to money |
//! | [`acceptance`] | what DynamoDB takes in one request |
//! | [`expression`] | update and condition expressions |
//! | [`fanout`] | classes, changes, guards, plans, reports |
//! | [`copies`], [`migration`] | what copies cost and save; what a changed definition asks of the items that are there |
//! | [`client`] | the port to DynamoDB, and what runs over it (feature `client`) |
//! | `cli` | the command line (feature `cli`) |
//!
//! All above the client is pure: no async, no clock, no environment, no printing.

pub mod acceptance;
pub mod capacity;
pub mod copies;
pub mod cost;
mod definition;
pub mod diagnostic;
pub mod explain;
pub mod expression;
pub mod fanout;
pub mod item;
pub mod key;
pub mod layout;
pub mod limits;
pub mod migration;
pub mod model;
pub mod value;

#[cfg(feature = "client")]
pub mod client;

#[cfg(feature = "cli")]
#[doc(hidden)]
pub mod cli;

pub use item::{Attributes, Input, Item, ItemBuilder, ItemError, ItemSize, item_size};
pub use layout::{Compiled, Layout};
pub use limits::MAX_ITEM_BYTES;
pub use value::{AttributeValue, Binary, Number, NumberError};

/// The README's Rust blocks, run as doctests.
#[cfg(all(doctest, feature = "client"))]
#[doc = include_str!("../README.md")]
struct Readme;
