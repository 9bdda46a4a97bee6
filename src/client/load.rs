//! Puts many items, several at once.

use futures_util::StreamExt;
use futures_util::stream;
use tokio_util::sync::CancellationToken;

use super::{Event, Store, StoreError, Write, WriteError};
use crate::capacity::WriteCapacity;
use crate::expression::Condition;
use crate::item::Item;
use crate::model::AttributePath;

/// What became of a load.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LoadReport {
    /// How many items were put.
    pub put: u64,
    /// The positions of items that were refused because one with their key exists.
    pub existing: Vec<usize>,
    /// The positions of items that failed, and why.
    pub failed: Vec<(usize, StoreError)>,
    /// How many were not tried, because the load was stopped or could not go on.
    pub not_attempted: u64,
    /// What the puts took.
    pub consumed: WriteCapacity,
}

/// Puts items that are not there yet; with `replace`, whether or not they are.
///
/// `partition_key` is the name of the table's partition key. Items are numbered from 0.
pub async fn load<S: Store>(
    store: &S,
    partition_key: &str,
    items: impl IntoIterator<Item = Item>,
    replace: bool,
    concurrency: usize,
    stop: &CancellationToken,
    mut tell: impl FnMut(Event),
) -> LoadReport {
    let condition = Condition::Absent(AttributePath::top_level(partition_key));
    let conditions = if replace { &[][..] } else { std::slice::from_ref(&condition) };
    let halt = stop.child_token();
    let mut report = LoadReport::default();
    let mut answers = stream::iter(items.into_iter().enumerate())
        .map(|(at, item)| {
            let is_halted = halt.is_cancelled();
            async move {
                (at, if is_halted { None } else { Some(store.write(Write::Put { item: &item, conditions }).await) })
            }
        })
        .buffer_unordered(concurrency.max(1));
    while let Some((at, answer)) = answers.next().await {
        match answer {
            None => report.not_attempted += 1,
            Some(Ok(written)) => {
                report.put += 1;
                report.consumed += &written.consumed;
            }
            Some(Err(WriteError::Refused { .. })) => report.existing.push(at),
            Some(Err(WriteError::Failed(error))) => {
                if error.is_fatal() {
                    halt.cancel();
                }
                report.failed.push((at, error));
            }
        }
        tell(Event::Put);
    }
    report.existing.sort_unstable();
    report.failed.sort_by_key(|(at, _)| *at);
    report
}
