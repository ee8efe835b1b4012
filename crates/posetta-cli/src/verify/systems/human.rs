//! The report about a system for people: verdicts, and for a violation the run that shows it, as steps.

use std::collections::HashSet;

use posetta_model::system::{End, Run, System};
use posetta_tell::report::{Answer, Block, Report as Told, Subject, Summary, Title};
use posetta_tell::steps::{self, Steps};
use posetta_tell::{Paint, Word, text};
use posetta_verify::system::{Engine, Stats};

use super::board::{Asked, Outcome, Report, Sort, places};
use crate::amounts::{counted, readable};
use crate::args::TrailWhen;
use crate::carets;
use crate::verify::Telling;

/// So many places are named that can have the most tokens.
const PLACES: usize = 8;

/// Mistakes and warnings, for standard error.
pub(super) fn notes(report: &Report, paint: Paint) -> String {
    let mut out = String::new();
    // A component that is there twice has its warnings twice.
    let mut told = HashSet::new();
    for remark in report.remarks() {
        let text = carets::warning(&remark.file, None, &remark.diagnostic, paint);
        if told.insert(text.clone()) {
            out.push_str(&text);
        }
    }
    out.extend(report.problems.iter().map(|problem| carets::error(problem, paint)));
    if let Some(over) = report.over
        && !report.words().contains(&Word::Unknown)
    {
        out.push_str(&text::stopped(over, paint));
    }
    out
}

/// The verdicts; none if there are mistakes, or a limit, which speak for themselves.
pub(super) fn told(report: &Report, telling: Telling) -> Told<'_> {
    let mut told = Told::default();
    let Some(system) = report.told() else { return told };
    let mut subject = subject(report, system, telling.stats);
    if report.explores {
        unasked(&mut subject, report, system, telling);
    } else {
        subject.answers.extend((0..report.asked.len()).map(|place| answer(report, system, place, telling)));
        subject.answers.extend(bound(report, system));
        let properties = subject.answers.len();
        told.summary = (properties > 0).then_some(Summary { properties, runs: None, errors: 0 });
    }
    told.subjects.push(subject);
    told
}

fn subject<'a>(report: &Report, system: &System, stats: bool) -> Subject<'a> {
    let mut facts = vec![counted(system.components.len() as u64, "component", "components")];
    if places(system) > 0 {
        facts.push(counted(places(system) as u64, "place", "places"));
    }
    facts.push(counted(system.actions.len() as u64, "action", "actions"));
    if let Some(found) = &report.findings {
        let number =
            |n: String, one: &str, many: &str| format!("{} {}", readable(&n), if n == "1" { one } else { many });
        facts.extend(found.states.as_ref().map(|n| number(n.to_string(), "reachable state", "reachable states")));
        facts.extend(found.arcs.as_ref().map(|n| number(n.to_string(), "step", "steps")));
        if let (Some(most), Some(all), false) = (found.most_tokens, &found.most_tokens_in_all, report.asks_bound) {
            let most = counted(u64::from(most), "token", "tokens");
            facts.push(format!("at most {most} in a place and {} in all", readable(&all.to_string())));
        }
    }
    let mut subject = Subject::new(Title::Name(report.file.clone()), facts);
    let nodes = report.findings.as_ref().and_then(|f| f.diagram_nodes).filter(|_| stats);
    subject.cost =
        nodes.map(|nodes| format!("{} for the reachable states", counted(nodes, "diagram node", "diagram nodes")));
    subject
}

/// Deadlocks, where nobody asked anything.
fn unasked(subject: &mut Subject<'_>, report: &Report, system: &System, telling: Telling) {
    let Some(run) = report.deadlock() else {
        let (word, over) = report.word(0);
        let sentence = match (word, over) {
            (Word::Holds, _) => "holds: every reachable state has a step".to_owned(),
            (_, Some(over)) => text::open(over),
            (_, None) => "unknown".to_owned(),
        };
        subject.answers.push(Answer::new("no deadlock", word, sentence));
        return;
    };
    let away = counted(run.steps.len() as u64, "step", "steps");
    let notice = |rest: &str| Block::Notice { text: format!("a deadlock, reached in {away}{rest}"), lines: Vec::new() };
    match telling.witness {
        TrailWhen::Never => subject.rest.push(notice("")),
        TrailWhen::Auto => {
            subject.rest.push(notice(" (--witness always shows the run):"));
            let last = steps::walk(system, run, |_, _, _, _| {});
            subject.rest.push(Block::Waiting(steps::waiting(system, &last)));
        }
        TrailWhen::Always => {
            subject.rest.push(notice(""));
            let steps = Steps::new(system, run, &[], "");
            subject.rest.push(Block::Steps { heading: "A run to a deadlock".to_owned(), steps });
        }
    }
}

