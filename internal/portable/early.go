package portable

import (
	"sync"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/lower"
	"github.com/heddle-gpu/heddle/ir"
)

// Inputs that are constant while a wave runs, and whose slots the code names, are fetched when the wave begins. They
// are in rows of the runner, where machine code reads them like other values.

// maxEarly is the number of rows for them, after the row of lane numbers.
const maxEarly = 64

// An early is an input that is fetched early.
type early struct {
	exec.IOCall
	row int // the first row of the runner
}

// A wants is the inputs of a program that are fetched early, with their rows.
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

// wantsOf returns those of a program.
func wantsOf(p *exec.Program) (*wants, error) {
	return exec.FormsOf(p, "portable early inputs", func(*exec.Program, ir.Key) (*wants, error) { return &wants{}, nil }).Get(ir.Key{})
}

// row returns where an input is; false if there is no room left.
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

// early uses the early rows for the results of an input op; false if the input is not fetched early. Inactive lanes
// get 0.
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
		p.next = lower.Step{Kind: lower.Compute, Op: ir.Select, Type: ir.I32, From: ir.I1,
			Args: []lower.Place{p.at(mask).public(), {Kind: lower.InRow, At: from}, {Kind: lower.InWord, At: zero}}, Res: []lower.Place{{Kind: lower.InRow, At: to}}}
		p.push(op{run: maskedRow, d: to, a: from, mask: p.at(mask)})
	}
	return true
}

// isConst reports whether a word never changes.
func (p *preparer) isConst(at int32) bool {
	c, ok := p.consts[p.c.words[at]]
	return ok && c == at
}

// maskedRow copies a row in the lanes of a mask; the others get 0.
func maskedRow(r *runner, o *op) bool {
	r.give(place{inRow, o.d}, r.row(o.a), r.mask(o.mask))
	return true
}

// putEarly fetches the inputs of a code that the runner has not fetched yet; false if one fails.
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

// askEarly fetches an input for the current wave; false if that fails.
func (r *runner) askEarly(e *early) bool {
	if e.Lanes = r.st.Live; e.Lanes == 0 {
		return true
	}
	e.Value = (*exec.IOValue)(r.rows[e.row : e.row+ir.MaxComponents]) // more rows follow those of early inputs
	refused, err := r.env.Input(&e.IOCall)
	return refused == 0 && err == nil
}

// begin fetches the inputs of the wave that begins or continues. If one fails, the op that reads it reports the error.
func (r *runner) begin() {
	for _, e := range r.early {
		if !r.askEarly(e) {
			r.late()
			return
		}
	}
}

// late makes the ops from here on fetch the inputs.
func (r *runner) late() {
	r.refuses, r.early = true, nil
	r.bind(r.st.Lanes, r.env.Footprint != nil)
}
