//! `--baseline`: violations that are known, so that only new ones fail a check.
//!
//! The file has one violation a line, sorted, to be read in a review: the run, the property, a hash of its formula, and for a property
//! with instances the value. A property whose formula has changed is another one. Mistakes and open questions are never known.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};

use posetta_base::{Diagnostic, Kind, Place, Value as Worth};
use posetta_tell::{Problem, Word, counted};
use serde_json::{Map, Value, json};

use crate::board::{Asked, RunReport, Slot};
use crate::problem::system_error;
use crate::{carets, files, output, paint};

/// The field of the first line, and the version of the lines.
const FIRST: &str = "posetta-baseline";
const VERSION: u64 = 1;
/// Nobody reviews more than this.
const LARGEST: u64 = 256 << 20;
/// So many that no longer occur are told one by one.
const SHOWN: usize = 20;

/// One violation.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Entry {
    run: String,
    property: String,
    formula: String,
    value: Option<Instance>,
}

/// The value of an instance.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Instance {
    Text(String),
    Number(String),
}

impl Entry {
    fn to_json(&self) -> Value {
        let mut own = json!({ "run": self.run, "property": self.property, "formula": self.formula });
        match &self.value {
            None => {}
            Some(Instance::Text(text)) => own["value"] = json!(text),
            Some(Instance::Number(number)) => own["number"] = json!(number),
        }
        own
    }

    fn parse(fields: &Map<String, Value>) -> Option<Self> {
        let text = |name: &str| Some(fields.get(name)?.as_str()?.to_owned());
        let value = match (text("value"), text("number")) {
            (None, None) => None,
            (Some(value), None) => Some(Instance::Text(value)),
            (None, Some(number)) => Some(Instance::Number(number)),
            (Some(_), Some(_)) => return None,
        };
        let is_all = fields.len() == 3 + usize::from(value.is_some());
        let own = Self { run: text("run")?, property: text("property")?, formula: text("formula")?, value };
        is_all.then_some(own)
    }
}

/// What is known, and what has been found of it.
#[derive(Debug)]
pub struct Baseline {
    path: PathBuf,
    updates: bool,
    /// With the lines that they stand on.
    known: BTreeMap<Entry, u64>,
    found: BTreeSet<Entry>,
    /// The runs that are known to violate something, and the properties that were decided on those of them that came by.
    runs: HashSet<String>,
    decided: HashSet<(String, String)>,
    /// The formulas of the properties that were asked, as hashes.
    formulas: HashMap<String, String>,
    /// Where relative names begin.
    here: Option<PathBuf>,
}

impl Baseline {
    /// Reads the file; if it is to be written it need not be there.
    pub fn read(path: &Path, updates: bool) -> Result<Self, Vec<Problem>> {
        let name = path.display().to_string();
        let problem = |diagnostic: Diagnostic| vec![Problem::in_text(&name, diagnostic)];
        let mut text = String::new();
        match File::open(path).and_then(|file| file.take(LARGEST).read_to_string(&mut text)) {
            Ok(_) => {}
            Err(error) if updates && error.kind() == ErrorKind::NotFound => text = first_line(),
            Err(error) => {
                let message = format!("cannot read `{name}`: {}", system_error(&error));
                let diagnostic = Diagnostic::of_input(Kind::Input, message);
                let help = "--update-baseline writes it";
                let diagnostic = if error.kind() == ErrorKind::NotFound { diagnostic.help(help) } else { diagnostic };
                return Err(problem(diagnostic));
            }
        }
        let mut own = Self {
            path: path.to_owned(),
            updates,
            known: BTreeMap::new(),
            found: BTreeSet::new(),
            runs: HashSet::new(),
            decided: HashSet::new(),
            formulas: HashMap::new(),
            here: std::env::current_dir().ok(),
        };
        let mut mistakes = Vec::new();
        for (number, line) in text.lines().enumerate() {
            let place = Place::in_line(number as u64 + 1, line, 0, line.len());
            let fields = match serde_json::from_str(line) {
                Ok(Value::Object(fields)) => fields,
                _ => Map::new(),
            };
            if number == 0 {
                if fields.get(FIRST).and_then(Value::as_u64) != Some(VERSION) {
                    let message = format!("`{name}` is not a baseline that this version reads");
                    let diagnostic = Diagnostic::new(Kind::Format, message).at(place);
                    return Err(problem(diagnostic.label(format!("expected {}", first_line().trim()))));
                }
                continue;
            }
            match Entry::parse(&fields) {
                Some(entry) => {
                    own.runs.insert(entry.run.clone());
                    own.known.insert(entry, number as u64 + 1);
                }
                None if mistakes.len() < SHOWN => mistakes.push(
                    Diagnostic::new(Kind::Syntax, "not a violation")
                        .at(place)
                        .label("expected an object with run, property, formula and perhaps value or number"),
                ),
                None => {}
            }
        }
        if text.is_empty() {
            let message = format!("`{name}` is empty, and not a baseline");
            return Err(problem(Diagnostic::of_input(Kind::Format, message).help("--update-baseline writes one")));
        }
        match mistakes.is_empty() {
            true => Ok(own),
            false => Err(mistakes.into_iter().flat_map(problem).collect()),
        }
    }

