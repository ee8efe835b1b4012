//! Paths in requests: relative, by plain names, with `/`.

/// More is no path that anybody has.
const LONGEST: usize = 4096;

/// Whether a path can lead only downwards from where it starts, and to nothing that is hidden: what begins with a dot is not listed, and
/// often has secrets. Where links lead is another question.
pub fn is_plain(path: &str) -> bool {
    let is_name = |name: &str| !name.is_empty() && !name.starts_with('.') && !name.contains(is_special);
    !path.is_empty() && path.len() <= LONGEST && path.split('/').all(is_name)
}

/// What ends a path for the system, or begins another one on some systems.
fn is_special(c: char) -> bool {
    c == '\0' || (cfg!(windows) && matches!(c, '\\' | ':'))
}

/// The last name of a path that somebody else's system has, as a name for a file here.
pub fn own_name(path: &str) -> String {
    const LONGEST: usize = 100;
    let last = path.rsplit(['/', '\\']).next().unwrap_or_default();
    let mut name: String = last.chars().map(|c| if is_fine(c) { c } else { '_' }).collect();
    // What tells the format stands at the end.
    while name.len() > LONGEST {
        name.remove(0);
    }
    if name.trim_matches('.').is_empty() {
        "dropped".to_owned()
    } else {
        name.replacen('-', "_", usize::from(name.starts_with('-')))
    }
}

/// What neither a shell nor a pattern nor a terminal takes for more than a part of a name.
fn is_fine(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '.' | '-' | '_' | ' ' | '+')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_lead_downwards() {
        for path in ["run.jsonl", "a/b/run.jsonl", "a...", "a b/ü.props", "-x", "%2e%2e/x", "a\\b"] {
            assert_eq!(is_plain(path), !cfg!(windows) || !path.contains('\\'), "{path}");
        }
        for path in [
            "",
            "/",
            "/etc/passwd",
            "..",
            "../x",
            "a/../../x",
            "a/..",
            "./x",
            "a//b",
            "a/",
            "a\0b",
            ".env",
            "a/.git/config",
            "...",
        ] {
            assert!(!is_plain(path), "{path:?}");
        }
        assert!(!is_plain(&"a/".repeat(3000)));
    }

    #[test]
    fn dropped_files_have_names_of_ours() {
        let cases = [
            ("run.jsonl", "run.jsonl"),
            ("../../etc/passwd", "passwd"),
            ("C:\\logs\\run.log", "run.log"),
            ("", "dropped"),
            ("..", "dropped"),
            ("a/", "dropped"),
            ("-rf.json", "_rf.json"),
            ("<img src=x onerror=alert(1)>.json", "_img src_x onerror_alert_1__.json"),
            ("a*?[b]#1.trace", "a___b__1.trace"),
            ("a\nb\0.csv", "a_b_.csv"),
        ];
        for (given, name) in cases {
            assert_eq!(own_name(given), name);
        }
        assert!(own_name(&("x".repeat(300) + ".jsonl")).len() <= 100);
        assert!(own_name(&("x".repeat(300) + ".jsonl")).ends_with(".jsonl"));
        assert!(own_name(&"ü".repeat(300)).len() <= 100);
    }
}
