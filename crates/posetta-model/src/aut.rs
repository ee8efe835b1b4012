//! Labelled transition systems in the Aldebaran format (`.aut`), as CADP and mCRL2 write them.
//!
//! ```text
//! des (0, 3, 2)
//! (0, "PUT !1", 1)
//! (1, get, 0)
//! (1, i, 1)
//! ```
//!
//! First the number of the initial state, of the arcs and of the states, then one arc per line. The label reaches from the first comma to the
//! last, so that it may have commas and quotes inside. `i` and `tau` are the silent action, which belongs to the component alone.

use std::fmt::Write;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::system::{Behaviour, Builder, Lts, LtsArc, System, is_reserved};
use posetta_base::{ActionId, Diagnostic, Kind, Mistakes, Place, Spanned};

/// The labels that stand for the silent action.
const SILENT: [&str; 2] = ["i", "tau"];

/// What the silent action of a component is called.
pub(super) fn silent_name(component: &str) -> Arc<str> {
    format!("{component}.i").into()
}

/// A line with its number.
#[derive(Clone, Copy)]
struct Line<'a> {
    number: u64,
    text: &'a str,
}

impl<'a> Line<'a> {
    /// A mistake at a part of the line.
    #[cold]
    fn wrong(self, kind: Kind, part: &str, message: impl Into<String>) -> Box<Diagnostic> {
        // A part is a slice of the line.
        let start = (part.as_ptr() as usize).saturating_sub(self.text.as_ptr() as usize);
        let place = Place::in_line(self.number, self.text, start, start + part.len());
        Box::new(Diagnostic::new(kind, message).at(place))
    }

    fn number(self, part: &'a str, what: &str) -> Result<u32, Box<Diagnostic>> {
        let part = part.trim();
        if part.is_empty() || !part.bytes().all(|b| b.is_ascii_digit()) {
            return Err(Box::new(self.wrong(Kind::Syntax, part, format!("expected {what}")).label("expected digits")));
        }
        let most = u32::MAX - 1;
        part.parse()
            .ok()
            .filter(|&n| n <= most)
            .ok_or_else(|| self.wrong(Kind::TooLarge, part, format!("a number past {most}")))
    }

    /// The three parts between parentheses: the first and the last comma are those that count.
    fn parts(self, text: &'a str, form: &str) -> Result<[&'a str; 3], Box<Diagnostic>> {
        let wrong = |part: &str, label: &str| {
            let kind = if part.is_empty() { Kind::Truncated } else { Kind::Syntax };
            Box::new(self.wrong(kind, part, format!("this line is not {form}")).label(label))
        };
        let text = text.trim();
        let inner = text.strip_prefix('(').ok_or_else(|| wrong(text, "expected `(`"))?;
        let inner = inner.strip_suffix(')').ok_or_else(|| wrong(&text[text.len()..], "expected `)` at the end"))?;
        let (first, rest) = inner.split_once(',').ok_or_else(|| wrong(inner, "expected two commas in it"))?;
        let (middle, last) = rest.rsplit_once(',').ok_or_else(|| wrong(inner, "expected two commas in it"))?;
        Ok([first, middle, last])
    }
}

