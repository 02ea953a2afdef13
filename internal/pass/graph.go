package pass

import (
	"errors"
	"slices"

	"github.com/heddle-gpu/heddle/ir"
)

// A Graph is the control flow graph of the blocks that are reachable from some entries.
type Graph struct {
	M     *ir.Machine
	Nodes []Node
	At    map[ir.Key]int // index in Nodes
}

// A Node is a block with its neighbours.
type Node struct {
	Block *ir.Block
	Exit  Exit
	Succ  []int // indices in Graph.Nodes
	Pred  []int
}

// An Exit says where control goes at the end of a block.
type Exit struct {
	To   []uint64 // known guest addresses
	Mode uint32   // static mode there
	Open Opening  // whether control may also go to places that are not in To
	Ends bool     // lanes may end here
}

// An Opening says why an exit is open; if there are several reasons, the last in this list.
type Opening uint8

const (
	Closed      Opening = iota // not open: To is complete
	OpenStack                  // waiting lanes may be next, at an address that another block of the graph names
	OpenOutside                // an address has no block: the wave faults there
	OpenMode                   // the static mode is computed
	OpenJump                   // the address is computed
)

// ExitOf returns the exit of one block.
func ExitOf(m *ir.Machine, b *ir.Block) Exit {
	t := b.Term()
	e := Exit{Mode: b.Key.Mode}
	switch t.Op {
	case ir.Jump, ir.Barrier:
		e.To = []uint64{t.Imm}
	case ir.Branch:
		e.To = []uint64{t.Imm, t.Alt}
		if c, ok := evaluate(b, t.Args[0], deep); ok {
			e.To = e.To[1-c&1:][:1]
		}
	case ir.JumpX:
		if pc, ok := evaluate(b, t.Args[0], deep); ok {
			e.To = []uint64{pc}
		} else {
			e.Open = OpenJump
		}
	case ir.Retire:
		// Under a policy, lanes that wait elsewhere may be next.
		e.To, e.Ends = []uint64{t.Imm}, true
		if m.Control != ir.MaskData {
			e.Open = OpenStack
		}
	case ir.CtlStep:
		e.Open, e.Ends = OpenStack, ir.ControlKind(t.Alt) == ir.CtlReturn // outside of a call lanes end
		e.To = []uint64{b.Next}
		if ir.ControlKind(t.Alt).HasTarget() {
			e.To = append(e.To, t.Imm)
		}
	case ir.CtlStepX:
		e.To, e.Open = []uint64{b.Next}, OpenJump
	case ir.End, ir.Trap:
		e.Ends = true
	}
	slices.Sort(e.To)
	e.To = slices.Compact(e.To)
	e.newMode(m, b)
	return e
}

// newMode follows writes of the block to the mode cell. The static bits of the mode are known where the block reads
// it, because it was lifted under them. So a written mode is known if it is computed from these bits and constants,
// bit by bit.
func (e *Exit) newMode(m *ir.Machine, b *ir.Block) {
	if m.ModeMask == 0 || !writes(m, b, m.Mode) {
		return
	}
	b = Fold(m, b)
	known := map[ir.Val]uint64{} // in the bits of ModeMask
	sure := true
	for i := range b.Ops {
		in := &b.Ops[i]
		s, write, touches := Access(m, b, i)
		touches = touches && s.has(m.Mode)
		switch {
		case touches && write:
			x, ok := known[in.Args[0]]
			sure = in.Op == ir.Set && ok
			e.Mode = uint32(x) & m.ModeMask
		case touches && in.Op == ir.Get && sure:
			known[in.Res] = uint64(e.Mode)
		default:
			bitByBit(b, in, known)
		}
	}
	if !sure {
		if len(e.To) > 0 {
			e.Open = max(e.Open, OpenMode)
		}
		e.Mode, e.To = b.Key.Mode, nil
	}
}

// writes reports whether the block writes the cell, or may write it by index.
func writes(m *ir.Machine, b *ir.Block, c ir.Cell) bool {
	for i := range b.Ops {
		if s, write, ok := Access(m, b, i); ok && write && s.has(c) {
			return true
		}
	}
	return false
}

