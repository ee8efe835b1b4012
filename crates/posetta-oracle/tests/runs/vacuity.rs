//! Which parts of a property ask for nothing, against the definition: their left sides are true nowhere, in any order.

use std::collections::BTreeSet;

use fastrand::Rng;
use posetta_base::{Budget, Kind, Subject, Verdict};
use posetta_check::{Answer, Options, check};
use posetta_logic::{
    Atom, Ctl, CtlUnary, Formula, Guard, Ltl, LtlUnary, Path, Property, Psl, PslUnary, Role, Sere, SereOp, Suffix,
    View, read_props,
};
use posetta_oracle::cases::{Shares, for_seeds};
use posetta_oracle::order::Order;
use posetta_oracle::pattern::{self, Pattern, Positions, Scope};
use posetta_oracle::random::{Case, Tense, Vocabulary, ctl_case, ltl, ltl_case, psl_case, sere};
use posetta_oracle::word::{holds_at, word};
use posetta_oracle::{ctl, ltl as linear, psl};
use posetta_trace::{Builder, Trace};

/// The answer, and the places of the triggers that it warns of.
fn answer(trace: &Trace, property: &Property, about: &str) -> (Answer, BTreeSet<usize>) {
    let answer = check(trace, property, &Options::default(), &Budget::unlimited())
        .unwrap_or_else(|e| panic!("refused: {e:?}: {about}"));
    let told = answer.warnings.iter().filter(|w| w.kind == Kind::Vacuous);
    let places = told.map(|w| match w.subject() {
        Some(Subject::Trigger { place, .. }) => *place,
        other => panic!("a trigger is meant, not {other:?}: {about}"),
    });
    let places: BTreeSet<usize> = places.collect();
    let silent = Options::default().vacuity(false);
    let without = check(trace, property, &silent, &Budget::unlimited()).expect("as above");
    assert!(without.warnings.iter().all(|w| w.kind != Kind::Vacuous), "nobody asked: {about}");
    assert_eq!(without.verdict, answer.verdict, "{about}");
    (answer, places)
}

/// The triggers that are told must be those that never come, of a property that holds on a run with events.
fn compare(trace: &Trace, property: &Property, comes: impl Fn(usize) -> bool, shares: &mut Shares, about: &str) {
    let (answer, told) = answer(trace, property, about);
    if answer.verdict != Verdict::Holds || trace.is_empty() {
        assert!(told.is_empty(), "{told:?}: {about}");
        return shares.add("silent");
    }
    let expected: BTreeSet<usize> = (0..property.triggers.len()).filter(|&place| !comes(place)).collect();
    assert_eq!(told, expected, "{about}");
    shares.add(if expected.is_empty() { "exercised" } else { "vacuous" });
}

fn implies(f: &Ltl, g: &Ltl) -> Ltl {
    Ltl::Implies(Box::new(f.clone()), Box::new(g.clone()))
}

fn globally(f: Ltl) -> Ltl {
    Ltl::Unary(LtlUnary::Globally, Box::new(f))
}

/// The left sides of all implications, each once, innermost first.
fn left_sides(formula: &Ltl, found: &mut Vec<Ltl>) {
    if let Ltl::Implies(f, g) = formula {
        left_sides(f, found);
        if !found.contains(f) {
            found.push((**f).clone());
        }
        return left_sides(g, found);
    }
    formula.operands().into_iter().for_each(|f| left_sides(f, found));
}

/// A formula that holds often and asks for something only if `f` comes true.
fn demand(rng: &mut Rng, f: &Ltl, g: &Ltl) -> Ltl {
    let sure = Ltl::Or(vec![g.clone(), Ltl::Not(Box::new(g.clone()))]);
    match rng.u8(..6) {
        0 => globally(implies(f, g)),
        1 => globally(implies(f, &implies(g, &sure))),
        2 => implies(f, &sure),
        3 => Ltl::And(vec![globally(implies(f, &sure)), globally(implies(g, &sure))]),
        4 => globally(implies(&implies(f, g), &sure)),
        _ => globally(implies(&Ltl::And(vec![f.clone(), g.clone()]), &sure)),
    }
}

