//! What can still become of a stream: the completions of a prefix, by trying them.
//!
//! A [`Map`] is a graph of the prefixes that a stream can have from some start on. Prefixes are one place of it if they leave the stream in
//! the same states and all short completions (finite ones, and infinite ones that end in a loop) give the same truth; each
//! place has the prefix that was met first. So long completions are found, too: along the edges to another place, and from
//! there by a short one.
//!
//! That prefixes of one place agree on *all* completions is a guess. Therefore a completion that the map suggests counts only after
//! the definition has been asked about the whole word ([`Map::completion`]): that one is there is certain. That there is none is
//! certain only as far as the short completions told all prefixes apart; [`Lengths`] says how long they are, and an [`Atlas`] has maps
//! with longer and longer ones.

use std::collections::{BTreeMap, VecDeque};

use posetta_logic::m2l::Program;
use posetta_logic::{Atom, Ltl, Psl, View};
use posetta_monitor::{Completions, Prospect};

use crate::ltl;
use crate::m2l;
use crate::psl::{Letter, Meaning, Word};
use crate::state::State;
use crate::world::{Deed, States, World, holds};

/// A property of words, over the places of its atoms.
#[derive(Clone, Debug)]
pub enum Linear {
    /// LTL.
    Ltl(Ltl<u32>),
    /// PSL.
    Psl(Meaning),
    /// M2L, with its atoms. It speaks of finite words only; of infinite ones nothing is asked.
    M2l(Box<Program>, Vec<Atom>),
}

impl Linear {
    /// An LTL formula whose atoms are among these.
    ///
    /// # Panics
    /// When one is not.
    #[must_use]
    pub fn ltl(formula: &Ltl, atoms: &[Atom]) -> Self {
        Self::Ltl(formula.map_atoms(&mut |atom| place(atom, atoms)))
    }

    /// A PSL formula whose atoms are among these.
    ///
    /// # Panics
    /// When one is not.
    #[must_use]
    pub fn psl(formula: &Psl, atoms: &[Atom]) -> Self {
        Self::Psl(Meaning::of(formula, &mut |atom: &Atom| place(atom, atoms)))
    }

    /// Whether a word satisfies it.
    #[must_use]
    pub fn holds(&self, word: &Word) -> bool {
        match self {
            Self::Psl(meaning) => meaning.holds(word),
            Self::M2l(..) if !word.round.is_empty() => false,
            Self::M2l(program, atoms) => {
                let holds = |atom: &Atom, i: usize| matches!(word.stem[i], Letter::Truth(bits) if bits >> place(atom, atoms) & 1 == 1);
                m2l::on_word(program, word.stem.len(), &holds)
            }
            Self::Ltl(formula) => {
                let letter = |i: usize| word.stem.get(i).unwrap_or_else(|| &word.round[i - word.stem.len()]);
                let atom = |a: &u32, i: usize| matches!(letter(i), Letter::Truth(bits) if bits >> a & 1 == 1);
                match word.round.len() {
                    0 => ltl::on_word(formula, word.stem.len(), &atom),
                    round => ltl::on_lasso(formula, word.stem.len(), round, &atom),
                }
            }
        }
    }
}

fn place(atom: &Atom, atoms: &[Atom]) -> u32 {
    atoms.iter().position(|a| a == atom).expect("every atom is known") as u32
}

/// How long the completions are that tell prefixes apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lengths {
    /// Finite ones.
    pub finite: usize,
    /// Infinite ones: the letters that come once, and those of the round.
    pub infinite: usize,
}

/// The letters that can come in a world, and the states they lead to.
pub struct Letters<'w> {
    states: Vec<State<'w>>,
    atoms: &'w [Atom],
    steps: Vec<BTreeMap<Letter, States>>,
}

impl<'w> Letters<'w> {
    /// The letters of a world as these atoms see it.
    #[must_use]
    pub fn new(world: &'w World, atoms: &'w [Atom]) -> Self {
        let states = world.states();
        assert!(states.len() <= States::BITS as usize, "too many states for this enumeration");
        let steps = world.steps(atoms, &states);
        let steps = steps.into_iter().map(|s| s.into_iter().map(|(row, to)| (Letter::new(&row), to)).collect());
        Self { steps: steps.collect(), states, atoms }
    }

