//! Many runs: results as they come, parts of the files, answers that are kept, violations that are known.

use std::fs;
use std::io::Read;
use std::path::PathBuf;
use std::process::Stdio;
use std::time::{Duration, Instant};

use crate::program::{COMMIT, MUTEX, NEVER_BOTH, ORDERED, Place, Seen, hopeless, wide};

const PROPS: &str = "\
property mutex = ltl G !(c0 == 1 && c1 == 1)
property apart = ctl AG !(c0 == 1 && c1 == 1)
property enter = ltl over events G (event(leave) -> O event(enter))
";

/// So many runs, of which those fail whose numbers `fails` names.
fn runs(count: usize, fails: impl Fn(usize) -> bool) -> Place {
    let place = Place::with(&[("p.props", PROPS)]);
    for n in 0..count {
        let run = if fails(n) { MUTEX } else { ORDERED };
        place.write(&format!("runs/{n:03}.trace"), run.as_bytes());
    }
    place
}

const CHECK: [&str; 4] = ["check", "runs", "--spec", "p.props"];

fn check(place: &Place, more: &[&str]) -> Seen {
    place.run(&[&CHECK[..], more].concat())
}

/// The report without times.
fn report(seen: &Seen) -> String {
    let shown = seen.shown();
    shown.split("--- stderr").next().unwrap_or_default().to_owned()
}

#[test]
fn one_report_whoever_was_faster() {
    let place = runs(150, |n| n % 40 == 7);
    for more in [&[][..], &["--json"], &["--stats"], &["-q"]] {
        let of = |jobs| report(&check(&place, &[more, &["--jobs", jobs]].concat()));
        assert_eq!(of("1"), of("2"), "{more:?}");
    }
}

/// More than twenty runs have a list of what does not hold at the end; of more than a hundred, those are left out on which all is well.
#[test]
fn what_does_not_hold_is_listed_at_the_end() {
    insta::assert_snapshot!("listed", report(&check(&runs(21, |n| n == 4 || n == 20), &["--witness", "never", "-q"])));
    insta::assert_snapshot!("left_out", report(&check(&runs(101, |n| n % 50 == 1), &["--witness", "never"])));
    assert!(!check(&runs(20, |n| n == 4), &[]).stdout.contains("what does not hold"));
}

/// A run is printed while the next one is still awaited.
#[cfg(unix)]
#[test]
fn results_come_while_others_are_awaited() {
    let place = Place::with(&[("a.trace", MUTEX)]);
    place.pipe("pipe");
    for json in [false, true] {
        let mut args = vec!["check", "a.trace", "pipe", "--ltl", NEVER_BOTH];
        if json {
            args.push("--json");
        }
        let mut child = place.command(&args).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("it starts");
        let mut held_open = fs::OpenOptions::new().write(true).open(place.path().join("pipe")).expect("somebody reads");
        let mut out = child.stdout.take().expect("piped");
        let (mut seen, mut piece) = (String::new(), [0; 4096]);
        let wanted = if json { "\"verdict\":\"violated\"" } else { "leave  c1=0" };
        while !seen.contains(wanted) {
            let n = out.read(&mut piece).expect("it can be read");
            assert!(n > 0, "{seen}");
            seen.push_str(&String::from_utf8_lossy(&piece[..n]));
        }
        std::io::Write::write_all(&mut held_open, ORDERED.as_bytes()).expect("it is read");
        drop(held_open);
        out.read_to_string(&mut seen).expect("the rest");
        assert_eq!(child.wait().expect("it ends").code(), Some(1), "{seen}");
    }
}

/// What a later run settles is not printed before: that an event never comes, that a property asks for nothing.
#[test]
fn nothing_is_printed_that_a_later_run_settles() {
    let place = Place::with(&[("a.trace", "A: x=1\n"), ("b.trace", "A: x=1 -> go x=2\n")]);
    let args = ["check", "a.trace", "b.trace", "--ltl", "G (event(go) -> x == 2)", "--json"];
    let both = place.run(&args);
    assert_eq!(both.json()["results"][0]["warnings"], serde_json::json!([]), "{}", both.shown());
    let alone = place.run(&["check", "a.trace", "--ltl", "G (event(go) -> x == 2)", "--json"]);
    assert_ne!(alone.json()["results"][0]["warnings"], serde_json::json!([]));
}

