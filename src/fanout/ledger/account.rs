//! What the records of a ledger add up to.

use super::positions::Positions;
use super::{Ledger, LedgerError, Record};
use crate::fanout::{Consumed, Left, Outcome, Outcomes};

/// What was done so far, however many runs it took.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Account {
    /// How the changes came out, those of later passes among them; each counts once.
    outcomes: Outcomes,
    /// How many changes of the plan came out, for good or not.
    came_out: u64,
    consumed: Consumed,
    /// Came out, and will come out no other way.
    settled: Positions,
    /// Failed, and are to be tried again.
    failed: Positions,
    /// Were in conflict, and no later pass came back to them.
    in_conflict: Positions,
    /// Wrote something, or found it written.
    written: Positions,
    /// The first position that no run has come to.
    reached: u64,
    /// Of the run that is under way.
    concurrency: usize,
    began: Option<u64>,
    ended: Option<End>,
    is_source_written: bool,
    /// Whether a run before this one was killed.
    was_killed: bool,
}

/// How the last run that came to its end did so.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct End {
    at: u64,
    verified: bool,
    still_different: u64,
    left: Left,
}

impl Account {
    /// Takes one record more.
    pub fn add(&mut self, record: &Record) {
        match record {
            Record::Began { at, concurrency } => {
                self.was_killed |= self.began.is_some() && self.ended.is_none();
                self.concurrency = self.concurrency.max(*concurrency);
                self.began = Some(*at);
                self.ended = None;
            }
            Record::Source { write_units, read_units } => {
                self.is_source_written = true;
                self.consumed.write_units += write_units;
                self.consumed.read_units += *read_units;
            }
            Record::Change { position, outcome, write_units, refused_units, read_units } => {
                self.consumed.write_units += write_units;
                self.consumed.refused_write_units += *refused_units;
                self.consumed.read_units += *read_units;
                self.came_out(*position, *outcome);
                if write_units.total().0 > 0 || matches!(outcome, Outcome::Applied | Outcome::AlreadyCurrent) {
                    self.written.insert(*position);
                }
            }
            Record::Later { position, outcome, write_units, refused_units, read_units, .. } => {
                self.consumed.write_units += write_units;
                self.consumed.refused_write_units += *refused_units;
                self.consumed.read_units += *read_units;
                if let Some(position) = *position {
                    self.outcomes.failed -= u64::from(self.failed.remove(position));
                    self.outcomes.conflict -= u64::from(self.in_conflict.remove(position));
                    self.settle(position, *outcome);
                }
                self.outcomes.add(*outcome);
            }
            Record::Looked { read_units } => self.consumed.read_units += *read_units,
            Record::Ended { at, verified, still_different, left } => {
                let (at, verified, still_different, left) = (*at, *verified, *still_different, *left);
                self.ended = Some(End { at, verified, still_different, left });
            }
        }
    }

    fn came_out(&mut self, position: u64, outcome: Outcome) {
        self.reached = self.reached.max(position + 1);
        if self.settled.contains(position) {
            return;
        }
        match self.failed.remove(position) {
            true => self.outcomes.failed -= 1,
            false => self.came_out += 1,
        }
        self.settle(position, outcome);
        self.outcomes.add(outcome);
    }

    fn settle(&mut self, position: u64, outcome: Outcome) {
        match outcome {
            Outcome::Failed => drop(self.failed.insert(position)),
            _ => drop(self.settled.insert(position)),
        }
        if outcome == Outcome::Conflict {
            self.in_conflict.insert(position);
        }
    }

    /// Whether nothing was noted.
    pub fn is_empty(&self) -> bool {
        self.began.is_none()
    }

    /// When the last run began, in seconds since 1970.
    pub fn began(&self) -> Option<u64> {
        self.began
    }

    /// When the last run came to its end by itself, in seconds since 1970; `None` while it is under way, and for good
    /// when it was killed.
    pub fn ended(&self) -> Option<u64> {
        self.ended.map(|end| end.at)
    }

    /// Whether all is done: no copy that was to be changed differed on the last look.
    pub fn is_finished(&self) -> bool {
        self.ended.is_some_and(|end| end.verified)
    }

    /// How many copies of the classes that were to be changed differed on the last look, and what was left on purpose.
    pub fn last_look(&self) -> (u64, Left) {
        self.ended.map(|end| (end.still_different, end.left)).unwrap_or_default()
    }

    /// Whether the source was brought to what the plan says, or was found so.
    pub fn is_source_written(&self) -> bool {
        self.is_source_written
    }

    /// Whether a change came out for good: it is not tried again. A failed one is.
    pub fn is_settled(&self, position: u64) -> bool {
        self.settled.contains(position)
    }

    /// Whether a change may have written something: it did, or a run that was killed may have had it under way.
    pub fn may_have_written(&self, position: u64) -> bool {
        let is_in_doubt = || !self.settled.contains(position) && position < self.reached + self.concurrency as u64;
        self.written.contains(position) || (self.is_at_least() || self.failed.contains(position)) && is_in_doubt()
    }

