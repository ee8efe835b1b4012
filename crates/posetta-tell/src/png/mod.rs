//! Pictures as PNG: the shapes of a [`Drawing`], painted with the looks of its style sheet in light colours.
//!
//! The crate `zeno` turns outlines into coverage, with dashes and round ends; here is what is around it: [`style`] reads the style
//! sheet that the SVG has, [`font`] turns text into outlines of four fonts that come along, [`file`] writes the bytes. So a picture is the
//! same on every machine. Start at [`paint`].

mod file;
mod font;
mod style;

use std::collections::BTreeSet;

use posetta_base::{Budget, Limit, OverBudget};
use zeno::{Cap, Command, Join, Mask, PathBuilder as _, Stroke, Transform};

use self::font::Fonts;
use self::style::{Colour, Look, Sheet};
use crate::svg::{At, Drawing, Shape, Step};

/// So many pixels of the picture for one of the drawing, so that it is sharp on dense screens and on paper.
const SCALE: usize = 2;
/// A picture of more pixels is half as sharp; of still more there is none.
const SHARP: usize = 24 << 20;
const MOST: usize = 40 << 20;
/// What is being done.
const PAINTING: &str = "painting the picture";

/// A picture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Png {
    /// The file.
    pub bytes: Vec<u8>,
    /// Characters that no font has: there is a box in their place.
    pub unknown: BTreeSet<char>,
}

/// Paints a drawing.
///
/// # Errors
/// When it is too large for the budget, or for any.
pub fn paint(drawing: &Drawing, budget: &Budget) -> Result<Png, OverBudget> {
    let (width, height) = (drawing.size.0 as usize, drawing.size.1 as usize);
    let pixels = width.saturating_mul(height);
    let scale = if pixels.saturating_mul(SCALE * SCALE) <= SHARP { SCALE } else { 1 };
    if pixels > MOST {
        return Err(OverBudget::new(PAINTING, Limit::Memory));
    }
    // Three bytes for a pixel, and one for the shape that covers it.
    let _claim = budget.claim((pixels * scale * scale) as u64 * 4, PAINTING)?;
    let mut sheet = Sheet::new(width * scale, height * scale);
    let mut fonts = Fonts::new();
    for shape in &drawing.shapes {
        budget.step(1, PAINTING)?;
        paint_shape(&mut sheet, &mut fonts, shape, scale as f32);
    }
    let bytes = file::write(&sheet, drawing, scale);
    Ok(Png { bytes, unknown: fonts.unknown })
}

fn paint_shape(sheet: &mut Sheet, fonts: &mut Fonts, shape: &Shape, scale: f32) {
    let mut outline: Vec<Command> = Vec::new();
    let class = match shape {
        Shape::Text(class, at, text) => {
            let look = Look::of(class);
            let outline = fonts.outline(text, *at, &look);
            return fill(sheet, &outline, look.fill, scale);
        }
        Shape::Line(class, from, to) => {
            outline.move_to(point(*from)).line_to(point(*to));
            class
        }
        Shape::Circle(class, middle, r) => {
            outline.add_circle(point(*middle), *r as f32);
            class
        }
        Shape::Rect(class, corner, (w, h), round) => {
            let (w, h, round) = (*w as f32, *h as f32, *round as f32);
            match round > 0.0 {
                true => outline.add_round_rect(point(*corner), w, h, round, round),
                false => outline.add_rect(point(*corner), w, h),
            };
            class
        }
        Shape::Path(class, start, steps) => {
            outline.move_to(point(*start));
            steps.iter().for_each(|step| go_on(&mut outline, step));
            class
        }
        Shape::Polygon(class, points) => {
            for (i, at) in points.iter().enumerate() {
                match i {
                    0 => outline.move_to(point(*at)),
                    _ => outline.line_to(point(*at)),
                };
            }
            outline.close();
            class
        }
        // What a pointer would show.
        Shape::Begin(_) | Shape::End => return,
    };
    let look = Look::of(class);
    fill(sheet, &outline, look.fill, scale);
    let Some(colour) = look.stroke else { return };
    let mut stroke = Stroke::new(look.stroke_width);
    stroke.dash(&look.dashes, 0.0);
    if look.is_round {
        stroke.cap(Cap::Round).join(Join::Round);
    }
    let (mask, place) = Mask::new(&outline).style(stroke).transform(enlarged(scale)).render();
    sheet.cover(&mask, place, colour);
}

