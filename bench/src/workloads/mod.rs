//! The workloads, one file each.
//!
//! To add one: a file with a `pub const` [`Workload`] and its name in [`ALL`]. Rows that share contenders share a module
//! beside them, as those of reading share [`reading`].

mod ltl;
mod ltl_abp;
mod ltl_peterson;
mod ltl_philosophers;
mod reading;
mod reading_after;
mod reading_clocks;
mod reading_ids;
mod reading_shiviz;
mod reading_text;

use crate::studies;
use crate::study::Study;
use crate::workload::Workload;

/// Every workload, by row.
pub const ALL: [&Workload; 14] = [
    &ltl_peterson::CORRECT,
    &ltl_peterson::FAULTY,
    &ltl_abp::CORRECT,
    &ltl_abp::FAULTY,
    &ltl_philosophers::TEN,
    &ltl_philosophers::TEN_FAULTY,
    &ltl_philosophers::HUNDRED,
    &ltl_philosophers::HUNDRED_FAULTY,
    &reading_after::WORKLOAD,
    &reading_ids::WORKLOAD,
    &reading_clocks::WORKLOAD,
    &reading_text::WORKLOAD,
    &reading_shiviz::KNOWN,
    &reading_shiviz::BY_EXPRESSION,
];

/// What was chosen.
#[derive(Default)]
pub struct Chosen {
    /// By row.
    pub workloads: Vec<&'static Workload>,
    /// By row.
    pub studies: Vec<&'static Study>,
}

/// The workloads and studies that the user names: each name is one, or how some begin.
pub fn choose(names: &[String]) -> Result<Chosen, String> {
    let all: Vec<&str> = ALL.iter().map(|w| w.id).chain(studies::ALL.iter().map(|s| s.id)).collect();
    for name in names {
        if !all.iter().any(|id| id.starts_with(name.as_str())) {
            return Err(format!("no workload begins with `{name}`; there are {}", all.join(", ")));
        }
    }
    let chosen = |id: &str| names.is_empty() || names.iter().any(|n| id.starts_with(n.as_str()));
    Ok(Chosen {
        workloads: ALL.into_iter().filter(|w| chosen(w.id)).collect(),
        studies: studies::ALL.into_iter().filter(|s| chosen(s.id)).collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_stable_words_and_different() {
        let mut ids: Vec<&str> = ALL.iter().map(|w| w.id).chain(studies::ALL.iter().map(|s| s.id)).collect();
        let all = ids.len();
        for id in &ids {
            assert!(id.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-'), "{id}");
        }
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), all);
    }

    #[test]
    fn a_name_chooses_what_begins_so() {
        let counts = |names: &[&str]| {
            let names: Vec<String> = names.iter().map(|n| (*n).to_owned()).collect();
            choose(&names).map(|c| (c.workloads.len(), c.studies.len()))
        };
        assert_eq!(counts(&[]), Ok((ALL.len(), studies::ALL.len())));
        assert_eq!(counts(&["reading-t"]), Ok((1, 0)));
        assert_eq!(counts(&["table-1", "ltl-abp"]), Ok((2, 1)));
        assert!(counts(&["writing"]).is_err());
    }
}
