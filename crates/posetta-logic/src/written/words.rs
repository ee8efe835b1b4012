//! Every word of property files and formulas, with what it is for, in one sentence.
//!
//! The lists that the parser uses are elsewhere; the tests hold these tables to them.

use std::collections::BTreeSet;

use super::Logic;
use crate::parse::{Dialect, EVERYWHERE, parse_ltl};
use crate::pattern::PATTERNS;
use crate::{m2l, monitor, props};

/// A word or a sign of the language.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Word {
    /// As it is written.
    pub text: &'static str,
    /// How it is used.
    pub usage: &'static str,
    /// What it means.
    pub says: &'static str,
}

const fn word(text: &'static str, usage: &'static str, says: &'static str) -> Word {
    Word { text, usage, says }
}

/// What an item begins with.
pub const ITEMS: &[Word] = &[
    word("property", "property NAME = ltl FORMULA", "A property: a formula with a name."),
    word(
        "let",
        "let NAME(PARAMETER) = FORMULA",
        "A name for a formula, a condition or a term; it is put in as a tree.",
    ),
    word("import", "import \"std/NAME\"", "Adds the definitions and properties of another file, or of the library."),
    word("event", "event NAME, …", "Declares events that a run need not have, so that nobody warns about them."),
    word(
        "foreach",
        "foreach i in 0..4 { … }",
        "Repeats items for every number, or has one instance for each value of an attribute.",
    ),
    word(
        "monitor",
        "monitor NAME { … }",
        "A property written as an automaton: no order may end in one of its bad states.",
    ),
];

/// What may stand before a logic, a pattern or a monitor.
pub const QUANTIFIERS: &[Word] = &[
    word("some", "some ltl FORMULA", "One order that satisfies it is enough."),
    word("every", "every ltl FORMULA", "Every possible order must satisfy it; so it is if nothing is said."),
];

/// What a formula is written in.
pub const LOGICS: &[Word] = &[
    word("ltl", "ltl FORMULA", "Linear temporal logic: what every order does, position by position."),
    word("ctl", "ctl FORMULA", "Computation tree logic: what can and what must happen, over all consistent cuts."),
    word("psl", "psl FORMULA", "The property specification language: temporal operators and regular expressions."),
    word(
        "m2l",
        "m2l FORMULA",
        "Monadic second-order logic on strings, in the language of MONA; atoms stand in backquotes.",
    ),
];

/// What follows a logic, and what it can be.
pub const VIEWS: &[Word] = &[
    word("over", "over events", "Says which positions a formula reads: states or events."),
    word("states", "over states", "The initial state, and the state after each event; so it is if nothing is said."),
    word("events", "over events", "The events only."),
];

/// Words of loops.
pub const LOOPS: &[Word] = &[
    word("in", "foreach i in 0..4", "What a loop goes over stands behind it."),
    word(
        "values",
        "values(ATTRIBUTE)",
        "All values that an attribute has in the run: one instance of the property for each.",
    ),
    word("processes", "processes", "All processes that have events: one instance of the property for each."),
];

/// What follows a pattern.
pub const SCOPES: &[Word] = &[
    word("globally", "globally", "The pattern must hold on the whole run; so it is if nothing is said."),
    word("before", "before r", "The pattern must hold up to the first r, without it; if no r comes, nothing is asked."),
    word("after", "after q", "The pattern must hold from the first q on; if no q comes, nothing is asked."),
    word(
        "between",
        "between q and r",
        "The pattern must hold from every q to the next r; nothing is asked where no r comes.",
    ),
    word("and", "between q and r", "The end of a segment that `between` begins."),
    word("until", "after q until r", "The pattern must hold from every q to the next r, or to the end if no r comes."),
];

/// Statements of a monitor.
pub const MONITORS: &[Word] = &[
    word("initial", "initial NAME", "The states in which the monitor begins."),
    word("bad", "bad NAME", "The states in which no order may end."),
    word("otherwise", "otherwise die", "What the monitor does where none of its guards holds."),
    word("stay", "otherwise stay", "It stays where it is; so it is if nothing is said."),
    word("die", "otherwise die", "It ends, and accepts nothing on that path."),
];