#[test]
fn shards_are_the_whole() {
    let place = runs(40, |n| n % 10 == 3);
    let whole = check(&place, &["--json"]).results("trace");
    let mut parts = Vec::new();
    for shard in ["1/3", "2/3", "3/3"] {
        let seen = check(&place, &["--json", "--shard", shard]);
        let json = seen.json();
        assert_eq!(json["shard"]["all"], 40);
        assert_eq!(json["shard"]["files"].as_u64(), Some(seen.results("trace").len() as u64 / 3));
        parts.extend(seen.results("trace"));
    }
    parts.sort();
    assert_eq!(parts, whole);
}

#[test]
fn a_shard_says_which_it_is() {
    let place = Place::with(&[("runs/a.trace", ORDERED), ("p.props", PROPS)]);
    let all: Vec<String> = (1..=3).map(|i| check(&place, &["--shard", &format!("{i}/3")]).shown()).collect();
    insta::assert_snapshot!(all.join("\n"));
}

#[test]
fn mistakes_about_shards() {
    let place = runs(2, |_| false);
    let mut all = String::new();
    for wrong in ["2", "0/3", "4/3", "1/0", "a/b", "1/+2"] {
        all.push_str(&format!("{wrong}: {}\n", check(&place, &["--shard", wrong]).shown()));
    }
    all.push_str(&place.run(&["check", "-", "--spec", "p.props", "--shard", "1/2"]).shown());
    all.push_str(&check(&place, &["--shard", "1/2", "--join"]).shown());
    insta::assert_snapshot!(all);
}

/// Files that are the parts of one run are refused whole, and in each shard alike: there no file has all that the property speaks of.
#[test]
fn a_shard_is_not_green_where_the_whole_is_refused() {
    let place = Place::with(&[]);
    for n in 0..6 {
        place.write(&format!("runs/{n}.trace"), format!("P{n}: x{n}=1\n").as_bytes());
    }
    let args = ["check", "runs", "--ltl", "G !(process(P0) && process(P3) && process(P5))"];
    assert_eq!(place.run(&args).status, 2);
    for i in 1..=3 {
        let seen = place.run(&[&args[..], &["--shard", &format!("{i}/3")]].concat());
        let is_empty = seen.stdout.contains("none of 6 files");
        assert_eq!(seen.status, if is_empty { 0 } else { 2 }, "{}", seen.shown());
    }
    // A variable that only a run of another shard has is no mistake.
    let args = ["check", "runs", "--ltl", "G (x1 >= 0)"];
    assert_eq!(place.run(&args).status, 0);
    for i in 1..=3 {
        assert_eq!(place.run(&[&args[..], &["--shard", &format!("{i}/3")]].concat()).status, 0);
    }
}

const KEPT: [&str; 2] = ["--cache", "kept"];

fn known(seen: &Seen) -> &str {
    seen.stderr.lines().find_map(|line| line.strip_prefix("cache: ")).expect("it is told")
}

#[test]
fn what_is_kept_gives_the_same_report() {
    let place = runs(6, |n| n == 2);
    place.write("runs/commit.jsonl", COMMIT.as_bytes());
    let log = "A {\"A\":1}\none\nA {\"A\":2}\ntwo\n=== second ===\nA {\"A\":1}\none\n";
    place.write("runs/two.log", log.as_bytes());
    place.write("p.props", format!("{PROPS}property go = ltl G (event(go) -> F c0 == 0)\n").as_bytes());
    place.write("runs/7.trace", b"A: enter c0=1 -> leave c0=0\nB: enter c1=1 -> leave c1=0 \nC: c0=1\n");
    for more in [&[][..], &["--json"], &["--json", "--witness", "always", "--counts"], &["--verdict-only", "--stats"]] {
        let plain = check(&place, more);
        let first = check(&place, &[more, &KEPT].concat());
        let second = check(&place, &[more, &KEPT].concat());
        assert_eq!(report(&first), report(&plain), "{more:?}");
        assert_eq!(report(&second), report(&plain), "{more:?}");
        assert!(known(&first).starts_with("0 of 9"), "{}", first.stderr);
        // Runs that lack a variable, and a property that does not fit, are looked at again.
        assert!(known(&second).starts_with("6 of 9") || known(&second).starts_with("7 of 9"), "{}", second.stderr);
    }
}

