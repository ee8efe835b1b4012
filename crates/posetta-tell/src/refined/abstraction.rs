//! What was found out about trace abstractions: one, or one for each part of a system.

use posetta_base::{OverBudget, Verdict};
use posetta_model::system::System;
use posetta_verify::abstraction::{
    Abstraction, Answer as Decided, Composition, Disagreement, Event, Failing, Premise, Rule, Stats, Why,
};
use posetta_verify::refine::Lacking;
use serde_json::{Value, json};

use super::{NAME, SHOWN, action, few};
use crate::amounts::counted;
use crate::json::Schema;
use crate::paint::{clean, short};
use crate::report::{Answer, Block, Report, Subject, Title};
use crate::word::Word;

/// Between the names of parts that run side by side.
pub(crate) const BESIDE: &str = " ‖ ";

/// An implementation and its specification.
#[derive(Debug)]
pub struct Two {
    /// The implementation.
    pub implementation: System,
    /// The specification.
    pub specification: System,
}

impl Two {
    fn names(&self) -> [String; 2] {
        [&self.implementation, &self.specification].map(|system| short(&system.name, NAME))
    }
}

/// What was looked for, and found.
#[derive(Debug)]
pub enum Outcome {
    /// One abstraction.
    One(Decided),
    /// One for each part.
    Parts(Composition),
}

/// What was found out.
#[derive(Debug)]
pub struct Abstracted {
    /// What is compared, part by part.
    pub pairs: Vec<Two>,
    /// What the whole is called on both sides, if the parts are known to be all of it.
    pub whole: Option<[String; 2]>,
    /// Which behaviours are related.
    pub abstraction: Abstraction,
    /// What came of it.
    pub outcome: Outcome,
    /// How long it took.
    pub seconds: f64,
}

/// Behaviours side by side, each with the name of whose it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Behaviours {
    /// By column: whose they are, and the last of their events.
    pub columns: Vec<(String, Vec<Event>)>,
    /// How many events come before those.
    pub before: usize,
}

impl Behaviours {
    fn new(lists: &[(&str, &[Event])]) -> Self {
        let length = lists.iter().map(|(_, events)| events.len()).max().unwrap_or(0);
        let before = length.saturating_sub(SHOWN);
        let shown = |event: &Event| Event { name: name(event).into(), observable: event.observable };
        let column = |&(name, events): &(&str, &[Event])| {
            (name.to_owned(), events[before.min(events.len())..].iter().map(shown).collect())
        };
        Self { columns: lists.iter().map(column).collect(), before }
    }
}

impl Abstracted {
    /// Whether the implementation implements the specification, as far as it is known.
    #[must_use]
    pub fn word(&self) -> Word {
        match &self.outcome {
            Outcome::One(answer) => word(&answer.verdict),
            Outcome::Parts(composition) if composition.proves() => Word::Holds,
            Outcome::Parts(composition) if lacks(composition) => Word::Violated,
            Outcome::Parts(_) => Word::Unknown,
        }
    }

    /// The limit that kept it from an answer, if nothing else did.
    #[must_use]
    pub fn over(&self) -> Option<OverBudget> {
        match &self.outcome {
            Outcome::One(answer) => open(&answer.verdict),
            Outcome::Parts(composition) => {
                let premises = composition.premises.iter().map(|premise| match premise {
                    Premise::Implements(answer) => open(&answer.verdict),
                    Premise::Abstraction(answer) => open(&answer.verdict),
                });
                let agreement = composition.agreement.as_ref().and_then(|(verdict, _)| open(verdict));
                let fails = composition.premises.iter().any(|premise| premise.holds() == Some(false))
                    || matches!(composition.agreement, Some((Verdict::Violated(_), _)));
                if fails { None } else { premises.flatten().chain(agreement).next() }
            }
        }
    }

