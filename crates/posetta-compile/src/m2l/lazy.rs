//! Answers without the automaton of the whole formula.
//!
//! At the top of a formula nobody needs the smallest automaton, only whether some string is accepted or rejected. Here conjunctions and quantifiers at the
//! top are followed state by state, from the first state on: a state of a conjunction is a pair, a state of a quantifier a set of states of its body. What is
//! never reached is never made: the states of `f => ex X: g` in which `f` has failed for good say yes whatever becomes of `g`. (The idea is
//! that of Fiedor, Holík, Janků, Lengál and Vojnar 2017; they unfold the whole formula, here the parts below are small automata.)
//!
//! A quantifier is followed only if its tracks have no ones beyond the end of the string; else its automaton is built as any other.

use rustc_hash::FxHashMap;

use super::build::{Builder, Built};
use super::core::{Core, CoreId, Cores, Track};
use super::elaborate::TrackInfo;
use super::memo::Memo;
use posetta_automata::tracks::{Bit, Joined, Said, TrackDfa};
use posetta_base::{Budget, Claim, OverBudget};
use posetta_dd::mtbdd::{Function, Mtbdd, path_to};
use posetta_logic::m2l::Order;

const WHAT: &str = "following the formula step by step";

/// A quantifier whose parts have fewer states together is not followed: its automaton is small.
const FEW: u64 = 1 << 10;

/// Diagrams of fewer nodes lie in the caches of the machine.
const SMALL: usize = 1 << 16;

/// A formula is taken apart into so many parts: one that is a part of many is followed once for each.
const MOST: usize = 1 << 10;

/// A part of the formula, perhaps negated.
#[derive(Clone, Copy, Debug)]
struct Part {
    machine: usize,
    negated: bool,
}

/// A state of a conjunction or a quantifier.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Key {
    /// What is said does not change any more.
    Settled(Said),
    Pair(u32, u32),
    /// Ascending.
    Set(Vec<u32>),
}

#[derive(Debug)]
enum Kind {
    /// An automaton; its states are the machine's.
    Leaf {
        dfa: TrackDfa,
        places: Vec<u32>,
        images: FxHashMap<Function, Function>,
    },
    Joined {
        joined: Joined,
        left: Part,
        right: Part,
    },
    Exists {
        hidden: Vec<bool>,
        body: Part,
        images: FxHashMap<Function, Function>,
        singles: FxHashMap<u32, u32>,
    },
}

#[derive(Debug)]
struct Machine {
    kind: Kind,
    /// Whether it says yes or no of every string that has a position. (Of the empty string it may say nothing, because there is no position to speak of.)
    solid: bool,
    keys: Vec<Key>,
    ids: FxHashMap<Key, u32>,
    next: Vec<Option<Function>>,
    memo: Memo,
}

impl Machine {
    /// Forgets how functions were combined.
    fn forget(&mut self) {
        self.memo.clear();
        if let Kind::Exists { images, singles, .. } = &mut self.kind {
            images.clear();
            singles.clear();
        }
    }
}

/// Whether an automaton says something of every string that has a position.
fn is_solid(dfa: &TrackDfa) -> bool {
    let mut seen = vec![false; dfa.states()];
    let mut open: Vec<u32> = dfa.targets(0).into_iter().flat_map(|begin| dfa.targets(begin)).collect();
    while let Some(state) = open.pop() {
        if !std::mem::replace(&mut seen[state as usize], true) {
            if dfa.said(state) == Said::Nothing {
                return false;
            }
            open.extend(dfa.targets(state));
        }
    }
    true
}

/// A formula that is followed.
pub(super) struct Lazy<'a> {
    dd: Mtbdd,
    machines: Vec<Machine>,
    /// The tracks, from the top of the diagrams down.
    tracks: Vec<Track>,
    root: Part,
    claim: Claim,
    bytes: u64,
    /// What was done since that was told to the budget, in halves of its unit.
    halves: u64,
    /// Whether the letter that is read is one of a position, so that solid machines say something after it.
    inside: bool,
    budget: &'a Budget,
}

