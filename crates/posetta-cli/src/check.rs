//! `posetta check`.
//!
//! Every run is read once. A property whose variables the run knows is checked at once and the run is dropped when its
//! last property is decided. A variable that this run does not know may be known to another: such a check waits until a
//! run with it has been read, at most until all have been, and then comes first. With one run nothing waits.

mod elsewhere;
mod reading;
mod told;

use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use std::time::Instant;

use posetta_base::{Budget, Claim, Diagnostic, Error, Kind, Limit, Verdict};
use posetta_check::{Answer, Engine, Options, Question};
use posetta_tell::Word;
use posetta_tell::conformed::Followed;
use posetta_tell::decided::RELIANCE;
use posetta_trace::Trace;

use self::told::Decided;
use crate::args::{CheckArgs, EngineName, WitnessWhen};
use crate::baseline::Baseline;
use crate::board::{Board, Slot};
use crate::cache::{self, Cache};
use crate::conform::{self, Model};
use crate::inputs::{self, Input};
use crate::limited::locked;
use crate::limits::{Interruption, Limits, Watchdog};
use crate::places::Places;
use crate::pool::{self, Queue};
use crate::problem::Problem;
use crate::progress::{Doing, Now};
use crate::properties::{self, Named, Source};
use crate::read::{NamedRuns, Reading};
use crate::reports::Reports;
use crate::sampling::SamplingArgs;
use crate::stream::Stream;
use crate::{across, deny, memory};

/// More than any machine can use, whatever `--jobs` says.
const MOST_THREADS: usize = 1024;

/// Runs the command and answers with the exit status.
pub fn run(args: &CheckArgs, sources: &[Source], started: Instant) -> u8 {
    let limits = Limits::new(started, args.timeout, args.memory.memory);
    let budget = Budget::with_memory(limits.memory);
    let board = Arc::new(Board::default());
    let reports = match Reports::begin(&args.report, args.baseline.as_deref().filter(|_| args.update_baseline)) {
        Ok(reports) => Arc::new(reports),
        Err(status) => return status,
    };
    let doing = Arc::new(Doing::default());
    let stream = Arc::new(Stream::new(Arc::clone(&reports), args.stats));
    let watchdog = {
        let (board, stream, stop) = (Arc::clone(&board), Arc::clone(&stream), budget.stop_handle());
        let told = {
            let (board, doing) = (Arc::clone(&board), Arc::clone(&doing));
            move || board.lock().progress(doing.told())
        };
        Watchdog::start(limits, budget.stop_handle(), Interruption::Stops, told, move |limit| {
            stream.finish(&board, |report| report.close(limit, stop.explored(), started.elapsed().as_secs_f64()))
        })
    };
    decide(args, sources, &reports, &Shown { board: &board, stream: &stream, doing: &doing }, &budget);
    watchdog.finish();
    stream.finish(&board, |_| ())
}

/// Where the work is seen while it goes on.
struct Shown<'a> {
    board: &'a Board,
    stream: &'a Stream,
    doing: &'a Doing,
}

