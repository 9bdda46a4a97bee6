//! `get`

use std::collections::BTreeMap;

use serde::Serialize;

use super::{input, layout_for};
use crate::capacity::ReadUnits;
use crate::cli::args::{Common, Format, Get};
use crate::cli::connection::Session;
use crate::cli::failure::Failure;
use crate::cli::{ExitStatus, output, view};
use crate::client::Store;
use crate::fanout::parse_attributes;
use crate::item::{Item, ItemBuilder, named_attributes};
use crate::value::PlainJson;

#[derive(Serialize)]
struct GetJson<'a> {
    entity: &'a str,
    key: &'a Item,
    attributes: BTreeMap<String, PlainJson>,
    item: &'a Item,
    consumed_read_units: ReadUnits,
}

pub(super) async fn run(common: &Common, args: &Get) -> Result<ExitStatus, Failure> {
    let layout = layout_for(common, &args.connection)?;
    let entity = input::entity(&layout, &args.entity)?;
    let attributes = parse_attributes(entity, &args.key).map_err(|error| Failure::usage(error.to_string()))?;
    let key = ItemBuilder::new(&layout, entity).attributes(attributes).build_key();
    let key = key.map_err(|error| Failure::usage(error.to_string()))?;
    let session = Session::open(&args.connection, &layout).await?;
    let fetched = session.store.fetch(std::slice::from_ref(&key)).await?;
    let Some(item) = fetched.items.into_iter().next() else {
        let shown = view::item::key(&key, &layout.table().key);
        return Err(Failure::new(format!("there is no {} {shown}", entity.name)));
    };
    if let Ok(found) = layout.recognise(&item)
        && found.name != entity.name
    {
        let shown = view::item::key(&key, &layout.table().key);
        return Err(Failure::new(format!("{shown} is an item of {}, not of {}", found.name, entity.name)));
    }
    let attributes = named_attributes(&item, entity, layout.table());
    match common.format {
        Format::Json => {
            let attributes = attributes.into_iter().map(|(name, value)| (name, PlainJson(value))).collect();
            let consumed_read_units = fetched.consumed;
            output::json(
                "get",
                &GetJson { entity: &entity.name, key: &key, attributes, item: &item, consumed_read_units },
            )?;
        }
        Format::Text => output::data(&view::item::attributes(&attributes))?,
    }
    Ok(ExitStatus::Done)
}
