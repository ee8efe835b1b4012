//! What files refer to stays in the root: every language, every command that follows references, every way out. Of what lies outside
//! nothing is told, not even whether it is there.

use std::os::unix::fs::symlink;

use crate::program::{MUTEX, Place, Seen, flat};

/// What nobody may see.
const SECRET: &str = "s3cret";

/// A language: its file that refers to another, what that one is called, and texts for it, of which the first can be read.
struct Language {
    file: &'static str,
    refers: fn(&str) -> String,
    target: &'static str,
    texts: &'static [&'static str],
    commands: &'static [&'static [&'static str]],
}

const PROPS: Language = Language {
    file: "up/p.props",
    refers: |path| format!("import \"{path}\"\nproperty mine = ltl true\n"),
    target: "t.props",
    texts: &["property s3cret = ltl true\n", "root:s3cret:0:0\n", "property p = ltl s3cret ==\n", "\u{0}s3cret\u{1b}"],
    commands: &[
        &["check", "up/r.trace", "--spec", "up/p.props"],
        &["check", "up/r.trace", "--monitor", "up/p.props"],
        &["check", "up/r.jsonl", "--follow", "--spec", "up/p.props"],
        &["monitor", "up/r.jsonl", "--spec", "up/p.props"],
        &["monitor", "up/r.jsonl", "--monitor", "up/p.props"],
        &["verify", "up/m.smv", "--spec", "up/p.props"],
        &["replay", "up/r.trace", "--witness", "up/order", "--spec", "up/p.props"],
        &["explain", "up/p.props"],
        &["explain", "--spec", "up/p.props"],
        &["explain", "--monitor", "up/p.props"],
    ],
};

const AUT: Language = Language {
    file: "up/m.sys",
    refers: |path| format!("component A {{ import \"{path}\" }}\nsystem S = A\n"),
    target: "t.aut",
    texts: &["des (0, 1, 1)\n(0, s3cret, 0)\n", "des (0, 1, 1)\n(0, s3cret, 7)\n", "root:s3cret:0:0\n"],
    commands: SYSTEMS,
};

const PNML: Language = Language {
    target: "t.pnml",
    texts: &[
        r#"<pnml xmlns="http://www.pnml.org/version-2009/grammar/pnml"><net id="n" type="http://www.pnml.org/version-2009/grammar/ptnet"><page id="g"><place id="p"><initialMarking><text>1</text></initialMarking></place><transition id="s3cret"/><arc id="a" source="p" target="s3cret"/></page></net></pnml>"#,
        "<pnml><s3cret></pnml>",
        "<?xml s3cret",
    ],
    ..AUT
};

const SYS: Language =
    Language { target: "t.sys", texts: &["component s3cret { lts { init s; s -s3cret-> s } }\n", "s3cret\n"], ..AUT };

const SYSTEMS: &[&[&str]] = &[
    &["verify", "up/m.sys"],
    &["refine", "up/m.sys", "up/other.sys"],
    &["refine", "up/other.sys", "up/m.sys"],
    &["refine", "up/m.sys", "up/other.sys", "--part", "S=B"],
    &["check", "up/r.trace", "--model", "up/m.sys"],
];

const MONA: Language = Language {
    file: "up/f.mona",
    refers: |path| format!("include \"{path}\";\ntrue;\n"),
    target: "t.mona",
    texts: &["var2 s3cret;\n", "pred q = \n s3cret in;\n", "root:s3cret:0:0\n"],
    commands: &[&["m2l", "up/f.mona"], &["m2l", "up/f.mona", "--dot"]],
};

const LANGUAGES: [Language; 5] = [PROPS, AUT, PNML, SYS, MONA];

/// What the commands read besides.
fn place() -> Place {
    Place::with(&[
        ("up/r.trace", MUTEX),
        ("up/r.jsonl", "{\"process\":\"A\",\"name\":\"a\",\"set\":{\"x\":1}}\n"),
        ("up/m.smv", "MODULE main\nVAR x : boolean;\n"),
        ("up/order", "[\"A.1\",\"A.2\",\"B.1\",\"B.2\"]"),
        ("up/other.sys", "component B { lts { init s; s -s3-> s } }\n"),
    ])
}

impl Language {
    fn write(&self, place: &Place, path: &str) {
        place.write(self.file, (self.refers)(path).as_bytes());
    }

