//! What the browser loads: a page in plain modules, which are in the program.

use hyper::Response;
use hyper::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use posetta_door::Answer;
use posetta_door::body::whole;

/// A part of the page.
pub struct Part {
    path: &'static str,
    kind: &'static str,
    text: &'static str,
}

const HTML: &str = "text/html; charset=utf-8";
const SCRIPT: &str = "text/javascript; charset=utf-8";
const STYLE: &str = "text/css; charset=utf-8";

macro_rules! part {
    ($path:literal, $kind:expr, $file:literal) => {
        Part { path: $path, kind: $kind, text: include_str!(concat!("../", $file)) }
    };
}

static PARTS: &[Part] = &[
    part!("/", HTML, "page/index.html"),
    part!("/page/page.css", STYLE, "page/page.css"),
    part!("/page/completion.js", SCRIPT, "page/completion.js"),
    part!("/page/editor.js", SCRIPT, "page/editor.js"),
    part!("/page/files.js", SCRIPT, "page/files.js"),
    part!("/page/language.js", SCRIPT, "page/language.js"),
    part!("/page/live.js", SCRIPT, "page/live.js"),
    part!("/page/main.js", SCRIPT, "page/main.js"),
    part!("/page/server.js", SCRIPT, "page/server.js"),
    part!("/page/theme.js", SCRIPT, "page/theme.js"),
    part!("/page/trail.js", SCRIPT, "page/trail.js"),
    part!("/page/verdicts.js", SCRIPT, "page/verdicts.js"),
    part!("/page/work.js", SCRIPT, "page/work.js"),
    part!("/viewer/viewer.css", STYLE, "viewer/viewer.css"),
    part!("/viewer/automaton.js", SCRIPT, "viewer/automaton.js"),
    part!("/viewer/choice.js", SCRIPT, "viewer/choice.js"),
    part!("/viewer/diagram.js", SCRIPT, "viewer/diagram.js"),
    part!("/viewer/dom.js", SCRIPT, "viewer/dom.js"),
    part!("/viewer/edges.js", SCRIPT, "viewer/edges.js"),
    part!("/viewer/geometry.js", SCRIPT, "viewer/geometry.js"),
    part!("/viewer/inspector.js", SCRIPT, "viewer/inspector.js"),
    part!("/viewer/legend.js", SCRIPT, "viewer/legend.js"),
    part!("/viewer/minimap.js", SCRIPT, "viewer/minimap.js"),
    part!("/viewer/paint.js", SCRIPT, "viewer/paint.js"),
    part!("/viewer/rows.js", SCRIPT, "viewer/rows.js"),
    part!("/viewer/run.js", SCRIPT, "viewer/run.js"),
    part!("/viewer/search.js", SCRIPT, "viewer/search.js"),
    part!("/viewer/steps.js", SCRIPT, "viewer/steps.js"),
    part!("/viewer/story.js", SCRIPT, "viewer/story.js"),
    part!("/viewer/tools.js", SCRIPT, "viewer/tools.js"),
    part!("/viewer/viewer.js", SCRIPT, "viewer/viewer.js"),
    part!("/viewer/wave.js", SCRIPT, "viewer/wave.js"),
];

/// The page may load its own parts and ask its own server. Nothing in it is a script but its modules: no file, no name and no answer can
/// become one.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; \
                      base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// The part with this path.
pub fn part(path: &str) -> Option<&'static Part> {
    PARTS.iter().find(|part| part.path == path)
}

impl Part {
    pub fn response(&self) -> Response<Answer> {
        let mut response = Response::new(whole(self.text));
        response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(self.kind));
        response
    }
}

/// What every answer says to a browser.
pub fn protect(headers: &mut HeaderMap) {
    let all = [
        (CONTENT_SECURITY_POLICY, POLICY),
        (CACHE_CONTROL, "no-store"),
        (HeaderName::from_static("x-content-type-options"), "nosniff"),
        (HeaderName::from_static("referrer-policy"), "no-referrer"),
        (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
        (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    ];
    for (name, value) in all {
        headers.insert(name, HeaderValue::from_static(value));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_that_a_part_loads_is_a_part() {
        let mut seen = 0;
        for from in PARTS {
            let folder = from.path.rsplit_once('/').map_or("", |(folder, _)| folder);
            let imports = from.text.lines().filter(|line| line.starts_with("import "));
            let imported = imports.filter_map(|line| line.rsplit_once(" from \"")?.1.strip_suffix("\";"));
            let loaded = from.text.match_indices("=\"/").filter(|_| from.kind == HTML);
            let loaded = loaded.filter_map(|(at, _)| from.text[at + 2..].split('"').next());
            for path in imported.chain(loaded) {
                let absolute = match path.strip_prefix("./") {
                    Some(beside) => format!("{folder}/{beside}"),
                    None => path.replacen("..", "", 1),
                };
                assert!(part(&absolute).is_some(), "{} loads {path}", from.path);
                seen += 1;
            }
        }
        assert!(seen > 30, "imports are found");
    }

    #[test]
    fn nothing_in_the_page_needs_what_the_policy_refuses() {
        for part in PARTS {
            for forbidden in [
                "innerHTML",
                "outerHTML",
                "insertAdjacentHTML",
                "document.write",
                "eval(",
                "new Function",
                "javascript:",
            ] {
                assert!(!part.text.contains(forbidden), "{} has {forbidden}", part.path);
            }
            let inline = [" style=\"", " onclick=\"", "<style", "setAttribute(\"style\""];
            assert!(part.kind == STYLE || inline.iter().all(|inline| !part.text.contains(inline)), "{}", part.path);
        }
    }
}
