package isa

import (
	"github.com/heddle-gpu/heddle/bits"
)

// An Inst is one decoded instruction: field values as encoded, unclaimed bits kept.
type Inst struct {
	Def   *Def
	Word  bits.Word // with its literal
	Addr  uint64
	Size  uint8 // bytes
	Var   uint8 // index of the variant it was decoded for
	Stage uint8 // and of the stage
}

// A Bundle is a set of parts that issue together: one Inst, or the parts of a group. The caller owns and reuses
// Parts.
type Bundle struct {
	Parts []Inst
	Pad   uint8 // bytes of padding after the last part
	Own   uint8 // for the set: what target options say of the bundle, set by Group.Split and Group.Parse
}

// Size returns the length of the bundle in bytes, padding included.
func (b *Bundle) Size() int {
	n, parts := int(b.Pad), b.Parts
	for i := range parts {
		n += int(parts[i].Size)
	}
	return n
}

// Addr returns the address of the bundle.
func (b *Bundle) Addr() uint64 { return b.Parts[0].Addr }

// one returns the only part of a bundle of one part.
func (b *Bundle) one() *Inst {
	b.Parts = b.Parts[:0]
	return b.Grow()
}

// Grow appends a part, for Group.Split to decode into, and returns it; it may hold an earlier instruction.
func (b *Bundle) Grow() *Inst {
	if len(b.Parts) < cap(b.Parts) {
		b.Parts = b.Parts[:len(b.Parts)+1]
	} else {
		b.Parts = append(b.Parts, Inst{})
	}
	return &b.Parts[len(b.Parts)-1]
}

// Private reports whether an instruction of the bundle has no public encoding.
func (b *Bundle) Private() bool {
	for i := range b.Parts {
		if b.Parts[i].Def.Private {
			return true
		}
	}
	return false
}

// Encode appends the bundle's bytes, padding included.
func (b *Bundle) Encode(dst []byte) ([]byte, error) {
	var err error
	for i := range b.Parts {
		if dst, err = b.Parts[i].Encode(dst); err != nil {
			return dst, err
		}
	}
	if b.Pad == 0 {
		return dst, nil
	}
	return b.Parts[0].Def.set.pad(dst, int(b.Pad)), nil
}

// pad appends n bytes of a bundle's padding.
func (s *Set) pad(dst []byte, n int) []byte {
	if s.Group != nil && s.Group.Pad != nil {
		return s.Group.Pad(dst, n)
	}
	return append(dst, make([]byte, n)...)
}

// slot returns the bits of the named field. It panics if the row has none, as code of a row must only ask for fields
// that the row has.
func (in *Inst) slot(n Name) *slot {
	i := in.Def.names[n]
	if i == 0 {
		panic("isa: " + in.Def.Name + " (" + in.Def.Enc.Name + ") has no field " + in.Def.set.Names[n])
	}
	return &in.Def.slots[i-1]
}

// Get returns the value of the named operand, modifier or part of the row. It panics if there is none: see Has and
// Opt.
func (in *Inst) Get(n Name) uint64 { return in.slot(n).get(in.Word) }

// Put sets the value of the named field.
func (in *Inst) Put(n Name, v uint64) { in.Word = in.slot(n).put(in.Word, v) }

// Field returns the value of the named field of the encoding, whether or not the row claims it. It panics if there is
// none.
func (in *Inst) Field(n Name) uint64 {
	s := in.Def.fields[n]
	if s == nil {
		panic("isa: " + in.Def.Enc.Name + " has no field " + in.Def.set.Names[n])
	}
	return s.get(in.Word)
}

// HasField reports whether the encoding has the named field.
func (in *Inst) HasField(n Name) bool { return in.Def.fields[n] != nil }

// Has reports whether the row has an operand, modifier or part of that name.
func (in *Inst) Has(n Name) bool { return in.Def.names[n] != 0 }

// Opt returns the value of the named field, 0 if the row has none.
func (in *Inst) Opt(n Name) uint64 {
	if in.Def.names[n] == 0 {
		return 0
	}
	return in.Get(n)
}

// Res returns the set bits that the row and its encoding do not claim.
func (in *Inst) Res() bits.Word { return in.Word.AndNot(in.claimed()) }

func (in *Inst) claimed() bits.Word {
	c := in.Def.claimed
	if in.HasLiteral() {
		c = c.Or(in.Def.Enc.Literal.At.Mask())
	}
	return c
}

// A canon is a field with bits that text omits.
type canon struct {
	slot
	clear func(v uint64) uint64
}

// Canon returns the instruction as its text alone gives it: unclaimed bits idle, and bits that text omits cleared.
func (in *Inst) Canon() Inst {
	c := *in
	c.Word = c.Word.And(in.claimed()).Or(in.Def.idle)
	for i := range c.Def.canons {
		k := &c.Def.canons[i]
		c.Word = k.put(c.Word, k.clear(k.get(c.Word)))
	}
	if c.Def.Canon != nil {
		c.Def.Canon(&c)
	}
	return c
}

// Exact reports whether the text of the decoded instruction, in the first dialect and without labels, certainly
// assembles to its bytes: it is canonical, and its row is no Twin. This is a law of every instruction set; other texts
// must be assembled to know.
func (in *Inst) Exact() bool { return !in.Def.Twin && in.Canon().Word == in.Word }

// HasLiteral reports whether a literal follows the encoding.
func (in *Inst) HasLiteral() bool {
	l := in.Def.Enc.Literal
	if l == nil {
		return false
	}
	if l.Always {
		return true
	}
	for i := range in.Def.lit {
		if in.Def.lit[i].get(in.Word) == l.Code {
			return true
		}
	}
	return false
}

// Literal returns the constant that follows the encoding; 0 if there is none.
func (in *Inst) Literal() uint64 {
	if !in.HasLiteral() {
		return 0
	}
	return in.Word.Get(in.Def.Enc.Literal.At)
}

// Encode appends the instruction's bytes.
func (in *Inst) Encode(dst []byte) ([]byte, error) {
	if in.Def.Private {
		return dst, &Error{Code: ErrEncoding, Off: in.Addr, Msg: in.Def.Name + ": no public encoding"}
	}
	return in.Word.Append(dst, int(in.Size)), nil
}
