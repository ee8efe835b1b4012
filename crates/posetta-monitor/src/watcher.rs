//! Properties that follow streams: what is said after each record, and what is known at the end.

use std::collections::BTreeMap;
use std::mem;

use serde_json::json;

use crate::again::Again;
use crate::checkpoint::Question;
use crate::names::Names;
use crate::notice::{Answered, AtEnd, Counts, Notice, State, Tally};
use crate::streams::{FULL, Live, Stage, Streams};
use crate::{Instance, Monitor, PropertyId, Record, Stream, StreamId};
use posetta_base::{Budget, Error, Number, OverBudget, Value};
use posetta_compile::{Completions, Prospect};
use posetta_logic::{Domain, Formula, Property, Quantifier, View};

/// What is asked about streams.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Options {
    /// Which continuations count.
    pub completions: Completions,
    /// What tells streams apart, by its name; without it all records are of one stream.
    pub key: Option<String>,
    /// Answers are said after every record, not only when they change.
    pub every: bool,
    /// At most so many streams are followed.
    pub most_streams: usize,
    /// What else was asked, each thing by a name that no option here has: who goes on from a [checkpoint](Watcher::save) must have
    /// asked the same. What was not asked for is not there.
    pub asked: BTreeMap<String, String>,
}

impl Default for Options {
    fn default() -> Self {
        let completions = Completions::default();
        Self { completions, key: None, every: false, most_streams: usize::MAX, asked: BTreeMap::new() }
    }
}

/// One setter for each option: `Options::default().key("order").every(true)`.
impl Options {
    /// With other [`Options::completions`](field@Options::completions).
    #[must_use]
    pub fn completions(mut self, completions: Completions) -> Self {
        self.completions = completions;
        self
    }

    /// With another [`Options::key`](field@Options::key).
    #[must_use]
    pub fn key(mut self, key: impl Into<String>) -> Self {
        self.key = Some(key.into());
        self
    }

    /// With another [`Options::every`](field@Options::every).
    #[must_use]
    pub fn every(mut self, every: bool) -> Self {
        self.every = every;
        self
    }

    /// With another [`Options::most_streams`](field@Options::most_streams).
    #[must_use]
    pub fn most_streams(mut self, most_streams: usize) -> Self {
        self.most_streams = most_streams;
        self
    }

    /// With one more thing [`Options::asked`](field@Options::asked).
    #[must_use]
    pub fn asked(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.asked.insert(name.into(), value.into());
        self
    }
}

/// A property, and what has become of it.
#[derive(Debug)]
pub(crate) struct Watched {
    pub(crate) property: Property,
    /// Made when it is known what the records are, if it is followed.
    pub(crate) monitor: Option<Monitor>,
    pub(crate) tally: Tally,
    /// It is determined on the only stream, or not followed.
    pub(crate) decided: bool,
}

/// Properties that follow one stream, or one for each key.
///
/// It is made once and fed records. After each it says what has changed ([`Notice`]): which property, on which stream, at which position, and the four
/// answers before and now. Between two records it can be [saved](Self::save) as bytes, and another one goes on from there.
///
/// ```
/// use posetta_base::{Budget, Value};
/// use posetta_logic::Property;
/// use posetta_monitor::{Notice, Options, Prospect, Record, Watcher};
///
/// let budget = Budget::unlimited();
/// let property = Property::ltl("G !(req == 1 && ack == 1)").unwrap();
/// let mut watcher = Watcher::new(vec![property], Options::default(), &budget);
/// let mut violated = Vec::new();
/// for (line, (req, ack)) in (1..).zip([(0, 0), (1, 0), (0, 1), (1, 1)]) {
///     let sets = [("req", Value::from(req)), ("ack", Value::from(ack))];
///     for notice in watcher.read(None, &Record::state(&sets), line, &budget)? {
///         if let Notice::Answered(told) = notice {
///             violated.extend((told.answers.prospect == Prospect::Violated).then_some(told.position));
///         }
///     }
/// }
/// assert_eq!(violated, [3]);
/// # Ok::<(), posetta_base::Error>(())
/// ```
#[derive(Debug)]
pub struct Watcher {
    pub(crate) options: Options,
    pub(crate) properties: Vec<Watched>,
    /// What the records are, once that is known.
    pub(crate) stream: Option<Stream>,
    pub(crate) streams: Streams,
    pub(crate) names: Names,
    pub(crate) counts: Counts,
    notices: Vec<Notice>,
    /// What has been said before, if the source is read again.
    pub(crate) again: Option<Again>,
    /// Some properties have read the last record and others have not.
    torn: bool,
}

