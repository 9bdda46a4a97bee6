//! A request held against the source as it stands: what will change, and what that supersedes.

use std::collections::{BTreeMap, BTreeSet};

use super::route_read::references_to;
use super::{
    AttributeChange, Guard, GuardedUpdate, PlanError, PlanHeader, PlanSource, Request, SourceChange, Superseded,
    TableIdentity,
};
use crate::capacity::{WriteCapacity, WriteRange};
use crate::expression::Condition;
use crate::item::{Item, attributes_of, next_version, update};
use crate::layout::Layout;
use crate::model::AttributePath;
use crate::value::AttributeValue;

/// What a request means for the source as it was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Intent {
    /// What was asked.
    pub request: Request,
    /// The source as it is to be.
    pub source: Item,
    /// Its own update; `None` when it already holds what was asked.
    pub change: Option<SourceChange>,
    /// What its update takes at least and at most.
    pub range: WriteRange,
    /// Which values of copies are stale.
    pub superseded: Superseded,
    /// The attributes of the source that are set or that copies are taken from, before and after.
    pub attributes: Vec<AttributeChange>,
}

impl Intent {
    /// Works out what a request means for a source.
    ///
    /// # Errors
    /// The source cannot be changed so, or nothing is copied from it.
    pub fn new(layout: &Layout, request: Request, before: Item) -> Result<Self, PlanError> {
        request.check_copied(layout)?;
        let entity = layout.entity(&request.entity).ok_or_else(|| PlanError::NoEntity(request.entity.clone()))?;
        let table = layout.table();
        let differs = |(path, value): &&(AttributePath, _)| path.get(&before.0) != Some(value);
        let mut changes: BTreeMap<_, _> =
            request.set.iter().filter(differs).cloned().map(|(path, value)| (path, Some(value))).collect();
        let counted = next_version(layout, entity, &before.0, &changes);
        let version = entity.version.iter().filter(|_| counted.is_some()).cloned().collect::<Vec<_>>();
        changes.extend(counted.map(|(path, number)| (path, Some(AttributeValue::N(number)))));
        let updated = update(&before, entity, table, &changes)?;
        let (old, new) = (attributes_of(&before, entity, table), attributes_of(&updated.after, entity, table));
        let copied: BTreeSet<AttributePath> = references_to(layout, &request)
            .flat_map(|(_, reference)| reference.copies.iter().map(|rule| rule.source.clone()))
            .filter(|path| request.concerns(path))
            .chain(request.set.iter().map(|(path, _)| path.clone()))
            .chain(version)
            .collect();
        let attributes: Vec<AttributeChange> = copied
            .into_iter()
            .map(|path| AttributeChange { was: path.get(&old).cloned(), now: path.get(&new).cloned(), path })
            .collect();
        // The source must still hold all that the copies get, not only what is set: else old values would be copied.
        let is_stored = |one: &&AttributeChange| one.was.is_none() || one.path.get(&before.0).is_some();
        let holds = attributes.iter().filter(is_stored).map(|one| Condition::still(&one.path, &before)).collect();
        let change = (!changes.is_empty()).then(|| SourceChange {
            update: GuardedUpdate {
                key: request.key.clone(),
                guard: Guard {
                    exists: table.partition_key().to_owned(),
                    refers: Vec::new(),
                    elements: Vec::new(),
                    holds,
                    inputs: updated.inputs.iter().map(|path| Condition::still(path, &before)).collect(),
                },
                set: updated.set.into_iter().collect(),
                remove: updated.remove.into_iter().collect(),
                relative: Vec::new(),
            },
            cost: WriteCapacity::of_write(table, Some(&before), Some(&updated.after)),
            refused: WriteCapacity::of_refused_write(Some(&before), Some(&updated.after)).table,
        });

        let range = change.as_ref().map(|_| WriteRange::of_write(table, Some(&before), Some(&updated.after)));
        let superseded = match (request.set.is_empty(), request.was.is_empty(), &change) {
            (true, true, _) | (false, _, None) => Superseded::EveryDifferent,
            _ => {
                let replaced =
                    attributes.iter().filter(|one| one.was != one.now && Some(&one.path) != entity.version.as_ref());
                let replaced = replaced.filter_map(|one| Some((one.path.clone(), one.was.clone()?)));
                Superseded::Values(
                    replaced
                        .chain(request.was.iter().cloned())
                        .filter(|(path, value)| path.get(&new) != Some(value))
                        .collect(),
                )
            }
        };
        Ok(Intent { range: range.unwrap_or_default(), source: updated.after, change, superseded, attributes, request })
    }

    /// What a plan that is being run means for the source as it is now.
    pub fn of_plan(header: &PlanHeader, source: Item) -> Self {
        Intent {
            request: header.request.clone(),
            source,
            change: None,
            range: WriteRange::default(),
            superseded: header.superseded.clone(),
            attributes: header.source.attributes.clone(),
        }
    }

    /// What a plan for it begins with.
    pub fn header(&self, layout: &Layout, table: TableIdentity) -> PlanHeader {
        PlanHeader {
            definition: layout.fingerprint(),
            table,
            request: self.request.clone(),
            source: PlanSource { attributes: self.attributes.clone(), change: self.change.clone() },
            superseded: self.superseded.clone(),
        }
    }
}
