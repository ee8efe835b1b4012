//! The report of `check`, printed while the work goes on.
//!
//! Runs are printed in the order of the arguments, so the bytes do not depend on who was faster, each as soon as all before it are
//! printed and nothing that is still to come can change what is said of it. What is printed leaves the board. What a later run can change
//! is written in `across`: a property may turn out to be about several files at once, which holds every run back, and a warning may be
//! settled, which holds a run back only where its warnings are printed with it, in JSON. For people they stand at the end.
//!
//! Reports of other forms, and those in files, are made at the end; then all runs stay on the board.
//!
//! Whoever completes a run prints what can be printed; if somebody else is printing, they go on with it.

use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::{Arc, Mutex};

use posetta_tell::checked::unprepared;
use posetta_tell::json::{Lists, Schema};
use posetta_tell::report::{Remark, Report as Document, Summary};
use posetta_tell::text::{self, Printer};
use posetta_tell::{Problem, Word};
use serde_json::{Value, json};

use crate::args::Form;
use crate::baseline::Baseline;
use crate::board::{Asked, Board, Mistakes, Report, RunReport};
use crate::limited::locked;
use crate::output::Written;
use crate::places::Next;
use crate::report_human::Warning;
use crate::reports::{self, Reports, Told};
use crate::shard::Shard;
use crate::{across, carets, output, paint, progress, report_human, report_json};

/// The printer of a report, shared by all who complete runs.
pub struct Stream {
    printing: Mutex<Printing>,
    /// Something has become complete since somebody looked.
    again: AtomicBool,
}

struct Printing {
    /// The end of the report is printed.
    over: bool,
    reports: Arc<Reports>,
    stats: bool,
    /// Whether runs stay on the board, and warnings beside it, for reports that are made at the end.
    keeps: bool,
    remarks: Vec<Remark>,
    /// The run that is printed next: which argument, and which of its runs.
    next: (usize, usize),
    /// For people.
    printer: Option<Printer>,
    /// For programs.
    lists: Lists,
    notes: report_human::Notes,
    mistakes: Mistakes,
    /// Violations that are known.
    baseline: Option<Baseline>,
    /// Which part of the files this is about, how many it has, and how many there are.
    shard: Option<(Shard, usize, usize)>,
    /// How many runs could be read.
    readable: usize,
    /// Something could not be written, which was reported.
    lost: bool,
}

impl Stream {
    /// Nothing is printed yet.
    pub fn new(reports: Arc<Reports>, stats: bool) -> Self {
        let keeps = reports.needs_all();
        let printing = Printing {
            over: false,
            reports,
            stats,
            keeps,
            remarks: Vec::new(),
            next: (0, 0),
            printer: None,
            lists: Lists::new(Schema::Check),
            notes: report_human::Notes::default(),
            mistakes: Mistakes::default(),
            baseline: None,
            shard: None,
            readable: 0,
            lost: false,
        };
        Self { printing: Mutex::new(printing), again: AtomicBool::new(false) }
    }

    /// Some violations are known.
    pub fn set_baseline(&self, baseline: Baseline) {
        locked(&self.printing).baseline = Some(baseline);
    }

    /// The report is about a part of the files: which, how many it has, and how many there are.
    pub fn set_shard(&self, shard: Shard, files: usize, all: usize) {
        locked(&self.printing).shard = Some((shard, files, all));
    }

    /// Whether of runs on which everything holds, of so many files, nothing is told but how many there are.
    pub fn counts_fine(&self, files: usize) -> bool {
        let printing = locked(&self.printing);
        let is_for_people = printing.reports.stdout() == Form::Human && !printing.keeps;
        is_for_people && printing.baseline.is_none() && Printer::counts_fine(files)
    }

    /// Prints what can be printed.
    pub fn advance(&self, board: &Board) {
        self.again.store(true, SeqCst);
        while self.again.load(SeqCst) {
            let Ok(mut printing) = self.printing.try_lock() else { return };
            self.again.store(false, SeqCst);
            while printing.step(board) {}
        }
    }

