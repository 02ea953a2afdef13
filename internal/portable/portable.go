package portable

import (
	"fmt"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/lanewise"
	"github.com/heddle-gpu/heddle/internal/lower"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/mem"
)

// New returns the portable engine.
func New() exec.Engine { return engine{} }

// With returns an engine that runs segments of blocks by machine code.
func With(b Backend) exec.Engine { return engine{backend: b} }

// An engine is the portable engine, or one with machine code.
type engine struct {
	backend Backend
	eager   bool
}

// Name implements exec.Engine.
func (e engine) Name() string {
	if e.backend != nil {
		return e.backend.Name()
	}
	return "portable"
}

// Lacks says why an engine that should have machine code has none; "" if it has, or should not.
func (e engine) Lacks() string {
	if e.backend == nil {
		return ""
	}
	return e.backend.Lacks()
}

// Lasts implements exec.Lasting.
func (e engine) Lasts() bool { return true }

// Eager is for [exec.Eager].
func (e engine) Eager() exec.Engine {
	e.eager = true
	return e
}

func (e engine) NewRunner(p *exec.Program) exec.Runner {
	r := &runner{
		p:     p,
		e:     e,
		codes: e.codes(p),
		nodes: map[ir.Key]*node{},
		lanes: lanewise.Runner{Code: p.Code},
	}
	if e.backend != nil {
		r.worker = e.backend.NewWorker()
	}
	return r
}

// A node is an entry of waves into a block, as one runner knows it.
type node struct {
	*site
	key      ir.Key
	next     [2]successor
	replaced int      // index in next of the one to be replaced
	forms    [2]*form // the current forms, for waves with some lanes active on entry, and with all; nil: not yet found
	inner    *form    // the form that can be entered and left at its marks
	tier     tier     // of forms
	highest  bool     // there is no higher one
}

// A form is code with the storage that one runner needs for it.
type form struct {
	*code
	node    *node
	words   []uint64 // of code.words: constants, and storage for the rest
	cursors []mem.Cursor
	link    Link        // nil: not wholly compiled
	lanes   int         // index in node.forms
	linked  [2]*form    // by that index: the form that was last linked
	barrier *barrierEnd // at its end; nil: there is no barrier, or something else to be done
}

// A successor is where a wave has continued after a block.
type successor struct {
	node   *node // nil: none yet
	known  bool  // yields is known
	yields exec.Yield
}

// A scratch has the rows that a runner needs for some ops. They are an allocation of their own, made for the first such
// op: one of this size without pointers begins at a cache line.
type scratch struct {
	numbers [3]row // uniform operands of functions of package num
	wides   [3][ir.MaxLanes]uint64
	ioValue exec.IOValue // of inputs among runner.calls
	put     exec.IOValue // of outputs, likewise: uniform words
	singles row          // of runner.operandList: uniform words
	texels  [4]row       // by component, if they are not written to the results directly
	single5 [5]row       // of runner.wave and image ops: uniform operands
}

// A runner is what one goroutine needs to run waves: storage for values, and scratch.
type runner struct {
	made        *scratch // see runner.scratch
	p           *exec.Program
	e           engine
	codes       codes
	nodes       map[ir.Key]*node // those that this runner has visited, without a lock
	evictions   uint64           // of the program's blocks, as of the last look
	entries     [4]*node         // some of those at which waves have entered last
	oldestEntry int              // index of the one to be replaced

	st          *exec.State
	env         *exec.Env
	v           []uint32 // of st
	rows        []row
	vecs        []ir.Vec
	words       []uint64     // of the form that runs
	unit        Code         // likewise
	worker      CodeRunner   // nil without machine code
	links       []*form      // by the numbers of their links
	ran         ChainExit    // of the chain that ran last
	starts      []Start      // of waves that begin together
	resumptions []resumption // of waves that continue together
	previous    *form        // with a link; the form that the wave has just left; nil: none
	unlikely    bool         // the wave has exited a block since it has a lane where none is likely
	move        Transfer
	cacheKey
	changes   uint64       // changes of cacheKey so far
	reached   ir.SpaceID   // that of the last flat address for which there was a look for a segment
	uncounted exec.Traffic // of accesses that are not to be counted
	// Uniform stored values, for transfers.
	spreads     []*ir.Vec
	spreadRows  []*lower.Row
	lanesOfCode int             // number of lanes that the machine code is for
	recorded    lower.Recording // likewise
	fetches     bool            // likewise: inputs are fetched early
	liveOut     *exec.LiveOut   // likewise
	noFetch     bool            // fetching an early input has failed
	early       []*early
	slow        slowCount
	n           int // lanes that functions compute: those of the wave, rounded up to whole groups
	full        uint64

	lanes   lanewise.Runner // for the ops that it runs
	cursors []mem.Cursor    // of the form that runs
	*asking                 // made with the first form that has ops that need it
}

