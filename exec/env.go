package exec

import (
	"fmt"

	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/mem"
)

// An Env is what one wave can reach, and what its run counts. The spaces of different waves may
// be the same; the Env itself belongs to one wave.
type Env struct {
	Where
	Spaces  Spaces
	Private []*mem.Private // by bank
	Windows []Window       // of the flat space; an address in none of them is global
	Resources
	Probes *ProbeLog // nil: nobody observes probe ops
	// Footprint is told of every access to memory that groups may share, before it happens; nil: nobody asks.
	Footprint *mem.Footprint
	Unseen    *Unseen // nil: somebody may look at the registers of the wave
	Policy    Policy
	Count     Counters
	Faults    FaultLog // of RecordFaults
}

// Spaces are spaces by kind and bank: Spaces[ir.ConstSpace][2]. Nil, or a list that is too short, is a space that
// is not there; private memory has a place of its own, and flat is no space of its own. Waves may share the
// lists, so a wave that gets another space gets another list. Waves that share group memory run one at a time; those that
// share global memory may run beside each other.
type Spaces [ir.NumSpaces][]*mem.Space

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
	Bank       uint8
	Offset     uint64 // address in Space of the window's first byte
}

// A Policy says what follows when memory refuses an access.
type Policy uint8

const (
	TrapFaults   Policy = iota // the wave stops with a Fault
	RobustFaults               // the lane's load or atomic gives 0, its store is dropped; counted in Dropped
	RecordFaults               // as RobustFaults, and Env.Faults says which
)

// absent stands for spaces that an Env lacks: each access to one is a fault that says so.
var absent = func() (spaces [ir.NumSpaces]*mem.Space) {
	for id := range spaces {
		spaces[id] = &mem.Space{Name: ir.SpaceID(id).String()}
	}
	return spaces
}()

// Space is a space by kind and bank, absent for none. Private memory and flat are none: see Reach.
func (e *Env) Space(id ir.SpaceID, bank uint8) *mem.Space {
	if banks := e.Spaces[id]; int(bank) < len(banks) && banks[bank] != nil {
		return banks[bank]
	}
	return absent[id]
}

// Resolve is the space of an access and the address in it: for a flat address, what the window that it
// falls into shows.
func (e *Env) Resolve(m *ir.Mem, addr uint64) (id ir.SpaceID, bank uint8, at uint64) {
	if m.Space != ir.FlatSpace {
		return m.Space, m.Bank, addr
	}
	for i := range e.Windows {
		if w := &e.Windows[i]; addr-w.Base < w.Size {
			return w.Space, w.Bank, addr - w.Base + w.Offset
		}
	}
	return ir.GlobalSpace, 0, addr
}

// Span is a run of flat addresses around addr that Resolve sends to one space, as a window: for an engine whose
// lanes mostly access one piece of memory. It may be shorter than it could be; addr itself is in it, unless it is
// the last address of all.
func (e *Env) Span(addr uint64) Window {
	below, above := addr, ^addr // addresses on both sides that belong to it
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
	w.Base, w.Size, w.Offset = addr-below, below+above, w.Offset-below
	if w.Size != ^uint64(0) {
		w.Size++
	}
	return w
}

// MapCode lets loads read the code of a program that can tell its address, where nothing else lies: constants follow the code. Stores
// there are faults. The space of the environment, which others may share, has the code from then on.
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

// Reach is where a lane's access of m.Bytes bytes ends up. An atomic access must be aligned to its element
// whatever m says, as host atomics are.
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
	if f != nil && bank != 0 && f.Space == id.String() { // a space of that name does not say which of them it is
		f.Space = fmt.Sprintf("%s:%d", id, bank)
	}
	return p, f
}
