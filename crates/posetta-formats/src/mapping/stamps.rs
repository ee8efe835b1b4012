//! Times as records have them: numbers in some unit, or dates as RFC 3339 writes them.

use super::paths::Field;
use super::{Found, Unit};
use crate::states::is_number;
use posetta_base::Number;

/// The time that was found, in seconds. `None` if it is none.
pub(super) fn time(found: &Found<'_>, unit: Unit) -> Option<Number> {
    let number = match found {
        Found::Field(field) => field.number(),
        Found::Constant(text) => text.parse().ok().filter(|_| is_number(text)),
    };
    if let Some(number) = number {
        return if unit == Unit::Seconds { Some(number) } else { number.div(&unit.in_a_second()).ok() };
    }
    match found {
        Found::Field(field) => date(&Field::text(field)?),
        Found::Constant(text) => date(text),
    }
}

/// The seconds since 1970 of a date and a time such as `2024-04-05T14:28:49.602+02:00`. A blank may stand for the `T`; without an offset
/// it is taken as UTC. Leap seconds count as the second after them.
fn date(text: &str) -> Option<Number> {
    let (day, rest) = text.split_at_checked(10)?;
    let rest = rest.strip_prefix(['T', 't', ' '])?;
    let mut parts = day.split('-');
    let (year, month, day) = (digits(parts.next()?, 4)?, digits(parts.next()?, 2)?, digits(parts.next()?, 2)?);
    if parts.next().is_some() || !(1..=12).contains(&month) || !(1..=days_in(year, month)).contains(&day) {
        return None;
    }
    let (clock, offset) = match rest.find(['Z', 'z', '+', '-']) {
        None => (rest, 0),
        Some(at) => (&rest[..at], offset(&rest[at..])?),
    };
    let (clock, fraction) = match clock.split_once(['.', ',']) {
        Some((clock, fraction)) => (clock, Some(fraction)),
        None => (clock, None),
    };
    let mut parts = clock.split(':');
    let (hour, minute, second) = (digits(parts.next()?, 2)?, digits(parts.next()?, 2)?, digits(parts.next()?, 2)?);
    if parts.next().is_some() || hour > 23 || minute > 59 || second > 60 {
        return None;
    }
    let seconds = days_since_1970(year, month, day) * 86_400 + hour * 3_600 + minute * 60 + second - offset;
    let whole = Number::from(seconds);
    match fraction {
        None => Some(whole),
        Some(fraction) => {
            let is_fraction = !fraction.is_empty() && fraction.bytes().all(|b| b.is_ascii_digit());
            let part: Number = format!("0.{fraction}").parse().ok().filter(|_| is_fraction)?;
            whole.add(&part).ok()
        }
    }
}

fn offset(text: &str) -> Option<i64> {
    let (sign, rest) = text.split_at(1);
    let sign = match sign {
        "+" => 1,
        "-" => -1,
        _ => return rest.is_empty().then_some(0),
    };
    let (hours, minutes) = rest.split_once(':').or_else(|| rest.split_at_checked(2))?;
    let (hours, minutes) = (digits(hours, 2)?, if minutes.is_empty() { 0 } else { digits(minutes, 2)? });
    (hours < 24 && minutes < 60).then_some(sign * (hours * 3_600 + minutes * 60))
}

fn digits(text: &str, count: usize) -> Option<i64> {
    let fits = text.len() == count && text.bytes().all(|b| b.is_ascii_digit());
    text.parse().ok().filter(|_| fits)
}

fn is_leap(year: i64) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

fn days_in(year: i64, month: i64) -> i64 {
    match month {
        2 => 28 + i64::from(is_leap(year)),
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Days of the Gregorian calendar from 1970-01-01, counted year by year from the leap years before.
fn days_since_1970(year: i64, month: i64, day: i64) -> i64 {
    let leaps_before = |year: i64| {
        let last = year - 1;
        last.div_euclid(4) - last.div_euclid(100) + last.div_euclid(400)
    };
    let years = (year - 1970) * 365 + leaps_before(year) - leaps_before(1970);
    years + (1..month).map(|month| days_in(year, month)).sum::<i64>() + day - 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_seconds() {
        for (text, seconds) in [
            ("1970-01-01T00:00:00Z", Some("0")),
            ("1969-12-31T23:59:59.5Z", Some("-0.5")),
            ("2000-02-29 12:00:00", Some("951825600")),
            ("2024-04-05T15:08:49.602453700+02:00", Some("1712322529.6024537")),
            ("2024-04-05T15:08:49,5-0130", Some("1712335129.5")),
            ("2016-12-31T23:59:60Z", Some("1483228800")),
            ("0001-01-01T00:00:00Z", Some("-62135596800")),
            ("2023-02-29T00:00:00Z", None),
            ("2024-13-01T00:00:00Z", None),
            ("2024-04-05", None),
            ("2024-04-05T15:08", None),
            ("2024-04-05T15:08:49.Z", None),
            ("2024-04-05T15:08:49+2", None),
            ("2024-04-05T24:00:00Z", None),
            ("é024-04-05T15:08:49Z", None),
            ("now", None),
        ] {
            let expected = seconds.map(|seconds| seconds.parse::<Number>().unwrap());
            assert_eq!(date(text), expected, "{text}");
        }
    }
}
