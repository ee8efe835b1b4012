//! A fair discrete system and its properties.

use std::sync::Arc;

use posetta_base::{Diagnostic, OverBudget, Verdict};
use posetta_model::fds::{Fds, Spec, Trail, Value as Worth};
use posetta_verify::fds::{Answer as Decided, By, Evidence, Findings};
use serde_json::{Map, Value, json};

use super::{document, parts, remark, word};
use crate::amounts::{counted, grouped, readable};
use crate::json;
use crate::paint::clean;
use crate::picture::Parts;
use crate::picture::model::{Instances, Model, Walk};
use crate::problem::{Problem, is_file};
use crate::report::{Answer, Block, Report, Subject, Summary, Title, When, Written};
use crate::text;
use crate::trail::{self, Column, States};
use crate::word::Word;

/// A property as reports show it.
#[derive(Debug)]
pub struct Asked {
    /// Its name; where the model gives it none, its place there.
    pub name: String,
    /// The formula, in one line.
    pub formula: String,
    /// What its places are in.
    pub file: String,
    /// Where it is written, if that is a file.
    pub written: Option<Written>,
    /// `ltl`, `psl`, `ctl` or `invariant`.
    pub logic: &'static str,
    /// Whether it reads inputs: then they have a value at the last state of a finite computation, too.
    pub inputs: bool,
}

/// An answer and the time it took.
#[derive(Debug)]
pub struct Outcome {
    /// The answer.
    pub answer: Decided,
    /// Since the answer before.
    pub seconds: f64,
    /// For a counterexample: the states at which the property sees something change.
    pub turns: Vec<usize>,
}

/// The model and its properties.
#[derive(Debug, Default)]
pub struct Verified {
    /// As the user calls it.
    pub file: String,
    /// Whether model and properties are known. If not, there is nothing to answer.
    pub prepared: bool,
    /// The model and what is asked of it, once they are known.
    pub model: Option<(Arc<Fds>, Vec<Spec>)>,
    /// The variables of the model.
    pub columns: Vec<Column>,
    /// The properties.
    pub asked: Vec<Asked>,
    /// One for each property; `None` while it is open.
    pub slots: Vec<Option<Outcome>>,
    /// Whether a deadlock counts as a violation.
    pub asks_deadlock: bool,
    /// Whether the properties that the model states are left out.
    pub only_given: bool,
    /// What is true of the model whatever the property.
    pub findings: Option<Findings>,
    /// Things worth knowing about the model, if there are no findings that repeat them.
    pub warnings: Vec<Diagnostic>,
    /// Mistakes: then there is no answer.
    pub problems: Vec<Problem>,
    /// The limit that left something open.
    pub over: Option<OverBudget>,
}

impl Verified {
    /// The model is read: answers can come.
    pub fn listen(&mut self, model: &Arc<Fds>, specs: &[Spec], asked: Vec<Asked>) {
        self.model = Some((Arc::clone(model), specs.to_vec()));
        self.columns = Column::all(model);
        self.slots = asked.iter().map(|_| None).collect();
        self.warnings.clone_from(&model.warnings);
        self.asked = asked;
        self.prepared = true;
    }

    /// Whether all states were found breadth first, so that paths to them are shortest ones.
    fn is_breadth_first(&self) -> bool {
        self.findings.as_ref().is_some_and(|found| found.depth.is_some())
    }

    /// Whether a property holds because there is nothing that could violate it.
    fn is_vacuous(&self, place: usize) -> bool {
        self.slots[place].as_ref().is_some_and(|outcome| outcome.answer.vacuous)
    }

    /// What became of a property, and the limit that left it open.
    #[must_use]
    pub fn word(&self, place: usize) -> (Word, Option<OverBudget>) {
        word(self.slots[place].as_ref().map(|outcome| &outcome.answer.verdict), self.over)
    }

    /// Whether there is no deadlock, if that is asked.
    fn deadlock_word(&self) -> Option<Word> {
        let known = |findings: &Findings| match (&findings.deadlock, &findings.states) {
            (Some(_), _) => Word::Violated,
            (None, Some(_)) => Word::Holds,
            (None, None) => Word::Unknown,
        };
        self.asks_deadlock.then(|| self.findings.as_ref().map_or(Word::Unknown, known))
    }

