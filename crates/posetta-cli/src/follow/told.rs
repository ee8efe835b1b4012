//! What is known about the properties of a run that is followed, and how it is told.

use posetta_base::{Diagnostic, OverBudget};
use posetta_check::Prospect;
use posetta_tell::checked::Shape;
use posetta_tell::json::{self, Schema};
use posetta_tell::report::{Answer, Report, Subject, Summary, Title};
use posetta_tell::{Word, text};
use posetta_trace::Feed;
use serde_json::{Value, json};

use crate::amounts::{counted, grouped};
use crate::output::Written;
use crate::paint::{self, clean};
use crate::problem::{Problem, warning_json};
use crate::progress::Now;
use crate::properties::Named;
use crate::{carets, output};

/// Of the events that spoil a property so many are named.
const SHOWN: usize = 6;

/// When something became certain.
pub struct Moment<'a> {
    pub line: u64,
    /// The event that decided it: a process, and a position on it.
    pub event: Option<(&'a str, u32)>,
    /// How many events had come.
    pub events: u64,
}

/// What is known about a property.
#[derive(Debug)]
pub enum State {
    Open,
    /// It is certain, since a line and an event.
    Certain {
        holds: bool,
        line: u64,
        event: Option<String>,
    },
    /// The run is over, and this is what it is.
    Over {
        holds: bool,
    },
    Unknown(OverBudget),
    /// It does not fit the run, or is none that can be followed.
    Failed,
}

/// A property on the board.
#[derive(Debug)]
pub struct Entry {
    name: String,
    /// What it says, if its name does not.
    formula: Option<[String; 2]>,
    pub state: State,
    /// How many events and configurations its verdict needed last.
    pub held: Option<(usize, usize)>,
}

impl Entry {
    pub fn new(property: &Named) -> Self {
        let formula = property.has_name.then(|| [property.spelled_logic(), property.formula.clone()]);
        Self { name: property.name.clone(), formula, state: State::Open, held: None }
    }

    fn is_open(&self) -> bool {
        matches!(self.state, State::Open)
    }
}

/// What is told, and to whom.
pub struct Board {
    json: bool,
    stats: bool,
    /// The run: a file, or `-`.
    pub name: String,
    pub properties: Vec<Entry>,
    /// What is being done, as a phrase that follows "while".
    pub doing: &'static str,
    processes: usize,
    events: u64,
    /// The records are states, so that there is one order.
    one_order: bool,
    held: usize,
    /// Who holds things back, as advice.
    hint: Option<String>,
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
    pub fn new(json: bool, stats: bool) -> Self {
        Self {
            json,
            stats,
            name: String::new(),
            properties: Vec::new(),
            doing: "reading the properties",
            processes: 0,
            events: 0,
            one_order: false,
            held: 0,
            hint: None,
            mistaken: false,
            broken: false,
            unprepared: None,
            unwritten: false,
            unheard: false,
        }
    }

    /// What is being done, for whoever waits.
    pub fn progress(&self) -> Now {
        if self.properties.is_empty() || self.events == 0 {
            return self.doing.into();
        }
        let (all, open) = (self.properties.len(), self.properties.iter().filter(|entry| entry.is_open()).count());
        let what = format!("following {}", counted(self.events, "event", "events"));
        Now { decided: Some((all - open, all)), what, run: Some(self.name.clone()) }
    }

    /// Which properties are open.
    pub fn open(&self) -> Vec<bool> {
        self.properties.iter().map(Entry::is_open).collect()
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
        self.processes = feed.frontier().processes();
        self.events = feed.events();
        self.one_order = feed.has_state_records();
        self.held = feed.held();
        self.hint = hint(feed);
    }

    /// The inputs have mistakes: there is no verdict.
    pub fn refuse(&mut self, problems: &[Problem]) {
        self.broken = true;
        self.tell_problems(problems);
    }

    fn tell_problems(&mut self, problems: &[Problem]) {
        self.mistaken = true;
        output::note(&problems.iter().map(|p| carets::error(p, paint::stderr())).collect::<String>());
        if self.json {
            problems.iter().for_each(|p| self.object(json!({ "error": p.to_json() })));
        }
    }

