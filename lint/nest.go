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
	var todo []int32
	for i := range a.code.Entries {
		if e := &a.code.Entries[i]; !e.Function && !e.guessed {
			if j := a.stepAt(e.Addr); j >= 0 && !a.blocks[a.blockOf(j)].tangled {
				in[a.blockOf(j)] = &depth{}
				todo = append(todo, a.blockOf(j))
			}
		}
	}
	for len(todo) > 0 {
		b := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		d := *in[b]
		for j, n := a.blocks[b].first, a.blocks[b].n; n > 0; j, n = a.next(j), n-1 {
			d = d.behind(a.look(j).nest)
		}
		for _, s := range a.blocks[b].succ() {
			was := in[s]
			if was == nil {
				in[s] = &depth{d.least, d.most}
			} else if m := was.meet(d); m != *was {
				*was = m
			} else {
				continue
			}
			todo = append(todo, s)
		}
	}
	return in
}