/// Reads a transition system; `name` is what the component will be called.
///
/// # Errors
/// With the mistakes in it, up to twenty.
pub fn read(name: &str, source: &str) -> Result<System, Mistakes> {
    let source = source.strip_prefix('\u{feff}').unwrap_or(source);
    let lines = source.split('\n').zip(1..).map(|(text, number)| Line { number, text });
    let mut lines = lines.filter(|line| !line.text.trim().is_empty());
    let Some(head) = lines.next() else {
        let empty = Diagnostic::new(Kind::Truncated, "the file is empty");
        return Err(vec![empty.help("a transition system begins with `des (initial, transitions, states)`")].into());
    };
    let (initial, arcs, states) = header(head)?;
    let mut reader = Reader { states, labels: FxHashMap::default(), names: Vec::new(), arcs: Vec::new() };
    let mut mistakes = Vec::new();
    for line in lines {
        if let Err(mistake) = reader.line(line) {
            mistakes.push(*mistake);
            if mistakes.len() == Spanned::ENOUGH {
                break;
            }
        }
    }
    let found = reader.arcs.len();
    if mistakes.is_empty() && found != arcs as usize {
        let kind = if found < arcs as usize { Kind::Truncated } else { Kind::Syntax };
        let message = format!("the first line promises {arcs} transitions, and there are {found}");
        mistakes.push(head.wrong(kind, head.text.trim(), message).help(if found < arcs as usize {
            "the file may have been cut off; if it is whole, mend the second number"
        } else {
            "mend the second number"
        }));
    }
    if mistakes.is_empty() { Ok(reader.finish(name, head, initial)) } else { Err(mistakes.into()) }
}

/// The numbers of the first line.
fn header(line: Line<'_>) -> Result<(u32, u32, u32), Box<Diagnostic>> {
    let text = line.text.trim();
    let Some(rest) = text.strip_prefix("des") else {
        let problem = line.wrong(Kind::Syntax, text, "this is not a transition system in the Aldebaran format");
        return Err(Box::new(problem.label("expected `des (initial, transitions, states)`")));
    };
    let [initial, arcs, states] = line.parts(rest, "`des (initial, transitions, states)`")?;
    let from = line.number(initial, "the number of the initial state")?;
    let arcs = line.number(arcs, "how many transitions there are")?;
    let count = line.number(states, "how many states there are")?;
    if from >= count {
        let message = format!("there is no state {from}");
        return Err(Box::new(line.wrong(Kind::Definition, initial.trim(), message).label(states_are(count))));
    }
    Ok((from, arcs, count))
}

fn states_are(count: u32) -> String {
    match count {
        0 => "there are no states".to_owned(),
        1 => "the only state is 0".to_owned(),
        _ => format!("the states are 0 to {}", count - 1),
    }
}

struct Reader<'a> {
    states: u32,
    labels: FxHashMap<&'a str, u32>,
    names: Vec<&'a str>,
    /// From, label, to.
    arcs: Vec<(u32, u32, u32)>,
}

impl<'a> Reader<'a> {
    fn line(&mut self, line: Line<'a>) -> Result<(), Box<Diagnostic>> {
        let [from, label, to] = line.parts(line.text, "`(from, \"label\", to)`")?;
        let from = self.state(line, from)?;
        let to = self.state(line, to)?;
        let label = label.trim();
        let bare = label.strip_prefix('"').and_then(|l| l.strip_suffix('"')).unwrap_or(label);
        if bare.is_empty() {
            return Err(Box::new(
                line.wrong(Kind::Syntax, label, "a label cannot be empty").help("the silent action is written `i`"),
            ));
        }
        if is_reserved(bare) {
            return Err(Box::new(
                line.wrong(Kind::Definition, label, format!("no action can be called `{bare}`"))
                    .help("formulas have this word for runs that stop, or go on unseen"),
            ));
        }
        let bare = if SILENT.contains(&bare) { SILENT[0] } else { bare };
        let names = &mut self.names;
        let label = *self.labels.entry(bare).or_insert_with(|| {
            names.push(bare);
            names.len() as u32 - 1
        });
        self.arcs.push((from, label, to));
        Ok(())
    }

    fn state(&self, line: Line<'a>, part: &'a str) -> Result<u32, Box<Diagnostic>> {
        let state = line.number(part, "the number of a state")?;
        if state < self.states {
            return Ok(state);
        }
        let message = format!("there is no state {state}");
        Err(Box::new(line.wrong(Kind::Definition, part.trim(), message).label(states_are(self.states))))
    }

