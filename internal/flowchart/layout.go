package flowchart

import (
	"cmp"
	"errors"
	"math"
	"slices"
)

// Boxes are laid out in layers, after K. Sugiyama, S. Tagawa and M. Toda, Methods for visual understanding of
// hierarchical system structures (1981): back edges are reversed, every box is placed below its predecessors, the boxes
// of a layer are sorted to reduce crossings, and then moved near their neighbours.

// A spot is a box of the layout, or a bend of an edge that crosses its layer.
type spot struct {
	box        int // -1 for a bend
	layer      int
	x, w, h    float64 // x is the centre
	up, down   []int
	rank, pull float64
}

// A route is an edge and the spots that it passes, from the upper box to the lower.
type route struct {
	line  int
	turns []int
	back  bool // the edge leads up
}

// A layout is the positions of everything in one function.
type layout struct {
	f      *Function
	spots  []spot
	layers [][]int
	routes []route
	tops   []float64 // y of layers
	deep   []float64 // their heights
	wide   float64
	high   float64
}

// Sizes in pixels.
const (
	letter   = 6.7 // width of a character, in text of 11 pixels
	lineHigh = 14.0
	margin   = 8.0
	gapX     = 26.0
	gapY     = 46.0
)

// errLarge is the error for a chart that would be unreadable.
var errLarge = errors.New("too many blocks for a picture")

// mostSpots limits the boxes and bends of a function.
const mostSpots = 20000

// place computes the layout of a function.
func place(f *Function) (*layout, error) {
	l := &layout{f: f}
	for i := range f.Boxes {
		b := &f.Boxes[i]
		n, lines := len([]rune(b.Head))+1, 1
		for _, t := range textLines(b) {
			n = max(n, len([]rune(t)))
			lines++
		}
		l.spots = append(l.spots, spot{box: i, w: float64(n)*letter + 2*margin, h: float64(lines)*lineHigh + 2*margin})
	}
	if len(l.spots) > mostSpots {
		return nil, errLarge
	}
	back := l.turned()
	l.rank(back)
	if err := l.bend(back); err != nil {
		return nil, err
	}
	l.order()
	l.spread()
	return l, nil
}

// turned finds the back edges of a depth-first search.
func (l *layout) turned() []bool {
	out := make([][]int, len(l.f.Boxes))
	for i, x := range l.f.Lines {
		out[x.From] = append(out[x.From], i)
	}
	back := make([]bool, len(l.f.Lines))
	state := make([]uint8, len(l.f.Boxes)) // 1: on the current path, 2: done
	type frame struct{ box, next int }
	for first := range l.f.Boxes {
		if state[first] != 0 {
			continue
		}
		state[first] = 1
		for way := []frame{{first, 0}}; len(way) > 0; {
			top := &way[len(way)-1]
			if top.next == len(out[top.box]) {
				state[top.box] = 2
				way = way[:len(way)-1]
				continue
			}
			i := out[top.box][top.next]
			top.next++
			switch to := l.f.Lines[i].To; state[to] {
			case 0:
				state[to] = 1
				way = append(way, frame{to, 0})
			case 1:
				back[i] = true
			}
		}
	}
	return back
}

// ends returns the upper and the lower box of an edge.
func (l *layout) ends(i int, back []bool) (up, down int) {
	x := &l.f.Lines[i]
	if back[i] {
		return x.To, x.From
	}
	return x.From, x.To
}

// rank assigns each box to a layer below its predecessors.
func (l *layout) rank(back []bool) {
	out, in := make([][]int, len(l.spots)), make([]int, len(l.spots))
	for i, x := range l.f.Lines {
		if x.From != x.To {
			up, down := l.ends(i, back)
			out[up] = append(out[up], down)
			in[down]++
		}
	}
	var todo []int
	for i := range l.spots {
		if in[i] == 0 {
			todo = append(todo, i)
		}
	}
	for k := 0; k < len(todo); k++ {
		for _, to := range out[todo[k]] {
			l.spots[to].layer = max(l.spots[to].layer, l.spots[todo[k]].layer+1)
			if in[to]--; in[to] == 0 {
				todo = append(todo, to)
			}
		}
	}
}

