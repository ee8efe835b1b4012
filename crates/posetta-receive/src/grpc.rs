//! OTLP over gRPC: unary calls, each one message behind five bytes, answered by one message and a status in the trailers.
//!
//! That is all of gRPC that an exporter uses, so HTTP/2 and these five bytes do.

use std::io::Write;
use std::sync::Arc;

use hyper::body::Incoming;
use hyper::header::{CONTENT_TYPE, HeaderMap, HeaderValue};
use hyper::{Request, Response};
use posetta_door::Answer;
use posetta_door::body::with_trailers;

use crate::Refusal;
use crate::export::{Desk, Encoding, Packing, Refused};
use crate::http::cut;

const TRACES: &str = "/opentelemetry.proto.collector.trace.v1.TraceService/Export";
const OTHERS: [&str; 2] = [
    "/opentelemetry.proto.collector.metrics.v1.MetricsService/Export",
    "/opentelemetry.proto.collector.logs.v1.LogsService/Export",
];

/// Whether a message is packed, and its length.
const PREFIX: usize = 5;

/// An empty message: everything was taken.
const TAKEN: [u8; PREFIX] = [0; PREFIX];

/// Whether a request is a call.
pub(crate) fn is_call(request: &Request<Incoming>) -> bool {
    let kind = request.headers().get(CONTENT_TYPE).map_or(&b""[..], HeaderValue::as_bytes);
    kind.starts_with(b"application/grpc") && request.version() == hyper::Version::HTTP_2
}

pub(crate) async fn answer<W: Write>(desk: &Arc<Desk<W>>, request: Request<Incoming>) -> Response<Answer> {
    let (message, status, told) = match receive(desk, request).await {
        Ok(()) => (&TAKEN[..], 0, None),
        Err((refusal, what)) => {
            desk.counts().refuse(refusal, &what);
            (&[][..], refusal.grpc(), Some(what))
        }
    };
    let mut trailers = HeaderMap::new();
    trailers.insert("grpc-status", HeaderValue::from(u16::from(status)));
    // Other characters would have to be written as their numbers.
    let plain = |what: String| what.chars().filter(|c| matches!(c, ' '..='~') && *c != '%').collect::<String>();
    if let Some(told) = told.and_then(|what| HeaderValue::from_str(&plain(what)).ok()) {
        trailers.insert("grpc-message", told);
    }
    let mut response = Response::new(with_trailers(message, trailers));
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/grpc"));
    response
}

async fn receive<W: Write>(desk: &Arc<Desk<W>>, request: Request<Incoming>) -> Result<(), Refused> {
    let path = request.uri().path().to_owned();
    let is_other = OTHERS.contains(&path.as_str());
    if path != TRACES && !is_other {
        return Err((Refusal::Path, format!("a call of {}", cut(&path))));
    }
    let packing = Packing::called(request.headers().get("grpc-encoding").map(HeaderValue::as_bytes));
    let body = desk.gather(request.into_body()).await?;
    if is_other {
        desk.counts().others += 1;
        return Ok(());
    }
    let Some((prefix, message)) = body.bytes.split_first_chunk::<PREFIX>() else {
        return Err((Refusal::Malformed, "a call without a message".to_owned()));
    };
    let [packed, length @ ..] = *prefix;
    if u32::from_be_bytes(length) as usize != message.len() {
        return Err((Refusal::Malformed, "a call whose message has another length".to_owned()));
    }
    let packing = match packed {
        0 => Packing::None,
        _ => packing?,
    };
    desk.take(message, packing, Encoding::Proto)
}
