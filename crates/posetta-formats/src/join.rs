//! Several files that are the parts of one run: what each node of a system wrote.
//!
//! The parts are read one after the other as if they were one file ([`Joined`] keeps them apart), so that a reference in one may lead to
//! an event of another, whichever comes first. Afterwards every event and every mistake is told by the line of its own part.

use std::cell::RefCell;
use std::io::{self, BufRead, Read};
use std::rc::Rc;
use std::sync::Arc;

use super::lines::without_mark;
use super::{Format, ReadOptions, Run, jsonl, mapping, shiviz, spans, text};
use posetta_base::{Budget, Diagnostic, Error, Kind};
use posetta_trace::Trace;

/// A part of a run: what it is called, and what it holds.
pub type Part<'a> = (String, Box<dyn BufRead + 'a>);

/// Reads the parts of one run, which all have this format.
///
/// # Errors
/// With every mistake found, when the format or the parts cannot be joined, or when the budget is spent.
pub fn read_joined(format: Format, parts: Vec<Part<'_>>, options: &ReadOptions, budget: &Budget) -> Result<Run, Error> {
    let names: Vec<Arc<str>> = parts.iter().map(|(name, _)| name.as_str().into()).collect();
    let lines = Rc::new(RefCell::new(Vec::new()));
    let joined = |parts| Joined::new(parts, Rc::clone(&lines), format != Format::OtlpProto);
    let read = match (format, &options.mapping) {
        (Format::JsonLines, Some(mapping)) => {
            mapping::read_lines(&mut joined(parts) as &mut dyn BufRead, mapping, options, budget)
        }
        (Format::Text, _) => {
            let reader: &mut dyn BufRead = &mut joined(parts);
            text::read(reader, budget).map(|trace| Run { label: None, trace, warnings: Vec::new() })
        }
        (Format::JsonLines, None) => {
            let (names, lines) = (names.clone(), Rc::clone(&lines));
            // Lines are read as they come, so the part that was begun last is being read.
            let current = move || Arc::clone(&names[lines.borrow().len().saturating_sub(1)]);
            let reader: &mut dyn BufRead = &mut joined(parts);
            jsonl::read_parts(reader, current, budget)
        }
        (Format::Shiviz, _) => {
            let parts = parts.into_iter().map(|(_, reader)| reader).collect();
            shiviz::read_parts(parts, &mut lines.borrow_mut(), options, budget).and_then(one_run)
        }
        (format, _) if format.holds_spans() => {
            let reader: &mut dyn BufRead = &mut joined(parts);
            spans::joined(format, reader, options, budget)
        }
        (format, _) => {
            let message = format!("files of the format {} cannot be joined", format.name());
            let help = "JSON lines, text, spans and logs with vector clocks can: each file has the events of some of the processes";
            Err(Diagnostic::new(Kind::Unsupported, message).help(help).into())
        }
    };
    let parts = Parts { names, first_lines: lines.borrow().clone() };
    let mut run = read.map_err(|failure| parts.translate(failure))?;
    if run.trace.has_state_records() {
        let message = "states cannot be joined: a sequence of states is a run of its own";
        let help = "if each line is an event, give it its `process`";
        return Err(Diagnostic::new(Kind::Mixed, message).help(help).into());
    }
    run.warnings.iter_mut().for_each(|warning| parts.place(warning));
    let starts = parts.names.iter().zip(&parts.first_lines).map(|(name, first)| (Arc::clone(name), *first));
    run.trace.tell_parts(starts.collect());
    // The clocks of a log say how the events of one host in two files are ordered, and JSON lines have been looked at.
    let by_lines = options.mapping.as_ref().is_some_and(|mapping| mapping.orders_by_lines());
    if format == Format::Text || by_lines {
        one_file_each(&run.trace)?;
    }
    Ok(run)
}

/// The only run of a log in several files.
fn one_run(mut runs: Vec<Run>) -> Result<Run, Error> {
    match (runs.pop(), runs.len()) {
        (Some(run), 0) => Ok(run),
        (_, others) => {
            let message = format!("the files have {} runs, and --join makes one of them", others + 1);
            Err(Diagnostic::new(Kind::Input, message).help("join the files of one run at a time").into())
        }
    }
}

/// The order of a process is that of its lines, so they must stand in one file.
fn one_file_each(trace: &Trace) -> Result<(), Diagnostic> {
    for process in trace.processes() {
        let Some((&first, rest)) = trace.chain(process).split_first() else { continue };
        if let Some(&other) = rest.iter().find(|&&event| trace.part_index(event) != trace.part_index(first)) {
            let name = trace.process_name(process);
            let message = format!("the process `{name}` has events in two files, and nothing says which come first");
            let (one, two) = (trace.whereabouts(first), trace.whereabouts(other));
            return Err(Diagnostic::new(Kind::Process, message).help(format!(
                "they are in {one} and in {two}; put the files of one process together first, in their order"
            )));
        }
    }
    Ok(())
}

