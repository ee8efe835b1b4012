//! Exact numbers: one value however it is written, and the laws of arithmetic.

use posetta_base::{MAX_DIGITS, Number, NumberError, ParseNumberError};

use crate::LONGEST;

/// The first two words as numbers.
///
/// # Panics
/// When a promise is broken.
pub fn numbers(data: &[u8]) {
    let Some(text) = std::str::from_utf8(data).ok().filter(|t| t.len() <= LONGEST) else { return };
    let mut words = text.split(' ');
    let (first, second) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    for word in [first, second] {
        one(word);
    }
    if let (Ok(a), Ok(b)) = (first.parse(), second.parse()) {
        laws(&a, &b);
    }
}

fn one(word: &str) {
    let parsed = word.parse::<Number>();
    assert_eq!(parsed.is_ok(), grammatical(word) && parsed != Err(ParseNumberError::TooLong), "{word}");
    if parsed == Err(ParseNumberError::TooLong) {
        assert!(grammatical(word), "{word} is no number of any length");
    }
    let Ok(number) = parsed else { return };
    let decimal = number.to_decimal().expect("what is read from a decimal has one");
    assert_eq!(number.to_string(), decimal);
    // Only a number that was shortened by an exponent can be too long without one.
    let digits = decimal.bytes().filter(u8::is_ascii_digit).count();
    let again = decimal.parse::<Number>();
    assert!(again == Ok(number.clone()) || digits > MAX_DIGITS, "{word} printed as {decimal}: {again:?}");
    // Digits that say nothing lead from the fast paths to the general one.
    let (sign, rest) = word.split_at(usize::from(word.starts_with('-')));
    let padded = format!("{sign}{}{rest}", "0".repeat(20));
    if let Ok(same) = padded.parse::<Number>() {
        assert_eq!(same, number, "{padded}");
    }
}

/// `[-]digits[.digits][e[+-]digits]`, written down a second time.
fn grammatical(word: &str) -> bool {
    let word = word.strip_prefix('-').unwrap_or(word);
    let digits = |s: &str| !s.is_empty() && s.bytes().all(|b| b.is_ascii_digit());
    let (mantissa, exponent) = match word.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (word, None),
    };
    let mantissa = match mantissa.split_once('.') {
        Some((whole, fraction)) => digits(whole) && digits(fraction),
        None => digits(mantissa),
    };
    mantissa && exponent.is_none_or(|e| digits(e.strip_prefix(['+', '-']).unwrap_or(e)))
}

fn laws(a: &Number, b: &Number) {
    let size = |result: Result<Number, NumberError>| match result {
        Ok(number) => Some(number),
        Err(NumberError::TooLarge) => None,
        Err(NumberError::DivisionByZero) => panic!("nothing was divided"),
    };
    assert_eq!(a.cmp(b), b.cmp(a).reverse());
    assert_eq!(a == b, a.cmp(b).is_eq());
    if let Some(difference) = size(a.sub(b)) {
        assert_eq!(difference.cmp(&Number::ZERO), a.cmp(b), "{a} - {b}");
        if let Some(back) = size(difference.add(b)) {
            assert_eq!(back, *a, "{a} - {b} + {b}");
        }
    }
    assert_eq!(size(a.add(b)), size(b.add(a)));
    let product = size(a.mul(b));
    assert_eq!(product, size(b.mul(a)));
    match a.div(b) {
        Err(NumberError::DivisionByZero) => assert!(b.is_zero()),
        Err(NumberError::TooLarge) => {}
        Ok(quotient) => {
            assert!(!b.is_zero());
            if let Some(back) = size(quotient.mul(b)) {
                assert_eq!(back, *a, "{a} / {b} * {b}");
            }
        }
    }
    if let Some(negated) = size(a.neg()) {
        assert_eq!(size(negated.neg()), Some(a.clone()));
    }
}
