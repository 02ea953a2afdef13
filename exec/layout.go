package exec

import (
	"fmt"
	"slices"

	"github.com/heddle-gpu/heddle/ir"
)

// A Layout maps the cells of a machine to words of a State with a given number of lanes. It is computed once and
// shared by all states of a launch.
type Layout struct {
	Machine *ir.Machine
	Lanes   int    // 1 to 64
	Stride  int    // words of State.V per Lane32 cell: Lanes rounded up to a multiple of 16
	Full    uint64 // the mask of all lanes
	base    []int  // per file: index of its first cell among the cells of its kind
	nV, nS  int    // 32-bit words
	nM      int    // 64-bit words
}

// alignBytes is the alignment of State.V, its rows, State.S and State.M: the widest vector register of a host, and
// a cache line.
const alignBytes = 64

// rowLanes is how many 32-bit lanes fit in alignBytes.
const rowLanes = alignBytes / 4

// roundUp returns the smallest multiple of unit that is at least n.
func roundUp(n, unit int) int { return (n + unit - 1) / unit * unit }

// NewLayout returns the layout of states with that many lanes; 0 is the machine's default width.
func NewLayout(m *ir.Machine, lanes int) (*Layout, error) {
	if lanes == 0 && len(m.Widths) > 0 {
		lanes = m.Widths[0]
	}
	if lanes < 1 || lanes > ir.MaxLanes || !slices.Contains(m.Widths, lanes) {
		return nil, fmt.Errorf("exec: machine %s has waves of %v lanes, not %d", m.Name, m.Widths, lanes)
	}
	if m.Control == ir.MaskStack && m.StackDepth < 1 {
		return nil, fmt.Errorf("exec: machine %s has the policy MaskStack and a control stack of %d tokens", m.Name, m.StackDepth)
	}
	l := &Layout{Machine: m, Lanes: lanes, Stride: roundUp(lanes, rowLanes), Full: ^uint64(0) >> (64 - lanes), base: make([]int, len(m.Files))}
	for i, f := range m.Files {
		l.base[i] = IndexOf(m, ir.Cell{File: uint8(i)})
		switch f.Kind {
		case ir.Lane32:
			l.nV += f.Count * l.Stride
		case ir.Wave32, ir.Wave1:
			l.nS += f.Count
		case ir.Lane1:
			l.nM += f.Count
		case ir.ExecMask:
		default:
			panic("exec: file " + f.Name + " has no kind")
		}
	}
	return l, nil
}

// Index returns the index of a cell among those of its kind. A Lane32 cell is the Lanes words of State.V from
// Index*Stride, a Wave32 or Wave1 cell is State.S[Index], a Lane1 cell State.M[Index]. The execution mask is
// State.Exec.
func (l *Layout) Index(c ir.Cell) int { return l.base[c.File] + int(c.Index) }

// IndexOf returns the Index of a cell, which is the same in every layout of the machine: it does not depend on the
// number of lanes.
func IndexOf(m *ir.Machine, c ir.Cell) int {
	i, pool := int(c.Index), poolOf(m.Files[c.File].Kind)
	for _, f := range m.Files[:c.File] {
		if poolOf(f.Kind) == pool {
			i += f.Count
		}
	}
	return i
}

// poolOf returns a number for the array that holds cells of the kind: V, S or M.
func poolOf(k ir.CellKind) ir.CellKind {
	if k == ir.Wave1 {
		return ir.Wave32
	}
	return k
}

// Bytes returns the size of the cells of one state, padding included.
func (l *Layout) Bytes() int { return l.words() * 8 }

// words returns the length of the buffer that backs V, S and M, each of which starts at a multiple of alignBytes.
func (l *Layout) words() int { return l.nV/2 + l.wordsS() + l.nM + l.spill()/2 }

// spill returns how far an array of MaxLanes words that begins at the last row of V extends beyond V.
func (l *Layout) spill() int { return ir.MaxLanes - l.Stride }

// wordsS returns the length of S in the buffer, padding included.
func (l *Layout) wordsS() int { return roundUp(l.nS, rowLanes) / 2 }