fn fill(sheet: &mut Sheet, outline: &[Command], colour: Option<Colour>, scale: f32) {
    let Some(colour) = colour.filter(|_| !outline.is_empty()) else { return };
    let (mask, place) = Mask::new(outline).transform(enlarged(scale)).render();
    sheet.cover(&mask, place, colour);
}

fn enlarged(scale: f32) -> Option<Transform> {
    Some(Transform::scale(scale, scale))
}

fn point((x, y): At) -> (f32, f32) {
    (x as f32, y as f32)
}

fn go_on(outline: &mut Vec<Command>, (letter, points): &Step) {
    match (letter, &points[..]) {
        ('Q', [control, to]) => outline.quad_to(point(*control), point(*to)),
        ('C', [first, second, to]) => outline.curve_to(point(*first), point(*second), point(*to)),
        (_, all) => {
            for to in all {
                outline.line_to(point(*to));
            }
            outline
        }
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawing(size: At, shapes: Vec<Shape>) -> Drawing {
        Drawing { title: "t".into(), description: "what is seen".into(), size, shapes }
    }

    /// The picture as its size and its pixels, read back by what unpacks PNG elsewhere.
    fn pixels(drawing: &Drawing) -> (usize, usize, Vec<[u8; 3]>) {
        let png = paint(drawing, &Budget::unlimited()).expect("a picture");
        file::read(&png.bytes)
    }

    #[test]
    fn shapes_lie_where_the_drawing_has_them_in_the_colours_of_the_sheet() {
        let page = Shape::Rect("pz-page".into(), (0.5, 0.5), (39.0, 29.0), 0.0);
        let dot = Shape::Circle("pz-0".into(), (20.0, 15.0), 5.0);
        let (width, height, pixels) = pixels(&drawing((40.0, 30.0), vec![page, dot]));
        assert_eq!((width, height), (80, 60));
        let at = |x: f64, y: f64| pixels[(y * 2.0) as usize * width + (x * 2.0) as usize];
        assert_eq!(at(20.0, 15.0), [0x5b, 0x4b, 0xb5], "the middle of the dot");
        assert_eq!(at(10.0, 15.0), [255; 3], "beside it");
        assert_ne!(at(0.5, 15.0), [255; 3], "the border of the page");
    }

    #[test]
    fn a_dashed_line_has_gaps_and_a_solid_one_has_none() {
        let row = |class: &str| {
            let line = Shape::Line(class.into(), (0.0, 5.0), (100.0, 5.0));
            let (width, _, pixels) = pixels(&drawing((100.0, 10.0), vec![line]));
            let row = &pixels[10 * width..11 * width];
            (row.iter().filter(|p| **p != [255; 3]).count(), row.iter().filter(|p| **p == [255; 3]).count())
        };
        assert_eq!(row("pz-edge"), (200, 0));
        let (ink, gaps) = row("pz-assumed");
        assert!(ink > 100 && gaps > 50, "{ink} and {gaps}");
    }

    #[test]
    fn text_has_ink_and_what_no_font_has_is_a_box_that_is_told() {
        let text =
            |text: &str| drawing((200.0, 30.0), vec![Shape::Text("pz-code pz-text".into(), (5.0, 20.0), text.into())]);
        let ink = |text: &Drawing| pixels(text).2.iter().filter(|p| p[0] < 128).count();
        assert!(ink(&text("✗ here x = 1 ⇅ ↻")) > 200);
        assert_eq!(ink(&text(" ")), 0);
        let png = paint(&text("注文 a"), &Budget::unlimited()).expect("a picture");
        assert_eq!(png.unknown, BTreeSet::from(['注', '文']));
        assert!(ink(&text("注")) > 10);
    }

    #[test]
    fn what_is_too_large_is_refused_and_what_is_large_is_less_sharp() {
        let over = paint(&drawing((10_000.0, 10_000.0), Vec::new()), &Budget::unlimited()).expect_err("too large");
        assert_eq!(over.limit, Limit::Memory);
        let small = Budget::with_memory(1000);
        assert!(paint(&drawing((100.0, 100.0), Vec::new()), &small).is_err());
        let (width, height, _) = pixels(&drawing((3000.0, 3000.0), Vec::new()));
        assert_eq!((width, height), (3000, 3000));
    }
}
