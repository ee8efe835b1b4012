//! Runs as bytes: every reader and writer, and the detection of formats.

use std::io::{BufReader, Cursor, Read};
use std::ops::ControlFlow;
use std::sync::Arc;

use posetta_base::{Error, MAX_DIGITS, Number, Value};
use posetta_formats::{self as formats, Format, Lost, Mapping, ReadOptions, Unpacked, WriteError};
use posetta_trace::{Feed, Heard, Trace};

use crate::account::{Detail, account};
use crate::places::Lines;
use crate::{LONGEST, small_budget};

/// A reader reports at most this many mistakes while it reads, and so many again when it has seen the whole file.
const MOST_MISTAKES: usize = 40;

/// Reads the bytes as a run in this format. A run must survive being written; a mistake must be in the file.
///
/// # Panics
/// When a promise is broken.
pub fn read_as(format: Format, data: &[u8]) {
    if data.len() > LONGEST {
        return;
    }
    let budget = small_budget();
    let whole = formats::read(format, data, &budget);
    // Only what is longer than the reader's buffer shows lines that are put together from pieces.
    let pieces = 1 + data.first().map_or(0, |&b| usize::from(b % 13));
    let parts = formats::read(format, BufReader::with_capacity(pieces, data), &budget);
    match (whole, parts) {
        (Ok(whole), Ok(parts)) => {
            let told = (account(&whole, Detail::All, &budget), account(&parts, Detail::All, &budget));
            if let (Ok(one), Ok(other)) = told {
                assert_eq!(one, other, "read in pieces of {pieces} it is another run");
            }
            survives_writing(&whole);
        }
        (Err(Error::Invalid(whole)), Err(Error::Invalid(parts))) => {
            assert_eq!(whole, parts, "read in pieces of {pieces} it has other mistakes");
            assert!(whole.len() <= MOST_MISTAKES, "{} mistakes are too many to read", whole.len());
            Lines::of_run(data).hold(&whole);
        }
        (Err(Error::OverBudget(_)), _) | (_, Err(Error::OverBudget(_))) => {}
        (whole, parts) => {
            panic!("read in pieces of {pieces} it is {:?} instead of {:?}", parts.map(drop), whole.map(drop))
        }
    }
}

/// The same of a packed waveform. As a file that is read where it has to be it is the same run, or has the same mistakes; and so it is with
/// the names of its signals beside it. The last byte says how many bytes before it are those.
///
/// # Panics
/// When a promise is broken.
pub fn packed_waves(data: &[u8]) {
    read_as(Format::Fst, data);
    let Some((&count, data)) = data.split_last().filter(|_| data.len() <= LONGEST) else { return };
    let (data, names) = data.split_at(data.len() - usize::from(count).min(data.len()));
    let budget = small_budget();
    let only =
        |runs: formats::Runs| runs.map(|run| run.map(|run| run.trace)).next().expect("there is a run, or a mistake");
    for names in [None, Some(names)] {
        let beside = names.map(<[u8]>::to_vec).map(|names| formats::fst::Beside::new(move |_| Ok(Some(names.clone()))));
        let options = ReadOptions::default().names(beside);
        let stream = formats::open_runs(Format::Fst, data, &options, &budget).and_then(only);
        let file = formats::open_file(Format::Fst, Cursor::new(data), &options, &budget);
        let file = file.and_then(|runs| only(runs.expect("it helps")));
        match (stream, file) {
            (Ok(stream), Ok(file)) => {
                let told = (account(&stream, Detail::All, &budget), account(&file, Detail::All, &budget));
                if let (Ok(one), Ok(other)) = told {
                    assert_eq!(one, other, "read as a file it is another run");
                }
            }
            (Err(Error::Invalid(stream)), Err(Error::Invalid(file))) => {
                assert_eq!(stream, file, "read as a file it has other mistakes");
            }
            (Err(Error::OverBudget(_)), _) | (_, Err(Error::OverBudget(_))) => {}
            (stream, file) => panic!("as a file it is {:?} instead of {:?}", file.map(drop), stream.map(drop)),
        }
    }
}

