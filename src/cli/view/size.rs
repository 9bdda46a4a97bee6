//! An item's weight as a tree.

use super::columns::align;
use crate::capacity::WriteCapacity;
use crate::item::{ItemSize, SizeNode};
use crate::limits::MAX_ITEM_BYTES;

/// How many parts of one list or map are shown; the lighter ones are added up.
const SHOWN_PARTS: usize = 12;

/// The tree, the total against the limit, and what putting the item takes.
pub(in crate::cli) fn tree(tree: &[SizeNode], total: ItemSize, put: Option<&WriteCapacity>) -> String {
    let mut rows = Vec::new();
    add(&mut rows, tree, 0);
    let mut text = align(&rows, true, "");
    let share = total.bytes() * 1000 / MAX_ITEM_BYTES;
    text.push_str(&format!("\n{} of {MAX_ITEM_BYTES} bytes, {}.{} %\n", total.bytes(), share / 10, share % 10));
    if let Some(put) = put {
        text.push_str(&format!("putting it as a new item takes {}\n", units(put)));
    }
    text
}

/// `2 write units: table 1, GSI1 1`
pub(in crate::cli) fn units(capacity: &WriteCapacity) -> String {
    let total = capacity.total();
    let arms = std::iter::once(("table", capacity.table))
        .chain(capacity.indexes.iter().map(|(name, units)| (name.as_str(), *units)));
    let arms: Vec<String> = arms.map(|(name, units)| format!("{name} {units}")).collect();
    format!("{total} write {}: {}", if total.0 == 1 { "unit" } else { "units" }, arms.join(", "))
}

fn add(rows: &mut Vec<Vec<String>>, nodes: &[SizeNode], depth: usize) {
    let mut sorted: Vec<&SizeNode> = nodes.iter().collect();
    sorted.sort_by_key(|node| std::cmp::Reverse(node.bytes));
    let (shown, rest) = sorted.split_at(sorted.len().min(SHOWN_PARTS));
    let row =
        |name: &str, bytes: u64| vec![format!("{}{name}", "  ".repeat(depth)), bytes.to_string(), "bytes".to_owned()];
    for node in shown {
        rows.push(row(&node.name, node.bytes));
        add(rows, &node.parts, depth + 1);
    }
    if !rest.is_empty() {
        let bytes = rest.iter().map(|node| node.bytes).sum();
        rows.push(row(&format!("... {} more", rest.len()), bytes));
    }
}
