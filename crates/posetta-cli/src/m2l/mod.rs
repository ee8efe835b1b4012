//! `posetta m2l`: a formula of M2L, decided.
//!
//! Answers are kept in a [`Report`], where the watchdog sees them; [`human`] and [`programs`] tell it. [`automaton`] prints the automaton
//! instead.

mod automaton;
mod human;
mod programs;

use std::sync::{Arc, Mutex};
use std::time::Instant;

use posetta_automata::tracks::Bit;
use posetta_base::OverBudget;
use posetta_compile::m2l::{self, Answer, Decision, Effort, Engine, Example};
use posetta_logic::m2l::{Order, Program, read_program};
use serde_json::Value;

use crate::args::{M2lArgs, M2lEngine};
use crate::limited::{self, Ending, Stopped, Work, locked};
use crate::limits::Limits;
use crate::paint;
use crate::problem::Problem;
use crate::root::Root;
use crate::{carets, output, read};

/// What is told, and to whom.
struct Report {
    /// What is known so far: the main formula, then each `verify`.
    findings: Mutex<Vec<Finding>>,
    json: bool,
    stats: bool,
    /// Whether an automaton is asked for instead of the answers.
    draws: bool,
}

/// What came of one formula.
struct Finding {
    /// The place of a `verify`; the main formula is 0.
    place: usize,
    title: Option<String>,
    answer: Answer,
    counterexample: Option<Model>,
    example: Option<Model>,
    engine: Engine,
    effort: Effort,
    seconds: f64,
}

/// A string, with the names of the variables on it.
struct Model {
    length: usize,
    tracks: Vec<Track>,
}

/// A variable on a string.
struct Track {
    name: String,
    order: Order,
    /// What it is before the string, which matters for truth values.
    before: char,
    /// What it is at each position.
    bits: String,
    value: Worth,
}

/// What a variable stands for. What does not matter is taken as 0.
enum Worth {
    Truth(bool),
    Position(usize),
    Set(Vec<usize>),
}

impl Model {
    fn new(program: &Program, example: &Example) -> Self {
        let track = |(var, before, bits): &(_, Bit, Vec<Bit>)| {
            let variable = &program.vars[posetta_logic::m2l::VarId::index(*var)];
            let mut ones = bits.iter().enumerate().filter(|(_, bit)| **bit == Bit::One).map(|(at, _)| at);
            let value = match variable.order {
                Order::Zero => Worth::Truth(*before == Bit::One),
                Order::One => Worth::Position(ones.next().unwrap_or(0)),
                Order::Two => Worth::Set(ones.collect()),
            };
            Track {
                name: variable.name.clone(),
                order: variable.order,
                before: sign(*before),
                bits: bits.iter().copied().map(sign).collect(),
                value,
            }
        };
        Self { length: example.length, tracks: example.vars.iter().map(track).collect() }
    }
}

fn sign(bit: Bit) -> char {
    match bit {
        Bit::Zero => '0',
        Bit::One => '1',
        Bit::Any => 'X',
    }
}

impl Finding {
    fn new(program: &Program, place: usize, decision: &Decision, seconds: f64) -> Self {
        let model = |example: &Option<Example>| example.as_ref().map(|e| Model::new(program, e));
        Self {
            place,
            title: decision.title.clone(),
            answer: decision.answer,
            counterexample: model(&decision.counterexample),
            example: model(&decision.example),
            engine: decision.engine,
            effort: decision.effort,
            seconds,
        }
    }
}

impl Report {
    /// What is known, for standard output.
    fn text(&self, errors: Vec<Value>, over: Option<OverBudget>) -> String {
        let findings = locked(&self.findings);
        match self.json {
            true => programs::report(&findings, errors, over),
            false => {
                let paint = paint::stdout();
                output::whole(human::report(&findings, self.stats, paint), paint)
            }
        }
    }
}

impl Ending for Report {
    fn mistakes(&self, errors: Vec<Value>) {
        if self.json {
            output::print(&self.text(errors, None));
        }
    }

    fn limit(&self, over: OverBudget) -> bool {
        self.draws || output::print(&self.text(Vec::new(), Some(over)))
    }
}

/// Runs the command and answers with the exit status.
pub fn run(args: &M2lArgs, started: Instant) -> u8 {
    let limits = Limits::new(started, args.timeout, args.memory.memory);
    let draws = args.dot || args.hoa || args.mona;
    let report = Arc::new(Report { findings: Mutex::default(), json: args.json, stats: args.stats, draws });
    let done = limited::run(limits, "reading the file", &report, |work| {
        let program = read(args)?;
        if draws { draw(args, &program, work).map(Some) } else { decide(args, &program, &report, work).map(|()| None) }
    });
    match done {
        Err(status) => status,
        Ok(Some(text)) => {
            if output::print(&text) {
                0
            } else {
                2
            }
        }
        Ok(None) => {
            if !output::print(&report.text(Vec::new(), None)) {
                return 2;
            }
            u8::from(locked(&report.findings).iter().any(|f| f.answer != Answer::Valid))
        }
    }
}

fn read(args: &M2lArgs) -> Result<Program, Stopped> {
    let file = args.file.display().to_string();
    let text = read::text(&args.file).map_err(|d| Problem::in_text(&file, d))?;
    let mut root = Root::of(&args.root, &args.file);
    let program = read_program(&file, &text, &mut |from, asked| root.load(from, asked)).map_err(|mistakes| {
        Stopped::Mistakes(mistakes.into_iter().map(|m| Problem::in_text(&m.file, m.diagnostic)).collect())
    })?;
    for remark in &program.remarks.0 {
        output::note(&carets::warning(&remark.file, None, &remark.diagnostic, paint::stderr()));
    }
    Ok(program)
}

/// Decides one formula after the other, so that each answer can be told though a later one takes too long.
fn decide(args: &M2lArgs, program: &Program, report: &Report, work: &Work<'_>) -> Result<(), Stopped> {
    let engine = match args.engine {
        M2lEngine::Auto => Engine::Auto,
        M2lEngine::Eager => Engine::Eager,
        M2lEngine::Lazy => Engine::Lazy,
    };
    work.begin("deciding the formula");
    let mut alone = Program { verify: Vec::new(), ..program.clone() };
    for place in 0..=program.verify.len() {
        let begun = Instant::now();
        let verify = place.checked_sub(1).map(|at| &program.verify[at]);
        if let Some(verify) = verify {
            alone.formula = verify.formula.clone();
        }
        for mut decision in m2l::decide(&alone, engine, work.budget)? {
            decision.title = verify.and_then(|v| v.title.clone());
            let finding = Finding::new(program, place, &decision, begun.elapsed().as_secs_f64());
            locked(&report.findings).push(finding);
        }
    }
    Ok(())
}

fn draw(args: &M2lArgs, program: &Program, work: &Work<'_>) -> Result<String, Stopped> {
    work.begin("building the automaton of the formula");
    let found = m2l::automaton(program, work.budget)?;
    work.begin("printing the automaton");
    Ok(match (args.dot, args.hoa) {
        (true, _) => automaton::dot(program, &found, work.budget)?,
        (_, true) => automaton::hoa(program, &found, work.budget)?,
        _ => automaton::mona(program, &found),
    })
}
