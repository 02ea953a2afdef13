package lint

import (
	"fmt"

	"github.com/heddle-gpu/heddle/isa"
)

// A depth is the range of nesting depths on the paths to a step.
type depth struct{ least, most int }

// maxDepth is where depths stop growing: a loop may open blocks again and again.
const maxDepth = 255

// behind returns the depth after a step.
func (d depth) behind(n isa.Nesting) depth {
	if n.Anew {
		d = depth{}
	}
	return depth{min(max(d.least+n.Least, 0), maxDepth), min(max(d.most+n.Most, 0), maxDepth)}
}

// meet returns the union of both ranges.
func (d depth) meet(o depth) depth { return depth{min(d.least, o.least), max(d.most, o.most)} }

// nests finds blocks that end without a begin, and blocks that are open when the wave terminates.
func (a *analysis) nests() {
	if a.flow.Nest == nil {
		return
	}
	none, open := a.rule(a.flow.NestNone), a.rule(a.flow.NestOpen)
	if none == nil && open == nil {
		return
	}
	in := a.depths()
	for i := range a.blocks {
		if in[i] == nil {
			continue
		}
		d := *in[i]
		for j, n := a.blocks[i].first, a.blocks[i].n; n > 0; j, n = a.next(j), n-1 {
			s := a.look(j)
			if s.nest.Ends && d.most == 0 {
				a.find(none, j, -1, s.in.Def.Name+": no path to here has begun a block", "")
			}
			if d = d.behind(s.nest); d.least > 0 && !s.falls && !s.jumps && !s.open {
				a.find(open, j, -1, fmt.Sprintf("%s: the program ends inside of blocks that count %d", s.in.Def.Name, d.least), "")
			}
		}
	}
}

// depths returns those at the starts of basic blocks; nil: unreachable, or reached from unknown places.
func (a *analysis) depths() []*depth {
	in := make([]*depth, len(a.blocks))
	for i := range a.code.Entries {
		if e := &a.code.Entries[i]; !e.Function && !e.guessed {
			if j := a.stepAt(e.Addr); j >= 0 && !a.blocks[a.blockOf(j)].tangled {
				in[a.blockOf(j)] = &depth{}
			}
		}
	}
	p, work := a.newPurse(a.count), a.newWorklist()
	for loop := range a.loops() {
		p.giveBack(a.deepen(in, work, loop, p.take(a.size(loop))))
	}
	return in
}

// deepen computes the depths in a loop and those at the blocks that follow it. It returns the steps left.
func (a *analysis) deepen(in []*depth, work *worklist, loop []int32, budget int) int {
	for _, b := range loop {
		if in[b] != nil {
			work.add(b)
		}
	}
	first := a.position[loop[0]]
	for b := work.take(); b >= 0; b = work.take() {
		remade, d := a.remade, *in[b]
		for j, n := a.blocks[b].first, a.blocks[b].n; n > 0; j, n = a.next(j), n-1 {
			d = d.behind(a.look(j).nest)
		}
		if budget -= int(a.blocks[b].n) + a.remade - remade; budget < 0 && a.repeats(loop) {
			work.clear()
			a.saysDeep(in, loop)
			return 0
		}
		for _, s := range a.blocks[b].succ() {
			if in[s] == nil {
				in[s] = &depth{d.least, d.most}
			} else if m := in[s].meet(d); m != *in[s] {
				*in[s] = m
			} else {
				continue
			}
			if int(a.position[s]-first) < len(loop) {
				work.add(s)
			}
		}
	}
	return budget
}

// saysDeep reports a loop whose depths were not found in time: there and behind it, any depth is possible.
func (a *analysis) saysDeep(in []*depth, loop []int32) {
	first := a.addr(a.place(a.blocks[loop[0]].first))
	for _, b := range loop {
		first = min(first, a.addr(a.place(a.blocks[b].first)))
		in[b] = &depth{0, maxDepth}
		for _, s := range a.blocks[b].succ() {
			in[s] = &depth{0, maxDepth}
		}
	}
	a.findAt(a.rule(ruleTangle), first, fmt.Sprintf("the paths of %s are too tangled to tell how deep blocks nest", plural(a.size(loop), "instruction")))
}
