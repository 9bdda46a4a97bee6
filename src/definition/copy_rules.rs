//! What is refused of copies because it could never be kept right.

use super::section::Problems;
use crate::diagnostic::{Diagnostic, Span};
use crate::model::{AttributePath, CopyRule, Entity, Holder, Keep, Model, Reference, ReferenceKey};

/// Checks every copy rule against the rules beside it and against the keys.
pub(super) fn check(model: &Model, problems: &mut Problems) {
    for entity in &model.entities {
        let mut earlier: Vec<AttributePath> = Vec::new();
        for reference in &entity.references {
            for rule in &reference.copies {
                check_rule(rule, reference, entity, model, &earlier, problems);
                earlier.push(reference.in_item(&rule.target));
            }
            if let Some(version) = &reference.version_as {
                let place = reference.in_item(version);
                if earlier.iter().any(|other| other.overlaps(&place)) {
                    problems.push(written_twice(&reference.shown(version), entity, reference.span));
                }
                earlier.push(place);
            }
        }
    }
}

fn check_rule(
    rule: &CopyRule,
    reference: &Reference,
    entity: &Entity,
    model: &Model,
    earlier: &[AttributePath],
    problems: &mut Problems,
) {
    let target = reference.in_item(&rule.target);
    let copy = format!("`{}` of {}", reference.shown(&rule.target), entity.name);
    if earlier.iter().any(|other| other.overlaps(&target)) {
        problems.push(written_twice(&reference.shown(&rule.target), entity, rule.span));
    }
    let is_part = |key: &ReferenceKey| match key.holder {
        Holder::Item => key.target.overlaps(&target),
        Holder::Element => key.target.overlaps(&rule.target),
    };
    if reference.by.iter().any(is_part) {
        problems.push(
            Diagnostic::error(
                "copy.is-the-reference",
                rule.span,
                format!("{copy} tells which {} is meant, so it cannot be a copy of one", reference.entity),
            )
            .help("leave it out of `copies`: `by` keeps it right"),
        );
    }
    if reference.keep != Some(Keep::Latest) {
        return;
    }
    if entity.identity(&model.table).iter().any(|path| path.overlaps(&target)) {
        problems.push(
            Diagnostic::error(
                "copy.in-primary-key",
                rule.span,
                format!("{copy} is part of its primary key, which no update can change"),
            )
            .label("would need a delete and a put")
            .help("make the key from something that does not change, or keep the copy as a `snapshot`"),
        );
    }
    let source = model.entity(&reference.entity);
    let copied_from = source.into_iter().flat_map(|source| &source.references).find(|theirs| {
        theirs.keep == Some(Keep::Latest)
            && theirs.copies.iter().any(|one| theirs.in_item(&one.target).overlaps(&rule.source))
    });
    if let Some(origin) = copied_from {
        problems.push(
            Diagnostic::error(
                "copy.of-a-copy",
                rule.span,
                format!(
                    "{copy} copies `{}` of {}, which is itself a copy of {}'s",
                    rule.source, reference.entity, origin.entity
                ),
            )
            .help(format!("refer to {} here as well, and copy from it", origin.entity)),
        );
    }
}

fn written_twice(target: &str, entity: &Entity, span: Span) -> Diagnostic {
    Diagnostic::error("copy.written-twice", span, format!("`{target}` of {} is written by two copy rules", entity.name))
        .help("let one rule write it")
}
