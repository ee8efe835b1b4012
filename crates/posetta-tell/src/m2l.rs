//! What became of formulas of M2L, and how it is said.
//!
//! For people that is in MONA's words ([`text`]); for printers that know only reports each formula is an [`Answer`], which holds if
//! the formula is valid.

use std::fmt::Write;

use posetta_automata::tracks::Bit;
use posetta_base::{Budget, OverBudget};
use posetta_compile::m2l::{self, Answer as Said, Decision, Effort, Engine, Example};
use posetta_logic::m2l::{Order, Program, VarId};
use serde_json::{Map, Value, json};

use crate::amounts::counted;
use crate::json::{self, Schema};
use crate::paint::{Paint, clean};
use crate::report::{Answer, Block};
use crate::word::Word;

/// Names are padded to this.
const NAME: usize = 15;

/// What came of one formula.
#[derive(Debug)]
pub struct Finding {
    /// The place of a `verify`; the main formula is 0.
    pub place: usize,
    /// The title of a `verify`.
    pub title: Option<String>,
    /// Whether it is valid.
    pub said: Said,
    /// A shortest string that refutes it.
    pub counterexample: Option<Model>,
    /// A shortest string that satisfies it.
    pub example: Option<Model>,
    /// Which engine had the answer.
    pub engine: Engine,
    /// What that took.
    pub effort: Effort,
    /// How long it took.
    pub seconds: f64,
}

/// A string, with the names of the variables on it.
#[derive(Debug)]
pub struct Model {
    /// How many positions it has.
    pub length: usize,
    /// The variables, in the order of declaration.
    pub tracks: Vec<Track>,
}

/// A variable on a string.
#[derive(Debug)]
pub struct Track {
    /// Its name.
    pub name: String,
    /// Whether it is a truth value, a position or a set.
    pub order: Order,
    /// What it is before the string, which matters for truth values.
    pub before: char,
    /// What it is at each position.
    pub bits: String,
    /// What it stands for.
    pub value: Worth,
}

/// What a variable stands for. What does not matter is taken as 0.
#[derive(Debug)]
pub enum Worth {
    /// A truth value.
    Truth(bool),
    /// A position.
    Position(usize),
    /// A set of positions.
    Set(Vec<usize>),
}

impl Model {
    fn new(program: &Program, example: &Example) -> Self {
        let track = |(var, before, bits): &(VarId, Bit, Vec<Bit>)| {
            let variable = &program.vars[var.index()];
            let mut ones = bits.iter().enumerate().filter(|(_, bit)| **bit == Bit::One).map(|(at, _)| at);
            let value = match variable.order {
                Order::Zero => Worth::Truth(*before == Bit::One),
                Order::One => Worth::Position(ones.next().unwrap_or(0)),
                Order::Two => Worth::Set(ones.collect()),
            };
            Track {
                name: variable.name.clone(),
                order: variable.order,
                before: sign(*before),
                bits: bits.iter().copied().map(sign).collect(),
                value,
            }
        };
        Self { length: example.length, tracks: example.vars.iter().map(track).collect() }
    }

    /// What each variable stands for.
    fn values(&self) -> Vec<String> {
        let value = |track: &Track| match &track.value {
            Worth::Truth(value) => format!("{} = {value}", track.name),
            Worth::Position(at) => format!("{} = {at}", track.name),
            Worth::Set(all) => {
                let all: Vec<String> = all.iter().map(ToString::to_string).collect();
                format!("{} = {{{}}}", track.name, all.join(","))
            }
        };
        self.tracks.iter().map(value).collect()
    }

    fn text(&self, what: &str) -> String {
        let mut out = format!("{what} of least length ({}) is:\n", self.length);
        for track in &self.tracks {
            let line = format!("{:NAME$} {} {}", track.name, track.before, track.bits);
            let _ = writeln!(out, "{}", line.trim_end());
        }
        if !self.tracks.is_empty() {
            out.push('\n');
        }
        out.extend(self.values().into_iter().map(|value| value + "\n"));
        out
    }