/// Whether there is anything at the top of a formula that is followed; else its automaton is built as any other.
pub(super) fn applies(cores: &Cores, root: CoreId, infos: &[TrackInfo]) -> bool {
    match cores.get(root) {
        Core::Not(f) => applies(cores, *f, infos),
        Core::And(_) | Core::Iff(..) => true,
        Core::Exists(hidden, _) => hidden.iter().all(|t| infos[t.0 as usize].ends_with_string()),
        _ => false,
    }
}

/// Whether there may be a quantifier over sets that is followed.
pub(super) fn follows_sets(cores: &Cores, root: CoreId, infos: &[TrackInfo]) -> bool {
    let mut seen = vec![false; cores.len()];
    let mut open = vec![root];
    while let Some(id) = open.pop() {
        if std::mem::replace(&mut seen[id.0 as usize], true) {
            continue;
        }
        match cores.get(id) {
            Core::Not(f) => open.push(*f),
            Core::And(parts) => open.extend_from_slice(parts),
            Core::Iff(f, g) => open.extend([*f, *g]),
            Core::Exists(hidden, _) => {
                let info = |t: &Track| &infos[t.0 as usize];
                let bounded = hidden.iter().all(|t| info(t).ends_with_string());
                if bounded && hidden.iter().any(|t| info(t).order == Order::Two) {
                    return true;
                }
            }
            _ => {}
        }
    }
    false
}

/// A string that was found: the letter before it, and its positions.
pub(super) type Letters = Vec<Vec<Bit>>;

impl<'a> Lazy<'a> {
    /// Makes automata of what is not followed. Only strings count in which `inside` is one at every position.
    pub(super) fn new(
        builder: &mut Builder<'a>,
        cores: &Cores,
        root: CoreId,
        inside: Option<Track>,
        budget: &'a Budget,
    ) -> Result<Self, OverBudget> {
        let followed = FxHashMap::default();
        let mut plan = Plan { builder, cores, inside, budget, parts: Vec::new(), followed };
        let root = plan.part(root)?;
        let parts = plan.parts;
        let mut tracks: Vec<Track> = parts.iter().flat_map(Planned::tracks).collect();
        tracks.sort_by_key(|t| (builder.levels[t.0 as usize], *t));
        tracks.dedup();
        let mut this = Self {
            dd: Mtbdd::new(budget)?,
            machines: Vec::new(),
            tracks,
            root,
            claim: budget.claim(0, WHAT)?,
            bytes: 0,
            halves: 0,
            inside: false,
            budget,
        };
        for part in parts {
            this.add(part);
        }
        Ok(this)
    }

    /// What each bit of a letter belongs to.
    pub(super) fn tracks(&self) -> &[Track] {
        &self.tracks
    }

    /// How many states were met.
    pub(super) fn states(&self) -> usize {
        self.machines.iter().map(|m| m.keys.len()).sum()
    }

    /// How many nodes the diagrams have.
    pub(super) fn nodes(&self) -> usize {
        self.dd.len()
    }

    fn place(&self, track: Track) -> u32 {
        self.tracks.iter().position(|&t| t == track).expect("every track was gathered") as u32
    }

    fn add(&mut self, part: Planned) {
        let (kind, solid) = match part {
            Planned::Leaf(built) => {
                let solid = is_solid(&built.dfa);
                let places = built.tracks.iter().map(|&t| self.place(t)).collect();
                (Kind::Leaf { dfa: built.dfa, places, images: FxHashMap::default() }, solid)
            }
            Planned::Joined(joined, left, right) => {
                let solid = self.machines[left.machine].solid && self.machines[right.machine].solid;
                (Kind::Joined { joined, left, right }, solid)
            }
            Planned::Exists(tracks, body) => {
                let mut hidden = vec![false; self.tracks.len()];
                tracks.iter().for_each(|&t| hidden[self.place(t) as usize] = true);
                let images = FxHashMap::default();
                let solid = self.machines[body.machine].solid;
                (Kind::Exists { hidden, body, images, singles: FxHashMap::default() }, solid)
            }
        };
        let (keys, ids) = (Vec::new(), FxHashMap::default());
        self.machines.push(Machine { kind, solid, keys, ids, next: Vec::new(), memo: Memo::default() });
    }

