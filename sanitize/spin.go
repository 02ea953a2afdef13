package sanitize

import (
	"cmp"
	"math/bits"
	"slices"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/pass"
	"github.com/heddle-gpu/heddle/ir"
)

// maxLoop limits the blocks of a loop that is looked at.
const maxLoop = 64

// polled returns what the loop reads in which a wave is, if it stores nothing: it waits for another wave. nil: there is
// no such loop. The address is that of the registers as they are, which a loop that waits does not change.
func (s *Sync) polled(st *exec.State) *Unsynced {
	var found *Unsynced
	for _, b := range s.loop(st.At.Key) {
		for i := range b.Ops {
			switch in := &b.Ops[i]; in.Op {
			case ir.Store, ir.Output:
				return nil
			case ir.Load, ir.AtomicRMW:
				if found == nil && in.Mem.Load&ir.OfDescriptor == 0 {
					found = s.read(st, b, i)
				}
			case ir.Get, ir.GetX:
				if f := &s.code.Machine().Files[in.Cell.File]; f.Awaited && found == nil {
					found = &Unsynced{At: instructionAt(s.code.Code, b.Marks[b.MarkAt(i)].PC), Lanes: max(st.Exec, 1), Register: nameOf(s.code.Code, in.Cell),
						Addr: st.Look(in.Cell, 0), Holder: -1}
					if f.Held != 0 {
						found.Lock = tested(b, in.Res)
					}
				}
			}
		}
	}
	return found
}

// tested returns the bits of a value that a block looks at, if it masks them by a constant; else 0.
func tested(b *ir.Block, v ir.Val) uint32 {
	constant := map[ir.Val]uint32{}
	for i := range b.Ops {
		in := &b.Ops[i]
		switch {
		case in.Op == ir.Const:
			constant[in.Res] = uint32(in.Imm)
		case in.Op == ir.And && (in.Args[0] == v || in.Args[1] == v):
			return constant[in.Args[0]] | constant[in.Args[1]]
		}
	}
	return 0
}

// read describes a load or an atomic op; nil: its address is not known.
func (s *Sync) read(st *exec.State, b *ir.Block, i int) *Unsynced {
	in, lane := &b.Ops[i], bits.TrailingZeros64(max(st.Exec, 1))
	addr, ok := valueOf(st, b, in.Args[0], lane)
	if !ok {
		return nil
	}
	return &Unsynced{At: instructionAt(s.code.Code, b.Marks[b.MarkAt(i)].PC), Lanes: max(st.Exec, 1), Addr: addr, Space: in.Mem.Space.String()}
}

// valueOf computes a value in a lane from the registers of a state; false: it is the result of more than pure ops.
func valueOf(st *exec.State, b *ir.Block, v ir.Val, lane int) (x uint64, ok bool) {
	known, values := make([]bool, len(b.Vals)), make([]uint64, len(b.Vals))
	for i := range b.Ops {
		in := &b.Ops[i]
		if in.NRes == 0 || int(in.Res) > int(v) {
			continue
		}
		class := in.Op.Info().Class
		switch {
		case in.Op == ir.Get:
			known[in.Res], values[in.Res] = true, st.Look(in.Cell, lane)
		case in.Op == ir.LaneID:
			known[in.Res], values[in.Res] = true, uint64(lane)
		case class == ir.Pure && !slices.ContainsFunc(in.Args, func(a ir.Val) bool { return !known[a] }):
			args := make([]uint64, len(in.Args))
			for k, a := range in.Args {
				args[k] = values[a]
			}
			r0, r1 := ir.EvalLane(b, in, args)
			for k, r := range []uint64{r0, r1}[:in.NRes] {
				known[int(in.Res)+k], values[int(in.Res)+k] = true, r
			}
		}
	}
	return values[v], known[v]
}

// loop returns the blocks of the loops that a block is part of: those from which it is reached again. Unknown targets
// are not followed.
func (s *Sync) loop(at ir.Key) (blocks []*ir.Block) {
	all := map[ir.Key]*ir.Block{}
	to := map[ir.Key][]ir.Key{}
	work := []ir.Key{at}
	for len(work) > 0 && len(all) < maxLoop {
		k := work[len(work)-1]
		work = work[:len(work)-1]
		if all[k] != nil {
			continue
		}
		b, err := s.code.Code.Block(k)
		if err != nil || len(b.Marks) == 0 {
			continue
		}
		all[k] = b
		exit := pass.ExitOf(s.code.Machine(), b)
		for _, pc := range exit.To {
			to[k] = append(to[k], ir.Key{PC: pc, Mode: exit.Mode})
		}
		work = append(work, to[k]...)
	}
	back := map[ir.Key]bool{}
	for more := true; more; {
		more = false
		for k, next := range to {
			for _, n := range next {
				if !back[k] && (n == at || back[n]) {
					back[k], more = true, true
				}
			}
		}
	}
	if !back[at] {
		return nil
	}
	for k, b := range all {
		if back[k] {
			blocks = append(blocks, b)
		}
	}
	slices.SortFunc(blocks, func(x, y *ir.Block) int { return cmp.Compare(x.Key.PC, y.Key.PC) })
	return blocks
}
