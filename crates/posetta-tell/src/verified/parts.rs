//! The truth of a property's parts at each step of the run of a model that shows an answer: what the slider of a picture shows.
//!
//! A run that goes round is a word without an end, and its parts are evaluated on that word by definition. The step that goes back has an
//! entry of its own, because what is past there may differ from the first time. A formula over actions has a position for each observed step; the
//! steps between say nothing, so what was true stays. Formulas of M2L speak of words as a whole, and have no parts here.

use std::fmt::{self, Display, Formatter};

use posetta_base::{Budget, OverBudget};
use posetta_logic::eval::Word;
use posetta_logic::eval::parts::{self, Part};
use posetta_logic::{Atom, AtomId, Condition, Ctl, Formula, Ltl, Term};
use posetta_model::fds::{Demand as OfModel, Expr, ExprId, Fds, Op, Spec, Trail};
use posetta_model::system::{Demand, End, Letter, Predicate, Run, System};

use crate::picture::Parts;

/// What finding out may take. What takes more is left out.
const BYTES: u64 = 64 << 20;
const WORK: u64 = 100_000_000;

/// So many changes of truth are kept along a run.
const CHANGES: usize = 1 << 20;

fn budget() -> Budget {
    Budget::with_work(BYTES, WORK)
}

fn kept(found: Result<Vec<Part>, OverBudget>) -> Option<Parts> {
    let parts = found.ok()?;
    let changes: usize = parts.iter().map(|part| part.changes.len()).sum();
    (changes <= CHANGES).then_some(Parts { first: 0, parts })
}

/// An expression of a model, where formulas have a variable.
#[derive(Clone, Debug)]
struct Shown(String);

impl Shown {
    /// Whether nothing around it can be misread.
    fn is_word(&self) -> bool {
        self.0.chars().all(|c| c.is_alphanumeric() || "_.[]".contains(c))
    }

    fn in_parentheses(&self) -> String {
        if self.is_word() { self.0.clone() } else { format!("({})", self.0) }
    }
}

impl Display for Shown {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(&self.in_parentheses())
    }
}

/// The atoms of a formula, numbered.
struct Numbered<A>(Vec<A>);

impl<A: PartialEq + Clone> Numbered<A> {
    fn put(&mut self, atom: &A) -> AtomId {
        let place = self.0.iter().position(|known| known == atom).unwrap_or_else(|| {
            self.0.push(atom.clone());
            self.0.len() - 1
        });
        AtomId(place as u32)
    }

    /// The word of some positions.
    fn word(&self, len: usize, holds: impl Fn(&A, usize) -> bool) -> Word {
        Word::from_rows(self.0.iter().map(|atom| (0..len).map(|i| holds(atom, i)).collect()).collect(), len)
    }
}

/// The parts of a property along the computation of a fair discrete system that shows that it is violated.
pub(super) fn of_model(model: &Fds, spec: &Spec, trail: &Trail) -> Option<Parts> {
    let (budget, len) = (&budget(), trail.states.len());
    if len == 0 {
        return None;
    }
    let mut texts: Vec<Shown> = Vec::new();
    let mut show = |&expr: &ExprId| {
        let shown = Shown(model.show(expr));
        texts.push(shown.clone());
        Atom::State(Condition::Nonzero(Term::Var(shown)))
    };
    let mut atoms = Numbered(Vec::new());
    let holds = |expr: &ExprId, i: usize| model.is_true(*expr, &trail.states[i], None);
    let found = match &spec.demand {
        OfModel::Ltl(formula) => {
            let formula = formula.substitute(&mut |&expr| split(model, expr, trail));
            let (named, bound) = (formula.map_atoms(&mut show), formula.map_atoms(&mut |atom| atoms.put(atom)));
            let word = atoms.word(len, holds);
            match trail.cycle {
                None => parts::of_ltl(&named, &bound, &word, budget),
                Some(cycle) => parts::of_ltl_on_lasso(&named, &bound, &word, cycle.min(len - 1), budget),
            }
        }
        OfModel::Psl(formula) => {
            let (named, bound) = (formula.map_atoms(&mut show), formula.map_atoms(&mut |atom| atoms.put(atom)));
            let word = atoms.word(len, holds);
            match trail.cycle {
                None => parts::of_psl(&named, &bound, &word, budget),
                Some(cycle) => parts::of_psl_on_lasso(&named, &bound, &word, cycle.min(len - 1), budget),
            }
        }
        OfModel::Ctl(formula) => {
            let (named, bound) = (formula.map_atoms(&mut show), formula.map_atoms(&mut |atom| atoms.put(atom)));
            let word = atoms.word(len, holds);
            match trail.cycle {
                // It goes on somehow.
                None => parts::of_ctl(&named, &bound, &word, false, budget),
                Some(cycle) => parts::of_ctl_on_lasso(&named, &bound, &word, cycle.min(len - 1), budget),
            }
        }
        OfModel::Invariant(expr) => {
            let formula = split(model, *expr, trail);
            let (named, bound) = (formula.map_atoms(&mut show), formula.map_atoms(&mut |atom| atoms.put(atom)));
            parts::of_ltl(&named, &bound, &atoms.word(len, holds), budget)
        }
    };
    let mut found = kept(found)?;
    // By itself an expression needs no parentheses.
    for part in &mut found.parts {
        if let Some(text) = texts.iter().find(|text| text.in_parentheses() == part.formula) {
            part.formula.clone_from(&text.0);
        }
    }
    Some(found)
}

