//! What is known about a property, as text.

use std::fmt::Write;

use posetta_base::{Error, OverBudget};
use posetta_check::{Plan, Search};
use posetta_compile::shape::{BranchingShape, Modality};
use posetta_compile::{Character, Completions, Finding, Proof, Reason, shape};
use posetta_logic::{Monitor, Otherwise, View};
use unicode_width::UnicodeWidthStr;

use super::sample;
use crate::amounts::{counted, group_digits, grouped};
use crate::explained::{Explained, Kind, Line, Linear, OnRun, PropertyKind, Tested, Watching, findings};
use crate::page::{columns, fit, padded, put};
use crate::paint::{Paint, clean};

/// Meanings stand in one column behind a tree, at most this far to the right.
const MEANINGS: usize = 46;

/// All that is known about some properties.
#[must_use]
pub fn explained(all: &[Explained], paint: Paint) -> String {
    let told: Vec<String> = all.iter().map(|facts| property(facts, paint)).collect();
    fit(told.join("\n"), paint.width)
}

/// Testers of properties, in the form of their paper.
#[must_use]
pub fn tested(all: &[Tested], paint: Paint) -> String {
    let told = |tested: &Tested| {
        let logic = paint.dim(&tested.property.logic().to_uppercase());
        format!("{}  {logic}\n\n{}", paint.bold(&clean(&tested.property.formula)), tested.print())
    };
    all.iter().map(told).collect::<Vec<_>>().join("\n")
}

fn property(facts: &Explained, paint: Paint) -> String {
    let mut out = String::new();
    let logic = match (&facts.kind, facts.property.over()) {
        (PropertyKind::Monitor(..), over) => format!("monitor over {}", over.unwrap_or_default()),
        (_, Some(over)) => format!("{} over {over}", facts.property.logic().to_uppercase()),
        (_, None) => "CTL".to_owned(),
    };
    if let PropertyKind::Monitor(view, written) = &facts.kind {
        let _ = writeln!(out, "{}  {}", paint.bold(&clean(&facts.property.name)), paint.dim(&logic));
        monitor(&mut out, &facts.property.name, *view, written, paint);
        watched(&mut out, facts, paint);
        if let Some(run) = &facts.run {
            on_run(&mut out, run, paint);
        }
        return out;
    }
    if facts.property.has_name {
        let _ = writeln!(out, "{}  {}", paint.bold(&clean(&facts.property.name)), paint.dim(&logic));
        put(&mut out, &format!("  {}", clean(&facts.property.formula)), paint.width, 4);
    } else {
        let title = format!("{}  {}", paint.bold(&clean(&facts.property.formula)), paint.dim(&kept_together(&logic)));
        put(&mut out, &title, paint.width, 2);
    }
    let mut other = |word: &str, text: &str| {
        put(&mut out, &format!("  {} {}", paint.dim(&kept_together(word)), clean(text)), paint.width, word.len() + 3);
    };
    let each = facts.property.property.each.as_ref().map(ToString::to_string);
    let some = facts.property.asks_for_some().then(|| "some order is enough".to_owned());
    if let Some(clock) = &facts.property.property.clock {
        other("positions", &format!("each {clock}, with the values before it"));
    }
    let asked: Vec<String> = each.into_iter().chain(some).collect();
    if !asked.is_empty() {
        other("asked", &asked.join("; "));
    }
    if let Some(written) = &facts.written {
        other("written", written);
    }
    let read = facts.tree.parenthesised();
    if read != facts.property.formula {
        other("read as", &read);
    }
    heading(&mut out, "How it is read", paint);
    let lines = facts.tree.lines();
    let length = |line: &Line<'_>| match line.meaning.is_empty() {
        true => 0,
        false => line.lead.width() + clean(line.sign).width(),
    };
    let column = lines.iter().map(length).max().unwrap_or(0).clamp(8, MEANINGS.min(paint.width / 2)) + 3;
    for Line { lead, sign, meaning } in &lines {
        // A part that has no meaning of its own may be long, and goes on below itself.
        let below = if meaning.is_empty() { lead.width() + 4 } else { column + 2 };
        let line = kept_together(&format!("{}{}", paint.signs(lead), if meaning.is_empty() { "" } else { sign }));
        let text = match meaning.is_empty() {
            true => format!("  {line}{}", clean(sign)),
            false => format!(
                "  {}{}",
                padded(&clean(&line), column.max(columns(&line) + 2)),
                paint.dim(&meaning.replace('…', paint.dots()))
            ),
        };
        put(&mut out, &text, paint.width, below);
    }
    let logic = facts.property.logic();
    match &facts.kind {
        PropertyKind::Branching(shape) => branching(&mut out, shape, paint),
        PropertyKind::Monitor(..) => {}
        PropertyKind::Linear(shape, Kind::Decided(decided)) => {
            let (linear, character) = &**decided;
            kind(&mut out, facts, shape, linear, character, paint);
            letters(&mut out, facts, linear, character, paint);
            examples(&mut out, facts, linear, character, paint);
        }
        PropertyKind::Linear(shape, Kind::OverBudget(over)) => {
            without_automaton(&mut out, shape, logic, &stopped(*over), paint)
        }
        PropertyKind::Linear(shape, Kind::NotYet) => {
            without_automaton(&mut out, shape, logic, "a limit was reached before there was an automaton", paint);
        }
    }
    watched(&mut out, facts, paint);
    if let Some(run) = &facts.run {
        on_run(&mut out, run, paint);
    }
    out
}

