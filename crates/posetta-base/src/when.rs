//! When a position of a waveform is: a time in the unit that the file counts in, and which cycle of its clock that is.

use std::fmt;

use crate::Number;

/// What a waveform counts its times in: one second times `count` and a power of ten, such as 10 ns.
///
/// Invariant: `count` is 1, 10 or 100, and `thousands` is at most 0: 0 stands for seconds, -1 for milliseconds and so on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TimeUnit {
    count: u8,
    thousands: i8,
}

/// The names of the units, by how often a second was divided by 1000.
const UNITS: [&str; 8] = ["s", "ms", "us", "ns", "ps", "fs", "as", "zs"];

impl TimeUnit {
    /// A power of ten of seconds: -9 is 1 ns, -8 is 10 ns. `None` if there is no name for it.
    #[must_use]
    pub fn power_of_ten(exponent: i8) -> Option<Self> {
        let (thousands, rest) = (exponent.div_euclid(3), exponent.rem_euclid(3));
        let (thousands, rest) = if thousands > 0 { (0, exponent) } else { (thousands, rest) };
        let count = *[1, 10, 100].get(usize::try_from(rest).ok()?)?;
        (usize::from(thousands.unsigned_abs()) < UNITS.len()).then_some(Self { count, thousands })
    }

    /// As files write it: `1 ns`, `10us`, `100 ps`; a unit alone counts as one of it. `None` if it is none.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let digits = text.bytes().take_while(u8::is_ascii_digit).count();
        let (count, unit) = text.split_at(digits);
        let count = match count.trim_start_matches('0') {
            "1" => 1,
            "10" => 10,
            "100" => 100,
            "" if digits == 0 => 1,
            _ => return None,
        };
        let unit = unit.trim().to_ascii_lowercase();
        let thousands = match unit.as_str() {
            "sec" | "second" | "seconds" => 0,
            "msec" => 1,
            "µs" | "usec" => 2,
            "nsec" => 3,
            unit => UNITS.iter().position(|known| *known == unit)?,
        };
        Some(Self { count, thousands: -i8::try_from(thousands).ok()? })
    }

    /// A time that is counted in this, for people: in the largest unit in which it is a whole number.
    fn tell(self, time: &Number, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut unit = usize::from(self.thousands.unsigned_abs());
        let counted = time.as_i64().and_then(|time| time.checked_mul(i64::from(self.count)));
        let Some(mut whole) = counted else {
            let exact = time.mul(&Number::from(i64::from(self.count))).unwrap_or_else(|_| time.clone());
            let exact = exact.to_decimal().unwrap_or_else(|| exact.to_string());
            return write!(f, "{exact} {}", UNITS[unit]);
        };
        while whole != 0 && whole % 1000 == 0 && unit > 0 {
            (whole, unit) = (whole / 1000, unit - 1);
        }
        write!(f, "{whole} {}", UNITS[unit])
    }
}

/// As files write it: `10 ns`.
impl fmt::Display for TimeUnit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.count, UNITS[usize::from(self.thousands.unsigned_abs())])
    }
}

/// When a position of a waveform is. Shown as `135 ns, cycle 12`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct When {
    /// As the file counts it.
    pub time: Number,
    /// What the file counts in, if it says so.
    pub unit: Option<TimeUnit>,
    /// Which edge of the clock it is, from 0; `None` without a clock.
    pub cycle: Option<u64>,
}

impl fmt::Display for When {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.unit {
            Some(unit) => unit.tell(&self.time, f)?,
            None => write!(f, "time {}", self.time.to_decimal().unwrap_or_else(|| self.time.to_string()))?,
        }
        match self.cycle {
            Some(cycle) => write!(f, ", cycle {cycle}"),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_read_as_files_write_them() {
        for (text, told) in [
            ("1 ns", Some("1 ns")),
            ("10us", Some("10 us")),
            (" 100   ps ", Some("100 ps")),
            ("1s", Some("1 s")),
            ("1 FS", Some("1 fs")),
            ("ns", Some("1 ns")),
            ("01 ms", Some("1 ms")),
            ("2 ns", None),
            ("0 ns", None),
            ("1", None),
            ("", None),
            ("1 parsec", None),
            ("1000 ns", None),
        ] {
            assert_eq!(TimeUnit::parse(text).map(|unit| unit.to_string()).as_deref(), told, "{text:?}");
        }
        for (exponent, told) in [
            (-9, Some("1 ns")),
            (-8, Some("10 ns")),
            (-7, Some("100 ns")),
            (-15, Some("1 fs")),
            (-21, Some("1 zs")),
            (-22, None),
            (0, Some("1 s")),
            (1, Some("10 s")),
            (2, Some("100 s")),
            (3, None),
            (i8::MAX, None),
            (i8::MIN, None),
        ] {
            assert_eq!(TimeUnit::power_of_ten(exponent).map(|unit| unit.to_string()).as_deref(), told, "{exponent}");
        }
    }

    #[test]
    fn times_are_told_in_the_largest_unit_that_keeps_them_whole() {
        for (time, unit, cycle, told) in [
            ("135", "1 ns", Some(12), "135 ns, cycle 12"),
            ("135000", "1 ps", None, "135 ns"),
            ("135500", "1 ps", None, "135500 ps"),
            ("2000000000", "1 ns", Some(0), "2 s, cycle 0"),
            ("7", "10 ns", None, "70 ns"),
            ("100", "10 ns", None, "1 us"),
            ("0", "1 ps", None, "0 ps"),
            ("1.5", "10 ns", None, "15 ns"),
            ("0.25", "1 ns", None, "0.25 ns"),
            ("9223372036854775807", "100 ns", None, "922337203685477580700 ns"),
            ("5000", "1 s", None, "5000 s"),
            ("-2000", "1 ns", None, "-2 us"),
        ] {
            let when = When { time: time.parse().unwrap(), unit: TimeUnit::parse(unit), cycle };
            assert_eq!(when.to_string(), told);
        }
        let when = When { time: "1.5".parse().unwrap(), unit: None, cycle: Some(3) };
        assert_eq!(when.to_string(), "time 1.5, cycle 3");
    }
}