/// Reads a mapping, and behind a form feed records with it. A run must survive being written; a mistake must be in its text.
///
/// # Panics
/// When a promise is broken.
pub fn mapping(data: &[u8]) {
    if data.len() > LONGEST {
        return;
    }
    let (map, records) =
        data.iter().position(|&b| b == b'\x0c').map_or((data, &[][..]), |at| (&data[..at], &data[at + 1..]));
    let map = String::from_utf8_lossy(map);
    let mapping = match Mapping::new(&[&map]) {
        Ok(mapping) => mapping,
        Err(mistakes) => {
            let mistakes: Vec<_> = mistakes.into_iter().map(|(_, mistake)| mistake).collect();
            return Lines::of_text(&map).hold(&mistakes);
        }
    };
    let mapping = Arc::new(mapping);
    followed_is_whole(&mapping, records);
    let options = ReadOptions::default().mapping(Some(mapping)).skew(Some(Number::ONE));
    for format in [Format::JsonLines, Format::Csv] {
        match formats::read_runs(format, records, &options, &small_budget()) {
            Ok(runs) => {
                for run in &runs {
                    Lines::of_run(records).hold_all(&run.warnings);
                    survives_writing(&run.trace);
                }
            }
            Err(Error::Invalid(mistakes)) => Lines::of_run(records).hold(&mistakes),
            Err(_) => {}
        }
    }
}

/// What is followed to its end is a run as a whole, of as many events.
fn followed_is_whole(mapping: &Arc<Mapping>, records: &[u8]) {
    let (mut feed, mut events) = (Feed::new(), 0);
    let ended = formats::mapping::follow(records, mapping, &mut feed, &small_budget(), |heard, _| {
        events += usize::from(matches!(heard, Heard::Event(_)));
        Ok(ControlFlow::Continue(()))
    });
    match ended {
        Ok(warnings) => {
            Lines::of_run(records).hold_all(&warnings);
            let options = ReadOptions::default().mapping(Some(Arc::clone(mapping)));
            match formats::read_runs(Format::JsonLines, records, &options, &small_budget()) {
                Ok(runs) => assert_eq!(runs[0].trace.len(), events, "what is followed has other events"),
                Err(Error::Invalid(mistakes)) => panic!("what is followed is a mistake as a whole: {mistakes:?}"),
                Err(_) => {}
            }
        }
        Err(Error::Invalid(mistakes)) => Lines::of_run(records).hold(&mistakes),
        Err(_) => {}
    }
}

/// Unpacks the bytes, which come whole and in pieces.
///
/// # Panics
/// When a promise is broken.
pub fn packed(data: &[u8]) {
    let unpacked = |capacity: usize| {
        let mut out = Vec::new();
        let read = Unpacked::new(BufReader::with_capacity(capacity, data))
            .and_then(|input| input.take(1 << 20).read_to_end(&mut out));
        (read.map_err(|error| error.to_string()), out)
    };
    let ((whole, one), (pieces, other)) = (unpacked(1 << 16), unpacked(7));
    assert_eq!(whole.is_ok(), pieces.is_ok(), "{whole:?} in pieces is {pieces:?}");
    // How much comes before a mistake depends on the pieces.
    assert!(one.starts_with(&other) || other.starts_with(&one), "in pieces it is something else");
    assert!(whole.is_err() || one == other, "in pieces it is something else");
}

/// Finds the format of the bytes and reads them in it, and in every other.
///
/// # Panics
/// When a promise is broken.
pub fn detect(data: &[u8]) {
    if data.len() > LONGEST {
        return;
    }
    let found = formats::detect(data, None);
    let extensions = Format::ALL.into_iter().flat_map(Format::extensions);
    for extension in extensions {
        let with = formats::detect(data, Some(extension));
        let (found, with) = match (found, with) {
            (Ok(found), Ok(with)) => (found, with),
            // What others write is refused whatever it is called.
            refused => {
                assert_eq!(refused.0, refused.1, "the content decides before the extension {extension}");
                continue;
            }
        };
        // A line of a log may look like one of a text.
        let log_like_text = found == Some(Format::Text) && Format::Shiviz.extensions().contains(extension);
        // A table says little about itself: its names may look like text, and its cells like records.
        let table =
            matches!(found, Some(Format::Text | Format::Shiviz)) && Format::Csv.extensions().contains(extension);
        // Names and colons alone are a text only if the file is called one.
        let text_like_table = found == Some(Format::Csv) && Format::Text.extensions().contains(extension);
        if found.is_some() && !log_like_text && !table && !text_like_table {
            assert_eq!(with, found, "the content decides before the extension {extension}");
        } else {
            assert!(with.is_some(), "the extension {extension} decides where the content does not");
        }
    }
    for format in Format::ALL {
        read_as(format, data);
    }
}

