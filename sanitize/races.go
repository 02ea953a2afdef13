package sanitize

import (
	"cmp"
	"fmt"
	"math/bits"
	"slices"
	"strings"
	"sync"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/loc"
)

// Races finds accesses of workgroup memory by two waves of one workgroup that no barrier orders, one of them a write,
// and not both atomic. It is an exec.Observer, and may observe any number of launches, one after another.
type Races struct {
	// Threads also finds races of two threads of one wave. The instructions of a wave run in order here, so code
	// written for waves of that width may rely on it.
	Threads bool

	mu       sync.Mutex
	accesses []access                  // by kind of probe, from firstKind
	windows  []exec.Window             // of the launch
	code     ir.Code                   // of the launch, without probes
	groups   map[[3]uint32]*groupBytes // of running workgroups
	found    map[[2]uint64]*Race       // by the addresses of the instructions
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

// access is a memory op of the code.
type access struct {
	in  Instruction
	how How
	mem ir.Mem
}

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
	How        How
	Wave, Lane int
	Addr       uint64 // in workgroup memory
	Bytes      int
}

func (a Access) String() string {
	return fmt.Sprintf("%s by %v of wave %d lane %d", a.How, a.Instruction, a.Wave, a.Lane)
}

// A Race is two instructions that access the same bytes of workgroup memory without a barrier between them; it
// describes their first conflict.
type Race struct {
	Kernel        string
	Group         [3]uint32
	Addr          uint64 // in workgroup memory: the first byte that both access
	Bytes         int    // number of bytes, from Addr on, that both access
	First, Second Access // in the order of the run
	Count         uint64 // bytes for which it was found
}

func (r *Race) String() string {
	return fmt.Sprintf("race on %d bytes of group memory at %#x: %v and %v, with no barrier between", r.Bytes, r.Addr, r.First, r.Second)
}

// firstKind is the kind of the first probe: those of others may be lower.
const firstKind = 1 << 32

// Watch returns code to run in place of a launch's. windows are those of its flat address space.
func (r *Races) Watch(code ir.Code, windows []exec.Window) ir.Code {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.code, r.windows, r.groups = code, windows, map[[3]uint32]*groupBytes{}
	if r.found == nil {
		r.found = map[[2]uint64]*Race{}
	}
	return &probed{code, r}
}

// Found returns the races, by the addresses of their instructions.
func (r *Races) Found() (list []*Race) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, x := range r.found {
		list = append(list, x)
	}
	slices.SortFunc(list, func(x, y *Race) int {
		return cmp.Or(cmp.Compare(x.First.PC, y.First.PC), cmp.Compare(x.Second.PC, y.Second.PC))
	})
	return list
}

// probed is code with a probe before each access that may be one of workgroup memory.
type probed struct {
	ir.Code
	r *Races
}

// Unwrap returns the code without probes.
func (p *probed) Unwrap() ir.Code { return p.Code }

// Block returns the block with its probes. Values keep their numbers.
func (p *probed) Block(at ir.Key) (*ir.Block, error) {
	b, err := p.Code.Block(at)
	if err != nil || !slices.ContainsFunc(b.Ops, func(in ir.Inst) bool { _, is := howOf(&in); return is }) {
		return b, err
	}
	n := *b
	n.Ops, n.Marks = nil, slices.Clone(b.Marks)
	next := 0
	for i := range b.Ops {
		for ; next < len(n.Marks) && int(b.Marks[next].Op) == i; next++ {
			n.Marks[next].Op = int32(len(n.Ops))
		}
		if err := p.probe(&n, b, i); err != nil {
			return nil, err
		}
		n.Ops = append(n.Ops, b.Ops[i])
	}
	return &n, nil
}

// probe adds the probe of op i, if it has one.
func (p *probed) probe(to, b *ir.Block, i int) error {
	in := &b.Ops[i]
	how, is := howOf(in)
	mask, masked := b.Mask(in)
	if !is || !masked { // an access of the wave as a whole is none of workgroup memory
		return nil
	}
	kind := p.r.add(b.Marks[b.MarkAt(i)].PC, how, in.Mem)
	_, err := to.Add(p.Machine(), ir.Inst{Op: ir.Probe, Imm: kind, IO: ir.IOAttr{Count: 1}, Args: []ir.Val{in.Args[0], mask}})
	return err
}

// howOf returns what an op does to memory; false: nothing, or memory other than a workgroup's.
func howOf(in *ir.Inst) (how How, is bool) {
	if in.Mem.Space != ir.GroupSpace && in.Mem.Space != ir.FlatSpace {
		return 0, false
	}
	switch in.Op {
	case ir.Load:
		return Loads, true
	case ir.Store:
		return Stores, true
	case ir.AtomicRMW:
		return Atomic, true
	}
	return 0, false
}

// add makes the kind of a probe.
func (r *Races) add(pc uint64, how How, m ir.Mem) uint64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.accesses = append(r.accesses, access{instructionAt(r.code, pc), how, m})
	return firstKind + uint64(len(r.accesses)) - 1
}

