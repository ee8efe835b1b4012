//! Row 8: philosophers as components, beside SPIN on its own model of them: do they get stuck, and the fork property.

use std::path::Path;
use std::time::Duration;

use serde_json::Value;

use super::model::{FORK, Table};
use super::written;
use crate::lab::Lab;
use crate::measure;
use crate::plot::Group;
use crate::studies::verify::fork::{Ask, Spin, deep, errors};
use crate::studies::verify::patience;
use crate::studies::verify::side::{Contestant, MEMORY, NOT_TRIED, Outcome, side_by_side};
use crate::study::{Sheet, Study, seconds};
use crate::workload::{Judgement, Role};

/// The row.
pub const STUDY: Study = Study {
    id: "systems-philosophers",
    row: 8,
    title: "philosophers as components: deadlock, and while philosopher 1 eats, 0 does not begin to",
    target: "10 philosophers in less time than SPIN's verifier takes to build; 100 in seconds",
    run,
};

const SIZES: [u64; 5] = [5, 10, 20, 50, 100];
/// With `--full`, besides.
const LARGE: [u64; 3] = [200, 300, 1_000];
/// With `--quick`.
const SMALL: [u64; 1] = [3];

/// With more philosophers SPIN's states do not fit into memory, unless it finds an error first.
const MOST: u64 = 10;

/// SPIN's states are counted without reduction, and compared with ours, up to here.
const COUNTED: u64 = 5;

/// The size whose target is the time for building a verifier, and the one whose target is [`SECONDS`].
const TEN: u64 = 10;
const HUNDRED: u64 = 100;
const SECONDS: f64 = 10.0;

/// Past its own limit a program has this long to say so.
const GRACE: Duration = Duration::from_secs(5);

/// Our engines, the one that the program chooses first.
const ENGINES: [(&str, &str); 3] = [("posetta", "auto"), ("posetta sog", "sog"), ("posetta modular", "modular")];

/// What is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Question {
    Deadlock,
    Fork,
}

impl Question {
    fn word(self) -> &'static str {
        match self {
            Self::Deadlock => "deadlock",
            Self::Fork => "fork",
        }
    }

    /// What is true of the table.
    fn answer(self, alike: bool) -> &'static str {
        if self == Self::Deadlock && alike { "violated" } else { "holds" }
    }
}

fn run(lab: &Lab, times: u32) -> Result<Sheet, String> {
    let program = match &lab.program {
        Ok(program) => program,
        Err(reason) => return Ok(Sheet::skipped(&format!("the program is measured: {reason}"))),
    };
    let mut headings = vec!["philosophers", "table", "states", "asked", "verdict", "engine"];
    headings.extend(["ours s", "ours CPU s", "ours MB", "sog CPU s", "modular CPU s"]);
    headings.extend(["SPIN build s", "SPIN s", "SPIN CPU s", "SPIN MB", "SPIN / ours"]);
    let spin = Spin::find();
    let mut sheet = Sheet { headings, notes: notes(lab, &spin), ..Sheet::default() };
    let (sizes, large) = (if lab.quick { &SMALL[..] } else { &SIZES[..] }, if lab.full { &LARGE[..] } else { &[] });
    let mut groups = Vec::new();
    for alike in [false, true] {
        let mut late = [Vec::new(), Vec::new()];
        for &philosophers in sizes.iter().chain(large) {
            let table = Table { philosophers, alike };
            let name = format!("{philosophers} philosophers{}", if alike { " all alike" } else { "" });
            eprintln!("  {name} …");
            let kind = if alike { "alike" } else { "last" };
            let file = written(lab, &format!("systems-philosophers-{kind}-{philosophers}"), &table.text())?;
            let states = counted(lab, program, &file).unwrap_or_else(|problem| {
                sheet.failures.push(format!("{name}: {problem}"));
                None
            });
            if let (Ok(spin), true) = (&spin, philosophers <= COUNTED) {
                match spin.count(lab, philosophers, alike) {
                    Ok(theirs) if states.as_ref().is_some_and(|ours| *ours != theirs) => {
                        let ours = states.as_deref().unwrap_or_default();
                        sheet.failures.push(format!("{name}: {ours} states and {theirs} by SPIN"));
                    }
                    Ok(_) => {}
                    Err(problem) => sheet.failures.push(format!("{name}: {problem}")),
                }
            }
            for (question, late) in [Question::Deadlock, Question::Fork].into_iter().zip(&mut late) {
                let place = Place { lab, program, spin: spin.as_ref().ok(), table, question, file: &file };
                let group = place.row(times, late, states.as_deref(), &name, &mut sheet);
                groups.push(group);
            }
        }
    }
    sheet.chart = Some(("philosophers as components: CPU seconds of whole processes, less is better", groups));
    Ok(sheet)
}

