//! The key chart.

use super::columns::align;
use super::style::{FAINT, HEADING, paint};
use crate::layout::{Chart, EntityChart, ReferenceChart};
use crate::model::{Billing, Holder, IndexProjection, IndexScope, Keep, KeySchema, KeyType, ReferenceKey};

/// The key chart of a whole layout.
pub(in crate::cli) fn chart(chart: &Chart<'_>) -> String {
    let mut text = format!("{} {}\n", paint(HEADING, "table"), chart.table);
    let mut rows = vec![vec!["key".to_owned(), key(chart.key)]];
    if let Some(name) = chart.type_attribute {
        rows.push(vec!["entity name in".to_owned(), name.to_owned()]);
    }
    if let Some(name) = chart.ttl_attribute {
        rows.push(vec!["expires at".to_owned(), name.to_owned()]);
    }
    rows.push(vec![
        "billing".to_owned(),
        match chart.settings.billing {
            Billing::OnDemand => "on-demand".to_owned(),
            Billing::Provisioned { read, write } => {
                format!("{read} read and {write} write units a second, each index too")
            }
        },
    ]);
    for index in chart.indexes {
        let carries = match &index.projection {
            IndexProjection::All => "everything".to_owned(),
            IndexProjection::KeysOnly => "keys only".to_owned(),
            IndexProjection::Include(names) => names.join(", "),
        };
        let local = if index.scope == IndexScope::Local { "local, " } else { "" };
        rows.push(vec![format!("index {}", index.name), format!("{}, {local}carries {carries}", key(&index.key))]);
    }
    text.push_str(&align(&rows, false, "  "));
    for entity in &chart.entities {
        text.push('\n');
        text.push_str(&entity_chart(entity, chart));
    }
    text
}

fn entity_chart(entity: &EntityChart<'_>, chart: &Chart<'_>) -> String {
    let mut text = format!("{} {}\n", paint(HEADING, "entity"), entity.name);
    let template = |keys: &std::collections::BTreeMap<&str, String>, name: &str| {
        keys.get(name).map_or("-".to_owned(), |template| format!("{name} = {template}"))
    };
    let mut rows = vec![row("table", chart.key.names().map(|name| template(&entity.keys, name)))];
    for index in &entity.indexes {
        // Partition key first, which is not the order of the names.
        let schema = chart.indexes.iter().find(|one| one.name == index.name).map(|one| &one.key);
        let names = schema.into_iter().flat_map(KeySchema::names);
        let mut cells = row(index.name, names.map(|name| template(&index.keys, name)));
        if !index.sparse_without.is_empty() {
            let paths: Vec<String> = index.sparse_without.iter().map(ToString::to_string).collect();
            cells.push(format!("only with {}", paths.join(" and ")));
        }
        rows.push(cells);
    }
    text.push_str(&align(&rows, false, "  "));
    for reference in &entity.references {
        text.push_str(&reference_chart(reference));
    }
    text
}

fn row(name: &str, cells: impl Iterator<Item = String>) -> Vec<String> {
    std::iter::once(name.to_owned()).chain(cells).collect()
}

fn reference_chart(reference: &ReferenceChart<'_>) -> String {
    // As a definition says it: from an element, what the item holds begins with a slash.
    let slash = |key: &ReferenceKey| match (reference.within, key.holder) {
        (Some(_), Holder::Item) => "/",
        _ => "",
    };
    let by: Vec<String> =
        reference.by.iter().map(|key| format!("{} = {}{}", key.source, slash(key), key.target)).collect();
    let within = reference.within.map_or(String::new(), |within| format!(" in each of {}[]", within.list));
    let mut text = format!("  refers to {} as {}{within}, by {}", reference.entity, reference.name, by.join(" and "));
    if let Some(owner) = reference.owner {
        text.push_str(&format!(", owned by {owner}"));
    }
    text.push('\n');
    for rule in &reference.copies {
        let shards =
            if reference.partitions > 1 { format!(", {} shards", reference.partitions) } else { String::new() };
        let kept = match (reference.keep, reference.route) {
            (Some(Keep::Latest), Some(route)) => format!("kept latest, found through {route}{shards}"),
            (Some(Keep::Snapshot), _) => "a snapshot, never changed".to_owned(),
            _ => "not kept".to_owned(),
        };
        let copy = format!("{} <- {}.{}", rule.target, reference.entity, rule.source);
        text.push_str(&format!("    {copy}  {}\n", paint(FAINT, kept)));
    }
    if reference.keep == Some(Keep::Latest) && !reference.other_routes.is_empty() {
        let others: Vec<String> = reference.other_routes.iter().map(ToString::to_string).collect();
        text.push_str(&format!("    {}\n", paint(FAINT, format!("also to be found through {}", others.join(", ")))));
    }
    text
}

fn key(key: &KeySchema) -> String {
    let part = |part: &[crate::model::KeyAttribute]| {
        let shown = part.iter().map(|key| match key.kind {
            KeyType::String => key.name.clone(),
            kind => format!("{} ({})", key.name, kind.name()),
        });
        shown.collect::<Vec<_>>().join(" + ")
    };
    match key.sort.as_slice() {
        [] => part(&key.partition),
        sort => format!("{} and {}", part(&key.partition), part(sort)),
    }
}