/// Of many runs those on which everything holds are only counted, so what is kept of them is not looked at. Warnings are the same: here the
/// last run, which is one of these, settles those of the others.
#[test]
fn what_is_only_counted_is_counted_the_same() {
    let all = |seen: Seen| {
        let told: Vec<&str> = seen.stderr.lines().filter(|line| !line.starts_with("cache: ")).collect();
        // How long something takes is another time with each call.
        let is_time = |word: &str| word.ends_with(" s") && word.contains('.');
        let timeless = |line: &str| line.split(", ").filter(|word| !is_time(word)).collect::<Vec<_>>().join(", ");
        (seen.stdout.lines().map(timeless).collect::<Vec<_>>(), told.join("\n"), seen.status)
    };
    let place = runs(130, |n| n % 40 == 7);
    place.write("runs/129.trace", format!("C: late\n{ORDERED}").as_bytes());
    for late in [
        "",
        "property late = ltl over events G (event(late) -> c0 <= 1)\n",
        "property no = ltl G (c0 == 7 -> c1 == 1)\n",
    ] {
        place.write("p.props", format!("{PROPS}{late}").as_bytes());
        for more in [&[][..], &["-q"], &["--stats"], &["--witness", "never", "--jobs", "1"]] {
            let plain = all(check(&place, more));
            for times in ["first", "second"] {
                let kept = check(&place, &[more, &KEPT].concat());
                // With -q nothing is told of the cache.
                let is_known = || more == ["-q"] || known(&kept).starts_with("130 of 130");
                assert!(times == "first" || is_known(), "{}", kept.stderr);
                assert_eq!(all(kept), plain, "{times}, {more:?}, {late}");
            }
        }
    }
}

#[test]
fn only_what_has_changed_is_checked() {
    let place = runs(5, |n| n == 1);
    let again = |more: &[&str]| known(&check(&place, &[&KEPT, more].concat())).to_owned();
    assert_eq!(again(&[]), "0 of 5 files were known");
    assert_eq!(again(&["--jobs", "1", "--stats"]), "5 of 5 files were known");
    assert_eq!(again(&["--shard", "1/1"]), "5 of 5 files were known");
    // Every option that changes the question, or what is shown, and every text that is read.
    for other in
        [&["--json"][..], &["--witness", "never"], &["--counts"], &["--engine", "explicit"], &["--property", "mutex"]]
    {
        assert_eq!(again(other), "0 of 5 files were known", "{other:?}");
    }
    place.write("runs/001.trace", ORDERED.as_bytes());
    let seen = check(&place, &KEPT);
    assert_eq!((known(&seen), seen.status), ("4 of 5 files were known", 0));
    place.write("defs.props", b"let both = c0 == 1 && c1 == 1\n");
    place.write("p.props", b"import \"defs.props\"\nproperty mutex = ltl G !both\n");
    assert_eq!(again(&[]), "0 of 5 files were known");
    assert_eq!(again(&[]), "5 of 5 files were known");
    place.write("defs.props", b"let both = c0 == 1 && c1 == 2\n");
    assert_eq!(again(&[]), "0 of 5 files were known");
    fs::rename(place.path().join("runs/004.trace"), place.path().join("runs/other.trace")).unwrap();
    assert_eq!(again(&[]), "4 of 5 files were known");
}

