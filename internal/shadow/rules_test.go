package shadow

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"testing"

	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/num"
)

var types = []ir.Type{ir.I1, ir.I8, ir.I16, ir.I32, ir.I64, ir.F16, ir.F32, ir.F64, ir.V2I16, ir.V2F16, ir.V4I8}

// A trial is an op on constants, and the code of its shadow: both with operands that can be replaced.
type trial struct {
	name  string
	from  *ir.Block
	in    *ir.Inst
	n     *ir.Block
	args  []ir.Val // of n: operands
	sh    []ir.Val // of n: their shadows; clean: defined
	first int      // the first op of n after the operands
	res   []ir.Val // of n: shadow of the results
}

var machine = ir.Shadowed(&ir.Machine{Name: "none", Widths: []int{64}, Control: ir.MaskData})

// newTrial returns the trial of an op; false: these are no operands of it. Bit k of dirty: operand k may be undefined.
func newTrial(in ir.Inst, args []ir.Type, dirty int) (x *trial, ok bool) {
	from := &ir.Block{Marks: []ir.Mark{{}}}
	for k, t := range args {
		if _, err := from.Add(machine, ir.Inst{Op: ir.Const, Type: t}); err != nil {
			return nil, false
		}
		in.Args = append(in.Args, ir.Val(k))
	}
	if _, err := from.Add(machine, in); err != nil {
		return nil, false
	}
	if _, err := from.Add(machine, ir.Inst{Op: ir.End}); err != nil || ir.Verify(machine, from) != nil {
		return nil, false
	}
	n := &ir.Block{Marks: from.Marks}
	g := &gen{m: machine, from: from, n: n, to: make([]ir.Val, len(from.Vals)), sh: make([]ir.Val, len(from.Vals)), deps: make([]uint32, len(from.Vals))}
	x = &trial{name: fmt.Sprint(in.Op, " ", in.Type, args, " imm ", in.Imm, " dirty ", dirty), from: from, in: &from.Ops[len(args)], n: n}
	for k, t := range args {
		x.args = append(x.args, g.add(ir.Inst{Op: ir.Const, Type: t}))
		s := clean
		if dirty>>k&1 != 0 {
			s = g.add(ir.Inst{Op: ir.Const, Type: shadowType(t)})
		}
		x.sh = append(x.sh, s)
	}
	x.first = len(n.Ops)
	of := *x.in
	of.Args = x.args
	g.copy(len(args), &of)
	g.pure(len(args), &of, append([]ir.Val(nil), x.sh...))
	for k := range ir.Val(x.in.NRes) {
		x.res = append(x.res, g.sh[x.in.Res+k])
	}
	return x, true
}

// shadow evaluates the code of the shadow.
func (x *trial) shadow(a, s []uint64) (r [2]uint64) {
	vals := make([]uint64, len(x.n.Vals))
	for k, v := range x.args {
		vals[v] = a[k]
		if x.sh[k] != clean {
			vals[x.sh[k]] = s[k]
		}
	}
	var args [4]uint64
	for i := x.first; i < len(x.n.Ops); i++ {
		in := &x.n.Ops[i]
		for k, v := range in.Args {
			args[k] = vals[v]
		}
		r0, r1 := ir.EvalLane(x.n, in, args[:])
		vals[in.Res] = r0
		if in.NRes > 1 {
			vals[in.Res+1] = r1
		}
	}
	for k, v := range x.res {
		if v != clean {
			r[k] = vals[v]
		}
	}
	return r
}

// varies returns the bits of the results that differ between the values that undefined bits may have.
func (x *trial) varies(a, s []uint64) (r [2]uint64) {
	type bit struct{ arg, at int }
	var list []bit
	for k := range s {
		for m := s[k]; m != 0; m &= m - 1 {
			list = append(list, bit{k, bits.TrailingZeros64(m)})
		}
	}
	b := append([]uint64(nil), a...)
	x0, x1 := ir.EvalLane(x.from, x.in, b)
	for n := range 1 << len(list) {
		for i, at := range list {
			b[at.arg] = b[at.arg]&^(1<<at.at) | uint64(n>>i&1)<<at.at
		}
		y0, y1 := ir.EvalLane(x.from, x.in, b)
		r[0], r[1] = r[0]|(x0^y0), r[1]|(x1^y1)
	}
	return r
}

