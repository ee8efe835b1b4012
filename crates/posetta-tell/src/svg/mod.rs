//! Pictures of answers as SVG: a document of its own, or a part of a page.
//!
//! It is one more printer of a [`Report`]: what shows an answer becomes a drawing, and what is said a few lines above it. An order is
//! a space-time diagram ([`panel`]), beside the recorded order if that is another one; a sequence of states is a waveform
//! ([`wave`]), a run of a system has a lane for each component ([`steps`]). Automata are drawn apart ([`automaton()`]), and so are
//! measurements ([`chart`]).
//! Pictures are static: they have no script, and can be printed and pasted anywhere. Start at [`drawing`]; a [`Drawing`] is printed
//! by [`Drawing::to_svg`], or painted by [`png`](crate::png).

mod automaton;
mod canvas;
pub mod chart;
mod panel;
mod steps;
mod wave;

use unicode_width::UnicodeWidthStr;

use self::canvas::{COLUMN, Canvas, HEADING, LINE, Point, WIDE, width};
use self::panel::Panel;
use self::steps::Bars;
use self::wave::Traces;
use crate::amounts::counted;
use crate::page::{broken, wrap};
use crate::paint::{Paint, short};
use crate::picture::Pictured;
use crate::report::{Answer, Block, Report, Subject};
use crate::story::{Moved, OVERVIEW_LANES, Row, Story};
use crate::word::{Tally, Word};

pub use self::automaton::{Graph, Look, State, automaton};
pub use self::canvas::{Drawing, STYLE};
pub(crate) use self::canvas::{Point as At, Shape, Step};

/// The space around everything.
const MARGIN: f64 = 22.0;
/// Between two orders side by side.
const GUTTER: f64 = 44.0;
/// The least width of a picture, so that sentences have room.
const LEAST: f64 = 720.0;
/// Columns of text beside lanes: of one order, and of two side by side.
const COLUMNS: usize = 60;
const BESIDE: usize = 30;
/// So many answers are drawn in one picture; the others have a line.
const DRAWN: usize = 12;
/// The longest name, and the longest formula.
const NAME: usize = 80;
const FORMULA: usize = 400;

/// All that a report says, as one picture. `overview` is drawn where no answer has a drawing of its own.
#[must_use]
pub fn drawing(report: &Report<'_>, overview: Option<&Story>) -> Drawing {
    let mut plate = Plate::new();
    let mut left = DRAWN;
    let mut left_out = 0;
    // What shows that something holds would be in the way of what does not.
    let all_hold = report.words().all(|word| word == Word::Holds);
    for subject in &report.subjects {
        plate.title(&subject.title.text(), &subject.facts.join(", "));
        for answer in subject.premises.iter().chain(&subject.answers) {
            let is_drawn = answer.word != Word::Holds || all_hold && !drawings(&answer.blocks).is_empty();
            if is_drawn && left > 0 {
                left -= 1;
                plate.answer(answer);
            } else {
                left_out += usize::from(is_drawn);
                plate.verdict(answer);
            }
        }
        plate.blocks(&subject.rest, None, Word::Violated);
    }
    if left_out > 0 {
        let what = counted(left_out as u64, "more answer is not drawn here", "more answers are not drawn here");
        plate.prose(&format!("{what}."), "pz-dim");
    }
    let has_drawings =
        report.subjects.iter().flat_map(|subject| &subject.answers).any(|a| !drawings(&a.blocks).is_empty());
    if let Some(story) = overview.filter(|story| !has_drawings && !story.rows.is_empty()) {
        let heading = if story.recorded { "The recorded order" } else { "A possible order (none was recorded)" };
        plate.order(story, heading, None, Word::Holds, false);
        let drawn = story.lanes.as_ref().map_or(0, |lanes| lanes.lanes.len());
        if story.shortened && drawn >= OVERVIEW_LANES {
            let what = format!("No more than {drawn} processes are drawn. A page (HTML) has all of them.");
            plate.prose(&what, "pz-dim");
        }
    }
    plate.finish(&title(report), &description(report))
}

/// One answer as a picture, for a page that says the rest. `None` if there is nothing to draw.
#[must_use]
pub fn of_answer(subject: &Subject<'_>, answer: &Answer<'_>) -> Option<Drawing> {
    if drawings(&answer.blocks).is_empty() {
        return None;
    }
    let mut plate = Plate::new();
    plate.drawings(answer);
    let title = format!("{} on {}", answer.name, subject.title.text());
    Some(plate.finish(&title, &answer.sentence))
}

