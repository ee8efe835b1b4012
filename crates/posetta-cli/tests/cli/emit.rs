//! `explain --emit`: files, names, and what is refused; and what is written is compiled, run on random words, and held against the
//! machine that it was written from: all answers after every letter.

use std::collections::HashSet;
use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

use crate::program::Place;
use insta::assert_snapshot;
use posetta_base::{Budget, Number, Value};
use posetta_compile::{Completions, Linear, Machine};
use posetta_logic::eval::Values;
use posetta_logic::{Atoms, Slot, read_props};
use posetta_tell::Named;
use posetta_tell::emit::{Language, Wanted, emit};

const PROPS: &str = "\
property values = ltl G (x == 1 -> F x == 2)
property größe = ltl G (a -> X b)
property ready = ctl EF a
property far = psl never {a; b[->1000000]; c}
property pairs = psl never {c; {a; b}[*200000]; c}
property each = psl always (a -> {b; {c | a; b}[*1000000]; c}!)
foreach k in values(order.id) { property paid = ltl over events G (event(ship) -> O event(pay)) }
foreach k, l in values(order.id) { property apart = ltl over events G !event(ship) }
";

fn place() -> Place {
    Place::with(&[("all.props", PROPS)])
}

#[test]
fn the_table_is_one_object() {
    let seen = place().run(&["explain", "--spec", "all.props", "--property", "values", "--emit", "table"]);
    let object: serde_json::Value = serde_json::from_str(&seen.stdout).unwrap();
    assert_eq!(object["atoms"], serde_json::json!(["x == 1", "x == 2"]));
    let (width, states) = (object["width"].as_u64().unwrap(), object["answers"].as_array().unwrap().len() as u64);
    assert_eq!(object["next"].as_array().unwrap().len() as u64, width * states);
    // Both at once cannot come.
    assert_eq!(object["classes"][3].as_u64(), Some(width));
}

#[test]
fn several_monitors_stand_in_one_file_under_their_names() {
    let place = place();
    let both = ["explain", "--spec", "all.props", "--property", "values", "--property", "größe", "--emit"];
    for (language, name, expected) in [
        ("c", None, ["#ifndef VALUES_H", "#ifndef GR_E_H"]),
        ("c", Some("bus"), ["#ifndef BUS_VALUES_H", "#ifndef BUS_GR_E_H"]),
        ("kernel", Some("bus"), ["struct monitor_bus_values {", "struct monitor_bus_gr_e {"]),
        ("rust", None, ["pub mod values {", "pub mod gr_e {"]),
        ("sv", Some("bus"), ["module bus_values (", "module bus_gr_e ("]),
        ("vhdl", None, ["entity values is", "entity gr_e is"]),
        ("table", None, ["[{\"property\":\"values\"", "\"property\":\"größe\""]),
    ] {
        let name: Vec<&str> = name.map_or_else(Vec::new, |name| vec!["--monitor-name", name]);
        let seen = place.run(&[&both[..], &[language], &name, &["-o", "out"]].concat());
        assert_eq!(seen.status, 0, "{}", seen.shown());
        let text = place.read("out");
        for expected in expected {
            assert!(text.contains(expected), "{language}: {text}");
        }
    }
    // One property under another name; without a name of its own it is a monitor.
    let seen = place.run(&["explain", "G a", "--emit", "rust", "--monitor-name", "wire"]);
    assert!(seen.stdout.starts_with("pub mod wire {"), "{}", seen.shown());
    let seen = place.run(&["explain", "G a", "--emit", "vhdl"]);
    assert!(seen.stdout.contains("entity monitor is"), "{}", seen.shown());
}

/// A monitor of one value does not look like a monitor of the whole stream.
#[test]
fn a_monitor_for_each_value_says_so() {
    for language in ["c", "kernel", "rust", "sv", "vhdl", "table"] {
        let seen = place().run(&["explain", "--spec", "all.props", "--property", "paid", "--emit", language]);
        assert_eq!(seen.status, 0, "{}", seen.shown());
        let expected = if language == "table" {
            r#""each":"foreach k in values(order.id)""#
        } else {
            "one monitor for each value of order.id, which reads only the events that have it"
        };
        assert!(seen.stdout.contains(expected), "{language}: {}", seen.stdout);
    }
}

