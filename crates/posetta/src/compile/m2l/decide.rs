//! Valid, unsatisfiable, or neither.

use super::build::{Builder, Built, Effort};
use super::core::{CoreId, Track};
use super::elaborate::{Elaborator, Reading};
use super::order::levels;
use crate::automata::tracks::{Bit, Joined, Said, TrackDfa, minimize, project, shortest};
use crate::base::{Budget, OverBudget};
use crate::logic::m2l::{Formula, Program, VarId};

/// What there is to say about a formula.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Answer {
    /// No string refutes it, and some string satisfies it.
    Valid,
    /// No string satisfies it.
    Unsatisfiable,
    /// Some strings satisfy it, others refute it.
    Neither,
}

/// A string.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Example {
    /// How many positions it has.
    pub length: usize,
    /// For each free variable, in the order of declaration: what it is before the string, which matters for truth values, and at each
    /// position.
    pub vars: Vec<(VarId, Bit, Vec<Bit>)>,
}

/// What was decided about a formula.
#[derive(Clone, Debug)]
pub struct Decision {
    /// The title of a `verify`.
    pub title: Option<String>,
    /// The answer.
    pub answer: Answer,
    /// A shortest string that refutes it.
    pub counterexample: Option<Example>,
    /// A shortest string that satisfies it.
    pub example: Option<Example>,
    /// Its automaton.
    pub automaton: Automaton,
    /// What that took.
    pub effort: Effort,
}

/// The automaton of a program over its free variables.
#[derive(Clone, Debug)]
pub struct Automaton {
    /// The automaton; its tracks are those of `vars`.
    pub dfa: TrackDfa,
    /// The free variables, from the top of the diagram down.
    pub vars: Vec<VarId>,
}

/// Decides the formula of a program, and each `verify`.
///
/// # Errors
/// When the budget is spent.
pub fn decide(program: &Program, budget: &Budget) -> Result<Vec<Decision>, OverBudget> {
    let main = (None, &program.formula);
    let others = program.verify.iter().map(|v| (v.title.clone(), &v.formula));
    std::iter::once(main).chain(others).map(|(title, formula)| one(program, title, formula, budget)).collect()
}

fn one(program: &Program, title: Option<String>, formula: &Formula, budget: &Budget) -> Result<Decision, OverBudget> {
    let (automaton, effort) = automaton_of(program, formula, Reading::Mona, budget)?;
    let counterexample = example(program, &automaton, Said::No, budget)?;
    let example = example(program, &automaton, Said::Yes, budget)?;
    let answer = match (&counterexample, &example) {
        (_, None) => Answer::Unsatisfiable,
        (None, Some(_)) => Answer::Valid,
        (Some(_), Some(_)) => Answer::Neither,
    };
    Ok(Decision { title, answer, counterexample, example, automaton, effort })
}

/// The automaton of a formula over the free variables of its program.
pub(super) fn automaton_of(
    program: &Program,
    formula: &Formula,
    reading: Reading,
    budget: &Budget,
) -> Result<(Automaton, Effort), OverBudget> {
    let mut elaborator = Elaborator::new(program, reading, budget);
    let root = elaborator.whole(formula)?;
    let globals: Vec<(VarId, Track)> =
        program.globals.iter().filter_map(|&var| Some((var, elaborator.global(var)?))).collect();
    let track_of = |var: Option<VarId>| globals.iter().find(|(v, _)| Some(*v) == var).map(|&(_, track)| track);
    let (all, last) = (track_of(program.all_positions), track_of(program.last_position));
    let levels = levels(&elaborator.cores, &elaborator.tracks, root);
    let mut builder = Builder::new(&elaborator.cores, &elaborator.tracks, &levels, budget);
    let mut built = whole(&mut builder, root)?;
    if let Some(track) = all {
        built = inside(&built, track, budget)?;
    }
    if let Some(track) = last {
        built = ending(&mut builder, &built, track, budget)?;
    }
    let vars = built.tracks.iter().map(|t| globals.iter().find(|(_, track)| track == t).map(|&(var, _)| var));
    let vars = vars.map(|var| var.expect("what is free is a global variable")).collect();
    Ok((Automaton { dfa: built.dfa, vars }, builder.effort))
}

fn whole(builder: &mut Builder, root: CoreId) -> Result<Built, OverBudget> {
    builder.automaton(root)
}

/// Only strings count whose positions all lie in a set; the set goes.
fn inside(built: &Built, track: Track, budget: &Budget) -> Result<Built, OverBudget> {
    let Some(place) = built.tracks.iter().position(|&t| t == track) else { return Ok(built.clone()) };
    let dfa = project(&built.dfa.where_one(place as u32, budget)?, &[place as u32], budget)?;
    let tracks = built.tracks.iter().copied().filter(|&t| t != track).collect();
    Ok(Built { dfa: minimize(&dfa, budget)?, tracks })
}

/// Only strings count that end with a position, and the empty string; the position goes.
fn ending(builder: &mut Builder, built: &Built, track: Track, budget: &Budget) -> Result<Built, OverBudget> {
    use Said::{Nothing, Yes};
    let last = TrackDfa::table(
        1,
        &[Nothing, Yes, Nothing, Yes, Nothing],
        |state, letter| match (state, letter) {
            (0, _) => 1,
            (1 | 2, 0) => 2,
            (1 | 2, _) => 3,
            _ => 4,
        },
        budget,
    )?;
    let last = Built { dfa: last, tracks: [track].into() };
    let both = builder.join(built, &last, Joined::And)?;
    let place = both.tracks.iter().position(|&t| t == track).expect("the position is one of its tracks") as u32;
    let dfa = project(&both.dfa, &[place], budget)?;
    let tracks = both.tracks.iter().copied().filter(|&t| t != track).collect();
    Ok(Built { dfa: minimize(&dfa, budget)?, tracks })
}

/// A shortest string of which an automaton says this.
fn example(
    program: &Program,
    automaton: &Automaton,
    said: Said,
    budget: &Budget,
) -> Result<Option<Example>, OverBudget> {
    let Some(letters) = shortest(&automaton.dfa, said, budget)? else { return Ok(None) };
    let gone = [program.all_positions, program.last_position];
    let vars = program
        .globals
        .iter()
        .filter(|var| !gone.contains(&Some(**var)))
        .map(|var| {
            let place = automaton.vars.iter().position(|v| v == var);
            let bit = |letter: &Vec<Bit>| place.map_or(Bit::Any, |place| letter[place]);
            (*var, bit(&letters[0]), letters[1..].iter().map(bit).collect())
        })
        .collect();
    Ok(Some(Example { length: letters.len() - 1, vars }))
}
