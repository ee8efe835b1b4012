//! An automaton as states and labelled edges, one edge for each pair of states.

use posetta_automata::{Cube, Dfa, Nfa, StateId, cover};
use posetta_base::{Budget, LetterId, OverBudget};
use posetta_logic::{Letters, Ltl, Spot, Var};

/// What the pictures and the HOA text show.
pub struct Drawing {
    /// The atoms, printed.
    pub atoms: Vec<String>,
    pub accepting: Vec<bool>,
    /// States from which nothing leads away.
    pub last: Vec<bool>,
    /// For each state its edges, by target.
    pub edges: Vec<Vec<Edge>>,
    /// Whether at most one edge has a label for each combination of atoms.
    pub deterministic: bool,
    /// Whether at least one has.
    pub complete: bool,
}

pub struct Edge {
    pub to: usize,
    pub cubes: Vec<Cube>,
    /// The label as a formula.
    pub label: String,
}

/// Whether a state accepts, and where each of its letters leads.
type State = (bool, Vec<(LetterId, Vec<StateId>)>);

/// The atoms of a formula, over named variables.
pub fn atoms(letters: &Letters) -> Vec<Ltl> {
    let name =
        |slot: &posetta_logic::Slot| Var { name: letters.variables()[slot.0 as usize].clone(), spot: Spot::default() };
    letters.atoms().iter().map(|atom| Ltl::Atom(atom.map_vars(&mut |slot| name(slot)))).collect()
}

impl Drawing {
    pub fn of_dfa(dfa: &Dfa, letters: &Letters, budget: &Budget) -> Result<Self, OverBudget> {
        let rows = dfa.states().map(|s| {
            let row = dfa.letters(s).iter().zip(dfa.row(s)).map(|(&letter, &to)| (letter, vec![to])).collect();
            (dfa.accepts(s), row)
        });
        Self::new(rows.collect(), letters, budget)
    }

    pub fn of_nfa(nfa: &Nfa, letters: &Letters, budget: &Budget) -> Result<Self, OverBudget> {
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