#[test]
fn what_cannot_be_written_is_refused_with_a_reason() {
    let place = place();
    let mut shown = String::new();
    for args in [
        &["--property", "ready", "--emit", "c"][..],
        &["--property", "far", "--emit", "table"],
        &["--property", "far", "--emit", "kernel"],
        &["--property", "far", "--emit", "sv"],
        &["--property", "pairs", "--emit", "rust"],
        &["--property", "each", "--emit", "c"],
        &["--property", "apart", "--emit", "c"],
        &["--property", "values", "--emit", "c", "--monitor-name", "two words"],
        &["--property", "values", "--emit", "vhdl", "--monitor-name", "signal"],
        &["--property", "values", "--monitor-name", "alone"],
        &["--property", "values", "--emit", "ada"],
    ] {
        let seen = place.run(&[&["explain", "--spec", "all.props"][..], args].concat());
        assert_eq!((seen.status, seen.stdout.as_str()), (2, ""), "{}", seen.shown());
        shown += &format!("$ {}\n{}\n", args.join(" "), seen.stderr);
    }
    assert_snapshot!(shown);
}

const WORDS: usize = 16;
const LENGTH: usize = 14;

fn lcg(mut seed: u64) -> impl FnMut(u64) -> u64 {
    move |n| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) % n
    }
}

/// Few letters, letters that cannot come, events, no letters, more atoms than are looked up directly, more letters than are listed, a
/// monitor written by hand, counts in all the ways that they are kept, and names that no language takes as they are.
fn spec() -> String {
    let wide = (0..13).rev().fold("p13".to_owned(), |rest, i| format!("p{i} U ({rest})"));
    let many: Vec<String> = (0..12).map(|i| format!("G (x == {i} -> WX x == {})", i + 1)).collect();
    let mut text = format!(
        "property plain = ltl G (a -> X b)\n\
         property values = ltl G (x == 1 -> F x == 2)\n\
         property events = ltl over events G (event(send) -> F event(recv)) && !process(Q)\n\
         property past = ltl G (b -> O a)\n\
         property nothing = ltl X true\n\
         property wide = ltl {wide}\n\
         property many = ltl {}\n\
         monitor hand over states {{ initial s; bad t; s -> t: a && !b; t -> s: b }}\n\
         property signal = ltl F (clk && X (state || r0)) -> G signal\n\
         property module = ltl G (module -> F (end || MODULE))\n\
         property type = ltl mode == \"größe */\" R (x < 3 || x >= 5)\n\
         property plain_step = ltl F plain_step\n\
         property plain_2 = ltl G (a || b)\n\
         property Plain = ltl G (a <-> WX b)\n\
         property work = ltl over events G (event(automaton) -> F event(state_max)) && !event(monitor_start)\n\
         property t = ltl over events event(uint8) W event(answer_t)\n",
        many.join(" && ")
    );
    for (i, counted) in [
        "never {a; b[*5]; !b}",
        "never {a; b[->5]; c}",
        "never {a; b[->2:4]; c}",
        "never {a; b[*3:5]; c}",
        "never {a; b[=3]; c}",
        "always (a -> next[4] b)",
        "never {a; b[->4]}",
        "never {a; b[*3:inf]; c}",
        "never {a; b[*1:5]; c}",
        "never {b[*3]; c}",
        "eventually! {a[*4]}",
        "{[*9]}!",
        "{a; b[*2:4]; c}!",
        "{{a; b}[*3]; c}!",
        "never {{a; b[*]; c}[*3]}",
        "never {{a; b[*]; c[->1]}[*1:3]; b}",
        "{a[*2:4]; b[*3:5]; (a && !c) || (b <-> c)}!",
        "never {a; true[*4]; c && a}",
        "never {a; a && b : b[*3]; !b : c}",
        "never {a; (!b)[=3]; c}",
        "never {a; (!(!b))[->3]; c}",
        r#"never {a; $"v0!"[->3]; $"r0_enough"}"#,
        // Whether this is monitorable is not known.
        "{{a | c}[*200000] : {!a[*2]; b}}!",
    ]
    .into_iter()
    .enumerate()
    {
        let _ = writeln!(text, "property counted{i} = psl {counted}");
    }
    let setting = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let (times, seed) = (setting("POSETTA_TIMES").unwrap_or(1).max(1), setting("POSETTA_SEED").unwrap_or(0));
    let mut dice = lcg(42 + seed);
    for i in 0..12 * times {
        let _ = writeln!(text, "property ltl{i} = ltl {}", ltl(&mut dice, 3));
        let _ = writeln!(text, "property formula{i} = psl {}", psl(&mut dice, 3));
        let sere = sere(&mut dice, 2);
        let _ = match dice(4) {
            0 => writeln!(text, "property psl{i} = psl never {{{sere}}}"),
            1 => writeln!(text, "property psl{i} = psl eventually! {{{sere}}}"),
            2 => writeln!(text, "property psl{i} = psl {{{sere}}}!"),
            _ => writeln!(text, "property psl{i} = psl always ({{{sere}}} |=> a)"),
        };
    }
    text
}