#[test]
fn an_open_question_is_not_kept() {
    let place = Place::with(&[("wide.trace", &wide())]);
    let formula = hopeless();
    let args = ["check", "wide.trace", "--ltl", &formula, "--timeout", "300ms", "--cache", "kept"];
    assert_eq!(place.run(&args).status, 3);
    let again = place.run(&args);
    assert_eq!((known(&again), again.status), ("0 of 1 files were known", 3));
    // Nor is a mistake.
    place.write("bad.trace", b"A: x=1\nA.7 -> A.1\n");
    let args = ["check", "bad.trace", "--ltl", "G x >= 0", "--cache", "kept"];
    assert_eq!(place.run(&args).status, 2);
    assert_eq!(place.run(&args).status, 2);
}

fn segments(place: &Place) -> Vec<PathBuf> {
    let listed = fs::read_dir(place.path().join("kept")).expect("a directory");
    listed.map(|entry| entry.expect("an entry").path()).collect()
}

/// Damage anywhere, and records that come from elsewhere: the report is the right one.
#[test]
fn damage_is_told_and_changes_nothing() {
    let place = runs(3, |n| n == 1);
    let right = report(&check(&place, &[]));
    check(&place, &KEPT);
    let [segment] = &segments(&place)[..] else { panic!("one segment") };
    let whole = fs::read(segment).unwrap();
    let mut told = 0;
    for at in (0..whole.len()).step_by(whole.len() / 24 + 1) {
        let mut bytes = whole.clone();
        bytes[at] ^= 0x20;
        fs::write(segment, &bytes).unwrap();
        let seen = check(&place, &KEPT);
        assert_eq!(report(&seen), right, "byte {at}");
        told += usize::from(known(&seen).contains("damaged"));
        for other in segments(&place).into_iter().filter(|other| other != segment) {
            fs::remove_file(other).unwrap();
        }
    }
    assert!(told > 18, "{told}");
}

#[cfg(unix)]
#[test]
fn a_cache_that_is_killed_does_not_lie() {
    let place = runs(60, |n| n % 9 == 4);
    let right = report(&check(&place, &[]));
    let started = Instant::now();
    check(&place, &["--cache", "other"]);
    let whole = started.elapsed();
    for round in 0..6u32 {
        let mut child = place
            .command(&[&CHECK[..], &KEPT].concat())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("it starts");
        std::thread::sleep(whole * round / 5);
        let _ = child.kill();
        child.wait().expect("it ends");
        assert_eq!(report(&check(&place, &KEPT)), right, "round {round}");
        if round % 2 == 0 {
            fs::remove_dir_all(place.path().join("kept")).unwrap();
        } else {
            place.write(&format!("runs/{round:03}.trace"), if round % 9 == 4 { MUTEX } else { ORDERED }.as_bytes());
        }
    }
}

/// Two at once share a directory.
#[test]
fn two_processes_share_a_cache() {
    let place = runs(30, |n| n == 8);
    let right = report(&check(&place, &[]));
    let both: Vec<_> = (0..2)
        .map(|_| {
            place
                .command(&[&CHECK[..], &KEPT].concat())
                .stdout(Stdio::piped())
                .stderr(Stdio::null())
                .spawn()
                .expect("it starts")
        })
        .collect();
    for child in both {
        let output = child.wait_with_output().expect("it ends");
        assert!(right.contains(&*String::from_utf8_lossy(&output.stdout)));
    }
    assert_eq!(known(&check(&place, &KEPT)), "30 of 30 files were known");
}

#[test]
fn mistakes_about_caches() {
    let place = runs(1, |_| false);
    place.write("file", b"");
    let mut all = check(&place, &["--cache", "file"]).shown();
    all.push_str(&check(&place, &["--cache", "kept", "--trace"]).shown());
    insta::assert_snapshot!(all);
}

const BASELINE: [&str; 2] = ["--baseline", "known.jsonl"];

