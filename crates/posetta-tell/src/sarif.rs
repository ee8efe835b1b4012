//! A report as SARIF 2.1.0, for programs that show findings beside the lines that they are about.
//!
//! A result is a property that is violated on a run: it stands at the event where that shows, in the file of the run, with the events
//! that could be exchanged, the edges that are missing and the property itself as related places, and with the order as a code flow.
//! Properties are the rules. What is unknown and what is wrong with the inputs are notifications of the execution, which then was not
//! successful; what holds is counted.

use std::collections::HashMap;

use posetta_base::Kind;
use posetta_logic::Severity;
use serde_json::{Value, json};

use crate::markdown;
use crate::paint::{Paint, clean};
use crate::pointers::{Pointers, called, shows};
use crate::report::{Answer, Block, Remark, Report, Subject, Title, Written};
use crate::story::{EventRow, Moved};
use crate::text;
use crate::word::Word;

/// What the form of this document is.
const SCHEMA: &str = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";
/// What an open question is called among the notifications.
const UNKNOWN: &str = "unknown";

/// The whole document. `paint` says how wide the pictures in it are.
#[must_use]
pub fn document(report: &Report<'_>, paint: Paint) -> String {
    let paint = Paint { colours: false, quiet: false, ..paint };
    let rules = Rules::of(report);
    // Results may be many, and as text they take the least room.
    let (mut results, mut notifications): (Vec<String>, Vec<Value>) = (Vec::new(), Vec::new());
    let mut counts = [0_u64; 3];
    for subject in &report.subjects {
        for answer in &subject.answers {
            let rule = rules.place(subject, answer);
            match answer.word {
                Word::Holds => counts[0] += 1,
                Word::Violated => {
                    counts[1] += 1;
                    results.push(result(subject, answer, &rules.all[rule], rule, paint).to_string());
                }
                Word::Unknown => {
                    counts[2] += 1;
                    notifications.push(open(subject, answer, &rules.all[rule], rule));
                }
            }
        }
    }
    notifications.extend(report.stopped.map(|over| notification(UNKNOWN, "error", &text::open(over), Vec::new())));
    notifications.extend(report.remarks.iter().map(remarked));
    let successful = !notifications.iter().any(|one| one["level"] == "error");
    let [holds, violated, unknown] = counts;
    let driver = json!({
        "name": "Posetta",
        "version": env!("CARGO_PKG_VERSION"),
        "semanticVersion": env!("CARGO_PKG_VERSION"),
        "rules": rules.all.iter().map(Rule::to_json).collect::<Vec<_>>(),
        "notifications": descriptors(&notifications),
    });
    let run = json!({
        "tool": { "driver": driver },
        "invocations": [{ "executionSuccessful": successful, "toolExecutionNotifications": notifications }],
        "columnKind": "unicodeCodePoints",
        "properties": { "holds": holds, "violated": violated, "unknown": unknown },
    });
    // One result a line.
    let run = run.to_string();
    let open = run.strip_suffix('}').unwrap_or(&run);
    format!(
        "{{\"$schema\":\"{SCHEMA}\",\"version\":\"2.1.0\",\"runs\":[{open},\"results\":[\n{}\n]}}]}}\n",
        results.join(",\n")
    )
}

/// A property, as the format calls it.
struct Rule {
    id: String,
    formula: Option<[String; 2]>,
    written: Option<Written>,
}

impl Rule {
    fn to_json(&self) -> Value {
        let mut rule = json!({ "id": self.id, "shortDescription": { "text": self.id } });
        if let Some([logic, formula]) = &self.formula {
            rule["fullDescription"] = json!({ "text": clean(&format!("{logic} {formula}")) });
        }
        rule
    }
}

/// All properties, each once, in the order in which they come up.
struct Rules {
    all: Vec<Rule>,
    /// By the name and where it is written.
    places: HashMap<(String, Option<Written>), usize>,
}

impl Rules {
    fn of(report: &Report<'_>) -> Self {
        let mut rules = Self { all: Vec::new(), places: HashMap::new() };
        let mut names: HashMap<String, usize> = HashMap::new();
        for subject in &report.subjects {
            for answer in &subject.answers {
                let key = key(subject, answer);
                if let Some(&at) = rules.places.get(&key) {
                    // Where it holds, its formula is not told.
                    let rule = &mut rules.all[at];
                    rule.formula = rule.formula.take().or_else(|| answer.formula.clone());
                    continue;
                }
                // Two without a name may be the same formula.
                let nth = names.entry(key.0.clone()).and_modify(|n| *n += 1).or_insert(1);
                let id = if *nth > 1 { format!("{} ({nth})", key.0) } else { key.0.clone() };
                let id = clean(&id).into_owned();
                rules.all.push(Rule { id, formula: answer.formula.clone(), written: answer.written.clone() });
                rules.places.insert(key, rules.all.len() - 1);
            }
        }
        rules
    }

