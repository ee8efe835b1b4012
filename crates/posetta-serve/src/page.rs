//! What the browser loads: a page in plain modules, which are in the program.

use hyper::Response;
use hyper::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use posetta_door::Answer;
use posetta_door::body::whole;

/// A part of the page.
#[derive(Clone, Copy)]
pub struct Asset {
    path: &'static str,
    kind: &'static str,
    text: &'static str,
}

const HTML: &str = "text/html; charset=utf-8";
const SCRIPT: &str = "text/javascript; charset=utf-8";
const STYLE: &str = "text/css; charset=utf-8";

macro_rules! part {
    ($path:literal, $kind:expr, $file:literal) => {
        Asset { path: $path, kind: $kind, text: include_str!(concat!("../", $file)) }
    };
}

static PARTS: &[Asset] = &[
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
    part!("/page/verdicts.js", SCRIPT, "page/verdicts.js"),
    part!("/page/work.js", SCRIPT, "page/work.js"),
    part!("/viewer/viewer.css", STYLE, "viewer/viewer.css"),
];

/// The modules of the viewer, by their names.
static VIEWER: [(&str, &str); 20] = include!("../viewer/modules.rs");

/// The page may load its own parts and ask its own server. Nothing in it is a script but its modules: no file, no name and no answer can
/// become one.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; \
                      base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// The part with this path.
pub fn part(path: &str) -> Option<Asset> {
    let of_viewer = || {
        let (path, text) = VIEWER.iter().find(|(name, _)| path.strip_prefix("/viewer/") == Some(name))?;
        Some(Asset { path, kind: SCRIPT, text })
    };
    PARTS.iter().find(|part| part.path == path).copied().or_else(of_viewer)
}

impl Asset {
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

    /// The parts of the page and the modules of the viewer, with their paths.
    fn all() -> impl Iterator<Item = (String, &'static str, &'static str)> {
        let viewer = VIEWER.iter().map(|(name, text)| (format!("/viewer/{name}"), SCRIPT, *text));
        PARTS.iter().map(|part| (part.path.to_owned(), part.kind, part.text)).chain(viewer)
    }

    #[test]
    fn everything_that_a_part_loads_is_a_part() {
        let mut seen = 0;
        for (from, kind, text) in all() {
            let folder = from.rsplit_once('/').map_or("", |(folder, _)| folder);
            let imports = text.lines().filter(|line| line.starts_with("import "));
            let imported = imports.filter_map(|line| line.rsplit_once(" from \"")?.1.strip_suffix("\";"));
            let loaded = text.match_indices("=\"/").filter(|_| kind == HTML);
            let loaded = loaded.filter_map(|(at, _)| text[at + 2..].split('"').next());
            for path in imported.chain(loaded) {
                let absolute = match path.strip_prefix("./") {
                    Some(beside) => format!("{folder}/{beside}"),
                    None => path.replacen("..", "", 1),
                };
                assert!(part(&absolute).is_some(), "{from} loads {path}");
                seen += 1;
            }
        }
        assert!(seen > 30, "imports are found");
    }

    #[test]
    fn nothing_in_the_page_needs_what_the_policy_refuses() {
        for (path, kind, text) in all() {
            for forbidden in [
                "innerHTML",
                "outerHTML",
                "insertAdjacentHTML",
                "document.write",
                "eval(",
                "new Function",
                "javascript:",
            ] {
                assert!(!text.contains(forbidden), "{path} has {forbidden}");
            }
            let inline = [" style=\"", " onclick=\"", "<style", "setAttribute(\"style\""];
            assert!(kind == STYLE || inline.iter().all(|inline| !text.contains(inline)), "{path}");
        }
    }
}
