//! `[entities.NAME]`

use super::attribute::{AttributeReader, read_rate};
use super::key;
use super::section::{Problems, Section, Text, Value, list};
use super::types::Types;
use crate::diagnostic::{Diagnostic, did_you_mean};
use crate::model::{AttributePath, AttributeType, Entity, Table};

/// An entity of which the attributes have been read, and what has to wait for those of all the others.
pub(super) struct Declared<'t> {
    /// The entity; it has no keys and no references yet.
    pub(super) entity: Entity,
    /// Its references, which name attributes of other entities.
    pub(super) references: Option<Section<'t>>,
    attributes: Option<Section<'t>>,
    keys: Option<Section<'t>>,
    version: Option<Text<'t>>,
}

/// Reads an entity's attributes.
pub(super) fn read<'t>(
    name: Text<'t>,
    value: &Value<'t>,
    types: &mut Types<'t>,
    problems: &mut Problems,
) -> Option<Declared<'t>> {
    if name.text.is_empty() {
        problems.push(Diagnostic::error("entity.invalid-name", name.span, "an entity needs a name"));
    }
    let title = format!("[entities.{}]", name.text);
    let mut section = value.section(title.clone(), problems)?;
    let attributes = section
        .require("attributes", "attributes = { id = \"string\" }", problems)
        .and_then(|value| value.section(format!("[entities.{}.attributes]", name.text), problems));
    let keys = section.get("keys").and_then(|value| value.section(format!("`keys` of {}", name.text), problems));
    let references = section
        .get("references")
        .and_then(|value| value.section(format!("[entities.{}.references]", name.text), problems));
    let type_value = section.string("type_value", problems);
    let version = section.string("version", problems);
    let reads = section.get("reads").and_then(|value| read_rate(&value, problems));
    section.finish(problems);

    let mut reader = AttributeReader { owner: name.text, types, problems };
    let declared = attributes.as_ref().map(|section| reader.read_all(section, None, 1)).unwrap_or_default();
    let entity = Entity {
        name: name.text.to_owned(),
        type_value: type_value.map_or(name.text, |text| text.text).to_owned(),
        attributes: declared,
        keys: Default::default(),
        references: Vec::new(),
        version: None,
        reads,
        span: name.span,
    };
    Some(Declared { entity, references, attributes, keys, version })
}

impl Declared<'_> {
    /// Reads how the entity's keys are made, now that the types of the table's keys are known.
    pub(super) fn read_keys(&mut self, table: &Table, problems: &mut Problems) {
        let Some(attributes) = &self.attributes else { return };
        check_table_attributes(attributes, &self.entity, table, problems);
        self.entity.keys = key::read(self.keys.take(), &self.entity, table, problems);
        self.entity.version = self.version.and_then(|name| read_version(name, &self.entity, problems));
    }
}

/// The version is a number that the entity declares.
fn read_version(name: Text<'_>, entity: &Entity, problems: &mut Problems) -> Option<AttributePath> {
    let found = entity.resolve(name.text);
    if let Some(found) = found.filter(|found| matches!(found.kind, AttributeType::Number { .. })) {
        return Some(found.path);
    }
    let names = entity.attributes.iter().map(|attribute| attribute.name.as_str());
    let meant = did_you_mean(name.text, names.clone());
    problems.push(
        Diagnostic::error(
            "entity.version-type",
            name.span,
            format!("`{}` is no number attribute of {}, and a version counts the changes", name.text, entity.name),
        )
        .help(meant.unwrap_or_else(|| format!("declare a number such as `rev`; its attributes are {}", list(names)))),
    );
    None
}

/// The type attribute is the tool's to write, and the TTL attribute must be one that DynamoDB understands.
fn check_table_attributes(attributes: &Section<'_>, entity: &Entity, table: &Table, problems: &mut Problems) {
    for (name, _) in attributes.entries() {
        let Some(attribute) = entity.attribute(name.text) else { continue };
        let place = attribute.place();
        if table.type_attribute.as_deref() == Some(place.root()) {
            problems.push(
                Diagnostic::error(
                    "entity.type-attribute",
                    name.span,
                    format!("`{}` is the table's type attribute, and holds the entity's name", place.root()),
                )
                .help("leave it out here; it is written by itself"),
            );
        }
        if table.ttl_attribute.as_deref() == Some(name.text) && place.as_top_level() != Some(name.text) {
            problems.push(
                Diagnostic::error(
                    "entity.ttl-type",
                    name.span,
                    format!(
                        "`{}` is the TTL attribute, and is stored as `{place}`, where DynamoDB does not look",
                        name.text
                    ),
                )
                .help(format!(
                    "name its place in the table, `ttl_attribute = \"{place}\"`, or store it under its own name"
                )),
            );
        }
        if table.ttl_attribute.is_some()
            && table.ttl_attribute.as_deref() == place.as_top_level()
            && !matches!(attribute.kind, AttributeType::Epoch | AttributeType::Number { .. })
        {
            problems.push(
                Diagnostic::error(
                    "entity.ttl-type",
                    name.span,
                    format!("`{}` is the TTL attribute, which DynamoDB reads only where it is a number", name.text),
                )
                .help("make it an `epoch`"),
            );
        }
    }
}
