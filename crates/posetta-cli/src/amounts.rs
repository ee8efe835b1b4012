//! Durations and sizes as people write them: `500ms`, `5s`, `2m`; `500MB`, `2GiB`.

use std::num::NonZeroUsize;
use std::time::Duration;

pub use posetta_tell::{counted, grouped, readable};

const DURATIONS: &str = "a number with ms, s, m or h, such as 500ms, 5s or 2m";
const SIZES: &str = "a number with B, KB, MB, GB (thousands) or KiB, MiB, GiB (1024s), such as 500MB or 2GiB";

/// A duration; a plain number counts seconds.
pub fn duration(text: &str) -> Result<Duration, String> {
    let (number, unit) = split(text).ok_or_else(|| format!("expected {DURATIONS}"))?;
    let seconds = match unit {
        "us" | "µs" => 0.000_001,
        "ms" => 0.001,
        "" | "s" => 1.0,
        "m" | "min" => 60.0,
        "h" => 3600.0,
        _ => return Err(format!("there is no unit `{unit}`; expected {DURATIONS}")),
    };
    Duration::try_from_secs_f64(number * seconds).map_err(|_| "that is longer than any run".to_owned())
}

/// A size in bytes; a plain number counts bytes.
pub fn size(text: &str) -> Result<u64, String> {
    let (number, unit) = split(text).ok_or_else(|| format!("expected {SIZES}"))?;
    let bytes: f64 = match unit.to_ascii_lowercase().as_str() {
        "" | "b" => 1.0,
        "kb" => 1e3,
        "mb" => 1e6,
        "gb" => 1e9,
        "tb" => 1e12,
        // The bare letters mean what they mean to the shell's `ulimit` and its neighbours.
        "k" | "kib" => 1024.0,
        "m" | "mib" => 1024f64.powi(2),
        "g" | "gib" => 1024f64.powi(3),
        "t" | "tib" => 1024f64.powi(4),
        _ => return Err(format!("there is no unit `{unit}`; expected {SIZES}")),
    };
    let total = number * bytes;
    if total >= u64::MAX as f64 {
        return Err("that is more than any machine has".to_owned());
    }
    Ok(total as u64)
}

/// A whole number that is not 0.
pub fn at_least_one(text: &str) -> Result<NonZeroUsize, String> {
    text.parse().map_err(|_| "expected a whole number, at least 1".to_owned())
}

/// A decimal number of ordinary length and the unit that follows it.
fn split(text: &str) -> Option<(f64, &str)> {
    let text = text.trim();
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let number: f64 = text[..end].parse().ok()?;
    number.is_finite().then_some((number, text[end..].trim_start()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_read_as_written() {
        for (text, millis) in [("500ms", 500), ("5s", 5000), ("5", 5000), ("1.5s", 1500), ("2m", 120_000), ("0s", 0)] {
            assert_eq!(duration(text), Ok(Duration::from_millis(millis)), "{text}");
        }
        for text in ["", "s", "5 parsecs", "-1s", "1e9s", "1..2s", "5S"] {
            assert!(duration(text).is_err(), "{text}");
        }
        assert!(duration(&"9".repeat(400)).is_err());
        assert!(duration("99999999999999999999h").is_err());
    }

    #[test]
    fn sizes_know_thousands_from_1024s() {
        for (text, bytes) in [
            ("500MB", 500_000_000),
            ("2GiB", 2 << 30),
            ("1024", 1024),
            ("1.5kb", 1500),
            ("2g", 2 << 30),
            ("64 MiB", 64 << 20),
        ] {
            assert_eq!(size(text), Ok(bytes), "{text}");
        }
        for text in ["", "MB", "5 parsecs", "-1MB", "99999999999TB"] {
            assert!(size(text).is_err(), "{text}");
        }
    }
}
