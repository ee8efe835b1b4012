//! What has been told about a run that is followed, and to whom.

use posetta_base::{Diagnostic, OverBudget};
use posetta_check::Prospect;
use posetta_tell::followed::{self, Moment, Run, State};
use posetta_tell::json::Schema;
use posetta_tell::report::{Remark, Report};
use posetta_tell::{text, warning_line};
use posetta_trace::Feed;
use serde_json::Value;

use crate::amounts::counted;
use crate::output::Written;
use crate::paint;
use crate::problem::Problem;
use crate::progress::Now;
use crate::properties::Named;
use crate::reports::{Reports, Told};
use crate::{carets, deny, output, reports};

/// What is told, and to whom.
pub struct Board {
    json: bool,
    stats: bool,
    /// What is written at the end.
    reports: Reports,
    /// What is told there beside the answers.
    remarks: Vec<Remark>,
    /// What there is to tell.
    pub run: Run,
    /// What is being done, as a phrase that follows "while".
    pub doing: &'static str,
    /// A mistake was told.
    mistaken: bool,
    /// The run has a mistake, so nothing can be said of it.
    broken: bool,
    /// The limit that was reached before the properties were read.
    unprepared: Option<OverBudget>,
    /// Nobody reads what is told.
    pub unheard: bool,
    /// Something could not be written.
    unwritten: bool,
}

impl Board {
    pub fn new(json: bool, stats: bool, reports: Reports) -> Self {
        Self {
            json,
            stats,
            reports,
            remarks: Vec::new(),
            run: Run::default(),
            doing: "reading the properties",
            mistaken: false,
            broken: false,
            unprepared: None,
            unwritten: false,
            unheard: false,
        }
    }

    /// What is being done, for whoever waits.
    pub fn progress(&self) -> Now {
        if self.run.outcomes.is_empty() || self.run.events() == 0 {
            return self.doing.into();
        }
        let (all, open) = (self.run.outcomes.len(), self.open().into_iter().filter(|open| *open).count());
        let what = format!("following {}", counted(self.run.events(), "event", "events"));
        Now { decided: Some((all - open, all)), what, run: Some(self.run.name.clone()), ..Now::default() }
    }

    /// Which properties are open.
    pub fn open(&self) -> Vec<bool> {
        self.run.outcomes.iter().map(followed::Outcome::is_open).collect()
    }

    fn print(&mut self, text: &str) {
        match output::print_to_somebody(text) {
            Written::Yes => {}
            Written::ToNobody => self.unheard = true,
            Written::Failed => self.unwritten = true,
        }
    }

    fn object(&mut self, object: Value) {
        self.print(&Schema::Follow.line(object));
    }

    /// Notes how far the run is, and who holds things back.
    pub fn look(&mut self, feed: &Feed) {
        self.run.look(feed);
    }

    /// Notes what the records lack, for what is decided from now on.
    pub fn note_lack(&mut self, feed: &Feed) {
        let Some(lack) = feed.unmarked() else { return };
        for outcome in self.run.outcomes.iter_mut().filter(|outcome| outcome.is_open()) {
            outcome.lacks = Some(lack.what);
        }
    }

    /// The inputs have mistakes: there is no verdict.
    pub fn refuse(&mut self, problems: &[Problem]) {
        self.broken = true;
        self.tell_problems(problems);
    }

    fn tell_problems(&mut self, problems: &[Problem]) {
        self.mistaken = true;
        self.remarks.extend(problems.iter().map(reports::mistake));
        output::note(&problems.iter().map(|p| carets::error(p, paint::stderr())).collect::<String>());
        if self.json {
            problems.iter().for_each(|problem| self.object(problem.to_line()));
        }
    }

    /// A property does not fit the run.
    pub fn fail(&mut self, i: usize, property: &Named, mistakes: Vec<Diagnostic>) {
        self.run.outcomes[i].state = State::Failed;
        let problem = |diagnostic: Diagnostic| Problem {
            trace: Some(self.run.name.clone()),
            file: property.file.clone(),
            property: Some(property.name.clone()),
            diagnostic,
        };
        let problems: Vec<Problem> = mistakes.into_iter().map(problem).collect();
        self.tell_problems(&problems);
    }

