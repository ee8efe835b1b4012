//! `posetta replay`: one order of a run, by the definition. No engine takes part, but for the automaton of a formula of M2L on an order that is too
//! long for trying all values.

use std::sync::Arc;
use std::time::Instant;

use posetta_base::{Diagnostic, EventId, Kind, Mistakes, OverBudget};
use posetta_check::{Moment, Options, Question};
use posetta_tell::Word;
use posetta_tell::json::{self, Schema};
use posetta_tell::story::Story;
use posetta_trace::{Trace, first_misplaced};
use serde_json::{Value, json};

use crate::args::ReplayArgs;
use crate::inputs::Input;
use crate::limited::{self, Ending, Stopped, Work};
use crate::limits::Limits;
use crate::order_file::{self, Wanted};
use crate::paint;
use crate::problem::{Problem, warning_json};
use crate::properties::{self, Named, Source};
use crate::read::Reading;
use crate::{carets, output, read, report_human};

/// What the order shows.
struct Shown {
    word: Word,
    moment: Option<Moment>,
}

/// Whether a program asked.
struct Asked {
    json: bool,
}

impl Ending for Asked {
    fn mistakes(&self, errors: Vec<Value>) {
        if self.json {
            output::print(&Schema::Replay.object(json!({ "verdict": null, "errors": errors })));
        }
    }

    fn limit(&self, over: OverBudget) -> bool {
        let answer = json!({ "verdict": "unknown", "limit": json::limit(over, 0), "errors": [] });
        !self.json || output::print(&Schema::Replay.object(answer))
    }
}

/// Runs the command and answers with the exit status.
pub fn run(args: &ReplayArgs, started: Instant) -> u8 {
    let limits = Limits::new(started, args.timeout, args.memory.memory);
    let asked = Arc::new(Asked { json: args.json });
    match limited::run(limits, "reading the property", &asked, |work| decide(args, work)) {
        Ok((text, status)) if output::print(&text) => status,
        Ok(_) => 2,
        Err(status) => status,
    }
}

fn decide(args: &ReplayArgs, work: &Work<'_>) -> Result<(String, u8), Stopped> {
    let property = property(args)?;
    let reading = Reading::new(&args.input).map_err(|problem| *problem)?;
    let input = Input::one(&args.run, args.join.join, &reading)?;
    let name = input.name();
    if input == Input::Stdin && args.witness.as_os_str() == "-" {
        let diagnostic = Diagnostic::new(Kind::Input, "the run and the order cannot both come from standard input");
        return Err(Problem::in_text("--witness", diagnostic).into());
    }
    work.begin("reading the run");
    let read = read::one_run(&input, &reading, work.budget).map_err(|e| Stopped::in_run(&input.file(), e))?;
    let trace = read.trace;
    output::note(
        &read.warnings.iter().map(|w| carets::warning(&input.file(), None, w, paint::stderr())).collect::<String>(),
    );
    let file = args.witness.display().to_string();
    let mistake = |d: Diagnostic| Problem::in_text(&file, d);
    work.begin("reading the order");
    let text = read::text(&args.witness).map_err(mistake)?;
    let wanted = Wanted { name: args.property.as_deref(), formula: &property.formula, trace: &name };
    let labels = order_file::parse(&text, &wanted).map_err(mistake)?;
    work.begin("replaying the order");
    let order = order(&trace, &labels, property.over().is_some()).map_err(mistake)?;
    let (shown, warnings) = {
        let mistakes =
            |all: Mistakes| Stopped::Mistakes(all.into_iter().map(|d| Problem::in_text(&property.file, d)).collect());
        let question = Question::new(&trace, &property.property, Options::default()).map_err(mistakes)?;
        let replayed = question.replay(&order, work.budget).map_err(|error| match error.into_diagnostics() {
            Ok(all) => mistakes(all.into()),
            Err(over) => over.into(),
        })?;
        let word = match replayed.holds {
            Some(true) => Word::Holds,
            Some(false) => Word::Violated,
            None => Word::Unknown,
        };
        // An order that satisfies a linear property has no such place.
        let shows = if property.over().is_some() { word == Word::Violated } else { word != Word::Unknown };
        let moment = shows.then(|| question.moment(&order)).flatten();
        (Shown { word, moment }, replayed.warnings)
    };
    let told = warnings.iter().map(|w| carets::warning(&property.file, Some(&name), w, paint::stderr()));
    output::note(&told.collect::<String>());
    let text = if args.json {
        let warnings = read.warnings.iter().chain(&warnings).map(warning_json).collect();
        to_json(&name, &property, &trace, &order, &shown, warnings)
    } else {
        let paint = paint::stdout();
        let story = Story::new(&trace, &property, &order, shown.moment, None, paint.room_for_lanes());
        output::whole(report_human::replayed(&property, shown.word, order.len() == trace.len(), &story, paint), paint)
    };
    Ok((text, shown.word.status()))
}