    fn place(&self, subject: &Subject<'_>, answer: &Answer<'_>) -> usize {
        self.places.get(&key(subject, answer)).copied().unwrap_or(0)
    }
}

/// What tells properties apart: on every run a property is the same.
fn key(subject: &Subject<'_>, answer: &Answer<'_>) -> (String, Option<Written>) {
    let name = if answer.name.is_empty() { subject.title.text() } else { answer.name.clone() };
    (name, answer.written.clone())
}

fn result(subject: &Subject<'_>, answer: &Answer<'_>, rule: &Rule, index: usize, paint: Paint) -> Value {
    let pointers = Pointers::of(answer);
    let what = said(subject, answer);
    let evidence = text::evidence(subject, answer, paint);
    let main = location(subject, shows(subject, answer).as_ref());
    let mut related: Vec<Value> = Vec::new();
    let mut relate = |written: &Written, text: String| {
        let mut place = location(subject, Some(written));
        place["id"] = json!(related.len() + 1);
        place["message"] = message(&text);
        related.push(place);
    };
    for event in &pointers.swapped {
        relate(&event.written, format!("one of the two events whose exchange makes it fail: {}", called(event)));
    }
    for [from, to] in &pointers.wanted {
        let edge = format!("an edge from {} to {} would rule it out", called(from), called(to));
        relate(&from.written, format!("{edge}: from here"));
        relate(&to.written, format!("{edge}: to here"));
    }
    if let Some(written) = &rule.written {
        relate(written, format!("the property {}", rule.id));
    }
    let fingerprint = fingerprint(&[&subject.title.text(), &rule.id, &rule.formula.as_ref().map_or("", |f| &f[1])]);
    let mut result = json!({
        "ruleId": rule.id,
        "ruleIndex": index,
        "kind": "fail",
        "level": level(answer),
        "message": {
            "text": clean_lines(&what),
            "markdown": format!("{}\n\n{}", markdown::escaped(&what), markdown::fenced(&evidence)),
        },
        "locations": [main],
        "partialFingerprints": {
            "posetta/v1": fingerprint,
            // Code scanning of GitHub looks for this one, and would need the file of the run for its own.
            "primaryLocationLineHash": format!("{fingerprint}:1"),
        },
    });
    if answer.known {
        result["level"] = json!("note");
        result["baselineState"] = json!("unchanged");
    }
    if !related.is_empty() {
        result["relatedLocations"] = related.into();
    }
    if !pointers.steps.is_empty() {
        let steps: Vec<Value> = pointers.steps.iter().map(|event| step(subject, event, pointers.fails)).collect();
        result["codeFlows"] = json!([{ "threadFlows": [{ "locations": steps }] }]);
    }
    result
}