    /// How the changes came out; of `planned` changes, those that did not are not attempted.
    pub fn outcomes(&self, planned: u64) -> Outcomes {
        // What failed and does not differ any more was mended by a later pass, and counts there.
        let failed = if self.is_finished() { 0 } else { self.outcomes.failed };
        Outcomes { not_attempted: planned.saturating_sub(self.came_out), failed, ..self.outcomes }
    }

    /// What was consumed.
    pub fn consumed(&self) -> &Consumed {
        &self.consumed
    }

    /// Whether more may have been consumed, and by changes that count as already current: a run was killed, and what it
    /// had under way is not in its ledger.
    pub fn is_at_least(&self) -> bool {
        self.was_killed || (self.began.is_some() && self.ended.is_none())
    }
}

/// The ledger of a run that keeps nothing: it is gone with the process.
impl Ledger for Account {
    fn account(&self) -> &Account {
        self
    }

    fn note(&mut self, record: &Record) -> Result<(), LedgerError> {
        self.add(record);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capacity::{ReadUnits, WriteCapacity, WriteUnits};
    use crate::fanout::Change;
    use crate::item::Item;

    fn change(position: u64, outcome: Outcome, units: u64) -> Record {
        let write_units = WriteCapacity { table: WriteUnits(units), ..WriteCapacity::default() };
        Record::Change {
            position,
            outcome,
            write_units,
            refused_units: WriteUnits(0),
            read_units: ReadUnits::default(),
        }
    }

    const BEGAN: Record = Record::Began { at: 1, concurrency: 2 };

    fn ended(verified: bool) -> Record {
        Record::Ended { at: 2, verified, still_different: 0, left: Left::default() }
    }

    fn account(records: &[Record]) -> Account {
        let mut account = Account::default();
        records.iter().for_each(|record| account.add(record));
        account
    }

    #[test]
    fn a_change_that_failed_and_then_was_applied_counts_once_and_its_units_twice() {
        let account = account(&[BEGAN, change(0, Outcome::Failed, 1), change(0, Outcome::Applied, 1)]);
        let outcomes = account.outcomes(3);
        assert_eq!((outcomes.applied, outcomes.failed, outcomes.not_attempted), (1, 0, 2));
        assert_eq!(account.consumed().write_units.table, WriteUnits(2));
        assert!(account.is_settled(0) && !account.is_settled(1));
    }

    #[test]
    fn a_run_without_an_end_was_killed_and_what_it_took_is_at_least_that() {
        let killed = account(&[BEGAN, change(0, Outcome::Applied, 1), BEGAN, ended(true)]);
        assert!(killed.is_at_least() && killed.is_finished());
        let whole = account(&[BEGAN, change(0, Outcome::Applied, 1), ended(false), BEGAN, ended(true)]);
        assert!(!whole.is_at_least() && whole.is_finished());
    }

    #[test]
    fn what_a_killed_run_may_have_had_under_way_may_have_been_written() {
        let killed = account(&[BEGAN, change(3, Outcome::Applied, 1), change(1, Outcome::Conflict, 0)]);
        let may = |position| killed.may_have_written(position);
        assert_eq!([0, 1, 2, 3, 4, 5, 6].map(may), [true, false, true, true, true, true, false]);
        let whole = account(&[BEGAN, change(3, Outcome::Applied, 1), ended(false)]);
        assert!(!whole.may_have_written(4));
    }

    #[test]
    fn what_a_later_pass_does_takes_the_place_of_what_failed_or_was_in_conflict() {
        let later = |position, outcome| Record::Later {
            position: Some(position),
            change: Box::new(Change { entity: String::new(), key: Item::default(), writes: Vec::new() }),
            outcome,
            write_units: WriteCapacity::default(),
            refused_units: WriteUnits(0),
            read_units: ReadUnits::default(),
        };
        let mut account = account(&[BEGAN, change(0, Outcome::Conflict, 0), change(1, Outcome::Failed, 0)]);
        account.add(&later(0, Outcome::Conflict));
        account.add(&later(1, Outcome::Applied));
        let outcomes = account.outcomes(2);
        assert_eq!((outcomes.applied, outcomes.conflict, outcomes.failed), (1, 1, 0));
        account.add(&later(0, Outcome::Applied));
        assert_eq!(account.outcomes(2), Outcomes { applied: 2, ..Outcomes::default() });
    }

    #[test]
    fn what_failed_and_does_not_differ_any_more_is_not_counted_as_failed() {
        let mended = account(&[BEGAN, change(0, Outcome::Failed, 0), ended(true)]).outcomes(1);
        assert_eq!((mended.failed, mended.not_attempted), (0, 0));
        assert_eq!(account(&[BEGAN, change(0, Outcome::Failed, 0), ended(false)]).outcomes(1).failed, 1);
    }
}