/// Atoms of all logics.
pub const ATOMS: &[Word] = &[
    word("true", "true", "Always true; as a number it is 1."),
    word("false", "false", "Never true; as a number it is 0."),
    word("on", "on(condition)", "This event assigns a variable of the condition, and the condition holds after it."),
    word(
        "event",
        "event(name, attribute == value)",
        "This event has that name, and these attributes; `*` stands for any name.",
    ),
    word("process", "process(name)", "This event belongs to that process."),
    word("enabled", "enabled(name)", "The action of that name can take place; only in systems of components."),
    word(
        "prev",
        "prev(variable)",
        "The value of the variable at the position before, and its initial value at the first.",
    ),
];

/// Signs that all logics share.
pub const SIGNS: &[Word] = &[
    word("!", "!p", "Not p."),
    word("&&", "p && q", "Both p and q."),
    word("||", "p || q", "p or q, or both."),
    word("->", "p -> q", "If p, then q."),
    word("<->", "p <-> q", "p exactly if q."),
    word("==", "a == b", "The two are equal."),
    word("!=", "a != b", "The two differ."),
    word("<", "a < b", "The first number is smaller."),
    word("<=", "a <= b", "The first number is not larger."),
    word(">", "a > b", "The first number is larger."),
    word(">=", "a >= b", "The first number is not smaller."),
    word("+", "a + b", "The sum, exact."),
    word("-", "a - b", "The difference, exact; before a term its negative."),
    word("*", "a * b", "The product, exact; in `event(*)` any name."),
    word("/", "a / b", "The quotient, exact; a comparison that divides by zero is false."),
    word("%", "i % n", "The remainder of an index, which is never negative."),
];

const LTL: &[Word] = &[
    word("X", "X p", "There is a next position, and p holds there."),
    word("WX", "WX p", "p holds at the next position, if there is one."),
    word("F", "F p", "p holds now or later."),
    word("G", "G p", "p holds now and always later."),
    word("U", "p U q", "q comes, and p holds until then."),
    word("W", "p W q", "p holds until q, which need not come."),
    word("R", "p R q", "q holds up to and including the first p, which need not come."),
    word("M", "p M q", "q holds up to and including the first p, which comes."),
    word("Y", "Y p", "There is a previous position, and p holds there."),
    word("O", "O p", "p holds now or held before."),
    word("H", "H p", "p holds now and always held before."),
    word("S", "p S q", "q held now or before, and p ever since."),
];

const CTL: &[Word] = &[
    word("EX", "EX p", "After some next event, p holds."),
    word("AX", "AX p", "After every next event, p holds."),
    word("EF", "EF p", "Some order comes to a state in which p holds."),
    word("AF", "AF p", "Every order comes to a state in which p holds."),
    word("EG", "EG p", "In some order p holds from here to the end."),
    word("AG", "AG p", "In every order p holds from here to the end."),
    word("possibly", "possibly p", "Some order comes to a state in which p holds: another name for `EF`."),
    word("definitely", "definitely p", "Every order comes to a state in which p holds: another name for `AF`."),
    word("E", "E[p U q]", "In some order, what stands in the brackets."),
    word("A", "A[p U q]", "In every order, what stands in the brackets."),
    word("U", "A[p U q]", "q comes, and p holds until then."),
    word("W", "A[p W q]", "p holds until q, which need not come."),
    word("R", "A[p R q]", "q holds up to and including the first p, which need not come."),
];