/// Fills the board.
fn decide(args: &CheckArgs, sources: &[Source], reports: &Reports, shown: &Shown<'_>, budget: &Budget) {
    let Shown { board, stream, doing } = *shown;
    let prepared = args.cache.as_deref().map(cache::Prepared::begin);
    let sampling = &args.input.sampling;
    let clocked = match properties::read_clocked(sources, &args.root, &args.properties.only, sampling) {
        Ok(clocked) => clocked,
        Err(problems) => {
            // A property with a mistake has no answer, and the answers to the others would hide that. Only what somebody else wrote for
            // another tool, directives of PSL, is asked as far as it can be read.
            let mut report = board.lock();
            report.problems = problems;
            report.preparing = None;
            return;
        }
    };
    let (properties, samplings, unread) = (Arc::new(clocked.properties), clocked.samplings, clocked.unread);
    let model = match args.model.as_deref().map(|path| {
        board.lock().preparing = Some("reading the model");
        Model::read(path, args.system.as_deref(), &args.runs, &args.root).map(Arc::new)
    }) {
        Some(Err(problems)) => {
            let mut report = board.lock();
            report.problems = problems;
            report.preparing = None;
            return;
        }
        Some(Ok(model)) => Some(model),
        None => None,
    };
    board.lock().preparing = Some("finding the runs");
    let reading = |sampling: SamplingArgs| -> Result<Reading, Box<Problem>> {
        let reading = Reading::new(&args.input)?.sampled(sampling);
        // Pictures and models are about all that a run has.
        if reports.draws().is_some() || model.is_some() {
            return Ok(reading);
        }
        Ok(reading.wanting(properties.iter().flat_map(|property| &property.variables)))
    };
    let mut more = match samplings.into_iter().map(reading).collect::<Result<Vec<_>, _>>() {
        Ok(readings) => readings,
        Err(problem) => {
            let mut report = board.lock();
            report.problems = vec![*problem];
            report.preparing = None;
            return;
        }
    };
    let reading = more.remove(0);
    let (inputs, problems) = match &args.received {
        Some(received) => (received.inputs(args.join.join), received.problems.clone()),
        None => inputs::expand(&args.runs, args.join.join, &reading, &args.root),
    };
    let files = inputs.len();
    let (inputs, beside): (Vec<Input>, Vec<Input>) = match args.shard {
        Some(shard) => inputs.into_iter().partition(|input| shard.has(input)),
        None => (inputs, Vec::new()),
    };
    if let Some(shard) = args.shard {
        if inputs.iter().chain(&beside).any(|input| *input == Input::Stdin) {
            let message = "--shard is for files, and standard input is none";
            let mut report = board.lock();
            report.problems = vec![Problem::in_text("--shard", Diagnostic::new(Kind::Input, message))];
            report.preparing = None;
            return;
        }
        stream.set_shard(shard, inputs.len(), files);
    }
    if !more.is_empty()
        && let Some(once) = inputs.iter().chain(&beside).find(|input| !input.can_be_read_again())
    {
        let message = "the properties have several clocks, and this is read once";
        let help = "give a file, or check them one clock at a time, with --property";
        let mut report = board.lock();
        report.problems = vec![Problem::in_text(&once.name(), Diagnostic::new(Kind::Input, message).help(help))];
        report.preparing = None;
        return;
    }
    if let Some(path) = &args.baseline {
        match Baseline::read(path, args.update_baseline) {
            Ok(baseline) => stream.set_baseline(baseline),
            Err(mistakes) => {
                let mut report = board.lock();
                report.problems = mistakes;
                report.preparing = None;
                return;
            }
        }
    }
    let inputs = Arc::new(inputs);
    let each = properties.len() + usize::from(model.is_some());
    {
        let mut report = board.lock();
        report.problems = unread;
        report.problems.extend(problems);
        report.runs = Places::new(Arc::clone(&inputs), properties.len(), each);
        report.seen = across::Seen::new(&properties, files);
        report.properties = Arc::clone(&properties);
        report.joined = args.join.join;
        report.model.clone_from(&model);
        report.preparing = None;
    }
    let checks = inputs.len().saturating_mul(each);
    let processors = args.jobs.or_else(|| std::thread::available_parallelism().ok()).map_or(1, |n| n.get());
    // Address space may be scarcer than processors.
    let processors = memory::threads(processors).clamp(1, MOST_THREADS);
    let threads = processors.min(checks).max(1);
    let mut work = Work {
        inputs: &inputs,
        files,
        properties: &properties,
        model: model.as_deref(),
        reading: &reading,
        more: &more,
        sampled: &clocked.of,
        asked: across::Names::asked(&properties),
        cache: None,
        counts_fine: stream.counts_fine(inputs.len()),
        are_whole: AtomicBool::new(false),
        draws: reports.draws(),
        people: reports.for_people(),
        programs: reports.for_programs(),
        witness: args.witness,
        traced: args.trace,
        options: Options::default()
            .witness_always(args.witness == WitnessWhen::Always)
            .engine(match args.engine {
                EngineName::Auto => Engine::Auto,
                EngineName::Explicit => Engine::Explicit,
                EngineName::Symbolic => Engine::Symbolic,
                EngineName::Cuts => Engine::Cuts,
                EngineName::Diagrams => Engine::Diagrams,
                EngineName::Paper => Engine::Paper,
                EngineName::Por => Engine::Por,
                EngineName::Ist => Engine::Ist,
            })
            .counts(args.counts)
            .slice(!args.no_slice)
            .verdict_only(args.verdict_only)
            .vacuity(!args.verdict_only || deny::denies(Kind::Vacuous))
            // A report for people without the order that fails has no place for why it does.
            .explain(
                !args.verdict_only && (reports.for_programs() || args.witness != WitnessWhen::Never || args.trace),
            ),
        board,
        stream,
        doing,
        budget,
        waiting: Mutex::new(Waiting {
            unread: inputs.len() + usize::from(!beside.is_empty()),
            known: BTreeSet::new(),
            knows_all: false,
            checks: Vec::new(),
        }),
        refused: Mutex::default(),
        unfinished: Mutex::default(),
        // A single thread never has company.
        alone: AtomicBool::new(threads == 1),
        workers: processors,
        spare: AtomicUsize::new((processors / threads).clamp(1, MOST_THREADS)),
    };
    // What pictures show is not kept, nor what several samplings say.
    let kept = args.cache.as_deref().zip(prepared).filter(|_| work.draws.is_none() && work.more.is_empty());
    let cache = match kept.map(|(directory, prepared)| Cache::open(directory, prepared, &work.question(args))) {
        Some(Err(problem)) => {
            let mut report = board.lock();
            report.problems.push(*problem);
            report.runs = Places::default();
            return;
        }
        Some(Ok(cache)) => Some(cache),
        None => None,
    };
    work.cache = cache.as_ref();
    let reads = inputs::reading_order(&inputs);
    // Nobody knows yet how many runs the inputs have.
    pool::run(processors, reads.into_iter().map(Job::Read).collect(), |job, queue| work.act(job, queue));
    if !beside.is_empty() {
        work.look_beside(&beside);
        let released = work.ready(&[], true, true, false);
        pool::run(processors, released, |job, queue| work.act(job, queue));
    }
    work.alone.store(true, Relaxed);
    // What found no memory beside other work gets all of it, so that verdicts do not depend on who ran beside whom.
    pool::run(1, work.take_refused(), |job, queue| work.act(job, queue));
    // Last of all what changes no verdict, so that it does not take the time that a verdict needs.
    let unfinished = std::mem::take(&mut *locked(&work.unfinished));
    pool::run(processors.min(unfinished.len()).max(1), unfinished, |job, queue| work.act(job, queue));
    if let Some(cache) = &cache {
        cache.finish();
    }
}

