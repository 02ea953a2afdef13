package gen

import "github.com/heddle-gpu/heddle/internal/lower"

// Register allocation is local: the registers of a file are assigned while the steps that use them are emitted, within
// the loop of a segment for values per lane and lane masks, and within a run of uniform steps for uniform values. Where
// that code begins and ends no register holds anything.

// A register is what the allocator knows of a register. The zero register is free.
type register struct {
	loc   lower.Place // the location of its value in memory; Kind 0: the register is free
	dirty bool        // memory holds an older value
	last  int         // the last reader of a value that a step has made
	used  int         // the last step that used the register
	loose bool        // subnormals have not yet been flushed to zero, as the value's mode requires
}

// A regFile is the registers of one kind that can be allocated.
type regFile struct {
	regs   []register
	first  int // the first that can be allocated
	policy regPolicy
	trace  func(f *regFile, event regEvent, i int) // nil: none
}

// A regEvent is what happens to a register; its value is still that from before an eviction, or already the new one.
type regEvent string

const (
	regAssign regEvent = "assign"
	regSpill  regEvent = "spill" // evict, and store the value
	regEvict  regEvent = "evict" // without a store
)

// A regPolicy decides which registers of a file are evicted.
type regPolicy interface {
	// evictCost returns the cost of the eviction of a register: 0 if its value is dead, -1 if the current step uses it.
	evictCost(r *register) int
	// spill stores the value of register i to memory if it is needed there, and reports whether it is.
	spill(i int) bool
}

// reset frees all registers.
func (f *regFile) reset() { clear(f.regs) }

// find returns the register that holds the value of a location, -1 if none does.
func (f *regFile) find(p lower.Place) int {
	for i := range f.regs {
		if f.regs[i].loc == p {
			return i
		}
	}
	return -1
}

// alloc returns a register that is free: the one whose eviction costs least, the first of several. It evicts no
// register whose bit is set in pinned.
func (f *regFile) alloc(pinned uint32) int {
	best, least := -1, 0
	for i := f.first; i < len(f.regs); i++ {
		r, cost := &f.regs[i], 0
		if r.loc.Kind != 0 {
			cost = f.policy.evictCost(r)
		}
		if pinned>>i&1 == 0 && cost >= 0 && (best < 0 || cost < least) {
			if best, least = i, cost; cost == 0 {
				break
			}
		}
	}
	f.evict(best, least > 0)
	return best
}

// evict frees register i. A value that is live is stored to memory, unless memory has it.
func (f *regFile) evict(i int, live bool) {
	if f.regs[i].loc.Kind == 0 {
		return
	}
	event := regEvict
	if live && f.policy.spill(i) {
		event = regSpill
	}
	if f.trace != nil {
		f.trace(f, event, i)
	}
	f.regs[i] = register{}
}

// assign makes register i hold a value; what it held before is dead.
func (f *regFile) assign(i int, r register) {
	f.regs[i] = r
	if f.trace != nil {
		f.trace(f, regAssign, i)
	}
}

// drop frees the register that holds the value of a location, if one does: the value is dead.
func (f *regFile) drop(p lower.Place) {
	if i := f.find(p); i >= 0 {
		f.regs[i] = register{}
	}
}
