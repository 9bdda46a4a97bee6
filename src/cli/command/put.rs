//! `put`

use serde::Serialize;

use super::{input, layout_for};
use crate::capacity::WriteCapacity;
use crate::cli::args::{Common, Format, Put};
use crate::cli::connection::Session;
use crate::cli::failure::Failure;
use crate::cli::{ExitStatus, output, view};
use crate::client::{Store, WriteError};
use crate::expression::Condition;
use crate::fanout::parse_attributes;
use crate::item::{Item, size_warning};
use crate::model::AttributePath;

#[derive(Serialize)]
struct PutJson<'a> {
    entity: &'a str,
    item: &'a Item,
    consumed: &'a WriteCapacity,
}

pub(super) async fn run(common: &Common, args: Put) -> Result<ExitStatus, Failure> {
    let layout = layout_for(common, &args.connection)?;
    let entity = input::entity(&layout, &args.entity)?;
    let prepared = match &args.file {
        Some(file) => input::prepare(&layout, Some(entity), &input::read(file)?)
            .map_err(|error| Failure::new(format!("{}: {error}", file.display())))?,
        None => {
            let attributes =
                parse_attributes(entity, &args.attributes).map_err(|error| Failure::new(error.to_string()))?;
            input::build(&layout, Some(entity), attributes).map_err(Failure::new)?
        }
    };
    let session = Session::open(&args.connection, &layout).await?;
    session.announce().await?;
    let table = layout.table();
    size_warning(&prepared.item, table).iter().for_each(|warning| output::say(&format!("warning: {warning}")));
    let condition = Condition::Absent(AttributePath::top_level(table.partition_key()));
    let key = view::item::key(&prepared.item.key(&table.key), &table.key);
    let written = session.store.put(&prepared.item, (!args.replace).then_some(&condition)).await;
    let written = written.map_err(|error| match error {
        WriteError::Refused { .. } => {
            Failure::new(format!("{} {key} exists already; nothing was written", entity.name))
                .help("pass --replace to replace it")
        }
        WriteError::Failed(error) => error.into(),
    })?;
    match common.format {
        Format::Json => {
            let json = PutJson { entity: &entity.name, item: &prepared.item, consumed: &written.consumed };
            output::json("put", &json)?;
        }
        Format::Text => {
            output::data(&format!("{} {key}, {}\n", entity.name, view::size::units(&written.consumed)))?;
        }
    }
    Ok(ExitStatus::Done)
}
