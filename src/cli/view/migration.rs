//! What a migration takes.

use std::collections::BTreeMap;
use std::num::NonZeroU64;

use serde::Serialize;

use super::columns::align;
use super::money::{self, MoneyJson};
use super::plan::{bars, units_table};
use super::style::{HEADING, OLD, paint};
use crate::capacity::{ReadUnits, WriteCapacity};
use crate::cost::Tariff;
use crate::limits::MAX_PARTITION_WRITE_UNITS;
use crate::migration::{HotKey, Migration, MigrationEstimate, Step, StepSum};

/// What is shown.
pub(in crate::cli) struct Shown<'a> {
    pub(in crate::cli) migration: &'a Migration<'a>,
    pub(in crate::cli) estimate: &'a MigrationEstimate<'a>,
    /// Where the items are.
    pub(in crate::cli) place: &'a str,
    /// What reading them took.
    pub(in crate::cli) read_units: ReadUnits,
    pub(in crate::cli) rate: Option<NonZeroU64>,
}

impl Shown<'_> {
    /// How long it takes at least, in seconds, and what makes it so.
    fn seconds(&self) -> (u64, String) {
        // An index is filled by DynamoDB itself, at a rate of its own.
        let own = self.estimate.steps().iter().filter(|(step, _)| !matches!(step, Step::CreateIndex(_)));
        let total: u64 = own.map(|(_, sum)| sum.write_units.total().0).sum();
        let at_rate = self.rate.filter(|_| total > 0);
        let at_rate = at_rate.map(|rate| {
            (total.div_ceil(rate.get()), format!("{rate} write units a second, for all but filling indexes"))
        });
        // What a partition takes in a second tells nothing.
        let hottest = self.estimate.hottest().filter(|key| key.write_units.0 > MAX_PARTITION_WRITE_UNITS);
        let hottest = hottest.map(|key| {
            let place = key.index.as_deref().unwrap_or("the table");
            let why = format!(
                "{} in {place}, which takes {} of them: a partition takes 1000 a second",
                key.key, key.write_units
            );
            (key.seconds(), why)
        });
        let longest = at_rate.into_iter().chain(hottest).max_by_key(|(seconds, _)| *seconds);
        longest.unwrap_or((0, String::new()))
    }
}

/// What people see.
pub(in crate::cli) fn text(shown: &Shown<'_>, tariff: &Tariff) -> String {
    let estimate = shown.estimate;
    let write = estimate.write_units();
    let mut text = format!("{} {} from {}\n", paint(HEADING, "items"), estimate.items(), shown.place);
    if let Some(why) = shown.migration.anew() {
        text.push_str(&format!("another table has to be made and filled: {why}\n"));
    }
    if let [first, rest @ ..] = shown.migration.settings().as_slice() {
        let rest: String = rest.iter().map(|one| format!(", {one}")).collect();
        text.push_str(&format!("of the table, these change, which takes no units: {first}{rest}\n"));
    }
    text.push('\n');
    if estimate.steps().is_empty() {
        let done = estimate.unknown().is_empty() && estimate.stuck().is_empty() && estimate.refused().is_empty();
        text.push_str(if done { "no item has to be written\n" } else { "no write can be told\n" });
    } else {
        let mut rows = vec![["step", "items", "write units"].map(str::to_owned).to_vec()];
        rows.extend(
            estimate
                .steps()
                .iter()
                .map(|(one, sum)| vec![step_text(one), sum.items.to_string(), sum.write_units.total().to_string()]),
        );
        text.push_str(&align(&rows, true, ""));
        text.push('\n');
        text.push_str(&units_table("write units", &[("all steps", &write)]));
        text.push_str(&bars(&write));
    }
    for (reason, count) in estimate.stuck() {
        text.push_str(&format!("{count} cannot follow, and stay as they are: {reason}\n"));
    }
    if estimate.left() > 0 {
        let what = match shown.migration.anew() {
            Some(_) => "and are not put into the other table",
            None => "and stay as they are",
        };
        text.push_str(&format!("{} are of no entity of the new definition, {what}\n", estimate.left()));
    }
    if estimate.collisions() > 0 {
        text.push_str(&format!(
            "{} {} would get the primary key of another item, and overwrite it\n",
            paint(OLD, "data would be lost:"),
            estimate.collisions()
        ));
    }
    for ((entity, what), count) in estimate.refused() {
        text.push_str(&format!("{count} of {entity} hold what the new definition refuses: {what}\n"));
    }
    for ((entity, name), count) in estimate.unknown() {
        text.push_str(&format!(
            "{count} of {entity} will lack `{name}`, which is required: what it will hold is not in these figures\n"
        ));
    }
    text.push_str(&format!(
        "read units: {} to find the items, by one eventually consistent scan; this estimate took {}\n",
        estimate.read_units(),
        shown.read_units
    ));
    let (before, after) = estimate.storage_bytes();
    text.push_str(&format!("storage: {before} bytes before, {after} after, with 100 for each item and index entry\n"));
    let (seconds, why) = shown.seconds();
    if !why.is_empty() {
        text.push_str(&format!("time: at least {seconds} s, because of {why}\n"));
    }
    text.push_str(&money::line(tariff, (&write, estimate.read_units()), &write));
    text
}

