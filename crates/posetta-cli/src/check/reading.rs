//! Reading runs, and which checks that lets begin.

use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Instant;

use posetta_base::{Error, Kind, Limit};
use posetta_tell::checked::{Outcome, Shape};
use posetta_tell::conformed::Followed;
use posetta_trace::Trace;

use super::{Check, Job, Waiting, Work};
use crate::board::Slot;
use crate::limited::locked;
use crate::pool::Queue;
use crate::read::{self, NamedRun, NamedRuns};

/// Of a file with many runs so many are read at a time, or as many as have so many events together.
const SOME_RUNS: usize = 256;
const SOME_EVENTS: usize = 1 << 18;

/// A run by its place on the board, sampled in all ways.
pub(super) type Listed = (usize, Vec<Arc<Trace>>);

impl<'a> Work<'a> {
    pub(super) fn read(&self, input: usize, queue: &Queue<Job<'a>>) {
        let started = Instant::now();
        if self.is_known(input, queue) {
            return;
        }
        let opened = match self.cache {
            Some(_) => read::open_hashed(&self.inputs[input], self.reading, self.budget),
            None => read::open(&self.inputs[input], self.reading, self.budget).map(|runs| (runs, None)),
        };
        let opened = opened.and_then(|(runs, content)| Ok((runs, content, self.sampled_otherwise(input)?)));
        match opened {
            Ok((runs, content, others)) => {
                if let (Some(cache), Some(content)) = (self.cache, content) {
                    cache.begin(input, &self.inputs[input], &content);
                }
                if runs.several {
                    // There is other work, after all.
                    self.alone.store(self.workers == 1, Relaxed);
                    self.spare.store(1, Relaxed);
                }
                self.read_some(input, runs, others, queue);
            }
            Err(Error::OverBudget(over))
                if over.limit == Limit::Memory && self.may_try_again() && self.inputs[input].can_be_read_again() =>
            {
                locked(&self.refused).push(Job::Read(input));
            }
            Err(error) => {
                let at = self.board.lock().runs.begin(input);
                self.unread(at, &error, started);
                self.all_listed(input);
                queue.first(self.ready(&[], self.files > 1, true, false));
            }
        }
    }

    /// A waveform as the other clocks of the properties see it. It is one run.
    fn sampled_otherwise(&self, input: usize) -> Result<Vec<NamedRun>, Error> {
        let only = |reading| read::open(&self.inputs[input], reading, self.budget)?.next().transpose();
        let found = self.more.iter().map(only).collect::<Result<Vec<_>, _>>()?;
        Ok(found.into_iter().flatten().collect())
    }

    pub(super) fn read_on(&self, input: usize, runs: NamedRuns, queue: &Queue<Job<'a>>) {
        self.read_some(input, runs, Vec::new(), queue);
    }

    /// Lists some runs of an input with their checks; the others come when those checks are done, so that a file with many runs does
    /// not have to fit into memory as a whole.
    fn read_some(&self, input: usize, mut runs: NamedRuns, others: Vec<NamedRun>, queue: &Queue<Job<'a>>) {
        let started = Instant::now();
        let (mut some, mut events) = (Vec::new(), 0);
        let mut failed = None;
        while some.len() < SOME_RUNS && events < SOME_EVENTS && failed.is_none() {
            match runs.next() {
                Some(Ok(run)) => {
                    events += run.trace.len();
                    some.push(run);
                }
                Some(Err(error)) => failed = Some(error),
                None => break,
            }
        }
        let several = self.files > 1 || runs.several;
        let traces = self.list(input, some, others, several);
        // A run that cannot be built is the last one of its file.
        let is_done = failed.is_some() || runs.is_done();
        if let Some(error) = failed {
            let at = self.board.lock().runs.begin(input);
            self.unread(at, &error, started);
        }
        if is_done {
            self.all_listed(input);
        }
        queue.first(self.ready(&traces, several, is_done, false));
        if !is_done {
            queue.last(Job::ReadOn(input, Box::new(runs)));
        }
    }

    /// An input has no more runs.
    pub(super) fn all_listed(&self, input: usize) {
        {
            let mut report = self.board.lock();
            // One without any is one of which nothing is known.
            if report.runs.count(input) == 0 {
                let at = report.runs.begin(input);
                if let Some(run) = report.runs.get_mut(at) {
                    run.open = 0;
                }
                report.seen.add_unread();
            }
            report.runs.all_listed(input);
            if let Some(cache) = self.cache {
                cache.all_listed(input, report.runs.count(input));
            }
        }
        self.stream.advance(self.board);
    }

