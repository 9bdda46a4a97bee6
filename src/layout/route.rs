//! How the items that refer to one source are found.

use std::fmt;

use serde::Serialize;

use crate::diagnostic::Diagnostic;
use crate::key::Placeholder;
use crate::model::{
    AttributePath, Entity, KeySource, Model, Reference, ReferenceKey, SecondaryIndex, Table, Via, WhenIs,
};

/// How the items that refer to one source are found. The first three are inferred, in this order; the others have to
/// be written.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Route {
    /// They stand in a partition of the table, which the reference alone makes; it is read strongly.
    Table,
    /// They stand in a partition of an index, which the reference alone makes, or which is constant.
    Index(String),
    /// There is one, whose whole key is constant or made from the reference alone.
    Get,
    /// The items of another entity refer to the source, and give the key of the item.
    Link {
        /// The other entity.
        entity: String,
        /// Its reference to the source.
        from: String,
        /// Its reference to the item.
        to: String,
    },
    /// They may be anywhere: the whole table is read.
    Scan,
}

impl Route {
    /// The index that it reads, where it reads one.
    pub fn index(&self) -> Option<&str> {
        match self {
            Route::Index(name) => Some(name),
            Route::Table | Route::Get | Route::Link { .. } | Route::Scan => None,
        }
    }
}

impl fmt::Display for Route {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Route::Table => f.write_str("the table's own partition"),
            Route::Index(name) => f.write_str(name),
            Route::Get => f.write_str("its key"),
            Route::Link { entity, .. } => write!(f, "the {entity} items of the source"),
            Route::Scan => f.write_str("a scan of the whole table"),
        }
    }
}

/// The way to the copies of one source, as it is written or else inferred, or why there is none.
pub(super) fn find(entity: &Entity, reference: &Reference, model: &Model) -> Result<Route, Box<Diagnostic>> {
    let ways = Ways { entity, reference, source: model.entity(&reference.entity), table: &model.table };
    let refuse = |message: String, help: &str| {
        Err(Box::new(Diagnostic::error("reference.invalid-via", reference.span, message).help(help)))
    };
    match &reference.via {
        None => ways.infer(),
        Some(Via::Scan) => Ok(Route::Scan),
        Some(Via::Table) if ways.may_read_partition(&model.table.key.partition) => Ok(Route::Table),
        Some(Via::Table) => refuse(
            format!("the partition key of {} is not made from the reference", entity.name),
            "name an index whose partition key is, or `scan`",
        ),
        Some(Via::Get) if ways.is_found_by_key() => Ok(Route::Get),
        Some(Via::Get) => refuse(
            format!("the primary key of {} is not made from the reference alone", entity.name),
            "name an index whose partition key is, or `scan`",
        ),
        Some(Via::Index(name)) => match model.table.index(name) {
            Some(index) if ways.may_read_partition(&index.key.partition) => Ok(Route::Index(name.clone())),
            _ => refuse(
                format!(
                    "the partition key of {} in {name} is neither made from the reference nor constant",
                    entity.name
                ),
                "name another index, or `scan`",
            ),
        },
        Some(Via::Link(name)) => link(name, entity, reference, model),
    }
}

/// The link entity refers to the source, and its other reference gives the target's whole primary key.
fn link(name: &str, entity: &Entity, reference: &Reference, model: &Model) -> Result<Route, Box<Diagnostic>> {
    let refuse = |message: String, help: String| {
        Err(Box::new(Diagnostic::error("reference.invalid-link", reference.span, message).help(help)))
    };
    let Some(link) = model.entity(name) else {
        return refuse(format!("there is no entity `{name}`"), "name the entity that links the two".to_owned());
    };
    let to_entity = |wanted: &str| link.references.iter().find(|one| one.entity == wanted && one.within.is_none());
    let (Some(from), Some(to)) = (to_entity(&reference.entity), to_entity(&entity.name)) else {
        let missing = if to_entity(&reference.entity).is_none() { &reference.entity } else { &entity.name };
        return refuse(
            format!("{name} has no reference to {missing}, so its items do not lead from one to the other"),
            format!("add `[entities.{name}.references.NAME]` with `entity = \"{missing}\"` and `by`"),
        );
    };
    let found = Ways { entity: link, reference: from, source: model.entity(&from.entity), table: &model.table };
    let is_found = match &from.via {
        Some(Via::Link(_)) => false,
        _ => find(link, from, model).is_ok() || found.infer().is_ok(),
    };
    if !is_found {
        return refuse(
            format!("nothing finds the {name} items of one {}", reference.entity),
            format!("give {name} an index whose partition key is made from its reference `{}`", from.name),
        );
    }
    Ok(Route::Link { entity: name.to_owned(), from: from.name.clone(), to: to.name.clone() })
}

