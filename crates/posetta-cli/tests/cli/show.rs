//! `posetta show`, and reports with pictures.

use insta::assert_snapshot;
use serde_json::Value;

use crate::program::{COMMIT, MUTEX, NEVER_BOTH, Place};

const LATE: &str = "G (committed == 1 -> b == 1)";

/// What an SVG says, one text after another, and the classes that occur; it has to be XML.
fn texts(svg: &str) -> Vec<String> {
    let document = roxmltree::Document::parse(svg).unwrap_or_else(|e| panic!("{e}: {svg}"));
    let texts = document.descendants().filter(|node| node.has_tag_name("text"));
    texts.filter_map(|node| node.text().map(str::to_owned)).collect()
}

/// How often an element has a class.
fn count(svg: &str, class: &str) -> usize {
    let document = roxmltree::Document::parse(svg).unwrap();
    let classes = |node: roxmltree::Node<'_, '_>| node.attribute("class").map(str::to_owned).unwrap_or_default();
    document.descendants().filter(|node| classes(*node).split(' ').any(|own| own == class)).count()
}

/// No two texts of a drawing touch, as wide as the widest usual fonts make them, and all are inside of it.
fn is_legible(svg: &str) {
    let document = roxmltree::Document::parse(svg).unwrap_or_else(|e| panic!("{e}: {svg}"));
    let number = |node: roxmltree::Node<'_, '_>, name: &str| node.attribute(name).unwrap().parse::<f64>().unwrap();
    let (right, bottom) = (number(document.root_element(), "width"), number(document.root_element(), "height"));
    let mut boxes: Vec<(f64, f64, f64, String)> = Vec::new();
    for node in document.descendants().filter(|node| node.has_tag_name("text")) {
        let class = node.attribute("class").unwrap();
        let column = match class {
            _ if class.contains("pz-h1") => 11.0,
            _ if class.contains("pz-h2") => 8.1,
            _ if class.contains("pz-chip") => continue,
            _ => 7.3,
        };
        let text = node.text().unwrap_or_default().to_owned();
        let columns = unicode_width::UnicodeWidthStr::width(text.as_str()) as f64;
        let (x, y) = (number(node, "x"), number(node, "y"));
        assert!(x >= 0.0 && x + columns * column <= right + 1.0 && y < bottom, "outside: {text}");
        boxes.push((x, x + columns * column, y, text));
    }
    for (i, a) in boxes.iter().enumerate() {
        for b in &boxes[..i] {
            let apart = a.1 <= b.0 || b.1 <= a.0 || (a.2 - b.2).abs() >= 11.0;
            assert!(apart, "`{}` touches `{}`", a.3, b.3);
        }
    }
}

/// Every example, with its properties.
#[test]
fn every_example_is_legible() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples");
    let place = Place::with(&[]);
    for args in [
        "show two-phase-commit/run.jsonl --spec two-phase-commit/two-phase-commit.props",
        "show two-phase-commit/fixed.jsonl --spec two-phase-commit/two-phase-commit.props",
        "show orders/run.jsonl --spec orders/orders.props",
        "show chat/run.jsonl --spec chat/chat.props",
        "show mutex/race.trace --spec mutex/mutex.props",
        "show valve/race.trace --spec valve/valve.props",
        "show thermostat/night.jsonl --spec thermostat/thermostat.props",
        "show otel-shop/traces/order-1041.json --spec otel-shop/shop.props",
        "show otel-shop/traces/order-1042.json",
        "verify systems/philosophers-deadlock.sys --deadlock --format svg",
        "verify models/peterson-faulty.smv --format svg",
        "verify models/abp-faulty.smv --format svg",
        "explain --ltl G(req==1->F(resp==1)) --svg",
        "explain --psl always{req;!ack[*];ack}|=>done --svg",
    ] {
        let args: Vec<&str> = args.split(' ').collect();
        let drawn = place.command(&args).current_dir(root).output().expect("the program starts");
        let svg = String::from_utf8(drawn.stdout).expect("UTF-8");
        assert!(svg.starts_with("<svg "), "{args:?}: {svg}{}", String::from_utf8_lossy(&drawn.stderr));
        is_legible(&svg);
    }
}