#[test]
fn implications_of_ltl() {
    let mut shares = Shares::default();
    for_seeds(1_500, |rng, seed| {
        let view = if rng.bool() { View::States } else { View::Events };
        let Case { plan, formula: f } = ltl_case(rng, view, Tense::PastAndFuture);
        let g = ltl(rng, &Vocabulary::of(&plan), Tense::PastAndFuture, 40);
        let formula = demand(rng, &f, &g);
        let trace = plan.build().expect("edges lead forward");
        let about = format!("seed {seed}, {view:?}: {formula}\non\n{plan}");
        let property = Property::ltl_over(view, &formula.to_string()).unwrap_or_else(|e| panic!("{e:?}: {about}"));
        assert_eq!(property.formula, Formula::Ltl(view, formula.clone()), "{about}");
        let mut sides = Vec::new();
        left_sides(&formula, &mut sides);
        let nevers: Vec<&Formula> = property.triggers.iter().map(|t| &t.never).collect();
        let expected: Vec<Formula> =
            sides.iter().map(|f| Formula::Ltl(view, globally(Ltl::Not(Box::new(f.clone()))))).collect();
        assert_eq!(nevers, expected.iter().collect::<Vec<_>>(), "{about}");
        let comes = |place: usize| {
            let mut comes = false;
            let truth = |run: &[_]| linear::truth(&trace, run, view, &sides[place]);
            Order::of(&trace).for_each_run(|run| comes |= truth(run).contains(&true));
            comes
        };
        compare(&trace, &property, comes, &mut shares, &about);
    });
    shares.at_least(0.15, "implications of LTL", &["vacuous", "exercised"]);
}

#[test]
fn implications_of_ctl() {
    let mut shares = Shares::default();
    for_seeds(2_000, |rng, seed| {
        let Case { plan, formula: f } = ctl_case(rng);
        let trace = plan.build().expect("edges lead forward");
        let sure = Ctl::Or(vec![f.clone(), Ctl::Not(Box::new(f.clone()))]);
        let left = if rng.bool() { f.clone() } else { Ctl::Not(Box::new(f.clone())) };
        let always = |f: Ctl| Ctl::Unary(Path::All, CtlUnary::Globally, Box::new(f));
        let formula = always(Ctl::Implies(Box::new(left.clone()), Box::new(sure)));
        let about = format!("seed {seed}: {formula}\non\n{plan}");
        if ctl::holds(&trace, &formula).is_none() {
            return shares.add("rejected");
        }
        let property = Property::ctl(&formula.to_string()).unwrap_or_else(|e| panic!("{e:?}: {about}"));
        let comes = |place: usize| {
            let Formula::Ctl(never) = &property.triggers[place].never else { panic!("CTL: {about}") };
            let Ctl::Unary(Path::All, CtlUnary::Globally, inner) = never else { panic!("{never}: {about}") };
            let Ctl::Not(side) = &**inner else { panic!("{never}: {about}") };
            let somewhere = Ctl::Unary(Path::Some, CtlUnary::Finally, side.clone());
            ctl::holds(&trace, &somewhere) == Some(true)
        };
        let last = property.triggers.iter().find(|t| t.text == left.to_string() || t.text.ends_with('…'));
        assert!(last.is_some(), "its own left side is among them: {about}");
        compare(&trace, &property, comes, &mut shares, &about);
    });
    shares.at_least(0.1, "implications of CTL", &["vacuous", "exercised"]);
}