/// Where each part begins in the lines of all.
struct Parts {
    names: Vec<Arc<str>>,
    /// One for each part that was begun, from 1.
    first_lines: Vec<u64>,
}

impl Parts {
    /// The mistakes, each with its line in its own part.
    fn translate(&self, failure: Error) -> Error {
        let Error::Invalid(mut mistakes) = failure else { return failure };
        for mistake in &mut mistakes {
            self.place(mistake);
            // These tell of two places, and the other one stands in the text.
            let tells_of_two =
                [Kind::Cycle, Kind::DuplicateId, Kind::Clock, Kind::Mixed, Kind::Process, Kind::AssignedTwice];
            if self.first_lines.len() > 1 && tells_of_two.contains(&mistake.kind) {
                let begins = |(name, first): (&Arc<str>, &u64)| format!("{name} begins with line {first}");
                let parts: Vec<String> = self.names.iter().zip(&self.first_lines).skip(1).take(4).map(begins).collect();
                let note = format!("lines in the text above count through all files: {}", parts.join(", "));
                mistake.help = Some(mistake.help.take().map_or(note.clone(), |help| format!("{help}; {note}")));
            }
        }
        Error::Invalid(mistakes)
    }

    fn place(&self, diagnostic: &mut Diagnostic) {
        let Some(place) = &mut diagnostic.place else { return };
        let part = self.first_lines.partition_point(|&first| first <= place.line).saturating_sub(1);
        let (Some(name), Some(first)) = (self.names.get(part), self.first_lines.get(part)) else { return };
        place.part = Some(Arc::clone(name));
        place.line = place.line - first + 1;
    }
}

/// The bytes of all parts. Where they are lines, each ends its last one, and none but the first may have a byte order mark.
struct Joined<'a> {
    parts: std::vec::IntoIter<Part<'a>>,
    current: Option<Box<dyn BufRead + 'a>>,
    /// The line of all in which each part begins, for whoever asks afterwards.
    first_lines: Rc<RefCell<Vec<u64>>>,
    lines: u64,
    has_lines: bool,
    /// The last byte was a line feed, or nothing was read.
    ended: bool,
    /// The line feed that a part lacks.
    missing: bool,
}

impl<'a> Joined<'a> {
    fn new(parts: Vec<Part<'a>>, first_lines: Rc<RefCell<Vec<u64>>>, has_lines: bool) -> Self {
        Self { parts: parts.into_iter(), current: None, first_lines, lines: 0, has_lines, ended: true, missing: false }
    }

    /// Makes sure that the current part has something to read. `false` at the end of all.
    fn settle(&mut self) -> io::Result<bool> {
        loop {
            if self.missing {
                return Ok(true);
            }
            if let Some(current) = &mut self.current {
                if !current.fill_buf()?.is_empty() {
                    return Ok(true);
                }
                self.current = None;
                if !self.ended && self.has_lines {
                    self.missing = true;
                    return Ok(true);
                }
            }
            let Some((_, mut next)) = self.parts.next() else { return Ok(false) };
            self.first_lines.borrow_mut().push(self.lines + 1);
            if self.has_lines {
                let start = next.fill_buf()?;
                let mark = start.len() - without_mark(start).len();
                next.consume(mark);
            }
            self.current = Some(next);
        }
    }
}

impl Read for Joined<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let there = self.fill_buf()?;
        let n = there.len().min(into.len());
        into[..n].copy_from_slice(&there[..n]);
        self.consume(n);
        Ok(n)
    }
}

