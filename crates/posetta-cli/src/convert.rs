//! `posetta convert`: a run in another format.
//!
//! The output is written as a draft ([`files`](crate::files)), so that nothing half written is left behind and no input is overwritten while it is
//! read.

use std::fs;
use std::io::{BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use posetta_base::{Budget, Diagnostic, Kind, OverBudget};
use posetta_formats::{self as formats, Format, Lost, WriteError};
use posetta_trace::Trace;

use crate::amounts::counted;
use crate::args::ConvertArgs;
use crate::files::Output;
use crate::inputs::{self, Input};
use crate::limited::{self, Ending, Stopped};
use crate::limits::Limits;
use crate::paint;
use crate::problem::{Problem, system_error};
use crate::read::{NamedRun, Reading};
use crate::{carets, deny, output, read};

/// Nothing is told beside what everybody is told.
struct Quiet;

impl Ending for Quiet {
    fn mistakes(&self, _: &[Problem]) {}

    fn limit(&self, _: OverBudget) -> bool {
        true
    }
}

/// Runs the command and answers with the exit status.
pub fn run(args: &ConvertArgs, started: Instant) -> u8 {
    let limits = Limits::new(started, args.timeout, args.memory.memory);
    let done = limited::run(limits, "reading the run", &Arc::new(Quiet), |work| convert(args, work.budget));
    done.map_or_else(|status| status, |()| 0)
}

fn convert(args: &ConvertArgs, budget: &Budget) -> Result<(), Stopped> {
    let reading = Reading::new(&args.input).map_err(|problem| *problem)?;
    let format = format_of(args)?;
    let input = Input::one(&args.run, args.join.join, &reading)?;
    let file = input.file();
    let to_stdout = args.output.as_os_str() == "-";
    let out_name = args.output.display().to_string();
    let reads =
        |part: &PathBuf| part.as_os_str() != "-" && is_same(Path::new(&Input::named(part).file()), &args.output);
    if !to_stdout && args.run.iter().any(reads) {
        let message = format!("`{out_name}` is the input, and would be overwritten");
        return Err(mistake("--output", Diagnostic::new(Kind::Input, message).help("write to another file")));
    }
    let runs = read::runs(&input, &reading, budget).map_err(|failure| Stopped::in_run(&file, failure))?;
    for run in &runs {
        let trace = Some(run.name.as_str()).filter(|&name| name != file);
        let shown = run.warnings.iter().map(|w| carets::warning(&file, trace, w, paint::stderr()));
        output::note(&shown.collect::<String>());
    }
    if runs.iter().flat_map(|run| &run.warnings).any(|warning| deny::denies(warning.kind)) {
        return Ok(());
    }
    if runs.len() > 1 && !format.holds_several() {
        return Err(mistake(&file, several(&runs, format)));
    }
    let traces: Vec<(Option<&str>, &Trace)> = runs.iter().map(|run| (run.label.as_deref(), &run.trace)).collect();
    write_runs(format, &traces, &args.output, budget)
}

/// Writes runs to a file, or to standard output if that is `-`, and tells what the format could not hold.
pub fn write_runs(
    format: Format,
    runs: &[(Option<&str>, &Trace)],
    path: &Path,
    budget: &Budget,
) -> Result<(), Stopped> {
    let lost = match path.as_os_str() == "-" {
        true => write(format, runs, output::stdout(), "-", budget)?,
        false => write_file(format, runs, path, budget)?,
    };
    output::note(&tell_lost(&lost, format));
    Ok(())
}

fn mistake(file: &str, diagnostic: Diagnostic) -> Stopped {
    Problem::in_text(file, diagnostic).into()
}

/// The format to write: what `--to` says, else what the extension means.
fn format_of(args: &ConvertArgs) -> Result<Format, Stopped> {
    if let Some(format) = args.to {
        return Ok(format);
    }
    by_extension(&args.output).map_err(|diagnostic| mistake("--output", diagnostic))
}

/// The format that the extension of a file to write means.
pub fn by_extension(output: &Path) -> Result<Format, Diagnostic> {
    let known: Vec<&str> = Format::ALL.iter().filter(|f| f.is_written()).map(|f| f.name()).collect();
    if let Some(packing) = inputs::packing(output) {
        let message = format!("`{}` is called packed, and runs are written as they are", output.display());
        let pack = packing.name();
        return Err(Diagnostic::new(Kind::Input, message)
            .help(format!("write to standard output, and pack that: posetta … -o - --to FORMAT | {pack}")));
    }
    let extension = inputs::extension(output);
    let meant = formats::by_extension(extension);
    meant.filter(|format| format.is_written()).ok_or_else(|| {
        let name = output.display();
        let message = match (extension, meant) {
            (_, Some(format)) => {
                format!("runs are read from the format {} of `{name}`, but not written in it", format.name())
            }
            _ if output.as_os_str() == "-" => "nothing says in which format to write".to_owned(),
            (Some(extension), None) => format!("no format has the extension `.{extension}` of `{name}`"),
            (None, None) => format!("`{name}` has no extension that says its format"),
        };
        Diagnostic::new(Kind::Input, message).help(format!("say it with --to {}", known.join(", --to ")))
    })
}

/// Whether two paths lead to one file.
fn is_same(a: &Path, b: &Path) -> bool {
    match (fs::canonicalize(a), fs::canonicalize(b)) {
        (Ok(a), Ok(b)) => a == b,
        _ => false,
    }
}

fn several(runs: &[NamedRun], format: Format) -> Diagnostic {
    let names: Vec<String> = runs.iter().take(5).map(|run| format!("'{}'", run.name)).collect();
    let more = if runs.len() > 5 { ", …" } else { "" };
    let holding: Vec<&str> =
        Format::ALL.iter().filter(|f| f.holds_several() && f.is_written()).map(|f| f.name()).collect();
    let message = format!("the input has {} runs, and a file of the format {} holds one", runs.len(), format.name());
    Diagnostic::new(Kind::Input, message).help(format!(
        "convert them one by one ({}{more}), or write them with --to {}",
        names.join(", "),
        holding.join(" or --to ")
    ))
}

fn write_file(format: Format, runs: &[(Option<&str>, &Trace)], path: &Path, budget: &Budget) -> Result<Lost, Stopped> {
    let name = path.display().to_string();
    let failed = |e: std::io::Error| cannot_write(&name, &e);
    let mut output = Output::create(path).map_err(failed)?;
    let lost = write(format, runs, &mut output, &name, budget)?;
    // What must not be lost is not written without it.
    if lost.is_nothing() || !deny::denies(Kind::Unsupported) {
        output.finish().map_err(failed)?;
    }
    Ok(lost)
}

fn cannot_write(name: &str, error: &std::io::Error) -> Stopped {
    let name = if name == "-" { "standard output".to_owned() } else { format!("`{name}`") };
    mistake("--output", Diagnostic::new(Kind::Input, format!("cannot write {name}: {}", system_error(error))))
}

fn write(
    format: Format,
    runs: &[(Option<&str>, &Trace)],
    out: impl Write,
    name: &str,
    budget: &Budget,
) -> Result<Lost, Stopped> {
    let mut out = BufWriter::with_capacity(1 << 16, out);
    let written = formats::write_runs(format, runs, &mut out, budget);
    let flushed = match written {
        Ok(lost) => out.flush().map(|()| lost).map_err(WriteError::Io),
        Err(error) => {
            // What is still held back is not written either.
            drop(out.into_parts());
            Err(error)
        }
    };
    match flushed {
        Ok(lost) => Ok(lost),
        // A reader that left has what it wanted.
        Err(WriteError::Io(e)) if e.kind() == ErrorKind::BrokenPipe => Ok(Lost::default()),
        Err(WriteError::Io(e)) => Err(cannot_write(name, &e)),
        Err(WriteError::OverBudget(over)) => Err(over.into()),
        Err(error) => Err(mistake("--to", Diagnostic::new(Kind::Unsupported, error.to_string()))),
    }
}

/// What the format could not hold, as a warning; nothing if it held everything.
pub fn tell_lost(lost: &Lost, format: Format) -> String {
    if lost.is_nothing() {
        return String::new();
    }
    let mut parts = Vec::new();
    let mut count = |n: usize, one: &str, many: &str| {
        if n > 0 {
            parts.push(counted(n as u64, one, many));
        }
    };
    count(lost.ids, "id of an event", "ids of events");
    count(lost.times, "time", "times");
    count(lost.attributes, "attribute", "attributes");
    count(lost.processes, "process without events", "processes without events");
    count(lost.names, "name of a process, which was changed", "names of processes, which were changed");
    for (is_lost, what) in [
        (lost.observed_order, "the order in which the events were recorded"),
        (lost.initial, "the first values of a run without events"),
        (lost.state_records, "that the records are states (they are now events with the same states)"),
    ] {
        if is_lost {
            parts.push(what.to_owned());
        }
    }
    let message = format!("the format {} has no place for: {}", format.name(), parts.join("; "));
    carets::warning("--output", None, &Diagnostic::new(Kind::Unsupported, message), paint::stderr())
}
