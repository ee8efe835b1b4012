//! MONA's own examples, and MONA itself where it is installed: it accepts what is printed, and refuses what is refused.

use std::process::{Command, Stdio};

use posetta_base::Kind;
use posetta_base::{Located, Mistakes};
use posetta_logic::m2l::{Program, read_program};

fn read(source: &str) -> Result<Program, Mistakes<Located>> {
    read_program("test.mona", source, &mut |_, _| Err("there is no such file".into()))
}

fn good(source: &str) -> Program {
    read(source).unwrap_or_else(|mistakes| panic!("{source}: {mistakes:?}"))
}

/// What MONA says about a text; `None` without MONA.
fn mona(source: &str) -> Option<String> {
    let file = std::env::temp_dir().join(format!("posetta-m2l-{}-{:x}.mona", std::process::id(), seed_of(source)));
    std::fs::write(&file, source).expect("the folder for such files is writable");
    let output = Command::new(posetta_peers::mona()?).arg("-q").arg(&file).stdin(Stdio::null()).output();
    let _ = std::fs::remove_file(&file);
    Some(String::from_utf8_lossy(&output.ok()?.stdout).into_owned())
}

fn seed_of(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |h, b| (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3))
}

fn accepts(source: &str) -> Option<bool> {
    mona(source).map(|said| !said.contains("Execution aborted"))
}

#[test]
fn reads_the_examples_of_mona() {
    let Some(folder) = posetta_peers::mona_examples() else { return };
    let folder = std::fs::read_dir(folder).expect("a folder");
    let mut seen = 0;
    for entry in folder.flatten() {
        let path = entry.path();
        if path.extension().is_none_or(|e| e != "mona") {
            continue;
        }
        seen += 1;
        let source = std::fs::read_to_string(&path).expect("examples are text");
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        match read(&source) {
            Ok(program) => {
                assert_eq!(good(&program.to_string()), program, "{name}");
                assert_ne!(accepts(&program.to_string()), Some(false), "{name}\n{program}");
            }
            Err(mistakes) => {
                let unsupported = ["ab1.mona", "ab2.mona", "html.mona"].contains(&&*name);
                assert!(unsupported, "{name}: {mistakes:?}");
                assert!(mistakes.iter().all(|m| m.diagnostic.kind == Kind::Unsupported), "{name}: {mistakes:?}");
            }
        }
    }
    assert!(seen > 10, "{seen}");
}

#[test]
fn agrees_with_mona_on_what_can_be_read() {
    let vars = "var0 a, b; var1 p, q; var2 X, Y; ";
    for source in [
        "p in X & q notin Y;",
        "let0 c = a & b in c;",
        "let0 c = (a & b) in c;",
        "let1 x = p in x in X;",
        "let0 c = ~p in X in c;",
        "p = 5 - 7 + 3;",
        "p = -1;",
        "const N = -2; p + N = 0;",
        "const N = 2 * (3 - -1) / 2; p = N;",
        "p < q < 3;",
        "p = q & q = p;",
        "X = Y = X;",
        "p in X union Y inter X \\ Y;",
        "p + 1 % q = max X + 1;",
        "p - 2 * 3 % (q + 1) = min X union Y;",
        "p + 1 % q % 2 = p;",
        "a = b;",
        "p in {1,...,3, 5, q,...,p};",
        "p in {1,...};",
        "ex1 x where ex1 y: y = x: x = 0;",
        "all1 x where x = 0, y: x = 0 | y= 0;",
        "ex1 x, x: true;",
        "p + q = 2;",
        "p * 2 = 2;",
        "X + 2 = Y - 1;",
        "empty & a;",
        "empty(X) <=> X = empty;",
        "pred t() = true; t & t();",
        "pred t = true; t(1);",
        "pred t(var1 x where x < 3, y, var2 Z) = x in Z; t(1, 2, {3});",
        "pred t(var0 x where x) = x; true;",
        "macro m(var0 x, y) = x & y; m(a, p in X);",
        "X = pconst(5 * 2);",
        "X = pconst(p);",
        "restrict(a) & prefix(b);",
        "verify \"t\" a; verify b; assert a;",
        "allpos X; lastpos p; true;",
        "allpos p; true;",
        "lastpos p; true;",
        "defaultwhere1(x) = x in X; ex1 x: a;",
        "pred t = true; defaultwhere1(x) = x in X;",
        "a => b => a <=> b <=> a | b & a;",
        "~a & ~ex1 x: x = p | b;",
        "true",
        "true;;",
        "1a in X;",
    ] {
        let source = format!("{vars}{source}");
        let Some(theirs) = accepts(&source) else { return };
        assert_eq!(read(&source).is_ok(), theirs, "{source}");
        if theirs {
            let text = good(&source).to_string();
            assert_eq!(accepts(&text), Some(true), "{source}\n{text}");
        }
    }
}

#[test]
fn mona_finds_the_same_in_what_is_printed() {
    let answer = |program: &str| {
        mona(program).map(|said| said.lines().filter(|l| !l.trim().is_empty()).map(str::to_owned).collect::<Vec<_>>())
    };
    for source in
        ["m2l-str; var2 X; max $ in X => ~empty(X);", "m2l-str; var1 p; p + 1 = 0;", "var1 p; p + 1 = 0 | 0 - 0 <= p;"]
    {
        let program: Program = good(source);
        let (Some(first), Some(second)) = (answer(source), answer(&program.to_string())) else {
            return;
        };
        assert_eq!(first, second, "{source}\n{program}");
    }
}