/// Conditions deeper than this are one part.
const DEEPEST: u32 = 20;

/// A condition with its connectives as those of a formula, so that what it is made of can be seen. Where a part has no value that would say
/// something else, so then it stays one part.
fn split(model: &Fds, expr: ExprId, trail: &Trail) -> Ltl<ExprId> {
    let apart = connectives(model, expr, 0);
    let is_same = |state: &Vec<_>| holds(model, &apart, state) == model.is_true(expr, state, None);
    if trail.states.iter().all(is_same) { apart } else { Ltl::Atom(expr) }
}

/// Whether a formula without temporal operators is true in a state.
fn holds(model: &Fds, formula: &Ltl<ExprId>, state: &[posetta_model::fds::Value]) -> bool {
    let of = |f: &Ltl<ExprId>| holds(model, f, state);
    match formula {
        Ltl::Atom(expr) => model.is_true(*expr, state, None),
        Ltl::Not(f) => !of(f),
        Ltl::And(fs) => fs.iter().all(of),
        Ltl::Or(fs) => fs.iter().any(of),
        Ltl::Implies(f, g) => !of(f) || of(g),
        Ltl::Iff(f, g) => of(f) == of(g),
        _ => false,
    }
}

fn connectives(model: &Fds, expr: ExprId, depth: u32) -> Ltl<ExprId> {
    let of = |expr: ExprId| connectives(model, expr, depth + 1);
    match model.exprs.get(expr) {
        _ if depth >= DEEPEST => Ltl::Atom(expr),
        Expr::Not(a) => Ltl::Not(Box::new(of(*a))),
        Expr::Binary(Op::And, a, b) => Ltl::And(vec![of(*a), of(*b)]),
        Expr::Binary(Op::Or, a, b) => Ltl::Or(vec![of(*a), of(*b)]),
        Expr::Binary(Op::Implies, a, b) => Ltl::Implies(Box::new(of(*a)), Box::new(of(*b))),
        Expr::Binary(Op::Iff, a, b) => Ltl::Iff(Box::new(of(*a)), Box::new(of(*b))),
        _ => Ltl::Atom(expr),
    }
}

/// The parts of a property along a run of a system of components. `formula` is how it was written, `observed` the actions that it sees.
pub(super) fn of_system(
    system: &System,
    formula: &Formula,
    demand: &Demand,
    observed: &[bool],
    run: &Run,
) -> Option<Parts> {
    match (demand, formula) {
        (Demand::Actions(bound), Formula::Ltl(_, formula)) => of_actions(formula, bound, observed, run),
        (Demand::States(_) | Demand::Invariant(_) | Demand::Reach(_), Formula::Ltl(_, formula)) => {
            let mut atoms = Numbered(Vec::new());
            let bound = formula.map_atoms(&mut |atom| atoms.put(atom));
            let (word, cycle) = states(system, &atoms.0, run, matches!(demand, Demand::States(_)))?;
            kept(match cycle {
                Some(cycle) => parts::of_ltl_on_lasso(formula, &bound, &word, cycle, &budget()),
                None => parts::of_ltl(formula, &bound, &word, &budget()),
            })
            .map(|found| cut(found, run))
        }
        (Demand::Branching(_) | Demand::Invariant(_) | Demand::Reach(_), Formula::Ctl(formula)) => {
            let mut atoms = Numbered(Vec::new());
            let bound: Ctl<AtomId> = formula.map_atoms(&mut |atom| atoms.put(atom));
            let (word, cycle) = states(system, &atoms.0, run, false)?;
            kept(match cycle {
                Some(cycle) => parts::of_ctl_on_lasso(formula, &bound, &word, cycle, &budget()),
                None => parts::of_ctl(formula, &bound, &word, run.end == End::Dead, &budget()),
            })
            .map(|found| cut(found, run))
        }
        _ => None,
    }
}

