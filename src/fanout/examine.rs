//! What one item that a route led to has to do with the source.

use super::route_read::{identity, references_to};
use super::{Class, PlanError, ReadStep, Request, RouteRead, Superseded};
use crate::expression::Condition;
use crate::item::{Attributes, Held, Item, StoredIn, attributes_of};
use crate::layout::Layout;
use crate::model::{AttributePath, CopyRule, Entity, Holder, Reference, ReferenceKey};
use crate::value::{AttributeValue, Number};

/// DynamoDB removes nothing whose time was over more than five years ago, in seconds: such an item lives on.
/// Source: *Using time to live* in the developer guide.
const TTL_FORGETS: u64 = 5 * 365 * 24 * 60 * 60;

/// Tells where the copies of one source stand, and what each is worth.
#[derive(Debug, Clone)]
pub struct Examiner<'a> {
    layout: &'a Layout,
    request: &'a Request,
    superseded: &'a Superseded,
    identity: Vec<(AttributePath, AttributeValue)>,
    /// The source's attributes as they are to be.
    truth: Attributes,
    /// The times between which a time to live is over, in seconds since 1970.
    expired: std::ops::Range<Number>,
}

/// What an item turned out to be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Examined {
    /// It has nothing to do with the source, or an earlier route hands it over.
    Unrelated,
    /// What was read shows too little: the item itself has to be read.
    NeedsItem,
    /// It is worth counting.
    Found(Finding),
}

/// Where an item of a link entity leads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Linked {
    /// It does not link this source to anything.
    Unrelated,
    /// What was read shows too little: the link itself has to be read.
    NeedsItem,
    /// To the item with this key.
    To(Item),
}

/// An item that a route led to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// Its primary key.
    pub key: Item,
    /// How it stands.
    pub standing: Standing,
}

/// How an item stands to the source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Standing {
    /// It refers to the source.
    Target {
        /// Its entity.
        entity: String,
        /// Its copies.
        copies: Vec<CopyState>,
        /// What a guard must hold still so that it still refers to the source.
        refers: Vec<Condition>,
        /// The item, as far as it was read.
        image: Item,
        /// Whether every look has to read the item itself, because its route shows too little of it; where it does
        /// not, whether a difference has to be confirmed so, because the route is an index.
        rereads: Rereads,
    },
    /// It is of no known entity.
    Unrecognised,
    /// It is filed under the source, but refers to another.
    Misfiled,
    /// Its time to live is over.
    Expired,
}

/// When looking at an item again takes a read of the item itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rereads {
    /// Never: its route shows whole items, and strongly.
    Never,
    /// Where it differs: its route is an index, and a hint.
    IfDifferent,
    /// Always: its route shows too little.
    Always,
}

/// One copied value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CopyState {
    /// The reference that it belongs to.
    pub reference: String,
    /// Where it stands.
    pub target: AttributePath,
    /// What it is worth.
    pub class: Class,
    /// What it holds.
    pub value: Option<AttributeValue>,
    /// What it is to hold, going by the source.
    pub wanted: Option<AttributeValue>,
    /// Where it stands in an element of a list: what keeps that element a reference to the source.
    pub element: Vec<Condition>,
    /// Where its version stands, and the source's, where copies have versions.
    pub version: Option<(AttributePath, Number)>,
}

impl<'a> Examiner<'a> {
    /// For the copies of a source that a request is about. `source` is the item as it is to be; `now` is in seconds since 1970.
    pub fn new(
        layout: &'a Layout,
        request: &'a Request,
        superseded: &'a Superseded,
        source: &Item,
        now: u64,
    ) -> Option<Self> {
        let entity = layout.entity(&request.entity)?;
        Some(Examiner {
            layout,
            request,
            superseded,
            identity: identity(layout, entity, source),
            truth: attributes_of(source, entity, layout.table()),
            expired: Number::from(now.saturating_sub(TTL_FORGETS))..Number::from(now),
        })
    }

    /// What has to be read to find every copy.
    ///
    /// # Errors
    /// The source's key makes no partition key.
    pub fn reads(&self) -> Result<Vec<RouteRead>, PlanError> {
        Ok(RouteRead::all(self.layout, self.request, &self.identity)?)
    }

