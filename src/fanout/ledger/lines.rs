//! A ledger as lines of text: a checksum, and a record in JSON.
//!
//! Each checksum covers the one before it, so that a line that is missing, changed or out of its place shows. A line is
//! written in one piece; what is torn at the end, by a kill or a full disk, was never a record.

use std::io::{BufRead, Read, Write};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::Record;

/// The version of the format. Raise it whenever a line changes its meaning.
const FORMAT: u32 = 1;
/// No line is longer: a record holds one change at most.
const MAX_LINE_BYTES: u64 = 16 * 1024 * 1024;
/// A checksum in hexadecimal digits, and a space.
const CHECKSUM_LENGTH: usize = 9;

/// Why a ledger cannot be kept, or cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LedgerError {
    /// It cannot be read or written.
    #[error("it cannot be read or written: {0}")]
    Io(#[from] std::io::Error),
    /// It is something else.
    #[error("it is not a ledger")]
    NotALedger,
    /// Another version of this tool wrote it.
    #[error("it has format {found}, and this version of singletable reads format {FORMAT}")]
    Format {
        /// The format that it has.
        found: u32,
    },
    /// It is about another plan.
    #[error("it belongs to another plan")]
    OtherPlan,
    /// It was changed after it was written.
    #[error("line {line} is not what was written")]
    Altered {
        /// The first line that does not fit, counted from 1.
        line: u64,
    },
    /// Another process has it.
    #[error("another run of this plan is under way")]
    InUse,
    /// A run of the plan was noted before.
    #[error("it is there already")]
    Exists,
    /// There is none.
    #[error("there is none")]
    Missing,
}

#[derive(Serialize, Deserialize)]
struct Opening {
    singletable_ledger: u32,
    /// The digest in the plan's last line.
    plan: String,
}

/// Writes records, each in one piece.
#[derive(Debug)]
pub struct LedgerWriter<W> {
    to: W,
    checksum: String,
    /// Nothing is written after a line that may be torn.
    is_torn: bool,
}

impl<W: Write> LedgerWriter<W> {
    /// Begins the ledger of a plan, which is named by its digest.
    ///
    /// # Errors
    /// The writer fails.
    pub fn begin(to: W, plan: &str) -> Result<Self, LedgerError> {
        let mut writer = LedgerWriter { to, checksum: String::new(), is_torn: false };
        writer.line(&Opening { singletable_ledger: FORMAT, plan: plan.to_owned() })?;
        Ok(writer)
    }

    /// Goes on after the last record that a reader read.
    pub fn go_on<R>(to: W, after: &LedgerReader<R>) -> Self {
        LedgerWriter { to, checksum: after.checksum.clone(), is_torn: false }
    }

    /// Writes a record.
    ///
    /// # Errors
    /// The writer fails, or failed before.
    pub fn write(&mut self, record: &Record) -> Result<(), LedgerError> {
        self.line(record)
    }

    fn line(&mut self, value: &impl Serialize) -> Result<(), LedgerError> {
        if self.is_torn {
            return Err(std::io::Error::other("an earlier record could not be written").into());
        }
        let json = serde_json::to_string(value).map_err(std::io::Error::other)?;
        let checksum = checksum(&self.checksum, json.as_bytes());
        self.is_torn = true;
        self.to.write_all(format!("{checksum} {json}\n").as_bytes())?;
        self.to.flush()?;
        self.is_torn = false;
        self.checksum = checksum;
        Ok(())
    }
}

/// Reads records in order, up to the last whole one.
#[derive(Debug)]
pub struct LedgerReader<R> {
    from: R,
    checksum: String,
    /// The number of the line that was read last.
    line: u64,
    /// Where the last whole record ends.
    end: u64,
    is_over: bool,
}

impl<R: BufRead> LedgerReader<R> {
    /// Reads the first line of the ledger of a plan, which is named by its digest. A ledger that is empty, or torn in its
    /// first line, is [`Missing`](LedgerError::Missing): no run got as far as noting anything.
    ///
    /// # Errors
    /// It is not a ledger, of another format, or of another plan.
    pub fn open(from: R, plan: &str) -> Result<Self, LedgerError> {
        let mut reader = LedgerReader { from, checksum: String::new(), line: 0, end: 0, is_over: false };
        let Some(Line { json, is_whole }) = reader.line()? else { return Err(LedgerError::Missing) };
        let opening: Opening = match serde_json::from_slice(&json) {
            Ok(opening) => opening,
            Err(_) if !is_whole && json.is_empty() => return Err(LedgerError::Missing),
            Err(_) => return Err(LedgerError::NotALedger),
        };
        if opening.singletable_ledger != FORMAT {
            return Err(LedgerError::Format { found: opening.singletable_ledger });
        }
        match (is_whole, opening.plan == plan) {
            (false, _) => Err(LedgerError::Altered { line: 1 }),
            (true, false) => Err(LedgerError::OtherPlan),
            (true, true) => Ok(reader),
        }
    }

    /// Where the last whole record ends, in bytes from the start.
    pub fn end(&self) -> u64 {
        self.end
    }