    /// Runs a command for people and for programs.
    fn run(&self, place: &Place, command: &[&str], more: &[&str]) -> Vec<Seen> {
        let with_json = if command.contains(&"--dot") { vec![] } else { vec!["--json"] };
        [vec![], with_json].iter().map(|json| place.run(&[command, more, json].concat())).collect()
    }
}

/// The ways that lead from `up` to a file in `out`: absolute, up, through links to the file, to its directory and to another link.
fn ways_out(place: &Place, target: &str) -> Vec<String> {
    let absolute = place.path().join("out").join(target);
    let link = |from: String, to: &std::path::Path| {
        place.remove(&from);
        symlink(to, place.path().join(from)).expect("a link");
    };
    link(format!("up/absolute-{target}"), &absolute);
    link(format!("up/relative-{target}"), &std::path::Path::new("../out").join(target));
    link(format!("up/second-{target}"), format!("absolute-{target}").as_ref());
    link("up/directory".to_owned(), &place.path().join("out"));
    vec![
        absolute.display().to_string(),
        format!("../out/{target}"),
        format!("./sub/../../out/{target}"),
        format!("../../../../../../../../../..{}", absolute.display()),
        format!("{}/../out/{target}", place.path().join("up").display()),
        format!("absolute-{target}"),
        format!("relative-{target}"),
        format!("second-{target}"),
        format!("directory/{target}"),
        format!("directory/../out/{target}"),
    ]
}

/// Absolute, up, and through a link.
const WAYS_FOR_ALL: [usize; 3] = [0, 1, 5];

#[test]
fn nothing_of_what_is_outside_is_told() {
    for language in LANGUAGES {
        let place = place();
        place.write("up/sub/none", b"");
        for (i, way) in ways_out(&place, language.target).into_iter().enumerate() {
            language.write(&place, &way);
            // Further ways differ in nothing that a command knows of.
            for command in if WAYS_FOR_ALL.contains(&i) { language.commands } else { &language.commands[..1] } {
                // What is told without the file is told whatever is in it.
                let told = |place: &Place| -> Vec<String> {
                    language.run(place, command, &[]).iter().map(|seen| flat(&seen.shown())).collect()
                };
                place.remove(&format!("out/{}", language.target));
                let without = told(&place);
                for shown in &without {
                    assert!(shown.starts_with("exit 2"), "{command:?} {way}: {shown}");
                    assert!(shown.contains("it leads outside of the directory of"), "{command:?} {way}: {shown}");
                    assert!(shown.contains(language.file) && shown.contains("--root"), "{command:?} {way}: {shown}");
                }
                for text in language.texts {
                    place.write(&format!("out/{}", language.target), text.as_bytes());
                    let with = told(&place);
                    assert_eq!(with, without, "{command:?} {way}");
                    assert!(!with.concat().contains(SECRET), "{command:?} {way}: {with:?}");
                }
            }
        }
    }
}

#[test]
fn a_wider_root_allows_it() {
    for language in LANGUAGES {
        let place = place();
        place.write("up/sub/none", b"");
        let target = format!("out/{}", language.target);
        place.write(&target, language.texts[0].as_bytes());
        for way in ways_out(&place, language.target) {
            language.write(&place, &way);
            let command = language.commands[0];
            let whole = place.path().display().to_string();
            // The file that is named need not be in the root itself.
            for root in [".", "out", &whole, "up/.."] {
                // A link beside a file that is outside of the root is not looked at, and an absolute path begins with the root.
                let aside = ["absolute-", "relative-", "second-", "directory/", "./sub"];
                if root == "out" && (way.contains("/up/..") || aside.iter().any(|a| way.starts_with(a))) {
                    continue;
                }
                let seen = place.run(&[command, &["--root", root]].concat());
                assert!(!seen.stderr.contains("outside"), "{way} --root {root}: {}", seen.shown());
            }
            let seen = place.run(&[command, &["--root", "up"]].concat());
            assert!(seen.flat().contains("outside of `up`, which --root names"), "{way}: {}", seen.shown());
        }
    }
}