    fn relation(&self) -> &'static str {
        match self.abstraction {
            Abstraction::Canonical => "canonical",
            Abstraction::Identity => "identity",
        }
    }

    /// As people read it: with `stats`, what it took.
    #[must_use]
    pub fn report<'a>(&self, stats: bool) -> Report<'a> {
        let subject = match &self.outcome {
            Outcome::One(answer) => self.one(answer, stats),
            Outcome::Parts(composition) => self.parts(composition, stats),
        };
        Report { subjects: vec![subject], ..Report::default() }
    }

    fn one<'a>(&self, found: &Decided, stats: bool) -> Subject<'a> {
        let words = ["Is there an abstraction from ", " to ", "?"].map(str::to_owned);
        let two = &self.pairs[0];
        let mut subject = Subject::new(Title::Question(words, two.names()), vec![self.relation().to_owned()]);
        let mut answer = is_related(two, &found.verdict, true);
        answer.in_any_case = true;
        answer.seconds = Some(self.seconds);
        if stats {
            answer.costs.push(format!("{}, {:.3} s", cost(&found.stats), self.seconds));
        }
        subject.answers.push(answer);
        subject
    }

    fn parts<'a>(&self, composition: &Composition, stats: bool) -> Subject<'a> {
        let all = |side: usize| self.pairs.iter().map(|two| two.names()[side].clone()).collect::<Vec<_>>().join(BESIDE);
        let [ours, theirs] = self.whole.clone().unwrap_or_else(|| [all(0), all(1)]);
        let rule = match composition.rule {
            Rule::Apart => {
                "the specifications share no internal events, so each part need only implement its own".to_owned()
            }
            Rule::Agreement => format!("{} abstractions that agree", self.relation()),
        };
        let words = ["Does ", " implement ", ", part by part?"].map(str::to_owned);
        let mut subject = Subject::new(Title::Question(words, [ours.clone(), theirs.clone()]), vec![rule]);
        for (two, found) in self.pairs.iter().zip(&composition.premises) {
            subject.premises.push(match found {
                Premise::Implements(found) => implements(two, &found.verdict),
                Premise::Abstraction(found) => {
                    let mut premise = is_related(two, &found.verdict, false);
                    premise.costs.extend(stats.then(|| cost(&found.stats)));
                    premise
                }
            });
        }
        if let Some((agreement, took)) = &composition.agreement {
            let mut premise = self.agree(agreement);
            premise.costs.extend(stats.then(|| cost(took)));
            subject.premises.push(premise);
        }
        let word = self.word();
        let sentence = match word {
            Word::Holds => format!("holds: `{ours}` implements `{theirs}`"),
            Word::Violated => format!("violated: `{ours}` does not implement `{theirs}`"),
            Word::Unknown => {
                format!("unknown: this proof fails, which does not say that `{ours}` does not implement `{theirs}`")
            }
        };
        let mut answer = Answer::new("", word, sentence);
        answer.in_any_case = true;
        answer.seconds = Some(self.seconds);
        if word == Word::Unknown {
            let help = "relate fewer behaviours with --constraint, divide the systems in another way, or compare them as wholes: `posetta refine`";
            answer.blocks.push(Block::Aside(help.to_owned()));
        }
        answer.costs.extend(stats.then(|| format!("{:.3} s", self.seconds)));
        subject.answers.push(answer);
        subject
    }

    /// Whether what each part relates to something, all relate to one thing.
    fn agree<'a>(&self, agreement: &Verdict<Disagreement>) -> Answer<'a> {
        match agreement {
            Verdict::Holds => {
                let sentence = "the abstractions agree: what each relates to something, all relate to one thing";
                Answer::new("", Word::Holds, sentence)
            }
            Verdict::Unknown(_) => Answer::new("", Word::Unknown, "whether they agree: a limit was reached"),
            Verdict::Violated(Disagreement { behaviour, images }) => {
                let mut answer = Answer::new("", Word::Unknown, "the abstractions do not agree");
                let heading = "Behaviours that each relates to one, but never to the same (● observable)".to_owned();
                let names: Vec<[String; 2]> = self.pairs.iter().map(Two::names).collect();
                let mut lists: Vec<(&str, &[Event])> = vec![("implementation", behaviour)];
                lists.extend(names.iter().zip(images).map(|([_, theirs], image)| (theirs.as_str(), image.as_slice())));
                answer.blocks.push(Block::Behaviours { heading, behaviours: Behaviours::new(&lists) });
                answer
            }
        }
    }

    /// The whole report for programs. Fields are documented in docs/report.md; more may be added, none is renamed.
    #[must_use]
    pub fn to_json(&self) -> String {
        let mut told = json!({
            "verdict": self.word().text(),
            "question": match self.outcome {
                Outcome::One(_) => "abstraction",
                Outcome::Parts(_) => "composition",
            },
            "abstraction": self.relation(),
            "seconds": self.seconds,
            "limit": null,
            "errors": [],
        });
        match &self.outcome {
            Outcome::One(answer) => {
                let two = &self.pairs[0];
                told["of"] = sides(&two.implementation.name, &two.specification.name);
                told["proof"] = proof(&answer.verdict, two);
                told["stats"] = stats_json(&answer.stats);
            }
            Outcome::Parts(composition) => {
                told["whole"] = self.whole.as_ref().map_or(Value::Null, |[ours, theirs]| sides(ours, theirs));
                told["rule"] = match composition.rule {
                    Rule::Apart => "apart",
                    Rule::Agreement => "agreement",
                }
                .into();
                told["parts"] = self.pairs.iter().zip(&composition.premises).map(|(two, p)| part(two, p)).collect();
                let agreement = composition.agreement.as_ref();
                told["agreement"] = agreement.map_or(Value::Null, |(verdict, stats)| agreement_json(verdict, stats));
            }
        }
        Schema::Refine.object(told)
    }
}

