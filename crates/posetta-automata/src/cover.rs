//! Few short conjunctions for a set of letters.
//!
//! A label of an edge says which letters it is for. Letters that cannot come at all are free: they are given to whichever label
//! gets shorter by them. Each conjunction starts as one letter and loses every literal that it can lose without taking a
//! letter of another edge; then those that the others cover are dropped. This is the expand and irredundant part of
//! Espresso (Brayton, Hachtel, McMullen, Sangiovanni-Vincentelli 1984), not a search for the minimum.

use posetta_base::{Budget, OverBudget};

const WHAT: &str = "writing the labels of the automaton";

/// A conjunction: for each atom, what it must be, if anything.
pub type Cube = Vec<Option<bool>>;

fn covers(cube: &Cube, letter: &[bool]) -> bool {
    cube.iter().zip(letter).all(|(want, is)| want.is_none_or(|want| want == *is))
}

/// Conjunctions that cover all of `on` and none of `off`.
///
/// # Errors
/// When the budget is spent.
pub fn cover(on: &[&[bool]], off: &[&[bool]], budget: &Budget) -> Result<Vec<Cube>, OverBudget> {
    let mut cubes: Vec<Cube> = Vec::new();
    for letter in on {
        budget.step(off.len() as u64, WHAT)?;
        if cubes.iter().any(|c| covers(c, letter)) {
            continue;
        }
        let mut cube: Cube = letter.iter().map(|&b| Some(b)).collect();
        // What is false goes first: `a` says more than `!b`.
        for sign in [false, true] {
            for i in 0..cube.len() {
                if cube[i] == Some(sign) {
                    cube[i] = None;
                    if off.iter().any(|o| covers(&cube, o)) {
                        cube[i] = Some(sign);
                    }
                }
            }
        }
        cubes.push(cube);
    }
    let mut i = 0;
    while i < cubes.len() {
        budget.step(on.len() as u64, WHAT)?;
        let others = |l: &[bool]| cubes.iter().enumerate().any(|(j, c)| j != i && covers(c, l));
        let needed = on.iter().any(|l| covers(&cubes[i], l) && !others(l));
        if needed {
            i += 1;
        } else {
            cubes.remove(i);
        }
    }
    let rank = |literal: &Option<bool>| match literal {
        Some(true) => 0u8,
        Some(false) => 1,
        None => 2,
    };
    cubes.sort_by_key(|c| (c.iter().flatten().count(), c.iter().map(rank).collect::<Vec<_>>()));
    Ok(cubes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn letters(text: &str) -> Vec<Vec<bool>> {
        text.split_whitespace().map(|w| w.chars().map(|c| c == '1').collect()).collect()
    }

    fn shown(on: &str, off: &str) -> String {
        let (on, off) = (letters(on), letters(off));
        let refs = |all: &[Vec<bool>]| all.iter().map(|l| l.clone().into_boxed_slice()).collect::<Vec<_>>();
        let (on_boxes, off_boxes) = (refs(&on), refs(&off));
        let on: Vec<&[bool]> = on_boxes.iter().map(|b| &**b).collect();
        let off: Vec<&[bool]> = off_boxes.iter().map(|b| &**b).collect();
        let cubes = cover(&on, &off, &Budget::unlimited()).unwrap();
        for letter in &on {
            assert!(cubes.iter().any(|c| covers(c, letter)));
        }
        for letter in &off {
            assert!(!cubes.iter().any(|c| covers(c, letter)));
        }
        let cube = |c: &Cube| c.iter().map(|l| l.map_or('-', |b| if b { '1' } else { '0' })).collect::<String>();
        cubes.iter().map(cube).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn labels_are_short() {
        assert_eq!(shown("00 01 10 11", ""), "--");
        assert_eq!(shown("10", "00 01"), "1-");
        assert_eq!(shown("00 01", "10"), "0-");
        assert_eq!(shown("01 10", "00 11"), "10 01");
        assert_eq!(shown("01 10 11", "00"), "1- -1");
        assert_eq!(shown("", "00"), "");
    }
}