fn answer<'a>(report: &Report, system: &System, place: usize, telling: Telling) -> Answer<'a> {
    let asked = &report.asked[place];
    let (word, over) = report.word(place);
    let outcome = report.slots[place].as_ref();
    let sentence = match (word, over, outcome.and_then(|o| o.answer.most.as_ref())) {
        (_, _, Some(n)) => {
            let digits = n.to_string();
            format!("at most {} {}", readable(&digits), if digits == "1" { "token" } else { "tokens" })
        }
        (Word::Unknown, Some(over), _) => text::open(over),
        (Word::Unknown, None, _) => "unknown".to_owned(),
        _ => sentence(asked, word).to_owned(),
    };
    let mut answer = Answer::new(asked.name.clone(), word, sentence);
    answer.says_more = asked.sort == Sort::Bound;
    let formula = asked.formula.as_ref().filter(|f| **f != asked.name);
    answer.formula = formula.map(|formula| [asked.logic.to_owned(), formula.clone()]);
    answer.costs.extend(outcome.filter(|_| telling.stats).map(stats));
    if let Some(run) = report.run(place).filter(|_| telling.witness != TrailWhen::Never) {
        let heading = what_is_shown(asked, run);
        // What comes after the step at which it fails shows nothing.
        let settled = outcome.and_then(|o| o.answer.settled).filter(|&at| at < run.steps.len());
        let beginning = settled.map(|at| Run { steps: run.steps[..at].to_vec(), end: End::Open });
        let run = beginning.as_ref().unwrap_or(run);
        let end = match (run.end, asked.sort) {
            (End::Open, Sort::Reach) => "here it is reached".to_owned(),
            (End::Open, Sort::Invariant | Sort::Finite) => "here it fails".to_owned(),
            (End::Open, Sort::Branching) => match &asked.inside {
                Some(f) => format!("here `{f}` is {}", word == Word::Holds),
                None => String::new(),
            },
            (End::Open, Sort::Actions | Sort::States) => "here it fails, however it goes on".to_owned(),
            _ => String::new(),
        };
        answer.blocks.push(Block::Steps { heading, steps: Steps::new(system, run, &asked.observed, &end) });
    }
    answer
}

fn sentence(asked: &Asked, word: Word) -> &'static str {
    let holds = word == Word::Holds;
    match (asked.sort, holds) {
        (Sort::Actions | Sort::States, true) => "holds: every run satisfies it",
        (Sort::Actions | Sort::States, false) => "violated: some run does not satisfy it",
        (Sort::Finite, true) => "holds: the observed actions of every finite run satisfy it",
        (Sort::Finite, false) => "violated: the observed actions of some finite run do not satisfy it",
        (Sort::Branching, true) => "holds: the initial state satisfies it",
        (Sort::Branching, false) => "violated: the initial state does not satisfy it",
        (Sort::Reach, true) => "holds: some reachable state satisfies it",
        (Sort::Reach, false) => "violated: no reachable state satisfies it",
        (Sort::Invariant, true) => "holds: every reachable state satisfies it",
        (Sort::Invariant, false) => "violated: some reachable state does not satisfy it",
        (Sort::NoDeadlock, true) => "holds: every reachable state has a step",
        (Sort::NoDeadlock, false) => "violated: in some reachable state no action can take place",
        (Sort::NoLivelock, true) if !asked.observed.contains(&false) => "holds: every action is observed",
        (Sort::NoLivelock, true) => "holds: no run goes on forever without an observed action",
        (Sort::NoLivelock, false) => "violated: some run goes on forever without an observed action",
        (Sort::Bound, _) => "",
    }
}

fn what_is_shown(asked: &Asked, run: &Run) -> String {
    let what = match asked.sort {
        Sort::Actions | Sort::States | Sort::Finite => "A run that does not satisfy it",
        Sort::Branching | Sort::Bound => "A run that shows it",
        Sort::Reach => "A run that gets there",
        Sort::Invariant => "A run to a state that does not satisfy it",
        Sort::NoDeadlock => "A run to a state in which no action can take place",
        Sort::NoLivelock => "Such a run",
    };
    let marks = match (asked.observed.contains(&false), asked.observed.contains(&true)) {
        (true, true) => " (● observed)",
        (true, false) => " (no action is observed)",
        (false, _) => "",
    };
    let none = if run.steps.is_empty() { ", without a step" } else { "" };
    format!("{what}{marks}{none}")
}

/// The answer to `--bound`.
fn bound<'a>(report: &Report, system: &System) -> Option<Answer<'a>> {
    let word = report.bound_word()?;
    let found = report.findings.as_ref();
    let sentence = match (found.and_then(|f| f.most_tokens), report.over) {
        (Some(most), _) => {
            let all = found
                .and_then(|f| f.most_tokens_in_all.as_ref())
                .map_or(String::new(), |all| format!(", {} in all places together", readable(&all.to_string())));
            format!("at most {} in a place{all}", counted(u64::from(most), "token", "tokens"))
        }
        (None, Some(over)) => text::open(over),
        (None, None) => "unknown".to_owned(),
    };
    let mut answer = Answer::new("bound", word, sentence);
    answer.says_more = true;
    let Some(found) = found else { return Some(answer) };
    let names = steps::slot_names(system);
    let full: Vec<&String> = found
        .most_by_place
        .iter()
        .filter(|(_, most)| Some(*most) == found.most_tokens)
        .map(|(slot, _)| &names[*slot as usize])
        .collect();
    let mut shown: Vec<&str> = full.iter().take(PLACES).map(|name| name.as_str()).collect();
    let more = format!("{} more", full.len().saturating_sub(PLACES));
    if full.len() > PLACES {
        shown.push(&more);
    }
    if !shown.is_empty() {
        answer.blocks.push(Block::Aside(format!("so many in {}", shown.join(", "))));
    }
    Some(answer)
}

/// What an answer took.
fn stats(outcome: &Outcome) -> String {
    let Stats { engine, meta_states, arcs, states, diagram_nodes, .. } = &outcome.answer.stats;
    let mut parts = Vec::new();
    if *engine != Engine::Auto {
        parts.push(format!("engine {}", engine.word()));
    }
    parts.extend(meta_states.map(|n| counted(n, "meta-state", "meta-states")));
    parts.extend(arcs.map(|n| counted(n, "arc", "arcs")));
    parts.extend(states.as_ref().map(|n| {
        let digits = n.to_string();
        format!("{} {}", readable(&digits), if digits == "1" { "state" } else { "states" })
    }));
    parts.extend(diagram_nodes.map(|n| counted(n, "diagram node", "diagram nodes")));
    parts.push(format!("{:.3} s", outcome.seconds));
    parts.join(", ")
}
