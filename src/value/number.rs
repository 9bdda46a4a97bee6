//! DynamoDB's decimal number, exact to all 38 digits; no float ever touches it.

use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// What a number calls itself to serde, so that it is told from the text that it is written as.
pub(super) const SERDE_NAME: &str = "$singletable::Number";
/// How many significant digits a number may have.
const MAX_DIGITS: usize = 38;
/// The exponent of the first digit of the largest number, 9.99…E+125.
const MAX_EXPONENT: i64 = 125;
/// The exponent of the smallest positive number, 1E-130.
const MIN_EXPONENT: i64 = -130;

/// A number as DynamoDB stores it: up to 38 significant digits, from 1E-130 to 9.99…E+125, either sign, or zero.
///
/// Two literals of one value (`1`, `1.0`, `10E-1`) are equal. It is written as a plain decimal.
///
/// ```
/// # use singletable::Number;
/// let number: Number = "0012.50e1".parse()?;
/// assert_eq!(number.to_string(), "125");
/// assert_eq!(number, "125.0".parse()?);
/// # Ok::<(), singletable::NumberError>(())
/// ```
///
/// Source: *Supported data types, Numbers* in the DynamoDB developer guide.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Number {
    negative: bool,
    /// The significant digits, with no trailing zero; 0 only for zero. 38 digits fit in a `u128`, which is kept as bytes:
    /// its alignment would make every attribute value half again as large.
    digits: [u8; 16],
    /// The power of ten that the last digit stands for.
    exponent: i32,
}

/// Why a text is not a DynamoDB number.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NumberError {
    /// It is not a decimal number.
    #[error("`{0}` is not a decimal number")]
    NotANumber(String),
    /// It has more than 38 significant digits.
    #[error("`{0}` has {1} significant digits, and DynamoDB keeps at most 38")]
    TooManyDigits(String, usize),
    /// Its magnitude is outside 1E-130 to 9.99…E+125.
    #[error("`{0}` is outside DynamoDB's range of 1E-130 to 9.99E+125")]
    OutOfRange(String),
}

impl Number {
    /// The number zero.
    pub const ZERO: Number = Number { negative: false, digits: [0; 16], exponent: 0 };

    fn of(negative: bool, digits: u128, exponent: i32) -> Self {
        Number { negative, digits: digits.to_ne_bytes(), exponent }
    }

    fn digits(&self) -> u128 {
        u128::from_ne_bytes(self.digits)
    }

    /// Whether it is below zero.
    pub fn is_negative(&self) -> bool {
        self.negative
    }

    /// How many significant digits it has; 0 for zero.
    pub fn significant_digits(&self) -> u32 {
        self.digits().checked_ilog10().map_or(0, |log| log + 1)
    }

    /// The exponent of the first significant digit, as in scientific notation; 0 for zero.
    pub fn scientific_exponent(&self) -> i32 {
        match self.significant_digits() {
            0 => 0,
            digits => self.exponent + digits as i32 - 1,
        }
    }

    /// The exponent of the last significant digit; 0 for zero. Below zero means it has a fraction.
    pub fn last_digit_exponent(&self) -> i32 {
        self.exponent
    }

    /// A whole number above it: the next one, where there is room for one.
    pub fn successor(&self) -> Number {
        let scale = u32::try_from(-self.exponent).ok().and_then(|places| 10u128.checked_pow(places));
        let whole = match self.exponent < 0 {
            true => i128::try_from(self.digits() / scale.unwrap_or(u128::MAX)).ok(),
            false => self.to_i128().map(i128::abs),
        };
        let whole = whole.map(|whole| if self.negative { -whole } else { whole });
        let one_more = whole.and_then(|value| value.checked_add(1));
        one_more.and_then(|value| value.to_string().parse().ok()).unwrap_or(*self)
    }

    /// The exact sum; `None` where it has more digits than DynamoDB keeps, or is out of its range.
    pub fn checked_add(&self, other: &Number) -> Option<Number> {
        let exponent = self.exponent.min(other.exponent);
        // A zero stands at any exponent.
        let exponent = match (self.digits(), other.digits()) {
            (0, _) => other.exponent,
            (_, 0) => self.exponent,
            _ => exponent,
        };
        let aligned = |one: &Number| match one.digits() {
            0 => Some(0),
            digits => digits.checked_mul(10u128.checked_pow(u32::try_from(one.exponent - exponent).ok()?)?),
        };
        let (ours, theirs) = (aligned(self)?, aligned(other)?);
        let (negative, digits) = match (self.negative == other.negative, ours >= theirs) {
            (true, _) => (self.negative, ours.checked_add(theirs)?),
            (false, true) => (self.negative, ours - theirs),
            (false, false) => (other.negative, theirs - ours),
        };
        format!("{}{digits}e{exponent}", if negative && digits > 0 { "-" } else { "" }).parse().ok()
    }

