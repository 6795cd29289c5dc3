//! A page as SVG: texts stay texts, bodies carry their names.

use crate::Error;
use crate::font::Weight;
use crate::path::{Path, Piece, Point, Rect};
use crate::picture::{Anchor, Fill, Item, Layer, Picture, Stroke, Text};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use std::fmt::Write;

const FAMILY: &str = "Inter, Roboto, 'Helvetica Neue', Arial, 'DejaVu Sans', sans-serif";

impl Picture {
    /// The page as the text of an SVG file.
    ///
    /// # Errors
    /// [`Error::NotFinite`], [`Error::PageSize`]; [`Error::Png`] for its images.
    pub fn to_svg(&self) -> Result<String, Error> {
        self.validate()?;
        let mut writer = Writer { out: String::new(), clips: 0 };
        let (w, h) = (number(self.width), number(self.height));
        let _ = writeln!(
            writer.out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{w}\" height=\"{h}\" viewBox=\"0 0 {w} {h}\" \
             font-family=\"{FAMILY}\" stroke-linejoin=\"round\" stroke-linecap=\"round\">"
        );
        if !self.description.is_empty() {
            let _ = writeln!(writer.out, "<title>{}</title>", escaped(&self.description));
        }
        let _ = writeln!(writer.out, "<rect width=\"{w}\" height=\"{h}\" fill=\"{}\"/>", self.background);
        writer.layer(&self.layer)?;
        writer.out.push_str("</svg>\n");
        Ok(writer.out)
    }
}

struct Writer {
    out: String,
    clips: usize,
}

impl Writer {
    fn layer(&mut self, layer: &Layer) -> Result<(), Error> {
        layer.items.iter().try_for_each(|item| self.item(item))
    }

    fn item(&mut self, item: &Item) -> Result<(), Error> {
        match item {
            Item::Path { path, fill, stroke, name } => self.path(path, *fill, stroke.as_ref(), name),
            Item::Dots { points, radius, fill } => self.dots(points, *radius, *fill),
            Item::Text(text) => self.text(text),
            Item::Image { raster, at } => {
                let data = STANDARD.encode(raster.to_png(1.0)?);
                let _ = writeln!(
                    self.out,
                    "<image {} preserveAspectRatio=\"none\" href=\"data:image/png;base64,{data}\"/>",
                    placed(at)
                );
            }
            Item::Group { name, clip, layer } => {
                let mut attributes = format!(" class=\"{name}\"");
                if let Some(clip) = clip {
                    self.clips += 1;
                    let _ = writeln!(self.out, "<clipPath id=\"c{}\"><rect {}/></clipPath>", self.clips, placed(clip));
                    let _ = write!(attributes, " clip-path=\"url(#c{})\"", self.clips);
                }
                let _ = writeln!(self.out, "<g{attributes}>");
                self.layer(layer)?;
                self.out.push_str("</g>\n");
            }
        }
        Ok(())
    }

    fn path(&mut self, path: &Path, fill: Option<Fill>, stroke: Option<&Stroke>, name: &str) {
        let _ = write!(self.out, "<path d=\"{}\"", data(path));
        match fill {
            Some(fill) => {
                let _ = write!(self.out, " fill=\"{}\"{}", fill.colour, opacity("fill-opacity", fill.opacity));
            }
            None => self.out.push_str(" fill=\"none\""),
        }
        if let Some(s) = stroke {
            let _ = write!(self.out, " stroke=\"{}\" stroke-width=\"{}\"", s.colour, number(s.width));
            self.out.push_str(&opacity("stroke-opacity", s.opacity));
            if !s.dash.is_empty() {
                let lengths: Vec<String> = s.dash.iter().map(|d| number(*d)).collect();
                let _ = write!(self.out, " stroke-dasharray=\"{}\"", lengths.join(" "));
            }
        }
        match name {
            "" => self.out.push_str("/>\n"),
            name => {
                let _ = writeln!(self.out, "><title>{}</title></path>", escaped(name));
            }
        }
    }

