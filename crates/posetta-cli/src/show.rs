//! `posetta show`: a picture of a run or a model, and of what became of properties on it.
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
use posetta_tell::picture::model::Model;
use posetta_tell::report::{Report, Subject, Title};
use posetta_tell::story::Story;
use posetta_tell::{Word, svg, text};
use posetta_trace::Trace;

use crate::args::{InputArgs, PictureForm, ShowArgs, VerifyArgs};
use crate::files::{self, Output};
use crate::inputs::{self, Input};
use crate::limited::{self, Ending, Stopped, Work};
use crate::limits::Limits;
use crate::problem::{Problem, system_error};
use crate::properties::{self, Named, Source};
use crate::read::{NamedRun, Reading};
use crate::{carets, convert, deny, output, paint, progress, read, reports, verify};

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
    if let Some(model) = args.run.iter().find(|path| is_model(path)) {
        return show_model(args, sources, model, started).unwrap_or_else(|stopped| {
            tell(stopped);
            2
        });
    }
    let limits = Limits::new(started, args.timeout, args.memory.memory);
    let done = limited::run(limits, "reading the properties", &Arc::new(Quiet), |work| show(args, sources, work));
    done.unwrap_or_else(|status| status)
}

fn show(args: &ShowArgs, sources: &[Source], work: &Work<'_>) -> Result<u8, Stopped> {
    let form = form_of(args)?;
    for (flag, given) in [("--deadlock", args.deadlock), ("--system", args.system.is_some())] {
        if given {
            let message = format!("{flag} is for models, and this is a run");
            return Err(Problem::in_text(flag, Diagnostic::new(Kind::Input, message).help("leave it out")).into());
        }
    }
    let (properties, sampling) = match sources {
        [] => (Vec::new(), args.input.sampling.clone()),
        _ => properties::read_once(sources, &args.root, &args.properties.only, &args.input.sampling)?,
    };
    let reading = Reading::new(&args.input).map_err(|problem| *problem)?.sampled(sampling);
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
        PictureForm::Html | PictureForm::Svg | PictureForm::Png | PictureForm::Json => None,
    };
    if let Some(format) = converted {
        let traces = [(run.label.as_deref(), &run.trace)];
        convert::write_runs(format, &traces, args.output.as_deref().unwrap_or(Path::new("-")), work.budget)?;
        return Ok(0);
    }
    let NamedRun { name, trace, .. } = run;
    let (bytes, status) = drawn(form, &name, &Arc::new(trace), &properties, work)?;
    write(args.output.as_deref(), &bytes)?;
    Ok(status)
}

