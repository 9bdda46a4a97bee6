//! `fan-out apply`

use std::path::Path;

use tokio_util::sync::CancellationToken;

use super::plan::{file_at, make, preview, request};
use super::{layout_for, now};
use crate::cli::args::{Apply, Common, Format};
use crate::cli::connection::Session;
use crate::cli::failure::Failure;
use crate::cli::preview::Preview;
use crate::cli::progress::Progress;
use crate::cli::stop::stoppable;
use crate::cli::view::plan::{question, text as plan_text};
use crate::cli::view::report::{ReportJson, text as report_text};
use crate::cli::{ExitStatus, output, prices, run_folder};
use crate::client::{ApplyError, ApplyOptions, PlanFile, apply};
use crate::fanout::{Plan, PlanFileError, Report, TableIdentity};
use crate::layout::Layout;

pub(super) async fn run(common: &Common, args: &Apply) -> Result<ExitStatus, Failure> {
    let layout = layout_for(common, &args.connection)?;
    let is_request = !args.key.is_empty() || !args.request.is_empty();
    if is_request && layout.entity(&args.target).is_none() && Path::new(&args.target).is_file() {
        return Err(Failure::usage("a plan file says itself what is set, and takes no key, --set, --was or --include"));
    }
    // What is asked for is checked before anything is reached.
    let read = match is_request {
        true => Err(request(&layout, &args.target, &args.key, &args.request)?),
        false => Ok(read(Path::new(&args.target), &layout)?),
    };
    if !args.yes {
        output::require_terminal()?;
    }
    let session = Session::open(&args.connection, &layout).await?;
    let table = session.announce().await?;
    let (tariff, left_out) = (prices::tariff(&args.pricing, &session, &table)?, prices::left_out(&table));
    let identity = table.identity;
    let plan = match read {
        Ok(plan) => {
            check_table(&plan.header().table, &identity)?;
            plan
        }
        Err(request) => {
            let path = run_folder::new_plan(&session, &request.entity)?;
            make(&session, &layout, request, identity, file_at(&path)?).await?
        }
    };
    let shown = Preview { tariff, left_out, ..preview(&plan)? };
    if common.format == Format::Text {
        output::data(&plan_text(
            &shown,
            &layout.table().key,
            args.show_expressions,
            Some(&plan.path().display().to_string()),
        ))?;
    }
    // A plan of a run that never was is of no use to anybody.
    let forget = || {
        if is_request {
            drop(std::fs::remove_file(plan.path()))
        }
    };
    if !plan.is_applicable() {
        forget();
        return Err(Failure::new("the plan cannot be applied; nothing was written"));
    }
    let estimate = &plan.totals().estimate;
    if let Err(failure) = args.budget.check(&shown.tariff, &estimate.worst_case, estimate.read_units.apply) {
        forget();
        return Err(failure);
    }
    if plan.is_empty() {
        forget();
    } else if !args.yes && !output::confirm(&question(&shown))? {
        forget();
        output::say("nothing was written");
        return Ok(ExitStatus::Done);
    }
    let report = carry_out(&session, &layout, &plan).await?;
    match common.format {
        Format::Json => output::json("fan-out apply", &ReportJson::of(&shown, &report))?,
        Format::Text => output::data(&format!("\n{}", report_text(&shown, &report)))?,
    }
    Ok(status(&report))
}

/// Runs a plan, with progress, until its end or Ctrl-C.
pub(super) async fn carry_out(session: &Session, layout: &Layout, plan: &impl Plan) -> Result<Report, Failure> {
    let progress = Progress::towards(plan.totals().changes, "writing");
    let stop = CancellationToken::new();
    let options = ApplyOptions { settle: session.settle, now: now(), stop: stop.clone(), ..ApplyOptions::default() };
    let work = async { Ok(apply(&session.store, layout, plan, &options, |event| progress.tell(event)).await) };
    let applied = stoppable(&stop, work).await;
    progress.finish();
    match applied? {
        Ok(report) => Ok(report),
        Err(ApplyError::Interrupted { error, mut report }) => {
            report.problems.push(error.to_string());
            Ok(*report)
        }
        Err(ApplyError::Store(error)) => Err(error.into()),
        Err(other) => Err(Failure::new(other.to_string())),
    }
}

/// The exit code of a run.
pub(super) fn status(report: &Report) -> ExitStatus {
    match report {
        report if report.interrupted => ExitStatus::Interrupted,
        report if report.outcomes.failed > 0 => ExitStatus::Failed,
        report if report.outcomes.conflict > 0 => ExitStatus::Conflict,
        report if !report.verified => ExitStatus::Failed,
        _ => ExitStatus::Done,
    }
}

fn read(path: &Path, layout: &Layout) -> Result<PlanFile, Failure> {
    let plan =
        PlanFile::open(path).map_err(|error| match (error, path.to_str().and_then(|name| layout.entity(name))) {
            (PlanFileError::Io(_), Some(entity)) => Failure::usage(format!("which {} is the source?", entity.name))
                .help(format!("name its key, such as `fan-out apply {} id=12 --set name=\"...\"`", entity.name)),
            (PlanFileError::Io(error), None) => {
                Failure::new(format!("the plan {} cannot be read: {error}", path.display()))
            }
            (error, _) => Failure::new(format!("{} cannot be used as a plan: {error}", path.display())),
        })?;
    match plan.header().definition == layout.fingerprint() || plan.header().table.name != layout.table().name {
        true => Ok(plan),
        false => Err(Failure::new("the plan was made with another definition").help("make the plan again")),
    }
}

/// Refuses a plan that was made for another table.
fn check_table(planned: &TableIdentity, found: &TableIdentity) -> Result<(), Failure> {
    let differs = |what: &str, planned: &str, found: &str| {
        Err(Failure::new(format!(
            "the plan was made for another table: its {what} is {planned}, and this one's is {found}"
        ))
        .help("make the plan again"))
    };
    let or_none = |text: &Option<String>| text.clone().unwrap_or_else(|| "unknown".to_owned());
    match () {
        () if planned.name != found.name => differs("name", &planned.name, &found.name),
        () if planned.endpoint != found.endpoint => differs("endpoint", &planned.endpoint, &found.endpoint),
        () if planned.arn != found.arn => differs("ARN", &or_none(&planned.arn), &or_none(&found.arn)),
        () if planned.id != found.id => differs("id", &or_none(&planned.id), &or_none(&found.id)),
        () => Ok(()),
    }
}