    /// A shortest string that is rejected and one that is accepted; what is not found does not exist.
    pub(super) fn search(&mut self) -> Result<[Option<Letters>; 2], OverBudget> {
        let root = self.root;
        let first = self.first(root.machine)?;
        let mut from: FxHashMap<u32, u32> = FxHashMap::default();
        let mut queue = vec![first];
        let mut found: [Option<u32>; 2] = [None, None];
        let mut at = 0;
        while let Some(&state) = queue.get(at) {
            if at > 0 {
                match self.said(root, state) {
                    Said::No => found[0] = found[0].or(Some(state)),
                    Said::Yes => found[1] = found[1].or(Some(state)),
                    Said::Nothing => {}
                }
                if found.iter().all(Option::is_some) {
                    break;
                }
            }
            if at == 1 {
                // What was found for the letter before the string does not count for others.
                self.inside = true;
                self.machines.iter_mut().for_each(Machine::forget);
            }
            at += 1;
            let next = self.next(root.machine, state)?;
            for target in self.dd.values(next) {
                if target != first && !from.contains_key(&target) {
                    from.insert(target, state);
                    queue.push(target);
                }
            }
        }
        Ok(found.map(|state| state.map(|state| self.letters(state, &from))))
    }

    fn letters(&self, mut state: u32, from: &FxHashMap<u32, u32>) -> Letters {
        let machine = &self.machines[self.root.machine];
        let mut letters = Vec::new();
        while let Some(&source) = from.get(&state) {
            let function = machine.next[source as usize].expect("the search went on from here");
            let bits = path_to(self.dd.nodes(), function, state, self.tracks.len());
            letters.push(bits.expect("the search came along here").into_iter().map(Bit::from).collect());
            state = source;
        }
        letters.reverse();
        letters
    }

    fn first(&mut self, machine: usize) -> Result<u32, OverBudget> {
        match self.machines[machine].kind {
            Kind::Leaf { .. } => {
                self.room(machine, 0);
                Ok(0)
            }
            Kind::Joined { left, right, .. } => {
                let (left, right) = (self.first(left.machine)?, self.first(right.machine)?);
                self.id(machine, Key::Pair(left, right))
            }
            Kind::Exists { body, .. } => {
                let body = self.first(body.machine)?;
                self.id(machine, Key::Set(vec![body]))
            }
        }
    }

    fn room(&mut self, machine: usize, state: u32) {
        let next = &mut self.machines[machine].next;
        if next.len() <= state as usize {
            next.resize(state as usize + 1, None);
        }
    }

    fn id(&mut self, machine: usize, key: Key) -> Result<u32, OverBudget> {
        let length = if let Key::Set(set) = &key { set.len() as u64 } else { 0 };
        self.count(1 + length / 4)?;
        let machine = &mut self.machines[machine];
        if let Some(&known) = machine.ids.get(&key) {
            return Ok(known);
        }
        let id = machine.keys.len() as u32;
        machine.ids.insert(key.clone(), id);
        machine.keys.push(key);
        machine.next.push(None);
        self.tick(112 + 8 * length)?;
        Ok(id)
    }

    /// Counts what is kept.
    fn tick(&mut self, bytes: u64) -> Result<(), OverBudget> {
        let before = self.bytes;
        self.bytes += bytes;
        if self.bytes >> 16 != before >> 16 {
            self.claim.grow_to(self.bytes, WHAT)?;
        }
        Ok(())
    }

    /// Counts what is done: looking a state up, or combining two nodes. In large diagrams most of that misses the
    /// caches of the machine; in small ones it takes half as long as what the other engines count.
    fn count(&mut self, steps: u64) -> Result<(), OverBudget> {
        let nodes = self.dd.len();
        self.halves += if nodes < SMALL { steps } else { 2 * steps * (1 + (nodes as u64 >> 18).min(4)) };
        if self.halves >= 2048 {
            self.budget.step(self.halves / 2, WHAT)?;
            self.halves = 0;
        }
        Ok(())
    }

