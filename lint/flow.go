package lint

import (
	"fmt"
	"slices"

	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// A walker advances a state over steps. With says set it adds findings.
type walker struct {
	*analysis
	st    state
	says  bool
	loose bool // paths may be missing from the state: the present block is tangled
	buf   []ir.Span
	doubt uint64 // bits: queues of Flow.Doubts
	full  uint64
	rules struct {
		read, write, source, doubt, ret, call, barrier, lastRead, lastPending *isa.Rule
	}
	// safe says that an operation always reads its registers before another instruction writes them, without a wait.
	safe    bool
	told    []subject // of the present step
	excused []int32   // cells that nothing wrote of which a step of the present block has a finding
	group   bool      // a step of the present block accesses workgroup memory
	// orders are the first steps that issue an operation of the second queue while one of the first is outstanding.
	orders map[[2]string]int32
}

// A subject is what a finding about a step concerns: an operation, by the step that issued it, or a cell that another
// step dropped, or that nothing wrote.
type subject struct{ from, cell int32 }

// Values in a subject for no step or cell.
const (
	anyCell   = -1
	noWriter  = -1
	ofCallers = -2
)

func (a *analysis) newWalker(says bool) *walker {
	w := &walker{analysis: a, says: says, orders: map[[2]string]int32{}}
	w.rules.read, w.rules.write, w.rules.source = a.has(isa.RulePendingRead), a.has(isa.RulePendingWrite), a.has(isa.RulePendingSource)
	for _, q := range a.flow.Doubts {
		w.doubt |= 1 << q
	}
	for _, q := range a.flow.Full {
		w.full |= 1 << q
	}
	w.rules.doubt = a.has(isa.RulePendingDoubt)
	w.rules.barrier = a.has(isa.RuleBarrierStore)
	w.rules.lastRead, w.rules.lastPending = a.has(isa.RuleLastRead), a.has(isa.RuleLastPending)
	w.safe = a.rules[isa.RulePendingSource] == nil
	w.rules.ret, w.rules.call = a.has(isa.RulePendingReturn), a.has(isa.RulePendingCall)
	return w
}

// step advances the state over a step.
func (w *walker) step(i int32) {
	s := w.look(i)
	w.told, w.group = w.told[:0], w.group || s.traits&isa.TraitGroup != 0
	if w.st.indexed = s.traits&isa.TraitIndexOn != 0 || w.st.indexed && s.traits&isa.TraitIndexOff == 0; true {
		w.reads(i, s)
		w.writes(i, s)
		w.drops(i, s)
		w.need(i, s, false)
		w.moves(s)
		w.hazard(i, s)
		w.active(s)
	}
	for j := range s.marks {
		w.mark(i, &s.marks[j])
	}
	w.need(i, s, true)
	switch {
	case s.traits&isa.TraitCall != 0:
		w.called()
	case s.traits&isa.TraitBarrier != 0:
		w.barrier(i)
	case s.open && w.st.called && w.rules.ret != nil:
		w.returns(i)
	}
}

// plain reports whether the instruction touches the cells of a span themselves, with no index added to their numbers.
func (w *walker) plain(sp ir.Span) bool {
	return !w.st.indexed || !w.m.Files[sp.Cell.File].Kind.PerLane()
}

// reads checks what a step reads.
func (w *walker) reads(i int32, s step) {
	for _, sp := range s.reads {
		if !w.plain(sp) {
			continue
		}
		lo := int32(w.index(sp.Cell))
		hi := lo + int32(sp.Count)
		for k := 0; k < len(w.st.pending); k++ {
			p := w.st.pending[k]
			if p.reads || p.cell < lo || p.cell >= hi {
				continue
			}
			if p.lanes == lanesOther {
				w.note(w.rules.read, i, k, "reads %s, which %s may still be writing in other lanes: EXEC was written between")
				continue
			}
			k = w.clash(w.rules.read, i, k, "reads %s, which %s may still be writing")
		}
		w.lost(i, s, sp, lo)
		if w.st.callers != 0 || w.says {
			w.unset(i, s, sp, lo)
		}
	}
}

// unset finds cells that nothing wrote, or that a caller may have left pending.
func (w *walker) unset(i int32, s step, sp ir.Span, lo int32) {
	if w.flow.Unset == nil {
		return
	}
	for k := range sp.Count {
		at := int(lo) + int(k)
		if bitOf(w.st.must, at) || slices.Contains(w.excused, int32(at)) || w.preserves(s, lo+int32(k)) {
			continue
		}
		c := ir.Cell{File: sp.Cell.File, Index: sp.Cell.Index + k}
		id := w.flow.Unset(&s.in, s.traits, c)
		if id == "" {
			continue
		}
		if w.st.called {
			if w.st.callers != 0 && w.says && !w.isTold(ofCallers, anyCell) {
				w.find(w.rules.call, i, -1, fmt.Sprintf("%s: reads %s before it has waited for what its caller left pending", s.in.Def.Name, w.name(c)), w.waitAll())
			}
			if !w.stays(w.rules.call, i, -1, subject{ofCallers, anyCell}) {
				w.st.callers = 0
			}
			return
		}
		if r := w.has(id); w.says && !w.loose && !w.isTold(noWriter, lo+int32(k)) {
			w.saysUnset(i, s, r, c, bitOf(w.st.may, at))
			if !w.stays(r, i, -1, subject{noWriter, lo + int32(k)}) {
				w.excused = append(w.excused, int32(at))
			}
		}
	}
}

func (w *walker) saysUnset(i int32, s step, r *isa.Rule, c ir.Cell, some bool) {
	if r == nil {
		return
	}
	msg := fmt.Sprintf("%s: reads %s, which nothing has written", s.in.Def.Name, w.name(c))
	if some {
		if r.Severity == isa.SeverityWarning { // lanes that did not write it need not read it
			if w.opt.Least < isa.SeverityNote {
				return
			}
			n := *r
			n.Severity, r = isa.SeverityNote, &n
		}
		msg = fmt.Sprintf("%s: reads %s, which not all paths have written", s.in.Def.Name, w.name(c))
	}
	w.find(r, i, -1, msg, "")
}

// writes checks what a step writes.
func (w *walker) writes(i int32, s step) {
	for _, sp := range s.writes {
		if !w.plain(sp) {
			continue
		}
		lo := int32(w.index(sp.Cell))
		hi := lo + int32(sp.Count)
		for k := 0; k < len(w.st.pending); k++ {
			p := w.st.pending[k]
			if p.cell < lo || p.cell >= hi || p.from == i && p.reads || !p.reads && w.inOrder(s, p) {
				continue
			}
			switch {
			case p.reads && w.safe:
				w.st.pending = slices.Delete(w.st.pending, k, k+1)
				k--
			case p.lanes == lanesOther && p.reads:
				w.note(w.rules.source, i, k, "writes %s, which %s may not have read yet in other lanes: EXEC was written between")
			case p.lanes == lanesOther:
				w.note(w.rules.write, i, k, "writes %s, which %s may write later in other lanes: EXEC was written between")
			case p.reads:
				k = w.clash(w.rules.source, i, k, "writes %s, which %s may not have read yet")
			default:
				k = w.clash(w.rules.write, i, k, "writes %s, which %s may write later")
			}
		}
		w.written(sp)
	}
	for _, sp := range s.some {
		w.written(sp)
	}
}

// written records that cells have a value.
func (w *walker) written(sp ir.Span) {
	for k := range int(sp.Count) {
		setBit(w.st.must, w.index(sp.Cell)+k)
		setBit(w.st.may, w.index(sp.Cell)+k)
	}
}

// inOrder reports whether the step writes the cell of a pending operation by one of its own, which completes later.
func (w *walker) inOrder(s step, p pending) bool {
	if w.m.Queues[p.queue].Unordered {
		return false
	}
	for j := range s.marks {
		m := &s.marks[j]
		if m.wait || m.queue != int(p.queue) {
			continue
		}
		for _, sp := range m.writes {
			if lo := int32(w.index(sp.Cell)); p.cell >= lo && p.cell < lo+int32(sp.Count) {
				return true
			}
		}
	}
	return false
}

// mark advances the state over the issue of an operation, or a wait.
func (w *walker) mark(i int32, m *mark) {
	if m.wait {
		w.wait(m)
		return
	}
	keep, most := w.st.pending[:0], 255
	if w.full>>m.queue&1 != 0 {
		most = w.m.Queues[m.queue].Max
	}
	for _, p := range w.st.pending {
		if int(p.queue) == m.queue && p.from != i {
			if p.age = min(p.age+1, 254); int(p.age) >= most {
				continue
			}
		}
		keep = append(keep, p)
	}
	w.st.pending = keep
	w.begin(i, m, m.writes, false)
	w.begin(i, m, m.reads, true)
	if len(m.writes) == 0 && w.look(i).traits&isa.TraitGroup != 0 {
		w.st.addPending(pending{cell: int32(w.cells), queue: uint8(m.queue), from: i})
	}
	w.noteNeeds(i, m)
}

// barrier finds stores to workgroup memory that other waves may not see after the barrier.
func (w *walker) barrier(i int32) {
	for k := 0; k < len(w.st.pending); k++ {
		if w.st.pending[k].cell == int32(w.cells) {
			k = w.clash(w.rules.barrier, i, k, "%s may not hold yet what %s stores")
		}
	}
}

func (w *walker) begin(i int32, m *mark, cells []ir.Span, reads bool) {
	lanes := lanesWithin
	if w.st.whole {
		lanes = lanesWhole
	}
	for _, sp := range cells {
		for k := range sp.Count {
			c := ir.Cell{File: sp.Cell.File, Index: sp.Cell.Index + k}
			w.st.addPending(pending{cell: int32(w.index(c)), queue: uint8(m.queue), reads: reads, from: i, lanes: lanes})
		}
	}
}

// wait removes what has completed when at most n operations of a counter are outstanding: for operations that
// complete in order, those followed by n others of the queue; else all, if n is 0.
func (w *walker) wait(m *mark) {
	if m.n == 0 {
		w.st.callers &^= 1 << m.queue
		w.st.begun &^= 1 << m.queue
	}
	keep := w.st.pending[:0]
	for _, p := range w.st.pending {
		q := &w.m.Queues[p.queue]
		counts := int(p.queue) == m.queue || q.Counter == m.queue+1
		if !counts || m.n > 0 && (q.Unordered || int(p.age) < m.n) {
			keep = append(keep, p)
		}
	}
	w.st.pending = keep
}

// called advances the state over a call: a function waits for what it issued.
func (w *walker) called() {
	w.st.pending, w.st.recent, w.st.dropped, w.st.callers, w.st.begun = w.st.pending[:0], w.st.recent[:0], w.st.dropped[:0], 0, w.some
	w.st.whole = false
	for k := range w.st.must {
		w.st.must[k], w.st.may[k] = ^uint64(0), ^uint64(0)
	}
}

// returns checks what a function leaves outstanding.
func (w *walker) returns(i int32) {
	for k := 0; k < len(w.st.pending); k++ {
		if p := w.st.pending[k]; !p.reads && p.cell < int32(w.cells) {
			k = w.clash(w.rules.ret, i, k, "returns while %s may still be written by %s")
		}
	}
}

// clash handles a pending cell, element k of the list, that a step touches. The step gets one finding per operation,
// which is then forgotten, or stays. It returns the index after which to continue: -1 if elements before k may have
// been removed.
func (w *walker) clash(r *isa.Rule, i int32, k int, text string) int {
	p := w.st.pending[k]
	switch {
	case w.isTold(p.from, anyCell):
		return k
	case w.doubt>>p.queue&1 == 0:
		w.saysPending(r, i, p, text)
		if w.stays(r, i, p.from, subject{p.from, anyCell}) {
			return k
		}
		w.drop(p.from)
		return -1
	case w.sure(p): // the other of its queues gives a better finding
		if w.keeps(r, i, p.from) {
			return k
		}
	default:
		w.saysPending(w.rules.doubt, i, p, text)
		if w.stays(w.rules.doubt, i, p.from, subject{p.from, anyCell}) {
			return k
		}
	}
	w.st.pending = slices.DeleteFunc(w.st.pending, func(o pending) bool { return o.from == p.from && o.queue == p.queue })
	return -1
}

// active advances the state over a change of the active lanes.
func (w *walker) active(s step) {
	if w.flow.Active == nil {
		return
	}
	w.touchedBy(s.form)
	c := w.flow.Active(&s.in, &w.touched)
	if c == isa.ActiveSame {
		return
	}
	w.st.whole = c == isa.ActiveAll || c == isa.ActiveMore && w.st.whole
	for k := range w.st.pending {
		if p := &w.st.pending[k]; p.cell < int32(w.cells) && w.m.Kind(w.cellAt(int(p.cell))).PerLane() {
			p.lanes = p.lanes.after(c)
		}
	}
}

// note reports that a step touches pending cell k in other lanes than its own, which is right as long as none of its
// own is among them. It is reported once for the whole operation, which stays outstanding.
func (w *walker) note(r *isa.Rule, i int32, k int, text string) {
	p := w.st.pending[k]
	if p.noted {
		return
	}
	if r != nil && w.opt.Least >= isa.SeverityNote {
		n := *r
		n.Severity = isa.SeverityNote
		w.saysPending(&n, i, p, text)
	}
	for k := range w.st.pending {
		if o := &w.st.pending[k]; o.from == p.from {
			o.noted = true
		}
	}
}

// isTold reports whether the present step already has a finding about a subject that stays.
func (w *walker) isTold(from, cell int32) bool { return slices.Contains(w.told, subject{from, cell}) }

// stays reports whether a subject of a finding about the present step remains after the step; see analysis.keeps.
func (w *walker) stays(r *isa.Rule, i, other int32, x subject) bool {
	if !w.keeps(r, i, other) {
		return false
	}
	if w.asked(r) {
		w.told = append(w.told, x)
	}
	return true
}

// sure reports whether the operation is also outstanding on a queue without doubt.
func (w *walker) sure(p pending) bool {
	return slices.ContainsFunc(w.st.pending, func(o pending) bool { return o.from == p.from && o.cell == p.cell && w.doubt>>o.queue&1 == 0 })
}

// saysPending adds a finding about a pending cell; text has verbs for the cell and the name of the instruction that
// issued the operation.
func (w *walker) saysPending(r *isa.Rule, i int32, p pending, text string) {
	if !w.says || r == nil {
		return
	}
	from := w.look(p.from)
	msg := w.look(i).in.Def.Name + ": " + fmt.Sprintf(text, w.nameAt(int(p.cell)), fmt.Sprintf("%s at %#x", from.in.Def.Name, from.addr))
	hint := ""
	if w.flow.Wait != nil {
		q := &w.m.Queues[p.queue]
		n, c := min(int(p.age), q.Max-1), int(p.queue)
		if q.Unordered {
			n = 0
		}
		if q.Counter != 0 {
			c = q.Counter - 1
		}
		hint = w.flow.Wait(c, n)
	}
	w.find(r, i, p.from, msg, hint)
}

// nameAt returns the name of a cell by its number.
func (w *walker) nameAt(cell int) string {
	if cell == w.cells {
		return "group memory"
	}
	return w.name(w.cellAt(cell))
}

// waitAll returns the instruction that waits for everything that a caller may have left outstanding.
func (w *walker) waitAll() string {
	if w.flow.Wait == nil {
		return ""
	}
	return w.flow.Wait(-1, 0)
}
