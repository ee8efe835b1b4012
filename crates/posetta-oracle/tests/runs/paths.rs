//! Linear formulas that ask for no more than a branching one, against the definition of LTL over all runs.

use fastrand::Rng;
use posetta_base::{Budget, EventId};
use posetta_check::{Engine, Options, Runs, check};
use posetta_logic::{Atom, Formula, Ltl, LtlBinary, LtlUnary, Property, View};
use posetta_oracle::answer::{assert_right, runs};
use posetta_oracle::cases::{Shares, for_seeds};
use posetta_oracle::engines::engines;
use posetta_oracle::ltl::{over_all_runs, satisfies};
use posetta_oracle::random::{Plan, Vocabulary, ctl_case, joint_atom, state_atom};

/// A formula of the fragment: one whose violation is a path.
struct Fragment<'r> {
    rng: &'r mut Rng,
    words: Vocabulary,
}

fn unary(op: LtlUnary, f: Ltl) -> Ltl {
    Ltl::Unary(op, Box::new(f))
}

fn binary(op: LtlBinary, f: Ltl, g: Ltl) -> Ltl {
    Ltl::Binary(op, Box::new(f), Box::new(g))
}

impl Fragment<'_> {
    fn atom(&mut self) -> Atom {
        if self.rng.u8(..4) == 0 { joint_atom(self.rng, &self.words) } else { state_atom(self.rng, &self.words) }
    }

    fn state(&mut self, depth: usize) -> Ltl {
        match self.rng.u8(..6) {
            0 if depth > 0 => Ltl::Not(Box::new(self.state(depth - 1))),
            1 if depth > 0 => Ltl::And(vec![self.state(depth - 1), self.state(depth - 1)]),
            2 if depth > 0 => Ltl::Or(vec![self.state(depth - 1), self.state(depth - 1)]),
            _ => Ltl::Atom(self.atom()),
        }
    }

    fn formula(&mut self, depth: usize) -> Ltl {
        if depth == 0 {
            return self.state(1);
        }
        let depth = depth - 1;
        match self.rng.u8(..16) {
            0 => self.state(2),
            1 => Ltl::And(vec![self.formula(depth), self.formula(depth)]),
            2 => Ltl::Or(vec![self.state(1), self.formula(depth)]),
            3..6 => Ltl::Implies(Box::new(self.state(1)), Box::new(self.formula(depth))),
            6 => unary(LtlUnary::Next, self.formula(depth)),
            7 => unary(LtlUnary::WeakNext, self.formula(depth)),
            8..11 => unary(LtlUnary::Globally, self.formula(depth)),
            11 => unary(LtlUnary::Finally, self.state(2)),
            12 => binary(LtlBinary::Until, self.formula(depth), self.state(1)),
            13 => binary(LtlBinary::WeakUntil, self.formula(depth), self.state(1)),
            14 => binary(LtlBinary::Release, self.state(1), self.formula(depth)),
            _ => {
                // What holds in the end holds in the end of every run; anything may come before.
                let inner = self.formula(depth);
                match self.rng.bool() {
                    true => unary(LtlUnary::Globally, unary(LtlUnary::Finally, inner)),
                    false => unary(LtlUnary::Finally, unary(LtlUnary::Globally, inner)),
                }
            }
        }
    }
}

