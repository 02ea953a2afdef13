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
	signed bool // narrow values are sign-extended
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
	used bool // it is a source: src is valid
}

// A form is the operands and modifiers of an instruction, in text order.
type form struct {
	args  []isa.Arg
	srcs  []origin
	dst   int    // index in args of the result; -1: none
	page  bool   // a source can use the page
	slot  bool   // it has a slot
	jumps bool   // it has a code address
	bytes uint64 // bits of the sources
	regs  []int  // indexes in args of groups of registers
	// limits and unknowns are fields with values that not all architectures have, and fields with values without known
	// semantics.
	limits, unknowns []bounded
	refused          [numArchs][]refusal // limits by architecture, for decoding
}

// A unit is where an instruction executes. Messages leave the thread; their results arrive when they are waited for.
type unit uint8

const (
	unitFMA unit = iota
	unitCVT
	unitSFU
	unitNone // all units from here on are messages, except NOP's
	unitLS
	unitV
	unitT
	unitVT
)

// A size is memory as count elements of elem bytes each; sizes without an element type are made of several elements.
type size struct{ elem, count uint8 }

// sizes are those of loads and stores by secondary opcode, and those of texels in memory.
var (
	sizes = [...]size{{1, 1}, {2, 1}, {1, 3}, size32, {2, 3}, size64, {4, 3}, size128}

	size32, size64, size128 = size{4, 1}, size{4, 2}, size{4, 4}
)

func (s size) bits() int { return 8 * int(s.elem) * int(s.count) }

// digits is the number of bits, name the type of an access: i32.
func (s size) digits() string { return strconv.Itoa(s.bits()) }
func (s size) name() string   { return "i" + s.digits() }

// words is the number of registers that hold it.
func (s size) words() int { return (int(s.elem)*int(s.count) + 3) / 4 }

// A row is an instruction.
type row struct {
	name   string
	also   []string // names of the early reference
	op     uint64
	fix    []isa.Fixed // the secondary opcode
	unit   unit
	form   *form
	moves  func(in *isa.Inst, a *isa.Arg) int // number of staging registers of a group that are read or written; nil: all
	part   func(in *isa.Inst) uint8           // mask of the bytes of each that it writes; nil: all
	size   size                               // of a memory access whose name gives the size; else of no bytes
	mean   isa.Meaning
	traits isa.Traits // for rules about control flow
	quad   bool       // it reads values of other threads
	// coverage are operands that hold the coverage of the fragment.
	coverage []isa.Name
	doc      string
	ref      string // section of the reference
	lack     isa.Lack
	note     string
	check    func(in *isa.Inst) string        // reports what is wrong with a word; nil: nothing
	bars     func(d *isa.Def) []isa.Forbidden // check as data
	options  []string                         // that chose a modelled meaning
	// since and until are the first and the last architecture with the row; 0: no limit.
	since, until int
	// fidelity is that of the row itself; unset: modelled with an option, else exact.
	fidelity ir.Fidelity
}

func rowOf(in *isa.Inst) *row { return in.Def.Data.(*row) }
