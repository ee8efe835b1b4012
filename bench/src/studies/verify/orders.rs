//! Row 8: models with specifications, whose diagrams depend on the order of the variables, beside NuSMV with the order that it begins with and with
//! one that it improves (`-dynamic`).

use super::side::{self, Contestant, Outcome, side_by_side};
use super::{kinds, models, notes, patience, protocols, written};
use crate::lab::Lab;
use crate::nusmv::Nusmv;
use crate::plot::Group;
use crate::study::{Sheet, Study};
use crate::workload::{Judgement, Role};

/// The row.
pub const STUDY: Study = Study {
    id: "verify-orders",
    row: 8,
    title: "models that need an order, with their specifications",
    target: "at most twice the CPU time of NuSMV, with and without -dynamic",
    run,
};

/// The most that ours may take of the better one of NuSMV's.
const TIMES: f64 = 2.0;

/// A model, its sizes, those with `--quick`, and those with `--full` besides.
type Family = (&'static str, fn(u64) -> String, &'static [u64], &'static [u64], &'static [u64]);

const FAMILIES: [Family; 27] = [
    ("sort", models::sort, &[6, 8], &[3], &[12]),
    ("sum", models::sum, &[4, 6, 8], &[3], &[12]),
    ("lift", models::lift, &[4, 5, 6], &[3], &[8]),
    ("ring", models::ring, &[8, 16, 24], &[4], &[32]),
    ("unfair", models::unfair, &[24], &[4], &[32]),
    ("toggles", kinds::toggles, &[40, 100], &[6], &[200]),
    ("equal", kinds::equal, &[24, 60], &[3], &[120]),
    ("either", kinds::either, &[24], &[3], &[60]),
    ("products", kinds::products, &[20, 50], &[3], &[100]),
    ("shifts", kinds::shifts, &[16, 40], &[3], &[80]),
    ("copies", kinds::copies, &[11, 25], &[11], &[40]),
    ("adder", kinds::adder, &[8, 16], &[3], &[32]),
    ("words", kinds::words, &[8, 16], &[2], &[24]),
    ("twins", kinds::twins, &[6, 10], &[2], &[12]),
    ("counting", kinds::counting, &[4, 8], &[2], &[12]),
    ("scattered", kinds::scattered, &[12, 18], &[4], &[24]),
    ("queue", kinds::queue, &[4, 6], &[2], &[8]),
    ("arbiter", kinds::arbiter, &[5, 8], &[3], &[10]),
    ("caches", kinds::caches, &[12, 24], &[3], &[40]),
    ("semaphore", kinds::semaphore, &[8, 16, 30], &[3], &[50]),
    ("bakery", kinds::bakery, &[3, 4], &[2], &[5]),
    ("filter", kinds::filter, &[3, 4], &[2], &[5]),
    ("lights", kinds::lights, &[4, 8], &[2], &[12]),
    ("ticket", protocols::ticket, &[3, 4], &[2], &[5]),
    ("directory", protocols::directory, &[5, 8], &[3], &[10]),
    ("commit", protocols::commit, &[4, 6], &[2], &[7]),
    ("tree", protocols::tree, &[2, 3], &[2], &[4]),
];

const WAYS: [(&str, &[&str]); 2] = [("NuSMV", &["-dcx"]), ("NuSMV -dynamic", &["-dcx", "-dynamic"])];

