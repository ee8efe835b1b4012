//! `posetta serve`: what it answers, whom it lets in, what it reads, and that its checks are real processes that end.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::program::otlp::{Answer, answer, connect};
use crate::program::{MUTEX, Place, hopeless, wide};

const PROPS: &str = "property never = ltl G !(c0 == 1 && c1 == 1)\nproperty some = ltl F c0 == 1\n";

/// Generous, because machines that run tests are busy.
const LATE: Duration = Duration::from_secs(120);

/// A server at work.
struct Serving {
    child: Child,
    address: String,
    token: Option<String>,
    place: Place,
}

impl Drop for Serving {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Serving {
    /// Serves the folder `files` of a place.
    fn start(place: Place, flags: &[&str]) -> Self {
        std::fs::create_dir_all(place.path().join("tmp")).expect("a directory");
        let args = [&["serve", "files"], flags].concat();
        let mut command = place.command(&args);
        command.env("TMPDIR", place.path().join("tmp"));
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
        let mut first = String::new();
        BufReader::new(child.stdout.take().expect("piped")).read_line(&mut first).expect("a line");
        let rest = first.split("http://").nth(1).unwrap_or_else(|| panic!("no address in {first:?}")).trim();
        let (address, token) =
            rest.split_once("/#token=").map_or((rest, None), |(at, token)| (at, Some(token.to_owned())));
        Self { child, address: address.trim_end_matches('/').to_owned(), token, place }
    }

    fn with(files: &[(&str, &str)], flags: &[&str]) -> Self {
        Self::start(Place::with(files), flags)
    }

    /// A request as a browser would send it from the page, and what comes back.
    fn send(&self, method: &str, path: &str, body: &[u8]) -> Answer {
        let token = self.token.as_ref().map(|token| format!("Bearer {token}"));
        let own = format!("http://{}", self.address);
        let mut headers = vec![("Host", self.address.as_str()), ("Origin", &own), ("Sec-Fetch-Site", "same-origin")];
        headers.extend(token.as_deref().map(|token| ("Authorization", token)));
        self.send_with(method, path, &headers, body).expect("an answer")
    }

    /// The same with these headers and no others.
    fn send_with(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &[u8]) -> Option<Answer> {
        let mut out = format!("{method} {path} HTTP/1.1\r\nConnection: close\r\nContent-Length: {}\r\n", body.len());
        headers.iter().for_each(|(name, value)| out.push_str(&format!("{name}: {value}\r\n")));
        let mut stream = connect(&self.address);
        let _ = stream.write_all(&[out.as_bytes(), b"\r\n", body].concat());
        answer(stream).map(whole)
    }

    fn get(&self, path: &str) -> Value {
        let answer = self.send("GET", path, b"");
        assert_eq!(answer.status, 200, "{path}: {}", String::from_utf8_lossy(&answer.body));
        serde_json::from_slice(&answer.body).expect("JSON")
    }

    /// The status and the answer.
    fn post(&self, path: &str, body: &Value) -> (u16, Value) {
        let answer = self.send("POST", path, body.to_string().as_bytes());
        (answer.status, serde_json::from_slice(&answer.body).unwrap_or_default())
    }

    /// All lines of a job.
    fn job(&self, question: &Value) -> Vec<Value> {
        let answer = self.send("POST", "/api/jobs", question.to_string().as_bytes());
        let text = String::from_utf8(answer.body).expect("UTF-8");
        assert_eq!(answer.status, 200, "{text}");
        text.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|e| panic!("{e}: {line}"))).collect()
    }

    /// Begins a job that never ends by itself, and answers with the connection and the number of the job once it runs.
    fn begin_hopeless(&self) -> (BufReader<std::net::TcpStream>, u64) {
        let question = json!({
            "do": "check", "subject": { "path": "wide.trace" }, "seconds": 600,
            "properties": { "text": format!("property p = ltl {}", hopeless()) },
        });
        let body = question.to_string();
        let mut stream = connect(&self.address);
        let head =
            format!("POST /api/jobs HTTP/1.1\r\nHost: {}\r\nContent-Length: {}\r\n\r\n", self.address, body.len());
        stream.write_all(format!("{head}{body}").as_bytes()).expect("sent");
        let (mut reader, mut number, begun) = (BufReader::new(stream), None, Instant::now());
        loop {
            let mut line = String::new();
            reader.read_line(&mut line).expect("a line");
            assert!(begun.elapsed() < LATE, "it never runs");
            let Ok(line) = serde_json::from_str::<Value>(&line) else { continue };
            number = number.or(line["job"].as_u64());
            // It is deep in its work.
            if line["progress"]["explored"].as_u64().is_some_and(|explored| explored > 0) {
                return (reader, number.expect("a number"));
            }
        }
    }

    /// The processes that it has started and that are there.
    fn children(&self) -> Vec<u32> {
        let path = format!("/proc/{0}/task/{0}/children", self.child.id());
        let of_thread = |path: String| std::fs::read_to_string(path).unwrap_or_default();
        let tasks = std::fs::read_dir(format!("/proc/{}/task", self.child.id())).map_or(Vec::new(), |all| {
            all.flatten().map(|task| task.path().join("children").display().to_string()).collect()
        });
        let all: String = tasks.into_iter().chain([path]).map(|path| of_thread(path) + " ").collect();
        let mut all: Vec<u32> = all.split_whitespace().filter_map(|pid| pid.parse().ok()).collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    fn signal(&self, name: &str) {
        let sent = Command::new("kill").args([name, &self.child.id().to_string()]).status().expect("kill");
        assert!(sent.success());
    }
}

