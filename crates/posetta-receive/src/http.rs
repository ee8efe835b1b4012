//! OTLP over HTTP: a POST to `/v1/traces` with one export, answered by one message of the same encoding.

use std::io::Write;
use std::sync::Arc;

use hyper::body::Incoming;
use hyper::header::{ALLOW, CONTENT_ENCODING, CONTENT_TYPE, HeaderMap, HeaderValue, ORIGIN, RETRY_AFTER};
use hyper::{Method, Request, Response, StatusCode};
use posetta_door::body::whole;
use posetta_door::{Answer, is_of_a_page};

use crate::export::{Desk, Encoding, Packing, Refused};
use crate::{Refusal, wire};

const PROTO: &str = "application/x-protobuf";
const JSON: &str = "application/json";

/// What a path receives.
enum Path {
    Traces,
    /// Metrics and logs.
    Others,
}

pub(crate) async fn answer<W: Write>(desk: &Arc<Desk<W>>, request: Request<Incoming>) -> Response<Answer> {
    // An answer has the encoding of its request, where that is known.
    let encoding = encoding_of(request.headers());
    match receive(desk, request, encoding).await {
        Ok(()) => respond(StatusCode::OK, encoding, if encoding == Some(Encoding::Json) { b"{}" } else { b"" }),
        Err((refusal, what)) => {
            desk.counts().refuse(refusal, &what);
            let status = StatusCode::from_u16(refusal.http()).unwrap_or(StatusCode::BAD_REQUEST);
            let body = match encoding {
                Some(Encoding::Json) => {
                    serde_json::json!({ "code": refusal.grpc(), "message": what }).to_string().into_bytes()
                }
                _ => {
                    let mut message = Vec::new();
                    wire::number(&mut message, 1, u64::from(refusal.grpc()));
                    wire::bytes(&mut message, 2, what.as_bytes());
                    message
                }
            };
            let mut response = respond(status, encoding, &body);
            match refusal {
                Refusal::Method => drop(response.headers_mut().insert(ALLOW, HeaderValue::from_static("POST"))),
                Refusal::Busy => drop(response.headers_mut().insert(RETRY_AFTER, HeaderValue::from_static("1"))),
                _ => {}
            }
            response
        }
    }
}

async fn receive<W: Write>(
    desk: &Arc<Desk<W>>,
    request: Request<Incoming>,
    encoding: Option<Encoding>,
) -> Result<(), Refused> {
    let path = match request.uri().path() {
        "/v1/traces" => Some(Path::Traces),
        "/v1/metrics" | "/v1/logs" => Some(Path::Others),
        _ => None,
    };
    // Any page that somebody looks at could send spans that nobody recorded. It cannot leave out that it is one.
    if is_of_a_page(request.headers()) {
        let origin = request.headers().get(ORIGIN).and_then(|origin| origin.to_str().ok()).unwrap_or("a web site");
        return Err((Refusal::Page, format!("a request of {}", cut(origin))));
    }
    if request.method() != Method::POST {
        return Err((Refusal::Method, format!("a request {}", cut(request.method().as_str()))));
    }
    let Some(path) = path else {
        return Err((Refusal::Path, format!("a request to {}", cut(request.uri().path()))));
    };
    let packing = Packing::called(request.headers().get(CONTENT_ENCODING).map(HeaderValue::as_bytes));
    let body = desk.gather(request.into_body()).await?;
    if let Path::Others = path {
        desk.counts().others += 1;
        return Ok(());
    }
    let Some(encoding) = encoding else {
        return Err((Refusal::Unsupported, format!("a type that is neither {PROTO} nor {JSON}")));
    };
    desk.take(&body.bytes, packing?, encoding)
}

fn encoding_of(headers: &HeaderMap) -> Option<Encoding> {
    let value = headers.get(CONTENT_TYPE)?.to_str().ok()?;
    let kind = value.split(';').next().unwrap_or_default().trim();
    match () {
        () if kind.eq_ignore_ascii_case(PROTO) => Some(Encoding::Proto),
        () if kind.eq_ignore_ascii_case(JSON) => Some(Encoding::Json),
        () => None,
    }
}

fn respond(status: StatusCode, encoding: Option<Encoding>, body: &[u8]) -> Response<Answer> {
    let mut response = Response::new(whole(body.to_vec()));
    *response.status_mut() = status;
    let kind = if encoding == Some(Encoding::Json) { JSON } else { PROTO };
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    response
}

/// A text of a stranger, short and without anything that a terminal would take for more than text.
pub(crate) fn cut(text: &str) -> String {
    const MOST: usize = 60;
    let shown: String = text.chars().take(MOST).map(|c| if c.is_ascii_graphic() { c } else { '?' }).collect();
    if text.len() > MOST { shown + "…" } else { shown }
}
