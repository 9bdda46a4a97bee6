//! Paths as people type them: `byline.name`, `watchers[0].name`, and `labels.a\.b` for a name that has a dot in it.

use super::attribute::Resolved;
use super::{Attribute, AttributePath, AttributeType, Fill};
use crate::value::Step;

/// Finds what a typed path leads to among declared attributes, through maps, free maps and elements of lists. A
/// declared name that has dots or brackets in it needs no backslash.
pub(super) fn resolve_typed<'a>(attributes: &'a [Attribute], text: &str) -> Option<Resolved<'a>> {
    if attributes.iter().any(|attribute| attribute.name == text) {
        return super::resolve(attributes, text);
    }
    among(attributes, &steps(text)?, None)
}

/// The steps of a typed path; `None` where it is none.
fn steps(text: &str) -> Option<Vec<Step>> {
    let mut steps = Vec::new();
    let mut name = String::new();
    let mut characters = text.chars();
    // Whether a name has to come: at the beginning, and behind a dot.
    let mut wants_name = true;
    while let Some(one) = characters.next() {
        match one {
            '\\' => name.push(characters.next()?),
            '.' | '[' => {
                if !name.is_empty() {
                    steps.push(Step::Name(std::mem::take(&mut name)));
                } else if wants_name {
                    return None;
                }
                wants_name = one == '.';
                if one == '[' {
                    let digits = characters.as_str().split_once(']')?.0.to_owned();
                    characters.by_ref().nth(digits.chars().count());
                    // A number that is parsed may have a sign, and a position has none.
                    let is_position = !digits.is_empty() && digits.bytes().all(|digit| digit.is_ascii_digit());
                    steps.push(Step::Element(digits.parse().ok().filter(|_| is_position)?));
                }
            }
            // Behind an element comes a dot or another one.
            _ if !wants_name && name.is_empty() => return None,
            _ => {
                name.push(one);
                wants_name = true;
            }
        }
    }
    match name.is_empty() {
        false => steps.push(Step::Name(name)),
        true if wants_name => return None,
        true => {}
    }
    Some(steps)
}

/// Finds the attribute that the first steps name: the longest name counts, since names may have dots.
fn among<'a>(attributes: &'a [Attribute], steps: &[Step], inside: Option<&AttributePath>) -> Option<Resolved<'a>> {
    let names: Vec<&str> = steps.iter().map_while(Step::name).collect();
    (1..=names.len()).rev().find_map(|count| {
        let attribute = attributes.iter().find(|attribute| attribute.name == names[..count].join("."))?;
        let place = inside.map_or(attribute.place(), |map| map.join(&attribute.place()));
        let is_constant = matches!(attribute.fill, Some(Fill::Constant(_)));
        let found = below(&attribute.kind, &steps[count..], place)?;
        Some(Resolved {
            optional: found.optional || attribute.optional,
            is_constant: found.is_constant || is_constant,
            ..found
        })
    })
}

/// Follows the rest of a path from a value that stands at `place`.
fn below<'a>(kind: &'a AttributeType, steps: &[Step], place: AttributePath) -> Option<Resolved<'a>> {
    let Some((first, rest)) = steps.split_first() else {
        return Some(Resolved { named: place.clone(), path: place, kind, optional: false, is_constant: false });
    };
    let (next, kind) = match (first, kind) {
        (Step::Element(at), AttributeType::List { of, .. }) => (place.element(*at), of.as_deref()),
        (Step::Name(name), AttributeType::Map { attributes, of, .. }) if attributes.is_empty() => {
            (place.child(name), of.as_deref())
        }
        (Step::Name(_), AttributeType::Map { attributes, .. }) => return among(attributes, steps, Some(&place)),
        (Step::Name(name), AttributeType::Any) => (place.child(name), None),
        (Step::Element(at), AttributeType::Any) => (place.element(*at), None),
        _ => return None,
    };
    let is_free = matches!(first, Step::Name(_));
    let found = below(kind.unwrap_or(&AttributeType::Any), rest, next)?;
    Some(Resolved { optional: found.optional || is_free, ..found })
}

#[cfg(test)]
mod tests {
    use crate::layout::Layout;

    const DEFINITION: &str = r#"
        [table]
        name = "tasks"
        partition_key = "PK"
        [entities.Task]
        keys = { PK = "T#{id}" }
        [entities.Task.attributes]
        id = "string"
        "a.b" = "string"
        "c[0]" = "string"
        tags = { type = "list", max_items = 9, of = "string" }
        grid = { type = "list", max_items = 9, of = { type = "list", max_items = 9, of = "number" } }
        watchers = { type = "list", max_items = 9, of = { type = "map", attributes = { id = "string", "full.name" = { type = "string", optional = true } } } }
        labels = { type = "map", max_items = 9, of = "string" }
        meta = "any"
    "#;

    fn found(text: &str) -> Option<String> {
        let layout = Layout::compile(DEFINITION).layout.expect("it compiles");
        let found = layout.entity("Task")?.resolve_typed(text)?;
        Some(format!("{:?} {}", found.path.steps(), found.kind.name()))
    }

    #[test]
    fn paths_lead_through_maps_lists_and_names_with_dots_in_them() {
        for (text, steps) in [
            ("tags", r#"[Name("tags")] list"#),
            ("tags[1]", r#"[Name("tags"), Element(1)] string"#),
            ("grid[1][0]", r#"[Name("grid"), Element(1), Element(0)] number"#),
            ("watchers[0].id", r#"[Name("watchers"), Element(0), Name("id")] string"#),
            ("watchers[0].full.name", r#"[Name("watchers"), Element(0), Name("full.name")] string"#),
            (r"watchers[0].full\.name", r#"[Name("watchers"), Element(0), Name("full.name")] string"#),
            ("a.b", r#"[Name("a.b")] string"#),
            (r"a\.b", r#"[Name("a.b")] string"#),
            ("c[0]", r#"[Name("c[0]")] string"#),
            (r"labels.x\.y\[0\]", r#"[Name("labels"), Name("x.y[0]")] string"#),
            ("meta.x[2].y", r#"[Name("meta"), Name("x"), Element(2), Name("y")] any"#),
        ] {
            assert_eq!(found(text).as_deref(), Some(steps), "{text}");
        }
    }

    #[test]
    fn what_leads_nowhere_is_no_path() {
        for text in [
            "",
            ".",
            "tags.",
            "tags[",
            "tags[]",
            "tags[x]",
            "tags[-1]",
            "tags[0",
            "tags[0]x",
            "tags[0]..x",
            "tags.x",
            "[0]",
            "labels.x.y",
            "id[0]",
            "watchers.id",
            "watchers[0].nothing",
            "tags\\",
        ] {
            assert_eq!(found(text), None, "{text}");
        }
    }
}