    /// Says of each violation of a run whether it is known.
    pub fn judge(&mut self, asked: &Asked, run: &mut RunReport) {
        let name = self.relative(&run.name);
        for (slot, property) in run.slots.iter_mut().zip(asked.properties.iter()) {
            let Slot::Done(outcome) = slot else { continue };
            let hash = || short_hash(&[&property.spelled_logic(), &property.formula]);
            let hash = self.formulas.entry(property.name.clone()).or_insert_with(hash).clone();
            let entry =
                |value| Entry { run: name.clone(), property: property.name.clone(), formula: hash.clone(), value };
            let entries: Vec<Entry> = match (&outcome.instances, outcome.word) {
                (_, Word::Holds | Word::Unknown) => Vec::new(),
                (Some(instances), _) => instances.failing.iter().map(|value| entry(Some(instance(value)))).collect(),
                (None, _) => vec![entry(None)],
            };
            let is_open = outcome.instances.as_ref().is_some_and(|all| all.unknown > 0);
            outcome.known = self.meets(&name, &property.name, outcome.word, is_open, entries);
        }
        if let (Slot::Done(followed), Some(model)) = (&mut run.followed, &asked.model) {
            let entries = match followed.word {
                Word::Holds | Word::Unknown => Vec::new(),
                Word::Violated => {
                    let hash = || short_hash(&["model", &format!("{:?}", model.system)]);
                    let formula = self.formulas.entry(model.name.clone()).or_insert_with(hash).clone();
                    vec![Entry { run: name.clone(), property: model.name.clone(), formula, value: None }]
                }
            };
            followed.known = self.meets(&name, &model.name, followed.word, false, entries);
        }
    }

    fn meets(&mut self, run: &str, property: &str, word: Word, is_open: bool, entries: Vec<Entry>) -> bool {
        if word != Word::Unknown && !is_open && self.runs.contains(run) {
            self.decided.insert((run.to_owned(), property.to_owned()));
        }
        let is_known =
            !entries.is_empty() && entries.iter().all(|entry| self.updates || self.known.contains_key(entry));
        self.found.extend(entries);
        is_known
    }

    /// A run as the file calls it: from here on, with slashes.
    fn relative(&self, name: &str) -> String {
        let path = Path::new(name);
        let inside = self.here.as_deref().and_then(|here| path.strip_prefix(here).ok()).unwrap_or(path);
        let inside = inside.strip_prefix(".").unwrap_or(inside).display().to_string();
        if cfg!(windows) { inside.replace('\\', "/") } else { inside }
    }

    /// Known violations that do not occur, though somebody has looked or there is nothing to look at.
    fn gone(&self) -> impl Iterator<Item = (&Entry, u64, Gone)> {
        self.known.iter().filter(|(entry, _)| !self.found.contains(entry)).filter_map(|(entry, &line)| {
            let is_decided = self.decided.contains(&(entry.run.clone(), entry.property.clone()));
            let is_changed = self.formulas.get(&entry.property).is_some_and(|formula| *formula != entry.formula);
            let gone = match is_decided {
                true if is_changed => Gone::Formula,
                true => Gone::Violation,
                false if is_there(&entry.run) => return None,
                false => Gone::Run,
            };
            Some((entry, line, gone))
        })
    }