// An asking is what ops that access memory or ask for resources need.
type asking struct {
	reach   reach               // of the access that runs
	lanesAt [ir.MaxLanes][]byte // likewise, for Env.Footprint

	calls  [2]exec.IOCall // of input or output ops with one slot for all lanes
	oldest int            // index in calls, modulo its length, of the one to be replaced
	varied exec.IOCall    // of an output op whose slot is per lane

	quad        mem.Quad // of the tex or sample op that runs
	key         exec.ImageKey
	to          *[4]row // the rows for its texels
	operandList []operand
	components  [4]*mem.Row
	wave        mem.Rows
}

// scratch returns the rows for the op that runs.
func (r *runner) scratch() *scratch {
	if r.made == nil {
		r.made = new(scratch)
	}
	return r.made
}

// Run implements exec.Runner.
func (r *runner) Run(st *exec.State, env *exec.Env, b exec.Budget) exec.Stop {
	r.setWave(st, env)
	if r.worker != nil {
		r.worker.Run(st)
	}
	r.previous = nil
	r.fetchEarly()
	return r.run(nil, max(b.Steps, 1), b)
}

// setWave makes the wave the current one.
func (r *runner) setWave(st *exec.State, env *exec.Env) {
	st.Runs(r.p)
	r.st, r.env, r.v, r.full = st, env, st.V, st.Full
	r.n = (st.Lanes + laneBlock - 1) / laneBlock * laneBlock
	r.lanes.St, r.lanes.Env = st, env
	r.configure(st.Lanes, lower.RecordingOf(env.Footprint))
}

// run runs the current wave to the end of its turn. from is the block that it has just left; nil: none.
func (r *runner) run(from *node, left uint64, b exec.Budget) exec.Stop {
	stop := r.blocks(from, left, b)
	r.flush()
	return stop
}

// flush passes on what probes have told.
func (r *runner) flush() {
	if r.env.Probes != nil {
		r.env.Probes.Flush(r.env)
	}
}

// blocks runs one block after the other.
func (r *runner) blocks(from *node, left uint64, b exec.Budget) exec.Stop {
	st := r.st
	for !st.Ended() {
		if from != nil {
			if st.At.Mark == 0 && st.Passes(r.yields(from, st.At.Key)) && b.Yields {
				return exec.Stop{Reason: exec.StopYield}
			}
			if left == 0 {
				return exec.Stop{Reason: exec.StopBudget}
			}
		}
		nd, err := r.node(from)
		if err != nil {
			return exec.NoCode(r.st, r.env, r.p.Code, err)
		}
		var stop exec.Stop
		if st.At.Mark != 0 || r.unlikely || b.Exact && left < uint64(nd.Marks()) {
			r.previous, r.unlikely = nil, false
			stop = r.runCanonical(nd, &left, b.Exact)
		} else {
			nd, stop = r.runWhole(nd, &left, b.Exact)
		}
		if stop.Reason != 0 {
			return stop
		}
		if from = nd; r.unlikely {
			from = nil
		}
	}
	return exec.Stop{Reason: exec.StopEnd}
}

// node returns the block at the PC of the wave, which comes from another one, or from outside if from is nil.
func (r *runner) node(from *node) (*node, error) {
	at := &r.st.At
	if from != nil && at.Mark == 0 {
		for i := range from.next {
			if nd := from.next[i].node; nd != nil && nd.key == at.Key {
				return nd, nil
			}
		}
	}
	if from == nil {
		for i := range r.entries {
			if nd := r.entries[i]; nd != nil && nd.key == at.Key && uint(at.Mark) < uint(nd.Marks()) {
				return nd, nil
			}
		}
	}
	nd := r.nodes[at.Key]
	if nd == nil {
		if n := r.p.Evictions(); n != r.evictions {
			r.evictions, r.previous = n, nil
			r.dropBlocks()
		}
		s, err := r.codes.sites.Get(at.Key)
		if err != nil {
			return nil, err
		}
		nd = &node{site: s, key: at.Key}
		r.nodes[at.Key] = nd
	}
	if at.Mark < 0 || at.Mark >= nd.Marks() {
		return nil, fmt.Errorf("block at %#x has no mark %d", at.Key.PC, at.Mark)
	}
	switch {
	case from == nil:
		r.entries[r.oldestEntry] = nd
		r.oldestEntry = (r.oldestEntry + 1) % len(r.entries)
	case at.Mark == 0:
		from.replaced ^= 1
		from.next[from.replaced] = successor{node: nd}
	}
	return nd, nil
}

