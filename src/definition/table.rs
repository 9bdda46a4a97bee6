//! `[table]`

use super::section::{Problems, Section, Text, Value};
use crate::diagnostic::Diagnostic;
use crate::model::{Billing, KeySchema, Table};

/// Reads the table; its indexes come later. What is wrong in it is stood in for, so that the rest of the file can
/// still be read; without a partition key nothing can be said of entities, and then the second value is false.
pub(super) fn read(mut section: Section<'_>, problems: &mut Problems) -> (Table, bool) {
    let name = section.require("name", "name = \"blog\"", problems).and_then(|value| value.string(problems));
    if let Some(name) = name {
        check_name("table", name, problems);
    }
    let key = read_key(&mut section, problems);
    let has_key = key.is_some();
    let type_attribute = attribute_name(&mut section, "type_attribute", key.as_ref(), problems);
    let ttl_attribute = attribute_name(&mut section, "ttl_attribute", key.as_ref(), problems);
    let billing = section.get("billing").and_then(|value| read_billing(&value, problems));
    section.finish(problems);
    let table = Table {
        name: name.map(|name| name.text.to_owned()).unwrap_or_default(),
        key: key.unwrap_or(KeySchema { partition: String::new(), sort: None }),
        type_attribute,
        ttl_attribute,
        billing: billing.unwrap_or(Billing::OnDemand),
        indexes: Vec::new(),
    };
    (table, has_key)
}

/// The `partition_key` and `sort_key` of a table or an index.
pub(super) fn read_key(section: &mut Section<'_>, problems: &mut Problems) -> Option<KeySchema> {
    let partition = section
        .require("partition_key", "partition_key = \"PK\"", problems)
        .and_then(|value| value.string(problems))
        .filter(|name| check_attribute_name(*name, problems));
    let sort = section.string("sort_key", problems).filter(|name| check_attribute_name(*name, problems));
    let partition = partition?;
    if let Some(sort) = sort.filter(|sort| sort.text == partition.text) {
        problems.push(
            Diagnostic::error(
                "key.same-attribute-twice",
                sort.span,
                format!("{} has `{}` as partition key and as sort key", section.name, sort.text),
            )
            .help("name another attribute, or leave the sort key out"),
        );
    }
    Some(KeySchema { partition: partition.text.to_owned(), sort: sort.map(|name| name.text.to_owned()) })
}

/// DynamoDB's rule for the names of tables and indexes.
pub(super) fn check_name(what: &str, name: Text<'_>, problems: &mut Problems) {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"_.-".contains(&byte);
    if !(3..=255).contains(&name.text.len()) || !name.text.bytes().all(allowed) {
        let code = if what == "table" { "table.invalid-name" } else { "index.invalid-name" };
        problems.push(
            Diagnostic::error(code, name.span, format!("`{}` cannot be the name of a DynamoDB {what}", name.text))
                .help("use 3 to 255 letters, digits, `_`, `.` and `-`"),
        );
    }
}

/// DynamoDB's rule for the names of key attributes.
fn check_attribute_name(name: Text<'_>, problems: &mut Problems) -> bool {
    let fits = (1..=255).contains(&name.text.len());
    if !fits {
        problems.push(
            Diagnostic::error(
                "key.invalid-name",
                name.span,
                format!("a key attribute's name has 1 to 255 bytes, and this has {}", name.text.len()),
            )
            .help("name the attribute that holds the key, such as `PK`"),
        );
    }
    fits
}

fn attribute_name(
    section: &mut Section<'_>,
    which: &'static str,
    key: Option<&KeySchema>,
    problems: &mut Problems,
) -> Option<String> {
    let name = section.string(which, problems)?;
    if name.text.is_empty() || key.is_some_and(|key| key.contains(name.text)) {
        let message = format!("`{which}` cannot be `{}`", name.text);
        problems.push(
            Diagnostic::error("table.invalid-attribute", name.span, message)
                .help("name an attribute of its own, which is no key"),
        );
    }
    Some(name.text.to_owned())
}

fn read_billing(value: &Value<'_>, problems: &mut Problems) -> Option<Billing> {
    if value.as_string().is_some_and(|text| text.text == "on-demand") {
        return Some(Billing::OnDemand);
    }
    let Some(mut section) = value.as_section("`billing`") else {
        return value.wrong("`\"on-demand\"` or `{ read = 5, write = 5 }`", problems);
    };
    let mut units = |key, problems: &mut Problems| {
        section.require(key, &format!("{key} = 5"), problems).and_then(|value| value.count(problems))
    };
    let (read, write) = (units("read", problems), units("write", problems));
    section.finish(problems);
    Some(Billing::Provisioned { read: read?, write: write? })
}
