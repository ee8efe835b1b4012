//! The second part of a dump: what the signals do, as states.

use std::cmp::Ordering;
use std::io::BufRead;
use std::ops::Range;

use super::declarations::{self, Codes};
use super::tokens::Tokens;
use crate::Run;
use crate::states::{self, States};
use crate::waves::{self, BadBits, Ranges, Sampler, Sampling, Signal, SignalKind};
use posetta_base::{Budget, Diagnostic, Error, Kind, Number, OverBudget, Place, TimeUnit, Value, When};

/// Reads a run; with `wanted`, only what these variables are in it.
///
/// # Errors
/// With every mistake found, or when the budget is spent.
pub fn read(
    reader: impl BufRead,
    sampling: &Sampling,
    wanted: Option<&[String]>,
    budget: &Budget,
) -> Result<Run, Error> {
    states::read(Dump::new(reader, sampling, budget)?, wanted, budget)
}

/// A dump that is read record by record.
pub(crate) struct Dump<R> {
    tokens: Tokens<R>,
    sampling: Sampling,
    budget: Budget,
    /// What is known when the declarations are read.
    body: Option<Body>,
    /// Nothing more is read.
    over: bool,
    /// What is worth knowing about the file.
    warnings: Vec<Diagnostic>,
}

struct Body {
    codes: Codes,
    names: Vec<String>,
    aliases: Vec<(String, u32)>,
    ranges: Ranges,
    sampler: Sampler,
    /// What times are counted in, and what is added to each.
    unit: Option<TimeUnit>,
    zero: Option<Number>,
    /// The time at hand and its line; `None` before the first.
    time: Option<(Number, u64)>,
    /// The time of the last record and its line.
    recorded: (Number, u64),
    /// The line of a section of values that is not closed.
    section: Option<u64>,
    /// Where the code of a change stands in the line at hand, if that was the last that was read; else it is empty.
    code: Range<usize>,
}

/// Where a word leads.
enum Step {
    /// On to the next.
    On,
    /// To a record: a time is over.
    Record,
}

impl<R: BufRead> Dump<R> {
    pub(crate) fn new(reader: R, sampling: &Sampling, budget: &Budget) -> Result<Self, OverBudget> {
        let tokens = Tokens::new(reader, budget)?;
        Ok(Self {
            tokens,
            sampling: sampling.clone(),
            budget: budget.clone(),
            body: None,
            over: false,
            warnings: Vec::new(),
        })
    }

    /// Reads the declarations, if that was not done.
    fn open(&mut self) -> Result<(), Error> {
        if self.body.is_none() {
            let header = declarations::read(&mut self.tokens).inspect_err(|_| self.over = true)?;
            let ranges = header.names.ranges();
            let (names, aliases) = header.names.finish(header.signals.len());
            let sampler = Sampler::new(header.signals, &names, &aliases, &self.sampling, &self.budget)
                .inspect_err(|_| self.over = true)?;
            let (codes, unit, zero) = (header.codes, header.unit, header.zero);
            let recorded = (Number::ZERO, 1);
            let (time, section, code) = (None, None, 0..0);
            self.body =
                Some(Body { codes, names, aliases, ranges, sampler, unit, zero, time, recorded, section, code });
        }
        Ok(())
    }
}

impl Body {
    /// Takes one word, and those that belong to it.
    fn word<R: BufRead>(&mut self, tokens: &mut Tokens<R>, word: Range<usize>) -> Result<Step, Error> {
        let bytes = tokens.bytes(&word);
        match bytes[0] {
            b'#' => {
                // Some writers do not close the section before the next time.
                (self.section, self.code) = (None, 0..0);
                return self.time(tokens, word);
            }
            b'b' | b'B' | b'r' | b'R' | b's' | b'S' => self.long(tokens, word)?,
            b'$' => {
                self.code = 0..0;
                return self.section(tokens, word);
            }
            first => {
                let Some(signal) = self.codes.get(&bytes[1..]) else {
                    return Err(self.no_signal(tokens, word).into());
                };
                let width = self.sampler.signal(signal).width;
                match waves::bit(first, width, self.sampler.unknown()) {
                    Some(value) => self.sampler.change(signal, value),
                    None => return Err(no_change(tokens, word).into()),
                }
                self.code = word.start + 1..word.end;
            }
        }
        Ok(Step::On)
    }

    /// Whether the input ends in a code that may be the beginning of another one.
    fn breaks_off<R: BufRead>(&self, tokens: &Tokens<R>) -> bool {
        tokens.breaks_off_in(&self.code) && self.codes.any_longer(tokens.bytes(&self.code))
    }