// yields returns whether a wave that continues at an address yields first.
func (r *runner) yields(nd *node, to ir.Key) exec.Yield {
	if nd.NeverYields(to) {
		return exec.YieldsNever
	}
	for i := range nd.next {
		s := &nd.next[i]
		if s.node == nil || s.node.key != to {
			continue
		}
		if !s.known {
			s.known, s.yields = true, nd.Yields(to)
		}
		return s.yields
	}
	if r.st.Ended() {
		return nd.Yields(to)
	}
	if _, err := r.node(nd); err != nil { // the wave faults there
		return nd.Yields(to)
	}
	return r.yields(nd, to)
}

// runWhole runs a block from beginning to end, and perhaps more after it. The node is that of the last one.
func (r *runner) runWhole(nd *node, left *uint64, exact bool) (*node, exec.Stop) {
	f, err := r.formOf(nd)
	switch {
	case err != nil:
		return nd, exec.NoCode(r.st, r.env, r.p.Code, err)
	case f.link != nil:
		return r.chain(f, left, exact)
	}
	r.previous = nil
	*left -= min(*left, uint64(nd.Marks()))
	return nd, r.steps(f, left)
}

// stopAt ends a visit before a mark: with a fault, or so that the canonical block continues there.
func (r *runner) stopAt(visit *exec.Visit, nd *node, mark int32, left *uint64) exec.Stop {
	if !r.unlikely {
		return visit.Fault(int(mark), r.lanes.Fault)
	}
	visit.Pause(int(mark))
	*left += uint64(nd.Marks()) - uint64(mark)
	r.previous = nil
	if nd.unlikely.Add(1) >= maxUnlikely {
		r.dropBlocks()
	}
	return exec.Stop{}
}

// steps runs the ops of a block.
func (r *runner) steps(f *form, left *uint64) exec.Stop {
	var visit exec.Visit
	r.visit(&visit, f)
	if r.unit = f.unit; r.unit != nil {
		r.worker.Enter(r.words, r.rows, r.vecs)
	}
	if f.Block.Serial {
		r.runSerial(f)
		return visit.Leave(r.termOperands(f.code))
	}
	if r.slow.on {
		r.slow.visit(f)
	}
	for i := range f.ops {
		o := &f.ops[i]
		if !o.run(r, o) {
			return r.stopAt(&visit, f.node, o.mark, left)
		}
	}
	return visit.Leave(r.termOperands(f.code))
}

// visit enters a block.
func (r *runner) visit(v *exec.Visit, f *form) {
	r.words, r.cursors = f.words, f.cursors
	v.Begin(f.Frame, r.st, r.env)
}

// runCanonical runs a canonical block from the mark of the wave on, as far as the budget permits if it is exact.
func (r *runner) runCanonical(nd *node, left *uint64, exact bool) exec.Stop {
	f, err := r.canonicalForm(nd)
	if err != nil {
		return exec.NoCode(r.st, r.env, r.p.Code, err)
	}
	first, last := r.st.At.Mark, len(f.marks)
	if exact && *left < uint64(last-first) {
		last = first + int(*left)
	}
	*left -= min(*left, uint64(last-first))
	var visit exec.Visit
	r.visit(&visit, f)
	end := len(f.ops)
	if last < len(f.marks) {
		end = f.marks[last]
	}
	if f.Block.Serial {
		r.runSerial(f)
		end = 0
	}
	if r.slow.on {
		r.slow.part(nd, last-first)
	}
	for i := f.marks[first]; i < end; i++ {
		o := &f.ops[i]
		if !o.run(r, o) {
			return visit.Fault(int(o.mark), r.lanes.Fault)
		}
	}
	if last < len(f.marks) {
		visit.Pause(last)
		return exec.Stop{}
	}
	return visit.Leave(r.termOperands(f.code))
}

// runSerial runs a serial block once for each lane. Nothing in it can fault.
func (r *runner) runSerial(f *form) {
	all := r.st.Exec
	for m := all; m != 0; m &= m - 1 {
		r.st.Exec = m & -m
		for i := range f.ops {
			f.ops[i].run(r, &f.ops[i])
		}
	}
	r.st.Exec = all
}

// termOperands returns the operand of the terminator in the form that State.Leave takes, and the addresses of ctlx by
// lane.
func (r *runner) termOperands(c *code) (x uint64, at *ir.Vec) {
	n := len(c.term)
	if n == 0 {
		return 0, nil
	}
	if c.far {
		at = r.addresses(c.term[0])
	}
	p := c.term[n-1]
	if c.masked {
		return r.mask(p), at
	}
	return r.words[p.At], at
}
