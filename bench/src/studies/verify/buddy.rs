//! A plain program over BuDDy, built when it is asked for.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use super::super::spin::done;
use crate::lab::Lab;
use crate::peers;

/// Our own program; the library is BuDDy's.
const SOURCE: &str = include_str!("reach.c");

/// Nodes and entries of the cache at the start, with the names of the two ways. None is the best on every model; the fastest counts.
pub const TABLES: [(u32, u32, &str, &str); 3] = [
    (10_000, 10_000, "BuDDy apart, small", "BuDDy whole, small"),
    (1_000_000, 250_000, "BuDDy apart, middle", "BuDDy whole, middle"),
    (5_000_000, 2_000_000, "BuDDy apart, large", "BuDDy whole, large"),
];

/// Builds the program; why not, if the library or a compiler is absent.
pub fn build(lab: &Lab) -> Result<PathBuf, String> {
    let header = peers::look_for("BuDDy", None)?;
    let dir = lab.data.join("buddy");
    fs::create_dir_all(&dir).map_err(|e| format!("{}: {e}", dir.display()))?;
    fs::write(dir.join("reach.c"), SOURCE).map_err(|e| format!("{}: {e}", dir.display()))?;
    let mut compile = Command::new("cc");
    compile.args(["-O2", "-w", "-o", "reach", "reach.c"]).current_dir(&dir);
    if let Some(include) = header.parent() {
        compile.arg("-I").arg(include);
        // A copy of one's own usually has its library beside the header, or in `lib` beside `include`.
        compile.arg("-L").arg(include).arg("-L").arg(include.join("../lib"));
    }
    done(compile.arg("-lbdd"))?;
    Ok(dir.join("reach"))
}

/// How many states it says there are.
pub fn states(output: &str) -> Result<String, String> {
    let mut words = output.split_whitespace();
    match (words.next(), words.next()) {
        (Some("states"), Some(number)) => Ok(number.to_owned()),
        _ => Err("it counts no states".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_count_is_read() {
        assert_eq!(states("states 7.1789798769185258e+23 nodes 1117\n"), Ok("7.1789798769185258e+23".to_owned()));
        assert!(states("out of memory").is_err());
    }
}
