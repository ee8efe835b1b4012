//! What a monitor of a property can say, and when.

use posetta_base::{Budget, OverBudget};
use posetta_compile::{Answers, Completions, Linear, Machine, Prospect};
use posetta_logic::{Atoms, Sample, View};

use crate::named::Named;

/// The monitor of a property.
#[derive(Debug)]
pub struct Watching {
    /// Which continuations count.
    pub completions: Completions,
    /// How many states and how many classes of letters it has; nothing if it is not held whole.
    pub size: Option<(usize, Option<usize>)>,
    /// Whether some word is determined. `None` if that is not known.
    pub monitorable: Option<bool>,
    /// What its positions are.
    pub view: View,
    /// The variables of its words.
    pub variables: Vec<String>,
    /// A shortest word after which it is violated, whatever comes.
    pub violated: Option<Sample>,
    /// A shortest word after which it holds, whatever comes.
    pub holds: Option<Sample>,
    /// A shortest word after which neither can be known any more.
    pub lost: Option<Sample>,
}

impl Watching {
    /// `None` for a property that is not about single words, or not about what comes one after the other.
    ///
    /// # Errors
    /// If a limit is reached.
    pub fn of(property: &Named, completions: Completions, budget: &Budget) -> Result<Option<Self>, OverBudget> {
        // No stream is asked about every two values.
        if property.property.each.as_ref().is_some_and(|each| each.second.is_some()) {
            return Ok(None);
        }
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
            Machine::Counted(_) => watching.monitorable = machine.answers(&machine.start()).monitorable,
            Machine::Attempts(_) | Machine::Loose(_) => {}
        }
        Ok(Some(watching))
    }
}
