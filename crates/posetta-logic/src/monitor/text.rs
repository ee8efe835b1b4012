//! Monitors as they are written in property files.
//!
//! The inside of the braces is cut into statements, each on a line of its own or behind a `;`: `initial NAME …`,
//! `bad NAME …`, `otherwise stay` or `otherwise die`, and edges `FROM -> TO: GUARD`. No guard has a colon, so a line with
//! one starts an edge; any other line goes on with the statement before it. A state is declared by being mentioned. States are
//! numbered as the print mentions them (initial ones, bad ones, then along the edges), so that what is printed reads back
//! as itself.

use std::fmt::{self, Display, Formatter};

use rustc_hash::{FxHashMap, FxHashSet};

use super::{Guard, Monitor, MonitorEdge, MonitorState, Otherwise};
use crate::atom::Atom;
use crate::lex::Token;
use crate::parse::{Dialect, Expr, Mistake, Parser, fail};
use crate::print::name_in_quotes;
use crate::property::View;
use crate::suggest::nearest;
use posetta_base::{Diagnostic, Kind, Place, Span};

pub(crate) const WORDS: [&str; 3] = ["initial", "bad", "otherwise"];
const EDGE: &str = "an edge is written `FROM -> TO: GUARD`, on a line of its own";

/// A stretch of the text, with the place of its first colon.
#[derive(Clone, Copy, Debug)]
struct Statement {
    span: Span,
    colon: Option<usize>,
}

/// A monitor as written: its guards may still speak of definitions and loop variables.
pub(crate) struct Sketch {
    states: Vec<String>,
    /// Where each state is mentioned first.
    spots: Vec<Span>,
    initial: Vec<MonitorState>,
    bad: Vec<MonitorState>,
    /// From, guard, to.
    pub(crate) edges: Vec<(MonitorState, Expr, MonitorState)>,
    otherwise: Otherwise,
}

/// A state's name where it is written.
type Mention = (String, Span);

/// What the statements say, in their order.
#[derive(Default)]
struct Lists {
    initial: Vec<Mention>,
    bad: Vec<Mention>,
    /// Whether there is a list of bad states, be it empty.
    has_bad: bool,
    edges: Vec<(Mention, Expr, Mention)>,
    otherwise: Option<Otherwise>,
    /// What the lists have, for each list.
    seen: FxHashSet<(&'static str, String)>,
}

impl Sketch {
    /// Reads the inside of the braces, `body`. A mistake of the whole is shown at `head`.
    pub(crate) fn read(text: &str, head: Span, body: Span) -> Result<Self, Mistake> {
        let mut lists = Lists::default();
        for statement in statements(text, body) {
            lists.read(text, statement)?;
        }
        lists.check(text, head)?;
        let mut sketch = Self {
            states: Vec::new(),
            spots: Vec::new(),
            initial: Vec::new(),
            bad: Vec::new(),
            edges: Vec::new(),
            otherwise: lists.otherwise.unwrap_or_default(),
        };
        let mut numbers: FxHashMap<String, MonitorState> = FxHashMap::default();
        let mut number = |(name, span): Mention, states: &mut Vec<String>, spots: &mut Vec<Span>| {
            *numbers.entry(name).or_insert_with_key(|name| {
                states.push(name.clone());
                spots.push(span);
                MonitorState(states.len() as u32 - 1)
            })
        };
        let (states, spots) = (&mut sketch.states, &mut sketch.spots);
        sketch.initial = lists.initial.into_iter().map(|name| number(name, states, spots)).collect();
        sketch.bad = lists.bad.into_iter().map(|name| number(name, states, spots)).collect();
        for (from, guard, to) in lists.edges {
            let (from, to) = (number(from, states, spots), number(to, states, spots));
            sketch.edges.push((from, guard, to));
        }
        Ok(sketch)
    }

    /// The monitor, with one guard for each edge.
    pub(crate) fn with_guards(&self, guards: Vec<Guard>) -> Monitor {
        let edges = self.edges.iter().zip(guards);
        Monitor {
            states: self.states.clone(),
            initial: self.initial.clone(),
            bad: self.bad.clone(),
            edges: edges.map(|(&(from, _, to), guard)| MonitorEdge { from, guard, to }).collect(),
            otherwise: self.otherwise,
        }
    }