    /// A property does not fit the run.
    pub fn fail(&mut self, i: usize, property: &Named, mistakes: Vec<Diagnostic>) {
        self.properties[i].state = State::Failed;
        let problem = |diagnostic: Diagnostic| Problem {
            trace: Some(self.name.clone()),
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
        let holds = match prospect {
            Prospect::Open => return,
            Prospect::Holds => true,
            Prospect::Violated => false,
        };
        if !self.properties[i].is_open() {
            return;
        }
        let event = moment.event.map(|(process, position)| format!("{process}.{position}"));
        if self.json {
            let mut object = self.verdict(i, Some(moment), word(holds), Some(holds), None);
            if !holds && let Some(object) = object.as_object_mut() {
                let labels: Vec<&str> = culprits.iter().map(|(label, _)| label.as_str()).collect();
                object.insert("culprits".to_owned(), json!(labels));
            }
            self.object(object);
        } else {
            let paint = paint::stdout();
            let at = event.as_deref().map(|event| format!(" at {}", clean(event))).unwrap_or_default();
            let order: Vec<String> =
                culprits.iter().take(SHOWN).map(|(label, line)| format!("{} (line {line})", clean(label))).collect();
            let more = if culprits.len() > SHOWN { " …" } else { "" };
            let why = match (holds, order.len()) {
                _ if self.one_order => "whatever comes; this format has one order".to_owned(),
                (true, _) => "every order is good, whatever comes".to_owned(),
                (false, 0 | 1) => "some order is bad, whatever comes".to_owned(),
                (false, _) => format!("an order with {}{more} is bad, whatever comes", order.join(", then ")),
            };
            let text = format!(
                "line {}  {} {}  {}{at}: {why}\n",
                moment.line,
                Word::from(holds).mark(paint),
                clean(&self.properties[i].name),
                word(holds)
            );
            self.print(&text);
        }
        self.properties[i].state = State::Certain { holds, line: moment.line, event };
    }

    /// A property has become too much.
    pub fn give_up(&mut self, i: usize, over: OverBudget, moment: &Moment<'_>) {
        self.properties[i].state = State::Unknown(over);
        if self.json {
            let object = self.verdict(i, Some(moment), "unknown", None, Some(over));
            self.object(object);
        }
    }

    /// A limit was reached: what is open is unknown.
    pub fn stop(&mut self, over: OverBudget) {
        for entry in self.properties.iter_mut().filter(|entry| entry.is_open()) {
            entry.state = State::Unknown(over);
        }
        if self.properties.is_empty() {
            self.unprepared = Some(over);
            output::note(&text::stopped(over, paint::stderr()));
            if self.json {
                let limit = json::limit(over, 0);
                self.object(
                    json!({ "property": null, "verdict": "unknown", "satisfied": null, "end": true, "limit": limit }),
                );
            }
        }
    }

    /// The run is over, and with it a property.
    pub fn end(&mut self, i: usize, property: &Named, satisfied: bool, warnings: &[Diagnostic]) {
        if self.properties[i].is_open() {
            self.properties[i].state = State::Over { holds: satisfied };
        }
        self.warn(property, warnings);
    }

    /// Things worth knowing that change nothing.
    pub fn warn(&mut self, property: &Named, warnings: &[Diagnostic]) {
        for warning in warnings {
            output::note(&carets::warning(&property.file, Some(&self.name), warning, paint::stderr()));
            if self.json {
                let warning = warning_json(warning);
                self.object(json!({ "warning": { "property": property.name, "warning": warning } }));
            }
        }
    }

    /// Warns of the run itself.
    pub fn warn_of_the_run(&mut self, warnings: &[Diagnostic]) {
        for warning in warnings {
            output::note(&carets::warning(&self.name, None, warning, paint::stderr()));
            if self.json {
                self.object(json!({ "warning": { "property": null, "warning": warning_json(warning) } }));
            }
        }
    }

    /// Tells how it ended, and answers with the exit status.
    pub fn deliver(&mut self) -> u8 {
        let unknown = self.properties.iter().find_map(|entry| match entry.state {
            State::Unknown(over) => Some(over),
            _ => None,
        });
        if let Some(over) = unknown {
            let hint = self.hint.as_ref().map(|hint| format!("  = help: {hint}\n")).unwrap_or_default();
            output::note(&format!("{}{hint}", text::stopped(over, paint::stderr())));
        }
        // Without a verdict there is nothing to tell; the mistakes speak for themselves.
        if !self.broken && self.properties.iter().any(|entry| !matches!(entry.state, State::Failed)) {
            match self.json {
                true => self.last_objects(),
                false => self.last_lines(),
            }
        }
        let violated =
            |entry: &Entry| matches!(entry.state, State::Certain { holds: false, .. } | State::Over { holds: false });
        if self.mistaken || self.unwritten {
            2
        } else if self.properties.iter().any(violated) {
            1
        } else if unknown.is_some() || self.unprepared.is_some() {
            3
        } else {
            0
        }
    }

    fn shape(&self) -> Shape {
        let events = usize::try_from(self.events).unwrap_or(usize::MAX);
        Shape { processes: self.processes, events, one_order: self.one_order }
    }

    fn last_lines(&mut self) {
        let mut subject = Subject::new(Title::Name(self.name.clone()), self.shape().facts());
        subject.answers.extend(self.properties.iter().filter_map(|entry| self.last_line(entry)));
        let summary = Some(Summary { properties: self.properties.len(), runs: Some(1), errors: 0 });
        let report = Report { subjects: vec![subject], summary };
        let paint = paint::stdout();
        self.print(&output::whole(text::report(&report, paint), paint));
    }

    /// What became of a property, if it fits the run.
    fn last_line(&self, entry: &Entry) -> Option<Answer<'static>> {
        let since = |line: u64, event: &Option<String>| match event {
            Some(event) => format!("since line {line} ({})", clean(event)),
            None => format!("since line {line}"),
        };
        let (word, sentence) = match &entry.state {
            State::Failed => return None,
            State::Certain { holds, line, event } => {
                (Word::from(*holds), format!("{}, certain {}", word(*holds), since(*line, event)))
            }
            State::Over { holds } if self.one_order => (Word::from(*holds), Word::from(*holds).on_the_only_order()),
            State::Over { holds: true } => {
                (Word::Holds, "holds: every possible order satisfies it, now that the run is over".to_owned())
            }
            State::Over { holds: false } => {
                (Word::Violated, "violated: some possible order does not satisfy it".to_owned())
            }
            State::Unknown(over) => (Word::Unknown, format!("unknown: {over}")),
            State::Open => (Word::Unknown, "open".to_owned()),
        };
        let mut answer = Answer::new(entry.name.clone(), word, sentence);
        answer.is_named = true;
        answer.formula = entry.formula.clone().filter(|_| word == Word::Violated);
        if let (true, Some((events, configurations))) = (self.stats, entry.held) {
            let events = counted(events as u64, "event", "events");
            let configurations = counted(configurations as u64, "configuration", "configurations");
            answer.costs.push(format!("{events} and {configurations} kept at the end"));
        }
        Some(answer)
    }