/// An answer whose body came in chunks, put together.
fn whole(mut answer: Answer) -> Answer {
    if !answer.head.to_ascii_lowercase().contains("transfer-encoding: chunked") {
        return answer;
    }
    let (mut rest, mut body) = (&answer.body[..], Vec::new());
    while let Some(end) = rest.windows(2).position(|two| two == b"\r\n") {
        let size = usize::from_str_radix(std::str::from_utf8(&rest[..end]).expect("a size"), 16).expect("a size");
        body.extend_from_slice(&rest[end + 2..end + 2 + size]);
        rest = &rest[end + 2 + size + 2..];
        if size == 0 {
            break;
        }
    }
    answer.body = body;
    answer
}

fn is_there(pid: u32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    // One that nobody has waited for yet is gone all the same.
    stat.rsplit(')').next().is_some_and(|rest| !rest.trim_start().starts_with('Z') && !rest.trim().is_empty())
}

fn wait_until(what: &str, is_so: impl Fn() -> bool) {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < LATE, "{what}");
        thread::sleep(Duration::from_millis(20));
    }
}

fn mutex() -> Serving {
    Serving::with(&[("files/mutex.trace", MUTEX), ("files/mutex.props", PROPS), ("files/wide.trace", &wide())], &[])
}

#[test]
fn a_check_tells_its_verdicts_and_keeps_its_answer() {
    let serving = mutex();
    let files = serving.get("/api/files");
    let paths: Vec<&str> =
        files["files"].as_array().expect("a list").iter().filter_map(|f| f["path"].as_str()).collect();
    assert_eq!(paths, ["mutex.props", "mutex.trace", "wide.trace"]);
    let (status, text) = serving.post("/api/read", &json!({ "path": "mutex.props" }));
    assert_eq!((status, text["text"].as_str()), (200, Some(PROPS)));
    let lines = serving.job(&json!({
        "do": "check", "subject": { "path": "mutex.trace" }, "properties": { "path": "mutex.props", "text": PROPS },
    }));
    let told: Vec<(&str, &str)> = lines
        .iter()
        .filter(|line| line["decided"].is_object())
        .map(|line| (line["decided"]["property"].as_str().unwrap(), line["decided"]["verdict"].as_str().unwrap()))
        .collect();
    assert_eq!(told.len(), 2, "each once: {lines:?}");
    assert!(told.contains(&("never", "violated")) && told.contains(&("some", "holds")), "{told:?}");
    let end = &lines.last().expect("an end")["end"];
    assert_eq!((&end["how"], &end["status"], &end["output"]), (&json!("done"), &json!(0), &json!(true)));
    let output = serving.get(&format!("/api/jobs/{}/output", lines[0]["job"]));
    assert_eq!((&output["schema"], &output["results"][0]["verdict"]), (&json!("posetta-show/1"), &json!("violated")));
    let shared = serving.send("POST", &format!("/api/jobs/{}/share", lines[0]["job"]), b"{}");
    let lines: Vec<Value> =
        String::from_utf8_lossy(&shared.body).lines().map(|l| serde_json::from_str(l).expect("JSON")).collect();
    let page = serving.send("GET", &format!("/api/jobs/{}/output", lines[0]["job"]), b"");
    assert!(page.head.contains("text/html") && page.head.contains("attachment"), "{}", page.head);
    assert!(String::from_utf8_lossy(&page.body).contains("posetta-show/1"), "{lines:?}");
}