    fn said(&self, part: Part, state: u32) -> Said {
        let machine = &self.machines[part.machine];
        let said = match &machine.kind {
            Kind::Leaf { dfa, .. } => dfa.said(state),
            Kind::Joined { joined, left, right } => match &machine.keys[state as usize] {
                Key::Settled(said) => *said,
                Key::Pair(p, q) => joined.said(self.said(*left, *p), self.said(*right, *q)),
                Key::Set(_) => unreachable!("states of two machines are pairs"),
            },
            Kind::Exists { body, .. } => match &machine.keys[state as usize] {
                Key::Settled(said) => *said,
                Key::Set(set) => {
                    let all = set.iter().map(|&s| self.said(*body, s));
                    all.reduce(Said::either).unwrap_or(Said::Nothing)
                }
                Key::Pair(..) => unreachable!("states of a quantifier are sets"),
            },
        };
        if part.negated { said.negated() } else { said }
    }

    /// Whether a part says something after the letter that is read.
    fn is_solid(&self, part: Part) -> bool {
        self.inside && self.machines[part.machine].solid
    }

    /// What is said from a state on, if that does not change any more.
    fn fate(&self, part: Part, state: u32) -> Option<Said> {
        let machine = &self.machines[part.machine];
        let said = match &machine.kind {
            Kind::Leaf { dfa, .. } => {
                (state != 0 && dfa.root(state).value() == Some(state)).then(|| dfa.said(state))?
            }
            _ => match machine.keys[state as usize] {
                Key::Settled(said) => said,
                _ => return None,
            },
        };
        Some(if part.negated { said.negated() } else { said })
    }

    /// What follows a state.
    fn next(&mut self, machine: usize, state: u32) -> Result<Function, OverBudget> {
        if let Some(known) = self.machines[machine].next.get(state as usize).copied().flatten() {
            return Ok(known);
        }
        let function = match &self.machines[machine].kind {
            Kind::Leaf { dfa, .. } => {
                let root = dfa.root(state);
                self.leaf_image(machine, root)?
            }
            Kind::Joined { left, right, .. } => {
                let (left, right) = (*left, *right);
                match self.machines[machine].keys[state as usize] {
                    Key::Pair(p, q) => {
                        let (f, g) = (self.next(left.machine, p)?, self.next(right.machine, q)?);
                        self.join(machine, f, g)?
                    }
                    _ => Function::constant(state),
                }
            }
            Kind::Exists { body, .. } => {
                let body = *body;
                match self.machines[machine].keys[state as usize].clone() {
                    Key::Set(set) => {
                        let mut all: Option<Function> = None;
                        for element in set {
                            let image = self.element_image(machine, body.machine, element)?;
                            all = Some(match all {
                                None => image,
                                Some(all) => self.unite(machine, all, image)?,
                            });
                        }
                        all.unwrap_or(Function::constant(state))
                    }
                    _ => Function::constant(state),
                }
            }
        };
        self.room(machine, state);
        self.machines[machine].next[state as usize] = Some(function);
        Ok(function)
    }

    /// A function of an automaton over the tracks of the formula. No deeper than there are tracks.
    fn leaf_image(&mut self, machine: usize, function: Function) -> Result<Function, OverBudget> {
        let Kind::Leaf { dfa, places, images } = &self.machines[machine].kind else { unreachable!("it is a leaf") };
        let Some(place) = function.node() else { return Ok(function) };
        if let Some(&known) = images.get(&function) {
            return Ok(known);
        }
        let node = dfa.node(place);
        let var = places[node.var as usize];
        let low = self.leaf_image(machine, node.low)?;
        let high = self.leaf_image(machine, node.high)?;
        let image = self.dd.ask(var, low, high)?;
        if let Kind::Leaf { images, .. } = &mut self.machines[machine].kind {
            images.insert(function, image);
        }
        Ok(image)
    }

    fn tops(&self, f: Function, g: Function) -> (u32, [Function; 2], [Function; 2]) {
        let top = |f: Function| f.node().map(|place| self.dd.node(place));
        let (m, n) = (top(f), top(g));
        let var = m.map_or(u32::MAX, |m| m.var).min(n.map_or(u32::MAX, |n| n.var));
        let halves = |node: Option<posetta_dd::mtbdd::Node>, f: Function| match node {
            Some(node) if node.var == var => [node.low, node.high],
            _ => [f, f],
        };
        (var, halves(m, f), halves(n, g))
    }

