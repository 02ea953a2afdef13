package isa

import (
	"slices"
	"strings"

	"github.com/heddle-gpu/heddle/ir"
)

// An Arch is an instruction set as its package declares it: plain data and a few functions
// for what is truly its own.
type Arch struct {
	Name     string
	Doc      string
	Variants []Variant // the first is the default
	Stages   []string  // where decoding depends on the stage; else empty
	// StageNames are what others call the stages, in the same order: compute, vertex, geometry, fragment. May be nil.
	StageNames []string
	Dialects   []string   // styles of text, the first is the default; empty: one
	Syntaxes   [][]string // what others call the dialects, in the same order; may be nil
	Classes    []string   // what parts a bundle can have; empty: one class
	Names      []string   // of the fields that code of the set reads, by Name
	Unit       int        // bytes: instructions are multiples of this
	Longest    int        // bytes of the longest instruction, literals included
	Defs       []Def
	// Only is the mask of the variants whose rows Defs has, where it has not those of all; 0: all. Whole is then the set that
	// has all: what a set with some rows does not know it asks there.
	Only     uint32
	Whole    func() *Set
	Machine  func(variant int) *ir.Machine
	Sep      string   // between operands: ", " or " "
	Suffix   string   // bytes besides '.' at which a mnemonic may end and a suffix begin
	Comments []string // what opens a comment to the end of the line, the one that listings use first; "/*" opens one to "*/"
	// GNU says that operators bind and shift as in GNU as and that 017 is octal; else as in C, without octal numbers.
	GNU bool
	// Blanks takes a blank for Sep in text that is read.
	Blanks bool
	// Long is what stands in front of text that asks for the form that is not Short, with a blank; "": nothing does.
	Long string
	// Beside appends, to the text of an instruction, what stands for set bits that the text leaves out, where it is known which tools
	// set them and that they mean nothing; nothing: they are others. nil: there are none.
	Beside func(dst []byte, in *Inst) []byte
	// AnyCase takes mnemonics in letters of both cases; rows have the lower one.
	AnyCase bool
	// Lexis is what files look like, by dialect; a dialect without one has Comments only.
	Lexis []Lexis
	// Reword turns the text of a bundle, in a dialect other than the first, into that of the first; nil: the rows read all.
	Reword func(s *Scan) (Reworded, bool)
	// Register reads what a symbol may stand for that is no number: registers. found says that it is meant; nil: never.
	Register func(s *Scan) (v uint64, found, ok bool)
	Nop      func(variant int) []byte // the instruction that .align fills code with; nil: zero bytes
	// Start prepares the lift of a bundle: the float mode, what l.Data holds. It is called before every bundle, with
	// l.Data as the bundle before left it.
	Start func(l *Lift)
	// Before and After surround the meaning of every instruction, whatever its form; nil: nothing. An After that finds
	// the block ended by the meaning does nothing.
	Before, After func(l *Lift)
	// Cell resolves a register name to its cells (several for pairs and vectors). CellName is the name of one cell, for sets
	// whose operand tables do not hold it; nil: none.
	Cell     func(variant int, name string) ([]ir.Cell, error)
	CellName func(c ir.Cell) string
	// Compounds are registers whose bits are in several cells; Cell does not find them.
	Compounds []Compound
	// Modes are the fields of the mode register of Machine, lowest first; nil: it has none, or none that change numbers.
	Modes []ModeField
	// Rules are what programs must keep to; see Rule.
	Rules []Rule
	// Validate reports the rules that a bundle breaks among its neighbours, beside Rules.
	Validate func(v *View) []Finding
	// Flow is what rules over the flow of control ask; nil: there are none but those of all sets.
	Flow    *Flow
	Options []Option
	// Loose is that a model says that bits which nothing claims do nothing: they are ignored by default. See OptionUnclaimed.
	Loose bool
	// Bounds are those of approximate rows, the first that fits; nil: none are known.
	Bounds func() []Bound
	// Entries are the instructions as the reference lists them, in its order, where rows stand for parts of one or for several;
	// nil: a page of rows is enough.
	Entries []Entry
	// Group, where several parts make a bundle, takes them apart and puts them together; nil: one part.
	Group *Group
	// Layout chooses forms and padding of the instructions of a file once addresses are known, until it returns false;
	// nil: each stands as it is. See Unit.
	Layout func(t *Target, units []Unit) (changed bool)
	// Pairs is the Layout of sets whose instructions of one Unit, the short ones, come in pairs: two in a row, if nothing jumps
	// between them. One without a partner takes its long form. Layout is nil then: the rule looks at neighbours only, so that
	// the assembler can follow it while it reads.
	Pairs bool
	// Open reports whether a statement goes on on the next line of the file; nil: never. Both are without comments. Such
	// lines reach Group.Parse as one text, with line feeds between; these are blanks to a Scan.
	Open func(t *Target, text, next string) bool
	// Gaps is what is known of words that no row has, in the order in which they are looked at; nil: nothing.
	Gaps func() []Gap
	// Advise is what would do in place of a text that no row fits; nil or "": nothing is known. d is the row that the error is of, whose
	// message has no mnemonic yet. What it gives in quotes are texts that the target takes: see Scan.Takes.
	Advise func(s *Scan, d *Def, e *Error) string
	// Foreign is what is known of a word that is no mnemonic of the set: of one that other generations or tools use, msg says which, and hint
	// what would do in its place; both "": nothing. nil: nothing is known of any.
	// rest is what follows the word.
	Foreign func(t *Target, word, rest string) (msg, hint string)
	// Implied is a text with the operands that it leaves out because they are always the same, tried where no row fits the text as it stands;
	// "": it leaves none out. nil: none ever are.
	Implied func(t *Target, text string) string
	// LongText is a text, which the target takes, of the long form of an instruction whose text is that of a short form, where the two are
	// written with other words; "": there is none. nil: they are written alike.
	LongText func(s *Scan, text string) string
	// Withheld says why lanes that the execution mask has may have made no access to memory: a limit in a register, in words with what
	// would lift it; "": none has a part in it. once is how many accesses an instruction makes for the wave as a whole, 0 if each lane makes
	// its own. get is the value of a cell that holds one value for the wave. nil: there are no such limits.
	Withheld func(in *Inst, get func(c ir.Cell) uint32) (why string, once int)
	// Waits says what a bundle waits for, or makes others wait for: counters, what they count, how many operations may stay pending. A line
	// each; nil: nothing waits, or the meaning says it all.
	Waits func(t *Target, b *Bundle) []string
	// Costs is what a bundle costs a thread, by what does the work, as far as sources say; nil: none says anything.
	Costs func(t *Target, b *Bundle) []Cost
	// Terms are the registers, counters and special operands of the set; see Target.Term.
	Terms func() []Term
	// TellsPC is whether an instruction gives an address of the code, after which programs keep constants; nil: none does.
	TellsPC func(in *Inst) bool
	// Branch is the address that part i of a bundle names in its encoding, for the labels of listings; nil: no branches.
	Branch func(b *Bundle, i int) (addr uint64, ok bool)
}