    /// One path of lines without length: their round ends are the dots.
    fn dots(&mut self, points: &[Point], radius: f64, fill: Fill) {
        self.out.push_str("<path d=\"");
        for p in points {
            let _ = write!(self.out, "M{} {}h0", number(p[0]), number(p[1]));
        }
        let _ = writeln!(
            self.out,
            "\" fill=\"none\" stroke=\"{}\"{} stroke-width=\"{}\"/>",
            fill.colour,
            opacity("stroke-opacity", fill.opacity),
            number(2.0 * radius)
        );
    }

    fn text(&mut self, t: &Text) {
        let (x, y) = (number(t.at[0]), number(t.at[1]));
        let _ = write!(self.out, "<text x=\"{x}\" y=\"{y}\" font-size=\"{}\"", number(t.size));
        if t.weight == Weight::SemiBold {
            self.out.push_str(" font-weight=\"600\"");
        }
        match t.anchor {
            Anchor::Start => {}
            Anchor::Middle => self.out.push_str(" text-anchor=\"middle\""),
            Anchor::End => self.out.push_str(" text-anchor=\"end\""),
        }
        if t.upright {
            let _ = write!(self.out, " transform=\"rotate(-90 {x} {y})\"");
        }
        let _ = write!(self.out, " fill=\"{}\"", t.colour);
        if t.halo {
            let width = number(0.25 * t.size);
            let _ = write!(self.out, " stroke=\"#ffffff\" stroke-width=\"{width}\" paint-order=\"stroke\"");
        }
        // Viewers without the font keep the width.
        let _ = writeln!(self.out, " textLength=\"{}\">{}</text>", number(t.width()), escaped(&t.text));
    }
}

fn placed(r: &Rect) -> String {
    let [x, y, w, h] = [r.min[0], r.min[1], r.width(), r.height()].map(number);
    format!("x=\"{x}\" y=\"{y}\" width=\"{w}\" height=\"{h}\"")
}

fn opacity(attribute: &str, value: f64) -> String {
    if value < 1.0 { format!(" {attribute}=\"{}\"", number(value)) } else { String::new() }
}

/// The commands of a path.
fn data(path: &Path) -> String {
    let mut out = String::new();
    let at = |p: &Point| format!("{} {}", number(p[0]), number(p[1]));
    for piece in &path.pieces {
        let _ = match piece {
            Piece::Move(p) => write!(out, "M{}", at(p)),
            Piece::Line(p) => write!(out, "L{}", at(p)),
            Piece::Cubic(a, b, c) => write!(out, "C{} {} {}", at(a), at(b), at(c)),
            Piece::Close => write!(out, "Z"),
            Piece::Circle(c, r) => {
                let (start, r, d) = (at(&[c[0] - r, c[1]]), number(*r), number(2.0 * r));
                write!(out, "M{start}a{r} {r} 0 1 0 {d} 0a{r} {r} 0 1 0 -{d} 0Z")
            }
        };
    }
    out
}

/// A hundredth of a unit is a fifth of a printer's dot.
pub(crate) fn number(x: f64) -> String {
    let mut text = format!("{x:.2}");
    while text.contains('.') && text.ends_with(['0', '.']) {
        let dot = text.ends_with('.');
        text.pop();
        if dot {
            break;
        }
    }
    if text == "-0" { "0".into() } else { text }
}

/// Text for XML: what it cannot hold is left out.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars().filter(|c| !c.is_control() && !('\u{FFFE}'..='\u{FFFF}').contains(c)) {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        for (x, text) in [(1.0, "1"), (0.25, "0.25"), (-0.001, "0"), (100.0, "100"), (10.5, "10.5"), (-3.456, "-3.46")]
        {
            assert_eq!(number(x), text);
        }
    }

    #[test]
    fn a_path_in_words_of_svg() {
        let mut path = Path::polygon(&[[0.0, 0.0], [10.0, 0.0], [10.0, 5.5]]);
        path.extend(Path::circle([20.0, 20.0], 3.0));
        assert_eq!(data(&path), "M0 0L10 0L10 5.5ZM17 20a3 3 0 1 0 6 0a3 3 0 1 0 -6 0Z");
    }
}
