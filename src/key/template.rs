//! A compiled template: renders a key, and reads one back.

use std::collections::BTreeMap;
use std::fmt;

use super::KeyError;
use crate::limits::{MAX_PARTITION_KEY_BYTES, MAX_SORT_KEY_BYTES};
use crate::value::{AttributePath, AttributeValue};

/// The pattern that makes a key attribute: `POST#{id}`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyTemplate {
    text: String,
    segments: Vec<Segment>,
}

/// A piece of a template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Segment {
    /// Stands in the key as it is.
    Literal(String),
    /// Is replaced by an attribute's value.
    Placeholder(Placeholder),
}

/// What stands for an attribute's value in a template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Placeholder {
    /// The attribute.
    pub path: AttributePath,
    /// Zero-pads a whole number to this many digits.
    pub pad: Option<usize>,
    /// Applied left to right.
    pub filters: Vec<Filter>,
}

/// Changes a value on its way into a key. A filtered value cannot be read back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Filter {
    /// Unicode lower case.
    Lower,
    /// Unicode upper case.
    Upper,
    /// The first so many characters.
    Take(usize),
}

impl KeyTemplate {
    pub(crate) fn new(text: impl Into<String>, segments: Vec<Segment>) -> Self {
        KeyTemplate { text: text.into(), segments }
    }

    /// Its pieces, left to right.
    pub fn segments(&self) -> &[Segment] {
        &self.segments
    }

    /// Its placeholders, left to right.
    pub fn placeholders(&self) -> impl Iterator<Item = &Placeholder> {
        self.segments.iter().filter_map(|segment| match segment {
            Segment::Placeholder(placeholder) => Some(placeholder),
            Segment::Literal(_) => None,
        })
    }

    /// Whether it has no placeholder, so that every item gets the same key.
    pub fn is_constant(&self) -> bool {
        self.placeholders().next().is_none()
    }

    /// Makes the key; `None` when an attribute that it needs is absent.
    ///
    /// `key` is the key attribute's name, for errors. With `must_read_back`, a value that would make the
    /// key ambiguous is refused: one in which the literal that follows it begins before its end.
    ///
    /// # Errors
    /// A value that cannot stand in this key; see [`KeyError`].
    pub fn render(
        &self,
        key: &str,
        attributes: &BTreeMap<String, AttributeValue>,
        must_read_back: bool,
    ) -> Result<Option<String>, KeyError> {
        let mut rendered = String::new();
        for (at, segment) in self.segments.iter().enumerate() {
            let placeholder = match segment {
                Segment::Literal(text) => {
                    rendered.push_str(text);
                    continue;
                }
                Segment::Placeholder(placeholder) => placeholder,
            };
            let Some(value) = placeholder.path.get(attributes) else { return Ok(None) };
            let value = placeholder.render(key, value)?;
            if must_read_back
                && !self.is_last_placeholder(at)
                && let Some(Segment::Literal(literal)) = self.segments.get(at + 1)
                && format!("{value}{literal}").find(literal.as_str()) != Some(value.len())
            {
                return Err(KeyError::Ambiguous {
                    key: key.to_owned(),
                    path: placeholder.path.clone(),
                    value,
                    literal: literal.clone(),
                    template: self.text.clone(),
                });
            }
            rendered.push_str(&value);
        }
        Ok(Some(rendered))
    }

    /// Reads the values of its unfiltered placeholders back from a key; `None` when it cannot have made that key.
    pub fn read_back(&self, key: &str) -> Option<Vec<(AttributePath, String)>> {
        let mut rest = key;
        let mut values = Vec::new();
        for (at, segment) in self.segments.iter().enumerate() {
            let placeholder = match segment {
                Segment::Literal(literal) => {
                    rest = rest.strip_prefix(literal.as_str())?;
                    continue;
                }
                Segment::Placeholder(placeholder) => placeholder,
            };
            let end = match (placeholder.pad, self.segments.get(at + 1)) {
                (Some(width), _) if placeholder.filters.is_empty() => width,
                (_, None) => rest.len(),
                (_, Some(Segment::Literal(literal))) if self.is_last_placeholder(at) => {
                    rest.strip_suffix(literal.as_str())?.len()
                }
                (_, Some(Segment::Literal(literal))) => rest.find(literal.as_str())?,
                (_, Some(Segment::Placeholder(_))) => return None,
            };
            let value = rest.get(..end)?;
            if value.is_empty() || (placeholder.pad.is_some() && !value.bytes().all(|byte| byte.is_ascii_digit())) {
                return None;
            }
            if placeholder.filters.is_empty() {
                values.push((placeholder.path.clone(), value.to_owned()));
            }
            rest = &rest[end..];
        }
        rest.is_empty().then_some(values)
    }

    fn is_last_placeholder(&self, at: usize) -> bool {
        !self.segments[at + 1..].iter().any(|segment| matches!(segment, Segment::Placeholder(_)))
    }
}

impl fmt::Display for KeyTemplate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl Placeholder {
    fn render(&self, key: &str, value: &AttributeValue) -> Result<String, KeyError> {
        let mut text = match value {
            AttributeValue::S(text) => text.clone(),
            AttributeValue::N(number) => number.to_string(),
            AttributeValue::Bool(value) => value.to_string(),
            other => {
                let found = other.type_name();
                return Err(KeyError::NotText { key: key.to_owned(), path: self.path.clone(), found });
            }
        };
        if let Some(width) = self.pad {
            let (key, path) = (key.to_owned(), self.path.clone());
            if !text.bytes().all(|byte| byte.is_ascii_digit()) {
                return Err(KeyError::NotPaddable { key, path, value: text });
            }
            if text.len() > width {
                return Err(KeyError::TooWide { key, path, value: text, width });
            }
            text = format!("{text:0>width$}");
        }
        for filter in &self.filters {
            text = match filter {
                Filter::Lower => text.to_lowercase(),
                Filter::Upper => text.to_uppercase(),
                Filter::Take(count) => text.chars().take(*count).collect(),
            };
        }
        match text.is_empty() {
            true => Err(KeyError::Empty { key: key.to_owned(), path: self.path.clone() }),
            false => Ok(text),
        }
    }
}

