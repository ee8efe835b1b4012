//! The automaton of a property: as a picture for Graphviz, and in the HOA format. Start at [`print()`].

mod dot;
mod hoa;
mod picture;

use posetta_automata::{Cube, Dfa, Nfa, StateId, cover};
use posetta_base::{Budget, Diagnostic, Error, Kind, LetterId, OverBudget};
use posetta_logic::{Formula, Letters, Ltl, Monitor, View, write_hoa};

use crate::explained::Linear;
use crate::named::Named;

pub(crate) use picture::graph;

/// How an automaton is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// For Graphviz.
    Dot,
    /// In the HOA format.
    Hoa,
    /// As a drawing.
    Svg,
}

/// Which words an automaton accepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Words {
    /// Those that satisfy the property.
    Good,
    /// Those that violate it.
    Bad,
}

/// Which automaton is wanted, and how it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wanted {
    /// How it is written.
    pub form: Form,
    /// Which words it accepts.
    pub words: Words,
    /// The automaton that the search uses, not the smallest deterministic one.
    pub nondeterministic: bool,
}

/// The automaton of a linear property.
///
/// # Errors
/// If it has none, or if that is too large.
pub fn print(property: &Named, wanted: Wanted, budget: &Budget) -> Result<String, Error> {
    if let Formula::Monitor(view, monitor) = &property.property.formula {
        return Ok(as_written(property, wanted, *view, monitor)?);
    }
    let Some(linear) = Linear::new(property, budget)? else {
        return Err(refused(&[property]).into());
    };
    let bad = wanted.words == Words::Bad;
    let drawing = if wanted.nondeterministic {
        Drawing::of_nfa(&linear.nondeterministic(bad, budget)?, &linear.letters, budget)?
    } else {
        let dfa = linear.deterministic(budget)?;
        Drawing::of_dfa(&if bad { dfa.complement() } else { dfa }, &linear.letters, budget)?
    };
    Ok(match wanted.form {
        Form::Hoa => {
            let words = if bad { "bad" } else { "good" };
            hoa::print(&drawing, &property.formula, property.over().unwrap_or("states"), words)
        }
        Form::Dot | Form::Svg => {
            let which = if bad { "violate" } else { "satisfy" };
            let kind = match wanted.nondeterministic {
                true => "nondeterministic automaton",
                false => "smallest deterministic automaton",
            };
            let positions = match linear.view {
                View::States => "positions are states, the initial one first",
                View::Events => "positions are events",
            };
            let what = format!("{kind} of the words that {which} it; {positions}");
            match wanted.form {
                Form::Svg => picture::print(&drawing, &property.formula, &what, bad, wanted.nondeterministic)?,
                Form::Dot | Form::Hoa => dot::print(&drawing, &property.formula, &what),
            }
        }
    })
}

/// That properties, which are all CTL, have no automaton.
#[must_use]
pub fn refused(branching: &[&Named]) -> Diagnostic {
    let names: Vec<String> = branching.iter().map(|p| format!("`{}`", p.name)).collect();
    let verb = if names.len() == 1 { "is" } else { "are" };
    let message = format!("{} {verb} CTL, which has no automaton on words", names.join(", "));
    Diagnostic::new(Kind::Unsupported, message)
        .help("it speaks of the graph of cuts; `posetta explain` without --dot and --hoa says what it is made of")
}

/// A monitor is an automaton: it is shown as it was written.
fn as_written(property: &Named, wanted: Wanted, view: View, monitor: &Monitor) -> Result<String, Diagnostic> {
    let over = property.over().unwrap_or("events");
    match wanted.form {
        Form::Dot => return Ok(dot::monitor(monitor, &property.name, over)),
        Form::Svg => return picture::monitor(monitor, &property.name, over),
        Form::Hoa => {}
    }
    if wanted.words == Words::Good {
        let message = format!("the monitor `{}` is an automaton of the words that violate it", property.name);
        return Err(Diagnostic::new(Kind::Unsupported, message).help("say --of bad"));
    }
    Ok(write_hoa(monitor, view, &property.name))
}

/// States and labelled edges, one edge for each pair of states.
struct Drawing {
    /// The atoms, printed.
    atoms: Vec<String>,
    accepting: Vec<bool>,
    /// States from which nothing leads away.
    last: Vec<bool>,
    /// For each state its edges, by target.
    edges: Vec<Vec<Edge>>,
    /// Whether at most one edge has a label for each combination of atoms.
    deterministic: bool,
    /// Whether at least one has.
    complete: bool,
}

struct Edge {
    to: usize,
    cubes: Vec<Cube>,
    /// The label as a formula.
    label: String,
}

/// Whether a state accepts, and where each of its letters leads.
type State = (bool, Vec<(LetterId, Vec<StateId>)>);

/// The atoms of a formula, over named variables.
fn atoms(letters: &Letters) -> Vec<Ltl> {
    letters.atoms().iter().map(|atom| Ltl::Atom(atom.map_vars(&mut |&slot| letters.var(slot)))).collect()
}

