//! What is for editors: the files of the extension are whole, and its grammars know every word that the parsers know.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use regex::Regex;
use serde_json::Value;

fn extension() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../editors/vscode")
}

fn read(name: &str) -> Value {
    let path = extension().join(name);
    let text = fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    serde_json::from_str(&text).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

#[test]
fn every_file_of_the_extension_is_there() {
    let package = read("package.json");
    let contributes = &package["contributes"];
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let mut paths: BTreeSet<String> = BTreeSet::new();
    paths.extend(package["main"].as_str().map(str::to_owned));
    paths.extend(list(&contributes["languages"]).iter().filter_map(|l| l["configuration"].as_str().map(str::to_owned)));
    paths.extend(list(&contributes["grammars"]).iter().filter_map(|g| g["path"].as_str().map(str::to_owned)));
    assert_eq!(paths.len(), 4, "{paths:?}");
    for path in paths {
        assert!(extension().join(&path).is_file(), "{path}");
        if path.ends_with(".json") {
            read(&path);
        }
    }
    for (language, extension) in [("posetta-props", ".props"), ("posetta-sys", ".sys")] {
        let all = list(&contributes["languages"]);
        let own = all.iter().find(|l| l["id"] == language).unwrap_or_else(|| panic!("{language}"));
        assert_eq!(own["extensions"][0], extension);
        let grammars = list(&contributes["grammars"]);
        let grammar = grammars.iter().find(|g| g["language"] == language).unwrap_or_else(|| panic!("{language}"));
        let text = read(grammar["path"].as_str().unwrap_or_default());
        assert_eq!(text["scopeName"], grammar["scopeName"]);
    }
    // The settings are flags of the command.
    let script = fs::read_to_string(extension().join("extension.js")).expect("it is text");
    for name in ["path", "run", "root"] {
        assert!(contributes["configuration"]["properties"].get(format!("posetta.{name}")).is_some(), "{name}");
        assert!(script.contains(&format!("'{name}'")), "{name}");
    }
    assert!(script.contains("['lsp']"));
}

/// The expressions of a grammar with their names.
fn expressions(grammar: &Value) -> Vec<(String, Regex)> {
    let patterns = grammar["patterns"].as_array().expect("patterns");
    let named = patterns.iter().filter_map(|p| Some((p["name"].as_str()?.to_owned(), p["match"].as_str()?)));
    named.map(|(name, text)| (name, Regex::new(text).unwrap_or_else(|e| panic!("{text}: {e}")))).collect()
}

/// The name that the first expression gives a word which it takes whole.
fn name_of<'g>(grammar: &'g [(String, Regex)], word: &str) -> Option<&'g str> {
    let whole = |regex: &Regex| regex.find(word).is_some_and(|found| found.as_str() == word);
    grammar.iter().find(|(_, regex)| whole(regex)).map(|(name, _)| name.as_str())
}

#[test]
fn the_grammars_know_every_word() {
    let props = expressions(&read("syntaxes/props.tmLanguage.json"));
    for word in posetta_logic::written::words::all() {
        let name = name_of(&props, word).unwrap_or_else(|| panic!("`{word}` has no colour"));
        assert!(["keyword.", "support.", "constant."].iter().any(|sort| name.starts_with(sort)), "{word}: {name}");
    }
    let sys = expressions(&read("syntaxes/sys.tmLanguage.json"));
    for word in posetta_model::sys::written::all_words() {
        assert!(name_of(&sys, word).is_some_and(|name| name.starts_with("keyword.")), "`{word}` has no colour");
    }
    for word in ["propertys", "xltl", "next_", "a_response", "components", "initial_state"] {
        assert_eq!((name_of(&props, word), name_of(&sys, word)), (None, None), "{word}");
    }
}
