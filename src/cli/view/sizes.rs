//! The sizes of many items.

use std::collections::BTreeMap;

use serde::Serialize;

use super::columns::align;
use super::style::{FAINT, HEADING, paint};
use crate::capacity::WriteCapacity;
use crate::item::{ItemSize, PathBytes, SizeDistribution};
use crate::limits::MAX_ITEM_BYTES;

/// What many items weigh, and what putting them takes.
#[derive(Default)]
pub(in crate::cli) struct Sizes {
    pub(in crate::cli) by_entity: BTreeMap<String, SizeDistribution>,
    /// The largest, the largest first.
    pub(in crate::cli) largest: Vec<Heavy>,
    /// What putting all that fit takes, each as a new item.
    pub(in crate::cli) put: WriteCapacity,
    /// How many of them may take a unit more or less.
    pub(in crate::cli) inexact: u64,
}

/// A large item.
#[derive(Serialize)]
pub(in crate::cli) struct Heavy {
    pub(in crate::cli) line: u64,
    pub(in crate::cli) entity: String,
    #[serde(rename = "bytes")]
    pub(in crate::cli) size: ItemSize,
    /// What in it weighs most.
    pub(in crate::cli) heaviest: Vec<PathBytes>,
}

impl Sizes {
    /// How many items are larger than DynamoDB takes.
    pub(in crate::cli) fn over_limit(&self) -> u64 {
        self.by_entity.values().map(SizeDistribution::over_limit).sum()
    }

    fn all(&self) -> SizeDistribution {
        let mut all = SizeDistribution::default();
        self.by_entity.values().for_each(|sizes| all.add_all(sizes));
        all
    }

    /// What programs see.
    pub(in crate::cli) fn json<'a>(&'a self, file: &'a str, wrong: usize) -> SizesJson<'a> {
        let entities = self.by_entity.iter().map(|(entity, sizes)| (entity.as_str(), DistributionJson::of(sizes)));
        SizesJson {
            file,
            limit_bytes: MAX_ITEM_BYTES,
            all: DistributionJson::of(&self.all()),
            entities: entities.collect(),
            largest: &self.largest,
            wrong_lines: wrong,
            put_write_units: &self.put,
            exact: self.inexact == 0,
        }
    }
}

#[derive(Serialize)]
pub(in crate::cli) struct SizesJson<'a> {
    file: &'a str,
    limit_bytes: u64,
    all: DistributionJson,
    entities: BTreeMap<&'a str, DistributionJson>,
    largest: &'a [Heavy],
    wrong_lines: usize,
    put_write_units: &'a WriteCapacity,
    exact: bool,
}

/// Sizes in bytes; null where there are no items.
#[derive(Serialize)]
struct DistributionJson {
    items: u64,
    total_bytes: ItemSize,
    median_bytes: Option<ItemSize>,
    p99_bytes: Option<ItemSize>,
    largest_bytes: Option<ItemSize>,
    near_limit: u64,
    over_limit: u64,
}

impl DistributionJson {
    fn of(sizes: &SizeDistribution) -> Self {
        DistributionJson {
            items: sizes.items(),
            total_bytes: sizes.total(),
            median_bytes: sizes.quantile(50),
            p99_bytes: sizes.quantile(99),
            largest_bytes: sizes.quantile(100),
            near_limit: sizes.near_limit(),
            over_limit: sizes.over_limit(),
        }
    }
}

/// What people see.
pub(in crate::cli) fn text(sizes: &Sizes, file: &str) -> String {
    let all = sizes.all();
    if all.items() == 0 {
        return String::new();
    }
    let row = |name: &str, one: &SizeDistribution| {
        let bytes = |size: Option<ItemSize>| size.map_or("-".to_owned(), |size| size.bytes().to_string());
        let quantiles = [50, 99, 100].map(|percent| bytes(one.quantile(percent)));
        let counts = [name.to_owned(), one.items().to_string(), one.total().bytes().to_string()];
        counts.into_iter().chain(quantiles).chain(["bytes".to_owned()]).collect::<Vec<_>>()
    };
    let mut rows = vec![["", "items", "total", "median", "99th percentile", "largest"].map(str::to_owned).to_vec()];
    rows.extend(sizes.by_entity.iter().map(|(entity, one)| row(entity, one)));
    if sizes.by_entity.len() > 1 {
        rows.push(row("all", &all));
    }
    let mut text = align(&rows, true, "");
    text.push_str(&format!("\n{}\n", paint(HEADING, "largest")));
    for Heavy { line, entity, size, heaviest } in &sizes.largest {
        let parts: Vec<String> = heaviest.iter().map(|part| format!("{} {}", part.path, part.bytes)).collect();
        text.push_str(&format!("  {file}:{line}  {entity}  {size}: {}\n", parts.join(", ")));
    }
    let (near, over) = (all.near_limit(), all.over_limit());
    text.push_str(&format!("\n{near} within 10 % of {MAX_ITEM_BYTES} bytes, {over} over it\n"));
    let which = if over > 0 { "all that fit" } else { "them all" };
    text.push_str(&format!("putting {which} as new items takes {}\n", super::size::units(&sizes.put)));
    if sizes.inexact > 0 {
        let doubt = format!(
            "{} of them may each take a unit more or less: AWS does not document how their numbers are stored",
            sizes.inexact
        );
        text.push_str(&format!("{}\n", paint(FAINT, doubt)));
    }
    text
}