/// What a monitor can say.
fn watched(out: &mut String, facts: &Explained, paint: Paint) {
    if let Some(own) = &facts.watching {
        heading(out, "Watched while it happens", paint);
        watching(out, own, &facts.atoms, paint);
    }
}

fn watching(out: &mut String, own: &Watching, atoms: &[String], paint: Paint) {
    let ends = match own.completions {
        Completions::Finite => "that ends",
        Completions::Infinite => "that never ends",
        Completions::Both => "whether it ends or not",
    };
    let never = own.violated.is_none() && own.holds.is_none();
    let text = match (own.monitorable, &own.lost) {
        (Some(false), _) => format!(
            "Not monitorable: whatever has come, some continuation, {ends}, satisfies it and some violates it. A monitor can only say \
             whether it is satisfied so far."
        ),
        (Some(true), Some(_)) if !never => {
            "Monitorable in part: some prefixes are determined, but after others no continuation ever is, and a monitor can only say \
             whether it is satisfied so far."
                .to_owned()
        }
        (Some(true), _) => {
            "Monitorable: whatever has come, some continuation is determined, and a monitor says so at the first position at which it \
             is."
            .to_owned()
        }
        (None, _) => {
            "Its monitor is too large to be built whole. It is followed position by position, and may say later than it could that a \
             verdict is determined."
                .to_owned()
        }
    };
    paragraph(out, &text, paint);
    for (title, word) in [
        (paint.red("violated, whatever comes, after"), &own.violated),
        (paint.green("holds, whatever comes, after"), &own.holds),
        ("nothing can be determined any more after".to_owned(), &own.lost),
    ] {
        // Where nothing ever is determined, there is no word after which that begins.
        if let (Some(word), false) = (word, own.monitorable == Some(false)) {
            let _ = writeln!(out, "  {title}");
            for line in sample::lines(word, &own.variables, atoms, own.view) {
                put(out, &format!("    {:>3}  {}", line.position, line.happens), paint.width, 11);
            }
        }
    }
    if let Some((states, classes)) = own.size {
        let states = counted(states as u64, "state", "states");
        let over = match classes {
            Some(classes) => format!("over {} of atoms", counted(classes as u64, "class", "classes")),
            None => "with a decision diagram for each".to_owned(),
        };
        let text = format!("Its smallest monitor has {states} {over} (--emit writes it as a program).");
        paragraph(out, &text, paint);
    }
}

/// So many lines of a monitor are shown.
const MONITOR_LINES: usize = 60;