#[test]
fn a_mistake_has_the_place_that_it_has_in_the_editor() {
    let serving = Serving::with(
        &[
            ("files/a/mutex.trace", MUTEX),
            ("files/a/p.props", PROPS),
            ("files/a/lib.props", "let both = c0 == 1 && c1 == 1\n"),
        ],
        &[],
    );
    let ask = |text: &str| {
        let properties = json!({ "path": "a/p.props", "text": text });
        serving.job(&json!({ "do": "check", "subject": { "path": "a/mutex.trace" }, "properties": properties }))
    };
    let lines = ask("property p = ltl G !both\nproperty q = ltl G (\n");
    let notes: String = lines.iter().filter_map(|line| line["note"].as_str()).collect();
    assert!(notes.contains(" --> a/p.props:2:") && notes.contains('^'), "{notes}");
    let lines = ask("import \"lib.props\"\nproperty p = ltl G !both\n");
    assert_eq!(lines.last().expect("an end")["end"]["status"], 0, "imports are found beside the file: {lines:?}");
    let lines = ask("import \"../../secret.props\"\nproperty p = ltl G !both\n");
    let notes: String = lines.iter().filter_map(|line| line["note"].as_str()).collect();
    assert!(notes.contains("outside"), "{notes}");
    assert_eq!(serving.place.read("files/a/p.props"), PROPS, "nothing is written to the folder");
}

#[test]
fn every_answer_protects_the_browser() {
    let serving = mutex();
    for (method, path, status) in [
        ("GET", "/", 200),
        ("GET", "/page/main.js", 200),
        ("GET", "/api/files", 200),
        ("GET", "/nothing", 404),
        ("POST", "/", 405),
        ("GET", "/api/jobs", 405),
        ("DELETE", "/api/files", 405),
        ("GET", "/api/jobs/77/output", 404),
        ("GET", "/api/jobs/x/output", 404),
    ] {
        let answer = serving.send(method, path, b"");
        assert_eq!(answer.status, status, "{method} {path}");
        let head = answer.head.to_ascii_lowercase();
        for part in [
            "default-src 'none'",
            "frame-ancestors 'none'",
            "nosniff",
            "no-store",
            "cross-origin-resource-policy: same-origin",
        ] {
            assert!(head.contains(part), "{path} has no {part}: {head}");
        }
        assert!(!head.contains("access-control-"), "{head}");
        assert!(!head.contains("unsafe-inline"), "{head}");
    }
}

#[test]
fn only_the_folder_is_read() {
    let place = Place::with(&[("files/inside.props", PROPS), ("secret.props", "property secret = ltl G secret\n")]);
    #[cfg(unix)]
    {
        let link = |to: &str, name: &str| {
            std::os::unix::fs::symlink(to, place.path().join("files").join(name)).expect("a link")
        };
        link("../secret.props", "out.props");
        link("..", "up");
        link("inside.props", "in.props");
        link("/etc/passwd", "passwd.jsonl");
    }
    let outside = place.path().join("secret.props").display().to_string();
    let serving = Serving::start(place, &[]);
    let urls = [
        "/../secret.props",
        "/%2e%2e/secret.props",
        "/%252e%252e/secret.props",
        "/..%2fsecret.props",
        "/page/../../secret.props",
        "/page/%2e%2e/%2e%2e/secret.props",
        "/secret.props%00",
        "/files/inside.props",
        "//etc/passwd",
        "/api/files/../../secret.props",
    ];
    for url in urls {
        let answer = serving.send("GET", url, b"");
        assert_eq!(answer.status, 404, "{url}");
        assert!(!String::from_utf8_lossy(&answer.body).contains("secret"), "{url}");
    }
    let paths = [
        "../secret.props",
        "a/../../secret.props",
        "./../secret.props",
        "%2e%2e/secret.props",
        "..%2fsecret.props",
        "%252e%252e%252fsecret.props",
        &outside,
        "/etc/passwd",
        "out.props",
        "up/secret.props",
        "passwd.jsonl",
        "inside.props\0.txt",
        "",
        ".",
        "..",
    ];
    for path in paths {
        let (status, told) = serving.post("/api/read", &json!({ "path": path }));
        assert_eq!(status, 422, "{path:?}: {told}");
        assert!(!told.to_string().contains("property"), "{path:?}: {told}");
        let (status, told) = serving.post("/api/jobs", &json!({ "do": "check", "subject": { "path": path } }));
        assert_eq!(status, 422, "{path:?}: {told}");
        let (status, _) = serving.post("/api/jobs", &json!({ "do": "check", "subject": { "path": "inside.props" }, "properties": { "path": path, "text": "x" } }));
        assert_eq!(status, 422, "{path:?}");
    }
    let told = |path: &str| serving.post("/api/read", &json!({ "path": path })).1.to_string().replace(path, "");
    assert_eq!(told("up/secret.props"), told("up/nothing.props"), "nobody learns what is outside");
    assert_eq!(serving.post("/api/read", &json!({ "path": "in.props" })).0, 200, "a link that stays inside");
    let files = serving.get("/api/files").to_string();
    assert!(files.contains("in.props") && !files.contains("out.props") && !files.contains("passwd"), "{files}");
}