    /// The word begins with a bit, but no signal has the code behind it; or it begins with something else.
    #[cold]
    fn no_signal<R: BufRead>(&self, tokens: &Tokens<R>, word: Range<usize>) -> Diagnostic {
        let bytes = tokens.bytes(&word);
        if waves::bit(bytes[0], 1, self.sampler.unknown()).is_none() {
            return no_change(tokens, word);
        }
        if bytes.len() == 1 {
            return tokens
                .mistake(Kind::Syntax, word.clone(), "a value without a signal")
                .label("expected the code of a signal right behind it");
        }
        unknown_code(tokens, word.start + 1..word.end)
    }

    /// A vector, a real number or a string, and then the code of its signal.
    fn long<R: BufRead>(&mut self, tokens: &mut Tokens<R>, word: Range<usize>) -> Result<(), Error> {
        let apart;
        let (code, place, value) = match tokens.next_on_line() {
            Some(code) => (code, word.clone(), tokens.bytes(&word)),
            None => {
                apart = tokens.bytes(&word).to_vec();
                let Some(code) = tokens.next()? else {
                    return Err(tokens.cut_off("a change", "the code of a signal").into());
                };
                (code.clone(), code, &apart[..])
            }
        };
        let Some(signal) = self.codes.get(tokens.bytes(&code)) else {
            return Err(unknown_code(tokens, code).into());
        };
        let width = self.sampler.signal(signal).width;
        self.code = code;
        if !self.sampler.wants(signal) && is_plain(value, width) {
            return Ok(());
        }
        let value = match value[0] {
            b'b' | b'B' => match waves::vector(&value[1..], width, self.sampler.unknown()) {
                Ok(value) => value,
                Err(bad) => return Err(self.bad_bits(tokens, place, signal, bad).into()),
            },
            b'r' | b'R' => {
                let text = String::from_utf8_lossy(&value[1..]);
                waves::real(&text).ok_or_else(|| {
                    let mistake = tokens.mistake(Kind::Syntax, place, format!("`{text}` is not a number"));
                    mistake.label("expected a number after `r`")
                })?
            }
            _ => waves::string(&value[1..]),
        };
        self.sampler.change(signal, value);
        Ok(())
    }

    /// Passes over a remark of the writer. One without an `$end` would go on to that of another section and hide what happens between the
    /// two. So a section inside it is a mistake, and so is a further line of nothing but changes and times.
    fn remark<R: BufRead>(&self, tokens: &mut Tokens<R>, keyword: Range<usize>) -> Result<(), Error> {
        let (keyword, since) = (tokens.text(&keyword), tokens.line());
        let mut line = since;
        loop {
            let Some(word) = tokens.next()? else { return Err(tokens.cut_off("a section", "`$end`").into()) };
            let begins_line = std::mem::replace(&mut line, tokens.line()) != line;
            let bytes = tokens.bytes(&word);
            if bytes == b"$end" {
                return Ok(());
            }
            let is_section = bytes.starts_with(b"$dump") || REMARKS.contains(&bytes);
            // The last time of the dump belongs into the section that closes it.
            let hides = || self.are_changes(tokens.from(&word)) && !(keyword == "$vcdclose" && bytes[0] == b'#');
            if is_section || begins_line && hides() {
                let mistake = tokens.mistake(Kind::Syntax, word, format!("`{keyword}` in line {since} has no `$end`"));
                return Err(mistake.label("expected `$end` before this").into());
            }
        }
    }

    /// Whether a line has nothing but changes and times, before an `$end` if it has one.
    fn are_changes(&self, line: &[u8]) -> bool {
        let words = line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
        let mut words = words.take_while(|word| word != b"$end");
        while let Some(word) = words.next() {
            let is_code = |code: &[u8]| self.codes.get(code).is_some();
            let is_one = match word[0] {
                b'#' => str::from_utf8(&word[1..]).is_ok_and(|time| time.parse::<Number>().is_ok()),
                b'b' | b'B' | b'r' | b'R' | b's' | b'S' => words.next().is_some_and(is_code),
                // Not what only some write: prose may be underlined.
                b'0' | b'1' | b'x' | b'X' | b'z' | b'Z' => is_code(&word[1..]),
                _ => false,
            };
            if !is_one {
                return false;
            }
        }
        true
    }

    #[cold]
    fn bad_bits<R: BufRead>(&self, tokens: &Tokens<R>, place: Range<usize>, signal: u32, bad: BadBits) -> Diagnostic {
        match bad {
            BadBits::NotABit(at) => {
                let at = (place.start + 1 + at).min(place.end.saturating_sub(1));
                tokens.mistake(Kind::Syntax, at..at + 1, "not a bit").label("expected 0, 1, x or z")
            }
            BadBits::TooMany(count) => {
                let (name, width) = (&self.names[signal as usize], self.sampler.signal(signal).width);
                let message = format!("{count} bits for `{name}`, which has {width}");
                tokens.mistake(Kind::Syntax, place, message).label("expected no more bits than were declared")
            }
        }
    }

