//! A plan in a file: written whole or not at all, and checked whole before it is used.

use std::fs::{File, OpenOptions};
use std::io::{BufReader, BufWriter, Read};
use std::path::{Path, PathBuf};

use super::LedgerFile;
use crate::fanout::{Change, Plan, PlanFileError, PlanHeader, PlanReader, PlanSink, PlanWriter, Totals};

/// A plan in a file, which is kept open: what is applied is the file that was checked, whatever its name comes to mean.
#[derive(Debug)]
pub struct PlanFile {
    path: PathBuf,
    file: File,
    header: PlanHeader,
    totals: Totals,
    digest: String,
}

/// Takes a plan that goes to a file. The file appears when the plan is complete; until then it has another name, and
/// where the plan never becomes complete it is removed.
#[derive(Debug)]
pub struct FileSink {
    path: PathBuf,
    /// Removed when dropped, unless it got its final name.
    partial: Partial,
    to: Option<PlanWriter<BufWriter<File>>>,
}

#[derive(Debug)]
struct Partial {
    path: PathBuf,
    is_final: bool,
}

impl PlanFile {
    /// Opens a plan, and checks all of it in one pass that keeps nothing.
    ///
    /// # Errors
    /// It cannot be read, is no plan, is of another format, or is not what was written.
    pub fn open(path: impl Into<PathBuf>) -> Result<PlanFile, PlanFileError> {
        let path = path.into();
        let file = File::open(&path)?;
        let (header, totals, digest) = PlanReader::open(from_start(&file)?)?.check()?;
        Ok(PlanFile { path, file, header, totals, digest })
    }

    /// Takes a plan that is to be written there, where only its owner can read it: it holds keys and values of the
    /// table. A link is followed, so that the file that it names is replaced and not the link.
    ///
    /// # Errors
    /// No file can be made there, something else is, or a plan whose run is not finished.
    pub fn create(path: &Path) -> Result<FileSink, PlanFileError> {
        let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        if path.exists() && !path.is_file() {
            return Err(std::io::Error::other("it is there, and is no regular file").into());
        }
        if is_unfinished(&path) {
            return Err(PlanFileError::Unfinished);
        }
        let mut partial = path.clone().into_os_string();
        partial.push(format!(".{}.partial", std::process::id()));
        let mut options = OpenOptions::new();
        options.write(true).read(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        // Made now, so that a folder that cannot be written to is known before anything is read from the table.
        drop(options.open(&partial)?);
        Ok(FileSink { path, partial: Partial { path: partial.into(), is_final: false }, to: None })
    }

    /// The digest of all of it, which tells it from every other plan.
    pub fn digest(&self) -> &str {
        &self.digest
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Plan for PlanFile {
    fn header(&self) -> &PlanHeader {
        &self.header
    }

    fn totals(&self) -> &Totals {
        &self.totals
    }

    fn changes(&self) -> Result<impl Iterator<Item = Result<Change, PlanFileError>> + Send, PlanFileError> {
        PlanReader::open(from_start(&self.file)?)
    }
}

impl PlanSink for FileSink {
    type Made = PlanFile;

    fn begin(&mut self, header: PlanHeader) -> Result<(), PlanFileError> {
        let file = OpenOptions::new().write(true).open(&self.partial.path)?;
        self.to = Some(PlanWriter::begin(BufWriter::new(file), &header)?);
        Ok(())
    }

    fn add(&mut self, change: Change) -> Result<(), PlanFileError> {
        self.to.as_mut().ok_or(PlanFileError::NotAPlan)?.add(&change)
    }

    fn finish(mut self, totals: Totals) -> Result<PlanFile, PlanFileError> {
        let (written, digest) = self.to.take().ok_or(PlanFileError::NotAPlan)?.finish(&totals)?;
        written.into_inner().map_err(std::io::IntoInnerError::into_error)?.sync_all()?;
        std::fs::rename(&self.partial.path, &self.path)?;
        // It belonged to the plan that was there before, whose run is finished.
        drop(std::fs::remove_file(LedgerFile::path_of(&self.path)));
        self.partial.is_final = true;
        let file = File::open(&self.path)?;
        let header = PlanReader::open(from_start(&file)?)?.header().clone();
        Ok(PlanFile { path: self.path, file, header, totals, digest })
    }
}

impl Drop for Partial {
    fn drop(&mut self) {
        if !self.is_final {
            // There is nobody to tell, and a file with such a name is never taken for a plan.
            drop(std::fs::remove_file(&self.path));
        }
    }
}

/// Whether there is a plan whose run was begun and is not finished.
fn is_unfinished(path: &Path) -> bool {
    let Ok(plan) = PlanFile::open(path) else { return false };
    matches!(LedgerFile::read(&plan), Ok(Some((account, is_under_way))) if is_under_way || !account.is_finished())
}

/// A reader of its own from the file's start: several may be under way, and none moves another.
fn from_start(file: &File) -> Result<BufReader<ReadAt>, PlanFileError> {
    Ok(BufReader::new(ReadAt { file: file.try_clone()?, at: 0 }))
}

#[derive(Debug)]
struct ReadAt {
    file: File,
    at: u64,
}

impl Read for ReadAt {
    fn read(&mut self, to: &mut [u8]) -> std::io::Result<usize> {
        #[cfg(unix)]
        let read = std::os::unix::fs::FileExt::read_at(&self.file, to, self.at)?;
        #[cfg(windows)]
        let read = std::os::windows::fs::FileExt::seek_read(&self.file, to, self.at)?;
        self.at += read as u64;
        Ok(read)
    }
}
