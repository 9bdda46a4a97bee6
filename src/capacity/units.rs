//! Capacity units, and how bytes are rounded to them.

use std::fmt;
use std::iter::Sum;
use std::ops::{Add, AddAssign};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::item::ItemSize;

/// Write capacity units, which are also write request units.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct WriteUnits(pub u64);

/// Read capacity units, counted in halves: an eventually consistent read of 4 KB takes half a unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct ReadUnits {
    halves: u64,
}

/// How up to date a read is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Consistency {
    /// It may miss the latest writes; what global indexes can give.
    Eventual,
    /// It sees every write that succeeded before.
    Strong,
    /// It is part of a transaction.
    Transactional,
}

impl WriteUnits {
    /// What writing so many bytes takes: one unit for each started KB, and one at least.
    pub const fn for_size(size: ItemSize) -> Self {
        WriteUnits(if size.bytes() == 0 { 1 } else { size.bytes().div_ceil(1024) })
    }
}

impl ReadUnits {
    /// So many halves of a unit.
    pub const fn from_halves(halves: u64) -> Self {
        ReadUnits { halves }
    }

    /// In halves of a unit.
    pub const fn halves(self) -> u64 {
        self.halves
    }

    /// What reading so many bytes takes: for each started 4 KB, and once at least, half a unit, one, or two.
    pub const fn for_size(size: ItemSize, consistency: Consistency) -> Self {
        let halves = match consistency {
            Consistency::Eventual => 1,
            Consistency::Strong => 2,
            Consistency::Transactional => 4,
        };
        ReadUnits { halves: halves * if size.bytes() == 0 { 1 } else { size.bytes().div_ceil(4096) } }
    }
}

impl fmt::Display for WriteUnits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Display for ReadUnits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = format!("{}{}", self.halves / 2, if self.halves % 2 == 1 { ".5" } else { "" });
        f.pad_integral(true, "", &text)
    }
}

impl Serialize for ReadUnits {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.halves % 2 {
            0 => serializer.serialize_u64(self.halves / 2),
            _ => serde_json::value::RawValue::from_string(self.to_string())
                .map_err(serde::ser::Error::custom)?
                .serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for ReadUnits {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = Box::<serde_json::value::RawValue>::deserialize(deserializer)?;
        let (whole, half) = match text.get().split_once('.') {
            None => (text.get(), 0),
            Some((whole, "0")) => (whole, 0),
            Some((whole, "5")) => (whole, 1),
            Some(_) => return Err(serde::de::Error::custom("read units count in halves")),
        };
        let whole: u64 = whole.parse().map_err(serde::de::Error::custom)?;
        Ok(ReadUnits { halves: whole.saturating_mul(2).saturating_add(half) })
    }
}

impl Add for WriteUnits {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        WriteUnits(self.0 + other.0)
    }
}

impl AddAssign for WriteUnits {
    fn add_assign(&mut self, other: Self) {
        self.0 += other.0;
    }
}

impl Sum for WriteUnits {
    fn sum<I: Iterator<Item = Self>>(units: I) -> Self {
        units.fold(WriteUnits(0), Add::add)
    }
}

impl Add for ReadUnits {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        ReadUnits { halves: self.halves + other.halves }
    }
}

impl AddAssign for ReadUnits {
    fn add_assign(&mut self, other: Self) {
        self.halves += other.halves;
    }
}

impl Sum for ReadUnits {
    fn sum<I: Iterator<Item = Self>>(units: I) -> Self {
        units.fold(ReadUnits::default(), Add::add)
    }
}