#[test]
fn long_and_wide_runs_are_legible() {
    let place = Place::with(&[]);
    for workload in ["philosophers", "random", "abp"] {
        for processes in ["2", "7", "30"] {
            place.run(&["gen", workload, "--processes", processes, "--events", "400", "-o", "run.jsonl"]);
            is_legible(&place.run(&["show", "run.jsonl"]).stdout);
        }
    }
}

/// The pictures of the README and of docs/show.md are what the program draws.
#[test]
fn pictures_in_documents_are_current() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    let place = Place::with(&[]);
    for (file, args) in [
        (
            "docs/pictures/two-phase-commit.svg",
            "examples/two-phase-commit/run.jsonl --spec examples/two-phase-commit/two-phase-commit.props \
             --property no_early_commit",
        ),
        ("docs/pictures/chat.svg", "examples/chat/run.jsonl"),
        (
            "docs/pictures/thermostat.svg",
            "examples/thermostat/night.jsonl --spec examples/thermostat/thermostat.props --property window_shut",
        ),
        ("docs/pictures/philosophers.svg", "examples/systems/philosophers-deadlock.sys --deadlock"),
    ] {
        let mut args: Vec<&str> = args.split_whitespace().collect();
        args.insert(0, "show");
        let drawn = place.command(&args).current_dir(root).output().expect("the program starts");
        let drawn = String::from_utf8(drawn.stdout).expect("UTF-8");
        texts(&drawn);
        let path = format!("{root}/{file}");
        if std::env::var_os("INSTA_UPDATE").is_some_and(|value| value == "always") {
            std::fs::write(&path, &drawn).expect("a file");
        }
        let kept = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(kept == drawn, "{file} is not what `posetta {}` draws", args.join(" "));
    }
}

#[test]
fn a_violation_has_both_orders_and_what_is_missing() {
    let place = Place::with(&[("run.jsonl", COMMIT)]);
    let seen = place.run(&["show", "run.jsonl", "--ltl", LATE]);
    assert_eq!((seen.status, seen.stderr.as_str()), (0, ""));
    let said = texts(&seen.stdout);
    for text in ["The recorded order", "run.jsonl", "missing: would rule it out", "the two that changed places"] {
        assert!(said.iter().any(|own| own == text), "{text}: {said:?}");
    }
    assert!(said.iter().any(|own| own.starts_with("The closest order that fails")), "{said:?}");
    assert!(count(&seen.stdout, "pz-missing") > 1, "drawn and in the legend");
    assert!(count(&seen.stdout, "pz-ring") == 2 && count(&seen.stdout, "pz-link") == 2);
    // The same bytes every time.
    assert_eq!(seen.stdout, place.run(&["show", "run.jsonl", "--ltl", LATE]).stdout);
}

#[test]
fn a_path_to_a_cut_ends_in_a_line() {
    let place = Place::with(&[("run.trace", MUTEX)]);
    let seen = place.run(&["show", "run.trace", "--ctl", "AG !(c0 == 1 && c1 == 1)"]);
    assert_eq!(count(&seen.stdout, "pz-cut"), 2, "{}", seen.stdout);
    let data = place.run(&["show", "run.trace", "--ctl", "AG !(c0 == 1 && c1 == 1)", "--to", "json"]).json();
    assert_eq!(data["results"][0]["cut"], serde_json::json!([1, 1]));
}

#[test]
fn states_are_a_waveform() {
    let place = Place::with(&[("run.csv", "x,mode\n0,idle\n1,busy\n3,busy\n2,idle\n")]);
    let seen = place.run(&["show", "run.csv", "--ltl", "G (x < 3 && mode != \"off\")"]);
    assert_eq!(count(&seen.stdout, "pz-fail"), 1);
    assert!(count(&seen.stdout, "pz-bus") > 3);
    let data = place.run(&["show", "run.csv", "--ltl", "G (x < 3)", "--to", "json"]).json();
    assert_eq!((data["kind"].as_str(), data["orders"].as_str()), (Some("waveform"), Some("one")));
    assert_eq!(data["wave"]["positions"], 4);
    assert_eq!(data["results"][0]["moment"], serde_json::json!({"at": 2}));
}

