//! The report of `verify` for people: verdicts, and for a violation the states that lead to it, as changes.

use std::collections::HashSet;

use posetta_base::Verdict;
use posetta_tell::report::{Answer, Block, Report as Told, Subject, Summary, Title};
use posetta_tell::trail::{self, States};
use posetta_tell::{Paint, Word, clean, text};
use posetta_verify::fds::Evidence;

use super::Telling;
use super::board::{Asked, Report};
use crate::amounts::{counted, grouped, readable};
use crate::args::TrailWhen;
use crate::carets;

/// Mistakes and warnings, for standard error.
pub(super) fn notes(report: &Report, paint: Paint) -> String {
    let mut out = String::new();
    // A module that is used twice has its warnings twice.
    let mut told = HashSet::new();
    for remark in report.remarks() {
        let text = carets::warning(&remark.file, None, &remark.diagnostic, paint);
        if told.insert(text.clone()) {
            out.push_str(&text);
        }
    }
    out.extend(report.problems.iter().map(|problem| carets::error(problem, paint)));
    if let Some(over) = report.over
        && (!report.prepared || !report.words().contains(&Word::Unknown))
    {
        out.push_str(&text::stopped(over, paint));
    }
    out
}

/// The verdicts; none if there are mistakes, or a limit, which speak for themselves.
pub(super) fn told(report: &Report, telling: Telling) -> Told<'_> {
    let mut told = Told::default();
    if !report.prepared || !report.problems.is_empty() {
        return told;
    }
    let mut subject = subject(report, telling.stats);
    subject.answers.extend((0..report.asked.len()).map(|place| answer(report, place, telling)));
    deadlock(&mut subject, report, telling);
    if report.asked.is_empty() && !report.asks_deadlock {
        subject.rest.push(Block::Remark(
            match telling.only_given {
                true => "no property: none was given",
                false => "no property: the model states none, and none was given",
            }
            .to_owned(),
        ));
    } else {
        told.summary = Some(Summary { properties: subject.answers.len(), runs: None, errors: 0 });
    }
    told.subjects.push(subject);
    told
}

fn subject<'a>(report: &Report, stats: bool) -> Subject<'a> {
    let inputs = report.columns.iter().filter(|c| c.input).count() as u64;
    let mut facts = vec![counted(report.columns.len() as u64 - inputs, "variable", "variables")];
    if inputs > 0 {
        facts.push(counted(inputs, "input", "inputs"));
    }
    if let Some(findings) = &report.findings {
        facts.push(counted(findings.bits, "bit", "bits"));
        if let Some(states) = findings.states.as_ref().map(ToString::to_string) {
            let noun = if states == "1" { "reachable state" } else { "reachable states" };
            facts.push(format!("{} {noun}", readable(&states)));
        }
        facts.extend(findings.depth.map(|depth| format!("depth {}", grouped(depth))));
    }
    let mut subject = Subject::new(Title::Name(report.file.clone()), facts);
    subject.cost = report.findings.as_ref().filter(|_| stats).map(|findings| {
        let relation = counted(findings.relation_nodes, "diagram node", "diagram nodes");
        format!("{relation} for the steps, at most {} in all", grouped(report.most_nodes().unwrap_or(0)))
    });
    subject
}

fn answer<'a>(report: &Report, place: usize, telling: Telling) -> Answer<'a> {
    let asked = &report.asked[place];
    let (word, over) = report.word(place);
    let sentence = match (word, over) {
        (Word::Unknown, Some(over)) => text::open(over),
        (Word::Holds, _) if report.is_vacuous(place) => match asked.logic {
            "invariant" => "holds vacuously: there is no state",
            _ => "holds vacuously: there is no computation",
        }
        .to_owned(),
        _ => sentence(asked, word).to_owned(),
    };
    let mut answer = Answer::new(asked.name.clone(), word, sentence);
    answer.formula = (asked.name != asked.formula).then(|| [asked.logic.to_owned(), asked.formula.clone()]);
    let Some(outcome) = &report.slots[place] else { return answer };
    if telling.stats {
        let rounds = counted(outcome.answer.rounds, "operation", "operations");
        let nodes = counted(outcome.answer.diagram_nodes, "diagram node", "diagram nodes");
        answer.costs.push(format!("{rounds}, {nodes}, {:.3} s", outcome.seconds));
    }
    if let Verdict::Violated(evidence) = &outcome.answer.verdict
        && telling.witness != TrailWhen::Never
    {
        let trail = evidence.trail();
        let end = match evidence {
            Evidence::Computation(_) if asked.inputs => {
                let inputs = trail.states.last().map_or(Vec::new(), |state| trail::inputs(state, &report.columns));
                format!("the computation ends here, with {}", clean(&inputs.join(", ")))
            }
            Evidence::Computation(_) => "the computation ends here".to_owned(),
            Evidence::Path(_) if asked.logic == "invariant" => "here it is broken".to_owned(),
            Evidence::Path(_) => String::new(),
        };
        let states = States::new(trail, &report.columns, &outcome.turns, &end);
        answer.blocks.push(Block::States { heading: what_is_shown(report, asked, evidence), states });
    }
    answer
}