    /// All answers, that about deadlocks last; none if there are mistakes.
    #[must_use]
    pub fn words(&self) -> Vec<Word> {
        if !self.problems.is_empty() || !self.prepared {
            return Vec::new();
        }
        let own = (0..self.asked.len()).map(|place| self.word(place).0);
        own.chain(self.deadlock_word()).collect()
    }

    /// The limit that no answer tells of.
    #[must_use]
    pub fn stopped(&self) -> Option<OverBudget> {
        self.over.filter(|_| !self.words().contains(&Word::Unknown))
    }

    /// The way to a state without a next one.
    fn deadlock(&self) -> Option<&Trail> {
        self.findings.as_ref()?.deadlock.as_ref()
    }

    /// The most diagram nodes that anybody saw.
    fn most_nodes(&self) -> Option<u64> {
        let answers = self.slots.iter().flatten().map(|outcome| outcome.answer.diagram_nodes);
        answers.chain(self.findings.as_ref().map(|findings| findings.diagram_nodes)).max()
    }

    /// Warnings with the text that their place is in, and the property that they are about.
    #[must_use]
    pub fn remarks(&self) -> Vec<Problem> {
        let general = self.findings.as_ref().map_or(&self.warnings, |findings| &findings.warnings);
        let mut all: Vec<Problem> =
            general.iter().map(|warning| Problem::in_text(&self.file, warning.clone())).collect();
        for (asked, outcome) in self.asked.iter().zip(&self.slots) {
            let warnings = outcome.iter().flat_map(|outcome| &outcome.answer.warnings);
            all.extend(warnings.map(|warning| remark(&asked.file, &asked.name, warning)));
        }
        all
    }

    /// The verdicts; none if there are mistakes, or a limit, which speak for themselves. With `stats`, what they took.
    #[must_use]
    pub fn report<'a>(&self, stats: bool, witness: When) -> Report<'a> {
        let mut told = Report::default();
        if !self.prepared || !self.problems.is_empty() {
            return told;
        }
        let mut subject = self.subject(stats);
        subject.answers.extend((0..self.asked.len()).map(|place| self.answer(place, stats, witness)));
        self.tell_deadlock(&mut subject, witness);
        if self.asked.is_empty() && !self.asks_deadlock {
            let remark = match self.only_given {
                true => "no property: none was given",
                false => "no property: the model states none, and none was given",
            };
            subject.rest.push(Block::Remark(remark.to_owned()));
        } else {
            told.summary = Some(Summary { properties: subject.answers.len(), runs: None, errors: 0 });
        }
        told.subjects.push(subject);
        told
    }

    fn subject<'a>(&self, stats: bool) -> Subject<'a> {
        let inputs = self.columns.iter().filter(|c| c.input).count() as u64;
        let mut facts = vec![counted(self.columns.len() as u64 - inputs, "variable", "variables")];
        if inputs > 0 {
            facts.push(counted(inputs, "input", "inputs"));
        }
        if let Some(findings) = &self.findings {
            facts.push(counted(findings.bits, "bit", "bits"));
            if let Some(states) = findings.states.as_ref().map(ToString::to_string) {
                let noun = if states == "1" { "reachable state" } else { "reachable states" };
                facts.push(format!("{} {noun}", readable(&states)));
            }
            facts.extend(findings.depth.map(|depth| format!("depth {}", grouped(depth))));
        }
        let mut subject = Subject::new(Title::Name(self.file.clone()), facts);
        subject.file = is_file(&self.file).then(|| self.file.clone());
        subject.cost = self.findings.as_ref().filter(|_| stats).map(|findings| {
            let relation = counted(findings.relation_nodes, "diagram node", "diagram nodes");
            format!("{relation} for the steps, at most {} in all", grouped(self.most_nodes().unwrap_or(0)))
        });
        subject
    }

