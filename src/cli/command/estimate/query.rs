//! `estimate query`

use std::collections::BTreeSet;

use super::super::input;
use super::items::Items;
use crate::capacity::{Pages, ReadUnits, entry_size};
use crate::cli::args::{Common, EstimateQuery, Format};
use crate::cli::connection::Session;
use crate::cli::failure::Failure;
use crate::cli::view::query::{QueryJson, Shown, text};
use crate::cli::{ExitStatus, output, prices};
use crate::client::{Query, Store};
use crate::fanout::parse_values;
use crate::item::{Attributes, Item, ItemSize, item_size};
use crate::layout::{KeyCondition, Layout};
use crate::model::{AttributePath, Entity};

pub(in crate::cli::command) async fn run(common: &Common, args: &EstimateQuery) -> Result<ExitStatus, Failure> {
    let layout = super::super::layout_for(common, &args.connection)?;
    let entity = input::entity(&layout, &args.entity)?;
    let values = parse_values(entity, &args.attributes).map_err(|error| Failure::usage(error.to_string()))?;
    let mut attributes = Attributes::new();
    for (path, value) in values {
        check_is_in_key(&layout, entity, args.index.as_deref(), &path)?;
        path.set(&mut attributes, value);
    }
    let conditions = KeyCondition::of(&layout, entity, args.index.as_deref(), &attributes)
        .map_err(|error| Failure::usage(error.to_string()))?;
    let mut pages = vec![Pages::default(); conditions.len()];
    let mut read_units = ReadUnits::default();
    let mut wrong_lines = 0;
    let tariff = match &args.items {
        Some(path) => {
            let items = Items::File(path.clone());
            let gone = items.each(&layout, |item| {
                if let Some(size) = size_in(&layout, args.index.as_deref(), &item)
                    && let Some(at) = conditions.iter().position(|condition| condition.holds(&item))
                {
                    pages[at].add(size);
                }
            });
            wrong_lines = gone.await?.wrong_lines;
            prices::tariff_of_definition(&args.pricing, args.connection.region.as_deref(), layout.table())?
        }
        None => {
            let session = Session::open(&args.connection, &layout).await?;
            let table = session.table().await?;
            for (condition, pages) in conditions.iter().zip(&mut pages) {
                let partition = condition.partition.clone();
                let mut query = Query::partition(args.index.clone(), partition).eventually();
                loop {
                    let page = session.store.query(&query).await?;
                    read_units += page.consumed;
                    // What an index gives are its entries, as large as they are there.
                    let found = page.items.iter().filter(|item| condition.holds(item));
                    found.for_each(|item| pages.add(item_size(item)));
                    match page.next {
                        Some(next) => query = query.from(Some(next)),
                        None => break,
                    }
                }
            }
            prices::tariff(&args.pricing, &session, &table)?
        }
    };
    let index = args.index.as_deref().and_then(|name| layout.table().index(name));
    let shown = Shown { conditions: &conditions, pages: &pages, index, read_units };
    match common.format {
        Format::Json => output::json("estimate query", &QueryJson::of(&shown, &tariff))?,
        Format::Text => output::data(&text(&shown, &tariff))?,
    }
    input::not_counted(wrong_lines, "the file").map_or(Ok(ExitStatus::Done), Err)
}

/// A query asks by the key alone: what is no part of it would only filter, and save nothing.
fn check_is_in_key(layout: &Layout, entity: &Entity, index: Option<&str>, path: &AttributePath) -> Result<(), Failure> {
    let Some(schema) = layout.key_of(index) else { return Ok(()) };
    let inputs = || schema.names().flat_map(|key| entity.inputs(key));
    if inputs().any(|input| input.overlaps(path)) {
        return Ok(());
    }
    let names: BTreeSet<String> = inputs().map(|input| format!("`{input}`")).collect();
    let names = names.into_iter().collect::<Vec<_>>().join(", ");
    let place = index.unwrap_or("the table");
    Err(Failure::usage(format!(
        "`{path}` is no part of the key of {place}, and what only filters a query saves nothing"
    ))
    .help(format!("the key is made from {names}")))
}

/// What a query goes through of an item: the whole, or its entry.
fn size_in(layout: &Layout, index: Option<&str>, item: &Item) -> Option<ItemSize> {
    match index {
        None => Some(item_size(item)),
        Some(name) => entry_size(layout.table(), layout.table().index(name)?, item),
    }
}
