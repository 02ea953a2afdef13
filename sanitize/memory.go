package sanitize

import (
	"cmp"
	"fmt"
	"maps"
	"math/bits"
	"slices"
	"strings"
	"sync"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/mem"
)

// Memory finds accesses that a bound of a descriptor has ruled out: loads that gave 0 and stores that were dropped,
// where no fault says so. What rules them out is in the code (ir.Clip), so accesses within bounds are not observed. It
// collects what memory has refused, if the launch goes on then (exec.RecordFaults), and what a declaration does not
// allow (launch.Settings.Declared): engines find these anyway. It is an exec.Observer, and may observe any number of
// launches, one after another.
type Memory struct {
	mu       sync.Mutex
	clips    [keptCodes]kinds[clipSite] // from firstMemory on, maxSites for each code
	clipping kept[ir.Code, *exec.Program]
	found    map[clipOf]*Clipped
	logs     []kernelLog
	items    map[*exec.Fault]*exec.Item // of draws
	tell     func(Finding)

	before struct { // at save
		found map[clipOf]*Clipped
		logs  []kernelLog
	}
}

// A kernelLog is what memory has refused of a kernel: code of another one may be at the same addresses.
type kernelLog struct {
	kernel string
	exec.FaultLog
}

// cloned returns a copy of logs.
func cloned(logs []kernelLog) (list []kernelLog) {
	for i := range logs {
		x := kernelLog{kernel: logs[i].kernel}
		x.Merge(&logs[i].FaultLog)
		list = append(list, x)
	}
	return list
}

// A clipOf is a bound of an instruction of a kernel.
type clipOf struct {
	kernel string
	clip
}

// A Clipped is an instruction of which a bound has ruled out accesses; it describes the first.
type Clipped struct {
	Kernel string
	Group  [3]uint32
	Wave   int
	Lane   int
	Item   *exec.Item // what the lane works on, in a draw; else nil
	At     Instruction
	How    How
	Bound  string // the name of what rules it out
	Offset uint64 // of the access, or its index
	Limit  uint64 // that it is beyond
	Count  uint64 // accesses of lanes, each element counted
}

// A clip is a bound of an instruction.
type clip struct {
	pc    uint64
	bound uint64
	how   How
}

// A clipSite is a clip and its code.
type clipSite struct {
	clip
	code ir.Code
}

// firstMemory is the kind of the first probe of Memory: those of others are lower.
const firstMemory = 1 << 34

// Watch returns code to run in place of a launch's.
func (m *Memory) Watch(code ir.Code, _ []exec.Window) ir.Code {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.found == nil {
		m.found, m.items = map[clipOf]*Clipped{}, map[*exec.Fault]*exec.Item{}
	}
	return m.clipping.of(code, func(at int) *exec.Program {
		m.clips[at] = nil
		return exec.NewProgram(&clipping{code, m, at})
	})
}

// Clipped returns the findings, by the addresses of the instructions.
func (m *Memory) Clipped() []*Clipped {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.SortedFunc(maps.Values(m.found), func(x, y *Clipped) int { return cmp.Or(cmp.Compare(x.At.PC, y.At.PC), cmp.Compare(x.Bound, y.Bound)) })
}

// Refused returns the instructions with accesses that memory has refused, or that only a declaration does not allow
// (mem.Fault.Done), with the first of each.
func (m *Memory) Refused() []exec.RecordedFault {
	m.mu.Lock()
	defer m.mu.Unlock()
	var list []exec.RecordedFault
	for i := range m.logs {
		list = append(list, m.logs[i].List...)
	}
	return list
}

// Findings is Clipped and Refused in the form that all checks share.
func (m *Memory) Findings() []Finding {
	list := findings(m.Clipped())
	for _, r := range m.Refused() {
		list = append(list, refused(r, m.items[r.Fault]))
	}
	return list
}

func (m *Memory) part(tell func(Finding)) { m.tell = tell }

func (m *Memory) save() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.before.found, m.before.logs = copied(m.found), cloned(m.logs)
}

func (m *Memory) again() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.found, m.logs = copied(m.before.found), cloned(m.before.logs)
}

// Finding returns what a bound has ruled out as a finding.
func (c *Clipped) Finding() Finding {
	f := Finding{Rule: "clipped", Kernel: c.Kernel, Group: c.Group, Count: c.Count, Unit: "lane", At: Side{c.How.String(), c.At, c.Group, c.Wave, c.Lane, c.Item}}
	does := "gave 0"
	if c.How != Loads {
		does = "was dropped"
	}
	f.Msg = fmt.Sprintf("%s of %s was beyond %s, at %#x with a limit of %#x: it %s", c.How, f.At.who(false), c.Bound, c.Offset, c.Limit, does)
	return f
}

// refused returns an access that memory has refused, or let pass, as a finding.
func refused(r exec.RecordedFault, item *exec.Item) Finding {
	at := Instruction{r.PC, r.Place(), strings.Join(strings.Fields(r.Instruction()), " ")}
	f := Finding{Rule: "outside-memory", Kernel: r.Kernel, Group: r.Group, Count: r.Count, Unit: "lane", At: Side{"access", at, r.Group, r.Wave, r.Lane, item}}
	if m := r.Mem; m != nil {
		f.At.Role, f.Space, f.Addr, f.Bytes = m.Op, m.Space, m.Addr, int(m.Size)
		switch {
		case m.Done:
			f.Rule = "against-declaration"
		case m.Kind == mem.Misaligned:
			f.Rule = "misaligned"
		}
		if m.Done && m.Nearest != nil {
			f.Buffer, f.Offset = m.Nearest.Name, m.Addr-m.Nearest.Base
		}
	}
	f.Msg = fmt.Sprintf("%s, by %s", r.Reason(), f.At.who(false))
	return f
}

