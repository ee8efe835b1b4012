//! The automata of atoms.
//!
//! State 0 reads the letter before the string. A position is the place of the first one of its track.

use super::core::Atom;
use posetta_automata::tracks::{Said, TrackDfa};
use posetta_base::{Budget, OverBudget};

use Said::{No, Nothing, Yes};

/// The automaton of an atom over its tracks in the order in which [`Atom::tracks`] lists them.
pub(super) fn automaton(atom: &Atom, budget: &Budget) -> Result<TrackDfa, OverBudget> {
    let table = |width: u32, said: &[Said], next: &dyn Fn(usize, u32) -> usize| {
        // State 1 is where the string begins.
        TrackDfa::table(width, said, |state, letter| if state == 0 { 1 } else { next(state, letter) }, budget)
    };
    match *atom {
        Atom::Truth(_) => TrackDfa::table(
            1,
            &[Nothing, No, Yes],
            |state, letter| if state == 0 { 1 + letter as usize } else { state },
            budget,
        ),
        Atom::Some(_) => table(1, &[Nothing, No, Yes], &|state, letter| state.max(1 + letter as usize)),
        Atom::In(_, n, _) => {
            // 1: p is still to come; 2 yes; 3 no; 4 + i: i + 1 letters to go.
            let n = n as usize;
            let mut said = vec![Nothing, No, Yes, No];
            said.resize(4 + n, No);
            table(2, &said, &|state, letter| match (state, letter & 1, letter >> 1) {
                (1, 0, _) => 1,
                (1, _, member) if n == 0 => 3 - member as usize,
                (1, _, _) => 3 + n,
                (4, _, member) => 3 - member as usize,
                (2 | 3, _, _) => state,
                _ => state - 1,
            })
        }
        Atom::Has(_, n) => {
            let n = n as usize;
            let mut said = vec![Nothing, No, Yes, No];
            said.resize(4 + n, No);
            // 1: position 0; 4 + i: i + 1 letters to go.
            table(1, &said, &|state, letter| match state {
                1 if n == 0 => 3 - letter as usize,
                1 => 3 + n,
                2 | 3 => state,
                4 => 3 - letter as usize,
                _ => state - 1,
            })
        }
        Atom::Equal(_, _, n) => {
            let n = n as usize;
            let mut said = vec![Nothing, No, Yes, No];
            said.resize(4 + n, No);
            // p = q + n. 1: neither has come; 4 + i: q has, p must come after i more letters.
            table(2, &said, &|state, letter| match (state, letter & 1, letter >> 1) {
                (1, 0, 0) => 1,
                (1, 1, 1) if n == 0 => 2,
                (1, 0, 1) if n > 0 => 3 + n,
                (1, _, _) => 3,
                (4, 1, _) => 2,
                (2 | 3, _, _) => state,
                (4, _, _) | (_, 1, _) => 3,
                _ => state - 1,
            })
        }
        Atom::AtMost(_, _, n) => at_most(n, budget),
        Atom::Is(_, n) => first_one(n, No, budget),
        Atom::Below(_, n) => first_one(n, Yes, budget),
        Atom::Monus(_, _, n) => {
            let n = n as usize;
            // 1: position 0; 2 yes; 3 no; 4: later, neither has come; 5 + i: v was 0, i + 1 letters in which p may come; 5 + n + i: v was later,
            // p must come after i more letters.
            let mut said = vec![Nothing, No, Yes, No, No];
            said.resize(5 + 2 * n, No);
            table(2, &said, &|state, letter| match (state, letter & 1, letter >> 1) {
                (1, 1, 1) => 2,
                (1, 1, _) => 4 + n,
                (1, 0, 0) => 4,
                (4, 0, 0) => 4,
                (4, 1, 0) => 4 + 2 * n,
                (1 | 4, _, _) => 3,
                (2 | 3, _, _) => state,
                (_, _, 1) if state <= 5 + n => 2,
                (_, _, 1) => 3,
                (_, _, _) if state == 5 || state == 5 + n => 3,
                _ => state - 1,
            })
        }
        Atom::Min(..) => {
            // 1: position 0; 2 yes; 3 no; 4: neither has come; 5: p is 0 and there is no element yet.
            table(2, &[Nothing, No, Yes, No, No, Yes], &|state, letter| match (state, letter & 1, letter >> 1) {
                (2 | 3, _, _) => state,
                (5, _, 0) => 5,
                (5, _, _) => 3,
                (1 | 4, 0, 0) => 4,
                (1 | 4, 1, 1) => 2,
                (1, 1, _) => 5,
                _ => 3,
            })
        }
        Atom::Max(..) => {
            // 1: position 0; 2: p has come, no element may follow; 3 no; 4: p has not come.
            table(2, &[Nothing, No, Yes, No, No], &|state, letter| match (state, letter & 1, letter >> 1) {
                (3, _, _) | (2, _, 1) => 3,
                (2, _, _) => 2,
                (_, 0, _) => 4,
                (1, _, _) | (_, _, 1) => 2,
                _ => 3,
            })
        }
        Atom::Sub(..) => {
            table(2, &[Nothing, Yes, No], &|state, letter| if state == 2 || letter == 0b01 { 2 } else { 1 })
        }
        Atom::Same(..) => table(2, &[Nothing, Yes, No], &|state, letter| {
            if state == 2 || letter == 0b01 || letter == 0b10 { 2 } else { 1 }
        }),
        Atom::Empty(_) => table(1, &[Nothing, Yes, No], &|state, letter| state.max(1 + letter as usize)),
        Atom::Number(_, n) => {
            let bits = 64 - n.leading_zeros() as usize;
            let mut said = vec![Nothing; bits + 3];
            // 1 + i: position i; the last is no.
            (0..bits).for_each(|i| said[1 + i] = No);
            said[1 + bits] = Yes;
            said[2 + bits] = No;
            table(1, &said, &|state, letter| {
                let position = state - 1;
                match position {
                    _ if position > bits => state,
                    _ if position == bits => state + letter as usize,
                    _ if u64::from(letter) == n >> position & 1 => state + 1,
                    _ => bits + 2,
                }
            })
        }
    }
}

