//! A monitor as a program or a table of its own: what [`posetta_compile::Machine`] does, without Posetta.
//!
//! Few letters become a table over their classes; where there are too many, a decision diagram for each state. Both are a few constant
//! arrays, so what is written needs no memory but one state.

mod c;
mod rust;
mod table;

use posetta_base::{Budget, Diagnostic, Error, Kind, LetterId, OverBudget, unsafe_to_show};
use posetta_compile::{Answers, Completions, Diagram, Linear, Listed, Machine};
use posetta_dd::mtbdd::{Function, Mtbdd};
use posetta_logic::{Atoms, View};

use crate::named::Named;

/// What a monitor is written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// A module.
    Rust,
    /// One file of C99 to include.
    C,
    /// One JSON object.
    Table,
}

/// A monitor, ready to be written.
struct Written {
    /// What the property is called.
    name: String,
    formula: String,
    completions: &'static str,
    /// Why an answer may come later than it could, if it may.
    late: Option<&'static str>,
    over_states: bool,
    atoms: Vec<String>,
    /// By state; see [`Answers::code`].
    answers: Vec<u8>,
    body: Body,
}

enum Body {
    /// For each state and class the next state, the number of states where a letter cannot come.
    Table { classes: Classes, width: usize, next: Vec<usize> },
    /// For each state where to start in the nodes.
    Diagram { nodes: Vec<Node>, rows: Vec<Target> },
}

/// The class of each letter.
enum Classes {
    /// By the letter's bits; the number of classes where it cannot come.
    Direct(Vec<usize>),
    Nodes {
        nodes: Vec<Node>,
        root: Target,
    },
}

/// Asks one atom.
struct Node {
    atom: u32,
    low: Target,
    high: Target,
}

/// A node, or a number.
#[derive(Clone, Copy)]
enum Target {
    Node(usize),
    Number(usize),
}

impl Target {
    /// One number for both: nodes count from 0, numbers down from -1.
    fn code(self) -> i64 {
        match self {
            Self::Node(place) => place as i64,
            Self::Number(number) => -1 - number as i64,
        }
    }
}

/// So many atoms are looked up by their bits.
const DIRECT: usize = 10;

/// So many bits the largest integer of Rust has.
const BITS: usize = 128;

/// A property as a monitor in a language.
///
/// # Errors
/// If the property has no monitor, or if that is too large.
pub fn emit(property: &Named, language: Language, completions: Completions, budget: &Budget) -> Result<String, Error> {
    let mut atoms = Atoms::default();
    let Some((view, linear)) = Linear::of(&property.property.formula, &mut atoms, budget)? else {
        let message = format!("`{}` is CTL, of which there are no monitors", property.name);
        let diagnostic = Diagnostic::new(Kind::Unsupported, message)
            .help("a monitor reads one order; CTL speaks of the graph of cuts");
        return Err(diagnostic.into());
    };
    let machine = Machine::of_letters(&linear, &atoms, view, completions, budget)?;
    let printed = atoms.atoms().iter().map(|atom| atom.map_vars(&mut |&slot| atoms.var(slot)).to_string()).collect();
    let (answers, body) = match &machine {
        Machine::Listed(machine) => (machine.moore().outputs().to_vec(), table(machine, atoms.atoms().len(), budget)?),
        Machine::Diagram(machine) => diagram(machine),
        Machine::Counted(_) | Machine::Loose(_) => {
            let message = format!("the monitor of `{}` is too large to be written whole", property.name);
            let diagnostic = Diagnostic::new(Kind::Unsupported, message)
                .help("`posetta monitor` follows it step by step, without building it whole");
            return Err(diagnostic.into());
        }
    };
    if language == Language::Rust && atoms.atoms().len() > BITS {
        let message =
            format!("`{}` has {} atoms, and a monitor in Rust has at most {BITS}", property.name, atoms.atoms().len());
        let diagnostic = Diagnostic::new(Kind::Unsupported, message).help("say --emit c or --emit table");
        return Err(diagnostic.into());
    }
    let written = Written {
        name: property.name.clone(),
        formula: property.formula.clone(),
        completions: match completions {
            _ if matches!(linear, Linear::Monitor(_)) => Completions::Finite.word(),
            completions => completions.word(),
        },
        late: late(&machine, &atoms),
        over_states: view == View::States,
        atoms: printed,
        answers,
        body,
    };
    Ok(match language {
        Language::Rust => rust::print(&written),
        Language::C => c::print(&written),
        Language::Table => table::print(&written),
    })
}

fn late(machine: &Machine, atoms: &Atoms) -> Option<&'static str> {
    let on = atoms.atoms().iter().any(|atom| matches!(atom, posetta_logic::Atom::On(_)));
    if on {
        Some("values that are not assigned stay the same, which letters alone do not show")
    } else if !machine.is_exact() {
        Some("not all letters that cannot come are known")
    } else {
        None
    }
}

