//! `posetta monitor`: a stream, and after each record what is known of its properties.
//!
//! [`source`] gives bytes, the readers of [`records`] make records of them, one [`Monitor`] for each property follows the instances
//! that [`streams`] keeps, [`told`] says what has changed, and [`checkpoint`] keeps a place to go on from. Start at [`run`].
//!
//! A checkpoint is taken between two records, after all lines about the first have been written. Going on from it gives the lines
//! that would have come, because a reader, an instance and the board are all there is to remember. Where something of that cannot
//! be taken back from the file, the stream is read again from its start, and nothing is told until the place is reached.

mod asked;
mod checkpoint;
#[cfg(test)]
mod mutants;
mod names;
mod restore;
mod source;
mod streams;
mod told;

use std::io::{Read, Seek, SeekFrom};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::{Arc, Mutex};
use std::time::Instant;

use posetta_base::{Budget, Diagnostic, Error, Kind, OverBudget, Place, Value};
use posetta_formats::records::{self, RecordBuffer, RecordKind, Records};
use posetta_formats::{Format, ReadOptions};
use posetta_logic::Formula;
use posetta_monitor::{Completions, Instance, Monitor, Prospect, Record, Stream};
use serde_json::{Map, Value as Json};

use crate::args::MonitorArgs;
use crate::files::{self, InPlace};
use crate::inputs::extension;
use crate::limited::locked;
use crate::limits::{Interruption, Limits, Watchdog};
use crate::paint::{clean, short};
use crate::problem::{Problem, system_error};
use crate::properties::{self, Named, Source as Properties};
use crate::{read, signals};
use checkpoint::{Checkpoint, Position, Saved};
use names::Names;
use source::{Ended, Source};
use streams::Streams;
use told::{AtEnd, Board, Told};

/// So many values of a record are shown beside an answer.
const FACTS: usize = 4;
/// Columns of a value.
const VALUE_WIDTH: usize = 40;
/// Records between two checkpoints.
const BETWEEN_CHECKPOINTS: u64 = 10_000;

