//! An attribute: `"string"`, or a table that says more.

use super::bounds;
use super::section::{Problems, Section, Text, Value, list};
use super::types::Types;
use crate::diagnostic::{Diagnostic, Span, did_you_mean};
use crate::limits::{MAX_NAME_BYTES, MAX_NESTING};
use crate::model::{
    Attribute, AttributePath, AttributeType, Fill, Precision, Rate, SetMember, Storage, StringRules, check_value,
};

/// The types that are built in.
pub(super) const TYPES: [&str; 13] = [
    "string",
    "number",
    "binary",
    "boolean",
    "null",
    "list",
    "map",
    "string-set",
    "number-set",
    "binary-set",
    "any",
    "timestamp",
    "epoch",
];

/// Reads how often something happens.
pub(super) fn read_rate(value: &Value<'_>, problems: &mut Problems) -> Option<Rate> {
    let rate = value.as_string().and_then(|text| Rate::parse(text.text));
    rate.or_else(|| value.wrong("how often it happens, such as `\"2 per month\"`", problems))
}

/// Reads attributes and their types.
pub(super) struct AttributeReader<'r, 't> {
    /// The entity or the type that they are of.
    pub(super) owner: &'r str,
    /// The types that have names.
    pub(super) types: &'r mut Types<'t>,
    pub(super) problems: &'r mut Problems,
}

impl<'t> AttributeReader<'_, 't> {
    /// Reads the attributes of an entity; with a path above, the fields of the map that stands there.
    pub(super) fn read_all(&mut self, section: &Section<'t>, above: Option<&str>, depth: usize) -> Vec<Attribute> {
        let mut attributes: Vec<Attribute> = Vec::new();
        for (name, value) in section.entries() {
            if name.text.is_empty() || name.text.len() > MAX_NAME_BYTES {
                self.problems.push(Diagnostic::error(
                    "attribute.invalid-name",
                    name.span,
                    "an attribute's name has 1 to 65,535 bytes",
                ));
            }
            let path = above.map_or_else(|| name.text.to_owned(), |above| format!("{above}.{}", name.text));
            let attribute = self.read_attribute(name, &value, &path, depth);
            let overlaps = |other: &&Attribute| match (&other.stored, &attribute.stored) {
                (Storage::At(one), Storage::At(other)) => one.overlaps(other),
                _ => false,
            };
            if let Some(other) = attributes.iter().find(overlaps) {
                self.problems.push(
                    Diagnostic::error(
                        "attribute.same-place",
                        name.span,
                        format!("`{path}` is stored where `{}` is, and one would overwrite the other", other.name),
                    )
                    .help("give each a place of its own with `stored_as`"),
                );
            }
            attributes.push(attribute);
        }
        attributes
    }

    fn read_attribute(&mut self, name: Text<'t>, value: &Value<'t>, path: &str, depth: usize) -> Attribute {
        // An attribute whose type is wrong counts as a string, so that its mistake is told once and not at
        // every place that names it.
        let text = || AttributeType::String(StringRules::default());
        let own_place = || Storage::At(AttributePath::top_level(name.text));
        let plain = |kind| Attribute {
            name: name.text.to_owned(),
            stored: own_place(),
            kind,
            optional: false,
            fill: None,
            changes: None,
        };
        let place = format!("attribute `{path}`");
        let Some(mut section) = value.as_section(&place) else {
            return plain(self.read_type(value, name.span, path, depth).unwrap_or_else(text));
        };
        let optional = section.boolean("optional", self.problems);
        let stored_as = section.string("stored_as", self.problems);
        let changes = section.get("changes").and_then(|value| read_rate(&value, self.problems));
        let is_key_only = section.choice("stored", &[("key", true)], self.problems).unwrap_or(false);
        let default = section.get("default");
        let constant = section.get("constant");
        let kind = self.read_type_table(section, name.span, path, depth);
        let kind_is_known = kind.is_some();
        let kind = kind.unwrap_or_else(text);
        if is_key_only && depth > 1 {
            self.problems.push(
                Diagnostic::error(
                    "attribute.key-only",
                    name.span,
                    format!("{place} is a field of a map, which cannot be stored in a key only"),
                )
                .help("take `stored` away, or make it an attribute of the entity itself"),
            );
        }
        let stored = match (is_key_only, stored_as) {
            (true, _) => Storage::KeyOnly,
            (false, Some(place)) => {
                Storage::At(self.read_place(place).unwrap_or_else(|| AttributePath::top_level(name.text)))
            }
            (false, None) => own_place(),
        };
        if let (Some(_), Some(constant)) = (&default, &constant) {
            self.problems.push(
                Diagnostic::error(
                    "attribute.default-and-constant",
                    constant.span,
                    format!("{place} has a default and a constant, and one value can hold only one of them"),
                )
                .help("keep `constant` where it is always the same, `default` where people may give another"),
            );
        }
        let fill = constant
            .map(|value| (value, Fill::Constant as fn(_) -> _))
            .or_else(|| default.map(|value| (value, Fill::Default as fn(_) -> _)))
            .filter(|_| kind_is_known)
            .and_then(|(value, fill)| self.read_fill(&value, &kind, path, fill));
        Attribute { name: name.text.to_owned(), stored, kind, optional, fill, changes }
    }

    /// Where an attribute is stored: a name, or names with dots between them.
    fn read_place(&mut self, place: Text<'_>) -> Option<AttributePath> {
        let mut steps = place.text.split('.');
        let is_sound = steps.clone().all(|step| (1..=MAX_NAME_BYTES).contains(&step.len()));
        if !is_sound {
            self.problems.push(
                Diagnostic::error(
                    "attribute.invalid-name",
                    place.span,
                    format!("`{}` is no place in an item", place.text),
                )
                .help("write a name, or a path into a map such as `data.city`"),
            );
            return None;
        }
        let first = AttributePath::top_level(steps.next()?);
        Some(steps.fold(first, |path, step| path.child(step)))
    }

    fn read_fill(
        &mut self,
        value: &Value<'_>,
        kind: &AttributeType,
        path: &str,
        fill: fn(crate::value::AttributeValue) -> Fill,
    ) -> Option<Fill> {
        let given = value.plain(self.problems)?;
        let found = check_value(kind, &mut given.clone(), path);
        for problem in &found {
            self.problems.push(
                Diagnostic::error("attribute.wrong-value", value.span, format!("its own type refuses this: {problem}"))
                    .help("write a value that an item could have"),
            );
        }
        found.is_empty().then(|| fill(given))
    }

    /// Reads a type: a word, or a table with `type` and its bounds.
    pub(super) fn read_type(
        &mut self,
        value: &Value<'t>,
        name: Span,
        path: &str,
        depth: usize,
    ) -> Option<AttributeType> {
        let place = format!("attribute `{path}`");
        if depth > MAX_NESTING + 1 {
            self.problems.push(Diagnostic::error(
                "attribute.too-deep",
                name,
                format!("{place} is nested deeper than the {} levels that DynamoDB takes", MAX_NESTING + 1),
            ));
            return None;
        }
        if let Some(word) = value.as_string() {
            let kind = match built_in(word.text) {
                Some(kind) => kind,
                None => return self.named_type(word, name, path, depth),
            };
            self.warn_if_unbounded(&kind, name, path);
            return Some(kind);
        }
        match value.as_section(place) {
            Some(section) => self.read_type_table(section, name, path, depth),
            None => value.wrong("a type such as `\"string\"`, or a table with `type`", self.problems),
        }
    }

    fn read_type_table(
        &mut self,
        mut section: Section<'t>,
        name: Span,
        path: &str,
        depth: usize,
    ) -> Option<AttributeType> {
        let word = section.require("type", "type = \"string\"", self.problems);
        let word = word.and_then(|value| value.string(self.problems))?;
        let Some(mut kind) = built_in(word.text) else {
            let kind = self.named_type(word, name, path, depth);
            if kind.is_some() {
                section.finish(self.problems);
            }
            return kind;
        };
        bounds::read(self, &mut kind, &mut section, path, depth);
        section.finish(self.problems);
        self.warn_if_unbounded(&kind, name, path);
        Some(kind)
    }

    fn named_type(&mut self, word: Text<'_>, name: Span, path: &str, depth: usize) -> Option<AttributeType> {
        if !self.types.is_known(word.text) {
            let meant = did_you_mean(word.text, TYPES.into_iter().chain(self.types.names()));
            self.problems.push(
                Diagnostic::error(
                    "attribute.unknown-type",
                    word.span,
                    format!("`{}` is not an attribute type", word.text),
                )
                .help(
                    meant.unwrap_or_else(|| {
                        format!("the types are {}", list(TYPES.into_iter().chain(self.types.names())))
                    }),
                ),
            );
            return None;
        }
        let kind = self.types.resolve(word.text, self.problems)?;
        if depth + nesting(&kind) > MAX_NESTING + 2 {
            self.problems.push(Diagnostic::error(
                "attribute.too-deep",
                name,
                format!("attribute `{path}` is nested deeper than the {} levels that DynamoDB takes", MAX_NESTING + 1),
            ));
            return None;
        }
        Some(kind)
    }

    fn warn_if_unbounded(&mut self, kind: &AttributeType, span: Span, path: &str) {
        let unbounded = match kind {
            AttributeType::List { max_items, .. } | AttributeType::Set { max_items, .. } => max_items.is_none(),
            AttributeType::Map { attributes, max_items, .. } => attributes.is_empty() && max_items.is_none(),
            _ => false,
        };
        if unbounded {
            self.problems.push(
                Diagnostic::warning(
                    "attribute.unbounded",
                    span,
                    format!("attribute `{path}` can grow until its item no longer fits into 400 KB"),
                )
                .label(format!("a {} without `max_items`", kind.name()))
                .help("say how many it may have: `max_items = 20`")
                .about(format!("{}.{path}", self.owner)),
            );
        }
    }
}