/// The word of the states of a run, and where it goes round. With `stays`, a run that stops repeats its last state forever.
fn states(system: &System, atoms: &[Atom], run: &Run, stays: bool) -> Option<(Word, Option<usize>)> {
    let predicates: Vec<Predicate> =
        atoms.iter().map(|atom| system.bind_condition(&atom.to_string()).ok()).collect::<Option<_>>()?;
    let mut states = run.states(system)?;
    let cycle = match run.end {
        End::Cycle(to) => {
            // The last state of a cycle is its first one again.
            states.pop();
            Some(to)
        }
        End::Open | End::Dead => stays.then(|| states.len() - 1),
    };
    let rows = predicates.iter().map(|p| states.iter().map(|state| p.holds(system, state)).collect()).collect();
    Some((Word::from_rows(rows, states.len()), cycle))
}

/// Without what comes behind the last step: a run that stops repeats its last state, and nobody sees that.
fn cut(mut found: Parts, run: &Run) -> Parts {
    for part in &mut found.parts {
        part.changes.retain(|&(entry, _)| entry as usize <= run.steps.len());
    }
    found
}

fn of_actions(formula: &Ltl, bound: &Ltl<Letter>, observed: &[bool], run: &Run) -> Option<Parts> {
    let is_seen = |step: &usize| observed.get(run.steps[*step].action.index()) == Some(&true);
    let seen: Vec<usize> = (0..run.steps.len()).filter(is_seen).collect();
    let mut letters: Vec<Letter> = seen.iter().map(|&step| Letter::Action(run.steps[step].action)).collect();
    let cycle = match run.end {
        End::Cycle(to) => match seen.partition_point(|&step| step < to) {
            first if first < seen.len() => first,
            _ => {
                letters.push(Letter::Divergence);
                letters.len() - 1
            }
        },
        End::Open | End::Dead => {
            letters.push(Letter::Deadlock);
            letters.len() - 1
        }
    };
    let mut atoms = Numbered(Vec::new());
    let bound = bound.map_atoms(&mut |atom| atoms.put(atom));
    let word = atoms.word(letters.len(), |atom, i| letters[i] == *atom);
    let mut found = kept(parts::of_ltl_on_lasso(formula, &bound, &word, cycle, &budget()))?;
    // A position is a step; what comes behind the last one is no step.
    for part in &mut found.parts {
        part.changes.retain(|&(entry, _)| (entry as usize) < seen.len());
        part.changes.iter_mut().for_each(|(entry, _)| *entry = seen[*entry as usize] as u32 + 1);
    }
    (!seen.is_empty()).then_some(found)
}

#[cfg(test)]
mod tests {
    use posetta_logic::Property;
    use posetta_model::system::Slots;
    use posetta_model::{smv, sys};

    use super::*;

    const SYSTEM: &str = "component P { lts { init a; a -both-> b; b -own-> a } }\n\
                          component Q { lts { init c; c -both-> d; d -other-> c; d -stop-> e } }\nsystem S = P || Q\n";

    /// The steps with these names.
    fn run(system: &System, names: &[&str], end: End) -> Run {
        let (slots, mut state, mut steps) = (Slots::new(system), system.initial(), Vec::new());
        for wanted in names {
            let mut moves = system.moves(&slots, &state).into_iter();
            let found =
                moves.find(|(step, _)| &*system.action(step.action).name == *wanted).expect("it can take place");
            state = found.1.expect("a state");
            steps.push(found.0);
        }
        Run { steps, end }
    }

    /// `formula marks` for each part: true, false, open, and where there is no position yet.
    fn shown(found: Option<Parts>, steps: usize) -> Vec<String> {
        let line = |part: &Part| {
            let marks =
                (0..=steps).map(|step| match part.changes.iter().rev().find(|change| change.0 as usize <= step) {
                    Some((_, Some(true))) => 'T',
                    Some((_, Some(false))) => '.',
                    Some((_, None)) => '?',
                    None => ' ',
                });
            format!("{} {}", part.formula, marks.collect::<String>())
        };
        found.map_or(Vec::new(), |found| found.parts.iter().map(line).collect())
    }

