//! PSL with counts, of models: the engines against each other where counts are small, and how much work it is where they are large.

use posetta_base::Budget;
use posetta_model::smv;
use posetta_verify::fds::{By, Options, Question};

/// With N for a count.
const FORMULAS: [&str; 20] = [
    "never {a;b[*N];!b}",
    "eventually! {a[*N]}",
    "always {a[->];b[*N]} |-> c",
    "always {a;b[*];c[*N]} |=> b",
    "{a[->3];b[*N];c}!",
    "always {a} |=> {b[->2];c[*N]}!",
    "{{a[*2]}[*]&&{a[*3]}[*]&&{a[*5]}[*]&&{a[*N]}[*];b}!",
    "never {a; b[->N]; c}",
    "always (a -> next_event!(b)[N](c))",
    "always {a} |=> {b[=N]; c}!",
    "always {a} |=> {b[*1:N];c}!",
    "always (a -> next[N] c)",
    "eventually! {a;b[*N];c}",
    "{a[->N]} |=> b",
    "always ({a} |=> {b[->N]}! abort c)",
    "always {a[*N:N+2]} |=> {b[*2:N]}",
    "never {{a;b}[*N] within {[*2];c;[*]}}",
    "{b[=N];c}",
    "(always {a} |=> {b[->N]}!) && never {c[*N]}",
    "always (a -> eventually! {b[*N]})",
];

/// What the variables do. In the second b stays once it is there, in the third a comes once, and then b and c stay.
const MODELS: [&str; 3] = [
    "MODULE main\nVAR a : boolean; b : boolean; c : boolean;\n",
    "MODULE main\nVAR a : boolean; b : boolean; c : boolean;\nTRANS b -> next(b)\nJUSTICE a\n",
    "MODULE main\nVAR a : boolean; b : boolean; c : boolean;\nINIT a & !b\nTRANS !next(a) & next(b) & next(c)\n",
];

/// The verdict, who found it, and how many steps it took.
fn ask(model: &str, formula: &str, count: u32, options: Options) -> (&'static str, Option<By>, u64) {
    let formula = formula.replace("N+2", &(count + 2).to_string()).replace('N', &count.to_string());
    let text = format!("{model}PSLSPEC {formula}\n");
    let model = smv::read(&text).unwrap_or_else(|e| panic!("{e:?}:\n{text}"));
    let budget = Budget::with_memory(2 << 30);
    let mut question = Question::new(&model, &model.specs, options);
    question.decide(&budget).unwrap_or_else(|e| panic!("{e:?}:\n{text}"));
    let answer = question.answer(0).expect("there is one property");
    (answer.verdict.word(), answer.by, budget.stop_handle().explored())
}

#[test]
fn engines_agree_on_small_counts() {
    let (mut holds, mut violated) = (0, 0);
    for model in MODELS {
        for formula in FORMULAS {
            for count in [2, 3, 4] {
                let told = || format!("{formula} with {count} in\n{model}");
                let (verdict, by, _) = ask(model, formula, count, Options::default().by(By::Diagrams));
                assert_eq!(by, Some(By::Diagrams), "{}", told());
                for broad in [0, 1 << 13] {
                    let (again, by, _) = ask(model, formula, count, Options::default().by(By::States).broad(broad));
                    assert_eq!((again, by), (verdict, Some(By::States)), "{}", told());
                }
                match verdict {
                    "holds" => holds += 1,
                    "violated" => violated += 1,
                    other => panic!("{other}: {}", told()),
                }
            }
        }
    }
    assert!(holds > 15 && violated > 60, "{holds} hold, {violated} are violated");
}

/// A match that is owed again and again: the last one that is owed does not stand for those before it.
#[test]
fn what_is_owed_again_and_again_is_not_put_off() {
    let free = "MODULE main\nVAR a : boolean; b : boolean; c : boolean;\n";
    let turns = format!("{free}TRANS a & !c -> next(!a)\nJUSTICE !a\nJUSTICE !b\n");
    let until = "(true until! ({c[->N:inf]} |=> ((b -> a) before eventually! {!a}))) abort b";
    for (model, formula) in [(free, "next[3] eventually! ({!c[*N:inf]} |=> a)"), (turns.as_str(), until)] {
        for (by, broad) in [(By::Diagrams, 0), (By::States, 0), (By::States, 1 << 13)] {
            let (verdict, _, _) = ask(model, formula, 2, Options::default().by(by).broad(broad));
            assert_eq!(verdict, "violated", "{formula} by {by:?}");
        }
    }
}

/// The first formulas of the table. (Of some others the counterexample is hundreds of states long, and asking the definition about it takes more steps
/// than finding it.)
#[test]
fn large_counts_take_little_work() {
    for model in MODELS {
        for formula in &FORMULAS[..12] {
            let (small, _, _) = ask(model, formula, 9, Options::default());
            let (verdict, by, steps) = ask(model, formula, 240, Options::default());
            assert_eq!(verdict, small, "{formula} in\n{model}");
            assert!(steps < 100_000_000, "{steps} steps by {by:?}: {formula} in\n{model}");
        }
    }
}