impl BufRead for Joined<'_> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if !self.settle()? {
            return Ok(&[]);
        }
        match &mut self.current {
            Some(current) if !self.missing => current.fill_buf(),
            _ => Ok(b"\n"),
        }
    }

    fn consume(&mut self, n: usize) {
        if n == 0 {
            return;
        }
        if std::mem::take(&mut self.missing) {
            self.lines += 1;
            self.ended = true;
            return;
        }
        let Some(current) = &mut self.current else { return };
        // It was just filled, so this reads nothing and cannot fail.
        if let Ok(bytes) = current.fill_buf() {
            let taken = &bytes[..n.min(bytes.len())];
            self.lines += memchr::memchr_iter(b'\n', taken).count() as u64;
            self.ended = taken.last() == Some(&b'\n');
        }
        current.consume(n);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::BufReader;

    fn joined(format: Format, parts: &[(&str, &str)], capacity: usize) -> Result<Run, Error> {
        let part = |(name, text): &(&str, &str)| -> Part<'static> {
            let reader = BufReader::with_capacity(capacity, io::Cursor::new(text.as_bytes().to_vec()));
            ((*name).to_owned(), Box::new(reader))
        };
        read_joined(format, parts.iter().map(part).collect(), &ReadOptions::default(), &Budget::unlimited())
    }

    #[test]
    fn a_reference_leads_into_another_part() {
        for capacity in [3, 5, 100] {
            let parts = [
                ("a", "\u{feff}{\"posetta\":1}\n{\"process\":\"A\",\"after\":[\"m\"]}"),
                ("b", "\u{feff}\n\n{\"process\":\"B\",\"id\":\"m\"}\n"),
            ];
            let run = joined(Format::JsonLines, &parts, capacity).unwrap();
            let (a, b) = (run.trace.find_event("A.1").unwrap(), run.trace.find_event("m").unwrap());
            assert!(run.trace.causes(a).contains(&b), "{capacity}");
            assert_eq!((run.trace.line(a), run.trace.part(a)), (2, Some("a")));
            assert_eq!((run.trace.line(b), run.trace.part(b)), (3, Some("b")));
            assert_eq!(run.trace.whereabouts(b).to_string(), "line 3 of b");
            // Lines of two files are not one sequence, and time stamps would be.
            assert!(run.trace.observed().is_none());
        }
        let parts = [("a", "A: x=1\nA.1 -> B.1"), ("b", "B: y=1\n")];
        assert_eq!(joined(Format::Text, &parts, 5).unwrap().trace.len(), 2);
        let parts = [("a", "a {\"a\":1}\nsend\n"), ("b", "b {\"b\":1,\"a\":1}\nreceive")];
        let run = joined(Format::Shiviz, &parts, 5).unwrap();
        let (sent, received) = (run.trace.find_event("a.1").unwrap(), run.trace.find_event("b.1").unwrap());
        assert!(run.trace.causes(received).contains(&sent));
        assert_eq!((run.trace.part(received), run.trace.line(received)), (Some("b"), 1));
        assert!(run.trace.observed().is_none());
        // Each may bring its expression, as our own writer does.
        let header = "(?<host>\\S*) (?<clock>{.*})\\n(?<event>.*)\n\n";
        let parts = [("a", format!("{header}a {{\"a\":1}}\nx\n")), ("b", format!("{header}b {{\"b\":1}}\ny\n"))];
        let parts: Vec<(&str, &str)> = parts.iter().map(|(name, log)| (*name, log.as_str())).collect();
        let run = joined(Format::Shiviz, &parts, 5).unwrap();
        assert_eq!((run.trace.len(), run.warnings.len()), (2, 0));
        assert_eq!(run.trace.line(run.trace.find_event("b.1").unwrap()), 3);
    }

    #[test]
    fn mistakes_are_told_by_their_own_part() {
        let told = |format, parts: &[(&str, &str)]| match joined(format, parts, 7) {
            Err(Error::Invalid(mistakes)) => mistakes.iter().map(ToString::to_string).collect::<Vec<_>>(),
            other => panic!("{other:?}"),
        };
        let event = "{\"process\":\"A\"}\n";
        assert_eq!(
            told(Format::JsonLines, &[("a", event), ("b", "\n{\"process\":1}\n")]),
            ["b:2:12: unexpected number"]
        );
        assert_eq!(
            told(Format::JsonLines, &[("a", event), ("b", "{\"process\":\"B\",\"after\":[\"z\"]}")]),
            ["b:1:26: there is no event `z`"]
        );
        assert_eq!(
            told(Format::JsonLines, &[("a", event), ("b", event)]),
            ["b:1:13: the process `A` is in two files, and nothing says what comes first"]
        );
        // A sign of life speaks of the events that come after it, too.
        assert_eq!(
            told(Format::JsonLines, &[("a", event), ("b", "\n{\"process\":\"A\",\"heartbeat\":true}\n")]),
            ["b:2:13: the process `A` is in two files, and nothing says what comes first"]
        );
        assert_eq!(
            told(Format::Text, &[("a", "A: x=1\n"), ("a", "A: x=2\n")]),
            ["the process `A` has events in two files, and nothing says which come first"]
        );
        // No record goes from one log into the next, and all are cut alike.
        let log = "a {\"a\":1}\nx\n";
        let cut_off = format!("{log}a {{\"a\":2}}\n");
        let run = joined(Format::Shiviz, &[("a", &cut_off), ("b", "b {\"b\":1}\ny\n")], 7).unwrap();
        let name = |label: &str| run.trace.event_name(run.trace.find_event(label).unwrap());
        assert_eq!((name("a.2"), name("b.1")), (None, Some("y")));
        assert_eq!(
            told(Format::Shiviz, &[("a", log), ("b", "y\nb {\"b\":1}\n")]),
            ["b:1:1: the records of this log look different from those of the first"]
        );
        assert_eq!(
            told(Format::JsonLines, &[("a", "{\"x\":1}\n"), ("b", "{\"y\":1}\n")]),
            ["states cannot be joined: a sequence of states is a run of its own"]
        );
        assert_eq!(told(Format::Csv, &[("a", "x\n1\n")]), ["files of the format csv cannot be joined"]);
    }
}
