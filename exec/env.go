package exec

import (
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/mem"
)

// An Env is what one wave can reach, and what its run counts. The spaces of different waves may
// be the same; the Env itself belongs to one wave.
type Env struct {
	Where
	Global  *mem.Space
	Group   *mem.Space   // of the wave's work-group
	Private []*mem.Space // by lane
	Const   []*mem.Space // by bank
	Windows []Window     // of the flat space; an address in none of them is global
	Resources
	Policy Policy
	Count  Counters
}

// Where names a wave in reports.
type Where struct {
	Kernel string    // "" outside of a launch
	Group  [3]uint32 // x, y, z
	Wave   int       // in the group
}

// A Window shows part of a space in the flat address space.
type Window struct {
	Base, Size uint64 // flat addresses Base to Base+Size-1
	Space      ir.SpaceID
	Offset     uint64 // address in Space of the window's first byte
}

// A Policy says what follows when memory refuses an access.
type Policy uint8

const (
	TrapFaults   Policy = iota // the wave stops with a Fault
	RobustFaults               // the lane's load or atomic gives 0, its store is dropped; counted in Dropped
)

// absent stands for spaces that an Env lacks: each access to one is a fault that says so.
var absent = func() (spaces [ir.FlatSpace + 1]*mem.Space) {
	for id := range spaces {
		spaces[id] = &mem.Space{Name: ir.SpaceID(id).String()}
	}
	return spaces
}()

// Space is the space that a lane's access means, absent for none. Flat is no space of its own: see Resolve.
func (e *Env) Space(id ir.SpaceID, bank uint8, lane int) *mem.Space {
	var s *mem.Space
	switch id {
	case ir.GlobalSpace:
		s = e.Global
	case ir.GroupSpace:
		s = e.Group
	case ir.PrivateSpace:
		if lane < len(e.Private) {
			s = e.Private[lane]
		}
	case ir.ConstSpace:
		if int(bank) < len(e.Const) {
			s = e.Const[bank]
		}
	}
	if s == nil {
		return absent[id]
	}
	return s
}

// Resolve is the space of a lane's access and the address in it: for a flat address, what the
// window that it falls into shows.
func (e *Env) Resolve(m *ir.Mem, lane int, addr uint64) (*mem.Space, uint64) {
	if m.Space != ir.FlatSpace {
		return e.Space(m.Space, m.Bank, lane), addr
	}
	for i := range e.Windows {
		if w := &e.Windows[i]; addr-w.Base < w.Size {
			return e.Space(w.Space, 0, lane), addr - w.Base + w.Offset
		}
	}
	return e.Space(ir.GlobalSpace, 0, lane), addr
}

// At is the host memory of a lane's access of m.Bytes bytes. An atomic access must be aligned to
// its element whatever m says, as host atomics are.
func (e *Env) At(c *mem.Cursor, m *ir.Mem, lane int, addr uint64, want mem.Rights) ([]byte, *mem.Fault) {
	s, at := e.Resolve(m, lane, addr)
	align := uint64(m.Align)
	if want == mem.ReadWrite {
		align = max(align, uint64(m.Elem))
	}
	if align > 1 {
		return s.AtAligned(c, at, uint64(m.Bytes()), align, want)
	}
	return s.At(c, at, uint64(m.Bytes()), want)
}