    fn answer<'a>(&self, place: usize, stats: bool, witness: When) -> Answer<'a> {
        let asked = &self.asked[place];
        let (word, over) = self.word(place);
        let sentence = match (word, over) {
            (Word::Unknown, Some(over)) => text::open(over),
            (Word::Holds, _) if self.is_vacuous(place) => match asked.logic {
                "invariant" => "holds vacuously: there is no state",
                _ => "holds vacuously: there is no computation",
            }
            .to_owned(),
            _ => sentence(asked, word).to_owned(),
        };
        let mut answer = Answer::new(asked.name.clone(), word, sentence);
        answer.formula = (asked.name != asked.formula).then(|| [asked.logic.to_owned(), asked.formula.clone()]);
        answer.written.clone_from(&asked.written);
        let Some(outcome) = &self.slots[place] else { return answer };
        answer.seconds = Some(outcome.seconds);
        if stats {
            let rounds = counted(outcome.answer.rounds, "operation", "operations");
            let nodes = counted(outcome.answer.diagram_nodes, "diagram node", "diagram nodes");
            let engine = outcome.answer.by.map_or_else(String::new, |by| format!("engine {}, ", by.word()));
            answer.costs.push(format!("{engine}{rounds}, {nodes}, {:.3} s", outcome.seconds));
        }
        if let Verdict::Violated(evidence) = &outcome.answer.verdict
            && witness != When::Never
        {
            let trail = evidence.trail();
            let end = match evidence {
                Evidence::Computation(_) if asked.inputs => {
                    let inputs = trail.states.last().map_or(Vec::new(), |state| trail::inputs(state, &self.columns));
                    format!("the computation ends here, with {}", clean(&inputs.join(", ")))
                }
                Evidence::Computation(_) => "the computation ends here".to_owned(),
                Evidence::Path(_) if asked.logic == "invariant" => "here it is broken".to_owned(),
                Evidence::Path(_) => String::new(),
            };
            let states = States::new(trail, &self.columns, &outcome.turns, &end);
            answer.blocks.push(Block::States { heading: self.heading(asked, evidence), states });
        }
        answer
    }

    /// The answers with the computations that show them; nothing if there are mistakes.
    #[must_use]
    pub fn picture(&self) -> Option<Model> {
        if !self.prepared || !self.problems.is_empty() {
            return None;
        }
        let lanes = Instances::new(&self.columns);
        let mut subject = self.subject(false);
        let mut model = Model::new(&subject, lanes.names.clone());
        for (place, asked) in self.asked.iter().enumerate() {
            let evidence = self.slots[place].as_ref().and_then(|outcome| match &outcome.answer.verdict {
                Verdict::Violated(evidence) => Some(evidence),
                Verdict::Holds | Verdict::Unknown(_) => None,
            });
            let walk = evidence.map(|evidence| Walk {
                note: match evidence {
                    Evidence::Computation(_) => "the computation ends here".to_owned(),
                    Evidence::Path(_) if asked.logic == "invariant" => "here it is broken".to_owned(),
                    Evidence::Path(_) => String::new(),
                },
                parts: self.parts(place, evidence.trail()),
                ..Walk::of_trail(evidence.trail(), &self.columns, &lanes)
            });
            model.add(&self.answer(place, false, When::Auto), asked.logic, &asked.formula, walk);
        }
        self.tell_deadlock(&mut subject, When::Auto);
        for answer in &subject.answers {
            let walk = self.deadlock().map(|trail| Walk {
                note: "from here there is no step".to_owned(),
                ..Walk::of_trail(trail, &self.columns, &lanes)
            });
            model.add(answer, "deadlock", "", walk);
        }
        Some(model)
    }

    /// The parts of a property along a computation.
    fn parts(&self, place: usize, trail: &Trail) -> Option<Parts> {
        let (model, specs) = self.model.as_ref()?;
        parts::of_model(model, specs.get(place)?, trail)
    }