/// Runs the command and answers with the exit status.
pub fn run(args: &MonitorArgs, sources: &[Properties], started: Instant) -> u8 {
    let limits = Limits::new(started, args.timeout, args.memory.memory);
    let budget = Budget::with_memory(limits.memory);
    let numbered = args.checkpoint.is_some();
    let board = Board::new(args.is_json(), args.key.is_some(), numbered, args.completions.into());
    let board = Arc::new(Mutex::new(board));
    // An interruption is how a stream that goes on for ever ends.
    let heard = Arc::new(AtomicBool::new(false));
    let watchdog = {
        let (board, shown) = (Arc::clone(&board), Arc::clone(&board));
        let told = move || locked(&shown).progress();
        let interruption = Interruption::EndsInput(Arc::clone(&heard));
        Watchdog::start(limits, budget.stop_handle(), interruption, told, move |limit| {
            let mut board = locked(&board);
            let over = OverBudget { what: board.doing, limit };
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
            board.deliver(&ending.ends, ending.remark)
        }
        Err(problems) => {
            board.properties.clear();
            // Whatever has been told before: this has not.
            board.muted = false;
            board.refuse(&problems);
            board.deliver(&[], None)
        }
    };
    // Without a record, or with something left unknown, it was no end of a stream.
    if board.records > 0 && !board.is_cancelled() {
        signals::was_ordinary();
    }
    status
}

/// How it ended.
struct Ending {
    /// What open streams count as, for each property.
    ends: Vec<AtEnd>,
    over: Option<OverBudget>,
    remark: Option<&'static str>,
}

fn work(
    args: &MonitorArgs,
    sources: &[Properties],
    board: &Arc<Mutex<Board>>,
    heard: &Arc<AtomicBool>,
    budget: &Budget,
) -> Result<Ending, Vec<Problem>> {
    let properties = properties::read_chosen(sources, &args.root, &args.properties.only)?;
    let input = args.source.as_deref().unwrap_or(Path::new("-"));
    let name = input.display().to_string();
    locked(board).begin(&name, &properties);
    let one = |file: &str| {
        let file = file.to_owned();
        move |diagnostic: Diagnostic| vec![Problem::in_text(&file, diagnostic)]
    };
    let checkpoint = match &args.checkpoint {
        Some(path) => checkpoint::read(path).map_err(one("--checkpoint"))?,
        None => None,
    };
    let interruption = source::Interruption { asked: Box::new(signals::asked), heard: Arc::clone(heard) };
    let pause = {
        let board = Arc::clone(board);
        Box::new(move || locked(&board).flush())
    };
    let cannot_read = |error: std::io::Error| {
        let message = format!("cannot read `{name}`: {}", system_error(&error));
        vec![Problem::in_run(&name, Diagnostic::of_input(Kind::Input, message))]
    };
    let mut source = Source::open(input, args.follow, interruption, budget, pause).map_err(cannot_read)?;
    let ended = source.ended();
    let format = format_of(args, checkpoint.as_ref(), &mut source, input)
        .map_err(|diagnostic| vec![Problem::in_run(&name, diagnostic)])?;
    if let Some(message) = args.sampling.useless_for(format) {
        let diagnostic = Diagnostic::new(Kind::Input, message).help("waveforms are files in the formats vcd and fst");
        return Err(vec![Problem::in_run(&name, diagnostic)]);
    }
    let asked = asked::asked(args, &properties, &name, format.name());
    if let Some(checkpoint) = &checkpoint
        && let Some(difference) = asked::difference(&checkpoint.asked, &asked)
    {
        let file = args.checkpoint.as_deref().unwrap_or(input).display();
        let message = format!("the checkpoint `{file}` does not fit: {difference}");
        return Err(one("--checkpoint")(Diagnostic::new(Kind::Input, message).help(checkpoint::ANEW)));
    }
    let position = checkpoint.as_ref().map(|c| c.position.clone());
    let open_out = || match &args.out {
        Some(path) => open_out(path, position.as_ref(), board).map_err(one("--out")),
        None => Ok(()),
    };
    // A checkpoint that is refused leaves the file as it is.
    if checkpoint.is_none() {
        open_out()?;
    }
    let variables = properties.iter().flat_map(|p| p.variables.iter().map(String::as_str));
    let mut buffer = RecordBuffer::of(variables, args.key.as_deref());
    let mut watch = Watch::new(args, properties, board, budget, asked);
    // What stands before a checkpoint has been told.
    locked(board).muted = checkpoint.is_some();
    watch.refuse_cuts();
    let restored = match checkpoint {
        Some(checkpoint) => watch.restore(checkpoint, format, &mut buffer).map_err(one("--checkpoint"))?,
        None => false,
    };
    let in_run = |error: Error| {
        let all = error.into_diagnostics()?.into_iter();
        Ok(all.map(|d| Problem::in_run(&name, d)).collect::<Vec<_>>())
    };
    let guessed = args.from.is_none();
    let options = ReadOptions { sampling: args.sampling.sampling(), guessed, ..ReadOptions::default() };
    let reader = match position.as_ref().filter(|_| restored) {
        Some(position) => {
            match source.skip(position.offset).map_err(cannot_read)? {
                true => {}
                false => match *locked(&ended) {
                    Some(Ended::Limit) => {
                        let over = budget.step(0, "waiting for the stream").err();
                        return Ok(Ending { ends: Vec::new(), over, remark: None });
                    }
                    Some(Ended::Interrupted) => {
                        // Nothing was followed this time.
                        locked(board).records = 0;
                        let message = "interrupted before the place of the checkpoint";
                        return Err(vec![Problem::in_run(&name, Diagnostic::new(Kind::Input, message))]);
                    }
                    _ => return Err(vec![Problem::in_run(&name, too_short())]),
                },
            }
            go_on(source, format, position, &mut buffer, budget).map_err(|d| vec![Problem::in_run(&name, d)])?
        }
        None => match records::open(format, Box::new(source), &options, budget).map_err(in_run) {
            Ok(reader) => reader,
            Err(Ok(problems)) => return Err(problems),
            Err(Err(over)) => return Ok(Ending { ends: Vec::new(), over: Some(over), remark: None }),
        },
    };
    if position.is_some() {
        open_out()?;
    }
    if !restored {
        watch.again = position;
    }
    watch.follow(reader, &mut buffer, &ended, heard).map_err(|d| vec![Problem::in_run(&name, d)])
}

/// What was said, else what was found before, else what the first bytes show; JSON lines if nothing does.
fn format_of(
    args: &MonitorArgs,
    checkpoint: Option<&Checkpoint>,
    source: &mut Source,
    input: &Path,
) -> Result<Format, Diagnostic> {
    let before = || Format::from_name(checkpoint?.asked.get("format")?.as_str()?);
    if let Some(known) = before() {
        // The start has been looked at before, and is passed over.
        return Ok(args.from.unwrap_or(known));
    }
    match source.start() {
        // Whoever reads on is told of an error, and that nothing has come.
        Err(_) | Ok(None | Some([])) => Ok(args.from.unwrap_or(Format::JsonLines)),
        Ok(Some(start)) => {
            let format = read::format_of(&input.display().to_string(), start, extension(input), args.from)?;
            if format == Format::JsonLines {
                look_ahead(start, args.key.as_deref())?;
            }
            Ok(format)
        }
    }
}

/// So many records are looked at before the first of them is believed.
const AHEAD: usize = 64;

/// A property may be determined by the first record, and the second may show that the stream is not what it is read as.
fn look_ahead(start: &[u8], key: Option<&str>) -> Result<(), Diagnostic> {
    let whole = start.iter().rposition(|&b| b == b'\n').map_or(&[][..], |end| &start[..=end]);
    let mut buffer = RecordBuffer::all(key);
    let budget = Budget::with_memory(1 << 26);
    let Ok(mut records) = records::open(Format::JsonLines, Box::new(whole), &ReadOptions::default(), &budget) else {
        return Ok(());
    };
    for _ in 0..AHEAD {
        match records.next(&mut buffer) {
            Ok(true) => {}
            Ok(false) | Err(Error::OverBudget(_)) => break,
            Err(error) => {
                // Other mistakes are those of a line, and are told when its turn comes.
                if let Some(mistake) = error.diagnostics().iter().find(|mistake| mistake.kind == Kind::Format) {
                    return Err(mistake.clone());
                }
            }
        }
    }
    Ok(())
}

/// The file for the lines, cut back to where it was.
fn open_out(path: &Path, position: Option<&Position>, board: &Mutex<Board>) -> Result<(), Diagnostic> {
    let name = path.display().to_string();
    let cannot = |error: std::io::Error| {
        Diagnostic::new(Kind::Input, format!("cannot write `{name}`: {}", system_error(&error)))
    };
    let bytes = position.and_then(|position| position.bytes);
    let InPlace { mut file, is_regular } = files::open_in_place(path, position.is_none()).map_err(cannot)?;
    // A line has at least two bytes.
    let fits = |position: &Position| position.bytes.is_some_and(|bytes| bytes / 2 >= position.lines);
    if is_regular && !position.is_none_or(fits) {
        let message = format!("the checkpoint does not say how long `{name}` was");
        return Err(Diagnostic::new(Kind::Input, message).help(checkpoint::ANEW));
    }
    if let (true, Some(bytes)) = (is_regular, bytes) {
        let length = file.metadata().map_err(cannot)?.len();
        let mut last = [b'\n'];
        if (1..=length).contains(&bytes) {
            file.seek(SeekFrom::Start(bytes - 1)).and_then(|_| file.read_exact(&mut last)).map_err(cannot)?;
        }
        if last != [b'\n'] {
            let message = format!("`{name}` is not the file of the checkpoint: no line of it ends at byte {bytes}");
            return Err(Diagnostic::new(Kind::Input, message).help(checkpoint::ANEW));
        }
        if length < bytes {
            let message = format!("`{name}` has {length} bytes, and had {bytes} at the checkpoint");
            let help = "bring it back, or remove the checkpoint to start anew";
            return Err(Diagnostic::new(Kind::Input, message).help(help));
        }
        file.set_len(bytes).and_then(|()| file.seek(SeekFrom::End(0))).map_err(cannot)?;
    }
    // What goes to a device or a pipe is gone: nobody can come back to a length of it.
    let length = is_regular.then_some(bytes.unwrap_or(0));
    locked(board).write_to(file, name, length);
    Ok(())
}

/// The reader of what stands behind the checkpoint, where the source is.
fn go_on(
    source: Source,
    format: Format,
    position: &Position,
    buffer: &mut RecordBuffer,
    budget: &Budget,
) -> Result<Box<dyn Records>, Diagnostic> {
    let saved = position.reader.as_deref().unwrap_or_default();
    let reader = records::resume(format, Box::new(source), position.offset, saved, buffer, budget);
    reader.ok_or_else(|| Diagnostic::new(Kind::Input, "the checkpoint does not fit the stream").help(checkpoint::ANEW))
}

/// Whether a stream has begun although no record has come: declared values are a position, or the start of one.
fn starts(reader: &dyn Records) -> bool {
    reader.kind() == Some(RecordKind::Events) || !reader.initial().is_empty()
}

fn too_short() -> Diagnostic {
    Diagnostic::new(Kind::Input, "the stream ends before the place of the checkpoint")
        .help("a stream is given again from its start; what was read of it is passed over")
}

/// Everything that follows the stream.
struct Watch<'a> {
    args: &'a MonitorArgs,
    properties: Vec<Named>,
    /// One for each property that is followed, once the first record has come.
    monitors: Vec<Option<Monitor>>,
    kind: Option<RecordKind>,
    streams: Streams,
    names: Names,
    board: &'a Mutex<Board>,
    budget: &'a Budget,
    asked: Map<String, Json>,
    records: u64,
    /// How many had come at the last checkpoint.
    saved_at: u64,
    /// Up to here everything has been told before.
    again: Option<Position>,
    /// Which properties are determined on the only stream, or not followed.
    decided: Vec<bool>,
}

