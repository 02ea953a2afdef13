package template

import (
	"maps"
	"slices"

	"github.com/heddle-gpu/heddle/exec/portable"
	"github.com/heddle-gpu/heddle/ir"
)

// A branch on the lanes that run sends those at hand past blocks which the wave goes through if it has others that run. They must not be able to tell: at
// the place where they wait for the others, whatever somebody may still read must be the same on both ways. This is found out by running the
// blocks on both with no lane, on masks that are functions of what cells of lanes are at the branch.

// A ghost is a mask as a function of cells: bit i of the table is what it is where the cells are the bits of i.
type ghost struct {
	table uint64
	known bool
}

var noLane, eachLane = ghost{0, true}, ghost{^uint64(0), true}

// cellTables are the tables of the cells themselves: as many as a table has room for.
var cellTables = [...]uint64{0xaaaaaaaaaaaaaaaa, 0xcccccccccccccccc, 0xf0f0f0f0f0f0f0f0, 0xff00ff00ff00ff00, 0xffff0000ffff0000, 0xffffffff00000000}

func (g ghost) not() ghost {
	g.table = ^g.table
	return g
}

func (g ghost) and(o ghost) ghost {
	switch {
	case g == noLane || o == noLane:
		return noLane
	case !g.known || !o.known:
		return ghost{}
	}
	return ghost{g.table & o.table, true}
}

func (g ghost) or(o ghost) ghost { return g.not().and(o.not()).not() }

// A shade is what is known of a wave without lanes at some place.
type shade struct {
	cells map[int32]ghost
	words map[int32]bool // registers of the wave that have been written
}

func (s shade) clone() shade { return shade{maps.Clone(s.cells), maps.Clone(s.words)} }

// sound reports whether branches on lanes do what they should, and finds what holds.
func (r *region) sound() bool {
	if !r.apart {
		return true
	}
	if r.rounds() > 1 {
		return false // turns are counted one by one
	}
	start, ok := r.shadeless()
	if !ok {
		return false
	}
	r.holds = true
	for _, x := range r.blocks {
		if x.on != inExec {
			continue
		}
		some, none := x.ways[0], x.ways[1]
		if x.none {
			some, none = none, some
		}
		w := &walk{r: r, start: start, begin: some, to: none}
		if some < 0 || !w.from(some, start) || len(w.ends) > 0 && !w.meets(x) {
			return false
		}
	}
	return true
}

// shadeless is what is known at a branch: no lane runs. Not OK: there are too many cells.
func (r *region) shadeless() (s shade, ok bool) {
	var cells []int32
	for _, x := range r.blocks {
		for i := range x.b.Steps {
			for _, p := range append(slices.Clone(x.b.Steps[i].Args), x.b.Steps[i].Res...) {
				if p.Kind == inCell && p != inExec && !slices.Contains(cells, p.At) {
					cells = append(cells, p.At)
				}
			}
		}
	}
	if len(cells) > len(cellTables) {
		return s, false
	}
	s = shade{map[int32]ghost{execCell: noLane}, map[int32]bool{}}
	for i, at := range cells {
		s.cells[at] = ghost{cellTables[i], true}
	}
	return s, true
}

// rounds is how many blocks control comes back to.
func (r *region) rounds() (n int) {
	const open, done = 1, 2
	state := make([]int, len(r.blocks))
	heads := map[int]bool{}
	var visit func(i int)
	visit = func(i int) {
		state[i] = open
		for _, to := range r.blocks[i].ways {
			switch {
			case to < 0 || state[to] == done:
			case state[to] == open:
				heads[to] = true
			default:
				visit(to)
			}
		}
		state[i] = done
	}
	visit(0)
	return len(heads)
}

// A walk goes from a branch through the loop: to the end of the turn if lanes at hand are still in the loop then, else until it comes by the
// branch again.
type walk struct {
	r     *region
	start shade
	begin int // the first block
	to    int // where lanes at hand are
	ends  []walkEnd
	// passed are the blocks that it goes through, if somebody asks.
	passed map[int]bool
	head   *shade // where the walk has come by the head; nil: it has not
	steps  int
}

// A walkEnd is the end of a turn, behind a block.
type walkEnd struct {
	shade
	block *regionBlock
}

// longestWalk bounds the blocks of a walk, on all ways.
const longestWalk = 100

// from goes on from a block. False: something happens that lanes could tell.
func (w *walk) from(i int, begin shade) bool {
	if w.steps++; w.steps > longestWalk {
		return false
	}
	x := w.r.blocks[i]
	if w.passed != nil {
		w.passed[i] = true
	}
	end, ok := x.shadeBehind(begin)
	if !ok {
		return false
	}
	ended := false
	for k, next := range x.ways {
		switch {
		case k > 0 && next == x.ways[0]:
		case next == w.to:
			ok = w.r.same(end, w.start, next)
		case w.to >= 0 && next <= 0:
			ended = true
		case next < 0: // the wave leaves by another exit: that is found out when it happens
		case w.to < 0 && next == w.begin: // one turn more must be the same as none
			ok = w.r.same(end, w.start, next)
		case next == 0 && w.head != nil:
			ok = w.r.same(end, *w.head, 0)
		default:
			ok = w.on(next, end)
		}
		if !ok {
			return false
		}
	}
	if ended {
		w.ends = append(w.ends, walkEnd{end, x})
	}
	return true
}