fn monitor(out: &mut String, name: &str, view: View, monitor: &Monitor, paint: Paint) {
    let item = monitor.item(name, view);
    let lines: Vec<&str> = item.lines().collect();
    out.push('\n');
    for line in lines.iter().take(MONITOR_LINES) {
        put(out, &format!("  {}", clean(line)), paint.width, 6);
    }
    if lines.len() > MONITOR_LINES {
        let _ = writeln!(
            out,
            "  {}",
            paint.dim(&format!("{} and {} more lines", paint.dots(), lines.len() - MONITOR_LINES))
        );
    }
    heading(out, "What it says", paint);
    let letters = match view {
        View::States => "the initial state and the state after each event",
        View::Events => "the events of a run",
    };
    let otherwise = match monitor.otherwise {
        Otherwise::Stay => "stays where it is",
        Otherwise::Die => "dies, and accepts nothing on that path",
    };
    paragraph(
        out,
        &format!(
            "It reads {letters}, one after the other. From a state it goes on to the targets of all edges whose guards hold; if \
             none does, it {otherwise}. A run is bad if it can be in a bad state at the end, and the property holds if no order \
             is bad."
        ),
        paint,
    );
    paragraph(
        out,
        &format!(
            "{}, of which {} initial and {} bad; {}.",
            counted(monitor.states.len() as u64, "state", "states"),
            monitor.initial.len(),
            monitor.bad.len(),
            counted(monitor.edges.len() as u64, "edge", "edges"),
        ),
        paint,
    );
    paragraph(
        out,
        "What kind of property it is, and examples, are shown for formulas only. --dot draws it, --hoa --of bad writes it as \
         an automaton.",
        paint,
    );
}

/// Text that is not broken.
fn kept_together(text: &str) -> String {
    text.replace(' ', "\u{a0}")
}

fn heading(out: &mut String, text: &str, paint: Paint) {
    let _ = writeln!(out, "\n{}", paint.bold(text));
}

/// Text in lines that fit.
fn paragraph(out: &mut String, text: &str, paint: Paint) {
    put(out, &format!("  {text}"), paint.prose(), 2);
}

fn without_automaton(out: &mut String, shape: &shape::LinearShape, logic: &str, why: &str, paint: Paint) {
    heading(out, "What kind of property it is", paint);
    paragraph(out, &syntax(shape, logic), paint);
    put(out, &format!("  {}: {why}", paint.yellow("unknown")), paint.prose(), 4);
}

fn stopped(over: OverBudget) -> String {
    format!(
        "{over}; the automaton may be exponentially larger than the formula. More may help: --timeout 1m, --memory 4GiB"
    )
}

/// What can be seen without an automaton.
fn syntax(shape: &shape::LinearShape, logic: &str) -> String {
    let mut text = match (shape.future, shape.past) {
        _ if logic == "m2l" => "It has no temporal operator: it speaks of all positions at once.".to_owned(),
        (false, false) => "It has no temporal operator: it speaks of the first position only.".to_owned(),
        (true, false) => "It looks forward only.".to_owned(),
        (false, true) => {
            "It looks back only, and what is asked is its truth at the first position, before which there is nothing: \
             did you mean G (…)?"
                .to_owned()
        }
        (true, true) => "It looks forward and back.".to_owned(),
    };
    if shape.next {
        text.push_str(if logic == "psl" {
            " It counts positions, and every event of the run counts."
        } else {
            " It counts positions (X, WX or Y), and every event of the run counts."
        });
    }
    text
}

