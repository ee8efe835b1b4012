//! `posetta gen`: runs to try Posetta on, and to measure it with.
//!
//! A workload is simulated step by step. Seeded dice say which process moves next, and `posetta-record` records what it
//! does, line by line, so a run of any length needs no memory. One workload is one file; [`props`] has their properties.

mod abp;
mod cnf;
mod dice;
mod peterson;
mod philosophers;
mod plain;
mod props;
mod sat;
mod stage;

use std::io::{BufWriter, ErrorKind, Write};
use std::path::Path;

use clap::ValueEnum;
use posetta_base::{Budget, Diagnostic};
use posetta_formats::{self as formats, Format};
use posetta_record::{Builder, Dependencies, Incomplete, Problem, Recorder};

use crate::args::GenArgs;
use crate::files::Output;
use crate::paint;
use crate::problem::{Problem as Mistake, system_error};
use crate::{carets, convert, deny, output, read};
use cnf::Cnf;
use dice::Dice;
use stage::Stage;

/// What can be generated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Workload {
    /// Peterson's mutual exclusion: two processes with flags, more with levels
    Peterson,
    /// the alternating-bit protocol over channels that lose messages
    Abp,
    /// dining philosophers
    Philosophers,
    /// independent processes of two events each (figure 4 of Genon, Massart, Meuter 2006)
    Fig4,
    /// random partial orders of a chosen width and coupling
    Random,
    /// the run of a propositional formula (DIMACS), whose monitor is violated if the formula is satisfiable
    Sat,
}

/// What orders the uses of shared variables.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Deps {
    /// a write before those who read it and before the next write
    ReadFrom,
    /// also a read before the next write: every order is one of the program
    Full,
}

const EVENTS: u64 = 1000;
/// As many as the recorder takes.
const MOST_PROCESSES: usize = 1 << 20;
/// As many as a run holds.
const MOST_EVENTS: u64 = u32::MAX as u64 - 1;

/// What to simulate; every number is possible.
struct Plan {
    workload: Workload,
    processes: usize,
    events: u64,
    seed: u64,
    faulty: bool,
    dependencies: Dependencies,
    coupling: f64,
    /// The formula of [`Workload::Sat`]; another workload has none.
    formula: Cnf,
}

/// Why nothing was generated.
enum Refusal {
    /// What is wrong, and what to try.
    Told { message: String, help: Option<String> },
    /// A mistake in a file.
    Mistake(Box<Mistake>),
}

impl Refusal {
    fn told(message: impl Into<String>) -> Self {
        Self::Told { message: message.into(), help: None }
    }
}

impl From<Diagnostic> for Refusal {
    fn from(diagnostic: Diagnostic) -> Self {
        Self::Told { message: diagnostic.message, help: diagnostic.help }
    }
}

fn refuse<T>(message: impl Into<String>, help: impl Into<String>) -> Result<T, Refusal> {
    Err(Refusal::Told { message: message.into(), help: Some(help.into()) })
}

/// Runs the command and answers with the exit status.
pub fn run(args: &GenArgs) -> u8 {
    match generate(args) {
        Ok(()) => 0,
        Err(Refusal::Mistake(mistake)) => {
            output::note(&carets::error(&mistake, paint::stderr()));
            2
        }
        Err(Refusal::Told { message, help }) => {
            let help = help.map(|h| format!("  = help: {h}\n")).unwrap_or_default();
            output::note(&format!("error: {message}\n{help}"));
            2
        }
    }
}

fn generate(args: &GenArgs) -> Result<(), Refusal> {
    let plan = Plan::new(args)?;
    let to = args.output.as_deref().filter(|path| path.as_os_str() != "-");
    let Some(path) = to else { return produce(args, &plan, None, None) };
    let output = Output::create(path).map_err(|e| cannot_write(to, &e))?;
    produce(args, &plan, to, Some(&output))?;
    // What must not be lost is not written without it.
    if deny::has_seen() {
        return Ok(());
    }
    output.finish().map_err(|e| cannot_write(to, &e))
}

