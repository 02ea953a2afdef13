package timing

import (
	"slices"

	"github.com/heddle-gpu/heddle/internal/chips"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/profile"
)

// A core runs the groups of a launch that it gets.
type core struct {
	m      *model
	room   chips.Room
	stats  *stats
	number int
	same   int64 // cores that do the same, with it
	waves  int   // that ran
	life   int64 // of them
	order  int64 // of issues
	simds  []simd
	free   []int64 // when each unit is free, by SIMD; of those of all SIMDs in the first one; the last is always
	shared bool    // a unit of all SIMDs was used since turns were last looked at
	queue  [][]member
	at     int64 // of the last issue
	run    []*group
	now    int64 // when the last wave ended
	opened int64 // when there was room for another group
	done   int64 // when the last operation ended that a wave began
	chart  *chart
	spare  []*wave // that have ended
}

// A simd issues the instructions of its waves.
type simd struct {
	waves []turn // that could issue
	slots []bool // taken
	held  int    // waves that it has, with those at barriers
	next  int    // the one that issues first
	at    int64  // when
	stale bool   // next is not known
}

// A turn is a wave that could issue its next instruction.
type turn struct {
	ready int64    // when results and operations are there that it needs
	units [2]int32 // places in free of units that it needs
	more  []use    // other units
	wave  *wave
}

// A group is one that runs.
type group struct {
	live, arrived int
	latest        int64 // when the last of them arrived
	waiting       []*wave
}

// A wave is one that runs.
type wave struct {
	trace member
	cur   profile.Cursor
	step  profile.Step // that follows
	more  bool         // there is one
	block *block
	at    int   // in the block
	base  int64 // when the wave itself allows the next instruction
	ready int64 // when results and operations do, too
	turn  int   // of the SIMD
	order int64 // of its last issue among those of the core
	group *group
	simd  int
	slot  int
	began int64
	late  []result // by register
	begun [][]result
	span  *span
}

// A result is there at a time, of an instruction.
type result struct {
	at   int64
	inst int32
	made uint8
}

// all runs the groups of the core.
func (c *core) all() {
	for {
		for len(c.run) < max(c.room.Groups, 1) && len(c.queue) > 0 {
			c.start()
		}
		first := -1
		for i := range c.simds {
			s := &c.simds[i]
			if len(s.waves) == 0 {
				continue
			}
			if s.stale || c.shared && c.earliest(&s.waves[s.next]) != s.at {
				c.pick(s)
			}
			if first < 0 || s.at < c.simds[first].at {
				first = i
			}
		}
		if first < 0 {
			if !c.unstick() {
				return
			}
			continue
		}
		c.shared = false
		s := &c.simds[first]
		s.stale = true
		c.at = s.at
		c.issue(s, s.waves[s.next].wave, s.at)
	}
}

// pick finds the wave that issues next: the earliest, and of several the one that has been ready for longest.
func (c *core) pick(s *simd) {
	s.stale = false
	for i := range s.waves {
		t := &s.waves[i]
		at := c.earliest(t)
		if i > 0 {
			if at > s.at {
				continue
			}
			if n := &s.waves[s.next]; at == s.at && (t.ready > n.ready || t.ready == n.ready && t.wave.order > n.wave.order) {
				continue
			}
		}
		s.next, s.at = i, at
	}
}

// earliest returns when a wave can issue, as far as its units are free.
func (c *core) earliest(t *turn) int64 {
	at := max(t.ready, c.free[t.units[0]], c.free[t.units[1]])
	for i := range t.more {
		at = max(at, c.free[c.slotOf(&t.more[i], t.wave.simd)])
	}
	return at
}

// turn notes what a wave's next instruction needs.
func (c *core) turn(w *wave) {
	t := &c.simds[w.simd].waves[w.turn]
	uses := w.block.ops[w.at].uses
	t.ready, t.more, t.units = w.ready, nil, [2]int32{int32(len(c.free) - 1), int32(len(c.free) - 1)}
	for i := range uses[:min(2, len(uses))] {
		t.units[i] = int32(c.slotOf(&uses[i], w.simd))
	}
	if len(uses) > 2 {
		t.more = uses[2:]
	}
}

// add makes a wave one of those that could issue.
func (s *simd) add(w *wave) {
	w.turn = len(s.waves)
	s.waves, s.stale = append(s.waves, turn{wave: w}), true
}

