//! What was found out about abstractions, for people: the verdict, and where it fails the behaviours side by side.

use std::fmt::Write;

use posetta_base::Verdict;
use posetta_tell::Word;
use posetta_tell::page::padded;
use posetta_verify::abstraction::{Abstraction, Composition, Disagreement, Event, Failing, Premise, Rule, Stats, Why};
use posetta_verify::refine::Lacking;
use unicode_width::UnicodeWidthStr;

use super::{Findings, Outcome, Two};
use crate::amounts::counted;
use crate::paint::{Paint, clean, short};

/// The widest name of a system or an event.
const NAME: usize = 40;
/// So many events of a behaviour are shown; of a longer one the end.
const SHOWN: usize = 60;
/// So many events are named that would have been possible.
const ALLOWED: usize = 12;

/// The report.
pub(super) fn report(findings: &Findings, stats: bool, paint: Paint) -> String {
    let mut out = String::new();
    let relation = match findings.abstraction {
        Abstraction::Canonical => "canonical",
        Abstraction::Identity => "identity",
    };
    match &findings.outcome {
        Outcome::One(answer) => {
            let two = &findings.pairs[0];
            let [ours, theirs] = names(two).map(|name| paint.bold(&name));
            let _ = writeln!(
                out,
                "Is there an abstraction from {ours} to {theirs}?  {}\n",
                paint.dim(&format!("({relation})"))
            );
            premise(&mut out, two, &answer.verdict, true, paint);
            if stats {
                let _ =
                    writeln!(out, "    {}", paint.dim(&format!("{}, {:.3} s", cost(&answer.stats), findings.seconds)));
            }
        }
        Outcome::Parts(composition) => parts(&mut out, findings, composition, relation, stats, paint),
    }
    out
}

fn names(two: &Two) -> [String; 2] {
    [&two.implementation, &two.specification].map(|system| short(&system.name, NAME))
}

fn parts(out: &mut String, findings: &Findings, composition: &Composition, relation: &str, stats: bool, paint: Paint) {
    let all = |side: usize| {
        findings.pairs.iter().map(|two| names(two)[side].clone()).collect::<Vec<_>>().join(if paint.ascii {
            " || "
        } else {
            " ‖ "
        })
    };
    let [ours, theirs] = findings.whole.clone().unwrap_or_else(|| [all(0), all(1)]);
    let _ = writeln!(
        out,
        "Does {} implement {}, part by part?  {}\n",
        paint.bold(&ours),
        paint.bold(&theirs),
        paint.dim(&match composition.rule {
            Rule::Apart =>
                "(the specifications share no internal events, so each part need only implement its own)".to_owned(),
            Rule::Agreement => format!("({relation} abstractions that agree)"),
        })
    );
    for (two, found) in findings.pairs.iter().zip(&composition.premises) {
        match found {
            Premise::Implements(answer) => implements(out, two, &answer.verdict, paint),
            Premise::Abstraction(answer) => {
                premise(out, two, &answer.verdict, false, paint);
                if stats {
                    let _ = writeln!(out, "    {}", paint.dim(&cost(&answer.stats)));
                }
            }
        }
    }
    if let Some((agreement, cost_of)) = &composition.agreement {
        agree(out, findings, agreement, paint);
        if stats {
            let _ = writeln!(out, "    {}", paint.dim(&cost(cost_of)));
        }
    }
    let word = findings.word();
    let sentence = match word {
        Word::Holds => format!("holds: `{ours}` implements `{theirs}`"),
        Word::Violated => format!("violated: `{ours}` does not implement `{theirs}`"),
        Word::Unknown => {
            format!("unknown: this proof fails, which does not say that `{ours}` does not implement `{theirs}`")
        }
    };
    let _ = writeln!(out, "\n  {} {sentence}", word.mark(paint));
    if word == Word::Unknown {
        let help = "relate fewer behaviours with --constraint, divide the systems in another way, or compare them as wholes: `posetta refine`";
        let _ = writeln!(out, "    {}", paint.dim(help));
    }
    if stats {
        let _ = writeln!(out, "    {}", paint.dim(&format!("{:.3} s", findings.seconds)));
    }
}

