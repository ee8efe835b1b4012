//! `posetta check --follow`: one run while it is written.
//!
//! A [`Feed`] puts the records in order, and one [`Online`] for each property follows what it hands on. What is certain is told at
//! once, and when everything is, reading stops. What has been told is on the [`Board`], which the watchdog sees too: past a
//! limit it reports from there while the work may sit in a read that never returns.

mod told;

use std::io::{BufRead, BufReader, Cursor, ErrorKind, Read};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use posetta_base::{Budget, Diagnostic, Error, Kind, OverBudget, Place, WantedAttributes};
use posetta_check::{Online, Prospect};
use posetta_formats::{Format, Mapping, Unpacked, jsonl, mapping};
use posetta_logic::Formula;
use posetta_tell::about;
use posetta_tell::followed::Moment;
use posetta_trace::{Arrival, Feed, Heard};

use crate::args::{CheckArgs, Form};
use crate::files;
use crate::inputs::extension;
use crate::limited::locked;
use crate::limits::{Interruption, Limits, Watchdog};
use crate::problem::Problem;
use crate::properties::{self, Named, Source};
use crate::read::{self, Reading};
use crate::reports::Reports;
use told::Board;

/// Large enough to read files fast; of a pipe what is there is read, however little.
const BUFFER: usize = 1 << 18;
/// So much of the beginning is waited for at most, before the format is looked for.
const START: usize = 1 << 20;
/// So long between two looks at how far the run is and who holds things back: a limit reports what was seen last.
const LOOK: Duration = Duration::from_millis(100);

/// Runs the command and answers with the exit status.
pub fn run(args: &CheckArgs, sources: &[Source], started: Instant) -> u8 {
    let limits = Limits::new(started, args.timeout, args.memory.memory);
    let budget = Budget::with_memory(limits.memory);
    let json = args.report.stdout() == Form::Json;
    let reports = match Reports::begin_lines(&args.report, "a run that is followed", None) {
        Ok(reports) => reports,
        Err(status) => return status,
    };
    let board = Arc::new(Mutex::new(Board::new(json, args.stats, reports)));
    let watchdog = {
        let (board, shown) = (Arc::clone(&board), Arc::clone(&board));
        let told = move || locked(&shown).progress();
        Watchdog::start(limits, budget.stop_handle(), Interruption::Stops, told, move |limit| {
            let mut board = locked(&board);
            let over = OverBudget::new(board.doing, limit);
            board.stop(over);
            board.deliver()
        })
    };
    work(args, sources, &board, &budget);
    watchdog.finish();
    locked(&board).deliver()
}

fn work(args: &CheckArgs, sources: &[Source], board: &Mutex<Board>, budget: &Budget) {
    let properties = match properties::read_chosen(sources, &args.root, &args.properties.only) {
        Ok(properties) => properties,
        Err(problems) => return locked(board).refuse(&problems),
    };
    let input = match args.runs.as_slice() {
        [] => Path::new("-"),
        [one] => one,
        [_, second, ..] => {
            let name = second.display();
            let message = format!("--follow reads one run, and `{name}` is another");
            let diagnostic = Diagnostic::new(Kind::Input, message).help("start a program for each of them");
            return locked(board).refuse(&[Problem::in_text("--follow", diagnostic)]);
        }
    };
    let mapping = match mapping(args) {
        Ok(mapping) => mapping,
        Err(problem) => return locked(board).refuse(&[*problem]),
    };
    let name = input.display().to_string();
    {
        let mut board = locked(board);
        board.run.begin(&name, &properties);
        board.doing = "waiting for the run";
    }
    refuse_cuts(&properties, board, budget);
    let mut following = Following {
        onlines: properties.iter().map(|_| None).collect(),
        properties,
        board,
        budget,
        looked: None,
        unheard: false,
        open: locked(board).open(),
        names: Vec::new(),
    };
    if !following.any_open() {
        return;
    }
    let reader: Box<dyn BufRead> = if name == "-" {
        Box::new(BufReader::with_capacity(BUFFER, std::io::stdin().lock()))
    } else {
        match files::open(input) {
            Ok(file) => Box::new(BufReader::with_capacity(BUFFER, file)),
            Err(error) => {
                return locked(board).refuse(&[Problem::in_run(&name, read::cannot_read(&name, &error))]);
            }
        }
    };
    match Unpacked::new(reader) {
        Ok(reader) => following.follow(begun(Box::new(reader)), input, args.input.from, mapping.as_deref()),
        Err(error) => locked(board).refuse(&[Problem::in_run(&name, read::cannot_read(&name, &error))]),
    }
}

