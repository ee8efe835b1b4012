//! JSON objects of an input, one after the other, however they are laid out.
//!
//! Either each stands on a line of its own, which the first line shows: then a line that is no object is a mistake of that line alone.
//! Or objects stand anywhere, over several lines, with commas and the brackets of arrays around them: then they are told by their braces,
//! and a mistake in one of them does not cost the next.

use std::io::BufRead;

use super::lines::{self, Line, Mistake};
use super::source::Source;
use posetta_base::{Budget, Diagnostic, Error, Kind, OverBudget, Place, Span};

/// How the objects of an input are laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Layout {
    Lines,
    Anywhere,
}

/// The objects of an input.
#[derive(Debug)]
pub(super) struct Documents<R> {
    source: Source<R>,
    layout: Option<Layout>,
    /// The object, its line breaks included, and where it begins: the line, and how many characters of that stand before it.
    text: String,
    first_line: u64,
    before: u64,
    /// Of an object that stands anywhere: the byte of its line at which it begins, and the line in which it ends, which is the current one;
    /// 0 if it does not end.
    start: usize,
    last_line: u64,
    /// Of the current line: what was looked at, in bytes and in characters.
    at: usize,
    characters: u64,
    /// Arrays around the objects that have not ended, and the line in which the last one began.
    open: u64,
    opened: u64,
}

/// How far the braces of an object have been followed.
#[derive(Clone, Copy, Debug, Default)]
struct Braces {
    depth: usize,
    quoted: bool,
    escaped: bool,
}

impl Braces {
    /// Goes on through `bytes`, up to behind the brace that closes the object.
    fn follow(&mut self, bytes: &[u8]) -> Option<usize> {
        for (i, &byte) in bytes.iter().enumerate() {
            if std::mem::take(&mut self.escaped) {
                continue;
            }
            match byte {
                b'\\' if self.quoted => self.escaped = true,
                b'"' => self.quoted = !self.quoted,
                _ if self.quoted => {}
                b'{' | b'[' => self.depth += 1,
                b'}' | b']' => {
                    self.depth = self.depth.saturating_sub(1);
                    if self.depth == 0 {
                        return Some(i + 1);
                    }
                }
                _ => {}
            }
        }
        None
    }
}

impl<R: BufRead> Documents<R> {
    pub(super) fn new(reader: R, budget: &Budget) -> Result<Self, OverBudget> {
        Ok(Self {
            source: Source::new(reader, budget)?,
            layout: None,
            text: String::new(),
            first_line: 0,
            before: 0,
            start: 0,
            last_line: 0,
            at: 0,
            characters: 0,
            open: 0,
            opened: 0,
        })
    }

    /// The text of the last object. It may be none: what it is told by is its braces, or its line.
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// The line in which the last object begins, from 1.
    pub(super) fn line(&self) -> u64 {
        self.first_line
    }

    /// Bytes of the lines so far.
    pub(super) fn offset(&self) -> u64 {
        self.source.offset()
    }

    /// Finds the next object. `held` is how many bytes its user holds beside it. `false` at the end.
    ///
    /// # Errors
    /// With one mistake, after which the next call goes on, or ends if that makes no sense. Or when the budget is spent.
    pub(super) fn advance(&mut self, held: usize) -> Result<bool, Error> {
        self.text.clear();
        loop {
            if self.layout != Some(Layout::Anywhere) || self.at >= self.source.line().len() {
                if !self.next_line(held)? {
                    return self.end();
                }
                let bytes = self.source.line().trim_ascii();
                if bytes.is_empty() {
                    self.at = self.source.line().len();
                    continue;
                }
                let layout = *self.layout.get_or_insert_with(|| {
                    let is_whole = bytes.starts_with(b"{") && Braces::default().follow(bytes) == Some(bytes.len());
                    if is_whole { Layout::Lines } else { Layout::Anywhere }
                });
                if layout == Layout::Lines {
                    self.first_line = self.source.number();
                    self.text.push_str(str::from_utf8(self.source.line()).unwrap_or_default());
                    return Ok(true);
                }
            }
            let (rest, before) = (&self.source.line()[self.at..], self.open);
            let mut open = before;
            let passes = |byte: &&u8| match byte {
                b' ' | b'\t' | b'\r' | b',' => true,
                b'[' => {
                    open += 1;
                    true
                }
                b']' if open > 0 => {
                    open -= 1;
                    true
                }
                _ => false,
            };
            let blank = rest.iter().take_while(passes).count();
            if open > before {
                self.opened = self.source.number();
            }
            self.open = open;
            self.pass(blank);
            match self.source.line().get(self.at) {
                None => {}
                Some(b'{') => return self.whole(held).map(|()| true),
                Some(_) => {
                    let line = self.current();
                    let place = Place::in_line(self.source.number(), line, self.at, self.at + 1);
                    // What stands between objects cannot be told from the beginning of one.
                    self.give_up();
                    self.at = self.source.line().len();
                    return Err(Diagnostic::new(Kind::Syntax, "not an object")
                        .at(place)
                        .label("expected `{`: each record is a JSON object")
                        .into());
                }
            }
        }
    }

