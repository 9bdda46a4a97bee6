//! What one item that a route led to has to do with the source.

use super::route_read::{identity, references_to};
use super::{Class, PlanError, Request, RouteRead, Superseded};
use crate::expression::Condition;
use crate::item::{Attributes, Held, Item, StoredIn, attributes_of, primary_key};
use crate::layout::Layout;
use crate::model::{AttributePath, Entity, Reference};
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
    /// It has nothing to do with the source.
    Unrelated,
    /// What was read shows too little: the item itself has to be read.
    NeedsItem,
    /// It is worth counting.
    Found(Finding),
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
        /// Whether its route shows too little of it, so that every look has to read the item itself.
        hidden: bool,
    },
    /// It is of no known entity.
    Unrecognised,
    /// It is filed under the source, but refers to another.
    Misfiled,
    /// Its time to live is over.
    Expired,
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
    /// What the source holds.
    pub wanted: Option<AttributeValue>,
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

    /// Looks at what a route led to: a whole item, or an index entry (`is_whole` false) that may show too little.
    pub fn examine(&self, read: &RouteRead, item: &Item, is_whole: bool) -> Examined {
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
        let hidden = !references.iter().all(|reference| self.shows(read, item, entity, reference));
        if !is_whole && hidden {
            return Examined::NeedsItem;
        }

        let mut refers = Vec::new();
        let mut copies = Vec::new();
        for reference in references {
            let Some(conditions) = self.refers(item, entity, reference) else { continue };
            refers.extend(conditions);
            copies.extend(self.copies(item, reference));
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
        found(Standing::Target { entity: entity.name.clone(), copies, refers, image: item.clone(), hidden })
    }

    /// Whether an index entry shows all that decides about a reference.
    fn shows(&self, read: &RouteRead, item: &Item, entity: &Entity, reference: &Reference) -> bool {
        let carries = |path: &AttributePath| read.carries(self.layout, Some(path.root()));
        let refers_shown = reference
            .by
            .iter()
            .all(|key| carries(&key.target) || Held::find(item, entity, self.layout.table(), &key.target).is_some());
        refers_shown && reference.copies.iter().all(|rule| carries(&rule.target))
    }

    /// Whether the item refers to the source; if so, what keeps it so.
    fn refers(&self, item: &Item, entity: &Entity, reference: &Reference) -> Option<Vec<Condition>> {
        let table = self.layout.table();
        let mut conditions = Vec::new();
        let mut named = Attributes::new();
        for key in &reference.by {
            let held = Held::find(item, entity, table, &key.target)?;
            key.source.set(&mut named, held.value.clone());
            match held.stored_in {
                StoredIn::Attribute if key.target.steps().len() == 1 && table.key.contains(key.target.root()) => {}
                StoredIn::Attribute => conditions.push(Condition::Equals(key.target.clone(), held.value)),
                // A primary key never changes, so it needs no guard.
                StoredIn::Key(name) if table.key.contains(&name) => {}
                StoredIn::Key(name) => {
                    let value = item.get(&name)?.clone();
                    conditions.push(Condition::Equals(AttributePath::top_level(name), value));
                }
            }
        }
        // Two references are the same when they make the same key: a template may lower the case of an id.
        let source = self.layout.entity(&reference.entity)?;
        (primary_key(source, table, &named).ok()? == self.request.key.0).then_some(conditions)
    }

    fn copies(&self, item: &Item, reference: &Reference) -> Vec<CopyState> {
        let in_question = reference.copies.iter().filter(|rule| self.request.concerns(&rule.source));
        in_question
            .map(|rule| {
                let (value, wanted) = (rule.target.get(&item.0), rule.source.get(&self.truth));
                CopyState {
                    reference: reference.name.clone(),
                    target: rule.target.clone(),
                    class: self.superseded.classify(&rule.source, value, wanted),
                    value: value.cloned(),
                    wanted: wanted.cloned(),
                }
            })
            .collect()
    }

    fn is_expired(&self, item: &Item) -> bool {
        let ttl = self.layout.table().ttl_attribute.as_ref().and_then(|name| item.get(name));
        matches!(ttl, Some(AttributeValue::N(at)) if self.expired.contains(at))
    }
}
