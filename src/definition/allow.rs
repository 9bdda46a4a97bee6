//! `[[table.allow]]`: what an existing table does, and cannot be changed.

use super::section::{Problems, Section, Text, Value};
use crate::diagnostic::{Diagnostic, Severity, Span};

/// A diagnostic that is accepted, and why.
#[derive(Debug)]
pub(crate) struct Allow<'t> {
    code: &'t str,
    /// What it is about; anything, where it is not said.
    subject: Option<&'t str>,
    why: &'t str,
    span: Span,
}

pub(super) fn read_all<'t>(value: &Value<'t>, problems: &mut Problems) -> Vec<Allow<'t>> {
    let Some(elements) = value.as_elements() else {
        value.wrong::<()>("a list of tables: `[[table.allow]]`", problems);
        return Vec::new();
    };
    let mut allows = Vec::new();
    for element in elements {
        let Some(section) = element.section("[[table.allow]]", problems) else { continue };
        allows.extend(read(section, element.span, problems));
    }
    allows
}

fn read<'t>(mut section: Section<'t>, span: Span, problems: &mut Problems) -> Option<Allow<'t>> {
    let code = section.require("code", "code = \"layout.collision\"", problems).and_then(|one| one.string(problems));
    let subject = section.string("where", problems);
    let why = section.require("why", "why = \"the table is older than this file\"", problems);
    let why = why.and_then(|one| one.string(problems));
    section.finish(problems);
    if let Some(why) = why.filter(|why| why.text.trim().is_empty()) {
        problems.push(
            Diagnostic::error("definition.wrong-type", why.span, "`why` says nothing")
                .help("say why the table has to be as it is"),
        );
    }
    let text = |text: Text<'t>| text.text;
    Some(Allow { code: code.map(text)?, subject: subject.map(text), why: why.map(text)?, span })
}

/// Turns what is allowed into notes, and says which permission nothing needs.
pub(crate) fn apply(allows: &[Allow<'_>], problems: &mut Vec<Diagnostic>) {
    for allow in allows {
        let mut is_used = false;
        for problem in problems.iter_mut().filter(|problem| problem.code == allow.code) {
            let Some(subject) = &problem.subject else { continue };
            if allow.subject.is_none_or(|wanted| is_same(wanted, subject)) {
                is_used = true;
                problem.severity = Severity::Note;
                problem.label = format!("allowed: {}", allow.why);
                problem.help = None;
            }
        }
        if !is_used {
            let place = allow.subject.map(|subject| format!(" at `{subject}`")).unwrap_or_default();
            let can: Vec<String> = problems
                .iter()
                .filter(|problem| problem.code == allow.code)
                .filter_map(|problem| problem.subject.as_ref().map(|subject| format!("`{subject}`")))
                .collect();
            let help = match can.is_empty() {
                true => "take it away: nothing of that code is found here, or it cannot be allowed".to_owned(),
                false => format!("`where` could be {}", can.join(" or ")),
            };
            problems.push(
                Diagnostic::warning(
                    "table.allow-unused",
                    allow.span,
                    format!("nothing{place} needs `{}` to be allowed", allow.code),
                )
                .help(help),
            );
        }
    }
}

/// Two entities may be named in either order.
fn is_same(wanted: &str, subject: &str) -> bool {
    let turned = || subject.split_once('/').is_some_and(|(a, b)| format!("{b}/{a}") == wanted);
    wanted == subject || turned()
}
