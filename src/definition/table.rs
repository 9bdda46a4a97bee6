//! `[table]`

use super::allow::{self, Allow};
use super::key_type::KeyTypes;
use super::section::{Problems, Section, Text, Value};
use crate::diagnostic::Diagnostic;
use crate::limits::MAX_KEY_ATTRIBUTES;
use crate::model::{
    Billing, KeyAttribute, KeySchema, KeyType, StreamView, Table, TableClass, TableSettings, UnknownAttributes,
};

const STREAMS: [(&str, StreamView); 4] = [
    ("keys-only", StreamView::KeysOnly),
    ("new-image", StreamView::NewImage),
    ("old-image", StreamView::OldImage),
    ("new-and-old-images", StreamView::NewAndOldImages),
];
const CLASSES: [(&str, TableClass); 2] =
    [("standard", TableClass::Standard), ("standard-infrequent-access", TableClass::StandardInfrequentAccess)];
const UNKNOWN: [(&str, UnknownAttributes); 2] =
    [("keep", UnknownAttributes::Keep), ("refuse", UnknownAttributes::Refuse)];

/// The table as it is written.
pub(super) struct Written<'t> {
    /// The table; its indexes come later. What is wrong in it is stood in for, so that the rest of the file can
    /// still be read.
    pub(super) table: Table,
    /// Whether it has a partition key, without which nothing can be said of entities.
    pub(super) has_key: bool,
    /// The diagnostics that are accepted.
    pub(super) allows: Vec<Allow<'t>>,
}

/// Reads the table.
pub(super) fn read<'t>(mut section: Section<'t>, types: &mut KeyTypes, problems: &mut Problems) -> Written<'t> {
    let name = section.require("name", "name = \"blog\"", problems).and_then(|value| value.string(problems));
    if let Some(name) = name {
        check_name("table", name, problems);
    }
    let key = read_key(&mut section, 1, types, problems);
    let has_key = key.is_some();
    let type_attribute = attribute_name(&mut section, "type_attribute", key.as_ref(), problems);
    let ttl_attribute = attribute_name(&mut section, "ttl_attribute", key.as_ref(), problems);
    let settings = read_settings(&mut section, problems);
    let allows = section.get("allow").map(|value| allow::read_all(&value, problems)).unwrap_or_default();
    section.finish(problems);
    let table = Table {
        name: name.map(|name| name.text.to_owned()).unwrap_or_default(),
        key: key.unwrap_or_default(),
        type_attribute,
        ttl_attribute,
        settings,
        indexes: Vec::new(),
    };
    Written { table, has_key, allows }
}

fn read_settings(section: &mut Section<'_>, problems: &mut Problems) -> TableSettings {
    let billing = section.get("billing").and_then(|value| read_billing(&value, problems)).unwrap_or_default();
    let mut tags = std::collections::BTreeMap::new();
    if let Some(written) = section.get("tags").and_then(|value| value.section("`tags`", problems)) {
        for (name, value) in written.entries() {
            tags.extend(value.string(problems).map(|value| (name.text.to_owned(), value.text.to_owned())));
        }
    }
    let mut names = |key, is_valid: fn(&str) -> bool, code, what: &str, example: &str| {
        let texts = section.get(key).and_then(|value| value.strings(problems)).unwrap_or_default();
        for text in texts.iter().filter(|text| !is_valid(text.text)) {
            problems.push(
                Diagnostic::error(code, text.span, format!("`{}` is not {what}", text.text))
                    .help(format!("write it as `\"{example}\"`")),
            );
        }
        texts.iter().map(|text| text.text.to_owned()).collect()
    };
    let is_account = |text: &str| text.len() == 12 && text.bytes().all(|byte| byte.is_ascii_digit());
    let accounts = names("accounts", is_account, "table.invalid-account", "an AWS account id", "123456789012");
    let regions = names("regions", is_region, "table.invalid-region", "an AWS region", "eu-west-1");
    TableSettings {
        billing,
        streams: section.choice("streams", &STREAMS, problems),
        point_in_time_recovery: section.boolean("point_in_time_recovery", problems),
        deletion_protection: section.boolean("deletion_protection", problems),
        class: section.choice("class", &CLASSES, problems).unwrap_or_default(),
        tags,
        accounts,
        regions,
        unknown_attributes: section.choice("unknown_attributes", &UNKNOWN, problems).unwrap_or_default(),
        warn_item_bytes: section.count("warn_item_bytes", problems),
    }
}

/// Whether it has the form of a region's name, such as `eu-west-1` or `us-gov-east-1`; new ones are made every year.
fn is_region(text: &str) -> bool {
    let parts: Vec<&str> = text.split('-').collect();
    let is_word = |part: &&str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_lowercase());
    match parts.as_slice() {
        [words @ .., number] if words.len() >= 2 => {
            words.iter().all(is_word) && !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
        }
        _ => false,
    }
}

