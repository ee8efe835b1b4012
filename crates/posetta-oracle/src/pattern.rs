//! Patterns and their scopes by the definitions of docs/properties.md: a scope picks segments of the word, and the pattern
//! must hold on each.

use std::ops::Range;

/// At which positions of a word something holds.
pub type Positions = Vec<bool>;

/// The patterns, each with where its arguments hold.
#[derive(Clone, Debug)]
pub enum Pattern {
    /// Never.
    Absence(Positions),
    /// Somewhere.
    Existence(Positions),
    /// Everywhere.
    Universality(Positions),
    /// The first at or before every second.
    Precedence(Positions, Positions),
    /// The second at or after every first.
    Response(Positions, Positions),
    /// Causes, effects.
    PrecedenceChain(Vec<Positions>, Vec<Positions>),
    /// Stimuli, responses.
    ResponseChain(Vec<Positions>, Vec<Positions>),
    /// Never two at once.
    Mutex(Vec<Positions>),
    /// At exactly one position.
    ExactlyOnce(Positions),
    /// In turn, the first one first.
    Alternation(Positions, Positions),
}

/// The scopes, each with where its formulas hold.
#[derive(Clone, Debug)]
pub enum Scope {
    /// The whole word.
    Globally,
    /// Up to the first.
    Before(Positions),
    /// From the first.
    After(Positions),
    /// From every first to the next second.
    Between(Positions, Positions),
    /// The same, or to the end.
    AfterUntil(Positions, Positions),
}

/// Whether the pattern holds on every segment of a word of `length` positions.
#[must_use]
pub fn holds(pattern: &Pattern, scope: &Scope, length: usize) -> bool {
    segments(scope, length).into_iter().all(|segment| holds_on(pattern, segment))
}

/// The segments that a scope picks.
#[must_use]
pub fn segments(scope: &Scope, length: usize) -> Vec<Range<usize>> {
    let first = |at: &Positions| (0..length).find(|&i| at[i]);
    match scope {
        Scope::Globally => std::iter::once(0..length).collect(),
        // "Up to the first r, without it; none if no r comes."
        Scope::Before(r) => first(r).map(|end| 0..end).into_iter().collect(),
        // "From the first q, with it, to the end; none if no q comes."
        Scope::After(q) => first(q).map(|start| start..length).into_iter().collect(),
        // "From every q that is not an r, up to the next r, without it; none if no r comes."
        Scope::Between(q, r) => {
            let opens = (0..length).filter(|&i| q[i] && !r[i]);
            opens.filter_map(|i| (i..length).find(|&j| r[j]).map(|j| i..j)).collect()
        }
        // "The same, or to the end if no r comes."
        Scope::AfterUntil(q, r) => {
            let opens = (0..length).filter(|&i| q[i] && !r[i]);
            opens.map(|i| i..(i..length).find(|&j| r[j]).unwrap_or(length)).collect()
        }
    }
}

/// All ways to pick one position of the segment for each argument, each behind the one before.
fn occurrences(arguments: &[Positions], segment: Range<usize>) -> Vec<Vec<usize>> {
    let Some((first, rest)) = arguments.split_first() else { return vec![Vec::new()] };
    let mut all = Vec::new();
    for i in segment.clone().filter(|&i| first[i]) {
        for mut tail in occurrences(rest, i + 1..segment.end) {
            tail.insert(0, i);
            all.push(tail);
        }
    }
    all
}

fn holds_on(pattern: &Pattern, segment: Range<usize>) -> bool {
    let mut inside = segment.clone();
    match pattern {
        Pattern::Absence(p) => !inside.any(|i| p[i]),
        Pattern::Existence(p) => inside.any(|i| p[i]),
        Pattern::Universality(p) => inside.all(|i| p[i]),
        Pattern::Precedence(cause, effect) => {
            inside.filter(|&i| effect[i]).all(|i| (segment.start..=i).any(|j| cause[j]))
        }
        Pattern::Response(stimulus, response) => {
            inside.filter(|&i| stimulus[i]).all(|i| (i..segment.end).any(|j| response[j]))
        }
        // "Wherever the effects occur in order, the causes occur in order at or before the first effect."
        Pattern::PrecedenceChain(causes, effects) => occurrences(effects, segment.clone())
            .iter()
            .all(|effect| !occurrences(causes, segment.start..effect[0] + 1).is_empty()),
        // "For every first stimulus whose chain is completed: the responses occur in order, the first of them at or after
        // the earliest completion."
        Pattern::ResponseChain(stimuli, responses) => inside.filter(|&i| stimuli[0][i]).all(|i| {
            let ends = occurrences(&stimuli[1..], i + 1..segment.end);
            let completion = ends.iter().map(|chain| *chain.last().unwrap_or(&i)).min();
            completion.is_none_or(|end| !occurrences(responses, end..segment.end).is_empty())
        }),
        Pattern::Mutex(all) => inside.all(|i| all.iter().filter(|p| p[i]).count() <= 1),
        Pattern::ExactlyOnce(p) => inside.filter(|&i| p[i]).count() == 1,
        // "Read in order, their occurrences are p q p q …; both at one position are not in turn."
        Pattern::Alternation(p, q) => {
            let mut expect_p = true;
            inside.all(|i| match (p[i], q[i]) {
                (false, false) => true,
                (true, true) => false,
                (is_p, _) => {
                    let in_turn = is_p == expect_p;
                    expect_p = !expect_p;
                    in_turn
                }
            })
        }
    }
}
