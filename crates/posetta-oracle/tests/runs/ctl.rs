//! The checker against the definition of CTL over the graph of cuts.

use fastrand::Rng;
use posetta_base::{Budget, EventId, Kind, Verdict};
use posetta_check::{Answer, Engine, Options, check};
use posetta_logic::{
    Atom, Ctl, CtlBinary, CtlUnary, Formula, Ltl, LtlBinary, LtlUnary, Path, Property, View, parse_ctl,
};
use posetta_oracle::cases::{Shares, for_seeds};
use posetta_oracle::engines::ctl_engines;
use posetta_oracle::order::Order;
use posetta_oracle::random::{Case, Plan, Shape, Vocabulary, ctl_case, plan, state_atom};
use posetta_oracle::{ctl, random};
use posetta_trace::Trace;

/// What the checker says; `None` if it rejects the property because of unordered writes.
fn answer_with(trace: &Trace, formula: &Ctl, options: &Options) -> Option<Answer> {
    let property = Property::ctl(&formula.to_string()).unwrap_or_else(|e| panic!("{formula}: {e:?}"));
    assert_eq!(property.formula, Formula::Ctl(formula.clone()), "{formula} is read as something else");
    match check(trace, &property, options, &Budget::unlimited()) {
        Ok(answer) => Some(answer),
        Err(mistakes) => {
            assert!(
                mistakes.diagnostics().iter().all(|m| m.kind == Kind::UnorderedWrites),
                "{formula} is refused: {mistakes:?}"
            );
            None
        }
    }
}

fn answer(trace: &Trace, formula: &Ctl) -> Option<Answer> {
    answer_with(trace, formula, &Options::default())
}

fn describe(seed: u64, formula: &Ctl, plan: &Plan) -> String {
    format!("seed {seed}: {formula}\non\n{plan}")
}

/// Everything that every engine says about one case; counts in `by` which of them answered. Answers `holds`, `violated` or `rejected`.
fn compare(trace: &Trace, formula: &Ctl, by: &mut Shares, about: &str) -> &'static str {
    let expected = ctl::holds(trace, formula);
    let counts = ctl::counts(trace, formula);
    let mut word = "rejected";
    for (name, options) in ctl_engines() {
        let about = &format!("{name}: {about}");
        let Some(answer) = answer_with(trace, formula, &options) else {
            assert_eq!(expected, None, "rejected without need: {about}");
            continue;
        };
        let holds = expected.unwrap_or_else(|| panic!("should have been rejected: {about}"));
        word = answer.verdict.word();
        assert_eq!(word, if holds { "holds" } else { "violated" }, "{about}");
        let found = answer.branching().unwrap_or_else(|| panic!("it is not linear: {about}"));
        let path = match &answer.verdict {
            Verdict::Holds => found.support.as_ref(),
            Verdict::Violated(path) => Some(path),
            Verdict::Unknown(limit) => panic!("no limit was set, but {limit}: {about}"),
        };
        if let Some(path) = path {
            assert!(ctl::shows(trace, formula, path, holds), "the path {path:?} does not show it: {about}");
        }
        let proof = found.proof.as_ref().unwrap_or_else(|| panic!("there is no proof: {about}"));
        assert_eq!(proof.holds, holds, "{proof:?}: {about}");
        assert!(ctl::proof_stands(trace, formula, proof), "{proof:?} does not stand: {about}");
        let seen = found.counts.iter().map(|c| (c.formula.clone(), c.depth, c.cuts.to_string()));
        let wanted = counts.iter().flatten().map(|(f, depth, cuts)| (f.clone(), *depth, cuts.to_string()));
        let wanted = wanted.filter(|_| options.counts);
        assert_eq!(seen.collect::<Vec<_>>(), wanted.collect::<Vec<_>>(), "{about}");
        by.add(answer.stats.engine);
    }
    word
}

#[test]
fn at_the_empty_cut() {
    let (mut verdicts, mut by) = (Shares::default(), Shares::default());
    for_seeds(1_000, |rng, seed| {
        let Case { plan, formula } = ctl_case(rng);
        verdicts.add(compare(&plan.build().unwrap(), &formula, &mut by, &describe(seed, &formula, &plan)));
    });
    verdicts.at_least_a_fifth("CTL", &["holds", "violated"]);
    by.at_least_a_fifth("CTL engines", &["explicit", "diagrams"]);
}

