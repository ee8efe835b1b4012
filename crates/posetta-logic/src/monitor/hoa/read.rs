//! Reads a monitor.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::lex::{Lexer, Token};
use crate::atom::{Spot, Var};
use crate::monitor::{Guard, Monitor, MonitorEdge, MonitorState, Otherwise};
use crate::parse::{MAX_DEPTH, MAX_NESTING, MOST_NODES, guard_in, parse_guard};
use crate::property::{Formula, Property, View};
use posetta_base::{Diagnostic, Kind, Mistakes, Place, Span};

type Read<T> = Result<T, Box<Diagnostic>>;

/// Whether a text is in this format rather than a property file.
#[must_use]
pub fn is_hoa(source: &str) -> bool {
    source.trim_start_matches('\u{feff}').trim_start().starts_with("HOA:")
}

/// Reads an automaton on finite words: what it accepts is bad. `view` is what its positions are if it does not say so.
///
/// # Errors
/// With the first mistake, which may be that it is an automaton on infinite words.
pub fn read_hoa(source: &str, view: View) -> Result<Property, Mistakes> {
    let property = Reader::new(source).and_then(|reader| reader.property(view));
    property.map_err(Mistakes::from)
}

/// A label or an alias: a combination of atomic propositions, by number.
type Label = Guard<Ap>;

/// An atomic proposition and where it is used.
#[derive(Clone, Copy, Debug)]
struct Ap {
    number: u32,
    span: Span,
}

/// An edge of the body; without a label it is one of the implicit ones.
struct Edge {
    from: u32,
    label: Option<Label>,
    to: u32,
    to_span: Span,
}

/// What a state says of itself.
struct State {
    number: u32,
    span: Span,
    name: Option<String>,
    label: Option<Label>,
    bad: bool,
}

struct Reader<'a> {
    source: &'a str,
    lexer: Lexer<'a>,
    token: Token,
    span: Span,
    /// How many parts the labels may still have, aliases put in.
    left: u64,
    aliases: FxHashMap<String, Label>,
    depth: u32,
    // The header.
    name: Option<String>,
    states: Option<u32>,
    starts: Vec<(u32, Span)>,
    started: FxHashSet<u32>,
    atoms: Option<Vec<Guard>>,
    acceptance: Option<()>,
    finite: Option<Option<View>>,
}

impl<'a> Reader<'a> {
    fn new(source: &'a str) -> Read<Self> {
        let mut reader = Self {
            source,
            lexer: Lexer { source, at: 0 },
            token: Token::End,
            span: Span::default(),
            left: MOST_NODES,
            aliases: FxHashMap::default(),
            depth: 0,
            name: None,
            states: None,
            starts: Vec::new(),
            started: FxHashSet::default(),
            atoms: None,
            acceptance: None,
            finite: None,
        };
        reader.advance()?;
        Ok(reader)
    }

    fn advance(&mut self) -> Read<Token> {
        let (token, span) = self.lexer.next()?;
        self.span = span;
        Ok(std::mem::replace(&mut self.token, token))
    }

    fn wrong<T>(&self, kind: Kind, span: Span, message: impl Into<String>, label: &str) -> Read<T> {
        let diagnostic = Diagnostic::new(kind, message).at(Place::in_text(self.source, span));
        Err(Box::new(if label.is_empty() { diagnostic } else { diagnostic.label(label) }))
    }

    fn expected<T>(&self, what: &str) -> Read<T> {
        let message = format!("expected {what}, found {}", self.token.describe());
        self.wrong(Kind::Syntax, self.span, message, &format!("expected {what}"))
    }

    fn int(&mut self, what: &str) -> Read<(u32, Span)> {
        let Token::Int(n) = self.token else { return self.expected(what) };
        let span = self.span;
        self.advance()?;
        Ok((n, span))
    }

    fn sign(&mut self, sign: char) -> Read<()> {
        if self.token != Token::Sign(sign) {
            return self.expected(&format!("`{sign}`"));
        }
        self.advance().map(drop)
    }

    fn is_sign(&self, sign: char) -> bool {
        self.token == Token::Sign(sign)
    }

