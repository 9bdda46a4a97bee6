//! `estimate migration`

use super::super::input;
use super::items::{Gone, Items};
use crate::capacity::ReadUnits;
use crate::cli::args::{Common, EstimateMigration, Format};
use crate::cli::failure::Failure;
use crate::cli::view::migration::{MigrationJson, Shown, text};
use crate::cli::view::migration_sample::{SampleJson, ShownSample, text as sample_text};
use crate::cli::{ExitStatus, definition_file, output};
use crate::cost::Tariff;
use crate::migration::{Migration, MigrationEstimate, SamplePlan, SampledMigration, SourceValues};

pub(in crate::cli::command) async fn run(common: &Common, args: &EstimateMigration) -> Result<ExitStatus, Failure> {
    let mut old = definition_file::layout_at(&args.old)?;
    let mut new = definition_file::layout_at(&args.new)?;
    if let Some(name) = &args.connection.table_name {
        (old, new) = (old.with_table_name(name), new.with_table_name(name));
    }
    let (items, tariff) =
        Items::open(args.items.as_deref(), &args.connection, &old, new.table(), &args.pricing).await?;
    let migration = Migration::between(&old, &new);
    if let Some(percent) = args.sample {
        return sampled(common, percent, &migration, &items, &tariff).await;
    }
    let mut sources = SourceValues::default();
    let mut read_units = ReadUnits::default();
    if SourceValues::are_needed(&migration) {
        if let (Items::File(path), true) = (&items, args.items.as_ref().is_some_and(|path| path.as_os_str() == "-")) {
            return Err(Failure::usage(format!("{} cannot be read twice, and new copies ask for it", path.display()))
                .help("write the items to a file"));
        }
        read_units += items.each(&old, |item| sources.add(&migration, &item)).await?.read_units;
    }
    let mut estimate = MigrationEstimate::with_sources(&migration, sources);
    let Gone { read_units: last, wrong_lines } = items.each(&old, |item| estimate.add(&item)).await?;
    read_units += last;
    let place = items.shown();
    let shown = Shown { migration: &migration, estimate: &estimate, place: &place, read_units, rate: args.rate };
    match common.format {
        Format::Json => output::json("estimate migration", &MigrationJson::of(&shown, &tariff))?,
        Format::Text => output::data(&text(&shown, &tariff))?,
    }
    input::not_counted(wrong_lines, &place).map_or(Ok(ExitStatus::Done), Err)
}

/// The same from a part of the items.
async fn sampled(
    common: &Common,
    percent: u64,
    migration: &Migration<'_>,
    items: &Items,
    tariff: &Tariff,
) -> Result<ExitStatus, Failure> {
    if SourceValues::are_needed(migration) {
        return Err(Failure::usage(
            "--sample cannot be used where copies are taken anew, because they need every source",
        ));
    }
    let Some(plan) = SamplePlan::percent(percent) else { return Err(Failure::usage("--sample takes 1 to 50 percent")) };
    let mut sample = SampledMigration::new(migration, plan);
    let gone = items.each_of_sample(migration.old(), plan, |cluster, item| sample.add(cluster, &item)).await?;
    let place = items.shown();
    let shown = ShownSample { migration, sample: &sample, percent, place: &place, read_units: gone.read_units };
    match common.format {
        Format::Json => output::json("estimate migration", &SampleJson::of(&shown))?,
        Format::Text => output::data(&sample_text(&shown, tariff))?,
    }
    input::not_counted(gone.wrong_lines, &place).map_or(Ok(ExitStatus::Done), Err)
}
