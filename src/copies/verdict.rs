//! Copy, reference or embed.

use serde::Serialize;

use super::CopiesReport;
use crate::capacity::{ReadUnits, WriteUnits};
use crate::cost::Price;
use crate::limits::MAX_ITEM_BYTES;
use crate::model::{AttributeType, Keep};

/// Of one source, so many are few.
const FEW: u64 = 20;
/// A whole that is embedded should be far from the limit: a tenth of it.
const SMALL_WHOLE: u64 = MAX_ITEM_BYTES / 10;

/// What to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// Keep the copies.
    Copy,
    /// Keep the source's key only, and read the source besides.
    Reference,
    /// Put the targets into the source.
    Embed,
    /// It depends on what the definition does not say.
    Undecided,
}

/// What to do, and the figures that say so.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Advice {
    /// What to do.
    pub verdict: Verdict,
    /// Why, in one sentence.
    pub because: String,
    /// What else speaks against it.
    pub warnings: Vec<String>,
}

/// Whether every target that was seen stands in the partition of its source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Owned {
    within: u64,
    elsewhere: u64,
}

impl Owned {
    pub(super) fn add(&mut self, is_within: bool) {
        match is_within {
            true => self.within += 1,
            false => self.elsewhere += 1,
        }
    }

    fn is_owned(self) -> bool {
        self.within > 0 && self.elsewhere == 0
    }
}

impl Verdict {
    pub(super) fn of(report: &CopiesReport<'_>, price: &Price) -> Advice {
        let (verdict, because) = decide(report, price);
        Advice { verdict, because, warnings: warnings(report) }
    }
}

fn decide(report: &CopiesReport<'_>, price: &Price) -> (Verdict, String) {
    let (most, whole) = (report.items.largest, report.largest_whole);
    if report.items.sources == 0 {
        return (Verdict::Undecided, "no item carries any of them yet".to_owned());
    }
    if report.owned.is_owned() && !report.is_needed_alone && most <= FEW && whole.bytes() <= SMALL_WHOLE {
        return (
            Verdict::Embed,
            format!(
                "each stands in its source's partition, there are at most {most} of one source, and the largest \
                     source with all of them has {whole}: as a list in the source they need no copies"
            ),
        );
    }
    if report.reference.keep != Some(Keep::Latest) {
        return (Verdict::Copy, "a snapshot is never brought up to date, so it costs nothing to keep".to_owned());
    }
    let (Some(writes), Some(saved)) = (report.monthly_writes(), report.monthly_reads_saved()) else {
        return (Verdict::Undecided, undecided(report, price));
    };
    let (cost, worth) = (price.of(writes, ReadUnits::default()), price.of(WriteUnits(0), saved));
    let figures = format!("a month of keeping them takes {writes} write units, and saves {saved} read units");
    match cost <= worth {
        true => (Verdict::Copy, format!("{figures}, which are worth more")),
        false => (Verdict::Reference, format!("{figures}, which are worth less")),
    }
}

fn undecided(report: &CopiesReport<'_>, price: &Price) -> String {
    let missing = match (report.changes, report.reads) {
        (None, None) => format!(
            "`changes` of what is copied of {} and `reads` of {} are not declared",
            report.reference.entity, report.entity.name
        ),
        (None, _) => format!("`changes` of what is copied of {} is not declared", report.reference.entity),
        _ => format!("`reads` of {} is not declared", report.entity.name),
    };
    match report.reads_to_be_worth_it(price) {
        Some(reads) => format!(
            "{missing}; a copy is worth its writes when an item is read {reads} times or more \
                                between two changes of its source"
        ),
        None => missing,
    }
}

/// What is advised against whatever the figures are.
fn warnings(report: &CopiesReport<'_>) -> Vec<String> {
    let mut warnings = Vec::new();
    if let Some(within) = &report.reference.within {
        let declared = report.entity.declared_at(&within.list);
        let is_unbounded =
            declared.is_some_and(|found| matches!(found.kind, AttributeType::List { max_items: None, .. }));
        if is_unbounded {
            warnings.push(format!(
                "the list `{}` has no `max_items`: what has no bound in the business outgrows 400 KB one day",
                within.list
            ));
        }
    }
    warnings
}
