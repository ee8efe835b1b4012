//! Table 1 of Genon, Massart, Meuter 2006 (paper 000) beside ours, row by row.
//!
//! The paper's runs are not known; ours are simulated by `posetta gen`, and the worst of five counts. What must hold on every
//! machine: the verdicts, at most as many configurations as in the paper, at most [`FEW`] where there is a fault.

use super::{search, spin};
use crate::lab::Lab;
use crate::search::{Asked, Found, Kind};
use crate::simulate::Model;
use crate::study::{Sheet, Study, seconds};

/// The table.
pub const STUDY: Study = Study {
    id: "table-1",
    row: 1,
    title: "Table 1 of Genon, Massart, Meuter 2006, theirs and ours",
    target: "verdicts; configurations at most the paper's; at most 10 on faulty runs",
    run,
};

/// Configurations that a faulty run may take.
const FEW: u64 = 10;

/// Runs of each row.
const SEEDS: u64 = 5;

/// For our engines as for the paper's: seconds, and a gigabyte.
const LIMITS: (u64, u64) = (20, 1_000_000_000);

/// Runs that are as long as this are kept for one seed only.
const LARGE: u64 = 1_000_000;

/// A row of the paper.
struct Theirs {
    model: &'static str,
    workload: &'static str,
    faulty: bool,
    processes: u64,
    events: u64,
    property: &'static str,
    /// Seconds and configurations.
    explicit: Option<(f64, u64)>,
    symbolic: (f64, u64),
    /// Seconds.
    spin: Option<f64>,
}

#[expect(clippy::too_many_arguments, reason = "the columns of the table")]
const fn theirs(
    model: &'static str,
    workload: &'static str,
    faulty: bool,
    processes: u64,
    events: u64,
    property: &'static str,
    explicit: Option<(f64, u64)>,
    symbolic: (f64, u64),
    spin: Option<f64>,
) -> Theirs {
    Theirs { model, workload, faulty, processes, events, property, explicit, symbolic, spin }
}

#[rustfmt::skip]
const PAPER: [Theirs; 18] = [
    theirs("Peterson", "peterson", false, 2, 10_000, "Mutex", Some((1.39, 21_551)), (0.35, 4_001), Some(0.06)),
    theirs("Peterson", "peterson", false, 2, 100_000, "Mutex", Some((16.88, 215_544)), (3.45, 40_001), Some(0.06)),
    theirs("Peterson", "peterson", false, 2, 1_000_000, "Mutex", None, (34.75, 400_002), Some(0.06)),
    theirs("Peterson Faulty", "peterson", true, 2, 10_000, "Mutex", Some((1.11, 21_384)), (0.01, 4), Some(0.05)),
    theirs("Peterson Faulty", "peterson", true, 2, 100_000, "Mutex", Some((15.95, 214_727)), (0.05, 4), Some(0.05)),
    theirs("Peterson Faulty", "peterson", true, 2, 1_000_000, "Mutex", None, (0.53, 4), Some(0.05)),
    theirs("ABProtocol", "abp", false, 2, 10_000, "Received", Some((2.17, 31_185)), (0.42, 4_654), Some(0.15)),
    theirs("ABProtocol", "abp", false, 2, 100_000, "Received", Some((31.08, 316_414)), (4.25, 46_684), Some(0.15)),
    theirs("ABProtocol", "abp", false, 2, 1_000_000, "Received", None, (43.09, 466_887), Some(0.15)),
    theirs("ABProtocol Faulty", "abp", true, 2, 10_000, "Received", Some((2.06, 31_495)), (0.01, 5), Some(0.13)),
    theirs("ABProtocol Faulty", "abp", true, 2, 100_000, "Received", Some((29.70, 315_808)), (0.06, 5), Some(0.13)),
    theirs("ABProtocol Faulty", "abp", true, 2, 1_000_000, "Received", None, (0.53, 5), Some(0.13)),
    theirs("Philosopher", "philosophers", false, 3, 100, "Fork", Some((1.03, 6_190)), (0.05, 299), Some(0.40)),
    theirs("Philosopher", "philosophers", false, 5, 100, "Fork", Some((87.02, 60_727)), (0.21, 2_875), Some(12.01)),
    theirs("Philosopher", "philosophers", false, 10, 100, "Fork", None, (1.52, 26_791), None),
    theirs("Philosopher Faulty", "philosophers", true, 3, 100, "Fork", Some((0.09, 1_187)), (0.01, 63), Some(0.38)),
    theirs("Philosopher Faulty", "philosophers", true, 5, 100, "Fork", Some((78.72, 55_982)), (0.01, 78), Some(11.01)),
    theirs("Philosopher Faulty", "philosophers", true, 10, 100, "Fork", None, (0.01, 55), None),
];

