//! The name that was probably meant.

/// Longer names than this are not compared: nobody mistypes them.
const LONGEST: usize = 100;

/// The candidate nearest to `name`, if it is near enough to be a slip: a third of the letters at most, by optimal string
/// alignment (insertions, deletions, changes, swaps of neighbours), whatever the case. Ties go to the first candidate.
#[must_use]
pub fn nearest<'a>(name: &str, candidates: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let letters = |text: &str| -> Option<Vec<char>> {
        (text.len() <= 4 * LONGEST).then(|| text.chars().flat_map(char::to_lowercase).collect())
    };
    let name = letters(name)?;
    let limit = (name.len() / 3).max(1);
    let mut best = None;
    for candidate in candidates {
        let Some(other) = letters(candidate) else { continue };
        if let Some(d) = distance(&name, &other, limit)
            && best.is_none_or(|(least, _)| d < least)
        {
            best = Some((d, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
}

/// A name as operators and what they were probably meant to stand before, if somebody knows that: `Fb` as `F b`, `GFb` as `G F b`.
pub(crate) fn unglued(name: &str, operators: &[&str], is_known: &dyn Fn(&str) -> bool) -> Option<String> {
    let (mut rest, mut words) = (name, String::new());
    while words.len() < LONGEST {
        let operator = operators.iter().find(|operator| rest.starts_with(**operator))?;
        rest = &rest[operator.len()..];
        words.push_str(operator);
        words.push(' ');
        if is_known(rest) {
            return Some(words + rest);
        }
    }
    None
}

/// The distance, if it is at most `limit`. Three rows are kept: this one, the last and the one before.
fn distance(a: &[char], b: &[char], limit: usize) -> Option<usize> {
    if a.len().abs_diff(b.len()) > limit || a.len().max(b.len()) > LONGEST {
        return None;
    }
    let (mut before, mut last): (Vec<usize>, Vec<usize>) = (Vec::new(), (0..=b.len()).collect());
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let change = last[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut best = change.min(last[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                best = best.min(before[j - 2] + 1);
            }
            row.push(best);
        }
        (before, last) = (last, row);
    }
    Some(last[b.len()]).filter(|&d| d <= limit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_slips_and_nothing_else() {
        let known = ["commit", "vote_a", "vote_b", "x"];
        for (name, meant) in [
            ("comit", Some("commit")),
            ("ocmmit", Some("commit")),
            ("Vote_A", Some("vote_a")),
            ("vote", None), // two letters away from a name of four is a guess
            ("leader", None),
            ("y", Some("x")),
            ("", Some("x")),
        ] {
            assert_eq!(nearest(name, known.iter().copied()), meant, "{name}");
        }
    }

    #[test]
    fn operators_are_taken_off_what_is_known() {
        let known = |name: &str| name == "b" || name == "event";
        for (name, meant) in [
            ("Fb", Some("F b")),
            ("GFb", Some("G F b")),
            ("Gevent", Some("G event")),
            ("WXb", Some("WX b")),
            ("Fc", None),
            ("F", None),
            ("b", None),
            ("FF", None),
        ] {
            assert_eq!(unglued(name, &["WX", "X", "F", "G"], &known).as_deref(), meant, "{name}");
        }
        assert_eq!(unglued(&"F".repeat(100_000), &["F"], &known), None);
    }

    #[test]
    fn endless_names_cost_nothing() {
        let (a, b) = ("a".repeat(1_000_000), "b".repeat(1_000_000));
        assert_eq!(nearest(&a, std::iter::once(b.as_str())), None);
    }
}