    /// Notes that a run could not be read.
    pub(super) fn unread(&self, run: usize, error: &Error, started: Instant) {
        let mut diagnostics = Vec::new();
        if let Error::OverBudget(over) = *error {
            let explored = self.budget.stop_handle().explored();
            for (p, property) in self.properties.iter().enumerate() {
                let outcome = Outcome::unknown(property, over, explored, started.elapsed().as_secs_f64());
                self.board.put(run, p, Slot::Done(Box::new(outcome)));
            }
            if self.model.is_some() {
                let followed = Followed::unknown(over, 0, started.elapsed().as_secs_f64());
                self.board.put_followed(run, Slot::Done(Box::new(followed)));
            }
        } else {
            diagnostics.extend_from_slice(error.diagnostics());
            let missing = diagnostics.iter_mut().find(|d| d.kind == Kind::MissingEvent && d.help.is_none());
            if let Some(missing) = missing.filter(|_| self.files > 1) {
                missing.help = Some("is it in another file? --join makes the files one run".to_owned());
            }
        }
        // A run with nothing open may be printed at any moment, so it is that only when all is said about it.
        let mut report = self.board.lock();
        report.seen.add_unread();
        let Some(own) = report.runs.get_mut(run) else { return };
        own.unreadable = diagnostics;
        own.open = 0;
        if let Some(cache) = self.cache {
            cache.complete(own.place, None);
        }
    }

    /// Puts runs of an input on the board. Answers with their places, and with each run as it is sampled for each clock.
    fn list(&self, input: usize, runs: Vec<NamedRun>, others: Vec<NamedRun>, several: bool) -> Vec<Listed> {
        let mut traces: Vec<Listed> = Vec::with_capacity(runs.len());
        for run in runs {
            let names = self.asked.of(&run.trace, several);
            let mut report = self.board.lock();
            let at = report.runs.begin(input);
            report.seen.add(&names);
            let Some(place) = report.runs.get_mut(at) else { continue };
            place.shape = Some(Shape::of(&run.trace));
            place.names = names;
            place.name = run.name;
            place.warnings = run.warnings;
            traces.push((at, vec![Arc::new(run.trace)]));
        }
        if let Some((at, samples)) = traces.first_mut() {
            let mut report = self.board.lock();
            for other in others {
                if let Some(place) = report.runs.get_mut(*at) {
                    let new = other.warnings.into_iter().filter(|warning| !place.warnings.contains(warning));
                    let new: Vec<_> = new.collect();
                    place.warnings.extend(new);
                }
                samples.push(Arc::new(other.trace));
            }
        }
        traces
    }

    /// The checks that these runs let begin: those that waited for them, then their own. The input may be done with them.
    /// With `knows_all` it has all that properties speak of, whatever its runs are.
    pub(super) fn ready(&self, traces: &[Listed], several: bool, is_done: bool, knows_all: bool) -> Vec<Job<'a>> {
        let mut waiting = locked(&self.waiting);
        let known_before = waiting.known.len();
        if knows_all && several && !std::mem::replace(&mut waiting.knows_all, true) {
            let all = self.properties.iter().flat_map(|own| own.variables.iter().chain(&own.attributes));
            waiting.known.extend(all.cloned());
        }
        let (mut own, mut lacking) = (Vec::new(), Vec::new());
        for (run, samples) in traces {
            let Some(first) = samples.first() else { continue };
            for (p, property) in self.properties.iter().enumerate() {
                let trace = samples.get(self.sampled[p]).unwrap_or(first);
                let mut lacks = false;
                for name in &property.variables {
                    if trace.find_variable(name).is_none() {
                        lacks = true;
                    } else if several && !waiting.known.contains(name) {
                        waiting.known.insert(name.clone());
                    }
                }
                for name in property.attributes.iter().filter(|_| several) {
                    if trace.column(name).is_none() {
                        lacks = true;
                    } else if !waiting.known.contains(name) {
                        waiting.known.insert(name.clone());
                    }
                }
                let check = Check {
                    run: *run,
                    property: p,
                    trace: Arc::clone(trace),
                    known_elsewhere: Vec::new(),
                    turns: 0,
                    so_far: None,
                    seconds: 0.0,
                };
                if lacks {
                    self.board.with_run(*run, |run| run.leans = true);
                }
                if lacks { &mut lacking } else { &mut own }.push(Job::Check(Box::new(check)));
            }
            if self.model.is_some() {
                own.push(Job::Follow { run: *run, trace: Arc::clone(first) });
            }
        }
        waiting.unread -= usize::from(is_done);
        let Waiting { unread, known, checks, .. } = &mut *waiting;
        // Those that waited before have something to gain only from a new name.
        let first = if *unread == 0 || known.len() > known_before { 0 } else { checks.len() };
        checks.extend(lacking);
        let begins = |job: &mut Job<'_>| match job {
            Job::Check(check) => {
                let property = &self.properties[check.property];
                *unread == 0 || property.variables.iter().chain(&property.attributes).all(|name| known.contains(name))
            }
            Job::Read(_) | Job::ReadOn(..) | Job::Follow { .. } | Job::Finish(..) => true,
        };
        let mut ready: Vec<Job<'a>> = checks.extract_if(first.., begins).collect();
        for job in &mut ready {
            if let Job::Check(check) = job {
                check.known_elsewhere.extend(known.iter().cloned());
            }
        }
        ready.extend(own);
        ready
    }
}
