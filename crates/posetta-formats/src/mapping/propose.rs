//! A mapping for records that nobody has described: which field may be the process, the name, the time, a message.
//!
//! A field is guessed by its name and by its values: a process is one of a few, and comes again; a message is on two processes. Each
//! [`Guess`] says what it rests on and how sure it is. What could add an edge that is not there is not switched on by a weak guess: an edge
//! too many makes a property hold that does not, one too few only makes noise.

use std::collections::{BTreeMap, BTreeSet};
use std::io::BufRead;

use super::paths::{Field, Path, Record};
use super::{Found, Mapping, Unit, stamps};
use crate::Format;
use crate::csv::Table;
use crate::documents::Documents;
use crate::states::States;
use crate::suspects::{self, Held, Suspect};
use crate::tree::{Tree, push_quoted};
use posetta_base::{Budget, Error};

/// So many records are looked at, so many fields of them, so deep below each other, and so much of a value.
const RECORDS: usize = 2000;
const FIELDS: usize = 200;
const LEVELS: usize = 4;
const LENGTH: usize = 200;

/// There are so many processes, at most, and so many names of events that send.
const MOST_PROCESSES: usize = 256;
const MOST_ENDS: usize = 8;
/// So many attributes are listed, and so many variables.
const MOST_ATTRIBUTES: usize = 16;
const MOST_VARIABLES: usize = 8;

/// How sure a guess is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Confidence {
    /// The values allow it.
    Low,
    /// The name or the values say so.
    Fair,
    /// The name and the values say so.
    High,
}

impl Confidence {
    /// As a comment has it.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Low => "a weak guess",
            Self::Fair => "a guess",
            Self::High => "quite sure",
        }
    }
}

/// One line of a mapping, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Guess {
    /// The key of the mapping that it is for.
    pub key: &'static str,
    /// What the file has for it: one line or more of TOML.
    pub toml: String,
    /// Why, as a comment.
    pub why: String,
    /// How sure it is.
    pub confidence: Confidence,
    /// Whether it is switched on. If not, it stands in the file as a comment.
    pub active: bool,
}

/// A mapping, guess by guess.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Proposal {
    /// How many records were looked at.
    pub records: usize,
    /// In the order of the file. The first is the process.
    pub guesses: Vec<Guess>,
}

impl Proposal {
    /// The mapping file.
    #[must_use]
    pub fn to_toml(&self) -> String {
        let mut out = String::new();
        for guess in &self.guesses {
            out.push_str(&format!("\n# {} ({})\n", guess.why, guess.confidence.word()));
            for line in guess.toml.lines() {
                out.push_str(if guess.active { "" } else { "# " });
                out.push_str(line);
                out.push('\n');
            }
        }
        out
    }
}

/// Looks at the first records of an input: JSON objects, or for the format CSV the rows of a table. `None` if nothing in them can be a
/// process.
///
/// # Errors
/// When the records cannot be read, or the budget is spent.
pub fn propose(format: Format, mut reader: impl BufRead, budget: &Budget) -> Result<Option<Proposal>, Error> {
    propose_any(format, &mut reader, budget)
}

/// The same of any reader, compiled once and here.
fn propose_any(format: Format, reader: &mut dyn BufRead, budget: &Budget) -> Result<Option<Proposal>, Error> {
    let mut seen = Records::default();
    if format == Format::Csv {
        let mut table = Table::new(reader, false, budget)?;
        while seen.count < RECORDS && table.next_cells()? {
            let cells: Vec<_> = table.cells().collect();
            seen.add(&Record::Row { names: table.names(), cells: &cells });
        }
    } else {
        let (mut documents, mut tree) = (Documents::new(reader, budget)?, Tree::default());
        while seen.count < RECORDS && documents.advance(tree.weight())? {
            let text = documents.text();
            match tree.parse(text) {
                Ok(()) if tree.is_object(0) => seen.add(&Record::Object { text, tree: &tree }),
                Ok(()) => {}
                Err(mistake) => return Err(documents.diagnose(*mistake).into()),
            }
        }
    }
    // Whatever the guesses are, the file must be one.
    Ok(seen.guess().filter(|proposal| Mapping::new(&[&proposal.to_toml()]).is_ok()))
}

/// What the records have under one path.
#[derive(Debug, Default)]
struct Column {
    path: String,
    /// By record: what it holds as text. Objects are their JSON.
    values: Vec<(usize, String)>,
    distinct: BTreeSet<String>,
    /// All values are strings; are numbers; are whole; are vector clocks; are dates. Nothing nested.
    texts: bool,
    numbers: bool,
    whole: bool,
    clocks: bool,
    dates: bool,
    scalar: bool,
}

