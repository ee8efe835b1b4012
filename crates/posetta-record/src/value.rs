//! What variables and attributes can be: numbers, booleans and text; and how they are written as JSON.

use std::borrow::Cow;
use std::io::Write;

/// A value of a variable or an attribute.
#[derive(Clone, Debug, PartialEq)]
pub enum Value<'a> {
    /// `true` is 1 in a run, `false` is 0.
    Bool(bool),
    /// An exact integer.
    Integer(i128),
    /// The decimal that is printed for it, exactly. Infinities and NaN are no values of variables.
    Float(f64),
    /// A string.
    Text(Cow<'a, str>),
}

/// What can be recorded. Implement it for your own types:
///
/// ```
/// use posetta_record::{ToValue, Value};
///
/// enum Role { Leader, Follower }
///
/// impl ToValue for Role {
///     fn to_value(&self) -> Value<'_> {
///         match self {
///             Role::Leader => "leader".into(),
///             Role::Follower => "follower".into(),
///         }
///     }
/// }
/// ```
pub trait ToValue {
    /// The value that stands for it in a run.
    fn to_value(&self) -> Value<'_>;
}

macro_rules! integers {
    ($($t:ty)*) => {$(
        impl ToValue for $t {
            fn to_value(&self) -> Value<'_> {
                // No integer of at most 64 bits is too large for 128.
                Value::Integer(*self as i128)
            }
        }

        impl From<$t> for Value<'_> {
            fn from(n: $t) -> Self {
                Value::Integer(n as i128)
            }
        }
    )*};
}
integers!(i8 i16 i32 i64 i128 isize u8 u16 u32 u64 usize);

macro_rules! others {
    ($($t:ty, $x:ident => $value:expr;)*) => {$(
        impl ToValue for $t {
            fn to_value(&self) -> Value<'_> {
                let $x = self;
                $value
            }
        }
    )*};
}
others! {
    bool, b => Value::Bool(*b);
    f32, x => Value::Float(shortest(*x));
    f64, x => Value::Float(*x);
    str, s => Value::Text(Cow::Borrowed(s));
    String, s => Value::Text(Cow::Borrowed(s));
    char, c => Value::Text(Cow::Owned(c.to_string()));
    Cow<'_, str>, s => Value::Text(Cow::Borrowed(s));
}

/// The number whose decimal is that of `x`: 0.1 rather than 0.10000000149011612.
fn shortest(x: f32) -> f64 {
    x.to_string().parse().unwrap_or(f64::from(x))
}

impl ToValue for Value<'_> {
    fn to_value(&self) -> Value<'_> {
        match self {
            Value::Bool(b) => Value::Bool(*b),
            Value::Integer(n) => Value::Integer(*n),
            Value::Float(x) => Value::Float(*x),
            Value::Text(text) => Value::Text(Cow::Borrowed(text)),
        }
    }
}

impl<T: ToValue + ?Sized> ToValue for &T {
    fn to_value(&self) -> Value<'_> {
        (**self).to_value()
    }
}

impl<'a> From<&'a str> for Value<'a> {
    fn from(text: &'a str) -> Self {
        Value::Text(Cow::Borrowed(text))
    }
}

impl From<String> for Value<'_> {
    fn from(text: String) -> Self {
        Value::Text(Cow::Owned(text))
    }
}

impl From<bool> for Value<'_> {
    fn from(b: bool) -> Self {
        Value::Bool(b)
    }
}

impl From<f64> for Value<'_> {
    fn from(x: f64) -> Self {
        Value::Float(x)
    }
}

impl Value<'_> {
    /// Writes it as JSON; `false`, and nothing is written, for infinities and NaN, which JSON has not.
    pub(crate) fn write(&self, out: &mut Vec<u8>) -> bool {
        match self {
            Value::Bool(b) => out.extend_from_slice(if *b { b"true" } else { b"false" }),
            Value::Integer(n) => match u64::try_from(*n) {
                Ok(n) => write_count(out, n),
                Err(_) => write_display(out, n),
            },
            Value::Float(x) if !x.is_finite() => return false,
            // Debug, because Display writes three hundred digits where this writes an exponent.
            Value::Float(x) => write_display(out, format_args!("{x:?}")),
            Value::Text(text) => write_quoted(out, text),
        }
        true
    }
}

fn write_display(out: &mut Vec<u8>, value: impl std::fmt::Display) {
    write!(out, "{value}").expect("writing to memory does not fail");
}

/// Writes a count in decimal.
pub(crate) fn write_count(out: &mut Vec<u8>, mut n: u64) {
    let mut digits = [0; 20];
    let mut start = digits.len();
    loop {
        start -= 1;
        digits[start] = b'0' + (n % 10) as u8;
        n /= 10;
        if n == 0 {
            break;
        }
    }
    out.extend_from_slice(&digits[start..]);
}

/// Writes a JSON string.
pub(crate) fn write_quoted(out: &mut Vec<u8>, text: &str) {
    out.push(b'"');
    write_inside_quotes(out, text);
    out.push(b'"');
}

/// Writes a JSON string without its quotes.
pub(crate) fn write_inside_quotes(out: &mut Vec<u8>, text: &str) {
    let bytes = text.as_bytes();
    let mut done = 0;
    for (i, &byte) in bytes.iter().enumerate() {
        if byte >= b' ' && byte != b'"' && byte != b'\\' {
            continue;
        }
        out.extend_from_slice(&bytes[done..i]);
        done = i + 1;
        match byte {
            b'"' => out.extend_from_slice(b"\\\""),
            b'\\' => out.extend_from_slice(b"\\\\"),
            b'\n' => out.extend_from_slice(b"\\n"),
            b'\r' => out.extend_from_slice(b"\\r"),
            b'\t' => out.extend_from_slice(b"\\t"),
            _ => write_display(out, format_args!("\\u{byte:04x}")),
        }
    }
    out.extend_from_slice(&bytes[done..]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_json() {
        for (value, json) in [
            (0.to_value(), "0"),
            (u64::MAX.to_value(), "18446744073709551615"),
            (i128::MIN.to_value(), "-170141183460469231731687303715884105728"),
            ((-5i8).to_value(), "-5"),
            (true.to_value(), "true"),
            (0.1f32.to_value(), "0.1"),
            (2.0.to_value(), "2.0"),
            (1e300.to_value(), "1e300"),
            ((-1e-7).to_value(), "-1e-7"),
            ("a\"b\\\n\u{1}é".to_value(), "\"a\\\"b\\\\\\n\\u0001é\""),
            ('x'.to_value(), "\"x\""),
            ((&&"y").to_value(), "\"y\""),
        ] {
            let mut out = Vec::new();
            assert!(value.write(&mut out));
            assert_eq!(String::from_utf8(out).unwrap(), json);
        }
        assert!(!f64::NAN.to_value().write(&mut Vec::new()));
    }
}
