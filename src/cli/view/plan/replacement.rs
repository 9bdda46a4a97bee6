//! What a value was, and what it is to be.

use std::collections::BTreeSet;

use super::super::item;
use super::super::style::{FAINT, NEW, OLD, paint};
use crate::value::AttributeValue;

/// How many characters go into one line, its indent and the item's key not counted.
const LINE: usize = 100;

/// A value before and after, as text; `None` where there is none.
pub(super) struct Replacement {
    name: String,
    was: Option<String>,
    now: Option<String>,
}

/// What changes in a value: of two maps, only the fields that differ.
pub(super) fn replacements(name: &str, was: Option<&AttributeValue>, now: Option<&AttributeValue>) -> Vec<Replacement> {
    if let (Some(AttributeValue::M(old)), Some(AttributeValue::M(new))) = (was, now)
        && old != new
    {
        let fields: BTreeSet<&String> = old.keys().chain(new.keys()).collect();
        let differing = fields.into_iter().filter(|field| old.get(*field) != new.get(*field));
        return differing
            .flat_map(|field| replacements(&format!("{name}.{field}"), old.get(field), new.get(field)))
            .collect();
    }
    vec![Replacement { name: name.to_owned(), was: was.map(item::value), now: now.map(item::value) }]
}

impl Replacement {
    /// Whether it can stand in one line.
    pub(super) fn fits(&self) -> bool {
        let characters = |text: &Option<String>| text.as_ref().map_or(0, |text| text.chars().count());
        self.name.chars().count() + characters(&self.was) + characters(&self.now) <= LINE
    }

    /// As one line: `authorName "Mara Vance" -> "Mara V."`. What is only written anew, because its version is older,
    /// stands as it is.
    pub(super) fn line(&self) -> String {
        let Replacement { name, was, now } = self;
        if was == now {
            return paint(FAINT, format!("{name} {} again", now.as_deref().unwrap_or("nothing")));
        }
        let or_nothing = |style, text: &Option<String>| match text {
            Some(text) => paint(style, text),
            None => "nothing".to_owned(),
        };
        format!("{name} {} -> {}", or_nothing(OLD, was), or_nothing(NEW, now))
    }

    /// As one line, or as two where it is long.
    pub(super) fn lines(&self) -> Vec<String> {
        let Replacement { name, was, now } = self;
        if self.fits() || was == now {
            return vec![self.line()];
        }
        let line = |sign, style, text: &String| paint(style, format!("{sign} {name} {text}"));
        let removed = was.as_ref().map(|text| line('-', OLD, text));
        removed.into_iter().chain(now.as_ref().map(|text| line('+', NEW, text))).collect()
    }
}