impl Watcher {
    /// Properties before any record. Those that cannot follow a stream are [said](Self::notices) to fail, and the others are followed.
    #[must_use]
    pub fn new(properties: Vec<Property>, options: Options, budget: &Budget) -> Self {
        let names = Names::new(properties.iter());
        let watched = |property| Watched { property, monitor: None, tally: Tally::default(), decided: false };
        let mut watcher = Self {
            streams: Streams::new(properties.len()),
            properties: properties.into_iter().map(watched).collect(),
            options,
            stream: None,
            names,
            counts: Counts::default(),
            notices: Vec::new(),
            again: None,
            torn: false,
        };
        for i in 0..watcher.properties.len() {
            // Whatever the stream will be.
            let property = &watcher.properties[i].property;
            if matches!(property.formula, Formula::Ctl(_)) || property.quantifier == Quantifier::Some {
                watcher.make(i, Stream::Events, &[], budget);
            }
        }
        watcher
    }

    fn make(&mut self, i: usize, stream: Stream, initial: &[(String, Value)], budget: &Budget) {
        let watched = &mut self.properties[i];
        match Monitor::new(&watched.property, stream, initial, self.options.completions, budget) {
            Ok(monitor) => watched.monitor = Some(monitor),
            Err(error) => match error.into_diagnostics() {
                Ok(mistakes) => {
                    watched.tally.state = State::Failed;
                    watched.decided = true;
                    self.notices.push(Notice::Failed { property: PropertyId(i), mistakes });
                }
                Err(over) => self.give_up(i, over),
            },
        }
    }

    fn give_up(&mut self, i: usize, over: OverBudget) {
        let watched = &mut self.properties[i];
        watched.monitor = None;
        watched.tally.state = State::GivenUp(over);
        watched.decided = true;
        self.streams.drop_property(i);
        self.notices.push(Notice::GivenUp { property: PropertyId(i), over });
    }

    /// Says what the records are, and which values are declared before the first. If nobody does, they are events if the first has a process, and
    /// nothing is declared. Answers with what there is to say of properties that do not fit.
    pub fn begin(&mut self, stream: Stream, initial: &[(String, Value)], budget: &Budget) -> &[Notice] {
        self.notices.clear();
        self.begin_as(stream, initial, budget);
        self.spoken()
    }

    fn begin_as(&mut self, stream: Stream, initial: &[(String, Value)], budget: &Budget) {
        if self.stream.is_some() {
            return;
        }
        self.stream = Some(stream);
        self.names.know(initial.iter().map(|(name, _)| name.as_str()));
        for i in 0..self.properties.len() {
            if self.properties[i].tally.is_followed() {
                self.make(i, stream, initial, budget);
            }
        }
    }

    /// Reads the next record, of the stream with this key, from this line; lines count from 1. Answers with what there is to say.
    ///
    /// # Errors
    /// When the budget is spent, or there would be too many streams. The record is then not followed, or not by all properties: what
    /// it made be said is in [`Self::notices`].
    pub fn read(
        &mut self,
        key: Option<&str>,
        record: &Record<'_>,
        line: u64,
        budget: &Budget,
    ) -> Result<&[Notice], Error> {
        self.notices.clear();
        if self.stream.is_none() {
            self.begin_as(if record.process.is_some() { Stream::Events } else { Stream::States }, &[], budget);
        }
        // Whoever goes on from a checkpoint reads such a record again.
        let is_full = self.streams.len() >= self.options.most_streams;
        if is_full && key.is_some_and(|key| self.options.key.is_some() && self.streams.find(key).is_none()) {
            return Err(FULL.into());
        }
        self.counts.records = self.counts.records.saturating_add(1);
        self.names.see(record);
        let key = match (&self.options.key, key) {
            (None, _) => "",
            (Some(_), Some(key)) => key,
            (Some(_), None) => {
                self.counts.keyless = self.counts.keyless.saturating_add(1);
                self.counts.first_keyless.get_or_insert(line);
                self.notices.push(Notice::Keyless { line });
                return Ok(self.spoken());
            }
        };
        let read = self.read_in(key, record, line, is_full, budget);
        self.torn |= read.is_err();
        read?;
        Ok(self.spoken())
    }

