package exectest

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/num"
)

// modes are the float modes that pure ops are tried in.
var modes = []num.Mode{
	num.RNE.With(0),
	num.RZ.With(num.FlushIn | num.FlushOut | num.NaNCanon),
	num.RUp.With(num.IEEE | num.DX10Clamp | num.FlushIn),
}

// A pureCase is one pure op with its types and the homes of its operands and results.
type pureCase struct {
	op   ir.Inst
	args []home
	res  []home
	blk  *ir.Block
	in   *ir.Inst // in blk
}

func (c *pureCase) String() string {
	s := fmt.Sprintf("%s %s imm %#x mode %s:", c.op.Op, c.op.Type, c.op.Imm, c.op.Mode)
	for _, h := range append(append([]home{}, c.args...), c.res...) {
		s += fmt.Sprintf(" %s wave=%v", h.t, h.wave)
	}
	return s
}

// testPure runs every pure op on every type, with each operand varying or uniform, and results in separate cells
// and in those of the operands.
func testPure(t *testing.T, e exec.Engine) {
	m := Machine(ir.MaskData)
	for op := ir.Op(0); int(op) < ir.Ops(); op++ {
		if op.Info().Class != ir.Pure {
			continue
		}
		cases := pureCases(m, op)
		if len(cases) == 0 {
			t.Errorf("%s: no case verifies", op)
		}
		t.Run(op.String(), func(t *testing.T) {
			for i := range cases {
				runPure(t, e, m, &cases[i])
			}
		})
	}
}

// pureCases are the cases of one op: all that verify of all types, scopes, immediates and modes.
func pureCases(m *ir.Machine, op ir.Op) (cs []pureCase) {
	info := op.Info()
	args, _ := op.Slots()
	imms, ms := []uint64{0}, []num.Mode{0}
	if info.Flags&ir.HasImm != 0 {
		imms = []uint64{0, 1, 8, 16, 32}
	}
	if op == ir.SFU {
		imms = nil
		for f := range num.NumSFU {
			imms = append(imms, uint64(f))
		}
	}
	if info.Flags&ir.HasMode != 0 {
		ms = modes
	}
	for first := ir.I1; first <= ir.V4I8; first++ {
		for second := ir.I1; second <= ir.V4I8; second++ {
			types, ok := argTypes(args, first, second)
			if !ok {
				continue
			}
			for i := range 2 * len(imms) * len(ms) << len(types) {
				k := i >> 1 >> len(types)
				in := ir.Inst{Op: op, Type: first, Imm: imms[k%len(imms)], Mode: ms[k/len(imms)]}
				if c, ok := newPure(m, in, types, i>>1, i&1 != 0); ok {
					cs = append(cs, c)
				}
			}
		}
	}
	return cs
}

// argTypes are the types of operands, if the pair of types is valid for the slots; an op without a second type is
// tested with one only.
func argTypes(slots []ir.Slot, first, second ir.Type) (ts []ir.Type, ok bool) {
	two := false
	for _, s := range slots {
		switch {
		case s.Letter == 0:
			ts = append(ts, s.Type)
		case s.Second():
			two = true
			ts = append(ts, second)
		default:
			ts = append(ts, first)
		}
	}
	return ts, two || second == ir.I1
}

// newPure builds the block of a case. Bit i of scope makes operand i uniform; over writes the results to the cells
// of the operands.
func newPure(m *ir.Machine, in ir.Inst, types []ir.Type, scope int, over bool) (c pureCase, ok bool) {
	a := newAssembly(m)
	for i, t := range types {
		h := home{t: t, wave: scope>>i&1 != 0, first: i}
		c.args = append(c.args, h)
		in.Args = append(in.Args, a.fetch(h))
	}
	if a.err != nil {
		return c, false
	}
	v := a.add(in)
	if a.err != nil {
		return c, false
	}
	at := len(a.b.Ops) - 1
	mask := a.add(ir.Inst{Op: ir.Get, Type: ir.I1, Cell: cellOf(fileF+1, 0)})
	for i := range int(a.b.Ops[at].NRes) {
		r := a.b.Vals[int(v)+i]
		h := home{t: r.Type, wave: r.Wave, first: 4 + i}
		if over {
			h.first = i
		}
		c.res = append(c.res, h)
		a.keep(h, v+ir.Val(i), mask)
	}
	if a.finish() != nil {
		return c, false
	}
	c.op, c.blk, c.in = in, a.b, &a.b.Ops[at]
	return c, true
}

// runPure runs the case on all widths, under several masks, on edge values and random ones.
func runPure(t *testing.T, e exec.Engine, m *ir.Machine, c *pureCase) {
	r := e.NewRunner(exec.NewProgram(NewCode(m, c.blk)))
	rnd := rand.New(rand.NewPCG(1, uint64(c.op.Op)))
	for _, lanes := range m.Widths {
		st, err := exec.NewState(m, lanes)
		if err != nil {
			t.Fatal(err)
		}
		fill(st, rnd)
		want := st.Snapshot()
		for round, mask := range masks(st, rnd) {
			for i, h := range c.args {
				for lane := range lanes {
					h.put(st, lane, operand(rnd, h.t, round*lanes+lane, i))
				}
			}
			st.Start(entry, st.Full)
			st.Exec = mask
			want.Restore(st)
			c.expect(st, want)
			env := exec.Env{}
			stop := r.Run(st, &env, exec.Budget{Steps: 1})
			if stop.Reason != exec.StopBudget {
				t.Fatalf("%v, %d lanes: stop %v %v", c, lanes, stop.Reason, stop.Fault)
			}
			if d := want.Diff(st, 3); d != nil {
				t.Fatalf("%v, %d lanes, mask %#x: want, got: %q\n%s", c, lanes, mask, d, ir.Print(m, c.blk))
			}
		}
	}
}

// expect changes want, a copy of st, as the block must. A uniform value is that of lane 0.
func (c *pureCase) expect(st, want *exec.State) {
	want.Clock++
	for lane := range st.Lanes {
		var a [4]uint64
		for i, h := range c.args {
			a[i] = h.read(st, lane)
		}
		var res [2]uint64
		res[0], res[1] = ir.EvalLane(c.blk, c.in, a[:])
		for i, h := range c.res {
			if h.wave || st.Exec>>lane&1 != 0 {
				h.put(want, lane, res[i])
			}
		}
	}
}

// masks are the execution masks to try: full, empty, one lane, alternating, random.
func masks(st *exec.State, rnd *rand.Rand) []uint64 {
	return []uint64{
		st.Full, 0, 1 << rnd.IntN(st.Lanes),
		0x5555555555555555 & st.Full, 0xaaaaaaaaaaaaaaaa & st.Full, rnd.Uint64() & st.Full,
	}
}

// fill gives every cell but the mode random bits.
func fill(st *exec.State, rnd *rand.Rand) {
	for i := range st.V {
		st.V[i] = rnd.Uint32()
	}
	for i := range st.M {
		st.M[i] = rnd.Uint64() & st.Full
	}
	for fi, f := range st.Machine.Files {
		for i := 0; i < f.Count && (f.Kind == ir.Wave32 || f.Kind == ir.Wave1); i++ {
			st.Set(cellOf(fi, i), 0, rnd.Uint32())
		}
	}
	st.Set(st.Machine.Mode, 0, 0)
}
