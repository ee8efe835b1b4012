//! Messages as they come: a head with the length of the body, and the body, which is JSON.
//!
//! Nothing that comes is trusted: heads and bodies have a limit, and a body that is too large is passed over without being held.

use std::io::{self, BufRead, Read};

use serde_json::Value;

use super::code;

/// A body larger than this is refused. The largest one holds a whole text.
const MOST_BYTES: u64 = 32 << 20;

/// A head longer than this is none.
const MOST_HEAD: u64 = 8 << 10;

/// What came.
#[derive(Debug, PartialEq)]
pub enum Incoming {
    /// A message, and how long it was.
    Message(Value, u64),
    /// A message that is none, or too large: an answer says so, and the next one follows. How long it was, if it was held.
    Refused(i64, String, Option<u64>),
    /// It is not known where the next message begins.
    Broken(Broken),
    End,
}

/// Why nothing more can be read.
#[derive(Debug, PartialEq)]
pub struct Broken(pub String);

/// The next message. `admit` waits until there is room for one of this length.
pub fn read(input: &mut impl BufRead, admit: impl FnOnce(u64)) -> Incoming {
    let length = match head(input) {
        Ok(Some(length)) => length,
        Ok(None) => return Incoming::End,
        Err(why) => return Incoming::Broken(Broken(why)),
    };
    if length > MOST_BYTES {
        return match io::copy(&mut input.take(length), &mut io::sink()) {
            Ok(passed) if passed == length => {
                let why = format!("a message of {length} bytes: more than {} MiB are refused", MOST_BYTES >> 20);
                Incoming::Refused(code::INVALID, why, None)
            }
            _ => Incoming::End,
        };
    }
    admit(length);
    let mut body = Vec::new();
    match input.take(length).read_to_end(&mut body) {
        Ok(read) if read as u64 == length => {}
        _ => return Incoming::End,
    }
    match serde_json::from_slice(&body) {
        Ok(message) => Incoming::Message(message, length),
        Err(error) => Incoming::Refused(code::PARSE, format!("this is not JSON: {error}"), Some(length)),
    }
}

/// The length of the body, from the lines of the head; `None` where everything ends.
fn head(input: &mut impl BufRead) -> Result<Option<u64>, String> {
    let mut length = None;
    let mut left = MOST_HEAD;
    let mut is_first = true;
    loop {
        let mut line = Vec::new();
        let read = input.take(left).read_until(b'\n', &mut line).map_err(|e| format!("cannot read messages: {e}"))?;
        if read == 0 && is_first && left > 0 {
            return Ok(None);
        }
        left -= read as u64;
        if line.last() != Some(&b'\n') {
            return Err(match left {
                0 => "the head of a message is too long".to_owned(),
                _ => "the input ends in the head of a message".to_owned(),
            });
        }
        is_first = false;
        let line = String::from_utf8_lossy(&line);
        let line = line.trim_end_matches(['\r', '\n']);
        if line.is_empty() {
            return length
                .map(Some)
                .ok_or_else(|| "a message without `Content-Length`; `posetta lsp` is started by an editor".to_owned());
        }
        let Some((name, value)) = line.split_once(':') else {
            return Err("what came is no message; `posetta lsp` is started by an editor".to_owned());
        };
        if name.trim().eq_ignore_ascii_case("Content-Length") {
            let value: Option<u64> = value.trim().parse().ok();
            length = Some(value.ok_or("the length of a message is not a number")?);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn all(text: &str) -> Vec<Incoming> {
        let mut input = text.as_bytes();
        let mut found = Vec::new();
        loop {
            found.push(read(&mut input, |_| {}));
            if matches!(found.last(), Some(Incoming::End | Incoming::Broken(_))) {
                return found;
            }
        }
    }

    #[test]
    fn messages_follow_each_other() {
        let text = "Content-Length: 7\r\n\r\n{\"a\":1}content-length:2\r\nContent-Type: x\r\n\r\n[]Content-Length: 3\n\n{]}Content-Length: 1\r\n\r\n1";
        let found = all(text);
        assert_eq!(found[0], Incoming::Message(json!({"a": 1}), 7));
        assert_eq!(found[1], Incoming::Message(json!([]), 2));
        assert!(matches!(&found[2], Incoming::Refused(code::PARSE, _, Some(3))), "{found:?}");
        assert_eq!(found[3..], [Incoming::Message(json!(1), 1), Incoming::End]);
    }

    #[test]
    fn what_has_no_end_ends() {
        for (text, broken) in [
            ("", false),
            ("Content-Length: 9\r\n\r\n{}", false),
            ("Content-Length: 99999999999\r\n\r\n{}", false),
            ("Content-Length: 99999999999999999999999\r\n\r\n{}", true),
            ("Content-Length: -1\r\n\r\n{}", true),
            ("Content-Type: x\r\n\r\n{}", true),
            ("\r\n\r\n", true),
            ("{\"jsonrpc\":", true),
            ("hello\n", true),
            ("Content-Length: 5", true),
        ] {
            let found = all(text);
            assert_eq!(found.len(), 1, "{text}");
            assert_eq!(matches!(found[0], Incoming::Broken(_)), broken, "{text}: {found:?}");
        }
        assert!(matches!(all(&"a".repeat(100_000))[0], Incoming::Broken(_)));
        assert!(matches!(all(&"a:b\n".repeat(100_000))[0], Incoming::Broken(_)));
    }

    #[test]
    fn a_body_that_is_too_large_is_passed_over() {
        let length = MOST_BYTES + 1;
        let text =
            format!("Content-Length: {length}\r\n\r\n{}Content-Length: 2\r\n\r\n{{}}", " ".repeat(length as usize));
        let found = all(&text);
        assert!(matches!(&found[0], Incoming::Refused(code::INVALID, _, None)));
        assert_eq!(found[1..], [Incoming::Message(json!({}), 2), Incoming::End]);
    }
}
