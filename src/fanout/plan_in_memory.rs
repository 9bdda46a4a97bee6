//! A small plan, held whole.

use super::{Change, Plan, PlanFileError, PlanHeader, PlanSink, Totals};

/// The most that the changes of a plan in memory may come to, in bytes of the lines that a plan file would hold.
pub const MAX_BYTES_IN_MEMORY: u64 = 16 * 1024 * 1024;

/// A plan of at most [`MAX_BYTES_IN_MEMORY`], which is some ten thousand changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlanInMemory {
    /// What it was made for.
    pub header: PlanHeader,
    /// The writes to the targets.
    pub changes: Vec<Change>,
    /// The counts, the estimate, and what stands in the way.
    pub totals: Totals,
}

/// Takes a plan that is to be held in memory.
#[derive(Debug, Default)]
pub struct MemorySink {
    header: Option<PlanHeader>,
    changes: Vec<Change>,
    bytes: u64,
}

impl PlanInMemory {
    /// What takes such a plan while it is made.
    pub fn sink() -> MemorySink {
        MemorySink::default()
    }
}

impl Plan for PlanInMemory {
    fn header(&self) -> &PlanHeader {
        &self.header
    }

    fn totals(&self) -> &Totals {
        &self.totals
    }

    fn changes(&self) -> Result<impl Iterator<Item = Result<Change, PlanFileError>> + Send, PlanFileError> {
        Ok(self.changes.iter().cloned().map(Ok))
    }
}

impl PlanSink for MemorySink {
    type Made = PlanInMemory;

    fn begin(&mut self, header: PlanHeader) -> Result<(), PlanFileError> {
        self.header = Some(header);
        Ok(())
    }

    fn add(&mut self, change: Change) -> Result<(), PlanFileError> {
        let mut line = CountedBytes(0);
        serde_json::to_writer(&mut line, &change).map_err(std::io::Error::other)?;
        self.bytes += line.0;
        if self.bytes > MAX_BYTES_IN_MEMORY {
            return Err(PlanFileError::TooLargeForMemory);
        }
        self.changes.push(change);
        Ok(())
    }

    fn finish(self, totals: Totals) -> Result<PlanInMemory, PlanFileError> {
        let header = self.header.ok_or(PlanFileError::NotAPlan)?;
        Ok(PlanInMemory { header, changes: self.changes, totals })
    }
}

/// Counts what is written to it, and keeps nothing.
struct CountedBytes(u64);

impl std::io::Write for CountedBytes {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0 += bytes.len() as u64;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}
