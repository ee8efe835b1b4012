//! Exact rationals, 16 bytes each, with fast paths for machine integers and small fractions.
//!
//! Invariant: every number has one form, the first of `Int`, `Small` and `Ratio` that can hold it, in lowest terms. So
//! derived equality and hashing are those of the numbers. Measurements and time stamps with up to nine decimals are
//! `Small` and cost no allocation; a million boxed ones took half the time of reading a run.

use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

use dashu_int::{IBig, UBig};
use dashu_ratio::RBig;

/// A number written with more digits than this is refused; exponents count as the digits they stand for.
pub const MAX_DIGITS: usize = 10_000;

/// Results of arithmetic past this many bits are refused: one operation on them could outlast any time limit.
const MAX_BITS: usize = 1 << 17;

/// An exact rational number.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Number(Repr);

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Repr {
    Int(i64),
    /// Numerator and denominator, which is at least 2.
    Small(i64, u32),
    Ratio(Box<RBig>),
}

/// Why arithmetic has no result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NumberError {
    /// The divisor is 0.
    DivisionByZero,
    /// The result is too large to go on with.
    TooLarge,
}

/// Why a text is not a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParseNumberError {
    /// Not `[-]digits[.digits][e[+-]digits]`.
    Malformed,
    /// More than [`MAX_DIGITS`] digits when written out.
    TooLong,
}

impl From<i64> for Number {
    fn from(n: i64) -> Self {
        Self(Repr::Int(n))
    }
}

impl From<RBig> for Number {
    fn from(r: RBig) -> Self {
        let parts = (i64::try_from(r.numerator().clone()), u32::try_from(r.denominator().clone()));
        match parts {
            (Ok(n), Ok(1)) => Self(Repr::Int(n)),
            (Ok(n), Ok(d)) => Self(Repr::Small(n, d)),
            _ => Self(Repr::Ratio(Box::new(r))),
        }
    }
}

impl Number {
    /// Zero.
    pub const ZERO: Self = Self(Repr::Int(0));
    /// One.
    pub const ONE: Self = Self(Repr::Int(1));

    /// A fraction of whole numbers; 0 if the denominator is.
    #[must_use]
    pub fn fraction(numerator: u64, denominator: u32) -> Self {
        let common = gcd(numerator, u64::from(denominator));
        if common == 0 || denominator == 0 {
            return Self::ZERO;
        }
        let below = denominator / common as u32;
        match (i64::try_from(numerator / common), below) {
            (Ok(n), 1) => Self(Repr::Int(n)),
            (Ok(n), _) => Self(Repr::Small(n, below)),
            (Err(_), _) => Self::from(RBig::from_parts(IBig::from(numerator), UBig::from(denominator))),
        }
    }

    /// The number as a machine integer, if it is one.
    #[must_use]
    pub fn as_i64(&self) -> Option<i64> {
        match self.0 {
            Repr::Int(n) => Some(n),
            Repr::Small(..) | Repr::Ratio(_) => None,
        }
    }

    /// About how many bytes it holds on the heap: none, for nearly all.
    #[must_use]
    pub fn heap_bytes(&self) -> usize {
        match &self.0 {
            Repr::Int(_) | Repr::Small(..) => 0,
            Repr::Ratio(r) => size_of::<RBig>() + 32 + size(r) / 8,
        }
    }

    /// Whether it is 0.
    #[must_use]
    pub fn is_zero(&self) -> bool {
        self.0 == Repr::Int(0)
    }

    /// The number as an arbitrary-precision rational.
    #[must_use]
    pub fn to_ratio(&self) -> RBig {
        match &self.0 {
            Repr::Int(n) => RBig::from(*n),
            Repr::Small(n, d) => RBig::from_parts(IBig::from(*n), UBig::from(*d)),
            Repr::Ratio(r) => (**r).clone(),
        }
    }

    fn combine(
        &self,
        other: &Self,
        fast: impl Fn(i64, i64) -> Option<i64>,
        exact: impl Fn(RBig, RBig) -> RBig,
    ) -> Result<Self, NumberError> {
        if let (Repr::Int(a), Repr::Int(b)) = (&self.0, &other.0)
            && let Some(n) = fast(*a, *b)
        {
            return Ok(Self::from(n));
        }
        let (a, b) = (self.to_ratio(), other.to_ratio());
        if size(&a) + size(&b) > MAX_BITS {
            return Err(NumberError::TooLarge);
        }
        Ok(Self::from(exact(a, b)))
    }

    /// `self + other`.
    ///
    /// # Errors
    /// When the result is too large.
    pub fn add(&self, other: &Self) -> Result<Self, NumberError> {
        self.combine(other, i64::checked_add, |a, b| a + b)
    }

