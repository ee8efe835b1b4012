//! Row 8: the fork property of philosophers, beside SPIN on its own model and NuSMV on ours.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use super::super::spin::done;
use super::side::{self, Contestant, NOT_TRIED, Outcome, side_by_side};
use super::{best, models, notes, nusmv, patience, written};
use crate::lab::Lab;
use crate::measure;
use crate::nusmv::{self as answers, Nusmv};
use crate::peers;
use crate::plot::Group;
use crate::study::{Sheet, Study, seconds};
use crate::traces;
use crate::workload::{Judgement, Role};

/// The row.
pub const STUDY: Study = Study {
    id: "verify-fork",
    row: 8,
    title: "while philosopher 1 eats, 0 does not: the model, not a run of it",
    target: "10 philosophers in less time than SPIN's verifier takes to build; 100 in seconds, with --full",
    run,
};

const SIZES: [u64; 3] = [5, 10, 20];
/// With `--full`, besides.
const LARGE: [u64; 2] = [50, 100];
/// With `--quick`.
const SMALL: [u64; 1] = [3];

/// With more philosophers SPIN's states do not fit into memory.
const MOST: u64 = 10;

/// SPIN's states are counted without reduction, and compared with ours, up to here.
const COUNTED: u64 = 5;

/// How long a verifier may take to count them.
const COUNTING: Duration = Duration::from_secs(60);

/// The size whose target is the time for building a verifier, and the one whose target is [`SECONDS`].
const TEN: u64 = 10;
const HUNDRED: u64 = 100;
const SECONDS: f64 = 10.0;

fn run(lab: &Lab, times: u32) -> Result<Sheet, String> {
    let program = match &lab.program {
        Ok(program) => program,
        Err(reason) => return Ok(Sheet::skipped(&format!("the program is measured: {reason}"))),
    };
    let mut headings = vec!["philosophers", "states", "verdict", "ours s", "ours CPU s", "ours MB"];
    headings.extend(["NuSMV s", "NuSMV CPU s", "NuSMV MB", "SPIN build s", "SPIN s", "SPIN CPU s", "SPIN MB"]);
    headings.extend(["NuSMV / ours", "SPIN / ours"]);
    let mut sheet = Sheet { headings, notes: notes(lab), ..Sheet::default() };
    let (found, spin) = (Nusmv::find(lab), Spin::find());
    sheet.notes.push(match &found {
        Ok(_) => "NuSMV: -dcx on the same file, in two ways (-mono, -iwls95 1000); the faster one".to_owned(),
        Err(reason) => format!("NuSMV is absent: {reason}"),
    });
    sheet.notes.push(match &spin {
        Ok(_) => format!("SPIN: the peers' phil.pml, up to {MOST}; building the verifier is not in its time"),
        Err(reason) => format!("SPIN is absent: {reason}"),
    });
    let (mut groups, mut late) = (Vec::new(), Vec::new());
    let sizes = if lab.quick { &SMALL[..] } else { &SIZES[..] };
    for &n in sizes.iter().chain(if lab.full { &LARGE[..] } else { &[] }) {
        eprintln!("  {n} philosophers …");
        let name = format!("{n} philosophers");
        let mut failures = Vec::new();
        let file = written(lab, &format!("verify-fork-{n}"), &models::fork(n))?;
        let mut all = vec![side::ours(lab, program.clone(), &file)];
        let ways = found.as_ref().map_or_else(|_| Vec::new(), |f| nusmv(lab, f, "-dcx", &file, verdict));
        let asked = ways.len();
        all.extend(ways);
        let built = spin.as_ref().ok().filter(|_| n <= MOST).map(|spin| spin.build(lab, n, Ask::Fork, false));
        let (mut build, mut counted) = (None, None);
        match built {
            Some(Ok((verifier, seconds))) => {
                build = Some(seconds);
                all.push(contestant(lab, n, verifier));
            }
            Some(Err(problem)) => failures.push(problem),
            None => {}
        }
        if let Some(spin) = spin.as_ref().ok().filter(|_| n <= COUNTED) {
            match spin.count(lab, n, false) {
                Ok(states) => counted = Some(states),
                Err(problem) => failures.push(problem),
            }
        }
        let mut outcomes = side_by_side(lab, &all, times, &mut late).into_iter();
        let ours = outcomes.next().unwrap_or(Outcome::Left("absent"));
        let ways: Vec<Outcome> = outcomes.by_ref().take(asked).collect();
        let absent = if spin.is_ok() && n > MOST { NOT_TRIED } else { "absent" };
        let theirs = outcomes.next().unwrap_or(Outcome::Left(absent));
        for outcome in ways.iter().chain([&ours, &theirs]) {
            if let Outcome::Failed(problem) = outcome {
                failures.push(problem.clone());
            }
        }
        let (states, told) = ours.figures().map_or(("-", "-"), |f| f.answer.split_once(' ').unwrap_or(("-", "-")));
        if counted.as_deref().is_some_and(|c| states != "-" && c != states) {
            failures.push(format!("{states} states, and {} by SPIN", counted.unwrap_or_default()));
        }
        // It follows from how forks are taken.
        let others = ways.iter().chain([&theirs]).filter_map(Outcome::figures).map(|f| f.answer.as_str());
        let wrong: Vec<&str> = others.chain([told]).filter(|v| !["holds", "-"].contains(v)).collect();
        if !wrong.is_empty() {
            failures.push(format!("the property holds, and somebody says {}", wrong.join(" and ")));
        }
        let nusmv = best(ways);
        let mut cells = vec![n.to_string(), states.to_owned(), told.to_owned()];
        cells.extend(ours.cells());
        cells.extend(nusmv.cells());
        cells.push(build.map_or_else(|| "-".to_owned(), seconds));
        cells.extend(theirs.cells());
        cells.extend([nusmv.against(&ours), theirs.against(&ours)]);
        sheet.rows.push(cells);
        let bars = [("posetta", Role::Ours, &ours), ("NuSMV", Role::Peer, &nusmv), ("SPIN", Role::Peer, &theirs)];
        let bars = bars.into_iter().filter_map(|(who, role, o)| Some((who.to_owned(), role, o.figures()?.cpu)));
        groups.push(Group { heading: name.clone(), bars: bars.collect() });
        sheet.judgements.extend(judged(n, &ours, build));
        sheet.failures.extend(failures.into_iter().map(|f| format!("{name}: {f}")));
    }
    sheet.chart = Some(("the fork property: CPU seconds of whole processes, less is better", groups));
    Ok(sheet)
}

