package srcinfo

import (
	"fmt"
	"sync"
)

// A Space is the address space of an address.
type Space uint8

const (
	Global  Space = iota // or flat: the address determines the space
	Group                // LDS, shared by a workgroup
	Region               // GDS
	Private              // of a lane: scratch
)

// spaceOf returns the memory of a DWARF address space. Clang up to 19 numbers private memory 1 and LDS 2; later ones
// follow LLVM's table, where 1 is generic, 2 region, 3 local and 5 private. OpenCL C keeps no variable in generic
// memory or in the region.
func spaceOf(n uint64) (Space, error) {
	switch n {
	case 0:
		return Global, nil
	case 1, 5:
		return Private, nil
	case 2, 3:
		return Group, nil
	}
	return 0, fmt.Errorf("DWARF address space %d is not known", n)
}

// A Kind says what a type is.
type Kind uint8

const (
	Void Kind = iota
	Int
	Uint
	Float
	Bool
	Pointer
	Array
	Vector
	Struct // or union: the offsets of its fields are 0
	Enum
	Other // nothing is known but its size
)

// A Type is a type of the source.
type Type struct {
	Name   string // as in the source: uint, float4, const float *
	Kind   Kind
	Size   uint64 // bytes
	Elem   *Type  // of pointers, arrays, vectors; nil for void *
	Count  uint64 // elements of arrays and vectors; 0: unknown
	Fields []Field
	Names  map[int64]string // of enumerators
	Space  Space            // of what a pointer points to
}

// A Field is a member of a struct.
type Field struct {
	Name   string
	Type   *Type
	Offset uint64 // bytes
	Bits   uint64 // of a bit field; 0: it is none
	Shift  uint64 // of a bit field, from the lowest bit at Offset
}

// A Variable is a variable or parameter.
type Variable struct {
	Name  string
	Type  *Type // nil: unknown
	Arg   bool  // a parameter
	Line  int   // of its declaration; 0: unknown
	Value []byte

	where []location
	unit  *unit
}

// A location is an expression that is valid from an address up to another; for all code if to is 0.
type location struct {
	from, to uint64
	expr     []byte
}

// A Function is a function at one place: its own code, or an inlined call of it.
type Function struct {
	Name     string
	Linkage  string // its symbol; "": as Name
	Line     int    // of its declaration
	Inlined  bool
	CallFile string // of an inlined call
	CallLine int
	Prologue uint64 // the first address after the prologue; 0: unknown

	ranges [][2]uint64
	frame  []byte // expression of the frame base
	block  block
	unit   *unit
}

// A block is a part of a function with variables of its own.
type block struct {
	ranges [][2]uint64
	vars   []*Variable
	blocks []*block
	calls  []*Function
}

// A Frame is a function active at an instruction, with the variables in scope, those of the innermost block first.
type Frame struct {
	*Function
	Vars []*Variable

	physical *Function // the function with the frame base
}

// An Info is the debug information of a file. It is read at its first use; its methods are safe for concurrent use.
type Info struct {
	sections map[string][]byte
	once     sync.Once
	funcs    []*Function
	globals  []*Variable
	err      error
}

// New returns the information in sections, whose names are without ".debug_". A nil map has none.
func New(sections map[string][]byte) *Info {
	if sections["info"] == nil || sections["abbrev"] == nil {
		return nil
	}
	return &Info{sections: sections}
}

// Err returns what is wrong with the sections; what was read before that is available.
func (i *Info) Err() error {
	if i == nil {
		return nil
	}
	i.once.Do(i.read)
	return i.err
}

// Globals returns the variables outside of functions.
func (i *Info) Globals() []*Variable {
	if i == nil {
		return nil
	}
	i.once.Do(i.read)
	return i.globals
}

// Functions returns the functions that have code.
func (i *Info) Functions() []*Function {
	if i == nil {
		return nil
	}
	i.once.Do(i.read)
	return i.funcs
}

// Frames returns the functions at an address of the file: inlined calls first, from the innermost, then the function
// that has the code.
func (i *Info) Frames(addr uint64) []Frame {
	for _, f := range i.Functions() {
		if !within(f.ranges, addr) {
			continue
		}
		return f.frames(addr, f)
	}
	return nil
}

func within(ranges [][2]uint64, addr uint64) bool {
	for _, r := range ranges {
		if addr >= r[0] && addr < r[1] {
			return true
		}
	}
	return false
}

// frames returns those of a function and of what is inlined in it.
func (f *Function) frames(addr uint64, physical *Function) []Frame {
	this := Frame{Function: f, physical: physical}
	var inner []Frame
	var walk func(b *block)
	walk = func(b *block) {
		for _, sub := range b.blocks {
			if within(sub.ranges, addr) {
				walk(sub)
			}
		}
		for _, call := range b.calls {
			if inner == nil && within(call.ranges, addr) {
				inner = call.frames(addr, physical)
			}
		}
		this.Vars = append(this.Vars, b.vars...)
	}
	walk(&f.block)
	return append(inner, this)
}

// Symbol returns the name that the function has as a symbol.
func (f *Function) Symbol() string {
	if f.Linkage != "" {
		return f.Linkage
	}
	return f.Name
}

// Params returns the parameters of the function, in order.
func (f *Function) Params() (list []*Variable) {
	for _, v := range f.block.vars {
		if v.Arg {
			list = append(list, v)
		}
	}
	return list
}

// InPrologue reports whether an address is in the prologue of the function, which sets up the frame of variables in
// memory.
func (f *Frame) InPrologue(addr uint64) bool {
	p := f.physical
	return p.Prologue != 0 && addr < p.Prologue && within(p.ranges, addr)
}

// RegisterName returns the name of a DWARF register in assembly; "": unknown. Numbers are those for waves of 64
// lanes.
func RegisterName(n uint64) string {
	for _, r := range [...]struct {
		first, last uint64
		name        string
		from        uint64
	}{{32, 95, "s", 0}, {1088, 1129, "s", 64}, {2560, 2815, "v", 0}} {
		if n >= r.first && n <= r.last {
			return fmt.Sprintf("%s%d", r.name, n-r.first+r.from)
		}
	}
	switch n {
	case pcRegister:
		return "pc"
	case execRegister:
		return "exec"
	}
	return ""
}

const (
	pcRegister   = 16
	execRegister = 17
	// s32 and s33 are the stack and the frame pointer of clang's code: offsets in the scratch of a wave, where a byte
	// of all 64 lanes takes 64 bytes.
	stackPointer, framePointer = 32 + 32, 32 + 33
	waveLanes                  = 64
)
