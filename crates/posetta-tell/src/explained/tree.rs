//! A formula as a tree that shows how it was read, with what each operator means in words.

mod m2l;
mod psl;

use posetta_logic::{Ctl, CtlBinary, CtlUnary, Formula, Ltl, LtlBinary, LtlUnary, Path};

/// An operator with its operands, or an atom.
#[derive(Clone, Debug)]
pub struct Tree {
    /// As written.
    pub sign: String,
    /// In words; empty for atoms.
    pub meaning: &'static str,
    /// What the operator is about.
    pub operands: Vec<Tree>,
    /// Whether the sign stands between the operands.
    between: bool,
    /// The whole, where parentheses say nothing: in braces a SERE stands by itself.
    whole: Option<String>,
}

/// One node of a tree that is drawn with branches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line<'a> {
    /// The branches that lead to it.
    pub lead: String,
    /// As written.
    pub sign: &'a str,
    /// In words; empty for atoms.
    pub meaning: &'static str,
}

impl Tree {
    /// How a formula was read.
    #[must_use]
    pub fn new(formula: &Formula) -> Self {
        match formula {
            Formula::Ltl(_, f) => linear(f),
            Formula::Ctl(f) => branching(f),
            Formula::Psl(_, f) => psl::formula(f),
            Formula::M2l(_, f) => m2l::formula(f),
            Formula::Monitor(_, monitor) => Self::leaf(monitor.to_string()),
        }
    }

    fn leaf(sign: String) -> Self {
        Self { sign, meaning: "", operands: Vec::new(), between: false, whole: None }
    }

    fn before(sign: String, meaning: &'static str, operand: Self) -> Self {
        Self { sign, meaning, operands: vec![operand], between: false, whole: None }
    }

    fn between(sign: &str, meaning: &'static str, operands: Vec<Self>) -> Self {
        Self { sign: sign.to_owned(), meaning, operands, between: true, whole: None }
    }

    /// Whether it needs no parentheses.
    fn is_single(&self) -> bool {
        self.operands.is_empty() || self.whole.is_some()
    }

    /// With every pair of parentheses that could be meant.
    #[must_use]
    pub fn parenthesised(&self) -> String {
        let inner = |t: &Self| if t.is_single() { t.parenthesised() } else { format!("({})", t.parenthesised()) };
        if let Some(whole) = &self.whole {
            return whole.clone();
        }
        match (self.operands.as_slice(), self.between) {
            ([], _) => self.sign.clone(),
            ([one], false) if self.sign == "!" => {
                format!("!{}", guarded(one))
            }
            ([one], false) => format!("{} {}", self.sign, guarded(one)),
            (all, true) => all.iter().map(inner).collect::<Vec<_>>().join(&format!(" {} ", self.sign)),
            // `E[a U b]`: the sign is the quantifier with the operator behind it.
            (all, false) => {
                let (path, op) = self.sign.split_at(1);
                let operands: Vec<String> = all.iter().map(inner).collect();
                format!("{path}[{}]", operands.join(&format!("{op} ")))
            }
        }
    }

    /// One line per node.
    #[must_use]
    pub fn lines(&self) -> Vec<Line<'_>> {
        let mut lines = Vec::new();
        self.draw("", "", &mut lines);
        lines
    }

    fn draw<'a>(&'a self, lead: &str, under: &str, lines: &mut Vec<Line<'a>>) {
        lines.push(Line { lead: lead.to_owned(), sign: &self.sign, meaning: self.meaning });
        for (i, operand) in self.operands.iter().enumerate() {
            let last = i + 1 == self.operands.len();
            let (branch, below) = if last { ("└─ ", "   ") } else { ("├─ ", "│  ") };
            operand.draw(&format!("{under}{branch}"), &format!("{under}{below}"), lines);
        }
    }
}

/// Behind an operator a comparison needs its parentheses to be read right.
fn guarded(tree: &Tree) -> String {
    let text = tree.parenthesised();
    let call = ["on(", "event(", "process("].iter().any(|word| text.starts_with(word));
    let bare = tree.whole.is_some() || tree.operands.is_empty() && (call || !text.contains(' '));
    if bare { text } else { format!("({text})") }
}