impl Column {
    fn held(&self) -> Held {
        match (self.numbers, self.whole) {
            (true, true) => Held::Whole,
            (true, false) => Held::Fraction,
            (false, _) => Held::Other,
        }
    }

    /// Whether the last word of its name is one of these; the earlier in the list, the better.
    fn named(&self, words: &[&str]) -> Option<usize> {
        let name = self.path.rsplit(['.', '_', '-', ' ']).next().unwrap_or(&self.path);
        let last = name.trim_start_matches('@').to_lowercase();
        words.iter().position(|word| *word == last)
    }

    /// Whether it has no nested values, and one of these records has it.
    fn is_in(&self, records: &BTreeSet<usize>) -> bool {
        self.scalar && self.values.iter().any(|(at, _)| records.contains(at))
    }

    /// Whether it is one of these fields, or inside of one.
    fn is_among(&self, used: &[&str]) -> bool {
        used.iter().any(|other| {
            self.path.strip_prefix(other).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
        })
    }

    fn depth(&self) -> usize {
        self.path.matches('.').count()
    }

    /// The path as TOML has it.
    fn quoted(&self) -> String {
        quoted(&self.path)
    }
}

fn quoted(text: &str) -> String {
    let mut out = String::new();
    push_quoted(&mut out, text);
    out
}

/// The first records, field by field.
#[derive(Debug, Default)]
struct Records {
    count: usize,
    columns: Vec<Column>,
    places: BTreeMap<String, usize>,
}

/// Words for what a process may be called beside those that are suspected anyway.
const PROCESSES: [&str; 12] =
    ["service", "svc", "server", "worker", "actor", "component", "app", "source", "broker", "peer", "member", "site"];
const TIMES: [&str; 15] = [
    "timestamp",
    "ts",
    "time",
    "at",
    "datetime",
    "date",
    "when",
    "t",
    "ns",
    "nanos",
    "us",
    "micros",
    "ms",
    "millis",
    "epoch",
];
const NAMES: [&str; 13] = [
    "event",
    "name",
    "action",
    "op",
    "operation",
    "activity",
    "msg",
    "message",
    "type",
    "kind",
    "method",
    "text",
    "label",
];
const STATES: [&str; 12] =
    ["state", "status", "role", "phase", "mode", "term", "leader", "epoch", "view", "balance", "value", "count"];
/// What a program says about its own log.
const NOISE: [&str; 8] = ["level", "severity", "logger", "caller", "file", "line", "stack", "lvl"];
const SENDS: [&str; 9] = ["send", "sent", "publish", "produce", "emit", "enqueue", "request", "call", "post"];
const RECEIVES: [&str; 9] = ["recv", "receiv", "consum", "deliver", "dequeue", "got", "handle", "accept", "serve"];

impl Records {
    fn add(&mut self, record: &Record<'_>) {
        let number = self.count;
        self.count += 1;
        let mut paths = Vec::new();
        record.paths(LEVELS, &mut |path| paths.push(path.to_owned()));
        for text in paths {
            if text.chars().any(char::is_control) {
                continue;
            }
            let Ok(path) = Path::new(&text, 0) else { continue };
            let Some(field) = record.find(&path) else { continue };
            let place = match self.places.get(&text) {
                Some(&place) => place,
                None if self.columns.len() == FIELDS => continue,
                None => {
                    let all =
                        Column { path: text.clone(), texts: true, numbers: true, whole: true, ..Column::default() };
                    self.columns.push(Column { clocks: true, dates: true, scalar: true, ..all });
                    self.places.insert(text, self.columns.len() - 1);
                    self.columns.len() - 1
                }
            };
            self.columns[place].note(number, &field);
        }
    }

    /// The best column by a score.
    fn best(&self, score: impl Fn(&Column) -> Option<(Confidence, usize)>) -> Option<(&Column, Confidence)> {
        let scored = self.columns.iter().filter_map(|column| Some((column, score(column)?)));
        let best = scored.max_by_key(|(column, (confidence, points))| {
            (*confidence, *points, std::cmp::Reverse(column.depth()), std::cmp::Reverse(self.places[&column.path]))
        });
        best.map(|(column, (confidence, _))| (column, confidence))
    }

