//! Satisfiability as a question about the orders of a run (Genon, Massart, Meuter 2006, lemma 1 and appendix A.1).
//!
//! For each variable v of the formula there are two variables of the run, `pv` (the paper's p) and `qv` (its p'), and two
//! processes, `Pv` and `Qv`. Each occurrence of a literal makes an event of either: the literal v sets both to 1, its negation
//! both to 0. In `Pv` all 1s come before all 0s (equation 1), in `Qv` all 0s before all 1s (equation 2).
//!
//! The monitor goes through the clauses, from c1 to c2 and so on. Through a clause it goes by a literal: by v when `pv` is set
//! to 1 and then `qv` to 1, by its negation when `qv` is set to 0 and then `pv` to 0. If a run takes it through one clause by v
//! and through a later one by the negation, `qv` was set to 1 before it was set to 0; the other way round `pv` was set to
//! 0 before 1. Neither is an order of this run, so the literals that were taken are an assignment. Conversely, with an
//! assignment in hand, whatever it does not use is done while the monitor is inside the first clause, where it waits for one
//! event only. In the print, events of equal assignments are unordered; here they are one after the other, which
//! leaves the same words, because nothing tells them apart.

use std::fmt::Write;

use posetta_record::Value;

use super::cnf::{Cnf, Literal};
use super::stage::Stage;

/// How often a variable occurs by itself and negated.
struct Occurrences {
    variable: u32,
    positive: u64,
    negative: u64,
}

fn occurrences(formula: &Cnf) -> Vec<Occurrences> {
    let mut counts = std::collections::BTreeMap::<u32, (u64, u64)>::new();
    for literal in formula.clauses.iter().flatten() {
        let count = counts.entry(literal.variable).or_default();
        *if literal.positive { &mut count.0 } else { &mut count.1 } += 1;
    }
    let each = |(variable, (positive, negative))| Occurrences { variable, positive, negative };
    counts.into_iter().map(each).collect()
}

/// Two events for each literal of the formula.
pub fn events(formula: &Cnf) -> u64 {
    2 * formula.clauses.iter().map(|clause| clause.len() as u64).sum::<u64>()
}

/// Two processes for each variable that occurs.
pub fn processes(formula: &Cnf) -> usize {
    2 * occurrences(formula).len()
}

/// Their names.
pub fn process_names(formula: &Cnf) -> Vec<String> {
    occurrences(formula).into_iter().flat_map(|o| [format!("P{}", o.variable), format!("Q{}", o.variable)]).collect()
}

pub fn variables(formula: &Cnf) -> Vec<(String, Value<'static>)> {
    let both = |o: Occurrences| [format!("p{}", o.variable), format!("q{}", o.variable)];
    occurrences(formula).into_iter().flat_map(both).map(|name| (name, Value::from(0))).collect()
}

/// The processes are independent; the seed only decides in which order they are recorded.
pub fn simulate(stage: &mut Stage, formula: &Cnf) {
    let mut unfinished = Vec::new();
    for o in occurrences(formula) {
        for (upper, lower, values, counts) in
            [("P", "p", [1, 0], [o.positive, o.negative]), ("Q", "q", [0, 1], [o.negative, o.positive])]
        {
            let process = stage.recorder.process(&format!("{upper}{}", o.variable));
            unfinished.push((process, format!("{lower}{}", o.variable), values, counts));
        }
    }
    while stage.left > 0 {
        let i = stage.dice.below(unfinished.len());
        let (process, variable, values, counts) = &mut unfinished[i];
        let part = usize::from(counts[0] == 0);
        process.event("").set(variable, values[part]).record();
        counts[part] -= 1;
        if *counts == [0, 0] {
            unfinished.swap_remove(i);
        }
        stage.count();
    }
}

/// The monitor of the formula: violated if and only if the formula is satisfiable.
pub fn props(formula: &Cnf) -> String {
    let n = formula.clauses.len();
    let mut out = format!(
        "\
// Genon, Massart, Meuter 2006, lemma 1: some order of the run of the same formula leads from c1 to c{0}, through every clause,
// if and only if the formula is satisfiable. So this is violated exactly then, and the order that fails shows an assignment.
monitor unsatisfiable over events {{
  initial c1
  bad c{0}
",
        n + 1
    );
    for (i, clause) in formula.clauses.iter().enumerate() {
        let (here, next) = (i + 1, i + 2);
        for (j, literal) in clause.iter().enumerate() {
            let inside = format!("m{here}_{}", j + 1);
            let (first, second) = steps(*literal);
            let _ = writeln!(out, "  c{here} -> {inside}: {first}\n  {inside} -> c{next}: {second}");
        }
        if clause.is_empty() {
            let _ = writeln!(out, "  c{here} -> c{next}: false");
        }
    }
    out.push_str("}\n");
    out
}

/// What takes the monitor into a clause and out of it.
fn steps(literal: Literal) -> (String, String) {
    let sets = |name: &str, value: u8| format!("on({name}{} == {value})", literal.variable);
    if literal.positive { (sets("p", 1), sets("q", 1)) } else { (sets("q", 0), sets("p", 0)) }
}