    /// How many letters can follow, at most.
    #[must_use]
    pub fn choices(&self) -> usize {
        self.steps.iter().map(BTreeMap::len).max().unwrap_or(0)
    }

    /// The one state with these values.
    ///
    /// # Panics
    /// When the world has none.
    #[must_use]
    pub fn states(&self, state: &State<'_>) -> States {
        1 << self.states.iter().position(|s| s == state).expect("values are of the world")
    }

    /// The letter of a state after an event, or without one.
    #[must_use]
    pub fn letter(&self, state: &State<'_>, deed: Option<Deed<'_>>) -> Letter {
        Letter::new(&self.atoms.iter().map(|a| holds(a, state, deed)).collect::<Vec<bool>>())
    }

    /// The letters that can come in some of these states, and where each leads.
    #[must_use]
    pub fn after(&self, states: States) -> BTreeMap<Letter, States> {
        let mut next: BTreeMap<Letter, States> = BTreeMap::new();
        for (i, steps) in self.steps.iter().enumerate() {
            if states >> i & 1 == 1 {
                steps.iter().for_each(|(&letter, to)| *next.entry(letter).or_default() |= to);
            }
        }
        next
    }

    fn after_all(&self, states: States, letters: &[Letter]) -> States {
        letters.iter().fold(states, |states, letter| self.after(states).get(letter).copied().unwrap_or(0))
    }

    /// Whether these letters can come again and again: a path of as many rounds as there are states has met one twice.
    fn can_repeat(&self, states: States, round: &[Letter]) -> bool {
        let mut seen = vec![states];
        loop {
            let states = self.after_all(seen[seen.len() - 1], round);
            if states == 0 || seen.contains(&states) {
                return states != 0;
            }
            seen.push(states);
        }
    }

    /// Everything that can come, up to a length.
    fn words(&self, states: States, length: usize) -> Vec<Vec<Letter>> {
        let mut all = vec![Vec::new()];
        let mut level = vec![(Vec::new(), states)];
        for _ in 0..length {
            let longer = level.iter().flat_map(|(word, states)| {
                self.after(*states).into_iter().map(move |(letter, to)| ([&word[..], &[letter]].concat(), to))
            });
            level = longer.collect();
            all.extend(level.iter().map(|(word, _)| word.clone()));
        }
        all
    }
    /// Every infinite word that can come, with so many letters in its stem and round together.
    fn lassos(&self, states: States, length: usize) -> Vec<Word> {
        let mut all = Vec::new();
        for stem in self.words(states, length) {
            let after = self.after_all(states, &stem);
            for round in self.words(after, length - stem.len()) {
                if !round.is_empty() && self.can_repeat(after, &round) {
                    all.push(Word { stem: stem.clone(), round });
                }
            }
        }
        all
    }
}

/// The short completions from some states on: finite ones, the empty one first, and infinite ones.
struct Tests {
    finite: Vec<Vec<Letter>>,
    infinite: Vec<Word>,
}

/// A place of a [`Map`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlaceId(usize);

struct Place {
    states: States,
    /// The prefix that was met first.
    word: Vec<Letter>,
    /// The truth after each test.
    finite: Vec<bool>,
    infinite: Vec<bool>,
    edges: Vec<(Letter, PlaceId)>,
}

/// What can become of the prefixes of a stream.
pub struct Map<'m> {
    letters: &'m Letters<'m>,
    property: &'m Linear,
    lengths: Lengths,
    tests: BTreeMap<States, Tests>,
    places: Vec<Place>,
}

impl<'m> Map<'m> {
    /// Everything that can follow a word that has ended in one of these states. `None` if there are more than `most` places.
    #[must_use]
    pub fn new(
        letters: &'m Letters<'m>,
        property: &'m Linear,
        lengths: Lengths,
        start: (Vec<Letter>, States),
        most: usize,
    ) -> Option<Self> {
        let mut map = Self { letters, property, lengths, tests: BTreeMap::new(), places: Vec::new() };
        let _ = map.place(start.0, start.1);
        let mut next = 0;
        while next < map.places.len() {
            if map.places.len() > most {
                return None;
            }
            let (word, states) = (map.places[next].word.clone(), map.places[next].states);
            for (letter, to) in letters.after(states) {
                let reached = map.place([&word[..], &[letter]].concat(), to);
                map.places[next].edges.push((letter, reached));
            }
            next += 1;
        }
        Some(map)
    }