fn sentence(asked: &Asked, word: Word) -> &'static str {
    match (word, asked.logic) {
        (Word::Unknown, _) => "unknown",
        (Word::Holds, "invariant") => "holds: every reachable state satisfies it",
        (Word::Violated, "invariant") => "violated: some reachable state does not satisfy it",
        (Word::Holds, "ctl") => "holds: every initial state that begins a computation satisfies it",
        (Word::Violated, "ctl") => "violated: some initial state that begins a computation does not satisfy it",
        (Word::Holds, _) => "holds: every computation satisfies it",
        (Word::Violated, _) => "violated: some computation does not satisfy it",
    }
}

fn what_is_shown(report: &Report, asked: &Asked, evidence: &Evidence) -> String {
    let trail = evidence.trail();
    let what = match evidence {
        Evidence::Computation(_) => "A computation that does not satisfy it",
        Evidence::Path(_) if asked.logic == "invariant" && report.is_breadth_first() => {
            "A shortest path to a state that does not satisfy it"
        }
        Evidence::Path(_) if asked.logic == "invariant" => "A path to a state that does not satisfy it",
        Evidence::Path(trail) if trail.states.len() == 1 && trail.cycle.is_none() => {
            return "Such a state".to_owned();
        }
        Evidence::Path(_) => "A path from such a state that shows it",
    };
    match trail.cycle {
        Some(0) => format!("{what}; it goes round forever"),
        Some(to) => format!("{what}; from state {} on it goes round forever", grouped(to as u64)),
        None if matches!(evidence, Evidence::Computation(_)) => format!("{what}; it ends in a final state"),
        None => what.to_owned(),
    }
}

/// States without a next one.
fn deadlock(subject: &mut Subject<'_>, report: &Report, telling: Telling) {
    let path = report.deadlock().filter(|_| telling.witness != TrailWhen::Never).map(|trail| {
        let path = if report.is_breadth_first() { "A shortest path" } else { "A path" };
        let states = States::new(trail, &report.columns, &[], "from here there is no step");
        Block::States { heading: format!("{path} to a state that has no next one and is not final"), states }
    });
    if let Some(word) = report.deadlock_word() {
        let sentence = match (word, report.over) {
            (Word::Holds, _) => "holds: every reachable state has a next one or is final".to_owned(),
            (Word::Violated, _) => "violated: some reachable state has no next one and is not final".to_owned(),
            (Word::Unknown, Some(over)) => text::open(over),
            (Word::Unknown, None) => "unknown".to_owned(),
        };
        let mut answer = Answer::new("no deadlock", word, sentence);
        answer.blocks.extend(path);
        subject.answers.push(answer);
        return;
    }
    match (telling.witness, report.deadlock()) {
        (TrailWhen::Always, _) => subject.rest.extend(path),
        (TrailWhen::Auto, Some(trail)) => {
            let lines = trail.states.last().map_or(Vec::new(), |state| trail::whole(state, &report.columns));
            let away = counted(trail.states.len() as u64 - 1, "step", "steps");
            let text = format!("a deadlock, reached in {away} (--witness always shows the path):");
            subject.rest.push(Block::Notice { text, lines });
        }
        (TrailWhen::Auto, None) | (TrailWhen::Never, _) => {}
    }
}