/// Shapes that the checker decides without a search: `EF`, `AG`, `AF`, `EG` of boolean combinations of atoms, sometimes with
/// one more `EF` inside, and conjunctions of these.
#[test]
fn shapes_that_need_no_search() {
    let (mut verdicts, mut by) = (Shares::default(), Shares::default());
    for_seeds(500, |rng, seed| {
        let plan = ctl_case(rng).plan;
        let words = Vocabulary::of(&plan);
        let formula = match rng.u8(0..4) {
            0 => Ctl::And(vec![quantified(rng, &words), quantified(rng, &words)]),
            1 => Ctl::Not(Box::new(quantified(rng, &words))),
            _ => quantified(rng, &words),
        };
        verdicts.add(compare(&plan.build().unwrap(), &formula, &mut by, &describe(seed, &formula, &plan)));
    });
    verdicts.at_least_a_fifth("shapes", &["holds", "violated"]);
    by.at_least_a_fifth("engines", &["diagrams"]);
    by.at_least(0.05, "engines", &["intervals"]);
}

/// Paths that keep to a conjunction, or have to cross one, and what the last cut settles.
#[test]
fn paths_that_need_no_search() {
    let (mut verdicts, mut by) = (Shares::default(), Shares::default());
    for_seeds(1_000, |rng, seed| {
        let plan = ctl_case(rng).plan;
        let words = Vocabulary::of(&plan);
        let formula = match rng.u8(0..6) {
            0 => nested(rng, &words),
            1 => Ctl::And(vec![along(rng, &words), quantified(rng, &words)]),
            2 => Ctl::Not(Box::new(along(rng, &words))),
            _ => along(rng, &words),
        };
        verdicts.add(compare(&plan.build().unwrap(), &formula, &mut by, &describe(seed, &formula, &plan)));
    });
    verdicts.at_least_a_fifth("paths", &["holds", "violated"]);
    by.at_least(0.05, "engines", &["intervals", "diagrams"]);
}

/// Some conditions, or their negations, together or one of them.
fn conditions(rng: &mut Rng, words: &Vocabulary, together: bool) -> Ctl {
    let literal = |rng: &mut Rng| {
        let atom = Ctl::Atom(state_atom(rng, words));
        if rng.bool() { atom } else { Ctl::Not(Box::new(atom)) }
    };
    let mut literals: Vec<Ctl> = (0..1 + rng.usize(..4)).map(|_| literal(rng)).collect();
    match literals.len() {
        1 => literals.remove(0),
        _ if together => Ctl::And(literals),
        _ => Ctl::Or(literals),
    }
}

/// `E[f U g]` and its relatives, mostly with conditions that make a path keep to a conjunction.
fn along(rng: &mut Rng, words: &Vocabulary) -> Ctl {
    let path = if rng.bool() { Path::All } else { Path::Some };
    let op = [CtlBinary::Until, CtlBinary::WeakUntil, CtlBinary::Release][rng.usize(..3)];
    let together = (path == Path::Some) == (rng.u8(..4) > 0);
    let f = if rng.u8(..4) == 0 { Ctl::True } else { conditions(rng, words, together) };
    let g = match rng.u8(..6) {
        0 => Ctl::Unary(Path::Some, CtlUnary::Finally, Box::new(conditions(rng, words, true))),
        _ => conditions(rng, words, together),
    };
    Ctl::Binary(path, op, Box::new(f), Box::new(g))
}

/// `AF AG f` and so on, of a condition on several variables or of one more such formula.
fn nested(rng: &mut Rng, words: &Vocabulary) -> Ctl {
    let mut formula = match rng.u8(..3) {
        0 => along(rng, words),
        1 => Ctl::Atom(random::joint_atom(rng, words)),
        _ => {
            let either = rng.bool();
            conditions(rng, words, either)
        }
    };
    for _ in 0..2 + rng.usize(..2) {
        let path = if rng.bool() { Path::All } else { Path::Some };
        let op = if rng.bool() { CtlUnary::Finally } else { CtlUnary::Globally };
        formula = Ctl::Unary(path, op, Box::new(formula));
    }
    formula
}

