//! Packed runs: every command that reads a run reads it packed, and says the same.

use std::io::Write;

use crate::program::Place;

const RUN: &str =
    "{\"process\":\"A\",\"name\":\"a\",\"set\":{\"x\":1}}\n{\"process\":\"B\",\"name\":\"b\",\"set\":{\"y\":2}}\n";

fn gzip(text: &str) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(text.as_bytes()).unwrap();
    encoder.finish().unwrap()
}

fn zstd(text: &str) -> Vec<u8> {
    ruzstd::encoding::compress_to_vec(text.as_bytes(), ruzstd::encoding::CompressionLevel::Fastest)
}

#[test]
fn a_packed_run_is_read_as_what_is_inside() {
    let place = Place::with(&[("run.jsonl", RUN)]);
    place.write("run.jsonl.gz", &gzip(RUN));
    place.write("run.jsonl.zst", &zstd(RUN));
    // Without a name that says it, too.
    place.write("run.bin", &gzip(RUN));
    let commands: [&[&str]; 5] = [
        &["check", "RUN", "--ltl", "F (x == 1 & y == 2)", "--json"],
        &["check", "--follow", "RUN", "--ltl", "F x == 1"],
        &["monitor", "RUN", "--ltl", "F x == 1"],
        &["info", "RUN"],
        &["convert", "RUN", "-o", "-", "--to", "text"],
    ];
    for command in commands {
        let run = |file: &str| {
            let args: Vec<&str> = command.iter().map(|&arg| if arg == "RUN" { file } else { arg }).collect();
            place.run(&args).shown().replace(file, "RUN")
        };
        let without_times = |text: String| {
            text.lines()
                .filter(|line| !line.contains("ms") && !line.contains("seconds"))
                .map(str::to_owned)
                .collect::<Vec<_>>()
        };
        let plain = without_times(run("run.jsonl"));
        for file in ["run.jsonl.gz", "run.jsonl.zst", "run.bin"] {
            assert_eq!(without_times(run(file)), plain, "{command:?} {file}");
        }
    }
    for packed in [gzip(RUN), zstd(RUN), [gzip(RUN), gzip("{\"process\":\"C\"}\n")].concat()] {
        let seen = place.run_with(&["check", "-", "--ltl", "F x == 1"], &packed);
        assert_eq!(seen.status, 0, "{}", seen.shown());
        let seen = place.run_with(&["monitor", "--ltl", "F x == 1"], &packed);
        assert_eq!(seen.status, 0, "{}", seen.shown());
    }
}

#[test]
fn the_line_of_a_mistake_is_shown_as_it_is_inside() {
    let wrong = RUN.replace("\"y\":2", "\"y\":");
    let place = Place::with(&[("run.jsonl", &wrong)]);
    place.write("run.jsonl.gz", &gzip(&wrong));
    place.write("run.jsonl.zst", &zstd(&wrong));
    let shown = |file: &str| place.run(&["check", file, "--ltl", "F x == 1"]).shown().replace(file, "RUN");
    let plain = shown("run.jsonl");
    assert!(plain.contains("exit 2") && plain.contains("\"y\":}"), "{plain}");
    assert_eq!([shown("run.jsonl.gz"), shown("run.jsonl.zst")], [plain.clone(), plain]);
}

#[test]
fn directories_and_parts_may_be_packed() {
    let place = Place::with(&[("b.jsonl", "{\"process\":\"B\",\"after\":[\"a\"]}\n")]);
    place.write("a.jsonl.gz", &gzip("{\"process\":\"A\",\"id\":\"a\"}\n"));
    let seen = place.run(&["info", "--join", ".", "--json"]);
    assert_eq!(seen.json()["runs"][0]["events"], 2, "{}", seen.shown());
    place.write("t.csv.gz", &gzip("t: s,y\n1,2\n"));
    let seen = place.run(&["check", "t.csv.gz", "--ltl", "F y == 2"]);
    assert_eq!(seen.status, 0, "{}", seen.shown());
    place.write("dump.gz", &gzip(RUN));
    let seen = place.run(&["info", "."]);
    assert!(seen.stderr.contains("`./dump.gz` is skipped"), "{}", seen.shown());
}

#[test]
fn what_is_packed_badly_is_refused() {
    let place = Place::with(&[]);
    let long: String =
        (0..40_000).map(|i| format!("{{\"process\":\"A\",\"set\":{{\"x\":{}}}}}\n", i * i % 7919)).collect();
    let (gz, zst) = (gzip(&long), zstd(&long));
    place.write("short.jsonl.gz", &gzip(RUN)[..30]);
    place.write("cut.jsonl.gz", &gz[..gz.len() / 2]);
    place.write("cut.jsonl.zst", &zst[..zst.len() / 2]);
    place.write("twice.jsonl.gz", &gzip(&String::from_utf8_lossy(b"PK\x03\x04")));
    place.write("run.jsonl.gz", &gzip(RUN));
    let mut session = String::new();
    for args in [
        &["check", "short.jsonl.gz", "--ltl", "true"][..],
        &["monitor", "--follow", "run.jsonl.gz", "--ltl", "true"],
        &["check", "twice.jsonl.gz", "--ltl", "true"],
        &["convert", "run.jsonl.gz", "-o", "out.jsonl.gz"],
    ] {
        let seen = place.run(args);
        assert_eq!(seen.status, 2, "{}", seen.shown());
        session += &format!("$ posetta {}\n{}\n", args.join(" "), seen.shown());
    }
    insta::assert_snapshot!("packed_badly", session);
    // Where it is cut depends on how it was packed.
    for (command, file, program) in
        [("check", "cut.jsonl.gz", "gzip"), ("check", "cut.jsonl.zst", "zstd"), ("monitor", "cut.jsonl.gz", "gzip")]
    {
        let seen = place.run(&[command, file, "--ltl", "G x >= 0"]);
        let expected = format!("the {program} data ends too early; was the file cut off?");
        assert!(seen.status == 2 && seen.flat().contains(&expected), "{}", seen.shown());
    }
}

/// One endless name in a few bytes is held back by the limit as any other input.
#[test]
fn a_bomb_stays_within_the_limits() {
    let place = Place::with(&[]);
    let name: Vec<u8> = std::iter::repeat_n(gzip(&"a".repeat(1 << 20)), 400).flatten().collect();
    place.write("bomb.jsonl.gz", &[gzip("{\"process\":\""), name].concat());
    let seen = place.run(&["check", "bomb.jsonl.gz", "--ltl", "true", "--memory", "50MB"]);
    assert_eq!(seen.status, 3, "{}", seen.shown());
}