    fn to_json(&self) -> Value {
        let (mut values, mut tracks) = (Map::new(), Map::new());
        for track in &self.tracks {
            let value = match &track.value {
                Worth::Truth(value) => json!(value),
                Worth::Position(at) => json!(at),
                Worth::Set(all) => json!(all),
            };
            values.insert(track.name.clone(), value);
            let bits = if track.order == Order::Zero { track.before.to_string() } else { track.bits.clone() };
            tracks.insert(track.name.clone(), Value::String(bits));
        }
        json!({ "length": self.length, "values": values, "tracks": tracks })
    }
}

fn sign(bit: Bit) -> char {
    match bit {
        Bit::Zero => '0',
        Bit::One => '1',
        Bit::Any => 'X',
    }
}

impl Finding {
    /// With the names of a program.
    #[must_use]
    pub fn new(program: &Program, place: usize, decision: &Decision, seconds: f64) -> Self {
        let model = |example: &Option<Example>| example.as_ref().map(|e| Model::new(program, e));
        Self {
            place,
            title: decision.title.clone(),
            said: decision.answer,
            counterexample: model(&decision.counterexample),
            example: model(&decision.example),
            engine: decision.engine,
            effort: decision.effort,
            seconds,
        }
    }

    /// Holds if the formula is valid.
    #[must_use]
    pub fn word(&self) -> Word {
        Word::from(self.said == Said::Valid)
    }

    fn name(&self) -> String {
        match (&self.title, self.place) {
            (Some(title), _) => format!("Formula {}", clean(title)),
            (None, 0) => "Main formula".to_owned(),
            (None, _) => "Formula <untitled>".to_owned(),
        }
    }

    /// Strings that refute and satisfy it, with what they are called.
    fn models(&self) -> impl Iterator<Item = (&Model, &'static str)> {
        let against = self.counterexample.as_ref().map(|model| (model, "A counter-example"));
        against.into_iter().chain(self.example.as_ref().map(|model| (model, "A satisfying example")))
    }

    /// As a property that holds if the formula is valid: with `stats`, what it took.
    #[must_use]
    pub fn answer<'a>(&self, stats: bool) -> Answer<'a> {
        let sentence = match self.said {
            Said::Valid => "valid: no string refutes it",
            Said::Unsatisfiable => "unsatisfiable: no string satisfies it",
            Said::Neither => "neither: some strings satisfy it, others refute it",
        };
        let mut answer = Answer::new(self.name(), self.word(), sentence);
        answer.is_named = true;
        answer.seconds = Some(self.seconds);
        answer.costs.extend(stats.then(|| self.cost()));
        answer.blocks.extend(self.models().map(|(model, what)| Block::List {
            heading: format!("{what} of least length ({})", model.length),
            items: model.values(),
        }));
        answer
    }

    fn text(&self, paint: Paint) -> String {
        let mut parts = Vec::new();
        match self.said {
            Said::Valid => parts.push(format!("{}\n", paint.green("Formula is valid"))),
            Said::Unsatisfiable => parts.push(format!("{}\n", paint.red("Formula is unsatisfiable"))),
            Said::Neither => {}
        }
        // What shows that something satisfies a valid formula is nothing to who wants it quiet.
        let models = self.models().filter(|_| !paint.quiet || self.word() != Word::Holds);
        parts.extend(models.map(|(model, what)| model.text(what)));
        parts.join("\n")
    }

