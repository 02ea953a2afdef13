package exectest

import (
	"math/rand/v2"
	"testing"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/ir"
)

// testScope checks the scope column: the result of a lane does not change with operands of lanes outside its group
// of the scope's size; and it does change with some outside the next smaller group, so the scope is not too wide.
func testScope(t *testing.T, e exec.Engine) {
	m := Machine(ir.MaskData)
	for op := ir.Op(0); int(op) < ir.Ops(); op++ {
		if c := op.Info().Class; c != ir.Pure && c != ir.Cross {
			continue
		}
		cases := scopeCases(m, op)
		if len(cases) == 0 {
			t.Errorf("%s: no case verifies", op)
		}
		for i := range cases {
			s := &scopeTrial{c: &cases[i], r: e.NewRunner(exec.NewProgram(NewCode(m, cases[i].blk))), rnd: rand.New(rand.NewPCG(17, uint64(op)))}
			if why := s.try(m); why != "" {
				t.Errorf("%v scope %s: %s", s.c, s.c.in.Scope(m), why)
			}
		}
	}
}

// scopeCases are the cases of an op with per-lane operands wherever its rule allows them, up to three pairs of
// types for each immediate.
func scopeCases(m *ir.Machine, op ir.Op) (cs []pureCase) {
	args, _ := op.Slots()
	wave := 0
	for i, s := range args {
		if s.Side == 'w' {
			wave |= 1 << i
		}
	}
	imms := []uint64{0}
	if op == ir.Shuffle {
		imms = []uint64{0, 2, 4, 8, 16, 32}
	}
	in := ir.Inst{Op: op}
	if op.Info().Flags&ir.HasMode != 0 {
		in.Mode = modes[0]
	}
	for _, in.Imm = range imms {
		n := 0
		for _, first := range []ir.Type{ir.I32, ir.I64, ir.V2F16, ir.F32, ir.V4I8, ir.I1, ir.I16} {
			for second := ir.I1; second <= ir.V4I8; second++ {
				in.Type = first
				if op == ir.Ballot {
					in.Type = ir.I64
				} else if op == ir.Any || op == ir.All || op == ir.Lanes {
					in.Type = ir.I1
				}
				types, ok := argTypes(args, first, second)
				if !ok || n == 3 {
					continue
				}
				if c, ok := newPure(m, in, types, wave, false); ok {
					cs = append(cs, c)
					n++
				}
			}
		}
	}
	return cs
}

// A scopeTrial runs a case on pairs of states that differ in some lanes.
type scopeTrial struct {
	c   *pureCase
	r   exec.Runner
	rnd *rand.Rand
}

func (s *scopeTrial) try(m *ir.Machine) string {
	scope := s.c.in.Scope(m)
	size, smaller := scope.Lanes(), map[ir.Scope]int{ir.InQuad: 1, ir.InRow: 4, ir.InWave: 16}[scope]
	if scope == ir.InScalar {
		return "" // a constant, or a value of uniform operands only
	}
	varying := false
	for _, h := range s.c.args {
		varying = varying || !h.wave
	}
	depends := !varying
	for round := range 400 {
		lanes := m.Widths[round%len(m.Widths)]
		lane := s.rnd.IntN(lanes)
		st, _ := exec.NewState(m, lanes)
		fill(st, s.rnd)
		s.operands(st, ^uint64(0))
		group := func(n int) uint64 { return (uint64(1)<<n - 1) << (lane / n * n) }
		other, near := st.Snapshot(), st.Snapshot()
		s.operands(other, ^group(size))
		s.operands(near, group(size)&^group(max(smaller, 1)))
		if smaller == 0 {
			s.operands(near, group(1))
		}
		want := s.result(st, lane)
		if s.result(other, lane) != want {
			return "depends on lanes outside"
		}
		depends = depends || s.result(near, lane) != want
	}
	if !depends {
		return "a smaller one would do"
	}
	return ""
}

// operands gives the per-lane operands new bits in the lanes of the mask.
func (s *scopeTrial) operands(st *exec.State, lanes uint64) {
	for i, h := range s.c.args {
		density := s.rnd.IntN(3)
		for lane := range st.Lanes {
			x := operand(s.rnd, h.t, s.rnd.IntN(1<<20), i)
			switch {
			case h.wave || lanes>>lane&1 == 0:
				continue
			case h.t == ir.I1 && density > 0 && s.rnd.IntN(st.Lanes) != 0:
				x = uint64(density - 1) // nearly all equal, for any and all
			case s.c.op.Op.Info().Class == ir.Cross && i == 1 && h.t == ir.I32:
				n := st.Lanes
				if g := int(s.c.op.Imm); g != 0 {
					n = min(n, g)
				}
				x = uint64(lane/n*n + s.rnd.IntN(n))
			}
			h.put(st, lane, x)
		}
	}
}

// result is the result of a run in the lane, hashed to one number.
func (s *scopeTrial) result(st *exec.State, lane int) (x uint64) {
	st = st.Snapshot()
	st.Start(entry, st.Full)
	if stop := s.r.Run(st, &exec.Env{}, exec.Budget{Steps: 1}); stop.Reason != exec.StopBudget {
		panic("exectest: a pure op stopped: " + stop.Reason.String())
	}
	for _, h := range s.c.res {
		x = x*0x9e3779b97f4a7c15 + h.read(st, lane)
	}
	return x
}
