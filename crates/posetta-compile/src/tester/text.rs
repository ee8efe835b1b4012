//! A tester in the paper's form: V, Θ, R, J, F for every module, and the output.

use std::fmt::Write as _;

use super::assertion::{Assertion, AssertionId};
use super::{Basic, Module, Tester, TesterVar};
use posetta_logic::{AtomId, Grammar, Guard, Rule};

/// How tightly what was printed holds together.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    Iff,
    Or,
    And,
    Unary,
}

impl Tester {
    /// An assertion, with `atom` for the names of atoms.
    #[must_use]
    pub fn show(&self, id: AssertionId, atom: &dyn Fn(AtomId) -> String) -> String {
        let mut text = String::new();
        self.write(&mut text, id, false, Level::Iff, atom);
        text
    }

    fn write(&self, out: &mut String, id: AssertionId, next: bool, above: Level, atom: &dyn Fn(AtomId) -> String) {
        let prime = if next { "'" } else { "" };
        let chain = |out: &mut String, parts: &[AssertionId], sign: &str, level: Level| {
            let braces = level < above;
            out.push_str(if braces { "(" } else { "" });
            for (i, &part) in parts.iter().enumerate() {
                out.push_str(if i > 0 { sign } else { "" });
                self.write(out, part, next, if level == Level::Iff { Level::Or } else { level }, atom);
            }
            out.push_str(if braces { ")" } else { "" });
        };
        match self.assertions.get(id) {
            Assertion::Constant(value) => out.push(if *value { '1' } else { '0' }),
            Assertion::Atom(a) => {
                let name = atom(*a);
                let plain = name.chars().all(|c| c.is_alphanumeric() || "_.[]".contains(c));
                let _ = if plain { write!(out, "{name}{prime}") } else { write!(out, "({name}){prime}") };
            }
            Assertion::Var(v) => {
                let _ = write!(out, "{}{prime}", self.name(*v, atom));
            }
            Assertion::Next(a) => self.write(out, *a, true, above, atom),
            Assertion::Not(a) => {
                out.push('¬');
                self.write(out, *a, next, Level::Unary, atom);
            }
            Assertion::And(parts) => chain(out, parts, " ∧ ", Level::And),
            Assertion::Or(parts) => match self.assertions.get(parts[0]) {
                // Of a single name; of more, a negation reads better.
                Assertion::Not(a) if matches!(self.assertions.get(*a), Assertion::Var(_) | Assertion::Atom(_)) => {
                    let braces = Level::Iff < above;
                    out.push_str(if braces { "(" } else { "" });
                    self.write(out, *a, next, Level::Or, atom);
                    out.push_str(" → ");
                    for (i, &part) in parts[1..].iter().enumerate() {
                        out.push_str(if i > 0 { " ∨ " } else { "" });
                        self.write(out, part, next, Level::Or, atom);
                    }
                    out.push_str(if braces { ")" } else { "" });
                }
                _ => chain(out, parts, " ∨ ", Level::Or),
            },
            Assertion::Iff(a, b) => chain(out, &[*a, *b], " = ", Level::Iff),
        }
    }

    /// What a variable is called, beside atoms with these names: if one of them is called like any of the tester's variables, all of
    /// these get a stroke.
    #[must_use]
    pub fn name(&self, var: TesterVar, atom: &dyn Fn(AtomId) -> String) -> String {
        let taken = self.assertions.atoms().any(|a| self.vars.contains(&atom(a)));
        format!("{}{}", self.vars[var.index()], if taken { "_" } else { "" })
    }

    /// What a module tests, with `atom` for the names of atoms.
    #[must_use]
    pub fn basic(&self, module: &Module, atom: &dyn Fn(AtomId) -> String) -> String {
        let tight = |id: AssertionId| {
            let mut text = String::new();
            self.write(&mut text, id, false, Level::Unary, atom);
            text
        };
        match module.basic {
            Basic::Next(b) => format!("X! {}", tight(b)),
            Basic::Until(b, c) => format!("{} U {}", tight(b), tight(c)),
            Basic::Yesterday(b) => format!("Y {}", tight(b)),
            Basic::Since(b, c) => format!("{} S {}", tight(b), tight(c)),
            Basic::Some(r, b) => format!("<r{}> {}", r + 1, tight(b)),
            Basic::Weak(r) => format!("r{}", r + 1),
            Basic::Ended(r) => format!("ended r{}", r + 1),
        }
    }