    fn to_i128(self) -> Option<i128> {
        let scale = 10u128.checked_pow(u32::try_from(self.exponent).ok()?)?;
        let magnitude = i128::try_from(self.digits().checked_mul(scale)?).ok()?;
        Some(if self.negative { -magnitude } else { magnitude })
    }

    /// The value as a non-negative integer, where it is one that fits.
    pub fn to_u64(&self) -> Option<u64> {
        if self.negative || self.exponent < 0 {
            return None;
        }
        let scale = 10u128.checked_pow(self.exponent as u32)?;
        u64::try_from(self.digits().checked_mul(scale)?).ok()
    }

    /// The value as a signed integer, where it is one that fits.
    pub fn to_i64(&self) -> Option<i64> {
        i64::try_from(self.to_i128()?).ok()
    }
}

impl From<u64> for Number {
    fn from(value: u64) -> Self {
        let (mut digits, mut exponent) = (u128::from(value), 0);
        while digits != 0 && digits % 10 == 0 {
            digits /= 10;
            exponent += 1;
        }
        Number::of(false, digits, exponent)
    }
}

impl FromStr for Number {
    type Err = NumberError;

    fn from_str(text: &str) -> Result<Self, NumberError> {
        let not_a_number = || NumberError::NotANumber(text.to_owned());
        let out_of_range = || NumberError::OutOfRange(text.to_owned());
        let (negative, unsigned) = match text.as_bytes().first() {
            Some(b'-') => (true, &text[1..]),
            Some(b'+') => (false, &text[1..]),
            _ => (false, text),
        };
        let (mantissa, exponent) = match unsigned.find(['e', 'E']) {
            Some(at) => (&unsigned[..at], Some(&unsigned[at + 1..])),
            None => (unsigned, None),
        };
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let all_digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
        if (whole.is_empty() && fraction.is_empty()) || !all_digits(whole) || !all_digits(fraction) {
            return Err(not_a_number());
        }
        let exponent: i64 = match exponent {
            None => 0,
            Some(written) => {
                let digits = written.strip_prefix(['-', '+']).unwrap_or(written);
                if digits.is_empty() || !all_digits(digits) {
                    return Err(not_a_number());
                }
                // Saturate: anything this long is out of range whatever it is exactly.
                written.parse().unwrap_or(if written.starts_with('-') { -1_000_000 } else { 1_000_000 })
            }
        };

        let all = format!("{whole}{fraction}");
        let significant = all.trim_start_matches('0').trim_end_matches('0');
        if significant.is_empty() {
            // DynamoDB checks the range of a zero by the exponent that was written.
            return if (MIN_EXPONENT..=MAX_EXPONENT).contains(&exponent) {
                Ok(Number::ZERO)
            } else {
                Err(out_of_range())
            };
        }
        if significant.len() > MAX_DIGITS {
            return Err(NumberError::TooManyDigits(text.to_owned(), significant.len()));
        }
        let trailing_zeros = (all.len() - all.trim_end_matches('0').len()) as i64;
        let last = exponent.saturating_sub(fraction.len() as i64).saturating_add(trailing_zeros);
        let first = last.saturating_add(significant.len() as i64 - 1);
        if !(MIN_EXPONENT..=MAX_EXPONENT).contains(&first) {
            return Err(out_of_range());
        }
        let digits = significant.parse().map_err(|_| not_a_number())?;
        Ok(Number::of(negative, digits, last as i32))
    }
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = self.digits().to_string();
        let sign = if self.negative { "-" } else { "" };
        if self.exponent >= 0 {
            return write!(f, "{sign}{digits}{}", "0".repeat(self.exponent as usize));
        }
        let fraction = self.exponent.unsigned_abs() as usize;
        if digits.len() > fraction {
            let (whole, rest) = digits.split_at(digits.len() - fraction);
            write!(f, "{sign}{whole}.{rest}")
        } else {
            write!(f, "{sign}0.{digits:0>fraction$}")
        }
    }
}