/// How bad it is: what the author of the property says, else a mistake.
fn level(answer: &Answer<'_>) -> &'static str {
    match answer.remark.as_ref().and_then(|said| said.severity) {
        Some(Severity::Note) => "note",
        Some(Severity::Warning) => "warning",
        Some(Severity::Error | Severity::Failure) | None => "error",
    }
}

/// An event of the order that fails.
fn step(subject: &Subject<'_>, event: &EventRow, fails: Option<&EventRow>) -> Value {
    let mut place = location(subject, Some(&event.written));
    let note = event.note.as_ref().map_or(String::new(), |note| format!(": {note}"));
    place["message"] = message(&format!("{}{note}", called(event)));
    let is_essential = event.moved == Some(Moved::Swapped) || fails == Some(event);
    json!({
        "location": place,
        "executionOrder": event.number,
        "importance": if is_essential { "essential" } else { "important" },
    })
}

/// An answer in a sentence, and why it is so.
pub(crate) fn said(subject: &Subject<'_>, answer: &Answer<'_>) -> String {
    let name = match answer.name.as_str() {
        "" => subject.title.text(),
        name => name.to_owned(),
    };
    let why = answer.blocks.iter().find_map(|block| match block {
        Block::Words(words) => Some(words.text.replace('\u{a0}', " ")),
        _ => None,
    });
    let why = why.map_or(String::new(), |why| format!(". {why}"));
    let remark = answer.remark.as_ref().map_or(String::new(), |said| format!(" ({})", clean(&said.text())));
    format!("{}: {}{remark}{why}", clean(&name), clean(&answer.sentence))
}

/// A question that a limit left open.
fn open(subject: &Subject<'_>, answer: &Answer<'_>, rule: &Rule, index: usize) -> Value {
    let mut told = notification(UNKNOWN, "error", &said(subject, answer), vec![location(subject, None)]);
    told["associatedRule"] = json!({ "id": rule.id, "index": index });
    told
}

/// A warning or a mistake.
fn remarked(remark: &Remark) -> Value {
    let written = remark.problem.written();
    let places = written.map(|written| json!({ "physicalLocation": physical(&written) }));
    let diagnostic = &remark.problem.diagnostic;
    let help = diagnostic.help.as_ref().map_or(String::new(), |help| format!(" ({help})"));
    let level = if remark.is_error { "error" } else { "warning" };
    let text = format!("{}{help}", diagnostic.message);
    notification(diagnostic.kind.word(), level, &text, places.into_iter().collect())
}

fn notification(id: &str, level: &str, text: &str, locations: Vec<Value>) -> Value {
    let mut told = json!({ "descriptor": { "id": id }, "level": level, "message": message(text) });
    if !locations.is_empty() {
        told["locations"] = locations.into();
    }
    told
}

/// What notifications are called.
fn descriptors(notifications: &[Value]) -> Vec<Value> {
    let mut ids: Vec<&str> = notifications.iter().filter_map(|one| one["descriptor"]["id"].as_str()).collect();
    ids.sort_unstable();
    ids.dedup();
    let about = |id: &str| match id {
        UNKNOWN => "A limit was reached before the answer was known.".to_owned(),
        id if id == Kind::Input.word() => "Something is wrong with an input.".to_owned(),
        id => format!("A warning or mistake of the kind {id}."),
    };
    ids.into_iter().map(|id| json!({ "id": id, "shortDescription": { "text": about(id) } })).collect()
}

/// A place in the file of a run or model, which is named besides: a file may have many runs.
fn location(subject: &Subject<'_>, written: Option<&Written>) -> Value {
    let own = Written { file: subject.file.clone(), line: 0, column: None };
    let mut written = written.cloned().unwrap_or_else(|| own.clone());
    written.file = written.file.or(own.file);
    let mut place = json!({});
    if written.file.is_some() {
        place["physicalLocation"] = physical(&written);
    }
    let title = subject.title.text();
    let kind = if matches!(subject.title, Title::Question(..)) { "question" } else { "run" };
    if subject.file.as_ref() != Some(&title) {
        place["logicalLocations"] = json!([{ "fullyQualifiedName": clean(&title), "kind": kind }]);
    }
    place
}

fn physical(written: &Written) -> Value {
    let mut place = json!({ "artifactLocation": { "uri": uri(written.file.as_deref().unwrap_or_default()) } });
    if written.line > 0 {
        place["region"] = json!({ "startLine": written.line });
        if let Some(column) = written.column.filter(|&column| column > 0) {
            place["region"]["startColumn"] = column.into();
        }
    }
    place
}

fn message(text: &str) -> Value {
    json!({ "text": clean_lines(text) })
}

/// Text whose lines stay, and nothing else that could redraw a terminal.
fn clean_lines(text: &str) -> String {
    text.lines().map(clean).collect::<Vec<_>>().join("\n")
}

/// A path as a URI: relative as it is, else with its scheme. What is not a letter, a digit or one of a few signs is escaped, the colon
/// too: before the first slash it would end a scheme.
fn uri(path: &str) -> String {
    let mut out = if path.starts_with('/') { "file://".to_owned() } else { String::new() };
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => out.push(char::from(byte)),
            byte => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}

/// Stays as it is as long as the property and the run are called the same, whatever else changes: lines do not count. FNV-1a, with a
/// byte between the parts that no text has.
fn fingerprint(parts: &[&dyn AsRef<str>]) -> String {
    let bytes = parts.iter().flat_map(|part| part.as_ref().bytes().chain([0xff]));
    let hash = bytes
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3));
    format!("{hash:016x}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_become_uris() {
        for (path, written) in [
            ("runs/a.jsonl", "runs/a.jsonl"),
            ("a b#c?.log", "a%20b%23c%3F.log"),
            ("http:x", "http%3Ax"),
            ("/tmp/ü%", "file:///tmp/%C3%BC%25"),
            ("../a", "../a"),
        ] {
            assert_eq!(uri(path), written);
        }
    }

    #[test]
    fn fingerprints_tell_parts_apart() {
        assert_eq!(fingerprint(&[&"a", &"b"]), fingerprint(&[&"a", &"b"]));
        assert_ne!(fingerprint(&[&"ab", &""]), fingerprint(&[&"a", &"b"]));
        // FNV-1a of nothing but the byte between parts, by the published numbers.
        assert_eq!(fingerprint(&[]), "cbf29ce484222325");
    }
}
