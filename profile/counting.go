package profile

import (
	"math/bits"
	"slices"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/rewrite"
	"github.com/heddle-gpu/heddle/ir"
)

// counting is code that counts. A block has a counter of its runs, and one of active lanes for each part of it in which
// the execution mask stays the same. At its end are those of its branch, and each access has a probe.
type counting struct {
	ir.Code
	machine *ir.Machine
	p       *Profiler
	of      *code
	made    map[ir.Key]*block // guarded by p.mu
}

// A block is the counters of a block.
type block struct {
	of      *code
	key     ir.Key
	marks   []ir.Mark
	part    []int // by mark: the number of the part that it is in
	first   int   // of its counters: that of its runs, then those of parts
	end     int   // after its counters
	parts   int
	branch  int             // the first counter of its branch; 0: it has none
	steps   bool            // the branch is a step of a divergence policy
	sites   map[int][]*site // by mark
	asks    map[int][]asked // by mark
	stopped []stopped       // by mark
	entry   *site           // of the probe that says that it is entered; nil: waves are not traced
}

// A stopped is how many waves have stopped before a mark, and their active lanes. Of those that had begun it the
// counters of a branch have run.
type stopped struct{ waves, lanes, begun, begunLanes uint64 }

// A stop is a wave that has stopped before a mark of a block, whose counters have run if it has begun.
type stop struct {
	block *block
	mark  int
	exec  uint64
	begun bool
}

// stop adds a stop. What has not run is not counted, either.
func (b *block) stop(s stop) {
	if !s.begun && s.mark == 0 {
		return
	}
	if b.stopped == nil {
		b.stopped = make([]stopped, len(b.marks))
	}
	x, lanes := &b.stopped[s.mark], uint64(bits.OnesCount64(s.exec))
	x.waves++
	if s.begun || b.part[s.mark] == b.part[s.mark-1] {
		x.lanes += lanes
	}
	if s.begun {
		x.begun++
		x.begunLanes += lanes
	}
}

// Machine returns that of the code, with counters.
func (c *counting) Machine() *ir.Machine { return c.machine }

// Unwrap returns the code that does not count.
func (c *counting) Unwrap() ir.Code { return c.Code }

// Block returns the block with counters.
func (c *counting) Block(at ir.Key) (*ir.Block, error) {
	from, err := c.Code.Block(at)
	if err != nil {
		return from, err
	}
	if from.Serial {
		c.p.passOver(from.Marks[0].PC)
		return from, nil
	}
	b := c.block(at, from)
	if b == nil {
		return from, nil
	}
	w := &writer{Copy: rewrite.Of(c.machine, from), b: b}
	for at := range from.Marks {
		w.Begin(at)
		w.mark(at, c.p)
	}
	return w.To, w.Err
}

// block returns the counters of a block; nil: there are none left.
func (c *counting) block(at ir.Key, from *ir.Block) *block {
	c.p.mu.Lock()
	defer c.p.mu.Unlock()
	if b := c.made[at]; b != nil {
		return b
	}
	b := &block{of: c.of, key: at, marks: slices.Clone(from.Marks), part: make([]int, len(from.Marks)), first: c.p.given, parts: 1, sites: map[int][]*site{}}
	cell, _ := c.machine.Exec()
	for i := range from.Marks {
		b.part[i] = b.parts - 1
		lo, hi := from.MarkOps(i)
		if i+1 < len(from.Marks) && slices.ContainsFunc(from.Ops[lo:hi], func(in ir.Inst) bool { return in.Op == ir.Set && in.Cell == cell }) {
			b.parts++
		}
	}
	n := 1 + b.parts
	switch term := from.Term(); {
	case term.Op == ir.Branch:
		b.branch, n = b.first+n, n+1
	case (term.Op == ir.CtlStep || term.Op == ir.CtlStepX) && slices.Contains(branches[:], ir.ControlKind(term.Alt)):
		b.branch, b.steps, n = b.first+n, true, n+branchCounters
	}
	b.asks = map[int][]asked{}
	for i := range from.Marks {
		for _, a := range asksOf(from, i) {
			b.asks[i] = append(b.asks[i], asked{a.kind, b.first + n})
			n += 2
		}
	}
	sites := 0
	for i := range from.Ops {
		if isAccess(&from.Ops[i]) {
			sites++
		}
	}
	if c.p.left = c.p.left || b.first+n > maxTallies || c.p.accesses+sites > maxTallies; c.p.left {
		return nil
	}
	c.p.accesses += sites
	c.p.given += n
	b.end = c.p.given
	c.of.blocks = append(c.of.blocks, b)
	c.p.blocks, c.made[at] = append(c.p.blocks, b), b
	return b
}

// branches are the steps of a divergence policy that lanes take or not.
var branches = [...]ir.ControlKind{ir.CtlCall, ir.CtlCallLimited, ir.CtlDiverge, ir.CtlBreak, ir.CtlReturn, ir.CtlReconverge, ir.CtlLink}

