//! What came of the model, for people.

use std::fmt::Write;

use posetta_check::Observed;

use super::{Followed, Model, Stop};
use crate::amounts::{counted, grouped};
use crate::board::Word;
use crate::paint::{Paint, short};
use crate::report_human::{self, FORMULA, LINE, advice, mark};

/// The answer of one run.
pub fn answer(out: &mut String, model: &Model, followed: &Followed, stats: bool, paint: Paint) {
    let name = paint.bold(&short(&model.name, FORMULA));
    let _ = writeln!(out, "  {} {name}  {}", mark(followed.word, paint), sentence(followed));
    if stats {
        let _ = writeln!(out, "    {}", paint.dim(&cost(followed)));
    }
    if let Some(story) = &followed.order {
        let what = if story.recorded { "The recorded order" } else { "An order" };
        let _ = writeln!(out, "\n    {what} follows the model:\n");
        report_human::list(out, story, Word::Holds, paint);
        if story.shortened {
            let _ = writeln!(out, "\n    {}", paint.dim("--json lists every event of it."));
        }
        out.push('\n');
    }
    let stops = &followed.stops;
    let Some(story) = &stops.first else { return };
    let of = format!("{} of {}", grouped(stops.taken as u64), counted(followed.steps as u64, "step", "steps"));
    let _ = writeln!(out, "\n    As far as an order can follow the model, {of}:\n");
    report_human::list(out, story, followed.word, paint);
    more_next(out, stops.first_more, paint);
    for stop in &stops.others {
        other(out, stop, paint);
    }
    if stops.more > 0 {
        let more = counted(stops.more as u64, "more such place; --json has it", "more such places; --json has them");
        let _ = writeln!(out, "\n    {}", paint.dim(&format!("and {more}")));
    }
    out.push('\n');
}

/// The verdict in words.
fn sentence(followed: &Followed) -> String {
    match (followed.word, followed.observed) {
        (Word::Holds, _) if followed.steps == 0 => {
            "holds, but says nothing: no event stands for an action of the model".to_owned()
        }
        (Word::Holds, Some(Observed::Holds)) => "holds: the recorded order follows the model".to_owned(),
        (Word::Holds, Some(Observed::Violated)) => {
            "holds: some order of the run follows the model; the recorded order does not".to_owned()
        }
        (Word::Holds, None) => "holds: some order of the run follows the model".to_owned(),
        (Word::Violated, _) => "violated: no order of the run follows the model".to_owned(),
        (Word::Unknown, _) => {
            let over = followed.over.map_or(String::new(), |over| format!(": {over}{}", advice(over.limit)));
            format!("unknown{over}")
        }
    }
}

fn cost(followed: &Followed) -> String {
    let mut parts = vec!["model engine".to_owned()];
    if followed.word != Word::Unknown {
        let pairs = counted(followed.pairs, "pair of a cut and a meta-state", "pairs of a cut and a meta-state");
        parts.extend([counted(followed.steps as u64, "step", "steps"), pairs]);
    }
    parts.push(format!("{:.3} s", followed.seconds));
    parts.join(", ")
}

/// Another cut that no order goes beyond.
fn other(out: &mut String, stop: &Stop, paint: Paint) {
    let after = match stop.after.is_empty() {
        true => "at the start".to_owned(),
        false => format!("after {}", stop.after.join(", ")),
    };
    let _ = writeln!(out, "\n    Or {}:", short(&after, LINE));
    for [event, who] in &stop.next {
        let _ = writeln!(out, "      {}: {}", short(event, LINE), paint.red(&short(who, LINE)));
    }
    more_next(out, stop.more, paint);
}

fn more_next(out: &mut String, more: usize, paint: Paint) {
    if more > 0 {
        let more = counted(more as u64, "more could come next; --json has it", "more could come next; --json has them");
        let _ = writeln!(out, "      {}", paint.dim(&format!("⋮ {more}")));
    }
}