    /// `#123`: the time that was at hand is over.
    fn time<R: BufRead>(&mut self, tokens: &Tokens<R>, word: Range<usize>) -> Result<Step, Error> {
        let text = str::from_utf8(&tokens.bytes(&word)[1..]).unwrap_or_default();
        let time: Number = match text.parse() {
            Ok(time) if time >= Number::ZERO => time,
            _ => {
                let text = tokens.text(&(word.start + 1..word.end));
                let mistake = tokens.mistake(Kind::Syntax, word, format!("`{text}` is not a time"));
                return Err(mistake.label("expected a number that is not negative after `#`").into());
            }
        };
        let line = tokens.line();
        let before = match &self.time {
            Some((before, _)) => before.clone(),
            // What stands before the first time is how it all starts.
            None => Number::ZERO,
        };
        match time.cmp(&before) {
            Ordering::Less => {
                let since = self.time.as_ref().map_or(1, |(_, line)| *line);
                let mistake = tokens.mistake(Kind::Syntax, word, "time goes back");
                return Err(mistake.label(format!("expected at least {before}, the time of line {since}")).into());
            }
            Ordering::Equal => {
                self.time.get_or_insert((time, line));
                return Ok(Step::On);
            }
            Ordering::Greater => {}
        }
        let nothing_yet = self.time.is_none() && !self.sampler.is_staged();
        let over = self.time.replace((time, line));
        Ok(if nothing_yet { Step::On } else { self.end_of_time(over.unwrap_or((Number::ZERO, 1))) })
    }

    fn end_of_time(&mut self, time: (Number, u64)) -> Step {
        if self.sampler.end_of_time() {
            self.recorded = time;
            return Step::Record;
        }
        Step::On
    }

    /// A word that begins with `$`.
    fn section<R: BufRead>(&mut self, tokens: &mut Tokens<R>, word: Range<usize>) -> Result<Step, Error> {
        match tokens.bytes(&word) {
            b"$dumpvars" | b"$dumpall" | b"$dumpon" | b"$dumpoff" => self.section = Some(tokens.line()),
            b"$end" => self.section = None,
            bytes if REMARKS.contains(&bytes) => self.remark(tokens, word)?,
            bytes if bytes.starts_with(b"$dumpports") => {
                let mistake = tokens.mistake(Kind::Unsupported, word, "an extended dump");
                return Err(mistake
                    .label("expected `$dumpvars`: the states of ports are not read")
                    .help("dump the signals with $dumpvars")
                    .into());
            }
            b"$var" | b"$scope" | b"$upscope" | b"$enddefinitions" => {
                let text = tokens.text(&word);
                let mistake = tokens.mistake(Kind::Syntax, word, format!("`{text}` among the values"));
                return Err(mistake
                    .label("expected no declarations after `$enddefinitions`")
                    .help("were two dumps joined? they are runs of their own: check them one by one")
                    .into());
            }
            _ => return Err(no_change(tokens, word).into()),
        }
        Ok(Step::On)
    }
}

/// Sections among the values that say nothing about signals.
const REMARKS: [&[u8]; 5] = [b"$comment", b"$vcdclose", b"$date", b"$version", b"$timescale"];

/// Whether a value that is not asked for is one all the same: a file with a mistake has no answer, wherever the mistake is. Only what is
/// seen at a glance; the rest is read.
#[inline]
fn is_plain(value: &[u8], width: u32) -> bool {
    match value {
        [b'b' | b'B', bits @ ..] => {
            bits.len() <= width as usize
                && bits.iter().fold(true, |plain, b| plain & matches!(b, b'0' | b'1' | b'x' | b'z'))
        }
        [first, ..] => matches!(first, b's' | b'S'),
        [] => false,
    }
}

/// The simulator was interrupted.
fn unfinished<R: BufRead>(tokens: &Tokens<R>, what: &str) -> Diagnostic {
    waves::unfinished(what).at(Place::line_only(tokens.line().max(1)))
}

#[cold]
fn no_change<R: BufRead>(tokens: &Tokens<R>, word: Range<usize>) -> Diagnostic {
    let text = tokens.text(&word);
    match text.as_bytes()[0] {
        b'p' => tokens
            .mistake(Kind::Unsupported, word, "a port of an extended dump")
            .label("expected a value: 0, 1, x, z, b…, r… or s…")
            .help("dump the signals with $dumpvars"),
        _ => tokens
            .mistake(Kind::Syntax, word, format!("`{text}` is not a change of a signal"))
            .label("expected a value and the code of a signal, `#` and a time, or `$end`"),
    }
}

