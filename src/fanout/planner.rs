//! From findings to a plan.

use std::collections::BTreeMap;

use super::change::still;
use super::{
    Change, Class, CopyChange, CopyState, Counts, Estimate, Finding, Guard, GuardedUpdate, Intent, Listed, Plan,
    PlanHeader, PlanSource, ReadEstimate, RequestError, Standing, TableIdentity, Totals,
};
use crate::capacity::{ReadUnits, WriteCapacity, is_exact};
use crate::expression::Condition;
use crate::item::{Item, UpdateError, check_value, item_size, update};
use crate::key::KeyError;
use crate::layout::Layout;
use crate::model::Entity;

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

/// Takes findings, and makes a plan of them.
#[derive(Debug)]
pub struct Planner<'a> {
    layout: &'a Layout,
    intent: &'a Intent,
    changes: Vec<Change>,
    targets: Counts,
    copies: Counts,
    listed: Listed,
    blocked: Vec<String>,
    exact: bool,
    /// What reading the items themselves will take on the last look: those left over, and those hidden.
    left_reads: ReadUnits,
}

impl<'a> Planner<'a> {
    /// Starts a plan.
    pub fn new(layout: &'a Layout, intent: &'a Intent) -> Self {
        Planner {
            layout,
            intent,
            changes: Vec::new(),
            targets: Counts::default(),
            copies: Counts::default(),
            listed: Listed::default(),
            blocked: Vec::new(),
            exact: intent.exact,
            left_reads: ReadUnits::default(),
        }
    }

    /// Takes one finding; each item must come once.
    pub fn add(&mut self, finding: Finding) {
        match finding.standing {
            Standing::Unrecognised => {
                self.targets.unrecognised += 1;
                self.listed.unrecognised.push(finding.key);
            }
            Standing::Misfiled => {
                self.targets.misfiled += 1;
                self.listed.misfiled.push(finding.key);
            }
            Standing::Expired => {
                self.targets.expired += 1;
                self.listed.expired.push(finding.key);
            }
            Standing::Target { entity, copies, refers, image, hidden } => {
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
                if hidden || !left.is_empty() {
                    self.left_reads += ReadUnits::strong(item_size(&image));
                }
                if let Some(entity) = self.layout.entity(&entity).filter(|_| !chosen.is_empty()) {
                    self.change(finding.key, entity, chosen, refers, &image);
                }
            }
        }
    }

    fn is_chosen(&self, copy: &CopyState) -> bool {
        copy.class == Class::Stale || self.intent.request.include.contains(&copy.class)
    }

    fn change(&mut self, key: Item, entity: &Entity, copies: Vec<CopyState>, refers: Vec<Condition>, before: &Item) {
        let table = self.layout.table();
        for copy in &copies {
            let (Some(found), Some(mut value)) = (entity.resolve(&copy.target.to_string()), copy.wanted.clone()) else {
                continue;
            };
            let path = copy.target.to_string();
            for problem in check_value(found.kind, &mut value, &path) {
                let reason = format!("{} cannot carry the source's value: {problem}", entity.name);
                if !self.blocked.contains(&reason) {
                    self.blocked.push(reason);
                }
            }
        }
        let wanted: BTreeMap<_, _> = copies.iter().map(|copy| (copy.target.clone(), copy.wanted.clone())).collect();
        let updated = match update(before, entity, table, &wanted) {
            Ok(updated) => updated,
            Err(error) => {
                let key = serde_json::to_string(&key).expect("a key always serialises");
                return self.blocked.push(format!("{} {key}: {error}", entity.name));
            }
        };
        self.exact &= is_exact(table, Some(before), Some(&updated.after));
        self.changes.push(Change {
            entity: entity.name.clone(),
            update: GuardedUpdate {
                key,
                guard: Guard {
                    exists: table.key.partition.clone(),
                    refers,
                    holds: copies.iter().map(|copy| still(&copy.target, before)).collect(),
                    inputs: updated.inputs.iter().map(|path| still(path, before)).collect(),
                },
                set: updated.set.into_iter().collect(),
                remove: updated.remove.into_iter().collect(),
            },
            cost: WriteCapacity::of_write(table, Some(before), Some(&updated.after)),
            refused: WriteCapacity::of_refused_write(Some(before), Some(&updated.after)).table,
            copies: copies
                .into_iter()
                .map(|copy| CopyChange {
                    reference: copy.reference,
                    attribute: copy.target,
                    class: copy.class,
                    was: copy.value,
                    now: copy.wanted,
                })
                .collect(),
        });
    }

    /// The plan. `planning` is what reading took so far, and `routes` the part of it that the routes took.
    pub fn finish(self, table: TableIdentity, planning: ReadUnits, routes: ReadUnits) -> Plan {
        let source_read = ReadUnits::strong(item_size(&self.intent.source));
        let read_units = ReadEstimate { planning, apply: source_read + source_read + routes + self.left_reads };
        let source = self.intent.change.clone();
        Plan {
            totals: Totals {
                changes: self.changes.len() as u64,
                targets: self.targets,
                copies: self.copies,
                listed: self.listed,
                estimate: Estimate::of(&self.changes, source.as_ref(), self.exact, read_units),
                blocked: self.blocked,
            },
            header: PlanHeader {
                definition: self.layout.fingerprint(),
                table,
                request: self.intent.request.clone(),
                source: PlanSource { attributes: self.intent.attributes.clone(), change: source },
                superseded: self.intent.superseded.clone(),
            },
            changes: self.changes,
        }
    }
}
