//! What `update` is asked to change.

use std::collections::BTreeMap;

use crate::cli::args::Update;
use crate::cli::failure::Failure;
use crate::fanout::parse_item_values;
use crate::item::Relative;
use crate::model::{AttributePath, AttributeType, Entity, Resolved, SetMember, StringRules, check_value, parse_text};
use crate::value::AttributeValue;

type Values = BTreeMap<AttributePath, Option<AttributeValue>>;

/// What is to be changed, and what the item is said to hold.
pub(super) struct Changes {
    pub(super) absolute: Values,
    pub(super) relative: BTreeMap<AttributePath, Relative>,
    pub(super) told: Values,
}

/// Reads the arguments.
pub(super) fn read(entity: &Entity, args: &Update) -> Result<Changes, Failure> {
    let values = |pairs| parse_item_values(entity, pairs).map_err(|error| Failure::usage(error.to_string()));
    let some = |(path, value)| (path, Some(value));
    let mut absolute: Vec<(AttributePath, Option<AttributeValue>)> = values(&args.set)?.into_iter().map(some).collect();
    for name in &args.remove {
        let found = find(entity, name)?;
        if !found.optional && !found.path.is_element() {
            return Err(Failure::usage(format!("`{name}` is required, and cannot be removed")));
        }
        absolute.push((found.path, None));
    }
    let mut relative: BTreeMap<AttributePath, Relative> = BTreeMap::new();
    let each = |pairs: &[(String, String)], read: fn(&Resolved<'_>, &str) -> Result<Relative, String>| {
        let one = |(name, text): &(String, String)| {
            let found = find(entity, name)?;
            let change = read(&found, text).map_err(|why| Failure::usage(format!("`{name}`: {why}")))?;
            Ok::<_, Failure>((name.clone(), found.path, change))
        };
        pairs.iter().map(one).collect::<Result<Vec<_>, _>>()
    };
    for (name, path, change) in
        each(&args.add, add)?.into_iter().chain(each(&args.append, append)?).chain(each(&args.delete, delete)?)
    {
        let both = match relative.remove(&path) {
            None => Some(change),
            Some(earlier) => together(earlier, change),
        };
        let both = both.ok_or_else(|| Failure::usage(format!("`{name}` cannot be changed twice")))?;
        relative.insert(path, both);
    }
    let paths: Vec<&AttributePath> = absolute.iter().map(|(path, _)| path).chain(relative.keys()).collect();
    if paths.is_empty() {
        return Err(Failure::usage("nothing is to be changed").help("pass --set NAME=VALUE or --remove NAME"));
    }
    let clash = paths
        .iter()
        .enumerate()
        .find_map(|(at, path)| Some((paths[..at].iter().find(|one| one.overlaps(path))?, path)));
    if let Some((one, other)) = clash {
        return Err(Failure::usage(format!(
            "`{one}` and `{other}` cannot be changed together: they are the same, or one is inside the other"
        )));
    }
    Ok(Changes {
        absolute: absolute.into_iter().collect(),
        relative,
        told: values(&args.told)?.into_iter().map(some).collect(),
    })
}

fn find<'e>(entity: &'e Entity, name: &str) -> Result<Resolved<'e>, Failure> {
    entity.resolve_typed(name).ok_or_else(|| Failure::usage(format!("{} has no attribute `{name}`", entity.name)))
}

fn add(found: &Resolved<'_>, text: &str) -> Result<Relative, String> {
    match found.kind {
        AttributeType::Number { .. } | AttributeType::Epoch => match parse_text(&AttributeType::Epoch, text)? {
            AttributeValue::N(number) => Ok(Relative::Add(number)),
            _ => Err("only a number can be added to a number".to_owned()),
        },
        AttributeType::Set { of, .. } => Ok(Relative::AddMembers(member(found, *of, text)?)),
        other => Err(format!("it is a {}, and only numbers and sets are added to", other.name())),
    }
}

fn delete(found: &Resolved<'_>, text: &str) -> Result<Relative, String> {
    match found.kind {
        AttributeType::Set { of, .. } => Ok(Relative::DeleteMembers(member(found, *of, text)?)),
        other => Err(format!("it is a {}, and members are deleted from sets only", other.name())),
    }
}

fn append(found: &Resolved<'_>, text: &str) -> Result<Relative, String> {
    let AttributeType::List { of, .. } = found.kind else {
        return Err(format!("it is a {}, and only lists are appended to", found.kind.name()));
    };
    let kind = of.as_deref().unwrap_or(&AttributeType::Any);
    let mut value = parse_text(kind, text)?;
    match check_value(kind, &mut value, "the element").first() {
        Some(problem) => Err(problem.to_string()),
        None => Ok(Relative::Append(vec![value])),
    }
}

/// A set of one member.
fn member(found: &Resolved<'_>, of: SetMember, text: &str) -> Result<AttributeValue, String> {
    let kind = match of {
        SetMember::String => AttributeType::String(StringRules::default()),
        SetMember::Number => AttributeType::Number { values: Vec::new() },
        SetMember::Binary => AttributeType::Binary { max_bytes: None },
    };
    let mut set = AttributeValue::L(vec![parse_text(&kind, text)?]);
    match check_value(found.kind, &mut set, "the member").first() {
        Some(problem) => Err(problem.to_string()),
        None => Ok(set),
    }
}

/// Two changes of one place in one: only what grows or shrinks by single elements is given several times.
fn together(earlier: Relative, later: Relative) -> Option<Relative> {
    Some(match (earlier, later) {
        (Relative::Append(mut elements), Relative::Append(more)) => {
            elements.extend(more);
            Relative::Append(elements)
        }
        (Relative::AddMembers(members), Relative::AddMembers(more)) => Relative::AddMembers(union(members, more)?),
        (Relative::DeleteMembers(members), Relative::DeleteMembers(more)) => {
            Relative::DeleteMembers(union(members, more)?)
        }
        _ => return None,
    })
}

fn union(members: AttributeValue, more: AttributeValue) -> Option<AttributeValue> {
    let path = AttributePath::top_level("");
    Relative::AddMembers(more).of(&path, Some(&members)).ok().flatten()
}
