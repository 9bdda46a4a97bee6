//! `create`

use serde::Serialize;

use super::layout_for;
use crate::cli::args::{Common, Connection, Format};
use crate::cli::connection::Session;
use crate::cli::failure::Failure;
use crate::cli::{ExitStatus, output, view};
use crate::client::{Created, Difference, ExtraOutcome, Extras, SchemaError, TableExtras, create_table};
use crate::layout::CreateTable;

#[derive(Serialize)]
struct CreateJson<'a> {
    table: &'a str,
    endpoint: &'a str,
    outcome: &'static str,
    differences: &'a [Difference],
}

pub(super) async fn run(common: &Common, connection: &Connection) -> Result<ExitStatus, Failure> {
    let layout = layout_for(common, connection)?;
    let session = Session::open(connection, &layout).await?;
    let table = layout.table();
    if !session.is_embedded {
        output::say(&format!("table {} at {}", table.name, session.endpoint));
    }
    session.check_place().await?;
    let created = create_table(session.store.client(), &CreateTable::of(&layout), TableExtras::of(&layout)).await;
    let created = created.map_err(|error| match error {
        SchemaError::Store(error) => Failure::from(error),
        other => Failure::new(other.to_string()),
    })?;
    let (outcome, differences, extras): (_, &[Difference], _) = match &created {
        Created::Made(extras) => ("created", &[], Some(extras)),
        Created::AlreadyThere(extras) => ("already there", &[], Some(extras)),
        Created::Differs(differences) => ("differs", differences, None),
    };
    let is_unsupported = |of: fn(&Extras) -> ExtraOutcome| extras.map(of) == Some(ExtraOutcome::Unsupported);
    if is_unsupported(|extras| extras.ttl) {
        output::say("this endpoint knows no time to live, so none was set");
    }
    if is_unsupported(|extras| extras.point_in_time_recovery) {
        output::say("this endpoint knows no point-in-time recovery, so none was switched on");
    }
    match common.format {
        Format::Json => output::json(
            "create",
            &CreateJson { table: &table.name, endpoint: &session.endpoint, outcome, differences },
        )?,
        Format::Text => match created {
            Created::Made(_) => output::data(&format!("table {} created, and active\n", table.name))?,
            Created::AlreadyThere(Extras { ttl: ExtraOutcome::SwitchedOn, .. }) => {
                output::data(&format!("table {} is already there; its time to live was switched on\n", table.name))?;
            }
            Created::AlreadyThere(_) => {
                output::data(&format!("table {} is already there, as the definition has it\n", table.name))?;
            }
            Created::Differs(_) => {}
        },
    }
    if differences.is_empty() {
        return Ok(ExitStatus::Done);
    }
    output::say(&view::table::differences(differences));
    Err(Failure::new(format!("table {} is there, and differs from the definition; nothing was changed", table.name))
        .help("mend the definition, or name another table with --table-name"))
}