impl Drawing {
    fn of_dfa(dfa: &Dfa, letters: &Letters, budget: &Budget) -> Result<Self, OverBudget> {
        let rows = dfa.states().map(|s| {
            let row = dfa.letters(s).iter().zip(dfa.row(s)).map(|(&letter, &to)| (letter, vec![to])).collect();
            (dfa.accepts(s), row)
        });
        Self::new(rows.collect(), letters, budget)
    }

    fn of_nfa(nfa: &Nfa, letters: &Letters, budget: &Budget) -> Result<Self, OverBudget> {
        let rows = (0..nfa.len() as u32).map(StateId).map(|s| {
            let row = nfa.letters(s).iter().copied().zip(nfa.row(s).iter().cloned()).collect();
            (nfa.accepts(s), row)
        });
        Self::new(rows.collect(), letters, budget)
    }

    fn new(rows: Vec<State>, letters: &Letters, budget: &Budget) -> Result<Self, OverBudget> {
        let atoms = atoms(letters);
        let mut drawing = Self {
            atoms: atoms.iter().map(Ltl::to_string).collect(),
            accepting: rows.iter().map(|r| r.0).collect(),
            last: Vec::new(),
            edges: Vec::new(),
            deterministic: true,
            complete: true,
        };
        for (i, (_, row)) in rows.iter().enumerate() {
            let mut targets: Vec<StateId> = row.iter().flat_map(|(_, to)| to.iter().copied()).collect();
            targets.sort_unstable();
            targets.dedup();
            let mut edges = Vec::with_capacity(targets.len());
            for target in targets {
                let (on, off): (Vec<_>, Vec<_>) = row.iter().partition(|(_, to)| to.contains(&target));
                let vectors = |part: Vec<&(LetterId, Vec<StateId>)>| -> Vec<&[bool]> {
                    part.into_iter().map(|(letter, _)| letters.vector(*letter)).collect()
                };
                let cubes = cover(&vectors(on), &vectors(off), budget)?;
                let label = label(&cubes, &atoms).to_string();
                edges.push(Edge { to: target.0 as usize, cubes, label });
            }
            drawing.last.push(edges.iter().all(|e| e.to == i));
            drawing.deterministic &= apart(&edges);
            let all: Vec<&Cube> = edges.iter().flat_map(|e| &e.cubes).collect();
            drawing.complete &= everything(&all, 0, atoms.len(), budget)?;
            drawing.edges.push(edges);
        }
        Ok(drawing)
    }
}

fn label(cubes: &[Cube], atoms: &[Ltl]) -> Ltl {
    let literal = |(want, atom): (&Option<bool>, &Ltl)| {
        want.map(|want| if want { atom.clone() } else { Ltl::Not(Box::new(atom.clone())) })
    };
    let join = |mut parts: Vec<Ltl>, empty: Ltl, many: fn(Vec<Ltl>) -> Ltl| match parts.len() {
        0 => empty,
        1 => parts.remove(0),
        _ => many(parts),
    };
    let cube = |c: &Cube| join(c.iter().zip(atoms).filter_map(literal).collect(), Ltl::True, Ltl::And);
    join(cubes.iter().map(cube).collect(), Ltl::False, Ltl::Or)
}

/// Whether no combination of atoms fits the labels of two edges.
fn apart(edges: &[Edge]) -> bool {
    let meet = |a: &Cube, b: &Cube| a.iter().zip(b).all(|(x, y)| x.is_none() || y.is_none() || x == y);
    edges
        .iter()
        .enumerate()
        .all(|(i, a)| edges[..i].iter().all(|b| !a.cubes.iter().any(|x| b.cubes.iter().any(|y| meet(x, y)))))
}

/// Whether every combination of the atoms from `at` on fits one of the conjunctions.
fn everything(cubes: &[&Cube], at: usize, atoms: usize, budget: &Budget) -> Result<bool, OverBudget> {
    budget.step(1, "writing the labels of the automaton")?;
    if cubes.iter().any(|c| c[at..].iter().all(Option::is_none)) {
        return Ok(true);
    }
    if at == atoms || cubes.is_empty() {
        return Ok(false);
    }
    for value in [false, true] {
        let rest: Vec<&Cube> = cubes.iter().copied().filter(|c| c[at] != Some(!value)).collect();
        if !everything(&rest, at + 1, atoms, budget)? {
            return Ok(false);
        }
    }
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;
    use posetta_logic::Property;

    #[test]
    fn an_automaton_is_written_in_both_forms() {
        let budget = Budget::unlimited();
        let wanted = Wanted { form: Form::Hoa, words: Words::Good, nondeterministic: false };
        let property = Named::new("--ltl", Property::ltl("G (x == 1)").unwrap());
        let hoa = print(&property, wanted, &budget).unwrap();
        assert!(hoa.starts_with("HOA: v1\n") && hoa.contains("AP: 1 \"x == 1\""), "{hoa}");
        let dot = print(&property, Wanted { form: Form::Dot, words: Words::Bad, ..wanted }, &budget).unwrap();
        assert!(dot.contains("smallest deterministic automaton of the words that violate it"), "{dot}");
        let branching = Named::new("--ctl", Property::ctl("AG (x == 1)").unwrap());
        let refused = print(&branching, wanted, &budget).unwrap_err();
        assert_eq!(refused.diagnostics()[0].message, "`AG (x == 1)` is CTL, which has no automaton on words");
    }
}
