//! Pictures of tables in docs/bench.md. The tables have the figures; a picture is drawn from what they say, so the two cannot differ.

use std::fs;
use std::path::{Path, PathBuf};

use crate::plot::{self, Group};
use crate::stats::Spread;
use crate::workload::Role;

/// A picture of a table.
struct Picture {
    /// The file in docs/pictures.
    file: &'static str,
    title: &'static str,
    /// How the first row of the table begins.
    table: &'static str,
    /// The columns that say what a row is about, with what stands before each.
    about: &'static [(&'static str, usize)],
    /// A bar for each of these columns.
    bars: &'static [(&'static str, usize, Role)],
    /// Only the first so many rows.
    rows: usize,
}

const PICTURES: [Picture; 2] = [
    Picture {
        file: "bench-linear.svg",
        title: "LTL over all orders, beside the same question in CTL: CPU seconds, less is better",
        table: "| run | events | property | verdict |",
        about: &[("", 0), (", events: ", 1), (": ", 2)],
        bars: &[("LTL", 5, Role::Ours), ("CTL", 7, Role::Baseline)],
        rows: 17,
    },
    Picture {
        file: "bench-milner.svg",
        title: "Milner's scheduler as a formula of M2L: CPU seconds, less is better",
        table: "| agents | ours CPU s |",
        about: &[("agents: ", 0)],
        bars: &[("m2l", 1, Role::Ours), ("refine", 6, Role::Ours), ("MONA", 3, Role::Peer)],
        rows: 10,
    },
];

/// The pictures of a document, by file name.
pub fn pictures(document: &str) -> Result<Vec<(&'static str, String)>, String> {
    PICTURES.iter().map(|picture| Ok((picture.file, picture.draw(document)?))).collect()
}

/// Draws the pictures of `bench.md` in this directory.
pub fn write(docs: &Path) -> Result<Vec<PathBuf>, String> {
    let source = docs.join("bench.md");
    let text = fs::read_to_string(&source).map_err(|e| format!("cannot read {}: {e}", source.display()))?;
    let mut written = Vec::new();
    for (file, svg) in pictures(&text)? {
        let path = docs.join("pictures").join(file);
        fs::write(&path, svg).map_err(|e| format!("cannot write {}: {e}", path.display()))?;
        written.push(path);
    }
    Ok(written)
}

impl Picture {
    fn draw(&self, document: &str) -> Result<String, String> {
        let rows = document.lines().skip_while(|line| !line.starts_with(self.table)).skip(2);
        let rows = rows.take_while(|line| line.starts_with('|')).take(self.rows);
        let groups: Vec<Group> = rows.map(|row| self.group(row)).collect();
        plot::draw(self.title, groups).ok_or_else(|| format!("there is no table that begins with {}", self.table))
    }

    fn group(&self, row: &str) -> Group {
        let cells: Vec<&str> = row.trim_matches('|').split('|').map(str::trim).collect();
        let cell = |column: usize| cells.get(column).copied().unwrap_or_default();
        let heading = self.about.iter().map(|(before, column)| format!("{before}{}", cell(*column))).collect();
        // What has no figure (`> 10`, or nothing) has no bar.
        let bar = |(name, column, role): &(&str, usize, Role)| {
            let figure: f64 = cell(*column).replace(',', "").parse().ok()?;
            Some(((*name).to_owned(), *role, Spread::of([figure])?))
        };
        Group { heading, bars: self.bars.iter().filter_map(bar).collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// To draw them anew: `cargo run -p posetta-bench -- --pictures docs`.
    #[test]
    fn pictures_in_documents_are_current() {
        let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs");
        let text = fs::read_to_string(docs.join("bench.md")).expect("docs/bench.md");
        for (file, drawn) in pictures(&text).expect("pictures") {
            let kept = fs::read_to_string(docs.join("pictures").join(file)).unwrap_or_default();
            assert!(kept == drawn, "docs/pictures/{file} is not what docs/bench.md says");
            assert!(text.contains(&format!("(pictures/{file})")), "docs/bench.md shows {file}");
        }
    }

    #[test]
    fn a_bar_is_a_figure_of_its_row() {
        let text = "| agents | ours CPU s | a | MONA | b | c | refine |\n| --- |\n| 3 | 0.5 | 1 | > 10 | 2 | 3 | 1,000 |\n\nend\n";
        let svg = PICTURES[1].draw(text).expect("a picture");
        assert!(svg.contains(">agents: 3<") && svg.contains("<title>m2l: 0.5</title>"));
        assert!(svg.contains("<title>refine: 1000</title>") && !svg.contains("MONA"));
        assert!(PICTURES[0].draw(text).is_err());
    }
}
