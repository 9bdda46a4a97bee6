//! What a copied value is worth, compared with its source.

use serde::{Deserialize, Serialize};

use crate::model::{AttributePath, CopyRule};
use crate::value::{AttributeValue, Number};

/// What a copied value is worth.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Class {
    /// It holds a value that this change supersedes.
    Stale,
    /// It holds some other value, which nobody told us to replace.
    Diverged,
    /// The source has a value, and the target has none.
    Absent,
    /// It holds what the source holds.
    Current,
}

impl Class {
    /// The word for it in output and flags.
    pub fn name(self) -> &'static str {
        match self {
            Class::Stale => "stale",
            Class::Diverged => "diverged",
            Class::Absent => "absent",
            Class::Current => "current",
        }
    }
}

/// Which values of a source's attributes a change supersedes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Superseded {
    /// Every value that differs from the source's.
    EveryDifferent,
    /// These values of these attributes of the source.
    Values(Vec<(AttributePath, AttributeValue)>),
}

impl Class {
    /// What a copy is worth that has a version: `held` is the version that it is of, `now` the source's.
    pub(super) fn of_version(
        held: Option<&AttributeValue>,
        now: &Number,
        copy: Option<&AttributeValue>,
        wanted: Option<&AttributeValue>,
    ) -> Class {
        let is_older = match held {
            Some(AttributeValue::N(held)) => held < now,
            _ => true,
        };
        match (copy, is_older) {
            (None, _) if wanted.is_some() => Class::Absent,
            (None, true) => Class::Current,
            (_, true) => Class::Stale,
            (copy, false) if copy == wanted => Class::Current,
            (_, false) => Class::Diverged,
        }
    }
}

impl Superseded {
    /// Whether a copy holds what one of the superseded values would have made it hold.
    fn contains(&self, rule: &CopyRule, copy: &AttributeValue) -> bool {
        match self {
            Superseded::EveryDifferent => true,
            Superseded::Values(values) => {
                values.iter().any(|(path, value)| *path == rule.source && rule.of(Some(value)).as_ref() == Some(copy))
            }
        }
    }

    /// Compares a copied value with what it should be.
    pub fn classify(&self, rule: &CopyRule, copy: Option<&AttributeValue>, wanted: Option<&AttributeValue>) -> Class {
        match copy {
            _ if copy == wanted => Class::Current,
            None => Class::Absent,
            Some(copy) if self.contains(rule, copy) => Class::Stale,
            Some(_) => Class::Diverged,
        }
    }
}

/// How many of each there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Counts {
    /// Those that refer to the source: the four classes together.
    pub found: u64,
    /// They hold what the source holds.
    pub current: u64,
    /// They hold a superseded value.
    pub stale: u64,
    /// They hold nothing.
    pub absent: u64,
    /// They hold some other value.
    pub diverged: u64,
    /// Items of no known entity.
    pub unrecognised: u64,
    /// Items filed under a source that they do not refer to.
    pub misfiled: u64,
    /// Items whose time to live is over.
    pub expired: u64,
}

impl Counts {
    /// Counts one.
    pub fn add(&mut self, class: Class) {
        self.found += 1;
        *match class {
            Class::Current => &mut self.current,
            Class::Stale => &mut self.stale,
            Class::Absent => &mut self.absent,
            Class::Diverged => &mut self.diverged,
        } += 1;
    }
}