fn kind(out: &mut String, facts: &Explained, shape: &shape::LinearShape, linear: &Linear, c: &Character, paint: Paint) {
    heading(out, "What kind of property it is", paint);
    let word = |text: &str| paint.green(text);
    let constant = match (&c.tautology, &c.contradiction) {
        (Finding::Yes, _) => Some((
            "Always true.",
            "Every run satisfies it, whatever happens: it cannot find a mistake. It is probably not what was meant.",
        )),
        (_, Finding::Yes) => Some((
            "Never true.",
            "No run satisfies it, whatever happens: it asks for something impossible. It is probably not what was meant.",
        )),
        _ => None,
    };
    let classes = match (&c.safety, &c.guarantee) {
        _ if constant.is_some() => constant,
        (Finding::Yes, Finding::Yes) => Some((
            "Decided at once.",
            "Its first position decides it, and nothing that comes later changes the answer.",
        )),
        (Finding::Yes, _) => Some((
            "Safety.",
            "Something bad never happens. Once violated, it stays violated: a monitor can stop at the first prefix that \
             violates it.",
        )),
        (_, Finding::Yes) => Some((
            "Guarantee (co-safety).",
            "Something good happens at last. Once satisfied, it stays satisfied: a monitor can stop at the first prefix that \
             satisfies it.",
        )),
        (Finding::No(_), Finding::No(_)) => Some((
            "Neither safety nor guarantee.",
            "A run can violate it and recover, and can satisfy it and fail later: in general only the whole run decides.",
        )),
        _ => None,
    };
    if let Some((name, text)) = classes {
        let painted = if constant.is_some() { paint.yellow(name) } else { word(name) };
        let mut text_out = String::new();
        paragraph(&mut text_out, &format!("{name} {text}"), paint);
        out.push_str(&text_out.replacen(name, &painted, 1));
    }
    not_known(out, c, paint);
    // Over states an event that changes nothing repeats the state; elsewhere it is a position of its own sort.
    let states = linear.view == View::States && !shape.events;
    match (&c.stutter_invariant, constant) {
        (Finding::Yes, None) if states => paragraph(
            out,
            "Stutter-invariant: a position that only repeats the one before it changes nothing, so events that do not change \
             its variables do not matter.",
            paint,
        ),
        (Finding::Yes, None) => {
            paragraph(out, "Stutter-invariant: a position that only repeats the one before it changes nothing.", paint);
        }
        (Finding::No(_), _) => paragraph(
            out,
            "Not stutter-invariant: a position that only repeats the one before it can change the answer.",
            paint,
        ),
        _ => {}
    }
    paragraph(out, &syntax(shape, facts.property.logic()), paint);
    if let Some(empty) = c.empty_word {
        let name = facts.property.over().unwrap_or_default();
        let does = if empty { "satisfies" } else { "violates" };
        let mut text = format!("A run without events has no position over {name}, and {does} it.");
        // The empty word is a prefix of all others.
        match (empty, &c.safety, &c.guarantee, &c.contradiction, &c.tautology) {
            (false, Finding::Yes, _, Finding::No(_), _) => {
                text.push_str(" This is the one prefix after which a violated answer can still change.");
            }
            (true, _, Finding::Yes, _, Finding::No(_)) => {
                text.push_str(" This is the one prefix after which a satisfied answer can still change.");
            }
            _ => {}
        }
        paragraph(out, &text, paint);
    }
    let states = counted(c.automaton.len() as u64, "state", "states");
    let count = counted(linear.letters.len() as u64, "combination", "combinations");
    let text = format!("Its smallest deterministic automaton has {states} over {count} of its atoms (--dot draws it).");
    paragraph(out, &text, paint);
}

/// What could not be decided, once for each reason.
fn not_known(out: &mut String, c: &Character, paint: Paint) {
    let mut reasons: Vec<(Reason, Vec<&str>)> = Vec::new();
    for (name, finding) in findings(c) {
        let Finding::Unknown(reason) = finding else { continue };
        let what = match name {
            "safety" => "safety",
            "guarantee" => "a guarantee",
            "stutter_invariant" => "stutter-invariant",
            "tautology" => "always true",
            _ => "never true",
        };
        match reasons.iter_mut().find(|(r, _)| r == reason) {
            Some((_, names)) => names.push(what),
            None => reasons.push((*reason, vec![what])),
        }
    }
    for (reason, names) in reasons {
        let mut text = String::new();
        paragraph(&mut text, &format!("Not known is whether it is {}: {}.", names.join(", or "), why(reason)), paint);
        out.push_str(&text.replacen("Not known", &paint.yellow("Not known"), 1));
    }
}

fn why(reason: Reason) -> String {
    match reason {
        Reason::OverBudget(over) => over.to_string(),
        Reason::Approximate => {
            "sequences were found that speak against it, but perhaps no run has them: an atom is not linear and was taken as \
             independent, or a variable keeps its value while another one, which it is compared with, changes"
                .to_owned()
        }
        Reason::Defect => "the sequences that were found do not replay; this is a defect of posetta, please report it".to_owned(),
    }
}

/// What each atom means, and how they depend on each other.
fn letters(out: &mut String, facts: &Explained, linear: &Linear, c: &Character, paint: Paint) {
    if facts.atoms.is_empty() {
        return;
    }
    heading(out, "Its atoms", paint);
    let independent = linear.letters.independent();
    for (i, atom) in facts.atoms.iter().enumerate() {
        let alone = independent.iter().any(|a| a.0 as usize == i);
        let note = if alone { "  (not linear: taken as independent of the others)" } else { "" };
        put(out, &format!("  {}{}", clean(atom), paint.dim(note)), paint.width, 4);
    }
    let all = 1u64.checked_shl(facts.atoms.len() as u32).unwrap_or(u64::MAX);
    let some = linear.letters.len() as u64;
    if some < all && facts.atoms.len() < 64 {
        let text = format!("Of the {} combinations of these, {} can come.", grouped(all), grouped(some));
        paragraph(out, &text, paint);
    }
    if !linear.letters.is_exact() && findings(c).iter().any(|(_, f)| matches!(f, Finding::Unknown(_))) {
        paragraph(out, "Which of them can follow each other is taken into account only in part.", paint);
    }
}

