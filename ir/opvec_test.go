package ir_test

import (
	"math/rand/v2"
	"testing"

	"github.com/heddle-gpu/heddle/internal/irgen"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/num"
)

// A call is one pure op with the bits of its operands: the input of an oracle.
type call struct {
	op   ir.Op
	n    int   // width of the op's type
	w    []int // widths of the operands
	imm  uint64
	mode num.Mode
	a    []uint64
}

// An oracle computes an op independently of num; it returns nil where it has no answer.
type oracle func(c *call) []uint64

// TestPureOps tests every pure op on every type, with edge and random operands in random modes.
func TestPureOps(t *testing.T) {
	for op := range ir.Op(ir.Ops()) {
		if op.Info().Class != ir.Pure {
			continue
		}
		f := intOracles[op]
		if f == nil {
			f = floatOracles[op]
		}
		if f == nil {
			t.Errorf("%s: no expected values", op)
			continue
		}
		t.Run(op.String(), func(t *testing.T) {
			r := rand.New(rand.NewPCG(uint64(op), 5))
			cases, judged := 0, 0
			for first := ir.I1; first <= ir.V4I8; first++ {
				for second := ir.I1; second <= ir.V4I8; second++ {
					cases++
					judged += tryOp(t, r, f, op, first, second)
				}
			}
			if judged < 100 {
				t.Errorf("%d results were judged", judged)
			}
		})
	}
}

// opOn returns a block of constants, the op with these as operands, and the same as a call; nil if the rule has no
// second type and second is not the first candidate.
func opOn(t *testing.T, op ir.Op, first, second ir.Type) (*ir.Block, ir.Inst, *call) {
	slots, _ := op.Slots()
	b := &ir.Block{Marks: []ir.Mark{{}}}
	in := ir.Inst{Op: op, Type: first}
	c := &call{op: op, n: first.Bits(), a: make([]uint64, len(slots))}
	hasSecond := false
	for _, s := range slots {
		typ := first
		if s.Second() {
			typ, hasSecond = second, true
		} else if s.Letter == 0 {
			typ = s.Type
		}
		v, err := b.Add(nil, ir.Inst{Op: ir.Const, Type: typ})
		if err != nil {
			t.Fatal(err)
		}
		in.Args, c.w = append(in.Args, v), append(c.w, typ.Bits())
	}
	if !hasSecond && second != ir.I1 {
		return nil, in, nil
	}
	return b, in, c
}

// elementBits are the packed types.
var elementBits = map[ir.Type]int{ir.V2I16: 16, ir.V2F16: 16, ir.V4I8: 8}

// whole are the ops that treat a packed type as 32 bits.
var whole = map[ir.Op]bool{
	ir.Const: true, ir.Cast: true, ir.Select: true, ir.Trunc: true, ir.ZExt: true, ir.SExt: true,
	ir.Pack: true, ir.Unpack: true, ir.Extract: true, ir.Insert: true,
}

// compares are the ops with a boolean result: for packed operands an element of ones or zeros.
var compares = map[ir.Op]bool{
	ir.Eq: true, ir.Ne: true, ir.ULt: true, ir.ULe: true, ir.SLt: true, ir.SLe: true,
	ir.FEq: true, ir.FLt: true, ir.FLe: true, ir.FUnord: true,
}

// inElements applies the oracle to each element of packed operands separately.
func inElements(f oracle, n int) oracle {
	return func(c *call) (res []uint64) {
		for at := 0; at < 32; at += n {
			e := *c
			e.n, e.w, e.a = n, nil, nil
			for _, a := range c.a {
				e.w, e.a = append(e.w, n), append(e.a, a>>at%(1<<n))
			}
			r := f(&e)
			if r == nil {
				return nil
			}
			for i, x := range r {
				if i == len(res) {
					res = append(res, 0)
				}
				if compares[c.op] {
					x *= 1<<n - 1
				}
				res[i] += x << at
			}
		}
		return res
	}
}

// randomElements are operand bits of the type; of a packed one, some for each element.
func randomElements(r *rand.Rand, n, elem int) (x uint64) {
	for at := 0; at < n; at += elem {
		x |= irgen.Bits(r, elem) << at
	}
	return x
}

// tryOp runs the op on one pair of types, if its rule allows the pair, and counts results that the oracle checked.
func tryOp(t *testing.T, r *rand.Rand, f oracle, op ir.Op, first, second ir.Type) (judged int) {
	b, in, c := opOn(t, op, first, second)
	if b == nil {
		return 0
	}
	n, packed := elementBits[first]
	if packed && !whole[op] {
		f = inElements(f, n)
	}
	for range 500 {
		in.Imm, in.Mode = 0, 0
		switch op {
		case ir.Const:
			in.Imm = irgen.Bits(r, c.n)
		case ir.SFU:
			in.Imm = uint64(r.IntN(int(num.NumSFU)))
		case ir.Extract, ir.Insert:
			in.Imm = uint64(r.IntN(max(c.n, c.w[len(c.w)-1])))
		}
		if op.Info().Flags&ir.HasMode != 0 {
			in.Mode = irgen.Mode(r)
		}
		cut := *b
		if _, err := cut.Add(nil, in); err != nil {
			return judged
		}
		cut.Add(nil, ir.Inst{Op: ir.End})
		if ir.Verify(&ir.Machine{}, &cut) != nil {
			continue
		}
		for i := range c.a {
			c.a[i] = irgen.Bits(r, c.w[i])
			if packed && r.IntN(4) != 0 {
				c.a[i] = randomElements(r, c.w[i], min(n, c.w[i]))
			}
		}
		c.imm, c.mode = in.Imm, in.Mode
		want := f(c)
		if want == nil {
			continue
		}
		judged++
		got := make([]uint64, 2)
		got[0], got[1] = ir.EvalLane(&cut, &cut.Ops[len(cut.Ops)-2], c.a)
		for i, w := range want {
			if got[i] != w {
				t.Errorf("%s.%s from %s, operands %#x, imm %d, mode %s: result %d is %#x, want %#x", op, first, second, c.a, c.imm, c.mode, i, got[i], w)
				return judged
			}
		}
	}
	return judged
}
