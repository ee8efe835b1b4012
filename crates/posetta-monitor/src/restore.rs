//! Watchers as bytes, and back.
//!
//! The seal of a checkpoint says that it is undamaged. What it says must also be possible: counts that fit each other, the streams and
//! the reader, and a verdict that is the one of its instance. So a checkpoint that was made by hand, or by another program, ends in a
//! refusal and not in a wrong answer.

use std::io::{self, Read, Seek, Write};

use crate::again::Again;
use crate::checkpoint::{self, Bookmark, Checkpoint, Head, Refusal, Saved, SavedTally};
use crate::notice::{NAMED, Notice, State, Tally};
use crate::streams::{Live, Stage};
use crate::{Stream, Watcher};
use posetta_base::{Budget, OverBudget, Value};
use posetta_compile::Prospect;

/// A line of the source tells at most so many lines about each property: as many mistakes as are told of one line, and answers.
const LINES: u64 = 64;

/// What is known of a source at the place of a checkpoint.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Source<'a> {
    /// What the records are; `None` if none has come.
    pub stream: Option<Stream>,
    /// The values that are declared before the first.
    pub initial: &'a [(String, Value)],
    /// The line of the last record or mistake.
    pub line: u64,
}

impl<'a> Source<'a> {
    /// A source up to this line: what its records are, if some have come, and which values it declares before the first.
    #[must_use]
    pub fn new(line: u64, stream: Option<Stream>, initial: &'a [(String, Value)]) -> Self {
        Self { stream, initial, line }
    }
}

/// What became of a checkpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub enum Restored {
    /// Everything is as it was. The source is read from where it was.
    Everything,
    /// The state of a property cannot be taken back, but it can be made again: the source is read from its start, and nothing is
    /// said of what was read before.
    ReadAgain,
}

/// Why a stream cannot be taken back.
enum Trouble {
    /// It can be made again.
    Lost,
    /// What was saved cannot be.
    Impossible,
}

impl Watcher {
    /// Writes a place to go on from: all that decides what will be said, and the bookmark of whoever feeds it.
    ///
    /// # Errors
    /// When it cannot be written, or the watcher is [torn](Self::is_torn).
    pub fn save(&self, bookmark: &Bookmark, out: impl Write) -> io::Result<()> {
        if self.is_torn() {
            return Err(io::Error::other("some properties have read the last record and others have not"));
        }
        let head = Head {
            bookmark: bookmark.clone(),
            records: self.counts.records,
            tallies: self.properties.iter().map(|watched| saved_tally(&watched.tally)).collect(),
            mistyped: self.counts.mistyped,
            keyless: self.counts.first_keyless.map(|line| (self.counts.keyless, line)),
            mistaken: self.any_failed(),
            names: self.names.save(),
        };
        let streams = self.streams.iter().map(|stream| {
            let saved = self.properties.iter().enumerate().map(|(i, watched)| {
                match (self.streams.stage(stream, i), &watched.monitor) {
                    (Stage::Done { holds }, _) => Stage::Done { holds },
                    (Stage::Live(live), Some(monitor)) => Stage::Live(monitor.save(&live.instance)),
                    (Stage::Live(_) | Stage::New, _) => Stage::New,
                }
            });
            (self.streams.key(stream), saved.collect())
        });
        checkpoint::write(out, &self.question(), &head, streams)
    }

    fn any_failed(&self) -> bool {
        self.properties.iter().any(|watched| watched.tally.state == State::Failed)
    }

    /// Whether a checkpoint is one of this question.
    ///
    /// # Errors
    /// With what differs.
    pub fn fits<R: Read + Seek>(&self, checkpoint: &Checkpoint<R>) -> Result<(), Refusal> {
        checkpoint.answers(&self.question())
    }

