//! What a monitor of a property can say, and when.

use std::fmt::Write;

use posetta_base::{Budget, OverBudget};
use posetta_compile::{Answers, Linear, Machine, Prospect};
use posetta_logic::{Atoms, Sample, View};
use posetta_monitor::Completions;
use posetta_tell::page::put;
use serde_json::{Value, json};

use super::sample;
use crate::amounts::counted;
use crate::paint::Paint;
use crate::properties::Named;

/// The monitor of a property.
pub struct Watching {
    completions: Completions,
    /// Which states and how many classes of letters it has; nothing if it is not held whole.
    size: Option<(usize, Option<usize>)>,
    /// Whether some word is determined. `None` if that is not known.
    monitorable: Option<bool>,
    view: View,
    variables: Vec<String>,
    /// Shortest words after which it is violated, or holds, whatever comes, or after which neither can be known any more.
    violated: Option<Sample>,
    holds: Option<Sample>,
    lost: Option<Sample>,
}

impl Watching {
    /// `None` for a property that is not about single words.
    pub fn of(property: &Named, completions: Completions, budget: &Budget) -> Result<Option<Self>, OverBudget> {
        let mut atoms = Atoms::default();
        let Some((view, linear)) = Linear::of(&property.property.formula, &mut atoms, budget)? else {
            return Ok(None);
        };
        let machine = Machine::new(&linear, &atoms, view, completions, budget)?;
        let mut watching = Self {
            completions: if matches!(linear, Linear::Monitor(_)) { Completions::Finite } else { completions },
            size: machine.states().map(|states| (states, None)),
            monitorable: None,
            view,
            variables: atoms.variables().to_vec(),
            violated: None,
            holds: None,
            lost: None,
        };
        match &machine {
            Machine::Listed(listed) => {
                watching.size = Some((listed.moore().len(), Some(listed.moore().width())));
                let word = |wanted: &dyn Fn(Answers) -> bool| -> Result<Option<Sample>, OverBudget> {
                    let steps = listed.word_to(wanted, budget)?;
                    steps.map_or(Ok(None), |steps| listed.letters().realise(&steps, budget))
                };
                watching.violated = word(&|a| a.prospect == Prospect::Violated)?;
                watching.holds = word(&|a| a.prospect == Prospect::Holds)?;
                watching.lost = word(&|a| a.monitorable == Some(false))?;
                watching.monitorable = machine.answers(&machine.start()).monitorable;
            }
            Machine::Diagram(_) => watching.monitorable = machine.answers(&machine.start()).monitorable,
            Machine::Loose(_) => {}
        }
        Ok(Some(watching))
    }

    /// For people.
    pub fn told(&self, atoms: &[String], paint: Paint, paragraph: &dyn Fn(&mut String, &str)) -> String {
        let mut out = String::new();
        let ends = match self.completions {
            Completions::Finite => "that ends",
            Completions::Infinite => "that never ends",
            Completions::Both => "whether it ends or not",
        };
        let never = self.violated.is_none() && self.holds.is_none();
        match (self.monitorable, &self.lost) {
            (Some(false), _) => paragraph(
                &mut out,
                &format!(
                    "Not monitorable: whatever has come, some continuation, {ends}, satisfies it and some violates it. A monitor \
                     can only say whether it is satisfied so far."
                ),
            ),
            (Some(true), Some(_)) if !never => paragraph(
                &mut out,
                "Monitorable in part: some prefixes are determined, but after others no continuation ever is, and a monitor can only \
                 say whether it is satisfied so far.",
            ),
            (Some(true), _) => paragraph(
                &mut out,
                "Monitorable: whatever has come, some continuation is determined, and a monitor says so at the first position at \
                 which it is.",
            ),
            (None, _) => paragraph(
                &mut out,
                "Its monitor is too large to be built whole. It is followed position by position, and may say later than it could \
                 that a verdict is determined.",
            ),
        }
        for (title, word) in [
            (paint.red("violated, whatever comes, after"), &self.violated),
            (paint.green("holds, whatever comes, after"), &self.holds),
            ("nothing can be determined any more after".to_owned(), &self.lost),
        ] {
            // Where nothing ever is determined, there is no word after which that begins.
            if let (Some(word), false) = (word, self.monitorable == Some(false)) {
                let _ = writeln!(out, "  {title}");
                for (position, happens, _) in sample::lines(word, &self.variables, atoms, self.view) {
                    put(&mut out, &format!("    {position:>3}  {happens}"), paint.width, 11);
                }
            }
        }
        if let Some((states, classes)) = self.size {
            let states = counted(states as u64, "state", "states");
            let over = match classes {
                Some(classes) => format!("over {} of atoms", counted(classes as u64, "class", "classes")),
                None => "with a decision diagram for each".to_owned(),
            };
            paragraph(&mut out, &format!("Its smallest monitor has {states} {over} (--emit writes it as a program)."));
        }
        out
    }

    /// For programs.
    pub fn json(&self, word: &dyn Fn(&Sample, &[String], View) -> Value) -> Value {
        let word = |sample: &Sample| word(sample, &self.variables, self.view);
        json!({
            "completions": match self.completions {
                Completions::Finite => "finite",
                Completions::Infinite => "infinite",
                Completions::Both => "both",
            },
            "monitorable": self.monitorable,
            "states": self.size.map(|(states, _)| states),
            "classes": self.size.and_then(|(_, classes)| classes),
            "violated_after": self.violated.as_ref().map(word),
            "holds_after": self.holds.as_ref().map(word),
            "lost_after": self.lost.as_ref().map(word),
        })
    }
}
