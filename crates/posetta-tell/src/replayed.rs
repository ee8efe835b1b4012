//! What one order of a run says about a property, by the definition. No engine takes part, but for the automaton of a formula of M2L on an
//! order that is too long for trying all values.

use posetta_base::{Budget, Diagnostic, Error, EventId, Kind, OverBudget};
use posetta_check::{Moment, Options, Question};
use posetta_trace::{Trace, first_misplaced};
use serde_json::{Value, json};

use crate::checked::Shape;
use crate::json;
use crate::named::Named;
use crate::report::{Answer, Block, Report, Subject, Title};
use crate::story::Story;
use crate::word::Word;

/// One order, or for CTL a path, and what it shows.
#[derive(Debug)]
pub struct Replayed {
    /// What the run is called.
    pub run: String,
    /// How large it is.
    pub shape: Shape,
    /// Whether the order satisfies the property; for CTL, whether the path proves or refutes it.
    pub word: Word,
    /// Whether it has all events of the run.
    pub complete: bool,
    /// Where it shows.
    pub moment: Option<Moment>,
    /// The label of the event there.
    pub event: Option<String>,
    /// The order for people, if it shows a violation.
    pub story: Option<Story>,
    /// What is worth knowing about the property on this run.
    pub warnings: Vec<Diagnostic>,
}

impl Replayed {
    /// Replays an order, which is [one of the run](order). Its lanes take at most so many columns as there is `room`.
    ///
    /// # Errors
    /// If the property does not fit the run, or if a limit is reached.
    pub fn new(
        (name, trace): (&str, &Trace),
        property: &Named,
        order: &[EventId],
        room: usize,
        budget: &Budget,
    ) -> Result<Self, Error> {
        let question = Question::new(trace, &property.property, Options::default())?;
        let replayed = question.replay(order, budget)?;
        let word = replayed.holds.map_or(Word::Unknown, Word::from);
        // An order that satisfies a linear property has no such place.
        let shows = if property.over().is_some() { word == Word::Violated } else { word != Word::Unknown };
        let moment = shows.then(|| question.moment(order)).flatten();
        let at = moment.map(position).and_then(|(i, _)| order.get(i.checked_sub(1)?));
        // Who asks has the whole order.
        let story = || Story { shortened: false, ..Story::new(trace, property, order, moment, None, room) };
        Ok(Self {
            run: name.to_owned(),
            shape: Shape::of(trace),
            word,
            complete: order.len() == trace.len(),
            moment,
            event: at.map(|&event| trace.label(event)),
            story: (word == Word::Violated).then(story),
            warnings: replayed.warnings,
        })
    }

    /// As people read it.
    #[must_use]
    pub fn report(&self, property: &Named) -> Report<'_> {
        let mut subject = Subject::new(Title::Name(self.run.clone()), self.shape.facts());
        subject.answers.push(self.answer(property));
        Report { subjects: vec![subject], ..Report::default() }
    }

    /// The answer alone.
    #[must_use]
    pub fn answer(&self, property: &Named) -> Answer<'_> {
        let what = if self.complete { "order" } else { "path" };
        let sentence = match (self.word, property.over().is_some()) {
            (Word::Holds, true) => "a possible order, and it satisfies the property".to_owned(),
            (Word::Violated, true) => "a possible order, and it violates the property".to_owned(),
            (Word::Holds, false) => format!("a possible {what}, and it proves the property"),
            (Word::Violated, false) => format!("a possible {what}, and it refutes the property"),
            (Word::Unknown, _) => {
                format!("a possible {what}; by itself it neither proves nor refutes the property")
            }
        };
        let mut answer = Answer::new(property.name.clone(), self.word, sentence);
        answer.is_named = property.has_name;
        if property.name != property.formula && self.word != Word::Holds {
            answer.formula = Some([property.spelled_logic(), property.formula.clone()]);
        }
        let heading = if self.complete { "The order" } else { "The path" };
        let block = |story| Block::Order { heading: heading.to_owned(), story, more: 0 };
        answer.blocks.extend(self.story.as_ref().map(block));
        answer
    }

    /// As programs read it; `warnings` are those about the run and about the property.
    #[must_use]
    pub fn to_json(&self, property: &Named, warnings: Vec<Value>) -> Value {
        let moment = self.moment.map(position);
        json!({
            "trace": self.run,
            "property": property.name,
            "logic": property.logic(),
            "over": property.over(),
            "formula": property.formula,
            "verdict": self.word.text(),
            "complete": self.complete,
            "position": moment.map(|(position, _)| position),
            "event": self.event,
            "waits": moment.is_some_and(|(_, waits)| waits),
            "warnings": warnings,
            "errors": [],
        })
    }
}

/// A position, and whether the property waits there for something that does not come.
fn position(moment: Moment) -> (usize, bool) {
    match moment {
        Moment::At(i) => (i, false),
        Moment::Waits(i) => (i, true),
    }
}

/// What programs read if there is no order to replay.
#[must_use]
pub fn refused(errors: Vec<Value>) -> Value {
    json!({ "verdict": null, "errors": errors })
}

/// What programs read if a limit was reached first.
#[must_use]
pub fn stopped(over: OverBudget) -> Value {
    json!({ "verdict": Word::Unknown.text(), "limit": json::limit(over, 0), "errors": [] })
}

