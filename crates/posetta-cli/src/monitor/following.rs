//! The records of a stream, one after the other: each is handed to the [`Watcher`], and what it says goes to the board.

use std::fs::File;
use std::io;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};

use posetta_base::{Budget, Diagnostic, Error, Kind, OverBudget, Place, Value};
use posetta_formats::Format;
use posetta_formats::records::{self, RecordBuffer, RecordKind, Records};
use posetta_monitor::{AtEnd, Bookmark, Checkpoint, Notice, Record, Refusal, Restored, Source, Stream, Watcher};
use posetta_tell::watched::{Stopped, facts};

use super::board::Board;
use super::checkpoint::{self, ANEW};
use super::source::Ended;
use crate::args::MonitorArgs;
use crate::limited::locked;
use crate::problem::Problem;
use crate::properties::Named;
use crate::signals;

/// Records between two checkpoints.
const BETWEEN_CHECKPOINTS: u64 = 10_000;

/// How it ended.
pub struct Ending {
    /// What open streams count as, for each property.
    pub ends: Vec<AtEnd>,
    pub over: Option<OverBudget>,
    pub stopped: Option<Stopped>,
}

/// Everything that follows the stream.
pub struct Following<'a> {
    pub args: &'a MonitorArgs,
    pub properties: &'a [Named],
    pub watcher: Watcher,
    pub board: &'a Mutex<Board>,
    pub budget: &'a Budget,
    /// How many records had come at the last checkpoint.
    saved_at: u64,
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

impl<'a> Following<'a> {
    pub fn new(
        args: &'a MonitorArgs,
        properties: &'a [Named],
        watcher: Watcher,
        board: &'a Mutex<Board>,
        budget: &'a Budget,
    ) -> Self {
        Self { args, properties, watcher, board, budget, saved_at: 0 }
    }

    /// Tells which properties cannot be followed, before the stream is waited for.
    pub fn tell_failures(&self) {
        self.tell(None);
    }

    /// Takes everything back from a checkpoint. Answers `false` if some of it cannot be: then the stream is to be read again.
    pub fn restore(
        &mut self,
        checkpoint: Checkpoint<File>,
        format: Format,
        buffer: &mut RecordBuffer,
    ) -> Result<bool, Refusal> {
        let (bookmark, records) = (checkpoint.bookmark().clone(), checkpoint.records());
        let mut trial = buffer.clone();
        // A reader of nothing knows what the records are.
        let reader = bookmark.reader.as_deref().and_then(|saved| {
            records::resume(format, Box::new(io::empty()), bookmark.offset, saved, &mut trial, self.budget)
        });
        if reader.is_some() && self.args.out.is_none() && bookmark.bytes.is_some() {
            return Err(Refusal::Impossible);
        }
        let source =
            reader.as_ref().map(|reader| Source::new(reader.line(), reader.kind().map(stream), reader.initial()));
        match self.watcher.restore(checkpoint, source.as_ref(), self.budget)? {
            Restored::Everything => {
                locked(self.board).take_back(&self.watcher, &bookmark);
                self.saved_at = records;
                *buffer = trial;
                Ok(true)
            }
            Restored::ReadAgain => Ok(false),
        }
    }

    /// Makes the monitors, now that it is known what the records are.
    fn begin(&mut self, kind: RecordKind, initial: &[(String, Value)]) {
        self.watcher.begin(stream(kind), initial, self.budget);
        self.tell(None);
        locked(self.board).doing = "following the stream";
    }

