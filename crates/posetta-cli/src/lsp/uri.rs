//! Paths of files as editors write them: `file:///home/me/a%20b.props`.

use std::path::{Path, PathBuf};

/// The path that a URI of a file means.
pub fn path_of(uri: &str) -> Option<PathBuf> {
    let rest = uri.strip_prefix("file://")?;
    // A file of another machine is none of ours.
    let path = rest.strip_prefix("localhost").unwrap_or(rest);
    if !path.starts_with('/') {
        return None;
    }
    let text = String::from_utf8(decoded(path)?).ok()?;
    // `/c:/dir` on Windows.
    let drive = text.strip_prefix('/').filter(|rest| rest.as_bytes().get(1) == Some(&b':'));
    let text = drive.filter(|_| cfg!(windows)).unwrap_or(&text);
    if text.contains('\0') { None } else { Some(PathBuf::from(text)) }
}

/// The bytes that a text with `%20` and the like stands for.
fn decoded(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, tail @ ..] = rest {
        match (first, tail) {
            (b'%', [high, low, tail @ ..]) => {
                let digit = |byte: u8| char::from(byte).to_digit(16);
                bytes.push(u8::try_from(digit(*high)? * 16 + digit(*low)?).ok()?);
                rest = tail;
            }
            (b'%', _) => return None,
            // What follows these is no part of the path.
            (b'?' | b'#', _) => break,
            _ => {
                bytes.push(*first);
                rest = tail;
            }
        }
    }
    Some(bytes)
}

/// The URI of a file.
pub fn uri_of(path: &Path) -> Option<String> {
    let path = std::path::absolute(path).ok()?;
    let text = path.to_str()?.replace(std::path::MAIN_SEPARATOR, "/");
    let mut uri = String::from(if text.starts_with('/') { "file://" } else { "file:///" });
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' | b'/' => uri.push(char::from(byte)),
            _ => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    Some(uri)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_read_back() {
        for path in ["/a b/ü%20#?.props", "/plain/x.sys", "/"] {
            let uri = uri_of(Path::new(path)).expect("it is text");
            assert_eq!(path_of(&uri), Some(PathBuf::from(path)), "{uri}");
        }
        assert_eq!(path_of("file://localhost/a"), Some(PathBuf::from("/a")));
        for uri in
            ["", "untitled:1", "http://x/a", "file://other/a", "file:///%", "file:///%zz", "file:///%ff", "file:///%00"]
        {
            assert_eq!(path_of(uri), None, "{uri}");
        }
    }
}
