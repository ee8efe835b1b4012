//! The third paper's tables I to III: how large the graphs of its case studies are, theirs and ours.

use std::path::Path;
use std::time::Duration;

use super::written;
use crate::lab::Lab;
use crate::measure;
use crate::sizes::{Graph, Sizes};
use crate::study::{Sheet, Study};
use crate::workload::Role;

/// The tables.
pub const STUDY: Study = Study {
    id: "systems-paper",
    row: 8,
    title: "the third paper's case studies: states, observation graphs, diagrams",
    target: "the paper's counts, wherever its model is known or can be found",
    run,
};

const SIZES: [u64; 6] = [2, 3, 4, 5, 6, 8];
/// With `--full`, besides.
const LARGE: [u64; 2] = [10, 12];
/// With `--quick`.
const SMALL: [u64; 2] = [2, 3];

/// More states than this are not listed one by one.
const LISTED: u128 = 100_000;

/// How long a way to count may take, unless the limit is less; with `--full` the limit itself.
const WAIT: Duration = Duration::from_secs(10);

/// What the paper prints; nothing where it does not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Printed {
    states: Option<u128>,
    steps: Option<u128>,
    nodes: Option<u128>,
    arcs: Option<u128>,
    /// Nodes and arcs of the modular state space.
    spaces: Option<(u128, Option<u128>)>,
    flat: Option<u128>,
    modular: Option<u128>,
}

/// A case study.
struct Case {
    name: &'static str,
    text: &'static str,
    /// Whether it has a size.
    sized: bool,
    printed: fn(u64) -> Printed,
    /// What is printed and not true of the model here, as its comment says.
    apart: &'static [&'static str],
}

const CASES: [Case; 5] = [
    Case {
        name: "philosophers",
        text: include_str!("../../../../examples/systems/paper003/philosophers.sys"),
        sized: true,
        printed: philosophers,
        apart: &[],
    },
    Case {
        name: "database",
        text: include_str!("../../../../examples/systems/paper003/database.sys"),
        sized: true,
        printed: database,
        apart: &["steps"],
    },
    Case {
        name: "poisoned-philosophers",
        text: include_str!("../../../../examples/systems/paper003/poisoned-philosophers.sys"),
        sized: true,
        printed: poisoned,
        // The recurrence of table II, from four on: it does not go with those of tables I and III.
        apart: &["MSS nodes"],
    },
    Case {
        name: "railway",
        text: include_str!("../../../../examples/systems/paper003/railway.sys"),
        sized: true,
        printed: railway,
        apart: &["states", "steps", "MSS nodes", "MSS arcs"],
    },
    Case {
        name: "agv",
        text: include_str!("../../../../examples/systems/paper003/agv.sys"),
        sized: false,
        printed: vehicles,
        apart: &["states", "steps", "MSS nodes", "MSS arcs"],
    },
];

/// The first numbers for two and three, then each from the two before it.
fn recurrent(n: u64, two: u128, three: u128, next: fn(u128, u128) -> u128) -> u128 {
    let mut pair = (two, three);
    (2..n).for_each(|_| pair = (pair.1, next(pair.1, pair.0)));
    pair.0
}

fn philosophers(n: u64) -> Printed {
    let states = Some(recurrent(n, 3, 4, |a, b| a + b));
    let steps = Some(2 * u128::from(n) * recurrent(n, 1, 1, |a, b| a + b));
    // The recurrence of three terms, for five and more.
    let mut flat = vec![22, 42, 86];
    while (flat.len() as u64) < n {
        let at = flat.len();
        flat.push(2 * flat[at - 1] - flat[at - 3]);
    }
    let flat = flat.get(n as usize - 2).copied();
    let spaces = states.map(|states| (states + 4 * u128::from(n), steps));
    Printed { states, steps, nodes: states, arcs: steps, spaces, flat, modular: Some(4) }
}