    fn guess(&self) -> Option<Proposal> {
        let mut guesses = Vec::new();
        let (process, confidence) = self.process()?;
        let kept: BTreeSet<usize> = process.values.iter().map(|(at, _)| *at).collect();
        let few = if process.distinct.len() <= 5 { format!(": {}", shown(&process.distinct)) } else { String::new() };
        let count = process.distinct.len();
        let why = format!("the process: {count} different value{}{few}", if count == 1 { "" } else { "s" });
        guesses.push(guess("process", format!("process = {}", process.quoted()), why, confidence));
        if process.values.len() < self.count {
            let without = self.count - process.values.len();
            let why = format!("leaves out records without a process: {without} of the first {}", self.count);
            guesses.push(guess("keep", format!("keep = {}", process.quoted()), why, confidence));
        }
        let mut used = vec![process.path.as_str()];
        if let Some((clock, confidence)) = self.clock(&kept) {
            let toml = format!("clock = {}\norder = \"clock\"", clock.quoted());
            guesses.push(guess("clock", toml, "the vector clock: counts by name".to_owned(), confidence));
            used.push(&clock.path);
        }
        let time = self.time(&used);
        if let Some((time, confidence)) = time {
            let (toml, why) = match unit(time) {
                None => (format!("time = {}", time.quoted()), "when it happened: dates".to_owned()),
                Some((unit, called)) => (
                    format!("time = {}\nunit = \"{unit}\"", time.quoted()),
                    format!("when it happened: numbers, {called} by their size"),
                ),
            };
            guesses.push(guess("time", toml, why, confidence));
            used.push(&time.path);
        }
        let name = self.name(&used);
        if let Some((name, confidence)) = name {
            let why = format!("the name of the event: {} different values", name.distinct.len());
            guesses.push(guess("name", format!("name = {}", name.quoted()), why, confidence));
            used.push(&name.path);
        }
        let message = name.and_then(|(name, _)| self.message(process, name, &used));
        self.variables(&kept, &mut used, &mut guesses);
        self.attributes(&kept, &used, &mut guesses);
        // A table goes last in TOML.
        guesses.extend(message);
        Some(Proposal { records: self.count, guesses })
    }

    fn process(&self) -> Option<(&Column, Confidence)> {
        self.best(|column| {
            let (present, distinct) = (column.values.len(), column.distinct.len());
            if !column.scalar || column.dates || 2 * present < self.count || distinct > MOST_PROCESSES {
                return None;
            }
            let by_name = match suspects::by_name(&column.path, column.held()) {
                Some(Suspect::Process) => 3,
                _ if column.named(&PROCESSES).is_some() && column.held() != Held::Fraction => 2,
                _ => 0,
            };
            let comes_again = distinct >= 2 && 2 * distinct <= present.max(4);
            match (by_name, comes_again) {
                (0, true) if column.texts && distinct <= 16 && !self.is_spoken_for(column) => {
                    Some((Confidence::Low, usize::from(present == self.count)))
                }
                (0, _) => None,
                (points, true) => Some((Confidence::High, points)),
                (points, false) => Some((Confidence::Fair, points)),
            }
        })
    }

    /// Whether the name says that it is something else.
    fn is_spoken_for(&self, column: &Column) -> bool {
        [&NAMES[..], &STATES, &NOISE, &TIMES].iter().any(|words| column.named(words).is_some())
    }

    fn clock(&self, kept: &BTreeSet<usize>) -> Option<(&Column, Confidence)> {
        self.best(|column| {
            // Every event needs one.
            let covers = column.values.iter().filter(|(at, _)| kept.contains(at)).count() == kept.len();
            let fits = column.clocks && covers && suspects::sounds_like_a_clock(&column.path);
            fits.then_some((Confidence::High, 0))
        })
    }

    fn time(&self, used: &[&str]) -> Option<(&Column, Confidence)> {
        self.best(|column| {
            if column.is_among(used) || !column.scalar || 2 * column.values.len() < self.count {
                return None;
            }
            let named = column.named(&TIMES).map(|at| TIMES.len() - at);
            match (column.dates, column.numbers, named) {
                (true, _, Some(points)) => Some((Confidence::High, points)),
                (true, _, None) => Some((Confidence::Fair, 0)),
                (false, true, Some(points)) if self.rises(column) => Some((Confidence::Fair, points)),
                _ => None,
            }
        })
    }

