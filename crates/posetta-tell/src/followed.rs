//! What is known about the properties of a run that is followed, and how it is said: when a verdict becomes certain, and at the end.

use posetta_base::OverBudget;
use posetta_check::{Instances, Prospect, could_change};
use posetta_trace::{Feed, Missing};
use serde_json::{Value, json};

use crate::amounts::{counted, grouped};
use crate::checked::{Shape, instances_json, named_values, shown_value, values_of};
use crate::json;
use crate::named::Named;
use crate::paint::{Paint, clean};
use crate::problem::is_file;
use crate::report::{Answer, Report, Said, Subject, Summary, Title, Written};
use crate::text;
use crate::word::Word;

/// Of the events that spoil a property so many are named.
const SHOWN: usize = 6;

/// When something became certain.
#[derive(Clone, Copy, Debug)]
pub struct Moment<'a> {
    /// The line of the record.
    pub line: u64,
    /// The event that decided it: a process, and a position on it.
    pub event: Option<(&'a str, u32)>,
    /// How many events had come.
    pub events: u64,
}

impl Moment<'_> {
    fn label(&self) -> Option<String> {
        self.event.map(|(process, position)| format!("{process}.{position}"))
    }
}

/// What is known about a property.
#[derive(Clone, Debug)]
pub enum State {
    /// Nothing yet.
    Open,
    /// It is certain.
    Certain {
        /// What is.
        holds: bool,
        /// Since this line.
        line: u64,
        /// Since this event, if it was one.
        event: Option<String>,
    },
    /// The run is over, and this is what it is.
    Over {
        /// Whether the orders that it asks for satisfy it.
        holds: bool,
    },
    /// A limit was reached.
    Unknown(OverBudget),
    /// It does not fit the run, or is none that can be followed.
    Failed,
}

impl State {
    /// The verdict, if there is one.
    #[must_use]
    pub fn holds(&self) -> Option<bool> {
        match self {
            Self::Certain { holds, .. } | Self::Over { holds } => Some(*holds),
            Self::Open | Self::Unknown(_) | Self::Failed => None,
        }
    }
}

/// One property on the run.
#[derive(Clone, Debug)]
pub struct Outcome {
    name: String,
    /// Where it is written, if that is a file.
    written: Option<Written>,
    /// What it says, if its name does not.
    formula: Option<[String; 2]>,
    /// What its author wants to be said of it if it is violated, or holds.
    remarks: [Option<Said>; 2],
    /// It is about cuts, not about single orders.
    of_cuts: bool,
    /// It asks for one order.
    of_some: bool,
    /// What is known.
    pub state: State,
    /// Of a property with instances: those that have begun.
    pub instances: Option<Instances>,
    /// What its values are: one of them, and several.
    values: (String, String),
    /// What the records lacked when it was decided.
    pub lacks: Option<Missing>,
    /// How many events and configurations its verdict needed last.
    pub held: Option<(usize, usize)>,
}

impl Outcome {
    /// Before the run.
    #[must_use]
    pub fn new(property: &Named) -> Self {
        let formula = property.has_name.then(|| [property.spelled_logic(), property.formula.clone()]);
        let of_cuts = property.over().is_none();
        let of_some = property.asks_for_some();
        Self {
            name: property.name.clone(),
            written: property.written(),
            formula,
            remarks: [Said::of(property, Word::Violated), Said::of(property, Word::Holds)],
            of_cuts,
            of_some,
            state: State::Open,
            instances: None,
            values: values_of(property),
            lacks: None,
            held: None,
        }
    }

    /// Whether it may still become anything.
    #[must_use]
    pub fn is_open(&self) -> bool {
        matches!(self.state, State::Open)
    }

    /// It becomes certain at a moment, if it was open. Answers with what it is if that is news.
    pub fn settle(&mut self, prospect: Prospect, moment: &Moment<'_>) -> Option<bool> {
        let holds = match prospect {
            Prospect::Open => return None,
            Prospect::Holds => true,
            Prospect::Violated => false,
        };
        if !self.is_open() {
            return None;
        }
        self.state = State::Certain { holds, line: moment.line, event: moment.label() };
        Some(holds)
    }

    /// What the records lacked that could change the verdict.
    fn incomplete(&self) -> Option<Missing> {
        let holds = self.state.holds()?;
        self.lacks.filter(|&missing| could_change(missing, holds, !self.of_cuts, self.of_some))
    }

    /// What became of its instances, when the run is over.
    fn of_all(&self, instances: &Instances) -> String {
        let total = counted(instances.total, &self.values.0, &self.values.1);
        match instances.failing.is_empty() {
            true => format!("holds for all {total}, now that the run is over"),
            false => {
                let (violated, named) = (grouped(instances.violated), named_values(instances));
                format!("violated for {violated} of {total}, now that the run is over: {named}")
            }
        }
    }

