//! How often something happens.

use std::fmt;

/// So many times in a period: `2 per month`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rate {
    times: u64,
    period: Period,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Period {
    Second,
    Minute,
    Hour,
    Day,
    Week,
    Month,
    Year,
}

const PERIODS: [(&str, Period, u64); 7] = [
    ("second", Period::Second, 1),
    ("minute", Period::Minute, 60),
    ("hour", Period::Hour, 3600),
    ("day", Period::Day, 86_400),
    ("week", Period::Week, 604_800),
    ("month", Period::Month, MONTH),
    ("year", Period::Year, 12 * MONTH),
];

/// A twelfth of a Gregorian year, in seconds.
const MONTH: u64 = 2_629_746;

impl Rate {
    /// Reads `2 per month`; the period is a second, minute, hour, day, week, month or year.
    pub fn parse(text: &str) -> Option<Self> {
        let mut words = text.split_whitespace();
        let times = words.next()?.parse().ok()?;
        let (word, name) = (words.next()?, words.next()?);
        let (_, period, _) = PERIODS.into_iter().find(|(known, ..)| *known == name)?;
        (word == "per" && words.next().is_none()).then_some(Rate { times, period })
    }

    /// How much a month comes to, of what each time takes `amount`; what is left over counts whole.
    pub fn monthly(self, amount: u64) -> u64 {
        let seconds = PERIODS.iter().find(|(_, period, _)| *period == self.period).map_or(1, |(.., seconds)| *seconds);
        let total = u128::from(amount) * u128::from(self.times) * u128::from(MONTH);
        u64::try_from(total.div_ceil(u128::from(seconds))).unwrap_or(u64::MAX)
    }
}

impl fmt::Display for Rate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = PERIODS.iter().find(|(_, period, _)| *period == self.period).map_or("", |(name, ..)| name);
        write!(f, "{} per {name}", self.times)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_is_a_number_of_times_in_a_period() {
        for (text, monthly) in [
            ("2 per month", 20),
            ("1 per year", 1),
            ("12 per year", 10),
            ("1 per second", 26_297_460),
            ("0 per day", 0),
        ] {
            let rate = Rate::parse(text).unwrap();
            assert_eq!(rate.monthly(10), monthly, "{text}");
            assert_eq!(rate.to_string(), text);
        }
        for text in
            ["", "2", "2 per", "per month", "-1 per day", "1.5 per day", "2 a day", "2 per decade", "2 per day now"]
        {
            assert_eq!(Rate::parse(text), None, "{text}");
        }
    }
}
