//! The values of signals, as waveforms write them.

use dashu_int::UBig;
use dashu_ratio::RBig;

use super::Unknown;
use posetta_base::{Number, Value};

/// Why bits are no value of a signal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BadBits {
    /// The byte at this place is no bit.
    NotABit(usize),
    /// There are more bits than the signal has: so many.
    TooMany(usize),
}

/// A bit: `0`, `1`, `x` or `z`. The nine values of VHDL's `std_logic` are read as these.
#[inline]
fn known(byte: u8) -> Option<u8> {
    match byte {
        b'0' | b'1' => Some(byte),
        b'l' | b'L' => Some(b'0'),
        b'h' | b'H' => Some(b'1'),
        b'x' | b'X' | b'u' | b'U' | b'w' | b'W' | b'-' | b'?' => Some(b'x'),
        b'z' | b'Z' => Some(b'z'),
        _ => None,
    }
}

/// The value of a single bit of a signal with `width` bits; those that are not written are as [`vector`] says.
#[inline]
pub(crate) fn bit(byte: u8, width: u32, unknown: Unknown) -> Option<Value> {
    match known(byte)? {
        b'0' => Some(Value::Number(Number::ZERO)),
        b'1' => Some(Value::Number(Number::ONE)),
        _ => vector(&[byte], width, unknown).ok(),
    }
}

/// The value of a vector, the highest bit first. Leading bits that are left out are 0, or x or z if the first one is. No bits are 0.
pub(crate) fn vector(bits: &[u8], width: u32, unknown: Unknown) -> Result<Value, BadBits> {
    // Nearly all fit a machine word.
    if bits.len() <= 63 && bits.len() as u64 <= u64::from(width) {
        let mut word = 0i64;
        let mut plain = true;
        for &b in bits {
            plain &= b == b'0' || b == b'1';
            word = word << 1 | i64::from(b & 1);
        }
        if plain {
            return Ok(Value::Number(Number::from(word)));
        }
    }
    let mut all = Vec::with_capacity(bits.len());
    for (at, &byte) in bits.iter().enumerate() {
        all.push(known(byte).ok_or(BadBits::NotABit(at))?);
    }
    let width = width as usize;
    let leading = match all.first() {
        Some(&first @ (b'x' | b'z')) => first,
        _ => b'0',
    };
    let excess = all.len().saturating_sub(width);
    if all[..excess].iter().any(|&b| b != leading) {
        return Err(BadBits::TooMany(all.len()));
    }
    all.drain(..excess);
    if all.iter().any(|&b| b == b'x' || b == b'z') {
        let replaced = match unknown {
            Unknown::Text => return Ok(Value::Text(text(&all))),
            Unknown::Zero => b'0',
            Unknown::One => b'1',
        };
        if leading != b'0' && replaced == b'1' {
            let missing = width.saturating_sub(all.len());
            all.splice(..0, std::iter::repeat_n(leading, missing));
        }
        for b in &mut all {
            if *b > b'1' {
                *b = replaced;
            }
        }
    }
    let digits = str::from_utf8(&all).unwrap_or_default();
    Ok(Value::Number(match i64::from_str_radix(digits, 2) {
        Ok(word) => Number::from(word),
        Err(_) => RBig::from(UBig::from_str_radix(digits, 2).unwrap_or(UBig::ZERO)).into(),
    }))
}

/// Bits some of which are x or z, as short as a dump may write them: leading bits that [`vector`] would put back are left out.
fn text(bits: &[u8]) -> String {
    let first = bits.first().copied().unwrap_or(b'0');
    let same = bits.iter().take_while(|&&b| b == first).count();
    // A zero before an x or a z stays: it says that what is left out is not one.
    let implied = match (first, bits.get(same)) {
        (b'1', _) => 0,
        (b'0', Some(b'1')) => same,
        _ => same - 1,
    };
    String::from_utf8_lossy(&bits[implied..]).into_owned()
}

