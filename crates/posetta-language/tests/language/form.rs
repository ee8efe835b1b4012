//! Formatting twice changes nothing more, and formatting changes no meaning.

use fastrand::Rng;
use posetta_language::{Document, Language, format};
use posetta_logic::written::{Logic, TokenKind, tokens};
use posetta_logic::{Property, read_props_with};
use posetta_model::sys;

use crate::{nothing, texts};

/// What a text says, without the places; of one with mistakes, which sorts of mistakes.
fn meaning(language: Language, text: &str) -> Vec<String> {
    match language {
        Language::Props => match read_props_with("a", text, &mut nothing) {
            Ok(properties) => properties
                .iter()
                .map(|Property { name, formula, quantifier, each, declared_events, .. }| {
                    let each = each.as_ref().map(ToString::to_string);
                    format!("{name:?} {:?} {formula} {quantifier:?} {each:?} {declared_events:?}", formula.view())
                })
                .collect(),
            Err(mistakes) => mistakes.iter().map(|m| m.diagnostic.kind.word().to_owned()).collect(),
        },
        Language::Sys => match sys::read("a", text, None, &mut nothing) {
            Ok(system) => vec![format!("{:?} {:?}", system.components, system.actions)],
            Err(mistakes) => mistakes.iter().map(|m| m.diagnostic.kind.word().to_owned()).collect(),
        },
    }
}

fn formatted(language: Language, text: &str) -> String {
    let once = format(&Document::new(language, "a", text)).unwrap_or_else(|| text.to_owned());
    assert_eq!(format(&Document::new(language, "a", once.as_str())), None, "once is enough:\n{text}\n{once}");
    once
}

fn keeps_its_meaning(language: Language, text: &str) -> String {
    let after = formatted(language, text);
    assert_eq!(meaning(language, text), meaning(language, &after), "{text}\n{after}");
    // No comment is lost.
    let comments = |text: &str| text.matches("//").count();
    assert_eq!(comments(text), comments(&after), "{text}\n{after}");
    after
}

#[test]
fn the_examples_keep_their_meaning() {
    for (language, text) in texts() {
        keeps_its_meaning(language, &text);
    }
}

/// What is in the repository has the form that it would get. With `POSETTA_FORMAT=1` it gets it.
#[test]
fn the_examples_have_their_form() {
    let mut others = Vec::new();
    for (path, text) in ["props", "sys"].into_iter().flat_map(crate::examples) {
        let language = Language::of(&path.display().to_string()).expect("it is one of these");
        if let Some(after) = format(&Document::new(language, "a", text.as_str())) {
            if std::env::var_os("POSETTA_FORMAT").is_some() {
                std::fs::write(&path, after).expect("it can be written");
            }
            others.push(path.display().to_string());
        }
    }
    assert!(others.is_empty(), "{others:#?}");
}

/// The same words with other blanks between those that had some: the form is the same but for what follows from line breaks.
#[test]
fn blanks_do_not_matter() {
    let mut random = Rng::with_seed(3);
    for (language, text) in texts() {
        for _ in 0..5 {
            let mut other = String::new();
            for line in text.lines() {
                let (code, comment) = line.split_at(line.find("//").unwrap_or(line.len()));
                let is_quoted = code.contains(['"', '`']);
                for c in code.chars() {
                    other.push(c);
                    if c == ' ' && !is_quoted && !other.trim().is_empty() && !other.ends_with("\n ") {
                        other.extend(std::iter::repeat_n(' ', random.usize(..3)));
                    }
                }
                other.push_str(comment);
                other.push_str(random.choice(["\n", "  \n", "\n\n\n"]).unwrap_or("\n"));
            }
            keeps_its_meaning(language, &other);
        }
    }
}

/// A random formula, as somebody in a hurry writes it.
fn formula(random: &mut Rng, logic: Logic, depth: u32) -> String {
    let blank = |random: &mut Rng| random.choice(["", " ", "  ", "\n ", " // c\n  "]).unwrap_or(" ").to_owned();
    if depth == 0 {
        let atoms = [
            "x",
            "x == 1",
            "y[0]<3",
            "-x+2*y>=1",
            "- 1 < x",
            "mode=\"a b\"",
            "$\"odd name\"!=2",
            "event(send)",
            "event( put , key==\"a\",size>10 )",
            "on(x==1)",
            "process(P1)",
            "true",
            "e(1)",
            "e( y )",
            "prev(x)<x",
            "x%2",
            "!x",
        ];
        let choice = random.usize(..atoms.len());
        return atoms[choice].to_owned();
    }
    let a = formula(random, logic, depth - 1);
    let less = random.u32(..depth);
    let b = formula(random, logic, less);
    let (s, t) = (blank(random), blank(random));
    match (random.u8(..8), logic) {
        (0, _) => format!("({s}{a}{t})"),
        (1, _) => format!("!{s}({a})"),
        (2, _) => format!("{a}{s}&&{t}{b}"),
        (3, _) => format!("{a}{s}->{t}{b}"),
        (4, Logic::Ltl) => format!("response({a}{s},{b}){t} after {b}"),
        (5, Logic::Ltl) => format!("({a}) U{s} ({b})"),
        (_, Logic::Ltl) => format!("{}({s}{a})", ["G", "F ", "X", "O  ", "WX "][random.usize(..5)]),
        (4 | 5, Logic::Ctl) => format!("A[{s}{a} U {b}{t}]"),
        (_, Logic::Ctl) => format!("{}({s}{a})", ["AG", "EF ", "AX  "][random.usize(..3)]),
        (4, _) => format!("always{s} ({a}){t}until!_ ({b})"),
        (5, _) => format!("{{x{s};{t}y[*1:3] ; z[->]}}|=>{a}"),
        (6, _) => format!("<{{x{s}:y}}> ({a})"),
        _ => format!("next![2]({s}{a}) abort  x"),
    }
}

#[test]
fn random_properties_keep_their_meaning() {
    let mut random = Rng::with_seed(11);
    let mut read = 0;
    for _ in 0..3_000 {
        let logic = random.choice([Logic::Ltl, Logic::Ctl, Logic::Psl]).unwrap_or(Logic::Ltl);
        let depth = random.u32(1..4);
        let formula = formula(&mut random, logic, depth);
        let text = format!(
            "let e(n)=x>n\nproperty   p = {}  {formula}\nforeach i in 0..1{{\nproperty q = {} {formula}\n}}",
            logic.word(),
            logic.word()
        );
        let after = keeps_its_meaning(Language::Props, &text);
        read += usize::from(read_props_with("a", &after, &mut nothing).is_ok());
    }
    assert!(read > 1_000, "most of them are formulas: {read}");
}

#[test]
fn no_word_is_touched() {
    for (language, text) in texts().into_iter().filter(|(language, _)| *language == Language::Props) {
        let after = formatted(language, &text);
        let words = |text: &str| {
            let all = tokens(text, posetta_base::Span::new(0, text.len()), Logic::Psl);
            all.iter().filter(|t| t.kind != TokenKind::Comment).map(|t| t.text(text).to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(words(&text), words(&after));
    }
}
