package lower

import (
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/mem"
)

// An Access describes a load, a store or a check. Args of its step are the address and the stored values, or the
// operands of an atomic.
type Access struct {
	TransferKind
	Bytes    uint64 // of one lane's access
	Align    uint64 // a power of two that addresses must be multiples of
	Count    int    // elements
	Space    ir.SpaceID
	Bank     uint8
	Site     int32 // index of the words that cache the segment
	Full     bool  // all lanes are active
	Recorded bool  // footprints are recorded: it may have to be marked; see SiteMarks
	// Hoistable: a uniform load that may be hoisted before all other steps, since nothing stores to its space.
	Hoistable bool
	// Broadcast: a uniform hoistable load that counts once for each lane of the mask at Args[1], and is executed only
	// if there is one.
	Broadcast bool
	// Of an atomic: which one, and whether it need not be locked, since no other wave that reaches the memory runs
	// concurrently.
	Atomic uint8
	NoLock bool
}

// A TransferKind is the part of an access that code for it is specialised for.
type TransferKind struct {
	Do     TransferOp
	Bytes  uint8 // of an element: 1, 2, 4, with Wide also 8
	Wide   bool  // values have 64 bits per lane, not 32
	Signed bool  // loaded elements are narrower than their value, and sign-extended
}

// A TransferOp is what an access does once all lanes are known to be within the segment.
type TransferOp uint8

const (
	NoTransfer TransferOp = iota
	CheckOnly
	LoadElems
	StoreElems
	AtomicElem
)

// TransferElems is the largest number of elements of an access.
const TransferElems = 16

// Words from Access.Site on: the cached segment.
const (
	SiteBase  = iota // address of the segment's first byte
	SiteLast         // the largest offset of an access
	SiteHost         // address of the first byte on the host; 0: none is cached
	SiteMarks        // a mem.Table, in which accesses are marked; 0: they need not be
	SitePrev         // by wave of a group, modulo PrevWaves: its previous address. Machine code may store anything there
	SiteWords = SitePrev + PrevWaves
)

// PrevWaves is how many waves of a group SitePrev distinguishes.
const PrevWaves = 16

// The table at SiteMarks: shifts from an offset to the number of its page, and to that of its word. See mem.Table.
const (
	PageShift = mem.PageShift
	WordShift = mem.WordShift
)