    /// `self - other`.
    ///
    /// # Errors
    /// When the result is too large.
    pub fn sub(&self, other: &Self) -> Result<Self, NumberError> {
        self.combine(other, i64::checked_sub, |a, b| a - b)
    }

    /// `self * other`.
    ///
    /// # Errors
    /// When the result is too large.
    pub fn mul(&self, other: &Self) -> Result<Self, NumberError> {
        self.combine(other, i64::checked_mul, |a, b| a * b)
    }

    /// `self / other`.
    ///
    /// # Errors
    /// When the divisor is 0 or the result is too large.
    pub fn div(&self, other: &Self) -> Result<Self, NumberError> {
        if other.is_zero() {
            return Err(NumberError::DivisionByZero);
        }
        let exact = |a: i64, b: i64| if a.checked_rem(b)? == 0 { a.checked_div(b) } else { None };
        self.combine(other, exact, |a, b| a / b)
    }

    /// `-self`.
    ///
    /// # Errors
    /// When the result is too large.
    pub fn neg(&self) -> Result<Self, NumberError> {
        Self::ZERO.sub(self)
    }

    /// The largest whole number that is not above `self`.
    #[must_use]
    pub fn floor(&self) -> Self {
        RBig::from(self.to_ratio().floor()).into()
    }

    /// The number as a finite decimal, as JSON writes it; `None` if it has none (1/3).
    #[must_use]
    pub fn to_decimal(&self) -> Option<String> {
        if let Repr::Int(n) = self.0 {
            return Some(n.to_string());
        }
        let ratio = self.to_ratio();
        let mut rest = ratio.denominator().clone();
        let mut places = [0usize; 2];
        for (prime, count) in [2u8, 5].into_iter().zip(&mut places) {
            let prime = UBig::from(prime);
            while (&rest % &prime) == UBig::ZERO {
                rest /= &prime;
                *count += 1;
            }
        }
        if rest != UBig::ONE {
            return None;
        }
        let places = places[0].max(places[1]);
        let scaled =
            ratio.numerator() * IBig::from(UBig::from(10u8).pow(places)) / IBig::from(ratio.denominator().clone());
        let (sign, magnitude) = scaled.into_parts();
        let digits = magnitude.to_string();
        let digits = format!("{}{digits}", "0".repeat((places + 1).saturating_sub(digits.len())));
        let (whole, fraction) = digits.split_at(digits.len() - places);
        let minus = if sign == dashu_int::Sign::Negative { "-" } else { "" };
        Some(if places == 0 { format!("{minus}{whole}") } else { format!("{minus}{whole}.{fraction}") })
    }
}

fn size(r: &RBig) -> usize {
    use dashu_int::ops::BitTest;
    r.numerator().bit_len() + r.denominator().bit_len()
}

impl PartialOrd for Number {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Number {
    fn cmp(&self, other: &Self) -> Ordering {
        // Numerator and denominator; the product of any two of these fits 128 bits.
        let small = |n: &Self| match n.0 {
            Repr::Int(n) => Some((i128::from(n), 1)),
            Repr::Small(n, d) => Some((i128::from(n), i128::from(d))),
            Repr::Ratio(_) => None,
        };
        match (small(self), small(other)) {
            (Some((a, b)), Some((c, d))) => (a * d).cmp(&(c * b)),
            _ => self.to_ratio().cmp(&other.to_ratio()),
        }
    }
}

impl fmt::Display for Number {
    /// An integer, a finite decimal, or `a/b`: each of them parses back in a formula and in the text format.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.to_decimal() {
            Some(text) => f.write_str(&text),
            None => {
                let ratio = self.to_ratio();
                write!(f, "{}/{}", ratio.numerator(), ratio.denominator())
            }
        }
    }
}

/// `digits.digits` that fits machine words, as time stamps mostly do; `None` for all else.
fn short_decimal(text: &str) -> Option<Number> {
    let (whole, fraction) = text.split_once('.')?;
    let digits = |s: &str| !s.is_empty() && s.bytes().all(|b| b.is_ascii_digit());
    if whole.len() + fraction.len() > 18 || !digits(whole) || !digits(fraction) {
        return None;
    }
    let all = whole.bytes().chain(fraction.bytes()).fold(0i64, |n, b| n * 10 + i64::from(b - b'0'));
    let below = 10i64.pow(fraction.len() as u32);
    let common = gcd(all.unsigned_abs(), below.unsigned_abs()) as i64;
    let (above, below) = (all / common, below / common);
    Some(match u32::try_from(below) {
        Ok(1) => Number(Repr::Int(above)),
        Ok(below) => Number(Repr::Small(above, below)),
        Err(_) => Number::from(RBig::from_parts(IBig::from(above), UBig::from(below.unsigned_abs()))),
    })
}