const HEADINGS: [&str; 23] = [
    "model",
    "n",
    "events",
    "property",
    "paper: expl. s",
    "expl. conf.",
    "symb. s",
    "symb. conf.",
    "spin s",
    "spin here s",
    "ours: verdict",
    "s",
    "conf.",
    "alone",
    "no slice s",
    "no slice conf.",
    "explicit s",
    "explicit conf.",
    "as printed s",
    "as printed conf.",
    "as printed alone",
    "por s",
    "por conf.",
];

fn run(lab: &Lab, _: u32) -> Result<Sheet, String> {
    if let Err(reason) = &lab.program {
        return Ok(Sheet::skipped(&format!("the program simulates the runs: {reason}")));
    }
    let mut sheet = Sheet { headings: HEADINGS.to_vec(), ..Sheet::default() };
    let seeds = if lab.quick { 1 } else { SEEDS };
    let mut spin = spin::Verifiers::new(lab);
    for theirs in PAPER.iter().filter(|row| !lab.quick || row.events <= 10_000 && row.processes <= 5) {
        match ours(lab, theirs, seeds, &mut spin, &mut sheet.failures) {
            Ok(row) => sheet.rows.push(row),
            Err(problem) => sheet.failures.push(format!("{} × {}: {problem}", theirs.model, theirs.events)),
        }
    }
    sheet.notes = vec![
        format!(
            "ours: worst of seeds 1–{seeds}; explicit and por: seed 1. CPU seconds of deciding, without reading. As printed: the \
             paper's algorithm 1, `--engine paper`. Por: cut by cut with partial-order reduction, `--engine por`."
        ),
        format!("-: the paper's 1 GB; ours {} s and {} GB.", LIMITS.0, LIMITS.1 / 1_000_000_000),
        "alone: configurations where a recorded order that fails settles nothing: the same run recorded in an order that \
         satisfies the property. `all fail`: there is no such order. Smallest–largest over the seeds."
            .to_owned(),
        format!("spin here: {}", spin.note()),
    ];
    Ok(sheet)
}

/// A way of deciding.
struct Way {
    engine: Kind,
    slice: bool,
    /// Whether faulty runs are decided from an order that satisfies the property, too.
    alone: bool,
}

/// Every way, in the order of the columns.
const WAYS: [Way; 5] = [
    Way { engine: Kind::Symbolic, slice: true, alone: true },
    Way { engine: Kind::Symbolic, slice: false, alone: false },
    Way { engine: Kind::Explicit, slice: true, alone: false },
    Way { engine: Kind::Paper, slice: true, alone: true },
    Way { engine: Kind::Por, slice: true, alone: false },
];

/// What a way took on a row.
#[derive(Default)]
struct Measured {
    worst: Worst,
    alone: Vec<Result<u64, String>>,
    /// It went past the limits.
    over: bool,
}

/// What one way of deciding took, the worst over some seeds. `None` past the limits.
#[derive(Default)]
struct Worst(Option<(f64, u64)>);

impl Worst {
    fn add(&mut self, found: &Found) {
        let (s, c) = self.0.unwrap_or_default();
        self.0 = Some((s.max(found.seconds), c.max(found.configurations)));
    }

