//! Row 15: models deep and narrow, wide, with few states and many places, beside SPIN on the same model.
//!
//! Each model is written twice ([`nets`](super::nets)), so that both have the same states, and as many must be counted.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use serde_json::Value;

use super::model::{FORK, Table};
use super::nets::{Net, kanban, queue_lock, tokens};
use super::written;
use crate::lab::Lab;
use crate::peers;
use crate::studies::spin::done;
use crate::studies::verify::fork::stored;
use crate::studies::verify::patience;
use crate::studies::verify::side::{Contestant, MEMORY, Outcome, side_by_side};
use crate::study::{Sheet, Study, seconds};
use crate::workload::{Judgement, Role};

/// The row.
pub const STUDY: Study = Study {
    id: "systems-shapes",
    row: 15,
    title: "models of other shapes: counters, clocks, locks, nets with many tokens, many philosophers",
    target: "at most twice the CPU time of SPIN's verifier, or so many seconds",
    run,
};

/// Past its own limit a program has this long to say so.
const GRACE: Duration = Duration::from_secs(5);

/// How many times SPIN's time is allowed.
const TWICE: f64 = 2.0;

/// A question about a model.
pub struct Shape {
    pub name: &'static str,
    pub text: String,
    pub args: Vec<String>,
    /// The number of states, or the verdict; nothing if it is SPIN's.
    pub answer: &'static str,
    /// The same in Promela, if SPIN can be asked.
    pub promela: Option<String>,
    /// What SPIN does.
    pub peer: Peer,
    /// Seconds of CPU that are allowed where SPIN cannot be asked.
    pub most: f64,
}

/// What SPIN is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Peer {
    /// To look at all states and count them.
    States,
    /// To look at all states, where it cannot be asked the question: whoever answers it has to do as much.
    Looks,
    /// Whether everything can go on.
    Deadlock,
    /// Whether the formula in the model holds.
    Formula,
}

fn run(lab: &Lab, times: u32) -> Result<Sheet, String> {
    beside_spin(lab, times, STUDY.id, shapes(lab.quick))
}

/// Asks questions, and SPIN as well.
pub fn beside_spin(lab: &Lab, times: u32, study: &str, shapes: Vec<Shape>) -> Result<Sheet, String> {
    let program = match &lab.program {
        Ok(program) => program,
        Err(reason) => return Ok(Sheet::skipped(&format!("the program is measured: {reason}"))),
    };
    let headings =
        vec!["model", "asked", "answer", "engine", "ours s", "ours CPU s", "ours MB", "SPIN s", "SPIN CPU s"];
    let headings = headings.into_iter().chain(["SPIN MB", "SPIN / ours"]).collect();
    let spin = peers::look_for("SPIN", None);
    let mut sheet = Sheet { headings, notes: notes(lab, &spin), ..Sheet::default() };
    if let Err(reason) = &spin {
        eprintln!("SKIPPED: SPIN beside {study}: {reason}");
    }
    for (place, shape) in shapes.into_iter().enumerate() {
        eprintln!("  {} …", shape.name);
        let id = format!("{study}-{place}");
        let file = written(lab, &id, &shape.text)?;
        let mut all = vec![ours(lab, program, &shape, &file)];
        if let (Ok(spin), Some(promela)) = (&spin, &shape.promela) {
            match build(lab, spin, &id, promela, shape.peer) {
                Ok(verifier) => all.push(theirs(lab, verifier, shape.peer)),
                Err(problem) => sheet.failures.push(format!("{}: {problem}", shape.name)),
            }
        }
        let mut outcomes = side_by_side(lab, &all, times, &mut Vec::new()).into_iter();
        let [ours, theirs] = [(); 2].map(|()| outcomes.next().unwrap_or(Outcome::Left("-")));
        sheet.judgements.push(judged(&shape, &ours, &theirs));
        sheet.failures.extend(wrong(&shape, &ours, &theirs));
        let told = ours.figures().map_or("- -", |f| f.answer.as_str());
        let (answer, engine) = told.split_once(' ').unwrap_or((told, "-"));
        let asked = shape.args.first().map_or("states", |arg| arg.trim_start_matches('-'));
        let mut cells = [shape.name, asked, answer, engine].map(str::to_owned).to_vec();
        cells.extend(ours.cells().into_iter().chain(theirs.cells()));
        cells.push(theirs.against(&ours));
        sheet.rows.push(cells);
    }
    Ok(sheet)
}