pub(super) fn step_text(step: &Step) -> String {
    match step {
        Step::DropIndex(name) => format!("drop the index {name}"),
        Step::Copy(entity) => format!("put {entity} into the other table"),
        Step::Move(entity) => format!("move {entity} to another primary key"),
        Step::Update { entity, attributes } => format!("update {entity}: {}", attributes.join(", ")),
        Step::CreateIndex(name) => format!("make and fill the index {name}"),
    }
}

/// What programs see.
#[derive(Serialize)]
pub(in crate::cli) struct MigrationJson<'a> {
    items: u64,
    new_table: Option<&'a str>,
    settings: Vec<&'static str>,
    steps: Vec<StepJson<'a>>,
    write_units: WriteCapacity,
    read_units: ReadUnits,
    storage_bytes_before: u64,
    storage_bytes_after: u64,
    hottest: Option<&'a HotKey>,
    at_least_seconds: u64,
    stuck: &'a BTreeMap<String, u64>,
    left: u64,
    collisions: u64,
    unknown: Vec<UnknownJson<'a>>,
    refused: Vec<RefusedJson<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cost: Option<MoneyJson<'a>>,
    consumed_read_units: ReadUnits,
}

#[derive(Serialize)]
struct StepJson<'a> {
    step: &'a Step,
    #[serde(flatten)]
    sum: &'a StepSum,
}

#[derive(Serialize)]
struct UnknownJson<'a> {
    entity: &'a str,
    attribute: &'a str,
    items: u64,
}

#[derive(Serialize)]
struct RefusedJson<'a> {
    entity: &'a str,
    what: &'a str,
    items: u64,
}

impl<'a> MigrationJson<'a> {
    pub(in crate::cli) fn of(shown: &'a Shown<'a>, tariff: &'a Tariff) -> Self {
        let estimate = shown.estimate;
        let write_units = estimate.write_units();
        let read_units = estimate.read_units();
        let (storage_bytes_before, storage_bytes_after) = estimate.storage_bytes();
        let unknown = |((entity, attribute), items): (&'a (String, String), &u64)| UnknownJson {
            entity,
            attribute,
            items: *items,
        };
        let refused =
            |((entity, what), items): (&'a (String, String), &u64)| RefusedJson { entity, what, items: *items };
        MigrationJson {
            items: estimate.items(),
            new_table: shown.migration.anew(),
            settings: shown.migration.settings(),
            steps: estimate.steps().iter().map(|(step, sum)| StepJson { step, sum }).collect(),
            cost: MoneyJson::of(tariff, (&write_units, read_units), &write_units),
            write_units,
            read_units,
            storage_bytes_before,
            storage_bytes_after,
            hottest: estimate.hottest(),
            at_least_seconds: shown.seconds().0,
            stuck: estimate.stuck(),
            left: estimate.left(),
            collisions: estimate.collisions(),
            refused: estimate.refused().iter().map(refused).collect(),
            unknown: estimate.unknown().iter().map(unknown).collect(),
            consumed_read_units: shown.read_units,
        }
    }
}