    /// What became of it, if it fits the run; with `stats`, what was kept for it.
    fn answer(&self, one_order: bool, stats: bool) -> Option<Answer<'static>> {
        let since = |line: u64, event: &Option<String>| match event {
            Some(event) => format!("since line {line} ({})", clean(event)),
            None => format!("since line {line}"),
        };
        let (word, sentence) = match &self.state {
            State::Failed => return None,
            State::Certain { holds, line, event } => {
                let word = Word::from(*holds);
                (word, format!("{}, certain {}", word.text(), since(*line, event)))
            }
            State::Over { holds } if self.instances.is_some() => {
                (Word::from(*holds), self.instances.as_ref().map_or(String::new(), |all| self.of_all(all)))
            }
            State::Over { holds } if one_order => (Word::from(*holds), Word::from(*holds).on_the_only_order()),
            State::Over { holds } if self.of_cuts => {
                (Word::from(*holds), format!("{}, now that the run is over", Word::from(*holds).text()))
            }
            State::Over { holds: true } if self.of_some => {
                (Word::Holds, "holds: some possible order satisfies it".to_owned())
            }
            State::Over { holds: false } if self.of_some => {
                (Word::Violated, "violated: no possible order satisfies it, now that the run is over".to_owned())
            }
            State::Over { holds: true } => {
                (Word::Holds, "holds: every possible order satisfies it, now that the run is over".to_owned())
            }
            State::Over { holds: false } => {
                (Word::Violated, "violated: some possible order does not satisfy it".to_owned())
            }
            State::Unknown(over) => (Word::Unknown, format!("unknown: {over}")),
            State::Open => (Word::Unknown, "open".to_owned()),
        };
        let incomplete = if self.incomplete().is_some() { "; the records are incomplete" } else { "" };
        let mut answer = Answer::new(self.name.clone(), word, sentence + incomplete);
        answer.is_named = true;
        answer.formula = self.formula.clone().filter(|_| word == Word::Violated);
        answer.written.clone_from(&self.written);
        let [violated, holds] = &self.remarks;
        answer.remark = match word {
            Word::Violated => violated.clone(),
            Word::Holds => holds.clone(),
            Word::Unknown => None,
        };
        if let State::Certain { line, .. } = self.state {
            answer.shows = Some(Written { line, ..Written::default() });
        }
        if let (true, Some((events, configurations))) = (stats, self.held) {
            let events = counted(events as u64, "event", "events");
            let configurations = counted(configurations as u64, "configuration", "configurations");
            answer.costs.push(format!("{events} and {configurations} kept at the end"));
        }
        Some(answer)
    }
}

/// A run, as far as it has come.
#[derive(Clone, Debug, Default)]
pub struct Run {
    /// The file, or `-`.
    pub name: String,
    /// What is known about each property.
    pub outcomes: Vec<Outcome>,
    processes: usize,
    events: u64,
    /// The records are states, so that there is one order.
    one_order: bool,
    held: usize,
    /// Who holds things back, as advice.
    hint: Option<String>,
}

impl Run {
    /// It is asked for these properties.
    pub fn begin(&mut self, name: &str, properties: &[Named]) {
        name.clone_into(&mut self.name);
        self.outcomes = properties.iter().map(Outcome::new).collect();
    }

    /// Notes how far the run is, and who holds things back.
    pub fn look(&mut self, feed: &Feed) {
        self.processes = feed.frontier().processes();
        self.events = feed.events();
        self.one_order = feed.has_state_records();
        self.held = feed.held();
        self.hint = hint(feed);
    }

    /// How many events have come.
    #[must_use]
    pub fn events(&self) -> u64 {
        self.events
    }

    /// Whether some property fits it.
    #[must_use]
    pub fn has_answers(&self) -> bool {
        self.outcomes.iter().any(|outcome| !matches!(outcome.state, State::Failed))
    }

    /// The first limit at which a property was given up.
    #[must_use]
    pub fn given_up(&self) -> Option<OverBudget> {
        self.outcomes.iter().find_map(|outcome| match outcome.state {
            State::Unknown(over) => Some(over),
            _ => None,
        })
    }

    /// That a limit was reached, and who holds things back.
    #[must_use]
    pub fn stopped(&self, over: OverBudget, paint: Paint) -> String {
        let hint = self.hint.as_ref().map(|hint| format!("  = help: {hint}\n")).unwrap_or_default();
        format!("{}{hint}", text::stopped(over, paint))
    }

    fn shape(&self) -> Shape {
        let events = usize::try_from(self.events).unwrap_or(usize::MAX);
        Shape { processes: self.processes, events, one_order: self.one_order }
    }