fn notes(lab: &Lab, spin: &Result<PathBuf, String>) -> Vec<String> {
    vec![
        "s: seconds of the clock, whole processes, the middle one of the runs; ratios are of CPU time".to_owned(),
        format!("limits: {} s for everybody; {MEMORY} GB for ours", patience(lab).as_secs()),
        match spin {
            Ok(_) => {
                "SPIN: gcc -O2, -DSAFETY where states are counted; building the verifier is not in its time".to_owned()
            }
            Err(reason) => format!("SPIN is absent: {reason}"),
        },
    ]
}

/// Whether the time is as wanted.
fn judged(shape: &Shape, ours: &Outcome, theirs: &Outcome) -> Judgement {
    let (cpu, name) = (ours.figures().map(|f| f.cpu.median), shape.name);
    let took = cpu.map_or_else(|| "no answer".to_owned(), |cpu| format!("{} s", seconds(cpu)));
    let (most, whose) = match theirs.figures() {
        // Below this a process has hardly begun.
        Some(f) => ((TWICE * f.cpu.median).max(0.05), "twice SPIN"),
        None => (shape.most, "wanted"),
    };
    Judgement {
        text: format!("{name}: {took}, at most {} s ({whose})", seconds(most)),
        met: cpu.is_some_and(|c| c <= most),
    }
}

/// Answers that are not the right one.
fn wrong(shape: &Shape, ours: &Outcome, theirs: &Outcome) -> Vec<String> {
    let word = |outcome: &Outcome| Some(outcome.figures()?.answer.split(' ').next().unwrap_or_default().to_owned());
    let is_asked = shape.peer != Peer::Looks;
    let right = match shape.answer {
        "" => word(theirs).filter(|_| is_asked).or_else(|| word(ours)).unwrap_or_default(),
        answer => answer.to_owned(),
    };
    let told = |who: &str, outcome: &Outcome| match outcome {
        Outcome::Failed(problem) => Some(format!("{}: {problem}", shape.name)),
        Outcome::Answered(f) if word(outcome).as_ref() != Some(&right) => {
            Some(format!("{}: {who} says {}, and it is {right}", shape.name, f.answer))
        }
        Outcome::Answered(_) | Outcome::Late(_) | Outcome::Left(_) => None,
    };
    [told("posetta", ours), told("SPIN", theirs).filter(|_| is_asked)].into_iter().flatten().collect()
}

fn ours(lab: &Lab, program: &Path, shape: &Shape, file: &Path) -> Contestant {
    let (file, limit) = (file.display().to_string(), format!("{}s", patience(lab).as_secs()));
    let args =
        ["verify", &file, "--json", "--witness", "never", "--timeout", &limit, "--memory", &format!("{MEMORY}GB")];
    let args = args.into_iter().map(str::to_owned).chain(shape.args.iter().cloned()).collect();
    let (program, limit) = (program.to_owned(), patience(lab));
    Contestant { name: "posetta", role: Role::Ours, program, args, read: said, limit, patience: limit + GRACE }
}

/// The verdict and the engine, or the number of states.
fn said(output: &str) -> Result<Option<String>, String> {
    let value: Value = serde_json::from_str(output).map_err(|e| format!("prints no JSON: {e}"))?;
    let result = &value["results"][0];
    match (result["verdict"].as_str(), value["model"]["states"].as_str()) {
        (Some("unknown"), _) => Ok(None),
        (Some(verdict), _) => Ok(Some(format!("{verdict} {}", result["stats"]["engine"].as_str().unwrap_or("-")))),
        (None, Some(states)) => Ok(Some(format!("{states} -"))),
        (None, None) if !value["model"]["limit"].is_null() => Ok(None),
        (None, None) => Err("neither a verdict nor a number of states".to_owned()),
    }
}