fn database(size: u64) -> Printed {
    let n = u128::from(size);
    let power = |less: u64| 3_u128.pow((size - less) as u32);
    Printed {
        states: Some(n * power(1) + 1),
        steps: Some(2 * (n - 1) * power(2) + 2 * n),
        nodes: Some(n + 1),
        arcs: Some(2 * n),
        spaces: Some((6 * n + 3, Some(4 * n))),
        flat: Some((5 * n * n + 25 * n) / 2 - 4),
        modular: Some(14),
    }
}

fn poisoned(n: u64) -> Printed {
    let mut spaces = (33, 99);
    (2..n).zip(4..).for_each(|(_, size)| spaces = (spaces.1, 4 * spaces.1 + spaces.0 + 8 * size + 4));
    let known = |two, three| match n {
        2 => Some(two),
        3 => Some(three),
        _ => None,
    };
    Printed {
        states: Some(recurrent(n, 21, 99, |a, b| 4 * a + 3 * b + 6)),
        steps: known(38, 264),
        nodes: Some(recurrent(n, 17, 75, |a, b| 4 * a + b + 4)),
        arcs: known(24, 162),
        spaces: Some((spaces.0, known(30, 171))),
        flat: Some(recurrent(n, 138, 686, |a, b| 4 * a + b + 126)),
        modular: Some(24),
    }
}

fn railway(n: u64) -> Printed {
    let n = u128::from(n);
    Printed {
        states: Some(4 * (n * n + n + 1)),
        steps: Some(4 * n * n * n + 22 * n * n + 16 * n + 11),
        nodes: Some(n * (n + 1) / 2 + 2 * n + 3),
        arcs: Some(n * n + 4 * n + 1),
        spaces: Some((n * (n + 1) / 2 + 5 * n + 10, Some(n * n + 8 * n + 10))),
        flat: Some(n * n * (n + 9) / 2 + 16 * n + 17),
        modular: Some(8),
    }
}

fn vehicles(_: u64) -> Printed {
    Printed {
        states: Some(30_965_760),
        steps: Some(345_784_320),
        nodes: Some(12),
        arcs: Some(18),
        spaces: Some((900, Some(2687))),
        flat: Some(344),
        modular: Some(78),
    }
}

impl Case {
    /// The model of a size.
    fn sized(&self, n: u64) -> String {
        let line = |line: &str| match line.starts_with("const N = ") {
            true => format!("const N = {n}\n"),
            false => format!("{line}\n"),
        };
        self.text.lines().map(line).collect()
    }
}

fn run(lab: &Lab, _: u32) -> Result<Sheet, String> {
    let wait = if lab.full { lab.limit } else { lab.limit.min(WAIT) };
    let mut sheet = Sheet {
        headings: vec![
            "model",
            "n",
            "states",
            "paper states",
            "steps",
            "paper steps",
            "listed",
            "nodes",
            "paper nodes",
            "arcs",
            "paper arcs",
            "MSS nodes",
            "paper MSS",
            "MSS arcs",
            "paper MSS arcs",
            "flat diagrams",
            "paper flat",
            "modular diagrams",
            "paper modular",
            "differs",
        ],
        notes: vec![
            "states and steps: table I; nodes and arcs of the observation graph with the synchronisations observed: table III".to_owned(),
            "MSS: table II, modular state spaces: that graph, and beside it the states and the own steps of each module".to_owned(),
            "listed: the states one by one, which are as many; -: too many to try".to_owned(),
            "diagrams: nodes, of other diagrams than the paper's, flat and the most that a module takes".to_owned(),
            "differs: which counts are not the paper's; its models are not printed, and what ours are their comments say".to_owned(),
            format!("> {} s: not known after that long", wait.as_secs()),
        ],
        ..Sheet::default()
    };
    let sizes = if lab.quick { &SMALL[..] } else { &SIZES[..] };
    for case in &CASES {
        // A way to count that was late is not tried on larger ones.
        let mut late = Vec::new();
        let large = if lab.full { &LARGE[..] } else { &[] };
        for &n in sizes.iter().chain(large).take(if case.sized { usize::MAX } else { 1 }) {
            eprintln!("  {} {n} …", case.name);
            let file = written(lab, &format!("paper-{}-{n}", case.name), &case.sized(n))?;
            row(lab, case, n, &file, wait, &mut late, &mut sheet);
        }
    }
    Ok(sheet)
}

