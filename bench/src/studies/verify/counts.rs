//! Row 8: PSL that counts, on a model of three booleans that may change as they like, beside NuSMV where that reads it.

use std::time::Duration;

use super::orders::verdicts;
use super::side::{self, Contestant, Outcome, side_by_side};
use super::{notes, patience, written};
use crate::lab::Lab;
use crate::nusmv::Nusmv;
use crate::plot::Group;
use crate::study::{Sheet, Study};
use crate::workload::{Judgement, Role};

/// The row.
pub const STUDY: Study = Study {
    id: "verify-counts",
    row: 8,
    title: "PSL that counts, on three booleans",
    target: "at most a second of CPU, also with ten times the counts",
    run,
};

/// So much may ours take.
const ENOUGH: Duration = Duration::from_secs(1);

/// The counts are `#n`.
const FORMULAS: [&str; 10] = [
    "never {a;b[*#30];!b}",
    "eventually! {a[*#30]}",
    "always ({a[->];b[*#24]} |-> c)",
    "always ({a;b[*];c[*#24]} |=> b)",
    "{a[->#3];b[*#24];c}!",
    "always ({a} |=> {b[->#2];c[*#24]}!)",
    "{{{a[*#2]}[*] && {a[*#3]}[*] && {a[*#5]}[*] && {a[*#7]}[*]};b}!",
    "always (a -> next[#30] (b || !b))",
    "never {{a;b[*#24]} && {a;{b;b}[*]};!a;false}",
    "always ({a} |=> {b[=#12];c || !c}) || eventually! !b",
];

/// The formula with so many times its counts.
fn counted(formula: &str, times: u64) -> String {
    let mut parts = formula.split('#');
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let end = part.find(|c: char| !c.is_ascii_digit()).unwrap_or(part.len());
        let count: u64 = part[..end].parse().unwrap_or(0);
        out += &format!("{}{}", count * times, &part[end..]);
    }
    out
}

fn run(lab: &Lab, times: u32) -> Result<Sheet, String> {
    let program = match &lab.program {
        Ok(program) => program,
        Err(reason) => return Ok(Sheet::skipped(&format!("the program is measured: {reason}"))),
    };
    let headings = vec![
        "formula",
        "verdict",
        "ours s",
        "ours CPU s",
        "ours MB",
        "NuSMV s",
        "NuSMV CPU s",
        "NuSMV MB",
        "NuSMV / ours",
    ];
    let mut sheet = Sheet { headings, notes: notes(lab), ..Sheet::default() };
    let found = Nusmv::find(lab);
    sheet.notes.push(match &found {
        Ok(_) => "NuSMV: -dcx on the same file; `not read` where it refuses the formula".to_owned(),
        Err(reason) => format!("NuSMV is absent: {reason}"),
    });
    let factors: &[u64] = if lab.quick { &[1] } else { &[1, 10] };
    let mut groups = Vec::new();
    for (number, formula) in FORMULAS.iter().enumerate() {
        let mut late = Vec::new();
        for &factor in factors {
            let formula = counted(formula, factor);
            eprintln!("  {formula} …");
            let model = format!("MODULE main\nVAR a : boolean; b : boolean; c : boolean;\nPSLSPEC {formula};\n");
            let file = written(lab, &format!("verify-counts-{number}-{factor}"), &model)?;
            let mut all = vec![side::ours(lab, program.clone(), &file)];
            if let Ok(found) = &found {
                all.push(Contestant {
                    name: "NuSMV",
                    role: Role::Peer,
                    program: found.program().to_owned(),
                    args: vec!["-dcx".to_owned(), file.display().to_string()],
                    read: verdicts,
                    limit: patience(lab),
                    patience: patience(lab),
                });
            }
            let mut outcomes = side_by_side(lab, &all, times, &mut late).into_iter();
            let [ours, nusmv] = [(); 2].map(|()| outcomes.next().unwrap_or(Outcome::Left("absent")));
            let nusmv = match nusmv {
                Outcome::Failed(_) => Outcome::Left("not read"),
                other => other,
            };
            if let Outcome::Failed(problem) = &ours {
                sheet.failures.push(format!("{formula}: {problem}"));
            }
            let verdict = ours.figures().and_then(|f| f.answer.split_once(' ')).map_or("-", |(_, verdict)| verdict);
            if let Some(other) = nusmv.figures()
                && ours.figures().is_some()
                && other.answer.starts_with("1 hold") != (verdict == "holds")
            {
                sheet.failures.push(format!("{formula}: {verdict}, and {} by NuSMV", other.answer));
            }
            let mut cells = vec![format!("`{}`", formula.replace('|', "\\|")), verdict.to_owned()];
            [&ours, &nusmv].into_iter().for_each(|outcome| cells.extend(outcome.cells()));
            cells.push(nusmv.against(&ours));
            sheet.rows.push(cells);
            let bars = [("posetta", Role::Ours, &ours), ("NuSMV", Role::Peer, &nusmv)];
            let bars = bars.into_iter().filter_map(|(who, role, o)| Some((who.to_owned(), role, o.figures()?.cpu)));
            groups.push(Group { heading: formula.clone(), bars: bars.collect() });
            if !lab.quick {
                let cpu = ours.figures().map(|f| f.cpu.median);
                let took = cpu.map_or_else(|| "no answer".to_owned(), |cpu| format!("{cpu:.2} s"));
                let met = cpu.is_some_and(|cpu| cpu <= ENOUGH.as_secs_f64());
                sheet.judgements.push(Judgement { text: format!("{formula}: {took}, at most 1 s wanted"), met });
            }
        }
    }
    sheet.chart = Some(("PSL that counts: CPU seconds of whole processes, less is better", groups));
    Ok(sheet)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_multiplied() {
        assert_eq!(counted("{a[->#3];b[*#24];c}!", 10), "{a[->30];b[*240];c}!");
        assert_eq!(counted("never {a}", 10), "never {a}");
    }
}