/// The bits of a value of so many bits, the highest first; `None` if it is no vector.
fn bits_of(value: &Value, width: u32) -> Option<Vec<u8>> {
    let (written, leading) = match value {
        Value::Number(number) => {
            let whole = number.to_ratio().into_parts();
            let whole = UBig::try_from(whole.0).ok().filter(|_| whole.1 == UBig::ONE)?;
            (whole.in_radix(2).to_string().into_bytes(), b'0')
        }
        Value::Text(text) => {
            let first = *text.as_bytes().first()?;
            let is_bits = text.bytes().all(|b| matches!(b, b'0' | b'1' | b'x' | b'z'));
            (is_bits.then(|| text.as_bytes().to_vec())?, if first == b'1' { b'0' } else { first })
        }
    };
    let missing = (width as usize).saturating_sub(written.len());
    Some(std::iter::repeat_n(leading, missing).chain(written).collect())
}

/// The bits of a vector between these two, counted from the lowest. What is no vector has none, and is x.
pub(crate) fn slice(value: &Value, width: u32, low: u32, high: u32) -> Value {
    if let Value::Number(number) = value
        && let Some(word) = number.as_i64()
        && word >= 0
    {
        let part = if low > 62 { 0 } else { word >> low };
        let count = high - low + 1;
        return Value::Number(Number::from(if count > 62 { part } else { part & ((1 << count) - 1) }));
    }
    let unknown = Value::Text("x".to_owned());
    let Some(bits) = bits_of(value, width) else { return unknown };
    let from = bits.len().saturating_sub(high as usize + 1);
    let to = bits.len().saturating_sub(low as usize);
    vector(&bits[from..to], high - low + 1, Unknown::Text).unwrap_or(unknown)
}

/// A vector with each bit the other way round. What is neither 0 nor 1 is x.
pub(crate) fn complement(value: &Value, width: u32) -> Value {
    let unknown = Value::Text("x".to_owned());
    let Some(bits) = bits_of(value, width) else { return unknown };
    let other = |&bit: &u8| match bit {
        b'0' => b'1',
        b'1' => b'0',
        _ => b'x',
    };
    let bits: Vec<u8> = bits.iter().map(other).collect();
    vector(&bits, width, Unknown::Text).unwrap_or(unknown)
}

/// How many bits of a vector are 1, and whether some are neither 0 nor 1.
pub(crate) fn ones(value: &Value, width: u32) -> (i64, bool) {
    if let Value::Number(number) = value
        && let Some(word) = number.as_i64()
    {
        return (i64::from(word.count_ones()), false);
    }
    let bits = bits_of(value, width).unwrap_or_default();
    (bits.iter().filter(|&&b| b == b'1').count() as i64, bits.iter().any(|b| matches!(b, b'x' | b'z')))
}

/// The value of a real signal: a number, or a string where it is none. `None` if the text is neither.
pub(crate) fn real(text: &str) -> Option<Value> {
    let digits = text.strip_prefix('+').unwrap_or(text);
    if let Ok(number) = digits.parse() {
        return Some(Value::Number(number));
    }
    let name = digits.to_ascii_lowercase();
    let is_special = matches!(name.trim_start_matches('-'), "nan" | "inf" | "infinity");
    is_special.then_some(Value::Text(name))
}

/// The value of a string signal. Blanks and control characters are written `\n`, `\t`, `\r`, `\\`, `\x20` or `\040`; any other
/// backslash is itself.
pub(crate) fn string(bytes: &[u8]) -> Value {
    let mut out = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    while let Some((&first, after)) = rest.split_first() {
        let (byte, length) = match (first, after) {
            (b'\\', [b'n', ..]) => (b'\n', 2),
            (b'\\', [b't', ..]) => (b'\t', 2),
            (b'\\', [b'r', ..]) => (b'\r', 2),
            (b'\\', [b'\\', ..]) => (b'\\', 2),
            (b'\\', [b'x', hex @ ..]) => number(hex, 2, 16).map_or((first, 1), |byte| (byte, 4)),
            (b'\\', [b'0'..=b'3', ..]) => number(after, 3, 8).map_or((first, 1), |byte| (byte, 4)),
            _ => (first, 1),
        };
        out.push(byte);
        rest = &rest[length..];
    }
    Value::Text(String::from_utf8(out).unwrap_or_else(|e| String::from_utf8_lossy(e.as_bytes()).into_owned()))
}

