//! `update`

use std::collections::BTreeMap;

use serde::Serialize;

use super::{input, layout_for};
use crate::capacity::{ReadUnits, WriteCapacity};
use crate::cli::args::{Common, Format, Update};
use crate::cli::connection::Session;
use crate::cli::failure::Failure;
use crate::cli::{ExitStatus, output, view};
use crate::client::{ChangeError, ItemChange, change_item};
use crate::fanout::{GuardedUpdate, parse_attributes, parse_values};
use crate::item::{Item, ItemBuilder, UpdateError, copied_attributes};
use crate::layout::Layout;
use crate::model::{AttributePath, Entity};
use crate::value::{AttributeValue, PlainJson};

#[derive(Serialize)]
struct UpdateJson<'a> {
    entity: &'a str,
    key: &'a Item,
    set: BTreeMap<String, PlainJson>,
    removed: Vec<String>,
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
    let change = ItemChange { key, changes: changes(entity, args)?, told: told(entity, &args.told)?, read: args.read };

    let session = Session::open(&args.connection, &layout).await?;
    session.announce().await?;
    let shown = view::item::key(&change.key, &layout.table().key);
    let changed = change_item(&session.store, &layout, entity, &change)
        .await
        .map_err(|error| failure(error, entity, &shown, args.read))?;
    warn_of_copies(&layout, entity, args, &changed.update);
    match common.format {
        Format::Text if changed.update.set.is_empty() && changed.update.remove.is_empty() => {
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
            for (path, number) in &changed.update.add {
                text.push_str(&format!("  + {path} {number} more\n"));
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
            output::data(&text)?;
        }
    }
    Ok(ExitStatus::Done)
}

fn changes(entity: &Entity, args: &Update) -> Result<BTreeMap<AttributePath, Option<AttributeValue>>, Failure> {
    let set = parse_values(entity, &args.set).map_err(|error| Failure::usage(error.to_string()))?;
    let mut all: Vec<(AttributePath, Option<AttributeValue>)> =
        set.into_iter().map(|(path, value)| (path, Some(value))).collect();
    for name in &args.remove {
        let Some(found) = entity.resolve(name) else {
            return Err(Failure::usage(format!("{} has no attribute `{name}`", entity.name)));
        };
        if !found.optional {
            return Err(Failure::usage(format!("`{name}` is required, and cannot be removed")));
        }
        all.push((found.path, None));
    }
    if all.is_empty() {
        return Err(Failure::usage("nothing is to be changed").help("pass --set NAME=VALUE or --remove NAME"));
    }
    let clash = all.iter().enumerate().find_map(|(at, (path, _))| {
        all[..at].iter().find(|(other, _)| other.overlaps(path)).map(|(other, _)| (other, path))
    });
    match clash {
        Some((one, other)) => Err(Failure::usage(format!(
            "`{one}` and `{other}` cannot be changed together: they are the same, or one is inside the other"
        ))),
        None => Ok(all.into_iter().collect()),
    }
}

fn told(
    entity: &Entity,
    pairs: &[(String, String)],
) -> Result<BTreeMap<AttributePath, Option<AttributeValue>>, Failure> {
    let values = parse_values(entity, pairs).map_err(|error| Failure::usage(error.to_string()))?;
    Ok(values.into_iter().map(|(path, value)| (path, Some(value))).collect())
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

/// Copies elsewhere are out of date now.
fn warn_of_copies(layout: &Layout, entity: &Entity, args: &Update, written: &GuardedUpdate) {
    let key: Vec<String> = args.key.iter().map(|(name, value)| format!(" {name}={value}")).collect();
    let is_changed = |path: &&AttributePath| {
        written.set.iter().map(|(path, _)| path).chain(&written.remove).any(|one| one.overlaps(path))
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
