package ir_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/heddle-gpu/heddle/internal/irgen"
	"github.com/heddle-gpu/heddle/ir"
)

// lanesOf are operands of a cross-lane op as a list with one element per lane.
type lanesOf []uint64

// A crossOracle computes the results of a cross-lane op per lane; a single element is a uniform result.
type crossOracle func(lanes int, imm uint64, a []lanesOf) []lanesOf

// perLane computes a result for each lane separately.
func perLane(lanes int, f func(i int) (x, y uint64)) []lanesOf {
	x, y := make(lanesOf, lanes), make(lanesOf, lanes)
	for i := range lanes {
		x[i], y[i] = f(i)
	}
	return []lanesOf{x, y}
}

var crossOracles = map[ir.Op]crossOracle{
	ir.LaneID: func(lanes int, _ uint64, _ []lanesOf) []lanesOf {
		return perLane(lanes, func(i int) (uint64, uint64) { return uint64(i), 0 })[:1]
	},
	ir.Ballot: func(lanes int, _ uint64, a []lanesOf) []lanesOf {
		var z uint64
		for i := range lanes {
			z += a[0][i] * a[1][i] << i
		}
		return []lanesOf{{z}}
	},
	ir.Lanes: func(lanes int, _ uint64, a []lanesOf) []lanesOf {
		return perLane(lanes, func(i int) (uint64, uint64) { return a[0][0] >> i % 2, 0 })[:1]
	},
	ir.Any: func(lanes int, _ uint64, a []lanesOf) []lanesOf {
		n := uint64(0)
		for i := range lanes {
			n = max(n, min(a[0][i], a[1][i]))
		}
		return []lanesOf{{n}}
	},
	ir.All: func(lanes int, _ uint64, a []lanesOf) []lanesOf {
		for i := range lanes {
			if a[1][i] > a[0][i] {
				return []lanesOf{{0}}
			}
		}
		return []lanesOf{{1}}
	},
	ir.ReadLane: func(lanes int, _ uint64, a []lanesOf) []lanesOf { return []lanesOf{{a[0][a[1][0]%uint64(lanes)]}} },
	ir.ReadFirst: func(lanes int, _ uint64, a []lanesOf) []lanesOf {
		for i := range lanes {
			if a[1][i] == 1 {
				return []lanesOf{{a[0][i]}}
			}
		}
		return []lanesOf{{a[0][0]}}
	},
	ir.Shuffle: func(lanes int, group uint64, a []lanesOf) []lanesOf {
		return perLane(lanes, func(i int) (uint64, uint64) {
			if from := a[1][i]; from < uint64(lanes) && a[2][from] == 1 && (group == 0 || from/group == uint64(i)/group) {
				return a[0][from], 1
			}
			return 0, 0
		})
	},
	ir.ScatterLane: func(lanes int, _ uint64, a []lanesOf) []lanesOf {
		return perLane(lanes, func(i int) (x, ok uint64) {
			for from := range lanes {
				if a[2][from] == 1 && a[1][from] == uint64(i) {
					x, ok = a[0][from], 1
				}
			}
			return x, ok
		})
	},
}

// TestCrossOps tests every cross-lane op on every type it takes, in waves of several widths, with each operand
// varying or uniform.
func TestCrossOps(t *testing.T) {
	for op := range ir.Op(ir.Ops()) {
		if op.Info().Class != ir.Cross {
			continue
		}
		f := crossOracles[op]
		if f == nil {
			t.Errorf("%s: no expected values", op)
			continue
		}
		r := rand.New(rand.NewPCG(uint64(op), 6))
		for _, lanes := range []int{1, 4, 16, 32, 64} {
			for _, typ := range []ir.Type{ir.I1, ir.I8, ir.I32, ir.F16, ir.V4I8, ir.F64} {
				for n := range 60 {
					imm := uint64(0)
					if op == ir.Shuffle {
						imm = []uint64{0, 2, 4, 8, 16, 32}[n%6]
					}
					if err := tryCross(r, f, op, imm, typ, lanes); err != nil {
						t.Fatalf("%s.%s, %d lanes: %v", op, typ, lanes, err)
					}
				}
			}
		}
	}
}

func tryCross(r *rand.Rand, f crossOracle, op ir.Op, imm uint64, typ ir.Type, lanes int) error {
	slots, results := op.Slots()
	c := &ir.WaveCall{Lanes: lanes, Width: typ.Bits(), Imm: imm}
	var a []lanesOf
	for i, s := range slots {
		t := s.Type
		if s.Letter != 0 {
			t = typ
		}
		vals := make(lanesOf, lanes)
		wave := s.Side == 'w' || r.IntN(4) == 0
		small := t == ir.I32 && r.IntN(4) != 0
		for k := range vals {
			vals[k] = irgen.Bits(r, t.Bits())
			if small {
				vals[k] = r.Uint64N(uint64(lanes) + 1)
			}
			if wave {
				vals[k] = vals[0]
			}
		}
		a = append(a, vals)
		c.Args[i], c.Wide[i] = vec(t, vals, wave, r.Uint64()), ir.MaxLanes-1
		if wave {
			c.Wide[i] = 0
		}
	}
	for i := range results {
		c.Res[i] = new(ir.Vec)
		for k := range c.Res[i] {
			c.Res[i][k] = r.Uint64() // earlier contents must not matter
		}
	}
	op.Info().Meaning.(ir.WaveFn)(c)
	for i, want := range f(lanes, imm, a) {
		t := results[i].Type
		if results[i].Letter != 0 {
			t = typ
		}
		for k, w := range want {
			got := c.Res[i][k]
			if t == ir.I1 && len(want) == lanes && results[i].Side != 'w' {
				got = c.Res[i][0] >> k & 1
			}
			if got != w {
				return fmt.Errorf("operands %x: result %d, lane %d is %#x, want %#x", a, i, k, got, w)
			}
		}
	}
	return nil
}

// vec stores lanes as engines do: a varying condition as a mask, whose bits beyond the wave are junk.
func vec(t ir.Type, vals lanesOf, wave bool, junk uint64) *ir.Vec {
	v := new(ir.Vec)
	for k := range v {
		v[k] = junk
	}
	switch {
	case wave:
		v[0] = vals[0]
	case t == ir.I1:
		for k, x := range vals {
			v[0] = v[0]&^(1<<k) | x<<k
		}
	default:
		copy(v[:], vals)
	}
	return v
}