/// The byte that so many digits stand for.
fn number(bytes: &[u8], digits: usize, radix: u32) -> Option<u8> {
    let digits = bytes.get(..digits).filter(|d| d.iter().all(u8::is_ascii_hexdigit))?;
    u8::from_str_radix(str::from_utf8(digits).ok()?, radix).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn show(bits: &str, width: u32, unknown: Unknown) -> String {
        vector(bits.as_bytes(), width, unknown).map_or_else(|bad| format!("{bad:?}"), |value| value.to_string())
    }

    #[test]
    fn vectors() {
        let ones = "1".repeat(64);
        for (bits, width, text, zero, one) in [
            ("", 4, "0", "0", "0"),
            ("101", 8, "5", "5", "5"),
            ("00000101", 4, "5", "5", "5"),
            ("10101", 4, "TooMany(5)", "TooMany(5)", "TooMany(5)"),
            ("x", 4, "\"x\"", "0", "15"),
            ("xxxxxx", 4, "\"x\"", "0", "15"),
            ("Z", 1, "\"z\"", "0", "1"),
            ("x1", 4, "\"x1\"", "1", "15"),
            ("xxx1", 4, "\"x1\"", "1", "15"),
            ("001x", 4, "\"1x\"", "2", "3"),
            ("1x", 4, "\"1x\"", "2", "3"),
            ("000x", 4, "\"0x\"", "0", "1"),
            ("11x", 4, "\"11x\"", "6", "7"),
            ("z01", 3, "\"z01\"", "1", "5"),
            ("zx", 4, "\"zx\"", "0", "15"),
            ("HLUW-", 5, "\"10xxx\"", "16", "23"),
            ("1b", 2, "NotABit(1)", "NotABit(1)", "NotABit(1)"),
            (&ones, 64, "18446744073709551615", "18446744073709551615", "18446744073709551615"),
        ] {
            let found = [Unknown::Text, Unknown::Zero, Unknown::One].map(|unknown| show(bits, width, unknown));
            assert_eq!(found, [text, zero, one], "{bits} {width}");
        }
        let wide = "1".repeat(100_000);
        assert!(matches!(vector(wide.as_bytes(), 100_000, Unknown::Text), Ok(Value::Number(_))));
    }

    #[test]
    fn bits_are_vectors() {
        for byte in 0..=u8::MAX {
            for width in [1, 3] {
                for unknown in [Unknown::Text, Unknown::Zero, Unknown::One] {
                    assert_eq!(bit(byte, width, unknown), vector(&[byte], width, unknown).ok(), "{byte} {width}");
                }
            }
        }
    }

    #[test]
    fn reals_and_strings() {
        for (text, value) in [
            ("1.5", Some("1.5")),
            ("-2.5e-3", Some("-0.0025")),
            ("+1e+2", Some("100")),
            ("NaN", Some("\"nan\"")),
            ("-inf", Some("\"-inf\"")),
            ("", None),
            ("1.5.2", None),
        ] {
            assert_eq!(real(text).map(|v| v.to_string()).as_deref(), value, "{text}");
        }
        for (bytes, text) in [
            (&b"TOP/0"[..], "TOP/0"),
            (br"a\x20b\n\\c\040\t", "a b\n\\c \t"),
            (br"\q\x2\09", r"\q\x2\09"),
            (br"\", r"\"),
            (b"\xff", "\u{fffd}"),
        ] {
            assert_eq!(string(bytes), Value::Text(text.to_owned()));
        }
    }
}
