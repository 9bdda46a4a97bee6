//! `load`

use std::collections::BTreeMap;
use std::time::Instant;

use serde::Serialize;
use tokio_util::sync::CancellationToken;

use super::input::{self, Prepared};
use super::layout_for;
use crate::capacity::{ReadUnits, WriteCapacity};
use crate::cli::args::{Common, Format, Load};
use crate::cli::connection::Session;
use crate::cli::failure::Failure;
use crate::cli::progress::Progress;
use crate::cli::stop::stoppable;
use crate::cli::{ExitStatus, output, prices, view};
use crate::client::{LoadReport, load};
use crate::item::size_warning;
use crate::layout::Layout;
use crate::model::Entity;

/// How many puts are under way at once.
const CONCURRENCY: usize = 32;
/// How many lines with mistakes are told.
const SHOWN: usize = 10;

#[derive(Serialize)]
struct LoadJson<'a> {
    file: &'a str,
    items: usize,
    put: u64,
    existing_lines: Vec<usize>,
    failed: Vec<FailedLine>,
    not_attempted: u64,
    consumed: &'a WriteCapacity,
}

#[derive(Serialize)]
struct FailedLine {
    line: usize,
    reason: String,
}

/// An item and the line that it stands on, counted from 1.
struct Line {
    number: usize,
    prepared: Prepared,
}

pub(super) async fn run(common: &Common, args: &Load) -> Result<ExitStatus, Failure> {
    let layout = layout_for(common, &args.connection)?;
    let (entity, path) = input::split(&layout, &args.what)?;
    let file = path.display().to_string();
    let lines = read_lines(&layout, entity, &input::read(path)?, &file)?;
    warn_of_lacks(&lines, &file);
    warn_of_sizes(&lines, &layout, &file);

    let session = Session::open(&args.connection, &layout).await?;
    let table = session.announce().await?;
    let tariff = prices::tariff(&args.pricing, &session, &table)?;
    args.budget.check_replace(args.replace)?;
    let mut forecast = WriteCapacity::default();
    for line in &lines {
        forecast += &WriteCapacity::of_write(layout.table(), None, Some(&line.prepared.item));
    }
    args.budget.check(&tariff, &forecast, ReadUnits::default())?;
    let numbers: Vec<usize> = lines.iter().map(|line| line.number).collect();
    let progress = Progress::towards(lines.len() as u64, "loading");
    let stop = CancellationToken::new();
    let started = Instant::now();
    let items = lines.into_iter().map(|line| line.prepared.item);
    let partition = layout.table().partition_key();
    let work = async {
        let tell = |event| progress.tell(event);
        Ok(load(&session.store, partition, items, args.replace, CONCURRENCY, &stop, tell).await)
    };
    let report = stoppable(&stop, "the same command again with --replace finishes it", work).await?;
    progress.finish();
    let seconds = started.elapsed().as_secs_f64();

    let failed: Vec<FailedLine> =
        report.failed.iter().map(|(at, error)| FailedLine { line: numbers[*at], reason: error.to_string() }).collect();
    match common.format {
        Format::Json => output::json(
            "load",
            &LoadJson {
                file: &file,
                items: numbers.len(),
                put: report.put,
                existing_lines: report.existing.iter().map(|at| numbers[*at]).collect(),
                failed,
                not_attempted: report.not_attempted,
                consumed: &report.consumed,
            },
        )?,
        Format::Text => {
            for at in report.existing.iter().take(SHOWN) {
                output::say(&format!("{file}:{}: an item with this key exists already", numbers[*at]));
            }
            for line in failed.iter().take(SHOWN) {
                output::say(&format!("{file}:{}: {}", line.line, line.reason));
            }
            let put = if report.put == 1 { "1 item".to_owned() } else { format!("{} items", report.put) };
            let cost = view::money::spent(&tariff, &report.consumed, ReadUnits::default());
            output::data(&format!("{put} put, {}\n{cost}", view::size::units(&report.consumed)))?;
            if !report.existing.is_empty() {
                output::say(
                    "a refused put takes what the larger of the two items takes, and AWS does not report it: that is not in \
                     these units",
                );
            }
            if output::is_seen() {
                output::say(&format!("{:.0} items a second", report.put as f64 / seconds.max(0.001)));
            }
        }
    }
    end(&report, &stop)
}

