//! What kind of property a linear formula is, decided by its automaton.
//!
//! All of it is about words with at least one position, made of steps that can follow each other ([`Letters`]); what the empty
//! word does is said apart. With L the words that satisfy the formula:
//!
//! - **safety**: L is closed under prefixes. Equivalently every word outside L has a prefix none of whose continuations
//!   is in L, itself being such a prefix (Alpern and Schneider 1985, on finite words);
//! - **guarantee**, or co-safety: L is closed under continuations (Chang, Manna and Pnueli 1992);
//! - **stutter-invariant**: repeating a position, or leaving out one of two equal ones next to each other, changes nothing
//!   (Peled and Wilke 1997, on finite words);
//! - a **tautology** or a **contradiction**: L is everything or nothing.
//!
//! Each is a statement about all words, and each "no" comes with words that show it, replayed by [`eval`](posetta_logic::eval). If
//! the letters are not exact, more words are considered than can come: then a "yes" is still right, and a "no" stands only if
//! its words do have values. Values are not looked for if some atom is not linear.

use super::language::deterministic;
use super::linear::Linear;
use super::walk::{Node, Walk};
use posetta_automata::Dfa;
use posetta_base::{Budget, OverBudget};
use posetta_logic::{Letters, Property, Sample, StepId, View};

/// Words that refute a statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proof {
    /// A word.
    pub sample: Sample,
    /// Against safety and guarantee: how many positions the prefix has that is answered otherwise. Against
    /// stutter-invariance: the position that is the same as the one after it, which changes the answer if left out.
    pub at: usize,
    /// Whether the word satisfies the formula; the shorter one does the opposite.
    pub holds: bool,
}

/// Why something is not known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// A limit was reached.
    OverBudget(OverBudget),
    /// Words were found that speak against it, but not whether they can come.
    Approximate,
    /// The words that were found do not replay, which is a defect.
    Defect,
}

/// What is known about a statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Finding {
    /// It is so.
    Yes,
    /// It is not.
    No(Box<Proof>),
    /// It could not be decided.
    Unknown(Reason),
}

impl Finding {
    /// `yes`, `no` or `unknown`.
    #[must_use]
    pub fn word(&self) -> &'static str {
        match self {
            Self::Yes => "yes",
            Self::No(_) => "no",
            Self::Unknown(_) => "unknown",
        }
    }

    /// The words that refute it.
    #[must_use]
    pub fn proof(&self) -> Option<&Proof> {
        match self {
            Self::No(proof) => Some(proof),
            _ => None,
        }
    }
}

/// What kind of property a formula is.
#[derive(Debug)]
pub struct Character {
    /// Closed under prefixes.
    pub safety: Finding,
    /// Closed under continuations.
    pub guarantee: Finding,
    /// Indifferent to repeated positions.
    pub stutter_invariant: Finding,
    /// Every word satisfies it.
    pub tautology: Finding,
    /// No word satisfies it.
    pub contradiction: Finding,
    /// What the empty word does; `None` where there is none.
    pub empty_word: Option<bool>,
    /// The smallest deterministic automaton of the words that satisfy it.
    pub automaton: Dfa,
}

/// Decides what kind of property one is. `linear` and `letters` are over its atoms by first occurrence.
///
/// # Errors
/// When the budget is spent before there is an automaton.
pub fn character(
    property: &Property,
    linear: &Linear,
    letters: &Letters,
    budget: &Budget,
) -> Result<Character, OverBudget> {
    let automaton = deterministic(linear, letters, budget)?;
    let unknown = |over| Finding::Unknown(Reason::OverBudget(over));
    let empty_word = (letters.view() == View::Events).then(|| automaton.accepts(automaton.start()));
    let walk = match Walk::new(&automaton, letters, budget) {
        Ok(walk) => walk,
        Err(over) => {
            let [safety, guarantee, stutter_invariant, tautology, contradiction] = [(); 5].map(|()| unknown(over));
            return Ok(Character {
                safety,
                guarantee,
                stutter_invariant,
                tautology,
                contradiction,
                empty_word,
                automaton,
            });
        }
    };
    let judge = Judge { property, letters, budget };
    let never = |accepting: bool| match walk.words().find(|&n| walk.accepts(n) == accepting) {
        None => Finding::Yes,
        Some(node) => {
            let word = walk.word_to(node);
            judge.no(&word, word.len(), accepting, &[])
        }
    };
    let stutter_invariant = match walk.repetition_that_matters(budget) {
        Err(over) => unknown(over),
        // An event that does nothing changes what was before, which is no repetition of letters.
        Ok(None) if letters.looks_back() => Finding::Unknown(Reason::Approximate),
        Ok(None) => Finding::Yes,
        Ok(Some((word, at))) => judge.repetition(&word, at),
    };
    let (safety, guarantee) = (judge.closed(&walk, true), judge.closed(&walk, false));
    let (tautology, contradiction) = (never(false), never(true));
    Ok(Character { safety, guarantee, stutter_invariant, tautology, contradiction, empty_word, automaton })
}

