package ir

// A Machine describes an instruction set for execution, as plain data.
type Machine struct {
	Name     string
	Files    []File
	Widths   []int // legal lane counts, the default first; none above 64
	Control  Control
	ModeMask uint32  // bits of cell Mode that affect how code is lifted
	Mode     Cell    // the per-wave cell that holds the mode; ignored when ModeMask is 0
	Spaces   Spaces  // address spaces that its code can access
	Queues   []Queue // of operations that complete later than they are issued: what issue and wait count

	// Tallies is the number of counters that an observer of the code has, which no guest can read. Each of them wraps
	// around.
	Tallies int

	Bounds []string // what may rule out an access instead of a fault, by name: what clip names

	// For MaskStack machines: how many tokens the divergence stack of a wave holds, at least one, and the maximum
	// number of CtlCallLimited tokens among them; 0 is no separate limit.
	StackDepth int
	CallLimit  int

	Shadow *Shadowing // of a machine that Shadowed returned
}

// A Queue is a counter of outstanding operations.
type Queue struct {
	Name      string
	Unordered bool // operations complete in any order, so waiting for only some of them guarantees nothing
	Max       int  // the maximum number of outstanding operations that the counter can represent
	// Counter is used if operations that complete in their own order share a counter with others: 1 + the index of
	// the queue that waits name for both. 0: the queue has its own counter.
	Counter int
	// Group is for instructions whose addresses are flat: the queue has only their accesses to the memory of groups, and
	// their other queues have those to other memory.
	Group bool
	// Outside says that operations of other waves complete on it, too: a wait for it is never for nothing.
	Outside bool
}

// Spaces has for each address space the number of its banks, which are numbered from 0: 0 if there is no such
// space, at most 256.
type Spaces [numSpaces]int

// A File is an array of cells of one kind. No two cells alias.
type File struct {
	Name  string
	Kind  CellKind
	Count int
	Range RangeRule // what happens if an index computed at run time is outside 0..Count-1
	// what a fault calls an index outside of the file; "": the default text
	Outside string
	// Group says that the waves of a workgroup share the cells, which are per wave otherwise. Writes of one wave
	// are visible to the others when they run next.
	Group bool
	// Awaited says, for a file with Group, that a loop which reads one of its cells waits for another wave: see
	// exec.Program.Yields.
	Awaited bool
	// Held is the file, if not 0, that says of each cell which of its bits the wave itself has set, as of locks that it
	// holds.
	Held uint8
	// Unset says that what a wave finds in a cell at its start is undefined, unless its launch sets it. In other files
	// each cell has a value.
	Unset bool
	// Observer says that the cells are of an observer of the code, and not of the guest. They are 0 where a wave starts.
	Observer bool
}

// A CellKind says what one cell holds.
type CellKind uint8

const (
	Lane32   CellKind = iota + 1 // 32 bits per lane
	Wave32                       // 32 bits per wave
	Lane1                        // one bit per lane
	Wave1                        // one bit per wave
	ExecMask                     // the execution mask: one bit per lane; a machine has one such cell
)

var cellKindNames = [...]string{"none", "lane32", "wave32", "lane1", "wave1", "exec"}

func (k CellKind) String() string { return cellKindNames[k] }

// PerLane reports whether the cell has a value per lane.
func (k CellKind) PerLane() bool { return k == Lane32 || k == Lane1 || k == ExecMask }

// A RangeRule says what happens if a register index computed at run time is out of range.
type RangeRule uint8

const (
	RangeFault RangeRule = iota // the access faults
	RangeWrap                   // index modulo Count
	RangeZero                   // reads return 0, writes are dropped
)

// Control is the policy by which lanes of a wave diverge and reconverge.
type Control uint8

const (
	MaskData  Control = iota + 1 // masks are data in registers; there is no policy
	MaskStack                    // stack of tokens with masks
	LowestPC                     // each lane has a pc; the lanes with the lowest run
)

// A Cell names one register: a file of the machine and an index in it.
type Cell struct {
	File  uint8
	Index uint16
}

// A SpaceID names a kind of address space. There may be several of a kind, its banks: Mem.Bank selects one.
type SpaceID uint8

const (
	NoSpace      SpaceID = iota
	GlobalSpace          // visible to every group
	GroupSpace           // of one workgroup (LDS, shared)
	PrivateSpace         // of one lane
	ConstSpace           // read-only
	FlatSpace            // one 64-bit address space with windows onto GroupSpace and GlobalSpace
	numSpaces

	NumSpaces = int(numSpaces)
)

var spaceNames = [numSpaces]string{"none", "global", "group", "private", "const", "flat"}

func (s SpaceID) String() string {
	if s >= numSpaces {
		return "space?"
	}
	return spaceNames[s]
}

// Exec returns the cell of the execution mask, and whether the machine has one.
func (m *Machine) Exec() (Cell, bool) {
	for i := range m.Files {
		if m.Files[i].Kind == ExecMask {
			return Cell{File: uint8(i)}, true
		}
	}
	return Cell{}, false
}

// Kind returns the kind of cell c; 0 if the machine has no such cell.
func (m *Machine) Kind(c Cell) CellKind {
	if int(c.File) >= len(m.Files) || int(c.Index) >= m.Files[c.File].Count {
		return 0
	}
	return m.Files[c.File].Kind
}

// Code is lifted guest code, the only way from execution to guest instructions. Implementations must be safe for
// concurrent use.
type Code interface {
	Machine() *Machine
	// Block returns the canonical block that starts at the key, decoded, lifted and verified on demand. The error
	// is for errors of the caller only (a pc outside the code); guest faults are trap ops.
	Block(at Key) (*Block, error)
	// Text returns the guest instruction at pc as text, printed on demand.
	Text(pc uint64) string
}

// A Key identifies a block: its start address, and the static mode under which it was lifted.
type Key struct {
	PC   uint64
	Mode uint32
}

var controlPolicies = [...]string{"none", "MaskData", "MaskStack", "LowestPC"}

func (c Control) String() string {
	if int(c) >= len(controlPolicies) {
		return "policy?"
	}
	return controlPolicies[c]
}