/// What the fields of records mean, if the arguments say so.
fn mapping(args: &CheckArgs) -> Result<Option<Arc<Mapping>>, Box<Problem>> {
    let reading = Reading::new(&args.input)?;
    let Some(mapping) = reading.options.mapping else { return Ok(None) };
    let refused = match (args.input.skew, args.input.from) {
        (Some(_), _) => Some(("--skew", "by their clocks, events that have not come may be before those that have")),
        (_, Some(Format::Csv)) => Some(("--from", "a table is not followed: records with --map are JSON")),
        _ => None,
    };
    match refused {
        None => Ok(Some(mapping)),
        Some((flag, message)) => {
            let diagnostic = Diagnostic::new(Kind::Unsupported, message).help("leave out --follow");
            Err(Box::new(Problem::in_text(flag, diagnostic)))
        }
    }
}

/// A reader whose first buffer has the first line that is not blank, whole, unless it is very long: a writer may begin with a single
/// byte, and what the run is must not depend on that. The watchdog sees to limits and interruptions meanwhile.
fn begun(mut reader: Box<dyn BufRead>) -> Box<dyn BufRead> {
    let mut start = Vec::new();
    // So far no byte of a line has come.
    let mut blank = true;
    loop {
        let piece = match reader.fill_buf() {
            Ok(piece) => piece,
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            // Whoever reads on is told the same.
            Err(_) => break,
        };
        let read = piece.len();
        let before = if blank { 0 } else { start.len() };
        start.extend_from_slice(piece);
        reader.consume(read);
        blank = blank && read::is_blank(&start);
        let whole = !blank && ends_line(&start, before);
        if read == 0 || whole || start.len() >= START {
            break;
        }
    }
    Box::new(Cursor::new(start).chain(reader))
}

/// Whether a line that is not blank ends here, at or behind this place.
fn ends_line(start: &[u8], from: usize) -> bool {
    let end = start[from..].iter().rposition(|&b| b == b'\n');
    end.is_some_and(|end| !read::is_blank(&start[..from + end]))
}

/// Some properties of cuts cannot be followed, which is told before the run is waited for.
fn refuse_cuts(properties: &[Named], board: &Mutex<Board>, budget: &Budget) {
    for (i, property) in properties.iter().enumerate() {
        if let Formula::Ctl(_) = property.property.formula
            && let Err(Error::Invalid(mistakes)) = Online::new(&property.property, &[], None, budget)
        {
            locked(board).fail(i, property, mistakes);
        }
    }
}

struct Following<'a> {
    properties: Vec<Named>,
    /// One for each property, while its verdict is open or its run may still be a mistake.
    onlines: Vec<Option<Online>>,
    board: &'a Mutex<Board>,
    budget: &'a Budget,
    /// When the board was last brought up to date.
    looked: Option<Instant>,
    /// Whether anybody reads what is told.
    unheard: bool,
    /// Which properties are open.
    open: Vec<bool>,
    /// The names of the processes that have had events, by number.
    names: Vec<String>,
}

