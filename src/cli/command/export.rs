//! `export`

use serde::Serialize;

use crate::cli::args::{Common, Export};
use crate::cli::failure::Failure;
use crate::cli::{ExitStatus, definition_file, output};
use crate::definition::file;
use crate::layout::CreateTable;

pub(super) fn run(common: &Common, what: &Export) -> Result<ExitStatus, Failure> {
    match what {
        Export::CreateTable { table_name } => {
            let mut layout = definition_file::layout(common)?;
            if let Some(name) = table_name {
                layout = layout.with_table_name(name);
            }
            print("request", &CreateTable::of(&layout))?;
        }
        Export::DefinitionSchema => print("schema", &file::schema())?,
    }
    Ok(ExitStatus::Done)
}

/// The same in every format: it is JSON that another tool takes.
fn print(what: &str, document: &impl Serialize) -> Result<(), Failure> {
    let text = serde_json::to_string_pretty(document)
        .map_err(|error| Failure::new(format!("the {what} cannot be written: {error}")))?;
    output::data(&format!("{text}\n"))
}
