//! What makes a plan impossible to apply: the first of each kind, and how many there are.

use std::collections::BTreeSet;
use std::mem::{Discriminant, discriminant};

use crate::item::{Item, UpdateError};

/// How many sentences are kept of one kind, and of all kinds.
const MAX_OF_A_KIND: usize = 3;
const MAX_SENTENCES: usize = 20;

/// Collects what stands in a plan's way.
#[derive(Debug, Default)]
pub(super) struct Blockers {
    sentences: Vec<String>,
    /// The entity and the kind of each sentence about one item.
    kinds: Vec<(String, Discriminant<UpdateError>)>,
    /// The sentences about values, which are the same for every item.
    values: BTreeSet<String>,
    more: u64,
}

impl Blockers {
    /// The source's value is none that items of an entity may carry.
    pub(super) fn value(&mut self, entity: &str, problem: &str) {
        let sentence = format!("{entity} cannot carry the source's value: {problem}");
        if self.values.contains(&sentence) {
            return;
        }
        if self.keep(sentence.clone()) {
            self.values.insert(sentence);
        }
    }

    /// One item cannot be changed so.
    pub(super) fn item(&mut self, entity: &str, key: &Item, error: &UpdateError) {
        let kind = (entity.to_owned(), discriminant(error));
        if self.kinds.iter().filter(|one| **one == kind).count() >= MAX_OF_A_KIND {
            self.more += 1;
            return;
        }
        let key = serde_json::to_string(key).expect("a key always serialises");
        if self.keep(format!("{entity} {key}: {error}")) {
            self.kinds.push(kind);
        }
    }

    /// The sentences, and how many more there were.
    pub(super) fn into_sentences(self) -> (Vec<String>, u64) {
        (self.sentences, self.more)
    }

    fn keep(&mut self, sentence: String) -> bool {
        let has_room = self.sentences.len() < MAX_SENTENCES;
        match has_room {
            true => self.sentences.push(sentence),
            false => self.more += 1,
        }
        has_room
    }
}
