//! Every pattern in every scope, as property files write it, against its definition on random words.

use fastrand::Rng;
use posetta_base::Budget;
use posetta_logic::{Formula, View, bind_ltl, eval, read_props};
use posetta_oracle::cases::{Shares, for_seeds};
use posetta_oracle::ltl;
use posetta_oracle::pattern::{Pattern, Positions, Scope, holds};
use posetta_trace::{Builder, Trace};

/// The arguments that patterns and scopes are given: conditions on states, or on events.
const NAMES: [&str; 6] = ["a", "b", "c", "d", "q", "r"];

/// A word: where each of the names holds.
struct Word {
    truth: Vec<Positions>,
    length: usize,
}

impl Word {
    /// Each name has its own density, so that rare and frequent ones meet.
    fn random(rng: &mut Rng) -> Self {
        let length = rng.usize(0..9);
        let truth = NAMES.iter().map(|_| {
            let density = rng.f32() * 0.7;
            (0..length).map(|_| rng.f32() < density).collect()
        });
        Self { truth: truth.collect(), length }
    }

    fn at(&self, name: usize) -> Positions {
        self.truth[name].clone()
    }

    fn several(&self, names: std::ops::Range<usize>) -> Vec<Positions> {
        names.map(|n| self.at(n)).collect()
    }

    /// One process whose states or events spell the word. Over states the first position is the start.
    fn trace(&self, view: View) -> Trace {
        let mut builder = Builder::new();
        let process = builder.process("P").unwrap();
        for i in 0..self.length {
            let is_start = view == View::States && i == 0;
            if !is_start {
                builder.event(process, i as u64 + 1).unwrap();
            }
            for (n, name) in NAMES.iter().enumerate() {
                let var = builder.variable(name).unwrap();
                let value = builder.integer(i64::from(self.truth[n][i])).unwrap();
                let is_first = if is_start { builder.declare(var, value) } else { builder.assign(var, value).unwrap() };
                assert!(is_first);
            }
        }
        builder.finish(false, &Budget::unlimited()).unwrap()
    }
}

/// A pattern with its text, over the names `a`, `b`, `c`, `d` as `argument` writes them.
fn pattern(word: &Word, kind: usize, argument: impl Fn(usize) -> String) -> (Pattern, String) {
    let list = |names: std::ops::Range<usize>| names.map(&argument).collect::<Vec<_>>().join(", ");
    let (a, b) = (|| word.at(0), || word.at(1));
    let chain = |first: usize, second: usize| {
        (word.several(0..first), word.several(first..first + second), list(0..first), list(first..first + second))
    };
    match kind {
        0 => (Pattern::Absence(a()), format!("absence({})", argument(0))),
        1 => (Pattern::Existence(a()), format!("existence({})", argument(0))),
        2 => (Pattern::Universality(a()), format!("universality({})", argument(0))),
        3 => (Pattern::Precedence(a(), b()), format!("precedence({})", list(0..2))),
        4 => (Pattern::Response(a(), b()), format!("response({})", list(0..2))),
        5 => (Pattern::Mutex(word.several(0..2)), format!("mutex({})", list(0..2))),
        6 => (Pattern::Mutex(word.several(0..4)), format!("mutex({})", list(0..4))),
        7 => (Pattern::ExactlyOnce(a()), format!("exactly_once({})", argument(0))),
        8 => (Pattern::Alternation(a(), b()), format!("alternation({})", list(0..2))),
        9..=13 => {
            let (first, second) = [(1, 1), (1, 2), (2, 1), (2, 2), (3, 1)][kind - 9];
            let (causes, effects, c, e) = chain(first, second);
            (Pattern::PrecedenceChain(causes, effects), format!("precedence_chain({c}; {e})"))
        }
        _ => {
            let (first, second) = [(1, 1), (1, 2), (2, 1), (2, 2), (3, 1)][kind - 14];
            let (stimuli, responses, s, r) = chain(first, second);
            (Pattern::ResponseChain(stimuli, responses), format!("response_chain({s}; {r})"))
        }
    }
}

const KINDS: usize = 19;

fn scope(word: &Word, kind: usize, argument: impl Fn(usize) -> String) -> (Scope, String) {
    let (q, r) = (|| word.at(4), || word.at(5));
    let (tq, tr) = (argument(4), argument(5));
    match kind {
        0 => (Scope::Globally, String::new()),
        1 => (Scope::Globally, "globally".to_owned()),
        2 => (Scope::Before(r()), format!("before {tr}")),
        3 => (Scope::After(q()), format!("after {tq}")),
        4 => (Scope::Between(q(), r()), format!("between {tq} and {tr}")),
        _ => (Scope::AfterUntil(q(), r()), format!("after {tq} until {tr}")),
    }
}

const SCOPES: usize = 6;

fn compare(view: View, argument: impl Fn(usize) -> String + Copy) {
    let mut tally = Shares::default();
    let mut met = [[0_u32; SCOPES]; KINDS];
    for_seeds(20_000, |rng, seed| {
        let word = Word::random(rng);
        if view == View::States && word.length == 0 {
            return;
        }
        let (kind, within) = (rng.usize(..KINDS), rng.usize(..SCOPES));
        met[kind][within] += 1;
        let (pattern, pattern_text) = pattern(&word, kind, argument);
        let (scope, scope_text) = scope(&word, within, argument);
        let over = if view == View::States { "" } else { "ltl over events " };
        let text = format!("property p = {over}{pattern_text} {scope_text}");
        let property = read_props(&text).unwrap_or_else(|e| panic!("{text}: {e:?}")).remove(0);
        let Formula::Ltl(read_view, formula) = &property.formula else { panic!("{text} is linear") };
        assert_eq!(*read_view, view, "{text}");
        let trace = word.trace(view);
        let run = trace.linearisation();
        let expected = holds(&pattern, &scope, word.length);
        tally.add(if expected { "holds" } else { "violated" });
        // Twice: by the library's evaluator and by the oracle's, which knows no patterns.
        let bound = bind_ltl(&property, formula, &trace, &NAMES.map(str::to_owned)).unwrap();
        let letters = eval::word(&trace, &bound, run, view, &mut eval::Notes::default(), &Budget::unlimited()).unwrap();
        let about = || format!("seed {seed}: {text}\n{formula}\non {:?}", word.truth);
        assert_eq!(eval::holds(&bound.formula, &letters), expected, "{}", about());
        if word.length > 0 {
            assert_eq!(ltl::satisfies(&trace, run, view, formula), expected, "{}", about());
        }
    });
    tally.at_least_a_fifth("patterns", &["holds", "violated"]);
    if met.iter().flatten().sum::<u32>() >= 10_000 {
        assert!(met.iter().flatten().all(|&n| n > 0), "every pattern in every scope");
    }
}

#[test]
fn conditions_over_states() {
    compare(View::States, |n| NAMES[n].to_owned());
}

#[test]
fn conditions_over_events() {
    compare(View::Events, |n| format!("{} == 1", NAMES[n]));
}

/// `on(..)`: every event of the word assigns every name, so the moments are the positions.
#[test]
fn moments_over_events() {
    compare(View::Events, |n| format!("on({})", NAMES[n]));
}