fn atom(dice: &mut impl FnMut(u64) -> u64) -> &'static str {
    ["a", "b", "c", "!a", "!b"][dice(5) as usize]
}

fn ltl(dice: &mut impl FnMut(u64) -> u64, depth: usize) -> String {
    if depth == 0 {
        return atom(dice).to_owned();
    }
    let mut part = || ltl(&mut *dice, depth - 1);
    let (one, two) = (part(), part());
    match dice(10) {
        0 => format!("X ({one})"),
        1 => format!("WX ({one})"),
        2 => format!("F ({one})"),
        3 => format!("G ({one})"),
        4 => format!("({one}) U ({two})"),
        5 => format!("({one}) W ({two})"),
        6 => format!("({one}) && ({two})"),
        7 => format!("({one}) || ({two})"),
        8 => format!("O ({one})"),
        _ => format!("({one}) S ({two})"),
    }
}

/// Operators of PSL that are no counts: weak and strong, past their ends and before them.
fn psl(dice: &mut impl FnMut(u64) -> u64, depth: usize) -> String {
    if depth == 0 {
        return atom(dice).to_owned();
    }
    let (one, two) = (psl(&mut *dice, depth - 1), psl(&mut *dice, depth - 1));
    let (b, sere, mark) = (atom(dice), short(dice), if dice(2) == 0 { "!" } else { "" });
    match dice(12) {
        0 => format!("({one}) until{mark} ({two})"),
        1 => format!("({one}) until{mark}_ ({b})"),
        2 => format!("({b}) before{mark} ({one})"),
        3 => format!("({one}) abort {b}"),
        4 => format!("next{mark}[{}] ({one})", dice(3)),
        5 => format!("next_event{mark}({b})[{}]({one})", 1 + dice(2)),
        6 => format!("next_e{mark}[1:{}] ({one})", 1 + dice(3)),
        7 => format!("{{{sere}}} |-> ({one})"),
        8 => format!("{{{sere}}}{mark}"),
        9 => format!("always ({one})"),
        10 => format!("eventually! ({one})"),
        _ => format!("({one}) && !({two})"),
    }
}

/// A short SERE.
fn short(dice: &mut impl FnMut(u64) -> u64) -> String {
    let (a, b, c) = (atom(dice), atom(dice), atom(dice));
    match dice(4) {
        0 => format!("{a}; {b}[*]; {c}"),
        1 => format!("{{{a}; {b}}} && {{{c}[*]}}"),
        2 => format!("{a}; {b} | {c}"),
        _ => format!("{a} : {b}[->]"),
    }
}

fn sere(dice: &mut impl FnMut(u64) -> u64, depth: usize) -> String {
    let (from, more) = (dice(4), dice(3));
    if depth == 0 {
        let atom = atom(dice);
        return match dice(5) {
            0 => format!("{atom}[*{from}:{}]", from + more),
            1 => format!("{atom}[*{}]", from + 1),
            2 => format!("{atom}[*{from}:inf]"),
            3 => format!("{atom}[->{}]", from + 1),
            _ => atom.to_owned(),
        };
    }
    let (one, two) = (sere(dice, depth - 1), sere(dice, depth - 1));
    match dice(5) {
        0 => format!("{{{one}}} | {{{two}}}"),
        1 => format!("{{{one}}}[*{}:{}]", from + 1, from + 1 + more),
        _ => format!("{{{one}}}; {{{two}}}"),
    }
}

struct Zero(Value);

impl Values for Zero {
    fn value(&self, _: Slot) -> &Value {
        &self.0
    }
}

/// A monitor with the words that it reads, and what the machine says: by word and letter the answers, `None` for one that cannot come.
struct Case {
    formula: String,
    /// What is written, and what the monitor is called there.
    text: String,
    id: String,
    atoms: usize,
    words: Vec<Vec<u64>>,
    expected: Vec<Vec<Option<u8>>>,
}

impl Case {
    /// Whether it has an output for what is not known.
    fn is_unsure(&self) -> bool {
        self.text.contains("unsure")
    }
}

/// With more atoms letters that cannot come are not told from others.
const DIRECT: usize = 10;