    /// The line that says that a property became certain at this moment. `culprits` are the events, with their lines, that in this order
    /// spoil a violated one, or make true one that asks for some order; of a property of cuts, those that decide it. Nothing to who wants it quiet and would only see that it holds.
    #[must_use]
    pub fn certain(&self, outcome: &Outcome, moment: &Moment<'_>, culprits: &[(String, u64)], paint: Paint) -> String {
        let Some(holds) = outcome.state.holds().filter(|holds| !(*holds && paint.quiet)) else { return String::new() };
        let at = moment.label().map(|event| format!(" at {}", clean(&event))).unwrap_or_default();
        let order: Vec<String> =
            culprits.iter().take(SHOWN).map(|(label, line)| format!("{} (line {line})", clean(label))).collect();
        let more = if culprits.len() > SHOWN { " …" } else { "" };
        let why = match (holds, order.len()) {
            _ if outcome.instances.is_some() => {
                let value =
                    outcome.instances.as_ref().and_then(|all| all.shown.as_ref()).map_or(String::new(), shown_value);
                format!("the instance of {value} is, whatever comes")
            }
            _ if self.one_order => "whatever comes; this format has one order".to_owned(),
            (_, 0) if outcome.of_cuts => "whatever comes".to_owned(),
            (_, _) if outcome.of_cuts => format!("by a cut with {}{more}, whatever comes", order.join(", ")),
            (false, _) if outcome.of_some => "every order is bad, whatever comes".to_owned(),
            (true, 0 | 1) if outcome.of_some => "some order is good, whatever comes".to_owned(),
            (true, _) if outcome.of_some => {
                format!("an order with {}{more} is good, whatever comes", order.join(", then "))
            }
            (true, _) => "every order is good, whatever comes".to_owned(),
            (false, 0 | 1) => "some order is bad, whatever comes".to_owned(),
            (false, _) => format!("an order with {}{more} is bad, whatever comes", order.join(", then ")),
        };
        let word = Word::from(holds);
        let (mark, name) = (word.mark(paint), clean(&outcome.name));
        format!("line {}  {mark} {name}  {}{at}: {why}\n", moment.line, word.text())
    }

    /// The same for programs.
    #[must_use]
    pub fn certain_json(&self, outcome: &Outcome, moment: &Moment<'_>, culprits: &[(String, u64)]) -> Value {
        let mut line = self.to_json(outcome, Some(moment));
        if outcome.state.holds() == Some(false) {
            line["culprits"] = culprits.iter().map(|(label, _)| label.as_str()).collect();
        }
        line
    }

    /// What is known about a property as a line for programs: at a moment, else at the end.
    #[must_use]
    pub fn to_json(&self, outcome: &Outcome, moment: Option<&Moment<'_>>) -> Value {
        let (verdict, satisfied, over) = match &outcome.state {
            State::Certain { holds, .. } => (Word::from(*holds).text(), Some(*holds), None),
            State::Over { holds } => ("open", Some(*holds), None),
            State::Unknown(over) => (Word::Unknown.text(), None, Some(*over)),
            State::Open | State::Failed => ("open", None, None),
        };
        let mut object = json!({
            "line": moment.map(|m| m.line),
            "event": moment.and_then(Moment::label),
            "property": outcome.name,
            "verdict": verdict,
            "satisfied": satisfied,
            "events": moment.map_or(self.events, |m| m.events),
            "orders": self.shape().orders(),
            "end": moment.is_none(),
            "limit": over.map(|over| json::limit(over, self.events)),
            "hint": over.and(self.hint.as_deref()),
            "kept": { "events": self.held, "configurations": outcome.held.map(|(_, configurations)| configurations) },
        });
        if let Some(missing) = outcome.incomplete() {
            object["incomplete"] = json!([missing.word()]);
        }
        if let Some(instances) = &outcome.instances {
            object["instances"] = instances_json(instances);
        }
        object
    }

    /// What is known at the end, a line for each property that fits the run.
    #[must_use]
    pub fn ends_json(&self) -> Vec<Value> {
        let fitting = self.outcomes.iter().filter(|outcome| !matches!(outcome.state, State::Failed));
        fitting.map(|outcome| self.to_json(outcome, None)).collect()
    }

    /// The same for people; with `stats`, what was kept.
    #[must_use]
    pub fn report(&self, stats: bool) -> Report<'static> {
        let mut subject = Subject::new(Title::Name(self.name.clone()), self.shape().facts());
        subject.file = is_file(&self.name).then(|| self.name.clone());
        subject.answers.extend(self.outcomes.iter().filter_map(|outcome| outcome.answer(self.one_order, stats)));
        let summary = Some(Summary { properties: self.outcomes.len(), runs: Some(1), errors: 0 });
        Report { subjects: vec![subject], summary, ..Report::default() }
    }
}

/// The one line for programs if nothing could be asked: unknown, about no property.
#[must_use]
pub fn unprepared(over: OverBudget) -> Value {
    let (verdict, limit) = (Word::Unknown.text(), json::limit(over, 0));
    json!({ "property": null, "verdict": verdict, "satisfied": null, "end": true, "limit": limit })
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
