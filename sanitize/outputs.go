package sanitize

import (
	"math/bits"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/shadow"
)

// reads tells if an output is undefined that a draw reads of a wave at its end: at the instruction that has left it so,
// or at the end.
func (u *Init) reads(w *carried, e *exec.Event, o *exec.OutputRead) {
	path, used, all := (*step)(nil), uint64(0), uint64(0)
	for m := o.Lanes; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros64(m)
		from := u.leftIn(w, e.State, o, lane)
		if from == nil {
			continue
		}
		all++
		if path == nil || from == path {
			path, used = from, used|1<<lane
		}
	}
	if path == nil {
		return
	}
	at, what := spot{&e.Where, e.Stage}, use{kind: shadow.PutsOut.String(), code: e.Program.Code, pc: e.State.At.Key.PC}
	if b, err := e.Program.Block(e.State.At.Key); err == nil && len(b.Marks) > 0 {
		what.pc = b.Marks[len(b.Marks)-1].PC
	}
	if path.site != nil {
		what.code, what.pc, path = path.site.Code, path.site.PC, path.from
	}
	u.report(what, at, path, used, all)
}

// leftIn returns the path of an undefined output of a lane; nil: it is defined.
func (u *Init) leftIn(w *carried, st *exec.State, o *exec.OutputRead, lane int) *step {
	if o.Bytes > 0 {
		return u.leftAt(o.Addr, o.Bytes)
	}
	cell, ok := st.Machine.Shadow.Cell(o.Cell)
	if !ok || st.Get(cell, lane)&o.Bits == 0 {
		return nil
	}
	if s := u.inCell(w, o.Cell, lane, false); s != nil {
		return s
	}
	return u.paths.from(Origin{Register: nameOf(u.code, o.Cell)})
}

// leftAt does so of bytes in global memory.
func (u *Init) leftAt(addr uint64, bytes int) *step {
	for i := addr; i < addr+uint64(bytes); i++ {
		if _, _, _, shadow := u.shadows.At(0, i); len(shadow) == 0 || shadow[0] == 0 {
			continue
		}
		if s := u.global[wordKey{lane: -1, word: i / 4}].path; s != nil {
			return s
		}
		return u.paths.from(Origin{Space: "global", Addr: i})
	}
	return nil
}
