//! A long file, as fast as somebody types. The times are printed and decide nothing: `cargo test -p posetta-language --release long -- --nocapture`

use std::fmt::Write as _;
use std::time::Instant;

use posetta_language::{Document, Position, Range, completions, diagnostics, format, hover, symbols};

use crate::{nothing, props};

/// Milliseconds of processor time that this thread has used, where the system tells: others may keep the machine busy.
fn used() -> Option<f64> {
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    told.split_whitespace().next()?.parse::<f64>().ok().map(|nanoseconds| nanoseconds / 1e6)
}

/// A property file of so many lines.
fn long(lines: usize) -> String {
    let mut text = String::from("import \"std/mutex\"\nevent error\n");
    for n in 0.. {
        if text.lines().count() >= lines {
            break;
        }
        let _ = write!(
            text,
            "// Item {n}.\nlet busy_{n}(i) = state[i] == \"busy_{n}\" && count_{n} > {n}\n\
             property mutex_{n} = ltl G !(busy_{n}(0) && busy_{n}(1))\n\
             property served_{n} = ltl over events\n  G (event(request_{n}, id == {n}) ->\n    F (event(reply_{n}) || on(error_{n} == 1)))\n\
             property pattern_{n} = response(busy_{n}(0), busy_{n}(1)) after x_{n} == 1\n\
             property reach_{n} = ctl AG (busy_{n}(2) -> EF (done_{n} == 1))\n\
             property sere_{n} = psl always {{req_{n}; !ack_{n}[*]; ack_{n}}} |=> next! done_{n}\n\n",
        );
    }
    text.truncate(text.trim_end().len() + 1);
    text
}

/// Somebody writes `x && ` behind a piece of the text, letter by letter: broken in between.
fn write_behind(piece: &str, document: &mut Document) {
    let behind = document.text().find(piece).expect("it is long") + piece.len();
    let at = document.lines().position(document.text(), behind);
    let mut slowest = [0.0_f64; 3];
    let mut total = [0.0_f64; 3];
    let mut spent = [0.0_f64; 3];
    let mut timed = |which: usize, work: &mut dyn FnMut()| {
        let (start, before) = (Instant::now(), used());
        work();
        let took = start.elapsed().as_secs_f64() * 1e3;
        spent[which] += used().zip(before).map_or(took, |(after, before)| after - before);
        slowest[which] = slowest[which].max(took);
        total[which] += took;
    };
    let letters = ["x", " ", "&", "&", " "];
    for (n, letter) in letters.into_iter().enumerate() {
        let here = Position::new(at.line, at.character + u32::try_from(n).expect("few"));
        timed(0, &mut || document.replace(Range { start: here, end: here }, letter));
        let behind = Position::new(here.line, here.character + 1);
        timed(1, &mut || drop(diagnostics(document, &mut nothing, None)));
        timed(2, &mut || drop(completions(document, behind, &mut nothing, None)));
    }
    let rounds = letters.len() as f64;
    let keystroke = spent.iter().sum::<f64>() / rounds;
    eprintln!("a keystroke behind `{piece}`: {keystroke:.2} ms of processor time");
    for (which, what) in ["change", "diagnostics", "completion"].into_iter().enumerate() {
        let [mean, used] = [total[which], spent[which]].map(|sum| sum / rounds);
        eprintln!("{what}: {mean:.2} ms on average, {:.2} ms at most; {used:.2} ms of processor time", slowest[which]);
    }
    assert_eq!(diagnostics(document, &mut nothing, None), [], "it is whole again");
}

#[test]
fn a_keystroke_in_a_long_file() {
    let text = long(2_000);
    let mut document = props(&text);
    assert!(document.lines().len() >= 2_000);
    let (start, before) = (Instant::now(), used());
    assert_eq!(diagnostics(&document, &mut nothing, None), []);
    let took = start.elapsed().as_secs_f64() * 1e3;
    let spent_on_it = used().zip(before).map_or(took, |(after, before)| after - before);
    eprintln!("opening: {took:.2} ms; {spent_on_it:.2} ms of processor time");
    write_behind("property mutex_100 = ltl G ", &mut document);
    write_behind("let busy_100(i) = ", &mut document);
    let at = Position::new(500, 10);
    let others: [(&str, &mut dyn FnMut()); 3] = [
        ("hover", &mut || drop(hover(&document, at, &mut nothing, None))),
        ("symbols", &mut || drop(symbols(&document))),
        ("formatting", &mut || drop(format(&document))),
    ];
    for (what, work) in others {
        let start = Instant::now();
        work();
        eprintln!("{what}: {:.2} ms", start.elapsed().as_secs_f64() * 1e3);
    }
    assert_eq!(format(&Document::new(document.language, "a", text.as_str())), None, "it has its form");
}