#[test]
fn the_viewer_gets_the_whole_run_and_the_truth_of_parts() {
    let place = Place::with(&[("run.jsonl", COMMIT)]);
    let data = place.run(&["show", "run.jsonl", "--ltl", LATE, "--to", "json"]).json();
    let events = data["events"]["id"].as_array().unwrap().len();
    assert_eq!(data["order"].as_array().unwrap().len(), events);
    let result = &data["results"][0];
    assert_eq!(result["order"].as_array().unwrap().len(), events);
    let text = |i: &Value| data["strings"][i.as_u64().unwrap() as usize].as_str().unwrap().to_owned();
    let id = |event: &Value| text(&data["events"]["id"][event.as_u64().unwrap() as usize]);
    let (a, b) = (id(&result["swapped"][0]), id(&result["swapped"][1]));
    let report = place.run(&["check", "run.jsonl", "--ltl", LATE, "--json"]).json();
    assert_eq!(serde_json::json!([a, b]), report["results"][0]["why"]["swapped"]);
    let failing: Vec<String> = result["order"].as_array().unwrap().iter().map(id).collect();
    assert_eq!(serde_json::json!(failing), report["results"][0]["witness"]);
    // The property is false along the failing order from the start, and true along the recorded one.
    assert_eq!(result["parts"]["changes"][0][1], 0);
    assert_eq!(result["recorded_parts"]["changes"][0], serde_json::json!([0, 1]));
    assert!(!result["mentions"].as_array().unwrap().is_empty());
}

/// Names that would be tags, scripts, controls, right to left, or very long.
#[test]
fn hostile_names_stay_text() {
    let long = "x".repeat(5_000);
    let evil = "</script><script>alert(1)</script><img src=x onerror=alert(1)>\u{1b}[2J\u{202e}\u{0}]]>--><!--\u{ffff}";
    let name = serde_json::to_string(evil).unwrap();
    let run = format!(
        "{{\"process\":{name},\"id\":\"a\",\"name\":{name},\"set\":{{\"x\":{name}}},\"attrs\":{{{name}:{name}}}}}\n\
         {{\"process\":\"{long}\",\"name\":\"{long}\",\"set\":{{\"y\":1}},\"after\":[\"a\"]}}\n\
         {{\"process\":\"שלום\",\"name\":\"مرحبا\",\"set\":{{\"y\":2}}}}\n"
    );
    let place = Place::with(&[("<run>&.jsonl", &run)]);
    for property in [&[][..], &["--ltl", "G (y == 1 -> x != 0)"], &["--ltl", "G (y < 2)"], &["--ctl", "AG (x == 0)"]] {
        let drawn = place.run(&[&["show", "<run>&.jsonl"], property].concat());
        assert_eq!(drawn.status, 0, "{}", drawn.stderr);
        is_legible(&drawn.stdout);
        let document = roxmltree::Document::parse(&drawn.stdout).unwrap();
        let known = ["svg", "title", "desc", "style", "rect", "text", "line", "path", "polygon", "circle", "g"];
        for node in document.descendants().filter(roxmltree::Node::is_element) {
            assert!(known.contains(&node.tag_name().name()), "{:?}", node.tag_name());
            assert!(node.attributes().all(|own| !own.name().starts_with("on") && own.name() != "href"));
        }
        let page = place.run(&[&["show", "<run>&.jsonl", "--to", "html"], property].concat()).stdout;
        is_safe(&page);
        // What the viewer reads is what the file said.
        let data = page.split("id=\"picture\">").nth(1).unwrap().split("</script>").next().unwrap();
        let data: Value = serde_json::from_str(data).unwrap();
        assert!(data["strings"].as_array().unwrap().contains(&Value::from(evil)));
        let report = place.run(&[&["check", "<run>&.jsonl", "--format", "html"], property].concat());
        if !property.is_empty() {
            is_safe(&report.stdout);
        }
    }
}

/// A page has exactly the elements that we wrote, and its own policy.
fn is_safe(page: &str) {
    assert!(page.starts_with("<!doctype html>"));
    assert!(page.contains("default-src 'none'; script-src 'sha256-"));
    let scripts: Vec<&str> = page.split("<script").skip(1).collect();
    let ours = |tag: &&str| tag.starts_with(" type=\"application/json\"") || tag.starts_with(" type=\"module\"");
    assert!(scripts.iter().all(ours), "{scripts:?}");
    assert_eq!(page.matches("</script>").count(), scripts.len());
    assert!(!page.contains("<img") && !page.contains("<!--"));
    // What a reference begins with, but for those to the page itself.
    let inside = page.replace("url(#", "");
    for outside in ["src=\"", "href=\"http", "url(", "@import"] {
        assert!(!inside.contains(outside), "{outside}");
    }
}

