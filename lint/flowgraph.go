package lint

import (
	"cmp"
	"slices"

	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// A Graph is the control flow graph of code, as far as it is reachable from its entries.
type Graph struct {
	Nodes []Node // by address
	// Calls are the targets of computed jumps and calls that instructions of the same block compute from constants,
	// by the address of the jump or call.
	Calls map[uint64]uint64
}

// A Node is a basic block.
type Node struct {
	Insts []Extent
	Edges []Edge
	Entry bool // waves or callers enter here
	Ends  bool // waves may terminate here
	Fails bool // control reaches bytes after the last instruction that are no instruction
}

// Addr returns the address at which a node begins.
func (n *Node) Addr() uint64 { return n.Insts[0].Addr }

// An Extent is the bytes of an instruction.
type Extent struct {
	Addr uint64
	Size int
}

// An EdgeKind says how control takes an edge.
type EdgeKind uint8

const (
	EdgeFall     EdgeKind = iota // to the next instruction
	EdgeJump                     // to the target of a branch
	EdgeCall                     // to the target of a call, until it returns
	EdgeLater                    // waiting lanes continue there, once others are done
	EdgeIndirect                 // to an unknown address
)

func (k EdgeKind) String() string {
	return [...]string{"falls through", "taken", "call", "waiting lanes", "indirect"}[k]
}

// An Edge is one edge out of a node.
type Edge struct {
	Kind EdgeKind
	To   uint64 // not for EdgeIndirect
	Node int    // index in Graph.Nodes; -1: there is none
}

// Flow computes the control flow graph of code, in time linear in the length of the code. It never fails: bytes that
// are no code have no nodes.
func Flow(c Code) *Graph {
	a := begin(c, &Options{Rules: func(string) bool { return false }})
	a.explore()
	g := &Graph{Calls: map[uint64]uint64{}}
	order := make([]int, len(a.blocks))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(x, y int) int {
		return cmp.Compare(a.place(a.blocks[x].first).at, a.place(a.blocks[y].first).at)
	})
	number := make([]int, len(a.blocks))
	for n, i := range order {
		number[i] = n
	}
	for _, i := range order {
		g.Nodes = append(g.Nodes, a.node(&a.blocks[i], number))
	}
	for i := range int32(a.count) {
		if p := a.place(i); p.flags&flagComputed != 0 {
			g.Calls[a.addr(p)] = a.target(p)
		}
	}
	return g
}

// Calls returns the Calls of Flow. Code without an instruction that goes to a computed address is not followed.
func Calls(c Code) map[uint64]uint64 {
	if c.Target.Group == nil && !begin(c, &Options{Rules: func(string) bool { return false }}).opens() {
		return nil
	}
	return Flow(c).Calls
}

// opens reports whether the bytes at any place where an instruction may begin are one that goes to an address which
// it does not name.
func (a *analysis) opens() bool {
	const goes = isa.TraitControl | isa.TraitGoes
	for off := 0; off < len(a.code.Bytes); off += a.unit {
		d := a.t.Match(a.code.Bytes[off:])
		if d == nil || a.flow.More == nil && a.traits[d.ID]&goes == 0 || a.decode(a.code.Base+uint64(off)) != nil {
			continue
		}
		if a.traitsOf(&a.bundle.Parts[0])&goes != 0 && a.newStep().open {
			return true
		}
	}
	return false
}

// node returns a block as part of the graph. Blocks are renumbered.
func (a *analysis) node(b *block, number []int) (n Node) {
	n.Entry = b.entry
	for i, left := b.first, b.n; left > 0; i, left = a.next(i), left-1 {
		s := a.look(i)
		n.Insts = append(n.Insts, Extent{s.addr, len(s.code)})
		if left > 1 {
			n.Edges = append(n.Edges, a.aside(s, number)...)
			continue
		}
		n.Edges = append(n.Edges, a.ways(s, number)...)
		n.Ends = !s.falls && !s.jumps && !s.open || s.traits&isa.TraitEnd != 0
		n.Fails = s.falls && a.after(i) < 0
	}
	return n
}

// aside returns the edges of a step in the middle of a block: where other lanes continue, or a callee.
func (a *analysis) aside(s step, number []int) (es []Edge) {
	switch {
	case s.names && s.traits&isa.TraitCall == 0:
		es = append(es, a.edge(EdgeLater, s.target, number))
	case s.names || s.computed:
		es = append(es, a.edge(EdgeCall, s.target, number))
	case s.open:
		es = append(es, Edge{EdgeIndirect, 0, -1})
	}
	return es
}

// ways returns the edges of the last step of a block.
func (a *analysis) ways(s step, number []int) (es []Edge) {
	if s.falls {
		es = append(es, a.edge(EdgeFall, s.end(), number))
	}
	switch {
	case s.jumps && s.traits&isa.TraitCall != 0:
		es = append(es, a.edge(EdgeCall, s.target, number))
	case s.jumps && s.open && (s.ctl == ir.CtlBreak || s.ctl == ir.CtlReturn): // the control stack determines the target
		es = append(es, a.edge(EdgeJump, s.target, number))
		return es
	case s.jumps:
		es = append(es, a.edge(EdgeJump, s.target, number))
	}
	if !s.jumps || s.open {
		es = append(es, a.aside(s, number)...)
	}
	return es
}

// edge returns an edge to an address.
func (a *analysis) edge(kind EdgeKind, to uint64, number []int) Edge {
	e := Edge{kind, to, -1}
	if i := a.stepAt(to); i >= 0 && a.blockOf(i) >= 0 {
		if b := a.blockOf(i); a.blocks[b].first == i {
			e.Node = number[b]
		}
	}
	return e
}
