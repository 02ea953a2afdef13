package portable

import (
	"maps"
	"slices"
	"sync"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/ir/pass"
)

// A Native may run a loop as one: all of it for some lanes of a wave, then for others. It is told of loops when the block is compiled that control
// comes into them by. Code of a loop leaves by one of its exits, or in front of its head, which runs as any block then.

// These bound loops that a Native is told of.
const (
	maxLoopBlocks = 12
	maxLoopSteps  = 500
)

// A Looper is a Native that runs loops as one.
type Looper interface {
	Native
	// Plan is what Compile would make of the loop; nil: no code.
	Plan(l *Loop) Plan
}

// A Plan is what a Looper has found out about a loop.
type Plan interface {
	// Room is how many words and rows the code has for itself.
	Room() (words, rows int)
}

// A Loop is blocks that control comes into by the head only. Words are those of the head's code, rows of the runner belong to each block while it runs.
type Loop struct {
	Blocks []LoopBlock // the head first
	Exits  int         // places where control goes on behind the loop
	// Live reports whether somebody may read a register where a block begins, or at an exit: at is as in Ways. Kind is GetWord or GetMask.
	Live func(at int, kind StepKind, cell int32) bool
	// Ready is the word that is not 0 while all sites of the loop remember segments that are small, and none of whose addresses has another upper half.
	Ready int32
	Plan  Plan
	Words int32 // words for the code, zeros at first
	Rows  int32 // rows of the runner for the code
}

// A LoopBlock is a block of a loop.
type LoopBlock struct {
	*Block
	Ways [2]int // where control goes, in the order of Ending: a block of the loop, or ^i for exit i
}

// A looped is what a runner needs of a loop.
type looped struct {
	exits   []ir.Key // the last is the head: code may have been made for other lanes than run there
	members []member
	ready   int32 // site whose SiteHost is Loop.Ready
}

// A member is a block of a loop.
type member struct {
	key   ir.Key
	sites []loopSite // in the words of the head, in the order of the block's
}

// A loopSite is where a segment is remembered.
type loopSite struct {
	at    int32
	parts uint64 // bytes of an access that reads parts of words, for which the code reads all of the word; else 0
}

// A shape is a loop of a program.
type shape struct {
	nodes []int // the head first
	exits []ir.Key
}

// A loopList is the loops of a program's graph, found once.
type loopList struct {
	mu    sync.Mutex
	graph *pass.Graph
	loops []pass.Loop
}

