//! Tables for people, CSV for programs.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use crate::measure::{Measured, Row};
use crate::peers::Found;
use crate::plot;
use crate::stats::Spread;
use crate::study::{Sheet, Study};
use crate::workloads::Chosen;

/// What there is to run.
pub fn list(chosen: &Chosen, found: &[Found]) -> String {
    let mut text = String::from("workloads (name, number of the target, what, target):\n");
    for w in &chosen.workloads {
        let _ = writeln!(text, "  {:<27} row {:<3} {:<38} {}", w.id, w.row, w.title, w.target);
    }
    for s in &chosen.studies {
        let _ = writeln!(text, "  {:<27} row {:<3} {} {}", s.id, s.row, s.title, s.target);
    }
    text + "\n" + &peers(found)
}

/// Which peers are here.
pub fn peers(found: &[Found]) -> String {
    let mut text = String::from("peers\n");
    for Found { peer, found } in found {
        let _ = match found {
            Ok((path, version)) => {
                writeln!(text, "  {:<6} found   for {}: {} ({version})", peer.name, peer.job, path.display())
            }
            Err(reason) => {
                writeln!(text, "  {:<6} absent  for {}: {reason}; get it: {}", peer.name, peer.job, peer.install)
            }
        };
    }
    text
}

/// One workload.
pub fn table(row: &Row) -> String {
    let w = row.workload;
    let mut text = format!("\n{} (row {}): {}\n", w.id, w.row, w.title);
    if let [("", reason)] = row.absent.iter().map(|(n, r)| (*n, r.as_str())).collect::<Vec<_>>()[..] {
        let _ = writeln!(text, "  skipped: {reason}");
        return text;
    }
    let facts = &row.facts;
    let _ = writeln!(
        text,
        "  input: {:.1} MB, {} events of {} processes, {} lines",
        facts.bytes as f64 / 1e6,
        facts.events,
        facts.processes,
        facts.lines
    );
    let _ = writeln!(
        text,
        "  {:<14}{:<10}{:>26}{:>10}{:>8}{:>9}{:>10}",
        "contender", "role", "CPU s (least–most)", "wall s", "ratio", "MB/s", "peak MB"
    );
    let ours = row.measured.first().and_then(Measured::cpu).map(|cpu| cpu.median);
    for m in &row.measured {
        let (Some(cpu), Some(wall), Some(memory)) = (m.cpu(), m.wall(), m.memory()) else { continue };
        let spread = format!("{:.3} ({:.3}–{:.3})", cpu.median, cpu.least, cpu.most);
        let ratio = ours.map_or(String::new(), |ours| format!("{:.2}", cpu.median / ours.max(1e-6)));
        let rate = m.rate().filter(|_| m.bytes > 0).map_or(String::new(), |r| format!("{:.0}", r.median));
        let peak = if m.shows_memory { format!("{:.1}", memory.median / 1e6) } else { String::new() };
        let _ = writeln!(
            text,
            "  {:<14}{:<10}{spread:>26}{:>10.3}{ratio:>8}{rate:>9}{peak:>10}",
            m.name,
            m.role.word(),
            wall.median
        );
    }
    for (name, reason) in &row.absent {
        let _ = writeln!(text, "  {name:<14}absent: {reason}");
    }
    for judgement in &row.judgements {
        let _ = writeln!(text, "  {:<8}{}", if judgement.met { "met" } else { "MISSED" }, judgement.text);
    }
    for failure in &row.failures {
        let _ = writeln!(text, "  FAILED  {failure}");
    }
    text
}

/// One study.
pub fn sheet(study: &Study, sheet: &Sheet) -> String {
    format!("\n{} (row {}): {}\n{}", study.id, study.row, study.title, sheet.text())
}

/// Writes the report, the figures and the plots. Answers with their paths.
pub fn write(
    dir: &Path,
    header: &str,
    rows: &[Row],
    sheets: &[(&'static Study, Sheet)],
) -> Result<Vec<PathBuf>, String> {
    let tables: String = rows.iter().map(table).chain(sheets.iter().map(|(study, s)| sheet(study, s))).collect();
    let mut files = vec![("report.txt".to_owned(), format!("{header}{tables}"))];
    // Figures of other workloads that are there already stay.
    if !rows.is_empty() {
        files.extend([("runs.csv".to_owned(), runs(rows)), ("summary.csv".to_owned(), summary(rows))]);
    }
    files.extend(plot::plots(rows));
    for (study, sheet) in sheets.iter().filter(|(_, sheet)| !sheet.rows.is_empty()) {
        files.extend([(format!("{}.csv", study.id), sheet.csv()), (format!("{}.md", study.id), sheet.markdown())]);
        let chart = sheet.chart.as_ref().and_then(|(title, groups)| plot::draw(title, groups.clone()));
        files.extend(chart.map(|svg| (format!("{}.svg", study.id), svg)));
    }
    let mut written = Vec::new();
    for (name, text) in files {
        let path = dir.join(name);
        fs::write(&path, text).map_err(|e| format!("{}: {e}", path.display()))?;
        written.push(path);
    }
    Ok(written)
}

/// Every run. No field has a comma or a quote.
fn runs(rows: &[Row]) -> String {
    let mut csv = String::from("workload,row,contender,role,round,wall_s,cpu_s,peak_bytes,input_bytes,events\n");
    for row in rows {
        for m in &row.measured {
            for (round, run) in m.runs.iter().enumerate() {
                let _ = writeln!(
                    csv,
                    "{},{},{},{},{},{:.6},{:.6},{},{},{}",
                    row.workload.id,
                    row.workload.row,
                    m.name,
                    m.role.word(),
                    round + 1,
                    run.wall.as_secs_f64(),
                    run.cpu.as_secs_f64(),
                    run.memory,
                    m.bytes,
                    row.facts.events
                );
            }
        }
    }
    csv
}

/// Medians and extremes.
fn summary(rows: &[Row]) -> String {
    let mut csv = String::from(
        "workload,row,contender,role,runs,cpu_s,cpu_s_least,cpu_s_most,wall_s,wall_s_least,wall_s_most,ratio,\
         mb_per_cpu_s,peak_bytes\n",
    );
    for row in rows {
        let ours = row.measured.first().and_then(Measured::cpu).map(|cpu| cpu.median);
        for m in &row.measured {
            let (Some(cpu), Some(wall), Some(memory)) = (m.cpu(), m.wall(), m.memory()) else { continue };
            let three = |s: Spread| format!("{:.6},{:.6},{:.6}", s.median, s.least, s.most);
            let ratio = ours.map_or(String::new(), |ours| format!("{:.4}", cpu.median / ours.max(1e-6)));
            let rate = m.rate().filter(|_| m.bytes > 0).map_or(String::new(), |r| format!("{:.2}", r.median));
            let _ = writeln!(
                csv,
                "{},{},{},{},{},{},{},{ratio},{rate},{:.0}",
                row.workload.id,
                row.workload.row,
                m.name,
                m.role.word(),
                m.runs.len(),
                three(cpu),
                three(wall),
                memory.median
            );
        }
    }
    csv
}