/// What the columns mean.
fn notes(lab: &Lab, spin: &Result<Spin, String>) -> Vec<String> {
    let mut notes = vec![
        "table: last: one takes his forks in the other order; alike: all take the left one first and can get stuck".to_owned(),
        "states: counted in a run of its own; - if that took too long".to_owned(),
        format!("asked: deadlock: nobody gets stuck; fork: {FORK}"),
        "s: seconds of the clock, whole processes, the middle one of the runs; ratios are of CPU time, or of the clock if one was ended".to_owned(),
        format!("limits: {} s for everybody; {MEMORY} GB for ours", patience(lab).as_secs()),
    ];
    if !lab.peers {
        notes.push(format!("with --peers they have {} s", lab.limit.as_secs()));
    }
    notes.push(match spin {
        Ok(_) => format!(
            "SPIN: the peers' phil.pml, up to {MOST}; for deadlocks with -DSAFETY; building the verifier is not in its time"
        ),
        Err(reason) => format!("SPIN is absent: {reason}"),
    });
    if let Err(reason) = spin {
        eprintln!("SKIPPED: SPIN beside systems-philosophers: {reason}");
    }
    notes
}

/// One question about one table.
struct Place<'a> {
    lab: &'a Lab,
    program: &'a Path,
    spin: Option<&'a Spin>,
    table: Table,
    question: Question,
    file: &'a Path,
}

impl Place<'_> {
    fn row(
        &self,
        times: u32,
        late: &mut Vec<&'static str>,
        states: Option<&str>,
        name: &str,
        sheet: &mut Sheet,
    ) -> Group {
        let Table { philosophers, alike } = self.table;
        let name = format!("{name}: {}", self.question.word());
        let mut all: Vec<Contestant> = ENGINES.iter().map(|(name, engine)| self.ours(name, engine)).collect();
        let ask = if self.question == Question::Fork { Ask::Fork } else { Ask::Deadlock };
        let mut build = None;
        match self.spin.filter(|_| philosophers <= MOST).map(|s| s.build(self.lab, philosophers, ask, alike)) {
            Some(Ok((verifier, seconds))) => {
                build = Some(seconds);
                let mut args = vec![deep(philosophers).to_owned()];
                args.extend((ask == Ask::Fork).then(|| "-a".to_owned()));
                let (limit, patience) = (patience(self.lab), patience(self.lab));
                all.push(Contestant {
                    name: "SPIN",
                    role: Role::Peer,
                    program: verifier,
                    args,
                    read: errors,
                    limit,
                    patience,
                });
            }
            Some(Err(problem)) => sheet.failures.push(format!("{name}: {problem}")),
            None => {}
        }
        let mut outcomes = side_by_side(self.lab, &all, times, late).into_iter();
        // What the program does by itself is asked for every size.
        late.retain(|who| *who != ENGINES[0].0);
        let [ours, sog, modular] = [(); 3].map(|()| outcomes.next().unwrap_or(Outcome::Left("absent")));
        let absent = if self.spin.is_some() && philosophers > MOST { NOT_TRIED } else { "absent" };
        let theirs = outcomes.next().unwrap_or(Outcome::Left(absent));
        let right = self.question.answer(alike);
        for (who, outcome) in [("posetta", &ours), ("sog", &sog), ("modular", &modular), ("SPIN", &theirs)] {
            match outcome {
                Outcome::Failed(problem) => sheet.failures.push(format!("{name}: {problem}")),
                Outcome::Answered(f) if f.answer.split(' ').next() != Some(right) => {
                    sheet.failures.push(format!("{name}: {who} says {}, and it is {right}", f.answer));
                }
                Outcome::Answered(_) | Outcome::Late(_) | Outcome::Left(_) => {}
            }
        }
        let answer = ours.figures().map_or("- -", |f| f.answer.as_str());
        let (verdict, engine) = answer.split_once(' ').unwrap_or((answer, "-"));
        let mut cells = vec![philosophers.to_string(), if alike { "alike" } else { "last" }.to_owned()];
        cells.push(states.unwrap_or("-").to_owned());
        cells.extend([self.question.word(), verdict, engine].map(str::to_owned));
        cells.extend(ours.cells());
        // By the clock if there is no other time: what happened.
        cells.extend(
            [&sog, &modular].map(|o| if o.figures().is_some() { o.cells()[1].clone() } else { o.cells()[0].clone() }),
        );
        cells.push(build.map_or_else(|| "-".to_owned(), seconds));
        cells.extend(theirs.cells());
        cells.push(theirs.against(&ours));
        sheet.rows.push(cells);
        sheet.judgements.extend(judged(&name, philosophers, &ours, build));
        let bars = [("posetta", Role::Ours, &ours), ("SPIN", Role::Peer, &theirs)];
        let bars = bars.into_iter().filter_map(|(who, role, o)| Some((who.to_owned(), role, o.figures()?.cpu)));
        Group { heading: name, bars: bars.collect() }
    }

    fn ours(&self, name: &'static str, engine: &str) -> Contestant {
        let mut args = asked(self.lab, self.file);
        args.extend(["--engine", engine].map(str::to_owned));
        match self.question {
            Question::Deadlock => args.push("--deadlock".to_owned()),
            Question::Fork => args.extend(["--ltl", FORK].map(str::to_owned)),
        }
        let (program, limit) = (self.program.to_owned(), patience(self.lab));
        Contestant { name, role: Role::Ours, program, args, read: said, limit, patience: limit + GRACE }
    }
}