/// The events of some labels, if they are an order of the run; the beginning of one will do unless it is to be `complete`.
///
/// # Errors
/// If they are no such order.
pub fn order(trace: &Trace, labels: &[String], complete: bool) -> Result<Vec<EventId>, Diagnostic> {
    let no = |message: String| Diagnostic::new(Kind::MissingEvent, message);
    let mut order = Vec::with_capacity(labels.len());
    for (i, label) in labels.iter().enumerate() {
        let event =
            trace.find_event(label).ok_or_else(|| no(format!("entry {}: the run has no event `{label}`", i + 1)))?;
        order.push(event);
    }
    match first_misplaced(trace, &order) {
        None => {}
        Some((at, None)) => {
            let label = &labels[at];
            return Err(no(format!("this is not an order of the run: entry {}, `{label}`, has come before", at + 1)));
        }
        Some((at, Some(cause))) => {
            let (label, cause_label) = (&labels[at], trace.label(cause));
            let later = order[at..].contains(&cause);
            let message = format!(
                "this is not an order of the run: entry {}, `{label}`, comes before its cause `{cause_label}`",
                at + 1
            );
            let why = if trace.process(cause) == trace.process(order[at]) {
                format!("both belong to the process {}", trace.process_name(trace.process(cause)))
            } else {
                format!(
                    "`{cause_label}` ({}) happened before `{label}` ({})",
                    trace.whereabouts(cause),
                    trace.whereabouts(order[at])
                )
            };
            let why = if later { why } else { format!("{why}, and `{cause_label}` is not in the order at all") };
            return Err(no(message).help(why));
        }
    }
    if complete && order.len() < trace.len() {
        let mut done = vec![false; trace.len()];
        order.iter().for_each(|e| done[e.index()] = true);
        let first = trace.linearisation().iter().find(|e| !done[e.index()]);
        let first = first.map(|&e| trace.label(e)).unwrap_or_default();
        let missing = trace.len() - order.len();
        let message =
            format!("this is not a complete order of the run: {missing} of its {} events are missing", trace.len());
        return Err(no(message).help(format!("the first that could follow is `{first}`")));
    }
    Ok(order)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::paint::Paint;
    use crate::text;
    use posetta_logic::Property;

    const MUTEX: &str = "A: enter c0=1 -> leave c0=0\nB: enter c1=1 -> leave c1=0\n";

    fn trace() -> Trace {
        posetta_formats::text::read(MUTEX.as_bytes(), &Budget::unlimited()).unwrap()
    }

    fn labels(text: &str) -> Vec<String> {
        text.split(' ').map(str::to_owned).collect()
    }

    fn replayed(text: &str) -> (Named, Replayed) {
        let (trace, budget) = (trace(), Budget::unlimited());
        let property = Named::new("--ltl", Property::ltl("G (c0 + c1 < 2)").unwrap());
        let order = order(&trace, &labels(text), true).unwrap();
        let replayed = Replayed::new(("mutex", &trace), &property, &order, 40, &budget).unwrap();
        (property, replayed)
    }

    #[test]
    fn an_order_says_where_it_fails() {
        let (property, replayed) = replayed("A.1 B.1 A.2 B.2");
        let object = replayed.to_json(&property, Vec::new());
        assert_eq!(
            (&object["verdict"], &object["position"], &object["event"]),
            (&"violated".into(), &2.into(), &"B.1".into())
        );
        let expected = "\
mutex  2 processes, 4 events
  ✗ G (c0 + c1 < 2)  a possible order, and it violates the property

    The order:

         A   B
      1  ●   │  A.1  enter  c0=1  line 1
      2  │   ●  B.1  enter  c1=1  line 2  ✗ c0 = 1, c1 = 1
      3  ●   │  A.2  leave  c0=0  line 1
      4  │   ●  B.2  leave  c1=0  line 2
";
        assert_eq!(text::report(&replayed.report(&property), Paint::plain()), expected);
    }

    #[test]
    fn who_wants_it_quiet_hears_nothing_of_what_holds() {
        let (property, replayed) = replayed("A.1 A.2 B.1 B.2");
        assert_eq!(replayed.to_json(&property, Vec::new())["position"], Value::Null);
        let report = replayed.report(&property);
        assert!(
            text::report(&report, Paint::plain()).contains("✓ G (c0 + c1 < 2)  a possible order, and it satisfies")
        );
        assert_eq!(text::report(&report, Paint { quiet: true, ..Paint::plain() }), "");
    }

    #[test]
    fn what_is_no_order_is_said() {
        for (text, complete, expected) in [
            ("A.2 A.1", false, "this is not an order of the run: entry 1, `A.2`, comes before its cause `A.1`"),
            ("A.1 A.1", false, "this is not an order of the run: entry 2, `A.1`, has come before"),
            ("A.1 Z", false, "entry 2: the run has no event `Z`"),
            ("A.1", true, "this is not a complete order of the run: 3 of its 4 events are missing"),
        ] {
            assert_eq!(order(&trace(), &labels(text), complete).unwrap_err().message, expected, "{text}");
        }
        assert!(order(&trace(), &labels("A.1"), false).is_ok());
    }
}
