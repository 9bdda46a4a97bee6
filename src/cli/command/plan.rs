//! `fan-out plan`

use std::collections::BTreeSet;
use std::path::Path;

use super::{layout_for, now};
use crate::cli::args::{self, Common, Format, Include};
use crate::cli::connection::Session;
use crate::cli::failure::Failure;
use crate::cli::preview::Preview;
use crate::cli::progress::Progress;
use crate::cli::view::plan::{PlanJson, text};
use crate::cli::{ExitStatus, output, prices, view};
use crate::client::{self, FileSink, PlanFile, PlanOptions, PlanningError};
use crate::fanout::{Class, PlanError, PlanFileError, PlanSink, Request, TableIdentity};
use crate::layout::Layout;

pub(super) async fn run(common: &Common, args: &args::Plan) -> Result<ExitStatus, Failure> {
    let layout = layout_for(common, &args.connection)?;
    let request = request(&layout, &args.entity, &args.key, &args.request)?;
    let session = Session::open(&args.connection, &layout).await?;
    let table = session.table().await?;
    let (tariff, left_out) = (prices::tariff(&args.pricing, &session, &table)?, prices::left_out(&table));
    let mut plan = match &args.output {
        Some(path) => preview(&make(&session, &layout, request, table.identity, file_at(path)?).await?)?,
        None => make(&session, &layout, request, table.identity, Preview::sink()).await?,
    };
    (plan.tariff, plan.left_out) = (tariff, left_out);
    match common.format {
        Format::Json => output::json("fan-out plan", &PlanJson::of(&plan))?,
        Format::Text => {
            let file = args.output.as_ref().map(|path| path.display().to_string());
            output::data(&text(&plan, &layout.table().key, args.show_expressions, file.as_deref()))?;
            if let Some(file) = file {
                output::say(&format!("written to {file}; `singletable fan-out apply {file}` runs it"));
            }
        }
    }
    Ok(match (plan.is_applicable(), args.detailed_exit_code && !plan.is_empty()) {
        (false, _) => return Err(Failure::told(ExitStatus::Failed)),
        (true, true) => ExitStatus::Changes,
        (true, false) => ExitStatus::Done,
    })
}

/// Reads what is asked for.
pub(super) fn request(
    layout: &Layout,
    entity: &str,
    key: &[(String, String)],
    asked: &args::Request,
) -> Result<Request, Failure> {
    let include: BTreeSet<Class> = asked
        .include
        .iter()
        .map(|class| match class {
            Include::Diverged => Class::Diverged,
            Include::Absent => Class::Absent,
        })
        .collect();
    let request = Request::parse(layout, entity, key, &asked.set, &asked.was, include);
    let request = request.map_err(|error| Failure::usage(error.to_string()))?;
    request.check_copied(layout).map_err(|error| Failure::usage(error.to_string()))?;
    Ok(request)
}

/// Takes a plan that is to be written to a file.
pub(super) fn file_at(path: &Path) -> Result<FileSink, Failure> {
    let failure =
        |error: PlanFileError| Failure::new(format!("the plan {} cannot be written: {error}", path.display()));
    PlanFile::create(path).map_err(failure)
}

/// What is shown of a plan that was just written or checked.
pub(super) fn preview(plan: &impl crate::fanout::Plan) -> Result<Preview, Failure> {
    Preview::of(plan).map_err(|error| Failure::new(format!("the plan cannot be read: {error}")))
}

/// Makes a plan.
pub(super) async fn make<K: PlanSink>(
    session: &Session,
    layout: &Layout,
    request: Request,
    identity: TableIdentity,
    sink: K,
) -> Result<K::Made, Failure> {
    let progress = Progress::counting("reading");
    let options = PlanOptions { now: now(), update_rule: session.update_rule(), ..Default::default() };
    let tell = |event| progress.tell(event);
    let plan = client::plan(&session.store, layout, request, identity, &options, sink, tell).await;
    progress.finish();
    plan.map_err(|error| match error {
        PlanningError::Store(error) => error.into(),
        PlanningError::NoSource { entity, key } => {
            let shown = view::item::key(&key, &layout.table().key);
            Failure::new(format!("there is no {entity} {shown}"))
        }
        PlanningError::Plan(PlanError::Request(error)) => Failure::usage(error.to_string()),
        other => Failure::new(other.to_string()),
    })
}
