//! One file a verb.

mod apply;
mod carry_out;
mod check;
mod completions;
mod create;
#[cfg(feature = "local")]
mod demo;
mod estimate;
mod explain;
mod export;
mod get;
mod input;
mod layout;
mod load;
mod man;
mod plan;
mod prices;
mod put;
mod resume;
mod size;
mod status;
mod update;

use super::ExitStatus;
use super::args::{Args, Command, Connection, Estimate, FanOut, Prices};
use super::failure::Failure;
use crate::layout::Layout;

/// Runs a command.
pub(super) fn run(args: Args) -> Result<ExitStatus, Failure> {
    let Args { common, command } = args;
    match command {
        Command::Check => check::run(&common),
        Command::Explain { code } => explain::run(&common, code.as_deref()),
        Command::Layout => layout::run(&common),
        Command::Export(what) => export::run(&common, &what),
        Command::Completions { shell } => completions::run(shell),
        Command::Man { folder } => man::run(folder.as_deref()),
        Command::Size(args) => size::run(&common, &args),
        Command::Prices(Prices::List(args)) => prices::list(&common, &args),
        #[cfg(feature = "prices")]
        Command::Prices(Prices::Refresh(args)) => wait_for(prices::refresh(&args)),
        Command::Estimate(Estimate::Copies(args)) => wait_for(estimate::copies(&common, &args)),
        Command::Estimate(Estimate::Query(args)) => wait_for(estimate::query(&common, &args)),
        Command::Estimate(Estimate::Migration(args)) => wait_for(estimate::migration(&common, &args)),
        #[cfg(feature = "local")]
        Command::Demo => wait_for(demo::run(&common)),
        Command::Create { connection } => wait_for(create::run(&common, &connection)),
        Command::Put(args) => wait_for(put::run(&common, args)),
        Command::Get(args) => wait_for(get::run(&common, &args)),
        Command::Update(args) => wait_for(update::run(&common, &args)),
        Command::Load(args) => wait_for(load::run(&common, &args)),
        Command::FanOut(FanOut::Plan(args)) => wait_for(plan::run(&common, &args)),
        Command::FanOut(FanOut::Apply(args)) => wait_for(apply::run(&common, &args)),
        Command::FanOut(FanOut::Resume(args)) => wait_for(resume::run(&common, &args)),
        Command::FanOut(FanOut::Status(args)) => status::run(&common, &args),
    }
}

/// Runs what waits for a table.
fn wait_for(work: impl Future<Output = Result<ExitStatus, Failure>>) -> Result<ExitStatus, Failure> {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    runtime.map_err(|error| Failure::new(format!("no threads can be started: {error}")))?.block_on(work)
}

/// The definition's layout, for the table that the connection names.
fn layout_for(common: &super::args::Common, connection: &Connection) -> Result<Layout, Failure> {
    let layout = super::definition_file::layout(common)?;
    Ok(match &connection.table_name {
        Some(name) => layout.with_table_name(name),
        None => layout,
    })
}

/// Seconds since 1970.
fn now() -> u64 {
    std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(0, |since| since.as_secs())
}
