//! Exports of spans, and somebody who sends them.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

pub const PROTO: &str = "application/x-protobuf";
pub const JSON: &str = "application/json";

/// A field of a message that is bytes.
fn field(number: u8, bytes: &[u8]) -> Vec<u8> {
    let mut out = vec![number << 3 | 2];
    let mut length = bytes.len();
    while length > 0x7f {
        out.push(length as u8 | 0x80);
        length >>= 7;
    }
    out.push(length as u8);
    out.extend_from_slice(bytes);
    out
}

/// An export of one span: it belongs to this trace, has this id, and begins at this second and ends a second later.
pub fn export(trace: u8, id: u16, parent: Option<u16>, name: &str, second: u64) -> Vec<u8> {
    let number = |n: u16| [0, 0, 0, 0, 0, 1, (n >> 8) as u8, n as u8];
    let time = |number: u8, second: u64| {
        let mut out = vec![number << 3 | 1];
        out.extend_from_slice(&((1_700_000_000 + second) * 1_000_000_000).to_le_bytes());
        out
    };
    let mut span = field(1, &[trace; 16]);
    span.extend(field(2, &number(id)));
    span.extend(parent.map(|parent| field(4, &number(parent))).unwrap_or_default());
    span.extend(field(5, name.as_bytes()));
    span.extend(time(7, second));
    span.extend(time(8, second + 1));
    let service = [field(1, b"service.name"), field(2, &field(1, b"shop"))].concat();
    let spans = [field(1, &field(1, &service)), field(2, &field(2, &span))].concat();
    field(1, &spans)
}

/// What a server answered.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub head: String,
    pub body: Vec<u8>,
}

/// A request of HTTP, which asks for the connection to be closed afterwards.
pub fn request(method: &str, path: &str, headers: &[(&str, &str)], body: &[u8]) -> Vec<u8> {
    let mut out = format!("{method} {path} HTTP/1.1\r\nHost: anybody.example\r\nConnection: close\r\n");
    for (name, value) in headers {
        out.push_str(&format!("{name}: {value}\r\n"));
    }
    if !headers.iter().any(|(name, _)| *name == "Transfer-Encoding") {
        out.push_str(&format!("Content-Length: {}\r\n", body.len()));
    }
    [out.as_bytes(), b"\r\n", body].concat()
}

pub fn connect(address: &str) -> TcpStream {
    let stream = TcpStream::connect(address).expect("a receiver");
    stream.set_read_timeout(Some(Duration::from_secs(30))).expect("a time");
    stream
}

/// What comes back on a connection. A server may close it before it has read everything.
pub fn answer(mut stream: TcpStream) -> Option<Answer> {
    let mut bytes = Vec::new();
    let _ = stream.read_to_end(&mut bytes);
    let end = bytes.windows(4).position(|four| four == b"\r\n\r\n")?;
    let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
    let status = head.split(' ').nth(1)?.parse().ok()?;
    Some(Answer { status, head, body: bytes[end + 4..].to_vec() })
}

/// Sends a request, and answers with what comes back.
pub fn send(address: &str, request: &[u8]) -> Option<Answer> {
    let mut stream = connect(address);
    let _ = stream.write_all(request);
    answer(stream)
}

/// Posts an export of traces.
pub fn post(address: &str, kind: &str, headers: &[(&str, &str)], body: &[u8]) -> Answer {
    let headers = [&[("Content-Type", kind)], headers].concat();
    send(address, &request("POST", "/v1/traces", &headers, body)).expect("an answer")
}