#[cold]
fn unknown_code<R: BufRead>(tokens: &Tokens<R>, code: Range<usize>) -> Diagnostic {
    let message = format!("no signal has the code `{}`", tokens.text(&code));
    tokens.mistake(Kind::UnknownVariable, code, message).label("expected a code that a `$var` declares")
}

impl<R: BufRead> States for Dump<R> {
    fn begin(&mut self) -> Result<bool, Error> {
        if !self.over {
            self.open()?;
        }
        Ok(!self.over)
    }

    fn advance(&mut self) -> Result<bool, Error> {
        if !self.begin()? {
            return Ok(false);
        }
        let Some(body) = &mut self.body else { return Ok(false) };
        body.sampler.prepare()?;
        loop {
            let Some(word) = self.tokens.next()? else {
                self.over = true;
                if let Some(since) = body.section {
                    let what = format!("the section of values in line {since} has no `$end`");
                    self.warnings.push(unfinished(&self.tokens, &what));
                } else if self.tokens.is_torn() {
                    let what = "its last line has no end, and its last change may lack something";
                    self.warnings.push(unfinished(&self.tokens, what));
                }
                let has_time = body.time.is_some() || body.sampler.is_staged();
                let time = body.time.clone().unwrap_or((Number::ZERO, self.tokens.line().max(1)));
                return Ok(has_time && matches!(body.end_of_time(time), Step::Record));
            };
            let breaks_off = match body.word(&mut self.tokens, word) {
                Ok(Step::On) => body.breaks_off(&self.tokens),
                Ok(Step::Record) => return Ok(true),
                // What comes last and is broken was cut off, and what is said of its time may lack more than that.
                Err(Error::Invalid(mistakes))
                    if self.tokens.is_torn() || mistakes.iter().all(|mistake| mistake.kind == Kind::Truncated) =>
                {
                    true
                }
                Err(failure) => {
                    // The next line may be right.
                    self.tokens.skip_line();
                    return Err(failure);
                }
            };
            if breaks_off {
                self.over = true;
                let time = body.time.as_ref().map_or(&Number::ZERO, |(time, _)| time);
                let time = When { time: time.clone(), unit: body.unit, cycle: None };
                let what = format!("it breaks off here, and what it says of {time} is left out");
                self.warnings.push(unfinished(&self.tokens, &what));
                return Ok(false);
            }
        }
    }

    fn warnings(&mut self) -> Vec<Diagnostic> {
        std::mem::take(&mut self.warnings)
    }

    fn names(&self) -> &[String] {
        self.body.as_ref().map_or(&[], |body| &body.names)
    }

    fn aliases(&self) -> &[(String, u32)] {
        self.body.as_ref().map_or(&[], |body| &body.aliases)
    }

    fn bits(&self, variable: u32) -> Option<(i64, i64)> {
        let body = self.body.as_ref()?;
        let Signal { kind, width } = body.sampler.signal(variable);
        (kind == SignalKind::Bits).then(|| body.ranges.of(variable, width))
    }

    fn tells_unknown(&self) -> bool {
        self.body.as_ref().is_none_or(|body| body.sampler.unknown() == waves::Unknown::Text)
    }

    fn shortens(&self) -> bool {
        true
    }

    fn only(&mut self, wanted: Vec<bool>) {
        if let Some(body) = &mut self.body {
            body.sampler.only(wanted);
        }
    }

    fn sets(&mut self) -> &mut Vec<(u32, Value)> {
        &mut self.body.as_mut().expect("there is a record, so the declarations were read").sampler.sets
    }

    fn when(&self) -> Option<When> {
        let body = self.body.as_ref()?;
        let time = &body.recorded.0;
        let time = body.zero.as_ref().and_then(|zero| time.add(zero).ok()).unwrap_or_else(|| time.clone());
        Some(When { time, unit: body.unit, cycle: body.sampler.cycle() })
    }

    fn line(&self) -> u64 {
        self.body.as_ref().map_or(1, |body| body.recorded.1)
    }

    fn offset(&self) -> u64 {
        self.tokens.offset()
    }

    fn nothing(&self) -> Diagnostic {
        let nothing = match &self.body {
            Some(body) => body.sampler.nothing(),
            None => Diagnostic::new(Kind::Syntax, "the waveform is empty"),
        };
        nothing.at(Place::line_only(self.tokens.line().max(1)))
    }
}