    fn read_in(
        &mut self,
        key: &str,
        record: &Record<'_>,
        line: u64,
        is_full: bool,
        budget: &Budget,
    ) -> Result<(), OverBudget> {
        let mut common = None;
        for i in 0..self.properties.len() {
            let watched = &mut self.properties[i];
            let Some(monitor) = &mut watched.monitor else { continue };
            let (value, stream);
            match &watched.property.each {
                None => {
                    value = None;
                    stream = match common {
                        Some(common) => common,
                        None => *common.insert(self.streams.of(key, budget)?),
                    };
                }
                // A record without the value is of none of its streams.
                Some(each) => {
                    let Some(own) = value_of(&each.domain, record) else { continue };
                    let key = key_of(&own);
                    if is_full && self.streams.find(&key).is_none() {
                        return Err(FULL);
                    }
                    stream = self.streams.of(&key, budget)?;
                    value = Some(own);
                }
            }
            let begun = match (self.streams.stage(stream, i), &value) {
                (Stage::New, Some(value)) => monitor.begin_about(value, budget).map(Some),
                _ => Ok(None),
            };
            let read = match begun {
                Ok(begun) => match self.streams.live(stream, i, || begun.unwrap_or_else(|| monitor.begin()))? {
                    Some(live) => monitor.read(&mut live.instance, record, budget).map(|answers| (live, answers)),
                    None => continue,
                },
                Err(error) => Err(error),
            };
            let (live, answers) = match read {
                Ok(read) => read,
                // A raised stop ends the work; a property that found no memory leaves it to the others.
                Err(Error::OverBudget(over)) => {
                    budget.step(0, over.what)?;
                    self.give_up(i, over);
                    continue;
                }
                Err(error) => {
                    self.counts.mistyped = self.counts.mistyped.saturating_add(1);
                    let mistakes = error.diagnostics().to_vec();
                    self.notices.push(Notice::Mistyped { property: PropertyId(i), line, mistakes });
                    continue;
                }
            };
            let before = live.last.replace(answers);
            if before == Some(answers) && !self.options.every {
                continue;
            }
            let position = position(self.stream, &live.instance);
            let late = monitor.is_late(answers);
            let told = Answered { property: PropertyId(i), stream, position, line, answers, before, late };
            self.notices.push(Notice::Answered(told));
            if told.determines() {
                let keyed = self.options.key.is_some() || watched.property.each.is_some();
                watched.tally.count(&told, keyed.then_some(self.streams.key(stream)));
                if keyed {
                    self.streams.finish(stream, i, answers.prospect == Prospect::Holds);
                } else {
                    watched.decided = true;
                }
            }
        }
        Ok(())
    }

    /// What there is to say of the last record, or of the properties before the first; also if it [has been said](Self::is_muted).
    #[must_use]
    #[inline]
    pub fn notices(&self) -> &[Notice] {
        &self.notices
    }

    /// Whether some properties have read the last record and others have not: no place to go on from.
    #[must_use]
    #[inline]
    pub fn is_torn(&self) -> bool {
        self.torn
    }

    /// Whether nothing more can be said, whatever comes.
    #[must_use]
    pub fn is_settled(&self) -> bool {
        // With infinite completions a determined property may still change whether it is satisfied.
        let fixed =
            self.options.key.is_none() && !self.options.every && self.options.completions != Completions::Infinite;
        let fixed = fixed && self.properties.iter().all(|watched| watched.property.each.is_none());
        let none_left = self.properties.iter().all(|watched| !watched.tally.is_followed());
        none_left || (fixed && self.properties.iter().all(|watched| watched.decided))
    }

