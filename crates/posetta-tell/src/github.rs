//! A report as commands to a workflow of GitHub, which shows them beside the lines of files.
//!
//! A step shows ten errors and ten warnings. Of more the first nine are printed, and one that says how many there are.

use posetta_logic::Severity;

use crate::amounts::counted;
use crate::paint::clean;
use crate::pointers::shows;
use crate::report::{Report, Written};
use crate::sarif::said;
use crate::text;
use crate::word::Word;

/// So many of each level are shown.
const SHOWN: usize = 10;

/// One line for the workflow.
struct Command {
    level: &'static str,
    title: String,
    place: Option<(String, u64, Option<u64>)>,
    text: String,
}

impl Command {
    fn line(&self) -> String {
        let mut properties = Vec::new();
        if let Some((file, line, column)) = &self.place {
            properties.push(format!("file={}", property(&clean(file))));
            if *line > 0 {
                properties.push(format!("line={line}"));
                properties.extend(column.map(|column| format!("col={column}")));
            }
        }
        properties.push(format!("title={}", property(&clean(&self.title))));
        format!("::{} {}::{}\n", self.level, properties.join(","), data(&self.text))
    }
}

/// What is violated and unknown, and all mistakes, as errors; warnings as warnings. `folder` is where paths begin, seen from the
/// repository, with a slash at its end; nothing for its root.
#[must_use]
pub fn annotations(report: &Report<'_>, folder: &str) -> String {
    let from_root = |file: &str| match file.starts_with('/') {
        true => file.to_owned(),
        false => format!("{folder}{}", file.trim_start_matches("./")),
    };
    let place = |written: &Written, own: Option<&String>| {
        let file = written.file.as_ref().or(own)?;
        Some((from_root(file), written.line, written.column))
    };
    let (mut errors, mut warnings) = (Vec::new(), Vec::new());
    for subject in &report.subjects {
        for answer in subject.answers.iter().filter(|answer| answer.word != Word::Holds) {
            let run = subject.title.text();
            let name = if answer.name.is_empty() { &run } else { &answer.name };
            let on = if answer.name.is_empty() { String::new() } else { format!("\non {}", clean(&run)) };
            let written = shows(subject, answer).unwrap_or_default();
            let severity = answer.remark.as_ref().and_then(|said| said.severity);
            let (level, told) = match (answer.known, severity) {
                (false, Some(Severity::Note)) => ("notice", &mut warnings),
                (true, _) | (false, Some(Severity::Warning)) => ("warning", &mut warnings),
                (false, _) => ("error", &mut errors),
            };
            told.push(Command {
                level,
                title: format!("{name} {}", answer.word.text()),
                place: place(&written, subject.file.as_ref()),
                text: format!("{}{on}", said(subject, answer)),
            });
        }
    }
    if let Some(over) = report.stopped {
        let (title, text) = (Word::Unknown.text().to_owned(), text::open(over));
        errors.push(Command { level: "error", title, place: None, text });
    }
    for remark in &report.remarks {
        let diagnostic = &remark.problem.diagnostic;
        let level = if remark.is_error { "error" } else { "warning" };
        let label = diagnostic.label.iter().map(|label| format!("\n{}", clean(label)));
        let help = diagnostic.help.iter().map(|help| format!("\nhelp: {}", clean(help)));
        let text = std::iter::once(clean(&diagnostic.message).into_owned()).chain(label).chain(help).collect();
        let place = remark.problem.written().and_then(|written| place(&written, None));
        let told = Command { level, title: diagnostic.kind.word().to_owned(), place, text };
        if remark.is_error { &mut errors } else { &mut warnings }.push(told);
    }
    let mut out = String::new();
    for (level, all) in [("error", errors), ("warning", warnings)] {
        let most = if all.len() > SHOWN { SHOWN - 1 } else { SHOWN };
        all.iter().take(most).for_each(|one| out.push_str(&one.line()));
        if all.len() > most {
            let more = counted((all.len() - most) as u64, "more", "more");
            let text = format!("{more}: a step shows {SHOWN} of a level; the report has all of them");
            out.push_str(&Command { level, title: "not shown".to_owned(), place: None, text }.line());
        }
    }
    out
}

/// What stands behind the second pair of colons.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// The value of a property of a command.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::{Answer, Subject, Title};

    #[test]
    fn a_name_is_no_command() {
        let mut subject = Subject::new(Title::Name("a\n::error::x".to_owned()), Vec::new());
        subject.file = Some("a\n::error::x".to_owned());
        let answer = Answer::new("p,q: 100%\r\n::set-output name=a::b", Word::Violated, "violated");
        subject.answers.push(answer);
        let report = Report { subjects: vec![subject], ..Report::default() };
        let expected = "::error file=in/a\\n%3A%3Aerror%3A%3Ax,title=p%2Cq%3A 100%25\\r\\n%3A%3Aset-output name=a%3A%3Ab \
                        violated::p,q: 100%25\\r\\n::set-output name=a::b: violated%0Aon a\\n::error::x\n";
        assert_eq!(annotations(&report, "in/"), expected);
    }

    #[test]
    fn what_is_not_shown_is_counted() {
        let mut subject = Subject::new(Title::Name("a".to_owned()), Vec::new());
        subject.answers.extend((0..12).map(|i| Answer::new(format!("p{i}"), Word::Unknown, "unknown")));
        let report = Report { subjects: vec![subject], ..Report::default() };
        let lines = annotations(&report, "");
        assert_eq!(lines.lines().count(), SHOWN);
        assert!(
            lines
                .ends_with("::error title=not shown::3 more: a step shows 10 of a level; the report has all of them\n")
        );
    }
}
