//! The documents hold their own rules: links lead somewhere, lines are short, no page is lost, and the walk through the
//! code names functions that are there.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Component, Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).expect("the crate lies two levels down").to_owned()
}

fn pages_under(directory: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(directory).expect("the documents are readable") {
        let path = entry.expect("the documents are readable").path();
        if path.is_dir() {
            pages_under(&path, found);
        } else if path.extension().is_some_and(|e| e == "md") {
            found.push(path);
        }
    }
}

/// Every page of the project, in order: those at the root and those of the directories that people read.
fn pages() -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(root()).expect("the root is readable") {
        let path = entry.expect("the root is readable").path();
        if path.extension().is_some_and(|e| e == "md") {
            found.push(path);
        }
    }
    for directory in ["docs", "editors", "examples", ".github"] {
        pages_under(&root().join(directory), &mut found);
    }
    found.push(root().join("fuzz/README.md"));
    found.sort();
    assert!(found.len() > 40, "the pages are found: {found:?}");
    found
}

fn text(page: &Path) -> String {
    fs::read_to_string(page).unwrap_or_else(|e| panic!("{}: {e}", page.display()))
}

fn name(page: &Path) -> String {
    page.strip_prefix(root()).unwrap_or(page).display().to_string()
}

/// The lines that are not in a block of code, with their numbers from 1.
fn prose(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut code = false;
    text.lines().enumerate().filter_map(move |(index, line)| {
        let fence = line.trim_start().starts_with("```");
        code ^= fence;
        (!code && !fence).then_some((index + 1, line))
    })
}

/// The targets of the links of a page, those to other sites left out.
fn links(text: &str) -> Vec<String> {
    let prose: Vec<&str> = prose(text).map(|(_, line)| line).collect();
    // What is quoted as code is no link: `next_event!(b)[4](c)`.
    let prose: String = prose.join("\n").split('`').step_by(2).collect();
    let targets = prose.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    targets.filter(|target| !target.starts_with("http")).map(str::to_owned).collect()
}

/// Where a link leads, without `.` and `..`, so that one file has one name.
fn target(page: &Path, link: &str) -> PathBuf {
    let mut path = page.parent().expect("a page lies in a directory").to_owned();
    for part in Path::new(link).components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => assert!(path.pop(), "{link} leaves the file system"),
            part => path.push(part),
        }
    }
    path
}

/// What the sites that show Markdown call a heading in links: small letters, hyphens for blanks, no punctuation.
fn anchor(heading: &str) -> String {
    let kept = heading.trim().chars().filter(|c| c.is_alphanumeric() || [' ', '-', '_'].contains(c));
    kept.flat_map(char::to_lowercase).map(|c| if c == ' ' { '-' } else { c }).collect()
}

fn anchors(text: &str) -> BTreeSet<String> {
    let headings = prose(text).filter(|(_, line)| line.starts_with('#'));
    headings.map(|(_, line)| anchor(line.trim_start_matches('#'))).collect()
}

#[test]
fn links_lead_to_files_and_headings() {
    let mut broken = Vec::new();
    for page in pages() {
        let own = text(&page);
        for link in links(&own) {
            let (file, heading) = link.split_once('#').unwrap_or((&link, ""));
            let file = if file.is_empty() { page.clone() } else { target(&page, file) };
            let there = file.exists()
                && (heading.is_empty()
                    || file.extension().is_none_or(|e| e != "md")
                    || anchors(&text(&file)).contains(heading));
            if !there {
                broken.push(format!("{}: {link}", name(&page)));
            }
        }
    }
    assert!(broken.is_empty(), "links that lead nowhere:\n{}", broken.join("\n"));
}

/// Long lines hide what changed in them. Tables, code and pictures cannot be wrapped.
#[test]
fn prose_is_wrapped_at_120_characters() {
    let mut long = Vec::new();
    for page in pages() {
        for (number, line) in prose(&text(&page)) {
            let exempt = line.trim_start().starts_with('|') || line.starts_with("![");
            if !exempt && line.chars().count() > 120 {
                long.push(format!("{}:{number}", name(&page)));
            }
        }
    }
    assert!(long.is_empty(), "lines past 120 characters:\n{}", long.join("\n"));
}

/// Whoever starts at docs/README.md finds every page of docs.
#[test]
fn every_page_is_reachable_from_the_index() {
    let docs = root().join("docs");
    let mut found = BTreeSet::new();
    let mut ahead = vec![docs.join("README.md")];
    while let Some(page) = ahead.pop() {
        if page.extension().is_some_and(|e| e == "md") && page.starts_with(&docs) && found.insert(page.clone()) {
            let further = links(&text(&page));
            ahead.extend(further.iter().filter_map(|l| l.split('#').next()).map(|file| target(&page, file)));
        }
    }
    let lost: Vec<String> =
        pages().iter().filter(|p| p.starts_with(&docs) && !found.contains(*p)).map(|p| name(p)).collect();
    assert!(lost.is_empty(), "not reachable from docs/README.md: {lost:?}");
}

/// A page about a decision begins with its context and ends with its consequences, and the index has it.
#[test]
fn decisions_have_one_shape() {
    let directory = root().join("docs/decisions");
    let index = text(&directory.join("README.md"));
    for page in pages().iter().filter(|p| p.starts_with(&directory) && !p.ends_with("README.md")) {
        let text = text(page);
        let headings: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("## ")).collect();
        let shape = matches!(headings[..], ["Context", "Decision", _, "Consequences"]);
        assert!(shape, "{}: {headings:?}", name(page));
        let file = page.file_name().expect("a page has a name").to_string_lossy();
        assert!(index.contains(&format!("]({file})")), "docs/decisions/README.md lists {file}");
    }
}

/// The walk of docs/walk.md has few steps, and each names a function that its file has.
#[test]
fn the_walk_names_functions_that_exist() {
    let page = root().join("docs/walk.md");
    let walk = text(&page);
    let steps = walk.lines().filter(|line| line.split_once(". ").is_some_and(|(n, _)| n.parse::<u8>().is_ok())).count();
    assert!((10..=15).contains(&steps), "{steps} steps");
    let mut named = 0;
    for rest in walk.split("[`").skip(1) {
        let Some((function, rest)) = rest.split_once("`](") else { continue };
        let file = rest.split(')').next().unwrap_or_default();
        if !file.ends_with(".rs") {
            continue;
        }
        let function = function.rsplit("::").next().unwrap_or_default();
        let source = text(&target(&page, file));
        let there = [format!("fn {function}("), format!("fn {function}<")].iter().any(|f| source.contains(f));
        assert!(there, "docs/walk.md: no function `{function}` in {file}");
        named += 1;
    }
    assert!(named >= steps, "{steps} steps name {named} functions");
}
