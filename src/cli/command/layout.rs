//! `layout`

use crate::cli::args::{Common, Format};
use crate::cli::failure::Failure;
use crate::cli::{ExitStatus, definition_file, output, view};
use crate::layout::Chart;

pub(super) fn run(common: &Common) -> Result<ExitStatus, Failure> {
    let layout = definition_file::layout(common)?;
    let chart = Chart::of(&layout);
    match common.format {
        Format::Json => output::json("layout", &chart)?,
        Format::Text => output::data(&view::layout::chart(&chart))?,
    }
    Ok(ExitStatus::Done)
}
