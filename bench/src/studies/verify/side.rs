//! Several programs on one model, side by side: in each round all of them run.

use std::path::PathBuf;
use std::time::Duration;

use serde_json::Value;

use crate::lab::Lab;
use crate::measure;
use crate::stats::Spread;
use crate::study::seconds;
use crate::workload::Role;

/// Gigabytes for ours.
pub const MEMORY: u64 = 4;

/// Past its own limit a program has this long to say so.
const GRACE: Duration = Duration::from_secs(30);

/// Who has taken this long in all is not run again: the figure is good enough.
const ENOUGH: Duration = Duration::from_secs(20);

/// What a program answers: a count or a verdict. Nothing: it reached a limit of its own.
type Answer = Result<Option<String>, String>;

/// A program that takes part.
pub struct Contestant {
    /// In messages.
    pub name: &'static str,
    /// Whose it is.
    pub role: Role,
    /// The executable.
    pub program: PathBuf,
    /// Its arguments.
    pub args: Vec<String>,
    /// Reads its output.
    pub read: fn(&str) -> Answer,
    /// How long it was told to take at most, if it was.
    pub limit: Duration,
    /// It is ended after this long.
    pub patience: Duration,
}

/// What came out for one.
pub enum Outcome {
    /// It answered, always the same.
    Answered(Figures),
    /// It was ended, or gave up, after so many seconds.
    Late(u64),
    /// It did not do its job.
    Failed(String),
    /// It did not run, and why.
    Left(&'static str),
}

/// Of all runs of one program.
pub struct Figures {
    /// What it answers.
    pub answer: String,
    /// Seconds of the clock.
    pub wall: Spread,
    /// Seconds of CPU.
    pub cpu: Spread,
    /// Peak bytes.
    pub memory: Spread,
}

impl Outcome {
    /// The figures, if it answered.
    pub fn figures(&self) -> Option<&Figures> {
        match self {
            Self::Answered(figures) => Some(figures),
            Self::Late(_) | Self::Failed(_) | Self::Left(_) => None,
        }
    }

    /// By the clock, in CPU, and megabytes; or what happened, and nothing.
    pub fn cells(&self) -> [String; 3] {
        let only = |text: String| [text, "-".to_owned(), "-".to_owned()];
        match self {
            Self::Answered(f) => {
                [seconds(f.wall.median), seconds(f.cpu.median), format!("{:.0}", f.memory.median / 1e6)]
            }
            Self::Late(limit) => only(format!("> {limit}")),
            Self::Failed(_) => only("failed".to_owned()),
            Self::Left(reason) => only((*reason).to_owned()),
        }
    }

    /// How many times as long as `ours` this one takes: in CPU; by the clock if it was ended, and then it is more.
    pub fn against(&self, ours: &Self) -> String {
        let digits = |ratio: f64| if ratio < 9.95 { format!("{ratio:.2}") } else { format!("{ratio:.0}") };
        match (self, self.ratio(ours)) {
            (Self::Late(_), Some(ratio)) => format!("> {}", digits(ratio)),
            (_, Some(ratio)) => digits(ratio),
            (_, None) => "-".to_owned(),
        }
    }