    /// Where a property stands; tells what has become certain.
    /// `culprits` are the events, with their lines, that in this order spoil a violated property.
    pub fn settle(&mut self, i: usize, prospect: Prospect, moment: &Moment<'_>, culprits: &[(String, u64)]) {
        if self.run.outcomes[i].settle(prospect, moment).is_none() {
            return;
        }
        let outcome = &self.run.outcomes[i];
        if self.json {
            self.object(self.run.certain_json(outcome, moment, culprits));
        } else {
            let line = self.run.certain(outcome, moment, culprits, paint::stdout());
            self.print(&line);
        }
    }

    /// A property has become too much.
    pub fn give_up(&mut self, i: usize, over: OverBudget, moment: &Moment<'_>) {
        self.run.outcomes[i].state = State::Unknown(over);
        if self.json {
            self.object(self.run.to_json(&self.run.outcomes[i], Some(moment)));
        }
    }

    /// A limit was reached: what is open is unknown.
    pub fn stop(&mut self, over: OverBudget) {
        for outcome in self.run.outcomes.iter_mut().filter(|outcome| outcome.is_open()) {
            outcome.state = State::Unknown(over);
        }
        if self.run.outcomes.is_empty() {
            self.unprepared = Some(over);
            output::note(&text::stopped(over, paint::stderr()));
            if self.json {
                self.object(followed::unprepared(over));
            }
        }
    }

    /// The run is over, and with it a property.
    pub fn end(&mut self, i: usize, property: &Named, satisfied: bool, warnings: &[Diagnostic]) {
        let outcome = &mut self.run.outcomes[i];
        if outcome.is_open() {
            outcome.state = State::Over { holds: satisfied };
        }
        self.warn(property, warnings);
    }

    /// Things worth knowing about a property that change nothing.
    pub fn warn(&mut self, property: &Named, warnings: &[Diagnostic]) {
        for warning in warnings {
            output::note(&carets::warning(&property.file, Some(&self.run.name), warning, paint::stderr()));
            self.remark(Problem {
                trace: Some(self.run.name.clone()),
                file: property.file.clone(),
                property: Some(property.name.clone()),
                diagnostic: warning.clone(),
            });
            self.warn_programs(Some(&property.name), warning);
        }
    }

    /// Warns of the run itself.
    pub fn warn_of_the_run(&mut self, warnings: &[Diagnostic]) {
        for warning in warnings {
            output::note(&carets::warning(&self.run.name, None, warning, paint::stderr()));
            self.remark(Problem::in_run(&self.run.name, warning.clone()));
            self.warn_programs(None, warning);
        }
    }

    fn remark(&mut self, warning: Problem) {
        self.remarks.push(reports::warning(warning, None));
    }

    fn warn_programs(&mut self, property: Option<&str>, warning: &Diagnostic) {
        if self.json {
            self.object(warning_line(property, warning, deny::see(warning.kind)));
        }
    }

    /// Tells how it ended, and answers with the exit status.
    pub fn deliver(&mut self) -> u8 {
        let unknown = self.run.given_up();
        if let Some(over) = unknown {
            output::note(&self.run.stopped(over, paint::stderr()));
        }
        // Without a verdict there is nothing to tell; the mistakes speak for themselves.
        if !self.broken && self.run.has_answers() {
            if self.json {
                self.run.ends_json().into_iter().for_each(|line| self.object(line));
            } else {
                let paint = paint::stdout();
                let report = text::report(&self.run.report(self.stats), paint);
                self.print(&output::whole(report, paint));
            }
        }
        let report = if self.broken { Report::default() } else { self.run.report(self.stats) };
        let report = Report { remarks: std::mem::take(&mut self.remarks), stopped: self.unprepared, ..report };
        let told = Told { report, human: &text::report, json: &String::new };
        self.unwritten |= !self.reports.deliver_to_files(&told);
        if self.mistaken || self.unwritten {
            2
        } else if self.run.outcomes.iter().any(|outcome| outcome.state.holds() == Some(false)) {
            1
        } else if unknown.is_some() || self.unprepared.is_some() {
            3
        } else {
            0
        }
    }
}
