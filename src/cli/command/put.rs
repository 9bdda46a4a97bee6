//! `put`

use serde::Serialize;

use super::{input, layout_for};
use crate::capacity::{ReadUnits, WriteCapacity};
use crate::cli::args::{Common, Format, Put};
use crate::cli::connection::Session;
use crate::cli::failure::Failure;
use crate::cli::{ExitStatus, output, prices, view};
use crate::client::{Store, Write, WriteError};
use crate::expression::Condition;
use crate::fanout::parse_attributes;
use crate::item::{Item, size_warning};
use crate::layout::Layout;
use crate::model::{AttributePath, Entity};
use crate::value::AttributeValue;

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
            input::build(&layout, Some(entity), attributes).map_err(|error| Failure::new(error.to_string()))?
        }
    };
    let session = Session::open(&args.connection, &layout).await?;
    let existing = session.announce().await?;
    let tariff = prices::tariff(&args.pricing, &session, &existing)?;
    args.budget.check_replace(args.replace)?;
    let forecast = WriteCapacity::of_write(layout.table(), None, Some(&prepared.item));
    args.budget.check(&tariff, &forecast, ReadUnits::default())?;
    let table = layout.table();
    size_warning(&prepared.item, table).iter().for_each(|warning| output::say(&format!("warning: {warning}")));
    prepared.differs.iter().for_each(|what| output::say(&format!("warning: {what}")));
    let conditions = conditions(args.replace, &layout, entity, &prepared.item)?;
    let key = view::item::key(&prepared.item.key(&table.key), &table.key);
    let written = session.store.write(Write::Put { item: &prepared.item, conditions: &conditions }).await;
    let written = written.map_err(|error| match error {
        WriteError::Refused { item: Some(item), .. } if args.replace => replaced(&layout, entity, &key, &item),
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
            let cost = view::money::spent(&tariff, &written.consumed, ReadUnits::default());
            output::data(&format!("{} {key}, {}\n{cost}", entity.name, view::size::units(&written.consumed)))?;
        }
    }
    Ok(ExitStatus::Done)
}

/// What must be true of the item that stands there: nothing, or where it is replaced, that it is of the same entity and
/// of an older version.
fn conditions(replace: bool, layout: &Layout, entity: &Entity, item: &Item) -> Result<Vec<Condition>, Failure> {
    let table = layout.table();
    if !replace {
        return Ok(vec![Condition::Absent(AttributePath::top_level(table.partition_key()))]);
    }
    let mut conditions: Vec<Condition> = table
        .type_attribute
        .iter()
        .map(|name| Condition::AbsentOrEquals(AttributePath::top_level(name), entity.type_value.as_str().into()))
        .collect();
    if let Some(path) = &entity.version {
        let Some(AttributeValue::N(number)) = path.get(&item.0) else {
            let message = format!("{} counts its changes in `{path}`, and this says no count", entity.name);
            return Err(Failure::usage(message).help(format!("give `{path}`, higher than the item's has been")));
        };
        conditions.push(Condition::OlderThan(path.clone(), *number));
    }
    Ok(conditions)
}

/// Why an item was not replaced.
fn replaced(layout: &Layout, entity: &Entity, key: &str, item: &Item) -> Failure {
    let message = match layout.recognise(item) {
        Ok(found) if found.name != entity.name => format!("{key} is an item of {}, not of {}", found.name, entity.name),
        _ => format!("{} {key} has this version already, or a later one", entity.name),
    };
    Failure::new(format!("{message}; nothing was written"))
}
