//! The house holds its own rules: the table of rooms in ARCHITECTURE.md is what Cargo enforces, libraries stay away from the
//! terminal, and files stay short.
//!
//! A room is a crate, so the direction itself needs no test: a room cannot name what its manifest does not list.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

fn crates() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the crate lies among others").to_owned()
}

/// `posetta-check` is the room `check`.
fn room_of(package: &str) -> &str {
    package.strip_prefix("posetta-").unwrap_or(package)
}

/// Every row of the table in ARCHITECTURE.md: a room and what it may use.
fn table() -> BTreeMap<String, Vec<String>> {
    let page = crates().parent().expect("the workspace").join("ARCHITECTURE.md");
    let text = fs::read_to_string(page).expect("ARCHITECTURE.md is readable");
    let rows = text.lines().skip_while(|line| !line.starts_with("| room |")).skip(2).take_while(|l| l.starts_with('|'));
    rows.map(|row| {
        let mut cells = row.trim_matches('|').split('|').map(str::trim);
        let room = cells.next().expect("a first cell").trim_matches('`').to_owned();
        let uses = cells.next_back().expect("a last cell");
        let names = uses.split(", ").map(|name| name.trim_matches('`').to_owned());
        (room, names.filter(|name| name != "–").collect())
    })
    .collect()
}

/// The crates of the workspace that a manifest lists under `[dependencies]`.
fn dependencies(manifest: &str) -> Vec<String> {
    let listed = manifest.lines().skip_while(|line| *line != "[dependencies]").skip(1);
    let listed = listed.take_while(|line| !line.starts_with('['));
    let names = listed.filter_map(|line| line.split(['.', ' ']).next());
    names.filter(|name| name.starts_with("posetta-")).map(|name| room_of(name).to_owned()).collect()
}

#[test]
fn the_table_of_rooms_is_what_the_manifests_say() {
    let table = table();
    assert!(table.len() > 10, "the table is found: {table:?}");
    for (room, uses) in &table {
        let manifest = crates().join(format!("posetta-{room}")).join("Cargo.toml");
        let manifest = fs::read_to_string(&manifest).unwrap_or_else(|e| panic!("{}: {e}", manifest.display()));
        assert_eq!(&dependencies(&manifest), uses, "what `{room}` may use");
    }
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

/// The source files of these rooms with their text without comments and unit tests.
fn sources<'a>(rooms: impl Iterator<Item = &'a str>) -> Vec<(PathBuf, String)> {
    let mut sources = Vec::new();
    for room in rooms {
        let mut paths = Vec::new();
        files(&crates().join(format!("posetta-{room}")).join("src"), &mut paths);
        paths.sort();
        for path in paths {
            let text = fs::read_to_string(&path).expect("the sources are readable");
            let shipped = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
            let code: Vec<&str> = shipped.lines().map(|l| l.split("//").next().unwrap_or_default()).collect();
            sources.push((path, code.join("\n")));
        }
    }
    sources
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
    let table = table();
    let mut trespasses = Vec::new();
    for (path, code) in sources(table.keys().map(String::as_str)) {
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
    let table = table();
    for (path, code) in
        sources(table.keys().map(String::as_str).chain(["cli", "files", "oracle", "py", "receive", "record"]))
    {
        assert!(code.lines().count() <= 1000, "{} is too long", path.display());
        let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        assert!(!["util", "utils", "helpers", "misc", "common"].contains(&stem.as_str()), "{}", path.display());
    }
}
