package sanitize

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/loc"
	"github.com/heddle-gpu/heddle/mem"
)

// Races finds accesses of the same bytes of group or global memory that nothing orders, one of them a write, and not
// both atomic; loads past caches (ir.Volatile) count as atomic, and a comparing exchange of integers that does not
// happen as such a load. Within a group barriers order accesses, and within a wave the program does; nothing orders
// groups, and a launch is after the one before. It is an exec.Observer, and may observe any number of launches, one
// after another.
//
// In each launch at least one race is found for each byte that has one, except for these bytes:
//   - A barrier counts as one of the whole group, also if it waits for fewer lanes.
//   - Atomic operations order nothing: what they guard is a race between groups.
//   - Textures, images, and the private memory of lanes and waves are not looked at.
//   - Bytes beyond maxPages pages of global memory are not looked at: see Lost.
type Races struct {
	// Threads also finds races of two threads of one wave. The instructions of a wave run in order here, so code
	// written for waves of that width may rely on it. This is slow, as all launches run with probes.
	Threads bool
	// Lanes also finds lanes of one instruction that store different values to one place.
	Lanes bool

	// Local looks for races in group memory only, which takes less time.
	Local bool

	tell func(Finding) // of a new one; may be nil

	mu      sync.Mutex
	codes   kept[racingKey, *probed]
	code    *probed // of the launch
	windows []exec.Window
	memory  exec.Spaces                      // of the launch, if known
	own     func(wave int, addr uint64) bool // see Memory
	groups  map[[3]uint32]*groupAccesses     // of running workgroups
	ids     [][3]uint32                      // of groups, by touch.group
	global  bytesOf
	seq     uint32 // number of the instruction under way
	met     []meeting
	found   map[raceKey]*Race
	lost    uint64
	narrow  *narrow // nil: all memory

	before struct { // at save
		found map[raceKey]*Race
		lost  uint64
	}

	// Of Filter, if Lanes:
	reloads     kept[ir.Code, *exec.Program]
	overwritten bool // a lane has found something else than it has stored
}

// A How says what an access does.
type How uint8

const (
	Loads How = iota
	Stores
	Atomic
)

var howNames = [...]string{Loads: "load", Stores: "store", Atomic: "atomic"}

func (h How) String() string { return howNames[h] }

// An Instruction is one that a finding names.
type Instruction struct {
	PC    uint64 // in memory
	Place loc.Place
	Text  string // on one line
}

// instructionAt returns the one of a program at an address in memory.
func instructionAt(code ir.Code, pc uint64) Instruction {
	return Instruction{pc, ir.PlaceOf(code, pc), strings.Join(strings.Fields(code.Text(pc)), " ")}
}

// String returns the instruction and its place: "ds_read_b32 v3, v1" at 0x1aa4 <dot+0x94> (dot.s:34:2, dot.cl:9:7).
func (in Instruction) String() string {
	return fmt.Sprintf("%q at %v", in.Text, in.Place)
}

// An Access is one side of a race.
type Access struct {
	Instruction
	How   How
	Group [3]uint32
	Wave  int
	Lane  int    // -1: an access of the wave as a whole
	Addr  uint64 // in its space
	Bytes int
	Value []byte // what a store stores from Race.Addr on, as far as known
}

// A RaceKind distinguishes races that code may mean to have.
type RaceKind uint8

const (
	Unordered  RaceKind = iota // what is loaded, or what remains, depends on the order
	SameValue                  // both store the same value
	HalfAtomic                 // one of the accesses is atomic
	AmongLanes                 // lanes of one instruction store different values: see Races.Lanes
)

var kindNames = [...]string{"unordered", "same value", "half atomic", "among lanes"}

func (k RaceKind) String() string { return kindNames[k] }

// A Race is two instructions that access the same bytes in no order; it describes their first conflict.
type Race struct {
	Kind          RaceKind
	Kernel        string
	Group         [3]uint32 // of the first access
	Space         string    // group or global
	Addr          uint64    // in the space: the first byte that both access
	Bytes         int       // number of bytes, from Addr on, that both access
	Buffer        string    // the segment of global memory that has them; ""
	Offset        uint64    // of Addr in it
	First, Second Access    // in the order of the run
	Count         uint64    // bytes for which it was found
}

