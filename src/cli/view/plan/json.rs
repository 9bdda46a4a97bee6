//! What programs see of a plan.

use std::collections::BTreeMap;

use serde::Serialize;

use super::super::money::MoneyJson;
use crate::cli::preview::Preview;
use crate::fanout::{Counts, Estimate, Listed, Superseded};
use crate::value::{AttributeValue, PlainJson};

/// What programs see of a plan.
#[derive(Serialize)]
pub(in crate::cli) struct PlanJson<'a> {
    table: &'a str,
    source: SourceJson<'a>,
    superseded: SupersededJson,
    changes: u64,
    targets: &'a Counts,
    copies: &'a Counts,
    listed: &'a Listed,
    estimate: &'a Estimate,
    /// Left out where nobody is billed.
    #[serde(skip_serializing_if = "Option::is_none")]
    cost: Option<MoneyJson<'a>>,
    not_in_these_figures: &'a [String],
    applicable: bool,
    blocked: &'a [String],
    blocked_more: u64,
}

#[derive(Serialize)]
struct SourceJson<'a> {
    entity: &'a str,
    key: BTreeMap<&'a str, PlainJson>,
    attributes: BTreeMap<String, AttributeJson>,
}

#[derive(Serialize)]
struct AttributeJson {
    was: Option<PlainJson>,
    now: Option<PlainJson>,
}

/// `"every different"`, or the values by attribute.
#[derive(Serialize)]
#[serde(untagged)]
enum SupersededJson {
    EveryDifferent(&'static str),
    Values(BTreeMap<String, Vec<PlainJson>>),
}

impl<'a> PlanJson<'a> {
    pub(in crate::cli) fn of(plan: &'a Preview) -> Self {
        let header = &plan.header;
        let plain = |value: &Option<AttributeValue>| value.clone().map(PlainJson);
        let attribute = |one: &crate::fanout::AttributeChange| {
            // A source that is not changed itself was what `--was` says.
            let told = header.request.was.iter().find(|(path, _)| *path == one.path).map(|(_, value)| value.clone());
            let was = if header.source.change.is_some() { one.was.clone() } else { told };
            (one.path.to_string(), AttributeJson { was: was.map(PlainJson), now: plain(&one.now) })
        };
        let superseded = match &header.superseded {
            Superseded::EveryDifferent => SupersededJson::EveryDifferent("every different"),
            Superseded::Values(values) => {
                let mut by_attribute: BTreeMap<String, Vec<PlainJson>> = BTreeMap::new();
                for (path, value) in values {
                    let held = by_attribute.entry(path.to_string()).or_default();
                    if !held.iter().any(|one| one.0 == *value) {
                        held.push(PlainJson(value.clone()));
                    }
                }
                SupersededJson::Values(by_attribute)
            }
        };
        PlanJson {
            table: &header.table.name,
            source: SourceJson {
                entity: &header.request.entity,
                key: header
                    .request
                    .key
                    .0
                    .iter()
                    .map(|(name, value)| (name.as_str(), PlainJson(value.clone())))
                    .collect(),
                attributes: header.source.attributes.iter().map(attribute).collect(),
            },
            superseded,
            changes: plan.totals.changes,
            targets: &plan.totals.targets,
            copies: &plan.totals.copies,
            listed: &plan.totals.listed,
            estimate: &plan.totals.estimate,
            cost: {
                let estimate = &plan.totals.estimate;
                let mut together = estimate.source_write_units.clone();
                together += &estimate.write_units;
                MoneyJson::of(&plan.tariff, (&together, estimate.read_units.apply), &estimate.worst_case)
            },
            not_in_these_figures: &plan.left_out,
            applicable: plan.is_applicable(),
            blocked: &plan.totals.blocked,
            blocked_more: plan.totals.blocked_more,
        }
    }
}