    /// Tells what no longer occurs, or writes what was found. Answers with what `--json` says of it; `None` if it could not be written.
    pub fn finish(&self) -> Option<Value> {
        let gone: Vec<(&Entry, u64, Gone)> = self.gone().collect();
        let is_gone: HashSet<&Entry> = gone.iter().map(|(entry, ..)| *entry).collect();
        let new = self.found.iter().filter(|entry| !self.known.contains_key(entry)).count();
        let known = self.found.len() - new;
        let stale: Vec<Value> = gone.iter().map(|(entry, ..)| entry.to_json()).collect();
        let name = self.path.display().to_string();
        if self.updates {
            let kept = self.known.keys().filter(|entry| !is_gone.contains(entry));
            let all: BTreeSet<&Entry> = kept.chain(&self.found).collect();
            let lines: String = all.iter().map(|entry| format!("{}\n", entry.to_json())).collect();
            if let Err(error) = files::write(&self.path, &(first_line() + &lines)) {
                output::note(&format!("error: cannot write `{name}`: {}\n", system_error(&error)));
                return None;
            }
            let all = counted(all.len() as u64, "known violation", "known violations");
            output::remark(&format!("baseline: {all} written to {name}, {new} of them new, {} dropped\n", gone.len()));
        } else {
            for (entry, line, why) in gone.iter().take(SHOWN) {
                output::note(&carets::warning(&name, None, &told(entry, *line, *why), paint::stderr()));
            }
            if gone.len() > SHOWN {
                let more =
                    counted((gone.len() - SHOWN) as u64, "more known violation does", "more known violations do");
                let diagnostic = Diagnostic::new(Kind::Baseline, format!("{more} not occur"));
                output::note(&carets::warning(
                    &name,
                    None,
                    &diagnostic.help("--json has all of them"),
                    paint::stderr(),
                ));
            }
        }
        Some(json!({ "file": name, "known": known, "new": new, "stale": stale, "written": self.updates }))
    }
}

/// Why a known violation does not occur.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Gone {
    /// The property holds.
    Violation,
    /// The property is another one.
    Formula,
    /// There is no such file.
    Run,
}

/// That a known violation does not occur.
fn told(entry: &Entry, line: u64, why: Gone) -> Diagnostic {
    let of = match &entry.value {
        None => String::new(),
        Some(Instance::Text(value) | Instance::Number(value)) => format!(" for {value}"),
    };
    let (property, run) = (&entry.property, &entry.run);
    let message = match why {
        Gone::Violation => format!("`{property}` is not violated{of} on {run} as it is known to be"),
        Gone::Formula => {
            format!("`{property}` has another formula than the one that is known to be violated{of} on {run}")
        }
        Gone::Run => format!("a violation of `{property}` is known on {run}, which is not there"),
    };
    Diagnostic::new(Kind::Baseline, message).at(Place::line_only(line)).help("--update-baseline takes it out")
}

fn first_line() -> String {
    format!("{{\"{FIRST}\":{VERSION}}}\n")
}

fn instance(value: &Worth) -> Instance {
    match value {
        Worth::Text(text) => Instance::Text(text.to_string()),
        Worth::Number(number) => Instance::Number(number.to_string()),
    }
}

/// Whether the file of a run is there.
fn is_there(run: &str) -> bool {
    let mut parts = run.match_indices('#').map(|(at, _)| &run[..at]);
    Path::new(run).exists() || parts.any(|file| Path::new(file).exists())
}

/// Enough of a hash to tell two versions of a property apart.
fn short_hash(parts: &[&str]) -> String {
    let mut hasher = blake3::Hasher::new();
    for part in parts {
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part.as_bytes());
    }
    hasher.finalize().to_hex()[..16].to_owned()
}