    pub fn follow(
        mut self,
        mut reader: Box<dyn Records>,
        buffer: &mut RecordBuffer,
        ended: &Mutex<Option<Ended>>,
        heard: &AtomicBool,
    ) -> Result<Ending, Diagnostic> {
        let mut flow = if self.watcher.is_settled() { Flow::Enough } else { Flow::On };
        let mut over = None;
        // The room of one record for the next.
        let mut room: Vec<(&'static str, Value)> = Vec::new();
        while flow == Flow::On {
            // The source ends at its next wait; what it has handed on is read until then.
            if signals::asked() {
                heard.store(true, SeqCst);
            }
            let next = reader.next(buffer);
            self.reach(&*reader)?;
            let read = match next {
                Ok(false) => break,
                Ok(true) => {
                    if self.watcher.stream().is_none() {
                        self.begin(reader.kind().unwrap_or(RecordKind::States), reader.initial());
                    }
                    self.record(buffer, &*reader, &mut room)
                }
                Err(error) => Err(error),
            };
            match read {
                Ok(next) => flow = next,
                Err(Error::OverBudget(reached)) => {
                    over = Some(reached);
                    break;
                }
                Err(error) => {
                    let mut mistakes = error.diagnostics().to_vec();
                    // A line may be damaged; a stream that is not what it is read as has no verdict.
                    if let Some(at) = mistakes.iter().position(|mistake| mistake.kind == Kind::Format) {
                        return Err(mistakes.swap_remove(at));
                    }
                    locked(self.board).leave_out(mistakes);
                    flow = if self.args.strict { Flow::Strict } else { Flow::On };
                }
            }
            let every = self.args.checkpoint_every.map_or(BETWEEN_CHECKPOINTS, u64::from);
            // Lines without a record, however many, are no reason to write another one.
            let records = self.records();
            if !self.watcher.is_reading_again() && records.is_multiple_of(every) && records != self.saved_at {
                self.save(&mut *reader)?;
            }
        }
        let ended = *locked(ended);
        if ended == Some(Ended::Limit) {
            over = over.or(self.budget.step(0, "waiting for the stream").err());
        }
        if !self.watcher.is_reading_again() && flow != Flow::Strict && !self.watcher.is_torn() {
            self.save(&mut *reader)?;
        }
        let mut board = locked(self.board);
        board.gather(reader.warnings());
        board.warn_of_the_stream();
        drop(board);
        self.end(&*reader, buffer, over, ended, flow)
    }

    fn records(&self) -> u64 {
        self.watcher.counts().records
    }

    /// Past the place of a checkpoint things are told again.
    fn reach(&mut self, reader: &dyn Records) -> Result<(), Diagnostic> {
        if !self.watcher.is_reading_again() {
            return Ok(());
        }
        let mut board = locked(self.board);
        let reached = self.watcher.reach(reader.offset(), board.lines);
        board.muted = self.watcher.is_muted();
        reached.map_err(|refusal| checkpoint::of_another_stream(&refusal))
    }

    fn record(
        &mut self,
        buffer: &mut RecordBuffer,
        reader: &dyn Records,
        room: &mut Vec<(&'static str, Value)>,
    ) -> Result<Flow, Error> {
        let parts = buffer.take();
        // Most records assign nothing that a property reads.
        let mut sets = Vec::new();
        if parts.sets.len() > 0 {
            sets = std::mem::take(room);
            sets.extend(parts.sets);
        }
        let record = Record::of(parts.process, parts.name, &sets).with_attributes(parts.attributes);
        let read = self.watcher.read(parts.key, &record, reader.line(), self.budget).map(|_| ());
        let mut flow = Flow::On;
        if !self.watcher.notices().is_empty() {
            flow = self.tell(Some((&record, reader)));
            if flow == Flow::On && self.watcher.is_settled() {
                flow = Flow::Enough;
            }
        } else if self.records().is_multiple_of(1024) {
            // The board knows about how many records have come.
            locked(self.board).stream.records = self.records();
        }
        if !sets.is_empty() {
            *room = reuse(sets);
        }
        read.map(|()| flow)
    }

    /// Tells what the watcher says, of a record and where that was read if it is of one.
    fn tell(&self, record: Option<(&Record<'_>, &dyn Records)>) -> Flow {
        let mut board = locked(self.board);
        board.muted = self.watcher.is_muted();
        board.stream.records = self.records();
        for notice in self.watcher.notices() {
            match notice {
                Notice::Answered(told) => {
                    let keyed = self.watcher.is_keyed(told.property);
                    let key = keyed.then(|| self.watcher.key(told.stream));
                    let variables =
                        || self.watcher.monitor(told.property).map_or(&[][..], |monitor| monitor.variables());
                    let when = record.and_then(|(_, reader)| reader.when());
                    board.answer(told, key, when, || {
                        record.map_or_else(String::new, |(record, _)| facts(record, variables()))
                    });
                    if told.determines() {
                        board.count(told.property, self.watcher.tally(told.property));
                    }
                }
                Notice::Mistyped { property, line, mistakes } => {
                    board.mistype(&self.properties[property.index()], mistakes, *line);
                    if self.args.strict {
                        return Flow::Strict;
                    }
                }
                Notice::Keyless { line } if self.args.strict => {
                    let field = self.args.key.as_deref().unwrap_or_default();
                    let diagnostic = Diagnostic::new(Kind::Input, format!("a record without `{field}`"));
                    let diagnostic = diagnostic.at(Place::line_only(*line));
                    board.leave_out(vec![diagnostic.label(format!("expected a field `{field}`, as --key says"))]);
                    return Flow::Strict;
                }
                Notice::Keyless { .. } => board.stream.miss_key(self.watcher.counts()),
                Notice::Failed { property, mistakes } => {
                    board.fail(*property, &self.properties[property.index()], mistakes);
                }
                Notice::GivenUp { property, over } => board.give_up(property.index(), *over),
                Notice::Warned { property, warning } => {
                    let Named { file, name, .. } = &self.properties[property.index()];
                    board.warn(file, Some(name), warning);
                }
                _ => {}
            }
        }
        if board.is_heard() { Flow::On } else { Flow::Unheard }
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
        let mut board = locked(self.board);
        if over.is_none() && ended.is_none() && flow == Flow::On {
            let reached = self.watcher.reach_end(reader.offset(), board.lines);
            reached.map_err(|refusal| checkpoint::of_another_stream(&refusal))?;
        }
        self.watcher.speak();
        board.muted = false;
        board.stream.records = self.records();
        drop(board);
        let whole = ended.is_none() && flow == Flow::On;
        if over.is_none() && flow != Flow::Strict {
            // What was left out may have been the only thing that said anything.
            if whole && !locked(self.board).has_mistakes() {
                reader.finish()?;
            }
            self.look_for_names(reader, buffer, whole);
        }
        if self.watcher.stream().is_none() && over.is_none() {
            self.begin(reader.kind().unwrap_or(RecordKind::Events), reader.initial());
        }
        // Where nothing could be read, nothing is said.
        let nothing = self.records() == 0 && !starts(reader);
        let ends = if over.is_some() || flow == Flow::Strict || flow == Flow::Unheard || nothing {
            Vec::new()
        } else {
            self.watcher.ends()
        };
        let stopped = match (flow, ended) {
            (Flow::Strict, _) => Some(Stopped::AtMistake),
            (Flow::Unheard, _) => Some(Stopped::Unread),
            (_, Some(Ended::Interrupted)) => Some(Stopped::Interrupted),
            (_, Some(Ended::Removed)) => Some(Stopped::Removed),
            (_, Some(Ended::Truncated)) => Some(Stopped::Truncated),
            (_, Some(Ended::Limit) | None) => None,
        };
        Ok(Ending { ends, over, stopped })
    }

    /// A name that never came may be misspelt, and a variable that nothing assigns is a mistake once everything has come.
    fn look_for_names(&mut self, reader: &dyn Records, buffer: &RecordBuffer, whole: bool) {
        let mut board = locked(self.board);
        if whole && self.records() == 0 {
            let nothing = |kind| Diagnostic::new(kind, "no record has come");
            if starts(reader) {
                board.warn("", None, &nothing(Kind::NoEvents));
            } else if !board.has_mistakes() {
                let problem = Problem::in_run(&board.stream.name, nothing(Kind::Input));
                board.refuse(&[problem]);
            }
            return;
        }
        if let (true, Some(field), 0) = (whole, &self.args.key, self.watcher.streams()) {
            let diagnostic = Diagnostic::new(Kind::Input, format!("no record has a field `{field}`"));
            board.refuse(&[Problem::in_text("--key", diagnostic)]);
        }
        drop(board);
        self.watcher.know(buffer.seen());
        self.watcher.finish(whole);
        self.tell(None);
    }

    /// Keeps a place to go on from, if that was asked for.
    fn save(&mut self, reader: &mut dyn Records) -> Result<(), Diagnostic> {
        let Some(path) = &self.args.checkpoint else { return Ok(()) };
        self.saved_at = self.records();
        let cannot = |error: io::Error| checkpoint::cannot_write(path, &error);
        let mut board = locked(self.board);
        board.stream.records = self.records();
        board.sync().map_err(cannot)?;
        // What was not written cannot be relied on, and what was given up need not be another time.
        if !board.is_heard() || board.stream.is_cancelled() {
            return Ok(());
        }
        let saved = reader.save();
        // A reader that goes on from here warns of what comes then; one that starts anew warns of everything again.
        if saved.is_some() {
            board.gather(reader.warnings());
        }
        let bookmark = board.bookmark(reader.offset(), saved);
        drop(board);
        checkpoint::write(path, &self.watcher, &bookmark).map_err(cannot)
    }
}

/// What the records of a reader are.
fn stream(kind: RecordKind) -> Stream {
    match kind {
        RecordKind::States => Stream::States,
        RecordKind::Events => Stream::Events,
    }
}

/// Whether a stream has begun although no record has come: declared values are a position, or the start of one.
fn starts(reader: &dyn Records) -> bool {
    reader.kind() == Some(RecordKind::Events) || !reader.initial().is_empty()
}

/// The reader of what stands behind the checkpoint, where the source is.
pub fn go_on(
    source: super::Source,
    format: Format,
    bookmark: &Bookmark,
    buffer: &mut RecordBuffer,
    budget: &Budget,
) -> Result<Box<dyn Records>, Diagnostic> {
    let saved = bookmark.reader.as_deref().unwrap_or_default();
    let reader = records::resume(format, Box::new(source), bookmark.offset, saved, buffer, budget);
    reader.ok_or_else(|| Diagnostic::new(Kind::Input, "the checkpoint does not fit the stream").help(ANEW))
}

/// An empty list in the room of another.
fn reuse<'b>(mut list: Vec<(&str, Value)>) -> Vec<(&'b str, Value)> {
    list.clear();
    list.into_iter().map(|(_, value)| ("", value)).collect()
}