struct Judge<'a> {
    property: &'a Property,
    letters: &'a Letters,
    budget: &'a Budget,
}

impl Judge<'_> {
    /// Whether no word that is answered one way continues to one that is answered `later`.
    fn closed(&self, walk: &Walk<'_>, later: bool) -> Finding {
        let distances = match walk.distances(later, self.budget) {
            Ok(distances) => distances,
            Err(over) => return Finding::Unknown(Reason::OverBudget(over)),
        };
        let turns = |&n: &Node| walk.accepts(n) != later && distances.from(n).is_some();
        match walk.words().find(turns) {
            None => Finding::Yes,
            Some(node) => {
                let mut word = walk.word_to(node);
                let at = word.len();
                word.extend(walk.way_on(node, &distances));
                self.no(&word, word.len(), later, &[at])
            }
        }
    }

    /// A refutation by a word that is answered `holds` and prefixes that are not.
    fn no(&self, word: &[StepId], at: usize, holds: bool, prefixes: &[usize]) -> Finding {
        if !self.letters.independent().is_empty() {
            return Finding::Unknown(Reason::Approximate);
        }
        let decided = || -> Result<Finding, OverBudget> {
            let Some(sample) = self.letters.realise(word, self.budget)? else { return Ok(self.without_values()) };
            for (length, expected) in prefixes.iter().map(|&p| (p, !holds)).chain([(word.len(), holds)]) {
                let prefix = Sample { positions: sample.positions[..length].to_vec() };
                if self.letters.replay(&prefix, self.property, self.budget)? != Some(expected) {
                    return Ok(self.without_values());
                }
            }
            let at = prefixes.first().copied().unwrap_or(at);
            Ok(Finding::No(Box::new(Proof { sample, at, holds })))
        };
        decided().unwrap_or_else(|over| Finding::Unknown(Reason::OverBudget(over)))
    }

    fn without_values(&self) -> Finding {
        Finding::Unknown(if self.letters.is_exact() { Reason::Defect } else { Reason::Approximate })
    }

    /// A refutation by a word in which the position after `at` repeats that one.
    fn repetition(&self, word: &[StepId], at: usize) -> Finding {
        if !self.letters.independent().is_empty() {
            return Finding::Unknown(Reason::Approximate);
        }
        let decided = || -> Result<Finding, OverBudget> {
            let mut once = word.to_vec();
            once.remove(at + 1);
            let Some(short) = self.letters.realise(&once, self.budget)? else { return Ok(self.without_values()) };
            // The same values again: an event that sets what the one before it set, or one that sets nothing.
            let mut long = short.clone();
            let mut repeated = long.positions[at].clone();
            repeated.event = true;
            long.positions.insert(at + 1, repeated);
            let replay = |s: &Sample| self.letters.replay(s, self.property, self.budget);
            Ok(match (replay(&short)?, replay(&long)?) {
                (Some(a), Some(b)) if a != b => Finding::No(Box::new(Proof { sample: long, at, holds: b })),
                _ => self.without_values(),
            })
        };
        decided().unwrap_or_else(|over| Finding::Unknown(Reason::OverBudget(over)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use posetta_base::Limit;

    /// The findings in the order safety, guarantee, stutter-invariant, tautology, contradiction; the number of states.
    fn seen(view: View, text: &str) -> (String, usize) {
        let property = Property::ltl_over(view, text).unwrap();
        let posetta_logic::Formula::Ltl(_, formula) = &property.formula else { unreachable!("it is LTL") };
        let budget = Budget::unlimited();
        let (formula, letters) = Letters::new(formula, view, &budget).unwrap();
        let c = character(&property, &Linear::Ltl(formula), &letters, &budget).unwrap();
        let all = [&c.safety, &c.guarantee, &c.stutter_invariant, &c.tautology, &c.contradiction];
        (all.map(Finding::word).join(" "), c.automaton.len())
    }

    #[test]
    fn kinds_over_states() {
        for (text, expected, states) in [
            ("G !(a && b)", "yes no yes no no", 2),
            ("F a", "no yes yes no no", 2),
            ("G (a -> F b)", "no no yes no no", 2),
            ("G F a", "no no yes no no", 2),
            ("a", "yes yes yes no no", 3),
            ("a U b", "no yes yes no no", 3),
            ("a W b", "yes no yes no no", 3),
            ("X a", "no yes no no no", 4),
            ("WX a", "yes no no no no", 4),
            ("G (a -> X b)", "no no no no no", 3),
            ("a || !a", "yes yes yes yes no", 1),
            ("a && !a", "yes yes yes no yes", 1),
            // What cannot hold together, and what must.
            ("F (x == 1 && x == 2)", "yes yes yes no yes", 1),
            ("G (x < 2 -> x < 3)", "yes yes yes yes no", 1),
            ("G (mode == \"a\" -> mode != 1)", "yes yes yes yes no", 1),
            // At position 0 there is no event.
            ("on(a)", "yes yes yes no yes", 2),
            ("F on(a)", "no yes yes no no", 3),
            ("F (on(a) && !a)", "yes yes yes no yes", 2),
            // Without an assignment a value stays.
            ("G (a && X (!a && X a) -> X X on(a))", "yes yes yes yes no", 5),
            // Only the first position has none before it.
            ("G (a -> Y true)", "yes yes yes no no", 3),
            ("G (a -> Y b)", "yes no no no no", 3),
            ("H a", "yes yes yes no no", 3),
        ] {
            let (findings, count) = seen(View::States, text);
            assert_eq!(findings, expected, "{text}");
            assert_eq!(count, states, "{text}");
        }
    }

    #[test]
    fn kinds_over_events() {
        for (text, expected) in [
            ("G (on(a) -> F on(b))", "no no yes no no"),
            ("!on(b) W on(a)", "yes no yes no no"),
            ("G (event(apply) -> O event(decide))", "yes no yes no no"),
            ("G !(event(a) && event(b))", "yes yes yes yes no"),
            ("G on(x == 1)", "yes no yes no no"),
            ("F (event(a) && process(P))", "no yes yes no no"),
        ] {
            assert_eq!(seen(View::Events, text).0, expected, "{text}");
        }
    }

    /// x is compared with y and kept while y changes: what is said is right, and what is not known is not said.
    #[test]
    fn what_is_not_exact_is_not_claimed() {
        let (findings, _) = seen(View::Events, "G (on(x == 1) -> F (x < y))");
        assert_eq!(findings, "no no yes no no");
        // y is set to x + 1 while x is kept, then x to y + 1 while y is kept, so x is 2 more than at first. That y is 1
        // in between no letter says, so a word seems to make x 1, but it has no values.
        let grows = |last: u32| {
            let second = format!("y >= 0 && !on(y >= 0) && on(x == y + 1) && x == {last}");
            format!("!(x == 0 && X (x >= 0 && !on(x >= 0) && on(y == x + 1) && X ({second})))")
        };
        assert_eq!(seen(View::States, &grows(2)).0, "yes no no no no");
        assert_eq!(seen(View::States, &grows(1)).0, "yes unknown unknown unknown no");
    }

    #[test]
    fn a_limit_leaves_what_is_known() {
        let text = (0..12).map(|i| format!("F x{i}")).collect::<Vec<_>>().join(" && ");
        let property = Property::ltl(&text).unwrap();
        let posetta_logic::Formula::Ltl(view, formula) = &property.formula else { unreachable!("it is LTL") };
        let (formula, letters) = Letters::new(formula, *view, &Budget::unlimited()).unwrap();
        let over = character(&property, &Linear::Ltl(formula), &letters, &Budget::with_memory(1 << 20)).unwrap_err();
        assert_eq!(over.limit, Limit::Memory);
        let stopped = Budget::unlimited();
        stopped.stop_handle().raise(Limit::Time);
        assert!(Letters::new(&posetta_logic::parse_ltl("a == 1").unwrap(), *view, &stopped).is_err());
    }
}
