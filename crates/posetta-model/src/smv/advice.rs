//! What to write instead of words that mean something elsewhere, or something else.

use super::expressions::Logic;
use posetta_base::{Kind, Span, Spanned};

/// How SMV writes the operators of other languages; `operand`: it stands where an operand begins.
pub(super) fn foreign(sign: &str, operand: bool) -> Option<&'static str> {
    Some(match sign {
        "==" => "equality is written `=`",
        "&&" => "and is written `&`",
        "||" => "or is written `|`",
        "=>" => "implication is written `->`",
        "<=>" => "equivalence is written `<->`",
        "~" => "negation is written `!`",
        "^" => "exclusive or is written `xor`",
        "[]" if operand => "always is written `G` in LTL and `AG` in CTL",
        "<>" if operand => "eventually is written `F` in LTL and `AF` in CTL",
        "<>" => "what differs is compared by `!=`",
        _ => return None,
    })
}

/// The same of operators that are words.
pub(super) fn foreign_word(word: &str) -> Option<&'static str> {
    Some(match word {
        "and" | "AND" => "and is written `&`",
        "or" | "OR" => "or is written `|`",
        "not" | "NOT" => "negation is written `!`",
        "implies" => "implication is written `->`",
        "iff" => "equivalence is written `<->`",
        _ => return None,
    })
}

/// The logic that an operator of time belongs to, and what it is.
fn of_time(word: &str) -> Option<(Logic, &'static str)> {
    Some(match word {
        "X" => (Logic::Ltl, "next"),
        "F" => (Logic::Ltl, "finally"),
        "G" => (Logic::Ltl, "globally"),
        "U" => (Logic::Ltl, "until"),
        "V" => (Logic::Ltl, "release"),
        "Y" => (Logic::Ltl, "yesterday"),
        "Z" => (Logic::Ltl, "weak yesterday"),
        "H" => (Logic::Ltl, "historically"),
        "O" => (Logic::Ltl, "once"),
        "S" => (Logic::Ltl, "since"),
        "T" => (Logic::Ltl, "triggered"),
        "E" | "EX" | "EF" | "EG" | "EBF" | "EBG" => (Logic::Ctl, "on some path"),
        "A" | "AX" | "AF" | "AG" | "ABF" | "ABG" => (Logic::Ctl, "on all paths"),
        _ => return None,
    })
}

/// A word of the language where it cannot stand.
#[cold]
pub(super) fn reserved(word: &str, span: Span, what: &str, logic: Logic) -> Box<Spanned> {
    let plain =
        |label: String| Spanned::new(Kind::Syntax, span, format!("`{word}` is a word of the language")).label(label);
    let naming = what.contains("name") || what.contains("symbol");
    let Some((home, meaning)) = of_time(word) else {
        let problem = plain(format!("expected {what}"));
        return if naming { problem.help("choose another name") } else { problem };
    };
    let called = if home == Logic::Ltl { "LTL" } else { "CTL" };
    if naming {
        return plain(format!("an operator of {called} ({meaning}): choose another name"));
    }
    let said = |message: String, label: String| Spanned::new(Kind::Syntax, span, message).label(label);
    match (logic, home) {
        (Logic::Ctl, Logic::Ltl) if matches!(word, "X" | "F" | "G") => {
            said(format!("`{word}` needs a path quantifier in CTL"), format!("write `A{word}` or `E{word}`"))
                .help("without path quantifiers it is LTL: write LTLSPEC")
        }
        (Logic::Ctl, Logic::Ltl) if !matches!(word, "U" | "V") => {
            said(format!("CTL has no `{word}` ({meaning})"), "operators of the past belong to LTL".to_owned())
                .help("write LTLSPEC")
        }
        (Logic::Ltl, Logic::Ctl) => {
            let problem = said(format!("`{word}` belongs to CTL"), "LTL has no path quantifiers".to_owned());
            match word {
                "AX" | "AF" | "AG" => {
                    let bare = &word[1..];
                    problem.help(format!("in LTL all computations are meant: write `{bare}`; or write CTLSPEC"))
                }
                _ => problem.help("write CTLSPEC"),
            }
        }
        (Logic::Invariant, _) => {
            let problem =
                said(format!("`{word}` is an operator of {called}"), "INVARSPEC is about one state".to_owned());
            problem.help(match word {
                "G" | "AG" => format!("leave `{word}` out: every reachable state is asked anyway"),
                _ => format!("write {called}SPEC"),
            })
        }
        (Logic::None, _) => said(
            format!("`{word}` is an operator of {called} ({meaning})"),
            "expected a condition without operators of time".to_owned(),
        )
        .help("formulas stand under LTLSPEC and CTLSPEC, and nothing else can have this name"),
        _ => plain(format!("expected {what}")),
    }
}
