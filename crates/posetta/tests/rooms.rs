//! The direction of the house is a test: which room may name which, checked against the `crate::` paths in the sources.
//!
//! Read the table as the architecture. A room that is not in it does not exist, and a room may always name itself.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

const ROOMS: [(&str, &[&str]); 11] = [
    ("base", &[]),
    ("dd", &["base"]),
    ("trace", &["base"]),
    ("logic", &["base", "trace"]),
    ("automata", &["base", "dd"]),
    ("compile", &["base", "dd", "logic", "automata"]),
    ("model", &["base", "logic", "compile"]),
    ("check", &["base", "dd", "trace", "logic", "automata", "compile"]),
    ("monitor", &["base", "dd", "trace", "logic", "automata", "compile"]),
    ("verify", &["base", "dd", "trace", "logic", "automata", "model", "compile"]),
    ("formats", &["base", "trace", "logic"]),
];

fn source_dir() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

fn files(dir: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(dir).expect("the sources are readable") {
        let path = entry.expect("the sources are readable").path();
        if path.is_dir() {
            files(&path, found);
        } else if path.extension().is_some_and(|e| e == "rs") {
            found.push(path);
        }
    }
}

/// Every source file with its room and its text without comments and unit tests.
fn sources() -> Vec<(String, PathBuf, String)> {
    let root = source_dir();
    let mut paths = Vec::new();
    files(&root, &mut paths);
    paths.sort();
    let mut sources = Vec::new();
    for path in paths {
        let inside = path.strip_prefix(&root).expect("found below the root").to_owned();
        let room = inside.iter().next().expect("a file has a name").to_string_lossy().into_owned();
        if room == "lib.rs" {
            continue;
        }
        let text = fs::read_to_string(&path).expect("the sources are readable");
        // Unit tests may read a run from text wherever they stand; what is shipped may not.
        let shipped = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
        let code: Vec<&str> = shipped.lines().map(|l| l.split("//").next().unwrap_or_default()).collect();
        sources.push((room, inside, code.join("\n")));
    }
    sources
}

/// The rooms named behind `crate::` in a text, also inside `crate::{…}`.
fn named_rooms(code: &str) -> Vec<String> {
    let mut rooms = Vec::new();
    for (at, _) in code.match_indices("crate::") {
        let rest = &code[at + "crate::".len()..];
        let ident =
            |s: &str| s.trim_start().chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect::<String>();
        match rest.strip_prefix('{') {
            None => rooms.push(ident(rest)),
            Some(list) => {
                let mut depth = 0;
                let mut start = true;
                for (i, c) in list.char_indices() {
                    if depth == 0 && start && c.is_alphabetic() {
                        rooms.push(ident(&list[i..]));
                        start = false;
                    }
                    match c {
                        '{' => depth += 1,
                        '}' if depth == 0 => break,
                        '}' => depth -= 1,
                        ',' if depth == 0 => start = true,
                        _ => {}
                    }
                }
            }
        }
    }
    rooms
}

#[test]
fn rooms_use_only_what_the_table_allows() {
    let allowed: BTreeMap<&str, &[&str]> = ROOMS.into_iter().collect();
    let mut trespasses = Vec::new();
    for (room, path, code) in sources() {
        let Some(may_use) = allowed.get(room.as_str()) else {
            trespasses.push(format!("{}: the room `{room}` is not in the table", path.display()));
            continue;
        };
        for named in named_rooms(&code) {
            if named != room && !may_use.contains(&named.as_str()) {
                trespasses.push(format!("{}: `{room}` may not use `{named}`", path.display()));
            }
        }
    }
    assert!(trespasses.is_empty(), "{}", trespasses.join("\n"));
}

#[test]
fn every_room_of_the_table_exists_and_the_test_can_see_names() {
    for (room, _) in ROOMS {
        assert!(source_dir().join(room).is_dir(), "{room}");
    }
    assert_eq!(named_rooms("use crate::base::X; use crate::{logic::{A, b::C}, trace};"), ["base", "logic", "trace"]);
    assert!(sources().iter().any(|(room, _, code)| room == "check" && named_rooms(code).contains(&"logic".to_owned())));
}

/// The library reads bytes and returns data; terminal, paths, clock and environment belong to the program.
#[test]
fn the_library_touches_neither_terminal_nor_clock_nor_environment() {
    let forbidden = [
        "std::env",
        "std::fs",
        "std::path",
        "std::process",
        "std::time",
        "std::net",
        "println!",
        "eprintln!",
        "stdout(",
    ];
    let mut trespasses = Vec::new();
    for (_, path, code) in sources() {
        for word in forbidden {
            if code.contains(word) {
                trespasses.push(format!("{}: {word}", path.display()));
            }
        }
    }
    assert!(trespasses.is_empty(), "{}", trespasses.join("\n"));
}

/// Long files hide things. Past a thousand lines: split.
#[test]
fn files_are_short_and_named_for_what_they_hold() {
    for (_, path, code) in sources() {
        assert!(code.lines().count() <= 1000, "{} is too long", path.display());
        let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        assert!(!["util", "utils", "helpers", "misc", "common"].contains(&stem.as_str()), "{}", path.display());
    }
}