/// The picture, and the exit status.
fn drawn(
    form: PictureForm,
    name: &str,
    trace: &Arc<Trace>,
    properties: &[Named],
    work: &Work<'_>,
) -> Result<(Vec<u8>, u8), Stopped> {
    // The run first: when a limit is reached, there is a picture that can say so.
    work.begin("drawing the run");
    let mut picture = match form {
        PictureForm::Svg | PictureForm::Png => None,
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
    let drawing = || svg::drawing(&report, Some(&overview));
    let bytes = match (form, picture) {
        (PictureForm::Json, Some(picture)) => picture.to_json().into_bytes(),
        (PictureForm::Html, Some(picture)) => html::of_picture(&picture, &drawing().to_svg()).into_bytes(),
        (PictureForm::Png, _) => reports::painted(&drawing(), work.budget)?,
        _ => drawing().to_svg().into_bytes(),
    };
    Ok((bytes, status))
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

/// Whether a file is a model, by its name.
fn is_model(path: &Path) -> bool {
    matches!(inputs::extension(path), Some("sys" | "smv" | "aut" | "pnml"))
}

/// Draws a model: what is asked of it is what `verify` asks.
fn show_model(args: &ShowArgs, sources: &[Source], model: &Path, started: Instant) -> Result<u8, Stopped> {
    let name = model.display().to_string();
    let mistake = |message: String, help: String| {
        Problem::in_text(&name, Diagnostic::new(Kind::Input, message).help(help)).into()
    };
    let form = form_of(args)?;
    if let PictureForm::Mermaid | PictureForm::Dot = form {
        let message = format!("`{name}` is a model, and only runs are drawn for Mermaid and Graphviz");
        return Err(mistake(message, format!("its observation graph is one: posetta verify {name} --graph FILE.dot")));
    }
    let InputArgs { from, regex, delimiter, set, trust, skew, map, .. } = &args.input;
    let flags = [
        ("--from", from.is_some()),
        ("--regex", regex.is_some()),
        ("--delimiter", delimiter.is_some()),
        ("--set", !set.is_empty()),
        ("--trust", trust.is_some()),
        ("--skew", skew.is_some()),
        ("--map", !map.is_empty()),
    ];
    if let Some((flag, _)) = flags.iter().find(|(_, given)| *given) {
        return Err(mistake(
            format!("{flag} says how a run is read, and `{name}` is a model"),
            "leave it out".to_owned(),
        ));
    }
    if args.run.len() > 1 || args.join.join {
        let message = format!("`{name}` is a model, which is drawn alone");
        return Err(mistake(message, format!("leave out the others: posetta show {name}")));
    }
    let asked = VerifyArgs {
        model: model.to_owned(),
        properties: args.properties.clone(),
        branching: args.branching.clone(),
        deadlock: args.deadlock,
        system: args.system.clone(),
        root: args.root.clone(),
        timeout: args.timeout,
        memory: args.memory.clone(),
        ..VerifyArgs::default()
    };
    Ok(verify::draw(&asked, sources, started, Picturing { form, output: args.output.clone() }))
}

/// A picture of a model, and where it goes.
pub struct Picturing {
    form: PictureForm,
    output: Option<PathBuf>,
}

impl Picturing {
    /// Draws what became of a model. `false` if it could not be written, which is told.
    pub fn write(&self, model: &Model, report: &Report<'_>) -> bool {
        let drawing = || svg::drawing(report, None);
        let bytes = match self.form {
            PictureForm::Json => Ok(model.to_json().into_bytes()),
            PictureForm::Html => Ok(html::of_model(model, &drawing().to_svg()).into_bytes()),
            // All answers are known: what they took is given back.
            PictureForm::Png => reports::painted(&drawing(), &Budget::unlimited()).map_err(Stopped::from),
            _ => Ok(drawing().to_svg().into_bytes()),
        };
        match bytes.and_then(|bytes| write(self.output.as_deref(), &bytes)) {
            Ok(()) => true,
            Err(stopped) => {
                tell(stopped);
                false
            }
        }
    }
}

/// Says why there is no picture.
fn tell(stopped: Stopped) {
    let paint = paint::stderr();
    output::note(&match stopped {
        Stopped::Mistakes(problems) => problems.iter().map(|problem| carets::error(problem, paint)).collect::<String>(),
        Stopped::OverBudget(over) => text::stopped(over, paint),
    });
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
        Some("png") => Ok(PictureForm::Png),
        Some(other) => mistake(
            format!("no picture has the extension `.{other}` of `{name}`"),
            "end the name in .html, .svg, .png, .json, .mmd or .dot, or say --to",
        ),
        None => mistake(
            format!("`{name}` has no extension that says what to draw"),
            "end the name in .html, .svg, .png, .json, .mmd or .dot, or say --to",
        ),
    }
}

fn write(path: Option<&Path>, bytes: &[u8]) -> Result<(), Stopped> {
    let failed = |name: String, error: &std::io::Error| -> Stopped {
        let message = format!("cannot write {name}: {}", system_error(error));
        Problem::in_text("--output", Diagnostic::new(Kind::Input, message)).into()
    };
    let Some(path) = path.filter(|path| path.as_os_str() != "-") else {
        let written = output::print_bytes(bytes);
        return if written { Ok(()) } else { Err(Stopped::Mistakes(Vec::new())) };
    };
    let write = || {
        files::refuse_input(path)?;
        let mut draft = Output::create(path)?;
        draft.write_all(bytes)?;
        draft.finish()
    };
    write().map_err(|error| failed(format!("`{}`", path.display()), &error))
}
