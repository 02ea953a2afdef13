package portable

import (
	"slices"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/lanewise"
	"github.com/heddle-gpu/heddle/internal/lower"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/num"
)

// A code is a block prepared for execution: constants, casts and reads of registers need no op, and operands are
// resolved to places.
type code struct {
	*exec.Frame
	ops     []op
	term    []place  // operands of the terminator
	masked  bool     // the last of them is a mask
	far     bool     // the first of them is an address per lane
	marks   []int    // the first op after each
	words   []uint64 // constants, and zeros for computed values
	rows    int      // how many rows of the runner it needs; vecs likewise
	vecs    int
	slots   int // of lanes
	cursors int
	sites   []int32 // words that cache segments
	unit    Code    // machine code of some of the ops; nil: none
	entry   int     // offset in the unit, if all ops are machine code; else -1
	targets [2]uint64
	asks    bool   // likewise, and some ops are left to functions
	over    bool   // likewise, and it ends the wave's turn
	joins   bool   // likewise, and waves may continue at the address of a token, or at the PC of waiting lanes
	wants   []want // inputs that are fetched early
}

// An op is one op of a block. run returns false if the op faults; the fault is in runner.lanes.
type op struct {
	run     func(r *runner, o *op) bool
	d, e    int32 // places of the results
	a, b, c int32 // places of the operands
	mask    place // kind 0: no mask
	mark    int32
	mode    num.Mode
	imm     uint64
	apart   bool   // see lower.Step.NeedsExit
	wave    uint64 // bit i: operand i is uniform
	more    *extra // of ops that need more
}

// An extra is the data that only some ops need.
type extra struct {
	args    []place // the mask is the last
	res     []place
	generic lanewise.Op
	access  access  // of memory
	asking  asking  // of resources
	words   []place // of uniform loads: the places of the results
	direct  bool    // texels are written to the results directly
	idle    int     // the number of last results that are dead
}

// A preparer prepares one block.
type preparer struct {
	m      *ir.Machine
	b      *ir.Block
	c      *code
	places []place            // by root
	root   []ir.Val           // by value: the value that a chain of casts starts from
	last   []int              // by root: its last reader
	shown  map[int32][]ir.Val // by cell: roots that are in the cell's row
	rows   []int32            // of the runner, free
	vecs   []int32            // likewise
	consts map[uint64]int32
	// spreads maps words to places in which they are broadcast to all lanes.
	spreads map[int32]place
	full    []bool // by value: it is a full mask; nil if nothing is known
	done    []bool // by op: a register write that an earlier op has done
	mark    int
	noting  bool // steps are recorded, for machine code
	asked   bool // accesses may have to be marked
	usual   bool // unlikely cases are left to the canonical block
	free    []int32
	wants   *wants     // nil: no input is fetched early
	first   int        // row of the runner that is the destination
	next    lower.Step // of the op that comes next
	steps   []lower.Step
}

// prepare prepares a code; dense is for waves whose lanes are all active on entry.
func prepare(f *exec.Frame, m *ir.Machine, dense bool) *code {
	p := newPreparer(f, m)
	p.prepare(dense)
	return p.c
}

// prepareSteps is prepare with a step for each op of a block to be compiled. The caller decides whether accesses may
// use cached segments.
func prepareSteps(f rewritten, m *ir.Machine, usual, dense, asked bool, w *wants) (*code, *lower.Block) {
	p := newPreparer(f.Frame, m)
	p.noting, p.usual, p.asked, p.free = true, usual, asked, f.free
	if p.wants = w; w != nil {
		p.first += maxEarly
		p.c.rows = p.first
	}
	p.prepare(dense)
	b := &lower.Block{Steps: p.steps, Consts: make(map[int32]uint64, len(p.consts))}
	for x, at := range p.consts {
		b.Consts[at] = x
	}
	return p.c, b
}

func newPreparer(f *exec.Frame, m *ir.Machine) *preparer {
	b := f.Own
	p := &preparer{
		m: m, b: b,
		c:      &code{Frame: f, rows: laneIDs + 1, entry: -1},
		places: make([]place, len(b.Vals)),
		shown:  map[int32][]ir.Val{},
		consts: map[uint64]int32{},
		done:   make([]bool, len(b.Ops)),
		first:  laneIDs + 1,
	}
	p.newWord(0) // so that no site is 0
	p.root, p.last = b.Reads()
	return p
}

func (p *preparer) prepare(dense bool) {
	b := p.b
	if dense && !b.Serial {
		p.fullMasks()
	}
	next := 0
	for i := range b.Ops {
		for ; next < len(b.Marks) && int(b.Marks[next].Op) <= i; next++ {
			p.c.marks = append(p.c.marks, len(p.c.ops))
		}
		if len(p.c.marks) == 0 { // a block in a test may have none
			p.c.marks = append(p.c.marks, 0)
		}
		p.mark = len(p.c.marks) - 1
		p.add(i)
	}
}

// add prepares op i: results get places before those of the operands are freed, so that no result shares a place with
// an operand.
func (p *preparer) add(i int) {
	in := &p.b.Ops[i]
	class := in.Op.Info().Class
	switch {
	case in.Op == ir.Const:
		p.places[in.Res] = place{inWord, p.constant(in.Imm)}
	case in.Op == ir.Unlikely && p.b != p.c.Block:
		p.expect(in)
	case p.done[i] || in.Op == ir.Cast || class == ir.Marker && in.Op != ir.Probe:
	case in.Op == ir.LaneID:
		p.places[in.Res] = place{inRow, ^int32(laneIDs)}
	case in.Op == ir.Input && p.early(in):
	case in.Op == ir.Load && p.shared(in):
	case class == ir.Ctl:
		p.c.term, p.c.masked, p.c.far = p.operands(in.Args), in.Op.Info().Flags&ir.Masked != 0, in.Op == ir.CtlStepX
	case in.Op == ir.Get && p.m.Kind(in.Cell) == ir.Lane32:
		p.show(in)
	default:
		p.clobber(i)
		p.emit(i)
	}
	p.release(in, i)
}