// operand returns an interesting value of a type.
func operand(r *rand.Rand, t ir.Type) uint64 {
	all := ones(t)
	switch r.IntN(5) {
	case 0:
		return r.Uint64N(64) & all
	case 1:
		return 1 << r.IntN(t.Bits())
	case 2:
		return []uint64{0, all, all >> 1, 0x3f800000 & all, 0x3c00 & all}[r.IntN(5)]
	}
	return r.Uint64() & all
}

// undefined returns a shadow of at most n bits.
func undefined(r *rand.Rand, t ir.Type, n int) (s uint64) {
	if r.IntN(3) == 0 { // a field
		at := r.IntN(t.Bits())
		return ones(t) & (1<<min(n, 8) - 1) << at & ones(t)
	}
	for range 1 + r.IntN(n) {
		s |= 1 << r.IntN(t.Bits())
	}
	return s
}

// trials yields the trials of an op: all types, with each set of operands undefined.
func trials(op ir.Op, yield func(x *trial, args []ir.Type, dirty int)) {
	slots, _ := op.Slots()
	info := op.Info()
	imms := []uint64{0}
	if info.Flags&ir.HasImm != 0 {
		imms = []uint64{0, 1, 8, 16, 32}
	}
	mode := num.Mode(0)
	if info.Flags&ir.HasMode != 0 {
		mode = num.RNE.With(0)
	}
	seen := map[string]bool{}
	for _, first := range types {
		for _, second := range types {
			for _, imm := range imms {
				args := make([]ir.Type, len(slots))
				for i := range slots {
					args[i] = slots[i].Of(first, second)
				}
				for dirty := 1; dirty < 1<<len(args); dirty++ {
					x, ok := newTrial(ir.Inst{Op: op, Type: first, Imm: imm, Mode: mode}, args, dirty)
					if ok && !seen[x.name] {
						seen[x.name] = true
						yield(x, args, dirty)
					}
				}
			}
		}
	}
}

// slow are ops whose exact results take long.
var slow = map[ir.Op]bool{ir.FSin: true, ir.FCos: true, ir.FSinRev: true, ir.FCosRev: true, ir.FExp2: true, ir.FLog2: true, ir.FRsq: true, ir.FRcp: true, ir.SFU: true}

// TestRules compares the shadow of each pure op with what can vary: every bit that can must be marked. It logs how many
// of the marked bits do.
func TestRules(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for op := ir.Op(0); int(op) < ir.Ops(); op++ {
		if op.Info().Class != ir.Pure || op == ir.Const {
			continue
		}
		tried, marked, real := 0, 0, 0
		trials(op, func(x *trial, args []ir.Type, dirty int) {
			rounds, most := 60, 5
			if slow[op] {
				rounds, most = 3, 3
			}
			for range rounds {
				a, s := make([]uint64, len(args)), make([]uint64, len(args))
				for k, typ := range args {
					if a[k] = operand(r, typ); dirty>>k&1 != 0 && r.IntN(8) != 0 {
						s[k] = undefined(r, typ, most/bits.OnesCount(uint(dirty))+1)
					}
				}
				got, want := x.shadow(a, s), x.varies(a, s)
				for k := range want {
					if miss := want[k] &^ got[k]; miss != 0 {
						t.Fatalf("%s: operands %#x, undefined %#x: result %d varies in %#x, marked %#x", x.name, a, s, k, want[k], got[k])
					}
					marked, real = marked+bits.OnesCount64(got[k]), real+bits.OnesCount64(want[k])
				}
				tried++
			}
		})
		if tried == 0 {
			t.Errorf("%s: no trial", op)
		}
		t.Logf("%-10s %6d trials, %3.0f %% of the marked bits vary", op, tried, 100*float64(real)/float64(max(marked, 1)))
	}
}

// TestBytes is TestRules for all operands of ops on one byte, and all undefined bits.
func TestBytes(t *testing.T) {
	for op := ir.Op(0); int(op) < ir.Ops(); op++ {
		if op.Info().Class != ir.Pure || op == ir.Const {
			continue
		}
		trials(op, func(x *trial, args []ir.Type, dirty int) {
			if len(args) != 1 || args[0] != ir.I8 {
				return
			}
			for a := range uint64(256) {
				for s := range uint64(256) {
					got, want := x.shadow([]uint64{a}, []uint64{s}), x.varies([]uint64{a}, []uint64{s})
					if want[0]&^got[0] != 0 || want[1]&^got[1] != 0 {
						t.Fatalf("%s: operand %#x, undefined %#x: results vary in %#x, marked %#x", x.name, a, s, want, got)
					}
				}
			}
		})
	}
}
