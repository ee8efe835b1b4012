//! What became of the properties of a stream, and how it is said: a line for each answer, and all of it at the end.
//!
//! Nothing here refers to a [`Watcher`](posetta_monitor::Watcher), so that who shows it need not wait for one that is at work.

use std::fmt::Write;

use posetta_base::{Limit, OverBudget, When};
use posetta_monitor::{Answered, AtEnd, Completions, Counts, Prospect, Record, State, Tally};
use serde_json::{Value, json};

use crate::amounts::{counted, grouped};
use crate::json::{self, Schema};
use crate::named::Named;
use crate::paint::{Paint, clean, short};
use crate::report::{Answer, Block, Report, Said, Subject, Summary, Title};
use crate::word::Word;

/// Columns of a key.
const KEY_WIDTH: usize = 60;
/// So many values of a record are shown beside an answer.
const FACTS: usize = 4;
/// Columns of a value.
const VALUE_WIDTH: usize = 40;

/// One property on a stream, or on the streams of all keys.
#[derive(Clone, Debug)]
pub struct Outcome {
    name: String,
    /// The name as JSON.
    quoted: String,
    /// What it says, if its name does not.
    formula: Option<[String; 2]>,
    /// What its author wants to be said of it if it is violated, or holds.
    remarks: [Option<Said>; 2],
    /// It has a stream for each value.
    for_each: bool,
    /// What has become of it.
    pub tally: Tally,
    /// When it was determined, if the stream is a waveform without keys.
    pub since: Option<When>,
}

impl Outcome {
    /// Before any record.
    #[must_use]
    pub fn new(property: &Named) -> Self {
        Self {
            name: property.name.clone(),
            quoted: Value::String(property.name.clone()).to_string(),
            formula: property.has_name.then(|| [property.spelled_logic(), property.formula.clone()]),
            remarks: [Said::of(property, Word::Violated), Said::of(property, Word::Holds)],
            for_each: property.property.each.is_some(),
            tally: Tally::default(),
            since: None,
        }
    }

    /// The limit at which it was given up.
    #[must_use]
    pub fn given_up(&self) -> Option<OverBudget> {
        match self.tally.state {
            State::GivenUp(over) => Some(over),
            State::Followed | State::Failed => None,
        }
    }

    /// Whether some stream violates it, if open ones count as given.
    #[must_use]
    pub fn is_violated(&self, end: &AtEnd) -> bool {
        self.tally.state != State::Failed && (self.tally.violated > 0 || end.unsatisfied > 0)
    }
}

/// Why reading stopped before the end of a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stopped {
    /// At a mistake, as was asked for.
    AtMistake,
    /// Nobody reads the answers.
    Unread,
    /// Somebody interrupted it.
    Interrupted,
    /// The file is no longer there, or another one is.
    Removed,
    /// The file has become shorter than what was read of it.
    Truncated,
}

impl Stopped {
    fn text(self) -> &'static str {
        match self {
            Self::AtMistake => "reading stopped at the mistake (--strict)",
            Self::Unread => "reading stopped because nobody reads the output",
            Self::Interrupted => "interrupted: this counts as the end",
            Self::Removed => "the file was removed or replaced: this counts as the end",
            Self::Truncated => "the file has become shorter: this counts as the end",
        }
    }
}

/// A stream, as far as it has been followed.
#[derive(Clone, Debug)]
pub struct Stream {
    /// The file, or `-`.
    pub name: String,
    /// What became of each property.
    pub outcomes: Vec<Outcome>,
    /// Records that have come.
    pub records: u64,
    /// Lines that were left out because of a mistake.
    pub malformed: u64,
    /// Records that a property could not take, for each property.
    pub mistyped: u64,
    /// Records without a key, and the line of the first.
    keyless: Option<(u64, u64)>,
    keyed: bool,
    completions: Completions,
    /// What every line for programs says that it is.
    schema: String,
}

impl Stream {
    /// One of which nothing is known. It is one for each key if it is `keyed`.
    #[must_use]
    pub fn new(keyed: bool, completions: Completions) -> Self {
        Self {
            name: String::new(),
            outcomes: Vec::new(),
            records: 0,
            malformed: 0,
            mistyped: 0,
            keyless: None,
            keyed,
            completions,
            schema: Schema::Monitor.text(),
        }
    }

    /// It is asked for these properties.
    pub fn begin(&mut self, name: &str, properties: &[Named]) {
        name.clone_into(&mut self.name);
        self.outcomes = properties.iter().map(Outcome::new).collect();
    }

    /// Records have no key.
    pub fn miss_key(&mut self, counts: Counts) {
        self.keyless = counts.first_keyless.map(|first| (counts.keyless, first));
    }

    /// How many lines and records were left out.
    #[must_use]
    pub fn left_out(&self) -> u64 {
        self.malformed.saturating_add(self.mistyped)
    }

    /// The first limit at which a property was given up.
    #[must_use]
    pub fn given_up(&self) -> Option<OverBudget> {
        self.outcomes.iter().find_map(Outcome::given_up)
    }

