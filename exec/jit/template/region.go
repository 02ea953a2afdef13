package template

import (
	"slices"

	"github.com/heddle-gpu/heddle/exec/portable"
	"github.com/heddle-gpu/heddle/ir"
)

// The region engine runs a loop as one for the lanes that a vector has, then for the next ones: registers stay in the host's from turn to turn, branches
// on lane masks are decided for those lanes alone, and lanes that are done cost nothing. All of it must do what the wave would, turn by turn, with all
// lanes together. So steps are made ones on lanes first: masks that stand in registers of the wave, two words side by side, become masks of
// the lanes at hand, and what else is one a wave must not depend on any lane. See zero.go for branches that lanes take at
// different turns. What goes another way than that is undone: the wave is then as it was when it came to the loop, and blocks run as in the segment engine.

// Kinds of steps of regions, besides those of blocks.
const (
	getLanes portable.StepKind = 0x50 + iota // a cell of lanes, to a mask
	setLanes                                 // a mask or condition, to a cell of lanes: the result
)

// inCell is the kind of places that are cells of lanes: masks that last from block to block.
const inCell portable.Kind = 5

// Cells of lanes by their number: the execution mask, pairs of words, lane masks of the state.
const execCell = 0

func pairCell(at int32) portable.Place { return portable.Place{Kind: inCell, At: 1 + 2*at} }
func maskCell(at int32) portable.Place { return portable.Place{Kind: inCell, At: 2 + 2*at} }

var inExec = portable.Place{Kind: inCell, At: execCell}

// A regionBlock is a block of a region.
type regionBlock struct {
	b    *portable.Block // with steps as the region runs them
	ways [2]int
	on   portable.Place // what decides between them: a word, or the lanes that run, if it is one of lanes; Kind 0: nothing
	none bool           // of lanes: the first way is for no lane

	// unless: lanes that do not run come here in turns in which the wave does not, since it goes to that block; 0: they do not.
	unless int

	words []int32 // registers of the wave that it writes
}

// A region is a loop whose steps are on lanes.
type region struct {
	l      *portable.Loop
	blocks []*regionBlock
	lanes  map[int32]bool // pairs of words that are masks, by the first
	apart  bool           // lanes may take different ways
	holds  bool           // lanes that are done are as they were wherever the head begins another turn

	rows  []int32 // registers of the state that it writes
	cells []int32 // cells of lanes likewise
	words []int32 // registers of the wave likewise
}

// newRegion is the region of a loop, nil if it cannot be one.
func newRegion(c *compiler, l *portable.Loop) *region {
	r := &region{l: l, lanes: map[int32]bool{}}
	for again := true; again; {
		again = false
		r.blocks = r.blocks[:0]
		for i := range l.Blocks {
			before := len(r.lanes)
			low := &lowering{r: r, c: c, from: &l.Blocks[i]}
			x, ok := low.block()
			if len(r.lanes) > before { // blocks that have been seen may read or write it as a number
				again = true
				break
			}
			if !ok {
				return nil
			}
			r.blocks = append(r.blocks, x)
		}
	}
	if !r.sound() {
		return nil
	}
	r.survey()
	return r
}

// survey finds what the region writes.
func (r *region) survey() {
	for _, x := range r.blocks {
		r.words = append(r.words, x.words...)
		for i := range x.b.Steps {
			for _, p := range x.b.Steps[i].Res {
				switch {
				case p.Kind == portable.InRow && p.At >= 0 && !slices.Contains(r.rows, p.At):
					r.rows = append(r.rows, p.At)
				case p.Kind == inCell && !slices.Contains(r.cells, p.At):
					r.cells = append(r.cells, p.At)
				}
			}
		}
	}
	slices.Sort(r.words)
	r.words = slices.Compact(r.words)
}

// A lowering makes steps of a block ones on lanes.
type lowering struct {
	r    *region
	c    *compiler
	from *portable.LoopBlock
	to   *regionBlock

	masks   map[int32]portable.Place // by word: the lanes that it is
	halves  map[int32]half           // by word: half of such
	conds   map[int32]cond           // by word: whether there is such a lane
	alias   map[portable.Place]portable.Place
	cells   map[int32]int32                     // by word: the register of a pair of lanes that it is, as read
	set     map[int32]half                      // by pair: the half that has been set
	written map[int32]bool                      // pairs that have been set
	ands    map[portable.Place][]portable.Place // by mask: what it has the lanes of
	equal   []portable.Place
}