    fn finish(self, name: &str, head: Line<'_>, initial: u32) -> System {
        let mut builder = Builder::new();
        let actions: Vec<ActionId> = self
            .names
            .iter()
            .map(|&label| {
                let silent = label == SILENT[0];
                let name = if silent { silent_name(name) } else { label.into() };
                builder.action(&name, silent).expect("there are fewer labels than lines, which are counted by 32 bits")
            })
            .collect();
        // A state without arcs is not reached: only the others are kept. Mostly these are all.
        let mut states: Vec<u32> = self.arcs.iter().flat_map(|&(from, _, to)| [from, to]).chain([initial]).collect();
        states.sort_unstable();
        states.dedup();
        let place = |state: u32| {
            // All states up to this one have arcs in most files.
            let guess = state as usize;
            let found = if states.get(guess) == Some(&state) { Ok(guess) } else { states.binary_search(&state) };
            found.unwrap_or_default() as u32
        };
        let given = self.arcs.len();
        let mut arcs: Vec<LtsArc> = self
            .arcs
            .iter()
            .map(|&(from, label, to)| LtsArc { from: place(from), action: actions[label as usize], to: place(to) })
            .collect();
        arcs.sort_unstable();
        arcs.dedup();
        let initial = place(initial);
        let lts = Lts { states: states.iter().map(|s| s.to_string().into()).collect(), initial, arcs };
        let mut warnings = Vec::new();
        let mut warn = |kind: Kind, message: String| {
            warnings.push(*head.wrong(kind, head.text.trim(), message));
        };
        let twice = given - lts.arcs.len();
        if twice > 0 {
            warn(Kind::Definition, format!("{twice} of the {given} transitions are there more than once"));
        }
        let unreached = lts.unreached().len() + (self.states as usize - states.len());
        if unreached > 0 {
            let start = &lts.states[initial as usize];
            warn(
                Kind::Vacuous,
                format!("{unreached} of the {} states are not reached from state {start}", self.states),
            );
        }
        let added = builder.component(&name.into(), &actions, Behaviour::Lts(lts));
        debug_assert!(added.is_some(), "it is the first component");
        builder.finish(name, warnings)
    }
}

