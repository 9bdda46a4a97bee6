//! `estimate copies`

use super::super::input;
use super::items::{Gone, Items};
use crate::cli::args::{Common, EstimateCopies, Format};
use crate::cli::connection::Session;
use crate::cli::failure::Failure;
use crate::cli::view::copies::{CopiesJson, Shown, text};
use crate::cli::{ExitStatus, output, prices};
use crate::copies::CopiesEstimate;

pub(in crate::cli::command) async fn run(common: &Common, args: &EstimateCopies) -> Result<ExitStatus, Failure> {
    let layout = super::super::layout_for(common, &args.connection)?;
    let (items, tariff) = match &args.items {
        Some(path) => {
            let region = args.connection.region.as_deref();
            (Items::File(path.clone()), prices::tariff_of_definition(&args.pricing, region, layout.table())?)
        }
        None => {
            let session = Session::open(&args.connection, &layout).await?;
            let table = session.table().await?;
            let tariff = prices::tariff(&args.pricing, &session, &table)?;
            prices::left_out(&table).iter().for_each(|what| output::say(&format!("not in the figures: {what}")));
            (Items::Table(Box::new(session)), tariff)
        }
    };
    let mut estimate = CopiesEstimate::new(&layout);
    let Gone { read_units, wrong_lines } = items.each(&layout, |item| estimate.add(&item)).await?;
    let place = items.shown();
    let shown = Shown { reports: estimate.reports(), place: &place, read_units, tariff: &tariff };
    match common.format {
        Format::Json => output::json("estimate copies", &CopiesJson::of(&shown))?,
        Format::Text => output::data(&text(&shown))?,
    }
    input::not_counted(wrong_lines, &place).map_or(Ok(ExitStatus::Done), Err)
}
