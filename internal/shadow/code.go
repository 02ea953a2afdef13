package shadow

import (
	"fmt"
	"sync"

	"github.com/heddle-gpu/heddle/ir"
)

// Code is code with a shadow.
type Code struct {
	ir.Code
	m     *ir.Machine
	sites Sites
}

// New returns the code with a shadow. Kinds of its probes start at first.
func New(code ir.Code, first uint64) *Code {
	return &Code{Code: code, m: ir.Shadowed(code.Machine()), sites: Sites{code: code, first: first}}
}

// Unwrap returns the code without a shadow.
func (c *Code) Unwrap() ir.Code { return c.Code }

// Machine returns the machine with a shadow.
func (c *Code) Machine() *ir.Machine { return c.m }

// Site returns what a probe of that kind tells; false: the probe is of other code.
func (c *Code) Site(kind uint64) (*Site, bool) { return c.sites.of(kind) }

// Block returns the block with its shadow.
func (c *Code) Block(at ir.Key) (*ir.Block, error) {
	b, err := c.Code.Block(at)
	if err != nil {
		return nil, err
	}
	n := block(c.m, b, &c.sites)
	for _, b := range []*ir.Block{n, n.Likely} {
		if b == nil {
			continue
		}
		if err := ir.Verify(c.m, b); err != nil {
			return nil, fmt.Errorf("shadow of the block at %#x: %w", at.PC, err)
		}
	}
	return n, nil
}

// A Kind says what a probe tells.
type Kind uint8

const (
	Address   Kind = iota + 1 // the address of an access
	Branches                  // the condition of a branch, or its target
	Activates                 // the execution mask
	Modes                     // the mode under which code is read
	Indexes                   // the number of a register
	Describes                 // the descriptor of an image, or the number of a texture unit or stream
	PutsOut                   // a component of a stage output
	Counts                    // how many lanes a barrier waits for
	Ends                      // which lanes end
	Writes                    // Cell gets an undefined value
	Stores                    // memory gets an undefined value
	Loads                     // memory that is read is undefined
	numKinds
)

// Matters reports whether an undefined value is a finding there.
func (k Kind) Matters() bool { return k < Writes }

// A Site is a place in code that tells of undefined values.
//
// The lanes of its probe are those whose value is undefined. Its first operand has a bit for each of From, in order,
// that is undefined. Stores and Loads have the address as a second operand; a component of an output has its slot, and
// then which of its bits are undefined.
type Site struct {
	Code  ir.Code // without a shadow
	Kind  Kind
	PC    uint64   // of the instruction, in memory
	From  []Source // what the instruction reads, at most MaxSources
	Cell  ir.Cell  // of Writes; with Indexed its number is where the index counts from
	Mem   ir.Mem   // of Stores, Loads, and the Address of an access
	Cross bool     // the value comes from other lanes: the bits say which sources are undefined in some lane
	// Component is 1 more than that of an output; 0: it is the slot or the mask.
	Component int
	Indexed   bool // Writes has the index of the register as a second operand
	Wave      bool // the value is one for the wave, and so is where it goes: the lanes of the probe are all that are live
}

// MaxSources is how many sources of an instruction are told apart.
const MaxSources = 31

// A Source is a register or memory that an instruction reads.
type Source struct {
	Cell    ir.Cell
	Indexed bool // some cell of the file of Cell
	Memory  bool // what the instruction loads, and no register
}

// Sites are the sites of a program.
type Sites struct {
	code  ir.Code
	first uint64
	mu    sync.Mutex
	list  []*Site
}

// add returns the kind of the probes of a site.
func (s *Sites) add(x *Site) uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	x.Code, s.list = s.code, append(s.list, x)
	return s.first + uint64(len(s.list)) - 1
}

func (s *Sites) of(kind uint64) (*Site, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if i := kind - s.first; i < uint64(len(s.list)) {
		return s.list[i], true
	}
	return nil, false
}

var kindNames = [numKinds]string{"none", "address", "branch", "execution mask", "mode", "register number", "descriptor", "output", "number of lanes", "end", "write", "store", "load"}

func (k Kind) String() string { return kindNames[min(k, numKinds-1)] }
