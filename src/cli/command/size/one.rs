//! The size of one item, attribute by attribute.

use std::path::Path;

use serde::Serialize;

use super::super::input::{self, Prepared};
use super::failure;
use crate::capacity::{WriteCapacity, WriteRange};
use crate::cli::args::{Common, Format};
use crate::cli::failure::Failure;
use crate::cli::{ExitStatus, output, view};
use crate::item::{Input, Item, SizeNode, disputed_numbers, item_size, size_tree, size_warning};
use crate::layout::Layout;
use crate::limits::MAX_ITEM_BYTES;
use crate::model::Entity;

#[derive(Serialize)]
struct SizeJson<'a> {
    entity: &'a str,
    bytes: u64,
    limit_bytes: u64,
    fits: bool,
    exact: bool,
    attributes: Vec<SizeNode>,
    put_write_units: WriteCapacity,
}

pub(super) fn run(
    common: &Common,
    layout: &Layout,
    entity: Option<&Entity>,
    path: &Path,
    bytes: &[u8],
) -> Result<ExitStatus, Failure> {
    let Prepared { item, entity, .. } = match input::prepare(layout, entity, bytes) {
        Ok(prepared) => prepared,
        // An item that is only too large is still worth showing.
        Err(error) => too_large(bytes).ok_or_else(|| failure(path, &error))?,
    };
    let size = item_size(&item);
    size_warning(&item, layout.table()).iter().for_each(|warning| output::say(&format!("warning: {warning}")));
    let put = WriteCapacity::of_write(layout.table(), None, Some(&item));
    match common.format {
        Format::Json => {
            let exact = WriteRange::of_write(layout.table(), None, Some(&item)).is_exact();
            let (bytes, limit_bytes, fits) = (size.bytes(), MAX_ITEM_BYTES, size.fits());
            let (attributes, put_write_units) = (size_tree(&item), put);
            output::json(
                "size",
                &SizeJson { entity: &entity, bytes, limit_bytes, fits, exact, attributes, put_write_units },
            )?;
        }
        Format::Text => {
            output::data(&view::size::tree(&size_tree(&item), size, size.fits().then_some(&put)))?;
            match disputed_numbers(&item) {
                0 => {}
                count => output::say(&format!(
                    "{count} numbers in it may each be one byte off: AWS does not document how they are stored"
                )),
            }
        }
    }
    match size.fits() {
        true => Ok(ExitStatus::Done),
        false => Err(match input::prepare(layout, layout.entity(&entity), bytes) {
            Err(error) => failure(path, &error),
            Ok(_) => Failure::new(format!("{} is over {MAX_ITEM_BYTES} bytes", path.display())),
        }),
    }
}

/// The item as it is written, where it is an item in DynamoDB JSON whose only fault may be its size.
fn too_large(bytes: &[u8]) -> Option<Prepared> {
    let json = std::str::from_utf8(bytes).ok()?;
    let Input::Item(item) = Input::parse(json).ok()? else { return None };
    let is_too_large = |item: &Item| !item_size(item).fits();
    is_too_large(&item).then(|| Prepared { item, entity: "item".to_owned(), lacks: Vec::new(), differs: Vec::new() })
}