    fn cells(&self) -> [String; 2] {
        self.0.map_or(["-".to_owned(), "-".to_owned()], |(s, c)| [seconds(s), c.to_string()])
    }
}

/// Which of several properties speaks for the row: if there is a fault, the one that is violated with the least, else the
/// one that takes the most. A verdict that is not the expected one is a mistake; `None` past the limits.
fn speaker(found: &[Found], faulty: bool) -> Result<Option<&Found>, String> {
    let unknown = found.iter().any(|f| f.verdict == "unknown");
    let violated = || found.iter().filter(|f| f.verdict == "violated");
    match (faulty, violated().min_by_key(|f| f.configurations)) {
        (true, Some(least)) => Ok(Some(least)),
        (false, Some(wrong)) => Err(format!("{} is violated on a correct run", wrong.name)),
        _ if unknown => Ok(None),
        (true, None) => Err("no property is violated on a faulty run".to_owned()),
        (false, None) => {
            found.iter().max_by_key(|f| f.configurations).map(Some).ok_or_else(|| "no property".to_owned())
        }
    }
}

fn ours(
    lab: &Lab,
    theirs: &Theirs,
    seeds: u64,
    spin: &mut spin::Verifiers,
    failures: &mut Vec<String>,
) -> Result<Vec<String>, String> {
    let Theirs { workload, faulty, processes, events, .. } = *theirs;
    let mut ways = WAYS.map(|_| Measured::default());
    let mut misses = Vec::new();
    for seed in 1..=seeds {
        let model = Model { workload, processes, events: Some(events), seed, faulty };
        let facts = model.run(lab).map_err(|e| e.to_string())?;
        let spec = model.properties(lab).map_err(|e| e.to_string())?;
        for (&Way { engine, slice, alone }, measured) in WAYS.iter().zip(&mut ways) {
            if measured.over || (matches!(engine, Kind::Explicit | Kind::Por) && seed > 1) {
                continue;
            }
            let also_alone = faulty && alone;
            let asked = Asked {
                file: &facts.path,
                spec: &spec,
                branching: false,
                engine,
                slice,
                limits: Some(LIMITS),
                alone: also_alone,
            };
            let (output, _) = search(lab, &asked)?;
            match speaker(&output.found, faulty).map_err(|e| format!("seed {seed}: {e}"))? {
                None => {
                    measured.over = true;
                    measured.worst = Worst(None);
                }
                Some(found) => {
                    measured.worst.add(found);
                    if also_alone {
                        measured.alone.extend(least_alone(&output.found));
                    }
                }
            }
        }
        if events >= LARGE && seed > 1 {
            model.forget(lab);
        }
    }
    let limit = if faulty { FEW } else { theirs.symbolic.1 };
    let [sliced, whole, explicit, printed, por] = ways;
    match sliced.worst.0 {
        None => misses.push("past the limits".to_owned()),
        Some((_, n)) if n > theirs.symbolic.1 => {
            misses.push(format!("{n} configurations, {} wanted", theirs.symbolic.1))
        }
        Some((_, n)) if n > limit => misses.push(format!("{n} configurations, {limit} wanted")),
        Some(_) => {}
    }
    let name = format!("{} {processes} × {events}", theirs.model);
    failures.extend(misses.iter().map(|miss| format!("{name}: {miss}")));
    let verdict = if faulty { "violated" } else { "holds" };
    let paper = |figure: Option<(f64, u64)>| {
        figure.map_or(["-".to_owned(), "-".to_owned()], |(s, c)| [format!("{s:.2}"), c.to_string()])
    };
    let mut cells =
        vec![theirs.model.to_owned(), processes.to_string(), events.to_string(), theirs.property.to_owned()];
    cells.extend(paper(theirs.explicit));
    cells.extend(paper(Some(theirs.symbolic)));
    cells.push(theirs.spin.map_or("-".to_owned(), |s| format!("{s:.2}")));
    cells.push(spin.seconds(lab, (workload, processes, faulty), failures));
    cells.push(if misses.is_empty() { verdict.to_owned() } else { format!("{verdict} MISSED") });
    cells.extend(sliced.worst.cells());
    cells.push(range(&sliced.alone));
    cells.extend(whole.worst.cells());
    cells.extend(explicit.worst.cells());
    cells.extend(printed.worst.cells());
    cells.push(range(&printed.alone));
    cells.extend(por.worst.cells());
    Ok(cells)
}

