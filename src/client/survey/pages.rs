//! The pages of several steps, side by side.

use std::collections::VecDeque;
use std::future::Future;
use std::pin::Pin;

use futures_util::StreamExt;
use futures_util::stream::FuturesOrdered;

use super::look::{Look, Looked, Way};
use crate::client::{Page, Query, Store, StoreError};
use crate::fanout::ReadStep;

/// How many steps are read side by side.
const SIDE_BY_SIDE: usize = 4;

type Answer<'a> = Pin<Box<dyn Future<Output = Result<Arrived<'a>, StoreError>> + Send + 'a>>;

/// Asks for a page of each step in turn; where a step ends, the next one takes its place.
///
/// While a page is looked at the next one is under way, and no more: a step's pages do not pile up.
pub(super) struct Pages<'a, S> {
    store: &'a S,
    look: Look<'a>,
    /// What is asked for next, in this order.
    turns: VecDeque<Turn<'a>>,
    /// The steps that have not had their turn.
    waiting: VecDeque<Way<'a>>,
    answers: FuturesOrdered<Answer<'a>>,
    /// What is here and was not looked at yet.
    arrived: VecDeque<Arrived<'a>>,
}

/// One page to ask for.
struct Turn<'a> {
    way: Way<'a>,
    /// `None` for a step that is one item.
    query: Option<Query>,
}

/// A page that is here.
struct Arrived<'a> {
    way: Way<'a>,
    page: Page,
    /// What asks for the next one.
    next: Option<Query>,
}

impl<'a, S: Store> Pages<'a, S> {
    pub(super) fn new(store: &'a S, look: Look<'a>, mut waiting: VecDeque<Way<'a>>) -> Self {
        let turns = waiting.drain(..waiting.len().min(SIDE_BY_SIDE)).map(Turn::first).collect();
        Pages { store, look, turns, waiting, answers: FuturesOrdered::new(), arrived: VecDeque::new() }
    }

    /// How many are under way.
    pub(super) fn under_way(&self) -> usize {
        self.answers.len()
    }

    /// Whether a page is here to be looked at.
    pub(super) fn has_arrived(&self) -> bool {
        !self.arrived.is_empty()
    }

    /// Asks for as many pages as are free to be asked for.
    pub(super) fn start(&mut self, free: usize) {
        for _ in 0..free {
            if self.arrived.len() > 1 {
                return;
            }
            let Some(turn) = self.turns.pop_front() else { return };
            let store = self.store;
            self.answers.push_back(Box::pin(turn.take(store)));
        }
    }

    /// Waits for the next page, and keeps it until it is looked at.
    pub(super) async fn answered(&mut self) -> Result<(), StoreError> {
        let Some(answer) = self.answers.next().await else { return Ok(()) };
        let mut arrived = answer?;
        let turn = match arrived.next.take() {
            Some(query) => Some(Turn { way: arrived.way, query: Some(query) }),
            None => self.waiting.pop_front().map(Turn::first),
        };
        self.turns.extend(turn);
        self.arrived.push_back(arrived);
        Ok(())
    }

    /// Looks at the oldest page that is here.
    pub(super) fn look(&mut self) -> Option<Looked<'a>> {
        let Arrived { way, page, .. } = self.arrived.pop_front()?;
        Some(self.look.at_page(way, page))
    }
}

impl<'a> Turn<'a> {
    fn first(way: Way<'a>) -> Self {
        let query = match way.step {
            ReadStep::Partition { index, key } => Some(Query::partition(index.clone(), key.clone())),
            ReadStep::Scan => Some(Query::scan()),
            // A link's own way never leads through another link.
            ReadStep::Item(_) | ReadStep::Link { .. } => None,
        };
        Turn { way, query }
    }

    async fn take<S: Store>(self, store: &S) -> Result<Arrived<'a>, StoreError> {
        let way = self.way;
        match (self.query, way.step) {
            (Some(query), _) => {
                let mut page = store.query(&query).await?;
                let next = page.next.take().map(|start| query.from(Some(start)));
                Ok(Arrived { way, page, next })
            }
            (None, ReadStep::Item(key)) => {
                let fetched = store.fetch(std::slice::from_ref(key)).await?;
                let page = Page { items: fetched.items, consumed: fetched.consumed, next: None };
                Ok(Arrived { way, page, next: None })
            }
            (None, _) => Ok(Arrived { way, page: Page::default(), next: None }),
        }
    }
}
