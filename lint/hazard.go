package lint

import (
	"fmt"
	"slices"

	"github.com/heddle-gpu/heddle/isa"
)

// hazardsOf finds the hazards of which an instruction is the first, and the wait states that it takes.
func (a *analysis) hazardsOf(f *form) {
	if len(a.hazards) == 0 {
		return
	}
	if f.states = 1; a.flow.States != nil {
		f.states = int32(a.flow.States(&f.in, f.traits))
	}
	a.touchedBy(f)
	a.begins = a.begins[:0]
	for h := range a.hazards {
		z := &a.hazards[h]
		if z.FirstTraits != 0 && z.FirstTraits&f.traits == 0 {
			continue
		}
		a.buf = z.First(&f.in, &a.touched, a.buf[:0])
		for _, sp := range a.buf {
			a.begins = append(a.begins, recent{hazard: uint8(h), cell: int32(a.index(sp.Cell)), n: int32(sp.Count)})
		}
	}
	f.firsts = a.firsts.keep(a.begins)
}

// hazard checks whether the step is the second of a hazard, and records whether it is the first of one.
func (w *walker) hazard(i int32, s step) {
	if len(w.st.recent) > 0 {
		if w.says {
			w.second(i, s)
		}
		w.age(s)
	}
	for _, r := range s.firsts {
		r.from = i
		w.st.addRecent(r)
	}
}

// touchedBy passes what an instruction touches to functions of the set.
func (a *analysis) touchedBy(f *form) {
	a.touched.Reads = append(a.touched.Reads[:0], f.reads...)
	a.touched.Writes = append(a.touched.Writes[:0], f.writes...)
}

// second checks whether the step comes too early after a recent one. Each cell is reported once.
func (w *walker) second(i int32, s step) {
	var told uint64 // hazards
	ready := false
	for k := range w.st.recent {
		r := &w.st.recent[k]
		z := &w.hazards[r.hazard]
		if told>>r.hazard&1 != 0 || z.ThenTraits != 0 && z.ThenTraits&s.traits == 0 {
			continue
		}
		if !ready { // what a finding looks up does not change it
			w.touchedBy(s.form)
			ready = true
		}
		w.buf = z.Then(&s.in, &w.touched, w.buf[:0])
		for _, sp := range w.buf {
			lo := int32(w.index(sp.Cell))
			if r.cell < lo+int32(sp.Count) && lo < r.cell+r.n {
				told |= 1 << r.hazard
				w.saysHazard(i, r, max(lo, r.cell))
				break
			}
		}
	}
}

func (w *walker) saysHazard(i int32, r *recent, cell int32) {
	z := &w.hazards[r.hazard]
	first := w.look(r.from)
	if z.States == 0 {
		w.find(z.rule, i, r.from, fmt.Sprintf("%s: after %s at %#x wrote %s, nothing has written it as a whole", w.look(i).in.Def.Name,
			first.in.Def.Name, first.addr, w.name(w.cellAt(int(cell)))), "")
		return
	}
	msg := fmt.Sprintf("%s: %d wait states after %s at %#x touched %s, where %d are needed", w.look(i).in.Def.Name, r.age,
		first.in.Def.Name, first.addr, w.name(w.cellAt(int(cell))), z.States)
	hint := ""
	if w.flow.Idle != nil {
		hint = w.flow.Idle(z.States - int(r.age))
	}
	w.find(z.rule, i, r.from, msg, hint)
}

// anew removes n written cells, from lo on, from the recent list, for hazards that concern the contents written
// before. A hazard without wait states is over if any of its cells is written.
func (w *walker) anew(lo, n int32) {
	hi := lo + n
	for k := 0; k < len(w.st.recent); k++ {
		r := w.st.recent[k]
		z := &w.hazards[r.hazard]
		if z.Stays || r.cell >= hi || lo >= r.cell+r.n {
			continue
		}
		w.st.recent = slices.Delete(w.st.recent, k, k+1)
		k--
		if z.States == 0 {
			continue
		}
		if first := lo - r.cell; first > 0 {
			w.st.addRecent(recent{r.hazard, r.age, r.cell, first, r.from})
		}
		if last := r.cell + r.n - hi; last > 0 {
			w.st.addRecent(recent{r.hazard, r.age, hi, last, r.from})
		}
	}
}

// age counts the wait states of the step, and removes what is too old or has been overwritten.
func (w *walker) age(s step) {
	if s.traits&isa.TraitPart == 0 {
		for _, sp := range s.writes {
			w.anew(int32(w.index(sp.Cell)), int32(sp.Count))
		}
	}
	keep := w.st.recent[:0]
	for _, r := range w.st.recent {
		if n := w.hazards[r.hazard].States; n > 0 {
			if int(r.age)+int(s.states) >= n {
				continue
			}
			r.age += uint8(s.states)
		}
		keep = append(keep, r)
	}
	w.st.recent = keep
}