// A half is one of the words of a mask.
type half struct {
	mask  portable.Place
	upper bool
}

// A cond is whether a mask has a lane, or has none.
type cond struct {
	mask portable.Place
	none bool
}

// block lowers the block.
func (w *lowering) block() (x *regionBlock, ok bool) {
	from := w.from
	b := *from.Block
	b.Steps = nil
	w.to = &regionBlock{b: &b, ways: from.Ways}
	w.masks, w.halves, w.conds = map[int32]portable.Place{}, map[int32]half{}, map[int32]cond{}
	w.alias, w.cells = map[portable.Place]portable.Place{}, map[int32]int32{}
	w.set, w.written, w.ands = map[int32]half{}, map[int32]bool{}, map[portable.Place][]portable.Place{}
	for i := range from.Steps {
		if !w.step(&from.Steps[i]) {
			return nil, false
		}
	}
	w.simplify()
	return w.to, len(w.set) == 0 && w.ending() && w.addresses() && w.known()
}

// ending lowers the end of the block.
func (w *lowering) ending() bool {
	b := w.to.b
	b.Term = nil
	if b.Ending.Turn != portable.IfBit || w.to.ways[0] == w.to.ways[1] {
		return true
	}
	at := b.Ending.Cond
	if d, lanes := w.conds[at.At]; lanes {
		w.to.on, w.to.none = inExec, d.none
		w.r.apart = true
		return slices.Contains(w.equal, d.mask)
	}
	w.to.on = at
	return w.number(at)
}

// known reports whether there is code for all of the steps.
func (w *lowering) known() bool {
	c, steps := w.c, w.to.b.Steps
	for i := range steps {
		s := &steps[i]
		switch {
		case s.Kind == getLanes, s.Kind == setLanes, s.Kind == portable.Expect, isMaskOp(s):
			continue
		case s.Kind == portable.MemoryAccess:
			if !w.r.loads(s) {
				return false
			}
			continue
		}
		switch c.class(s) {
		case onLanes:
			if c.shuffles(s) {
				return false
			}
		case onWave:
			if c.readsLane(s) || c.waveFloat(s) || s.Op == ir.Live {
				return false
			}
		default:
			return false
		}
	}
	return true
}

func (w *lowering) put(s portable.Step) {
	if s.Kind == portable.Compute && s.Op == ir.And && s.Type == ir.I1 {
		w.ands[s.Res[0]] = s.Args
	}
	w.to.b.Steps = append(w.to.b.Steps, s)
}

// within reports whether a mask has no lanes but those of another.
func (w *lowering) within(m, of portable.Place) bool {
	return m == of || slices.Contains(w.ands[m], of)
}

// number reports whether a place is a number that all lanes agree on.
func (w *lowering) number(p portable.Place) bool {
	_, mask := w.masks[p.At]
	_, half := w.halves[p.At]
	_, cond := w.conds[p.At]
	_, cell := w.cells[p.At]
	return p.Kind != portable.InWord || !mask && !half && !cond && !cell
}

// lanesOf is a mask, or a word as one.
func (w *lowering) lanesOf(p portable.Place) portable.Place {
	switch p.Kind {
	case portable.InMask:
		if a, ok := w.alias[p]; ok {
			return a
		}
	case portable.InWord:
		if m, ok := w.masks[p.At]; ok {
			return m
		}
		return portable.Place{Kind: portable.InMask, At: p.At}
	}
	return p
}

// step lowers a step.
func (w *lowering) step(s *portable.Step) bool {
	switch s.Kind {
	case portable.GetWord:
		return w.getWord(s)
	case portable.SetWord:
		return w.setWord(s)
	case portable.GetExec:
		w.get(inExec, s.Res[0])
		w.equal = append(w.equal, s.Res[0])
		return true
	case portable.GetMask:
		w.get(maskCell(s.Cell), s.Res[0])
		return true
	case portable.SetExec:
		return w.setExec(s)
	case portable.SetMask:
		return w.setMask(s)
	case portable.Compute:
		if done, ok := w.compute(s); done {
			return ok
		}
	}
	return w.plain(s)
}

// plain takes a step over as it is, but for its masks.
func (w *lowering) plain(s *portable.Step) bool {
	x := *s
	plainType(&x)
	x.Args, x.Res = slices.Clone(s.Args), slices.Clone(s.Res)
	for i, p := range x.Args {
		if !w.number(p) {
			return false
		}
		if p.Kind == portable.InMask {
			x.Args[i] = w.lanesOf(p)
		}
	}
	if x.Mask.Kind == portable.InMask {
		x.Mask = w.lanesOf(x.Mask)
	} else if !w.number(x.Mask) {
		return false
	}
	if x.Kind == portable.MemoryAccess && x.TransferKind.Do == portable.CheckOnly {
		return true // the loads behind it look themselves
	}
	w.put(x)
	return true
}

