package flowchart

import (
	"bufio"
	"encoding/xml"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/heddle-gpu/heddle/lint"
)

// SVG writes the chart as a picture, with functions one below the other.
func SVG(w io.Writer, c *Chart) error {
	var placed []*layout
	wide, high := 560.0, 60.0
	for i := range c.Functions {
		l, err := place(&c.Functions[i])
		if err != nil {
			return fmt.Errorf("%s: %w", c.Functions[i].Name, err)
		}
		placed = append(placed, l)
		wide, high = max(wide, l.wide), high+l.high+30
	}
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" viewBox=\"0 0 %.0f %.0f\" font-size=\"11\">\n", wide, high, wide, high)
	fmt.Fprintf(b, "<title>%s</title>\n<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n<defs>\n", text(c.Title))
	for k := range pens {
		fmt.Fprintf(b, "<marker id=\"tip%d\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"7\" markerHeight=\"7\" orient=\"auto\"><path d=\"M0,0 L8,4 L0,8 z\" fill=\"%s\"/></marker>\n", k, pens[k].color)
	}
	b.WriteString("</defs>\n<g font-family=\"sans-serif\">\n")
	for i := range pens {
		k, x := lint.EdgeKind(i), 20+108*i
		fmt.Fprintf(b, "<path d=\"M%d,20 h24\" fill=\"none\" %s/><text x=\"%d\" y=\"24\">%s</text>\n", x, stroke(k), x+30, k)
	}
	b.WriteString("</g>\n")
	y := 50.0
	for _, l := range placed {
		fmt.Fprintf(b, "<g transform=\"translate(0,%.1f)\">\n<text x=\"%.0f\" y=\"20\" font-family=\"sans-serif\" font-size=\"14\" font-weight=\"bold\">%s</text>\n", y, gapX, text(l.f.Name))
		l.draw(b)
		b.WriteString("</g>\n")
		y += l.high + 30
	}
	b.WriteString("</svg>\n")
	return b.Flush()
}

func stroke(k lint.EdgeKind) string {
	p := &pens[k]
	dash := map[string]string{"dashed": " stroke-dasharray=\"6,3\"", "dotted": " stroke-dasharray=\"2,3\""}[p.style]
	return fmt.Sprintf("stroke=\"%s\" stroke-width=\"1.4\"%s marker-end=\"url(#tip%d)\"", p.color, dash, k)
}

// text escapes a text of the picture.
func text(s string) string {
	var b strings.Builder
	xml.EscapeText(&b, []byte(s)) // a Builder gives no error
	return b.String()
}

// textLines returns the lines of a box after its label.
func textLines(b *Box) (lines []string) {
	for _, t := range b.Text {
		lines = append(lines, strings.Split(t, "\n")...)
	}
	return lines
}

// draw writes boxes and edges of a function.
func (l *layout) draw(b *bufio.Writer) {
	for i := range l.routes {
		l.drawRoute(b, &l.routes[i])
	}
	for i := range l.f.Lines {
		if x := &l.f.Lines[i]; x.From == x.To {
			s := &l.spots[x.From]
			right, y := s.x+s.w/2, l.tops[s.layer]+s.h
			fmt.Fprintf(b, "<path d=\"M%.1f,%.1f h14 V%.1f h-14\" fill=\"none\" data-from=\"%s\" data-to=\"%s\" data-kind=\"%s\" %s/>\n",
				right, y-10, y-s.h+10, l.f.Boxes[x.From].ID, l.f.Boxes[x.To].ID, x.Kind, stroke(x.Kind))
		}
	}
	for i := range l.spots {
		if l.spots[i].box >= 0 {
			l.drawBox(b, &l.spots[i])
		}
	}
}

func (l *layout) drawBox(b *bufio.Writer, s *spot) {
	box := &l.f.Boxes[s.box]
	x, y := s.x-s.w/2, l.tops[s.layer]
	style := "fill=\"#f6f8fa\" stroke=\"#57606a\""
	switch {
	case box.Aside:
		style = "fill=\"white\" stroke=\"#57606a\" stroke-dasharray=\"4,3\""
	case box.Entry:
		style = "fill=\"#ddf4ff\" stroke=\"#0969da\" stroke-width=\"2\""
	}
	fmt.Fprintf(b, "<g id=\"%s\" font-family=\"monospace\"><rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" rx=\"3\" %s/>\n", box.ID, x, y, s.w, s.h, style)
	fmt.Fprintf(b, "<text x=\"%.1f\" y=\"%.1f\" font-weight=\"bold\">%s</text>\n", x+margin, y+margin+10, text(box.Head))
	for i, line := range textLines(box) {
		fmt.Fprintf(b, "<text x=\"%.1f\" y=\"%.1f\" xml:space=\"preserve\">%s</text>\n", x+margin, y+margin+10+float64(i+1)*lineHigh, text(line))
	}
	b.WriteString("</g>\n")
}

// drawRoute writes an edge: down from the lower side of one box to the upper side of another, or in reverse.
func (l *layout) drawRoute(b *bufio.Writer, r *route) {
	x := &l.f.Lines[r.line]
	var path []string
	last := len(r.turns) - 1
	for k, i := range r.turns {
		s := &l.spots[i]
		top := l.tops[s.layer]
		bottom := top + l.deep[s.layer]
		px := s.x
		switch k {
		case 0:
			px, top = s.x+l.slot(s, s.down, r.turns[1]), top+s.h
		case last:
			px = s.x + l.slot(s, s.up, r.turns[last-1])
			bottom = top
		}
		path = append(path, fmt.Sprintf("%.1f,%.1f", px, top))
		if bottom != top {
			path = append(path, fmt.Sprintf("%.1f,%.1f", px, bottom))
		}
	}
	if r.back {
		slices.Reverse(path)
	}
	fmt.Fprintf(b, "<path d=\"M%s\" fill=\"none\" data-from=\"%s\" data-to=\"%s\" data-kind=\"%s\" %s><title>%s</title></path>\n", strings.Join(path, " L"),
		l.f.Boxes[x.From].ID, l.f.Boxes[x.To].ID, x.Kind, stroke(x.Kind), x.Kind)
	s := &l.spots[x.From]
	px, py := l.slot(s, s.down, r.turns[1]), l.tops[s.layer]+s.h+10
	if r.back { // it starts at the upper side
		px, py = l.slot(s, s.up, r.turns[last-1]), l.tops[s.layer]-4
	}
	fmt.Fprintf(b, "<text x=\"%.1f\" y=\"%.1f\" font-family=\"sans-serif\" font-size=\"9\" fill=\"%s\">%s</text>\n", s.x+px+3, py, pens[x.Kind].color, x.Kind)
}

// slot returns where on a side of a box the edge to a neighbour is attached, relative to the centre.
func (l *layout) slot(s *spot, near []int, to int) float64 {
	if len(near) < 2 {
		return 0
	}
	k := 0
	for _, i := range near {
		if l.spots[i].x < l.spots[to].x || l.spots[i].x == l.spots[to].x && i < to {
			k++
		}
	}
	return s.w * 0.6 * (float64(k)/float64(len(near)-1) - 0.5)
}
