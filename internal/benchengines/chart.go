package main

import (
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"maps"
	"math"
	"slices"
	"strings"
)

// The chart: a row for each group of kernels and each other workload, a bar with a number for each engine. Bars start
// at the reference's speed, each decade has a line. There is room to the left for half the reference's speed.
const (
	chartLabel = 190 // pixels to the left of the bars
	chartWidth = 560 // of the bars
	barHeight  = 10
	rowGap     = 8
	chartHead  = 58
	chartSlow  = 60
)

var barColors = []color.NRGBA{
	{0x9a, 0x9a, 0x9a, 0xff}, {0x2f, 0x6f, 0xb5, 0xff}, {0x2c, 0x9a, 0x6a, 0xff}, {0xd0, 0x8a, 0x1e, 0xff},
}

var (
	ink       = color.NRGBA{0x20, 0x20, 0x20, 0xff}
	faint     = color.NRGBA{0xdd, 0xdd, 0xdd, 0xff}
	nativeInk = color.NRGBA{0x60, 0x30, 0x90, 0xff}
)

// A line is a row of the chart: how many times the reference's speed engines, and native code, reach.
type line struct {
	label string
	times map[string]float64
}

// lines returns the rows of the chart: of kernels the means of each group.
func (r *report) lines() (list []*line) {
	for _, g := range r.groups() {
		if g != programsAre && g != scenesAre {
			l := &line{"kernels " + g, map[string]float64{}}
			for e, m := range r.Groups[g] {
				l.times[e] = m.Reference
			}
			list = append(list, l)
			continue
		}
		for i := range r.Figures {
			if f := &r.Figures[i]; f.Group == g {
				l := &line{f.Set + " " + f.Name, map[string]float64{}}
				for e, m := range f.Engines {
					l.times[e] = m.Reference
				}
				list = append(list, l)
			}
		}
	}
	return list
}

// chart draws the figures as PNG.
func (r *report) chart(w io.Writer) error {
	lines, row := r.lines(), len(r.Engines)*barHeight+rowGap
	c := &canvas{image.NewNRGBA(image.Rect(0, 0, chartLabel+chartWidth+20, chartHead+len(lines)*row+20))}
	c.fill(c.Bounds(), color.NRGBA{0xff, 0xff, 0xff, 0xff})
	top := 1.0
	for _, l := range lines {
		top = max(top, slices.Max(slices.Collect(maps.Values(l.times))))
	}
	decades := math.Max(1, math.Ceil(math.Log10(top)))
	x := func(times float64) int {
		return chartLabel + 10 + chartSlow + int(math.Log10(math.Max(times, 0.5))/decades*(chartWidth-60-chartSlow))
	}
	for d := 0.0; d <= decades; d++ {
		at := x(math.Pow(10, d))
		c.fill(image.Rect(at, chartHead-4, at+1, c.Bounds().Dy()-14), faint)
		c.text(at-4, chartHead-14, fmt.Sprintf("%gx", math.Pow(10, d)), ink)
	}
	r.legend(c)
	for i, l := range lines {
		y := chartHead + i*row
		c.text(8, y+(row-rowGap)/2-3, l.label, ink)
		if n := l.times[natively]; n > 0 {
			c.fill(image.Rect(x(n)-1, y-2, x(n)+2, y+row-rowGap+1), nativeInk)
		}
		for k, name := range r.Engines {
			at := x(l.times[name])
			c.bar(x(1), at, y+k*barHeight, k)
			c.text(max(at, x(1))+6, y+k*barHeight, fmt.Sprintf("%.1f", l.times[name]), ink)
		}
	}
	return png.Encode(w, c)
}

// legend draws the legend of the colours, and returns its lower edge.
func (r *report) legend(c *canvas) (end int) {
	c.text(8, 8, "times the reference's speed", ink)
	at := 8
	for k, name := range append(slices.Clone(r.Engines), natively) {
		colour := nativeInk
		if k < len(r.Engines) {
			colour = barColors[k%len(barColors)]
		}
		c.fill(image.Rect(at, 26, at+10, 33), colour)
		c.text(at+14, 26, name, ink)
		end = at + 14 + letterWidth*len(name)
		at = end + 10
	}
	return end
}

// A canvas is a picture with bars and small letters.
type canvas struct{ *image.NRGBA }

func (c *canvas) fill(r image.Rectangle, to color.NRGBA) {
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			c.SetNRGBA(x, y, to)
		}
	}
}

// bar draws the bar of engine k between two positions.
func (c *canvas) bar(from, to, y, k int) {
	c.fill(image.Rect(min(from, to)-1, y, max(from, to)+1, y+barHeight-1), barColors[k%len(barColors)])
}

// Letters are three by five dots, each one and a half times as high as wide: rows from the top, three bits each.
const letters = "abcdefghijklmnopqrstuvwxyz0123456789.-_()'%"

var dots = [len(letters)]uint16{
	0o25755, 0o65656, 0o34443, 0o65556, 0o74647, 0o74644, 0o34553, 0o55755, 0o72227, 0o11152, 0o55655, 0o44447, 0o57755, 0o65555, 0o25552, 0o65644, 0o25573, 0o65655,
	0o34216, 0o72222, 0o55557, 0o55552, 0o55775, 0o55255, 0o55222, 0o71247, 0o75557, 0o26227, 0o61247, 0o61216, 0o55711, 0o74616, 0o34757, 0o71222, 0o75757, 0o75716,
	0o00002, 0o00700, 0o00007, 0o24442, 0o21112, 0o22000, 0o51245,
}

// letterWidth is the distance between letters, in pixels.
const letterWidth = 7

// text draws a text; x, y is its top left corner. Capitals are drawn as small letters; characters without a letter as
// blanks.
func (c *canvas) text(x, y int, s string, to color.NRGBA) {
	for _, r := range strings.ToLower(s) {
		if i := strings.IndexRune(letters, r); i >= 0 {
			for row := range 5 {
				for col := range 3 {
					if dots[i]>>(3*(4-row)+2-col)&1 != 0 {
						c.fill(image.Rect(x+2*col, y+2*row-row/2, x+2*col+2, y+2*(row+1)-(row+1)/2), to)
					}
				}
			}
		}
		x += letterWidth
	}
}