    /// The place before anything has followed.
    #[must_use]
    pub fn start(&self) -> PlaceId {
        PlaceId(0)
    }

    /// The place after a letter.
    ///
    /// # Panics
    /// When the letter cannot come.
    #[must_use]
    pub fn after(&self, place: PlaceId, letter: Letter) -> PlaceId {
        let edges = &self.places[place.0].edges;
        edges.iter().find(|(l, _)| *l == letter).expect("a letter that can come").1
    }

    /// The place of a prefix, which may be new.
    fn place(&mut self, word: Vec<Letter>, states: States) -> PlaceId {
        let (letters, lengths) = (self.letters, self.lengths);
        let tests = self.tests.entry(states).or_insert_with(|| Tests {
            finite: letters.words(states, lengths.finite),
            infinite: letters.lassos(states, lengths.infinite),
        });
        let holds = |more: &[Letter], round: &[Letter]| {
            self.property.holds(&Word { stem: [&word[..], more].concat(), round: round.to_vec() })
        };
        let finite: Vec<bool> = tests.finite.iter().map(|more| holds(more, &[])).collect();
        let infinite: Vec<bool> = tests.infinite.iter().map(|more| holds(&more.stem, &more.round)).collect();
        let same = |p: &Place| p.states == states && p.finite == finite && p.infinite == infinite;
        let known = self.places.iter().position(same);
        PlaceId(known.unwrap_or_else(|| {
            self.places.push(Place { states, word, finite, infinite, edges: Vec::new() });
            self.places.len() - 1
        }))
    }

    /// The places that can be reached, nearest first, each with the letters on the way.
    fn reachable(&self, from: PlaceId) -> Vec<(PlaceId, Vec<Letter>)> {
        let mut found = vec![(from, Vec::new())];
        let mut open: VecDeque<usize> = [0].into();
        while let Some(at) = open.pop_front() {
            let (place, way) = found[at].clone();
            for &(letter, to) in &self.places[place.0].edges {
                if !found.iter().any(|(known, _)| *known == to) {
                    open.push_back(found.len());
                    found.push((to, [&way[..], &[letter]].concat()));
                }
            }
        }
        found
    }

    /// A completion of `prefix`, which has led to this place, after which the property has this truth. The whole word is given.
    #[must_use]
    pub fn completion(&self, prefix: &[Letter], at: PlaceId, kind: Completions, truth: bool) -> Option<Word> {
        self.reachable(at).into_iter().find_map(|(place, way)| {
            let Place { states, finite, infinite, .. } = &self.places[place.0];
            let empty = (kind != Completions::Infinite && finite[0] == truth).then(|| Word::finite(Vec::new()));
            let tested = self.tests[states].infinite.iter().zip(infinite);
            let infinite = tested.filter(|&(_, &t)| t == truth && kind != Completions::Finite).map(|(word, _)| word);
            let candidates = empty.into_iter().chain(infinite.cloned());
            candidates
                .map(|Word { stem, round }| Word { stem: [prefix, &way, &stem].concat(), round })
                .find(|word| self.property.holds(word) == truth)
        })
    }

    /// Whether a place has a short completion of itself after which the property has this truth.
    fn shows(&self, place: PlaceId, kind: Completions, truth: bool) -> bool {
        let Place { finite, infinite, .. } = &self.places[place.0];
        kind != Completions::Infinite && finite[0] == truth || kind != Completions::Finite && infinite.contains(&truth)
    }

    /// What all completions from a place on say, as far as the map tells.
    #[must_use]
    pub fn prospect(&self, at: PlaceId, kind: Completions) -> Prospect {
        let reachable = self.reachable(at);
        let can = |truth| reachable.iter().any(|(place, _)| self.shows(*place, kind, truth));
        match (can(true), can(false)) {
            (true, false) => Prospect::Holds,
            (false, true) => Prospect::Violated,
            _ => Prospect::Open,
        }
    }

    /// "Some finite continuation is determined", as far as the map tells.
    #[must_use]
    pub fn monitorable(&self, at: PlaceId, kind: Completions) -> bool {
        self.reachable(at).into_iter().any(|(place, _)| self.prospect(place, kind) != Prospect::Open)
    }
}

/// Maps of one start with longer and longer tests, drawn when they are asked for.
pub struct Atlas<'m> {
    letters: &'m Letters<'m>,
    property: &'m Linear,
    start: (Vec<Letter>, States),
    maps: Vec<Option<Map<'m>>>,
}

