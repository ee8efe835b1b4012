//! The name that was probably meant.

/// The candidate nearest to `name`, if it is near enough to be a slip: a third of the letters at most, by optimal string
/// alignment (insertions, deletions, changes, swaps of neighbours). Ties go to the first candidate.
pub(super) fn nearest<'a>(name: &str, candidates: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let limit = (name.chars().count() / 3).max(1);
    candidates.map(|c| (distance(name, c), c)).filter(|&(d, _)| d <= limit).min_by_key(|&(d, _)| d).map(|(_, c)| c)
}

fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) =
        (a.chars().flat_map(char::to_lowercase).collect(), b.chars().flat_map(char::to_lowercase).collect());
    if a.len().abs_diff(b.len()) > a.len() {
        return usize::MAX;
    }
    let mut rows = vec![(0..=b.len()).collect::<Vec<_>>()];
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let change = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut best = change.min(rows[i - 1][j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                best = best.min(rows[i - 2][j - 2] + 1);
            }
            row.push(best);
        }
        rows.push(row);
    }
    rows[a.len()][b.len()]
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
            ("vote", Some("vote_a")),
            ("leader", None),
            ("y", Some("x")),
        ] {
            let limit_two = nearest(name, known.iter().copied());
            if name == "vote" {
                assert_eq!(limit_two, None); // two letters away from a name of four is a guess
            } else {
                assert_eq!(limit_two, meant, "{name}");
            }
        }
    }
}
