//! Which changes of a plan: one bit for each, so that a million take 125 KB.

/// Positions in a plan.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Positions {
    words: Vec<u64>,
}

impl Positions {
    /// Whether this one is among them.
    pub(super) fn contains(&self, position: u64) -> bool {
        let (word, bit) = place(position);
        self.words.get(word).is_some_and(|word| word & bit != 0)
    }

    /// Takes one in, and tells whether it is new.
    pub(super) fn insert(&mut self, position: u64) -> bool {
        let (word, bit) = place(position);
        if word >= self.words.len() {
            self.words.resize(word + 1, 0);
        }
        let is_new = self.words[word] & bit == 0;
        self.words[word] |= bit;
        is_new
    }

    /// Takes one out, and tells whether it was there.
    pub(super) fn remove(&mut self, position: u64) -> bool {
        let was_there = self.contains(position);
        if was_there {
            let (word, bit) = place(position);
            self.words[word] &= !bit;
        }
        was_there
    }
}

fn place(position: u64) -> (usize, u64) {
    ((position / 64) as usize, 1 << (position % 64))
}
