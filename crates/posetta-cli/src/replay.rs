//! `posetta replay`: one order of a run, by the definition.

use std::sync::Arc;
use std::time::Instant;

use posetta_base::{Diagnostic, Kind};
use posetta_logic::{Flavour, Quantifier};
use posetta_tell::json::Schema;
use posetta_tell::replayed::{self, Replayed};
use posetta_tell::text;

use crate::args::ReplayArgs;
use crate::inputs::Input;
use crate::limited::{self, OneObject, Stopped, Work};
use crate::limits::Limits;
use crate::order_file::{self, Wanted};
use crate::paint;
use crate::problem::{Problem, warning_json};
use crate::properties::{self, Named, Source};
use crate::read::Reading;
use crate::sampling::SamplingArgs;
use crate::{carets, output, read};

/// Runs the command and answers with the exit status.
pub fn run(args: &ReplayArgs, started: Instant) -> u8 {
    let limits = Limits::new(started, args.timeout, args.memory.memory);
    let (refused, stopped) = (replayed::refused, replayed::stopped);
    let ending = Arc::new(OneObject { json: args.json, schema: Schema::Replay, refused, stopped });
    match limited::run(limits, "reading the property", &ending, |work| decide(args, work)) {
        Ok((text, status)) if output::print(&text) => status,
        Ok(_) => 2,
        Err(status) => status,
    }
}

fn decide(args: &ReplayArgs, work: &Work<'_>) -> Result<(String, u8), Stopped> {
    let (property, sampling) = property(args)?;
    if let Some(mistake) = property.property.asks_for_instances("an order of a whole run") {
        return Err(Problem::in_text(&property.file, mistake).into());
    }
    let reading = Reading::new(&args.input).map_err(|problem| *problem)?.sampled(sampling);
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
    let order = replayed::order(&trace, &labels, property.over().is_some()).map_err(mistake)?;
    let paint = paint::stdout();
    let replayed = Replayed::new((&name, &trace), &property, &order, paint.room_for_lanes(), work.budget);
    let replayed = replayed.map_err(|error| Stopped::in_text(&property.file, error))?;
    let told = replayed.warnings.iter().map(|w| carets::warning(&property.file, Some(&name), w, paint::stderr()));
    output::note(&told.collect::<String>());
    let text = if args.json {
        let warnings = read.warnings.iter().chain(&replayed.warnings).map(warning_json).collect();
        Schema::Replay.object(replayed.to_json(&property, warnings))
    } else {
        output::whole(text::report(&replayed.report(&property), paint), paint)
    };
    Ok((text, replayed.word.status()))
}

/// The property, and how a waveform is sampled for it.
fn property(args: &ReplayArgs) -> Result<(Named, SamplingArgs), Stopped> {
    let source = match (&args.ltl, &args.ctl, &args.psl, &args.m2l, &args.spec, &args.monitor) {
        (Some(text), ..) => Source::Ltl(text.clone(), args.over.unwrap_or_default(), Quantifier::Every),
        (_, Some(text), ..) => Source::Ctl(text.clone()),
        (_, _, Some(text), ..) => {
            Source::Psl(text.clone(), Flavour::Any, args.over.unwrap_or_default(), Quantifier::Every)
        }
        (_, _, _, Some(text), ..) => Source::M2l(text.clone(), args.over.unwrap_or_default(), Quantifier::Every),
        (.., Some(path), _) => Source::Spec(path.clone(), None),
        (.., Some(path)) => Source::Monitor(path.clone(), args.over),
        (None, None, None, None, None, None) => return Err(Stopped::Mistakes(Vec::new())),
    };
    // For a formula --property says which one of the report is meant.
    let of_file = args.spec.is_some() || args.monitor.is_some();
    let wanted = if of_file { args.property.as_slice() } else { &[] };
    let read = properties::read_once(&[source], &args.root, wanted, &args.input.sampling);
    let (mut all, sampling) = read.map_err(Stopped::Mistakes)?;
    if all.len() > 1 {
        let names: Vec<&str> = all.iter().map(|p| p.name.as_str()).collect();
        let diagnostic = Diagnostic::new(Kind::Input, format!("the file has {} properties", all.len()))
            .help(format!("choose one with --property: {}", names.join(", ")));
        return Err(Problem::in_text(&all[0].file, diagnostic).into());
    }
    let property = all.pop().ok_or(Stopped::Mistakes(Vec::new()))?;
    Ok((property, sampling))
}
