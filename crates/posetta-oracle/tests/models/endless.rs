//! Systems whose tokens have no bound, against a finite part of their states, by definition. All runs of that part are runs of the system, so
//! that an answer can be wrong in ways that are seen there.

use posetta_base::{Budget, Kind, Verdict};
use posetta_logic::{Ctl, Path};
use posetta_model::system::{Demand, Predicate, Spec};
use posetta_oracle::cases::{Shares, for_seeds};
use posetta_oracle::random::{endless, endless_net, observe};
use posetta_oracle::system::Space;
use posetta_oracle::system::demand::{Answer, answer};
use posetta_oracle::system::written::show;
use posetta_verify::system::{Engine, Options, Question};

use super::system::any_demand;

/// So many states of the part are listed.
const PART: usize = 700;

/// What the part says of a demand that it can speak against: the states of the system are at least those of the part, and so are its runs.
fn spoken_against(part: &Space<'_>, demand: &Demand, besides: &[posetta_base::ActionId], holds: bool) -> bool {
    match demand {
        // Some state satisfies it: the part shows that, or shows nothing.
        Demand::Reach(_) => !holds && answer(part, demand, besides) == Answer::Truth(true),
        // All states or all runs satisfy it.
        Demand::Invariant(_) | Demand::NoDeadlock | Demand::NoLivelock | Demand::Actions(_) | Demand::States(_) => {
            holds && answer(part, demand, besides) == Answer::Truth(false)
        }
        // What some runs of the part do, some of the system do; what all of the system do, all of the part.
        Demand::Branching(formula) => {
            let told = answer(part, demand, besides);
            !holds && is_of(Path::Some, formula) && told == Answer::Truth(true)
                || holds && is_of(Path::All, formula) && told == Answer::Truth(false)
        }
        Demand::Bound(_) | Demand::Finite(_) => false,
    }
}

/// Whether a formula speaks of some paths only, or of all only.
fn is_of(path: Path, formula: &Ctl<Predicate>) -> bool {
    let other = if path == Path::Some { Path::All } else { Path::Some };
    match formula {
        Ctl::True | Ctl::False | Ctl::Atom(_) => true,
        Ctl::Not(f) => is_of(other, f),
        Ctl::And(fs) | Ctl::Or(fs) => fs.iter().all(|f| is_of(path, f)),
        Ctl::Implies(f, g) => is_of(other, f) && is_of(path, g),
        Ctl::Iff(f, g) => [f, g].iter().all(|f| is_of(path, f) && is_of(other, f)),
        Ctl::Unary(own, _, f) => *own == path && is_of(path, f),
        Ctl::Binary(own, _, f, g) => *own == path && is_of(path, f) && is_of(path, g),
    }
}

/// A predicate that depends on whether actions can take place: in the part fewer can.
fn asks_for_steps(demand: &Demand) -> bool {
    fn asks(predicate: &Predicate) -> bool {
        match predicate {
            Predicate::Enabled(_) | Predicate::Dead => true,
            Predicate::Constant(_) | Predicate::Linear(..) => false,
            Predicate::Not(p) => asks(p),
            Predicate::And(parts) | Predicate::Or(parts) => parts.iter().any(asks),
        }
    }
    match demand {
        Demand::Reach(p) | Demand::Invariant(p) => asks(p),
        Demand::States(formula) => {
            let mut found = false;
            let _ = formula.map_atoms(&mut |p| found |= asks(p));
            found
        }
        Demand::Branching(formula) => {
            let mut found = false;
            let _ = formula.map_atoms(&mut |p| found |= asks(p));
            found
        }
        _ => false,
    }
}

#[test]
fn what_is_said_of_endless_systems() {
    let mut verdicts = Shares::default();
    let (mut smaller, mut branching) = (0_u64, 0_u64);
    for_seeds(80, |rng, seed| {
        // A net by itself is also made smaller, which may give it a bound.
        let system = if rng.bool() { endless(rng, 2_000) } else { endless_net(rng, 2_000) };
        let observe = observe(rng, &system);
        let demands: Vec<Demand> = (0..3).map(|_| any_demand(rng, &system, &observe)).collect();
        let specs: Vec<Spec> = demands.iter().map(|d| Spec::plain("it", d.clone())).collect();
        let about =
            |demand: &Demand| format!("seed {seed}: {demand:?}, observed besides {observe:?}\n{}", show(&system));
        let options = Options::default().observe(observe.clone()).explore(true);
        let mut question = Question::new(&system, &specs, options);
        // Each question by itself: nothing is refused.
        question.decide(&Budget::unlimited()).unwrap_or_else(|e| panic!("{e:?}: {}", about(&demands[0])));
        let findings = question.findings().expect("something is found out");
        if findings.unbounded.is_empty() {
            return verdicts.add("bounded");
        }
        assert!(findings.warnings.iter().any(|why| why.kind == Kind::Unbounded), "{}", about(&demands[0]));
        let parts: Vec<Space<'_>> = [2, 5].iter().filter_map(|&few| Space::within(&system, few, PART)).collect();
        for (slot, most) in &findings.most_by_place {
            let found = parts.iter().map(|part| part.most(&[*slot])).max().unwrap_or(0);
            assert!(found <= u64::from(*most), "{found} tokens in {slot}, at most {most}: {}", about(&demands[0]));
        }
        for (place, demand) in demands.iter().enumerate() {
            let answer = question.answer(place).unwrap_or_else(|| panic!("silent: {}", about(demand)));
            let holds = match &answer.verdict {
                Verdict::Holds => true,
                Verdict::Violated(_) => false,
                Verdict::Unknown(_) => {
                    verdicts.add("unknown");
                    continue;
                }
            };
            let is_smaller = answer.stats.reduced.is_some() || answer.stats.engine == Engine::Equation;
            assert!(is_smaller || answer.stats.engine == Engine::Coverability, "{}", about(demand));
            smaller += u64::from(is_smaller);
            if let Demand::Bound(slots) = demand {
                let sum = parts.iter().map(|part| part.most(slots)).max().unwrap_or(0);
                let right = answer.most.as_ref().is_none_or(|most| most.to_u64().is_some_and(|most| most >= sum));
                assert!(right && answer.unbounded == answer.most.is_none(), "{answer:?}: {}", about(demand));
            } else if !asks_for_steps(demand) {
                for part in &parts {
                    let wrong = spoken_against(part, demand, &observe, holds);
                    assert!(!wrong, "{answer:?}: {}", about(demand));
                }
            }
            verdicts.add(if holds { "holds" } else { "violated" });
            branching += u64::from(matches!(demand, Demand::Branching(_)));
        }
    });
    eprintln!("{smaller} answers by smaller nets, {branching} about branching");
    verdicts.at_least(0.1, "systems without a bound", &["holds", "violated"]);
}