    /// Looks at what one of several reads led to: a whole item, or an index entry (`is_whole` false) that may show too
    /// little. An item that several reads lead to is handed over on the first of them, which its own keys tell, so that
    /// nobody has to remember the others. That holds for all reads but those through [links](super::ReadStep::Link).
    pub fn examine(&self, reads: &[RouteRead], at: usize, item: &Item, is_whole: bool) -> Examined {
        let examined = self.examine_on(&reads[at], item, is_whole);
        let Examined::Found(finding) = &examined else { return examined };
        for earlier in &reads[..at] {
            let shown_by = (!is_whole).then_some(&reads[at].step);
            match earlier.step.finds(self.layout, item, shown_by) {
                Some(false) => {}
                None => return Examined::NeedsItem,
                // Whether an item is misfiled hangs on where it was found; all else is the same on every route.
                Some(true) => {
                    let is_misfiled = finding.standing == Standing::Misfiled;
                    if !is_misfiled || matches!(self.examine_on(earlier, item, is_whole), Examined::Found(_)) {
                        return Examined::Unrelated;
                    }
                }
            }
        }
        examined
    }

    fn examine_on(&self, read: &RouteRead, item: &Item, is_whole: bool) -> Examined {
        let table = self.layout.table();
        let key = item.key(&table.key);
        let found = |standing| Examined::Found(Finding { key: key.clone(), standing });
        let Ok(entity) = self.layout.recognise(item) else {
            return if is_whole { found(Standing::Unrecognised) } else { Examined::NeedsItem };
        };
        let references: Vec<&Reference> = references_to(self.layout, self.request)
            .filter(|(of, _)| of.name == entity.name)
            .map(|(_, reference)| reference)
            .collect();
        if references.is_empty() {
            return Examined::Unrelated;
        }
        let hidden = !references.iter().all(|reference| self.shows(&read.step, item, entity, reference));
        if !is_whole && hidden {
            return Examined::NeedsItem;
        }

        let mut refers = Vec::new();
        let mut copies = Vec::new();
        for reference in references {
            for place in reference.places(&item.0) {
                let Some(conditions) = self.refers(item, entity, reference, place.as_ref()) else { continue };
                let (own, element) = if place.is_some() { (Vec::new(), conditions) } else { (conditions, Vec::new()) };
                refers.extend(own);
                copies.extend(self.copies(item, entity, reference, place.as_ref(), &element));
            }
        }
        if copies.is_empty() {
            let is_served = read.serves.iter().any(|(name, _)| *name == entity.name);
            let attributes = attributes_of(item, entity, table);
            return match is_served && !read.is_where(self.layout, entity, &attributes) {
                true => found(Standing::Misfiled),
                false => Examined::Unrelated,
            };
        }
        if self.is_expired(item) {
            return found(Standing::Expired);
        }
        if !is_whole && copies.iter().any(|copy| copy.class != Class::Current) {
            return Examined::NeedsItem;
        }
        let rereads = match (hidden, read.step.is_strong()) {
            (true, _) => Rereads::Always,
            (false, false) => Rereads::IfDifferent,
            (false, true) => Rereads::Never,
        };
        found(Standing::Target { entity: entity.name.clone(), copies, refers, image: item.clone(), rereads })
    }

    /// Where an item leads that a link's way led to.
    pub fn linked(&self, link: &ReadStep, through: &ReadStep, item: &Item, is_whole: bool) -> Linked {
        let ReadStep::Link { entity, from, to, .. } = link else { return Linked::Unrelated };
        let doubt = if is_whole { Linked::Unrelated } else { Linked::NeedsItem };
        let Ok(found) = self.layout.recognise(item) else { return doubt };
        let reference = |name: &String| found.references.iter().find(|one| one.name == *name);
        let (Some(from), Some(to)) = (reference(from), reference(to)) else { return Linked::Unrelated };
        if found.name != *entity {
            return Linked::Unrelated;
        }
        let shown = |one: &Reference| {
            one.by.iter().all(|key| {
                through.carries(self.layout, key.target.root())
                    || Held::find(item, found, self.layout.table(), &key.target).is_some()
            })
        };
        let is_shown = shown(from) && shown(to);
        if !is_whole && !is_shown {
            return Linked::NeedsItem;
        }
        if self.refers(item, found, from, None).is_none() {
            return Linked::Unrelated;
        }
        self.key_of(item, found, to, None).map_or(Linked::Unrelated, |(key, _)| Linked::To(Item(key)))
    }

