//! What copies cost and save.

use serde::Serialize;

use super::columns::align;
use super::money::{self, MoneyJson};
use super::style::{HEADING, paint};
use crate::capacity::{ReadUnits, WriteCapacity, WriteUnits};
use crate::copies::{Advice, CopiesReport, PerSource, Verdict};
use crate::cost::{Price, PriceTable, Tariff};
use crate::model::{Keep, TableClass};

/// How many characters the longest bar has.
const BAR: u64 = 40;

/// What is shown.
pub(in crate::cli) struct Shown<'a> {
    pub(in crate::cli) reports: Vec<CopiesReport<'a>>,
    pub(in crate::cli) place: &'a str,
    /// What reading the items took.
    pub(in crate::cli) read_units: ReadUnits,
    pub(in crate::cli) tariff: &'a Tariff,
}

impl Shown<'_> {
    /// By which writes are weighed against reads: where nobody is billed, a write unit is worth five read units, as in
    /// us-east-1 and nearly so everywhere else.
    fn price(&self) -> Option<Price> {
        match self.tariff {
            Tariff::OnDemand { price, .. } => Some(price.clone()),
            _ => PriceTable::shipped().find("us-east-1", TableClass::Standard).cloned(),
        }
    }
}

/// What people see.
pub(in crate::cli) fn text(shown: &Shown<'_>) -> String {
    let mut text = String::new();
    if shown.reports.is_empty() {
        text.push_str("the definition has no copies\n");
    }
    for report in &shown.reports {
        text.push_str(&report_text(report, shown));
        text.push('\n');
    }
    text.push_str(&format!("from the items in {}", shown.place));
    if shown.read_units > ReadUnits::default() {
        text.push_str(&format!("; reading them took {} read units", shown.read_units));
    }
    text.push_str(
        "\nthe write units are exact for these items; finding the copies, and changing the source, come on top\n",
    );
    if !matches!(shown.tariff, Tariff::OnDemand { .. }) {
        text.push_str("a write unit is taken to be worth 5 read units, as in us-east-1 on demand\n");
    }
    text
}

fn report_text(report: &CopiesReport<'_>, shown: &Shown<'_>) -> String {
    let (entity, reference) = (&report.entity.name, report.reference);
    let kept = match reference.keep {
        Some(Keep::Latest) => "kept latest",
        _ => "snapshots",
    };
    let mut text =
        format!("{} of {}, {kept}\n", paint(HEADING, format!("{entity}.{}", reference.name)), reference.entity);
    for rule in &reference.copies {
        text.push_str(&format!(
            "  {} <- {}.{}\n",
            reference.shown(&rule.target),
            reference.entity,
            rule.shown_source()
        ));
    }
    let row = |name: &str, of: &PerSource| {
        let figures = [of.median, of.p99, of.largest, of.total].map(|figure| figure.to_string());
        std::iter::once(name.to_owned()).chain(figures).collect::<Vec<_>>()
    };
    let heading = ["of one source", "median", "99th percentile", "largest", "of all"].map(str::to_owned).to_vec();
    let rows = [heading, row("items with copies", &report.items), row("write units of a change", &report.one_change)];
    text.push_str(&align(&rows, true, "  "));
    text.push_str(&histogram(report));
    let worth = |units: &WriteCapacity| money::line(shown.tariff, (units, ReadUnits::default()), units);
    if report.reference.keep == Some(Keep::Latest) {
        let cost = worth(&report.every_change);
        if !cost.is_empty() {
            text.push_str(&format!("  every source changed once, {cost}"));
        }
    }
    for (what, rate) in [("a source changes", report.changes), ("the items are read", report.reads)] {
        if let Some(rate) = rate {
            text.push_str(&format!("  {what} {rate}\n"));
        }
    }
    if let Some(price) = shown.price() {
        let Advice { verdict, because, warnings } = report.advice(&price);
        text.push_str(&format!("  {} {because}\n", paint(HEADING, verdict_text(verdict))));
        for warning in warnings {
            text.push_str(&format!("  but {warning}\n"));
        }
    }
    text
}

fn verdict_text(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Copy => "copy:",
        Verdict::Reference => "reference:",
        Verdict::Embed => "embed:",
        Verdict::Undecided => "undecided:",
    }
}

/// How many sources have so many copies.
fn histogram(report: &CopiesReport<'_>) -> String {
    let most = report.histogram.iter().copied().max().unwrap_or_default().max(1);
    let row = |(bucket, count): (usize, &u64)| {
        let (from, to) = (1u64 << bucket, (2u64 << bucket) - 1);
        let range = if from == to { "1 item".to_owned() } else { format!("{from} to {to} items") };
        let sources = if *count == 1 { "source" } else { "sources" };
        let bar = "\u{2588}".repeat((count * BAR).div_ceil(most) as usize);
        vec![range, bar, format!("{count} {sources}")]
    };
    align(&report.histogram.iter().enumerate().map(row).collect::<Vec<_>>(), false, "  ")
}

/// What programs see.
#[derive(Serialize)]
pub(in crate::cli) struct CopiesJson<'a> {
    references: Vec<ReferenceJson<'a>>,
    consumed_read_units: ReadUnits,
}

#[derive(Serialize)]
struct ReferenceJson<'a> {
    entity: &'a str,
    reference: &'a str,
    source: &'a str,
    keep: Option<Keep>,
    items: PerSource,
    change_write_units: PerSource,
    every_change: &'a WriteCapacity,
    /// How many sources have 1 item, 2 to 3, 4 to 7, and so on.
    histogram: &'a [u64],
    changes: Option<String>,
    reads: Option<String>,
    monthly_write_units: Option<WriteUnits>,
    monthly_read_units_saved: Option<ReadUnits>,
    reads_between_changes_to_be_worth_it: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cost_of_every_change: Option<MoneyJson<'a>>,
    #[serde(flatten)]
    advice: Option<Advice>,
}

impl<'a> CopiesJson<'a> {
    pub(in crate::cli) fn of(shown: &'a Shown<'a>) -> Self {
        let price = shown.price();
        let of = |report: &'a CopiesReport<'a>| ReferenceJson {
            entity: &report.entity.name,
            reference: &report.reference.name,
            source: &report.reference.entity,
            keep: report.reference.keep,
            items: report.items,
            change_write_units: report.one_change,
            every_change: &report.every_change,
            histogram: &report.histogram,
            changes: report.changes.map(|rate| rate.to_string()),
            reads: report.reads.map(|rate| rate.to_string()),
            monthly_write_units: report.monthly_writes(),
            monthly_read_units_saved: report.monthly_reads_saved(),
            reads_between_changes_to_be_worth_it: price.as_ref().and_then(|price| report.reads_to_be_worth_it(price)),
            cost_of_every_change: MoneyJson::of(
                shown.tariff,
                (&report.every_change, ReadUnits::default()),
                &report.every_change,
            ),
            advice: price.as_ref().map(|price| report.advice(price)),
        };
        CopiesJson { references: shown.reports.iter().map(of).collect(), consumed_read_units: shown.read_units }
    }
}