// slotOf returns the place of a unit in free.
func (c *core) slotOf(u *use, simd int) int {
	if u.all {
		return u.unit
	}
	return simd*len(c.m.units) + u.unit
}

// start starts the next group, when there is room for it.
func (c *core) start() {
	now := c.opened
	g, traces := &group{live: len(c.queue[0])}, c.queue[0]
	c.queue, c.run = c.queue[1:], append(c.run, g)
	for _, t := range traces {
		w := c.wave()
		w.trace, w.cur, w.base, w.began, w.group = t, t.Steps(), now, now, g
		for i := range c.simds {
			if c.simds[i].held < c.simds[w.simd].held {
				w.simd = i
			}
		}
		s := &c.simds[w.simd]
		s.held++
		for w.slot < len(s.slots) && s.slots[w.slot] {
			w.slot++
		}
		if w.slot == len(s.slots) {
			s.slots = append(s.slots, false)
		}
		s.slots[w.slot] = true
		w.span = c.chart.wave(c, w)
		c.waves++
		w.step, w.more = w.cur.Next()
		s.add(w)
		if !c.enter(w, now) {
			s.remove(w)
			c.end(w)
		}
	}
}

// wave returns a wave that has done nothing.
func (c *core) wave() *wave {
	n := len(c.spare) - 1
	if n < 0 {
		return &wave{late: make([]result, len(c.m.late)), begun: make([][]result, len(c.m.counters))}
	}
	w := c.spare[n]
	c.spare = c.spare[:n]
	clear(w.late)
	for i := range w.begun {
		w.begun[i] = w.begun[i][:0]
	}
	*w = wave{late: w.late, begun: w.begun}
	return w
}

// enter goes on to the next block; false: there is none.
func (c *core) enter(w *wave, now int64) bool {
	for w.more && w.step.Enters == nil {
		w.step, w.more = w.cur.Next()
	}
	if !w.more {
		return false
	}
	before := w.block
	w.block, w.at = c.m.blocks[w.step.Enters.Number], 0
	w.step, w.more = w.cur.Next()
	if before != nil && w.block.from != before.end {
		if extra := now + c.m.taken - w.base; extra > 0 {
			c.spend(w, before.ops[len(before.ops)-1].inst, branch, w.base, extra)
			w.base += extra
		}
	}
	c.prepare(w)
	return true
}

// spend notes that time of a wave has passed for a reason.
func (c *core) spend(w *wave, inst int32, reason int, from, time int64) {
	c.stats.time[int(inst)*c.stats.reasons+reason] += c.same * time
	w.span.stall(c, reason, inst, from, time)
}

// prepare finds when the results and operations that a wave's next instruction needs are there.
func (c *core) prepare(w *wave) {
	o := &w.block.ops[w.at]
	at := w.base
	if len(o.reads) > 0 {
		last := result{at: at}
		for _, r := range o.reads {
			if w.late[r].at > last.at {
				last = w.late[r]
			}
		}
		if last.at > at {
			c.spend(w, o.inst, reasons+int(last.made), at, last.at-at)
			c.stats.caused[last.inst] += c.same * (last.at - at)
			at = last.at
		}
	}
	for _, x := range o.waits {
		q := w.begun[x.Counter]
		if n := len(q) - x.Left; n > 0 {
			if last := q[n-1]; last.at > at {
				c.spend(w, o.inst, reasons+len(c.m.units)+x.Counter, at, last.at-at)
				c.stats.caused[last.inst] += c.same * (last.at - at)
				at = last.at
			}
			w.begun[x.Counter] = append(q[:0], q[n:]...)
		}
	}
	w.ready = at
	c.turn(w)
}