// on goes on with a block.
func (w *walk) on(next int, end shade) bool {
	if next == 0 {
		w.r.holds = w.r.holds && w.r.same(end, w.start, 0)
		w.head = &end
		defer func() { w.head = nil }()
	}
	return w.from(next, end)
}

// meets reports whether lanes at hand come to the ends of the walk by themselves, as it does, and nobody comes to the blocks on their way otherwise
// than from the branch.
func (w *walk) meets(branch *regionBlock) bool {
	own := &walk{r: w.r, start: w.start, to: len(w.r.blocks), passed: map[int]bool{}}
	if !own.from(w.to, w.start) {
		return false
	}
	for i, x := range w.r.blocks {
		if x != branch && !own.passed[i] && (own.passed[x.ways[0]] || own.passed[x.ways[1]]) {
			return false
		}
	}
	for i := range own.passed {
		x := w.r.blocks[i]
		if x.unless != 0 || w.begin == 0 {
			return false
		}
		x.unless = w.begin
	}
	first := &own.ends[0]
	for _, e := range append(own.ends, w.ends...) {
		if e.block.ways != first.block.ways || e.block.on != first.block.on || e.block.none != first.block.none {
			return false
		}
		for _, next := range e.block.ways {
			if next > 0 || !w.r.same(e.shade, first.shade, next) {
				return false
			}
		}
	}
	return true
}

// same reports whether nobody can tell two shades apart at a place.
func (r *region) same(s, o shade, at int) bool {
	for cell, g := range s.cells {
		if g == o.cells[cell] && g.known {
			continue
		}
		n, live := (cell-1)/2, true
		switch {
		case cell == execCell:
		case cell%2 == 1:
			live = r.l.Live(at, portable.GetWord, n) || r.l.Live(at, portable.GetWord, n+1)
		default:
			live = r.l.Live(at, portable.GetMask, (cell-2)/2)
		}
		if live {
			return false
		}
	}
	for _, words := range []map[int32]bool{s.words, o.words} {
		for n := range words {
			if r.l.Live(at, portable.GetWord, n) {
				return false
			}
		}
	}
	return true
}

// still reports whether lanes that do not run stay as they are, if the region writes no cells.
func (r *region) still() bool {
	start, ok := r.shadeless()
	return ok && !slices.ContainsFunc(r.blocks, func(x *regionBlock) bool {
		_, idle := x.shadeBehind(start)
		return !idle
	})
}

// shadeBehind is what is known behind a block. Not OK: it does something to lanes, or for them.
func (x *regionBlock) shadeBehind(begin shade) (end shade, ok bool) {
	end = begin.clone()
	values := map[portable.Place]ghost{}
	of := func(p portable.Place) ghost {
		switch p.Kind {
		case inCell:
			return end.cells[p.At]
		case portable.InMask, portable.InWord:
			if n, known := x.b.Consts[p.At]; known {
				return constGhost(n, p.Kind)
			}
		}
		return values[p]
	}
	for k := range x.b.Steps {
		s := &x.b.Steps[k]
		var g ghost
		switch {
		case s.Kind == getLanes || s.Kind == setLanes:
			g = of(s.Args[0])
		case s.Kind == portable.Compute && s.Type == ir.I1 && !s.Wave:
			g = logicGhost(s, of)
		case s.Kind == portable.SetWord:
			end.words[s.Cell] = true
		case s.Kind == portable.SetRow && s.Mask.Kind == 0: // a load without a mask is one for the wave
			return end, false
		case s.Mask.Kind != 0 && (s.Kind == portable.SetRow || s.Kind == portable.MemoryAccess) && of(s.Mask) != noLane:
			return end, false
		}
		for _, p := range s.Res {
			switch {
			case p.Kind == inCell:
				end.cells[p.At] = g
			case p.Kind == portable.InMask:
				values[p] = g
			case p.Kind == portable.InRow && p.At >= 0 && s.Kind != portable.SetRow:
				return end, false
			}
		}
	}
	return end, true
}

func constGhost(n uint64, kind portable.Kind) ghost {
	switch {
	case n == 0, kind == portable.InWord && n&1 == 0:
		return noLane
	case n == ^uint64(0), kind == portable.InWord:
		return eachLane
	}
	return ghost{}
}

// logicGhost is what an op on masks gives.
func logicGhost(s *portable.Step, of func(portable.Place) ghost) ghost {
	var v [3]ghost
	for i, p := range s.Args {
		v[i] = of(p)
	}
	switch s.Op {
	case ir.Not:
		return v[0].not()
	case ir.And:
		return v[0].and(v[1])
	case ir.Or:
		return v[0].or(v[1])
	case ir.Xor:
		return ghost{v[0].table ^ v[1].table, v[0].known && v[1].known}
	case ir.Select:
		return v[0].and(v[1]).or(v[0].not().and(v[2]))
	}
	return ghost{}
}
