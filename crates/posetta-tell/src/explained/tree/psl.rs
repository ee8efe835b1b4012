//! PSL as a tree. What is inside of a SERE is drawn, but read by itself.

use posetta_logic::{Guard, Psl, PslBinary, PslUnary, Sere, SereOp, Suffix};

use super::Tree;

pub(super) fn formula(psl: &Psl) -> Tree {
    match psl {
        Psl::Bool(b) => boolean(b),
        Psl::Sere { sere: r, strong: true } => in_braces("{…}!", "a match of it begins here", r, "!"),
        Psl::Sere { sere: r, strong: false } => {
            in_braces("{…}", "a match of it begins here, or could still be completed at the end", r, "")
        }
        Psl::Not(f) => Tree::before("!".into(), "not", formula(f)),
        Psl::And(fs) => Tree::between("&&", "all of", fs.iter().map(formula).collect()),
        Psl::Or(fs) => Tree::between("||", "one of", fs.iter().map(formula).collect()),
        Psl::Implies(a, b) => Tree::between("->", "if … then", vec![formula(a), formula(b)]),
        Psl::Iff(a, b) => Tree::between("<->", "exactly if", vec![formula(a), formula(b)]),
        Psl::Unary(op, f) => {
            let meaning = match op {
                PslUnary::Next => "at the next position, if there is one",
                PslUnary::StrongNext => "there is a next position, and there",
                PslUnary::Globally => "now and always later",
                PslUnary::Finally => "now or later",
            };
            // Of a SERE, `eventually!` says something else.
            let weak = matches!(**f, Psl::Sere { strong: false, .. });
            let sign = if *op == PslUnary::Finally && weak { "F".to_owned() } else { op.to_string() };
            Tree::before(sign, meaning, formula(f))
        }
        Psl::NextTimes { strong, count, formula: f } => {
            let (mark, meaning) = match strong {
                true => ("!", "there are so many positions more, and at the last of them"),
                false => ("", "so many positions later, if there are so many"),
            };
            Tree::before(format!("next{mark}[{count}]"), meaning, formula(f))
        }
        Psl::Binary(op, a, b) => Tree::between(&op.to_string(), between(*op), vec![formula(a), formula(b)]),
        Psl::Never(r) => Tree::before("never".into(), "no match of it begins now or later", sere(r)),
        Psl::Eventually(r) => Tree::before("eventually!".into(), "a match of it ends now or later", sere(r)),
        Psl::Suffix(Suffix::Some, r, f) => {
            Tree::before(format!("<{{{r}}}>"), "at the last letter of some match", formula(f))
        }
        Psl::Suffix(op, r, f) => {
            let meaning = match op {
                Suffix::After => "whenever the first is matched, then next",
                _ => "whenever the first is matched, then at its last letter",
            };
            Tree::between(&op.to_string(), meaning, vec![sere(r), formula(f)])
        }
        Psl::Abort(f, b) => {
            let meaning = "the first, or nothing spoke against it before the second came";
            Tree::between("abort", meaning, vec![formula(f), boolean(b)])
        }
    }
}

fn between(op: PslBinary) -> &'static str {
    match op {
        PslBinary::Until { strong: true, inclusive: false } => "the second comes, and the first until then",
        PslBinary::Until { strong: false, inclusive: false } => "the first until the second, which need not come",
        PslBinary::Until { strong: true, inclusive: true } => {
            "the second comes, and the first until and including then"
        }
        PslBinary::Until { strong: false, inclusive: true } => {
            "the first until and including the second, which need not come"
        }
        PslBinary::Before { strong: true, inclusive: false } => {
            "the first comes, and no second until and including then"
        }
        PslBinary::Before { strong: false, inclusive: false } => "no second until and including the first",
        PslBinary::Before { strong: true, inclusive: true } => "the first comes, and no second until then",
        PslBinary::Before { strong: false, inclusive: true } => "no second until the first",
    }
}

fn boolean(guard: &Guard) -> Tree {
    match guard {
        Guard::True | Guard::False | Guard::Atom(_) => Tree::leaf(guard.to_string()),
        Guard::Not(g) => Tree::before("!".into(), "not", boolean(g)),
        Guard::And(gs) => Tree::between("&&", "all of", gs.iter().map(boolean).collect()),
        Guard::Or(gs) => Tree::between("||", "one of", gs.iter().map(boolean).collect()),
        Guard::Implies(a, b) => Tree::between("->", "if … then", vec![boolean(a), boolean(b)]),
        Guard::Iff(a, b) => Tree::between("<->", "exactly if", vec![boolean(a), boolean(b)]),
    }
}

/// A SERE with braces and a mark behind them.
fn in_braces(sign: &str, meaning: &'static str, r: &Sere, mark: &str) -> Tree {
    let mut tree = Tree::before(sign.to_owned(), meaning, sere(r));
    tree.whole = Some(format!("{{{r}}}{mark}"));
    tree
}

fn sere(r: &Sere) -> Tree {
    // How often, as it is written behind what is repeated.
    let behind = |counted: Sere| {
        let text = counted.to_string();
        text.trim_start_matches("true").to_owned()
    };
    let mut tree = match r {
        Sere::Bool(b) => boolean(b),
        Sere::Chain(op, parts) => {
            let meaning = match op {
                SereOp::Concat => "one after the other",
                SereOp::Fusion => "one after the other, with a letter in common",
                SereOp::Or => "one of",
                SereOp::And => "all from here on, to the end of the longest",
                SereOp::Intersect => "all from here on, of the same length",
                SereOp::Within => "the first somewhere inside of the second",
            };
            Tree::between(&op.to_string(), meaning, parts.iter().map(sere).collect())
        }
        Sere::Repeat(r, times) => {
            let sign = behind(Sere::Repeat(Box::new(Sere::Bool(Guard::True)), *times));
            Tree::before(sign, "so many times", sere(r))
        }
        Sere::Goto(b, times) => {
            Tree::before(behind(Sere::Goto(Guard::True, *times)), "up to where it holds so many times", boolean(b))
        }
        Sere::Occur(b, times) => {
            Tree::before(behind(Sere::Occur(Guard::True, *times)), "as long as it holds so many times", boolean(b))
        }
    };
    tree.whole = Some(format!("{{{r}}}"));
    tree
}

#[cfg(test)]
mod tests {
    use posetta_logic::parse_psl;

    #[test]
    fn parentheses_show_how_it_was_read_and_read_back() {
        for (text, expected) in [
            ("always a -> next b", "always (a -> (next b))"),
            ("always {a; b[*]} |=> c until d && e", "always ({a; b[*]} |=> ((c until d) && e))"),
            ("F {a} && eventually! {a} && F a", "(F {a}) && (eventually! {a}) && (eventually! a)"),
            ("{a}! abort (b || c)", "{a}! abort (b || c)"),
            ("<a;b> X[2] c", "<{a; b}> (next[2] c)"),
            ("never a || !(x == 1)", "never {a || !(x == 1)}"),
            ("!(x == 1) before_ b", "(!(x == 1)) before_ b"),
        ] {
            let formula = parse_psl(text).unwrap();
            let seen = super::formula(&formula).parenthesised();
            assert_eq!(seen, expected, "{text}");
            assert_eq!(parse_psl(&seen).as_ref(), Ok(&formula), "{text}: {seen}");
        }
    }
}
