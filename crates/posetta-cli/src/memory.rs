//! How much memory this process has, and how much it may still get.
//!
//! Two things are limited. What is resident is limited by the machine, the control group and `--memory`; going past that makes others
//! slow, or gets the process killed. Address space may be limited by the system (`ulimit -v`, `ulimit -d`); going past that makes an
//! allocation fail, which aborts the process. So engines are given what is left of it, less a margin, and refuse beforehand.

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

/// What a thread takes of the address space before it does anything: its stack, and an arena for its allocations where the C library
/// has one for each thread.
const THREAD: u64 = 80 << 20;
/// The same if [`make_do`] saw to it that there is one arena for all.
const SMALL_THREAD: u64 = 4 << 20;
/// The share of the address space that is left which engines may claim: not everything is claimed, and tables are copied when they grow.
const CLAIMED: f64 = 0.6;
/// From here on nobody has to make do with less.
const PLENTY: u64 = 4 << 30;
/// One arena for all threads instead of one for each.
const ARENAS: (&str, &str) = ("MALLOC_ARENA_MAX", "1");

/// Where address space is scarce, starts the program again with a setting that takes less of it: it can only be given from outside.
#[cfg(unix)]
pub fn make_do() {
    use std::os::unix::process::CommandExt;
    let scarce = left().is_some_and(|left| left < PLENTY);
    // Whoever has chosen has chosen, and once is enough.
    if !scarce || std::env::var_os(ARENAS.0).is_some() {
        return;
    }
    let Ok(program) = std::env::current_exe() else { return };
    // Starting again makes a closed pipe deadly, and if it fails that stays so. What can be known beforehand is looked at.
    if fs::File::open(&program).is_err() {
        return;
    }
    let mut arguments = std::env::args_os();
    let mut again = std::process::Command::new(program);
    again.arg0(arguments.next().unwrap_or_default()).args(arguments);
    // It comes back only if it fails; then there is less room.
    let _ = again.env(ARENAS.0, ARENAS.1).exec();
}

#[cfg(not(unix))]
pub fn make_do() {}

/// How much address space the system's limits on this process leave; `None` if there are none.
pub fn left() -> Option<u64> {
    let limits = fs::read_to_string("/proc/self/limits").ok()?;
    let limit = |name: &str| {
        limits.lines().find_map(|line| line.strip_prefix(name))?.split_ascii_whitespace().next()?.parse().ok()
    };
    let (space, data): (Option<u64>, Option<u64>) = (limit("Max address space"), limit("Max data size"));
    if space.is_none() && data.is_none() {
        return None;
    }
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let used = |name: &str| field(&status, name).unwrap_or(0).saturating_mul(1024);
    let left = |limit: Option<u64>, name: &str| limit.map(|limit| limit.saturating_sub(used(name)));
    [left(space, "VmSize:"), left(data, "VmData:")].into_iter().flatten().min()
}

/// What engines may claim of the address space that is left beside so many threads.
pub fn claimable(left: u64, threads: u64) -> u64 {
    (left.saturating_sub(threads * thread()) as f64 * CLAIMED) as u64
}

/// How many of these threads the address space has room for: they take a quarter of what is left at most.
pub fn threads(wanted: usize) -> usize {
    let Some(left) = left() else { return wanted };
    usize::try_from(left / 4 / thread()).map_or(wanted, |fit| fit.clamp(1, wanted.max(1)))
}

fn thread() -> u64 {
    if std::env::var_os(ARENAS.0).is_some_and(|arenas| arenas == ARENAS.1) { SMALL_THREAD } else { THREAD }
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
    fn what_is_claimed_leaves_room_for_threads() {
        assert_eq!(claimable(10, 3), 0);
        assert!(claimable(1 << 30, 2) < claimable(1 << 30, 1));
        assert!(claimable(u64::MAX, 2) < u64::MAX);
    }

    #[test]
    fn there_is_always_a_limit_to_start_with() {
        assert!(default_limit() > 1 << 20);
    }
}
