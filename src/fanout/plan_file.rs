//! The format of a plan file: one JSON line for the header, one for each change, one for the totals.
//!
//! It is written and read in order, and no more than one line of it is held. The last line carries a digest of all of
//! it, so that a file that was cut short or edited is refused.

use std::io::{BufRead, Read, Write};

use serde::de::{DeserializeOwned, IgnoredAny};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::{Change, PlanHeader, PlanSums, Totals};

/// The version of the format. Raise it whenever a line changes its meaning.
const FORMAT: u32 = 4;
/// No line is longer: a change holds a few values of one item, and no item is over 400 KB.
const MAX_LINE_BYTES: u64 = 16 * 1024 * 1024;

/// Why a plan cannot be kept, or a file is not a plan that can be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PlanFileError {
    /// It cannot be read or written.
    #[error("it cannot be read or written: {0}")]
    Io(#[from] std::io::Error),
    /// It is something else.
    #[error("it is not a plan file")]
    NotAPlan,
    /// Another version of this tool wrote it.
    #[error("it has format {found}, and this version of singletable reads format {FORMAT}: make the plan again")]
    Format {
        /// The format that it has.
        found: u32,
    },
    /// Its end is missing.
    #[error("it is cut short: make the plan again")]
    Truncated,
    /// It was changed after it was written.
    #[error("line {line} is not what was written: make the plan again")]
    Altered {
        /// The first line that does not fit, counted from 1.
        line: u64,
    },
    /// A run of the plan that is there is not finished.
    #[error("the run of the plan that is there is not finished: resume it, or write to another file")]
    Unfinished,
    /// It has too many changes to be held in memory.
    #[error("it has more changes than are held in memory: plan into a file")]
    TooLargeForMemory,
}

#[derive(Serialize, Deserialize)]
struct Opening<T> {
    singletable_plan: u32,
    header: T,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Line<C, T> {
    Change(C),
    Totals { totals: T, digest: String },
}

/// A line as it is written, and as it is read.
type Written<'a> = Line<&'a Change, &'a Totals>;
type ReadLine = Line<Box<Change>, Box<Totals>>;

/// Writes a plan, line by line: [`begin`](Self::begin) with the header, then each change, then the totals.
#[derive(Debug)]
pub struct PlanWriter<W> {
    to: W,
    digest: Sha256,
}

impl<W: Write> PlanWriter<W> {
    /// Writes the header.
    ///
    /// # Errors
    /// The writer fails.
    pub fn begin(to: W, header: &PlanHeader) -> Result<Self, PlanFileError> {
        let mut writer = PlanWriter { to, digest: Sha256::new() };
        writer.line(&Opening { singletable_plan: FORMAT, header })?;
        Ok(writer)
    }

    /// Writes a change.
    ///
    /// # Errors
    /// The writer fails.
    pub fn add(&mut self, change: &Change) -> Result<(), PlanFileError> {
        self.line(&Written::Change(change))
    }

    /// Writes the totals, and gives the writer back, and the digest of all of it.
    ///
    /// # Errors
    /// The writer fails.
    pub fn finish(mut self, totals: &Totals) -> Result<(W, String), PlanFileError> {
        let digest = sealed(&self.digest, totals)?;
        self.line(&Written::Totals { totals, digest: digest.clone() })?;
        self.to.flush()?;
        Ok((self.to, digest))
    }

    fn line(&mut self, value: &impl Serialize) -> Result<(), PlanFileError> {
        let mut line = serde_json::to_vec(value).map_err(std::io::Error::other)?;
        line.push(b'\n');
        self.digest.update(&line);
        self.to.write_all(&line)?;
        Ok(())
    }
}

/// Reads a plan, change by change. After the last change the totals are held against all that came before them, and
/// then are there to be had; whoever has read to the end without an error has read what was written.
#[derive(Debug)]
pub struct PlanReader<R> {
    from: R,
    header: PlanHeader,
    digest: Sha256,
    /// The number of the line that was read last.
    line: u64,
    sums: PlanSums,
    totals: Option<(Totals, String)>,
    /// Nothing more is read after the totals or an error.
    is_over: bool,
}

impl<R: BufRead> PlanReader<R> {
    /// Reads the header.
    ///
    /// # Errors
    /// It is not a plan, or of another format.
    pub fn open(mut from: R) -> Result<Self, PlanFileError> {
        let first = next_line(&mut from)?.ok_or(PlanFileError::NotAPlan)?;
        let format: Opening<IgnoredAny> = parse(&first).ok_or(PlanFileError::NotAPlan)?;
        if format.singletable_plan != FORMAT {
            return Err(PlanFileError::Format { found: format.singletable_plan });
        }
        let Opening { header, .. } = parse(&first).ok_or(PlanFileError::Altered { line: 1 })?;
        let digest = Sha256::new().chain_update(&first);
        Ok(PlanReader { from, header, digest, line: 1, sums: PlanSums::default(), totals: None, is_over: false })
    }

    /// What the plan was made for.
    pub fn header(&self) -> &PlanHeader {
        &self.header
    }

    /// Reads what is left, keeps none of it, and gives the header, the totals, and the digest of all of it.
    ///
    /// # Errors
    /// The plan is cut short, or altered.
    pub fn check(mut self) -> Result<(PlanHeader, Totals, String), PlanFileError> {
        for change in &mut self {
            change?;
        }
        let (totals, digest) = self.totals.ok_or(PlanFileError::Truncated)?;
        Ok((self.header, totals, digest))
    }

    fn read(&mut self) -> Result<Option<Change>, PlanFileError> {
        let text = next_line(&mut self.from)?.ok_or(PlanFileError::Truncated)?;
        self.line += 1;
        let altered = PlanFileError::Altered { line: self.line };
        match parse(&text) {
            Some(ReadLine::Change(change)) => {
                self.digest.update(&text);
                self.sums.add(&change);
                Ok(Some(*change))
            }
            Some(ReadLine::Totals { totals, digest }) => {
                let is_last = self.from.fill_buf()?.is_empty();
                if !is_last || digest != sealed(&self.digest, &totals)? || !self.sums.agree_with(&totals) {
                    return Err(altered);
                }
                self.totals = Some((*totals, digest));
                Ok(None)
            }
            // A file that is cut short mostly ends inside of a line.
            None if !text.ends_with(b"\n") || self.from.fill_buf()?.is_empty() => Err(PlanFileError::Truncated),
            None => Err(altered),
        }
    }
}

impl<R: BufRead> Iterator for PlanReader<R> {
    type Item = Result<Change, PlanFileError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.is_over {
            return None;
        }
        let next = self.read().transpose();
        self.is_over = !matches!(next, Some(Ok(_)));
        next
    }
}

/// The next line with its end; what is longer than any line of a plan is none.
fn next_line(from: &mut impl BufRead) -> Result<Option<Vec<u8>>, PlanFileError> {
    let mut line = Vec::new();
    from.by_ref().take(MAX_LINE_BYTES).read_until(b'\n', &mut line)?;
    Ok((!line.is_empty()).then_some(line))
}

/// The digest of the lines before and of the totals themselves.
fn sealed(so_far: &Sha256, totals: &Totals) -> Result<String, PlanFileError> {
    let totals = serde_json::to_vec(totals).map_err(std::io::Error::other)?;
    let digest = so_far.clone().chain_update(totals).finalize();
    Ok(digest.iter().map(|byte| format!("{byte:02x}")).collect())
}

fn parse<T: DeserializeOwned>(line: &[u8]) -> Option<T> {
    serde_json::from_slice(line).ok()
}
