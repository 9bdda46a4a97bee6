//! `[entities.NAME]`

use super::section::{Problems, Section, Text, Value};
use super::{attribute, key};
use crate::diagnostic::Diagnostic;
use crate::model::{AttributeType, Entity, Table};

/// Reads an entity, and hands back its references for when all entities are known.
pub(super) fn read<'t>(
    name: Text<'t>,
    value: &Value<'t>,
    table: &Table,
    problems: &mut Problems,
) -> Option<(Entity, Option<Section<'t>>)> {
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
    section.finish(problems);

    let mut entity = Entity {
        name: name.text.to_owned(),
        attributes: attributes
            .as_ref()
            .map(|section| attribute::read_all(section, None, 1, problems))
            .unwrap_or_default(),
        keys: Default::default(),
        references: Vec::new(),
        span: name.span,
    };
    if let Some(attributes) = attributes {
        check_table_attributes(&attributes, &entity, table, problems);
        entity.keys = key::read(keys, &entity, table, problems);
    }
    Some((entity, references))
}

/// The type attribute is the tool's to write, and the TTL attribute must be one that DynamoDB understands.
fn check_table_attributes(attributes: &Section<'_>, entity: &Entity, table: &Table, problems: &mut Problems) {
    for (name, _) in attributes.entries() {
        if table.type_attribute.as_deref() == Some(name.text) {
            problems.push(
                Diagnostic::error(
                    "entity.type-attribute",
                    name.span,
                    format!("`{}` is the table's type attribute, and holds the entity's name", name.text),
                )
                .help("leave it out here; it is written by itself"),
            );
        }
        let kind = entity.attribute(name.text).map(|attribute| &attribute.kind);
        if table.ttl_attribute.as_deref() == Some(name.text)
            && !matches!(kind, None | Some(AttributeType::Epoch | AttributeType::Number))
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
