//! What a plan takes, and where it goes.

use std::collections::BTreeSet;

use super::super::columns::align;
use super::super::money;
use super::super::style::{FAINT, paint};
use crate::capacity::{WriteCapacity, WriteUnits};
use crate::cli::preview::Preview;

/// How many characters a bar of all units has.
const BAR: u64 = 40;

/// What it takes: a row for the source, the copies, both, and the worst case; a column for the table and each index.
pub(super) fn estimate(plan: &Preview) -> String {
    let estimate = &plan.totals.estimate;
    let mut together = estimate.source_write_units.clone();
    together += &estimate.write_units;
    let copies = match plan.totals.changes {
        1 => "1 change".to_owned(),
        changes => format!("{changes} changes"),
    };
    let rows = [
        ("source", &estimate.source_write_units),
        (copies.as_str(), &estimate.write_units),
        ("together", &together),
        ("at the worst", &estimate.worst_case),
    ];
    let mut text = units_table("write units", &rows);
    text.push_str(&bars(&together));
    let doubt = if estimate.exact {
        "exact for the items as they were read; the worst counts each write once more, refused".to_owned()
    } else {
        format!(
            "together {} to {}: there are items within a few bytes of a KB with numbers whose size AWS does not document",
            estimate.least, estimate.most
        )
    };
    text.push_str(&format!("{}\n", paint(FAINT, doubt)));
    let reads = &estimate.read_units;
    text.push_str(&format!(
        "read units: {} for this plan, about {} to apply and verify it\n",
        reads.planning, reads.apply
    ));
    text.push_str(&money::left_out(&plan.left_out));
    text.push_str(&money::line(&plan.tariff, (&together, reads.apply), &estimate.worst_case));
    text
}

/// Where the units go: a bar for the table and for each index, where there is more than one of them.
pub(in crate::cli::view) fn bars(units: &WriteCapacity) -> String {
    let total = units.total().0;
    if units.indexes.is_empty() || total == 0 {
        return String::new();
    }
    let arms =
        std::iter::once(("table", units.table)).chain(units.indexes.iter().map(|(name, one)| (name.as_str(), *one)));
    let row = |(name, one): (&str, WriteUnits)| {
        // What takes anything at all is seen.
        let cells = (one.0 * BAR).div_ceil(total) as usize;
        vec![name.to_owned(), "\u{2588}".repeat(cells), format!("{} %", (one.0 * 100 + total / 2) / total)]
    };
    align(&arms.map(row).collect::<Vec<_>>(), false, "")
}

/// Units of several things, with a column for the table and for each index.
pub(in crate::cli::view) fn units_table(title: &str, rows: &[(&str, &WriteCapacity)]) -> String {
    let indexes: BTreeSet<&String> = rows.iter().flat_map(|(_, units)| units.indexes.keys()).collect();
    let heading = [title, "table"].into_iter().chain(indexes.iter().map(|name| name.as_str())).chain(["total"]);
    let mut lines = vec![heading.map(str::to_owned).collect::<Vec<_>>()];
    for (name, capacity) in rows {
        let on_index = |index: &&String| capacity.indexes.get(*index).map_or("-".to_owned(), ToString::to_string);
        let mut line = vec![(*name).to_owned(), capacity.table.to_string()];
        line.extend(indexes.iter().map(on_index));
        line.push(capacity.total().to_string());
        lines.push(line);
    }
    align(&lines, true, "")
}
