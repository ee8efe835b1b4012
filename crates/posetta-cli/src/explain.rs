//! `posetta explain`: what a property says, what kind of property it is, and what will decide it on a run.
//!
//! [`posetta_tell::explained`] finds everything out and tells it. What happens here is reading, limits and printing.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use posetta_base::{self as base, Budget, Diagnostic, OverBudget};
use posetta_logic::{LibraryFile, NoFile, Property};
use posetta_tell::automaton::{self, Form, Wanted, Words};
use posetta_tell::emit::{self, Language, Refused, emit};
use posetta_tell::explained::{Explained, Kind, OnRun, PropertyKind, Tested, Watching};
use posetta_tell::json::{self, Schema};
use posetta_tell::library::listed;
use posetta_tell::text;
use posetta_trace::Trace;
use serde_json::Value;

use crate::args::{Emit, ExplainArgs, Of, Over};
use crate::inputs::Input;
use crate::limited::{self, Ending, Stopped, Work, locked};
use crate::limits::Limits;
use crate::paint::{self, Paint};
use crate::problem::{Problem, system_error};
use crate::properties::{self, Named, Source};
use crate::read::Reading;
use crate::{carets, deny, files, output, read};

/// An automaton may be exponentially large, so there is a limit even if none was given.
const PATIENCE: Duration = Duration::from_secs(10);

/// How long the cuts of a run may be counted.
const COUNTING: Duration = Duration::from_secs(2);

/// What is known so far, and where to tell it. The watchdog tells it if the work does not end in time: memory that is
/// given back may take longer than there is time left.
struct Known {
    /// In the order of the properties.
    all: Mutex<Vec<Explained>>,
    json: bool,
    output: Option<PathBuf>,
}

impl Known {
    /// Everything, for standard output or a file.
    fn text(&self, all: &[Explained], errors: Vec<Value>, over: Option<OverBudget>) -> String {
        if !self.json {
            let paint = self.paint();
            return output::whole(text::explained(all, paint), paint);
        }
        let properties = all.iter().map(Explained::to_json).collect();
        let limit: Vec<(&str, Value)> = over.iter().map(|&over| ("limit", json::limit(over, 0))).collect();
        Schema::Explain.lists(&[("properties", properties), ("errors", errors)], &limit)
    }

    fn paint(&self) -> Paint {
        if self.output.is_some() { paint::file() } else { paint::stdout() }
    }

    /// To the file that was asked for, else to standard output.
    fn deliver(&self, text: &str) -> bool {
        let Some(path) = &self.output else { return output::print(text) };
        match files::write(path, text) {
            Ok(()) => true,
            Err(e) => {
                output::note(&format!("error: cannot write `{}`: {}\n", path.display(), system_error(&e)));
                false
            }
        }
    }
}

impl Ending for Known {
    fn mistakes(&self, problems: &[Problem]) {
        if self.json {
            let errors = problems.iter().map(Problem::to_json).collect();
            output::print(&self.text(&[], errors, None));
        }
    }

    fn limit(&self, over: OverBudget) -> bool {
        let text = self.text(&locked(&self.all), Vec::new(), Some(over));
        text.is_empty() || self.deliver(&text)
    }
}

/// Runs the command and answers with the exit status. `flags` are the properties given by flags.
pub fn run(args: &ExplainArgs, flags: Vec<Source>, started: Instant) -> u8 {
    if let Some(name) = &args.library {
        return library(name.as_deref());
    }
    let limits = Limits::new(started, args.timeout, args.memory.memory);
    let known = Arc::new(Known { all: Mutex::default(), json: args.json, output: args.output.clone() });
    let answer = limited::run(limits, "reading the property", &known, |work| {
        if args.timeout.is_none() {
            work.watchdog.alarm(started + PATIENCE, work.budget.stop_handle());
        }
        explain(args, flags, &known, work)
    });
    match answer {
        Ok(told) => {
            let notes: String = told.problems.iter().map(|p| carets::error(p, paint::stderr())).collect();
            output::note(&notes);
            if !known.deliver(&told.text) || !told.problems.is_empty() {
                return 2;
            }
            if told.unknown { 3 } else { 0 }
        }
        Err(status) => status,
    }
}

/// The list of the library of properties, or one file of it.
fn library(name: Option<&str>) -> u8 {
    let paint = paint::stdout();
    let text = match name.map(|name| LibraryFile::named(name.strip_prefix("std/").unwrap_or(name))) {
        None => listed(paint),
        Some(Ok(file)) => file.text.to_owned(),
        Some(Err(NoFile { why, help })) => {
            let mut diagnostic = Diagnostic::new(base::Kind::Input, why);
            diagnostic.help = help;
            output::note(&carets::error(&Problem::in_text("--library", diagnostic), paint::stderr()));
            return 2;
        }
    };
    if output::print(&output::whole(text, paint)) { 0 } else { 2 }
}

