//! Reads a TOML table key by key, so that every mistake in it is told, not only the first.

use toml::de::{DeTable, DeValue};

use crate::diagnostic::{Diagnostic, Span, did_you_mean};
use crate::value::AttributeValue;

/// All that is wrong, as it is found.
pub(super) type Problems = Vec<Diagnostic>;

/// A text in the file, and where it stands.
#[derive(Debug, Clone, Copy)]
pub(super) struct Text<'t> {
    pub(super) text: &'t str,
    pub(super) span: Span,
}

impl Text<'_> {
    /// Where a piece of the text stands in the file; the whole text, where escapes make that uncertain.
    pub(super) fn part(&self, range: std::ops::Range<usize>) -> Span {
        // The raw string is the text and its two quotes when nothing in it is escaped.
        match self.span.end - self.span.start == self.text.len() + 2 {
            true => Span { start: self.span.start + 1 + range.start, end: self.span.start + 1 + range.end },
            false => self.span,
        }
    }
}

/// A value in the file, where it stands, and what to call it in messages.
#[derive(Debug, Clone)]
pub(super) struct Value<'t> {
    name: String,
    value: &'t DeValue<'t>,
    pub(super) span: Span,
}

/// A table in the file. Whatever is not asked for before [`Section::finish`] is reported as unknown.
#[derive(Debug)]
pub(super) struct Section<'t> {
    pub(super) name: String,
    pub(super) span: Span,
    table: &'t DeTable<'t>,
    asked: Vec<&'static str>,
}

impl<'t> Section<'t> {
    pub(super) fn new(name: impl Into<String>, table: &'t DeTable<'t>, span: Span) -> Self {
        Section { name: name.into(), table, span, asked: Vec::new() }
    }

