//! `completions`

use clap::CommandFactory;
use clap_complete::Shell;

use crate::cli::args::Args;
use crate::cli::failure::Failure;
use crate::cli::{ExitStatus, output};

pub(super) fn run(shell: Shell) -> Result<ExitStatus, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Args::command(), "singletable", &mut script);
    output::data(&String::from_utf8_lossy(&script))?;
    Ok(ExitStatus::Done)
}
