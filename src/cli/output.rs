//! The one place that prints. stdout has what may be piped; everything else goes to stderr.

use std::io::{ErrorKind, IsTerminal, Write as _};

use serde::Serialize;

use super::failure::Failure;
use super::view::style;

/// Prints data to stdout.
pub(super) fn data(text: &str) -> Result<(), Failure> {
    let mut stdout = anstream::stdout().lock();
    let written = stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush());
    match written {
        // Whoever reads has seen enough.
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        Err(error) => Err(Failure::new(format!("the output cannot be written: {error}"))),
        Ok(()) => Ok(()),
    }
}

/// Prints one JSON object to stdout, with the version of its format and the command that made it.
pub(super) fn json(command: &str, value: &impl Serialize) -> Result<(), Failure> {
    #[derive(Serialize)]
    struct Document<'a, T> {
        version: u32,
        command: &'a str,
        #[serde(flatten)]
        value: &'a T,
    }
    let document = serde_json::to_string_pretty(&Document { version: 1, command, value });
    let document = document.map_err(|error| Failure::new(format!("the output cannot be written: {error}")))?;
    data(&format!("{document}\n"))
}

/// Says something to the person at the terminal.
pub(super) fn say(text: &str) {
    // There is nowhere left to report that stderr is closed.
    drop(writeln!(anstream::stderr().lock(), "{text}"));
}

/// Refuses to go on where there is nobody to ask.
pub(super) fn require_terminal() -> Result<(), Failure> {
    match std::io::stdin().is_terminal() {
        true => Ok(()),
        false => Err(Failure::usage("there is no terminal to ask at").help("pass --yes to go ahead without asking")),
    }
}

/// Whether somebody looks at stderr.
pub(super) fn is_seen() -> bool {
    std::io::stderr().is_terminal()
}

/// Asks the person at the terminal; only `y` and `yes` mean yes.
pub(super) fn confirm(question: &str) -> Result<bool, Failure> {
    drop(write!(anstream::stderr().lock(), "{question} [y/N] "));
    let mut answer = String::new();
    std::io::stdin().read_line(&mut answer).map_err(|error| Failure::new(format!("no answer can be read: {error}")))?;
    Ok(matches!(answer.trim().to_lowercase().as_str(), "y" | "yes"))
}

/// Prints why a command failed.
pub(super) fn error(failure: &Failure) {
    if failure.message.is_empty() {
        return;
    }
    let mut text = format!("{}error{}: {}", style::ERROR, style::ERROR.render_reset(), failure.message);
    if let Some(help) = &failure.help {
        text.push_str(&format!("\n{}help{}: {help}", style::HELP, style::HELP.render_reset()));
    }
    say(&text);
}
