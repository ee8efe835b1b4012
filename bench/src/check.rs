//! `posetta check` with one formula as a whole process, with every logic and engine that is asked for.
//!
//! Evidence is off, as it is for NuSMV. The program has a limit of time and [`MEMORY`]; past them it answers `unknown`.

use std::path::Path;
use std::time::Duration;

use serde_json::Value;

use crate::lab::Lab;
use crate::measure;
use crate::stats::Spread;
use crate::workload::Role;

/// Gigabytes for one process.
pub const MEMORY: u64 = 4;

/// Past its own limit a program has this long to say so.
const GRACE: Duration = Duration::from_secs(30);

/// Who has taken this long in all is not run again: the figure is good enough.
const ENOUGH: Duration = Duration::from_secs(20);

/// So much of a command is quoted.
const WORDS: usize = 1_000;

/// How a formula is decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Way {
    /// As `--engine` calls it.
    pub engine: &'static str,
    /// Whether events that cannot matter are left out.
    pub slice: bool,
}

/// What the program does by itself.
pub const USUAL: Way = Way { engine: "auto", slice: true };
/// Cut by cut.
pub const EXPLICIT: Way = Way { engine: "explicit", slice: true };
/// Diagrams over all events.
pub const DIAGRAMS: Way = Way { engine: "diagrams", slice: false };
/// The method of the paper over all events.
pub const IST: Way = Way { engine: "ist", slice: false };

/// A formula, and how it is decided.
#[derive(Clone, Copy, Debug)]
pub struct Asked<'a> {
    /// The flag of its logic.
    pub logic: &'static str,
    /// The formula.
    pub formula: &'a str,
    /// Whether its positions are events.
    pub events: bool,
    /// Whether nothing is asked beyond the verdict.
    pub verdict_only: bool,
    /// How.
    pub way: Way,
    /// How long it may take.
    pub limit: Duration,
}

impl<'a> Asked<'a> {
    /// A formula of CTL, with the time of the lab.
    pub fn ctl(lab: &Lab, formula: &'a str, way: Way) -> Self {
        Self { logic: "--ctl", formula, events: false, verdict_only: false, way, limit: lab.limit }
    }
}

/// What came out.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// A verdict.
    Decided(Figures),
    /// `unknown`, because this limit was reached.
    Over(String),
    /// It did not do its job.
    Failed(String),
}

/// Of all runs of one way.
#[derive(Clone, Debug)]
pub struct Figures {
    /// Whether the formula holds.
    pub holds: bool,
    /// Which engine answered.
    pub engine: String,
    /// Cuts or the like that it explored.
    pub explored: u64,
    /// Seconds of the clock, the whole process.
    pub wall: Spread,
    /// Seconds of CPU, the whole process.
    pub cpu: Spread,
    /// Seconds of deciding, as the program says; the middle one.
    pub deciding: f64,
    /// Peak bytes, the whole process.
    pub memory: Spread,
}

impl Outcome {
    /// The figures, if there are.
    pub fn figures(&self) -> Option<&Figures> {
        match self {
            Self::Decided(figures) => Some(figures),
            Self::Over(_) | Self::Failed(_) => None,
        }
    }
}

/// One run of the program. Without a verdict it was past `limit`.
struct Once {
    holds: Option<bool>,
    engine: String,
    explored: u64,
    deciding: f64,
    limit: String,
}

/// One run and what it took.
struct Timed {
    once: Once,
    wall: Duration,
    cpu: Duration,
    memory: u64,
}