impl Ord for Number {
    fn cmp(&self, other: &Self) -> Ordering {
        /// Orders by magnitude: where the first digit stands, then all digits aligned to 38.
        fn magnitude(number: &Number) -> (bool, i32, u128) {
            let missing = MAX_DIGITS as u32 - number.significant_digits();
            (number.digits() != 0, number.scientific_exponent(), number.digits() * 10u128.pow(missing.min(37)))
        }
        match (self.negative, other.negative) {
            (false, true) => Ordering::Greater,
            (true, false) => Ordering::Less,
            (false, false) => magnitude(self).cmp(&magnitude(other)),
            (true, true) => magnitude(other).cmp(&magnitude(self)),
        }
    }
}

impl PartialOrd for Number {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Serialize for Number {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_newtype_struct(SERDE_NAME, &self.to_string())
    }
}

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn number(text: &str) -> Number {
        text.parse().unwrap()
    }

    #[test]
    fn spellings_of_one_value_are_equal_and_print_plainly() {
        for (literal, plain) in [
            ("1", "1"),
            ("+1.0", "1"),
            ("10E-1", "1"),
            ("-0", "0"),
            ("0.000", "0"),
            (".5", "0.5"),
            ("-12.340", "-12.34"),
            ("1e3", "1000"),
            ("00120", "120"),
            ("0.0012", "0.0012"),
        ] {
            assert_eq!(number(literal).to_string(), plain, "{literal}");
        }
    }

    #[test]
    fn thirty_eight_digits_are_kept_and_thirty_nine_refused() {
        let longest = "12345678901234567890123456789012345678";
        assert_eq!(number(longest).to_string(), longest);
        assert_eq!(number(&"9".repeat(38)).to_string(), "9".repeat(38));
        assert!(matches!(format!("{longest}9").parse::<Number>(), Err(NumberError::TooManyDigits(_, 39))));
    }

    #[test]
    fn the_range_is_dynamodbs() {
        for accepted in ["1E-130", "9.9999999999999999999999999999999999999E125", "-1E125", "0e125"] {
            assert!(accepted.parse::<Number>().is_ok(), "{accepted}");
        }
        for refused in ["1E-131", "1E126", "-1E126", "0e126", "1e99999999999999999999"] {
            assert!(matches!(refused.parse::<Number>(), Err(NumberError::OutOfRange(_))), "{refused}");
        }
    }

    #[test]
    fn what_is_no_number_is_refused() {
        for text in ["", "-", ".", "1.2.3", "1e", "0x10", "NaN", "Infinity", "1 ", "１", "--1", "1e+-1"] {
            assert!(matches!(text.parse::<Number>(), Err(NumberError::NotANumber(_))), "{text}");
        }
    }

    #[test]
    fn order_is_by_value() {
        let sorted = ["-100", "-99.5", "-0.001", "0", "0.0009", "0.001", "2", "10", "99.5", "1e20"].map(number);
        assert!(sorted.is_sorted());
    }

    proptest! {
        #[test]
        fn printing_and_parsing_is_the_identity(negative: bool, digits in "[1-9][0-9]{0,37}", exponent in -100i32..80) {
            let text = format!("{}{digits}e{exponent}", if negative { "-" } else { "" });
            let parsed = number(&text);
            prop_assert_eq!(number(&parsed.to_string()), parsed);
        }

        #[test]
        fn sums_are_exact(ours in -1_000_000_000_000i64..1_000_000_000_000, theirs in -1_000_000_000_000i64..1_000_000_000_000, places in 0i32..30) {
            let at = |value: i64| number(&format!("{value}e-{places}"));
            prop_assert_eq!(at(ours).checked_add(&at(theirs)), Some(at(ours + theirs)));
        }
    }

    #[test]
    fn a_sum_of_more_than_38_digits_is_none() {
        let nines = number(&"9".repeat(38));
        assert_eq!(nines.checked_add(&number("1")), Some(number("1e38")), "the zeros count for nothing");
        assert_eq!(nines.checked_add(&number("2")), None);
        assert_eq!(number("1e40").checked_add(&number("1e-10")), None);
        assert_eq!(number("1e120").checked_add(&number("0")), Some(number("1e120")));
        assert_eq!(nines.checked_add(&number(&format!("-{}", "9".repeat(38)))), Some(Number::ZERO));
    }
}
