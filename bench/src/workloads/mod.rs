//! The workloads, one file each.
//!
//! To add one: a file with a `pub const` [`Workload`] and its name in [`ALL`]. Rows that share contenders share a module
//! beside them, as those of reading share [`reading`].

mod reading;
mod reading_after;
mod reading_clocks;
mod reading_ids;
mod reading_shiviz;
mod reading_text;

use crate::workload::Workload;

/// Every workload, by row.
pub const ALL: [&Workload; 6] = [
    &reading_after::WORKLOAD,
    &reading_ids::WORKLOAD,
    &reading_clocks::WORKLOAD,
    &reading_text::WORKLOAD,
    &reading_shiviz::KNOWN,
    &reading_shiviz::BY_EXPRESSION,
];

/// The workloads that the user names: each name is one, or how some begin.
pub fn choose(names: &[String]) -> Result<Vec<&'static Workload>, String> {
    for name in names {
        if !ALL.iter().any(|w| w.id.starts_with(name.as_str())) {
            let all: Vec<&str> = ALL.iter().map(|w| w.id).collect();
            return Err(format!("no workload begins with `{name}`; there are {}", all.join(", ")));
        }
    }
    let chosen = |w: &&Workload| names.is_empty() || names.iter().any(|n| w.id.starts_with(n.as_str()));
    Ok(ALL.into_iter().filter(|w| chosen(w)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_stable_words_and_different() {
        let mut ids: Vec<&str> = ALL.iter().map(|w| w.id).collect();
        for id in &ids {
            assert!(id.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-'), "{id}");
        }
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), ALL.len());
    }

    #[test]
    fn a_name_chooses_what_begins_so() {
        assert_eq!(choose(&[]).map(|w| w.len()), Ok(ALL.len()));
        assert_eq!(choose(&["reading-t".to_owned()]).map(|w| w.len()), Ok(1));
        assert!(choose(&["writing".to_owned()]).is_err());
    }
}
