//! Pages: one HTML file that has everything in it and loads nothing.
//!
//! A page shows static pictures ([`crate::svg`]), so that it can be read without a script and printed. A script puts the viewer
//! in their place; its modules are those of `web/viewer`, made one script by [`script`]. A content security policy in the page allows
//! that script and the style sheets by their hashes, and nothing else: no request leaves the page, whatever names and values an input
//! has. Data is a JSON text between tags, in which no `<` is left.

mod report;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use sha2::{Digest, Sha256};

use crate::picture::Picture;
use crate::picture::model::Model;
use crate::{svg, xml};

pub use report::of_report;

/// The modules of the viewer, each behind those that it needs, by their names.
const VIEWER: [(&str, &str); 20] = include!("../../viewer/modules.rs");
/// What starts it in a page.
const START: &str = include_str!("page.js");

const VIEWER_STYLE: &str = include_str!("../../viewer/viewer.css");
const PAGE_STYLE: &str = include_str!("page.css");

/// A page with one picture to explore; `drawing` is what it shows without a script.
#[must_use]
pub fn of_picture(picture: &Picture, drawing: &str) -> String {
    explored(&picture.title, &picture.to_json(), drawing)
}

/// The same for a model.
#[must_use]
pub fn of_model(model: &Model, drawing: &str) -> String {
    explored(&model.title, &model.to_json(), drawing)
}

fn explored(title: &str, picture: &str, drawing: &str) -> String {
    document(title, &format!("<main id=\"viewer\">\n{drawing}</main>\n{}", data("picture", picture)))
}

/// Data for the script, as an element of the page.
fn data(id: &str, json: &str) -> String {
    // The tag that ends it cannot occur; the two others would end a line of a script.
    let json = json.replace('<', "\\u003c").replace('\u{2028}', "\\u2028").replace('\u{2029}', "\\u2029");
    format!("<script type=\"application/json\" id=\"{id}\">{json}</script>\n")
}

/// The whole page around its body.
fn document(title: &str, body: &str) -> String {
    let script = whole_script();
    let style = format!("{PAGE_STYLE}{VIEWER_STYLE}");
    let policy = format!(
        "default-src 'none'; script-src '{}'; style-src '{}' '{}'; img-src data:; base-uri 'none'; form-action 'none'",
        hash(&script),
        hash(&style),
        hash(svg::STYLE),
    );
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">\n\
         <meta name=\"referrer\" content=\"no-referrer\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <title>{}</title>\n<style>{style}</style>\n</head>\n<body>\n{body}<script type=\"module\">{script}</script>\n\
         </body>\n</html>\n",
        xml::text(title),
    )
}

/// The viewer, and what starts it.
fn whole_script() -> String {
    script(&VIEWER.iter().map(|(_, text)| *text).chain([START]).collect::<Vec<&str>>())
}

/// Modules as one script: what they import from each other is all in it. An import is a line of its own.
fn script(modules: &[&str]) -> String {
    let mut out = String::from("\n");
    for line in modules.iter().flat_map(|module| module.lines()) {
        if line.starts_with("import ") && line.contains(" from \"./") {
            continue;
        }
        out.push_str(line.strip_prefix("export ").unwrap_or(line));
        out.push('\n');
    }
    out
}

/// What a content security policy calls an inline script or style.
fn hash(text: &str) -> String {
    format!("sha256-{}", BASE64_STANDARD.encode(Sha256::digest(text.as_bytes())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_become_one_script() {
        let a = "// a\nexport const one = 1;\nfunction hidden() {}\n";
        let b = "import { one } from \"./a.js\";\nexport function two() { return one + one; }\n";
        let script = script(&[a, b]);
        assert_eq!(script, "\n// a\nconst one = 1;\nfunction hidden() {}\nfunction two() { return one + one; }\n");
    }

    #[test]
    fn the_script_of_the_viewer_has_no_imports_and_cannot_end_early() {
        let script = whole_script();
        for line in script.lines() {
            assert!(!line.starts_with("import ") && !line.starts_with("export "), "{line}");
        }
        for text in [script.as_str(), VIEWER_STYLE, PAGE_STYLE, svg::STYLE] {
            assert!(!text.contains("</"), "a tag could end it");
        }
        assert!(!script.contains("<!--"));
    }

    /// The example of the standard.
    #[test]
    fn hashes_are_those_that_browsers_compute() {
        assert_eq!(hash("alert('Hello, world.');"), "sha256-qznLcsROx4GACP2dm0UCKCzCG+HiZ1guq6ZZDob/Tng=");
    }

    #[test]
    fn data_cannot_end_its_element() {
        let page = data("x", "{\"a\":\"</script><!--\u{2028}\"}");
        assert_eq!(
            page,
            "<script type=\"application/json\" id=\"x\">{\"a\":\"\\u003c/script>\\u003c!--\\u2028\"}</script>\n"
        );
    }
}