fn table(machine: &Listed, atoms: usize, budget: &Budget) -> Result<Body, OverBudget> {
    let (moore, letters) = (machine.moore(), machine.letters());
    let (states, width) = (moore.len(), moore.width());
    let next = (0..states as u32)
        .flat_map(|state| (0..width as u32).map(move |class| (state, class)))
        .map(|(state, class)| {
            let next = machine.after(posetta_automata::StateId(state), class);
            next.map_or(states, |next| next.0 as usize)
        })
        .collect();
    let classed: Vec<(LetterId, usize)> = machine
        .symbols()
        .into_iter()
        .zip(moore.classes())
        .map(|((letter, _), &class)| (letter, class as usize))
        .collect();
    let classes = if atoms <= DIRECT {
        let mut direct = vec![width; 1 << atoms];
        for (letter, class) in classed {
            let bits = letters.vector(letter).iter().enumerate().fold(0, |bits, (i, &t)| bits | usize::from(t) << i);
            direct[bits] = class;
        }
        Classes::Direct(direct)
    } else {
        let vectors: Vec<(&[bool], usize)> = classed.iter().map(|&(l, class)| (letters.vector(l), class)).collect();
        let mut dd = Mtbdd::new(budget)?;
        let root = decide(&vectors, 0, &mut dd)?;
        let (nodes, targets) = laid_out(&dd, &[root]);
        Classes::Nodes { nodes, root: targets[0] }
    };
    Ok(Body::Table { classes, width, next })
}

/// Tells vectors apart that are in different classes; what cannot come goes anywhere.
fn decide(vectors: &[(&[bool], usize)], var: usize, dd: &mut Mtbdd) -> Result<Function, OverBudget> {
    let Some(&(_, class)) = vectors.first() else { return Ok(Function::constant(0)) };
    if vectors.iter().all(|&(_, other)| other == class) {
        return Ok(Function::constant(class as u32));
    }
    let (high, low): (Vec<_>, Vec<_>) = vectors.iter().partition(|(vector, _)| vector[var]);
    if low.is_empty() || high.is_empty() {
        return decide(vectors, var + 1, dd);
    }
    let (low, high) = (decide(&low, var + 1, dd)?, decide(&high, var + 1, dd)?);
    dd.ask(var as u32, low, high)
}

fn diagram(machine: &Diagram) -> (Vec<u8>, Body) {
    let states = || (0..machine.len() as u32).map(posetta_automata::StateId);
    let answers = states().map(|state| Answers::code(machine.answers(state))).collect();
    let rows: Vec<Function> = states().map(|state| machine.row(state)).collect();
    let (nodes, rows) = laid_out(machine.diagrams(), &rows);
    (answers, Body::Diagram { nodes, rows })
}

/// The nodes that some functions need, numbered from 0, children first.
fn laid_out(dd: &Mtbdd, functions: &[Function]) -> (Vec<Node>, Vec<Target>) {
    let mut needed: Vec<u32> = Vec::new();
    let mut open: Vec<u32> = functions.iter().filter_map(|f| f.node()).collect();
    let mut seen = std::collections::HashSet::new();
    while let Some(place) = open.pop() {
        if seen.insert(place) {
            needed.push(place);
            let node = dd.node(place);
            open.extend([node.low, node.high].iter().filter_map(|f| f.node()));
        }
    }
    needed.sort_unstable();
    let target = |function: Function| match (function.value(), function.node()) {
        (Some(number), _) => Target::Number(number as usize),
        (_, Some(place)) => Target::Node(needed.binary_search(&place).expect("it was found above")),
        (None, None) => unreachable!("a function is one or the other"),
    };
    let nodes = needed.iter().map(|&place| {
        let node = dd.node(place);
        Node { atom: node.var, low: target(node.low), high: target(node.high) }
    });
    (nodes.collect(), functions.iter().map(|&f| target(f)).collect())
}

/// Numbers in lines that fit, each line with an indent.
fn numbers(all: impl IntoIterator<Item = String>, indent: &str) -> String {
    let mut out = String::new();
    let mut line = String::from(indent);
    for number in all {
        if line.len() + number.len() + 2 > 118 {
            out.push_str(line.trim_end());
            out.push('\n');
            line = String::from(indent);
        }
        line.push_str(&number);
        line.push_str(", ");
    }
    if line.len() > indent.len() {
        out.push_str(line.trim_end());
        out.push('\n');
    }
    out
}

/// Text that can stand in a comment of one line.
fn in_comment(text: &str) -> String {
    text.chars().map(|c| if unsafe_to_show(c) { ' ' } else { c }).collect::<String>().replace("*/", "* /")
}
