//! Row 15: all examinations of the Model Checking Contest on nets up to 10⁷ states, each model in one command.
//!
//! The questions are made from a seed ([`examinations`]). One engine alone answers what it can, too, and whatever two of
//! them say must be the same.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::Value;

use super::examinations;
use super::nets::{self, Net};
use crate::lab::Lab;
use crate::measure;
use crate::study::{Sheet, Study, seconds};
use crate::workload::{Judgement, Role};

/// The row.
pub const STUDY: Study = Study {
    id: "systems-contest",
    row: 15,
    title: "all examinations of the Model Checking Contest in one command, on nets up to 10⁷ states",
    target: "every question answered, below 4 GB, in minutes",
    run,
};

/// Gigabytes that the program is allowed, and seconds that are wanted at most.
const MEMORY: u64 = 4;
const MINUTES: f64 = 600.0;

/// Past its own limit a program has this long to say so.
const GRACE: Duration = Duration::from_secs(10);

/// One engine alone is asked in less time, and if there are no more states than this.
const FEW: u64 = 1_000_000;

struct Model {
    name: &'static str,
    net: Net,
    /// How many states it has, which every engine must say.
    states: u64,
}

fn models(quick: bool) -> Vec<Model> {
    let model = |name, net, states| Model { name, net, states };
    if quick {
        return vec![model("philosophers", nets::philosophers(4), 81), model("peterson", nets::peterson(), 0)];
    }
    vec![
        model("process", nets::process(3, 6), 0),
        model("queue lock", nets::queue_lock(4), 30_528),
        model("peterson", nets::peterson(), 0),
        model("bath", nets::bath(20, 10, 15), 0),
        model("resources", nets::resources(10, 5, 2), 0),
        model("slots", nets::slots(8), 0),
        model("line", nets::line(6, 9), 1_000_000),
        model("factory", nets::factory(4), 0),
        model("kanban", nets::kanban(5), 2_546_432),
        model("philosophers", nets::philosophers(14), 4_782_969),
        model("tokens", nets::tokens(100_000), 100_001),
        model("kanban", nets::kanban(6), 11_261_376),
    ]
}

fn run(lab: &Lab, _: u32) -> Result<Sheet, String> {
    let program = match &lab.program {
        Ok(program) => program,
        Err(reason) => return Ok(Sheet::skipped(&format!("the program is measured: {reason}"))),
    };
    let headings = vec!["model", "places", "transitions", "states", "states s", "questions", "answered", "engines"];
    let headings = headings.into_iter().chain(["wall s", "CPU s", "MB", "alone"]).collect();
    let mut sheet = Sheet { headings, ..Sheet::default() };
    sheet.notes = vec![
        "states s: seconds of CPU to count them (StateSpace); wall, CPU, MB: all other examinations in one command"
            .to_owned(),
        format!(
            "engines: who answered how often; alone: questions that one engine alone also answered, up to {FEW} states"
        ),
        format!("limits: {} s and {MEMORY} GB", lab.limit.as_secs()),
    ];
    for (place, model) in models(lab.quick).into_iter().enumerate() {
        eprintln!("  {} …", model.name);
        let files = written(lab, place, &model)?;
        row(lab, program, &model, &files, &mut sheet);
    }
    Ok(sheet)
}

/// The net, and the pattern of the questions about it.
struct Files {
    net: PathBuf,
    questions: PathBuf,
}

fn written(lab: &Lab, place: usize, model: &Model) -> Result<Files, String> {
    let dir = lab.data.join(format!("systems-contest-{place}"));
    fs::create_dir_all(&dir).map_err(|e| format!("{}: {e}", dir.display()))?;
    let net = dir.join("model.pnml");
    let write = |path: &Path, text: &str| fs::write(path, text).map_err(|e| format!("{}: {e}", path.display()));
    write(&net, &model.net.pnml("Net"))?;
    for (name, text) in examinations::sets(&model.net, 7 + place as u64) {
        write(&dir.join(name), &text)?;
    }
    Ok(Files { net, questions: dir.join("*.xml") })
}

