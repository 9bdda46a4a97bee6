//! Makes a plan: reads the source, follows the routes, and writes nothing.

use super::survey::{Belief, survey};
use super::{Event, Store, StoreError};
use crate::fanout::{Examiner, Intent, Plan, PlanError, Planner, Request, TableIdentity};
use crate::item::Item;
use crate::layout::Layout;

/// Why there is no plan.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
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
}

/// Makes a plan. `now` is in seconds since 1970: items whose time to live is before it are expired.
///
/// # Errors
/// The source is not there, the request makes no sense, or a read failed.
pub async fn plan<S: Store>(
    store: &S,
    layout: &Layout,
    request: Request,
    table: TableIdentity,
    now: u64,
    tell: impl FnMut(Event),
) -> Result<Plan, PlanningError> {
    let fetched = store.fetch(std::slice::from_ref(&request.key)).await?;
    let Some(source) = fetched.items.into_iter().next() else {
        return Err(PlanningError::NoSource { entity: request.entity, key: request.key });
    };
    let intent = Intent::new(layout, request, source)?;
    let no_entity = || PlanError::NoEntity(intent.request.entity.clone());
    let examiner =
        Examiner::new(layout, &intent.request, &intent.superseded, &intent.source, now).ok_or_else(no_entity)?;
    let mut planner = Planner::new(layout, &intent);
    let reads = examiner.reads()?;
    let consumed =
        survey(store, layout, &examiner, &reads, Belief::Index, |finding| planner.add(finding), tell).await?;
    Ok(planner.finish(table, fetched.consumed + consumed.routes + consumed.items, consumed.routes + consumed.unrelated))
}
