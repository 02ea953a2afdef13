package exec

import (
	"fmt"
	"slices"

	"github.com/heddle-gpu/heddle/ir"
)

// A Layout says where the cells of a machine lie in a State with a given number of lanes.
// It is computed once and shared by all states of a launch.
type Layout struct {
	Machine *ir.Machine
	Lanes   int    // 1 to 64
	Full    uint64 // the mask of all lanes
	base    []int  // by file: index of its first cell among the cells of its kind
	nV, nS  int    // 32-bit words
	nM      int    // 64-bit words
}

// NewLayout computes the layout of states with that many lanes; 0 is the machine's default width.
func NewLayout(m *ir.Machine, lanes int) (*Layout, error) {
	if lanes == 0 && len(m.Widths) > 0 {
		lanes = m.Widths[0]
	}
	if lanes < 1 || lanes > ir.MaxLanes || !slices.Contains(m.Widths, lanes) {
		return nil, fmt.Errorf("exec: machine %s has waves of %v lanes, not %d", m.Name, m.Widths, lanes)
	}
	l := &Layout{Machine: m, Lanes: lanes, Full: ^uint64(0) >> (64 - lanes), base: make([]int, len(m.Files))}
	for i, f := range m.Files {
		switch f.Kind {
		case ir.Lane32:
			l.base[i] = l.nV / lanes
			l.nV += f.Count * lanes
		case ir.Wave32, ir.Wave1:
			l.base[i] = l.nS
			l.nS += f.Count
		case ir.Lane1:
			l.base[i] = l.nM
			l.nM += f.Count
		case ir.ExecMask:
		default:
			panic("exec: file " + f.Name + " has no kind")
		}
	}
	return l, nil
}

// Index is the place of a cell among those of its kind: a Lane32 cell is the Lanes words of
// State.V from Index*Lanes on, a Wave32 or Wave1 cell State.S[Index], a Lane1 cell
// State.M[Index]. The execution mask is State.Exec.
func (l *Layout) Index(c ir.Cell) int { return l.base[c.File] + int(c.Index) }

// Bytes is the size of the cells of one state.
func (l *Layout) Bytes() int { return l.words() * 8 }

// words is the length of the buffer behind M, S and V, each of which starts on a word.
func (l *Layout) words() int { return l.nM + (l.nS+1)/2 + (l.nV+1)/2 }
