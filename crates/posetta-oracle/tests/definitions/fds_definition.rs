//! Models by definition, against answers that are known, and in two ways against each other.

use std::sync::Arc;

use posetta_base::{Span, VarId};
use posetta_logic::{Atom, Ctl, CtlBinary, CtlUnary, Ltl, LtlBinary, LtlUnary, Path, parse_ctl, parse_ltl, parse_psl};
use posetta_model::fds::{Clause, Domain, Expr, ExprId, Exprs, Fds, Op, Role, Value, Variable};
use posetta_oracle::cases::{Shares, for_seeds};
use posetta_oracle::fds::graph::Graph;
use posetta_oracle::fds::trail::{check_computation, check_path, word};
use posetta_oracle::fds::words::Effort;
use posetta_oracle::fds::{System, expr, tableau, words};
use posetta_oracle::random::{Model, Taste, model};

const NOWHERE: Span = Span { start: 0, end: 0 };

/// A graph over the numbers below `states`, as a model with the one variable `s`.
#[derive(Clone, Copy, Default)]
struct Drawn<'a> {
    states: i64,
    /// Only the first state is initial.
    steps: &'a [(i64, i64)],
    justice: &'a [&'a [i64]],
    compassion: &'a [(&'a [i64], &'a [i64])],
    finals: &'a [i64],
}

struct Sketch {
    fds: Fds,
}

impl Sketch {
    fn add(&mut self, expr: Expr) -> ExprId {
        self.fds.exprs.add(expr, NOWHERE)
    }

    fn var(&mut self, next: bool) -> ExprId {
        self.add(Expr::Var { var: VarId::new(0).unwrap(), next })
    }

    fn is(&mut self, next: bool, value: i64) -> ExprId {
        let (s, value) = (self.var(next), self.add(Expr::Const(Value::Int(value))));
        self.add(Expr::Binary(Op::Eq, s, value))
    }

    fn or(&mut self, parts: Vec<ExprId>) -> ExprId {
        let no = self.add(Expr::Const(Value::Bool(false)));
        parts.into_iter().fold(no, |a, b| self.add(Expr::Binary(Op::Or, a, b)))
    }

    fn one_of(&mut self, values: &[i64]) -> Clause {
        let parts = values.iter().map(|&v| self.is(false, v)).collect();
        clause(self.or(parts))
    }

    /// The atom `s3` is `s = 3`.
    fn atom(&mut self, atom: &Atom) -> ExprId {
        let text = Ltl::Atom(atom.clone()).to_string();
        self.is(false, text.strip_prefix('s').and_then(|n| n.parse().ok()).unwrap_or_else(|| panic!("{text}")))
    }
}

fn clause(expr: ExprId) -> Clause {
    Clause { expr, span: NOWHERE, assigns: false }
}

fn variable(name: &str, domain: Domain, role: Role) -> Variable {
    Variable { name: Arc::from(name), domain, role, span: NOWHERE }
}

fn sketch(drawn: Drawn<'_>) -> Sketch {
    let mut sketch = Sketch { fds: Fds::default() };
    sketch.fds.vars.push(variable("s", Domain::Range(0, drawn.states - 1), Role::State));
    let init = sketch.one_of(&[0]);
    sketch.fds.init.push(init);
    let steps = drawn.steps.iter().map(|&(from, to)| {
        let (from, to) = (sketch.is(false, from), sketch.is(true, to));
        sketch.add(Expr::Binary(Op::And, from, to))
    });
    let steps = steps.collect();
    let trans = clause(sketch.or(steps));
    sketch.fds.trans.push(trans);
    for nodes in drawn.justice {
        let justice = sketch.one_of(nodes);
        sketch.fds.justice.push(justice);
    }
    for (p, q) in drawn.compassion {
        let pair = (sketch.one_of(p), sketch.one_of(q));
        sketch.fds.compassion.push(pair);
    }
    if !drawn.finals.is_empty() {
        let finals = sketch.one_of(drawn.finals);
        sketch.fds.finals.push(finals);
    }
    sketch
}

