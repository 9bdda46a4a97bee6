//! JSON from files and stdin, made into items.

use std::io::{BufRead, BufReader};
use std::path::Path;

use flate2::bufread::MultiGzDecoder;

use crate::cli::failure::Failure;
use crate::item::{Attributes, Input, Item, ItemBuilder, ItemError, StoredError, far_off_epochs};
use crate::layout::Layout;
use crate::model::{AttributePath, Entity};
use crate::value::AttributeValue;

/// An item to put, and the required attributes that it lacks.
pub(super) struct Prepared {
    pub(super) item: Item,
    pub(super) entity: String,
    pub(super) lacks: Vec<AttributePath>,
    /// In what else it is not what the definition says.
    pub(super) differs: Vec<String>,
}

/// Why a JSON object makes no item.
#[derive(Debug, thiserror::Error)]
pub(super) enum Unprepared {
    /// What it would make is none that DynamoDB or the definition takes.
    #[error(transparent)]
    Item(#[from] ItemError),
    /// It cannot be told what it would make.
    #[error("{0}")]
    Other(String),
}

impl From<StoredError> for Unprepared {
    fn from(error: StoredError) -> Self {
        match error {
            StoredError::Item(error) => error.into(),
            other => Unprepared::Other(other.to_string()),
        }
    }
}

/// Opens a file, compressed with gzip or not; `-` is stdin.
pub(super) fn open(path: &Path) -> Result<Box<dyn BufRead>, Failure> {
    let opened: std::io::Result<Box<dyn BufRead>> = match path.as_os_str() == "-" {
        true => Ok(Box::new(std::io::stdin().lock())),
        false => std::fs::File::open(path).map(|file| -> Box<dyn BufRead> { Box::new(BufReader::new(file)) }),
    };
    let skip_mark = |mut opened: Box<dyn BufRead>| {
        // Exports to S3 are gzip files, several of which may stand one after the other.
        if opened.fill_buf()?.starts_with(b"\x1f\x8b") {
            opened = Box::new(BufReader::new(MultiGzDecoder::new(opened)));
        }
        // Some editors put a byte order mark before the text.
        if opened.fill_buf()?.starts_with(b"\xef\xbb\xbf") {
            opened.consume(3);
        }
        Ok(opened)
    };
    opened.and_then(skip_mark).map_err(|error| unreadable(path, &error))
}

/// Reads a whole file; `-` is stdin.
pub(super) fn read(path: &Path) -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    open(path)?.read_to_end(&mut bytes).map_err(|error| unreadable(path, &error))?;
    Ok(bytes)
}

/// Why a command that goes through the lines of a file did not count all of them; nothing where it did.
pub(super) fn not_counted(wrong: u64, place: &str) -> Option<Failure> {
    match wrong {
        0 => None,
        1 => Some(Failure::new(format!("1 line of {place} is no item, and is not counted"))),
        wrong => Some(Failure::new(format!("{wrong} lines of {place} are no items, and are not counted"))),
    }
}

pub(super) fn unreadable(path: &Path, error: &std::io::Error) -> Failure {
    Failure::new(format!("{} cannot be read: {error}", path.display()))
}

/// The entity of that name.
pub(super) fn entity<'a>(layout: &'a Layout, name: &str) -> Result<&'a Entity, Failure> {
    layout.entity(name).ok_or_else(|| {
        let names: Vec<&str> = layout.entities().iter().map(|entity| entity.name.as_str()).collect();
        Failure::usage(format!("there is no entity `{name}`")).help(format!("the entities are {}", names.join(", ")))
    })
}

/// Splits `[ENTITY] FILE`.
pub(super) fn split<'a>(layout: &'a Layout, what: &'a [String]) -> Result<(Option<&'a Entity>, &'a Path), Failure> {
    match what {
        [name, file] => Ok((Some(entity(layout, name)?), Path::new(file))),
        [file] => Ok((None, Path::new(file))),
        _ => Err(Failure::usage("name one file")),
    }
}

/// Makes an item of one JSON object. Plain JSON is built; DynamoDB JSON is stored as it is.
pub(super) fn prepare(layout: &Layout, entity: Option<&Entity>, json: &[u8]) -> Result<Prepared, Unprepared> {
    let json = std::str::from_utf8(json).map_err(|_| Unprepared::Other("it is not UTF-8 text".to_owned()))?;
    match Input::parse(json).map_err(|error| Unprepared::Other(error.to_string()))? {
        Input::Attributes(attributes) => build(layout, entity, attributes),
        Input::Item(item) => {
            let stored = layout.check_stored(&item)?;
            if let Some(entity) = entity.filter(|entity| entity.name != stored.entity.name) {
                let message = format!("this is an item of {}, not of {}", stored.entity.name, entity.name);
                return Err(Unprepared::Other(message));
            }
            Ok(Prepared { entity: stored.entity.name.clone(), lacks: stored.lacks, differs: stored.differs, item })
        }
    }
}

/// An item to go by, whether or not it would be taken today: DynamoDB JSON as it is, plain JSON built.
pub(super) fn item(layout: &Layout, json: &[u8]) -> Result<Item, Unprepared> {
    let json = std::str::from_utf8(json).map_err(|_| Unprepared::Other("it is not UTF-8 text".to_owned()))?;
    match Input::parse(json).map_err(|error| Unprepared::Other(error.to_string()))? {
        Input::Attributes(attributes) => build(layout, None, attributes).map(|prepared| prepared.item),
        Input::Item(item) => Ok(item),
    }
}

/// Makes an item of attributes, of the entity that was named or that the type attribute tells.
pub(super) fn build(layout: &Layout, entity: Option<&Entity>, attributes: Attributes) -> Result<Prepared, Unprepared> {
    let marker = layout.table().type_attribute.as_deref();
    let told = marker.and_then(|name| attributes.get(name)).and_then(AttributeValue::as_str);
    if let (Some(named), Some(told)) = (entity, told)
        && named.name != told
        && named.type_value != told
    {
        return Err(Unprepared::Other(format!("it says that it is of {told}, and not of {}", named.name)));
    }
    let only = match layout.entities() {
        [only] if told.is_none() => Some(only),
        _ => None,
    };
    let by_marker = || layout.entities().iter().find(|entity| told == Some(entity.type_value.as_str()));
    let Some(entity) = entity.or(only).or_else(by_marker).or_else(|| layout.entity(told?)) else {
        let names: Vec<&str> = layout.entities().iter().map(|entity| entity.name.as_str()).collect();
        let names = names.join(", ");
        return Err(Unprepared::Other(match (told, marker) {
            (Some(told), _) => format!("there is no entity `{told}`; the entities are {names}"),
            (None, Some(marker)) => {
                format!("it does not say its entity: name one of {names}, or put it into `{marker}`")
            }
            (None, None) => format!("it does not say its entity: name one of {names}"),
        }));
    };
    let item = ItemBuilder::new(layout, entity).attributes(attributes).build()?;
    let differs = far_off_epochs(&item.0, entity, layout.table());
    Ok(Prepared { item, entity: entity.name.clone(), lacks: Vec::new(), differs })
}
