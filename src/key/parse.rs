//! Reads the text of a template, and says where in it a mistake stands.

use std::ops::Range;

use super::Filter;

/// A template as it is written: names not yet looked up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ParsedSegment {
    Literal(String),
    Placeholder {
        /// The attribute, as written.
        name: String,
        /// Where the whole placeholder stands in the template.
        range: Range<usize>,
        pad: Option<usize>,
        filters: Vec<Filter>,
    },
}

/// A mistake in a template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TemplateError {
    pub(crate) code: &'static str,
    pub(crate) message: String,
    pub(crate) range: Range<usize>,
    pub(crate) help: &'static str,
}

const SYNTAX: &str = "key-template.syntax";

/// Splits a template into literals and placeholders; `{{` and `}}` are literal braces.
pub(crate) fn parse(text: &str) -> Result<Vec<ParsedSegment>, TemplateError> {
    let mut segments = Vec::new();
    let mut literal = String::new();
    let mut at = 0;
    while let Some(brace) = text[at..].find(['{', '}']).map(|offset| at + offset) {
        literal.push_str(&text[at..brace]);
        let doubled = text.as_bytes().get(brace + 1) == text.as_bytes().get(brace);
        if doubled {
            literal.push_str(&text[brace..=brace]);
            at = brace + 2;
            continue;
        }
        let end = match text[brace..].find('}') {
            Some(offset) if text[brace..].starts_with('{') => brace + offset + 1,
            _ => {
                return Err(TemplateError {
                    code: SYNTAX,
                    message: format!("`{}` stands alone", &text[brace..=brace]),
                    range: brace..brace + 1,
                    help: "a placeholder is written `{attribute}`, and a literal brace is doubled: `{{` or `}}`",
                });
            }
        };
        if !literal.is_empty() {
            segments.push(ParsedSegment::Literal(std::mem::take(&mut literal)));
        }
        segments.push(placeholder(&text[brace + 1..end - 1], brace..end)?);
        at = end;
    }
    literal.push_str(&text[at..]);
    if !literal.is_empty() {
        segments.push(ParsedSegment::Literal(literal));
    }
    Ok(segments)
}

fn placeholder(inside: &str, range: Range<usize>) -> Result<ParsedSegment, TemplateError> {
    let mut parts = inside.split('|');
    let named = parts.next().unwrap_or_default();
    let (name, pad) = match named.rsplit_once(':') {
        None => (named, None),
        Some((name, width)) => match width.strip_prefix('0').and_then(|digits| digits.parse().ok()) {
            Some(width @ 1..=38) => (name, Some(width)),
            _ => {
                return Err(TemplateError {
                    code: SYNTAX,
                    message: format!("`:{width}` is not a padding"),
                    range,
                    help: "zero-padding to ten digits is written `{seq:010}`; up to 38 digits can be asked for",
                });
            }
        },
    };
    let name = name.trim();
    if name.is_empty() {
        return Err(TemplateError {
            code: SYNTAX,
            message: "a placeholder names no attribute".to_owned(),
            range,
            help: "write the attribute's name between the braces: `{id}`",
        });
    }
    let filters = parts.map(|part| filter(part.trim(), &range)).collect::<Result<_, _>>()?;
    Ok(ParsedSegment::Placeholder { name: name.to_owned(), range, pad, filters })
}

fn filter(text: &str, range: &Range<usize>) -> Result<Filter, TemplateError> {
    let (word, argument) = text.split_once(char::is_whitespace).map_or((text, ""), |(word, rest)| (word, rest.trim()));
    let count = argument.parse::<usize>().ok().filter(|count| *count > 0);
    match (word, argument, count) {
        ("lower", "", _) => Ok(Filter::Lower),
        ("upper", "", _) => Ok(Filter::Upper),
        ("take", _, Some(count)) => Ok(Filter::Take(count)),
        ("shard", _, Some(count)) => Ok(Filter::Shard(count)),
        ("or", text, _) if !text.is_empty() => Ok(Filter::Or(text.to_owned())),
        _ => Err(TemplateError {
            code: "key-template.unknown-filter",
            message: format!("`{text}` is not a filter"),
            range: range.clone(),
            help: "the filters are `lower`, `upper`, `take N`, `shard N` and `or TEXT`, with N of 1 or more",
        }),
    }
}

/// Reads `body|take 50`: an attribute, and filters after bars.
pub(crate) fn parse_filtered(text: &str) -> Result<(&str, Vec<Filter>), TemplateError> {
    let mut parts = text.split('|');
    let name = parts.next().unwrap_or_default().trim();
    Ok((name, parts.map(|part| filter(part.trim(), &(0..text.len()))).collect::<Result<_, _>>()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_placeholders_paths_padding_and_filters() {
        let placeholder =
            |name: &str, range, pad, filters| ParsedSegment::Placeholder { name: name.to_owned(), range, pad, filters };
        assert_eq!(
            parse("A#{{x}}{author.id}#{seq:010}#{name|lower|take 3}").unwrap(),
            [
                ParsedSegment::Literal("A#{x}".into()),
                placeholder("author.id", 7..18, None, vec![]),
                ParsedSegment::Literal("#".into()),
                placeholder("seq", 19..28, Some(10), vec![]),
                ParsedSegment::Literal("#".into()),
                placeholder("name", 29..48, None, vec![Filter::Lower, Filter::Take(3)]),
            ]
        );
        assert_eq!(
            parse("{a|shard 8}{b | or NONE AT ALL | lower}").unwrap(),
            [
                placeholder("a", 0..11, None, vec![Filter::Shard(8)]),
                placeholder("b", 11..39, None, vec![Filter::Or("NONE AT ALL".into()), Filter::Lower]),
            ]
        );
        assert_eq!(parse("").unwrap(), []);
    }

    #[test]
    fn mistakes_are_pointed_at() {
        for (text, range) in [
            ("A#{id", 2..3),
            ("A}B", 1..2),
            ("{}", 0..2),
            ("{a:10}", 0..6),
            ("x{a|shout}", 1..10),
            ("{a|take 0}", 0..10),
            ("{a|shard}", 0..9),
            ("{a|or }", 0..7),
            ("é{", 2..3),
        ] {
            assert_eq!(parse(text).unwrap_err().range, range, "{text}");
        }
    }
}
