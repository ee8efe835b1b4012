//! The style sheet of pictures, as far as it is about light colours, and the sheet that is painted on.

use std::sync::OnceLock;

use zeno::Placement;

use crate::svg::STYLE;

/// Red, green and blue.
pub(super) type Colour = [u8; 3];

const WHITE: Colour = [255; 3];

/// How something looks.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Look {
    pub(super) fill: Option<Colour>,
    pub(super) stroke: Option<Colour>,
    pub(super) stroke_width: f32,
    pub(super) dashes: Vec<f32>,
    /// Lines end and meet round.
    pub(super) is_round: bool,
    /// Text: how high, whether each character is as wide as another, and whether it is bold.
    pub(super) size: f32,
    pub(super) is_code: bool,
    pub(super) is_bold: bool,
}

impl Default for Look {
    fn default() -> Self {
        Self {
            fill: Some([0; 3]),
            stroke: None,
            stroke_width: 1.0,
            dashes: Vec::new(),
            is_round: false,
            size: 13.0,
            is_code: false,
            is_bold: false,
        }
    }
}

/// The declarations of a class: names and values.
type Rule = (&'static str, Vec<(&'static str, &'static str)>);

/// The rules of the style sheet, in their order. Those for dark readers and for paper are behind the others.
fn rules() -> &'static [Rule] {
    static RULES: OnceLock<Vec<Rule>> = OnceLock::new();
    RULES.get_or_init(|| {
        let light = STYLE.split("@media").next().unwrap_or_default();
        let mut rules = Vec::new();
        for rule in light.split('}') {
            let Some((names, body)) = rule.split_once('{') else { continue };
            let pair = |text: &'static str| text.split_once(':').map(|(name, value)| (name.trim(), value.trim()));
            let all: Vec<(&str, &str)> = body.split(';').filter_map(pair).collect();
            rules.extend(names.split(',').map(|name| (name.trim().trim_start_matches('.'), all.clone())));
        }
        rules
    })
}

impl Look {
    /// The look of something with these classes: rules count in the order of the sheet.
    pub(super) fn of(classes: &str) -> Self {
        let mut look = Self::default();
        for (class, all) in rules() {
            if classes.split(' ').any(|own| own == *class) {
                for (name, value) in all {
                    let _ = look.take(name, value);
                }
            }
        }
        look
    }

    /// Takes a declaration. Nothing if it is not understood; a test sees to it that all are.
    fn take(&mut self, name: &str, value: &str) -> Option<()> {
        match name {
            "fill" => self.fill = colour(value)?,
            "stroke" => self.stroke = colour(value)?,
            "stroke-width" => self.stroke_width = value.parse().ok()?,
            "stroke-dasharray" => self.dashes = value.split(' ').map(str::parse).collect::<Result<_, _>>().ok()?,
            "stroke-linecap" | "stroke-linejoin" if value == "round" => self.is_round = true,
            "font-size" => self.size = value.strip_suffix("px")?.parse().ok()?,
            "font-weight" => self.is_bold = value.parse::<u32>().ok()? >= 600,
            "font-family" => self.is_code = value.ends_with("monospace"),
            _ => return None,
        }
        Some(())
    }
}

/// `none`, or a colour of three or six digits.
fn colour(text: &str) -> Option<Option<Colour>> {
    if text == "none" {
        return Some(None);
    }
    let digits: Vec<u8> =
        text.strip_prefix('#')?.chars().map(|c| c.to_digit(16).map(|d| d as u8)).collect::<Option<_>>()?;
    match digits[..] {
        [r, g, b] => Some(Some([r * 17, g * 17, b * 17])),
        [a, b, c, d, e, f] => Some(Some([a * 16 + b, c * 16 + d, e * 16 + f])),
        _ => None,
    }
}

/// Pixels, row by row.
pub(super) struct Sheet {
    pub(super) width: usize,
    pub(super) pixels: Vec<Colour>,
}

impl Sheet {
    pub(super) fn new(width: usize, height: usize) -> Self {
        Self { width, pixels: vec![WHITE; width * height] }
    }

    /// Puts a colour on what the mask covers.
    pub(super) fn cover(&mut self, mask: &[u8], place: Placement, colour: Colour) {
        let wide = place.width as usize;
        if wide == 0 {
            return;
        }
        let height = self.pixels.len() / self.width.max(1);
        for (y, row) in mask.chunks_exact(wide).enumerate() {
            let Some(y) = usize::try_from(place.top as i64 + y as i64).ok().filter(|y| *y < height) else { continue };
            for (x, &share) in row.iter().enumerate().filter(|(_, share)| **share > 0) {
                let Some(x) = usize::try_from(place.left as i64 + x as i64).ok().filter(|x| *x < self.width) else {
                    continue;
                };
                let pixel = &mut self.pixels[y * self.width + x];
                for (old, new) in pixel.iter_mut().zip(colour) {
                    let (share, rest) = (u32::from(share), 255 - u32::from(share));
                    *old = ((u32::from(new) * share + u32::from(*old) * rest + 127) / 255) as u8;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_declaration_of_the_style_sheet_is_understood() {
        assert!(rules().len() > 40);
        for (class, all) in rules() {
            assert!(class.starts_with("pz"), "{class}");
            for (name, value) in all {
                assert!(Look::default().take(name, value).is_some(), "{class}: {name}: {value}");
            }
        }
    }

    #[test]
    fn later_rules_win_whatever_the_order_of_classes() {
        for classes in ["pz-0 pz-hollow", "pz-hollow pz-0"] {
            let look = Look::of(classes);
            assert_eq!((look.fill, look.stroke), (Some(WHITE), Some([0x5b, 0x4b, 0xb5])));
        }
        let heading = Look::of("pz-h1 pz-text");
        assert!(heading.is_bold && !heading.is_code && heading.size == 16.0);
        let code = Look::of("pz-code pz-dim");
        assert!(!code.is_bold && code.is_code && code.size == 12.0);
        assert_eq!(Look::of("pz-assumed").dashes, [7.0, 4.0]);
        assert_eq!(Look::of("pz-edge").fill, None);
    }
}
