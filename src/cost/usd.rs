//! Money, exact to the last digit.

use std::fmt;
use std::iter::Sum;
use std::ops::{Add, AddAssign};

use serde::{Serialize, Serializer};
use serde_json::value::RawValue;

/// How many places behind the point are kept.
const PLACES: usize = 18;
const ONE: u128 = 10u128.pow(PLACES as u32);

/// US dollars, in steps of 10^-18: half of the price of one read unit is no fraction of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Usd {
    atto: u128,
}

/// Why a text is no amount of money.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no amount of US dollars, which is written as 0.625: digits, and at most {places} behind the point", places = PLACES)]
pub struct UsdError(String);

impl Usd {
    /// Reads a plain decimal, such as `0.625`.
    ///
    /// # Errors
    /// It is none, is below zero, or has more than 18 places.
    pub fn parse(text: &str) -> Result<Self, UsdError> {
        let error = || UsdError(text.to_owned());
        let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
        let is_digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
        if !is_digits(whole) || !is_digits(fraction) || fraction.len() > PLACES {
            return Err(error());
        }
        let whole: u128 = whole.parse().map_err(|_| error())?;
        let fraction: u128 = format!("{fraction:0<PLACES$}").parse().map_err(|_| error())?;
        let atto = whole.checked_mul(ONE).and_then(|whole| whole.checked_add(fraction)).ok_or_else(error)?;
        Ok(Usd { atto })
    }

    /// So many times as much, divided: what is less than the smallest step is rounded up.
    pub(super) fn scaled(self, times: u64, divided_by: u64) -> Usd {
        Usd { atto: self.atto.saturating_mul(u128::from(times)).div_ceil(u128::from(divided_by.max(1))) }
    }

    /// How many times the other amount is at least as much; 0 for nothing.
    pub(crate) fn in_times_of(self, other: Usd) -> u64 {
        u64::try_from(self.atto.div_ceil(other.atto.max(1))).unwrap_or(u64::MAX)
    }

    /// Every digit.
    pub(crate) fn exact(self) -> String {
        let fraction = format!("{:0PLACES$}", self.atto % ONE);
        let fraction = fraction.trim_end_matches('0');
        match fraction {
            "" => (self.atto / ONE).to_string(),
            fraction => format!("{}.{fraction}", self.atto / ONE),
        }
    }
}

/// In cents; less than one, with two digits that count. Always rounded up: what is shown is never too little.
impl fmt::Display for Usd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = self.atto.checked_ilog10().map_or(0, |log| log as usize + 1);
        // How many places behind the point are shown.
        let places = if self.atto >= ONE / 100 || digits == 0 { 2 } else { (PLACES + 2 - digits).min(PLACES) };
        let step = 10u128.pow((PLACES - places) as u32);
        let rounded = self.atto.div_ceil(step);
        let scale = 10u128.pow(places as u32);
        write!(f, "${}.{:0places$}", rounded / scale, rounded % scale)
    }
}

impl Add for Usd {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Usd { atto: self.atto.saturating_add(other.atto) }
    }
}

impl AddAssign for Usd {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Sum for Usd {
    fn sum<I: Iterator<Item = Self>>(amounts: I) -> Self {
        amounts.fold(Usd::default(), Add::add)
    }
}

/// As a JSON number with every digit.
impl Serialize for Usd {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        RawValue::from_string(self.exact()).map_err(serde::ser::Error::custom)?.serialize(serializer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_amount_keeps_every_digit_and_is_shown_with_two_that_count() {
        for (text, exact, shown) in [
            ("0", "0", "$0.00"),
            ("0.625", "0.625", "$0.63"),
            ("31.2625", "31.2625", "$31.27"),
            ("31.26", "31.26", "$31.26"),
            ("0.000004375", "0.000004375", "$0.0000044"),
            ("0.00999", "0.00999", "$0.0100"),
            ("0.000000000000000001", "0.000000000000000001", "$0.000000000000000001"),
            ("12345678", "12345678", "$12345678.00"),
        ] {
            let usd = Usd::parse(text).unwrap();
            assert_eq!(usd.exact(), exact);
            assert_eq!(usd.to_string(), shown, "{text}");
            assert_eq!(serde_json::to_string(&usd).unwrap(), exact);
        }
    }

    #[test]
    fn what_is_no_amount_is_refused() {
        for text in
            ["", ".5", "1.", "-1", "+1", "1e3", "0,5", "$1", "1.0000000000000000001", "9999999999999999999999999"]
        {
            assert!(Usd::parse(text).is_err(), "{text}");
        }
    }
}
