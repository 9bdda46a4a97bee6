//! `fan-out apply`

use std::path::Path;

use super::carry_out::{Approval, carry_out, status};
use super::layout_for;
use super::plan::{file_at, make, preview, request};
use crate::capacity::WriteUnits;
use crate::cli::args::{Apply, Common, Format};
use crate::cli::connection::Session;
use crate::cli::failure::Failure;
use crate::cli::preview::Preview;
use crate::cli::view::plan::{question, text as plan_text};
use crate::cli::view::report::{ReportJson, text as report_text};
use crate::cli::{ExitStatus, output, prices, run_folder};
use crate::client::{LedgerFile, PlanFile};
use crate::fanout::{Account, LedgerError, Plan, PlanFileError, TableIdentity};
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
            if matches!(LedgerFile::read(&plan), Ok(Some(_))) {
                return Err(cannot_be_kept(&plan, &LedgerError::Exists));
            }
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
    let approved = args.budget.max_write_units.map(WriteUnits);
    let approval = Approval { write_units: approved, may_ask: !args.yes };
    let again = match plan.is_empty() {
        true => "the same command again does".to_owned(),
        false => format!("`singletable fan-out resume {}` finishes it", plan.path().display()),
    };
    let report = match plan.is_empty() {
        true => {
            let nothing = Approval { write_units: Some(WriteUnits(0)), may_ask: false };
            carry_out(&session, &layout, &plan, &mut Account::default(), nothing, &again).await?
        }
        false => {
            let mut ledger = LedgerFile::create(&plan).map_err(|error| cannot_be_kept(&plan, &error))?;
            carry_out(&session, &layout, &plan, &mut ledger, approval, &again).await?
        }
    };
    match common.format {
        Format::Json => output::json("fan-out apply", &ReportJson::of(&shown, &report))?,
        Format::Text => output::data(&format!("\n{}", report_text(&shown, &report, &again)))?,
    }
    Ok(status(&report))
}

/// Why a run cannot be begun whose ledger cannot be.
fn cannot_be_kept(plan: &PlanFile, error: &LedgerError) -> Failure {
    let path = plan.path().display();
    match error {
        LedgerError::Exists => match LedgerFile::read(plan) {
            Ok(Some((account, _))) if account.is_finished() => {
                Failure::new(format!("the plan {path} was applied, and is finished")).help("make a new plan")
            }
            _ => Failure::new(format!("a run of {path} was begun and is not finished"))
                .help(format!("`singletable fan-out resume {path}` finishes it")),
        },
        error => Failure::new(format!("the ledger beside {path} cannot be kept, so nothing was written: {error}")),
    }
}

/// Reads a plan file, and refuses one of another definition.
pub(super) fn read(path: &Path, layout: &Layout) -> Result<PlanFile, Failure> {
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
pub(super) fn check_table(planned: &TableIdentity, found: &TableIdentity) -> Result<(), Failure> {
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