// Across reports whether the accesses are of two groups.
func (r *Race) Across() bool { return r.First.Group != r.Second.Group }

// Benign reports whether programs often mean it: groups that store the same value to one place, as a flag, or of which
// one loads or stores what another one updates by atomics, as before a loop of compare and swap.
func (r *Race) Benign() bool { return r.Across() && (r.Kind == SameValue || r.Kind == HalfAtomic) }

func (r *Race) String() string {
	f := r.Finding()
	return f.String()
}

type raceKey struct {
	first, second uint64 // addresses of the instructions
	kind          RaceKind
}

// Memory tells the watcher what the next launch accesses. own is as in launch.Racer.
func (r *Races) Memory(env *exec.Env, own func(wave int, addr uint64) bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.memory, r.own = env.Spaces, own
}

// Racing reports whether it looks for races in the memory of groups, and in global memory: see launch.Racer.
func (r *Races) Racing() (group, global bool) { return true, !r.Local }

// Filter returns the code of a launch without probes: launch.Run compares what waves access, and runs the launch again
// with the code of Watch if that may be a race.
func (r *Races) Filter(code ir.Code, windows []exec.Window, group bool) (ir.Code, exec.Observer) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.narrow = nil
	if r.Lanes && (group || !r.Local) {
		return r.filter(code)
	}
	return code, nil
}

// Narrow says what Watch need look at, by the address in its bank, until the launch ends.
func (r *Races) Narrow(group bool, global []mem.Extent) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.narrow = &narrow{group, global}
}

// A narrow is the memory in which there may be races.
type narrow struct {
	group  bool
	global []mem.Extent
}

// has reports whether there may be races in bytes of global memory. n is nil if that is not known.
func (n *narrow) has(addr uint64, bytes int) bool {
	return n == nil || slices.ContainsFunc(n.global, func(e mem.Extent) bool {
		return addr-e.Base < e.Size || e.Base-addr < uint64(bytes)
	})
}

// Suspects reports whether there may be races that launch.Run cannot see: those within a wave.
func (r *Races) Suspects() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.Threads || r.Lanes && r.overwritten
}

// Watch returns code to run in place of a launch's. windows are those of its flat address space.
func (r *Races) Watch(code ir.Code, windows []exec.Window) ir.Code {
	r.mu.Lock()
	defer r.mu.Unlock()
	key := racingKey{code, r.narrow == nil || r.narrow.group, !r.Local && (r.narrow == nil || len(r.narrow.global) > 0)}
	r.code = r.codes.of(key, func(int) *probed {
		p := &probed{racingKey: key, r: r}
		p.program = exec.NewProgram(p)
		return p
	})
	r.windows, r.groups, r.ids, r.global = windows, map[[3]uint32]*groupAccesses{}, nil, bytesOf{}
	if r.found == nil {
		r.found = map[raceKey]*Race{}
	}
	return r.code.program
}

// Found returns the races, by the addresses of their instructions and by kind.
func (r *Races) Found() []*Race {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.SortedFunc(maps.Values(r.found), func(x, y *Race) int {
		return cmp.Or(cmp.Compare(x.First.PC, y.First.PC), cmp.Compare(x.Second.PC, y.Second.PC), cmp.Compare(x.Kind, y.Kind))
	})
}

// Lost returns for how many bytes, counted in each access, races were not looked for, because too many others of global
// memory are accessed.
func (r *Races) Lost() uint64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.lost
}

// Observe handles an event.
func (r *Races) Observe(e exec.Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	g := r.groups[e.Group]
	switch {
	case e.Kind == exec.LaunchEnd:
		r.narrow = nil
	case e.Kind == exec.GroupStart:
		r.groups[e.Group] = &groupAccesses{number: int32(len(r.ids)), epoch: 1}
		r.ids = append(r.ids, e.Group)
	case g == nil:
	case e.Kind == exec.GroupEnd:
		delete(r.groups, e.Group)
	case e.Kind == exec.BarrierReleased:
		g.epoch++
	case e.Kind == exec.Probed:
		for i := range e.Probes {
			r.probed(g, &e.Where, &e.Probes[i])
		}
	}
}
