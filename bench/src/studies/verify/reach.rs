//! Row 8: how many states a model reaches; philosophers who move one at a time, and counters that move together.

use std::path::Path;

use super::side::{self, Contestant, Outcome, reachable, same_count, side_by_side};
use super::{best, buddy, models, notes, nusmv, patience, written};
use crate::lab::Lab;
use crate::nusmv::Nusmv;
use crate::plot::Group;
use crate::stats::Spread;
use crate::study::{Sheet, Study};
use crate::workload::{Judgement, Role};

/// Philosophers.
pub const PHILOSOPHERS: Study = Study {
    id: "verify-philosophers",
    row: 8,
    title: "reachable states of philosophers, one of whom moves at a time",
    target: "faster than NuSMV and BuDDy",
    run: |lab, times| run(lab, times, &DINING),
};

/// Counters.
pub const COUNTERS: Study = Study {
    id: "verify-counters",
    row: 8,
    title: "reachable states of counters modulo 8 with carry, step by step",
    target: "faster than NuSMV and BuDDy",
    run: |lab, times| run(lab, times, &COUNTING),
};

/// A family of models.
struct Family {
    /// Over the column of sizes, and what BuDDy's program calls it.
    name: &'static str,
    sizes: &'static [u64],
    /// With `--quick`.
    small: &'static [u64],
    /// With `--full`, besides.
    large: &'static [u64],
    model: fn(u64) -> String,
    /// The number of states, if it can be written down.
    states: fn(u64) -> Option<u128>,
    /// Whether BuDDy's program can take the relation apart.
    apart: bool,
    title: &'static str,
}

const DINING: Family = Family {
    name: "philosophers",
    sizes: &[10, 20, 50],
    small: &[3, 4],
    large: &[70],
    model: models::philosophers,
    states: models::dining,
    apart: true,
    title: "reachable states of philosophers: CPU seconds of whole processes, less is better",
};

const COUNTING: Family = Family {
    name: "counters",
    sizes: &[3, 4],
    small: &[2],
    large: &[5],
    model: models::counters,
    states: models::counted,
    apart: false,
    title: "reachable states of counters: CPU seconds of whole processes, less is better",
};

fn run(lab: &Lab, times: u32, family: &Family) -> Result<Sheet, String> {
    let program = match &lab.program {
        Ok(program) => program.clone(),
        Err(reason) => return Ok(Sheet::skipped(&format!("the program is measured: {reason}"))),
    };
    let mut headings = vec![family.name, "states", "ours s", "ours CPU s", "ours MB"];
    headings.extend(["NuSMV s", "NuSMV CPU s", "NuSMV MB"]);
    if family.apart {
        headings.extend(["BuDDy apart s", "BuDDy apart CPU s", "BuDDy apart MB"]);
    }
    headings.extend(["BuDDy whole s", "BuDDy whole CPU s", "BuDDy whole MB", "NuSMV / ours", "BuDDy / ours"]);
    let mut sheet = Sheet { headings, notes: notes(lab), ..Sheet::default() };
    let (found, reach) = (Nusmv::find(lab), buddy::build(lab));
    match &found {
        Ok(_) => {
            sheet.notes.push("NuSMV: -r on the same file, in two ways (-mono, -iwls95 1000); the faster one".to_owned())
        }
        Err(reason) => sheet.notes.push(format!("NuSMV is absent: {reason}")),
    }
    match &reach {
        Ok(_) => sheet.notes.push(buddy_note(family).to_owned()),
        Err(reason) => sheet.notes.push(format!("BuDDy is absent: {reason}")),
    }
    let (mut groups, mut late) = (Vec::new(), Vec::new());
    let sizes = if lab.quick { family.small } else { family.sizes };
    for &n in sizes.iter().chain(if lab.full { family.large } else { &[] }) {
        eprintln!("  {n} {} …", family.name);
        let file = written(lab, &format!("verify-{}-{n}", family.name), &(family.model)(n))?;
        let mut all = vec![side::ours(lab, program.clone(), &file)];
        let ways = found.as_ref().map_or_else(|_| Vec::new(), |found| nusmv(lab, found, "-r", &file, reachable));
        let asked = ways.len();
        all.extend(ways);
        if let Ok(reach) = &reach {
            all.extend(family.apart.then(|| plain(lab, family, n, "apart", reach)).into_iter().flatten());
            all.extend(plain(lab, family, n, "whole", reach));
        }
        let row = Row::new(side_by_side(lab, &all, times, &mut late), asked, family, n);
        let failed = |problem: String| format!("{n} {}: {problem}", family.name);
        sheet.failures.extend(row.problems.iter().cloned().map(failed));
        let states = (family.states)(n).map_or_else(|| "-".to_owned(), |s| s.to_string());
        let mut cells = vec![n.to_string(), states];
        for outcome in [Some(&row.ours), Some(&row.nusmv), row.apart.as_ref(), Some(&row.whole)].into_iter().flatten() {
            cells.extend(outcome.cells());
        }
        let theirs = [row.apart.as_ref(), Some(&row.whole)].into_iter().flatten();
        let theirs = theirs.min_by(|a, b| cpu(a).total_cmp(&cpu(b))).unwrap_or(&row.whole);
        cells.extend([row.nusmv.against(&row.ours), theirs.against(&row.ours)]);
        sheet.rows.push(cells);
        groups.push(Group { heading: format!("{n} {}", family.name), bars: row.bars() });
        // Small models measure how long a process takes to start.
        if !lab.quick {
            let name = format!("{n} {}", family.name);
            sheet.judgements.extend(judged(&name, "NuSMV", &row.nusmv, &row.ours));
            sheet.judgements.extend(judged(&name, "BuDDy", theirs, &row.ours));
        }
    }
    sheet.chart = Some((family.title, groups));
    Ok(sheet)
}

