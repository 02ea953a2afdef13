package isa

import (
	"github.com/heddle-gpu/heddle/bits"
	"github.com/heddle-gpu/heddle/ir"
)

// An Encoding is the bit layout of a family of instructions. Bits are numbered as the manual does;
// what no range claims assembles as 0.
type Encoding struct {
	Name    string
	Bits    int // without a literal: 8 to 128
	Fixed   []Fixed
	Opcode  bits.Ranges
	Fields  []Field
	Literal *Literal // a constant that may follow; nil: none
	// Unclaimed says what set bits mean that neither the layout nor the row claims.
	Unclaimed Policy
	// First makes the rows of this encoding win over others that match the same word.
	First  bool
	Source string // document and section
}

// Fixed is a range that always holds one value.
type Fixed struct {
	At    bits.Range
	Value uint64
}

// Must is a range of bits that identifies an encoding or a row.
func Must(lo, hi int, value uint64) Fixed { return Fixed{bits.Span(lo, hi), value} }

// A Field is a named range of a layout and the kind of what it holds.
type Field struct {
	Name string
	At   bits.Ranges
	Kind *Kind
}

// Bits is the field in bits lo to hi.
func Bits(name string, lo, hi int, k *Kind) Field {
	return Field{name, bits.Ranges{bits.Span(lo, hi)}, k}
}

// A Literal is a constant that follows an instruction when a field asks for it.
type Literal struct {
	Fields []string // any of these
	Code   uint64   // value that asks for it
	Always bool     // it is always there
	At     bits.Range
}

// Policy is what set bits mean that nothing claims.
type Policy uint8

const (
	Unknown Policy = iota // kept, reported by lint
	Ignored               // kept, silent: hardware is known to ignore them
	Zero                  // a decode error
)

// A Kind is a class of operand or modifier: how a field's value reads as text, and back.
// Printer and parser stand side by side so that they cannot drift apart.
type Kind struct {
	Name string // in messages: "a VGPR"
	// Table holds the text of value i. An empty entry is left to Text, or prints nothing.
	Table []string
	// Reserved marks values that no instruction may hold; the index is the value.
	Reserved []bool
	// Text appends the text of a value that the table lacks.
	Text func(p *Printer, dst []byte, in *Inst, a *Arg, v uint64) []byte
	// Parse reads the text of a value. On failure it has called s.Fail.
	Parse func(s *Scan, in *Inst, a *Arg) (uint64, bool)
	// Canon clears the bits of a value that its text does not tell; nil: the text tells all.
	Canon func(v uint64) uint64
	// Samples are values worth testing; all of a field of up to four bits are tested anyway.
	Samples []uint64
	// Regs are the cells that a value names, n from c on, none for a constant; nil: not known. Roles speak of them.
	Regs func(in *Inst, a *Arg, v uint64) (c ir.Cell, n int)
}

// A Role says what an instruction does with an operand.
type Role uint8

const (
	NoRole Role = iota
	Use
	Define
	UseDef
)

// An Arg is an operand or modifier of a row: a field seen through a kind.
type Arg struct {
	Name string
	Kind *Kind
	At   bits.Ranges // nothing: text that stands for no bits
	Role Role
	// RoleIf, where the role depends on the rest of the instruction, takes the place of Role.
	RoleIf func(in *Inst) Role
	Width  int  // bits of the operand: 16, 32, 64 ...
	Mod    bool // a modifier: prints after the operands with its own separator, in any order
	Need   bool // a modifier that the text must have: it tells the row from others of its name
	Glue   bool // a suffix of the mnemonic: stands before the operands, without a blank
	Lead   bool // a modifier that stands before the mnemonic; its Kind, one for all rows of the set, parses without row and operand
	Typ    ir.Type
	// Neg, Abs and Sext are the bits of the source modifiers of this operand; 0 is none.
	Neg, Abs, Sext uint8
	Default        uint64 // the value of a modifier that the text leaves out

	hi, shift uint8
	mask      uint64
}

