//! Monitors: building them from formulas on which other tools give up, and reading letters as fast as a table can be walked.

use std::time::Instant;

use posetta_base::{Budget, Number, Value};
use posetta_compile::{Bytes, Completions, Linear, Machine, Prospect};
use posetta_logic::eval::Values;
use posetta_logic::{Atoms, Formula, Property, Slot, View};

use super::m2l::delivery;
use crate::lab::Lab;
use crate::stats::Spread;
use crate::study::{Sheet, Study, seconds};
use crate::workload::Judgement;

/// Building.
pub const BUILDING: Study = Study {
    id: "monitors-building",
    row: 9,
    title: "from a formula to the first answer, and 1,000 letters after it",
    target: "under a second each; the delivery formula in 10 s and 1 GB",
    run: building,
};

/// Reading.
pub const READING: Study = Study {
    id: "monitors-reading",
    row: 10,
    title: "letters of one byte through a monitor, beside a bare walk along a table",
    target: "at most 1.5 times the bare walk",
    run: reading,
};

/// What a monitor is built from.
struct Subject {
    name: &'static str,
    property: Result<Property, String>,
    /// Seconds that it may take.
    target: f64,
    /// What others need for it: Spot 2.12, or MONA, on a machine of this kind.
    others: &'static str,
}

fn told(mistakes: posetta_base::Mistakes) -> String {
    mistakes.iter().map(|m| m.message.clone()).collect::<Vec<_>>().join("; ")
}

fn subjects(quick: bool) -> Vec<Subject> {
    let (right, left, range) = if quick { (8, 6, 5) } else { (20, 18, 30) };
    let until = (0..right).rev().fold(format!("p{right}"), |rest, i| format!("p{i} U ({rest})"));
    let release = (1..=left).fold("p0".to_owned(), |rest, i| format!("({rest}) R p{i}"));
    let bursts = format!("G({{a;b[*1..{range}];c}} |=> {{d;e[*1..{range}];f}})");
    vec![
        Subject {
            name: "U-right",
            property: Property::ltl(&until).map_err(told),
            target: 1.0,
            others: "Spot none in 60 s",
        },
        Subject {
            name: "R-left",
            property: Property::ltl(&release).map_err(told),
            target: 1.0,
            others: "Spot none in 60 s",
        },
        Subject {
            name: "PSL bursts",
            property: Property::psl_over(View::States, &bursts).map_err(told),
            target: 1.0,
            others: "Spot none in 60 s",
        },
        Subject {
            name: "delivery",
            property: Property::ltl(&delivery::ltl()).map_err(told),
            target: 10.0,
            others: "MONA exhausts 128 GB",
        },
    ]
}

struct Zero(Value);

impl Values for Zero {
    fn value(&self, _: Slot) -> &Value {
        &self.0
    }
}

/// Numbers that look random and are the same everywhere.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % n
    }
}

/// Builds the machine and reads letters; answers with the seconds of both and what kind of machine it is.
fn built(formula: &Formula, letters: usize) -> Result<(f64, f64, String), String> {
    let budget = Budget::with_memory(1 << 30);
    let mut atoms = Atoms::default();
    let (view, linear) = Linear::of(formula, &mut atoms, &Budget::unlimited())
        .map_err(|over| over.to_string())?
        .ok_or("it is not linear")?;
    let start = Instant::now();
    let mut machine =
        Machine::new(&linear, &atoms, view, Completions::Both, &budget).map_err(|over| over.to_string())?;
    let building = start.elapsed().as_secs_f64();
    let mut dice = Dice(7);
    let start = Instant::now();
    let mut place = machine.start();
    for _ in 0..letters {
        let letter: Vec<bool> = atoms.atoms().iter().map(|_| dice.roll(2) == 1).collect();
        place = machine
            .step(&place, &letter, &Zero(Value::Number(Number::ZERO)), &budget)
            .map_err(|over| over.to_string())?;
    }
    let reading = start.elapsed().as_secs_f64();
    let kind = match (&machine, machine.states()) {
        (Machine::Listed(listed), Some(states)) => format!("table {states} × {}", listed.moore().width()),
        (_, Some(states)) => format!("diagrams {states}"),
        (_, None) => "letter by letter".to_owned(),
    };
    Ok((building, reading, kind))
}