    /// The same as a number; nothing if there is nothing to compare.
    pub fn ratio(&self, ours: &Self) -> Option<f64> {
        let ours = ours.figures()?;
        match self {
            // The system counts in small steps, and a run may be shorter than one.
            Self::Answered(f) => Some(f.cpu.median / ours.cpu.median.max(TICK)),
            Self::Late(limit) => Some(*limit as f64 / ours.wall.median.max(TICK)),
            Self::Failed(_) | Self::Left(_) => None,
        }
    }
}

/// The smallest time that is told from none.
const TICK: f64 = 1e-4;

/// In the place of a figure.
pub const NOT_TRIED: &str = "not tried";

/// Runs everybody so many times. Who failed, or was late, does not run again; who was `late` on a smaller model is not tried.
pub fn side_by_side(lab: &Lab, contestants: &[Contestant], times: u32, late: &mut Vec<&'static str>) -> Vec<Outcome> {
    let start = |c: &Contestant| match late.contains(&c.name) {
        true => Err(Outcome::Left(NOT_TRIED)),
        false => Ok(Vec::new()),
    };
    let mut states: Vec<Result<Vec<(String, measure::Run)>, Outcome>> = contestants.iter().map(start).collect();
    let count = contestants.len();
    for round in 0..times as usize {
        // Nobody is always the first after a pause.
        for at in (0..count).map(|i| (round + i) % count) {
            let (contestant, state) = (&contestants[at], &mut states[at]);
            let Ok(runs) = state else { continue };
            if runs.iter().map(|r| r.1.wall).sum::<Duration>() >= ENOUGH {
                continue;
            }
            match once(lab, contestant) {
                Ok(run) => runs.push(run),
                Err(outcome) => {
                    late.extend(matches!(outcome, Outcome::Late(_)).then_some(contestant.name));
                    *state = Err(outcome);
                }
            }
        }
    }
    let together = |(c, state): (&Contestant, Result<Vec<_>, Outcome>)| match state {
        Ok(runs) => figures(c, &runs).map_or_else(Outcome::Failed, Outcome::Answered),
        Err(outcome) => outcome,
    };
    contestants.iter().zip(states).map(together).collect()
}

fn once(lab: &Lab, contestant: &Contestant) -> Result<(String, measure::Run), Outcome> {
    let Contestant { name, role, program, args, read, limit, patience } = contestant;
    let failed = |text: &str| Outcome::Failed(format!("{name}: `{} {}` {text}", program.display(), args.join(" ")));
    let ended = measure::watch(program, args, *role, *patience, lab).map_err(|e| failed(&e))?;
    let Some(status) = ended.status else { return Err(Outcome::Late(patience.as_secs())) };
    // Ours says with its status what it also prints.
    let fine = match role {
        Role::Ours => matches!(status.code(), Some(0 | 1 | 3)),
        Role::Baseline | Role::Peer => status.success(),
    };
    if !fine {
        return Err(failed(&ended.why()));
    }
    match read(&ended.run.output) {
        Ok(Some(answer)) => Ok((answer, ended.run)),
        Ok(None) => Err(Outcome::Late(limit.as_secs())),
        Err(problem) => Err(failed(&problem)),
    }
}

fn figures(contestant: &Contestant, runs: &[(String, measure::Run)]) -> Result<Figures, String> {
    let name = contestant.name;
    let spread = |of: fn(&measure::Run) -> f64| Spread::of(runs.iter().map(|r| of(&r.1)));
    let taken = (spread(|r| r.wall.as_secs_f64()), spread(|r| r.cpu.as_secs_f64()), spread(|r| r.memory as f64));
    let (Some((answer, _)), (Some(wall), Some(cpu), Some(memory))) = (runs.first(), taken) else {
        return Err(format!("{name}: no run"));
    };
    if runs.iter().any(|(other, _)| other != answer) {
        return Err(format!("{name} contradicts itself"));
    }
    Ok(Figures { answer: answer.clone(), wall, cpu, memory })
}

/// `posetta verify` on a model, within the limits. Its answer is the number of states, and after it the verdicts.
pub fn ours(lab: &Lab, program: PathBuf, file: &std::path::Path) -> Contestant {
    let (file, limit, memory) =
        (file.display().to_string(), format!("{}s", lab.limit.as_secs()), format!("{MEMORY}GB"));
    let args = ["verify", &file, "--json", "--witness", "never", "--timeout", &limit, "--memory", &memory];
    Contestant {
        name: "posetta",
        role: Role::Ours,
        program,
        args: args.map(str::to_owned).to_vec(),
        read: said,
        limit: lab.limit,
        patience: lab.limit + GRACE,
    }
}

/// What the program prints about a model.
fn said(output: &str) -> Answer {
    let value: Value = serde_json::from_str(output).map_err(|e| format!("prints no JSON: {e}"))?;
    let results = value["results"].as_array().ok_or("prints no results")?;
    let mut words = Vec::new();
    for result in results {
        words.push(result["verdict"].as_str().ok_or("prints no verdict")?);
    }
    match value["model"]["states"].as_str() {
        Some(states) if !words.contains(&"unknown") => Ok(Some([&[states], &words[..]].concat().join(" "))),
        _ if !value["model"]["limit"].is_null() || words.contains(&"unknown") => Ok(None),
        _ => Err("counts no states".to_owned()),
    }
}

/// NuSMV's number of states, with `-r`.
pub fn reachable(output: &str) -> Answer {
    let line = output.lines().find_map(|l| l.strip_prefix("reachable states: "));
    let number = line.and_then(|l| l.split_whitespace().next());
    number.map(|n| Some(n.to_owned())).ok_or_else(|| "counts no states".to_owned())
}

/// Whether a count is the one that is known, as far as it was printed: NuSMV prints six digits, and BuDDy counts in doubles.
pub fn same_count(told: &str, known: u128) -> bool {
    match told.parse::<u128>() {
        Ok(exact) => exact == known,
        Err(_) => told.parse::<f64>().is_ok_and(|n| (n / known as f64 - 1.0).abs() < 1e-5),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outputs_are_read() {
        let text = |results: &str, model: &str| said(&format!("{{\"results\":[{results}],\"model\":{{{model}}}}}"));
        let states = "\"states\":\"26\",\"limit\":null";
        assert_eq!(text("", states), Ok(Some("26".to_owned())));
        assert_eq!(text("{\"verdict\":\"holds\"}", states), Ok(Some("26 holds".to_owned())));
        assert_eq!(text("{\"verdict\":\"unknown\"}", states), Ok(None));
        assert_eq!(text("", "\"states\":null,\"limit\":{\"reached\":\"time\"}"), Ok(None));
        assert!(text("", "\"states\":null,\"limit\":null").is_err() && said("").is_err());
        let nusmv = "system diameter: 7\nreachable states: 26 (2^4.70044) out of 512 (2^9)\n";
        assert_eq!(reachable(nusmv), Ok(Some("26".to_owned())));
        assert!(reachable("*** This is NuSMV 2.6.0\n").is_err());
    }

    #[test]
    fn counts_are_compared_as_far_as_they_are_printed() {
        assert!(same_count("59048", 59048) && !same_count("59049", 59048));
        assert!(same_count("3.48678e+09", 3_486_784_400) && !same_count("3.48778e+09", 3_486_784_400));
        assert!(!same_count("", 0) && !same_count("many", 26));
    }

    #[test]
    fn ratios_are_of_cpu_time() {
        let answered = |cpu: f64| {
            let spread = Spread { least: cpu, median: cpu, most: cpu };
            Outcome::Answered(Figures { answer: "26".to_owned(), wall: spread, cpu: spread, memory: spread })
        };
        let late = Outcome::Late(10);
        assert_eq!(answered(3.0).against(&answered(2.0)), "1.50");
        assert_eq!((late.against(&answered(0.5)).as_str(), late.cells()[0].as_str()), ("> 20", "> 10"));
        assert_eq!(answered(1.0).against(&late), "-");
    }
}