/// The file of a question is opened later, by another process, and a label belongs to its name there.
#[cfg(unix)]
#[test]
fn what_a_child_opens_is_in_the_folder_too() {
    let own = "{\"process\":\"A\",\"name\":\"a\"}\n";
    let secret = "{\"process\":\"A\",\"name\":\"secret\"}\n";
    let place = Place::with(&[("files/run.jsonl", own), ("files/other.jsonl", own), ("secret.jsonl", secret)]);
    let link = |name: &str| {
        std::os::unix::fs::symlink("../secret.jsonl", place.path().join("files").join(name)).expect("a link");
    };
    link("run.jsonl#1");
    let other = place.path().join("files/other.jsonl");
    let serving = Serving::start(place, &[]);
    let asked = |subject: Value| serving.job(&json!({ "do": "check", "subject": subject }));
    let by_label = asked(json!({ "path": "run.jsonl", "label": "1" }));
    let is_told = |lines: &[Value]| {
        let output = serving.send("GET", &format!("/api/jobs/{}/output", lines[0]["job"]), b"");
        format!("{lines:?}{}", String::from_utf8_lossy(&output.body)).contains("secret")
    };
    assert!(!is_told(&by_label), "{by_label:?}");
    let fine = asked(json!({ "path": "other.jsonl" }));
    assert_eq!(fine.last().expect("an end")["end"]["status"], json!(0), "{fine:?}");
    // After it was looked at, it becomes another file.
    std::fs::remove_file(&other).expect("it is there");
    std::os::unix::fs::symlink("../secret.jsonl", &other).expect("a link");
    let shared = serving.send("POST", &format!("/api/jobs/{}/share", fine[0]["job"]), b"{}");
    let shared: Vec<Value> =
        String::from_utf8_lossy(&shared.body).lines().map(|l| serde_json::from_str(l).expect("JSON")).collect();
    assert!(!is_told(&shared), "{shared:?}");
    assert_eq!(shared.last().expect("an end")["end"]["status"], json!(2), "{shared:?}");
}

#[test]
fn nobody_else_is_let_in() {
    let serving = mutex();
    let here = serving.address.clone();
    let own = format!("http://{here}");
    let ask =
        |headers: &[(&str, &str)]| serving.send_with("GET", "/api/files", headers, b"").map(|answer| answer.status);
    assert_eq!(ask(&[("Host", &here)]), Some(200));
    assert_eq!(ask(&[("Host", &here), ("Origin", &own)]), Some(200));
    for (header, value, status) in [
        ("Origin", "http://evil.example", 403),
        ("Origin", "null", 403),
        ("Sec-Fetch-Site", "cross-site", 403),
        ("Sec-Fetch-Site", "same-site", 403),
    ] {
        assert_eq!(ask(&[("Host", &here), (header, value)]), Some(status), "{header}: {value}");
    }
    let port = here.rsplit_once(':').expect("a port").1;
    for host in [format!("evil.example:{port}"), "evil.example".to_owned(), format!("127.0.0.1.evil.example:{port}")] {
        assert_eq!(ask(&[("Host", &host)]), Some(421), "{host}");
        let page = serving.send_with("GET", "/", &[("Host", &host)], b"").expect("an answer");
        assert_eq!(page.status, 421, "{host}");
    }
    // A browser asks before it sends JSON for another site. It gets no permission.
    let asked = [("Host", &*here), ("Origin", "http://evil.example"), ("Access-Control-Request-Method", "POST")];
    let answer = serving.send_with("OPTIONS", "/api/jobs", &asked, b"").expect("an answer");
    assert_eq!(answer.status, 403);
    assert!(!answer.head.to_ascii_lowercase().contains("access-control"), "{}", answer.head);
}