// bend adds a spot for edges in every layer that they cross.
func (l *layout) bend(back []bool) error {
	for i, x := range l.f.Lines {
		if x.From == x.To {
			continue
		}
		up, down := l.ends(i, back)
		r := route{line: i, turns: []int{up}, back: back[i]}
		for k := l.spots[up].layer + 1; k < l.spots[down].layer; k++ {
			r.turns = append(r.turns, len(l.spots))
			l.spots = append(l.spots, spot{box: -1, layer: k, w: 4})
		}
		if len(l.spots) > mostSpots {
			return errLarge
		}
		r.turns = append(r.turns, down)
		for k := 1; k < len(r.turns); k++ {
			a, b := r.turns[k-1], r.turns[k]
			l.spots[a].down, l.spots[b].up = append(l.spots[a].down, b), append(l.spots[b].up, a)
		}
		l.routes = append(l.routes, r)
	}
	for i := range l.spots {
		for len(l.layers) <= l.spots[i].layer {
			l.layers = append(l.layers, nil)
		}
		l.layers[l.spots[i].layer] = append(l.layers[l.spots[i].layer], i)
	}
	return nil
}

const sweeps = 8

// order sorts the spots of each layer by their neighbours above and below, alternately.
func (l *layout) order() {
	number := func(layer []int) {
		for k, i := range layer {
			l.spots[i].rank = float64(k)
		}
	}
	for _, layer := range l.layers {
		number(layer)
	}
	l.sweep(func(layer []int, up bool) {
		for _, i := range layer {
			s := &l.spots[i]
			s.pull = middle(l.spots, s.near(up), func(x *spot) float64 { return x.rank }, s.rank)
		}
		slices.SortStableFunc(layer, func(a, b int) int { return cmp.Compare(l.spots[a].pull, l.spots[b].pull) })
		number(layer)
	})
}

// sweep goes down the layers, using neighbours above, and up again, using those below.
func (l *layout) sweep(f func(layer []int, up bool)) {
	for n := range sweeps {
		for k := range l.layers {
			if n%2 == 0 {
				f(l.layers[k], true)
			} else {
				f(l.layers[len(l.layers)-1-k], false)
			}
		}
	}
}

// near returns the neighbours above or below.
func (s *spot) near(up bool) []int {
	if up {
		return s.up
	}
	return s.down
}

// middle returns the mean of a coordinate of the neighbours.
func middle(spots []spot, near []int, of func(*spot) float64, none float64) float64 {
	if len(near) == 0 {
		return none
	}
	sum := 0.0
	for _, i := range near {
		sum += of(&spots[i])
	}
	return sum / float64(len(near))
}

// spread computes the positions of boxes and bends.
func (l *layout) spread() {
	for _, layer := range l.layers {
		x := 0.0
		for _, i := range layer {
			s := &l.spots[i]
			s.x = x + s.w/2
			x += s.w + gapX
		}
	}
	l.sweep(l.settle)
	left, right := math.Inf(1), math.Inf(-1)
	for i := range l.spots {
		s := &l.spots[i]
		left, right = min(left, s.x-s.w/2), max(right, s.x+s.w/2)
	}
	for i := range l.spots {
		l.spots[i].x += gapX - left
	}
	l.wide = right - left + 3*gapX // room for edges from a box to itself
	y := gapY
	for _, layer := range l.layers {
		l.tops = append(l.tops, y)
		h := 0.0
		for _, i := range layer {
			h = max(h, l.spots[i].h)
		}
		l.deep = append(l.deep, h)
		y += h + gapY
	}
	l.high = y
}

// settle moves the spots of a layer to the positions of their neighbours without overlap. Spots are pushed to the
// right; then all are moved back by half of the average push.
func (l *layout) settle(layer []int, up bool) {
	end, moved := math.Inf(-1), 0.0
	for _, i := range layer {
		s := &l.spots[i]
		want := middle(l.spots, s.near(up), func(x *spot) float64 { return x.x }, s.x)
		s.x = max(want, end+gapX+s.w/2)
		moved += s.x - want
		end = s.x + s.w/2
	}
	for _, i := range layer {
		l.spots[i].x -= moved / float64(len(layer)) / 2
	}
}