/// Yes if p is n, `before` if it lies before n, no behind it.
fn first_one(n: u32, before: Said, budget: &Budget) -> Result<TrackDfa, OverBudget> {
    let n = n as usize;
    // 1 + i: position i, and p has not come; the last two are yes and no.
    let (yes, no) = (n + 2, n + 3);
    let mut said = vec![No; n + 4];
    (said[0], said[yes]) = (Nothing, Yes);
    let next = |state: usize, letter: u32| match (state, letter) {
        (0, _) => 1,
        _ if state >= yes => state,
        (_, 1) if state == n + 1 || before == Yes => yes,
        (_, 0) if state <= n => state + 1,
        _ => no,
    };
    TrackDfa::table(1, &said, next, budget)
}

/// p ≤ q + n.
fn at_most(n: i64, budget: &Budget) -> Result<TrackDfa, OverBudget> {
    let span = n.unsigned_abs() as usize;
    // 1: neither has come; 2 yes; 3 no; 4: p has come, q may come any time; 5 + i: one has come, i letters lie between it and the next one.
    let mut said = vec![Nothing, No, Yes, No, No];
    said.resize(5 + span, No);
    let next = |state: usize, letter: u32| match (state, letter & 1 == 1, letter >> 1 == 1) {
        (0, _, _) | (1, false, false) => 1,
        (2 | 3, _, _) => state,
        (4, _, q) => 4 - 2 * usize::from(q),
        // p may come up to n letters after q.
        (1, true, q) if n >= 0 => 4 - 2 * usize::from(q),
        (1, false, true) if n > 0 => 5,
        (_, true, _) if n >= 0 => 2,
        (_, false, _) if n > 0 && state > 4 && state + 1 < 5 + span => state + 1,
        // q must come at least -n letters after p.
        (1, true, false) => 5,
        (_, _, q) if n < 0 && state > 4 => match (q, state - 4 >= span) {
            (true, true) => 2,
            (true, false) => 3,
            (false, last) => state + usize::from(!last),
        },
        _ => 3,
    };
    TrackDfa::table(2, &said, next, budget)
}