/// Decides what is asked about a run, so many times each; in each round everything is asked.
pub fn decide(lab: &Lab, file: &Path, asked: &[Asked<'_>], times: u32) -> Vec<Outcome> {
    let mut runs: Vec<Result<Vec<Timed>, String>> = asked.iter().map(|_| Ok(Vec::new())).collect();
    for _ in 0..times {
        for (asked, so_far) in asked.iter().zip(&mut runs) {
            let Ok(runs) = so_far else { continue };
            let taken: Duration = runs.iter().map(|r| r.wall).sum();
            if taken >= ENOUGH || runs.iter().any(|r| r.once.holds.is_none()) {
                continue;
            }
            match once(lab, file, asked) {
                Ok(run) => runs.push(run),
                Err(problem) => *so_far = Err(problem),
            }
        }
    }
    let outcome = |(asked, runs): (&Asked<'_>, Result<Vec<Timed>, String>)| {
        runs.and_then(|runs| together(asked.way, &runs)).unwrap_or_else(Outcome::Failed)
    };
    asked.iter().zip(runs).map(outcome).collect()
}

/// Runs the program once.
fn once(lab: &Lab, file: &Path, asked: &Asked<'_>) -> Result<Timed, String> {
    let program = lab.program.as_ref().map_err(Clone::clone)?;
    let args = arguments(file, asked);
    // A formula may be as long as a book.
    let words: String = args.join(" ").chars().take(WORDS).collect();
    let problem = |text: &str| Err(format!("`posetta {words}` {text}"));
    let ended = measure::watch(program, &args, Role::Ours, asked.limit + GRACE, lab)?;
    let Some(status) = ended.status else { return problem("did not keep to its limit") };
    let Some(code @ (0 | 1 | 3)) = status.code() else { return problem(&ended.why()) };
    let once = match read(&ended.run.output) {
        Ok(once) => once,
        Err(text) => return problem(&text),
    };
    let meant = match once.holds {
        Some(true) => 0,
        Some(false) => 1,
        None => 3,
    };
    if code != meant {
        return problem(&format!("answers {meant} and leaves {code}"));
    }
    Ok(Timed { once, wall: ended.run.wall, cpu: ended.run.cpu, memory: ended.run.memory })
}

/// The figures of all runs of one way, which must agree.
fn together(way: Way, runs: &[Timed]) -> Result<Outcome, String> {
    let spread = |of: &dyn Fn(&Timed) -> f64| Spread::of(runs.iter().map(of));
    let times = (spread(&|r| r.wall.as_secs_f64()), spread(&|r| r.cpu.as_secs_f64()), spread(&|r| r.once.deciding));
    let ((Some(wall), Some(cpu), Some(deciding)), Some(memory)) = (times, spread(&|r| r.memory as f64)) else {
        return Err(format!("{}: no run", way.engine));
    };
    if let Some(over) = runs.iter().find(|r| r.once.holds.is_none()) {
        return Ok(Outcome::Over(over.once.limit.clone()));
    }
    let first = &runs[0].once;
    if runs.iter().any(|r| r.once.holds != first.holds) {
        return Err(format!("{} contradicts itself", way.engine));
    }
    Ok(Outcome::Decided(Figures {
        holds: first.holds == Some(true),
        engine: first.engine.clone(),
        explored: first.explored,
        wall,
        cpu,
        deciding: deciding.median,
        memory,
    }))
}

fn arguments(file: &Path, asked: &Asked<'_>) -> Vec<String> {
    let Asked { logic, formula, events, verdict_only, way, limit } = *asked;
    let (file, limit, memory) = (file.display().to_string(), format!("{}s", limit.as_secs()), format!("{MEMORY}GB"));
    let mut args = vec!["check", &file, logic, formula, "--json", "--witness", "never", "--timeout", &limit];
    args.extend(["--memory", &memory]);
    if events {
        args.extend(["--over", "events"]);
    }
    if verdict_only {
        args.push("--verdict-only");
    }
    if way.engine != USUAL.engine {
        args.extend(["--engine", way.engine]);
    }
    if !way.slice {
        args.push("--no-slice");
    }
    args.into_iter().map(str::to_owned).collect()
}

/// Reads what the program prints about its one property.
fn read(output: &str) -> Result<Once, String> {
    let value: Value = serde_json::from_str(output).map_err(|e| format!("it prints no JSON: {e}"))?;
    let result = &value["results"][0];
    let holds = match result["verdict"].as_str() {
        Some("holds") => Some(true),
        Some("violated") => Some(false),
        Some("unknown") => None,
        _ => return Err("it prints no verdict".to_owned()),
    };
    let stats = &result["stats"];
    let limit = result["limit"]["reached"].as_str().unwrap_or("no limit").to_owned();
    Ok(Once {
        holds,
        engine: stats["engine"].as_str().unwrap_or("unknown").to_owned(),
        explored: stats["configurations"].as_u64().unwrap_or(0),
        deciding: stats["seconds"].as_f64().ok_or("it prints no seconds")?,
        limit,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outputs_are_read() {
        let text = |verdict: &str, limit: &str| {
            format!(
                "{{\"results\":[{{\"verdict\":\"{verdict}\",\"limit\":{limit},\"stats\":{{\"engine\":\"explicit\",\
                 \"configurations\":7,\"seconds\":0.5}}}}],\"errors\":[]}}"
            )
        };
        let once = read(&text("violated", "null")).expect("an answer");
        assert_eq!((once.holds, once.explored, once.deciding), (Some(false), 7, 0.5));
        let once = read(&text("unknown", "{\"reached\":\"time\"}")).expect("an answer");
        assert_eq!((once.holds, once.limit.as_str()), (None, "time"));
        assert!(read(&text("perhaps", "null")).is_err() && read("").is_err());
    }

    #[test]
    fn runs_of_one_way_agree_or_are_a_mistake() {
        let run = |holds, seconds| {
            let once = Once { holds, engine: "e".to_owned(), explored: 1, deciding: seconds, limit: "time".to_owned() };
            let wall = Duration::from_secs_f64(seconds);
            Timed { once, wall, cpu: 2 * wall, memory: 1 }
        };
        let figures = together(USUAL, &[run(Some(true), 1.0), run(Some(true), 3.0), run(Some(true), 2.0)]);
        let figures = figures.expect("they agree");
        let figures = figures.figures().expect("decided");
        assert_eq!((figures.holds, figures.wall.median, figures.wall.least, figures.cpu.median), (true, 2.0, 1.0, 4.0));
        assert!(together(USUAL, &[run(Some(true), 1.0), run(Some(false), 1.0)]).is_err());
        let over = together(USUAL, &[run(Some(true), 1.0), run(None, 1.0)]).expect("an outcome");
        assert!(matches!(over, Outcome::Over(reason) if reason == "time"));
        assert!(together(USUAL, &[]).is_err());
    }
}
