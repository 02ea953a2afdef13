package pass

import "github.com/heddle-gpu/heddle/ir"

// A Keep says where in an optimised block the state must be observable.
type Keep uint8

const (
	// KeepFaults: at the end of the block, and where it faults: the state is then as it was before the instruction,
	// in all cells.
	KeepFaults Keep = iota
	// KeepMarks: before every guest instruction.
	KeepMarks
	// KeepEnd: at the end only, and where it faults the cells of [Operands]. A caller that needs the rest of the
	// state at a fault must return to a copy of the state and run the canonical block.
	KeepEnd
)

// Operands returns the cells that the operands of the instruction at pc read. A fault names them: with KeepEnd they
// hold what the instruction read, per-lane cells in active lanes. nil: nothing is kept for faults.
type Operands func(pc uint64) []ir.Span

// A LiveSet is the cells that are live at a place in the code: in lanes of the execution mask there, and in other
// lanes. Per-wave cells are in both or in neither.
type LiveSet struct{ Active, Inactive CellSet }

// NewLiveSet returns the set with the cells of s live in all lanes.
func NewLiveSet(s CellSet) LiveSet { return LiveSet{s.Clone(), s.Clone()} }

// Either returns the cells that are live in some lane.
func (l LiveSet) Either() CellSet {
	s := l.Active.Clone()
	s.AddAll(l.Inactive)
	return s
}

// AddAll adds what is in o and reports whether any of it was new.
func (l LiveSet) AddAll(o LiveSet) bool {
	a, b := l.Active.AddAll(o.Active), l.Inactive.AddAll(o.Inactive)
	return a || b
}

// Clone returns an independent set with the same cells.
func (l LiveSet) Clone() LiveSet { return LiveSet{l.Active.Clone(), l.Inactive.Clone()} }

// copy makes the set equal to o, reusing its memory.
func (l *LiveSet) copy(o LiveSet) {
	l.Active.copy(o.Active)
	l.Inactive.copy(o.Inactive)
}

func (l LiveSet) fill() {
	l.Active.fill()
	l.Inactive.fill()
}

// mix forgets which lanes are active: each cell is live in all lanes or in none.
func (l LiveSet) mix() {
	l.Active.AddAll(l.Inactive)
	l.Inactive.AddAll(l.Active)
}

// A sweeper walks a block backwards and computes what of it is needed.
type sweeper struct {
	defs
	needs
	keep   Keep
	looks  Operands
	mark   int  // the current one
	likely bool // execution may continue in the canonical block at unlikely ops
	// entries, by mark, is what is live where execution may enter the canonical block, in lanes of the execution
	// mask there; nil: everything. A sweep of the canonical block fills it in.
	entries map[int]LiveSet
	exec    ir.Cell
	masks   []ir.Val // by op that sets exec: the mask before it; see execs
	now     ir.Val   // the execution mask at the current op, or nowhere if it is not a value
	alive   LiveSet  // after the current op
	apart   bool     // Options.Apart
	others  *CellSet // collects what lanes read of registers of other lanes; nil: not needed
	// over, by cell, is a mask in whose lanes the cell is overwritten before it is read, or nowhere. Entries of
	// another age than the current one mean nowhere.
	over []over
	age  int64
}

type over struct {
	mask ir.Val
	age  int64
}

// reset prepares the sweeper for a block.
func (s *sweeper) reset(d defs, keep Keep, looks Operands) {
	s.defs, s.keep, s.looks = d, keep, looks
	s.over = resize(s.over, cells(d.m))
	s.live, s.pick, s.wide = resize(s.live, len(d.b.Ops)), resize(s.pick, len(d.b.Ops)), resize(s.wide, len(d.b.Ops))
	s.of = resize(s.of, len(d.b.Vals))
	s.exec, _ = d.m.Exec()
	s.masks, s.now = s.masks[:0], nowhere
	s.execs()
}

// execs finds the successive values of exec. The first is a value if the block reads it.
func (s *sweeper) execs() {
	e := nowhere
	for i := range s.b.Ops {
		in := &s.b.Ops[i]
		switch {
		case s.isExec(in) && in.Op == ir.Get && e == nowhere && len(s.masks) == 0:
			e = in.Res
		case s.isExec(in) && in.Op == ir.Set:
			s.masks = append(s.masks, e)
			e = in.Args[0]
			if s.b.Vals[e].Wave {
				e = nowhere
			}
		}
	}
	s.now = e
}