    /// The whole tester; `atom` has the names of atoms.
    #[must_use]
    pub fn print(&self, atom: &dyn Fn(AtomId) -> String) -> String {
        let mut out = String::new();
        for (i, grammar) in self.grammars.iter().enumerate() {
            let _ = writeln!(out, "grammar of r{}", i + 1);
            let rules = show_grammar(grammar, atom);
            if rules.is_empty() {
                out.push_str("  derives nothing\n");
            }
            for rule in rules {
                let _ = writeln!(out, "  {rule}");
            }
        }
        for module in &self.modules {
            let vars: Vec<String> = module.vars.iter().map(|&v| self.name(v, atom)).collect();
            let _ = writeln!(out, "T({}): {}", self.basic(module, atom), vars[0]);
            let _ = writeln!(out, "  V: {}", vars.join(", "));
            for (letter, rows, empty) in [
                ("Θ", &module.init, "1"),
                ("R", &module.trans, "1"),
                ("J", &module.justice, "∅"),
                ("F", &module.finals, "1"),
            ] {
                let rows: Vec<String> = rows.iter().map(|&row| self.show(row, atom)).collect();
                let glue = if letter == "J" { ",\n     " } else { " ∧\n     " };
                let rows: Vec<String> = if rows.len() > 1 && letter != "J" {
                    rows.into_iter().map(|row| if row.contains(' ') { format!("({row})") } else { row }).collect()
                } else {
                    rows
                };
                let text = if rows.is_empty() { empty.to_owned() } else { rows.join(glue) };
                let _ = writeln!(out, "  {letter}: {text}");
            }
        }
        let _ = writeln!(out, "output: {}", self.show(self.output, atom));
        out
    }
}

/// The rules of a grammar, one line for each nonterminal; `atom` has the names of atoms.
#[must_use]
pub fn show_grammar(grammar: &Grammar, atom: &dyn Fn(AtomId) -> String) -> Vec<String> {
    let line = |(v, rules): (usize, &Vec<Rule>)| {
        let rule = |rule: &Rule| {
            let guard = show_guard(&rule.guard, atom);
            rule.then.map_or_else(|| guard.clone(), |w| format!("{guard} V{}", w + 1))
        };
        format!("V{} -> {}", v + 1, rules.iter().map(rule).collect::<Vec<_>>().join(" | "))
    };
    grammar.rules.iter().enumerate().map(line).collect()
}

fn show_guard(guard: &Guard<AtomId>, atom: &dyn Fn(AtomId) -> String) -> String {
    match guard {
        Guard::True => "1".to_owned(),
        Guard::False => "0".to_owned(),
        Guard::Atom(a) => atom(*a),
        Guard::Not(g) => format!("¬{}", tight_guard(g, atom)),
        Guard::And(gs) => gs.iter().map(|g| tight_guard(g, atom)).collect::<Vec<_>>().join(" ∧ "),
        Guard::Or(gs) => gs.iter().map(|g| tight_guard(g, atom)).collect::<Vec<_>>().join(" ∨ "),
        Guard::Implies(a, b) => format!("¬{} ∨ {}", tight_guard(a, atom), tight_guard(b, atom)),
        Guard::Iff(a, b) => format!("{} = {}", tight_guard(a, atom), tight_guard(b, atom)),
    }
}

fn tight_guard(guard: &Guard<AtomId>, atom: &dyn Fn(AtomId) -> String) -> String {
    match guard {
        Guard::True | Guard::False | Guard::Atom(_) | Guard::Not(_) => show_guard(guard, atom),
        _ => format!("({})", show_guard(guard, atom)),
    }
}