/// It is not known whether a prefix is monitorable.
const UNSURE: u8 = 16;

/// Letters of few atoms, so that some of them can come where most cannot.
fn letter(atoms: usize, dense: u64, dice: &mut impl FnMut(u64) -> u64) -> u64 {
    match (atoms, dice(3)) {
        (0, _) => 0,
        (_, 0) => dice(1 << atoms),
        (1..=3, _) => (0..atoms).fold(0, |letter, i| letter | u64::from(dice(8) < dense) << i),
        _ => 1 << dice(atoms as u64),
    }
}

/// A file with all monitors that can be written in a language, and what each of them should say. Letters that cannot come are left out
/// where they are not told from others.
fn cases(language: Language) -> (String, Vec<Case>) {
    let (budget, mut dice) = (Budget::unlimited(), lcg(11));
    let wanted = Wanted { most_states: 0, ..Wanted::new(language) };
    let all = read_props(&spec()).unwrap_or_else(|mistakes| panic!("{mistakes:?}"));
    let mut named: Vec<Named> = all.into_iter().map(|property| Named::new("all.props", property)).collect();
    if language == Language::Kernel {
        named.retain(|one| emit(std::slice::from_ref(one), wanted, &budget).is_ok());
    }
    let file = emit(&named, wanted, &budget).unwrap_or_else(|refused| panic!("{refused:?}"));
    // Where each monitor starts, and how the line ends that has its name.
    let (start, before, behind) = match language {
        Language::C | Language::Kernel => ("/* The monitor of `", "#ifndef ", "_H"),
        Language::Rust => ("pub mod ", "pub mod ", " {"),
        Language::SystemVerilog => ("// The monitor of `", "module ", " ("),
        Language::Vhdl => ("-- The monitor of `", "entity ", " is"),
        Language::Table => panic!("a table has no monitors"),
    };
    let mut texts: Vec<String> = Vec::new();
    for line in file.lines() {
        if line.starts_with(start) {
            texts.push(String::new());
        }
        *texts.last_mut().unwrap() += &format!("{line}\n");
    }
    assert_eq!(texts.len(), named.len());
    let mut cases = Vec::new();
    for (one, text) in named.into_iter().zip(texts) {
        let mut names = text.lines().filter_map(|line| line.strip_prefix(before)?.strip_suffix(behind));
        let id = names.next().expect("its name").to_ascii_lowercase();
        let mut atoms = Atoms::default();
        let (view, linear) = Linear::of(&one.property.formula, &mut atoms, &budget).unwrap().unwrap();
        let mut machine = Machine::of_letters(&linear, &atoms, view, Completions::Both, false, &budget).unwrap();
        let atoms = atoms.atoms().len();
        let (mut words, mut expected) = (Vec::new(), Vec::new());
        for _ in 0..WORDS {
            let (mut word, mut told) = (Vec::new(), Vec::new());
            let (mut place, dense) = (machine.start(), 1 + dice(7));
            while word.len() < LENGTH {
                let letter = letter(atoms, dense, &mut dice);
                let vector: Vec<bool> = (0..atoms).map(|i| letter >> i & 1 == 1).collect();
                match machine.step(&place, &vector, &Zero(Value::Number(Number::ZERO)), &budget) {
                    Ok(next) => {
                        place = next;
                        let answers = machine.answers(&place);
                        told.push(Some(answers.code() | if answers.monitorable.is_none() { UNSURE } else { 0 }));
                        word.push(letter);
                    }
                    Err(_) if atoms <= DIRECT => {
                        told.push(None);
                        word.push(letter);
                    }
                    Err(_) => {}
                }
            }
            words.push(word);
            expected.push(told);
        }
        cases.push(Case { formula: one.formula, text, id, atoms, words, expected });
    }
    (file, cases)
}

/// What came out, a line for each letter: the number of the monitor, and its answers or `-`.
fn compare(cases: &[Case], seen: &str) {
    let mut all: Vec<Vec<&str>> = vec![Vec::new(); cases.len()];
    for line in seen.lines() {
        let (place, told) = line.trim().split_once(' ').unwrap_or_else(|| panic!("`{line}`"));
        all[place.parse::<usize>().unwrap()].push(told.trim());
    }
    let mut answers = HashSet::new();
    for (case, seen) in cases.iter().zip(all) {
        assert_eq!(seen.len(), WORDS * LENGTH, "{}", case.formula);
        for (w, (word, told)) in case.words.iter().zip(&case.expected).enumerate() {
            let told: Vec<String> = told.iter().map(|t| t.map_or("-".to_owned(), |code| code.to_string())).collect();
            assert_eq!(seen[w * LENGTH..][..LENGTH], told, "{} on {word:?}", case.formula);
            answers.extend(told);
        }
    }
    assert!(answers.len() >= 6, "too few kinds of answers: {answers:?}");
}

