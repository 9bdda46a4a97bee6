//! A compiled template: renders a key, and reads one back.

use std::fmt;

use super::KeyError;
use crate::limits::{MAX_PARTITION_KEY_BYTES, MAX_SORT_KEY_BYTES};
use crate::value::{AttributePath, AttributeValue, Attributes};

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
    /// How many characters its value always has, where that is known: then nothing needs to tell where it ends.
    pub characters: Option<usize>,
    /// Whether the value must be read back from the key: from a primary key always, from an index's where the
    /// attribute is stored nowhere else.
    pub must_read_back: bool,
}

/// Changes a value on its way into a key. A filtered value cannot be read back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Filter {
    /// Unicode lower case.
    Lower,
    /// Unicode upper case.
    Upper,
    /// The first so many characters.
    Take(usize),
    /// The FNV-1a hash (64 bit) of the UTF-8 bytes, modulo so many.
    Shard(usize),
    /// This text where the attribute is absent.
    Or(String),
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

    /// Takes it back that a value must be read back from this key: another key gives it.
    pub(crate) fn need_not_give_back(&mut self, path: &AttributePath) {
        for segment in &mut self.segments {
            if let Segment::Placeholder(placeholder) = segment
                && placeholder.path == *path
            {
                placeholder.must_read_back = false;
            }
        }
    }

    /// Whether it has no placeholder, so that every item gets the same key.
    pub fn is_constant(&self) -> bool {
        self.placeholders().next().is_none()
    }

    /// Makes the key; `None` when an attribute that it needs is absent.
    ///
    /// `key` is the key attribute's name, for errors. Where a value must be read back, one that would make the
    /// key ambiguous is refused: one in which the literal that follows it begins before its end.
    ///
    /// # Errors
    /// A value that cannot stand in this key; see [`KeyError`].
    pub fn render(&self, key: &str, attributes: &Attributes) -> Result<Option<String>, KeyError> {
        let mut rendered = String::new();
        for (at, segment) in self.segments.iter().enumerate() {
            let placeholder = match segment {
                Segment::Literal(text) => {
                    rendered.push_str(text);
                    continue;
                }
                Segment::Placeholder(placeholder) => placeholder,
            };
            let Some(value) = placeholder.render(key, placeholder.path.get(attributes))? else { return Ok(None) };
            if placeholder.must_read_back
                && placeholder.fixed_characters().is_none()
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

    /// The beginning of the key, up to the first attribute that is absent: what all keys with these attributes share.
    ///
    /// # Errors
    /// A value that cannot stand in this key; see [`KeyError`].
    pub fn render_beginning(&self, key: &str, attributes: &Attributes) -> Result<String, KeyError> {
        let mut beginning = String::new();
        for segment in &self.segments {
            match segment {
                Segment::Literal(text) => beginning.push_str(text),
                Segment::Placeholder(placeholder) => {
                    let Some(value) = placeholder.render(key, placeholder.path.get(attributes))? else { break };
                    beginning.push_str(&value);
                }
            }
        }
        Ok(beginning)
    }

    /// How many keys there are for one set of the attributes that are not sharded.
    pub fn shards(&self) -> usize {
        self.placeholders().filter_map(Placeholder::shards).fold(1, usize::saturating_mul)
    }

    /// Every key that these attributes can make, with each shard of those that are absent and sharded; none when
    /// any other attribute is absent.
    ///
    /// # Errors
    /// A value that cannot stand in this key; see [`KeyError`].
    pub fn render_every_shard(&self, key: &str, attributes: &Attributes) -> Result<Vec<String>, KeyError> {
        let mut keys = vec![String::new()];
        for segment in &self.segments {
            let endings = match segment {
                Segment::Literal(text) => vec![text.clone()],
                Segment::Placeholder(placeholder) => placeholder.render_every_shard(key, attributes)?,
            };
            keys = keys.iter().flat_map(|start| endings.iter().map(move |end| format!("{start}{end}"))).collect();
        }
        Ok(keys)
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
            let end = match (placeholder.fixed_characters(), self.segments.get(at + 1)) {
                (Some(count), _) => rest.char_indices().nth(count).map_or(rest.len(), |(end, _)| end),
                (_, None) => rest.len(),
                (_, Some(Segment::Literal(literal))) if self.is_last_placeholder(at) => {
                    rest.strip_suffix(literal.as_str())?.len()
                }
                (_, Some(Segment::Literal(literal))) => rest.find(literal.as_str())?,
                (_, Some(Segment::Placeholder(_))) => return None,
            };
            let value = rest.get(..end)?;
            let is_short = placeholder.fixed_characters().is_some_and(|count| value.chars().count() != count);
            let is_padded = placeholder.pad.is_some() && placeholder.filters.is_empty();
            if value.is_empty() || is_short || (is_padded && !value.bytes().all(|byte| byte.is_ascii_digit())) {
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
    /// How many characters it takes in the key, where that is fixed and the value is not filtered.
    pub fn fixed_characters(&self) -> Option<usize> {
        if self.filters.is_empty() { self.pad.or(self.characters) } else { None }
    }

    /// Whether an absent attribute still makes a key.
    pub fn has_fallback(&self) -> bool {
        self.filters.iter().any(|filter| matches!(filter, Filter::Or(_)))
    }

    /// How many shards it spreads its values over.
    pub fn shards(&self) -> Option<usize> {
        self.filters.iter().find_map(|filter| match filter {
            Filter::Shard(count) => Some(*count),
            _ => None,
        })
    }

    fn render(&self, key: &str, value: Option<&AttributeValue>) -> Result<Option<String>, KeyError> {
        let mut text = match value {
            None => None,
            Some(AttributeValue::S(text)) => Some(text.clone()),
            Some(AttributeValue::N(number)) => Some(number.to_string()),
            Some(AttributeValue::Bool(value)) => Some(value.to_string()),
            Some(other) => {
                let found = other.type_name();
                return Err(KeyError::NotText { key: key.to_owned(), path: self.path.clone(), found });
            }
        };
        if let (Some(value), Some(width)) = (&text, self.pad) {
            let (key, path, value) = (key.to_owned(), self.path.clone(), value.clone());
            if !value.bytes().all(|byte| byte.is_ascii_digit()) {
                return Err(KeyError::NotPaddable { key, path, value });
            }
            if value.len() > width {
                return Err(KeyError::TooWide { key, path, value, width });
            }
            text = Some(format!("{value:0>width$}"));
        }
        let text = self.filters.iter().fold(text, |text, filter| filter.apply(text));
        match text {
            Some(text) if text.is_empty() => Err(KeyError::Empty { key: key.to_owned(), path: self.path.clone() }),
            text => Ok(text),
        }
    }

    fn render_every_shard(&self, key: &str, attributes: &Attributes) -> Result<Vec<String>, KeyError> {
        let value = self.path.get(attributes);
        let at = self.filters.iter().position(|filter| matches!(filter, Filter::Shard(_)));
        let (Some(at), Some(count), None) = (at, self.shards(), value) else {
            return Ok(self.render(key, value)?.into_iter().collect());
        };
        let rest = |start: Option<String>| self.filters[at + 1..].iter().fold(start, |text, filter| filter.apply(text));
        let absent = rest(None);
        let mut endings: Vec<String> =
            (0..count).filter_map(|shard| rest(Some(shard.to_string()))).chain(absent).collect();
        endings.dedup();
        Ok(endings)
    }
}

impl Filter {
    /// The value that comes out; an absent value stays absent but for [`Filter::Or`].
    pub fn apply(&self, text: Option<String>) -> Option<String> {
        match (self, text) {
            (Filter::Or(instead), None) => Some(instead.clone()),
            (_, None) => None,
            (Filter::Or(_), text) => text,
            (Filter::Lower, Some(text)) => Some(text.to_lowercase()),
            (Filter::Upper, Some(text)) => Some(text.to_uppercase()),
            (Filter::Take(count), Some(text)) => Some(text.chars().take(*count).collect()),
            (Filter::Shard(count), Some(text)) => Some((fnv1a(text.as_bytes()) % *count as u64).to_string()),
        }
    }
}

impl fmt::Display for Filter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Filter::Lower => f.write_str("lower"),
            Filter::Upper => f.write_str("upper"),
            Filter::Take(count) => write!(f, "take {count}"),
            Filter::Shard(count) => write!(f, "shard {count}"),
            Filter::Or(text) => write!(f, "or {text}"),
        }
    }
}

