//! `fan-out resume`

use super::apply::{check_table, read};
use super::carry_out::{Approval, carry_out, status};
use super::layout_for;
use super::plan::preview;
use crate::cli::args::{Common, Format, Resume};
use crate::cli::connection::Session;
use crate::cli::failure::Failure;
use crate::cli::preview::Preview;
use crate::cli::view::report::{ReportJson, text as report_text};
use crate::cli::view::status::remaining;
use crate::cli::{ExitStatus, output, prices};
use crate::client::LedgerFile;
use crate::fanout::{Ledger, LedgerError, Plan, Remaining};

pub(super) async fn run(common: &Common, args: &Resume) -> Result<ExitStatus, Failure> {
    let layout = layout_for(common, &args.connection)?;
    let plan = read(&args.plan, &layout)?;
    let shown = args.plan.display();
    let mut ledger = LedgerFile::open(&plan).map_err(|error| match error {
        LedgerError::Missing => Failure::new(format!("the plan {shown} was never run, so nothing is left over"))
            .help(format!("`singletable fan-out apply {shown}` runs it")),
        error => Failure::new(format!("the ledger of {shown} cannot be used: {error}")),
    })?;
    if ledger.account().is_finished() {
        output::say(&format!("{shown} is finished: nothing is left"));
        return Ok(ExitStatus::Done);
    }
    if !args.yes {
        output::require_terminal()?;
    }
    let left = Remaining::of(&plan, ledger.account())
        .map_err(|error| Failure::new(format!("the plan cannot be read: {error}")))?;
    let session = Session::open(&args.connection, &layout).await?;
    let table = session.announce().await?;
    let (tariff, left_out) = (prices::tariff(&args.pricing, &session, &table)?, prices::left_out(&table));
    check_table(&plan.header().table, &table.identity)?;
    let preview = Preview { tariff, left_out, ..preview(&plan)? };
    if common.format == Format::Text {
        output::data(&remaining(&plan, ledger.account(), &left))?;
    }
    let reads = plan.totals().estimate.read_units.apply;
    args.budget.check(&preview.tariff, &left.worst_case, reads)?;
    let question = match left.changes {
        0 => "Look at the copies once more, and change what still differs?".to_owned(),
        1 => format!("Write the item that is left, for at most {} write units?", left.worst_case.total()),
        changes => {
            format!("Write the {changes} items that are left, for at most {} write units?", left.worst_case.total())
        }
    };
    if !args.yes && !output::confirm(&question)? {
        output::say("nothing was written");
        return Ok(ExitStatus::Done);
    }
    let consumed = ledger.account().consumed();
    let so_far = consumed.write_units.total() + consumed.refused_write_units;
    // What was approved for all of it still holds; what turned up beyond it is approved by its own figure.
    let stated = plan.totals().estimate.worst_case.total().max(so_far + left.worst_case.total());
    let approved = args.budget.max_write_units.map_or(stated, |most| so_far + crate::capacity::WriteUnits(most));
    let approval = Approval { write_units: Some(approved), may_ask: !args.yes };
    let again = format!("`singletable fan-out resume {shown}` finishes it");
    let report = carry_out(&session, &layout, &plan, &mut ledger, approval, &again).await?;
    match common.format {
        Format::Json => output::json("fan-out resume", &ReportJson::of(&preview, &report))?,
        Format::Text => output::data(&format!("\n{}", report_text(&preview, &report, &again)))?,
    }
    Ok(status(&report))
}
