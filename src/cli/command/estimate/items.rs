//! The real items that an estimate goes by: a file's, or a table's.

use std::path::{Path, PathBuf};

use super::super::input;
use crate::capacity::ReadUnits;
use crate::cli::args::{Connection, Pricing};
use crate::cli::connection::Session;
use crate::cli::failure::Failure;
use crate::cli::progress::Progress;
use crate::cli::{output, prices};
use crate::client::{Event, Query, Segment, Store};
use crate::cost::Tariff;
use crate::item::Item;
use crate::layout::Layout;
use crate::migration::SamplePlan;
use crate::model::Table;

/// How many lines with mistakes are told.
const SHOWN: usize = 10;

/// Where the items are.
pub(super) enum Items {
    /// On the lines of a file.
    File(PathBuf),
    /// In a table.
    Table(Box<Session>),
}

/// What going through them came to.
#[derive(Debug, Default)]
pub(super) struct Gone {
    /// What it took.
    pub(super) read_units: ReadUnits,
    /// Lines that are no items.
    pub(super) wrong_lines: u64,
}

impl Items {
    /// The items of a file, or without one those of the table; and how the table is billed, going by the definition
    /// that it has or is to have.
    pub(super) async fn open(
        file: Option<&Path>,
        connection: &Connection,
        layout: &Layout,
        priced: &Table,
        pricing: &Pricing,
    ) -> Result<(Items, Tariff), Failure> {
        if let Some(path) = file {
            let tariff = prices::tariff_of_definition(pricing, connection.region.as_deref(), priced)?;
            return Ok((Items::File(path.to_owned()), tariff));
        }
        let session = Session::open(connection, layout).await?;
        let table = session.table().await?;
        let tariff = prices::tariff(pricing, &session, &table)?;
        prices::left_out(&table).iter().for_each(|what| output::say(&format!("not in the figures: {what}")));
        Ok((Items::Table(Box::new(session)), tariff))
    }

    /// Where they are, for people.
    pub(super) fn shown(&self) -> String {
        match self {
            Items::File(path) => path.display().to_string(),
            Items::Table(session) => format!("the table {} at {}", session.store.table(), session.endpoint),
        }
    }

    /// Goes through all of them, once. A file of which no line is an item is an error.
    pub(super) async fn each(&self, layout: &Layout, tell: impl FnMut(Item)) -> Result<Gone, Failure> {
        match self {
            Items::File(path) => in_file(path, layout, tell),
            Items::Table(session) => in_table(session, tell).await,
        }
    }
}

impl Items {
    /// Goes through a part of them, and tells for each in which part of that it is.
    pub(super) async fn each_of_sample(
        &self,
        layout: &Layout,
        sample: SamplePlan,
        mut tell: impl FnMut(usize, Item),
    ) -> Result<Gone, Failure> {
        match self {
            Items::File(path) => in_file(path, layout, |item| {
                if let Some(cluster) = sample.cluster_of(&item, &layout.table().key) {
                    tell(cluster, item);
                }
            }),
            Items::Table(session) => in_segments(session, sample, tell).await,
        }
    }
}

fn in_file(path: &Path, layout: &Layout, mut tell: impl FnMut(Item)) -> Result<Gone, Failure> {
    let mut file = input::open(path)?;
    let mut gone = Gone::default();
    let mut line = Vec::new();
    let (mut number, mut items) = (0, 0);
    loop {
        line.clear();
        if file.read_until(b'\n', &mut line).map_err(|error| input::unreadable(path, &error))? == 0 {
            return match (items, gone.wrong_lines) {
                (0, wrong) if wrong > 0 => Err(Failure::new(format!("no line of {} is an item", path.display()))),
                _ => Ok(gone),
            };
        }
        number += 1;
        if line.iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        match input::item(layout, &line) {
            Ok(item) => {
                items += 1;
                tell(item);
            }
            Err(error) => {
                gone.wrong_lines += 1;
                if gone.wrong_lines <= SHOWN as u64 {
                    output::say(&format!("{}:{number}: {error}", path.display()));
                }
            }
        }
    }
}

/// One scan, eventually consistent: half the units of a consistent one.
async fn in_table(session: &Session, tell: impl FnMut(Item)) -> Result<Gone, Failure> {
    let progress = Progress::counting("reading");
    let read_units = scan(session, Query::scan().eventually(), &progress, tell).await?;
    progress.finish();
    Ok(Gone { read_units, wrong_lines: 0 })
}

/// The segments that a sample takes of such a scan.
async fn in_segments(
    session: &Session,
    sample: SamplePlan,
    mut tell: impl FnMut(usize, Item),
) -> Result<Gone, Failure> {
    let progress = Progress::counting("reading");
    let mut gone = Gone::default();
    // There are 2,000 at the most.
    let narrow = |number: u64| u32::try_from(number).unwrap_or(u32::MAX);
    for (at, number) in sample.taken().enumerate() {
        let segment = Segment { number: narrow(number), of: narrow(sample.clusters()) };
        let query = Query::scan().eventually().segment(segment);
        gone.read_units += scan(session, query, &progress, |item| tell(at, item)).await?;
    }
    progress.finish();
    Ok(gone)
}

async fn scan(
    session: &Session,
    mut query: Query,
    progress: &Progress,
    mut tell: impl FnMut(Item),
) -> Result<ReadUnits, Failure> {
    let mut read_units = ReadUnits::default();
    loop {
        let page = session.store.query(&query).await?;
        progress.tell(Event::Read { items: page.items.len() as u64, units: page.consumed });
        read_units += page.consumed;
        page.items.into_iter().for_each(&mut tell);
        match page.next {
            Some(next) => query = query.from(Some(next)),
            None => return Ok(read_units),
        }
    }
}
