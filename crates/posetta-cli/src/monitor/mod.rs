//! `posetta monitor`: a stream, and after each record what is known of its properties.
//!
//! [`source`] gives bytes, the readers of [`records`] make records of them, a [`Watcher`] follows the properties on them, and what it says
//! goes to the [`board`]. [`following`] leads from one to the other, and [`checkpoint`] keeps a place to go on from. Start at [`run`].
//!
//! A checkpoint is taken between two records, after all lines about the first have been written. Going on from it gives the lines
//! that would have come, because a reader, the watcher and the board are all there is to remember. Where something of that cannot
//! be taken back from the file, the stream is read again from its start, and nothing is told until the place is reached.

mod asked;
mod board;
mod checkpoint;
mod following;
#[cfg(test)]
mod mutants;
mod opening;
mod source;

use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};
use std::time::Instant;

use posetta_base::{Budget, Diagnostic, Error, Kind, OverBudget, WantedAttributes};
use posetta_files::runs::beside;
use posetta_formats::ReadOptions;
use posetta_formats::records::{self, RecordBuffer};
use posetta_monitor::{Refusal, Watcher};
use posetta_tell::watched::Stream;

use crate::args::MonitorArgs;
use crate::files;
use crate::limited::locked;
use crate::limits::{Interruption, Limits, Watchdog};
use crate::mapping;
use crate::problem::Problem;
use crate::properties::{self, Named, Source as Properties};
use crate::read;
use crate::reports::Reports;
use crate::signals;
use board::Board;
use following::{Ending, Following, go_on};
use opening::{format_of, open_out};
use source::{Ended, Source};

/// Runs the command and answers with the exit status.
pub fn run(args: &MonitorArgs, sources: &[Properties], started: Instant) -> u8 {
    let limits = Limits::new(started, args.timeout, args.memory.memory);
    let budget = Budget::with_memory(limits.memory);
    let numbered = args.checkpoint.is_some();
    let reports = match Reports::begin_lines(&args.report, "a stream", args.out.as_deref()) {
        Ok(reports) => reports,
        Err(status) => return status,
    };
    let stream = Stream::new(args.key.is_some(), args.completions.into());
    let board = Board::new(args.is_json(), numbered, stream, Some(reports));
    let board = Arc::new(Mutex::new(board));
    // An interruption is how a stream that goes on for ever ends.
    let heard = Arc::new(AtomicBool::new(false));
    let watchdog = {
        let (board, shown) = (Arc::clone(&board), Arc::clone(&board));
        let told = move || locked(&shown).progress();
        let interruption = Interruption::EndsInput(Arc::clone(&heard));
        Watchdog::start(limits, budget.stop_handle(), interruption, told, move |limit| {
            let mut board = locked(&board);
            let over = OverBudget::new(board.doing, limit);
            board.stop(over);
            board.deliver(&[], None)
        })
    };
    let ending = work(args, sources, &board, &heard, &budget);
    watchdog.finish();
    let mut board = locked(&board);
    let status = match ending {
        Ok(ending) => {
            if let Some(over) = ending.over {
                board.stop(over);
            }
            board.deliver(&ending.ends, ending.stopped)
        }
        Err(Halt::Limit(over)) => {
            board.stop(over);
            board.deliver(&[], None)
        }
        Err(Halt::Refused(problems)) => {
            board.stream.outcomes.clear();
            // Whatever has been told before: this has not.
            board.muted = false;
            board.refuse(&problems);
            board.deliver(&[], None)
        }
    };
    // Without a record, or with something left unknown, it was no end of a stream.
    if board.stream.records > 0 && !board.stream.is_cancelled() {
        signals::was_ordinary();
    }
    status
}

/// Why no stream was followed to an end.
#[derive(Debug)]
enum Halt {
    /// Something that was given is wrong.
    Refused(Vec<Problem>),
    /// A limit was reached before the first record.
    Limit(OverBudget),
}

impl Halt {
    /// A mistake in a file or a flag that is not the stream.
    fn in_text(file: &str) -> impl Fn(Diagnostic) -> Self {
        move |diagnostic| Self::Refused(vec![Problem::in_text(file, diagnostic)])
    }

    /// A mistake in the stream.
    fn in_run(name: &str) -> impl Fn(Diagnostic) -> Self {
        move |diagnostic| Self::Refused(vec![Problem::in_run(name, diagnostic)])
    }
}