/// The program on a system, within the limits.
fn asked(lab: &Lab, file: &Path) -> Vec<String> {
    let (file, limit) = (file.display().to_string(), format!("{}s", patience(lab).as_secs()));
    let args =
        ["verify", &file, "--json", "--witness", "never", "--timeout", &limit, "--memory", &format!("{MEMORY}GB")];
    args.map(str::to_owned).to_vec()
}

/// Its verdict, and the engine that it is from.
fn said(output: &str) -> Result<Option<String>, String> {
    let value: Value = serde_json::from_str(output).map_err(|e| format!("prints no JSON: {e}"))?;
    let result = &value["results"][0];
    match result["verdict"].as_str() {
        Some("unknown") => Ok(None),
        Some(verdict) => Ok(Some(format!("{verdict} {}", result["stats"]["engine"].as_str().unwrap_or("-")))),
        None => Err("prints no verdict".to_owned()),
    }
}

/// How many states the program counts where nothing else is asked; nothing if it does not get there in time.
fn counted(lab: &Lab, program: &Path, file: &Path) -> Result<Option<String>, String> {
    let ended = measure::watch(program, &asked(lab, file), Role::Ours, patience(lab) + GRACE, lab)?;
    let Some(status) = ended.status else { return Ok(None) };
    if !matches!(status.code(), Some(0 | 1 | 3)) {
        return Err(format!("counting states {}", ended.why()));
    }
    let value: Value = serde_json::from_str(&ended.run.output).map_err(|e| format!("prints no JSON: {e}"))?;
    match value["model"]["states"].as_str() {
        Some(states) => Ok(Some(states.to_owned())),
        None if !value["model"]["limit"].is_null() => Ok(None),
        None => Err("counts no states".to_owned()),
    }
}

/// Whether a target was met, if this size has one.
fn judged(name: &str, n: u64, ours: &Outcome, build: Option<f64>) -> Option<Judgement> {
    let wanted = match n {
        TEN => build?,
        HUNDRED => SECONDS,
        _ => return None,
    };
    let wall = ours.figures().map(|f| f.wall.median);
    let took = wall.map_or_else(|| "no answer".to_owned(), |w| format!("{} s by the clock", seconds(w)));
    let text = match n {
        TEN => format!("{name}: {took}, less than the {} s of building SPIN's verifier wanted", seconds(wanted)),
        _ => format!("{name}: {took}, at most {wanted} s wanted"),
    };
    Some(Judgement { text, met: wall.is_some_and(|w| w < wanted) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_program_prints_is_read() {
        let result = |verdict: &str| {
            said(&format!("{{\"results\":[{{\"verdict\":\"{verdict}\",\"stats\":{{\"engine\":\"sog\"}}}}]}}"))
        };
        assert_eq!(result("holds"), Ok(Some("holds sog".to_owned())));
        assert_eq!(result("unknown"), Ok(None));
        assert!(said("{\"results\":[]}").is_err() && said("").is_err());
    }

    #[test]
    fn two_sizes_have_targets() {
        let late = Outcome::Late(10);
        assert!(judged("a", 20, &late, Some(1.0)).is_none() && judged("a", TEN, &late, None).is_none());
        assert!(judged("a", TEN, &late, Some(1.0)).is_some_and(|j| !j.met));
        assert!(judged("a", HUNDRED, &late, None).is_some_and(|j| !j.met));
    }
}
