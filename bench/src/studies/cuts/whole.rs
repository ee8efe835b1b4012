//! Row 4: formulas that speak of every process, so that no event can be left out, and of the next step.

use super::{COMPARISON, Formula, Setting, bars, comparison, faster, skipped};
use crate::lab::Lab;
use crate::plot::Group;
use crate::study::{Sheet, Study};
use crate::traces::Simulated;

/// The row.
pub const STUDY: Study = Study {
    id: "cuts-whole",
    row: 4,
    title: "CTL that slicing cannot help: all philosophers, and the next step",
    target: "answered; 10 times faster than NuSMV where it answers",
    run,
};

/// How many times faster than NuSMV.
const TARGET: f64 = 10.0;

/// Philosophers and events.
const RUNS: [(u64, u64); 2] = [(10, 2_000), (20, 1_000)];

/// With `--quick`.
const SMALL: [(u64, u64); 1] = [(4, 40)];

fn run(lab: &Lab, times: u32) -> Result<Sheet, String> {
    let mut setting = match Setting::new(lab) {
        Ok(setting) => setting,
        Err(reason) => return Ok(skipped(&STUDY, &reason)),
    };
    let mut headings = vec!["formula", "processes", "events", "cuts"];
    headings.extend(COMPARISON);
    let mut sheet = Sheet { headings, ..Sheet::default() };
    let (mut ratios, mut groups) = (Vec::new(), Vec::new());
    let runs = if lab.quick { &SMALL[..] } else { &RUNS[..] };
    for &(processes, events) in runs.iter().filter(|run| run.1 <= lab.at_most()) {
        let mut all = Vec::new();
        for formula in formulas(processes) {
            let name = format!("{} {processes} × {events}", formula.name);
            let row = match setting.measure(Simulated { model: "phil", processes, events }, Some(&formula), times) {
                Ok(row) => row,
                Err(problem) => {
                    sheet.failures.push(format!("{name}: {problem}"));
                    continue;
                }
            };
            sheet.failures.extend(row.failures.iter().map(|f| format!("{name}: {f}")));
            // They follow from how forks are taken, whatever the run.
            if row.holds == Some(false) {
                sheet.failures.push(format!("{name}: violated"));
            }
            let mut cells = vec![formula.name.to_owned(), processes.to_string(), events.to_string()];
            cells.push(row.cuts.clone().unwrap_or_else(|| "-".to_owned()));
            let (compared, [ratio, _]) = comparison(&row, lab.limit);
            cells.extend(compared);
            sheet.rows.push(cells);
            all.extend(bars(formula.name, &row));
            ratios.push((name, ratio));
        }
        groups.push(Group { heading: format!("{processes} philosophers, {events} events"), bars: all });
    }
    sheet.notes = setting.notes();
    sheet.notes.extend([
        "neighbours: AG m, m: no two neighbours eat".to_owned(),
        "nested: AG (AF n -> E[m U n]), n: nobody eats".to_owned(),
        "next: AG (n -> AX o) & EF (n & EX s), o: at most one eats, s: someone eats".to_owned(),
    ]);
    if !lab.quick {
        sheet.judgements.extend(faster("as it is", TARGET, &ratios));
    }
    sheet.chart = Some(("CTL over all processes: CPU seconds of whole processes, less is better", groups));
    Ok(sheet)
}

/// The formulas for so many philosophers, of whom each has two neighbours. All of them hold: who eats has both forks.
fn formulas(n: u64) -> [Formula<'static>; 3] {
    let eats = |i: u64| format!("state{i} = 2");
    let all = |parts: Vec<String>, with: &str| format!("({})", parts.join(with));
    let pair = |i: u64, j: u64| format!("!({} & {})", eats(i), eats(j));
    let someone = all((0..n).map(eats).collect(), " | ");
    let nobody = all((0..n).map(|i| format!("state{i} != 2")).collect(), " & ");
    let neighbours = all((0..n).map(|i| pair(i, (i + 1) % n)).collect(), " & ");
    let one = all((0..n).flat_map(|i| (i + 1..n).map(move |j| (i, j))).map(|(i, j)| pair(i, j)).collect(), " & ");
    let both = |name, text: String| Formula { name, theirs: text.clone(), ours: text };
    let next = |ax: &str, ex: &str| format!("AG ({nobody} -> {ax}) & EF ({nobody} & {ex})");
    [
        both("neighbours", format!("AG {neighbours}")),
        both("nested", format!("AG (AF {nobody} -> E[{neighbours} U {nobody}])")),
        // After the last cut nothing comes; in the model for NuSMV it comes again and again.
        Formula {
            name: "next",
            ours: next(&format!("AX {one}"), &format!("EX {someone}")),
            theirs: next(&format!("(done | AX {one})"), &format!("(!done & EX {someone})")),
        },
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_philosopher_is_in_every_formula() {
        for formula in formulas(3) {
            for text in [&formula.ours, &formula.theirs] {
                assert!((0..3).all(|i| text.contains(&format!("state{i} "))), "{text}");
                assert_eq!(text.matches('(').count(), text.matches(')').count(), "{text}");
            }
        }
        let [neighbours, nested, next] = formulas(3);
        let m = "(!(state0 = 2 & state1 = 2) & !(state1 = 2 & state2 = 2) & !(state2 = 2 & state0 = 2))";
        assert_eq!(neighbours.ours, format!("AG {m}"));
        assert!(nested.theirs.contains(&format!("E[{m} U (state0 != 2 & ")));
        assert!(next.theirs.contains("(done | AX (!(state0 = 2 & state1 = 2) &") && !next.ours.contains("done"));
    }
}
