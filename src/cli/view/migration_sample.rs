//! What a migration takes, told from a sample.

use std::collections::BTreeMap;

use serde::Serialize;

use super::columns::align;
use super::migration::step_text;
use super::money;
use super::style::{HEADING, paint};
use crate::capacity::{ReadUnits, WriteCapacity, WriteUnits};
use crate::cost::Tariff;
use crate::migration::{Migration, MigrationEstimate, Sampled, SampledMigration, Step};

/// What is shown.
pub(in crate::cli) struct ShownSample<'a> {
    pub(in crate::cli) migration: &'a Migration<'a>,
    pub(in crate::cli) sample: &'a SampledMigration<'a>,
    pub(in crate::cli) percent: u64,
    pub(in crate::cli) place: &'a str,
    /// What reading the items took.
    pub(in crate::cli) read_units: ReadUnits,
}

/// The figures, all told from the sample.
#[derive(Serialize)]
pub(in crate::cli) struct SampleJson<'a> {
    sampled_percent: u64,
    items_seen: u64,
    items: Sampled,
    new_table: Option<&'a str>,
    steps: Vec<StepSample<'a>>,
    write_units: Sampled,
    write_units_of: BTreeMap<String, Sampled>,
    /// In halves of a unit.
    read_unit_halves: Sampled,
    storage_bytes_before: Sampled,
    storage_bytes_after: Sampled,
    stuck: BTreeMap<&'a str, Sampled>,
    consumed_read_units: ReadUnits,
}

#[derive(Serialize)]
struct StepSample<'a> {
    step: &'a Step,
    items: Sampled,
    write_units: Sampled,
}

impl<'a> SampleJson<'a> {
    pub(in crate::cli) fn of(shown: &ShownSample<'a>) -> Self {
        let sample = shown.sample;
        let units = |step: &Step, estimate: &MigrationEstimate<'_>| {
            estimate.steps().get(step).map_or(0, |sum| sum.write_units.total().0)
        };
        let step = |step: &'a Step| StepSample {
            step,
            items: sample.figure(|estimate| estimate.steps().get(step).map_or(0, |sum| sum.items)),
            write_units: sample.figure(|estimate| units(step, estimate)),
        };
        let on_index = |name: String| {
            let units = sample.figure(|estimate| estimate.write_units().indexes.get(&name).map_or(0, |units| units.0));
            (name, units)
        };
        let table = ("table".to_owned(), sample.figure(|estimate| estimate.write_units().table.0));
        SampleJson {
            sampled_percent: shown.percent,
            items_seen: sample.seen(),
            items: sample.figure(MigrationEstimate::items),
            new_table: shown.migration.anew(),
            steps: sample.steps().into_iter().map(step).collect(),
            write_units: sample.figure(|estimate| estimate.write_units().total().0),
            write_units_of: std::iter::once(table).chain(sample.indexes().into_iter().map(on_index)).collect(),
            read_unit_halves: sample.figure(|estimate| estimate.read_units().halves()),
            storage_bytes_before: sample.figure(|estimate| estimate.storage_bytes().0),
            storage_bytes_after: sample.figure(|estimate| estimate.storage_bytes().1),
            stuck: sample.stuck().into_iter().collect(),
            consumed_read_units: shown.read_units,
        }
    }
}

/// What people see.
pub(in crate::cli) fn text(shown: &ShownSample<'_>, tariff: &Tariff) -> String {
    let figures = SampleJson::of(shown);
    let mut text = format!(
        "{} about {} in {}, of which {} were gone through: {} % of the partition keys, in 20 parts\n",
        paint(HEADING, "items"),
        figure(figures.items),
        shown.place,
        figures.items_seen,
        figures.sampled_percent
    );
    if let Some(why) = figures.new_table {
        text.push_str(&format!("another table has to be made and filled: {why}\n"));
    }
    text.push('\n');
    let mut rows = vec![["step", "items", "write units"].map(str::to_owned).to_vec()];
    rows.extend(figures.steps.iter().map(|one| vec![step_text(one.step), figure(one.items), figure(one.write_units)]));
    text.push_str(&align(&rows, true, ""));
    text.push('\n');
    let mut rows = vec![["write units", "about"].map(str::to_owned).to_vec()];
    rows.extend(figures.write_units_of.iter().map(|(name, units)| vec![name.clone(), figure(*units)]));
    rows.push(vec!["total".to_owned(), figure(figures.write_units)]);
    text.push_str(&align(&rows, true, ""));
    for (reason, count) in &figures.stuck {
        text.push_str(&format!("{} cannot follow, and stay as they are: {reason}\n", figure(*count)));
    }
    let reads = ReadUnits::from_halves(figures.read_unit_halves.about);
    text.push_str(&format!(
        "read units: about {reads} to find the items, by one eventually consistent scan; this estimate took {}\n",
        shown.read_units
    ));
    text.push_str(&format!(
        "storage: about {} bytes before, {} after, with 100 for each item and index entry\n",
        figure(figures.storage_bytes_before),
        figure(figures.storage_bytes_after)
    ));
    text.push_str(
        "each figure is within its ± with 95 % confidence; which partition is the hottest, a sample cannot tell\n",
    );
    let units = |units: u64| WriteCapacity { table: WriteUnits(units), indexes: BTreeMap::new() };
    let Sampled { about, within } = figures.write_units;
    text.push_str(&money::line(tariff, (&units(about), reads), &units(about + within)));
    text
}

fn figure(Sampled { about, within }: Sampled) -> String {
    match within {
        0 => about.to_string(),
        within => format!("{about} ± {within}"),
    }
}