/// A run must be the same after it was written and read again, in every format, but for what the writer says is lost; and
/// then it is written as it was.
///
/// # Panics
/// When it is not.
pub fn survives_writing(trace: &Trace) {
    for format in Format::ALL.into_iter().filter(|format| format.is_written()) {
        let Some((first, again, lost)) = write_and_read(format, trace) else { continue };
        let budget = small_budget();
        let kept_all = lost.ids + lost.times + lost.attributes == 0;
        let detail = if kept_all { Detail::All } else { Detail::Meaning };
        if lost.names > 0 || lost.initial {
            assert_eq!(trace.len(), again.len(), "as {} it has other events:\n{first}", format.name());
        } else if let (Ok(mut before), Ok(mut after)) =
            (account(trace, detail, &budget), account(&again, detail, &budget))
        {
            // A row has the values in the order of the columns.
            if format == Format::Csv {
                for event in before.events.values_mut().chain(after.events.values_mut()) {
                    event.assignments.sort();
                }
            }
            assert_eq!(before, after, "as {} it is another run:\n{first}", format.name());
        }
        let events = trace.events().any(|_| true);
        // Names and colons alone may be anything.
        let extension = (format == Format::Text).then_some("trace");
        assert!(
            !events || format == Format::Csv || formats::detect(first.as_bytes(), extension) == Ok(Some(format)),
            "what is written as {} looks like something else:\n{first}",
            format.name()
        );
        // The first reading may bring processes and variables into another order; the second may not.
        if let Some((second, once_more, _)) = write_and_read(format, &again) {
            let third = write_and_read(format, &once_more).map(|(text, ..)| text);
            assert_eq!(Some(second), third, "written as {} it never comes to rest", format.name());
        }
    }
}

/// The text of a run and what it reads as; `None` past the budget, or if the format cannot say a number exactly.
fn write_and_read(format: Format, trace: &Trace) -> Option<(String, Trace, Lost)> {
    let budget = small_budget();
    let mut out = Vec::new();
    let lost = match formats::write(format, trace, &mut out, &budget) {
        Ok(lost) => lost,
        Err(WriteError::OverBudget(_)) => return None,
        Err(error @ WriteError::Inexact { .. }) => {
            assert!(has_inexact(trace), "{error}, although every number is a decimal");
            return None;
        }
        // Only sequences of states fit a table, and not all of them.
        Err(WriteError::Unfit { format: Format::Csv, .. }) => return None,
        Err(error) => panic!("writing to memory fails: {error}"),
    };
    let text = String::from_utf8(out).expect("what is written is UTF-8");
    match formats::read(format, text.as_bytes(), &budget) {
        Ok(again) => Some((text, again, lost)),
        Err(Error::OverBudget(_)) => None,
        Err(failure) => panic!("what was written as {} is not read back: {failure}\n{text}", format.name()),
    }
}

/// Whether some value or time has no decimal of a length that is accepted.
fn has_inexact(trace: &Trace) -> bool {
    let inexact =
        |n: &Number| n.to_decimal().is_none_or(|text| text.bytes().filter(u8::is_ascii_digit).count() > MAX_DIGITS);
    let value = |v: &Value| matches!(v, Value::Number(n) if inexact(n));
    trace.variables().any(|v| value(trace.value(trace.initial(v))))
        || trace.events().any(|e| {
            trace.time(e).is_some_and(inexact) || trace.assignments(e).iter().any(|a| value(trace.value(a.value)))
        })
}