// get reads a cell of lanes.
func (w *lowering) get(cell, to portable.Place) {
	w.put(portable.Step{Kind: getLanes, Args: []portable.Place{cell}, Res: []portable.Place{to}})
}

func (w *lowering) setCell(cell, from portable.Place) {
	w.put(portable.Step{Kind: setLanes, Args: []portable.Place{from}, Res: []portable.Place{cell}})
}

// addresses lets loads read the rows that their addresses of 64 bits are put together from.
func (w *lowering) addresses() bool {
	b := w.to.b
	var dead []int
	for i := range b.Steps {
		s := &b.Steps[i]
		if s.Kind != portable.MemoryAccess || s.Mask.Kind == 0 || s.Args[0].Kind != portable.InVec {
			continue
		}
		at := i - 1
		for at >= 0 && !slices.Contains(b.Steps[at].Res, s.Args[0]) {
			at--
		}
		if at < 0 || b.Steps[at].Op != ir.Pack || b.Steps[at].Kind != portable.Compute {
			return false
		}
		low, high := b.Steps[at].Args[0], b.Steps[at].Args[1]
		for k := at + 1; k < i; k++ {
			if slices.Contains(b.Steps[k].Res, low) || slices.Contains(b.Steps[k].Res, high) {
				return false
			}
		}
		s.Args = append([]portable.Place{low, high}, s.Args[1:]...)
		if !slices.Contains(dead, at) {
			dead = append(dead, at)
		}
	}
	for _, at := range dead {
		if p := b.Steps[at].Res[0]; !readBefore(b.Steps[at+1:], p) {
			b.Steps[at] = portable.Step{Kind: getLanes} // without a result: nothing
		}
	}
	b.Steps = slices.DeleteFunc(b.Steps, func(s portable.Step) bool { return s.Kind == getLanes && len(s.Res) == 0 })
	return true
}

// readBefore reports whether a step reads a place in front of one that writes it.
func readBefore(steps []portable.Step, p portable.Place) bool {
	for i := range steps {
		if slices.Contains(steps[i].Args, p) || steps[i].Mask == p {
			return true
		}
		if slices.Contains(steps[i].Res, p) {
			return false
		}
	}
	return false
}

// simplify drops reads of cells that are not written before the last use, and what takes lanes twice.
func (w *lowering) simplify() {
	b := w.to.b
	known := map[portable.Place]portable.Place{}
	ands := map[portable.Place][]portable.Place{}
	of := func(p portable.Place) portable.Place {
		if q, ok := known[p]; ok {
			return q
		}
		return p
	}
	steps := b.Steps[:0:0]
	for i := range b.Steps {
		s := b.Steps[i]
		for k := range s.Args {
			s.Args[k] = of(s.Args[k])
		}
		s.Mask = of(s.Mask)
		switch {
		case s.Kind == getLanes && !w.changes(i, s.Args[0], s.Res[0]):
			known[s.Res[0]] = s.Args[0]
			continue
		case s.Kind == portable.Compute && s.Op == ir.And && s.Type == ir.I1 && s.Res[0].Kind == portable.InMask && len(s.Args) == 2:
			x, y := s.Args[0], s.Args[1]
			switch {
			case slices.Contains(ands[x], y):
				known[s.Res[0]] = x
				continue
			case slices.Contains(ands[y], x):
				known[s.Res[0]] = y
				continue
			}
			ands[s.Res[0]] = []portable.Place{x, y}
		}
		steps = append(steps, s)
		for _, r := range s.Res {
			if r.Kind == inCell {
				for p, of := range ands {
					if slices.Contains(of, r) {
						delete(ands, p)
					}
				}
			}
		}
	}
	b.Steps = steps
}

// changes reports whether a cell, which step i reads into a mask, is written while somebody still reads that.
func (w *lowering) changes(i int, cell, mask portable.Place) bool {
	steps, written := w.to.b.Steps, false
	for k := i + 1; k < len(steps); k++ {
		s := &steps[k]
		if written && (slices.Contains(s.Args, mask) || s.Mask == mask) {
			return true
		}
		written = written || slices.Contains(s.Res, cell)
	}
	return false
}