    /// Prints the rest, when nothing more comes. `prepare` sees the board before. Answers with the exit status.
    pub fn finish(&self, board: &Board, prepare: impl FnOnce(&mut Report)) -> u8 {
        // In this order: whoever prints takes from the board.
        let mut printing = locked(&self.printing);
        let mut report = board.lock();
        prepare(&mut report);
        printing.finish(&mut report)
    }
}

impl Printing {
    /// Prints the next run, if it is complete.
    fn step(&mut self, board: &Board) -> bool {
        if self.over {
            return false;
        }
        let is_for_people = self.reports.stdout() == Form::Human && !self.keeps;
        let mut guard = board.lock();
        let report = &mut *guard;
        let seen = &report.seen;
        let is_settled =
            |run: &RunReport| run.open == 0 && seen.are_whole() && (is_for_people || !seen.leaves_open(run));
        let (at, mut run, only) = match report.runs.take(self.next, is_settled) {
            Next::Run(at, run, only) => (at, run, only),
            Next::Input => {
                self.next = (self.next.0 + 1, 0);
                return true;
            }
            Next::Later | Next::End => return false,
        };
        self.next.1 += 1;
        if !is_for_people {
            report.seen.settle(&mut run);
        }
        self.gather(report, &mut run);
        // Whoever checks should not wait for whoever reads the report.
        let (asked, files) = (report.asked(), report.runs.inputs());
        drop(guard);
        self.print(&asked, &run, files, only);
        if self.keeps {
            run.printed = true;
            board.lock().runs.put_back(at, run);
        }
        true
    }

    /// Takes from a run what is told at the end.
    fn gather(&mut self, report: &mut Report, run: &mut RunReport) {
        if let Some(baseline) = &mut self.baseline {
            baseline.judge(&report.asked(), run);
        }
        report.count(run);
        self.mistakes.add(&report.asked(), run);
        self.readable += usize::from(run.unreadable.is_empty());
    }

    /// Prints a run of one of so many files. `only`: it is the only one of its file.
    fn print(&mut self, asked: &Asked, run: &RunReport, files: usize, only: bool) {
        let warnings = self.notes.add(asked, run);
        self.warn(warnings);
        let text = match self.reports.stdout() {
            Form::Human => {
                let printer = self.printer.get_or_insert_with(|| Printer::new(files, true, paint::stdout()));
                let answers = asked.words_of(run);
                let (mut all, mut holds) = (0, true);
                answers.for_each(|(word, _)| (all, holds) = (all + 1, holds && word == Word::Holds));
                if all == 0 || holds && printer.takes_fine(all) {
                    return;
                }
                printer.subject(&report_human::subject(asked, run, self.stats), only)
            }
            Form::Json => {
                let begin = self.begin();
                begin + &report_json::results(asked, run).map(|entry| self.lists.entry(&entry)).collect::<String>()
            }
            // At the end.
            _ => return,
        };
        self.write(&text);
    }

    /// Tells warnings.
    fn warn(&mut self, warnings: Vec<Warning>) {
        if warnings.is_empty() {
            return;
        }
        let told: String = warnings.iter().map(|warning| warning.drawn(paint::stderr())).collect();
        progress::aside(|| output::note(&told));
        if self.keeps {
            self.remarks.extend(warnings.into_iter().map(Warning::remark));
        }
    }

    /// The beginning of the report for programs, if it has not been printed.
    fn begin(&mut self) -> String {
        if self.lists.has_begun() { String::new() } else { self.lists.list("results") }
    }

    fn write(&mut self, text: &str) {
        if !text.is_empty() && progress::aside(|| output::print_to_somebody(text)) == Written::Failed {
            self.lost = true;
        }
    }