/// What can be drawn.
fn drawings<'b, 'a>(blocks: &'b [Block<'a>]) -> Vec<&'b Block<'a>> {
    let is_drawn = |block: &&Block<'_>| match block {
        Block::Order { story, .. } => !story.rows.is_empty(),
        Block::States { states, .. } => !states.lines.is_empty(),
        Block::Steps { .. } => true,
        _ => false,
    };
    blocks.iter().filter(is_drawn).collect()
}

fn title(report: &Report<'_>) -> String {
    let names: Vec<String> = report.subjects.iter().map(|subject| subject.title.text()).collect();
    match names.as_slice() {
        [] => "Posetta".to_owned(),
        [one] => one.clone(),
        [first, rest @ ..] => format!("{first} and {}", counted(rest.len() as u64, "other", "others")),
    }
}

/// What is seen, for those who do not see it.
fn description(report: &Report<'_>) -> String {
    let mut tally = Tally::default();
    let answers = || report.subjects.iter().flat_map(|subject| &subject.answers);
    answers().for_each(|answer| tally.add(answer.word, answer.known));
    let mut parts = vec![tally.parts(Paint::plain()).join(", ")];
    for answer in answers().filter(|answer| answer.word != Word::Holds).take(DRAWN) {
        parts.push(format!("{}: {}", answer.name, answer.sentence));
        parts.extend(answer.blocks.iter().filter_map(|block| match block {
            Block::Words(words) => Some(words.text.replace('\u{a0}', " ")),
            _ => None,
        }));
    }
    parts.retain(|part| !part.is_empty());
    if parts.is_empty() { "A space-time diagram of a run.".to_owned() } else { parts.join(" ") }
}

/// A picture that grows downwards.
struct Plate {
    canvas: Canvas,
    y: f64,
    width: f64,
    legend: Legend,
}

/// Which signs occur.
#[derive(Default)]
struct Legend {
    edge: bool,
    assumed: bool,
    missing: bool,
    swapped: bool,
    moved: bool,
    fails: bool,
    cut: bool,
    ahead: bool,
}

impl Legend {
    fn see(&mut self, story: &Story, word: Word) {
        for row in &story.rows {
            match row {
                Row::Event(event) => {
                    self.swapped |= event.moved == Some(Moved::Swapped);
                    self.moved |= event.moved.is_some_and(|moved| moved != Moved::Swapped);
                    self.fails |= event.note.is_some() && word != Word::Holds;
                    self.ahead |= event.number.is_none();
                }
                Row::Cut { .. } => self.cut = true,
                _ => {}
            }
        }
        for arrow in story.lanes.iter().flat_map(|lanes| &lanes.arrows) {
            self.missing |= arrow.link.missing;
            self.assumed |= arrow.link.assumed;
            self.edge |= !arrow.link.missing && !arrow.link.assumed;
        }
    }
}

impl Plate {
    fn new() -> Self {
        Self { canvas: Canvas::default(), y: MARGIN, width: LEAST, legend: Legend::default() }
    }

    /// Text on the next lines, as wide as the picture is by itself.
    fn prose(&mut self, text: &str, class: &str) {
        let columns = ((LEAST - 2.0 * MARGIN) / COLUMN) as usize;
        for line in wrap(text, columns, 0) {
            self.y += LINE;
            self.canvas.text((MARGIN, self.y - 4.0), class, &line);
        }
    }

    /// What the picture is of.
    fn title(&mut self, name: &str, facts: &str) {
        let name = short(name, NAME);
        self.y += LINE;
        self.canvas.text((MARGIN, self.y), "pz-h1 pz-text", &name);
        self.y += LINE + 2.0;
        self.canvas.text((MARGIN, self.y), "pz-dim", &short(facts, NAME));
        self.width = self.width.max(name.width() as f64 * WIDE + 2.0 * MARGIN);
        self.y += 12.0;
    }

    /// A verdict in a line.
    fn verdict(&mut self, answer: &Answer<'_>) {
        let (mark, class) = mark(answer.word);
        let name = short(&answer.name, NAME);
        self.y += LINE + 2.0;
        self.canvas.text((MARGIN, self.y - 4.0), &format!("pz-bold {class}"), mark);
        self.canvas.text((MARGIN + 20.0, self.y - 4.0), "pz-code pz-bold pz-text", &name);
        let after = MARGIN + 20.0 + width(&name) + 14.0;
        self.width = self.width.max(after + MARGIN);
        let room = self.width.max(LEAST) - MARGIN;
        if after + width(&answer.sentence) <= room {
            self.canvas.text((after, self.y - 4.0), class, &answer.sentence);
            return;
        }
        // What is long has lines to itself.
        for line in wrap(&answer.sentence, ((LEAST - 2.0 * MARGIN - 20.0) / COLUMN) as usize, 0) {
            self.y += LINE;
            self.canvas.text((MARGIN + 20.0, self.y - 4.0), class, &line);
        }
    }