    /// Takes everything back from a checkpoint, or nothing. `source` says what a reader that goes on from the bookmark knows; without one, the
    /// source is to be read again.
    ///
    /// # Errors
    /// When the checkpoint is of another question, or says what cannot be.
    pub fn restore<R: Read + Seek>(
        &mut self,
        mut checkpoint: Checkpoint<R>,
        source: Option<&Source<'_>>,
        budget: &Budget,
    ) -> Result<Restored, Refusal> {
        self.fits(&checkpoint)?;
        let head = checkpoint.head.clone();
        let Some(source) = source else {
            self.again = Some(Again::of(&head));
            return Ok(Restored::ReadAgain);
        };
        let mut anew = self.anew(budget);
        anew.take_head(&head, source.line).ok_or(Refusal::Impossible)?;
        match anew.go_on(&head, source, budget) {
            Ok(()) => {}
            Err(Trouble::Impossible) => return Err(Refusal::Impossible),
            Err(Trouble::Lost) => {
                self.again = Some(Again::of(&head));
                return Ok(Restored::ReadAgain);
            }
        }
        while let Some((key, saved)) = checkpoint.next_stream()? {
            match anew.take_stream(&key, saved, budget) {
                Ok(()) => {}
                Err(Trouble::Impossible) => return Err(Refusal::Impossible),
                Err(Trouble::Lost) => {
                    self.again = Some(Again::of(&head));
                    return Ok(Restored::ReadAgain);
                }
            }
        }
        if !anew.counted_right() {
            return Err(Refusal::Impossible);
        }
        *self = anew;
        Ok(Restored::Everything)
    }

    /// Takes what was counted up to this line. `None` if it cannot be.
    fn take_head(&mut self, head: &Head, line: u64) -> Option<()> {
        let records = head.records;
        let is_line = |at: u64| (1..=line).contains(&at);
        let properties = self.properties.len() as u64;
        let most_lines = line.saturating_add(1).saturating_mul(properties + 1).saturating_mul(LINES);
        let Bookmark { lines, malformed, warned, .. } = &head.bookmark;
        let fits = records <= line && *lines <= most_lines && *malformed <= line;
        let keyed = self.options.key.is_some();
        let fits = fits
            && warned.iter().all(|warning| warning.place.as_ref().is_none_or(|place| is_line(place.line)))
            && head.mistyped <= records.saturating_mul(properties)
            && head.keyless.is_none_or(|(count, first)| keyed && count <= records && is_line(first))
            && head.tallies.len() == self.properties.len();
        fits.then_some(())?;
        self.counts.records = records;
        self.counts.mistyped = head.mistyped;
        (self.counts.keyless, self.counts.first_keyless) =
            head.keyless.map_or((0, None), |(count, first)| (count, Some(first)));
        for (watched, saved) in self.properties.iter_mut().zip(&head.tallies) {
            let since = saved.since.is_none_or(|(position, at)| position <= records && is_line(at));
            (since && can_be(saved, keyed, records)).then_some(())?;
            watched.tally.take(saved);
            watched.decided = !watched.tally.is_followed();
        }
        (self.any_failed() == head.mistaken).then_some(())?;
        self.names.restore(head.names.clone())
    }

    /// Begins where the head was.
    fn go_on(&mut self, head: &Head, source: &Source<'_>, budget: &Budget) -> Result<(), Trouble> {
        let Some(stream) = source.stream else {
            // The first record decides it.
            return if head.records == 0 { Ok(()) } else { Err(Trouble::Impossible) };
        };
        let notices = self.begin_again(stream, source.initial, budget);
        // What does not fit the stream did not fit it before. What is too much now was not: it is made again, and then told.
        if notices.iter().any(|notice| matches!(notice, Notice::Failed { .. })) {
            return Err(Trouble::Impossible);
        }
        let is_lost = notices.iter().any(|notice| matches!(notice, Notice::GivenUp { .. }));
        if is_lost { Err(Trouble::Lost) } else { Ok(()) }
    }

