//! The command line. Everything that it does is in `cli`.

use std::process::ExitCode;

fn main() -> ExitCode {
    singletable::cli::main()
}