/// Whether every computation satisfies an LTL formula, found in both ways; what violates it does.
fn ltl_holds(system: &System<'_>, formula: &Ltl<ExprId>, about: &str) -> (bool, bool) {
    let (atoms, property) = words::ltl(formula);
    let found = tableau::violation(system, formula);
    let shown = words::violation(system, &atoms, &property, Effort::usual(&property));
    for trail in found.iter().chain(&shown) {
        assert_eq!(check_computation(system.model, trail), Ok(()), "{about}: {trail:?}");
        assert!(!property.holds(&word(system.model, &atoms, trail)), "{about}: {trail:?}");
    }
    assert!(found.is_some() || shown.is_none(), "{about}: the tableau misses {shown:?}");
    (found.is_none(), shown.is_none())
}

const ONE: Drawn<'_> = Drawn { states: 1, steps: &[(0, 0)], justice: &[], compassion: &[], finals: &[] };
/// 0 may stay or go to 1; 1 goes back.
const TWO: Drawn<'_> = Drawn { states: 2, steps: &[(0, 0), (0, 1), (1, 0)], ..ONE };
/// 0 may stay or go to 1, where nothing more happens.
const STOP: Drawn<'_> = Drawn { states: 2, steps: &[(0, 0), (0, 1)], ..ONE };
/// 0 and 1, 1 and 2 there and back.
const LINE: Drawn<'_> = Drawn { states: 3, steps: &[(0, 1), (1, 0), (1, 2), (2, 1)], ..ONE };
/// One step, and the end.
const STEP: Drawn<'_> = Drawn { states: 2, steps: &[(0, 1)], finals: &[1], ..ONE };
/// No step, and the end.
const POINT: Drawn<'_> = Drawn { states: 2, steps: &[], finals: &[0], ..ONE };