fn building(lab: &Lab, times: u32) -> Result<Sheet, String> {
    let headings = vec!["property", "machine", "building s", "1000 letters s", "others"];
    let mut sheet = Sheet { headings, ..Sheet::default() };
    for Subject { name, property, target, others } in subjects(lab.quick) {
        let property = property.map_err(|e| format!("{name}: {e}"))?;
        let mut runs = Vec::new();
        for _ in 0..times {
            runs.push(built(&property.formula, 1000)?);
        }
        let (Some(build), Some(read)) = (Spread::of(runs.iter().map(|r| r.0)), Spread::of(runs.iter().map(|r| r.1)))
        else {
            continue;
        };
        let kind = runs[0].2.clone();
        sheet.rows.push(vec![name.to_owned(), kind, seconds(build.median), seconds(read.median), others.to_owned()]);
        let whole = build.median + read.median;
        sheet
            .judgements
            .push(Judgement { met: whole < target, text: format!("{name}: {whole:.3} s, at most {target} s") });
    }
    Ok(sheet)
}

fn reading(lab: &Lab, times: u32) -> Result<Sheet, String> {
    let headings = vec!["property", "letters", "monitor ms", "bare walk ms", "ratio"];
    let mut sheet = Sheet { headings, ..Sheet::default() };
    let count = if lab.quick { 100_000 } else { 10_000_000 };
    for text in ["G (a -> X b)", "G (a -> F b)", "G (a -> (b U (c && X d)))"] {
        let property = Property::ltl(text).map_err(told)?;
        let mut atoms = Atoms::default();
        let (view, linear) = Linear::of(&property.formula, &mut atoms, &Budget::unlimited())
            .map_err(|over| over.to_string())?
            .ok_or("it is linear")?;
        let budget = Budget::unlimited();
        let machine =
            Machine::new(&linear, &atoms, view, Completions::Both, &budget).map_err(|over| over.to_string())?;
        let Machine::Listed(listed) = &machine else { return Err(format!("{text}: not a table")) };
        let bytes = Bytes::new(listed).ok_or("more than eight atoms")?;
        let mut dice = Dice(11);
        let letters: Vec<u8> = (0..count).map(|_| dice.roll(1 << atoms.atoms().len()) as u8).collect();
        // The same table, and nothing else.
        let width = listed.moore().width();
        let classes = listed.moore().classes();
        let next: Vec<u32> = (0..listed.moore().len() as u32)
            .flat_map(|s| (0..256usize).map(move |b| (s, b)))
            .map(|(s, b)| {
                let class = classes[b % classes.len()].min(width as u32 - 1);
                listed.after(posetta_automata::StateId(s), class).map_or(0, |t| t.0 * 256)
            })
            .collect();
        let (mut ours, mut bare, mut ends) = (Vec::new(), Vec::new(), (None, 0));
        for _ in 0..times.max(3) {
            let start = Instant::now();
            let mut reached = bytes.start();
            bytes.read(&mut reached, &letters);
            ours.push(start.elapsed().as_secs_f64() * 1e3);
            ends.0 = bytes.answers(reached);
            let start = Instant::now();
            ends.1 ^= std::hint::black_box(letters.iter().fold(0u32, |at, &b| next[(at + u32::from(b)) as usize]));
            bare.push(start.elapsed().as_secs_f64() * 1e3);
        }
        if ends.0.is_none_or(|answers| answers.prospect == Prospect::Holds && text.starts_with('G')) {
            sheet.failures.push(format!("{text}: the monitor ended where it cannot"));
        }
        let (Some(ours), Some(bare)) = (Spread::of(ours), Spread::of(bare)) else { continue };
        let ratio = ours.median / bare.median;
        sheet.rows.push(vec![
            text.to_owned(),
            count.to_string(),
            format!("{:.1}", ours.median),
            format!("{:.1}", bare.median),
            format!("{ratio:.2}"),
        ]);
        sheet.judgements.push(Judgement { met: ratio <= 1.5, text: format!("{text}: {ratio:.2} times the bare walk") });
    }
    Ok(sheet)
}
