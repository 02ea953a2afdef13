package exec

import "github.com/heddle-gpu/heddle/ir"

// A Watcher is told of every access to memory by loads, stores and atomics, lane by lane, while it happens. Engines that tell are made for
// that: see ref.Watched. What texture units, image instructions and attribute streams read is not told.
type Watcher interface {
	// Accessed is called once for each lane of an access that memory allows, lowest lane first. The access is valid until it returns. It may read
	// state and memory, and must change neither.
	Accessed(a *Access)
}

// An Access is what one lane does to memory. Before a store its Data is what is going to be there, and memory still has what was there before.
type Access struct {
	Kind  AccessKind
	PC    uint64 // of the guest instruction
	Lane  int    // -1: the wave as a whole
	Addr  uint64 // as the code computed it
	Space ir.SpaceID
	Bank  uint8
	At    uint64 // in Space, which differs from Addr in flat windows
	Data  []byte // what is read or written, lowest byte first
	State *State // of the wave, in the middle of the instruction
	Env   *Env
}

// An AccessKind says what an access does. An atomic is told twice: what it loads, then what it stores.
type AccessKind uint8

const (
	AccessLoad AccessKind = iota + 1
	AccessStore
	AccessAtomicLoad
	AccessAtomicStore
)

var accessNames = [...]string{"none", "load", "store", "atomic load", "atomic store"}

func (k AccessKind) String() string { return accessNames[k] }

// Writes reports whether memory changes.
func (k AccessKind) Writes() bool { return k == AccessStore || k == AccessAtomicStore }

// Value is the first eight bytes of Data as a number.
func (a *Access) Value() (v uint64) {
	for i, b := range a.Data[:min(8, len(a.Data))] {
		v |= uint64(b) << (8 * i)
	}
	return v
}