/// Whether an abstraction proves that one implements the other, or shows that it does not.
fn word(verdict: &Verdict<Box<Failing>>) -> Word {
    match verdict {
        Verdict::Violated(failing) if !matches!(failing.why, Why::Lacking(_)) => Word::Unknown,
        verdict => Word::from(verdict),
    }
}

fn open<W>(verdict: &Verdict<W>) -> Option<OverBudget> {
    match verdict {
        Verdict::Unknown(over) => Some(*over),
        Verdict::Holds | Verdict::Violated(_) => None,
    }
}

/// Whether there is one part, and its specification lacks a trace: of several, the others may prevent it.
fn lacks(composition: &Composition) -> bool {
    match &composition.premises[..] {
        [Premise::Implements(answer)] => matches!(answer.verdict, Verdict::Violated(_)),
        [Premise::Abstraction(answer)] => word(&answer.verdict) == Word::Violated,
        _ => false,
    }
}

/// Whether a part implements its specification.
fn implements<'a>(two: &Two, verdict: &Verdict<Lacking>) -> Answer<'a> {
    let [ours, theirs] = two.names();
    let sentence = match verdict {
        Verdict::Holds => format!("`{ours}` implements `{theirs}`"),
        Verdict::Unknown(_) => format!("`{ours}`, `{theirs}`: a limit was reached"),
        Verdict::Violated(lacking) => {
            let trace: Vec<String> = lacking.trace.iter().map(|&a| action(&two.implementation, a)).collect();
            format!("`{theirs}` lacks an observable trace of `{ours}`: {}", trace.join(" "))
        }
    };
    Answer::new("", Word::from(verdict), sentence)
}

/// Whether behaviours are related. `alone`: it is all that was asked.
fn is_related<'a>(two: &Two, verdict: &Verdict<Box<Failing>>, alone: bool) -> Answer<'a> {
    let [ours, theirs] = two.names();
    let word = word(verdict);
    let sentence = match (verdict, word, alone) {
        (Verdict::Holds, _, true) => {
            format!(
                "holds: every behaviour of `{ours}` is related to one of `{theirs}`: `{ours}` implements `{theirs}`"
            )
        }
        (Verdict::Holds, _, false) => format!("every behaviour of `{ours}` is related to one of `{theirs}`"),
        (Verdict::Unknown(_), _, _) => format!("`{ours}`, `{theirs}`: a limit was reached"),
        (_, Word::Violated, true) => format!("violated: `{theirs}` lacks an observable trace of `{ours}`"),
        (_, Word::Violated, false) => format!("`{theirs}` lacks an observable trace of `{ours}`"),
        (_, _, true) => {
            format!("unknown: it is not an abstraction, which does not say that `{ours}` does not implement `{theirs}`")
        }
        (_, _, false) => format!("no abstraction from `{ours}` to `{theirs}`"),
    };
    let mut answer = Answer::new("", word, sentence);
    if let Verdict::Violated(failing) = verdict {
        answer.blocks = reason(two, failing);
    }
    answer
}