const PSL: &[Word] = &[
    word("always", "always f", "f holds at every position; it takes everything behind it."),
    word("never", "never f", "f holds nowhere, or the expression is matched nowhere."),
    word("G", "G f", "f holds at every position; it takes everything behind it, unlike in LTL."),
    word("F", "F f", "f holds at some position."),
    word("X", "X f", "f holds at the next position, if there is one."),
    word("X!", "X! f", "There is a next position, and f holds there."),
    word("next", "next f", "f holds at the next position, if there is one; `next[n]` is n positions on."),
    word("next!", "next! f", "There is a next position, and f holds there; `next![n]` is n positions on."),
    word("eventually!", "eventually! f", "f holds at some position, or the expression is matched at last."),
    word("U", "f U g", "g comes, and f holds until then."),
    word("W", "f W g", "f holds until g, which need not come."),
    word("until", "f until g", "f holds until g, which need not come."),
    word("until!", "f until! g", "g comes, and f holds until then."),
    word("until_", "f until_ g", "f holds until g and there as well; g need not come."),
    word("until!_", "f until!_ g", "g comes, and f holds until then and there as well."),
    word("before", "f before g", "f comes strictly before g, if g comes."),
    word("before!", "f before! g", "f comes, strictly before g."),
    word("before_", "f before_ g", "f comes before g or with it, if g comes."),
    word("before!_", "f before!_ g", "f comes, before g or with it."),
    word("abort", "f abort b", "f holds, or b comes and nothing before it ruled f out."),
    word("within", "r within s", "s is matched, with r somewhere inside."),
    word("inf", "r[*2:inf]", "Any number of times, without an upper bound."),
    word("|->", "{r} |-> f", "f holds at the last position of every match of r."),
    word("|=>", "{r} |=> f", "f holds after every match of r."),
    word(";", "r; s", "First r is matched, then s."),
    word(":", "r : s", "First r is matched, then s, with one position in common."),
    word("|", "r | s", "One of the two is matched."),
    word("&", "r & s", "Both are matched from here on, to the end of the longer one."),
    word("[*", "r[*2:4]", "r so many times in a row; `r[*]` is any number of times."),
    word("[+", "r[+]", "r at least once in a row."),
    word("[->", "b[->2]", "Up to and including the second b."),
    word("[=", "b[=2]", "Exactly two times b, with anything in between and behind."),
];

const M2L: &[Word] = &[
    word("ex0", "ex0 b: f", "For some truth value b, f."),
    word("ex1", "ex1 p: f", "At some position p, f."),
    word("ex2", "ex2 P: f", "For some set of positions P, f."),
    word("all0", "all0 b: f", "For both truth values b, f."),
    word("all1", "all1 p: f", "At every position p, f."),
    word("all2", "all2 P: f", "For every set of positions P, f."),
    word(
        "in",
        "p in P",
        "The position p is in the set P; an atom in backquotes is the set of the positions where it holds.",
    ),
    word("notin", "p notin P", "The position p is not in the set P."),
    word("sub", "P sub Q", "Every position of P is one of Q."),
    word("union", "P union Q", "The positions of either set."),
    word("inter", "P inter Q", "The positions of both sets."),
    word("empty", "empty(P)", "The set has no position."),
    word("min", "min P", "The first position of the set."),
    word("max", "max P", "The last position of the set."),
    word("let0", "let0 b = f in g", "A name for a truth value."),
    word("let1", "let1 p = t in g", "A name for a position."),
    word("let2", "let2 P = T in g", "A name for a set of positions."),
    word("pred", "pred f(var1 p) = g;", "A definition, before the formula."),
    word("macro", "macro f(var1 p) = g;", "A definition that is put in for its uses."),
    word("const", "const n = 3;", "A number with a name."),
    word("true", "true", "Always true."),
    word("false", "false", "Never true."),
    word("~", "~f", "Not f."),
    word("&", "f & g", "Both f and g."),
    word("|", "f | g", "f or g, or both."),
    word("=>", "f => g", "If f, then g."),
    word("<=>", "f <=> g", "f exactly if g."),
    word("$", "$", "The set of all positions."),
];

/// The operators of a logic, beside the [signs](SIGNS) that all but M2L share.
#[must_use]
pub fn operators(logic: Logic) -> &'static [Word] {
    match logic {
        Logic::Ltl => LTL,
        Logic::Ctl => CTL,
        Logic::Psl => PSL,
        Logic::M2l => M2L,
    }
}