    fn property(mut self, view: View) -> Result<Property, Box<Diagnostic>> {
        let first = self.span;
        self.version()?;
        while self.token != Token::Fence("--BODY--") {
            self.header()?;
        }
        let fence = self.span;
        self.advance()?;
        let view = self.check_header(first, fence)?.unwrap_or(view);
        let mut states: Vec<State> = Vec::new();
        let mut edges: Vec<Edge> = Vec::new();
        while let Token::Header(word) = &self.token {
            if word != "State" {
                return self.expected("`State:` or `--END--`");
            }
            let state = self.state()?;
            let first = edges.len();
            self.edges(&state, &mut edges)?;
            self.implicit(&state, &mut edges[first..])?;
            states.push(state);
        }
        if self.token != Token::Fence("--END--") {
            return self.expected("`State:` or `--END--`");
        }
        self.advance()?;
        if self.token != Token::End {
            return self.wrong(
                Kind::Unsupported,
                self.span,
                "one automaton is expected, and here is more",
                "expected the end of the file",
            );
        }
        let monitor = self.monitor(states, edges)?;
        let line = self.source[first.start..].find(['\n', '\r']).unwrap_or(self.source.len() - first.start);
        let span = Span::new(first.start, first.start + line);
        let name = self.name.take();
        Ok(Property { name, ..Property::written(self.source.into(), span, Formula::Monitor(view, monitor)) })
    }

    fn version(&mut self) -> Read<()> {
        if self.token != Token::Header("HOA".to_owned()) {
            return self.expected("`HOA: v1`");
        }
        self.advance()?;
        match &self.token {
            Token::Ident(version) if version == "v1" => self.advance().map(drop),
            _ => self.expected("`v1`"),
        }
    }

    fn header(&mut self) -> Read<()> {
        let span = self.span;
        let Token::Header(name) = self.token.clone() else {
            return self.expected("a header or `--BODY--`");
        };
        self.advance()?;
        let again = match name.as_str() {
            "States" => {
                let n = self.int("the number of states")?.0;
                self.states.replace(n).is_some()
            }
            "Start" => {
                let start = self.one_state()?;
                if !self.started.insert(start.0) {
                    return self.wrong(Kind::Definition, start.1, "it starts there already", "");
                }
                self.starts.push(start);
                false
            }
            "AP" => {
                let atoms = self.atoms()?;
                self.atoms.replace(atoms).is_some()
            }
            "Alias" => {
                let Token::Alias(name) = self.token.clone() else { return self.expected("`@` and a name") };
                let span = self.span;
                self.advance()?;
                let label = self.label()?;
                if self.aliases.insert(name, label).is_some() {
                    return self.wrong(Kind::Definition, span, "this alias is defined twice", "");
                }
                false
            }
            "Acceptance" => {
                self.acceptance()?;
                self.acceptance.replace(()).is_some()
            }
            "FiniteWords" => {
                let view = self.finite_words()?;
                self.finite.replace(view).is_some()
            }
            "name" => {
                let Token::Text(name) = self.token.clone() else { return self.expected("a string") };
                self.advance()?;
                self.name.replace(name).is_some()
            }
            _ if name.starts_with(|c: char| c.is_ascii_uppercase()) => {
                let message = format!("the header `{name}:` is not known, and its capital says that it matters");
                return self.wrong(Kind::Unsupported, span, message, "");
            }
            // Anything else may be left out of account.
            _ => {
                while !matches!(self.token, Token::Header(_) | Token::Fence(_) | Token::End) {
                    self.advance()?;
                }
                false
            }
        };
        if again {
            return self.wrong(Kind::Definition, span, format!("there are two headers `{name}:`"), "");
        }
        Ok(())
    }

    /// A state; a conjunction of them would be an alternating automaton.
    fn one_state(&mut self) -> Read<(u32, Span)> {
        let state = self.int("the number of a state")?;
        if self.is_sign('&') {
            return self.wrong(
                Kind::Unsupported,
                self.span,
                "a monitor is in one state at a time, and this names several at once",
                "alternating automata are not read",
            );
        }
        Ok(state)
    }