/// Whether to read on.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Flow {
    On,
    /// Nothing can change any more.
    Enough,
    /// Nobody listens.
    Unheard,
    /// A mistake, and `--strict`.
    Strict,
}

impl<'a> Watch<'a> {
    fn new(
        args: &'a MonitorArgs,
        properties: Vec<Named>,
        board: &'a Mutex<Board>,
        budget: &'a Budget,
        asked: Map<String, Json>,
    ) -> Self {
        Self {
            args,
            monitors: properties.iter().map(|_| None).collect(),
            kind: None,
            streams: Streams::new(properties.len()),
            names: Names::new(&properties),
            decided: vec![false; properties.len()],
            properties,
            board,
            budget,
            asked,
            records: 0,
            saved_at: 0,
            again: None,
        }
    }

    fn completions(&self) -> Completions {
        self.args.completions.into()
    }

    /// Properties of cuts cannot be followed, which is told before the stream is waited for.
    fn refuse_cuts(&mut self) {
        for i in 0..self.properties.len() {
            if let Formula::Ctl(_) = self.properties[i].property.formula {
                self.make(i, Stream::Events, &[]);
            }
        }
    }

    fn make(&mut self, i: usize, stream: Stream, initial: &[(String, Value)]) {
        let property = &self.properties[i];
        let built = Monitor::new(&property.property, stream, initial, self.completions(), self.budget);
        match built {
            Ok(monitor) => self.monitors[i] = Some(monitor),
            Err(failure) => {
                self.decided[i] = true;
                let mut board = locked(self.board);
                match failure.into_diagnostics() {
                    Ok(mistakes) => board.fail(i, property, mistakes),
                    Err(over) => board.give_up(i, over),
                }
            }
        }
    }

