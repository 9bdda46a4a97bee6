//! The plan file: one JSON line for the header, one for each change, one for the totals.
//!
//! The last line carries a digest of all of it, so that a file that was cut short or edited is refused.

use std::io::{BufRead, Write};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::{Change, Plan, PlanHeader, Totals};

/// The version of the format. Raise it whenever a line changes its meaning.
const FORMAT: u32 = 2;

/// Why a file is not a plan that can be used.
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
        line: usize,
    },
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
type Read = Line<Box<Change>, Box<Totals>>;

impl Plan {
    /// Writes the plan.
    ///
    /// # Errors
    /// The writer fails.
    pub fn write(&self, mut to: impl Write) -> Result<(), PlanFileError> {
        let mut digest = Sha256::new();
        let mut line = |value: String| {
            digest.update(value.as_bytes());
            digest.update(b"\n");
            writeln!(to, "{value}").map(|()| hex(&digest))
        };
        let json = |value: Result<String, serde_json::Error>| value.map_err(std::io::Error::other);
        let mut so_far =
            line(json(serde_json::to_string(&Opening { singletable_plan: FORMAT, header: &self.header }))?)?;
        for change in &self.changes {
            so_far = line(json(serde_json::to_string(&Written::Change(change)))?)?;
        }
        let digest = sealed(&so_far, &self.totals)?;
        line(json(serde_json::to_string(&Written::Totals { totals: &self.totals, digest }))?)?;
        to.flush()?;
        Ok(())
    }

    /// Reads a plan back.
    ///
    /// # Errors
    /// It is not a plan, of another format, cut short, or altered.
    pub fn read(from: impl BufRead) -> Result<Plan, PlanFileError> {
        let mut lines = from.lines();
        let first = match lines.next() {
            Some(Err(error)) if error.kind() != std::io::ErrorKind::InvalidData => return Err(error.into()),
            Some(Ok(line)) => line,
            _ => return Err(PlanFileError::NotAPlan),
        };
        let format: Opening<serde::de::IgnoredAny> = parse(&first).ok_or(PlanFileError::NotAPlan)?;
        if format.singletable_plan != FORMAT {
            return Err(PlanFileError::Format { found: format.singletable_plan });
        }
        let opening: Opening<PlanHeader> = parse(&first).ok_or(PlanFileError::Altered { line: 1 })?;
        let mut digest = Sha256::new();
        let mut take = |line: &str| {
            digest.update(line.as_bytes());
            digest.update(b"\n");
            hex(&digest)
        };
        let mut so_far = take(&first);
        let mut changes = Vec::new();
        let mut lines = lines.enumerate().peekable();
        while let Some((at, line)) = lines.next() {
            let altered = PlanFileError::Altered { line: at + 2 };
            let is_last = lines.peek().is_none();
            let text = line?;
            match parse(&text) {
                Some(Read::Change(change)) => changes.push(*change),
                Some(Read::Totals { totals, digest }) => {
                    if !is_last || digest != sealed(&so_far, &totals)? || totals.changes != changes.len() as u64 {
                        return Err(altered);
                    }
                    return Ok(Plan { header: opening.header, changes, totals: *totals });
                }
                None if is_last => return Err(PlanFileError::Truncated),
                None => return Err(altered),
            }
            so_far = take(&text);
        }
        Err(PlanFileError::Truncated)
    }
}

/// The digest of the lines before and of the totals themselves.
fn sealed(so_far: &str, totals: &Totals) -> Result<String, PlanFileError> {
    let totals = serde_json::to_string(totals).map_err(std::io::Error::other)?;
    Ok(hex(&Sha256::new().chain_update(so_far).chain_update(totals)))
}

fn parse<T: DeserializeOwned>(line: &str) -> Option<T> {
    serde_json::from_str(line).ok()
}

fn hex(digest: &Sha256) -> String {
    digest.clone().finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}
