//! What `explain --emit` writes is compiled, run, and held against the machine that it was written from.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use posetta_base::{Budget, Number, Value};
use posetta_compile::{Answers, Completions, Linear, Machine, Prospect};
use posetta_logic::eval::Values;
use posetta_logic::{Atoms, Slot, read_props};

/// Few letters, letters that cannot come, events, more atoms than are looked up directly, more letters than are listed, a monitor
/// written by hand.
fn spec() -> String {
    let wide = (0..13).rev().fold("p13".to_owned(), |rest, i| format!("p{i} U ({rest})"));
    let many: Vec<String> = (0..12).map(|i| format!("G (x == {i} -> WX x == {})", i + 1)).collect();
    format!(
        "property plain = ltl G (a -> X b)\n\
         property values = ltl G (x == 1 -> F x == 2)\n\
         property events = ltl over events G (event(send) -> F event(recv)) && !process(Q)\n\
         property past = ltl G (b -> O a)\n\
         property wide = ltl {wide}\n\
         property many = ltl {}\n\
         monitor hand over states {{ initial s; bad t; s -> t: a && !b; t -> s: b }}\n",
        many.join(" && ")
    )
}

struct Zero(Value);

impl Values for Zero {
    fn value(&self, _: Slot) -> &Value {
        &self.0
    }
}

fn words(atoms: usize) -> Vec<Vec<u32>> {
    let mut seed = 11u64;
    let mut dice = || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as u32
    };
    // Sparse letters, so that some of them can come where most cannot.
    (0..40)
        .map(|_| {
            (0..8)
                .map(|_| {
                    if dice() % 3 == 0 {
                        dice() % (1 << atoms)
                    } else {
                        1 << (dice() as usize % atoms) & ((1 << atoms) - 1)
                    }
                })
                .collect()
        })
        .collect()
}

fn shown(answers: Answers) -> String {
    let verdict = match answers.prospect {
        Prospect::Open => 0,
        Prospect::Holds => 1,
        Prospect::Violated => 2,
    };
    format!("{}{verdict}{}", u8::from(answers.satisfied), u8::from(answers.monitorable == Some(true)))
}

/// What the machine says: words, and the answers after each of their letters, `-` for one that cannot come. With more atoms than are
/// looked up directly such letters are not told from others, and left out here.
fn expected(name: &str, spec: &str) -> (Vec<Vec<u32>>, String) {
    let properties = read_props(spec).unwrap();
    let property = properties.iter().find(|p| p.name.as_deref() == Some(name)).unwrap();
    let mut atoms = Atoms::default();
    let (view, linear) = Linear::of(&property.formula, &mut atoms, &Budget::unlimited()).unwrap().unwrap();
    let budget = Budget::unlimited();
    let mut machine = Machine::of_letters(&linear, &atoms, view, Completions::Both, &budget).unwrap();
    let count = atoms.atoms().len();
    let mut out = String::new();
    let mut all = words(count);
    for word in &mut all {
        let mut place = machine.start();
        word.retain(|letter| {
            let vector: Vec<bool> = (0..count).map(|i| letter >> i & 1 == 1).collect();
            match machine.step(&place, &vector, &Zero(Value::Number(Number::ZERO)), &budget) {
                Ok(next) => {
                    place = next;
                    let _ = write!(out, "{} ", shown(machine.answers(&place)));
                    true
                }
                Err(_) if name == "many" => false,
                Err(_) => {
                    out.push_str("- ");
                    true
                }
            }
        });
        out.push('\n');
    }
    (all, out)
}

const NAMES: [&str; 7] = ["plain", "values", "events", "past", "wide", "many", "hand"];

fn emitted(dir: &Path, name: &str, language: &str) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_posetta"))
        .args(["explain", "--spec", "all.props", "--property", name, "--emit", language])
        .current_dir(dir)
        .output()
        .unwrap();
    assert!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn folder(name: &str) -> PathBuf {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&dir).unwrap();
    std::fs::write(dir.join("all.props"), spec()).unwrap();
    dir
}

