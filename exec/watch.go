package exec

import (
	"fmt"

	"github.com/heddle-gpu/heddle/ir"
)

// A Watcher observes every access to guest memory, lane by lane. Only engines made for it report accesses: see
// heddle.Watched. Reads of textures and images whose texels are not in guest memory have no address and are not
// reported.
type Watcher interface {
	// Accessed is called for each lane of an access that memory allows, lowest lane first, before a store changes
	// memory. Texels and attributes are reported as units read them, one by one, including those of lanes before a
	// lane at fault; a texel that a filter uses several times may be reported several times. For a device range,
	// loads and atomics are reported after the device has served them, stores before. The access is valid until
	// Accessed returns. The watcher may read state and memory, but must not change them.
	Accessed(a *Access)
}

// An Access is a memory access of one lane.
type Access struct {
	Kind  AccessKind
	PC    uint64 // of the guest instruction
	Lane  int    // -1: the wave as a whole
	Addr  uint64 // as the code computed it
	Space ir.SpaceID
	Bank  uint8
	At    uint64 // in Space; it differs from Addr in flat windows
	Data  []byte // the value read, or to be written; lowest byte first
	State *State // of the wave, during the instruction
	Env   *Env
}

// An AccessKind is the kind of an access. An atomic is reported as a load and a store.
type AccessKind uint8

const (
	AccessLoad AccessKind = iota + 1
	AccessStore
	AccessAtomicLoad
	AccessAtomicStore
	AccessTexel      // a load of a texel, or of a block of texels, by a texture unit or an image instruction
	AccessAttribute  // a load of an element of an attribute stream
	AccessDescriptor // a load of a descriptor, by the instruction that accesses what it describes
)

var accessNames = [...]string{"none", "load", "store", "atomic load", "atomic store", "texel load", "attribute load", "descriptor load"}

func (k AccessKind) String() string {
	if int(k) >= len(accessNames) {
		return fmt.Sprintf("access kind %d", k)
	}
	return accessNames[k]
}

// Writes reports whether memory changes.
func (k AccessKind) Writes() bool { return k == AccessStore || k == AccessAtomicStore }

// Value returns the first eight bytes of Data as a number.
func (a *Access) Value() (v uint64) {
	for i, b := range a.Data[:min(8, len(a.Data))] {
		v |= uint64(b) << (8 * i)
	}
	return v
}
