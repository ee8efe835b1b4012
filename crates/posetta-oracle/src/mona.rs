//! MONA as a peer: programs as its text, and what it answers.
//!
//! The text has all parentheses. [`Mona`] runs the program `mona`, where it is installed.

use std::io::Write as _;
use std::path::PathBuf;
use std::process::Command;
use std::sync::atomic::{AtomicU64, Ordering};

use posetta_logic::m2l::{
    Argument, Connective, Element, Formula, Mode, Order, Position, Predicate, Program, Set, VarId,
};

/// A program as MONA's text.
#[must_use]
pub fn text(program: &Program) -> String {
    let p = Printer { program };
    let mut out = match program.mode {
        Mode::Ws1s => "ws1s;\n".to_owned(),
        Mode::M2lStr => "m2l-str;\n".to_owned(),
    };
    let is_string = program.mode == Mode::M2lStr;
    for &var in &program.globals {
        if !(is_string && program.all_positions == Some(var)) {
            out += &format!("var{} {};\n", order(program.vars[var.index()].order), p.declared(&[var]));
        }
    }
    if !is_string {
        for (word, var) in [("allpos", program.all_positions), ("lastpos", program.last_position)] {
            if let Some(var) = var {
                out += &format!("{word} {};\n", p.name(var));
            }
        }
        for (word, default) in [("defaultwhere1", &program.default_one), ("defaultwhere2", &program.default_two)] {
            if let Some((var, f)) = default {
                out += &format!("{word}({}) = {};\n", p.name(*var), p.formula(f));
            }
        }
    }
    for definition in &program.preds {
        out += &p.definition(definition);
    }
    if program.assertion != Formula::Constant(true) {
        out += &format!("assert {};\n", p.formula(&program.assertion));
    }
    for verify in &program.verify {
        let title = verify.title.as_ref().map_or(String::new(), |t| format!("\"{t}\" "));
        out += &format!("verify {title}{};\n", p.formula(&verify.formula));
    }
    out + &format!("{};\n", p.formula(&program.formula))
}

fn order(order: Order) -> u32 {
    match order {
        Order::Zero => 0,
        Order::One => 1,
        Order::Two => 2,
    }
}

struct Printer<'p> {
    program: &'p Program,
}

impl Printer<'_> {
    fn name(&self, var: VarId) -> &str {
        &self.program.vars[var.index()].name
    }

    fn declared(&self, vars: &[VarId]) -> String {
        let one = |&var: &VarId| match &self.program.vars[var.index()].restriction {
            Some(f) => format!("{} where {}", self.name(var), self.formula(f)),
            None => self.name(var).to_owned(),
        };
        vars.iter().map(one).collect::<Vec<_>>().join(", ")
    }

    fn definition(&self, definition: &Predicate) -> String {
        let word = if definition.is_macro { "macro" } else { "pred" };
        let formals = definition.formals.iter();
        let formals =
            formals.map(|&v| format!("var{} {}", order(self.program.vars[v.index()].order), self.declared(&[v])));
        let formals = formals.collect::<Vec<_>>().join(", ");
        format!("{word} {}({formals}) = {};\n", definition.name, self.formula(&definition.body))
    }

    fn formula(&self, formula: &Formula) -> String {
        match formula {
            Formula::Constant(true) => "true".to_owned(),
            Formula::Constant(false) => "false".to_owned(),
            Formula::Truth(v) => self.name(*v).to_owned(),
            Formula::Not(f) => format!("(~{})", self.formula(f)),
            Formula::Joined(connective, f, g) => {
                let op = match connective {
                    Connective::And => "&",
                    Connective::Or => "|",
                    Connective::Implies => "=>",
                    Connective::Iff => "<=>",
                };
                format!("({} {op} {})", self.formula(f), self.formula(g))
            }
            Formula::In(t, s) => format!("({} in {})", self.position(t), self.set(s)),
            Formula::Sub(s, t) => format!("({} sub {})", self.set(s), self.set(t)),
            Formula::SamePosition(t, u) => format!("({} = {})", self.position(t), self.position(u)),
            Formula::SameSet(s, t) => format!("({} = {})", self.set(s), self.set(t)),
            Formula::Less(t, u) => format!("({} < {})", self.position(t), self.position(u)),
            Formula::LessEq(t, u) => format!("({} <= {})", self.position(t), self.position(u)),
            Formula::Empty(s) => format!("empty({})", self.set(s)),
            Formula::Quantified { all, vars, body } => {
                let word = if *all { "all" } else { "ex" };
                let kind = vars.first().map_or(0, |v| order(self.program.vars[v.index()].order));
                format!("({word}{kind} {}: {})", self.declared(vars), self.formula(body))
            }
            Formula::Let(definitions, body) => {
                let kind = definitions.first().map_or(0, |(v, _)| order(self.program.vars[v.index()].order));
                let definitions = definitions.iter().map(|(v, a)| format!("{} = {}", self.name(*v), self.argument(a)));
                let definitions = definitions.collect::<Vec<_>>().join(", ");
                format!("(let{kind} {definitions} in {})", self.formula(body))
            }
            Formula::Call(pred, arguments) => {
                let arguments = arguments.iter().map(|a| self.argument(a)).collect::<Vec<_>>().join(", ");
                format!("{}({arguments})", self.program.preds[pred.index()].name)
            }
            Formula::Restrict(f) => format!("restrict({})", self.formula(f)),
            Formula::Prefix(f) => format!("prefix({})", self.formula(f)),
        }
    }

    fn argument(&self, argument: &Argument) -> String {
        match argument {
            Argument::Formula(f) => self.formula(f),
            Argument::Position(t) => self.position(t),
            Argument::Set(s) => self.set(s),
        }
    }

    fn position(&self, position: &Position) -> String {
        match position {
            Position::Var(v) => self.name(*v).to_owned(),
            Position::Constant(n) => n.to_string(),
            Position::Plus(t, n) => format!("({} + {n})", self.position(t)),
            Position::Minus(t, n) => format!("({} - {n})", self.position(t)),
            Position::PlusModulo(t, n, u) => format!("({} + {n} % {})", self.position(t), self.position(u)),
            Position::MinusModulo(t, n, u) => format!("({} - {n} % {})", self.position(t), self.position(u)),
            Position::Min(s) => format!("(min {})", self.set(s)),
            Position::Max(s) => format!("(max {})", self.set(s)),
        }
    }

    fn set(&self, set: &Set) -> String {
        match set {
            Set::Var(v) => self.name(*v).to_owned(),
            Set::Empty => "empty".to_owned(),
            Set::Union(s, t) => format!("({} union {})", self.set(s), self.set(t)),
            Set::Inter(s, t) => format!("({} inter {})", self.set(s), self.set(t)),
            Set::Difference(s, t) => format!("({} \\ {})", self.set(s), self.set(t)),
            Set::Plus(s, n) => format!("({} + {n})", self.set(s)),
            Set::Minus(s, n) => format!("({} - {n})", self.set(s)),
            Set::Listed(elements) => {
                let elements = elements.iter().map(|e| match e {
                    Element::One(t) => self.position(t),
                    Element::Range(t, u) => format!("{},...,{}", self.position(t), self.position(u)),
                });
                format!("{{{}}}", elements.collect::<Vec<_>>().join(", "))
            }
            Set::Number(n) => format!("pconst({n})"),
        }
    }
}

