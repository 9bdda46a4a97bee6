//! A ledger in a file beside its plan, which only its owner can read.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{BufReader, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use super::PlanFile;
use crate::fanout::{Account, Ledger, LedgerError, LedgerReader, LedgerWriter, Record};

/// The ledger of a plan in a file: `rename.plan.ledger` beside `rename.plan`. While it is open no other process has it.
#[derive(Debug)]
pub struct LedgerFile {
    path: PathBuf,
    account: Account,
    writer: LedgerWriter<File>,
}

impl LedgerFile {
    /// Begins the ledger of a plan that was never run.
    ///
    /// # Errors
    /// A run was noted before ([`LedgerError::Exists`]), another process has it, or it cannot be written.
    pub fn create(plan: &PlanFile) -> Result<LedgerFile, LedgerError> {
        let path = LedgerFile::path_of(plan.path());
        let mut file = open(&path, true)?;
        let account = match LedgerReader::open(BufReader::new(&file), plan.digest()) {
            Ok(mut reader) => gather(&mut reader)?,
            Err(LedgerError::Missing) => Account::default(),
            Err(error) => return Err(error),
        };
        if !account.is_empty() {
            return Err(LedgerError::Exists);
        }
        // Nothing was noted in it: what is there is torn, or the name alone.
        file.set_len(0)?;
        file.seek(SeekFrom::Start(0))?;
        let writer = LedgerWriter::begin(file, plan.digest())?;
        Ok(LedgerFile { path, account: Account::default(), writer })
    }

    /// Opens the ledger of a plan that was run before, to go on with it. What is torn at its end is cut off.
    ///
    /// # Errors
    /// There is none ([`LedgerError::Missing`]), another process has it, or it is not what was written.
    pub fn open(plan: &PlanFile) -> Result<LedgerFile, LedgerError> {
        let path = LedgerFile::path_of(plan.path());
        let mut file = open(&path, false)?;
        let mut reader = LedgerReader::open(BufReader::new(file.try_clone()?), plan.digest())?;
        let account = gather(&mut reader)?;
        file.set_len(reader.end())?;
        file.seek(SeekFrom::End(0))?;
        let writer = LedgerWriter::go_on(file, &reader);
        Ok(LedgerFile { path, account, writer })
    }

    /// What a plan's ledger adds up to, and whether a run is under way. It is only read; `None` where the plan was never
    /// run.
    ///
    /// # Errors
    /// It cannot be read, or is not what was written.
    pub fn read(plan: &PlanFile) -> Result<Option<(Account, bool)>, LedgerError> {
        let file = match File::open(LedgerFile::path_of(plan.path())) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            file => file?,
        };
        let is_under_way = matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock));
        match LedgerReader::open(BufReader::new(file), plan.digest()) {
            Err(LedgerError::Missing) => Ok(None),
            reader => Ok(Some((gather(&mut reader?)?, is_under_way)).filter(|(account, _)| !account.is_empty())),
        }
    }

    /// The records of a plan's ledger, in order.
    ///
    /// # Errors
    /// There is none, or it cannot be read.
    pub fn records(plan: &PlanFile) -> Result<LedgerReader<BufReader<File>>, LedgerError> {
        let file = File::open(LedgerFile::path_of(plan.path())).map_err(missing)?;
        LedgerReader::open(BufReader::new(file), plan.digest())
    }

    /// Where the ledger of a plan is.
    pub fn path_of(plan: &Path) -> PathBuf {
        let mut path = plan.canonicalize().unwrap_or_else(|_| plan.to_owned()).into_os_string();
        path.push(".ledger");
        path.into()
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Ledger for LedgerFile {
    fn account(&self) -> &Account {
        &self.account
    }

    fn note(&mut self, record: &Record) -> Result<(), LedgerError> {
        // It happened, whether or not it can be kept.
        self.account.add(record);
        self.writer.write(record)
    }
}

/// A ledger that says nothing says that there was no run.
impl Drop for LedgerFile {
    fn drop(&mut self) {
        if self.account.is_empty() {
            // There is nobody to tell, and an empty ledger is taken for none.
            drop(std::fs::remove_file(&self.path));
        }
    }
}

/// Opens a ledger for reading and writing, for this process alone.
fn open(path: &Path, create: bool) -> Result<File, LedgerError> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(create).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let file = options.open(path).map_err(missing)?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(LedgerError::InUse),
        Err(TryLockError::Error(error)) => Err(error.into()),
    }
}

fn missing(error: std::io::Error) -> LedgerError {
    match error.kind() {
        std::io::ErrorKind::NotFound => LedgerError::Missing,
        _ => error.into(),
    }
}

fn gather<R: std::io::BufRead>(reader: &mut LedgerReader<R>) -> Result<Account, LedgerError> {
    let mut account = Account::default();
    for record in reader {
        account.add(&record?);
    }
    Ok(account)
}
