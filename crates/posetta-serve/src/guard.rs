//! Who is let in.
//!
//! A browser sends requests for any page that it shows. Such a page can name this server by an address (then the browser says where the
//! request comes from, in `Origin` or `Sec-Fetch-Site`) or by a name of its own that leads here (DNS rebinding: then `Host` is that name).
//! Both are refused, whatever they ask. Nothing ever allows another site to read an answer.

use std::net::{IpAddr, SocketAddr};

use hyper::header::{AUTHORIZATION, HOST, ORIGIN};
use hyper::{Request, StatusCode};
use posetta_door::{Refusal, one};

/// Decides who is let in.
pub struct Guard {
    address: SocketAddr,
    /// Hashes are compared in constant time.
    token: Option<blake3::Hash>,
}

/// What a request wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Want {
    /// The page and its parts, which are the same for everybody.
    Page,
    /// Anything else.
    Answers,
}

impl Guard {
    pub fn new(address: SocketAddr, token: Option<&str>) -> Self {
        Self { address, token: token.map(|token| blake3::hash(token.as_bytes())) }
    }

    /// Whether a request is let in.
    pub fn check<B>(&self, request: &Request<B>, want: Want) -> Result<(), Refusal> {
        let headers = request.headers();
        let host = match one(headers, HOST.as_str())? {
            Some(host) => host,
            // A request may have it in front of the path.
            None => request.uri().authority().map_or("", |authority| authority.as_str()),
        };
        if !self.is_ours(host) {
            let why = "this server does not have that name: open it by the address that it printed";
            return Err((StatusCode::MISDIRECTED_REQUEST, why));
        }
        let elsewhere = (StatusCode::FORBIDDEN, "requests of other sites are refused");
        if let Some(origin) = one(headers, ORIGIN.as_str())?
            && origin.strip_prefix("http://") != Some(host)
        {
            return Err(elsewhere);
        }
        match (one(headers, "sec-fetch-site")?, want) {
            (None | Some("same-origin"), _) | (Some("none"), Want::Page) => {}
            // A link to the page shows the page, and nothing else.
            (Some(_), Want::Page) if one(headers, "sec-fetch-mode")? == Some("navigate") => {}
            _ => return Err(elsewhere),
        }
        match (&self.token, want) {
            (Some(token), Want::Answers) => {
                let given = one(headers, AUTHORIZATION.as_str())?.and_then(|value| value.strip_prefix("Bearer "));
                let is_it = given.is_some_and(|given| blake3::hash(given.as_bytes()) == *token);
                let why = "the token is missing or wrong: open the address that the server printed, with all that is behind #";
                if is_it { Ok(()) } else { Err((StatusCode::UNAUTHORIZED, why)) }
            }
            _ => Ok(()),
        }
    }

    /// Whether this server is called so: by an address of it, or as `localhost`. No other name is known, so none can be made to lead here.
    fn is_ours(&self, host: &str) -> bool {
        let (name, port) = match host.rsplit_once(':') {
            Some((name, port)) if !port.is_empty() && port.bytes().all(|b| b.is_ascii_digit()) => (name, port),
            _ => (host, "80"),
        };
        if port.parse() != Ok(self.address.port()) {
            return false;
        }
        if name.eq_ignore_ascii_case("localhost") {
            return self.address.ip().is_loopback() || self.address.ip().is_unspecified();
        }
        let bare = name.strip_prefix('[').and_then(|name| name.strip_suffix(']')).unwrap_or(name);
        let Ok(called) = bare.parse::<IpAddr>() else { return false };
        // Where every address of the machine is listened to, any may be meant; a number is no name that somebody else decides about.
        called == self.address.ip() || self.address.ip().is_unspecified() || (called.is_loopback() && self.is_local())
    }

