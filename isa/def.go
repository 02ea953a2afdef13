package isa

import (
	"github.com/heddle-gpu/heddle/bits"
	"github.com/heddle-gpu/heddle/ir"
)

// A Name is a field, operand or part that the code of an instruction set reads: an index into Arch.Names. A part is
// named as it is, or "operand.part" where several operands have one of that name.
type Name uint8

// maxNames bounds Arch.Names, maxArgs the args of a row and the parts of an arg: what was read is a set of 64 bits.
const (
	maxNames = 255
	maxArgs  = 64
)

// A Def is one instruction in one encoding: a row of an instruction set's table, compiled.
type Def struct {
	Name     string   // mnemonic, as printed
	Spell    []string // mnemonic by dialect, where it differs; "": Name
	Also     []string // more names under which it parses
	Variants uint32   // bit i: variant i has it
	Stages   uint32   // bit i: stage i has it; 0: all
	Class    uint8    // which part of a bundle it can be: an index into Arch.Classes
	size     uint8    // bytes without literal; these three are all that decoding most rows asks for
	literal  bool     // a literal may follow
	exam     bool     // some words are refused
	calms    bool     // see shape.calm
	Enc      *Encoding
	Op       uint64  // opcode
	Fix      []Fixed // more bits that identify the row
	Args     []Arg
	Doc      string
	Source   string
	Entry    string // what the reference lists the row under, one of Arch.Entries; "": it does not, or there is no list
	// Implicit are the cells that the instruction reads or writes although no operand names them.
	Implicit []Implicit
	Meaning  Meaning     // nil: decodes, cannot run
	Form     *Form       // how the meaning reads operands and writes results
	Lack     Lack        // why Meaning is nil
	Fidelity ir.Fidelity // of the row itself; what users see is the worse of this and of its ops
	Options  []string    // the options that chose a modelled meaning
	Note     string      // where sources contradict each other: what was chosen and why
	Rank     int         // among rows of one name: lower is tried first
	Short    bool        // of two forms the short one: Arch.Layout may ask for the other
	Alias    bool        // parses, never decodes
	Private  bool        // no public encoding: the layout is ours and never leaves the program
	Idle     []Fixed     // what bits that the row does not claim assemble as; nothing: 0
	// Check says what is wrong with a combination of fields that each are legal; "": nothing. It is asked at decode
	// and at assembly: what it refuses is no instruction.
	Check func(in *Inst) string
	// Bars is what Check refuses, as data: of a row that has both, one of them holds of exactly the words that Check refuses.
	Bars func(d *Def) []Bar
	// Canon clears the bits that text leaves out for reasons that lie in other fields; nil: Kind.Canon tells all.
	// Rows that have it may read and print as another word with the same text.
	Canon func(in *Inst)
	Data  any // the row as its ISA declared it
	// Tags are what the rule of the set's groups, Group.Rule, asks of the row.
	Tags []string

	ID     int
	set    *Set
	value  bits.Word // of the fixed bits
	start  bits.Word // of text that says nothing: value, idle and defaults
	begin  string    // the name, and the head of the shape
	*shape           // what follows from Enc, Args, Fix and Idle
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
	LackForm           // described, but not in this form
)

// A Form is what rows share: how operands are read as values and results written.
type Form struct {
	Src func(l *Lift, i int) ir.V
	Dst func(l *Lift, i int, v ir.V)
	// Before and After surround the meaning of every instruction of the form; nil: nothing.
	Before, After func(l *Lift)
}

// Find is the row's operand or modifier of that name, nil if it has none. It searches: for tools and tests.
func (d *Def) Find(name string) *Arg {
	for i := range d.Args {
		if d.Args[i].Name == name {
			return &d.Args[i]
		}
	}
	return nil
}

// Operand is the row's operand of that number in text order, without prefixes, suffixes and modifiers.
func (d *Def) Operand(i int) *Arg { return d.ops[i] }

// Operands is the number of the row's operands.
func (d *Def) Operands() int { return len(d.ops) }

// InVariant reports whether the variant has the row.
func (d *Def) InVariant(v int) bool { return d.Variants>>v&1 != 0 }

// InStage reports whether the stage has the row.
func (d *Def) InStage(st int) bool { return d.Stages == 0 || d.Stages>>st&1 != 0 }

func (d *Def) in(variant, stage int) bool { return d.InVariant(variant) && d.InStage(stage) }

// Mask and Value are the bits that identify the row; Claimed also holds those of its operands.
func (d *Def) Mask() bits.Word    { return d.mask }
func (d *Def) Value() bits.Word   { return d.value }
func (d *Def) Claimed() bits.Word { return d.claimed }

// IdleBits are what bits that the row does not claim assemble as.
func (d *Def) IdleBits() bits.Word { return d.idle }

// mnemonic is the row's name in a dialect.
func (d *Def) mnemonic(dialect int) string {
	if dialect < len(d.Spell) && d.Spell[dialect] != "" {
		return d.Spell[dialect]
	}
	return d.Name
}

// Sure is what bits of a word of the row have to hold so that DecodePart refuses nothing in it, if it takes the word for one of the
// row: those under the mask hold the value. Others need a closer look, which some pass. ok is false if all words of the row do.
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

// Allows reports whether DecodePart refuses nothing in a word that it takes for one of the row; of rows with a literal or a Check it
// does not say so.
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

// EncodedSize is the length in bytes that the word has as an instruction of the row.
func (d *Def) EncodedSize(w bits.Word) int {
	in := Inst{Def: d, Word: w}
	if in.HasLiteral() {
		return d.Enc.Literal.end()
	}
	return d.Enc.Bits / 8
}
