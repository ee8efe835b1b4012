//! What came of the model, for people.

use posetta_check::Observed;
use posetta_tell::report::{Answer, Block};
use posetta_tell::{Word, text};

use super::{Followed, Model, Stop};
use crate::amounts::{counted, grouped};

/// The answer of one run.
pub fn answer<'a>(model: &Model, followed: &'a Followed, stats: bool) -> Answer<'a> {
    let mut answer = Answer::new(model.name.clone(), followed.word, sentence(followed));
    answer.is_named = true;
    if stats {
        answer.costs.push(cost(followed));
    }
    if let Some(story) = &followed.order {
        let what = if story.recorded { "The recorded order" } else { "An order" };
        answer.blocks.push(Block::Order { heading: format!("{what} follows the model"), story, more: 0 });
    }
    let stops = &followed.stops;
    if let Some(story) = &stops.first {
        let of = format!("{} of {}", grouped(stops.taken as u64), counted(followed.steps as u64, "step", "steps"));
        let heading = format!("As far as an order can follow the model, {of}");
        answer.blocks.push(Block::Order { heading, story, more: stops.first_more });
        answer.blocks.extend(stops.others.iter().map(other));
        if stops.more > 0 {
            let more =
                counted(stops.more as u64, "more such place; --json has it", "more such places; --json has them");
            answer.blocks.push(Block::Sentence(format!("and {more}")));
        }
    }
    answer
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
        (Word::Unknown, _) => followed.over.map_or_else(|| "unknown".to_owned(), text::open),
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
fn other<'a>(stop: &Stop) -> Block<'a> {
    let after = match stop.after.is_empty() {
        true => "at the start".to_owned(),
        false => format!("after {}", stop.after.join(", ")),
    };
    Block::Refused { heading: format!("Or {after}"), rows: stop.next.clone(), more: stop.more }
}
