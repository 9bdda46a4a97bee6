//! What copies cost to keep, and what they save: told from real items, before anybody changes anything.
//!
//! Against a copy stands the reference: the target keeps only the source's key, and whoever reads it reads the source
//! besides. A copy saves those reads, and costs a write of every target whenever the source changes.

mod estimate;
mod other_value;
mod report;
mod verdict;

pub use estimate::CopiesEstimate;
pub use report::{CopiesReport, PerSource};
pub use verdict::{Advice, Verdict};