    /// States that mean nothing, because no edge leads to them.
    pub(crate) fn warnings(&self, text: &str, monitor: &Monitor) -> Vec<Diagnostic> {
        if self.bad.is_empty() {
            return vec![Diagnostic::new(Kind::Definition, "this monitor has no bad state, so it always holds")];
        }
        let reachable = monitor.reachable();
        let lost: Vec<usize> = (0..self.states.len()).filter(|&s| !reachable[s]).collect();
        let Some(&first) = lost.first() else { return Vec::new() };
        let warning =
            |message: String| Diagnostic::new(Kind::Definition, message).at(Place::in_text(text, self.spots[first]));
        if !self.bad.iter().any(|s| reachable[s.index()]) {
            return vec![
                warning("no edges lead from an initial state to a bad one, so this always holds".to_owned())
                    .label("no edges lead here from an initial state"),
            ];
        }
        let names: Vec<String> = lost.iter().take(5).map(|&s| format!("`{}`", self.states[s])).collect();
        let more = if lost.len() > 5 { format!(" and {} more", lost.len() - 5) } else { String::new() };
        vec![
            warning(format!("no edges lead from an initial state to {}{more}", names.join(", ")))
                .label("it could be left out"),
        ]
    }
}

impl Lists {
    fn read(&mut self, text: &str, statement: Statement) -> Result<(), Mistake> {
        if let Some(colon) = statement.colon {
            return self.edge(text, statement.span, colon);
        }
        let mut parser = Parser::new(text, statement.span, Dialect::Ltl)?;
        let word = match &parser.token {
            Token::Name(word) => WORDS.into_iter().find(|w| w == word),
            _ => None,
        };
        let Some(word) = word else {
            return fail(
                parser
                    .error(
                        parser.span,
                        format!("expected `initial`, `bad`, `otherwise` or an edge, found {}", parser.token.describe()),
                    )
                    .label("expected a statement of the monitor")
                    .help(EDGE),
            );
        };
        let span = parser.span;
        parser.advance()?;
        if word == "otherwise" {
            return self.otherwise(&mut parser, span);
        }
        let list = if word == "initial" { &mut self.initial } else { &mut self.bad };
        if word == "bad" {
            self.has_bad = true;
            // The automaton of what always holds has no bad state.
            if parser.token == Token::End {
                return Ok(());
            }
        }
        loop {
            let (name, span) = name(&mut parser)?;
            if !self.seen.insert((word, name.clone())) {
                let message = format!("the state `{name}` is said to be {word} twice");
                return fail(
                    Diagnostic::new(Kind::Definition, message)
                        .at(Place::in_text(text, span))
                        .label("it has been named before"),
                );
            }
            list.push((name, span));
            if parser.token == Token::Sign(",") {
                parser.advance()?;
            } else if parser.token == Token::End {
                return Ok(());
            }
        }
    }

    fn otherwise(&mut self, parser: &mut Parser<'_>, span: Span) -> Result<(), Mistake> {
        let otherwise = match &parser.token {
            Token::Name(word) if word == "stay" => Otherwise::Stay,
            Token::Name(word) if word == "die" => Otherwise::Die,
            _ => {
                return fail(
                    parser
                        .expected("`stay` or `die`")
                        .help("what a monitor does where none of its guards holds; it stays unless this says `die`"),
                );
            }
        };
        parser.advance()?;
        if parser.token != Token::End {
            return fail(parser.expected("the end of the line"));
        }
        if self.otherwise.replace(otherwise).is_some() {
            return fail(parser.error(span, "a monitor has one `otherwise`").label("this is the second"));
        }
        Ok(())
    }

    fn edge(&mut self, text: &str, span: Span, colon: usize) -> Result<(), Mistake> {
        let mut parser = Parser::new(text, Span::new(span.start, colon), Dialect::Ltl)?;
        let from = name(&mut parser)?;
        if parser.token != Token::Sign("->") {
            return fail(parser.expected("`->`").help(EDGE));
        }
        parser.advance()?;
        let to = name(&mut parser)?;
        if parser.token != Token::End {
            return fail(parser.expected("`:`").help(EDGE));
        }
        let parser = Parser::new(text, Span::new(colon + 1, span.end), Dialect::Ltl)?;
        if parser.token == Token::End {
            return fail(
                parser
                    .error(Span::new(colon, colon + 1), "there is no guard")
                    .label("expected a guard behind this, such as `on(x == 1)` or `true`"),
            );
        }
        let guard = parser.whole().map_err(|mistake| match mistake.help {
            None => Box::new(mistake.help(EDGE)),
            Some(_) => mistake,
        })?;
        self.edges.push((from, guard, to));
        Ok(())
    }

