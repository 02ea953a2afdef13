package picture

import (
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"math"
	"strconv"
	"strings"

	"golang.org/x/image/font"
	"golang.org/x/image/font/basicfont"
	"golang.org/x/image/math/fixed"
)

// A Plot is line graphs of the numbers of elements: one for each component.
type Plot struct {
	Title  string
	From   int // number of the first element
	N      int // elements
	Curves []func(i int) float64
	lo, hi float64 // of the finite values
	none   bool    // there are no finite values
}

// measure finds the range of the values.
func (p *Plot) measure() {
	p.none = true
	for _, at := range p.Curves {
		lo, hi, ok := elementRange(p.N, at)
		switch {
		case !ok:
		case p.none:
			p.lo, p.hi, p.none = lo, hi, false
		default:
			p.lo, p.hi = min(p.lo, lo), max(p.hi, hi)
		}
	}
}

// height returns the position of a value between the least, 0, and the greatest, 1; NaN if it is not finite.
func (p *Plot) height(x float64) float64 {
	switch {
	case math.IsInf(x, 0):
		return math.NaN()
	case p.lo == p.hi:
		return 0.5 + 0*x
	}
	return (x/2 - p.lo/2) / (p.hi/2 - p.lo/2) // halved, because the difference may overflow
}

// left returns the number of values that are not finite.
func (p *Plot) left() (n int) {
	for _, at := range p.Curves {
		for i := range p.N {
			if x := at(i); math.IsNaN(x) || math.IsInf(x, 0) {
				n++
			}
		}
	}
	return n
}

// A span is the part of a column that a line covers, from the lowest to the highest point; empty if hi < lo.
type span struct{ lo, hi float64 }

func (s *span) add(y float64) { s.lo, s.hi = min(s.lo, y), max(s.hi, y) }

// spans returns the spans of a curve in so many columns. Neighbours are joined by a straight line; a value that is not
// finite leaves a gap.
func (p *Plot) spans(at func(i int) float64, columns int) []span {
	list := make([]span, columns)
	for i := range list {
		list[i] = span{math.Inf(1), math.Inf(-1)}
	}
	place := func(i int) float64 {
		if p.N == 1 {
			return 0
		}
		return float64(i) / float64(p.N-1) * float64(columns-1)
	}
	was, y0 := 0.0, math.NaN()
	for i := range p.N {
		x, y := place(i), p.height(at(i))
		if !math.IsNaN(y) {
			list[int(math.Round(x))].add(y)
			if !math.IsNaN(y0) {
				join(list, was, y0, x, y)
			}
		}
		was, y0 = x, y
	}
	return list
}

// join adds the spans of a straight line in the columns between two points.
func join(list []span, x0, y0, x1, y1 float64) {
	first, last := int(math.Round(x0)), int(math.Round(x1))
	if first == last {
		return // the points cover everything
	}
	value := func(x float64) float64 {
		t := (min(max(x, x0), x1) - x0) / (x1 - x0)
		return float64(y0*(1-t)) + float64(y1*t)
	}
	for c := first; c <= last; c++ {
		list[c].add(value(float64(c) - 0.5))
		list[c].add(value(float64(c) + 0.5))
	}
}

// cells returns the rows of cells that a span covers, counted from the top; none if it is empty.
func (s span) cells(rows int) (top, bottom int) {
	if s.hi < s.lo {
		return 0, -1
	}
	row := func(y float64) int { return int(math.Round((1 - y) * float64(rows-1))) }
	return row(s.hi), row(s.lo)
}

// label formats a bound of a plot in few characters.
func label(x float64) string { return strconv.FormatFloat(x, 'g', 6, 64) }

// heading returns the title, and a note about what is not shown.
func (p *Plot) heading() string {
	s := p.Title
	if n := p.left(); n > 0 {
		s += fmt.Sprintf(", %d not finite left out", n)
	}
	return s
}

// Dots of a character of Braille, two wide and four high, by row and column.
var dots = [4][2]rune{{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}}

const firstBraille = 0x2800