/// One piece of work.
enum Job<'a> {
    /// Read an input and queue the checks of its first runs.
    Read(usize),
    /// Queue the checks of its next runs.
    ReadOn(usize, Box<NamedRuns>),
    /// Check a property on a run.
    Check(Box<Check>),
    /// Hold a run against the model.
    Follow { run: usize, trace: Arc<Trace> },
    /// The verdict is on the board; find out the rest. What was found is claimed while it waits.
    Finish(Box<Decided<'a>>, Claim),
}

/// A property on a run.
struct Check {
    run: usize,
    property: usize,
    trace: Arc<Trace>,
    known_elsewhere: Vec<String>,
    /// How often it was put off.
    turns: u32,
    /// What came of the turn before.
    so_far: Option<Answer>,
    /// How long it took so far.
    seconds: f64,
}

/// So many steps of work a check may take before those behind it have their turn, and so many times as many in each turn after.
const FIRST_TURN: u64 = 1 << 16;
const NEXT_TURN: u64 = 8;

struct Work<'a> {
    inputs: &'a [Input],
    /// How many there are, those of other shards too.
    files: usize,
    properties: &'a [Named],
    model: Option<&'a Model>,
    reading: &'a Reading,
    /// How else waveforms are sampled, and for each property which of all samplings is its own.
    more: &'a [Reading],
    sampled: &'a [usize],
    /// The names of events and processes that the properties speak of.
    asked: across::Names,
    /// Answers of another day.
    cache: Option<&'a Cache>,
    /// Of runs on which everything holds nobody wants to hear more than that; once it is known that no property is about several files
    /// at once, that is all that is taken from there.
    counts_fine: bool,
    are_whole: AtomicBool,
    /// Something is drawn; whether there is a page in which one can look around.
    draws: Option<bool>,
    /// People read the report, with so many columns for lanes.
    people: Option<usize>,
    /// Programs do.
    programs: bool,
    witness: WitnessWhen,
    /// Whether the parts of properties are followed along an order.
    traced: bool,
    options: Options,
    board: &'a Board,
    stream: &'a Stream,
    /// What is being done, for whoever waits.
    doing: &'a Doing,
    budget: &'a Budget,
    waiting: Mutex<Waiting<'a>>,
    /// Work that found no memory beside other work.
    refused: Mutex<Vec<Job<'a>>>,
    /// What is left to do when every verdict is known.
    unfinished: Mutex<Vec<Job<'a>>>,
    /// Whether nothing runs beside anything any more.
    alone: AtomicBool,
    /// How many work side by side, at most.
    workers: usize,
    /// With how many threads a check may work: processors that have no check of their own help with the others.
    spare: AtomicUsize,
}

