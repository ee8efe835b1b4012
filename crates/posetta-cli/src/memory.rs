//! How much memory this process has, and how much it may still get.

use std::fs;
use std::path::{Path, PathBuf};

/// The share of what is free that a run without `--memory` may use: nothing should ever be killed for lack of memory,
/// and the rest of the machine should go on.
const SHARE: f64 = 0.8;

/// The limit when the user gives none: a share of what the machine and the control group have left; no limit where
/// neither says.
pub fn default_limit() -> u64 {
    let free = [machine(), control_group()].into_iter().flatten().min();
    match free {
        Some(free) => (free as f64 * SHARE) as u64,
        None => u64::MAX,
    }
}

/// The resident size of this process; `None` where the system does not tell.
pub fn resident() -> Option<u64> {
    // The second field counts resident pages. Their size is not in /proc; 4 KiB is right on every x86 and on nearly every
    // ARM machine, and where pages are larger the claims of the engines still count exactly.
    const PAGE: u64 = 4096;
    let text = fs::read_to_string("/proc/self/statm").ok()?;
    let pages: u64 = text.split_ascii_whitespace().nth(1)?.parse().ok()?;
    Some(pages * PAGE)
}

fn machine() -> Option<u64> {
    field(&fs::read_to_string("/proc/meminfo").ok()?, "MemAvailable:")?.checked_mul(1024)
}

/// What is left under the tightest limit of this process's control group and those above it.
fn control_group() -> Option<u64> {
    let groups = fs::read_to_string("/proc/self/cgroup").ok()?;
    let own = groups.lines().find_map(|line| line.strip_prefix("0::"))?;
    let root = Path::new("/sys/fs/cgroup");
    let mut path: PathBuf = root.join(own.trim_start_matches('/'));
    let mut least: Option<u64> = None;
    while path.starts_with(root) {
        if let Some(left) = left_in_group(&path) {
            least = Some(least.map_or(left, |l| l.min(left)));
        }
        if !path.pop() {
            break;
        }
    }
    least
}

fn left_in_group(path: &Path) -> Option<u64> {
    let number = |file: &str| fs::read_to_string(path.join(file)).ok()?.trim().parse::<u64>().ok();
    let max = number("memory.max")?; // "max" is no number: no limit here
    let current = number("memory.current").unwrap_or(0);
    // Cached files count as used but are given back on demand.
    let cached =
        fs::read_to_string(path.join("memory.stat")).ok().and_then(|s| field(&s, "inactive_file")).unwrap_or(0);
    Some(max.saturating_sub(current.saturating_sub(cached)))
}

/// The number after a name at the start of a line.
fn field(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find(|line| line.split_ascii_whitespace().next() == Some(name))?;
    line.split_ascii_whitespace().nth(1)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_found_by_their_whole_name() {
        let text = "MemTotal:  10 kB\nMemAvailable:   7 kB\ninactive_file_x 1\ninactive_file 5\n";
        assert_eq!(field(text, "MemAvailable:"), Some(7));
        assert_eq!(field(text, "inactive_file"), Some(5));
        assert_eq!(field(text, "missing"), None);
    }

    #[test]
    fn there_is_always_a_limit_to_start_with() {
        assert!(default_limit() > 1 << 20);
    }
}