#[test]
fn what_is_read_from_a_wider_root() {
    let place = place();
    place.write("lib/t.props", b"import \"more/deep.props\"\nlet busy = c0 == 1\n");
    place.write("lib/more/deep.props", b"import \"../../up/p.props\"\nproperty deep = ltl F busy\n");
    place.write("up/p.props", b"import \"../lib/t.props\"\nproperty mine = ltl G !busy\n");
    let seen = place.run(&["check", "up/r.trace", "--spec", "up/p.props", "--root", ".", "--json"]);
    assert_eq!(seen.results("property"), ["deep", "mine"], "{}", seen.shown());
    // Nothing else than the root decides: from the library's file on, the way back up leads out.
    let seen = place.run(&["check", "up/r.trace", "--spec", "lib/t.props"]);
    insta::assert_snapshot!("chain", seen.shown());
    let seen = place.run(&["check", "up/r.trace", "--spec", "up/p.props", "--root", "lib"]);
    insta::assert_snapshot!("chain_root", seen.shown());
}

#[test]
fn detours_and_links_within_the_root() {
    let place = place();
    place.write("up/lib/t.props", b"import \"../a/../b.props\"\nproperty t = ltl true\n");
    place.write("up/b.props", b"property b = ltl true\n");
    place.write("up/a/none", b"");
    let up = place.path().join("up");
    symlink("lib", up.join("relative")).expect("a link");
    symlink(up.join("lib/t.props"), up.join("absolute.props")).expect("a link");
    let up_name = up.display().to_string();
    for way in ["lib/t.props", "relative/t.props", "../up/lib/t.props", &format!("{up_name}/lib/t.props")] {
        PROPS.write(&place, way);
        let seen = place.run(&["check", "up/r.trace", "--spec", "up/p.props", "--json"]);
        assert_eq!(seen.results("property"), ["b", "t", "mine"], "{way}: {}", seen.shown());
    }
    // What a link asks for is looked for beside the link, and `../a` leads out from there.
    PROPS.write(&place, "absolute.props");
    let seen = place.run(&["check", "up/r.trace", "--spec", "up/p.props"]);
    assert!(seen.stderr.contains("outside") && seen.stderr.contains("up/absolute.props:1:8"), "{}", seen.shown());
}

#[test]
fn the_root_of_standard_input_is_the_current_directory() {
    let place = place();
    place.write("t.props", b"property t = ltl true\n");
    for file in ["-", "/dev/stdin"] {
        let run = |text: &[u8]| place.run_with(&["check", "up/r.trace", "--spec", file], text);
        let seen = run(b"import \"t.props\"\n");
        assert_eq!(seen.status, 0, "{}", seen.shown());
        let seen = run(b"import \"../t.props\"\n");
        assert!(seen.stderr.contains("it leads outside of the current directory"), "{}", seen.shown());
    }
}

/// A file that is named by a link has its root where the link is.
#[test]
fn a_link_on_the_command_line() {
    let place = place();
    place.write("out/p.props", b"import \"t.props\"\nproperty mine = ltl true\n");
    place.write("out/t.props", b"property s3cret = ltl true\n");
    place.write("up/t.props", b"property here = ltl true\n");
    symlink("../out/p.props", place.path().join("up/p.props")).expect("a link");
    let seen = place.run(&["check", "up/r.trace", "--spec", "up/p.props", "--json"]);
    assert_eq!(seen.results("property"), ["here", "mine"], "{}", seen.shown());
}

#[test]
fn only_files_are_imported() {
    let place = place();
    place.pipe("up/pipe");
    place.write("up/sub/none", b"");
    symlink("circle", place.path().join("up/circle")).expect("a link");
    symlink("/dev/zero", place.path().join("up/zero")).expect("a link");
    let mut shown = String::new();
    for language in [PROPS, AUT, MONA] {
        for path in ["pipe", "sub", ".", "", "circle", "zero", "none", "sub/none/x", "sub/gone/../none"] {
            language.write(&place, path);
            let seen = place.run(language.commands[0]);
            assert_eq!(seen.status, 2);
            shown.push_str(&seen.stderr);
        }
    }
    insta::assert_snapshot!("only_files", shown);
    PROPS.write(&place, "/dev/zero");
    let seen = place.run(&["check", "up/r.trace", "--spec", "up/p.props", "--root", "/"]);
    assert!(seen.stderr.contains("neither a file nor a link to one"), "{}", seen.shown());
}