fn run(lab: &Lab, times: u32) -> Result<Sheet, String> {
    let program = match &lab.program {
        Ok(program) => program,
        Err(reason) => return Ok(Sheet::skipped(&format!("the program is measured: {reason}"))),
    };
    let mut headings = vec!["model", "states", "specifications", "ours s", "ours CPU s", "ours MB"];
    headings.extend(["NuSMV s", "NuSMV CPU s", "NuSMV MB", "-dynamic s", "-dynamic CPU s", "-dynamic MB"]);
    headings.extend(["NuSMV / ours", "-dynamic / ours"]);
    let mut sheet = Sheet { headings, notes: notes(lab), ..Sheet::default() };
    let found = Nusmv::find(lab);
    sheet.notes.push(match &found {
        Ok(_) => "NuSMV: -dcx on the same file, with the order that it begins with, and with -dynamic".to_owned(),
        Err(reason) => format!("NuSMV is absent: {reason}"),
    });
    let mut groups = Vec::new();
    for (family, model, sizes, small, large) in FAMILIES {
        let (chosen, more) = (if lab.quick { small } else { sizes }, if lab.full { large } else { &[] });
        let mut late = Vec::new();
        for &n in chosen.iter().chain(more) {
            let name = format!("{family} {n}");
            eprintln!("  {name} …");
            let file = written(lab, &format!("verify-{family}-{n}"), &model(n))?;
            let mut all = vec![side::ours(lab, program.clone(), &file)];
            if let Ok(found) = &found {
                all.extend(WAYS.map(|(name, flags)| Contestant {
                    name,
                    role: Role::Peer,
                    program: found.program().to_owned(),
                    args: flags.iter().map(|&f| f.to_owned()).chain([file.display().to_string()]).collect(),
                    read: verdicts,
                    limit: patience(lab),
                    patience: patience(lab),
                }));
            }
            let mut outcomes = side_by_side(lab, &all, times, &mut late).into_iter();
            let [ours, plain, dynamic] = [(); 3].map(|()| outcomes.next().unwrap_or(Outcome::Left("absent")));
            let answer = ours.figures().map_or(("-", ""), |f| f.answer.split_once(' ').unwrap_or((&f.answer, "")));
            let told = counted(answer.1.split(' ').filter(|word| !word.is_empty()).map(|word| word == "holds"));
            for outcome in [&ours, &plain, &dynamic] {
                if let Outcome::Failed(problem) = outcome {
                    sheet.failures.push(format!("{name}: {problem}"));
                }
            }
            let others = [&plain, &dynamic].into_iter().filter_map(Outcome::figures);
            for other in others.filter(|f| ours.figures().is_some() && f.answer != told) {
                sheet.failures.push(format!("{name}: {told}, and {} by NuSMV", other.answer));
            }
            let mut cells = vec![name.clone(), answer.0.to_owned(), told];
            [&ours, &plain, &dynamic].into_iter().for_each(|outcome| cells.extend(outcome.cells()));
            cells.extend([plain.against(&ours), dynamic.against(&ours)]);
            sheet.rows.push(cells);
            let [(one, _), (other, _)] = WAYS;
            let bars = [("posetta", Role::Ours, &ours), (one, Role::Peer, &plain), (other, Role::Peer, &dynamic)];
            let bars = bars.into_iter().filter_map(|(who, role, o)| Some((who.to_owned(), role, o.figures()?.cpu)));
            groups.push(Group { heading: name.clone(), bars: bars.collect() });
            // Small models measure how long a process takes to start.
            if !lab.quick {
                sheet.judgements.extend(judged(&name, &ours, &[plain, dynamic]));
            }
        }
    }
    sheet.chart = Some(("models with specifications: CPU seconds of whole processes, less is better", groups));
    Ok(sheet)
}

/// What is said of all specifications. NuSMV does not keep to their order in the file.
fn counted(holds: impl Iterator<Item = bool>) -> String {
    let (mut yes, mut no) = (0, 0);
    holds.for_each(|holds| if holds { yes += 1 } else { no += 1 });
    format!("{yes} hold and {no} do not")
}

/// NuSMV's verdicts.
pub fn verdicts(output: &str) -> Result<Option<String>, String> {
    let told = output.lines().filter(|l| l.starts_with("-- specification") || l.starts_with("-- invariant"));
    let mut all = Vec::new();
    for line in told {
        all.push(match line.trim_end() {
            line if line.ends_with("is true") => true,
            line if line.ends_with("is false") => false,
            other => return Err(format!("no verdict: {other}")),
        });
    }
    if all.is_empty() { Err("says nothing".to_owned()) } else { Ok(Some(counted(all.into_iter()))) }
}

/// Whether the target was met, if a peer was there and answered.
fn judged(name: &str, ours: &Outcome, peers: &[Outcome]) -> Option<Judgement> {
    let least = peers.iter().filter_map(Outcome::figures).map(|f| f.cpu.median).min_by(f64::total_cmp)?;
    let cpu = ours.figures().map(|f| f.cpu.median);
    let took = cpu.map_or_else(|| "no answer".to_owned(), |cpu| format!("{:.2} of NuSMV's time", cpu / least));
    let text = format!("{name}: {took}, at most {TIMES} wanted");
    Some(Judgement { text, met: cpu.is_some_and(|cpu| cpu <= TIMES * least) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verdicts_are_counted() {
        let text =
            "*** NuSMV\n-- specification AG a  is true\n-- invariant b  is false\n-- specification  F c  is true\n";
        assert_eq!(verdicts(text), Ok(Some("2 hold and 1 do not".to_owned())));
        assert!(verdicts("").is_err() && verdicts("-- specification AG a\n").is_err());
    }

    #[test]
    fn who_gives_no_answer_misses_the_target() {
        let late = Outcome::Late(10);
        assert!(judged("ring 8", &late, &[Outcome::Left("absent")]).is_none());
        assert!(judged("ring 8", &late, &[Outcome::Late(10)]).is_none());
    }
}