/// What came out of one way to count.
enum Counted {
    Known(Sizes),
    Late(u64),
    Left,
    Failed(String),
}

impl Counted {
    fn cell(&self, of: impl Fn(&Sizes) -> Option<String>) -> String {
        match self {
            Self::Known(sizes) => of(sizes).unwrap_or_else(|| "-".to_owned()),
            Self::Late(seconds) => format!("> {seconds} s"),
            Self::Left => "-".to_owned(),
            Self::Failed(_) => "failed".to_owned(),
        }
    }

    fn sizes(&self) -> Option<(&str, &str)> {
        match self {
            Self::Known(sizes) => Some((&sizes.nodes, &sizes.arcs)),
            Self::Late(_) | Self::Left | Self::Failed(_) => None,
        }
    }
}

fn count(lab: &Lab, file: &Path, graph: Graph, wait: Duration, late: &mut Vec<Graph>) -> Counted {
    if late.contains(&graph) {
        return Counted::Left;
    }
    let ended = match measure::watch(&lab.own, &graph.arguments(file), Role::Ours, wait, lab) {
        Ok(ended) => ended,
        Err(problem) => return Counted::Failed(problem),
    };
    match ended.status {
        None => {
            late.push(graph);
            Counted::Late(wait.as_secs())
        }
        Some(status) if !status.success() => Counted::Failed(ended.why()),
        Some(_) => Sizes::parse(&ended.run.output).map_or_else(Counted::Failed, Counted::Known),
    }
}