/// What leads to the items of one source.
struct Ways<'a> {
    entity: &'a Entity,
    reference: &'a Reference,
    /// The entity that is referred to.
    source: Option<&'a Entity>,
    table: &'a Table,
}

impl Ways<'_> {
    /// The attributes of the item that are the reference. Those of a list's elements make no key.
    fn ours(&self) -> Vec<&AttributePath> {
        match self.reference.within {
            None => self.reference.by.iter().map(|key| &key.target).collect(),
            Some(_) => Vec::new(),
        }
    }

    /// Whether a key attribute is made from the reference alone, but for the shards it is spread over.
    fn is_made_by_reference(&self, key: &str) -> bool {
        let ours = self.ours();
        match self.entity.keys.get(key) {
            None => false,
            Some(KeySource::Attribute { .. }) => {
                let path = AttributePath::top_level(key);
                ours.contains(&&path) && self.is_same_for_one_source(&path, None)
            }
            Some(source) => source.placeholders().all(|one| match ours.contains(&&one.path) {
                true => self.is_same_for_one_source(&one.path, Some(one)),
                false => one.shards().is_some(),
            }),
        }
    }

    /// Whether all references to one source put the same into a key. Where the source's own key holds the value as it
    /// is, they hold the same. Where it holds it filtered, `Mara` and `mara` may be one source: then our key must
    /// filter it in that way too, before anything else.
    fn is_same_for_one_source(&self, ours: &AttributePath, placeholder: Option<&Placeholder>) -> bool {
        let theirs = self.reference.by.iter().find(|key| key.target == *ours).map(|key| &key.source);
        let (Some(source), Some(theirs)) = (self.source, theirs) else { return true };
        let keys = self.table.key.names().filter_map(|name| source.keys.get(name));
        let uses: Vec<&Placeholder> =
            keys.flat_map(KeySource::placeholders).filter(|one| one.path == *theirs).collect();
        let begins_so = |use_: &&Placeholder| {
            placeholder.is_some_and(|ours| ours.pad == use_.pad && ours.filters.starts_with(&use_.filters))
        };
        uses.is_empty() || uses.iter().any(|one| one.filters.is_empty()) || uses.iter().any(begins_so)
    }

    fn is_constant(&self, key: &str) -> bool {
        self.entity.keys.get(key).is_some_and(|source| match source {
            KeySource::Attribute { .. } => false,
            KeySource::Made(_) => source.placeholders().next().is_none(),
        })
    }

    /// Whether every item of one source stands in partitions that the reference makes, and not all items in one.
    fn is_partition_of_source(&self, partition: &[crate::model::KeyAttribute]) -> bool {
        let ours = self.ours();
        // Shards alone would be the same partitions for every source.
        let names_it = |key: &str| self.entity.inputs(key).iter().any(|path| ours.contains(&path));
        partition.iter().all(|key| self.is_made_by_reference(&key.name))
            && partition.iter().any(|key| names_it(&key.name))
    }

    /// Whether a partition that is written may be read: one of the source, or a constant one.
    fn may_read_partition(&self, partition: &[crate::model::KeyAttribute]) -> bool {
        partition.iter().all(|key| self.is_made_by_reference(&key.name) || self.is_constant(&key.name))
    }

    fn is_found_by_key(&self) -> bool {
        let is_sharded = |key: &str| {
            self.entity.keys.get(key).is_some_and(|source| source.placeholders().any(|one| one.shards().is_some()))
        };
        self.table.key.names().all(|key| self.is_made_by_reference(key) && !is_sharded(key))
    }

    fn infer(&self) -> Result<Route, Box<Diagnostic>> {
        if self.is_partition_of_source(&self.table.key.partition) {
            return Ok(Route::Table);
        }
        let mut passed_over = Vec::new();
        for index in &self.table.indexes {
            if !self.is_partition_of_source(&index.key.partition) {
                continue;
            }
            match self.may_be_absent_from(index) {
                None => return Ok(Route::Index(index.name.clone())),
                Some(why) => passed_over.push(format!("{} lacks items {why}", index.name)),
            }
        }
        if self.is_found_by_key() {
            return Ok(Route::Get);
        }
        Err(Box::new(self.unreachable(&passed_over)))
    }

    fn unreachable(&self, passed_over: &[String]) -> Diagnostic {
        let Ways { entity, reference, .. } = self;
        let by: Vec<String> = reference.by.iter().map(|key| format!("`{}`", reference.shown(&key.target))).collect();
        let by = if by.is_empty() { "nothing".to_owned() } else { by.join(" and ") };
        let mut help = match reference.within {
            None => format!("add an index to {} whose partition key is made from {by} alone", entity.name),
            Some(_) => {
                "no key is made from the elements of a list: write `via = \"link:ENTITY\"`, or `via = \"scan\"` and \
                        pay for reading the whole table"
                    .to_owned()
            }
        };
        let is_filtered = |key: &ReferenceKey| !self.is_same_for_one_source(&key.target, None);
        if let Some(key) = reference.by.iter().find(|key| reference.within.is_none() && is_filtered(key)) {
            help = format!(
                "{help}; the key of {} filters `{}`, so ours must filter `{}` in the same way, or one source would have \
                 its items under several keys",
                reference.entity, key.source, key.target
            );
        }
        if !passed_over.is_empty() {
            help = format!("{}; make that attribute required, or {help}", passed_over.join("; "));
        }
        Diagnostic::error(
            "copy.unreachable",
            reference.span,
            format!(
                "nothing finds the {} items of one {}, so their copies could not be kept latest",
                entity.name, reference.entity
            ),
        )
        .label(format!("the reference is made by {by}"))
        .help(help)
    }

    /// What keeps an item out of the index, besides the absence of the reference itself: an item that does not refer
    /// to a source has no copies of it to keep.
    fn may_be_absent_from(&self, index: &SecondaryIndex) -> Option<String> {
        let ours = self.ours();
        for key in index.key.names() {
            match self.entity.keys.get(key) {
                None => return Some(format!("without `{key}`")),
                Some(KeySource::Attribute { optional: true }) if !ours.contains(&&AttributePath::top_level(key)) => {
                    return Some(format!("without `{key}`"));
                }
                Some(KeySource::Attribute { .. }) => {}
                Some(KeySource::Made(choices)) => {
                    if choices.iter().all(|choice| !choice.when.is_empty())
                        && let Some(when) = choices.iter().flat_map(|choice| &choice.when).next()
                    {
                        let why = match when.is {
                            WhenIs::Present => "without",
                            WhenIs::OneOf(_) => "with another",
                        };
                        return Some(format!("{why} `{}`", when.path));
                    }
                    let optional = choices.iter().flat_map(|choice| choice.template.placeholders()).find(|one| {
                        !one.has_fallback()
                            && !ours.contains(&&one.path)
                            && self.entity.declared_at(&one.path).is_none_or(|found| found.optional)
                    });
                    if let Some(one) = optional {
                        return Some(format!("without `{}`", one.path));
                    }
                }
            }
        }
        None
    }
}

/// Says so where an index that is written as the way lacks some of the items.
pub(super) fn check_written(entity: &Entity, reference: &Reference, table: &Table) -> Option<Diagnostic> {
    let Some(Via::Index(name)) = &reference.via else { return None };
    let why = Ways { entity, reference, source: None, table }.may_be_absent_from(table.index(name)?)?;
    Some(
        Diagnostic::warning(
            "copy.may-be-missed",
            reference.span,
            format!("{name} lacks {} items {why}, and copies on those are not found", entity.name),
        )
        .help("use an index that every item is in, or `via = \"scan\"`")
        .about(format!("{}.{}", entity.name, reference.name)),
    )
}
