//! Everything back from a checkpoint.
//!
//! The seal of a checkpoint says that it is undamaged. What it says must also be possible: counts that fit each other, the streams and
//! the reader, and a verdict that is the one of its instance. So a checkpoint that was made by hand, or by another program, ends in a
//! message and not in a wrong answer.

use posetta_base::{Diagnostic, OverBudget};
use posetta_formats::Format;
use posetta_formats::records::{self, RecordBuffer};
use posetta_monitor::Prospect;

use super::Watch;
use super::checkpoint::{Checkpoint, Position, Saved};
use super::streams::Live;
use crate::limited::locked;

/// A line of the source tells at most so many lines about each property: as many mistakes as are told of one line, and answers.
const LINES: u64 = 64;

/// What became of a stream.
enum Restored {
    Yes,
    /// The state of a property cannot be taken back, but it can be made again.
    Again,
    /// What was saved cannot be.
    Broken,
}

impl Watch<'_> {
    /// Takes everything back from a checkpoint. Answers `false` if some of it cannot be; then nothing has changed.
    ///
    /// # Errors
    /// When the checkpoint says what cannot be.
    pub(super) fn restore(
        &mut self,
        mut checkpoint: Checkpoint,
        format: Format,
        buffer: &mut RecordBuffer,
    ) -> Result<bool, Diagnostic> {
        let position = checkpoint.position.clone();
        let mut trial = buffer.clone();
        // A reader of nothing knows what the records are.
        let reader = position.reader.as_deref().and_then(|saved| {
            records::resume(format, Box::new(std::io::empty()), position.offset, saved, &mut trial, self.budget)
        });
        let Some(reader) = reader else { return Ok(false) };
        if !fits(&position, reader.line(), self.properties.len(), self.args.out.is_some()) {
            return Err(checkpoint.broken());
        }
        let taken = locked(self.board).restore(&position.board, position.records, reader.line());
        taken.ok_or_else(|| checkpoint.broken())?;
        let mut anew = Self::new(self.args, self.properties.clone(), self.board, self.budget, self.asked.clone());
        anew.names.restore(&position.names, &mut trial).ok_or_else(|| checkpoint.broken())?;
        for (i, decided) in anew.decided.iter_mut().enumerate() {
            *decided = !locked(self.board).is_followed(i);
        }
        match reader.kind() {
            Some(kind) => {
                let failures = locked(self.board).failures();
                anew.begin(kind, reader.initial());
                // What does not fit the stream did not fit it before.
                if locked(self.board).failures() != failures {
                    return Err(checkpoint.broken());
                }
            }
            // The first record decides it.
            None if position.records > 0 => return Err(checkpoint.broken()),
            None => {}
        }
        while let Some((key, saved)) = checkpoint.next_stream()? {
            match anew.restore_stream(&key, saved, position.records) {
                Restored::Yes => {}
                Restored::Broken => return Err(checkpoint.broken()),
                Restored::Again => {
                    locked(self.board).start_anew(&self.properties);
                    self.refuse_cuts();
                    return Ok(false);
                }
            }
        }
        if !anew.agrees_with_the_board(position.records) {
            return Err(checkpoint.broken());
        }
        anew.records = position.records;
        anew.saved_at = position.records;
        let mut board = locked(self.board);
        board.lines = position.lines;
        board.records = position.records;
        board.muted = false;
        drop(board);
        *buffer = trial;
        *self = anew;
        Ok(true)
    }

    fn restore_stream(&mut self, key: &str, saved: Vec<Saved>, records: u64) -> Restored {
        let keyed = self.args.key.is_some();
        let before = self.streams.len();
        let stream = match self.streams.of(key, self.budget) {
            Ok(stream) => stream,
            Err(OverBudget { .. }) => return Restored::Again,
        };
        // Each key once; without keys there is one stream.
        if stream != before || saved.len() != self.properties.len() || !(keyed || key.is_empty()) {
            return Restored::Broken;
        }
        for (i, saved) in saved.into_iter().enumerate() {
            match (saved, &mut self.monitors[i]) {
                // A property that is followed has read every record, and one that is not has no state.
                (Saved::New, Some(_)) => return Restored::Broken,
                (Saved::New, None) | (Saved::Live(_), None) => {}
                (Saved::Done { .. }, _) if !keyed => return Restored::Broken,
                (Saved::Done { holds }, _) => self.streams.finish(stream, i, holds),
                (Saved::Live(text), Some(monitor)) => {
                    let Ok(Some(instance)) = monitor.restore(&text, self.budget) else { return Restored::Again };
                    let missed = records.checked_sub(instance.records());
                    if missed.is_none_or(|missed| !keyed && missed > locked(self.board).mistyped()) {
                        return Restored::Broken;
                    }
                    let last = (instance.records() > 0).then(|| monitor.answers(&instance));
                    let prospect = last.map_or(Prospect::Open, |answers| answers.prospect);
                    if keyed && prospect != Prospect::Open {
                        return Restored::Broken;
                    }
                    self.decided[i] |= prospect != Prospect::Open;
                    if self.streams.restore(stream, i, Live { instance, last }).is_err() {
                        return Restored::Again;
                    }
                }
            }
        }
        Restored::Yes
    }

    /// Whether the streams are those that were counted, and their verdicts too.
    fn agrees_with_the_board(&self, records: u64) -> bool {
        use super::streams::Place;
        let board = locked(self.board);
        let (keyed, streams) = (self.args.key.is_some(), self.streams.len() as u64);
        let Some(with_key) = records.checked_sub(board.keyless()) else { return false };
        let fits = if keyed { streams <= with_key } else { streams <= 1 };
        if !fits || (streams == 0) != (with_key == 0) {
            return false;
        }
        (0..self.properties.len()).all(|i| {
            let (holds, violated, keys) = board.determined(i);
            let done = |stream: usize, wanted: bool| match self.streams.place(stream, i) {
                Place::Done { holds } => holds == wanted,
                _ => false,
            };
            let count = |wanted: bool| (0..self.streams.len()).filter(|&stream| done(stream, wanted)).count() as u64;
            if keyed {
                let is_violated = |key: &String| self.streams.find(key).is_some_and(|stream| done(stream, false));
                return (holds, violated) == (count(true), count(false)) && keys.iter().all(is_violated);
            }
            let live = self.streams.find("").and_then(|stream| self.streams.get(stream, i));
            let prospect = live.and_then(|live| live.last).map(|answers| answers.prospect);
            // Of a property that was given up nothing is left but what was told.
            live.is_none()
                || (holds, violated)
                    == (u64::from(prospect == Some(Prospect::Holds)), u64::from(prospect == Some(Prospect::Violated)))
        })
    }
}

/// Whether these numbers can stand side by side, when `line` lines of the source have been read.
fn fits(position: &Position, line: u64, properties: usize, to_file: bool) -> bool {
    let most = line.saturating_add(1).saturating_mul(properties as u64 + 1).saturating_mul(LINES);
    position.records <= line && position.lines <= most && (to_file || position.bytes.is_none())
}
