//! Reads every route to the copies of one source, page by page, until there is nothing left.

use std::collections::BTreeSet;

use super::{Event, Query, Store, StoreError};
use crate::capacity::ReadUnits;
use crate::fanout::{Examined, Examiner, Finding, RouteRead};
use crate::item::Item;
use crate::layout::{Layout, Route};

/// Whether what an index shows is believed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Belief {
    /// A whole index entry is good enough: a guard will catch what it got wrong.
    Index,
    /// A difference counts only after a strong read.
    StrongReadOnly,
}

/// What a survey's reading took.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct SurveyReads {
    /// The routes' own partitions.
    pub(super) routes: ReadUnits,
    /// The items that had to be read because an index showed too little.
    pub(super) items: ReadUnits,
}

/// Hands over everything that stands under the source, each item once.
pub(super) async fn survey<S: Store>(
    store: &S,
    layout: &Layout,
    examiner: &Examiner<'_>,
    reads: &[RouteRead],
    belief: Belief,
    mut found: impl FnMut(Finding),
    mut tell: impl FnMut(Event),
) -> Result<SurveyReads, StoreError> {
    let mut consumed = SurveyReads::default();
    let mut seen = BTreeSet::new();
    // An item can stand under a source on several routes; it is handed over the first time.
    let mut take = |read: &RouteRead, item: &Item, is_whole: bool| {
        let key = item.key(&layout.table().key);
        let name = serde_json::to_string(&key).expect("a key always serialises");
        if seen.contains(&name) {
            return None;
        }
        match examiner.examine(read, item, is_whole) {
            Examined::Unrelated => None,
            Examined::NeedsItem => Some(key),
            Examined::Found(finding) => {
                seen.insert(name);
                found(finding);
                None
            }
        }
    };
    for read in reads {
        if read.route == Route::Get {
            let fetched = store.fetch(std::slice::from_ref(&read.key)).await?;
            consumed.routes += fetched.consumed;
            tell(Event::Read { items: fetched.items.len() as u64 });
            fetched.items.iter().for_each(|item| drop(take(read, item, true)));
            continue;
        }
        let is_strong = read.route == Route::Table;
        let is_whole = read.reads_whole_items(layout) && (is_strong || belief == Belief::Index);
        let index = read.route.index().map(str::to_owned);
        let mut query = Query { index, partition: read.key.clone(), start: None };
        loop {
            let page = store.query(&query).await?;
            consumed.routes += page.consumed;
            tell(Event::Read { items: page.items.len() as u64 });
            let mut unclear: Vec<Item> = Vec::new();
            for key in page.items.iter().filter_map(|item| take(read, item, is_whole)) {
                // A batch must not ask for one key twice, and an index that lags may show an item twice.
                if !unclear.contains(&key) {
                    unclear.push(key);
                }
            }
            if !unclear.is_empty() {
                let fetched = store.fetch(&unclear).await?;
                consumed.items += fetched.consumed;
                fetched.items.iter().for_each(|item| drop(take(read, item, true)));
            }
            match page.next {
                Some(next) => query.start = Some(next),
                None => break,
            }
        }
    }
    Ok(consumed)
}
