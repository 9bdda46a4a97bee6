//! What is seen in the items of one read.

use std::collections::BTreeSet;

use sha2::{Digest, Sha256};

use super::{Belief, Survey, SurveyReads, Wanted};
use crate::capacity::{Consistency, ReadUnits};
use crate::client::{Fetched, Page};
use crate::fanout::{Examined, Finding, Linked, ReadStep};
use crate::item::{Item, item_size};

/// One step that is followed for a read.
#[derive(Debug, Clone, Copy)]
pub(super) struct Way<'a> {
    /// The read's position.
    pub(super) at: usize,
    pub(super) step: &'a ReadStep,
    /// Whether the step shows links, and not the items themselves.
    pub(super) is_link: bool,
}

/// What was seen in the items of one read.
#[derive(Debug)]
pub(super) struct Looked<'a> {
    pub(super) way: Way<'a>,
    pub(super) findings: Vec<Finding>,
    /// The items that have to be read themselves, because too little of them was shown.
    pub(super) unclear: Vec<Item>,
    /// The items that links lead to.
    pub(super) targets: Vec<Item>,
    /// How many items or index entries a route led to.
    pub(super) items: u64,
    pub(super) consumed: SurveyReads,
}

/// Looks at items.
#[derive(Debug, Clone, Copy)]
pub(super) struct Look<'a> {
    survey: &'a Survey<'a>,
}

impl<'a> Look<'a> {
    pub(super) fn new(survey: &'a Survey<'a>) -> Self {
        Look { survey }
    }

    /// Looks at a page of a step.
    pub(super) fn at_page(&self, way: Way<'a>, page: Page) -> Looked<'a> {
        let items = page.items.len() as u64;
        let is_believed = way.step.is_strong() || self.survey.belief == Belief::Index;
        let is_whole = is_believed && way.step.reads_whole_items(self.survey.layout);
        let consumed = SurveyReads { routes: page.consumed, ..SurveyReads::default() };
        Looked { items, consumed, ..self.at(way, page.items, is_whole) }
    }

    /// Looks at items that were read by these keys.
    pub(super) fn at_items(&self, way: Way<'a>, wanted: Wanted, keys: &[Item], fetched: Fetched) -> Looked<'a> {
        let schema = &self.survey.layout.table().key;
        let mut items = fetched.items;
        // They come in no particular order.
        items.sort_by_cached_key(|item| {
            let key = item.key(schema);
            keys.iter().position(|one| *one == key)
        });
        let count = items.len() as u64;
        let looked = self.at(way, items, true);
        let reads = looked.consumed;
        match wanted {
            Wanted::Target => Looked {
                items: count,
                consumed: SurveyReads { routes: fetched.consumed, ..SurveyReads::default() },
                ..looked
            },
            Wanted::Item => Looked { consumed: SurveyReads { items: fetched.consumed, ..reads }, ..looked },
        }
    }

    fn at(&self, way: Way<'a>, items: Vec<Item>, is_whole: bool) -> Looked<'a> {
        let Survey { layout, examiner, reads, .. } = *self.survey;
        let key = |item: &Item| item.key(&layout.table().key);
        // A batch must not ask for one key twice, and an index that lags may show an item twice.
        let (mut unclear, mut targets) = (Keys::default(), Keys::default());
        let mut findings = Vec::new();
        let mut unrelated = ReadUnits::default();
        for item in items {
            match way.is_link {
                true => match examiner.linked(&reads[way.at].step, way.step, &item, is_whole) {
                    Linked::Unrelated => unrelated += ReadUnits::for_size(item_size(&item), Consistency::Strong),
                    Linked::NeedsItem => unclear.add(key(&item)),
                    Linked::To(target) => targets.add(target),
                },
                false => match examiner.examine(reads, way.at, &item, is_whole) {
                    Examined::Unrelated => unrelated += ReadUnits::for_size(item_size(&item), Consistency::Strong),
                    Examined::NeedsItem => unclear.add(key(&item)),
                    Examined::Found(finding) => findings.push(finding),
                },
            }
        }
        let consumed = SurveyReads { unrelated, ..SurveyReads::default() };
        Looked { way, findings, unclear: unclear.keys, targets: targets.keys, items: 0, consumed }
    }
}

/// Keys in the order in which they came, each once.
#[derive(Debug, Default)]
pub(super) struct Keys {
    keys: Vec<Item>,
    known: BTreeSet<[u8; 16]>,
}

impl Keys {
    fn add(&mut self, key: Item) {
        if self.known.insert(Keys::digest(&key)) {
            self.keys.push(key);
        }
    }

    /// A key in 16 bytes: no two keys of one table have the same.
    pub(super) fn digest(key: &Item) -> [u8; 16] {
        let whole = Sha256::digest(serde_json::to_vec(key).expect("a key always serialises"));
        let mut short = [0; 16];
        short.copy_from_slice(&whole[..16]);
        short
    }
}