    /// The state of a pair machine that two functions lead to, if that does not depend on the rest of the letter.
    fn paired(&mut self, machine: usize, f: Function, g: Function) -> Result<Option<u32>, OverBudget> {
        let Kind::Joined { joined, left, right } = self.machines[machine].kind else { unreachable!("it is a pair") };
        let (p, q) = (f.value(), g.value());
        let fates = (p.and_then(|p| self.fate(left, p)), q.and_then(|q| self.fate(right, q)));
        let settled = match fates {
            (Some(Said::Nothing), _) | (_, Some(Said::Nothing)) => Some(Said::Nothing),
            (Some(a), Some(b)) => Some(joined.said(a, b)),
            (Some(Said::No), None) if joined == Joined::And && self.is_solid(right) => Some(Said::No),
            (None, Some(Said::No)) if joined == Joined::And && self.is_solid(left) => Some(Said::No),
            _ => None,
        };
        match (settled, p, q) {
            (Some(said), _, _) => self.id(machine, Key::Settled(said)).map(Some),
            (None, Some(p), Some(q)) => self.id(machine, Key::Pair(p, q)).map(Some),
            _ => Ok(None),
        }
    }

    /// What follows a pair. No deeper than there are tracks.
    fn join(&mut self, machine: usize, f: Function, g: Function) -> Result<Function, OverBudget> {
        if let Some(state) = self.paired(machine, f, g)? {
            return Ok(Function::constant(state));
        }
        if let Some(known) = self.machines[machine].memo.get(f, g) {
            return Ok(known);
        }
        let (var, [f0, f1], [g0, g1]) = self.tops(f, g);
        self.count(1)?;
        let low = self.join(machine, f0, g0)?;
        let high = self.join(machine, f1, g1)?;
        let result = self.dd.ask(var, low, high)?;
        self.machines[machine].memo.put(f, g, result);
        self.tick(24)?;
        Ok(result)
    }

    /// What follows a state of the body of a quantifier, with tracks hidden. Of a pair that is found in one go, without what follows the pair
    /// itself: most of that would be looked at once.
    fn element_image(&mut self, machine: usize, body: usize, element: u32) -> Result<Function, OverBudget> {
        if let (Kind::Joined { left, right, .. }, Some(Key::Pair(p, q))) =
            (&self.machines[body].kind, self.machines[body].keys.get(element as usize))
        {
            let ((left, p), (right, q)) = ((left.machine, *p), (right.machine, *q));
            let (f, g) = (self.next(left, p)?, self.next(right, q)?);
            return self.joined_image(machine, body, f, g);
        }
        let next = self.next(body, element)?;
        self.hidden_image(machine, next)
    }

    /// What follows a pair, with tracks hidden. No deeper than there are tracks.
    fn joined_image(&mut self, machine: usize, body: usize, f: Function, g: Function) -> Result<Function, OverBudget> {
        if let Some(state) = self.paired(body, f, g)? {
            return self.hidden_image(machine, Function::constant(state));
        }
        if let Some(known) = self.machines[body].memo.get(f, g) {
            return Ok(known);
        }
        let (var, [f0, f1], [g0, g1]) = self.tops(f, g);
        self.count(1)?;
        let low = self.joined_image(machine, body, f0, g0)?;
        let high = self.joined_image(machine, body, f1, g1)?;
        let hides = matches!(&self.machines[machine].kind, Kind::Exists { hidden, .. } if hidden[var as usize]);
        let image = if hides { self.unite(machine, low, high)? } else { self.dd.ask(var, low, high)? };
        self.machines[body].memo.put(f, g, image);
        self.tick(24)?;
        Ok(image)
    }

    /// What follows a state of the body, with tracks hidden. No deeper than there are tracks.
    fn hidden_image(&mut self, machine: usize, function: Function) -> Result<Function, OverBudget> {
        let Kind::Exists { hidden, images, singles, .. } = &self.machines[machine].kind else {
            unreachable!("it is a quantifier")
        };
        let Some(place) = function.node() else {
            let state = function.value().expect("a function is a number or has a node");
            if let Some(&known) = singles.get(&state) {
                return Ok(Function::constant(known));
            }
            let id = self.set(machine, vec![state])?;
            if let Kind::Exists { singles, .. } = &mut self.machines[machine].kind {
                singles.insert(state, id);
            }
            return Ok(Function::constant(id));
        };
        if let Some(&known) = images.get(&function) {
            return Ok(known);
        }
        let node = self.dd.node(place);
        let hides = hidden[node.var as usize];
        self.count(1)?;
        let low = self.hidden_image(machine, node.low)?;
        let high = self.hidden_image(machine, node.high)?;
        let image = if hides { self.unite(machine, low, high)? } else { self.dd.ask(node.var, low, high)? };
        if let Kind::Exists { images, .. } = &mut self.machines[machine].kind {
            images.insert(function, image);
        }
        self.tick(24)?;
        Ok(image)
    }