    /// What stands above the states.
    fn heading(&self, asked: &Asked, evidence: &Evidence) -> String {
        let trail = evidence.trail();
        let what = match evidence {
            Evidence::Computation(_) => "A computation that does not satisfy it",
            Evidence::Path(_) if asked.logic == "invariant" && self.is_breadth_first() => {
                "A shortest path to a state that does not satisfy it"
            }
            Evidence::Path(_) if asked.logic == "invariant" => "A path to a state that does not satisfy it",
            Evidence::Path(trail) if trail.states.len() == 1 && trail.cycle.is_none() => {
                return "Such a state".to_owned();
            }
            Evidence::Path(_) => "A path from such a state that shows it",
        };
        match trail.cycle {
            Some(0) => format!("{what}; it goes round forever"),
            Some(to) => format!("{what}; from state {} on it goes round forever", grouped(to as u64)),
            None if matches!(evidence, Evidence::Computation(_)) => format!("{what}; it ends in a final state"),
            None => what.to_owned(),
        }
    }

    /// States without a next one.
    fn tell_deadlock(&self, subject: &mut Subject<'_>, witness: When) {
        let path = self.deadlock().filter(|_| witness != When::Never).map(|trail| {
            let path = if self.is_breadth_first() { "A shortest path" } else { "A path" };
            let states = States::new(trail, &self.columns, &[], "from here there is no step");
            Block::States { heading: format!("{path} to a state that has no next one and is not final"), states }
        });
        if let Some(word) = self.deadlock_word() {
            let sentence = match (word, self.over) {
                (Word::Holds, _) => "holds: every reachable state has a next one or is final".to_owned(),
                (Word::Violated, _) => "violated: some reachable state has no next one and is not final".to_owned(),
                (Word::Unknown, Some(over)) => text::open(over),
                (Word::Unknown, None) => "unknown".to_owned(),
            };
            let mut answer = Answer::new("no deadlock", word, sentence);
            answer.blocks.extend(path);
            subject.answers.push(answer);
            return;
        }
        match (witness, self.deadlock()) {
            (When::Always, _) => subject.rest.extend(path),
            (When::Auto, Some(trail)) => {
                let lines = trail.states.last().map_or(Vec::new(), |state| trail::whole(state, &self.columns));
                let away = counted(trail.states.len() as u64 - 1, "step", "steps");
                let text = format!("a deadlock, reached in {away} (--witness always shows the path):");
                subject.rest.push(Block::Notice { text, lines });
            }
            (When::Auto, None) | (When::Never, _) => {}
        }
    }

    /// The whole report for programs. Fields are documented in docs/report.md; more may be added, none is renamed.
    #[must_use]
    pub fn to_json(&self, witness: When, warnings: Vec<Value>) -> String {
        let mut results: Vec<Value> = Vec::new();
        if self.problems.is_empty() && self.prepared {
            results.extend((0..self.asked.len()).map(|place| self.result(place, witness)));
            results.extend(self.deadlock_result(witness));
        } else if self.problems.is_empty() {
            results.push(self.unprepared());
        }
        document(results, warnings, &self.problems, self.about())
    }

    fn about(&self) -> Value {
        let findings = self.findings.as_ref();
        json!({
            "model": self.file,
            "variables": self.prepared.then(|| self.columns.iter().filter(|c| !c.input).count()),
            "inputs": self.prepared.then(|| self.columns.iter().filter(|c| c.input).count()),
            "bits": findings.map(|f| f.bits),
            "states": self.states(),
            "depth": findings.and_then(|f| f.depth),
            "deadlock": self.deadlock().map(|found| trail(found, &self.columns, false)),
            "relation_nodes": findings.map(|f| f.relation_nodes),
            "diagram_nodes": self.most_nodes(),
            "limit": self.over.map(|over| json::limit(over, 0)),
        })
    }

    /// As a string: it grows past what numbers of JSON are read as.
    fn states(&self) -> Option<String> {
        self.findings.as_ref()?.states.as_ref().map(ToString::to_string)
    }

    fn result(&self, place: usize, witness: When) -> Value {
        let asked = &self.asked[place];
        let (word, over) = self.word(place);
        let outcome = self.slots[place].as_ref();
        let answer = outcome.map(|outcome| &outcome.answer);
        let evidence = match answer.map(|answer| &answer.verdict) {
            Some(Verdict::Violated(evidence)) if witness != When::Never => Some(evidence),
            _ => None,
        };
        let rounds = answer.map_or(0, |answer| answer.rounds);
        json!({
            "model": self.file,
            "property": asked.name,
            "logic": asked.logic,
            "formula": asked.formula,
            "verdict": word.text(),
            "vacuous": self.is_vacuous(place),
            "witness": evidence.map(|evidence| trail(evidence.trail(), &self.columns, asked.inputs)),
            "limit": over.map(|over| json::limit(over, rounds)),
            "stats": self.stats(outcome),
        })
    }

