//! What a command has to find in its environment so that OpenTelemetry SDKs in it export here.
//!
//! What somebody has set stays, unless spans would go elsewhere or nowhere; that is said.

use std::ffi::OsString;

/// How long an SDK may keep spans to itself, in milliseconds. Their own default is five seconds.
const DELAY: &str = "100";

/// How many spans an SDK may hold before it drops some without a word. Their own default is 2,048.
const QUEUE: &str = "65536";

/// What a variable becomes.
#[derive(Debug, PartialEq, Eq)]
pub struct Change {
    pub name: &'static str,
    /// Nothing if it is taken away.
    pub value: Option<String>,
    /// What somebody had set, if that is not followed.
    pub instead_of: Option<String>,
}

/// The variables for a receiver at this endpoint, in an environment that `set` knows.
pub fn changes(endpoint: &str, set: impl Fn(&str) -> Option<OsString>) -> Vec<Change> {
    let set =
        |name: &str| set(name).map(|value| value.to_string_lossy().into_owned()).filter(|value| !value.is_empty());
    let mut changes = Vec::new();
    let mut put = |name: &'static str, value: Option<&str>| {
        let before = set(name);
        if before.as_deref() != value {
            changes.push(Change { name, value: value.map(str::to_owned), instead_of: before });
        }
    };
    put("OTEL_EXPORTER_OTLP_ENDPOINT", Some(endpoint));
    // It goes before the other one.
    put("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", None);
    // The port understands all of them.
    let is_protocol = |value: &str| ["grpc", "http/protobuf", "http/json"].contains(&value);
    if !set("OTEL_EXPORTER_OTLP_PROTOCOL").is_some_and(|value| is_protocol(&value)) {
        put("OTEL_EXPORTER_OTLP_PROTOCOL", Some("http/protobuf"));
    }
    if set("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL").is_some_and(|value| !is_protocol(&value)) {
        put("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", None);
    }
    for name in ["OTEL_EXPORTER_OTLP_COMPRESSION", "OTEL_EXPORTER_OTLP_TRACES_COMPRESSION"] {
        if set(name).is_some_and(|value| !["gzip", "deflate", "none"].contains(&value.as_str())) {
            put(name, None);
        }
    }
    // For gRPC: nothing is encrypted.
    put("OTEL_EXPORTER_OTLP_INSECURE", Some("true"));
    put("OTEL_EXPORTER_OTLP_TRACES_INSECURE", None);
    if !set("OTEL_TRACES_EXPORTER").is_some_and(|value| value.split(',').any(|one| one.trim() == "otlp")) {
        put("OTEL_TRACES_EXPORTER", Some("otlp"));
    }
    if set("OTEL_SDK_DISABLED").is_some_and(|value| value.eq_ignore_ascii_case("true")) {
        put("OTEL_SDK_DISABLED", Some("false"));
    }
    // No trace at all would be recorded.
    if set("OTEL_TRACES_SAMPLER").is_some_and(|value| value.ends_with("always_off")) {
        put("OTEL_TRACES_SAMPLER", Some("parentbased_always_on"));
    }
    for (name, value) in [("OTEL_BSP_SCHEDULE_DELAY", DELAY), ("OTEL_BSP_MAX_QUEUE_SIZE", QUEUE)] {
        if set(name).is_none() {
            put(name, Some(value));
        }
    }
    // A proxy would be asked for a port of its own machine.
    for (proxies, name) in [(["http_proxy", "all_proxy"], "no_proxy"), (["HTTP_PROXY", "ALL_PROXY"], "NO_PROXY")] {
        if proxies.iter().any(|proxy| set(proxy).is_some()) {
            let value = set(name).map_or_else(|| "127.0.0.1".to_owned(), |value| format!("{value},127.0.0.1"));
            changes.push(Change { name, value: Some(value), instead_of: None });
        }
    }
    changes
}

/// What was set and is not followed, for people.
pub fn told(changes: &[Change]) -> String {
    let mut out = String::new();
    for Change { name, value, instead_of } in changes {
        let Some(before) = instead_of else { continue };
        let now = value.as_deref().map_or_else(|| "not set".to_owned(), |value| format!("`{value}`"));
        out.push_str(&format!("note: {name} was `{before}`; for this command it is {now}\n"));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    const HERE: &str = "http://127.0.0.1:1";

    /// What becomes of an environment, and what is said.
    fn after(before: &[(&str, &str)]) -> (BTreeMap<String, String>, String) {
        let mut set: BTreeMap<String, String> =
            before.iter().map(|(n, v)| ((*n).to_owned(), (*v).to_owned())).collect();
        let changes = changes(HERE, |name| set.get(name).map(OsString::from));
        let told = told(&changes);
        for Change { name, value, .. } in changes {
            match value {
                Some(value) => drop(set.insert(name.to_owned(), value)),
                None => drop(set.remove(name)),
            }
        }
        (set, told)
    }

    #[test]
    fn an_empty_environment_gets_all_that_an_exporter_needs() {
        let (set, told) = after(&[]);
        let expected = [
            ("OTEL_BSP_MAX_QUEUE_SIZE", QUEUE),
            ("OTEL_BSP_SCHEDULE_DELAY", DELAY),
            ("OTEL_EXPORTER_OTLP_ENDPOINT", HERE),
            ("OTEL_EXPORTER_OTLP_INSECURE", "true"),
            ("OTEL_EXPORTER_OTLP_PROTOCOL", "http/protobuf"),
            ("OTEL_TRACES_EXPORTER", "otlp"),
        ];
        let set: Vec<(&str, &str)> = set.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        assert_eq!((set, told.as_str()), (expected.to_vec(), ""));
    }

    #[test]
    fn what_leads_elsewhere_is_not_followed_and_that_is_said() {
        for (name, before, now) in [
            ("OTEL_EXPORTER_OTLP_ENDPOINT", "https://collector:4318", Some(HERE)),
            ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "https://collector:4318/v1/traces", None),
            ("OTEL_EXPORTER_OTLP_PROTOCOL", "carrier/pigeon", Some("http/protobuf")),
            ("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "carrier/pigeon", None),
            ("OTEL_EXPORTER_OTLP_COMPRESSION", "zstd", None),
            ("OTEL_TRACES_EXPORTER", "console", Some("otlp")),
            ("OTEL_TRACES_EXPORTER", "none", Some("otlp")),
            ("OTEL_SDK_DISABLED", "True", Some("false")),
            ("OTEL_TRACES_SAMPLER", "parentbased_always_off", Some("parentbased_always_on")),
        ] {
            let (set, told) = after(&[(name, before)]);
            assert_eq!(set.get(name).map(String::as_str), now, "{name}");
            assert!(told.contains(name) && told.contains(before), "{told}");
        }
    }

    #[test]
    fn what_leads_here_stays() {
        for (name, value) in [
            ("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc"),
            ("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "http/json"),
            ("OTEL_EXPORTER_OTLP_COMPRESSION", "gzip"),
            ("OTEL_TRACES_EXPORTER", "console,otlp"),
            ("OTEL_BSP_SCHEDULE_DELAY", "7"),
            ("OTEL_SERVICE_NAME", "shop"),
            ("OTEL_TRACES_SAMPLER", "traceidratio"),
        ] {
            let (set, told) = after(&[(name, value)]);
            assert_eq!((set.get(name).map(String::as_str), told.as_str()), (Some(value), ""), "{name}");
        }
        let (set, _) = after(&[("http_proxy", "http://proxy"), ("no_proxy", "intern")]);
        assert_eq!(set["no_proxy"], "intern,127.0.0.1");
    }
}