/// Whether a target was met, if this size has one.
fn judged(n: u64, ours: &Outcome, build: Option<f64>) -> Option<Judgement> {
    let wanted = match n {
        TEN => build?,
        HUNDRED => SECONDS,
        _ => return None,
    };
    let wall = ours.figures().map(|f| f.wall.median);
    let took = wall.map_or_else(|| "no answer".to_owned(), |w| format!("{} s by the clock", seconds(w)));
    let text = match n {
        TEN => {
            format!("{n} philosophers: {took}, less than the {} s of building SPIN's verifier wanted", seconds(wanted))
        }
        _ => format!("{n} philosophers: {took}, at most {wanted} s wanted"),
    };
    Some(Judgement { text, met: wall.is_some_and(|w| w < wanted) })
}

/// NuSMV's verdict.
fn verdict(output: &str) -> Result<Option<String>, String> {
    answers::verdict(output).map(|holds| Some(if holds { "holds" } else { "violated" }.to_owned()))
}

/// SPIN's verdict.
pub fn errors(output: &str) -> Result<Option<String>, String> {
    if output.contains("max search depth too small") {
        return Err("did not search everything: its stack is too small".to_owned());
    }
    let count = output.split("errors: ").nth(1).and_then(|rest| rest.split_whitespace().next());
    match count {
        Some("0") => Ok(Some("holds".to_owned())),
        Some(_) => Ok(Some("violated".to_owned())),
        None => Err("says nothing about errors".to_owned()),
    }
}

/// How many states SPIN's verifier has stored.
pub fn stored(output: &str) -> Option<&str> {
    output.lines().find_map(|line| line.trim().strip_suffix(" states, stored")).map(str::trim)
}