/// The least that a violated property takes when the recorded order settles nothing; without a number, why.
fn least_alone(found: &[Found]) -> Option<Result<u64, String>> {
    let violated = found.iter().filter(|f| f.verdict == "violated");
    // Numbers come before reasons.
    violated.map(|f| f.alone.clone().unwrap_or(Ok(f.configurations))).min()
}

/// The smallest and the largest; how often there was none, and why.
fn range(alone: &[Result<u64, String>]) -> String {
    let counts = || alone.iter().filter_map(|a| a.as_ref().ok());
    let failed = alone.iter().filter(|a| a.as_ref().is_err_and(|why| why == "every order fails")).count();
    let over = alone.len() - failed - counts().count();
    let mut parts = Vec::new();
    if let (Some(least), Some(most)) = (counts().min(), counts().max()) {
        parts.push(if least == most { least.to_string() } else { format!("{least}–{most}") });
    }
    match failed {
        0 => {}
        n if n == alone.len() => parts.push("all fail".to_owned()),
        n => parts.push(format!("{n}× all fail")),
    }
    if over > 0 {
        parts.push("-".to_owned());
    }
    parts.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(verdict: &str, configurations: u64) -> Found {
        Found { name: "p".to_owned(), verdict: verdict.to_owned(), seconds: 0.0, configurations, alone: None }
    }

    #[test]
    fn one_property_speaks_for_the_row() {
        let says = |found: &[Found], faulty| speaker(found, faulty).map(|f| f.map(|f| f.configurations));
        assert_eq!(says(&[found("holds", 3), found("holds", 7)], false), Ok(Some(7)));
        assert_eq!(says(&[found("holds", 3), found("unknown", 7)], false), Ok(None));
        assert_eq!(says(&[found("holds", 99), found("violated", 7), found("violated", 8)], true), Ok(Some(7)));
        assert_eq!(says(&[found("unknown", 99), found("violated", 7)], true), Ok(Some(7)));
        assert_eq!(says(&[found("unknown", 99), found("holds", 7)], true), Ok(None));
        assert!(says(&[found("holds", 3), found("violated", 7)], false).is_err());
        assert!(says(&[found("holds", 3)], true).is_err());
        assert!(says(&[], false).is_err() && says(&[], true).is_err());
    }

    #[test]
    fn the_cheapest_violated_property_is_searched_alone() {
        let with = |verdict, alone| Found { alone, ..found(verdict, 7) };
        let fails = || Some(Err("every order fails".to_owned()));
        assert_eq!(least_alone(&[with("holds", None)]), None);
        assert_eq!(least_alone(&[with("violated", fails()), with("violated", Some(Ok(9)))]), Some(Ok(9)));
        assert_eq!(least_alone(&[with("violated", None), with("violated", Some(Ok(9)))]), Some(Ok(7)));
        assert_eq!(least_alone(&[with("violated", fails()), with("holds", None)]), fails());
    }

    #[test]
    fn ranges_name_what_is_lacking() {
        let none = || Err("every order fails".to_owned());
        assert_eq!(range(&[]), "");
        assert_eq!(range(&[Ok(3), Ok(3)]), "3");
        assert_eq!(range(&[Ok(9), none(), Ok(3)]), "3–9 1× all fail");
        assert_eq!(range(&[none(), none()]), "all fail");
        assert_eq!(range(&[Err("-".to_owned()), Ok(1)]), "1 -");
    }
}
