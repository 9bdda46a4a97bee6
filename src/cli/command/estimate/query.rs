//! `estimate query`

use super::super::input;
use super::items::Items;
use crate::capacity::{Pages, ReadUnits, entry_size};
use crate::cli::args::{Common, EstimateQuery, Format};
use crate::cli::connection::Session;
use crate::cli::failure::Failure;
use crate::cli::view::query::{QueryJson, Shown, text};
use crate::cli::{ExitStatus, output, prices};
use crate::client::{Query, Store};
use crate::fanout::parse_attributes;
use crate::item::{Item, ItemSize, item_size};
use crate::layout::{KeyCondition, Layout};

pub(in crate::cli::command) async fn run(common: &Common, args: &EstimateQuery) -> Result<ExitStatus, Failure> {
    let layout = super::super::layout_for(common, &args.connection)?;
    let entity = input::entity(&layout, &args.entity)?;
    let attributes = parse_attributes(entity, &args.attributes).map_err(|error| Failure::usage(error.to_string()))?;
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

/// What a query goes through of an item: the whole, or its entry.
fn size_in(layout: &Layout, index: Option<&str>, item: &Item) -> Option<ItemSize> {
    match index {
        None => Some(item_size(item)),
        Some(name) => entry_size(layout.table(), layout.table().index(name)?, item),
    }
}
