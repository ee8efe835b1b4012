//! CTL over the cuts of a run, beside NuSMV: what the studies of it share.
//!
//! [`Setting::measure`] makes one row: the run comes from the peers' scripts, so that everybody reads the same one; each way of
//! ours runs several times, NuSMV and the method of the paper once and only on request. All verdicts must agree. Start at [`table`].

pub mod scaling;
pub mod small;
pub mod table;
pub mod whole;

use std::path::Path;
use std::time::Duration;

use crate::check::{self, Asked, DIAGRAMS, Figures, IST, Outcome, USUAL};
use crate::contender;
use crate::lab::Lab;
use crate::measure;
use crate::nusmv::{Answered, Nusmv};
use crate::peers::NUSMV;
use crate::stats::Spread;
use crate::study::{Sheet, Study, seconds};
use crate::traces::{self, Scripts, Simulated};
use crate::workload::{Judgement, Role};

/// Counting the cuts of a run may take this long.
const COUNTING: Duration = Duration::from_secs(60);

/// The reference of the scripts is asked about runs with at most so many cuts: it is Python.
const FEW: u64 = 50_000;

/// What a study needs besides the lab.
pub struct Setting<'a> {
    lab: &'a Lab,
    scripts: Scripts,
    /// NuSMV, or why it does not run.
    nusmv: Result<Nusmv, String>,
    /// Who did not get to the end, with which formula and on which run: larger ones of the kind are not tried.
    late: Vec<(&'static str, String, Simulated)>,
}

/// A formula other than the one that belongs to the run.
pub struct Formula<'a> {
    /// Part of the names of files.
    pub name: &'a str,
    /// As we read it.
    pub ours: String,
    /// As NuSMV reads it: its last state is followed by itself.
    pub theirs: String,
}

/// What one contender did.
pub enum Tried<T> {
    /// It answered.
    Answered(T),
    /// It was stopped; the cell.
    Stopped(String),
    /// It did not run; the cell.
    Left(&'static str),
}

impl<T> Tried<T> {
    fn answered(&self) -> Option<&T> {
        match self {
            Self::Answered(figures) => Some(figures),
            Self::Stopped(_) | Self::Left(_) => None,
        }
    }

    /// The figures of an answer, or the reason and nothing.
    fn cells<const N: usize>(&self, cells: impl FnOnce(&T) -> [String; N]) -> [String; N] {
        match self {
            Self::Answered(figures) => cells(figures),
            Self::Stopped(reason) => std::array::from_fn(|i| if i == 0 { reason.clone() } else { "-".to_owned() }),
            Self::Left(reason) => std::array::from_fn(|i| if i == 0 { (*reason).to_owned() } else { "-".to_owned() }),
        }
    }
}

/// One row.
pub struct Measured {
    /// How many cuts the run has, if they could be counted.
    pub cuts: Option<String>,
    /// The verdict, if anybody has one.
    pub holds: Option<bool>,
    /// Whether somebody contradicts.
    pub disagree: bool,
    /// NuSMV, the faster of its ways.
    pub nusmv: Tried<Answered>,
    /// The program as it is.
    pub usual: Tried<Figures>,
    /// Diagrams over all events.
    pub diagrams: Tried<Figures>,
    /// The method of the paper.
    pub ist: Tried<Figures>,
    /// Who contradicts whom, and who failed.
    pub failures: Vec<String>,
}

impl<'a> Setting<'a> {
    /// Finds what there is; why not, if no row can be made.
    pub fn new(lab: &'a Lab) -> Result<Self, String> {
        lab.program.as_ref().map_err(|reason| format!("the program is measured: {reason}"))?;
        let scripts = Scripts::find()?;
        let nusmv = match lab.peers {
            true => Nusmv::find(lab),
            false => Err("it runs only with --peers".to_owned()),
        };
        Ok(Self { lab, scripts, nusmv, late: Vec::new() })
    }

    /// What the columns mean, and who is absent.
    pub fn notes(&self) -> Vec<String> {
        let mut notes = vec![
            "s: seconds of the clock, whole processes; the middle one of the runs, least the smallest".to_owned(),
            format!(
                "limits: {} s for everybody, {} GB for ours; past them > {0} or > memory, and larger runs only as it is",
                self.lab.limit.as_secs(),
                check::MEMORY
            ),
        ];
        match &self.nusmv {
            Ok(_) => {
                notes.push("NuSMV: once, in each of two ways; the faster one is shown. It gives no evidence".to_owned())
            }
            Err(reason) => notes.push(format!("NuSMV is absent: {reason}")),
        }
        notes
    }

