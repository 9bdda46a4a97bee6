//! Reads every route to the copies of one source, page by page, until there is nothing left.
//!
//! While a page is looked at, the next one is already asked for, and the items that the page shows too little of are
//! read by several batches at once. Nothing is kept from one page to the next, but for what links lead to, where two
//! of them may lead to one item.

use std::collections::BTreeSet;

use futures_util::future::try_join;
use futures_util::{StreamExt, stream};
use sha2::{Digest, Sha256};

use super::{Event, Fetched, Query, Store, StoreError};
use crate::capacity::ReadUnits;
use crate::fanout::{Examined, Examiner, Finding, Linked, ReadStep, RouteRead};
use crate::item::{Item, item_size};
use crate::layout::Layout;
use crate::limits::MAX_BATCH_GET;

/// How many batches of items are read at once, beside the next page.
const BATCHES: usize = 8;

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

/// What an item asks for.
enum Wanted {
    /// It has been dealt with.
    Nothing,
    /// It has nothing to do with the source, or is handed over on another route.
    Unrelated,
    /// What was read shows too little: this item has to be read.
    Item(Item),
    /// It is a link: the item that it leads to has to be read.
    Target(Item),
}

/// Hands over everything that stands under the source, each item once.
pub(super) async fn survey<S: Store, E: From<StoreError>>(
    store: &S,
    layout: &Layout,
    examiner: &Examiner<'_>,
    reads: &[RouteRead],
    belief: Belief,
    found: impl FnMut(Finding) -> Result<(), E>,
    tell: impl FnMut(Event),
) -> Result<SurveyReads, E> {
    let links = reads.iter().filter(|read| matches!(read.step, ReadStep::Link { .. })).count();
    let mut survey = Survey {
        store,
        layout,
        examiner,
        reads,
        belief,
        found,
        tell,
        consumed: SurveyReads::default(),
        led_to: BTreeSet::new(),
    };
    for (at, read) in reads.iter().enumerate() {
        match &read.step {
            ReadStep::Link { through, .. } => {
                let remembers = links > 1 || read.step.may_lead_twice(layout);
                for step in through {
                    survey.follow(Way { at, step, is_link: true, remembers }).await?;
                }
            }
            step => survey.follow(Way { at, step, is_link: false, remembers: false }).await?,
        }
    }
    Ok(survey.consumed)
}

/// One step that is followed for a read.
#[derive(Clone, Copy)]
struct Way<'a> {
    /// The read's position.
    at: usize,
    step: &'a ReadStep,
    /// Whether the step shows links, and not the items themselves.
    is_link: bool,
    /// Whether what the links lead to is remembered.
    remembers: bool,
}

struct Survey<'a, S, F, T> {
    store: &'a S,
    layout: &'a Layout,
    examiner: &'a Examiner<'a>,
    reads: &'a [RouteRead],
    belief: Belief,
    found: F,
    tell: T,
    consumed: SurveyReads,
    /// The keys of the items that links led to, in 16 bytes each.
    led_to: BTreeSet<[u8; 16]>,
}