// OnlyProbes says that probes, and the end of groups, are all that it looks at.
func (m *Memory) OnlyProbes() bool { return true }

// Observe handles an event.
func (m *Memory) Observe(e exec.Event) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if e.Faults != nil {
		m.merge(&e)
	}
	for i := range e.Probes {
		if c := m.clip(e.Probes[i].Kind); c != nil {
			m.hear(&e, *c, &e.Probes[i])
		}
	}
}

// merge adds what memory has refused of a group.
func (m *Memory) merge(e *exec.Event) {
	at := slices.IndexFunc(m.logs, func(l kernelLog) bool { return l.kernel == e.Kernel })
	if at < 0 {
		at, m.logs = len(m.logs), append(m.logs, kernelLog{kernel: e.Kernel})
	}
	log := &m.logs[at]
	log.Merge(e.Faults)
	for i := range log.List {
		f := log.List[i].Fault
		if e.Stage != nil && m.items[f] == nil && slices.ContainsFunc(e.Faults.List, func(r exec.RecordedFault) bool { return r.Fault == f }) {
			m.items[f] = itemOf(e.Stage, max(f.Lane, 0))
		}
	}
}

// itemOf returns what a lane works on; nil outside of draws.
func itemOf(s exec.Stage, lane int) *exec.Item {
	if s == nil {
		return nil
	}
	item := s.Item(lane)
	return &item
}

// hear handles a probe: the lanes of one access that a bound has ruled out.
func (m *Memory) hear(e *exec.Event, c clipSite, p *exec.Probe) {
	key, lane := clipOf{e.Kernel, c.clip}, bits.TrailingZeros64(p.Lanes)
	f := m.found[key]
	if f == nil {
		f = &Clipped{Kernel: e.Kernel, Group: e.Group, Wave: e.Wave, Lane: lane, Item: itemOf(e.Stage, lane), At: instructionAt(c.code, c.pc), How: c.how,
			Bound: c.code.Machine().Bounds[c.bound], Offset: p.Values[0], Limit: p.Values[1]}
		m.found[key] = f
		if m.tell != nil {
			m.tell(f.Finding())
		}
	}
	f.Count += uint64(bits.OnesCount64(p.Lanes))
}

// clip returns what a kind of probe tells; nil: it is none of this check.
func (m *Memory) clip(kind uint64) *clipSite {
	at := (kind - firstMemory) / maxSites
	if kind < firstMemory || at >= keptCodes {
		return nil
	}
	return m.clips[at].of(firstMemory+at*maxSites, kind)
}

// kind makes the kind of a probe of a code.
func (m *Memory) kind(at int, c clipSite) uint64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.clips[at].add(firstMemory+uint64(at)*maxSites, c)
}

// clipping is code with a probe of the lanes that a bound rules out.
type clipping struct {
	ir.Code
	m  *Memory
	at int // of clips
}

// Unwrap returns the code without probes.
func (p *clipping) Unwrap() ir.Code { return p.Code }

// Block returns the block with its probes. Those of a mark stand behind what engines go back from.
func (p *clipping) Block(at ir.Key) (*ir.Block, error) {
	b, err := p.Code.Block(at)
	if err != nil || !slices.ContainsFunc(b.Ops, func(in ir.Inst) bool { return in.Op == ir.Clip }) {
		return b, err
	}
	c := copyOf(p.Machine(), b)
	for at := range b.Marks {
		c.Begin(at)
		lo, hi := b.MarkOps(at)
		x := c.clips(lo, hi)
		for i := lo; i < x.place; i++ {
			c.Keep(i)
		}
		c.tellClips(p, x, b.Marks[at].PC)
		for i := x.place; i < hi; i++ {
			c.Keep(i)
		}
	}
	return c.To, c.Err
}

// clipped is the clip ops of an instruction.
type clipped struct {
	ops   []*ir.Inst
	how   How  // what the instruction does to memory
	place int  // of the probes
	cold  bool // the instruction has probes or accesses before them, behind which nothing may be said to be unlikely
}

// clips returns the clip ops of the instruction of ops lo to hi.
func (c *copying) clips(lo, hi int) *clipped {
	x := &clipped{place: lo}
	last := lo
	for i := lo; i < hi; i++ {
		switch in := &c.From.Ops[i]; in.Op {
		case ir.Unlikely, ir.Stable:
			last = i + 1
		case ir.Clip:
			x.ops, last = append(x.ops, in), i+1
		case ir.Store:
			x.how = max(x.how, Stores)
		case ir.AtomicRMW:
			x.how = Atomic
		}
	}
	if len(x.ops) > 0 {
		x.place = last
		x.cold = c.firstEffect(lo, hi) < last
	}
	return x
}

// tellClips adds the probes of clip ops: of the lanes that each rules out.
func (c *copying) tellClips(p *clipping, x *clipped, pc uint64) {
	out := make([]ir.Val, len(x.ops))
	for i, in := range x.ops {
		out[i] = c.Op(ir.And, ir.I1, c.Vals[in.Args[3]], c.Op(ir.Not, ir.I1, c.Vals[in.Args[2]]))
		if !x.cold {
			c.Add(ir.Inst{Op: ir.Unlikely, Args: []ir.Val{out[i]}})
		}
	}
	for i, in := range x.ops {
		kind := p.m.kind(p.at, clipSite{clip{pc, in.Imm, x.how}, p.Code})
		c.Add(ir.Inst{Op: ir.Probe, Imm: kind, IO: ir.IOAttr{Count: 2}, Args: []ir.Val{c.Vals[in.Args[0]], c.Vals[in.Args[1]], out[i]}})
	}
}
