package debug

import (
	"github.com/heddle-gpu/heddle/ir"
)

// A Type is the type of some bits.
type Type struct {
	ir.Type
	Signed bool
}

// The types of registers of unknown type, and of computed values.
var (
	u32 = Type{Type: ir.I32}
	u64 = Type{Type: ir.I64}
	i64 = Type{Type: ir.I64, Signed: true}
	f64 = Type{Type: ir.F64}
)

// Float reports whether it is a float type.
func (t Type) Float() bool { return t.Type == ir.F16 || t.Type == ir.F32 || t.Type == ir.F64 }

// String returns the name used in casts: u32, i32, f32.
func (t Type) String() string {
	if t.Float() || t.Type == ir.V2F16 || t.Type == ir.V2I16 || t.Type == ir.V4I8 {
		return t.Type.String()
	}
	if t.Type == ir.I1 {
		return "bit"
	}
	if t.Signed {
		return t.Type.String()
	}
	return "u" + t.Type.String()[1:]
}

// A kindAt is the type with which an instruction uses a register.
type kindAt struct {
	pc uint64
	t  Type
}

// maxKinds limits the instructions that are lifted to infer the types of registers.
const maxKinds = 1 << 14

// learn infers, for the whole program, the types with which its instructions use registers.
func (c *Code) learn(mode uint32) {
	c.kinds, c.pairs = map[ir.Cell][]kindAt{}, map[ir.Cell][]kindAt{}
	if c.says() == nil {
		return
	}
	at, end := c.says().Extent()
	for n := 0; at < end && n < maxKinds; {
		b, err := c.says().Block(ir.Key{PC: at, Mode: mode})
		if err != nil {
			return
		}
		u := uses{b: b, types: make([]Type, len(b.Vals))}
		u.root, _ = b.Reads()
		u.find()
		for i := range b.Ops {
			u.enter(c, i)
		}
		n += len(b.Marks)
		next := b.Next
		if next <= at { // it ends in bytes that are no instruction
			next, _ = c.says().Behind(max(at, b.Marks[len(b.Marks)-1].PC))
		}
		if next <= at {
			return
		}
		at = next
	}
}

// uses are the types with which the ops of a block use its values.
type uses struct {
	b     *ir.Block
	root  []ir.Val
	types []Type // by root
}

// signedOps reports whether op takes signed operands, and signedResults whether its result is signed.
func signedOps(op ir.Op) bool {
	switch op {
	case ir.SMin, ir.SMax, ir.SLt, ir.SLe, ir.SToF, ir.MulHiS, ir.MulWideS, ir.ShrS, ir.SBfe, ir.SAddSat, ir.SSubSat, ir.SExt, ir.SAbsDiff:
		return true
	}
	return false
}

// find infers the types: if a value is used with several types, a float one wins.
func (u *uses) find() {
	for v := range u.b.Vals {
		t := &u.types[u.root[v]]
		if is := (Type{Type: u.b.Vals[v].Type}); t.Type == ir.NoType || is.Float() || is.Type == ir.V2F16 {
			t.Type = is.Type
		}
	}
	for i := range u.b.Ops {
		in := &u.b.Ops[i]
		if signedOps(in.Op) {
			for k, a := range in.Args {
				u.types[u.root[a]].Signed = k == 0 || in.Op != ir.ShrS && in.Op != ir.SBfe
			}
		}
		u.halves(in)
		if in.NRes > 0 && (in.Op == ir.FToS || signedOps(in.Op)) {
			u.types[u.root[in.Res]].Signed = true
		}
	}
}

// halves finds words whose low half is a float.
func (u *uses) halves(in *ir.Inst) {
	var word, half ir.Val
	switch {
	case in.Op == ir.ZExt || in.Op == ir.Insert && in.Imm == 0:
		word, half = in.Res, in.Args[len(in.Args)-1]
	case in.Op == ir.Trunc || in.Op == ir.Extract && in.Imm == 0:
		word, half = in.Args[0], in.Res
	default:
		return
	}
	if t := &u.types[u.root[word]]; u.types[u.root[half]].Type == ir.F16 && t.Type == ir.I32 {
		t.Type = ir.F16
	}
}

// enter records the type with which an op uses a register.
func (u *uses) enter(c *Code, i int) {
	in := &u.b.Ops[i]
	pc := u.b.Marks[u.b.MarkAt(i)].PC
	switch in.Op {
	case ir.Get:
		c.keep(c.kinds, in.Cell, kindAt{pc, u.types[u.root[in.Res]]})
	case ir.Set:
		c.keep(c.kinds, in.Cell, kindAt{pc, u.types[u.root[in.Args[0]]]})
	case ir.Pack:
		if g := u.def(in.Args[0]); g != nil && g.Op == ir.Get {
			c.keep(c.pairs, g.Cell, kindAt{pc, u.types[u.root[in.Res]]})
		}
	case ir.Unpack:
		for k := range u.b.Ops {
			if s := &u.b.Ops[k]; s.Op == ir.Set && u.root[s.Args[0]] == u.root[in.Res] {
				c.keep(c.pairs, s.Cell, kindAt{pc, u.types[u.root[in.Args[0]]]})
			}
		}
	}
}

// def returns the op that defines a value.
func (u *uses) def(v ir.Val) *ir.Inst {
	for i := range u.b.Ops {
		if in := &u.b.Ops[i]; in.NRes > 0 && in.Res == u.root[v] {
			return in
		}
	}
	return nil
}

func (c *Code) keep(in map[ir.Cell][]kindAt, cell ir.Cell, k kindAt) {
	if list := in[cell]; len(list) == 0 || list[len(list)-1] != k {
		in[cell] = append(list, k)
	}
}

// TypeOf returns the type of a register at an address: that of its use by the last instruction before the address, or
// else by the first after it.
func (c *Code) TypeOf(cells []ir.Cell, pc uint64, mode uint32) Type {
	if c.kinds == nil {
		c.learn(mode)
	}
	in, unknown := c.kinds, u32
	if len(cells) == 2 {
		in, unknown = c.pairs, u64
	}
	t := unknown
	for i, k := range in[cells[0]] {
		if i == 0 || k.pc <= pc {
			t = k.t
		}
	}
	if t.Bits() != unknown.Bits() && t.Type != ir.I1 && (t.Type != ir.F16 || len(cells) == 2) {
		return unknown
	}
	return t
}
