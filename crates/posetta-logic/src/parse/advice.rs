//! What somebody may have meant who wrote what other tools read: advice for messages.

use super::Dialect;
use super::expr::{Expr, ExprKind};
use super::grammar::{Parser, one_word};
use crate::lex::Token;
use posetta_base::Diagnostic;

/// What stands for a word of other tools between two formulas, or before one.
fn operator(word: &str, dialect: Dialect) -> Option<String> {
    let psl = dialect.is_psl();
    let pick = |ltl: &str, of_psl: &str| Some(format!("write `{}`", if psl { of_psl } else { ltl }));
    match (word.to_ascii_lowercase().as_str(), dialect) {
        ("and", _) => pick("&&", "&&"),
        ("or", _) => pick("||", "||"),
        ("not", _) => pick("!", "!"),
        ("xor", _) => Some("write `!(a <-> b)` for `a xor b`".to_owned()),
        ("implies", _) => pick("->", "->"),
        ("iff", _) => pick("<->", "<->"),
        ("until", _) => pick("U", "until!"),
        ("mod" | "rem", _) => Some("there is no remainder in conditions".to_owned()),
        ("always" | "globally" | "henceforth", Dialect::Ctl) => Some("in CTL it is `AG`".to_owned()),
        ("eventually" | "finally", Dialect::Ctl) => {
            Some("in CTL it is `AF`, or `EF` if it need only be possible".to_owned())
        }
        ("never", Dialect::Ctl) => Some("in CTL it is `AG !`".to_owned()),
        ("next", Dialect::Ctl) => Some("in CTL it is `AX` or `EX`".to_owned()),
        ("globally" | "henceforth", _) => pick("G", "always"),
        ("finally" | "sometime", _) => pick("F", "eventually!"),
        ("once" | "previously_once", Dialect::Ltl) => Some("write `O`: it was true at some position so far".to_owned()),
        ("historically", Dialect::Ltl) => Some("write `H`: it was true at every position so far".to_owned()),
        ("previously" | "yesterday" | "p", Dialect::Ltl) => {
            Some("write `Y` for the position before, `O` for some position so far".to_owned())
        }
        ("since", Dialect::Ltl) => Some("write `S`".to_owned()),
        ("release" | "releases", Dialect::Ltl) => Some("write `R`".to_owned()),
        ("assert" | "assume" | "cover" | "restrict" | "assume_guarantee", Dialect::Psl(_)) => Some(
            "directives stand in a file for --spec, as in `assert always a -> next b;`; here write the formula alone"
                .to_owned(),
        ),
        ("rose" | "fell" | "stable" | "prev" | "onehot" | "onehot0" | "ended", Dialect::Psl(_)) => {
            Some(format!("a function takes its arguments in parentheses, as in {word}(a)"))
        }
        ("next_event", Dialect::Psl(_)) => Some("as in `next_event(b)(f)`".to_owned()),
        (word, Dialect::Psl(_)) if ["next_a[", "next_e["].iter().any(|start| word.starts_with(start)) => {
            Some("it takes a range, as in `next_e[1:3] f`".to_owned())
        }
        (word, Dialect::Psl(_)) => super::hdl::foreign(word).map(str::to_owned),
        _ => None,
    }
}

impl Parser<'_> {
    /// Behind an operand stands something that is no operator.
    pub(super) fn advice_behind(&self, expr: &Expr) -> Option<String> {
        let before = match &expr.kind {
            ExprKind::Word(pieces) => one_word(pieces).and_then(|word| operator(word, self.dialect)),
            ExprKind::Key(word) if self.dialect.is_psl() => operator(word, self.dialect),
            ExprKind::Call { name, .. } => {
                operator(name, self.dialect).filter(|_| matches!(&**name, "next_event" | "case"))
            }
            _ => None,
        };
        let here = match &self.token {
            Token::Name(word) => operator(word, self.dialect),
            Token::Sign("%") => operator("mod", self.dialect),
            _ => None,
        };
        before.or(here)
    }

    /// The same for what stands where a formula should begin.
    pub(super) fn advised(&self, mistake: Diagnostic) -> Diagnostic {
        if mistake.help.is_some() {
            return mistake;
        }
        let text = self.source_before();
        let last = text.trim_end();
        let bounded = text.ends_with(|c: char| c.is_ascii_alphabetic());
        let help = match &self.token {
            Token::Sign(">") if text.ends_with('<') => "two values that differ are compared by `!=`",
            Token::Sign("[") if bounded && self.dialect == Dialect::Ltl => {
                "operators have no bounds in LTL; PSL has `next_e[1:3] f` and `next_a[1:3] f` (on the command line --psl)"
            }
            Token::Sign("[") if bounded && self.dialect == Dialect::Ctl => "operators have no bounds in CTL",
            Token::Sign("{") if !self.dialect.is_psl() => {
                "expressions in braces belong to PSL: write `psl` (on the command line --psl)"
            }
            Token::Sign(">") if text.ends_with('>') => {
                "there are no shifts in conditions: bits of a vector are data[7:4]"
            }
            _ if self.dialect.is_psl() && last.ends_with(['*', '+']) && !last.ends_with("[*") => {
                "repetition stands in brackets: a[*] any number of times, a[+] at least once, a[*0:1] at most once"
            }
            _ => return mistake,
        };
        mistake.help(help)
    }

    /// The same for what stands where a bracket should close.
    pub(super) fn advice_inside(&self) -> Option<&'static str> {
        match &self.token {
            Token::Sign(";" | ":") if self.dialect.is_psl() => Some("SEREs stand in braces, as in {a; b}"),
            Token::Name(word) if self.dialect == Dialect::Ctl && matches!(word.as_str(), "U" | "W" | "R") => {
                Some("in CTL it stands inside of `A[…]` or `E[…]`, as in A[p U q]")
            }
            Token::Sign(",") if self.dialect.is_psl() => super::hdl::foreign("local"),
            Token::Sign("%") => Some("there is no remainder in conditions"),
            _ => None,
        }
    }

    fn source_before(&self) -> &str {
        self.source_until(self.span.start)
    }
}
