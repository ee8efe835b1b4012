//! Formulas with few constructs, every one stored once.
//!
//! A [`Core`] formula speaks of *tracks*: one for each variable that is free or bound somewhere after definitions were put in. It has one of three
//! values ([`Said`](posetta_automata::tracks::Said)), and every connective is strict: it says nothing where an operand says nothing. Equal formulas have equal numbers.
//!
//! What is simplified when a formula is stored keeps all three values: conjunctions are flat, quantifiers stand as deep as they can, in blocks
//! whose parts hang together. `ex v: f & g`, where `g` does not mention v, is `(ex v: f) & g`: where `g` says nothing both do; where it
//! says no, both say no, or nothing where `f` says nothing for every v. That needs that a formula says the same of a string when positions without
//! ones are added to it, because the values of v may lie beyond its end; all but `prefix` does. `ex v: f | g` is `(ex v: f) | (ex v: g)` if both always
//! say something; restrictions of v may stand beside the disjunction, because where one value of v meets them both sides say something.

use rustc_hash::FxHashMap;

/// Beyond this offset from its position a letter is not looked at directly.
const FARTHEST: u32 = 4;

/// One bit at every position of a string, or one truth value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Track(pub(super) u32);

/// A place in [`Cores`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct CoreId(pub(super) u32);

/// What a position or a set is compared with. A track that stands for a position means the place of its first one; where it has none, what is
/// said does not matter, because nobody asks.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Atom {
    /// A truth value.
    Truth(Track),
    /// There is a one.
    Some(Track),
    /// p + n ∈ X
    In(Track, u32, Track),
    /// n ∈ X
    Has(Track, u32),
    /// p = q + n
    Equal(Track, Track, u32),
    /// p ≤ q + n
    AtMost(Track, Track, i64),
    /// p = n
    Is(Track, u32),
    /// p ≤ n
    Below(Track, u32),
    /// v = max(p - n, 0)
    Monus(Track, Track, u32),
    /// p = min X, 0 if there is none
    Min(Track, Track),
    /// p = max X, 0 if there is none
    Max(Track, Track),
    /// X ⊆ Y
    Sub(Track, Track),
    /// X = Y
    Same(Track, Track),
    /// X has no element.
    Empty(Track),
    /// X is the places of the ones of a binary number.
    Number(Track, u64),
}

impl Atom {
    pub(super) fn tracks(&self) -> Vec<Track> {
        match *self {
            Self::Truth(x)
            | Self::Some(x)
            | Self::Has(x, _)
            | Self::Is(x, _)
            | Self::Below(x, _)
            | Self::Empty(x)
            | Self::Number(x, _) => vec![x],
            Self::In(x, _, y)
            | Self::Equal(x, y, _)
            | Self::AtMost(x, y, _)
            | Self::Monus(x, y, _)
            | Self::Min(x, y)
            | Self::Max(x, y)
            | Self::Sub(x, y)
            | Self::Same(x, y) => vec![x, y],
        }
    }
}

/// A formula whose parts are stored elsewhere.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Core {
    Constant(bool),
    Atom(Atom),
    Not(CoreId),
    /// At least two, ascending, none of them a conjunction.
    And(Box<[CoreId]>),
    Iff(CoreId, CoreId),
    /// Ascending, all of them mentioned.
    Exists(Box<[Track]>, CoreId),
    /// Nothing is said where the formula is not true.
    Restrict(CoreId),
    /// Some string that goes on satisfies it.
    Prefix(CoreId),
}

/// A store of formulas. Parts come before what they are parts of.
#[derive(Debug, Default)]
pub(super) struct Cores {
    /// Whether quantifiers stay where they are written.
    written: bool,
    cores: Vec<Core>,
    ids: FxHashMap<Core, CoreId>,
    free: Vec<Box<[Track]>>,
    /// Whether it may say nothing.
    partial: Vec<bool>,
    /// Whether strings matter by more than where their ones are, so that quantifiers must stay where they are.
    lengths: Vec<bool>,
    /// The position whose letters, and the next few, are all that a formula speaks of.
    local: Vec<Option<Track>>,
}

impl Cores {
    /// A store whose quantifiers stay where they are written.
    pub(super) fn written() -> Self {
        Self { written: true, ..Self::default() }
    }

