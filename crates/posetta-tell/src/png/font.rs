//! Text as outlines. Four fonts come along ([`fonts`](self)), each with the characters of most languages in Latin, Greek and Cyrillic, and
//! the signs that pictures have: DejaVu, which may be embedded, changed and passed on (fonts/LICENSE).

use std::collections::BTreeSet;

use ttf_parser::{Face, OutlineBuilder};
use unicode_width::UnicodeWidthChar;
use zeno::{Command, PathBuilder as _};

use super::style::Look;
use crate::svg::At;

/// A text in fixed width, in prose, and both in bold.
const FONTS: [&[u8]; 4] = [
    include_bytes!("fonts/DejaVuSansCondensed.ttf"),
    include_bytes!("fonts/DejaVuSansCondensed-Bold.ttf"),
    include_bytes!("fonts/DejaVuSansMono.ttf"),
    include_bytes!("fonts/DejaVuSansMono-Bold.ttf"),
];

/// The fonts, and what they do not have.
pub(super) struct Fonts {
    faces: [Face<'static>; 4],
    pub(super) unknown: BTreeSet<char>,
}

impl Fonts {
    pub(super) fn new() -> Self {
        let faces = FONTS.map(|font| Face::parse(font, 0).expect("the fonts are part of the program"));
        Self { faces, unknown: BTreeSet::new() }
    }

    /// The outline of a text that begins there.
    pub(super) fn outline(&mut self, text: &str, (x, y): At, look: &Look) -> Vec<Command> {
        let face = &self.faces[2 * usize::from(look.is_code) + usize::from(look.is_bold)];
        let scale = look.size / f32::from(face.units_per_em());
        let mut pen = Pen { x: x as f32, y: y as f32, scale, out: Vec::new() };
        for c in text.chars() {
            let columns = c.width().unwrap_or(0);
            // What combines with the character before it, and what cannot be seen.
            if columns == 0 {
                continue;
            }
            match face.glyph_index(c) {
                Some(glyph) => {
                    face.outline_glyph(glyph, &mut pen);
                    pen.x += f32::from(face.glyph_hor_advance(glyph).unwrap_or(0)) * scale;
                }
                None => {
                    self.unknown.insert(c);
                    let wide = look.size * 0.602 * columns as f32;
                    pen.a_box(wide, look.size);
                    pen.x += wide;
                }
            }
        }
        pen.out
    }
}

/// Draws glyphs where the text is; fonts count upwards.
struct Pen {
    x: f32,
    y: f32,
    scale: f32,
    out: Vec<Command>,
}

impl Pen {
    fn at(&self, x: f32, y: f32) -> (f32, f32) {
        (self.x + x * self.scale, self.y - y * self.scale)
    }

    /// The outline of a box: two rectangles, the inner one the other way round.
    fn a_box(&mut self, wide: f32, high: f32) {
        let (left, right, top, bottom) = (self.x + 1.0, self.x + wide - 1.0, self.y - high * 0.72, self.y);
        let line = 0.8;
        self.out.move_to((left, top)).line_to((right, top)).line_to((right, bottom)).line_to((left, bottom)).close();
        let (left, right, top, bottom) = (left + line, right - line, top + line, bottom - line);
        self.out.move_to((left, top)).line_to((left, bottom)).line_to((right, bottom)).line_to((right, top)).close();
    }
}

impl OutlineBuilder for Pen {
    fn move_to(&mut self, x: f32, y: f32) {
        let to = self.at(x, y);
        self.out.move_to(to);
    }

    fn line_to(&mut self, x: f32, y: f32) {
        let to = self.at(x, y);
        self.out.line_to(to);
    }

    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        let (control, to) = (self.at(x1, y1), self.at(x, y));
        self.out.quad_to(control, to);
    }

    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        let (first, second, to) = (self.at(x1, y1), self.at(x2, y2), self.at(x, y));
        self.out.curve_to(first, second, to);
    }

    fn close(&mut self) {
        self.out.close();
    }
}
