//! The definition and the engine, which read the same text, against NuSMV.
//!
//! NuSMV has no finite computations. It has compassion for LTL, but says `false` where it then fails to find a counterexample ("result =
//! NULL"), so there is none here. Each property is asked alone: of several it answers in an order of its own.

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

struct Nusmv {
    program: PathBuf,
}

impl Nusmv {
    fn find() -> Option<Self> {
        posetta_peers::nusmv().map(|program| Self { program })
    }

    /// What it says about the one property of a model.
    fn verdict(&self, name: &str, text: &str) -> bool {
        let file = std::env::temp_dir().join(format!("posetta-{}-{name}.smv", std::process::id()));
        std::fs::write(&file, text).expect("the temporary folder can be written to");
        let mut command = Command::new(&self.program);
        // Its libraries often lie beside it.
        if let Some(folder) = self.program.parent() {
            command.env("LD_LIBRARY_PATH", folder);
        }
        let output = command.arg("-dcx").arg(&file).output().expect("NuSMV starts");
        let _ = std::fs::remove_file(&file);
        let said = String::from_utf8_lossy(&output.stdout);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "NuSMV failed:\n{errors}\non\n{text}");
        // The formula comes first, over several lines where it has a case.
        let lines = said.lines().map(str::trim_end).skip_while(|l| !l.starts_with("-- "));
        let verdicts: Vec<bool> =
            lines.filter(|l| l.ends_with("is true") || l.ends_with("is false")).map(|l| l.ends_with("true")).collect();
        assert_eq!(verdicts.len(), 1, "{said}\non\n{text}");
        verdicts[0]
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
        for demand in demands(&model, rng) {
            let expected = match &demand {
                Demand::Ltl(f) => tableau::violation(&system, f).is_none(),
                Demand::Ctl(f) => system.satisfies_ctl(f),
                Demand::Invariant(e) => system.distance_to_violation(*e).is_none(),
                Demand::Psl(_) => unreachable!("not asked"),
            };
            let text = text(&model.fds, &[demand]);
            assert_eq!(nusmv.verdict(what, &text), expected, "seed {seed}:\n{text}");
            assert_eq!(engine(&text), if expected { "holds" } else { "violated" }, "seed {seed}:\n{text}");
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