/// One sample under a heading; the mark stands before the positions behind `mark`.
fn example(
    out: &mut String,
    title: &str,
    proof: &Proof,
    marks: &[(usize, &str)],
    facts: &Explained,
    linear: &Linear,
    paint: Paint,
) {
    put(out, &format!("  {title}"), paint.width, 4);
    let lines = sample::lines(&proof.sample, linear.letters.variables(), &facts.atoms, linear.view);
    let wide = lines.iter().map(|l| l.happens.width()).max().unwrap_or(0).min(paint.width * 9 / 10);
    for (i, sample::Line { position, happens, holds }) in lines.iter().enumerate() {
        let holds = if holds.is_empty() { paint.signs("–") } else { holds.clone() };
        let mark = marks.iter().find(|(at, _)| *at == i).map(|(_, m)| format!("   {} {m}", paint.sign('←')));
        let mark = mark.map_or(String::new(), |mark| paint.yellow(&mark));
        let line = format!("    {position:>3}  {}   {}{mark}", padded(happens, wide), paint.dim(&holds));
        put(out, line.trim_end(), paint.width, 11);
    }
}

fn examples(out: &mut String, facts: &Explained, linear: &Linear, c: &Character, paint: Paint) {
    heading(out, "Shortest examples", paint);
    let mut show = |title: &str, proof: Option<&Proof>, marks: &[(usize, &str)]| {
        if let Some(proof) = proof {
            example(out, title, proof, marks, facts, linear, paint);
        }
    };
    show(&paint.green("satisfies it"), c.contradiction.proof(), &[]);
    show(&paint.red("violates it"), c.tautology.proof(), &[]);
    if let Some(proof) = c.safety.proof() {
        let end = proof.sample.positions.len() - 1;
        let marks = [(proof.at - 1, "violated so far"), (end, "satisfied")];
        show("violates it at first and recovers (so it is not safety)", Some(proof), &marks);
    }
    if let Some(proof) = c.guarantee.proof() {
        let end = proof.sample.positions.len() - 1;
        let marks = [(proof.at - 1, "satisfied so far"), (end, "violated")];
        show("satisfies it at first and fails later (so it is not a guarantee)", Some(proof), &marks);
    }
    if let Some(proof) = c.stutter_invariant.proof() {
        let answer = if proof.holds {
            "satisfied with the repetition, violated without"
        } else {
            "violated with the repetition, satisfied without"
        };
        let marks = [(proof.at + 1, "repeats the one before")];
        show(&format!("{answer} (so it is not stutter-invariant)"), Some(proof), &marks);
    }
    let first = match linear.view {
        View::States => "Position 0 is the initial state; each later one is an event and the state after it.",
        View::Events => "Each position is an event and the state after it.",
    };
    paragraph(out, &format!("{first} On the right, the atoms that are true."), paint);
}

fn branching(out: &mut String, shape: &BranchingShape, paint: Paint) {
    heading(out, "What kind of property it is", paint);
    let text = match shape.modality {
        Some(Modality::Possibly) => {
            "EF of a condition on one cut (`possibly`): could this global state have occurred in some order?"
        }
        Some(Modality::Invariantly) => {
            "AG of a condition on one cut: does every global state that could occur satisfy it?"
        }
        Some(Modality::Definitely) => {
            "AF of a condition on one cut (`definitely`): does every order pass through such a global state?"
        }
        Some(Modality::Controllably) => "EG of a condition on one cut: can some order stay within such global states?",
        None => match (shape.some_path, shape.every_path) {
            (false, false) => "A condition on the empty cut: no path is asked about.",
            (true, false) => {
                "Existential: with negations moved inwards it speaks of some path only, so a path can prove it."
            }
            (false, true) => {
                "Universal: with negations moved inwards it speaks of every path only, so a path can refute it."
            }
            (true, true) => {
                "It speaks of some paths and of every path: no single path proves or refutes it in general."
            }
        },
    };
    paragraph(out, text, paint);
    if shape.modality.is_some() && shape.conjunctive {
        paragraph(
            out,
            "What is looked for is a conjunction of conditions on one variable each: a conjunctive predicate, if each variable \
             has one writer.",
            paint,
        );
    }
    if shape.next {
        paragraph(out, "EX or AX counts steps: every event of the run counts.", paint);
    }
    paragraph(
        out,
        "There is no automaton to show: CTL speaks of the graph of cuts, in which paths part and meet, not of sequences one by one.",
        paint,
    );
}