#[test]
fn known_answers_about_ltl() {
    let cases: &[(Drawn<'_>, &str, bool)] = &[
        (TWO, "F s1", false),
        (Drawn { justice: &[&[1]], ..TWO }, "G F s1", true),
        (Drawn { justice: &[&[1], &[0]], ..TWO }, "G F s1 && G F s0 && F G s0", false),
        (Drawn { compassion: &[(&[0], &[1])], ..TWO }, "G F s1", true),
        (Drawn { compassion: &[(&[1], &[])], ..TWO }, "F G s0", true),
        (Drawn { compassion: &[(&[1], &[])], ..TWO }, "G s0", false),
        (LINE, "F G !s2", false),
        (Drawn { compassion: &[(&[2], &[])], ..LINE }, "F G !s2", true),
        (Drawn { compassion: &[(&[2], &[])], ..LINE }, "G !s2", false),
        // Without 2 there are 0 and 1 only, so 0 comes; a pair that asks for 2 as well leaves nothing.
        (Drawn { compassion: &[(&[2], &[])], ..LINE }, "G F s0", true),
        (Drawn { compassion: &[(&[2], &[]), (&[0], &[2])], ..LINE }, "false", true),
        (LINE, "G (s1 -> Y (s0 || s2))", true),
        (LINE, "G (s2 -> Y Y s0)", false),
        (LINE, "G (s2 -> O s0)", true),
        (LINE, "G (s2 -> !s2 S s0)", false),
        (LINE, "s0 && !Y true && H s0 && X Y s0", true),
        // Finite computations.
        (STEP, "F s1", true),
        (STEP, "X X true", false),
        (STEP, "X WX false", true),
        (STEP, "s0 U s1", true),
        (STEP, "G s0", false),
        (STEP, "s1 R s0", false),
        (STEP, "s0 W false", false),
        (STEP, "(s0 || s1) W false", true),
        (STEP, "s1 M true", true),
        (POINT, "G s0 && WX false && !X true && H s0", true),
        (POINT, "F s1", false),
        (Drawn { finals: &[0, 1], ..STOP }, "F s1", false),
        (Drawn { finals: &[0, 1], ..STOP }, "F WX false", false),
        (Drawn { finals: &[0, 1], justice: &[&[1]], ..STOP }, "F WX false", true),
        (Drawn { finals: &[1], justice: &[&[1]], ..STOP }, "F s1", true),
        // Nothing computes.
        (Drawn { finals: &[], ..STEP }, "false", true),
        (Drawn { justice: &[&[1]], ..STOP }, "false", true),
        (ONE, "false", false),
    ];
    for &(drawn, text, expected) in cases {
        let mut sketch = sketch(drawn);
        let formula = parse_ltl(text).unwrap().map_atoms(&mut |a| sketch.atom(a));
        let system = System::of(&sketch.fds);
        assert_eq!(ltl_holds(&system, &formula, text), (expected, expected), "{text}");
    }
}

#[test]
fn known_answers_about_psl() {
    let cases: &[(Drawn<'_>, &str, bool)] = &[
        (TWO, "always ({s1} |=> {s0})", true),
        (TWO, "eventually! s1", false),
        (Drawn { justice: &[&[1]], ..TWO }, "always (s0 -> eventually! s1)", true),
        (TWO, "{s0[*]; s1}", true),
        (TWO, "{s0[*]; s1}!", false),
        (LINE, "{s0; s1; {s0 | s2}}!", true),
        (LINE, "never {s0; s1; s2; s1; s2}", false),
        (STEP, "{s0; s1}!", true),
        (STEP, "{s0; s1; s0}!", false),
        (STEP, "{s0; s1; s0}", true),
        (STEP, "next next false", true),
        (STEP, "next! next! true", false),
        (POINT, "X false && !(X! true)", true),
        (Drawn { justice: &[&[1]], ..STOP }, "false", true),
    ];
    for &(drawn, text, expected) in cases {
        let mut sketch = sketch(drawn);
        let formula = parse_psl(text).unwrap().map_atoms(&mut |a| sketch.atom(a));
        let system = System::of(&sketch.fds);
        let (atoms, property) = words::psl(&formula);
        let found = words::violation(&system, &atoms, &property, Effort::usual(&property));
        assert_eq!(found.is_none(), expected, "{text}: {found:?}");
        if let Some(trail) = found {
            assert_eq!(check_computation(&sketch.fds, &trail), Ok(()), "{text}");
            assert!(!property.holds(&word(&sketch.fds, &atoms, &trail)), "{text}");
        }
    }
}

#[test]
fn known_answers_about_ctl() {
    let cases: &[(Drawn<'_>, &str, bool)] = &[
        // What leads nowhere is on no path.
        (STOP, "EX s1", false),
        (STOP, "EF s1", false),
        (STOP, "AG s0", true),
        (Drawn { finals: &[1], ..STOP }, "EX s1 && EF s1 && EG s0", true),
        (Drawn { finals: &[1], ..STOP }, "AG s0", false),
        (Drawn { finals: &[1], ..STOP }, "AX s0", false),
        (Drawn { finals: &[1], ..STOP }, "AF s1", false),
        (Drawn { finals: &[1], justice: &[&[1]], ..STOP }, "AF s1 && !EG s0", true),
        (Drawn { finals: &[1], ..STOP }, "EF AX false", true),
        // A path of one state.
        (POINT, "EX true", false),
        (POINT, "AX false", true),
        (POINT, "EG s0 && AG s0 && EF s0 && !EF s1", true),
        (POINT, "E[s0 U s1]", false),
        (POINT, "A[s0 W s1] && E[s0 W s1] && A[s1 R s0] && E[s1 R s0] && !E[s0 R s1]", true),
        (POINT, "A[s0 U s1]", false),
        (TWO, "AG (s1 -> AX s0) && AG EF s1 && EG s0", true),
        (TWO, "AF s1", false),
        (Drawn { justice: &[&[1]], ..TWO }, "AG AF s1 && !EG s0", true),
        (Drawn { compassion: &[(&[0], &[1])], ..TWO }, "AG AF s1", true),
        (Drawn { compassion: &[(&[1], &[])], ..TWO }, "EF s1 && AF EG s0 && !EG EF s1", false),
        (Drawn { compassion: &[(&[1], &[])], ..TWO }, "EF s1 && AF EG s0 && EG EF s1", true),
        (LINE, "A[!s2 W s1] && A[!s2 U s1] && E[s1 R !s2] && !A[s2 R s0]", true),
        // No initial state begins a computation.
        (Drawn { finals: &[], ..STEP }, "EX true && AG false", true),
    ];
    for &(drawn, text, expected) in cases {
        let mut sketch = sketch(drawn);
        let formula = parse_ctl(text).unwrap().map_atoms(&mut |a| sketch.atom(a));
        assert_eq!(System::of(&sketch.fds).satisfies_ctl(&formula), expected, "{text}");
    }
}

#[test]
fn reachable_states_and_dead_ends() {
    let drawn = Drawn { states: 5, steps: &[(0, 1), (1, 2), (0, 2), (2, 3), (4, 0)], ..ONE };
    let mut known = sketch(drawn);
    let (near, far) = (known.is(false, 3), known.is(false, 4));
    let not = |sketch: &mut Sketch, e| sketch.add(Expr::Not(e));
    let (near, far) = (not(&mut known, near), not(&mut known, far));
    let system = System::of(&known.fds);
    assert_eq!(system.distances(), [Some(0), Some(1), Some(1), Some(2), None]);
    assert_eq!(system.deadlocks(), [3]);
    assert_eq!((system.distance_to_violation(near), system.distance_to_violation(far)), (Some(2), None));
    let ended = sketch(Drawn { finals: &[3], ..drawn });
    assert!(System::of(&ended.fds).deadlocks().is_empty());
}

/// The input of a position belongs to the step from there on; that of the last position is free.
#[test]
fn inputs_belong_to_steps() {
    let mut sketch = Sketch { fds: Fds::default() };
    sketch.fds.vars.push(variable("s", Domain::Range(0, 1), Role::State));
    sketch.fds.vars.push(variable("i", Domain::Bool, Role::Input));
    let input = sketch.add(Expr::Var { var: VarId::new(1).unwrap(), next: false });
    let (first, next) = (sketch.is(false, 0), sketch.is(true, 1));
    let follows = sketch.add(Expr::Binary(Op::Iff, input, next));
    sketch.fds.init.push(clause(first));
    sketch.fds.trans.push(clause(follows));
    let one = sketch.is(false, 1);
    let iff = |f, g| Ltl::Iff(Box::new(f), Box::new(g));
    let unary = |op, f| Ltl::Unary(op, Box::new(f));
    let next = unary(LtlUnary::Globally, iff(Ltl::Atom(input), unary(LtlUnary::Next, Ltl::Atom(one))));
    let previous = unary(LtlUnary::Globally, iff(Ltl::Atom(one), unary(LtlUnary::Yesterday, Ltl::Atom(input))));
    let system = System::of(&sketch.fds);
    assert_eq!((system.moments.len(), system.by_state.len()), (4, 2));
    assert_eq!(ltl_holds(&system, &next, "infinite"), (true, true));
    assert_eq!(ltl_holds(&system, &previous, "infinite"), (true, true));
    sketch.fds.finals.push(clause(one));
    let system = System::of(&sketch.fds);
    assert_eq!(ltl_holds(&system, &next, "finite"), (false, false));
    assert_eq!(ltl_holds(&system, &previous, "finite"), (true, true));
    let some_input = Ctl::Unary(Path::Some, CtlUnary::Next, Box::new(Ctl::Atom(one)));
    assert!(system.satisfies_ctl(&some_input));
}

#[test]
fn what_expressions_are_worth() {
    let mut exprs = Exprs::default();
    let mut add = |e: Expr| exprs.add(e, NOWHERE);
    let mut int = |i: i64| add(Expr::Const(Value::Int(i)));
    let (zero, two, minus, seven) = (int(0), int(2), int(-2), int(-7));
    let (yes, no) = (add(Expr::Const(Value::Bool(true))), add(Expr::Const(Value::Bool(false))));
    let symbol = add(Expr::Const(Value::Symbol(Arc::from("a"))));
    let mut op = |op, a, b| add(Expr::Binary(op, a, b));
    let nothing = op(Op::Div, two, zero);
    let none_is_true = |add: &mut dyn FnMut(Expr) -> ExprId| add(Expr::Case(vec![(no, two)]));
    let (int, truth) = (|i| Some(Value::Int(i)), |b| Some(Value::Bool(b)));
    let mut table = vec![
        (op(Op::Div, seven, two), int(-3)),
        (op(Op::Mod, seven, two), int(-1)),
        (op(Op::Mod, two, minus), int(0)),
        (op(Op::Mod, two, zero), None),
        (op(Op::And, no, nothing), truth(false)),
        (op(Op::And, yes, nothing), None),
        (op(Op::Or, yes, nothing), truth(true)),
        (op(Op::Implies, no, nothing), truth(true)),
        (op(Op::Eq, yes, two), truth(false)),
        (op(Op::Eq, no, zero), truth(true)),
        (op(Op::Ne, symbol, zero), truth(true)),
        (op(Op::Lt, symbol, zero), None),
        (op(Op::Add, yes, two), int(3)),
        (op(Op::And, two, yes), None),
    ];
    table.push((none_is_true(&mut add), None));
    table.push((add(Expr::Case(vec![(no, nothing), (yes, two), (nothing, zero)])), int(2)));
    table.push((add(Expr::Count(vec![yes, no, yes])), int(2)));
    let set = add(Expr::Set(vec![zero, symbol]));
    let branch = add(Expr::Case(vec![(no, two), (yes, set)]));
    table.push((add(Expr::Binary(Op::In, symbol, branch)), truth(true)));
    table.push((add(Expr::Binary(Op::In, no, branch)), truth(true)));
    table.push((add(Expr::Binary(Op::In, two, branch)), truth(false)));
    for (e, expected) in table {
        assert_eq!(expr::value(&exprs, e, &[], None), expected, "{:?}", exprs.get(e));
    }
}

fn describe(seed: u64, model: &Model, formula: &impl std::fmt::Debug) -> String {
    format!("seed {seed}: {formula:?} on {:#?}", model.fds)
}

#[test]
fn the_tableau_agrees_with_the_words() {
    let mut verdicts = Shares::default();
    for_seeds(300, |rng, seed| {
        let model = model(rng, Taste::ALL);
        let formula = model.ltl(rng);
        let about = describe(seed, &model, &formula);
        verdicts.add(match ltl_holds(&System::of(&model.fds), &formula, &about) {
            (true, _) => "holds",
            (false, false) => "violated",
            // The word that shows it is too long.
            (false, true) => "violated by long words",
        });
    });
    assert!(verdicts.share("violated by long words") < 0.02, "{verdicts:?}");
    verdicts.at_least_a_fifth("LTL on models", &["holds", "violated"]);
}

/// At every start, `A` of one operator over atoms is LTL, and so is `E` of its negation.
#[test]
fn branching_agrees_with_linear() {
    let mut verdicts = Shares::default();
    for_seeds(300, |rng, seed| {
        let model = model(rng, Taste::ALL);
        let system = System::of(&model.fds);
        let mut atom = || model.of_states[rng.usize(..model.of_states.len())];
        let (p, q) = (atom(), atom());
        let (lp, lq) = (|| Box::new(Ltl::Atom(p)), || Box::new(Ltl::Atom(q)));
        let (cp, cq) = (|| Box::new(Ctl::Atom(p)), || Box::new(Ctl::Atom(q)));
        // A next position is demanded by no `A`.
        let pairs = [
            (Ltl::Unary(LtlUnary::WeakNext, lp()), Ctl::Unary(Path::All, CtlUnary::Next, cp())),
            (Ltl::Unary(LtlUnary::Finally, lp()), Ctl::Unary(Path::All, CtlUnary::Finally, cp())),
            (Ltl::Unary(LtlUnary::Globally, lp()), Ctl::Unary(Path::All, CtlUnary::Globally, cp())),
            (Ltl::Binary(LtlBinary::Until, lp(), lq()), Ctl::Binary(Path::All, CtlBinary::Until, cp(), cq())),
            (Ltl::Binary(LtlBinary::WeakUntil, lp(), lq()), Ctl::Binary(Path::All, CtlBinary::WeakUntil, cp(), cq())),
            (Ltl::Binary(LtlBinary::Release, lp(), lq()), Ctl::Binary(Path::All, CtlBinary::Release, cp(), cq())),
        ];
        for (linear, branching) in pairs {
            let about = describe(seed, &model, &branching);
            let holds = tableau::violation(&system, &linear).is_none();
            assert_eq!(system.satisfies_ctl(&branching), holds, "{about}");
            verdicts.add(if holds { "holds" } else { "violated" });
            // No start has a path of that kind if and only if every computation is of another kind.
            let some = match &branching {
                Ctl::Unary(_, op, f) => Ctl::Unary(Path::Some, *op, f.clone()),
                Ctl::Binary(_, op, f, g) => Ctl::Binary(Path::Some, *op, f.clone(), g.clone()),
                _ => unreachable!(),
            };
            let strong = match linear {
                Ltl::Unary(LtlUnary::WeakNext, f) => Ltl::Unary(LtlUnary::Next, f),
                other => other,
            };
            let never = tableau::violation(&system, &Ltl::Not(Box::new(strong))).is_none();
            assert_eq!(system.satisfies_ctl(&Ctl::Not(Box::new(some))), never, "{about}");
        }
    });
    verdicts.at_least_a_fifth("CTL on models", &["holds", "violated"]);
}

/// Every state on a computation is one that can be reached, and every reachable state is on a path.
#[test]
fn invariants_agree_with_paths() {
    for_seeds(200, |rng, seed| {
        let mut model = model(rng, Taste::ALL);
        // All prefixes of paths are computations now.
        let always = model.fds.exprs.add(Expr::Const(Value::Bool(true)), NOWHERE);
        model.fds.finals = vec![clause(always)];
        let system = System::of(&model.fds);
        assert!(system.deadlocks().is_empty());
        let globally = |e| Ltl::Unary(LtlUnary::Globally, Box::new(Ltl::Atom(e)));
        for &atom in &model.of_states {
            let violation = tableau::violation(&system, &globally(atom));
            let distance = system.distance_to_violation(atom);
            let about = describe(seed, &model, &atom);
            assert_eq!(violation.is_some(), distance.is_some(), "{about}");
            if let (Some(trail), Some(distance)) = (violation, distance) {
                assert_eq!(check_path(&model.fds, &trail), Ok(()), "{about}");
                assert!(trail.states.len() > distance, "{about}");
            }
        }
    });
}

/// Random models have what makes a difference.
#[test]
fn random_models_differ() {
    let (mut sizes, mut kinds) = (Shares::default(), Shares::default());
    for_seeds(500, |rng, _| {
        let model = model(rng, Taste::ALL);
        let system = System::of(&model.fds);
        let reached = system.distances().iter().flatten().count();
        sizes.add(match reached {
            0 => "no initial state",
            1 => "one state",
            2..4 => "few states",
            _ => "many states",
        });
        kinds.add(match system.by_moment.computation() {
            None => "nothing computes",
            Some(_) if !system.deadlocks().is_empty() => "dead ends",
            Some(_) if !model.fds.finals.is_empty() => "finite ones",
            Some(_) => "only infinite ones",
        });
    });
    sizes.at_least(0.3, "reachable", &["many states"]);
    sizes.at_least(0.02, "reachable", &["no initial state", "one state", "few states"]);
    kinds.at_least(0.05, "computations", &["nothing computes", "dead ends", "finite ones", "only infinite ones"]);
}

/// The rounds of at most so many steps from a node back to itself.
fn rounds(graph: &Graph, path: &mut Vec<usize>, steps: usize, found: &mut dyn FnMut(&[usize])) {
    for &next in &graph.next[path[path.len() - 1]] {
        if next == path[0] {
            found(path);
        }
        if steps > 1 {
            path.push(next);
            rounds(graph, path, steps - 1, found);
            path.pop();
        }
    }
}

/// A node begins a computation if it leads to a final node or to one with a fair round, by trying all short rounds.
#[test]
fn no_fair_round_is_missed() {
    let mut kinds = Shares::default();
    for_seeds(300, |rng, seed| {
        let model = model(rng, Taste { states: 6, ..Taste::ALL });
        let graph = System::of(&model.fds).by_state;
        let mut goal = graph.finals.clone();
        for (node, is_goal) in goal.iter_mut().enumerate() {
            rounds(&graph, &mut vec![node], 6, &mut |round| {
                let meets = |row: &[bool]| round.iter().any(|&n| row[n]);
                *is_goal |= graph.justice.iter().all(|j| meets(j))
                    && graph.compassion.iter().all(|(p, q)| !meets(p) || meets(q));
            });
        }
        let mut tried = goal;
        for _ in 0..graph.len() {
            for node in 0..graph.len() {
                tried[node] |= graph.next[node].iter().any(|&t| tried[t]);
            }
        }
        let found = graph.feasible(&vec![true; graph.len()]);
        assert_eq!(found, tried, "{}", describe(seed, &model, &()));
        found.iter().for_each(|&f| kinds.add(if f { "begins a computation" } else { "does not" }));
    });
    kinds.at_least(0.1, "states", &["begins a computation", "does not"]);
}