fn linear(formula: &Ltl) -> Tree {
    match formula {
        Ltl::True | Ltl::False | Ltl::Atom(_) => Tree::leaf(formula.to_string()),
        Ltl::Not(f) => Tree::before("!".into(), "not", linear(f)),
        Ltl::And(fs) => Tree::between("&&", "all of", fs.iter().map(linear).collect()),
        Ltl::Or(fs) => Tree::between("||", "one of", fs.iter().map(linear).collect()),
        Ltl::Implies(a, b) => Tree::between("->", "if … then", vec![linear(a), linear(b)]),
        Ltl::Iff(a, b) => Tree::between("<->", "exactly if", vec![linear(a), linear(b)]),
        Ltl::Unary(op, f) => {
            let meaning = match op {
                LtlUnary::Next => "there is a next position, and there",
                LtlUnary::WeakNext => "at the next position, if there is one",
                LtlUnary::Finally => "now or later",
                LtlUnary::Globally => "now and always later",
                LtlUnary::Yesterday => "there is a previous position, and there",
                LtlUnary::Once => "now or before",
                LtlUnary::Historically => "now and always before",
            };
            Tree::before(op.to_string(), meaning, linear(f))
        }
        Ltl::Binary(op, a, b) => {
            let meaning = match op {
                LtlBinary::Until => "the second comes, and the first until then",
                LtlBinary::WeakUntil => "the first until the second, which need not come",
                LtlBinary::Release => "the second up to and including the first, which need not come",
                LtlBinary::StrongRelease => "the second up to and including the first, which comes",
                LtlBinary::Since => "the second was, and the first ever since",
            };
            Tree::between(&op.to_string(), meaning, vec![linear(a), linear(b)])
        }
    }
}

fn branching(formula: &Ctl) -> Tree {
    match formula {
        Ctl::True | Ctl::False | Ctl::Atom(_) => Tree::leaf(formula.to_string()),
        Ctl::Not(f) => Tree::before("!".into(), "not", branching(f)),
        Ctl::And(fs) => Tree::between("&&", "all of", fs.iter().map(branching).collect()),
        Ctl::Or(fs) => Tree::between("||", "one of", fs.iter().map(branching).collect()),
        Ctl::Implies(a, b) => Tree::between("->", "if … then", vec![branching(a), branching(b)]),
        Ctl::Iff(a, b) => Tree::between("<->", "exactly if", vec![branching(a), branching(b)]),
        Ctl::Unary(path, op, f) => {
            let (sign, meaning) = match (path, op) {
                (Path::Some, CtlUnary::Next) => ("EX", "at some next cut"),
                (Path::All, CtlUnary::Next) => ("AX", "at every next cut"),
                (Path::Some, CtlUnary::Finally) => ("EF", "at some cut that can be reached"),
                (Path::All, CtlUnary::Finally) => ("AF", "on every path, at some cut"),
                (Path::Some, CtlUnary::Globally) => ("EG", "on some path, at every cut"),
                (Path::All, CtlUnary::Globally) => ("AG", "at every cut that can be reached"),
            };
            Tree::before(sign.into(), meaning, branching(f))
        }
        Ctl::Binary(path, op, a, b) => {
            let (letter, meaning) = match op {
                CtlBinary::Until => ("U", "the second comes, and the first until then"),
                CtlBinary::WeakUntil => ("W", "the first until the second, which need not come"),
                CtlBinary::Release => ("R", "the second up to and including the first, which need not come"),
            };
            let sign = format!("{path} {letter}");
            Tree { sign, meaning, operands: vec![branching(a), branching(b)], between: false, whole: None }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use posetta_logic::{View, parse_ctl, parse_ltl};

    #[test]
    fn parentheses_show_how_it_was_read_and_read_back() {
        for (text, expected) in [
            ("G x == 1 && y == 2", "(G (x == 1)) && y == 2"),
            ("a U b U c", "a U (b U c)"),
            ("!a W on(b) -> c", "((!a) W on(b)) -> c"),
            ("!G !(x == 1)", "!(G (!(x == 1)))"),
            ("G (on(x == 1) -> F on(y == 2))", "G (on(x == 1) -> (F on(y == 2)))"),
            ("a && b || c", "(a && b) || c"),
            ("X event(a)", "X event(a)"),
        ] {
            let formula = parse_ltl(text).unwrap();
            let seen = Tree::new(&Formula::Ltl(View::States, formula.clone())).parenthesised();
            assert_eq!(seen, expected, "{text}");
            assert_eq!(parse_ltl(&seen).unwrap(), formula, "{text}");
        }
        for (text, expected) in
            [("AG EF a", "AG (EF a)"), ("E[a U b && c]", "E[a U (b && c)]"), ("!EX a || b", "(!(EX a)) || b")]
        {
            let formula = parse_ctl(text).unwrap();
            let seen = Tree::new(&Formula::Ctl(formula.clone())).parenthesised();
            assert_eq!(seen, expected, "{text}");
            assert_eq!(parse_ctl(&seen).unwrap(), formula, "{text}");
        }
    }
}