fn work(
    args: &MonitorArgs,
    sources: &[Properties],
    board: &Arc<Mutex<Board>>,
    heard: &Arc<AtomicBool>,
    budget: &Budget,
) -> Result<Ending, Halt> {
    let read = properties::read_once(sources, &args.root, &args.properties.only, &args.sampling);
    let (properties, sampling) = read.map_err(Halt::Refused)?;
    if let Some(problem) = refuse_loops(args, &properties) {
        return Err(Halt::Refused(vec![problem]));
    }
    let mapping = mapping::read(&args.map).map_err(|problem| Halt::Refused(vec![*problem]))?;
    let input = args.source.as_deref().unwrap_or(Path::new("-"));
    let name = input.display().to_string();
    let in_run = Halt::in_run(&name);
    locked(board).begin(&name, &properties);
    let kept = args.checkpoint.as_deref().unwrap_or(input);
    let refused = |refusal| Halt::in_text("--checkpoint")(checkpoint::refused(kept, &refusal));
    if let (Some(out), Some(path)) = (&args.out, &args.checkpoint) {
        let twice = files::refuse_twice(path, out).map_err(|error| checkpoint::cannot_write(path, &error));
        twice.map_err(Halt::in_text("--checkpoint"))?;
    }
    let checkpoint = match &args.checkpoint {
        Some(path) => checkpoint::open(path).map_err(Halt::in_text("--checkpoint"))?,
        None => None,
    };
    let interruption = source::Interruption { asked: Box::new(signals::asked), heard: Arc::clone(heard) };
    let pause = {
        let board = Arc::clone(board);
        Box::new(move || locked(&board).flush())
    };
    let cannot_read = |error: std::io::Error| in_run(read::cannot_read(&name, &error));
    let mut source = Source::open(input, args.follow, interruption, budget, pause).map_err(cannot_read)?;
    let ended = source.ended();
    let format = format_of(args, checkpoint.as_ref(), &mut source, input).map_err(&in_run)?;
    if let Some(message) = sampling.useless_for(format) {
        let diagnostic = Diagnostic::new(Kind::Input, message).help("waveforms are files in the formats vcd and fst");
        return Err(in_run(diagnostic));
    }
    let options = asked::options(args, &sampling, &name, format.name());
    let watcher = Watcher::new(properties.iter().map(|p| p.property.clone()).collect(), options, budget);
    if let Some(checkpoint) = &checkpoint {
        watcher.fits(checkpoint).map_err(refused)?;
    }
    let bookmark = checkpoint.as_ref().map(|checkpoint| checkpoint.bookmark().clone());
    let open_out = || match &args.out {
        Some(path) => open_out(path, bookmark.as_ref(), board).map_err(Halt::in_text("--out")),
        None => Ok(()),
    };
    // A checkpoint that is refused leaves the file as it is.
    if checkpoint.is_none() {
        open_out()?;
    }
    let variables = properties.iter().flat_map(|p| p.variables.iter().map(String::as_str));
    let mut buffer = RecordBuffer::of(variables, args.key.as_deref());
    buffer.want(WantedAttributes::new(properties.iter().flat_map(|p| p.attributes.iter().cloned())));
    let mut following = Following::new(args, &properties, watcher, board, budget);
    let restored = match checkpoint {
        Some(checkpoint) => following.restore(checkpoint, format, &mut buffer).map_err(refused)?,
        None => false,
    };
    following.tell_failures();
    let reader = match bookmark.as_ref().filter(|_| restored) {
        Some(bookmark) => {
            if !source.skip(bookmark.offset).map_err(cannot_read)? {
                return Err(skipped_past_the_end(*locked(&ended), &name, board, budget));
            }
            go_on(source, format, bookmark, &mut buffer, budget).map_err(&in_run)?
        }
        None => {
            let guessed = args.from.is_none();
            let halt = |error: Error| match error.into_diagnostics() {
                Ok(all) => Halt::Refused(all.into_iter().map(|d| Problem::in_run(&name, d)).collect()),
                Err(over) => Halt::Limit(over),
            };
            let options = ReadOptions::default().sampling(sampling.sampling()).guessed(guessed).mapping(mapping);
            records::open(format, Box::new(source), &options.names(Some(beside(input))), budget).map_err(halt)?
        }
    };
    if bookmark.is_some() {
        open_out()?;
    }
    following.follow(reader, &mut buffer, &ended, heard).map_err(in_run)
}

/// A property with a stream for each value has keys of its own, which checkpoints do not have.
fn refuse_loops(args: &MonitorArgs, properties: &[Named]) -> Option<Problem> {
    let property = properties.iter().find(|property| property.property.each.is_some())?;
    let each = property.property.each.as_ref().map_or(String::new(), |each| each.to_string());
    let (flag, help) = match (&args.key, &args.checkpoint) {
        (Some(_), _) => ("--key", "leave --key out: the loop says what tells the streams apart"),
        (None, Some(_)) => ("--checkpoint", "write the property without the loop, and say --key"),
        (None, None) => return None,
    };
    let message = format!("{flag} and `{each}` do not go together");
    let diagnostic = property.property.mistake(Kind::Unsupported, property.property.span, message);
    Some(Problem::in_text(&property.file, diagnostic.help(help)))
}

/// There is less of a stream than was passed over.
fn skipped_past_the_end(ended: Option<Ended>, name: &str, board: &Mutex<Board>, budget: &Budget) -> Halt {
    let diagnostic = match (ended, budget.step(0, "waiting for the stream")) {
        (Some(Ended::Limit), Err(over)) => return Halt::Limit(over),
        (Some(Ended::Interrupted), _) => {
            // Nothing was followed this time.
            locked(board).stream.records = 0;
            Diagnostic::new(Kind::Input, "interrupted before the place of the checkpoint")
        }
        _ => checkpoint::of_another_stream(&Refusal::EndsEarly),
    };
    Halt::in_run(name)(diagnostic)
}
