//! `estimate copies`

use super::super::input;
use super::items::{Gone, Items};
use crate::cli::args::{Common, EstimateCopies, Format};
use crate::cli::failure::Failure;
use crate::cli::view::copies::{CopiesJson, Shown, text};
use crate::cli::{ExitStatus, output};
use crate::copies::CopiesEstimate;

pub(in crate::cli::command) async fn run(common: &Common, args: &EstimateCopies) -> Result<ExitStatus, Failure> {
    let layout = super::super::layout_for(common, &args.connection)?;
    let (items, tariff) =
        Items::open(args.items.as_deref(), &args.connection, &layout, layout.table(), &args.pricing).await?;
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
