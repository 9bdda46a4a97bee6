//! Items and keys in few words.

use crate::item::{Attributes, Item};
use crate::model::KeySchema;
use crate::value::{AttributeValue, to_plain_json};

/// The longest that a value is shown, in characters.
const SHOWN: usize = 80;

/// A primary key: `POST#1 / META`.
pub(in crate::cli) fn key(key: &Item, schema: &KeySchema) -> String {
    let part =
        |name: &str| key.get(name).map(|value| value.as_str().map_or_else(|| to_plain_json(value), str::to_owned));
    let text = schema.names().filter_map(part).collect::<Vec<_>>().join(" / ");
    // A key may hold anything; a terminal must not obey it.
    text.chars().map(|one| if one.is_control() { one.escape_default().to_string() } else { one.to_string() }).collect()
}

/// A value on one line, cut where it is long.
pub(in crate::cli) fn value(value: &AttributeValue) -> String {
    let text = to_plain_json(value);
    match text.char_indices().nth(SHOWN) {
        Some((at, _)) => format!("{}... ({} characters)", &text[..at], text.chars().count()),
        None => text,
    }
}

/// An entity's attributes as plain JSON, one to a line.
pub(in crate::cli) fn attributes(attributes: &Attributes) -> String {
    let lines: Vec<String> = attributes
        .iter()
        .map(|(name, value)| format!("  {}: {}", to_plain_json(&AttributeValue::S(name.clone())), to_plain_json(value)))
        .collect();
    match lines.is_empty() {
        true => "{}\n".to_owned(),
        false => format!("{{\n{}\n}}\n", lines.join(",\n")),
    }
}
