//! `[entities.NAME.references.NAME]`

use std::collections::BTreeSet;

use super::section::{Problems, Section, Text, Value, list};
use crate::diagnostic::{Diagnostic, did_you_mean};
use crate::model::{AttributePath, CopyRule, Entity, Keep, Model, Reference, ReferenceKey, Resolved};

/// Reads the references of the entity at `at`.
pub(super) fn read_all(
    section: Section<'_>,
    at: usize,
    model: &Model,
    unsound: &BTreeSet<String>,
    problems: &mut Problems,
) -> Vec<Reference> {
    let target = &model.entities[at];
    let mut references = Vec::new();
    for (name, value) in section.entries() {
        let title = format!("[entities.{}.references.{}]", target.name, name.text);
        if let Some(section) = value.section(title, problems)
            && let Some(reference) = read(name, section, target, model, unsound, problems)
        {
            references.push(reference);
        }
    }
    references
}

fn read(
    name: Text<'_>,
    mut section: Section<'_>,
    target: &Entity,
    model: &Model,
    unsound: &BTreeSet<String>,
    problems: &mut Problems,
) -> Option<Reference> {
    let entity = section.require("entity", "entity = \"Author\"", problems).and_then(|value| value.string(problems));
    let by = section.require("by", "by = { id = \"authorId\" }", problems);
    let keep = section.get("keep");
    let copies = section.get("copies");
    let owner = section.string("owner", problems).map(|owner| owner.text.to_owned());
    let title = section.name.clone();
    section.finish(problems);

    let keep = match keep {
        Some(value) => read_keep(&value, problems),
        None => {
            if let Some(copies) = &copies {
                problems.push(
                    Diagnostic::error(
                        "reference.keep-missing",
                        copies.span,
                        format!("{title} does not say what becomes of its copies when the source changes"),
                    )
                    .help("add `keep = \"latest\"`, or `keep = \"snapshot\"` where they stay as they were taken"),
                );
            }
            None
        }
    };

    let entity = entity?;
    let Some(source) = model.entity(entity.text) else {
        let names = model.entities.iter().map(|entity| entity.name.as_str());
        let meant = did_you_mean(entity.text, names.clone());
        problems.push(
            Diagnostic::error("reference.unknown-entity", entity.span, format!("there is no entity `{}`", entity.text))
                .help(meant.unwrap_or_else(|| format!("the entities are {}", list(names)))),
        );
        return None;
    };
    let by = by.and_then(|value| read_by(&value, &title, source, target, model, unsound, problems))?;
    let copies = copies.map(|value| read_copies(&value, &title, source, target, problems)).unwrap_or_default();
    Some(Reference {
        name: name.text.to_owned(),
        entity: source.name.clone(),
        by,
        keep,
        copies,
        owner,
        span: name.span,
    })
}

fn read_keep(value: &Value<'_>, problems: &mut Problems) -> Option<Keep> {
    match value.as_string().map(|text| text.text) {
        Some("latest") => Some(Keep::Latest),
        Some("snapshot") => Some(Keep::Snapshot),
        _ => value.wrong("`\"latest\"` or `\"snapshot\"`", problems),
    }
}

/// A reference names the whole primary key of its source: each attribute that makes it, and nothing else.
fn read_by(
    value: &Value<'_>,
    title: &str,
    source: &Entity,
    target: &Entity,
    model: &Model,
    unsound: &BTreeSet<String>,
    problems: &mut Problems,
) -> Option<Vec<ReferenceKey>> {
    let section = value.section(format!("`by` of {title}"), problems)?;
    let identity = source.identity(&model.table);
    let mut by: Vec<ReferenceKey> = Vec::new();
    for (name, value) in section.entries() {
        let theirs = resolve(source, name, "reference.unknown-attribute", problems);
        let ours =
            value.string(problems).and_then(|text| resolve(target, text, "reference.unknown-attribute", problems));
        let (Some(theirs), Some(ours)) = (theirs, ours) else { continue };
        if !identity.contains(&theirs.path) && !unsound.contains(&source.name) {
            problems.push(
                Diagnostic::error(
                    "reference.not-key",
                    name.span,
                    format!("`{}` is not part of the primary key of {}", name.text, source.name),
                )
                .help(format!("its primary key is made from {}", list_paths(&identity))),
            );
            continue;
        }
        if !theirs.kind.is_stored_like(ours.kind) {
            problems.push(
                Diagnostic::error("reference.wrong-type", value.span, types(&ours, target, &theirs, source))
                    .help("an attribute that refers to another must have its type"),
            );
        }
        by.push(ReferenceKey { source: theirs.path, target: ours.path });
    }
    let missing: Vec<AttributePath> =
        identity.iter().filter(|path| !by.iter().any(|key| key.source == **path)).cloned().collect();
    if !missing.is_empty() && section.entries().len() == by.len() && !unsound.contains(&source.name) {
        problems.push(
            Diagnostic::error(
                "reference.incomplete-key",
                value.span,
                format!("{title} does not name the whole primary key of {}", source.name),
            )
            .label(format!("{} is missing", list_paths(&missing)))
            .help(format!(
                "add an attribute to {} that holds it, and name it here: `{} = \"...\"`",
                target.name, missing[0]
            )),
        );
        return None;
    }
    Some(by)
}

fn read_copies(
    value: &Value<'_>,
    title: &str,
    source: &Entity,
    target: &Entity,
    problems: &mut Problems,
) -> Vec<CopyRule> {
    let Some(section) = value.section(format!("`copies` of {title}"), problems) else { return Vec::new() };
    let mut rules = Vec::new();
    for (name, value) in section.entries() {
        let ours = resolve(target, name, "copy.unknown-attribute", problems);
        let theirs = value.string(problems).and_then(|text| resolve(source, text, "copy.unknown-attribute", problems));
        let (Some(ours), Some(theirs)) = (ours, theirs) else { continue };
        if !ours.kind.is_stored_like(theirs.kind) {
            problems.push(
                Diagnostic::error("copy.wrong-type", value.span, types(&ours, target, &theirs, source))
                    .help("a copy must have the type of what it copies"),
            );
        }
        rules.push(CopyRule { target: ours.path, source: theirs.path, span: name.span });
    }
    rules
}

fn resolve<'m>(
    entity: &'m Entity,
    name: Text<'_>,
    code: &'static str,
    problems: &mut Problems,
) -> Option<Resolved<'m>> {
    let found = entity.resolve(name.text);
    if found.is_none() {
        let names = entity.attributes.iter().map(|attribute| attribute.name.as_str());
        let meant = did_you_mean(name.text, names.clone());
        problems.push(
            Diagnostic::error(code, name.span, format!("{} has no attribute `{}`", entity.name, name.text))
                .help(meant.unwrap_or_else(|| format!("its attributes are {}", list(names)))),
        );
    }
    found
}

/// What the two sides of a rule are.
fn types(ours: &Resolved<'_>, target: &Entity, theirs: &Resolved<'_>, source: &Entity) -> String {
    let side = |found: &Resolved<'_>, entity: &Entity| {
        format!("`{}` of {} is a {}", found.path, entity.name, found.kind.name())
    };
    format!("{}, and {}", side(ours, target), side(theirs, source))
}

fn list_paths(paths: &[AttributePath]) -> String {
    let names: Vec<String> = paths.iter().map(ToString::to_string).collect();
    list(names.iter().map(String::as_str))
}
