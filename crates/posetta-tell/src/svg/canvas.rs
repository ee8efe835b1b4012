//! What an SVG is made of: shapes with classes, and text whose width is known.
//!
//! Looks are classes of one style sheet ([`STYLE`]), because a page that forbids inline styles can still allow that one. Colours never
//! carry a meaning alone: lines differ in their dashes, marks in their shapes. Everything that an input says goes through
//! [`xml::text`].

use std::fmt::Write;

use unicode_width::UnicodeWidthStr;

use crate::xml;

/// How wide a column of text is: the widest of the usual fixed-width fonts at 12 pixels, and prose at 13 takes less.
pub(super) const COLUMN: f64 = 7.3;
/// The same for headings, and for titles.
pub(super) const HEADING: f64 = 8.1;
pub(super) const WIDE: f64 = 11.0;
/// From one line of text to the next.
pub(super) const LINE: f64 = 17.0;

/// The looks of all pictures. No other rule applies to them, so they look alike alone and inside of a page.
pub const STYLE: &str = include_str!("style.css");

/// Shapes, one after another.
#[derive(Debug, Default)]
pub(super) struct Canvas {
    out: String,
}

/// A point.
pub(super) type Point = (f64, f64);

/// A number with one digit behind the point, if it needs it.
fn number(n: f64) -> String {
    let text = format!("{n:.1}");
    text.strip_suffix(".0").map_or(text.clone(), str::to_owned)
}

/// How many pixels a text of so many columns takes.
pub(super) fn width(text: &str) -> f64 {
    text.width() as f64 * COLUMN
}

impl Canvas {
    pub(super) fn text(&mut self, (x, y): Point, class: &str, text: &str) {
        if !text.is_empty() {
            let _ = writeln!(
                self.out,
                "<text class=\"{class}\" x=\"{}\" y=\"{}\">{}</text>",
                number(x),
                number(y),
                xml::text(text)
            );
        }
    }

    pub(super) fn line(&mut self, class: &str, (x1, y1): Point, (x2, y2): Point) {
        let [x1, y1, x2, y2] = [x1, y1, x2, y2].map(number);
        let _ = writeln!(self.out, "<line class=\"{class}\" x1=\"{x1}\" y1=\"{y1}\" x2=\"{x2}\" y2=\"{y2}\"/>");
    }

    pub(super) fn circle(&mut self, class: &str, (x, y): Point, r: f64) {
        let [x, y, r] = [x, y, r].map(number);
        let _ = writeln!(self.out, "<circle class=\"{class}\" cx=\"{x}\" cy=\"{y}\" r=\"{r}\"/>");
    }

    pub(super) fn rect(&mut self, class: &str, (x, y): Point, (w, h): Point, round: f64) {
        let [x, y, w, h, round] = [x, y, w, h, round].map(number);
        let _ = writeln!(
            self.out,
            "<rect class=\"{class}\" x=\"{x}\" y=\"{y}\" width=\"{w}\" height=\"{h}\" rx=\"{round}\"/>"
        );
    }

    /// A path through points: `M` to the first, then as `steps` says: `L` takes one point, `Q` two, `C` three.
    pub(super) fn path(&mut self, class: &str, start: Point, steps: &[(char, &[Point])]) {
        let point = |(x, y): &Point| format!("{} {}", number(*x), number(*y));
        let mut d = format!("M{}", point(&start));
        for (letter, points) in steps {
            d.push(*letter);
            d.push_str(&points.iter().map(point).collect::<Vec<_>>().join(" "));
        }
        let _ = writeln!(self.out, "<path class=\"{class}\" d=\"{d}\"/>");
    }

    /// A closed shape.
    pub(super) fn polygon(&mut self, class: &str, points: &[Point]) {
        let points: Vec<String> = points.iter().map(|(x, y)| format!("{},{}", number(*x), number(*y))).collect();
        let _ = writeln!(self.out, "<polygon class=\"{class}\" points=\"{}\"/>", points.join(" "));
    }

    /// What is drawn in `inside` belongs together, and has a name that a pointer shows.
    pub(super) fn group(&mut self, title: &str, inside: impl FnOnce(&mut Self)) {
        let _ = writeln!(self.out, "<g><title>{}</title>", xml::text(title));
        inside(self);
        self.out.push_str("</g>\n");
    }

    /// An arrow head at `tip`, coming from the direction of `from`.
    pub(super) fn head(&mut self, class: &str, from: Point, tip: Point) {
        let (dx, dy) = (tip.0 - from.0, tip.1 - from.1);
        let long = dx.hypot(dy).max(0.001);
        let (dx, dy) = (dx / long, dy / long);
        let back = (tip.0 - 8.0 * dx, tip.1 - 8.0 * dy);
        let side = |s: f64| (back.0 - s * 3.6 * dy, back.1 + s * 3.6 * dx);
        self.polygon(class, &[tip, side(1.0), side(-1.0)]);
    }

    /// The whole document, of a size.
    pub(super) fn finish(self, title: &str, description: &str, (width, height): Point) -> String {
        let [width, height] = [width.ceil(), height.ceil()].map(number);
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"pz\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" \
             height=\"{height}\" role=\"img\">\n<title>{}</title>\n<desc>{}</desc>\n<style>{STYLE}</style>\n\
             <rect class=\"pz-page\" x=\"0.5\" y=\"0.5\" width=\"{}\" height=\"{}\" rx=\"10\"/>\n{}</svg>\n",
            xml::text(title),
            xml::text(description),
            width.parse::<f64>().map_or(0.0, |w| w - 1.0),
            height.parse::<f64>().map_or(0.0, |h| h - 1.0),
            self.out,
        )
    }
}