    /// Makes a row; without a formula the run's own property is decided.
    pub fn measure(&mut self, run: Simulated, formula: Option<&Formula<'_>>, times: u32) -> Result<Measured, String> {
        let lab = self.lab;
        let job = Job { run, formula: formula.map_or("", |f| f.name) };
        eprintln!("  {} {} × {} {} …", run.model, run.processes, run.events, job.formula);
        let json = self.scripts.simulate(run, lab)?;
        let file = self.scripts.lines(&json)?;
        let ours = formula.map_or_else(|| traces::property(&json), |f| Ok(f.ours.clone()))?;
        let cuts = cuts(lab, &file)?;
        let mut failures = Vec::new();
        let mut asked = vec![Asked::ctl(lab, &ours, USUAL)];
        asked.extend((!self.is_late(DIAGRAMS.engine, job)).then(|| Asked::ctl(lab, &ours, DIAGRAMS)));
        let mut outcomes = check::decide(lab, &file, &asked, times).into_iter();
        let usual = self.noted(USUAL.engine, job, outcomes.next(), &mut failures);
        let diagrams = self.noted(DIAGRAMS.engine, job, outcomes.next(), &mut failures);
        let ist = match (lab.peers, self.is_late(IST.engine, job)) {
            (false, _) => Tried::Left("-"),
            (true, true) => Tried::Left(NOT_TRIED),
            (true, false) => {
                let outcome = check::decide(lab, &file, &[Asked::ctl(lab, &ours, IST)], 1).pop();
                self.noted(IST.engine, job, outcome, &mut failures)
            }
        };
        let nusmv = self.ask_nusmv(&json, job, formula).unwrap_or_else(|problem| {
            failures.push(problem);
            Tried::Left("failed")
        });
        let mut told = vec![
            ("posetta", usual.answered().map(|f| f.holds)),
            ("diagrams", diagrams.answered().map(|f| f.holds)),
            ("ist", ist.answered().map(|f| f.holds)),
            ("NuSMV", nusmv.answered().map(|a| a.holds)),
        ];
        let few = cuts.as_ref().and_then(|n| n.parse::<u64>().ok()).filter(|&n| n <= FEW);
        if let (Some(cuts), None) = (few, formula) {
            match self.scripts.reference(&json) {
                Ok((counted, holds)) => {
                    told.push(("the reference", Some(holds)));
                    if counted != cuts {
                        failures.push(format!("{cuts} cuts, and {counted} by the reference"));
                    }
                }
                Err(problem) => failures.push(problem),
            }
        }
        let (holds, against) = agreed(&told);
        let disagree = against.is_some();
        failures.extend(against);
        Ok(Measured { cuts, holds, disagree, nusmv, usual, diagrams, ist, failures })
    }

    fn ask_nusmv(
        &mut self,
        json: &Path,
        job: Job<'_>,
        formula: Option<&Formula<'_>>,
    ) -> Result<Tried<Answered>, String> {
        let Ok(nusmv) = &self.nusmv else { return Ok(Tried::Left("-")) };
        if self.is_late(NUSMV, job) {
            return Ok(Tried::Left(NOT_TRIED));
        }
        let other = formula.map(|f| traces::with_property(json, f.name, &f.theirs)).transpose()?;
        let answered = nusmv.decide(other.as_deref().unwrap_or(json), &self.scripts, self.lab)?;
        Ok(match answered {
            Some(answered) => Tried::Answered(answered),
            None => {
                self.late.push((NUSMV, job.formula.to_owned(), job.run));
                Tried::Stopped(format!("> {}", self.lab.limit.as_secs()))
            }
        })
    }

    fn is_late(&self, who: &str, Job { run, formula }: Job<'_>) -> bool {
        let larger = |r: &Simulated| r.model == run.model && r.processes <= run.processes && r.events <= run.events;
        self.late.iter().any(|(w, f, r)| *w == who && f == formula && larger(r))
    }

    /// What becomes of an outcome; there is none for who was not asked.
    fn noted(
        &mut self,
        who: &'static str,
        job: Job<'_>,
        outcome: Option<Outcome>,
        failures: &mut Vec<String>,
    ) -> Tried<Figures> {
        match outcome {
            None => Tried::Left(NOT_TRIED),
            Some(Outcome::Decided(figures)) => Tried::Answered(figures),
            Some(Outcome::Failed(problem)) => {
                failures.push(problem);
                Tried::Stopped("failed".to_owned())
            }
            Some(Outcome::Over(limit)) => {
                self.late.push((who, job.formula.to_owned(), job.run));
                let time = self.lab.limit.as_secs().to_string();
                Tried::Stopped(format!("> {}", if limit == "time" { &time } else { &limit }))
            }
        }
    }
}

/// What is decided: a run and the name of a formula, which is empty for the run's own property.
#[derive(Clone, Copy)]
struct Job<'a> {
    run: Simulated,
    formula: &'a str,
}