    /// Nothing more comes. In an array there should: what is missing may be what matters.
    fn end(&mut self) -> Result<bool, Error> {
        if std::mem::take(&mut self.open) == 0 {
            return Ok(false);
        }
        let place = Place::line_only(self.opened);
        Err(Diagnostic::new(Kind::Truncated, "the file ends inside an array; was it cut off?")
            .at(place)
            .label("it begins here")
            .into())
    }

    fn give_up(&mut self) {
        self.open = 0;
        self.source.give_up();
    }

    /// Takes the object that begins here.
    fn whole(&mut self, held: usize) -> Result<(), Error> {
        self.first_line = self.source.number();
        self.before = self.characters;
        (self.start, self.last_line) = (self.at, 0);
        let mut braces = Braces::default();
        loop {
            let end = braces.follow(&self.source.line()[self.at..]);
            let taken = end.unwrap_or(self.source.line().len() - self.at);
            let piece = self.at..self.at + taken;
            // Lines are UTF-8, and braces are characters of their own.
            self.text.push_str(str::from_utf8(&self.source.line()[piece]).unwrap_or_default());
            self.pass(taken);
            if end.is_some() {
                self.last_line = self.source.number();
                return Ok(());
            }
            self.text.push('\n');
            let held = held + 2 * self.text.len();
            if !self.next_line(held)? {
                self.open = 0;
                let begin = self.place(Span::new(0, 1));
                return Err(Diagnostic::new(Kind::Truncated, "the file ends inside an object; was it cut off?")
                    .at(begin)
                    .label("it begins here")
                    .into());
            }
        }
    }

    fn pass(&mut self, bytes: usize) {
        let piece = &self.source.line()[self.at..self.at + bytes];
        // Bytes that go on with a character begin with 10.
        self.characters += piece.iter().filter(|&&b| b & 0xc0 != 0x80).count() as u64;
        self.at += bytes;
    }

    fn current(&self) -> &str {
        str::from_utf8(self.source.line()).unwrap_or_default()
    }

    fn next_line(&mut self, held: usize) -> Result<bool, Error> {
        (self.at, self.characters) = (0, 0);
        if !self.source.next_line(held)? {
            return Ok(false);
        }
        match str::from_utf8(self.source.line()) {
            Ok(_) => Ok(true),
            Err(error) => {
                let ended = !self.source.ending().is_empty();
                let mistake = lines::not_utf8(self.source.number(), self.source.line(), ended, error);
                // What follows is in the same encoding.
                self.give_up();
                self.at = self.source.line().len();
                Err(mistake.into())
            }
        }
    }

    /// Where bytes of the object are.
    pub(super) fn place(&self, span: Span) -> Place {
        let mut place = Place::in_text(&self.text, span);
        let line = place.line + self.first_line.max(1) - 1;
        if self.layout == Some(Layout::Anywhere) && line == self.last_line {
            // What stands behind the object is shown, too.
            let start = memchr::memrchr(b'\n', self.text.as_bytes()).map_or(0, |i| i + 1);
            let shift = if line == self.first_line { self.start } else { 0 };
            let byte = |at: usize| at.saturating_sub(start) + shift;
            return Place::in_line(line, self.current(), byte(span.start), byte(span.end));
        }
        if place.line == 1 && self.layout == Some(Layout::Anywhere) {
            place.column += self.before;
            place.skipped += self.before;
        }
        place.line = line;
        place
    }

