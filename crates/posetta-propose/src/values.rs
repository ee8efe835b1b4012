//! What variables do: their bounds, their values, whether they grow, and what is never true of two at once.

use std::collections::BTreeMap;

use posetta_base::{Budget, Number, OverBudget, Value};
use posetta_logic::{Spot, Var};
use posetta_trace::Trace;

use super::{Draft, Why, word};

/// So many variables are proposed for, so many values are listed, and so many variables exclude each other.
const MOST_VARIABLES: usize = 6;
const MOST_VALUES: usize = 6;
const MOST_EXCLUSIVE: usize = 12;
/// So many values of a variable are told apart.
const TOLD_APART: usize = 64;

/// What the recorded orders say about a variable.
#[derive(Debug, Default)]
struct Seen {
    /// Its values, in the order of coming; full at the limit.
    values: Vec<Value>,
    is_text: bool,
    is_number: bool,
    least: Option<Number>,
    most: Option<Number>,
    fell: bool,
    changes: usize,
    /// Written by something, not only declared.
    written: bool,
    /// Some run does not say what it is at first, so that it is 0 there.
    undeclared: bool,
}

impl Seen {
    /// Whether it is never anything but 0 and 1: its bounds say nothing.
    fn is_flag(&self) -> bool {
        !self.is_text && self.values.iter().all(|value| [Value::from(0), Value::from(1)].contains(value))
    }

    fn note(&mut self, value: &Value) {
        match value {
            Value::Number(number) => {
                self.is_number = true;
                if self.least.as_ref().is_none_or(|least| number < least) {
                    self.least = Some(number.clone());
                }
                if self.most.as_ref().is_none_or(|most| number > most) {
                    self.most = Some(number.clone());
                }
            }
            Value::Text(_) => self.is_text = true,
        }
        if self.values.len() < TOLD_APART && !self.values.contains(value) {
            self.values.push(value.clone());
        }
    }
}

/// Proposes what variables do.
pub(super) fn states(runs: &[&Trace], budget: &Budget, drafts: &mut Vec<Draft>) -> Result<(), OverBudget> {
    let mut seen: BTreeMap<&str, Seen> = BTreeMap::new();
    // By kind: two variables that had one value at the same time, by that value.
    let mut together: BTreeMap<(String, String), bool> = BTreeMap::new();
    for run in runs {
        budget.step(run.len() as u64, "looking at the variables")?;
        let mut now: Vec<Value> = run.variables().map(|v| run.value(run.initial(v)).clone()).collect();
        for v in run.variables() {
            let of = seen.entry(run.variable_name(v)).or_default();
            if run.is_declared(v) || run.has_state_records() {
                of.note(&now[v.index()]);
                of.written |= run.has_state_records();
            } else {
                of.undeclared = true;
            }
        }
        let kinds: Vec<String> = run.variables().map(|v| kind(run.variable_name(v))).collect();
        for &event in run.linearisation() {
            for assignment in run.assignments(event) {
                let (v, value) = (assignment.var, run.value(assignment.value));
                let of = seen.entry(run.variable_name(v)).or_default();
                of.fell |= matches!((&now[v.index()], value), (Value::Number(a), Value::Number(b)) if b < a);
                of.changes += usize::from(now[v.index()] != *value);
                of.written = true;
                of.note(value);
                now[v.index()] = value.clone();
            }
            for assignment in run.assignments(event) {
                let (own, value) = (assignment.var.index(), &now[assignment.var.index()]);
                budget.step(now.len() as u64, "looking at the variables")?;
                let other = (0..now.len()).any(|o| o != own && kinds[o] == kinds[own] && now[o] == *value);
                *together.entry((kinds[own].clone(), value.to_string())).or_default() |= other;
            }
        }
    }
    exclusive(&seen, &together, drafts);
    let name_of = |variable: &str| Var::now(variable, Spot::default()).to_string();
    for (&variable, of) in seen.iter_mut().filter(|(_, of)| of.written && !of.is_flag()).take(MOST_VARIABLES) {
        if of.undeclared && of.is_text {
            continue;
        }
        if of.undeclared {
            of.note(&Value::from(0));
        }
        let name = name_of(variable);
        let variable = variable.to_owned();
        let is_full = of.values.len() == TOLD_APART;
        if of.is_text && !of.is_number && of.values.len() <= MOST_VALUES {
            let any: Vec<String> = of.values.iter().map(|value| format!("{name} == {value}")).collect();
            let text = format!("ltl G ({})", any.join(" || "));
            drafts.push(Draft { name: format!("{}_known", word(&variable)), text, why: Why::Values { variable } });
        } else if let (Some(least), Some(most), false) = (&of.least, &of.most, of.is_text) {
            if of.changes >= 3 && !of.fell && (is_full || of.values.len() > 3) {
                let text = format!("ltl G ({name} >= prev({name}))");
                let why = Why::Grows { variable: variable.clone() };
                drafts.push(Draft { name: format!("{}_never_falls", word(&variable)), text, why });
            }
            let text = format!("ltl G ({name} >= {least} && {name} <= {most})");
            drafts.push(Draft { name: format!("{}_in_range", word(&variable)), text, why: Why::Range { variable } });
        }
    }
    Ok(())
}

/// Variables of one kind differ in digits, or in what stands before their last dot: `c0` and `c1`, `n1.role` and `n2.role`.
fn kind(name: &str) -> String {
    match name.rsplit_once('.') {
        Some((_, last)) => format!(".{last}"),
        None => name.chars().map(|c| if c.is_ascii_digit() { '#' } else { c }).collect(),
    }
}

/// Proposes what was never true of two variables of one kind at once, though it was of each by itself.
fn exclusive(seen: &BTreeMap<&str, Seen>, together: &BTreeMap<(String, String), bool>, drafts: &mut Vec<Draft>) {
    let mut kinds: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for (&variable, of) in seen {
        if of.written && (of.is_text != of.is_number) {
            kinds.entry(kind(variable)).or_default().push(variable);
        }
    }
    for (kind, variables) in kinds.into_iter().filter(|(_, variables)| variables.len() > 1) {
        for ((_, value), _) in together.iter().filter(|((own, _), both)| *own == kind && !**both) {
            let has = |variable: &&&str| seen[**variable].values.iter().any(|v| v.to_string() == *value);
            let holders: Vec<&str> = variables.iter().filter(has).copied().collect();
            // What each of many has only once, a counter say, excludes nothing.
            let few = holders.iter().all(|holder| seen[holder].values.len() <= MOST_VALUES);
            let Some(value) = holders.first().and_then(|h| seen[h].values.iter().find(|v| v.to_string() == *value))
            else {
                continue;
            };
            let is_nothing = *value == Value::from(0) || matches!(value, Value::Text(text) if text.is_empty());
            if holders.len() < 2 || holders.len() > MOST_EXCLUSIVE || !few || is_nothing {
                continue;
            }
            let each = holders.iter().map(|v| format!("{} == {value}", Var::now(v, Spot::default())));
            let text = format!("mutex({})", each.collect::<Vec<_>>().join(", "));
            let variables = holders.iter().map(|&v| v.to_owned()).collect();
            let name = format!("one_at_a_time_{}", word(&value.to_string()).trim_start_matches("p_"));
            drafts.push(Draft { name, text, why: Why::Exclusive { variables, value: value.clone() } });
        }
    }
}
