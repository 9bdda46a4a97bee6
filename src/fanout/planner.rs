//! From findings to the changes of a plan, and what they add up to.

use std::collections::BTreeMap;

use super::blockers::Blockers;
use super::{
    Change, ChangeWrite, Class, CopyChange, CopyState, Counts, Estimate, Finding, Guard, GuardedUpdate, Intent, Listed,
    PlanSums, ReadEstimate, RequestError, Rereads, Standing, Totals,
};
use crate::acceptance::{StatementSize, UpdateRule};
use crate::capacity::{Consistency, ReadUnits, WriteCapacity, WriteRange};
use crate::expression::Condition;
use crate::item::{Item, UpdateError, item_size, update};
use crate::key::KeyError;
use crate::layout::Layout;
use crate::model::{AttributePath, Entity, check_stored};
use crate::value::AttributeValue;

/// Why there is no plan.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PlanError {
    /// The request does not fit the definition.
    #[error(transparent)]
    Request(#[from] RequestError),
    /// The definition has no such entity.
    #[error("the definition has no entity `{0}`")]
    NoEntity(String),
    /// The source cannot be changed so.
    #[error("the source cannot be changed so: {0}")]
    Source(Box<UpdateError>),
    /// The source's key makes no key to look under.
    #[error("the copies cannot be looked for: {0}")]
    Key(#[from] KeyError),
}

impl From<UpdateError> for PlanError {
    fn from(error: UpdateError) -> Self {
        PlanError::Source(Box::new(error))
    }
}

/// Takes findings, and makes changes of them. It keeps what they add up to, and none of them.
#[derive(Debug)]
pub struct Planner<'a> {
    /// What counts towards the size of an update.
    rule: UpdateRule,
    layout: &'a Layout,
    intent: &'a Intent,
    sums: PlanSums,
    targets: Counts,
    copies: Counts,
    listed: Listed,
    blockers: Blockers,
    /// Of the source's update and of all changes.
    range: WriteRange,
    /// What reading the items themselves will take on the last look: those left over, and those hidden.
    left_reads: ReadUnits,
}

impl<'a> Planner<'a> {
    /// Starts a plan.
    pub fn new(layout: &'a Layout, intent: &'a Intent, rule: UpdateRule) -> Self {
        Planner {
            rule,
            layout,
            intent,
            sums: PlanSums::default(),
            targets: Counts::default(),
            copies: Counts::default(),
            listed: Listed::default(),
            blockers: Blockers::default(),
            range: intent.range.clone(),
            left_reads: ReadUnits::default(),
        }
    }

    /// Takes one finding, and gives the change that it calls for; each item must come once.
    pub fn add(&mut self, finding: Finding) -> Option<Change> {
        match finding.standing {
            Standing::Unrecognised => {
                self.targets.unrecognised += 1;
                self.listed.add(|listed| &mut listed.unrecognised, finding.key);
                None
            }
            Standing::Misfiled => {
                self.targets.misfiled += 1;
                self.listed.add(|listed| &mut listed.misfiled, finding.key);
                None
            }
            Standing::Expired => {
                self.targets.expired += 1;
                self.listed.add(|listed| &mut listed.expired, finding.key);
                None
            }
            Standing::Target { entity, copies, refers, image, rereads } => {
                for copy in &copies {
                    self.copies.add(copy.class);
                }
                // Classes are ordered: an item counts in the first of stale, diverged, absent and current.
                if let Some(class) = copies.iter().map(|copy| copy.class).min() {
                    self.targets.add(class);
                }
                let (chosen, left): (Vec<_>, Vec<_>) = copies
                    .into_iter()
                    .filter(|copy| copy.class != Class::Current)
                    .partition(|copy| self.is_chosen(copy));
                if rereads == Rereads::Always || (rereads == Rereads::IfDifferent && !left.is_empty()) {
                    self.left_reads += ReadUnits::for_size(item_size(&image), Consistency::Strong);
                }
                let entity = self.layout.entity(&entity).filter(|_| !chosen.is_empty())?;
                self.change(finding.key, entity, chosen, refers, &image)
            }
        }
    }

    fn is_chosen(&self, copy: &CopyState) -> bool {
        copy.class == Class::Stale || self.intent.request.include.contains(&copy.class)
    }

    fn change(
        &mut self,
        key: Item,
        entity: &Entity,
        copies: Vec<CopyState>,
        refers: Vec<Condition>,
        before: &Item,
    ) -> Option<Change> {
        for copy in &copies {
            let (Some(found), Some(value)) = (entity.declared_at(&copy.target), &copy.wanted) else { continue };
            for problem in check_stored(found.kind, value, &copy.target.to_string()) {
                self.blockers.value(&entity.name, &problem.to_string());
            }
        }
        let mut writes = Vec::new();
        match self.writes(&key, entity, &copies, &refers, before, &mut writes) {
            Ok(_) => {
                let change = Change { entity: entity.name.clone(), key, writes };
                self.sums.add(&change);
                Some(change)
            }
            Err(error) => {
                self.blockers.item(&entity.name, &key, &error);
                None
            }
        }
    }