fn end(report: &LoadReport, stop: &CancellationToken) -> Result<ExitStatus, Failure> {
    let (existing, failed) = (report.existing.len(), report.failed.len());
    if stop.is_cancelled() {
        let message = format!("interrupted: {} items are left", report.not_attempted);
        return Err(Failure { status: ExitStatus::Interrupted, ..Failure::new(message) }
            .help("the same command again with --replace finishes it"));
    }
    match (existing, failed) {
        (0, 0) => Ok(ExitStatus::Done),
        (existing, 0) => Err(Failure::new(format!("{existing} items exist already and were left as they are"))
            .help("pass --replace to replace them")),
        (_, failed) => Err(Failure::new(format!(
            "{failed} items failed, {} were not tried, and {existing} exist already",
            report.not_attempted
        ))),
    }
}

/// Makes an item of every line, or tells the lines that are none: nothing is written unless all are.
fn read_lines(layout: &Layout, entity: Option<&Entity>, bytes: &[u8], file: &str) -> Result<Vec<Line>, Failure> {
    let key = &layout.table().key;
    let mut lines = Vec::new();
    let mut wrong = 0;
    let mut first_line_of = BTreeMap::new();
    for (at, json) in bytes.split(|byte| *byte == b'\n').enumerate() {
        let number = at + 1;
        if json.iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        let checked = input::prepare(layout, entity, json).map_err(|error| error.to_string()).and_then(|prepared| {
            let shown = view::item::key(&prepared.item.key(key), key);
            match first_line_of.insert(shown.clone(), number) {
                Some(first) => Err(format!("its key {shown} stands already on line {first}")),
                None => Ok(prepared),
            }
        });
        match checked {
            Ok(prepared) => lines.push(Line { number, prepared }),
            Err(error) => {
                wrong += 1;
                if wrong <= SHOWN {
                    output::say(&format!("{file}:{number}: {error}"));
                }
            }
        }
    }
    match wrong {
        0 => Ok(lines),
        1 => Err(Failure::new(format!("1 line of {file} is no item; nothing was written"))),
        wrong => Err(Failure::new(format!("{wrong} lines of {file} are no items; nothing was written"))),
    }
}

/// Items that some other tool wrote are taken even where they lack something that is required.
fn warn_of_lacks(lines: &[Line], file: &str) {
    let mut lacking: BTreeMap<(&str, String), (usize, usize)> = BTreeMap::new();
    for line in lines {
        for path in &line.prepared.lacks {
            let (count, _) = lacking.entry((&line.prepared.entity, path.to_string())).or_insert((0, line.number));
            *count += 1;
        }
    }
    for ((entity, path), (count, first)) in lacking {
        output::say(&format!(
            "{file}:{first}: warning: {count} of the {entity} items lack `{path}`, which is required"
        ));
    }
    let mut differing: BTreeMap<(&str, &str), (usize, usize)> = BTreeMap::new();
    for line in lines {
        for what in &line.prepared.differs {
            let (count, _) = differing.entry((&line.prepared.entity, what)).or_insert((0, line.number));
            *count += 1;
        }
    }
    for ((entity, what), (count, first)) in differing.iter().take(SHOWN) {
        output::say(&format!("{file}:{first}: warning: {count} of the {entity} items: {what}"));
    }
    if let Some(more) = differing.len().checked_sub(SHOWN).filter(|more| *more > 0) {
        output::say(&format!("{file}: warning: and {more} more ways in which items are not what the definition says"));
    }
}

/// Items that are larger than the definition thinks well of.
fn warn_of_sizes(lines: &[Line], layout: &Layout, file: &str) {
    let warnings =
        lines.iter().filter_map(|line| Some((line.number, size_warning(&line.prepared.item, layout.table())?)));
    for (number, warning) in warnings.take(SHOWN) {
        output::say(&format!("{file}:{number}: warning: {warning}"));
    }
}