    /// Whether quantifiers stay where they are written.
    pub(super) fn is_written(&self) -> bool {
        self.written
    }

    pub(super) fn get(&self, id: CoreId) -> &Core {
        &self.cores[id.0 as usize]
    }

    pub(super) fn len(&self) -> usize {
        self.cores.len()
    }

    /// The tracks that a formula speaks of, ascending.
    pub(super) fn free(&self, id: CoreId) -> &[Track] {
        &self.free[id.0 as usize]
    }

    pub(super) fn is_partial(&self, id: CoreId) -> bool {
        self.partial[id.0 as usize]
    }

    /// Whether a formula may tell strings apart that differ only in positions without ones.
    pub(super) fn sees_lengths(&self, id: CoreId) -> bool {
        self.lengths[id.0 as usize]
    }

    /// The position whose letters, and the next few, are all that a formula speaks of.
    pub(super) fn local(&self, id: CoreId) -> Option<Track> {
        self.local[id.0 as usize]
    }

    fn position(&self, core: &Core) -> Option<Track> {
        let common = |parts: &[CoreId]| {
            let first = self.local(*parts.first()?)?;
            parts.iter().all(|&p| self.local(p) == Some(first)).then_some(first)
        };
        match core {
            Core::Atom(Atom::In(position, plus, set)) if *plus <= FARTHEST && position != set => Some(*position),
            Core::Not(f) => self.local(*f),
            Core::And(parts) => common(parts),
            Core::Iff(f, g) => common(&[*f, *g]),
            _ => None,
        }
    }

    fn store(&mut self, core: Core) -> CoreId {
        if let Some(&known) = self.ids.get(&core) {
            return known;
        }
        let mut free: Vec<Track> = match &core {
            Core::Constant(_) => Vec::new(),
            Core::Atom(atom) => atom.tracks(),
            Core::Not(f) | Core::Restrict(f) | Core::Prefix(f) => self.free(*f).to_vec(),
            Core::And(parts) => parts.iter().flat_map(|&p| self.free(p).iter().copied()).collect(),
            Core::Iff(f, g) => self.free(*f).iter().chain(self.free(*g)).copied().collect(),
            Core::Exists(hidden, f) => {
                self.free(*f).iter().copied().filter(|t| hidden.binary_search(t).is_err()).collect()
            }
        };
        free.sort_unstable();
        free.dedup();
        let parts: &[CoreId] = match &core {
            Core::Constant(_) | Core::Atom(_) => &[],
            Core::Not(f) | Core::Restrict(f) | Core::Prefix(f) | Core::Exists(_, f) => &[*f],
            Core::And(parts) => parts,
            Core::Iff(f, g) => &[*f, *g],
        };
        let partial = matches!(core, Core::Restrict(_)) || parts.iter().any(|&p| self.partial[p.0 as usize]);
        let lengths = matches!(core, Core::Prefix(_)) || parts.iter().any(|&p| self.lengths[p.0 as usize]);
        let local = self.position(&core);
        let id = CoreId(self.cores.len() as u32);
        self.cores.push(core.clone());
        self.ids.insert(core, id);
        self.free.push(free.into());
        self.partial.push(partial);
        self.lengths.push(lengths);
        self.local.push(local);
        id
    }

    pub(super) fn constant(&mut self, value: bool) -> CoreId {
        self.store(Core::Constant(value))
    }

    pub(super) fn atom(&mut self, atom: Atom) -> CoreId {
        let equal = match atom {
            Atom::Equal(p, q, n) if p == q => Some(n == 0),
            Atom::AtMost(p, q, n) if p == q => Some(n >= 0),
            Atom::Sub(x, y) | Atom::Same(x, y) if x == y => Some(true),
            _ => None,
        };
        match (equal, atom) {
            (Some(value), _) => self.constant(value),
            (None, Atom::Same(x, y)) if y < x => self.store(Core::Atom(Atom::Same(y, x))),
            (None, atom) => self.store(Core::Atom(atom)),
        }
    }

    pub(super) fn not(&mut self, f: CoreId) -> CoreId {
        match *self.get(f) {
            Core::Constant(value) => self.constant(!value),
            Core::Not(inner) => inner,
            _ => self.store(Core::Not(f)),
        }
    }

