//! A report as JUnit's XML, for the test pages of build servers.
//!
//! There is no one definition of this format. What is written here fits the schema of the Jenkins plugin xUnit (`junit-10.xsd`), and
//! what GitLab and others read. A suite is a file of runs, or another subject; a case is a property on a run, whose class is the run.
//! What is violated is a failure. What is unknown is an error, and so is a mistake: neither may pass.

use std::collections::HashMap;
use std::fmt::Write;

use crate::paint::Paint;
use crate::report::{Answer, Remark, Report, Subject, Title};
use crate::text;
use crate::word::Word;
use crate::xml;

/// The suite of what belongs to no subject.
const GENERAL: &str = "posetta";
/// The case of a mistake that is not about one property.
const INPUT: &str = "input";

/// One test, as the format calls it.
struct Case {
    class: String,
    name: String,
    seconds: Option<f64>,
    outcome: Outcome,
    out: String,
}

enum Outcome {
    Passes,
    /// It fails, and somebody has said that this is known.
    Skipped(String),
    /// What it is called, what is said in a line, and all of it.
    Fails(String, String, String),
    Errs(String, String, String),
}

/// Tests of one file.
struct Suite {
    name: String,
    file: Option<String>,
    cases: Vec<Case>,
    out: String,
}

impl Suite {
    /// How many cases, failures and errors there are.
    fn counts(&self) -> [usize; 3] {
        let of = |is: fn(&Outcome) -> bool| self.cases.iter().filter(|case| is(&case.outcome)).count();
        [
            self.cases.len(),
            of(|outcome| matches!(outcome, Outcome::Fails(..))),
            of(|outcome| matches!(outcome, Outcome::Errs(..))),
        ]
    }

    fn seconds(&self) -> f64 {
        self.cases.iter().filter_map(|case| case.seconds).sum()
    }
}

/// The whole document. `paint` says how wide the texts in it are.
#[must_use]
pub fn document(report: &Report<'_>, paint: Paint) -> String {
    let paint = Paint { colours: false, quiet: false, ..paint };
    let suites = suites(report, paint);
    let mut out = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n".to_owned();
    let sum = |at: usize| suites.iter().map(|suite| suite.counts()[at]).sum::<usize>();
    let seconds = suites.iter().map(Suite::seconds).sum();
    let (tests, failures, errors, time) = (sum(0), sum(1), sum(2), time(seconds));
    let counts = format!("tests=\"{tests}\" failures=\"{failures}\" errors=\"{errors}\" time=\"{time}\"");
    let _ = writeln!(out, "<testsuites name=\"{GENERAL}\" {counts}>");
    suites.iter().for_each(|one| suite(&mut out, one));
    out.push_str("</testsuites>\n");
    out
}

/// Suites in the order in which they come up, found by their names.
#[derive(Default)]
struct Suites {
    all: Vec<Suite>,
    places: HashMap<String, usize>,
}

impl Suites {
    fn of(&mut self, name: &str, file: Option<&String>) -> &mut Suite {
        let at = *self.places.entry(name.to_owned()).or_insert_with(|| {
            let (name, file) = (name.to_owned(), file.cloned());
            self.all.push(Suite { name, file, cases: Vec::new(), out: String::new() });
            self.all.len() - 1
        });
        &mut self.all[at]
    }
}

/// The suites in the order of the report, those of what belongs to no subject last.
fn suites(report: &Report<'_>, paint: Paint) -> Vec<Suite> {
    let mut suites = Suites::default();
    let mut files: HashMap<String, &String> = HashMap::new();
    for subject in &report.subjects {
        let title = subject.title.text();
        let suite = suites.of(subject.file.as_ref().unwrap_or(&title), subject.file.as_ref());
        let rest = text::rest(subject, paint);
        if !rest.is_empty() {
            let _ = writeln!(suite.out, "{rest}");
        }
        suite.cases.extend(subject.answers.iter().map(|answer| case_of(subject, answer, &title, paint)));
        files.extend(subject.file.as_ref().map(|file| (title, file)));
    }
    for remark in &report.remarks {
        let file = remark.problem.written().and_then(|written| written.file);
        let run = remark.problem.trace.as_ref();
        let of_run = run.and_then(|run| files.get(run).copied());
        let name = of_run.or(run).or(file.as_ref()).map_or(GENERAL, String::as_str);
        let suite = suites.of(name, of_run.or(file.as_ref()));
        if remark.is_error {
            let case = mistake(remark, suite);
            suite.cases.push(case);
        } else {
            let _ = writeln!(suite.out, "{}", remark.drawn.trim_end());
        }
    }
    if let Some(over) = report.stopped {
        let said = text::open(over);
        let outcome = Outcome::Errs(Word::Unknown.text().to_owned(), said.clone(), said);
        let (class, name) = (GENERAL.to_owned(), INPUT.to_owned());
        let case = Case { class, name, seconds: None, outcome, out: String::new() };
        suites.of(GENERAL, None).cases.push(case);
    }
    suites.all
}

