//! Row 6: Milner's scheduler, through the formula of the fourth paper beside MONA, and by `refine`.

use super::{Mona, cells, compared, decided, note, ours, scheduler, written};
use crate::lab::Lab;
use crate::plot::Group;
use crate::studies::verify::side::{NOT_TRIED, Outcome, side_by_side};
use crate::study::{Sheet, Study};
use crate::workload::{Judgement, Role};

/// The row.
pub const STUDY: Study = Study {
    id: "m2l-milner",
    row: 6,
    title: "Milner's scheduler: the central agent implements the ring, as a formula of M2L and by refinement",
    target: "never slower than MONA for 3 to 6 agents, 10 times faster from 7 on; refine answers 20 agents in a second",
    run,
};

/// Agents; the formula is for those up to [`MOST`].
const SIZES: [usize; 12] = [3, 4, 5, 6, 7, 8, 9, 10, 12, 15, 20, 30];
const SMALL: [usize; 1] = [3];
const MOST: usize = 10;

/// MONA is known to get through up to here.
const KNOWN: usize = 6;
/// From here on ours is to be so many times as fast.
const FAR: usize = 7;
const TIMES: f64 = 10.0;
/// The size whose target is [`SECONDS`] for `refine`.
const TWENTY: usize = 20;
const SECONDS: f64 = 1.0;

/// For any number of agents.
const SYSTEM: &str = include_str!("../../../../examples/refine/milner.sys");

fn run(lab: &Lab, times: u32) -> Result<Sheet, String> {
    let program = match &lab.program {
        Ok(program) => program,
        Err(reason) => return Ok(Sheet::skipped(&format!("the program is measured: {reason}"))),
    };
    let mona = Mona::find(STUDY.id);
    let mut headings = vec!["agents", "formula", "ours s", "ours CPU s", "ours MB"];
    headings.extend([
        "MONA s",
        "MONA CPU s",
        "MONA MB",
        "MONA / ours",
        "refine",
        "refine s",
        "refine CPU s",
        "refine MB",
    ]);
    let mut sheet = Sheet { headings, notes: note(lab, &mona), ..Sheet::default() };
    sheet.notes.push(format!(
        "the formula is for up to {MOST} agents; {} means that MONA ended without an answer",
        super::ABORTED
    ));
    let (mut late, mut groups) = (Vec::new(), Vec::new());
    for &agents in if lab.quick { &SMALL[..] } else { &SIZES[..] } {
        let name = format!("{agents} agents");
        eprintln!("  {name} …");
        let system = written(
            lab,
            &format!("milner-{agents}.sys"),
            &SYSTEM.replace("const N = 3", &format!("const N = {agents}")),
        )?;
        let system = system.display().to_string();
        let mut all =
            vec![ours(lab, program, "refine", &["refine", &system, "--impl", "P", "--spec", "S", "--json"], verdict)];
        if agents <= MOST {
            let file = written(lab, &format!("milner-{agents}.mona"), &scheduler::formula(agents))?;
            all.push(ours(lab, program, "posetta", &["m2l", &file.display().to_string(), "--json"], decided));
            all.extend(mona.as_ref().ok().map(|mona| mona.on(lab, &file)));
        }
        let mut outcomes = side_by_side(lab, &all, times, &mut late).into_iter();
        let refined = outcomes.next().unwrap_or(Outcome::Left("absent"));
        let left = if agents > MOST { NOT_TRIED } else { "absent" };
        let [formula, theirs] = [(); 2].map(|()| outcomes.next().unwrap_or(Outcome::Left(left)));
        compared(&name, &formula, &theirs, agents > KNOWN, &mut sheet);
        if matches!(theirs, Outcome::Failed(_)) {
            // More agents need more memory.
            late.push("MONA");
        }
        for (who, right, outcome) in [("refine", "holds", &refined), ("posetta", "valid", &formula)] {
            match outcome {
                Outcome::Failed(problem) if who == "refine" => sheet.failures.push(format!("{name}: {problem}")),
                Outcome::Answered(f) if f.answer.split(' ').next() != Some(right) => {
                    sheet.failures.push(format!("{name}: {who} says {}, and it is {right}", f.answer));
                }
                _ => {}
            }
        }
        let word = |outcome: &Outcome| {
            let answer = outcome.figures().and_then(|f| f.answer.split(' ').next());
            answer.unwrap_or("-").to_owned()
        };
        let mut row = vec![agents.to_string(), word(&formula)];
        row.extend(formula.cells());
        row.extend(cells(&theirs));
        row.push(theirs.against(&formula));
        row.push(word(&refined));
        row.extend(refined.cells());
        sheet.rows.push(row);
        if !lab.quick {
            sheet.judgements.extend(judged(&name, agents, &formula, &theirs, &refined));
        }
        let bars = [("refine", Role::Ours, &refined), ("m2l", Role::Ours, &formula), ("MONA", Role::Peer, &theirs)];
        let bars = bars.into_iter().filter_map(|(who, role, o)| Some((who.to_owned(), role, o.figures()?.cpu)));
        groups.push(Group { heading: name, bars: bars.collect() });
    }
    sheet.chart = Some(("Milner's scheduler: CPU seconds of whole processes, less is better", groups));
    Ok(sheet)
}

/// The verdict of `posetta refine --json`.
fn verdict(output: &str) -> Result<Option<String>, String> {
    let value: serde_json::Value = serde_json::from_str(output).map_err(|e| format!("prints no JSON: {e}"))?;
    match value["verdict"].as_str() {
        Some("unknown") => Ok(None),
        Some(word) => Ok(Some(word.to_owned())),
        None => Err("prints no verdict".to_owned()),
    }
}

fn judged(name: &str, agents: usize, formula: &Outcome, theirs: &Outcome, refined: &Outcome) -> Vec<Judgement> {
    let mut judgements = Vec::new();
    let wanted = if agents >= FAR { TIMES } else { 1.0 };
    if let Some(ratio) = theirs.ratio(formula) {
        let text = format!("{name}: MONA takes {} times as long; wanted: {wanted}", theirs.against(formula));
        judgements.push(Judgement { text, met: ratio >= wanted });
    }
    if agents <= MOST && formula.figures().is_none() {
        judgements.push(Judgement { text: format!("{name}: no answer through the formula"), met: false });
    }
    if agents == TWENTY {
        let taken = refined.figures().map(|f| f.wall.median);
        let text = format!("{name}: refine takes {} s; wanted: {SECONDS}", refined.cells()[0]);
        judgements.push(Judgement { text, met: taken.is_some_and(|s| s <= SECONDS) });
    }
    judgements
}