func (s *sweeper) isExec(in *ir.Inst) bool {
	return (in.Op == ir.Get || in.Op == ir.Set) && s.m.Files[in.Cell.File].Kind == ir.ExecMask
}

// sweep computes what is needed if the cells of out are live after the block. It leaves what is live before the
// block in s.alive.
func (s *sweeper) sweep(out LiveSet) *needs {
	s.alive.copy(out)
	masks, last := s.masks, s.now
	for i := range s.of {
		s.of[i] = nowhere
	}
	clear(s.pick)
	clear(s.wide)
	if s.b.Serial { // the next lane may read anything
		s.alive.fill()
	}
	if t := s.b.Term().Op; s.m.ModeMask != 0 && t != ir.End && t != ir.Trap { // needed to find the next block
		c := s.alive.Active.index(s.m.Mode)
		s.alive.Active.add(c)
		s.alive.Inactive.add(c)
	}
	s.forget()
	s.dead = 0
	s.mark = len(s.b.Marks) - 1
	for i := len(s.b.Ops) - 1; i >= 0; i-- {
		s.live[i] = s.matters(i)
		if s.live[i] {
			s.operands(i)
		} else {
			s.dead++
		}
		for ; s.mark >= 0 && int(s.b.Marks[s.mark].Op) == i; s.mark-- {
			if s.keep == KeepMarks {
				s.observable()
			}
			if _, ok := s.entries[s.mark]; ok && !s.likely {
				s.entries[s.mark] = s.alive.Clone()
			}
		}
	}
	s.masks, s.now = masks, last
	return &s.needs
}

// observable is for a place where the whole state is observable.
func (s *sweeper) observable() {
	s.alive.fill()
	s.forget()
}

func (s *sweeper) forget() { s.age++ }

// matters reports whether the op has to stay, and moves the state of the sweep to before it.
func (s *sweeper) matters(i int) bool {
	in := &s.b.Ops[i]
	switch in.Op {
	case ir.Set:
		return s.sets(i)
	case ir.SetLast:
		return s.alive.Active.has(s.alive.Active.index(in.Cell))
	case ir.Issue, ir.Wait, ir.Stable, ir.Clip:
		return false
	case ir.Unlikely:
		switch {
		case !s.likely:
		case s.entries == nil:
			s.observable()
		default:
			s.alive.AddAll(s.entries[s.b.MarkAt(i)])
			s.forget()
		}
		return s.likely
	case ir.Get:
		if s.of[in.Res] == nowhere {
			return false
		}
		s.gets(in)
		return true
	case ir.GetX:
		if removable(s.m, in) && s.of[in.Res] == nowhere {
			return false
		}
		s.reads(in.Cell.File)
	case ir.CtlCheck: // what it refuses depends on the active lanes
		s.execLive()
		s.forget()
	}
	info := in.Op.Info()
	if info.Class == ir.Ctl {
		s.ends(in)
		return true
	}
	if info.Flags&ir.CanFault != 0 && s.faults(in) {
		s.mayFault()
	}
	if !removable(s.m, in) {
		return true
	}
	for k := range ir.Val(in.NRes) {
		if s.of[in.Res+k] != nowhere {
			return true
		}
	}
	return false
}

func (s *sweeper) faults(in *ir.Inst) bool {
	if in.Op == ir.GetX || in.Op == ir.SetX {
		return s.m.Files[in.Cell.File].Range == ir.RangeFault
	}
	return true
}

// ends handles terminators: those that change the active lanes, and those that may fault.
func (s *sweeper) ends(in *ir.Inst) {
	switch in.Op {
	case ir.Retire, ir.CtlStep, ir.CtlStepX:
		if !s.apart {
			s.alive.mix()
		}
		s.execLive()
		if in.Op != ir.Retire { // the stack may overflow
			s.mayFault()
		}
	case ir.Trap:
		s.mayFault()
	}
}

