//! Reading and deciding in one process, each with its own clock: what this program runs for the rows of linear properties, and
//! for those of CTL that are about how time grows.
//!
//! The library is called as the program calls it with `--verdict-only --jobs 1`. Times are CPU time of this process, so that
//! what else the machine does counts little.
//!
//! [`alone`] answers how many configurations a search needs that does not begin with a recorded order that fails: the events are
//! put into an order that satisfies the property, read again, and decided.

use std::fs::{self, File};
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use clap::ValueEnum;
use posetta_base::{Budget, Limit, Verdict};
use posetta_check::{self as check, Answer, Engine, Observed, Options};
use posetta_formats::{self as formats, Format};
use posetta_logic::{Formula, Ltl, Property, read_props};
use posetta_trace::Trace;
use serde_json::{Value, json};

/// What to decide, and how.
#[derive(Clone, Debug, clap::Args)]
pub struct Args {
    /// A run in JSON lines.
    file: PathBuf,
    /// A property file; what is not linear is left out, or what is.
    spec: PathBuf,
    /// Decide what is CTL, instead of what is linear.
    #[arg(long)]
    branching: bool,
    /// The engine.
    #[arg(long)]
    engine: Kind,
    /// Keep every event.
    #[arg(long)]
    no_slice: bool,
    /// Give up a property after so many seconds.
    #[arg(long)]
    seconds: Option<u64>,
    /// Give up what needs more bytes.
    #[arg(long)]
    memory: Option<u64>,
    /// Also search from an order that satisfies the property, if the recorded one does not.
    #[arg(long)]
    alone: bool,
}

/// An engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Kind {
    /// What fits.
    Auto,
    /// Cut by cut.
    Explicit,
    /// By intervals of cuts.
    Symbolic,
    /// The paper's algorithm as printed.
    Paper,
    /// Cut by cut with partial-order reduction.
    Por,
}

/// What [`run`] is asked, as the arguments of this program.
pub struct Asked<'a> {
    pub file: &'a Path,
    pub spec: &'a Path,
    /// Properties of CTL, or linear ones.
    pub branching: bool,
    pub engine: Kind,
    pub slice: bool,
    /// Seconds for each property and bytes for all.
    pub limits: Option<(u64, u64)>,
    pub alone: bool,
}

impl Asked<'_> {
    /// The words of the command line.
    pub fn arguments(&self) -> Vec<String> {
        let engine = match self.engine {
            Kind::Auto => "auto",
            Kind::Explicit => "explicit",
            Kind::Symbolic => "symbolic",
            Kind::Paper => "paper",
            Kind::Por => "por",
        };
        let (file, spec) = (self.file.display().to_string(), self.spec.display().to_string());
        let mut args = ["search", &file, &spec, "--engine", engine].map(str::to_owned).to_vec();
        if self.branching {
            args.push("--branching".to_owned());
        }
        if !self.slice {
            args.push("--no-slice".to_owned());
        }
        if let Some((seconds, bytes)) = self.limits {
            args.extend(["--seconds", &seconds.to_string(), "--memory", &bytes.to_string()].map(str::to_owned));
        }
        if self.alone {
            args.push("--alone".to_owned());
        }
        args
    }
}

/// One property in the output of [`run`].
#[derive(Clone, Debug)]
pub struct Found {
    /// Its name.
    pub name: String,
    /// `holds`, `violated` or `unknown`.
    pub verdict: String,
    /// CPU seconds of deciding, the replay of a witness included.
    pub seconds: f64,
    /// Configurations for the verdict.
    pub configurations: u64,
    /// Configurations of the search from another order; what it found instead, if it did not get there.
    pub alone: Option<Result<u64, String>>,
}

/// The output of [`run`].
#[derive(Clone, Debug)]
pub struct Output {
    /// Events of the run.
    pub events: u64,
    /// CPU seconds of reading.
    pub read: f64,
    /// Every property.
    pub found: Vec<Found>,
}

