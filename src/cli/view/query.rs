//! What a query takes.

use serde::Serialize;

use super::columns::align;
use super::item;
use super::money::{self, MoneyJson};
use super::style::{HEADING, paint};
use crate::capacity::{Consistency, Pages, ReadUnits, WriteCapacity};
use crate::cost::Tariff;
use crate::layout::{KeyCondition, SortCondition};
use crate::model::{IndexScope, SecondaryIndex};

/// What is shown.
pub(in crate::cli) struct Shown<'a> {
    /// One, or one for each shard.
    pub(in crate::cli) conditions: &'a [KeyCondition],
    /// What each of them goes through.
    pub(in crate::cli) pages: &'a [Pages],
    pub(in crate::cli) index: Option<&'a SecondaryIndex>,
    /// What finding that out took.
    pub(in crate::cli) read_units: ReadUnits,
}

impl Shown<'_> {
    /// A global index gives no consistent reads.
    fn consistencies(&self) -> Vec<(&'static str, Consistency)> {
        let is_global = self.index.is_some_and(|index| index.scope == IndexScope::Global);
        let both = [("eventually consistent", Consistency::Eventual), ("consistent", Consistency::Strong)];
        both.into_iter().take(if is_global { 1 } else { 2 }).collect()
    }

    fn total(&self, consistency: Consistency) -> ReadUnits {
        let index = self.index.map(|index| index.name.as_str());
        self.pages.iter().map(|pages| pages.read(index, consistency).total()).sum()
    }

    fn largest_page(&self, consistency: Consistency) -> ReadUnits {
        self.pages.iter().map(|pages| pages.largest_page(consistency)).max().unwrap_or_default()
    }

    fn count(&self, of: impl Fn(&Pages) -> u64) -> u64 {
        self.pages.iter().map(of).sum()
    }
}

/// What people see.
pub(in crate::cli) fn text(shown: &Shown<'_>, tariff: &Tariff) -> String {
    let place = shown.index.map_or("the table", |index| index.name.as_str());
    let mut text = String::new();
    if let Some(first) = shown.conditions.first() {
        text.push_str(&format!("{} {place}, {}\n", paint(HEADING, "query"), condition(first)));
    }
    if shown.conditions.len() > 1 {
        text.push_str(&format!("and so for each of {} partitions, the shards of the key\n", shown.conditions.len()));
    }
    let what = match (shown.index.is_some(), shown.count(Pages::items)) {
        (true, 1) => "entry",
        (true, _) => "entries",
        (false, 1) => "item",
        (false, _) => "items",
    };
    let bytes = shown.count(|pages| pages.total().bytes());
    text.push_str(&format!("{} {what}, {bytes} bytes\n\n", shown.count(Pages::items)));
    let mut rows = vec![["read units", "pages", "a page at most", "total"].map(str::to_owned).to_vec()];
    for (name, consistency) in shown.consistencies() {
        rows.push(vec![
            name.to_owned(),
            shown.count(|pages| pages.sizes().count() as u64).to_string(),
            shown.largest_page(consistency).to_string(),
            shown.total(consistency).to_string(),
        ]);
    }
    text.push_str(&align(&rows, true, ""));
    if shown.count(|pages| pages.sizes().count() as u64) > shown.conditions.len() as u64 {
        text.push_str("where exactly a page ends near 1 MB is not documented: half a unit more or less for each\n");
    }
    if shown.read_units > ReadUnits::default() {
        text.push_str(&format!("this estimate took {} read units\n", shown.read_units));
    }
    let none = WriteCapacity::default();
    text.push_str(&money::line(tariff, (&none, shown.total(Consistency::Eventual)), &none));
    text
}

fn condition(condition: &KeyCondition) -> String {
    let partition = condition
        .partition
        .0
        .iter()
        .map(|(name, value)| format!("{name} = {}", item::value(value)))
        .collect::<Vec<_>>();
    let sort = condition.sort.iter().map(|one| match one {
        SortCondition::Equals(name, value) => format!("{name} = {}", item::value(value)),
        SortCondition::BeginsWith(name, prefix) => format!("{name} begins with {prefix:?}"),
    });
    partition.into_iter().chain(sort).collect::<Vec<_>>().join(" and ")
}

/// What programs see.
#[derive(Serialize)]
pub(in crate::cli) struct QueryJson<'a> {
    index: Option<&'a str>,
    partitions: usize,
    items: u64,
    bytes: u64,
    pages: u64,
    eventually_consistent: UnitsJson,
    /// Null for a global index.
    consistent: Option<UnitsJson>,
    /// Of the eventually consistent read.
    #[serde(skip_serializing_if = "Option::is_none")]
    cost: Option<MoneyJson<'a>>,
    consumed_read_units: ReadUnits,
}

#[derive(Serialize)]
struct UnitsJson {
    largest_page: ReadUnits,
    total: ReadUnits,
}

impl<'a> QueryJson<'a> {
    pub(in crate::cli) fn of(shown: &Shown<'a>, tariff: &'a Tariff) -> Self {
        let units =
            |consistency| UnitsJson { largest_page: shown.largest_page(consistency), total: shown.total(consistency) };
        let none = WriteCapacity::default();
        QueryJson {
            index: shown.index.map(|index| index.name.as_str()),
            partitions: shown.conditions.len(),
            items: shown.count(Pages::items),
            bytes: shown.count(|pages| pages.total().bytes()),
            pages: shown.count(|pages| pages.sizes().count() as u64),
            eventually_consistent: units(Consistency::Eventual),
            consistent: (shown.consistencies().len() > 1).then(|| units(Consistency::Strong)),
            cost: MoneyJson::of(tariff, (&none, shown.total(Consistency::Eventual)), &none),
            consumed_read_units: shown.read_units,
        }
    }
}
