//! A monitor as a program, a circuit or a table of its own: what [`posetta_compile::Machine`] does, without Posetta.
//!
//! Few letters become a table over their classes; where there are too many, a decision diagram for each state. Both are a few constant
//! arrays, so what is written needs no memory but one state. What counts far has registers instead of states ([`code`]).

mod c;
mod code;
mod hardware;
mod kernel;
mod names;
mod rust;
mod sv;
mod table;
mod vhdl;

use std::collections::HashSet;
use std::sync::Arc;

use posetta_base::{Budget, Diagnostic, Error, Kind, LetterId, OverBudget, Place, unsafe_to_show};
use posetta_compile::{Answers, Completions, CountedProgram, Diagram, Linear, Listed, Machine};
use posetta_dd::mtbdd::{Function, Mtbdd};
use posetta_logic::{Atoms, Clock, Domain, Each, Edge, View};

use crate::named::Named;

/// What a monitor is written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// A module.
    Rust,
    /// One file of C99 to include.
    C,
    /// One file of C99 with automata as the Linux kernel has them.
    Kernel,
    /// A module.
    SystemVerilog,
    /// An entity and its architecture.
    Vhdl,
    /// One JSON object.
    Table,
}

impl Language {
    /// Its name.
    fn title(self) -> &'static str {
        match self {
            Self::Rust => "Rust",
            Self::C | Self::Kernel => "C",
            Self::SystemVerilog => "SystemVerilog",
            Self::Vhdl => "VHDL",
            Self::Table => "JSON",
        }
    }

    fn is_hardware(self) -> bool {
        matches!(self, Self::SystemVerilog | Self::Vhdl)
    }
}

/// A monitor, ready to be written.
struct Written {
    /// What the property is called.
    name: String,
    /// What the monitor is called.
    id: String,
    formula: String,
    completions: &'static str,
    /// Why an answer may come later than it could, if it may.
    late: Option<&'static str>,
    over_states: bool,
    /// Where the positions are the edges of a signal.
    clock: Option<Clock>,
    /// For each of which values there is a monitor, if there are several.
    each: Option<Arc<Each>>,
    atoms: Vec<String>,
    /// By state, see [`Answers::code`]; none with counters.
    answers: Vec<u8>,
    body: Body,
}

impl Written {
    /// Which positions there are.
    fn positions(&self) -> String {
        let view = if self.over_states { "the initial state comes first" } else { "only events are read" };
        let clock =
            self.clock.as_ref().map(|clock| in_comment(&format!("one with each {clock}, as it is before that; ")));
        let view = format!("{}{view}", clock.unwrap_or_default());
        match self.each.as_deref().map(|each| &each.domain) {
            None => view,
            Some(Domain::Processes) => format!("{view}; one monitor for each process, which reads only its events"),
            Some(Domain::Values(name)) => {
                let name = in_comment(name);
                format!("{view}; one monitor for each value of {name}, which reads only the events that have it")
            }
        }
    }
}

enum Body {
    /// For each state and class the next state, the number of states where a letter cannot come.
    Table { classes: Classes, width: usize, next: Vec<usize> },
    /// For each state where to start in the nodes.
    Diagram { nodes: Vec<Node>, rows: Vec<Target> },
    /// Registers, and what a letter does to them.
    Counters(CountedProgram),
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

/// So many bits the sets of counts of a monitor may have, one for each count: a mebibyte.
const MOST_BITS: u64 = 1 << 23;

/// So many in a circuit.
const MOST_FLIP_FLOPS: u64 = 1 << 14;

/// So many entries of a table, or decisions, may become a circuit.
const MOST_GATES: usize = 1 << 15;

/// What cannot be written: a property, if it is one of several that is to blame, and why.
#[derive(Debug)]
pub struct Refused {
    /// The place of the property; `None` if it is the name that was asked for.
    pub property: Option<usize>,
    /// Why.
    pub error: Error,
}

/// What is to be written.
#[derive(Clone, Copy, Debug)]
pub struct Wanted<'a> {
    /// In which language.
    pub language: Language,
    /// What the monitor is called, or what the names of several start with; without it they are called as the properties are.
    pub name: Option<&'a str>,
    /// Which completions count.
    pub completions: Completions,
    /// With more states a monitor that counts is written with counters, if they take less.
    pub most_states: usize,
}

impl Wanted<'_> {
    /// As it usually is.
    #[must_use]
    pub fn new(language: Language) -> Self {
        Self { language, name: None, completions: Completions::default(), most_states: 256 }
    }
}