fn ran(dir: &Path, command: &str) -> String {
    let mut words = command.split_ascii_whitespace();
    let mut process = Command::new(words.next().unwrap());
    let output = process.args(words).current_dir(dir).output().unwrap_or_else(|e| panic!("{command}: {e}"));
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && errors.is_empty(), "in {}, {command}: {errors}", dir.display());
    String::from_utf8(output.stdout).unwrap()
}

fn flat(words: &[Vec<u64>]) -> impl Iterator<Item = u64> + '_ {
    words.iter().flatten().copied()
}

/// Whether counters were written: with numbers alone, and with bits.
fn counted(cases: &[Case]) {
    let (bits, numbers): (Vec<_>, Vec<_>) = cases
        .iter()
        .filter(|case| case.text.contains("matched"))
        .partition(|case| case.text.contains("_bits[") || case.text.contains("_moved") || case.text.contains("Set"));
    assert!(numbers.len() >= 8 && bits.len() >= 8, "{} with numbers, {} with bits", numbers.len(), bits.len());
}

/// Writes lists of letters, one for each monitor.
fn lists(cases: &[Case], open: &str, close: &str) -> String {
    let list = |case: &Case| flat(&case.words).map(|letter| format!("{letter}, ")).collect::<String>();
    cases.iter().map(|case| format!("{open}{}{close},\n", list(case))).collect()
}

#[test]
fn c_does_what_the_machine_does_and_cpp_takes_it() {
    let (file, cases) = cases(Language::C);
    counted(&cases);
    let unsure = |told: &Option<u8>| told.is_some_and(|code| code & UNSURE > 0);
    assert!(cases.iter().any(|case| case.expected.iter().flatten().any(unsure)));
    let mut main = String::from("#include \"all.h\"\n#include <stdio.h>\n");
    let _ = writeln!(
        main,
        "#define RUN(n, p) do {{ \\
    for (unsigned w = 0; w < {WORDS}; w++) {{ \\
        p##_state m; \\
        p##_init(&m); \\
        for (unsigned i = 0; i < {LENGTH}; i++) {{ \\
            p##_letter letter = {{{{words[n][w * {LENGTH} + i]}}}}; \\
            if (!p##_step(&m, letter)) printf(\"%d -\\n\", n); else printf(\"%d %u\\n\", n, (unsigned)p##_answers(&m)); \\
        }} \\
    }} \\
}} while (0)
static const uint64_t words[{}][{}] = {{",
        cases.len(),
        WORDS * LENGTH
    );
    main += &lists(&cases, "{", "}");
    main.push_str("};\nint main(void) {\n");
    for (i, case) in cases.iter().enumerate() {
        let _ = writeln!(main, "    RUN({i}, {});", case.id);
    }
    main.push_str("    return 0;\n}\n");
    let place = tempfile::tempdir().unwrap();
    let dir = place.path();
    std::fs::write(dir.join("all.h"), file).unwrap();
    std::fs::write(dir.join("main.c"), main).unwrap();
    let strict = "-Wall -Wextra -Wconversion -pedantic -Werror main.c";
    ran(dir, &format!("gcc -std=c99 -Wshadow -Wundef -O0 {strict} -o main"));
    compare(&cases, &ran(dir, dir.join("main").to_str().unwrap()));
    // Nothing of the standard library but types: a freestanding compiler takes it.
    std::fs::write(dir.join("alone.c"), "#include \"all.h\"\n#include \"all.h\"\n").unwrap();
    ran(dir, "gcc -std=c99 -ffreestanding -Wall -Wextra -Wconversion -Werror -fsyntax-only alone.c");
    if posetta_peers::cpp().is_some() {
        ran(dir, &format!("g++ -x c++ -std=c++11 -fsyntax-only {strict}"));
    }
}

#[test]
fn rust_does_what_the_machine_does() {
    let (file, cases) = cases(Language::Rust);
    let mut main = String::from("mod all;\n");
    let _ = writeln!(main, "static WORDS: [[u64; {}]; {}] = [", WORDS * LENGTH, cases.len());
    main += &lists(&cases, "[", "]");
    main.push_str("];\nfn main() {\n");
    for (i, case) in cases.iter().enumerate() {
        let _ = writeln!(
            main,
            "    for word in WORDS[{i}].chunks({LENGTH}) {{
        let mut m = all::{p}::Monitor::new();
        for &letter in word {{
            match m.step(letter as all::{p}::Letter) {{
                None => println!(\"{i} -\"),
                Some(a) => println!(\"{i} {{}}\", a.satisfied as u8 | (a.verdict as u8) << 1
                    | a.monitorable.map_or(16, |m| (m as u8) << 3)),
            }}
        }}
    }}",
            p = case.id
        );
    }
    main.push_str("}\n");
    let place = tempfile::tempdir().unwrap();
    let dir = place.path();
    std::fs::write(dir.join("all.rs"), file).unwrap();
    std::fs::write(dir.join("main.rs"), main).unwrap();
    let rustc = std::env::var("RUSTC").unwrap_or_else(|_| "rustc".to_owned());
    ran(dir, &format!("{rustc} --edition 2021 -Dwarnings -Cdebuginfo=0 main.rs -o main"));
    compare(&cases, &ran(dir, dir.join("main").to_str().unwrap()));
}

