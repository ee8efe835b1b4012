//! What installs the program: manual pages, the archive and its installer, the Debian package, the container and the GitHub action. All
//! of it without a network.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use posetta_peers as peers;
use yaml_rust2::{Yaml, YamlLoader};

use crate::program::Place;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the project")
}

fn text(name: &str) -> String {
    fs::read_to_string(root().join(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
}

fn run(command: &mut Command) -> Output {
    command.output().unwrap_or_else(|e| panic!("{command:?}: {e}"))
}

/// Runs something that must do its work.
fn done(command: &mut Command) -> String {
    let output = run(command);
    let told = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{command:?}: {told}");
    told
}

/// The commands of the program that help lists.
fn commands(place: &Place) -> Vec<String> {
    let help = place.run(&["--help"]).stdout;
    let listed = help.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| line.starts_with("  "));
    let listed = listed.filter(|line| !line.starts_with("   "));
    listed.filter_map(|line| line.split_whitespace().next()).filter(|name| *name != "help").map(str::to_owned).collect()
}

#[test]
fn there_is_a_manual_page_for_each_command() {
    let place = Place::with(&[("file", "")]);
    assert_eq!(place.run(&["man", "pages"]).status, 0);
    let commands = commands(&place);
    assert!(commands.len() > 10 && commands.contains(&"init".to_owned()), "{commands:?}");
    let written: BTreeSet<String> = fs::read_dir(place.path().join("pages"))
        .expect("pages")
        .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
        .collect();
    let mut expected: BTreeSet<String> = commands.iter().map(|name| format!("posetta-{name}.1")).collect();
    expected.insert("posetta.1".to_owned());
    assert_eq!(written, expected);
    let page = place.read("pages/posetta-check.1");
    assert!(page.starts_with(".ie") || page.contains(".TH posetta-check 1"), "{}", &page[..200]);
    assert!(page.contains("\\-\\-spec") && page.contains("Exit status"), "what help says is in the page");
    // A mistake is told.
    let seen = place.run(&["man", "file"]);
    assert!(seen.status == 2 && seen.stderr.contains("cannot write `file`"), "{}", seen.shown());
}

/// A small program in the place of the real one: it answers what is asked of it while it is packed and installed.
fn stand_in(place: &Place) -> PathBuf {
    let script = format!("#!/bin/sh\nexec '{}' \"$@\"\n", env!("CARGO_BIN_EXE_posetta"));
    place.write("built/posetta", script.as_bytes());
    let path = place.path().join("built/posetta");
    done(Command::new("chmod").arg("755").arg(&path));
    path
}

#[test]
fn a_release_is_packed_and_installed_from_a_directory() {
    let place = Place::with(&[]);
    let (program, release) = (stand_in(&place), place.path().join("release"));
    let pack = || {
        let mut command = Command::new(root().join("tools/package"));
        command.arg(&program).arg(place.path().join("stage")).arg("--archive").arg(&release).arg("some-target");
        done(&mut command);
    };
    pack();
    let sums = place.read("release/SHA256SUMS");
    pack();
    assert_eq!(place.read("release/SHA256SUMS").lines().count(), 1, "packed again, it is listed once: {sums}");
    let install = |from: &str, prefix: &str, target: &str| {
        let mut command = Command::new("sh");
        command.arg(root().join("install.sh")).args(["--from", from, "--target", target, "--prefix"]);
        run(command.arg(place.path().join(prefix)).env_remove("POSETTA_RELEASE"))
    };
    let address = format!("file://{}", release.display());
    for (from, prefix) in [(release.to_str().expect("a path"), "one"), (&address, "two")] {
        let output = install(from, prefix, "some-target");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        for file in [
            "bin/posetta",
            "share/man/man1/posetta.1",
            "share/man/man1/posetta-check.1",
            "share/bash-completion/completions/posetta",
            "share/zsh/vendor-completions/_posetta",
            "share/fish/vendor_completions.d/posetta.fish",
            "share/doc/posetta/LICENSE-MIT",
        ] {
            assert!(place.exists(&format!("{prefix}/{file}")), "{file}");
        }
        let version = done(Command::new(place.path().join(prefix).join("bin/posetta")).arg("--version"));
        assert!(version.contains(env!("CARGO_PKG_VERSION")), "{version}");
    }
    let refused = |output: Output, why: &str| {
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success() && told.contains(why), "{why}: {told}");
    };
    refused(install(&address, "three", "another-target"), "no build for another-target");
    refused(install("/nowhere/at/all", "three", "some-target"), "no SHA256SUMS");
    refused(install("ftp://example", "three", "some-target"), "only file:// and https://");
    refused(install(&address, "../relative", "../some-target"), "no build for ../some-target");
    // One byte more, and nothing is installed.
    let archive = fs::read_dir(&release).expect("the release").map(|entry| entry.expect("an entry").path());
    let archive = archive.into_iter().find(|path| path.extension().is_some_and(|e| e == "gz")).expect("an archive");
    let mut bytes = fs::read(&archive).expect("the archive");
    bytes.push(0);
    fs::write(&archive, bytes).expect("the archive");
    refused(install(&address, "three", "some-target"), "another checksum");
    assert!(!place.exists("three"), "nothing is installed");
}

