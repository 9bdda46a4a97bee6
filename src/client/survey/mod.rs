//! Reads every route to the copies of one source, until there is nothing left.
//!
//! What is read travels through three queues. [`Pages`](pages::Pages) asks for the pages of several routes in turn.
//! What a page shows too little of is read in batches, which is the second queue; and what links lead to is read in
//! batches as well, which is the third. All three have requests under way at once, within one bound, and each hands
//! its answers over in the order in which it asked, so that one table makes one plan. A queue takes on nothing while
//! the next one has work waiting: what is held is a few pages and batches, however much there is to read.

mod look;
mod pages;

use std::collections::{BTreeSet, VecDeque};
use std::future::{Future, ready};
use std::pin::Pin;

use futures_util::StreamExt;
use futures_util::stream::FuturesOrdered;

use self::look::{Keys, Look, Looked, Way};
use self::pages::Pages;
use super::{Event, Store, StoreError};
use crate::capacity::ReadUnits;
use crate::fanout::{Examiner, Finding, ReadStep, RouteRead};
use crate::item::Item;
use crate::layout::Layout;
use crate::limits::MAX_BATCH_GET;

/// How many batches of one queue are under way at once, at most.
const BATCHES: usize = 4;

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

impl std::ops::AddAssign for SurveyReads {
    fn add_assign(&mut self, other: Self) {
        self.routes += other.routes;
        self.items += other.items;
        self.unrelated += other.unrelated;
    }
}

/// What is surveyed, and how.
#[derive(Debug, Clone, Copy)]
pub(super) struct Survey<'a> {
    pub(super) layout: &'a Layout,
    pub(super) examiner: &'a Examiner<'a>,
    pub(super) reads: &'a [RouteRead],
    pub(super) belief: Belief,
    /// How many requests are under way at once.
    pub(super) concurrency: usize,
}

impl Survey<'_> {
    /// Hands over everything that stands under the source, each item once.
    pub(super) async fn run<S: Store, E: From<StoreError>>(
        &self,
        store: &S,
        mut found: impl FnMut(Finding) -> Result<(), E>,
        mut tell: impl FnMut(Event),
    ) -> Result<SurveyReads, E> {
        let look = Look::new(self);
        let mut consumed = SurveyReads::default();
        let mut pages = Pages::new(store, look, ways(self.reads));
        let mut unclear = Batches::new(store, look, self.concurrency);
        let mut targets = Batches::new(store, look, self.concurrency);
        let mut led_to = LedTo::new(self);
        loop {
            // What was begun is finished before more is.
            let under_way = || pages.under_way() + unclear.under_way() + targets.under_way();
            let mut free = self.concurrency.max(1).saturating_sub(under_way());
            free -= targets.start(free);
            if targets.is_caught_up() {
                free -= unclear.start(free);
            }
            pages.start(free);
            tokio::select! {
                // All requests are asked first and each time, so that none waits for what is made of another's answer.
                biased;
                Some(looked) = targets.next() => {
                    let looked = looked?;
                    consumed += looked.consumed;
                    tell(Event::Read { items: looked.items, units: looked.consumed.routes + looked.consumed.items });
                    looked.findings.into_iter().try_for_each(&mut found)?;
                }
                Some(looked) = unclear.next() => {
                    let mut looked = looked?;
                    let keys = led_to.new_ones(looked.way, std::mem::take(&mut looked.targets));
                    let way = Way { is_link: false, ..looked.way };
                    targets.add(looked, way, Wanted::Target, keys);
                }
                answered = pages.answered(), if pages.under_way() > 0 => answered?,
                () = ready(()), if pages.has_arrived() && unclear.is_caught_up() => {
                    if let Some(mut looked) = pages.look() {
                        let (way, keys) = (looked.way, std::mem::take(&mut looked.unclear));
                        unclear.add(looked, way, Wanted::Item, keys);
                    }
                }
                else => return Ok(consumed),
            }
        }
    }
}

/// The steps that are followed, in the reads' order.
fn ways(reads: &[RouteRead]) -> VecDeque<Way<'_>> {
    let ways = reads.iter().enumerate().flat_map(|(at, read)| {
        let (steps, is_link) = match &read.step {
            ReadStep::Link { through, .. } => (through.as_slice(), true),
            step => (std::slice::from_ref(step), false),
        };
        steps.iter().map(move |step| Way { at, step, is_link })
    });
    ways.collect()
}

/// What a batch is read for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Wanted {
    /// The items of which a route showed too little.
    Item,
    /// The items that links lead to, which is a part of the route itself.
    Target,
}

type Answer<'a> = Pin<Box<dyn Future<Output = Result<Looked<'a>, StoreError>> + Send + 'a>>;

/// Reads of items by their keys, behind what was seen before they were asked for.
struct Batches<'a, S> {
    store: &'a S,
    look: Look<'a>,
    limit: usize,
    waiting: VecDeque<(Way<'a>, Wanted, Vec<Item>)>,
    answers: FuturesOrdered<Answer<'a>>,
}

impl<'a, S: Store> Batches<'a, S> {
    fn new(store: &'a S, look: Look<'a>, concurrency: usize) -> Self {
        let limit = concurrency.clamp(1, BATCHES);
        Batches { store, look, limit, waiting: VecDeque::new(), answers: FuturesOrdered::new() }
    }

    /// How many are not handed over yet.
    fn under_way(&self) -> usize {
        self.answers.len()
    }

    /// Whether all that was asked for has been begun.
    fn is_caught_up(&self) -> bool {
        self.waiting.is_empty()
    }

    /// Lines up what was seen, and then the reads of these keys.
    fn add(&mut self, seen: Looked<'a>, way: Way<'a>, wanted: Wanted, keys: Vec<Item>) {
        self.answers.push_back(Box::pin(ready(Ok(seen))));
        let mut keys = keys.into_iter().peekable();
        while keys.peek().is_some() {
            self.waiting.push_back((way, wanted, keys.by_ref().take(MAX_BATCH_GET).collect()));
        }
    }

    /// Begins as many as are free to be, and says how many.
    fn start(&mut self, free: usize) -> usize {
        let begun = free.min(self.limit.saturating_sub(self.under_way())).min(self.waiting.len());
        for (way, wanted, keys) in self.waiting.drain(..begun) {
            let (store, look) = (self.store, self.look);
            self.answers.push_back(Box::pin(async move {
                let fetched = store.fetch(&keys).await?;
                Ok(look.at_items(way, wanted, &keys, fetched))
            }));
        }
        begun
    }

    /// The next answer; `None` while none is under way.
    async fn next(&mut self) -> Option<Result<Looked<'a>, StoreError>> {
        self.answers.next().await
    }
}

/// What links led to already, where two of them may lead to one item.
struct LedTo {
    /// For each read, whether it remembers.
    remembers: Vec<bool>,
    /// In 16 bytes each.
    keys: BTreeSet<[u8; 16]>,
}

impl LedTo {
    fn new(survey: &Survey<'_>) -> Self {
        let links = survey.reads.iter().filter(|read| matches!(read.step, ReadStep::Link { .. })).count();
        let remembers = survey.reads.iter().map(|read| links > 1 || read.step.may_lead_twice(survey.layout));
        LedTo { remembers: remembers.collect(), keys: BTreeSet::new() }
    }

    fn new_ones(&mut self, way: Way<'_>, mut targets: Vec<Item>) -> Vec<Item> {
        if self.remembers[way.at] {
            targets.retain(|key| self.keys.insert(Keys::digest(key)));
        }
        targets
    }
}
