//! The definition and the engine, which read the same text, against NuSMV.
//!
//! NuSMV has no finite computations. It has compassion for LTL, but says `false` where it then fails to find a counterexample ("result =
//! NULL"), so there is none here. Properties are asked by commands, one after the other: of those in a file it answers in an order of
//! its own.

use std::path::PathBuf;
use std::process::Command;

use posetta_base::Budget;
use posetta_model::fds::Demand;
use posetta_model::smv;
use posetta_oracle::cases::{Shares, for_seeds};
use posetta_oracle::fds::{System, tableau};
use posetta_oracle::nusmv::text;
use posetta_oracle::random::{Model, Taste, model};
use posetta_verify::fds::{Options, Question};

pub(crate) struct Nusmv {
    program: PathBuf,
}

impl Nusmv {
    pub(crate) fn find() -> Option<Self> {
        posetta_peers::nusmv().map(|program| Self { program })
    }

    /// What it says about each property of a model, and how many states it reaches. It starts once for all of them, because its start takes longer than its answers.
    pub(crate) fn verdicts(&self, name: &str, model: &str, properties: &[&str]) -> (Vec<bool>, String) {
        let place = |what: &str| std::env::temp_dir().join(format!("posetta-{}-{name}.{what}", std::process::id()));
        let (file, script) = (place("smv"), place("cmd"));
        let asked = properties.iter().map(|property| {
            let (sort, formula) = property.split_once(' ').expect("a keyword and a formula");
            let command = match sort {
                "LTLSPEC" => "check_ltlspec",
                "CTLSPEC" => "check_ctlspec",
                _ => "check_invar",
            };
            format!("{command} -p \"{}\"\n", formula.trim_end().trim_end_matches(';'))
        });
        std::fs::write(&script, format!("go\nprint_reachable_states\n{}quit\n", asked.collect::<String>()))
            .expect("temporary files");
        std::fs::write(&file, model).expect("temporary files");
        let mut command = Command::new(&self.program);
        // Its libraries often lie beside it.
        if let Some(folder) = self.program.parent() {
            command.env("LD_LIBRARY_PATH", folder);
        }
        let output = command.args(["-dcx", "-source"]).args([&script, &file]).output().expect("NuSMV starts");
        let _ = (std::fs::remove_file(&file), std::fs::remove_file(&script));
        let said = String::from_utf8_lossy(&output.stdout);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "NuSMV failed:\n{errors}\non\n{model}{properties:?}");
        // The formula comes first, over several lines where it has a case.
        let lines = said.lines().map(str::trim_end).skip_while(|l| !l.starts_with("-- "));
        let verdicts: Vec<bool> =
            lines.filter(|l| l.ends_with("is true") || l.ends_with("is false")).map(|l| l.ends_with("true")).collect();
        assert_eq!(verdicts.len(), properties.len(), "{said}\n{errors}\non\n{model}{properties:?}");
        let states = said.lines().find_map(|l| l.strip_prefix("reachable states: ")?.split(' ').next());
        (verdicts, states.unwrap_or_default().to_owned())
    }
}

/// What the engine says about the one property of a model.
fn engine(text: &str) -> &'static str {
    let model = smv::read(text).unwrap_or_else(|e| panic!("{e:?}:\n{text}"));
    let budget = Budget::unlimited();
    let mut question = Question::new(&model, &model.specs, Options::default());
    question.decide(&budget).unwrap_or_else(|e| panic!("{e:?}:\n{text}"));
    question.answer(0).map_or("nothing", |answer| answer.verdict.word())
}

fn compare(what: &str, taste: Taste, demands: impl Fn(&Model, &mut fastrand::Rng) -> Vec<Demand>) {
    let Some(nusmv) = Nusmv::find() else { return };
    let mut verdicts = Shares::default();
    for_seeds(500, |rng, seed| {
        let model = model(rng, taste);
        let system = System::of(&model.fds);
        if system.by_moment.computation().is_none() {
            // It refuses models without a fair state, or says nothing of interest.
            return verdicts.add("nothing computes");
        }
        let demands = demands(&model, rng);
        let bare = text(&model.fds, &[]);
        let texts: Vec<String> = demands.iter().map(|demand| text(&model.fds, std::slice::from_ref(demand))).collect();
        let properties: Vec<&str> =
            texts.iter().map(|text| text.strip_prefix(&bare).expect("the model comes first")).collect();
        let (theirs, _) = nusmv.verdicts(what, &bare, &properties);
        for ((demand, text), theirs) in demands.iter().zip(&texts).zip(theirs) {
            let expected = match demand {
                Demand::Ltl(f) => tableau::violation(&system, f).is_none(),
                Demand::Ctl(f) => system.satisfies_ctl(f),
                Demand::Invariant(e) => system.distance_to_violation(*e).is_none(),
                Demand::Psl(_) => unreachable!("not asked"),
            };
            assert_eq!(theirs, expected, "seed {seed}:\n{text}");
            assert_eq!(engine(text), if expected { "holds" } else { "violated" }, "seed {seed}:\n{text}");
            verdicts.add(if expected { "holds" } else { "violated" });
        }
    });
    verdicts.at_least_a_fifth(what, &["holds", "violated"]);
}

const STRICT: Taste = Taste { finals: false, compassion: false, loose_types: false, ..Taste::ALL };

#[test]
fn ltl() {
    compare("ltl", STRICT, |model, rng| (0..4).map(|_| Demand::Ltl(model.ltl(rng))).collect());
}

#[test]
fn ctl_and_invariants() {
    compare("ctl", STRICT, |model, rng| {
        let branching = (0..4).map(|_| Demand::Ctl(model.ctl(rng)));
        let mut demands: Vec<Demand> = branching.collect();
        demands.push(Demand::Invariant(model.of_states[0]));
        demands
    });
}