#[test]
fn where_others_can_reach_it_a_token_is_needed() {
    for flags in [&["--token"][..], &["--listen", "0.0.0.0:0"]] {
        let serving = Serving::with(&[("files/mutex.props", PROPS)], flags);
        let token = serving.token.clone().expect("a token");
        assert!(token.len() >= 32, "{token}");
        let here = serving.address.clone();
        let ask = |given: Option<&str>| {
            let mut headers = vec![("Host", here.as_str())];
            headers.extend(given.map(|given| ("Authorization", given)));
            let files = serving.send_with("GET", "/api/files", &headers, b"").expect("an answer");
            let read =
                serving.send_with("POST", "/api/read", &headers, br#"{"path":"mutex.props"}"#).expect("an answer");
            assert_eq!(files.status, read.status);
            files.status
        };
        let half = format!("Bearer {}", &token[..token.len() / 2]);
        let other = format!("Bearer {}", "0".repeat(token.len()));
        for wrong in [None, Some("Bearer "), Some(half.as_str()), Some(other.as_str()), Some(token.as_str())] {
            assert_eq!(ask(wrong), 401, "{wrong:?}");
        }
        assert_eq!(ask(Some(&format!("Bearer {token}"))), 200);
        assert_eq!(
            serving.send_with("GET", "/", &[("Host", &here)], b"").expect("an answer").status,
            200,
            "the page itself"
        );
        assert!(!String::from_utf8_lossy(&serving.send("GET", "/", b"").body).contains(&token));
    }
}

#[test]
fn what_is_too_large_or_too_slow_is_refused() {
    let flags = ["--max-body", "100kB", "--client-timeout", "700ms"];
    let serving = Serving::with(&[("files/mutex.trace", MUTEX)], &flags);
    let here = serving.address.clone();
    let dropped = |size: usize| {
        let body = [b"{\"name\":\"a.trace\"}\n", &vec![b'#'; size][..]].concat();
        serving.send("POST", "/api/drop", &body).status
    };
    assert_eq!(dropped(90_000), 200);
    assert_eq!(dropped(200_000), 413);
    let text = vec![b' '; 5 << 20];
    let refused = serving.send_with("POST", "/api/read", &[("Host", &here)], &text);
    assert!(refused.is_none_or(|answer| answer.status == 413));
    // Nobody says how much will come, and it never ends.
    let mut stream = connect(&here);
    let head = format!("POST /api/drop HTTP/1.1\r\nHost: {here}\r\nTransfer-Encoding: chunked\r\n\r\n");
    let _ = stream.write_all(head.as_bytes());
    for _ in 0..200 {
        let piece = [b"1000\r\n", &[b'x'; 0x1000][..], b"\r\n"].concat();
        if stream.write_all(&piece).is_err() {
            break;
        }
    }
    assert!(answer(stream).is_none_or(|answer| answer.status == 413));
    // Headers, and bodies, that never come.
    let begun = Instant::now();
    let mut headers = connect(&here);
    headers.write_all(b"GET / HTTP/1.1\r\nHost: ").expect("sent");
    let mut body = connect(&here);
    body.write_all(format!("POST /api/read HTTP/1.1\r\nHost: {here}\r\nContent-Length: 20\r\n\r\n{{").as_bytes())
        .expect("sent");
    assert!(answer(headers).is_none_or(|answer| answer.status == 408));
    assert_eq!(answer(body).map(|answer| answer.status), Some(408));
    assert!(begun.elapsed() < LATE);
    assert_eq!(serving.send("GET", "/", b"").status, 200, "others are still served");
    for broken in [&b"\0\x01\x02"[..], b"GET", b"[1,2]", b"", b"{\"path\":7}"] {
        let status = serving.send("POST", "/api/jobs", broken).status;
        assert!(matches!(status, 400 | 422), "{status}");
    }
    for broken in [&b"no line"[..], b"\n", b"{}\n", b"{\"name\":3}\nx"] {
        assert_eq!(serving.send("POST", "/api/drop", broken).status, 400, "{broken:?}");
    }
}

/// Somebody who asks for something and does not take it holds the only place for a while; one who takes it slowly gets all of it.
#[test]
fn whoever_does_not_take_the_answer_loses_the_place() {
    let large = "# nothing\n".repeat(390_000);
    let files = [("files/large.props", large.as_str())];
    let serving = Serving::with(&files, &["--max-connections", "1", "--client-timeout", "700ms"]);
    let here = serving.address.clone();
    let ask = || {
        let body = json!({ "path": "large.props" }).to_string();
        let head = format!(
            "POST /api/read HTTP/1.1\r\nHost: {here}\r\nConnection: close\r\nContent-Length: {}\r\n\r\n",
            body.len()
        );
        let mut stream = connect(&here);
        stream.write_all(format!("{head}{body}").as_bytes()).expect("sent");
        stream
    };
    let idle = ask();
    let begun = Instant::now();
    assert_eq!(serving.send("GET", "/api/about", b"").status, 200, "the place is free again");
    assert!(begun.elapsed() < LATE);
    drop(idle);
    let (mut slow, mut taken, mut piece) = (ask(), 0, vec![0; 1 << 18]);
    loop {
        match slow.read(&mut piece).expect("a piece") {
            0 => break,
            read => taken += read,
        }
        thread::sleep(Duration::from_millis(20));
    }
    assert!(taken > large.len(), "{taken} bytes of more than {}", large.len());
}

/// What an editor asks can take long; not everybody's threads work on it, and what is too much is refused.
#[test]
fn questions_of_editors_do_not_pile_up() {
    let serving = mutex();
    let text: String =
        (0..12_000).map(|i| format!("property p{i} = ltl G (c0 == 1 -> F (c1 == {i} U c0 == 2))\n")).collect();
    let question = json!({ "do": "diagnose", "language": "props", "text": text }).to_string();
    let statuses = thread::scope(|scope| {
        let ask = || serving.send("POST", "/api/language", question.as_bytes()).status;
        let all: Vec<_> = (0..24).map(|_| scope.spawn(ask)).collect();
        assert_eq!(serving.post("/api/read", &json!({ "path": "mutex.props" })).0, 200, "others are served");
        all.into_iter().map(|one| one.join().expect("a thread")).collect::<Vec<u16>>()
    });
    assert!(statuses.iter().all(|status| matches!(status, 200 | 503)), "{statuses:?}");
    assert!(statuses.contains(&200) && statuses.contains(&503), "{statuses:?}");
    let small = json!({ "do": "diagnose", "language": "props", "text": "property p = ltl G (" });
    assert_eq!(serving.post("/api/language", &small).0, 200, "afterwards there is room again");
}

/// What begins with a dot is not listed, so nobody can ask for it by name either: not as a file, not as an import.
#[test]
fn what_is_hidden_stays_hidden() {
    let secret = "KEY=secret-4711\n";
    let files = [
        ("files/.env", secret),
        ("files/.git/config", secret),
        ("files/mutex.trace", MUTEX),
        ("files/.a.props", secret),
    ];
    let serving = Serving::with(&files, &[]);
    for path in [".env", ".git/config", ".a.props"] {
        let (status, told) = serving.post("/api/read", &json!({ "path": path }));
        assert_eq!(status, 422, "{path}: {told}");
        let asked = json!({ "do": "check", "subject": { "path": path } });
        assert_eq!(serving.post("/api/jobs", &asked).0, 422, "{path}");
        let text = format!("import \"{path}\"\nproperty p = ltl G c0 == 0\n");
        let asked = json!({ "do": "diagnose", "language": "props", "text": text });
        let (status, told) = serving.post("/api/language", &asked);
        assert!(status == 200 && !told.to_string().contains("4711") && !told.to_string().contains("KEY"), "{told}");
        let told = serving
            .job(&json!({ "do": "check", "subject": { "path": "mutex.trace" }, "properties": { "text": text } }));
        assert!(!format!("{told:?}").contains("KEY"), "{told:?}");
        assert_eq!(told.last().expect("an end")["end"]["status"], json!(2), "{told:?}");
    }
    assert!(!serving.get("/api/files").to_string().contains("env"));
}

#[test]
fn many_connections_wait_and_are_served() {
    let serving =
        Serving::with(&[("files/mutex.trace", MUTEX)], &["--max-connections", "4", "--client-timeout", "500ms"]);
    // More than there are places for, and none of them says anything.
    let idle: Vec<_> = (0..40).map(|_| connect(&serving.address)).collect();
    let begun = Instant::now();
    assert_eq!(serving.send("GET", "/api/files", b"").status, 200);
    assert!(begun.elapsed() < LATE);
    drop(idle);
    let statuses = thread::scope(|scope| {
        let all: Vec<_> = (0..50).map(|_| scope.spawn(|| serving.send("GET", "/api/files", b"").status)).collect();
        all.into_iter().map(|one| one.join().expect("a thread")).collect::<Vec<u16>>()
    });
    assert!(statuses.iter().all(|&status| status == 200), "{statuses:?}");
}

#[test]
fn names_are_text_and_nothing_else() {
    let name = "<img src=x onerror=alert(1)>.jsonl";
    let event = r#"{"process":"</script><script>alert(1)</script>","name":"<b onclick=alert(1)>","set":{"x":1}}"#;
    let serving = Serving::with(&[(&format!("files/{name}"), event)], &[]);
    let answer = serving.send("GET", "/api/files", b"");
    assert!(answer.head.to_ascii_lowercase().contains("content-type: application/json"), "{}", answer.head);
    assert!(String::from_utf8_lossy(&answer.body).contains(name));
    let lines = serving.job(
        &json!({ "do": "check", "subject": { "path": name }, "properties": { "text": "property p = ltl G x < 2" } }),
    );
    let end = lines.last().expect("an end");
    assert_eq!(end["end"]["output"], true, "{lines:?}");
    let output = serving.send("GET", &format!("/api/jobs/{}/output", lines[0]["job"]), b"");
    let head = output.head.to_ascii_lowercase();
    assert!(
        head.contains("content-type: application/json") && head.contains("attachment") && head.contains("nosniff"),
        "{head}"
    );
    // A file cannot be a flag, and a dropped file cannot choose its place.
    let body = [b"{\"name\":\"../../--timeout=0s\"}\n", MUTEX.as_bytes()].concat();
    let kept: Value = serde_json::from_slice(&serving.send("POST", "/api/drop", &body).body).expect("JSON");
    assert_eq!(kept["name"], "_-timeout_0s");
    let lines = serving
        .job(&json!({ "do": "check", "subject": { "dropped": kept["dropped"] }, "properties": { "text": PROPS } }));
    assert_eq!(lines.last().expect("an end")["end"]["output"], true, "{lines:?}");
}

#[test]
fn a_limit_leaves_it_unknown() {
    let serving = mutex();
    let lines = serving.job(&json!({
        "do": "check", "subject": { "path": "wide.trace" }, "seconds": 1,
        "properties": { "text": format!("property p = ltl {}", hopeless()) },
    }));
    let end = lines.last().expect("an end");
    assert_eq!(end["end"]["status"], 3, "{lines:?}");
    assert!(lines.iter().any(|line| line["progress"]["explored"].as_u64() > Some(0)), "long work tells how far it is");
    let output = serving.get(&format!("/api/jobs/{}/output", lines[0]["job"]));
    assert_eq!(output["results"][0]["verdict"], "unknown");
    for wrong in [json!(0), json!(-1), json!("1s"), json!(0.5)] {
        let (status, _) =
            serving.post("/api/jobs", &json!({ "do": "check", "subject": { "path": "wide.trace" }, "seconds": wrong }));
        assert_eq!(status, 422);
    }
}

#[test]
fn a_model_is_verified_as_it_is_in_the_editor() {
    let saved =
        "MODULE main\nVAR x : boolean;\nASSIGN init(x) := FALSE; next(x) := TRUE;\nLTLSPEC NAME stays := G !x\n";
    let serving = Serving::with(&[("files/m.smv", saved)], &[]);
    let ask = |text: &str| {
        let lines = serving.job(&json!({ "do": "verify", "subject": { "path": "m.smv" }, "text": text }));
        let verdicts: Vec<Value> =
            lines.iter().map(|line| line["decided"]["verdict"].clone()).filter(Value::is_string).collect();
        (verdicts, lines.last().expect("an end")["end"]["status"].clone())
    };
    // A picture of a violation is one.
    assert_eq!(ask(saved), (vec![json!("violated")], json!(0)));
    assert_eq!(ask(&saved.replace("TRUE", "FALSE")), (vec![json!("holds")], json!(0)));
    assert_eq!(ask("MODULE main VAR x"), (Vec::new(), json!(2)));
}

#[test]
fn cancelling_kills() {
    let serving = Serving::with(&[("files/wide.trace", &wide())], &["--jobs", "1"]);
    let (mut stream, number) = serving.begin_hopeless();
    let children = serving.children();
    assert_eq!(children.len(), 1, "one check is one process");
    assert_eq!(serving.post(&format!("/api/jobs/{number}/cancel"), &json!({})).1["cancelled"], true);
    let mut rest = String::new();
    let _ = stream.get_mut().set_read_timeout(Some(LATE));
    while !rest.contains("\"end\"") && stream.read_line(&mut rest).expect("a line") > 0 {}
    assert!(rest.contains("cancelled"), "{rest}");
    wait_until("the process is gone", || !is_there(children[0]));
    assert_eq!(serving.post(&format!("/api/jobs/{number}/cancel"), &json!({})).1["cancelled"], false);
    // Whoever goes away does not want it any more. Its place is free again.
    let (stream, _) = serving.begin_hopeless();
    let children = serving.children();
    drop(stream);
    wait_until("the process is gone", || !is_there(children[0]));
    let (stream, _) = serving.begin_hopeless();
    drop(stream);
}

#[test]
fn others_wait_for_their_turn() {
    let serving = Serving::with(&[("files/wide.trace", &wide()), ("files/mutex.trace", MUTEX)], &["--jobs", "1"]);
    let (_stream, number) = serving.begin_hopeless();
    thread::scope(|scope| {
        let second = scope.spawn(|| {
            serving
                .job(&json!({ "do": "check", "subject": { "path": "mutex.trace" }, "properties": { "text": PROPS } }))
        });
        thread::sleep(Duration::from_millis(300));
        assert_eq!(serving.children().len(), 1);
        serving.post(&format!("/api/jobs/{number}/cancel"), &json!({}));
        let lines = second.join().expect("a thread");
        assert_eq!(lines[1]["state"], "waiting", "{lines:?}");
        assert_eq!(lines.last().expect("an end")["end"]["output"], true);
    });
}

#[test]
fn nothing_outlives_the_server() {
    for signal in ["-INT", "-TERM", "-KILL"] {
        let mut serving = mutex();
        let body = [b"{\"name\":\"a.trace\"}\n", MUTEX.as_bytes()].concat();
        assert_eq!(serving.send("POST", "/api/drop", &body).status, 200);
        let (_stream, _) = serving.begin_hopeless();
        let children = serving.children();
        assert_eq!(children.len(), 1);
        serving.signal(signal);
        let ended = serving.child.wait().expect("it ends");
        wait_until("the check is gone", || !is_there(children[0]));
        if signal != "-KILL" {
            assert_eq!(ended.code(), Some(0), "{signal}");
            let left: Vec<_> = std::fs::read_dir(serving.place.path().join("tmp")).expect("a directory").collect();
            assert!(left.is_empty(), "{signal}: {left:?}");
        }
    }
}

#[test]
fn a_monitor_tells_what_comes() {
    let serving = Serving::with(&[("files/log.jsonl", "{\"x\":1}\n")], &[]);
    let question = json!({ "do": "monitor", "subject": { "path": "log.jsonl" }, "properties": { "text": "property low = ltl G x < 3" } });
    let body = question.to_string();
    let mut stream = connect(&serving.address);
    let head =
        format!("POST /api/jobs HTTP/1.1\r\nHost: {}\r\nContent-Length: {}\r\n\r\n", serving.address, body.len());
    stream.write_all(format!("{head}{body}").as_bytes()).expect("sent");
    let mut reader = BufReader::new(stream);
    let mut next = |wanted: &str| loop {
        let mut line = String::new();
        assert!(reader.read_line(&mut line).expect("a line") > 0, "it ended before {wanted}");
        if let Ok(line) = serde_json::from_str::<Value>(&line)
            && line["line"]["verdict"] == wanted
        {
            return line;
        }
    };
    next("open");
    let mut file =
        std::fs::OpenOptions::new().append(true).open(serving.place.path().join("files/log.jsonl")).expect("a file");
    file.write_all(b"{\"x\":2}\n{\"x\":3}\n").expect("written");
    assert_eq!(next("violated")["line"]["line"], 3);
    let (status, told) = serving.post("/api/jobs", &json!({ "do": "monitor", "subject": { "path": "log.jsonl" } }));
    assert_eq!(status, 422, "{told}");
}

#[test]
fn what_cannot_be_served_is_a_mistake() {
    let place = Place::with(&[("file", "")]);
    for (args, told) in [
        (&["serve", "nothing"][..], "cannot serve `nothing`: No such file or directory"),
        (&["serve", "file"], "cannot serve `file`: it is not a directory"),
    ] {
        let seen = place.run(args);
        assert_eq!(seen.status, 2);
        assert!(seen.stderr.contains(told), "{}", seen.shown());
    }
    let serving = mutex();
    let seen = place.run(&["serve", ".", "--listen", &serving.address]);
    assert_eq!(seen.status, 2);
    assert!(seen.stderr.contains("cannot listen at") && seen.stderr.contains("port 0"), "{}", seen.shown());
}

#[test]
fn a_tied_process_ends_with_its_input() {
    let place = Place::with(&[("wide.trace", &wide())]);
    let mut command = place.command(&["check", "wide.trace", "--ltl", &hopeless(), "--tied", "--progress", "json"]);
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
    let mut lines = BufReader::new(child.stderr.take().expect("piped")).lines();
    let first: Value = serde_json::from_str(&lines.next().expect("a line").expect("a line")).expect("JSON");
    assert_eq!(first["schema"], "posetta-progress/1");
    drop(child.stdin.take());
    assert_eq!(child.wait().expect("it ends").code(), Some(130));
    let mut rest = String::new();
    let _ = child.stdout.take().expect("piped").read_to_string(&mut rest);
}