/// Properties as monitors, all in one text.
///
/// # Errors
/// If a property has no monitor, or if that is too large, or if the name is none.
pub fn emit(properties: &[Named], wanted: Wanted<'_>, budget: &Budget) -> Result<String, Refused> {
    let Wanted { language, name, .. } = wanted;
    if let Some(diagnostic) = name.and_then(|name| names::refused(name, language)) {
        return Err(Refused { property: None, error: diagnostic.into() });
    }
    let mut taken = HashSet::new();
    let mut all = Vec::new();
    for (place, property) in properties.iter().enumerate() {
        let own = property.has_name.then_some(property.name.as_str());
        let id = match (name, properties.len()) {
            (Some(name), 1) => names::of_monitor(Some(name), language, &mut taken),
            (Some(name), _) => {
                let own = own.map_or_else(String::new, |own| format!("_{own}"));
                names::of_monitor(Some(&format!("{name}{own}")), language, &mut taken)
            }
            (None, _) => names::of_monitor(own, language, &mut taken),
        };
        let refused = |error| Refused { property: Some(place), error: placed(error, property) };
        all.push(written(property, id, wanted, budget).map_err(refused)?);
    }
    let apart = |print: &mut dyn FnMut(&Written) -> String| all.iter().map(print).collect::<Vec<_>>().join("\n");
    let mut constants = kernel::own_names(all.iter().map(|one| one.id.as_str()));
    Ok(match language {
        Language::Rust => apart(&mut |one| rust::print(one, all.len() > 1 || name.is_some())),
        Language::C => apart(&mut c::print),
        Language::Kernel => apart(&mut |one| match &one.body {
            Body::Table { classes: Classes::Direct(direct), next, .. } => {
                kernel::print(one, direct, next, &mut constants)
            }
            _ => unreachable!("what has no events is refused"),
        }),
        Language::SystemVerilog => apart(&mut sv::print),
        Language::Vhdl => apart(&mut vhdl::print),
        Language::Table => match &all[..] {
            [one] => format!("{}\n", table::object(one)),
            all => format!("{}\n", all.iter().map(table::object).collect::<serde_json::Value>()),
        },
    })
}

/// With the place of the property, where a mistake has none.
fn placed(error: Error, property: &Named) -> Error {
    let Error::Invalid(mistakes) = error else { return error };
    let at = || Place::in_text(&property.property.source, property.property.span);
    Error::Invalid(mistakes.into_iter().map(|d| if d.place.is_none() { d.at(at()) } else { d }).collect())
}

fn unsupported(message: String, help: &str) -> Error {
    Diagnostic::new(Kind::Unsupported, message).help(help).into()
}

fn written(property: &Named, id: String, wanted: Wanted<'_>, budget: &Budget) -> Result<Written, Error> {
    let Wanted { language, completions, most_states, .. } = wanted;
    let name = &property.name;
    if let Some(mistake) = property.property.asks_for_pairs("a monitor") {
        return Err(mistake.into());
    }
    if let (Some(clock @ Clock { edge: Edge::Both, .. }), true) = (&property.property.clock, language.is_hardware()) {
        let message = format!("`{name}` reads at both edges of `{}`, and a circuit at one of them", clock.signal);
        return Err(unsupported(message, "say --emit c or --emit rust, or let it read at one edge of a faster clock"));
    }
    let mut atoms = Atoms::default();
    let Some((view, linear)) = Linear::of(&property.property.formula, &mut atoms, budget)? else {
        let message = format!("`{name}` is CTL, of which there are no monitors");
        return Err(unsupported(message, "a monitor reads one order; CTL speaks of the graph of cuts"));
    };
    let count = atoms.atoms().len();
    if language == Language::Rust && count > BITS {
        let message = format!("`{name}` has {count} atoms, and a monitor in Rust has at most {BITS}");
        return Err(unsupported(message, "say --emit c, which takes any number of them"));
    }
    let counters = !matches!(language, Language::Table | Language::Kernel);
    let mut machine = Machine::of_letters(&linear, &atoms, view, completions, counters, budget)?;
    // What can be laid out but is large may be small with counters.
    if counters
        && machine.states().is_some_and(|states| states > most_states)
        && let Some(small) = Machine::with_counters(&linear, &atoms, view, completions, false, budget)?
        && small.is_exact()
        && let Machine::Counted(counted) = &small
        && let Some(program) = counted.program()
        && machine.states().is_some_and(|states| program.bits() <= states as u64)
    {
        machine = small;
    }
    let (answers, body) = match &machine {
        Machine::Listed(machine) => (machine.moore().outputs().to_vec(), table(machine, count, budget)?),
        Machine::Diagram(machine) => diagram(machine),
        Machine::Counted(counted) => match counted.program() {
            Some(program) => (Vec::new(), Body::Counters(program)),
            None => {
                let message =
                    format!("the monitor of `{name}` keeps sets of counts of any size, which are not written");
                let help = "several attempts at a time count more than a boolean, or each match owes another one; \
                            `posetta monitor` follows them all";
                return Err(unsupported(message, help));
            }
        },
        Machine::Attempts(_) | Machine::Loose(_) => {
            let message = format!("the monitor of `{name}` is too large to be written whole");
            let help = "`posetta monitor` follows it step by step, without building it whole";
            return Err(unsupported(message, help));
        }
    };
    fits(name, &body, language, count)?;
    let printed = atoms.atoms().iter().map(|atom| atom.map_vars(&mut |&slot| atoms.var(slot)).to_string()).collect();
    Ok(Written {
        name: name.clone(),
        id,
        formula: property.formula.clone(),
        completions: match completions {
            _ if matches!(linear, Linear::Monitor(_)) => Completions::Finite.word(),
            completions => completions.word(),
        },
        late: late(&machine, &atoms, completions),
        over_states: view == View::States,
        clock: property.property.clock.clone(),
        each: property.property.each.clone(),
        atoms: printed,
        answers,
        body,
    })
}

