//! Refinement against the definition: verdicts, lengths of traces, runs and what was allowed instead, by every engine.

use std::sync::Arc;

use fastrand::Rng;
use posetta_base::{ActionId, Budget, Error, Kind, Verdict};
use posetta_model::system::{End, System};
use posetta_oracle::cases::{Shares, for_seeds};
use posetta_oracle::random::{NetworkTaste, related};
use posetta_oracle::system::refine::{has_trace, lacking, next_actions};
use posetta_oracle::system::written::{show, system};
use posetta_oracle::system::{MOST_STATES, Space, runs};
use posetta_verify::refine::{Answer, Engine, Lacking, refine};

const ENGINES: [Engine; 3] = [Engine::Explicit, Engine::Auto, Engine::Symbolic];

/// Small enough for all sets of states.
const TASTE: NetworkTaste = NetworkTaste { components: 4, states: 60, nets: true };

/// Two systems, and what the definition says about them.
struct Case<'s> {
    left: Space<'s>,
    right: Space<'s>,
    shortest: Option<Vec<Arc<str>>>,
    about: String,
}

impl<'s> Case<'s> {
    fn new(left: &'s System, right: &'s System, seed: u64) -> Self {
        let about = format!("seed {seed}\nimplementation\n{}specification\n{}", show(left), show(right));
        let [left, right] = [left, right].map(|s| Space::of(s, MOST_STATES).expect("few states"));
        let shortest = lacking(&left, &right);
        Self { left, right, shortest, about }
    }

    fn ask(&self, engine: Engine, budget: &Budget) -> Result<Answer, Error> {
        refine(self.left.system, self.right.system, engine, budget)
    }

    /// The answer is right. `Unknown` is not.
    fn assert_right(&self, answer: &Answer, engine: Engine) -> &'static str {
        assert_ne!(answer.stats.engine, Engine::Auto, "{}", self.about);
        match (&answer.verdict, &self.shortest) {
            (Verdict::Holds, None) => "holds",
            (Verdict::Violated(found), Some(shortest)) => {
                assert_eq!(found.trace.len(), shortest.len(), "{engine:?}: {found:?} for {shortest:?}: {}", self.about);
                self.assert_shows(found, engine);
                "violated"
            }
            (verdict, shortest) => panic!("{engine:?}: {verdict:?}, but {shortest:?}: {}", self.about),
        }
    }

    fn assert_shows(&self, found: &Lacking, engine: Engine) {
        let about = || format!("{engine:?}: {found:?}: {}", self.about);
        let (ours, theirs) = (self.left.system, self.right.system);
        runs::states(&self.left, &found.run).unwrap_or_else(|wrong| panic!("{wrong}: {}", about()));
        assert_eq!(found.run.end, End::Open, "{}", about());
        let seen: Vec<ActionId> =
            found.run.steps.iter().map(|s| s.action).filter(|&a| !ours.action(a).internal).collect();
        assert_eq!(seen, found.trace, "the run shows another trace: {}", about());
        assert_eq!(found.run.steps.last().map(|s| s.action), found.trace.last().copied(), "{}", about());
        let names: Vec<Arc<str>> = found.trace.iter().map(|&a| ours.action(a).name.clone()).collect();
        assert!(has_trace(&self.left, &names) && !has_trace(&self.right, &names), "{}", about());
        let mut allowed: Vec<Arc<str>> = found.allowed.iter().map(|&a| theirs.action(a).name.clone()).collect();
        allowed.sort();
        assert_eq!(allowed, next_actions(&self.right, &names[..names.len() - 1]), "allowed: {}", about());
    }

    /// Asks every engine. Says which of them had an answer.
    fn compare(&self, verdicts: &mut Shares, symbolic: &mut Shares) {
        for engine in ENGINES {
            match self.ask(engine, &Budget::unlimited()) {
                Ok(answer) => {
                    let word = self.assert_right(&answer, engine);
                    verdicts.add(word);
                    if engine == Engine::Symbolic {
                        symbolic.add(word);
                    }
                    assert_eq!(self.ask(engine, &Budget::unlimited()), Ok(answer), "again: {}", self.about);
                }
                Err(Error::Invalid(all))
                    if engine == Engine::Symbolic && all.iter().all(|d| d.kind == Kind::Unsupported) =>
                {
                    symbolic.add("does not apply");
                }
                Err(failure) => panic!("{engine:?} refused: {failure:?}: {}", self.about),
            }
        }
    }
}

#[test]
fn related_systems() {
    let (mut verdicts, mut symbolic) = (Shares::default(), Shares::default());
    for_seeds(600, |rng, seed| {
        let (left, right) = related(rng, TASTE);
        Case::new(&left, &right, seed).compare(&mut verdicts, &mut symbolic);
    });
    verdicts.at_least_a_fifth("refinement", &["holds", "violated"]);
    symbolic.at_least(0.04, "the symbolic engine", &["holds", "violated"]);
}

