package irgen

import (
	"math/rand/v2"

	"github.com/heddle-gpu/heddle/ir"
)

// A Program is a random structured program for a machine with a divergence policy: nested ifs, loops with breaks,
// functions that lanes leave separately, calls under a condition, through a limit and through registers, lanes that end
// anywhere. Every lane computes cell 1 of file 0 from cell 0, independently of other lanes. So the results of the lanes
// of a wave must be those that [Program.Lane] computes for each lane alone, without masks or stacks.
type Program struct {
	Entry  uint64
	Blocks []*ir.Block
	funcs  [][]node // by number; 0 is the program itself
	limit  int      // limit of nested limited calls
}

// Cells of file 0, which is per lane and has at least 20.
const (
	cellX     = iota // input
	cellH            // result
	cellSpare        // written by helper lanes
	cellLoop         // counters of loops
	cellLink  = 16   // return address of each function, for LowestPC
	maxLoops  = cellLink - cellLoop
	maxFuncs  = 4
)

// A nodeKind is a kind of statement.
type nodeKind uint8

const (
	nodeWork    nodeKind = iota // h = h*workFactor + k
	nodeIf                      // body if bit of h, else other
	nodeLoop                    // body as often as two bits of x say
	nodeBreak                   // leaves the innermost loop if bit of h
	nodeReturn                  // leaves the function if bit of h
	nodeExit                    // the lane ends if bit of h
	nodeCall                    // runs function fn
	nodeCallIf                  // if bit of h
	nodeLimited                 // unless too many such calls are nested
	nodeEither                  // function fn if bit of h, else fn2: a call through a register
	nodeQuad                    // writes the spare cell with help of the quad
	numNodes
)

const workFactor = 0x9e3779b1

type node struct {
	kind        nodeKind
	k, bit      uint32
	body, other []node
	fn, fn2     int
	cell        int
}

// A programGen makes the statements of a program.
type programGen struct {
	r       *rand.Rand
	stack   bool // the policy is MaskStack
	funcs   int
	loops   int
	limited bool // the function has its limited call
}

// NewProgram makes a random program for a machine with the policy MaskStack or LowestPC.
func NewProgram(r *rand.Rand, m *ir.Machine) *Program {
	g := &programGen{r: r, stack: m.Control == ir.MaskStack, funcs: 1 + r.IntN(maxFuncs)}
	p := &Program{limit: m.CallLimit}
	for fn := range g.funcs {
		g.limited = false
		p.funcs = append(p.funcs, g.list(fn, 3, false))
	}
	e := &emitter{r: r, m: m, p: p}
	e.program()
	return p
}

// list makes some statements of a function, nested up to depth.
func (g *programGen) list(fn, depth int, loop bool) []node {
	var ns []node
	for range 1 + g.r.IntN(4) {
		ns = append(ns, g.work())
		if n, ok := g.statement(nodeKind(g.r.IntN(int(numNodes))), fn, depth, loop); ok {
			ns = append(ns, n)
		}
	}
	return append(ns, g.work())
}

func (g *programGen) work() node { return node{kind: nodeWork, k: g.r.Uint32()} }

// statement makes a statement of the kind, if that is permitted there.
func (g *programGen) statement(k nodeKind, fn, depth int, loop bool) (node, bool) {
	n := node{kind: k, bit: g.r.Uint32N(32)}
	later := g.funcs - 1 - fn // functions that may be called without a limit: none calls back
	switch k {
	case nodeIf:
		if depth > 0 {
			n.body, n.other = g.list(fn, depth-1, loop), g.list(fn, depth-1, loop)
		}
		return n, depth > 0
	case nodeLoop:
		if depth == 0 || g.loops == maxLoops {
			return n, false
		}
		n.cell = cellLoop + g.loops
		g.loops++
		n.body = g.list(fn, depth-1, true)
	case nodeBreak:
		return n, loop
	case nodeReturn:
		return n, fn > 0
	case nodeCall, nodeCallIf, nodeEither:
		if later == 0 {
			return n, false
		}
		n.fn, n.fn2 = fn+1+g.r.IntN(later), fn+1+g.r.IntN(later)
	case nodeLimited:
		if !g.stack || loop || g.limited || g.funcs == 1 {
			return n, false
		}
		g.limited = true
		n.fn = 1 + g.r.IntN(g.funcs-1)
	case nodeQuad:
		return n, g.stack
	}
	return n, true
}

// Tokens returns an upper bound for the tokens on the control stack.
func (p *Program) Tokens() int { return 64 * (maxFuncs + 1) * (p.limit + 1) }

// Lane returns the final value of cell 1 if cell 0 holds x, by running the statements for one lane alone; false if that
// takes too long for a test.
func (p *Program) Lane(x uint32) (h uint32, ok bool) {
	l := lane{p: p, x: x, h: x ^ 0x5bd1e995, fuel: 4000}
	l.run(p.funcs[0])
	return l.h, l.fuel >= 0
}

// A lane is one lane on its own.
type lane struct {
	p       *Program
	x, h    uint32
	count   [cellLink]uint32
	limited int
	fuel    int
}

// A way is how a list of statements ends.
type way uint8

const (
	wayOn way = iota
	wayBreak
	wayReturn
	wayEnd
)

func (l *lane) run(ns []node) way {
	for i := range ns {
		if w := l.one(&ns[i]); w != wayOn {
			return w
		}
	}
	return wayOn
}

func (l *lane) one(n *node) way {
	if l.fuel--; l.fuel < 0 {
		return wayEnd
	}
	yes := l.h>>n.bit&1 != 0
	switch n.kind {
	case nodeWork:
		l.h = l.h*workFactor + n.k
	case nodeIf:
		if yes {
			return l.run(n.body)
		}
		return l.run(n.other)
	case nodeLoop:
		return l.loop(n)
	case nodeBreak, nodeReturn, nodeExit:
		if yes {
			return map[nodeKind]way{nodeBreak: wayBreak, nodeReturn: wayReturn, nodeExit: wayEnd}[n.kind]
		}
	case nodeCall:
		return l.call(n.fn)
	case nodeCallIf:
		if yes {
			return l.call(n.fn)
		}
	case nodeEither:
		if yes {
			return l.call(n.fn)
		}
		return l.call(n.fn2)
	case nodeLimited:
		if l.limited < l.p.limit {
			l.limited++
			w := l.call(n.fn)
			l.limited--
			return w
		}
	}
	return wayOn
}

func (l *lane) loop(n *node) way {
	for l.count[n.cell] = 0; l.count[n.cell] < trips(l.x, n.bit); {
		l.count[n.cell]++
		switch w := l.run(n.body); w {
		case wayBreak:
			return wayOn
		case wayReturn, wayEnd:
			return w
		}
	}
	return wayOn
}

// trips returns the number of iterations of a loop: two bits of the input.
func trips(x, bit uint32) uint32 { return x >> bit & 3 }

func (l *lane) call(fn int) way {
	if l.run(l.p.funcs[fn]) == wayEnd {
		return wayEnd
	}
	return wayOn
}