/// A module of the viewer that is not in the list of the page would be missed by nobody but its user.
#[test]
fn a_page_has_every_module_of_the_viewer() {
    let place = Place::with(&[("run.trace", MUTEX)]);
    let page = place.run(&["show", "run.trace", "--to", "html"]).stdout;
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../web/viewer");
    let mut modules = 0;
    for file in std::fs::read_dir(folder).expect("the viewer") {
        let path = file.expect("a file").path();
        if path.extension().is_some_and(|extension| extension == "js") {
            let text = std::fs::read_to_string(&path).expect("a module");
            let lines = text.lines().filter(|line| !line.starts_with("import ") && !line.starts_with("export "));
            let longest = lines.max_by_key(|line| line.len()).unwrap_or_default();
            assert!(page.contains(longest), "{} is not in the page", path.display());
            modules += 1;
        }
    }
    assert!(modules > 10);
}

#[test]
fn a_page_of_ten_thousand_events_is_small() {
    let place = Place::with(&[]);
    place.run(&["gen", "peterson", "--events", "10000", "--faulty", "-o", "run.jsonl"]);
    place.run(&["gen", "peterson", "--props", "-o", "run.props"]);
    let seen = place.run(&["show", "run.jsonl", "--spec", "run.props", "-o", "run.html"]);
    assert_eq!(seen.status, 0, "{}", seen.shown());
    let size = place.read("run.html").len();
    assert!(size < 5_000_000, "{size} bytes");
}

#[test]
fn forms_go_by_extension() {
    let place = Place::with(&[("run.trace", MUTEX)]);
    for (file, begin) in [
        ("a.svg", "<svg "),
        ("a.html", "<!doctype html>"),
        ("a.json", "{\"schema\":\"posetta-show/1\""),
        ("a.mmd", "sequenceDiagram"),
        ("a.dot", "digraph"),
    ] {
        let seen = place.run(&["show", "run.trace", "-o", file]);
        assert_eq!(seen.status, 0, "{}", seen.shown());
        assert!(place.read(file).contains(begin), "{}", place.read(file));
    }
}

/// Two components that wait for each other.
const DEADLOCK: &str = "component A { lts { init a; a -own-> b; b -x-> a } }\ncomponent B { lts { init c; c -y-> d; d -x-> c } }\n\
                        component C { lts { init e; e -z-> f; f -y-> e } }\ncomponent D { lts { init g; g -x-> h; h -z-> g } }\n\
                        system S = A || B || C || D\n";

/// How wide and how high a PNG says that it is.
fn size_of_png(bytes: &[u8]) -> (u32, u32) {
    assert_eq!(&bytes[..8], b"\x89PNG\r\n\x1a\n");
    let number = |at: usize| u32::from_be_bytes(bytes[at..at + 4].try_into().expect("four bytes"));
    (number(16), number(20))
}

#[test]
fn a_png_is_the_drawing_in_twice_as_many_pixels() {
    let place = Place::with(&[("run.jsonl", COMMIT), ("names.jsonl", "{\"process\":\"A\",\"name\":\"注文\"}\n")]);
    let seen = place.run(&["show", "run.jsonl", "--ltl", LATE, "-o", "run.png"]);
    assert_eq!((seen.status, seen.stdout.as_str(), seen.stderr.as_str()), (0, "", ""));
    let bytes = std::fs::read(place.path().join("run.png")).expect("a file");
    let svg = place.run(&["show", "run.jsonl", "--ltl", LATE]).stdout;
    let view = svg.split("viewBox=\"0 0 ").nth(1).and_then(|rest| rest.split('"').next()).expect("a size");
    let (width, height) = view.split_once(' ').expect("two numbers");
    let twice = |text: &str| 2 * text.parse::<u32>().expect("a number");
    assert_eq!(size_of_png(&bytes), (twice(width), twice(height)));
    // The same bytes every time, also on standard output and as a report.
    let printed =
        place.command(&["show", "run.jsonl", "--ltl", LATE, "--to", "png"]).output().expect("it starts").stdout;
    assert!(printed == bytes);
    assert_eq!(place.run(&["check", "run.jsonl", "--ltl", LATE, "--report", "png=report.png"]).status, 1);
    size_of_png(&std::fs::read(place.path().join("report.png")).expect("a file"));
    let seen = place.run(&["show", "names.jsonl", "-o", "names.png"]);
    assert_eq!(seen.status, 0);
    assert_snapshot!("no_font_has_it", seen.stderr);
}