#[test]
fn system_verilog_does_what_the_machine_does() {
    let Some(_) = posetta_peers::iverilog() else { return };
    let (file, cases) = cases(Language::SystemVerilog);
    counted(&cases);
    let place = tempfile::tempdir().unwrap();
    let dir = place.path();
    let total = WORDS * LENGTH;
    let (mut decls, mut init, mut drive, mut garbage, mut print) =
        (String::new(), String::new(), String::new(), String::new(), String::new());
    let (mut unknown, mut refused) = (String::new(), String::new());
    for (i, case) in cases.iter().enumerate() {
        let hex: Vec<String> = flat(&case.words).map(|letter| format!("{letter:x}")).collect();
        std::fs::write(dir.join(format!("{i}.hex")), hex.join("\n")).unwrap();
        let ports: String = (0..case.atoms).map(|a| format!("l{i}[{a}], ")).collect();
        let unsure = case.is_unsure();
        let out = if unsure { format!("o{i}[4], ") } else { String::new() };
        let en = if ports.is_empty() { "en && !odd" } else { "en" };
        let _ = writeln!(
            decls,
            "    reg [63:0] m{i} [0:{}]; reg [63:0] l{i}; wire [5:0] o{i};
    {} u{i}(clk, rst, {en}, {ports}o{i}[0], o{i}[1], o{i}[2], o{i}[3], {out}o{i}[5]);",
            total - 1,
            case.id
        );
        if !ports.is_empty() {
            let _ = writeln!(unknown, "                l{i} = 64'bx;");
            let _ = writeln!(refused, "                if (o{i}[5] !== 1'b1) $display(\"{i} x is read\");");
        }
        if !unsure {
            let _ = writeln!(decls, "    assign o{i}[4] = 1'b0;");
        }
        let _ = writeln!(init, "        $readmemh(\"{i}.hex\", m{i});");
        let _ = writeln!(drive, "                l{i} = m{i}[w * {LENGTH} + i];");
        let _ = writeln!(garbage, "                l{i} = ~m{i}[w * {LENGTH} + i];");
        let _ =
            writeln!(print, "                if (o{i}[5]) $display(\"{i} -\"); else $display(\"{i} %0d\", o{i}[4:0]);");
    }
    // What is there while en is 0 is not read, nor is x.
    let bench = format!(
        "module tb;
    reg clk = 0, rst = 1, en = 0, odd = 0;
    integer w, i;
{decls}
    initial begin
{init}        for (w = 0; w < {WORDS}; w = w + 1) begin
            rst = 1; en = 1; #1 clk = 1; #1 clk = 0; rst = 0;
            for (i = 0; i < {LENGTH}; i = i + 1) begin
                en = 0;
{garbage}                #1 clk = 1; #1 clk = 0; en = 1; odd = 1;
{unknown}                #1 clk = 1; #1 clk = 0; #1;
{refused}                odd = 0;
{drive}                #1 clk = 1; #1 clk = 0; #1;
{print}            end
        end
        $finish;
    end
endmodule
"
    );
    std::fs::write(dir.join("all.sv"), file).unwrap();
    std::fs::write(dir.join("tb.sv"), bench).unwrap();
    ran(dir, "iverilog -g2012 -Wall -Wno-timescale -o tb all.sv tb.sv");
    compare(&cases, &ran(dir, "vvp -n tb"));
}

