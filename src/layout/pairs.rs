//! Which templates need to be compared at all: those of which one begins as the other does.

use std::collections::{BTreeMap, BTreeSet};

/// The pairs among so many things whose first and second leads both could be the same text. A lead is what all texts
/// of a key begin with; two go together when one begins with the other.
///
/// It takes about n log n steps where few go together.
pub(super) fn compatible(leads: &[(&str, &str)]) -> Vec<(usize, usize)> {
    let mut by_first: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (at, (first, _)) in leads.iter().enumerate() {
        by_first.entry(first).or_default().push(at);
    }
    let mut pairs = BTreeSet::new();
    // In order, the leads that one begins with are all still open when it comes.
    let mut open: Vec<(&str, &Vec<usize>)> = Vec::new();
    for (first, group) in &by_first {
        while open.last().is_some_and(|(lead, _)| !first.starts_with(lead)) {
            open.pop();
        }
        let seconds = |group: &[usize]| group.iter().map(|at| (leads[*at].1, *at)).collect::<Vec<_>>();
        pairs.extend(nested(seconds(group)).into_iter().map(ordered));
        for (_, outer) in &open {
            let is_across = |(a, b): &(usize, usize)| group.contains(a) != group.contains(b);
            let together = nested([seconds(group), seconds(outer)].concat());
            pairs.extend(together.into_iter().filter(is_across).map(ordered));
        }
        open.push((first, group));
    }
    pairs.into_iter().collect()
}

fn ordered((a, b): (usize, usize)) -> (usize, usize) {
    (a.min(b), a.max(b))
}

/// The pairs of which one lead begins with the other.
fn nested(mut leads: Vec<(&str, usize)>) -> Vec<(usize, usize)> {
    leads.sort_unstable();
    let mut pairs = Vec::new();
    let mut open: Vec<(&str, usize)> = Vec::new();
    for (lead, at) in leads {
        while open.last().is_some_and(|(outer, _)| !lead.starts_with(outer)) {
            open.pop();
        }
        pairs.extend(open.iter().map(|(_, outer)| (*outer, at)));
        open.push((lead, at));
    }
    pairs
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn it_finds_the_same_pairs_as_comparing_each_with_each(leads in prop::collection::vec(("[ab]{0,3}", "[ab]{0,2}"), 0..12)) {
            let leads: Vec<(&str, &str)> = leads.iter().map(|(a, b)| (a.as_str(), b.as_str())).collect();
            let go_together = |a: &str, b: &str| a.starts_with(b) || b.starts_with(a);
            let mut expected = Vec::new();
            for a in 0..leads.len() {
                for b in a + 1..leads.len() {
                    if go_together(leads[a].0, leads[b].0) && go_together(leads[a].1, leads[b].1) {
                        expected.push((a, b));
                    }
                }
            }
            prop_assert_eq!(compatible(&leads), expected);
        }
    }
}