impl Following<'_> {
    fn any_open(&self) -> bool {
        self.open.contains(&true)
    }

    fn follow(&mut self, mut reader: Box<dyn BufRead>, input: &Path, from: Option<Format>, mapping: Option<&Mapping>) {
        let name = input.display().to_string();
        let (mut feed, budget) = (Feed::new(), self.budget);
        feed.want(WantedAttributes::new(self.properties.iter().flat_map(|p| p.attributes.iter().cloned())));
        let ended = match mapping {
            Some(mapping) => mapping::follow(reader, mapping, &mut feed, budget, |heard, feed| self.hear(heard, feed)),
            None => match is_json_lines(&mut reader, input, from) {
                Ok(format) => {
                    let states = format == Format::States;
                    jsonl::follow(reader, states, &mut feed, budget, |heard, feed| self.hear(heard, feed))
                }
                Err(problem) => return locked(self.board).refuse(&[Problem::in_run(&name, problem)]),
            },
        };
        let mut board = locked(self.board);
        board.look(&feed);
        if let Some(lack) = feed.unmarked().filter(|_| ended.is_ok()) {
            board.warn_of_the_run(&about::lacking(std::slice::from_ref(lack)));
        }
        board.note_lack(&feed);
        match ended {
            Err(Error::OverBudget(over)) => board.stop(over),
            Err(error) => {
                let mistakes = error.diagnostics().iter().cloned();
                let problems: Vec<Problem> = mistakes.map(|d| Problem::in_run(&name, d)).collect();
                board.refuse(&problems);
            }
            // Who stops early has not seen all names.
            Ok(warnings) if self.any_open() => {
                board.warn_of_the_run(&warnings);
                self.finish(&mut board);
            }
            Ok(warnings) => {
                board.warn_of_the_run(&warnings);
                for (i, online) in self.onlines.iter().enumerate() {
                    let Some(online) = online else { continue };
                    board.run.outcomes[i].held = Some(online.held());
                    board.run.outcomes[i].instances = online.instances();
                    board.warn(&self.properties[i], &online.warnings(false));
                }
            }
        }
    }

    fn hear(&mut self, heard: Heard<'_>, feed: &Feed) -> Result<ControlFlow<()>, Error> {
        let moment = match &heard {
            Heard::Event(event) => {
                let position = event.clock[event.process.index()];
                Moment { line: event.line, event: Some((event.process_name, position)), events: feed.events() }
            }
            Heard::Sign { line } | Heard::Late { line, .. } => {
                Moment { line: *line, event: None, events: feed.events() }
            }
            Heard::Start { .. } => Moment { line: 1, event: None, events: 0 },
        };
        if let Heard::Late { name, line, .. } = heard {
            self.refuse_late(name, line)?;
        }
        if let Heard::Event(event) = &heard {
            self.remember(event);
        }
        let mut failed = Vec::new();
        let mut changed = false;
        for (i, place) in self.onlines.iter_mut().enumerate() {
            let heard_by = match (&heard, place.as_mut()) {
                (Heard::Start { initial, processes }, None) => {
                    if !self.open[i] {
                        continue;
                    }
                    let online = Online::new(&self.properties[i].property, initial, *processes, self.budget);
                    online.map(|online| *place = Some(online))
                }
                (Heard::Event(event), Some(online)) => online.arrive(event, feed.frontier()),
                (Heard::Sign { .. }, Some(online)) => online.hear(feed.frontier()),
                (_, None) | (Heard::Start { .. } | Heard::Late { .. }, Some(_)) => continue,
            };
            match heard_by {
                Err(failure) => failed.push((i, failure)),
                Ok(()) => {
                    let prospect = place.as_ref().map_or(Prospect::Open, Online::prospect);
                    changed |= self.open[i] && prospect != Prospect::Open;
                }
            }
        }
        // Nearly always there is nothing to tell.
        let now = Instant::now();
        if changed || !failed.is_empty() || self.looked.is_none_or(|looked| now - looked >= LOOK) {
            self.tell(failed, &moment, feed)?;
            self.looked = Some(now);
        }
        Ok(if self.any_open() && !self.unheard { ControlFlow::Continue(()) } else { ControlFlow::Break(()) })
    }

    /// Remembers the name of a process.
    fn remember(&mut self, event: &Arrival<'_>) {
        let process = event.process.index();
        if self.names.len() <= process {
            self.names.resize_with(process + 1, String::new);
        }
        if self.names[process].is_empty() {
            self.names[process].push_str(event.process_name);
        }
    }

    /// Puts what has changed on the board.
    #[cold]
    fn tell(&mut self, failed: Vec<(usize, Error)>, moment: &Moment<'_>, feed: &Feed) -> Result<(), Error> {
        let mut board = locked(self.board);
        board.doing = "following the run";
        board.look(feed);
        board.note_lack(feed);
        for (i, failure) in failed {
            self.onlines[i] = None;
            match failure.into_diagnostics() {
                Ok(mistakes) => board.fail(i, &self.properties[i], mistakes),
                Err(over) => board.give_up(i, over, moment),
            }
        }
        for (i, online) in self.onlines.iter().enumerate() {
            if let Some(online) = online {
                let label = |process: usize| self.names.get(process).map_or("?", String::as_str);
                let culprits = online.culprits().into_iter();
                let culprits: Vec<(String, u64)> =
                    culprits.map(|c| (format!("{}.{}", label(c.process.index()), c.place), c.line)).collect();
                if board.run.outcomes[i].is_open() && online.prospect() != Prospect::Open {
                    board.run.outcomes[i].instances = online.instances();
                }
                board.settle(i, online.prospect(), moment, &culprits);
            }
        }
        self.open = board.open();
        self.unheard = board.unheard;
        // A raised stop ends the work; a property that found no memory leaves it to the others.
        Ok(self.budget.step(0, board.doing)?)
    }

    /// A value before any event that a property needs must be known before the first.
    fn refuse_late(&self, name: &str, line: u64) -> Result<(), Error> {
        let needs = |(property, open): &(&Named, &bool)| **open && property.variables.iter().any(|v| v == name);
        let Some((property, _)) = self.properties.iter().zip(&self.open).find(needs) else { return Ok(()) };
        let message = format!("the first value of `{name}` is declared after the first record");
        Err(Diagnostic::new(Kind::Input, message)
            .at(Place::line_only(line))
            .label(format!("`{}` has been followed without it", property.name))
            .help("a run that is followed declares its values before its first record; without --follow they may come later")
            .into())
    }

    /// The run is over: open properties are decided by what has come.
    fn finish(&mut self, board: &mut Board) {
        for (i, online) in self.onlines.iter_mut().enumerate() {
            let Some(online) = online.take() else { continue };
            board.run.outcomes[i].held = Some(online.held());
            board.run.outcomes[i].instances = online.instances();
            match online.finish() {
                Ok((satisfied, warnings)) => board.end(i, &self.properties[i], satisfied, &warnings),
                Err(mistakes) => board.fail(i, &self.properties[i], mistakes.into_vec()),
            }
        }
    }
}

/// Other formats need the whole file.
fn is_json_lines(reader: &mut impl BufRead, input: &Path, from: Option<Format>) -> Result<Format, Diagnostic> {
    let format = match reader.fill_buf() {
        // Only blank lines so far, and more of them than are waited for.
        Ok(start) if start.len() >= START && read::is_blank(start) => from.unwrap_or(Format::JsonLines),
        Ok(start) => read::format_of(&input.display().to_string(), start, extension(input), from)?,
        // Whoever reads on is told the same.
        Err(_) => Format::JsonLines,
    };
    match format {
        Format::JsonLines | Format::States => Ok(format),
        format => {
            let message = format!("a run in the format {} cannot be followed", format.name());
            let help = "JSON lines can: one object for each event, as docs/formats/jsonl.md has it; `posetta convert` writes them";
            Err(Diagnostic::new(Kind::Unsupported, message).help(help))
        }
    }
}