    /// Makes the writes that bring an item's copies up to date: one, or where its expressions would be too large, one
    /// for each half, and so on. Gives back the item as they leave it.
    fn writes(
        &mut self,
        key: &Item,
        entity: &Entity,
        copies: &[CopyState],
        refers: &[Condition],
        before: &Item,
        writes: &mut Vec<ChangeWrite>,
    ) -> Result<Item, UpdateError> {
        let table = self.layout.table();
        let mut wanted: BTreeMap<AttributePath, Option<AttributeValue>> =
            copies.iter().map(|copy| (copy.target.clone(), copy.wanted.clone())).collect();
        let versions = copies.iter().filter_map(|copy| copy.version.clone());
        wanted.extend(versions.map(|(path, number)| (path, Some(AttributeValue::N(number)))));
        let updated = update(before, entity, table, &wanted)?;
        let guard = Guard {
            exists: table.partition_key().to_owned(),
            refers: refers.to_vec(),
            elements: distinct(copies.iter().flat_map(|copy| copy.element.clone())),
            holds: distinct(copies.iter().flat_map(|copy| holds(copy, before))),
            inputs: updated.inputs.iter().map(|path| Condition::still(path, before)).collect(),
        };
        let update = GuardedUpdate {
            key: key.clone(),
            guard,
            set: updated.set.into_iter().collect(),
            remove: updated.remove.into_iter().collect(),
            relative: Vec::new(),
        };
        let statement = StatementSize::of(&update.set, &update.remove);
        let is_taken = self.rule.takes(item_size(&updated.after), statement);
        if let Some(half) = half(copies).filter(|_| !update.fits() || !is_taken) {
            let between = self.writes(key, entity, &copies[..half], refers, before, writes)?;
            return self.writes(key, entity, &copies[half..], refers, &between, writes);
        }
        if !is_taken {
            return Err(UpdateError::Statement(statement.bytes()));
        }
        self.range += &WriteRange::of_write(table, Some(before), Some(&updated.after));
        let copy_change = |copy: &CopyState| CopyChange {
            reference: copy.reference.clone(),
            attribute: copy.target.clone(),
            class: copy.class,
            was: copy.value.clone(),
            now: copy.wanted.clone(),
        };
        writes.push(ChangeWrite {
            copies: copies.iter().map(copy_change).collect(),
            update,
            cost: WriteCapacity::of_write(table, Some(before), Some(&updated.after)),
            refused: WriteCapacity::of_refused_write(Some(before), Some(&updated.after)).table,
        });
        Ok(updated.after)
    }

    /// What all of it adds up to. `planning` is what reading took so far, and `routes` the part of it that the routes
    /// took.
    pub fn finish(self, planning: ReadUnits, routes: ReadUnits) -> Totals {
        let source_read = ReadUnits::for_size(item_size(&self.intent.source), Consistency::Strong);
        let read_units = ReadEstimate { planning, apply: source_read + source_read + routes + self.left_reads };
        let (blocked, blocked_more) = self.blockers.into_sentences();
        Totals {
            estimate: Estimate::of(&self.sums, self.intent.change.as_ref(), &self.range, read_units),
            changes: self.sums.changes,
            changes_of: self.sums.changes_of,
            targets: self.targets,
            copies: self.copies,
            listed: self.listed,
            blocked,
            blocked_more,
        }
    }
}

/// What a guard holds still of one copy: its value, or where it has a version, that it is an older one.
fn holds(copy: &CopyState, before: &Item) -> Vec<Condition> {
    match &copy.version {
        Some((path, number)) if copy.class != Class::Diverged => {
            let older = Condition::OlderThan(path.clone(), *number);
            // A map that the write makes must still be missing.
            let absent = copy.target.get(&before.0).is_none().then(|| Condition::still(&copy.target, before));
            // Under the same version, only the value itself can tell.
            let holds = if older.holds(&before.0) { older } else { Condition::still(path, before) };
            std::iter::once(holds).chain(absent).collect()
        }
        Some((path, _)) => vec![Condition::still(path, before), Condition::still(&copy.target, before)],
        None => vec![Condition::still(&copy.target, before)],
    }
}

/// Where to split copies in two, such that what shares an element or a version stays together.
fn half(copies: &[CopyState]) -> Option<usize> {
    let belong_together = |at: usize| {
        let (one, other) = (&copies[at - 1], &copies[at]);
        one.reference == other.reference
            && one.element == other.element
            && (one.version.is_some() || !one.element.is_empty())
    };
    let middle = copies.len() / 2;
    let mut cuts: Vec<usize> = (1..copies.len()).filter(|at| !belong_together(*at)).collect();
    cuts.sort_by_key(|at| at.abs_diff(middle));
    cuts.first().copied()
}

fn distinct(conditions: impl Iterator<Item = Condition>) -> Vec<Condition> {
    let mut distinct = Vec::new();
    for condition in conditions {
        if !distinct.contains(&condition) {
            distinct.push(condition);
        }
    }
    distinct
}