// loopsOf are the loops of a graph of the program.
func loopsOf(p *exec.Program, g *pass.Graph) ([]pass.Loop, error) {
	l, err := exec.FormsOf(p, "portable loops", func(*exec.Program, ir.Key) (*loopList, error) { return &loopList{}, nil }).Get(ir.Key{})
	if err != nil {
		return nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.graph != g {
		l.graph, l.loops = g, g.Loops()
	}
	return l.loops, nil
}

// shapes are those of the loops that control comes into by a block, the largest first.
func shapes(g *pass.Graph, loops []pass.Loop, at ir.Key) (list []*shape) {
	head, ok := g.At[at]
	if !ok {
		return nil
	}
	for _, l := range loops {
		if slices.Contains(l.Body, head) && len(l.Body) <= maxLoopBlocks && entered(g, l.Body, head) {
			if s := shapeOf(g, l.Body, head); s != nil {
				list = append(list, s)
			}
		}
	}
	slices.SortStableFunc(list, func(a, b *shape) int { return len(b.nodes) - len(a.nodes) })
	return list
}

// entered reports whether control comes into the body by one block only.
func entered(g *pass.Graph, body []int, head int) bool {
	for _, i := range body {
		for _, p := range g.Nodes[i].Pred {
			if i != head && !slices.Contains(body, p) {
				return false
			}
		}
	}
	return true
}

// shapeOf is the loop, if all its blocks say where control goes.
func shapeOf(g *pass.Graph, body []int, head int) *shape {
	s := &shape{nodes: []int{head}}
	for _, i := range body {
		if i != head {
			s.nodes = append(s.nodes, i)
		}
	}
	mode := g.Nodes[head].Block.Key.Mode
	for _, i := range s.nodes {
		n := &g.Nodes[i]
		if n.Exit.Open != pass.Closed || n.Exit.Ends || n.Exit.Mode != mode || n.Block.Key.Mode != mode || n.Block.Serial {
			return nil
		}
		for _, pc := range n.Exit.To {
			to := ir.Key{PC: pc, Mode: mode}
			at, ok := g.At[to]
			if !ok {
				return nil
			}
			if !slices.Contains(s.nodes, at) && !slices.Contains(s.exits, to) {
				s.exits = append(s.exits, to)
			}
		}
	}
	if len(s.exits) == 0 {
		return nil
	}
	return s
}

// A looping prepares the loop of a block.
type looping struct {
	p      *exec.Program
	g      *pass.Graph
	live   *pass.Liveness // nil: everything is
	dense  bool
	asked  bool
	ahead  *wants
	unseen *exec.Unseen
	usual  bool
}

// loopOf gives the block the largest loop that the Native takes, if there is one.
func (o *looping) loopOf(n Looper, made *code, b *Block, at ir.Key) error {
	loops, err := loopsOf(o.p, o.g)
	if err != nil {
		return err
	}
	for _, s := range shapes(o.g, loops, at) {
		words, rows, vecs, sites, wants := len(made.words), made.rows, made.vecs, len(made.sites), len(made.wants)
		consts := maps.Clone(b.Consts)
		l, lp, err := o.prepare(s, made, b)
		if err != nil {
			return err
		}
		if l != nil {
			l.Plan = n.Plan(l)
		}
		if l != nil && l.Plan != nil {
			made.room(l)
			b.Loop, made.loop = l, lp
			return nil
		}
		made.words, made.rows, made.vecs, made.sites, made.wants = made.words[:words], rows, vecs, made.sites[:sites], made.wants[:wants]
		b.Consts = consts
	}
	return nil
}

// prepare prepares the blocks of a loop, behind the words of the head's own code. None: it cannot be run as one.
func (o *looping) prepare(s *shape, made *code, b *Block) (*Loop, *looped, error) {
	frames := make([]rewritten, len(s.nodes))
	dense, steps := o.dense, 0
	for i, n := range s.nodes {
		f, err := optimised(o.p, o.usual, o.unseen).Get(o.g.Nodes[n].Block.Key)
		if err != nil {
			return nil, nil, err
		}
		if !o.plain(f.Frame) {
			return nil, nil, nil
		}
		frames[i] = f
		steps += len(f.Own.Ops)
		dense = dense && !setsExec(o.p.Machine(), f.Own)
	}
	if steps > maxLoopSteps {
		return nil, nil, nil
	}
	l := &Loop{Exits: len(s.exits), Live: o.liveAt(s)}
	lp := &looped{exits: append(slices.Clone(s.exits), frames[0].Block.Key)}
	for i := range frames {
		c, m := prepareSteps(frames[i], o.p.Machine(), o.usual, dense, o.asked, o.ahead)
		m.Lanes, m.Stride, m.Term = b.Lanes, b.Stride, public(c.term)
		var targets [2]uint64
		m.Ending, targets = c.ending(o.p.Machine())
		if m.Ending.Turn != Always && m.Ending.Turn != IfBit {
			return nil, nil, nil
		}
		x := LoopBlock{Block: m}
		for w := range x.Ways {
			x.Ways[w] = o.way(s, targets[w])
		}
		if m.Ending.Turn == Always {
			x.Ways[1] = x.Ways[0]
		}
		lp.members = append(lp.members, made.join(b, frames[i].Block.Key, c, m))
		l.Blocks = append(l.Blocks, x)
	}
	lp.ready = made.newSite()
	l.Ready = lp.ready + SiteHost
	return l, lp, nil
}

// room gives the loop what its code has for itself.
func (c *code) room(l *Loop) {
	words, rows := l.Plan.Room()
	l.Words, l.Rows = int32(len(c.words)), ^int32(c.rows)
	c.words = append(c.words, make([]uint64, words)...)
	c.rows += rows
}

// plain reports whether waves go on at once at each end of the block, and under the same mode.
func (o *looping) plain(f *exec.Frame) bool {
	if f.Own.Serial || !f.Keeps() {
		return false
	}
	at := o.g.At[f.Block.Key]
	for _, pc := range o.g.Nodes[at].Exit.To {
		if f.Yields(ir.Key{PC: pc, Mode: f.Block.Key.Mode}) {
			return false
		}
	}
	return true
}

// setsExec reports whether the block writes the execution mask.
func setsExec(m *ir.Machine, b *ir.Block) bool {
	return slices.ContainsFunc(b.Ops, func(in ir.Inst) bool {
		return (in.Op == ir.Set || in.Op == ir.SetX || in.Op == ir.SetLast) && m.Kind(in.Cell) == ir.ExecMask
	})
}

// way is where an address is, as in LoopBlock.Ways. An address that nobody goes to may be anything.
func (o *looping) way(s *shape, pc uint64) int {
	for i, n := range s.nodes {
		if o.g.Nodes[n].Block.Key.PC == pc {
			return i
		}
	}
	return ^max(slices.IndexFunc(s.exits, func(k ir.Key) bool { return k.PC == pc }), 0)
}

// liveAt is Loop.Live.
func (o *looping) liveAt(s *shape) func(at int, kind StepKind, cell int32) bool {
	if o.live == nil {
		return func(int, StepKind, int32) bool { return true }
	}
	m := o.p.Machine()
	sets := map[int]pass.CellSet{}
	for i, n := range s.nodes {
		sets[i] = o.live.In[n].Either()
	}
	for i, key := range s.exits {
		sets[^i] = o.live.In[o.g.At[key]].Either()
	}
	type register struct {
		kind StepKind
		at   int32
	}
	cells := map[register]ir.Cell{}
	for f := range m.Files {
		for i := range m.Files[f].Count {
			c := ir.Cell{File: uint8(f), Index: uint16(i)}
			k := GetWord
			switch m.Kind(c) {
			case ir.Lane32, ir.ExecMask:
				continue
			case ir.Lane1:
				k = GetMask
			}
			cells[register{k, int32(exec.IndexOf(m, c))}] = c
		}
	}
	return func(at int, kind StepKind, cell int32) bool {
		c, ok := cells[register{kind, cell}]
		return !ok || sets[at].Has(c)
	}
}

// join makes the code one that runs another block, too: what the steps of that say is made to be about the words of this code.
func (c *code) join(b *Block, key ir.Key, other *code, m *Block) member {
	off := int32(len(c.words))
	c.words = append(c.words, other.words...)
	c.rows, c.vecs = max(c.rows, other.rows), max(c.vecs, other.vecs)
	c.wants = append(c.wants, other.wants...)
	for at, x := range m.Consts {
		b.Consts[at+off] = x
	}
	moved := func(p *Place) {
		if p.Kind == InWord || p.Kind == InMask {
			p.At += off
		}
	}
	x := member{key: key}
	for _, at := range other.sites {
		c.sites = append(c.sites, at+off)
		x.sites = append(x.sites, loopSite{at: at + off})
	}
	for i := range m.Steps {
		s := &m.Steps[i]
		for k := range s.Args {
			moved(&s.Args[k])
		}
		for k := range s.Res {
			moved(&s.Res[k])
		}
		moved(&s.Mask)
		if s.Kind == MemoryAccess && s.Site != 0 {
			s.Site += off
			if k := slices.IndexFunc(x.sites, func(t loopSite) bool { return t.at == s.Site }); s.TransferKind.Bytes < 4 && s.Mask.Kind != 0 {
				x.sites[k].parts = s.Access.Bytes
			}
		}
	}
	for i := range m.Term {
		moved(&m.Term[i])
	}
	moved(&m.Ending.Cond)
	m.Consts = b.Consts
	return x
}

// learnLoops lets code of loops know what blocks remember of segments.
func (r *runner) learnLoops() {
	if r.taught == r.lessons {
		return
	}
	r.taught = r.lessons
	for _, f := range r.links {
		if f.loop != nil && f.words[f.loop.ready+SiteHost] == 0 && r.learn(f) {
			f.words[f.loop.ready+SiteHost] = 1
		}
	}
}

// learn reports whether all sites of the loop have been found.
func (r *runner) learn(f *form) bool {
	for i := range f.loop.members {
		m := &f.loop.members[i]
		nd := r.nodes[m.key]
		if nd == nil && len(m.sites) > 0 {
			return false
		}
		for k, site := range m.sites {
			if !f.remembers(nd, k, site, len(m.sites)) {
				return false
			}
		}
	}
	return true
}

// remembers takes over what a form of the block remembers at its site k of n, if code of a loop can do with it.
func (f *form) remembers(nd *node, k int, site loopSite, n int) bool {
	to := f.words[site.at:]
	for _, from := range nd.forms {
		if from == nil || len(from.sites) < n || from.words[from.sites[k]+SiteHost] == 0 {
			continue
		}
		copy(to[:SiteMarks+1], from.words[from.sites[k]:][:SiteMarks+1])
		base, last := to[SiteBase], to[SiteLast]
		if last < 1<<31-64 && base<<32>>32+last < 1<<32-64 && (site.parts == 0 || to[SiteHost]%4 == 0 && (last+site.parts)%4 == 0) {
			return true
		}
	}
	return false
}
