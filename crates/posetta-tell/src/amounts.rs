//! Numbers as people write them: `1,234 events`.

/// `1234567` as `1,234,567`.
#[must_use]
pub fn grouped(n: u64) -> String {
    group_digits(&n.to_string())
}

/// The same for a number of any length.
#[must_use]
pub fn group_digits(digits: &str) -> String {
    let mut out = String::with_capacity(digits.len() * 4 / 3);
    for (i, c) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(c);
    }
    out
}

/// The same, but very long numbers by their first digits and their length.
#[must_use]
pub fn readable(digits: &str) -> String {
    if digits.len() <= 24 {
        return group_digits(digits);
    }
    format!("about {}.{}e{}", &digits[..1], &digits[1..4], digits.len() - 1)
}

/// `1 event`, `2 events`.
#[must_use]
pub fn counted(n: u64, one: &str, many: &str) -> String {
    format!("{} {}", grouped(n), if n == 1 { one } else { many })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_grouped() {
        for (n, text) in [(0, "0"), (999, "999"), (1000, "1,000"), (1_234_567, "1,234,567")] {
            assert_eq!(grouped(n), text);
        }
    }
}