#[cfg(test)]
mod tests {
    use super::super::core::Track;
    use super::*;

    /// Every atom against what it means, for all strings of two tracks up to six letters.
    #[test]
    fn atoms_say_what_they_mean() {
        let (a, b) = (Track(0), Track(1));
        let budget = Budget::unlimited();
        type Meaning = Box<dyn Fn(i64, i64, &[i64], &[i64]) -> bool>;
        let mut cases: Vec<(Atom, Meaning)> = vec![
            (Atom::Some(a), Box::new(|_, _, x, _| !x.is_empty())),
            (Atom::Min(a, b), Box::new(|p, _, _, y| p == y.iter().copied().min().unwrap_or(0))),
            (Atom::Max(a, b), Box::new(|p, _, _, y| p == y.iter().copied().max().unwrap_or(0))),
            (Atom::Sub(a, b), Box::new(|_, _, x, y| x.iter().all(|e| y.contains(e)))),
            (Atom::Same(a, b), Box::new(|_, _, x, y| x == y)),
            (Atom::Empty(a), Box::new(|_, _, x, _| x.is_empty())),
        ];
        for n in 0..4_u32 {
            let m = i64::from(n);
            cases.push((Atom::In(a, n, b), Box::new(move |p, _, _, y| y.contains(&(p + m)))));
            cases.push((Atom::Has(a, n), Box::new(move |_, _, x, _| x.contains(&m))));
            cases.push((Atom::Equal(a, b, n), Box::new(move |p, q, _, _| p == q + m)));
            cases.push((Atom::AtMost(a, b, m), Box::new(move |p, q, _, _| p <= q + m)));
            cases.push((Atom::AtMost(a, b, -m), Box::new(move |p, q, _, _| p <= q - m)));
            cases.push((Atom::Is(a, n), Box::new(move |p, _, _, _| p == m)));
            cases.push((Atom::Below(a, n), Box::new(move |p, _, _, _| p <= m)));
        }
        for n in 1..4_u32 {
            let m = i64::from(n);
            cases.push((Atom::Monus(a, b, n), Box::new(move |p, q, _, _| p == (q - m).max(0))));
        }
        for n in 0..20_u64 {
            let ones: Vec<i64> = (0..8).filter(|i| n >> i & 1 == 1).collect();
            cases.push((Atom::Number(a, n), Box::new(move |_, _, x, _| *x == ones[..])));
        }
        for (atom, meaning) in cases {
            let dfa = automaton(&atom, &budget).unwrap();
            let width = dfa.width();
            for length in 0..=6_usize {
                for code in 0..1_u32 << (width as usize * length) {
                    let letter = |i: usize| code >> (width as usize * i) & ((1 << width) - 1);
                    let ones = |track: u32| -> Vec<i64> {
                        (0..length).filter(|&i| letter(i) >> track & 1 == 1).map(|i| i as i64).collect()
                    };
                    let (x, y) = (ones(0), if width > 1 { ones(1) } else { Vec::new() });
                    let places: &[usize] = match atom {
                        Atom::In(..) | Atom::Is(..) | Atom::Below(..) | Atom::Min(..) | Atom::Max(..) => &[0],
                        Atom::Equal(..) | Atom::AtMost(..) | Atom::Monus(..) => &[0, 1],
                        _ => &[],
                    };
                    if places.iter().any(|&i| [&x, &y][i].is_empty()) {
                        continue;
                    }
                    let mut state = dfa.step(0, |_| false);
                    for i in 0..length {
                        state = dfa.step(state, |track| letter(i) >> track & 1 == 1);
                    }
                    let first = |v: &[i64]| v.first().copied().unwrap_or(0);
                    let expected = if meaning(first(&x), first(&y), &x, &y) { Yes } else { No };
                    assert_eq!(dfa.said(state), expected, "{atom:?} {x:?} {y:?}");
                    // Positions without ones change nothing.
                    assert_eq!(dfa.said(dfa.step(state, |_| false)), expected, "{atom:?} {x:?} {y:?} and a zero");
                }
            }
        }
    }
}