fn contestant(lab: &Lab, n: u64, verifier: PathBuf) -> Contestant {
    let deep = deep(n);
    Contestant {
        name: "SPIN",
        role: Role::Peer,
        program: verifier,
        args: vec!["-a".to_owned(), deep.to_owned()],
        read: errors,
        limit: patience(lab),
        patience: patience(lab),
    }
}

/// Steps that a path may have; the verifier takes 56 bytes for each at its start.
pub fn deep(n: u64) -> &'static str {
    if n < TEN { "-m1000000" } else { "-m20000000" }
}

/// What a verifier is built for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ask {
    /// The fork property.
    Fork,
    /// Whether they get stuck.
    Deadlock,
    /// How many states there are: without reduction.
    States,
}

/// SPIN and its model.
pub struct Spin {
    program: PathBuf,
    model: PathBuf,
}

impl Spin {
    /// Looks for them.
    pub fn find() -> Result<Self, String> {
        let program = peers::look_for("SPIN", None)?;
        let (dir, whose) = traces::directory();
        let model = std::path::absolute(dir.join("spin/phil.pml")).map_err(|e| e.to_string())?;
        match model.is_file() {
            true => Ok(Self { program, model }),
            false => Err(format!("the peers' spin/phil.pml is not there: {whose} {}", dir.display())),
        }
    }

    /// Builds the verifier; it and the seconds that building took. If all philosophers are alike they can get stuck.
    pub fn build(&self, lab: &Lab, n: u64, ask: Ask, alike: bool) -> Result<(PathBuf, f64), String> {
        let (word, flags): (&str, &[&str]) = match ask {
            Ask::Fork => ("fork", &[]),
            Ask::Deadlock => ("deadlock", &["-DSAFETY"]),
            Ask::States => ("states", &["-DSAFETY", "-DNOREDUCE"]),
        };
        let dir = lab.data.join(format!("spin-phil-{word}{}-{n}", if alike { "-alike" } else { "" }));
        fs::create_dir_all(&dir).map_err(|e| format!("{}: {e}", dir.display()))?;
        let start = Instant::now();
        let mut translate = Command::new(&self.program);
        translate.arg(format!("-DN={n}")).args((ask == Ask::Fork).then_some("-DLTL"));
        done(translate.args(alike.then_some("-DDEADLOCK")).arg("-a").arg(&self.model).current_dir(&dir))?;
        let mut compile = Command::new("gcc");
        compile.args(["-O2", "-w"]).args(flags);
        done(compile.args(["-o", "verifier", "pan.c"]).current_dir(&dir))?;
        Ok((dir.join("verifier"), start.elapsed().as_secs_f64()))
    }

    /// Counts the states of its model; `-E` lets it go on where they are stuck.
    pub fn count(&self, lab: &Lab, n: u64, alike: bool) -> Result<String, String> {
        let (verifier, _) = self.build(lab, n, Ask::States, alike)?;
        let ended =
            measure::watch(Path::new(&verifier), &["-m1000000", "-E"].map(str::to_owned), Role::Peer, COUNTING, lab)?;
        match stored(&ended.run.output) {
            Some(states) if ended.status.is_some_and(|s| s.success()) => Ok(states.to_owned()),
            _ => Err(format!("counting SPIN's states {}", ended.why())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_spin_prints_is_read() {
        let text =
            "State-vector 36 byte, depth reached 117, errors: 0\n      349 states, stored\n      584 states, matched\n";
        assert_eq!((errors(text), stored(text)), (Ok(Some("holds".to_owned())), Some("349")));
        assert_eq!(errors("depth reached 9, errors: 1\n"), Ok(Some("violated".to_owned())));
        assert!(errors("").is_err() && errors("error: max search depth too small\nerrors: 0\n").is_err());
        assert_eq!(stored("out of memory"), None);
    }

    #[test]
    fn two_sizes_have_targets() {
        let late = Outcome::Late(600);
        assert!(judged(20, &late, Some(1.0)).is_none() && judged(TEN, &late, None).is_none());
        assert!(judged(TEN, &late, Some(1.0)).is_some_and(|j| !j.met));
        assert!(judged(HUNDRED, &late, None).is_some_and(|j| !j.met));
    }
}
