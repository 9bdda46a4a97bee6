//! How the sizes of many items are distributed, read line by line.

use std::cmp::Reverse;
use std::io::BufRead;
use std::path::Path;

use super::super::input;
use crate::capacity::{WriteCapacity, WriteRange};
use crate::cli::args::{Common, Format};
use crate::cli::failure::Failure;
use crate::cli::view::sizes::{Heavy, Sizes};
use crate::cli::{ExitStatus, output, view};
use crate::item::{heaviest, item_size};
use crate::layout::Layout;
use crate::model::Entity;

/// How many lines with mistakes are told.
const SHOWN: usize = 10;
/// How many of the largest items are shown.
const LARGEST: usize = 5;

pub(super) fn run(
    common: &Common,
    layout: &Layout,
    entity: Option<&Entity>,
    path: &Path,
    lines: &mut impl BufRead,
) -> Result<ExitStatus, Failure> {
    let file = path.display().to_string();
    let mut sizes = Sizes::default();
    let mut wrong = 0;
    let mut line = Vec::new();
    let mut number = 0;
    loop {
        line.clear();
        if lines.read_until(b'\n', &mut line).map_err(|error| input::unreadable(path, &error))? == 0 {
            break;
        }
        number += 1;
        if line.iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        if let Err(error) = weigh(&mut sizes, layout, entity, number, &line) {
            wrong += 1;
            if wrong <= SHOWN {
                output::say(&format!("{file}:{number}: {error}"));
            }
        }
    }
    match common.format {
        Format::Json => output::json("size", &sizes.json(&file, wrong))?,
        Format::Text => output::data(&view::sizes::text(&sizes, &file))?,
    }
    if let Some(failure) = input::not_counted(wrong as u64, &file) {
        return Err(failure);
    }
    match sizes.over_limit() {
        0 => Ok(ExitStatus::Done),
        1 => Err(Failure::new("1 of the items is larger than DynamoDB takes")),
        over => Err(Failure::new(format!("{over} of the items are larger than DynamoDB takes"))),
    }
}

/// Adds the item of one line.
fn weigh(
    sizes: &mut Sizes,
    layout: &Layout,
    entity: Option<&Entity>,
    line: u64,
    json: &[u8],
) -> Result<(), input::Unprepared> {
    let (entity, size, heaviest) = match input::prepare(layout, entity, json) {
        Ok(prepared) => {
            sizes.put += &WriteCapacity::of_write(layout.table(), None, Some(&prepared.item));
            sizes.inexact += u64::from(!WriteRange::of_write(layout.table(), None, Some(&prepared.item)).is_exact());
            let size = item_size(&prepared.item);
            let is_heavy = sizes.largest.len() < LARGEST || sizes.largest.last().is_some_and(|last| last.size < size);
            (prepared.entity, size, if is_heavy { heaviest(&prepared.item) } else { Vec::new() })
        }
        Err(input::Unprepared::Item(error)) => match error.only_too_large() {
            Some((size, heaviest)) => (error.entity.clone(), size, heaviest.to_vec()),
            None => return Err(error.into()),
        },
        Err(error) => return Err(error),
    };
    sizes.by_entity.entry(entity.clone()).or_default().add(size);
    sizes.largest.push(Heavy { line, entity, size, heaviest });
    // Of two that weigh the same, the first line comes first: the sort is stable.
    sizes.largest.sort_by_key(|heavy| Reverse(heavy.size));
    sizes.largest.truncate(LARGEST);
    Ok(())
}
