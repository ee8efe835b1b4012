//! Arcs of graphs that are listed state by state: those of all states stand in one list, one state's after the other's.

/// Sorts what stands from `first` on, and leaves each once.
pub(crate) fn sort_last<T: Ord>(arcs: &mut Vec<T>, first: usize) {
    arcs[first..].sort_unstable();
    let mut kept = first;
    for i in first..arcs.len() {
        if i == first || arcs[i] != arcs[kept - 1] {
            arcs.swap(kept, i);
            kept += 1;
        }
    }
    arcs.truncate(kept);
}