fn quantified(rng: &mut Rng, words: &Vocabulary) -> Ctl {
    const OPERATORS: [(Path, CtlUnary); 5] = [
        (Path::All, CtlUnary::Finally),
        (Path::All, CtlUnary::Finally),
        (Path::Some, CtlUnary::Globally),
        (Path::Some, CtlUnary::Finally),
        (Path::All, CtlUnary::Globally),
    ];
    let mut parts: Vec<Ctl> = (0..rng.usize(2..4))
        .map(|_| {
            let atom = Ctl::Atom(state_atom(rng, words));
            if rng.bool() { Ctl::Not(Box::new(atom)) } else { atom }
        })
        .collect();
    if rng.u8(0..5) == 0 {
        let inner = Box::new(Ctl::Atom(state_atom(rng, words)));
        parts.push(Ctl::Unary(Path::Some, CtlUnary::Finally, inner));
    }
    let (path, op) = OPERATORS[rng.usize(0..OPERATORS.len())];
    let body = if rng.u8(0..4) == 0 { Ctl::Or(parts) } else { Ctl::And(parts) };
    Ctl::Unary(path, op, Box::new(body))
}

/// Runs too large for the oracle, with so little memory that sets are forgotten on the way, or that it is not enough: an answer
/// is then the one that there is without a limit, or none.
#[test]
fn a_limit_leaves_no_other_verdict() {
    let mut answers = Shares::default();
    for_seeds(200, |rng, seed| {
        let plan = plan(rng, Shape { events: 60, processes: 5, one_writer: 100 });
        let words = Vocabulary::of(&plan);
        let (trace, formula) = (plan.build().unwrap(), random::ctl(rng, &words));
        let options = Options::default().engine(Engine::Diagrams).slice(false);
        let Some(free) = answer_with(&trace, &formula, &options) else { return };
        let property = Property::ctl(&formula.to_string()).unwrap();
        for kilobytes in [20, 24, 28, 32, 48] {
            let limited = check(&trace, &property, &options, &Budget::with_memory(1024 * kilobytes)).unwrap();
            let word = limited.verdict.word();
            let about = describe(seed, &formula, &plan);
            assert!(word == "unknown" || word == free.verdict.word(), "{kilobytes} kB: {word}: {about}");
            answers.add(if word == "unknown" { "unknown" } else { "answered" });
        }
    });
    answers.at_least(0.1, "limited", &["unknown", "answered"]);
}

/// Operations on diagrams recurse over layers, so there is a largest number of them.
#[test]
fn too_many_chains_are_refused() {
    let lines: String = (0..2_049).map(|i| format!("P{i}: x{i}=1\n")).collect();
    let trace = posetta_formats::text::read(lines.as_bytes(), &Budget::unlimited()).unwrap();
    for (formula, word) in
        [("EX EX (x0 == 1)", "unknown"), ("EX (x0 == 1)", "holds"), ("EF (x0 == 1 && x2048 == 1)", "holds")]
    {
        let answer = answer(&trace, &parse_ctl(formula).unwrap()).unwrap();
        assert_eq!(answer.verdict.word(), word, "{formula}");
    }
}

/// What no process decides by itself comes often enough: atoms over variables of several processes, variables of several
/// processes, and unordered writes of one value.
#[test]
fn what_is_hard_comes_often() {
    let (mut cases, mut joint, mut shared, mut repeated) = (0, 0, 0, 0);
    for_seeds(1_000, |rng, _| {
        let Case { plan, formula } = ctl_case(rng);
        let trace = plan.build().unwrap();
        let order = Order::of(&trace);
        let writers = |name: &str| -> Vec<EventId> {
            let var = trace.find_variable(name).unwrap();
            trace.events().filter(|&e| trace.assignments(e).iter().any(|a| a.var == var)).collect()
        };
        let processes = |names: &[&str]| -> usize {
            let mut all: Vec<_> = names.iter().flat_map(|n| writers(n)).map(|e| trace.process(e)).collect();
            all.sort_unstable();
            all.dedup();
            all.len()
        };
        let atoms = ctl::atoms(&formula);
        let variables: Vec<&str> = atoms.iter().flatten().copied().collect();
        let is_joint = |atom: &Vec<&str>| atom.iter().any(|name| *name != atom[0]) && processes(atom) > 1;
        cases += 1;
        joint += u64::from(atoms.iter().any(is_joint));
        shared += u64::from(variables.iter().any(|name| processes(&[name]) > 1));
        repeated += u64::from(variables.iter().any(|name| {
            let writes = writers(name);
            ctl::unordered_writes(&trace, &order, trace.find_variable(name).unwrap()).is_empty()
                && writes.iter().any(|&a| writes.iter().any(|&b| order.concurrent(a, b)))
        }));
    });
    eprintln!("of {cases}: {joint} with joint atoms, {shared} with shared variables, {repeated} with repeated values");
    if cases >= 500 {
        assert!(joint * 5 >= cases && shared * 5 >= cases && repeated * 10 >= cases);
    }
}