/// For a machine on which a study cannot be made: said where it is heard, too.
fn skipped(study: &Study, reason: &str) -> Sheet {
    eprintln!("SKIPPED: {}: {reason}", study.id);
    Sheet::skipped(reason)
}

/// In the place of a figure.
const NOT_TRIED: &str = "not tried";

/// The verdict of those who have one, and what is wrong if they have different ones.
fn agreed(told: &[(&str, Option<bool>)]) -> (Option<bool>, Option<String>) {
    let said = |holds| told.iter().filter(move |(_, h)| *h == Some(holds)).map(|(who, _)| *who);
    let (yes, no): (Vec<&str>, Vec<&str>) = (said(true).collect(), said(false).collect());
    match (yes.is_empty(), no.is_empty()) {
        (false, false) => (None, Some(format!("holds: {}; violated: {}", yes.join(" "), no.join(" ")))),
        (true, true) => (None, None),
        _ => (Some(no.is_empty()), None),
    }
}

/// Counts the cuts of a run in a process of its own; nothing past the limits.
fn cuts(lab: &Lab, file: &Path) -> Result<Option<String>, String> {
    let args = contender::arguments("cuts", file, None);
    let patience = COUNTING.min(lab.limit);
    let ended = measure::watch(&lab.own, &args, Role::Baseline, patience, lab)?;
    let counted = ended.run.output.trim().strip_prefix("cuts ").map(str::to_owned);
    Ok(counted.filter(|_| ended.status.is_some_and(|s| s.success())))
}

/// How many times as long as ours NuSMV takes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Ratio {
    /// By the clock and in CPU.
    Known(f64, f64),
    /// By the clock, if NuSMV was ended: what it would have taken in CPU is not known.
    AtLeast(f64),
    /// NuSMV answered and we did not.
    Lost,
    /// There is nothing to compare.
    None,
}

/// The smallest time that is told from none.
const TICK: f64 = 1e-4;

impl Ratio {
    /// NuSMV against one of our ways.
    pub fn of(nusmv: &Tried<Answered>, ours: &Tried<Figures>, limit: Duration) -> Self {
        let of = |wall: f64, cpu: f64, f: &Figures| (wall / f.wall.median.max(TICK), cpu / f.cpu.median.max(TICK));
        match (nusmv, ours) {
            (Tried::Answered(a), Tried::Answered(f)) => {
                let (wall, cpu) = of(a.run.wall.as_secs_f64(), a.run.cpu.as_secs_f64(), f);
                Self::Known(wall, cpu)
            }
            (Tried::Stopped(_), Tried::Answered(f)) => Self::AtLeast(limit.as_secs_f64() / f.wall.median.max(TICK)),
            (Tried::Answered(_), Tried::Stopped(_) | Tried::Left(NOT_TRIED)) => Self::Lost,
            _ => Self::None,
        }
    }

    /// By the clock and in CPU.
    pub fn cells(self) -> [String; 2] {
        match self {
            Self::Known(wall, cpu) => [number(wall), number(cpu)],
            Self::AtLeast(wall) => [format!("> {}", number(wall)), "-".to_owned()],
            Self::Lost => ["lost".to_owned(), "lost".to_owned()],
            Self::None => ["-".to_owned(), "-".to_owned()],
        }
    }
}

/// Two digits at least.
fn number(value: f64) -> String {
    if value < 9.95 { format!("{value:.1}") } else { format!("{value:.0}") }
}

/// Whether ours is so many times faster on every row: the worse one of clock and CPU counts. Nothing if NuSMV did not run.
pub fn faster(what: &str, target: f64, rows: &[(String, Ratio)]) -> Option<Judgement> {
    let worse = |a: f64, b: f64| a.min(b);
    let (mut met, mut missed, mut open) = (0, Vec::new(), Vec::new());
    for (name, ratio) in rows {
        match *ratio {
            Ratio::Known(a, b) if worse(a, b) >= target => met += 1,
            Ratio::AtLeast(a) if a >= target => met += 1,
            Ratio::Known(a, b) => missed.push(format!("{name} ({})", number(worse(a, b)))),
            Ratio::AtLeast(a) => open.push(format!("{name} (> {})", number(a))),
            Ratio::Lost => missed.push(format!("{name} (no answer)")),
            Ratio::None => {}
        }
    }
    let all = met + missed.len() + open.len();
    let mut text = format!("{what}: at least {target} times faster than NuSMV on {met} of {all} rows");
    if !missed.is_empty() {
        text += &format!("; not on {}", missed.join(", "));
    }
    if !open.is_empty() {
        text += &format!("; NuSMV was ended too early to tell on {}", open.join(", "));
    }
    (all > 0).then_some(Judgement { text, met: missed.is_empty() })
}

