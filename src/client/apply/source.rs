//! The source of a run: written first, and looked at before everything else.

use super::{ApplyError, Run};
use crate::capacity::{ReadUnits, WriteCapacity};
use crate::client::{Event, Store, StoreError, Write, WriteError};
use crate::fanout::{Ledger, Plan, Record, SourceChange};
use crate::item::{Item, attributes_of};

impl<S: Store, P: Plan, L: Ledger, T: FnMut(Event)> Run<'_, S, P, L, T> {
    /// Reads the source again, and brings it to what the plan says, if it still is what the plan was made for.
    pub(super) async fn write_source(&mut self) -> Result<(), ApplyError> {
        let (source, mut read_units) = self.read_source().await?;
        let source = source.ok_or(ApplyError::NoSource)?;
        let is_done = self.holds_truth(&source);
        let change = self.plan.header().source.change.as_ref();
        // Known before the ledger has a word of this run: a plan that does not fit any more leaves no ledger.
        let change = match (is_done, change) {
            (true, _) => None,
            (false, Some(change)) if is_as_planned(&source, change) => Some(change),
            (false, _) => return Err(ApplyError::SourceMoved),
        };
        self.ledger.note(&Record::Began { at: self.options.now, concurrency: self.options.concurrency })?;
        let mut write_units = WriteCapacity::default();
        if let Some(change) = change {
            match self.store.write(Write::Update(&change.update)).await {
                Ok(written) => write_units = written.consumed,
                // Another run of the same plan may have come first, or the answer to our own first try was lost.
                Err(WriteError::Refused { item, consumed }) => {
                    read_units += consumed;
                    if !item.is_some_and(|item| self.holds_truth(&item)) {
                        self.end();
                        return Err(ApplyError::SourceMoved);
                    }
                }
                Err(WriteError::Failed(error)) => {
                    self.end();
                    return Err(error.into());
                }
            }
        }
        self.note(&Record::Source { write_units, read_units });
        (self.tell)(Event::SourceWritten);
        Ok(())
    }

    /// The source as it is now, and what reading it took.
    pub(super) async fn read_source(&self) -> Result<(Option<Item>, ReadUnits), StoreError> {
        let fetched = self.store.fetch(std::slice::from_ref(&self.plan.header().request.key)).await?;
        Ok((fetched.items.into_iter().next(), fetched.consumed))
    }

    /// Whether the source holds every value that the plan sets or copies.
    pub(super) fn holds_truth(&self, source: &Item) -> bool {
        let header = self.plan.header();
        let Some(entity) = self.layout.entity(&header.request.entity) else { return false };
        let attributes = attributes_of(source, entity, self.layout.table());
        let sets =
            |change: &SourceChange| change.update.set.iter().all(|(path, value)| path.get(&source.0) == Some(value));
        header.source.change.as_ref().is_none_or(sets)
            && header.source.attributes.iter().all(|one| one.path.get(&attributes) == one.now.as_ref())
    }
}

/// Whether the source still is what the plan was made for.
fn is_as_planned(source: &Item, change: &SourceChange) -> bool {
    change.update.guard.conditions().iter().all(|condition| condition.holds(&source.0))
}