/// How the answer will be found.
fn way(plan: &Plan) -> String {
    let parts = match plan.parts {
        0 | 1 => String::new(),
        n => format!(" It falls into {n} parts that speak of different variables, searched one after another."),
    };
    let chains = match plan.width {
        0 => String::new(),
        n => format!(" The events that are kept lie on {}.", counted(n, "chain", "chains")),
    };
    let turns = match plan.as_branching {
        0 => String::new(),
        n if n == plan.parts => " CTL can ask for the same, so its engines take turns with the search.".to_owned(),
        n => format!(" For {n} of them CTL can ask for the same, so its engines take turns with the search."),
    };
    match plan.search {
        Search::Runs if plan.engine == "orders" => {
            "It speaks of every order by itself, and there are so few of them that each is evaluated by definition."
                .to_owned()
        }
        Search::Runs if matches!(plan.engine, "intervals" | "sums") => {
            let how = match plan.engine {
                "intervals" => "finds predicates on single chains by going along the chains",
                _ => {
                    "finds the cut at which a sum is largest or smallest as the heaviest set of events with all their causes"
                }
            };
            format!(
                "It speaks of every order by itself: one is evaluated by definition. CTL can ask for the same, and needs no search: it {how}. \
                 Events that cannot matter are left out.{chains}"
            )
        }
        Search::Runs => format!(
            "It speaks of every order by itself: one is evaluated by definition, then all are searched for one that is answered otherwise, by \
             intervals of cuts, each with a state of the automaton and the values with which orders reach it.{parts}{turns} Events that \
             cannot matter are left out.{chains} Unordered writes are no obstacle: the later one wins in each order by itself."
        ),
        Search::Cuts => {
            let how = match plan.engine {
                "intervals" => {
                    "It is CTL of a shape that needs no search: predicates on single chains, found by going along the chains."
                }
                "sums" => {
                    "It is CTL that bounds a sum: the cut at which the sum is largest or smallest is found as the heaviest set of events \
                     with all their causes."
                }
                "diagrams" => {
                    "It is CTL: for each of its parts the set of cuts at which it holds, as a decision diagram."
                }
                "ist" => {
                    "It is CTL: for each of its parts the set of cuts at which it holds, as an interval sharing tree."
                }
                _ => "It is CTL: every cut is visited once, the largest first.",
            };
            let ordered =
                "No two writes of different values to its variables are unordered, so each cut has one state.";
            format!("{how}{chains} {ordered}")
        }
    }
}

fn on_run(out: &mut String, run: &OnRun, paint: Paint) {
    heading(out, &format!("On {}", clean(&run.name)), paint);
    let size =
        format!("{} in {}", counted(run.events, "event", "events"), counted(run.processes, "process", "processes"));
    let cuts = match &run.cuts {
        Some(cuts) if cuts.len() <= 24 => format!("{} cuts", group_digits(cuts)),
        Some(cuts) => format!("about 10^{} cuts", cuts.len() - 1),
        None => "more cuts than could be counted in time".to_owned(),
    };
    match &run.plan {
        Ok(plan) => {
            paragraph(
                out,
                &format!(
                    "The {} engine will answer. The run has {size}, {} of them seen by the property, and {cuts}.",
                    plan.engine,
                    grouped(plan.relevant_events)
                ),
                paint,
            );
            paragraph(out, &way(plan), paint);
            if let Some(states) = run.automaton_states {
                let states = counted(states as u64, "state", "states");
                paragraph(out, &format!("The automaton of the orders that violate it has {states}."), paint);
            }
            for warning in run.warnings.iter().filter(|warning| warning.denied || !paint.quiet) {
                let word = if warning.denied { paint.red("error") } else { paint.yellow("warning") };
                put(out, &format!("  {word}: {}", clean(&warning.diagnostic.message)), paint.prose(), 4);
            }
        }
        Err(Error::OverBudget(over)) => {
            put(out, &format!("  {}: {over}", paint.yellow("unknown")), paint.prose(), 4);
        }
        Err(error) => {
            paragraph(out, &format!("`check` will refuse it. The run has {size} and {cuts}."), paint);
            for mistake in error.diagnostics() {
                put(out, &format!("  {}: {}", paint.red("error"), clean(&mistake.message)), paint.prose(), 4);
            }
        }
    }
}
