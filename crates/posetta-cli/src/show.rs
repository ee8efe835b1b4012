//! `posetta show`: a picture of a run, and of what became of properties on it.
//!
//! Properties are decided one after another, each with all that is worth showing. The picture itself is data of the library
//! (`posetta_tell::picture`); here it is only asked for and written.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use posetta_base::{Budget, Diagnostic, Kind, OverBudget};
use posetta_check::Options;
use posetta_formats::Format;
use posetta_tell::checked::{Outcome, Shape};
use posetta_tell::decided::{Readers, Wanted, answered};
use posetta_tell::html;
use posetta_tell::picture::Picture;
use posetta_tell::report::{Report, Subject, Title};
use posetta_tell::story::Story;
use posetta_tell::{Word, svg};
use posetta_trace::Trace;

use crate::args::{PictureForm, ShowArgs};
use crate::files::{self, Output};
use crate::inputs::{self, Input};
use crate::limited::{self, Ending, Stopped, Work};
use crate::limits::Limits;
use crate::problem::{Problem, system_error};
use crate::properties::{self, Named, Source};
use crate::read::{NamedRun, Reading};
use crate::{carets, convert, deny, output, paint, progress, read};

/// So many events of a run are drawn in an SVG where no property says which ones matter.
const EVENTS: usize = 100;

/// Nothing is told beside what everybody is told.
struct Quiet;

impl Ending for Quiet {
    fn mistakes(&self, _: &[Problem]) {}

    fn limit(&self, _: OverBudget) -> bool {
        true
    }
}

/// Runs the command and answers with the exit status.
pub fn run(args: &ShowArgs, sources: &[Source], started: Instant) -> u8 {
    let limits = Limits::new(started, args.timeout, args.memory.memory);
    let done = limited::run(limits, "reading the properties", &Arc::new(Quiet), |work| show(args, sources, work));
    done.unwrap_or_else(|status| status)
}

fn show(args: &ShowArgs, sources: &[Source], work: &Work<'_>) -> Result<u8, Stopped> {
    let form = form_of(args)?;
    refuse_models(&args.run)?;
    let properties = match sources {
        [] => Vec::new(),
        _ => properties::read_chosen(sources, &args.root, &args.properties.only)?,
    };
    let reading = Reading::new(&args.input).map_err(|problem| *problem)?;
    let input = Input::one(&args.run, args.join.join, &reading)?;
    work.begin("reading the run");
    let file = input.file();
    let run = read::one_run(&input, &reading, work.budget).map_err(|error| Stopped::in_run(&file, error))?;
    let warnings = run.warnings.iter().map(|w| carets::warning(&file, None, w, paint::stderr()));
    output::note(&warnings.collect::<String>());
    if run.warnings.iter().any(|warning| deny::denies(warning.kind)) {
        return Ok(0);
    }
    let converted = match form {
        PictureForm::Mermaid => Some(Format::Mermaid),
        PictureForm::Dot => Some(Format::Dot),
        PictureForm::Html | PictureForm::Svg | PictureForm::Json => None,
    };
    if let Some(format) = converted {
        let traces = [(run.label.as_deref(), &run.trace)];
        convert::write_runs(format, &traces, args.output.as_deref().unwrap_or(Path::new("-")), work.budget)?;
        return Ok(0);
    }
    let NamedRun { name, trace, .. } = run;
    let (text, status) = drawn(form, &name, &Arc::new(trace), &properties, work)?;
    write(args.output.as_deref(), &text)?;
    Ok(status)
}

/// The picture, and the exit status.
fn drawn(
    form: PictureForm,
    name: &str,
    trace: &Arc<Trace>,
    properties: &[Named],
    work: &Work<'_>,
) -> Result<(String, u8), Stopped> {
    // The run first: when a limit is reached, there is a picture that can say so.
    work.begin("drawing the run");
    let mut picture = match form {
        PictureForm::Svg => None,
        _ => Some(Picture::of_run(name, trace, work.budget)?),
    };
    work.begin("checking");
    let mut outcomes = Vec::new();
    for property in properties {
        let outcome = decide(trace, property, picture.is_some(), work.budget)?;
        progress::decided(name, &property.name, outcome.word);
        outcomes.push(outcome);
    }
    let status = if outcomes.iter().any(|outcome| outcome.word == Word::Unknown) { 3 } else { 0 };
    let told: String = outcomes
        .iter()
        .zip(properties)
        .flat_map(|(outcome, property)| outcome.warnings.iter().map(|warning| (&property.file, warning)))
        .map(|(file, warning)| carets::warning(file, Some(name), warning, paint::stderr()))
        .collect();
    output::note(&told);
    let shape = Shape::of(trace);
    if let Some(picture) = &mut picture {
        outcomes.iter_mut().zip(properties).for_each(|(outcome, property)| picture.add(property, outcome));
    }
    let mut subject = Subject::new(Title::Name(name.to_owned()), shape.facts());
    let answers = outcomes.iter().zip(properties).map(|(outcome, own)| outcome.answer(Some(shape), own, false));
    subject.answers = answers.collect();
    let report = Report { subjects: vec![subject], ..Report::default() };
    let overview = Story::overview(trace, trace.linearisation(), EVENTS);
    let drawing = || svg::document(&report, Some(&overview));
    let text = match (form, picture) {
        (PictureForm::Json, Some(picture)) => picture.to_json(),
        (PictureForm::Html, Some(picture)) => html::of_picture(&picture, &drawing()),
        _ => drawing(),
    };
    Ok((text, status))
}