/// A behaviour that is related to none, and what would have to be different.
fn reason<'a>(two: &Two, failing: &Failing) -> Vec<Block<'a>> {
    let [ours, theirs] = two.names();
    let own = (ours.as_str(), failing.behaviour.as_slice());
    let heading = format!("A shortest behaviour of `{ours}` that is related to none of `{theirs}` (● observable)");
    let columns = |heading: &str, lists: &[(&str, &[Event])]| Block::Behaviours {
        heading: heading.to_owned(),
        behaviours: Behaviours::new(lists),
    };
    let few = |names: &[String]| few(names).unwrap_or_else(|| "nothing at all".to_owned());
    let last = failing.behaviour.last().map_or_else(String::new, name);
    match &failing.why {
        Why::Lacking(lacking) => {
            let names: Vec<String> = lacking.allowed.iter().map(|&a| action(&two.specification, a)).collect();
            let sentence = format!("In place of {last} `{theirs}` allows {}", few(&names));
            vec![columns(&heading, &[own]), Block::Sentence(sentence)]
        }
        Why::Coarse { needs, place, counts } => {
            let events = counted(counts[0] as u64, "internal event", "internal events");
            let sentence = format!(
                "`{ours}` is not internally finer: {} it has {events}, and `{theirs}` needs {}",
                whereabouts(*place, &failing.behaviour),
                counts[1],
            );
            vec![
                columns(&heading, &[own]),
                columns(&format!("The shortest of `{theirs}` with these observable events"), &[(&theirs, needs)]),
                Block::Sentence(sentence),
                Block::Aside(format!("let `{ours}` do more internally, or compare traces without --abstraction")),
            ]
        }
        Why::Narrow { partner } => {
            let heading = format!("{heading}. Beside it one that the constraint is not true of");
            let help = "no behaviour with these observable events satisfies the constraint: ask for less";
            vec![columns(&heading, &[own, (&theirs, partner)]), Block::Sentence(help.to_owned())]
        }
        Why::Different { allowed } => {
            let names: Vec<String> = allowed.iter().map(|name| clean(name).into_owned()).collect();
            let sentence = format!("`{theirs}` cannot do {last} there itself; it can do {}", few(&names));
            let mut blocks = vec![columns(&heading, &[own]), Block::Sentence(sentence)];
            let is_own = |event: &Event| two.implementation.find_action(&event.name).is_some();
            if !failing.behaviour.last().is_some_and(is_own) {
                blocks.push(Block::Aside(format!("`{ours}` does not have {last}, so it may happen at any time")));
            }
            blocks.push(Block::Aside("relate it to other behaviours: --abstraction canonical".to_owned()));
            blocks
        }
    }
}

/// Where a place between observable events is.
fn whereabouts(place: usize, events: &[Event]) -> String {
    let seen: Vec<&Event> = events.iter().filter(|e| e.observable).collect();
    match (place.checked_sub(1).and_then(|i| seen.get(i)), seen.get(place)) {
        (Some(before), Some(next)) => format!("between {} and {}", name(before), name(next)),
        (None, Some(next)) => format!("before {}", name(next)),
        (_, None) => "at the end".to_owned(),
    }
}

fn name(event: &Event) -> String {
    short(&clean(&event.name), NAME)
}

/// What an inclusion took, for people.
fn cost(stats: &Stats) -> String {
    let states = |n: u64, of: &str| format!("{} {of}", counted(n, "state", "states"));
    format!(
        "{}, {}, {}, {}",
        counted(stats.pairs, "pair", "pairs"),
        states(stats.left_states, "on the left"),
        states(stats.right_states, "on the right"),
        states(stats.formula_states, "of formulas"),
    )
}

/// The same for programs.
fn stats_json(stats: &Stats) -> Value {
    json!({
        "pairs": stats.pairs,
        "left_states": stats.left_states,
        "right_states": stats.right_states,
        "formula_states": stats.formula_states,
    })
}

fn sides(implementation: &str, specification: &str) -> Value {
    json!({ "implementation": implementation, "specification": specification })
}

fn part(two: &Two, premise: &Premise) -> Value {
    let mut part = sides(&two.implementation.name, &two.specification.name);
    match premise {
        Premise::Implements(answer) => {
            part["proof"] = match &answer.verdict {
                Verdict::Holds => json!({ "holds": true }),
                Verdict::Violated(lacking) => {
                    let names = lacking.trace.iter().map(|&a| &*two.implementation.action(a).name);
                    json!({ "holds": false, "why": "lacking", "trace": names.collect::<Vec<_>>() })
                }
                Verdict::Unknown(_) => json!({ "holds": null }),
            };
        }
        Premise::Abstraction(answer) => {
            part["proof"] = proof(&answer.verdict, two);
            part["stats"] = stats_json(&answer.stats);
        }
    }
    part
}

fn agreement_json(agreement: &Verdict<Disagreement>, stats: &Stats) -> Value {
    let mut told = match agreement {
        Verdict::Holds => json!({ "holds": true }),
        Verdict::Unknown(_) => json!({ "holds": null }),
        Verdict::Violated(Disagreement { behaviour, images }) => json!({
            "holds": false,
            "behaviour": events(behaviour),
            "images": images.iter().map(|image| events(image)).collect::<Vec<_>>(),
        }),
    };
    told["stats"] = stats_json(stats);
    told
}

