//! A sign of life on standard error for whoever waits longer than half a second.

use std::io::IsTerminal;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::amounts::grouped;

const PATIENCE: Duration = Duration::from_millis(500);
const REFRESH: Duration = Duration::from_millis(100);

/// A spinner that appears late, and only on a terminal.
pub struct Progress {
    started: Instant,
    refreshed: Instant,
    wanted: bool,
    bar: Option<ProgressBar>,
}

impl Progress {
    /// Nothing is shown yet.
    pub fn new(started: Instant) -> Self {
        Self { started, refreshed: started, wanted: std::io::stderr().is_terminal(), bar: None }
    }

    /// Shows how far the work is, if it is time to.
    pub fn update(&mut self, explored: u64) {
        let now = Instant::now();
        let elapsed = now.duration_since(self.started);
        if !self.wanted || elapsed < PATIENCE || now.duration_since(self.refreshed) < REFRESH {
            return;
        }
        self.refreshed = now;
        let bar = self.bar.get_or_insert_with(|| {
            let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
            bar.set_style(
                ProgressStyle::with_template("{spinner} {msg}").unwrap_or_else(|_| ProgressStyle::default_spinner()),
            );
            bar
        });
        bar.set_message(format!("{} explored, {:.1} s", grouped(explored), elapsed.as_secs_f64()));
        bar.tick();
    }

    /// Gives the line back.
    pub fn clear(&mut self) {
        if let Some(bar) = self.bar.take() {
            bar.finish_and_clear();
        }
    }
}
