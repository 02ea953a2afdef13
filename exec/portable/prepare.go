package portable

import (
	"slices"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/exec/lanewise"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/num"
)

// A code is a block prepared for running: without constants, casts and reads of registers, operands resolved to places.
type code struct {
	block   *ir.Block // the canonical one
	own     *ir.Block // the one that runs: its terminator may be a simpler one
	ops     []op
	term    []place // operands of the terminator
	marks   []mark
	costs   []exec.Cost // before mark i
	words   []uint64    // constants, and zeros for the values that are computed
	rows    int         // rows of the runner, and vecs: how many it needs
	vecs    int
	slots   int // of lanes
	cursors int
	waysOut waysOut
	plain   bool // goes on where its terminator says, under its own mode
}

type mark struct {
	op int // in code.ops
	pc uint64
}

// An op is one op of a block. run returns false if the op faults, with the fault in runner.lanes.
type op struct {
	run     func(r *runner, o *op) bool
	d, e    int32 // places of the results
	a, b, c int32 // places of the operands
	mask    place // kind 0: none
	mark    int32
	mode    num.Mode
	imm     uint64
	wave    uint64 // of ops on masks: bit i says that operand i is one a wave
	more    *extra // of ops with more to say
}

// An extra is what few ops need.
type extra struct {
	args    []place // the mask is the last
	res     []place
	generic lanewise.Op
	access  access // of memory
}

// A preparer makes the code of one block.
type preparer struct {
	m      *ir.Machine
	b      *ir.Block
	c      *code
	places []place            // by root
	root   []ir.Val           // by value: the value that a chain of casts starts from
	last   []int              // by root: the last op that reads it
	shown  map[int32][]ir.Val // by cell: roots that stand in the cell's row
	rows   []int32            // of the runner, free
	vecs   []int32            // likewise
	consts map[uint64]int32
	full   []bool // by value: it is a full mask; nil if nothing is known
	done   []bool // by op: a write that an earlier op has made
	mark   int
}

// prepare makes a code of block b, which does what canonical block whole does; dense is for waves that come with all lanes active.
func prepare(m *ir.Machine, whole, b *ir.Block, dense bool) *code {
	p := &preparer{
		m: m, b: b,
		c:      &code{block: whole, own: b, costs: exec.Costs(whole), rows: laneIDs + 1},
		places: make([]place, len(b.Vals)),
		root:   make([]ir.Val, len(b.Vals)),
		last:   make([]int, len(b.Vals)),
		shown:  map[int32][]ir.Val{},
		consts: map[uint64]int32{},
		done:   make([]bool, len(b.Ops)),
	}
	if p.liveness(); dense && !b.Serial {
		p.fullMasks()
	}
	next := 0
	for i := range b.Ops {
		for ; next < len(b.Marks) && int(b.Marks[next].Op) <= i; next++ {
			p.c.marks = append(p.c.marks, mark{len(p.c.ops), b.Marks[next].PC})
		}
		if len(p.c.marks) == 0 { // a block of a test may have none
			p.c.marks = append(p.c.marks, mark{0, b.Key.PC})
		}
		p.mark = len(p.c.marks) - 1
		p.add(i)
	}
	p.c.plain = plain(m, whole)
	return p.c
}

// plain reports whether the block says where control goes.
func plain(m *ir.Machine, b *ir.Block) bool {
	for i := range b.Ops {
		switch in := &b.Ops[i]; in.Op {
		case ir.Set, ir.SetX, ir.SetLast:
			if m.ModeMask != 0 && in.Cell.File == m.Mode.File {
				return false
			}
		}
	}
	t := b.Term()
	return t.Op == ir.Branch || t.Op == ir.Retire || t.Op == ir.Jump && t.Alt == 0
}

// liveness finds the last reader of each value.
func (p *preparer) liveness() {
	for i := range p.root {
		p.root[i] = ir.Val(i)
		p.last[i] = -1
	}
	for i := range p.b.Ops {
		in := &p.b.Ops[i]
		if in.Op == ir.Cast {
			p.root[in.Res] = p.root[in.Args[0]]
		}
		for _, a := range in.Args {
			p.last[p.root[a]] = i
		}
	}
}

// add prepares op i: results get places before those of the operands are given back, so that no
// result shares a place with an operand.
func (p *preparer) add(i int) {
	in := &p.b.Ops[i]
	class := in.Op.Info().Class
	switch {
	case in.Op == ir.Const:
		p.places[in.Res] = place{inWord, p.constant(in.Imm)}
	case p.done[i] || in.Op == ir.Cast || class == ir.Marker && in.Op != ir.Probe:
	case in.Op == ir.LaneID:
		p.places[in.Res] = place{inRow, ^int32(laneIDs)}
	case class == ir.Ctl:
		p.c.term = p.operands(in.Args)
	case in.Op == ir.Get && p.m.Kind(in.Cell) == ir.Lane32:
		p.show(in)
	default:
		p.clobber(i)
		p.emit(i)
	}
	p.release(in, i)
}

// show lets the value of a read stand where the register is.
func (p *preparer) show(in *ir.Inst) {
	at := int32(exec.IndexOf(p.m, in.Cell))
	p.places[in.Res] = place{inRow, at}
	p.shown[at] = append(p.shown[at], in.Res)
}

// clobber saves the values that stand in rows which op i writes, if they are read later.
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
				p.push(op{run: copyRow, d: saved, a: at})
				p.places[v] = place{inRow, saved}
			}
		}
		delete(p.shown, at)
	}
}

func (p *preparer) push(o op) {
	o.mark = int32(p.mark)
	p.c.ops = append(p.c.ops, o)
}

// constant is the word that holds x.
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

// newRow is the place of a row of the runner.
func (p *preparer) newRow() int32 {
	if n := len(p.rows); n > 0 {
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

// result gives value v of op i a place.
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

// results gives all results of the instruction places. Those that nobody reads are free again at once, for the ops
// behind this one.
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

// give makes a place of the runner free.
func (p *preparer) give(pl place) {
	switch {
	case pl.kind == inRow && pl.at < ^int32(laneIDs):
		p.rows = append(p.rows, pl.at)
	case pl.kind == inVec:
		p.vecs = append(p.vecs, pl.at)
	}
}

// release gives back the places of the values that op i is the last to read.
func (p *preparer) release(in *ir.Inst, i int) {
	for k, a := range in.Args {
		r := p.root[a]
		if p.last[r] == i && !slices.ContainsFunc(in.Args[:k], func(b ir.Val) bool { return p.root[b] == r }) {
			p.give(p.places[r])
		}
	}
}