fn built_in(word: &str) -> Option<AttributeType> {
    let set = |of| AttributeType::Set { of, max_items: None };
    Some(match word {
        "string" => AttributeType::String(StringRules::default()),
        "number" => AttributeType::Number { values: Vec::new() },
        "binary" => AttributeType::Binary { max_bytes: None },
        "boolean" => AttributeType::Boolean,
        "null" => AttributeType::Null,
        "list" => AttributeType::List { of: None, max_items: None },
        "map" => AttributeType::Map { attributes: Vec::new(), of: None, max_items: None },
        "string-set" => set(SetMember::String),
        "number-set" => set(SetMember::Number),
        "binary-set" => set(SetMember::Binary),
        "any" => AttributeType::Any,
        "timestamp" => AttributeType::Timestamp { precision: Precision::Milliseconds },
        "epoch" => AttributeType::Epoch,
        _ => return None,
    })
}

/// How many levels a type has: 1 for one that holds no other.
fn nesting(kind: &AttributeType) -> usize {
    let inner = match kind {
        AttributeType::List { of: Some(of), .. } => nesting(of),
        AttributeType::Map { attributes, of, .. } => {
            let fields = attributes.iter().map(|field| nesting(&field.kind)).max();
            fields.or(of.as_deref().map(nesting)).unwrap_or(0)
        }
        _ => 0,
    };
    1 + inner
}