#[test]
fn known_violations_do_not_fail_and_new_ones_do() {
    let place = runs(3, |n| n == 1);
    assert_eq!(check(&place, &[]).status, 1);
    let mut all = check(&place, &["--baseline", "known.jsonl", "--update-baseline"]).shown();
    all.push_str(&place.read("known.jsonl"));
    all.push_str(&check(&place, &BASELINE).shown());
    place.write("runs/002.trace", MUTEX.as_bytes());
    all.push_str(&check(&place, &[&BASELINE[..], &["--witness", "never"]].concat()).shown());
    insta::assert_snapshot!(all);
    let json = check(&place, &[&BASELINE[..], &["--json"]].concat()).json();
    let known: Vec<bool> = json["results"].as_array().unwrap().iter().map(|r| r["known"] == true).collect();
    assert_eq!(known, [false, false, false, true, true, false, false, false, false]);
    assert_eq!((&json["baseline"]["known"], &json["baseline"]["new"]), (&2.into(), &2.into()));
    // The same from elsewhere, with answers that were kept, and for one file by itself.
    let whole = place.path().join("runs").display().to_string();
    for cache in [&[][..], &KEPT, &KEPT] {
        let args = [&["check", &whole, "--spec", "p.props"], &BASELINE[..], cache].concat();
        assert!(place.run(&args).stdout.contains("2 violated, 2 violated as known, 5 hold"));
    }
    assert_eq!(place.run(&["check", "./runs/001.trace", "--spec", "p.props", "--baseline", "known.jsonl"]).status, 0);
}

/// Reports that are made at the end have what the one has that is printed run by run; of kept answers, too.
#[test]
fn reports_in_files_know_what_is_known() {
    let place = runs(3, |n| n == 1);
    check(&place, &["--baseline", "known.jsonl", "--update-baseline"]);
    place.write("runs/002.trace", MUTEX.as_bytes());
    let forms = ["human", "json", "junit", "sarif", "github", "markdown"];
    let files: Vec<String> = forms.iter().map(|form| format!("--report={form}={form}.out")).collect();
    let files: Vec<&str> = files.iter().map(String::as_str).collect();
    let mut first: Option<Vec<String>> = None;
    for cache in [&[][..], &KEPT, &KEPT] {
        let seen = check(&place, &[&BASELINE[..], &files, cache].concat());
        assert_eq!(seen.status, 1, "{}", seen.shown());
        assert!(place.read("human.out").ends_with(&seen.stdout), "{}", place.read("human.out"));
        let told: Vec<String> = forms.iter().map(|form| without_seconds(&place.read(&format!("{form}.out")))).collect();
        assert_eq!(*first.get_or_insert_with(|| told.clone()), told);
    }
    let printed = check(&place, &[&BASELINE[..], &["--json"]].concat());
    assert_eq!(without_seconds(&printed.stdout), without_seconds(&place.read("json.out")));
    let [junit, sarif, github, markdown] =
        ["junit", "sarif", "github", "markdown"].map(|form| place.read(&format!("{form}.out")));
    let count = |text: &str, part: &str| text.matches(part).count();
    assert_eq!((count(&junit, "<skipped message=\"known: violated"), count(&junit, "<failure")), (2, 2), "{junit}");
    assert_eq!(
        (count(&sarif, "\"baselineState\":\"unchanged\""), count(&sarif, "\"level\":\"error\"")),
        (2, 2),
        "{sarif}"
    );
    assert_eq!((count(&github, "::warning "), count(&github, "::error ")), (2, 2), "{github}");
    assert!(markdown.starts_with("## Posetta: 2 violated, 2 violated as known, 5 hold\n"), "{markdown}");
}

/// What took how long is another time every time.
fn without_seconds(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = ["\"seconds\":", "time=\""].iter().filter_map(|key| Some(rest.find(key)? + key.len())).min() {
        let (before, after) = rest.split_at(at);
        out.push_str(before);
        rest = after.trim_start_matches(|c: char| c.is_ascii_digit() || ".e-".contains(c));
    }
    out + rest
}