    fn along(text: &str, names: &[&str], end: End) -> Vec<String> {
        let system = sys::read("m.sys", SYSTEM, None, &mut |_, _| Err("no".into())).expect("a system");
        let property = match text.strip_prefix("ctl ") {
            Some(text) => Property::ctl(text),
            None => Property::ltl(text),
        };
        let property = property.expect("a formula");
        let spec = system.bind(&property, &[]).expect("it fits");
        let mut observed = vec![false; system.actions.len()];
        if let Demand::Actions(formula) = &spec.demand {
            crate::verified::asked_of_system::mark_named(formula, &mut observed);
        }
        let run = run(&system, names, end);
        let steps = run.steps.len();
        assert!(run.states(&system).is_some(), "{names:?}");
        shown(of_system(&system, &property.formula, &spec.demand, &observed, &run), steps)
    }

    #[test]
    fn a_run_that_goes_round_has_what_comes_again() {
        let round = ["both", "own", "other"];
        assert_eq!(
            along("G (P == \"b\" -> X (Q == \"c\")) && F (O (Q == \"d\") && P == \"a\")", &round, End::Cycle(0)),
            [
                "G (P == \"b\" -> X (Q == \"c\")) && F (O (Q == \"d\") && P == \"a\") ....",
                "G (P == \"b\" -> X (Q == \"c\")) ....",
                "P == \"b\" -> X (Q == \"c\") T.TT",
                "P == \"b\" .T..",
                "X (Q == \"c\") ..T.",
                "Q == \"c\" T..T",
                "F (O (Q == \"d\") && P == \"a\") TTTT",
                "O (Q == \"d\") && P == \"a\" ..TT",
                "O (Q == \"d\") .TTT",
                "Q == \"d\" .TT.",
                "P == \"a\" T.TT",
            ]
        );
    }

    #[test]
    fn steps_that_are_not_observed_change_nothing() {
        let round = ["both", "own", "other"];
        assert_eq!(
            along("G (both -> F other)", &round, End::Cycle(0)),
            ["G (both -> F other)  TTT", "both -> F other  TTT", "both  TT.", "F other  TTT", "other  ..T"]
        );
        assert_eq!(along("F other", &["both", "stop"], End::Open), Vec::<String>::new(), "nothing is observed");
        assert_eq!(along("F other", &["both", "other"], End::Open), ["F other   T", "other   T"]);
    }

    #[test]
    fn a_run_that_stops_repeats_its_last_state() {
        let stops = ["both", "own", "stop"];
        assert_eq!(
            along("F G (Q == \"c\")", &stops, End::Dead),
            ["F G (Q == \"c\") ....", "G (Q == \"c\") ....", "Q == \"c\" T..."]
        );
        // An invariant, and what is reached.
        assert_eq!(along("G (Q == \"c\")", &["both"], End::Open), ["G (Q == \"c\") ..", "Q == \"c\" T."]);
        assert_eq!(along("ctl EF (Q == \"d\")", &["both"], End::Open), ["EF (Q == \"d\") TT", "Q == \"d\" .T"]);
        // Of the tree of states a path shows a part.
        assert_eq!(
            along("ctl AF (P == \"b\" && AX (Q == \"e\"))", &["both", "own", "other"], End::Cycle(0)),
            [
                "AF (P == \"b\" && AX (Q == \"e\")) ....",
                "P == \"b\" && AX (Q == \"e\") ....",
                "P == \"b\" .T..",
                "AX (Q == \"e\") ....",
                "Q == \"e\" ...."
            ]
        );
    }

    #[test]
    fn computations_of_models() {
        let text = "MODULE main\nVAR x : 0..2; y : boolean;\nINVARSPEC !(x = 2 & y)\nLTLSPEC G (x = 1 -> F y)\nCTLSPEC AG !y\n";
        let model = smv::read(text).expect("a model");
        let state = |x, y| vec![posetta_model::fds::Value::Int(x), posetta_model::fds::Value::Bool(y)];
        let states = vec![state(0, true), state(1, false), state(2, false)];
        let spec = |logic: &str| model.specs.iter().find(|spec| spec.logic() == logic).expect("it is there");
        let trail = Trail { states: states.clone(), cycle: Some(1) };
        assert_eq!(
            shown(of_model(&model, spec("ltl"), &trail), 3),
            ["G ((x = 1) -> F y) ....", "(x = 1) -> F y T.T.", "x = 1 .T.T", "F y T...", "y T..."]
        );
        assert_eq!(shown(of_model(&model, spec("ctl"), &trail), 3), ["AG (!y) .???", "!y .TTT"]);
        let trail = Trail { states: vec![state(0, true), state(2, true)], cycle: None };
        assert_eq!(
            shown(of_model(&model, spec("invariant"), &trail), 1),
            ["!((x = 2) && y) T.", "(x = 2) && y .T", "x = 2 .T", "y TT"]
        );
    }
}