impl Output {
    /// Reads it back.
    pub fn parse(text: &str) -> Result<Self, String> {
        let value: Value = serde_json::from_str(text).map_err(|e| format!("no JSON: {e}"))?;
        let lacks = |what: &str| format!("no `{what}` in it");
        let number = |v: &Value, what: &str| v[what].as_u64().ok_or_else(|| lacks(what));
        let seconds = |v: &Value, what: &str| v[what].as_f64().ok_or_else(|| lacks(what));
        let word = |v: &Value, what: &str| v[what].as_str().map(str::to_owned).ok_or_else(|| lacks(what));
        let mut found = Vec::new();
        for v in value["results"].as_array().ok_or_else(|| lacks("results"))? {
            found.push(Found {
                name: word(v, "name")?,
                verdict: word(v, "verdict")?,
                seconds: seconds(v, "seconds")?,
                configurations: number(v, "configurations")?,
                alone: match &v["alone"] {
                    Value::Null => None,
                    Value::String(why) => Some(Err(why.clone())),
                    n => Some(Ok(n.as_u64().ok_or_else(|| lacks("alone"))?)),
                },
            });
        }
        Ok(Self { events: number(&value, "events")?, read: seconds(&value, "read")?, found })
    }
}

/// Reads, decides every property of the kind and prints the figures.
pub fn run(args: &Args) -> Result<(), String> {
    println!("{}", figures(args)?);
    Ok(())
}

fn figures(args: &Args) -> Result<Value, String> {
    let problem = |e: &dyn std::fmt::Display| format!("{}: {e}", args.file.display());
    let spec = |e: &dyn std::fmt::Display| format!("{}: {e}", args.spec.display());
    let text = fs::read_to_string(&args.spec).map_err(|e| spec(&e))?;
    let properties = read_props(&text).map_err(|mistakes| spec(&told(&mistakes)))?;
    let start = clock();
    let file = File::open(&args.file).map_err(|e| problem(&e))?;
    let reader = BufReader::with_capacity(1 << 16, file);
    let trace = formats::read(Format::JsonLines, reader, &Budget::unlimited()).map_err(|e| problem(&e))?;
    let read = clock() - start;
    let engine = match args.engine {
        Kind::Auto => Engine::Auto,
        Kind::Explicit => Engine::Explicit,
        Kind::Symbolic => Engine::Symbolic,
        Kind::Paper => Engine::Paper,
        Kind::Por => Engine::Por,
    };
    let options = Options::default().engine(engine).slice(!args.no_slice).verdict_only(true).vacuity(false);
    let mut results = Vec::new();
    for property in properties.iter().filter(|p| matches!(p.formula, Formula::Ctl(_)) == args.branching) {
        let start = clock();
        let answer = decide(&trace, property, &options, args).map_err(|e| spec(&e))?;
        let seconds = clock() - start;
        let settled = answer.observed() == Some(Observed::Violated);
        let alone = match args.alone && settled {
            false => Value::Null,
            true => alone(&trace, property, &options, args).map_err(|e| problem(&e))?,
        };
        results.push(json!({
            "name": property.name.as_deref().unwrap_or("unnamed"),
            "verdict": answer.verdict.word(),
            "seconds": seconds,
            "configurations": answer.stats.configurations,
            "alone": alone,
        }));
    }
    let output = json!({ "events": trace.len(), "read": read, "results": results });
    // The end of the process gives memory back faster.
    std::mem::forget(trace);
    Ok(output)
}

fn told(mistakes: &[posetta_base::Diagnostic]) -> String {
    mistakes.iter().map(|d| d.message.as_str()).collect::<Vec<_>>().join("; ")
}

/// Decides within the limits.
fn decide(trace: &Trace, property: &Property, options: &Options, args: &Args) -> Result<Answer, String> {
    let budget = args.memory.map_or_else(Budget::unlimited, Budget::with_memory);
    if let Some(seconds) = args.seconds {
        let stop = budget.stop_handle();
        // It may outlive the search, which then does not look.
        thread::spawn(move || {
            thread::sleep(Duration::from_secs(seconds));
            stop.raise(Limit::Time);
        });
    }
    check::check(trace, property, options, &budget).map_err(|error| told(error.diagnostics()))
}