    /// Whether most numbers are at least the one before.
    fn rises(&self, column: &Column) -> bool {
        let numbers: Vec<f64> = column.values.iter().filter_map(|(_, text)| text.parse().ok()).collect();
        let rising = numbers.windows(2).filter(|pair| pair[0] <= pair[1]).count();
        numbers.len() > 1 && 4 * rising >= 3 * (numbers.len() - 1)
    }

    fn name(&self, used: &[&str]) -> Option<(&Column, Confidence)> {
        self.best(|column| {
            let distinct = column.distinct.len();
            let fits = column.scalar && column.texts && !column.dates && distinct >= 2;
            if column.is_among(used) || !fits || 2 * column.values.len() < self.count {
                return None;
            }
            let comes_again = distinct < column.values.len();
            match column.named(&NAMES) {
                Some(at) if comes_again => Some((Confidence::High, NAMES.len() - at)),
                Some(at) => Some((Confidence::Fair, NAMES.len() - at)),
                None if comes_again && distinct <= 64 && column.named(&NOISE).is_none() => {
                    Some((Confidence::Low, usize::from(column.named(&STATES).is_none())))
                }
                None => None,
            }
        })
    }

    /// A field that two processes have the same value of: first one that sends, then one that receives.
    fn message(&self, process: &Column, name: &Column, used: &[&str]) -> Option<Guess> {
        let of: BTreeMap<usize, &str> = process.values.iter().map(|(at, text)| (*at, text.as_str())).collect();
        let named: BTreeMap<usize, &str> = name.values.iter().map(|(at, text)| (*at, text.as_str())).collect();
        let mut best: Option<((Confidence, usize), Guess)> = None;
        for column in self
            .columns
            .iter()
            .filter(|column| column.scalar && !column.dates && column.distinct.len() > 1 && !column.is_among(used))
        {
            let mut by_value: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
            for (at, value) in &column.values {
                if of.contains_key(at) && named.contains_key(at) {
                    by_value.entry(value).or_default().push(*at);
                }
            }
            let (mut sends, mut receives) = (BTreeSet::new(), BTreeSet::new());
            let (mut crosses, mut once) = (0, true);
            for records in by_value.values() {
                let first = records[0];
                let Some(&other) = records.iter().find(|at| of[*at] != of[&first]) else { continue };
                crosses += 1;
                sends.insert(named[&first]);
                receives.insert(named[&other]);
                once &= records.iter().filter(|at| named[*at] == named[&first]).count() == 1;
            }
            let few = sends.len().max(receives.len()) <= MOST_ENDS;
            if crosses == 0 || 2 * crosses < by_value.len() || !sends.is_disjoint(&receives) || !few {
                continue;
            }
            let says = |names: &BTreeSet<&str>, words: &[&str]| {
                names.iter().all(|name| words.iter().any(|word| name.to_lowercase().contains(word)))
            };
            let by_name = suspects::by_name(&column.path, column.held()) == Some(Suspect::Message);
            let by_ends = says(&sends, &SENDS) && says(&receives, &RECEIVES);
            let confidence = match (by_name, by_ends) {
                (true, true) => Confidence::High,
                (false, false) => Confidence::Low,
                _ => Confidence::Fair,
            };
            if best.as_ref().is_some_and(|(known, _)| *known >= (confidence, crosses)) {
                continue;
            }
            let end = |names: &BTreeSet<&str>| {
                let names: Vec<String> = names.iter().map(|name| quoted(name)).collect();
                let names = if let [one] = &names[..] { one.clone() } else { format!("[{}]", names.join(", ")) };
                format!("{{ when = {{ {} = {names} }}, match = [{}] }}", name.quoted(), column.quoted())
            };
            let toml = format!(
                "[[message]]\nsend = {}\nrecv = {}\ndeliver = \"{}\"",
                end(&sends),
                end(&receives),
                if once { "id" } else { "many" }
            );
            let why = format!("a message: {crosses} values of `{}` are on two processes", column.path);
            let guess = Guess { active: confidence > Confidence::Low, ..guess("message", toml, why, confidence) };
            best = Some(((confidence, crosses), guess));
        }
        best.map(|(_, guess)| guess)
    }