fn property(args: &ReplayArgs) -> Result<Named, Stopped> {
    let source = match (&args.ltl, &args.ctl, &args.psl, &args.m2l, &args.spec, &args.monitor) {
        (Some(text), ..) => Source::Ltl(text.clone(), args.over.unwrap_or_default()),
        (_, Some(text), ..) => Source::Ctl(text.clone()),
        (_, _, Some(text), ..) => Source::Psl(text.clone(), args.over.unwrap_or_default()),
        (_, _, _, Some(text), ..) => Source::M2l(text.clone(), args.over.unwrap_or_default()),
        (.., Some(path), _) => Source::Spec(path.clone()),
        (.., Some(path)) => Source::Monitor(path.clone(), args.over),
        (None, None, None, None, None, None) => return Err(Stopped::Mistakes(Vec::new())),
    };
    // For a formula --property says which one of the report is meant.
    let of_file = args.spec.is_some() || args.monitor.is_some();
    let wanted = if of_file { args.property.as_slice() } else { &[] };
    let mut all = properties::read_chosen(&[source], &args.root, wanted).map_err(Stopped::Mistakes)?;
    if all.len() > 1 {
        let names: Vec<&str> = all.iter().map(|p| p.name.as_str()).collect();
        let diagnostic = Diagnostic::new(Kind::Input, format!("the file has {} properties", all.len()))
            .help(format!("choose one with --property: {}", names.join(", ")));
        return Err(Problem::in_text(&all[0].file, diagnostic).into());
    }
    all.pop().ok_or(Stopped::Mistakes(Vec::new()))
}

/// The events of the labels, if they are an order of the run (or, for CTL, the beginning of one).
fn order(trace: &Trace, labels: &[String], complete: bool) -> Result<Vec<EventId>, Diagnostic> {
    let no = |message: String| Diagnostic::new(Kind::MissingEvent, message);
    let mut order = Vec::with_capacity(labels.len());
    for (i, label) in labels.iter().enumerate() {
        let event =
            trace.find_event(label).ok_or_else(|| no(format!("entry {}: the run has no event `{label}`", i + 1)))?;
        order.push(event);
    }
    match first_misplaced(trace, &order) {
        None => {}
        Some((at, None)) => {
            let label = &labels[at];
            return Err(no(format!("this is not an order of the run: entry {}, `{label}`, has come before", at + 1)));
        }
        Some((at, Some(cause))) => {
            let (label, cause_label) = (&labels[at], trace.label(cause));
            let later = order[at..].contains(&cause);
            let message = format!(
                "this is not an order of the run: entry {}, `{label}`, comes before its cause `{cause_label}`",
                at + 1
            );
            let why = if trace.process(cause) == trace.process(order[at]) {
                format!("both belong to the process {}", trace.process_name(trace.process(cause)))
            } else {
                format!(
                    "`{cause_label}` ({}) happened before `{label}` ({})",
                    trace.whereabouts(cause),
                    trace.whereabouts(order[at])
                )
            };
            let why = if later { why } else { format!("{why}, and `{cause_label}` is not in the order at all") };
            return Err(no(message).help(why));
        }
    }
    if complete && order.len() < trace.len() {
        let mut done = vec![false; trace.len()];
        order.iter().for_each(|e| done[e.index()] = true);
        let first = trace.linearisation().iter().find(|e| !done[e.index()]);
        let first = first.map(|&e| trace.label(e)).unwrap_or_default();
        let missing = trace.len() - order.len();
        let message =
            format!("this is not a complete order of the run: {missing} of its {} events are missing", trace.len());
        return Err(no(message).help(format!("the first that could follow is `{first}`")));
    }
    Ok(order)
}

fn to_json(
    name: &str,
    property: &Named,
    trace: &Trace,
    order: &[EventId],
    shown: &Shown,
    warnings: Vec<Value>,
) -> String {
    let verdict = shown.word.text();
    let (position, waits) = match shown.moment {
        Some(Moment::At(i)) => (Some(i), false),
        Some(Moment::Waits(i)) => (Some(i), true),
        None => (None, false),
    };
    let event = position.and_then(|i| i.checked_sub(1)).and_then(|i| order.get(i)).map(|&e| trace.label(e));
    Schema::Replay.object(json!({
        "trace": name,
        "property": property.name,
        "logic": property.logic(),
        "over": property.over(),
        "formula": property.formula,
        "verdict": verdict,
        "complete": order.len() == trace.len(),
        "position": position,
        "event": event,
        "waits": waits,
        "warnings": warnings,
        "errors": [],
    }))
}
