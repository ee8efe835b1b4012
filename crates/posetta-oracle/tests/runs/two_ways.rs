//! Two ways to decide a linear property on one finite word: as a run, by automata (`check`), and as a model that can do nothing else, by a tester
//! (`verify`). They share the parser and nothing behind it.

use std::sync::Arc;

use fastrand::Rng;
use posetta_base::{Budget, Span, VarId};
use posetta_check::{self as check, check};
use posetta_formats as formats;
use posetta_logic::{Atom, Formula, Guard, Ltl, Property, Psl, View, parse_guard};
use posetta_model::fds::{Clause, Demand, Domain, Expr, ExprId, Fds, Op, Role, Spec, Value, Variable};
use posetta_oracle::cases::{Shares, for_seeds};
use posetta_oracle::random::{Tense, ltl_over, psl};
use posetta_verify::fds::{Options, Question};

const NOWHERE: Span = Span { start: 0, end: 0 };

fn atom(name: &str) -> Atom {
    match parse_guard(name) {
        Ok(Guard::Atom(atom)) => atom,
        other => panic!("{other:?}"),
    }
}

/// The word as a run of one process: the first letter is the initial state.
fn run_says(word: &[[bool; 2]], formula: Formula) -> String {
    let letter = |[a, b]: [bool; 2]| format!("a={}, b={}", u8::from(a), u8::from(b));
    let steps: Vec<String> = word[1..].iter().map(|&l| letter(l)).collect();
    let text = format!("initial: {}\nP: {}\n", letter(word[0]), steps.join(" -> "));
    let trace = formats::text::read(text.as_bytes(), &Budget::unlimited()).expect("a run");
    let mut property = Property::ltl("true").expect("a formula");
    property.formula = formula;
    let answer = check(&trace, &property, &check::Options::default(), &Budget::unlimited()).expect("an answer");
    answer.verdict.word().to_owned()
}

/// The word as a model: a position that counts up to the end, and atoms that are true at some positions.
fn word_model(word: &[[bool; 2]]) -> (Fds, [ExprId; 2]) {
    let mut fds = Fds::default();
    let last = i64::try_from(word.len() - 1).expect("short");
    fds.vars.push(Variable { name: Arc::from("at"), domain: Domain::Range(0, last), role: Role::State, span: NOWHERE });
    let var = VarId::new(0).expect("the first");
    let mut add = |expr| fds.exprs.add(expr, NOWHERE);
    let (at, later) = (add(Expr::Var { var, next: false }), add(Expr::Var { var, next: true }));
    let [zero, one, end] = [0, 1, last].map(|i| add(Expr::Const(Value::Int(i))));
    let first = add(Expr::Binary(Op::Eq, at, zero));
    let up = add(Expr::Binary(Op::Add, at, one));
    let step = add(Expr::Binary(Op::Eq, later, up));
    let ends = add(Expr::Binary(Op::Eq, at, end));
    let atoms = [0, 1].map(|k| {
        let mut any = add(Expr::Const(Value::Bool(false)));
        for i in (0..word.len()).filter(|&i| word[i][k]) {
            let here = add(Expr::Const(Value::Int(i64::try_from(i).expect("short"))));
            let here = add(Expr::Binary(Op::Eq, at, here));
            any = add(Expr::Binary(Op::Or, any, here));
        }
        any
    });
    let clause = |expr| Clause { expr, span: NOWHERE, assigns: false };
    (fds.init, fds.trans, fds.finals) = (vec![clause(first)], vec![clause(step)], vec![clause(ends)]);
    (fds, atoms)
}

fn model_says(fds: &Fds, demand: Demand) -> String {
    let spec = Spec { name: None, demand, source: Arc::from(""), span: NOWHERE, warnings: Vec::new() };
    let (specs, budget) = ([spec], Budget::unlimited());
    let mut question = Question::new(fds, &specs, Options::default());
    question.decide(&budget).expect("no mistakes");
    question.answer(0).expect("an answer").verdict.word().to_owned()
}

fn random_word(rng: &mut Rng) -> Vec<[bool; 2]> {
    (0..1 + rng.usize(..6)).map(|_| [rng.bool(), rng.bool()]).collect()
}

#[test]
fn ltl_and_psl_on_finite_words() {
    let atoms = [atom("a"), atom("b")];
    let mut verdicts = Shares::default();
    for_seeds(120, |rng, seed| {
        let word = random_word(rng);
        let (fds, exprs) = word_model(&word);
        let place = |a: &Atom| exprs[usize::from(*a != atoms[0])];
        let (formula, demand) = if rng.bool() {
            let formula: Ltl = ltl_over(rng, Tense::PastAndFuture, &|rng: &mut Rng| atoms[rng.usize(..2)].clone());
            let demand = Demand::Ltl(formula.map_atoms(&mut |a| place(a)));
            (Formula::Ltl(View::States, formula), demand)
        } else {
            let size = rng.usize(..6);
            let formula: Psl = psl(rng, &atoms, size);
            let demand = Demand::Psl(formula.map_atoms(&mut |a| place(a)));
            (Formula::Psl(View::States, formula), demand)
        };
        let about = format!("seed {seed}: {formula} on {word:?}");
        let run = run_says(&word, formula);
        assert_eq!(model_says(&fds, demand), run, "{about}");
        verdicts.add(if run == "holds" { "holds" } else { "violated" });
    });
    verdicts.at_least_a_fifth("words", &["holds", "violated"]);
}