    fn engine(&self) -> &'static str {
        match self.engine {
            Engine::Lazy => "lazy",
            Engine::Written => "written",
            _ => "eager",
        }
    }

    fn cost(&self) -> String {
        let effort = &self.effort;
        [
            format!("{} engine", self.engine()),
            counted(effort.products, "product", "products"),
            counted(effort.projections, "projection", "projections"),
            format!("at most {}", counted(effort.most_states as u64, "state", "states")),
            counted(effort.most_nodes as u64, "node", "nodes"),
            format!("{:.3} s", self.seconds),
        ]
        .join(", ")
    }

    /// What was said about it, in a word.
    fn spelled(&self) -> &'static str {
        match self.said {
            Said::Valid => "valid",
            Said::Unsatisfiable => "unsatisfiable",
            Said::Neither => "neither",
        }
    }

    /// A `verify`, for programs.
    fn to_json(&self) -> Value {
        json!({
            "title": self.title,
            "answer": self.spelled(),
            "counterexample": self.counterexample.as_ref().map(Model::to_json),
            "example": self.example.as_ref().map(Model::to_json),
            "stats": self.stats(),
        })
    }

    fn stats(&self) -> Value {
        let effort = &self.effort;
        json!({
            "engine": self.engine(),
            "products": effort.products,
            "projections": effort.projections,
            "states": effort.most_states,
            "nodes": effort.most_nodes,
            "seconds": json::seconds(self.seconds),
        })
    }
}

/// Decides one formula after the other, so that each answer can be told though a later one takes too long: first the main formula, then each
/// `verify`. `tell` is told its place, and the answer.
///
/// # Errors
/// When the budget is spent.
pub fn decided(
    program: &Program,
    engine: Engine,
    budget: &Budget,
    mut tell: impl FnMut(usize, &Decision),
) -> Result<(), OverBudget> {
    let mut alone = Program { verify: Vec::new(), ..program.clone() };
    for place in 0..=program.verify.len() {
        let verify = place.checked_sub(1).map(|at| &program.verify[at]);
        if let Some(verify) = verify {
            alone.formula = verify.formula.clone();
        }
        for mut decision in m2l::decide(&alone, engine, budget)? {
            decision.title = verify.and_then(|v| v.title.clone());
            tell(place, &decision);
        }
    }
    Ok(())
}

/// Everything that is known, in MONA's words. Who wants it quiet is told the main formula, and each `verify` that is not valid.
#[must_use]
pub fn text(findings: &[Finding], stats: bool, paint: Paint) -> String {
    let is_shown = |finding: &&Finding| !paint.quiet || finding.place == 0 || finding.word() != Word::Holds;
    let one = |finding: &Finding| {
        let title = match findings.len() > 1 {
            true => format!("{}\n", paint.bold(&format!("{}:", finding.name()))),
            false => String::new(),
        };
        let cost = if stats { format!("\n{}\n", paint.dim(&finding.cost())) } else { String::new() };
        format!("{title}{}{cost}", finding.text(paint))
    };
    findings.iter().filter(is_shown).map(one).collect::<Vec<_>>().join("\n")
}

/// Everything that is known, for programs: the answer of the main formula, and those of each `verify`. Fields are documented in
/// docs/report.md; more may be added, none is renamed.
#[must_use]
pub fn to_json(findings: &[Finding], errors: Vec<Value>, over: Option<OverBudget>) -> String {
    let main = findings.first();
    let open = over.map(|_| Word::Unknown.text());
    let mut object = json!({
        "answer": main.map(Finding::spelled).or(open),
        "counterexample": main.and_then(|f| f.counterexample.as_ref()).map(Model::to_json),
        "example": main.and_then(|f| f.example.as_ref()).map(Model::to_json),
        "formulas": findings.iter().skip(1).map(Finding::to_json).collect::<Vec<_>>(),
        "stats": main.map(Finding::stats),
    });
    if let Some(over) = over {
        object["limit"] = json::limit(over, 0);
    }
    object["errors"] = Value::Array(errors);
    Schema::M2l.object(object)
}

#[cfg(test)]
mod tests {
    use posetta_base::{Budget, Diagnostic, Kind, Limit};
    use posetta_compile::m2l::decide;
    use posetta_logic::m2l::read_program;

    use super::*;
    use crate::problem::Problem;
    use crate::report::{Report, Subject, Title};

