//! Tells whether one of several words occurs in a text, character by character.

/// Follows a text: the states are the beginnings of the words.
pub(super) struct Matcher {
    /// The beginnings, the empty one first.
    beginnings: Vec<Vec<char>>,
    words: Vec<Vec<char>>,
}

impl Matcher {
    pub(super) fn of(words: &[&str]) -> Self {
        let words: Vec<Vec<char>> =
            words.iter().filter(|word| !word.is_empty()).map(|word| word.chars().collect()).collect();
        let mut beginnings: Vec<Vec<char>> = vec![Vec::new()];
        for word in &words {
            for end in 1..=word.len() {
                if !beginnings.contains(&word[..end].to_vec()) {
                    beginnings.push(word[..end].to_vec());
                }
            }
        }
        Matcher { beginnings, words }
    }

    pub(super) fn states(&self) -> usize {
        self.beginnings.len()
    }

    pub(super) fn alphabet(&self) -> Vec<char> {
        let mut alphabet: Vec<char> = self.words.iter().flatten().copied().collect();
        alphabet.sort_unstable();
        alphabet.dedup();
        alphabet
    }

    pub(super) fn is_allowed(&self, state: usize) -> bool {
        !self.words.iter().any(|word| self.beginnings[state].ends_with(word))
    }

    pub(super) fn step(&self, state: usize, one: char) -> usize {
        let mut text = self.beginnings[state].clone();
        text.push(one);
        // The longest end of what was read that begins a word; the empty one always does.
        (0..=text.len())
            .find_map(|from| self.beginnings.iter().position(|beginning| *beginning == text[from..]))
            .unwrap_or(0)
    }
}