    /// `n "…" "…"`, each a guard of ours.
    fn atoms(&mut self) -> Read<Vec<Guard>> {
        let (count, _) = self.int("the number of atomic propositions")?;
        let text: Arc<str> = self.source.into();
        let mut atoms = Vec::new();
        for _ in 0..count {
            let Token::Text(atom) = self.token.clone() else {
                return self.expected("an atomic proposition in double quotes");
            };
            let (span, inside) = (self.span, Span::new(self.span.start + 1, self.span.end - 1));
            self.advance()?;
            let plain = self.source[inside.start..inside.end] == *atom;
            let guard = if plain { guard_in(&text, inside) } else { parse_guard(&atom) };
            let at = |d: Diagnostic| if plain { d } else { d.at(Place::in_text(self.source, span)) };
            let guard = guard.map_err(|all| {
                let first = all.into_iter().next().unwrap_or_else(|| Diagnostic::new(Kind::Syntax, "no atom"));
                let help = "atomic propositions are atoms of Posetta, such as \"x == 1\" or \"on(x == 1)\"";
                let first = at(first);
                Box::new(if first.help.is_none() { first.help(help) } else { first })
            })?;
            let spot = |var: &Var| Var { spot: Spot(span), ..var.clone() };
            atoms.push(if plain { guard } else { guard.map_atoms(&mut |a| a.map_vars(&mut |v| spot(v))) });
        }
        Ok(atoms)
    }

    fn acceptance(&mut self) -> Read<()> {
        let start = self.span;
        let mut words = Vec::new();
        let mut end = start;
        while !matches!(self.token, Token::Header(_) | Token::Fence(_) | Token::End) {
            end = self.span;
            words.push(self.advance()?);
        }
        let ident = |word: &str| Token::Ident(word.to_owned());
        let final_states = [Token::Int(1), ident("Inf"), Token::Sign('('), Token::Int(0), Token::Sign(')')];
        if words == final_states {
            return Ok(());
        }
        self.wrong(
            Kind::Unsupported,
            start.to(end),
            "a finite word is accepted by the state that it ends in, and this acceptance says more",
            "expected `1 Inf(0)`, and the bad states marked `{0}`",
        )
    }

    /// `over states`, `over events`, or nothing.
    /// What its positions are; and that its words are bad ones, if it says which they are.
    fn finite_words(&mut self) -> Read<Option<View>> {
        let mut view = None;
        if self.token == Token::Ident("over".to_owned()) {
            self.advance()?;
            view = Some(match &self.token {
                Token::Ident(word) if word == "states" => View::States,
                Token::Ident(word) if word == "events" => View::Events,
                _ => return self.expected("`states` or `events`"),
            });
            self.advance()?;
        }
        match &self.token {
            Token::Header(_) | Token::Fence(_) => Ok(view),
            Token::Ident(word) if word == "bad" => {
                self.advance()?;
                Ok(view)
            }
            Token::Ident(word) if word == "good" => {
                let span = self.span;
                let mistake: Read<()> = self.wrong(
                    Kind::Unsupported,
                    span,
                    "this automaton accepts the words that satisfy its property, and a monitor accepts those that violate it",
                    "",
                );
                let help = "`posetta explain --hoa --of bad` writes the automaton of a property's bad words";
                Err(mistake.map_or_else(|m| Box::new(m.help(help)), |()| unreachable!("it is a mistake")))
            }
            _ => self.expected("`over states`, `over events`, `bad` or the next header"),
        }
    }

    fn check_header(&mut self, first: Span, fence: Span) -> Read<Option<View>> {
        let Some(view) = self.finite else {
            let mistake: Read<()> = self.wrong(
                Kind::Unsupported,
                first,
                "this is an automaton on infinite words, and a run is a finite word",
                "there is no header `FiniteWords:`",
            );
            let help = "if its states marked {0} are those in which a bad run ends, add the header `FiniteWords:`; \
                        `posetta explain --hoa --of bad` writes such files";
            return Err(mistake.map_or_else(|m| Box::new(m.help(help)), |()| unreachable!("it is a mistake")));
        };
        if self.acceptance.is_none() {
            return self.wrong(
                Kind::Syntax,
                fence,
                "there is no header `Acceptance:`",
                "expected `Acceptance: 1 Inf(0)` before it",
            );
        }
        if self.starts.is_empty() {
            return self.wrong(Kind::Definition, fence, "it starts nowhere", "expected a header `Start:` before it");
        }
        Ok(view)
    }

