package exec

import (
	"fmt"

	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/mem"
)

// An Env is what one wave can access, and the counters of its run. Waves may share spaces; the Env itself belongs
// to one wave.
type Env struct {
	Where
	Spaces  Spaces
	Private []*mem.Private // by bank
	Windows []Window       // of the flat space; an address outside all of them is global
	Shadow  ir.Spaces      // of a machine with a shadow, by space: the bank that shadows bank 0 (ir.Shadowing)
	Resources
	Probes *ProbeLog // nil: probe ops are not recorded
	// Footprint receives every access to memory that groups may share, before it happens; nil if footprints are not
	// recorded.
	Footprint *mem.Footprint
	LiveOut   *LiveOut // nil: all registers of the wave may be read after it stops
	Policy    Policy
	Count     Counters
	Faults    FaultLog // filled under RecordFaults, and with what a declaration does not allow: mem.Segment.Also
}

// Spaces are spaces by kind and bank: Spaces[ir.ConstSpace][2]. A nil entry, or an index beyond the end of a list,
// means that there is no such space. Private memory is in Env.Private, and flat is no space of its own. Waves may
// share the lists, so a wave that needs a different space gets a new list. Waves that share group memory run one at
// a time; waves that share global memory may run concurrently.
type Spaces [ir.NumSpaces][]*mem.Space

// Where identifies a wave in reports.
type Where struct {
	Kernel string    // "" outside of a launch
	Group  [3]uint32 // x, y, z
	Wave   int       // in the group
}

// A Window shows part of a space in the flat address space.
type Window struct {
	Base, Size uint64 // flat addresses Base to Base+Size-1
	Space      ir.SpaceID
	Bank       uint8
	Offset     uint64 // address in Space of the window's first byte
}

// A Policy says what happens when memory refuses an access.
type Policy uint8

const (
	TrapFaults   Policy = iota // the wave stops with a Fault
	RobustFaults               // the lane's load or atomic returns 0, its store is dropped; counted in Dropped
	RecordFaults               // as RobustFaults, and Env.Faults records them
)

// absent replaces spaces that an Env lacks: each access to one is a fault that says so.
var absent = func() (spaces [ir.NumSpaces]*mem.Space) {
	for id := range spaces {
		spaces[id] = &mem.Space{Name: ir.SpaceID(id).String()}
	}
	return spaces
}()

// Space returns a space by kind and bank, or an absent one. Private memory and flat have none: see Reach.
func (e *Env) Space(id ir.SpaceID, bank uint8) *mem.Space {
	if banks := e.Spaces[id]; int(bank) < len(banks) && banks[bank] != nil {
		return banks[bank]
	}
	return absent[id]
}

// Resolve returns the space of an access and the address in it: for a flat address, that of the window that
// contains it.
func (e *Env) Resolve(m *ir.Mem, addr uint64) (id ir.SpaceID, bank uint8, at uint64) {
	if m.Space != ir.FlatSpace {
		return m.Space, m.Bank, addr
	}
	for i := range e.Windows {
		if w := &e.Windows[i]; addr-w.Base < w.Size {
			return w.Space, w.Bank + e.shadowOf(m.Bank, w.Space), addr - w.Base + w.Offset
		}
	}
	return ir.GlobalSpace, e.shadowOf(m.Bank, ir.GlobalSpace), addr
}

// shadowOf returns what to add to a bank of a space for an access of that bank of the flat space: bank 1 is its shadow.
func (e *Env) shadowOf(flat uint8, id ir.SpaceID) uint8 {
	if flat == 0 {
		return 0
	}
	return uint8(e.Shadow[id])
}

// Span returns a range of flat addresses around addr that Resolve maps to one space, as a window, for engines whose
// lanes mostly access one region. bank is that of the flat space. The range may be shorter than possible. It contains
// addr, unless addr is the last address of all.
func (e *Env) Span(bank uint8, addr uint64) Window {
	below, above := addr, ^addr // number of addresses below and above in the range
	w := Window{Space: ir.GlobalSpace, Offset: addr}
	for i := range e.Windows {
		v := &e.Windows[i]
		off := addr - v.Base
		if off < v.Size {
			below, above = min(below, off), min(above, v.Size-1-off)
			w.Space, w.Bank, w.Offset = v.Space, v.Bank, v.Offset+off
			break
		}
		if v.Size != 0 { // an earlier window wins
			below, above = min(below, off-v.Size), min(above, v.Base-addr-1)
		}
	}
	w.Bank += e.shadowOf(bank, w.Space)
	w.Base, w.Size, w.Offset = addr-below, below+above, w.Offset-below
	if w.Size != ^uint64(0) {
		w.Size++
	}
	return w
}

// MapCode makes the code of a program readable at its address, for constants stored after the code. It requires
// that the code knows its address and that nothing else is mapped there. Stores to it are faults. The code is added
// to the space of the environment, which others may share.
func (e *Env) MapCode(code ir.Code) error {
	p, ok := code.(interface{ Readable() (uint64, []byte) })
	if !ok {
		return nil
	}
	base, bytes := p.Readable()
	if len(bytes) == 0 {
		return nil
	}
	if banks := e.Spaces[ir.GlobalSpace]; len(banks) == 0 || banks[0] == nil {
		e.Spaces[ir.GlobalSpace] = append([]*mem.Space{{Name: ir.GlobalSpace.String()}}, banks[min(1, len(banks)):]...)
	}
	g := mem.NewSegment(fmt.Sprintf("code at %#x", base), base, len(bytes), mem.Read)
	copy(g.Data, bytes)
	space := e.Spaces[ir.GlobalSpace][0]
	for _, other := range space.Segments() {
		if g.Base <= other.Base+uint64(len(other.Data)-1) && other.Base <= g.Base+uint64(len(g.Data)-1) {
			return nil
		}
	}
	return space.Add(g)
}

// Reach returns the memory that a lane's access of m.Bytes bytes refers to. An atomic access must be aligned to its
// element whatever m says, because host atomics must be.
func (e *Env) Reach(c *mem.Cursor, m *ir.Mem, lane int, addr uint64, want mem.Rights) (mem.Place, *mem.Fault) {
	id, bank, at := e.Resolve(m, addr)
	align := uint64(m.Align)
	if want == mem.ReadWrite {
		align = max(align, uint64(m.Elem))
	}
	if id == ir.PrivateSpace && int(bank) < len(e.Private) && e.Private[bank] != nil {
		return e.Private[bank].Reach(lane, at, uint64(m.Bytes()), align, want)
	}
	p, f := e.Space(id, bank).Reach(c, at, uint64(m.Bytes()), align, want)
	if f != nil && bank != 0 && f.Space == id.String() { // the name of the space does not say which bank it is
		f.Space = fmt.Sprintf("%s:%d", id, bank)
	}
	return p, f
}
