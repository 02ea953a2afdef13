package portable

import (
	"math/bits"

	"github.com/heddle-gpu/heddle/internal/lower"
	"github.com/heddle-gpu/heddle/ir"
)

// A function runs an op of one shape. In shapes R is a row, V a vector, M a lane mask, W a uniform value of up to 32
// bits, X one of 64; results are before the =.
type function struct {
	shape string
	to    int // bits of the op's type; 0: any up to 32
	from  int // bits of the first operand, of the second for insert; 0: any
	bits  bool
	run   func(r *runner, o *op) bool
}

// tables has all functions, by op.
var tables = [...][][]function{functions32[:], functions32x[:], functionsCompare[:], functions64[:]}

// carry returns the carry out of the sum of a, b and the lowest bit of c.
func carry(a, b, c uint64) uint64 {
	_, out := bits.Add64(a, b, c&1)
	return out
}

// borrow returns 1 if a is less than b plus the lowest bit of c.
func borrow(a, b, c uint64) uint64 {
	_, out := bits.Sub64(a, b, c&1)
	return out
}

// bit returns 1 for true.
func bit(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// onRows selects the function for the shape of a per-lane op.
func (p *binder) onRows(s *lower.Step, o *op, args []lower.Place) bool {
	if len(args) > 3 || s.Wave {
		return false
	}
	try := func(args []lower.Place) bool {
		f := p.function(s, args)
		if f == nil {
			return false
		}
		o.run = f.run
		o.put(args)
		return true
	}
	if try(args) {
		return true
	}
	if s.Op.Info().Flags&ir.Commutes != 0 && len(args) >= 2 {
		turned := append([]lower.Place{args[1], args[0]}, args[2:]...)
		return try(turned)
	}
	return false
}

// function returns the function of the op for operands and results at these places, nil if there is none.
func (p *binder) function(s *lower.Step, args []lower.Place) *function {
	shape := make([]byte, 0, 8)
	for _, x := range s.Res {
		shape = append(shape, letter(x, 0))
	}
	shape = append(shape, '=')
	for i, x := range args {
		shape = append(shape, letter(x, p.ir.Vals[s.Inst.Args[i]].Type.Bits()))
	}
	from, n := s.From.Bits(), s.Type.Bits()
	for _, t := range tables {
		if int(s.Op) >= len(t) {
			continue
		}
		for k := range t[s.Op] {
			f := &t[s.Op][k]
			if f.shape == string(shape) && (f.to == n || f.to == 0 && n > 1 && n <= 32) && (f.from == 0 || f.from == from) &&
				(f.bits || s.Type.Elems() == 1) {
				return f
			}
		}
	}
	return nil
}

// letter returns the letter of a place in shapes; n is the width of a uniform value.
func letter(p lower.Place, n int) byte {
	switch p.Kind {
	case lower.InRow:
		return 'R'
	case lower.InVec:
		return 'V'
	case lower.InMask:
		return 'M'
	}
	if n == 64 || n == 1 {
		return 'X'
	}
	return 'W'
}

// onWords builds a uniform op from its scalar function.
func (p *binder) onWords(s *lower.Step, o *op, args []lower.Place) bool {
	n, from := s.Type.Bits(), s.From.Bits()
	o.put(args)
	switch f := s.Inst.Meaning().(type) {
	case ir.Int1:
		o.run = func(r *runner, o *op) bool { r.words[o.d] = f(n, r.words[o.a]); return true }
	case ir.Int2:
		o.run = func(r *runner, o *op) bool { r.words[o.d] = f(n, r.words[o.a], r.words[o.b]); return true }
	case ir.Int3:
		o.run = func(r *runner, o *op) bool {
			r.words[o.d] = f(n, r.words[o.a], r.words[o.b], r.words[o.c])
			return true
		}
	case ir.IntCvt:
		o.run = func(r *runner, o *op) bool { r.words[o.d] = f(from, n, r.words[o.a]); return true }
	case ir.BitsAt:
		o.run = func(r *runner, o *op) bool { r.words[o.d] = f(from, n, o.imm, r.words[o.a]); return true }
	case ir.BitsInto:
		o.run = func(r *runner, o *op) bool {
			r.words[o.d] = f(n, from, o.imm, r.words[o.a], r.words[o.b])
			return true
		}
	default:
		return p.pairs(s, o)
	}
	return true
}

// pairs builds a uniform op that has two results, or is on floats.
func (p *binder) pairs(s *lower.Step, o *op) bool {
	n, from := s.Type.Bits(), s.From.Bits()
	switch f := s.Inst.Meaning().(type) {
	case ir.Int1x2:
		o.run = func(r *runner, o *op) bool { r.words[o.d], r.words[o.e] = f(n, r.words[o.a]); return true }
	case ir.Int2x2:
		o.run = func(r *runner, o *op) bool {
			r.words[o.d], r.words[o.e] = f(n, r.words[o.a], r.words[o.b])
			return true
		}
	case ir.Int3x2:
		o.run = func(r *runner, o *op) bool {
			r.words[o.d], r.words[o.e] = f(n, r.words[o.a], r.words[o.b], r.words[o.c])
			return true
		}
	case ir.Flt1:
		o.run = func(r *runner, o *op) bool { r.words[o.d] = f(n, o.mode, r.words[o.a]); return true }
	case ir.Flt2:
		o.run = func(r *runner, o *op) bool { r.words[o.d] = f(n, o.mode, r.words[o.a], r.words[o.b]); return true }
	case ir.Flt3:
		o.run = func(r *runner, o *op) bool {
			r.words[o.d] = f(n, o.mode, r.words[o.a], r.words[o.b], r.words[o.c])
			return true
		}
	case ir.FltCvt:
		o.run = func(r *runner, o *op) bool { r.words[o.d] = f(from, n, o.mode, r.words[o.a]); return true }
	default:
		return false
	}
	return true
}

// onMasks builds ops on lane masks whose results are masks, or uniform values.
func (p *binder) onMasks(s *lower.Step, o *op, args []lower.Place) bool {
	if int(s.Op) >= len(masks) || masks[s.Op] == nil || s.Op.Info().Class == ir.Pure && (s.Type != ir.I1 || s.Wave) {
		return false
	}
	o.run = masks[s.Op]
	o.put(args)
	return true
}

// masks has the functions on lane masks, by op.
var masks = [...]func(r *runner, o *op) bool{
	ir.And: bothMasks,
	ir.Or: func(r *runner, o *op) bool {
		r.words[o.d] = r.wholeMask(o.a, o.wave) | r.wholeMask(o.b, o.wave>>1)
		return true
	},
	ir.Xor: func(r *runner, o *op) bool {
		r.words[o.d] = r.wholeMask(o.a, o.wave) ^ r.wholeMask(o.b, o.wave>>1)
		return true
	},
	ir.Not: func(r *runner, o *op) bool { r.words[o.d] = ^r.wholeMask(o.a, o.wave) & r.full; return true },
	ir.Select: func(r *runner, o *op) bool {
		c := r.wholeMask(o.a, o.wave)
		r.words[o.d] = c&r.wholeMask(o.b, o.wave>>1) | r.wholeMask(o.c, o.wave>>2)&^c
		return true
	},
	ir.Ballot: bothMasks,
	ir.Lanes:  func(r *runner, o *op) bool { r.words[o.d] = r.words[o.a] & r.full; return true },
	ir.Any: func(r *runner, o *op) bool {
		r.words[o.d] = bit(r.wholeMask(o.a, o.wave)&r.wholeMask(o.b, o.wave>>1) != 0)
		return true
	},
	ir.All: func(r *runner, o *op) bool {
		r.words[o.d] = bit(^r.wholeMask(o.a, o.wave)&r.wholeMask(o.b, o.wave>>1) == 0)
		return true
	},
	ir.Live: func(r *runner, o *op) bool { r.words[o.d] = r.st.Live; return true },
}

func bothMasks(r *runner, o *op) bool {
	r.words[o.d] = r.wholeMask(o.a, o.wave) & r.wholeMask(o.b, o.wave>>1)
	return true
}

// wholeMask returns a mask of all lanes; the lowest bit of wave says that the condition is uniform.
func (r *runner) wholeMask(at int32, wave uint64) uint64 {
	x := r.words[at]
	if wave&1 != 0 {
		x = -(x & 1) & r.full
	}
	return x
}