    /// A mistake in the object, for a person.
    pub(super) fn diagnose(&self, mistake: Mistake) -> Diagnostic {
        if self.layout != Some(Layout::Anywhere) {
            return Line::new(self.first_line, &self.text, !self.source.ending().is_empty()).diagnose(mistake);
        }
        let span = Span::new(mistake.span.start, mistake.span.end);
        let mut diagnostic = Line::new(self.first_line, &self.text, true).diagnose(Mistake { help: None, ..mistake });
        diagnostic.message = diagnostic.message.replacen("the line ends", "the record ends", 1);
        diagnostic.at(self.place(span))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::BufReader;

    /// The objects of an input with their lines, and mistakes.
    fn objects(input: &str) -> Vec<String> {
        let read = |capacity| {
            let reader = BufReader::with_capacity(capacity, input.as_bytes());
            let mut documents = Documents::new(reader, &Budget::unlimited()).unwrap();
            let mut told = Vec::new();
            loop {
                match documents.advance(0) {
                    Ok(true) => told.push(format!("{} {}", documents.line(), documents.text().replace('\n', "/"))),
                    Ok(false) => return told,
                    Err(failure) => told.push(failure.to_string()),
                }
                assert!(told.len() < 100, "it goes on");
            }
        };
        let told = read(1 << 16);
        assert_eq!(told, read(3), "{input}");
        told
    }

    #[test]
    fn objects_stand_on_lines_or_anywhere() {
        for (input, told) in [
            ("", &[][..]),
            ("\n \n", &[]),
            ("{\"a\":1}\n\n {\"a\":2}\n{\"a\n7\n", &["1 {\"a\":1}", "3  {\"a\":2}", "4 {\"a", "5 7"]),
            (
                "[{\"a\":1}, {\"a\":2}\n,\n{\n\"a\":\"}\\\"{\"\n}]\n",
                &["1 {\"a\":1}", "1 {\"a\":2}", "3 {/\"a\":\"}\\\"{\"/}"],
            ),
            ("{\n}\n{}", &["1 {/}", "3 {}"]),
            ("[]", &[]),
            ("[1]", &["1:2: not an object"]),
            ("[{\"a\":1},\n {\"a\":", &["1 {\"a\":1}", "2:2: the file ends inside an object; was it cut off?"]),
            ("é", &["1:1: not an object"]),
            ("\n[{\"a\":1},", &["2 {\"a\":1}", "2:1: the file ends inside an array; was it cut off?"]),
            ("[[{\"a\":1}]\n", &["1 {\"a\":1}", "1:1: the file ends inside an array; was it cut off?"]),
            ("[{\"a\":1}]]\n{}", &["1 {\"a\":1}", "1:10: not an object"]),
        ] {
            assert_eq!(objects(input), told, "{input}");
        }
    }

    #[test]
    fn places_are_those_of_the_file() {
        let input = "[{\"é\":1}, {\"a\":x,\n\"b\":y}]";
        let mut documents = Documents::new(input.as_bytes(), &Budget::unlimited()).unwrap();
        documents.advance(0).unwrap();
        documents.advance(0).unwrap();
        let at = |word: &str| documents.text().find(word).unwrap();
        let told = |word: &str| documents.diagnose(*Mistake::syntax(at(word)..at(word) + 1, "no")).to_string();
        assert_eq!(told("x"), "1:16: no");
        assert_eq!(told("y"), "2:5: no");
    }

    #[test]
    fn an_endless_object_stays_within_the_budget() {
        let endless = BufReader::new(std::io::Read::chain(&b"[{"[..], std::io::repeat(b'\n')));
        let mut documents = Documents::new(endless, &Budget::with_memory(1 << 20)).unwrap();
        assert!(matches!(documents.advance(0), Err(Error::OverBudget(_))));
    }
}