    fn read(&mut self) -> Result<Option<Record>, LedgerError> {
        let Some(Line { json, is_whole }) = self.line()? else { return Ok(None) };
        let is_last = self.from.fill_buf()?.is_empty();
        match serde_json::from_slice(&json) {
            Ok(record) if is_whole => Ok(Some(record)),
            // A torn record was never one: nothing was written to the table after it.
            _ if is_last => Ok(None),
            _ => Err(LedgerError::Altered { line: self.line }),
        }
    }

    /// The next line, and whether it is what was written.
    fn line(&mut self) -> Result<Option<Line>, LedgerError> {
        let mut line = Vec::new();
        self.from.by_ref().take(MAX_LINE_BYTES).read_until(b'\n', &mut line)?;
        if line.is_empty() {
            return Ok(None);
        }
        self.line += 1;
        let length = line.len() as u64;
        let has_end = line.pop_if(|byte| *byte == b'\n').is_some();
        let json = line.split_off(line.len().min(CHECKSUM_LENGTH));
        let expected = checksum(&self.checksum, &json);
        let is_whole = has_end && line.strip_suffix(b" ") == Some(expected.as_bytes());
        if is_whole {
            self.checksum = expected;
            self.end += length;
        }
        Ok(Some(Line { json, is_whole }))
    }
}

struct Line {
    json: Vec<u8>,
    is_whole: bool,
}

impl<R: BufRead> Iterator for LedgerReader<R> {
    type Item = Result<Record, LedgerError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.is_over {
            return None;
        }
        let next = self.read().transpose();
        self.is_over = !matches!(next, Some(Ok(_)));
        next
    }
}

fn checksum(before: &str, json: &[u8]) -> String {
    let digest = Sha256::new().chain_update(before).chain_update(json).finalize();
    digest[..4].iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capacity::{ReadUnits, WriteCapacity, WriteUnits};
    use crate::fanout::Outcome;

    fn record(position: u64) -> Record {
        let (write_units, refused_units) = (WriteCapacity::default(), WriteUnits(0));
        Record::Change {
            position,
            outcome: Outcome::Applied,
            write_units,
            refused_units,
            read_units: ReadUnits::default(),
        }
    }

    fn written(records: u64) -> Vec<u8> {
        let mut writer = LedgerWriter::begin(Vec::new(), "plan").unwrap();
        (0..records).for_each(|position| writer.write(&record(position)).unwrap());
        writer.to
    }

    fn read(bytes: &[u8]) -> Result<Vec<Record>, LedgerError> {
        LedgerReader::open(bytes, "plan")?.collect()
    }

    #[test]
    fn wherever_a_ledger_is_torn_its_whole_records_are_read() {
        let whole = written(3);
        let ends: Vec<usize> = whole.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at).collect();
        for cut in 0..=whole.len() {
            let records = ends.iter().filter(|end| **end < cut).count();
            match read(&whole[..cut]) {
                Ok(read) => assert_eq!(read, (0..records as u64 - 1).map(record).collect::<Vec<_>>(), "cut at {cut}"),
                Err(_) => assert_eq!(records, 0, "cut at {cut}"),
            }
        }
    }

    #[test]
    fn a_ledger_whose_lines_were_changed_is_refused() {
        let whole = written(3);
        for at in 0..whole.len() {
            let mut altered = whole.clone();
            altered[at] ^= 1;
            let read = read(&altered).unwrap_or_default();
            assert!(read.len() < 3, "byte {at}");
        }
        let lines: Vec<&[u8]> = whole.split_inclusive(|byte| *byte == b'\n').collect();
        let missing = [lines[0], lines[2], lines[3]].concat();
        assert!(matches!(read(&missing), Err(LedgerError::Altered { line: 2 })));
        assert!(matches!(LedgerReader::open(&whole[..], "other"), Err(LedgerError::OtherPlan)));
    }

    #[test]
    fn a_ledger_goes_on_after_its_last_whole_record() {
        let mut torn = written(2);
        torn.truncate(torn.len() - 5);
        let mut reader = LedgerReader::open(&torn[..], "plan").unwrap();
        assert_eq!(reader.by_ref().count(), 1);
        let kept = torn[..reader.end() as usize].to_vec();
        let mut writer = LedgerWriter::go_on(kept, &reader);
        writer.write(&record(7)).unwrap();
        assert_eq!(read(&writer.to).unwrap(), [record(0), record(7)]);
    }

    #[test]
    fn nothing_is_written_after_a_record_that_may_be_torn() {
        struct Full(usize);
        impl Write for Full {
            fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
                let taken = bytes.len().min(self.0);
                self.0 -= taken;
                match taken {
                    0 => Err(std::io::ErrorKind::StorageFull.into()),
                    taken => Ok(taken),
                }
            }
            fn flush(&mut self) -> std::io::Result<()> {
                Ok(())
            }
        }
        let mut writer = LedgerWriter::begin(Full(150), "plan").unwrap();
        while writer.write(&record(0)).is_ok() {}
        writer.to.0 = 1000;
        assert!(writer.write(&record(1)).is_err());
    }
}