// expect builds the guard that exits before its mark if the mask has a lane.
func (p *preparer) expect(in *ir.Inst) {
	m := p.at(in.Args[0])
	p.step(lower.Expect, in, nil, m)
	p.push(op{run: expect, mask: m})
}

func expect(r *runner, o *op) bool {
	r.rare = r.mask(o.mask) != 0
	return !r.rare
}

// show lets the value of a read stay in the register's row.
func (p *preparer) show(in *ir.Inst) {
	at := int32(exec.IndexOf(p.m, in.Cell))
	p.places[in.Res] = place{inRow, at}
	p.shown[at] = append(p.shown[at], in.Res)
}

// clobber saves the live values in rows that op i overwrites.
func (p *preparer) clobber(i int) {
	in := &p.b.Ops[i]
	if in.Op != ir.Set && in.Op != ir.SetX && in.Op != ir.SetLast || p.m.Kind(in.Cell) != ir.Lane32 {
		return
	}
	first, n := int32(exec.IndexOf(p.m, in.Cell)), int32(1)
	if in.Op == ir.SetX {
		first, n = int32(exec.IndexOf(p.m, ir.Cell{File: in.Cell.File})), int32(p.m.Files[in.Cell.File].Count)
	}
	for at := first; at < first+n; at++ {
		for _, v := range p.shown[at] {
			if p.last[v] > i {
				saved := p.newRow()
				p.next = lower.Step{Kind: lower.CopyRow, Args: []lower.Place{{Kind: lower.InRow, At: at}}, Res: []lower.Place{{Kind: lower.InRow, At: saved}}}
				p.push(op{run: copyRow, d: saved, a: at})
				p.places[v] = place{inRow, saved}
			}
		}
		delete(p.shown, at)
	}
}

func (p *preparer) push(o op) {
	o.mark = int32(p.mark)
	if p.noting {
		o.apart = p.next.NeedsExit
		p.steps = append(p.steps, p.next)
		p.next = lower.Step{}
	}
	p.c.ops = append(p.c.ops, o)
}

// constant returns the word that holds x.
func (p *preparer) constant(x uint64) int32 {
	at, ok := p.consts[x]
	if !ok {
		at = p.newWord(x)
		p.consts[x] = at
	}
	return at
}

func (p *preparer) newWord(x uint64) int32 {
	p.c.words = append(p.c.words, x)
	return int32(len(p.c.words) - 1)
}

// spare is the number of rows that stay free in blocks to be compiled: their last contents can still be read, so that
// ops may be merged into the last of them. Machine code keeps most values in registers, and does not touch their rows.
const spare = 16

// newRow allocates a row of the runner: for functions the one that was freed last, for machine code the one that has
// been free longest.
func (p *preparer) newRow() int32 {
	n := len(p.rows)
	switch {
	case p.noting && n > spare:
		at := p.rows[0]
		p.rows = p.rows[1:]
		return at
	case !p.noting && n > 0:
		at := p.rows[n-1]
		p.rows = p.rows[:n-1]
		return at
	}
	p.c.rows++
	return ^int32(p.c.rows - 1)
}

func (p *preparer) newVec() int32 {
	if n := len(p.vecs); n > 0 {
		at := p.vecs[n-1]
		p.vecs = p.vecs[:n-1]
		return at
	}
	p.c.vecs++
	return int32(p.c.vecs - 1)
}

func (p *preparer) at(v ir.Val) place { return p.places[p.root[v]] }

func (p *preparer) operands(args []ir.Val) []place {
	ps := make([]place, len(args))
	for i, a := range args {
		ps[i] = p.at(a)
	}
	return ps
}

// result allocates a place for value v of op i.
func (p *preparer) result(i int, v ir.Val) place {
	info := p.b.Vals[v]
	pl := place{}
	switch {
	case info.Wave:
		pl = place{inWord, p.newWord(0)}
	case info.Type == ir.I1:
		pl = place{inMask, p.newWord(0)}
	case info.Type.Bits() > 32:
		pl = place{inVec, p.newVec()}
	default:
		if at, ok := p.sink(i, v); ok {
			pl = place{inRow, at}
			p.shown[at] = append(p.shown[at], v)
			break
		}
		pl = place{inRow, p.newRow()}
	}
	p.places[v] = pl
	return pl
}

// results allocates places for all results of the instruction. Those of dead results are free again at once, for the
// next ops.
func (p *preparer) results(i int) (res []place) {
	in := &p.b.Ops[i]
	for k := range ir.Val(in.NRes) {
		res = append(res, p.result(i, in.Res+k))
	}
	for k := range ir.Val(in.NRes) {
		if p.last[in.Res+k] < 0 {
			p.give(res[k])
		}
	}
	return res
}

// give frees a place of the runner.
func (p *preparer) give(pl place) {
	switch {
	case pl.kind == inRow && pl.at <= ^int32(p.first):
		p.rows = append(p.rows, pl.at)
	case pl.kind == inVec:
		p.vecs = append(p.vecs, pl.at)
	}
}

// release frees the places of the values whose last reader is op i.
func (p *preparer) release(in *ir.Inst, i int) {
	for k, a := range in.Args {
		r := p.root[a]
		if p.last[r] == i && !slices.ContainsFunc(in.Args[:k], func(b ir.Val) bool { return p.root[b] == r }) {
			p.give(p.places[r])
		}
	}
}
