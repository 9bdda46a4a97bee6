//! `man`

use std::path::Path;

use clap::CommandFactory;
use clap_mangen::Man;

use crate::cli::args::Args;
use crate::cli::failure::Failure;
use crate::cli::{ExitStatus, output};

pub(super) fn run(folder: Option<&Path>) -> Result<ExitStatus, Failure> {
    let failure = |error: std::io::Error| Failure::new(format!("the manual cannot be written: {error}"));
    match folder {
        Some(folder) => {
            std::fs::create_dir_all(folder).map_err(failure)?;
            clap_mangen::generate_to(Args::command(), folder).map_err(failure)?;
        }
        None => {
            let mut page = Vec::new();
            // Built, so that it is the page that the folder would get.
            let mut command = Args::command().disable_help_subcommand(true);
            command.build();
            Man::new(command).render(&mut page).map_err(failure)?;
            output::data(&String::from_utf8_lossy(&page))?;
        }
    }
    Ok(ExitStatus::Done)
}
