package lint

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// A need is one of the set's with its rule.
type need struct {
	*isa.Need
	rule *isa.Rule
}

// needCell returns the number that stands for the cells of outstanding operations of a need. The numbers of the
// machine's cells, and of workgroup memory, are lower.
func (a *analysis) needCell(n int) int32 { return int32(a.cells + 1 + n) }

// noteNeeds records that an operation is outstanding for the needs that concern it.
func (w *walker) noteNeeds(i int32, m *mark) {
	for k := range w.needs {
		n := &w.needs[k]
		if n.Queues>>m.queue&1 != 0 && (n.From == 0 || n.From&w.look(i).traits != 0) {
			p := pending{cell: w.needCell(k), queue: uint8(m.queue), from: i, reach: w.reach(n, i)}
			if p.reach.known && w.writesAny(w.look(i), p.reach.base) {
				p.reach = reach{}
			}
			if k, found := w.st.find(&p); found {
				p.reach.join(&w.st.pending[k].reach)
			}
			w.st.addPending(p)
		}
	}
}

// reach returns the memory that a step accesses, if the need knows it.
func (w *walker) reach(n *need, i int32) reach {
	if n.Reach == nil {
		return reach{}
	}
	r, ok := n.Reach(&w.look(i).in)
	if !ok {
		return reach{}
	}
	return reach{true, r.Base, r.Lo, r.Hi}
}

// apart reports whether a step certainly accesses other memory than an outstanding operation.
func (w *walker) apart(n *need, i int32, p *pending) bool {
	if !p.reach.known {
		return false
	}
	r := w.reach(n, i)
	return r.known && r.base == p.reach.base && (r.hi <= p.reach.lo || p.reach.hi <= r.lo)
}

// moves records the outstanding operations whose base a step writes.
func (w *walker) moves(s step) {
	for k := range w.st.pending {
		if p := &w.st.pending[k]; p.reach.known && w.writesAny(s, p.reach.base) {
			p.reach = reach{}
		}
	}
}

// writesAny reports whether a step writes a cell of a span.
func (w *walker) writesAny(s step, sp ir.Span) bool {
	lo := int32(w.index(sp.Cell))
	for k := range int32(sp.Count) {
		if w.within(s.writes, lo+k) {
			return true
		}
	}
	return false
}

// need checks whether what a step needs has completed. A step gets one finding per operation, and one for what was
// outstanding when the wave began.
func (w *walker) need(i int32, s step, behind bool) {
	for k := range w.needs {
		n := &w.needs[k]
		if n.Traits&s.traits == 0 || n.Behind != behind {
			continue
		}
		cell := w.needCell(k)
		if n.Order {
			w.ordered(n, i, cell)
			continue
		}
		if n.Some {
			w.saysNone(n, i, cell)
			continue
		}
		for at := 0; at < len(w.st.pending); at++ {
			p := w.st.pending[at]
			if p.cell != cell || n.Queues>>p.queue&1 == 0 || w.isTold(p.from, anyCell) || w.apart(n, i, &p) {
				continue
			}
			w.saysNeed(n, i, p)
			if !w.stays(n.rule, i, p.from, subject{p.from, anyCell}) {
				w.drop(p.from)
				at = -1
			}
		}
		left := n.Begun & w.st.begun
		if left == 0 {
			continue
		}
		if !w.keeps(n.rule, i, -1) {
			w.st.begun &^= left
		}
		for q := range w.m.Queues {
			if left>>q&1 != 0 && w.says {
				w.find(n.rule, i, -1, fmt.Sprintf("%s: not all paths to here have waited for %s", s.in.Def.Name, w.m.Queues[q].Name), w.waitFor(q))
			}
		}
	}
}

// ordered finds an operation that a step issues while one of another queue is outstanding, if another step does so in
// the opposite order.
func (w *walker) ordered(n *need, i, cell int32) {
	if !w.says {
		return
	}
	for _, m := range w.look(i).marks {
		if m.wait || n.Queues>>m.queue&1 == 0 {
			continue
		}
		for _, p := range w.st.pending {
			if p.cell != cell || int(p.queue) == m.queue {
				continue
			}
			held, begun := w.m.Queues[p.queue].Name, w.m.Queues[m.queue].Name
			if j, ok := w.orders[[2]string{begun, held}]; ok && j != i {
				w.find(n.rule, i, j, fmt.Sprintf("%s: takes %s with %s, and %s at %#x the other way round: two tasks that have one each would wait for the other", w.look(i).in.Def.Name,
					begun, held, w.look(j).in.Def.Name, w.look(j).addr), "")
			}
			if _, ok := w.orders[[2]string{held, begun}]; !ok {
				w.orders[[2]string{held, begun}] = i
			}
		}
	}
}

