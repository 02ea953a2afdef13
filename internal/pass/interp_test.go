package pass_test

import (
	"fmt"
	"hash/maphash"
	"math/rand/v2"
	"slices"

	"github.com/heddle-gpu/heddle/ir"
)

// A wave is a simple interpreter of blocks: its state is a map per kind of thing. Its memory derives the value of a
// load from the address, and records every effect.
type wave struct {
	m     *ir.Machine
	lanes int
	cells map[ir.Cell][]uint64 // one element per lane, for all kinds of cells
	log   []string
	seen  []string               // the state at the places that watch selects
	watch func(in *ir.Inst) bool // op, or nil for the start of a mark
	until int                    // the mark to stop at, if not 0; with usual, the one at which it has stopped
	usual bool                   // stop where an unlikely mask has a lane
	seed  maphash.Seed
	vals  [][]uint64 // by value, one element per lane
	b     *ir.Block
}

var hashSeed = maphash.MakeSeed()

func newWave(r *rand.Rand, m *ir.Machine, lanes int) *wave {
	w := &wave{m: m, lanes: lanes, cells: map[ir.Cell][]uint64{}, seed: hashSeed}
	for f, file := range m.Files {
		for i := range file.Count {
			c := make([]uint64, lanes)
			wide := uint64(1<<32 - 1)
			if file.Kind == ir.Lane1 || file.Kind == ir.Wave1 || file.Kind == ir.ExecMask {
				wide = 1
			}
			for k := range c {
				c[k] = r.Uint64() & wide
				if !file.Kind.PerLane() {
					c[k] = c[0]
				}
			}
			w.cells[ir.Cell{File: uint8(f), Index: uint16(i)}] = c
		}
	}
	return w
}

// run executes the block and returns its exit as text.
func (w *wave) run(b *ir.Block) string {
	w.b, w.vals = b, nil
	mark := 0
	for i := range b.Ops {
		in := &b.Ops[i]
		for ; mark < len(b.Marks) && int(b.Marks[mark].Op) <= i; mark++ {
			w.look(nil)
			if w.until > 0 && mark == w.until {
				return ""
			}
		}
		if w.usual && in.Op == ir.Unlikely && !w.idle(in) {
			w.until = mark - 1
			return "rare"
		}
		w.look(in)
		if in.Op.Info().Class == ir.Ctl {
			if in.Op == ir.Branch {
				return fmt.Sprint("jump ", []uint64{in.Alt, in.Imm}[w.vals[in.Args[0]][0]])
			}
			if in.Op == ir.Jump {
				return fmt.Sprint("jump ", in.Imm)
			}
			end := fmt.Sprint(in.Op, in.Imm, in.Alt, b.Why)
			for _, a := range in.Args {
				end += fmt.Sprint(w.vals[a])
			}
			return end
		}
		res := w.op(in)
		for k := range int(in.NRes) {
			w.vals = append(w.vals, res[k])
		}
	}
	return "fell off"
}

// look records the state, if this is a place to.
func (w *wave) look(in *ir.Inst) {
	if w.watch == nil || !w.watch(in) {
		return
	}
	if in != nil && w.idle(in) {
		return
	}
	s := w.state()
	if n := len(w.seen); in != nil && n > 0 && w.seen[n-1] == s { // a check, and the access that it checks
		return
	}
	w.seen = append(w.seen, s)
}

// idle reports whether the op's mask is empty.
func (w *wave) idle(in *ir.Inst) bool {
	mask, masked := w.b.Mask(in)
	return masked && !slices.ContainsFunc(w.vals[mask], func(x uint64) bool { return x&1 == 1 })
}

// state is all cells as text.
func (w *wave) state() (s string) {
	for f, file := range w.m.Files {
		for i := range file.Count {
			s += fmt.Sprintf("%s[%d] %x ", file.Name, i, w.cells[ir.Cell{File: uint8(f), Index: uint16(i)}])
		}
	}
	return s
}

func (w *wave) each(f func(lane int) uint64) []uint64 {
	v := make([]uint64, w.lanes)
	for k := range v {
		v[k] = f(k)
	}
	return v
}

func (w *wave) args(in *ir.Inst, lane int) []uint64 {
	a := make([]uint64, len(in.Args))
	for k, v := range in.Args {
		a[k] = w.vals[v][lane]
	}
	return a
}

