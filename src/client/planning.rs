//! Makes a plan: reads the source, follows the routes, and writes nothing.

use super::survey::{Belief, Survey};
use super::{CONCURRENCY, Event, Store, StoreError};
use crate::acceptance::UpdateRule;
use crate::fanout::{Examiner, Intent, PlanError, PlanFileError, PlanSink, Planner, Request, TableIdentity};
use crate::item::Item;
use crate::layout::Layout;

/// Why there is no plan.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PlanningError {
    /// The source is not there.
    #[error("there is no {entity} with the key {}", serde_json::to_string(key).unwrap_or_default())]
    NoSource {
        /// The source's entity.
        entity: String,
        /// Its primary key.
        key: Item,
    },
    /// The request makes no sense.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// A read failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The plan cannot be kept.
    #[error("the plan cannot be kept: {0}")]
    Kept(#[from] PlanFileError),
}

/// How a plan is made.
#[derive(Debug, Clone)]
pub struct PlanOptions {
    /// How many requests are under way at once.
    pub concurrency: usize,
    /// Seconds since 1970: items whose time to live is before it are expired.
    pub now: u64,
    /// What the table's region counts towards the size of an update.
    pub update_rule: UpdateRule,
}

impl Default for PlanOptions {
    fn default() -> Self {
        PlanOptions { concurrency: CONCURRENCY, now: 0, update_rule: UpdateRule::FinishedItem }
    }
}

/// Makes a plan, and hands its changes to a sink as they are found: a [file](super::PlanFile::create), or
/// [memory](crate::fanout::PlanInMemory::sink) for a small one.
///
/// # Errors
/// The source is not there, the request makes no sense, a read failed, or the sink did.
pub async fn plan<S: Store, K: PlanSink>(
    store: &S,
    layout: &Layout,
    request: Request,
    table: TableIdentity,
    options: &PlanOptions,
    mut sink: K,
    tell: impl FnMut(Event),
) -> Result<K::Made, PlanningError> {
    let fetched = store.fetch(std::slice::from_ref(&request.key)).await?;
    let Some(source) = fetched.items.into_iter().next() else {
        return Err(PlanningError::NoSource { entity: request.entity, key: request.key });
    };
    let intent = Intent::new(layout, request, source)?;
    let no_entity = || PlanError::NoEntity(intent.request.entity.clone());
    let examiner = Examiner::new(layout, &intent.request, &intent.superseded, &intent.source, options.now)
        .ok_or_else(no_entity)?;
    let mut planner = Planner::new(layout, &intent, options.update_rule);
    let reads = examiner.reads()?;
    sink.begin(intent.header(layout, table))?;
    let keep = |finding| match planner.add(finding) {
        Some(change) => sink.add(change).map_err(PlanningError::from),
        None => Ok(()),
    };
    let concurrency = options.concurrency;
    let survey = Survey { layout, examiner: &examiner, reads: &reads, belief: Belief::Index, concurrency };
    let consumed = survey.run(store, keep, tell).await?;
    let planning = fetched.consumed + consumed.routes + consumed.items;
    Ok(sink.finish(planner.finish(planning, consumed.routes + consumed.unrelated))?)
}