/// A property on a run.
fn case_of(subject: &Subject<'_>, answer: &Answer<'_>, title: &str, paint: Paint) -> Case {
    let name = if answer.name.is_empty() { title.to_owned() } else { answer.name.clone() };
    let evidence = text::evidence(subject, answer, paint);
    // A question is no name of a run.
    let run = subject.file.as_deref().filter(|_| matches!(subject.title, Title::Question(..))).unwrap_or(title);
    let (class, seconds) = (class(run), answer.seconds);
    if answer.word == Word::Holds {
        return Case { class, name, seconds, outcome: Outcome::Passes, out: evidence };
    }
    if answer.known {
        return Case { class, name, seconds, outcome: Outcome::Skipped(answer.sentence.clone()), out: evidence };
    }
    let said = answer.remark.as_ref().map_or(String::new(), |said| format!(" ({})", said.text()));
    let (kind, message) = (answer.word.text().to_owned(), format!("{}{said}", answer.sentence));
    let gap = if evidence.is_empty() { "" } else { "\n\n" };
    let text = format!("{message}{gap}{evidence}");
    let outcome = match answer.word {
        Word::Violated => Outcome::Fails(kind, message, text),
        _ => Outcome::Errs(kind, message, text),
    };
    Case { class, name, seconds, outcome, out: String::new() }
}

/// A mistake as a test that could not be made. Of several about one thing each has a name of its own.
fn mistake(remark: &Remark, suite: &Suite) -> Case {
    let problem = &remark.problem;
    let class = class(problem.trace.as_deref().unwrap_or(&suite.name));
    let name = problem.property.as_deref().unwrap_or(INPUT);
    let is_taken = |name: &str| suite.cases.iter().any(|case| case.class == class && case.name == name);
    let mut own = name.to_owned();
    let mut number = 1;
    while is_taken(&own) {
        number += 1;
        own = format!("{name} ({number})");
    }
    let kind = problem.diagnostic.kind.word().to_owned();
    let outcome = Outcome::Errs(kind, problem.diagnostic.message.clone(), remark.drawn.trim_end().to_owned());
    Case { class, name: own, seconds: None, outcome, out: String::new() }
}

/// The name of a run as that of a class: build servers take what stands before the last point for its package.
fn class(run: &str) -> String {
    run.chars().map(|c| if c == '.' { '_' } else { c }).map(|c| if c == '/' { '.' } else { c }).collect()
}

/// Three digits are what the schema allows, and no sign: a sum of nothing is -0.
fn time(seconds: f64) -> String {
    format!("{:.3}", seconds.max(0.0) + 0.0)
}

fn suite(out: &mut String, suite: &Suite) {
    let [tests, failures, errors] = suite.counts();
    let _ = write!(
        out,
        "  <testsuite name=\"{}\" tests=\"{tests}\" failures=\"{failures}\" errors=\"{errors}\" time=\"{}\"",
        attribute(&suite.name),
        time(suite.seconds())
    );
    if let Some(file) = &suite.file {
        let _ = write!(out, " file=\"{}\"", attribute(file));
    }
    out.push_str(">\n");
    suite.cases.iter().for_each(|one| case(out, one));
    if !suite.out.is_empty() {
        let _ = writeln!(out, "    <system-out>{}</system-out>", content(&suite.out));
    }
    out.push_str("  </testsuite>\n");
}

fn case(out: &mut String, case: &Case) {
    let _ = write!(out, "    <testcase classname=\"{}\" name=\"{}\"", attribute(&case.class), attribute(&case.name));
    if let Some(seconds) = case.seconds {
        let _ = write!(out, " time=\"{}\"", time(seconds));
    }
    let told = match &case.outcome {
        Outcome::Passes | Outcome::Skipped(_) => None,
        Outcome::Fails(kind, message, text) => Some(("failure", kind, message, text)),
        Outcome::Errs(kind, message, text) => Some(("error", kind, message, text)),
    };
    let skipped = match &case.outcome {
        Outcome::Skipped(message) => Some(message),
        _ => None,
    };
    if told.is_none() && skipped.is_none() && case.out.is_empty() {
        out.push_str("/>\n");
        return;
    }
    out.push_str(">\n");
    if let Some(message) = skipped {
        let _ = writeln!(out, "      <skipped message=\"{}\"/>", attribute(message));
    }
    if let Some((element, kind, message, text)) = told {
        let (kind, message) = (attribute(kind), attribute(message));
        let _ = writeln!(out, "      <{element} type=\"{kind}\" message=\"{message}\">{}</{element}>", content(text));
    }
    if !case.out.is_empty() {
        let _ = writeln!(out, "      <system-out>{}</system-out>", content(&case.out));
    }
    out.push_str("    </testcase>\n");
}

/// One line between double quotes.
fn attribute(text: &str) -> String {
    xml::text(text)
}

/// Lines between tags.
fn content(text: &str) -> String {
    let lines: Vec<String> = text.lines().map(xml::text).collect();
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_breaks_out() {
        for (text, written) in [
            ("a ]]> b", "a ]]&gt; b"),
            ("<x a=\"1\">&", "&lt;x a=&quot;1&quot;&gt;&amp;"),
            ("\0\u{1b}[2J\u{ffff}\u{202e}", "\\u0000\\u001b[2J\\uffff\\u202e"),
            ("a\nb", "a\\nb"),
        ] {
            assert_eq!(attribute(text), written);
        }
        assert_eq!(content("a <\n\tb"), "a &lt;\n\\tb");
        assert_eq!(class("a/b.c/run.jsonl#x"), "a.b_c.run_jsonl#x");
    }

    #[test]
    fn what_is_unknown_does_not_pass() {
        let mut subject = Subject::new(Title::Name("a.trace".to_owned()), Vec::new());
        for word in [Word::Holds, Word::Violated, Word::Unknown] {
            subject.answers.push(Answer::new(word.text(), word, word.text()));
        }
        let report = Report { subjects: vec![subject], ..Report::default() };
        let document = document(&report, Paint::plain());
        assert!(document.contains("tests=\"3\" failures=\"1\" errors=\"1\""), "{document}");
    }
}