#[test]
fn a_model_has_a_lane_for_each_component() {
    let smv = "MODULE cell(other)\nVAR on : boolean;\nASSIGN init(on) := FALSE; next(on) := !other;\n\
               MODULE main\nVAR a : cell(b.on); b : cell(a.on);\nLTLSPEC NAME quiet := G !a.on\nLTLSPEC NAME first := !a.on\n";
    let place = Place::with(&[("design.sys", DEADLOCK), ("cells.smv", smv)]);
    let seen = place.run(&["show", "design.sys", "--deadlock"]);
    assert_eq!((seen.status, seen.stderr.as_str()), (0, ""));
    let said = texts(&seen.stdout);
    for text in ["A", "own", "✗ no action can take place"] {
        assert!(said.iter().any(|own| own == text), "{text}: {said:?}");
    }
    let data = |args: &[&str]| -> serde_json::Value {
        let seen = place.run(&[&["show", "--to", "json"], args].concat());
        assert_eq!(seen.status, 0, "{}", seen.stderr);
        serde_json::from_str(&seen.stdout).expect("JSON")
    };
    let design = data(&["design.sys", "--deadlock", "--ctl", "EF (B == \"c\")"]);
    assert_eq!((&design["kind"], design["lanes"].as_array().map(Vec::len)), (&"model".into(), Some(4)));
    let verdicts: Vec<&serde_json::Value> =
        design["results"].as_array().expect("a list").iter().map(|result| &result["verdict"]).collect();
    assert_eq!(verdicts, ["holds", "violated"]);
    let cells = data(&["cells.smv"]);
    assert_eq!(cells["strings"][cells["lanes"][0]["name"].as_u64().expect("a number") as usize], "a");
    assert_eq!(cells["results"][0]["verdict"], "violated");
    assert_eq!(cells["results"][0]["order"].as_array().map(|all| !all.is_empty()), Some(true));
    assert!(cells["results"][1]["order"].is_null(), "what holds has no counterexample");
    assert_eq!(place.run(&["show", "cells.smv", "-o", "cells.html"]).status, 0);
    let page = place.read("cells.html");
    assert!(page.contains("\"kind\":\"model\"") && page.contains("<svg"));
    // A limit is in the picture, which is one all the same.
    let seen = place.run(&["show", "cells.smv", "--memory", "1kB", "-o", "limit.svg"]);
    assert_eq!(seen.status, 3, "{}", seen.stderr);
}

#[test]
fn a_counterexample_of_a_model_has_the_parts_of_its_property() {
    let examples = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let mut seen = 0;
    for (model, spec) in [
        ("models/peterson-faulty.smv", None),
        ("models/abp-faulty.smv", None),
        ("models/bus-faulty.smv", None),
        ("systems/philosophers-deadlock.sys", Some("systems/philosophers.props")),
        ("systems/handshake.sys", Some("systems/handshake.props")),
        ("systems/crossing.sys", Some("systems/crossing.props")),
    ] {
        let place = Place::with(&[]);
        let path = |name: &str| examples.join(name).display().to_string();
        let mut args = vec!["show".to_owned(), path(model), "--to".to_owned(), "json".to_owned()];
        args.extend(spec.into_iter().flat_map(|spec| ["--spec".to_owned(), path(spec)]));
        let told = place.run(&args.iter().map(String::as_str).collect::<Vec<_>>());
        assert_eq!(told.status, 0, "{model}: {}", told.stderr);
        let picture: serde_json::Value = serde_json::from_str(&told.stdout).expect("JSON");
        for result in picture["results"].as_array().expect("a list") {
            let logic = result["logic"].as_str().expect("a word");
            if result["order"].is_null() || result["verdict"] != "violated" || matches!(logic, "m2l" | "deadlock") {
                continue;
            }
            let parts = &result["parts"];
            assert!(parts["formulas"].as_array().is_some_and(|all| !all.is_empty()), "{model}: {result}");
            // The run violates the property, so that is false where the run begins; of a tree it may be open.
            let first = &parts["changes"][0][1];
            assert!(*first == 0 || logic == "ctl" || logic == "invariant", "{model}: {result}");
            let steps = result["order"].as_array().map_or(0, Vec::len) as u64;
            let places = parts["changes"].as_array().expect("a list").iter().flat_map(|own| own.as_array()).flatten();
            assert!(places.step_by(2).all(|place| place.as_u64().is_some_and(|place| place <= steps)), "{model}");
            seen += 1;
        }
    }
    assert!(seen > 4, "{seen}");
}

