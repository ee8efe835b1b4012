//! What a picture is made of: shapes with classes, and text whose width is known.
//!
//! A [`Drawing`] is data; it is printed as SVG here, and painted as PNG by [`png`](crate::png). Looks are classes of one style sheet
//! ([`STYLE`]), because a page that forbids inline styles can still allow that one. Colours never carry a meaning alone: lines differ in
//! their dashes, marks in their shapes. Everything that an input says goes through [`xml::text`].

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

/// A point.
pub(crate) type Point = (f64, f64);

/// A part of a path: `L` takes one point, `Q` two, `C` three.
pub(crate) type Step = (char, Vec<Point>);

/// The look of a shape: names of [`STYLE`], with spaces between them.
pub(crate) type Class = String;

/// What is drawn, one after another.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Shape {
    /// A line of text that begins there.
    Text(Class, Point, String),
    /// From one point to another.
    Line(Class, Point, Point),
    /// Its middle and its radius.
    Circle(Class, Point, f64),
    /// Its upper left corner, its size, and how round its corners are.
    Rect(Class, Point, Point, f64),
    /// Where it begins, and how it goes on.
    Path(Class, Point, Vec<Step>),
    /// A closed shape.
    Polygon(Class, Vec<Point>),
    /// What follows belongs together, and has a name that a pointer shows.
    Begin(String),
    /// Up to here.
    End,
}

/// A picture.
#[derive(Clone, Debug, PartialEq)]
pub struct Drawing {
    /// What it is called.
    pub title: String,
    /// What is seen, for those who do not see it.
    pub description: String,
    /// Its width and its height, whole numbers of pixels.
    pub(crate) size: Point,
    pub(crate) shapes: Vec<Shape>,
}

/// Shapes, one after another.
#[derive(Debug, Default)]
pub(super) struct Canvas {
    shapes: Vec<Shape>,
}

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
    pub(super) fn text(&mut self, at: Point, class: &str, text: &str) {
        if !text.is_empty() {
            self.shapes.push(Shape::Text(class.to_owned(), at, text.to_owned()));
        }
    }

    pub(super) fn line(&mut self, class: &str, from: Point, to: Point) {
        self.shapes.push(Shape::Line(class.to_owned(), from, to));
    }

    pub(super) fn circle(&mut self, class: &str, middle: Point, r: f64) {
        self.shapes.push(Shape::Circle(class.to_owned(), middle, r));
    }

    pub(super) fn rect(&mut self, class: &str, corner: Point, size: Point, round: f64) {
        self.shapes.push(Shape::Rect(class.to_owned(), corner, size, round));
    }

    /// A path through points: to the first, then as `steps` says.
    pub(super) fn path(&mut self, class: &str, start: Point, steps: &[(char, &[Point])]) {
        let steps = steps.iter().map(|(letter, points)| (*letter, points.to_vec())).collect();
        self.shapes.push(Shape::Path(class.to_owned(), start, steps));
    }

    /// A closed shape.
    pub(super) fn polygon(&mut self, class: &str, points: &[Point]) {
        self.shapes.push(Shape::Polygon(class.to_owned(), points.to_vec()));
    }

    /// What is drawn in `inside` belongs together, and has a name that a pointer shows.
    pub(super) fn group(&mut self, title: &str, inside: impl FnOnce(&mut Self)) {
        self.shapes.push(Shape::Begin(title.to_owned()));
        inside(self);
        self.shapes.push(Shape::End);
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

    /// The whole picture, of a size.
    pub(super) fn finish(self, title: &str, description: &str, (width, height): Point) -> Drawing {
        let size = (width.ceil(), height.ceil());
        let page = Shape::Rect("pz-page".to_owned(), (0.5, 0.5), (size.0 - 1.0, size.1 - 1.0), 10.0);
        let shapes = [page].into_iter().chain(self.shapes).collect();
        Drawing { title: title.to_owned(), description: description.to_owned(), size, shapes }
    }
}

impl Drawing {
    /// The picture as SVG: a document of its own, or a part of a page.
    #[must_use]
    pub fn to_svg(&self) -> String {
        let [width, height] = [self.size.0, self.size.1].map(number);
        let mut out = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"pz\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" \
             height=\"{height}\" role=\"img\">\n<title>{}</title>\n<desc>{}</desc>\n<style>{STYLE}</style>\n",
            xml::text(&self.title),
            xml::text(&self.description),
        );
        self.shapes.iter().for_each(|shape| shape.print(&mut out));
        out.push_str("</svg>\n");
        out
    }
}

impl Shape {
    fn print(&self, out: &mut String) {
        let pair = |(x, y): &Point, between: &str| format!("{}{between}{}", number(*x), number(*y));
        // Writing to a text cannot fail.
        let _ = match self {
            Self::Text(class, (x, y), text) => {
                let [x, y] = [*x, *y].map(number);
                writeln!(out, "<text class=\"{class}\" x=\"{x}\" y=\"{y}\">{}</text>", xml::text(text))
            }
            Self::Line(class, from, to) => {
                let [x1, y1, x2, y2] = [from.0, from.1, to.0, to.1].map(number);
                writeln!(out, "<line class=\"{class}\" x1=\"{x1}\" y1=\"{y1}\" x2=\"{x2}\" y2=\"{y2}\"/>")
            }
            Self::Circle(class, (x, y), r) => {
                let [x, y, r] = [*x, *y, *r].map(number);
                writeln!(out, "<circle class=\"{class}\" cx=\"{x}\" cy=\"{y}\" r=\"{r}\"/>")
            }
            Self::Rect(class, (x, y), (w, h), round) => {
                let [x, y, w, h, round] = [*x, *y, *w, *h, *round].map(number);
                let size = format!("width=\"{w}\" height=\"{h}\" rx=\"{round}\"");
                writeln!(out, "<rect class=\"{class}\" x=\"{x}\" y=\"{y}\" {size}/>")
            }
            Self::Path(class, start, steps) => {
                let mut d = format!("M{}", pair(start, " "));
                for (letter, points) in steps {
                    d.push(*letter);
                    d.push_str(&points.iter().map(|point| pair(point, " ")).collect::<Vec<_>>().join(" "));
                }
                writeln!(out, "<path class=\"{class}\" d=\"{d}\"/>")
            }
            Self::Polygon(class, points) => {
                let points: Vec<String> = points.iter().map(|point| pair(point, ",")).collect();
                writeln!(out, "<polygon class=\"{class}\" points=\"{}\"/>", points.join(" "))
            }
            Self::Begin(title) => writeln!(out, "<g><title>{}</title>", xml::text(title)),
            Self::End => writeln!(out, "</g>"),
        };
    }
}
