//! Valid, unsatisfiable, or neither.

use super::build::{Builder, Built, Effort};
use super::care::Care;
use super::core::{CoreId, Cores, Track};
use super::elaborate::{Elaborator, Reading, TrackInfo};
use super::lazy::{self, Lazy};
use super::order::levels;
use super::race::side_by_side;
use posetta_automata::tracks::{Bit, Joined, Said, TrackDfa, minimize, project, shortest};
use posetta_base::{Budget, OverBudget};
use posetta_logic::m2l::{Formula, Program, VarId};

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
#[non_exhaustive]
pub struct Example {
    /// How many positions it has.
    pub length: usize,
    /// For each free variable, in the order of declaration: what it is before the string, which matters for truth values, and at each
    /// position.
    pub vars: Vec<(VarId, Bit, Vec<Bit>)>,
}

/// How a formula is decided.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Engine {
    /// All of them side by side, until one has the answer.
    #[default]
    Auto,
    /// By its automaton, which is built in the order that seems cheapest.
    Eager,
    /// By its automaton, which is built as the formula is written.
    Written,
    /// Letter by letter: nothing is made that no string reaches.
    Lazy,
}

/// What was decided about a formula.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Decision {
    /// The title of a `verify`.
    pub title: Option<String>,
    /// The answer.
    pub answer: Answer,
    /// A shortest string that refutes it.
    pub counterexample: Option<Example>,
    /// A shortest string that satisfies it.
    pub example: Option<Example>,
    /// Which engine had the answer.
    pub engine: Engine,
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
pub fn decide(program: &Program, engine: Engine, budget: &Budget) -> Result<Vec<Decision>, OverBudget> {
    let main = (None, &program.formula);
    let others = program.verify.iter().map(|v| (v.title.clone(), &v.formula));
    std::iter::once(main).chain(others).map(|(title, formula)| one(program, title, formula, engine, budget)).collect()
}

fn one(
    program: &Program,
    title: Option<String>,
    formula: &Formula,
    engine: Engine,
    budget: &Budget,
) -> Result<Decision, OverBudget> {
    let question = Question::new(program, formula, Reading::Mona, Cores::default(), budget)?;
    let found = match engine {
        // A last position is known only when the string is over.
        _ if program.last_position.is_some() => question.decide(Engine::Eager, budget)?,
        Engine::Auto => {
            let written = Question::new(program, formula, Reading::Mona, Cores::written(), budget)?;
            let (cores, root, infos) = (&question.cores, question.root, &question.infos);
            // To follow a formula pays where quantifiers over sets are followed; else seldom. As it is written most formulas take about what
            // MONA takes, so that way has more than half: others that never end cost less than it takes. (With a third of the effort, pigeons
            // in holes took almost three times what MONA takes.) A formula that should be followed then takes MONA far longer.
            let engines: &[(Engine, u64)] = if lazy::follows_sets(cores, root, infos) {
                &[(Engine::Lazy, 3), (Engine::Eager, 1), (Engine::Written, 8)]
            } else if lazy::applies(cores, root, infos) {
                &[(Engine::Eager, 4), (Engine::Written, 6), (Engine::Lazy, 1)]
            } else {
                &[(Engine::Eager, 4), (Engine::Written, 6)]
            };
            side_by_side(engines, budget, &|engine, part| {
                if engine == Engine::Written { &written } else { &question }.decide(engine, part)
            })?
        }
        Engine::Written => {
            let written = Question::new(program, formula, Reading::Mona, Cores::written(), budget)?;
            written.decide(engine, budget)?
        }
        Engine::Eager | Engine::Lazy => question.decide(engine, budget)?,
    };
    Ok(found.told(title))
}

/// What an engine found.
pub(super) struct Found {
    pub(super) strings: [Option<Example>; 2],
    pub(super) engine: Engine,
    pub(super) effort: Effort,
}

impl Found {
    fn told(self, title: Option<String>) -> Decision {
        let [counterexample, example] = self.strings;
        let answer = match (&counterexample, &example) {
            (_, None) => Answer::Unsatisfiable,
            (None, Some(_)) => Answer::Valid,
            (Some(_), Some(_)) => Answer::Neither,
        };
        Decision { title, answer, counterexample, example, engine: self.engine, effort: self.effort }
    }
}

/// A formula ready to be decided.
struct Question<'a> {
    program: &'a Program,
    cores: Cores,
    infos: Vec<TrackInfo>,
    root: CoreId,
    globals: Vec<(VarId, Track)>,
    levels: Vec<u32>,
}

impl<'a> Question<'a> {
    fn new(
        program: &'a Program,
        formula: &Formula,
        reading: Reading,
        cores: Cores,
        budget: &Budget,
    ) -> Result<Self, OverBudget> {
        let mut elaborator = Elaborator::new(program, reading, cores, budget);
        let root = match (elaborator.whole(formula), elaborator.sharing()) {
            (_, Some(sharing)) => {
                elaborator = sharing;
                elaborator.whole(formula)?
            }
            (root, None) => root?,
        };
        let globals = program.globals.iter().filter_map(|&var| Some((var, elaborator.global(var)?))).collect();
        let (cores, infos) = (elaborator.cores, elaborator.tracks);
        let levels = if cores.is_written() { (0..infos.len() as u32).collect() } else { levels(&cores, &infos, root) };
        Ok(Self { program, cores, infos, root, globals, levels })
    }

