package ir

// A Machine is what execution needs to know of an instruction set: plain data.
type Machine struct {
	Name     string
	Files    []File
	Widths   []int // legal lane counts, the default first; none above 64
	Control  Control
	ModeMask uint32  // bits of cell Mode that change how code is lifted
	Mode     Cell    // the wave cell that holds the mode; ignored when ModeMask is 0
	Spaces   Spaces  // address spaces its code can name
	Queues   []Queue // of operations that end later than they begin: what issue and wait count

	// Of MaskStack machines: how many tokens the control stack of a wave holds, at least one, and how
	// many of CtlCallLimited among them; 0 is no limit of their own.
	StackDepth int
	CallLimit  int
}

// A Queue is a counter of operations that are pending.
type Queue struct {
	Name      string
	Unordered bool // operations end in any order, so waiting for less than all of them says nothing
	Max       int  // the most that can be pending and told apart
	// Counter, where operations that end in an order of their own count together with others, is 1 + the index of the queue
	// that waits name for both; 0: the queue has a counter of its own.
	Counter int
}

// Spaces is by address space how many banks of it code can name, numbered from 0: 0 if it has none of it,
// at most 256.
type Spaces [numSpaces]int

// A File is an array of cells of one kind. No two cells alias.
type File struct {
	Name  string
	Kind  CellKind
	Count int
	Range RangeRule // what an index computed at run time does outside 0..Count-1
	// Outside is what the fault says of an index outside of the file; "": its names.
	Outside string
	// Group says that the waves of a work-group share the cells, which are one per wave else: what one writes the others
	// find when their turn comes.
	Group bool
	// Awaited says, of such a file, that a loop which reads a cell of it waits for another wave: see exec.Program.Yields.
	Awaited bool
}

// A CellKind says what one cell holds.
type CellKind uint8

const (
	Lane32   CellKind = iota + 1 // 32 bits a lane
	Wave32                       // 32 bits a wave
	Lane1                        // one bit a lane
	Wave1                        // one bit a wave
	ExecMask                     // the execution mask: one bit a lane; a machine has one such cell
)

var cellKindNames = [...]string{"none", "lane32", "wave32", "lane1", "wave1", "exec"}

func (k CellKind) String() string { return cellKindNames[k] }

// PerLane reports whether the cell's values differ between lanes.
func (k CellKind) PerLane() bool { return k == Lane32 || k == Lane1 || k == ExecMask }

// A RangeRule says what a register index computed at run time does when it is out of range.
type RangeRule uint8

const (
	RangeFault RangeRule = iota // the access faults
	RangeWrap                   // index modulo Count
	RangeZero                   // reads give 0, writes are dropped
)

// Control names the policy by which lanes of a wave part and meet.
type Control uint8

const (
	MaskData  Control = iota + 1 // masks are data in registers: no policy needed
	MaskStack                    // stack of tokens with masks
	LowestPC                     // each lane has a pc; the lowest runs
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
	GroupSpace           // of one work-group (LDS, shared)
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

// Exec is the cell of the execution mask, and whether the machine has one.
func (m *Machine) Exec() (Cell, bool) {
	for i := range m.Files {
		if m.Files[i].Kind == ExecMask {
			return Cell{File: uint8(i)}, true
		}
	}
	return Cell{}, false
}

// Kind is the kind of cell c; 0 if the machine has no such cell.
func (m *Machine) Kind(c Cell) CellKind {
	if int(c.File) >= len(m.Files) || int(c.Index) >= m.Files[c.File].Count {
		return 0
	}
	return m.Files[c.File].Kind
}

// Code is lifted guest code: the only road from execution back to guest instructions.
// Implementations are safe for use by several goroutines.
type Code interface {
	Machine() *Machine
	// Block is the canonical block that starts at the key, decoded, lifted and verified on demand.
	// The error is for faults of the caller only (a pc outside the code); guest faults are trap ops.
	Block(at Key) (*Block, error)
	// Text is the guest instruction at pc, printed when asked for.
	Text(pc uint64) string
}

// A Key names a block: where it starts, and the static mode it was lifted under.
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