#[test]
fn the_scripts_have_no_mistakes_that_shellcheck_knows() {
    let Some(shellcheck) = peers::shellcheck() else { return };
    done(Command::new(&shellcheck).arg(root().join("install.sh")).arg(root().join("tools/package")));
    // The scripts of the action, too.
    let place = Place::with(&[]);
    for (number, script) in action_scripts().iter().enumerate() {
        let name = format!("step{number}.sh");
        place.write(&name, format!("#!/bin/bash\nset -e\n{script}").as_bytes());
        done(Command::new(&shellcheck).arg(place.path().join(name)));
    }
}

fn action() -> Yaml {
    let mut documents = YamlLoader::load_from_str(&text("action.yml")).expect("YAML");
    assert_eq!(documents.len(), 1);
    documents.remove(0)
}

fn action_scripts() -> Vec<String> {
    let action = action();
    let steps = action["runs"]["steps"].as_vec().expect("steps");
    steps.iter().map(|step| step["run"].as_str().expect("a script").to_owned()).collect()
}

#[test]
fn the_action_has_the_shape_of_one() {
    let action = action();
    assert_eq!(action["runs"]["using"].as_str(), Some("composite"));
    for (input, required) in [("files", true), ("spec", true), ("args", false), ("version", false)] {
        let input = &action["inputs"][input];
        assert_eq!(input["required"].as_bool(), Some(required));
        assert!(input["description"].as_str().is_some_and(|text| !text.is_empty()));
    }
    for step in action["runs"]["steps"].as_vec().expect("steps") {
        // A composite action needs it for each script.
        assert_eq!(step["shell"].as_str(), Some("bash"), "{step:?}");
        let script = step["run"].as_str().expect("a script");
        assert!(!script.contains("${{"), "an input inside of a script is read as a command: {script}");
    }
}

/// The last step with the real program: arguments line by line, and the exit status of the answer.
#[test]
fn the_action_checks_runs() {
    let place = Place::with(&[
        ("a run.trace", "A: pay -> ship\n"),
        ("race.trace", "A: pay\nB: ship\n"),
        ("checks.props", "property paid = precedence(event(pay), event(ship))\n"),
        ("output", ""),
    ]);
    let script = action_scripts().pop().expect("the last step");
    let program = Path::new(env!("CARGO_BIN_EXE_posetta")).parent().expect("a directory");
    let check = |files: &str| {
        let mut command = Command::new("bash");
        let path = std::env::var_os("PATH").unwrap_or_default();
        let paths = std::env::join_paths([program.to_owned()].into_iter().chain(std::env::split_paths(&path)));
        command.args(["-e", "-c", &script]).current_dir(place.path()).env("PATH", paths.expect("a search path"));
        command.env("FILES", files).env("SPEC", "checks.props").env("ARGS", "--witness\nnever\n");
        run(command.env("GITHUB_OUTPUT", place.path().join("output")))
    };
    assert_eq!(check("a run.trace\n").status.code(), Some(0));
    let output = check("a run.trace\nrace.trace\n");
    let told = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.code() == Some(1) && told.contains("1 property on 2 runs: 1 violated, 1 holds"), "{told}");
    assert_eq!(check("$(touch injected)\n").status.code(), Some(2));
    assert!(!place.exists("injected"));
    assert_eq!(place.read("output"), "status=0\nstatus=1\nstatus=2\n");
}