/// The `partition_key` and `sort_key` of a table or an index, each of at most so many attributes.
///
/// What type their attributes have shows only when everything is read: until then each is a string.
pub(super) fn read_key(
    section: &mut Section<'_>,
    limit: usize,
    types: &mut KeyTypes,
    problems: &mut Problems,
) -> Option<KeySchema> {
    let owner = section.name.clone();
    let partition = section.require("partition_key", "partition_key = \"PK\"", problems);
    let partition = partition.and_then(|value| read_key_part(&value, limit, &owner, types, problems));
    let sort = section.get("sort_key").map(|value| read_key_part(&value, limit, &owner, types, problems));
    let (partition, sort) = (partition?, sort.unwrap_or_default());
    check_distinct(&section.name, partition.iter().chain(sort.iter().flatten()), problems);
    let keys = |part: Vec<(Text<'_>, KeyAttribute)>| part.into_iter().map(|(_, key)| key).collect();
    Some(KeySchema { partition: keys(partition), sort: sort.map(keys).unwrap_or_default() })
}

/// Whether a key names no attribute twice.
pub(super) fn check_distinct<'a>(
    owner: &str,
    keys: impl Iterator<Item = &'a (Text<'a>, KeyAttribute)>,
    problems: &mut Problems,
) {
    let mut seen: Vec<&str> = Vec::new();
    for (name, _) in keys {
        if seen.contains(&name.text) {
            problems.push(
                Diagnostic::error(
                    "key.same-attribute-twice",
                    name.span,
                    format!("{owner} has `{}` in its key twice", name.text),
                )
                .help("name another attribute, or leave the sort key out"),
            );
        }
        seen.push(name.text);
    }
}

/// One part of a key: a name, a table with a name and a type, or a list of these.
pub(super) fn read_key_part<'t>(
    value: &Value<'t>,
    limit: usize,
    owner: &str,
    types: &mut KeyTypes,
    problems: &mut Problems,
) -> Option<Vec<(Text<'t>, KeyAttribute)>> {
    let Some(elements) = value.as_elements() else {
        return Some(vec![read_key_attribute(value, owner, types, problems)?]);
    };
    if elements.is_empty() {
        return value.wrong("an attribute name, or a list of at least one", problems);
    }
    if elements.len() > limit {
        let (code, message, help) = match limit {
            1 => (
                "key.several-attributes",
                "only a global index can have several attributes in one part of its key".to_owned(),
                "make one attribute with a template, such as `\"{tenant}#{id}\"`",
            ),
            _ => (
                "key.too-many-attributes",
                format!(
                    "{} attributes are more than the {limit} that DynamoDB takes in one part of a key",
                    elements.len()
                ),
                "leave some out, or make one of several with a template",
            ),
        };
        problems.push(Diagnostic::error(code, value.span, message).help(help));
        return None;
    }
    elements.iter().map(|element| read_key_attribute(element, owner, types, problems)).collect()
}

fn read_key_attribute<'t>(
    value: &Value<'t>,
    owner: &str,
    types: &mut KeyTypes,
    problems: &mut Problems,
) -> Option<(Text<'t>, KeyAttribute)> {
    let (name, kind) = match (value.as_string(), value.as_section("a key attribute")) {
        (Some(name), _) => (name, None),
        (None, Some(mut section)) => {
            let name = section.require("name", "name = \"id\"", problems).and_then(|value| value.string(problems));
            let kind = section.string("type", problems);
            section.finish(problems);
            let kind = match kind.map(|word| word.text) {
                None => None,
                Some("string") => Some(KeyType::String),
                Some("number") => Some(KeyType::Number),
                Some("binary") => Some(KeyType::Binary),
                Some(other) => {
                    let message = format!("a key cannot be of type `{other}`");
                    let span = kind.map_or(value.span, |word| word.span);
                    problems.push(
                        Diagnostic::error("key.unknown-type", span, message)
                            .help("DynamoDB takes `string`, `number` and `binary`"),
                    );
                    return None;
                }
            };
            (name?, kind)
        }
        (None, None) => return value.wrong("an attribute name, or `{ name = \"id\", type = \"number\" }`", problems),
    };
    if let Some(kind) = kind {
        types.write(name, kind, owner, problems);
    }
    let kind = kind.unwrap_or(KeyType::String);
    check_attribute_name(name, problems).then(|| (name, KeyAttribute { name: name.text.to_owned(), kind }))
}

/// The most attributes that one part of a global index's key has.
pub(super) const SEVERAL: usize = MAX_KEY_ATTRIBUTES;

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
