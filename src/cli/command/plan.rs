//! `fan-out plan`

use std::collections::BTreeSet;
use std::io::BufWriter;
use std::path::Path;

use super::{layout_for, now};
use crate::cli::args::{self, Common, Format, Include};
use crate::cli::connection::Session;
use crate::cli::failure::Failure;
use crate::cli::progress::Progress;
use crate::cli::view::plan::{PlanJson, text};
use crate::cli::{ExitStatus, output, view};
use crate::client::{self, PlanningError};
use crate::fanout::{Class, Plan, PlanError, Request, TableIdentity};
use crate::layout::Layout;

pub(super) async fn run(common: &Common, args: &args::Plan) -> Result<ExitStatus, Failure> {
    let layout = layout_for(common, &args.connection)?;
    let request = request(&layout, &args.entity, &args.key, &args.request)?;
    let session = Session::open(&args.connection, &layout).await?;
    let identity = session.table().await?.identity;
    let plan = make(&session, &layout, request, identity).await?;
    if let Some(path) = &args.output {
        write(&plan, path)?;
    }
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

/// Makes a plan.
pub(super) async fn make(
    session: &Session,
    layout: &Layout,
    request: Request,
    identity: TableIdentity,
) -> Result<Plan, Failure> {
    let progress = Progress::counting("reading");
    let plan = client::plan(&session.store, layout, request, identity, now(), |event| progress.tell(event)).await;
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

/// Writes a plan where only its owner can read it, whole or not at all: it holds keys and values of the table.
fn write(plan: &Plan, path: &Path) -> Result<(), Failure> {
    let failure =
        |error: &dyn std::fmt::Display| Failure::new(format!("the plan {} cannot be written: {error}", path.display()));
    // A link is followed, so that the file that it names is replaced and not the link.
    let path = &path.canonicalize().unwrap_or_else(|_| path.to_owned());
    if path.exists() && !path.is_file() {
        return Err(failure(&"it is there, and is no regular file"));
    }
    let mut name = path.as_os_str().to_owned();
    name.push(format!(".{}.partial", std::process::id()));
    let partial = Path::new(&name);
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let file = options.open(partial).map_err(|error| failure(&error))?;
    plan.write(BufWriter::new(&file)).map_err(|error| failure(&error))?;
    file.sync_all().map_err(|error| failure(&error))?;
    std::fs::rename(partial, path).map_err(|error| failure(&error))
}
