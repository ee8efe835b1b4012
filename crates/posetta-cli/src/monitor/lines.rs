//! How a line about an answer looks, and what is said at the end.

use std::fmt::Write;

use posetta_monitor::{Answered, Answers, AtEnd, Completions, Prospect, State};
use posetta_tell::Word;
use posetta_tell::report::{Answer, Block, Report, Subject, Title};
use serde_json::Value;

use super::board::{Board, Entry};
use crate::amounts::{counted, grouped};
use crate::paint::{Paint, clean, short};

/// Columns of a key.
const KEY_WIDTH: usize = 60;

/// An answer as JSON, the line with this number, in a stream of lines of this schema.
pub fn answer_json(out: &mut String, quoted: &str, told: &Answered, key: Option<&str>, number: u64, schema: &str) {
    let Answered { position, line, answers, .. } = told;
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
    if let Some(key) = key {
        let _ = write!(out, ",\"key\":{}", Value::String(key.to_owned()));
    }
    let _ = write!(out, ",\"line\":{line},\"number\":{number},\"schema\":\"{schema}\"}}");
}

/// An answer for people. `facts` says what the record has to do with it.
pub fn answer_human(
    out: &mut String,
    name: &str,
    told: &Answered,
    key: Option<&str>,
    completions: Completions,
    facts: &str,
    paint: Paint,
) {
    let Answers { satisfied, prospect, .. } = told.answers;
    let which = match completions {
        Completions::Finite => "finite continuation",
        Completions::Infinite => "infinite continuation",
        Completions::Both => "continuation",
    };
    let word = prospect.word();
    let (word, reason) = match prospect {
        Prospect::Holds => (paint.green(word), format!("every {which} satisfies it")),
        Prospect::Violated => (paint.red(word), format!("no {which} can satisfy it")),
        Prospect::Open => {
            let so_far = if satisfied { "satisfied so far" } else { "not satisfied so far" };
            let never = if told.ends_hope() { ", and no continuation will determine it" } else { "" };
            (paint.yellow(word), format!("{so_far}{never}"))
        }
    };
    let _ = write!(out, "{}: {} ", told.position, clean(name));
    if let Some(key) = key {
        let _ = write!(out, "[{}] ", short(key, KEY_WIDTH));
    }
    let _ = write!(out, "{word}: {reason} (line {}{facts})", told.line);
}

impl Board {
    /// What is known at the end, where open streams count as given.
    pub(super) fn summary(&self, ends: &[AtEnd], remark: Option<&str>) -> Report<'static> {
        let records = counted(self.records, "record", "records");
        let mut subject = Subject::new(Title::Name(self.name.clone()), vec![records]);
        let none = AtEnd::default();
        for (i, entry) in self.properties.iter().enumerate() {
            subject.answers.push(self.last_line(entry, ends.get(i).unwrap_or(&none), ends.is_empty()));
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
        remarks.extend(remark.map(str::to_owned));
        subject.rest.extend(remarks.into_iter().map(Block::Remark));
        Report { subjects: vec![subject], summary: None }
    }

    /// How a property stands; `unended` if nobody knows what open streams count as.
    fn last_line(&self, entry: &Entry, end: &AtEnd, unended: bool) -> Answer<'static> {
        let tally = &entry.tally;
        let bad = tally.state != State::Failed && (tally.violated > 0 || end.unsatisfied > 0);
        let open = (!self.keyed || unended) && tally.since.is_none() && end.satisfied + end.unsatisfied == 0;
        let (word, sentence) = match (tally.state, bad) {
            (State::Failed, _) => (Word::Unknown, "not followed, because of a mistake".to_owned()),
            (State::GivenUp(over), false) => (Word::Unknown, format!("unknown: {over}")),
            (_, true) => (Word::Violated, self.sentence(entry, end)),
            (State::Followed, false) if open && self.records == 0 => (Word::Unknown, "nothing was read".to_owned()),
            (State::Followed, false) if open => (Word::Unknown, "open when reading stopped".to_owned()),
            (State::Followed, false) if self.keyed && tally.holds + end.satisfied == 0 => {
                (Word::Unknown, self.sentence(entry, end))
            }
            (State::Followed, false) => (Word::Holds, self.sentence(entry, end)),
        };
        let mut answer = Answer::new(entry.name.clone(), word, sentence);
        answer.is_named = true;
        answer.formula = entry.formula.clone().filter(|_| bad);
        answer
    }

    /// The same in words, when everything is over.
    fn sentence(&self, entry: &Entry, end: &AtEnd) -> String {
        let tally = &entry.tally;
        if !self.keyed {
            return match tally.since {
                Some((position, line)) => {
                    let word = if tally.violated > 0 { "violated" } else { "holds" };
                    format!("{word}: determined at position {position} (line {line})")
                }
                None if end.unsatisfied > 0 => "violated: not satisfied at the end".to_owned(),
                None => "holds: satisfied at the end".to_owned(),
            };
        }
        let named = |keys: &[String], of: u64| {
            let keys: Vec<String> = keys.iter().map(|key| short(key, KEY_WIDTH)).collect();
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
        if let State::GivenUp(over) = &tally.state {
            parts.push(format!("the others unknown: {over}"));
        }
        if parts.is_empty() { "no key has come".to_owned() } else { parts.join("; ") }
    }
}