    /// A valid main formula, and a `verify` that is neither.
    fn findings() -> Vec<Finding> {
        let text = "var2 X; X = X;\nverify \"it is there\" 0 in X;\n";
        let mut program = read_program("f.mona", text, &mut |_, _| Err("no".into())).expect("a program");
        let titled = program.verify.remove(0);
        let mut all = Vec::new();
        for place in 0..2 {
            if place == 1 {
                program.formula = titled.formula.clone();
            }
            let mut decision = decide(&program, Engine::Eager, &Budget::unlimited()).expect("an answer").remove(0);
            decision.title = titled.title.clone().filter(|_| place == 1);
            decision.effort = Effort::default();
            all.push(Finding::new(&program, place, &decision, 0.5));
        }
        all
    }

    const STATS: &str = r#"{"engine":"eager","products":0,"projections":0,"states":0,"nodes":0,"seconds":0.5}"#;

    #[test]
    fn in_the_words_of_mona() {
        let all = findings();
        assert_eq!(
            text(&all, false, Paint::plain()),
            "Main formula:
Formula is valid

A satisfying example of least length (0) is:
X               X

X = {}

Formula it is there:
A counter-example of least length (0) is:
X               X

X = {}

A satisfying example of least length (1) is:
X               X 1

X = {0}
"
        );
        assert_eq!(
            text(&all[..1], true, Paint::plain()),
            "Formula is valid

A satisfying example of least length (0) is:
X               X

X = {}

eager engine, 0 products, 0 projections, at most 0 states, 0 nodes, 0.500 s
"
        );
    }

    #[test]
    fn quiet_is_the_main_formula_and_what_is_not_valid() {
        let quiet = Paint { quiet: true, ..Paint::plain() };
        let mut all = findings();
        let shown = text(&all, false, quiet);
        assert!(
            shown.starts_with("Main formula:\nFormula is valid\n\nFormula it is there:\nA counter-example"),
            "{shown}"
        );
        all[1].said = Said::Valid;
        assert_eq!(text(&all, false, quiet), "Main formula:\nFormula is valid\n");
    }

    #[test]
    fn as_a_report() {
        let all = findings();
        let mut subject = Subject::new(Title::Name("f.mona".to_owned()), Vec::new());
        subject.answers.extend(all.iter().map(|finding| finding.answer(false)));
        let report = Report { subjects: vec![subject], ..Report::default() };
        assert_eq!(
            crate::text::report(&report, Paint::plain()),
            "f.mona
  ✓ Main formula  valid: no string refutes it

    A satisfying example of least length (0):

      X = {}

  ✗ Formula it is there  neither: some strings satisfy it, others refute it

    A counter-example of least length (0):

      X = {}

    A satisfying example of least length (1):

      X = {0}
"
        );
    }

    #[test]
    fn what_is_known_when_a_limit_is_reached() {
        let over = OverBudget::new("deciding the formula", Limit::Memory);
        let limit = r#""limit":{"reached":"memory","while":"deciding the formula","explored":0},"errors":[]}"#;
        assert_eq!(
            to_json(&[], Vec::new(), Some(over)),
            format!(
                "{}{limit}\n",
                r#"{"schema":"posetta-m2l/1","answer":"unknown","counterexample":null,"example":null,"formulas":[],"stats":null,"#
            )
        );
        let known = to_json(&findings()[..1], Vec::new(), Some(over));
        assert!(known.contains(r#""answer":"valid","counterexample":null"#), "{known}");
        assert!(known.ends_with(&format!("\"formulas\":[],\"stats\":{STATS},{limit}\n")), "{known}");
    }

    #[test]
    fn with_a_mistake_there_is_no_answer() {
        let problem = Problem::in_text("f.mona", Diagnostic::new(Kind::Syntax, "the formula ends here"));
        assert_eq!(
            to_json(&[], vec![problem.to_json()], None),
            concat!(
                r#"{"schema":"posetta-m2l/1","answer":null,"counterexample":null,"example":null,"formulas":[],"stats":null,"#,
                r#""errors":[{"trace":null,"file":"f.mona","property":null,"kind":"syntax","line":null,"column":null,"#,
                r#""message":"the formula ends here","label":null,"help":null}]}"#,
                "\n"
            )
        );
    }
}