    fn variables<'a>(&'a self, kept: &BTreeSet<usize>, used: &mut Vec<&'a str>, guesses: &mut Vec<Guess>) {
        let states = self
            .columns
            .iter()
            .filter(|column| column.is_in(kept) && column.named(&STATES).is_some() && column.distinct.len() <= 64);
        let states: Vec<&Column> = states.filter(|column| !column.is_among(used)).take(MOST_VARIABLES).collect();
        if states.is_empty() {
            return;
        }
        let entry = |column: &&Column| {
            let name = format!("{{process}}.{}", column.path.replace(['{', '}'], "_"));
            format!("{} = {}", quoted(&name), column.quoted())
        };
        let entries: Vec<String> = states.iter().map(entry).collect();
        used.extend(states.iter().map(|column| column.path.as_str()));
        let why = "variables, one for each process: their names sound like states".to_owned();
        guesses.push(guess("set", format!("set = {{ {} }}", entries.join(", ")), why, Confidence::Fair));
    }

    fn attributes(&self, kept: &BTreeSet<usize>, used: &[&str], guesses: &mut Vec<Guess>) {
        let is_free = |column: &&Column| {
            column.is_in(kept) && !column.is_among(used) && column.named(&NOISE).is_none() && !column.path.contains('[')
        };
        let others: Vec<&Column> = self.columns.iter().filter(is_free).take(MOST_ATTRIBUTES).collect();
        if others.is_empty() {
            return;
        }
        let entries: Vec<String> = others.iter().map(|column| format!("{0} = {0}", column.quoted())).collect();
        let why = "attributes: what else the records say, for event(NAME, FIELD == VALUE)".to_owned();
        guesses.push(guess("attrs", format!("attrs = {{ {} }}", entries.join(", ")), why, Confidence::High));
    }
}

impl Column {
    fn note(&mut self, record: usize, field: &Field<'_>) {
        let text = field.text();
        self.scalar &= text.is_some();
        self.texts &= field.noun() == "string" && field.number().is_none();
        let number = field.number();
        self.numbers &= number.is_some();
        self.whole &= number.as_ref().is_some_and(|n| n.as_i64().is_some());
        let json = if text.is_none() || self.clocks { Some(field.json()) } else { None };
        self.clocks &= json.as_ref().is_some_and(|json| suspects::is_clock(json));
        let written = text.or(json).unwrap_or_default();
        self.dates &= number.is_none() && stamps::time(&Found::Constant(&written), Unit::Seconds).is_some();
        let short: String = written.chars().take(LENGTH).collect();
        self.distinct.insert(short.clone());
        self.values.push((record, short));
    }
}

fn guess(key: &'static str, toml: String, why: String, confidence: Confidence) -> Guess {
    Guess { key, toml, why, confidence, active: true }
}

/// Values in a row, without what could end the line.
fn shown(values: &BTreeSet<String>) -> String {
    let clean =
        |value: &String| value.chars().map(|c| if c.is_control() { ' ' } else { c }).take(24).collect::<String>();
    values.iter().map(clean).collect::<Vec<_>>().join(", ")
}

