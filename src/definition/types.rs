//! `[types.NAME]`: shapes with a name.

use std::collections::BTreeMap;

use super::attribute::{AttributeReader, TYPES};
use super::section::{Problems, Section, Text, Value};
use crate::diagnostic::Diagnostic;
use crate::model::AttributeType;

/// The types that a definition gives names to. Each is read once, when it is first needed.
#[derive(Debug, Default)]
pub(super) struct Types<'t> {
    written: BTreeMap<&'t str, (Text<'t>, Value<'t>)>,
    /// What was read; `None` while it is being read, and for what could not be.
    read: BTreeMap<&'t str, Option<AttributeType>>,
}

impl<'t> Types<'t> {
    /// Takes the types of a definition, and reads them all.
    pub(super) fn read_all(section: Option<Section<'t>>, problems: &mut Problems) -> Self {
        let mut types = Types::default();
        for (name, value) in section.iter().flat_map(Section::entries) {
            if TYPES.contains(&name.text) {
                problems.push(
                    Diagnostic::error(
                        "type.shadows",
                        name.span,
                        format!("`{}` is the name of a built-in type", name.text),
                    )
                    .help("give it another name"),
                );
                continue;
            }
            types.written.insert(name.text, (name, value));
        }
        let names: Vec<&str> = types.written.keys().copied().collect();
        for name in names {
            types.resolve(name, problems);
        }
        types
    }

    pub(super) fn is_known(&self, name: &str) -> bool {
        self.written.contains_key(name)
    }

    pub(super) fn names(&self) -> impl Iterator<Item = &'t str> {
        self.written.keys().copied()
    }

    /// The type of that name.
    pub(super) fn resolve(&mut self, name: &str, problems: &mut Problems) -> Option<AttributeType> {
        let (written, value) = self.written.get(name)?.clone();
        match self.read.get(name) {
            Some(Some(kind)) => return Some(kind.clone()),
            Some(None) => {
                // It is being read right now: it would hold itself. One that could not be read has been told already.
                if !problems.iter().any(|problem| problem.code == "type.circular" && problem.span == written.span) {
                    problems.push(
                        Diagnostic::error("type.circular", written.span, format!("`{name}` holds itself, without end"))
                            .help("use `map`, `list` or `any` where it comes again"),
                    );
                }
                return None;
            }
            None => {}
        }
        self.read.insert(written.text, None);
        let errors = problems.len();
        let mut reader = AttributeReader { owner: written.text, types: self, problems };
        let kind = reader.read_type(&value, written.span, written.text, 1);
        let is_circular =
            problems[errors..].iter().any(|problem| problem.code == "type.circular" && problem.span == written.span);
        match kind.filter(|_| !is_circular) {
            Some(kind) => self.read.insert(written.text, Some(kind)),
            // What could not be read counts as anything, so that its mistake is told once.
            None => self.read.insert(written.text, Some(AttributeType::Any)),
        };
        self.read.get(written.text).cloned().flatten()
    }
}