    /// The number of a set of states of the body, without those that make no difference.
    fn set(&mut self, machine: usize, mut set: Vec<u32>) -> Result<u32, OverBudget> {
        let Kind::Exists { body, .. } = self.machines[machine].kind else { unreachable!("it is a quantifier") };
        let fates: Vec<Option<Said>> = set.iter().map(|&s| self.fate(body, s)).collect();
        if fates.contains(&Some(Said::Yes)) {
            return self.id(machine, Key::Settled(Said::Yes));
        }
        let solid = self.is_solid(body);
        let last = set.first().copied();
        let idle = if solid { Said::No } else { Said::Nothing };
        let mut fates = fates.into_iter();
        set.retain(|_| fates.next().flatten() != Some(idle));
        match (set.is_empty(), solid, last) {
            (true, false, Some(last)) => set.push(last),
            (true, _, _) => return self.id(machine, Key::Settled(Said::No)),
            _ => {}
        }
        self.id(machine, Key::Set(set))
    }

    /// The union of two functions to sets. No deeper than there are tracks.
    fn unite(&mut self, machine: usize, f: Function, g: Function) -> Result<Function, OverBudget> {
        if f == g {
            return Ok(f);
        }
        if let (Some(a), Some(b)) = (f.value(), g.value()) {
            let keys = &self.machines[machine].keys;
            let united = match (&keys[a as usize], &keys[b as usize]) {
                (Key::Settled(Said::Yes), _) | (_, Key::Settled(Said::No)) => return Ok(f),
                (_, Key::Settled(Said::Yes)) | (Key::Settled(Said::No), _) => return Ok(g),
                (Key::Set(x), Key::Set(y)) => {
                    let mut all: Vec<u32> = x.iter().chain(y).copied().collect();
                    all.sort_unstable();
                    all.dedup();
                    all
                }
                _ => unreachable!("a set that is settled says yes, or no where nothing is impossible"),
            };
            return Ok(Function::constant(self.set(machine, united)?));
        }
        let (f, g) = if f < g { (f, g) } else { (g, f) };
        if let Some(known) = self.machines[machine].memo.get(f, g) {
            return Ok(known);
        }
        let (var, [f0, f1], [g0, g1]) = self.tops(f, g);
        self.count(1)?;
        let low = self.unite(machine, f0, g0)?;
        let high = self.unite(machine, f1, g1)?;
        let result = self.dd.ask(var, low, high)?;
        self.machines[machine].memo.put(f, g, result);
        self.tick(24)?;
        Ok(result)
    }
}

/// A part of the formula before it is followed; parts of a part come before it.
enum Planned {
    Leaf(Built),
    Joined(Joined, Part, Part),
    Exists(Vec<Track>, Part),
}

impl Planned {
    fn tracks(&self) -> Vec<Track> {
        match self {
            Self::Leaf(built) => built.tracks.to_vec(),
            Self::Joined(..) => Vec::new(),
            Self::Exists(tracks, _) => tracks.clone(),
        }
    }
}

struct Plan<'p, 'a> {
    builder: &'p mut Builder<'a>,
    cores: &'p Cores,
    inside: Option<Track>,
    budget: &'a Budget,
    parts: Vec<Planned>,
    /// Which quantifiers are followed, as far as that was asked.
    followed: FxHashMap<CoreId, bool>,
}

impl Plan<'_, '_> {
    fn push(&mut self, planned: Planned) -> Part {
        self.parts.push(planned);
        Part { machine: self.parts.len() - 1, negated: false }
    }