#[test]
fn of_a_formula_and_its_negation_one_holds() {
    for_seeds(500, |rng, seed| {
        let Case { plan, formula } = ctl_case(rng);
        let trace = plan.build().unwrap();
        let both = [formula.clone(), Ctl::Not(Box::new(formula.clone()))].map(|f| answer(&trace, &f));
        if let [Some(one), Some(other)] = both {
            assert_ne!(one.verdict.word(), other.verdict.word(), "{}", describe(seed, &formula, &plan));
        }
    });
}

#[test]
fn the_order_of_processes_changes_nothing() {
    for_seeds(500, |rng, seed| {
        let Case { plan, formula } = ctl_case(rng);
        let shuffled = plan.with_processes_shuffled(rng);
        let [first, second] =
            [&plan, &shuffled].map(|p| answer(&p.build().unwrap(), &formula).map(|a| a.verdict.word()));
        assert_eq!(first, second, "{}", describe(seed, &formula, &shuffled));
    });
}

/// After events that nothing depends on, `AX … AX f` says what f said: cuts of more than one machine word are then met
/// with few enough cuts for the oracle.
#[test]
fn a_prelude_shifts_the_cuts() {
    for_seeds(200, |rng, seed| {
        let Case { plan, formula } = ctl_case(rng);
        let count = *rng.choice(&[1, 20, 60, 64, 70, 130]).expect("not empty");
        let path = if rng.bool() { Path::All } else { Path::Some };
        let shifted = (0..count).fold(formula.clone(), |f, _| Ctl::Unary(path, CtlUnary::Next, Box::new(f)));
        let expected = ctl::holds(&plan.build().unwrap(), &formula);
        let said = answer(&plan.after_a_prelude(count).build().unwrap(), &shifted);
        let said = said.map(|answer| answer.verdict == Verdict::Holds);
        assert_eq!(said, expected, "prelude of {count}, {}", describe(seed, &formula, &plan));
    });
}

/// "For state predicates p, q `F p` agrees with CTL's `AF p`, `G p` with `AG p`, `p U q` with `A[p U q]` on every trace
/// that CTL accepts."
#[test]
fn linear_and_branching_agree_on_state_predicates() {
    let mut accepted = 0;
    for_seeds(1_000, |rng, seed| {
        let plan = ctl_case(rng).plan;
        let words = Vocabulary::of(&plan);
        let trace = plan.build().unwrap();
        let (p, q) = (state_atom(rng, &words), state_atom(rng, &words));
        let linear = |atom: &Atom| Box::new(Ltl::Atom(atom.clone()));
        let branching = |atom: &Atom| Box::new(Ctl::Atom(atom.clone()));
        for (one, other) in [
            (Ltl::Unary(LtlUnary::Finally, linear(&p)), Ctl::Unary(Path::All, CtlUnary::Finally, branching(&p))),
            (Ltl::Unary(LtlUnary::Globally, linear(&p)), Ctl::Unary(Path::All, CtlUnary::Globally, branching(&p))),
            (
                Ltl::Binary(LtlBinary::Until, linear(&p), linear(&q)),
                Ctl::Binary(Path::All, CtlBinary::Until, branching(&p), branching(&q)),
            ),
        ] {
            let Some(branching) = answer(&trace, &other) else { continue };
            let property = Property::ltl_over(View::States, &one.to_string()).unwrap();
            let linear = check(&trace, &property, &Options::default(), &Budget::unlimited()).unwrap();
            assert_eq!(linear.verdict.word(), branching.verdict.word(), "{}", describe(seed, &other, &plan));
            accepted += 1;
        }
    });
    assert!(accepted > 0);
}

#[test]
fn what_is_printed_is_read_back() {
    for_seeds(5_000, |rng, seed| {
        let words = Vocabulary::of(&plan(rng, Shape { events: 6, processes: 3, one_writer: 50 }));
        let formula = random::ctl(rng, &words);
        let printed = formula.to_string();
        assert_eq!(parse_ctl(&printed), Ok(formula), "seed {seed}: {printed}");
    });
}
