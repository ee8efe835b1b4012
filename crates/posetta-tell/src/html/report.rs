//! A report as a page: a table of verdicts, then for each answer that does not hold what shows it.

use std::fmt::Write;

use super::{data, document};
use crate::amounts::counted;
use crate::paint::Paint;
use crate::report::{Answer, Block, Report, Subject};
use crate::word::{Tally, Word};
use crate::{svg, text, xml};

/// Of more subjects than this the table has those on which something does not hold.
const MANY: usize = 100;
/// So many answers are drawn; the table has all of them.
const DRAWN: usize = 200;

/// All that a report says.
#[must_use]
pub fn of_report(report: &Report<'_>) -> String {
    let mut page = String::from("<main class=\"report\">\n");
    let _ = writeln!(page, "<h1>Posetta: {}</h1>", xml::text(&headline(report)));
    let is_long = report.subjects.len() > MANY;
    let all = || report.subjects.iter().enumerate().flat_map(|(s, own)| own.answers.iter().map(move |a| (s, own, a)));
    let rows: Vec<(usize, &Subject<'_>, &Answer<'_>)> =
        all().filter(|(_, _, answer)| !is_long || answer.word != Word::Holds).collect();
    table(&mut page, &rows);
    let hidden = all().count() - rows.len();
    if hidden > 0 {
        let hidden = counted(hidden as u64, "answer that holds is", "answers that hold are");
        let _ = writeln!(page, "<p>{hidden} not listed.</p>");
    }
    for remark in report.remarks.iter().filter(|remark| remark.is_error) {
        let _ = writeln!(page, "<section><h2>Error</h2><pre>{}</pre></section>", lines(remark.drawn.trim_end()));
    }
    let shown = || rows.iter().enumerate().filter(|(_, (_, _, answer))| is_shown(answer));
    let mut used = vec![false; report.subjects.len()];
    for (i, (at, subject, answer)) in shown().take(DRAWN) {
        let results = subject.picture.map(|picture| picture.results.as_slice()).unwrap_or_default();
        let place = results.iter().position(|own| own.property[0] == answer.name);
        used[*at] |= place.is_some();
        section(&mut page, i, subject, answer, place.map(|place| (*at, place)));
    }
    for (at, subject) in report.subjects.iter().enumerate().filter(|(at, _)| used[*at]) {
        page.extend(subject.picture.map(|picture| data(&format!("picture-{at}"), &picture.to_json())));
    }
    let undrawn = shown().count().saturating_sub(DRAWN);
    if undrawn > 0 {
        let _ = writeln!(page, "<p>{} not drawn.</p>", counted(undrawn as u64, "more answer is", "more answers are"));
    }
    if report.unpictured > 0 {
        let what = counted(report.unpictured as u64, "run with a violation has", "runs with violations have");
        let _ = writeln!(page, "<p>{what} no picture to explore here: <code>posetta show</code> draws one.</p>");
    }
    let warnings: String =
        report.remarks.iter().filter(|remark| !remark.is_error).map(|remark| remark.drawn.as_str()).collect();
    if !warnings.is_empty() {
        let _ = writeln!(page, "<section><h2>Warnings</h2><pre>{}</pre></section>", lines(warnings.trim_end()));
    }
    page.push_str("</main>\n");
    document("Posetta", &page)
}

/// Whether it has a section of its own.
fn is_shown(answer: &Answer<'_>) -> bool {
    answer.word != Word::Holds && !answer.known
}

fn headline(report: &Report<'_>) -> String {
    let mut tally = Tally::default();
    let answers = report.subjects.iter().flat_map(|subject| &subject.answers);
    answers.for_each(|answer| tally.add(answer.word, answer.known));
    let mut parts = tally.parts(Paint::plain());
    let errors = report.remarks.iter().filter(|remark| remark.is_error).count() as u64;
    if errors > 0 {
        parts.push(counted(errors, "error", "errors"));
    }
    parts.extend(report.stopped.map(text::open));
    if parts.is_empty() { "nothing was asked".to_owned() } else { parts.join(", ") }
}

fn table(page: &mut String, rows: &[(usize, &Subject<'_>, &Answer<'_>)]) {
    if rows.is_empty() {
        return;
    }
    let heads = "<th>verdict</th><th>property</th><th>on</th><th>what it means</th>";
    let _ = writeln!(page, "<table>\n<thead><tr>{heads}</tr></thead>\n<tbody>");
    for (i, (_, subject, answer)) in rows.iter().enumerate() {
        let name = xml::text(&answer.name);
        let name = match is_shown(answer) {
            true => format!("<a href=\"#answer-{i}\"><code>{name}</code></a>"),
            false => format!("<code>{name}</code>"),
        };
        let _ = writeln!(
            page,
            "<tr><td class=\"{word}\">{} {word}</td><td>{name}</td><td><code>{}</code></td><td>{}</td></tr>",
            answer.word.mark(Paint::plain()),
            xml::text(&subject.title.text()),
            xml::text(&answer.sentence),
            word = answer.word.text(),
        );
    }
    page.push_str("</tbody>\n</table>\n");
}

/// What shows an answer; `picture` is that of the run, and the place of the answer in it.
fn section(page: &mut String, i: usize, subject: &Subject<'_>, answer: &Answer<'_>, picture: Option<(usize, usize)>) {
    let word = answer.word.text();
    let _ = writeln!(
        page,
        "<section id=\"answer-{i}\">\n<h2><span class=\"{word}\">{}</span> <code>{}</code> on <code>{}</code></h2>\n\
         <p>{}</p>",
        answer.word.mark(Paint::plain()),
        xml::text(&answer.name),
        xml::text(&subject.title.text()),
        xml::text(&answer.sentence),
    );
    if let Some([logic, formula]) = &answer.formula {
        let _ = writeln!(page, "<pre>{} {}</pre>", xml::text(logic), xml::text(formula));
    }
    for block in &answer.blocks {
        match block {
            Block::Words(words) => {
                let _ = writeln!(page, "<p>{}</p>", xml::text(&words.text.replace('\u{a0}', " ")));
                let edge = |[from, to]: &[String; 2]| format!("<li>{} → {}</li>", xml::text(from), xml::text(to));
                let edges: String = words.edges.iter().map(edge).collect();
                if !edges.is_empty() {
                    let _ = writeln!(page, "<ul>{edges}</ul>");
                }
            }
            Block::Aside(text) | Block::Sentence(text) | Block::Remark(text) => {
                let _ = writeln!(page, "<p>{}</p>", xml::text(text));
            }
            _ => {}
        }
    }
    match svg::of_answer(subject, answer) {
        Some(drawing) => {
            let _ = writeln!(page, "<figure>\n{}</figure>", drawing.to_svg());
        }
        None => {
            let evidence = text::evidence(subject, answer, Paint::plain());
            if !evidence.is_empty() {
                let _ = writeln!(page, "<pre>{}</pre>", lines(&evidence));
            }
        }
    }
    if let Some((at, result)) = picture {
        let place = format!("picture-{at}/{result}");
        let _ = writeln!(page, "<button type=\"button\" hidden data-picture=\"{place}\">Explore the run</button>");
    }
    page.push_str("</section>\n");
}

/// Lines as they are.
fn lines(text: &str) -> String {
    text.lines().map(xml::text).collect::<Vec<_>>().join("\n")
}