/// Headings for [`comparison`].
pub const COMPARISON: [&str; 15] = [
    "verdict",
    "NuSMV s",
    "NuSMV CPU s",
    "NuSMV as",
    "ours s",
    "ours least",
    "ours CPU s",
    "engine",
    "NuSMV / ours",
    "in CPU",
    "diagrams s",
    "diagrams least",
    "diagrams CPU s",
    "NuSMV / diagrams",
    "in CPU too",
];

/// The columns of NuSMV, of the program as it is and of diagrams, and the two ratios.
pub fn comparison(row: &Measured, limit: Duration) -> (Vec<String>, [Ratio; 2]) {
    let verdict = match (row.holds, row.disagree) {
        (_, true) => "DISAGREE",
        (Some(true), _) => "holds",
        (Some(false), _) => "violated",
        (None, _) => "unknown",
    };
    let mut cells = vec![verdict.to_owned()];
    cells.extend(
        row.nusmv.cells(|a| [seconds(a.run.wall.as_secs_f64()), seconds(a.run.cpu.as_secs_f64()), a.way.to_owned()]),
    );
    let ratios = [Ratio::of(&row.nusmv, &row.usual, limit), Ratio::of(&row.nusmv, &row.diagrams, limit)];
    cells.extend(row.usual.cells(|f| {
        let [wall, least, cpu] = times(f);
        [wall, least, cpu, f.engine.clone()]
    }));
    cells.extend(ratios[0].cells());
    cells.extend(row.diagrams.cells(times));
    cells.extend(ratios[1].cells());
    (cells, ratios)
}

/// The middle one and the least by the clock, and CPU.
fn times(figures: &Figures) -> [String; 3] {
    [seconds(figures.wall.median), seconds(figures.wall.least), seconds(figures.cpu.median)]
}

/// Bars of a row: CPU seconds of who answered.
pub fn bars(name: &str, row: &Measured) -> Vec<(String, Role, Spread)> {
    let ours = |f: &Figures| f.cpu;
    let nusmv = row.nusmv.answered().and_then(|a| Spread::of([a.run.cpu.as_secs_f64()]));
    let all = [
        ("NuSMV", Role::Peer, nusmv),
        ("posetta", Role::Ours, row.usual.answered().map(ours)),
        ("diagrams", Role::Baseline, row.diagrams.answered().map(ours)),
    ];
    all.into_iter().filter_map(|(who, role, s)| s.map(|s| (format!("{name} {who}"), role, s))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whoever_contradicts_is_named() {
        assert_eq!(agreed(&[("a", None), ("b", None)]), (None, None));
        assert_eq!(agreed(&[("a", Some(true)), ("b", None), ("c", Some(true))]), (Some(true), None));
        assert_eq!(agreed(&[("a", Some(false)), ("b", None)]), (Some(false), None));
        let both = agreed(&[("a", Some(false)), ("b", Some(true)), ("c", Some(false))]);
        assert_eq!(both, (None, Some("holds: b; violated: a c".to_owned())));
    }

    #[test]
    fn the_worse_ratio_of_every_row_counts() {
        let rows = |all: &[Ratio]| all.iter().enumerate().map(|(i, &r)| (format!("r{i}"), r)).collect::<Vec<_>>();
        assert!(faster("x", 100.0, &rows(&[Ratio::None])).is_none());
        let judged = faster("x", 100.0, &rows(&[Ratio::Known(100.0, 150.0), Ratio::AtLeast(800.0)]));
        assert!(judged.is_some_and(|j| j.met && j.text.ends_with("on 2 of 2 rows")));
        let mixed = [Ratio::Known(300.0, 99.0), Ratio::AtLeast(20.0), Ratio::Lost, Ratio::None];
        let judged = faster("x", 100.0, &rows(&mixed)).expect("rows");
        assert!(!judged.met);
        assert!(
            judged.text.contains("on 0 of 3 rows; not on r0 (99), r2 (no answer); NuSMV was ended"),
            "{}",
            judged.text
        );
        assert!(judged.text.ends_with("r1 (> 20)"), "{}", judged.text);
    }
}