func (w *wave) op(in *ir.Inst) [][]uint64 {
	switch in.Op.Info().Class {
	case ir.Pure:
		second := make([]uint64, w.lanes)
		first := w.each(func(k int) (r uint64) {
			r, second[k] = ir.EvalLane(w.b, in, w.args(in, k))
			return r
		})
		return [][]uint64{first, second}
	case ir.Cross:
		return w.cross(in)
	case ir.Memory:
		return w.memory(in)
	}
	all := w.each(func(int) uint64 { return 1 })
	mask := all
	if v, ok := w.b.Mask(in); ok {
		mask = w.vals[v]
	}
	switch in.Op {
	case ir.Get:
		return [][]uint64{append([]uint64{}, w.cells[in.Cell]...)}
	case ir.Live:
		return [][]uint64{all}
	case ir.Clock:
		return [][]uint64{make([]uint64, w.lanes)}
	case ir.GetX:
		return [][]uint64{w.each(func(k int) uint64 {
			if c, ok := w.indexed(in, k); ok {
				return w.cells[c][k]
			}
			return 0
		})}
	case ir.Set, ir.SetX:
		for k := range w.lanes {
			if c, ok := w.indexed(in, k); ok && mask[k]&1 == 1 {
				x := w.args(in, k)[map[ir.Op]int{ir.Set: 0, ir.SetX: 1}[in.Op]]
				w.cells[c][k] = x
				if !w.m.Kind(c).PerLane() {
					w.cells[c] = w.each(func(int) uint64 { return x })
				}
			}
		}
	case ir.SetLast:
		for k := range w.lanes {
			if mask[k]&1 == 1 {
				last := w.vals[in.Args[0]][k]
				w.cells[in.Cell] = w.each(func(int) uint64 { return last })
			}
		}
	}
	return nil
}

// indexed returns the cell of the lane's index, by the range rule of its file; false if there is none.
func (w *wave) indexed(in *ir.Inst, lane int) (ir.Cell, bool) {
	if in.Op == ir.Set {
		return in.Cell, true
	}
	f := w.m.Files[in.Cell.File]
	i := int64(in.Cell.Index) + int64(int32(w.vals[in.Args[0]][lane]))
	n := int64(f.Count)
	if i < 0 || i >= n {
		if f.Range != ir.RangeWrap {
			return ir.Cell{}, false
		}
		i = (i%n + n) % n
	}
	return ir.Cell{File: in.Cell.File, Index: uint16(i)}, true
}

func (w *wave) memory(in *ir.Inst) [][]uint64 {
	res := make([][]uint64, in.NRes)
	for i := range res {
		res[i] = make([]uint64, w.lanes)
	}
	for k := range w.lanes {
		a := w.args(in, k)
		if _, ok := w.b.Mask(in); ok && a[len(a)-1]&1 == 0 {
			continue
		}
		if in.Op != ir.Load {
			w.log = append(w.log, fmt.Sprint(in.Op, in.Mem, a, k))
		}
		for i := range res {
			size := in.Mem.Elem * 8
			res[i][k] = maphash.String(w.seed, fmt.Sprint(in.Mem, a[0], i)) >> (64 - size)
		}
	}
	return res
}

// cross converts the lanes to the form of the op's meaning, and back.
func (w *wave) cross(in *ir.Inst) [][]uint64 {
	c := &ir.WaveCall{Lanes: w.lanes, Width: in.Type.Bits(), Imm: in.Imm}
	for i, a := range in.Args {
		c.Args[i] = new(ir.Vec)
		info := w.b.Vals[a]
		if !info.Wave {
			c.Wide[i] = ir.MaxLanes - 1
		}
		for k, x := range w.vals[a] {
			if info.Type == ir.I1 && !info.Wave {
				c.Args[i][0] |= x & 1 << k
			} else {
				c.Args[i][k] = x
			}
		}
	}
	for i := range int(in.NRes) {
		c.Res[i] = new(ir.Vec)
	}
	in.Op.Info().Meaning.(ir.WaveFn)(c)
	var res [][]uint64
	for i := range ir.Val(in.NRes) {
		info := w.b.Vals[in.Res+i]
		res = append(res, w.each(func(k int) uint64 {
			switch {
			case info.Wave:
				return c.Res[i][0]
			case info.Type == ir.I1:
				return c.Res[i][0] >> k & 1
			}
			return c.Res[i][k]
		}))
	}
	return res
}

// differ describes the difference between two waves.
func (w *wave) differ(x *wave) (s string) {
	for c, v := range w.cells {
		if !slices.Equal(v, x.cells[c]) {
			s += fmt.Sprintf("%s: %#x, %#x; ", w.m.CellName(c), v, x.cells[c])
		}
	}
	if !slices.Equal(w.log, x.log) {
		s += fmt.Sprintf("memory: %q, %q; ", w.log, x.log)
	}
	return s
}