/// The tests of the maps, as long as there are at most about [`MOST_TESTS`] of them.
const LENGTHS: [Lengths; 4] = [
    Lengths { finite: 2, infinite: 2 },
    Lengths { finite: 3, infinite: 3 },
    Lengths { finite: 4, infinite: 4 },
    Lengths { finite: 6, infinite: 6 },
];
const MOST_TESTS: u64 = 6_500;
const MOST_PLACES: usize = 120;

impl<'m> Atlas<'m> {
    /// Everything that can follow a word that has ended in one of these states.
    #[must_use]
    pub fn new(letters: &'m Letters<'m>, property: &'m Linear, start: (Vec<Letter>, States)) -> Self {
        Self { letters, property, start, maps: Vec::new() }
    }

    /// How many maps there may be: at least one.
    fn levels(&self) -> usize {
        let words = |length: usize| (self.letters.choices() as u64).saturating_pow(length as u32);
        let fits = |l: &&Lengths| words(l.infinite).saturating_mul(l.infinite as u64) <= MOST_TESTS;
        LENGTHS.iter().take_while(fits).count().max(1)
    }

    /// A map, and the place of a word in it. `None` if it would be too large.
    fn level(&mut self, level: usize, word: &[Letter]) -> Option<(&Map<'m>, PlaceId)> {
        while self.maps.len() <= level {
            let lengths = LENGTHS[self.maps.len()];
            self.maps.push(Map::new(self.letters, self.property, lengths, self.start.clone(), MOST_PLACES));
        }
        let map = self.maps[level].as_ref()?;
        let more = word.strip_prefix(&self.start.0[..]).expect("a word that goes on from the start");
        Some((map, more.iter().fold(map.start(), |place, &letter| map.after(place, letter))))
    }

    /// Whether what is claimed about a prefix can be so. `None` if that is too much to try.
    ///
    /// # Errors
    /// With a completion that contradicts the claim: then it is wrong. Or with one that should be there and was not found, however long
    /// the tests: then it is wrong unless they are too short for this property.
    #[must_use]
    pub fn judge(&mut self, prefix: &[Letter], kind: Completions, claimed: Prospect) -> Option<Result<(), String>> {
        let _ = self.level(0, prefix)?;
        // A contradiction is looked for in the maps that there are, what should be there in all that there can be.
        let (drawn, all) = (self.maps.len(), self.levels());
        let mut find = |truth: bool, levels: usize| {
            (0..levels).find_map(|level| {
                let (map, place) = self.level(level, prefix)?;
                map.completion(prefix, place, kind, truth)
            })
        };
        let (must, must_not): (&[bool], &[bool]) = match claimed {
            Prospect::Open => (&[true, false], &[]),
            Prospect::Holds => (&[], &[false]),
            Prospect::Violated => (&[], &[true]),
        };
        for &truth in must_not {
            if let Some(word) = find(truth, drawn) {
                return Some(Err(format!("said to be determined, but the truth is {truth} on {word:?}")));
            }
        }
        for &truth in must {
            if find(truth, all).is_none() {
                let whole = self.maps.iter().all(Option::is_some);
                return whole
                    .then(|| Err(format!("said to be open, but no completion was found with the truth {truth}")));
            }
        }
        Some(Ok(()))
    }

    /// Whether a claim about whether something can still be determined agrees with some map. `None` if that is too much to try.
    ///
    /// # Errors
    /// When none does.
    #[must_use]
    pub fn judge_monitorable(
        &mut self,
        prefix: &[Letter],
        kind: Completions,
        claimed: bool,
    ) -> Option<Result<(), String>> {
        let _ = self.level(0, prefix)?;
        for level in 0..self.levels() {
            let (map, place) = self.level(level, prefix)?;
            if map.monitorable(place, kind) == claimed {
                return Some(Ok(()));
            }
        }
        Some(Err(format!("monitorable is said to be {claimed}, and seems not to be")))
    }
}

/// The word of a stream before its first event: the start in the states view, else nothing.
#[must_use]
pub fn beginning(letters: &Letters<'_>, state: &State<'_>, view: View) -> Vec<Letter> {
    match view {
        View::States => vec![letters.letter(state, None)],
        View::Events => Vec::new(),
    }
}