    fn finish(&mut self, report: &mut Report) -> u8 {
        // Work that a limit has not ended yet may still come to an end.
        self.over = true;
        report.runs.begin_all();
        let runs = report.runs.take_all();
        for run in runs.iter().filter(|run| run.open > 0) {
            report.seen.exercise(run, &report.properties);
        }
        report.runs.restore(runs);
        across::refuse_apart(report);
        let (asked, files, mut kept) = (report.asked(), report.runs.inputs(), Vec::new());
        for mut run in report.runs.take_all() {
            report.seen.settle(&mut run);
            if !run.printed {
                self.gather(report, &mut run);
                self.print(&asked, &run, files, report.runs.count(run.place.0) == 1);
                run.printed = true;
            }
            if self.keeps {
                kept.push(run);
            }
        }
        report.runs.restore(kept);
        let errors = self.mistakes.all(report);
        let warnings = self.notes.finish(report);
        self.warn(warnings);
        let mut told: String = errors.iter().map(|problem| carets::error(problem, paint::stderr())).collect();
        told.extend(report.unprepared.map(|over| text::stopped(over, paint::stderr())));
        output::note(&told);
        let mut rest = Vec::new();
        if let Some((shard, files, all)) = self.shard {
            let (index, of) = (shard.index, shard.of);
            rest.push(("shard", json!({ "index": index, "of": of, "files": files, "all": all })));
        }
        if let Some(baseline) = &self.baseline {
            match baseline.finish() {
                Some(told) => rest.push(("baseline", told)),
                None => self.lost = true,
            }
        }
        let summary = Summary { properties: asked.answers_each(), runs: Some(self.readable), errors: errors.len() };
        let last = match self.reports.stdout() {
            Form::Human => {
                let paint = paint::stdout();
                let printer = self.printer.get_or_insert_with(|| Printer::new(0, true, paint));
                let mut text = printer.finish(None);
                text.extend(self.shard.map(|(shard, files, all)| shard.told(files, all)));
                text.push_str(&printer.finish(Some(summary)));
                output::whole(text, paint)
            }
            Form::Json => {
                let begin = self.begin();
                begin + &rest_of_json(&mut self.lists, report, &errors, &rest)
            }
            _ => String::new(),
        };
        self.write(&last);
        if self.keeps {
            report.fill_pictures();
            self.lost |= !self.deliver(report, &asked, &errors, &rest, summary);
        }
        if self.lost { 2 } else { report.exit_status() }
    }

    /// Writes the reports that need all runs. `false` if one could not be written.
    fn deliver(
        &mut self,
        report: &Report,
        asked: &Asked,
        errors: &[Problem],
        rest: &[(&str, Value)],
        summary: Summary,
    ) -> bool {
        let mut remarks = std::mem::take(&mut self.remarks);
        remarks.extend(errors.iter().map(reports::mistake));
        // Of a run that is joined, events and places have files of their own.
        let is_no_file = |file: &str| report.joined && report.runs.iter().any(|run| run.file == file);
        remarks
            .iter_mut()
            .map(|remark| &mut remark.problem.file)
            .filter(|file| is_no_file(file))
            .for_each(String::clear);
        let subjects = report.runs.iter().map(|run| report_human::subject(asked, run, self.stats));
        let subjects = subjects.filter(|subject| !subject.answers.is_empty()).collect();
        let shard = self.shard;
        let told = Told {
            report: Document {
                subjects,
                summary: Some(summary),
                remarks,
                stopped: report.unprepared,
                unpictured: report.gallery.left_out(),
            },
            human: &|document, paint| {
                let mut text = text::report(document, paint);
                text.extend(shard.map(|(shard, files, all)| shard.told(files, all)));
                text
            },
            json: &|| {
                let mut lists = Lists::new(Schema::Check);
                let mut text = lists.list("results");
                let entries = report.runs.iter().flat_map(|run| report_json::results(asked, run));
                text.extend(entries.map(|entry| lists.entry(&entry)));
                text + &rest_of_json(&mut lists, report, errors, rest)
            },
        };
        match self.reports.stdout() {
            Form::Human | Form::Json => self.reports.deliver_to_files(&told),
            _ => self.reports.deliver(&told),
        }
    }
}

/// What comes after the answers.
fn rest_of_json(lists: &mut Lists, report: &Report, errors: &[Problem], rest: &[(&str, Value)]) -> String {
    let mut text = String::new();
    text.extend(report.unprepared.map(|over| lists.entry(&unprepared(over))));
    text.push_str(&lists.list("errors"));
    text.extend(errors.iter().map(|error| lists.entry(&Problem::to_json(error))));
    text.push_str(&lists.finish(rest));
    text
}