    /// `State: [label] number "name" {0}`
    fn state(&mut self) -> Read<State> {
        self.advance()?;
        let label = if self.is_sign('[') { Some(self.bracketed()?) } else { None };
        let (number, span) = self.int("the number of a state")?;
        let name = match self.token.clone() {
            Token::Text(name) => {
                self.advance()?;
                Some(name)
            }
            _ => None,
        };
        let mut bad = false;
        if self.is_sign('{') {
            self.advance()?;
            while let Token::Int(mark) = self.token {
                if mark != 0 {
                    return self.wrong(Kind::Definition, self.span, "the only mark is 0", "expected `{0}`");
                }
                bad = true;
                self.advance()?;
            }
            self.sign('}')?;
        }
        Ok(State { number, span, name, label, bad })
    }

    fn edges(&mut self, state: &State, edges: &mut Vec<Edge>) -> Read<()> {
        while matches!(self.token, Token::Int(_) | Token::Sign('[')) {
            let start = self.span;
            let label = if self.is_sign('[') { Some(self.bracketed()?) } else { None };
            if label.is_some() && state.label.is_some() {
                return self.wrong(Kind::Syntax, start, "the state has a label, so its edges have none", "");
            }
            let (to, to_span) = self.one_state()?;
            if self.is_sign('{') {
                return self.wrong(
                    Kind::Unsupported,
                    self.span,
                    "a finite word is accepted by the state that it ends in, not by an edge",
                    "marks stand behind the number of a state, as in `State: 1 {0}`",
                );
            }
            self.spend(state.label.as_ref().map_or(0, |l| l.size().0), start)?;
            edges.push(Edge { from: state.number, label: label.or_else(|| state.label.clone()), to, to_span });
        }
        Ok(())
    }

    /// Edges without labels are one for each combination of atomic propositions: the number of an edge, in binary, says
    /// which hold, the first in the lowest bit.
    fn implicit(&mut self, state: &State, edges: &mut [Edge]) -> Read<()> {
        if edges.iter().all(|e| e.label.is_some()) {
            return Ok(());
        }
        let atoms = self.atoms.as_ref().map_or(0, Vec::len);
        let count = 1_usize.checked_shl(atoms as u32).unwrap_or(usize::MAX);
        if edges.iter().any(|e| e.label.is_some()) || edges.len() != count {
            let message = format!("state {} has edges without labels, but not one for each letter", state.number);
            let label = format!(
                "expected {} edges, or a label on each",
                if atoms < 60 { count.to_string() } else { format!("2^{atoms}") }
            );
            return self.wrong(Kind::Syntax, state.span, message, &label);
        }
        self.spend((count as u64).saturating_mul(2 * atoms as u64 + 1), state.span)?;
        for (i, edge) in edges.iter_mut().enumerate() {
            let literal = |number: usize| {
                let atom = Guard::Atom(Ap { number: number as u32, span: state.span });
                if i >> number & 1 == 1 { atom } else { Guard::Not(Box::new(atom)) }
            };
            edge.label = Some(match atoms {
                0 => Guard::True,
                1 => literal(0),
                _ => Guard::And((0..atoms).map(literal).collect()),
            });
        }
        Ok(())
    }

    fn spend(&mut self, parts: u64, span: Span) -> Read<()> {
        match self.left.checked_sub(parts) {
            Some(left) => {
                self.left = left;
                Ok(())
            }
            None => {
                self.wrong(Kind::TooLarge, span, "with aliases put in, the labels have more than a million parts", "")
            }
        }
    }