    fn is_local(&self) -> bool {
        self.address.ip().is_loopback()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What becomes of a request with these headers.
    fn checked(address: &str, token: Option<&str>, want: Want, headers: &[(&str, &str)]) -> u16 {
        let guard = Guard::new(address.parse().expect("an address"), token);
        let mut request = Request::builder().uri("/");
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        match guard.check(&request.body(()).expect("a request"), want) {
            Ok(()) => 200,
            Err((status, _)) => status.as_u16(),
        }
    }

    #[test]
    fn only_names_that_nobody_else_decides_about_lead_here() {
        let here = |host| checked("127.0.0.1:8017", None, Want::Answers, &[("host", host)]);
        for host in ["127.0.0.1:8017", "localhost:8017", "LocalHost:8017", "[::1]:8017"] {
            assert_eq!(here(host), 200, "{host}");
        }
        for host in [
            "evil.example:8017",
            "evil.example",
            "127.0.0.1",
            "127.0.0.1:80",
            "127.0.0.1:8018",
            "127.0.0.1.evil.example:8017",
            "localhost.evil.example:8017",
            "localhost",
            "",
            ":8017",
            "10.0.0.7:8017",
            "user@127.0.0.1:8017",
            "127.0.0.1:8017:8017",
            "127.0.0.1:+8017",
        ] {
            assert_eq!(here(host), 421, "{host}");
        }
        assert_eq!(checked("127.0.0.1:8017", None, Want::Page, &[]), 421, "no name at all");
        let twice = [("host", "127.0.0.1:8017"), ("host", "evil.example")];
        assert_eq!(checked("127.0.0.1:8017", None, Want::Page, &twice), 400);
        let anywhere = |host| checked("0.0.0.0:8017", None, Want::Answers, &[("host", host)]);
        assert_eq!(
            [anywhere("10.0.0.7:8017"), anywhere("localhost:8017"), anywhere("evil.example:8017")],
            [200, 200, 421]
        );
        let one = |host| checked("10.0.0.7:8017", None, Want::Answers, &[("host", host)]);
        assert_eq!([one("10.0.0.7:8017"), one("10.0.0.8:8017"), one("localhost:8017")], [200, 421, 421]);
    }

    #[test]
    fn other_sites_get_nothing() {
        let with = |want, more: &[(&str, &str)]| {
            checked("127.0.0.1:8017", None, want, &[&[("host", "127.0.0.1:8017")], more].concat())
        };
        let own = ("origin", "http://127.0.0.1:8017");
        assert_eq!(with(Want::Answers, &[own, ("sec-fetch-site", "same-origin")]), 200);
        assert_eq!(with(Want::Answers, &[]), 200, "no browser");
        for origin in
            ["null", "http://evil.example", "https://127.0.0.1:8017", "http://127.0.0.1:8018", "http://localhost:8017"]
        {
            assert_eq!(with(Want::Answers, &[("origin", origin)]), 403, "{origin}");
        }
        for site in ["cross-site", "same-site", "none", "new-one"] {
            assert_eq!(with(Want::Answers, &[("sec-fetch-site", site)]), 403, "{site}");
        }
        assert_eq!(with(Want::Page, &[("sec-fetch-site", "none")]), 200, "typed");
        assert_eq!(
            with(Want::Page, &[("sec-fetch-site", "cross-site"), ("sec-fetch-mode", "navigate")]),
            200,
            "a link"
        );
        assert_eq!(with(Want::Page, &[("sec-fetch-site", "cross-site"), ("sec-fetch-mode", "no-cors")]), 403, "a part");
    }

    #[test]
    fn a_token_must_be_there_whole() {
        let with = |want, given: &str| {
            let headers = [("host", "127.0.0.1:8017"), ("authorization", given)];
            checked("127.0.0.1:8017", Some("0123456789abcdef"), want, &headers)
        };
        assert_eq!(with(Want::Answers, "Bearer 0123456789abcdef"), 200);
        for wrong in [
            "",
            "Bearer ",
            "Bearer 0123456789abcde",
            "Bearer 0123456789abcdef ",
            "Basic 0123456789abcdef",
            "0123456789abcdef",
        ] {
            assert_eq!(with(Want::Answers, wrong), 401, "{wrong:?}");
        }
        assert_eq!(with(Want::Page, ""), 200, "the page has no secrets");
        let none = [("host", "127.0.0.1:8017")];
        assert_eq!(checked("127.0.0.1:8017", Some("x"), Want::Answers, &none), 401);
    }
}