// has reports whether the span has the cell.
func (s Span) has(c ir.Cell) bool {
	return c.File == s.Cell.File && c.Index >= s.Cell.Index && int(c.Index) < int(s.Cell.Index)+s.Count
}

// evaluate returns the bits of a value that is computed from constants.
func evaluate(b *ir.Block, v ir.Val, depth int) (bits uint64, ok bool) {
	in := defOf(b, v)
	if class(in.Op) != ir.Pure || depth == 0 {
		return 0, false
	}
	args := make([]uint64, len(in.Args))
	for k, a := range in.Args {
		if args[k], ok = evaluate(b, a, depth-1); !ok {
			return 0, false
		}
	}
	r0, r1 := ir.EvalLane(b, in, args)
	if v != in.Res {
		return r1, true
	}
	return r0, true
}

// bitByBit records the result of a bitwise op with known operands.
func bitByBit(b *ir.Block, in *ir.Inst, known map[ir.Val]uint64) {
	info := in.Op.Info()
	insert := in.Op == ir.Insert && defOf(b, in.Args[1]).Op == ir.Const
	if info.Class != ir.Pure || !insert && info.Shadow != ir.Bitwise && in.Op != ir.Const {
		return
	}
	args := make([]uint64, len(in.Args))
	for k, a := range in.Args {
		x, ok := known[a]
		if !ok {
			return
		}
		args[k] = x
	}
	known[in.Res], _ = ir.EvalLane(b, in, args)
}

// These limits bound a graph: longer code is an error of the input, or of the lift. Blocks beyond them are treated
// as outside the code.
const (
	MaxBlocks = 1 << 16
	MaxMarks  = 1 << 19 // instructions; an instruction in overlapping blocks counts several times
)

// Build follows control flow from the entries through all blocks. Addresses without a block (outside the code) are
// omitted and make the exit open. The error joins those of the entries that have no block.
func Build(code ir.Code, entries ...ir.Key) (*Graph, error) { return Grow(code, nil, entries...) }

// Grow returns the graph of all blocks reachable from the entries. It reuses what from, a graph of fewer entries or
// nil, already contains; from is not changed.
func Grow(code ir.Code, from *Graph, entries ...ir.Key) (*Graph, error) {
	g := &Graph{M: code.Machine(), At: map[ir.Key]int{}}
	var errs []error
	todo := slices.Clone(entries)
	marks := 0
	for at := 0; at < len(todo) && len(g.Nodes) < MaxBlocks && marks < MaxMarks; at++ {
		if g.Has(todo[at]) {
			continue
		}
		n, err := from.node(code, todo[at])
		if err != nil {
			if at < len(entries) {
				errs = append(errs, err)
			}
			continue
		}
		g.At[todo[at]] = len(g.Nodes)
		g.Nodes = append(g.Nodes, n)
		marks += len(n.Block.Marks)
		for _, pc := range n.Exit.To {
			todo = append(todo, ir.Key{PC: pc, Mode: n.Exit.Mode})
		}
	}
	g.link()
	return g, errors.Join(errs...)
}

// Has reports whether the graph, which may be nil, has a block at the key.
func (g *Graph) Has(at ir.Key) bool {
	if g == nil {
		return false
	}
	_, ok := g.At[at]
	return ok
}

// node returns the block at the key without its neighbours.
func (g *Graph) node(code ir.Code, at ir.Key) (Node, error) {
	if g.Has(at) {
		n := g.Nodes[g.At[at]]
		n.Succ, n.Pred = nil, nil
		if n.Exit.Open == OpenOutside {
			n.Exit.Open = Closed
		}
		return n, nil
	}
	b, err := code.Block(at)
	if err != nil {
		return Node{}, err
	}
	return Node{Block: b, Exit: ExitOf(code.Machine(), b)}, nil
}

// link fills in the edges between nodes.
func (g *Graph) link() {
	for i := range g.Nodes {
		n := &g.Nodes[i]
		for _, pc := range n.Exit.To {
			j, ok := g.At[ir.Key{PC: pc, Mode: n.Exit.Mode}]
			if !ok {
				n.Exit.Open = max(n.Exit.Open, OpenOutside)
				continue
			}
			n.Succ = append(n.Succ, j)
			g.Nodes[j].Pred = append(g.Nodes[j].Pred, i)
		}
	}
}
