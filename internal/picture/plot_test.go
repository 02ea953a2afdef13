package picture

import (
	"image"
	"image/color"
	"math"
	"strings"
	"testing"
)

func plotOf(values ...float64) *Plot {
	return &Plot{Title: "t", N: len(values), Curves: []func(int) float64{func(i int) float64 { return values[i] }}}
}

// dotsOf returns the dots of a plot as text: four rows per line of characters, x for a dot.
func dotsOf(t *testing.T, text string, side int) (rows []string) {
	t.Helper()
	for _, line := range strings.Split(text, "\n")[1:] {
		cells := []rune(line)
		if len(cells) <= side || cells[side] != '│' && cells[side] != '┤' {
			continue
		}
		var four [4]string
		for _, r := range cells[side+1:] {
			bits := rune(0)
			if r != ' ' {
				if bits = r - 0x2800; bits <= 0 || bits > 255 {
					t.Fatalf("%q is no character of Braille", r)
				}
			}
			for y := range four {
				for x := range 2 {
					bit := rune(1) << (3*x + y) // numbering of the Unicode standard
					if y == 3 {
						bit = 1 << (6 + x)
					}
					four[y] += map[bool]string{true: "x", false: "."}[bits&bit != 0]
				}
			}
		}
		for _, s := range four {
			rows = append(rows, strings.TrimRight(s, "."))
		}
	}
	return rows
}

// TestPlotLine: the plot of a straight line is a diagonal from the lower left to the upper right.
func TestPlotLine(t *testing.T) {
	text := plotOf(0, 1, 2, 3, 4, 5, 6, 7).Text(3+8, 4) // 16 dots by 16
	lines := strings.Split(text, "\n")
	if lines[0] != "t" || !strings.HasPrefix(lines[1], "7 ┤") || !strings.HasPrefix(lines[4], "0 ┤") || lines[5] != "  └────────" || lines[6] != "   0      7" {
		t.Errorf("%s", text)
	}
	rows := dotsOf(t, text, 2)
	for y, row := range rows {
		at := 15 - y
		if len(row) < at || row[at] != 'x' || strings.Contains(row[:max(at-1, 0)], "x") || len(row) > at+2 {
			t.Errorf("row %d: %s\n%s", y, row, text)
		}
	}
	if len(rows) != 16 {
		t.Errorf("%d rows", len(rows))
	}
}

// TestPlotPeaks: peaks narrower than a dot are visible.
func TestPlotPeaks(t *testing.T) {
	values := make([]float64, 100_000)
	values[50_000] = 1
	rows := dotsOf(t, plotOf(values...).Text(3+8, 2), 2)
	for y, row := range rows[:len(rows)-1] {
		if n := strings.Count(row, "x"); n != 1 && !strings.HasSuffix(row, "xx") || n > 2 {
			t.Errorf("row %d: %s", y, row)
		}
	}
	if rows[len(rows)-1] != strings.Repeat("x", 16) {
		t.Errorf("%q", rows)
	}
}

func TestPlotGaps(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	text := plotOf(0, 0, nan, nan, nan, nan, inf, 1, 1).Text(3+8, 1)
	if !strings.HasPrefix(text, "t, 5 not finite left out\n") {
		t.Error(text)
	}
	rows := dotsOf(t, text, 2)
	if strings.Trim(rows[3], "x") != "" || len(rows[3]) > 3 || !strings.HasSuffix(rows[0], "xx") || len(strings.TrimLeft(rows[0], ".")) > 3 || rows[1]+rows[2] != "" {
		t.Errorf("%q", rows)
	}
	for _, values := range [][]float64{{}, {nan}, {inf, -inf}} {
		if text := plotOf(values...).Text(72, 12); !strings.HasSuffix(text, ": nothing to plot\n") {
			t.Error(text)
		}
		plotOf(values...).Image()
	}
}

// TestPlotFlat: equal values have one label, in the middle; values at the limits of floats are plotted.
func TestPlotFlat(t *testing.T) {
	if text := plotOf(3, 3, 3).Text(20, 4); strings.Count(text, "┤") != 1 || !strings.Contains(text, "3 ┤⠉⠉") {
		t.Error(text)
	}
	big := math.MaxFloat64
	rows := dotsOf(t, plotOf(-big, big).Text(16+4, 2), 14)
	if len(rows) != 8 || !strings.HasPrefix(rows[7], "x") || !strings.Contains(rows[0], "x") {
		t.Errorf("%q", rows)
	}
	if text := plotOf(5).Text(20, 4); !strings.Contains(text, "5 ┤") {
		t.Error(text)
	}
}

// TestPlotImage: a curve runs from corner to corner in its colour, and a second one in another.
func TestPlotImage(t *testing.T) {
	up := func(i int) float64 { return float64(i) }
	down := func(i int) float64 { return float64(99 - i) }
	p := &Plot{Title: "t", N: 100, Curves: []func(int) float64{up, down}}
	img := p.Image()
	if img.Bounds() != image.Rect(0, 0, plotWidth, plotHeight) {
		t.Fatal(img.Bounds())
	}
	left, right, top, bottom := marginLeft, plotWidth-marginRight-1, marginTop, plotHeight-marginBottom-1
	for _, c := range []struct {
		x, y int
		want color.NRGBA
	}{{left, bottom, inks[0]}, {right, top, inks[0]}, {left, top, inks[1]}, {right, bottom, inks[1]}, {0, 0, color.NRGBA{255, 255, 255, 255}}} {
		if got := img.At(c.x, c.y); got != c.want {
			t.Errorf("%d,%d: %v, want %v", c.x, c.y, got, c.want)
		}
	}
	text := 0 // pixels of the label at the top of the axis
	for x := range left - gap {
		for y := top - fontHeight; y < top+fontHeight; y++ {
			if img.At(x, y) == (color.NRGBA{A: 255}) {
				text++
			}
		}
	}
	if text == 0 {
		t.Error("the axis has no label")
	}
}