#[test]
fn a_drawing_says_that_it_has_not_every_process() {
    let run = |count: usize| -> String { (0..count).map(|n| format!("P{n}: x{n}=1\n")).collect() };
    let place = Place::with(&[("many.trace", &run(30)), ("few.trace", &run(24))]);
    let says = |file: &str| {
        let seen = place.run(&["show", file]);
        assert_eq!(seen.status, 0, "{}", seen.stderr);
        texts(&seen.stdout).iter().any(|text| text.starts_with("No more than 24 processes are drawn."))
    };
    assert!(says("many.trace") && !says("few.trace"));
}

#[test]
fn mistakes_say_what_to_write_instead() {
    let place = Place::with(&[("run.trace", MUTEX), ("bad.trace", "A: ->\n"), ("design.sys", DEADLOCK)]);
    let calls: [&[&str]; 11] = [
        &["show", "nothing.sys"],
        &["show", "design.sys", "run.trace"],
        &["show", "design.sys", "-o", "design.dot"],
        &["show", "design.sys", "--from", "jsonl"],
        &["show", "run.trace", "--deadlock"],
        &["show", "design.sys", "--ltl", "G (nobody == 1)"],
        &["show", "run.trace", "-o", "run.bmp"],
        &["show", "run.trace", "-o", "picture"],
        &["show", "run.trace", "-o", "run.trace", "--to", "svg"],
        &["show", "bad.trace"],
        &["show", "run.trace", "--ltl", "G (nobody == 1)"],
    ];
    let shown: Vec<String> = calls.iter().map(|call| place.run(call).shown()).collect();
    assert_snapshot!(shown.join("\n"));
}

#[test]
fn a_limit_is_in_the_picture() {
    let place = Place::with(&[("wide.trace", &crate::program::wide())]);
    let hopeless = crate::program::hopeless();
    let seen = place.run(&["show", "wide.trace", "--ltl", &hopeless, "--timeout", "1s"]);
    assert_eq!(seen.status, 3, "{}", seen.stderr);
    assert!(texts(&seen.stdout).iter().any(|text| text.contains("unknown")), "{}", seen.stdout);
}

#[test]
fn reports_have_pictures() {
    let place = Place::with(&[("run.jsonl", COMMIT), ("fine.trace", "A: committed=0\nB: b=1\n")]);
    let args = ["check", "run.jsonl", "fine.trace", "--ltl", LATE, "--report", "html=r.html", "--report", "svg=r.svg"];
    assert_eq!(place.run(&args).status, 1);
    let svg = place.read("r.svg");
    assert!(count(&svg, "pz-link") == 2 && texts(&svg).iter().any(|text| text == "fine.trace"));
    let page = place.read("r.html");
    is_safe(&page);
    assert_eq!(page.matches("data-picture=").count(), 1);
    assert_eq!(page.matches("id=\"picture-0\"").count(), 1);
    // Whoever was faster, the page is the same.
    for jobs in ["1", "4"] {
        place.run(&[&args[..], &["--jobs", jobs]].concat());
        assert_eq!(place.read("r.html"), page);
    }
    // A model has pictures, too.
    place.write(
        "s.sys",
        b"component A { lts { init i; i -put-> j } }\ncomponent B { lts { init i; i -put-> j } }\nsystem S = A || B\n",
    );
    assert_eq!(place.run(&["verify", "s.sys", "--deadlock", "--report", "svg=m.svg"]).status, 1);
    assert!(texts(&place.read("m.svg")).iter().any(|text| text == "put"));
}

#[test]
fn many_violations_leave_some_out_and_say_so() {
    let files: Vec<(String, String)> = (0..25).map(|i| (format!("{i:02}.trace"), MUTEX.to_owned())).collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    let place = Place::with(&files);
    place.run(&["check", ".", "--ltl", NEVER_BOTH, "--report", "html=r.html"]);
    let page = place.read("r.html");
    assert_eq!(page.matches("<script type=\"application/json\"").count(), 20);
    assert!(page.contains("5 runs with violations have no picture to explore here"));
}