struct Told {
    text: String,
    /// What a run says against a property.
    problems: Vec<Problem>,
    /// A limit left something open.
    unknown: bool,
}

fn explain(args: &ExplainArgs, mut flags: Vec<Source>, known: &Known, work: &Work<'_>) -> Result<Told, Stopped> {
    // With a property given by a flag, what stands alone is the run.
    let mut alone = args.property_and_run.iter();
    if flags.is_empty()
        && let Some(argument) = alone.next()
    {
        flags.push(guess(argument, args.automata.over.unwrap_or_default())?);
    }
    let run = match (&args.run, alone.next(), alone.next()) {
        (Some(run), None, _) => Some(run.clone()),
        (None, Some(run), None) => Some(run.into()),
        (None, None, _) => None,
        _ => {
            let message = "this is one argument too many: there is one property and at most one run";
            return Err(Problem::in_text("arguments", Diagnostic::new(base::Kind::Input, message)).into());
        }
    };
    let clocked = properties::read_clocked(&flags, &args.root, &args.properties.only, &args.input.sampling);
    let clocked = clocked.map_err(Stopped::Mistakes)?;
    // Without a run there may be any number of clocks.
    let (named, sampling) = match &run {
        Some(_) => clocked.once().map_err(Stopped::Mistakes)?,
        None if !clocked.unread.is_empty() => return Err(Stopped::Mistakes(clocked.unread)),
        None => (clocked.properties, args.input.sampling.clone()),
    };
    let of_systems = named.iter().filter_map(|p| Some(Problem::in_text(&p.file, p.property.asks_for_actions()?)));
    let of_systems: Vec<Problem> = of_systems.collect();
    if !of_systems.is_empty() {
        return Err(Stopped::Mistakes(of_systems));
    }
    let picture = args.dot || args.svg || args.hoa || args.emit.is_some() || args.tester;
    if !picture {
        *locked(&known.all) = named.iter().cloned().map(Explained::new).collect();
    }
    let run = match &run {
        None => None,
        Some(path) => {
            work.begin("reading the run");
            let reading = Reading::new(&args.input).map_err(|problem| Stopped::from(*problem))?.sampled(sampling);
            Some(run_at(path, &reading, work.budget)?)
        }
    };
    if args.tester {
        work.begin("building the tester of the property");
        return testers(known, &named, work.budget);
    }
    work.begin("building the automaton of the property");
    if let Some(language) = args.emit {
        return emitted(args, language, &named, work.budget);
    }
    if picture {
        return automata(args, &named, work.budget);
    }
    for (i, property) in named.iter().enumerate() {
        let kind = Kind::of(property, work.budget);
        if let PropertyKind::Linear(_, known) = &mut locked(&known.all)[i].kind {
            *known = kind.clone();
        }
        // What a limit leaves out is said by what is missing.
        if let Ok(Some(watching)) = Watching::of(property, args.completions.into(), work.budget) {
            locked(&known.all)[i].watching = Some(watching);
        }
        if let Some((name, trace)) = &run {
            let counting = Budget::unlimited();
            work.watchdog.alarm(Instant::now() + COUNTING, counting.stop_handle());
            let on_run = OnRun::new((name, trace), (property, &kind), &deny::see, work.budget, &counting);
            locked(&known.all)[i].run = Some(on_run);
        }
    }
    let all = locked(&known.all);
    let problems: Vec<Problem> = all.iter().flat_map(Explained::problems).collect();
    let unknown = all.iter().any(Explained::is_unknown);
    output::note(&all.iter().map(denied).collect::<String>());
    let text = known.text(&all, problems.iter().map(Problem::to_json).collect(), None);
    Ok(Told { text, problems, unknown })
}

/// A property file (`-` is standard input), or a formula: LTL if it can be read so, else CTL, else PSL.
fn guess(argument: &str, over: Over) -> Result<Source, Stopped> {
    let path = Path::new(argument);
    if argument == "-" || argument.ends_with(".props") || path.exists() {
        return Ok(Source::Spec(path.to_owned(), None));
    }
    let mistakes = match properties::linear(argument, over) {
        Ok(property) => return Ok(Source::Bare(Box::new(property))),
        Err(mistakes) => mistakes,
    };
    if let Ok(property) = Property::ctl(argument).or_else(|_| Property::psl_over(over.view(), argument)) {
        return Ok(Source::Bare(Box::new(property)));
    }
    let hint = "there is no such file, so it was read as an LTL formula; say --ltl, --ctl, --psl, --m2l or --spec to have it read as one of these";
    Err(Stopped::Mistakes(
        mistakes
            .into_iter()
            .map(|d| Problem::in_text(properties::BARE, if d.help.is_none() { d.help(hint) } else { d }))
            .collect(),
    ))
}