/// Writes to `output`, which will be the file `to`; without one to standard output.
fn produce(args: &GenArgs, plan: &Plan, to: Option<&Path>, output: Option<&Output>) -> Result<(), Refusal> {
    let open = || -> Result<Box<dyn Write + Send>, Refusal> {
        Ok(match output {
            None => Box::new(std::io::stdout()),
            Some(output) => Box::new(output.writer().map_err(|e| cannot_write(to, &e))?),
        })
    };
    if args.props {
        let text = match plan.workload {
            Workload::Sat => sat::props(&plan.formula),
            workload => props::file(workload, plan.processes).map_err(Refusal::told)?,
        };
        return open()?.write_all(text.as_bytes()).or_else(|e| failed(to, &e));
    }
    let format = match (args.to, to.filter(|path| path.extension().is_some())) {
        (Some(format), _) => format,
        (None, Some(path)) => convert::by_extension(path)?,
        (None, None) => Format::JsonLines,
    };
    match format {
        Format::JsonLines => {
            let recorder = plan.builder().to_writer(open()?);
            plan.simulate(&recorder).map_or_else(|incomplete| lacking(to, incomplete), |_| Ok(()))
        }
        // The other formats need the whole run: in text, for one, the events of a process stand together.
        format => {
            let recorder = plan.builder().in_memory();
            plan.simulate(&recorder).or_else(|incomplete| lacking(to, incomplete).map(|()| 0))?;
            let trace = formats::read(Format::JsonLines, &recorder.take()[..], &Budget::unlimited())
                .map_err(|failure| Refusal::told(failure.to_string()))?;
            let mut out = BufWriter::with_capacity(1 << 16, open()?);
            match formats::write(format, &trace, &mut out, &Budget::unlimited()) {
                Ok(lost) => {
                    out.flush().or_else(|e| failed(to, &e))?;
                    output::note(&convert::tell_lost(&lost, format));
                    Ok(())
                }
                Err(formats::WriteError::Io(e)) => failed(to, &e),
                Err(other) => Err(Refusal::told(other.to_string())),
            }
        }
    }
}

fn cannot_write(path: Option<&Path>, error: &std::io::Error) -> Refusal {
    let name = path.map_or("standard output".to_owned(), |p| format!("`{}`", p.display()));
    Refusal::told(format!("cannot write {name}: {}", system_error(error)))
}

/// A reader that left has what it wanted; anything else is a mistake.
fn failed(path: Option<&Path>, error: &std::io::Error) -> Result<(), Refusal> {
    if error.kind() == ErrorKind::BrokenPipe { Ok(()) } else { Err(cannot_write(path, error)) }
}

fn lacking(path: Option<&Path>, incomplete: Incomplete) -> Result<(), Refusal> {
    match incomplete.first {
        Problem::Write(error) => failed(path, &error),
        _ => Err(Refusal::told(incomplete.to_string())),
    }
}

/// The formula of `sat`; nothing else has one.
fn formula(args: &GenArgs) -> Result<Cnf, Refusal> {
    match (&args.formula, args.workload) {
        (Some(path), Workload::Sat) => {
            let mistake =
                |diagnostic| Refusal::Mistake(Box::new(Mistake::in_text(&path.display().to_string(), diagnostic)));
            cnf::read(&read::text(path).map_err(mistake)?).map_err(mistake)
        }
        (None, Workload::Sat) => refuse(
            "sat needs a formula",
            "give a file in the DIMACS format: posetta gen sat formula.cnf, or - for standard input",
        ),
        (Some(path), _) => refuse(
            format!("`{}` is one argument too many", path.display()),
            "a formula is for sat; -o says where to write",
        ),
        (None, _) => Ok(Cnf { clauses: Vec::new() }),
    }
}