/// A named pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PatternWord {
    /// Its name.
    pub name: &'static str,
    /// How it is written, as in `response(stimulus, response)`.
    pub usage: &'static str,
    /// What it says.
    pub says: &'static str,
}

impl PatternWord {
    /// What it stands for, over the arguments of its usage.
    #[must_use]
    pub fn formula(&self) -> String {
        let usage = self.usage.replace(", …", "");
        parse_ltl(&usage).map_or_else(|_| String::new(), |formula| formula.to_string())
    }
}

/// All named patterns.
#[must_use]
pub fn patterns() -> Vec<PatternWord> {
    PATTERNS.iter().map(|&(_, name, _, usage)| PatternWord { name, usage, says: says_pattern(name) }).collect()
}

fn says_pattern(name: &str) -> &'static str {
    match name {
        "absence" => "p never holds.",
        "existence" => "p holds somewhere.",
        "universality" => "p holds everywhere.",
        "precedence" => "No effect comes without the cause at or before it.",
        "response" => "Every stimulus is followed by the response, at once or later.",
        "precedence_chain" => {
            "Wherever the effects come in order, the causes come in order at or before the first of them."
        }
        "response_chain" => "Whenever the stimuli come in order, the responses follow in order.",
        "mutex" => "Never two of them at once.",
        "exactly_once" => "p holds at exactly one position.",
        "alternation" => "p and q come in turn, p first, never both at once.",
        "starts" => "p holds here and did not hold one position before.",
        _ => "",
    }
}

/// All words that the parser of property files knows: those of its own lists, and those that mean something in one place only.
#[must_use]
pub fn all() -> BTreeSet<&'static str> {
    let in_places = [QUANTIFIERS, LOGICS, VIEWS, LOOPS, SCOPES, MONITORS, ATOMS];
    let mut all: BTreeSet<&str> = in_places.into_iter().flatten().map(|word| word.text).collect();
    all.extend(props::items::WORDS.iter().chain(&EVERYWHERE).chain(&monitor::text::WORDS).chain(&m2l::WORDS));
    all.extend([Dialect::Ltl, Dialect::Ctl, Dialect::PSL].into_iter().flat_map(Dialect::words));
    all.extend(PATTERNS.iter().map(|(_, name, ..)| *name));
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn has(tables: &[&[Word]], text: &str) -> bool {
        tables.iter().any(|table| table.iter().any(|word| word.text == text))
    }

    #[test]
    fn what_the_parser_knows_is_said() {
        assert!(props::items::WORDS.iter().all(|text| has(&[ITEMS], text)));
        assert!(monitor::text::WORDS.iter().all(|text| has(&[MONITORS], text)));
        assert!(EVERYWHERE.iter().all(|text| has(&[ATOMS], text)));
        for logic in [Logic::Ltl, Logic::Ctl, Logic::Psl] {
            let words = logic.dialect().expect("it is one of these").words();
            assert!(words.iter().all(|text| has(&[operators(logic)], text)), "{logic:?}");
        }
        for word in M2L.iter().filter(|word| word.text.starts_with(char::is_alphabetic)) {
            assert!(m2l::WORDS.contains(&word.text), "{word:?}");
        }
        let tables = [ITEMS, QUANTIFIERS, LOGICS, VIEWS, LOOPS, SCOPES, MONITORS, ATOMS, SIGNS, LTL, CTL, PSL, M2L];
        for word in tables.into_iter().flatten() {
            assert!(word.usage.contains(word.text), "{word:?}");
            assert!(word.says.ends_with('.') && word.says.len() < 120, "{word:?}");
        }
    }

    #[test]
    fn patterns_say_what_they_stand_for() {
        for pattern in patterns() {
            assert!(pattern.says.ends_with('.') && !pattern.formula().is_empty(), "{pattern:?}");
        }
        let response = patterns().into_iter().find(|p| p.name == "response").expect("there is one");
        assert_eq!(response.formula(), "G (stimulus -> F response)");
    }
}