    fn part(&mut self, id: CoreId) -> Result<Part, OverBudget> {
        match self.cores.get(id) {
            Core::Not(f) => {
                let part = self.part(*f)?;
                Ok(Part { negated: !part.negated, ..part })
            }
            Core::Iff(f, g) if self.parts.len() < MOST && (self.is_deep(*f) || self.is_deep(*g)) => {
                let (left, right) = (self.part(*f)?, self.part(*g)?);
                Ok(self.push(Planned::Joined(Joined::Iff, left, right)))
            }
            Core::And(_) if self.parts.len() < MOST => self.all(id),
            Core::Exists(hidden, body) if self.parts.len() < MOST && self.is_followed(id, hidden, *body)? => {
                let hidden = hidden.to_vec();
                let body = self.all(*body)?;
                Ok(self.push(Planned::Exists(hidden, body)))
            }
            _ => {
                let built = self.builder.automaton(id)?;
                self.leaf(built)
            }
        }
    }

    /// Whether there is anything to be followed below a formula.
    fn is_deep(&self, id: CoreId) -> bool {
        matches!(self.cores.get(id), Core::Not(_) | Core::And(_) | Core::Iff(..) | Core::Exists(..))
    }

    fn leaf(&mut self, built: Built) -> Result<Part, OverBudget> {
        let built = match self.inside {
            Some(track) => super::decide::inside(&built, track, self.budget)?,
            None => built,
        };
        Ok(self.push(Planned::Leaf(built)))
    }

    /// A quantifier over sets is followed if its automaton may be large and its tracks end with the string. One over positions is not: chains of
    /// them (one after the other, each with its letter) have small automata, and many sets on the way to them.
    fn is_followed(&mut self, id: CoreId, hidden: &[Track], body: CoreId) -> Result<bool, OverBudget> {
        if let Some(&known) = self.followed.get(&id) {
            return Ok(known);
        }
        let followed = self.is_worth_it(hidden, body)?;
        self.followed.insert(id, followed);
        Ok(followed)
    }

    fn is_worth_it(&mut self, hidden: &[Track], body: CoreId) -> Result<bool, OverBudget> {
        let over_sets = hidden.iter().any(|&t| self.builder.is_set(t));
        if !over_sets || self.cores.sees_lengths(body) || hidden.iter().any(|&t| self.builder.reaches_beyond(t)) {
            return Ok(false);
        }
        let Core::And(parts) = self.cores.get(body) else { return Ok(false) };
        let mut size = 1_u64;
        for &part in parts {
            // What is itself a conjunction or a quantifier is judged by its own parts.
            size = size.saturating_mul(self.size(part)?);
        }
        Ok(size >= FEW)
    }

    fn size(&mut self, id: CoreId) -> Result<u64, OverBudget> {
        match self.cores.get(id) {
            Core::Not(f) => self.size(*f),
            Core::Exists(hidden, body) if self.is_followed(id, hidden, *body)? => Ok(FEW),
            _ => Ok(self.builder.automaton(id)?.dfa.states() as u64),
        }
    }

    /// The parts of a conjunction, those that say the same of every string left out.
    fn all(&mut self, id: CoreId) -> Result<Part, OverBudget> {
        let parts = match self.cores.get(id) {
            Core::And(parts) => parts.to_vec(),
            _ => vec![id],
        };
        let (groups, others) = self.builder.grouped(&parts);
        let mut all = Vec::new();
        for part in others {
            all.push(self.part(part)?);
        }
        for group in groups {
            let built = self.builder.letters(&group)?;
            all.push(self.leaf(built)?);
        }
        let idle = |plan: &Self, part: &Part| match &plan.parts[part.machine] {
            Planned::Leaf(built) => {
                built.dfa.states() == 2 && built.dfa.said(1) == if part.negated { Said::No } else { Said::Yes }
            }
            _ => false,
        };
        let busy: Vec<Part> = all.iter().copied().filter(|part| !idle(self, part)).collect();
        let mut busy = busy.into_iter();
        let Some(mut left) = busy.next().or(all.first().copied()) else {
            let yes = TrackDfa::constant(Said::Yes, self.budget)?;
            return self.leaf(Built { dfa: yes, tracks: [].into(), cared: false });
        };
        for right in busy {
            left = self.push(Planned::Joined(Joined::And, left, right));
        }
        Ok(left)
    }
}
