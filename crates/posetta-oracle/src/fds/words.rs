//! Linear properties on systems, word by word: every short word that a computation can have is asked whether it satisfies the property.
//!
//! A word is short if it is finite with few letters, or has few letters in its stem and round together. Whether a computation has it is
//! decided whatever the computation's own length: the system is walked beside the word, and the pairs are a graph with fairness again.
//! So this is one-sided: a violation that is found is one; that none is found says only that no *short* word violates. On systems of a dozen
//! states over two or three atoms that practically decides, since few words are possible and so longer ones are tried.

use posetta_logic::{Ltl, Psl};
use posetta_model::fds::{ExprId, Trail};

use super::System;
use super::graph::{Graph, Walk};
use crate::completions::Linear;
use crate::psl::{Letter, Meaning, Word};

/// The atoms of a formula of LTL, each once, and the property over their places.
#[must_use]
pub fn ltl(formula: &Ltl<ExprId>) -> (Vec<ExprId>, Linear) {
    let mut met = Vec::new();
    let formula = formula.map_atoms(&mut |a| place(&mut met, *a));
    (met, Linear::Ltl(formula))
}

/// The atoms of a formula of PSL, each once, and the property over their places.
#[must_use]
pub fn psl(formula: &Psl<ExprId>) -> (Vec<ExprId>, Linear) {
    let mut met = Vec::new();
    let meaning = Meaning::of(formula, &mut |a: &ExprId| place(&mut met, *a));
    (met, Linear::Psl(meaning))
}

fn place(met: &mut Vec<ExprId>, atom: ExprId) -> u32 {
    let known = met.iter().position(|&m| m == atom).unwrap_or_else(|| {
        met.push(atom);
        met.len() - 1
    });
    known as u32
}

/// How much is tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Effort {
    /// So many words: longer ones are not begun once there were as many.
    pub words: usize,
    /// The most letters of a word.
    pub letters: usize,
}

impl Effort {
    /// What is tried unless there is a reason. An expression of PSL is read over fewer than 127 letters.
    #[must_use]
    pub fn usual(property: &Linear) -> Self {
        let letters = match property {
            // M2L is not for models.
            Linear::Ltl(_) | Linear::M2l(..) => 12,
            Linear::Psl(meaning) => (120 / (meaning.states() + 1)).min(12),
        };
        Self { words: 3_000, letters }
    }
}

/// A computation that does not satisfy a property over the places of these atoms, if a short word shows one.
#[must_use]
pub fn violation(system: &System<'_>, atoms: &[ExprId], property: &Linear, effort: Effort) -> Option<Trail> {
    let letters: Vec<u64> = (0..system.moments.len()).map(|m| system.letter(atoms, m)).collect();
    let mut starts: Vec<(Vec<u64>, Vec<usize>)> = vec![(Vec::new(), system.by_moment.initial.clone())];
    let mut tried = 0;
    for length in 1..=effort.letters {
        if tried > effort.words {
            return None;
        }
        let mut longer = Vec::new();
        // Each word with the moments in which its next letter can come.
        for (word, moments) in &starts {
            let mut firsts: Vec<u64> = moments.iter().map(|&m| letters[m]).collect();
            firsts.sort_unstable();
            firsts.dedup();
            for letter in firsts {
                let word = [&word[..], &[letter]].concat();
                for cycle in (0..length).map(Some).chain([None]).filter(|&cycle| is_plain(&word, cycle)) {
                    tried += 1;
                    if !property.holds(&as_word(&word, cycle))
                        && let Some(walk) = computation(system, &letters, &word, cycle)
                    {
                        return Some(system.trail(&walk));
                    }
                }
                let here = moments.iter().filter(|&&m| letters[m] == letter);
                let mut next: Vec<usize> = here.flat_map(|&m| &system.by_moment.next[m]).copied().collect();
                next.sort_unstable();
                next.dedup();
                longer.push((word, next));
            }
        }
        starts = longer;
    }
    None
}

/// Whether no shorter way writes the same infinite word.
fn is_plain(word: &[u64], cycle: Option<usize>) -> bool {
    let Some(cycle) = cycle else { return true };
    let round = &word[cycle..];
    let repeats =
        (1..round.len()).any(|n| round.len().is_multiple_of(n) && (n..round.len()).all(|i| round[i] == round[i - n]));
    !repeats && (cycle == 0 || word[cycle - 1] != round[round.len() - 1])
}

fn as_word(word: &[u64], cycle: Option<usize>) -> Word {
    let mut stem: Vec<Letter> = word.iter().map(|&bits| Letter::Truth(bits)).collect();
    let round = cycle.map_or_else(Vec::new, |cycle| stem.split_off(cycle));
    Word { stem, round }
}

/// A computation with this word.
fn computation(system: &System<'_>, letters: &[u64], word: &[u64], cycle: Option<usize>) -> Option<Walk> {
    let moments = letters.len();
    let system = &system.by_moment;
    let node = |moment: usize, position: usize| position * moments + moment;
    let has_letter = |moment: usize, position: usize| letters[moment] == word[position];
    let mut next = Vec::new();
    for position in 0..word.len() {
        let after = if position + 1 < word.len() { Some(position + 1) } else { cycle };
        for moment in 0..moments {
            let steps = after.filter(|_| has_letter(moment, position)).map(|after| {
                let fitting = system.next[moment].iter().filter(move |&&t| has_letter(t, after));
                fitting.map(move |&t| node(t, after)).collect()
            });
            next.push(steps.unwrap_or_default());
        }
    }
    let each = |row: &[bool]| -> Vec<bool> { (0..next.len()).map(|n| row[n % moments]).collect() };
    let last = node(0, word.len() - 1);
    let graph = Graph {
        initial: system.initial.iter().filter(|&&m| has_letter(m, 0)).map(|&m| node(m, 0)).collect(),
        finals: (0..next.len()).map(|n| cycle.is_none() && n >= last && system.finals[n % moments]).collect(),
        justice: system.justice.iter().map(|j| each(j)).collect(),
        compassion: system.compassion.iter().map(|(p, q)| (each(p), each(q))).collect(),
        next,
    };
    let Walk { nodes, cycle } = graph.computation()?;
    Some(Walk { nodes: nodes.into_iter().map(|n| n % moments).collect(), cycle })
}