    /// The answer to `--deadlock`.
    fn deadlock_result(&self, witness: When) -> Option<Value> {
        let word = self.deadlock_word()?;
        let found = self.deadlock().filter(|_| witness != When::Never);
        Some(json!({
            "model": self.file,
            "property": "no deadlock",
            "logic": "deadlock",
            "formula": null,
            "verdict": word.text(),
            "vacuous": false,
            "witness": found.map(|found| trail(found, &self.columns, false)),
            "limit": self.over.filter(|_| word == Word::Unknown).map(|over| json::limit(over, 0)),
            "stats": self.stats(None),
        }))
    }

    /// The one result if nothing could be asked.
    fn unprepared(&self) -> Value {
        json!({
            "model": self.file,
            "property": null,
            "logic": null,
            "formula": null,
            "verdict": Word::Unknown.text(),
            "vacuous": false,
            "witness": null,
            "limit": self.over.map(|over| json::limit(over, 0)),
            "stats": self.stats(None),
        })
    }

    /// What an answer took, and how large the model is.
    fn stats(&self, outcome: Option<&Outcome>) -> Value {
        let answer = outcome.map(|outcome| &outcome.answer);
        json!({
            "engine": answer.and_then(|answer| answer.by).map(By::word),
            "states": self.states(),
            "depth": self.findings.as_ref().and_then(|f| f.depth),
            "diagram_nodes": answer.map(|answer| answer.diagram_nodes),
            "rounds": answer.map(|answer| answer.rounds),
            "seconds": outcome.map(|outcome| json::seconds(outcome.seconds)),
        })
    }
}

/// The verdict in words.
fn sentence(asked: &Asked, word: Word) -> &'static str {
    match (word, asked.logic) {
        (Word::Unknown, _) => "unknown",
        (Word::Holds, "invariant") => "holds: every reachable state satisfies it",
        (Word::Violated, "invariant") => "violated: some reachable state does not satisfy it",
        (Word::Holds, "ctl") => "holds: every initial state that begins a computation satisfies it",
        (Word::Violated, "ctl") => "violated: some initial state that begins a computation does not satisfy it",
        (Word::Holds, _) => "holds: every computation satisfies it",
        (Word::Violated, _) => "violated: some computation does not satisfy it",
    }
}

/// The states before the cycle and those on it; the inputs of the last state of a finite path only if they are looked at.
fn trail(trail: &Trail, columns: &[Column], all: bool) -> Value {
    let count = trail.states.len();
    let object = |(i, state): (usize, &Vec<Worth>)| {
        // From the last state of a finite path no step goes on.
        let steps_on = all || i + 1 < count || trail.cycle.is_some();
        let fields = columns.iter().zip(state).filter(|(c, _)| steps_on || !c.input);
        Value::Object(fields.map(|(c, value)| (c.name.clone(), worth(value))).collect::<Map<_, _>>())
    };
    let mut prefix: Vec<Value> = trail.states.iter().enumerate().map(object).collect();
    let cycle = prefix.split_off(trail.cycle.unwrap_or(count).min(count));
    json!({ "prefix": prefix, "cycle": cycle })
}

fn worth(value: &Worth) -> Value {
    match value {
        Worth::Bool(b) => json!(b),
        Worth::Int(i) => json!(i),
        Worth::Symbol(s) => json!(&**s),
    }
}

#[cfg(test)]
mod tests {
    use posetta_base::{Kind, Limit};

    use super::*;
    use crate::paint::Paint;

    const OVER: OverBudget = OverBudget::new("verifying", Limit::Time);

    fn asked(name: &str, logic: &'static str) -> Asked {
        let (formula, file) = ("G n < 2".to_owned(), "m.smv".to_owned());
        Asked { name: name.to_owned(), formula, file, written: None, logic, inputs: false }
    }

