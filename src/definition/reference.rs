//! `[entities.NAME.references.NAME]`

use std::collections::BTreeSet;

use super::copies;
use super::section::{Problems, Section, Text, Value, list};
use super::sides::Sides;
use crate::diagnostic::{Diagnostic, did_you_mean};
use crate::model::{
    Attribute, AttributePath, AttributeType, Entity, Keep, Model, Reference, ReferenceKey, Via, Within, resolve,
};

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
    let within = section.string("within", problems);
    let via = section.string("via", problems);
    let version_as = section.string("version_as", problems);
    let title = section.name.clone();
    section.finish(problems);

    let keep = match keep {
        Some(value) => value.choice(&[("latest", Keep::Latest), ("snapshot", Keep::Snapshot)], problems),
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
    let via = via.map(|text| read_via(text, target, model, problems));

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
    let within = match within {
        None => None,
        Some(text) => Some(read_within(text, target, problems)?),
    };
    let (within, element) = within.unzip();
    let sides = Sides { title, source, target, element };
    let by = by.and_then(|value| read_by(&value, &sides, model, unsound, problems))?;
    let version_as = version_as.and_then(|text| read_version_as(text, &sides, problems));
    let copies = copies.map(|value| copies::read(&value, &sides, keep, problems)).unwrap_or_default();
    Some(Reference {
        name: name.text.to_owned(),
        entity: source.name.clone(),
        within,
        by,
        keep,
        copies,
        version_as,
        via: via.flatten(),
        owner,
        span: name.span,
    })
}

/// `table`, `get`, `scan`, `link:ENTITY`, or an index. An index called like a word is meant before the word.
fn read_via(text: Text<'_>, target: &Entity, model: &Model, problems: &mut Problems) -> Option<Via> {
    if model.table.index(text.text).is_some() {
        return Some(Via::Index(text.text.to_owned()));
    }
    match text.text {
        "table" => return Some(Via::Table),
        "get" => return Some(Via::Get),
        "scan" => return Some(Via::Scan),
        _ => {}
    }
    if let Some(entity) = text.text.strip_prefix("link:") {
        if model.entity(entity).is_some_and(|entity| entity.name != target.name) {
            return Some(Via::Link(entity.to_owned()));
        }
        let names = model.entities.iter().map(|entity| entity.name.as_str()).filter(|name| *name != target.name);
        let meant = did_you_mean(entity, names.clone());
        problems.push(
            Diagnostic::error(
                "reference.invalid-link",
                text.span,
                format!("`{entity}` is no other entity, whose items could lead from the source to {}", target.name),
            )
            .help(meant.unwrap_or_else(|| format!("name one of {}", list(names)))),
        );
        return None;
    }
    let indexes = model.table.indexes.iter().map(|index| index.name.as_str());
    let meant = did_you_mean(text.text, indexes.clone().chain(["table", "get", "scan"]));
    problems.push(
        Diagnostic::error("reference.invalid-via", text.span, format!("`{}` is no way to find items", text.text)).help(
            meant.unwrap_or_else(|| {
                format!("write `table`, `get`, `scan`, `link:ENTITY` or an index; the indexes are {}", list(indexes))
            }),
        ),
    );
    None
}

/// `coAuthors[]`, or `comments[].author`: the list, and the fields of what stands in each element.
fn read_within<'m>(text: Text<'_>, target: &'m Entity, problems: &mut Problems) -> Option<(Within, &'m [Attribute])> {
    let refuse = |why: String, problems: &mut Problems| {
        problems.push(Diagnostic::error("reference.invalid-within", text.span, why).help(
            "write a list with `[]` behind it, such as `coAuthors[]` or `comments[].author`, whose elements are \
                 maps with `attributes`",
        ));
        None
    };
    let Some((list, below)) = text.text.split_once("[]") else {
        return refuse(format!("`{}` does not say which list's elements refer", text.text), problems);
    };
    if below.contains("[]") {
        return refuse("only the elements of one list can refer, not those of lists inside it".to_owned(), problems);
    }
    let Some(found) = target.resolve(list) else {
        return refuse(format!("{} has no attribute `{list}`", target.name), problems);
    };
    let AttributeType::List { of: Some(of), .. } = found.kind else {
        return refuse(format!("`{list}` of {} is no list with `of`", target.name), problems);
    };
    if below.is_empty() {
        return match of.fields() {
            [] => refuse(format!("the elements of `{list}` are no maps with `attributes`"), problems),
            fields => Some((Within { list: found.path, below: None }, fields)),
        };
    }
    let inner = below.strip_prefix('.').and_then(|path| resolve(of.fields(), path));
    match inner {
        Some(inner) if !inner.kind.fields().is_empty() => {
            Some((Within { list: found.path, below: Some(inner.path) }, inner.kind.fields()))
        }
        _ => refuse(format!("`{below}` is no map with `attributes` in the elements of `{list}`"), problems),
    }
}

/// A reference names the whole primary key of its source: each attribute that makes it, and nothing else.
fn read_by(
    value: &Value<'_>,
    sides: &Sides<'_>,
    model: &Model,
    unsound: &BTreeSet<String>,
    problems: &mut Problems,
) -> Option<Vec<ReferenceKey>> {
    let Sides { title, source, target, .. } = sides;
    let section = value.section(format!("`by` of {title}"), problems)?;
    let identity = source.identity(&model.table);
    let mut by: Vec<ReferenceKey> = Vec::new();
    for (name, value) in section.entries() {
        let theirs = sides.theirs(name, "reference.unknown-attribute", problems);
        let ours = value.string(problems).and_then(|text| sides.key(text, "reference.unknown-attribute", problems));
        let (Some(theirs), Some((ours, holder))) = (theirs, ours) else { continue };
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
        if !theirs.kind.is_stored_like(ours.kind) || !theirs.kind.means_the_same_as(ours.kind) {
            problems.push(Diagnostic::error("reference.wrong-type", value.span, sides.types(&ours, &theirs)).help(
                "an attribute that refers to another must have its type, and the same codes for the same values",
            ));
        }
        by.push(ReferenceKey { source: theirs.path, target: ours.path, holder });
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

fn read_version_as(text: Text<'_>, sides: &Sides<'_>, problems: &mut Problems) -> Option<AttributePath> {
    let Sides { source, target, .. } = sides;
    let ours = resolve(sides.fields(), text.text).filter(|ours| matches!(ours.kind, AttributeType::Number { .. }));
    let (message, help) = match (&source.version, ours) {
        (Some(_), Some(ours)) => return Some(ours.path),
        (None, _) => (
            format!("{} has no version that could be kept here", source.name),
            format!("name its number with `version = \"rev\"` in [entities.{}]", source.name),
        ),
        (Some(_), None) => (
            format!("`{}` is no number attribute of {}", text.text, target.name),
            "declare it as a number; it holds the version of the source that the copies are of".to_owned(),
        ),
    };
    problems.push(Diagnostic::error("reference.version-as", text.span, message).help(help));
    None
}

fn list_paths(paths: &[AttributePath]) -> String {
    let names: Vec<String> = paths.iter().map(ToString::to_string).collect();
    list(names.iter().map(String::as_str))
}
