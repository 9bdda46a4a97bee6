//! The first changes of each entity, a screenful in all.

use super::super::style::{HEADING, paint};
use super::change;
use crate::cli::preview::Preview;
use crate::model::KeySchema;

/// How many lines of changes are a screenful.
const SCREENFUL: usize = 20;
/// How many there may be with the expressions of each change, which take more than a screen anyway.
const WITH_EXPRESSIONS: usize = 120;

/// The changes to items of one entity.
struct Group<'a> {
    entity: &'a str,
    changes: u64,
    /// The lines of each change that can be shown.
    blocks: Vec<Vec<String>>,
    /// How many of those are shown.
    shown: usize,
}

pub(super) fn groups(plan: &Preview, key: &KeySchema, show_expressions: bool, file: Option<&str>) -> String {
    let group = |(entity, changes)| {
        let first = plan.first.get(entity).into_iter().flatten();
        let blocks = first.map(|one| change::lines(one, key, show_expressions)).collect();
        Group { entity, changes, blocks, shown: 0 }
    };
    let mut groups: Vec<Group<'_>> =
        plan.totals.changes_of.iter().map(|(entity, changes)| group((entity.as_str(), *changes))).collect();
    share(&mut groups, if show_expressions { WITH_EXPRESSIONS } else { SCREENFUL });
    let mut text = String::new();
    for Group { entity, changes, blocks, shown } in &groups {
        let many = if *changes == 1 { "change" } else { "changes" };
        text.push_str(&format!("\n{}  {changes} {many}\n", paint(HEADING, entity)));
        blocks.iter().take(*shown).flatten().for_each(|line| text.push_str(&format!("  {line}\n")));
        let more = changes - *shown as u64;
        if more > 0 && *shown > 0 {
            text.push_str(&format!("  ... and {more} more\n"));
        }
    }
    if groups.iter().any(|group| group.changes > group.shown as u64) {
        let place = file.map_or("`-o FILE` writes all of them".to_owned(), |file| format!("all of them are in {file}"));
        text.push_str(&format!("{place}\n"));
    }
    text
}

/// Gives each group its part of the lines: those that need few leave more to the others, and each shows one change.
fn share(groups: &mut [Group<'_>], lines: usize) {
    let mut by_need: Vec<&mut Group<'_>> = groups.iter_mut().collect();
    by_need.sort_by_key(|group| group.blocks.iter().map(Vec::len).sum::<usize>());
    let mut left = lines;
    let mut waiting = by_need.len();
    for group in by_need {
        let part = left / waiting;
        let mut taken = 0;
        for block in &group.blocks {
            if group.shown > 0 && taken + block.len() > part {
                break;
            }
            taken += block.len();
            group.shown += 1;
        }
        left = left.saturating_sub(taken);
        waiting -= 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_one_group_does_not_need_another_gets() {
        let of = |sizes: &[usize]| Group {
            entity: "Post",
            changes: sizes.len() as u64,
            blocks: sizes.iter().map(|lines| vec![String::new(); *lines]).collect(),
            shown: 0,
        };
        let mut groups = [of(&[1; 30]), of(&[1; 2]), of(&[15, 15]), of(&[])];
        share(&mut groups, 20);
        assert_eq!(groups.map(|group| group.shown), [9, 2, 1, 0]);
    }
}