/// Whether a monitor can be written in a language.
fn fits(name: &str, body: &Body, language: Language, atoms: usize) -> Result<(), Error> {
    match (body, language) {
        (Body::Counters(_), Language::Table | Language::Kernel) => {
            let message = format!("the monitor of `{name}` counts, and without counters it would have too many states");
            return Err(unsupported(message, "say --emit c, rust, sv or vhdl, which have counters"));
        }
        (Body::Counters(program), _) => {
            let most = if language.is_hardware() { MOST_FLIP_FLOPS } else { MOST_BITS };
            if program.bits() > most {
                let message = format!(
                    "the monitor of `{name}` needs {} bits, one for each count, and at most {most} are written in {}",
                    program.bits(),
                    language.title()
                );
                let help =
                    "attempts at a match stand at any of these counts at the same time; `posetta monitor` follows them";
                return Err(unsupported(message, help));
            }
        }
        (Body::Diagram { .. } | Body::Table { classes: Classes::Nodes { .. }, .. }, Language::Kernel) => {
            let message = format!(
                "`{name}` has {atoms} atoms, and an automaton with an event for each combination has at most {DIRECT}"
            );
            return Err(unsupported(message, "say --emit c: it also has one small structure for each task"));
        }
        (Body::Table { classes, next, .. }, Language::SystemVerilog | Language::Vhdl) => {
            let nodes = if let Classes::Nodes { nodes, .. } = classes { nodes.len() } else { 0 };
            gates(name, next.len().max(nodes), "entries", language)?;
        }
        (Body::Diagram { nodes, .. }, Language::SystemVerilog | Language::Vhdl) => {
            gates(name, nodes.len(), "decisions", language)?;
        }
        _ => {}
    }
    Ok(())
}

fn gates(name: &str, count: usize, what: &str, language: Language) -> Result<(), Error> {
    if count <= MOST_GATES {
        return Ok(());
    }
    let message = format!(
        "the monitor of `{name}` has {count} {what}, and at most {MOST_GATES} are written in {}",
        language.title()
    );
    Err(unsupported(message, "say --emit c or --emit rust, which keep them as a table"))
}

fn late(machine: &Machine, atoms: &Atoms, completions: Completions) -> Option<&'static str> {
    let on = atoms.atoms().iter().any(|atom| matches!(atom, posetta_logic::Atom::On(_)));
    if on {
        Some("values that are not assigned stay the same, which letters alone do not show")
    } else if matches!(machine, Machine::Counted(_)) && completions == Completions::Infinite {
        Some("with counters, infinite completions that never match are not looked for")
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

/// Text in one line.
fn in_line(text: &str) -> String {
    text.chars().map(|c| if unsafe_to_show(c) { ' ' } else { c }).collect()
}

/// Text that can stand in a comment of C.
fn in_comment(text: &str) -> String {
    in_line(text).replace("*/", "* /").replace("/*", "/ *")
}

#[cfg(test)]
mod tests;
