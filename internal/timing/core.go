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
	simds  []simd
	free   []int64 // when each unit is free, by SIMD; of those of all SIMDs in the first one
	queue  [][]*profile.WaveTrace
	run    []*group
	now    int64 // when the last wave ended
	chart  *chart
}

// A simd issues the instructions of its waves.
type simd struct {
	waves []*wave // that could issue
	slots []bool  // taken
	held  int     // waves that it has, with those at barriers
	next  *wave   // the one that issues first
	at    int64   // when
	stale bool    // next is not known
}

// A group is one that runs.
type group struct {
	live, arrived int
	latest        int64 // when the last of them arrived
	waiting       []*wave
}

// A wave is one that runs.
type wave struct {
	trace *profile.WaveTrace
	cur   profile.Cursor
	step  profile.Step // that follows
	more  bool         // there is one
	block *block
	at    int   // in the block
	base  int64 // when the wave itself allows the next instruction
	ready int64 // when results and operations do, too
	group *group
	simd  int
	slot  int
	began int64
	late  []result // by register
	begun [][]result
	span  *span
	order int64 // of issues
}

// A result is there at a time, of an instruction.
type result struct {
	at   int64
	inst int32
	made uint8
}

// all runs the groups of the core.
func (c *core) all() {
	for len(c.run) < max(c.room.Groups, 1) && len(c.queue) > 0 {
		c.start(0)
	}
	for {
		first := -1
		for i := range c.simds {
			s := &c.simds[i]
			if len(s.waves) == 0 {
				continue
			}
			if !s.stale && c.earliest(s.next) != s.at {
				s.stale = true
			}
			if s.stale {
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
		s := &c.simds[first]
		s.stale = true
		c.issue(s, s.next, s.at)
	}
}

// pick finds the wave that issues next: the earliest, and of several the one that has been ready for longest.
func (c *core) pick(s *simd) {
	s.next, s.stale = nil, false
	for _, w := range s.waves {
		at := c.earliest(w)
		if s.next == nil || at < s.at || at == s.at && (w.ready < s.next.ready || w.ready == s.next.ready && w.order < s.next.order) {
			s.next, s.at = w, at
		}
	}
}

// earliest returns when a wave can issue, as far as its units are free.
func (c *core) earliest(w *wave) int64 {
	at := w.ready
	uses := w.block.ops[w.at].uses
	for i := range uses {
		at = max(at, c.free[c.slotOf(&uses[i], w.simd)])
	}
	return at
}

// slotOf returns the place of a unit in free.
func (c *core) slotOf(u *use, simd int) int {
	if u.all {
		return u.unit
	}
	return simd*len(c.m.units) + u.unit
}

// start starts the next group.
func (c *core) start(now int64) {
	g, traces := &group{live: len(c.queue[0])}, c.queue[0]
	c.queue, c.run = c.queue[1:], append(c.run, g)
	for _, t := range traces {
		w := &wave{trace: t, cur: t.Steps(), base: now, began: now, group: g, late: make([]result, len(c.m.late)), begun: make([][]result, len(c.m.counters))}
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
		c.stats.waves++
		w.step, w.more = w.cur.Next()
		if !c.enter(w, now) {
			c.end(w)
			continue
		}
		s.waves, s.stale = append(s.waves, w), true
	}
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
	c.stats.time[int(inst)*c.stats.reasons+reason] += time
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
			c.stats.caused[last.inst] += last.at - at
			at = last.at
		}
	}
	for _, x := range o.waits {
		q := w.begun[x.Counter]
		if n := len(q) - x.Left; n > 0 {
			if last := q[n-1]; last.at > at {
				c.spend(w, o.inst, reasons+len(c.m.units)+x.Counter, at, last.at-at)
				c.stats.caused[last.inst] += last.at - at
				at = last.at
			}
			w.begun[x.Counter] = append(q[:0], q[n:]...)
		}
	}
	w.ready = at
}

// issue issues the next instruction of a wave.
func (c *core) issue(s *simd, w *wave, now int64) {
	o := &w.block.ops[w.at]
	if now > w.ready {
		c.spend(w, o.inst, busy, w.ready, now-w.ready)
	}
	c.stats.time[int(o.inst)*c.stats.reasons+issue] += o.hold
	c.stats.issued[o.inst]++
	lines, passes, free := int64(0), int64(1), int64(1)
	for w.more && w.step.Enters == nil && w.step.Inst == w.at {
		lines += int64(w.step.Lines)
		if w.step.Free > 0 {
			passes, free = int64(w.step.Passes), int64(w.step.Free)
		}
		w.step, w.more = w.cur.Next()
	}
	later := int64(0)
	for i := range o.uses {
		u := &o.uses[i]
		time := u.time
		if passes > free {
			time = time * passes / free
			later = max(later, time-u.time)
		}
		c.free[c.slotOf(u, w.simd)] = now + time
		c.stats.busy[u.unit] += time
	}
	if lines > 0 && c.m.line > 0 {
		begin := max(now, c.free[c.m.lines])
		c.free[c.m.lines] = begin + lines*c.m.line
		c.stats.busy[c.m.lines] += lines * c.m.line
		later += begin - now + (lines-1)*c.m.line
	}
	r := result{now + o.latency + later, o.inst, o.made}
	for _, x := range o.writes {
		w.late[x] = r
	}
	for _, b := range o.begins {
		e := r
		if b.Reads {
			e.at = now + o.held
		}
		q := w.begun[b.Counter]
		if len(q) > 0 {
			e.at = max(e.at, q[len(q)-1].at)
		}
		w.begun[b.Counter] = append(q, e)
		c.chart.change(b.Counter, now, e.at)
	}
	c.stats.order++
	w.base, w.order = now+o.hold, c.stats.order
	w.at++
	if o.barrier > 0 {
		c.barrier(s, w, o)
		return
	}
	c.proceed(s, w, now)
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
	for i := range s.waves {
		if s.waves[i] == w {
			s.waves = append(s.waves[:i], s.waves[i+1:]...)
			return
		}
	}
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
		s.waves, s.stale = append(s.waves, w), true
		c.proceed(s, w, w.base)
	}
}

// end ends a wave, and starts a group in the room that the last one of its group leaves.
func (c *core) end(w *wave) {
	g, s := w.group, &c.simds[w.simd]
	s.held--
	s.slots[w.slot] = false
	w.span.end(w.base)
	c.now = max(c.now, w.base)
	c.stats.life += w.base - w.began
	if g.live--; g.live > 0 {
		if len(g.waiting) > 0 && g.arrived >= g.live {
			c.release(g, max(g.latest, w.base))
		}
		return
	}
	c.run = slices.DeleteFunc(c.run, func(r *group) bool { return r == g })
	if len(c.queue) > 0 {
		c.start(w.base)
	}
}

// unstick releases waves that wait at barriers for waves that do not come, as of barriers of only some waves of a group.
func (c *core) unstick() bool {
	for _, g := range c.run {
		if len(g.waiting) > 0 {
			c.release(g, g.latest)
			return true
		}
	}
	return false
}