    /// Two properties: the one is violated, the other open when time was up.
    fn half_way() -> Verified {
        let column = |name: &str, input| Column { name: name.to_owned(), input };
        let states = (0..3).map(|n| vec![Worth::Int(n), Worth::Bool(true)]).collect();
        let evidence = Evidence::Path(Trail { states, cycle: None });
        let answer = Decided::new(Verdict::Violated(evidence)).rounds(4).diagram_nodes(17);
        Verified {
            file: "m.smv".to_owned(),
            prepared: true,
            columns: vec![column("n", false), column("go", true)],
            asked: vec![asked("small", "invariant"), asked("later", "ltl")],
            slots: vec![Some(Outcome { answer, seconds: 0.25, turns: vec![2] }), None],
            over: Some(OVER),
            ..Verified::default()
        }
    }

    #[test]
    fn what_a_limit_left_open_is_unknown() {
        let found = half_way();
        assert_eq!((found.words(), found.stopped()), (vec![Word::Violated, Word::Unknown], None));
        assert_eq!(
            text::report(&found.report(true, When::Auto), Paint::plain()),
            "m.smv  1 variable, 1 input
  ✗ small  violated: some reachable state does not satisfy it
    invariant G n < 2
    4 operations, 17 diagram nodes, 0.250 s

    A path to a state that does not satisfy it:

       0  n = 0
       1  [go = TRUE]  n = 1
       2  [go = TRUE]  n = 2
          here it is broken

  ? later  unknown: the time limit was reached while verifying (more time: --timeout)
    ltl G n < 2

2 properties: 1 violated, 1 unknown
"
        );
        assert_eq!(
            found.to_json(When::Auto, Vec::new()),
            concat!(
                r#"{"schema":"posetta-verify/1","#,
                "\n \"results\":[\n  ",
                r#"{"model":"m.smv","property":"small","logic":"invariant","formula":"G n < 2","verdict":"violated","vacuous":false,"#,
                r#""witness":{"prefix":[{"n":0,"go":true},{"n":1,"go":true},{"n":2}],"cycle":[]},"limit":null,"#,
                r#""stats":{"engine":null,"states":null,"depth":null,"diagram_nodes":17,"rounds":4,"seconds":0.25}},"#,
                "\n  ",
                r#"{"model":"m.smv","property":"later","logic":"ltl","formula":"G n < 2","verdict":"unknown","vacuous":false,"#,
                r#""witness":null,"limit":{"reached":"time","while":"verifying","explored":0},"#,
                r#""stats":{"engine":null,"states":null,"depth":null,"diagram_nodes":null,"rounds":null,"seconds":null}}],"#,
                "\n \"warnings\":[],\n \"errors\":[],\n \"model\":",
                r#"{"model":"m.smv","variables":1,"inputs":1,"bits":null,"states":null,"depth":null,"deadlock":null,"#,
                r#""relation_nodes":null,"diagram_nodes":17,"limit":{"reached":"time","while":"verifying","explored":0}}}"#,
                "\n"
            )
        );
    }

    #[test]
    fn a_limit_before_the_first_question_is_the_only_result() {
        let found = Verified { file: "m.smv".to_owned(), over: Some(OVER), ..Verified::default() };
        assert_eq!(found.stopped(), Some(OVER));
        assert!(found.report(false, When::Auto).subjects.is_empty());
        let json = found.to_json(When::Auto, Vec::new());
        assert!(
            json.contains(
                r#"[
  {"model":"m.smv","property":null,"logic":null,"formula":null,"verdict":"unknown","#
            ),
            "{json}"
        );
    }

    #[test]
    fn with_a_mistake_there_is_no_answer() {
        let mut found = half_way();
        found.over = None;
        found.problems.push(Problem::in_text("m.smv", Diagnostic::new(Kind::Input, "no such file")));
        assert!(found.words().is_empty() && found.report(false, When::Auto).subjects.is_empty());
        let json = found.to_json(When::Auto, Vec::new());
        assert!(json.contains("\"results\":[],\n"), "{json}");
        assert!(
            json.contains(
                r#"{"trace":null,"file":"m.smv","property":null,"kind":"input","line":null,"column":null,"message":"no such file","label":null,"help":null}"#
            ),
            "{json}"
        );
    }
}