fn compare_random(what: &str, view: View) {
    let (mut verdicts, mut ways) = (Shares::default(), Shares::default());
    for_seeds(1_500, |rng, seed| {
        let plan = ctl_case(rng).plan;
        let words = Vocabulary::of(&plan);
        let depth = 1 + rng.usize(..3);
        let formula = Fragment { rng, words }.formula(depth);
        // Its negation has to be found out in another way, unless it is one of them, too.
        let formula = if rng.u8(..4) == 0 { Ltl::Not(Box::new(formula)) } else { formula };
        let trace = plan.build().unwrap();
        let property = Property::ltl_over(view, &formula.to_string()).unwrap();
        let tally = over_all_runs(&trace, view, &formula);
        let about = format!("seed {seed}, {view:?}: {formula}\non\n{plan}");
        for (name, options) in engines() {
            let answer = check(&trace, &property, &options, &Budget::unlimited()).unwrap();
            let on_run = |run: &[EventId]| satisfies(&trace, run, view, &formula);
            assert_right(&trace, &answer, tally, &on_run, &format!("{name}, {about}"));
        }
        let options = Options::default().engine(Engine::Cuts);
        let answer = check(&trace, &property, &options, &Budget::unlimited()).unwrap();
        ways.add(answer.stats.engine);
        verdicts.add(if runs(tally) == Runs::All { "holds" } else { "violated" });
    });
    verdicts.at_least_a_fifth(what, &["holds", "violated"]);
    ways.at_least(0.05, what, &["intervals", "diagrams"]);
}

/// A formula that bounds a sum of all numeric variables of a run, perhaps where another condition holds.
fn bound_on_a_sum(rng: &mut Rng, plan: &Plan, words: &Vocabulary) -> String {
    let factor = |rng: &mut Rng| ["1", "1", "1", "-1", "2", "0.5", "-3"][rng.usize(..7)];
    let terms: Vec<String> = plan
        .variables
        .iter()
        .filter(|(_, kind)| kind.is_numeric())
        .map(|(name, _)| format!("{} * {name}", factor(rng)))
        .collect();
    let sum = if terms.is_empty() { "0".to_owned() } else { terms.join(" + ") };
    let compare = ["<", "<=", ">", ">=", "==", "!="][rng.usize(..6)];
    let bound = rng.i32(-4..5);
    let sum = format!("{sum} {compare} {bound}");
    let other = Ltl::Atom(state_atom(rng, words));
    match rng.u8(..6) {
        0 => format!("G ({sum})"),
        1 => format!("F ({sum})"),
        2 => format!("G ({other} -> {sum})"),
        3 => format!("!F ({other} && {sum})"),
        4 => format!("G ({sum} || {other}) && G !({other} && {sum})"),
        _ => format!("G ({sum} -> {other})"),
    }
}

#[test]
fn bounds_on_sums() {
    let (mut verdicts, mut ways) = (Shares::default(), Shares::default());
    for_seeds(2_000, |rng, seed| {
        let plan = ctl_case(rng).plan;
        let words = Vocabulary::of(&plan);
        let view = if rng.bool() { View::States } else { View::Events };
        let text = bound_on_a_sum(rng, &plan, &words);
        let property = Property::ltl_over(view, &text).unwrap_or_else(|e| panic!("{text}: {e:?}"));
        let Formula::Ltl(_, formula) = &property.formula else { panic!("{text} is no formula of LTL") };
        let trace = plan.build().unwrap();
        let tally = over_all_runs(&trace, view, formula);
        let about = format!("seed {seed}, {view:?}: {formula}\non\n{plan}");
        for engine in [Engine::Cuts, Engine::Auto, Engine::Diagrams] {
            let options = Options::default().engine(engine);
            let answer = check(&trace, &property, &options, &Budget::unlimited()).unwrap();
            let on_run = |run: &[EventId]| satisfies(&trace, run, view, formula);
            assert_right(&trace, &answer, tally, &on_run, &format!("{engine:?}, {about}"));
            if engine == Engine::Cuts {
                ways.add(answer.stats.engine);
            }
        }
        verdicts.add(if runs(tally) == Runs::All { "holds" } else { "violated" });
    });
    verdicts.at_least_a_fifth("sums", &["holds", "violated"]);
    ways.at_least(0.05, "sums", &["sums"]);
}

#[test]
fn over_states() {
    compare_random("the common fragment over states", View::States);
}

#[test]
fn over_events() {
    compare_random("the common fragment over events", View::Events);
}
