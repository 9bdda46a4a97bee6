//! `update`

mod changes;

use std::collections::BTreeMap;

use serde::Serialize;

use super::{input, layout_for};
use crate::capacity::{ReadUnits, WriteCapacity};
use crate::cli::args::{Common, Format, Update};
use crate::cli::connection::Session;
use crate::cli::failure::Failure;
use crate::cli::{ExitStatus, output, prices, view};
use crate::client::{ChangeError, ItemChange, prepare_change};
use crate::fanout::{GuardedUpdate, parse_attributes};
use crate::item::{Item, ItemBuilder, Relative, UpdateError, copied_attributes};
use crate::layout::Layout;
use crate::model::{AttributePath, Entity};
use crate::value::{AttributeValue, PlainJson};

#[derive(Serialize)]
struct UpdateJson<'a> {
    entity: &'a str,
    key: &'a Item,
    set: BTreeMap<String, PlainJson>,
    removed: Vec<String>,
    relative: BTreeMap<String, BTreeMap<&'static str, PlainJson>>,
    forecast_write_units: Option<&'a WriteCapacity>,
    consumed_write_units: &'a WriteCapacity,
    consumed_read_units: ReadUnits,
}

pub(super) async fn run(common: &Common, args: &Update) -> Result<ExitStatus, Failure> {
    let layout = layout_for(common, &args.connection)?;
    let entity = input::entity(&layout, &args.entity)?;
    let attributes = parse_attributes(entity, &args.key).map_err(|error| Failure::usage(error.to_string()))?;
    let key = ItemBuilder::new(&layout, entity).attributes(attributes).build_key();
    let key = key.map_err(|error| Failure::usage(error.to_string()))?;
    let what = changes::read(entity, args)?;
    let change = ItemChange { key, changes: what.absolute, relative: what.relative, told: what.told, read: args.read };

    let session = Session::open(&args.connection, &layout).await?;
    let table = session.announce().await?;
    let tariff = prices::tariff(&args.pricing, &session, &table)?;
    let shown = view::item::key(&change.key, &layout.table().key);
    let failure = |error| failure(error, entity, &shown, args.read);
    let prepared = prepare_change(&session.store, &layout, entity, &change).await.map_err(failure)?;
    match &prepared.forecast {
        Some(forecast) => args.budget.check(&tariff, forecast, prepared.read_units)?,
        None => args.budget.check_unread()?,
    }
    let changed = prepared.make(&session.store).await.map_err(failure)?;
    warn_of_copies(&layout, entity, args, &changed.update);
    match common.format {
        Format::Text if changed.wrote_nothing() => {
            output::data(&format!("{} {shown} holds that already; nothing was written\n", entity.name))?;
        }
        Format::Json => {
            let set = changed.update.set.iter().map(|(path, value)| (path.to_string(), PlainJson(value.clone())));
            output::json(
                "update",
                &UpdateJson {
                    entity: &entity.name,
                    key: &change.key,
                    set: set.collect(),
                    removed: changed.update.remove.iter().map(ToString::to_string).collect(),
                    relative: changed.update.relative.iter().map(relative_json).collect(),
                    forecast_write_units: changed.forecast.as_ref(),
                    consumed_write_units: &changed.write_units,
                    consumed_read_units: changed.read_units,
                },
            )?;
        }
        Format::Text => {
            let mut text = format!("{} {shown}\n", entity.name);
            for (path, value) in &changed.update.set {
                text.push_str(&format!("  + {path} {}\n", view::item::value(value)));
            }
            for (path, relative) in &changed.update.relative {
                text.push_str(&format!("  {}\n", relative_text(path, relative)));
            }
            for path in &changed.update.remove {
                text.push_str(&format!("  - {path}\n"));
            }
            if args.show_expressions {
                text.push_str(&view::plan::expressions(&changed.update));
            }
            if let Some(forecast) = &changed.forecast {
                text.push_str(&format!("{} forecast\n", view::size::units(forecast)));
            }
            text.push_str(&format!("{} consumed\n", view::size::units(&changed.write_units)));
            text.push_str(&view::money::spent(&tariff, &changed.write_units, changed.read_units));
            output::data(&text)?;
        }
    }
    Ok(ExitStatus::Done)
}

fn failure(error: ChangeError, entity: &Entity, key: &str, was_read: bool) -> Failure {
    match error {
        ChangeError::Store(error) => error.into(),
        ChangeError::Update(error) => match *error {
            UpdateError::Unknown { index, path } => {
                let name = entity.name_at(&path);
                Failure::usage(format!("{index} depends on `{name}`, which is not known without reading the item"))
                    .help(format!("pass --read to read it first, or say what it holds: --if {name}=VALUE"))
            }
            error @ UpdateError::NeedsRead { .. } => Failure::usage(error.to_string()).help("pass --read"),
            error => Failure::usage(error.to_string()),
        },
        ChangeError::Gone => Failure::new(format!("there is no {} {key}, and an update creates nothing", entity.name)),
        error @ ChangeError::Differs { .. } => {
            let failure = Failure::new(format!("{} {key} was not changed: {error}", entity.name));
            let help = match was_read {
                true => "somebody changed it in between; try again",
                false => "pass --read to go by what it holds now; that also makes maps that are missing",
            };
            Failure { status: ExitStatus::Conflict, ..failure }.help(help)
        }
        other => Failure::new(format!("{} {key} was not changed: {other}", entity.name)),
    }
}

fn relative_text(path: &AttributePath, relative: &Relative) -> String {
    let list = |values: &[AttributeValue]| values.iter().map(view::item::value).collect::<Vec<_>>().join(", ");
    match relative {
        Relative::Add(number) => format!("+ {path} {number} more"),
        Relative::Append(elements) => format!("+ {path} {} at the end", list(elements)),
        Relative::AddMembers(members) => format!("+ {path} with {}", view::item::value(members)),
        Relative::DeleteMembers(members) => format!("- {path} without {}", view::item::value(members)),
    }
}

fn relative_json((path, relative): &(AttributePath, Relative)) -> (String, BTreeMap<&'static str, PlainJson>) {
    let (word, value) = match relative {
        Relative::Add(number) => ("add", AttributeValue::N(*number)),
        Relative::Append(elements) => ("append", AttributeValue::L(elements.clone())),
        Relative::AddMembers(members) => ("add", members.clone()),
        Relative::DeleteMembers(members) => ("delete", members.clone()),
    };
    (path.to_string(), BTreeMap::from([(word, PlainJson(value))]))
}

/// Copies elsewhere are out of date now.
fn warn_of_copies(layout: &Layout, entity: &Entity, args: &Update, written: &GuardedUpdate) {
    let key: Vec<String> = args.key.iter().map(|(name, value)| format!(" {name}={value}")).collect();
    let is_changed = |path: &&AttributePath| {
        let relative = written.relative.iter().map(|(path, _)| path);
        written.set.iter().map(|(path, _)| path).chain(&written.remove).chain(relative).any(|one| one.overlaps(path))
    };
    let copied: std::collections::BTreeSet<&AttributePath> =
        copied_attributes(layout, &entity.name).filter(is_changed).collect();
    for path in copied {
        output::say(&format!(
            "copies of {}.{path} are stale now; `singletable fan-out apply {}{}` brings them up to date",
            entity.name,
            entity.name,
            key.concat()
        ));
    }
}
