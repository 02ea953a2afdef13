package isa

import (
	"github.com/heddle-gpu/heddle/bits"
	"github.com/heddle-gpu/heddle/ir"
)

// A Name is a field, operand or part that code of an instruction set reads: an index into Arch.Names. A part has its
// own name, or "operand.part" if several operands have one of that name.
type Name uint8

// maxNames limits Arch.Names; maxArgs limits the args of a row and the parts of an arg: a set of those read so far
// has 64 bits.
const (
	maxNames = 255
	maxArgs  = 64
)

// A Def is one instruction in one encoding: a row of an instruction set's table, compiled.
type Def struct {
	Name     string   // mnemonic, as printed
	Spell    []string // mnemonic by dialect, where it differs; "": Name
	Also     []string // more names that are accepted
	Variants uint32   // bit i: variant i has it
	Stages   uint32   // bit i: stage i has it; 0: all
	Class    uint8    // which part of a bundle it can be: an index into Arch.Classes
	size     uint8    // bytes without literal; decoding most rows needs only this and the next two
	literal  bool     // a literal may follow
	exam     bool     // some words are refused
	calms    bool     // see shape.calm
	Enc      *Encoding
	Op       uint64  // opcode
	Fix      []Fixed // more bits that identify the row
	Args     []Arg
	Doc      string
	Source   string
	Entry    string // the entry of Arch.Entries that lists the row; "": none, or there is no list
	// Implicit are the cells that the instruction reads or writes without an operand that names them.
	Implicit []Implicit
	Meaning  Meaning     // nil: decodes, cannot run
	Form     *Form       // how operands are read and results written
	Lack     Lack        // why Meaning is nil
	Fidelity ir.Fidelity // of the row itself; users see the worse of this and that of its ops
	Options  []string    // the options that chose a modelled meaning
	Note     string      // how a contradiction between sources was resolved, and why
	Rank     int         // among rows of one name: lower is tried first
	Short    bool        // the short of two forms: Arch.Layout may ask for the other
	Alias    bool        // is parsed, never decoded
	Twin     bool        // the text of some words may assemble to another encoding of the instruction; see Inst.Exact
	Private  bool        // no public encoding: the layout is private and never leaves the program
	Idle     []Fixed     // values of unclaimed bits in assembled words; empty: 0
	// Check says what is wrong with a combination of fields that are legal one by one; "": nothing. It is called by
	// decoder and assembler: what it refuses is no instruction.
	Check func(in *Inst) string
	// Forbids are the combinations that Check refuses, as data: if a row has both, a bar applies to exactly the words
	// that Check refuses.
	Forbids func(d *Def) []Forbidden
	// Canon clears bits that the text omits depending on other fields; nil: Kind.Canon is enough. Rows with a Canon
	// may read back as another word with the same text.
	Canon func(in *Inst)
	Data  any // the row as its ISA declared it
	// Tags are what Group.Rule, the bundling rule of the set, reads of the row.
	Tags []string

	ID     int
	set    *Set
	value  bits.Word // of the fixed bits
	start  bits.Word // the word before any text is read: value, idle and defaults
	*shape           // derived from Enc, Args, Fix and Idle
}

// Implicit is n cells, from one on, that an instruction touches without naming them: a condition, a mask, a limit.
type Implicit struct {
	Name string // as the ISA's users write it
	Cell ir.Cell
	N    int
	Role Role
}

// Lack says why a row has no semantics.
type Lack uint8

const (
	LackNone      Lack = iota
	LackUndefined      // the manual gives none
	LackUnbuilt        // described, but not implemented
	LackForm           // described, but not in this form
)

// A Form is what rows share: how operands are read as values and results are written.
type Form struct {
	Src func(l *Lift, i int) ir.V
	Dst func(l *Lift, i int, v ir.V)
	// Before and After run around the semantics of every instruction of the form; nil: nothing.
	Before, After func(l *Lift)
}

// Find returns the row's operand or modifier of that name, or nil. It searches linearly: for tools and tests.
func (d *Def) Find(name string) *Arg {
	for i := range d.Args {
		if d.Args[i].Name == name {
			return &d.Args[i]
		}
	}
	return nil
}

// Operand returns the row's operand i in text order, not counting prefixes, suffixes and modifiers.
func (d *Def) Operand(i int) *Arg { return d.ops[i] }

// Operands returns the number of the row's operands.
func (d *Def) Operands() int { return len(d.ops) }

// InVariant reports whether the variant has the row.
func (d *Def) InVariant(v int) bool { return d.Variants>>v&1 != 0 }

// InStage reports whether the stage has the row.
func (d *Def) InStage(st int) bool { return d.Stages == 0 || d.Stages>>st&1 != 0 }

func (d *Def) in(variant, stage int) bool { return d.InVariant(variant) && d.InStage(stage) }

// Mask and Value return the bits that identify the row; Claimed also includes those of its operands.
func (d *Def) Mask() bits.Word    { return d.mask }
func (d *Def) Value() bits.Word   { return d.value }
func (d *Def) Claimed() bits.Word { return d.claimed }

// IdleBits returns the values of unclaimed bits in assembled words.
func (d *Def) IdleBits() bits.Word { return d.idle }

// mnemonic returns the row's name in a dialect.
func (d *Def) mnemonic(dialect int) string {
	if dialect < len(d.Spell) && d.Spell[dialect] != "" {
		return d.Spell[dialect]
	}
	return d.Name
}

// Sure returns a condition under which DecodePart accepts a word of the row without further checks: the bits under
// mask hold value. Other words are checked further, and some are accepted. ok is false if all words of the row need a
// check.
func (d *Def) Sure() (mask, value bits.Word, ok bool) {
	if d.Check != nil || d.literal || len(d.checks) > 0 && !d.calms {
		return mask, value, false
	}
	mask, value = d.mask.Or(d.watched), d.value.Or(d.calm)
	if d.Enc.Unclaimed == Zero {
		mask = mask.Or(bits.Low(d.Enc.Bits).AndNot(d.claimed))
	}
	return mask, value, true
}

// Allows reports whether DecodePart certainly accepts a word of the row. It returns false for rows with a literal or
// a Check.
func (d *Def) Allows(w bits.Word) bool {
	if d.Check != nil || d.literal {
		return false
	}
	for i := range d.checks {
		if c := &d.checks[i]; c.refuses(c.get(w)) {
			return false
		}
	}
	return d.Enc.Unclaimed != Zero || w.First(int(d.size)).AndNot(d.claimed).IsZero()
}

// EncodedSize returns the size in bytes that the word has as an instruction of the row.
func (d *Def) EncodedSize(w bits.Word) int {
	in := Inst{Def: d, Word: w}
	if in.HasLiteral() {
		return d.Enc.Literal.end()
	}
	return d.Enc.Bits / 8
}