// An Entry is an instruction in the list of a reference.
type Entry struct {
	Name   string
	Public string // what of its encoding is public, in words; "": all
}

// A Reworded is a bundle's text in the first dialect.
type Reworded struct {
	Text  string
	Place func(at int) int     // where in the line a place of the text comes from
	Done  func(in *Inst) error // completes what the text says; nil: nothing is missing
}

// A Lexis is what files of a dialect look like beside their instructions.
type Lexis struct {
	Comments  []string // as Arch.Comments
	Starts    []string // what opens a comment only where a statement begins
	Separator byte     // between the statements of a line; 0: none
}

// A Group is what an instruction set knows of bundles that have several parts.
type Group struct {
	// Split decodes all parts of the bundle at the start of code; see Target.DecodePart.
	Split func(t *Target, code []byte, addr uint64, b *Bundle) error
	// Join prints the parts: over several lines, if Arch.Open holds at each end of a line. Parse reads them and completes
	// what no text of a part tells: addresses, lengths, distances from the end, the padding, of which there is at least
	// s.Pad.
	Join  func(p Printer, dst []byte, b *Bundle) []byte
	Parse func(s *Scan, b *Bundle) error
	// Lift lifts the bundle as one or several marks; nil: one mark, the parts one after another.
	Lift func(l *Lift)
	// Pad appends n bytes of padding; nil: zeros.
	Pad func(dst []byte, n int) []byte
	// Rule names how Split takes bundles apart, for those who write that anew, and Steps say it in words: of classes, of operands of
	// rows by name, and of Def.Tags.
	Rule  string
	Steps []string
	// View says of a class that its parts lie in the bytes of the part before them and have no size; nil: of none.
	View func(class int) bool
	// Stands: bytes that are a bundle are that bundle whatever follows them.
	Stands bool
	// Sample makes a bundle that holds the instruction, for the laws; nil: the instruction alone is one. It returns false
	// if no bundle can hold that word.
	Sample func(t *Target, in *Inst, b *Bundle) bool
}