/// The left sides of implications and of `|->` and `|=>`, each as what must be true at some position for it to come.
fn psl_sides(formula: &Psl, found: &mut Vec<Psl>) {
    let mut add = |side: Psl| {
        if !found.contains(&side) {
            found.push(side);
        }
    };
    let strong = |sere: Sere| Psl::Sere { sere, strong: true };
    match formula {
        Psl::Implies(f, _) => add((**f).clone()),
        Psl::Suffix(Suffix::Overlapping, r, _) => add(strong(r.clone())),
        // The empty match counts, too: with a letter behind it, it is one of one letter.
        Psl::Suffix(Suffix::After, r, _) => {
            let none = Sere::Repeat(Box::new(Sere::Bool(Guard::True)), posetta_logic::Times::exactly(0));
            let empty = Sere::Chain(SereOp::Intersect, vec![r.clone(), none]);
            let and_one = Sere::Chain(SereOp::Concat, vec![empty, Sere::Bool(Guard::True)]);
            add(Psl::Or(vec![strong(r.clone()), strong(and_one)]));
        }
        _ => panic!("the test makes no {formula}"),
    }
}

#[test]
fn suffix_implications_and_implications_of_psl() {
    let mut shares = Shares::default();
    for_seeds(600, |rng, seed| {
        let view = if rng.bool() { View::States } else { View::Events };
        let Case { plan, formula } = psl_case(rng, view);
        let trace = plan.build().expect("edges lead forward");
        let mut atoms: Vec<Atom> = Vec::new();
        drop(formula.map_atoms(&mut |a| atoms.push(a.clone())));
        if atoms.is_empty() {
            return;
        }
        let size = rng.usize(..4);
        let r = sere(rng, &atoms, size);
        let sure = || Box::new(Psl::Unary(PslUnary::Globally, Box::new(Psl::Bool(Guard::True))));
        let top = match rng.u8(..3) {
            0 => Psl::Implies(Box::new(formula.clone()), sure()),
            1 => Psl::Suffix(Suffix::Overlapping, r, sure()),
            _ => Psl::Suffix(Suffix::After, r, sure()),
        };
        let whole = Psl::Unary(PslUnary::Globally, Box::new(top.clone()));
        let about = format!("seed {seed}, {view:?}: {whole}\non\n{plan}");
        let property = Property::psl_over(view, &whole.to_string()).unwrap_or_else(|e| panic!("{e:?}: {about}"));
        let mut sides = Vec::new();
        psl_sides(&top, &mut sides);
        // Those inside of the left side come before it.
        let own = property.triggers.len() - 1;
        let (meaning, atoms) = psl::Meaning::over_atoms(&sides[0]);
        let mut comes = false;
        Order::of(&trace).for_each_run(|run| {
            let row = |letter| atoms.iter().map(|atom| holds_at(&trace, letter, atom)).collect::<Vec<bool>>();
            let rows: Vec<Vec<bool>> = word(&trace, run, view).iter().map(row).collect();
            comes |= (0..rows.len()).any(|i| meaning.on_rows(&rows[i..]));
        });
        let (answer, told) = answer(&trace, &property, &about);
        if answer.verdict != Verdict::Holds || trace.is_empty() {
            assert!(told.is_empty(), "{about}");
            return shares.add("silent");
        }
        assert_eq!(told.contains(&own), !comes, "{about}");
        shares.add(if comes { "exercised" } else { "vacuous" });
    });
    shares.at_least(0.1, "PSL", &["vacuous", "exercised"]);
}

const NAMES: [&str; 6] = ["a", "b", "c", "d", "q", "r"];

/// A pattern over positions, with one that asks for what never comes: it holds exactly if its stimulus never comes.
fn random_pattern(rng: &mut Rng, truth: &[Positions]) -> (String, Pattern, Option<Pattern>) {
    let at = |n: usize| truth[n].clone();
    let nowhere = vec![false; truth[0].len()];
    let list = |from: usize, to: usize| (from..to).map(at).collect::<Vec<_>>();
    let text = |from: usize, to: usize| NAMES[from..to].join(", ");
    let (first, second) = *rng.choice(&[(1, 1), (2, 1), (1, 2), (2, 2), (3, 1)]).expect("not empty");
    match rng.u8(..8) {
        0 => ("absence(a)".to_owned(), Pattern::Absence(at(0)), None),
        1 => ("existence(a)".to_owned(), Pattern::Existence(at(0)), None),
        2 => ("mutex(a, b)".to_owned(), Pattern::Mutex(list(0, 2)), None),
        3 | 4 => {
            ("response(a, b)".to_owned(), Pattern::Response(at(0), at(1)), Some(Pattern::Response(at(0), nowhere)))
        }
        5 => (
            "precedence(a, b)".to_owned(),
            Pattern::Precedence(at(0), at(1)),
            Some(Pattern::Precedence(nowhere, at(1))),
        ),
        6 => (
            format!("precedence_chain({}; {})", text(0, first), text(first, first + second)),
            Pattern::PrecedenceChain(list(0, first), list(first, first + second)),
            Some(Pattern::PrecedenceChain(vec![nowhere; first], list(first, first + second))),
        ),
        _ => (
            format!("response_chain({}; {})", text(0, first), text(first, first + second)),
            Pattern::ResponseChain(list(0, first), list(first, first + second)),
            Some(Pattern::ResponseChain(list(0, first), vec![nowhere; second])),
        ),
    }
}