// issue issues the next instruction of a wave.
func (c *core) issue(s *simd, w *wave, now int64) {
	o := &w.block.ops[w.at]
	if now > w.ready {
		c.spend(w, o.inst, reasons+len(c.m.units)+len(c.m.counters)+c.busiest(w, o), w.ready, now-w.ready)
	}
	c.stats.time[int(o.inst)*c.stats.reasons+issue] += c.same * o.hold
	c.stats.issued[o.inst] += uint64(c.same)
	lines, passes, free := w.requests()
	later := int64(0)
	for i := range o.uses {
		u := &o.uses[i]
		time := u.time
		if passes > free {
			time = time * passes / free
			later = max(later, time-u.time)
		}
		c.free[c.slotOf(u, w.simd)] = now + time
		c.stats.busy[u.unit] += c.same * time
		c.shared = c.shared || u.all
	}
	if lines > 0 && c.m.line > 0 {
		begin := max(now, c.free[c.m.lines])
		c.free[c.m.lines] = begin + lines*c.m.line
		c.stats.busy[c.m.lines] += c.same * lines * c.m.line
		later += begin - now + (lines-1)*c.m.line
	}
	r := result{now + o.latency + later, o.inst, o.made}
	for _, x := range o.writes {
		w.late[x] = r
	}
	for _, b := range o.begins {
		e := r
		if b.Reads {
			e.at = now + o.held + later
		}
		q := w.begun[b.Counter]
		if len(q) > 0 {
			e.at = max(e.at, q[len(q)-1].at)
		}
		w.begun[b.Counter] = append(q, e)
		c.done = max(c.done, e.at)
		c.chart.change(b.Counter, now, e.at)
	}
	c.order++
	w.base, w.order = now+o.hold, c.order
	w.at++
	if o.barrier > 0 {
		c.barrier(s, w, o)
		return
	}
	c.proceed(s, w, now)
}

// requests returns what the next instruction of a wave asks of memory. Parts of a wave share the lines.
func (w *wave) requests() (lines, passes, free int64) {
	for w.more && w.step.Enters == nil && w.step.Inst == w.at {
		lines += int64(w.step.Lines)
		passes += int64(w.step.Passes)
		free += int64(w.step.Free)
		w.step, w.more = w.cur.Next()
	}
	return (lines + w.trace.parts - 1) / w.trace.parts, passes, free
}

// busiest returns the unit that is free last of those that an instruction needs.
func (c *core) busiest(w *wave, o *op) int {
	last := &o.uses[0]
	for i := range o.uses {
		if u := &o.uses[i]; c.free[c.slotOf(u, w.simd)] > c.free[c.slotOf(last, w.simd)] {
			last = u
		}
	}
	return last.unit
}

// proceed goes on to the next instruction of a wave, or ends it.
func (c *core) proceed(s *simd, w *wave, now int64) {
	switch {
	case w.at < len(w.block.ops):
		c.prepare(w)
	case !c.enter(w, now):
		s.remove(w)
		c.end(w)
	}
}

// remove removes a wave from those that could issue.
func (s *simd) remove(w *wave) {
	last := len(s.waves) - 1
	s.waves[w.turn] = s.waves[last]
	s.waves[w.turn].wave.turn = w.turn
	s.waves, s.stale = s.waves[:last], true
}

// barrier has a wave arrive at the group's barrier, and wait for it, or what its kind does of both.
func (c *core) barrier(s *simd, w *wave, o *op) {
	g, kind := w.group, int(o.barrier)-1
	if kind != ir.BarrierWait {
		g.arrived++
		g.latest = max(g.latest, w.base)
	}
	if kind == ir.BarrierArrive || kind == ir.BarrierWait && g.arrived == 0 {
		c.proceed(s, w, w.base)
	} else {
		g.waiting = append(g.waiting, w)
		s.remove(w)
	}
	if g.arrived >= g.live {
		c.release(g, g.latest)
	}
}

// release lets the waves go on that wait at the barrier.
func (c *core) release(g *group, now int64) {
	waiting := g.waiting
	g.waiting, g.arrived, g.latest = nil, 0, 0
	for _, w := range waiting {
		o := &w.block.ops[w.at-1]
		if now > w.base {
			c.spend(w, o.inst, barrier, w.base, now-w.base)
			w.base = now
		}
		s := &c.simds[w.simd]
		s.add(w)
		c.proceed(s, w, w.base)
	}
}

// end ends a wave. The last one of its group leaves room for another.
func (c *core) end(w *wave) {
	g, s := w.group, &c.simds[w.simd]
	s.held--
	s.slots[w.slot] = false
	w.span.end(w.base)
	c.now = max(c.now, w.base)
	c.life += w.base - w.began
	c.spare = append(c.spare, w)
	if g.live--; g.live > 0 {
		if len(g.waiting) > 0 && g.arrived >= g.live {
			c.release(g, max(g.latest, w.base))
		}
		return
	}
	c.run = slices.DeleteFunc(c.run, func(r *group) bool { return r == g })
	c.opened = w.base
}

// unstick releases waves that wait at barriers for waves that do not come, as of barriers of only some waves of a
// group.
func (c *core) unstick() bool {
	for _, g := range c.run {
		if len(g.waiting) > 0 {
			c.release(g, max(g.latest, c.at))
			return true
		}
	}
	return false
}