#[test]
fn vhdl_does_what_the_machine_does() {
    let Some(_) = posetta_peers::ghdl() else { return };
    let (file, cases) = cases(Language::Vhdl);
    let place = tempfile::tempdir().unwrap();
    let dir = place.path();
    let total = WORDS * LENGTH;
    let (mut decls, mut units, mut drive, mut garbage, mut print) =
        (String::new(), String::new(), String::new(), String::new(), String::new());
    let (mut unknown, mut refused) = (String::new(), String::new());
    for (i, case) in cases.iter().enumerate() {
        let atoms = case.atoms;
        let unsure = case.is_unsure();
        let wide = atoms.max(1);
        let words: Vec<String> = flat(&case.words).map(|letter| format!("\"{letter:0wide$b}\"")).collect();
        let _ = writeln!(
            decls,
            "    type t{i} is array (0 to {}) of std_logic_vector({} downto 0);
    constant m{i} : t{i} := ({});
    signal l{i} : std_logic_vector({1} downto 0);
    signal o{i} : std_logic_vector(5 downto 0) := \"000000\";",
            total - 1,
            wide - 1,
            words.join(", ")
        );
        let ports: String = (0..atoms).map(|a| format!("l{i}({a}), ")).collect();
        let out = if unsure { format!("o{i}(4), ") } else { String::new() };
        let en = if ports.is_empty() { "even" } else { "en" };
        if !ports.is_empty() {
            let _ = writeln!(unknown, "                l{i} <= (others => 'X');");
            let _ = writeln!(refused, "                assert o{i}(5) = '1' report \"X is read\" severity failure;");
        }
        let _ = writeln!(
            units,
            "    u{i} : entity work.{} port map (clk, rst, {en}, {ports}o{i}(0), o{i}(1), o{i}(2), o{i}(3), {out}o{i}(5));",
            case.id
        );
        let _ = writeln!(drive, "                l{i} <= m{i}(w * {LENGTH} + i);");
        let _ = writeln!(garbage, "                l{i} <= not m{i}(w * {LENGTH} + i);");
        let _ = writeln!(print, "                show({i}, o{i});");
    }
    let bench = format!(
        "library ieee;
use ieee.std_logic_1164.all;
use ieee.numeric_std.all;
use std.textio.all;
entity tb is end entity;
architecture test of tb is
    signal clk, rst, en, even : std_logic := '0';
{decls}begin
{units}    process
        procedure tick is
        begin
            wait for 1 ns; clk <= '1'; wait for 1 ns; clk <= '0'; wait for 1 ns;
        end procedure;
        procedure show(n : natural; o : std_logic_vector(5 downto 0)) is
            variable text : line;
        begin
            write(text, n);
            if o(5) = '1' then
                write(text, string'(\" -\"));
            else
                write(text, string'(\" \"));
                write(text, to_integer(unsigned(o(4 downto 0))));
            end if;
            writeline(output, text);
        end procedure;
    begin
        for w in 0 to {} loop
            rst <= '1'; en <= '1'; tick; rst <= '0';
            for i in 0 to {} loop
                en <= '0';
{garbage}                tick; en <= '1';
{unknown}                tick;
{refused}                even <= '1';
{drive}                tick; even <= '0';
{print}            end loop;
        end loop;
        wait;
    end process;
end architecture;
",
        WORDS - 1,
        LENGTH - 1
    );
    std::fs::write(dir.join("all.vhd"), file).unwrap();
    std::fs::write(dir.join("tb.vhd"), bench).unwrap();
    ran(dir, "ghdl -a --std=93 all.vhd tb.vhd");
    ran(dir, "ghdl -e --std=93 tb");
    compare(&cases, &ran(dir, "ghdl -r --std=93 tb --ieee-asserts=disable-at-0"));
}

/// Two tasks take turns, each with a monitor of its own.
#[test]
fn automata_for_tasks_do_what_the_machine_does() {
    let (file, cases) = cases(Language::Kernel);
    assert!(cases.len() > 25, "only {}", cases.len());
    let mut main = String::from("#include \"all.h\"\n#include <stdio.h>\n#include <string.h>\n");
    let _ = writeln!(
        main,
        "#define RUN(n, p, P) do {{ \\
    if (strlen(automaton_##p.event_names[0]) == 0u || strlen(automaton_##p.state_names[0]) == 0u) return 1; \\
    for (unsigned w = 0; w < {WORDS}; w += 2) {{ \\
        struct {{ unsigned pid; struct monitor_##p mon; unsigned told[{LENGTH}]; }} task[2]; \\
        for (unsigned t = 0; t < 2; t++) {{ \\
            monitor_reset_##p(&task[t].mon); \\
            if (!monitor_handle_event_##p(&task[t].mon, (enum events_##p)0)) return 2; \\
            monitor_start_##p(&task[t].mon); \\
        }} \\
        for (unsigned i = 0; i < {LENGTH}; i++) {{ \\
            for (unsigned t = 0; t < 2; t++) {{ \\
                const unsigned event = event_of_##p((uint32_t)words[n][(w + t) * {LENGTH} + i]); \\
                unsigned before = task[t].mon.curr_state; \\
                bool fine = monitor_handle_event_##p(&task[t].mon, (enum events_##p)event); \\
                bool taken = event < (unsigned)event_max_##p \\
                    && automaton_##p.function[before][event] != INVALID_STATE_##P; \\
                task[t].told[i] = taken ? monitor_answers_##p(&task[t].mon) : 99u; \\
                if (taken && fine != ((task[t].told[i] & P##_VIOLATED) == 0)) return 3; \\
                if (!taken && (fine || task[t].mon.curr_state != before)) return 5; \\
                if (automaton_##p.final_states[task[t].mon.curr_state] != ((monitor_answers_##p(&task[t].mon) & 1u) == 1u)) \\
                    return 4; \\
            }} \\
        }} \\
        for (unsigned t = 0; t < 2; t++) \\
            for (unsigned i = 0; i < {LENGTH}; i++) \\
                if (task[t].told[i] == 99u) printf(\"%d -\\n\", n); else printf(\"%d %u\\n\", n, task[t].told[i]); \\
    }} \\
}} while (0)
static const uint64_t words[{}][{}] = {{",
        cases.len(),
        WORDS * LENGTH
    );
    main += &lists(&cases, "{", "}");
    main.push_str("};\nint main(void) {\n");
    for (i, case) in cases.iter().enumerate() {
        let id = &case.id;
        let _ = writeln!(main, "    RUN({i}, {id}, {});", id.to_ascii_uppercase());
    }
    main.push_str("    return 0;\n}\n");
    let place = tempfile::tempdir().unwrap();
    let dir = place.path();
    std::fs::write(dir.join("all.h"), file).unwrap();
    std::fs::write(dir.join("main.c"), main).unwrap();
    ran(dir, "gcc -std=c99 -O0 -Wall -Wextra -pedantic -Werror main.c -o main");
    compare(&cases, &ran(dir, dir.join("main").to_str().unwrap()));
}

/// A million attempts at the same time, one bit for each; and a count that 32 bits do not hold.
#[test]
fn large_counts_are_counted() {
    let spec = "property burst = psl never {a; b[->1000000]; c}\nproperty long = psl {[*4294967295]}!\n";
    let named: Vec<Named> = read_props(spec).unwrap().into_iter().map(|p| Named::new("x.props", p)).collect();
    let text = emit(&named, Wanted::new(Language::C), &Budget::unlimited()).unwrap();
    assert!(text.len() < 20_000, "{} characters", text.len());
    // Every third letter is an a, then come two b; c comes before the count is full, and after.
    let main = "#include \"all.h\"
static burst_state m;
int main(void) {
    long_state n;
    burst_init(&m);
    long_init(&n);
    for (uint32_t i = 0; i < 3000000u; i++) {
        const bool c = (i == 1499997u) || (i == 1500000u) || (i == 2000000u);
        burst_letter letter = {{(i % 3u == 0u ? 1u : 2u) | (c ? 4u : 0u)}};
        const bool met = i >= 1500000u;
        long_letter any = {{0u}};
        burst_step(&m, letter);
        long_step(&n, any);
        if (burst_violated(&m) != met || burst_satisfied(&m) == met || burst_holds(&m) || !burst_monitorable(&m)) return 1;
    }
    if (long_answers(&n) != LONG_MONITORABLE) return 2;
    n.r0 = 4294967295u;
    long_step(&n, (long_letter){{0u}});
    if (!long_holds(&n)) return 3;
    return 0;
}
";
    let place = tempfile::tempdir().unwrap();
    let dir = place.path();
    std::fs::write(dir.join("all.h"), text).unwrap();
    std::fs::write(dir.join("main.c"), main).unwrap();
    ran(dir, "gcc -std=c99 -O1 -Wall -Wextra -Wconversion -pedantic -Werror main.c -o main");
    ran(dir, dir.join("main").to_str().unwrap());
}
