//! The two sides of a reference: the source, and the target that refers to it.

use super::section::{Problems, Text, list};
use crate::diagnostic::{Diagnostic, did_you_mean};
use crate::model::{Attribute, AttributeType, Entity, Holder, Resolved, resolve};

/// Both sides of a reference, and what is known of them.
pub(super) struct Sides<'m> {
    /// How messages call the reference.
    pub(super) title: String,
    pub(super) source: &'m Entity,
    pub(super) target: &'m Entity,
    /// The attributes of an element of the target's list, where those refer and not the item itself.
    pub(super) element: Option<&'m [Attribute]>,
}

impl<'m> Sides<'m> {
    /// Finds an attribute of the source.
    pub(super) fn theirs(&self, name: Text<'_>, code: &'static str, problems: &mut Problems) -> Option<Resolved<'m>> {
        find(&self.source.attributes, &self.source.name, name, code, problems)
    }

    /// What the target's paths lead into: its attributes, or those of an element of its list.
    pub(super) fn fields(&self) -> &'m [Attribute] {
        self.element.unwrap_or(&self.target.attributes)
    }

    /// Finds an attribute of the target, or of an element of its list.
    pub(super) fn ours(&self, name: Text<'_>, code: &'static str, problems: &mut Problems) -> Option<Resolved<'m>> {
        let owner = &self.target.name;
        match self.element {
            None => find(&self.target.attributes, owner, name, code, problems),
            Some(fields) => find(fields, &format!("the element of {owner} that refers"), name, code, problems),
        }
    }

    /// Finds an attribute of the target that is a part of the reference: from an element of a list, a path that
    /// begins with `/` starts at the item.
    pub(super) fn key(
        &self,
        name: Text<'_>,
        code: &'static str,
        problems: &mut Problems,
    ) -> Option<(Resolved<'m>, Holder)> {
        let from_item = self.element.and_then(|_| name.text.strip_prefix('/'));
        if let Some(text) = from_item {
            let name = Text { text, span: name.span };
            let found = find(&self.target.attributes, &self.target.name, name, code, problems)?;
            return Some((found, Holder::Item));
        }
        let holder = if self.element.is_some() { Holder::Element } else { Holder::Item };
        Some((self.ours(name, code, problems)?, holder))
    }

    /// What the two sides of a rule are.
    pub(super) fn types(&self, ours: &Resolved<'_>, theirs: &Resolved<'_>) -> String {
        let side = |found: &Resolved<'_>, entity: &Entity| {
            let coded =
                if found.kind.means_the_same_as(&AttributeType::String(Default::default())) { "" } else { "coded " };
            format!("`{}` of {} is a {coded}{}", found.path, entity.name, found.kind.name())
        };
        format!("{}, and {}", side(ours, self.target), side(theirs, self.source))
    }
}

fn find<'m>(
    attributes: &'m [Attribute],
    owner: &str,
    name: Text<'_>,
    code: &'static str,
    problems: &mut Problems,
) -> Option<Resolved<'m>> {
    let found = resolve(attributes, name.text);
    if found.is_none() {
        let names = attributes.iter().map(|attribute| attribute.name.as_str());
        let meant = did_you_mean(name.text, names.clone());
        problems.push(
            Diagnostic::error(code, name.span, format!("{owner} has no attribute `{}`", name.text))
                .help(meant.unwrap_or_else(|| format!("its attributes are {}", list(names)))),
        );
    }
    found
}