// mayFault handles a place where the wave may stop with a fault.
func (s *sweeper) mayFault() {
	switch {
	case s.keep != KeepEnd:
		s.observable()
	case s.looks != nil && s.mark >= 0:
		for _, sp := range s.looks(s.b.Marks[s.mark].PC) {
			s.named(sp)
		}
	}
}

// named makes cells live that a fault names: those of one value per lane in the active lanes, so the execution mask is
// live as well.
func (s *sweeper) named(sp ir.Span) {
	for i := range sp.Count {
		at := ir.Cell{File: sp.Cell.File, Index: sp.Cell.Index + i}
		if int(at.Index) >= s.m.Files[at.File].Count {
			continue
		}
		c := s.alive.Active.index(at)
		s.alive.Active.add(c)
		if s.perLane(at) {
			s.execLive()
		} else {
			s.alive.Inactive.add(c)
		}
		s.over[c].age = 0
	}
}

// execLive makes the execution mask live.
func (s *sweeper) execLive() {
	if s.m.Files[s.exec.File].Kind == ir.ExecMask {
		s.alive.Active.Add(Span{Cell: s.exec, Count: 1})
		s.alive.Inactive.Add(Span{Cell: s.exec, Count: 1})
	}
}

// reads makes the cells of a file live, as an index computed at run time may refer to any.
func (s *sweeper) reads(file uint8) {
	all := Span{Cell: ir.Cell{File: file}, Count: s.m.Files[file].Count}
	s.alive.Active.Add(all)
	s.alive.Inactive.Add(all)
	if s.others != nil {
		s.others.Add(all)
	}
	s.forget()
}

// gets makes a cell live in the demanded lanes of its value.
func (s *sweeper) gets(in *ir.Inst) {
	c := s.alive.Active.index(in.Cell)
	s.alive.Active.add(c)
	if at := s.of[in.Res]; !s.perLane(in.Cell) || at == everywhere || !s.sub(at, s.now) {
		s.alive.Inactive.add(c)
		if s.others != nil {
			s.others.add(c)
		}
	}
	s.over[c].age = 0
}

func (s *sweeper) perLane(c ir.Cell) bool {
	k := s.m.Files[c.File].Kind
	return k == ir.Lane32 || k == ir.Lane1
}

// sets reports whether a write is live, and records what it overwrites.
func (s *sweeper) sets(i int) bool {
	in := &s.b.Ops[i]
	c := s.alive.Active.index(in.Cell)
	active, inactive := s.alive.Active.has(c), s.alive.Inactive.has(c)
	mask, masked := s.b.Mask(in)
	masked = masked && !s.yes(mask)
	o := &s.over[c]
	switch {
	case !active && !inactive:
	case masked && !active && s.sub(mask, s.now):
	case masked && o.age == s.age && s.sub(mask, o.mask):
	default:
		if s.isExec(in) {
			s.setExec(in.Args[0])
		}
		s.wide[i] = masked && !inactive && s.now >= 0 && s.sub(s.now, mask)
		s.overwrites(c, mask, masked)
		return true
	}
	if s.isExec(in) {
		s.setExec(in.Args[0])
	}
	return false
}

// overwrites records that the cell is overwritten here, in the lanes of the mask if there is one.
func (s *sweeper) overwrites(c int, mask ir.Val, masked bool) {
	if s.b.Serial { // if no lane is active it does not run
		return
	}
	o := &s.over[c]
	if !masked {
		s.alive.Active.remove(c)
		s.alive.Inactive.remove(c)
		return
	}
	if s.now >= 0 && s.sub(s.now, mask) {
		s.alive.Active.remove(c)
	}
	if o.age != s.age || s.sub(o.mask, mask) {
		*o = over{mask, s.age}
	}
}

// setExec goes back over a change of the execution mask to the value e.
func (s *sweeper) setExec(e ir.Val) {
	before := s.masks[len(s.masks)-1]
	s.masks = s.masks[:len(s.masks)-1]
	shrinks, grows := s.sub(e, before), s.sub(before, e)
	a, i := s.alive.Active, s.alive.Inactive
	switch {
	case shrinks && grows:
	case shrinks: // an active lane may be active or inactive after it, an inactive one stays inactive
		a.AddAll(i)
	case grows:
		i.AddAll(a)
	default:
		s.alive.mix()
	}
	s.now = before
}
