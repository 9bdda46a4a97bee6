//! Text in aligned columns.

/// Aligns rows: the first column to the left, the others to the right where `numbers` says so. No trailing spaces.
pub(in crate::cli) fn align(rows: &[Vec<String>], numbers: bool, indent: &str) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| {
        rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let mut text = String::new();
    for row in rows {
        let mut line = indent.to_owned();
        for (at, cell) in row.iter().enumerate() {
            let width = widths[at];
            match (at, numbers) {
                (0, _) | (_, false) => line.push_str(&format!("{cell:<width$}  ")),
                _ => line.push_str(&format!("{cell:>width$}  ")),
            }
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}