    /// What is missing, and names that are probably mistyped: with edges, a state that is mentioned once and by no edge
    /// changes nothing.
    fn check(&self, text: &str, head: Span) -> Result<(), Mistake> {
        let lists = [(!self.initial.is_empty(), "initial", "initial idle"), (self.has_bad, "bad", "bad both")];
        for (is_there, word, as_in) in lists {
            if !is_there {
                let message = format!("this monitor has no {word} state");
                return fail(
                    Diagnostic::new(Kind::Definition, message)
                        .at(Place::in_text(text, head))
                        .label(format!("expected a line that names one, as in `{as_in}`")),
                );
            }
        }
        if self.edges.is_empty() {
            return Ok(());
        }
        let mut mentions: FxHashMap<&str, (usize, bool)> = FxHashMap::default();
        for (name, _) in self.initial.iter().chain(&self.bad) {
            mentions.entry(name).or_default().0 += 1;
        }
        for (from, _, to) in &self.edges {
            for (name, _) in [from, to] {
                mentions.entry(name).or_default().1 = true;
            }
        }
        let alone = self.initial.iter().chain(&self.bad).find(|(name, _)| mentions[name.as_str()] == (1, false));
        let Some((name, span)) = alone else { return Ok(()) };
        let named = self.edges.iter().flat_map(|(from, _, to)| [from.0.as_str(), to.0.as_str()]);
        let mistake = Diagnostic::new(Kind::Definition, format!("no edge has the state `{name}`"))
            .at(Place::in_text(text, *span));
        fail(match nearest(name, named) {
            Some(near) => mistake.label(format!("did you mean `{near}`?")),
            None => mistake.label("expected a state of some edge"),
        })
    }
}

/// The name of a state.
fn name(parser: &mut Parser<'_>) -> Result<Mention, Mistake> {
    let span = parser.span;
    match parser.token.clone() {
        Token::Name(name) | Token::Text(name) => {
            parser.advance()?;
            Ok((name, span))
        }
        Token::Sign("->") => fail(parser.expected("the name of a state").help(EDGE)),
        _ => fail(
            parser.expected("the name of a state").help("a name with other characters is written in double quotes"),
        ),
    }
}

/// Cuts the inside of the braces.
fn statements(text: &str, body: Span) -> Vec<Statement> {
    let bytes = &text.as_bytes()[..body.end];
    let mut statements: Vec<Statement> = Vec::new();
    let (mut at, mut start, mut depth, mut colon, mut forced) = (body.start, body.start, 0_u32, None, true);
    loop {
        let byte = bytes.get(at).copied();
        match byte {
            Some(b'/') if bytes.get(at + 1) == Some(&b'/') => {
                at = memchr::memchr(b'\n', &bytes[at..]).map_or(bytes.len(), |i| at + i);
                continue;
            }
            Some(b'"') => {
                at += 1;
                while at < bytes.len() && !matches!(bytes[at], b'"' | b'\n') {
                    at += if bytes[at] == b'\\' { 2 } else { 1 };
                }
                at = (at + usize::from(bytes.get(at) == Some(&b'"'))).min(bytes.len());
                continue;
            }
            Some(b'(' | b'[') => depth += 1,
            Some(b')' | b']') => depth = depth.saturating_sub(1),
            Some(b':') => {
                colon.get_or_insert(at);
            }
            _ => {}
        }
        let ends = byte.is_none() || (depth == 0 && matches!(byte, Some(b'\n' | b';')));
        if ends {
            add(text, Statement { span: Span::new(start, at), colon }, forced, &mut statements);
            forced = byte == Some(b';');
            (start, colon, depth) = (at + 1, None, 0);
        }
        if byte.is_none() {
            return statements;
        }
        at += 1;
    }
}

/// Adds a line: as a statement, or to the one before it.
fn add(text: &str, line: Statement, forced: bool, statements: &mut Vec<Statement>) {
    let shown = &text[line.span.start..line.span.end];
    let trimmed = shown.trim_start();
    if trimmed.is_empty() || trimmed.starts_with("//") {
        return;
    }
    let is_start = line.colon.is_some() || forced || starts_with_word(trimmed);
    match statements.last_mut() {
        Some(last) if !is_start => last.span.end = line.span.end,
        _ => {
            let start = line.span.start + (shown.len() - trimmed.len());
            let end = line.span.start + shown.trim_end().len();
            statements.push(Statement { span: Span::new(start, end), colon: line.colon });
        }
    }
}

/// Whether a line is one of the lists or `otherwise`, not a guard that goes on with a variable of such a name.
fn starts_with_word(line: &str) -> bool {
    WORDS.iter().any(|word| {
        let Some(rest) = line.strip_prefix(word) else { return false };
        let behind = rest.trim_start_matches([' ', '\t']);
        let names =
            behind.starts_with(|c: char| c.is_alphanumeric() || c == '_' || c == '"') && behind.len() < rest.len();
        names || behind.trim_end().is_empty() || behind.starts_with("//")
    })
}

/// A state's name as text.
struct Name<'a>(&'a str);