    /// Whether an interruption made a property be given up.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.outcomes.iter().filter_map(Outcome::given_up).any(|over| over.limit == Limit::Cancelled)
    }

    /// Which properties are open: followed, and not determined everywhere.
    #[must_use]
    pub fn open(&self) -> Vec<usize> {
        let is_open = |(_, outcome): &(usize, &Outcome)| {
            let Tally { state, holds, violated, .. } = &outcome.tally;
            *state == State::Followed && (self.is_keyed(outcome) || (*holds, *violated) == (0, 0))
        };
        self.outcomes.iter().enumerate().filter(is_open).map(|(i, _)| i).collect()
    }

    /// Whether a property has a stream for each of several keys.
    fn is_keyed(&self, outcome: &Outcome) -> bool {
        self.keyed || outcome.for_each
    }

    /// An answer as an object on a line, the one with this number, without the end of the line. There may be one for every record, so it
    /// is written directly.
    pub fn write_json(&self, out: &mut String, told: &Answered, key: Option<&str>, when: Option<&When>, number: u64) {
        let Answered { position, line, answers, late, .. } = told;
        let quoted = &self.outcomes[told.property.index()].quoted;
        let monitorable = match answers.monitorable {
            None => "null",
            Some(true) => "true",
            Some(false) => "false",
        };
        let _ = write!(
            out,
            "{{\"position\":{position},\"property\":{quoted},\"satisfied\":{},\"verdict\":\"{}\",\"monitorable\":{monitorable}",
            answers.satisfied,
            answers.prospect.word(),
        );
        if *late {
            out.push_str(",\"late\":true");
        }
        if let Some(key) = key {
            let _ = write!(out, ",\"key\":{}", Value::String(key.to_owned()));
        }
        if let Some(when) = when {
            let _ = write!(out, ",\"at\":{}", json::when(when));
        }
        let _ = write!(out, ",\"line\":{line},\"number\":{number},\"schema\":\"{}\"}}", self.schema);
    }

    /// The same for people. `facts` says what the record has to do with it.
    pub fn write_text(
        &self,
        out: &mut String,
        told: &Answered,
        key: Option<&str>,
        when: Option<&When>,
        facts: &str,
        paint: Paint,
    ) {
        let which = match self.completions {
            Completions::Finite => "finite continuation",
            Completions::Infinite => "infinite continuation",
            Completions::Both => "continuation",
        };
        let word = told.answers.prospect.word();
        let (word, reason) = match told.answers.prospect {
            Prospect::Holds => (paint.green(word), ["every ", which, " satisfies it"]),
            Prospect::Violated => (paint.red(word), ["no ", which, " can satisfy it"]),
            Prospect::Open => {
                let so_far = if told.answers.satisfied { "satisfied so far" } else { "not satisfied so far" };
                let never = if told.ends_hope() { ", and no continuation will determine it" } else { "" };
                let late = if told.late { ", and may be determined already" } else { "" };
                (paint.yellow(word), [so_far, never, late])
            }
        };
        let _ = write!(out, "{}: {} ", told.position, clean(&self.outcomes[told.property.index()].name));
        if let Some(key) = key {
            let _ = write!(out, "[{}] ", shown_key(key));
        }
        let _ = write!(out, "{word}: ");
        out.extend(reason);
        let _ = match when {
            Some(when) => write!(out, " ({when}{facts})"),
            None => write!(out, " (line {}{facts})", told.line),
        };
    }

    /// That the property at this place is unknown, or everything is, as a line for programs.
    #[must_use]
    pub fn unknown(&self, property: Option<usize>, over: OverBudget) -> Value {
        json!({
            "position": null,
            "property": property.map(|property| &self.outcomes[property].name),
            "satisfied": null,
            "verdict": Word::Unknown.text(),
            "monitorable": null,
            "limit": json::limit(over, self.records),
        })
    }

    /// What is known at the end, where open streams count as given: for each property, or for none if nobody knows.
    #[must_use]
    pub fn report(&self, ends: &[AtEnd], stopped: Option<Stopped>) -> Report<'static> {
        let records = counted(self.records, "record", "records");
        let mut subject = Subject::new(Title::Name(self.name.clone()), vec![records]);
        let none = AtEnd::default();
        for (i, outcome) in self.outcomes.iter().enumerate() {
            subject.answers.push(self.answer(outcome, ends.get(i).unwrap_or(&none), ends.is_empty()));
        }
        let left_out = |n: u64, what: &str| match n {
            1 => format!("1 {what} was left out"),
            n => format!("{} {what}s were left out", grouped(n)),
        };
        let mut remarks = Vec::new();
        if self.malformed > 0 {
            remarks.push(format!("{} because of a mistake", left_out(self.malformed, "line")));
        }
        if self.mistyped > 0 {
            remarks.push(format!("{} for a property that cannot take it", left_out(self.mistyped, "record")));
        }
        if let Some((count, first)) = self.keyless {
            let what = if count == 1 { "record without the key was" } else { "records without the key were" };
            remarks.push(format!("{} {what} left out; the first is line {first}", grouped(count)));
        }
        remarks.extend(stopped.map(|why| why.text().to_owned()));
        subject.rest.extend(remarks.into_iter().map(Block::Remark));
        Report { subjects: vec![subject], ..Report::default() }
    }

    /// The last line of a report that has only what does not hold.
    #[must_use]
    pub fn summary(&self) -> Summary {
        Summary { properties: self.outcomes.len(), runs: None, errors: 0 }
    }

    /// How a property stands; `unended` if nobody knows what open streams count as.
    fn answer(&self, outcome: &Outcome, end: &AtEnd, unended: bool) -> Answer<'static> {
        let tally = &outcome.tally;
        let bad = outcome.is_violated(end);
        let open =
            (!self.is_keyed(outcome) || unended) && tally.since.is_none() && end.satisfied + end.unsatisfied == 0;
        let (word, sentence) = match (tally.state, bad) {
            (State::Failed, _) => (Word::Unknown, "not followed, because of a mistake".to_owned()),
            (State::GivenUp(over), false) => (Word::Unknown, format!("unknown: {over}")),
            (_, true) => (Word::Violated, self.sentence(outcome, end)),
            (State::Followed, false) if open && self.records == 0 => (Word::Unknown, "nothing was read".to_owned()),
            (State::Followed, false) if open => (Word::Unknown, "open when reading stopped".to_owned()),
            (State::Followed, false) if self.is_keyed(outcome) && tally.holds + end.satisfied == 0 => {
                (Word::Unknown, self.sentence(outcome, end))
            }
            (State::Followed, false) => (Word::Holds, self.sentence(outcome, end)),
        };
        let mut answer = Answer::new(outcome.name.clone(), word, sentence);
        answer.is_named = true;
        answer.formula = outcome.formula.clone().filter(|_| bad);
        let [violated, holds] = &outcome.remarks;
        answer.remark = match word {
            Word::Violated => violated.clone(),
            Word::Holds => holds.clone(),
            Word::Unknown => None,
        };
        answer
    }

    /// The same in words, when everything is over.
    fn sentence(&self, outcome: &Outcome, end: &AtEnd) -> String {
        let tally = &outcome.tally;
        if !self.is_keyed(outcome) {
            return match tally.since {
                Some((position, line)) => {
                    let word = Word::from(tally.violated == 0).text();
                    match &outcome.since {
                        Some(when) => format!("{word}: determined at {when}"),
                        None => format!("{word}: determined at position {position} (line {line})"),
                    }
                }
                None if end.unsatisfied > 0 => "violated: not satisfied at the end".to_owned(),
                None => "holds: satisfied at the end".to_owned(),
            };
        }
        let named = |keys: &[String], of: u64| {
            let keys: Vec<String> = keys.iter().map(|key| shown_key(key)).collect();
            let more = if of > keys.len() as u64 { ", ..." } else { "" };
            format!(" ({}{more})", keys.join(", "))
        };
        let mut parts = Vec::new();
        if tally.violated > 0 {
            let keys = named(&tally.violated_keys, tally.violated);
            parts.push(format!("{} violated{keys}", counted(tally.violated, "key", "keys")));
        }
        if end.unsatisfied > 0 {
            let keys = named(&end.unsatisfied_keys, end.unsatisfied);
            parts.push(format!("{} not satisfied at the end{keys}", counted(end.unsatisfied, "key", "keys")));
        }
        if tally.holds > 0 {
            parts.push(format!("{} determined to hold", counted(tally.holds, "key", "keys")));
        }
        if end.satisfied > 0 {
            parts.push(format!("{} satisfied at the end", counted(end.satisfied, "key", "keys")));
        }
        if let Some(over) = outcome.given_up() {
            parts.push(format!("the others unknown: {over}"));
        }
        if parts.is_empty() { "no key has come".to_owned() } else { parts.join("; ") }
    }
}

/// Whether a line about an answer is worth it to who wants it quiet and sees only what does not hold.
#[must_use]
pub fn is_worth_it(told: &Answered) -> bool {
    told.answers.prospect == Prospect::Violated
}

/// What a record says of the variables of a property, behind its line.
#[must_use]
pub fn facts(record: &Record<'_>, variables: &[String]) -> String {
    let mut facts = String::new();
    let begin = |facts: &mut String| facts.push_str(if facts.is_empty() { ": " } else { ", " });
    if let Some(name) = record.name {
        begin(&mut facts);
        facts.push_str(&clean(name));
    }
    let mut sets = record.sets.iter().filter(|(name, _)| variables.iter().any(|v| v == name));
    for (name, value) in sets.by_ref().take(FACTS) {
        begin(&mut facts);
        let _ = write!(facts, "{} = {}", clean(name), short(&value.to_string(), VALUE_WIDTH));
    }
    if sets.next().is_some() {
        begin(&mut facts);
        facts.push('…');
    }
    facts
}

/// A key for people. One without a character is quoted: else it would look as if there were none.
fn shown_key(key: &str) -> String {
    if key.is_empty() { "\"\"".to_owned() } else { short(key, KEY_WIDTH) }
}