// Text returns the plot in Braille characters: so many columns including the labels, and rows of lines.
func (p *Plot) Text(width, rows int) string {
	p.measure()
	if p.none {
		return p.heading() + ": nothing to plot\n"
	}
	top, bottom := label(p.hi), label(p.lo)
	if p.lo == p.hi {
		top, bottom = "", ""
	}
	side := max(len(top), len(bottom), len(label(p.lo)))
	columns := max(width-side-2, 8)
	grid := make([][]rune, rows)
	for i := range grid {
		grid[i] = make([]rune, columns)
	}
	for _, at := range p.Curves {
		for c, s := range p.spans(at, 2*columns) {
			from, to := s.cells(4 * rows)
			for y := from; y <= to; y++ {
				grid[y/4][c/2] |= dots[y%4][c%2]
			}
		}
	}
	var b strings.Builder
	fmt.Fprintln(&b, p.heading())
	for i, line := range grid {
		mark, tick := "", "│"
		switch {
		case p.lo == p.hi && i == rows/2:
			mark, tick = label(p.lo), "┤"
		case i == 0 && top != "":
			mark, tick = top, "┤"
		case i == rows-1 && bottom != "":
			mark, tick = bottom, "┤"
		}
		text := strings.TrimRight(strings.Map(braille, string(line)), " ")
		fmt.Fprintf(&b, "%*s %s%s\n", side, mark, tick, text)
	}
	fmt.Fprintf(&b, "%*s └%s\n", side, "", strings.Repeat("─", columns))
	first, last := strconv.Itoa(p.From), strconv.Itoa(p.From+p.N-1)
	fmt.Fprintf(&b, "%*s  %s%*s\n", side, "", first, columns-len(first), last)
	return b.String()
}

// braille returns the character for a cell's dots, a blank for none.
func braille(r rune) rune {
	if r == 0 {
		return ' '
	}
	return firstBraille + r
}

// Size of a plot as a picture, and of its margins, in pixels.
const (
	plotWidth, plotHeight     = 800, 400
	marginTop, marginBottom   = 28, 28
	marginLeft, marginRight   = 90, 16
	fontHeight, fontBase, gap = 13, 11, 6
	ticks                     = 4 // divisions of the axis
)

// inks are the colours of curves, those of Okabe and Ito, which are distinguishable for colour-blind readers.
var inks = [...]color.NRGBA{{0, 114, 178, 255}, {213, 94, 0, 255}, {0, 158, 115, 255}, {204, 121, 167, 255}, {230, 159, 0, 255}, {86, 180, 233, 255}}

// Image returns the plot as a picture.
func (p *Plot) Image() image.Image {
	p.measure()
	img := image.NewNRGBA(image.Rect(0, 0, plotWidth, plotHeight))
	draw.Draw(img, img.Rect, image.White, image.Point{}, draw.Src)
	area := image.Rect(marginLeft, marginTop, plotWidth-marginRight, plotHeight-marginBottom)
	p.axes(img, area)
	if p.none {
		write(img, area.Min.X+gap, area.Min.Y+area.Dy()/2, "nothing to plot", color.Black)
		return img
	}
	for k, at := range p.Curves {
		ink := inks[k%len(inks)]
		for c, s := range p.spans(at, area.Dx()) {
			from, to := s.cells(area.Dy())
			for y := from; y <= to; y++ {
				img.SetNRGBA(area.Min.X+c, area.Min.Y+y, ink)
			}
		}
		if len(p.Curves) > 1 {
			write(img, area.Max.X-gap-3*fontHeight*(len(p.Curves)-k), marginTop-fontHeight+fontBase-gap, fmt.Sprintf("[%d]", k), ink)
		}
	}
	return img
}

// axes draws title, frame and labels.
func (p *Plot) axes(img *image.NRGBA, area image.Rectangle) {
	black, pale := color.NRGBA{A: 255}, color.NRGBA{221, 221, 221, 255}
	write(img, area.Min.X, marginTop-fontHeight+fontBase-gap, p.heading(), black)
	for i := 0; i <= ticks && !p.none; i++ {
		y := area.Max.Y - 1 - i*(area.Dy()-1)/ticks
		if t := float64(i) / ticks; p.lo != p.hi || i == ticks/2 {
			text := label(float64(p.lo*(1-t)) + float64(p.hi*t))
			write(img, area.Min.X-gap-basicfont.Face7x13.Advance*len(text), y+fontBase/2, text, black)
		}
		for x := area.Min.X; x < area.Max.X; x++ {
			img.SetNRGBA(x, y, pale)
		}
	}
	for x := area.Min.X - 1; x < area.Max.X; x++ {
		img.SetNRGBA(x, area.Max.Y, black)
	}
	for y := area.Min.Y; y < area.Max.Y; y++ {
		img.SetNRGBA(area.Min.X-1, y, black)
	}
	if p.N > 0 {
		last := strconv.Itoa(p.From + p.N - 1)
		write(img, area.Min.X, area.Max.Y+gap+fontBase, strconv.Itoa(p.From), black)
		write(img, area.Max.X-basicfont.Face7x13.Advance*len(last), area.Max.Y+gap+fontBase, last, black)
	}
}

// write draws a text into a picture; x, y is its lower left.
func write(img draw.Image, x, y int, text string, c color.Color) {
	d := font.Drawer{Dst: img, Src: image.NewUniform(c), Face: basicfont.Face7x13, Dot: fixed.P(x, y)}
	d.DrawString(text)
}
