//! The ids of traces and spans.

use std::fmt;
use std::num::NonZeroU64;

/// The id of a span. Zero is no id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct SpanId(NonZeroU64);

/// The id of a trace, and how many hexadecimal digits it is written with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TraceId {
    number: u128,
    digits: u8,
}

impl SpanId {
    pub(crate) fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let bytes: [u8; 8] = bytes.try_into().ok()?;
        NonZeroU64::new(u64::from_be_bytes(bytes)).map(Self)
    }

    pub(crate) fn from_hex(text: &str) -> Option<Self> {
        let number = hexadecimal(text, 16)?;
        NonZeroU64::new(number as u64).map(Self)
    }
}

impl TraceId {
    pub(crate) fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let bytes: [u8; 16] = bytes.try_into().ok()?;
        Some(Self { number: u128::from_be_bytes(bytes), digits: 32 }).filter(|id| id.number != 0)
    }

    pub(crate) fn from_hex(text: &str) -> Option<Self> {
        let number = hexadecimal(text, 32)?;
        Some(Self { number, digits: text.len() as u8 }).filter(|id| id.number != 0)
    }

    pub(crate) fn number(self) -> u128 {
        self.number
    }
}

/// Digits of both cases, at most so many.
fn hexadecimal(text: &str, most: usize) -> Option<u128> {
    let is_number = (1..=most).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_hexdigit());
    if is_number { u128::from_str_radix(text, 16).ok() } else { None }
}

/// Bytes in base64, of either alphabet, with or without `=` at the end. `None` if it is something else or does not fill `out`.
pub(crate) fn base64(text: &str, out: &mut [u8]) -> Option<()> {
    let (mut bits, mut held, mut filled) = (0u32, 0, 0);
    for byte in text.trim_end_matches('=').bytes() {
        let digit = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            _ => return None,
        };
        bits = bits << 6 | u32::from(digit);
        held += 6;
        if held >= 8 {
            held -= 8;
            *out.get_mut(filled)? = (bits >> held) as u8;
            filled += 1;
        }
    }
    (filled == out.len()).then_some(())
}

impl fmt::Display for SpanId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

impl fmt::Display for TraceId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:0width$x}", self.number, width = usize::from(self.digits))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_numbers() {
        assert_eq!(SpanId::from_hex("EEE19B7EC3C1B174").unwrap().to_string(), "eee19b7ec3c1b174");
        assert_eq!(SpanId::from_hex("1"), SpanId::from_hex("0000000000000001"));
        for bad in ["", "0", "0000000000000000", "x", "+1", "00000000000000001"] {
            assert_eq!(SpanId::from_hex(bad), None, "{bad}");
        }
        assert_eq!(TraceId::from_hex("00Ab").unwrap().to_string(), "00ab");
        assert_eq!(TraceId::from_hex(&"0".repeat(32)), None);
        let mut bytes = [0; 8];
        assert_eq!(base64("7uGbfsPBsXQ=", &mut bytes), Some(()));
        assert_eq!(SpanId::from_bytes(&bytes), SpanId::from_hex("eee19b7ec3c1b174"));
        for bad in ["7uGbfsPBsX", "7uGbfsPBsXQQ", "7uGbfsPB sXQ"] {
            assert_eq!(base64(bad, &mut bytes), None, "{bad}");
        }
    }
}