fn row(lab: &Lab, program: &Path, model: &Model, files: &Files, sheet: &mut Sheet) {
    let name = model.name;
    let counted = ask(lab, program, files, &[], lab.limit);
    let (states, count_cpu) = match &counted {
        Ok(said) => (said.states.clone(), seconds(said.cpu)),
        Err(problem) => {
            sheet.failures.push(format!("{name}: counting states: {problem}"));
            ("-".to_owned(), "-".to_owned())
        }
    };
    if model.states > 0 && states != model.states.to_string() {
        sheet.failures.push(format!("{name}: {states} states, and it has {}", model.states));
    }
    let spec = files.questions.display().to_string();
    let all = match ask(lab, program, files, &["--spec", &spec], lab.limit) {
        Ok(all) => all,
        Err(problem) => return sheet.failures.push(format!("{name}: {problem}")),
    };
    let mut alone = 0;
    if states.parse::<u64>().is_ok_and(|states| states <= FEW) {
        for engine in ["explicit", "sog"] {
            match ask(lab, program, files, &["--spec", &spec, "--engine", engine], lab.limit / 4) {
                Ok(own) => {
                    for (id, answer) in own.answers.iter().filter(|(_, answer)| *answer != "unknown") {
                        alone += 1;
                        let other = all.answers.get(id).map_or("nothing", String::as_str);
                        if other != answer && other != "unknown" {
                            sheet.failures.push(format!("{name}: {id}: {engine} says {answer}, and all say {other}"));
                        }
                    }
                }
                Err(problem) => sheet.failures.push(format!("{name}: {engine}: {problem}")),
            }
        }
    }
    let answered = all.answers.values().filter(|answer| *answer != "unknown").count();
    let engines: Vec<String> = all.engines.iter().map(|(engine, count)| format!("{engine} {count}")).collect();
    let cells = [
        name.to_owned(),
        model.net.places.len().to_string(),
        model.net.transitions.len().to_string(),
        states,
        count_cpu,
        all.answers.len().to_string(),
        answered.to_string(),
        engines.join(" + "),
        seconds(all.wall),
        seconds(all.cpu),
        format!("{:.0}", all.memory),
        alone.to_string(),
    ];
    sheet.rows.push(cells.to_vec());
    let open = all.answers.len() - answered;
    let met = open == 0 && all.wall < MINUTES && all.memory < MEMORY as f64 * 1e3;
    let text = format!("{name}: {open} open, {} s, {:.0} MB", seconds(all.wall), all.memory);
    sheet.judgements.push(Judgement { text, met });
}

/// What the program said.
struct Said {
    states: String,
    /// By id: the verdict, or the number.
    answers: BTreeMap<String, String>,
    engines: BTreeMap<String, u64>,
    wall: f64,
    cpu: f64,
    memory: f64,
}

fn ask(lab: &Lab, program: &Path, files: &Files, more: &[&str], limit: Duration) -> Result<Said, String> {
    let (net, time, memory) = (files.net.display().to_string(), format!("{}s", limit.as_secs()), format!("{MEMORY}GB"));
    let args = ["verify", &net, "--json", "--witness", "never", "--timeout", &time, "--memory", &memory];
    let args: Vec<String> = args.iter().chain(more).map(|&arg| arg.to_owned()).collect();
    let ended = measure::watch(program, &args, Role::Ours, limit + GRACE, lab)?;
    if !ended.status.is_some_and(|status| matches!(status.code(), Some(0 | 1 | 3))) {
        return Err(ended.why());
    }
    let value: Value = serde_json::from_str(&ended.run.output).map_err(|e| format!("prints no JSON: {e}"))?;
    let mut said = Said {
        states: value["model"]["states"].as_str().unwrap_or("-").to_owned(),
        answers: BTreeMap::new(),
        engines: BTreeMap::new(),
        wall: ended.run.wall.as_secs_f64(),
        cpu: ended.run.cpu.as_secs_f64(),
        memory: ended.run.memory as f64 / 1e6,
    };
    for result in value["results"].as_array().into_iter().flatten() {
        let verdict = result["verdict"].as_str().ok_or("prints no verdict")?;
        let most = result["bound"].as_str().map_or(String::new(), |most| format!(" {most}"));
        let id = result["property"].as_str().ok_or("prints no name")?;
        said.answers.insert(id.to_owned(), format!("{verdict}{most}"));
        let engine = result["stats"]["engine"].as_str().unwrap_or("nobody");
        *said.engines.entry(engine.to_owned()).or_default() += 1;
    }
    Ok(said)
}
