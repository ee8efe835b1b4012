//! What a check knows from elsewhere: answers of another day, and the files of other shards.

use std::sync::atomic::Ordering::Relaxed;

use posetta_base::Error;
use posetta_tell::Word;
use posetta_tell::checked::{Outcome, Shape};

use super::{Job, Waiting, Work};
use crate::args::CheckArgs;
use crate::board::{RunReport, Slot};
use crate::inputs::Input;
use crate::limited::locked;
use crate::pool::Queue;
use crate::{cache, read};

impl<'a> Work<'a> {
    /// Everything that an answer about a file depends on beside the file. What is not here must not change any answer; so every
    /// argument is named, and a new one has to be put on one side.
    pub(super) fn question(&self, args: &CheckArgs) -> Vec<String> {
        let CheckArgs {
            // Which runs are asked about: each by itself.
            runs: _,
            received: _,
            follow: _,
            shard: _,
            // These are read as properties, the model and how to read.
            properties: _,
            branching: _,
            automata: _,
            model: _,
            system: _,
            input: _,
            root: _,
            join,
            // How it is printed, beside whether people and programs read it.
            report: _,
            stats: _,
            baseline: _,
            update_baseline: _,
            // What may be spent; what a limit leaves open is not kept.
            timeout: _,
            memory: _,
            jobs: _,
            cache: _,
            witness,
            engine,
            verdict_only,
            no_slice,
            counts,
            trace,
        } = args;
        let mut all = vec![
            format!("{:?}", (join, witness, engine, verdict_only, no_slice, counts, trace)),
            format!("{:?}", (&self.options, self.people, self.programs, self.files > 1)),
            format!("{:?}", self.reading),
            format!("{:?}", self.model),
        ];
        all.extend(self.properties.iter().map(|property| format!("{property:?}")));
        all
    }

    /// Whether no limit has cut short what was looked for beside the verdict.
    pub(super) fn is_whole(&self, property: usize, outcome: &Outcome) -> bool {
        let asked = &self.properties[property].property;
        let looks = self.options.vacuity && asked.each.is_none() && !asked.triggers.is_empty();
        !looks || outcome.looked || outcome.word != Word::Holds
    }

    /// Puts what is kept about an input on the board, if there is something.
    pub(super) fn is_known(&self, input: usize, queue: &Queue<Job<'a>>) -> bool {
        let counts_fine = self.counts_fine && self.are_whole.load(Relaxed);
        let Some(runs) = self.cache.and_then(|cache| cache.find(&self.inputs[input], counts_fine)) else {
            return false;
        };
        let answers = |run: &cache::Run| {
            run.fine || run.slots.len() == self.properties.len() && run.followed.is_some() == self.model.is_some()
        };
        if runs.is_empty() || !runs.iter().all(answers) {
            return false;
        }
        {
            let mut report = self.board.lock();
            let report = &mut *report;
            for kept in runs {
                let at = report.runs.begin(input);
                // The same names again say nothing new.
                kept.names.iter().for_each(|names| report.seen.add(names));
                let Some(own) = report.runs.get_mut(at) else { continue };
                own.name = kept.name;
                own.shape = Some(kept.shape);
                own.names = kept.names.unwrap_or_default();
                own.warnings = kept.warnings;
                (own.slots, own.fine) = (kept.slots, kept.fine);
                own.followed = kept.followed.map_or(Slot::Open, |followed| Slot::Done(Box::new(followed)));
                own.open = 0;
                report.seen.exercise(own, &report.properties);
            }
            if !counts_fine && report.seen.are_whole() {
                // It only grows.
                self.are_whole.store(true, Relaxed);
            }
        }
        self.all_listed(input);
        // What is kept lacks nothing.
        queue.first(self.ready(&[], self.files > 1, true, true));
        true
    }

    /// Reads files of other shards as far as they have a say here: whether a property is about several files at once, and whether some
    /// run knows a variable. Without that a shard could be green where the whole is not.
    pub(super) fn look_beside(&self, beside: &[Input]) {
        for input in beside {
            let is_known = |name: &String, waiting: &Waiting<'_>| waiting.known.contains(name);
            let waits = {
                let waiting = locked(&self.waiting);
                let names = self.properties.iter().flat_map(|own| own.variables.iter().chain(&own.attributes));
                !waiting.checks.is_empty() && !names.into_iter().all(|name| is_known(name, &waiting))
            };
            if !waits && self.board.lock().seen.are_whole() {
                return;
            }
            let _busy = self.doing.begin(format!("reading {}", input.name()).into());
            let runs =
                read::open(input, self.reading, self.budget).and_then(|runs| runs.collect::<Result<Vec<_>, _>>());
            let mut known: Vec<String> = Vec::new();
            let mut report = self.board.lock();
            match runs {
                Ok(runs) => {
                    for run in runs {
                        let names = self.asked.of(&run.trace, true);
                        report.seen.add(&names);
                        let mut own = RunReport::new(run.name, input.file(), (0, 0), 0, 0);
                        (own.shape, own.names) = (Some(Shape::of(&run.trace)), names);
                        report.beside.push(own);
                        for property in self.properties {
                            let variables =
                                property.variables.iter().filter(|name| run.trace.find_variable(name).is_some());
                            let attributes = property.attributes.iter().filter(|name| run.trace.column(name).is_some());
                            known.extend(variables.chain(attributes).cloned());
                        }
                    }
                }
                // Its own shard says what is wrong with it.
                Err(error) => {
                    report.seen.add_unread();
                    report.unsettled |= matches!(error, Error::OverBudget(_));
                }
            }
            drop(report);
            locked(&self.waiting).known.extend(known);
        }
    }
}
