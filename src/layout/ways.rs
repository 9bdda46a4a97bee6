//! Which ways lead from a reference's own attributes to the items of one source, and which of them is the best.

use std::cmp::Reverse;

use super::Route;
use crate::diagnostic::Diagnostic;
use crate::key::Placeholder;
use crate::model::{
    AttributePath, Entity, KeyAttribute, KeySource, Model, Reference, ReferenceKey, SecondaryIndex, Table, WhenIs,
};

/// What leads to the items of one source.
pub(super) struct Ways<'a> {
    entity: &'a Entity,
    reference: &'a Reference,
    /// The entity that is referred to.
    source: Option<&'a Entity>,
    table: &'a Table,
}

impl<'a> Ways<'a> {
    pub(super) fn of(entity: &'a Entity, reference: &'a Reference, model: &'a Model) -> Self {
        Ways { entity, reference, source: model.entity(&reference.entity), table: &model.table }
    }

    /// The attributes of the item that are the reference. Those of a list's elements make no key.
    fn ours(&self) -> Vec<&AttributePath> {
        self.reference.held_by_item().map(|key| &key.target).collect()
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
        let theirs = self.reference.held_by_item().find(|key| key.target == *ours).map(|key| &key.source);
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
    fn is_partition_of_source(&self, partition: &[KeyAttribute]) -> bool {
        let ours = self.ours();
        // Shards alone would be the same partitions for every source.
        let names_it = |key: &str| self.entity.inputs(key).iter().any(|path| ours.contains(&path));
        partition.iter().all(|key| self.is_made_by_reference(&key.name))
            && partition.iter().any(|key| names_it(&key.name))
    }

    /// Whether a partition that is written may be read: one of the source, or a constant one.
    pub(super) fn may_read_partition(&self, partition: &[KeyAttribute]) -> bool {
        partition.iter().all(|key| self.is_made_by_reference(&key.name) || self.is_constant(&key.name))
    }

    pub(super) fn is_found_by_key(&self) -> bool {
        let is_sharded = |key: &str| {
            self.entity.keys.get(key).is_some_and(|source| source.placeholders().any(|one| one.shards().is_some()))
        };
        self.table.key.names().all(|key| self.is_made_by_reference(key) && !is_sharded(key))
    }

    /// The best of the ways that need not be written.
    pub(super) fn infer(&self) -> Result<Route, Box<Diagnostic>> {
        let (routes, passed_over) = self.inferable();
        routes.into_iter().next().ok_or_else(|| Box::new(self.unreachable(&passed_over)))
    }

    /// The ways that need not be written, the best first, and the indexes that would be one if all items were in
    /// them.
    ///
    /// A single item is best. Of several partitions it is the one that is made from most of the reference, since the
    /// others hold more that is not wanted: `ORG#{org}` has a whole tenant, `USER#{owner}` one owner's items. Between
    /// equals it is the table's own, then an index that shows all that the copies are judged by.
    pub(super) fn inferable(&self) -> (Vec<Route>, Vec<String>) {
        let mut passed_over = Vec::new();
        let mut partitions = Vec::new();
        if self.is_partition_of_source(&self.table.key.partition) {
            partitions.push((self.reference_in(&self.table.key.partition), true, Route::Table));
        }
        for index in &self.table.indexes {
            if !self.is_partition_of_source(&index.key.partition) {
                continue;
            }
            match self.may_be_absent_from(index) {
                None => partitions.push((
                    self.reference_in(&index.key.partition),
                    self.shows_enough(index),
                    Route::Index(index.name.clone()),
                )),
                Some(why) => passed_over.push(format!("{} lacks items {why}", index.name)),
            }
        }
        // Stable: what is equal stays in the order of the definition, the table first.
        partitions.sort_by_key(|(attributes, is_enough, _)| (Reverse(*attributes), !is_enough));
        let get = self.is_found_by_key().then_some(Route::Get);
        (get.into_iter().chain(partitions.into_iter().map(|(_, _, route)| route)).collect(), passed_over)
    }

    /// How many attributes of the reference a partition is made from.
    fn reference_in(&self, partition: &[KeyAttribute]) -> usize {
        let inputs: Vec<AttributePath> = partition.iter().flat_map(|key| self.entity.inputs(&key.name)).collect();
        self.ours().into_iter().filter(|path| inputs.contains(path)).count()
    }

    /// Whether an index shows the reference and the copies, so that the item itself need not be read.
    fn shows_enough(&self, index: &SecondaryIndex) -> bool {
        let copies = self.reference.copies.iter().map(|rule| self.reference.root(&rule.target));
        let by = self.reference.by.iter().map(|key| self.reference.root_of_key(key));
        copies.chain(by).all(|attribute| self.table.index_carries(index, attribute))
    }

    fn unreachable(&self, passed_over: &[String]) -> Diagnostic {
        let Ways { entity, reference, .. } = self;
        let by: Vec<String> = reference.by.iter().map(|key| format!("`{}`", reference.shown_key(key))).collect();
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
        if let Some(key) = reference.held_by_item().find(|key| is_filtered(key)) {
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
    pub(super) fn may_be_absent_from(&self, index: &SecondaryIndex) -> Option<String> {
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