    fn take_stream(&mut self, key: &str, saved: Saved, budget: &Budget) -> Result<(), Trouble> {
        let keyed = self.options.key.is_some();
        // Each key once; without keys there is one stream.
        let is_new = self.streams.find(key).is_none();
        let is_full = self.streams.len() >= self.options.most_streams;
        if !is_new || is_full || saved.len() != self.properties.len() || !(keyed || key.is_empty()) {
            return Err(Trouble::Impossible);
        }
        let lost = |_: OverBudget| Trouble::Lost;
        let stream = self.streams.of(key, budget).map_err(lost)?;
        for (i, saved) in saved.into_iter().enumerate() {
            let watched = &mut self.properties[i];
            match (saved, &mut watched.monitor) {
                // A property that is followed has read every record, and one that is not has no state.
                (Stage::New, Some(_)) => return Err(Trouble::Impossible),
                (Stage::New | Stage::Live(_), None) => {}
                (Stage::Done { .. }, _) if !keyed => return Err(Trouble::Impossible),
                (Stage::Done { holds }, _) => self.streams.finish(stream, i, holds),
                (Stage::Live(text), Some(monitor)) => {
                    let instance = monitor.restore(&text, budget).ok().flatten().ok_or(Trouble::Lost)?;
                    let missed = self.counts.records.checked_sub(instance.records());
                    if missed.is_none_or(|missed| !keyed && missed > self.counts.mistyped) {
                        return Err(Trouble::Impossible);
                    }
                    let last = (instance.records() > 0).then(|| monitor.answers(&instance));
                    let determined = last.is_some_and(|answers| answers.prospect != Prospect::Open);
                    if keyed && determined {
                        return Err(Trouble::Impossible);
                    }
                    watched.decided |= determined;
                    self.streams.put(stream, i, Live { instance, last }).map_err(lost)?;
                }
            }
        }
        Ok(())
    }

    /// Whether the streams are those that were counted, and their verdicts too.
    fn counted_right(&self) -> bool {
        let (keyed, streams) = (self.options.key.is_some(), self.streams.len() as u64);
        let Some(with_key) = self.counts.records.checked_sub(self.counts.keyless) else { return false };
        let fits = if keyed { streams <= with_key } else { streams <= 1 };
        if !fits || (streams == 0) != (with_key == 0) {
            return false;
        }
        self.properties.iter().enumerate().all(|(i, watched)| {
            let Tally { holds, violated, violated_keys, .. } = &watched.tally;
            if keyed {
                let done = |stream, wanted: bool| {
                    matches!(self.streams.stage(stream, i), Stage::Done { holds } if holds == wanted)
                };
                let count = |wanted| self.streams.iter().filter(|&stream| done(stream, wanted)).count() as u64;
                let is_violated = |key: &String| self.streams.find(key).is_some_and(|stream| done(stream, false));
                return (*holds, *violated) == (count(true), count(false)) && violated_keys.iter().all(is_violated);
            }
            let Some(Stage::Live(live)) = self.streams.find("").map(|stream| self.streams.stage(stream, i)) else {
                // Of a property that was given up nothing is left but what was told.
                return true;
            };
            let is = |prospect| u64::from(live.last.is_some_and(|answers| answers.prospect == prospect));
            (*holds, *violated) == (is(Prospect::Holds), is(Prospect::Violated))
        })
    }
}

/// Whether these counts of a property can stand side by side after so many records.
fn can_be(saved: &SavedTally, keyed: bool, records: u64) -> bool {
    let Some(determined) = saved.holds.checked_add(saved.violated) else { return false };
    let keys = saved.violated_keys.len() as u64;
    let fits = match keyed {
        true => saved.since.is_none() && keys == saved.violated.min(NAMED as u64),
        false => determined == u64::from(saved.since.is_some()) && keys == 0,
    };
    fits && determined <= records
}

fn saved_tally(tally: &Tally) -> SavedTally {
    SavedTally {
        failed: tally.state == State::Failed,
        lost_to: match tally.state {
            State::GivenUp(over) => Some(over.limit),
            State::Followed | State::Failed => None,
        },
        holds: tally.holds,
        violated: tally.violated,
        violated_keys: tally.violated_keys.clone(),
        since: tally.since,
    }
}

impl Tally {
    fn take(&mut self, saved: &SavedTally) {
        if let Some(limit) = saved.lost_to {
            self.state = State::GivenUp(OverBudget::new("following the stream before the checkpoint", limit));
        }
        if saved.failed {
            self.state = State::Failed;
        }
        (self.holds, self.violated, self.since) = (saved.holds, saved.violated, saved.since);
        self.violated_keys.clone_from(&saved.violated_keys);
    }
}