    /// The stream has these variables, whether or not a record assigns them: none of them is misspelt.
    pub fn know<'a>(&mut self, variables: impl IntoIterator<Item = &'a str>) {
        self.names.know(variables);
    }

    /// Looks for names that no record has brought. They may be misspelt; a variable that nothing assigns is a mistake once the `whole`
    /// stream has come, and its property fails.
    pub fn finish(&mut self, whole: bool) -> &[Notice] {
        self.notices.clear();
        for (i, watched) in self.properties.iter_mut().enumerate() {
            if !watched.tally.is_followed() {
                continue;
            }
            let mut warnings = Vec::new();
            if watched.monitor.as_ref().is_some_and(Monitor::divides_by_zero) {
                warnings.push(watched.property.division_by_zero());
            }
            let unknown = self.names.unknown_variables(&watched.property, whole);
            if !whole {
                warnings.extend(unknown);
            } else if !unknown.is_empty() {
                watched.tally.state = State::Failed;
                watched.decided = true;
                self.notices.push(Notice::Failed { property: PropertyId(i), mistakes: unknown });
            }
            if whole {
                warnings.extend(self.names.warnings(&watched.property));
            }
            let warned = |warning| Notice::Warned { property: PropertyId(i), warning };
            self.notices.extend(warnings.into_iter().map(warned));
        }
        &self.notices
    }

    /// For each property, what the streams on which it is open count as if everything ends here.
    #[must_use]
    pub fn ends(&self) -> Vec<AtEnd> {
        let end = |(i, watched): (usize, &Watched)| {
            let keyed = self.is_keyed(PropertyId(i));
            let mut end = AtEnd::default();
            let Some(monitor) = &watched.monitor else { return end };
            if !keyed && self.streams.len() == 0 {
                end.count(monitor.answers(&monitor.begin()).satisfied, "");
            }
            for stream in self.streams.iter() {
                let Stage::Live(Live { instance, last }) = self.streams.stage(stream, i) else { continue };
                // It could take none of the records.
                if instance.records() == 0 {
                    continue;
                }
                let answers = last.unwrap_or_else(|| monitor.answers(instance));
                if keyed || answers.prospect == Prospect::Open {
                    end.count(answers.satisfied, self.streams.key(stream));
                }
            }
            end
        };
        self.properties.iter().enumerate().map(end).collect()
    }

    /// Whether a property has a stream for each of several keys.
    #[must_use]
    pub fn is_keyed(&self, property: PropertyId) -> bool {
        self.options.key.is_some() || self.properties[property.0].property.each.is_some()
    }

    /// The options.
    #[must_use]
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// What has become of a property so far.
    #[must_use]
    pub fn tally(&self, property: PropertyId) -> &Tally {
        &self.properties[property.0].tally
    }

    /// The properties, in the order in which they were given.
    pub fn properties(&self) -> impl ExactSizeIterator<Item = PropertyId> + use<> {
        (0..self.properties.len()).map(PropertyId)
    }

    /// The monitor of a property, if it is followed and the stream has begun.
    #[must_use]
    pub fn monitor(&self, property: PropertyId) -> Option<&Monitor> {
        self.properties[property.0].monitor.as_ref()
    }

    /// What the records are, once that is known.
    #[must_use]
    #[inline]
    pub fn stream(&self) -> Option<Stream> {
        self.stream
    }

    /// How many streams there are.
    #[must_use]
    pub fn streams(&self) -> usize {
        self.streams.len()
    }

    /// The key of a stream; empty if there are no keys.
    #[must_use]
    #[inline]
    pub fn key(&self, stream: StreamId) -> &str {
        self.streams.key(stream)
    }

    /// How many records there were.
    #[must_use]
    #[inline]
    pub fn counts(&self) -> Counts {
        self.counts
    }

    /// The question, as far as it decides what is said.
    pub(crate) fn question(&self) -> Question {
        let property = |Watched { property, .. }: &Watched| {
            let over = property.formula.view().map(|view| match view {
                View::States => "states",
                View::Events => "events",
            });
            let each = property.each.as_ref().map(|each| each.to_string());
            let mut all = vec![
                json!(property.title()),
                json!(property.logic()),
                json!(over),
                json!(property.formula.to_string()),
            ];
            all.extend(each.map(|each| json!(each)));
            all.into()
        };
        let Options { completions, key, every, asked, most_streams: _ } = &self.options;
        let mut asked = asked.clone();
        asked.insert("completions".to_owned(), completions.word().to_owned());
        asked.extend(key.iter().map(|key| ("key".to_owned(), key.clone())));
        asked.extend(every.then(|| ("every".to_owned(), String::new())));
        Question { properties: self.properties.iter().map(property).collect(), asked }
    }

    /// The same question about nothing yet.
    pub(crate) fn anew(&self, budget: &Budget) -> Self {
        let properties = self.properties.iter().map(|watched| watched.property.clone()).collect();
        let mut anew = Self::new(properties, self.options.clone(), budget);
        anew.notices.clear();
        anew
    }

    /// Begins, and answers with what there is to say of properties that had not failed before.
    pub(crate) fn begin_again(&mut self, stream: Stream, initial: &[(String, Value)], budget: &Budget) -> Vec<Notice> {
        self.begin_as(stream, initial, budget);
        mem::take(&mut self.notices)
    }
}

/// The value that a record has for a property with a stream for each.
fn value_of(domain: &Domain, record: &Record<'_>) -> Option<Value> {
    match domain {
        Domain::Values(attribute) => record.attributes.get(attribute).cloned(),
        Domain::Processes => record.process.map(Value::from),
    }
}

/// A value as the key of a stream: strings as they are, unless they could be taken for something else.
fn key_of(value: &Value) -> String {
    match value {
        Value::Text(text) if !text.is_empty() && !text.starts_with('"') && text.parse::<Number>().is_err() => {
            text.clone()
        }
        value => value.to_string(),
    }
}

/// The position that the last record of a stream made.
fn position(stream: Option<Stream>, instance: &Instance) -> u64 {
    match stream {
        Some(Stream::States) => instance.records().saturating_sub(1),
        Some(Stream::Events) | None => instance.records(),
    }
}
