//! Reads every route to the copies of one source, page by page, until there is nothing left.

use std::collections::BTreeSet;

use super::{Event, Query, Store, StoreError};
use crate::capacity::ReadUnits;
use crate::fanout::{Examined, Examiner, Finding, Linked, ReadStep, RouteRead};
use crate::item::{Item, item_size};
use crate::layout::Layout;

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
    /// The part of those that turned out to have nothing to do with the source: every look reads them again.
    pub(super) unrelated: ReadUnits,
}

/// What a page's item asks for.
enum Wanted {
    /// It has been dealt with.
    Nothing,
    /// It has nothing to do with the source.
    Unrelated,
    /// What was read shows too little: this item has to be read.
    Item(Item),
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
            return Wanted::Nothing;
        }
        match examiner.examine(read, item, is_whole) {
            Examined::Unrelated => Wanted::Unrelated,
            Examined::NeedsItem => Wanted::Item(key),
            Examined::Found(finding) => {
                seen.insert(name);
                found(finding);
                Wanted::Nothing
            }
        }
    };
    for read in reads {
        match &read.step {
            ReadStep::Link { through, .. } => {
                let mut keys: Vec<Item> = Vec::new();
                for step in through {
                    let link = |item: &Item, is_whole: bool| match examiner.linked(&read.step, step, item, is_whole) {
                        Linked::Unrelated => Wanted::Unrelated,
                        Linked::NeedsItem => Wanted::Item(item.key(&layout.table().key)),
                        Linked::To(key) => {
                            if !keys.contains(&key) {
                                keys.push(key);
                            }
                            Wanted::Nothing
                        }
                    };
                    follow(store, layout, step, belief, link, &mut consumed, &mut tell).await?;
                }
                fetch(store, &keys, |item, is_whole| take(read, item, is_whole), &mut consumed, &mut tell).await?;
            }
            step => {
                let take = |item: &Item, is_whole: bool| take(read, item, is_whole);
                follow(store, layout, step, belief, take, &mut consumed, &mut tell).await?;
            }
        }
    }
    Ok(consumed)
}

/// Reads all that one step leads to. Where an entry shows too little, the item itself is read.
async fn follow<S: Store>(
    store: &S,
    layout: &Layout,
    step: &ReadStep,
    belief: Belief,
    mut take: impl FnMut(&Item, bool) -> Wanted,
    consumed: &mut SurveyReads,
    tell: &mut impl FnMut(Event),
) -> Result<(), StoreError> {
    let mut query = match step {
        ReadStep::Item(key) => return fetch(store, std::slice::from_ref(key), take, consumed, tell).await,
        // A link's own way never leads through another link.
        ReadStep::Link { .. } => return Ok(()),
        ReadStep::Scan => Query::scan(),
        ReadStep::Partition { index, key } => Query::partition(index.clone(), key.clone()),
    };
    let is_whole = step.reads_whole_items(layout) && (step.is_strong() || belief == Belief::Index);
    loop {
        let page = store.query(&query).await?;
        consumed.routes += page.consumed;
        tell(Event::Read { items: page.items.len() as u64 });
        let mut unclear: Vec<Item> = Vec::new();
        for item in &page.items {
            // A batch must not ask for one key twice, and an index that lags may show an item twice.
            if let Wanted::Item(key) = take(item, is_whole)
                && !unclear.contains(&key)
            {
                unclear.push(key);
            }
        }
        if !unclear.is_empty() {
            let fetched = store.fetch(&unclear).await?;
            consumed.items += fetched.consumed;
            for item in &fetched.items {
                if let Wanted::Unrelated = take(item, true) {
                    consumed.unrelated += ReadUnits::strong(item_size(item));
                }
            }
        }
        match page.next {
            Some(next) => query.start = Some(next),
            None => return Ok(()),
        }
    }
}

/// Reads items by their keys.
async fn fetch<S: Store>(
    store: &S,
    keys: &[Item],
    mut take: impl FnMut(&Item, bool) -> Wanted,
    consumed: &mut SurveyReads,
    tell: &mut impl FnMut(Event),
) -> Result<(), StoreError> {
    if keys.is_empty() {
        return Ok(());
    }
    let fetched = store.fetch(keys).await?;
    consumed.routes += fetched.consumed;
    tell(Event::Read { items: fetched.items.len() as u64 });
    fetched.items.iter().for_each(|item| drop(take(item, true)));
    Ok(())
}