    fn bracketed(&mut self) -> Read<Label> {
        self.sign('[')?;
        let label = self.label()?;
        self.sign(']')?;
        Ok(label)
    }

    fn label(&mut self) -> Read<Label> {
        let label = self.conjunctions()?;
        if label.size().1 > MAX_DEPTH {
            return self.too_deep();
        }
        Ok(label)
    }

    fn too_deep<T>(&self) -> Read<T> {
        self.wrong(Kind::Nesting, self.span, format!("this label is nested more than {MAX_NESTING} levels deep"), "")
    }

    fn conjunctions(&mut self) -> Read<Label> {
        self.joined('|', |reader| reader.joined('&', Self::literal, Guard::And), Guard::Or)
    }

    fn joined(&mut self, sign: char, part: fn(&mut Self) -> Read<Label>, join: fn(Vec<Label>) -> Label) -> Read<Label> {
        let first = part(self)?;
        if !self.is_sign(sign) {
            return Ok(first);
        }
        let mut parts = vec![first];
        while self.is_sign(sign) {
            self.advance()?;
            parts.push(part(self)?);
        }
        Ok(join(parts))
    }

    fn literal(&mut self) -> Read<Label> {
        let span = self.span;
        self.spend(1, span)?;
        match self.token.clone() {
            Token::Int(number) => {
                self.advance()?;
                Ok(Guard::Atom(Ap { number, span }))
            }
            Token::Ident(word) if word == "t" || word == "f" => {
                self.advance()?;
                Ok(if word == "t" { Guard::True } else { Guard::False })
            }
            Token::Alias(name) => {
                let Some(label) = self.aliases.get(&name) else {
                    return self.wrong(Kind::Definition, span, format!("there is no alias `@{name}` before this"), "");
                };
                let label = label.clone();
                self.spend(label.size().0, span)?;
                self.advance()?;
                Ok(label)
            }
            Token::Sign(sign @ ('!' | '(')) => {
                self.depth += 1;
                if self.depth > MAX_NESTING {
                    return self.too_deep();
                }
                self.advance()?;
                let label = if sign == '!' {
                    Guard::Not(Box::new(self.literal()?))
                } else {
                    let label = self.conjunctions()?;
                    self.sign(')')?;
                    label
                };
                self.depth -= 1;
                Ok(label)
            }
            _ => self.expected("a label"),
        }
    }

    /// Everything put together. States are numbered as the print of the monitor mentions them; those that change nothing are
    /// left out.
    fn monitor(&mut self, states: Vec<State>, edges: Vec<Edge>) -> Read<Monitor> {
        let mut known: FxHashMap<u32, &State> = FxHashMap::default();
        for state in &states {
            if self.states.is_some_and(|n| state.number >= n) {
                return self.wrong(
                    Kind::Definition,
                    state.span,
                    "there are not so many states",
                    "`States:` says how many",
                );
            }
            if known.insert(state.number, state).is_some() {
                return self.wrong(
                    Kind::Definition,
                    state.span,
                    format!("state {} is described twice", state.number),
                    "",
                );
            }
        }
        let targets = edges.iter().map(|e| (e.to, e.to_span));
        if let Some((number, span)) = self.starts.iter().copied().chain(targets).find(|(n, _)| !known.contains_key(n)) {
            return self.wrong(Kind::Definition, span, format!("state {number} is not described in the body"), "");
        }
        let kept = matters(&self.starts, &known, &edges);
        let atoms = self.atoms.take().unwrap_or_default();
        let sizes: Vec<(u64, u32)> = atoms.iter().map(Guard::size).collect();
        let mut by_state: FxHashMap<u32, Vec<(Guard, u32)>> = FxHashMap::default();
        for edge in edges {
            let guard = self.put_in(&edge.label.unwrap_or(Guard::True), 0, &atoms, &sizes)?;
            by_state.entry(edge.from).or_default().push((guard, edge.to));
        }
        let mut order: Vec<u32> = Vec::new();
        let mut places: FxHashMap<u32, MonitorState> = FxHashMap::default();
        let mut place = |number: u32, order: &mut Vec<u32>| {
            *places.entry(number).or_insert_with(|| {
                order.push(number);
                MonitorState(order.len() as u32 - 1)
            })
        };
        let mut list = |numbers: &mut dyn Iterator<Item = u32>, order: &mut Vec<u32>| -> Vec<MonitorState> {
            numbers.filter(|n| kept.contains(n)).map(|n| place(n, order)).collect()
        };
        let initial = list(&mut self.starts.iter().map(|(n, _)| *n), &mut order);
        let bad = list(&mut states.iter().filter(|s| s.bad).map(|s| s.number), &mut order);
        let mut drawn = Vec::new();
        let mut from = 0;
        while let Some(number) = order.get(from).copied() {
            for (guard, to) in by_state.remove(&number).unwrap_or_default() {
                let to = place(to, &mut order);
                drawn.push(MonitorEdge { from: MonitorState(from as u32), guard, to });
            }
            from += 1;
        }
        let names = names(&order, &known);
        Ok(Monitor { states: names, initial, bad, edges: drawn, otherwise: Otherwise::Die })
    }