/// The unit of times that are numbers, by their names and their sizes, and what it is called; `None` for dates.
fn unit(column: &Column) -> Option<(&'static str, &'static str)> {
    const UNITS: [(&str, &str); 4] =
        [("s", "seconds"), ("ms", "milliseconds"), ("us", "microseconds"), ("ns", "nanoseconds")];
    if column.dates {
        return None;
    }
    if let Some(at) = column.named(&["ms", "millis", "us", "micros", "ns", "nanos"]) {
        return Some(UNITS[at / 2 + 1]);
    }
    let largest = column.values.iter().filter_map(|(_, text)| text.parse::<f64>().ok()).fold(0.0, f64::max);
    // Seconds since 1970 have ten digits in this century.
    Some(match largest {
        n if n < 1e11 => UNITS[0],
        n if n < 1e14 => UNITS[1],
        n if n < 1e17 => UNITS[2],
        _ => UNITS[3],
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn toml(format: Format, input: &str) -> String {
        let found = propose(format, input.as_bytes(), &Budget::unlimited()).expect("records");
        found.map_or_else(|| "nothing".to_owned(), |proposal| proposal.to_toml())
    }

    /// The lines that are switched on.
    fn lines(format: Format, input: &str) -> Vec<String> {
        toml(format, input).lines().filter(|l| !l.starts_with('#') && !l.is_empty()).map(str::to_owned).collect()
    }

    const SHOP: &str = r#"{"at":"2024-04-05T10:00:00.000Z","svc":"shop","msg":"order accepted","order":{"id":17,"state":"accepted"}}
{"at":"2024-04-05T10:00:00.002Z","svc":"shop","msg":"published","key":17}
{"at":"2024-04-05T10:00:00.009Z","svc":"store","msg":"consumed","key":17}
{"at":"2024-04-05T10:00:01.000Z","svc":"shop","msg":"published","key":18}
{"at":"2024-04-05T10:00:01.009Z","svc":"store","msg":"consumed","key":18}
{"at":"2024-04-05T10:00:01.031Z","level":"debug","text":"queue is empty"}
"#;

    #[test]
    fn names_and_values_tell() {
        assert_eq!(
            toml(Format::JsonLines, SHOP),
            r#"
# the process: 2 different values: shop, store (quite sure)
process = "svc"

# leaves out records without a process: 1 of the first 6 (quite sure)
keep = "svc"

# when it happened: dates (quite sure)
time = "at"

# the name of the event: 3 different values (quite sure)
name = "msg"

# variables, one for each process: their names sound like states (a guess)
set = { "{process}.order.state" = "order.state" }

# attributes: what else the records say, for event(NAME, FIELD == VALUE) (quite sure)
attrs = { "order.id" = "order.id", "key" = "key" }

# a message: 2 values of `key` are on two processes (a guess)
[[message]]
send = { when = { "msg" = "published" }, match = ["key"] }
recv = { when = { "msg" = "consumed" }, match = ["key"] }
deliver = "id"
"#
        );
        assert_eq!(
            lines(Format::Csv, "node,event,ms\na,start,1712311200000\nb,start,1712311200001\na,stop,1712311200002\n")
                [..4],
            ["process = \"node\"", "time = \"ms\"", "unit = \"ms\"", "name = \"event\""]
        );
    }

    #[test]
    fn a_weak_guess_adds_no_edge() {
        let log = "{\"node\":\"a\",\"event\":\"x\",\"k\":1}\n{\"node\":\"b\",\"event\":\"y\",\"k\":1}\n\
                   {\"node\":\"a\",\"event\":\"x\",\"k\":2}\n{\"node\":\"b\",\"event\":\"y\",\"k\":2}\n";
        assert!(lines(Format::JsonLines, log).iter().all(|line| !line.contains("message")));
        assert!(toml(Format::JsonLines, log).contains("# [[message]]"), "{}", toml(Format::JsonLines, log));
    }

    #[test]
    fn clocks_are_found_and_states_are_no_events() {
        let log =
            "{\"host\":\"a\",\"vc\":{\"a\":1},\"op\":\"x\"}\n{\"host\":\"b\",\"vc\":{\"a\":1,\"b\":1},\"op\":\"y\"}\n";
        let found = lines(Format::JsonLines, log);
        assert!(found.contains(&"clock = \"vc\"".to_owned()), "{found:?}");
        assert!(found.iter().all(|line| !line.contains("vc.a")), "{found:?}");
        // A record without a process needs none.
        let headed = format!("{{\"N\":5}}\n{log}");
        assert!(lines(Format::JsonLines, &headed).contains(&"clock = \"vc\"".to_owned()));
        assert_eq!(toml(Format::JsonLines, "{\"temp\":19.5}\n{\"temp\":20.1}\n"), "nothing");
        assert_eq!(toml(Format::JsonLines, "{}\n"), "nothing");
    }

    #[test]
    fn odd_names_are_quoted() {
        let log = "{\"no\\\"de\":\"a\",\"node\":\"a b\",\"event\":\"\\\"\\\\\",\"x\\u0000\":1}\n".repeat(3);
        let text = toml(Format::JsonLines, &log);
        assert!(text.contains("process = \"node\"") && !text.contains('\0'), "{text}");
    }

    proptest! {
            #[test]
            fn no_bytes_panic_and_no_names_break_the_file(
                bytes in any::<Vec<u8>>(),
                name in "\\PC{0,6}",
                values in prop::collection::vec("[a-z*?\"\\\\{}\\[\\].' \t]{0,4}", 1..6),
            ) {
                for format in [Format::JsonLines, Format::Csv] {
                    let _ = propose(format, &bytes[..], &Budget::unlimited());
                }
                let mut quoted_name = String::new();
                push_quoted(&mut quoted_name, &name);
                let lines = values.iter().enumerate().map(|(i, value)| {
                    let value = quoted(value);
                    format!("{{\"node\":{value},\"event\":{value},{quoted_name}:{i},\"msgid\":{}}}\n", i / 2)
                });
    // A file that would not read as a mapping is not proposed.
                let lines: String = lines.collect();
                let found = propose(Format::JsonLines, lines.as_bytes(), &Budget::unlimited());
                prop_assert!(matches!(found, Ok(Some(_))), "{lines}");
            }
        }
}