#[test]
fn the_container_is_small_and_nobody_in_particular() {
    const KNOWN: [&str; 9] = ["FROM", "WORKDIR", "COPY", "RUN", "USER", "ENTRYPOINT", "CMD", "ENV", "ARG"];
    let file = text("Dockerfile").replace("\\\n", " ");
    let lines: Vec<(&str, &str)> = file
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .map(|line| line.split_once(' ').expect("an instruction and its arguments"))
        .collect();
    for (instruction, arguments) in &lines {
        assert!(KNOWN.contains(instruction), "{instruction}");
        // What is fetched is what Cargo.lock names.
        let fetches = ["apt", "curl", "wget", "http", "ADD"].iter().any(|word| arguments.contains(word));
        assert!(!fetches, "{instruction} {arguments}");
    }
    let stages: Vec<&str> = lines.iter().filter(|(i, _)| *i == "FROM").map(|(_, image)| *image).collect();
    let [build, last] = &stages[..] else { panic!("two stages: {stages:?}") };
    assert!(build.ends_with(" AS build") && build.contains(env!("CARGO_PKG_RUST_VERSION")) && last.contains("slim"));
    let after = lines.iter().rposition(|(i, _)| *i == "FROM").expect("a stage");
    let last = &lines[after..];
    assert!(last.iter().filter(|(i, _)| *i == "COPY").all(|(_, what)| what.starts_with("--from=build ")));
    let user = last.iter().find(|(i, _)| *i == "USER").expect("a user").1;
    assert!(user.split(':').all(|id| id.parse::<u32>().is_ok_and(|id| id > 0)), "{user}");
    let entry = last.iter().find(|(i, _)| *i == "ENTRYPOINT").expect("an entry").1;
    assert_eq!(entry, "[\"posetta\"]");
    assert!(lines.iter().any(|(i, what)| *i == "RUN" && what.contains("--locked") && what.contains("tools/package")));
    assert!(text(".dockerignore").lines().any(|line| line == "target"));
}

/// A package of the program that was built for this test, unpacked and started.
#[test]
fn the_debian_package_has_the_program_and_its_pages() {
    let Some(cargo_deb) = peers::cargo_deb() else { return };
    let place = Place::with(&[]);
    let target = place.path().join("target");
    let release = target.join("release");
    fs::create_dir_all(&release).expect("a directory");
    // Without what only debuggers read: packing that takes longest.
    let program = release.join("posetta");
    fs::copy(env!("CARGO_BIN_EXE_posetta"), &program).expect("a copy");
    done(Command::new("strip").arg(&program));
    done(Command::new(root().join("tools/package")).arg(&program).arg(release.join("package")));
    let out = place.path().join("posetta.deb");
    let mut command = Command::new(cargo_deb);
    command
        .args([
            "deb",
            "-p",
            "posetta-cli",
            "--no-build",
            "--no-strip",
            "--fast",
            "--compress-system",
            "--offline",
            "--locked",
            "-o",
        ])
        .arg(&out);
    done(command.current_dir(root()).env("CARGO_TARGET_DIR", &target));
    let contents = done(Command::new("dpkg-deb").arg("-c").arg(&out));
    for file in [
        "./usr/bin/posetta",
        "./usr/share/man/man1/posetta.1",
        "./usr/share/man/man1/posetta-init.1",
        "./usr/share/bash-completion/completions/posetta",
        "./usr/share/zsh/vendor-completions/_posetta",
        "./usr/share/fish/vendor_completions.d/posetta.fish",
        "./usr/share/doc/posetta/copyright",
    ] {
        // Pages are packed unless it should go fast.
        let has = |line: &str| line.trim_end_matches(".gz").ends_with(&format!(" {file}"));
        assert!(contents.lines().any(has), "{file} is not in\n{contents}");
    }
    done(Command::new("dpkg-deb").arg("-x").arg(&out).arg(place.path().join("root")));
    let version = done(Command::new(place.path().join("root/usr/bin/posetta")).arg("--version"));
    assert!(version.contains(env!("CARGO_PKG_VERSION")), "{version}");
}