/// A transition system of a system as text. Internal actions are written as the silent one, states by their place.
#[must_use]
pub fn write(lts: &Lts, system: &System) -> String {
    let mut text = format!("des ({}, {}, {})\n", lts.initial, lts.arcs.len(), lts.states.len());
    for arc in &lts.arcs {
        let action = system.action(arc.action);
        let written = if action.internal {
            writeln!(text, "({}, i, {})", arc.from, arc.to)
        } else {
            let name = action.name.replace(['\n', '\r'], " ");
            writeln!(text, "({}, \"{name}\", {})", arc.from, arc.to)
        };
        written.expect("writing to a string does not fail");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(system: &System) -> String {
        let Behaviour::Lts(lts) = &system.components[0].behaviour else { panic!("a transition system") };
        let arcs: Vec<String> = lts
            .arcs
            .iter()
            .map(|a| {
                let action = system.action(a.action);
                let sign = if action.internal { "~" } else { "" };
                format!("{}-{sign}{}->{}", lts.states[a.from as usize], action.name, lts.states[a.to as usize])
            })
            .collect();
        let warnings: Vec<String> = system.warnings.iter().map(|w| format!(" ! {w}")).collect();
        format!("{}: {}{}", lts.states[lts.initial as usize], arcs.join(" "), warnings.concat())
    }

    #[test]
    fn reads_arcs() {
        for (text, expected) in [
            ("des (0, 2, 2)\n(0, a, 1)\n(1, \"b c\", 0)\n", "0: 0-a->1 1-b c->0"),
            ("\u{feff}des(1,2,2)\r\n\r\n  ( 0 ,a , 1 )  \r\n(1,\"PUT !1, 2\",0)", "1: 0-a->1 1-PUT !1, 2->0"),
            (
                "des (0, 3, 1)\n(0, i, 0)\n(0, \"tau\", 0)\n(0,\"i\",0)",
                "0: 0-~F.i->0 ! 1:1: 2 of the 3 transitions are there more than once",
            ),
            ("des (0, 0, 1)", "0: "),
            (
                "des (0, 1, 9)\n(0, \"say \"hi\"\", 0)",
                "0: 0-say \"hi\"->0 ! 1:1: 8 of the 9 states are not reached from state 0",
            ),
            (
                "des (7, 2, 4000000000)\n(7,a,9)\n(8,a,7)",
                "7: 7-a->9 8-a->7 ! 1:1: 3999999998 of the 4000000000 states are not reached from state 7",
            ),
        ] {
            let system = read("F", text).unwrap_or_else(|e| panic!("{text}: {e:?}"));
            assert_eq!(shown(&system), expected, "{text}");
        }
    }

    #[test]
    fn mistakes_have_places() {
        for (text, expected) in [
            ("", "the file is empty"),
            ("(0, a, 1)", "1:1: this is not a transition system in the Aldebaran format"),
            ("des 0 1 2", "1:5: this line is not `des (initial, transitions, states)`"),
            ("des (0, 1)", "1:6: this line is not `des (initial, transitions, states)`"),
            ("des (0, 1, 2", "1:13: this line is not `des (initial, transitions, states)`"),
            ("des (2, 0, 2)", "1:6: there is no state 2"),
            ("des (0, 0, 0)", "1:6: there is no state 0"),
            ("des (0, -1, 2)", "1:9: expected how many transitions there are"),
            ("des (0, 1, 2)\n(0, a, 2)", "2:8: there is no state 2"),
            ("des (0, 1, 2)\n(0, a, x)", "2:8: expected the number of a state"),
            ("des (0, 1, 2)\n(0, \"\", 1)", "2:5: a label cannot be empty"),
            ("des (0, 1, 2)\n(0, deadlock, 1)", "2:5: no action can be called `deadlock`"),
            ("des (0, 1, 2)\n(0, a 1)", "2:2: this line is not `(from, \"label\", to)`"),
            ("des (0, 1, 2)\n(0, a, 1", "2:9: this line is not `(from, \"label\", to)`"),
            ("des (0, 2, 2)\n(0, a, 1)", "1:1: the first line promises 2 transitions, and there are 1"),
            ("des (0, 0, 2)\n(0, a, 1)", "1:1: the first line promises 0 transitions, and there are 1"),
            ("des (0, 99999999999, 2)", "1:9: a number past 4294967294"),
        ] {
            let mistakes = read("F", text).expect_err(text);
            assert_eq!(mistakes[0].to_string(), expected, "{text}");
            assert_eq!(mistakes.len(), 1, "{text}");
        }
        let many = read("F", &format!("des (0, 1, 2)\n{}", "(0, a, 7)\n".repeat(100))).expect_err("all are wrong");
        assert_eq!(many.len(), Spanned::ENOUGH);
    }

    #[test]
    fn what_is_written_reads_the_same() {
        let mut rng = fastrand::Rng::with_seed(7);
        for _ in 0..200 {
            let size = rng.u32(1..6);
            let lines: Vec<String> = (0..rng.usize(..12))
                .map(|_| {
                    let label = ["a", "\"b, c\"", "i", "\"d\"e\""][rng.usize(..4)];
                    format!("({}, {label}, {})\n", rng.u32(..size), rng.u32(..size))
                })
                .collect();
            let text = format!("des (0, {}, {size})\n{}", lines.len(), lines.concat());
            let once = read("F", &text).expect("it is fine");
            let Behaviour::Lts(lts) = &once.components[0].behaviour else { panic!("a transition system") };
            let written = write(lts, &once);
            let twice = read("F", &written).expect("what is written can be read");
            let Behaviour::Lts(again) = &twice.components[0].behaviour else { panic!("a transition system") };
            let mut lines: Vec<&str> = written.lines().collect();
            let rewritten = write(again, &twice);
            let mut others: Vec<&str> = rewritten.lines().collect();
            lines.sort_unstable();
            others.sort_unstable();
            assert_eq!(lines, others, "{text}");
        }
    }
}
