package portable

import (
	"sync"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/ir"
)

// Inputs that stay the same while a wave runs, of slots that the code names, are asked for when it begins. They stand in rows of the runner,
// where machine code reads them as it does other values.

// maxEarly is how many rows there are for them, behind that of the lanes' numbers.
const maxEarly = 64

// An early is an input that is asked for early.
type early struct {
	exec.IOCall
	row int // of the runner: the first
}

// A wants is which inputs of a program are asked for early, and where they stand.
type wants struct {
	mu   sync.Mutex
	list []want
	rows int
}

type want struct {
	io   ir.IOAttr
	typ  ir.Type
	slot uint32
	row  int
}

// wantsOf are those of a program.
func wantsOf(p *exec.Program) (*wants, error) {
	return exec.FormsOf(p, "portable early inputs", func(*exec.Program, ir.Key) (*wants, error) { return &wants{}, nil }).Get(ir.Key{})
}

// row is where an input stands; false if there is no room left.
func (w *wants) row(io ir.IOAttr, typ ir.Type, slot uint32) (want, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, x := range w.list {
		if x.io == io && x.typ == typ && x.slot == slot {
			return x, true
		}
	}
	n := 1
	if io.Count > 1 {
		n = ir.MaxComponents
	}
	if w.rows+n > maxEarly {
		return want{}, false
	}
	x := want{io, typ, slot, laneIDs + 1 + w.rows}
	w.rows += n
	w.list = append(w.list, x)
	return x, true
}

// early lets the results of an input op stand where they are put early; false if they are not. Lanes that do not ask get 0.
func (p *preparer) early(in *ir.Inst) bool {
	mask, masked := p.b.Mask(in)
	if p.wants == nil || !masked || len(in.Args) != 2 || p.at(mask).kind != inMask {
		return false
	}
	slot, typ := p.at(in.Args[0]), p.b.Vals[in.Res].Type
	if slot.kind != inWord || !p.isConst(slot.at) || typ == ir.I1 || typ.Bits() > 32 || p.b.Vals[in.Res].Wave {
		return false
	}
	w, ok := p.wants.row(in.IO, in.Type, uint32(p.c.words[slot.at]))
	if !ok {
		return false
	}
	p.c.wants = append(p.c.wants, w)
	for k := range ir.Val(in.NRes) {
		from := ^int32(w.row + int(k))
		p.places[in.Res+k] = place{inRow, from}
		if p.full != nil && p.full[p.root[mask]] || p.last[in.Res+k] < 0 {
			continue
		}
		to, zero := p.newRow(), p.constant(0)
		p.places[in.Res+k] = place{inRow, to}
		p.next = Step{Kind: Compute, Op: ir.Select, Type: ir.I32, From: ir.I1,
			Args: []Place{p.at(mask).public(), {InRow, from}, {InWord, zero}}, Res: []Place{{InRow, to}}}
		p.push(op{run: maskedRow, d: to, a: from, mask: p.at(mask)})
	}
	return true
}

// isConst is whether a word never changes.
func (p *preparer) isConst(at int32) bool {
	c, ok := p.consts[p.c.words[at]]
	return ok && c == at
}

// maskedRow is a row in the lanes of a mask, 0 in the others.
func maskedRow(r *runner, o *op) bool {
	r.give(place{inRow, o.d}, r.row(o.a), r.mask(o.mask))
	return true
}

// putEarly asks for the inputs of a code that the runner has not asked for yet; false if one is refused.
func (r *runner) putEarly(list []want) bool {
next:
	for _, w := range list {
		for _, e := range r.early {
			if e.row == w.row {
				continue next
			}
		}
		e := &early{row: w.row}
		e.IOAttr, e.Type, e.Width, e.One = w.io, w.typ, r.st.Lanes, true
		fill(&e.Slot, w.slot, ir.MaxLanes)
		if r.early = append(r.early, e); !r.askEarly(e) {
			return false
		}
	}
	return true
}

// askEarly asks for an input for the wave at hand; false if it is refused.
func (r *runner) askEarly(e *early) bool {
	if e.Lanes = r.st.Live; e.Lanes == 0 {
		return true
	}
	e.Value = (*exec.IOValue)(r.rows[e.row : e.row+ir.MaxComponents]) // there are more rows behind those of early inputs
	refused, err := r.env.Input(&e.IOCall)
	return refused == 0 && err == nil
}

// begin asks for the inputs of the wave that begins or goes on. If one is refused, the op that asks for it is to say so.
func (r *runner) begin() {
	for _, e := range r.early {
		if !r.askEarly(e) {
			r.late()
			return
		}
	}
}

// late lets inputs be asked for by the ops from here on.
func (r *runner) late() {
	r.refuses, r.early = true, nil
	r.bind(r.st.Lanes, r.env.Footprint != nil)
}