/// Checks whose run lacks a variable or an attribute.
struct Waiting<'a> {
    /// How many runs are still to be read.
    unread: usize,
    /// Variables and attributes of the properties that some run knows.
    known: BTreeSet<String>,
    /// They are all of them.
    knows_all: bool,
    checks: Vec<Job<'a>>,
}

impl<'a> Work<'a> {
    fn act(&self, job: Job<'a>, queue: &Queue<Job<'a>>) {
        let _busy = self.doing.begin(self.phrase(&job));
        match job {
            Job::Read(input) => self.read(input, queue),
            Job::ReadOn(input, runs) => self.read_on(input, *runs, queue),
            Job::Check(check) => {
                let run = check.run;
                if self.check(*check, queue) {
                    self.is_done(run);
                }
            }
            Job::Follow { run, trace } => {
                if self.follow(run, trace) {
                    self.is_done(run);
                }
            }
            Job::Finish(decided, _claim) => {
                let run = decided.run;
                self.finish(*decided);
                self.is_done(run);
            }
        }
    }

    /// One more answer about a run is complete.
    fn is_done(&self, run: usize) {
        {
            let mut report = self.board.lock();
            let report = &mut *report;
            let Some(own) = report.runs.get_mut(run) else { return };
            // When the report is over, the runs that are kept for others have nothing open.
            if own.open == 0 {
                return;
            }
            own.open -= 1;
            if own.open > 0 {
                return;
            }
            report.seen.exercise(own, &report.properties);
            if let Some(cache) = self.cache {
                let triggers = |p: usize| self.properties[p].property.triggers.len();
                let kept = cache::kept(own, |p, outcome| self.is_whole(p, outcome), triggers);
                cache.complete(own.place, kept.filter(|_| self.budget.step(0, "checking").is_ok()));
            }
        }
        self.stream.advance(self.board);
    }

    /// What a job does.
    fn phrase(&self, job: &Job<'_>) -> Now {
        let name = |property: usize| &self.properties[property].name;
        let (what, run) = match job {
            Job::Read(input) | Job::ReadOn(input, _) => {
                return format!("reading {}", self.inputs[*input].name()).into();
            }
            Job::Check(check) => (format!("checking {}", name(check.property)), check.run),
            Job::Follow { run, .. } => ("following the model".to_owned(), *run),
            Job::Finish(decided, _) => (format!("explaining {}", name(decided.property)), decided.run),
        };
        Now { what, run: self.board.with_run(run, |run| run.name.clone()), ..Now::default() }
    }