impl<S: Store, F, T: FnMut(Event)> Survey<'_, S, F, T> {
    /// Reads all that one step leads to.
    async fn follow<E: From<StoreError>>(&mut self, way: Way<'_>) -> Result<(), E>
    where
        F: FnMut(Finding) -> Result<(), E>,
    {
        let query = match way.step {
            ReadStep::Item(key) => return self.fetch_route(way, std::slice::from_ref(key)).await,
            // A link's own way never leads through another link.
            ReadStep::Link { .. } => return Ok(()),
            ReadStep::Scan => Query::scan(),
            ReadStep::Partition { index, key } => Query::partition(index.clone(), key.clone()),
        };
        let is_whole =
            way.step.reads_whole_items(self.layout) && (way.step.is_strong() || self.belief == Belief::Index);
        let store = self.store;
        let mut next = Some(store.query(&query).await?);
        while let Some(page) = next {
            self.consumed.routes += page.consumed;
            let ahead = page.next.map(|start| query.clone().from(Some(start)));
            // The request goes out when this is first asked, which is before the page is looked at.
            let ahead = async {
                match &ahead {
                    Some(query) => Ok(Some(store.query(query).await?)),
                    None => Ok::<_, E>(None),
                }
            };
            (next, ()) = try_join(ahead, self.look_at(way, page.items, is_whole, page.consumed)).await?;
        }
        Ok(())
    }

    /// Looks at the items of one page. Where one shows too little, the item itself is read.
    async fn look_at<E: From<StoreError>>(
        &mut self,
        way: Way<'_>,
        items: Vec<Item>,
        is_whole: bool,
        units: ReadUnits,
    ) -> Result<(), E>
    where
        F: FnMut(Finding) -> Result<(), E>,
    {
        (self.tell)(Event::Read { items: items.len() as u64, units });
        // A batch must not ask for one key twice, and an index that lags may show an item twice.
        let mut unclear = Keys::default();
        let mut targets = Keys::default();
        for item in items {
            match self.take(way, &item, is_whole)? {
                Wanted::Nothing | Wanted::Unrelated => {}
                Wanted::Item(key) => unclear.add(key),
                Wanted::Target(key) => targets.add(key),
            }
        }
        let mut batches = batches(self.store, &unclear.keys);
        while let Some(fetched) = batches.next().await {
            let fetched = fetched?;
            self.consumed.items += fetched.consumed;
            (self.tell)(Event::Read { items: 0, units: fetched.consumed });
            for item in &fetched.items {
                match self.take(way, item, true)? {
                    Wanted::Unrelated => self.consumed.unrelated += ReadUnits::strong(item_size(item)),
                    Wanted::Target(key) => targets.add(key),
                    Wanted::Nothing | Wanted::Item(_) => {}
                }
            }
        }
        self.fetch_route(Way { is_link: false, ..way }, &targets.keys).await
    }

    /// Reads items to which a route leads by their keys.
    async fn fetch_route<E: From<StoreError>>(&mut self, way: Way<'_>, keys: &[Item]) -> Result<(), E>
    where
        F: FnMut(Finding) -> Result<(), E>,
    {
        let mut batches = batches(self.store, keys);
        while let Some(fetched) = batches.next().await {
            let fetched = fetched?;
            self.consumed.routes += fetched.consumed;
            (self.tell)(Event::Read { items: fetched.items.len() as u64, units: fetched.consumed });
            for item in &fetched.items {
                self.take(way, item, true)?;
            }
        }
        Ok(())
    }

    fn take<E>(&mut self, way: Way<'_>, item: &Item, is_whole: bool) -> Result<Wanted, E>
    where
        F: FnMut(Finding) -> Result<(), E>,
    {
        let key = || item.key(&self.layout.table().key);
        if way.is_link {
            return Ok(match self.examiner.linked(&self.reads[way.at].step, way.step, item, is_whole) {
                Linked::Unrelated => Wanted::Unrelated,
                Linked::NeedsItem => Wanted::Item(key()),
                Linked::To(target) if way.remembers && !self.led_to.insert(digest(&target)) => Wanted::Nothing,
                Linked::To(target) => Wanted::Target(target),
            });
        }
        Ok(match self.examiner.examine(self.reads, way.at, item, is_whole) {
            Examined::Unrelated => Wanted::Unrelated,
            Examined::NeedsItem => Wanted::Item(key()),
            Examined::Found(finding) => {
                (self.found)(finding)?;
                Wanted::Nothing
            }
        })
    }
}

/// Keys in the order in which they came, each once.
#[derive(Default)]
struct Keys {
    keys: Vec<Item>,
    known: BTreeSet<[u8; 16]>,
}

impl Keys {
    fn add(&mut self, key: Item) {
        if self.known.insert(digest(&key)) {
            self.keys.push(key);
        }
    }
}

/// Reads items by their keys, several batches at once and in order, so that one table makes one plan.
fn batches<'a, S: Store>(
    store: &'a S,
    keys: &'a [Item],
) -> impl stream::Stream<Item = Result<Fetched, StoreError>> + Unpin + 'a {
    Box::pin(stream::iter(keys.chunks(MAX_BATCH_GET)).map(|keys| store.fetch(keys)).buffered(BATCHES))
}

/// A key in 16 bytes: no two keys of one table have the same.
fn digest(key: &Item) -> [u8; 16] {
    let whole = Sha256::digest(serde_json::to_vec(key).expect("a key always serialises"));
    let mut short = [0; 16];
    short.copy_from_slice(&whole[..16]);
    short
}