// Counters of a branch: of waves that take it, or of a step of a divergence policy these.
const (
	lanesTaken = iota // lanes that take it
	wavesTaken        // waves with such a lane
	wavesBoth         // waves with such a lane and another one
	branchCounters
)

// A writer makes a block that counts.
type writer struct {
	rewrite.Copy
	b *block
}

// mark copies a mark with its counters. They stand after what engines go back from.
func (w *writer) mark(at int, p *Profiler) {
	lo, hi := w.From.MarkOps(at)
	place := w.From.AfterGuards(at)
	requests, asks := requestsOf(w.From, at), asksOf(w.From, at)
	sites := p.sitesOf(w.b, at, requests)
	for i := lo; i < hi; i++ {
		if i == place {
			w.count(at, p)
		}
		if in := &w.From.Ops[i]; in.Op.Info().Class == ir.Ctl {
			w.outcome(in)
		}
		for n, r := range requests {
			if r.place == i {
				w.request(sites[n], r)
			}
		}
		for n := range asks {
			if asks[n].place == i {
				w.ask(w.b.asks[at][n].counter, &asks[n])
			}
		}
		w.Keep(i)
	}
	if place == hi { // as in an instruction that does nothing
		w.count(at, p)
	}
}

// count adds the counters of a mark, if it is the first one of the block or of a part.
func (w *writer) count(at int, p *Profiler) {
	if at == 0 {
		w.tally(w.b.first, w.Const(ir.I64, 1))
		w.enter(p)
	}
	if at == 0 || w.b.part[at] != w.b.part[at-1] {
		w.tally(w.b.first+1+w.b.part[at], w.lanes(w.active()))
	}
}

// enter adds the probe that says that the block is entered.
func (w *writer) enter(p *Profiler) {
	if s := p.entry(w.b); s != nil {
		w.Add(ir.Inst{Op: ir.Probe, Imm: s.kind, IO: ir.IOAttr{Count: 1}, Args: []ir.Val{w.Const(ir.I32, 0), w.first()}})
	}
}

// first returns a mask of the first lane.
func (w *writer) first() ir.Val {
	return w.Op(ir.Eq, ir.I32, w.Op(ir.LaneID, ir.I32), w.Const(ir.I32, 0))
}

func (w *writer) tally(counter int, n ir.Val) {
	w.Add(ir.Inst{Op: ir.Tally, Imm: uint64(counter), Args: []ir.Val{n}})
}

// active returns the mask of active lanes.
func (w *writer) active() ir.Val {
	if cell, ok := w.Exec(); ok {
		return w.Add(ir.Inst{Op: ir.Get, Type: ir.I1, Cell: cell})
	}
	return w.Op(ir.Live, ir.I1)
}

// lanes returns the number of lanes of a mask.
func (w *writer) lanes(mask ir.Val) ir.Val {
	return w.Op(ir.Popcount, ir.I64, w.Op(ir.Ballot, ir.I1, mask, mask))
}

// outcome adds the counters of the block's branch.
func (w *writer) outcome(term *ir.Inst) {
	switch {
	case w.b.branch == 0:
	case !w.b.steps:
		w.tally(w.b.branch, w.Op(ir.ZExt, ir.I64, w.Vals[term.Args[0]]))
	default:
		active := w.active()
		taken := w.Op(ir.And, ir.I1, w.Vals[term.Args[len(term.Args)-1]], active)
		rest := w.Op(ir.And, ir.I1, w.Op(ir.Not, ir.I1, taken), active)
		some, other := w.Op(ir.Any, ir.I1, taken, active), w.Op(ir.Any, ir.I1, rest, active)
		w.tally(w.b.branch+lanesTaken, w.lanes(taken))
		w.tally(w.b.branch+wavesTaken, w.Op(ir.ZExt, ir.I64, some))
		w.tally(w.b.branch+wavesBoth, w.Op(ir.ZExt, ir.I64, w.Op(ir.And, ir.I1, some, other)))
	}
}

// sitesOf returns the places in the code of the requests of a mark.
func (p *Profiler) sitesOf(b *block, mark int, requests []*request) []*site {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, r := range requests[len(b.sites[mark]):] {
		s := &site{mark: mark, how: r.how, space: r.space, wave: !r.masked, of: b.of, spans: r.spans(), each: r.units[0].spans[0].size, none: r.bits(^uint64(0))}
		s.to = s
		p.add(s)
		b.sites[mark] = append(b.sites[mark], s)
		if len(r.units) > 1 {
			all, first := *s, *s
			all.pieces, first.spans = true, r.units[0].spans
			p.add(&all)
			p.add(&first)
		}
	}
	return b.sites[mark]
}

// add gives a place a kind of probes.
func (p *Profiler) add(s *site) {
	s.kind = uint64(len(p.sites))
	s.measure()
	p.sites, s.of.sites = append(p.sites, s), append(s.of.sites, s)
}

var _ exec.Tallier = (*Profiler)(nil)
