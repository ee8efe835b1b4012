//! Row 7: MONA's own examples on strings, and the delivery formula, as M2L beside MONA and as a monitor.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use super::{Mona, cells, compared, decided, delivery, note, ours, written};
use crate::lab::Lab;
use crate::studies::verify::side::{Figures, NOT_TRIED, Outcome, side_by_side};
use crate::study::{Sheet, Study, seconds};
use crate::workload::Judgement;

/// The row.
pub const STUDY: Study = Study {
    id: "m2l-files",
    row: 7,
    title: "MONA's examples on strings, and the delivery formula, as M2L and as a monitor",
    target: "the same answers, in less time than MONA in all; the delivery formula in 10 s and 1 GB",
    run,
};

/// Names the directory of MONA's examples, if they are elsewhere.
const VARIABLE: &str = "POSETTA_BENCH_MONA_EXAMPLES";
const EXAMPLES: &str = "/usr/share/doc/mona/examples/Examples";

/// What is about trees, which are not here.
const TREES: [&str; 4] = ["ws2s", "m2l-tree", "guide", "universe"];

/// What the delivery formula may take.
const SECONDS: f64 = 10.0;
const BYTES: f64 = 1e9;

fn run(lab: &Lab, times: u32) -> Result<Sheet, String> {
    let program = match &lab.program {
        Ok(program) => program,
        Err(reason) => return Ok(Sheet::skipped(&format!("the program is measured: {reason}"))),
    };
    let mona = Mona::find(STUDY.id);
    let headings =
        vec!["formula", "answer", "ours s", "ours CPU s", "ours MB", "MONA s", "MONA CPU s", "MONA MB", "MONA / ours"];
    let mut sheet = Sheet { headings, notes: note(lab, &mona), ..Sheet::default() };
    sheet
        .notes
        .push("answer: with the lengths of a shortest counterexample and example, which are compared, too".to_owned());
    let folder = env::var_os(VARIABLE).map_or_else(|| PathBuf::from(EXAMPLES), PathBuf::from);
    let files = match examples(&folder) {
        Ok(files) => files,
        Err(reason) => {
            eprintln!("SKIPPED: MONA's examples in m2l-files: {reason}");
            sheet.notes.push(format!("MONA's examples are absent: {reason}; {VARIABLE} names their directory"));
            Vec::new()
        }
    };
    let mut total = (0.0, 0.0);
    for file in files {
        let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let [ours, theirs] = both(lab, program, mona.as_ref().ok(), &file, times);
        compared(&name, &ours, &theirs, false, &mut sheet);
        if let (Some(ours), Some(theirs)) = (ours.figures(), theirs.figures()) {
            total = (total.0 + ours.cpu.median, total.1 + theirs.cpu.median);
        }
        push(&mut sheet, &name, &ours, &theirs);
    }
    if total.1 > 0.0 && !lab.quick {
        let text = format!("MONA's examples: {} s CPU in all and MONA {} s", seconds(total.0), seconds(total.1));
        sheet.judgements.push(Judgement { text, met: total.0 <= total.1 });
    }
    let file = written(lab, "delivery.mona", &delivery::m2l())?;
    // Tiny inputs are for seeing that everything works here, and MONA takes all the memory there is.
    let [ours, mut theirs] = both(lab, program, mona.as_ref().ok().filter(|_| !lab.quick), &file, times);
    if mona.is_ok() && lab.quick {
        theirs = Outcome::Left(NOT_TRIED);
    }
    compared("delivery", &ours, &theirs, true, &mut sheet);
    push(&mut sheet, "delivery (M2L)", &ours, &theirs);
    let watched = monitor(lab, program, times);
    if let Outcome::Failed(problem) = &watched {
        sheet.failures.push(format!("delivery as a monitor: {problem}"));
    }
    push(&mut sheet, "delivery (LTL monitor)", &watched, &Outcome::Left(NOT_TRIED));
    for (name, outcome) in [("M2L", &ours), ("a monitor", &watched)] {
        let fits = |f: &Figures| f.wall.median <= SECONDS && f.memory.median <= BYTES;
        let [s, _, mb] = outcome.cells();
        let text = format!("delivery as {name}: {s} s and {mb} MB; wanted: {SECONDS} s and {} MB", BYTES / 1e6);
        sheet.judgements.push(Judgement { text, met: outcome.figures().is_some_and(fits) });
    }
    Ok(sheet)
}

/// The examples that are about strings, by name.
fn examples(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let entries = fs::read_dir(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let mut files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    files.retain(|path| path.extension().is_some_and(|e| e == "mona"));
    files.sort();
    files.retain(|path| {
        let text = fs::read_to_string(path).unwrap_or_default();
        let lines = text.lines().map(|line| line.split('#').next().unwrap_or_default());
        !lines.flat_map(|line| line.split([' ', ';', '\t'])).any(|word| TREES.contains(&word))
    });
    if files.is_empty() { Err(format!("{} has none", folder.display())) } else { Ok(files) }
}

pub(super) fn both(lab: &Lab, program: &Path, mona: Option<&Mona>, file: &Path, times: u32) -> [Outcome; 2] {
    let mut all = vec![ours(lab, program, "posetta", &["m2l", &file.display().to_string(), "--json"], decided)];
    all.extend(mona.map(|mona| mona.on(lab, file)));
    let mut outcomes = side_by_side(lab, &all, times, &mut Vec::new()).into_iter();
    [(); 2].map(|()| outcomes.next().unwrap_or(Outcome::Left("absent")))
}

/// The program that writes the monitor as a table: it is built whole.
fn monitor(lab: &Lab, program: &Path, times: u32) -> Outcome {
    let formula = delivery::ltl();
    let built = |output: &str| match output.lines().count() {
        0 => Err("prints no table".to_owned()),
        _ => Ok(Some("built".to_owned())),
    };
    let all = [ours(lab, program, "posetta", &["explain", "--ltl", &formula, "--emit", "table"], built)];
    let mut outcomes = side_by_side(lab, &all, times, &mut Vec::new()).into_iter();
    outcomes.next().unwrap_or(Outcome::Left("absent"))
}

pub(super) fn push(sheet: &mut Sheet, name: &str, ours: &Outcome, theirs: &Outcome) {
    let answer = ours.figures().or(theirs.figures()).map_or("-", |f| f.answer.as_str());
    let mut row = vec![name.to_owned(), answer.to_owned()];
    row.extend(ours.cells());
    row.extend(cells(theirs));
    row.push(theirs.against(ours));
    sheet.rows.push(row);
}
