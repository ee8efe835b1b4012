//! Attributes that say which events belong together: the id of an order, of a request.

use std::collections::{BTreeMap, BTreeSet};

use posetta_base::{Budget, OverBudget, Value};
use posetta_logic::{Spot, Var};
use posetta_trace::Trace;
use rustc_hash::FxHashMap;

use super::order::event;
use super::{Draft, Survey, Why, word};

/// The last word of a name that is a key.
const KEYS: [&str; 14] = [
    "id",
    "key",
    "uuid",
    "guid",
    "number",
    "no",
    "ref",
    "order",
    "request",
    "transaction",
    "txn",
    "session",
    "correlation",
    "ticket",
];

/// Words of names that say where something ran, or which span it is, and not what it is about.
const OTHERS: [&str; 17] = [
    "span",
    "trace",
    "parent",
    "thread",
    "process",
    "pid",
    "host",
    "instance",
    "container",
    "pod",
    "k8s",
    "otel",
    "telemetry",
    "scope",
    "service",
    "node",
    "cluster",
];

/// So many keys are looked at, and so many proposed.
const MOST_KEYS: usize = 16;
const MOST_ANSWERS: usize = 2;

/// An attribute whose values name what events are about.
#[derive(Debug)]
pub(super) struct Key {
    name: String,
    values: usize,
    /// The names of events that have it, by their places in the survey.
    pub(super) carriers: BTreeSet<usize>,
    /// What most values begin with, and what comes later with most of them.
    answer: Option<(String, String)>,
}

/// The words of a name, in small letters.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut before = ' ';
    for c in name.chars() {
        let begins = c.is_uppercase() && before.is_lowercase();
        if !c.is_alphanumeric() || begins {
            words.push(String::new());
        }
        if let Some(last) = words.last_mut().filter(|_| c.is_alphanumeric()) {
            last.extend(c.to_lowercase());
        }
        before = c;
    }
    words.retain(|word| !word.is_empty());
    words
}

fn sounds_like_a_key(name: &str) -> bool {
    let words = words(name);
    words.last().is_some_and(|last| KEYS.contains(&last.as_str()))
        && !words.iter().any(|word| OTHERS.contains(&word.as_str()))
}

/// The keys that runs have, those with the most events first.
pub(super) fn find(runs: &[&Trace], survey: &Survey, budget: &Budget) -> Result<Vec<Key>, OverBudget> {
    let mut found = Vec::new();
    for name in survey.attributes.iter().filter(|name| sounds_like_a_key(name)).take(MOST_KEYS) {
        // By value: the names of its events in the order of each run. A value may come in several runs.
        let mut stories: BTreeMap<(usize, String), Vec<(usize, bool)>> = BTreeMap::new();
        let mut values: BTreeSet<String> = BTreeSet::new();
        let mut carriers = BTreeSet::new();
        for (number, run) in runs.iter().enumerate() {
            budget.step(run.len() as u64, "looking for keys")?;
            let Some(column) = run.column(name) else { continue };
            let mut home: FxHashMap<&Value, &str> = FxHashMap::default();
            for &event in run.linearisation() {
                let (Some(value), Some(place)) =
                    (column.value(event), run.event_name(event).and_then(|n| survey.place(n)))
                else {
                    continue;
                };
                let process = run.process(event);
                let group = run.group(process).unwrap_or_else(|| run.process_name(process));
                let elsewhere = *home.entry(value).or_insert(group) != group;
                values.insert(value.to_string());
                carriers.insert(place);
                stories.entry((number, value.to_string())).or_default().push((place, elsewhere));
            }
        }
        // What one event alone has keeps nothing together; what all have says nothing.
        if values.len() < 2 || carriers.len() < 2 {
            continue;
        }
        let answer = answer(&stories, survey);
        found.push(Key { name: name.clone(), values: values.len(), carriers, answer });
    }
    found.sort_by_key(|key| (std::cmp::Reverse(key.carriers.len()), key.name.clone()));
    Ok(found)
}

/// What most stories begin with; and of what comes later in most of them, elsewhere if possible, the last.
fn answer(stories: &BTreeMap<(usize, String), Vec<(usize, bool)>>, survey: &Survey) -> Option<(String, String)> {
    let mut begins: BTreeMap<usize, usize> = BTreeMap::new();
    for story in stories.values() {
        *begins.entry(story.first()?.0).or_default() += 1;
    }
    let (&first, &often) = begins.iter().max_by_key(|(place, count)| (**count, std::cmp::Reverse(**place)))?;
    // By name: in how many stories it comes later, whether elsewhere, and how far behind.
    let mut later: BTreeMap<usize, (usize, bool, usize)> = BTreeMap::new();
    for story in stories.values().filter(|story| story[0].0 == first) {
        let mut seen = BTreeSet::new();
        for (at, &(place, elsewhere)) in story.iter().enumerate().skip(1).rev() {
            if place != first && seen.insert(place) {
                let entry = later.entry(place).or_default();
                (entry.0, entry.1, entry.2) = (entry.0 + 1, entry.1 | elsewhere, entry.2 + at);
            }
        }
    }
    let usual = later.into_iter().filter(|(_, (count, ..))| 2 * count > often);
    let (then, _) =
        usual.max_by_key(|&(place, (count, elsewhere, behind))| (elsewhere, behind / count, count, place))?;
    Some((survey.names[first].0.clone(), survey.names[then].0.clone()))
}

/// Proposes that what begins is answered, for each value.
pub(super) fn answers(keys: &[Key], drafts: &mut Vec<Draft>) {
    let answered = keys.iter().filter_map(|key| Some((key, key.answer.as_ref()?)));
    for (key, (first, then)) in answered.take(MOST_ANSWERS) {
        let attribute = Var::now(&key.name, Spot::default()).to_string();
        drafts.push(Draft {
            name: format!("each_{}_answered", word(&key.name)),
            text: format!("foreach k in values({attribute}) {{\n  response({}, {})\n}}", event(first), event(then)),
            why: Why::Answer { key: key.name.clone(), values: key.values, first: first.clone(), then: then.clone() },
        });
    }
}
