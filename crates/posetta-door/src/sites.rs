//! Requests that a browser sends for a page of somebody else.

use hyper::StatusCode;
use hyper::header::{HeaderMap, HeaderValue, ORIGIN};

/// Why somebody is not let in.
pub type Refusal = (StatusCode, &'static str);

/// The value of a header.
///
/// # Errors
/// Twice the same one, or one that is no text, is a trick.
pub fn one<'a>(headers: &'a HeaderMap, name: &str) -> Result<Option<&'a str>, Refusal> {
    let mut values = headers.get_all(name).iter();
    let trick = (StatusCode::BAD_REQUEST, "a header is there twice, or is no text");
    match (values.next().map(HeaderValue::to_str), values.next()) {
        (None, _) => Ok(None),
        (Some(Ok(value)), None) => Ok(Some(value)),
        _ => Err(trick),
    }
}

/// Whether a browser says that a page sends this, whichever one. Programs that are no browsers say neither.
#[must_use]
pub fn is_of_a_page(headers: &HeaderMap) -> bool {
    headers.contains_key(ORIGIN) || headers.contains_key("sec-fetch-site")
}