fn gcd(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

impl FromStr for Number {
    type Err = ParseNumberError;

    /// Reads `[-]digits[.digits][e[+-]digits]`, the numbers of JSON, exactly.
    fn from_str(text: &str) -> Result<Self, ParseNumberError> {
        use ParseNumberError::{Malformed, TooLong};
        // Eighteen characters cannot overflow an i64, and nearly every number is that short.
        if text.len() <= 18
            && let Ok(n) = text.parse::<i64>()
            && !text.starts_with('+')
        {
            return Ok(Self::from(n));
        }
        if let Some(number) = short_decimal(text) {
            return Ok(number);
        }
        let (negative, rest) = text.strip_prefix('-').map_or((false, text), |rest| (true, rest));
        let (mantissa, exponent) = match rest.find(['e', 'E']) {
            Some(at) => (&rest[..at], Some(&rest[at + 1..])),
            None => (rest, None),
        };
        let (whole, fraction) = match mantissa.split_once('.') {
            Some((_, "")) => return Err(Malformed),
            Some(parts) => parts,
            None => (mantissa, ""),
        };
        let all_digits = |s: &str| s.bytes().all(|b| b.is_ascii_digit());
        if whole.is_empty() || !all_digits(whole) || !all_digits(fraction) {
            return Err(Malformed);
        }
        if whole.len() + fraction.len() > MAX_DIGITS {
            return Err(TooLong);
        }
        let exponent = match exponent {
            None => 0,
            Some(e) => {
                let digits = e.strip_prefix(['+', '-']).unwrap_or(e);
                if digits.is_empty() || !all_digits(digits) {
                    return Err(Malformed);
                }
                let digits = digits.trim_start_matches('0');
                // Longer than any that can be written out; zero, which can, is told apart below.
                let digits = if digits.len() > 6 { "999999" } else { digits };
                let magnitude: i64 = if digits.is_empty() { 0 } else { digits.parse().map_err(|_| Malformed)? };
                if e.starts_with('-') { -magnitude } else { magnitude }
            }
        };
        if whole.bytes().chain(fraction.bytes()).all(|b| b == b'0') {
            return Ok(Self::ZERO);
        }
        let scale = exponent - fraction.len() as i64;
        let digits = whole.len() + fraction.len();
        let written_out =
            if scale >= 0 { digits + scale as usize } else { digits.max(scale.unsigned_abs() as usize + 1) };
        if written_out > MAX_DIGITS {
            return Err(TooLong);
        }
        let mut digits = String::with_capacity(whole.len() + fraction.len());
        digits.push_str(whole);
        digits.push_str(fraction);
        let mut numerator = IBig::from_str_radix(&digits, 10).map_err(|_| Malformed)?;
        if negative {
            numerator = -numerator;
        }
        let power = UBig::from(10u8).pow(scale.unsigned_abs() as usize);
        Ok(Self::from(if scale >= 0 {
            RBig::from(numerator * IBig::from(power))
        } else {
            RBig::from_parts(numerator, power)
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn n(text: &str) -> Number {
        text.parse().unwrap()
    }

    #[test]
    fn floor_goes_down_on_both_sides_of_zero() {
        for (number, floor) in [("0", "0"), ("3", "3"), ("-3", "-3"), ("2.5", "2"), ("-2.5", "-3"), ("-0.1", "-1")] {
            assert_eq!(n(number).floor(), n(floor), "{number}");
        }
    }

    #[test]
    fn reads_and_prints_exactly() {
        for (text, shown) in [
            ("0", "0"),
            ("-0", "0"),
            ("-0.0", "0"),
            ("007", "7"),
            ("1.50", "1.5"),
            ("2.00", "2"),
            ("1700000000.000123", "1700000000.000123"),
            ("123456789012.345678", "123456789012.345678"),
            ("1234567890123.456789", "1234567890123.456789"),
            ("-12.05", "-12.05"),
            ("0.001", "0.001"),
            ("-0.001", "-0.001"),
            ("1e3", "1000"),
            ("1E-3", "0.001"),
            ("12.5e1", "125"),
            ("9223372036854775807", "9223372036854775807"),
            ("9223372036854775808", "9223372036854775808"),
            ("-9223372036854775808", "-9223372036854775808"),
        ] {
            assert_eq!(n(text).to_string(), shown, "{text}");
            assert_eq!(n(shown), n(text));
        }
        assert_eq!(n("1").div(&n("3")).unwrap().to_string(), "1/3");
        assert_eq!(n("1").div(&n("3")).unwrap().to_decimal(), None);
    }

    #[test]
    fn fractions_are_in_lowest_terms() {
        for (above, below, shown) in [
            (1_544_712_660_000_000_001, 1_000_000_000, "1544712660.000000001"),
            (3_000, 1_000, "3"),
            (0, 7, "0"),
            (u64::MAX, 1, "18446744073709551615"),
            (u64::MAX, 5, "3689348814741910323"),
            (u64::MAX, 1_000_000_000, "18446744073.709551615"),
        ] {
            assert_eq!(Number::fraction(above, below), n(shown));
            assert_eq!(Number::fraction(above, below).to_string(), shown);
        }
    }

    #[test]
    fn refuses_what_is_not_a_number() {
        for text in ["", "-", "+1", ".5", "1.", "1e", "1e+", "0x1", "1 ", "--1", "1.2.3", "NaN", "1_0"] {
            assert_eq!(text.parse::<Number>(), Err(ParseNumberError::Malformed), "{text}");
        }
    }

    #[test]
    fn refuses_numbers_that_would_not_end() {
        let long = "9".repeat(MAX_DIGITS + 1);
        for text in [long.as_str(), "1e10000", "1e-10000", "1e99999999999999999999"] {
            assert_eq!(text.parse::<Number>(), Err(ParseNumberError::TooLong));
        }
        assert!("9".repeat(MAX_DIGITS).parse::<Number>().is_ok());
        assert_eq!(n("1e00000000000000000001"), n("10"));
        assert_eq!(n("0e999999999"), Number::ZERO);
        assert!(format!("0.{}", "9".repeat(9_999)).parse::<Number>().is_ok());
        assert!("1e-9999".parse::<Number>().is_ok());
    }

    #[test]
    fn arithmetic_leaves_the_fast_path_without_a_seam() {
        let max = Number::from(i64::MAX);
        let min = Number::from(i64::MIN);
        assert_eq!(max.add(&Number::ONE).unwrap().to_string(), "9223372036854775808");
        assert_eq!(max.add(&Number::ONE).unwrap().sub(&Number::ONE).unwrap(), max);
        assert_eq!(min.neg().unwrap().neg().unwrap(), min);
        assert_eq!(min.div(&Number::from(-1)).unwrap().to_string(), "9223372036854775808");
        assert_eq!(max.mul(&max).unwrap().div(&max).unwrap(), max);
        assert_eq!(n("7").div(&n("2")).unwrap(), n("3.5"));
        assert_eq!(n("7").div(&Number::ZERO), Err(NumberError::DivisionByZero));
        assert!(n("0.1").add(&n("0.2")).unwrap() == n("0.3"));
        assert!(n("1").div(&n("3")).unwrap() < n("0.34"));
        assert!(max.add(&Number::ONE).unwrap() > max);
    }

    #[test]
    fn every_number_has_one_form() {
        let third = n("1").div(&n("3")).unwrap();
        assert_eq!(third.mul(&n("3")).unwrap(), Number::ONE);
        assert_eq!(n("0.5").add(&n("0.25")).unwrap(), n("0.75"));
        assert_eq!(n("0.000000001").mul(&n("1000000000")).unwrap(), Number::ONE);
        let tiny = n("0.00000000000000000001");
        assert_eq!(tiny.mul(&n("1e20")).unwrap(), Number::ONE);
        assert_eq!(tiny.mul(&n("5e19")).unwrap(), n("0.5"));
        let sorted = [
            "-1e30",
            "-2.5",
            "-2",
            "0",
            "0.00000000000000000001",
            "0.3333333333",
            "0.5",
            "1",
            "1700000000.000123",
            "1e30",
        ];
        for (i, a) in sorted.iter().enumerate() {
            for (j, b) in sorted.iter().enumerate() {
                assert_eq!(n(a).cmp(&n(b)), i.cmp(&j), "{a} {b}");
            }
        }
        assert!(third > n("0.333333333") && third < n("0.333333334"));
        assert_eq!(size_of::<Option<Number>>(), 16);
    }

    #[test]
    fn growth_has_an_end() {
        let mut x = n(&"9".repeat(MAX_DIGITS));
        let mut refused = false;
        for _ in 0..10 {
            match x.mul(&x) {
                Ok(y) => x = y,
                Err(e) => {
                    assert_eq!(e, NumberError::TooLarge);
                    refused = true;
                    break;
                }
            }
        }
        assert!(refused);
    }
}