/// What MONA says of one formula: the lengths of its examples, where there are some.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Answer {
    /// Of a shortest counter-example.
    pub no: Option<usize>,
    /// Of a shortest satisfying example.
    pub yes: Option<usize>,
}

/// The program `mona`.
pub struct Mona {
    folder: PathBuf,
}

static RUNS: AtomicU64 = AtomicU64::new(0);

impl Mona {
    /// Where it is installed.
    #[must_use]
    pub fn find() -> Option<Self> {
        posetta_peers::mona().map(|_| Self { folder: std::env::temp_dir() })
    }

    /// What it answers to a text: of the main formula, then of each that is to be verified.
    ///
    /// # Errors
    /// With what it printed, if there is no answer in that.
    ///
    /// # Panics
    /// When the temporary folder cannot be written to.
    pub fn ask(&self, text: &str, optimisation: u32) -> Result<Vec<Answer>, String> {
        let number = RUNS.fetch_add(1, Ordering::Relaxed);
        let file = self.folder.join(format!("posetta-{}-{number}.mona", std::process::id()));
        std::fs::File::create(&file)
            .and_then(|mut f| f.write_all(text.as_bytes()))
            .expect("the temporary folder can be written to");
        let output = Command::new("mona").arg("-q").arg(format!("-o{optimisation}")).arg(&file).output();
        let _ = std::fs::remove_file(&file);
        let output = output.map_err(|e| e.to_string())?;
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        answers(&said).ok_or(said)
    }
}

fn answers(said: &str) -> Option<Vec<Answer>> {
    let mut answers: Vec<Answer> = Vec::new();
    let mut fresh = true;
    for line in said.lines() {
        let of_least = |word: &str| -> Option<usize> {
            let rest = line.strip_prefix(&format!("A {word} of least length ("))?;
            rest.split_once(')')?.0.parse().ok()
        };
        // Several formulas have titles; a lone one has none.
        if line == "Main formula:" || line.starts_with("Formula ") && line.ends_with(':') {
            fresh = true;
            continue;
        }
        let (no, yes) = (of_least("counter-example"), of_least("satisfying example"));
        if no.is_none() && yes.is_none() && !line.starts_with("Formula is ") {
            continue;
        }
        if fresh {
            answers.push(Answer { no: None, yes: None });
            fresh = false;
        }
        let last = answers.last_mut()?;
        last.no = last.no.or(no);
        last.yes = last.yes.or(yes);
    }
    if answers.is_empty() { None } else { Some(answers) }
}