    /// Whether an index entry shows all that decides about a reference.
    fn shows(&self, step: &ReadStep, item: &Item, entity: &Entity, reference: &Reference) -> bool {
        let carries = |path: &AttributePath| step.carries(self.layout, reference.root(path));
        let is_shown = |key: &ReferenceKey| {
            step.carries(self.layout, reference.root_of_key(key))
                || key.holder == Holder::Item && Held::find(item, entity, self.layout.table(), &key.target).is_some()
        };
        reference.by.iter().all(is_shown)
            && reference.copies.iter().all(|rule| carries(&rule.target))
            && reference.version_as.as_ref().is_none_or(carries)
    }

    /// Whether the item, or the element at a place of it, refers to the source; if so, what keeps it so.
    fn refers(
        &self,
        item: &Item,
        entity: &Entity,
        reference: &Reference,
        place: Option<&AttributePath>,
    ) -> Option<Vec<Condition>> {
        let (key, conditions) = self.key_of(item, entity, reference, place)?;
        // Two references are the same when they make the same key: a template may lower the case of an id.
        (key == self.request.key.0).then_some(conditions)
    }

    /// The primary key that a reference leads to, and what keeps it so.
    fn key_of(
        &self,
        item: &Item,
        entity: &Entity,
        reference: &Reference,
        place: Option<&AttributePath>,
    ) -> Option<(Attributes, Vec<Condition>)> {
        let table = self.layout.table();
        let source = self.layout.entity(&reference.entity)?;
        let mut conditions = Vec::new();
        let mut named = Attributes::new();
        for key in &reference.by {
            let target = key.target_at(place);
            let Some(held) = Held::find(item, entity, table, &target) else {
                if !source.has_fallback(&key.source, table) {
                    return None;
                }
                conditions.push(Condition::Absent(target));
                continue;
            };
            key.source.set(&mut named, held.value.clone());
            match held.stored_in {
                StoredIn::Attribute if target.as_top_level().is_some_and(|name| table.key.contains(name)) => {}
                StoredIn::Attribute => conditions.push(Condition::Equals(target, held.value)),
                // A primary key never changes, so it needs no guard.
                StoredIn::Key(name) if table.key.contains(&name) => {}
                StoredIn::Key(name) => {
                    let value = item.get(&name)?.clone();
                    conditions.push(Condition::Equals(AttributePath::top_level(name), value));
                }
            }
        }
        Some((source.primary_key(table, &named).ok()?, conditions))
    }

    fn copies(
        &self,
        item: &Item,
        entity: &Entity,
        reference: &Reference,
        place: Option<&AttributePath>,
        element: &[Condition],
    ) -> Vec<CopyState> {
        let at = |path: &AttributePath| place.map_or(path.clone(), |place| place.join(path));
        let version =
            reference.version_as.as_ref().zip(self.version(reference)).map(|(path, number)| (at(path), number));
        // One version stands for all copies of a reference, so that all of them are looked at.
        let in_question =
            reference.copies.iter().filter(|rule| version.is_some() || self.request.concerns(&rule.source));
        let state = |rule: &CopyRule| {
            let target = at(&rule.target);
            let value = Held::find(item, entity, self.layout.table(), &target).map(|held| held.value);
            let wanted = rule.of(rule.source.get(&self.truth));
            let class = match &version {
                None => self.superseded.classify(rule, value.as_ref(), wanted.as_ref()),
                Some((path, number)) => Class::of_version(path.get(&item.0), number, value.as_ref(), wanted.as_ref()),
            };
            CopyState {
                reference: reference.name.clone(),
                target,
                class,
                value,
                wanted,
                element: element.to_vec(),
                version: version.clone(),
            }
        };
        in_question.map(state).collect()
    }

    /// The version of the source, where its entity counts its changes and it has one.
    fn version(&self, reference: &Reference) -> Option<Number> {
        let path = self.layout.entity(&reference.entity)?.version.as_ref()?;
        match path.get(&self.truth) {
            Some(AttributeValue::N(number)) => Some(*number),
            _ => None,
        }
    }

    fn is_expired(&self, item: &Item) -> bool {
        let ttl = self.layout.table().ttl_attribute.as_ref().and_then(|name| item.get(name));
        matches!(ttl, Some(AttributeValue::N(at)) if self.expired.contains(at))
    }
}