impl Plan {
    fn new(args: &GenArgs) -> Result<Self, Refusal> {
        use Workload::{Abp, Fig4, Peterson, Philosophers, Random, Sat};
        let workload = args.workload;
        let name = workload.to_possible_value().map(|v| v.get_name().to_owned()).unwrap_or_default();
        let shares = matches!(workload, Peterson | Philosophers);
        let formula = formula(args)?;
        if workload == Sat && (args.processes.is_some() || args.events.is_some()) {
            return refuse(
                "the formula says how many processes and events sat has",
                "leave --processes and --events out",
            );
        }
        if args.faulty && matches!(workload, Fig4 | Random | Sat) {
            return refuse(
                format!("{name} has no protocol that could be faulty"),
                "--faulty is for peterson, abp and philosophers",
            );
        }
        if args.deps.is_some() && !shares {
            return refuse(
                format!("{name} has no shared variables, so --deps has nothing to choose"),
                "--deps is for peterson and philosophers",
            );
        }
        if args.coupling.is_some() && workload != Random {
            return refuse(format!("the messages of {name} are those of its protocol"), "--coupling is for random");
        }
        let coupling = args.coupling.unwrap_or(0.2);
        if !(0.0..=1.0).contains(&coupling) {
            return refuse(format!("{coupling} is not a probability"), "--coupling is a number from 0 to 1");
        }
        let (least, usual) = match workload {
            Peterson | Abp => (2, 2),
            Philosophers => (2, 5),
            Fig4 => (1, 8),
            Random => (1, 4),
            Sat => (0, sat::processes(&formula)),
        };
        let processes = args.processes.unwrap_or(usual);
        if workload == Abp && processes != 2 {
            return refuse("abp is between two processes, a sender and a receiver", "leave --processes out");
        }
        if processes < least {
            return refuse(
                format!("{name} with {processes} {}", if processes == 1 { "process" } else { "processes" }),
                format!("it needs at least {least}"),
            );
        }
        if processes > MOST_PROCESSES {
            return refuse(format!("{processes} processes"), format!("a run can have at most {MOST_PROCESSES}"));
        }
        let events = match (workload, args.events) {
            (Fig4, Some(_)) => {
                return refuse("fig4 has two events for each process", "leave --events out, or choose --processes");
            }
            (Fig4, None) => plain::EACH * processes as u64,
            (Sat, _) => sat::events(&formula),
            (_, events) => events.unwrap_or(EVENTS),
        };
        if events > MOST_EVENTS {
            return refuse(format!("{events} events"), format!("a run can have at most {MOST_EVENTS}"));
        }
        let dependencies = match args.deps {
            None | Some(Deps::ReadFrom) => Dependencies::ReadFrom,
            Some(Deps::Full) => Dependencies::Full,
        };
        Ok(Self { workload, processes, events, seed: args.seed, faulty: args.faulty, dependencies, coupling, formula })
    }

    /// A recorder whose header declares the processes and the variables of the workload.
    fn builder(&self) -> Builder {
        let variables = match self.workload {
            Workload::Peterson => peterson::variables(self.processes),
            Workload::Abp => abp::variables(),
            Workload::Philosophers => philosophers::variables(self.processes),
            Workload::Fig4 | Workload::Random => plain::variables(self.processes),
            Workload::Sat => sat::variables(&self.formula),
        };
        let processes = match self.workload {
            Workload::Abp => abp::PROCESSES.map(str::to_owned).to_vec(),
            Workload::Sat => sat::process_names(&self.formula),
            Workload::Peterson | Workload::Philosophers | Workload::Fig4 | Workload::Random => {
                (0..self.processes).map(|p| format!("P{p}")).collect()
            }
        };
        let builder = Recorder::builder().dependencies(self.dependencies).processes(processes);
        variables.into_iter().fold(builder, |builder, (name, value)| builder.initial(&name, value))
    }

    fn simulate(&self, recorder: &Recorder) -> Result<u64, Incomplete> {
        let mut stage = Stage { recorder: recorder.clone(), dice: Dice::new(self.seed), left: self.events };
        match self.workload {
            Workload::Peterson => peterson::simulate(&mut stage, self.processes, self.faulty),
            Workload::Abp => abp::simulate(&mut stage, self.faulty),
            Workload::Philosophers => philosophers::simulate(&mut stage, self.processes, self.faulty),
            Workload::Fig4 => plain::independent(&mut stage, self.processes),
            Workload::Random => plain::random(&mut stage, self.processes, self.coupling),
            Workload::Sat => sat::simulate(&mut stage, &self.formula),
        }
        recorder.finish()
    }
}