    fn last_objects(&mut self) {
        for i in 0..self.properties.len() {
            let (verdict, satisfied, over) = match &self.properties[i].state {
                State::Failed => continue,
                State::Certain { holds, .. } => (word(*holds), Some(*holds), None),
                State::Over { holds } => ("open", Some(*holds), None),
                State::Unknown(over) => ("unknown", None, Some(*over)),
                State::Open => ("open", None, None),
            };
            let object = self.verdict(i, None, verdict, satisfied, over);
            self.object(object);
        }
    }

    fn verdict(
        &self,
        i: usize,
        moment: Option<&Moment<'_>>,
        verdict: &str,
        satisfied: Option<bool>,
        over: Option<OverBudget>,
    ) -> Value {
        let entry = &self.properties[i];
        let event = moment.and_then(|m| m.event).map(|(process, position)| format!("{process}.{position}"));
        json!({
            "line": moment.map(|m| m.line),
            "event": event,
            "property": entry.name,
            "verdict": verdict,
            "satisfied": satisfied,
            "events": moment.map_or(self.events, |m| m.events),
            "orders": self.shape().orders(),
            "end": moment.is_none(),
            "limit": over.map(|over| json::limit(over, self.events)),
            "hint": over.and(self.hint.as_deref()),
            "kept": { "events": self.held, "configurations": entry.held.map(|(_, configurations)| configurations) },
        })
    }
}

fn word(holds: bool) -> &'static str {
    Word::from(holds).text()
}

/// Why so much is kept, and what would help.
fn hint(feed: &Feed) -> Option<String> {
    if feed.held() == 0 {
        return None;
    }
    let held = grouped(feed.held() as u64);
    Some(if 2 * feed.waiting() > feed.held() {
        let (line, what) = feed.stuck()?;
        format!(
            "{} records wait because line {line} comes after `{what}`, which has not come",
            grouped(feed.waiting() as u64)
        )
    } else if !feed.frontier().is_closed() {
        format!(
            "{held} events are kept because another process may still show up; a header that declares all of them bounds \
             memory: {{\"posetta\":1,\"processes\":[…]}}"
        )
    } else {
        let laggard = feed.laggard()?;
        let process = clean(laggard.process).into_owned();
        let heard = match laggard.line {
            Some(line) => format!("has said nothing of them; its last record is line {line}"),
            None => "has said nothing at all".to_owned(),
        };
        format!(
            "{} events wait because {process} {heard}; a heartbeat of {process} that comes after them, or its end, would help",
            grouped(laggard.behind)
        )
    })
}