fn buddy_note(family: &Family) -> &'static str {
    match family.apart {
        true => {
            "BuDDy: a program of ours over it; apart: one relation for each philosopher, in turn; whole: one, breadth first; the fastest of three sizes of its tables"
        }
        false => {
            "BuDDy: a program of ours over it; one relation, breadth first; the fastest of three sizes of its tables"
        }
    }
}

/// Who did what on one model.
struct Row {
    ours: Outcome,
    nusmv: Outcome,
    apart: Option<Outcome>,
    whole: Outcome,
    /// Wrong counts and failures.
    problems: Vec<String>,
}

/// CPU seconds; none is the longest.
fn cpu(outcome: &Outcome) -> f64 {
    outcome.figures().map_or(f64::INFINITY, |f| f.cpu.median)
}

/// BuDDy's program with every size of its tables.
fn plain(lab: &Lab, family: &Family, n: u64, how: &str, program: &Path) -> Vec<Contestant> {
    let one = |(nodes, cache, apart, whole): (u32, u32, &'static str, &'static str)| Contestant {
        name: if how == "apart" { apart } else { whole },
        role: Role::Baseline,
        program: program.to_owned(),
        args: vec![family.name.to_owned(), n.to_string(), how.to_owned(), nodes.to_string(), cache.to_string()],
        read: |output| buddy::states(output).map(Some),
        limit: patience(lab),
        patience: patience(lab),
    };
    buddy::TABLES.map(one).into_iter().collect()
}

/// What is wrong with an outcome, if anything.
fn wrong(who: &str, outcome: &Outcome, family: &Family, n: u64) -> Option<String> {
    match outcome {
        Outcome::Failed(problem) => Some(problem.clone()),
        Outcome::Answered(f) => {
            let known = (family.states)(n)?;
            (!same_count(&f.answer, known)).then(|| format!("{who} counts {} states, and there are {known}", f.answer))
        }
        Outcome::Late(_) | Outcome::Left(_) => None,
    }
}

impl Row {
    /// From the outcomes in the order in which they were asked for; so many of them are NuSMV's.
    fn new(outcomes: Vec<Outcome>, asked: usize, family: &Family, n: u64) -> Self {
        let problems = outcomes.iter().enumerate().filter_map(|(i, outcome)| {
            let who = if i == 0 {
                "posetta"
            } else if i <= asked {
                "NuSMV"
            } else {
                "BuDDy"
            };
            wrong(who, outcome, family, n)
        });
        let problems = problems.collect();
        let mut outcomes = outcomes.into_iter();
        let ours = outcomes.next().unwrap_or(Outcome::Left("absent"));
        let mut next = |count: usize| best(outcomes.by_ref().take(count).collect());
        let nusmv = next(asked);
        let apart = family.apart.then(|| next(buddy::TABLES.len()));
        Self { ours, nusmv, apart, whole: next(buddy::TABLES.len()), problems }
    }

    fn bars(&self) -> Vec<(String, Role, Spread)> {
        let all = [
            ("posetta", Role::Ours, Some(&self.ours)),
            ("NuSMV", Role::Peer, Some(&self.nusmv)),
            ("BuDDy apart", Role::Baseline, self.apart.as_ref()),
            ("BuDDy whole", Role::Baseline, Some(&self.whole)),
        ];
        let bar = |(name, role, outcome): (&str, Role, Option<&Outcome>)| {
            Some((name.to_owned(), role, outcome?.figures()?.cpu))
        };
        all.into_iter().filter_map(bar).collect()
    }
}

/// Whether ours takes less time; nothing if there is nothing to compare.
fn judged(name: &str, who: &str, theirs: &Outcome, ours: &Outcome) -> Option<Judgement> {
    let met = theirs.ratio(ours)? > 1.0;
    Some(Judgement { text: format!("{name}: {who} takes {} times as long", theirs.against(ours)), met })
}