/// Decides a property with all that is worth showing.
fn decide(trace: &Arc<Trace>, property: &Named, viewer: bool, budget: &Budget) -> Result<Outcome, Stopped> {
    let started = Instant::now();
    let wanted = Wanted {
        options: &Options::default().witness_always(true).explain(true).vacuity(true),
        readers: Readers { people: Some(usize::MAX), programs: false, witness: true },
        parts: false,
        drawn: Some(viewer),
        seconds: &|| started.elapsed().as_secs_f64(),
    };
    answered(Arc::clone(trace), property, wanted, budget).map_err(|error| Stopped::in_text(&property.file, error))
}

/// A model has no run to draw, but a counterexample.
fn refuse_models(runs: &[PathBuf]) -> Result<(), Stopped> {
    let is_model = |path: &&PathBuf| matches!(inputs::extension(path), Some("sys" | "smv" | "aut" | "pnml"));
    let Some(path) = runs.iter().find(is_model) else { return Ok(()) };
    let name = path.display();
    let diagnostic = Diagnostic::new(Kind::Input, format!("`{name}` is a model, and `show` draws runs"))
        .help(format!("draw a counterexample of it: posetta verify {name} --report svg=FILE"));
    Err(Problem::in_text(&name.to_string(), diagnostic).into())
}

/// The form of the picture: what `--to` says, else what the extension means.
fn form_of(args: &ShowArgs) -> Result<PictureForm, Stopped> {
    let mistake = |message: String, help: &str| {
        Err(Problem::in_text("--output", Diagnostic::new(Kind::Input, message).help(help)).into())
    };
    let Some(path) = args.output.as_deref().filter(|path| path.as_os_str() != "-") else {
        return Ok(args.to.unwrap_or(PictureForm::Svg));
    };
    if let Some(form) = args.to {
        return Ok(form);
    }
    let name = path.display();
    match inputs::extension(path) {
        Some("html" | "htm") => Ok(PictureForm::Html),
        Some("svg") => Ok(PictureForm::Svg),
        Some("json") => Ok(PictureForm::Json),
        Some("mmd" | "mermaid") => Ok(PictureForm::Mermaid),
        Some("dot" | "gv") => Ok(PictureForm::Dot),
        Some("png") => mistake(
            format!("`{name}` would be a PNG, which is not written"),
            "write an SVG, and turn that into one: rsvg-convert run.svg -o run.png",
        ),
        Some(other) => mistake(
            format!("no picture has the extension `.{other}` of `{name}`"),
            "end the name in .html, .svg, .json, .mmd or .dot, or say --to",
        ),
        None => mistake(
            format!("`{name}` has no extension that says what to draw"),
            "end the name in .html, .svg, .json, .mmd or .dot, or say --to",
        ),
    }
}

fn write(path: Option<&Path>, text: &str) -> Result<(), Stopped> {
    let failed = |name: String, error: &std::io::Error| -> Stopped {
        let message = format!("cannot write {name}: {}", system_error(error));
        Problem::in_text("--output", Diagnostic::new(Kind::Input, message)).into()
    };
    let Some(path) = path.filter(|path| path.as_os_str() != "-") else {
        let written = output::print(text);
        return if written { Ok(()) } else { Err(Stopped::Mistakes(Vec::new())) };
    };
    let write = || {
        files::refuse_input(path)?;
        let mut draft = Output::create(path)?;
        draft.write_all(text.as_bytes())?;
        draft.finish()
    };
    write().map_err(|error| failed(format!("`{}`", path.display()), &error))
}