    /// An answer with what shows it.
    fn answer(&mut self, answer: &Answer<'_>) {
        self.y += 4.0;
        self.verdict(answer);
        if let Some([logic, formula]) = &answer.formula {
            let columns = ((LEAST - 2.0 * MARGIN - 20.0) / COLUMN) as usize;
            for line in broken(&short(&format!("{logic} {formula}"), FORMULA), columns, 2) {
                self.y += LINE;
                let indent = (line.len() - line.trim_start().len()) as f64 * COLUMN;
                self.canvas.text((MARGIN + 20.0 + indent, self.y - 4.0), "pz-code pz-dim", line.trim_start());
            }
        }
        for block in &answer.blocks {
            match block {
                Block::Words(words) => {
                    self.y += 6.0;
                    self.prose(&words.text, "pz-text");
                    for [from, to] in &words.edges {
                        self.prose(&format!("    {from} → {to}"), "pz-text");
                    }
                    if words.more > 0 {
                        self.prose(&format!("    … and {} more", words.more), "pz-dim");
                    }
                }
                Block::Aside(text) | Block::Sentence(text) | Block::Remark(text) => self.prose(text, "pz-dim"),
                _ => {}
            }
        }
        self.drawings(answer);
    }

    /// What shows an answer.
    fn drawings(&mut self, answer: &Answer<'_>) {
        let pictured = answer.blocks.iter().find_map(|block| match block {
            Block::Picture(pictured) => Some(*pictured),
            _ => None,
        });
        self.blocks(&answer.blocks, pictured, answer.word);
    }

