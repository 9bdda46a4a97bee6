//! What is refused of copies because it could never be kept right.

use super::section::Problems;
use crate::diagnostic::Diagnostic;
use crate::model::{CopyRule, Entity, Keep, Model, Reference};

/// Checks every copy rule against the rules beside it and against the keys.
pub(super) fn check(model: &Model, problems: &mut Problems) {
    for entity in &model.entities {
        let mut earlier: Vec<&CopyRule> = Vec::new();
        for reference in &entity.references {
            for rule in &reference.copies {
                check_rule(rule, reference, entity, model, &earlier, problems);
                earlier.push(rule);
            }
        }
    }
}

fn check_rule(
    rule: &CopyRule,
    reference: &Reference,
    entity: &Entity,
    model: &Model,
    earlier: &[&CopyRule],
    problems: &mut Problems,
) {
    let copy = format!("`{}` of {}", rule.target, entity.name);
    if let Some(other) = earlier.iter().find(|other| other.target.overlaps(&rule.target)) {
        problems.push(
            Diagnostic::error(
                "copy.written-twice",
                rule.span,
                format!("{copy} is written by two copy rules, here and as `{}`", other.target),
            )
            .help("let one rule write it"),
        );
    }
    if reference.by.iter().any(|key| key.target.overlaps(&rule.target)) {
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
    if entity.identity(&model.table).iter().any(|path| path.overlaps(&rule.target)) {
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
        theirs.keep == Some(Keep::Latest) && theirs.copies.iter().any(|theirs| theirs.target.overlaps(&rule.source))
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