fn ran(command: &mut Command) -> String {
    let output = command.output().unwrap_or_else(|e| panic!("{command:?}: {e}"));
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn what_is_written_in_rust_does_what_the_machine_does() {
    let dir = folder("emit-rust");
    let (mut main, mut told) = (String::new(), String::new());
    let mut body = String::new();
    for name in NAMES {
        std::fs::write(dir.join(format!("{name}.rs")), emitted(&dir, name, "rust")).unwrap();
        let (all, answers) = expected(name, &spec());
        told.push_str(&answers);
        let _ = writeln!(main, "mod {name};");
        for word in all {
            let _ = writeln!(
                body,
                "    let mut m = {name}::Monitor::new();
    for letter in {word:?} as [u32; {}] {{
        match m.step(letter as {name}::Letter) {{
            None => print!(\"- \"),
            Some(a) => print!(\"{{}}{{}}{{}} \", a.satisfied as u8, a.verdict as u8, a.monitorable as u8),
        }}
    }}
    println!();",
                word.len()
            );
        }
    }
    std::fs::write(dir.join("main.rs"), format!("{main}fn main() {{\n{body}}}\n")).unwrap();
    let rustc = std::env::var("RUSTC").unwrap_or_else(|_| "rustc".to_owned());
    ran(Command::new(rustc).args(["--edition", "2021", "-Dwarnings", "main.rs", "-o", "main"]).current_dir(&dir));
    let ran = ran(&mut Command::new(dir.join("main")));
    for (line, (left, right)) in ran.lines().zip(told.lines()).enumerate() {
        assert_eq!(left, right, "{}, word {}", NAMES[line / 40], line % 40);
    }
    assert_eq!(ran.lines().count(), told.lines().count());
}

#[test]
fn what_is_written_in_c_does_what_the_machine_does() {
    let dir = folder("emit-c");
    let (mut main, mut told, mut body) = (String::from("#include <stdio.h>\n"), String::new(), String::new());
    for name in NAMES {
        std::fs::write(dir.join(format!("{name}.h")), emitted(&dir, name, "c")).unwrap();
        let (all, answers) = expected(name, &spec());
        told.push_str(&answers);
        let _ = writeln!(main, "#include \"{name}.h\"");
        for word in all {
            let list: Vec<String> = word.iter().map(|l| format!("{l}u, ")).collect();
            let _ = writeln!(
                body,
                "    {{
        static const unsigned word[] = {{{} 0}};
        {name} m = {{0}};
        for (unsigned i = 0; i + 1 < sizeof word / sizeof *word; i++) {{
            {name}_letter letter = {{{{word[i]}}}};
            if (!{name}_step(&m, letter)) printf(\"- \");
            else printf(\"%d%d%d \", {name}_satisfied(&m), (int){name}_verdict_of(&m), {name}_monitorable(&m));
        }}
        printf(\"\\n\");
    }}",
                list.concat()
            );
        }
    }
    std::fs::write(dir.join("main.c"), format!("{main}int main(void) {{\n{body}    return 0;\n}}\n")).unwrap();
    ran(Command::new("cc").args(["-std=c99", "-Wall", "-Wextra", "-Werror", "main.c", "-o", "main"]).current_dir(&dir));
    let ran = ran(&mut Command::new(dir.join("main")));
    for (line, (left, right)) in ran.lines().zip(told.lines()).enumerate() {
        assert_eq!(left, right, "{}, word {}", NAMES[line / 40], line % 40);
    }
    assert_eq!(ran.lines().count(), told.lines().count());
}

#[test]
fn the_table_is_one_object() {
    let dir = folder("emit-table");
    let object: serde_json::Value = serde_json::from_str(&emitted(&dir, "values", "table")).unwrap();
    assert_eq!(object["atoms"], serde_json::json!(["x == 1", "x == 2"]));
    let (width, states) = (object["width"].as_u64().unwrap(), object["answers"].as_array().unwrap().len() as u64);
    assert_eq!(object["next"].as_array().unwrap().len() as u64, width * states);
    // Both at once cannot come.
    assert_eq!(object["classes"][3].as_u64(), Some(width));
}