    fn track_of(&self, var: Option<VarId>) -> Option<Track> {
        self.globals.iter().find(|(v, _)| Some(*v) == var).map(|&(_, track)| track)
    }

    /// Which strings count, as far as the set of all positions says it.
    fn care(&self) -> Option<Care> {
        let track = self.track_of(self.program.all_positions)?;
        Care::of(&self.cores, &self.infos, self.root, track)
    }

    fn decide(&self, engine: Engine, budget: &Budget) -> Result<Found, OverBudget> {
        if engine == Engine::Lazy {
            return self.follow(budget);
        }
        let (automaton, effort) = self.automaton(budget)?;
        let mut strings = [None, None];
        for (string, said) in strings.iter_mut().zip([Said::No, Said::Yes]) {
            let place = |var: VarId| automaton.vars.iter().position(|&v| v == var);
            *string = shortest(&automaton.dfa, said, budget)?.map(|letters| self.example(&letters, place));
        }
        Ok(Found { strings, engine, effort })
    }

    fn follow(&self, budget: &Budget) -> Result<Found, OverBudget> {
        let mut builder = Builder::new(&self.cores, &self.infos, &self.levels, self.care(), budget);
        let inside = self.track_of(self.program.all_positions);
        let mut lazy = Lazy::new(&mut builder, &self.cores, self.root, inside, budget)?;
        let found = lazy.search()?;
        let place = |var: VarId| {
            let track = self.track_of(Some(var))?;
            lazy.tracks().iter().position(|&t| t == track)
        };
        let strings = found.map(|letters| letters.map(|letters| self.example(&letters, place)));
        let mut effort = builder.effort;
        effort.followed_states = lazy.states();
        effort.most_nodes = effort.most_nodes.max(lazy.nodes());
        Ok(Found { strings, engine: Engine::Lazy, effort })
    }

    /// The automaton over the free variables.
    fn automaton(&self, budget: &Budget) -> Result<(Automaton, Effort), OverBudget> {
        let mut builder = Builder::new(&self.cores, &self.infos, &self.levels, self.care(), budget);
        let mut built = builder.automaton(self.root)?;
        if let Some(track) = self.track_of(self.program.all_positions) {
            built = inside(&built, track, budget)?;
        }
        if let Some(track) = self.track_of(self.program.last_position) {
            built = ending(&mut builder, &built, track, budget)?;
        }
        let var = |track: &Track| self.globals.iter().find(|(_, t)| t == track).map(|&(var, _)| var);
        let vars = built.tracks.iter().map(|t| var(t).expect("what is free is a global variable")).collect();
        Ok((Automaton { dfa: built.dfa, vars }, builder.effort))
    }

    /// A string for people: what each free variable is.
    fn example(&self, letters: &[Vec<Bit>], place: impl Fn(VarId) -> Option<usize>) -> Example {
        let gone = [self.program.all_positions, self.program.last_position];
        let vars = self.program.globals.iter().filter(|var| !gone.contains(&Some(**var)));
        let vars = vars.map(|&var| {
            let place = place(var);
            let bit = |letter: &Vec<Bit>| place.map_or(Bit::Any, |place| letter[place]);
            (var, bit(&letters[0]), letters[1..].iter().map(bit).collect())
        });
        Example { length: letters.len() - 1, vars: vars.collect() }
    }
}

/// The automaton of the main formula of a program over its free variables.
///
/// # Errors
/// When the budget is spent.
pub fn automaton(program: &Program, budget: &Budget) -> Result<Automaton, OverBudget> {
    Ok(Question::new(program, &program.formula, Reading::Mona, Cores::default(), budget)?.automaton(budget)?.0)
}

/// The automaton of a formula that is read as a property of words: it says yes or no of every one.
///
/// # Errors
/// When the budget is spent.
pub fn language(program: &Program, budget: &Budget) -> Result<Automaton, OverBudget> {
    Ok(Question::new(program, &program.formula, Reading::Plain, Cores::default(), budget)?.automaton(budget)?.0)
}

/// Only strings count whose positions all lie in a set; the set goes.
pub(super) fn inside(built: &Built, track: Track, budget: &Budget) -> Result<Built, OverBudget> {
    let Some(place) = built.tracks.iter().position(|&t| t == track) else { return Ok(built.clone()) };
    let dfa = project(&built.dfa.where_one(place as u32, budget)?, &[place as u32], budget)?;
    let tracks = built.tracks.iter().copied().filter(|&t| t != track).collect();
    Ok(Built { dfa: minimize(&dfa, budget)?, tracks, cared: false })
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
    let last = Built { dfa: last, tracks: [track].into(), cared: false };
    let both = builder.join(built, &last, Joined::And)?;
    let place = both.tracks.iter().position(|&t| t == track).expect("the position is one of its tracks") as u32;
    let dfa = project(&both.dfa, &[place], budget)?;
    let tracks = both.tracks.iter().copied().filter(|&t| t != track).collect();
    Ok(Built { dfa: minimize(&dfa, budget)?, tracks, cared: false })
}
