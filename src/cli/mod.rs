//! The command line: the only module that names clap, or prints.

mod args;
mod command;
mod connection;
mod definition_file;
mod exit;
mod failure;
mod output;
mod place;
mod preview;
mod prices;
mod progress;
mod run_folder;
mod stop;
mod view;

use std::process::ExitCode;

use clap::Parser;

pub use exit::ExitStatus;

/// Parses the arguments, runs the command, and tells how it went.
pub fn main() -> ExitCode {
    let args = match args::Args::try_parse() {
        Ok(args) => args,
        Err(error) => {
            // A help text is data and goes to stdout with status 0; a mistake goes to stderr with status 2.
            let status = if error.use_stderr() { ExitStatus::Usage } else { ExitStatus::Done };
            drop(error.print());
            return status.into();
        }
    };
    match command::run(args) {
        Ok(status) => status.into(),
        Err(failure) => {
            output::error(&failure);
            failure.status.into()
        }
    }
}
