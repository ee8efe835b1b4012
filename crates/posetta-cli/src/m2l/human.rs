//! The answers, for people: in MONA's words.

use std::fmt::Write;

use posetta_compile::m2l::{Answer, Engine};

use super::{Finding, Model, Worth};
use crate::amounts::counted;
use crate::paint::{Paint, clean};

/// Names are padded to this.
const NAME: usize = 15;

/// Everything that is known.
pub fn report(findings: &[Finding], stats: bool, paint: Paint) -> String {
    let mut out = String::new();
    let titled = findings.len() > 1;
    for finding in findings {
        if !out.is_empty() {
            out.push('\n');
        }
        if titled {
            let title = match (&finding.title, finding.place) {
                (Some(title), _) => format!("Formula {}:", clean(title)),
                (None, 0) => "Main formula:".to_owned(),
                (None, _) => "Formula <untitled>:".to_owned(),
            };
            let _ = writeln!(out, "{}", paint.bold(&title));
        }
        answer(&mut out, finding, paint);
        if stats {
            let _ = writeln!(out, "\n{}", paint.dim(&cost(finding)));
        }
    }
    out
}

fn answer(out: &mut String, finding: &Finding, paint: Paint) {
    let mut parts = Vec::new();
    match finding.answer {
        Answer::Valid => parts.push(format!("{}\n", paint.green("Formula is valid"))),
        Answer::Unsatisfiable => parts.push(format!("{}\n", paint.red("Formula is unsatisfiable"))),
        Answer::Neither => {}
    }
    parts.extend(finding.counterexample.as_ref().map(|m| model(m, "A counter-example")));
    parts.extend(finding.example.as_ref().map(|m| model(m, "A satisfying example")));
    out.push_str(&parts.join("\n"));
}

fn model(model: &Model, what: &str) -> String {
    let mut out = format!("{what} of least length ({}) is:\n", model.length);
    for track in &model.tracks {
        let line = format!("{:NAME$} {} {}", track.name, track.before, track.bits);
        let _ = writeln!(out, "{}", line.trim_end());
    }
    if !model.tracks.is_empty() {
        out.push('\n');
    }
    for track in &model.tracks {
        let _ = match &track.value {
            Worth::Truth(value) => writeln!(out, "{} = {value}", track.name),
            Worth::Position(at) => writeln!(out, "{} = {at}", track.name),
            Worth::Set(all) => {
                let all: Vec<String> = all.iter().map(ToString::to_string).collect();
                writeln!(out, "{} = {{{}}}", track.name, all.join(","))
            }
        };
    }
    out
}

fn cost(finding: &Finding) -> String {
    let effort = &finding.effort;
    let engine = match finding.engine {
        Engine::Lazy => "lazy engine",
        _ => "eager engine",
    };
    [
        engine.to_owned(),
        counted(effort.products, "product", "products"),
        counted(effort.projections, "projection", "projections"),
        format!("at most {}", counted(effort.most_states as u64, "state", "states")),
        counted(effort.most_nodes as u64, "node", "nodes"),
        format!("{:.3} s", finding.seconds),
    ]
    .join(", ")
}