// saysNone finds a step that waits although nothing is outstanding. What a caller or a call has left outstanding is
// unknown.
func (w *walker) saysNone(n *need, i, cell int32) {
	if !w.says || w.st.called || w.st.begun&n.Queues != 0 || slices.ContainsFunc(w.st.pending, func(p pending) bool { return p.cell == cell }) {
		return
	}
	w.find(n.rule, i, -1, w.look(i).in.Def.Name+": "+cmp.Or(n.Says, "nothing that it waits for begins before it"), "")
}

// drop removes what an operation left outstanding: it was reported, and need not be again. That it was issued stays
// known.
func (w *walker) drop(from int32) {
	w.st.pending = slices.DeleteFunc(w.st.pending, func(p pending) bool {
		n := p.cell - w.needCell(0)
		return p.from == from && (n < 0 || !w.needs[n].Some)
	})
}

func (w *walker) saysNeed(n *need, i int32, p pending) {
	if !w.says {
		return
	}
	from := w.look(p.from)
	where, other := fmt.Sprintf("%s at %#x", from.in.Def.Name, from.addr), p.from
	if p.from == i {
		where, other = "itself", -1
	}
	name := "%s: %s may still be pending on %s"
	if n.Behind {
		name = "%s: after it %s may still be pending on %s"
	}
	msg := fmt.Sprintf(name, w.look(i).in.Def.Name, where, w.m.Queues[p.queue].Name)
	if n.Says != "" {
		msg = w.look(i).in.Def.Name + ": " + n.Says
	}
	w.find(n.rule, i, other, msg, w.waitFor(int(p.queue)))
}

// waitFor returns the instruction that waits for all of a queue.
func (w *walker) waitFor(queue int) string {
	if w.flow.Wait == nil {
		return ""
	}
	return w.flow.Wait(queue, 0)
}

// dropped is a cell that an instruction marked as its last read.
type dropped struct{ cell, from int32 }

func (d *dropped) compare(o *dropped) int { return cmp.Compare(d.cell, o.cell) }

// drops removes what a step writes from the list, and adds what the step drops and does not write.
func (w *walker) drops(i int32, s step) {
	if len(w.st.dropped) > 0 {
		for _, sp := range s.writes {
			lo := int32(w.index(sp.Cell))
			w.st.dropped = slices.DeleteFunc(w.st.dropped, func(d dropped) bool { return d.cell >= lo && d.cell < lo+int32(sp.Count) })
		}
	}
	for _, sp := range s.drops {
		for k := range sp.Count {
			cell := int32(w.index(ir.Cell{File: sp.Cell.File, Index: sp.Cell.Index + k}))
			w.early(i, cell)
			if w.within(s.writes, cell) {
				continue
			}
			d := dropped{cell, i}
			if at, found := slices.BinarySearchFunc(w.st.dropped, &d, func(x dropped, o *dropped) int { return x.compare(o) }); found {
				w.st.dropped[at] = d
			} else {
				w.st.dropped = slices.Insert(w.st.dropped, at, d)
			}
		}
	}
}

// early checks whether an operation that another step issued may still read what the step drops.
func (w *walker) early(i, cell int32) {
	for k := 0; k < len(w.st.pending); k++ {
		p := w.st.pending[k]
		if !p.reads || p.cell != cell || p.from == i || w.isTold(p.from, cell) {
			continue
		}
		w.saysPending(w.rules.lastPending, i, p, "drops %s, which %s may not have read yet")
		if !w.stays(w.rules.lastPending, i, p.from, subject{p.from, cell}) {
			w.st.pending = slices.Delete(w.st.pending, k, k+1)
			k--
		}
	}
}

// lost checks whether a step reads cells that were dropped, and reports it once.
func (w *walker) lost(i int32, s step, sp ir.Span, lo int32) {
	for k := 0; k < len(w.st.dropped); k++ {
		d := w.st.dropped[k]
		if d.cell < lo || d.cell >= lo+int32(sp.Count) || w.preserves(s, d.cell) || w.isTold(d.from, d.cell) {
			continue
		}
		if w.says {
			from := w.look(d.from)
			w.find(w.rules.lastRead, i, d.from, fmt.Sprintf("%s: reads %s, which %s at %#x marks as read for the last time", s.in.Def.Name,
				w.nameAt(int(d.cell)), from.in.Def.Name, from.addr), "")
		}
		if !w.stays(w.rules.lastRead, i, d.from, subject{d.from, d.cell}) {
			w.st.dropped = slices.Delete(w.st.dropped, k, k+1)
			k--
		}
	}
}

// preserves reports whether a step reads a cell only to keep the part of it that it does not write.
func (w *walker) preserves(s step, cell int32) bool {
	if !w.within(s.kept, cell) {
		return false
	}
	n := 0
	for _, sp := range s.reads {
		if lo := int32(w.index(sp.Cell)); cell >= lo && cell < lo+int32(sp.Count) {
			n++
		}
	}
	return n == 1
}

// within reports whether a cell is in one of the spans.
func (w *walker) within(p []ir.Span, cell int32) bool {
	for _, sp := range p {
		if lo := int32(w.index(sp.Cell)); cell >= lo && cell < lo+int32(sp.Count) {
			return true
		}
	}
	return false
}