fn proof(verdict: &Verdict<Box<Failing>>, two: &Two) -> Value {
    match verdict {
        Verdict::Holds => json!({ "holds": true }),
        Verdict::Unknown(_) => json!({ "holds": null }),
        Verdict::Violated(failing) => fails(failing, two),
    }
}

fn fails(failing: &Failing, two: &Two) -> Value {
    let mut told = json!({ "holds": false, "behaviour": events(&failing.behaviour) });
    let why = match &failing.why {
        Why::Lacking(lacking) => {
            let names = lacking.allowed.iter().map(|&a| &*two.specification.action(a).name);
            told["allowed"] = names.collect();
            "lacking"
        }
        Why::Coarse { needs, place, counts } => {
            told["needs"] = events(needs);
            told["after_observable_events"] = (*place).into();
            told["internal_events"] = json!({ "implementation": counts[0], "specification": counts[1] });
            "coarse"
        }
        Why::Narrow { partner } => {
            told["partner"] = events(partner);
            "narrow"
        }
        Why::Different { allowed } => {
            told["allowed"] = allowed.iter().map(|name| &**name).collect();
            "different"
        }
    };
    told["why"] = why.into();
    told
}

fn events(events: &[Event]) -> Value {
    events.iter().map(|e| json!({ "event": &*e.name, "observable": e.observable })).collect()
}

#[cfg(test)]
mod tests {
    use posetta_base::{Budget, Limit};
    use posetta_model::sys;
    use posetta_verify::abstraction::{Part, compose};

    use super::*;
    use crate::paint::Paint;
    use crate::text;

    const TEXT: &str = "component Send { internal go  lts { init s; s -put-> t -go-> s } }
component Take { internal go  lts { init s; s -go-> t -get-> s } }
component QuickSend { internal x  lts { init s; s -put-> t -x-> s } }
component QuickTake { internal x  lts { init s; s -x-> t -get-> s } }
";

    fn composed() -> Abstracted {
        let system = |name: &str| sys::read("m.sys", TEXT, Some(name), &mut |_, _| Err("no".into())).expect("a system");
        let two = |a, b| Two { implementation: system(a), specification: system(b) };
        let pairs = vec![two("QuickSend", "Send"), two("QuickTake", "Take")];
        let parts: Vec<Part<'_>> = pairs
            .iter()
            .map(|two| Part {
                implementation: &two.implementation,
                specification: &two.specification,
                constraint: None,
            })
            .collect();
        let abstraction = Abstraction::Canonical;
        let composition = compose(&parts, abstraction, &Budget::unlimited()).expect("an answer");
        Abstracted { pairs, whole: None, abstraction, outcome: Outcome::Parts(composition), seconds: 0.5 }
    }

    #[test]
    fn premises_come_before_what_follows_from_them() {
        let found = composed();
        assert_eq!((found.word(), found.over()), (Word::Unknown, None));
        let ascii = Paint { ascii: true, ..Paint::plain() };
        assert_eq!(
            text::report(&found.report(false), ascii),
            "Does QuickSend || QuickTake implement Send || Take, part by part?  (canonical abstractions that
  agree)

  + every behaviour of `QuickSend` is related to one of `Send`
  + every behaviour of `QuickTake` is related to one of `Take`
  ? the abstractions do not agree

    Behaviours that each relates to one, but never to the same (* observable):

            implementation  Send  Take
        1   -               -     go
        2 * get             get   get

  ? unknown: this proof fails, which does not say that `QuickSend || QuickTake` does not implement
    `Send || Take`
    relate fewer behaviours with --constraint, divide the systems in another way, or compare them as
    wholes: `posetta refine`
"
        );
        // Nobody asked about the premises.
        assert_eq!(found.report(false).words().collect::<Vec<_>>(), [Word::Unknown]);
    }

    #[test]
    fn a_limit_is_told_unless_a_premise_fails() {
        let over = OverBudget::new("looking for an abstraction", Limit::Memory);
        let mut found = composed();
        let Outcome::Parts(composition) = &mut found.outcome else { return };
        composition.agreement = Some((Verdict::Unknown(over), Stats::default()));
        assert_eq!((found.word(), found.over()), (Word::Unknown, Some(over)));
        let json = found.to_json();
        let agreement =
            r#""agreement":{"holds":null,"stats":{"pairs":0,"left_states":0,"right_states":0,"formula_states":0}}}"#;
        assert!(json.ends_with(&format!("{agreement}\n")), "{json}");
    }
}
