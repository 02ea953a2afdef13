package valhall

import (
	"strconv"

	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// V is a value of the IR.
type V = ir.V

// An origin is how a source is read. Modifiers are applied in this order: swizzle or widening, absolute value, sign,
// inversion.
type origin struct {
	arg    int // in the form's args
	typ    ir.Type
	mod    mod
	signed bool // what is narrower keeps its sign
}

// A mod is what the swizzle field of a source selects.
type mod uint8

const (
	modNone    mod = iota
	modWiden2      // a half of f16, widened to f32
	modSwz16       // halves of v2
	modWiden8      // bytes of v4
	modWiden16     // halves or bytes of v2
	modWiden32     // a half or byte, extended to 32 bits
	modWiden64     // a word, half or byte, extended to 64 bits
	modShift       // bytes that are shift amounts
	modByte        // one byte
	modBytes       // two bytes
	modHalf        // one half
	modCombine     // what a branch tests
)

// An operand is a piece of a form.
type operand struct {
	arg  isa.Arg
	src  origin
	used bool // it is a source: src counts
}

// A form is the operands and modifiers of an instruction, in text order.
type form struct {
	args  []isa.Arg
	srcs  []origin
	dst   int    // index in args of the result; -1: none
	page  bool   // a source can be of a page
	slot  bool   // it names a slot
	jumps bool   // it names a place in the code
	bytes uint64 // bits of the sources
	regs  []int  // indexes in args of groups of registers
	// limits and unknowns are fields of which not all architectures have all values, and of which some have no known meaning.
	limits, unknowns []bounded
	refused          [numArchs][]refusal // limits by architecture, as decoding asks for them
}

// A unit is where an instruction is carried out. Messages leave the thread, and come back when they are waited for.
type unit uint8

const (
	unitFMA unit = iota
	unitCVT
	unitSFU
	unitNone // messages from here on, but for NOP's
	unitLS
	unitV
	unitT
	unitVT
)

// A size is memory as elements of so many bytes each: what no element has room for is made of several.
type size struct{ elem, count uint8 }

// sizes are those of loads and stores, by their secondary opcode, and of texels in memory.
var (
	sizes = [...]size{{1, 1}, {2, 1}, {1, 3}, size32, {2, 3}, size64, {4, 3}, size128}

	size32, size64, size128 = size{4, 1}, size{4, 2}, size{4, 4}
)

func (s size) bits() int { return 8 * int(s.elem) * int(s.count) }

// digits is how many bits it has, name the type of an access: i32.
func (s size) digits() string { return strconv.Itoa(s.bits()) }
func (s size) name() string   { return "i" + s.digits() }

// words is how many registers hold it.
func (s size) words() int { return (int(s.elem)*int(s.count) + 3) / 4 }

// A row is an instruction.
type row struct {
	name   string
	also   []string // names of the early reference
	op     uint64
	fix    []isa.Fixed // the secondary opcode
	unit   unit
	form   *form
	moves  func(in *isa.Inst, a *isa.Arg) int // staging registers of a group that count, whatever their number; nil: all
	part   func(in *isa.Inst) uint8           // bytes of each that it writes; nil: all
	size   size                               // of an access of memory that its name tells; of no bytes: another
	mean   isa.Meaning
	traits isa.Traits // for rules over the flow of control
	quad   bool       // it takes values of other threads
	// coverage are operands that are the coverage of the fragment.
	coverage []isa.Name
	doc      string
	ref      string // section of the reference
	lack     isa.Lack
	note     string
	check    func(in *isa.Inst) string  // what is wrong with a word; nil: nothing
	bars     func(d *isa.Def) []isa.Bar // check as data
	options  []string                   // that chose a modelled meaning
	// since and until are the first and the last architecture that has it; 0: of all.
	since, until int
	// fidelity is that of the row itself; unset: modelled with an option, else exact.
	fidelity ir.Fidelity
}

func rowOf(in *isa.Inst) *row { return in.Def.Data.(*row) }