    /// Makes the monitors, now that it is known what the records are.
    fn begin(&mut self, kind: RecordKind, initial: &[(String, Value)]) {
        self.kind = Some(kind);
        let stream = match kind {
            RecordKind::States => Stream::States,
            RecordKind::Events => Stream::Events,
        };
        for i in 0..self.properties.len() {
            if locked(self.board).is_followed(i) {
                self.make(i, stream, initial);
            }
        }
        locked(self.board).doing = "following the stream";
    }

    fn follow(
        &mut self,
        mut reader: Box<dyn Records>,
        buffer: &mut RecordBuffer,
        ended: &Mutex<Option<Ended>>,
        heard: &AtomicBool,
    ) -> Result<Ending, Diagnostic> {
        locked(self.board).muted = self.again.is_some();
        let mut flow = if self.can_stop() { Flow::Enough } else { Flow::On };
        let mut over = None;
        // Some properties have read the last record and others have not: no place to go on from.
        let mut torn = false;
        // The room of one record for the next.
        let mut room: Vec<(&'static str, Value)> = Vec::new();
        while flow == Flow::On {
            // The source ends at its next wait; what it has handed on is read until then.
            if signals::asked() {
                heard.store(true, SeqCst);
            }
            let next = reader.next(buffer);
            self.unmute(&*reader)?;
            let read = match next {
                Ok(false) => break,
                Ok(true) => {
                    if self.kind.is_none() {
                        self.begin(reader.kind().unwrap_or(RecordKind::States), reader.initial());
                    }
                    let flow = self.record(buffer, reader.line(), &mut room);
                    torn = flow.is_err();
                    flow
                }
                Err(Error::OverBudget(over)) => Err(over),
                Err(error) => {
                    let mut mistakes = error.diagnostics().to_vec();
                    // A line may be damaged; a stream that is not what it is read as has no verdict.
                    if let Some(at) = mistakes.iter().position(|mistake| mistake.kind == Kind::Format) {
                        return Err(mistakes.swap_remove(at));
                    }
                    locked(self.board).leave_out(mistakes);
                    Ok(if self.args.strict { Flow::Strict } else { Flow::On })
                }
            };
            match read {
                Ok(next) => flow = next,
                Err(reached) => {
                    over = Some(reached);
                    break;
                }
            }
            let every = self.args.checkpoint_every.map_or(BETWEEN_CHECKPOINTS, u64::from);
            // Lines without a record, however many, are no reason to write another one.
            let due = self.records.is_multiple_of(every) && self.records != self.saved_at;
            if self.args.checkpoint.is_some() && self.again.is_none() && due {
                self.save(&mut *reader, buffer)?;
            }
        }
        let ended = *locked(ended);
        if ended == Some(Ended::Limit) {
            over = over.or(self.budget.step(0, "waiting for the stream").err());
        }
        if self.again.is_none() && self.args.checkpoint.is_some() && flow != Flow::Strict && !torn {
            self.save(&mut *reader, buffer)?;
        }
        let mut board = locked(self.board);
        board.gather(reader.warnings());
        board.warn_of_the_stream();
        drop(board);
        self.end(&*reader, buffer, over, ended, flow)
    }

    /// Past the place of the checkpoint things are told again.
    fn unmute(&mut self, reader: &dyn Records) -> Result<(), Diagnostic> {
        let Some(position) = self.again.take_if(|position| reader.offset() > position.offset) else { return Ok(()) };
        locked(self.board).muted = false;
        self.is_where(&position)
    }

    /// What was read again has come to the place of the checkpoint.
    fn is_where(&self, position: &Position) -> Result<(), Diagnostic> {
        if (locked(self.board).lines, self.records) == (position.lines, position.records) {
            return Ok(());
        }
        let message = "the stream is not the one that the checkpoint was made of";
        Err(Diagnostic::new(Kind::Input, message).help(checkpoint::ANEW))
    }

    /// The stream is over, or reading it.
    fn end(
        &mut self,
        reader: &dyn Records,
        buffer: &RecordBuffer,
        over: Option<OverBudget>,
        ended: Option<Ended>,
        flow: Flow,
    ) -> Result<Ending, Diagnostic> {
        if let Some(position) = self.again.take() {
            locked(self.board).muted = false;
            if over.is_none() && ended.is_none() && flow == Flow::On {
                if reader.offset() < position.offset {
                    return Err(too_short());
                }
                self.is_where(&position)?;
            }
        }
        locked(self.board).records = self.records;
        if over.is_none() && flow != Flow::Strict {
            self.look_for_names(reader, buffer, ended.is_none() && flow == Flow::On);
        }
        if self.kind.is_none() && over.is_none() {
            self.begin(reader.kind().unwrap_or(RecordKind::Events), reader.initial());
        }
        // Where nothing could be read, nothing is said.
        let nothing = self.records == 0 && !starts(reader);
        let ends = if over.is_some() || flow == Flow::Strict || flow == Flow::Unheard || nothing {
            Vec::new()
        } else {
            self.ends()
        };
        let remark = match (flow, ended) {
            (Flow::Strict, _) => Some("reading stopped at the mistake (--strict)"),
            (Flow::Unheard, _) => Some("reading stopped because nobody reads the output"),
            (_, Some(Ended::Interrupted)) => Some("interrupted: this counts as the end"),
            (_, Some(Ended::Removed)) => Some("the file was removed or replaced: this counts as the end"),
            (_, Some(Ended::Truncated)) => Some("the file has become shorter: this counts as the end"),
            (_, Some(Ended::Limit) | None) => None,
        };
        Ok(Ending { ends, over, remark })
    }

    /// A name that never came may be misspelt, and a variable that nothing assigns is a mistake once everything has come.
    fn look_for_names(&mut self, reader: &dyn Records, buffer: &RecordBuffer, whole: bool) {
        let mut board = locked(self.board);
        if whole && self.records == 0 {
            let nothing = |kind| Diagnostic::new(kind, "no record has come");
            if starts(reader) {
                board.warn("", None, &nothing(Kind::NoEvents));
            } else if !board.has_mistakes() {
                let problem = Problem::in_run(&board.name, nothing(Kind::Input));
                board.refuse(&[problem]);
            }
            return;
        }
        if let (true, Some(field), 0) = (whole, &self.args.key, self.streams.len()) {
            let diagnostic = Diagnostic::new(Kind::Input, format!("no record has a field `{field}`"));
            board.refuse(&[Problem::in_text("--key", diagnostic)]);
        }
        for (i, property) in self.properties.iter().enumerate() {
            if !board.is_followed(i) {
                continue;
            }
            let mut warnings = match &self.monitors[i] {
                Some(monitor) if monitor.divides_by_zero() => vec![properties::division_by_zero(property)],
                _ => Vec::new(),
            };
            let unknown = names::unknown_variables(property, reader.initial(), buffer, whole);
            if !whole {
                warnings.extend(unknown);
            } else if !unknown.is_empty() {
                board.fail(i, property, unknown);
            }
            if whole {
                warnings.extend(self.names.warnings(property));
            }
            for warning in warnings {
                board.warn(&property.file, Some(&property.name), &warning);
            }
        }
    }

    /// What open streams count as.
    fn ends(&mut self) -> Vec<AtEnd> {
        let keyed = self.args.key.is_some();
        let mut ends = vec![AtEnd::default(); self.properties.len()];
        for (i, end) in ends.iter_mut().enumerate() {
            let Some(monitor) = &self.monitors[i] else { continue };
            if !keyed && self.streams.len() == 0 {
                end.count(monitor.answers(&monitor.begin()).satisfied, "");
            }
            for stream in 0..self.streams.len() {
                let Some(live) = self.streams.get(stream, i) else { continue };
                // It could take none of the records.
                if live.instance.records() == 0 {
                    continue;
                }
                let answers = live.last.unwrap_or_else(|| monitor.answers(&live.instance));
                if keyed || answers.prospect == Prospect::Open {
                    end.count(answers.satisfied, self.streams.key(stream));
                }
            }
        }
        ends
    }

    /// Whether nothing more can be told.
    fn can_stop(&self) -> bool {
        // With infinite completions a determined property may still change whether it is satisfied.
        let fixed = self.args.key.is_none() && !self.args.every && self.completions() != Completions::Infinite;
        let none_left = (0..self.properties.len()).all(|i| !locked(self.board).is_followed(i));
        none_left || (fixed && !self.decided.contains(&false))
    }

    fn record(
        &mut self,
        buffer: &mut RecordBuffer,
        line: u64,
        room: &mut Vec<(&'static str, Value)>,
    ) -> Result<Flow, OverBudget> {
        self.records = self.records.saturating_add(1);
        let parts = buffer.take();
        let mut sets = reuse(std::mem::take(room));
        sets.extend(parts.sets);
        let record = Record { name: parts.name, process: parts.process, sets: &sets };
        self.names.see(&record);
        let flow = match (&self.args.key, parts.key) {
            (None, _) => self.read("", &record, line),
            (Some(_), Some(key)) => self.read(key, &record, line),
            (Some(field), None) => Ok(self.miss_key(field, line)),
        };
        *room = reuse(sets);
        flow
    }

    #[cold]
    fn miss_key(&mut self, field: &str, line: u64) -> Flow {
        let mut board = locked(self.board);
        board.records = self.records;
        if !self.args.strict {
            board.miss_key(line);
            return Flow::On;
        }
        let message = format!("a record without `{field}`");
        let diagnostic = Diagnostic::new(Kind::Input, message).at(Place::line_only(line));
        board.leave_out(vec![diagnostic.label(format!("expected a field `{field}`, as --key says"))]);
        Flow::Strict
    }

    /// A record of the stream with this key.
    fn read(&mut self, key: &str, record: &Record<'_>, line: u64) -> Result<Flow, OverBudget> {
        let stream = self.streams.of(key, self.budget)?;
        let (mut flow, mut decides) = (Flow::On, false);
        for i in 0..self.properties.len() {
            let Some(monitor) = &mut self.monitors[i] else { continue };
            let Some(live) = self.streams.live(stream, i, || monitor.begin())? else { continue };
            let answers = match monitor.read(&mut live.instance, record, self.budget) {
                Ok(answers) => answers,
                Err(failure) => {
                    flow = self.miss(i, failure, line)?;
                    if flow != Flow::On {
                        break;
                    }
                    continue;
                }
            };
            let before = live.last.replace(answers);
            if before == Some(answers) && !self.args.every {
                continue;
            }
            let keyed = self.args.key.is_some();
            let position = position(self.kind, &live.instance);
            let mut board = locked(self.board);
            board.records = self.records;
            let hopeless = answers.monitorable == Some(false) && before.is_none_or(|b| b.monitorable != Some(false));
            let told = Told { property: i, key: keyed.then_some(key), position, line, answers, hopeless };
            board.answer(&told, || facts(record, monitor.variables()));
            let was_open = before.is_none_or(|before| before.prospect == Prospect::Open);
            if answers.prospect != Prospect::Open && was_open {
                let holds = answers.prospect == Prospect::Holds;
                board.determine(i, holds, key, position, line);
                decides = true;
                if keyed {
                    self.streams.finish(stream, i, holds);
                } else {
                    self.decided[i] = true;
                }
            }
            if !board.is_heard() {
                flow = Flow::Unheard;
            }
        }
        if decides && flow == Flow::On && self.can_stop() {
            flow = Flow::Enough;
        }
        self.note_progress();
        Ok(flow)
    }

    /// The board knows about how many records have come.
    fn note_progress(&self) {
        if self.records.is_multiple_of(1024) {
            locked(self.board).records = self.records;
        }
    }

    /// A property could not read a record.
    #[cold]
    fn miss(&mut self, i: usize, failure: Error, line: u64) -> Result<Flow, OverBudget> {
        let mut board = locked(self.board);
        board.records = self.records;
        match failure.into_diagnostics() {
            Ok(mistakes) => {
                board.mistype(&self.properties[i], mistakes, line);
                Ok(if self.args.strict { Flow::Strict } else { Flow::On })
            }
            // A raised stop ends the work; a property that found no memory leaves it to the others.
            Err(over) => {
                self.budget.step(0, over.what)?;
                board.give_up(i, over);
                self.monitors[i] = None;
                self.streams.drop_property(i);
                self.decided[i] = true;
                drop(board);
                Ok(if self.can_stop() { Flow::Enough } else { Flow::On })
            }
        }
    }

    /// Keeps a place to go on from.
    fn save(&mut self, reader: &mut dyn Records, buffer: &RecordBuffer) -> Result<(), Diagnostic> {
        let Some(path) = &self.args.checkpoint else { return Ok(()) };
        self.saved_at = self.records;
        let cannot = |error: std::io::Error| {
            let message = format!("cannot write the checkpoint `{}`: {}", path.display(), system_error(&error));
            Diagnostic::new(Kind::Input, message)
        };
        let mut board = locked(self.board);
        board.records = self.records;
        board.sync().map_err(cannot)?;
        // What was not written cannot be relied on, and what was given up need not be another time.
        if !board.is_heard() || board.is_cancelled() {
            return Ok(());
        }
        let saved = reader.save();
        // A reader that goes on from here warns of what comes then; one that starts anew warns of everything again.
        if saved.is_some() {
            board.gather(reader.warnings());
        }
        let position = Position {
            offset: reader.offset(),
            records: self.records,
            reader: saved,
            lines: board.lines,
            bytes: board.length(),
            board: board.save(),
            names: self.names.save(buffer),
        };
        drop(board);
        let saved = |stream: usize, (i, monitor): (usize, &Option<Monitor>)| match self.streams.place(stream, i) {
            streams::Place::Done { holds } => Saved::Done { holds },
            streams::Place::New | streams::Place::Live(_) => match (self.streams.get(stream, i), monitor) {
                (Some(live), Some(monitor)) => Saved::Live(monitor.save(&live.instance)),
                _ => Saved::New,
            },
        };
        let streams = (0..self.streams.len()).map(|stream| {
            let properties = self.monitors.iter().enumerate().map(|property| saved(stream, property));
            (self.streams.key(stream).to_owned(), properties.collect())
        });
        checkpoint::write(path, &self.asked, &position, streams).map_err(cannot)
    }
}

/// The position that the last record of a stream made.
fn position(kind: Option<RecordKind>, instance: &Instance) -> u64 {
    match kind {
        Some(RecordKind::States) => instance.records().saturating_sub(1),
        Some(RecordKind::Events) | None => instance.records(),
    }
}

/// An empty list in the room of another.
fn reuse<'b>(mut list: Vec<(&str, Value)>) -> Vec<(&'b str, Value)> {
    list.clear();
    list.into_iter().map(|(_, value)| ("", value)).collect()
}

/// What a record says of the variables of a property.
fn facts(record: &Record<'_>, variables: &[String]) -> String {
    let mut facts: Vec<String> = record.name.iter().map(|name| clean(name).into_owned()).collect();
    let mut sets = record.sets.iter().filter(|(name, _)| variables.iter().any(|v| v == name));
    for (name, value) in sets.by_ref().take(FACTS) {
        facts.push(format!("{} = {}", clean(name), short(&value.to_string(), VALUE_WIDTH)));
    }
    if sets.next().is_some() {
        facts.push("…".to_owned());
    }
    if facts.is_empty() { String::new() } else { format!(": {}", facts.join(", ")) }
}
