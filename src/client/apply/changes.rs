//! The changes of a run: several at once, each with its guard, each outcome into the ledger.

use futures_util::StreamExt;
use futures_util::stream;
use tokio_util::sync::CancellationToken;

use super::Run;
use crate::capacity::{ReadUnits, WriteCapacity, WriteUnits};
use crate::client::{Event, Store, StoreError, Write, WriteError};
use crate::fanout::{Change, Ledger, Outcome, Plan, PlanFileError, Record};

/// How many changes are remembered that a later pass may come back to; those beyond count twice when it does.
const REMEMBERED: usize = 10_000;

/// A change to be made.
#[derive(Debug)]
pub(super) struct Work {
    pub(super) change: Change,
    /// Its position in the plan; `None` for one that a later pass found.
    pub(super) position: Option<u64>,
}

impl<S: Store, P: Plan, L: Ledger, T: FnMut(Event)> Run<'_, S, P, L, T> {
    /// Writes changes in their order, several at once. One that cannot be read stops the run. Gives back how many wrote
    /// something.
    pub(super) async fn write(&mut self, changes: impl Iterator<Item = Result<Work, PlanFileError>>) -> u64 {
        // A failure that the next request would share stops the run as Ctrl-C does.
        let halt = CancellationToken::new();
        if self.found.is_halted {
            halt.cancel();
        }
        let (store, stop) = (self.store, &self.options.stop);
        let mut answers = stream::iter(changes.take_while(|_| !stop.is_cancelled() && !halt.is_cancelled()))
            .map(|work| async move {
                let work = work?;
                let written = write_change(store, &work.change).await;
                Ok::<_, PlanFileError>((work, written))
            })
            .buffer_unordered(self.options.concurrency.max(1));
        let mut applied = 0;
        while let Some(answer) = answers.next().await {
            match answer {
                Ok((work, written)) => {
                    applied += u64::from(written.outcome == Outcome::Applied);
                    self.came_out(work, written);
                }
                Err(error) => {
                    self.found.is_halted = true;
                    self.problem(format!("the plan cannot be read on: {error}"));
                }
            }
            if self.found.is_halted {
                halt.cancel();
            }
        }
        applied
    }

    fn came_out(&mut self, Work { change, position }: Work, written: ChangeWritten) {
        let ChangeWritten { outcome, write_units, refused_units, read_units, error } = written;
        if let Some(error) = error {
            self.found.is_halted |= error.is_fatal();
            self.problem(of_change(&change, &error.to_string()));
        }
        if outcome == Outcome::Conflict {
            self.problem(of_change(&change, "it no longer holds what the plan shows"));
        }
        let record = match position {
            Some(position) => {
                if matches!(outcome, Outcome::Conflict | Outcome::Failed) && self.found.unsettled.len() < REMEMBERED {
                    self.found.unsettled.insert(key_of(&change), position);
                }
                Record::Change { position, outcome, write_units, refused_units, read_units }
            }
            None => {
                let position = self.found.unsettled.get(&key_of(&change)).copied();
                let change = Box::new(change);
                Record::Later { position, change, outcome, write_units, refused_units, read_units }
            }
        };
        self.note(&record);
        (self.tell)(Event::Changed(outcome));
    }
}

/// What became of one change.
struct ChangeWritten {
    outcome: Outcome,
    write_units: WriteCapacity,
    refused_units: WriteUnits,
    read_units: ReadUnits,
    error: Option<StoreError>,
}

/// Makes the writes of one change, one after the other, until one is refused or fails.
async fn write_change<S: Store>(store: &S, change: &Change) -> ChangeWritten {
    let mut all = ChangeWritten {
        outcome: Outcome::AlreadyCurrent,
        write_units: WriteCapacity::default(),
        refused_units: WriteUnits::default(),
        read_units: ReadUnits::default(),
        error: None,
    };
    for write in &change.writes {
        match store.write(Write::Update(&write.update)).await {
            Ok(written) => {
                all.write_units += &written.consumed;
                all.outcome = Outcome::Applied;
            }
            Err(WriteError::Refused { item, consumed }) => {
                all.read_units += consumed;
                all.refused_units += write.refused;
                match write.classify_refusal(item.as_ref().map(|item| &item.0)) {
                    // Our own earlier try made this one; the next may still be to do.
                    Outcome::AlreadyCurrent => {}
                    refused => {
                        all.outcome = refused;
                        return all;
                    }
                }
            }
            Err(WriteError::Failed(error)) => {
                all.outcome = Outcome::Failed;
                all.error = Some(error);
                return all;
            }
        }
    }
    all
}

fn of_change(change: &Change, problem: &str) -> String {
    format!("{} {}: {problem}", change.entity, key_of(change))
}

fn key_of(change: &Change) -> String {
    serde_json::to_string(&change.key).expect("a key always serialises")
}