    fn take_refused(&self) -> Vec<Job<'a>> {
        std::mem::take(&mut *locked(&self.refused))
    }

    /// Whether what found no memory could find some later: there was other work beside it, and there is time.
    fn may_try_again(&self) -> bool {
        !self.alone.load(Relaxed) && self.budget.step(0, "checking").is_ok()
    }

    /// Answers whether nothing is left to do for it.
    fn check(&self, mut check: Check, queue: &Queue<Job<'a>>) -> bool {
        let started = Instant::now();
        let Check { run, property, .. } = check;
        // Verdicts first: whatever else is worth finding out must not cost another property its own.
        let asked = &self.properties[property].property;
        let options =
            self.options.clone().known_elsewhere(check.known_elsewhere.clone()).threads(self.spare.load(Relaxed));
        let question = match Question::new(Arc::clone(&check.trace), asked, options) {
            Ok(question) => question,
            Err(mistakes) => return self.fails(run, property, mistakes.to_vec()),
        };
        let answer = match (self.budget.step(0, "checking"), check.so_far.take()) {
            // It was put off, and its turn has not come again.
            (Err(over), Some(so_far)) => {
                let mut answer = so_far;
                (answer.verdict, answer.stopped) = (Verdict::Unknown(over), Some(over));
                answer
            }
            _ => match question.decide(&self.turn(check.turns)) {
                Ok(answer) => answer,
                Err(error) => return self.fails(run, property, error.diagnostics().to_vec()),
            },
        };
        check.seconds += started.elapsed().as_secs_f64();
        // Of a property with instances some may be left open even if another one is violated.
        let leaves_some = answer.instances.as_ref().is_some_and(|instances| instances.unknown > 0);
        let open = match (&answer.verdict, answer.stopped) {
            (Verdict::Unknown(over), _) => Some(*over),
            (_, stopped) => stopped.filter(|_| leaves_some),
        };
        if let Some(over) = open {
            if over.limit == Limit::Time && self.budget.step(0, "checking").is_ok() {
                check.turns += 1;
                check.so_far = Some(answer);
                queue.last(Job::Check(Box::new(check)));
                return false;
            }
            // That the stop was not raised then leaves memory.
            if self.may_try_again() {
                locked(&self.refused).push(Job::Check(Box::new(check)));
                return false;
            }
        }
        let (moment, seconds) = (OnceCell::new(), check.seconds);
        let decided = Decided { run, property, trace: check.trace, question, answer, moment, seconds };
        let mut outcome = self.outcome(&decided);
        outcome.unfinished = decided.leaves_runs_open() && !self.options.verdict_only;
        let is_finished_later = outcome.unfinished || self.options.explain && decided.is_explained_later();
        let word = outcome.word;
        // The verdict is safe before anything else takes memory or time.
        let rests = outcome.reliance.as_ref().is_some_and(|reliance| !reliance.is_nothing());
        self.board.put(run, property, Slot::Done(Box::new(outcome)));
        if !is_finished_later && let Some(pictured) = self.pictured(&decided, word) {
            self.board.put_pictured(run, property, pictured);
        }
        if rests {
            match decided.question.reliance(&decided.answer, &self.budget.part(u64::MAX, RELIANCE)) {
                Ok(reliance) => self.board.put_reliance(run, property, reliance),
                Err(error) => return self.fails(run, property, error.diagnostics().to_vec()),
            }
        }
        if is_finished_later {
            // What takes no time to speak of is found out at once, so that a report of many runs can go on.
            let decided = match self.finishes_soon(decided) {
                Ok(()) => return true,
                Err(decided) => *decided,
            };
            // Where there is no room for it to wait, it does not.
            return match self.budget.claim(decided.question.weight(&decided.answer), "keeping what was found") {
                Ok(claim) => {
                    locked(&self.unfinished).push(Job::Finish(Box::new(decided), claim));
                    false
                }
                Err(_) => {
                    self.finish(decided);
                    true
                }
            };
        }
        if self.options.vacuity && decided.word() == Word::Holds {
            let vacuity = decided.question.vacuity(&decided.answer, self.budget);
            self.board.add_vacuity(run, property, vacuity);
        }
        self.trace_parts(&decided);
        true
    }

    /// Notes that a property does not fit a run.
    fn fails(&self, run: usize, property: usize, mistakes: Vec<Diagnostic>) -> bool {
        self.board.put(run, property, Slot::Failed(mistakes));
        true
    }

    /// What a check may take in its next turn: one that is hard must not keep those behind it from an answer. What is alone has no
    /// turns.
    fn turn(&self, turns: u32) -> Budget {
        if self.properties.len() == 1 && self.files == 1 {
            return self.budget.clone();
        }
        self.budget.part(u64::MAX, FIRST_TURN.saturating_mul(NEXT_TURN.saturating_pow(turns)))
    }

    /// Answers whether nothing is left to do for it.
    fn follow(&self, run: usize, trace: Arc<Trace>) -> bool {
        let Some(model) = self.model else { return true };
        let started = Instant::now();
        let slot = match conform::follow(model, &trace, (self.people, self.programs), self.witness, self.budget) {
            Ok(followed) => Slot::Done(Box::new(followed)),
            Err(Error::OverBudget(over)) if over.limit == Limit::Memory && self.may_try_again() => {
                locked(&self.refused).push(Job::Follow { run, trace });
                return false;
            }
            Err(Error::OverBudget(over)) => {
                let explored = self.budget.stop_handle().explored();
                Slot::Done(Box::new(Followed::unknown(over, explored, started.elapsed().as_secs_f64())))
            }
            Err(error) => Slot::Failed(error.diagnostics().to_vec()),
        };
        self.board.put_followed(run, slot);
        true
    }
}
