package isa

import (
	"slices"
	"strings"

	"github.com/heddle-gpu/heddle/ir"
)

// An Arch is an instruction set as its package declares it: plain data, and a few functions for what only this set
// has.
type Arch struct {
	Name     string
	Doc      string
	Variants []Variant // the first is the default
	Stages   []string  // if decoding depends on the stage; else empty
	// StageNames are the usual names of the stages, in the same order: compute, vertex, geometry, fragment. May be
	// nil.
	StageNames []string
	Dialects   []string   // assembler dialects; the first is the default; empty: one
	Syntaxes   [][]string // other names of the dialects, in the same order; may be nil
	Classes    []string   // the classes of parts of a bundle; empty: one class
	Names      []string   // fields that code of the set reads by Name
	Unit       int        // bytes: the size of each instruction is a multiple of it
	Longest    int        // bytes of the longest instruction, literals included
	Defs       []Def
	// Only is the mask of the variants whose rows are in Defs, if Defs lacks those of others; 0: all. Whole is then
	// the set with all rows, which is asked about words and mnemonics that this set does not know.
	Only     uint32
	Whole    func() *Set
	Machine  func(variant int) *ir.Machine
	Sep      string   // between operands: ", " or " "
	Suffix   string   // bytes besides '.' that may end a mnemonic and begin a suffix
	Comments []string // what begins a comment to the end of the line; listings use the first; "/*" begins one that ends at "*/"
	// GNU selects the operators, precedence and octal numbers (017) of GNU as; otherwise they are those of C, without
	// octal numbers.
	GNU bool
	// Blanks accepts a blank in place of Sep in input.
	Blanks bool
	// Long is the prefix, followed by a blank, that asks for the form that is not Short; "": there is no such prefix.
	Long string
	// Beside appends to the text of an instruction a note for set bits that the text omits, if they are known to be
	// set by some tools and to have no effect. It appends nothing for other bits. nil: there are no such bits.
	Beside func(dst []byte, in *Inst) []byte
	// AnyCase accepts mnemonics in upper and lower case; rows are in lower case.
	AnyCase bool
	// Lexis describes the files of each dialect; a dialect without an entry has Comments only.
	Lexis []Lexis
	// PrintDialect prints an instruction, given its row, in a dialect other than the first; nil: the rows print all
	// dialects.
	PrintDialect func(p Printer, dst []byte, in *Inst, d *Def) []byte
	// Reword translates the text of a bundle from a dialect other than the first into the first; nil: the rows read
	// all dialects. Without PrintDialect these dialects are only read.
	Reword func(s *Scan) (Reworded, bool)
	// Register resolves a symbol that stands for a register rather than a number. found reports that the symbol names
	// a register. nil: there are no such symbols.
	Register func(s *Scan) (v uint64, found, ok bool)
	Nop      func(variant int) []byte // the instruction with which .align pads code; nil: zero bytes
	// Start prepares the lift of a bundle: the float mode and l.Data. It is called before each bundle, with l.Data as
	// the previous bundle left it.
	Start func(l *Lift)
	// Before and After run around the semantics of every instruction, whatever its form; nil: nothing. After does
	// nothing if the semantics ended the block.
	Before, After func(l *Lift)
	// Cell resolves a register name to its cells (several for pairs and vectors). CellName returns the name of one
	// cell, for sets whose operand tables do not hold it; nil: none.
	Cell     func(variant int, name string) ([]ir.Cell, error)
	CellName func(c ir.Cell) string
	// Compounds are registers whose bits are spread over several cells; Cell does not find them.
	Compounds []Compound
	// Modes are the fields of the mode register of Machine, lowest first; nil: there is none, or none that changes
	// numeric results.
	Modes []ModeField
	// Rules are the rules that programs must obey; see Rule.
	Rules []Rule
	// Validate reports further rules that a bundle breaks, alone or with its neighbours.
	Validate func(v *View) []Finding
	// Flow is what control flow rules need of the set; nil: only the rules common to all sets apply.
	Flow    *Flow
	Options []Option
	// Loose says that a model treats unclaimed bits as having no effect: they are ignored by default. See
	// OptionUnclaimed.
	Loose bool
	// Bounds are the error bounds of approximate rows; the first match counts. nil: none is known.
	Bounds func() []Bound
	// Entries lists the instructions in the order of the reference, if a row describes only a part of one, or
	// several; nil: the rows are the list.
	Entries []Entry
	// Group splits and joins bundles of several parts; nil: a bundle is one part.
	Group *Group
	// Layout chooses forms and padding of the instructions of a file once addresses are known. It is called until it
	// returns false; nil: instructions keep their form. See Unit.
	Layout func(t *Target, units []Unit) (changed bool)
	// Pairs selects the layout of sets whose short instructions (one Unit) come in pairs: two in a row, with no jump
	// target between them. One without a partner takes its long form. Layout must be nil then. The rule looks only at
	// neighbours, so that the assembler can apply it while it reads.
	Pairs bool
	// Open reports whether a statement continues on the next line of the file; nil: never. Both texts are without
	// comments. Such lines reach Group.Parse as one text with line feeds between them, which a Scan treats as blanks.
	Open func(t *Target, text, next string) bool
	// Gaps describes words that no row matches, in the order in which they are tried; nil: nothing.
	Gaps func() []Gap
	// Advise returns a hint for a text that no row fits; nil or "": there is none. d is the row of the error, whose
	// message has no mnemonic yet. Text in quotes must be accepted by the target: see Scan.Takes.
	Advise func(s *Scan, d *Def, e *Error) string
	// Foreign describes a word that is no mnemonic of the set but one of other generations or tools: msg says which,
	// hint what to write instead; both "": unknown. nil: there is no such list. rest is what follows the word.
	Foreign func(t *Target, word, rest string) (msg, hint string)
	// Implied returns a text completed with operands that are always the same and may be left out. It is tried if no
	// row fits the text as written; "": nothing is left out. nil: no text leaves out operands.
	Implied func(t *Target, text string) string
	// LongText returns the long form of an instruction given in its short form, which the target accepts, if the two
	// are spelled differently; "": there is none. nil: they are spelled alike.
	LongText func(s *Scan, text string) string
	// Withheld explains why active lanes may have made no memory access: a limit in a register, and what would lift
	// it; "": no limit applies. once is the number of accesses that the instruction makes for the whole wave, or 0 if
	// each lane makes its own. get returns the value of a uniform cell. nil: there are no such limits.
	Withheld func(in *Inst, get func(c ir.Cell) uint32) (why string, once int)
	// Waits describes, one per line, what a bundle waits for or makes others wait for: counters, what they count, how
	// many operations may stay outstanding. nil: nothing waits, or the semantics say it all.
	Waits func(t *Target, b *Bundle) []string
	// Costs is what a bundle costs, by what does the work: at least one unit, each once. Lack says why there is nothing
	// else known of it.
	Costs func(t *Target, b *Bundle) []Cost
	// Memories is what documents of the set call each address space; "": as ir.SpaceID does. See Memory.
	Memories [ir.FlatSpace]string
	// Terms are the registers, counters and special operands of the set; see Target.Term.
	Terms func() []Term
	// TellsPC reports whether an instruction computes a code address, which programs use to read constants after the
	// code; nil: none does.
	TellsPC func(in *Inst) bool
	// Branch returns the address that part i of a bundle encodes as a branch target, for the labels of listings; nil:
	// no branches.
	Branch func(b *Bundle, i int) (addr uint64, ok bool)
}

