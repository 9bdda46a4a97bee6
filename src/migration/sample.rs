//! A migration told from a part of the items: every figure with the interval that it is in.
//!
//! The items are split by their partition keys into many clusters, of which some are gone through whole: segments of a
//! scan are such clusters. What one cluster has is multiplied by how many there are, and how much the clusters differ
//! among each other tells how far off that may be (Cochran, *Sampling Techniques*, cluster sampling with equal
//! probabilities).

use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash, Hasher};

use serde::Serialize;

use super::{Migration, MigrationEstimate, Step};
use crate::item::Item;
use crate::model::KeySchema;
use crate::value::to_plain_json;

/// How many clusters are gone through.
const TAKEN: u64 = 20;
/// Student's t for 95 % and 19 degrees of freedom, in hundredths.
const T_95: u128 = 209;

/// Which part of the items is gone through.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SamplePlan {
    clusters: u64,
}

impl SamplePlan {
    /// So many percent of them, from 1 to 50.
    pub fn percent(percent: u64) -> Option<Self> {
        (1..=50).contains(&percent).then(|| SamplePlan { clusters: TAKEN * 100 / percent })
    }

    /// How many clusters there are.
    pub fn clusters(self) -> u64 {
        self.clusters
    }

    /// Those that are gone through, spread evenly over all.
    pub fn taken(self) -> impl Iterator<Item = u64> {
        (0..TAKEN).map(move |at| at * self.clusters / TAKEN)
    }

    /// Which of the clusters that are gone through an item is in, going by its partition key; `None` where in none.
    pub fn cluster_of(self, item: &Item, key: &KeySchema) -> Option<usize> {
        let mut hasher = DefaultHasher::new();
        for part in &key.partition {
            item.get(&part.name).map(to_plain_json).hash(&mut hasher);
        }
        let cluster = hasher.finish() % self.clusters;
        self.taken().position(|taken| taken == cluster)
    }
}

/// A figure of all items, told from a part of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Sampled {
    /// What it most likely is.
    pub about: u64,
    /// With 95 % confidence it is no further off than this.
    pub within: u64,
}

/// What a migration takes, from a sample of the items.
#[derive(Debug)]
pub struct SampledMigration<'a> {
    plan: SamplePlan,
    clusters: Vec<MigrationEstimate<'a>>,
}

impl<'a> SampledMigration<'a> {
    /// Of no items yet.
    pub fn new(migration: &'a Migration<'a>, plan: SamplePlan) -> Self {
        SampledMigration { plan, clusters: plan.taken().map(|_| MigrationEstimate::new(migration)).collect() }
    }

    /// Adds an item of one of the clusters that are gone through, by its position among them.
    pub fn add(&mut self, cluster: usize, item: &Item) {
        if let Some(estimate) = self.clusters.get_mut(cluster) {
            estimate.add(item);
        }
    }

    /// How many items were gone through.
    pub fn seen(&self) -> u64 {
        self.clusters.iter().map(MigrationEstimate::items).sum()
    }

    /// Any figure that adds up over the items.
    pub fn figure(&self, of: impl Fn(&MigrationEstimate<'a>) -> u64) -> Sampled {
        sampled(&self.clusters.iter().map(of).collect::<Vec<_>>(), self.plan.clusters)
    }

    /// Every step that a cluster has.
    pub fn steps(&self) -> BTreeSet<&Step> {
        self.clusters.iter().flat_map(|estimate| estimate.steps().keys()).collect()
    }

    /// The names of the indexes that are written to.
    pub fn indexes(&self) -> BTreeSet<String> {
        self.clusters.iter().flat_map(|estimate| estimate.write_units().indexes.into_keys()).collect()
    }

    /// Why items cannot follow, and how many.
    pub fn stuck(&self) -> Vec<(&str, Sampled)> {
        let reasons: BTreeSet<&str> =
            self.clusters.iter().flat_map(|estimate| estimate.stuck().keys().map(String::as_str)).collect();
        let count = |reason: &str| self.figure(|estimate| estimate.stuck().get(reason).copied().unwrap_or_default());
        reasons.into_iter().map(|reason| (reason, count(reason))).collect()
    }
}

/// The total over all clusters, from some.
fn sampled(taken: &[u64], clusters: u64) -> Sampled {
    let (count, all) = (taken.len() as u128, u128::from(clusters));
    if count < 2 {
        return Sampled::default();
    }
    let sum: u128 = taken.iter().map(|one| u128::from(*one)).sum();
    let squares: u128 = taken.iter().map(|one| u128::from(*one).saturating_mul(u128::from(*one))).sum();
    // The variance between clusters, times count * (count - 1).
    let spread = count.saturating_mul(squares).saturating_sub(sum.saturating_mul(sum));
    let variance = all.saturating_mul(all - count).saturating_mul(spread) / (count * count * (count - 1));
    let within = variance.saturating_mul(T_95 * T_95).isqrt().div_ceil(100);
    let narrow = |figure: u128| u64::try_from(figure).unwrap_or(u64::MAX);
    Sampled { about: narrow((sum * all + count / 2) / count), within: narrow(within) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clusters_that_are_alike_leave_no_doubt_and_others_do() {
        assert_eq!(sampled(&[5; 20], 200), Sampled { about: 1000, within: 0 });
        let Sampled { about, within } = sampled(&[0, 10].repeat(10), 200);
        // Half of the clusters have 10: s = 5.13, and 2.09 * 200 * 5.13 / sqrt(20) * sqrt(0.9) = 455.
        assert_eq!((about, within), (1000, 455));
        assert_eq!(sampled(&[0, 10].repeat(10), 20).within, 0, "all of them leave no doubt");
    }

    #[test]
    fn a_percentage_takes_so_many_clusters_of_all() {
        let plan = SamplePlan::percent(10).unwrap();
        assert_eq!((plan.clusters(), plan.taken().count()), (200, 20));
        assert_eq!(plan.taken().nth(1), Some(10));
        assert!(SamplePlan::percent(0).is_none() && SamplePlan::percent(51).is_none());
    }
}