// RoleIn is what the instruction does with the operand.
func (a *Arg) RoleIn(in *Inst) Role {
	if a.RoleIf != nil {
		return a.RoleIf(in)
	}
	return a.Role
}

// Get is the value of the operand's field.
func (a *Arg) Get(w bits.Word) uint64 {
	if len(a.At) > 1 {
		return a.At.Get(w)
	}
	x := w.Lo
	if a.hi != 0 {
		x = w.Hi
	}
	return x >> a.shift & a.mask
}

// Put is w with the value in the operand's field.
func (a *Arg) Put(w bits.Word, v uint64) bits.Word {
	if len(a.At) > 1 {
		return a.At.Put(w, v)
	}
	if a.hi != 0 {
		w.Hi = w.Hi&^(a.mask<<a.shift) | v&a.mask<<a.shift
	} else {
		w.Lo = w.Lo&^(a.mask<<a.shift) | v&a.mask<<a.shift
	}
	return w
}

// fits reports whether the field can hold v.
func (a *Arg) fits(v uint64) bool {
	if len(a.At) == 1 {
		return v&^a.mask == 0
	}
	return v&^bits.Ones(a.At.Len()) == 0
}

// A Def is one instruction in one encoding: a row of an instruction set's table, compiled.
type Def struct {
	Name     string   // mnemonic, as printed
	Also     []string // more names under which it parses
	Variants uint32   // bit i: variant i has it
	Stages   uint32   // bit i: stage i has it; 0: all
	Enc      *Encoding
	Op       uint64  // opcode
	Fix      []Fixed // more bits that identify the row
	Args     []Arg
	Doc      string
	Source   string
	// Implicit are the cells that the instruction reads or writes although no operand names them.
	Implicit []Implicit
	Meaning  Meaning     // nil: decodes, cannot run
	Form     *Form       // how the meaning reads operands and writes results
	Lack     Lack        // why Meaning is nil
	Fidelity ir.Fidelity // of the row itself; what users see is the worse of this and of its ops
	Option   string      // the option that chose a modelled meaning
	Note     string      // where sources contradict each other: what was chosen and why
	Rank     int         // among rows of one name: lower is tried first
	Alias    bool        // parses, never decodes
	Private  bool        // no public encoding: the layout is ours and never leaves the program
	Idle     []Fixed     // what bits that the row does not claim assemble as; nothing: 0
	// Canon clears the bits that text leaves out for reasons that lie in other fields; nil: Kind.Canon tells all.
	// Rows that have it may read and print as another word with the same text.
	Canon func(in *Inst)
	Data  any // the row as its ISA declared it

	ID          int
	mask, value bits.Word // of the fixed bits
	claimed     bits.Word
	idle        bits.Word // of Idle, without claimed bits
	lead        *Arg
	steps       []step
	checks      []check
	lit         []uint8 // indexes in Args whose value may ask for the literal
	nops        int     // suffixes and operands; the other Args are modifiers
	glued       int     // suffixes
}

// Implicit is n cells from one on that an instruction touches without naming them: a condition, a mask, a limit.
type Implicit struct {
	Name string // as the ISA's users write it
	Cell ir.Cell
	N    int
	Role Role
}

// Lack says why a row has no meaning.
type Lack uint8

const (
	LackNone      Lack = iota
	LackUndefined      // the manual describes none
	LackUnbuilt        // described, not built yet
	LackGraphics       // needs a stage that is not built yet
)

// A Form is what rows share: how operands are read as values and results written.
type Form struct {
	Src func(l *Lift, i int) ir.V
	Dst func(l *Lift, i int, v ir.V)
	// Before and After surround the meaning of every instruction of the form; nil: nothing.
	Before, After func(l *Lift)
}