#[test]
fn what_no_longer_occurs_is_told() {
    let place = runs(4, |n| n < 3);
    check(&place, &["--baseline", "known.jsonl", "--update-baseline"]);
    place.write("runs/000.trace", ORDERED.as_bytes());
    place.remove("runs/001.trace");
    let changed = PROPS.replace("ltl G !(c0 == 1 && c1 == 1)", "ltl G (c0 == 0 || c1 == 0)");
    place.write("p.props", changed.as_bytes());
    let seen = check(&place, &[&BASELINE[..], &["--witness", "never"]].concat());
    insta::assert_snapshot!(seen.shown());
    let denied = check(&place, &[&BASELINE[..], &["--deny", "baseline", "--property", "apart"]].concat());
    assert_eq!(denied.status, 2, "{}", denied.shown());
    // Who asks for less hears of less.
    let less = place.run(&[
        "check",
        "runs/002.trace",
        "--spec",
        "p.props",
        "--baseline",
        "known.jsonl",
        "--property",
        "apart",
    ]);
    assert_eq!((less.status, less.stderr.matches("warning").count()), (0, 2), "{}", less.shown());
    check(&place, &["--baseline", "known.jsonl", "--update-baseline"]);
    let after = check(&place, &BASELINE);
    assert_eq!((after.status, after.stderr.as_str()), (0, ""));
}

/// Of a property with instances each value is a violation of its own; what is unknown beside them stays unknown.
#[test]
fn each_value_is_known_by_itself() {
    let run = |second: &str| {
        format!(
            "{{\"process\":\"A\",\"name\":\"req\",\"k\":1}}\n{{\"process\":\"A\",\"name\":\"req\",\"k\":\"two\"}}\n\
             {{\"process\":\"A\",\"name\":\"ack\",\"k\":{second}}}\n{{\"process\":\"A\",\"name\":\"ack\",\"k\":3}}\n"
        )
    };
    let spec = "property answered = foreach k in values(k) { ltl over events G (event(req) -> F event(ack)) }\n";
    let place = Place::with(&[("run.jsonl", &run("1")), ("p.props", spec)]);
    let args = ["check", "run.jsonl", "--spec", "p.props", "--baseline", "known.jsonl"];
    place.run(&[&args[..], &["--update-baseline"]].concat());
    assert_eq!(place.run(&args).status, 0);
    assert!(place.read("known.jsonl").contains("\"value\":\"two\"}"), "{}", place.read("known.jsonl"));
    place.write("run.jsonl", run("\"two\"").as_bytes());
    let seen = place.run(&args);
    assert_eq!(seen.status, 1, "{}", seen.shown());
    assert!(seen.flat().contains("is not violated for two on run.jsonl as it is known to be"), "{}", seen.shown());
}

#[test]
fn mistakes_about_baselines() {
    let place = runs(1, |_| true);
    let mut all = check(&place, &BASELINE).shown();
    for wrong in [
        "",
        "{\"posetta-baseline\":2}\n",
        "{\"posetta-baseline\":1}\nx\n{\"run\":\"a\",\"property\":\"p\"}\n",
        "{\"posetta-baseline\":1}\n{\"run\":\"a\",\"property\":\"p\",\"formula\":\"f\",\"more\":\"x\"}\n",
    ] {
        place.write("known.jsonl", wrong.as_bytes());
        all.push_str(&check(&place, &BASELINE).shown());
    }
    all.push_str(&check(&place, &["--update-baseline"]).shown());
    fs::create_dir(place.path().join("directory")).unwrap();
    all.push_str(&check(&place, &["--baseline", "directory", "--update-baseline"]).shown());
    insta::assert_snapshot!(all);
}

/// What is awaited for long has to be given up; not that a test runs for ever.
#[cfg(unix)]
#[test]
fn a_limit_closes_a_report_that_has_begun() {
    let place = Place::with(&[("a.trace", MUTEX)]);
    place.pipe("pipe");
    let args = ["check", "a.trace", "pipe", "--ltl", NEVER_BOTH, "--timeout", "400ms", "--json"];
    let child = place.command(&args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
    let held_open = fs::OpenOptions::new().write(true).open(place.path().join("pipe")).expect("somebody reads");
    let started = Instant::now();
    let output = child.wait_with_output().expect("it ends");
    drop(held_open);
    assert!(started.elapsed() < Duration::from_secs(30));
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    crate::program::schema::check(&text);
    let json: serde_json::Value = serde_json::from_str(&text).expect("one object");
    assert_eq!(
        (&json["results"][0]["verdict"], &json["results"][1]["verdict"]),
        (&"violated".into(), &"unknown".into())
    );
}