impl Display for Name<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        name_in_quotes(f, self.0)
    }
}

impl<V: Display> Monitor<Atom<V>> {
    /// The statements, in the order in which they are read back.
    fn lines(&self) -> impl Iterator<Item = String> {
        let list = |word: &str, states: &[MonitorState]| {
            states.iter().fold(word.to_owned(), |line, s| format!("{line} {}", Name(&self.states[s.index()])))
        };
        let lists = [list("initial", &self.initial), list("bad", &self.bad)];
        let name = |state: MonitorState| Name(&self.states[state.index()]);
        let edges = self.edges.iter().map(move |e| format!("{} -> {}: {}", name(e.from), name(e.to), e.guard));
        let otherwise = (self.otherwise == Otherwise::Die).then(|| "otherwise die".to_owned());
        lists.into_iter().chain(edges).chain(otherwise)
    }

    /// The monitor as an item of a property file.
    #[must_use]
    pub fn item(&self, name: &str, view: View) -> String {
        let lines: String = self.lines().map(|line| format!("  {line}\n")).collect();
        let over = match view {
            View::States => " over states",
            View::Events => " over events",
        };
        format!("monitor {}{over} {{\n{lines}}}\n", Name(name))
    }
}

/// On one line, without name and braces.
impl<V: Display> Display for Monitor<Atom<V>> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for (i, line) in self.lines().enumerate() {
            write!(f, "{}{line}", if i > 0 { "; " } else { "" })?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Formula, read_props};

    fn read(source: &str) -> (View, Monitor) {
        let properties = read_props(source).unwrap_or_else(|e| panic!("{source}: {e:?}"));
        match &properties[0].formula {
            Formula::Monitor(view, monitor) => (*view, monitor.clone()),
            _ => panic!("{source} is a monitor"),
        }
    }

    #[test]
    fn what_is_read_is_printed_and_read_back() {
        for (source, printed) in [
            (
                "monitor m {\n  initial a // one\n  bad b\n  a -> b: on(x == 1) ||\n    bad == 2\n  b -> a: y\n}",
                "initial a; bad b; a -> b: on(x == 1) || bad == 2; b -> a: y",
            ),
            (
                "monitor m over states { a -> b: (x == 1\n -> y == 2); initial a, \"c d\"; bad b a; otherwise die\n \"c d\" -> b: x }",
                "initial a \"c d\"; bad b a; a -> b: x == 1 -> y == 2; \"c d\" -> b: x; otherwise die",
            ),
            ("monitor m { initial bad\n bad bad\n}", "initial bad; bad bad"),
            (
                "monitor m { initial a\n bad bad\n a -> bad: event(\"x: y; z\")\n bad -> a: true\n otherwise stay }",
                "initial a; bad bad; a -> bad: event(\"x: y; z\"); bad -> a: true",
            ),
            (
                "monitor m { initial \"\"\n bad \"on\"\n \"\" -> \"on\": !(x == 1 && process(P)) <-> false }",
                "initial \"\"; bad \"on\"; \"\" -> \"on\": !(x == 1 && process(P)) <-> false",
            ),
        ] {
            let (view, monitor) = read(source);
            assert_eq!(monitor.to_string(), printed, "{source}");
            let item = monitor.item("odd name", view);
            assert_eq!(read(&item), (view, monitor), "{item}");
        }
    }

    #[test]
    fn definitions_and_loop_variables_are_put_in() {
        let source = "let enters(i) = on(state[i] == \"eat\")\n\
                      foreach i in 0..1 {\n  monitor m[i] {\n    initial a\n    bad b\n    a -> b: enters(i) && process(i)\n  }\n\
                      monitor n { initial a\n bad a }\n}\nproperty p = ltl x";
        let printed: Vec<(String, String)> =
            read_props(source).unwrap().into_iter().map(|p| (p.name.unwrap(), p.formula.to_string())).collect();
        let edge = |i: u32| format!("initial a; bad b; a -> b: on(state[{i}] == \"eat\") && process(\"{i}\")");
        let expected = [
            ("m[0]", edge(0)),
            ("n[0]", "initial a; bad a".to_owned()),
            ("m[1]", edge(1)),
            ("n[1]", "initial a; bad a".to_owned()),
            ("p", "x".to_owned()),
        ];
        assert_eq!(printed, expected.map(|(name, formula)| (name.to_owned(), formula)));
    }

    #[test]
    fn mistakes_have_their_places() {
        for (body, expected) in [
            ("initial a", "1:1 this monitor has no bad state"),
            ("bad a", "1:1 this monitor has no initial state"),
            ("initial a a; bad b", "2:11 the state `a` is said to be initial twice"),
            ("initial a; bad both\na -> bth: x", "2:16 no edge has the state `both`"),
            ("initial a; bad b\na -> b: F x", "3:9 a guard speaks of one position"),
            ("initial a; bad b\na -> b:", "3:7 there is no guard"),
            ("initial a; bad b\na b: x", "3:3 expected `->`, found `b`"),
            ("initial a; bad b\na -> b c: x", "3:8 expected `:`, found `c`"),
            ("initial a; bad b\na -> b x", "3:3 expected the name of a state, found `->`"),
            ("initial a; bad b; otherwise leave", "2:29 expected `stay` or `die`, found `leave`"),
            ("initial a; bad b; otherwise die; otherwise die", "2:34 a monitor has one `otherwise`"),
            ("x == 1", "2:1 expected `initial`, `bad`, `otherwise` or an edge, found `x`"),
            ("initial; bad b", "2:8 expected the name of a state, found the end"),
            ("initial a; bad b\na -> b: x y", "3:11 expected an operator or the end of the formula, found `y`"),
            ("initial a; bad b\na -> b: x : y", "3:11 the character ':' has no meaning here"),
        ] {
            let source = format!("monitor m {{\n{body}\n}}\n");
            let mistakes: Vec<String> = read_props(&source).unwrap_err().iter().map(|d| d.to_string()).collect();
            assert_eq!(mistakes, [expected.replacen(' ', ": ", 1)], "{source}");
        }
        for (head, expected) in [
            ("monitor m", "1:10: expected `{`, found the end"),
            ("monitor m {", "1:11: this block does not end"),
            ("monitor { initial a\n bad a }", "1:1: this monitor has no name"),
            ("monitor m over cuts { initial a\n bad a }", "1:16: expected a view, found `cuts`"),
            ("monitor m = { initial a\n bad a }", "1:11: expected `{`, found `=`"),
        ] {
            let mistakes: Vec<String> = read_props(head).unwrap_err().iter().map(|d| d.to_string()).collect();
            assert_eq!(mistakes[0], expected, "{head}");
        }
    }

    #[test]
    fn states_without_a_way_to_them_are_warned_about() {
        for (body, expected) in [
            ("initial a; bad b; a -> b: x", None),
            ("initial a; bad", Some("this monitor has no bad state, so it always holds")),
            (
                "initial a; bad b; b -> a: x",
                Some("no edges lead from an initial state to a bad one, so this always holds"),
            ),
            ("initial a; bad b; a -> b: x; c -> d: x", Some("no edges lead from an initial state to `c`, `d`")),
        ] {
            let properties = read_props(&format!("monitor m {{ {body} }}")).unwrap();
            let warnings: Vec<&str> = properties[0].warnings.iter().map(|w| w.message.as_str()).collect();
            assert_eq!(warnings, Vec::from_iter(expected), "{body}");
        }
    }
}