// Memory returns the name of an address space in text for users: LDS for the group space of GCN.
func (a *Arch) Memory(id ir.SpaceID) string {
	if id < ir.FlatSpace && a.Memories[id] != "" {
		return a.Memories[id]
	}
	return id.String()
}

// An Entry is an instruction in the list of a reference.
type Entry struct {
	Name   string
	Public string // which part of its encoding is public; "": all
}

// A Reworded is a bundle's text in the first dialect.
type Reworded struct {
	Text  string
	Place func(at int) int     // maps an offset in the text to one in the line
	Done  func(in *Inst) error // completes the instruction from what the text omits; nil: nothing is missing
}

// A Lexis describes files of a dialect: everything but the instructions.
type Lexis struct {
	Comments  []string // as Arch.Comments
	Starts    []string // what begins a comment only at the start of a statement
	Separator byte     // between the statements of a line; 0: none
}

// A Group describes how an instruction set packs several parts into a bundle.
type Group struct {
	// Split decodes all parts of the bundle at the start of code; see Target.DecodePart.
	Split func(t *Target, code []byte, addr uint64, b *Bundle) error
	// Join prints the parts, over several lines if Arch.Open holds at the end of each. Parse reads them and fills in
	// what the text of no part says: addresses, lengths, distances from the end, and padding of at least s.Pad bytes.
	Join  func(p Printer, dst []byte, b *Bundle) []byte
	Parse func(s *Scan, b *Bundle) error
	// Lift lifts the bundle as one or more marks; nil: one mark, the parts one after another.
	Lift func(l *Lift)
	// Pad appends n bytes of padding; nil: zeros.
	Pad func(dst []byte, n int) []byte
	// Rule names the algorithm by which Split takes bundles apart, for those who implement it again; Steps describe
	// it in words: classes, operands of rows by name, and Def.Tags.
	Rule  string
	Steps []string
	// View reports whether parts of a class lie within the bytes of the previous part and have no size of their own;
	// nil: no class does.
	View func(class int) bool
	// Stands says that bytes which decode as a bundle do so whatever follows them.
	Stands bool
	// Sample makes a bundle that contains the instruction, for the tests of package laws; nil: the instruction alone
	// is a bundle. It returns false if no bundle can contain that word.
	Sample func(t *Target, in *Inst, b *Bundle) bool
}

// A View is a bundle and its neighbours, for Validate.
type View struct {
	Target *Target
	Bundle *Bundle
	Part   int     // the instruction to check
	Prev   *Bundle // the previous bundle; nil: none, or unknown
	Next   *Bundle // the next bundle; nil: none, or unknown
}

// Inst returns the instruction to check.
func (v *View) Inst() *Inst { return &v.Bundle.Parts[v.Part] }

// A Unit is an instruction of an assembly file, for Arch.Layout: how it was assembled with the present addresses, and
// what the layout requests.
type Unit struct {
	Bundle *Bundle
	Addr   uint64
	Label  bool  // preceded by a label, a directive or data: control may arrive from elsewhere
	Fixed  bool  // the text gives its bytes: it takes no other form and no padding
	Long   bool  // request: take no row that is Short
	Pad    uint8 // request: bytes of padding after it, written as the bundle's own
}

// A Variant is a generation of an instruction set.
type Variant struct {
	Name    string
	Aliases []string // names that other tools use
	Doc     string
}

// An Option is a documented choice of semantics where the sources are silent.
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
	Hint     string // what to write instead, or ""
}

// Variant returns the index of the variant of that name or alias; "" is the default.
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

// Stage returns the index of the stage of that name; "" and "-" are the first.
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

// PrintsDialects reports whether all dialects are printed; otherwise those other than the first are only read.
func (a *Arch) PrintsDialects() bool { return a.PrintDialect != nil || a.Reword == nil }

// Dialect returns the index of the dialect of that name or alternative name; "" is the first.
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