fn build(lab: &Lab, spin: &Path, id: &str, promela: &str, peer: Peer) -> Result<PathBuf, String> {
    let dir = lab.data.join(format!("spin-{id}"));
    fs::create_dir_all(&dir).map_err(|e| format!("{}: {e}", dir.display()))?;
    fs::write(dir.join("model.pml"), promela).map_err(|e| format!("{}: {e}", dir.display()))?;
    done(Command::new(spin).args(["-a", "model.pml"]).current_dir(&dir))?;
    let mut compile = Command::new("gcc");
    compile.args(["-O2", "-w"]).args((peer != Peer::Formula).then_some("-DSAFETY"));
    done(compile.args(["-o", "verifier", "pan.c"]).current_dir(&dir))?;
    Ok(dir.join("verifier"))
}

fn theirs(lab: &Lab, program: PathBuf, peer: Peer) -> Contestant {
    let (deep, limit) = ("-m5000000".to_owned(), patience(lab));
    let (args, read): (_, fn(&str) -> _) = match peer {
        // Cycles count as well.
        Peer::Formula => (vec![deep, "-a".to_owned()], crate::studies::verify::fork::errors),
        Peer::Deadlock => (vec![deep], crate::studies::verify::fork::errors),
        // Where it ends nobody is stuck.
        Peer::States | Peer::Looks => (vec![deep, "-E".to_owned()], counted),
    };
    Contestant { name: "SPIN", role: Role::Peer, program, args, read, limit, patience: limit }
}

fn counted(output: &str) -> Result<Option<String>, String> {
    if output.contains("max search depth too small") {
        return Err("did not search everything: its stack is too small".to_owned());
    }
    stored(output).map(|states| Some(states.to_owned())).ok_or_else(|| "counts no states".to_owned())
}

/// All of them; small ones where it is only seen that everything works.
fn shapes(quick: bool) -> Vec<Shape> {
    let bits = if quick { 6 } else { 20 };
    let [deep, formula] = [false, true].map(|formula| promela_counter(bits, formula));
    let counted = |name, text: String, promela: Option<String>, answer| Shape {
        name,
        text,
        args: Vec::new(),
        answer,
        promela,
        peer: Peer::States,
        most: 5.0,
    };
    let args = |args: &[&str]| args.iter().map(|&arg| arg.to_owned()).collect();
    let mut all = vec![
        counted("counter", counter(bits), Some(deep), if quick { "64" } else { "1048576" }),
        Shape {
            args: args(&["--ltl", "G F reset"]),
            promela: Some(formula),
            peer: Peer::Formula,
            ..counted("counter", counter(bits), None, "holds")
        },
        Shape { args: args(&["--ctl", "AG EF enabled(reset)"]), ..counted("counter", counter(bits), None, "holds") },
    ];
    let (a, b) = if quick { (10, 7) } else { (1000, 997) };
    all.push(counted("two clocks", clocks(a, b), Some(promela_clocks(a, b)), if quick { "70" } else { "997000" }));
    let nets: Vec<(_, Net, _)> = if quick {
        vec![("tokens", tokens(100), "101"), ("queue lock", queue_lock(2), "96"), ("kanban", kanban(1), "160")]
    } else {
        vec![
            ("tokens", tokens(100_000), "100001"),
            ("queue lock", queue_lock(4), "30528"),
            ("kanban", kanban(3), "58400"),
        ]
    };
    for (name, net, states) in nets {
        all.push(counted(name, net.system(), Some(net.promela("")), states));
    }
    let (few, many) = if quick { (3, 3) } else { (300, 1_000) };
    let table = |philosophers, alike| Table { philosophers, alike }.text();
    for (name, alike, answer) in [("philosophers", false, "holds"), ("philosophers alike", true, "violated")] {
        all.push(Shape { args: args(&["--deadlock"]), ..counted(name, table(many, alike), None, answer) });
    }
    let modular = args(&["--ltl", FORK, "--engine", "modular"]);
    all.push(Shape { args: modular, ..counted("philosophers by modules", table(few, false), None, "holds") });
    all
}

/// Bits that are counted through, and begin again.
fn counter(bits: u32) -> String {
    let last = bits - 1;
    format!(
        "component Bit(i in 0..{last}) {{ lts {{ init z; z -inc[i]-> o; for k in i+1..{last} {{ o -inc[k]-> z }} o -reset-> z }} }}
system All = Bit
"
    )
}