fn implements(out: &mut String, two: &Two, verdict: &Verdict<Lacking>, paint: Paint) {
    let [ours, theirs] = names(two);
    let _ = match verdict {
        Verdict::Holds => writeln!(out, "  {} `{ours}` implements `{theirs}`", Word::Holds.mark(paint)),
        Verdict::Unknown(_) => {
            writeln!(out, "  {} `{ours}`, `{theirs}`: a limit was reached", Word::Unknown.mark(paint))
        }
        Verdict::Violated(lacking) => {
            let trace: Vec<String> =
                lacking.trace.iter().map(|&a| clean(&two.implementation.action(a).name).into_owned()).collect();
            let mark = Word::Violated.mark(paint);
            writeln!(out, "  {mark} `{theirs}` lacks an observable trace of `{ours}`: {}", trace.join(" "))
        }
    };
}

/// What is known about one abstraction. `alone`: it is all that was asked.
fn premise(out: &mut String, two: &Two, verdict: &Verdict<Box<Failing>>, alone: bool, paint: Paint) {
    let [ours, theirs] = names(two);
    let failing = match verdict {
        Verdict::Holds => {
            let so = if alone { format!(": `{ours}` implements `{theirs}`") } else { String::new() };
            let holds = if alone { "holds: " } else { "" };
            let mark = Word::Holds.mark(paint);
            let _ = writeln!(out, "  {mark} {holds}every behaviour of `{ours}` is related to one of `{theirs}`{so}");
            return;
        }
        Verdict::Unknown(_) => {
            let _ = writeln!(out, "  {} `{ours}`, `{theirs}`: a limit was reached", Word::Unknown.mark(paint));
            return;
        }
        Verdict::Violated(failing) => failing,
    };
    let lacks = matches!(failing.why, Why::Lacking(_));
    let sentence = match (lacks, alone) {
        (true, true) => format!("violated: `{theirs}` lacks an observable trace of `{ours}`"),
        (true, false) => format!("`{theirs}` lacks an observable trace of `{ours}`"),
        (false, true) => {
            format!("unknown: it is not an abstraction, which does not say that `{ours}` does not implement `{theirs}`")
        }
        (false, false) => format!("no abstraction from `{ours}` to `{theirs}`"),
    };
    let word = if lacks { Word::Violated } else { Word::Unknown };
    let _ = writeln!(out, "  {} {sentence}", word.mark(paint));
    reason(out, two, failing, paint);
}

fn reason(out: &mut String, two: &Two, failing: &Failing, paint: Paint) {
    let [ours, theirs] = names(two);
    let heading = format!("A shortest behaviour of `{ours}` that is related to none of `{theirs}` (● observable):");
    let after = |place: usize, events: &[Event]| -> String {
        let seen: Vec<&Event> = events.iter().filter(|e| e.observable).collect();
        let name = |event: &Event| shown(event);
        match (place.checked_sub(1).and_then(|i| seen.get(i)), seen.get(place)) {
            (Some(before), Some(next)) => format!("between {} and {}", name(before), name(next)),
            (None, Some(next)) => format!("before {}", name(next)),
            (_, None) => "at the end".to_owned(),
        }
    };
    let few = |names: &[String]| {
        let mut list: Vec<String> = names.iter().take(ALLOWED).cloned().collect();
        if names.len() > ALLOWED {
            list.push(format!("{} more", names.len() - ALLOWED));
        }
        if list.is_empty() { "nothing at all".to_owned() } else { list.join(", ") }
    };
    let last = failing.behaviour.last().map_or_else(String::new, shown);
    match &failing.why {
        Why::Lacking(lacking) => {
            columns(out, &heading, &[(&ours, &failing.behaviour)], paint);
            let names: Vec<String> =
                lacking.allowed.iter().map(|&a| clean(&two.specification.action(a).name).into_owned()).collect();
            let _ = writeln!(out, "\n    In place of {last} `{theirs}` allows {}", few(&names));
        }
        Why::Coarse { needs, place, counts } => {
            columns(out, &heading, &[(&ours, &failing.behaviour)], paint);
            let heading = format!("The shortest of `{theirs}` with these observable events:");
            columns(out, &heading, &[(&theirs, needs)], paint);
            let events = |n: usize| counted(n as u64, "internal event", "internal events");
            let _ = writeln!(
                out,
                "\n    `{ours}` is not internally finer: {} it has {}, and `{theirs}` needs {}",
                after(*place, &failing.behaviour),
                events(counts[0]),
                counts[1],
            );
            let help = format!("let `{ours}` do more internally, or compare traces without --abstraction");
            let _ = writeln!(out, "    {}", paint.dim(&help));
        }
        Why::Narrow { partner } => {
            let heading = format!(
                "{} Beside it one that the constraint is not true of:",
                heading.trim_end_matches(':').to_owned() + "."
            );
            columns(out, &heading, &[(&ours, &failing.behaviour), (&theirs, partner)], paint);
            let help = "no behaviour with these observable events satisfies the constraint: ask for less";
            let _ = writeln!(out, "\n    {}", paint.dim(help));
        }
        Why::Different { allowed } => {
            columns(out, &heading, &[(&ours, &failing.behaviour)], paint);
            let names: Vec<String> = allowed.iter().map(|name| clean(name).into_owned()).collect();
            let _ = writeln!(
                out,
                "\n    `{theirs}` cannot do {} there itself; it can do {}",
                paint.bold(&last),
                few(&names)
            );
            let own = |event: &Event| two.implementation.find_action(&event.name).is_some();
            if !failing.behaviour.last().is_some_and(own) {
                let _ = writeln!(out, "    `{ours}` does not have {last}, so it may happen at any time");
            }
            let help = "relate it to other behaviours: --abstraction canonical";
            let _ = writeln!(out, "    {}", paint.dim(help));
        }
    }
}