// Observe handles an event.
func (r *Races) Observe(e exec.Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch e.Kind {
	case exec.GroupStart:
		r.groups[e.Group] = &groupBytes{pages: map[pageKey]*page{}, epoch: 1}
	case exec.GroupEnd:
		delete(r.groups, e.Group)
	case exec.BarrierReleased:
		if g := r.groups[e.Group]; g != nil {
			g.epoch++
		}
	case exec.Probed:
		if g := r.groups[e.Group]; g != nil {
			for i := range e.Probes {
				r.probed(g, &e.Where, &e.Probes[i])
			}
		}
	}
}

// probed checks the accesses of the lanes of a probe.
func (r *Races) probed(g *groupBytes, at *exec.Where, p *exec.Probe) {
	kind := p.Kind - firstKind
	if p.Kind < firstKind || kind >= uint64(len(r.accesses)) {
		return
	}
	a := &r.accesses[kind]
	i := 0
	for m := p.Lanes; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros64(m)
		bank, addr, is := r.inGroup(&a.mem, p.Values[i])
		i++
		if !is {
			continue
		}
		s := touch{who: int32(at.Wave), wave: int32(at.Wave), lane: uint8(lane), access: int32(kind) + 1}
		if r.Threads {
			s.who = s.who<<6 | int32(s.lane)
		}
		for k := range uint64(a.mem.Bytes()) {
			s.off = uint8(k)
			r.touch(g, at, g.byte(bank, addr+k), addr+k, s)
		}
	}
}

// inGroup returns where in workgroup memory an address lies; false: elsewhere.
func (r *Races) inGroup(m *ir.Mem, addr uint64) (bank uint8, at uint64, is bool) {
	if m.Space == ir.GroupSpace {
		return m.Bank, addr, true
	}
	e := exec.Env{Windows: r.windows}
	id, bank, at := e.Resolve(m, addr)
	return bank, at, id == ir.GroupSpace
}

// touch compares an access of a byte with those before it since the last barrier.
func (r *Races) touch(g *groupBytes, at *exec.Where, b *byteState, addr uint64, s touch) {
	if b.epoch != g.epoch {
		*b = byteState{epoch: g.epoch}
	}
	how := r.how(s)
	r.meet(at, b.write, addr, s)
	if how == Loads {
		switch {
		case b.reads[0].access == 0 || b.reads[0].who == s.who:
			b.reads[0] = s
		default:
			b.reads[1] = s
		}
		return
	}
	r.meet(at, b.reads[0], addr, s)
	r.meet(at, b.reads[1], addr, s)
	if how == Atomic && b.write.access != 0 && b.write.who == s.who && r.how(b.write) == Stores {
		return // the store still conflicts with the atomics of others
	}
	b.write = s
}

func (r *Races) how(s touch) How { return r.accesses[s.access-1].how }

// meet records a race of an access with an earlier one, if it is one.
func (r *Races) meet(at *exec.Where, was touch, addr uint64, s touch) {
	if was.access == 0 || was.who == s.who || r.how(was) == Atomic && r.how(s) == Atomic {
		return
	}
	key := [2]uint64{r.accesses[was.access-1].in.PC, r.accesses[s.access-1].in.PC}
	if x := r.found[key]; x != nil {
		x.Count++
		return
	}
	x := &Race{Kernel: at.Kernel, Group: at.Group, First: r.side(was, addr), Second: r.side(s, addr), Count: 1}
	x.Addr = max(x.First.Addr, x.Second.Addr)
	x.Bytes = int(min(x.First.Addr+uint64(x.First.Bytes), x.Second.Addr+uint64(x.Second.Bytes)) - x.Addr)
	r.found[key] = x
}

// side returns an access that touched the byte at addr.
func (r *Races) side(s touch, addr uint64) Access {
	a := &r.accesses[s.access-1]
	return Access{Instruction: a.in, How: a.how, Wave: int(s.wave), Lane: int(s.lane), Addr: addr - uint64(s.off), Bytes: a.mem.Bytes()}
}

// groupBytes is the shadow state of a workgroup's memory.
type groupBytes struct {
	epoch uint32 // completed barriers, plus one
	pages map[pageKey]*page
}

const pageBytes = 256

type pageKey struct {
	bank uint8
	page uint64
}

type page [pageBytes]byteState

// A byteState records the accesses of a byte in an epoch: the last write, and up to two reads.
type byteState struct {
	epoch uint32
	write touch
	reads [2]touch
}

// A touch is an access of a byte, which is off bytes after the start of the access; who identifies threads, or waves,
// that do not race with themselves.
type touch struct {
	who, wave, access int32
	lane, off         uint8
}

func (g *groupBytes) byte(bank uint8, addr uint64) *byteState {
	k := pageKey{bank, addr / pageBytes}
	p := g.pages[k]
	if p == nil {
		p = new(page)
		g.pages[k] = p
	}
	return &p[addr%pageBytes]
}
