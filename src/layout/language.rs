//! Which texts a key can be: enough to tell whether two templates can make the same one.
//!
//! A key's texts are described by a nondeterministic automaton over characters. Where exactness would cost much it
//! describes a few texts too many; whoever uses it tries the text that it finds on the real templates.

use std::collections::{BTreeMap, VecDeque};

use super::matcher::Matcher;
use crate::key::{Filter, KeyTemplate, Placeholder, Segment};
use crate::model::{
    AttributePath, AttributeType, Entity, Fill, KeyAttribute, KeySource, Precision, StringRules, check_value,
};
use crate::value::AttributeValue;

/// Stands between two keys. It is no character of any text here.
const BETWEEN: char = '\u{10FFFF}';
/// A text longer than this counts as one of any length.
const LONGEST_COUNTED: usize = 1024;
/// An automaton of more nodes than this is drawn coarser: without lengths, and without words to be avoided.
const MOST_NODES: usize = 4096;
/// How many pairs of nodes are looked at before two languages count as having no text in common.
const MOST_PAIRS: usize = 200_000;

/// Texts that one or several keys can be.
#[derive(Debug, Clone)]
pub(super) struct Language {
    nodes: Vec<Node>,
    /// The nodes at which a text may end.
    ends: Vec<usize>,
}

#[derive(Debug, Clone, Default)]
struct Node {
    edges: Vec<(Characters, usize)>,
    /// Where one can go without a character.
    free: Vec<usize>,
}

/// A set of characters.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Characters {
    One(char),
    Among(&'static str),
    /// Any but these.
    Except(Vec<char>),
    /// Those that are as they are in lower case, but for these.
    Lower(Vec<char>),
    /// Those that are as they are in upper case, but for these.
    Upper(Vec<char>),
}

impl Characters {
    fn contains(&self, one: char) -> bool {
        if one == BETWEEN {
            return *self == Characters::One(BETWEEN);
        }
        let is = |mut changed: Box<dyn Iterator<Item = char>>| changed.next() == Some(one) && changed.next().is_none();
        match self {
            Characters::One(only) => *only == one,
            Characters::Among(few) => few.contains(one),
            Characters::Except(without) => !without.contains(&one),
            Characters::Lower(without) => !without.contains(&one) && is(Box::new(one.to_lowercase())),
            Characters::Upper(without) => !without.contains(&one) && is(Box::new(one.to_uppercase())),
        }
    }

    /// A character that both have.
    fn common(&self, other: &Self) -> Option<char> {
        match (self, other) {
            (Characters::One(one), set) | (set, Characters::One(one)) => set.contains(*one).then_some(*one),
            (Characters::Among(few), set) | (set, Characters::Among(few)) => few.chars().find(|one| set.contains(*one)),
            // Each lacks a few only, or is a case: some character that is printed is in both.
            _ => {
                let usual = "xyzabcXYZ".chars().chain('!'..='~').chain('\u{a1}'..='\u{2fff}');
                usual.into_iter().find(|one| self.contains(*one) && other.contains(*one))
            }
        }
    }

    /// What its characters may become in lower or upper case, or a little more.
    fn in_case(&self, case: &Filter) -> Self {
        let any = |case: &Filter| match case {
            Filter::Lower => Characters::Lower(Vec::new()),
            _ => Characters::Upper(Vec::new()),
        };
        match self {
            Characters::One(BETWEEN) => self.clone(),
            Characters::One(one) => {
                let text = case.apply(Some(one.to_string())).unwrap_or_default();
                let mut changed = text.chars();
                match (changed.next(), changed.next()) {
                    (Some(only), None) => Characters::One(only),
                    // A letter that becomes several: any, any number of times, is drawn by the caller.
                    _ => any(case),
                }
            }
            Characters::Among(few) if few.chars().all(|one| !one.is_alphabetic()) => self.clone(),
            _ => any(case),
        }
    }
}