// An Inst is one decoded instruction: field values as encoded, unclaimed bits kept.
type Inst struct {
	Def  *Def
	Word bits.Word // with its literal
	Addr uint64
	Size uint8 // bytes
	Var  uint8 // index of the variant it was decoded for
}

// A Bundle is what issues together: one Inst, or the parts of a group.
// The caller owns and reuses Parts.
type Bundle struct {
	Parts []Inst
	Pad   uint8 // bytes of padding after the last part
}

// Size is the length of the bundle in bytes, padding included.
func (b *Bundle) Size() int {
	n := int(b.Pad)
	for i := range b.Parts {
		n += int(b.Parts[i].Size)
	}
	return n
}

// one is the only part of a bundle of one.
func (b *Bundle) one() *Inst {
	b.Parts = b.Parts[:0]
	return b.Grow()
}

// Grow appends a part, for Arch.Split to decode into, and returns it; it may hold an earlier instruction.
func (b *Bundle) Grow() *Inst {
	if len(b.Parts) < cap(b.Parts) {
		b.Parts = b.Parts[:len(b.Parts)+1]
	} else {
		b.Parts = append(b.Parts, Inst{})
	}
	return &b.Parts[len(b.Parts)-1]
}

// Encode appends the bundle's bytes, padding included.
func (b *Bundle) Encode(dst []byte) ([]byte, error) {
	var err error
	for i := range b.Parts {
		if dst, err = b.Parts[i].Encode(dst); err != nil {
			return dst, err
		}
	}
	for range b.Pad {
		dst = append(dst, 0)
	}
	return dst, nil
}

// Get is the value of the named field of the instruction's encoding or row; 0 if it has none.
func (in *Inst) Get(name string) uint64 {
	for i := range in.Def.Args {
		if a := &in.Def.Args[i]; a.Name == name {
			return a.Get(in.Word)
		}
	}
	for i := range in.Def.Enc.Fields {
		if f := &in.Def.Enc.Fields[i]; f.Name == name {
			return f.At.Get(in.Word)
		}
	}
	return 0
}

// Has reports whether the row has an operand or modifier of that name.
func (in *Inst) Has(name string) bool { return in.Def.Arg(name) != nil }

// Arg is the row's operand or modifier of that name, nil if it has none.
func (d *Def) Arg(name string) *Arg {
	for i := range d.Args {
		if d.Args[i].Name == name {
			return &d.Args[i]
		}
	}
	return nil
}

// Operands are the row's operands in text order, without suffixes and modifiers.
func (d *Def) Operands() []Arg { return d.Args[d.glued:d.nops] }

// Res is the set bits that the row and its encoding do not claim.
func (in *Inst) Res() bits.Word { return in.Word.AndNot(in.claimed()) }

func (in *Inst) claimed() bits.Word {
	c := in.Def.claimed
	if in.HasLiteral() {
		c = c.Or(in.Def.Enc.Literal.At.Mask())
	}
	return c
}

// Canon is the instruction as its text alone would give it: unclaimed bits idle, and those cleared that text leaves out.
func (in *Inst) Canon() Inst {
	c := *in
	c.Word = c.Word.And(in.claimed()).Or(in.Def.idle)
	for i := range c.Def.Args {
		if a := &c.Def.Args[i]; a.Kind.Canon != nil {
			c.Word = a.Put(c.Word, a.Kind.Canon(a.Get(c.Word)))
		}
	}
	if c.Def.Canon != nil {
		c.Def.Canon(&c)
	}
	return c
}

// HasLiteral reports whether a literal follows the encoding.
func (in *Inst) HasLiteral() bool {
	l := in.Def.Enc.Literal
	if l == nil {
		return false
	}
	if l.Always {
		return true
	}
	for _, i := range in.Def.lit {
		if in.Def.Args[i].Get(in.Word) == l.Code {
			return true
		}
	}
	return false
}

// Literal is the constant that follows the encoding; 0 if there is none.
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