fn promela_counter(bits: u32, formula: bool) -> String {
    let (flag, property) = if formula { ("bool reset;", "ltl p { []<> reset }") } else { ("", "") };
    let (on, off) = if formula { ("; reset = true", "reset = false; ") } else { ("", "") };
    format!(
        "bit b[{bits}];
{flag}
active proctype Count() {{
  byte i;
  do
  :: d_step {{
       {off}i = 0;
       do :: i < {bits} && b[i] -> b[i] = 0; i++ :: else -> break od;
       if :: i < {bits} -> b[i] = 1 :: else -> skip{on} fi;
       i = 0
     }}
  od
}}
{property}
"
    )
}

fn clocks(a: u32, b: u32) -> String {
    let ring = |name: &str, action: &str, n: u32| {
        format!(
            "component {name} {{ lts {{ init s[0]; for i in 0..{} {{ s[i] -{action}-> s[(i+1) % {n}] }} }} }}\n",
            n - 1
        )
    };
    format!("{}{}system Clocks = A || B\n", ring("A", "tick", a), ring("B", "tock", b))
}

fn promela_clocks(a: u32, b: u32) -> String {
    // Both in one process: reduction would leave states out.
    format!("short a, b;\nactive proctype Clocks() {{ do :: a = (a + 1) % {a} :: b = (b + 1) % {b} od }}\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::Spread;
    use crate::studies::verify::side::Figures;
    use posetta_base::Budget;
    use posetta_model::sys;
    use posetta_verify::system::{Options, Question};

    /// The small shapes are what they are said to be.
    #[test]
    fn the_small_ones_are_right() {
        for shape in shapes(true) {
            let system = sys::read("shape", &shape.text, None, &mut |_, _| Err("nothing".into())).expect("a system");
            assert_eq!(system.warnings, [], "{}", shape.name);
            if !shape.args.is_empty() {
                continue;
            }
            let mut question = Question::new(&system, &[], Options::default().explore(true));
            question.decide(&Budget::unlimited()).expect("no mistakes");
            let states = question.findings().and_then(|f| f.states.as_ref()).expect("counted").to_string();
            assert_eq!(states, shape.answer, "{}", shape.name);
        }
    }

    /// SPIN answers some questions and only looks at all states for the others.
    #[test]
    fn answers_are_compared_where_both_are_asked() {
        let answered = |answer: &str| {
            let none = Spread { least: 0.0, median: 0.0, most: 0.0 };
            Outcome::Answered(Figures { answer: answer.to_owned(), wall: none, cpu: none, memory: none })
        };
        let shape = |peer: Peer, answer: &'static str| Shape {
            name: "net",
            text: String::new(),
            args: Vec::new(),
            answer,
            promela: None,
            peer,
            most: 1.0,
        };
        let (left, holds, other) = (Outcome::Left("absent"), answered("holds sog"), answered("violated"));
        for (peer, answer, theirs, failures) in [
            (Peer::Looks, "", &other, 0),
            (Peer::Looks, "violated", &other, 1),
            (Peer::Formula, "", &other, 1),
            (Peer::Formula, "", &left, 0),
            (Peer::Formula, "holds", &other, 1),
        ] {
            assert_eq!(wrong(&shape(peer, answer), &holds, theirs).len(), failures, "{answer}");
        }
    }

    #[test]
    fn what_the_program_prints_is_read() {
        let result = |verdict: &str| {
            said(&format!("{{\"results\":[{{\"verdict\":\"{verdict}\",\"stats\":{{\"engine\":\"sog\"}}}}]}}"))
        };
        assert_eq!(result("holds"), Ok(Some("holds sog".to_owned())));
        assert_eq!(result("unknown"), Ok(None));
        assert_eq!(said("{\"results\":[],\"model\":{\"states\":\"26\"}}"), Ok(Some("26 -".to_owned())));
        assert!(said("{\"results\":[],\"model\":{\"states\":null,\"limit\":null}}").is_err());
        assert_eq!(counted("      349 states, stored\n"), Ok(Some("349".to_owned())));
        assert!(counted("error: max search depth too small\n 3 states, stored\n").is_err());
    }
}