// A View is a bundle among its neighbours, for Validate.
type View struct {
	Target *Target
	Bundle *Bundle
	Part   int     // the instruction looked at
	Prev   *Bundle // the bundle before; nil: none, or not known
	Next   *Bundle // the bundle behind; nil: none, or not known
}

// Inst is the instruction looked at.
func (v *View) Inst() *Inst { return &v.Bundle.Parts[v.Part] }

// A Unit is an instruction of a file of assembly, for Arch.Layout: what it has become with the present addresses,
// and what the layout wants of it.
type Unit struct {
	Bundle *Bundle
	Addr   uint64
	Label  bool  // a label, a directive or data stands in front: execution may come from elsewhere
	Fixed  bool  // the text gives its bytes: it takes no other form and no padding
	Long   bool  // take no row that is Short
	Pad    uint8 // bytes of padding behind, written as the bundle's own
}

// A Variant is a generation of an instruction set.
type Variant struct {
	Name    string
	Aliases []string // names that other tools use
	Doc     string
}

// An Option is a documented choice where the sources are silent.
type Option struct {
	Name    string
	Values  []string
	Default string
	Source  string
	Doc     string
}

// A Finding is a rule that an instruction breaks although it decodes.
type Finding struct {
	Rule     string // stable name
	Msg      string
	Source   string // section of the document that states the rule
	Severity Severity
	Hint     string // what would do, or nothing
}

// Variant is the index of the variant of that name or alias; "" is the default.
func (a *Arch) Variant(name string) (int, bool) {
	if name == "" {
		return 0, true
	}
	for i, v := range a.Variants {
		if strings.EqualFold(v.Name, name) {
			return i, true
		}
		for _, al := range v.Aliases {
			if strings.EqualFold(al, name) {
				return i, true
			}
		}
	}
	return 0, false
}

// Stage is the index of the stage of that name; "" and "-" are the first.
func (a *Arch) Stage(name string) (int, bool) {
	if name == "" || name == "-" {
		return 0, true
	}
	for i, s := range a.Stages {
		if s == name || i < len(a.StageNames) && a.StageNames[i] == name {
			return i, true
		}
	}
	return 0, false
}

// Dialect is the index of the dialect of that name, which may be what others call it; "" is the first.
func (a *Arch) Dialect(name string) (int, bool) {
	if name == "" {
		return 0, true
	}
	for i, d := range a.Dialects {
		if d == name || i < len(a.Syntaxes) && slices.Contains(a.Syntaxes[i], name) {
			return i, true
		}
	}
	return 0, false
}