    /// The value of a key that may be left out.
    pub(super) fn get(&mut self, key: &'static str) -> Option<Value<'t>> {
        self.asked.push(key);
        let (_, value) = self.table.iter().find(|(name, _)| name.get_ref() == key)?;
        Some(Value { name: format!("`{key}` in {}", self.name), value: value.get_ref(), span: value.span().into() })
    }

    /// The value of a key that must be there.
    pub(super) fn require(&mut self, key: &'static str, example: &str, problems: &mut Problems) -> Option<Value<'t>> {
        let value = self.get(key);
        if value.is_none() {
            problems.push(
                Diagnostic::error("definition.missing-key", self.span, format!("{} has no `{key}`", self.name))
                    .help(format!("add `{example}`")),
            );
        }
        value
    }

    /// The text of a key that may be left out.
    pub(super) fn string(&mut self, key: &'static str, problems: &mut Problems) -> Option<Text<'t>> {
        self.get(key)?.string(problems)
    }

    /// The whole number of 1 or more of a key that may be left out.
    pub(super) fn count(&mut self, key: &'static str, problems: &mut Problems) -> Option<u64> {
        self.get(key)?.count(problems)
    }

    /// The truth of a key that may be left out; false then.
    pub(super) fn boolean(&mut self, key: &'static str, problems: &mut Problems) -> bool {
        self.get(key).and_then(|value| value.boolean(problems)).unwrap_or(false)
    }

    /// The text, or the texts, of a key that may be left out.
    pub(super) fn texts(&mut self, key: &'static str, problems: &mut Problems) -> Vec<Text<'t>> {
        let Some(value) = self.get(key) else { return Vec::new() };
        match value.as_string() {
            Some(text) => vec![text],
            None => value.strings(problems).unwrap_or_default(),
        }
    }

    /// The word of a key that may be left out, which must be one of a few.
    pub(super) fn choice<T: Copy>(
        &mut self,
        key: &'static str,
        choices: &[(&'static str, T)],
        problems: &mut Problems,
    ) -> Option<T> {
        self.get(key)?.choice(choices, problems)
    }

    /// Every key with its value, in the order of the file; for tables whose keys are names of the user's own.
    pub(super) fn entries(&self) -> Vec<(Text<'t>, Value<'t>)> {
        let mut entries: Vec<_> = self
            .table
            .iter()
            .map(|(key, value)| {
                let name = Text { text: key.get_ref(), span: key.span().into() };
                let value = Value {
                    name: format!("`{}` in {}", name.text, self.name),
                    value: value.get_ref(),
                    span: value.span().into(),
                };
                (name, value)
            })
            .collect();
        entries.sort_by_key(|(name, _)| name.span);
        entries
    }

    /// Reports the keys that nobody asked for.
    pub(super) fn finish(self, problems: &mut Problems) {
        for (key, _) in self.entries() {
            if !self.asked.contains(&key.text) {
                let meant = did_you_mean(key.text, self.asked.iter().copied());
                let known = || format!("it takes {}", list(self.asked.iter().copied()));
                problems.push(
                    Diagnostic::error(
                        "definition.unknown-key",
                        key.span,
                        format!("{} has no key `{}`", self.name, key.text),
                    )
                    .label("not known here")
                    .help(meant.unwrap_or_else(known)),
                );
            }
        }
    }
}

impl<'t> Value<'t> {
    pub(super) fn string(&self, problems: &mut Problems) -> Option<Text<'t>> {
        match self.value {
            DeValue::String(text) => Some(Text { text, span: self.span }),
            _ => self.wrong("a string", problems),
        }
    }

    pub(super) fn count(&self, problems: &mut Problems) -> Option<u64> {
        let number = match self.value {
            DeValue::Integer(integer) => {
                u64::from_str_radix(&integer.as_str().replace('_', ""), integer.radix()).ok().filter(|count| *count > 0)
            }
            _ => None,
        };
        number.or_else(|| self.wrong("a whole number of 1 or more", problems))
    }

    pub(super) fn boolean(&self, problems: &mut Problems) -> Option<bool> {
        match self.value {
            DeValue::Boolean(value) => Some(*value),
            _ => self.wrong("`true` or `false`", problems),
        }
    }

    /// One of a few words.
    pub(super) fn choice<T: Copy>(&self, choices: &[(&'static str, T)], problems: &mut Problems) -> Option<T> {
        let word = self.as_string().map(|text| text.text);
        match choices.iter().find(|(name, _)| word == Some(*name)) {
            Some((_, choice)) => Some(*choice),
            None => {
                let words: Vec<String> = choices.iter().map(|(name, _)| format!("`\"{name}\"`")).collect();
                let (last, rest) = words.split_last().map_or(("", &[][..]), |(last, rest)| (last.as_str(), rest));
                let expected = if rest.is_empty() { last.to_owned() } else { format!("{} or {last}", rest.join(", ")) };
                self.wrong(&expected, problems)
            }
        }
    }

    /// The elements of an array, where it is one.
    pub(super) fn as_elements(&self) -> Option<Vec<Value<'t>>> {
        let DeValue::Array(elements) = self.value else { return None };
        let element = |element: &'t toml::Spanned<DeValue<'t>>| Value {
            name: format!("each of {}", self.name),
            value: element.get_ref(),
            span: element.span().into(),
        };
        Some(elements.iter().map(element).collect())
    }

    /// The attribute value that it stands for: a table is a map, an array a list, and a number is exact.
    pub(super) fn plain(&self, problems: &mut Problems) -> Option<AttributeValue> {
        match self.value {
            DeValue::String(text) => Some(AttributeValue::S(text.clone().into_owned())),
            DeValue::Boolean(value) => Some(AttributeValue::Bool(*value)),
            DeValue::Integer(integer) => {
                let digits = integer.as_str().replace('_', "");
                let value = i128::from_str_radix(&digits, integer.radix())
                    .ok()
                    .and_then(|value| value.to_string().parse().ok());
                value.map(AttributeValue::N).or_else(|| self.wrong("a number that DynamoDB takes", problems))
            }
            DeValue::Float(float) => match float.as_str().replace('_', "").parse() {
                Ok(number) => Some(AttributeValue::N(number)),
                Err(_) => self.wrong("a number that DynamoDB takes", problems),
            },
            DeValue::Array(_) => {
                let elements = self.as_elements().unwrap_or_default();
                elements.iter().map(|element| element.plain(problems)).collect::<Option<_>>().map(AttributeValue::L)
            }
            DeValue::Table(_) => {
                let fields = self.as_section(self.name.clone())?.entries();
                let field =
                    |(name, value): &(Text<'_>, Value<'_>)| Some((name.text.to_owned(), value.plain(problems)?));
                fields.iter().map(field).collect::<Option<_>>().map(AttributeValue::M)
            }
            DeValue::Datetime(_) => self.wrong("a value; a time is written as a string", problems),
        }
    }

    /// The strings of an array.
    pub(super) fn strings(&self, problems: &mut Problems) -> Option<Vec<Text<'t>>> {
        let DeValue::Array(elements) = self.value else { return self.wrong("a list of strings", problems) };
        let mut texts = Vec::new();
        for element in elements.iter() {
            match element.get_ref() {
                DeValue::String(text) => texts.push(Text { text, span: element.span().into() }),
                other => {
                    let found = Value { name: self.name.clone(), value: other, span: element.span().into() };
                    found.wrong::<()>("a list of strings", problems);
                }
            }
        }
        Some(texts)
    }

    /// The table that it is, under a name for messages.
    pub(super) fn section(&self, name: impl Into<String>, problems: &mut Problems) -> Option<Section<'t>> {
        match self.as_section(name) {
            Some(section) => Some(section),
            None => self.wrong("a table", problems),
        }
    }

    /// The table that it is, where it is one.
    pub(super) fn as_section(&self, name: impl Into<String>) -> Option<Section<'t>> {
        match self.value {
            DeValue::Table(table) => Some(Section::new(name, table, self.span)),
            _ => None,
        }
    }

    /// The text that it is, where it is one.
    pub(super) fn as_string(&self) -> Option<Text<'t>> {
        match self.value {
            DeValue::String(text) => Some(Text { text, span: self.span }),
            _ => None,
        }
    }

    /// Reports that it should have been something else.
    pub(super) fn wrong<T>(&self, expected: &str, problems: &mut Problems) -> Option<T> {
        let found = match self.value {
            DeValue::String(_) => "a string",
            DeValue::Integer(_) => "an integer",
            DeValue::Float(_) => "a float",
            DeValue::Boolean(_) => "a boolean",
            DeValue::Datetime(_) => "a date or time",
            DeValue::Array(_) => "a list",
            DeValue::Table(_) => "a table",
        };
        problems.push(
            Diagnostic::error("definition.wrong-type", self.span, format!("{} must be {expected}", self.name))
                .label(format!("this is {found}")),
        );
        None
    }
}

/// Names for a message: `a`, `b` and `c`.
pub(super) fn list<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    let quoted: Vec<String> = names.into_iter().map(|name| format!("`{name}`")).collect();
    match quoted.split_last() {
        None => "nothing".to_owned(),
        Some((only, [])) => only.clone(),
        Some((last, rest)) => format!("{} and {last}", rest.join(", ")),
    }
}