/// Each has the traces of itself; of two that have each other's, neither lacks any, and a third cannot tell them apart.
#[test]
fn an_order_up_to_equivalence() {
    let holds = |a: &System, b: &System| {
        let answer = refine(a, b, Engine::Auto, &Budget::unlimited()).expect("comparable");
        answer.verdict == Verdict::Holds
    };
    let mut shares = Shares::default();
    for_seeds(150, |rng: &mut Rng, seed| {
        let (a, b) = related(rng, TASTE);
        assert!(holds(&a, &a) && holds(&b, &b), "seed {seed}\n{}{}", show(&a), show(&b));
        let both = (holds(&a, &b), holds(&b, &a));
        shares.add(match both {
            (true, true) => "equivalent",
            (false, false) => "neither",
            _ => "one way",
        });
        let [left, right] = [&a, &b].map(|s| Space::of(s, MOST_STATES).expect("few states"));
        let expected = (lacking(&left, &right).is_none(), lacking(&right, &left).is_none());
        assert_eq!(both, expected, "seed {seed}\n{}{}", show(&a), show(&b));
    });
    shares.at_least(0.05, "both ways", &["equivalent", "neither", "one way"]);
}

/// With little memory the answer is the right one, or there is none.
#[test]
fn little_memory() {
    let mut shares = Shares::default();
    for_seeds(300, |rng, seed| {
        let (left, right) = related(rng, TASTE);
        let case = Case::new(&left, &right, seed);
        let engine = *rng.choice(ENGINES.iter()).expect("there are engines");
        match case.ask(engine, &Budget::with_memory(1 << rng.u32(4..20))) {
            Ok(Answer { verdict: Verdict::Unknown(_), .. }) => shares.add("unknown"),
            Ok(answer) => shares.add(case.assert_right(&answer, engine)),
            Err(Error::Invalid(all)) if all.iter().all(|d| d.kind == Kind::Unsupported) => {}
            Err(failure) => panic!("{engine:?} refused: {failure:?}: {}", case.about),
        }
    });
    shares.at_least(0.05, "little memory", &["holds", "violated", "unknown"]);
}

/// Two systems as [`system`] reads them, and the shortest trace that is lacking.
type Written = (&'static [&'static [&'static str]], &'static [&'static [&'static str]], Option<&'static str>);

/// Cases with a twist each, and the shortest trace that is lacking.
#[test]
fn by_hand() {
    let cases: &[Written] = &[
        // A choice that is made too early for bisimulation, not for traces.
        (&[&["0 a 1", "1 b 2", "1 c 2"]], &[&["0 a 1", "1 b 3", "0 a 2", "2 c 3"]], None),
        (&[&["0 a 1", "1 b 2", "0 a 3", "3 c 2"]], &[&["0 a 1", "1 b 2", "1 c 2"]], None),
        // A silent choice takes something away; silent steps that go round do not.
        (&[&["0 a 0", "0 b 0"]], &[&["0 T 1", "1 a 1", "0 U 2", "2 b 2"]], Some("a b")),
        (&[&["0 a 0", "0 b 0"]], &[&["0 T 1", "1 T 0", "1 a 1", "0 b 0"]], None),
        (&[&["0 T 1", "1 T 0", "1 a 1", "0 b 0"]], &[&["0 a 1", "1 b 1", "0 b 0"]], Some("a a")),
        // Silent steps of the implementation cost nothing: one action is shorter than none of them and two.
        (
            &[&["0 a 1", "1 b 2", "0 T 3", "3 T 4", "4 b 4"]],
            &[&["0 a 1", "1 a 1", "0 a 2", "2 X 3", "3 b 4"]],
            Some("b"),
        ),
        // The specification goes round silently without ever being ready.
        (&[&["0 a 1", "1 b 2"]], &[&["0 a 1", "1 T 2", "2 U 1", "3 b 3"]], Some("a b")),
        (&[&["0 a 1", "1 b 2"]], &[&["0 a 1", "1 T 2", "2 U 1"], &["0 b 1"]], None),
        // It need not do anything; the rows of docs/semantics.md that are not above.
        (&[&["0 a 1", "0 T 0", "2 b 2"]], &[&["0 a 1", "1 b 0"]], None),
        (&[&["0 a 1", "1 b 2", "0 T 3", "3 T 4", "4 b 4"]], &[&["0 a 1", "1 b 2"]], Some("b")),
        // Two of them synchronise silently before the action is possible.
        (&[&["0 a 1", "1 b 0"]], &[&["0 a 1", "1 T 0"], &["0 T 1", "1 b 0"]], None),
        (&[&["0 a 1", "1 T 0"], &["0 T 1", "1 b 0"]], &[&["0 a 1", "1 b 0"]], Some("a a")),
    ];
    for (left, right, expected) in cases {
        let (left, right) = (system(left), system(right));
        let case = Case::new(&left, &right, 0);
        let shortest = case.shortest.as_ref().map(|trace| trace.join(" "));
        assert_eq!(shortest.as_ref().map(|t| t.len()), expected.map(str::len), "{shortest:?} {}", case.about);
        case.compare(&mut Shares::default(), &mut Shares::default());
    }
}
