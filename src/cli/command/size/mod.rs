//! `size`

mod many;
mod one;

use std::io::{BufRead, Read};
use std::path::Path;

use serde::de::IgnoredAny;

use super::input;
use crate::cli::args::{Common, Size};
use crate::cli::failure::Failure;
use crate::cli::{ExitStatus, definition_file};

pub(super) fn run(common: &Common, args: &Size) -> Result<ExitStatus, Failure> {
    let layout = definition_file::layout(common)?;
    let (entity, path) = input::split(&layout, &args.what)?;
    let mut file = input::open(path)?;
    match Shape::of(&mut file).map_err(|error| input::unreadable(path, &error))? {
        Shape::One(json) => one::run(common, &layout, entity, path, &json),
        Shape::Many(start) => many::run(common, &layout, entity, path, &mut start.chain(file)),
    }
}

/// What a file holds.
enum Shape {
    /// One JSON value, over any number of lines.
    One(Vec<u8>),
    /// One JSON value on each line: what was read to find that out.
    Many(std::io::Cursor<Vec<u8>>),
}

impl Shape {
    /// Lines are items when the first that is not blank is a JSON value by itself, and another follows it.
    fn of(file: &mut impl BufRead) -> std::io::Result<Shape> {
        let mut start = Vec::new();
        let first = next_line(file, &mut start)?;
        if serde_json::from_slice::<IgnoredAny>(&start[first..]).is_ok() {
            let second = next_line(file, &mut start)?;
            return Ok(match start[second..].is_empty() {
                true => Shape::One(start),
                false => Shape::Many(std::io::Cursor::new(start)),
            });
        }
        file.read_to_end(&mut start)?;
        Ok(Shape::One(start))
    }
}

/// Adds to what was read until a line that is not blank, or the end; gives where that line starts.
fn next_line(file: &mut impl BufRead, read: &mut Vec<u8>) -> std::io::Result<usize> {
    loop {
        let start = read.len();
        if file.read_until(b'\n', read)? == 0 || !read[start..].iter().all(u8::is_ascii_whitespace) {
            return Ok(start);
        }
    }
}

fn failure(path: &Path, error: &input::Unprepared) -> Failure {
    let error = error.to_string();
    if error.contains("trailing characters") {
        return Failure::new(format!(
            "{}: this is more than one JSON value, and they do not stand on a line each",
            path.display()
        ));
    }
    Failure::new(format!("{}: {error}", path.display()))
}