/// The FNV-1a hash, 64 bit: simple enough that any other language makes the same shards.
fn fnv1a(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}

/// Refuses a key that is empty or longer than DynamoDB takes.
///
/// # Errors
/// [`KeyError::Empty`] or [`KeyError::TooLong`].
pub fn check_length(key: &str, bytes: usize, is_partition: bool) -> Result<(), KeyError> {
    let limit = if is_partition { MAX_PARTITION_KEY_BYTES } else { MAX_SORT_KEY_BYTES };
    match bytes {
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
        template_that(text, true)
    }

    fn template_that(text: &str, must: bool) -> KeyTemplate {
        let segments = parse(text).unwrap().into_iter().map(|segment| match segment {
            ParsedSegment::Literal(text) => Segment::Literal(text),
            ParsedSegment::Placeholder { name, pad, filters, .. } => {
                let (path, characters) = (AttributePath::top_level(&name), (name == "fixed").then_some(3));
                Segment::Placeholder(Placeholder { path, pad, filters, characters, must_read_back: must })
            }
        });
        KeyTemplate::new(text, segments.collect())
    }

    fn attributes(pairs: &[(&str, AttributeValue)]) -> Attributes {
        pairs.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect()
    }

    fn number(text: &str) -> AttributeValue {
        AttributeValue::N(text.parse().unwrap())
    }

    #[test]
    fn values_are_padded_and_filtered_in_order() {
        let given = attributes(&[("n", number("42")), ("s", "ÄBCD".into()), ("b", AttributeValue::Bool(true))]);
        let render = |text: &str| template(text).render("PK", &given).unwrap();
        assert_eq!(render("{n:05}#{s|lower|take 2}#{b}").as_deref(), Some("00042#äb#true"));
        assert_eq!(render("{s|take 2|upper}").as_deref(), Some("ÄB"));
        assert_eq!(render("X#{absent}"), None);
    }

    #[test]
    fn a_value_that_hides_its_literal_is_refused_where_the_key_must_be_read_back() {
        let between = template("{a}##{b}");
        for (a, accepted) in [("x", true), ("x#y", true), ("x#", false), ("x##y", false)] {
            let given = attributes(&[("a", a.into()), ("b", "##".into())]);
            assert_eq!(between.render("PK", &given).is_ok(), accepted, "{a}");
            assert!(template_that("{a}##{b}", false).render("PK", &given).is_ok(), "{a}");
        }
    }

    #[test]
    fn empty_wide_negative_and_shapeless_values_are_refused() {
        let refuse = |text: &str, value| template(text).render("PK", &attributes(&[("a", value)])).unwrap_err();
        assert!(matches!(refuse("A#{a}", "".into()), KeyError::Empty { .. }));
        assert!(matches!(refuse("{a:02}", number("100")), KeyError::TooWide { .. }));
        assert!(matches!(refuse("{a:02}", number("-1")), KeyError::NotPaddable { .. }));
        assert!(matches!(refuse("{a:02}", number("1.5")), KeyError::NotPaddable { .. }));
        assert!(matches!(refuse("{a}", AttributeValue::L(vec![])), KeyError::NotText { .. }));
        assert!(matches!(check_length("SK", 1025, false), Err(KeyError::TooLong { limit: 1024, .. })));
        assert!(check_length("PK", 2048, true).is_ok());
    }

    #[test]
    fn an_absent_value_has_its_fallback_and_filters_go_on_from_there() {
        let render = |text: &str| template(text).render("PK", &attributes(&[])).unwrap();
        assert_eq!(render("P#{a|or ROOT|lower}").as_deref(), Some("P#root"));
        assert_eq!(render("P#{a|lower}"), None);
    }

    #[test]
    fn shards_are_fnv_1a_of_the_bytes_modulo_their_number() {
        // The published vectors of FNV-1a: "" is the offset basis, "a" and "foobar" as below.
        assert_eq!(fnv1a(b""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(fnv1a(b"a"), 0xaf63_dc4c_8601_ec8c);
        assert_eq!(fnv1a(b"foobar"), 0x8594_4171_f739_67e8);
        let sharded = template("A#{a}#{b|shard 3}");
        let given = attributes(&[("a", "x".into()), ("b", "foobar".into())]);
        assert_eq!(sharded.render("PK", &given).unwrap().unwrap(), format!("A#x#{}", 0x8594_4171_f739_67e8_u64 % 3));
        let without = attributes(&[("a", "x".into())]);
        assert_eq!(sharded.render_every_shard("PK", &without).unwrap(), ["A#x#0", "A#x#1", "A#x#2"]);
        assert_eq!(sharded.render_every_shard("PK", &given).unwrap().len(), 1);
        assert!(sharded.render_every_shard("PK", &attributes(&[])).unwrap().is_empty());
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
            shape in prop::sample::select(vec!["{a}", "A#{a}", "{a}#{b}", "{a}##{b}|{c}", "{a}#{b}#", "{n:06}{a}", "x{a}{{{b}", "{fixed}{a}", "{a}#{fixed}{b}"]),
            fixed in "[a#語]{3}",
            a in "[a#|{]{1,6}", b in "[b#|{]{1,6}", c in "\\PC{1,6}", n in 0u32..1_000_000,
        ) {
            let template = template(shape);
            let given = attributes(&[("a", a.into()), ("b", b.into()), ("c", c.into()), ("fixed", fixed.into()), ("n", number(&n.to_string()))]);
            if let Ok(Some(key)) = template.render("PK", &given) {
                let read: std::collections::BTreeMap<_, _> = template.read_back(&key).unwrap().into_iter().collect();
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