/// Refuses a key that is empty or longer than DynamoDB takes.
///
/// # Errors
/// [`KeyError::Empty`] or [`KeyError::TooLong`].
pub fn check_length(key: &str, value: &str, is_partition: bool) -> Result<(), KeyError> {
    let limit = if is_partition { MAX_PARTITION_KEY_BYTES } else { MAX_SORT_KEY_BYTES };
    match value.len() {
        0 => Err(KeyError::Empty { key: key.to_owned(), path: AttributePath::top_level(key) }),
        bytes if bytes > limit => Err(KeyError::TooLong { key: key.to_owned(), bytes, limit }),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::{ParsedSegment, parse};
    use super::*;

    fn template(text: &str) -> KeyTemplate {
        let segments = parse(text).unwrap().into_iter().map(|segment| match segment {
            ParsedSegment::Literal(text) => Segment::Literal(text),
            ParsedSegment::Placeholder { name, pad, filters, .. } => {
                Segment::Placeholder(Placeholder { path: AttributePath::top_level(name), pad, filters })
            }
        });
        KeyTemplate::new(text, segments.collect())
    }

    fn attributes(pairs: &[(&str, AttributeValue)]) -> BTreeMap<String, AttributeValue> {
        pairs.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect()
    }

    fn number(text: &str) -> AttributeValue {
        AttributeValue::N(text.parse().unwrap())
    }

    #[test]
    fn values_are_padded_and_filtered_in_order() {
        let given = attributes(&[("n", number("42")), ("s", "ÄBCD".into()), ("b", AttributeValue::Bool(true))]);
        let render = |text: &str| template(text).render("PK", &given, true).unwrap();
        assert_eq!(render("{n:05}#{s|lower|take 2}#{b}").as_deref(), Some("00042#äb#true"));
        assert_eq!(render("{s|take 2|upper}").as_deref(), Some("ÄB"));
        assert_eq!(render("X#{absent}"), None);
    }

    #[test]
    fn a_value_that_hides_its_literal_is_refused_where_the_key_must_be_read_back() {
        let between = template("{a}##{b}");
        for (a, accepted) in [("x", true), ("x#y", true), ("x#", false), ("x##y", false)] {
            let given = attributes(&[("a", a.into()), ("b", "##".into())]);
            assert_eq!(between.render("PK", &given, true).is_ok(), accepted, "{a}");
            assert!(between.render("PK", &given, false).is_ok(), "{a}");
        }
    }

    #[test]
    fn empty_wide_negative_and_shapeless_values_are_refused() {
        let refuse = |text: &str, value| template(text).render("PK", &attributes(&[("a", value)]), true).unwrap_err();
        assert!(matches!(refuse("A#{a}", "".into()), KeyError::Empty { .. }));
        assert!(matches!(refuse("{a:02}", number("100")), KeyError::TooWide { .. }));
        assert!(matches!(refuse("{a:02}", number("-1")), KeyError::NotPaddable { .. }));
        assert!(matches!(refuse("{a:02}", number("1.5")), KeyError::NotPaddable { .. }));
        assert!(matches!(refuse("{a}", AttributeValue::L(vec![])), KeyError::NotText { .. }));
        assert!(matches!(check_length("SK", &"x".repeat(1025), false), Err(KeyError::TooLong { limit: 1024, .. })));
        assert!(check_length("PK", &"x".repeat(2048), true).is_ok());
    }

    #[test]
    fn a_foreign_key_is_not_read_back() {
        assert_eq!(template("POST#{id}").read_back("USER#1"), None);
        assert_eq!(template("POST#{id}").read_back("POST#"), None);
        assert_eq!(template("META").read_back("META#1"), None);
        assert_eq!(template("{n:03}#{id}").read_back("12#x"), None);
        assert_eq!(template("META").read_back("META"), Some(vec![]));
        assert!(template("{a|lower}#{b}").read_back("x#y").is_some_and(|values| values.len() == 1));
    }

    proptest! {
        #[test]
        fn what_is_rendered_is_read_back(
            shape in prop::sample::select(vec!["{a}", "A#{a}", "{a}#{b}", "{a}##{b}|{c}", "{a}#{b}#", "{n:06}{a}", "x{a}{{{b}"]),
            a in "[a#|{]{1,6}", b in "[b#|{]{1,6}", c in "\\PC{1,6}", n in 0u32..1_000_000,
        ) {
            let template = template(shape);
            let given = attributes(&[("a", a.into()), ("b", b.into()), ("c", c.into()), ("n", number(&n.to_string()))]);
            if let Ok(Some(key)) = template.render("PK", &given, true) {
                let read: BTreeMap<_, _> = template.read_back(&key).unwrap().into_iter().collect();
                for placeholder in template.placeholders() {
                    let text = &read[&placeholder.path];
                    match placeholder.path.get(&given).unwrap() {
                        AttributeValue::S(value) => prop_assert_eq!(text, value),
                        _ => prop_assert_eq!(text.parse::<u32>().unwrap(), n),
                    }
                }
            }
        }
    }
}