    fn blocks(&mut self, blocks: &[Block<'_>], pictured: Option<&Pictured>, word: Word) {
        for block in drawings(blocks) {
            match block {
                Block::Order { heading, story, .. } => {
                    let story = pictured.and_then(|pictured| pictured.story.as_ref()).unwrap_or(story);
                    match pictured.and_then(|pictured| pictured.wave.as_ref()) {
                        Some(wave) => {
                            let (place, note) = wave::place(wave, story);
                            let traces = Traces::new(wave, place, &note, word);
                            self.drawn(heading, (traces.width, traces.height), |canvas, at| traces.draw(canvas, at));
                        }
                        None => {
                            let recorded = pictured.and_then(|pictured| pictured.recorded.as_ref());
                            self.order(story, heading, recorded, word, true);
                        }
                    }
                }
                Block::States { heading, states } => {
                    let (wave, cycle, last) = wave::of_states(states);
                    let mut traces = Traces::new(&wave, cycle, &last, word);
                    traces.of_model = true;
                    self.drawn(heading, (traces.width, traces.height), |canvas, at| traces.draw(canvas, at));
                }
                Block::Steps { heading, steps } => {
                    let bars = Bars::new(steps, COLUMNS);
                    self.drawn(heading, (bars.width, bars.height), |canvas, at| bars.draw(canvas, at));
                }
                _ => {}
            }
        }
    }

    /// A drawing below its heading.
    fn drawn(&mut self, heading: &str, (w, h): Point, draw: impl FnOnce(&mut Canvas, Point)) {
        self.y += 10.0;
        for line in wrap(&short(heading, 2 * NAME), ((LEAST - 2.0 * MARGIN) / HEADING) as usize, 0) {
            self.y += LINE;
            self.canvas.text((MARGIN, self.y - 4.0), "pz-h2 pz-text", &line);
        }
        self.y += 10.0;
        draw(&mut self.canvas, (MARGIN, self.y));
        self.y += h;
        self.width = self.width.max(w + 2.0 * MARGIN);
    }

    /// An order, and the recorded one beside it.
    fn order(&mut self, story: &Story, heading: &str, recorded: Option<&Story>, word: Word, marks: bool) {
        self.legend.see(story, if marks { word } else { Word::Holds });
        let columns = if recorded.is_some() { BESIDE } else { COLUMNS };
        let panel = Panel::new(story, word, columns);
        let beside = recorded.map(|story| Panel::new(story, Word::Holds, columns));
        let left = beside.as_ref().map_or(MARGIN, |beside| MARGIN + beside.width + GUTTER);
        self.y += 14.0;
        let (mut lines, mut right) = (0, self.width);
        let mut head = |canvas: &mut Canvas, x: f64, y: f64, room: f64, (mark, class): (&str, &str), text: &str| {
            let columns = ((room - 18.0) / HEADING) as usize;
            let indent = if mark.is_empty() { 0.0 } else { 20.0 };
            canvas.text((x, y + LINE - 4.0), &format!("pz-h2 {class}"), mark);
            for (i, line) in wrap(text, columns.max(24), 0).iter().enumerate() {
                canvas.text((x + indent, y + LINE * (i + 1) as f64 - 4.0), "pz-h2 pz-text", line);
                lines = lines.max(i + 1);
                right = right.max(x + indent + line.width() as f64 * HEADING + MARGIN);
            }
        };
        let own = if marks { mark(word) } else { ("", "pz-text") };
        let room = panel.width.max(if recorded.is_none() { LEAST - 2.0 * MARGIN } else { 0.0 });
        head(&mut self.canvas, left, self.y, room, own, heading);
        if let Some(beside) = &beside {
            head(&mut self.canvas, MARGIN, self.y, beside.width, mark(Word::Holds), "The recorded order");
        }
        self.y += lines as f64 * LINE + 10.0;
        let height = panel.height.max(beside.as_ref().map_or(0.0, |beside| beside.height));
        if let Some(beside) = &beside {
            panel::connect(&mut self.canvas, (beside, (MARGIN, self.y)), (&panel, (left, self.y)));
            beside.draw(&mut self.canvas, (MARGIN, self.y));
        }
        panel.draw(&mut self.canvas, (left, self.y));
        self.y += height;
        self.width = right.max(left + panel.width + MARGIN);
    }

    /// What the signs mean, in rows of small samples.
    fn draw_legend(&mut self) {
        let Legend { edge, assumed, missing, swapped, moved, fails, cut, ahead } = self.legend;
        if !(assumed || missing || swapped || moved || fails || cut || ahead) {
            return;
        }
        let entries = [
            (edge, "pz-edge", "happened before"),
            (assumed, "pz-assumed", "assumed to have happened before"),
            (missing, "pz-missing", "missing: would rule it out"),
            (swapped, "⇅", "the two that changed places"),
            (moved, "↑ ↓", "earlier, later than recorded"),
            (fails, "pz-ring", "here it fails"),
            (cut, "pz-cut", "the global state: what is above has happened"),
            (ahead, "pz-hollow", "has not happened"),
        ];
        self.y += 16.0;
        let mut x = MARGIN;
        for (_, sample, text) in entries.into_iter().filter(|(is_there, ..)| *is_there) {
            let wide = 42.0 + text.width() as f64 * COLUMN + 18.0;
            if x > MARGIN && x + wide > self.width - MARGIN {
                (x, self.y) = (MARGIN, self.y + LINE + 3.0);
            }
            let (y, canvas) = (self.y + LINE - 8.0, &mut self.canvas);
            match sample {
                "pz-edge" | "pz-assumed" => {
                    canvas.line(sample, (x, y), (x + 26.0, y));
                    canvas.head("pz-tip", (x, y), (x + 33.0, y));
                }
                "pz-missing" => {
                    canvas.line(sample, (x, y), (x + 25.0, y));
                    canvas.head("pz-missing-tip", (x, y), (x + 34.0, y));
                }
                "pz-ring" => canvas.circle(sample, (x + 20.0, y), 7.0),
                "pz-cut" => canvas.line(sample, (x, y), (x + 34.0, y)),
                "pz-hollow" => canvas.circle("pz-0 pz-hollow", (x + 20.0, y), 5.5),
                sign => canvas.text((x + 12.0, y + 5.0), "pz-bold pz-text", sign),
            }
            self.canvas.text((x + 42.0, y + 4.0), "pz-dim", text);
            x += wide;
        }
        self.y += LINE;
    }

    fn finish(mut self, title: &str, description: &str) -> Drawing {
        self.draw_legend();
        let size = (self.width, self.y + MARGIN);
        self.canvas.finish(title, description, size)
    }
}

/// The sign of a verdict and its look.
fn mark(word: Word) -> (&'static str, &'static str) {
    match word {
        Word::Holds => ("✓", "pz-good"),
        Word::Violated => ("✗", "pz-bad"),
        Word::Unknown => ("?", "pz-open"),
    }
}