fn agree(out: &mut String, findings: &Findings, agreement: &Verdict<Disagreement>, paint: Paint) {
    match agreement {
        Verdict::Holds => {
            let _ = writeln!(
                out,
                "  {} the abstractions agree: what each relates to something, all relate to one thing",
                Word::Holds.mark(paint)
            );
        }
        Verdict::Unknown(_) => {
            let _ = writeln!(out, "  {} whether they agree: a limit was reached", Word::Unknown.mark(paint));
        }
        Verdict::Violated(Disagreement { behaviour, images }) => {
            let _ = writeln!(out, "  {} the abstractions do not agree", Word::Unknown.mark(paint));
            let heading = "Behaviours that each relates to one, but never to the same (● observable):";
            let names: Vec<[String; 2]> = findings.pairs.iter().map(names).collect();
            let mut lists: Vec<(&str, &[Event])> = vec![("implementation", behaviour)];
            lists.extend(names.iter().zip(images).map(|([_, theirs], image)| (theirs.as_str(), image.as_slice())));
            columns(out, heading, &lists, paint);
        }
    }
}

fn shown(event: &Event) -> String {
    short(&clean(&event.name), NAME)
}

/// Behaviours side by side, event by event.
fn columns(out: &mut String, heading: &str, lists: &[(&str, &[Event])], paint: Paint) {
    let _ = writeln!(out, "\n    {}\n", paint.signs(heading));
    let length = lists.iter().map(|(_, events)| events.len()).max().unwrap_or(0);
    if length == 0 {
        let _ = writeln!(out, "      {}", paint.dim("(no event)"));
        return;
    }
    let first = length.saturating_sub(SHOWN);
    // A step at which nothing happens has a name of ours.
    let shown = |event: &Event| match shown(event) {
        name if paint.ascii && name == "τ" => "-".to_owned(),
        name => name,
    };
    let widths: Vec<usize> = lists
        .iter()
        .map(|(name, events)| {
            events[first.min(events.len())..].iter().map(|e| shown(e).width()).chain([name.width()]).max().unwrap_or(0)
        })
        .collect();
    if lists.len() > 1 {
        let cells: Vec<String> = lists.iter().zip(&widths).map(|((name, _), &width)| padded(name, width)).collect();
        let _ = writeln!(out, "            {}", paint.dim(cells.join("  ").trim_end()));
    }
    if first > 0 {
        let _ = writeln!(out, "      {} {}", paint.sign('⋮'), counted(first as u64, "event", "events"));
    }
    for place in first..length {
        let mark = if lists.iter().any(|(_, events)| events.get(place).is_some_and(|e| e.observable)) {
            paint.sign('●')
        } else {
            ' '
        };
        let cell = |((_, events), &width): (&(&str, &[Event]), &usize)| {
            padded(&events.get(place).map_or_else(String::new, shown), width)
        };
        let cells: Vec<String> = lists.iter().zip(&widths).map(cell).collect();
        let line = cells.join("  ");
        let _ = writeln!(out, "      {:>3} {mark} {}", place + 1, line.trim_end());
    }
}

/// What an inclusion took.
fn cost(stats: &Stats) -> String {
    let states = |n: u64, of: &str| format!("{} {of}", counted(n, "state", "states"));
    format!(
        "{}, {}, {}, {}",
        counted(stats.pairs, "pair", "pairs"),
        states(stats.left_states, "on the left"),
        states(stats.right_states, "on the right"),
        states(stats.formula_states, "of formulas"),
    )
}
