//! `export`

use crate::cli::args::{Common, Export};
use crate::cli::failure::Failure;
use crate::cli::{ExitStatus, definition_file, output};
use crate::layout::CreateTable;

pub(super) fn run(common: &Common, what: &Export) -> Result<ExitStatus, Failure> {
    let mut layout = definition_file::layout(common)?;
    match what {
        // The same in every format: it is JSON that another tool takes.
        Export::CreateTable { table_name } => {
            if let Some(name) = table_name {
                layout = layout.with_table_name(name);
            }
            let request = serde_json::to_string_pretty(&CreateTable::of(&layout))
                .map_err(|error| Failure::new(format!("the request cannot be written: {error}")))?;
            output::data(&format!("{request}\n"))?;
        }
    }
    Ok(ExitStatus::Done)
}