/// What the search costs where the recorded order does not settle the verdict: a number, or why there is none.
fn alone(trace: &Trace, property: &Property, options: &Options, args: &Args) -> Result<Value, String> {
    let Formula::Ltl(view, formula) = &property.formula else { return Ok(json!("not a formula")) };
    let negated = Formula::Ltl(*view, Ltl::Not(Box::new(formula.clone())));
    // The recorded order satisfies the negation; a violation of it is an order that satisfies the property.
    let other = decide(trace, &Property { formula: negated, ..property.clone() }, options, args)?;
    let order = match other.verdict {
        Verdict::Violated(order) => order,
        Verdict::Holds => return Ok(json!("every order fails")),
        Verdict::Unknown(_) => return Ok(json!("-")),
    };
    let Some(recorded) = trace.observed() else { return Ok(json!("no recorded order")) };
    let text = fs::read(&args.file).map_err(|e| e.to_string())?;
    let mut lines = text.split_inclusive(|&b| b == b'\n');
    let head = lines.next().unwrap_or_default();
    let lines: Vec<&[u8]> = lines.collect();
    if lines.len() != trace.len() {
        return Err(format!("{} lines for {} events", lines.len(), trace.len()));
    }
    let mut line_of = vec![0; trace.len()];
    recorded.iter().enumerate().for_each(|(line, event)| line_of[event.index()] = line);
    let mut again = head.to_vec();
    order.iter().for_each(|event| again.extend_from_slice(lines[line_of[event.index()]]));
    let again = formats::read(Format::JsonLines, &again[..], &Budget::unlimited()).map_err(|e| e.to_string())?;
    let answer = decide(&again, property, options, args)?;
    let observed = answer.observed();
    Ok(match (answer.verdict, observed) {
        (Verdict::Violated(_), Some(Observed::Holds)) => json!(answer.stats.configurations),
        (Verdict::Unknown(_), _) => json!("-"),
        (verdict, observed) => {
            return Err(format!("reordered: {} with the recorded order {observed:?}", verdict.word()));
        }
    })
}

/// Seconds of CPU that this process has taken.
#[cfg(unix)]
fn clock() -> f64 {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    now.tv_sec as f64 + now.tv_nsec as f64 * 1e-9
}

/// Elsewhere the clock on the wall.
#[cfg(not(unix))]
fn clock() -> f64 {
    use std::sync::OnceLock;
    use std::time::Instant;
    static START: OnceLock<Instant> = OnceLock::new();
    START.get_or_init(Instant::now).elapsed().as_secs_f64()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two processes that are both inside in the recorded order, but need not be.
    const RUN: &str = "{\"posetta\":1,\"initial\":{\"a\":0,\"b\":0}}\n\
        {\"process\":\"A\",\"set\":{\"a\":1}}\n{\"process\":\"B\",\"set\":{\"b\":1}}\n\
        {\"process\":\"A\",\"set\":{\"a\":0}}\n{\"process\":\"B\",\"set\":{\"b\":0}}\n";

    #[test]
    fn a_search_from_an_order_that_holds_finds_what_the_recorded_one_shows() {
        let dir = tempfile::TempDir::new().expect("a directory");
        let (file, spec) = (dir.path().join("run.jsonl"), dir.path().join("p.props"));
        fs::write(&file, RUN).expect("writable");
        let text = "property one = ltl G !(a == 1 && b == 1)\nproperty never = ltl G (a == 0)\n\
                    property fine = ltl G (a < 2)\nproperty other = ctl AG (a < 2)\n";
        fs::write(&spec, text).expect("writable");
        for engine in [Kind::Explicit, Kind::Symbolic, Kind::Paper, Kind::Por] {
            let args = Args {
                file: file.clone(),
                spec: spec.clone(),
                branching: false,
                engine,
                no_slice: false,
                seconds: Some(60),
                memory: Some(1 << 30),
                alone: true,
            };
            let output = figures(&args).and_then(|v| Output::parse(&v.to_string())).expect("figures");
            assert_eq!(output.events, 4);
            let [one, never, fine] = &output.found[..] else { panic!("{output:?}") };
            assert_eq!([&one.name, &one.verdict], ["one", "violated"]);
            assert_eq!(one.configurations, 0, "the recorded order settles it");
            assert!(matches!(one.alone, Some(Ok(n)) if n > 0), "{one:?}");
            assert_eq!(never.alone, Some(Err("every order fails".to_owned())));
            assert_eq!((fine.verdict.as_str(), &fine.alone), ("holds", &None));
            let output = figures(&Args { branching: true, ..args }).and_then(|v| Output::parse(&v.to_string()));
            let names = output.map(|o| o.found.into_iter().map(|f| (f.name, f.verdict)).collect::<Vec<_>>());
            assert_eq!(names, Ok(vec![("other".to_owned(), "holds".to_owned())]));
        }
    }
}