    pub(super) fn and(&mut self, parts: impl IntoIterator<Item = CoreId>) -> CoreId {
        let mut flat: Vec<CoreId> = Vec::new();
        for part in parts {
            match self.get(part) {
                Core::And(inner) => flat.extend_from_slice(inner),
                Core::Constant(true) => {}
                _ => flat.push(part),
            }
        }
        flat.sort_unstable();
        flat.dedup();
        // What contradicts itself is false, as long as nothing else can fail to say something.
        let refuted = flat.iter().any(|&p| match *self.get(p) {
            Core::Constant(value) => !value,
            Core::Not(inner) => flat.binary_search(&inner).is_ok(),
            _ => false,
        });
        if refuted {
            flat.retain(|&p| self.is_partial(p));
            if flat.is_empty() {
                return self.constant(false);
            }
            let no = self.constant(false);
            flat.push(no);
            flat.sort_unstable();
        }
        match flat[..] {
            [] => self.constant(true),
            [one] => one,
            _ => self.store(Core::And(flat.into())),
        }
    }

    pub(super) fn or(&mut self, f: CoreId, g: CoreId) -> CoreId {
        let (f, g) = (self.not(f), self.not(g));
        let both = self.and([f, g]);
        self.not(both)
    }

    pub(super) fn implies(&mut self, f: CoreId, g: CoreId) -> CoreId {
        let g = self.not(g);
        let both = self.and([f, g]);
        self.not(both)
    }

    pub(super) fn iff(&mut self, f: CoreId, g: CoreId) -> CoreId {
        match (self.get(f), self.get(g)) {
            (Core::Constant(true), _) => g,
            (_, Core::Constant(true)) => f,
            (Core::Constant(false), _) => self.not(g),
            (_, Core::Constant(false)) => self.not(f),
            (Core::Not(a), Core::Not(b)) => {
                let (a, b) = (*a, *b);
                self.iff(a, b)
            }
            _ if f == g && !self.is_partial(f) => self.constant(true),
            _ => self.store(if f < g { Core::Iff(f, g) } else { Core::Iff(g, f) }),
        }
    }

    pub(super) fn restrict(&mut self, f: CoreId) -> CoreId {
        match self.get(f) {
            Core::Constant(true) | Core::Restrict(_) => f,
            Core::And(parts) => {
                let parts = parts.clone();
                let restricted: Vec<CoreId> = parts.iter().map(|&p| self.restrict(p)).collect();
                self.and(restricted)
            }
            _ => self.store(Core::Restrict(f)),
        }
    }

    pub(super) fn prefix(&mut self, f: CoreId) -> CoreId {
        self.store(Core::Prefix(f))
    }

    /// Some way to fill the tracks satisfies a formula.
    pub(super) fn exists(&mut self, tracks: &[Track], f: CoreId) -> CoreId {
        let free = self.free(f);
        let mut hidden: Vec<Track> = tracks.iter().copied().filter(|t| free.binary_search(t).is_ok()).collect();
        hidden.sort_unstable();
        hidden.dedup();
        if hidden.is_empty() {
            return f;
        }
        if self.lengths[f.0 as usize] || self.written {
            return self.store(Core::Exists(hidden.into(), f));
        }
        match self.get(f) {
            Core::Exists(inner, body) => {
                let (inner, body) = (inner.clone(), *body);
                hidden.extend_from_slice(&inner);
                self.exists(&hidden, body)
            }
            Core::And(parts) => {
                let parts = parts.clone();
                match self.disjuncts(&parts) {
                    Some((restrictions, groups)) => self.exists_any(&hidden, &restrictions, groups),
                    None => self.exists_all(&hidden, &parts),
                }
            }
            _ => match self.disjuncts(&[f]) {
                Some((restrictions, groups)) => self.exists_any(&hidden, &restrictions, groups),
                None => self.store(Core::Exists(hidden.into(), f)),
            },
        }
    }

