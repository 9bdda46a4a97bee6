//! `fan-out status`

use std::path::{Path, PathBuf};

use crate::cli::args::{Common, Format, Status};
use crate::cli::failure::Failure;
use crate::cli::run_folder;
use crate::cli::view::status::{UnfinishedRun, json, text};
use crate::cli::{ExitStatus, output};
use crate::client::{LedgerFile, PlanFile};
use crate::fanout::Remaining;

pub(super) fn run(common: &Common, args: &Status) -> Result<ExitStatus, Failure> {
    let mut places = args.places.clone();
    if places.is_empty() {
        places = vec![PathBuf::from("."), run_folder::beside(args.local.as_deref())];
    }
    let mut runs = Vec::new();
    for place in &places {
        for plan in plans_at(place)? {
            runs.extend(unfinished(&plan, args.all)?);
        }
    }
    match common.format {
        Format::Json => output::json("fan-out status", &json(&runs))?,
        Format::Text if runs.is_empty() => {
            let places: Vec<String> = places.iter().map(|place| place.display().to_string()).collect();
            output::say(&format!("no run is unfinished in {}", places.join(" and ")));
        }
        Format::Text => output::data(&text(&runs))?,
    }
    Ok(ExitStatus::Done)
}

/// The plan files that have a ledger: the one that is named, or all in a folder.
fn plans_at(place: &Path) -> Result<Vec<PathBuf>, Failure> {
    if place.is_file() {
        return Ok(vec![place.to_owned()]);
    }
    let entries = match std::fs::read_dir(place) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound && place.ends_with("runs") => return Ok(Vec::new()),
        entries => {
            entries.map_err(|error| Failure::new(format!("{} cannot be looked through: {error}", place.display())))?
        }
    };
    let ledger = |path: PathBuf| (path.extension()? == "ledger").then(|| path.with_extension(""));
    let mut plans: Vec<PathBuf> = entries.filter_map(|entry| ledger(entry.ok()?.path())).collect();
    plans.retain(|plan| plan.is_file());
    plans.sort();
    Ok(plans.into_iter().map(|plan| plan.strip_prefix(".").map(Path::to_owned).unwrap_or(plan)).collect())
}

/// A run, where it is not finished, or all are asked for.
fn unfinished(path: &Path, all: bool) -> Result<Option<UnfinishedRun>, Failure> {
    let cannot = |error: String| Failure::new(format!("{} cannot be read: {error}", path.display()));
    let plan = PlanFile::open(path).map_err(|error| cannot(error.to_string()))?;
    let read = LedgerFile::read(&plan).map_err(|error| cannot(format!("its ledger: {error}")))?;
    let Some((account, is_under_way)) = read else { return Ok(None) };
    if !all && (account.is_finished() || (account.ended().is_some() && !account.is_source_written())) {
        return Ok(None);
    }
    let left = Remaining::of(&plan, &account).map_err(|error| cannot(error.to_string()))?;
    Ok(Some(UnfinishedRun::of(path, &plan, &account, left, is_under_way)))
}
