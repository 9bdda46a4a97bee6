//! What reading and writing consumes, in capacity units.
//!
//! Everything goes by the items themselves, before and after. What expires takes nothing, neither of the table nor of
//! its indexes; a table with replicas takes the table's units of a write once more in every other region, and an
//! index's units in every region; a stream takes none.
//!
//! Sources: *Read and write operations*, *Global secondary indexes, throughput considerations*, *Transactions* and
//! *Time to live* in the developer guide. What the guide leaves open follows captures that others took on AWS.

mod pages;
mod range;
mod read;
mod units;
mod write;

pub use pages::Pages;
pub use range::WriteRange;
pub use read::ReadCapacity;
pub use units::{Consistency, ReadUnits, WriteUnits};
pub use write::{WriteCapacity, entry_size};