fn row(lab: &Lab, case: &Case, n: u64, file: &Path, wait: Duration, late: &mut Vec<Graph>, sheet: &mut Sheet) {
    let printed = (case.printed)(n);
    let name = if case.sized { format!("{} {n}", case.name) } else { case.name.to_owned() };
    let states = count(lab, file, Graph::States, wait, late);
    let few = states.sizes().and_then(|s| s.0.parse::<u128>().ok()).is_some_and(|states| states <= LISTED);
    let listed = if few { count(lab, file, Graph::Listed, wait, late) } else { Counted::Left };
    let (flat, modular) = (count(lab, file, Graph::Flat, wait, late), count(lab, file, Graph::Modular, wait, late));
    let modules = count(lab, file, Graph::Modules, wait, late);
    let all = [
        ("counting states", &states),
        ("listing states", &listed),
        ("flat", &flat),
        ("modular", &modular),
        ("modules", &modules),
    ];
    for (way, counted) in all {
        if let Counted::Failed(problem) = counted {
            sheet.failures.push(format!("{name}: {way}: {problem}"));
        }
    }
    for (one, other) in [(&states, &listed), (&flat, &modular)] {
        if let (Some(one), Some(other)) = (one.sizes(), other.sizes())
            && one != other
        {
            sheet
                .failures
                .push(format!("{name}: {} and {} one way, {} and {} the other", one.0, one.1, other.0, other.1));
        }
    }
    let graph = if modular.sizes().is_some() { &modular } else { &flat };
    let ours = [
        ("states", states.sizes().map(|s| s.0), printed.states),
        ("steps", states.sizes().map(|s| s.1), printed.steps),
    ];
    let theirs =
        [("nodes", graph.sizes().map(|s| s.0), printed.nodes), ("arcs", graph.sizes().map(|s| s.1), printed.arcs)];
    let spaces = graph.sizes().zip(modules.sizes()).and_then(|(graph, modules)| {
        let sum = |a: &str, b: &str| Some((a.parse::<u128>().ok()? + b.parse::<u128>().ok()?).to_string());
        Some((sum(graph.0, modules.0)?, sum(graph.1, modules.1)?))
    });
    let beside = [
        ("MSS nodes", spaces.as_ref().map(|s| &*s.0), printed.spaces.map(|s| s.0)),
        ("MSS arcs", spaces.as_ref().map(|s| &*s.1), printed.spaces.and_then(|s| s.1)),
    ];
    let all = ours.into_iter().chain(theirs).chain(beside);
    let differs: Vec<&str> = all.filter(|(_, a, b)| differ(*a, *b)).map(|d| d.0).collect();
    for what in differs.iter().filter(|what| !case.apart.contains(what)) {
        sheet.failures.push(format!("{name}: the {what} are not the paper's"));
    }
    let paper = |number: Option<u128>| number.map_or_else(|| "-".to_owned(), |n| n.to_string());
    let (nodes, arcs) = (|s: &Sizes| Some(s.nodes.clone()), |s: &Sizes| Some(s.arcs.clone()));
    let diagrams = |s: &Sizes| s.diagrams.map(|n| n.to_string());
    sheet.rows.push(vec![
        case.name.to_owned(),
        if case.sized { n.to_string() } else { "-".to_owned() },
        states.cell(nodes),
        paper(printed.states),
        states.cell(arcs),
        paper(printed.steps),
        listed.cell(|_| Some(if listed.sizes() == states.sizes() { "same" } else { "OTHERS" }.to_owned())),
        graph.cell(nodes),
        paper(printed.nodes),
        graph.cell(arcs),
        paper(printed.arcs),
        spaces.as_ref().map_or_else(|| "-".to_owned(), |s| s.0.clone()),
        paper(printed.spaces.map(|s| s.0)),
        spaces.as_ref().map_or_else(|| "-".to_owned(), |s| s.1.clone()),
        paper(printed.spaces.and_then(|s| s.1)),
        flat.cell(diagrams),
        paper(printed.flat),
        modular.cell(diagrams),
        paper(printed.modular),
        if differs.is_empty() { "-".to_owned() } else { differs.join(" and ") },
    ]);
}

/// Whether two numbers are known and not the same.
fn differ(ours: Option<&str>, printed: Option<u128>) -> bool {
    ours.zip(printed).is_some_and(|(ours, printed)| ours != printed.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_formulas_have_the_numbers_that_are_printed() {
        let of = |p: Printed| [p.states, p.steps, p.nodes, p.arcs, p.flat, p.modular].map(|n| n.unwrap_or(0));
        assert_eq!([2, 3, 4, 5, 6].map(|n| of(philosophers(n))[4]), [22, 42, 86, 150, 258]);
        assert_eq!(of(philosophers(6)), [18, 60, 18, 60, 258, 4]);
        assert_eq!(of(database(2)), [7, 6, 3, 4, 31, 14]);
        assert_eq!(of(poisoned(3)), [99, 264, 75, 162, 686, 24]);
        assert_eq!(of(poisoned(4)), [465, 0, 321, 0, 4 * 686 + 138 + 126, 24]);
        assert_eq!(of(railway(1)), [12, 53, 6, 6, 38, 8]);
        assert_eq!([philosophers(2), philosophers(3)].map(|p| p.spaces), [Some((11, Some(4))), Some((16, Some(6)))]);
        assert_eq!([2, 3].map(|n| poisoned(n).spaces), [Some((33, Some(30))), Some((99, Some(171)))]);
        assert_eq!(poisoned(4).spaces, Some((4 * 99 + 33 + 8 * 4 + 4, None)));
    }

    #[test]
    fn every_model_with_a_size_can_have_another() {
        for case in CASES.iter().filter(|case| case.sized) {
            assert!(case.sized(7).contains("\nconst N = 7\n"), "{}", case.name);
        }
        assert!(differ(Some("1"), Some(2)) && !differ(Some("2"), Some(2)) && !differ(None, Some(2)));
    }
}