/// A run and its name.
fn run_at(path: &Path, reading: &Reading, budget: &Budget) -> Result<(String, Trace), Stopped> {
    let input = Input::named(path);
    let file = input.file();
    let run = read::one_run(&input, reading, budget).map_err(|failure| Stopped::in_run(&file, failure))?;
    let warnings = run.warnings.iter().map(|w| carets::warning(&file, None, w, paint::stderr()));
    output::note(&warnings.collect::<String>());
    Ok((run.name, run.trace))
}

/// Warnings about the property on the run that are denied, for standard error: the others stand in what is explained.
fn denied(facts: &Explained) -> String {
    let Some(run) = &facts.run else { return String::new() };
    let denied = run.warnings.iter().filter(|warning| warning.denied);
    let file = &facts.property.file;
    denied.map(|warning| carets::warning(file, Some(&run.name), &warning.diagnostic, paint::stderr())).collect()
}

/// The testers alone.
fn testers(known: &Known, named: &[Named], budget: &Budget) -> Result<Told, Stopped> {
    let refused = |p: &Named| Some(Problem::in_text(&p.file, Tested::refused(p)?));
    let mistakes: Vec<Problem> = named.iter().filter_map(refused).collect();
    if !mistakes.is_empty() {
        return Err(Stopped::Mistakes(mistakes));
    }
    let all: Result<Vec<Option<Tested>>, OverBudget> = named.iter().map(|p| Tested::new(p, budget)).collect();
    let all: Vec<Tested> = all?.into_iter().flatten().collect();
    let text = match known.json {
        true => Schema::Explain
            .lists(&[("properties", all.iter().map(Tested::to_json).collect()), ("errors", Vec::new())], &[]),
        false => text::tested(&all, known.paint()),
    };
    Ok(Told { text, problems: Vec::new(), unknown: false })
}

/// Monitors as programs.
fn emitted(args: &ExplainArgs, language: Emit, named: &[Named], budget: &Budget) -> Result<Told, Stopped> {
    let language = match language {
        Emit::Rust => Language::Rust,
        Emit::C => Language::C,
        Emit::Kernel => Language::Kernel,
        Emit::Sv => Language::SystemVerilog,
        Emit::Vhdl => Language::Vhdl,
        Emit::Table => Language::Table,
    };
    let name = args.monitor_name.as_deref();
    let wanted = emit::Wanted { name, completions: args.completions.into(), ..emit::Wanted::new(language) };
    let text = emit(named, wanted, budget).map_err(|Refused { property, error }| {
        let file = property.and_then(|place| named.get(place)).map_or("--monitor-name", |p| p.file.as_str());
        Stopped::in_text(file, error)
    })?;
    Ok(Told { text, problems: Vec::new(), unknown: false })
}

/// The automata alone.
fn automata(args: &ExplainArgs, named: &[Named], budget: &Budget) -> Result<Told, Stopped> {
    let (linear, branching): (Vec<&Named>, Vec<&Named>) = named.iter().partition(|p| p.over().is_some());
    let Some(first) = linear.first() else {
        let file = named.first().map(|p| p.file.as_str()).unwrap_or_default();
        return Err(Problem::in_text(file, automaton::refused(&branching)).into());
    };
    if (args.dot || args.svg) && linear.len() > 1 {
        let names: Vec<&str> = linear.iter().map(|p| p.name.as_str()).collect();
        let message = format!("a picture shows one property, and these are {}", linear.len());
        let diagnostic = Diagnostic::new(base::Kind::Input, message)
            .help(format!("choose one with --property: {}", names.join(", ")));
        return Err(Problem::in_text(&first.file, diagnostic).into());
    }
    for property in branching {
        let message = format!("`{}` is CTL, which has no automaton on words: it is left out", property.name);
        let warning = Diagnostic::new(base::Kind::Unsupported, message);
        output::note(&carets::warning(&property.file, None, &warning, paint::stderr()));
    }
    let wanted = Wanted {
        form: match (args.dot, args.svg) {
            (true, _) => Form::Dot,
            (_, true) => Form::Svg,
            (false, false) => Form::Hoa,
        },
        words: match args.of {
            Of::Good => Words::Good,
            Of::Bad => Words::Bad,
        },
        nondeterministic: args.nfa,
    };
    let print = |property: &&Named| {
        automaton::print(property, wanted, budget).map_err(|error| Stopped::in_text(&property.file, error))
    };
    let text = linear.iter().map(print).collect::<Result<String, Stopped>>()?;
    Ok(Told { text, problems: Vec::new(), unknown: false })
}
