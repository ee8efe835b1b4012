//! Which lines of the inputs an answer points at: for readers that open files.

use crate::report::{Answer, Block, Subject, Written};
use crate::story::{EventRow, Moved, Row, Story};

/// The events that an order is about. All of them are rows of its story.
#[derive(Debug, Default)]
pub(crate) struct Pointers<'a> {
    /// Where it goes wrong: the event after which it shows, or one that no order can take.
    pub fails: Option<&'a EventRow>,
    /// The two whose exchange came last.
    pub swapped: Vec<&'a EventRow>,
    /// Edges that would rule the failure out.
    pub wanted: Vec<[&'a EventRow; 2]>,
    /// The order, as far as it is shown.
    pub steps: Vec<&'a EventRow>,
}

impl<'a> Pointers<'a> {
    /// Those of the first order that shows an answer; none if no order does.
    pub fn of(answer: &'a Answer<'_>) -> Self {
        let story = |block: &'a Block<'_>| match block {
            Block::Order { story, .. } => Some(*story),
            _ => None,
        };
        answer.blocks.iter().find_map(story).map_or_else(Self::default, Self::in_story)
    }

    fn in_story(story: &'a Story) -> Self {
        let event = |row: &'a Row| match row {
            Row::Event(event) => Some(event),
            _ => None,
        };
        let events = || story.rows.iter().filter_map(event);
        let steps: Vec<&EventRow> = events().filter(|event| event.number.is_some()).collect();
        // What comes after the cut that a path leads to has not happened; what is said of it is why it cannot.
        let refused = events().find(|event| event.number.is_none() && event.note.is_some());
        let waits = story.rows.iter().any(|row| matches!(row, Row::End));
        let to_a_cut = story.rows.iter().any(|row| matches!(row, Row::Cut { .. }));
        let noted = steps.iter().rev().find(|event| event.note.is_some()).copied();
        let last = steps.last().copied().filter(|_| waits || to_a_cut);
        let wanted = |&[a, b]: &[usize; 2]| Some([event(story.rows.get(a)?)?, event(story.rows.get(b)?)?]);
        Self {
            fails: refused.or(if to_a_cut { last } else { noted.or(last) }),
            swapped: events().filter(|event| event.moved == Some(Moved::Swapped)).collect(),
            wanted: story.wanted.iter().filter_map(wanted).collect(),
            steps,
        }
    }
}

/// Where an answer shows: at an event, else where its property is written, if that is in the same file as the subject, as that of a
/// model is.
pub(crate) fn shows(subject: &Subject<'_>, answer: &Answer<'_>) -> Option<Written> {
    let fails = Pointers::of(answer).fails.map(|event| event.written.clone());
    let own = || answer.written.clone().filter(|written| written.file == subject.file);
    fails.or_else(|| answer.shows.clone()).or_else(own)
}

/// An event in one line: `B.1 enter c1=1`.
pub(crate) fn called(event: &EventRow) -> String {
    let parts = [&event.label, &event.name, &event.sets].map(String::as_str);
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")
}