#[test]
fn refusals() {
    let place = place();
    place.write("out/secret", SECRET.as_bytes());
    for (name, language) in [("props", PROPS), ("sys", AUT), ("mona", MONA)] {
        language.write(&place, "../out/secret");
        insta::assert_snapshot!(format!("refused_{name}"), place.run(language.commands[0]).shown());
        let seen = place.run(&[language.commands[0], &["--json", "--root", "up"]].concat());
        insta::assert_snapshot!(format!("refused_{name}_json"), seen.shown());
    }
    insta::assert_snapshot!("no_such_root", place.run(&["m2l", "up/f.mona", "--root", "nowhere"]).shown());
    insta::assert_snapshot!("root_is_a_file", place.run(&["m2l", "up/f.mona", "--root", "up/f.mona"]).shown());
}

/// A mistake in what a system imports names the file that it is in.
#[test]
fn mistakes_in_what_is_imported() {
    let place = place();
    place.write("up/fork.aut", b"des (0, 1, 1)\n(0, get, 7)\n");
    place.write("up/fork.txt", b"a fork\n");
    place.write("up/fork.sys", b"component F { lts { init s; s -a-> s } }\n");
    place.write("up/two.pnml", b"<pnml></pnml>");
    place.write("up/bytes.aut", b"des (0, 1, 1)\n(0, \xff, 7)\n");
    let mut shown = String::new();
    for path in ["fork.aut", "fork.txt", "fork.sys", "two.pnml", "bytes.aut", "gone.aut"] {
        AUT.write(&place, path);
        let seen = place.run(&["verify", "up/m.sys"]);
        assert_eq!(seen.status, 2);
        shown.push_str(&seen.stderr);
        let json = place.run(&["verify", "up/m.sys", "--json"]).json();
        let inside = if ["bytes.aut", "gone.aut"].contains(&path) { "m.sys" } else { path };
        assert_eq!(json["errors"][0]["file"], format!("up/{inside}"), "{json}");
    }
    insta::assert_snapshot!("mistakes_in_imports", shown);
}

/// Runs in a directory that is searched: a link out of it is a mistake, because leaving it out would hide a run.
#[test]
fn links_in_a_directory_of_runs() {
    let place =
        Place::with(&[("runs/a.trace", MUTEX), ("runs/sub/b.trace", MUTEX), ("out/t.trace", "s3cret s3cret\n")]);
    symlink("../runs/a.trace", place.path().join("runs/same.trace")).expect("a link");
    let seen = place.run(&["check", "runs", "--ltl", "true", "--json"]);
    assert_eq!(seen.results("trace"), ["runs/a.trace", "runs/same.trace", "runs/sub/b.trace"], "{}", seen.shown());
    symlink("../../out/t.trace", place.path().join("runs/sub/t.trace")).expect("a link");
    symlink("../out", place.path().join("runs/away")).expect("a link");
    for command in [
        &["check", "runs", "--ltl", "true"][..],
        &["info", "runs"],
        &["check", "runs/*/t.trace", "--ltl", "true"],
        &["check", "./runs/../runs/a*/*.trace", "--ltl", "true"],
    ] {
        for more in [&[][..], &["--json"]] {
            let with = place.run(&[command, more].concat());
            assert!(with.status == 2 && with.shown().contains("outside"), "{}", with.shown());
            assert!(!with.shown().contains(SECRET), "{}", with.shown());
            if command[1] == "runs" {
                place.remove("out/t.trace");
                assert_eq!(place.run(&[command, more].concat()).shown(), with.shown());
                place.write("out/t.trace", b"s3cret s3cret\n");
            }
        }
    }
    insta::assert_snapshot!("link_in_a_directory", place.run(&["check", "runs", "--ltl", "true"]).stderr);
    // With a wider root it is read, and so are those that are named themselves: then their mistakes are shown.
    for args in [
        &["check", "runs", "--root", ".", "--ltl", "true"][..],
        &["check", "runs/*/t.trace", "--root", ".", "--ltl", "true"],
        &["check", "runs/sub/t.trace", "--ltl", "true"],
    ] {
        let seen = place.run(args);
        assert!(seen.stderr.contains(SECRET) && !seen.stderr.contains("outside"), "{}", seen.shown());
    }
}

/// A short file can ask for another very often.
#[test]
fn what_is_asked_for_is_bounded() {
    let place = place();
    place.write("up/big.props", format!("property big = ltl true\n//{}\n", "x".repeat(30 << 20)).as_bytes());
    place.write("up/p.props", "import \"big.props\"\n".repeat(1000).as_bytes());
    let seen = place.run(&["check", "up/r.trace", "--spec", "up/p.props"]);
    assert!(seen.status == 2 && seen.stderr.contains("more than 1 GiB of text are asked for"), "{}", seen.shown());
}