    /// A label with guards for atomic propositions; it stands `depth` levels deep.
    fn put_in(&mut self, label: &Label, depth: u32, atoms: &[Guard], sizes: &[(u64, u32)]) -> Read<Guard> {
        let mut all =
            |ls: &[Label]| ls.iter().map(|l| self.put_in(l, depth + 1, atoms, sizes)).collect::<Read<Vec<Guard>>>();
        Ok(match label {
            Guard::True => Guard::True,
            Guard::False => Guard::False,
            Guard::Atom(ap) => {
                let Some(guard) = atoms.get(ap.number as usize) else {
                    let message = format!("there is no atomic proposition {}", ap.number);
                    let label = match atoms.len() {
                        0 => "`AP:` has none".to_owned(),
                        n => format!("`AP:` has {n}, numbered from 0"),
                    };
                    return self.wrong(Kind::Definition, ap.span, message, &label);
                };
                let (parts, levels) = sizes[ap.number as usize];
                self.spend(parts, ap.span)?;
                if depth + levels > MAX_DEPTH {
                    return self.too_deep();
                }
                guard.clone()
            }
            Guard::And(ls) => Guard::And(all(ls)?),
            Guard::Or(ls) => Guard::Or(all(ls)?),
            Guard::Not(l) => Guard::Not(Box::new(self.put_in(l, depth + 1, atoms, sizes)?)),
            Guard::Implies(..) | Guard::Iff(..) => unreachable!("labels have no such connectives"),
        })
    }
}

/// The states that edges lead to from a start, without starts that lead nowhere and are not bad (unless there is no other).
fn matters(starts: &[(u32, Span)], known: &FxHashMap<u32, &State>, edges: &[Edge]) -> FxHashSet<u32> {
    let mut by_state: FxHashMap<u32, Vec<u32>> = FxHashMap::default();
    edges.iter().for_each(|e| by_state.entry(e.from).or_default().push(e.to));
    let useful = |n: u32| by_state.contains_key(&n) || known.get(&n).is_some_and(|s| s.bad);
    let mut open: Vec<u32> = starts.iter().map(|(n, _)| *n).filter(|&n| useful(n)).collect();
    if open.is_empty() {
        open.extend(starts.first().map(|(n, _)| *n));
    }
    let mut kept: FxHashSet<u32> = FxHashSet::default();
    while let Some(state) = open.pop() {
        if kept.insert(state) {
            open.extend(by_state.get(&state).into_iter().flatten());
        }
    }
    kept
}

/// Different names, as much as possible those of the file.
fn names(order: &[u32], known: &FxHashMap<u32, &State>) -> Vec<String> {
    let mut taken: FxHashSet<String> = FxHashSet::default();
    order
        .iter()
        .map(|number| {
            let given = known.get(number).and_then(|s| s.name.clone());
            let mut name = given.unwrap_or_else(|| format!("s{number}"));
            if taken.contains(&name) {
                name = format!("{name} ({number})");
            }
            while !taken.insert(name.clone()) {
                name.push('\'');
            }
            name
        })
        .collect()
}