/// One process whose states spell the word; the first position is the start.
fn spelt(truth: &[Positions]) -> Trace {
    let mut builder = Builder::new();
    let process = builder.process("P").unwrap();
    for i in 0..truth[0].len() {
        if i > 0 {
            builder.event(process, i as u64).unwrap();
        }
        for (name, holds) in NAMES.iter().zip(truth) {
            let var = builder.variable(name).unwrap();
            let value = builder.integer(i64::from(holds[i])).unwrap();
            assert!(if i == 0 { builder.declare(var, value) } else { builder.assign(var, value).unwrap() });
        }
    }
    builder.finish(false, &Budget::unlimited()).unwrap()
}

#[test]
fn patterns_and_scopes() {
    let mut shares = Shares::default();
    for_seeds(10_000, |rng, seed| {
        let length = rng.usize(2..7);
        let truth: Vec<Positions> = NAMES
            .iter()
            .map(|_| {
                let density = rng.f32() * 0.5;
                (0..length).map(|_| rng.f32() < density).collect()
            })
            .collect();
        let (q, r) = (truth[4].clone(), truth[5].clone());
        let (scope_text, scope) = match rng.u8(..5) {
            0 => ("", Scope::Globally),
            1 => ("before r", Scope::Before(r)),
            2 => ("after q", Scope::After(q)),
            3 => ("between q and r", Scope::Between(q, r)),
            _ => ("after q until r", Scope::AfterUntil(q, r)),
        };
        let (text, demand, impossible) = random_pattern(rng, &truth);
        let logic = if rng.bool() { "ltl" } else { "psl" };
        let source = format!("property p = {logic} {text} {scope_text}");
        let about = format!("seed {seed}: {source}\non {truth:?}");
        let property = read_props(&source).unwrap_or_else(|e| panic!("{e:?}: {about}")).remove(0);
        let trace = spelt(&truth);
        let opens = !pattern::segments(&scope, length).is_empty();
        let comes = impossible.as_ref().is_none_or(|never| !pattern::holds(never, &scope, length));
        let (answer, told) = answer(&trace, &property, &about);
        let holds = pattern::holds(&demand, &scope, length);
        assert_eq!(answer.verdict == Verdict::Holds, holds, "{about}");
        let roles: Vec<Role> = told.iter().map(|&place| property.triggers[place].role).collect();
        let is_stimulus = |role: &Role| matches!(role, Role::Stimulus { .. });
        match (holds, opens, comes) {
            (false, ..) | (true, true, true) => assert!(roles.is_empty(), "{roles:?}: {about}"),
            // A scope that does not open is all there is to say.
            (true, false, _) => assert!(roles.len() == 1 && !is_stimulus(&roles[0]), "{roles:?}: {about}"),
            (true, true, false) => assert!(roles.len() == 1 && is_stimulus(&roles[0]), "{roles:?}: {about}"),
        }
        shares.add(match (holds, opens, comes) {
            (false, ..) => "violated",
            (true, true, true) => "exercised",
            (true, false, _) => "no scope",
            (true, true, false) => "no stimulus",
        });
    });
    shares.at_least(0.1, "patterns", &["violated", "exercised", "no scope", "no stimulus"]);
}