impl Language {
    /// The texts of several keys of an entity, one behind the other.
    pub(super) fn of_keys<'k>(entity: &Entity, keys: impl Iterator<Item = &'k KeyAttribute>) -> Self {
        let mut language = Language::empty_text();
        for (at, key) in keys.enumerate() {
            if at > 0 {
                language.then(&Language::text(&BETWEEN.to_string()));
            }
            language.then(&Language::of_key(entity, key));
        }
        language
    }

    fn of_key(entity: &Entity, key: &KeyAttribute) -> Self {
        match entity.keys.get(&key.name) {
            Some(KeySource::Made(choices)) => {
                Language::either(choices.iter().map(|choice| Language::of_template(entity, &choice.template)))
            }
            Some(KeySource::Attribute { .. }) => {
                let path = AttributePath::top_level(&key.name);
                entity.declared_at(&path).map_or_else(Language::any, |found| Language::of_type(found.kind, None))
            }
            None => Language::either(std::iter::empty()),
        }
    }

    fn of_template(entity: &Entity, template: &KeyTemplate) -> Self {
        let mut language = Language::empty_text();
        for (at, segment) in template.segments().iter().enumerate() {
            match segment {
                Segment::Literal(text) => language.then(&Language::text(text)),
                Segment::Placeholder(placeholder) => {
                    // A value is refused in which the literal that follows begins; the last may hold anything.
                    let rest = &template.segments()[at + 1..];
                    let is_last = !rest.iter().any(|segment| matches!(segment, Segment::Placeholder(_)));
                    let follows = match rest.first() {
                        Some(Segment::Literal(text)) if !is_last && placeholder.must_read_back => Some(text.as_str()),
                        _ => None,
                    };
                    language.then(&Language::of_placeholder(entity, placeholder, follows));
                }
            }
        }
        language
    }

    fn of_placeholder(entity: &Entity, placeholder: &Placeholder, follows: Option<&str>) -> Self {
        let Some(found) = entity.declared_at(&placeholder.path) else { return Language::any() };
        let words = constant_of(entity, &placeholder.path).map(|text| vec![text]).or_else(|| words_of(found.kind));
        let values = match (words, placeholder.pad) {
            (Some(words), Some(width)) => {
                Language::words(&words.iter().map(|word| format!("{word:0>width$}")).collect::<Vec<_>>())
            }
            (Some(words), None) => Language::words(&words),
            (None, Some(width)) => Language::shape(&vec![&["0123456789"][..]; width]),
            // What follows is told apart from the value as it stands in the key.
            (None, None) => Language::of_type(found.kind, follows.filter(|_| placeholder.filters.is_empty())),
        };
        placeholder.filters.iter().fold(values, |values, filter| match filter {
            Filter::Lower | Filter::Upper => values.in_case(filter),
            Filter::Take(count) => values.taken(*count),
            Filter::Shard(count) => Language::words(&(0..*count).map(|shard| shard.to_string()).collect::<Vec<_>>()),
            Filter::Or(text) => Language::either([values, Language::text(text)].into_iter()),
        })
    }

    /// Its texts in lower or upper case, or a few more.
    fn in_case(self, case: &Filter) -> Self {
        let mut language = self;
        for at in 0..language.nodes.len() {
            let grows = |set: &Characters| match set {
                Characters::One(one) => case.apply(Some(one.to_string())).is_some_and(|text| text.chars().count() != 1),
                Characters::Among(_) => false,
                Characters::Except(_) | Characters::Lower(_) | Characters::Upper(_) => true,
            };
            // A letter may become several.
            let growing: Vec<(Characters, usize)> = language.nodes[at]
                .edges
                .iter()
                .filter(|(set, _)| grows(set))
                .map(|(set, to)| (set.in_case(case), *to))
                .collect();
            for (set, _) in &mut language.nodes[at].edges {
                *set = set.in_case(case);
            }
            for (set, to) in growing {
                let between = language.nodes.len();
                language.nodes.push(Node { edges: vec![(set.clone(), to), (set.clone(), between)], free: Vec::new() });
                language.nodes[at].edges.push((set, between));
            }
        }
        language
    }

    /// The first so many characters of its texts.
    fn taken(self, count: usize) -> Self {
        let mut language = Language { nodes: vec![Node::default()], ends: Vec::new() };
        // Each node that is reached after so many characters is one of its own.
        let mut known: BTreeMap<(usize, usize), usize> = BTreeMap::from([((0, 0), 0)]);
        let mut waiting = vec![(0, 0)];
        while let Some((at, taken)) = waiting.pop() {
            if language.nodes.len() > MOST_NODES {
                return Language::any();
            }
            let here = known[&(at, taken)];
            if taken == count || self.ends.contains(&at) {
                language.ends.push(here);
            }
            let edges =
                self.nodes[at].edges.iter().filter(|_| taken < count).map(|(set, to)| (Some(set), (*to, taken + 1)));
            let free = self.nodes[at].free.iter().map(|to| (None, (*to, taken)));
            for (set, to) in edges.chain(free) {
                let next = *known.entry(to).or_insert_with(|| {
                    waiting.push(to);
                    language.nodes.push(Node::default());
                    language.nodes.len() - 1
                });
                match set {
                    Some(set) => language.nodes[here].edges.push((set.clone(), next)),
                    None => language.nodes[here].free.push(next),
                }
            }
        }
        language
    }

    fn of_type(kind: &AttributeType, follows: Option<&str>) -> Self {
        if let Some(words) = words_of(kind) {
            return Language::words(&words);
        }
        match kind {
            AttributeType::String(rules) => Language::of_string(rules, follows),
            AttributeType::Number { .. } | AttributeType::Epoch => Language::decimal(),
            AttributeType::Timestamp { precision } => Language::timestamp(*precision),
            _ => Language::any(),
        }
    }

    fn of_string(rules: &StringRules, follows: Option<&str>) -> Self {
        let avoided: Vec<&str> = rules.excludes.iter().map(String::as_str).chain(follows).collect();
        let length =
            rules.length.and_then(|length| usize::try_from(length).ok()).filter(|length| *length <= LONGEST_COUNTED);
        if rules.starts_with.is_empty() {
            return Language::avoiding(&avoided, length.unwrap_or(1), length);
        }
        // What comes after the start is told apart from it; words to be avoided that lie across are let pass.
        Language::either(rules.starts_with.iter().map(|start| {
            let left = length.map(|length| length.saturating_sub(start.chars().count()));
            let mut language = Language::text(start);
            language.then(&Language::avoiding(&avoided, left.unwrap_or(0), left));
            language
        }))
    }

    fn empty_text() -> Self {
        Language { nodes: vec![Node::default()], ends: vec![0] }
    }

    fn any() -> Self {
        Language::avoiding(&[], 1, None)
    }

    fn text(text: &str) -> Self {
        let mut language = Language::empty_text();
        text.chars().for_each(|one| language.then_one_of(Characters::One(one)));
        language
    }

    /// One of so many texts, which share what they begin with.
    fn words(words: &[String]) -> Self {
        let mut language = Language { nodes: vec![Node::default()], ends: Vec::new() };
        for word in words {
            let mut here = 0;
            for one in word.chars() {
                let known = language.nodes[here].edges.iter().find(|(set, _)| *set == Characters::One(one));
                here = match known {
                    Some((_, to)) => *to,
                    None => {
                        let to = language.nodes.len();
                        language.nodes.push(Node::default());
                        language.nodes[here].edges.push((Characters::One(one), to));
                        to
                    }
                };
            }
            if !language.ends.contains(&here) {
                language.ends.push(here);
            }
        }
        language
    }

    /// Texts that begin so.
    pub(super) fn beginning_with(text: &str) -> Self {
        let mut language = Language::text(text);
        language.then(&Language::avoiding(&[], 0, None));
        language
    }

    fn then_one_of(&mut self, characters: Characters) {
        let to = self.nodes.len();
        self.nodes.push(Node::default());
        for end in std::mem::replace(&mut self.ends, vec![to]) {
            self.nodes[end].edges.push((characters.clone(), to));
        }
    }

    /// Each place takes one of a few characters.
    fn shape(places: &[&[&'static str]]) -> Self {
        let mut language = Language::empty_text();
        places.iter().flat_map(|place| place.iter()).for_each(|set| language.then_one_of(Characters::Among(set)));
        language
    }

    /// A canonical decimal, or a little more: `-12.5`.
    fn decimal() -> Self {
        let node = |edges, free| Node { edges, free };
        let digits = || Characters::Among("0123456789");
        Language {
            nodes: vec![
                node(
                    vec![(Characters::One('-'), 1), (Characters::Among("123456789"), 2), (Characters::One('0'), 3)],
                    vec![],
                ),
                node(vec![(Characters::Among("123456789"), 2), (Characters::One('0'), 3)], vec![]),
                node(vec![(digits(), 2), (Characters::One('.'), 4)], vec![]),
                node(vec![(Characters::One('.'), 4)], vec![]),
                node(vec![(digits(), 4), (Characters::Among("123456789"), 5)], vec![]),
                node(vec![], vec![]),
            ],
            ends: vec![2, 3, 5],
        }
    }

    fn timestamp(precision: Precision) -> Self {
        const DIGIT: &[&str] = &["0123456789"];
        const UP_TO_59: [&[&str]; 2] = [&["012345"], DIGIT];
        // Days that every year has: one more, once in four years, is not worth its rules.
        let days: Vec<String> = (1..=12)
            .flat_map(|month| {
                let last = match month {
                    2 => 28,
                    4 | 6 | 9 | 11 => 30,
                    _ => 31,
                };
                (1..=last).map(move |day| format!("{month:02}-{day:02}"))
            })
            .collect();
        let hours: Vec<String> = (0..24).map(|hour| format!("{hour:02}")).collect();
        let mut language = Language::shape(&[DIGIT, DIGIT, DIGIT, DIGIT, &["-"]]);
        language.then(&Language::words(&days));
        language.then(&Language::text("T"));
        language.then(&Language::words(&hours));
        let mut places: Vec<&[&'static str]> = Vec::new();
        for _ in 0..2 {
            places.push(&[":"]);
            places.extend(UP_TO_59);
        }
        if precision == Precision::Milliseconds {
            places.extend([&["."][..], DIGIT, DIGIT, DIGIT]);
        }
        places.push(&["Z"]);
        language.then(&Language::shape(&places));
        language
    }

    /// Texts of so many characters in which none of the words occurs.
    fn avoiding(words: &[&str], shortest: usize, longest: Option<usize>) -> Self {
        let matcher = Matcher::of(words);
        // A layer for each character that is counted; the last goes round in itself where there is no longest.
        let layers = longest.unwrap_or(shortest) + 1;
        let states = matcher.states();
        if layers.saturating_mul(states) > MOST_NODES && !words.is_empty() {
            return Language::avoiding(&[], shortest, longest);
        }
        let alphabet = matcher.alphabet();
        let others = Characters::Except(alphabet.clone());
        let node = |layer: usize, state: usize| layer * states + state;
        let mut language = Language { nodes: vec![Node::default(); layers * states], ends: Vec::new() };
        let steps: Vec<Vec<(char, usize)>> = (0..states)
            .map(|state| {
                let to = alphabet.iter().map(|one| (*one, matcher.step(state, *one)));
                to.filter(|(_, to)| matcher.is_allowed(*to)).collect()
            })
            .collect();
        for layer in 0..layers {
            let next = match longest {
                Some(longest) if layer == longest => None,
                Some(_) => Some(layer + 1),
                None => Some((layer + 1).min(layers - 1)),
            };
            for (state, steps) in steps.iter().enumerate().filter(|(state, _)| matcher.is_allowed(*state)) {
                if layer >= shortest {
                    language.ends.push(node(layer, state));
                }
                let Some(next) = next else { continue };
                let edges = &mut language.nodes[node(layer, state)].edges;
                edges.extend(steps.iter().map(|(one, to)| (Characters::One(*one), node(next, *to))));
                edges.push((others.clone(), node(next, 0)));
            }
        }
        language
    }

    /// Texts of this, each followed by one of another.
    fn then(&mut self, next: &Language) {
        let offset = self.append(next);
        for end in std::mem::take(&mut self.ends) {
            self.nodes[end].free.push(offset);
        }
        self.ends = next.ends.iter().map(|end| end + offset).collect();
    }

    fn either(languages: impl Iterator<Item = Language>) -> Self {
        let mut union = Language { nodes: vec![Node::default()], ends: Vec::new() };
        for language in languages {
            let offset = union.append(&language);
            union.nodes[0].free.push(offset);
            union.ends.extend(language.ends.iter().map(|end| end + offset));
        }
        union
    }

    fn append(&mut self, other: &Language) -> usize {
        let offset = self.nodes.len();
        self.nodes.extend(other.nodes.iter().map(|node| Node {
            edges: node.edges.iter().map(|(set, to)| (set.clone(), to + offset)).collect(),
            free: node.free.iter().map(|to| to + offset).collect(),
        }));
        offset
    }

    /// The shortest text that both have, as the texts of the keys that it is made of.
    pub(super) fn common_text(&self, other: &Language) -> Option<Vec<String>> {
        type Pair = (usize, usize);
        let is_end = |language: &Language| {
            let mut is_end = vec![false; language.nodes.len()];
            language.ends.iter().for_each(|end| is_end[*end] = true);
            is_end
        };
        let (ends_here, ends_there) = (is_end(self), is_end(other));
        let mut came_from: BTreeMap<Pair, Option<(Pair, Option<char>)>> = BTreeMap::from([((0, 0), None)]);
        let mut waiting: VecDeque<Pair> = VecDeque::from([(0, 0)]);
        while let Some((a, b)) = waiting.pop_front() {
            if came_from.len() > MOST_PAIRS {
                return None;
            }
            if ends_here[a] && ends_there[b] {
                let mut text: Vec<char> = Vec::new();
                let mut here = (a, b);
                while let Some(Some((before, one))) = came_from.get(&here) {
                    text.extend(one);
                    here = *before;
                }
                let text: String = text.into_iter().rev().collect();
                return Some(text.split(BETWEEN).map(str::to_owned).collect());
            }
            let free = self.nodes[a].free.iter().map(|to| ((*to, b), None));
            let free = free.chain(other.nodes[b].free.iter().map(|to| ((a, *to), None)));
            let steps = self.nodes[a].edges.iter().flat_map(|(ours, a)| {
                other.nodes[b].edges.iter().filter_map(move |(theirs, b)| Some(((*a, *b), Some(ours.common(theirs)?))))
            });
            for (to, one) in free.chain(steps).collect::<Vec<_>>() {
                came_from.entry(to).or_insert_with(|| {
                    // What takes no character is looked at first, so that the text found is the shortest.
                    match one {
                        None => waiting.push_front(to),
                        Some(_) => waiting.push_back(to),
                    }
                    Some(((a, b), one))
                });
            }
        }
        None
    }
}

/// The text of an attribute that is always the same.
fn constant_of(entity: &Entity, path: &AttributePath) -> Option<String> {
    let attribute = entity.attributes.iter().find(|attribute| attribute.place() == *path)?;
    let Some(Fill::Constant(given)) = &attribute.fill else { return None };
    let mut stored = given.clone();
    let problems = check_value(&attribute.kind, &mut stored, "");
    match stored {
        AttributeValue::S(text) if problems.is_empty() => Some(text),
        AttributeValue::N(number) if problems.is_empty() => Some(number.to_string()),
        AttributeValue::Bool(value) => Some(value.to_string()),
        _ => None,
    }
}

/// The only texts that a value can be in a key, where they can be counted.
fn words_of(kind: &AttributeType) -> Option<Vec<String>> {
    match kind {
        AttributeType::String(rules) if !rules.values.is_empty() => {
            Some(rules.values.iter().map(|one| one.code.clone()).collect())
        }
        AttributeType::Number { values } if !values.is_empty() => {
            Some(values.iter().map(|one| one.code.to_string()).collect())
        }
        AttributeType::Boolean => Some(vec!["false".to_owned(), "true".to_owned()]),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn common(a: &Language, b: &Language) -> Option<String> {
        a.common_text(b).map(|texts| texts.join(" / "))
    }

    #[test]
    fn numbers_and_times_have_the_texts_that_they_are_written_as() {
        for text in ["0", "-1", "12.5", "900", "-0.25"] {
            assert!(common(&Language::decimal(), &Language::text(text)).is_some(), "{text}");
        }
        for text in ["", "012", "1.", "1.50", "x", "1.5.2", "-"] {
            assert!(common(&Language::decimal(), &Language::text(text)).is_none(), "{text}");
        }
        let time = Language::timestamp(Precision::Milliseconds);
        assert!(common(&time, &Language::text("2026-12-31T23:59:59.999Z")).is_some());
        for text in ["2026-13-01T00:00:00.000Z", "2026-12-00T00:00:00.000Z", "2026-12-01T00:00:00Z", "Join:x"] {
            assert!(common(&time, &Language::text(text)).is_none(), "{text}");
        }
    }

    #[test]
    fn filters_and_rules_narrow_what_a_text_can_be() {
        let rules = StringRules { excludes: vec!["#".into()], ..StringRules::default() };
        let without = Language::of_string(&rules, Some("--"));
        assert!(common(&without, &Language::text("a-b")).is_some());
        assert!(common(&without, &Language::text("a#b")).is_none());
        assert!(common(&without, &Language::text("a--b")).is_none());
        let upper = Language::any().in_case(&Filter::Upper).taken(3);
        assert!(common(&upper, &Language::text("AB1")).is_some());
        assert!(common(&upper, &Language::text("Ab1")).is_none());
        assert!(common(&upper, &Language::text("ABCD")).is_none());
        // What a filter leaves need not obey the rules of the whole.
        let rules = StringRules { excludes: vec!["a".into()], length: Some(1), ..StringRules::default() };
        let lower = Language::of_string(&rules, None).in_case(&Filter::Lower);
        assert!(common(&lower, &Language::text("a")).is_some());
        let upper = Language::of_string(&rules, None).in_case(&Filter::Upper);
        assert!(common(&upper, &Language::text("SS")).is_some(), "an ß becomes two letters");
        let day = Language::timestamp(Precision::Seconds).taken(10);
        assert!(common(&day, &Language::text("2026-12-31")).is_some());
        assert!(common(&day, &Language::text("hello")).is_none());
        let rules = StringRules { starts_with: vec!["abcd".into()], ..StringRules::default() };
        assert_eq!(common(&Language::of_string(&rules, None).taken(2), &Language::any()).as_deref(), Some("ab"));
        let rules = StringRules { starts_with: vec!["http".into()], ..StringRules::default() };
        let http = Language::of_string(&rules, None);
        assert_eq!(common(&http, &Language::any()).as_deref(), Some("http"));
        assert!(common(&http, &Language::beginning_with("CUST#")).is_none());
        let rules = StringRules { length: Some(3), ..StringRules::default() };
        let three = Language::of_string(&rules, None);
        assert_eq!(common(&three, &Language::any()).map(|text| text.chars().count()), Some(3));
    }

    proptest! {
        #[test]
        fn a_text_is_avoided_exactly_when_a_word_occurs_in_it(text in "[ab#]{1,8}", words in prop::collection::vec("[ab#]{1,3}", 0..3)) {
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            let language = Language::avoiding(&words, 1, None);
            let occurs = words.iter().any(|word| text.contains(word));
            prop_assert_eq!(common(&language, &Language::text(&text)).is_none(), occurs);
        }
    }
}