    /// If the parts of a conjunction are restrictions and one disjunction that always says something: the restrictions, and the negated
    /// alternatives. Those that are made of the letters at one position stay together: their automaton is made without products.
    fn disjuncts(&self, parts: &[CoreId]) -> Option<(Vec<CoreId>, Vec<Vec<CoreId>>)> {
        let is_restriction = |&p: &CoreId| matches!(self.get(p), Core::Restrict(_));
        let (restrictions, others): (Vec<CoreId>, Vec<CoreId>) = parts.iter().partition(|p| is_restriction(p));
        let &[Core::Not(inner)] = &others.iter().map(|&p| self.get(p)).collect::<Vec<_>>()[..] else { return None };
        let Core::And(negated) = self.get(*inner) else { return None };
        if self.is_partial(*inner) {
            return None;
        }
        let mut groups: Vec<(Option<Track>, Vec<CoreId>)> = Vec::new();
        for &part in negated {
            let position = self.local(part);
            match groups.iter_mut().find(|(p, _)| p.is_some() && *p == position) {
                Some((_, group)) => group.push(part),
                None => groups.push((position, vec![part])),
            }
        }
        (groups.len() > 1).then(|| (restrictions, groups.into_iter().map(|(_, group)| group).collect()))
    }

    /// Some way to fill the tracks meets the restrictions and one of the alternatives, which are negated.
    fn exists_any(&mut self, hidden: &[Track], restrictions: &[CoreId], groups: Vec<Vec<CoreId>>) -> CoreId {
        let mut none = Vec::new();
        for group in groups {
            let all = self.and(group);
            let alternative = self.not(all);
            let body = self.and(restrictions.iter().copied().chain([alternative]));
            let exists = self.exists(hidden, body);
            none.push(self.not(exists));
        }
        let none = self.and(none);
        self.not(none)
    }

    /// The same for a conjunction: parts that share no hidden track have quantifiers of their own.
    fn exists_all(&mut self, hidden: &[Track], parts: &[CoreId]) -> CoreId {
        let mut groups: Vec<(Vec<Track>, Vec<CoreId>)> = Vec::new();
        let mut outside: Vec<CoreId> = Vec::new();
        for &part in parts {
            let mine: Vec<Track> =
                self.free(part).iter().copied().filter(|t| hidden.binary_search(t).is_ok()).collect();
            if mine.is_empty() {
                outside.push(part);
                continue;
            }
            let (touched, rest): (Vec<_>, Vec<_>) =
                groups.into_iter().partition(|(tracks, _)| tracks.iter().any(|t| mine.contains(t)));
            groups = rest;
            let mut joined = (mine, vec![part]);
            for (tracks, parts) in touched {
                joined.0.extend(tracks);
                joined.1.extend(parts);
            }
            joined.0.sort_unstable();
            joined.0.dedup();
            groups.push(joined);
        }
        for (tracks, parts) in groups {
            let body = self.and(parts);
            let quantified = match self.get(body) {
                Core::And(_) => self.store(Core::Exists(tracks.into(), body)),
                _ => self.exists(&tracks, body),
            };
            outside.push(quantified);
        }
        self.and(outside)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantifiers_go_into_disjunctions_that_always_say_something() {
        let [x, y, z] = [0, 1, 2].map(Track);
        let two_of = |cores: &mut Cores| {
            let (f, g) = (cores.atom(Atom::Sub(x, y)), cores.atom(Atom::Sub(y, z)));
            (f, g, cores.or(f, g))
        };
        let mut cores = Cores::default();
        let (f, g, either) = two_of(&mut cores);
        let apart = [cores.exists(&[y], f), cores.exists(&[y], g)];
        let expected = cores.or(apart[0], apart[1]);
        assert_eq!(cores.exists(&[y], either), expected);
        // A restriction of what is hidden stands in both.
        let some = cores.atom(Atom::Some(y));
        let some = cores.restrict(some);
        let [f, g, either] = [f, g, either].map(|part| cores.and([some, part]));
        let apart = [cores.exists(&[y], f), cores.exists(&[y], g)];
        let expected = cores.or(apart[0], apart[1]);
        assert_eq!(cores.exists(&[y], either), expected);
        // An alternative that may say nothing keeps the others from saying anything.
        let partial = cores.or(some, f);
        let stays = cores.exists(&[y], partial);
        assert_eq!(*cores.get(stays), Core::Exists([y].into(), partial));
        let mut written = Cores::written();
        let (.., either) = two_of(&mut written);
        let stays = written.exists(&[y], either);
        assert_eq!(*written.get(stays), Core::Exists([y].into(), either));
    }
}
