//! A document knows what it found out before the last change. What it answers is what it would answer if it were new.

use fastrand::Rng;
use posetta_language::{
    Document, Language, NoFile, Variable, Vocabulary, completions, definition, diagnostics, hover, references, symbols,
};

use crate::{examples, texts};

/// Files that can be imported; the second one changes.
fn load(other: &str) -> impl FnMut(&str, &str) -> Result<(String, String), NoFile> {
    move |_, path| match path {
        "more.props" => Ok(("more.props".to_owned(), "let far = x > 1\nproperty theirs = ltl G far\n".to_owned())),
        "other.props" => Ok(("other.props".to_owned(), other.to_owned())),
        _ => Err("there is no such file".into()),
    }
}

fn vocabulary() -> Vocabulary {
    let variable = |name: &str| Variable { name: name.to_owned(), values: vec!["1".to_owned()] };
    Vocabulary {
        source: "run.jsonl".to_owned(),
        variables: ["x", "y", "count"].map(variable).to_vec(),
        events: ["send", "receive"].map(str::to_owned).to_vec(),
        processes: vec!["P".to_owned()],
        attributes: vec!["id".to_owned()],
    }
}

/// What the pieces are that somebody writes, and what changes what other items mean.
const PIECES: [&str; 34] = [
    "let a = x == 1\n",
    "let b(i) = a && y[i] == i\n",
    "let c = b(1) || far\n",
    "let a = b(2)\n",
    "let w = ltl G a\n",
    "let far = y\n",
    "property p = ltl G (a -> F c)\n",
    "property q = ctl AG b(3)\n",
    "property r = psl always {a; b(1)} |=> c\n",
    "property s = w\n",
    "property t = response(a, c) after x == 2\n",
    "property u = ltl over events G (event(send, id == 1) -> on(zz == 1))\n",
    "property v = m2l ex1 p: p in `a`\n",
    "property o = ltl over\n",
    "property p = ltl F zz\n",
    "monitor m over events {\n  initial s\n  bad t\n  s -> t: a && zz\n}\n",
    "foreach i in 0..2 {\n  let d = b(i)\n  property e[i] = ltl G d && a\n}\n",
    "foreach k in values(id) { property f = ltl G a }\n",
    "event send, gone\n",
    "import \"more.props\"\n",
    "import \"other.props\"\n",
    "import \"std/mutex\"\n",
    "// a comment\n",
    "\n",
    " ",
    "a",
    "(",
    ")",
    "{",
    "}",
    "\"",
    "é",
    "x",
    " && ",
];

/// Writes somewhere, or takes something away.
fn change(document: &mut Document, random: &mut Rng) {
    let text = document.text();
    let floor = |mut at: usize| {
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        at
    };
    let line = |at: usize| text[..at].rfind('\n').map_or(0, |end| end + 1);
    let start = floor(random.usize(..=text.len()));
    // Mostly at the beginning of a line.
    let start = if random.u8(..4) > 0 { line(start) } else { start };
    let end = match random.u8(..3) {
        0 => start,
        1 => floor((start + random.usize(..8)).min(text.len())),
        _ => text[start..].find('\n').map_or(text.len(), |end| start + end + 1),
    };
    let end = if text.len() < 400 { start } else { end };
    let piece = if random.u8(..5) == 0 { "" } else { PIECES[random.usize(..PIECES.len())] };
    let lines = document.lines();
    let range = posetta_language::Range { start: lines.position(text, start), end: lines.position(text, end) };
    document.replace(range, piece);
}

fn same(kept: &Document, other: &str, known: &Vocabulary, random: &mut Rng) {
    let text = kept.text();
    let fresh = || Document::new(kept.language, kept.name(), text);
    for vocabulary in [None, Some(known)] {
        let [old, new] = [kept, &fresh()].map(|document| diagnostics(document, &mut load(other), vocabulary));
        assert_eq!(old, new, "{text}");
    }
    for _ in 0..3 {
        let at = kept.lines().position(text, random.usize(..=text.len()));
        let [old, new] = [kept, &fresh()].map(|document| completions(document, at, &mut load(other), Some(known)));
        assert_eq!(old, new, "{at:?}\n{text}");
        let [old, new] = [kept, &fresh()].map(|document| hover(document, at, &mut load(other), Some(known)));
        assert_eq!(old, new, "{at:?}\n{text}");
        let [old, new] = [kept, &fresh()].map(|document| definition(document, at, &mut load(other)));
        assert_eq!(old, new, "{at:?}\n{text}");
        assert_eq!(references(kept, at), references(&fresh(), at), "{at:?}\n{text}");
    }
    assert_eq!(symbols(kept), symbols(&fresh()), "{text}");
}

#[test]
fn answers_do_not_depend_on_what_was_there_before() {
    let known = vocabulary();
    let number = |name: &str| std::env::var(name).ok().and_then(|number| number.parse::<u64>().ok());
    let first = number("POSETTA_SEED").unwrap_or(0);
    for seed in first..first + number("POSETTA_CASES").unwrap_or(40) {
        // It is shown if something differs.
        eprintln!("seed {seed}");
        let mut random = Rng::with_seed(seed);
        let mut document = Document::new(Language::Props, "own.props", "");
        let mut other = "let theirs = 1\n".to_owned();
        for _ in 0..30 {
            change(&mut document, &mut random);
            if random.u8(..8) == 0 {
                other = (0..random.usize(..3)).map(|_| PIECES[random.usize(..20)]).collect();
            }
            // Not every text is looked at.
            if random.u8(..3) > 0 {
                same(&document, &other, &known, &mut random);
            }
        }
    }
}

/// A definition is fine as long as all that it needs is, however far away: the first one of a circle is the one that is told.
#[test]
fn a_change_far_away_closes_a_circle() {
    let (known, mut random) = (vocabulary(), Rng::with_seed(13));
    for (text, last) in [
        ("let a = x\nlet b = a\nlet c = b\n", "let a = c\n"),
        ("let c = x\nlet a = c\nlet b = a\n", "let c = b\n"),
        ("let b = a\nlet a = c\nlet c = x\n", "let c = b\n"),
    ] {
        let mut document = Document::new(Language::Props, "own.props", text);
        same(&document, "", &known, &mut random);
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        let changed = |line: &&str| if line.starts_with(&last[..5]) { last.to_owned() } else { (*line).to_owned() };
        // In the same order, and in every other one.
        for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
            document.rewrite(order.map(|i| changed(&lines[i])).concat());
            same(&document, "", &known, &mut random);
            document.rewrite(order.map(|i| lines[i]).concat());
            same(&document, "", &known, &mut random);
        }
    }
}

#[test]
fn examples_while_somebody_changes_them() {
    let known = vocabulary();
    let mut random = Rng::with_seed(11);
    for (language, text) in texts() {
        let mut document = Document::new(language, "own.props", text);
        for _ in 0..4 {
            same(&document, "", &known, &mut random);
            change(&mut document, &mut random);
        }
        same(&document, "", &known, &mut random);
    }
}

#[test]
fn what_stands_between_two_changes_is_forgotten_without_harm() {
    let known = vocabulary();
    let mut random = Rng::with_seed(12);
    for (_, text) in examples("props") {
        let mut document = Document::new(Language::Props, "own.props", text.as_str());
        same(&document, "", &known, &mut random);
        document.rewrite("");
        same(&document, "", &known, &mut random);
        document.rewrite(format!("\n// moved\n{text}"));
        same(&document, "", &known, &mut random);
    }
}
